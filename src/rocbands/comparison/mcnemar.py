"""McNemar's test: two classifiers' decisions at given thresholds, on the same rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from scipy.special import bdtr, gammaln, ndtri

from rocbands._math.discordance import find_tango_limits
from rocbands.comparison.method import ComparisonRequest, Outcome, build_comparison
from rocbands.core.arguments import explain_with
from rocbands.core.checks import check_choice, check_level
from rocbands.core.columns import Column, Labels
from rocbands.core.comparison import Comparison
from rocbands.core.data import read_pair
from rocbands.core.method import Alternative, Handling, check_alternative, refuse_extras
from rocbands.core.pair import Pair
from rocbands.core.sample import Sample
from rocbands.core.tolerance import SAME
from rocbands.design import paired_sums as paired
from rocbands.design.row_design import RowDesign
from rocbands.errors import InputError, arg

HANDLING = Handling(
    "mcnemar",
    "comparison",
    "decisions at one threshold for each model, by the rows on which only one model is right",
    ("paired", "one-sided", "clusters", "weights", "class weights", "strata"),
)
METHODS = ("mid-p", "exact", "score")
_ROWS = {"accuracy": "rows", "sensitivity": "positives", "specificity": "negatives"}


@explain_with(
    paired="Both models score the same rows: rb.mcnemar(sample) of two models.",
    y_true_2="Both models score the same rows of a sample.",
)
def mcnemar(
    y_true: Labels | Sample,
    y_score_1: Column | None = None,
    y_score_2: Column | None = None,
    *,
    positive: object = None,
    thresholds: float | Sequence[float] | Mapping[str, float],
    method: Literal["mid-p", "exact", "score"] | None = None,
    of: Literal["accuracy", "sensitivity", "specificity"] = "accuracy",
    level: float = 0.95,
    alternative: Alternative = "two-sided",
) -> Comparison:
    """Compare two classifiers' decisions on the same rows: McNemar's test.

    A row is called positive when its score is at or above the model's threshold. Only rows on which
    exactly one model is right count.

    Parameters
    ----------
    y_true : Sample, or array-like of shape (n,)
        A sample of two models; or two labels of any kind.
    y_score_1, y_score_2 : array-like of shape (n,), optional
        With labels, the two models' scores. Differences are model 1 minus model 2.
    positive : object, optional
        With labels, the positive one; needed unless they are {0, 1}, {-1, 1} or booleans.
    thresholds : float, pair of floats, or mapping of str to float
        One threshold for both models, one for each in their order, or by their names.
    method : {'mid-p', 'exact', 'score'}, optional
        'exact' never exceeds the nominal error rate and is conservative; 'mid-p', the default, is
        close to it. 'score' is for any design, and the default for samples that have one.
    of : {'accuracy', 'sensitivity', 'specificity'}
        Over all rows, over the positives, or over the negatives.
    level : float, default 0.95
        Confidence level.
    alternative : {'two-sided', 'less', 'greater'}
        'greater': model 1 is right more often.

    Returns
    -------
    Comparison
        The statistic is the number of rows on which only model 1 is right; the interval of the
        difference is Bonett and Price's (2012). For 'score' the statistic is the difference over
        its standard error if both models are right equally often, which for clusters is Durkalski
        et al.'s (2003), and the interval is Tango's (1998) with an effective number of rows.

    References
    ----------
    McNemar (1947), Note on the sampling error of the difference between correlated proportions or
    percentages, Psychometrika 12, 153-157.
    Bonett and Price (2012), Adjusted Wald confidence interval for a difference of binomial
    proportions based on paired data, Journal of Educational and Behavioral Statistics 37, 479-488.
    Durkalski, Palesch, Lipsitz and Rust (2003), Analysis of clustered matched-pair data, Statistics
    in Medicine 22, 2417-2428.
    Tango (1998), Equivalence test and confidence interval for the difference in proportions for the
    paired-sample design, Statistics in Medicine 17, 891-908.

    Examples
    --------
    >>> import rocbands as rb
    >>> found = rb.mcnemar(rb.load_example(), thresholds=0.5, of="sensitivity")
    >>> print(f"{found.difference:.3f} {found.pvalue:.1e}")
    0.099 9.2e-03
    """
    pair = read_pair(y_true, y_score_1, y_score_2, positive)
    HANDLING.check(pair.asked)
    request = ComparisonRequest(check_level(level), alternative=check_alternative(alternative))
    check_choice(of, tuple(_ROWS), "of")
    # Weights that are equal in each class do not matter for one class.
    design = [extra for extra in pair.design if extra != "class weights" or of == "accuracy"]
    method = ("score" if design else "mid-p") if method is None else method
    check_choice(method, METHODS, "method")
    if method != "score":
        refuse_extras(
            f"Method {method!r}", (), design, dict.fromkeys(design, arg("method", "score"))
        )
    names, cuts = pair.names, check_thresholds(pair.match(thresholds, "thresholds", one=True))
    is_positive = pair.one.is_positive
    counted = {
        "accuracy": np.ones_like(is_positive),
        "sensitivity": is_positive,
        "specificity": ~is_positive,
    }[of]
    right_1, right_2 = (
        ((scores.values >= threshold) == is_positive)[counted]
        for scores, threshold in zip((pair.one, pair.two), cuts, strict=True)
    )
    only_1 = int(np.count_nonzero(right_1 & ~right_2))
    only_2 = int(np.count_nonzero(right_2 & ~right_1))
    size = right_1.size
    note = (
        f"Only {names[0]} is right on {only_1}, only {names[1]} on {only_2} of {size} {_ROWS[of]}."
    )
    if method == "score":
        outcome = _score(pair, cuts, of, request)
    else:
        low, high = _bonett_price_limits(only_1, only_2, size, request)
        pvalue = _sign_test(only_1, only_2, request, mid=method == "mid-p")
        outcome = Outcome(low, high, float(only_1), pvalue, interval_method="bonett-price")
    weights = None if pair.drawn.weights is None else pair.drawn.weights[counted]
    return build_comparison(
        outcome._replace(notes=(*pair.note_outside(cuts), note, *outcome.notes)),
        request,
        pair,
        quantity=of,
        estimates=(
            float(np.average(right_1, weights=weights)),
            float(np.average(right_2, weights=weights)),
        ),
        method=f"mcnemar {method}",
        parameters={"thresholds": cuts},
        hypothesis=f"equal {of}",
    )


def _score(pair: Pair, cuts: tuple[float, float], of: str, request: ComparisonRequest) -> Outcome:
    """Score test of equal shares, and Tango's limits with an effective number of rows."""
    values = pair.one.values, pair.two.values
    # Compared as a number is with an array: 0.7 with single precision in single precision.
    one, two = (
        np.array([cut], np.result_type(scores, cut))
        for scores, cut in zip(values, cuts, strict=True)
    )
    sums = paired.PairedSums.add_up(RowDesign.of_pair(pair), values, (one, two))
    right, base, unit = {
        "accuracy": (paired.RIGHT, paired.ALL, sums.near.all),
        "sensitivity": (paired.RIGHT_POS, paired.POSITIVES, sums.near.pos),
        "specificity": (paired.RIGHT_NEG, paired.NEGATIVES, sums.near.neg),
    }[of]
    found = sums.find_share(right, base, unit)
    value, number, psi = (float(side[0]) for side in (found.value, found.number, found.size))
    halves = number * (psi + value) / 2.0, number * (psi - value) / 2.0
    z = found.stretch.quantile(request.tail)
    low, high = (float(end[0]) for end in find_tango_limits(*halves, [number], z))
    # Under the hypothesis the sums z_g over units have mean 0: their squares are not centred. In
    # strata each stratum has a mean of its own, and only the total is 0: <z, z> + (sum z_g)^2 / G.
    x = np.array([right]) / (sums.weights @ base)
    variance = float(sums.multiply(x, x)[0])
    if sums.design.stratum is not None:
        variance += value**2 / sums.design.n_units
    # Where the rows of each unit cancel, their sums and the difference are 0.
    statistic = value / math.sqrt(variance) if variance > SAME**2 else 0.0
    above = found.stretch.find_tail(statistic)
    rows = float((sums.counts @ base)[0])
    return Outcome(
        *request.clip_limits(low, high, value),
        statistic,
        request.combine_tails(1.0 - above, above),
        interval_method="tango",
        notes=sums.design.describe({_ROWS[of]: (rows, number)}),
    )


def check_thresholds(thresholds: tuple[Any, Any]) -> tuple[float, float]:
    """Return both models' thresholds if they are numbers."""
    for value in thresholds:
        try:
            real = isinstance(value, (int, float, np.integer, np.floating))
            fits = real and not isinstance(value, np.timedelta64) and not math.isnan(value)
        except OverflowError:  # an integer too large for a float
            fits = False
        if not fits:
            raise InputError(
                "must be a number",
                f"got {value!r}",
                "Pass a score, such as 0.5.",
                argument="thresholds",
            )
    return thresholds


def _sign_test(only_1: int, only_2: int, request: ComparisonRequest, *, mid: bool) -> float:
    """P-value of `only_1` of `only_1 + only_2` in a binomial distribution with probability 1/2.

    The mid-p value counts the probability of the observed number one half (Lancaster 1961).

    Examples
    --------
    >>> print(f"{_sign_test(1, 5, ComparisonRequest(0.95), mid=False):.5f}")
    0.21875
    """
    total = only_1 + only_2
    if total == 0:
        return 1.0
    log_mass = gammaln(total + 1) - gammaln(only_1 + 1) - gammaln(only_2 + 1) - total * math.log(2)
    half = 0.5 * math.exp(log_mass) if mid else 0.0
    # P(X <= only_1), and by symmetry P(X >= only_1) = P(X <= only_2).
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
