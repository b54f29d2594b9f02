"""Comparing two classifiers' true positive rates at the same false positive rate."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import ndtri

from rocbands.comparison.difference_spread import DESIGNS, estimate_spread
from rocbands.comparison.grid_curve import CurveAtGrid, count_cases
from rocbands.comparison.joint_limits import widen_at_one_point
from rocbands.comparison.method import ComparisonRequest, Outcome, ask_about_pair, build_comparison
from rocbands.core.arguments import explain
from rocbands.core.checks import as_rate, check_level, check_unit_interval, pick_one, spoken
from rocbands.core.columns import Column, Labels
from rocbands.core.comparison import Comparison, convert_margin
from rocbands.core.data import Data, read_pair
from rocbands.core.method import Alternative, Handling, check_alternative
from rocbands.errors import InputError, Message, arg

HANDLING = Handling(
    "compare_tpr",
    "comparison",
    "difference of TPRs at one FPR, with limits that belong to the test",
    (*DESIGNS, "one-sided"),
)
FEW_NEGATIVES = 5  # fewer negatives beyond the false positive rate give a note


@explain
def compare_tpr(
    y_true: Labels | Data,
    y_score_1: Column | Data | None = None,
    y_score_2: Column | None = None,
    *,
    positive: object = None,
    fpr: float | None = None,
    specificity: float | None = None,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    margin: float | None = None,
) -> Comparison:
    """Compare two classifiers' true positive rates at the same false positive rate.

    Differences are model 1 minus model 2. This is :func:`rocbands.difference_band` at one point,
    with a normal quantile; nothing is random.

    Parameters
    ----------
    y_true : Sample, or array-like of shape (n,)
        A sample of two models, or the first of two test sets; or two labels of any kind.
    y_score_1, y_score_2 : array-like of shape (n,), or Sample, optional
        With labels, both models' scores; with a first test set, `y_score_1` is the second one.
    positive : object, optional
        With labels, the positive one; needed unless they are {0, 1}, {-1, 1} or booleans.
    fpr, specificity : float, optional
        The false positive rate, strictly between 0 and 1, or the specificity 1 - fpr; exactly one
        of them. With a specificity the result is named sensitivity.
    level : float, default 0.95
        Confidence level.
    alternative : {'two-sided', 'less', 'greater'}
        'greater': model 1 finds more positives.
    margin : float, optional
        Margin of a non-inferiority test: is the rate of model 1 above the rate of model 2 minus
        `margin`?

    Returns
    -------
    Comparison
        The difference is the rate of model 1 minus the rate of model 2.

    Notes
    -----
    On the same rows the variance is computed under the hypothetical difference: a larger difference
    needs more positives that only one model finds (Tango 1998). On two test sets the limits are
    those of :func:`rocbands.difference_band`, from the likelihood of each curve. The p-value is
    below 1 - level exactly if the limits exclude the null hypothesis. On the same rows with at most
    100 negatives, and at least four positives for each, limits are the wider ones of both methods;
    test and limits then disagree in rare cases. With fewer than five negatives beyond `fpr` the
    coverage may be far below the level. Measured coverage: docs/compare.md.

    References
    ----------
    Hsieh and Turnbull (1996), Nonparametric and semiparametric estimation of the receiver operating
    characteristic curve, Annals of Statistics 24, 25-40.
    Tango (1998), Equivalence test and confidence interval for the difference in proportions for the
    paired-sample design, Statistics in Medicine 17, 891-908.

    Examples
    --------
    >>> import rocbands as rb
    >>> found = rb.compare_tpr(rb.load_example(), fpr=0.1)
    >>> print(f"{found.difference:.3f} {found.low:.2f}")
    0.234 0.11
    """
    asked, value = pick_one(
        Message("Pass, for example, {}.", arg("fpr", 0.1)), fpr=fpr, specificity=specificity
    )
    pair = read_pair(y_true, y_score_1, y_score_2, positive)
    HANDLING.check(pair.asked)
    with spoken(asked):
        side, null = convert_margin(alternative, margin)
        request = ComparisonRequest(check_level(level), None, None, check_alternative(side), null)
        at = check_single_fpr(as_rate(asked, value)[1])
    quantity = f"TPR at FPR {at:g}"
    if asked == "specificity":
        quantity = f"sensitivity at specificity {1.0 - at:.10g}"
    sizes = count_cases(pair.curves, paired=pair.paired)
    one, two = (
        CurveAtGrid.from_curve(roc, np.array([at]), own)
        for roc, own in zip(pair.curves, sizes, strict=True)
    )
    spread = widen_at_one_point(estimate_spread(pair, one, two), (one, two), sizes[0])
    low, high = (float(end[0]) for end in spread.find_limits(-float(ndtri(request.tail))))
    z = spread.find_statistic(request.null)
    notes, n_neg = spread.describe(pair.names), min(own.n_neg for own in sizes)
    if n_neg * min(at, 1.0 - at) < FEW_NEGATIVES:
        few = (
            f"A false positive rate of {at:g} is {n_neg * at:.3g} of {n_neg:.0f} negatives: "
            "too few to estimate the threshold. Limits held 0.79 at 0.90 and 0.88 at 0.95."
        )
        notes = (*notes, few)
    outcome = Outcome(
        *request.clip_limits(low, high, float(spread.difference[0])),
        z,
        request.combine_tails(spread.find_tail(-z), spread.find_tail(z)),
        math.sqrt(float(spread.variance[0])),
        notes=notes,
    )
    return build_comparison(
        outcome,
        request,
        pair,
        quantity=quantity,
        estimates=(float(one.tpr[0]), float(two.tpr[0])),
        method="score" if pair.paired else "likelihood",
        parameters={"fpr": at},
        hypothesis=f"equal {quantity}",
        question=ask_about_pair(pair, request.level),
    )


def check_single_fpr(fpr: Any) -> float:
    """Return one false positive rate strictly between 0 and 1."""
    at = check_unit_interval(fpr, "fpr")
    if at.ndim or not 0 < at < 1:
        raise InputError(
            "must be one number strictly between 0 and 1", f"got {fpr!r}", argument="fpr"
        )
    return float(at)
