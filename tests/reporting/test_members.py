"""Reports on groups of people and on classes: the engine of models, with limits for all together."""

from __future__ import annotations

import json
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

import rocbands as rb
from rocbands.core.sample import Sample
from rocbands.reporting.payload import SCHEMA
from rocbands.reporting.render import _part_differences, _rank_pairs, render
from tests.reporting.conftest import checked


def people(n: int = 420) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels, scores and groups: 'a' is scored better than 'b', and 'c' is small."""
    rng = np.random.default_rng(5)
    by = np.repeat(["a", "b", "c"], [n // 2, n // 3, n - n // 2 - n // 3])
    y = rng.random(n) < 0.4
    return y, rng.normal(size=n) + y * np.where(by == "a", 2.5, 1.0), by


def animals() -> Any:
    rng = np.random.default_rng(6)
    y = rng.choice(["cat", "dog", "elk", "fox", "owl"], 300, p=[0.3, 0.25, 0.2, 0.15, 0.1])
    scores = rng.normal(size=(300, 5)) + 1.5 * (y[:, None] == np.unique(y))
    return y, np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)


@pytest.fixture(scope="module")
def groups() -> tuple[rb.results.Subgroups, dict[str, Any]]:
    y, s, by = people()
    found = rb.subgroups(y, s, by=by, threshold=0.8)
    return found, checked(rb.report(found, path=None))


@pytest.fixture(scope="module")
def against_rest() -> rb.results.Report:
    y, s, by = people()
    return rb.report(rb.subgroups(y, s, by=by, against="rest", level=0.9), path=None)


@pytest.fixture(scope="module")
def classes() -> tuple[rb.results.ClassBands, dict[str, Any]]:
    sample = rb.Sample.of_classes(*animals())
    return rb.class_bands(sample), checked(rb.report(sample, path=None))


def test_a_report_on_groups_has_all_that_a_report_on_models_has(groups: Any) -> None:
    result, payload = groups
    assert (payload["schema"], payload["kind"], payload["level"]) == (SCHEMA, "group", 0.95)
    assert payload["headline"][0] == result.sentence
    assert [model["name"] for model in payload["models"]] == ["a", "b", "c"]
    for model in payload["models"]:
        assert all(model[part] for part in ("auc", "roc", "bands", "points", "rates", "scores"))
        assert {band["level"] for band in model["bands"]} == {0.8, 0.9, 0.95, 0.99}
        assert {band["target"] for band in model["bands"]} == {"true", "future"}
        assert len({band["method"] for band in model["bands"]}) > 2
    omitted = {part["section"] for part in payload["omitted"]}
    assert "cost" in omitted
    assert payload["data"]["n"] == 420
    assert payload["made"]["seed"] >= 0


@pytest.mark.parametrize("which", ["groups", "classes"])
def test_bands_and_areas_are_those_of_the_result_for_all_together(
    which: str, request: pytest.FixtureRequest
) -> None:
    result, payload = request.getfixturevalue(which)
    own = 0.95 ** (1 / len(result.bands))
    places = np.array(payload["places"])
    for model, known, low, high in zip(
        payload["models"], result.bands, result.auc_lower, result.auc_upper, strict=True
    ):
        band = next(b for b in model["bands"] if (b["method"], b["level"]) == ("likelihood", 0.95))
        assert band["own_level"] == pytest.approx(own, abs=1e-5)
        np.testing.assert_allclose(band["lower_at"], known.lower_at(places), atol=1e-5)
        np.testing.assert_allclose(band["upper_at"], known.upper_at(places), atol=1e-5)
        assert (model["auc"]["low"], model["auc"]["high"]) == pytest.approx((low, high), abs=1e-5)
        assert (model["n_pos"], model["n_neg"]) == (known.n_pos, known.n_neg)


def test_points_of_a_group_have_the_level_of_all_groups_together(groups: Any) -> None:
    _, payload = groups
    y, s, by = people()
    part = by == "b"
    point = next(p for p in payload["models"][1]["points"] if p["fpr"] == 0.1)
    alone = rb.operating_points(y[part], s[part], fpr=0.1, level=0.95 ** (1 / 3))
    found = point["tpr"], point["low"], point["high"]
    known = alone.tpr[0], alone.tpr_lower[0], alone.tpr_upper[0]
    assert found == pytest.approx(known, abs=1e-5)
    wrong = rb.operating_points(y[part], s[part], fpr=0.1, level=0.95)
    assert wrong.tpr_lower[0] > point["low"] + 0.005


def test_differences_of_groups_are_counted_and_limited(groups: Any) -> None:
    _, payload = groups
    y, s, by = people()
    found = payload["groups"]
    assert (found["threshold"], found["at_fpr"], found["against"]) == (0.8, None, "pairs")
    called = s >= 0.8

    def rates(group: str) -> dict[str, tuple[int, int]]:
        mine = by == group
        sets = {"tpr": mine & y, "fpr": mine & ~y, "ppv": mine & called, "selection_rate": mine}
        hits = {"ppv": called & y}
        return {
            name: (int((rows & hits.get(name, called)).sum()), int(rows.sum()))
            for name, rows in sets.items()
        }

    for cell in found["rates"]:
        hits, size = rates(cell["group"])[cell["quantity"]]
        assert cell["estimate"] == pytest.approx(hits / size, abs=1e-5)
        # Clopper and Pearson: the limits are where the tails of the counts have half the error.
        tail = (1 - 0.95 ** (1 / 3)) / 2
        assert binom.sf(hits - 1, size, cell["low"]) == pytest.approx(tail, rel=0.01)
        assert binom.cdf(hits, size, cell["high"]) == pytest.approx(tail, rel=0.01)
    pairs = list(combinations("abc", 2))
    for cell in found["differences"]:
        assert (cell["first"], cell["second"]) in pairs
        if cell["quantity"] != "auc":
            one, two = (rates(cell[side])[cell["quantity"]] for side in ("first", "second"))
            gap = one[0] / one[1] - two[0] / two[1]
            assert cell["difference"] == pytest.approx(gap, abs=1e-5)
        assert cell["low"] <= cell["difference"] <= cell["high"]
    assert [cell["quantity"] for cell in found["differences"][::3]] == [
        *("auc", "tpr", "fpr", "ppv", "selection_rate")
    ]
    areas = [cell for cell in found["differences"] if cell["quantity"] == "auc"]
    for pair, cell in zip(payload["comparison"]["pairs"], areas, strict=True):
        assert [pair[key] for key in ("difference", "low", "high")] == [
            cell[key] for key in ("difference", "low", "high")
        ]


def test_what_is_said_of_two_groups(groups: Any) -> None:
    _, payload = groups
    first, second, third = (pair["sentence"] for pair in payload["comparison"]["pairs"])
    assert first.startswith("The AUC is higher for a than for b by ")
    assert "More positives of a are found at " in first
    assert second.startswith("The AUC is higher for a than for c by ")
    assert third.endswith("which may be chance.")
    largest = max(payload["comparison"]["pairs"], key=lambda pair: abs(pair["difference"]))
    assert largest["sentence"] in payload["statistics"]  # its limits exclude 0


def test_rows_of_the_page_are_in_the_order_of_the_first_sentence(groups: Any) -> None:
    result, payload = groups
    rows, folded = _part_differences(payload)
    assert folded == []
    assert [row[0] for row in rows] == [" minus ".join(g.groups) for g in result.gaps.rank("tpr")]
    pairs = [(pair["first"], pair["second"]) for pair in _rank_pairs(payload)]
    assert pairs == [gap.groups for gap in result.gaps.rank("auc")]
    one, two = result.gaps.rank("tpr")[0].groups
    assert f"among {one} and " in payload["headline"][0]
    assert f"among {two}: " in payload["headline"][0]
    assert payload["groups"]["threshold_text"] == "0.8"


def test_without_a_threshold_the_page_says_how_it_was_chosen(
    against_rest: rb.results.Report,
) -> None:
    found, (y, s, _) = against_rest, people()
    groups = found.payload["groups"]
    cut = min(t for t in s if np.mean(s[~y] >= t) <= 0.1)
    assert (groups["threshold"], groups["at_fpr"]) == (pytest.approx(cut), 0.1)
    assert "chosen on these rows for at most 10 false alarms in 100" in found.sentence
    assert {pair["second"] for pair in found.payload["comparison"]["pairs"]} == {"the rest"}
    page = found.to_html()
    assert "No threshold was given" in page
    assert "b minus the rest" in page


def test_classes_have_averages_and_no_comparison(classes: Any) -> None:
    result, payload = classes
    assert payload["kind"] == "class"
    assert payload["headline"][0] == result.sentence
    macro, hand_till = payload["averages"]
    known = [result.macro_auc.estimate, result.macro_auc.low, result.macro_auc.high]
    assert [macro[key] for key in ("estimate", "low", "high")] == pytest.approx(known, abs=1e-5)
    areas = [model["auc"]["estimate"] for model in payload["models"]]
    assert macro["estimate"] == pytest.approx(np.mean(areas), abs=1e-5)
    assert hand_till["estimate"] == pytest.approx(result.hand_till_auc.estimate, abs=1e-5)
    y, scores = animals()
    called = scores.argmax(axis=1)
    names = payload["class_confusion"]["names"]
    matrix = [[int(np.sum((y == name) & (called == k))) for k in range(5)] for name in names]
    assert payload["class_confusion"]["counts"] == matrix
    assert payload["confusion"] == []
    assert payload["comparison"] is None
    assert {"comparison", "cost"} <= {part["section"] for part in payload["omitted"]}
    assert payload["data"]["n"] == 300
    assert payload["data"]["n_pos"] is None
    # Shown in detail are the best and the worst class.
    assert payload["focus"] == [payload["ranking"][0], payload["ranking"][-1]]
    assert areas[[m["name"] for m in payload["models"]].index(payload["focus"][1])] == min(areas)


def test_equal_largest_scores_are_not_counted_as_called() -> None:
    y = ["cat", "dog", "owl"] * 20
    scores = np.tile(np.eye(3), (20, 1))
    scores[0] = [1.0, 1.0, 0.0]
    found = rb.class_bands(y, scores)
    assert found.confusion == ((19, 0, 0), (0, 20, 0), (0, 0, 20))
    payload = checked(rb.report(found, path=None))
    assert payload["class_confusion"]["tied"] == 1
    page = render(payload).split('<script type="application/json"')[0]
    assert "1 case in which several classes have the largest score" in " ".join(page.split())
    assert "called <span" in page


def test_pairs_of_classes_are_reported_too() -> None:
    y, scores = animals()
    keep = np.isin(y, ["cat", "dog", "owl"])
    found = rb.class_bands(y[keep], scores[keep][:, [0, 1, 4]], multi_class="ovo")
    payload = checked(rb.report(found, path=None))
    assert len(payload["models"]) == 6
    assert payload["models"][0]["name"] == "cat against dog"
    assert payload["data"]["n"] == keep.sum()


@pytest.mark.parametrize("which", ["groups", "classes"])
def test_the_page_speaks_of_groups_or_classes(which: str, request: pytest.FixtureRequest) -> None:
    _, payload = request.getfixturevalue(which)
    page = render(payload).split('<script type="application/json"')[0]
    noun = {"groups": "group", "classes": "class"}[which]
    body = page[page.index("<body>") : page.index('<section id="methods"')]
    assert f'<th scope="col">{noun.capitalize()}</th>' in body
    assert f"confidence 95% for all {which} together" in body
    for word in ("Model<", "Models", "models"):
        assert word not in body.partition('<li id="reference-1"')[0], word
    assert body.count(f"Limits of each kind hold for all {len(payload['models'])} {which}") == 1
    assert f"Cases of each {noun}" in body


def test_small_groups_are_named() -> None:
    y, s, by = people(90)
    with pytest.warns(UserWarning, match="Fewer than 30"):
        found = rb.subgroups(y, s, by=by)
    payload = rb.report(found, path=None).payload
    assert payload["headline"][0].endswith("c (3 positives, 12 negatives) are too small to tell.")
    assert sum("Fewer than 30" in said for said in payload["trust"]["sentences"]) == 1
    assert "Fewer than" not in " ".join(payload["headline"])


def test_groups_of_reversed_scores_are_asked_about() -> None:
    y, s, by = people()
    payload = rb.report(rb.subgroups(y, np.where(by == "b", -s, s), by=by), path=None).payload
    assert any(said.startswith("b ranks positives below") for said in payload["headline"])


def test_the_same_rows_and_seed_give_the_same_report() -> None:
    y, s, by = people()
    s = np.round(s, 1)  # ties: bands draw resamples
    one, two = (rb.report(rb.subgroups(y, s, by=by), path=None).payload for _ in range(2))
    assert json.dumps(one) == json.dumps(two)


def test_the_level_is_that_of_the_result(against_rest: rb.results.Report) -> None:
    payload = against_rest.payload
    assert payload["level"] == 0.9
    assert payload["comparison"]["level"] == 0.9


@pytest.mark.parametrize(
    ("ask", "remedy"),
    [
        (lambda y, s: rb.report(y, [s, s]), "several models by name: {'model a': scores"),
        (lambda y, s: rb.report(y, [list(s), list(s)]), "several models by name"),
        (lambda y, s: rb.report(y, np.c_[s, s, s]), "several models by name"),
        (lambda y, s: rb.report(y, np.c_[s, 1 - s]), "the positive class's column"),
        (
            lambda y, s: rb.report(np.arange(y.size) % 5, np.c_[s, s, s, s, s]),
            "rb.Sample.of_classes(y_true, y_score)",
        ),
    ],
)
def test_unnamed_columns_are_refused_with_a_remedy(ask: Any, remedy: str) -> None:
    y, s, _ = people()
    with pytest.raises(rb.InputError, match="y_score") as refused:
        ask(y, s)
    assert remedy in str(refused.value)


def test_settings_that_would_be_ignored_are_refused(groups: Any) -> None:
    result, _ = groups
    with pytest.raises(rb.InputError, match=r"must be that of the result of subgroups, 0\.95"):
        rb.report(result, path=None, level=0.9)
    with pytest.raises(rb.InputError, match="Costs are for models"):
        rb.report(result, path=None, costs=(2, 1))


def test_counts_by_a_column_are_groups() -> None:
    y, s, by = people()
    counts = rb.ScoreCounts.from_arrays(y, {"m": s}, by=by, exact=True)
    one = rb.report(rb.subgroups(counts), path=None).payload
    two = rb.report(rb.subgroups(Sample(y, s, keep={"g": by}), by="g"), path=None).payload
    assert [m["auc"] for m in one["models"]] == [m["auc"] for m in two["models"]]
    assert one["groups"]["differences"] == two["groups"]["differences"]


def test_a_page_on_groups_names_the_model_and_the_positive_label() -> None:
    y, s, by = people()
    labels = np.where(y, "ill", "well")
    sample = rb.Sample(labels, {"crp": s}, positive="ill", keep={"region": by})
    found = rb.report(rb.subgroups(sample["crp"], by="region", threshold=0.8, rng=1), path=None)
    assert found.payload["title"] == "ROC report of crp by group: a, b, c"
    assert found.sentence.startswith("At threshold 0.8 crp finds ")
    size = f"scored by crp: {y.sum()} ill cases and {(~y).sum()} well ones."
    assert found.headline[1].endswith(size)
    page = found.to_html()
    assert "Threshold: 0.8." in page
    assert "Threshold: threshold" not in page
