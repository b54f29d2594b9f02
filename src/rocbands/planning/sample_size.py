"""Sample sizes of studies: for an interval, a test, or a band of a given width.

The formulas are in docs/formulas.md, "Sample size".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from rocbands.core.arguments import NO_PROPORTION, PROPORTIONS, explain_with
from rocbands.core.attributes import Count, Level, Rate, type_columns
from rocbands.core.checks import (
    FloatArray,
    check_choice,
    check_flag,
    check_level,
    check_number,
    check_rng,
    check_share,
    pick_one,
)
from rocbands.core.method import Alternative, check_alternative
from rocbands.core.phrases import count_classes
from rocbands.core.randomness import Rng, make_generator
from rocbands.core.result import Result, document_plot, require
from rocbands.errors import InputError, Message, arg
from rocbands.planning.aims import AgainstAim, Aim, BandAim, IntervalAim, OtherAim, VarianceFormula
from rocbands.planning.simulation import MOST_SIMULATED, check_sizes, simulate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_POSITIVES = 10_000_000
_SETS = 40  # simulated test sets for each size that is tried, for a band
_MOST_TABULATED = 0.999  # level up to which critical values come from a table


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
    simulated, simulated_low, simulated_high : float or None
        With `check`: mean width or power of the default method in simulated test sets of these
        sizes, and 95% Monte Carlo limits.
    n_simulated : int or None
        Number of simulated test sets.
    sizes, achieved : ndarray of shape (k,)
        Numbers of positives of smaller and larger studies, and the power or the width that they
        achieve; for the picture.
    notes : tuple of str
        Notes on this plan.
    """

    schema: ClassVar[str] = "rocbands.plan/4"
    ONE_ROW: ClassVar[bool] = True
    FACTS: ClassVar[str] = (
        "question n_pos n_neg n_total width power exact_n_pos formula level guess simulated "
        "simulated_low simulated_high n_simulated notes"
    )
    COLUMNS: ClassVar[Mapping[str, Any]] = type_columns(
        (Count, "n_pos n_neg n_total"),
        (Rate | None, "width power simulated simulated_low simulated_high"),
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
    simulated: Rate | None = None
    simulated_low: Rate | None = None
    simulated_high: Rate | None = None
    n_simulated: Count | None = None
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
        return f"{self.question}: {count_classes(self.n_pos, self.n_neg)}"

    @property
    def sentence(self) -> str:
        """The number of cases, and what they achieve."""
        sizes = f"{self.n_pos:,} positives and {self.n_neg:,} negatives, {self.n_total:,} cases"
        if self.width is None:
            return f"Plan {sizes}: the power is then {self.power:.2f}."
        return f"Plan {sizes}: the expected width is then {self.width:.3g}."

    def describe(self) -> tuple[str, Mapping[str, Any]]:
        lines = [f"{self.question}.", f"By {self.formula}."]
        if self.simulated is not None:
            what = "power" if self.width is None else "mean width"
            lines.append(
                f"Simulated: {what} {self.simulated:.3g} ({self.simulated_low:.3g} to "
                f"{self.simulated_high:.3g}) in {self.n_simulated} test sets of these sizes."
            )
        rows = {name: [getattr(self, name)] for name in ("n_pos", "n_neg", "n_total")}
        rows |= {"power": [self.power]} if self.width is None else {"width": [self.width]}
        return "\n".join([*lines, *self.notes]), rows

    @document_plot
    def plot(self, ax: Axes | None = None, *, color: Any = None, legend: bool | str = True) -> Axes:
        """Draw what larger and smaller studies achieve, and where this plan is."""
        return self._draw(ax, color=color, legend=legend)


@explain_with(**dict.fromkeys(PROPORTIONS, NO_PROPORTION))
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
    variance: VarianceFormula = "mann-whitney",
    check: bool = False,
    rng: Rng = 0,
) -> SampleSize:
    """Compute the number of cases that a study needs, for an assumed AUC.

    Exactly one of `width`, `against`, `other` and `band_width` selects the aim of the study. Sizes
    are for the interval, test or band that the package computes by default, and for normal scores
    of equal spread. The formulas are in docs/formulas.md.

    Parameters
    ----------
    auc : float
        The assumed AUC.
    width : float, optional
        Interval for the AUC (`auc_interval`) with this expected width, from limit to limit.
    against : float, optional
        Test of the AUC against this value (`null` of `auc_interval`).
    other : float, optional
        Test of two models on the same cases (`compare`); this is the AUC of the second model.
    band_width : float, optional
        Band (`roc_band`) with this mean width (its area), by simulation.
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
    variance : {'mann-whitney', 'obuchowski'}, default 'mann-whitney'
        'mann-whitney': the exact variance of the empirical AUC, and the default interval or test.
        'obuchowski': Obuchowski's variance and normal quantiles, the formula in common use; for
        small classes and large AUCs its sizes do not fit the default methods. Not for
        `band_width`.
    check : bool, default False
        Simulate up to 1000 test sets of the planned sizes, and report the mean width or the power
        of the default method.
    rng : None, int, SeedSequence or Generator, default 0
        Source of randomness for `band_width` and `check`.

    Returns
    -------
    SampleSize
        Class sizes, rounded up, and the power or the width that they achieve.

    References
    ----------
    Obuchowski, Lieber and Wians (2004), ROC curves in clinical chemistry: uses, misuses, and
    possible solutions, Clinical Chemistry 50, 1118-1125.
    Plackett (1954), A reduction formula for normal multivariate integrals, Biometrika 41, 351-360.

    Examples
    --------
    >>> import rocbands as rb
    >>> plan = rb.sample_size(auc=0.7, against=0.5, power=0.9)
    >>> plan.n_pos, plan.n_neg, round(plan.power, 3)
    (42, 42, 0.901)
    """
    example = Message("Pass, for example, {}.", arg("width", 0.1))
    if power is not None:
        example = Message("A test against guessing is {}.", arg("against", 0.5))
    goal, value = pick_one(
        example, width=width, against=against, other=other, band_width=band_width
    )
    auc = check_number(auc, "auc", above=0.0, below=1.0)
    value = check_number(value, goal, above=0.0, below=1.0)
    ratio = _check_ratio(ratio, prevalence)
    level, alternative = check_level(level), check_alternative(alternative)
    check_flag(check, "check")
    source = check_rng(rng)
    check_choice(variance, ("mann-whitney", "obuchowski"), "variance")
    correlation = check_number(correlation, "correlation", above=-1.0, below=1.0)
    if goal in ("width", "band_width") and (power is not None or alternative != "two-sided"):
        raise InputError(
            Message("{} and {} are for tests", arg("power"), arg("alternative")),
            Message("{} was asked for", arg(goal)),
            Message("Leave them out, or plan a test by {} or {}.", arg("against"), arg("other")),
        )
    if goal == "band_width" and variance != "mann-whitney":
        raise InputError(
            Message("{} is for the variance of an estimated AUC", arg("variance")),
            Message("{} was asked for, which is found by simulation", arg("band_width")),
            "Leave it out.",
        )
    power = check_number(0.8 if power is None else power, "power", above=0.0, below=1.0)
    aim: Aim
    if goal == "band_width":
        aim = BandAim(auc, value, level)
    elif goal == "width":
        aim = IntervalAim(auc, value, level, variance)
    elif goal == "against":
        aim = AgainstAim(auc, value, level, variance, power, alternative)
    else:
        aim = OtherAim(auc, value, level, variance, power, alternative, correlation)
    simulated = goal == "band_width"
    if not simulated and not check:
        return _plan_by_formula(aim, ratio)
    generator = make_generator(source)
    plan = _plan_by_simulation(aim, ratio, generator) if simulated else _plan_by_formula(aim, ratio)
    if not check:
        return plan
    found = check_sizes(aim.population, plan.n_pos, plan.n_neg, aim.ask, generator)
    return replace(
        plan,
        simulated=found.mean,
        simulated_low=found.low,
        simulated_high=found.high,
        n_simulated=found.n_sets,
    )


def _check_ratio(ratio: float | None, prevalence: float | None) -> float:
    """Return the number of negatives for each positive."""
    if ratio is not None and prevalence is not None:
        raise InputError(
            Message("{} and {} have the same meaning", arg("ratio"), arg("prevalence")),
            "both were given",
            "Leave one out.",
        )
    if prevalence is not None:
        share = check_share(prevalence, "prevalence", least=1e-9)
        ratio = (1.0 - share) / share
    return check_number(1.0 if ratio is None else ratio, "ratio", above=1e-9, below=1e9)


def _plan_by_formula(aim: Aim, ratio: float) -> SampleSize:
    """Find the smallest sizes that are enough."""

    def achieve(n_pos: float) -> float:
        return aim.achieve(n_pos, max(ratio * n_pos, aim.least))

    exact = _find_smallest(lambda n_pos: aim.is_enough(achieve(n_pos)), aim.least)
    n_pos, n_neg = _round_sizes(exact, ratio)
    sizes = np.geomspace(max(2.0, exact / 4.0), 3.0 * max(2.0, exact), 60)  # for the plot
    achieved = np.array([achieve(size) for size in sizes.tolist()])
    return _report(aim, ratio, (n_pos, n_neg), exact, aim.achieve(n_pos, n_neg), (sizes, achieved))


def _report(
    aim: Aim,
    ratio: float,
    whole: tuple[int, int],
    exact: float,
    achieved: float,
    drawn: tuple[FloatArray, FloatArray],
) -> SampleSize:
    """Return the plan with these sizes; `drawn`: other sizes, and what they achieve."""
    found: dict[str, Any] = {aim.quantity: achieved}
    return SampleSize(
        question=aim.question,
        n_pos=whole[0],
        n_neg=whole[1],
        exact_n_pos=exact,
        formula=aim.formula,
        level=aim.level,
        guess={**aim.guess, "ratio": ratio},
        notes=aim.notes,
        sizes=drawn[0],
        achieved=drawn[1],
        **found,
    )


def _plan_by_simulation(aim: Aim, ratio: float, rng: np.random.Generator) -> SampleSize:
    """Try sizes: the width is nearly proportional to the inverse root of the size.

    Widths are means of few simulated sets, so each try aims a little lower than the one before.
    """
    if aim.level > _MOST_TABULATED:
        raise InputError(
            f"must be at most {_MOST_TABULATED} for a plan by the width of a band",
            f"got {aim.level:g}",
            "Critical values of higher levels would have to be simulated for each size.",
            argument="level",
        )
    size, achieved = max(2.0, aim.value**-2.0), math.inf
    tried: dict[int, float] = {}
    for goal in np.linspace(0.99, 0.9, 12) * aim.value:
        n_pos, n_neg = _round_sizes(size, ratio)
        if n_pos + n_neg > MOST_SIMULATED:
            raise InputError(
                Message(
                    "More than {:,} cases would be needed. Ask for a larger {}.",
                    MOST_SIMULATED,
                    arg("band_width"),
                )
            )
        areas = simulate(aim.population, n_pos, n_neg, aim.ask, _SETS, rng)
        achieved = tried[n_pos] = float(areas.mean())
        # Close enough below the aim; or the smallest possible study.
        if 0.98 * goal <= achieved <= aim.value or (n_pos <= 2 and achieved <= aim.value):
            break
        size = n_pos * (achieved / goal) ** 2
    others = sorted(tried)
    drawn = np.array(others, dtype=np.float64), np.array([tried[n] for n in others])
    return _report(aim, ratio, (n_pos, n_neg), float(n_pos), achieved, drawn)


def _find_smallest(enough: Callable[[float], bool], least: float) -> float:
    """Smallest size that is enough, by bisection: power and width are monotone in the size."""
    low, high = least, 2.0
    while not enough(high):
        low, high = high, 2.0 * high
        if high > _MOST_POSITIVES:
            raise InputError(
                f"More than {_MOST_POSITIVES:,} positives would be needed. Ask for less: a larger "
                "width or difference, a lower level or less power."
            )
    for _ in range(60):
        middle = (low + high) / 2.0
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _round_sizes(n_pos: float, ratio: float) -> tuple[int, int]:
    whole = max(2, math.ceil(n_pos - 1e-9))
    return whole, max(2, math.ceil(ratio * whole - 1e-9))
