"""Comparing many classifiers on the same rows: one joint test, and all pairs at once."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from scipy.special import chdtrc, ndtr, ndtri

from rocbands.comparison.delong import Classes, Contrast, contrast, covariance, placed
from rocbands.comparison.question import ranks
from rocbands.core.checks import FloatArray, check_level, check_rng
from rocbands.core.comparison import Comparisons
from rocbands.core.placements import Placements
from rocbands.core.scores import PairedScores, row_groups
from rocbands.errors import InputError

__all__ = ["compare_many", "holm"]

DRAWS = 100_000  # they place a limit to within about .01 standard errors
NOTHING = 1e-10  # a variance this small beside the largest is rounding

Pairs = tuple[tuple[int, int], ...]


class Joint(NamedTuple):
    """A chi-square test that all areas are equal."""

    statistic: float
    df: int
    pvalue: float
    notes: tuple[str, ...] = ()


def compare_many(
    y_true: Any,
    y_scores: Mapping[str, Any],
    *,
    level: float = 0.95,
    groups: Any = None,
    positive: object = None,
    rng: Any = 0,
) -> Comparisons:
    """Compare the areas of two or more classifiers on the same rows.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Two labels of any kind.
    y_scores : mapping from str to array-like of shape (n,)
        Each model's scores.
    level : float, default 0.95
        Probability with which the intervals of all pairs hold at once.
    groups : array-like of shape (n,), optional
        Which rows belong together.
    positive : object, optional
        The positive label; needed unless the labels are {0, 1}, {-1, 1} or booleans.
    rng : int, Generator or anything `numpy.random.default_rng` takes, default 0
        For 100,000 normal draws that place the simultaneous limits; with three models or more.

    Returns
    -------
    Comparisons
        A joint chi-square test that all areas are equal (DeLong's covariance, or Obuchowski's for
        groups; a generalised inverse where it is singular), and for each pair the difference, model
        1 minus model 2, with simultaneous limits and Holm's p-value.

    Notes
    -----
    The limits reach as many standard errors as the largest of all abs(z) exceeds with probability
    1 - level, given how the differences hang together. Limits and Holm's p-values are different
    procedures: Holm's can find a difference whose simultaneous interval still holds 0.

    Examples
    --------
    >>> import rocbands as rb
    >>> y, models = rb.load_example()
    >>> models["sum"] = models["logistic"] + models["neighbours"]
    >>> many = rb.compare_many(y, models, positive="malignant")
    >>> many.df, many.pairs
    (2, ((0, 1), (0, 2), (1, 2)))
    >>> print(many.pvalues.round(4))
    [0.     0.1039 0.    ]
    """
    level = check_level(level)
    models = PairedScores.from_columns(y_true, y_scores, positive=positive)
    if len(models) < 2:
        raise InputError(
            f"`y_scores` must hold at least two models; it holds {len(models)}. "
            "For one model see rb.auc_interval."
        )
    first = models[models.names[0]]
    classes = Classes.of(first, None if groups is None else row_groups(groups, first))
    places = [placed(scores) for scores in models]
    areas = np.array([place.auc for place in places])
    cov = covariance(places, classes)
    pairs: Pairs = tuple(combinations(range(len(places)), 2))
    found = [_pair(models, places, classes, i, j) for i, j in pairs]
    gaps = np.array([one.difference for one in found])
    errors = np.array([one.standard_error for one in found])
    z = np.divide(gaps, errors, out=np.zeros_like(gaps), where=errors > 0)
    raw = 2.0 * ndtr(-np.abs(z))
    adjusted = holm(raw)
    joint = _joint(areas, cov, adjusted)
    reach = _reach(cov, pairs, errors, level, check_rng(rng))
    return Comparisons(
        names=models.names,
        estimates=areas,
        covariance=cov,
        statistic=joint.statistic,
        df=joint.df,
        pvalue=joint.pvalue,
        pairs=pairs,
        differences=gaps,
        standard_errors=errors,
        low=np.maximum(gaps - reach * errors, -1.0),
        high=np.minimum(gaps + reach * errors, 1.0),
        pvalues=adjusted,
        raw_pvalues=raw,
        critical_value=reach,
        level=level,
        method="delong" if classes is None else "delong, by groups",
        n_pos=first.n_pos,
        n_neg=first.n_neg,
        notes=(*_notes(models.names, pairs, found), *joint.notes),
        frame=models.frame,
    )


def holm(pvalues: FloatArray) -> FloatArray:
    """Adjust p-values by Holm's rule: the smallest times k, the next times k - 1, never falling.

    Examples
    --------
    >>> print(holm(np.array([0.01, 0.04, 0.03])))
    [0.03 0.06 0.06]
    """
    order = np.argsort(pvalues)
    stepped = pvalues[order] * np.arange(pvalues.size, 0, -1)
    adjusted = np.empty_like(pvalues)
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return adjusted


def _pair(
    models: PairedScores, places: list[Placements], classes: Classes | None, i: int, j: int
) -> Contrast:
    one, two = places[i], places[j]
    same = np.array_equal(one.pos, two.pos) and np.array_equal(one.neg, two.neg)
    first, second = (models.models[models.names[place]] for place in (i, j))
    alike = same and np.array_equal(ranks(first), ranks(second))
    return contrast(one, two, classes, alike=bool(alike))


def _joint(areas: FloatArray, cov: FloatArray, adjusted: FloatArray) -> Joint:
    """Test that all areas are equal, in the directions in which they vary."""
    centre = np.eye(areas.size) - 1.0 / areas.size
    gaps = centre @ areas
    values, vectors = np.linalg.eigh(centre @ cov @ centre)
    varies = values > NOTHING * max(float(np.diag(cov).max()), NOTHING**2)
    along = vectors.T @ gaps
    df = int(np.count_nonzero(varies))
    statistic = float((along[varies] ** 2 / values[varies]).sum())
    pvalue = float(chdtrc(df, statistic)) if df else 1.0
    if np.abs(along[~varies]).max() > 1e-9:
        note = (
            "Some areas differ without any variance, which the chi-square law cannot judge; the "
            "joint p-value is the smallest of Holm's."
        )
        return Joint(statistic, df, float(adjusted.min()), (note,))
    singular = (
        "The covariance is singular: some models do not differ; a generalised inverse was used."
    )
    return Joint(statistic, df, pvalue, (singular,) if df < areas.size - 1 else ())


def _reach(
    cov: FloatArray, pairs: Pairs, errors: FloatArray, level: float, rng: np.random.Generator
) -> float:
    """How many standard errors the largest abs(z) of all pairs stays within, at `level`."""
    if len(pairs) == 1:
        return float(ndtri((1.0 + level) / 2.0))
    values, vectors = np.linalg.eigh(cov)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    drawn = rng.standard_normal((DRAWS, values.size)) @ root.T
    largest = np.zeros(DRAWS)
    for (i, j), error in zip(pairs, errors, strict=True):
        spread = np.sqrt(max(cov[i, i] + cov[j, j] - 2.0 * cov[i, j], 0.0))
        if error > 0 and spread < NOTHING * error:
            # Its standard error does not come from the covariance: let it vary on its own.
            z = rng.standard_normal(DRAWS)
        else:
            z = (drawn[:, i] - drawn[:, j]) / error if error > 0 else np.zeros(DRAWS)
        np.maximum(largest, np.abs(z), out=largest)
    return float(np.quantile(largest, level))


def _notes(names: tuple[str, ...], pairs: Pairs, found: list[Contrast]) -> tuple[str, ...]:
    """Name the pair that each note is about."""
    return tuple(
        f"{names[i]} and {names[j]}: {note[0].lower()}{note[1:]}"
        for (i, j), one in zip(pairs, found, strict=True)
        for note in one.notes
    )
