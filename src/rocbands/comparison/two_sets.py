"""Are the curves of two test sets equal? By the two-sample likelihood statistic."""

from __future__ import annotations

from rocbands.comparison.delong import delong
from rocbands.comparison.question import Answer, Pair, Question
from rocbands.core.roc import RocCurve
from rocbands.likelihood.two_sets import equal_curves

__all__ = ["likelihood"]


def likelihood(pair: Pair, question: Question, n_resamples: int) -> Answer:
    """Test of equal curves on different rows; the interval of the areas' difference is DeLong's."""
    one, two = (RocCurve.from_scores(scores) for scores in (pair.one, pair.two))
    statistic, pvalue = equal_curves(one, two, n_resamples)
    notes = (
        f"The p-value is for the whole curves, from {n_resamples} pairs of sets labelled by "
        "chance; the interval is for the areas, which can be equal while the curves are not.",
    )
    if pair.least < 2:
        lonely = "With one case of a class the areas' difference has no interval."
        return Answer(-1.0, 1.0, statistic, pvalue, interval="none", notes=(*notes, lonely))
    areas = delong(pair, question)
    return areas._replace(statistic=statistic, pvalue=pvalue, df=None, notes=(*notes, *areas.notes))
