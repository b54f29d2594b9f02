"""What the room gives back for two classifiers: the difference of their costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import CountArray, FloatArray, frozen
from rocbands.core.result import Result
from rocbands.cost.conditions import Sampling
from rocbands.cost.words import SAMPLED, few_rows, lines, meaning, plural

__all__ = ["CheaperRange", "CostDifference"]


class CheaperRange(NamedTuple):
    """A range of operating conditions in which one classifier costs less.

    Attributes
    ----------
    low, high : float
        The first and the last of the given w in the range.
    sign : {1, -1}
        1: classifier 1 is cheaper, the difference is positive. -1: classifier 2 is.
    """

    low: float
    high: float
    sign: int


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class CostDifference(Result):
    """Cost of classifier 2 minus cost of classifier 1, at thresholds chosen beforehand.

    A positive difference means that classifier 1 is cheaper.

    Attributes
    ----------
    w : ndarray of shape (k,)
        Operating conditions.
    difference, low, high : ndarray of shape (k,)
        The difference at each w and its limits, for the true costs of the thresholds used there.
    cost_1, cost_2 : ndarray of shape (k,)
        The costs themselves.
    thresholds_1, thresholds_2 : ndarray of shape (k,)
        The thresholds; a row is called positive when its score >= threshold.
    only_1_pos, only_2_pos, only_1_neg, only_2_neg : ndarray of int64, shape (k,)
        Number of positives and negatives that only classifier 1 or only classifier 2 calls
        positive. Nothing else about the rows matters.
    names : (str, str)
        What the classifiers are called.
    n_pos, n_neg : int
        Class sizes.
    level : float
        Nominal confidence level: of each interval, or of all of them together.
    simultaneous : bool
        Whether all limits hold together as often as the level says.
    critical : float
        Half the width of a normal interval in standard errors.
    method : str
        How the limits were found.
    sampling : {'stratified', 'full'}
        Whether the class sizes of test sets are fixed, or as random as the rows.
    normaliser : str
        The cost that counts as 1.
    prevalence : float
        Share of positives at which costs are turned into w: the given one, or the test set's.
    notes : tuple of str
        What the reader should know about these very limits.

    See Also
    --------
    rocbands.cost_difference : make one.
    """

    schema: ClassVar[str] = "rocbands.cost-difference/1"

    w: FloatArray
    difference: FloatArray
    low: FloatArray
    high: FloatArray
    cost_1: FloatArray
    cost_2: FloatArray
    thresholds_1: npt.NDArray[Any]
    thresholds_2: npt.NDArray[Any]
    only_1_pos: CountArray
    only_2_pos: CountArray
    only_1_neg: CountArray
    only_2_neg: CountArray
    names: tuple[str, str]
    n_pos: int
    n_neg: int
    level: float
    simultaneous: bool
    critical: float
    method: str
    sampling: Sampling
    normaliser: str
    prevalence: float
    notes: tuple[str, ...] = ()
    frame: str | None = None

    def __post_init__(self) -> None:
        for name in _COLUMNS:
            object.__setattr__(self, name, frozen(getattr(self, name)))
        assert len({getattr(self, name).shape for name in _COLUMNS}) == 1, "one row for each w"
        assert ((self.low >= -1) & (self.high <= 1)).all(), "differences lie in [-1, 1]"
        assert (self.low <= self.high).all(), "limits must be ordered"

    def __len__(self) -> int:
        return int(self.w.size)

    @property
    def regions(self) -> tuple[CheaperRange, ...]:
        """Where one classifier is shown to be cheaper: runs of w whose limits exclude 0.

        With pointwise limits some w is flagged far more often than the level says even if both
        classifiers cost the same everywhere; ask with ``simultaneous=True`` whether they differ.
        """
        order = np.argsort(self.w, kind="stable")
        sign = (self.low > 0).astype(np.int64) - (self.high < 0)
        ends = np.concatenate(([0], np.flatnonzero(np.diff(sign[order])) + 1, [len(self)]))
        runs = ((order[i], order[j - 1]) for i, j in pairwise(ends))
        return tuple(
            CheaperRange(float(self.w[first]), float(self.w[last]), int(sign[first]))
            for first, last in runs
            if sign[first]
        )

    def facts(self) -> Mapping[str, object]:
        return {
            "names": self.names,
            "level": self.level,
            "coverage": "simultaneous" if self.simultaneous else "pointwise",
            "critical": self.critical,
            "method": self.method,
            "sampling": self.sampling,
            "normaliser": self.normaliser,
            "prevalence": self.prevalence,
            "regions": [region._asdict() for region in self.regions],
            "n_pos": self.n_pos,
            "n_neg": self.n_neg,
            "notes": self.notes,
        }

    def columns(self) -> Mapping[str, Any]:
        return {name.replace("thresholds", "threshold"): getattr(self, name) for name in _COLUMNS}

    def summary(self) -> tuple[str, Mapping[str, Any]]:
        one, two = self.names
        together = "for all of them at once" if self.simultaneous else "each for itself"
        sentences = [
            f"Cost of {two} minus cost of {one}, of thresholds that were chosen beforehand, at "
            f"{plural(len(self), 'operating condition')}: approximate {self.level:.10g} confidence "
            f"intervals ({self.method}), {together}.",
            f"{self.n_pos} positives, {self.n_neg} negatives, {SAMPLED[self.sampling]}.",
            *meaning(self.sampling, self.prevalence),
            *self._verdicts(),
            *self.notes,
        ]
        shown = {name: self.columns()[name] for name in _COLUMNS[:6]}
        return lines(sentences, len(self)), few_rows(shown)

    def _verdicts(self) -> list[str]:
        verdicts = []
        for name, sign in zip(self.names, (1, -1), strict=True):
            mine = [region for region in self.regions if region.sign == sign]
            ranges = ", ".join(
                f"{region.low:.3g}" + f" to {region.high:.3g}" * (region.high > region.low)
                for region in mine
            )
            if mine:
                verdicts.append(f"{name} is cheaper at w {ranges}.")
        if verdicts and len(self) > 1 and not self.simultaneous:
            verdicts.append(
                "Limits for each w often flag some w even if both models cost the same; "
                "simultaneous ones do not."
            )
        return verdicts or ["Neither is shown to be cheaper at any w."]


_COLUMNS = (
    "w",
    "difference",
    "low",
    "high",
    "cost_1",
    "cost_2",
    "thresholds_1",
    "thresholds_2",
    "only_1_pos",
    "only_2_pos",
    "only_1_neg",
    "only_2_neg",
)
