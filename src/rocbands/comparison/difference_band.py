"""A simultaneous band for the difference of two ROC curves, of the same rows or of two test sets.

Write D(x) = TPR_1(x) - TPR_2(x) at equal FPR x. Model k has the threshold t_k there, and its curve
the slope r_k. To first order the empirical difference errs by a sum over m positives i and n
negatives j (the influence of each row),

    D^(x) - D(x) = 1/m sum_i u_i(x) - 1/n sum_j v_j(x),
    u_i = 1[s_1i > t_1] - 1[s_2i > t_2] - D,
    v_j = r_1 (1[s_1j > t_1] - x) - r_2 (1[s_2j > t_2] - x):

a positive counts where one model finds it and the other does not, a negative where it moves one
threshold more than the other. (For one curve this is the expansion of Hsieh and Turnbull 1996,
Annals of Statistics 24, 25-40.) Curves are drawn from the normal distribution with the covariance
sum u u' / (m (m - 1)) + sum v v' / (n (n - 1)); the quantile of their largest deviation in standard
errors is the critical value c (sup-t).

The limits are not D^ -+ c standard errors: a difference that is larger than the observed one asks
for more positives that only one model finds than were seen, so the variance belongs to the
hypothesis (as in Wilson's and Tango's score intervals). A limit is the D^ -+ h with
h^2 = c^2 V(h). Two test sets have no rows in common: their covariances add up, and the variance
that moves is that of two binomial rates. docs/difference.md has the formulas.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri

from rocbands._math.discordance import estimate_discordance
from rocbands._math.products import gram, times
from rocbands.comparison.grid_curve import CurveAtGrid
from rocbands.comparison.pair import Pair
from rocbands.comparison.result import DifferenceBand
from rocbands.core.checks import (
    BoolArray,
    CountArray,
    FloatArray,
    IndexArray,
    check_level,
    check_names,
    check_resamples,
    check_rng,
    check_unit_interval,
)
from rocbands.core.columns import against_rest
from rocbands.core.public import public
from rocbands.core.roc import RocCurve, as_roc_curve
from rocbands.core.tolerance import SLACK
from rocbands.errors import InputError, arg
from rocbands.resample.gaussian_maximum import find_gaussian_critical_value

POINTS = 101  # of the grid
FEW_NEGATIVES = 2.0  # beyond each end of the range, below which a note is made
FEW_CASES = 100  # of a class of a test set, below which a note is made as follows:
MANY_POSITIVES = 4  # to a negative, where negatives are few; two test sets, always
ROWS = 4096  # whose influence is in memory at once
CURVES = 1000  # that one thread draws at once
MOST_STEPS = 60  # of the search for a limit; about ten are needed
EXACT = 1e-12  # error of a limit

# Shares found on 9 populations and 5 pairs of class sizes, and checked on others.
FLOOR = 0.5  # of the variance of one case of each class, added to every variance
TILT_POS = 0.6  # of what the variance of positives grows by with the hypothetical difference
TILT_NEG = 1.0 / 3.0  # the same for negatives
SEVERAL_NEG = 1.0 / 6.0  # the same for negatives where several differences hold together


@public
def difference_band(
    y_true: Any,
    y_score_1: Any = None,
    y_score_2: Any = None,
    *,
    paired: bool = True,
    y_true_2: Any = None,
    level: float = 0.95,
    fpr: tuple[float, float] = (0.05, 0.95),
    groups: Any = None,
    n_resamples: int = 5000,
    names: tuple[str, str] | None = None,
    positive: object = None,
    rest: bool = False,
    rng: Any = None,
) -> DifferenceBand:
    """Limits for the difference of two ROC curves that hold at all FPR at once.

    Parameters
    ----------
    y_true : array-like of shape (n,), or RocCurve
        Two labels of any kind. With `paired=False` it may be the first curve, already counted; then
        there is no `y_score_1`.
    y_score_1, y_score_2 : array-like of shape (n,)
        Both models' scores; a larger one means more positive.
    paired : bool, default True
        Whether both models scored the same rows. False: two test sets, or two groups of people
        scored by one model; nobody is in both.
    y_true_2 : array-like, or RocCurve, optional
        Labels of the second test set; only with `paired=False`. Or the second curve, in place of
        `y_true_2` and `y_score_2`.
    level : float, default 0.95
        Confidence that the whole true difference lies between the limits.
    fpr : (float, float), default (0.05, 0.95)
        The range of false positive rates that the band is for, inside (0, 1).
    groups : array-like of shape (n,), optional
        Which rows belong together, for example the patient of each lesion; at least two groups.
        Only of the same rows.
    n_resamples : int, default 5000
        Number of drawn difference curves.
    names : (str, str), optional
        What to call the models.
    positive : object, optional
        The positive label; needed unless the labels are {0, 1}, {-1, 1} or booleans.
    rest : bool, default False
        One class against all others: every other label than `positive` counts as negative.
    rng : None, int, SeedSequence or Generator, optional
        Source of randomness.

    Returns
    -------
    DifferenceBand
        TPR of model 1 minus TPR of model 2, its limits, and the ranges of FPR in which one model
        is better.

    See Also
    --------
    compare_tpr : the same difference at one FPR.

    Notes
    -----
    Every row influences the difference: a positive that one model ranks above its threshold and the
    other does not, and a negative that moves one threshold more than the other, in proportion to
    the slopes of the two curves. Curves are drawn from the normal distribution that these
    influences add up to, and the quantile of their largest deviation, in standard errors, is the
    critical value; it is at least that of one point. The standard error never vanishes, and it
    grows with the hypothetical difference as more positives would have to be found by one model
    only.

    The band is made to be near its level, not to be narrow. Where it falls short (measured at level
    0.90): 0.87 to 0.89 where one of two highly correlated models is better everywhere (correlation
    0.9, 250 cases of each class); 0.85 to 0.88 in some populations with five positives to a
    negative and few negatives, above all with few distinct scores; and as much for two test sets
    with fewer than 100 cases of a class (both 0.90 to 0.92 at level 0.95): there the result says so
    in a note. Two test sets with seven distinct scores: 0.87 with 250 cases of each class. Where
    the models hardly differ, or an AUC is 0.95, with 50 cases, it is 0.95 to 1. docs/coverage-
    difference.md has all figures.

    Examples
    --------
    >>> import rocbands as rb
    >>> y, models = rb.load_example()
    >>> logistic, neighbours = models["logistic"], models["neighbours"]
    >>> band = rb.difference_band(y, logistic, neighbours, positive="malignant", rng=1)
    >>> band.better[0].model, band.better[0].low
    (1, 0.05)

    Two test sets, counted:

    >>> old, new = (rb.roc_curve(y, scores, positive="malignant") for scores in models.values())
    >>> rb.difference_band(old, y_true_2=new, paired=False, rng=1).paired
    False
    """
    Pair.check_paired(paired, y_true_2, groups)
    positive = against_rest(positive, rest)
    data: Pair | tuple[RocCurve, RocCurve]
    if paired:
        data = _read_pair(y_true, y_score_1, y_score_2, groups=groups, positive=positive)
    else:
        data = _read_two_sets(y_true, y_score_1, y_true_2, y_score_2, positive=positive)
    return build_difference_band(
        data, level=level, fpr=fpr, n_resamples=n_resamples, names=names, rng=rng
    )


def build_difference_band(
    data: Pair | tuple[RocCurve, RocCurve],
    *,
    level: float = 0.95,
    fpr: tuple[float, float] = (0.05, 0.95),
    n_resamples: int = 5000,
    names: tuple[str, str] | None = None,
    rng: Any = None,
) -> DifferenceBand:
    """Limits from checked scores of the same rows, or from the curves of two test sets.

    See :func:`difference_band`.
    """
    level, rng, names = check_level(level), check_rng(rng), check_names(names)
    check_resamples(n_resamples)
    grid = _build_grid(*check_fpr_range(fpr))
    spread: DifferenceSpread
    if isinstance(data, Pair):
        assert data.paired, "rows of two test sets come as curves"
        curves = RocCurve.from_scores(data.one), RocCurve.from_scores(data.two)
        spread, groups = PairedSpread.estimate(data, *curves, grid), data.groups
    else:
        curves = data
        spread, groups = UnpairedSpread.estimate(*curves, grid), None
    paired = isinstance(data, Pair)
    critical_value = spread.find_critical_value(level, n_resamples, rng)
    notes = _write_notes(curves, paired, groups, grid)
    return assemble_band(curves, spread, grid, critical_value, level, names, paired, notes)


def assemble_band(
    curves: tuple[RocCurve, RocCurve],
    spread: DifferenceSpread,
    grid: FloatArray,
    critical_value: float,
    level: float,
    names: tuple[str, str],
    paired: bool,
    notes: tuple[str, ...],
) -> DifferenceBand:
    """Find the limits for a critical value, and put the band together."""
    lower, upper = spread.find_limits(critical_value)
    one, two = curves
    return DifferenceBand(
        fpr=grid,
        difference=spread.difference,
        lower=lower,
        upper=upper,
        level=level,
        critical_value=critical_value,
        n_pos=one.n_pos,
        n_neg=one.n_neg,
        paired=paired,
        n_pos_2=two.n_pos,
        n_neg_2=two.n_neg,
        names=names,
        notes=notes,
        curves=curves,
        frame=one.frame,
    )


def _read_pair(
    y_true: Any, y_score_1: Any, y_score_2: Any, *, groups: Any, positive: object
) -> Pair:
    if isinstance(y_true, RocCurve):
        raise InputError(
            "Two curves do not say which scores belong to the same row",
            f"{arg('y_true')} is a RocCurve",
            f"Pass labels and both scores, or {arg('paired', False)} for two test sets.",
        )
    _check_given(y_score_1, y_score_2)
    return Pair.from_rows(y_true, y_score_1, y_score_2, groups=groups, positive=positive)


def _check_given(y_score_1: Any, y_score_2: Any) -> None:
    for name, column in (("y_score_1", y_score_1), ("y_score_2", y_score_2)):
        if column is None:
            raise InputError("must be given", "it is missing", argument=name)


def _read_two_sets(
    y_true: Any, y_score_1: Any, y_true_2: Any, y_score_2: Any, *, positive: object
) -> tuple[RocCurve, RocCurve]:
    """Return both curves, from rows or as they were given."""
    counted = [isinstance(labels, RocCurve) for labels in (y_true, y_true_2)]
    if not any(counted):
        _check_given(y_score_1, y_score_2)
        pair = Pair.from_two_sets(y_true, y_score_1, y_true_2, y_score_2, positive=positive)
        return RocCurve.from_scores(pair.one), RocCurve.from_scores(pair.two)
    if y_true_2 is None:
        raise InputError(
            f"{arg('paired', False)} compares two curves; the second one is missing. Pass it as "
            f"{arg('y_true_2')}."
        )
    if all(counted) and positive is not None:
        raise InputError(f"Curves have no labels. Leave {arg('positive')} out.")
    one, two = (
        as_roc_curve(labels, scores, positive=None if is_curve else positive)
        for labels, scores, is_curve in zip(
            (y_true, y_true_2), (y_score_1, y_score_2), counted, strict=True
        )
    )
    if one.binned or two.binned:
        raise InputError(
            "The curves must be of single scores",
            "one has bins",
            "Inside a bin a curve is not known; count distinct scores.",
        )
    return one, two


def _write_notes(
    curves: tuple[RocCurve, RocCurve], paired: bool, groups: CountArray | None, fpr: FloatArray
) -> tuple[str, ...]:
    notes = []
    if groups is not None:
        notes.append(f"Rows of {int(groups.max()) + 1} groups; only groups are independent.")
    beyond = min(fpr[0], 1.0 - fpr[-1]) * min(roc.n_neg for roc in curves)
    if beyond < FEW_NEGATIVES:
        notes.append(
            f"Only {beyond:.2g} negatives lie beyond an end of the range, where the band has not "
            f"been measured; at least {FEW_NEGATIVES:g} should."
        )
    one, two = curves
    if paired and one.n_neg < FEW_CASES and one.n_pos >= MANY_POSITIVES * one.n_neg:
        notes.append(
            "Few negatives beside many positives: in the worst population that was measured such "
            "bands of level 0.90 contained the truth in 0.85 of the sets, those of 0.95 in 0.91."
        )
    if not paired and min(one.n_pos, one.n_neg, two.n_pos, two.n_neg) < FEW_CASES:
        notes.append(
            f"Fewer than {FEW_CASES} cases of a class in a test set: in the worst population that "
            "was measured such bands of level 0.90 contained the truth in 0.85 of the sets, those "
            "of 0.95 in 0.90."
        )
    return tuple(notes)


def _build_grid(low: float, high: float) -> FloatArray:
    """Points evenly spaced in arcsin(sqrt(fpr)), in which a binomial rate has constant variance.

    They are closer together near 0, where curves bend, and near 1.
    """
    angles = np.linspace(math.asin(math.sqrt(low)), math.asin(math.sqrt(high)), POINTS)
    points: FloatArray = np.sin(angles) ** 2
    points[[0, -1]] = low, high
    return points


def check_fpr_range(fpr: Any) -> tuple[float, float]:
    """Return the ends of a range strictly inside (0, 1)."""
    ends = check_unit_interval(fpr, "fpr")
    if ends.shape != (2,) or not SLACK <= ends[0] < ends[1] <= 1.0 - SLACK:
        raise InputError(
            "must be two ends with 0 < low < high < 1",
            f"got {fpr!r}",
            f"At fpr 0 and 1 all curves meet. Pass, for example, {arg('fpr', (0.05, 0.95))}.",
            argument="fpr",
        )
    return float(ends[0]), float(ends[1])


# ------------------------------------------------------------------ distribution of the difference


class DifferenceSpread(ABC):
    """How the empirical difference varies around the true one."""

    difference: FloatArray  # (k,) of the empirical curves along the grid
    covariance: FloatArray  # (k, k) of the differences at the grid, as far as the rows say
    variance: FloatArray  # (k,) its diagonal with a floor, nowhere 0

    @abstractmethod
    def compute_variance(self, deviation: FloatArray) -> FloatArray:
        """Variance if the true difference is `deviation` more than the observed one.

        `deviation` (..., k): positive or negative.
        """

    def find_critical_value(
        self, level: float, n_resamples: int, rng: np.random.Generator
    ) -> float:
        """Quantile of the largest deviation of a drawn difference, in standard errors.

        At least the normal quantile of a single point: where the models agree on all rows nothing
        is drawn but 0, and the band must not shrink to a line.
        """
        error = np.sqrt(self.variance)
        drawn = find_gaussian_critical_value(
            self.covariance / np.outer(error, error), level, n_resamples, rng, chunk=CURVES
        )
        return max(drawn, float(ndtri((1.0 + level) / 2.0)))

    def find_limits(self, critical_value: float) -> tuple[FloatArray, FloatArray]:
        """Lower and upper limit: where the deviation is `critical_value` standard errors.

        The root h of g(h) = h - c sqrt(V(h)), all points and both sides at once. g(0) is negative;
        if g is negative up to the end, the limit is the end, -1 or 1. Regula falsi with the
        correction of the Illinois method (Dowell and Jarratt 1971, BIT 11, 168-174).
        """
        side = np.array([[-1.0], [1.0]])

        def lack(h: FloatArray) -> FloatArray:
            return np.asarray(h - critical_value * np.sqrt(self.compute_variance(side * h)))

        low, high = np.zeros((2, self.difference.size)), 1.0 - side * self.difference
        at_low, at_high = lack(low), lack(high)
        ended = at_high <= 0.0
        at_high = np.where(ended, 1.0, at_high)
        h, rose = high, np.zeros(high.shape)
        for _ in range(MOST_STEPS):
            h = np.where(ended, high, low + (high - low) * at_low / (at_low - at_high))
            at_h = lack(h)
            if (ended | (np.abs(at_h) < EXACT)).all():
                break
            short = at_h < 0.0
            # An end that stays where it is for the second time counts half.
            at_low, at_high = (
                np.where(short, at_h, np.where(rose < 0.0, at_low / 2.0, at_low)),
                np.where(short, np.where(rose > 0.0, at_high / 2.0, at_high), at_h),
            )
            low, high = np.where(short, h, low), np.where(short, high, h)
            rose = np.where(short, 1.0, -1.0)
        lower, upper = np.clip(self.difference + side * h, -1.0, 1.0)
        return lower, upper


@dataclass(frozen=True, eq=False)
class PairedSpread(DifferenceSpread):
    """Both models scored the same rows."""

    difference: FloatArray
    covariance: FloatArray
    variance: FloatArray
    # pos, neg: (k,) the parts of the variance that positives and negatives have, each with its
    # floor.
    pos: FloatArray
    neg: FloatArray
    # only_1, only_2: (k,) number of positives that only model 1, only model 2 finds; of tied
    # scores, what has the same variance.
    only_1: FloatArray
    only_2: FloatArray
    n_pos: int  # number of independent positives
    jump: FloatArray  # (k,) how much one negative moves the difference

    @classmethod
    def estimate(
        cls, pair: Pair, first: RocCurve, second: RocCurve, fpr: FloatArray
    ) -> PairedSpread:
        """Evaluate both curves along the grid `fpr` and add up the influence of all rows."""
        one, two = CurveAtGrid.from_curve(first, fpr), CurveAtGrid.from_curve(second, fpr)
        return cls.add_up(pair, one, two)

    @classmethod
    def add_up(cls, pair: Pair, one: CurveAtGrid, two: CurveAtGrid) -> PairedSpread:
        """Add up the influence of all rows, or of all groups."""
        sums = _add_rows(pair, one, two) if pair.groups is None else _add_groups(pair, one, two)
        difference = one.tpr - two.tpr
        squares = (one.slope**2 + two.slope**2) / 2.0
        # Half a case of each class on either side.
        floor_pos, floor_neg = 1.0 / sums.n_pos**2, squares / sums.n_neg**2
        # P(exactly one model finds a positive), from the variance of u: E u^2 = psi - D^2.
        psi = np.minimum((sums.n_pos - 1) * sums.pos + difference**2, 1.0)
        return cls(
            difference=difference,
            covariance=sums.covariance,
            variance=np.diag(sums.covariance) + FLOOR * (floor_pos + floor_neg),
            pos=sums.pos + FLOOR * floor_pos,
            neg=sums.neg + FLOOR * floor_neg,
            only_1=np.maximum(sums.n_pos * (psi + difference) / 2.0, 0.0),
            only_2=np.maximum(sums.n_pos * (psi - difference) / 2.0, 0.0),
            n_pos=sums.n_pos,
            jump=np.sqrt(squares) / sums.n_neg,
        )

    def compute_variance(self, deviation: FloatArray) -> FloatArray:
        # The classes share the deviation in proportion to their variances. A hypothetical
        # difference larger than the observed one asks for more discordant positives than were
        # seen (Tango's estimate) ...
        share = self.pos / (self.pos + self.neg)
        moved = np.clip(self.difference + deviation * share, -1.0, 1.0)
        psi = estimate_discordance(moved, self.only_1, self.only_2, self.n_pos)
        seen = (self.only_1 + self.only_2) / self.n_pos - self.difference**2
        grown_pos = (np.maximum(psi - moved**2, 0.0) - seen) / self.n_pos
        # ... and for more negatives that move one threshold only: the same in the limit of few.
        moved_by_neg = deviation * (1.0 - share) * self.jump
        grown_neg = np.sqrt(self.neg**2 / 4.0 + moved_by_neg**2) - self.neg / 2.0
        return np.asarray(
            self.variance + np.maximum(TILT_POS * grown_pos + TILT_NEG * grown_neg, 0.0)
        )


@dataclass(frozen=True, eq=False)
class UnpairedSpread(DifferenceSpread):
    """Two test sets with no rows in common."""

    difference: FloatArray
    covariance: FloatArray
    variance: FloatArray
    tpr: FloatArray  # (2, k) heights of the curves
    # (2, k) the part of the variance that each set's positives have, with its floor.
    pos: FloatArray
    n_pos: CountArray  # (2, 1) number of positives of each set
    per_neg: FloatArray  # (2, k) x (1 - x) times the number of negatives of each set
    # (2, k) share of the variance that each curve would have if both had the same height
    share: FloatArray
    # One of several differences that hold together: critical values are larger then, and limits
    # lie where the variance of the hypothesis matters in full.
    several: bool = False

    @classmethod
    def estimate(
        cls, first: RocCurve, second: RocCurve, fpr: FloatArray, *, several: bool = False
    ) -> UnpairedSpread:
        """Add up the covariances of both curves, which need no rows: counts are enough."""
        one, two = CurveAtGrid.from_curve(first, fpr), CurveAtGrid.from_curve(second, fpr)
        return cls.add_up(one, two, several=several)

    @classmethod
    def add_up(cls, one: CurveAtGrid, two: CurveAtGrid, *, several: bool = False) -> UnpairedSpread:
        """Add up the covariances of two curves at the same grid."""
        covariance = np.zeros((one.fpr.size, one.fpr.size))
        variance, pos = np.zeros(one.fpr.size), []
        for curve in (one, two):
            parts = curve.estimate_covariance()
            covariance += parts[0] + parts[1]
            pos.append(np.maximum(np.diag(parts[0]), 0.0) + FLOOR / (2.0 * curve.roc.n_pos**2))
            floor_neg = curve.slope**2 / (2.0 * curve.roc.n_neg**2)
            variance += pos[-1] + np.maximum(np.diag(parts[1]), 0.0) + FLOOR * floor_neg
        n_pos = np.array([[one.roc.n_pos], [two.roc.n_pos]])
        per_neg = one.fpr * (1.0 - one.fpr) * [[one.roc.n_neg], [two.roc.n_neg]]
        height = (one.tpr + two.tpr) / 2.0
        part = 1.0 / n_pos + height * (1.0 - height) / per_neg
        return cls(
            difference=one.tpr - two.tpr,
            covariance=covariance,
            variance=variance,
            tpr=np.stack([one.tpr, two.tpr]),
            pos=np.stack(pos),
            n_pos=n_pos,
            per_neg=per_neg,
            share=part / part.sum(axis=0),
            several=several,
        )

    def compute_variance(self, deviation: FloatArray) -> FloatArray:
        # Each rate moves by its share of the deviation, the second one the other way.
        way = np.array([[1.0], [-1.0]])
        share = self.share if self.several else self.pos / self.variance
        rate = np.clip(self.tpr + way * deviation[..., None, :] * share, 0.0, 1.0)
        grown = (rate * (1.0 - rate) - self.tpr * (1.0 - self.tpr)) / self.n_pos
        if not self.several:
            return np.asarray(self.variance + TILT_POS * np.maximum(grown.sum(axis=-2), 0.0))
        # A curve near 0 or 1 is flat, and its negatives seem not to matter. At the height of the
        # hypothesis it would be steeper: by rate (1 - rate) / (x (1 - x)), if odds are
        # proportional.
        steeper = (rate * (1.0 - rate)) ** 2 - (self.tpr * (1.0 - self.tpr)) ** 2
        grown = grown + SEVERAL_NEG * steeper / self.per_neg
        return np.asarray(self.variance + np.maximum(grown.sum(axis=-2), 0.0))


# ------------------------------------------------------------------------ sums over the same rows


class PairedSums(NamedTuple):
    """What the rows of a pair add up to."""

    covariance: FloatArray  # (k, k) of the difference at the grid
    # pos, neg: (k,) variances of the positives' part and of the negatives' part of it.
    pos: FloatArray
    neg: FloatArray
    # n_pos, n_neg: number of independent positives and negatives: of groups that contain them, if
    # there are groups.
    n_pos: int
    n_neg: int


def _add_rows(pair: Pair, one: CurveAtGrid, two: CurveAtGrid) -> PairedSums:
    """Add up independent rows, of which only the number in each pair of cells matters."""
    is_positive, m, n = pair.one.is_positive, pair.one.n_pos, pair.one.n_neg
    calls_1, calls_2 = one.call_cells(), two.call_cells()
    shape = (2, calls_1.shape[0], calls_2.shape[0])
    # One number for the class and both cells.
    code = np.where(is_positive, shape[1], 0)
    code += one.find_cells(pair.one.values)
    code *= shape[2]
    code += two.find_cells(pair.two.values)
    counts = np.bincount(code, minlength=math.prod(shape)).reshape(shape).astype(np.float64)
    # Sums over rows of (call of model 1 at point i) (call of model 2 at point j).
    neg, pos = (times(times(part.T, calls_1).T, calls_2) for part in counts)
    difference, x = one.tpr - two.tpr, np.outer(one.fpr, one.fpr)
    # sum u u' with u = C_1 - C_2 - D; the mean of C_1 - C_2 is D.
    products = one.sum_call_products(one.roc.tp) + two.sum_call_products(two.roc.tp)
    covariance_pos = products - (pos + pos.T) - m * np.outer(difference, difference)
    covariance_pos /= m * max(m - 1, 1)
    # sum v v' with v = r_1 (C_1 - x) - r_2 (C_2 - x); the means of C_1 and C_2 are x.
    own = [
        np.outer(curve.slope, curve.slope) * (curve.sum_call_products(curve.roc.fp) - n * x)
        for curve in (one, two)
    ]
    both = np.outer(one.slope, two.slope) * (neg - n * x)
    covariance_neg = (own[0] + own[1] - (both + both.T)) / (n * max(n - 1, 1))
    pos_part, neg_part = (
        np.maximum(np.diag(part), 0.0) for part in (covariance_pos, covariance_neg)
    )
    return PairedSums(covariance_pos + covariance_neg, pos_part, neg_part, m, n)


def _add_groups(pair: Pair, one: CurveAtGrid, two: CurveAtGrid) -> PairedSums:
    """Add up groups: influences within a group are added before they are squared."""
    assert pair.groups is not None
    pos = pair.one.is_positive
    n_groups = [np.unique(pair.groups[rows]).size for rows in (~pos, pos)]
    size = one.fpr.size
    covariance, variances = np.zeros((size, size)), np.zeros((2, size))
    for part in _compute_group_influence(pair, one, two, n_groups):
        covariance += gram(part.sum(axis=0))
        variances += (part**2).sum(axis=1)
    return PairedSums(covariance, variances[1], variances[0], n_groups[1], n_groups[0])


def _compute_group_influence(
    pair: Pair, one: CurveAtGrid, two: CurveAtGrid, n_groups: list[int]
) -> Iterator[FloatArray]:
    """Influence of groups on the difference, some thousand rows at a time.

    Yields arrays of shape (2, number of groups, k): by the groups' negatives, by their positives.
    """
    assert pair.groups is not None
    groups, is_positive = pair.groups, pair.one.is_positive
    # The variance of a sum over G groups has the factor G / (G - 1), for each class that of the
    # groups that contain it (Obuchowski 1997, Biometrics 53, 567-578).
    unit_neg, unit_pos = (
        math.sqrt(g / max(g - 1, 1)) / rows
        for g, rows in zip(n_groups, (pair.one.n_neg, pair.one.n_pos), strict=True)
    )
    calls_1, calls_2 = one.call_cells(), two.call_cells()
    cells_1, cells_2 = one.find_cells(pair.one.values), two.find_cells(pair.two.values)
    order: IndexArray = np.argsort(groups, kind="stable")
    # Parts end where groups end.
    firsts = np.searchsorted(groups[order], np.arange(int(groups.max()) + 1))
    starts = np.arange(0, order.size, ROWS)
    starts = firsts[np.unique(np.searchsorted(firsts, starts, side="right") - 1)]
    for start, stop in zip(starts, [*starts[1:], order.size], strict=True):
        rows = order[start:stop]
        called_1, called_2 = calls_1[cells_1[rows]], calls_2[cells_2[rows]]
        u = called_1 - called_2 - (one.tpr - two.tpr)
        v = one.slope * (called_1 - one.fpr) - two.slope * (called_2 - one.fpr)
        pos: BoolArray = is_positive[rows, None]
        both = np.stack([np.where(pos, 0.0, -unit_neg * v), np.where(pos, unit_pos * u, 0.0)])
        yield np.add.reduceat(both, np.flatnonzero(np.diff(groups[rows], prepend=-1)), axis=1)
