"""The precision-recall band, straight from the data."""

from __future__ import annotations

from typing import Any

from rocbands.bands import roc_band
from rocbands.core.arguments import explain
from rocbands.core.band import BandMethod
from rocbands.core.columns import Column, Labels
from rocbands.core.data import Data, as_roc_curve
from rocbands.core.randomness import Rng, share_source
from rocbands.views.view import View


@explain
def pr_band(
    y_true: Labels | Data,
    y_score: Column | None = None,
    *,
    positive: object = None,
    method: str | BandMethod | None = None,
    prevalence: float | None = None,
    level: float = 0.95,
    future: tuple[int, int] | None = None,
    n_resamples: int | None = None,
    rng: Rng = 0,
) -> View:
    """Confidence band for a whole precision-recall curve.

    Short for ``roc_band(...).view("pr", prevalence=...)``.

    Parameters
    ----------
    y_true : Sample, RocCurve or ScoreCounts, or array-like of shape (n,)
        The data of one model; or two labels of any kind.
    y_score : array-like of shape (n,), optional
        With labels, the scores; a larger one means more positive.
    positive : object, optional
        With labels, the positive one; needed unless they are {0, 1}, {-1, 1} or booleans.
    method, level, future, n_resamples
        As for :func:`rocbands.roc_band`.
    prevalence : float, optional
        Share of positives where the model will be used. By default that of the rows, whose error
        the band then allows for; a future test set has that of its class sizes.
    rng : None, int, SeedSequence or Generator, default 0
        Source of randomness: the seed of the draws; None draws a new one.

    Returns
    -------
    View
        The band; it contains the whole curve as often as the level says.

    Examples
    --------
    >>> import rocbands as rb
    >>> found = rb.pr_band(rb.load_example()["logistic"])
    >>> print(found.lower_at(0.8).round(2), found.upper_at(0.8).round(2))
    0.59 0.83
    """
    rng = share_source(rng)  # of the band and of its view
    roc = as_roc_curve(y_true, y_score, positive)
    asked: dict[str, Any] = {"level": level, "future": future, "n_resamples": n_resamples}
    return roc_band(roc, method=method, **asked, rng=rng).view("pr", prevalence=prevalence, rng=rng)
