"""Cost curves: the smallest cost at every operating condition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from rocbands.core.attributes import Axes, Derived, Number, Rate, type_columns
from rocbands.core.checks import CountArray, FloatArray
from rocbands.core.columns import Numbers
from rocbands.core.phrases import count_classes
from rocbands.core.result import document_plot, require
from rocbands.core.roc import CurveFacts, RocCurve
from rocbands.core.thresholds import write_thresholds
from rocbands.cost.conditions import check_w
from rocbands.cost.wording import (
    ERRORS,
    explain_scale,
    join_lines,
    number_of,
    say_ratio,
    select_rows,
)

_OPTIMISTIC = (
    "Optimistic: thresholds were chosen on these rows, so costs look lower than they are; "
    "there is no confidence statement. Choose thresholds on other rows for one "
    "(on the command line: --split)."
)
_INFINITE = "Some scores are inf: threshold inf calls them positive, though the curve does not."


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class CostCurve(CurveFacts):
    """Smallest normalised cost at every operating condition w, over all thresholds of one set.

    The curve consists of straight pieces, one for each corner of the ROC curve's convex hull. Every
    threshold is the best of many on the same rows, so the curve is optimistic; it has no confidence
    limits.

    Attributes
    ----------
    w : ndarray of shape (k + 1,)
        Breakpoints, from 0 to 1.
    cost : ndarray of shape (k + 1,)
        The cost there; 0 at both ends.
    threshold : ndarray of shape (k,)
        The best threshold of each piece, falling: a row is called positive when its score >=
        threshold, and inf calls none positive.
    hull_fp, hull_tp : ndarray of int64
        Corners of the ROC curve's convex hull, as counts, from none to all called positive.
    hull_fpr, hull_tpr : ndarray of float64
        The same as rates, weighted if rows are.
    roc : RocCurve
        The curve they come from.
    floor : CostCurve or None
        With binned counts, the lowest curve that they allow; this one is the highest.

    See Also
    --------
    rocbands.cost_curve : make one.
    rocbands.cost_interval : intervals for the cost of thresholds that were chosen beforehand.
    """

    schema: ClassVar[str] = "rocbands.cost-curve/1"
    FACTS: ClassVar[str] = (
        "area hull_auc ks minimum_error_rate beats_trivial n_pos n_neg auc certificate notes"
    )
    COLUMNS: ClassVar[Mapping[str, Any]] = type_columns(
        (Rate, "w_from w_to cost_from cost_to"), (Number, "threshold")
    )

    w: FloatArray
    cost: FloatArray
    threshold: npt.NDArray[Any]
    hull_fp: CountArray
    hull_tp: CountArray
    hull_fpr: FloatArray
    hull_tpr: FloatArray
    roc: RocCurve
    floor: CostCurve | None = None

    def _check(self) -> None:
        require(tuple(self.w[[0, -1]]) == (0.0, 1.0), "The pieces must fill w from 0 to 1.")
        require((np.diff(self.w) > 0).all(), "Every piece must have a length.")
        require((self.cost >= 0).all(), "A cost must not be negative.")
        trivial = np.minimum(self.w, 1.0 - self.w)
        require(
            (self.cost <= trivial + 1e-12).all(),
            "The smallest cost must not be above that of calling all rows alike.",
        )

    auc = Derived[Rate](lambda curve: curve.roc.auc, "Area under the ROC curve.")
    w_from = Derived[FloatArray](lambda curve: curve.w[:-1], "Where each piece begins.")
    w_to = Derived[FloatArray](lambda curve: curve.w[1:], "Where each piece ends.")
    cost_from = Derived[FloatArray](lambda curve: curve.cost[:-1], "The cost at `w_from`.")
    cost_to = Derived[FloatArray](lambda curve: curve.cost[1:], "The cost at `w_to`.")

    area = Derived[Rate](
        lambda curve: float(np.trapezoid(curve.cost, curve.w)),
        "Area under the curve: the mean of the smallest cost if every w is equally likely.",
    )
    hull_auc = Derived[Rate](
        lambda curve: float(np.trapezoid(curve.hull_tpr, curve.hull_fpr)),
        "Area under the ROC curve's convex hull.",
    )

    @cached_property
    def ks(self) -> Rate:
        """Kolmogorov and Smirnov's distance: the largest tpr - fpr, 1 - 2 cost at w = 1/2."""
        return float((self.hull_tpr - self.hull_fpr).max())

    @property
    def minimum_error_rate(self) -> Rate:
        """Smallest share of these rows that any threshold gets wrong."""
        share = self.roc.prevalence
        return float((share * (1.0 - self.hull_tpr) + (1.0 - share) * self.hull_fpr).min())

    @property
    def beats_trivial(self) -> tuple[Rate, Rate] | None:
        """Range of w where a threshold costs less than calling all rows alike; None if nowhere."""
        low = float(self.w[1]) if self._begins_trivial else 0.0
        high = float(self.w[-2]) if self.hull_tp[-2] < self.n_pos else 1.0
        return (low, high) if low < high else None

    @property
    def _begins_trivial(self) -> bool:
        # The corner (0, 0) has a piece of its own unless the hull leaves it straight up.
        return bool(self.hull_fp[1] > 0)

    @cached_property
    def certificate(self) -> Rate:
        """Largest possible error of the curve, because of bins: it can only be too high."""
        if self.floor is None:
            return 0.0
        # Both are straight between their own corners.
        at = np.union1d(self.w, self.floor.w)
        return max(float((self.at(at) - self.floor.at(at)).max()), 0.0)

    def at(self, w: Numbers) -> FloatArray:
        """Smallest cost at each w."""
        return np.asarray(np.interp(check_w(w), self.w, self.cost))

    def threshold_at(self, w: Numbers) -> npt.NDArray[Any]:
        """Best threshold at each w; at a breakpoint that of the piece to the right."""
        piece = np.searchsorted(self.w[1:-1], check_w(w), side="right")
        return np.asarray(self.threshold[piece])

    @staticmethod
    def trivial(w: Numbers) -> FloatArray:
        """Cost of the better of calling all rows positive and calling none."""
        at = check_w(w)
        return np.asarray(np.minimum(at, 1.0 - at))

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on this curve."""
        # Scores of inf are called positive even at the threshold inf, which should call none.
        infinite = self._begins_trivial and bool(np.isposinf(self.roc.thresholds[0]))
        notes = (_OPTIMISTIC, _INFINITE) if infinite else (_OPTIMISTIC,)
        if self.floor is None:
            return notes
        return (*notes, f"Counts in bins: costs are too high by at most {self.certificate:.2g}.")

    @property
    def sentence(self) -> str:
        """At which costs the best threshold is cheaper than calling all rows alike."""
        gain = self.beats_trivial
        if gain is None:
            return "At no costs is a threshold cheaper than calling all rows alike."
        share = self.roc.prevalence
        where = f"from {say_ratio(gain[0], share)} to {say_ratio(gain[1], share)}"
        return (
            "At its best threshold the model is cheaper than calling all rows alike at "
            f"{'all costs' if gain == (0.0, 1.0) else f'costs {where} {ERRORS}'}. "
            "That is optimistic, since thresholds were chosen on the same rows."
        )

    def describe(self) -> tuple[str, Mapping[str, Any]]:
        size = self.threshold.size
        gain = self.beats_trivial
        where = "nowhere" if gain is None else f"for w from {gain[0]:.4g} to {gain[1]:.4g}"
        sentences = [
            f"Cost curve of {self.n_pos} positives and {self.n_neg} negatives: "
            f"{number_of(size, 'best threshold')}, area {self.area:.4f}.",
            f"Cheaper than calling all rows alike {where}.",
            explain_scale("stratified", self.roc.prevalence),
            *self.notes,
        ]
        shown = select_rows(self.columns())
        shown["threshold"] = write_thresholds(self.roc, shown["threshold"])
        return join_lines(sentences, size), shown

    def _brief(self) -> str:
        return (
            f"{number_of(self.threshold.size, 'best threshold')}, "
            f"{count_classes(self.n_pos, self.n_neg)}"
        )

    @document_plot
    def plot(
        self,
        ax: Axes | None = None,
        *,
        label: str | None = None,
        color: Any = None,
        prevalence: float | None = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        legend: bool | str = True,
    ) -> Axes:
        """Draw the cost curve, its breakpoints, and the cost of calling all rows alike."""
        return self._draw(
            ax,
            label=label,
            color=color,
            prevalence=prevalence,
            curve_kwargs=curve_kwargs,
            legend=legend,
        )
