"""Sample sizes of studies: for an interval, a test, or a band of a given width.

The formulas are in docs/formulas.md, "Sample size". Test sets for a band are simulated here and not
in resample/: they are drawn from a binormal population, not from data.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

import numpy as np
from scipy.special import ndtr, ndtri, owens_t

from rocbands.core.arguments import explain
from rocbands.core.attributes import Count, Level, Rate, list_columns
from rocbands.core.checks import (
    FloatArray,
    check_choice,
    check_level,
    check_number,
    check_rng,
    check_share,
)
from rocbands.core.method import Alternative, check_alternative
from rocbands.core.randomness import Rng, digest_arguments, make_generator
from rocbands.core.result import Result, document_plot, percent, require
from rocbands.core.roc import RocCurve
from rocbands.core.rows import Rows
from rocbands.core.words import pick_one
from rocbands.errors import InputError, arg
from rocbands.likelihood.chance import critical_value
from rocbands.likelihood.region import likelihood_region

if TYPE_CHECKING:
    from matplotlib.axes import Axes

VarianceFormula: TypeAlias = Literal["mann-whitney", "obuchowski"]
# Variance of an estimated AUC, from the AUC and the class sizes.
VarianceFunction: TypeAlias = Callable[[float, float, float], float]

_MOST_POSITIVES = 10_000_000
_MOST_SIMULATED = 1_000_000
_SETS = 40  # simulated test sets for each size that is tried
_FORMULAS = {
    "mann-whitney": "exact variance of the empirical AUC, normal scores of equal spread",
    "obuchowski": "Obuchowski's variance for normal scores (docs/formulas.md)",
}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SampleSize(Result):
    """The class sizes that a study needs, and the power or width that they achieve.

    Attributes
    ----------
    question : str
        What the study is for.
    n_pos, n_neg : int
        Class sizes.
    n_total : int
        Cases in all: their sum.
    width : float or None
        Expected width of the interval, or mean width of the band.
    power : float or None
        Probability that the test rejects if the assumptions are right.
    exact_n_pos : float
        The number of positives before rounding up.
    formula : str
        Where the numbers come from.
    level : float
        Confidence level; a test rejects at 1 - level.
    guess : mapping
        The assumptions.
    sizes, achieved : ndarray of shape (k,)
        Numbers of positives of smaller and larger studies, and the power or the width that they
        achieve; for the picture.
    notes : tuple of str
        Notes on this plan.
    """

    schema: ClassVar[str] = "rocbands.plan/3"
    FACTS: ClassVar[str] = (
        "question n_pos n_neg n_total width power exact_n_pos formula level guess notes"
    )
    COLUMNS: ClassVar[Mapping[str, Any]] = list_columns(
        (Count, "n_pos n_neg n_total"), (Rate | None, "width power")
    )

    question: str
    n_pos: Count
    n_neg: Count
    exact_n_pos: float
    formula: str
    level: Level
    guess: Mapping[str, object]
    width: Rate | None = None
    power: Rate | None = None
    sizes: FloatArray = field(default_factory=lambda: np.empty(0))
    achieved: FloatArray = field(default_factory=lambda: np.empty(0))
    notes: tuple[str, ...] = ()

    @property
    def n_total(self) -> Count:
        """Cases in all."""
        return self.n_pos + self.n_neg

    def _check(self) -> None:
        require(min(self.n_pos, self.n_neg) >= 2, "A plan must have two cases of each class.")
        require(self.n_pos >= self.exact_n_pos - 1e-6, "Sizes must be rounded up.")

    def _brief(self) -> str:
        return f"{self.question}: {self.n_pos} positives, {self.n_neg} negatives"

    def columns(self) -> Mapping[str, Any]:
        return {name: [getattr(self, name)] for name in self.COLUMNS}

    def summary(self) -> tuple[str, Mapping[str, Any]]:
        lines = [f"{self.question}.", f"By {self.formula}."]
        rows = {name: cell for name, cell in self.columns().items() if cell[0] is not None}
        return "\n".join([*lines, *self.notes]), rows

    @document_plot
    def plot(self, ax: Axes | None = None, *, color: Any = None) -> Axes:
        """Draw what larger and smaller studies achieve, and where this plan is."""
        return self._draw(locals())


_MOST_TABULATED = 0.999  # level up to which critical values come from a table


@explain
def sample_size(
    *,
    auc: float,
    width: float | None = None,
    against: float | None = None,
    other: float | None = None,
    band_width: float | None = None,
    correlation: float = 0.5,
    ratio: float | None = None,
    prevalence: float | None = None,
    level: float = 0.95,
    power: float | None = None,
    alternative: Alternative = "two-sided",
    variance: VarianceFormula | None = None,
    rng: Rng = "data",
) -> SampleSize:
    """Compute the number of cases that a study needs, for an assumed AUC.

    Exactly one of `width`, `against`, `other` and `band_width` selects the aim of the study. The
    formulas are in docs/formulas.md.

    Parameters
    ----------
    auc : float
        The assumed AUC.
    width : float, optional
        Interval for the AUC with this expected width, from limit to limit.
    against : float, optional
        Test of the AUC against this value.
    other : float, optional
        Paired test of two models on the same cases; this is the AUC of the second model.
    band_width : float, optional
        Likelihood band with this mean width (its area), by simulation.
    correlation : float, default 0.5
        Correlation of the two estimated AUCs, for `other`: about that of the scores in a class.
    ratio : float, optional
        Negatives for each positive, 1 by default.
    prevalence : float, optional
        Fraction of positives among the cases, instead of `ratio`: for a study that enrols
        consecutive cases.
    level : float, default 0.95
        Confidence level; tests reject at 1 - level.
    power : float, optional
        Probability that a test rejects, 0.8 by default; tests only.
    alternative : {'two-sided', 'less', 'greater'}, default 'two-sided'
        Alternative of the test. One-sided tests need fewer cases.
    variance : {'mann-whitney', 'obuchowski'}, optional
        Variance of the AUC. 'mann-whitney', the default for `width`, is exact for the empirical
        AUC of normal scores of equal spread. 'obuchowski', the default for tests, is the formula
        in common use; it needs more cases if the AUC is large. Not for `band_width`.
    rng : {'data'}, None, int, SeedSequence or Generator, default 'data'
        Source of randomness for `band_width`.

    Returns
    -------
    SampleSize
        Class sizes, rounded up, and the power or the width that they achieve.

    References
    ----------
    Obuchowski, Lieber and Wians (2004), ROC curves in clinical chemistry: uses, misuses, and
    possible solutions, Clinical Chemistry 50, 1118-1125.
    Hanley and McNeil (1982), The meaning and use of the area under a receiver operating
    characteristic (ROC) curve, Radiology 143, 29-36.

    Examples
    --------
    >>> import rocbands as rb
    >>> plan = rb.sample_size(auc=0.7, against=0.5, power=0.9)
    >>> plan.n_pos, plan.n_neg, round(plan.power, 3)
    (41, 41, 0.906)
    """
    example = f"Pass, for example, {arg('width', 0.1)}."
    goal, value = pick_one(
        example, width=width, against=against, other=other, band_width=band_width
    )
    auc = check_number(auc, "auc", above=0.0, below=1.0)
    value = check_number(value, goal, above=0.0, below=1.0)
    ratio = _check_ratio(ratio, prevalence)
    level, alternative = check_level(level), check_alternative(alternative)
    generator = check_rng(rng)
    if goal in ("width", "band_width") and (power is not None or alternative != "two-sided"):
        raise InputError(
            f"{arg('power')} and {arg('alternative')} are for tests",
            f"{arg(goal)} was asked for",
            f"Leave them out, or plan a test by {arg('against')} or {arg('other')}.",
        )
    if goal == "band_width" and variance is not None:
        raise InputError(
            f"{arg('variance')} is for the variance of an estimated AUC",
            f"{arg('band_width')} was asked for, which is found by simulation",
            "Leave it out.",
        )
    correlation = check_number(correlation, "correlation", above=-1.0, below=1.0)
    if variance is None:
        variance = "mann-whitney" if goal == "width" else "obuchowski"
    check_choice(variance, tuple(_FORMULAS), "variance")
    guess: dict[str, object] = {"auc": auc, "ratio": ratio}
    facts = {"level": level, "formula": _FORMULAS[variance], "guess": guess}
    if goal == "band_width":
        return _plan_band(value, auc, ratio, generator, facts)
    if goal == "width":
        return _plan_interval(value, auc, ratio, variance, facts)
    power = check_number(0.8 if power is None else power, "power", above=0.0, below=1.0)
    if goal == "other":
        guess |= {"other": value, "correlation": correlation}
    related = correlation if goal == "other" else None
    test = AucTest(auc, value, related, variance, alternative, level)
    return _plan_test(test, ratio, power, facts)


def _check_ratio(ratio: float | None, prevalence: float | None) -> float:
    """Return the number of negatives for each positive."""
    if ratio is not None and prevalence is not None:
        raise InputError(
            f"{arg('ratio')} and {arg('prevalence')} have the same meaning",
            "both were given",
            "Leave one out.",
        )
    if prevalence is not None:
        share = check_share(prevalence, "prevalence", least=1e-9)
        ratio = (1.0 - share) / share
    return check_number(1.0 if ratio is None else ratio, "ratio", above=1e-9, below=1e9)


def compute_obuchowski_variance(auc: float, n_pos: float, n_neg: float) -> float:
    """Variance of a binormal AUC (Obuchowski, Lieber and Wians 2004)."""
    # 1.414, not sqrt(2), and 0.0099: as printed there.
    a = 1.414 * float(ndtri(auc))
    return 0.0099 * math.exp(-a * a / 2.0) * ((5 * a * a + 8) / n_pos + (a * a + 8) / n_neg)


def compute_mann_whitney_variance(auc: float, n_pos: float, n_neg: float) -> float:
    """Exact variance of the empirical AUC of normal scores of equal spread.

    V = (A (1 - A) + (n_pos - 1)(q - A^2) + (n_neg - 1)(q - A^2)) / (n_pos n_neg), where q is the
    probability that two cases of one class both beat one of the other (Hanley and McNeil 1982, with
    Q1 = Q2 = q for equal spread). Two normals with correlation 1/2 are both above -h with
    probability q = A - 2 T(h, 1 / sqrt(3)), with h = z(A) and Owen's function T.
    """
    q = auc - 2.0 * float(owens_t(float(ndtri(auc)), 3.0**-0.5))
    return (auc * (1.0 - auc) + (n_pos + n_neg - 2.0) * (q - auc**2)) / (n_pos * n_neg)


_VARIANCES: dict[str, VarianceFunction] = {
    "mann-whitney": compute_mann_whitney_variance,
    "obuchowski": compute_obuchowski_variance,
}


@dataclass(frozen=True)
class AucTest:
    """A test of one AUC against a value, or of two AUCs on the same cases."""

    auc: float  # as guessed
    value: float  # that it is tested against, or the other model's AUC
    correlation: float | None  # between two models' estimated AUCs; None for one model
    variance: VarianceFormula  # of an estimated AUC
    alternative: Alternative
    level: float  # the test rejects at 1 - level

    def compute_errors(self, n_pos: float, n_neg: float) -> tuple[float, float]:
        """Return the standard errors under the null hypothesis and under the guess."""
        variance = _VARIANCES[self.variance]
        if self.correlation is None:
            null, guess = (variance(at, n_pos, n_neg) for at in (self.value, self.auc))
            return math.sqrt(null), math.sqrt(guess)
        # Under the null hypothesis both AUCs are the mean, V0 = 2 (1 - r) V(mean); under the guess
        # V1 = V(auc) + V(other) - 2 r sqrt(V(auc) V(other)).
        middle = variance((self.auc + self.value) / 2.0, n_pos, n_neg)
        one, two = (variance(at, n_pos, n_neg) for at in (self.auc, self.value))
        guess = one + two - 2.0 * self.correlation * math.sqrt(one * two)
        return math.sqrt(2.0 * middle * (1.0 - self.correlation)), math.sqrt(guess)

    def compute_power(self, n_pos: float, n_neg: float) -> float:
        """Probability of rejecting on the side of the guess: Phi((|gap| - z s0) / s1)."""
        null, guess = self.compute_errors(n_pos, n_neg)
        two = self.alternative == "two-sided"
        z = float(ndtri((1.0 + self.level) / 2.0 if two else self.level))
        beyond = abs(self.auc - self.value) - z * null
        if guess == 0.0:  # an AUC so close to 0 that its variance is 0
            return float(beyond >= 0.0)
        return float(ndtr(beyond / guess))


def _plan_test(test: AucTest, ratio: float, power: float, facts: dict[str, Any]) -> SampleSize:
    gap, named = test.auc - test.value, "other" if test.correlation is not None else "against"
    if gap == 0.0:
        raise InputError(f"{arg('auc')} and {arg(named)} must differ; both are {test.auc:g}.")
    if (test.alternative == "greater" and gap < 0) or (test.alternative == "less" and gap > 0):
        raise InputError(
            f"{arg('alternative', test.alternative)} cannot be shown: {arg('auc')} is "
            f"{test.auc:g}, {arg(named)} {test.value:g}",
            remedy="Reverse the alternative, or correct the assumed AUC.",
        )
    what = f"AUC {test.auc:g} from {test.value:g}"
    if test.correlation is not None:
        what = f"two models' AUCs {test.auc:g} and {test.value:g} on the same cases"
    return _plan_by_formula(
        "power",
        test.compute_power,
        lambda achieved: achieved >= power,
        ratio,
        question=f"To tell {what} with power {power:g} ({test.alternative}, level "
        f"{percent(test.level)})",
        **facts,
    )


def _plan_interval(
    width: float, auc: float, ratio: float, variance: VarianceFormula, facts: dict[str, Any]
) -> SampleSize:
    level = facts["level"]

    def compute_width(n_pos: float, n_neg: float) -> float:
        error = math.sqrt(_VARIANCES[variance](auc, n_pos, n_neg))
        return 2.0 * float(ndtri((1.0 + level) / 2.0)) * error

    return _plan_by_formula(
        "width",
        compute_width,
        lambda achieved: achieved <= width,
        ratio,
        question=f"For a {percent(level)} confidence interval of width {width:g} around an AUC "
        f"of {auc:g}",
        **facts,
    )


def _plan_by_formula(
    quantity: str,
    achieve: Callable[[float, float], float],
    enough: Callable[[float], bool],
    ratio: float,
    **facts: Any,
) -> SampleSize:
    """Find the smallest sizes that are enough; `achieve`: power or width of class sizes."""
    exact = _find_smallest(lambda n: enough(achieve(n, ratio * n)))
    n_pos, n_neg = _round_sizes(exact, ratio)
    sizes = np.geomspace(max(2.0, exact / 4.0), 3.0 * max(2.0, exact), 60)  # for the plot
    achieved = np.array([achieve(n, ratio * n) for n in sizes.tolist()])
    found: dict[str, Any] = {quantity: achieve(n_pos, n_neg), "sizes": sizes, "achieved": achieved}
    return SampleSize(n_pos=n_pos, n_neg=n_neg, exact_n_pos=exact, **found, **facts)


def _plan_band(
    width: float,
    auc: float,
    ratio: float,
    source: np.random.Generator | Literal["data"],
    facts: dict[str, Any],
) -> SampleSize:
    """Try sizes: the width is nearly proportional to the inverse root of the size.

    Widths are means of few simulated sets, so each try aims a little lower than the one before.
    """
    level = facts["level"]
    if level > _MOST_TABULATED:
        raise InputError(
            f"must be at most {_MOST_TABULATED} for a plan by the width of a band",
            f"got {level:g}",
            "Critical values of higher levels would have to be simulated for each size.",
            argument="level",
        )
    rng = make_generator(source, lambda: digest_arguments(width, auc, ratio))
    shift = math.sqrt(2.0) * float(ndtri(auc))  # AUC = Phi(shift / sqrt(2))
    size, achieved = max(2.0, width**-2.0), math.inf
    tried: dict[int, float] = {}
    for aim in np.linspace(0.99, 0.9, 12) * width:
        n_pos, n_neg = _round_sizes(size, ratio)
        if n_pos + n_neg > _MOST_SIMULATED:
            raise InputError(
                f"More than {_MOST_SIMULATED:,} cases would be needed. Ask for a larger "
                f"{arg('band_width')}."
            )
        achieved = tried[n_pos] = _simulate_mean_width(n_pos, n_neg, shift, level, rng)
        # Close enough below the aim; or the smallest possible study.
        if 0.98 * aim <= achieved <= width or (n_pos <= 2 and achieved <= width):
            break
        size = n_pos * (achieved / aim) ** 2
    return SampleSize(
        question=f"For a {percent(level)} likelihood band of mean width {width:g} at an AUC of "
        f"{auc:g}",
        n_pos=n_pos,
        n_neg=n_neg,
        exact_n_pos=float(n_pos),
        width=achieved,
        sizes=np.array(sorted(tried), dtype=np.float64),
        achieved=np.array([tried[n] for n in sorted(tried)]),
        **facts | {"formula": f"simulation of {_SETS} test sets of normal scores of equal spread"},
    )


def _simulate_mean_width(
    n_pos: int, n_neg: int, shift: float, level: float, rng: np.random.Generator
) -> float:
    """Mean area of simulated likelihood bands; without ties their critical value is tabulated."""
    is_positive = np.repeat([True, False], [n_pos, n_neg])
    critical = critical_value(n_pos, n_neg, level)
    areas = []
    for _ in range(_SETS):
        values = rng.normal(size=is_positive.size) + shift * is_positive
        roc = RocCurve.from_rows(Rows(is_positive, values))
        lower, upper = likelihood_region(roc, critical).edges()
        areas.append(upper.area - lower.area)
    return float(np.mean(areas))


def _find_smallest(enough: Callable[[float], bool]) -> float:
    """Smallest size that is enough, by bisection: power and width are monotone in the size."""
    low, high = 1e-3, 2.0
    while not enough(high):
        low, high = high, 2.0 * high
        if high > _MOST_POSITIVES:
            raise InputError(
                f"More than {_MOST_POSITIVES:,} positives would be needed. Ask for less: a larger "
                "width or difference, a lower level or less power."
            )
    for _ in range(100):
        middle = (low + high) / 2.0
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _round_sizes(n_pos: float, ratio: float) -> tuple[int, int]:
    whole = max(2, math.ceil(n_pos - 1e-9))
    return whole, max(2, math.ceil(ratio * whole - 1e-9))
