"""What the room gives back for one classifier: a cost curve, and costs with intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import BoolArray, CountArray, FloatArray, frozen
from rocbands.core.result import Result
from rocbands.core.roc import RocCurve
from rocbands.cost.conditions import Sampling, check_w
from rocbands.cost.words import SAMPLED, few_rows, lines, meaning, plural

__all__ = ["CostCurve", "CostIntervals"]

_OPTIMISTIC = (
    "Optimistic: thresholds were chosen on these very rows, so costs look lower than they are; "
    "there is no confidence statement. Choose thresholds on other rows for one."
)
_INFINITE = "Some scores are inf: threshold inf calls them positive, though the curve does not."


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class CostCurve(Result):
    """Smallest normalised cost at every operating condition w, over all thresholds of one set.

    The curve is a chain of straight pieces, one for each threshold that is best somewhere: those of
    the corners of the ROC curve's convex hull. Every threshold is the best of many on the same
    rows, so the curve is too low for future rows; it carries no confidence statement.

    Attributes
    ----------
    w : ndarray of shape (k + 1,)
        Where pieces begin and end, from 0 to 1.
    cost : ndarray of shape (k + 1,)
        The cost there; 0 at both ends.
    thresholds : ndarray of shape (k,)
        The best threshold of each piece, falling: a row is called positive when its score >=
        threshold, and inf calls none positive.
    hull_fp, hull_tp : ndarray of int64
        Corners of the ROC curve's convex hull, as counts, from none to all called positive.
    roc : RocCurve
        The curve they come from.
    floor : CostCurve or None
        Of counts in bins the lowest that the curve could be if every score were counted; this
        curve, of thresholds at the ends of bins, is the highest.

    See Also
    --------
    rocbands.cost_curve : make one.
    rocbands.cost_interval : intervals for the cost of thresholds that were chosen beforehand.
    """

    schema: ClassVar[str] = "rocbands.cost-curve/1"

    w: FloatArray
    cost: FloatArray
    thresholds: npt.NDArray[Any]
    hull_fp: CountArray
    hull_tp: CountArray
    roc: RocCurve
    floor: CostCurve | None = None

    def __post_init__(self) -> None:
        for name in ("w", "cost", "thresholds", "hull_fp", "hull_tp"):
            object.__setattr__(self, name, frozen(getattr(self, name)))
        assert tuple(self.w[[0, -1]]) == (0.0, 1.0), "pieces must fill [0, 1]"
        assert (np.diff(self.w) > 0).all(), "pieces must have a length"
        assert (self.cost <= np.minimum(self.w, 1.0 - self.w) + 1e-12).all(), "never above trivial"

    @property
    def frame(self) -> str | None:  # type: ignore[override]
        """The kind of frame the data came from."""
        return self.roc.frame

    @property
    def hull_fpr(self) -> FloatArray:
        """False positive rates of the hull's corners."""
        return np.asarray(self.hull_fp / self.roc.n_neg)

    @property
    def hull_tpr(self) -> FloatArray:
        """True positive rates of the hull's corners."""
        return np.asarray(self.hull_tp / self.roc.n_pos)

    @property
    def area(self) -> float:
        """Area under the curve: the mean of the smallest cost if every w is equally likely."""
        return float(np.trapezoid(self.cost, self.w))

    @property
    def hull_auc(self) -> float:
        """Area under the ROC curve's convex hull."""
        return float(np.trapezoid(self.hull_tpr, self.hull_fpr))

    @cached_property
    def ks(self) -> float:
        """Kolmogorov and Smirnov's distance: the largest tpr - fpr, 1 - 2 cost at w = 1/2."""
        return float((self.hull_tpr - self.hull_fpr).max())

    @property
    def minimum_error_rate(self) -> float:
        """Smallest share of these rows that any threshold gets wrong."""
        wrong = self.roc.n_pos - self.hull_tp + self.hull_fp
        return float(wrong.min()) / (self.roc.n_pos + self.roc.n_neg)

    @property
    def beats_trivial(self) -> tuple[float, float] | None:
        """Range of w where a threshold costs less than calling all rows alike; None if nowhere."""
        inner = self.w[1:-1]
        low = float(inner[0]) if self._begins_trivial else 0.0
        high = float(inner[-1]) if self._ends_trivial else 1.0
        return (low, high) if low < high else None

    @property
    def _begins_trivial(self) -> bool:
        # The corner (0, 0) has a piece of its own unless the hull leaves it straight up.
        return bool(self.hull_fp[1] > 0)

    @property
    def _ends_trivial(self) -> bool:
        return bool(self.hull_tp[-2] < self.roc.n_pos)

    @cached_property
    def certificate(self) -> float:
        """Largest possible error of the curve, because of bins: it can only be too high."""
        if self.floor is None:
            return 0.0
        # Both are straight between their own corners.
        at = np.union1d(self.w, self.floor.w)
        return max(float((self.at(at) - self.floor.at(at)).max()), 0.0)

    def at(self, w: npt.ArrayLike) -> FloatArray:
        """Smallest cost at each w."""
        return np.asarray(np.interp(check_w(w), self.w, self.cost))

    def threshold_at(self, w: npt.ArrayLike) -> npt.NDArray[Any]:
        """Best threshold at each w; where two pieces meet, that of the piece to the right."""
        piece = np.searchsorted(self.w[1:-1], check_w(w), side="right")
        return np.asarray(self.thresholds[piece])

    @staticmethod
    def trivial(w: npt.ArrayLike) -> FloatArray:
        """Cost of the better of calling all rows positive and calling none."""
        at = check_w(w)
        return np.asarray(np.minimum(at, 1.0 - at))

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reader should know about this very curve."""
        # Only the piece of calling no row positive has a threshold that cannot be kept.
        endless = self._begins_trivial and bool(np.isposinf(self.roc.thresholds[0]))
        notes = (_OPTIMISTIC, _INFINITE) if endless else (_OPTIMISTIC,)
        if self.floor is None:
            return notes
        return (*notes, f"Counts in bins: costs are too high by at most {self.certificate:.2g}.")

    def facts(self) -> Mapping[str, object]:
        return {
            "area": self.area,
            "hull_auc": self.hull_auc,
            "ks": self.ks,
            "minimum_error_rate": self.minimum_error_rate,
            "beats_trivial": self.beats_trivial,
            "n_pos": self.roc.n_pos,
            "n_neg": self.roc.n_neg,
            "auc": self.roc.auc,
            "certificate": self.certificate,
            "notes": self.notes,
        }

    def columns(self) -> Mapping[str, Any]:
        return {
            "w_from": self.w[:-1],
            "w_to": self.w[1:],
            "cost_from": self.cost[:-1],
            "cost_to": self.cost[1:],
            "threshold": self.thresholds,
        }

    def summary(self) -> tuple[str, Mapping[str, Any]]:
        size = self.thresholds.size
        gain = self.beats_trivial
        where = "nowhere" if gain is None else f"for w from {gain[0]:.4g} to {gain[1]:.4g}"
        sentences = [
            f"Cost curve of {self.roc.n_pos} positives and {self.roc.n_neg} negatives: "
            f"{plural(size, 'best threshold')}, area {self.area:.4f}.",
            f"Cheaper than calling all rows alike {where}.",
            *meaning("stratified", self.roc.n_pos / (self.roc.n_pos + self.roc.n_neg)),
            *self.notes,
        ]
        return lines(sentences, size), few_rows(self.columns())


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class CostIntervals(Result):
    """Normalised cost of thresholds that were chosen beforehand, with pointwise confidence limits.

    Attributes
    ----------
    w : ndarray of shape (k,)
        Operating conditions.
    cost, low, high : ndarray of shape (k,)
        The cost at each w and its limits. They are for the true cost of the threshold used there,
        not for the cost of the best one.
    thresholds : ndarray of shape (k,)
        The thresholds; a row is called positive when its score >= threshold.
    fn, fp : ndarray of int64, shape (k,)
        Positives below the threshold and negatives not below it.
    reliable : ndarray of str, shape (k,)
        Whether errors are many enough for a normal approximation: 'ok', 'caution' or 'unreliable'.
        It judges 'gaussian' and 'exact', which fail where it says 'unreliable'; 'mover' and 'score'
        are made to hold there too.
    inside : ndarray of bool, shape (k,)
        True where the threshold lies within the scores of both classes. For drawing only: leaving
        out the other w hides where limits fail and repairs nothing.
    roc : RocCurve
        The counts that the costs come from.
    level : float
        Nominal confidence level of each interval.
    method : str
        How the limits were found.
    sampling : {'stratified', 'full'}
        Whether the class sizes of test sets are fixed, or as random as the rows.
    normaliser : str
        The cost that counts as 1.
    prevalence : float
        Share of positives at which costs are turned into w: the given one, or the test set's.
    notes : tuple of str
        What the reader should know about these very intervals.

    See Also
    --------
    rocbands.cost_interval : make them.
    """

    schema: ClassVar[str] = "rocbands.cost-intervals/1"

    w: FloatArray
    cost: FloatArray
    low: FloatArray
    high: FloatArray
    thresholds: npt.NDArray[Any]
    fn: CountArray
    fp: CountArray
    reliable: npt.NDArray[np.str_]
    inside: BoolArray
    roc: RocCurve
    level: float
    method: str
    sampling: Sampling
    normaliser: str
    prevalence: float
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in _COLUMNS:
            object.__setattr__(self, name, frozen(getattr(self, name)))
        assert len({getattr(self, name).shape for name in _COLUMNS}) == 1, "one row for each w"
        assert ((self.low >= 0) & (self.high <= 1)).all(), "limits must lie in [0, 1]"
        assert (self.low <= self.high).all(), "limits must be ordered"

    @property
    def frame(self) -> str | None:  # type: ignore[override]
        """The kind of frame the data came from."""
        return self.roc.frame

    def __len__(self) -> int:
        return int(self.w.size)

    def facts(self) -> Mapping[str, object]:
        return {
            "level": self.level,
            "method": self.method,
            "sampling": self.sampling,
            "normaliser": self.normaliser,
            "prevalence": self.prevalence,
            "n_pos": self.roc.n_pos,
            "n_neg": self.roc.n_neg,
            "notes": self.notes,
        }

    def columns(self) -> Mapping[str, Any]:
        columns = {name: getattr(self, name) for name in _COLUMNS}
        return {"threshold" if name == "thresholds" else name: columns[name] for name in columns}

    def summary(self) -> tuple[str, Mapping[str, Any]]:
        sentences = [
            "Cost of thresholds that were chosen beforehand, at "
            f"{plural(len(self), 'operating condition')}: "
            f"{self.level:.10g} confidence intervals ({self.method}, approximate), each for itself "
            "and not for all w at once.",
            f"{self.roc.n_pos} positives, {self.roc.n_neg} negatives, {SAMPLED[self.sampling]}.",
            *meaning(self.sampling, self.prevalence),
            *self._doubts(),
            *self.notes,
        ]
        shown = {name: self.columns()[name] for name in _SHOWN}
        return lines(sentences, len(self)), few_rows(shown)

    @property
    def judged_by_errors(self) -> bool:
        """Whether the limits fail where `reliable` says so; the other methods do not need many."""
        return self.method in ("gaussian", "exact")

    def _doubts(self) -> list[str]:
        weak = int(np.count_nonzero(self.reliable == "unreliable"))
        if not weak:
            return []
        where = f"At {weak} of {len(self)} w errors are"
        if self.judged_by_errors:
            return [f"{where} too few for this method: use method='mover'."]
        return [
            f"{where} few ('unreliable'): gaussian and exact limits would fail there, "
            f"{self.method} ones are made for it."
        ]


_COLUMNS = ("w", "cost", "low", "high", "thresholds", "fn", "fp", "reliable", "inside")

_SHOWN = ("w", "cost", "low", "high", "threshold", "fn", "fp", "reliable")
