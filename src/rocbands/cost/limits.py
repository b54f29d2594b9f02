"""Limits for the cost of one classifier at thresholds that were chosen beforehand."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from rocbands._math.binomial import wilson_limits
from rocbands.core.checks import FloatArray
from rocbands.core.roc import RocCurve
from rocbands.cost.conditions import Conditions, Sampling
from rocbands.cost.counts import Errors
from rocbands.cost.laws import full_law, stratified_law
from rocbands.cost.moments import moments

__all__ = ["Limits", "Observed", "exact", "gaussian", "mover", "mover_sum"]


class Observed(NamedTuple):
    """What limits are made from.

    Attributes
    ----------
    roc : RocCurve
        The test set.
    thresholds : ndarray of shape (k,)
        The thresholds.
    errors : Errors
        Errors at them.
    at : Conditions
        Operating conditions and what an error costs there.
    sampling : {'stratified', 'full'}
        Whether class sizes are fixed.
    """

    roc: RocCurve
    thresholds: npt.NDArray[Any]
    errors: Errors
    at: Conditions
    sampling: Sampling

    @property
    def cost(self) -> FloatArray:
        """The observed cost."""
        return np.asarray(self.at.c_fn * self.errors.fn + self.at.c_fp * self.errors.fp)

    @property
    def sizes(self) -> tuple[int, int]:
        """Number of cases among which false negatives and false positives are counted."""
        n_pos, n_neg = self.errors.n_pos, self.errors.n_neg
        return (n_pos, n_neg) if self.sampling == "stratified" else (n_pos + n_neg,) * 2


class Limits(NamedTuple):
    """A cost and its limits at each condition."""

    cost: FloatArray
    low: FloatArray
    high: FloatArray


def gaussian(seen: Observed, level: float) -> Limits:
    """Mean plus and minus standard errors: Dugas and Gadoury's interval, cut off at 0 and 1."""
    found = moments(seen.errors, seen.at, seen.sampling)
    half = ndtri((1.0 + level) / 2.0) * np.sqrt(found.variance)
    return Limits(seen.cost, found.mean - half, found.mean + half)


def exact(seen: Observed, level: float) -> Limits:
    """Percentiles of the true law over all resamples."""
    errors, at, (n_pos, n_neg) = seen.errors, seen.at, (seen.errors.n_pos, seen.errors.n_neg)
    ends = np.empty((2, at.w.size))
    columns = (errors.fn.tolist(), errors.fp.tolist(), at.c_fn.tolist(), at.c_fp.tolist())
    for i, (fn, fp, c_fn, c_fp) in enumerate(zip(*columns, strict=True)):
        law = (
            stratified_law(fn, n_pos, fp, n_neg, c_fn, c_fp)
            if seen.sampling == "stratified"
            else full_law(fn, fp, n_pos + n_neg, c_fn, c_fp)
        )
        ends[:, i] = law.limits(level)
    return Limits(seen.cost, ends[0], ends[1])


def mover(seen: Observed, level: float) -> Limits:
    """Wilson's limits of both error rates, their distances from the rates added as variances are.

    With random class sizes both counts share the rows, and are correlated.
    """
    fn, fp = (
        count / size
        for count, size in zip((seen.errors.fn, seen.errors.fp), seen.sizes, strict=True)
    )
    correlation = np.zeros(seen.at.w.shape)
    if seen.sampling == "full":
        both = fn * fp
        np.divide(both, (1.0 - fn) * (1.0 - fp), out=correlation, where=both > 0)
        correlation = -np.sqrt(np.minimum(correlation, 1.0))
    ends = []
    for fn_end, fp_end in zip(
        wilson_limits(fn, seen.sizes[0], level),
        wilson_limits(fp, seen.sizes[1], level),
        strict=True,
    ):
        one = seen.at.c_fn * seen.sizes[0] * np.abs(fn_end - fn)
        other = seen.at.c_fp * seen.sizes[1] * np.abs(fp_end - fp)
        ends.append(mover_sum(one, other, correlation))
    return Limits(seen.cost, seen.cost - ends[0], seen.cost + ends[1])


def mover_sum(one: FloatArray, other: FloatArray, correlation: FloatArray | float) -> FloatArray:
    """Distance of a sum's limit from the sum, from those of its two terms.

    Examples
    --------
    >>> import numpy as np
    >>> print(mover_sum(np.array([3.0, 3.0]), np.array([4.0, 4.0]), np.array([0.0, -1.0])))
    [5. 1.]
    """
    # As a sum of squares it cannot fall below 0 by rounding.
    along = one + correlation * other
    return np.asarray(np.sqrt(along**2 + (1.0 - np.square(correlation)) * other**2))
