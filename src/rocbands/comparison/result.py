"""Results of comparing classifiers. Differences are always model 1 minus model 2."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np

from rocbands.core.attributes import Axes, Count, Level, Rate, type_columns
from rocbands.core.checks import FloatArray, check_unit_interval
from rocbands.core.columns import Numbers, score_column
from rocbands.core.comparison import BetterRange, find_better_lines, say_ranges
from rocbands.core.pair import UNNAMED
from rocbands.core.phrases import count_classes, join_words
from rocbands.core.randomness import Simulation
from rocbands.core.result import Result, document_plot, percent, require
from rocbands.core.roc import RocCurve
from rocbands.core.tolerance import SAME
from rocbands.errors import InputError, Message, arg

DifferenceLike: TypeAlias = tuple[Any, Any] | Callable[[FloatArray], Any]

_SHOWN_FPR = np.array(
    [1e-5, 1e-4, 0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
)
_POINTS_PER_STEP = 8  # points per grid step at which a function is evaluated


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Comparisons(Result):
    """Comparison of many classifiers on the same rows: one joint test, and all pairs.

    Attributes
    ----------
    names : tuple of str
        The models.
    estimates : ndarray of shape (k,)
        Area under the curve of each model.
    covariance : ndarray of shape (k, k)
        Covariance matrix of the estimates.
    statistic : float
        Statistic of the joint test that all areas are equal; for two models the square of
        :func:`rocbands.compare`'s.
    df : int
        Number of independent differences in the joint test.
    df_error : float or None
        Second degrees of freedom of the F distribution for p-values beyond the draws. None for two
        models, whose test is that of :func:`rocbands.compare`, and without a joint test.
    pvalue : float
        P-value of the joint test.
    pairs : tuple of (int, int)
        Two models for each row of the table; differences are the first minus the second.
    differences, standard_errors, lower, upper : ndarray of shape (k (k - 1) / 2,)
        Differences and their simultaneous confidence limits at `level`.
    pvalues, raw_pvalues : ndarray of shape (k (k - 1) / 2,)
        P-values of each pair, adjusted for all pairs, and unadjusted. An adjusted p-value is below
        1 - level exactly if the limits of the pair exclude 0.
    critical_value : float
        Least distance of the limits from the difference, in standard errors (c' of (M5) in
        docs/formulas.md). For two models the quantile of Student's t.
    level : float
        Simultaneous confidence level.
    method : str
        How the covariance was estimated.
    n_pos, n_neg : int
        Class sizes.
    notes : tuple of str
        Notes on the comparison.
    question : str
        As in :class:`Comparison`.
    quantity : str
        What is compared: 'AUC', or with folds their mean.
    simulation : Simulation or None
        Seed, number of resamples and Monte Carlo error, where limits are simulated.
    """

    schema: ClassVar[str] = "rocbands.comparisons/3"
    FACTS: ClassVar[str] = (
        "names estimates covariance statistic df df_error pvalue critical_value level method "
        "n_pos n_neg notes"
    )
    COLUMNS: ClassVar[Mapping[str, Any]] = type_columns(
        (str, "model_1 model_2"),
        (float, "difference lower upper standard_error"),
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
    lower: FloatArray
    upper: FloatArray
    pvalues: FloatArray
    raw_pvalues: FloatArray
    critical_value: float
    level: Level
    method: str
    n_pos: Count
    n_neg: Count
    notes: tuple[str, ...] = ()
    question: str = ""
    quantity: str = "AUC"
    frame: str | None = None
    simulation: Simulation | None = None

    def _check(self) -> None:
        inside = (self.lower >= -1.0).all() and (self.upper <= 1.0).all()
        require(inside, "Limits of differences must lie between -1 and 1.")
        held = (self.lower <= self.differences) & (self.differences <= self.upper)
        require(held.all(), "Limits must contain the differences.")
        require(
            (self.raw_pvalues <= self.pvalues).all(), "Adjusting must not make a p-value smaller."
        )

    def columns(self) -> Mapping[str, Any]:
        models = ([self.names[pair[side]] for pair in self.pairs] for side in (0, 1))
        limits = self.differences, self.lower, self.upper, self.standard_errors
        columns = (*models, *limits, self.pvalues, self.raw_pvalues)
        return dict(zip(self.COLUMNS, columns, strict=True))

    @property
    def sentence(self) -> str:
        """Which models differ in AUC, and how many pairs may differ by chance."""
        best = self.names[int(np.argmax(self.estimates))]
        above, open_ = [], 0
        for (i, j), low, high in zip(self.pairs, self.lower, self.upper, strict=True):
            one, two = self.names[i], self.names[j]
            if low <= 0.0 <= high:
                open_ += 1
            elif best in (one, two):
                above.append(two if one == best else one)
        several = len(self.pairs) > 1
        shown = len(self.pairs) - open_
        rest = f"; {shown} of {len(self.pairs)} pairs of models differ in {self.quantity}" * several
        if above:
            every = several and len(above) == len(self.names) - 1
            others = "every other model" if every else join_words(above)
            said = f"{best} has a higher {self.quantity} than {others}{rest}."
        elif several:
            said = f"No model is shown to have the highest {self.quantity}{rest}."
        else:
            said = f"{join_words(self.names)} are not shown to differ in {self.quantity}."
        return f"{self.question} {said}".lstrip()

    def describe(self) -> tuple[str, Mapping[str, Any]]:
        areas = ", ".join(
            f"{name} {area:.4f}" for name, area in zip(self.names, self.estimates, strict=True)
        )
        title = self.quantity[0].upper() + self.quantity[1:]
        lines = [
            f"{title}: {areas}; {count_classes(self.n_pos, self.n_neg)}.",
            f"Test of equal AUCs ({self.method}): Hotelling's T2 {self.statistic:.4g} on {self.df} "
            f"and {self.df_error:.4g} degrees of freedom, p = {self.pvalue:.4g}."
            if self.df_error is not None
            else f"Test of equal AUCs ({self.method}): p = {self.pvalue:.4g}.",
            f"Differences are model 1 minus model 2; limits are simultaneous at level "
            f"{percent(self.level)}; p-values are adjusted for all pairs.",
            *self.notes,
        ]
        columns = self.columns()
        shown = ("model_1", "model_2", "difference", "lower", "upper", "pvalue")
        return "\n".join(lines), {name: columns[name] for name in shown}

    def _brief(self) -> str:
        return (
            f"AUCs of {len(self.names)} models, {len(self.pairs)} differences with "
            f"{percent(self.level)} simultaneous limits, p = {self.pvalue:.4g}"
        )

    @document_plot
    def plot(self, ax: Axes | None = None, *, color: Any = None) -> Axes:
        """Draw the differences of all pairs with their simultaneous intervals."""
        return self._draw(ax, color=color)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DifferenceBand(Result):
    """Simultaneous limits for TPR of model 1 minus TPR of model 2, over a range of FPR.

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
        a vertical segment of a curve, its upper end.
    lower, upper : ndarray of shape (k,)
        The limits, between -1 and 1.
    level : float
        Nominal confidence that the whole difference lies between the limits.
    coverage, target : str
        'simultaneous', and what the band is for.
    critical_value : float
        Quantile of the largest deviation of a drawn difference, in standard errors.
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
        Notes on this band.
    question : str
        As in :class:`Comparison`.
    simulation : Simulation or None
        Seed, number of resamples and Monte Carlo error, where limits are simulated.
    curves : (RocCurve, RocCurve) or None
        Both empirical curves. None where only the grid is known; then :meth:`difference_at` is a
        straight line between its points.

    Examples
    --------
    >>> import rocbands as rb
    >>> sample = rb.load_example()
    >>> band = rb.difference_band(sample, rng=1)
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
    question: str = ""
    curves: tuple[RocCurve, RocCurve] | None = None
    frame: str | None = None
    simulation: Simulation | None = None

    def _check(self) -> None:
        held = (self.lower <= self.difference) & (self.difference <= self.upper)
        require(held.all(), "A band must contain the difference.")
        inside = min(self.lower.min(), -self.upper.max()) >= -1.0
        require(inside, "Limits of a difference must lie between -1 and 1.")
        require((np.diff(self.fpr) > 0).all(), "The grid of false positive rates must rise.")

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

        It equals the result of :func:`rocbands.compare_tpr` and is not interpolated.
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
            must cover the whole range.
        """
        x, d = self._evaluate(difference)
        return bool((d >= self.lower_at(x) - SAME).all() and (d <= self.upper_at(x) + SAME).all())

    @property
    def better(self) -> tuple[BetterRange, ...]:
        """Where one model finds more positives: the limits have the same sign.

        All ranges hold simultaneously with the confidence of the band.
        """
        return find_better_lines(self.fpr, self.lower, self.upper)

    def _check_inside(self, fpr: Numbers) -> FloatArray:
        x = check_unit_interval(fpr, "fpr")
        low, high = self.fpr_range
        outside = (x < low - SAME) | (x > high + SAME)
        if outside.any():
            raise InputError(
                f"The band is stated for fpr from {low:g} to {high:g}",
                f"got {x[outside].flat[0]:g}",
                Message(
                    "Use rates inside that range, or make the band with another {}.", arg("fpr")
                ),
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
                Message(
                    "{} and {} must be equally long, with fpr increasing and covering the range "
                    "from {:g} to {:g}",
                    arg("fpr"),
                    arg("difference"),
                    low,
                    high,
                ),
                remedy="Sort the points and add the missing ends.",
            )
        x = np.union1d(self.fpr, own[(own > low) & (own < high)])
        return x, np.interp(x, own, values)

    @property
    def sentence(self) -> str:
        """Where one model is shown to find more positives."""
        return " ".join(filter(None, (self.question, *self._verdicts())))

    def describe(self) -> tuple[str, Mapping[str, Any]]:
        low, high = self.fpr_range
        lines = [
            f"{percent(self.level)} simultaneous confidence band for the difference of two true "
            f"ROC curves, tpr of {self.names[0]} minus tpr of {self.names[1]}, at fpr {low:g} to "
            f"{high:g}.",
            f"{self._describe_rows()}, mean width {self.mean_width:.4f}.",
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

    def _brief(self) -> str:
        low, high = self.fpr_range
        return (
            f"tpr of {self.names[0]} minus tpr of {self.names[1]} at fpr {low:g} to {high:g}, "
            f"{percent(self.level)} simultaneous confidence band"
        )

    def _describe_rows(self) -> str:
        sizes = f"{count_classes(self.n_pos, self.n_neg)}"
        if self.paired:
            return sizes
        return f"Two test sets: {sizes}; {count_classes(self.n_pos_2, self.n_neg_2)}"

    def _verdicts(self) -> list[str]:
        if not self.better:
            return ["Neither model is shown to find more positives at any fpr of this range."]
        verdicts = []
        for model in sorted({part.model for part in self.better}):
            own = [(part.low, part.high) for part in self.better if part.model == model]
            name = f"Model {model}" if self.names == UNNAMED else self.names[model - 1]
            where = say_ranges(own)
            verdicts.append(f"{name} finds more positives at false positive rates {where}.")
        return verdicts

    @document_plot
    def plot(
        self,
        ax: Axes | None = None,
        *,
        labels: tuple[str, str] | None = None,
        legend: bool | str = True,
    ) -> Axes:
        """Draw the difference, its band, and the ranges in which either model is better.

        Parameters
        ----------
        labels : (str, str), optional
            The names of model 1 and model 2; by default those of the band.
        """
        return self._draw(ax, labels=labels, legend=legend)
