"""Expected cost of decisions: cost curves, intervals for chosen thresholds, two classifiers."""

from __future__ import annotations

from typing import Any

import numpy as np

from rocbands.core.checks import check_flag
from rocbands.core.columns import against_rest
from rocbands.core.method import resolve_method
from rocbands.core.public import public
from rocbands.core.randomness import Rng
from rocbands.core.roc import RocCurve, as_roc_curve
from rocbands.core.scores import PairedScores, read_two_sets
from rocbands.cost.binormal import BinormalCost
from rocbands.cost.conditions import Sampling, build_conditions
from rocbands.cost.exact import ExactCost
from rocbands.cost.gaussian import GaussianCost
from rocbands.cost.method import CostMethod
from rocbands.cost.mover import MoverCost
from rocbands.cost.result import CostDifference, CostIntervals
from rocbands.cost.score import ScoreCost
from rocbands.cost.unpaired import compare_unpaired
from rocbands.errors import InputError, arg

__all__ = [
    "DEFAULT",
    "METHODS",
    "SHARED_FILES",
    "BinormalCost",
    "CostMethod",
    "ExactCost",
    "GaussianCost",
    "MoverCost",
    "ScoreCost",
    "cost_difference",
    "cost_interval",
]

METHODS: dict[str, type[CostMethod]] = {
    kind.name: kind for kind in (MoverCost, GaussianCost, ExactCost, ScoreCost, BinormalCost)
}
DEFAULT = "mover"
SHARED_FILES: dict[str, str] = {}  # every method has a file of its own name


@public
def cost_interval(
    y_true: Any,
    y_score: Any = None,
    method: str | CostMethod = DEFAULT,
    *,
    thresholds: Any,
    w: Any = None,
    costs: Any = None,
    prevalence: float | None = None,
    sampling: Sampling = "stratified",
    level: float = 0.95,
    positive: object = None,
    rest: bool = False,
) -> CostIntervals:
    """Confidence intervals for the normalised cost of thresholds that were chosen beforehand.

    Exactly one of `w` and `costs` says what errors weigh. Limits are for the true cost of the very
    thresholds used, each for itself. They hold only if the thresholds were not chosen on these
    rows: use :func:`cost_thresholds` on other rows.

    Parameters
    ----------
    y_true : array-like of shape (n,), or RocCurve
        Labels of the test set, two of any kind; or, alone, its curve. Of counts in bins limits at a
        threshold inside a bin contain those of any order of the scores in it.
    y_score : array-like of shape (n,)
        Its scores; a larger one means more positive. Infinite scores are legal, NaN is not.
    method : {'mover', 'gaussian', 'exact', 'score', 'binormal'} or CostMethod
        - 'mover': Wilson's limits of both error rates, combined. Holds where errors are few.
        - 'gaussian': plus and minus standard errors (Dugas and Gadoury 2009), their variance
          corrected. Fails where errors are few: see `reliable` of the result.
        - 'exact': percentiles of the exact distribution over all resamples. Fails where 'gaussian'
          does.
        - 'score': costs that a score test does not reject; close to 'mover', slower. Stratified
          sampling only.
        - 'binormal': from the means and standard deviations of scores; much shorter, and right
          only if both classes are normal. Stratified sampling only.
    thresholds : float or array-like
        Thresholds, one for all operating conditions or one for each: a row is called positive when
        its score >= threshold.
    w : float or array-like, optional
        Operating conditions, from 0 to 1: the weight of the false negative rate.
    costs : (c_fn, c_fp), optional
        Costs of a false negative and of a false positive, numbers or arrays, instead of `w`.
    prevalence : float, optional
        Share of positives that goes with `costs`; by default that of the test set.
    sampling : {'stratified', 'full'}
        'stratified' takes class sizes as fixed: the share of positives is known where decisions
        will be made. 'full' takes them as random as the rows, and gives the cost in units of the
        larger cost; only for test sets whose class sizes were not fixed.
    level : float, default 0.95
        Confidence level of each interval.
    positive : object, optional
        The positive label; needed unless the labels are {0, 1}, {-1, 1} or booleans.
    rest : bool, default False
        One class against all others: every other label than `positive` counts as negative.

    Returns
    -------
    CostIntervals
        A table: w, cost, its limits, threshold, errors and reliability, one row for each condition.

    See Also
    --------
    rocbands.cost_thresholds, rocbands.calibrated_thresholds : thresholds to judge.
    rocbands.operating_condition : what w is, from costs and a share of positives.

    Examples
    --------
    >>> import rocbands as rb
    >>> y, models = rb.load_example()
    >>> cut = rb.calibrated_thresholds([0.2, 0.5], prevalence=0.37)
    >>> found = rb.cost_interval(
    ...     y, models["logistic"], thresholds=cut, w=[0.2, 0.5], positive="malignant"
    ... )
    >>> print(found.cost.round(3), found.lower.round(3), found.upper.round(3))
    [0.132 0.192] [0.113 0.162] [0.158 0.228]
    """
    chosen = resolve_method(method, METHODS, CostMethod, DEFAULT)
    roc = as_roc_curve(y_true, y_score, positive=against_rest(positive, rest))
    at = build_conditions(w, costs, prevalence, sampling, sizes=(roc.n_pos, roc.n_neg))
    return chosen(roc, thresholds, at, level=level)


@public
def cost_difference(
    y_true: Any,
    y_score_1: Any,
    y_score_2: Any,
    method: str | CostMethod = DEFAULT,
    *,
    thresholds_1: Any,
    thresholds_2: Any,
    w: Any = None,
    costs: Any = None,
    prevalence: float | None = None,
    sampling: Sampling = "stratified",
    simultaneous: bool = False,
    paired: bool = True,
    y_true_2: Any = None,
    level: float = 0.95,
    names: tuple[str, str] | None = None,
    positive: object = None,
    rest: bool = False,
    n_resamples: int | None = None,
    rng: Rng = "data",
) -> CostDifference:
    """Compare two models' costs, at thresholds that were chosen beforehand.

    The difference is cost 1 minus cost 2: where it is negative, model 1 is cheaper. Limits are for
    the true costs of these thresholds. Thresholds that were chosen on the same rows of the test
    make both models look cheaper than they are, and the limits too narrow.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Two labels of any kind; with ``paired=False`` those of the first test set.
    y_score_1, y_score_2 : array-like of shape (n,)
        The two models' scores; a larger one means more positive.
    method : {'mover', 'gaussian', 'exact'} or CostMethod
        'mover' combines Tango's score limits of both classes; it holds near w = 0 and 1, too, and
        is never certain because nothing varied. 'gaussian' has the bootstrap's standard error and
        'exact' the percentiles of its distribution, both without drawing resamples; where few rows
        are decided differently both are too narrow.
    thresholds_1, thresholds_2 : float or array-like of shape (k,)
        Where each begins to say positive, at each w, or once for all.
    w : float or array-like of shape (k,), optional
        Operating conditions from 0 to 1; see :func:`operating_condition`.
    costs : (c_fn, c_fp), optional
        Costs of a false negative and of a false positive, numbers or arrays; instead of `w`.
    prevalence : float, optional
        Share of positives that goes with `costs`; by default that of the test set.
    sampling : {'stratified', 'full'}
        Whether class sizes are fixed, or as random as the rows of the test set were.
    simultaneous : bool, default False
        Limits that hold at all given w together, by a larger multiple of the standard error.
    paired : bool, default True
        Whether both models scored the same rows. False: two test sets, or two groups of people;
        each has limits by `method`, and these are combined as variances are.
    y_true_2 : array-like, optional
        With ``paired=False``, the labels of the rows that `y_score_2` is for.
    level : float, default 0.95
        Confidence level.
    names : (str, str), optional
        What to call the models.
    positive : object, optional
        The positive label; needed unless the labels are {0, 1}, {-1, 1} or booleans.
    rest : bool, default False
        One class against all others: every other label than `positive` counts as negative.
    n_resamples : int, optional
        Random draws of simultaneous limits; by default the method's own, 2000.
    rng : {'data'}, None, int, SeedSequence or Generator, default 'data'
        Source of randomness of simultaneous limits.

    Returns
    -------
    CostDifference
        ``.w .difference .lower .upper`` and ``.cheaper``, where one model is cheaper.

    See Also
    --------
    cost_interval : the same for one model.
    difference_band : the difference of ROC curves, without thresholds or costs.

    Notes
    -----
    Measured at level 0.9 on binormal scores of models that cost the same everywhere, at 99 w:
    pointwise limits exclude 0 at some w in 46 to 95 of 100 test sets, simultaneous ones in 1 to 8.
    Ask with ``simultaneous=True`` whether two models differ anywhere.

    Examples
    --------
    >>> import numpy as np, rocbands as rb
    >>> y, models = rb.load_example()
    >>> w = np.linspace(0.05, 0.95, 19)
    >>> found = rb.cost_difference(
    ...     y, *models.values(), thresholds_1=1 - w, thresholds_2=1 - w, w=w,
    ...     positive="malignant", simultaneous=True, rng=1,
    ... )
    >>> [(part.model, round(part.low, 2), round(part.high, 2)) for part in found.cheaper]
    [(1, 0.2, 0.65)]
    """
    chosen = resolve_method(method, METHODS, CostMethod, DEFAULT, n_resamples=n_resamples)
    check_flag(paired, "paired")
    positive = against_rest(positive, rest)
    if not paired:
        if costs is not None and prevalence is None:
            raise InputError(
                "must be given, for two test sets have two shares of positives",
                "it is missing",
                f"Pass the share where decisions will be made, or {arg('w')}.",
                argument="prevalence",
            )
        sets = read_two_sets(y_true, y_score_1, y_true_2, y_score_2, positive=positive)
        curves = RocCurve.from_scores(sets[0]), RocCurve.from_scores(sets[1])
        at = [
            build_conditions(w, costs, prevalence, sampling, sizes=(roc.n_pos, roc.n_neg))
            for roc in curves
        ]
        return compare_unpaired(
            chosen,
            curves,
            (thresholds_1, thresholds_2),
            (at[0], at[1]),
            level=level,
            simultaneous=simultaneous,
            names=names,
            rng=rng,
        )
    if y_true_2 is not None:
        raise InputError(f"{arg('y_true_2')} is for {arg('paired', False)}. Leave it out.")
    scores = PairedScores.from_columns(y_true, {"1": y_score_1, "2": y_score_2}, positive=positive)
    n_pos = int(np.count_nonzero(scores.is_positive))
    sizes = n_pos, scores.is_positive.size - n_pos
    return chosen.compare(
        scores,
        (thresholds_1, thresholds_2),
        build_conditions(w, costs, prevalence, sampling, sizes=sizes),
        level=level,
        simultaneous=simultaneous,
        names=names,
        rng=rng,
    )
