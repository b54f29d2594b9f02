"""Expected cost of decisions: cost curves, intervals for chosen thresholds, two classifiers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rocbands.core.arguments import explain
from rocbands.core.checks import check_flag
from rocbands.core.columns import Column, Labels, Numbers
from rocbands.core.data import Data, as_roc_curve, read_pair
from rocbands.core.method import resolve_method
from rocbands.core.randomness import Rng
from rocbands.cost.conditions import Known, build_conditions, costs_at
from rocbands.cost.exact import ExactCost
from rocbands.cost.gaussian import GaussianCost
from rocbands.cost.method import CostMethod
from rocbands.cost.mover import MoverCost
from rocbands.cost.result import CostDifference, CostIntervals
from rocbands.cost.share import ShareLaw
from rocbands.cost.thresholds import CostThresholds, calibrated_thresholds
from rocbands.errors import InputError, Message, arg

__all__ = [
    "CostMethod",
    "ExactCost",
    "GaussianCost",
    "MoverCost",
    "ShareLaw",
    "calibrated_thresholds",
    "costs_at",
]

METHODS: dict[str, type[CostMethod]] = {
    kind.name: kind for kind in (MoverCost, GaussianCost, ExactCost)
}
DEFAULT = "mover"
SHARED_FILES: dict[str, str] = {}  # every method has a file of its own name


@explain
def cost_interval(
    y_true: Labels | Data,
    y_score: Column | None = None,
    *,
    positive: object = None,
    thresholds: Numbers,
    method: str | CostMethod | None = None,
    w: Numbers | None = None,
    costs: tuple[Numbers, Numbers] | None = None,
    prevalence: float | None = None,
    sampling: Known | ShareLaw = "stratified",
    level: float = 0.95,
) -> CostIntervals:
    """Confidence intervals for the normalised cost of thresholds that were chosen beforehand.

    Pass exactly one of `w` and `costs`. Limits are pointwise, for the true cost of the given
    thresholds. They hold only if these were not chosen on the same rows: use
    :func:`cost_thresholds` on other rows.

    Parameters
    ----------
    y_true : Sample, RocCurve or ScoreCounts, or array-like of shape (n,)
        The data of one model; or two labels of any kind.
    y_score : array-like of shape (n,), optional
        With labels, the scores; a larger one means more positive.
    positive : object, optional
        With labels, the positive one; needed unless they are {0, 1}, {-1, 1} or booleans.
    method : {'mover', 'gaussian', 'exact'} or CostMethod
        - 'mover': Wilson's limits of both error rates, combined. Valid where errors are few.
        - 'gaussian': normal limits (Dugas and Gadoury 2009), with the variance corrected. Fails
          where errors are few: see `reliable` of the result.
        - 'exact': percentiles of the exact distribution over all resamples. Fails where 'gaussian'
          does.
    thresholds : float, array-like or CostThresholds
        Thresholds, one for all operating conditions or one for each: a row is called positive when
        its score >= threshold. The result of :func:`cost_thresholds` includes its `w`.
    w : float or array-like, optional
        Operating conditions, from 0 to 1: the weight of the false negative rate.
    costs : (c_fn, c_fp), optional
        Costs of a false negative and of a false positive, numbers or arrays, instead of `w`.
    prevalence : float, optional
        Share of positives that goes with `costs`; by default that of the test set.
    sampling : {'stratified', 'full'} or ShareLaw
        'stratified' takes class sizes as fixed: the prevalence where decisions will be made is
        known. 'full' takes them as random, and gives the cost in units of the larger cost; only for
        test sets whose class sizes were not fixed. A `rocbands.cost.ShareLaw` lets the prevalence
        vary between populations, in the same units; 'mover' and 'gaussian' only.
    level : float, default 0.95
        Confidence level of each interval.

    Returns
    -------
    CostIntervals
        A table: w, cost, its limits, threshold, errors and reliability, one row for each condition.

    See Also
    --------
    rocbands.cost_thresholds, rocbands.cost.calibrated_thresholds : thresholds to judge.
    rocbands.operating_condition : w from costs and a share of positives.

    Examples
    --------
    >>> import rocbands as rb
    >>> sample = rb.load_example()["logistic"]
    >>> cut = rb.cost.calibrated_thresholds([0.2, 0.5], prevalence=0.37)
    >>> found = rb.cost_interval(sample, thresholds=cut, w=[0.2, 0.5])
    >>> print(found.cost.round(3), found.lower.round(3), found.upper.round(3))
    [0.132 0.192] [0.113 0.162] [0.158 0.228]
    """
    chosen = resolve_method(method, METHODS, CostMethod, DEFAULT)
    roc = as_roc_curve(y_true, y_score, positive)
    if isinstance(thresholds, CostThresholds) and w is None and costs is None:
        w = thresholds.w
    sizes = roc.n_pos, roc.n_neg
    at = build_conditions(w, costs, prevalence, sampling, sizes=sizes, own=roc.prevalence)
    return chosen(roc, thresholds, at, level=level)


@explain
def cost_difference(
    y_true: Labels | Data,
    y_score_1: Column | Data | None = None,
    y_score_2: Column | None = None,
    *,
    positive: object = None,
    thresholds: Sequence[Numbers] | Mapping[str, Numbers],
    method: str | CostMethod | None = None,
    w: Numbers | None = None,
    costs: tuple[Numbers, Numbers] | None = None,
    prevalence: float | None = None,
    sampling: Known | ShareLaw = "stratified",
    simultaneous: bool = False,
    level: float = 0.95,
    n_resamples: int | None = None,
    rng: Rng = 0,
) -> CostDifference:
    """Compare two models' costs, at thresholds that were chosen beforehand.

    The difference is cost 1 minus cost 2: where it is negative, model 1 is cheaper. Limits are for
    the true costs of these thresholds. If thresholds were chosen on the test rows, both models
    look cheaper than they are, and the limits are too narrow.

    Parameters
    ----------
    y_true : Sample, or array-like of shape (n,)
        A sample of two models, or the first of two test sets; or two labels of any kind.
    y_score_1 : array-like of shape (n,), or Sample, optional
        With labels, the first model's scores; with a sample, the second test set.
    y_score_2 : array-like of shape (n,), optional
        With labels, the second model's scores. Differences are model 1 minus model 2.
    positive : object, optional
        With labels, the positive one; needed unless they are {0, 1}, {-1, 1} or booleans.
    thresholds : pair, or mapping of str to float or array-like
        Thresholds of each model, one for all w or one for each: a pair in the order of the models,
        or by their names.
    method : {'mover', 'gaussian', 'exact'} or CostMethod
        'mover' combines Tango's score limits of both classes, and is also valid near w = 0 and 1.
        'gaussian' uses the bootstrap standard error, 'exact' the percentiles of the bootstrap
        distribution, both without resampling; both are too narrow where few rows are decided
        differently.
    w : float or array-like of shape (k,), optional
        Operating conditions from 0 to 1; see :func:`operating_condition`.
    costs : (c_fn, c_fp), optional
        Costs of a false negative and of a false positive, numbers or arrays; instead of `w`.
    prevalence : float, optional
        Share of positives that goes with `costs`; by default that of the test set.
    sampling : {'stratified', 'full'} or ShareLaw
        Whether class sizes are fixed, or random like the rows of the test set, or the share of
        positives varies between populations (`rocbands.cost.ShareLaw`; one test set, pointwise).
    simultaneous : bool, default False
        Whether limits hold simultaneously at all given w, by a larger critical value.
    level : float, default 0.95
        Confidence level.
    n_resamples : int, optional
        Random draws for simultaneous limits; by default 2000.
    rng : None, int, SeedSequence or Generator, default 0
        Source of randomness: the seed of the draws; None draws a new one.

    Returns
    -------
    CostDifference
        ``.w .difference .lower .upper`` and ``.better``, where one model is cheaper.

    See Also
    --------
    cost_interval : the same for one model.
    difference_band : the difference of ROC curves, without thresholds or costs.

    Notes
    -----
    With many w, pointwise limits often exclude 0 at some w even if the models cost the same
    (docs/costs.md). Use ``simultaneous=True`` to test whether two models differ anywhere.

    Examples
    --------
    >>> import numpy as np, rocbands as rb
    >>> w = np.linspace(0.05, 0.95, 19)
    >>> found = rb.cost_difference(
    ...     rb.load_example(), thresholds=(1 - w, 1 - w), w=w, simultaneous=True
    ... )
    >>> [(part.model, round(part.low, 2), round(part.high, 2)) for part in found.better]
    [(1, 0.2, 0.65)]
    """
    check_flag(simultaneous, "simultaneous")
    chosen = resolve_method(method, METHODS, CostMethod, DEFAULT, n_resamples=n_resamples)
    pair = read_pair(y_true, y_score_1, y_score_2, positive)
    cuts = pair.match(thresholds, "thresholds")
    if isinstance(cuts[0], CostThresholds) and w is None and costs is None:
        w = cuts[0].w
    if not pair.paired and costs is not None and prevalence is None:
        raise InputError(
            "must be given, because two test sets have two shares of positives",
            "it is missing",
            Message("Pass the share where decisions will be made, or {}.", arg("w")),
            argument="prevalence",
        )
    own = pair.drawn.weights
    share = None if own is None else float(own @ pair.one.is_positive / own.sum())
    at = [
        build_conditions(w, costs, prevalence, sampling, sizes=(side.n_pos, side.n_neg), own=share)
        for side in (pair.first, pair.second)
    ]
    return chosen.compare(
        pair, cuts, (at[0], at[1]), level=level, simultaneous=simultaneous, rng=rng
    )
