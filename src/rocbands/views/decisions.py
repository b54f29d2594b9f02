"""Threshold probabilities at which a model is better than treating all and none, from a band.

At threshold probability t, with odds o = t / (1 - t), the best rule of a curve is better than
treating none exactly if some point has v / u > o (1 - p) / p, and better than treating all exactly
if some point has (1 - v) / (1 - u) < o (1 - p) / p. So the range ends at the largest precision on
the lower edge, and starts at one minus the largest negative predictive value there: one pass over
the vertices of the lower edge.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rocbands.core.attributes import Count, Level, Rate
from rocbands.core.band import Band
from rocbands.core.randomness import Rng
from rocbands.core.result import Result, percent, require
from rocbands.views.regions import Profile
from rocbands.views.sections import Sections
from rocbands.views.view import build_view


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
        How the prevalence enters, as for :class:`rocbands.View`.
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
        sure = f"with {100 * self.level:.10g}% confidence"
        if self.empty:
            return (
                "At no threshold probability is the model shown to be better than both treating "
                f"all and treating none, {sure}."
            )
        return (
            f"Between {100 * self.low:.2g}% and {100 * self.high:.2g}% the model, used at its best "
            f"threshold, is better than treating all and than treating none, {sure} over the "
            "whole range."
        )

    def _brief(self) -> str:
        where = "nothing shown" if self.empty else f"{self.low:.4f} to {self.high:.4f}"
        return f"{where}, {percent(self.level)} confidence, {self.method}"

    def columns(self) -> Mapping[str, Any]:
        return {"low": [] if self.empty else [self.low], "high": [] if self.empty else [self.high]}

    def describe(self) -> tuple[str, Mapping[str, Any]]:
        return "\n".join(self.notes), self.columns()


def find_better_range(
    band: Band, prevalence: float | None = None, rng: Rng = "data"
) -> DecisionRange:
    """Find the range of a band; see :meth:`rocbands.Band.better_between`."""
    view = build_view(band, "pr", prevalence, rng)
    region = view.region
    if isinstance(region, Profile):
        # The maximum over many recalls; between them the limit may be slightly larger.
        high, miss = (part.polylines(fine=True)[0].y.max() for part in (region, region.mirrored))
        low = 1.0 - miss
    else:
        least, most = region.low, region.high  # prevalences for the upper and the lower end
        edge = Sections(region.band.region).fine_edges[0]
        u, v = edge.x, edge.y
        # Likelihood ratios at the vertices; 0 / 0 at the corners is ignored.
        positive = _ratio(v, u, empty=0.0).max()
        negative = _ratio(1.0 - v, 1.0 - u, empty=np.inf).min()
        high = 1.0 if np.isinf(positive) else least * positive / (least * positive + 1.0 - least)
        low = most * negative / (most * negative + 1.0 - most)
    if not low < high:
        low = high = np.nan
    notes = tuple(note for note in view.notes if "recall 0" not in note)
    return DecisionRange(
        float(low), float(high), band.level, view.prevalence, view.rule, band.method.name,
        band.n_pos, band.n_neg, notes,
    )  # fmt: skip


def _ratio(above: Any, below: Any, empty: float) -> Any:
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = above / below
    return np.where((above > 0.0) | (below > 0.0), ratio, empty)
