"""The base class of intervals for the AUC.

An interval contains all values of the AUC that a test does not reject. A method therefore builds a
*pivot*: an object that computes the limits for any tail probability and the p-value of any null
value, consistently. :meth:`AucMethod.__call__` does the rest.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from rocbands.core.checks import check_rate
from rocbands.core.interval import Interval
from rocbands.core.method import Alternative, Extra, Method, Request
from rocbands.core.phrases import FEW_MISPLACED
from rocbands.core.randomness import Rng, Simulation
from rocbands.core.roc import REVERSED, RocCurve
from rocbands.errors import InputError, Message, arg, call

_NEAR_ONE = 0.15  # distance of an AUC from 0 or 1 below which it is near
_FEW_OFF = 10.0  # cases ranked the other way
_RARE = (
    "Few cases are out of order: where 5% of a class are far on the other side, and none was "
    "drawn, the AUC is too far from 0.5. In the worst such population limits held 0.75 at 0.90."
)
_POINT = (
    "The estimated variance of the AUC is 0, so the limits equal the estimate and there is no "
    "test; this does not mean that the AUC is known exactly. Use the default method."
)


class Tails(NamedTuple):
    """One-sided p-values, for the alternatives that the AUC is below and above the null value."""

    less: float
    greater: float


@dataclass(frozen=True)
class Pivot(ABC):
    """Limits and p-values of the same test."""

    estimate: float  # the estimated AUC
    # its standard error. 0: the limits equal the estimate; None: the method has limits but no
    # standard error.
    error: float | None
    # what the reader should know about these limits.
    notes: tuple[str, ...] = field(default=(), kw_only=True)

    @abstractmethod
    def limits(self, tail: float) -> tuple[float, float]:
        """Limits with probability `tail` beyond each; they may lie outside [0, 1]."""

    @abstractmethod
    def tails(self, null: float) -> Tails:
        """P-values of the test that the AUC is `null`."""

    def describe_draws(self, request: Request, null: float) -> Simulation | None:
        """Describe the simulation and its Monte Carlo error; None without random numbers."""
        return None


@dataclass(frozen=True)
class Wald(Pivot):
    """Estimate plus and minus z standard errors, with the standard error at the estimate."""

    error: float

    def limits(self, tail: float) -> tuple[float, float]:
        half = -float(ndtri(tail)) * self.error
        return self.estimate - half, self.estimate + half

    def tails(self, null: float) -> Tails:
        """P-values of z = (estimate - null) / error."""
        return compute_normal_tails(self.estimate - null, self.error)


def compute_normal_tails(distance: float, error: float) -> Tails:
    """P-values of a normal estimate that lies `distance` above the null value."""
    if error == 0.0:  # only at values of 0 and 1, from which an estimate cannot differ by chance
        return Tails(float(distance >= 0.0), float(distance <= 0.0))
    return Tails(float(ndtr(distance / error)), float(ndtr(-distance / error)))


@dataclass(frozen=True)
class AucMethod(Method):
    """Base class of intervals for the AUC.

    Subclasses define :meth:`build_pivot`, and :meth:`build_binned_pivot` if they handle bins.

    Attributes
    ----------
    least_cases : int
        Independent cases (or clusters with such cases) that each class must have.
    held_near_one, held_of_groups : str
        Measured coverage at .95 near AUC 1, and with clusters, if it is too low; notes say it.
    """

    question: ClassVar[str] = "auc"
    handles: ClassVar[tuple[Extra, ...]] = ("one-sided",)
    elsewhere: ClassVar[Mapping[Extra, str]] = {"folds": call("fold_auc_interval")}
    least_cases: ClassVar[int] = 1
    held_near_one: ClassVar[str] = ""
    held_of_groups: ClassVar[str] = ""

    @abstractmethod
    def build_pivot(self, roc: RocCurve, request: Request) -> Pivot:
        """Build the pivot of a curve whose counts are of single scores."""

    def build_binned_pivot(self, roc: RocCurve) -> Pivot:
        """Build a pivot whose limits contain those of every order of scores inside the bins."""
        raise TypeError(
            f"Method {self.name!r} says that it handles bins, and must define build_binned_pivot."
        )

    def __call__(
        self,
        roc: RocCurve,
        *,
        level: float = 0.95,
        alternative: Alternative = "two-sided",
        null: float = 0.5,
        rng: Rng = 0,
    ) -> Interval:
        """Compute the interval of a curve; arguments as for :func:`rocbands.auc_interval`."""
        request = self.check_request(roc, level=level, rng=rng, alternative=alternative)
        null = check_rate(null, "null")
        self._check_cases(roc)
        if roc.certificate > 0.0:  # some bin contains both classes
            pivot = self.build_binned_pivot(roc)
        else:
            pivot = self.build_pivot(roc, request)
        low, high = pivot.limits(request.tail)
        is_point = pivot.error == 0.0
        reversed_ = (REVERSED,) if max(high, roc.auc + roc.certificate) < 0.5 else ()
        return Interval(
            quantity="AUC",
            estimate=roc.auc,
            # The limits contain all possible AUCs, a range with bins.
            low=_clip(min(low, roc.auc - roc.certificate), at=0.0, cut=alternative == "less"),
            high=_clip(max(high, roc.auc + roc.certificate), at=1.0, cut=alternative == "greater"),
            level=request.level,
            method=self.name,
            parameters=self.parameters,
            n_pos=roc.n_pos,
            n_neg=roc.n_neg,
            standard_error=pivot.error,
            alternative=request.alternative,
            null=null,
            pvalue=None if is_point else request.combine_tails(*pivot.tails(null)),
            target="true AUC",
            notes=(
                *roc.value_notes,
                *reversed_,
                *pivot.notes,
                *((_POINT,) if is_point else ()),
                *self.note_doubts(roc),
                *roc.bin_notes,
            ),
            frame=roc.frame,
            simulation=pivot.describe_draws(request, null),
        )

    def note_doubts(self, roc: RocCurve) -> tuple[str, ...]:
        """Note data on which the measured coverage is too low."""
        notes: tuple[str, ...] = ()
        default = arg("method", "score-delong")
        off = min(roc.auc, 1.0 - roc.auc)  # share of pairs that are ranked the other way
        if self.held_near_one and off < _NEAR_ONE and min(count_units(roc)) * off < _FEW_OFF:
            said = (
                "Near AUC 1 with few cases these limits are too narrow: with AUCs of 0.9 and 0.99 "
                f"and 10 to 200 cases of a class they held the AUC in {self.held_near_one} of data "
                "sets at 0.95, "
            )
            notes += (Message("{}{} in 0.91 or more.", said, default),)
        elif min(count_units(roc)) * off < FEW_MISPLACED:
            notes += (_RARE,)
        if self.held_of_groups and roc.clusters is not None:
            said = f"Of 15 to 100 groups these limits held {self.held_of_groups} at 0.95, "
            notes += (Message("{}{} 0.93 or more.", said, default),)
        return notes

    def _check_cases(self, roc: RocCurve) -> None:
        if roc.clusters is not None:
            roc.clusters.check_classes()
        units = count_units(roc)
        if min(units) >= self.least_cases:
            return
        kind = "positive" if units[0] < self.least_cases else "negative"
        what = "case" if roc.clusters is None else "cluster with a case"
        raise InputError(
            f"Method {self.name!r} estimates the spread within each class and needs at least two "
            "of each",
            f"there is one {kind} {what}",
            Message("Use {}.", arg("method", "score-delong")),
        )


def count_units(roc: RocCurve) -> tuple[int, int]:
    """Count positives and negatives, or the clusters that have a positive or a negative."""
    if roc.clusters is None:
        return roc.n_pos, roc.n_neg
    pos, neg = (int(np.count_nonzero(side)) for side in roc.clusters.count_classes())
    return pos, neg


def _clip(limit: float, *, at: float, cut: bool) -> float:
    return at if cut else min(max(limit, 0.0), 1.0)
