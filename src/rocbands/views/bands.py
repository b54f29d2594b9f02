"""Bands in other coordinates, straight from labels and scores."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from rocbands.bands import roc_band
from rocbands.core.band import Band, BandMethod
from rocbands.core.checks import check_rng
from rocbands.core.columns import against_rest
from rocbands.core.public import public
from rocbands.core.randomness import Rng
from rocbands.views.view import View

F = TypeVar("F", bound=Callable[..., View])


@public
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
    rest: bool = False,
    n_resamples: int | None = None,
    rng: Rng = "data",
) -> View:
    """Confidence band for a whole precision-recall curve.

    Short for ``roc_band(...).view("pr", prevalence=...)``.

    Parameters
    ----------
    y_true, y_score, method, level, future, groups, weights, strata, folds, positive, rest,
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
        positive=against_rest(positive, rest),
        n_resamples=n_resamples,
        rng=rng,
    )
    return band.view("pr", prevalence=prevalence, rng=rng)


def _copy_for(view: str, like: F, title: str, place: str, limits: str) -> F:
    """Return a function like `like` for another view: the same signature, text and steps."""

    @wraps(like)
    def band(*data: Any, rng: Rng = "data", prevalence: Any = None, **options: Any) -> View:
        rng = check_rng(rng)
        made: Band = roc_band(*data, **options, rng=rng)
        return made.view(view, prevalence=prevalence, rng=rng)

    band.__name__ = band.__qualname__ = f"{view}_band"
    text = (
        (like.__doc__ or "").replace("precision-recall curve", title).replace("0.59 0.83", limits)
    )
    text = text.replace('view("pr"', f'view("{view}"').replace("pr_band(", f"{view}_band(")
    band.__doc__ = text.replace("_at(0.8)", f"_at({place})")
    return public(band)  # type: ignore[return-value]


gains_band = _copy_for(
    "gains",
    pr_band,
    "curve of cumulative gains: recall against the share called",
    place="0.2",
    limits="0.4 0.54",
)
lift_band = _copy_for(
    "lift", pr_band, "lift curve: precision over prevalence", place="0.2", limits="1.99 2.72"
)


@public
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
    rest: bool = False,
    n_resamples: int | None = None,
    rng: Rng = "data",
) -> View:
    """Confidence band for a whole DET curve: false negative rate against false positive rate.

    Short for ``roc_band(...).view("det")``; for its parameters see :func:`rocbands.roc_band`.

    Examples
    --------
    >>> import rocbands as rb
    >>> y, models = rb.load_example()
    >>> found = rb.det_band(y, models["logistic"], positive="malignant")
    >>> print(found.lower_at(0.1).round(2), found.upper_at(0.1).round(2))
    0.21 0.43
    """
    return roc_band(
        y_true,
        y_score,
        method,
        level=level,
        future=future,
        groups=groups,
        weights=weights,
        strata=strata,
        folds=folds,
        positive=against_rest(positive, rest),
        n_resamples=n_resamples,
        rng=rng,
    ).view("det")
