"""Critical values: from the distribution under chance, the AUC, tied levels or a fitted curve.

Formulas (C1), (C6), (C8) and (C9) of docs/likelihood.md, section "Critical values"; those of tied
levels are in :mod:`rocbands.likelihood.levels`. What is simulated is in
:mod:`rocbands.likelihood.chance`, `future` and `fitted`. A reference implementation of the
quantiles is in tests/oracles/critical_values.py, compared in tests/likelihood/test_fitted.py.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import deepcopy
from typing import NamedTuple

import numpy as np

from rocbands.core.checks import CountArray, FloatArray, check_simulated_level
from rocbands.core.tolerance import SAME, SLACK
from rocbands.likelihood.chance import Quantiles, chance_quantiles
from rocbands.likelihood.corner import bound_weight, raise_value, weigh_corner
from rocbands.likelihood.excess import SIZES, find_excess
from rocbands.likelihood.fitted import binormal_statistics
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
