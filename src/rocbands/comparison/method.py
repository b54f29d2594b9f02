"""The base class of methods that compare two classifiers, and common functions."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

from scipy.special import ndtr, ndtri, stdtr, stdtrit

from rocbands.core.comparison import Comparison, convert_margin
from rocbands.core.delong import compute_placements
from rocbands.core.method import Alternative, Extra, Method, Request, Resampling
from rocbands.core.pair import Pair
from rocbands.core.randomness import Rng, Simulation
from rocbands.core.roc import RocCurve
from rocbands.core.rows import Rows
from rocbands.core.score_variance import NORMAL
from rocbands.core.tolerance import SLACK
from rocbands.design.effective_sizes import ask_about_reversed
from rocbands.errors import InputError, Message, arg, call

# Note if the p-value and the limits come from different methods and disagree.
DISAGREE = (
    "The test and the interval disagree about a difference of 0; the verdict is that of the "
    "interval."
)
# Note of differences over folds.
LEARNERS = (
    "The difference is that of learners on training sets of this size, and of the folds' models on "
    "new cases; not that of models fitted again to all rows."
)


@dataclass(frozen=True)
class ComparisonRequest(Request):
    """The checked request of a comparison."""

    null: float = 0.0  # difference under the null hypothesis: 0 or minus the margin

    def clip_limits(self, low: float, high: float, estimate: float) -> tuple[float, float]:
        """Keep the requested limits; they contain the estimate and lie in [-1, 1]."""
        low = -1.0 if self.alternative == "less" else max(-1.0, min(low, estimate))
        high = 1.0 if self.alternative == "greater" else min(1.0, max(high, estimate))
        return low, high

    def exchange(self) -> ComparisonRequest:
        """Return the request for the models in the other order."""
        turned: dict[Alternative, Alternative] = {"less": "greater", "greater": "less"}
        side = turned.get(self.alternative, self.alternative)
        return replace(self, alternative=side, null=-self.null)


class Outcome(NamedTuple):
    """The result of a method."""

    low: float  # limits of the difference
    high: float
    statistic: float  # of the test
    pvalue: float
    standard_error: float | None = None  # of the difference
    df: float | None = None  # degrees of freedom, where the statistic follows Student's t
    interval_method: str = ""  # method of the interval, if it differs from that of the test
    notes: tuple[str, ...] = ()
    estimates: tuple[float, float] | None = None  # areas, if the method has computed them
    simulation: Simulation | None = None  # if random numbers were used

    def exchange(self, *, signed: bool) -> Outcome:
        """Return the result for the models in the other order; `signed`: negate the statistic."""
        return self._replace(
            low=0.0 - self.high,
            high=0.0 - self.low,
            statistic=0.0 - self.statistic if signed else self.statistic,
            estimates=None if self.estimates is None else self.estimates[::-1],
        )


@dataclass(frozen=True)
class ComparisonMethod(Method):
    """Base class of the methods of :func:`rocbands.compare`.

    A method defines :meth:`run_test`. It handles 'paired' (models that scored the same rows),
    'unpaired' (different rows), 'clusters' and 'one-sided' (alternatives and margins), or refuses
    them.

    Attributes
    ----------
    hypothesis : str
        The null hypothesis: 'equal AUCs' or 'equal ROC curves'.
    signed : bool
        Whether the statistic changes its sign when the models are exchanged.
    needs : tuple of str
        What the sample must have: 'folds', or nothing.
    """

    question: ClassVar[str] = "comparison"
    hypothesis: ClassVar[str] = "equal AUCs"
    signed: ClassVar[bool] = True
    needs: ClassVar[tuple[Extra, ...]] = ()

    def __call__(
        self,
        pair: Pair,
        *,
        level: Any = 0.95,
        alternative: Any = "two-sided",
        margin: Any = None,
        rng: Rng = 0,
    ) -> Comparison:
        """Compare the two models of `pair`; the arguments are those of `compare`."""
        if margin is not None and "one-sided" not in self.handles:
            raise InputError(
                Message(
                    "Method {!r} has no direction; {} was given. Leave {} out, or choose a method "
                    "that handles it (see {}).",
                    self.name,
                    arg("margin"),
                    arg("margin"),
                    call("methods"),
                )
            )
        side, null = convert_margin(alternative, margin)
        asked = self.check_request(level=level, rng=rng, alternative=side, asked=pair.asked)
        if "folds" in self.needs and pair.folded is None:
            raise InputError(
                "must say the fold of each row",
                "there are none",
                Message("For one test set use {}.", arg("method", "score-delong")),
                argument="folds",
            )
        request = ComparisonRequest(asked.level, asked.source, None, asked.alternative, null)
        outcome = self._run_either_way(pair, request)
        estimates = outcome.estimates or (compute_area(pair.one), compute_area(pair.two))
        quantity, hypothesis = "AUC", self.hypothesis
        if pair.folded is not None:
            quantity = name_average(pair.curves[0])
            hypothesis = f"equal {quantity}"
        return build_comparison(
            outcome,
            request,
            pair,
            quantity=quantity,
            estimates=estimates,
            method=self.name,
            parameters=self.parameters,
            hypothesis=hypothesis,
            question=ask_about_pair(pair, request.level) if min(estimates) < 0.5 else "",
        )

    def _run_either_way(self, pair: Pair, request: ComparisonRequest) -> Outcome:
        """Run a random test in an order that depends on the scores, and reverse its result.

        Exchanged models then have the same draws.
        """
        if not isinstance(self, Resampling) or not pair.turned:
            return self.run_test(pair, request)
        found = self.run_test(pair.exchange(), request.exchange())
        return found.exchange(signed=self.signed)

    @abstractmethod
    def run_test(self, pair: Pair, request: ComparisonRequest) -> Outcome:
        """Test the hypothesis, and find confidence limits for the difference of the areas."""


def name_average(roc: RocCurve) -> str:
    """Name the area that is compared over folds."""
    times = f"{roc.repeats} times " if roc.repeats > 1 else ""
    return f"mean AUC ({times}{len(roc.folds) // roc.repeats} folds)"


def compute_area(rows: Rows) -> float:
    """Area under the curve, ties counted one half."""
    return compute_placements(rows.is_positive, rows.values).auc


def compute_wald(
    estimate: float, standard_error: float, request: ComparisonRequest, df: float = math.inf
) -> tuple[float, float, float, float]:
    """Limits, statistic and p-value from a standard error; normal, or Student's t with `df`.

    Examples
    --------
    >>> low, high, z, p = compute_wald(0.1, 0.05, ComparisonRequest(0.95))
    >>> print(f"{low:.3f} {high:.3f} {z:.2f} {p:.4f}")
    0.002 0.198 2.00 0.0455
    """
    half = find_quantile(df, request.tail) * standard_error
    low, high = request.clip_limits(estimate - half, estimate + half, estimate)
    statistic = divide_gap(estimate - request.null, standard_error)
    below, above = (
        float(ndtr(x) if df > NORMAL else stdtr(df, x)) for x in (statistic, -statistic)
    )
    return low, high, statistic, request.combine_tails(below, above)


def find_quantile(df: float, tail: float) -> float:
    """Upper quantile of Student's t, or of the normal distribution where `df` is infinite."""
    return -float(ndtri(tail) if df > NORMAL else stdtrit(df, tail))


def divide_gap(gap: float, standard_error: float) -> float:
    """Return a difference in standard errors; infinite if the error is 0, but 0 / 0 is 0."""
    if standard_error > 0:
        return gap / standard_error
    return math.copysign(math.inf, gap) if gap else 0.0


def ask_about_pair(pair: Pair, level: float) -> str:
    """Ask whether larger scores mean more positive, of models whose AUC is below one half."""
    return ask_about_reversed(dict(zip(pair.names, pair.curves, strict=True)), level)


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
    question: str = "",
) -> Comparison:
    """Build the result from the outcome of a method."""
    margin = -request.null if request.null else None
    if margin is not None:
        hypothesis = f"a loss of {quantity} of {margin:g} or more"
    # Limits contain the difference; the two estimates may differ from it by rounding.
    difference = min(max(estimates[0] - estimates[1], outcome.low), outcome.high)
    notes = outcome.notes
    if hypothesis.startswith(f"equal {quantity}") and margin is None:
        rejected = outcome.pvalue < (1.0 - request.level) * (1.0 - SLACK)
        if rejected == (outcome.low <= 0.0 <= outcome.high):
            notes = (*notes, DISAGREE)
    return Comparison(
        names=pair.names,
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
        notes=(*pair.value_notes, *notes),
        question=question,
        frame=pair.frame,
        simulation=outcome.simulation,
    )
