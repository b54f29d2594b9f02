"""Base of all methods for costs: checks, bins, and the two kinds of result.

A method is one function, :meth:`CostMethod.find_limits`. It takes the counts of one classifier or
the discordant counts of two, and returns limits.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from rocbands.core.checks import BoolArray, FloatArray
from rocbands.core.method import Extra, Method, Request, refuse_with_design
from rocbands.core.pair import Pair
from rocbands.core.randomness import Rng
from rocbands.core.roc import RocCurve
from rocbands.cost.conditions import Conditions, Sampling
from rocbands.cost.counts import (
    WeightedCounts,
    count_discordant,
    count_errors,
    is_inside_both,
    weigh_discordant,
    weigh_errors,
)
from rocbands.cost.result import CostDifference, CostIntervals
from rocbands.cost.simultaneous import find_critical_value
from rocbands.cost.thresholds import Thresholds, check_thresholds, match_thresholds
from rocbands.errors import InputError, Message, arg, call
from rocbands.resample.gaussian_maximum import CriticalValue

DUGAS_GADOURY = (
    "Dugas and Gadoury (2009), Pointwise exact bootstrap distributions of cost curves, CRM "
    "working paper 3287."
)

N_RESAMPLES = 2000  # draws for simultaneous limits, if the method has no such field
ENOUGH = 10  # discordant rows needed for a normal approximation of the difference


class CostLimits(NamedTuple):
    """A cost, or a difference of costs, and its limits at each condition."""

    estimate: FloatArray
    lower: FloatArray
    upper: FloatArray

    def find_distance(self, other: CostLimits) -> float:
        """Return the largest distance from other limits."""
        ends = ((self.lower, other.lower), (self.upper, other.upper))
        return float(max(np.abs(far - own).max() for own, far in ends))


@dataclass(frozen=True)
class CostMethod(Method):
    """Base of all methods for costs; derive your own methods from it.

    Attributes
    ----------
    monotone : tuple of {'stratified', 'full'}
        Kinds of sampling for which both limits are non-decreasing in the number of errors.
        Thresholds inside a bin are then allowed: the lower limit is computed for the fewest errors
        possible in the bin, the upper one for the most.
    needs_many_errors : bool
        Whether the limits fail where errors, or discordant rows, are few.
    note : str
        Note that every result of this method has.
    """

    question: ClassVar[str] = "cost"
    monotone: ClassVar[tuple[Sampling, ...]] = ()
    needs_many_errors: ClassVar[bool] = False
    note: ClassVar[str] = ""

    @abstractmethod
    def find_limits(self, counts: WeightedCounts, level: float, critical: float) -> CostLimits:
        """Find limits at every condition.

        Parameters
        ----------
        counts : ErrorCounts or DiscordantCounts
            Errors of one classifier; or, if the method handles 'paired', discordant rows of two.
        level : float
            Confidence level of each interval.
        critical : float
            Half the width of a normal interval in standard errors: the normal quantile of `level`,
            or a larger number for simultaneous limits.
        """

    def __call__(
        self, roc: RocCurve, thresholds: Any, conditions: Conditions, *, level: float = 0.95
    ) -> CostIntervals:
        """Find intervals for the cost of one classifier at thresholds chosen beforehand.

        Parameters
        ----------
        roc : RocCurve
            The test set.
        thresholds : float or array-like
            Thresholds, one for all conditions or one for each.
        conditions : Conditions
            What errors cost; see :func:`rocbands.cost.conditions.build_conditions`.
        level : float
            Confidence level.
        """
        asked = _full(conditions, *roc.design)
        request = self.check_request(roc, level=level, asked=asked)
        cut = check_thresholds(thresholds, conditions.w.size)
        conditions = conditions.repeat(cut.size)
        fewest, most = count_errors(roc, cut, conditions)
        inside = np.asarray((fewest.up < most.up).any(axis=0))
        middle = replace(fewest, up=(fewest.up + most.up) // 2)
        judged, ends = middle, [fewest, most][: 1 + bool(inside.any())]
        if inside.any() and conditions.sampling not in self.monotone:
            raise InputError(
                Message(
                    "With {} and {} thresholds must be bin edges; {} lies inside a bin. Use {}, "
                    "or a bin edge.",
                    arg("method", self.name),
                    arg("sampling", conditions.sampling),
                    cut[inside][0],
                    arg("method", "exact"),
                )
            )
        if not roc.independent or "weights" in asked:
            ends = weigh_errors((fewest, most))
            judged = ends[0]
        hidden = (
            f"Counts in bins: {np.count_nonzero(inside)} of {inside.size} thresholds lie inside a "
            "bin, and limits allow for all possible errors there."
        )
        critical = _normal_quantile(request.level)
        limits = [self.find_limits(end, request.level, critical) for end in ends]
        return CostIntervals(
            cost=np.clip((limits[0].estimate + limits[-1].estimate) / 2.0, 0.0, 1.0),
            lower=np.clip(limits[0].lower, 0.0, 1.0),
            upper=np.clip(limits[-1].upper, 0.0, 1.0),
            threshold=cut,
            fn=middle.fn,
            fp=middle.fp,
            reliable=judged.reliability,
            inside=is_inside_both(roc, cut),
            roc=roc,
            level=request.level,
            method=self.name,
            parameters=self.parameters,
            needs_many_errors=self.needs_many_errors,
            notes=(
                *roc.value_notes,
                *roc.note_outside(cut),
                *conditions.notes,
                *filter(None, [self.note]),
                *((hidden,) if inside.any() else ()),
                *note_design(judged, conditions.w),
                *self._note_doubts(roc, judged.reliability),
            ),
            **conditions.facts,
        )

    def _note_doubts(self, roc: RocCurve, reliability: npt.NDArray[np.str_]) -> tuple[str, ...]:
        """Note where errors are few, and weights, for which measured coverage is too low."""
        notes: tuple[str, ...] = ()
        if weak := int(np.count_nonzero(reliability == "unreliable")):
            where = f"At {weak} of {reliability.size} w errors are "
            notes = (
                Message("{}too few for this method: use {}.", where, arg("method", "mover"))
                if self.needs_many_errors
                else f"{where}few ('unreliable'): gaussian and exact limits would fail there, "
                f"{self.name} limits held 0.88 or more at 0.95.",
            )
        if "weights" in roc.design:
            notes += ("Weighted rows: measured coverage was 0.89 or more at 0.95.",)
        return notes

    def compare(
        self,
        pair: Pair,
        thresholds: tuple[Any, Any],
        conditions: Conditions,
        *,
        level: float = 0.95,
        simultaneous: bool = False,
        rng: Rng = 0,
    ) -> CostDifference:
        """Find limits for cost 1 minus cost 2 of two classifiers on the same rows.

        Parameters
        ----------
        pair : Pair
            The test set, with the scores of two classifiers.
        thresholds : tuple of two
            Each classifier's thresholds, one for all conditions or one for each.
        conditions : Conditions
            What errors cost.
        level, simultaneous, rng
            As for :func:`rocbands.cost_difference`.
        """
        if "paired" not in self.handles:
            raise InputError(
                f"Method {self.name!r} has limits for one model, not for a difference",
                "",
                Message(
                    "Use {}, or another method that handles pairs (see {}).",
                    arg("method", "mover"),
                    call("methods"),
                ),
            )
        together: tuple[Extra, ...] = ("simultaneous",) if simultaneous else ()
        if simultaneous and conditions.share is not None:
            raise InputError(
                "is for a share of positives that is fixed or binomial",
                Message("{} is a ShareLaw", arg("sampling")),
                "Leave one of them out.",
                argument="simultaneous",
            )
        refuse_with_design(arg("simultaneous", True), pair.design if simultaneous else ())
        request = self.check_request(
            level=level, rng=rng, asked=(*pair.asked, *_full(conditions, *pair.design), *together)
        )
        cuts = match_thresholds(thresholds, conditions.w.size)
        conditions = conditions.repeat(cuts[0].size)
        counts, decisions = count_discordant(pair, cuts, conditions)
        positives, negatives = decisions
        costs = [
            (conditions.unit * (positives.size - tp, fp)).sum(axis=0)
            for tp, fp in zip(positives.called, negatives.called, strict=True)
        ]
        weighed = counts
        if set(pair.design) - {"class weights"} or _full(conditions, *pair.design)[1:]:
            weighed, costs = weigh_discordant(pair, cuts, counts, decisions)
        return self.build_difference(
            pair,
            cuts,
            conditions,
            request,
            find_limits=lambda z: (self.find_limits(weighed, request.level, z), costs),
            draw_critical=lambda draws: find_critical_value(
                decisions, counts, request.level, draws, request.rng
            ),
            simultaneous=simultaneous,
            few=counts.dominant_discordant < ENOUGH if self.needs_many_errors else None,
            design=note_design(weighed, conditions.w),
            only_1_pos=counts.down[0],
            only_2_pos=counts.up[0],
            only_1_neg=counts.up[1],
            only_2_neg=counts.down[1],
        )

    def build_difference(
        self,
        pair: Pair,
        cuts: Thresholds,
        conditions: Conditions,
        request: Request,
        *,
        find_limits: Callable[[float], tuple[CostLimits, Sequence[FloatArray]]],
        draw_critical: Callable[[int], CriticalValue],
        simultaneous: bool,
        few: BoolArray | None = None,
        design: tuple[str, ...] = (),
        **counts: Any,
    ) -> CostDifference:
        """Find the critical value, the limits of a difference, and their notes.

        `find_limits`: limits of the difference and both costs, for a critical value.
        `draw_critical`: the simultaneous critical value, for a number of draws. `few`: where
        discordant rows are too few for the method. `design`: notes on what the design costs.
        `counts`: numbers of discordant rows.
        """
        critical = CriticalValue(_normal_quantile(request.level), 0.0)
        notes = [*pair.value_notes, *pair.note_outside(cuts)]
        notes += [*conditions.notes, *filter(None, [self.note]), *design]
        if simultaneous:
            draws = int(self.parameters.get("n_resamples", N_RESAMPLES))
            critical = draw_critical(draws).at_least(critical.value)
            notes.append(
                f"{critical.value:.3f} standard errors, from {draws} draws. Nothing is "
                "claimed between the given w."
            )
        limits, costs = find_limits(critical.value)
        if simultaneous:
            other, _ = find_limits(critical.value + critical.error)
            request.simulated(draws, limits.find_distance(other))
        lower, upper = np.clip(limits.lower, -1.0, 1.0), np.clip(limits.upper, -1.0, 1.0)
        if few is not None and few.any():
            then = "nothing is claimed" if simultaneous else "the limits are too narrow"
            notes.append(
                Message(
                    "At {} w fewer than {} rows of the relevant class are decided differently; {} "
                    "there. Use {}.",
                    np.count_nonzero(few),
                    ENOUGH,
                    then,
                    arg("method", "mover"),
                )
            )
            # A single limit that is too narrow would invalidate the simultaneous level.
            if simultaneous:
                lower, upper = np.where(few, -1.0, lower), np.where(few, 1.0, upper)
        return CostDifference(
            difference=np.clip(limits.estimate, -1.0, 1.0),
            lower=lower,
            upper=upper,
            cost_1=costs[0],
            cost_2=costs[1],
            threshold_1=cuts[0],
            threshold_2=cuts[1],
            names=pair.names,
            n_pos=pair.first.n_pos,
            n_neg=pair.first.n_neg,
            paired=pair.paired,
            n_pos_2=None if pair.paired else pair.second.n_pos,
            n_neg_2=None if pair.paired else pair.second.n_neg,
            level=request.level,
            simultaneous=bool(simultaneous),
            critical_value=critical.value,
            method=self.name,
            parameters=self.parameters,
            notes=tuple(notes),
            frame=pair.frame,
            simulation=request.simulation,
            **conditions.facts,
            **counts,
        )


def _full(conditions: Conditions, *design: Extra) -> tuple[Extra, ...]:
    """Name full sampling, for which weights of the classes matter as weights of rows do."""
    if conditions.sampling == "stratified":
        return ()
    if conditions.share is not None:
        rows = () if conditions.share.rows is None else design
        refuse_with_design(arg("sampling", "ShareLaw(sd)"), rows, "", "give the law its mean")
        return ("share law",)
    return ("full sampling", "weights") if "class weights" in design else ("full sampling",)


def note_design(counts: WeightedCounts, w: FloatArray) -> tuple[str, ...]:
    """Say what the design costs at the w nearest to one half."""
    if counts.sums is None or not w.size:
        return ()
    pos, neg = counts.sizes[:, int(np.argmin(np.abs(w - 0.5)))].tolist()
    effective = {"positives": (counts.n_pos, pos), "negatives": (counts.n_neg, neg)}
    if counts.sampling == "full":
        effective = {"rows": (counts.n_pos + counts.n_neg, min(pos, neg))}
    return counts.sums.design.describe(effective, "the cost")


def _normal_quantile(level: float) -> float:
    return float(ndtri((1.0 + level) / 2.0))
