"""Base class of rate methods: the request for limits of the recall, and its checks."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import FloatArray, check_unit_interval
from rocbands.core.method import Extra, Method, Request
from rocbands.core.randomness import Rng, Simulation
from rocbands.errors import InputError, Message, arg
from rocbands.rates.consensus import Consensus, Scheme
from rocbands.rates.table import CountedTable

Sampling: TypeAlias = Literal["full", "stratified"]

MILLARD = (
    "Millard, Kull and Flach (2014), Rate-oriented point-wise confidence bounds for ROC curves, "
    "ECML PKDD, LNCS 8725, 404-421."
)


VARIED = 1.5  # ratio of variances above which ten folds do not share one curve


def refuse_first(*rules: tuple[bool, str, str, str]) -> None:
    """Raise the first rule that holds: when, what must hold, what was found, what to do."""
    for holds, *message in rules:
        if holds:
            raise InputError(*message)


class Limits(NamedTuple):
    """Limits of the recall at each rate, and further results of a method."""

    lower: FloatArray  # (k,) of the recall
    upper: FloatArray
    mean: FloatArray | None = None  # (k,) its mean under the fitted curve
    fpr_limits: FloatArray | None = None  # (2, k) of fpr, if they do not follow from the recall's
    near: FloatArray | None = None  # (k,) share of positives close to the threshold
    simulation: Simulation | None = None  # how random numbers entered the limits
    notes: tuple[str, ...] = ()  # what the design of the rows costs


@dataclass(frozen=True)
class RateMethod(Method):
    """Base of the methods that bound the recall at a rate.

    Derive your own method from it, with a name and :meth:`find_limits`. List in `handles` what it
    can use besides one test set: 'folds', 'bins' or 'future'.

    Attributes
    ----------
    schemes : tuple of {'counts', 'reference'}
        Schemes of combining folds that it can use.
    least_folds : int
        Smallest number of folds; 1 for a single test set.
    any_future : bool
        Whether a future test set may differ from the observed one in class sizes.
    sampling : {'full', 'stratified'}
        Whether the share of positives is random, or the class sizes are taken as fixed.

    Examples
    --------
    >>> import rocbands as rb
    >>> class Anything(RateMethod):
    ...     name = "anything"
    ...     def find_limits(self, consensus, request):
    ...         return Limits(consensus.low, consensus.high)
    >>> wide = rb.rate_bounds(rb.load_example()["logistic"], method=Anything(), rate=0.2)
    >>> print(wide.tpr_lower.round(2), wide.tpr_upper.round(2))
    [0.] [0.54]
    """

    question: ClassVar[str] = "rates"
    schemes: ClassVar[tuple[Scheme, ...]] = ("counts",)
    least_folds: ClassVar[int] = 1
    any_future: ClassVar[bool] = False
    sampling: ClassVar[Sampling] = "stratified"
    uses_share: ClassVar[bool] = True

    def __call__(
        self,
        consensus: Consensus,
        *,
        level: float = 0.95,
        future: tuple[int, int] | None = None,
        rng: Rng = 0,
    ) -> Limits:
        """Return the limits at each rate of the consensus, within the feasible range.

        Parameters
        ----------
        consensus : Consensus
            The folds' average recall at each rate.
        level : float, default 0.95
            Confidence level at each rate.
        future : (int, int), optional
            Class sizes (n_pos, n_neg) of the future test set that the limits are for, over all
            folds; by default they are for the true curve.
        rng : None, int, SeedSequence or Generator, default 0
            Source of randomness of methods that resample.
        """
        asked: list[Extra] = ["folds"] if consensus.n_folds > 1 else []
        asked += ["bins"] if consensus.table.binned else []
        roc = consensus.table.roc
        asked += [] if roc is None else roc.design
        request = self.check_request(level=level, future=future, rng=rng, asked=tuple(asked))
        self._check_data(consensus, request.future)
        limits = self.find_limits(consensus, request)
        lower, upper = self.confine(consensus, limits.lower, limits.upper)
        return limits._replace(lower=lower, upper=upper, simulation=request.simulation)

    @abstractmethod
    def find_limits(self, consensus: Consensus, request: Request) -> Limits:
        """Return the limits at each rate of the consensus; the request is checked."""

    def confine(
        self, consensus: Consensus, lower: FloatArray, upper: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Clip limits to the feasible range."""
        low, high = consensus.low, consensus.high
        return np.clip(lower, low, high), np.clip(upper, low, high)

    def _check_data(self, consensus: Consensus, future: tuple[int, int] | None) -> None:
        """Refuse folds, counts and sizes of a future test set that the method cannot use."""
        table = consensus.table
        own, parametric = arg("method", self.name), arg("method", "parametric")
        any_size = self.any_future and table.n_folds == 1 and not table.binned
        other = future not in (None, table.totals) and not any_size
        where = "From counts in bins" if self.any_future else Message("With {}", own)
        where = "With folds" if table.n_folds > 1 else where
        sizes = "these folds" if table.n_folds > 1 else "the observed one"
        instead = "" if table.n_folds > 1 or self.any_future else Message(", or use {}", parametric)
        refuse_first(
            (
                table.n_folds < self.least_folds,
                "Limits from the spread of folds need at least two folds",
                "there is one",
                Message("Give the sample {}, or use {}.", arg("folds"), parametric),
            ),
            (
                consensus.scheme not in self.schemes,
                Message(
                    "{} works on counts that add up over folds; {} cuts each fold's curve instead",
                    own,
                    arg("scheme", consensus.scheme),
                ),
                "",
                Message("Use {} or 'conditional', or {}.", parametric, arg("scheme", "counts")),
            ),
            (
                isinstance(table, CountedTable) and "bins" not in self.handles,
                Message("{} needs single rows", own),
                f"there are {table.sizes[0]}",
                Message("Use {}.", parametric),
            ),
            (
                other,
                Message(
                    "{} a future test set has the sizes of {}: {} must be {}",
                    where,
                    sizes,
                    arg("future"),
                    table.totals,
                ),
                f"got {future}",
                Message("Pass {}{}.", arg("future", table.totals), instead),
            ),
        )

    def describe_target(self, consensus: Consensus, future: tuple[int, int] | None) -> str:
        """Say what the limits are for."""
        folds = consensus.n_folds
        if future is not None:
            if folds > 1:
                return f"consensus of {folds} new folds"
            return f"curve of a new test set of {future[0]} positives and {future[1]} negatives"
        if folds == 1:
            return "true curve"
        if self.least_folds > 1:
            return f"average of {folds} models' true curves"
        return f"true curve, if {folds} folds share one"

    def find_notes(self, consensus: Consensus, limits: Limits) -> tuple[str, ...]:
        """Return notes on these limits."""
        own = self._note_heterogeneity(consensus) + self._note_points(consensus, limits)
        return own + limits.notes

    def _note_heterogeneity(self, consensus: Consensus) -> tuple[str, ...]:
        """Note that folds differ by more than sampling explains; few folds vary more by chance."""
        ratio, folds = consensus.heterogeneity, consensus.n_folds
        if ratio is None or self.least_folds > 1:
            return ()
        if ratio <= max(VARIED, 1.0 + 3.0 * (VARIED - 1.0) / math.sqrt(folds - 1.0)):
            return ()
        return (
            Message(
                "Folds differ by more than one common curve explains: the limits are too narrow. "
                "{} allows for it.",
                arg("method", "baseline-t"),
            ),
        )

    def _note_points(self, consensus: Consensus, limits: Limits) -> tuple[str, ...]:
        """Note where intervals are a point although other recalls are feasible."""
        pi, rates = consensus.prevalence, consensus.rates
        room = np.minimum(1.0, rates / pi) - np.maximum(0.0, (rates - (1.0 - pi)) / pi)
        same = np.count_nonzero((room > 1e-9) & (limits.upper - limits.lower <= 1e-9))
        if not same:
            return ()
        where = "between these folds" if self.least_folds > 1 else "along the curve of these rows"
        other = Message(
            " {} allows for variation that these rows do not show.", arg("method", "parametric")
        )
        return (
            Message(
                "At {} of {} rates the limits are a point, because nothing varies {}; that is not "
                "certainty.{}",
                same,
                rates.size,
                where,
                "" if self.name == "parametric" else other,
            ),
        )


def check_rates(rates: npt.ArrayLike, name: str) -> FloatArray:
    """Return at least one rate from 0 to 1, sorted."""
    wanted = np.sort(np.atleast_1d(check_unit_interval(rates, name)).ravel())
    if not wanted.size:
        raise InputError(
            "must contain at least one rate",
            "it is empty",
            Message("Pass, for example, {}.", arg(name, 0.05)),
            argument=name,
        )
    return wanted
