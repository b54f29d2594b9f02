"""Verification by resampling: the 2004 paper's way to judge a band without knowing the truth.

A host RG is a large set of rows. A set R is drawn from it, a band is made from R or around its
curve, and the band is judged by the curves of verification sets, drawn from R or from RG.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np

from rocbands.bands._averaging import Knots, Rule
from rocbands.bands.threshold import steps_by_rank
from rocbands.core.band import BandMethod
from rocbands.core.checks import (
    BoolArray,
    CountArray,
    FloatArray,
    check_choice,
    check_level,
    check_number,
)
from rocbands.core.curve import Curve
from rocbands.core.region import BetweenRegion, DisplacedRegion, Region
from rocbands.core.roc import RocCurve
from rocbands.core.tolerance import SLACK
from rocbands.errors import InputError, Message, arg
from rocbands.resample.curves import Rates, interpolate_rows
from rocbands.resample.distance import find_largest_displacements
from rocbands_studies.measurements import Measured, build_band_quietly
from rocbands_studies.papers.methods import PrintedFixedWidth, PrintedThreshold, PrintedVertical
from rocbands_studies.papers.paper import PaperCell
from rocbands_studies.populations import Finite
from rocbands_studies.streams import Streams

Origin: TypeAlias = Literal["R", "RG"]
_POINTS = 100  # of a sweep
SWEEP = np.arange(_POINTS) / _POINTS  # places along fpr at which averages stand


@dataclass(frozen=True)
class Host:
    """Rows to draw from, counted by their score; drawing costs as much as there are scores.

    Attributes
    ----------
    name : str
        What tables call it.
    pos, neg : tuple of int
        Rows of either class at each score, from the highest score down.
    """

    name: str
    pos: tuple[int, ...]
    neg: tuple[int, ...]

    def __post_init__(self) -> None:
        if not sum(self.pos) or not sum(self.neg):
            raise InputError(
                f"Rows to draw from must hold both classes; there are {sum(self.pos)} positives "
                f"and {sum(self.neg)} negatives. Take more rows."
            )

    @classmethod
    def of(cls, rows: Finite) -> Host:
        """Count the rows of a file, which are best when they have few distinct scores.

        Examples
        --------
        >>> Host.of(Finite([3.0, 2.0, 2.0], [2.0, 1.0], "a file"))
        Host(name='a file', pos=(1, 2, 0), neg=(0, 1, 1))
        """
        roc = rows.curve
        pos, neg = (np.diff(side, prepend=0).tolist() for side in (roc.tp, roc.fp))
        return cls(rows.name, tuple(pos), tuple(neg))

    def draw(self, rng: np.random.Generator, size: int) -> Host:
        """Draw rows with replacement."""
        pos, neg = np.split(self._counts(rng, size, 1)[0], 2)
        return Host(f"{size} rows of {self.name}", tuple(pos.tolist()), tuple(neg.tolist()))

    def curves(self, rng: np.random.Generator, size: int, count: int) -> Rates:
        """Curves of sets of rows drawn with replacement, with a vertex after each score."""
        pos, neg = np.split(self._counts(rng, size, count), 2, axis=1)
        return Rates(_rates(neg), _rates(pos))

    def _counts(self, rng: np.random.Generator, size: int, count: int) -> CountArray:
        """Rows of each class and score in each set; sets without one of the classes are redrawn."""
        counts = rng.multinomial(size, self._shares, count)
        while True:
            n_pos = counts[:, : len(self.pos)].sum(axis=1)
            again = np.flatnonzero((n_pos == 0) | (n_pos == size))
            if not again.size:
                return counts
            counts[again] = rng.multinomial(size, self._shares, again.size)

    @property
    def seen(self) -> Host:
        """The same rows without the scores that none of them has."""
        rows = [(pos, neg) for pos, neg in zip(self.pos, self.neg, strict=True) if pos + neg]
        return Host(self.name, *(tuple(side) for side in zip(*rows, strict=True)))

    @cached_property
    def roc(self) -> RocCurve:
        """The curve of all rows; scores that no row has are left out."""
        pos, neg = np.array(self.pos), np.array(self.neg)
        seen = pos + neg > 0
        score = -np.arange(pos.size, dtype=np.float64)
        return RocCurve(score[seen], np.cumsum(neg)[seen], np.cumsum(pos)[seen])

    @cached_property
    def _shares(self) -> FloatArray:
        counts = np.array([self.pos, self.neg], dtype=np.float64).ravel()
        return np.asarray(counts / counts.sum())


def _rates(counts: CountArray) -> FloatArray:
    rates = np.zeros((counts.shape[0], counts.shape[1] + 1))
    np.cumsum(counts, axis=1, out=rates[:, 1:])
    return np.asarray(rates / rates[:, -1:])


def find_heights(curves: Rates, fpr: FloatArray) -> FloatArray:
    """Return the topmost true positive rate of each curve at each fpr."""
    return interpolate_rows(np.broadcast_to(fpr, (len(curves.x), fpr.size)), curves.x, curves.y)


def _displacements(curves: Rates, centre: Curve, slope: float) -> FloatArray:
    """Largest distance of each curve from the centre along (-1, slope)."""
    repeated = Rates(*(np.repeat(side[None], len(curves.x), 0) for side in (centre.x, centre.y)))
    return find_largest_displacements(curves, repeated, slope)


def fit_region(method: object, roc: RocCurve, host: Host, curves: Rates, level: float) -> Region:
    """Make the band of a method from curves of sets drawn from `host`.

    Parameters
    ----------
    method : PrintedFixedWidth, PrintedVertical or PrintedThreshold
        Whose rule to follow.
    roc : RocCurve
        The observed curve; fixed-width bands stand around it.
    host : Host
        What the curves were drawn from; it has the thresholds to average at.
    curves : Rates
        The fitting curves.
    level : float
        Confidence level.
    """
    if isinstance(method, PrintedFixedWidth):
        return _push(roc, curves, method.slope(roc), level)
    if isinstance(method, PrintedVertical):
        knots = _limits(method, sweep_heights(method, host, curves), level)
        x = np.append(_sweep(method.n_points), 1.0)
        return BetweenRegion(*(Curve(x, np.append(y, 1.0)) for y in (knots.lower, knots.upper)))
    if isinstance(method, PrintedThreshold):
        knots = _limits(method, sweep_heights(method, host, curves), level)
        across = curves.x[:, steps_by_rank(host.roc, method.n_points)]
        left = right = np.minimum(across.mean(axis=0), 1.0)
        if method.rectangles:  # southeast and northwest corners
            _, left, right, _ = _limits(method, across, level)
        return BetweenRegion(
            *(
                Curve(*(np.concatenate(([0.0], side, [1.0])) for side in corner))
                for corner in ((right, knots.lower), (left, knots.upper))
            )
        )
    raise InputError(
        Message(
            "Fitting curves from another host are for fixed-width, vertical and threshold bands; "
            "got {!r}. Use {}.",
            method,
            arg("fit_host", "R"),
        )
    )


def sweep_heights(
    method: PrintedVertical | PrintedThreshold, host: Host, curves: Rates
) -> FloatArray:
    """Return the true positive rates (curves, places) that a method averages."""
    if isinstance(method, PrintedVertical):
        return find_heights(curves, _sweep(method.n_points))
    return curves.y[:, steps_by_rank(host.roc, method.n_points)]


def _sweep(points: int) -> FloatArray:
    return np.arange(points) / points


def _push(roc: RocCurve, curves: Rates, slope: float, level: float) -> DisplacedRegion:
    far = np.sort(_displacements(curves, roc.curve, slope))
    # Of ten curves at level 0.95 this is the farthest, as in the paper; the method would refuse.
    width = float(far[math.ceil(level * far.size - 1e-9) - 1])
    return DisplacedRegion(roc.curve, width / math.hypot(1.0, slope), slope)


def _limits(method: PrintedVertical | PrintedThreshold, columns: FloatArray, level: float) -> Knots:
    assert method.interval in {"empirical", "normal", "binomial"}, "other rules need no curves"
    rule: Rule = method.interval
    # As printed, binomial limits divide by the number of curves; the other rules take no size.
    return Knots.from_columns(columns, rule, level, len(columns))


@dataclass(frozen=True)
class Verification(PaperCell):
    """How many curves of verification sets a band holds.

    A replicate draws the set R from the host RG, both with replacement; makes a band from R, or
    around its curve from fitting sets of the same size; and draws verification sets of that size.

    Parameters
    ----------
    method : BandMethod
        Which band; its `n_resamples` is the number of fitting sets from R, where it has that.
    fit_host, verify_host : {'R', 'RG'}
        Where fitting and verification sets are drawn from. With fitting sets from R the band is
        the method's own.
    chords : int, default 0
        Draw the band with so many straight pieces and judge it as drawn; 0 judges it as it is.

    Notes
    -----
    `inside`: share of verification curves that lie inside as a whole. `at knots`: share whose
    heights at the places of the sweep lie inside: fpr 0, 0.01, ..., 0.99 for 100 places, without 0
    where all bands of a method begin at (0, 0); for threshold averages the fpr of their knots, of
    both edges. `strictly`: share inside as a whole that do not touch an edge cropped to TPR 1: they
    are below 1 at the last place of the sweep. `area`: of the band, which is its mean height.
    """

    host: Host  # RG, the rows behind everything
    size: int  # rows of R, and of each fitting and verification set
    method: BandMethod
    fit_host: Origin = "R"
    verify_host: Origin = "RG"
    n_verify: int = 1000  # verification sets
    level: float = 0.95  # of the band
    widened: bool = False  # ask the method for a band for future curves
    chords: int = 0
    n_fit: int = 0  # fitting sets from RG; 0 stands for the method's own `n_resamples`

    def __post_init__(self) -> None:
        check_choice(self.fit_host, ("R", "RG"), "fit_host")
        check_choice(self.verify_host, ("R", "RG"), "verify_host")
        check_number(self.size, "size", above=1)
        check_number(self.n_verify, "n_verify", above=0)
        check_level(self.level)

    @property
    def source(self) -> object:
        return (self.host, self.size, self.n_verify)

    def measure(self, streams: Streams) -> Measured:
        sample = streams.draw_shared("R", lambda rng: self.host.draw(rng, self.size))
        region = self._region(sample, streams)
        verify = sample if self.verify_host == "R" else self.host
        curves = streams.draw_shared(
            f"verification {self.verify_host}",
            lambda rng: verify.curves(rng, self.size, self.n_verify),
        )
        near = _inside_at(region, curves, self._knots(region))
        inside = _inside(region, curves, near)
        below = find_heights(curves, SWEEP[-1:])[:, 0] < 1.0 - SLACK
        lower, upper = region.edges()
        return {
            "inside": float(np.mean(inside)),
            "strictly": float(np.mean(inside & below)),
            "at knots": float(np.mean(near)),
            "area": upper.area - lower.area,
        }

    def _region(self, sample: Host, streams: Streams) -> Region:
        roc = sample.roc
        if self.fit_host == "RG":
            count = self.n_fit or int(getattr(self.method, "n_resamples", 1))
            curves = streams.draw_shared(
                f"fitting {count}", lambda rng: self.host.curves(rng, self.size, count)
            )
            region = fit_region(self.method, roc, self.host, curves, self.level)
        else:
            future = (roc.n_pos, roc.n_neg) if self.widened else None
            region = build_band_quietly(self.method, roc, self.level, streams, future).region
        return _draw_chords(region, self.chords) if self.chords else region

    def _knots(self, region: Region) -> FloatArray:
        if isinstance(self.method, PrintedThreshold) and isinstance(region, BetweenRegion):
            if self.method.rectangles:
                return np.union1d(region.lower.x[1:-1], region.upper.x[1:-1])
            return region.lower.x[1:-1]
        sweep = _sweep(self.chords or int(getattr(self.method, "n_points", _POINTS)))
        pinned = float(region.upper_at(np.zeros(1))[0]) <= 0.0
        return sweep[1:] if pinned else sweep


def _draw_chords(region: Region, chords: int) -> BetweenRegion:
    fpr = np.linspace(0.0, 1.0, chords + 1)
    edges = (np.maximum.accumulate(edge(fpr)) for edge in (region.lower_at, region.upper_at))
    return BetweenRegion(*(Curve(fpr, edge) for edge in edges))


def _inside_at(region: Region, curves: Rates, fpr: FloatArray) -> BoolArray:
    height = find_heights(curves, fpr)
    low, high = region.lower_at(fpr) - 2 * SLACK, region.upper_at(fpr) + 2 * SLACK
    return np.asarray(((height >= low) & (height <= high)).all(axis=1))


def _inside(region: Region, curves: Rates, near: BoolArray) -> BoolArray:
    """Which curves lie inside as a whole; of those that leave the band at a knot it is known."""
    if isinstance(region, DisplacedRegion):
        width = region.dx * float(np.hypot(1.0, region.slope))
        return _displacements(curves, region.curve, region.slope) <= width + SLACK
    found = near.copy()
    for k in np.flatnonzero(near):
        found[k] = region.contains(Curve(curves.x[k], curves.y[k]))
    return found
