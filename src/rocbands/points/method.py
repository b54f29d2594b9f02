"""The contract of limits for operating points.

There are two kinds of points. At a *threshold* that was fixed beforehand both rates are shares
of a fixed number of cases: two independent binomial counts. At a fixed *rate* the threshold is
unknown as well, and the limits are for the height of the true curve at a false positive rate. A
fixed true positive rate is the same question with classes swapped and scores negated.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import CountArray, FloatArray, IndexArray, check_flag
from rocbands.core.counts import inside_bins
from rocbands.core.method import Method, Request
from rocbands.core.randomness import Rng
from rocbands.core.result import bound, require
from rocbands.core.roc import RocCurve
from rocbands.design.effective_sizes import ClassSizes, find_effective_sizes
from rocbands.errors import InputError, arg
from rocbands.points.measures import (
    MEASURES,
    Limited,
    compute_measures,
    compute_shares,
    counts_tell_prevalence,
    find_prevalence,
)
from rocbands.points.result import OperatingPoints
from rocbands.points.thresholds import note_infinite_scores

Fixed: TypeAlias = Literal["rates", "thresholds"]


class Heights(NamedTuple):
    """Heights of the empirical curve, and limits for those of the true one."""

    height: FloatArray
    low: FloatArray
    high: FloatArray


@runtime_checkable
class HeightMethod(Protocol):
    """What a method has that gives limits at fixed rates."""

    def limit_heights(
        self, roc: RocCurve, fpr: FloatArray, request: Request
    ) -> tuple[FloatArray, FloatArray]:
        """Limits for the height of the true curve at each `fpr`, all below 1 and in any order."""
        ...


@runtime_checkable
class ShareMethod(Protocol):
    """What a method has that gives limits at fixed thresholds."""

    def limit_shares(
        self, count: CountArray, size: int | CountArray, level: float
    ) -> tuple[FloatArray, FloatArray]:
        """Limits for the probability of a binomial `count` out of `size`."""
        ...


@runtime_checkable
class WeightedShareMethod(Protocol):
    """What a method has that gives limits at fixed thresholds for weighted or dependent rows."""

    def limit_weighted_shares(
        self, sizes: ClassSizes, at: IndexArray, level: float
    ) -> tuple[FloatArray, FloatArray]:
        """Limits for the rates at some vertices of a curve."""
        ...


@dataclass(frozen=True)
class PointMethod(Method):
    """Base of all limits for operating points; a method of your own derives from it.

    It defines `limit_heights` (`HeightMethod`), `limit_shares` (`ShareMethod`) or both, and says so
    in `fixed`.

    Attributes
    ----------
    fixed : tuple of str
        What may be fixed: 'rates', 'thresholds' or both.
    """

    question: ClassVar[str] = "points"
    fixed: ClassVar[tuple[Fixed, ...]] = ()

    def note_rates(self, roc: RocCurve, kind: str, rates: FloatArray) -> tuple[str, ...]:
        """Say what the reader should know about the limits at fixed rates."""
        return ()

    def __call__(
        self,
        roc: RocCurve,
        *,
        fpr: FloatArray | None = None,
        tpr: FloatArray | None = None,
        threshold: npt.NDArray[Any] | None = None,
        joint: bool = False,
        level: float = 0.95,
        prevalence: float | None = None,
        rng: Rng = "data",
    ) -> OperatingPoints:
        """Compute the limits at fixed rates or thresholds, of which exactly one is given."""
        request = self.check_request(roc, level=level, rng=rng)
        check_flag(joint, "joint")
        require(roc.curve.high([1.0])[0] == 1.0, "An ROC curve must end at (1, 1).")
        if threshold is not None:
            self._check_fixed("thresholds", "wilson")
            found = self._at_thresholds(roc, threshold, joint, request)
            single = self._at_thresholds(roc, threshold, False, request) if joint else found
            return self.add_measures(found, single, prevalence)
        kind, rates = ("tpr", tpr) if fpr is None else ("fpr", fpr)
        if rates is None:
            raise InputError(
                f"One of {arg('fpr')}, {arg('tpr')} and {arg('threshold')} must be given",
                "none was",
                f"Pass, for example, {arg('fpr', 0.1)}.",
            )
        if joint:
            raise InputError(
                f"{arg('joint')} is for both rates of a threshold",
                f"{arg(kind)} fixes one of them",
                f"Leave {arg('joint')} out.",
            )
        self._check_fixed("rates", "likelihood")
        found = self._at_rates(roc, kind, rates, request)
        return self.add_measures(found, found, prevalence)

    def add_measures(
        self, found: OperatingPoints, single: OperatingPoints, prevalence: float | None
    ) -> OperatingPoints:
        """Add what the points are worth at a prevalence; `single` has limits of single rates."""
        roc = found.roc
        fpr = Limited(single.fpr, single.fpr_lower, single.fpr_upper)
        tpr = Limited(single.tpr, single.tpr_lower, single.tpr_upper)
        share = find_prevalence(roc, prevalence, found.level)
        linked = found.asked == "best eer"
        measures: dict[str, Any] = {**compute_measures(fpr, tpr, share, linked=linked)}
        binomial = prevalence is None and counts_tell_prevalence(roc)
        if found.asked == "threshold" and binomial and isinstance(self, ShareMethod):
            limits = self.limit_shares
            measures |= compute_shares(
                *roc.counts_at(found.threshold),
                roc.n_pos,
                roc.n_neg,
                lambda count, size: limits(count, size, found.level),
            )
        # Inside a bin a threshold has some of the bin's cases above it: the middle stands for them.
        whole, cuts = inside_bins(roc.thresholds, roc.tops, found.threshold)
        more = whole + cuts if roc.binned else whole
        fpr_at, tpr_at = roc.fpr, roc.tpr
        empty = [name for name in MEASURES if np.isnan(measures[name]).any()]
        notes = found.notes
        if empty:
            notes = (f"Without rows that are called so there is no {', '.join(empty)}.", *notes)
        return replace(
            found,
            threshold_fpr=(fpr_at[whole] + fpr_at[more]) / 2.0,
            threshold_tpr=(tpr_at[whole] + tpr_at[more]) / 2.0,
            prevalence=float(share.value),
            prevalence_given=prevalence is not None,
            fixed="eer" if linked else found.asked,
            notes=(*notes, *roc.direction_notes),
            **measures,
        )

    def _check_fixed(self, what: Fixed, advice: str) -> None:
        if what not in self.fixed:
            raise InputError(
                f"Method {self.name!r} has no limits at fixed {what}",
                "",
                f"Use {arg('method', advice)}.",
            )

    def _lacks(self, what: str, function: str) -> str:
        return f"Method {self.name!r} says that it handles {what}, and must define {function}."

    # ----------------------------------------------------------------------- fixed thresholds

    def _at_thresholds(
        self, roc: RocCurve, threshold: npt.NDArray[Any], joint: bool, request: Request
    ) -> OperatingPoints:
        """Limits of both rates; a threshold inside a bin has some of the bin's cases above it."""
        # Both rates are independent: the rectangle has the level if each axis has its root.
        level = request.level**0.5 if joint else request.level
        if not isinstance(self, ShareMethod):
            raise TypeError(self._lacks("thresholds", "limit_shares"))
        fewest, most = roc.counts_at(threshold)
        rates: dict[str, Any] = {}
        if not roc.independent:
            return self._at_weighted_thresholds(roc, threshold, joint, request, level)
        for i, (name, size) in enumerate((("fpr", roc.n_neg), ("tpr", roc.n_pos))):
            rates[name] = (fewest[i] + most[i]) / (2.0 * size)
            rates[f"{name}_lower"] = self.limit_shares(fewest[i], size, level)[0]
            rates[f"{name}_upper"] = self.limit_shares(most[i], size, level)[1]
        inside = np.count_nonzero((most > fewest).any(axis=0))
        notes: tuple[str, ...] = ()
        if inside:
            notes = (
                f"Counts in bins: {inside} of {threshold.size} thresholds lie inside a bin, and "
                "limits allow for all rates that it may have there.",
            )
        return OperatingPoints(
            roc=roc,
            asked="threshold",
            level=request.level,
            method=self.name,
            parameters=self.parameters,
            joint=joint,
            notes=notes,
            threshold=threshold,
            **rates,
        )

    def _at_weighted_thresholds(
        self,
        roc: RocCurve,
        threshold: npt.NDArray[Any],
        joint: bool,
        request: Request,
        level: float,
    ) -> OperatingPoints:
        """Limits of both rates of weighted or dependent rows."""
        if roc.certificate > 0.0:
            raise InputError(
                "Thresholds of weighted rows need counts of single scores",
                "the curve has bins",
                f"Count every score, by {arg('exact', True)}.",
            )
        if not isinstance(self, WeightedShareMethod):
            raise TypeError(self._lacks("weights", "limit_weighted_shares"))
        sizes = find_effective_sizes(roc)
        rates: dict[str, Any] = {}
        steps = np.searchsorted(-roc.thresholds, -threshold, side="right")
        for name, one in (("fpr", sizes.neg), ("tpr", sizes.pos)):
            at = sizes.vertices[steps]
            low, high = self.limit_weighted_shares(one, at, level)
            rate = one.rate[at]
            rates |= {name: rate, f"{name}_lower": np.minimum(low, rate)}
            rates[f"{name}_upper"] = np.maximum(high, rate)
        return OperatingPoints(
            roc=roc,
            asked="threshold",
            level=request.level,
            method=self.name,
            parameters=self.parameters,
            joint=joint,
            notes=sizes.describe(roc),
            threshold=threshold,
            **rates,
        )

    # ----------------------------------------------------------------------------- fixed rates

    def compute_heights(self, roc: RocCurve, fpr: FloatArray, request: Request) -> Heights:
        """Heights of the empirical curve at each `fpr`, and limits that contain them."""
        if not isinstance(self, HeightMethod):
            raise TypeError(self._lacks("rates", "limit_heights"))
        height = roc.curve.high(fpr)
        # At fpr 1 the true curve has height 1, and nothing is unknown.
        low, high = np.ones_like(height), np.ones_like(height)
        inner = fpr < 1.0
        if inner.any():
            low[inner], high[inner] = self.limit_heights(roc, fpr[inner], request)
        return Heights(height, np.clip(low, 0.0, height), np.clip(high, height, 1.0))

    def _at_rates(
        self, roc: RocCurve, kind: str, wanted: FloatArray, request: Request
    ) -> OperatingPoints:
        """Limits of one rate where the other is fixed."""
        steps = roc.find_steps(kind, wanted)
        if kind == "fpr":
            free, own = "tpr", roc.tpr[steps]
            moving = tuple(self.compute_heights(roc, wanted, request))
        else:
            free, own = "fpr", roc.fpr[steps]
            mirrored = self.compute_heights(roc.mirrored, 1.0 - wanted, request)
            moving = 1.0 - mirrored.height, 1.0 - mirrored.high, 1.0 - mirrored.low
        rates: dict[str, Any] = dict.fromkeys((kind, f"{kind}_lower", f"{kind}_upper"), wanted)
        rates |= dict(zip((free, f"{free}_lower", f"{free}_upper"), moving, strict=True))
        notes = (
            *(() if roc.independent else find_effective_sizes(roc).describe(roc)),
            *self.note_rates(roc, kind, wanted),
            *_note_threshold(roc, kind, wanted, np.abs(moving[0] - own) > 1e-9),
            *note_infinite_scores(roc, steps),
            *_note_bins(roc, kind, wanted),
        )
        return OperatingPoints(
            roc=roc,
            asked=kind,
            level=request.level,
            method=self.name,
            parameters=self.parameters,
            notes=notes,
            threshold=roc.get_thresholds(steps),
            simulation=request.simulation,
            **rates,
        )


def _note_threshold(
    roc: RocCurve, kind: str, wanted: FloatArray, between: npt.NDArray[np.bool_]
) -> tuple[str, ...]:
    """Say what the threshold itself achieves where the curve has the rate between two steps."""
    if not between.any():
        return ()
    where = "both classes share a score: no threshold has this point"
    if roc.binned:
        end = "upper" if kind == "fpr" else "lower"
        where = f"the curve is inside a bin; the threshold is its {end} end"
    return (f"At {kind} {wanted[int(np.argmax(between))]:g} {where}.",)


def _note_bins(roc: RocCurve, kind: str, wanted: FloatArray) -> tuple[str, ...]:
    """Say how far the rate that is not fixed is known."""
    if not roc.binned:
        return ()
    seen, at = (roc, wanted) if kind == "fpr" else (roc.mirrored, 1.0 - wanted)
    least, own, most = (
        curve.curve.high(at) for curve in (seen.extremes[0], seen, seen.extremes[1])
    )
    known = float(np.maximum(own - least, most - own).max())
    free = "tpr" if kind == "fpr" else "fpr"
    return (f"Counts in bins: the {free} is known within {bound(known)} or better.",)
