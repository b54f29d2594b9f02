"""The 2014 paper's studies: what is measured is what they say, and the prototype agrees."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from rocbands.plot import draw
from rocbands.rates import Exact, Parametric, RateMethod
from rocbands_studies import Pair, Study, run
from rocbands_studies.catalog import find_study, list_studies
from rocbands_studies.papers.millard_2014.bounds import _ENDS, _RATES, CELLS, METHODS, SHOWN
from rocbands_studies.papers.millard_2014.designs import (
    BASE,
    NARROW,
    OTHERS,
    UNBALANCED,
    Design,
    FittedCurve,
    OneTable,
    TableCounts,
    TrueCurveAtRates,
)
from rocbands_studies.papers.millard_2014.other_approaches import draw_score_first
from rocbands_studies.papers.paper import PaperResult
from rocbands_studies.populations import Normal
from rocbands_studies.streams import Streams
from studies.tests.papers.golden_numbers import golden

KNOWN = golden("millard_2014")

NAMES = [
    name for name in [study.name for study in list_studies()] if name.startswith("millard-2014")
]
SMALL = Design("small", Pair(Normal(0.0, 1.0), Normal(-1.0, 1.0)), 3, 2, 2)


def judged(name: str, replicates: int) -> PaperResult:
    study = find_study(name)
    plan = replace(study.plan("quick", 3, None), replicates=replicates, block=replicates)
    return study.judge(run(plan, workers=1), "quick")


def streams(cell: FittedCurve | TrueCurveAtRates, replicate: int = 0) -> Streams:
    return Streams(1, cell.source_key, cell.key, replicate)


# The law of a table


def test_law_of_a_table_is_that_of_every_outcome_of_its_folds() -> None:
    pmf = np.array([[0.2, 0.5, 0.3], [0.0, 0.0, 1.0]])
    law = TableCounts.of_folds(pmf, folds=3)
    totals = np.zeros((2, 7))
    for first in range(3):
        for second in range(3):
            for third in range(3):
                ways = pmf[:, first] * pmf[:, second] * pmf[:, third]
                totals[:, first + second + third] += ways
    for low in range(7):
        for high in range(low, 7):
            inside = law.inside(np.full(2, low - 0.3), np.full(2, high + 0.3))
            np.testing.assert_allclose(inside, totals[:, low : high + 1].sum(axis=1), atol=1e-14)


@pytest.mark.parametrize(
    ("lower", "upper", "expected"),
    [(1.0, 1.0, 0.5), (0.2, 0.8, 0.0), (-3.0, 9.0, 1.0), (1.0 + 1e-12, 2.0, 0.75), (2.5, 3.0, 0.0)],
)
def test_limits_are_closed_and_may_leave_the_range(
    lower: float, upper: float, expected: float
) -> None:
    law = TableCounts.of_folds(np.array([[0.5, 0.5]]), folds=2)
    assert law.inside(np.array([lower]), np.array([upper]))[0] == pytest.approx(expected)


@pytest.mark.parametrize("method", [METHODS["baseline-normal"], METHODS["parametric"], Exact()])
def test_share_of_drawn_tables_is_the_probability(method: RateMethod) -> None:
    exact, drawn = FittedCurve(BASE, method), FittedCurve(BASE, method, new_tables=5_000)
    for replicate in range(2):
        chance, share = (
            np.array(cell.measure(streams(cell, replicate))["inside"]) for cell in (exact, drawn)
        )
        noise = np.sqrt(np.maximum(chance * (1.0 - chance), 1e-3) / 5_000)
        assert (np.abs(share - chance) < 4.5 * noise).all()


# The truth


def test_truth_of_a_small_design_is_that_of_drawn_tables() -> None:
    rng = np.random.default_rng(5)
    truth, times = SMALL.truth, 10_000
    tables = [SMALL.draw(rng).counts(SMALL.rates).sum(axis=0) for _ in range(times)]
    found = np.array(tables)
    recall = SMALL.folds * SMALL.n_pos
    np.testing.assert_allclose(found.mean(axis=0) / recall, truth.expected, atol=0.008)
    for low, high in ((0, 1), (2, 3), (4, 6)):
        share = ((found >= low) & (found <= high)).mean(axis=0)
        chance = truth.counts.inside(np.full(share.size, low), np.full(share.size, high))
        np.testing.assert_allclose(share, chance, atol=4.5 * 0.5 / math.sqrt(times))


@pytest.mark.parametrize("design", [BASE, NARROW, UNBALANCED, *OTHERS], ids=lambda one: one.name)
def test_recall_of_the_population_meets_its_rate(design: Design) -> None:
    prevalence = design.n_pos / design.size
    recall = design.truth.recall
    fpr = (design.rates - prevalence * recall) / (1.0 - prevalence)
    world = design.population.truth
    np.testing.assert_allclose(np.interp(fpr, world.x, world.y), recall, atol=1e-6)
    assert (np.abs(design.truth.expected - recall) < 0.05).all()
    assert design.rates[design.middle][[0, -1]] == pytest.approx([0.1, 0.9])


def test_expected_recall_nears_the_population_in_large_folds() -> None:
    small, large = (
        np.abs(one.truth.expected - one.truth.recall).max() for one in (BASE, OTHERS[3])
    )
    assert large < 0.2 * small


def test_too_narrow_limits_hold_less() -> None:
    cells = [TrueCurveAtRates(BASE, Parametric(), level) for level in (0.5, 0.95)]
    found = run(Study("control", tuple(cells), 40, 40), workers=1)
    for name in ("T1", "T2", "T3"):
        half, usual = (found.figure(cell, name) for cell in cells)
        assert half.high < 0.7
        assert usual.low > 0.8


# Figure 4 and the prototype


def test_golden_numbers_fit_what_is_measured() -> None:
    for key, row in KNOWN["fitted"].items():
        rates = {float(rate): value for rate, value in row.items()}
        assert set(rates) <= set(_RATES), key
        middle = [rates[rate] for rate in _RATES if rate in rates and 0.1 <= rate <= 0.9]
        if key in KNOWN["middle"] and len(middle) > 3:  # a few rates are not all, but close
            assert np.mean(middle) == pytest.approx(KNOWN["middle"][key], abs=0.005), key
    assert {"; ".join(key) for key in CELLS} == set(KNOWN["true"])
    assert {name for name, _ in CELLS} == {one.name for one in (BASE, NARROW, UNBALANCED, *OTHERS)}
    for key, row in KNOWN["ends"].items():
        design, method = key.split("; ")
        rates, methods = _ENDS[design]
        assert method in methods
        assert set(map(float, row)) == set(rates)


def test_true_coverage_is_that_of_another_program() -> None:
    """Limits without chance, within the noise of the tables that both drew."""
    for method in ("exact", "parametric, corrected"):
        cell = CELLS[BASE.name, method]
        found = run(Study("true", (cell,), 200, 200), workers=1)
        known = KNOWN["true"][f"{BASE.name}; {method}"]
        for name in ("T1", "T2", "T3"):
            assert found.figure(cell, name).value == pytest.approx(known[name], abs=0.03)


@pytest.mark.simulation
@pytest.mark.parametrize(
    ("method", "tests", "middle", "single"),
    [
        ("baseline-normal", 300, 0.01, 0.025),
        ("baseline-beta", 300, 0.01, 0.025),
        ("exact", 300, 0.002, 0.003),
        ("parametric", 40, 0.01, 0.005),
        ("discard", 8, 0.01, 0.01),
        ("adjust", 10, 0.01, 0.01),
    ],
)
def test_coverage_is_that_of_another_program(
    method: str, tests: int, middle: float, single: float
) -> None:
    cell = FittedCurve(BASE, METHODS[method])
    found = run(Study("figure 4", (cell,), tests, tests), workers=1)
    assert found.figure(cell, "middle").value == pytest.approx(
        KNOWN["middle"][f"{BASE.name}; {method}"], abs=middle
    )
    along = dict(zip(cell.points, found.along(cell, "inside"), strict=True))
    for at, value in KNOWN["fitted"][f"{BASE.name}; {method}"].items():
        rate, ours = float(at), along[float(at)]
        within = single
        if method == "parametric" and not 0.1 < rate < 0.9:
            # At the ends the paper's limits hold anything between .3 and 1: noise decides there.
            own = (ours.high - ours.low) / (2.0 * 1.960)
            within = 2.576 * own * math.sqrt(1.0 + tests / 300) + 0.0005
        assert abs(ours.value - value) < within, rate


def test_letters_are_the_figures() -> None:
    letters = {one.letter: (one.method, one.design) for one in SHOWN if one.letter}
    assert list(letters) == list("abcdef")
    assert letters["c"][0] == "parametric"
    assert letters["f"] == ("discard", NARROW)


# The studies


@pytest.mark.parametrize("scale", ["quick", "full"])
@pytest.mark.parametrize("name", NAMES)
def test_plans_build(name: str, scale: str) -> None:
    plan = find_study(name).plan(scale, 1, None)
    assert plan.name == name
    assert all(len(cell.key) == 16 for cell in plan.cells)


def test_full_figure_4_has_three_hundred_tests() -> None:
    plan = find_study("millard-2014-figure4").plan("full", 1, None)
    assert max(block.stop for _, block in plan.blocks()) == 300


def test_figure_4_is_judged() -> None:
    found = judged("millard-2014-figure4", 3)
    verdicts = {claim.text: claim.verdict for claim in found.claims}
    assert verdicts["The baselines' results are highly variable."] == "reproduced"
    assert len(draw(found).figure.axes) == 3  # one for each design
    assert all(row.verdict == "cannot be compared" for row in found.rows)
    assert "4f" in {row.where.get("figure") for row in found.rows}


def test_true_curve_is_judged() -> None:
    found = judged("millard-2014-true-curve", 2)
    held = {row.where["held"] for row in found.rows}
    assert held == {"true curve", "mean of tables", "new tables", "(width)"}
    widths = [row for row in found.rows if row.where["held"] == "(width)"]
    for row in widths:
        known = KNOWN["true"][f"{row.where['design']}; {row.where['method']}"]["width"]
        assert row.ours.value == pytest.approx(known, abs=0.03)


def test_figure_5_is_drawn_and_judged() -> None:
    found = judged("millard-2014-figure5", 2)
    assert [claim.verdict for claim in found.claims] == ["reproduced", "reproduced"]
    assert len(draw(found).get_lines()) == 2


def test_swapping_moves_what_is_not_mirrored() -> None:
    cell = OneTable(UNBALANCED, METHODS["parametric"])
    exact = OneTable(UNBALANCED, Parametric())
    moved, still = (
        float(one.measure(Streams(1, one.source_key, one.key, 0))["swapped"])  # type: ignore[arg-type]
        for one in (cell, exact)
    )
    assert still < 1e-8
    assert moved > 1e-4


def test_score_first_rankings_are_those_of_labels_drawn_first() -> None:
    """Drawing the label first and then its score gives the same pairs."""
    rng, count = np.random.default_rng(1), 20_000
    found = draw_score_first(UNBALANCED, count, rng)
    assert found.shape == (count, UNBALANCED.size)
    label = rng.random(found.shape) < UNBALANCED.n_pos / UNBALANCED.size
    score = np.where(label, rng.normal(0, 1, label.shape), rng.normal(-1, 1, label.shape))
    known = np.take_along_axis(label, np.argsort(-score, axis=1), axis=1)
    for places in (1, 5, 20, 50):
        one, other = (rows[:, :places].sum(axis=1) for rows in (found, known))
        error = np.hypot(one.std(), other.std()) / np.sqrt(count)
        assert abs(one.mean() - other.mean()) < 4.5 * error
        assert one.std() == pytest.approx(other.std(), rel=0.03)


def test_other_approaches_are_measured_and_judged() -> None:
    found = judged("millard-2014-other-approaches", 4)
    assert [claim.verdict for claim in found.claims[:3]] == ["reproduced"] * 3
    moved, outside, pushed = (row.ours.value for row in found.rows[:3])
    assert 0.05 < moved < 0.5
    assert 0.3 < outside < 1.0
    assert 0.1 < pushed < 0.6
