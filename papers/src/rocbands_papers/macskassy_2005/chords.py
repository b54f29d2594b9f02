"""A band judged by a coarse picture of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from rocbands.core.band import Band, BandMethod, Coverage, Extra
from rocbands.core.curve import Curve
from rocbands.core.region import BetweenRegion
from rocbands.core.roc import RocCurve

__all__ = ["Chords"]


@dataclass(frozen=True)
class Chords:
    """A band that is drawn with straight lines between some points, and judged as drawn.

    Parameters
    ----------
    method : BandMethod
        Makes the band.
    points : int, default 100
        Number of straight pieces of either edge.
    """

    name: ClassVar[str] = "chords"
    coverage: ClassVar[Coverage] = "simultaneous"
    guarantee: ClassVar[str] = "none: a chord cuts off what a bent edge holds"
    handles: ClassVar[tuple[Extra, ...]] = ()
    idea: ClassVar[str] = "what happens if a band is judged by its picture"

    method: BandMethod
    points: int = 100

    def __call__(
        self,
        roc: RocCurve,
        *,
        level: float = 0.95,
        future: tuple[int, int] | None = None,
        rng: Any = None,
    ) -> Band:
        """Make the band and draw it."""
        band = self.method(roc, level=level, future=future, rng=rng)
        if getattr(band.region, "fitted", band) is None:
            return band  # the whole square, which is no band to draw
        fpr = np.linspace(0.0, 1.0, self.points + 1)
        lower, upper = (
            Curve(fpr, np.maximum.accumulate(edge(fpr))) for edge in (band.lower_at, band.upper_at)
        )
        centre = Curve(fpr, (lower.y + upper.y) / 2.0)
        return replace(band, region=BetweenRegion(lower, upper), method=self, centre=centre)
