"""A simultaneous band for the difference of two ROC curves of the same rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rocbands.comparison.paired_curves import Law, Side
from rocbands.core.checks import (
    CountArray,
    FloatArray,
    check_level,
    check_resamples,
    check_rng,
    check_unit_interval,
)
from rocbands.core.difference import UNNAMED, DifferenceBand
from rocbands.core.scores import PairedScores, row_groups
from rocbands.errors import InputError

__all__ = ["check_range", "difference_band"]

POINTS = 101  # of the grid
LEAST = 2.0  # negatives beyond each end of the range, below which a note is made


def difference_band(
    y_true: Any,
    y_score_1: Any,
    y_score_2: Any,
    *,
    level: float = 0.95,
    fpr: tuple[float, float] = (0.05, 0.95),
    groups: Any = None,
    n_resamples: int = 5000,
    names: tuple[str, str] = UNNAMED,
    positive: object = None,
    rng: Any = None,
) -> DifferenceBand:
    """Limits for the difference of two models' ROC curves that hold at all FPR at once.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Two labels of any kind.
    y_score_1, y_score_2 : array-like of shape (n,)
        Both models' scores of the same rows; a larger one means more positive.
    level : float, default 0.95
        Confidence that the whole true difference lies between the limits.
    fpr : (float, float), default (0.05, 0.95)
        The range of false positive rates that the band is for, inside (0, 1).
    groups : array-like of shape (n,), optional
        Which rows belong together, for example the patient of each lesion; at least two groups.
    n_resamples : int, default 5000
        Number of drawn difference curves.
    names : (str, str), optional
        What to call the models.
    positive : object, optional
        The positive label; needed unless the labels are {0, 1}, {-1, 1} or booleans.
    rng : None, int, SeedSequence or Generator, optional
        Source of randomness.

    Returns
    -------
    DifferenceBand
        TPR of model 1 minus TPR of model 2, its limits, and the ranges of FPR in which one model
        is better.

    Notes
    -----
    Every row pulls at the difference: a positive that one model ranks above its threshold and the
    other does not, and a negative that moves one threshold more than the other, in proportion to
    the slopes of the two curves. A paired bootstrap with normal weights adds up these pulls, one
    weight for each row and both models; its law is normal with a known covariance, from which the
    curves are drawn. The band is the observed difference with the quantile of the largest drawn
    deviation, in standard errors, to either side. The standard error never vanishes: half a case of
    each class is added on either side. How often the band holds: docs/coverage-difference.md.

    Examples
    --------
    >>> import rocbands as rb
    >>> y, models = rb.load_example()
    >>> logistic, neighbours = models["logistic"], models["neighbours"]
    >>> band = rb.difference_band(y, logistic, neighbours, positive="malignant", rng=1)
    >>> band.better[0].model, band.better[0].low
    (1, 0.05)
    """
    level = check_level(level)
    check_resamples(n_resamples)
    grid = _grid(*check_range(fpr))
    if isinstance(names, str) or len(names) != 2:
        raise InputError(f"`names` must be the two models' names; got {names!r}.")
    scores = {"y_score_1": y_score_1, "y_score_2": y_score_2}
    pair = PairedScores.from_columns(y_true, scores, positive=positive)
    sides = tuple(Side.of(model, grid) for model in pair)
    owners = None if groups is None else row_groups(groups, next(iter(pair)))
    law = Law.of(pair, sides, grid, owners)

    critical_value = law.critical_value(level, n_resamples, check_rng(rng))
    difference = sides[0].tpr - sides[1].tpr
    half = np.maximum(critical_value * law.error, -math.log1p(-level) * law.floor)
    return DifferenceBand(
        fpr=grid,
        difference=difference,
        lower=np.maximum(difference - half, -1.0),
        upper=np.minimum(difference + half, 1.0),
        level=level,
        critical_value=critical_value,
        n_pos=int(np.count_nonzero(pair.is_positive)),
        n_neg=int(np.count_nonzero(~pair.is_positive)),
        names=(str(names[0]), str(names[1])),
        notes=_notes(pair, grid, owners),
        frame=pair.frame,
    )


def _notes(pair: PairedScores, fpr: FloatArray, owners: CountArray | None) -> tuple[str, ...]:
    notes = []
    if owners is not None:
        notes.append(f"Rows of {int(owners.max()) + 1} groups; only groups are independent.")
    beyond = min(fpr[0], 1.0 - fpr[-1]) * np.count_nonzero(~pair.is_positive)
    if beyond < LEAST:
        notes.append(
            f"Only {beyond:.2g} negatives lie beyond an end of the range, where the band has not "
            f"been measured; at least {LEAST:g} should."
        )
    return tuple(notes)


def _grid(low: float, high: float) -> FloatArray:
    """Points as far apart as rates are noisy: closer together near 0, where curves bend, and 1."""
    angles = np.linspace(math.asin(math.sqrt(low)), math.asin(math.sqrt(high)), POINTS)
    points: FloatArray = np.sin(angles) ** 2
    points[[0, -1]] = low, high
    return points


def check_range(fpr: tuple[float, float]) -> tuple[float, float]:
    """Return the ends of a range strictly inside (0, 1)."""
    ends = check_unit_interval(fpr, "fpr")
    if ends.shape != (2,) or not 0.0 < ends[0] < ends[1] < 1.0:
        raise InputError(
            f"`fpr` must be two ends with 0 < low < high < 1; got {fpr!r}. At fpr 0 and 1 all "
            "curves meet. Pass, for example, fpr=(0.05, 0.95)."
        )
    return float(ends[0]), float(ends[1])
