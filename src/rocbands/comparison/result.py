"""Results of comparing classifiers. Differences are always model 1 minus model 2."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias

import numpy as np

from rocbands.core.checks import FloatArray, check_names, check_unit_interval
from rocbands.core.columns import Numbers, score_column
from rocbands.core.interval import Interval
from rocbands.core.method import Alternative
from rocbands.core.result import (
    Count,
    Level,
    Number,
    Rate,
    Result,
    document_plot,
    list_columns,
    name_columns,
    percent,
)
from rocbands.core.roc import RocCurve
from rocbands.core.tolerance import SAME, SLACK
from rocbands.errors import InputError, arg

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DifferenceLike: TypeAlias = tuple[Any, Any] | Callable[[FloatArray], Any]

UNNAMED = check_names(None)
_SHOWN_FPR = np.array(
    [1e-5, 1e-4, 0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
)
_POINTS_PER_STEP = 8  # of the grid, at which a function is evaluated


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Comparison(Result):
    """Two classifiers side by side.

    Attributes
    ----------
    names : (str, str)
        The models.
    quantity : str
        What is compared, such as 'AUC'.
    estimates : (float, float)
        The quantity for model 1 and for model 2.
    interval : Interval
        Confidence interval of the difference, model 1 minus model 2.
    difference, low, high : float
        The difference and its confidence limits, between -1 and 1; as in `interval`.
    standard_error : float or None
        Of the difference, where the method has one.
    level : float
        Confidence level of the interval; a p-value below 1 - level is called evidence.
    statistic : float
        Of the test; the method says which.
    df : float or None
        Degrees of freedom, where the statistic follows Student's t.
    pvalue : float
        Of the test of `hypothesis`, against `alternative`.
    method : str
        Method of the test.
    parameters : mapping
        The method's parameters and their values.
    interval_method : str
        Method of the confidence interval.
    hypothesis : str
        What the test doubts, such as 'equal AUCs' or 'equal ROC curves'.
    paired : bool
        Whether both models scored the same rows.
    alternative : {'two-sided', 'less', 'greater'}
        'greater': model 1 is better.
    margin : float or None
        Of a test of non-inferiority: the test doubts that model 1 is worse by `margin` or more.
    verdict : str
        The outcome in one sentence.
    notes : tuple of str
        What the reader should know about this comparison.
    """

    schema: ClassVar[str] = "rocbands.comparison/2"
    FACTS: ClassVar[str] = (
        "names quantity estimates difference low high standard_error level statistic df pvalue "
        "method parameters interval_method hypothesis paired alternative margin verdict notes"
    )
    COLUMNS: ClassVar[Mapping[str, Any]] = list_columns(
        (str, "model_1 model_2"),
        (Rate, "estimate_1 estimate_2"),
        (float, "difference low high"),
        (Number, "statistic"),
        (Rate, "pvalue"),
    )

    names: tuple[str, str]
    quantity: str
    estimates: tuple[Rate, Rate]
    interval: Interval
    statistic: Number
    pvalue: Rate
    method: str
    hypothesis: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    paired: bool = True
    alternative: Alternative = "two-sided"
    margin: float | None = None
    df: float | None = None
    notes: tuple[str, ...] = ()
    frame: str | None = None

    def _check(self) -> None:
        assert 0.0 <= self.pvalue <= 1.0, "a p-value is a probability"
        assert -1.0 <= self.low <= self.difference <= self.high <= 1.0, "limits contain estimates"
        gap = self.estimates[0] - self.estimates[1]
        assert abs(gap - self.difference) < SLACK, "a difference is model 1 minus model 2"

    @property
    def difference(self) -> float:
        """The quantity of model 1 minus that of model 2."""
        return self.interval.estimate

    @property
    def low(self) -> float:
        """Lower confidence limit of the difference; -1 where there is none."""
        return self.interval.low

    @property
    def high(self) -> float:
        """Upper confidence limit of the difference; 1 where there is none."""
        return self.interval.high

    @property
    def standard_error(self) -> float | None:
        """Standard error of the difference."""
        return self.interval.standard_error

    @property
    def level(self) -> Level:
        """Confidence level of the interval."""
        return self.interval.level

    @property
    def interval_method(self) -> str:
        """Method of the confidence interval."""
        return self.interval.method

    @property
    def verdict(self) -> str:
        """The outcome in one sentence."""
        one, two = self.names
        evidence = self.pvalue < 1.0 - self.level
        if self.margin is not None:
            claim = f"worse than {two} by {self.margin:g} or more in {self.quantity}"
            return (
                f"Not inferior: {one} is not {claim}."
                if evidence
                else f"Non-inferiority not shown: {one} may be {claim}."
            )
        if not evidence:
            return f"No evidence against {self.hypothesis}."
        if not self.hypothesis.startswith(f"equal {self.quantity}"):
            return f"Evidence against {self.hypothesis}."
        word = "higher" if self.estimates[0] > self.estimates[1] else "lower"
        return f"The {self.quantity} of {one} is {word} than that of {two}."

    def columns(self) -> Mapping[str, Any]:
        numbers = ("difference", "low", "high", "statistic", "pvalue")
        return {
            **{f"model_{place}": [name] for place, name in enumerate(self.names, 1)},
            **{f"estimate_{place}": [value] for place, value in enumerate(self.estimates, 1)},
            **{name: [getattr(self, name)] for name in numbers},
        }

    def summary(self) -> tuple[str, Mapping[str, Any]]:
        one, two = self.names
        rows = "the same rows" if self.paired else "different rows"
        side = "" if self.alternative == "two-sided" else f", one-sided ({self.alternative})"
        what = self.quantity[0].upper() + self.quantity[1:]
        lines = [
            self.verdict,
            f"{what} of {one} minus {two} on {rows}: {self.difference:.4f}; "
            f"{percent(self.level)} confidence interval {self.low:.4f} to {self.high:.4f} "
            f"({self.interval_method}{side}).",
            f"Test of {self.hypothesis} ({self.method}): p = {self.pvalue:.4g}.",
            *self.notes,
        ]
        heads = name_columns(self.quantity.partition(" at ")[0], self.names)
        named = {head: [x] for head, x in zip(heads, self.estimates, strict=True)}
        columns = self.columns()
        shown = ("difference", "low", "high", "statistic", "pvalue")
        return "\n".join(lines), named | {name: columns[name] for name in shown}

    @document_plot
    def plot(self, ax: Axes | None = None, *, color: Any = None) -> Axes:
        """Draw the difference with its interval, as a row of a forest plot."""
        return self._draw(locals())


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Comparisons(Result):
    """Many classifiers on the same rows: one joint test, and all pairs.

    Attributes
    ----------
    names : tuple of str
        The models.
    estimates : ndarray of shape (k,)
        Area under the curve of each model.
    covariance : ndarray of shape (k, k)
        Of the estimates.
    statistic : float
        Of the joint test that all areas are equal.
    df : int
        Number of independent differences that the joint test is about.
    df_error : float or None
        Second degrees of freedom of the F distribution that the drawn tail goes on as; None where
        there is no joint test, and the notes say why.
    pvalue : float
        Of the joint test.
    pairs : tuple of (int, int)
        Which two models each row of the table compares; differences are the first minus the second.
    differences, standard_errors, low, high : ndarray of shape (k (k - 1) / 2,)
        Differences and their simultaneous confidence limits: all contain the true differences at
        once with probability `level`.
    pvalues, raw_pvalues : ndarray of shape (k (k - 1) / 2,)
        Of each pair's test, adjusted by Holm's rule, and as they were before.
    critical_value : float
        Distance of the limits on the side of 0, in standard errors that are raised where cases are
        few (:func:`compare_many`); on the other side they may reach farther.
    level : float
        Simultaneous confidence level.
    method : str
        How the covariance was estimated.
    n_pos, n_neg : int
        Class sizes.
    notes : tuple of str
        What the reader should know.
    """

    schema: ClassVar[str] = "rocbands.comparisons/2"
    FACTS: ClassVar[str] = (
        "names estimates covariance statistic df df_error pvalue critical_value level method "
        "n_pos n_neg notes"
    )
    COLUMNS: ClassVar[Mapping[str, Any]] = list_columns(
        (str, "model_1 model_2"),
        (float, "difference low high standard_error"),
        (Rate, "pvalue raw_pvalue"),
    )

    names: tuple[str, ...]
    estimates: FloatArray
    covariance: FloatArray
    statistic: float
    df: Count
    df_error: float | None
    pvalue: Rate
    pairs: tuple[tuple[int, int], ...]
    differences: FloatArray
    standard_errors: FloatArray
    low: FloatArray
    high: FloatArray
    pvalues: FloatArray
    raw_pvalues: FloatArray
    critical_value: float
    level: Level
    method: str
    n_pos: Count
    n_neg: Count
    notes: tuple[str, ...] = ()
    frame: str | None = None

    def _check(self) -> None:
        assert 0.0 <= self.pvalue <= 1.0, "a p-value is a probability"
        assert (self.low >= -1.0).all(), "differences lie between -1 and 1"
        assert (self.high <= 1.0).all(), "differences lie between -1 and 1"
        assert (self.low <= self.differences).all(), "limits contain the estimates"
        assert (self.differences <= self.high).all(), "limits contain the estimates"
        assert (self.raw_pvalues <= self.pvalues).all(), "adjusting never lowers a p-value"

    def columns(self) -> Mapping[str, Any]:
        return {
            "model_1": [self.names[i] for i, _ in self.pairs],
            "model_2": [self.names[j] for _, j in self.pairs],
            "difference": self.differences,
            "low": self.low,
            "high": self.high,
            "standard_error": self.standard_errors,
            "pvalue": self.pvalues,
            "raw_pvalue": self.raw_pvalues,
        }

    def summary(self) -> tuple[str, Mapping[str, Any]]:
        areas = ", ".join(
            f"{name} {area:.4f}" for name, area in zip(self.names, self.estimates, strict=True)
        )
        lines = [
            f"AUC: {areas}; {self.n_pos} positives, {self.n_neg} negatives.",
            f"Test of equal AUCs ({self.method}): Hotelling's T2 {self.statistic:.4g} on {self.df} "
            f"and {self.df_error:.4g} degrees of freedom, p = {self.pvalue:.4g}."
            if self.df_error is not None
            else f"Test of equal AUCs ({self.method}): p = {self.pvalue:.4g}.",
            f"Differences are model 1 minus model 2; the limits hold all at once at level "
            f"{percent(self.level)}; p-values are Holm's.",
            *self.notes,
        ]
        columns = self.columns()
        shown = ("model_1", "model_2", "difference", "low", "high", "pvalue")
        return "\n".join(lines), {name: columns[name] for name in shown}

    @document_plot
    def plot(self, ax: Axes | None = None, *, color: Any = None) -> Axes:
        """Draw the differences of all pairs with their simultaneous intervals."""
        return self._draw(locals())


class BetterRange(NamedTuple):
    """A range of false positive rates in which one model finds more positives.

    Attributes
    ----------
    model : {1, 2}
        The better model.
    low, high : float
        Ends of the range.
    """

    model: int
    low: float
    high: float


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DifferenceBand(Result):
    """Limits for TPR of model 1 minus TPR of model 2 at equal FPR, all at once over a range of FPR.

    Between the points of the grid the limits are straight lines. The difference is not: its value
    at any fpr is :meth:`difference_at`.

    Attributes
    ----------
    fpr : ndarray of shape (k,)
        The grid, from one end of the stated range to the other.
    fpr_range : (float, float)
        The range of FPR that the band is for.
    difference : ndarray of shape (k,)
        TPR of model 1 minus TPR of model 2, of the empirical curves, at the points of the grid; at
        a vertical piece of a curve, its upper end.
    lower, upper : ndarray of shape (k,)
        The limits, between -1 and 1.
    level : float
        Nominal confidence that the whole difference lies between the limits.
    coverage, target : str
        'simultaneous', and what the band is for.
    critical_value : float
        Half the width of the band in standard errors.
    mean_width : float
        Mean distance between the limits over the range.
    better : tuple of BetterRange
        Where one model finds more positives: the limits have the same sign.
    paired : bool
        Whether both models scored the same rows.
    n_pos, n_neg : int
        Class sizes; of two test sets, those of the first.
    n_pos_2, n_neg_2 : int
        Class sizes of the second test set; the same numbers where both models scored the same rows.
    names : (str, str)
        The models.
    notes : tuple of str
        What the reader should know about this band.
    curves : (RocCurve, RocCurve) or None
        Both empirical curves. None where only the grid is known; then :meth:`difference_at` is a
        straight line between its points.

    Examples
    --------
    >>> import rocbands as rb
    >>> y, models = rb.load_example()
    >>> band = rb.difference_band(y, *models.values(), positive="malignant", rng=1)
    >>> band.contains(lambda fpr: 0 * fpr)  # could the models have the same curve?
    False
    """

    schema: ClassVar[str] = "rocbands.difference-band/2"
    SKETCH: ClassVar[tuple[str, str, str, str] | None] = ("fpr", "lower", "difference", "upper")
    coverage: ClassVar[str] = "simultaneous"
    target: ClassVar[str] = "difference of the true curves, model 1 minus model 2"
    FACTS: ClassVar[str] = (
        "level coverage names target fpr_range critical_value mean_width better notes paired "
        "n_pos n_neg n_pos_2 n_neg_2"
    )
    COLUMNS: ClassVar[Mapping[str, Any]] = {
        "fpr": Rate, "lower": float, "difference": float, "upper": float,
    }  # fmt: skip

    fpr: FloatArray
    difference: FloatArray
    lower: FloatArray
    upper: FloatArray
    level: Level
    critical_value: float
    n_pos: Count
    n_neg: Count
    n_pos_2: Count
    n_neg_2: Count
    paired: bool = True
    names: tuple[str, str] = UNNAMED
    notes: tuple[str, ...] = ()
    curves: tuple[RocCurve, RocCurve] | None = None
    frame: str | None = None

    def _check(self) -> None:
        assert (self.lower <= self.difference).all(), "a band contains its estimate"
        assert (self.difference <= self.upper).all(), "a band contains its estimate"
        assert min(self.lower.min(), -self.upper.max()) >= -1.0, "differences lie between -1 and 1"
        assert (np.diff(self.fpr) > 0).all(), "fpr rises"

    @property
    def fpr_range(self) -> tuple[float, float]:
        """The range of FPR that the band is stated for."""
        return float(self.fpr[0]), float(self.fpr[-1])

    @property
    def mean_width(self) -> float:
        """Mean distance between the limits over the range."""
        low, high = self.fpr_range
        return float(np.trapezoid(self.upper - self.lower, self.fpr)) / (high - low)

    def difference_at(self, fpr: Numbers) -> FloatArray:
        """Difference of the two empirical curves at any fpr of the stated range.

        The number that :func:`rocbands.compare_tpr` has as its difference: not a straight line
        between the points of the grid, as the limits are.
        """
        x = self._check_inside(fpr)
        if self.curves is None:
            return np.asarray(np.interp(x, self.fpr, self.difference))
        one, two = (roc.curve.high(x) for roc in self.curves)
        return np.asarray(one - two)

    def lower_at(self, fpr: Numbers) -> FloatArray:
        """Lower limit at any fpr of the stated range."""
        return np.asarray(np.interp(self._check_inside(fpr), self.fpr, self.lower))

    def upper_at(self, fpr: Numbers) -> FloatArray:
        """Upper limit at any fpr of the stated range."""
        return np.asarray(np.interp(self._check_inside(fpr), self.fpr, self.upper))

    def contains(self, difference: DifferenceLike) -> bool:
        """Tell whether a whole difference of curves lies inside, over the stated range.

        Parameters
        ----------
        difference : callable or (fpr, difference)
            A function maps an array of fpr to differences. Arrays are joined by straight lines and
            must reach over the whole range.
        """
        x, d = self._evaluate(difference)
        return bool((d >= self.lower_at(x) - SAME).all() and (d <= self.upper_at(x) + SAME).all())

    @property
    def better(self) -> tuple[BetterRange, ...]:
        """Where one model finds more positives: the limits have the same sign.

        All ranges hold simultaneously with the confidence of the band.
        """
        found = [BetterRange(1, *ends) for ends in _find_positive_ranges(self.fpr, self.lower)]
        found += [BetterRange(2, *ends) for ends in _find_positive_ranges(self.fpr, -self.upper)]
        return tuple(sorted(found, key=lambda part: part.low))

    def _check_inside(self, fpr: Numbers) -> FloatArray:
        x = check_unit_interval(fpr, "fpr")
        low, high = self.fpr_range
        outside = (x < low - SAME) | (x > high + SAME)
        if outside.any():
            raise InputError(
                f"The band is stated for fpr from {low:g} to {high:g}",
                f"got {x[outside].flat[0]:g}",
                f"Ask inside that range, or make the band with another {arg('fpr')}.",
            )
        return x

    def _evaluate(self, difference: DifferenceLike) -> tuple[FloatArray, FloatArray]:
        if callable(difference):
            place = np.linspace(
                0.0, self.fpr.size - 1.0, _POINTS_PER_STEP * (self.fpr.size - 1) + 1
            )
            x = np.interp(place, np.arange(self.fpr.size), self.fpr)
            d = np.asarray(difference(x), dtype=np.float64)
            if d.shape != x.shape or np.isnan(d).any():
                raise InputError(
                    "A difference given as a function must return one number for each fpr",
                    f"it returned shape {d.shape} for {x.shape}, or NaN",
                    "Write it with NumPy.",
                )
            return x, d
        if not isinstance(difference, tuple) or len(difference) != 2:
            raise InputError(
                "must be a function of fpr or a pair (fpr, difference) of arrays",
                f"got {type(difference).__name__}",
                argument="difference",
            )
        own = check_unit_interval(score_column(difference[0], "fpr"), "fpr")
        values = score_column(difference[1], "difference").astype(np.float64)
        low, high = self.fpr_range
        grows = own.size == values.size and (np.diff(own) > 0).all()
        if not grows or own[0] > low + SAME or own[-1] < high - SAME:
            raise InputError(
                f"{arg('fpr')} and {arg('difference')} must be equally long, with fpr rising and "
                f"reaching over the range from {low:g} to {high:g}",
                remedy="Sort the points and add the missing ends.",
            )
        x = np.union1d(self.fpr, own[(own > low) & (own < high)])
        return x, np.interp(x, own, values)

    def facts(self) -> Mapping[str, object]:
        return {**super().facts(), "better": [part._asdict() for part in self.better]}

    def summary(self) -> tuple[str, Mapping[str, Any]]:
        low, high = self.fpr_range
        lines = [
            f"{percent(self.level)} simultaneous confidence band for the difference of two true "
            f"ROC curves, tpr of {self.names[0]} minus tpr of {self.names[1]}, at fpr {low:g} to "
            f"{high:g}.",
            f"{self._describe_rows()}, mean width {self.mean_width:.4f}.",
            *self._verdicts(),
            *self.notes,
        ]
        inner = _SHOWN_FPR[(low < _SHOWN_FPR) & (high > _SHOWN_FPR)]
        rows = np.concatenate(([low], inner, [high]))
        table = {
            "fpr": rows,
            "lower": self.lower_at(rows),
            "difference": self.difference_at(rows),
            "upper": self.upper_at(rows),
        }
        return "\n".join(lines), table

    def _describe_rows(self) -> str:
        sizes = f"{self.n_pos} positives, {self.n_neg} negatives"
        if self.paired:
            return sizes
        return f"Two test sets: {sizes}; {self.n_pos_2} positives, {self.n_neg_2} negatives"

    def _verdicts(self) -> list[str]:
        if not self.better:
            return ["Neither model is shown to find more positives at any fpr of this range."]
        verdicts = []
        for model in sorted({part.model for part in self.better}):
            own = (part for part in self.better if part.model == model)
            ranges = ", ".join(f"{part.low:.3g} to {part.high:.3g}" for part in own)
            name = f"Model {model}" if self.names == UNNAMED else self.names[model - 1]
            verdicts.append(f"{name} finds more positives at fpr {ranges}.")
        return verdicts

    @document_plot
    def plot(self, ax: Axes | None = None, *, labels: tuple[str, str] | None = None) -> Axes:
        """Draw the difference, its band, and where which model is better.

        Parameters
        ----------
        labels : (str, str), optional
            The names of model 1 and model 2; by default those of the band.
        """
        return self._draw(locals())


def _find_positive_ranges(x: FloatArray, y: FloatArray) -> list[tuple[float, float]]:
    """Ranges in which the line through the points (x, y) is positive, ends at its zeros."""
    positive = y > SAME
    edge = np.diff(positive.astype(np.int8), prepend=0, append=0)
    first, last = np.flatnonzero(edge == 1), np.flatnonzero(edge == -1) - 1
    return [
        (_find_zero(x, y, int(i), int(i) - 1), _find_zero(x, y, int(j), int(j) + 1))
        for i, j in zip(first, last, strict=True)
    ]


def _find_zero(x: FloatArray, y: FloatArray, inside: int, outside: int) -> float:
    """Where the line from a positive point to its neighbour reaches 0; at the end, the end."""
    if not 0 <= outside < x.size:
        return float(x[inside])
    share = y[inside] / (y[inside] - y[outside])
    return float(x[inside] + share * (x[outside] - x[inside]))
