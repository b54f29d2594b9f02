"""Bands in other coordinates, straight from labels and scores."""

from __future__ import annotations

from typing import Any

from rocbands.bands import roc_band
from rocbands.core.band import BandMethod
from rocbands.core.checks import check_rng
from rocbands.views.view import View

__all__ = ["det_band", "gains_band", "lift_band", "pr_band"]


def pr_band(
    y_true: Any,
    y_score: Any = None,
    method: str | BandMethod | None = None,
    *,
    prevalence: float | None = None,
    level: float = 0.95,
    future: tuple[int, int] | None = None,
    groups: Any = None,
    weights: Any = None,
    strata: Any = None,
    folds: Any = None,
    positive: object = None,
    n_resamples: int | None = None,
    rng: Any = None,
) -> View:
    """Confidence band for a whole precision-recall curve.

    Short for ``roc_band(...).view("pr", prevalence=...)``.

    Parameters
    ----------
    y_true, y_score, method, level, future, groups, weights, strata, folds, positive
        As for :func:`rocbands.roc_band`.
    n_resamples, rng
        As for :func:`rocbands.roc_band`.
    prevalence : float, optional
        Share of positives where the model will be used. By default that of the rows, whose error
        the band then allows for; a future test set has that of its class sizes.

    Returns
    -------
    View
        The band; it contains the whole curve as often as the level says.

    Examples
    --------
    >>> import rocbands as rb
    >>> y, models = rb.load_example()
    >>> found = rb.pr_band(y, models["logistic"], positive="malignant")
    >>> print(found.lower_at(0.8).round(2), found.upper_at(0.8).round(2))
    0.59 0.83
    """
    rng = check_rng(rng)
    band = roc_band(
        y_true,
        y_score,
        method,
        level=level,
        future=future,
        groups=groups,
        weights=weights,
        strata=strata,
        folds=folds,
        positive=positive,
        n_resamples=n_resamples,
        rng=rng,
    )
    return band.view("pr", prevalence=prevalence, rng=rng)


def gains_band(
    y_true: Any,
    y_score: Any = None,
    method: str | BandMethod | None = None,
    *,
    prevalence: float | None = None,
    level: float = 0.95,
    future: tuple[int, int] | None = None,
    groups: Any = None,
    weights: Any = None,
    strata: Any = None,
    folds: Any = None,
    positive: object = None,
    n_resamples: int | None = None,
    rng: Any = None,
) -> View:
    """Confidence band for a whole curve of cumulative gains: recall against the share called.

    Short for ``roc_band(...).view("gains", prevalence=...)``.

    Parameters
    ----------
    y_true, y_score, method, level, future, groups, weights, strata, folds, positive
        As for :func:`rocbands.roc_band`.
    n_resamples, rng
        As for :func:`rocbands.roc_band`.
    prevalence : float, optional
        Share of positives where the model will be used. By default that of the rows, whose error
        the band then allows for; a future test set has that of its class sizes.

    Returns
    -------
    View
        The band; it contains the whole curve as often as the level says.

    Examples
    --------
    >>> import rocbands as rb
    >>> y, models = rb.load_example()
    >>> found = rb.gains_band(y, models["logistic"], positive="malignant")
    >>> print(found.lower_at(0.2).round(2), found.upper_at(0.2).round(2))
    0.4 0.54
    """
    rng = check_rng(rng)
    band = roc_band(
        y_true,
        y_score,
        method,
        level=level,
        future=future,
        groups=groups,
        weights=weights,
        strata=strata,
        folds=folds,
        positive=positive,
        n_resamples=n_resamples,
        rng=rng,
    )
    return band.view("gains", prevalence=prevalence, rng=rng)


def lift_band(
    y_true: Any,
    y_score: Any = None,
    method: str | BandMethod | None = None,
    *,
    prevalence: float | None = None,
    level: float = 0.95,
    future: tuple[int, int] | None = None,
    groups: Any = None,
    weights: Any = None,
    strata: Any = None,
    folds: Any = None,
    positive: object = None,
    n_resamples: int | None = None,
    rng: Any = None,
) -> View:
    """Confidence band for a whole lift curve: precision over prevalence.

    Short for ``roc_band(...).view("lift", prevalence=...)``.

    Parameters
    ----------
    y_true, y_score, method, level, future, groups, weights, strata, folds, positive
        As for :func:`rocbands.roc_band`.
    n_resamples, rng
        As for :func:`rocbands.roc_band`.
    prevalence : float, optional
        Share of positives where the model will be used. By default that of the rows, whose error
        the band then allows for; a future test set has that of its class sizes.

    Returns
    -------
    View
        The band; it contains the whole curve as often as the level says.

    Examples
    --------
    >>> import rocbands as rb
    >>> y, models = rb.load_example()
    >>> found = rb.lift_band(y, models["logistic"], positive="malignant")
    >>> print(found.lower_at(0.2).round(2), found.upper_at(0.2).round(2))
    1.99 2.72
    """
    rng = check_rng(rng)
    band = roc_band(
        y_true,
        y_score,
        method,
        level=level,
        future=future,
        groups=groups,
        weights=weights,
        strata=strata,
        folds=folds,
        positive=positive,
        n_resamples=n_resamples,
        rng=rng,
    )
    return band.view("lift", prevalence=prevalence, rng=rng)


def det_band(
    y_true: Any,
    y_score: Any = None,
    method: str | BandMethod | None = None,
    *,
    level: float = 0.95,
    future: tuple[int, int] | None = None,
    groups: Any = None,
    weights: Any = None,
    strata: Any = None,
    folds: Any = None,
    positive: object = None,
    n_resamples: int | None = None,
    rng: Any = None,
) -> View:
    """Confidence band for a whole DET curve: false negative rate against false positive rate.

    Short for ``roc_band(...).view("det")``.

    Parameters
    ----------
    y_true, y_score, method, level, future, groups, weights, strata, folds, positive
        As for :func:`rocbands.roc_band`.
    n_resamples, rng
        As for :func:`rocbands.roc_band`.

    Returns
    -------
    View
        The band; it contains the whole curve as often as the level says.

    Examples
    --------
    >>> import rocbands as rb
    >>> y, models = rb.load_example()
    >>> found = rb.det_band(y, models["logistic"], positive="malignant")
    >>> print(found.lower_at(0.1).round(2), found.upper_at(0.1).round(2))
    0.21 0.43
    """
    rng = check_rng(rng)
    band = roc_band(
        y_true,
        y_score,
        method,
        level=level,
        future=future,
        groups=groups,
        weights=weights,
        strata=strata,
        folds=folds,
        positive=positive,
        n_resamples=n_resamples,
        rng=rng,
    )
    return band.view("det", rng=rng)
