"""Where the critical value comes from, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ._critical import critical_value, draws_for, empirical_quantile
from ._curves import Ints
from ._future import Sizes, future_critical_value
from ._resample import binormal_statistics, level_statistics

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

    All levels share their draws, where there are any.
    """
    if how == "auto":
        few = 2 <= fp.size - 1 <= MANY_LEVELS
        how = "bootstrap" if few and tied_share(fp, tp) >= TIED else "chance"
    if how == "chance":
        return [_by_chance(int(tp[-1]), int(fp[-1]), level, future) for level in levels]
    n_resamples, least = draws_for(max(levels), n_resamples), min(levels)
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
    return [Calibrated(value, f"Critical value {value:.4f}, from {source}.") for value in values]


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
