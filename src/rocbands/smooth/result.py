"""A smooth ROC curve with its band, its area and how far it is from the empirical curve."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from rocbands.core.attributes import Rate
from rocbands.core.band import Band
from rocbands.core.checks import FloatArray
from rocbands.core.columns import Numbers
from rocbands.core.phrases import in_100, usual_fpr
from rocbands.core.result import percent, require


@dataclass(frozen=True, eq=False, repr=False)
class SmoothCurve(Band):
    """A smooth curve fitted to a test set, with a simultaneous band and an interval of its area.

    It is a :class:`Band` whose centre is the smooth curve: `tpr_at`, `lower_at`, `upper_at`,
    `contains` and `view` are those of a band.

    Attributes
    ----------
    roc : RocCurve
        The empirical curve.
    region : Region
        The closed region between the edges.
    level : float
        Nominal confidence level, of the band and of the interval of the area.
    method : SmoothMethod
        The method that fitted the curve, with its parameters.
    auc_low, auc_high : float
        Confidence limits of the area under the true curve; :attr:`auc` is the smooth curve's.
    fitted : mapping of str to float
        What was estimated: 'a' and 'b' of a binormal curve, widths of kernels, or the mode and the
        scales on both sides of it of each class.
    distance : float
        Largest distance of the smooth from the empirical curve: a move of both rates by so much,
        one up and the other down.
    fit_pvalue : float or None
        P-value of a test whether the model fits the scores; None if there is no such test.
    future, notes, centre, target, centre_name, simulation
        As in :class:`Band`.

    Examples
    --------
    >>> import rocbands as rb
    >>> curve = rb.smooth_curve(rb.load_example()["logistic"])
    >>> print(curve.tpr_at(0.1).round(2), round(curve.auc, 3), round(curve.fitted["b"], 2))
    0.69 0.901 1.13
    """

    schema: ClassVar[str] = "rocbands.smooth-curve/1"
    FACTS: ClassVar[str] = (
        "method level coverage target guarantee notes n_pos n_neg auc auc_low auc_high fitted "
        "distance fit_pvalue area"
    )
    COLUMNS: ClassVar[Mapping[str, Any]] = {**Band.COLUMNS, "empirical": Rate}

    auc_low: Rate = field(kw_only=True)
    auc_high: Rate = field(kw_only=True)
    fitted: Mapping[str, float] = field(kw_only=True)
    distance: Rate = field(kw_only=True)
    fit_pvalue: Rate | None = field(default=None, kw_only=True)

    def _check(self) -> None:
        super()._check()
        inside = 0.0 <= self.auc_low <= self.auc <= self.auc_high <= 1.0
        require(inside, "The area must lie between its limits, from 0 to 1.")

    def tpr_at(self, fpr: Numbers) -> FloatArray:
        """Height of the smooth curve at any fpr; 0 at 0, where every smooth curve starts."""
        return np.where(np.asarray(fpr) == 0.0, 0.0, super().tpr_at(fpr))

    def _rows(self, fpr: FloatArray) -> dict[str, Any]:
        own = {"tpr": self.tpr_at(fpr), "empirical": self.roc.curve.high(fpr)}
        return super()._rows(fpr) | own

    @property
    def sentence(self) -> str:
        """The area, and the curve at one false positive rate: 10%, or less for rare positives."""
        at = usual_fpr(self.n_pos, self.n_neg)
        height, low, high = (float(of(at)) for of in (self.tpr_at, self.lower_at, self.upper_at))
        return (
            f"The smooth curve has AUC {self.auc:.3f} ({self.auc_low:.3f} to {self.auc_high:.3f}); "
            f"at a false positive rate of {percent(at)} it finds "
            f"{in_100(height, low, high, of='positives')}."
        )

    def describe(self) -> tuple[str, Mapping[str, Any]]:
        said, rows = super().describe()
        fitted = ", ".join(f"{name} {value:.4g}" for name, value in self.fitted.items())
        near = f"Largest distance from the empirical curve {self.distance:.4f}."
        return f"{said}\nFitted: {fitted}.\n{near}", rows
