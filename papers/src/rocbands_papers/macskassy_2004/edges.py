"""Where the edges of the 2004 paper's fixed-width bands lie."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rocbands.bands.fixed_width import FixedWidth
from rocbands.core.region import DisplacedRegion
from rocbands.study.measurements import Cell, Measured
from rocbands.study.streams import Streams
from rocbands_papers.fitted import fitted
from rocbands_papers.hosts import Host

__all__ = ["FPR", "Edges"]

FPR = tuple(float(fpr) for fpr in np.linspace(0.0, 1.0, 101))


@dataclass(frozen=True)
class Edges(Cell):
    """Where the edges of a fixed-width band lie on average.

    Parameters
    ----------
    host, size, method, level
        As for `Verification`.
    n_fit : int
        Fitting sets, from R.

    Notes
    -----
    `lower`, `upper`: the edges along fpr. `push`: distance of either edge from the curve of R.
    `area`: of the band.
    """

    axis: ClassVar[str] = "fpr"

    host: Host
    size: int
    method: FixedWidth
    n_fit: int
    level: float = 0.95

    def facts(self) -> Mapping[str, object]:
        """Name model, size and method."""
        return {"model": self.host.name, "r": self.size, "fitting curves": self.n_fit}

    @property
    def source(self) -> object:
        """Host and size."""
        return (self.host, self.size)

    @property
    def points(self) -> tuple[float, ...]:
        """A hundred steps along fpr."""
        return FPR

    def measure(self, streams: Streams) -> Measured:
        """Draw R, make the band, follow its edges."""
        sample = streams.drawn("R", lambda rng: self.host.draw(rng, self.size))
        curves = sample.curves(streams.own("fitting"), self.size, self.n_fit)
        region = fitted(self.method, sample.roc, sample, curves, self.level)
        assert isinstance(region, DisplacedRegion), "a fixed-width band is a displaced curve"
        at, (lower, upper) = np.array(FPR), region.edges()
        return {
            "lower": region.lower_at(at).tolist(),
            "upper": region.upper_at(at).tolist(),
            "push": region.dx * float(np.hypot(1.0, region.slope)),
            "area": upper.area - lower.area,
        }
