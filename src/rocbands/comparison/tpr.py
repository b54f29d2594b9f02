"""Comparing two classifiers' true positive rates at the same false positive rate."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rocbands.comparison.bootstrap import check_class_sizes, summarize_differences
from rocbands.comparison.method import ComparisonRequest, build_comparison, convert_margin
from rocbands.comparison.pair import Pair
from rocbands.comparison.result import Comparison
from rocbands.core.checks import (
    FloatArray,
    IndexArray,
    check_level,
    check_names,
    check_resamples,
    check_rng,
    check_unit_interval,
)
from rocbands.core.method import check_alternative
from rocbands.core.roc import RocCurve
from rocbands.core.scores import Scores
from rocbands.core.ties import find_levels
from rocbands.core.tolerance import SAME
from rocbands.errors import InputError, call
from rocbands.resample.curves import interpolate_rows
from rocbands.resample.quantiles import check_enough_draws
from rocbands.resample.weights import over_weights

__all__ = ["check_single_fpr", "compare_tpr"]

FEW_NEGATIVES = 5  # beyond the false positive rate, below which a note is made


def compare_tpr(
    y_true: Any,
    y_score_1: Any,
    y_score_2: Any,
    fpr: float,
    *,
    level: float = 0.95,
    alternative: str = "two-sided",
    margin: float | None = None,
    groups: Any = None,
    n_resamples: int = 2000,
    names: tuple[str, str] | None = None,
    positive: object = None,
    rng: Any = None,
) -> Comparison:
    """Compare two classifiers' true positive rates at the same false positive rate.

    Rows are resampled with replacement, the same rows for both models, and each model's threshold
    is found anew in every resample. Percentile interval.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Two labels of any kind.
    y_score_1, y_score_2 : array-like of shape (n,)
        The two models' scores.
    fpr : float
        The false positive rate, strictly between 0 and 1.
    level : float, default 0.95
        Confidence level.
    alternative : {'two-sided', 'less', 'greater'}
        'greater': model 1 finds more positives.
    margin : float, optional
        Test of non-inferiority: is the rate of model 1 above that of model 2 minus `margin`?
    groups : array-like of shape (n,), optional
        Which rows belong together; groups are drawn whole.
    n_resamples : int, default 2000
        Number of resamples.
    names : (str, str), optional
        What to call the models.
    positive : object, optional
        The positive label; needed unless the labels are {0, 1}, {-1, 1} or booleans.
    rng : None, int, SeedSequence or Generator, optional
        Source of randomness.

    Returns
    -------
    Comparison
        The difference is the rate of model 1 minus that of model 2.

    Examples
    --------
    >>> import rocbands as rb
    >>> y, models = rb.load_example()
    >>> found = rb.compare_tpr(y, *models.values(), fpr=0.1, positive="malignant", rng=1)
    >>> print(f"{found.difference:.3f} {found.low:.2f}")
    0.234 0.12
    """
    side, null = convert_margin(alternative, margin)
    request = ComparisonRequest(
        check_level(level), check_rng(rng), None, check_alternative(side), null
    )
    check_resamples(n_resamples)
    check_enough_draws(n_resamples, request.tail, request.level)
    at, names = check_single_fpr(fpr), check_names(names)
    pair = Pair.from_rows(y_true, y_score_1, y_score_2, groups=groups, positive=positive)
    check_class_sizes(pair)
    pair = pair.sort_rows()
    models = SteppedRows.from_scores(pair.one), SteppedRows.from_scores(pair.two)

    def measure(weights: FloatArray) -> FloatArray:
        one, two = (model.compute_tpr(weights, at) for model in models)
        return one - two

    drawn = over_weights(pair.test_sets, pair.groups, n_resamples, request.rng, measure)
    one, two = (
        float(RocCurve.from_scores(scores).curve.high(np.asarray(at)))
        for scores in (pair.one, pair.two)
    )
    alike = pair.ranked_alike
    if float(np.ptp(drawn)) <= SAME and (request.null != 0 or not alike):
        raise InputError(
            "All resampled differences are alike, so they cannot say how sure the difference is. "
            f"Use {call('compare')} for the areas, or more rows."
        )
    outcome = summarize_differences(drawn, one - two, request, alike=alike)
    n_neg = pair.one.n_neg
    if n_neg * min(at, 1.0 - at) < FEW_NEGATIVES:
        few = (
            f"A false positive rate of {at:g} is {n_neg * at:.3g} of {n_neg} negatives: "
            "too few for a percentile interval to hold its level."
        )
        outcome = outcome._replace(notes=(*outcome.notes, few))
    return build_comparison(
        outcome,
        request,
        pair,
        quantity=f"TPR at FPR {at:g}",
        estimates=(one, two),
        names=names,
        method="bootstrap",
        parameters={"fpr": at, "n_resamples": n_resamples},
        hypothesis=f"equal TPR at FPR {at:g}",
    )


def check_single_fpr(fpr: Any) -> float:
    """Return one false positive rate strictly between 0 and 1."""
    at = check_unit_interval(fpr, "fpr")
    if at.ndim or not 0 < at < 1:
        raise InputError(
            "must be one number strictly between 0 and 1", f"got {fpr!r}", argument="fpr"
        )
    return float(at)


class SteppedRows(NamedTuple):
    """One model's rows from the highest score down, and where each new score begins.

    Attributes
    ----------
    order : ndarray of int, shape (n,)
        Rows, from the highest score down.
    first : ndarray of int, shape (n_levels,)
        Where in `order` each new score begins.
    is_positive : ndarray of shape (n, 1)
        1 for positives, 0 for negatives, in that order.
    """

    order: IndexArray
    first: IndexArray
    is_positive: FloatArray

    @classmethod
    def from_scores(cls, scores: Scores) -> SteppedRows:
        """Sort the rows once."""
        levels = find_levels(scores.values)
        order = levels.order[::-1]
        first = (len(scores) - levels.first[1:])[::-1]
        return cls(order, first, scores.is_positive[order][:, None].astype(float))

    def compute_tpr(self, weights: FloatArray, fpr: float) -> FloatArray:
        """Height of each resample's curve at `fpr`, on top of vertical pieces.

        Parameters
        ----------
        weights : ndarray of shape (n, k)
            How often each row was drawn.
        fpr : float
            The false positive rate.
        """
        drawn = weights[self.order]
        rates = []
        for part in (drawn * (1.0 - self.is_positive), drawn * self.is_positive):
            total = np.zeros((self.first.size + 1, drawn.shape[1]))
            np.cumsum(np.add.reduceat(part, self.first, axis=0), axis=0, out=total[1:])
            rates.append((total / total[-1]).T)
        # A rate this close above a vertex is at its top.
        at = np.full((drawn.shape[1], 1), fpr + SAME)
        return interpolate_rows(at, *rates)[:, 0]
