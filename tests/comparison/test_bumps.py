"""Differences of curves with a bump, and of few negatives: what is marked, and its limits."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtri

import rocbands as rb
from rocbands.comparison import difference_band as module
from rocbands.comparison.bumps import describe_bumps, find_bumps, find_majorant, find_near
from rocbands.comparison.difference_spread import PairedSpread, estimate_spread
from rocbands.comparison.grid_curve import CurveAtGrid, build_grid, count_cases
from rocbands.comparison.joint_limits import (
    ANGLES,
    JointLimits,
    JointSpread,
    widen_at_bumps,
    widen_at_one_point,
)
from rocbands.core.data import read_pair
from rocbands.core.pair import Pair
from rocbands.core.score_variance import CaseNumbers
from tests.populations import TwoModels, draw_equal_pooled, draw_pooled, draw_steps

GRID = build_grid(0.05, 0.95)
DRAWS = {"n_resamples": 200, "rng": 3}

# The vectors of a separate prototype of the specification: 80+80 rows, the first model's scores of
# two sites with an offset of 6.
ROW = np.arange(160)
Y = ROW % 2
SITE = (ROW // 2) % 2
POOLED = 6 * SITE + 3 * Y + (37 * ROW % 160) / 40
PLAIN = 3 * Y + (59 * ROW % 160) / 24
CRITICAL = 2.8
AT = [0, 25, 50]  # places in the grid: .05, .234456, .5


def at_grid(
    asked: Pair, fpr: np.ndarray = GRID
) -> tuple[PairedSpread, tuple[CurveAtGrid, CurveAtGrid], CaseNumbers]:
    sizes = count_cases(asked.curves, paired=True)
    one, two = (
        CurveAtGrid.from_curve(roc, fpr, own) for roc, own in zip(asked.curves, sizes, strict=True)
    )
    spread = estimate_spread(asked, one, two)
    assert isinstance(spread, PairedSpread)
    return spread, (one, two), sizes[0]


def close(found, text: str, tolerance: float = 6e-7) -> None:
    known = np.array(text.split(), dtype=float).reshape(np.shape(found))
    np.testing.assert_allclose(found, known, rtol=0, atol=tolerance)


def test_a_bump_of_the_prototype() -> None:
    _, (one, two), sizes = at_grid(read_pair(Y, POOLED, PLAIN))
    x = build_grid(1 / 80, 79 / 80)
    places = [0, 20, 50, 80]
    close(x[places], ".012500 .138535 .500000 .861465")
    lower, upper = one.limit_heights_at(x, 1.0)
    close(lower[places], ".340174 .444273 .540057 .993769")
    close(upper[places], ".449090 .555727 .943148 1")
    ends, heights = np.append(0, np.append(x, 1)), np.append(0, np.append(lower, 1))
    corners = find_majorant(ends, heights)
    above = np.interp(x, ends[corners], heights[corners])
    close(above[places], ".340174 .467801 .829383 .997372")
    close([(above - upper).max(), x[(above - upper).argmax()]], ".133692 .393094")
    bumps = find_bumps(one, sizes.n_neg, 1.0)
    close(bumps, ".023058 .658807")
    marked = GRID[find_near(bumps, sizes.n_neg, GRID)[0]]
    close(marked[[0, -1]], ".05 .755990")
    assert marked.size == np.count_nonzero(GRID < 0.756)
    assert not find_bumps(two, sizes.n_neg, 1.0).size


def test_joint_limits_of_the_prototype() -> None:
    spread, curves, sizes = at_grid(read_pair(Y, POOLED, PLAIN))
    joint = JointLimits.at_points(np.isin(np.arange(101), AT), spread, curves, sizes)
    close(spread.difference[AT], "-.075 -.1875 -.075")
    arms = joint._find_arms(CRITICAL)
    close(arms[0], ".164104 .152767 .488503 .165653 .152767 .112500")
    close(arms[1], ".170450 .197324 .208359 .161809 .181655 .037500")
    shared = np.stack([joint._find_arms(CRITICAL * np.cos(angle)) for angle in ANGLES])
    far = (shared[:, 0] + shared[::-1, 1, ::-1]).max(axis=0)
    close(far, ".234026 .242990 .514330 .239319 .248555 .255184")
    close(joint.correlation, "-.058953 -.033405 -.042846")
    close(CRITICAL * joint.errors[:, 0], ".188422 .171307 .343394 .205259 .202464 .121782")
    close(spread.find_limits(CRITICAL)[0][AT], "-.357950 -.454048 -.444111")
    close(spread.find_limits(CRITICAL)[1][AT], ".211299 .083979 .292047")
    wide = widen_at_bumps(spread, curves, sizes)
    lower, upper = wide.find_limits(CRITICAL)
    close(lower[[*AT, 75]], "-.315622 -.434275 -.590854 -.054675")
    close(upper[[*AT, 75]], ".171177 .066052 .184090 .054675")


@given(st.lists(st.integers(0, 40), min_size=3, max_size=12))
def test_the_majorant_is_the_least_concave_one(rises: list[int]) -> None:
    y = np.cumsum([0, *rises]) / 10.0
    x = np.arange(y.size, dtype=float) ** 1.3
    corners = find_majorant(x, y)
    above = np.interp(x, x[corners], y[corners])
    assert (above >= y - 1e-12).all()
    assert (np.diff(np.diff(y[corners]) / np.diff(x[corners])) <= 1e-12).all()
    for i, j in itertools.combinations(range(x.size), 2):  # every chord is below
        line = np.interp(x[i : j + 1], x[[i, j]], y[[i, j]])
        assert (line <= above[i : j + 1] + 1e-9).all()


def test_a_perfect_model_with_two_scores_has_no_bump() -> None:
    """The middle of its only vertical piece lies half way up; the curve itself does not."""
    labels = np.repeat([1, 0], 40)
    (curve, _) = at_grid(read_pair(labels, labels * 1.0, labels + ROW[:80] / 500))[1]
    assert not find_bumps(curve, 40, 1.0).size


@pytest.mark.parametrize("n_neg", [1, 2, 3])
def test_hardly_any_negatives(n_neg: int) -> None:
    labels = np.repeat([1, 0], [2 * n_neg, n_neg])
    rng = np.random.default_rng(n_neg)
    rows = read_pair(labels, *rng.normal(size=(2, labels.size)))
    spread, curves, sizes = at_grid(rows)
    if n_neg < 3:
        assert widen_at_bumps(spread, curves, sizes) is spread


# ------------------------------------------------------------------------- what must not matter


def pooled(seed: int, m: int = 50, n: int = 60) -> tuple[np.ndarray, ...]:
    return draw_pooled(np.random.default_rng(seed), m, n)


def limits(rows, **options) -> tuple[np.ndarray, np.ndarray]:
    band = rb.difference_band(*rows, **DRAWS, **options)
    return band.lower, band.upper


@pytest.mark.parametrize("size", [(50, 60), (80, 15)])
def test_exchanged_models_exchange_the_limits(size: tuple[int, int]) -> None:
    labels, one, two = pooled(1, *size)
    rng = np.random.default_rng(1)
    lower, upper = limits((labels, one, two))
    low, high = limits((labels, two, one))
    np.testing.assert_allclose(low, -upper, rtol=0, atol=1e-7)
    np.testing.assert_allclose(high, -lower, rtol=0, atol=1e-7)
    order = rng.permutation(labels.size)
    low, high = limits((labels[order], np.exp(one[order]), two[order]))
    np.testing.assert_allclose([low, high], [lower, upper], rtol=0, atol=1e-9)
    named = rb.difference_band(rb.Sample(labels, {"z": one, "a": two})[["z", "a"]], **DRAWS)
    np.testing.assert_allclose([named.lower, named.upper], [lower, upper], rtol=0, atol=1e-9)


@settings(max_examples=25)
@given(
    st.integers(0, 1000), st.integers(1, 60), st.integers(1, 60), st.sampled_from([0.0, 0.5, 3.0])
)
def test_limits_contain_the_estimate_and_are_differences(seed, m, n, rounding) -> None:
    labels, one, two = pooled(seed, m, n)
    if rounding:
        one = np.round(one / rounding)
    band = rb.difference_band(labels, one, two, n_resamples=40, rng=1)
    assert (band.lower <= band.difference).all()
    assert (band.difference <= band.upper).all()
    assert (band.lower < band.upper).all()
    assert min(band.lower.min(), -band.upper.max()) >= -1.0
    assert np.isfinite(band.simulation.error)


def test_without_a_bump_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [TwoModels(0.6, 0.5, 1.5).draw(np.random.default_rng(seed), 60, 70) for seed in range(6)]
    asked = [at_grid(read_pair(*one)) for one in rows]
    plain = [k for k, found in enumerate(asked) if widen_at_bumps(*found) is found[0]]
    assert len(plain) >= 3
    bands = [rb.difference_band(*rows[k], **DRAWS) for k in plain]
    monkeypatch.setattr(module, "widen_at_bumps", lambda spread, curves, sizes: spread)
    for k, band in zip(plain, bands, strict=True):
        before = rb.difference_band(*rows[k], **DRAWS)
        assert (before.lower == band.lower).all()
        assert (before.upper == band.upper).all()
        assert before.simulation == band.simulation


def test_points_that_are_not_marked_keep_their_limits() -> None:
    spread, curves, sizes = at_grid(read_pair(Y, POOLED, PLAIN))
    wide = widen_at_bumps(spread, curves, sizes)
    assert isinstance(wide, JointSpread)
    assert 0 < np.count_nonzero(~wide.points) < 101
    for mine, linear in zip(wide.find_limits(2.5), spread.find_limits(2.5), strict=True):
        assert (mine[~wide.points] == linear[~wide.points]).all()


def test_the_error_of_drawing_is_proportional_to_the_distance() -> None:
    spread, curves, sizes = at_grid(read_pair(Y, POOLED, PLAIN))
    wide = widen_at_bumps(spread, curves, sizes)
    value = wide.find_critical_value(0.95, 500, np.random.default_rng(1))
    found = wide.find_edge_error(value)
    away = max(np.abs(limit - wide.difference).max() for limit in wide.find_limits(value.value))
    assert 0.0 < found <= away * value.error / value.value * 1.5
    assert wide.find_edge_error(value._replace(error=0.0)) == 0.0


# ------------------------------------------------------------------------------------- notes


def test_a_clear_bump_is_named() -> None:
    labels, one, two = pooled(2, 200, 200)
    (note,) = (n for n in rb.difference_band(labels, one, two, **DRAWS).notes if "bump" in n)
    assert note.startswith("The curve of model 1 has a bump between fpr 0.0")
    assert note.endswith("limits there come from the likelihood of both curves.")
    sample = rb.Sample(labels, {"old": two, "new": one})
    assert any("curve of new" in n for n in rb.difference_band(sample, **DRAWS).notes)
    assert not any("curve of old" in n for n in rb.difference_band(sample, **DRAWS).notes)


def test_a_bump_that_is_only_suspected_is_not_named() -> None:
    """The prototype's rows have a bump at one standard error, and none at two."""
    band = rb.difference_band(Y, POOLED, PLAIN, **DRAWS)
    assert not any("bump" in note for note in band.notes)


def test_two_bumps_are_named_together() -> None:
    rows = draw_steps(np.random.default_rng(1), 300, 300)
    (note,) = (n for n in rb.difference_band(*rows, **DRAWS).notes if "bump" in n)
    assert note.count("between fpr") in (1, 2)
    assert describe_bumps(np.array([[0.1, 0.2], [0.2, 0.3], [0.5, 0.6]])) == (
        "between fpr 0.1 and 0.3 and between fpr 0.5 and 0.6"
    )
    assert describe_bumps(np.zeros((0, 2))) == ""


# ----------------------------------------------------------------------------- few negatives


@pytest.mark.parametrize(
    ("size", "marked", "noted"),
    [((120, 29), True, False), ((120, 30), False, True), ((115, 29), False, False)],
)
def test_with_few_negatives_all_points_are_marked(size, marked: bool, noted: bool) -> None:
    rows = TwoModels(0.9, 0.2, 2.0).draw(np.random.default_rng(4), *size)
    spread = widen_at_bumps(*at_grid(read_pair(*rows)))
    everywhere = isinstance(spread, JointSpread) and bool(spread.points.all())
    assert everywhere == marked
    notes = " ".join(rb.difference_band(*rows, **DRAWS).notes)
    assert ("0.76 at level 0.90, and 0.78 at 0.95" in notes) == noted


FEW = st.tuples(st.integers(0, 500), st.integers(1, 25))


@settings(max_examples=25)
@given(FEW, st.sampled_from([0.1, 0.25, 0.6]), st.sampled_from([0.9, 0.99]))
def test_one_point_has_the_farther_limits_and_a_test_that_agrees(few, fpr, level) -> None:
    seed, n = few
    labels, one, two = TwoModels(0.5, 0.4).draw(np.random.default_rng(seed), 4 * n + 3, n)
    found = rb.compare_tpr(labels, one, two, fpr=fpr, level=level)
    spread, curves, sizes = at_grid(read_pair(labels, one, two), np.array([fpr]))
    z = float(ndtri((1 + level) / 2))
    low, high = (float(end[0]) for end in spread.find_limits(z))
    assert found.low <= low + 1e-12
    assert found.high >= high - 1e-12
    # Formula (J1) without angles at a single point.
    joint = JointLimits.at_points(np.ones(1, bool), spread, curves, sizes, angles=ANGLES[:1])
    (l1, u1), (l2, u2) = joint._find_arms(z)[..., 0]
    s1, s2 = z * joint.errors[:, 0, 0]
    rho = joint.correlation[0]
    for x, y, limit, side in ((l1, u2, found.low, -1), (u1, l2, found.high, 1)):
        product = min(x, s1) * min(y, s2) if rho > 0 else x * y
        far = found.difference + side * max(0.0, x * x + y * y - 2 * rho * product) ** 0.5
        linear = low if side < 0 else high
        known = max(-1.0, min(far, linear)) if side < 0 else min(1.0, max(far, linear))
        assert limit == pytest.approx(known, abs=1e-9)
    if min(abs(found.low), abs(found.high)) > 1e-9:
        assert (found.pvalue < 1 - level) == (not found.low <= 0 <= found.high)
    other = rb.compare_tpr(labels, two, one, fpr=fpr, level=level)
    assert (other.low, other.high) == pytest.approx((-found.high, -found.low), abs=1e-9)
    assert other.pvalue == pytest.approx(found.pvalue, abs=1e-9)


@pytest.mark.parametrize(
    ("size", "wider"), [((400, 100), True), ((404, 101), False), ((399, 100), False)]
)
def test_one_point_of_more_negatives_is_as_it_was(size, wider: bool) -> None:
    rows = TwoModels(0.5, 0.4).draw(np.random.default_rng(7), *size)
    spread, curves, sizes = at_grid(read_pair(*rows), np.array([0.1]))
    assert (widen_at_one_point(spread, curves, sizes) is spread) != wider
    notes = rb.compare_tpr(*rows, fpr=0.1).notes
    assert ("Few negatives: limits are the wider ones of two methods." in notes) == wider


# ----------------------------------------------------------------------------------- designs


@pytest.mark.parametrize(
    "names", [("clusters",), ("weights",), ("strata",), ("weights", "clusters", "strata")]
)
def test_designs(names: tuple[str, ...]) -> None:
    rng = np.random.default_rng(3)
    labels, one, two = draw_pooled(rng, 120, 120)
    order = rng.permutation(240)
    labels, one, two = labels[order], one[order], two[order]
    made = {
        "clusters": np.arange(240) // 3, "weights": rng.choice([1.0, 4.0], 240),
        "strata": np.arange(240) // 60,
    }  # fmt: skip
    sample = rb.Sample(labels, {"one": one, "two": two}, **{name: made[name] for name in names})
    spread, curves, sizes = at_grid(Pair.from_sample(sample))
    wide = widen_at_bumps(spread, curves, sizes)
    assert isinstance(wide, JointSpread)
    band = rb.difference_band(sample, **DRAWS)
    assert (band.lower < band.difference).all()
    assert (band.difference < band.upper).all()
    few = sample.take(np.flatnonzero((labels == 1) | (np.arange(240) % 8 == 0)))
    found = rb.compare_tpr(few, fpr=0.2, level=0.9)
    assert "Few negatives: limits are the wider ones of two methods." in found.notes
    # Limits of steps jump, so that they need not touch 0 at the level of the p-value.
    for factor, contains in ((1.01, False), (0.99, True)):
        at = rb.compare_tpr(few, fpr=0.2, level=1 - factor * found.pvalue)
        assert (at.low <= 0 <= at.high) == contains


def test_designs_that_are_none_change_little() -> None:
    """Effective counts are those of rows but for the rounding of a table."""
    labels, one, two = pooled(5, 150, 150)
    plain = rb.difference_band(rb.Sample(labels, {"one": one, "two": two}), **DRAWS)
    single = rb.Sample(labels, {"one": one, "two": two}, weights=np.full(300, 2.0))
    equal = rb.difference_band(single, **DRAWS)
    np.testing.assert_allclose(equal.lower, plain.lower, rtol=0, atol=0.02)
    np.testing.assert_allclose(equal.upper, plain.upper, rtol=0, atol=0.02)


def test_two_test_sets_are_as_they_were() -> None:
    one, two = (draw_equal_pooled(np.random.default_rng(seed), 40, 40) for seed in (1, 2))
    band = rb.difference_band(rb.Sample(*one[:2]), rb.Sample(*two[:2]), **DRAWS)
    assert not any("bump" in note for note in band.notes)
