"""The base class of methods for reader studies, and what they share."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias, get_args

from scipy.special import chdtrc, fdtrc, ndtr, stdtr

from rocbands.comparison.delong import bound_error
from rocbands.comparison.method import divide_gap, find_quantile
from rocbands.core.checks import check_choice
from rocbands.core.method import Extra, Method, Request
from rocbands.core.score_variance import NORMAL, find_ends
from rocbands.core.tolerance import SAME
from rocbands.readers.contrast import Components, Contrast, JointTest, find_df
from rocbands.readers.influence import Covariance

Random: TypeAlias = Literal["both", "cases", "readers"]
RANDOM: tuple[Random, ...] = get_args(Random)

OBUCHOWSKI_ROCKETTE = (
    "Obuchowski and Rockette (1995), Hypothesis testing of diagnostic accuracy for multiple "
    "readers and multiple tests: an ANOVA approach with dependent observations, Communications in "
    "Statistics - Simulation and Computation 24, 285-308."
)
HILLIS = (
    "Hillis (2007), A comparison of denominator degrees of freedom methods for multiple observer "
    "ROC analysis, Statistics in Medicine 26, 596-619."
)
NO_SPREAD = (
    "No case distinguishes the readings, so the usual standard error is 0; it was computed with "
    "one more case of each class that is as different as possible."
)
NO_DIFFERENCE = (
    "All readers have equal results under both tests, and no case contributes to a difference: "
    "these readings cannot distinguish the tests, and the interval is a single point."
)
PERFECT = "All readers have 1, or all have 0: the limits of the mean are those of one such reader."


@dataclass(frozen=True)
class ReaderRequest(Request):
    """The checked request of a comparison in a reader study."""

    random: Random = "both"  # what is drawn anew: readers and cases, cases only, or readers only
    null: float = 0.0  # of a difference: 0 or minus the margin; of one mean: a constant


class Judgement(NamedTuple):
    """What a method says about one contrast."""

    variance: float
    df: float
    low: float
    high: float
    pvalue: float
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class ReaderMethod(Method):
    """Base class of the methods of :func:`rocbands.compare_readers`, also for your own.

    A method defines :meth:`judge`. It sees a contrast: one number for each reader and its
    covariance given the readers. It never sees the design of the study.
    """

    question: ClassVar[str] = "readers"
    handles: ClassVar[tuple[Extra, ...]] = ("clusters", "one-sided")

    @property
    def estimator(self) -> Covariance:
        """How covariances given the readers are estimated."""
        return "delong"

    def __call__(
        self,
        contrast: Contrast,
        *,
        level: Any = 0.95,
        alternative: Any = "two-sided",
        random: Any = "both",
        null: float = 0.0,
    ) -> Judgement:
        """Judge a contrast; the arguments are those of `compare_readers`."""
        return self.judge(contrast, self.make_request(level, alternative, random, null))

    def make_request(
        self, level: Any, alternative: Any, random: Any, null: float, asked: tuple[Extra, ...] = ()
    ) -> ReaderRequest:
        """Check a request; `asked`: designs of the study."""
        check_choice(random, RANDOM, "random")
        checked = self.check_request(level=level, alternative=alternative, asked=asked)
        return ReaderRequest(
            checked.level, alternative=checked.alternative, random=random, null=null
        )

    @abstractmethod
    def judge(self, contrast: Contrast, request: ReaderRequest) -> Judgement:
        """Find variance, degrees of freedom, limits and p-value of the mean of a contrast."""

    def judge_joint(self, found: Components, random: Random) -> JointTest | None:
        """Test that several tests, which every reader read, have the same mean.

        There is no test where nothing varies.
        """
        t, r = found.n_tests - 1, found.n_readers - 1
        if random == "readers":
            below, df2 = found.ms_tr, float(t * r)
        elif random == "cases":
            below, df2 = found.fixed, math.inf
        else:
            below = self.find_joint_variance(found)
            df2 = find_df(below, found.ms_tr**2 / (t * r))
        if below <= found.floor:
            return None
        statistic = found.ms_t / below
        beyond = chdtrc(t, t * statistic) if df2 > NORMAL else fdtrc(t, df2, statistic)
        return JointTest(statistic, float(t), df2, float(beyond))

    def find_joint_variance(self, found: Components) -> float:
        """Find the denominator of the joint test for readers and cases."""
        return found.ms_tr + found.n_readers * max(found.cov2 - found.cov3, 0.0)


def has_spread(contrast: Contrast, variance: float) -> bool:
    """Tell whether a variance is above rounding errors."""
    return not contrast.is_indistinguishable and variance > contrast.floor


def judge_without_spread(contrast: Contrast, request: ReaderRequest) -> Judgement:
    """Judge a contrast whose estimated variance is 0."""
    value, cases = contrast.estimate, contrast.scale.cases
    if contrast.sides is None and min(value, 1.0 - value) <= SAME:
        quantile = abs(find_quantile(math.inf, request.tail))
        unit, null = contrast.scale.unit, request.null
        low, high = find_ends(value, unit, quantile)
        z = divide_gap(value - null, math.sqrt(max(unit * null * (1.0 - null), 0.0)))
        pvalue = request.combine_tails(float(ndtr(z)), float(ndtr(-z)))
        spread = (quantile and max(high - value, value - low) / quantile) ** 2
        low, high = cut_limits(contrast, request, low, high)
        return Judgement(spread, math.inf, low, high, pvalue, (PERFECT,))
    if contrast.is_indistinguishable and request.null == 0.0:
        return Judgement(0.0, math.inf, 0.0, 0.0, 1.0, (NO_DIFFERENCE,))
    far = max(value, 1.0 - value) if contrast.sides is None else 1.0 + abs(value)
    variance = bound_error(far, cases) ** 2
    return judge_symmetric(contrast, request, variance, math.inf)._replace(notes=(NO_SPREAD,))


def judge_symmetric(
    contrast: Contrast, request: ReaderRequest, variance: float, df: float
) -> Judgement:
    """Student's t, with limits at equal distances."""
    value, error = contrast.estimate, math.sqrt(variance)
    reach = find_quantile(df, request.tail) * error
    low, high = cut_limits(contrast, request, value - reach, value + reach)
    t = divide_gap(value - request.null, error)
    pvalue = request.combine_tails(find_tail(t, df), find_tail(-t, df))
    return Judgement(variance, df, low, high, pvalue)


def find_tail(statistic: float, df: float) -> float:
    """Probability below a value of Student's t."""
    return float(ndtr(statistic) if df > NORMAL else stdtr(df, statistic))


def cut_limits(
    contrast: Contrast, request: ReaderRequest, low: float, high: float
) -> tuple[float, float]:
    """Keep the requested limits; they contain the estimate and stay in the range."""
    value, least = contrast.estimate, 0.0 if contrast.sides is None else -1.0
    low = least if request.alternative == "less" else max(least, min(low, value))
    high = 1.0 if request.alternative == "greater" else min(1.0, max(high, value))
    return low, high
