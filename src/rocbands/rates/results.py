"""Recall at every rate of acting, with its limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from rocbands.core.band import Coverage
from rocbands.core.checks import FloatArray, check_unit_interval, frozen
from rocbands.core.result import Result
from rocbands.errors import InputError

__all__ = ["RateBounds", "Scheme"]

Scheme = Literal["counts", "reference"]

_COLUMNS = ("rate", "tpr", "lower", "upper", "fpr", "fpr_lower", "fpr_upper")
_SHOWN = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)
_FEW = 12  # rows that fit a screen
_SAME = 1e-12  # rates closer than this are equal


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RateBounds(Result):
    """Share of positives found when a fixed share of cases is acted on, with limits.

    At a given rate the recall fixes the false positive rate: all points lie on one line, the rate
    isometric ``prevalence * tpr + (1 - prevalence) * fpr = rate``. Limits are to be read along it:
    on it a higher recall means a lower fpr, so `fpr_lower`, which belongs to `lower`, is the
    larger of the two.

    Attributes
    ----------
    rate : ndarray of shape (k,)
        Shares of cases that are acted on, never falling.
    tpr : ndarray of shape (k,)
        Recall of the consensus: the folds' average at each rate. It may lie outside the limits,
        which are centred on `model_mean`.
    lower, upper : ndarray of shape (k,)
        Limits of the recall.
    prevalence : float
        Share of positives that links rate, recall and false positive rate.
    n_folds, n_pos, n_neg : int
        Number of folds, 1 for a single test set, and class sizes over all of them.
    level : float
        Nominal confidence level at each rate.
    method : str
        How the limits were found.
    prediction : bool
        True: limits are for new data; False: for the true curve.
    scheme : {'counts', 'reference'}
        How folds are put together: by adding up counts at a rate, or by cutting each fold's curve
        at the rate of a population with the reference prevalence.
    target : str
        What the limits are for.
    model_mean : ndarray of shape (k,) or None
        Expected recall under the fitted curve, where the method has one.
    heterogeneity : float or None
        How much more the folds vary than rows drawn from one curve would: the ratio of the two
        variances, averaged over rates from 0.1 to 0.9, whatever `rate` is. None for a single test
        set.
    notes : tuple of str
        What the reader should know about these very limits.

    See Also
    --------
    rocbands.rate_bounds : make them.
    """

    schema: ClassVar[str] = "rocbands.rate-bounds/1"
    coverage: ClassVar[Coverage] = "pointwise"

    rate: FloatArray
    tpr: FloatArray
    lower: FloatArray
    upper: FloatArray
    prevalence: float
    n_folds: int
    n_pos: int
    n_neg: int
    level: float
    method: str
    target: str
    prediction: bool = False
    scheme: Scheme = "counts"
    model_mean: FloatArray | None = None
    heterogeneity: float | None = None
    notes: tuple[str, ...] = ()
    frame: str | None = None

    def __post_init__(self) -> None:
        for name in ("rate", "tpr", "lower", "upper", "model_mean"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, frozen(getattr(self, name)))
        assert (np.diff(self.rate) >= 0).all(), "rates must not fall"
        assert (self.lower <= self.upper).all(), "limits must be ordered"

    @property
    def fpr(self) -> FloatArray:
        """False positive rate of the consensus."""
        return self._fpr(self.tpr)

    @property
    def fpr_lower(self) -> FloatArray:
        """False positive rate where the recall is at its lower limit: the larger of the two."""
        return self._fpr(self.lower)

    @property
    def fpr_upper(self) -> FloatArray:
        """False positive rate where the recall is at its upper limit: the smaller of the two."""
        return self._fpr(self.upper)

    @property
    def feasible(self) -> tuple[FloatArray, FloatArray]:
        """Smallest and largest recall that the rate allows at all."""
        pi = self.prevalence
        low = np.maximum(0.0, (self.rate - (1.0 - pi)) / pi)
        return low, np.minimum(1.0, self.rate / pi)

    def _fpr(self, recall: FloatArray) -> FloatArray:
        pi = self.prevalence
        fpr = (self.rate - pi * recall) / (1.0 - pi)
        # Rounding must not leave the square; limits that are meant to leave it may.
        inside = np.clip(fpr, 0.0, 1.0)
        return np.where(np.abs(fpr - inside) < 1e-9, inside, fpr)

    def at(self, rate: npt.ArrayLike) -> RateBounds:
        """Return the limits at one or several rates, by straight lines between neighbours.

        Rates beyond the first or the last one that there are limits for are refused.
        """
        wanted = np.sort(np.atleast_1d(check_unit_interval(rate, "rate")).ravel())
        if not wanted.size:
            raise InputError("`rate` must hold at least one number; it is empty. Try rate=0.05.")
        first, last = float(self.rate[0]), float(self.rate[-1])
        if wanted[0] < first - _SAME or wanted[-1] > last + _SAME:
            beyond = wanted[0] if wanted[0] < first - _SAME else wanted[-1]
            raise InputError(
                f"`rate` must lie between the rates that there are limits for, from {first:g} to "
                f"{last:g}; got {beyond:g}. Name it in `rates` of rate_bounds, or leave that out."
            )

        def read(values: FloatArray) -> FloatArray:
            return np.interp(wanted, self.rate, values)

        mean = None if self.model_mean is None else read(self.model_mean)
        lower, upper = read(self.lower), read(self.upper)
        return replace(
            self, rate=wanted, tpr=read(self.tpr), lower=lower, upper=upper, model_mean=mean
        )

    def sentence(self, rate: float) -> str:
        """Say what is found at a rate, in words.

        Examples
        --------
        >>> import rocbands as rb
        >>> y, models = rb.load_example()
        >>> bounds = rb.rate_bounds(y, models["logistic"], positive="malignant")
        >>> bounds.sentence(0.2)
        'At a rate of 20% we find 46% (43-49%) of positives.'
        """
        here = self.at(rate)
        if here.rate.size != 1:
            raise InputError(f"`rate` must be one number; got {here.rate.size} of them.")
        found, low, high = (100.0 * float(v[0]) for v in (here.tpr, here.lower, here.upper))
        digits = 0 if high - low >= 2.0 else 1 if high - low >= 0.2 else 2
        return (
            f"At a rate of {100 * here.rate[0]:.3g}% we find {found:.{digits}f}% "
            f"({low:.{digits}f}-{high:.{digits}f}%) of positives."
        )

    def facts(self) -> Mapping[str, object]:
        names = ("level", "method", "coverage", "target", "prediction", "scheme", "prevalence")
        sizes = ("n_folds", "n_pos", "n_neg", "heterogeneity", "notes")
        return {name: getattr(self, name) for name in (*names, *sizes)}

    def columns(self) -> Mapping[str, Any]:
        return {name: getattr(self, name) for name in _COLUMNS}

    def summary(self) -> tuple[str, Mapping[str, Any]]:
        kind = "prediction" if self.prediction else "confidence"
        few = self.rate.size <= _FEW
        shown = self if few else self.at(self._some())
        speak = float(shown.rate[np.argmin(np.abs(shown.rate - 0.05))])
        folds = "one test set" if self.n_folds == 1 else f"{self.n_folds} folds"
        lines = [
            self.sentence(speak),
            f"Limits hold at each rate with {self.level:.10g} {kind} ({self.method}), "
            f"for the {self.target}.",
            f"{self.n_pos} positives, {self.n_neg} negatives in {folds}.",
        ]
        if self.heterogeneity is not None:
            lines.append(
                f"Folds vary {self.heterogeneity:.2f} times as much as rows of one curve would."
            )
        columns = shown.columns()
        return "\n".join([*lines, *self.notes]), {
            name: columns[name] for name in ("rate", "tpr", "lower", "upper", "fpr")
        }

    def _some(self) -> FloatArray:
        """Return rates that fit a screen: round ones, or if none is reached some of the own."""
        round_ones = np.array(_SHOWN)
        reached = round_ones[(round_ones >= self.rate[0]) & (round_ones <= self.rate[-1])]
        return reached if reached.size else self.rate[:: -(-self.rate.size // _FEW)]
