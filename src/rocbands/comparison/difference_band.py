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
from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import numpy as np

from rocbands.comparison.difference_spread import (
    DifferenceSpread,
    PairedSpread,
    UnpairedSpread,
)
from rocbands.comparison.pair import Pair
from rocbands.comparison.result import DifferenceBand
from rocbands.core.checks import (
    CountArray,
    FloatArray,
    check_level,
    check_names,
    check_resamples,
    check_rng,
    check_unit_interval,
)
from rocbands.core.columns import against_rest
from rocbands.core.method import Request
from rocbands.core.public import public
from rocbands.core.randomness import Rng, Simulation, digest_curves
from rocbands.core.roc import RocCurve, as_roc_curve
from rocbands.core.tolerance import SLACK
from rocbands.errors import InputError, arg

POINTS = 101  # of the grid
# Lowest rates of a range that follows the data, and the negatives that must lie below them: with
# fewer, steep curves were contained too rarely (python -m tests.comparison.ranges).
LOWEST = (1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 0.001, 0.002, 0.005, 0.01)
ENOUGH = 50.0
USUAL = 0.02  # where at least 5 negatives lie below it, otherwise 0.05
FEW_NEGATIVES = 2.0  # beyond each end of the range, below which a note is made
FEW_CASES = 100  # of a class of a test set, below which a note is made as follows:
MANY_POSITIVES = 4  # to a negative, where negatives are few; two test sets, always


@public
def difference_band(
    y_true: Any,
    y_score_1: Any = None,
    y_score_2: Any = None,
    *,
    paired: bool = True,
    y_true_2: Any = None,
    level: float = 0.95,
    fpr: tuple[float, float] | None = None,
    groups: Any = None,
    n_resamples: int = 5000,
    names: tuple[str, str] | None = None,
    positive: object = None,
    rest: bool = False,
    rng: Rng = "data",
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
    fpr : (float, float), optional
        The range of false positive rates that the band is for, inside (0, 1). By default it starts
        at the lowest round rate with at least 50 negatives below it, or at 0.02 (5 negatives) or
        0.05 where they are few, and ends as far from 1, at 0.98 at the latest; the report takes the
        same.
    groups : array-like of shape (n,), optional
        The group of each row, for example the patient of each lesion; at least two groups.
        Only of the same rows.
    n_resamples : int, default 5000
        Number of drawn difference curves.
    names : (str, str), optional
        What to call the models.
    positive : object, optional
        The positive label; needed unless the labels are {0, 1}, {-1, 1} or booleans.
    rest : bool, default False
        One class against all others: every other label than `positive` counts as negative.
    rng : {'data'}, None, int, SeedSequence or Generator, default 'data'
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
    in a note. Two test sets with seven distinct scores: 0.87 with 250 cases of each class. Equal
    models on test sets of 50 + 50 and 250 + 250 cases are called different in 0.070 of sets at
    level 0.95. Where the models hardly differ, or an AUC is 0.95, with 50 cases, it is 0.95 to 1.
    docs/coverage-difference.md has all figures.

    Examples
    --------
    >>> import rocbands as rb
    >>> y, models = rb.load_example()
    >>> logistic, neighbours = models["logistic"], models["neighbours"]
    >>> band = rb.difference_band(y, logistic, neighbours, positive="malignant", rng=1)
    >>> band.better[0].model, band.better[0].low
    (1, 0.02)

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
    data: Pair | tuple[RocCurve, RocCurve], *, level: float = 0.95, **options: Any
) -> DifferenceBand:
    """Limits from checked scores of the same rows, or from the curves of two test sets.

    Options as for :func:`difference_band`.
    """
    return build_difference_bands(data, levels=(level,), **options)[0]


def build_difference_bands(
    data: Pair | tuple[RocCurve, RocCurve],
    *,
    levels: Sequence[float],
    fpr: tuple[float, float] | None = None,
    n_resamples: int = 5000,
    names: tuple[str, str] | None = None,
    rng: Rng = "data",
    curves: tuple[RocCurve, RocCurve] | None = None,
) -> list[DifferenceBand]:
    """Limits of several levels; each is what it would be alone.

    `curves`: those of a pair, without groups, where they are counted already.
    """
    levels, source, names = (
        [check_level(level) for level in levels],
        check_rng(rng),
        check_names(names),
    )
    check_resamples(n_resamples)
    ends = choose_fpr_range(_count_negatives(data)) if fpr is None else check_fpr_range(fpr)
    grid = build_grid(*ends)
    spread: DifferenceSpread
    if isinstance(data, Pair):
        assert data.paired, "rows of two test sets come as curves"
        one, two = curves or (RocCurve.from_scores(data.one), RocCurve.from_scores(data.two))
        spread, groups = PairedSpread.estimate(data, one, two, grid), data.groups
    else:
        one, two = data
        spread, groups = UnpairedSpread.estimate(one, two, grid), None
    paired = isinstance(data, Pair)
    notes = _write_notes((one, two), paired, groups, grid)
    asked = Request(levels[0], source, digest=lambda: digest_curves((one, two), paired))
    bands = []
    for place, level in enumerate(levels):
        own = deepcopy(asked.rng) if place < len(levels) - 1 else asked.rng
        critical_value = spread.find_critical_value(level, n_resamples, own)
        simulation = asked.simulated(n_resamples, spread.find_edge_error(critical_value))
        band = assemble_band(
            (one, two), spread, grid, critical_value.value, level, names, paired, notes, simulation
        )
        bands.append(band)
    return bands


def _count_negatives(data: Pair | tuple[RocCurve, RocCurve]) -> int:
    """Count the independent negatives: rows, or groups that have one; the fewer of two sets."""
    if not isinstance(data, Pair):
        return min(roc.n_neg for roc in data)
    if data.groups is None:
        return data.one.n_neg
    return int(np.unique(data.groups[~data.one.is_positive]).size)


def assemble_band(
    curves: tuple[RocCurve, RocCurve],
    spread: DifferenceSpread,
    grid: FloatArray,
    critical_value: float,
    level: float,
    names: tuple[str, str],
    paired: bool,
    notes: tuple[str, ...],
    simulation: Simulation,
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
        simulation=simulation,
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


def build_grid(low: float, high: float) -> FloatArray:
    """Points evenly spaced in arcsin(sqrt(fpr)), in which a binomial rate has constant variance.

    They are closer together near 0, where curves bend, and near 1.
    """
    angles = np.linspace(math.asin(math.sqrt(low)), math.asin(math.sqrt(high)), POINTS)
    points: FloatArray = np.sin(angles) ** 2
    points[[0, -1]] = low, high
    return points


def choose_fpr_range(n_neg: int) -> tuple[float, float]:
    """Return the range of false positive rates that so many negatives can show.

    It starts at the lowest round rate with at least 50 negatives below it; otherwise at 0.02, where
    at least 5 lie below that, or at 0.05. It ends as far from 1, but not beyond 0.98: above that
    the curves of useful models have met.

    Examples
    --------
    >>> choose_fpr_range(50), choose_fpr_range(500), choose_fpr_range(100_000)
    ((0.05, 0.95), (0.02, 0.98), (0.0005, 0.98))
    """
    usual = USUAL if USUAL * n_neg >= 5.0 - SLACK else 0.05
    low = next((rate for rate in LOWEST if rate * n_neg >= ENOUGH - SLACK), usual)
    return low, 1.0 - max(low, USUAL)


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
