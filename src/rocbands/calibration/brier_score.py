"""Brier score: the mean squared error of probabilities, with a confidence interval.

An error d = (score - y)^2 lies in [0, 1], so that its variance is at most B (1 - B), where B is its
mean, the Brier score. The interval is Wilson's: all theta with

    |B - theta| <= q sqrt(u theta (1 - theta)),

where u is the variance V of B relative to B (1 - B), and q Student's quantile. One pseudo
observation with the largest variance, V = 1 where B (1 - B) = 1, is added to n cases:

    u = (n V + 1 / n) / (n B (1 - B) + 1).

A model that is nearly always right, and certain of it, has few large errors, and a test set may
have none: plus and minus two standard errors is then far too narrow. Predictions of 0 and 1 have
Wilson's interval of a proportion, as V = B (1 - B) / n. With weights, clusters and strata V is that
of :mod:`rocbands.design.row_design`, and n Kish's number of units.
"""

from __future__ import annotations

import math

from scipy.special import stdtrit

from rocbands.core.arguments import explain
from rocbands.core.checks import check_level, check_unit_interval
from rocbands.core.columns import Column, Labels
from rocbands.core.data import Data, as_roc_curve
from rocbands.core.interval import Interval
from rocbands.core.method import Handling
from rocbands.core.score_variance import find_ends
from rocbands.design.effective_number import find_effective
from rocbands.design.row_design import RowDesign, correct_few

_FEW_ROWS = 60
_FEW_CASES = 6  # of a class
HANDLING = Handling(
    "brier_score_interval",
    "calibration",
    "score interval of the mean squared error, with one pseudo observation",
    ("clusters", "weights", "class weights", "strata", "folds"),
)


@explain
def brier_score_interval(
    y_true: Labels | Data,
    y_score: Column | None = None,
    *,
    positive: object = None,
    level: float = 0.95,
) -> Interval:
    """Confidence interval for the Brier score, the mean squared error of probabilities.

    Parameters
    ----------
    y_true : Sample, RocCurve or ScoreCounts, or array-like of shape (n,)
        The data of one model; or two labels of any kind.
    y_score : array-like of shape (n,), optional
        With labels, the probabilities of the positive one.
    positive : object, optional
        With labels, the positive one; needed unless they are {0, 1}, {-1, 1} or booleans.
    level : float, default 0.95
        Confidence level.

    Returns
    -------
    Interval
        The estimate equals scikit-learn's ``brier_score_loss``; smaller is better.

    Notes
    -----
    Wilson's interval with the estimated variance of the squared errors and one pseudo observation.
    Measured coverage at nominal .95: docs/summary.md.

    Examples
    --------
    >>> import rocbands as rb
    >>> found = rb.brier_score_interval(rb.load_example()["logistic"])
    >>> print(f"{found.estimate:.3f} ({found.low:.3f} to {found.high:.3f})")
    0.125 (0.109 to 0.143)
    """
    level = check_level(level)
    roc = as_roc_curve(y_true, y_score, positive)
    HANDLING.check(roc)
    advice = "The Brier score is for probabilities, not for scores of another scale."
    score = check_unit_interval(roc.thresholds, "y_score", advice)
    design = RowDesign.of_curve(roc)
    errors = design.place((1.0 - score) ** 2, score**2)
    mean = min(float(design.all @ errors), 1.0)
    z, units = design.add_up(design.all, errors - mean), design.count_units(design.all)
    cases = units.kish
    variance = correct_few(cases) * float(design.multiply(z, z))
    df = float(design.spare(max(units.df - 1.0, 1.0)))
    spread = mean * (1.0 - mean)
    unit = (cases * variance + 1.0 / cases) / (cases * spread + 1.0)
    low, high = find_ends(mean, unit, -float(stdtrit(df, (1.0 - level) / 2.0)))
    notes: tuple[str, ...] = ()
    if not roc.independent:
        number, _ = find_effective(design, design.all, errors)
        notes = design.describe({"rows": (roc.n_pos + roc.n_neg, number)}, "the Brier score")
    if roc.n_pos + roc.n_neg < _FEW_ROWS and min(roc.n_pos, roc.n_neg) < _FEW_CASES:
        notes += ("Few rows of a class: with 20 rows measured coverage was 0.89 or more at 0.95.",)
    if "weights" in roc.design:
        notes += ("Weighted rows: measured coverage was 0.91 or more at 0.95.",)
    target = "average Brier score of the folds' models" if roc.folds else "true Brier score"
    return Interval(
        quantity="Brier score",
        estimate=mean,
        low=low,
        high=high,
        level=level,
        method="score",
        n_pos=roc.n_pos,
        n_neg=roc.n_neg,
        standard_error=math.sqrt(variance),
        target=target,
        notes=notes,
        frame=roc.frame,
    )
