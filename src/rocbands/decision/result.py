"""Results about net benefit: a decision curve with limits, and the difference of two models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from rocbands.core.attributes import Count, Level, Number, Rate, type_columns
from rocbands.core.checks import BoolArray, FloatArray
from rocbands.core.comparison import BetterRange, find_better_runs, say_ranges
from rocbands.core.method import Coverage
from rocbands.core.phrases import choose_digits, count_classes, join_words, split_gap, write_number
from rocbands.core.randomness import Simulation
from rocbands.core.result import Result, document_plot, percent, require

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SHOWN = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class NetBenefit(Result):
    """Net benefit of a model at threshold probabilities, beside treating all and treating none.

    Attributes
    ----------
    threshold : ndarray of shape (k,)
        Threshold probabilities: a case is treated if its predicted probability is at least as high.
    net_benefit, net_benefit_lower, net_benefit_upper : ndarray of shape (k,)
        Net benefit of the model and its limits.
    treat_all, treat_none : ndarray of shape (k,)
        Net benefit without a model.
    difference, difference_lower, difference_upper : ndarray of shape (k,)
        Net benefit of the model minus that of the better of treating all and treating none, and
        its limits. Treating all has an error of its own, correlated with the model's, so these do
        not follow from those of net benefit.
    better : tuple of BetterRange
        Where `difference_lower` is above 0, runs of neighbouring thresholds: there the model (1)
        is better than treating all and than treating none. Where `difference_upper` is below 0,
        treating all or treating none (2) is better. Empty for pointwise limits of several
        thresholds, some of which exclude 0 by chance.
    level : float
        Nominal confidence level.
    coverage : {'simultaneous', 'pointwise'}
        Whether the level is for all thresholds together, or for each of them.
    prevalence : float or None
        The prevalence that was given; None where it is estimated from the rows.
    n_pos, n_neg : int
        Class sizes.
    notes : tuple of str
        Notes on these limits.
    simulation : Simulation or None
        Seed, number of draws and Monte Carlo error of simultaneous limits.

    See Also
    --------
    rocbands.results.Band.better_between : for the model at its best threshold.
    """

    schema: ClassVar[str] = "rocbands.net-benefit/4"
    FACTS: ClassVar[str] = "level coverage prevalence better n_pos n_neg notes"
    COLUMNS: ClassVar[Mapping[str, Any]] = type_columns(
        (Rate, "threshold"),
        (Number, "net_benefit net_benefit_lower net_benefit_upper treat_all treat_none"),
        (Number, "difference difference_lower difference_upper"),
    )

    threshold: FloatArray
    net_benefit: FloatArray
    net_benefit_lower: FloatArray
    net_benefit_upper: FloatArray
    treat_all: FloatArray
    treat_none: FloatArray
    difference: FloatArray
    difference_lower: FloatArray
    difference_upper: FloatArray
    level: Level
    coverage: Coverage
    prevalence: float | None
    n_pos: Count
    n_neg: Count
    notes: tuple[str, ...] = ()
    simulation: Simulation | None = None

    def _check(self) -> None:
        for name in ("net_benefit", "difference"):
            low, value, high = (getattr(self, name + end) for end in ("_lower", "", "_upper"))
            held = (low <= value) & (value <= high)
            require(held.all(), f"Limits of the {name.replace('_', ' ')} must contain it.")

    @property
    def baseline(self) -> FloatArray:
        """Net benefit of the better of treating all and treating none."""
        return np.maximum(self.treat_all, self.treat_none)

    @property
    def better(self) -> tuple[BetterRange, ...]:
        """Ranges of thresholds whose limits of the difference exclude 0."""
        return _find_better(self, self.difference_lower, self.difference_upper)

    @document_plot
    def plot(
        self,
        ax: Axes | None = None,
        *,
        label: str | None = None,
        color: Any = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        band_kwargs: Mapping[str, Any] | None = None,
        legend: bool | str = True,
    ) -> Axes:
        """Draw the decision curve, with limits of its difference from the better alternative.

        The limits are drawn around the model's curve, at their distance from the better of treating
        all and treating none. So their lower edge is above both lines exactly where the model is
        shown to be better than both; that range is marked.
        """
        return self._draw(
            ax,
            label=label,
            color=color,
            curve_kwargs=curve_kwargs,
            band_kwargs=band_kwargs,
            legend=legend,
        )

    @property
    def sentence(self) -> str:
        """Where the model is better than both alternatives; at one threshold, by how much."""
        if self.threshold.size == 1:
            return self._say_at_one()
        if pointwise := _say_pointwise(self, self.difference_lower, self.difference_upper):
            return pointwise
        found = _say_where(self, self.difference_lower > 0.0, 1)
        if found is None:
            said = (
                "At no threshold probability is treating by this model shown to be better than "
                "both treating all and treating none."
            )
        else:
            said = (
                "Treating by this model is better than both treating all and treating none "
                f"{found}."
            )
        worse = _say_where(self, self.difference_upper < 0.0, 2)
        return said if worse is None else f"{said} It is worse than one of them {worse}."

    def _say_at_one(self) -> str:
        other = "treating all" if self.treat_all[0] > 0.0 else "treating none"
        gap, low, high = (
            float(column[0])
            for column in (self.difference, self.difference_lower, self.difference_upper)
        )
        at = f"At a threshold probability of {_percent(self.threshold[0])}"
        said = f"{at} treating by this model is worth {_say_gain(gap, low, high, other)}"
        if low > 0.0:
            return f"{said}; it is better than both treating all and treating none."
        shown = "it is worse" if high < 0.0 else "that may be chance"
        return f"{said}; {shown}."

    def describe(self) -> tuple[str, Mapping[str, Any]]:
        lines = [
            f"Net benefit, and its difference from the better of treating all and treating none, "
            f"with {percent(self.level)} {self.coverage} confidence limits.",
            f"{count_classes(self.n_pos, self.n_neg)}.",
            *self.notes,
            *_say_abridged(self.threshold),
        ]
        return "\n".join(lines), _select_rows(self.columns(), without=("treat_none",))

    def _brief(self) -> str:
        return (
            f"net benefit at {_number_of(self.threshold.size)}, {percent(self.level)} "
            f"{self.coverage} confidence limits"
        )


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class NetBenefitDifference(Result):
    """Difference of two models' net benefits, model 1 minus model 2.

    Attributes
    ----------
    threshold : ndarray of shape (k,)
        Threshold probabilities.
    difference, lower, upper : ndarray of shape (k,)
        The difference and its limits.
    names : (str, str)
        The models.
    level : float
        Nominal confidence level.
    coverage : {'simultaneous', 'pointwise'}
        Whether the level is for all thresholds together, or for each of them.
    prevalence : float or None
        The prevalence that was given; None where it is estimated from the rows.
    better : tuple of BetterRange
        Ranges of thresholds in which one model is shown to have more net benefit. Empty for
        pointwise limits of several thresholds, some of which exclude 0 by chance.
    n_pos, n_neg : int
        Class sizes.
    notes : tuple of str
        What the reader should know.
    simulation : Simulation or None
        Seed, number of draws and Monte Carlo error of simultaneous limits.
    """

    schema: ClassVar[str] = "rocbands.net-benefit-difference/4"
    FACTS: ClassVar[str] = "names level coverage prevalence better n_pos n_neg notes"
    COLUMNS: ClassVar[Mapping[str, Any]] = type_columns(
        (Rate, "threshold"), (Number, "difference lower upper")
    )

    threshold: FloatArray
    difference: FloatArray
    lower: FloatArray
    upper: FloatArray
    names: tuple[str, str]
    level: Level
    coverage: Coverage
    prevalence: float | None
    n_pos: Count
    n_neg: Count
    notes: tuple[str, ...] = ()
    simulation: Simulation | None = None

    def _check(self) -> None:
        held = (self.lower <= self.difference) & (self.difference <= self.upper)
        require(held.all(), "Limits must contain the difference.")

    @property
    def better(self) -> tuple[BetterRange, ...]:
        """Ranges of thresholds whose limits exclude 0."""
        return _find_better(self, self.lower, self.upper)

    @property
    def sentence(self) -> str:
        """Where one model has more net benefit; at one threshold also by how much."""
        one, two = self.names
        if self.threshold.size == 1:
            gap, low, high = (
                float(column[0]) for column in (self.difference, self.lower, self.upper)
            )
            chance = "; that may be chance" if low <= 0.0 <= high else ""
            return (
                f"At a threshold probability of {_percent(self.threshold[0])} {one} is worth "
                f"{_say_gain(gap, low, high, two)}{chance}."
            )
        if pointwise := _say_pointwise(self, self.lower, self.upper):
            return pointwise
        said = [
            f"{better} has more net benefit than {other} {where}."
            for model, better, other, shown in (
                (1, one, two, self.lower > 0.0),
                (2, two, one, self.upper < 0.0),
            )
            if (where := _say_where(self, shown, model)) is not None
        ]
        none = f"The difference of net benefit between {one} and {two} may be chance at every "
        return " ".join(said) or f"{none}threshold probability."

    @document_plot
    def plot(self, ax: Axes | None = None, *, legend: bool | str = True) -> Axes:
        """Draw the difference with its limits, and where one model has more net benefit."""
        return self._draw(ax, legend=legend)

    def _brief(self) -> str:
        one, two = self.names
        return (
            f"net benefit of {one} minus {two} at {_number_of(self.threshold.size)}, "
            f"{percent(self.level)} {self.coverage} confidence limits"
        )

    def describe(self) -> tuple[str, Mapping[str, Any]]:
        lines = [
            f"Net benefit of {self.names[0]} minus that of {self.names[1]}, with "
            f"{percent(self.level)} {self.coverage} confidence limits.",
            f"{count_classes(self.n_pos, self.n_neg)}.",
            *_say_abridged(self.threshold),
            *self.notes,
        ]
        return "\n".join(lines), _select_rows(self.columns())


AnyBenefit: TypeAlias = NetBenefit | NetBenefitDifference


def _percent(threshold: float) -> str:
    return f"{100 * threshold:.3g}%"


def _number_of(thresholds: int) -> str:
    return f"{thresholds} threshold{'s' * (thresholds != 1)}"


def _say_gain(gap: float, low: float, high: float, other: str) -> str:
    """Say a difference of net benefits: the unit of net benefit is a true positive."""
    digits = max(choose_digits(100.0 * abs(gap), 100.0 * (high - low)), 1)

    def write(gain: float) -> str:
        return write_number(100.0 * gain, digits)

    size, more, limits = split_gap(gap, low, high, write, ("more", "less"))
    return f"{size} true positives per 100 cases {more} than {other} ({limits})"


def _find_better(
    found: AnyBenefit, lower: FloatArray, upper: FloatArray
) -> tuple[BetterRange, ...]:
    """Find ranges whose limits exclude 0; none where some of many do by chance."""
    if _is_exploring(found):
        return ()
    return find_better_runs(found.threshold, lower > 0.0, upper < 0.0)


def _is_exploring(found: AnyBenefit) -> bool:
    """Tell whether limits of several thresholds are pointwise, so that they show nothing."""
    return found.coverage == "pointwise" and found.threshold.size > 1


def _say_pointwise(found: AnyBenefit, lower: FloatArray, upper: FloatArray) -> str | None:
    """Say where pointwise limits of several thresholds exclude 0; None if nowhere."""
    shown = (lower > 0.0) | (upper < 0.0)
    if not (_is_exploring(found) and shown.any()):
        return None
    ranges = find_better_runs(found.threshold, shown, np.zeros_like(shown))
    return (
        f"Pointwise limits exclude 0 {_say_at(found, shown, ranges)}; with "
        f"{_number_of(found.threshold.size)} some do by chance."
    )


def _say_where(found: AnyBenefit, shown: BoolArray, model: int) -> str | None:
    """Say at which thresholds a model is better; None if nowhere."""
    ranges = [part for part in found.better if part.model == model]
    return _say_at(found, shown, ranges) if ranges else None


def _say_at(found: AnyBenefit, shown: BoolArray, parts: Sequence[BetterRange]) -> str:
    """Name thresholds: one by one if few were asked, else their ranges."""
    at = found.threshold[shown]
    if at.size == 1:
        return f"at a threshold probability of {_percent(at[0])}"
    if found.threshold.size <= len(_SHOWN):
        return f"at threshold probabilities of {join_words([_percent(t) for t in np.sort(at)])}"
    ranges = [(part.low, part.high) for part in parts]
    if len(ranges) > 2 or all(low < high for low, high in ranges):
        return f"at threshold probabilities {say_ranges(ranges, _percent)}"
    ends = [" to ".join(map(_percent, sorted({*each}))) for each in ranges]
    return f"at threshold probabilities of {' and of '.join(ends)}"


def _say_abridged(threshold: FloatArray) -> list[str]:
    size, shown = threshold.size, _choose_rows(threshold).size
    return [f"{shown} of {size} thresholds are shown; CSV has all."] if shown < size else []


def _choose_rows(threshold: FloatArray) -> np.ndarray[Any, np.dtype[np.intp]]:
    """Rows that fit a screen: all if they are few, else those at round thresholds."""
    size, most = threshold.size, len(_SHOWN)
    if size <= most:
        return np.arange(size)
    rows = np.flatnonzero(np.isclose(threshold[:, None], _SHOWN).any(axis=1))
    if most // 2 <= rows.size <= most:
        return rows
    return np.unique(np.linspace(0, size - 1, most).round().astype(np.intp))


def _select_rows(columns: Mapping[str, Any], without: Sequence[str] = ()) -> Mapping[str, Any]:
    rows = _choose_rows(columns["threshold"])
    return {name: column[rows] for name, column in columns.items() if name not in without}
