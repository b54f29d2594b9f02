"""Threshold probabilities at which a model is better than treating all and none, from a band.

At threshold probability t, with odds o = t / (1 - t), the best rule of a curve is better than
treating none exactly if some point has v / u > o (1 - p) / p, and better than treating all exactly
if some point has (1 - v) / (1 - u) < o (1 - p) / p. So the range ends at the largest precision on
the lower edge, and starts at one minus the largest negative predictive value there: one pass over
the vertices of the lower edge. It is where the lower limit of the view's lead is above 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rocbands.core.attributes import Count, Level, Rate
from rocbands.core.comparison import BetterRange
from rocbands.core.phrases import count_classes
from rocbands.core.result import Result, percent, require
from rocbands.views.regions import Image
from rocbands.views.sections import Sections


@dataclass(frozen=True, eq=False, repr=False)
class DecisionRange(Result):
    """Threshold probabilities at which a model is better than treating all and treating none.

    Attributes
    ----------
    low, high : float
        The range; both NaN if it is empty.
    level : float
        Confidence level, simultaneous over the whole range.
    prevalence : float or None
        The prevalence that was given; None where it is estimated from the rows.
    rule : str
        How the prevalence enters, as for :class:`rocbands.results.View`.
    method : str
        The band's method.
    n_pos, n_neg : int
        Class sizes.
    notes : tuple of str
        Notes on this range.
    """

    schema: ClassVar[str] = "rocbands.decision-range/1"
    FACTS: ClassVar[str] = "empty level prevalence rule method n_pos n_neg notes"
    COLUMNS: ClassVar[Mapping[str, Any]] = {"low": Rate, "high": Rate}

    low: Rate
    high: Rate
    level: Level
    prevalence: float | None
    rule: str
    method: str
    n_pos: Count
    n_neg: Count
    notes: tuple[str, ...] = ()

    def _check(self) -> None:
        require(
            self.empty or 0.0 <= self.low < self.high <= 1.0,
            f"A range of threshold probabilities must rise, inside [0, 1]; got {self.low} to "
            f"{self.high}.",
        )

    @property
    def empty(self) -> bool:
        """Whether the range is empty at this level."""
        return bool(np.isnan(self.low))

    @property
    def sentence(self) -> str:
        """The result in a sentence."""
        return say_range(() if self.empty else (BetterRange(1, self.low, self.high),))

    def _brief(self) -> str:
        where = "nothing shown" if self.empty else f"{self.low:.4f} to {self.high:.4f}"
        return f"{where}, {percent(self.level)} confidence, {self.method}"

    def columns(self) -> Mapping[str, Any]:
        return {"low": [] if self.empty else [self.low], "high": [] if self.empty else [self.high]}

    def describe(self) -> tuple[str, Mapping[str, Any]]:
        lines = [
            f"With {percent(self.level)} confidence for the whole range ({self.method}).",
            f"{count_classes(self.n_pos, self.n_neg)}.",
            *self.notes,
        ]
        return "\n".join(lines), self.columns()


def find_better_range(region: Image) -> tuple[BetterRange, ...]:
    """Find where the net benefit of the best threshold is above both alternatives."""
    least, most = region.low, region.high  # prevalences for the upper and the lower end
    edge = Sections(region.band.region).fine_edges[0]
    u, v = edge.x, edge.y
    # Likelihood ratios at the vertices; 0 / 0 at the corners is ignored.
    positive = _ratio(v, u, empty=0.0).max()
    negative = _ratio(1.0 - v, 1.0 - u, empty=np.inf).min()
    high = 1.0 if np.isinf(positive) else least * positive / (least * positive + 1.0 - least)
    low = most * negative / (most * negative + 1.0 - most)
    return (BetterRange(1, float(low), float(high)),) if low < high else ()


def say_range(better: tuple[BetterRange, ...]) -> str:
    """Say where the model at its best threshold is better than both alternatives."""
    if not better:
        return (
            "At no threshold probability is the model shown to be better than both treating all "
            "and treating none."
        )
    (part,) = better
    # Ends are rounded inwards: what is said must have been shown.
    low, high = (
        f"{rounded(100.0 * end * scale) / scale:g}%"
        for end, rounded in ((part.low, math.ceil), (part.high, math.floor))
        for scale in (1.0 if 0.1 <= end <= 0.9 else 10.0,)
    )
    return (
        "Treating by this model, at its best threshold, is better than both treating all and "
        f"treating none at threshold probabilities from {low} to {high}."
    )


def _ratio(above: Any, below: Any, empty: float) -> Any:
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = above / below
    return np.where((above > 0.0) | (below > 0.0), ratio, empty)
