"""Quick looks at coverage; `make coverage` looks long.

The acceptance regions are exact binomial intervals at .9999, so a test of a band that is right
fails about once in 10,000 changes of the seed. Each has a negative control: a band that is too
narrow must fail the very same test.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scipy.special import ndtr

import rocbands as rb
from tests.coverage.auc import curve as auc_curve
from tests.coverage.auc import worlds as auc_worlds
from tests.coverage.judge import count_held, may_lie_in
from tests.coverage.pairs import PairWorld
from tests.coverage.plain_bootstrap import plain_band
from tests.coverage.worlds import BINORMAL, ROUNDED, SHAPES

REPS = 300
SIZES = {"n_pos": 25, "n_neg": 25, "reps": REPS, "seed": 1}


def shrunk(band: rb.Band, factor: float) -> rb.Band:
    region = dataclasses.replace(band.region, dx=band.region.dx * factor)  # type: ignore[type-var]
    return dataclasses.replace(band, region=region)


@pytest.mark.parametrize("world", [BINORMAL[0.75], BINORMAL[3.0], ROUNDED[1]], ids=lambda w: w.name)
def test_joint_region_holds_at_least_its_level(world) -> None:
    def band(y: np.ndarray, s: np.ndarray) -> rb.Band:
        return rb.roc_band(y, s, method="joint-region", level=0.9)

    assert may_lie_in(count_held(world, band, **SIZES), REPS, 0.9, 1.0, 0.9999)
    too_narrow = count_held(world, lambda y, s: shrunk(band(y, s), 0.4), **SIZES)
    assert not may_lie_in(too_narrow, REPS, 0.9, 1.0, 0.9999)


@pytest.mark.parametrize("world", [BINORMAL[0.75], BINORMAL[3.0], ROUNDED[1]], ids=lambda w: w.name)
def test_berk_jones_boxes_hold_at_least_their_level(world) -> None:
    def held(level: float) -> int:
        method = rb.JointRegion(boxes="berk-jones")
        return count_held(world, lambda y, s: rb.roc_band(y, s, method, level=level), **SIZES)

    assert may_lie_in(held(0.9), REPS, 0.9, 1.0, 0.9999)
    assert not may_lie_in(held(0.001), REPS, 0.9, 1.0, 0.9999)


@pytest.mark.parametrize(
    ("world", "sizes"),
    [
        (BINORMAL[0.75], (25, 25)),
        (BINORMAL[3.0], (60, 40)),
        (SHAPES[1], (10, 90)),
        (ROUNDED[0], (25, 25)),
    ],
    ids=lambda value: getattr(value, "name", value),
)
def test_likelihood_holds_close_to_its_level(world, sizes) -> None:
    def band(y: np.ndarray, s: np.ndarray) -> rb.Band:
        return rb.roc_band(y, s, method=rb.Likelihood(n_resamples=99), level=0.9, rng=1)

    def narrow(y: np.ndarray, s: np.ndarray) -> rb.Band:
        whole = band(y, s)
        region = dataclasses.replace(whole.region, critical_value=0.5 * whole.region.critical_value)
        return dataclasses.replace(whole, region=region)

    options = {**SIZES, "n_pos": sizes[0], "n_neg": sizes[1]}
    assert may_lie_in(count_held(world, band, **options), REPS, 0.87, 0.97, 0.9999)
    assert not may_lie_in(count_held(world, narrow, **options), REPS, 0.87, 0.97, 0.9999)


def test_likelihood_holds_future_curves() -> None:
    rng, world, sizes, later = np.random.default_rng(4), BINORMAL[1.5], (40, 40), (25, 60)
    held = plain = 0
    for _ in range(REPS):
        rows, second = world.draw(rng, *sizes), rb.roc_curve(*world.draw(rng, *later))
        held += rb.roc_band(*rows, level=0.9, future=later).contains(second)
        plain += rb.roc_band(*rows, level=0.9).contains(second)
    assert may_lie_in(held, REPS, 0.87, 0.98, 0.9999)
    assert not may_lie_in(plain, REPS, 0.87, 0.98, 0.9999)


def test_vertical_holds_single_heights_close_to_its_level() -> None:
    rng, world, at = np.random.default_rng(3), BINORMAL[1.0], np.array([0.2, 0.5])
    truth, held = world.truth.high(at), {0.9: np.zeros(2), 0.6: np.zeros(2)}
    for _ in range(REPS):
        roc = rb.roc_curve(*world.draw(rng, 60, 60))
        for level in held:
            band = rb.Vertical()(roc, level=level)
            held[level] += (band.lower_at(at) <= truth) & (truth <= band.upper_at(at))
    for right, narrow in zip(held[0.9], held[0.6], strict=True):
        assert may_lie_in(int(right), REPS, 0.88, 0.97, 0.9999)
        assert not may_lie_in(int(narrow), REPS, 0.88, 0.97, 0.9999)


RESAMPLED = {
    "fixed-width": (rb.FixedWidth(n_resamples=199), 0.88, 0.98),
    "fixed-width smooth": (rb.FixedWidth(n_resamples=199, smooth=True), 0.86, 0.96),
    "sup-t": (rb.SupT(n_resamples=199), 0.86, 0.96),
    "fold-average": (rb.FoldAverage(n_resamples=199), 0.88, 0.99),
}


@pytest.mark.parametrize("name", RESAMPLED)
def test_resampled_bands_hold_close_to_their_level(name: str) -> None:
    method, low, high = RESAMPLED[name]
    options = {**SIZES, "n_pos": 60, "n_neg": 60}

    def held(level: float) -> int:
        def band(y: np.ndarray, s: np.ndarray) -> rb.Band:
            return rb.roc_band(y, s, method, level=level, rng=1)

        return count_held(BINORMAL[1.5], band, **options)

    assert may_lie_in(held(0.9), REPS, low, high, 0.9999)
    assert not may_lie_in(held(0.6), REPS, low, high, 0.9999)


def test_fixed_width_holds_future_curves() -> None:
    rng, world, sizes, later = np.random.default_rng(4), BINORMAL[1.5], (80, 80), (50, 120)
    method, held, plain = rb.FixedWidth(n_resamples=199), 0, 0
    for _ in range(REPS):
        rows, second = world.draw(rng, *sizes), rb.roc_curve(*world.draw(rng, *later))
        held += rb.roc_band(*rows, method, level=0.9, future=later, rng=1).contains(second)
        plain += rb.roc_band(*rows, method, level=0.9, rng=1).contains(second)
    assert may_lie_in(held, REPS, 0.88, 0.98, 0.9999)
    assert not may_lie_in(plain, REPS, 0.88, 0.98, 0.9999)


@pytest.mark.parametrize("simultaneous", [True, False])
def test_working_hotelling_holds_binormal_curves(simultaneous: bool) -> None:
    """The whole curve, or its height at one fpr, by the kind of band."""
    rng, world, held, narrow = np.random.default_rng(2), BINORMAL[1.5], 0, 0
    at = np.array([0.2])
    for _ in range(REPS):
        rows = world.draw(rng, 60, 40)
        band = rb.roc_band(*rows, method=rb.WorkingHotelling(simultaneous), level=0.9)
        less = dataclasses.replace(band.region, k=0.6 * band.region.k)  # type: ignore[type-var]
        if simultaneous:
            held += band.region.contains_line(0.8, 0.8)
            narrow += less.contains_line(0.8, 0.8)
        else:
            true = world.truth.high(at)
            held += bool(band.lower_at(at) <= true <= band.upper_at(at))
            narrow += bool(less.lower_at(at) <= true <= less.upper_at(at))
    assert may_lie_in(held, REPS, 0.87, 0.93, 0.9999)
    assert not may_lie_in(narrow, REPS, 0.87, 0.93, 0.9999)


@pytest.mark.parametrize("method", ["score-delong", "newcombe", "logit-delong", "bca"])
@pytest.mark.parametrize("auc", [0.7, 0.9])
def test_auc_intervals_hold_close_to_their_level(method: str, auc: float) -> None:
    rng, world = np.random.default_rng(6), [*auc_worlds(auc)][1]  # rounded scores
    held = {0.95: 0, 0.75: 0}
    draws = {"n_resamples": 299} if method == "bca" else {}
    for pos, neg in zip(*world.draw(rng, REPS, 40, 40), strict=True):
        roc = auc_curve(pos, neg)
        for level in held:
            found = rb.auc_interval(roc, method=method, level=level, **draws, rng=1)
            held[level] += found.low <= world.truth <= found.high
    assert may_lie_in(held[0.95], REPS, 0.93, 0.985, 0.9999)
    assert not may_lie_in(held[0.75], REPS, 0.93, 0.985, 0.9999)


def test_plain_delong_does_not_hold_near_one() -> None:
    """Its documentation says so; should it ever begin to hold, that must be rewritten."""
    rng, world = np.random.default_rng(7), next(auc_worlds(0.99))
    held = {"delong": 0, "newcombe": 0, "score-delong": 0}
    for pos, neg in zip(*world.draw(rng, REPS, 20, 20), strict=True):
        for method in held:
            found = rb.auc_interval(auc_curve(pos, neg), method=method)
            held[method] += found.low <= world.truth <= found.high
    assert may_lie_in(held["delong"], REPS, 0.0, 0.8, 0.9999)
    assert may_lie_in(held["newcombe"], REPS, 0.93, 1.0, 0.9999)
    assert may_lie_in(held["score-delong"], REPS, 0.93, 1.0, 0.9999)


def test_auc_intervals_of_groups_hold_and_those_that_ignore_groups_do_not() -> None:
    """Sixty patients with four rows each, alike within a patient; AUC .76."""
    rng, held, plain = np.random.default_rng(8), 0, 0
    patient = np.repeat(np.arange(60), 4)
    y = (patient % 2).astype(int)
    for _ in range(REPS):
        alike, own = rng.normal(size=60)[patient], rng.normal(size=240)
        scores = np.sqrt(0.7) * alike + np.sqrt(0.3) * own + y
        found, narrow = rb.auc_interval(y, scores, groups=patient), rb.auc_interval(y, scores)
        truth = float(ndtr(1 / np.sqrt(2)))
        held += found.low <= truth <= found.high
        plain += narrow.low <= truth <= narrow.high
    assert may_lie_in(held, REPS, 0.93, 0.97, 0.9999)
    assert not may_lie_in(plain, REPS, 0.93, 0.97, 0.9999)


def test_points_at_small_rates_hold_and_percentiles_do_not() -> None:
    rng, world, places = np.random.default_rng(6), BINORMAL[1.0], np.array([0.01, 0.3])
    truth, held = world.truth.high(places), {"likelihood": np.zeros(2), "bootstrap": np.zeros(2)}
    for _ in range(REPS):
        rows = world.draw(rng, 40, 40)
        for method in held:
            at = rb.operating_points(*rows, fpr=places, method=method, level=0.9)
            held[method] += (at.tpr_low <= truth) & (truth <= at.tpr_high)
    for count in held["likelihood"]:
        assert may_lie_in(int(count), REPS, 0.9, 0.99, 0.9999)
    assert not may_lie_in(int(held["bootstrap"][0]), REPS, 0.9, 0.99, 0.9999)


def test_partial_areas_hold_close_to_their_level() -> None:
    rng, world, held = np.random.default_rng(7), BINORMAL[3.0], {0.9: 0, 0.6: 0}
    at = np.linspace(0.0, 0.3, 3001)
    truth = float(np.trapezoid(world.truth.high(at), at))
    for _ in range(REPS):
        rows = world.draw(rng, 60, 60)
        for level in held:
            area = rb.partial_auc_interval(*rows, fpr=(0, 0.3), level=level)
            held[level] += area.low <= truth <= area.high
    assert may_lie_in(held[0.9], REPS, 0.88, 0.98, 0.9999)
    assert not may_lie_in(held[0.6], REPS, 0.88, 0.98, 0.9999)


def test_chosen_thresholds_are_optimistic_and_a_second_set_is_not() -> None:
    rng, world, excess = np.random.default_rng(8), BINORMAL[1.0], {"same": 0.0, "other": 0.0}
    held = 0
    for _ in range(REPS):
        rows, later = world.draw(rng, 40, 40), world.draw(rng, 40, 40)
        for name, test in (("same", None), ("other", later)):
            at = rb.operating_points(*rows, best="youden", test=test, joint=True, level=0.9)
            cut = at.threshold[:1]
            fpr, tpr = world.pair.negatives.survival(cut)[0], world.pair.positives.survival(cut)[0]
            excess[name] += (at.tpr[0] - at.fpr[0] - tpr + fpr) / REPS
        inside = at.fpr_low[0] <= fpr <= at.fpr_high[0]
        held += inside and at.tpr_low[0] <= tpr <= at.tpr_high[0]
    assert may_lie_in(held, REPS, 0.88, 0.98, 0.9999)
    assert excess["same"] > 0.06
    assert abs(excess["other"]) < 0.03  # four standard errors


def test_the_difference_band_holds_and_calls_nobody_better_too_often() -> None:
    """A plain paired bootstrap, without a floor under its standard errors, fails the same test."""
    rng, held, plain, called = np.random.default_rng(5), 0, 0, 0
    world, equal, reps = PairWorld(0.9, 0.5), PairWorld(0.9, 0.0), 200
    for _ in range(reps):
        rows = world.draw(rng, 50, 50)
        held += rb.difference_band(*rows, level=0.9, n_resamples=199, rng=rng).contains(world.truth)
        plain += plain_band(*rows, level=0.9, floor=False, rng=rng, draws=99).contains(world.truth)
        band = rb.difference_band(*equal.draw(rng, 50, 50), level=0.9, n_resamples=199, rng=rng)
        called += bool(band.better)
    assert may_lie_in(held, reps, 0.87, 0.98, 0.9999)
    assert not may_lie_in(plain, reps, 0.87, 0.98, 0.9999)
    assert may_lie_in(called, reps, 0.0, 0.1, 0.9999)


def test_the_difference_band_needs_a_variance_that_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few positives, many negatives: with the variance as observed the band misses too often."""
    rng, world, reps = np.random.default_rng(6), PairWorld(0.9, 0.5), 200
    sets = [world.draw(rng, 50, 500) for _ in range(reps)]

    def count() -> int:
        bands = (rb.difference_band(*rows, level=0.9, n_resamples=199, rng=1) for rows in sets)
        return sum(band.contains(world.truth) for band in bands)

    assert may_lie_in(count(), reps, 0.87, 0.95, 0.9999)
    for name in ("TILT_POS", "TILT_NEG", "FLOOR"):
        monkeypatch.setattr(f"rocbands.comparison.difference_band.{name}", 1e-3)
    assert not may_lie_in(count(), reps, 0.87, 0.95, 0.9999)


def test_the_difference_band_of_two_test_sets() -> None:
    """Rows of two test sets taken for the same rows: the band is too narrow for their difference."""
    rng, reps, held, wrong, called = np.random.default_rng(7), 200, 0, 0, 0
    world, equal = PairWorld(0.0, 0.5), PairWorld(0.0, 0.0)
    options = {"level": 0.9, "n_resamples": 199, "rng": 1}
    for _ in range(reps):
        (y, one, _), (y_2, _, two) = world.draw(rng, 50, 50), world.draw(rng, 80, 60)
        band = rb.difference_band(y, one, two, paired=False, y_true_2=y_2, **options)
        held += band.contains(world.truth)
        # Sorted within classes the two sets look like one that both models rank alike.
        (y, one, _), (y_2, _, two) = (equal.draw(rng, 50, 50) for _ in range(2))
        same = rb.difference_band(y, one, two, paired=False, y_true_2=y_2, **options)
        called += bool(same.better)
        one, two = (np.concatenate([np.sort(s[:50]), np.sort(s[50:])]) for s in (one, two))
        wrong += rb.difference_band(y, one, two, **options).contains(equal.truth)
    assert may_lie_in(held, reps, 0.87, 0.97, 0.9999)
    assert may_lie_in(called, reps, 0.0, 0.1, 0.9999)
    assert not may_lie_in(wrong, reps, 0.87, 0.97, 0.9999)
