"""Where the critical value comes from, and why."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ._critical import critical_value, future_critical_value
from ._curves import Ints
from ._margin import Floats
from ._resample import binormal_statistics, level_statistics

CALIBRATIONS = ("auto", "chance", "bootstrap", "plugin")


class Calibrated(NamedTuple):
    """A critical value and a sentence that says where it comes from."""

    critical_value: float
    note: str


def calibrated(
    how: str,
    fp: Ints,
    tp: Ints,
    level: float,
    future: tuple[int, int] | None,
    n_resamples: int,
    rng: np.random.Generator,
) -> Calibrated:
    """Find the critical value for the curve with cumulative counts ``fp``, ``tp`` from (0, 0)."""
    tied = tied_share(fp, tp)
    if how == "auto":
        how = "bootstrap" if tied > TIED else "chance"
    n_pos, n_neg = int(tp[-1]), int(fp[-1])
    if how == "chance":
        if future is None:
            value = critical_value(n_pos, n_neg, level)
        else:
            value = future_critical_value(n_pos, n_neg, *future, level)
        return Calibrated(value, f"Critical value {value:.4f}, from the law under chance.")
    if how == "bootstrap":
        draws = level_statistics(np.diff(tp), np.diff(fp), n_resamples, rng, future=future)
        source = f"{n_resamples} resamples of the score levels ({tied:.0%} of the rows are tied)"
    else:
        draws = binormal_statistics(fp, tp, n_resamples, rng)
        source = f"{n_resamples} samples of a fitted binormal curve"
    value = _quantile(draws, level)
    return Calibrated(value, f"Critical value {value:.4f}, from {source}.")


TIED = 0.1


def tied_share(fp: Ints, tp: Ints) -> float:
    """Share of the rows whose score also belongs to a row of the other class."""
    neg, pos = np.diff(fp), np.diff(tp)
    mixed = (neg > 0) & (pos > 0)
    return float((neg + pos)[mixed].sum() / (fp[-1] + tp[-1]))


def _quantile(draws: Floats, level: float) -> float:
    """Return the smallest drawn value that at least ``level`` of the draws do not exceed."""
    rank = int(np.ceil(level * (draws.size + 1) - 1e-9))
    return float(np.sort(draws)[min(rank, draws.size) - 1])
