"""Comparing classifiers: one module for each method, all of them listed here.

`METHODS` are the methods of :func:`compare`. `OTHER_FILES` are comparisons that need more than two
columns of scores; each is a function in a file of the same name.
"""

from __future__ import annotations

from rocbands.comparison.bootstrap import BootstrapTest, BootstrapTTest
from rocbands.comparison.delong import DeLongTest, ScoreDeLongTest
from rocbands.comparison.likelihood import LikelihoodTest
from rocbands.comparison.method import ComparisonMethod, ComparisonRequest, Outcome
from rocbands.comparison.nadeau_bengio import NadeauBengioTest
from rocbands.comparison.venkatraman import VenkatramanTest
from rocbands.core.arguments import explain_with
from rocbands.core.columns import Column, Labels
from rocbands.core.comparison import Comparison
from rocbands.core.data import Data, read_pair
from rocbands.core.method import Alternative, resolve_method
from rocbands.core.pair import Pair
from rocbands.core.randomness import Rng

__all__ = [
    "BootstrapTTest",
    "BootstrapTest",
    "ComparisonMethod",
    "ComparisonRequest",
    "DeLongTest",
    "LikelihoodTest",
    "NadeauBengioTest",
    "Outcome",
    "Pair",
    "ScoreDeLongTest",
    "VenkatramanTest",
]

METHODS: dict[str, type[ComparisonMethod]] = {
    "score-delong": ScoreDeLongTest,
    "delong": DeLongTest,
    "bootstrap": BootstrapTest,
    "bootstrap-t": BootstrapTTest,
    "venkatraman": VenkatramanTest,
    "likelihood": LikelihoodTest,
    "nadeau-bengio": NadeauBengioTest,
}
SHARED_FILES = {
    "score-delong": "in delong.py: the same test, with other limits",
    "bootstrap-t": "in bootstrap.py: the same resamples, each in units of its own standard error",
}
OTHER_FILES = {
    "mcnemar": "at one threshold for each model, which must be given",
    "compare_tpr": "at one false positive rate, which must be given",
    "compare_many": "of any number of models",
    "partial_auc_difference": "of areas over a range of rates, which must be given",
    "difference_band": "of whole curves, at all false positive rates of a range",
}
DEFAULT = "score-delong"


@explain_with(
    metric="It compares AUCs. For others use rb.compare_tpr(), rb.mcnemar(), "
    "rb.average_precision_difference() or rb.cost_difference().",
    test="Tests of AUCs are values of `method`. McNemar's is rb.mcnemar(..., thresholds=...).",
)
def compare(
    y_true: Labels | Data,
    y_score_1: Column | Data | None = None,
    y_score_2: Column | None = None,
    *,
    positive: object = None,
    method: str | ComparisonMethod | None = None,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    margin: float | None = None,
    n_resamples: int | None = None,
    rng: Rng = 0,
) -> Comparison:
    """Compare two classifiers: the difference of their areas, with an interval and a test.

    Differences are model 1 minus model 2.

    Parameters
    ----------
    y_true : Sample, or array-like of shape (n,)
        A sample of two models, or the first of two test sets; or two labels of any kind.
    y_score_1, y_score_2 : array-like of shape (n,), or Sample, optional
        With labels, both models' scores; with a first test set, `y_score_1` is the second one.
    positive : object, optional
        With labels, the positive one; needed unless they are {0, 1}, {-1, 1} or booleans.
    method : str or ComparisonMethod, default 'score-delong'
        'delong', 'bootstrap' (percentile) and 'bootstrap-t' test equal areas; 'venkatraman' tests
        equal *curves* on the same rows, 'likelihood' on different rows. Of a sample with folds
        'score-delong' and 'nadeau-bengio' compare the means over folds. Or an instance of a method.
    level : float, default 0.95
        Confidence level.
    alternative : {'two-sided', 'less', 'greater'}
        'greater': model 1 is better. The interval is one-sided, too, also with a margin.
    margin : float, optional
        Margin of a non-inferiority test: is the area of model 1 above the area of model 2 minus
        `margin`?
    n_resamples : int, optional
        Number of random draws, for methods that draw; 2000 by default.
    rng : None, int, SeedSequence or Generator, default 0
        Source of randomness: the seed of the draws; None draws a new one.

    Returns
    -------
    Comparison
        ``.difference`` with its limits ``.low`` and ``.high``, ``.statistic``, ``.pvalue``,
        ``.verdict``.

    See Also
    --------
    compare_many : more than two models.
    partial_auc_difference : parts of the areas.
    mcnemar : the same question at one threshold for each model.
    compare_tpr : the same question at one false positive rate.

    Examples
    --------
    >>> import rocbands as rb
    >>> found = rb.compare(rb.load_example())
    >>> print(f"{found.difference:.3f} {found.low:.3f} {found.pvalue:.1g}")
    0.100 0.065 2e-08
    """
    pair = read_pair(y_true, y_score_1, y_score_2, positive)
    chosen = resolve_method(method, METHODS, ComparisonMethod, DEFAULT, n_resamples=n_resamples)
    return chosen(pair, level=level, alternative=alternative, margin=margin, rng=rng)
