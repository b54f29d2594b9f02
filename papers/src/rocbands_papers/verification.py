"""Verification by resampling: the 2004 paper's way to judge a band without knowing the truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from rocbands.bands.threshold import Threshold
from rocbands.core.band import BandMethod
from rocbands.core.checks import BoolArray, FloatArray, check_choice, check_level, check_number
from rocbands.core.curve import Curve
from rocbands.core.region import LATTICE, BetweenRegion, DisplacedRegion, Region
from rocbands.resample.curves import Rates
from rocbands.study.measurements import Cell, Measured, method_text, quiet_band
from rocbands.study.streams import Streams
from rocbands_papers.fitted import SWEEP, displacements, fitted, heights
from rocbands_papers.hosts import Host

__all__ = ["Origin", "Verification"]

Origin: TypeAlias = Literal["R", "RG"]


@dataclass(frozen=True)
class Verification(Cell):
    """How many curves of verification sets a band holds.

    A replicate draws the set R from the host RG, both with replacement; makes a band from R, or
    around its curve from fitting sets of the same size; and draws verification sets of that size.

    Parameters
    ----------
    host : Host
        RG, the rows behind everything.
    size : int
        Rows of R, and of each fitting and verification set.
    method : BandMethod
        Which band; its `n_resamples` is the number of fitting sets from R, where it has that.
    fit_host, verify_host : {'R', 'RG'}
        Where fitting and verification sets are drawn from. With fitting sets from R the band is
        the method's own.
    n_verify : int, default 1000
        Verification sets.
    level : float, default 0.95
        Of the band.
    widened : bool, default False
        Ask the method for a band for future curves.
    chords : int, default 0
        Draw the band with so many straight pieces and judge it as drawn; 0 judges it as it is.
    n_fit : int, default 0
        Fitting sets from RG; 0 stands for the method's own `n_resamples`.

    Notes
    -----
    `inside`: share of verification curves that lie inside as a whole. `at knots`: share whose
    heights at the places of the sweep lie inside: fpr 0, 0.01, ..., 0.99, without 0 where all
    bands of a method begin at (0, 0); for threshold averages their own knots. `area`: of the band.
    """

    host: Host
    size: int
    method: BandMethod
    fit_host: Origin = "R"
    verify_host: Origin = "RG"
    n_verify: int = 1000
    level: float = 0.95
    widened: bool = False
    chords: int = 0
    n_fit: int = 0

    def __post_init__(self) -> None:
        check_choice(self.fit_host, ("R", "RG"), "fit_host")
        check_choice(self.verify_host, ("R", "RG"), "verify_host")
        check_number(self.size, "size", above=1)
        check_number(self.n_verify, "n_verify", above=0)
        check_level(self.level)

    def facts(self) -> Mapping[str, object]:
        """Name model, size, method and hosts."""
        drawn = f", {self.chords} chords" if self.chords else ""
        return {
            "model": self.host.name,
            "r": self.size,
            "method": method_text(self.method) + (", widened" if self.widened else "") + drawn,
            "fitting from": self.fit_host,
            "verification from": self.verify_host,
            "level": self.level,
        }

    @property
    def source(self) -> object:
        """Host and sizes."""
        return (self.host, self.size, self.n_verify)

    def measure(self, streams: Streams) -> Measured:
        """Draw R, make the band, count the verification curves inside."""
        sample = streams.drawn("R", lambda rng: self.host.draw(rng, self.size))
        region = self._region(sample, streams)
        verify = sample if self.verify_host == "R" else self.host
        curves = streams.drawn(
            f"verification {self.verify_host}",
            lambda rng: verify.curves(rng, self.size, self.n_verify),
        )
        near = _inside_at(region, curves, self._knots(region))
        lower, upper = region.edges()
        return {
            "inside": float(np.mean(_inside(region, curves, near))),
            "at knots": float(np.mean(near)),
            "area": upper.area - lower.area,
        }

    def _region(self, sample: Host, streams: Streams) -> Region:
        roc = sample.roc
        if self.fit_host == "RG":
            count = self.n_fit or int(getattr(self.method, "n_resamples", 1))
            curves = streams.drawn(
                f"fitting {count}", lambda rng: self.host.curves(rng, self.size, count)
            )
            return fitted(self.method, roc, self.host, curves, self.level)
        future = (roc.n_pos, roc.n_neg) if self.widened else None
        band = quiet_band(self.method, roc, self.level, streams, future)
        return _drawn(band.region, self.chords) if self.chords else band.region

    def _knots(self, region: Region) -> FloatArray:
        if isinstance(self.method, Threshold) and isinstance(region, BetweenRegion):
            return region.lower.x[1:-1]
        pinned = float(region.upper_at(np.zeros(1))[0]) <= 0.0
        return SWEEP[1:] if pinned else SWEEP


def _drawn(region: Region, chords: int) -> BetweenRegion:
    fpr = np.linspace(0.0, 1.0, chords + 1)
    edges = (np.maximum.accumulate(edge(fpr)) for edge in (region.lower_at, region.upper_at))
    return BetweenRegion(*(Curve(fpr, edge) for edge in edges))


def _inside_at(region: Region, curves: Rates, fpr: FloatArray) -> BoolArray:
    height = heights(curves, fpr)
    low, high = region.lower_at(fpr) - 2 * LATTICE, region.upper_at(fpr) + 2 * LATTICE
    return np.asarray(((height >= low) & (height <= high)).all(axis=1))


def _inside(region: Region, curves: Rates, near: BoolArray) -> BoolArray:
    """Which curves lie inside as a whole; of those that leave the band at a knot it is known."""
    if isinstance(region, DisplacedRegion):
        width = region.dx * float(np.hypot(1.0, region.slope))
        return displacements(curves, region.curve, region.slope) <= width + LATTICE
    found = near.copy()
    for k in np.flatnonzero(near):
        found[k] = region.contains(Curve(curves.x[k], curves.y[k]))
    return found
