"""Comparing two classifiers by what they cost, at all operating conditions at once."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri

from rocbands.core.checks import (
    FloatArray,
    check_choice,
    check_flag,
    check_level,
    check_resamples,
    check_rng,
)
from rocbands.core.scores import PairedScores
from rocbands.cost.conditions import Conditions, Sampling
from rocbands.cost.counts import check_thresholds
from rocbands.cost.paired_counts import Calls
from rocbands.cost.paired_laws import exact
from rocbands.cost.paired_limits import gaussian, mover
from rocbands.cost.paired_moments import Contrast
from rocbands.cost.paired_results import CostDifference
from rocbands.cost.simultaneous import critical_value
from rocbands.errors import InputError

__all__ = ["METHODS", "cost_difference"]

METHODS = ("mover", "gaussian", "exact")
ENOUGH = 10  # discordant rows from which on a difference is near normal


def cost_difference(
    y_true: Any,
    y_score_1: Any,
    y_score_2: Any,
    thresholds_1: Any,
    thresholds_2: Any,
    w: Any = None,
    method: str = "mover",
    *,
    sampling: Sampling = "stratified",
    costs: Any = None,
    prevalence: float | None = None,
    simultaneous: bool = False,
    level: float = 0.95,
    names: tuple[str, str] = ("model 1", "model 2"),
    positive: object = None,
    rng: Any = None,
    n_draws: int = 2000,
) -> CostDifference:
    """Compare two classifiers' costs on the same rows, at thresholds that were chosen beforehand.

    The difference is cost 2 minus cost 1: where it is positive, classifier 1 is cheaper. Limits are
    for the true costs of these thresholds. Thresholds that were chosen on the very rows of the test
    make both classifiers look cheaper than they are, and the limits too narrow.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Two labels of any kind.
    y_score_1, y_score_2 : array-like of shape (n,)
        The two classifiers' scores; a larger one means more positive.
    thresholds_1, thresholds_2 : float or array-like of shape (k,)
        Where each begins to say positive, at each w, or once for all.
    w : float or array-like of shape (k,), optional
        Operating conditions from 0 to 1; see :func:`operating_condition`.
    method : {'mover', 'gaussian', 'exact'}
        'mover' puts Tango's score limits of both classes together; it holds near w = 0 and 1, too,
        and is never certain because nothing varied. 'gaussian' has the bootstrap's standard error
        and 'exact' the percentiles of its law, both without drawing resamples; where few rows are
        decided differently both are too narrow.
    sampling : {'stratified', 'full'}
        Whether class sizes are fixed, or as random as the rows of the test set were.
    costs : (c_fn, c_fp), optional
        Costs of a false negative and of a false positive, numbers or arrays; instead of `w`.
    prevalence : float, optional
        Share of positives that goes with `costs`; by default that of the test set.
    simultaneous : bool, default False
        Limits that hold at all given w together, by a larger multiple of the standard error.
    level : float, default 0.95
        Confidence level.
    names : (str, str), optional
        What to call the classifiers.
    positive : object, optional
        The positive label; needed unless the labels are {0, 1}, {-1, 1} or booleans.
    rng : int, Generator or anything `numpy.random.default_rng` takes, optional
        Source of randomness of simultaneous limits.
    n_draws : int, default 2000
        Random draws of simultaneous limits.

    Returns
    -------
    CostDifference
        ``.w .difference .low .high`` and ``.regions``, where one classifier is cheaper.

    See Also
    --------
    cost_interval : the same for one classifier.
    difference_band : the difference of ROC curves, without thresholds or costs.

    Notes
    -----
    Measured at level 0.9 on binormal scores of classifiers that cost the same everywhere, at 99 w:
    pointwise limits exclude 0 at some w in 46 to 95 of 100 test sets, simultaneous ones in 1 to 8.
    Ask with ``simultaneous=True`` whether two classifiers differ anywhere.

    Examples
    --------
    >>> import numpy as np, rocbands as rb
    >>> y, models = rb.load_example()
    >>> w = np.linspace(0.05, 0.95, 19)
    >>> found = rb.cost_difference(
    ...     y, *models.values(), 1 - w, 1 - w, w, positive="malignant", simultaneous=True, rng=1
    ... )
    >>> [(round(part.low, 2), round(part.high, 2), part.sign) for part in found.regions]
    [(0.2, 0.65, 1)]
    """
    question = _Question.of(method, level, simultaneous, n_draws)
    rows = PairedScores.from_columns(y_true, {"1": y_score_1, "2": y_score_2}, positive=positive)
    n_pos = int(np.count_nonzero(rows.is_positive))
    n_neg = rows.is_positive.size - n_pos
    at = Conditions.of(w, costs, prevalence, sampling, (n_pos, n_neg))
    cut_1 = check_thresholds(thresholds_1, at.w.size, "thresholds_1")
    cut_2 = check_thresholds(thresholds_2, max(at.w.size, cut_1.size), "thresholds_2")
    cut_1, at = check_thresholds(cut_1, cut_2.size, "thresholds_1"), at.repeated(cut_2.size)
    pos, neg = (
        Calls.of((rows["1"].values[own], rows["2"].values[own]), (cut_1, cut_2))
        for own in (rows.is_positive, ~rows.is_positive)
    )
    (only_1_pos, only_2_pos), (only_1_neg, only_2_neg) = pos.discordant(), neg.discordant()
    contrast = Contrast(
        for_1=np.stack((only_1_pos, only_2_neg)),
        for_2=np.stack((only_2_pos, only_1_neg)),
        unit=np.stack((at.c_fn, at.c_fp)),
        n_pos=n_pos,
        n_neg=n_neg,
        full=sampling == "full",
    )
    low, high, critical, notes = _limits(question, (pos, neg), contrast, rng)
    return CostDifference(
        w=at.w,
        difference=np.clip(contrast.mean, -1.0, 1.0),
        low=np.clip(low, -1.0, 1.0),
        high=np.clip(high, -1.0, 1.0),
        cost_1=at.c_fn * (n_pos - pos.called_by_1()) + at.c_fp * neg.called_by_1(),
        cost_2=at.c_fn * (n_pos - pos.called_by_2()) + at.c_fp * neg.called_by_2(),
        thresholds_1=cut_1,
        thresholds_2=cut_2,
        only_1_pos=only_1_pos,
        only_2_pos=only_2_pos,
        only_1_neg=only_1_neg,
        only_2_neg=only_2_neg,
        names=check_names(names),
        n_pos=n_pos,
        n_neg=n_neg,
        level=question.level,
        simultaneous=question.simultaneous,
        critical=critical,
        method=method,
        sampling=sampling,
        normaliser=at.normaliser,
        prevalence=at.prevalence,
        notes=(*at.notes, *notes),
        frame=rows.frame,
    )


class _Question(NamedTuple):
    """What is asked of a difference, checked."""

    method: str
    level: float
    simultaneous: bool
    n_draws: int

    @classmethod
    def of(cls, method: str, level: float, simultaneous: bool, n_draws: int) -> _Question:
        level = check_level(level)
        check_choice(method, METHODS, "method")
        check_flag(simultaneous, "simultaneous")
        check_resamples(n_draws, max(20, math.ceil(1.0 / (1.0 - level) - 1e-6)), "n_draws")
        if simultaneous and method == "exact":
            raise InputError(
                "`method` 'exact' is the law of one difference, not of all together. For "
                "simultaneous=True use method='mover' or method='gaussian'."
            )
        return cls(method, level, bool(simultaneous), n_draws)


def _limits(
    question: _Question, calls: tuple[Calls, Calls], contrast: Contrast, rng: Any
) -> tuple[FloatArray, FloatArray, float, tuple[str, ...]]:
    """Return limits, how many standard errors they are worth, and what to say of them."""
    z, notes = float(ndtri((1.0 + question.level) / 2.0)), []
    generator = check_rng(rng)
    if question.simultaneous:
        drawn = critical_value(calls, contrast, question.level, question.n_draws, generator)
        z = max(z, drawn)
        notes.append(
            f"{z:.3f} standard errors, from {question.n_draws} draws. Between the given w nothing "
            "is claimed."
        )
    few = contrast.dominant_discordant < ENOUGH
    if few.any() and question.method != "mover":
        then = "it claims nothing" if question.simultaneous else "it is too narrow"
        notes.append(
            f"At {np.count_nonzero(few)} w fewer than {ENOUGH} rows of the class that matters are "
            f"decided differently; {then} there. Use method='mover'."
        )
    if question.method == "exact":
        low, high = exact(contrast, question.level)
    elif question.method == "mover":
        low, high = mover(contrast, z)
    else:
        low, high = gaussian(contrast, z)
        silent = few & question.simultaneous
        low, high = np.where(silent, -1.0, low), np.where(silent, 1.0, high)
    return low, high, z, tuple(notes)


def check_names(names: Any) -> tuple[str, str]:
    """Return two names."""
    try:
        one, two = names
        if isinstance(names, str):
            raise TypeError
    except (TypeError, ValueError):
        raise InputError(
            f"`names` must be the two models' names; got {names!r}. Pass, for example, "
            "names=('old', 'new')."
        ) from None
    return str(one), str(two)
