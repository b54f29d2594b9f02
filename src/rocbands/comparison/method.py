"""The contract of methods that compare two classifiers, and what they have in common."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from rocbands.core.comparison import DISAGREE, Comparison
from rocbands.core.delong import compute_placements
from rocbands.core.method import Extra, Method, Request
from rocbands.core.pair import Pair
from rocbands.core.rows import Rows
from rocbands.errors import InputError, arg, call


@dataclass(frozen=True)
class ComparisonRequest(Request):
    """What is asked of a comparison, checked."""

    # difference that the test doubts: 0, or minus the margin of a test of non-inferiority.
    null: float = 0.0

    def clip_limits(self, low: float, high: float, estimate: float) -> tuple[float, float]:
        """Keep the limits that were asked for; they contain the estimate and lie in [-1, 1]."""
        low = -1.0 if self.alternative == "less" else max(-1.0, min(low, estimate))
        high = 1.0 if self.alternative == "greater" else min(1.0, max(high, estimate))
        return low, high


class Outcome(NamedTuple):
    """What a method found."""

    # low, high: confidence limits of the difference.
    low: float
    high: float
    # statistic, pvalue: of the test.
    statistic: float
    pvalue: float
    standard_error: float | None = None  # of the difference
    df: float | None = None  # degrees of freedom, where the statistic follows Student's t
    interval_method: str = ""  # method of the interval, if it is not that of the test
    notes: tuple[str, ...] = ()  # what the reader should know
    # areas of both models, where the method has computed them.
    estimates: tuple[float, float] | None = None


@dataclass(frozen=True)
class ComparisonMethod(Method):
    """Base of all methods of :func:`rocbands.compare`.

    A method defines :meth:`run_test`. It handles 'paired' (models that scored the same rows),
    'unpaired' (different rows), 'groups' and 'one-sided' (alternatives and margins), or refuses
    them.

    Attributes
    ----------
    hypothesis : str
        What the test doubts: 'equal AUCs' or 'equal ROC curves'.
    """

    question: ClassVar[str] = "comparison"
    hypothesis: ClassVar[str] = "equal AUCs"

    def __call__(
        self,
        pair: Pair,
        *,
        level: Any = 0.95,
        alternative: Any = "two-sided",
        margin: Any = None,
        rng: Any = "data",
    ) -> Comparison:
        """Compare the two models of `pair`; the arguments are those of `compare`."""
        request = self.check_comparison(
            pair.asked,
            level=level,
            alternative=alternative,
            margin=margin,
            rng=rng,
        )
        outcome = self.run_test(pair, request)
        return build_comparison(
            outcome,
            request,
            pair,
            quantity="AUC",
            estimates=outcome.estimates or (compute_area(pair.one), compute_area(pair.two)),
            method=self.name,
            parameters=self.parameters,
            hypothesis=self.hypothesis,
        )

    @abstractmethod
    def run_test(self, pair: Pair, request: ComparisonRequest) -> Outcome:
        """Test the hypothesis, and find confidence limits for the difference of the areas."""

    def check_comparison(
        self,
        asked: tuple[Extra, ...] = ("paired",),
        *,
        level: Any = 0.95,
        alternative: Any = "two-sided",
        margin: Any = None,
        rng: Any = None,
    ) -> ComparisonRequest:
        """Check what is asked, and refuse what the method does not handle."""
        if margin is not None and "one-sided" not in self.handles:
            raise InputError(
                f"Method {self.name!r} has no direction; {arg('margin')} was given. Leave "
                f"{arg('margin')} out, or choose a method that handles it (see {call('methods')})."
            )
        side, null = convert_margin(alternative, margin)
        request = self.check_request(level=level, rng=rng, alternative=side, asked=asked)
        return ComparisonRequest(request.level, request.source, None, request.alternative, null)


def convert_margin(alternative: Any, margin: Any) -> tuple[Any, float]:
    """Return the alternative and the difference that the test doubts.

    A margin asks whether model 1 is not worse than model 2 by that much or more: the test doubts a
    difference of -margin, against 'greater'.
    """
    if margin is None:
        return alternative, 0.0
    number = isinstance(margin, (int, float, np.number)) and not isinstance(margin, bool)
    if not number or not 0 < margin < 1:
        raise InputError(
            "must be a number between 0 and 1",
            f"got {margin!r}",
            f"It is the loss that would still be acceptable, for example {arg('margin', 0.05)}.",
            argument="margin",
        )
    if alternative == "less":
        raise InputError(
            f"{arg('margin')} asks whether model 1 is not worse than model 2, which is 'greater'",
            f"got {arg('alternative', 'less')}",
            "Exchange the models to ask the same of model 2.",
        )
    return ("greater" if alternative == "two-sided" else alternative), -float(margin)


def compute_area(rows: Rows) -> float:
    """Area under the curve, ties counted one half."""
    return compute_placements(rows.is_positive, rows.values).auc


def compute_wald(
    estimate: float, standard_error: float, request: ComparisonRequest, df: float = math.inf
) -> tuple[float, float, float, float]:
    """Limits, statistic and p-value from a standard error; normal, or Student's t with `df`."""
    normal = math.isinf(df)
    quantile = -float(ndtri(request.tail) if normal else stdtrit(df, request.tail))
    half = quantile * standard_error
    low, high = request.clip_limits(estimate - half, estimate + half, estimate)
    statistic = divide_gap(estimate - request.null, standard_error)
    below = float(ndtr(statistic) if normal else stdtr(df, statistic))
    above = float(ndtr(-statistic) if normal else stdtr(df, -statistic))
    return low, high, statistic, request.combine_tails(below, above)


def divide_gap(gap: float, standard_error: float) -> float:
    """Return a difference in standard errors: infinite where there is no error, but 0 stays 0."""
    if standard_error > 0:
        return gap / standard_error
    return math.copysign(math.inf, gap) if gap else 0.0


def build_comparison(
    outcome: Outcome,
    request: ComparisonRequest,
    pair: Pair,
    *,
    quantity: str,
    estimates: tuple[float, float],
    method: str,
    parameters: Mapping[str, Any],
    hypothesis: str,
) -> Comparison:
    """Make the result from what a method found."""
    names = pair.names
    margin = -request.null if request.null else None
    if margin is not None:
        hypothesis = f"a loss of {quantity} of {margin:g} or more"
    # Limits contain the difference; the two estimates may differ from it by rounding.
    difference = min(max(estimates[0] - estimates[1], outcome.low), outcome.high)
    notes = outcome.notes
    if hypothesis.startswith(f"equal {quantity}") and margin is None:
        rejected = outcome.pvalue < 1.0 - request.level
        said = any(note.startswith(DISAGREE) for note in notes)
        if rejected == (outcome.low <= 0.0 <= outcome.high) and not said:
            notes = (*notes, DISAGREE)
    return Comparison(
        names=names,
        quantity=quantity,
        estimates=estimates,
        difference=difference,
        low=outcome.low,
        high=outcome.high,
        standard_error=outcome.standard_error,
        level=request.level,
        statistic=outcome.statistic,
        pvalue=outcome.pvalue,
        method=method,
        interval_method=outcome.interval_method or method,
        parameters=parameters,
        hypothesis=hypothesis,
        paired=pair.paired,
        alternative=request.alternative,
        margin=margin,
        df=outcome.df,
        n_pos=pair.first.n_pos,
        n_neg=pair.first.n_neg,
        notes=notes,
        frame=pair.frame,
    )
