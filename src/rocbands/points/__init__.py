"""Operating points: thresholds, their rates, and confidence limits; all methods are listed here."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any, get_args

import numpy as np

from rocbands.core.arguments import explain
from rocbands.core.checks import (
    as_rate,
    check_choice,
    check_share,
    check_unit_interval,
    pick_one,
    spoken,
)
from rocbands.core.columns import Column, Labels, Numbers, plain_array, score_column
from rocbands.core.data import Data, as_roc_curve, check_labels
from rocbands.core.method import refuse_extras, resolve_method
from rocbands.core.models import Models
from rocbands.core.randomness import Rng
from rocbands.core.result import Words
from rocbands.core.roc import RocCurve
from rocbands.errors import InputError, Message, arg, call, in_python
from rocbands.points.bootstrap import PointBootstrap
from rocbands.points.clopper_pearson import PointClopperPearson
from rocbands.points.eer import find_equal_error
from rocbands.points.likelihood import PointLikelihood
from rocbands.points.method import Fixed, PointMethod
from rocbands.points.result import OperatingPoints, speak
from rocbands.points.thresholds import (
    CHOSEN,
    CORNER,
    EQUAL_COSTS,
    OPTIMISTIC,
    OWN_RATES,
    Best,
    ErrorWeights,
    find_thresholds,
)
from rocbands.points.wilson import PointWilson

__all__ = ["PointBootstrap", "PointClopperPearson", "PointLikelihood", "PointMethod", "PointWilson"]

METHODS: dict[str, type[PointMethod]] = {
    "likelihood": PointLikelihood,
    "wilson": PointWilson,
    "clopper-pearson": PointClopperPearson,
    "bootstrap": PointBootstrap,
}
SHARED_FILES: dict[str, str] = {}
DEFAULT: dict[Fixed, str] = {"rates": "likelihood", "thresholds": "wilson"}
DESIGN_DEFAULT = "likelihood"  # of rows with clusters, weights or strata

_WORDS: dict[str, Words] = {
    "specificity": "medical",
    "sensitivity": "medical",
    "precision": "learning",
    "rate": "learning",
}


@explain
def operating_points(
    y_true: Labels | Data,
    y_score: Column | None = None,
    *,
    positive: object = None,
    method: str | PointMethod | None = None,
    fpr: Numbers | None = None,
    specificity: Numbers | None = None,
    tpr: Numbers | None = None,
    sensitivity: Numbers | None = None,
    threshold: Numbers | None = None,
    rate: Numbers | None = None,
    precision: Numbers | None = None,
    best: Best | None = None,
    costs: tuple[float, float] | None = None,
    prevalence: float | None = None,
    test: Data | tuple[Labels, Column] | None = None,
    joint: bool = False,
    level: float = 0.95,
    words: Words | None = None,
    n_resamples: int | None = None,
    rng: Rng = 0,
) -> OperatingPoints:
    """Find thresholds, and confidence limits for what they achieve.

    Exactly one of `fpr`, `specificity`, `tpr`, `sensitivity`, `threshold`, `rate`, `precision` and
    `best` selects the points; all but `best` may be several numbers. A row is called positive if
    its score >= threshold. Tables use the terms of the argument, such as specificity.

    Parameters
    ----------
    y_true : Sample, RocCurve or ScoreCounts, or array-like of shape (n,)
        The data of one model; or two labels of any kind.
    y_score : array-like of shape (n,), optional
        With labels, the scores; a larger one means more positive.
    positive : object, optional
        With labels, the positive one; needed unless they are {0, 1}, {-1, 1} or booleans.
    method : str or PointMethod, optional
        For fixed rates 'likelihood' (default), 'wilson' or 'bootstrap'; for thresholds 'wilson'
        (default), 'clopper-pearson' or 'likelihood', which is the default for rows with clusters or
        weights, and for them the only one at fixed rates. See Notes.
    fpr, specificity : float or array-like, optional
        Fixed false positive rates, or specificities, which are 1 - fpr: limits are for the height
        of the true curve there.
    tpr, sensitivity : float or array-like, optional
        Fixed true positive rates, which are sensitivities: limits are for the true curve's false
        positive rate there.
    threshold : float or array-like, optional
        Thresholds fixed in advance.
    rate : float or array-like, optional
        Largest fractions of all rows that may be called positive.
    precision : float or array-like, optional
        Smallest precisions (positive predictive values) at `prevalence`. Among the thresholds that
        attain it on these rows, the one with the largest recall is chosen.
    best : {'youden', 'corner', 'cost', 'eer'}, optional
        'youden': largest tpr - fpr. 'corner': closest to (0, 1). 'cost': smallest expected cost.
        'eer': the equal error rate, where fpr = 1 - tpr, with a likelihood interval for it.
        If several thresholds are best, all are returned.
    costs : (float, float), default (1, 1)
        Costs of a false negative and of a false positive, for `best`.
    prevalence : float, optional
        Fraction of positives where the threshold will be used. PPV, NPV and F1 default to the
        prevalence of the rows and their limits then include its error. For `best`, 'cost' defaults
        to the prevalence of the rows and the others to one half, which weights both rates equally.
    test : Sample, RocCurve or ScoreCounts, or (array-like, array-like), optional
        A second set of the same model, or its labels and scores. Thresholds are then found on the
        first set, and rates and limits come from the second, so that they are not optimistic.
    joint : bool, default False
        For thresholds: if True, both rates of a point are covered jointly with probability `level`;
        each rate has limits at the square root of `level`.
    level : float, default 0.95
        Confidence level, strictly between 0 and 1.
    words : {'rates', 'medical', 'learning'}, optional
        Names of the columns, by default those of the argument: fpr and tpr; specificity and
        sensitivity, printed with PPV, NPV and likelihood ratios; or, for `rate` and `precision`,
        recall and precision, printed with F1.
    n_resamples : int, optional
        Resamples of 'wilson' and 'bootstrap' at fixed rates, 2000 by default; needed only if a
        positive and a negative have the same score.
    rng : None, int, SeedSequence or Generator, default 0
        Source of randomness: the seed of the draws; None draws a new one.

    Returns
    -------
    OperatingPoints
        A table, one row for each point: the rates, their limits, the threshold, and PPV, NPV,
        likelihood ratios and F1 with limits.

    Notes
    -----
    At a threshold fixed in advance both counts are binomial and independent. At a fixed rate the
    threshold is estimated: 'likelihood' keeps the heights v for which some point of the empirical
    curve is compatible with (fpr, v); 'bootstrap' takes percentiles of the height in stratified
    resamples, from their exact distribution; 'wilson' takes Wilson's limits around its mean, with
    the effective sample size that its variance implies. The last two are too narrow where few
    negatives lie below the fpr. docs/formulas.md has the formulas, studies/docs/coverage-points.md
    the measured coverage.

    At a threshold, with the prevalence of the rows, PPV, NPV and F1 have the method's limits of a
    binomial proportion; at a fixed rate and a given prevalence they are transformed limits of the
    other rate. Otherwise limits of the factors are combined by MOVER on the logarithm.

    Examples
    --------
    >>> import rocbands as rb
    >>> at = rb.operating_points(rb.load_example()["logistic"], fpr=[0.05, 0.1])
    >>> print(at.tpr.round(2), at.tpr_lower.round(2), at.tpr_upper.round(2))
    [0.53 0.69] [0.36 0.6 ] [0.69 0.77]
    """
    example = Message("Pass, for example, {} or {}.", arg("fpr", 0.05), arg("best", "youden"))
    asked, value = pick_one(
        example if costs is None else Message("For {} pass {}.", arg("costs"), arg("best", "cost")),
        fpr=fpr,
        specificity=specificity,
        tpr=tpr,
        sensitivity=sensitivity,
        threshold=threshold,
        rate=rate,
        precision=precision,
        best=best,
    )
    if isinstance(value, str) and asked == "threshold":
        remedy = Message(
            "The best by a rule: {}, or {}.", arg("best", "youden"), call("best_threshold")
        )
        with suppress(ValueError):
            remedy = Message("Pass {}.", arg("threshold", float(value)))
        raise InputError("must be numbers", f"got {value!r}", remedy, argument=asked)
    words = _WORDS.get(asked, "rates") if words is None else words
    check_choice(words, get_args(Words), "words")
    kind, wanted = as_rate(asked, value)
    with spoken(asked):
        wanted = _read_wanted(kind, wanted)
    errors = ErrorWeights.from_arguments(costs, prevalence, kind, best)
    at_rate = kind in ("fpr", "tpr") or best == "eer"
    fixed: Fixed = "rates" if at_rate and test is None else "thresholds"
    known = {name: cls for name, cls in METHODS.items() if fixed in cls.fixed}
    roc = as_roc_curve(y_true, y_score, positive)
    tested = roc if test is None else _read_test_set(test, kind, y_true, roc, positive)
    default = DEFAULT[fixed] if tested.independent else DESIGN_DEFAULT
    chosen = resolve_method(method, known, PointMethod, default, n_resamples=n_resamples)
    share = None if prevalence is None else check_share(prevalence, "prevalence")
    if best == "eer" and test is None:
        return _speak(find_equal_error(roc, chosen, joint, level, share), "best eer", words)
    how: dict[str, Any] = {"joint": joint, "level": level, "prevalence": share, "rng": rng}
    if fixed == "rates":
        with spoken(asked):
            found = chosen(roc, **{kind: wanted}, **how)
        return _speak(found, speak(kind, words), words)
    cut, notes = find_thresholds(roc, kind, wanted, errors)
    if best == "cost" and costs is None:
        notes = (EQUAL_COSTS, *notes)
    if test is not None:
        other = (
            f"Thresholds were found on {roc.n_pos} positives and {roc.n_neg} negatives, and are "
            "evaluated on other rows."
        )
        notes = (*(note for note in notes if note not in (CHOSEN, OPTIMISTIC, OWN_RATES)), other)
    found = chosen(tested, threshold=cut, **how)
    title = f"best {best}" if best else speak(kind, words) if kind in ("fpr", "tpr") else kind
    return _speak(found, title, words, notes)


def _speak(
    found: OperatingPoints, asked: str, words: Words, notes: tuple[str, ...] = ()
) -> OperatingPoints:
    """Say what was asked, and notes, in the chosen words."""
    spoken_notes = tuple(speak(note, words) for note in (*found.notes, *notes))
    return replace(found, asked=asked, notes=spoken_notes, words=words)


def _read_wanted(kind: str, value: Any) -> Any:
    """Check the numbers, or the name, that select the points."""
    if kind == "best":
        check_choice(value, get_args(Best), "best", CORNER)
        return value
    single = not isinstance(value, (list, tuple)) and np.ndim(value) == 0
    if kind == "threshold":
        return score_column([value] if single else value, "threshold")
    return check_unit_interval([value] if single else value, kind).ravel()


def _read_test_set(test: Any, kind: str, y_true: Any, roc: RocCurve, positive: object) -> RocCurve:
    """Read the test set, on which thresholds found on the first set, `y_true`, are evaluated."""
    if kind == "threshold":
        raise InputError(
            Message("{} evaluates thresholds that are found on the first set", arg("test")),
            Message("{} fixes them", arg("threshold")),
            Message("Pass the test set in place of the first, without {}.", arg("test")),
        )
    if isinstance(test, (RocCurve, Models)):
        tested = as_roc_curve(test)
    elif isinstance(test, (tuple, list)) and len(test) == 2:
        positive = y_true.positive if isinstance(y_true, Models) else positive
        labels = plain_array(test[0], "test[0]")
        own = bool(np.any(labels == positive))  # as in the first set; booleans have their own
        tested = as_roc_curve(test[0], test[1], positive if own else None)
    else:
        raise InputError(
            "must be a second sample, or its labels and scores",
            f"got {type(test).__name__}",
            in_python("Pass a Sample, or (y_test, score_test)."),
            argument="test",
        )
    check_labels(y_true, test)
    pooled = [extra for extra in roc.design if extra in ("folds", "repeats")]
    refuse_extras(call("operating_points"), (), pooled, {})
    if roc.origin is not None and roc.origin.overlaps(tested.origin):
        raise InputError(
            "must not contain the rows on which thresholds are found",
            "both come from the same rows",
            "Split the rows first, one part to find thresholds and one to evaluate them.",
            argument="test",
        )
    return tested
