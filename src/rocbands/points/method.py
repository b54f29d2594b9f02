"""The base class of limits for operating points.

At a *threshold* fixed in advance both rates are proportions of a fixed number of cases: two
independent binomial counts. At a fixed *rate* the threshold is estimated, and the limits are for
the height of the true curve at a false positive rate. A fixed true positive rate is the same
question with exchanged classes and negated scores.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Literal, NoReturn, TypeAlias

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import CountArray, FloatArray, IndexArray, check_flag
from rocbands.core.counts import inside_bins
from rocbands.core.method import DESIGNED, Extra, Method, Request
from rocbands.core.randomness import Rng
from rocbands.core.result import bound, require
from rocbands.core.roc import RocCurve
from rocbands.design.called_sums import (
    CALLED_NEG,
    CALLED_POS,
    NEGATIVES,
    POSITIVES,
    CalledSums,
    Share,
)
from rocbands.design.effective_sizes import summarize_sizes
from rocbands.errors import InputError, Message, arg
from rocbands.points.measures import (
    MEASURES,
    Limited,
    compute_measures,
    compute_shares,
    correlate_rates,
    find_prevalence,
)
from rocbands.points.result import OperatingPoints
from rocbands.points.thresholds import note_infinite_scores

Fixed: TypeAlias = Literal["rates", "thresholds"]


_WEIGHTED = (
    "Weighted rows: limits of single thresholds held 0.81 or more at 0.95, least where rows beyond "
    "the threshold are much heavier than those nearby."
)
Limits: TypeAlias = tuple[FloatArray, FloatArray]


@dataclass(frozen=True)
class PointMethod(Method):
    """Base class of limits for operating points.

    Subclasses define :meth:`limit_heights`, :meth:`limit_shares` or both, and list them in `fixed`.

    Attributes
    ----------
    fixed : tuple of str
        What may be fixed: 'rates', 'thresholds' or both.
    """

    question: ClassVar[str] = "points"
    fixed: ClassVar[tuple[Fixed, ...]] = ()

    def limit_heights(self, roc: RocCurve, fpr: FloatArray, request: Request) -> Limits:
        """Limits for the height of the true curve at each `fpr`, all below 1 and in any order."""
        self._lacks("rates", "limit_heights")

    def limit_shares(self, count: Any, size: Any, level: float) -> Limits:
        """Limits for the probability of a binomial `count` out of `size`.

        Whole numbers; of weighted or dependent rows effective ones, which need not be whole.
        """
        self._lacks("thresholds", "limit_shares")

    def limit_share(self, share: Share, level: float) -> Limits:
        """Limits for a share of rows of any design, from its effective numbers."""
        count, size = share.count_events((1.0 - level) / 2.0)
        known = size > 0
        counts: list[Any] = [count[known], size[known]]
        if share.of_equal_rows:
            counts = [np.rint(rows).astype(np.int64) for rows in counts]
        found = np.full((2, known.size), np.nan)
        found[:, known] = self.limit_shares(counts[0], counts[1], level)
        return found[0], found[1]

    def limit_rates(
        self, roc: RocCurve, ends: tuple[IndexArray, IndexArray], level: float
    ) -> tuple[list[tuple[Limits, Limits]], tuple[str, ...]]:
        """Limits of fpr and tpr at both ends of bins, and notes on what the design costs.

        `ends`: fewest and most steps of the curve above each threshold.
        """
        places = ends if ends[0] is not ends[1] else ends[:1]
        found, numbers, sums = [], [], [CalledSums.of_curve(roc, place) for place in places]
        for part, base, kind in ((CALLED_NEG, NEGATIVES, 1), (CALLED_POS, POSITIVES, 0)):
            shares = [end.find_share(part, base, end.near[kind]) for end in sums]
            # The smaller number at both ends, so that limits rise with every row in a bin.
            least = np.min([share.number for share in shares], axis=0)
            limits = [self.limit_share(share._replace(number=least), level) for share in shares]
            found.append((limits[0], limits[-1]))
            numbers.append(least)
        if not least.size:  # no threshold is asked for
            return found, ()
        neg, pos = (float(np.median(number)) for number in numbers)
        return found, sums[0].describe((pos, neg), "", of_classes=True)

    def note_rates(self, roc: RocCurve, kind: str, rates: FloatArray) -> tuple[str, ...]:
        """Return notes on the limits at fixed rates."""
        return ()

    def note_counts(self, roc: RocCurve, counts: CountArray) -> tuple[str, ...]:
        """Return notes on the limits at thresholds; `counts`: negatives and positives called."""
        return ()

    def _find_able(self, extra: Extra) -> str:
        # The only one that handles designs whatever is fixed.
        return arg("method", "likelihood") if extra in DESIGNED else super()._find_able(extra)

    def _lacks(self, what: str, function: str) -> NoReturn:
        raise TypeError(
            f"Method {self.name!r} says that it handles {what}, and must define {function}."
        )

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
        rng: Rng = 0,
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
                Message(
                    "One of {}, {} and {} must be given", arg("fpr"), arg("tpr"), arg("threshold")
                ),
                "none was",
                Message("Pass, for example, {}.", arg("fpr", 0.1)),
            )
        if joint:
            raise InputError(
                Message("{} is for both rates of a threshold", arg("joint")),
                Message("{} fixes one of them", arg(kind)),
                Message("Leave {} out.", arg("joint")),
            )
        self._check_fixed("rates", "likelihood")
        found = self._at_rates(roc, kind, rates, request)
        return self.add_measures(found, found, prevalence)

    def add_measures(
        self, found: OperatingPoints, single: OperatingPoints, prevalence: float | None
    ) -> OperatingPoints:
        """Add predictive values and ratios; `single` has limits of single rates."""
        roc = found.roc
        fpr = Limited(single.fpr, single.fpr_lower, single.fpr_upper)
        tpr = Limited(single.tpr, single.tpr_lower, single.tpr_upper)
        share = find_prevalence(roc, prevalence, found.level)
        linked = found.asked == "best eer"
        # An unknown part of a bin's cases is above a threshold inside it: take the midpoint.
        whole, more = _find_ends(roc, found.threshold)
        correlation: Any = 0.0
        shares: dict[str, Any] = {}
        if found.asked == "threshold":
            few = CalledSums.of_curve(roc, whole)
            many = few if more is whole else CalledSums.of_curve(roc, more)
            correlation = correlate_rates(few)
            if prevalence is None:
                shares = compute_shares(few, many, partial(self.limit_share, level=found.level))
        rates = compute_measures(fpr, tpr, share, linked=linked, correlation=correlation)
        measures: dict[str, Any] = {**rates, **shares}
        fpr_at, tpr_at = roc.curve.x, roc.curve.y
        empty = [name for name in MEASURES if np.isnan(measures[name]).any()]
        notes = found.notes
        if empty:
            missing = f"Not defined without rows on that side of a threshold: {', '.join(empty)}."
            notes = (missing, *notes)
        return replace(
            found,
            threshold_fpr=(fpr_at[whole] + fpr_at[more]) / 2.0,
            threshold_tpr=(tpr_at[whole] + tpr_at[more]) / 2.0,
            prevalence=float(share.value),
            prevalence_given=prevalence is not None,
            fixed="eer" if linked else found.asked,
            notes=(*notes, *roc.score_notes),
            **measures,
        )

    def _check_fixed(self, what: Fixed, advice: str) -> None:
        if what not in self.fixed:
            raise InputError(
                f"Method {self.name!r} has no limits at fixed {what}",
                "",
                Message("Use {}.", arg("method", advice)),
            )

    def build_points(
        self, roc: RocCurve, asked: str, request: Request, **found: Any
    ) -> OperatingPoints:
        """Build the result from rates, limits, thresholds and notes."""
        return OperatingPoints(
            roc=roc,
            asked=asked,
            level=request.level,
            method=self.name,
            parameters=self.parameters,
            **found,
        )

    # ----------------------------------------------------------------------- fixed thresholds

    def _at_thresholds(
        self, roc: RocCurve, threshold: npt.NDArray[Any], joint: bool, request: Request
    ) -> OperatingPoints:
        """Limits of both rates."""
        # The rates are independent: a rectangle of two limits at sqrt(level) has the level.
        level = request.level**0.5 if joint else request.level
        ends = _find_ends(roc, threshold)
        rates: dict[str, FloatArray] = {}
        limits, notes = self.limit_rates(roc, ends, level)
        for name, column, (few, many) in zip(
            ("fpr", "tpr"), (roc.curve.x, roc.curve.y), limits, strict=True
        ):
            rate = (column[ends[0]] + column[ends[1]]) / 2.0
            # Cases in a bin that contains the threshold may be on either side.
            low, high = np.minimum(few[0], rate), np.maximum(many[1], rate)
            rates |= Limited(rate, low, high).name_columns(name)
        inside = np.count_nonzero(ends[1] > ends[0])
        if inside:
            notes = (
                *notes,
                f"Counts in bins: {inside} of {threshold.size} thresholds lie inside a bin, and "
                "limits include all rates that are possible there.",
            )
        doubts = self.note_counts(roc, roc.counts_at(threshold)[0]) if roc.independent else ()
        weighted = (_WEIGHTED,) if "weights" in roc.design else ()
        notes = (*notes, *doubts, *weighted, *roc.note_outside(threshold))
        found = {"joint": joint, "notes": notes, "threshold": threshold, **rates}
        return self.build_points(roc, "threshold", request, **found)

    # ----------------------------------------------------------------------------- fixed rates

    def compute_heights(self, roc: RocCurve, fpr: FloatArray, request: Request) -> Limited:
        """Heights of the empirical curve at each `fpr`, and limits that contain them."""
        height = roc.curve.high(fpr)
        # At fpr 1 the true curve has height 1.
        low, high = np.ones_like(height), np.ones_like(height)
        inner = fpr < 1.0
        if inner.any():
            low[inner], high[inner] = self.limit_heights(roc, fpr[inner], request)
        return Limited(height, np.clip(low, 0.0, height), np.clip(high, height, 1.0))

    def _at_rates(
        self, roc: RocCurve, kind: str, wanted: FloatArray, request: Request
    ) -> OperatingPoints:
        """Limits of one rate where the other is fixed."""
        steps = roc.find_steps(kind, wanted)
        if kind == "fpr":
            free, own = "tpr", roc.curve.y[steps]
            moving = self.compute_heights(roc, wanted, request)
        else:
            free, own = "fpr", roc.curve.x[steps]
            moving = self.compute_heights(roc.mirrored, 1.0 - wanted, request).flip()
        rates: dict[str, Any] = Limited(wanted, wanted, wanted).name_columns(kind)
        rates |= moving.name_columns(free)
        notes = (
            *(() if roc.independent else summarize_sizes(roc).describe(roc)),
            *self.note_rates(roc, kind, wanted),
            *_note_threshold(roc, kind, wanted, np.abs(moving.value - own) > 1e-9),
            *note_infinite_scores(roc, steps),
            *_note_bins(roc, kind, wanted),
        )
        return self.build_points(
            roc,
            kind,
            request,
            notes=notes,
            threshold=roc.get_thresholds(steps),
            simulation=request.simulation,
            **rates,
        )


def _find_ends(roc: RocCurve, threshold: npt.NDArray[Any]) -> tuple[IndexArray, IndexArray]:
    """Fewest and most steps of the curve above each threshold; they differ inside bins."""
    whole, cuts = inside_bins(roc.thresholds, roc.tops, threshold)
    return whole, whole + cuts if roc.binned else whole


def _note_threshold(
    roc: RocCurve, kind: str, wanted: FloatArray, between: npt.NDArray[np.bool_]
) -> tuple[str, ...]:
    """Note where the curve has the fixed rate between two thresholds."""
    if not between.any():
        return ()
    where = "both classes share a score: no threshold has this point"
    if roc.binned:
        end = "upper" if kind == "fpr" else "lower"
        where = f"the curve is inside a bin; the threshold is its {end} end"
    return (f"At {kind} {wanted[int(np.argmax(between))]:g} {where}.",)


def _note_bins(roc: RocCurve, kind: str, wanted: FloatArray) -> tuple[str, ...]:
    """Note how precisely binned counts determine the other rate."""
    if not roc.binned:
        return ()
    seen, at = (roc, wanted) if kind == "fpr" else (roc.mirrored, 1.0 - wanted)
    least, own, most = (
        curve.curve.high(at) for curve in (seen.extremes[0], seen, seen.extremes[1])
    )
    known = float(np.maximum(own - least, most - own).max())
    free = "tpr" if kind == "fpr" else "fpr"
    return (f"Counts in bins: the {free} is known within {bound(known)} or better.",)
