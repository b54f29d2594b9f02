"""Rows of every kind give a report: tiny, tied, perfect, constant, infinite, clustered, folded."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import rocbands as rb
from tests.reporting.conftest import checked, payload_of
from tests.strategies import labelled_scores

RNG = np.random.default_rng(8)
Y12 = np.array([1, 0] * 6)
INF = np.array([np.inf, -np.inf, 3, 2, 1, 0, -1, np.inf, 5, -np.inf, 2, 1])

CASES: dict[str, tuple[Any, dict[str, Any]]] = {
    "12 rows": (Y12, {"m": RNG.normal(size=12) + Y12}),
    "two rows": ([1, 0], {"m": [2.0, 1.0]}),
    "one positive": ([1] + [0] * 30, {"m": RNG.normal(size=31), "n": np.arange(31)}),
    "one negative": ([0] + [1] * 30, {"m": RNG.normal(size=31)}),
    "perfect": (np.arange(40) > 20, {"m": np.arange(40.0), "n": -np.arange(40.0)}),
    "constant": (Y12, {"m": np.zeros(12), "n": np.ones(12)}),
    "infinite": (Y12, {"m": INF, "n": -INF}),
    "all infinite": (Y12, {"m": np.where(Y12 > 0, np.inf, -np.inf)}),
    "huge": (Y12, {"m": (RNG.random(12) - 0.5) * 3e308}),
    "skewed": (np.tile(Y12, 20), {"m": np.exp(5 * RNG.normal(size=240))}),
    "tied": (np.tile(Y12, 20), {"m": RNG.integers(0, 4, 240), "n": RNG.integers(0, 9, 240)}),
    "names": (Y12, {"<b>\"&'": INF, "模型 ✓": np.arange(12), "</script>": -np.arange(12), "": INF}),
    "booleans": (Y12 == 1, {"m": Y12 == 1}),
    "three models": (np.tile(Y12, 5), {name: RNG.normal(size=60) for name in "abc"}),
    "the same twice": (np.tile(Y12, 5), dict.fromkeys("ab", np.arange(60.0))),
}


@cache
def report_of(case: str) -> tuple[rb.results.Report, dict[str, Any]]:
    """The report of a case and its payload, made once for all tests."""
    report = rb.report(rb.Sample(*CASES[case]), path=None, rng=1, title="<i>'quoted'</i> & ünï")
    return report, checked(report)


@pytest.mark.parametrize("case", CASES)
def test_every_case_has_a_report(case: str) -> None:
    _, models = CASES[case]
    _, payload = report_of(case)
    assert [model["name"] for model in payload["models"]] == list(models)
    assert payload["comparison"] is None or len(models) > 1
    known = {model["name"] for model in payload["models"]}
    assert all(set(part["models"]) <= known for part in payload["omitted"])
    for model in payload["models"]:
        shown = model["name"] in payload["focus"]  # only these have bands by all methods
        methods = {"likelihood", "joint-region"} if shown else {"likelihood"}
        assert {band["method"] for band in model["bands"]} >= methods
        for side in ("positives", "negatives"):
            assert sum(model["scores"][side]) == pytest.approx(1.0, abs=1e-4)
        edges = model["scores"]["edges"]
        assert edges == sorted(edges)


@pytest.mark.parametrize("case", CASES)
def test_every_case_has_a_page(case: str) -> None:
    text = report_of(case)[0].to_html()
    assert "</html>" in text
    assert "<i>" not in text
    assert '<b>"' not in text


def test_the_file_is_the_page(tmp_path: Path) -> None:
    models = {"模型 ✓": np.arange(12)}
    found = rb.report(rb.Sample(Y12, models), path=tmp_path / "page.html", rng=1, future=(5, 5))
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == found.to_html()


@settings(deadline=None, max_examples=2, suppress_health_check=[HealthCheck.too_slow])
@given(labelled_scores(max_size=12))
def test_any_rows_have_a_report(rows: tuple[np.ndarray, np.ndarray]) -> None:
    y, score = rows
    # A future set of a fixed size, so that its law is simulated for few sizes only.
    payload_of(y, {"m": score, "turned": -score}, future=(5, 5))


def why(payload: dict[str, Any], section: str) -> str:
    return " ".join(part["why"] for part in payload["omitted"] if part["section"] == section)


def test_what_is_missing_is_said() -> None:
    _, one = report_of("one positive")
    assert "two rows of either class" in why(one, "cost limits")
    assert all(model["cost"]["lower"] is None for model in one["models"])
    assert one["headline"][0].startswith("1 positive is too few to choose a model or a threshold.")
    assert any("not measured at sizes like these" in said for said in one["trust"]["sentences"])
    assert "30 negatives" in why(one, "points")
    _, constant = report_of("constant")
    assert any("same score" in sentence for sentence in constant["trust"]["sentences"])
    assert constant["models"][0]["scores"]["scale"] == "linear"
    _, perfect = report_of("perfect")
    assert any("scores every positive above" in s for s in perfect["trust"]["sentences"])
    assert perfect["models"][0]["auc"]["low"] < 1


def test_scores_that_bins_cannot_show_are_shown_by_rank() -> None:
    for case in ("infinite", "skewed"):
        scores = report_of(case)[1]["models"][0]["scores"]
        assert scores["scale"] == "rank"
        assert (scores["edges"][0], scores["edges"][-1]) == (0, 1)
        assert len(scores["at"]) == len(scores["edges"])
    assert report_of("infinite")[1]["models"][0]["scores"]["at"][0] == "-inf"


def folded(size: int = 100) -> tuple[np.ndarray, dict[str, np.ndarray], np.ndarray]:
    rng = np.random.default_rng(4)
    y = np.tile([1, 0], size // 2)
    models = {"a": rng.normal(size=size) + y, "b": rng.normal(size=size) + 0.5 * y}
    return y, models, np.arange(size) // (size // 5)


def test_folds() -> None:
    y, models, folds = folded()
    payload = payload_of(y, models, folds=folds)
    assert payload["data"]["folds"] == 5
    difference = rb.compare(rb.Sample(y, models, folds=folds))
    assert payload["comparison"]["pairs"][0]["difference"] == pytest.approx(
        abs(difference.difference), rel=1e-5
    )
    for model in payload["models"]:
        assert {band["method"] for band in model["bands"]} == {"fold-average"}
        assert model["points"] is None
        assert model["cost"] is None
        assert model["roc"]["threshold"] is None
        auc = rb.fold_auc_interval(rb.Sample(y, models[model["name"]], folds=folds), method="score")
        assert model["auc"]["low"] == pytest.approx(auc.low, rel=1e-5)
        bounds = rb.rate_bounds(rb.Sample(y, models[model["name"]], folds=folds), rate=[0.1])
        at = model["rates"]["rate"].index(0.1)
        assert model["rates"]["lower"][at] == pytest.approx(bounds.tpr_lower[0], rel=1e-5)
        band = rb.roc_band(rb.Sample(y, models[model["name"]], folds=folds), rng=1)
        shown = next(part for part in model["bands"] if part["level"] == 0.95)
        assert shown["area"] == pytest.approx(band.area, rel=1e-5)
        area = np.trapezoid(model["roc"]["tpr"], model["roc"]["fpr"])
        assert area == pytest.approx(band.auc, abs=2e-3)
    assert {row["method"] for row in payload["trust"]["measured"]} == {"fold-average"}


def test_clusters() -> None:
    y, models, _ = folded()
    clusters = np.arange(100) // 4
    payload = payload_of(y, models, clusters=clusters)
    assert payload["data"]["clusters"] == 25
    for model in payload["models"]:
        methods = {band["method"] for band in model["bands"]}
        assert methods == {"likelihood", "fixed-width", "fold-average"}
        assert {point["method"] for point in model["points"]} == {"likelihood"}
        assert model["rates"] is not None
        assert model["cost"]["lower"] is not None
        assert model["cost"]["hull"]["fpr"][-1] == 1
        auc = rb.auc_interval(rb.Sample(y, models[model["name"]], clusters=clusters))
        assert model["auc"]["high"] == pytest.approx(auc.high, rel=1e-5)
    pair = payload["comparison"]["pairs"][0]
    two = rb.compare_many(rb.Sample(y, models, clusters=clusters), rng=1).columns()
    assert pair["low"] == pytest.approx(two["lower"][0], rel=1e-3)
    assert not {part["section"] for part in payload["omitted"]} & {"rates", "cost limits"}


def test_clusters_inside_folds() -> None:
    y, models, folds = folded(200)
    payload = payload_of(y, models, clusters=np.arange(200) // 4, folds=folds)
    for model in payload["models"]:
        assert model["auc"]["low"] < model["auc"]["estimate"] < model["auc"]["high"]
        assert {band["method"] for band in model["bands"]} == {"fold-average"}


def test_too_few_clusters_leave_no_resampled_band_but_a_report() -> None:
    y, models, _ = folded()
    payload = payload_of(y, models, clusters=np.arange(100) // 40)
    for model in payload["models"]:
        assert {band["method"] for band in model["bands"]} == {"likelihood"}
        assert model["bands"][0]["notes"][0].startswith("The rows come from only 3 clusters")
    assert "at least 5" in why(payload, "bands: fixed-width, level 0.95")


@pytest.mark.parametrize("extras", [("folds",), ("clusters",), ("folds", "clusters")])
def test_clusters_and_folds_have_a_page(extras: tuple[str, ...]) -> None:
    y, models, folds = folded(200)
    rows = {"folds": folds, "clusters": np.arange(200) // 4}
    sample = rb.Sample(y, models, **{name: rows[name] for name in extras})
    page = rb.report(sample, path=None, rng=1).to_html()
    assert "</html>" in page
    assert ("scored in folds" in page) == ("folds" in extras)
    assert ("clusters" in page) or "clusters" not in extras


def test_a_level_that_resampling_cannot_reach() -> None:
    payload = payload_of(Y12, {"m": RNG.normal(size=12)}, level=0.9999)
    bands = payload["models"][0]["bands"]
    assert max(b["level"] for b in bands if b["method"] == "fixed-width") == 0.99
    assert max(b["level"] for b in bands if b["method"] == "joint-region") == 0.9999
    assert "resamples" in why(payload, "bands: fixed-width, level 0.9999")


def test_future_sizes() -> None:
    payload = payload_of(Y12, {"m": np.arange(12)}, future=(20, 30))
    later = [band for band in payload["models"][0]["bands"] if band["target"] == "future"]
    assert {tuple(band["future"]) for band in later} == {(20, 30)}


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("no/such/page.html", "folder that exists; 'no/such' does not"),
        ("page.pdf", r"must end in \.html or \.htm; got 'page\.pdf'"),
        (7, "must be the name of a file; got 7"),
        ("folder.html", "is a folder"),
    ],
)
def test_a_bad_path_is_refused_before_anything_else(
    path: Any, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder.html").mkdir()
    with pytest.raises(rb.InputError, match=words):
        rb.report("not even labels", {}, path=path)


def half_written(target: Path, problem: Exception) -> None:
    from rocbands.io.writing import whole_file

    with whole_file(target) as partial:
        partial.write_text("half", encoding="utf-8")
        raise problem


def test_a_file_that_cannot_be_finished_is_not_begun(tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    target.write_text("old", encoding="utf-8")
    with pytest.raises(RuntimeError):
        half_written(target, RuntimeError())
    with pytest.raises(rb.InputError, match=r"page\.html' cannot be written: No space left"):
        half_written(target, OSError(28, "No space left on device"))
    assert target.read_text(encoding="utf-8") == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_what_is_shown_of_a_report() -> None:
    found = rb.report(rb.Sample(Y12, {"m": np.arange(12)}), path=None, rng=1)
    assert repr(found) == "<Report: 1 model, 12 rows>"
    printed = " ".join(str(found).split())
    assert printed.startswith(found.sentence)
    assert all(line in printed for line in (*found.headline, *found.statistics))
    assert found.sentence == found.headline[0]
    assert found.to_dict() == found.payload == json.loads(found.to_json())
    assert list(found.to_frame("pandas").columns)[:3] == ["model", "n_pos", "n_neg"]
    assert any(line.startswith("points: With 6 negatives") for line in found.omitted)
