"""The likelihood band: all curves that the observed counts do not speak against."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from rocbands.core.band import Band, Coverage, Extra, check_request
from rocbands.core.checks import CountArray, FloatArray, check_choice, check_rng, frozen
from rocbands.core.curve import Curve
from rocbands.core.levels import SeveralLevels
from rocbands.core.region import Region, SpannedRegion
from rocbands.core.roc import RocCurve
from rocbands.errors import InputError

from ._calibration import CALIBRATIONS, calibrated
from ._curves import Curves, Ints
from ._edges import heights
from ._nearest import Margins, margins_of
from ._statistic import statistic, within
from ._two_sets import TwoSets, equal_curves

__all__ = ["Likelihood", "LikelihoodRegion", "TwoSets", "equal_curves", "likelihood_region"]

Calibration: TypeAlias = Literal["auto", "chance", "bootstrap", "plugin"]


@dataclass(frozen=True)
class Likelihood(SeveralLevels):
    """Band of all points that the two samples' likelihood does not reject.

    A point (u, v) lies as far from the empirical curve as its log-likelihood ratio: the least, over
    the curve's points (x, y), of what it costs to believe that x of the negatives was seen where u
    is true and y of the positives where v is true. The band is where that distance stays below a
    critical value. It adapts its width along the curve, stays inside the unit square, is open at
    the corners as far as the counts allow, and depends on the order of the scores alone.

    Parameters
    ----------
    calibration : {'auto', 'chance', 'bootstrap', 'plugin'}, default 'auto'
        Where the critical value comes from. 'chance': the law of the statistic when labels are
        random, from a table; no resampling. 'bootstrap': resampling of the observed score levels,
        for tied scores. 'plugin': simulation from a binormal curve fitted to the data. 'auto'
        chooses; the band's notes say what it chose.
    n_resamples : int, default 1000
        Test sets drawn by 'bootstrap' and 'plugin'; more are drawn where a high level needs them.

    Notes
    -----
    The critical value is exact for the chance curve. That one value serves other curves as well is
    a measured fact, not a theorem: docs/likelihood.md has the tables.

    Of counts in bins the upper edge is that of the highest curve they allow, the lower edge that of
    the lowest, at the critical value of chance: docs/bins.md says why no exact band is left out.

    Examples
    --------
    >>> import rocbands as rb
    >>> y, models = rb.load_example()
    >>> band = rb.roc_band(y, models["logistic"], method="likelihood", positive="malignant")
    >>> print(band.lower_at(0.1).round(2), band.upper_at(0.1).round(2))
    0.57 0.79
    """

    name: ClassVar[str] = "likelihood"
    coverage: ClassVar[Coverage] = "simultaneous"
    guarantee: ClassVar[str] = "close to the level, measured on many worlds; exact for chance"
    handles: ClassVar[tuple[Extra, ...]] = ("future", "bins")
    idea: ClassVar[str] = "what the likelihood does not reject; narrow, adapts along the curve"

    calibration: Calibration = "auto"
    n_resamples: int = 1000

    def __post_init__(self) -> None:
        check_choice(self.calibration, tuple(CALIBRATIONS), "calibration")
        whole = isinstance(self.n_resamples, int) and not isinstance(self.n_resamples, bool)
        if not whole or self.n_resamples < 99:
            raise InputError(
                f"`n_resamples` must be a whole number of at least 99; got {self.n_resamples!r}. "
                "Pass, for example, n_resamples=1000."
            )

    def at_levels(
        self,
        roc: RocCurve,
        levels: Sequence[float],
        *,
        futures: Sequence[tuple[int, int] | None] = (None,),
        rng: Any = None,
    ) -> list[Band]:
        """Make bands at several levels from the same resamples, where there are any."""
        asked = [check_request(self, roc, level, future) for future in futures for level in levels]
        if self.calibration == "plugin" and any(future is not None for _, future in asked):
            raise InputError(
                "calibration='plugin' is for the true curve only; `future` was given. "
                "Use calibration='auto'."
            )
        how, (fp, tp) = self._calibration(roc), _vertices(roc)
        rng = check_rng(rng)
        bands = []
        targets = [future for _, future in asked[:: max(len(levels), 1)]]
        for place, future in enumerate(targets, 1):
            # All targets start from the same stream, so that each band is what it would be alone.
            own = rng if place == len(targets) else deepcopy(rng)
            values = calibrated(how, fp, tp, levels, future, self.n_resamples, own)
            for level, found in zip(levels, values, strict=True):
                region = likelihood_region(roc, found.critical_value, future)
                bands.append(Band(roc, region, float(level), self, future, notes=(found.note,)))
        return bands

    def _calibration(self, roc: RocCurve) -> str:
        """Refuse with bins what depends on the order of scores inside them."""
        if not roc.binned:
            return self.calibration
        if self.calibration not in ("auto", "chance"):
            raise InputError(
                f"calibration={self.calibration!r} needs counts of single scores; the curve has "
                "bins. Use calibration='chance', or count every score."
            )
        return "chance"


def likelihood_region(
    roc: RocCurve, critical_value: float, future: tuple[int, int] | None = None
) -> Region:
    """Region of all points that lie within a critical value of a curve, or of what it may be.

    Notes
    -----
    A point (u, v) is above the curve by the least cost, over the curve's points (x, y), of seeing x
    where u is true and y where v is true; an axis costs nothing where x < u, or y > v. The cost
    never grows when x falls or y grows. Every point of a curve has a point of the highest curve
    straight above it, so nothing is farther above the highest curve than above the curve itself;
    and nothing farther below the lowest.
    """
    low, high = (
        LikelihoodRegion(*_vertices(extreme), critical_value, future) for extreme in roc.extremes
    )
    return SpannedRegion(low, high) if roc.binned else low


def _vertices(roc: RocCurve) -> tuple[CountArray, CountArray]:
    """Count at the vertices, from (0, 0); a level that no row has is no vertex."""
    fp, tp = (np.concatenate(([0], side)) for side in (roc.fp, roc.tp))
    moves = (fp[1:] > fp[:-1]) | (tp[1:] > tp[:-1])
    if moves.all():
        return fp, tp
    keep = np.append(True, moves)
    return fp[keep], tp[keep]


@dataclass(frozen=True, eq=False)
class LikelihoodRegion:
    """All points whose distance from an empirical curve is at most a critical value.

    Attributes
    ----------
    fp, tp : ndarray of int64
        Cumulative counts at the distinct vertices of the empirical curve, from (0, 0).
    critical_value : float
        The largest distance inside.
    future : (int, int) or None
        Class sizes of a future set, whose counts then carry noise of their own.
    """

    fp: CountArray
    tp: CountArray
    critical_value: float
    future: tuple[int, int] | None = None

    @cached_property
    def _curves(self) -> Curves:
        return Curves.from_counts(self.fp, self.tp)

    @cached_property
    def _margins(self) -> Margins:
        return margins_of(int(self.tp[-1]), int(self.fp[-1]), self.future)

    def _heights(self, row: Ints, fpr: FloatArray) -> FloatArray:
        return heights(self._curves, self._margins, row, fpr, self.critical_value)

    def upper_at(self, fpr: FloatArray) -> FloatArray:
        """Upper edge at each fpr, exact."""
        row = np.zeros(fpr.size, dtype=np.int64)
        return self._heights(row, fpr.ravel()).reshape(fpr.shape)

    def lower_at(self, fpr: FloatArray) -> FloatArray:
        """Lower edge at each fpr, exact: half a turn exchanges the two sides of the band."""
        row = np.ones(fpr.size, dtype=np.int64)
        return 1.0 - self._heights(row, 1.0 - fpr.ravel()).reshape(fpr.shape)

    def _both_at(self, fpr: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Both edges together, in half the time."""
        row = np.repeat(np.arange(2), fpr.size)
        found = self._heights(row, np.concatenate((fpr, 1.0 - fpr)))
        return 1.0 - found[fpr.size :], found[: fpr.size]

    def edges(self) -> tuple[Curve, Curve]:
        """Both edges, exact at 200 abscissae or more, closer toward the ends and at jumps."""
        return self._edges

    @cached_property
    def _edges(self) -> tuple[Curve, Curve]:
        fpr = _abscissae(int(self.fp[-1]))
        lower, upper = self._both_at(fpr)
        # Few cases make edges that jump: look closer where a jump takes up area.
        for _ in range(4):
            width = np.diff(fpr)
            jumps = np.flatnonzero(np.maximum(np.diff(lower), np.diff(upper)) * width > 4e-4)
            if not jumps.size:
                break
            inside = (fpr[jumps, None] + width[jumps, None] * [0.25, 0.5, 0.75]).ravel()
            place = np.repeat(jumps + 1, 3)
            between = self._both_at(inside)
            fpr = np.insert(fpr, place, inside)
            lower, upper = (
                np.insert(edge, place, new)
                for edge, new in zip((lower, upper), between, strict=True)
            )
        # Both edges never fall; where they are level the last digit may.
        return Curve(fpr, np.maximum.accumulate(lower)), Curve(fpr, np.maximum.accumulate(upper))

    def statistic(self, curve: Curve) -> float:
        """Largest distance of any point of `curve` from the empirical curve."""
        return statistic(self._curves, self._margins, curve.x, curve.y)

    def contains(self, curve: Curve) -> bool:
        """Tell whether no point of `curve` is farther away than the critical value."""
        return within(self._curves, self._margins, curve.x, curve.y, self.critical_value)

    def misses(self, curve: Curve) -> tuple[bool, bool]:
        """Tell whether `curve` leaves above, and whether it leaves below."""
        at = (self._curves, self._margins, curve.x, curve.y, self.critical_value)
        return not within(*at, sides=(0,)), not within(*at, sides=(1,))


@lru_cache(maxsize=8)
def _abscissae(n_neg: int) -> FloatArray:
    """Even in the arcsine scale, on which binomial noise is even, and geometric at the ends."""
    middle = 0.5 - 0.5 * np.cos(np.linspace(0.0, np.pi, 161))
    tail = np.geomspace(min(1e-3, 0.05 / n_neg), 1e-3, 21)
    return frozen(np.unique(np.concatenate([middle, tail, 1.0 - tail])))
