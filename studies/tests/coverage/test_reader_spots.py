"""Quick looks at simulated reader studies: the truth is known, and limits hold it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ndtr, ndtri

import rocbands as rb
from rocbands.readers import METHODS as TABLE
from rocbands.readers import Bounded
from rocbands.readers.contrast import contrast_algorithm, contrast_test, find_components
from rocbands_studies.checkout import DOCS, find_store
from rocbands_studies.coverage.reader_questions import (
    METHODS,
    compare_first,
    declare,
    estimate,
    judge_all,
)
from rocbands_studies.coverage.reader_worlds import (
    CUTS,
    DESIGNS,
    PART,
    Drawn,
    ReaderWorld,
    chance_above,
)
from rocbands_studies.coverage.readers import PAGE, collect, list_sections, render

WORLDS = (
    ReaderWorld((0.75, 1.5), "HH", 200),
    ReaderWorld((2.5,), "HH", 200, skew=-1),
    ReaderWorld((1.5,), "HH", 200, skew=1, b=1.5),
    ReaderWorld((1.5,), "LL", 200, skew=-1, b=1.3, cuts=CUTS, missing=0.2),
    ReaderWorld((1.5,), "LH", 200, patient=4),
)


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.name)
def test_averages_of_many_simulated_readers_are_the_integrated_ones(world: ReaderWorld) -> None:
    rng, found = np.random.default_rng(1), []
    for _ in range(60):
        data = world.draw_data(rng, 20, 20)
        pos, neg = data.scores[..., data.is_positive], data.scores[..., ~data.is_positive]
        wins = (np.sign(pos[..., :, None] - neg[..., None, :]) + 1.0) / 2.0
        shares = [np.nanmean(wins, (1, 2, 3))]
        for side, hit in ((pos, pos >= 1.2), (neg, neg < 1.2)):
            shares.append(np.nanmean(np.where(np.isnan(side), np.nan, hit), (1, 2)))
        found.append(shares)
    error = np.std(found, axis=0, ddof=1) / math.sqrt(len(found))
    truth = [world.find_truth("auc")]
    truth += [world.find_truth(metric, 1.2) for metric in ("sensitivity", "specificity")]
    if world.cuts:  # rates of ratings are not those of scores
        found, error, truth = [one[:1] for one in found], error[:1], truth[:1]
    assert np.abs(np.mean(found, axis=0) - truth).max() < 4.0 * error.max()
    assert error.max() < 0.015


def test_a_skewed_effect_is_integrated_exactly() -> None:
    """One exponential effect, by the integral over it."""
    want, _ = quad(lambda e: math.exp(-e) * ndtr((1.0 + 0.4 * (e - 1.0) - 0.3) / 1.2), 0.0, 60.0)
    assert chance_above(0.3, 1.0, 1.2, (0.4,)) == pytest.approx(want, abs=1e-10)
    assert chance_above([0.3], 1.0, 1.2, (1e-7,))[0] == pytest.approx(ndtr(0.7 / 1.2), abs=1e-9)


def test_the_partial_area_is_that_of_readers_own_curves() -> None:
    world = ReaderWorld((1.5,), "HH", 4000)
    effects = world.draw_data(np.random.default_rng(2), 1, 1).reader_effects[0]
    fpr = np.linspace(*PART, 401)[1:] - (PART[1] - PART[0]) / 800.0
    curves = ndtr(1.5 + (effects[:, 1] - effects[:, 0])[:, None] + ndtri(fpr))
    areas = curves.mean(1) * (PART[1] - PART[0])
    error = areas.std() / math.sqrt(areas.size)
    assert abs(areas.mean() - world.find_truth("partial_auc")[0]) < 4.0 * error
    assert error < 1e-3


def test_averages_given_readers_or_cases_have_the_mean_of_all() -> None:
    world, rng = ReaderWorld((1.5, 2.5), "HH", 5, anchor=1.5), np.random.default_rng(3)
    data = [world.draw_data(rng, 15, 15) for _ in range(300)]
    for average in (world.average_readers, world.average_cases):
        found = np.array([average(one) for one in data])
        error = found.std(0) / math.sqrt(len(found))
        assert (np.abs(found.mean(0) - world.truth) < 4.0 * error).all()
        assert error.max() < 0.005


@pytest.mark.parametrize("design", DESIGNS)
def test_designs_read_what_they_should(design: str) -> None:
    data = ReaderWorld((1.5, 1.5), readers=4, design=design).draw_data(
        np.random.default_rng(4), 3, 5
    )
    read = np.isfinite(data.scores)
    want = {
        "factorial": (2, 4, 8),
        "cases in readers": (2, 4, 32),
        "cases in tests": (2, 4, 16),
        "split-plot": (2, 4, 16),
        "readers in tests": (2, 8, 8),
    }
    assert read.shape == want[design]
    each = read.sum(2)
    if design == "readers in tests":
        assert (np.sort(each, axis=0) == [[0], [8]]).all()
    else:
        assert (each == 8).all()
        assert (read[..., data.is_positive].sum(2) == 3).all()
    shared = (read[:, :, None] & read[:, None]).any(-1)[0]  # under the first test
    assert shared[0, 1] == (design not in ("cases in readers", "split-plot"))


# ------------------------------------------------------------------------------- the methods

AT = (0.95, 0.9)


def make_readings(data: Drawn) -> rb.Readings:
    """The study as a user has it: one row for each reading."""
    test, reader, case = np.nonzero(~np.isnan(data.scores))
    groups = None if data.groups is None else data.groups[case]
    return rb.Readings(
        data.is_positive[case].astype(int),
        data.scores[test, reader, case],
        reader=reader,
        case=case,
        test=test,
        clusters=groups,
    )


@pytest.mark.parametrize(
    ("world", "metric"),
    [
        (ReaderWorld((1.5, 2.5), "HH", 4, missing=0.2), "auc"),
        (ReaderWorld((1.5, 2.5), "HH", 3, design="readers in tests"), "auc"),
        (ReaderWorld((1.5, 2.5), "LL", 4, design="split-plot"), "sensitivity"),
        (ReaderWorld((1.5, 2.5), "LL", 4, patient=4), "auc"),
        (ReaderWorld((1.5, 2.5), "LL", 3), "partial_auc"),
    ],
    ids=lambda one: one.name if isinstance(one, ReaderWorld) else one,
)
def test_what_is_measured_is_what_the_library_says(world: ReaderWorld, metric: str) -> None:
    data = world.draw_data(np.random.default_rng(5), 20, 20)
    cut = 1.2 if metric == "sensitivity" else None
    contrast = compare_first(estimate(data, metric, cut), world.design == "readers in tests")
    given = {"threshold": cut} if cut else {"fpr": PART} if metric == "partial_auc" else {}
    width = PART[1] - PART[0] if metric == "partial_auc" else 1.0
    cells = estimate(data, metric, cut)
    one = contrast_test(cells, 0, sorted(j for i, j in cells.index if i == 0))
    for name in ("bounded", "OR"):
        method, asked = TABLE[METHODS[name]](), {"method": METHODS[name], "metric": metric, **given}
        study = rb.compare_readers(make_readings(data), level=0.9, **asked)
        for said, want in (
            (method(contrast, level=0.9), study.differences[0]),
            (method(one, level=0.9), study.means[0]),
        ):
            limits = [said.low * width, said.high * width]
            assert limits == pytest.approx([want.low, want.high], abs=1e-12)
        assert method(contrast).pvalue == pytest.approx(study.differences[0].pvalue, abs=1e-12)
        for margin in (0.05, 0.2, 0.4):
            ask = rb.compare_readers(
                make_readings(data), level=0.95, margin=margin * width, **asked
            )
            (said_so,) = declare(name, contrast, margin, [0.9])
            assert bool(said_so) == (ask.differences[0].low > -margin * width)


def test_algorithms_and_three_tests_are_what_the_library_says() -> None:
    world = ReaderWorld((1.5, 1.7, 2.5), "HH", 4, algorithm=2.0)
    data = world.draw_data(np.random.default_rng(8), 20, 20)
    readings, cells = make_readings(data), estimate(data)
    study = rb.compare_readers(readings, algorithm="4")
    alone = Bounded()(contrast_algorithm(cells, (1, 4), 1, range(4)))
    want = study.differences[1]
    assert [alone.low, alone.high] == pytest.approx([want.low, want.high], abs=1e-12)
    components = find_components(cells, range(4), 3)
    assert components is not None
    for name in METHODS.values():
        if name != "one-shot":
            joint = rb.compare_readers(
                readings.take(readers=["0", "1", "2", "3"]), method=name
            ).joint
            assert joint is not None
            found = TABLE[name]().judge_joint(components, "both")
            assert found.pvalue == pytest.approx(joint.pvalue, abs=1e-12)


def measure(world: ReaderWorld, sets: int = 600, **given: str) -> tuple[float, float]:
    """Shares of data sets with 30 + 30 cases whose difference is held, at .95 and .90."""
    rng, gap = np.random.default_rng(6), float(world.truth[0] - world.truth[1])
    contrasts = [compare_first(estimate(world.draw_data(rng, 30, 30)), False) for _ in range(sets)]
    held = [judge_all("bounded", one, gap, AT, **given)["holds"] for one in contrasts]
    return tuple(np.mean(held, axis=0).tolist())


@pytest.mark.simulation
@pytest.mark.parametrize("mu", [(1.5, 1.5), (2.5, 3.3)])
def test_limits_for_all_readers_hold(mu: tuple[float, float]) -> None:
    """Limits for these readers, judged for all readers, must fail the same test."""
    world = ReaderWorld(mu, "HH", 4)
    least = 0.92, 0.86
    assert all(share >= low for share, low in zip(measure(world), least, strict=True))
    wrong = measure(world, random="cases")
    assert all(share < low for share, low in zip(wrong, least, strict=True))


@pytest.mark.simulation
def test_three_equal_tests_are_seldom_declared_different() -> None:
    world, rng, error = ReaderWorld((1.5,) * 3, "HH", 4), np.random.default_rng(7), []
    for _ in range(600):
        found = find_components(estimate(world.draw_data(rng, 30, 30)), range(4), 3)
        assert found is not None
        tests = [Bounded().judge_joint(found, kind).pvalue < 0.05 for kind in ("both", "cases")]
        error.append(tests)
    both, cases = np.mean(error, axis=0)
    assert both <= 0.09 < cases  # these readers alone do not stand for others


def test_the_page_is_made_from_its_store() -> None:
    known = collect(find_store(PAGE))
    assert (DOCS / f"{PAGE}.md").read_text(encoding="utf-8") == render(known)
    assert sum(len(rows) for _, rows in known) == sum(len(one.cells) for one in list_sections())
