"""Critical values: from the distribution under chance, the AUC, tied levels or a fitted curve.

Formulas (C1), (C6), (C8) and (C9) of docs/likelihood.md, section "Critical values"; those of tied
levels are in :mod:`rocbands.likelihood.levels`. What is simulated is in
:mod:`rocbands.likelihood.chance` and `future`. A reference implementation of the quantiles is in
tests/oracles/critical_values.py, compared in tests/likelihood/test_fitted.py.

*Excess*, (C10) and (C11): the calibration 'curve' takes the largest c(a), the quantile of the
statistic for normal scores of equal variances with the AUC a, over all a within one standard error
of the observed AUC. The excess c(a) - c(1/2) is a polynomial in the iterated logarithms of the
class sizes and in the distance d' between the two means, a = Phi(d' / sqrt 2), fitted by
rocbands_studies.tables.excess_surface. Its reference implementation is tests/oracles/excess.py,
compared in tests/likelihood/test_excess.py.

*Corners* of the true curve and separated classes, (C12) to (C15): at a corner both rates err at
once, and the statistic is larger there than on a smooth curve. Its reference implementation is
tests/oracles/corner.py, compared in tests/likelihood/test_corner.py.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import deepcopy
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from rocbands.core.checks import CountArray, FloatArray, check_simulated_level
from rocbands.core.tolerance import SAME, SLACK
from rocbands.likelihood.chance import LEVELS, Quantiles, binormal_statistics, chance_quantiles
from rocbands.likelihood.future import Sizes, future_quantiles
from rocbands.likelihood.levels import find_level_values

CALIBRATIONS = ("auto", "curve", "chance", "levels", "plugin")

# 'auto' takes 'levels' if at least this share of the rows is tied with the other class: chosen by
# measured coverage (docs/likelihood.md).
TIED = 0.1
HIGH_DRAWS = (5_000, 50_000)  # for levels up to .999 and up to .9999, the highest

Future = tuple[int, int] | None


class CriticalValue(NamedTuple):
    """A critical value, at least `SLACK`, and a sentence that says where it comes from.

    Distances are computed to within `SLACK`: around a curve at distance 0 the edges could cross.
    """

    critical_value: float
    note: str
    draws: int = 0  # number of simulated sets; 0 if none
    error: float = 0.0  # its Monte Carlo standard error


def choose_calibration(fp: CountArray, tp: CountArray) -> str:
    """Choose what 'auto' does for the curve with these cumulative counts.

    Examples
    --------
    >>> choose_calibration(np.array([0, 0, 1, 2]), np.array([0, 1, 1, 1]))
    'curve'
    >>> choose_calibration(np.array([0, 1, 2]), np.array([0, 2, 3]))
    'levels'
    """
    # Two rows or more at each level that both classes have: without ties nothing is counted.
    may_be_tied = 2 < fp.size <= 1.0 + (1.0 - TIED / 2.0) * (int(fp[-1]) + int(tp[-1]))
    return "levels" if may_be_tied and tied_share(fp, tp) >= TIED else "curve"


def tied_share(fp: CountArray, tp: CountArray) -> float:
    """Share of the rows whose score also belongs to a row of the other class."""
    neg, pos = np.diff(fp), np.diff(tp)
    mixed = (neg > 0) & (pos > 0)  # levels with cases of both classes
    return float((neg + pos)[mixed].sum() / (fp[-1] + tp[-1]))


def find_critical_values(
    how: str,
    fp: CountArray,
    tp: CountArray,
    levels: Sequence[float],
    future: Future,
    n_resamples: int,
    rng: np.random.Generator | None = None,
    *,
    certificate: float = 0.0,
    auc: float = 0.5,
) -> list[CriticalValue]:
    """Find critical values for the curve with cumulative counts `fp`, `tp` from (0, 0).

    `how` is not 'auto', see :func:`choose_calibration`; simulations need `rng`. `certificate`:
    bound on the AUC error due to binning (docs/scale.md). `auc`: the area, for 'curve'.

    Levels share their draws, and high ones that need more start from the same stream: each value
    is what it would be alone, within the error of a draw (1e-3), and no level has a lower value
    than one below it.
    """
    if how == "chance":
        chance = _find_chance(int(tp[-1]), int(fp[-1]), future)
        values = [max(chance.read(level), SLACK) for level in levels]
        note = "Critical value {:.4f}, from the distribution under chance."
        return [CriticalValue(value, note.format(value)) for value in values]
    if how == "curve":
        return _by_auc(fp, tp, levels, future, certificate, auc)
    if how == "levels":
        return _by_levels(fp, tp, levels, future)
    assert rng is not None, "draws need a source"
    plans = {level: _plan_draws(level, n_resamples) for level in levels}
    numbers = list(dict.fromkeys(number for plan in plans.values() for number, _ in plan))
    found: dict[tuple[int, float], CriticalValue] = {}
    for number in numbers:
        # Each number of draws starts from the same state; the last one uses up the stream.
        own = rng if number == numbers[-1] else deepcopy(rng)
        read = {at for plan in plans.values() for count, at in plan if count == number}
        drawn = _by_simulation(fp, tp, sorted(read), number, own)
        found |= {(number, at): value for at, value in drawn.items()}
    return [max(found[one] for one in plans[level]) for level in levels]


def _plan_draws(level: float, least: int) -> list[tuple[int, float]]:
    """List numbers of draws and the level to read from each; the largest value counts.

    A quantile rests on five values beyond it or more, so that high levels need more draws than
    `least`. They also read the highest level of fewer draws: values never fall as the level rises.

    Examples
    --------
    >>> _plan_draws(0.95, 1000), _plan_draws(0.999, 1000)
    ([(1000, 0.95)], [(1000, 0.995), (5000, 0.999)])
    """
    check_simulated_level(level)
    plan: list[tuple[int, float]] = []
    for number in (least, *(number for number in HIGH_DRAWS if number > least)):
        highest = 1.0 - 5.0 / number
        plan.append((number, min(level, highest) if number < HIGH_DRAWS[-1] else level))
        if level <= highest:
            break
    return plan


def _find_chance(n_pos: int, n_neg: int, future: Future) -> Quantiles:
    """Return the critical values (C1), or (C5) for a future set."""
    if future is None:
        return chance_quantiles(*sorted((n_pos, n_neg)))
    return future_quantiles(Sizes(n_pos, n_neg, *future))


def _by_auc(
    fp: CountArray,
    tp: CountArray,
    levels: Sequence[float],
    future: Future,
    certificate: float,
    auc: float,
) -> list[CriticalValue]:
    """Add the excess of curves whose AUC is like the observed one, (C6), and that of corners."""
    n_pos, n_neg = sizes = int(tp[-1]), int(fp[-1])
    if min(auc, 1.0 - auc) < SAME:  # separated classes; sums of weights are rounded
        auc = float(round(auc))
    share = 1.0  # of the variance, that of the observed set
    if future is not None:
        # Two samples of m and m' cases vary together like one of m m' / (m + m').
        shares = [later / (now + later) for now, later in zip(sizes, future, strict=True)]
        n_pos, n_neg = (max(round(k * part), 1) for k, part in zip(sizes, shares, strict=True))
        share = max(shares)
    chance = _find_chance(*sizes, future)
    excess = find_excess(auc, n_pos, n_neg, certificate=certificate)
    if min(sizes) <= SIZES[0]:
        # The excess was fitted to larger sizes: the value is not below that of chance.
        excess = np.maximum(excess, 0.0)
    row = np.maximum.accumulate(chance.row + excess)  # (C6): no level is below a lower one
    weight = share * bound_weight(*sizes)
    found, weighed = [], False
    for level in levels:
        plain, value = (max(chance.read(level, one), SLACK) for one in (chance.row, row))
        like = f"an AUC near {auc:.3g}"
        raised = raise_value(value, plain, weight, level)
        if raised > value and not weighed:  # not so in large sets
            weight, weighed = share * weigh_corner(fp, tp, auc), True
            raised = raise_value(value, plain, weight, level)
        if auc in (0.0, 1.0):
            raised = max(raised, -share * math.log1p(-level))  # (C15)
        elif raised > value:
            like += " and a corner"
        note = f"Critical value {raised:.4f}, for curves with {like} (chance: {plain:.4f})."
        found.append(CriticalValue(raised, note))
    return found


def _by_levels(
    fp: CountArray, tp: CountArray, levels: Sequence[float], future: Future
) -> list[CriticalValue]:
    """Take the value for curves that consist of a few straight segments."""
    values = find_level_values(np.diff(tp), np.diff(fp), levels, future)
    tied = f"{tied_share(fp, tp):.0%} of the rows are tied"
    note = f"Critical value {{:.4f}}, for {fp.size - 1:,} levels of scores ({tied})."
    return [CriticalValue(max(one, SLACK), note.format(max(one, SLACK))) for one in values]


def _by_simulation(
    fp: CountArray, tp: CountArray, levels: Sequence[float], n_draws: int, rng: np.random.Generator
) -> dict[float, CriticalValue]:
    """Take quantiles (C8) of the statistic in test sets of a fitted curve."""
    draws = np.sort(binormal_statistics(fp, tp, n_draws, rng, level=min(levels)))
    found = {}
    for level in levels:
        value = max(_find_quantile(draws, level), SLACK)
        # (C9), above the quantile only: values below may be inexact.
        beyond = float(np.mean(draws > value))
        higher = min(level + math.sqrt(beyond * (1.0 - beyond) / n_draws), 1.0)
        error = max(_find_quantile(draws, higher), SLACK) - value
        note = f"Critical value {value:.4f}, from {n_draws} samples of a fitted binormal curve."
        found[level] = CriticalValue(value, note, n_draws, error)
    return found


def _find_quantile(draws: FloatArray, level: float) -> float:
    """Return the smallest of rising values that has its level, counting the observed set, (C8)."""
    # It counts as one more draw, so that the quantile has its level on average.
    place = math.ceil(level * (draws.size + 1) - SLACK) - 1
    return float(draws[min(place, draws.size - 1)])


# --------------------------------------------------------- excess over the critical value of chance

# Where the surface was fitted; beyond, the nearest value is taken.
SIZES = (12.0, 1e6)
LARGEST_SHIFT = 4.0
# Powers of d' / 2; there is no power 0, as the excess of chance is 0.
_SHIFT_POWERS = (1, 2, 3)
_SIZE_DEGREE = 4
# Points of the range of AUCs at which the excess is evaluated: it is smooth in between.
_POINTS: FloatArray = np.arange(33.0)


def polynomial_terms(small: float, large: float, shift: FloatArray) -> FloatArray:
    """Terms of the polynomial for one pair of class sizes, one row for each shift."""
    # 1.6 is near the middle of ln ln 12 = .91 to ln ln 10^6 = 2.63: powers stay small.
    a, b = (math.log(math.log(min(max(size, SIZES[0]), SIZES[1]))) - 1.6 for size in (small, large))
    sizes = [a**i * b**j for i in range(_SIZE_DEGREE + 1) for j in range(_SIZE_DEGREE + 1 - i)]
    half = np.clip(shift, 0.0, LARGEST_SHIFT)[:, None] / 2.0
    return np.concatenate([half**k * sizes for k in _SHIFT_POWERS], axis=1)


def find_excess(auc: float, n_pos: int, n_neg: int, *, certificate: float = 0.0) -> FloatArray:
    """Largest excess over AUCs within one standard error of the observed one, at LEVELS.

    It is symmetric in the class sizes. `certificate`: bound on the AUC error due to binning
    (docs/scale.md), which is added to the standard error.

    Examples
    --------
    >>> at = LEVELS.tolist().index(0.95)
    >>> print(round(find_excess(0.5, 50, 50)[at], 3), round(find_excess(0.9, 50, 50)[at], 3))
    0.002 -0.117
    """
    better = max(auc, 1.0 - auc)  # below 1/2: the curve with scores negated
    error = _standard_error(better, n_pos, n_neg) + certificate
    low, high = max(better - error, 0.5), min(better + error, 1.0)
    largest = LARGEST_SHIFT / math.sqrt(2.0)
    first, last = (min(max(float(ndtri(a)), 0.0), largest) * math.sqrt(2.0) for a in (low, high))
    half = _POINTS * ((last - first) / (_POINTS.size - 1) / 2.0) + first / 2.0
    half[-1] = last / 2.0
    powers = np.stack([half, half * half, half * half * half], axis=1)
    at_points = powers @ _find_cubics(*sorted((n_pos, n_neg)))
    excess: FloatArray = np.maximum.reduce(at_points, axis=0)
    return excess


@lru_cache(maxsize=256)
def _find_cubics(small: int, large: int) -> FloatArray:
    """Coefficients of the powers 1, 2 and 3 of d' / 2 at given class sizes, (3, levels)."""
    terms = polynomial_terms(small, large, np.array([2.0]))[0]  # all powers of 2 / 2 are 1
    parts = (_coefficients() * terms).reshape(LEVELS.size, len(_SHIFT_POWERS), -1)
    return np.ascontiguousarray(parts.sum(axis=2).T)


@cache
def _coefficients() -> FloatArray:
    """Interpolate the fits in -ln(1 - level), in which upper quantiles are nearly straight."""
    # Levels (k,) of the fits, ascending, and coefficients (k, terms), one row for each level.
    with np.load(Path(__file__).with_name("excess_surface.npz")) as data:
        levels, coefficients = data["levels"], data["coefficients"]
    at, nodes = -np.log1p(-LEVELS), -np.log1p(-levels)
    return np.stack([np.interp(at, nodes, one) for one in coefficients.T], axis=1)


def _standard_error(auc: float, n_pos: int, n_neg: int) -> float:
    """Hanley and McNeil's (1982), the larger one of a curve and the class-swapped one, (C11)."""
    pairs = n_pos * n_neg
    # Half a pair is added on both sides, so that an AUC of 1 is not certain.
    a = (auc * pairs + 0.5) / (pairs + 1.0)
    less, more = sorted((a / (2.0 - a) - a * a, 2.0 * a * a / (1.0 + a) - a * a))
    small, large = sorted((n_pos, n_neg))
    variance = (a * (1.0 - a) + (large - 1) * more + (small - 1) * less) / pairs
    # At least that of as many independent pairs at an AUC of 1/2: near 1 the formula is too small.
    return max(math.sqrt(variance), 0.5 / math.sqrt(pairs))


# -------------------------------------------------------------------- corners and separated classes

# Where the smaller class has more cases, the excess of smooth curves is enough for corners.
MOST_CASES = 2_000
_STRENGTH = 4.0 / 3.0  # of a sharp corner; .8 if its place were known
_FEW_ERRORS = 3.0  # below about so many a corner cannot be told from none


def raise_value(value: float, chance: float, weight: float, level: float) -> float:
    """Raise a critical value for a corner of the given weight, (C14).

    `chance`: the value under chance. The probability beyond c is (1 - level) e^(value - c) on the
    smooth parts of the curve, and weight e^(-c) at the corner.
    """
    return max(value, math.log(math.exp(min(value, chance)) + weight / (1.0 - level)))


def bound_weight(n_pos: int, n_neg: int) -> float:
    """Largest weight of a corner with these class sizes."""
    if min(n_pos, n_neg) > MOST_CASES:
        return 0.0
    return _STRENGTH * 4.0 * n_pos * n_neg / (n_pos + n_neg) ** 2


def weigh_corner(fp: CountArray, tp: CountArray, auc: float) -> float:
    """Weight of the corner at the vertex with the largest Youden index, (C13).

    `fp`, `tp`: cumulative counts at the vertices, from (0, 0). It is the same for the class-swapped
    curve and, unless the AUC is 1/2, for negated scores.

    Examples
    --------
    >>> corner = np.array([0, 10, 100]), np.array([0, 90, 100])
    >>> print(round(weigh_corner(*corner, 0.9), 2), weigh_corner(*corner, 0.98))
    0.72 0.0
    """
    n_pos, n_neg = int(tp[-1]), int(fp[-1])
    gap = n_neg * tp - n_pos * fp  # whole numbers: vertices of equal rank are told exactly
    if auc < 0.5:  # the curve with scores negated
        gap = -gap
        fp, tp, auc = n_neg - fp, n_pos - tp, 1.0 - auc
    largest = int(gap.max())
    sharp = _find_sharpness(largest / (n_pos * n_neg), auc, n_pos, n_neg)
    if sharp == 0.0:
        return 0.0
    vertex = np.flatnonzero(gap == largest)
    above, below = fp[vertex], n_pos - tp[vertex]  # the errors: negatives and positives
    x, y = (above + 0.5) / (n_neg + 1.0), 1.0 - (below + 0.5) / (n_pos + 1.0)
    spread = np.sqrt(x * (1.0 - x) * y * (1.0 - y))
    turn = np.maximum(y - x, 0.0) * math.sqrt(n_pos * n_neg) / ((n_pos + n_neg) * spread)
    half = turn / (1.0 + np.sqrt(1.0 + turn * turn))  # tangent of half the angle
    errors = (above + below) ** 2
    seen = float((half * half * errors / (errors + _FEW_ERRORS**2)).max())
    return bound_weight(n_pos, n_neg) * sharp * sharp * seen


def _find_sharpness(youden: float, auc: float, n_pos: int, n_neg: int) -> float:
    """Place the Youden index between those of normal scores, 0, and of two straight pieces, 1.

    Both have the given AUC, (C12). Half a step is taken off the empirical index, which is that of
    the outer corners.
    """
    if auc >= 1.0:
        return 0.0
    if auc == 0.5:
        return 1.0
    smooth = 2.0 * float(ndtr(ndtri(auc) / math.sqrt(2.0))) - 1.0
    youden -= 0.5 * (1.0 / n_pos + 1.0 / n_neg)
    return min(max((youden - smooth) / (2.0 * auc - 1.0 - smooth), 0.0), 1.0)
