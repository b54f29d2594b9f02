"""Section 7: score distributions extrapolated beyond the data, here as normal ones.

The authors propose it against the breaks of coverage near w = 0 and 1, where the best thresholds
leave the observed scores and no error is counted. Nothing of it is in their experiments.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from rocbands.core.checks import CountArray, FloatArray
from rocbands.core.roc import RocCurve
from rocbands.cost import CostMethod
from rocbands.cost.conditions import Conditions
from rocbands.cost.result import CostIntervals
from rocbands.cost.terms import CostLimits, CostTerms
from rocbands.cost.thresholds import check_thresholds
from rocbands.errors import InputError, Message, arg

_FAR = 1e6  # standard deviations, beyond which every share is 0 or 1
_LARGEST = 1e300  # in size: sums of scores and their spread stay finite


class ScoredAt(NamedTuple):
    """The scores of a test set, and the threshold of each condition."""

    roc: RocCurve
    thresholds: FloatArray


@dataclass(frozen=True)
class BinormalCost(CostMethod):
    """Cost of a normal model, with limits of both probits combined as MOVER combines rates.

    In a class with mean m and standard deviation s the share below the threshold t is Phi(z) with z
    = (t - m) / s, whose standard error is sqrt((1 + z^2 / 2) / n). So error rates extrapolate
    beyond the observed scores. Valid only if the scores of both classes are normal, and much
    narrower than other limits. One test set of one model, with fixed class sizes; it needs the
    scores themselves, not bins.

    Notes
    -----
    Terms of a cost have shares of rows, which are 0 or 1 beyond the data. So a call keeps scores
    and thresholds for :meth:`find_limits`.

    Examples
    --------
    No row of the example scores below 0.007. So no positive is missed at 0.001, and by counts the
    cost is that of the false alarms, 0.01. The normal model adds what it expects to be missed:

    >>> import rocbands as rb
    >>> sample = rb.load_example()["logistic"]
    >>> found = rb.cost_interval(sample, method=BinormalCost(), thresholds=0.001, w=0.99)
    >>> print(found.fn, found.cost.round(4), found.lower.round(4), found.upper.round(4))
    [0] [0.0173] [0.0126] [0.0261]
    """

    name: ClassVar[str] = "binormal"
    guarantee: ClassVar[str] = "approximate if both classes are normal, and only then"
    idea: ClassVar[str] = "error rates of a normal model fitted to each class"
    references: ClassVar[tuple[str, ...]] = (
        "Dugas and Gadoury (2009), Pointwise exact bootstrap distributions of cost curves, CRM "
        "working paper 3287, section 7.",
    )

    data: ScoredAt | None = field(default=None, repr=False, compare=False)  # during a call

    @property
    def parameters(self) -> dict[str, Any]:
        return {}

    def __call__(
        self, roc: RocCurve, thresholds: Any, conditions: Conditions, *, level: float = 0.95
    ) -> CostIntervals:
        cut = check_thresholds(thresholds, conditions.w.size).astype(np.float64)
        keeping = replace(self, data=ScoredAt(roc, cut))
        return CostMethod.__call__(keeping, roc, thresholds, conditions, level=level)

    def find_limits(self, terms: CostTerms, level: float, critical: float) -> CostLimits:
        if self.data is None:
            raise InputError(
                f"Method {self.name!r} has limits for one model, not for a difference",
                "",
                Message("Use {}.", arg("method", "mover")),
            )
        roc, cut = self.data
        if roc.binned:  # even if each bin contains one class only
            raise InputError(
                f"Method {self.name!r} needs the scores themselves",
                "the curve has bins",
                Message("Use {}, or count every score.", arg("method", "mover")),
            )
        mean, sd = _find_mean_sd(roc.thresholds, roc.tp, "positive")
        fn = _find_tail(mean, sd, roc.n_pos, cut, critical)
        # The share above a threshold is the share below it of mirrored scores.
        mean, sd = _find_mean_sd(roc.thresholds, roc.fp, "negative")
        fp = _find_tail(-mean, sd, roc.n_neg, -cut, critical)
        w = terms.weight
        cost = w[0] * fn[0] + w[1] * fp[0]
        below, above = (
            np.hypot(w[0] * (fn[end] - fn[0]), w[1] * (fp[end] - fp[0])) for end in (1, 2)
        )
        return CostLimits(cost, cost - below, cost + above)

    def note_doubts(self, roc: RocCurve, reliability: npt.NDArray[np.str_]) -> tuple[str, ...]:
        return ("Costs and limits hold if the scores of both classes are normal, and only then.",)


def _find_mean_sd(scores: npt.NDArray[Any], counts: CountArray, kind: str) -> tuple[float, float]:
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
    # Scaled by the largest deviation, so that squares neither overflow nor underflow.
    largest = float(np.abs(values - mean).max())
    squares = np.dot(times, ((values - mean) / largest) ** 2)
    return mean, largest * float(np.sqrt(squares / (size - 1)))


def _find_tail(
    mean: float, sd: float, size: int, cut: FloatArray, critical: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Share of scores below each threshold, with limits; certain at infinite thresholds."""
    probit = (np.clip(cut, mean - _FAR * sd, mean + _FAR * sd) - mean) / sd
    half = critical * np.sqrt((1.0 + probit**2 / 2.0) / size)
    certain = np.where(cut > 0, 1.0, 0.0)
    share, lower, upper = (
        np.where(np.isfinite(cut), ndtr(probit + shift), certain) for shift in (0.0, -half, half)
    )
    return share, lower, upper
