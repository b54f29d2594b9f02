"""Bands of averaged curves: common parameters, interval rules and knots."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np
from scipy.special import ndtri, stdtrit

from rocbands.core.band import Band, BandMethod
from rocbands.core.checks import FloatArray, check_choice, check_flag, check_resamples
from rocbands.core.curve import Curve
from rocbands.core.method import Coverage, Extra, Request
from rocbands.core.region import BetweenRegion
from rocbands.core.roc import RocCurve
from rocbands.errors import InputError, Message, arg
from rocbands.resample.crossings import BinomialMixtures
from rocbands.resample.quantiles import empirical_interval, interval_error, shows_both_tails

Rule: TypeAlias = Literal["exact", "empirical", "normal", "binomial"]
Interval: TypeAlias = Literal["auto"] | Rule

_INTERVALS = ("auto", "exact", "empirical", "normal", "binomial")
_FEWEST = 10
_MANY = 1000  # above this, normal quantiles replace Student's


class Knots(NamedTuple):
    """Mean and limits at each position of a sweep, all nondecreasing."""

    mean: FloatArray
    lower: FloatArray
    upper: FloatArray
    error: float | None = None  # Monte Carlo error of the limits, if the curves were drawn

    @classmethod
    def from_distribution(cls, counts: BinomialMixtures, level: float) -> Knots:
        """Limits of counts whose distribution is known."""
        lower, upper = counts.interval(level)
        mean = np.clip(counts.mean / counts.size, 0.0, 1.0)
        return cls(mean, lower / counts.size, upper / counts.size)

    @classmethod
    def from_columns(cls, columns: FloatArray, rule: Rule, level: float, size: float) -> Knots:
        """Limits of each column of rates (curves, places); `size` divides the binomial variance."""
        mean, curves = columns.mean(axis=0), columns.shape[0]
        spread = float(columns.std(axis=0, ddof=1).max()) if curves > 1 else 0.0
        error = spread / math.sqrt(curves)
        if rule == "empirical":
            lower, upper = empirical_interval(columns, level)
            error = interval_error(columns, level)
        elif rule == "normal":
            lower, upper = normal_interval(columns, level)
            error *= math.sqrt(1.0 + float(ndtri((1.0 + level) / 2.0)) ** 2 / 2.0)
        else:
            lower, upper = binomial_interval(mean, level, size)
        # Rates and their quantiles are nondecreasing along a sweep. Limits from a standard
        # deviation need not be; they are moved outwards until they are.
        lower = np.minimum.accumulate(lower[::-1])[::-1]
        return cls(np.maximum.accumulate(mean), lower, np.maximum.accumulate(upper), error)


@dataclass(frozen=True)
class AveragingMethod(BandMethod, abstract=True):
    """Base class of methods that average curves: parameters, choice of interval rule, notes."""

    coverage: ClassVar[Coverage] = "pointwise"
    handles: ClassVar[tuple[Extra, ...]] = ("clusters", "folds")

    interval: Interval = "auto"
    n_resamples: int = 1000
    stratified: bool = False
    n_points: int = 100

    def __post_init__(self) -> None:
        check_choice(self.interval, _INTERVALS, "interval")
        check_resamples(self.n_resamples, least=_FEWEST)
        check_flag(self.stratified, "stratified")
        check_resamples(self.n_points, least=2, name="n_points")

    def binomial_size(self, n_cases: float, n_curves: int) -> float:
        """Return the divisor of the binomial variance: the number of cases behind each rate."""
        return n_cases

    def choose_rule(self, roc: RocCurve) -> Rule:
        """Return the interval rule to use on `roc`; refuse one that the data do not allow."""
        clustered = roc.clusters is not None
        if clustered and roc.folds:
            raise InputError(
                "Averaging over folds treats each fold's curve as one observation, so clusters "
                "within folds have no effect",
                "",
                Message(
                    "Leave {} out of the sample, or use {}.",
                    arg("clusters"),
                    arg("method", "fold-average"),
                ),
            )
        if self.interval == "auto":
            return "normal" if roc.folds else "empirical" if clustered else "exact"
        if self.interval == "exact" and (clustered or roc.folds):
            raise InputError(
                Message(
                    "{} is the distribution of one test set of independent rows",
                    arg("interval", "exact"),
                ),
                f"the sample has {'folds' if roc.folds else 'clusters'}",
                Message("Use {}.", arg("interval", "auto")),
            )
        if self.interval == "binomial" and clustered:
            raise InputError(
                Message("{} counts every row as independent", arg("interval", "binomial")),
                "the sample has clusters",
                Message(
                    "Use {} or 'normal': they resample whole clusters.",
                    arg("interval", "empirical"),
                ),
            )
        return self.interval

    def make_band(
        self,
        roc: RocCurve,
        edges: tuple[Curve, Curve],
        centre: Curve,
        knots: Knots,
        rule: Rule,
        request: Request,
        notes: tuple[str, ...],
    ) -> Band:
        """Build the band, with notes on the source of the limits; `edges`: lower and upper."""
        simulation = None
        if rule != "exact" and not roc.folds:  # neither exact limits nor those of folds are drawn
            simulation = request.simulated(self.n_resamples, knots.error)
        region = BetweenRegion(*edges)
        notes += tuple(self._limit_notes(roc, rule, request.level, knots))
        if region.upper.area <= region.lower.area and (knots.upper > knots.lower).any():
            notes += ("Curves differ only along a side of the square: the band has no width.",)
        return Band(
            roc,
            region,
            request.level,
            self,
            notes=notes,
            centre=centre,
            target="curve of a fold" if roc.folds else "",
            simulation=simulation,
        )

    def _limit_notes(self, roc: RocCurve, rule: Rule, level: float, knots: Knots) -> Iterator[str]:
        """Describe the source of the limits, and warn where they are unreliable."""
        curves = len(roc.folds) or self.n_resamples
        if rule == "exact":
            yield (
                "Limits are quantiles of the exact distribution under stratified resampling, "
                "without random numbers."
            )
        elif roc.folds:
            yield f"Limits are {rule}, from the curves of {curves} folds: they are for a fold."
        else:
            rows = "rows of each class" if self.stratified else "rows"
            drawn = rows if roc.clusters is None else "clusters"
            yield f"Limits are {rule}, from {curves} resamples of {drawn}."
        if rule == "empirical" and not shows_both_tails(curves, level):
            yield (
                f"{curves} curves are too few for a level of {level:g}: "
                "the limits contain all of them."
            )
        if not (knots.upper > knots.lower).any():
            yield "All curves are equal, so the band has no width; this is no sign of certainty."


def normal_interval(values: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Mean plus and minus Student's t times the standard deviation, cut off at 0 and 1.

    The interval is for one more value, not for the mean: there is no division by the root of the
    number of values.

    Examples
    --------
    >>> low, high = normal_interval(np.array([[0.4], [0.6]]), level=0.5)
    >>> print(low.round(3), high.round(3))
    [0.359] [0.641]
    """
    size, tail = values.shape[0], (1.0 + level) / 2.0
    quantile = ndtri(tail) if size >= _MANY else stdtrit(size - 1, tail)
    return _inside(values.mean(axis=0), quantile * values.std(axis=0, ddof=1))


def binomial_interval(mean: FloatArray, level: float, size: float) -> tuple[FloatArray, FloatArray]:
    """Each mean plus and minus z times the standard error of a proportion of `size` cases."""
    share = np.clip(mean, 0.0, 1.0)
    return _inside(mean, ndtri((1.0 + level) / 2.0) * np.sqrt(share * (1.0 - share) / size))


def _inside(mean: FloatArray, half: FloatArray) -> tuple[FloatArray, FloatArray]:
    return np.clip(mean - half, 0.0, 1.0), np.clip(mean + half, 0.0, 1.0)
