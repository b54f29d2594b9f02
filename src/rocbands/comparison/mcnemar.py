"""McNemar's test: two classifiers' decisions at given thresholds, on the same rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import bdtr, gammaln, ndtri

from rocbands.comparison.method import ComparisonRequest, Outcome, build_comparison
from rocbands.comparison.pair import Pair
from rocbands.core.checks import check_choice, check_level, check_names
from rocbands.core.columns import against_rest
from rocbands.core.comparison import Comparison
from rocbands.core.method import check_alternative
from rocbands.core.public import public
from rocbands.errors import InputError

_ROWS = {"accuracy": "rows", "sensitivity": "positives", "specificity": "negatives"}


@public
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
    names: tuple[str, str] | None = None,
    positive: object = None,
    rest: bool = False,
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
    rest : bool, default False
        One class against all others: every other label than `positive` counts as negative.

    Returns
    -------
    Comparison
        The statistic is the number of rows on which model 1 alone is right; the interval of the
        difference is that of Bonett and Price (2012).

    References
    ----------
    McNemar (1947), Note on the sampling error of the difference between correlated proportions or
    percentages, Psychometrika 12, 153-157.
    Bonett and Price (2012), Adjusted Wald confidence interval for a difference of binomial
    proportions based on paired data, Journal of Educational and Behavioral Statistics 37, 479-488.

    Examples
    --------
    >>> import rocbands as rb
    >>> y, models = rb.load_example()
    >>> found = rb.mcnemar(y, *models.values(), 0.5, positive="malignant", of="sensitivity")
    >>> print(f"{found.difference:.3f} {found.pvalue:.1e}")
    0.099 9.2e-03
    """
    pair = Pair.from_rows(y_true, y_score_1, y_score_2, positive=against_rest(positive, rest))
    asked: dict[str, Any] = {"of": of, "level": level, "alternative": alternative, "names": names}
    return compare_decisions(pair, threshold_1, threshold_2, method, **asked)


def compare_decisions(
    pair: Pair,
    threshold_1: Any,
    threshold_2: Any = None,
    method: Any = "mid-p",
    *,
    of: Any = "accuracy",
    level: Any = 0.95,
    alternative: Any = "two-sided",
    names: Any = None,
) -> Comparison:
    """Compare decisions about scores that are checked already; see :func:`mcnemar`."""
    request = ComparisonRequest(check_level(level), alternative=check_alternative(alternative))
    check_choice(method, ("mid-p", "exact"), "method")
    check_choice(of, tuple(_ROWS), "of")
    names = check_names(names)
    thresholds = check_thresholds(threshold_1, threshold_2)
    is_positive = pair.one.is_positive
    counted = {
        "accuracy": np.ones(len(pair.one), dtype=np.bool_),
        "sensitivity": is_positive,
        "specificity": ~is_positive,
    }[of]
    right_1, right_2 = (
        ((scores.values >= threshold) == is_positive)[counted]
        for scores, threshold in zip((pair.one, pair.two), thresholds, strict=True)
    )
    only_1, only_2 = (int(np.count_nonzero(a & ~b)) for a, b in
                      ((right_1, right_2), (right_2, right_1)))  # fmt: skip
    size = int(np.count_nonzero(counted))
    low, high = _bonett_price_limits(only_1, only_2, size, request)
    note = (
        f"{names[0]} alone is right on {only_1}, {names[1]} alone is right on {only_2}, of {size} "
        f"{_ROWS[of]}."
    )
    pvalue = _sign_test(only_1, only_2, request, mid=method == "mid-p")
    return build_comparison(
        Outcome(low, high, float(only_1), pvalue, interval_method="bonett-price", notes=(note,)),
        request,
        pair,
        quantity=of,
        estimates=(float(right_1.mean()), float(right_2.mean())),
        names=names,
        method=f"mcnemar {method}",
        parameters={"threshold_1": thresholds[0], "threshold_2": thresholds[1]},
        hypothesis=f"equal {of}",
    )


def check_thresholds(threshold_1: Any, threshold_2: Any = None) -> tuple[float, float]:
    """Return both models' thresholds; by default the second is the first."""
    both = threshold_1, threshold_1 if threshold_2 is None else threshold_2
    for place, value in enumerate(both, start=1):
        try:
            fits = isinstance(value, (int, float, np.number)) and not math.isnan(value)
        except OverflowError:  # a whole number beyond all floats
            fits = False
        if not fits:
            raise InputError(
                "must be a number",
                f"got {value!r}",
                "Pass a score, such as 0.5.",
                argument=f"threshold_{place}",
            )
    return both


def _sign_test(only_1: int, only_2: int, request: ComparisonRequest, *, mid: bool) -> float:
    """P-value of `only_1` heads and `only_2` tails of a fair coin.

    The mid-p value counts the observed number itself one half (Lancaster 1961).
    """
    total = only_1 + only_2
    if total == 0:
        return 1.0
    log_mass = gammaln(total + 1) - gammaln(only_1 + 1) - gammaln(only_2 + 1) - total * math.log(2)
    half = 0.5 * math.exp(log_mass) if mid else 0.0
    below = float(bdtr(only_1, total, 0.5)) - half
    above = float(bdtr(only_2, total, 0.5)) - half
    return request.combine_tails(below, above)


def _bonett_price_limits(
    only_1: int, only_2: int, size: int, request: ComparisonRequest
) -> tuple[float, float]:
    """Interval for the difference of paired proportions: Wald's, with one more case on each side.

    Bonett and Price (2012): p12 = (f12 + 1) / (n + 2), p21 = (f21 + 1) / (n + 2), and
    p12 - p21 -+ z sqrt((p12 + p21 - (p12 - p21)^2) / (n + 2)).
    """
    p12, p21 = ((count + 1) / (size + 2) for count in (only_1, only_2))
    z = -float(ndtri(request.tail))
    half = z * math.sqrt((p12 + p21 - (p12 - p21) ** 2) / (size + 2))
    return request.clip_limits(p12 - p21 - half, p12 - p21 + half, (only_1 - only_2) / size)
