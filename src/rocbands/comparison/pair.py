"""Comparing two classifiers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rocbands.comparison.bootstrap import area, percentile, studentised
from rocbands.comparison.delong import delong
from rocbands.comparison.permutation import permutation
from rocbands.comparison.question import Answer, Pair, Question
from rocbands.comparison.two_sets import likelihood
from rocbands.core.checks import check_choice, check_resamples, check_rng
from rocbands.core.columns import two_classes
from rocbands.core.comparison import Comparison
from rocbands.core.interval import Interval
from rocbands.core.scores import PairedScores, Scores, row_groups
from rocbands.errors import InputError

__all__ = ["check_method", "compare", "compared", "paired_scores"]

Run = Callable[[Pair, Question, int, np.random.Generator], Answer]


class Method(NamedTuple):
    """What a method does and what it can be asked."""

    run: Run
    hypothesis: str
    paired: bool = True
    unpaired: bool = True
    sided: bool = True


_METHODS = {
    "delong": Method(lambda pair, question, _, __: delong(pair, question), "equal AUCs"),
    "bootstrap": Method(percentile, "equal AUCs"),
    "bootstrap-t": Method(studentised, "equal AUCs"),
    "permutation": Method(permutation, "equal ROC curves", unpaired=False, sided=False),
    "likelihood": Method(
        lambda pair, question, draws, _: likelihood(pair, question, draws),
        "equal ROC curves",
        paired=False,
        sided=False,
    ),
}


def compare(
    y_true: Any,
    y_score_1: Any,
    y_score_2: Any,
    method: str = "delong",
    *,
    paired: bool = True,
    y_true_2: Any = None,
    level: float = 0.95,
    alternative: str = "two-sided",
    margin: float | None = None,
    groups: Any = None,
    n_resamples: int = 2000,
    names: tuple[str, str] = ("model 1", "model 2"),
    positive: object = None,
    rng: Any = None,
) -> Comparison:
    """Compare two classifiers: the difference of their areas, with an interval and a test.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Two labels of any kind; with ``paired=False`` those of the first test set.
    y_score_1, y_score_2 : array-like
        The two models' scores. Differences are model 1 minus model 2, everywhere.
    method : str, default 'delong'
        'delong': test of equal areas; normal on the same rows, Welch's t on different ones.
        'bootstrap': the same by resampled rows, percentile interval. 'bootstrap-t': studentised.
        'permutation': test of equal *curves* on the same rows (Venkatraman and Begg 1996).
        'likelihood': test of equal curves on different rows.
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
        Which rows belong together, such as the lesions of one patient.
    n_resamples : int, default 2000
        Random draws of the resampling methods.
    names : (str, str), optional
        What to call the models.
    positive : object, optional
        The positive label; needed unless the labels are {0, 1}, {-1, 1} or booleans.
    rng : int, Generator or anything `numpy.random.default_rng` takes, optional
        Source of randomness of the resampling methods.

    Returns
    -------
    Comparison
        ``.difference`` (an interval), ``.statistic``, ``.pvalue``, ``.verdict``.

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
    >>> print(f"{found.difference.estimate:.3f} {found.difference.low:.3f} {found.pvalue:.1g}")
    0.100 0.065 1e-08
    """
    question = Question.of(level, alternative, margin)
    how = check_method(method, paired, question)
    check_resamples(n_resamples)
    if paired:
        one, two = paired_scores(y_true, y_score_1, y_score_2, positive)
        _refuse(y_true_2 is not None, "`y_true_2` is for paired=False", "Leave it out.")
    else:
        one, two = _two_sets(y_true, y_true_2, y_score_1, y_score_2, positive)
        _refuse(groups is not None, "`groups` is for models that scored the same rows",
                "Leave it out, or compare on the same rows.")  # fmt: skip
    pair = Pair(one, two, paired, None if groups is None else row_groups(groups, one))
    answer = how.run(pair, question, n_resamples, check_rng(rng))
    return compared(
        answer,
        question,
        pair,
        quantity="AUC",
        estimates=answer.estimates or (area(one), area(two)),
        names=names,
        method=method,
        hypothesis=_doubted(how.hypothesis, "AUC", question),
    )


def paired_scores(
    y_true: Any, y_score_1: Any, y_score_2: Any, positive: object
) -> tuple[Scores, Scores]:
    """Check and take two models' scores of the same rows."""
    models = PairedScores.from_columns(y_true, {"1": y_score_1, "2": y_score_2}, positive=positive)
    return models["1"], models["2"]


def compared(
    answer: Answer,
    question: Question,
    pair: Pair,
    *,
    quantity: str,
    estimates: tuple[float, float],
    names: tuple[str, str],
    method: str,
    hypothesis: str,
) -> Comparison:
    """Put a method's answer into words."""
    if isinstance(names, str) or len(names) != 2:
        raise InputError(f"`names` must be the two models' names; got {names!r}.")
    one, two = (str(name) for name in names)
    difference = min(max(estimates[0] - estimates[1], answer.low), answer.high)
    plain = hypothesis.startswith(f"equal {quantity}") or question.null != 0
    interval = Interval(
        quantity=f"difference of {quantity}",
        estimate=difference,
        low=answer.low,
        high=answer.high,
        level=question.level,
        method=answer.interval or method,
        n_pos=pair.one.n_pos,
        n_neg=pair.one.n_neg,
        standard_error=answer.standard_error,
        alternative=question.alternative,
        null=question.null if plain else None,
        pvalue=answer.pvalue if plain else None,
        target=f"{quantity} of {one} minus {quantity} of {two}",
        frame=pair.one.frame,
    )
    return Comparison(
        names=(one, two),
        quantity=quantity,
        estimates=estimates,
        difference=interval,
        statistic=answer.statistic,
        pvalue=answer.pvalue,
        method=method,
        hypothesis=hypothesis,
        paired=pair.paired,
        alternative=question.alternative,
        margin=-question.null if question.null else None,
        df=answer.df,
        notes=answer.notes,
        frame=pair.one.frame,
    )


def _doubted(hypothesis: str, quantity: str, question: Question) -> str:
    """Say what the test doubts."""
    if question.null:
        return f"a loss of {quantity} of {-question.null:g} or more"
    return hypothesis


def check_method(name: str, paired: bool, question: Question) -> Method:
    """Find a method, and refuse what it cannot be asked."""
    check_choice(name, tuple(_METHODS), "method")
    how = _METHODS[name]
    fits = how.paired if paired else how.unpaired
    others = ", ".join(n for n, m in _METHODS.items() if (m.paired if paired else m.unpaired))
    _refuse(
        not fits,
        f"`method` {name!r} does not compare on {'the same' if paired else 'different'} rows",
        f"Take one of {others}.",
    )
    sided = question.alternative != "two-sided"
    _refuse(
        sided and not how.sided,
        f"`method` {name!r} asks whether curves are equal, which has no direction",
        "For `alternative` or `margin` take method='delong'.",
    )
    return how


def _refuse(wrong: bool, what: str, remedy: str) -> None:
    if wrong:
        raise InputError(f"{what}. {remedy}")


def _two_sets(
    y_true: Any, y_true_2: Any, y_score_1: Any, y_score_2: Any, positive: object
) -> tuple[Scores, Scores]:
    _refuse(
        y_true_2 is None,
        "paired=False compares two test sets; the second one's labels are missing",
        "Pass them as y_true_2=...",
    )
    one = Scores.from_columns(y_true, y_score_1, positive=positive)
    _, label = two_classes(y_true_2, one.positive, "y_true_2")
    return one, Scores.from_columns(y_true_2, y_score_2, positive=label)
