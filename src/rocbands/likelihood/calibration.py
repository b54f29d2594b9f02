"""Where the critical value comes from, and why."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import NamedTuple

import numpy as np

from rocbands.likelihood.critical import critical_value, draws_for, empirical_quantile
from rocbands.likelihood.curves import Ints
from rocbands.likelihood.future import Sizes, future_critical_value
from rocbands.likelihood.resampled import binormal_statistics, level_statistics

CALIBRATIONS = ("auto", "chance", "bootstrap", "plugin")

# What "auto" does was settled by measurement (docs/likelihood.md). Chance labels are right for
# untied scores. When at least this share of the rows is tied with the other class ...
TIED = 0.1
# ... and the scores take no more levels than this, the levels are resampled. With one level there
# is nothing to resample; with very many the curve has small steps again.
MANY_LEVELS = 300


class Calibrated(NamedTuple):
    """A critical value and a sentence that says where it comes from."""

    critical_value: float
    note: str


def calibrated(
    how: str,
    fp: Ints,
    tp: Ints,
    levels: Sequence[float],
    future: tuple[int, int] | None,
    n_resamples: int,
    rng: np.random.Generator,
) -> list[Calibrated]:
    """Find critical values for the curve with cumulative counts ``fp``, ``tp`` from (0, 0).

    Levels that need as many draws share them, where there are any. Those that need more start from
    the same stream, so that each value is what it would be alone.
    """
    if how == "auto":
        few = 2 <= fp.size - 1 <= MANY_LEVELS
        how = "bootstrap" if few and tied_share(fp, tp) >= TIED else "chance"
    if how == "chance":
        return [_by_chance(int(tp[-1]), int(fp[-1]), level, future) for level in levels]
    sizes = [draws_for(level, n_resamples) for level in levels]
    found: dict[int, dict[float, Calibrated]] = {}
    kinds = list(dict.fromkeys(sizes))
    for size in kinds:
        own = rng if size == kinds[-1] else deepcopy(rng)
        alike = [level for level, other in zip(levels, sizes, strict=True) if other == size]
        found[size] = _by_draws(how, fp, tp, alike, future, size, own)
    return [found[size][level] for level, size in zip(levels, sizes, strict=True)]


def _by_draws(
    how: str,
    fp: Ints,
    tp: Ints,
    levels: Sequence[float],
    future: tuple[int, int] | None,
    n_resamples: int,
    rng: np.random.Generator,
) -> dict[float, Calibrated]:
    least = min(levels)
    if how == "bootstrap":
        pos, neg, future = _one_way_round(np.diff(tp), np.diff(fp), future)
        draws = level_statistics(pos, neg, n_resamples, rng, future=future, level=least)
        tied = f"{tied_share(fp, tp):.0%} of the rows are tied"
        source = f"{n_resamples} resamples of the score levels ({tied})"
    else:
        draws = binormal_statistics(fp, tp, n_resamples, rng, level=least)
        source = f"{n_resamples} samples of a fitted binormal curve"
    draws.sort()
    # The observed set counts as one more draw: with it a quantile holds its level on average.
    values = [empirical_quantile(draws, level * (1 + 1 / draws.size)) for level in levels]
    return {
        level: Calibrated(value, f"Critical value {value:.4f}, from {source}.")
        for level, value in zip(levels, values, strict=True)
    }


def _by_chance(n_pos: int, n_neg: int, level: float, future: tuple[int, int] | None) -> Calibrated:
    if future is None:
        value = critical_value(n_pos, n_neg, level)
    else:
        value = future_critical_value(Sizes(n_pos, n_neg, *future), level)
    return Calibrated(value, f"Critical value {value:.4f}, from the law under chance.")


def tied_share(fp: Ints, tp: Ints) -> float:
    """Share of the rows whose score also belongs to a row of the other class."""
    neg, pos = np.diff(fp), np.diff(tp)
    mixed = (neg > 0) & (pos > 0)
    return float((neg + pos)[mixed].sum() / (fp[-1] + tp[-1]))


def _one_way_round(
    pos: Ints, neg: Ints, future: tuple[int, int] | None
) -> tuple[Ints, Ints, tuple[int, int] | None]:
    """Choose between a curve and its mirror image, which have the same law.

    Resampling the same one of the two, whichever was given, makes the band of a mirrored curve the
    exact mirror image of the band, random numbers and all.
    """
    if pos.tolist() <= neg[::-1].tolist():
        return pos, neg, future
    return neg[::-1], pos[::-1], None if future is None else (future[1], future[0])
