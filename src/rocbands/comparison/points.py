"""Comparing two classifiers at one operating point: at thresholds, or at a false positive rate."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy.special import bdtr, gammaln, ndtri

from rocbands.comparison.bootstrap import from_draws
from rocbands.comparison.copies import over_copies
from rocbands.comparison.pair import compared, paired_scores
from rocbands.comparison.question import Answer, Pair, Question, same_order
from rocbands.core.checks import (
    FloatArray,
    IndexArray,
    check_choice,
    check_resamples,
    check_rng,
    check_unit_interval,
)
from rocbands.core.comparison import Comparison
from rocbands.core.interval import Alternative
from rocbands.core.roc import RocCurve
from rocbands.core.scores import Scores, row_groups
from rocbands.errors import InputError
from rocbands.resample.curves import interpolate_rows

__all__ = ["compare_tpr", "mcnemar"]

NEXT_TO = 1e-12  # a rate this close above a vertex is at its top


def mcnemar(
    y_true: Any,
    y_score_1: Any,
    y_score_2: Any,
    threshold_1: float,
    threshold_2: float | None = None,
    method: str = "mid-p",
    *,
    of: str = "accuracy",
    level: float = 0.95,
    alternative: str = "two-sided",
    names: tuple[str, str] = ("model 1", "model 2"),
    positive: object = None,
) -> Comparison:
    """Compare two classifiers' decisions on the same rows: McNemar's test.

    A row is called positive when its score is at or above the model's threshold. Only rows on which
    exactly one model is right count.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Two labels of any kind.
    y_score_1, y_score_2 : array-like of shape (n,)
        The two models' scores.
    threshold_1, threshold_2 : float
        Where each model begins to say positive; by default the second is the first.
    method : {'mid-p', 'exact'}
        'exact' never exceeds its error rate and is often far below; 'mid-p' stays close to it.
    of : {'accuracy', 'sensitivity', 'specificity'}
        Over all rows, over the positives, or over the negatives.
    level : float, default 0.95
        Confidence level.
    alternative : {'two-sided', 'less', 'greater'}
        'greater': model 1 is right more often.
    names : (str, str), optional
        What to call the models.
    positive : object, optional
        The positive label; needed unless the labels are {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    Comparison
        The statistic is the number of rows on which model 1 alone is right; the interval of the
        difference is that of Bonett and Price (2012).

    Examples
    --------
    >>> import rocbands as rb
    >>> y, models = rb.load_example()
    >>> found = rb.mcnemar(y, *models.values(), 0.5, positive="malignant", of="sensitivity")
    >>> print(f"{found.difference.estimate:.3f} {found.pvalue:.1e}")
    0.099 9.2e-03
    """
    question = Question.of(level, alternative, None)
    check_choice(method, ("mid-p", "exact"), "method")
    check_choice(of, ("accuracy", "sensitivity", "specificity"), "of")
    limits = [threshold_1, threshold_1 if threshold_2 is None else threshold_2]
    for place, limit in enumerate(limits, start=1):
        if not isinstance(limit, (int, float, np.number)) or math.isnan(limit):
            raise InputError(
                f"`threshold_{place}` must be a number; got {limit!r}. Pass a score, such as 0.5."
            )
    one, two = paired_scores(y_true, y_score_1, y_score_2, positive)
    right = [
        (scores.values >= limit) == scores.is_positive
        for scores, limit in zip((one, two), limits, strict=True)
    ]
    counted = {
        "accuracy": np.ones(len(one), dtype=np.bool_),
        "sensitivity": one.is_positive,
        "specificity": ~one.is_positive,
    }[of]
    ahead = int(np.count_nonzero(counted & right[0] & ~right[1]))
    behind = int(np.count_nonzero(counted & right[1] & ~right[0]))
    size = int(np.count_nonzero(counted))
    low, high = _bonett_price(ahead, behind, size, question)
    pvalue = _sign_test(ahead, behind, question.alternative, mid=method == "mid-p")
    note = (
        f"{one_alone(names[0], ahead)}, {one_alone(names[1], behind)}, of {size} "
        f"{ {'accuracy': 'rows', 'sensitivity': 'positives', 'specificity': 'negatives'}[of] }."
    )
    shares = [float(np.count_nonzero(r & counted)) / size for r in right]
    answer = Answer(low, high, float(ahead), pvalue, interval="bonett-price", notes=(note,))
    return compared(
        answer,
        question,
        Pair(one, two),
        quantity=of,
        estimates=(shares[0], shares[1]),
        names=names,
        method=f"mcnemar {method}",
        hypothesis=f"equal {of}",
    )


def one_alone(name: str, rows: int) -> str:
    """Say how often a model alone was right."""
    return f"{name} alone is right on {rows}"


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
    names: tuple[str, str] = ("model 1", "model 2"),
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
    rng : int, Generator or anything `numpy.random.default_rng` takes, optional
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
    >>> print(f"{found.difference.estimate:.3f} {found.difference.low:.2f}")
    0.234 0.12
    """
    question = Question.of(level, alternative, margin)
    check_resamples(n_resamples)
    at = check_unit_interval(fpr, "fpr")
    if at.ndim or not 0 < at < 1:
        raise InputError(f"`fpr` must be one number strictly between 0 and 1; got {fpr!r}.")
    one, two = paired_scores(y_true, y_score_1, y_score_2, positive)
    groups = None if groups is None else row_groups(groups, one)
    pair = Pair(one, two, groups=groups).in_order()
    if pair.least < 2:
        raise InputError(
            "Resampling needs at least 2 positives and 2 negatives; a class has only 1. Copies of "
            "one case cannot show how such cases vary."
        )
    steps = _Steps.of(pair.one), _Steps.of(pair.two)

    def measure(weights: FloatArray, _: FloatArray) -> FloatArray:
        heights = [step.heights(weights, float(at)) for step in steps]
        return (heights[0] - heights[1])[None]

    drawn = over_copies(pair, n_resamples, check_rng(rng), measure)[0]
    rates = [float(RocCurve.from_scores(scores).curve.high(at)) for scores in (one, two)]
    alike = same_order(pair)
    if float(np.ptp(drawn)) <= 1e-12 and (question.null != 0 or not alike):
        raise InputError(
            "All resampled differences are alike, so they cannot say how sure the difference is. "
            "Use rb.compare for the areas, or more rows."
        )
    answer = from_draws(drawn, rates[0] - rates[1], question, alike=alike)
    if one.n_neg * min(at, 1 - at) < 5:
        few = (
            f"A false positive rate of {at:g} is {one.n_neg * at:.3g} of {one.n_neg} negatives: "
            "too few for a percentile interval to hold its level."
        )
        answer = answer._replace(notes=(*answer.notes, few))
    quantity = f"TPR at FPR {at:g}"
    hypothesis = f"equal {quantity}" if margin is None else f"a loss of {margin:g} or more in TPR"
    return compared(
        answer,
        question,
        pair,
        quantity=quantity,
        estimates=(rates[0], rates[1]),
        names=names,
        method="bootstrap",
        hypothesis=hypothesis,
    )


class _Steps(NamedTuple):
    """One model's rows from the highest score down, and where each new score begins."""

    order: IndexArray
    first: IndexArray
    positive: FloatArray

    @classmethod
    def of(cls, scores: Scores) -> _Steps:
        order = np.argsort(scores.values, kind="stable")[::-1]
        ordered = scores.values[order]
        new = np.concatenate(([True], ordered[1:] != ordered[:-1]))
        return cls(order, np.flatnonzero(new), scores.is_positive[order][:, None].astype(float))

    def heights(self, weights: FloatArray, fpr: float) -> FloatArray:
        """Return the true positive rate of each resample at `fpr`: on top of vertical pieces."""
        here = weights[self.order]
        rates = []
        for part in (here * (1.0 - self.positive), here * self.positive):
            total = np.zeros((self.first.size + 1, here.shape[1]))
            np.cumsum(np.add.reduceat(part, self.first, axis=0), axis=0, out=total[1:])
            rates.append((total / total[-1]).T)
        at = np.full((here.shape[1], 1), fpr + NEXT_TO)
        return interpolate_rows(at, *rates)[:, 0]


def _sign_test(ahead: int, behind: int, alternative: Alternative, *, mid: bool) -> float:
    """P-value of `ahead` heads and `behind` tails of a fair coin.

    Examples
    --------
    >>> print(f"{_sign_test(1, 5, 'two-sided', mid=False):.5f}")
    0.21875
    >>> print(f"{_sign_test(1, 5, 'less', mid=True):.5f}")
    0.06250
    """
    total = ahead + behind
    if total == 0:
        return 1.0
    log_mass = gammaln(total + 1) - gammaln(ahead + 1) - gammaln(behind + 1) - total * math.log(2)
    half = 0.5 * math.exp(log_mass) if mid else 0.0
    below = float(bdtr(ahead, total, 0.5)) - half
    above = float(bdtr(behind, total, 0.5)) - half
    tail = {"less": below, "greater": above, "two-sided": min(1.0, 2.0 * min(below, above))}
    return tail[alternative]


def _bonett_price(ahead: int, behind: int, size: int, question: Question) -> tuple[float, float]:
    """Interval for the difference of paired shares: Wald's, after adding one row to each side."""
    up, down = ((count + 1) / (size + 2) for count in (ahead, behind))
    half = float(ndtri(question.tail)) * math.sqrt((up + down - (up - down) ** 2) / (size + 2))
    return question.limits(up - down - half, up - down + half, (ahead - behind) / size)
