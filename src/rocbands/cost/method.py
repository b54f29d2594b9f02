"""Base of all methods for costs: checks, bins, and the two kinds of result.

A method is one function, :meth:`CostMethod.find_limits`: from the two terms of a cost, or of a
difference of two costs, to limits.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from rocbands.core.checks import BoolArray
from rocbands.core.method import Extra, Method, refuse_with_design
from rocbands.core.pair import Pair
from rocbands.core.randomness import Rng
from rocbands.core.roc import RocCurve
from rocbands.cost.conditions import Conditions, Sampling
from rocbands.cost.result import CostDifference, CostIntervals
from rocbands.cost.terms import CostLimits, CostTerms, list_ends
from rocbands.cost.thresholds import check_thresholds, match_thresholds
from rocbands.cost.two_models import ENOUGH, SameRows, TwoCosts, TwoSets
from rocbands.errors import InputError, Message, arg, call
from rocbands.resample.gaussian_maximum import CriticalValue

DUGAS_GADOURY = (
    "Dugas and Gadoury (2009), Pointwise exact bootstrap distributions of cost curves, CRM "
    "working paper 3287."
)

N_RESAMPLES = 2000  # draws for simultaneous limits, if the method has no such field


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
    """

    question: ClassVar[str] = "cost"
    monotone: ClassVar[tuple[Sampling, ...]] = ()
    needs_many_errors: ClassVar[bool] = False

    @abstractmethod
    def find_limits(self, terms: CostTerms, level: float, critical: float) -> CostLimits:
        """Find limits at every condition.

        Parameters
        ----------
        terms : CostTerms
            Shares of errors of one model; or, if the method handles 'paired', of the rows that only
            one of two models gets wrong.
        level : float
            Confidence level of each interval.
        critical : float
            Half the width of a normal interval in standard errors: the normal quantile of `level`,
            or a larger number for simultaneous limits.
        """

    def __call__(
        self, roc: RocCurve, thresholds: Any, conditions: Conditions, *, level: float = 0.95
    ) -> CostIntervals:
        """Find intervals for the cost of one model at thresholds chosen beforehand.

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
        counts = np.array(roc.counts_at(cut))  # fp and tp at both ends of a bin
        inside = np.asarray((counts[0] < counts[1]).any(axis=0))
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
        (low_fp, low_tp), (high_fp, high_tp) = counts
        fn, fp = (2 * roc.n_pos - low_tp - high_tp) // 2, (low_fp + high_fp) // 2
        ends = list_ends(roc, cut, conditions)
        judged = ends[0]
        if len(ends) > 1 and roc.independent:
            judged = CostTerms.of_counts(fn, fp, conditions)
        reliable = judged.reliability
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
            fn=fn,
            fp=fp,
            reliable=reliable,
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
                *((hidden,) if inside.any() else ()),
                *judged.describe(),
                *self.note_doubts(roc, reliable),
            ),
            **conditions.facts,
        )

    def note_doubts(self, roc: RocCurve, reliability: npt.NDArray[np.str_]) -> tuple[str, ...]:
        """Note where the data show that limits may fail: here, where errors are few."""
        weak = int(np.count_nonzero(reliability == "unreliable"))
        if not self.needs_many_errors or not weak:
            return ()
        where = f"At {weak} of {reliability.size} w errors are "
        return (Message("{}too few for this method: use {}.", where, arg("method", "mover")),)

    def compare(
        self,
        pair: Pair,
        thresholds: tuple[Any, Any],
        conditions: tuple[Conditions, Conditions],
        *,
        level: float = 0.95,
        simultaneous: bool = False,
        rng: Rng = 0,
    ) -> CostDifference:
        """Find limits for cost 1 minus cost 2 of two models, on the same rows or on two test sets.

        Parameters
        ----------
        pair : Pair
            The test set, with the scores of two models; or two test sets.
        thresholds : tuple of two
            Each model's thresholds, one for all conditions or one for each.
        conditions : tuple of two
            What errors cost, in each test set.
        level, simultaneous, rng
            As for :func:`rocbands.cost_difference`.
        """
        asked = self._check_pair(pair, conditions[0], simultaneous)
        data = None if pair.paired else pair.curves[0]
        request = self.check_request(data, level=level, rng=rng, asked=asked)
        cuts = match_thresholds(thresholds, conditions[0].w.size)
        at = conditions[0].repeat(cuts[0].size), conditions[1].repeat(cuts[0].size)
        kind: type[TwoCosts] = SameRows if pair.paired else TwoSets
        costs = kind.add_up(pair, cuts, at)
        critical = CriticalValue(_normal_quantile(request.level), 0.0)
        notes = [*pair.value_notes, *pair.note_outside(cuts), *at[0].notes]
        notes += costs.describe()
        if simultaneous:
            draws = int(self.parameters.get("n_resamples", N_RESAMPLES))
            critical = costs.find_critical_value(request.level, draws, request.rng)
            critical = critical.at_least(_normal_quantile(request.level))
            notes.append(
                f"{critical.value:.3f} standard errors, from {draws} draws. Nothing is "
                "claimed between the given w."
            )
        limits = costs.find_limits(self, request.level, critical.value)
        if simultaneous:
            far = costs.find_limits(self, request.level, critical.value + critical.error)
            request.simulated(draws, limits.find_distance(far))
        lower, upper = np.clip(limits.lower, -1.0, 1.0), np.clip(limits.upper, -1.0, 1.0)
        few = costs.few
        if self.needs_many_errors and few.any():
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
            **at[0].facts,
            **costs.columns,
        )

    def _check_pair(
        self, pair: Pair, conditions: Conditions, simultaneous: bool
    ) -> tuple[Extra, ...]:
        """Refuse what no method can do, and list what this one must handle."""
        asked: tuple[Extra, ...] = tuple(extra for extra in pair.asked if extra != "unpaired")
        if not pair.paired and (
            conditions.sampling != "stratified" or any(roc.binned for roc in pair.curves)
        ):
            raise InputError(
                Message(
                    "Costs of two test sets are compared with fixed class sizes and single scores. "
                    "Use {} and curves without bins.",
                    arg("sampling", "stratified"),
                )
            )
        if pair.paired:
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
            asked = (*asked, *_full(conditions, *pair.design))
            asked = (*asked, "simultaneous") if simultaneous else asked
        if simultaneous and conditions.share is not None:
            raise InputError(
                "is for a share of positives that is fixed or binomial",
                Message("{} is a ShareLaw", arg("sampling")),
                "Leave one of them out.",
                argument="simultaneous",
            )
        refuse_with_design(arg("simultaneous", True), pair.design if simultaneous else ())
        return asked


def _full(conditions: Conditions, *design: Extra) -> tuple[Extra, ...]:
    """Name full sampling, for which weights of the classes matter as weights of rows do."""
    if conditions.sampling == "stratified":
        return ()
    if conditions.share is not None:
        rows = () if conditions.share.rows is None else design
        refuse_with_design(arg("sampling", "ShareLaw(sd)"), rows, "", "give the law its mean")
        return ("share law",)
    return ("full sampling", "weights") if "class weights" in design else ("full sampling",)


def is_inside_both(roc: RocCurve, thresholds: npt.NDArray[Any]) -> BoolArray:
    """Tell which thresholds lie between the lowest and the highest score of either class."""
    # Counts begin to rise at a class's highest score and are complete at its lowest.
    highest = [int(np.searchsorted(counts, 1)) for counts in (roc.fp, roc.tp)]
    lowest = [int(np.searchsorted(counts, counts[-1])) for counts in (roc.fp, roc.tp)]
    top, bottom = roc.thresholds[max(highest)], roc.thresholds[min(lowest)]
    return np.asarray((bottom <= thresholds) & (thresholds <= top))


def _normal_quantile(level: float) -> float:
    return float(ndtri((1.0 + level) / 2.0))
