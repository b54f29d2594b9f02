"""Limits for the cost if the scores of both classes are normal: opt-in, for a model that is right.

Error rates come from each class's mean and standard deviation, not from counts, and so reach beyond
the observed scores.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

from rocbands.core.checks import CountArray, FloatArray
from rocbands.cost.limits import Limits, Observed, mover_sum
from rocbands.errors import InputError

__all__ = ["binormal"]

_FAR = 1e6  # standard deviations, beyond which every share is 0 or 1


def binormal(seen: Observed, level: float) -> Limits:
    """Model's cost, with limits of both probits combined as MOVER combines rates."""
    roc, cut = seen.roc, seen.thresholds.astype(np.float64)
    fn = _tail(*_mean_sd(roc.thresholds, roc.tp, "positive"), roc.n_pos, cut, level)
    # The share above a threshold is the share below it of mirrored scores.
    mean, sd = _mean_sd(roc.thresholds, roc.fp, "negative")
    fp = _tail(-mean, sd, roc.n_neg, -cut, level)
    weights = seen.at.w, 1.0 - seen.at.w
    cost = weights[0] * fn[0] + weights[1] * fp[0]
    down, up = (
        mover_sum(weights[0] * np.abs(fn[i] - fn[0]), weights[1] * np.abs(fp[i] - fp[0]), 0.0)
        for i in (1, 2)
    )
    return Limits(cost, cost - down, cost + up)


def _mean_sd(scores: npt.NDArray[np.generic], counts: CountArray, kind: str) -> tuple[float, float]:
    """Mean and standard deviation of one class, from its cumulative counts."""
    times = np.diff(counts, prepend=0)
    values, times = scores[times > 0].astype(np.float64), times[times > 0]
    size = int(counts[-1])
    finite = bool(np.isfinite(values).all())
    if not finite or values.size < 2:
        found = "some are infinite" if not finite else f"all {size} are {values[0]:g}"
        raise InputError(
            f"Method 'binormal' takes mean and spread of the {kind} scores; {found}. "
            "Use method='mover'."
        )
    mean = float(np.dot(times / size, values))
    reach = float(np.abs(values - mean).max())  # squares of shares neither overflow nor vanish
    return mean, reach * float(np.sqrt(np.dot(times, ((values - mean) / reach) ** 2) / (size - 1)))


def _tail(
    mean: float, sd: float, size: int, cut: FloatArray, level: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Share of scores below each threshold, with limits; certain at infinite thresholds."""
    finite = np.isfinite(cut)
    probit = (np.clip(cut, mean - _FAR * sd, mean + _FAR * sd) - mean) / sd
    reach = ndtri((1.0 + level) / 2.0) * np.sqrt((1.0 + probit**2 / 2.0) / size)
    certain = np.where(cut > 0, 1.0, 0.0)
    rates = (ndtr(probit + side) for side in (0.0, -reach, reach))
    share, low, high = (np.where(finite, rate, certain) for rate in rates)
    return share, low, high
