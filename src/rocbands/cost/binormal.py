"""Limits for the cost if the scores of both classes are normal.

Error rates come from each class's mean and standard deviation, not from counts, so they extrapolate
beyond the observed scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from rocbands.core.checks import CountArray, FloatArray
from rocbands.cost.counts import ErrorCounts, WeightedCounts
from rocbands.cost.method import DUGAS_GADOURY, CostLimits, CostMethod
from rocbands.cost.mover import combine_distances
from rocbands.errors import InputError, Message, arg

_FAR = 1e6  # standard deviations, beyond which every share is 0 or 1
_LARGEST = 1e300  # in size: sums of scores and their spread stay finite


@dataclass(frozen=True)
class BinormalCost(CostMethod):
    """Cost of a normal model, with limits of both probits combined as MOVER combines rates.

    In a class with mean m and standard deviation s the share below the threshold t is Phi(z) with z
    = (t - m) / s, whose standard error is sqrt((1 + z^2 / 2) / n). Much narrower than the others,
    and valid only if the scores of both classes are normal. One classifier only, with fixed class
    sizes; it needs the scores themselves, not bins.
    """

    name: ClassVar[str] = "binormal"
    guarantee: ClassVar[str] = (
        "approximate if both classes are normal (measured .89 to .92 for .90)"
    )
    idea: ClassVar[str] = "error rates of a normal model fitted to each class"
    references: ClassVar[tuple[str, ...]] = (DUGAS_GADOURY,)
    note: ClassVar[str] = (
        "Costs and limits hold if the scores of both classes are normal, and only then."
    )

    def find_limits(self, counts: WeightedCounts, level: float, critical: float) -> CostLimits:
        if not isinstance(counts, ErrorCounts) or counts.roc is None or counts.thresholds is None:
            raise TypeError("Method 'binormal' needs the scores of one model, not counts alone.")
        roc, cut = counts.roc, counts.thresholds.astype(np.float64)
        if roc.binned:  # even if each bin contains one class only
            raise InputError(
                "Method 'binormal' needs the scores themselves",
                "the curve has bins",
                Message("Use {}, or count every score.", arg("method", "mover")),
            )
        mean, sd = _find_mean_sd(roc.thresholds, roc.tp, "positive")
        fn = _find_tail(mean, sd, roc.n_pos, cut, critical)
        # The share above a threshold is the share below it of mirrored scores.
        mean, sd = _find_mean_sd(roc.thresholds, roc.fp, "negative")
        fp = _find_tail(-mean, sd, roc.n_neg, -cut, critical)
        w = counts.weight
        cost = w[0] * fn[0] + w[1] * fp[0]
        below, above = (
            combine_distances(w[0] * np.abs(fn[i] - fn[0]), w[1] * np.abs(fp[i] - fp[0]), 0.0)
            for i in (1, 2)
        )
        return CostLimits(cost, cost - below, cost + above)


def _find_mean_sd(
    scores: npt.NDArray[np.generic], counts: CountArray, kind: str
) -> tuple[float, float]:
    """Mean and standard deviation of one class, from its cumulative counts."""
    times = np.diff(counts, prepend=0)
    values, times = scores[times > 0].astype(np.float64), times[times > 0]
    size = int(counts[-1])
    finite = bool(np.isfinite(values).all())
    if not finite or values.min() == values.max():  # perhaps only as floats
        raise InputError(
            f"Method 'binormal' takes mean and spread of the {kind} scores",
            "some are infinite" if not finite else f"all {size} are {values[0]:g}",
            Message("Use {}.", arg("method", "mover")),
        )
    if np.abs(values).max() > _LARGEST:
        raise InputError(
            f"Method 'binormal' takes mean and spread of the {kind} scores",
            f"some are beyond {_LARGEST:g}",
            "Divide all scores and thresholds by a large number.",
        )
    mean = float(np.dot(times / size, values))
    reach = float(
        np.abs(values - mean).max()
    )  # scaled, so that squares neither overflow nor underflow
    return mean, reach * float(np.sqrt(np.dot(times, ((values - mean) / reach) ** 2) / (size - 1)))


def _find_tail(
    mean: float, sd: float, size: int, cut: FloatArray, critical: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Share of scores below each threshold, with limits; certain at infinite thresholds."""
    finite = np.isfinite(cut)
    probit = (np.clip(cut, mean - _FAR * sd, mean + _FAR * sd) - mean) / sd
    reach = critical * np.sqrt((1.0 + probit**2 / 2.0) / size)
    certain = np.where(cut > 0, 1.0, 0.0)
    rates = (ndtr(probit + side) for side in (0.0, -reach, reach))
    share, lower, upper = (np.where(finite, rate, certain) for rate in rates)
    return share, lower, upper
