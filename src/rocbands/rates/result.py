"""Recall at a rate with its limits, and the difference of two models' recalls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from rocbands.core.attributes import Axes, Count, Derived, Level, Number, Rate, type_columns
from rocbands.core.checks import CountArray, FloatArray, check_number
from rocbands.core.columns import Numbers
from rocbands.core.comparison import BetterRange, Comparison, find_better_runs
from rocbands.core.counting import bisect
from rocbands.core.interval import Interval
from rocbands.core.method import Coverage
from rocbands.core.phrases import choose_digits, count_classes, in_100, split_gap, write_number
from rocbands.core.randomness import Simulation
from rocbands.core.result import Result, document_plot, percent, require, title_columns
from rocbands.core.thresholds import repeat_threshold, write_threshold, write_thresholds
from rocbands.errors import InputError, Message, arg
from rocbands.rates.consensus import Scheme
from rocbands.rates.method import Sampling, check_rates
from rocbands.rates.metric import RateRange, limit_between, limit_linear

if TYPE_CHECKING:
    from rocbands.core.roc import RocCurve

_SHOWN = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)
_FEW = 12  # rows that fit a screen
_FEW_CASES = 100  # below this number of alerts the right ones are counted
_SAME = 1e-12  # rates closer than this are equal


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RateBounds(Result):
    """Share of positives found when a fixed share of cases is acted on, with limits.

    At a given rate and share of positives all points lie on one line, the rate isometric
    ``prevalence * tpr + (1 - prevalence) * fpr = rate``: a higher recall means a lower fpr. So with
    fixed class sizes `fpr_lower` belongs to `tpr_upper`. With a random share of positives the
    limits of both are computed separately.

    Attributes
    ----------
    rate : ndarray of shape (k,)
        Shares of cases that are acted on, never falling.
    tpr : ndarray of shape (k,)
        Average recall of the folds (the consensus). It may lie outside the limits, which are
        centred on `model_mean`.
    tpr_lower, tpr_upper : ndarray of shape (k,)
        Limits of the recall.
    fpr, fpr_lower, fpr_upper : ndarray of shape (k,)
        False positive rate of the consensus, and its limits.
    precision : ndarray of shape (k,)
        Share of positives among the cases that are acted on; nan at rate 0, where there are none.
    cases : ndarray of int64, shape (k,)
        Number of cases acted on, out of the rows (or the future test set). With weights the rate
        is a share of the weight.
    threshold : ndarray of shape (k,) or None
        The lowest threshold at which no more than this share of rows is acted on; None with folds.
    prevalence : float
        Share of positives that links rate, recall and false positive rate.
    n_folds, n_pos, n_neg : int
        Number of folds, 1 for a single test set, and class sizes over all of them.
    level : float
        Nominal confidence level at each rate.
    method : str
        The method's name.
    parameters : mapping
        The method's parameters and their values.
    coverage : {'pointwise'}
        The level is for each rate.
    target : str
        What the limits are for.
    sampling : {'full', 'stratified'}
        'full': the share of positives is random. 'stratified': class sizes are fixed.
    future : (int, int) or None
        Class sizes of the future test set that the limits are for; None for the true curve.
    scheme : {'counts', 'reference'}
        How folds are combined: by adding up counts at a rate, or by cutting each fold's curve at
        the rate of a reference population.
    model_mean : ndarray of shape (k,) or None
        Expected recall under the fitted curve, where the method has one.
    fpr_limits : ndarray of shape (2, k) or None
        Limits of the false positive rate, where they do not follow from those of the recall.
    near : ndarray of shape (k,) or None
        Share of positives close to the threshold, where the method uses it.
    roc : RocCurve or None
        The curve of the rows, where they are one test set.
    heterogeneity : float or None
        Variance between folds relative to that under one common curve, averaged over rates from
        0.1 to 0.9; None for a single test set.
    notes : tuple of str
        What the reader should know about these limits.
    simulation : Simulation or None
        Seed, number of resamples and Monte Carlo error, where limits are simulated.

    See Also
    --------
    rocbands.rate_bounds : make them.
    """

    schema: ClassVar[str] = "rocbands.rate-bounds/3"
    SKETCH: ClassVar[tuple[str, str, str, str] | None] = ("rate", "tpr_lower", "tpr", "tpr_upper")
    FACTS: ClassVar[str] = (
        "level method parameters coverage target sampling future scheme prevalence n_folds n_pos "
        "n_neg heterogeneity notes"
    )
    COLUMNS: ClassVar[Mapping[str, Any]] = type_columns(
        (Rate, "rate tpr tpr_lower tpr_upper fpr fpr_lower fpr_upper"),
        (Rate | None, "precision"),
        (Count, "cases"),
    )
    MORE: ClassVar[Mapping[str, Any]] = {"threshold": Number}
    coverage: ClassVar[Coverage] = "pointwise"

    rate: FloatArray
    tpr: FloatArray
    tpr_lower: FloatArray
    tpr_upper: FloatArray
    prevalence: Rate
    n_folds: Count
    n_pos: Count
    n_neg: Count
    level: Level
    method: str
    target: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    sampling: Sampling = "stratified"
    future: tuple[Count, Count] | None = None
    scheme: Scheme = "counts"
    model_mean: FloatArray | None = None
    fpr_limits: FloatArray | None = None
    near: FloatArray | None = None
    heterogeneity: Number | None = None
    notes: tuple[str, ...] = ()
    frame: str | None = None
    simulation: Simulation | None = None
    roc: RocCurve | None = None

    def _check(self) -> None:
        require((np.diff(self.rate) >= 0).all(), "Rates must not fall.")
        require(((self.rate >= 0) & (self.rate <= 1)).all(), "A rate must lie between 0 and 1.")
        require(
            (self.tpr_lower <= self.tpr_upper).all(), "A lower limit must not exceed the upper one."
        )
        inside = (self.tpr_lower >= 0) & (self.tpr_upper <= 1)
        require(inside.all(), "Limits of a recall must lie between 0 and 1.")

    fpr = Derived[FloatArray](lambda here: here._fpr_at(here.tpr), "FPR of the consensus.")

    @property
    def fpr_lower(self) -> FloatArray:
        """Lower limit of the false positive rate."""
        return self._fpr_at(self.tpr_upper) if self.fpr_limits is None else self.fpr_limits[0]

    @property
    def fpr_upper(self) -> FloatArray:
        """Upper limit of the false positive rate."""
        return self._fpr_at(self.tpr_lower) if self.fpr_limits is None else self.fpr_limits[1]

    @property
    def precision(self) -> FloatArray:
        """Share of positives among the cases that are acted on; nan if there are none."""
        acted = np.where(self.rate > 0.0, self.rate, np.nan)
        return np.asarray(np.minimum(self.prevalence * self.tpr / acted, 1.0))

    @property
    def cases(self) -> CountArray:
        """Number of cases that are acted on."""
        rows, roc = sum(self.future or (self.n_pos, self.n_neg)), self.roc
        if roc is None or roc.has_equal_weights:
            return np.rint(self.rate * rows).astype(np.int64)
        counts = np.append(0, roc.fp + roc.tp)
        cases = np.interp(self.rate, _find_shares(roc), counts)
        # Half a case is common, and rounded to an even number whatever the rounding errors.
        return np.asarray(np.rint(cases.round(9)), dtype=np.int64)

    @property
    def threshold(self) -> FloatArray | None:
        """Lowest threshold at which no more than this share of the rows is acted on."""
        if self.roc is None:
            return None
        roc, rate = self.roc, self.rate + _SAME
        rows = roc.n_pos + roc.n_neg
        if not roc.has_equal_weights:
            step = np.searchsorted(_find_shares(roc), rate, side="right") - 1
            return roc.get_thresholds(step).astype(np.float64)
        step = bisect(roc.fp.size, lambda at: (roc.fp[at] + roc.tp[at]) / rows <= rate, rate.shape)
        return roc.get_thresholds(step).astype(np.float64)

    @property
    def feasible(self) -> tuple[FloatArray, FloatArray]:
        """Smallest and largest recall that the rate allows at all."""
        pi = self.prevalence
        low = np.maximum(0.0, (self.rate - (1.0 - pi)) / pi)
        return low, np.minimum(1.0, self.rate / pi)

    def _fpr_at(self, recall: FloatArray) -> FloatArray:
        pi = self.prevalence
        return np.clip((self.rate - pi * recall) / (1.0 - pi), 0.0, 1.0)

    def at(self, rate: Numbers) -> RateBounds:
        """Return the limits at one or several rates, by straight lines between neighbours.

        Rates outside the range of `rate` are refused.
        """
        wanted = check_rates(rate, "rate")
        first, last = float(self.rate[0]), float(self.rate[-1])
        if wanted[0] < first - _SAME or wanted[-1] > last + _SAME:
            beyond = wanted[0] if wanted[0] < first - _SAME else wanted[-1]
            raise InputError(
                f"must lie within the range of rates that have limits, from {first:g} to {last:g}",
                f"got {beyond:g}",
                Message("Name it in {} of rate_bounds, or leave that out.", arg("rate")),
                argument="rate",
            )

        names = ("tpr", "tpr_lower", "tpr_upper", "model_mean", "fpr_limits", "near")
        columns = {name: getattr(self, name) for name in names}
        found: dict[str, Any] = {
            name: np.apply_along_axis(lambda row: np.interp(wanted, self.rate, row), -1, column)
            for name, column in columns.items()
            if column is not None
        }
        return replace(self, rate=wanted, **found)

    def linear(
        self, rate: float, *, tp: float = 0.0, fp: float = 0.0, fn: float = 0.0, tn: float = 0.0
    ) -> Interval:
        """Return limits of the mean worth of a decision at one rate.

        Parameters
        ----------
        rate : float
            Share of cases acted on.
        tp, fp, fn, tn : float, default 0
            What a true positive, false positive, false negative and true negative is worth.

        Examples
        --------
        >>> import rocbands as rb
        >>> bounds = rb.rate_bounds(rb.load_example()["logistic"])
        >>> print(bounds.linear(0.2, tp=90, fp=-10).sentence)
        Mean worth of a decision at a rate of 20% 15.223 (95% interval 13.702 to 16.265).
        """
        return limit_linear(self, rate, tp=tp, fp=fp, fn=fn, tn=tn)

    def accuracy(self, rate: float) -> Interval:
        """Return limits of the share of correct decisions at one rate."""
        return self.linear(rate, tp=1.0, tn=1.0)

    def between(self, low: float, high: float) -> RateRange:
        """Return limits of the recall at all rates from `low` to `high` at once.

        Examples
        --------
        >>> import rocbands as rb
        >>> bounds = rb.rate_bounds(rb.load_example()["logistic"])
        >>> print(bounds.between(0.05, 0.1).sentence.partition(", ")[2])
        at least 11 and at most 29 of 100 positives are found.
        """
        return limit_between(self, low, high)

    @property
    def sentence(self) -> str:
        """What is found at the rate nearest to 5%, in words; :meth:`sentence_at` takes a rate."""
        some = self.rate[self.rate > 0.0]
        return self.sentence_at(float(some[_near(some, 0.05)]) if some.size else 0.0)

    def sentence_at(self, rate: float) -> str:
        """Say what is found at a rate, in words.

        Examples
        --------
        >>> import rocbands as rb
        >>> sample = rb.load_example()
        >>> bounds = rb.rate_bounds(sample["logistic"])
        >>> print(bounds.sentence_at(0.2).partition(") ")[2])
        we find 46 of 100 positives (41 to 51); 86 of 100 alerts are right.
        """
        here = self.at(rate)
        if here.rate.size != 1:
            raise InputError("must be one number", f"got {here.rate.size} of them", argument="rate")
        head = f"At an alert rate of {100 * here.rate[0]:.3g}%"
        if here.rate[0] == 0.0:
            return f"{head} no case is acted on, and none is found."
        limits = (here.tpr, here.tpr_lower, here.tpr_upper)
        tpr, low, high = (float(column[0]) for column in limits)
        found = in_100(tpr, low, high, of="positives")
        said = f"{head} ({here._say_cases()}) we find {found}; {here._say_precision()}."
        most = float(here.feasible[1][0])
        if most < 1.0 and here.tpr_upper[0] >= most - 1e-4:
            said += f" At this rate no more than {in_100(most)} can be found in these rows"
            wider = "; the limits allow for another share of positives in the population"
            said += f"{wider if here.tpr_upper[0] > most + 1e-4 else ''}."
        return said

    def _say_cases(self) -> str:
        """Say who is acted on at the only rate: how many, and their lowest score or their ties."""
        count, rows = int(self.cases[0]), sum(self.future or (self.n_pos, self.n_neg))
        roc = self.roc
        weighted = roc is not None and not roc.has_equal_weights and self.future is None
        whose = f"rows with {100 * self.rate[0]:.3g}% of the weight" if weighted else "cases"
        said = f"{count:,} of {rows:,} {whose}"
        if roc is None or self.future is not None or count == 0:
            return said
        # The scores of the last case that is acted on: those before it, and those that share it.
        at = int(bisect(roc.fp.size, lambda row: roc.fp[row] + roc.tp[row] < count, (1,))[0])
        last = int(roc.fp[at] + roc.tp[at])
        before = int(roc.fp[at - 1] + roc.tp[at - 1]) if at else 0
        cut = None if self.threshold is None else float(self.threshold[0])
        if cut is not None and np.isfinite(cut) and (last - before == 1 or roc.binned):
            return f"{said}, scores from {write_threshold(roc, cut)}"
        score = roc.get_thresholds(np.array([at + 1]))[0]
        if last == count or roc.binned:
            return f"{said}, scores from {write_threshold(roc, score)}"
        drawn = f"{count - before:,} {'is' if count - before == 1 else 'are'} chosen at random"
        same = (
            f"{last - before:,} cases share the score {repeat_threshold(score)}, of which {drawn}"
        )
        if before == 0:
            return f"{said}: {same}"
        text = write_threshold(roc, roc.get_thresholds(np.array([at]))[0])
        return f"{said}: threshold {text} uses {before:,} of these places; the next {same}"

    def _say_precision(self) -> str:
        """Say how many of the cases that are acted on are positive: of few, a number of cases."""
        count, share = int(self.cases[0]), float(self.precision[0])
        weighted = self.roc is not None and not self.roc.has_equal_weights
        if count >= _FEW_CASES or count == 0 or weighted:
            return f"{in_100(share)} alerts are right"
        right = share * count
        if right > count - 1e-6:
            return f"all {count} are positive"
        about = "" if abs(right - round(right)) < 1e-6 else "about "
        return f"{about}{round(right)} of these {count} are positive"

    def describe(self) -> tuple[str, Mapping[str, Any]]:
        kind = "confidence" if self.future is None else "prediction"
        shown = self if self.rate.size <= _FEW else self.at(self._choose_rates())
        lines = [
            f"Limits hold at each rate with {percent(self.level)} {kind} ({self.method}), "
            f"for the {self.target}.",
            _describe_sizes(self.n_pos, self.n_neg, self.n_folds, self.sampling),
        ]
        if self.heterogeneity is not None:
            lines.append(
                f"Variance between folds: {self.heterogeneity:.2f} times that of one common curve."
            )
        cut = shown.threshold
        if cut is not None and (without := (shown.rate > 0.0) & np.isposinf(cut)).any():
            lines.append(
                f"At rates up to {100 * shown.rate[without].max():.3g}% the threshold is inf: more "
                "cases share the highest score than are acted on, and the recall is that of "
                "choosing among them at random."
            )
        columns = shown.columns()
        names = ("rate", "tpr", "tpr_lower", "tpr_upper", "fpr", "precision", "cases", "threshold")
        rows = {name: columns[name] for name in names if name in columns}
        if cut is not None and self.roc is not None:
            rows["threshold"] = write_thresholds(self.roc, cut)
        return "\n".join([*lines, *self.notes]), rows

    def _brief(self) -> str:
        kind = "confidence" if self.future is None else "prediction"
        rates = f"{self.rate.size} rate{'s' * (self.rate.size != 1)}"
        return f"recall at {rates}, {percent(self.level)} {kind} limits, {self.method}"

    def _choose_rates(self) -> FloatArray:
        """Return a few rates to print: round ones, or if there are none some of `rate`."""
        round_ones = np.array(_SHOWN)
        reached = round_ones[(round_ones >= self.rate[0]) & (round_ones <= self.rate[-1])]
        return reached if reached.size else self.rate[:: -(-self.rate.size // _FEW)]

    @document_plot
    def plot(
        self,
        ax: Axes | None = None,
        *,
        space: str = "recall",
        mark: Numbers | None = None,
        label: str | None = None,
        color: Any = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        band_kwargs: Mapping[str, Any] | None = None,
        legend: bool | str = True,
    ) -> Axes:
        """Draw recall and its limits: a band for many rates, intervals for a few.

        Parameters
        ----------
        space : {'recall', 'roc'}, default 'recall'
            Recall against the rate, or against the false positive rate, with intervals along lines
            of equal rate.
        mark : array-like, optional
            Rates whose intervals are drawn as bars on the band.
        """
        return self._draw(
            ax,
            space=space,
            mark=mark,
            label=label,
            color=color,
            curve_kwargs=curve_kwargs,
            band_kwargs=band_kwargs,
            legend=legend,
        )


def _find_shares(roc: RocCurve) -> FloatArray:
    """Weighted share of all cases that is acted on at each vertex."""
    return np.asarray(roc.prevalence * roc.tpr + (1.0 - roc.prevalence) * roc.fpr)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RateDifference(Result):
    """Recall of model 1 minus recall of model 2 at the same rate, on the same rows.

    Attributes
    ----------
    rate : ndarray of shape (k,)
        Shares of cases that are acted on, never falling.
    tpr_1, tpr_2 : ndarray of shape (k,)
        Recall of each model: the share of positives among those it acts on.
    difference, lower, upper : ndarray of shape (k,)
        Recall of model 1 minus that of model 2, and its limits.
    standard_error : ndarray of shape (k,)
        Standard error of the difference.
    pvalue : ndarray of shape (k,)
        P-value of the test of equal recalls: below 1 - level where the limits exclude 0.
    better : tuple of BetterRange
        Where one model is shown to find more: runs of rates whose limits exclude 0, pointwise.
    level : float
        Nominal confidence level at each rate.
    method : str
        How the limits were computed.
    coverage : {'pointwise'}
        The level holds at each rate separately.
    names : (str, str)
        The models.
    n_folds, n_pos, n_neg : int
        Number of folds, 1 for a single test set, and class sizes over all of them.
    target : str
        What the limits are for.
    sampling : {'full', 'stratified'}
        Whether the share of positives is random, or the class sizes are taken as fixed.
    notes : tuple of str
        What the reader should know about these limits.

    See Also
    --------
    rocbands.rate_difference : make it.
    """

    schema: ClassVar[str] = "rocbands.rate-difference/3"
    FACTS: ClassVar[str] = (
        "names level method coverage target sampling better n_folds n_pos n_neg notes"
    )
    COLUMNS: ClassVar[Mapping[str, Any]] = type_columns(
        (Rate, "rate tpr_1 tpr_2"),
        (Number, "difference lower upper"),
        (Rate, "pvalue"),
        (Number, "standard_error"),
    )
    coverage: ClassVar[Coverage] = "pointwise"

    rate: FloatArray
    tpr_1: FloatArray
    tpr_2: FloatArray
    difference: FloatArray
    lower: FloatArray
    upper: FloatArray
    standard_error: FloatArray
    pvalue: FloatArray
    level: Level
    method: str
    target: str
    n_folds: Count
    n_pos: Count
    n_neg: Count
    sampling: Sampling = "full"
    names: tuple[str, str] = ("model 1", "model 2")
    notes: tuple[str, ...] = ()
    frame: str | None = None

    def _check(self) -> None:
        require((np.diff(self.rate) >= 0).all(), "Rates must not fall.")
        held = (self.lower <= self.difference) & (self.difference <= self.upper)
        require(held.all(), "Limits must contain the difference.")
        inside = (self.lower >= -1) & (self.upper <= 1)
        require(inside.all(), "Limits of a difference of recalls must lie between -1 and 1.")
        require(
            ((self.pvalue >= 0) & (self.pvalue <= 1)).all(), "A p-value must lie between 0 and 1."
        )

    @property
    def better(self) -> tuple[BetterRange, ...]:
        """Where one model is shown to find more: runs of the rates whose limits exclude 0."""
        return find_better_runs(self.rate, self.lower > 0.0, self.upper < 0.0)

    def at(self, rate: float) -> Comparison:
        """Return the comparison at one of the rates.

        Examples
        --------
        >>> import rocbands as rb
        >>> gap = rb.rate_difference(rb.load_example(), rate=[0.1, 0.3])
        >>> print(gap.at(0.3).verdict)
        The recall at a rate of 30% of logistic is higher than that of neighbours.
        """
        place = self._find_place(rate)
        wanted = float(self.rate[place])
        quantity = f"recall at a rate of {100 * wanted:.3g}%"
        difference, low, high = (
            float(column[place]) for column in (self.difference, self.lower, self.upper)
        )
        return Comparison(
            names=self.names,
            quantity=quantity,
            estimates=(float(self.tpr_1[place]), float(self.tpr_2[place])),
            difference=difference,
            low=low,
            high=high,
            pvalue=float(self.pvalue[place]),
            level=self.level,
            method=self.method,
            interval_method=self.method,
            hypothesis=f"equal {quantity}",
            n_pos=self.n_pos,
            n_neg=self.n_neg,
            standard_error=float(self.standard_error[place]),
            parameters={"rate": wanted, "sampling": self.sampling},
            notes=self.notes,
            frame=self.frame,
        )

    @property
    def sentence(self) -> str:
        """What was found at the rate nearest to 5%, in words."""
        return self._say(_near(self.rate, 0.05))

    def sentence_at(self, rate: float) -> str:
        """Say what was found at one of the rates that were asked for.

        Examples
        --------
        >>> import rocbands as rb
        >>> sample = rb.load_example()
        >>> gap = rb.rate_difference(sample, rate=0.3)
        >>> print(gap.sentence_at(0.3).partition(": ")[0])
        At an alert rate of 30% logistic finds 66 of 100 positives and neighbours 56
        """
        return self._say(self._find_place(rate))

    def _find_place(self, rate: float) -> int:
        wanted = check_number(rate, "rate")
        place = _near(self.rate, wanted)
        if abs(self.rate[place] - wanted) > _SAME:
            raise InputError(
                f"must be one of the rates that were asked for, {', '.join(map(str, self.rate))}",
                f"got {wanted:g}",
                Message("Name it in {} of rate_difference.", arg("rate")),
                argument="rate",
            )
        return place

    def _say(self, place: int) -> str:
        one, two = self.names
        gap, low, high = (
            float(column[place]) for column in (self.difference, self.lower, self.upper)
        )
        digits = choose_digits(100.0 * abs(gap), 100.0 * (high - low))

        def write(share: float) -> str:
            return write_number(100.0 * share, digits)

        first, second = (write(float(part[place])) for part in (self.tpr_1, self.tpr_2))
        size, more, limits = split_gap(gap, low, high, write)
        chance = ", which may be chance" if low <= 0.0 <= high else ""
        return (
            f"At an alert rate of {100 * self.rate[place]:.3g}% {one} finds {first} of 100 "
            f"positives and {two} {second}: {size} {more} ({limits}){chance}."
        )

    def describe(self) -> tuple[str, Mapping[str, Any]]:
        lines = [
            f"Limits hold at each rate with {percent(self.level)} confidence ({self.method}), for "
            f"the {self.target}.",
            _describe_sizes(self.n_pos, self.n_neg, self.n_folds, self.sampling),
            *self.notes,
        ]
        columns = dict(self.columns())
        del columns["standard_error"]
        said = dict(zip(("tpr_1", "tpr_2"), title_columns("tpr", self.names), strict=True))
        return "\n".join(lines), {said.get(name, name): columns[name] for name in columns}

    def _brief(self) -> str:
        one, two = self.names
        rates = f"{self.rate.size} rate{'s' * (self.rate.size != 1)}"
        return (
            f"recall of {one} minus recall of {two} at {rates}, {percent(self.level)} confidence "
            f"limits, {self.method}"
        )

    @document_plot
    def plot(self, ax: Axes | None = None, *, color: Any = None, legend: bool | str = True) -> Axes:
        """Draw the difference of two recalls: a band for many rates, a row for each of a few."""
        return self._draw(ax, color=color, legend=legend)


def _near(rates: FloatArray, rate: float) -> int:
    return int(np.argmin(np.abs(rates - rate)))


def _describe_sizes(n_pos: int, n_neg: int, n_folds: int, sampling: Sampling) -> str:
    folds = "one test set" if n_folds == 1 else f"{n_folds} folds"
    how = "their share is random" if sampling == "full" else "class sizes are taken as fixed"
    return f"{count_classes(n_pos, n_neg)} in {folds}; {how} (sampling {sampling})."
