"""Comparing many classifiers on the same rows: one joint test, and all pairs at once."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from scipy.special import fdtrc, stdtr, stdtrit

from rocbands.comparison.delong import Contrast, contrast_areas, place_rows
from rocbands.comparison.pair import Pair, split_groups
from rocbands.comparison.result import Comparisons
from rocbands.core.checks import BoolArray, FloatArray, check_level, check_resamples, check_rng
from rocbands.core.columns import against_rest
from rocbands.core.delong import CovarianceParts, compute_covariance_parts
from rocbands.core.public import public
from rocbands.core.scores import PairedScores, number_groups
from rocbands.core.tolerance import SLACK
from rocbands.errors import InputError, call
from rocbands.resample.gaussian_maximum import find_gaussian_critical_value
from rocbands.resample.quantiles import check_enough_draws

REFERENCES = (
    "Holm (1979), A simple sequentially rejective multiple test procedure, Scandinavian Journal of "
    "Statistics 6, 65-70.",
)

NEGLIGIBLE = 1e-10  # a variance this small beside the largest is rounding
_DRAWS = 1979  # seed of the draws that stand for an integral, where none is given
CHUNK = 2500  # normal vectors that one thread draws at once
PSEUDO = 0.5  # cases of each class that 'score-delong' adds to know a spread better
MOST = 2.0  # times the degrees of freedom for normal values

Pairs = tuple[tuple[int, int], ...]


@public
def compare_many(
    y_true: Any,
    y_scores: Mapping[str, Any],
    *,
    level: float = 0.95,
    groups: Any = None,
    n_resamples: int = 100_000,
    positive: object = None,
    rest: bool = False,
    rng: Any = None,
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
        The group of each row.
    n_resamples : int, default 100,000
        Vectors that are drawn for the simultaneous limits, with three models or more; the default
        places a limit to within about .01 standard errors.
    positive : object, optional
        The positive label; needed unless the labels are {0, 1}, {-1, 1} or booleans.
    rest : bool, default False
        One class against all others: every other label than `positive` counts as negative.
    rng : None, int, SeedSequence or Generator, optional
        Source of randomness for these draws. By default they are always the same ones, so that the
        same rows have the same limits: the draws stand for an integral.

    Returns
    -------
    Comparisons
        A joint test that all areas are equal (Hotelling's, with DeLong's covariance, or
        Obuchowski's for groups; a generalised inverse where it is singular), and for each pair the
        difference, model 1 minus model 2, with simultaneous limits and Holm's p-value.

    Notes
    -----
    A covariance that is estimated from few cases of a class is uncertain itself. The joint test
    refers the statistic to Hotelling's distribution with the degrees of freedom of Krishnamoorthy
    and Yu (2004), as for means of two samples with unequal covariances, here positives and
    negatives. The limits reach as many standard errors as the largest of all abs(t) exceeds with
    probability 1 - level: t is multivariate, with the correlations of the differences and
    Satterthwaite's degrees of freedom. Limits and Holm's p-values are different procedures:
    Holm's can find a difference whose simultaneous interval still contains 0.

    Measured with equal models at .05, from 10 + 200 cases, 3 to 10 models, AUCs of .7 to .85: the
    joint test rejected in .01 to .07 of test sets, some limit missed in .01 to .07. With 10 cases
    of a class and an AUC of .8 and more both are careful (.01 to .03). See docs/coverage-auc.md.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson (1988), Comparing the areas under two or more correlated
    receiver operating characteristic curves: a nonparametric approach, Biometrics 44, 837-845.
    Holm (1979), A simple sequentially rejective multiple test procedure, Scandinavian Journal of
    Statistics 6, 65-70.
    Krishnamoorthy and Yu (2004), Modified Nel and Van der Merwe test for the multivariate
    Behrens-Fisher problem, Statistics and Probability Letters 66, 161-169.

    Examples
    --------
    >>> import rocbands as rb
    >>> y, models = rb.load_example()
    >>> models["sum"] = models["logistic"] + models["neighbours"]
    >>> many = rb.compare_many(y, models, positive="malignant")
    >>> many.df, many.pairs
    (2, ((0, 1), (0, 2), (1, 2)))
    >>> print(many.pvalues.round(4))
    [0.     0.1045 0.    ]
    """
    models = PairedScores.from_columns(y_true, y_scores, positive=against_rest(positive, rest))
    return compare_models(models, level=level, groups=groups, n_resamples=n_resamples, rng=rng)


def compare_models(
    models: PairedScores,
    *,
    level: float = 0.95,
    groups: Any = None,
    n_resamples: int = 100_000,
    rng: Any = None,
) -> Comparisons:
    """Compare the areas of models whose scores are checked already; see :func:`compare_many`."""
    level, rng = check_level(level), check_rng(_DRAWS if rng is None else rng)
    check_resamples(n_resamples)
    check_enough_draws(n_resamples, 1.0 - level, level)
    if len(models) < 2:
        raise InputError(
            "must contain at least two models",
            f"it contains {len(models)}",
            f"For one model see {call('auc_interval')}.",
            argument="y_scores",
        )
    scores = list(models)
    owners = None if groups is None else number_groups(groups, scores[0])
    class_groups = split_groups(models.is_positive, owners)
    places = [place_rows(one) for one in scores]
    areas = np.array([place.auc for place in places])
    parts = compute_covariance_parts(places, class_groups)
    covariance = parts.total
    pairs: Pairs = tuple(combinations(range(len(places)), 2))
    contrasts = [
        contrast_areas(
            places[i],
            places[j],
            class_groups,
            alike=all(map(np.array_equal, places[i], places[j]))
            and Pair(scores[i], scores[j]).ranked_alike,
        )
        for i, j in pairs
    ]
    gaps = np.array([one.difference for one in contrasts])
    errors = np.array([one.standard_error for one in contrasts])
    differences = _build_contrasts(pairs, len(places))
    bounded = _find_df_factor(areas, parts)
    df = bounded * parts.find_df(differences)
    t = np.divide(gaps, errors, out=np.zeros_like(gaps), where=errors > 0)
    raw = 2.0 * stdtr(df, -np.abs(t))
    adjusted = adjust_by_holm(raw)
    joint = _test_all_equal(areas, parts, adjusted, bounded)
    critical_value = _find_critical_value(
        covariance, differences, errors, df, level, n_resamples, rng
    )
    return Comparisons(
        names=models.names,
        estimates=areas,
        covariance=covariance,
        statistic=joint.statistic,
        df=joint.df,
        df_error=joint.df_error,
        pvalue=joint.pvalue,
        pairs=pairs,
        differences=gaps,
        standard_errors=errors,
        low=np.maximum(gaps - critical_value * errors, -1.0),
        high=np.minimum(gaps + critical_value * errors, 1.0),
        pvalues=adjusted,
        raw_pvalues=raw,
        critical_value=critical_value,
        level=level,
        method="delong" if class_groups is None else "delong, by groups",
        n_pos=scores[0].n_pos,
        n_neg=scores[0].n_neg,
        notes=(*_name_notes(models.names, pairs, contrasts), *joint.notes),
        frame=models.frame,
    )


def _find_df_factor(areas: FloatArray, parts: CovarianceParts) -> float:
    """By how much the degrees of freedom for normal values are multiplied.

    Placements lie between 0 and 1, so their spread, at most A (1 - A), is known better than that of
    normal values. As in 'score-delong', a pseudo observation of weight 1/2 adds 1 / (2 A (1 - A))
    to the cases of the smaller class; the more models there are for its cases, the less of it.
    """
    fewest = min(parts.n_groups[:2]) - 1.0
    room = fewest - float(np.count_nonzero(_decompose(parts.total)[2]))
    if room <= 0.0:
        return 1.0
    spread = float(np.max(areas * (1.0 - areas)))
    return min(1.0 + PSEUDO * room / (spread * fewest**2), MOST) if spread > 0.0 else MOST


def adjust_by_holm(pvalues: FloatArray) -> FloatArray:
    """Adjust p-values by Holm's rule: the smallest times k, the next times k - 1, never falling."""
    order = np.argsort(pvalues)
    stepped = pvalues[order] * np.arange(pvalues.size, 0, -1)
    adjusted = np.empty_like(pvalues)
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return adjusted


class _JointTest(NamedTuple):
    statistic: float
    df: int
    df_error: float | None
    pvalue: float
    notes: tuple[str, ...] = ()


def _test_all_equal(
    areas: FloatArray, parts: CovarianceParts, adjusted: FloatArray, bounded: float
) -> _JointTest:
    """Hotelling's test that all areas are equal, in the p directions in which they vary.

    With C the matrix that subtracts the mean, the statistic is T2 = a' C (C S C)^+ C a for areas a
    with covariance S; it is the same for any k - 1 independent contrasts (DeLong et al. 1988). In
    coordinates in which C S C is the unit matrix, its parts of m positives and n negatives are P
    and N, and

        nu = (p + p^2) / ((tr P^2 + (tr P)^2) / (m - 1) + (tr N^2 + (tr N)^2) / (n - 1))

    (Krishnamoorthy and Yu 2004). With f = g (nu - p + 1), T2 f / ((f + p - 1) p) is referred to
    F on p and f, with g from `_find_df_factor`.
    """
    values, vectors, varies = _decompose(parts.total)
    along = vectors.T @ (areas - areas.mean())
    p = int(np.count_nonzero(varies))
    statistic = float((along[varies] ** 2 / values[varies]).sum())
    smallest = float(adjusted.min())
    if np.abs(along[~varies]).max() > SLACK:
        note = (
            "Some areas differ without any variance, which the joint test cannot judge; the joint "
            "p-value is the smallest of Holm's."
        )
        return _JointTest(statistic, p, None, smallest, (note,))
    notes: tuple[str, ...] = ()
    if p < areas.size - 1:
        notes = (
            "The covariance is singular: some models do not differ; a generalised inverse was "
            "used.",
        )
    if p == 0:
        return _JointTest(statistic, 0, None, 1.0, notes)
    # A class with p cases or fewer varies in fewer directions than the models: along the others
    # its variance would seem to be 0. With one case more it is known far too badly.
    if min(parts.n_groups[:2]) <= p + 1:
        few = (
            "There are too few cases of a class for a joint test of so many models; the joint "
            "p-value is the smallest of Holm's."
        )
        return _JointTest(statistic, p, None, smallest, (*notes, few))
    root = vectors[:, varies] / np.sqrt(values[varies])
    doubt = 0.0
    for part, cases in zip((parts.pos, parts.neg), parts.n_groups, strict=False):
        own = root.T @ part @ root
        doubt += (float(np.sum(own * own)) + float(np.trace(own)) ** 2) / (cases - 1.0)
    df_error = bounded * ((p + p * p) / doubt - p + 1.0)
    pvalue = float(fdtrc(p, df_error, statistic * df_error / ((df_error + p - 1.0) * p)))
    return _JointTest(statistic, p, df_error, pvalue, notes)


def _decompose(covariance: FloatArray) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Eigenvalues and eigenvectors of C S C, and which of them are directions that vary."""
    centre = np.eye(len(covariance)) - 1.0 / len(covariance)
    values, vectors = np.linalg.eigh(centre @ covariance @ centre)
    varies = values > NEGLIGIBLE * max(float(np.diag(covariance).max()), NEGLIGIBLE**2)
    return values, vectors, varies


def _build_contrasts(pairs: Pairs, n_models: int) -> FloatArray:
    """Build the matrix whose rows subtract the second model of each pair from the first."""
    contrasts = np.zeros((len(pairs), n_models))
    for row, (i, j) in enumerate(pairs):
        contrasts[row, [i, j]] = 1.0, -1.0
    return contrasts


def _find_critical_value(
    covariance: FloatArray,
    contrasts: FloatArray,
    errors: FloatArray,
    df: FloatArray,
    level: float,
    n_resamples: int,
    rng: np.random.Generator,
) -> float:
    """Find how many standard errors the largest abs(t) of all pairs stays within, at `level`."""
    if len(contrasts) == 1:
        return float(stdtrit(df[0], (1.0 + level) / 2.0))
    kept = errors > 0  # pairs that do not differ at all are left out
    if not kept.any():
        return 0.0
    error, contrasts = errors[kept], contrasts[kept]
    correlation = contrasts @ covariance @ contrasts.T / np.outer(error, error)
    # A standard error that does not come from the covariance: let the pair vary on its own.
    alone = np.diag(correlation) < NEGLIGIBLE**2
    correlation[alone, :] = correlation[:, alone] = 0.0
    correlation[alone, alone] = 1.0
    shared = float(np.median(df[kept]))
    return find_gaussian_critical_value(
        correlation, level, n_resamples, rng, df=shared, chunk=CHUNK
    )


def _name_notes(names: tuple[str, ...], pairs: Pairs, contrasts: list[Contrast]) -> tuple[str, ...]:
    """Name the pair that each note is about."""
    return tuple(
        f"{names[i]} and {names[j]}: {note[0].lower()}{note[1:]}"
        for (i, j), one in zip(pairs, contrasts, strict=True)
        for note in one.notes
    )
