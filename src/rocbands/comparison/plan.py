"""How many cases a study needs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from scipy.special import ndtr, ndtri, owens_t

from rocbands.bands.likelihood import Likelihood
from rocbands.core.checks import check_choice, check_level, check_number, check_rng
from rocbands.core.interval import Alternative, check_alternative
from rocbands.core.result import Result
from rocbands.core.roc import roc_curve
from rocbands.errors import InputError

__all__ = ["Plan", "sample_size"]

VarianceFormula: TypeAlias = Literal["mann-whitney", "obuchowski"]

_MOST = 10_000_000
_MOST_DRAWN = 1_000_000
_SETS = 40  # simulated test sets for each size that is tried
_FORMULAS = {
    "mann-whitney": "exact variance of the empirical AUC, normal scores of equal spread",
    "obuchowski": "Obuchowski's variance 0.0099 exp(-a^2/2) (5a^2 + 8 + (a^2 + 8)/ratio)/n_pos, "
    "a = 1.414 z",
}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Plan(Result):
    """The class sizes that a study needs, and what they achieve.

    Attributes
    ----------
    question : str
        What the study is for.
    n_pos, n_neg : int
        Class sizes.
    width : float or None
        Expected width of the interval, or mean width of the band.
    power : float or None
        Probability that the test rejects when the guess is right.
    exact_n_pos : float
        The number of positives before rounding up.
    formula : str
        Where the numbers come from.
    level : float
        Confidence level; a test rejects at 1 - level.
    guess : mapping
        What was assumed.
    """

    schema: ClassVar[str] = "rocbands.plan/1"

    question: str
    n_pos: int
    n_neg: int
    exact_n_pos: float
    formula: str
    level: float
    guess: Mapping[str, object]
    width: float | None = None
    power: float | None = None
    notes: tuple[str, ...] = ()

    def facts(self) -> Mapping[str, object]:
        return {
            "question": self.question,
            **self._achieved(),
            "exact_n_pos": self.exact_n_pos,
            "formula": self.formula,
            "level": self.level,
            "guess": self.guess,
            "notes": self.notes,
        }

    def _achieved(self) -> dict[str, object]:
        got = {"width": self.width, "power": self.power}
        shown = {name: value for name, value in got.items() if value is not None}
        return {"n_pos": self.n_pos, "n_neg": self.n_neg, **shown}

    def columns(self) -> Mapping[str, Any]:
        return {name: [value] for name, value in self._achieved().items()}

    def summary(self) -> tuple[str, Mapping[str, Any]]:
        lines = [f"{self.question}.", f"By {self.formula}."]
        return "\n".join([*lines, *self.notes]), self.columns()


def sample_size(
    *,
    auc: float,
    width: float | None = None,
    against: float | None = None,
    other: float | None = None,
    band_width: float | None = None,
    correlation: float = 0.5,
    ratio: float = 1.0,
    level: float = 0.95,
    power: float | None = None,
    alternative: Alternative = "two-sided",
    variance: VarianceFormula | None = None,
    rng: Any = 0,
) -> Plan:
    """Cases that a study needs, if the guess about the AUC is right.

    Exactly one of `width`, `against`, `other` and `band_width` says what the study is for.

    Parameters
    ----------
    auc : float
        The AUC that is guessed.
    width : float, optional
        Interval for the AUC with this expected width, from limit to limit.
    against : float, optional
        Test of the AUC against this value.
    other : float, optional
        Paired test of two models' AUCs on the same cases; this is the second model's.
    band_width : float, optional
        Likelihood band with this mean width (its area), by simulation.
    correlation : float, default 0.5
        Between the two estimated AUCs, for `other`: about that of the scores within a class.
    ratio : float, default 1
        Negatives for each positive.
    level : float, default 0.95
        Confidence level; tests reject at 1 - level.
    power : float, optional
        Probability that a test rejects, 0.8 unless said; tests only.
    alternative : {'two-sided', 'less', 'greater'}, default 'two-sided'
        Of a test. One-sided tests need fewer cases.
    variance : {'mann-whitney', 'obuchowski'}, optional
        Of an estimated AUC. 'mann-whitney', the default for `width`, is exact for the empirical
        AUC of normal scores of equal spread. 'obuchowski', the default for tests, is the formula
        in common use; it asks for more cases where the AUC is large.
    rng : None, int, SeedSequence or Generator, default 0
        Source of randomness for `band_width`.

    Returns
    -------
    Plan
        Class sizes, rounded up, and what they achieve.

    Notes
    -----
    A test of one AUC takes (z_level sqrt(V0) + z_power sqrt(V1))**2 / (auc - against)**2 positives,
    with the variance for one positive V0 at `against` and V1 at `auc`. For two models V1 is
    V(auc) + V(other) - 2 correlation sqrt(V(auc) V(other)) and V0 the same with both at the mean
    of the two AUCs, so that it does not matter which is which.

    References
    ----------
    Obuchowski, Lieber and Wians (2004), ROC curves in clinical chemistry: uses, misuses, and
    possible solutions, Clinical Chemistry 50, 1118-1125.

    Examples
    --------
    >>> import rocbands as rb
    >>> plan = rb.sample_size(auc=0.7, against=0.5, power=0.9)
    >>> plan.n_pos, plan.n_neg, round(plan.power, 3)
    (41, 41, 0.906)
    """
    goals = {"width": width, "against": against, "other": other, "band_width": band_width}
    goal, value = _one_goal(goals)
    auc = check_number(auc, "auc", above=0.0, below=1.0)
    value = check_number(value, goal, above=0.0, below=1.0)
    ratio = check_number(ratio, "ratio", above=0.0)
    level, alternative = check_level(level), check_alternative(alternative)
    if goal in ("width", "band_width") and (power is not None or alternative != "two-sided"):
        raise InputError(
            f"`power` and `alternative` are for tests; `{goal}` was asked for. Leave them out, or "
            "plan a test by `against` or `other`."
        )
    if variance is None:
        variance = "mann-whitney" if goal == "width" else "obuchowski"
    check_choice(variance, tuple(_FORMULAS), "variance")
    guess: dict[str, object] = {"auc": auc, "ratio": ratio}
    if goal == "band_width":
        return _for_band(value, auc, ratio, level, guess, rng)
    spread = _obuchowski if variance == "obuchowski" else _mann_whitney
    formula = _FORMULAS[variance]
    if goal == "width":
        return _for_width(value, auc, ratio, level, spread, formula, guess)
    power = check_number(0.8 if power is None else power, "power", above=0.0, below=1.0)
    if goal == "other":
        correlation = check_number(correlation, "correlation", above=-1.0, below=1.0)
        guess |= {"other": value, "correlation": correlation}
    test = AucTest(auc, value, correlation if goal == "other" else None, spread, alternative, level)
    return _for_test(test, ratio, power, formula, guess)


Spread: TypeAlias = Callable[[float, float, float], float]


def _one_goal(goals: Mapping[str, float | None]) -> tuple[str, Any]:
    given = [name for name, value in goals.items() if value is not None]
    if len(given) != 1:
        found = " and ".join(f"`{name}`" for name in given) + " were" if given else "none was"
        raise InputError(
            f"Exactly one of {', '.join(f'`{name}`' for name in goals)} must be given; {found}. "
            "Pass, for example, width=0.1."
        )
    return given[0], goals[given[0]]


def _obuchowski(auc: float, n_pos: float, n_neg: float) -> float:
    a = 1.414 * float(ndtri(auc))
    return 0.0099 * math.exp(-a * a / 2.0) * ((5 * a * a + 8) / n_pos + (a * a + 8) / n_neg)


def _mann_whitney(auc: float, n_pos: float, n_neg: float) -> float:
    """Variance of the empirical AUC; two cases of one class both beat one with probability q."""
    h = float(ndtri(auc))
    q = auc - 2.0 * float(owens_t(h, 3.0**-0.5))
    return (auc * (1.0 - auc) + (n_pos + n_neg - 2.0) * (q - auc**2)) / (n_pos * n_neg)


@dataclass(frozen=True)
class AucTest:
    """A test of one AUC against a value, or of two AUCs on the same cases."""

    auc: float
    value: float
    correlation: float | None
    spread: Spread
    alternative: Alternative
    level: float

    def errors(self, n_pos: float, n_neg: float) -> tuple[float, float]:
        """Return the standard errors under the null hypothesis and under the guess."""
        if self.correlation is None:
            null, guess = (self.spread(at, n_pos, n_neg) for at in (self.value, self.auc))
            return math.sqrt(null), math.sqrt(guess)
        middle = self.spread((self.auc + self.value) / 2.0, n_pos, n_neg)
        one, two = (self.spread(at, n_pos, n_neg) for at in (self.auc, self.value))
        guess = one + two - 2.0 * self.correlation * math.sqrt(one * two)
        return math.sqrt(2.0 * middle * (1.0 - self.correlation)), math.sqrt(guess)

    def power(self, n_pos: float, n_neg: float) -> float:
        """Probability of rejecting, on the side where the guess is."""
        null, guess = self.errors(n_pos, n_neg)
        two = self.alternative == "two-sided"
        z = float(ndtri((1.0 + self.level) / 2.0 if two else self.level))
        return float(ndtr((abs(self.auc - self.value) - z * null) / guess))


def _for_test(
    test: AucTest, ratio: float, power: float, formula: str, guess: dict[str, object]
) -> Plan:
    apart, named = test.auc - test.value, "other" if test.correlation is not None else "against"
    if apart == 0.0:
        raise InputError(f"`auc` and `{named}` must differ; both are {test.auc:g}.")
    if (test.alternative == "greater" and apart < 0) or (test.alternative == "less" and apart > 0):
        raise InputError(
            f"alternative={test.alternative!r} cannot be shown: `auc` is {test.auc:g}, `{named}` "
            f"{test.value:g}. Turn the alternative around, or correct the guess."
        )
    exact = _smallest(lambda n: test.power(n, ratio * n) >= power)
    n_pos, n_neg = _rounded(exact, ratio)
    what = f"AUC {test.auc:g} from {test.value:g}"
    if test.correlation is not None:
        what = f"two models' AUCs {test.auc:g} and {test.value:g} on the same cases"
    return Plan(
        question=f"To tell {what} with power {power:g} ({test.alternative}, level {test.level:g})",
        n_pos=n_pos,
        n_neg=n_neg,
        exact_n_pos=exact,
        power=test.power(n_pos, n_neg),
        formula=formula,
        level=test.level,
        guess=guess,
    )


def _for_width(
    width: float,
    auc: float,
    ratio: float,
    level: float,
    spread: Spread,
    formula: str,
    guess: dict[str, object],
) -> Plan:
    def expected(n_pos: float, n_neg: float) -> float:
        return 2.0 * float(ndtri((1.0 + level) / 2.0)) * math.sqrt(spread(auc, n_pos, n_neg))

    exact = _smallest(lambda n: expected(n, ratio * n) <= width)
    n_pos, n_neg = _rounded(exact, ratio)
    return Plan(
        question=f"For a {level:g} confidence interval of width {width:g} around an AUC of {auc:g}",
        n_pos=n_pos,
        n_neg=n_neg,
        exact_n_pos=exact,
        width=expected(n_pos, n_neg),
        formula=formula,
        level=level,
        guess=guess,
    )


def _for_band(
    width: float, auc: float, ratio: float, level: float, guess: dict[str, object], rng: Any
) -> Plan:
    """Try sizes: the width falls about as the root of the size, so that few tries are needed."""
    generator, shift = check_rng(rng), math.sqrt(2.0) * float(ndtri(auc))
    size, found = max(2.0, width**-2.0), math.inf
    for aim in np.linspace(0.99, 0.9, 12) * width:
        n_pos, n_neg = _rounded(size, ratio)
        if n_pos + n_neg > _MOST_DRAWN:
            raise InputError(
                f"More than {_MOST_DRAWN:,} cases would be needed. Ask for a larger `band_width`."
            )
        found = _mean_width(n_pos, n_neg, shift, level, generator)
        if 0.98 * aim <= found <= width or (n_pos <= 2 and found <= width):
            break
        size = n_pos * (found / aim) ** 2
    return Plan(
        question=f"For a {level:g} likelihood band of mean width {width:g} at an AUC of {auc:g}",
        n_pos=n_pos,
        n_neg=n_neg,
        exact_n_pos=float(n_pos),
        width=found,
        formula=f"simulation of {_SETS} test sets of normal scores of equal spread",
        level=level,
        guess=guess,
    )


def _mean_width(
    n_pos: int, n_neg: int, shift: float, level: float, rng: np.random.Generator
) -> float:
    labels, method = np.repeat([1, 0], [n_pos, n_neg]), Likelihood()
    areas = [
        method(roc_curve(labels, rng.normal(size=labels.size) + shift * labels), level=level).area
        for _ in range(_SETS)
    ]
    return float(np.mean(areas))


def _smallest(enough: Callable[[float], bool]) -> float:
    """Smallest size that is enough, by bisection: whatever is asked gets easier with more cases."""
    low, high = 1e-3, 2.0
    while not enough(high):
        low, high = high, 2.0 * high
        if high > _MOST:
            raise InputError(
                f"More than {_MOST:,} positives would be needed. Ask for less: a larger width or "
                "difference, a lower level or less power."
            )
    for _ in range(100):
        middle = (low + high) / 2.0
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _rounded(n_pos: float, ratio: float) -> tuple[int, int]:
    whole = max(2, math.ceil(n_pos - 1e-9))
    return whole, max(2, math.ceil(ratio * whole - 1e-9))
