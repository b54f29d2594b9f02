"""The 2009 paper's studies: exact coverage against plain loops, and verdicts that can fail."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import comb, log, sqrt
from statistics import NormalDist
from typing import Any, Literal

import numpy as np
import pytest
from scipy.stats import binom
from scipy.stats import t as student

from rocbands_studies import Study, run
from rocbands_studies.catalog import find_study, list_studies
from rocbands_studies.measurements import Cell
from rocbands_studies.papers.dugas_2009 import STUDIES
from rocbands_studies.papers.dugas_2009.experiments import FIGURES, Along, floor_claim, make_rows
from rocbands_studies.papers.dugas_2009.measurements import (
    CONDITIONS,
    ChosenThresholds,
    Enumerated,
    EnumeratedInside,
    Model,
    OneModel,
    Pair,
    Regions,
    TwoModels,
    check_held,
)
from rocbands_studies.papers.dugas_2009.sections import (
    ClassShare,
    Empirical,
    Growth,
    ResampledCoverage,
)
from rocbands_studies.papers.paper import PaperStudy
from rocbands_studies.populations import FixedClasses, RandomClasses
from rocbands_studies.results import CellResult, Figure, StudyResult
from rocbands_studies.streams import Streams
from studies.tests.papers.golden_numbers import golden

Z = NormalDist().inv_cdf(0.95)
BY_NAME = {study.name: study for study in STUDIES}


def coverage(cell: Enumerated) -> list[float]:
    found: Any = cell.measure(Streams(1, "0", "0", 0))["holds at"]
    return list(found)


@pytest.mark.parametrize("scale", ["quick", "full"])
@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
def test_every_plan_builds_and_is_found_by_name(study: PaperStudy, scale: Any) -> None:
    plan = study.plan(scale, 1, None)
    assert plan.name == study.name
    assert study.name in [study.name for study in list_studies()]
    assert find_study(study.name) is study
    assert len({cell.key for cell in plan.cells}) == len(plan.cells)


def test_methods_see_the_same_test_sets() -> None:
    models, classes = TwoModels(1.0, 2.0, 0.6), FixedClasses(20, 20)
    sources = {Pair(models, classes, method).source_key for method in ("gaussian", "mover")}
    sources |= {Pair(models, classes, "gaussian", "full").source_key}
    assert len(sources) == 1
    assert len({OneModel(3.0, classes, method).source_key for method in ("gaussian", "mover")}) == 1


def test_thresholds_are_the_best_there_are() -> None:
    model, w = Model(5.0, -1.0), np.array([0.02, 0.3, 0.9])
    best = model.thresholds(w)
    for step in (-0.01, 0.01):
        assert (model.cost(w, best + step) > model.cost(w, best)).all()


def test_scores_have_the_means_and_correlation_that_were_asked_for() -> None:
    y, one, two = TwoModels(1.0, 2.0, 0.6).draw(np.random.default_rng(1), FixedClasses(9000, 9000))
    for own, mean_1, mean_2 in ((y, 1.0, 3.0), (~y, -1.0, -1.0)):
        assert one[own].mean() == pytest.approx(mean_1, abs=0.15)
        assert two[own].mean() == pytest.approx(mean_2, abs=0.15)
        assert one[own].std() == pytest.approx(3.0, abs=0.1)
        assert np.corrcoef(one[own], two[own])[0, 1] == pytest.approx(0.6, abs=0.03)


def test_a_point_is_a_miss_even_where_it_is_right() -> None:
    low, high, truth = (np.array(x) for x in ([0.0, 0.0, 0.1], [0.0, 0.2, 0.2], [0.0, 0.1, 0.3]))
    assert check_held(low, high, truth).tolist() == [0.0, 1.0, 0.0]


# Exact coverage, by plain loops over all outcomes


def wilson(count: int, size: int) -> tuple[float, float]:
    p, z2 = count / size, Z**2 / size
    half = sqrt(z2 * (p * (1 - p) + z2 / 4))
    return (p + z2 / 2 - half) / (1 + z2), (p + z2 / 2 + half) / (1 + z2)


def stratified_limits(method: str, fn: int, fp: int, m: int, k: int, w: float) -> list[float]:
    cost, below, above = w * fn / m + (1 - w) * fp / k, 0.0, 0.0
    for weight, count, size in ((w, fn, m), (1 - w, fp, k)):
        rate = count / size
        if method == "gaussian":
            distances = [Z * sqrt(rate * (1 - rate) / size)] * 2
        else:
            low, high = wilson(count, size)
            distances = [rate - low, high - rate]
        below, above = below + (weight * distances[0]) ** 2, above + (weight * distances[1]) ** 2
    return [cost - sqrt(below), cost + sqrt(above)]


def binomial(count: int, size: int, share: float) -> float:
    return comb(size, count) * share**count * (1 - share) ** (size - count)


@pytest.mark.parametrize("method", ["gaussian", "mover"])
@pytest.mark.parametrize("w", [0.03, 0.4])
def test_stratified_coverage_is_a_sum_over_all_outcomes(method: str, w: float) -> None:
    m, k, model = 7, 5, Model(2.0, -2.0)
    (fnr,), (fpr,) = model.rates(model.thresholds(np.array([w])))
    truth, expected = w * fnr + (1 - w) * fpr, 0.0
    for fn in range(m + 1):
        for fp in range(k + 1):
            low, high = stratified_limits(method, fn, fp, m, k, w)
            if low < high and low <= truth <= high:
                expected += binomial(fn, m, fnr) * binomial(fp, k, fpr)
    found = coverage(Enumerated(2.0, FixedClasses(m, k), method, w=(w,)))
    assert found == pytest.approx([expected], abs=1e-8)


@pytest.mark.parametrize("w", [0.1, 0.5])
def test_full_coverage_sums_over_class_sizes_too(w: float) -> None:
    n, model = 9, Model(1.5, -1.5)
    (fnr,), (fpr,) = model.rates(model.thresholds(np.array([w])))
    most = max(w, 1 - w)
    truth, expected = (w * fnr / 2 + (1 - w) * fpr / 2) / most, 0.0
    for n_pos in range(n + 1):
        for fn in range(n_pos + 1):
            for fp in range(n - n_pos + 1):
                mean = (w * fn + (1 - w) * fp) / (n * most)
                second = (w**2 * fn + (1 - w) ** 2 * fp) / (n * most**2)
                half = Z * sqrt(max(second - mean**2, 0.0) / n)
                if half > 1e-9 and abs(mean - truth) <= half:
                    expected += (
                        binomial(n_pos, n, 0.5)
                        * binomial(fn, n_pos, fnr)
                        * binomial(fp, n - n_pos, fpr)
                    )
    found = coverage(Enumerated(1.5, RandomClasses(n), "gaussian", "full", w=(w,)))
    assert found == pytest.approx([expected], abs=1e-8)


def test_stratified_limits_are_not_enumerated_over_random_class_sizes() -> None:
    with pytest.raises(ValueError, match="fixed"):
        Enumerated(1.5, RandomClasses(9), "gaussian")


@pytest.mark.parametrize(("theta", "size"), [(5.0, 1000), (1.5, 1000), (3.0, 25), (3.0, 250)])
def test_enumerated_coverage_is_that_of_another_program(theta: float, size: int) -> None:
    found = coverage(Enumerated(theta, FixedClasses(size, size), "gaussian"))
    along = Along(CONDITIONS, tuple(Figure(value, value, value, 1) for value in found))
    known = golden("dugas_2009")["single_gaussian"][f"{theta}; {size}"]
    rows = {
        f"{one['what']} at w = {one['w']:g}" if "w" in one else str(one["what"]): row.ours.value
        for row in make_rows({}, along)
        if (one := row.where)
    }
    assert rows == pytest.approx(known, abs=0.00051)


@pytest.mark.parametrize("theta", [1.5, 5.0])  # measured coverage looks at others
def test_mover_never_covers_less_than_it_may(theta: float) -> None:
    fixed, random = FixedClasses(1000, 1000), RandomClasses(2000)
    assert min(coverage(Enumerated(theta, fixed, "mover"))) >= 0.86
    assert min(coverage(Enumerated(theta, random, "mover", "full"))) >= 0.86
    assert min(coverage(Enumerated(theta, fixed, "gaussian"))) < 0.7


def test_drawn_test_sets_find_the_enumerated_coverage() -> None:
    classes, w = FixedClasses(60, 60), (0.03, 0.5)
    drawn = OneModel(3.0, classes, "gaussian", w=w)
    exact = Enumerated(3.0, classes, "gaussian", w=w)
    found = run(Study("both", (drawn, exact), lambda c: 1 if c.exact else 600), workers=1)
    pairs = zip(found.along(drawn, "holds at"), found.along(exact, "holds at"), strict=True)
    for seen, truth in pairs:
        assert truth.low == truth.value == truth.high
        assert abs(seen.value - truth.value) < 4.5 * sqrt(truth.value * (1 - truth.value) / 600)


# Reading


def flat(value: float, n: int = 1000) -> Along:
    half = 0.02 if n > 1 else 0.0
    return Along(CONDITIONS, (Figure(value, value - half, value + half, n),) * 99)


def test_the_good_range_ends_where_coverage_breaks() -> None:
    values = [0.9] * 99
    values[3] = values[95] = 0.8
    values[1] = 0.95
    along = Along(CONDITIONS, tuple(Figure(x, x, x, 1) for x in values))
    assert along.good_text == "[0.05, 0.95]"
    assert flat(0.5).good_width == 0.0
    assert flat(0.9, 1).good_width == 0.98


@pytest.mark.parametrize(
    ("value", "n", "verdict"),
    [
        (0.861, 1, "holds"),
        (0.859, 1, "does not hold"),
        (0.87, 10000, "holds"),
        (0.84, 10000, "does not hold"),
    ],
)
def test_the_floor_is_one(value: float, n: int, verdict: str) -> None:
    assert floor_claim([flat(0.9, n), flat(value, n)]).verdict == verdict


def test_one_low_figure_of_many_may_be_chance_and_is_judged_by_means() -> None:
    low = list(flat(0.9).figures)
    low[7] = Figure(0.85, 0.82, 0.88, 1000)
    many = [Along(CONDITIONS, tuple(low)), flat(0.9), flat(0.9)]
    assert floor_claim(many, [Along.mean(many)]).verdict == "holds"
    assert floor_claim([many[0]] * 3, [Along.mean([many[0]] * 3)]).verdict == "does not hold"


# Judging


def made_up(study: PaperStudy, value: Callable[[Cell], float]) -> StudyResult:
    """All figures of a cell have the same value."""
    cells = []
    for cell in study.plan("quick", 1, None).cells:
        one = Figure(value(cell), value(cell), value(cell), 1000)
        found: dict[str, Figure | list[Figure]] = {}
        if isinstance(cell, Regions):
            found |= dict.fromkeys(("wrong", "flagged", "together", "critical"), one)
        for name in ("holds at", "holds best at", "excess at", "envelope at", "inside at"):
            found[name] = [one] * len(cell.points)
        cells.append(CellResult(cell, 1000, found, 0.0))
    return StudyResult(study.name, 1, tuple(cells))


def verdicts(study: PaperStudy, value: Callable[[Cell], float]) -> dict[str, str]:
    judged = study.judge(made_up(study, value), "quick")
    assert judged.picture
    assert judged.rows
    assert judged.title in str(judged)
    return {claim.text: claim.verdict for claim in judged.claims}


@pytest.mark.parametrize("name", ["dugas-2009", "dugas-2009-validation"])
def test_a_world_without_breaks_refutes_the_paper_and_spares_mover(name: str) -> None:
    found = verdicts(BY_NAME[name], lambda cell: 0.9)
    for text, verdict in found.items():
        if "MOVER" in text:
            assert verdict == "holds"
        if "avoided" in text:
            assert verdict == "reproduced"
        elif "break" in text or "widens" in text:
            assert verdict == "not reproduced"


@pytest.mark.parametrize("name", ["dugas-2009", "dugas-2009-validation"])
def test_a_mover_that_fails_is_seen(name: str) -> None:
    found = verdicts(BY_NAME[name], lambda cell: 0.8 if "mover" in str(cell) else 0.9)
    assert {verdict for text, verdict in found.items() if "MOVER" in text} == {"does not hold"}


@pytest.mark.parametrize("within", ["each", "all"])
@pytest.mark.parametrize(("theta", "w"), [(1.5, 0.05), (3.0, 0.01), (5.0, 0.01)])
def test_thresholds_inside_a_range_are_enumerated(
    within: Literal["each", "all"], theta: float, w: float
) -> None:
    """Section 7, by binomial counts of errors: every pair with a threshold inside the range."""
    n, phi = 300, NormalDist().cdf
    cut = 9.0 / (2.0 * theta) * log((1.0 - w) / w)
    fnr, fpr = phi((cut - theta) / 3), phi(-(cut + theta) / 3)
    truth = w * fnr + (1 - w) * fpr
    counts = np.arange(n + 1)
    mass = np.outer(binom.pmf(counts, n, fnr), binom.pmf(counts, n, fpr))
    fn, fp = counts[:, None] / n, counts[None, :] / n
    cost = w * fn + (1 - w) * fp
    half = Z * np.sqrt((w**2 * fn * (1 - fn) + (1 - w) ** 2 * fp * (1 - fp)) / n)
    held = (np.abs(cost - truth) <= half) & (half > 0)
    inner = (counts > 0) & (counts < n)
    inside = np.outer(inner, inner)
    if within == "all":
        inside = np.ones_like(inside)
        inside[n, 0] = inside[0, n] = False  # all rows below the threshold, or none
    cell = EnumeratedInside(theta, FixedClasses(n, n), "gaussian", w=(w,), within=within)
    found = run(Study("x", (cell,), 1), workers=1)
    share = mass[inside].sum()
    assert found.along(cell, "inside at")[0].value == pytest.approx(share, abs=1e-6)
    coverage = (mass * held)[inside].sum() / share
    assert found.along(cell, "holds at")[0].value == pytest.approx(coverage, abs=1e-6)


@pytest.mark.parametrize(("share", "verdict"), [(0.1, "holds"), (0.2, "does not hold")])
def test_simultaneous_regions_are_judged(share: float, verdict: str) -> None:
    found = verdicts(
        BY_NAME["dugas-2009-regions"],
        lambda cell: share if isinstance(cell, Regions) and cell.simultaneous else 0.9,
    )
    assert next(v for text, v in found.items() if "simultaneous" in text) == verdict


@pytest.mark.parametrize("figure", [figure for figure in FIGURES if figure.number in (4, 6)])
def test_differences_are_measured_and_judged(figure: Any) -> None:
    found = run(Study("differences", tuple(figure.cells()), 2), workers=1)
    rows = list(figure.rows(found))
    assert all(0.0 <= row.ours.value <= 1.0 for row in rows)
    assert all(row.verdict == "cannot be compared" for row in rows)
    assert list(figure.claims(found))


@pytest.mark.parametrize("name", ["dugas-2009-validation", "dugas-2009-regions"])
def test_chosen_thresholds_and_regions_are_measured_and_judged(name: str) -> None:
    study = BY_NAME[name]
    plan = study.plan("quick", 1, None)
    found = run(replace(plan, replicates=lambda cell: 1 if cell.exact else 2), workers=1)
    assert study.judge(found, "quick").claims


def test_a_chosen_threshold_costs_too_much_and_seems_to_cost_too_little() -> None:
    sizes, model, w = FixedClasses(50, 50), Model(3.0, -3.0), np.array([0.2, 0.5])
    cell = ChosenThresholds(3.0, sizes, "mover", sizes, w=(0.2, 0.5))
    found = run(Study("chosen", (cell,), 60), workers=1)
    least = model.cost(w, model.thresholds(w))
    for figure in found.along(cell, "excess at"):
        assert figure.low > 0.0
    for figure, best in zip(found.along(cell, "envelope at"), least, strict=True):
        assert figure.high < best


# Closed forms beside resampling


def test_resampled_limits_come_near_those_in_closed_form() -> None:
    """The error of a standard deviation from b values is about 1 / sqrt(2 b) of itself."""
    found = run(Study("both", (Empirical(50), Empirical(800)), 6), workers=1)
    few, many = (found.figure(Empirical(b), "error").value for b in (50, 800))
    assert 0.4 / sqrt(2 * 800) < many < 3.0 / sqrt(2 * 800)
    assert 2.5 < few / many < 6.5  # four, but for chance


def test_another_class_share_widens_the_limits_by_its_variance() -> None:
    cells = (ClassShare(0.0), ClassShare(0.05))
    found = run(Study("shares", cells, 600, 100), workers=1)
    fixed, wide = cells
    assert found.figure(fixed, "binomial").value == found.figure(fixed, "replaced").value
    assert found.figure(wide, "binomial").high < 0.9
    assert abs(found.figure(wide, "replaced").value - 0.9) < 0.04


def test_few_resamples_cover_less() -> None:
    """With b resamples normal limits have about the coverage of 1.645 quantiles of Student's t."""
    cells = (ResampledCoverage(5), ResampledCoverage(400))
    found = run(Study("resamples", cells, 1500, 500), workers=1)
    few, many = (found.figure(cell, "normal").value for cell in cells)
    closed = found.figure(cells[1], "closed form").value
    # Centre and standard deviation of 5 values: Student's t with 4 degrees of freedom, and 1 / 5.
    assert few == pytest.approx(2 * student.cdf(1.645 / sqrt(1.2), 4) - 1, abs=0.035)
    assert many == pytest.approx(closed, abs=0.015)
    assert found.figure(cells[0], "percentile").value < few


def test_closed_forms_are_judged_whatever_the_time_they_take() -> None:
    study = BY_NAME["dugas-2009-closed-forms"]
    plan = study.plan("quick", 1, None)
    values = {"slower": 50.0, "error": 0.02, "one": 1.0, "two": 1.0, "binomial": 0.8}
    values |= {"normal": 0.9, "percentile": 0.9, "closed form": 0.9}
    for growth, verdict in ((1.0, "reproduced"), (3.0, "not reproduced")):
        cells = []
        for cell in plan.cells:
            time = (cell.rows / 20_000) ** growth if isinstance(cell, Growth) else 0.9
            own = {
                name: values[name] * (time if name in {"one", "two"} else 1.0) for name in values
            }
            own["replaced"] = 0.9
            cells.append(CellResult(cell, 9, {k: Figure(v, v, v, 9) for k, v in own.items()}, 0.0))
        judged = study.judge(StudyResult(study.name, 1, tuple(cells)), "quick")
        assert [claim.verdict for claim in judged.claims] == [
            *("reproduced", "reproduced", "reproduced", "does not hold", verdict, "reproduced")
        ]
