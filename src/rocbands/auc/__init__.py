"""Confidence intervals for the area under the curve: one module for each method, listed here.

`METHODS` are the methods of :func:`auc_interval`. Intervals from the folds of a cross-validation
are in `folds`, those for part of the area in `partial`, each with its methods.
"""

from __future__ import annotations

from typing import Any

from rocbands.auc.bootstrap import AucBootstrap, Bca, ExactBootstrap
from rocbands.auc.delong import DeLong, LogitDeLong
from rocbands.auc.folds import FOLD_METHODS, fold_auc_interval
from rocbands.auc.hanley_mcneil import HanleyMcNeil
from rocbands.auc.method import AucMethod
from rocbands.auc.newcombe import Newcombe
from rocbands.auc.partial import PARTIAL_METHODS, partial_auc_interval
from rocbands.auc.score_delong import ScoreDeLong
from rocbands.core.columns import against_rest
from rocbands.core.interval import Interval
from rocbands.core.method import Alternative, resolve_method
from rocbands.core.public import public
from rocbands.core.randomness import Rng
from rocbands.core.roc import as_roc_curve

__all__ = [
    "DEFAULT",
    "FOLD_METHODS",
    "METHODS",
    "PARTIAL_METHODS",
    "SHARED_FILES",
    "AucMethod",
    "auc_interval",
    "fold_auc_interval",
    "partial_auc_interval",
]

METHODS: dict[str, type[AucMethod]] = {
    "score-delong": ScoreDeLong,
    "newcombe": Newcombe,
    "logit-delong": LogitDeLong,
    "delong": DeLong,
    "hanley-mcneil": HanleyMcNeil,
    "exact-bootstrap": ExactBootstrap,
    "bootstrap": AucBootstrap,
    "bca": Bca,
}
SHARED_FILES: dict[str, str] = {
    "logit-delong": "in delong.py: the same variance on the log-odds scale",
    "exact-bootstrap": "in bootstrap.py: the variance of the bootstrap in closed form",
    "bca": "in bootstrap.py: other quantiles of the same resamples",
}
DEFAULT = "score-delong"


@public
def auc_interval(
    y_true: Any,
    y_score: Any = None,
    method: str | AucMethod | None = None,
    *,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    null: float = 0.5,
    groups: Any = None,
    weights: Any = None,
    strata: Any = None,
    n_resamples: int | None = None,
    positive: object = None,
    rest: bool = False,
    rng: Rng = "data",
) -> Interval:
    """Confidence interval for the area under the ROC curve, ties counted one half.

    Parameters
    ----------
    y_true : array-like of shape (n,), or RocCurve
        Two labels of any kind; or, alone, a curve that is already counted.
    y_score : array-like of shape (n,)
        Scores; a larger one means more positive.
    method : str or AucMethod, optional
        By name or as an instance with its parameters:

        - 'score-delong', the default: score limits with a variance estimated from placements;
          never a point, and close to its level also with classes of unequal size and near AUC 1.
        - 'newcombe': score limits, from the AUC and the class sizes alone; never a point.
        - 'logit-delong': DeLong's variance on the log-odds scale. Where that has no limits, because
          the AUC is 0 or 1, its variance 0 or a class has one case, Newcombe's limits are given.
        - 'delong', 'hanley-mcneil', 'exact-bootstrap': the AUC plus and minus standard errors,
          clipped to [0, 1]; the variance is DeLong's, that of exponential scores, or that of
          infinitely many resamples, in closed form.
        - 'bootstrap', 'bca': quantiles of resampled AUCs, plain or corrected for bias and
          skewness. Resamples keep the class sizes.

        Where an estimated variance is 0 the last five give a point; the notes say so.
    level : float, default 0.95
        Confidence level.
    alternative : {'two-sided', 'greater', 'less'}
        'greater' gives a lower limit only, 'less' an upper one only.
    null : float, default 0.5
        Value of the AUC that the p-value is for.
    groups : array-like of shape (n,), optional
        Rows in groups, such as the lesions of one patient. DeLong's variance becomes
        that of Obuchowski (1997); 'score-delong' adds up placements by group and counts as many
        cases as the groups are worth; resampling draws whole groups; other methods refuse.
    weights : array-like of shape (n,), optional
        What each row stands for, on any scale, such as one over the probability that it was
        sampled; not counts. Only 'score-delong' handles them.
    strata : array-like of shape (n,), optional
        The stratum in which each row or its group was sampled; for 'score-delong'.
    n_resamples : int, optional
        For 'bootstrap' and 'bca', 2000 by default.
    positive : object, optional
        The positive label; needed unless the labels are {0, 1}, {-1, 1} or booleans.
    rest : bool, default False
        One class against all others: every other label than `positive` counts as negative.
    rng : {'data'}, None, int, SeedSequence or Generator, default 'data'
        Source of randomness for 'bootstrap' and 'bca'.

    Returns
    -------
    Interval
        Estimate, limits, standard error and the p-value of AUC = `null`, which is that of the test
        whose inversion gives the limits: a score test for 'score-delong' and 'newcombe', on the
        log-odds scale for 'logit-delong', from resampled AUCs for 'bootstrap' and 'bca', else
        Wald's.

    See Also
    --------
    rocbands.partial_auc_interval : part of the area.
    rocbands.fold_auc_interval : from the folds of a cross-validation.

    Examples
    --------
    >>> import rocbands as rb
    >>> y, models = rb.load_example()
    >>> auc = rb.auc_interval(y, models["logistic"], positive="malignant")
    >>> print(f"{auc.estimate:.3f} ({auc.low:.3f} to {auc.high:.3f})")
    0.900 (0.872 to 0.922)
    >>> rb.auc_interval([1, 1, 0, 0], [4, 3, 2, 1]).high
    1.0
    """
    design = {"groups": groups, "weights": weights, "strata": strata}
    roc = as_roc_curve(
        y_true,
        y_score,
        positive=against_rest(positive, rest),
        **design,
        uses=("groups", "weights"),
    )
    chosen = resolve_method(method, METHODS, AucMethod, DEFAULT, n_resamples=n_resamples)
    return chosen(roc, level=level, alternative=alternative, null=null, rng=rng)
