"""Working-Hotelling bands of exactly binormal scores: what they hold of the curve of a second set.

The paper's Tables 2 and 3 verify bands for the true curve by the curves of other sets. Binormal
scores are the best case of a Working-Hotelling band, so what it loses there no model would mend.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rocbands.bands.working_hotelling import WorkingHotelling
from rocbands.core.checks import FloatArray
from rocbands.core.curve import Curve
from rocbands.core.tolerance import SLACK
from rocbands.study.measurements import Cell, Measured, build_band_quietly
from rocbands.study.populations import Normal, Pair, RandomClasses, draw_curve
from rocbands.study.streams import Streams
from rocbands_papers.verification import SWEEP

__all__ = ["RANGES", "BinormalVerification"]

# A curve like that of the paper's tree: tpr = Phi(1.05 + 0.91 probit(fpr)), 57% positive.
_A, _B, _SHARE = 1.05, 0.91, 0.572
_WORLD = Pair(Normal(_A / _B, 1.0 / _B), Normal(0.0, 1.0), name="binormal")
RANGES = {  # where verification curves are tested: names, with the ends of the places along fpr
    "at the knots": (0.0, 0.99),
    "at the knots from 0.01 to 0.99": (0.01, 0.99),
    "at the knots from 0.05 to 0.95": (0.05, 0.95),
    "at the knots from 0.1 to 0.9": (0.1, 0.9),
}


@dataclass(frozen=True)
class BinormalVerification(Cell):
    """How many curves of later sets a Working-Hotelling band of binormal scores holds.

    Parameters
    ----------
    size : int
        Rows of the set that makes the band, and of each verification set.
    n_verify : int, default 200
        Verification sets for each band.
    level : float, default 0.95
        Of the band.

    Notes
    -----
    `true curve`: 1 if the band holds the true curve. The names of `RANGES`: share of the
    verification curves whose heights at the places of the sweep lie inside, in that range.
    """

    shares: ClassVar[tuple[str, ...]] = ("true curve",)

    size: int
    n_verify: int = 200
    level: float = 0.95

    def facts(self) -> Mapping[str, object]:
        """Name population, size and level."""
        return {"population": _WORLD.name, "r": self.size, "level": self.level}

    @property
    def source(self) -> object:
        """Population and size."""
        return (_WORLD, self.size)

    def measure(self, streams: Streams) -> Measured:
        """Draw a set, make its band, hold it against the true curve and against later sets."""
        rng = streams.own_rng("sets")
        classes = RandomClasses(self.size, _SHARE)
        roc = draw_curve(_WORLD, rng, *classes.sizes(rng))
        band = build_band_quietly(WorkingHotelling(), roc, self.level, streams, None)
        low, high = band.lower_at(SWEEP) - 2 * SLACK, band.upper_at(SWEEP) + 2 * SLACK
        curves = (draw_curve(_WORLD, rng, *classes.sizes(rng)).curve for _ in range(self.n_verify))
        inside = np.array([_is_inside(curve, low, high) for curve in curves])
        held = {
            name: float(inside[:, (start - SLACK <= SWEEP) & (end + SLACK >= SWEEP)].all(1).mean())
            for name, (start, end) in RANGES.items()
        }
        return {"true curve": float(band.contains(_WORLD.truth)), **held}


def _is_inside(curve: Curve, low: FloatArray, high: FloatArray) -> FloatArray:
    height = curve.high(SWEEP)
    return np.asarray((height >= low) & (height <= high))
