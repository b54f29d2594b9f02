"""The numbers of a report are those of the library."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import rankdata

import rocbands as rb
from rocbands.cost.thresholds import split_rows
from rocbands.reporting.sections import build_scores_section
from tests.reporting.conftest import checked, payload_of

ROOT = Path(__file__).parents[2]
DIGITS = 5.1e-6  # relative: numbers have six digits


def near(value: Any, *, off: float = 1e-9) -> Any:
    return pytest.approx(value, rel=DIGITS, abs=off)


def rows(name: str) -> tuple[np.ndarray, np.ndarray]:
    sample = rb.load_example()
    return sample.is_positive, sample[name].values


def model(payload: dict[str, Any], name: str) -> dict[str, Any]:
    return next(model for model in payload["models"] if model["name"] == name)


@pytest.mark.parametrize("name", ["logistic", "neighbours"])
def test_areas_points_and_rates(example: dict[str, Any], name: str) -> None:
    found, (y, score) = model(example, name), rows(name)
    auc = rb.auc_interval(y, score)
    assert [found["auc"][key] for key in ("estimate", "low", "high")] == near(
        [auc.estimate, auc.low, auc.high]
    )
    *points, best = found["points"]
    assert [point["fpr"] for point in points] == [0.005, 0.01, 0.05, 0.1, 0.2]
    at = rb.operating_points(y, score, fpr=[point["fpr"] for point in points], rng=1)
    for key, column in (("tpr", at.tpr), ("low", at.tpr_lower), ("high", at.tpr_upper)):
        assert [point[key] for point in points] == near(column.tolist())
    assert [point["threshold"] for point in points] == at.threshold.tolist()
    youden = rb.operating_points(y, score, best="youden")
    assert (best["best"], best["threshold"]) == ("youden", youden.threshold[0])
    assert [best["fpr_low"], best["fpr"], best["fpr_high"]] == near(
        [youden.fpr_lower[0], youden.fpr[0], youden.fpr_upper[0]]
    )
    bounds = rb.rate_bounds(y, score, rate=[0.05, 0.5])
    for rate, *limits in zip(
        bounds.rate, bounds.tpr, bounds.tpr_lower, bounds.tpr_upper, strict=True
    ):
        i = found["rates"]["rate"].index(rate)
        assert [found["rates"][key][i] for key in ("tpr", "lower", "upper")] == near(limits)
    bounds = rb.rate_bounds(y, score)
    assert found["rates"]["sentence"] == bounds.sentence_at(0.2)


@pytest.mark.filterwarnings("ignore:The scores do not look binormal")
@pytest.mark.parametrize("name", ["logistic", "neighbours"])
def test_bands(example: dict[str, Any], name: str) -> None:
    found, (y, score) = model(example, name), rows(name)
    asked = [(band["method"], band["target"], band["level"]) for band in found["bands"]]
    assert asked == [
        (method, target, level)
        for method in ("likelihood", "fixed-width", "joint-region")
        for target in ("true", "future")
        for level in (0.8, 0.9, 0.95, 0.99)
    ]
    x = np.linspace(0.0, 1.0, 301)[1:-1] + 1e-4
    for drawn in found["bands"]:
        if drawn["level"] not in (0.9, 0.95):
            continue
        sizes = (212, 357) if drawn["target"] == "future" else None
        band = rb.roc_band(
            y, score, method=drawn["method"], level=drawn["level"], future=sizes, rng=1
        )
        assert drawn["future"] == (None if sizes is None else [*sizes])
        assert drawn["area"] == near(band.area, off=2e-3)
        assert drawn["coverage"] == band.coverage
        assert drawn["guarantee"] == band.method.guarantee
        for key, edge in (("lower", band.lower), ("upper", band.upper)):
            # Somewhere within the tolerance to either side the edge is as high as it was drawn.
            high = edge.high(np.minimum(x + 0.003, 1.0)) + 0.003
            low = edge.low(np.maximum(x - 0.003, 0.0)) - 0.003
            seen = np.interp(x, drawn["fpr"], drawn[key])
            assert (seen <= high).all(), (drawn["method"], key)
            assert (seen >= low).all(), (drawn["method"], key)


@pytest.mark.filterwarnings("ignore:The scores do not look binormal")
@pytest.mark.parametrize("name", ["logistic", "neighbours"])
def test_what_is_read_is_not_what_was_drawn(example: dict[str, Any], name: str) -> None:
    """Drawn lines may be off by a hair, which at a step is a lot; what is read may not."""
    found, (y, score) = model(example, name), rows(name)
    x = np.array(example["places"])
    assert {0, 1, 0.00001, 0.0025, 0.005, 0.1, 0.995} <= set(x.tolist())
    for drawn in found["bands"]:
        if drawn["level"] != 0.95:
            continue
        sizes = (212, 357) if drawn["target"] == "future" else None
        band = rb.roc_band(y, score, method=drawn["method"], level=0.95, future=sizes, rng=1)
        assert drawn["lower_at"] == near(band.lower_at(x).tolist(), off=1e-8), drawn["method"]
        assert drawn["upper_at"] == near(band.upper_at(x).tolist(), off=1e-8), drawn["method"]
    fpr, tpr, cuts = (found["roc"][key] for key in ("fpr", "tpr_at", "threshold_at"))
    assert fpr[0] == 0
    scores = np.append(np.unique(score), np.inf)
    alarms, finds = ((score[part] >= scores[:, None]).mean(axis=1) for part in (~y, y))
    for place, height, cut in zip(x, tpr, cuts, strict=True):
        most = finds[alarms <= place + 1e-12].max()
        assert float(cut) == scores[finds >= most].max()
        assert most - 1e-6 <= height <= finds[alarms > place].min(initial=1.0) + 1e-6


def test_a_wider_level_gives_a_wider_band(example: dict[str, Any]) -> None:
    for found in example["models"]:
        areas: dict[tuple[str, str], list[float]] = {}
        for band in found["bands"]:
            areas.setdefault((band["method"], band["target"]), []).append(band["area"])
        assert all(sizes == sorted(sizes) and sizes[0] < sizes[-1] for sizes in areas.values())
        for method in ("likelihood", "fixed-width", "joint-region"):
            pairs = zip(areas[method, "true"], areas[method, "future"], strict=True)
            assert all(true < future for true, future in pairs)


def test_the_curve_has_its_thresholds(example: dict[str, Any]) -> None:
    for name in ("logistic", "neighbours"):
        found, (y, score) = model(example, name)["roc"], rows(name)
        assert found["threshold"][0] == "inf"
        roc = rb.roc_curve(y, score)
        corners = set(zip(roc.fpr.round(6), roc.tpr.round(6), strict=True))
        met = 0
        for fpr, tpr, cut in zip(*(found[k][1:] for k in ("fpr", "tpr", "threshold")), strict=True):
            called = score >= cut
            if (round(fpr, 6), round(tpr, 6)) in corners:
                met += 1
                assert called[~y].mean() == near(fpr)
                assert called[y].mean() == near(tpr)
            else:  # inside the piece of this score
                assert (score[~y] > cut).mean() - 1e-6 <= fpr <= called[~y].mean() + 1e-6
        assert met >= min(roc.fp.size - 4, 100)


def test_costs(example: dict[str, Any]) -> None:
    for name in ("logistic", "neighbours"):
        found, (y, score) = model(example, name)["cost"], rows(name)
        fpr, tpr = (np.array(found["hull"][key]) for key in ("fpr", "tpr"))
        w = np.array([0.1, 0.5, 0.77])
        by_hull = (w[:, None] * (1 - tpr) + (1 - w[:, None]) * fpr).min(axis=1)
        assert by_hull == near(rb.cost_curve(y, score).at(w), off=1e-6)
        for corner, cut in enumerate(found["hull"]["threshold"][1:], 1):
            assert (score[y] >= cut).mean() == near(tpr[corner])
            assert (score[~y] >= cut).mean() == near(fpr[corner])
        assert set(found["w"]) >= {k / 100 for k in range(1, 100)}
        assert (np.array(found["lower"]) <= found["cost"]).all()
        assert (np.array(found["upper"]) >= found["cost"]).all()
        assert "chose" in found["how"]


@pytest.mark.parametrize("name", ["logistic", "neighbours"])
def test_judged_costs_are_those_of_a_random_half(example: dict[str, Any], name: str) -> None:
    found = model(example, name)["cost"]
    chosen, judged = (half[name] for half in split_rows(rb.load_example(), 1))
    cuts = [float(cut) for cut in found["threshold"]]  # since w was rounded
    own = rb.cost_interval(judged, thresholds=cuts, w=found["w"])
    for key, column in (("cost", own.cost), ("lower", own.lower), ("upper", own.upper)):
        assert found[key] == near(column.tolist(), off=1e-5)
    some = rb.cost_thresholds(chosen, w=[0.1, 0.5, 0.9]).thresholds
    assert [cuts[found["w"].index(w)] for w in (0.1, 0.5, 0.9)] == some.tolist()


def test_the_judged_half_is_not_the_one_that_chose() -> None:
    """With scores that say nothing, honest costs are those of chance; the hull looks better."""
    rng = np.random.default_rng(5)
    y, score = rng.random(400) < 0.5, rng.normal(size=400)
    cost = payload_of(y, {"noise": score})["models"][0]["cost"]
    middle = cost["w"].index(0.5)
    fpr, tpr = (np.array(cost["hull"][key]) for key in ("fpr", "tpr"))
    assert (0.5 * (1 - tpr) + 0.5 * fpr).min() < 0.5 - 0.01
    assert cost["lower"][middle] < 0.5 < cost["upper"][middle]


def test_comparison_of_two(example: dict[str, Any]) -> None:
    sample = rb.load_example()
    (pair,) = example["comparison"]["pairs"]
    two = rb.compare_many(sample, rng=1).columns()
    gap = [two[name][0] for name in ("difference", "lower", "upper")]
    assert [pair["difference"], pair["low"], pair["high"]] == near(gap, off=1e-3)
    assert pair["pvalue"] == pair["adjusted_pvalue"] == near(two["pvalue"][0])
    band = rb.difference_band(sample, fpr=(0.02, 0.98), rng=1)
    assert pair["band"]["lower"] == near(band.lower.tolist(), off=1e-6)
    names = ("logistic", "neighbours")
    assert pair["better"] == [
        {"from": near(part.low), "to": near(part.high), "model": names[part.model - 1]}
        for part in band.better
        if (part.high - part.low) * band.n_neg >= 3
    ]
    assert example["comparison"]["joint"] is None
    assert "logistic is higher than that of neighbours" in example["statistics"][2]


def test_comparison_of_three_and_of_many() -> None:
    rng = np.random.default_rng(2)
    y = rng.random(120) < 0.4
    models = {f"m{k}": rng.normal(size=120) + 0.3 * k * y for k in range(7)}
    three = {name: models[name] for name in ("m0", "m3", "m6")}
    found = payload_of(y, three)["comparison"]
    many = rb.compare_many(rb.Sample(y, three), rng=1)
    assert found["joint"] == {
        "statistic": near(many.statistic),
        "df": many.df,
        "pvalue": near(many.pvalue),
    }
    assert [pair["low"] for pair in found["pairs"]] == near(many.lower.tolist())
    assert all(pair["band"] for pair in found["pairs"])
    payload = payload_of(y, models)
    pairs = payload["comparison"]["pairs"]
    assert len(pairs) == 21
    ranked = sorted(payload["models"], key=lambda m: -m["auc"]["estimate"])
    assert payload["ranking"] == [m["name"] for m in ranked]
    assert payload["focus"] == payload["ranking"][:2]
    for p in pairs:
        near_focus = {p["first"], p["second"]} & set(payload["focus"])
        assert bool(near_focus) == (p["band"] is not None)
    assert any(part["section"] == "comparison: bands" for part in payload["omitted"])
    for one in payload["models"]:
        methods = {band["method"] for band in one["bands"]}
        assert (len(methods) > 1) == (one["name"] in payload["focus"])
    assert any("Bands by all methods" in part["why"] for part in payload["omitted"])


def test_bands_of_several_pairs_hold_together() -> None:
    rng = np.random.default_rng(2)
    y = rng.random(120) < 0.4
    models = {name: rng.normal(size=120) + k * y for k, name in enumerate("abc")}
    for pair in payload_of(y, models)["comparison"]["pairs"]:
        alone = rb.difference_band(
            y, models[pair["first"]], models[pair["second"]], fpr=(0.05, 0.95), rng=1
        )
        assert pair["band"]["level"] == near(1 - 0.05 / 3)
        assert sum(pair["band"]["upper"]) > sum(alone.upper)
        assert "adjusted p" in pair["sentence"]


def test_the_seed_makes_the_same_report(example: dict[str, Any]) -> None:
    sample = rb.load_example()["logistic"]  # the other's scores are tied, which takes longer
    once = checked(rb.report(sample, path=None, rng=None))
    again = checked(rb.report(sample, path=None, rng=once["made"]["seed"]))
    assert again == once
    assert once["made"]["seed"] != example["made"]["seed"]
    assert once["models"][0]["cost"] != model(example, "logistic")["cost"]


def test_shares_of_the_scores(example: dict[str, Any]) -> None:
    y, score = rows("logistic")
    found = model(example, "logistic")["scores"]
    assert found["scale"] == "linear"
    counts = np.histogram(score[y], np.linspace(score.min(), score.max(), 41))[0]
    assert found["positives"] == near((counts / y.sum()).tolist())
    assert sum(found["negatives"]) == near(1.0)


@pytest.mark.parametrize("scale", ["linear", "rank"])
@pytest.mark.parametrize("decimals", [1, 9])
def test_shares_of_many_scores(scale: str, decimals: int) -> None:
    rng = np.random.default_rng(8)
    y = rng.random(20_000) < 0.2
    score = np.round(rng.normal(size=y.size) + y, decimals)
    if scale == "rank":
        score = np.sign(score) * np.abs(score) ** 5
    found = build_scores_section(rb.roc_curve(y, score))
    place, edges = score, np.linspace(score.min(), score.max(), 41)
    if scale == "rank":
        place, edges = (rankdata(score) - 0.5) / y.size, np.linspace(0, 1, 41)
        below = np.sort(score)[np.maximum(np.ceil(edges * y.size).astype(int) - 1, 0)]
        assert found["at"] == below.tolist()
    assert (found["scale"], found["edges"]) == (scale, near(edges.tolist()))
    for side, own in (("positives", y), ("negatives", ~y)):
        assert found[side] == near((np.histogram(place[own], edges)[0] / own.sum()).tolist())


def test_the_closest_study_comes_first() -> None:
    """The page quotes the first row of a method, target and level."""
    rng = np.random.default_rng(1)
    y = np.arange(5000) < 100
    trust = payload_of(y, {"m": rng.normal(size=5000) + y})["trust"]
    for level in (0.9, 0.95, 0.99):
        own = [row for row in trust["measured"] if row["level"] == level]
        first = next(row for row in own if row["method"] == "likelihood")
        assert (first["n_pos"], first["n_neg"], first["target"]) == (100, 4900, "true")
    # The other bands were never measured with so few positives among so many rows.
    (far,) = [said for said in trust["sentences"] if "not measured at sizes like these" in said]
    assert "fixed-width" in far
    assert "likelihood" not in far
