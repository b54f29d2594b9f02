"""Confidence intervals for the area under the curve: one module for each method, listed here.

`METHODS` are the methods of :func:`auc_interval`. Intervals from the folds of a cross-validation
are in `folds`, intervals for partial areas in `partial`, each with its own methods.
"""

from __future__ import annotations

from rocbands.auc.bootstrap import AucBootstrap, Bca, ExactBootstrap
from rocbands.auc.delong import DeLong, LogitDeLong
from rocbands.auc.folds import FOLD_METHODS as FOLD_METHODS
from rocbands.auc.folds import FoldAucMethod, FoldDeLong, FoldScore, FoldT, Influence, NadeauBengio
from rocbands.auc.hanley_mcneil import HanleyMcNeil
from rocbands.auc.method import AucMethod
from rocbands.auc.newcombe import Newcombe
from rocbands.auc.partial import PARTIAL_METHODS as PARTIAL_METHODS
from rocbands.auc.partial import PartialAucMethod, PartialBootstrap, Placement
from rocbands.auc.score_delong import ScoreDeLong
from rocbands.core.arguments import explain_with
from rocbands.core.columns import Column, Labels
from rocbands.core.data import Data, as_roc_curve
from rocbands.core.interval import Interval
from rocbands.core.method import Alternative, resolve_method
from rocbands.core.randomness import Rng

__all__ = [
    "AucBootstrap",
    "AucMethod",
    "Bca",
    "DeLong",
    "ExactBootstrap",
    "FoldAucMethod",
    "FoldDeLong",
    "FoldScore",
    "FoldT",
    "HanleyMcNeil",
    "Influence",
    "LogitDeLong",
    "NadeauBengio",
    "Newcombe",
    "PartialAucMethod",
    "PartialBootstrap",
    "Placement",
    "ScoreDeLong",
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


@explain_with(
    folds="The sample says it: rb.fold_auc_interval(rb.Sample(y_true, y_score, folds=...))."
)
def auc_interval(
    y_true: Labels | Data,
    y_score: Column | None = None,
    *,
    positive: object = None,
    method: str | AucMethod | None = None,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    null: float = 0.5,
    n_resamples: int | None = None,
    rng: Rng = 0,
) -> Interval:
    """Confidence interval for the area under the ROC curve, ties counted one half.

    Parameters
    ----------
    y_true : Sample, RocCurve or ScoreCounts, or array-like of shape (n,)
        The data of one model; or two labels of any kind.
    y_score : array-like of shape (n,), optional
        With labels, the scores; a larger one means more positive.
    positive : object, optional
        With labels, the positive one; needed unless they are {0, 1}, {-1, 1} or booleans.
    method : str or AucMethod, optional
        By name or as an instance with its parameters:

        - 'score-delong', the default: score limits with a variance estimated from placements;
          never a point, and close to its level also with classes of unequal size and near AUC 1.
        - 'newcombe': score limits, from the AUC and the class sizes alone; never a point.
        - 'logit-delong': DeLong's variance on the log-odds scale. Where that has no limits, because
          the AUC is 0 or 1, its variance 0 or a class has one case, Newcombe's limits are given.
        - 'delong', 'hanley-mcneil', 'exact-bootstrap': the AUC plus and minus a multiple of its
          standard error, clipped to [0, 1]. The variance is DeLong's, or assumes exponential
          scores, or is the bootstrap variance in closed form.
        - 'bootstrap', 'bca': quantiles of resampled AUCs, plain or corrected for bias and
          skewness. Resamples keep the class sizes.

        If the estimated variance is 0, the last five return a single point and note it.
    level : float, default 0.95
        Confidence level.
    alternative : {'two-sided', 'greater', 'less'}
        'greater' gives a lower limit only, 'less' an upper one only.
    null : float, default 0.5
        Value of the AUC under the null hypothesis.
    n_resamples : int, optional
        For 'bootstrap' and 'bca', 2000 by default.
    rng : None, int, SeedSequence or Generator, default 0
        Source of randomness: the seed of the draws; None draws a new one.

    Returns
    -------
    Interval
        Estimate, limits, standard error and the p-value for AUC = `null`. The p-value comes from
        the test whose inversion gives the limits: a score test for 'score-delong' and 'newcombe',
        a Wald test on the log-odds scale for 'logit-delong', resampled AUCs for 'bootstrap' and
        'bca', otherwise a Wald test.

    See Also
    --------
    rocbands.partial_auc_interval : part of the area.
    rocbands.fold_auc_interval : from the folds of a cross-validation.

    Examples
    --------
    >>> import rocbands as rb
    >>> auc = rb.auc_interval(rb.load_example()["logistic"])
    >>> print(f"{auc.estimate:.3f} ({auc.low:.3f} to {auc.high:.3f})")
    0.900 (0.872 to 0.922)
    >>> rb.auc_interval([1, 1, 0, 0], [4, 3, 2, 1]).high
    1.0
    """
    roc = as_roc_curve(y_true, y_score, positive)
    chosen = resolve_method(method, METHODS, AucMethod, DEFAULT, n_resamples=n_resamples)
    return chosen(roc, level=level, alternative=alternative, null=null, rng=rng)
