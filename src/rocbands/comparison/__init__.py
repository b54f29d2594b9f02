"""Comparing classifiers: one module for each method, all of them listed here.

`METHODS` are the methods of :func:`compare`, which take two columns of scores and nothing else.
`OTHER_FILES` are comparisons that need more than that: functions in files of their names.
"""

from __future__ import annotations

from typing import Any

from rocbands.comparison.bootstrap import BootstrapTest, BootstrapTTest
from rocbands.comparison.delong import DeLongTest
from rocbands.comparison.likelihood import LikelihoodTest
from rocbands.comparison.method import ComparisonMethod, ComparisonRequest, Outcome
from rocbands.comparison.pair import Pair, read_pair
from rocbands.comparison.result import Comparison
from rocbands.comparison.venkatraman import VenkatramanTest
from rocbands.core.columns import against_rest
from rocbands.core.method import resolve_method
from rocbands.core.public import public
from rocbands.core.randomness import Rng

__all__ = [
    "DEFAULT",
    "METHODS",
    "OTHER_FILES",
    "SHARED_FILES",
    "BootstrapTTest",
    "BootstrapTest",
    "ComparisonMethod",
    "ComparisonRequest",
    "DeLongTest",
    "LikelihoodTest",
    "Outcome",
    "Pair",
    "VenkatramanTest",
    "compare",
    "compare_pair",
]

METHODS: dict[str, type[ComparisonMethod]] = {
    "delong": DeLongTest,
    "bootstrap": BootstrapTest,
    "bootstrap-t": BootstrapTTest,
    "venkatraman": VenkatramanTest,
    "likelihood": LikelihoodTest,
}
SHARED_FILES = {
    "bootstrap-t": "in bootstrap.py: the same resamples, each in units of its own standard error",
}
OTHER_FILES = {
    "mcnemar": "at one threshold for each model, which must be given",
    "compare_tpr": "at one false positive rate, which must be given",
    "compare_many": "of any number of models",
    "difference_band": "of whole curves, at all false positive rates of a range",
}
DEFAULT = "delong"


@public
def compare(
    y_true: Any,
    y_score_1: Any,
    y_score_2: Any,
    method: str | ComparisonMethod | None = None,
    *,
    paired: bool = True,
    y_true_2: Any = None,
    level: float = 0.95,
    alternative: str = "two-sided",
    margin: float | None = None,
    groups: Any = None,
    n_resamples: int | None = None,
    names: tuple[str, str] | None = None,
    positive: object = None,
    rest: bool = False,
    rng: Rng = "data",
) -> Comparison:
    """Compare two classifiers: the difference of their areas, with an interval and a test.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Two labels of any kind; with ``paired=False`` those of the first test set.
    y_score_1, y_score_2 : array-like
        The two models' scores. Differences are model 1 minus model 2, everywhere.
    method : str or ComparisonMethod, default 'delong'
        'delong': test of equal areas; normal on the same rows, Welch's t on different ones.
        'bootstrap': the same by resampled rows, percentile interval. 'bootstrap-t': studentised.
        'venkatraman': permutation test of equal *curves* on the same rows (Venkatraman and Begg
        1996). 'likelihood': test of equal curves on different rows. Or an instance of a method.
    paired : bool, default True
        Whether row i of both scores is the same case.
    y_true_2 : array-like, optional
        With ``paired=False``, the labels of the rows that `y_score_2` is for.
    level : float, default 0.95
        Confidence level.
    alternative : {'two-sided', 'less', 'greater'}
        'greater': model 1 is better. The interval is then one-sided as well.
    margin : float, optional
        Test of non-inferiority: is the area of model 1 above that of model 2 minus
        `margin`? The interval is one-sided.
    groups : array-like of shape (n,), optional
        The group of each row, such as the lesions of one patient.
    n_resamples : int, optional
        Random draws of the methods that have them, 2000 by default.
    names : (str, str), optional
        What to call the models.
    positive : object, optional
        The positive label; needed unless the labels are {0, 1}, {-1, 1} or booleans.
    rest : bool, default False
        One class against all others: every other label than `positive` counts as negative.
    rng : {'data'}, None, int, SeedSequence or Generator, default 'data'
        Source of randomness of the methods that draw.

    Returns
    -------
    Comparison
        ``.difference`` with its limits ``.low`` and ``.high``, ``.statistic``, ``.pvalue``,
        ``.verdict``.

    See Also
    --------
    compare_many : more than two models.
    mcnemar : the same question at one threshold for each model.
    compare_tpr : the same question at one false positive rate.

    Examples
    --------
    >>> import rocbands as rb
    >>> y, models = rb.load_example()
    >>> found = rb.compare(y, models["logistic"], models["neighbours"], positive="malignant")
    >>> print(f"{found.difference:.3f} {found.low:.3f} {found.pvalue:.1g}")
    0.100 0.065 1e-08
    """
    chosen = resolve_method(method, METHODS, ComparisonMethod, DEFAULT, n_resamples=n_resamples)
    pair = read_pair(
        y_true, y_score_1, y_score_2, paired=paired, y_true_2=y_true_2, groups=groups,
        positive=against_rest(positive, rest),
    )  # fmt: skip
    return chosen(pair, level=level, alternative=alternative, margin=margin, names=names, rng=rng)


def compare_pair(
    pair: Pair,
    method: str | ComparisonMethod | None = None,
    *,
    n_resamples: int | None = None,
    **asked: Any,
) -> Comparison:
    """Compare scores that are checked already; arguments as for :func:`compare`."""
    chosen = resolve_method(method, METHODS, ComparisonMethod, DEFAULT, n_resamples=n_resamples)
    return chosen(pair, **asked)
