"""A simultaneous band for the difference of two ROC curves of the same rows.

Write D(x) = TPR_1(x) - TPR_2(x) at equal FPR x. Model k has the threshold t_k there, and its curve
the slope r_k. To first order the empirical difference errs by a sum over m positives i and n
negatives j (the influence of each row),

    D^(x) - D(x) = 1/m sum_i u_i(x) - 1/n sum_j v_j(x),
    u_i = 1[s_1i > t_1] - 1[s_2i > t_2] - D,
    v_j = r_1 (1[s_1j > t_1] - x) - r_2 (1[s_2j > t_2] - x):

a positive counts where one model finds it and the other does not, a negative where it moves one
threshold more than the other. (For one curve this is the expansion of Hsieh and Turnbull 1996,
Annals of Statistics 24, 25-40.) Both scores of a row stay together, so that the correlation of the
models is in the sums. A bootstrap with normal weights for the rows has deviations that are normal
with the covariance sum u u' / (m (m - 1)) + sum v v' / (n (n - 1)); curves are drawn from that
distribution directly, and the quantile of their largest deviation in standard errors is the half
width of the band (sup-t). docs/difference.md has the rest: roughness and floor.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from rocbands._math.products import gram
from rocbands.comparison.pair import Pair
from rocbands.comparison.result import DifferenceBand
from rocbands.core.checks import (
    BoolArray,
    FloatArray,
    IndexArray,
    check_level,
    check_names,
    check_resamples,
    check_rng,
    check_unit_interval,
)
from rocbands.core.roc import RocCurve
from rocbands.core.scores import Scores
from rocbands.core.tolerance import SLACK
from rocbands.errors import InputError, arg
from rocbands.resample.gaussian_maximum import find_gaussian_critical_value
from rocbands.resample.population import Population
from rocbands.resample.smooth import smoothed

__all__ = ["build_difference_band", "check_fpr_range", "difference_band"]

POINTS = 101  # of the grid
FEW_NEGATIVES = 2.0  # beyond each end of the range, below which a note is made
ROWS = 4096  # whose influence is in memory at once
CURVES = 1000  # that one thread draws at once
SLOPE_REACH = 0.01  # of fpr, to either side, over which the slope of a smooth curve is taken


def difference_band(
    y_true: Any,
    y_score_1: Any,
    y_score_2: Any,
    *,
    level: float = 0.95,
    fpr: tuple[float, float] = (0.05, 0.95),
    groups: Any = None,
    n_resamples: int = 5000,
    names: tuple[str, str] | None = None,
    positive: object = None,
    rng: Any = None,
) -> DifferenceBand:
    """Limits for the difference of two models' ROC curves that hold at all FPR at once.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Two labels of any kind.
    y_score_1, y_score_2 : array-like of shape (n,)
        Both models' scores of the same rows; a larger one means more positive.
    level : float, default 0.95
        Confidence that the whole true difference lies between the limits.
    fpr : (float, float), default (0.05, 0.95)
        The range of false positive rates that the band is for, inside (0, 1).
    groups : array-like of shape (n,), optional
        Which rows belong together, for example the patient of each lesion; at least two groups.
    n_resamples : int, default 5000
        Number of drawn difference curves.
    names : (str, str), optional
        What to call the models.
    positive : object, optional
        The positive label; needed unless the labels are {0, 1}, {-1, 1} or booleans.
    rng : None, int, SeedSequence or Generator, optional
        Source of randomness.

    Returns
    -------
    DifferenceBand
        TPR of model 1 minus TPR of model 2, its limits, and the ranges of FPR in which one model
        is better.

    Notes
    -----
    Every row influences the difference: a positive that one model ranks above its threshold and the
    other does not, and a negative that moves one threshold more than the other, in proportion to
    the slopes of the two curves. A paired bootstrap with normal weights adds up these influences,
    one weight for each row and both models; its distribution is normal with a known covariance,
    from which the curves are drawn. The band is the observed difference with the quantile of the
    largest drawn deviation, in standard errors, to either side. The standard error never vanishes:
    half a case of each class is added on either side. How often the band contains the truth:
    docs/coverage-difference.md.

    Examples
    --------
    >>> import rocbands as rb
    >>> y, models = rb.load_example()
    >>> logistic, neighbours = models["logistic"], models["neighbours"]
    >>> band = rb.difference_band(y, logistic, neighbours, positive="malignant", rng=1)
    >>> band.better[0].model, band.better[0].low
    (1, 0.05)
    """
    pair = Pair.from_rows(y_true, y_score_1, y_score_2, groups=groups, positive=positive)
    return build_difference_band(
        pair, level=level, fpr=fpr, n_resamples=n_resamples, names=names, rng=rng
    )


def build_difference_band(
    pair: Pair,
    *,
    level: float = 0.95,
    fpr: tuple[float, float] = (0.05, 0.95),
    n_resamples: int = 5000,
    names: tuple[str, str] | None = None,
    rng: Any = None,
) -> DifferenceBand:
    """Limits for two models whose scores are checked already; see :func:`difference_band`."""
    level, rng, names = check_level(level), check_rng(rng), check_names(names)
    check_resamples(n_resamples)
    grid = _build_grid(*check_fpr_range(fpr))
    curves = tuple(CurveAtGrid.from_scores(model, grid) for model in (pair.one, pair.two))
    distribution = DifferenceDistribution.estimate(pair, curves, grid)
    critical_value = distribution.find_critical_value(level, n_resamples, rng)
    difference = curves[0].tpr - curves[1].tpr
    # Something that was not seen in m trials has a probability below -log(1 - level) / m: the half
    # width is at least that many floors.
    half = np.maximum(
        critical_value * distribution.standard_error, -math.log1p(-level) * distribution.floor
    )
    return DifferenceBand(
        fpr=grid,
        difference=difference,
        lower=np.maximum(difference - half, -1.0),
        upper=np.minimum(difference + half, 1.0),
        level=level,
        critical_value=critical_value,
        n_pos=pair.one.n_pos,
        n_neg=pair.one.n_neg,
        names=names,
        notes=_write_notes(pair, grid),
        frame=pair.one.frame,
    )


def _write_notes(pair: Pair, fpr: FloatArray) -> tuple[str, ...]:
    notes = []
    if pair.groups is not None:
        notes.append(f"Rows of {int(pair.groups.max()) + 1} groups; only groups are independent.")
    beyond = min(fpr[0], 1.0 - fpr[-1]) * pair.one.n_neg
    if beyond < FEW_NEGATIVES:
        notes.append(
            f"Only {beyond:.2g} negatives lie beyond an end of the range, where the band has not "
            f"been measured; at least {FEW_NEGATIVES:g} should."
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
    if ends.shape != (2,) or not 0.0 < ends[0] < ends[1] < 1.0:
        raise InputError(
            "must be two ends with 0 < low < high < 1",
            f"got {fpr!r}",
            f"At fpr 0 and 1 all curves meet. Pass, for example, {arg('fpr', (0.05, 0.95))}.",
            argument="fpr",
        )
    return float(ends[0]), float(ends[1])


# ------------------------------------------------------------------------------- one model's curve


@dataclass(frozen=True, eq=False)
class CurveAtGrid:
    """One model's curve at the grid.

    Attributes
    ----------
    scores : Scores
        The rows.
    threshold : ndarray of shape (k,)
        Score of the negatives at which the curve reaches each fpr.
    share : ndarray of shape (k,)
        Share of the rows at that very score that is called positive: ties are a slanted piece.
    tpr, slope : ndarray of shape (k,)
        Height of the empirical curve, and estimated slope of the true one.
    """

    scores: Scores
    threshold: FloatArray
    share: FloatArray
    tpr: FloatArray
    slope: FloatArray

    @classmethod
    def from_scores(cls, scores: Scores, fpr: FloatArray) -> CurveAtGrid:
        """Evaluate one model's curve along the grid."""
        roc = RocCurve.from_scores(scores)
        wanted = fpr * roc.n_neg
        step = np.searchsorted(roc.fp, wanted + SLACK, side="right")  # at a jump: its upper end
        step = np.minimum(step, roc.fp.size - 1)
        first = np.where(step > 0, roc.fp[step - 1], 0)
        share = np.clip((wanted - first) / np.maximum(roc.fp[step] - first, 1), 0.0, 1.0)
        below = np.where(step > 0, roc.tp[step - 1], 0)
        tpr = (below + share * (roc.tp[step] - below)) / roc.n_pos
        return cls(scores, roc.thresholds[step], share, tpr, estimate_slopes(roc, fpr))

    def call_rows(self, rows: IndexArray) -> FloatArray:
        """How much of each row is called positive at each fpr: 0, 1, or the share of a tie."""
        values = self.scores.values[rows, None]
        return np.asarray((values > self.threshold) + self.share * (values == self.threshold))


def estimate_slopes(roc: RocCurve, fpr: FloatArray) -> FloatArray:
    """Slope of the curve at each fpr, from a kernel estimate and from the curve's own chords.

    A chord spans one standard error of fpr to either side. The more distinct scores it passes, the
    less it is needed and the more it is noise itself: it gets the weight 1 / (number of distinct
    scores). So scores without ties are left to the kernel, and a long slanted piece has the slope
    it has.
    """
    smooth = smoothed(Population.of_rows(roc)).curve
    low, high = np.maximum(fpr - SLOPE_REACH, 0.0), np.minimum(fpr + SLOPE_REACH, 1.0)
    kernel = (np.interp(high, smooth.x, smooth.y) - np.interp(low, smooth.x, smooth.y)) / (
        high - low
    )
    error = compute_fpr_error(fpr, roc.n_neg)
    low, high = np.maximum(fpr - error, 0.0), np.minimum(fpr + error, 1.0)
    curve = roc.curve.corners()
    top, foot = ((curve.high(at) + curve.low(at)) / 2.0 for at in (high, low))
    ends = np.unique(roc.fpr)
    passed = np.searchsorted(ends, high - SLACK)
    passed -= np.searchsorted(ends, low + SLACK, side="right")
    weight = 1.0 / (np.maximum(passed, 0) + 1.0)
    return np.asarray(weight * (top - foot) / (high - low) + (1.0 - weight) * kernel)


def compute_fpr_error(fpr: FloatArray, n_neg: int) -> FloatArray:
    """Return the standard error of the false positive rate of a fixed threshold."""
    return np.asarray(np.sqrt(fpr * (1.0 - fpr) / n_neg))


# ------------------------------------------------------------------ distribution of the difference


@dataclass(frozen=True, eq=False)
class DifferenceDistribution:
    """The estimated distribution of the empirical difference around the true one: normal.

    Attributes
    ----------
    covariance : ndarray of shape (k, k)
        Of the differences at the grid.
    floor : ndarray of shape (k,)
        Standard error of half a case of each class, added on either side.
    """

    covariance: FloatArray
    floor: FloatArray

    @property
    def standard_error(self) -> FloatArray:
        """Standard error at each fpr, nowhere 0."""
        return np.asarray(np.sqrt(np.diag(self.covariance) + self.floor**2))

    @classmethod
    def estimate(
        cls, pair: Pair, curves: tuple[CurveAtGrid, ...], fpr: FloatArray
    ) -> DifferenceDistribution:
        """Add up the influence of all rows, or of all groups, and the roughness of the curves."""
        covariance = np.zeros((fpr.size, fpr.size))
        for part in compute_influence(pair, curves, fpr):
            covariance += gram(part)
        n_pos, n_neg = _count_independent_cases(pair)
        one, two = (curve.slope for curve in curves)
        floor = np.sqrt(1.0 / n_pos**2 + (one**2 + two**2) / 2.0 / n_neg**2)
        # Roughness. A threshold that varies by the error of fpr passes positives one by one, so
        # that their number varies like a count: E|error| = sqrt(2 / pi) standard errors, times the
        # slopes, is the share of positives that both thresholds pass. At most a quarter of the
        # variance is added: the thresholds of two models that agree vary together.
        error = compute_fpr_error(fpr, n_neg)
        count = math.sqrt(2.0 / math.pi) * error * (one + two) / n_pos
        rough = np.sqrt(np.minimum(count, np.diag(covariance) / 4.0))
        # Position along the axis in standard errors of fpr (the integral of dx / error): at
        # positions farther apart the thresholds pass other positives.
        position = 2.0 * math.sqrt(n_neg) * np.arcsin(np.sqrt(fpr))
        alike = np.exp(-np.abs(position[:, None] - position))
        return cls(covariance + np.outer(rough, rough) * alike, floor)

    def find_critical_value(
        self, level: float, n_resamples: int, rng: np.random.Generator
    ) -> float:
        """Quantile of the largest deviation of a drawn difference, in standard errors."""
        correlation = self.covariance / np.outer(self.standard_error, self.standard_error)
        return find_gaussian_critical_value(correlation, level, n_resamples, rng, chunk=CURVES)


def compute_influence(
    pair: Pair, curves: tuple[CurveAtGrid, ...], fpr: FloatArray
) -> Iterator[FloatArray]:
    """Influence of all rows on the difference, some thousand rows at a time.

    The sum of squares over all rows that are handed out is the variance. Independent rows that are
    called alike everywhere have the same influence and are taken together; of rows in groups the
    influences are added up before they are squared.
    """
    is_positive, groups = pair.one.is_positive, pair.groups
    sizes = np.array([pair.one.n_neg, pair.one.n_pos])
    if groups is None:
        # 1 / (n (n - 1)): the variance of a mean, with one degree of freedom lost to it.
        unit = 1.0 / np.sqrt(sizes * np.maximum(sizes - 1, 1))
        order, copies = _find_kinds_of_rows(is_positive, curves)
        starts = np.arange(0, order.size, ROWS)
    else:
        # G / (G - 1) for G groups, as in Obuchowski (1997).
        n_groups = int(groups.max()) + 1
        unit = math.sqrt(n_groups / (n_groups - 1)) / sizes
        order, copies = np.argsort(groups, kind="stable"), np.ones(is_positive.size)
        # Parts end where groups end.
        firsts = np.searchsorted(groups[order], np.arange(n_groups))
        starts = np.arange(0, order.size, ROWS)
        starts = firsts[np.unique(np.searchsorted(firsts, starts, side="right") - 1)]
    for start, stop in zip(starts, [*starts[1:], order.size], strict=True):
        rows = order[start:stop]
        influence = _compute_row_influence(rows, is_positive[rows], curves, fpr, unit)
        influence *= np.sqrt(copies[start:stop, None])
        if groups is not None:
            ends = np.flatnonzero(np.diff(groups[rows], prepend=-1))
            influence = np.add.reduceat(influence, ends, axis=0)
        yield influence


def _compute_row_influence(
    rows: IndexArray,
    is_positive: BoolArray,
    curves: tuple[CurveAtGrid, ...],
    fpr: FloatArray,
    unit: FloatArray,
) -> FloatArray:
    """U / m for positives and -v / n for negatives (the formulas above), with `unit` for 1 / n."""
    one, two = curves
    called_1, called_2 = one.call_rows(rows), two.call_rows(rows)
    u = called_1 - called_2 - (one.tpr - two.tpr)
    v = one.slope * (called_1 - fpr) - two.slope * (called_2 - fpr)
    return np.asarray(np.where(is_positive[:, None], unit[1] * u, -unit[0] * v))


def _find_kinds_of_rows(
    is_positive: BoolArray, curves: tuple[CurveAtGrid, ...]
) -> tuple[IndexArray, FloatArray]:
    """Pick one row of each kind, and count the rows of that kind: called alike at every fpr."""
    code = is_positive.astype(np.int64)
    for curve in curves:
        rising = curve.threshold[::-1]
        for end in ("left", "right"):
            place = np.searchsorted(rising, curve.scores.values, side=end)
            code = code * (rising.size + 1) + place
    _, rows, copies = np.unique(code, return_index=True, return_counts=True)
    order = np.argsort(rows)  # the same whichever model comes first
    return rows[order], copies[order].astype(np.float64)


def _count_independent_cases(pair: Pair) -> tuple[int, int]:
    """Count the positives and the negatives, or the groups that contain them."""
    if pair.groups is None:
        return pair.one.n_pos, pair.one.n_neg
    pos = pair.one.is_positive
    return np.unique(pair.groups[pos]).size, np.unique(pair.groups[~pos]).size
