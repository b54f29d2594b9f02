"""Bands of counts in bins hold the bands of the exact counts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rocbands as rb
from rocbands.core.band import Band
from rocbands.core.curve import Curve, displacement
from rocbands.core.region import DisplacedRegion, SpannedRegion
from rocbands.resample.distance import BinnedDistance, find_largest_distances
from rocbands.resample.population import Population
from tests.strategies import binned_scores, in_bins

DENSE = np.unique(np.concatenate([np.linspace(0, 1, 33), [1e-9, 1 - 1e-9, 0.003]]))
FIXED = {
    "likelihood": rb.bands.Likelihood(calibration="chance"),
    "joint-region": rb.bands.JointRegion(),
    "joint-region of berk-jones boxes": rb.bands.JointRegion(boxes="berk-jones"),
}
fixed = pytest.mark.parametrize("name", FIXED)


@st.composite
def rising(draw: st.DrawFn) -> Curve:
    """Any curve with a few corners, jumps included."""
    size = draw(st.integers(0, 4))
    some = st.floats(0.0, 1.0, width=32)
    x, y = (np.sort(draw(st.lists(some, min_size=size, max_size=size))) for _ in range(2))
    return Curve(np.concatenate(([0], x, [1])), np.concatenate(([0], y, [1])))


def wider(outer: Band, inner: Band) -> None:
    at = np.unique(np.concatenate([DENSE, inner.roc.fpr, outer.roc.fpr]))
    assert (outer.lower_at(at) <= inner.lower_at(at) + 1e-9).all()
    assert (outer.upper_at(at) >= inner.upper_at(at) - 1e-9).all()


@fixed
@given(case=binned_scores(), level=st.sampled_from([0.5, 0.95]), curve=rising())
@settings(deadline=None)
def test_band_of_bins_holds_the_exact_one(
    name: str, case: tuple, level: float, curve: Curve
) -> None:
    y, s, roc = case
    method = FIXED[name]
    exact, outer = (
        rb.roc_band(y, s, method=method, level=level),
        rb.roc_band(roc, method=method, level=level),
    )
    wider(outer, exact)
    assert outer.contains(curve) or not exact.contains(curve)
    assert outer.contains(exact.roc)
    assert outer.misses(curve)[0] <= exact.misses(curve)[0]
    assert outer.misses(curve)[1] <= exact.misses(curve)[1]


@given(case=binned_scores(15), sizes=st.tuples(st.integers(1, 30), st.integers(1, 30)))
@settings(max_examples=25, deadline=None)
def test_future_band_of_bins_holds_the_exact_one(case: tuple, sizes: tuple[int, int]) -> None:
    y, s, roc = case
    method = FIXED["likelihood"]
    wider(
        rb.roc_band(roc, method=method, future=sizes),
        rb.roc_band(y, s, method=method, future=sizes),
    )


@fixed
@given(case=binned_scores())
@settings(max_examples=20, deadline=None)
def test_nothing_is_left_of_the_band_outside_the_extremes(name: str, case: tuple) -> None:
    """Each edge is the edge of an exact curve: no narrower band would do."""
    roc = case[2]
    low, high = (FIXED[name](extreme) for extreme in roc.extremes)
    band = FIXED[name](roc)
    np.testing.assert_array_equal(band.lower_at(DENSE), low.lower_at(DENSE))
    np.testing.assert_array_equal(band.upper_at(DENSE), high.upper_at(DENSE))


@pytest.mark.parametrize("name", [*FIXED, "fixed-width"])
def test_bins_of_one_class_change_nothing(name: str) -> None:
    y, s = [1, 1, 0, 1, 0, 0, 1, 0], [8, 7, 6, 5, 4, 3, 2, 1]
    roc = in_bins(np.array(y), np.array(s, dtype=float), np.array([1, 2, 3, 5, 6, 7.0]))
    method = FIXED.get(name, rb.bands.FixedWidth())
    inner, outer = rb.roc_band(y, s, method=method, rng=1), rb.roc_band(roc, method=method, rng=1)
    at = np.linspace(0, 1, 57)
    np.testing.assert_allclose(outer.lower_at(at), inner.lower_at(at), atol=1e-12)
    np.testing.assert_allclose(outer.upper_at(at), inner.upper_at(at), atol=1e-12)
    assert inner.notes[0].replace("rows", "bins") == outer.notes[0].replace("rows", "bins")


def drawn(y: np.ndarray, s: np.ndarray, ends: np.ndarray, rng: np.random.Generator) -> tuple:
    """Resampled rows: their exact curve and the curve of their bins."""
    while True:
        rows = rng.integers(y.size, size=y.size)
        if 0 < y[rows].sum() < y.size:
            return rb.roc_curve(y[rows], s[rows]), in_bins(y[rows], s[rows], ends)


@given(case=binned_scores(15), seed=st.integers(0, 2**32), slope=st.sampled_from([0.3, 1.0, 2.5]))
@settings(max_examples=40, deadline=None)
def test_fixed_width_from_shared_draws(case: tuple, seed: int, slope: float) -> None:
    y, s, roc = case
    exact, (low, high) = rb.roc_curve(y, s), roc.extremes
    ends, rng = np.unique([*roc.thresholds, s.min()]), np.random.default_rng(seed)
    ruler = BinnedDistance.from_curve(roc.curve, slope)
    widths = []
    for _ in range(9):
        rows, bins = drawn(y, s, ends, rng)
        own = displacement(exact.curve, rows.curve, slope).largest
        x, up = bins.fpr, bins.tpr
        bound = ruler.bound(x[:-1], x[1:], up[:-1], up[1:]).max() * math.hypot(1.0, slope)
        assert bound >= own - 1e-12
        # The bound is the distance between staircases, no more.
        northwest = displacement(low.curve, bins.extremes[1].curve, slope).northwest
        southeast = displacement(high.curve, bins.extremes[0].curve, slope).southeast
        assert bound == pytest.approx(max(northwest, southeast), abs=1e-12)
        widths.append((own, bound))
    inner, outer = np.sort(widths, axis=0)[6] / math.hypot(1.0, slope)
    one = DisplacedRegion(exact.curve, inner, slope)
    other = SpannedRegion(*(DisplacedRegion(c.curve, outer, slope) for c in (low, high)))
    assert (other.lower_at(DENSE) <= one.lower_at(DENSE) + 1e-9).all()
    assert (other.upper_at(DENSE) >= one.upper_at(DENSE) - 1e-9).all()


def test_law_of_the_bounds_is_that_of_whole_resamples() -> None:
    """Blocks that are left unsplit lose nothing: quantiles agree with drawing every bin."""
    rng = np.random.default_rng(5)
    pos, neg = rng.integers(0, 9, 24), rng.integers(0, 9, 24)
    roc = rb.RocCurve.from_counts(np.arange(24, 0, -1), np.cumsum(neg), np.cumsum(pos), bins=True)
    population = Population.from_runs(roc)
    ruler = BinnedDistance.from_curve(population.curve, 0.8)
    draws, n_pos, n_neg = 20_000, roc.n_pos, roc.n_neg
    sizes = np.full(draws, n_neg), np.full(draws, n_pos)
    found = find_largest_distances(population, ruler, *sizes, rng)
    x, up = (
        np.cumsum(rng.multinomial(size, side / size, draws), axis=1) / size
        for side, size in ((neg, n_neg), (pos, n_pos))
    )
    x, up = (np.pad(side, ((0, 0), (1, 0))) for side in (x, up))
    boxes = [side.ravel() for side in (x[:, :-1], x[:, 1:], up[:, :-1], up[:, 1:])]
    slow = BinnedDistance.from_curve(roc.curve, 0.8).bound(*boxes).reshape(draws, -1).max(axis=1)
    at = np.arange(0.02, 1.0, 0.02)
    share = np.searchsorted(np.sort(found), np.quantile(slow, at), side="right") / draws
    below = np.searchsorted(np.sort(found), np.quantile(slow, at), side="left") / draws
    assert (share >= at - 0.015).all()
    assert (below <= at + 0.015).all()


def test_fixed_width_band_is_wider_than_that_of_rows() -> None:
    rng = np.random.default_rng(3)
    y = np.repeat([1, 0], [400, 900])
    s = rng.normal(size=y.size) + y
    roc = in_bins(y, s, np.concatenate(([-9], np.arange(-3, 4, 0.01))))
    outer, inner = (rb.roc_band(*rows, method="fixed-width", rng=1) for rows in ((roc,), (y, s)))
    wider(outer, inner)
    assert outer.area < 1.3 * inner.area


def test_fixed_width_band_of_a_mirrored_curve_is_the_mirror_image() -> None:
    rng = np.random.default_rng(4)
    pos, neg = rng.integers(0, 4, 30), rng.integers(0, 9, 30)
    roc = rb.RocCurve.from_counts(np.arange(30, 0, -1), np.cumsum(neg), np.cumsum(pos), bins=True)
    one, other = (rb.bands.FixedWidth()(curve, rng=1).region for curve in (roc, roc.mirrored))
    assert isinstance(one, SpannedRegion)
    assert isinstance(other, SpannedRegion)
    assert one.high.dx == pytest.approx(other.high.dy)  # type: ignore[attr-defined]
    at = np.linspace(0, 1, 41)
    reflected = one.edges()[1].mirrored
    np.testing.assert_allclose(other.upper_at(at), np.maximum(reflected.high(at), 0), atol=1e-9)


@pytest.mark.parametrize(
    "method",
    [
        rb.bands.Likelihood(calibration="levels"),
        rb.bands.Likelihood(calibration="plugin"),
        rb.bands.FixedWidth(smooth=True),
        rb.bands.FixedWidth(future_rule="pairs"),
    ],
)
def test_what_needs_single_scores_is_refused(method: object) -> None:
    roc = rb.RocCurve.from_counts([3, 2, 1], fp=[1, 2, 5], tp=[3, 3, 4], bins=True)
    with pytest.raises(rb.InputError, match="needs counts of single scores; the curve has bins"):
        rb.roc_band(roc, method=method, rng=1)  # type: ignore[arg-type]


def test_band_says_what_bins_hide() -> None:
    roc = rb.RocCurve.from_counts([3, 2, 1], fp=[1, 2, 5], tp=[3, 3, 4], bins=True)
    for method in ("likelihood", "joint-region", "fixed-width"):
        band = rb.roc_band(roc, method=method, rng=1)
        note = "Counts in bins: the AUC is known within 0.15."
        assert note in band.notes
        assert note in str(band)
        assert note in band.to_dict()["notes"]


def test_a_curve_in_bins_is_held_only_if_nothing_hidden_can_leave() -> None:
    y, s = np.repeat([1, 0], 50), np.arange(100.0, 0, -1)
    band = rb.roc_band(y, s, method="joint-region")
    whole = rb.RocCurve.from_counts([1], [50], [50], bins=True)
    fine = rb.RocCurve.from_counts([51, 45, 1], [1, 6, 50], [48, 49, 50], bins=True)
    assert not band.contains(whole)
    assert band.misses(whole) == (False, True)
    assert band.contains(fine)
    assert not any(band.misses(fine))


def test_future_curves_of_ten_billion_rows_have_numbers() -> None:
    """Rounding must not shrink a cell of the pooled counts below nothing."""
    size = 5 * 10**9
    roc = rb.RocCurve.from_counts([3, 2, 1], [0, 1, size], [size - 1, size, size], bins=True)
    with np.errstate(invalid="raise"):
        band = rb.roc_band(roc, method="likelihood", future=(100, 1000), level=0.999)
        assert np.isfinite([band.lower.y.min(), band.upper.y.max(), band.area]).all()
        assert band.contains(roc)


@pytest.mark.parametrize("future", [None, (1, 1), (100, 1000)])
@pytest.mark.parametrize("tied", [1, 5 * 10**9])
def test_tied_scores_of_ten_billion_rows_have_numbers(
    tied: int, future: tuple[int, int] | None
) -> None:
    size = 5 * 10**9
    roc = rb.RocCurve.from_counts([3, 2, 1], [0, tied, size], [size - tied, size, size])
    method = rb.bands.Likelihood(calibration="chance")
    with np.errstate(invalid="raise", divide="raise"):
        band = method(roc, level=0.95, future=future)
        assert np.isfinite([*band.lower_at(DENSE), *band.upper_at(DENSE), band.area]).all()
        assert band.contains(roc)
