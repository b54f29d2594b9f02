"""The report on a reader study: its numbers, its sentences, and its page."""

from __future__ import annotations

import json
import math
import re
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema
import numpy as np
import pytest

import rocbands as rb
from rocbands.readers.average import average_curve
from rocbands.reporting.readers import Spread, describe_spread, find_spread
from rocbands.reporting.readers_page import choose_ticks
from tests.reporting.conftest import ROOT, numbers

SCHEMA = json.loads((ROOT / "src/rocbands/reporting/reader_schema.json").read_text("utf-8"))
VALIDATOR = jsonschema.validators.validator_for(SCHEMA)(SCHEMA)
VALIDATOR.check_schema(SCHEMA)
DIGITS = 5.1e-6  # relative: numbers have six digits
HOSTILE = "</script><script>alert(1)</script>\"&' \u2028 <img src=x onerror=alert(2)> {{ 7 * 7 }}"


def table(
    *,
    readers: int = 5,
    tests: tuple[str, ...] = ("CT", "MR"),
    n_pos: int = 45,
    n_neg: int = 69,
    names: tuple[str, ...] = (),
    algorithm: bool = False,
    by_test: float = 0.6,
    seed: int = 6,
) -> dict[str, Any]:
    """Ratings from 1 to 5 of the same cases, by readers who differ; one row for each."""
    rng = np.random.default_rng(seed)
    shape = (len(tests), readers, n_pos + n_neg)
    test, reader, case = (part.ravel() for part in np.indices(shape))
    ill = np.arange(n_pos + n_neg) < n_pos
    skill = 1.9 + 0.25 * rng.normal(size=readers) + 0.3 * np.arange(len(tests))[:, None]
    score = rng.normal(size=shape) + ill * skill[:, :, None]
    score += 0.8 * rng.normal(size=ill.size)
    score += by_test * rng.normal(size=(len(tests), 1, ill.size))
    rating = 1 + np.digitize(score, [-0.3, 0.6, 1.3, 2.0])
    who = np.array(names or [f"Reader {j + 1}" for j in range(readers)], dtype=object)
    columns = {
        "reader": who[reader].tolist(),
        "modality": [tests[i] for i in test],
        "case": case.tolist(),
        "truth": ill[case].astype(int).tolist(),
        "rating": rating.ravel().astype(float).tolist(),
    }
    if algorithm:
        own = np.round(rng.normal(size=ill.size) + 2 * ill, 2).tolist()
        more = (["AI"] * ill.size, [tests[0]] * ill.size, [*range(ill.size)], [*map(int, ill)], own)
        columns = {key: columns[key] + new for key, new in zip(columns, more, strict=True)}
    return columns


def read(columns: dict[str, Any], **how: Any) -> rb.Readings:
    named = {"label": "truth", "score": "rating", "reader": "reader", "case": "case"}
    return rb.Readings.from_frame(columns, **named, test="modality", **how)


def payload_of(data: Any, **asked: Any) -> dict[str, Any]:
    """Make a report, and check what holds for every one of them."""
    found = rb.report(data, path=None, rng=1, **asked)
    payload = dict(found.payload)
    VALIDATOR.validate(payload)
    assert all(map(math.isfinite, numbers(payload)))
    assert json.loads(json.dumps(payload, allow_nan=False)) == payload
    page = found.to_html()
    assert "NaN" not in page
    assert f"<p>{found.sentence}</p>" in unescape(page)
    for test in payload["tests"]:
        drawn = test["curves"]
        lines = [*drawn["readers"], drawn["average"], drawn["lower"], drawn["upper"]]
        assert all(line["fpr"] == sorted(line["fpr"]) for line in lines)
        assert all(len(line["fpr"]) == len(line["tpr"]) for line in lines)
    return payload


@pytest.fixture(scope="module")
def study() -> rb.results.ReaderStudy:
    return rb.compare_readers(read(table()))


@pytest.fixture(scope="module")
def payload(study: rb.results.ReaderStudy) -> dict[str, Any]:
    return payload_of(study)


def near(value: Any) -> Any:
    return pytest.approx(value, rel=DIGITS, abs=1e-12)


def test_numbers_are_those_of_compare_readers(
    study: rb.results.ReaderStudy, payload: dict[str, Any]
) -> None:
    gap, (found,) = study.differences[0], payload["differences"]
    for key in ("difference", "low", "high", "standard_error", "df", "statistic", "pvalue"):
        assert found[key] == near(getattr(gap, key)), key
    assert (found["first"], found["second"], found["verdict"]) == ("CT", "MR", gap.verdict)
    assert payload["sentence"] == payload["headline"][0] == study.sentence
    for i, test in enumerate(payload["tests"]):
        mean = study.means[i]
        assert [test[key] for key in ("estimate", "low", "high", "standard_error")] == near(
            [mean.estimate, mean.low, mean.high, mean.standard_error]
        )
        assert [cell["estimate"] for cell in test["readers"]] == near(study.areas[i].tolist())
        assert [cell["standard_error"] for cell in test["readers"]] == near(
            study.area_errors[i].tolist()
        )
        assert [cell["cases"] for cell in test["readers"]] == [114] * 5
    rows = [(one["target"], one["random"]) for one in payload["inferences"]]
    assert rows == [(one.target, one.random) for one in study.inferences]
    assert [one["high"] for one in payload["inferences"]] == near(
        [one.high for one in study.inferences]
    )
    assert [one["difference"] for one in payload["by_reader"]] == near(
        [one.difference for one in study.by_reader]
    )
    assert payload["components"] == near(dict(study.components))


def test_readings_give_the_same_report_as_their_study(payload: dict[str, Any]) -> None:
    assert payload_of(read(table())) == payload


def test_curves_are_those_of_the_readers(
    payload: dict[str, Any], study: rb.results.ReaderStudy
) -> None:
    for test in payload["tests"]:
        for line, cell in zip(test["curves"]["readers"], test["readers"], strict=True):
            assert np.trapezoid(line["tpr"], line["fpr"]) == pytest.approx(
                cell["estimate"], abs=1e-5
            )
        average = test["curves"]["average"]
        assert np.trapezoid(average["tpr"], average["fpr"]) == pytest.approx(
            test["estimate"], abs=1e-5
        )
        band = average_curve(study.readings, test["name"], rng=1)
        edge = test["curves"]["upper"]
        assert np.trapezoid(edge["tpr"], edge["fpr"]) == pytest.approx(
            np.trapezoid(band.upper.y, band.upper.x), abs=1e-5
        )


# ----------------------------------------------------------------- what limits the precision


def published(covariance: str) -> Any:
    """VanDyke's data: components of MRMCaov 0.3.0 in R, for 5 readers and 114 cases."""
    parts = {
        "delong": (0.000204584, 0.0007921325, 0.000342009, 0.0003395265, 0.0002358497),
        "jackknife": (0.0002004025, 0.0008022883, 0.0003466137, 0.0003440748, 0.0002390284),
    }[covariance]
    names = ("var_tr", "var", "cov1", "cov2", "cov3")
    return SimpleNamespace(
        components=dict(zip(names, parts, strict=True)),
        algorithm=None,
        tests=("1", "2"),
        readers=tuple("abcde"),
        readings=SimpleNamespace(n_cases=114),
        differences=(),
        inferences=(),
    )


def test_the_standard_error_from_components_is_that_of_mrmcaov() -> None:
    spread = find_spread(published("delong"))
    assert spread is not None
    assert spread.find_error() == pytest.approx(0.0206825, rel=1e-6)


def test_a_larger_study_has_the_noncentrality_of_rjafroc() -> None:
    """10 readers and 165 cases: RJafroc 2.1.2 has 8.209597033 for a difference of .043800322."""
    spread = find_spread(published("jackknife"))
    assert spread is not None
    found = spread.find_error(more_readers=5, more_cases=51)
    assert (0.043800322 / found) ** 2 == pytest.approx(8.209597033, rel=1e-6)


@pytest.mark.parametrize(("seed", "by_test"), [(6, 0.6), (0, 0.6), (3, 0.0)])
def test_parts_agree_with_the_three_standard_errors(seed: int, by_test: float) -> None:
    """The last two studies have a negative Var(TR), and the last a negative Cov2 - Cov3."""
    study = rb.compare_readers(read(table(seed=seed, by_test=by_test)))
    assert (study.components["var_tr"] < 0) == (seed != 6)
    assert (study.components["cov2"] < study.components["cov3"]) == (by_test == 0)
    payload = payload_of(study)
    parts = payload["parts"]
    both, fixed, alone = (one.standard_error**2 for one in study.inferences[6:])
    now, readers, cases = parts["plans"]
    assert now == {"readers": 5, "cases": 114, "standard_error": near(math.sqrt(both))}
    assert (readers["readers"], readers["cases"]) == (7, 114)
    assert (cases["readers"], cases["cases"]) == (5, 164)
    assert parts["cases"] == pytest.approx(fixed / both, rel=1e-5)
    more = both - fixed * (1 - 114 / 164)
    assert cases["standard_error"] == near(math.sqrt(more))
    if seed == 6:
        more = alone * 5 / 7 + both - alone
        assert readers["standard_error"] == near(math.sqrt(more))
    assert readers["standard_error"] < now["standard_error"]
    assert parts["sentences"] == payload["headline"][2:]
    assert f"2 more readers would make it {readers['standard_error']:.3g}" in parts["sentences"][1]


def test_a_perfect_algorithm_adds_nothing_to_the_variance() -> None:
    """Its difference from readers varies as their mean, whose parts come from the components."""
    columns = table(tests=("CT",), algorithm=True)
    machine = [name == "AI" for name in columns["reader"]]
    perfect = [
        float(truth) if own else rating
        for own, truth, rating in zip(machine, columns["truth"], columns["rating"], strict=True)
    ]
    readings = read({**columns, "rating": perfect})
    found = find_spread(rb.compare_readers(readings, algorithm="AI"))
    people = [f"Reader {j + 1}" for j in range(5)]
    expected = find_spread(rb.compare_readers(readings.take(readers=people)))
    assert found is not None
    assert expected is not None
    assert found[1:] == pytest.approx(expected[1:], rel=1e-9)


@pytest.mark.parametrize(
    ("readers", "word"),
    [(9.0, "depends most on who"), (0.1, "most on which cases"), (0.0, "Readers do not add")],
)
def test_the_larger_part_is_named(readers: float, word: str) -> None:
    spread = Spread("a difference", readers, 1.0, 0.5, 5, 100)
    found = describe_spread(spread)
    assert word in found["sentences"][0]
    assert found["readers"] == near(readers / 5 / spread.find_error() ** 2)


# ------------------------------------------------------------------------------------ designs


def nest(columns: dict[str, Any], keep: Any) -> rb.Readings:
    rows = [i for i, row in enumerate(zip(*columns.values(), strict=True)) if keep(*row)]
    return read({key: [column[i] for i in rows] for key, column in columns.items()})


@pytest.mark.parametrize(
    ("data", "asked"),
    [
        ({"tests": ("CT",), "algorithm": True}, {"algorithm": "AI"}),
        ({"algorithm": True}, {"algorithm": "AI"}),
        ({"tests": ("CT", "MR", "CT + AI")}, {}),
        ({"tests": ("CT",)}, {"null": 0.8}),
        ({"readers": 25}, {}),
        ({"readers": 4}, {"margin": 0.05}),
        ({"readers": 1}, {"random": "cases"}),
        ({}, {"random": "readers"}),
        ({}, {"metric": "sensitivity", "threshold": 3}),
        ({}, {"metric": "partial_auc", "fpr": (0, 0.2)}),
        ({}, {"method": "obuchowski-rockette", "level": 0.9}),
        ({}, {"method": "one-shot"}),
        ({}, {"alternative": "less"}),
    ],
)
def test_every_question_has_a_report(data: dict[str, Any], asked: dict[str, Any]) -> None:
    study = rb.compare_readers(read(table(**data)), **asked)
    payload = payload_of(study)
    assert payload["level"] == study.level
    assert [gap["holm"] for gap in payload["differences"]] == near(list(study.holm))


@pytest.mark.parametrize("design", ["cases in readers", "readers in tests", "missing", "alike"])
def test_every_design_has_a_report(design: str) -> None:
    columns = table(n_pos=100, n_neg=100)
    keep = {
        "cases in readers": lambda reader, test, case, *_: case % 5 == int(reader[-1]) - 1,
        "readers in tests": lambda reader, test, *_: (reader < "Reader 3") == (test == "CT"),
        "missing": lambda reader, test, case, *_: reader != "Reader 2" or case % 3 > 0,
        "alike": lambda *_: True,
    }[design]
    if design == "alike":
        columns["rating"] = [float(truth) for truth in columns["truth"]]
    payload = payload_of(nest(columns, keep))
    assert payload["data"]["complete"] == (design == "alike")
    assert (payload["parts"] is None) == (design in ("readers in tests", "alike"))
    if design == "readers in tests":
        assert payload["by_reader"] == []
        assert payload["omitted"][0]["section"] == "components"
        assert payload["components"] is None


def test_what_was_left_out_is_said() -> None:
    columns = table()
    columns["rating"][:12] = [math.nan] * 12
    found = rb.report(read(columns, missing="drop"), path=None)
    assert "Reader 'Reader 1' lacks 12 of 114 cases under 'CT'" in found.notes[0]
    page = unescape(found.to_html())
    assert f"<li>{found.notes[0]}</li>" in page
    assert "1,128 readings were made" in page
    assert "SE" in page
    assert "102 cases" in page


# --------------------------------------------------------------------------------- the page


def test_names_are_text_and_nothing_else() -> None:
    names = (HOSTILE, "n" * 200, "c")
    data = read(table(readers=3, tests=(HOSTILE, "MR"), names=names))
    page = rb.report(data, path=None, title=f"Title {HOSTILE}").to_html()
    assert "<script>alert" not in page
    assert "<img" not in page
    assert page.count("<script") == page.count("</script>") == 2
    assert "{{ 7 * 7 }}" in page
    assert "default-src 'none'" in unescape(page)
    markup = re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    assert set(re.findall(r'(?:src|href)="([^"#]*)', markup)) <= {"", "data:,"}


def test_the_forest_has_the_estimates_at_their_places(payload: dict[str, Any]) -> None:
    page = rb.results.Report(payload).to_html()
    first = page.split('<svg viewBox="0 0 420', 1)[1].split("</svg>", 1)[0]
    ticks = re.findall(r'<text x="([\d.]+)" y="[\d.]+" text-anchor="middle">([\d.]+)</text>', first)
    (x0, low), (x1, high) = ((float(x), float(word)) for x, word in (ticks[0], ticks[-1]))
    drawn = [float(x) for x in re.findall(r'class="dot look-0" d="M([\d.]+) ', first)]
    test = payload["tests"][0]
    expected = [*(cell["estimate"] for cell in test["readers"]), test["estimate"]]
    scaled = [x0 + (value - low) / (high - low) * (x1 - x0) for value in expected]
    np.testing.assert_allclose(drawn, scaled, atol=0.11)


def test_pictures_and_tables_have_names(payload: dict[str, Any]) -> None:
    page = rb.results.Report(payload).to_html()
    pictures = re.findall(r'<svg [^>]*role="img" aria-label="([^"]+)"', page)
    assert len(pictures) == len(set(pictures)) == 4
    gap = payload["differences"][0]
    assert f"{gap['difference']:.3f}, {gap['low']:.3f} to {gap['high']:.3f}" in pictures[1]
    assert page.count('role="region" aria-label="') == page.count('class="scroll"')


def test_the_page_cites_what_it_used(payload: dict[str, Any]) -> None:
    page = unescape(rb.results.Report(payload).to_html())
    assert payload["paragraph"] in page
    marks = {int(mark) for mark in re.findall(r"\[(\d+)\]", payload["paragraph"])}
    assert marks == set(range(1, len(payload["references"]) + 1))
    assert any(source.startswith("Obuchowski and Rockette") for source in payload["references"])


def test_ticks_surround_the_values() -> None:
    rng = np.random.default_rng(1)
    for low, high in [*np.sort(rng.uniform(-1, 1, (200, 2)), axis=1).tolist(), [1.0, 1.0]]:
        found = choose_ticks(low, high)
        assert found[0] <= low + 1e-9
        assert found[-1] >= high - 1e-9
        assert 2 <= len(found) <= 6


def test_the_report_is_a_result(tmp_path: Path, study: rb.results.ReaderStudy) -> None:
    path = tmp_path / "study.html"
    found = rb.report(study, path=path)
    assert found.path == path
    assert path.read_text(encoding="utf-8") == found.to_html()
    assert found.columns()["name"] == ["CT", "MR", "CT minus MR"]
    assert found.columns()["low"][2] == near(study.differences[0].low)
    assert study.design in repr(found)
    assert found.to_dict()["schema"] == "rocbands.reader-report/2"
    assert study.sentence in " ".join(str(found).split())


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"costs": (2, 1)}, "`costs` is for reports on models"),
        ({"fpr": 0.1}, "`fpr` is for reports on models"),
        ({"level": 0.9}, "must be that of the result of compare_readers, 0.95"),
        ({"y_score": [1]}, "A ReaderStudy says everything"),
    ],
)
def test_what_a_reader_study_has_no_use_for_is_refused(
    study: rb.results.ReaderStudy, asked: dict[str, Any], words: str
) -> None:
    with pytest.raises(rb.InputError, match=words):
        rb.report(study, path=None, **asked)


def test_a_test_without_negatives_has_no_curves() -> None:
    test, reader, case = (one.ravel() for one in np.indices((2, 3, 30)))
    y = case < 15
    read = y | (test == 1)  # of test 0 only positives
    score = np.random.default_rng(1).normal(size=y.size) + y
    names = {"reader": reader[read], "case": case[read], "test": test[read]}
    study = rb.compare_readers(
        rb.Readings(y[read], score[read], **names), metric="sensitivity", threshold=0.5
    )
    page = rb.report(study, path=None)
    VALIDATOR.validate(dict(page.payload))
    assert [one["curves"] is None for one in page.payload["tests"]] == [True, False]
    assert "A curve needs a reader with cases of both classes" in page.to_html()
    with pytest.raises(rb.InputError, match="An average curve needs a reader"):
        study.plot("curves")
