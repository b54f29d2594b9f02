"""Percentiles of the resampled curve's height at fixed rates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from rocbands.core.checks import FloatArray, check_room
from rocbands.core.method import Request, Resampling
from rocbands.core.references import EFRON
from rocbands.core.roc import RocCurve
from rocbands.errors import Message, arg
from rocbands.points.method import Fixed, Limits, PointMethod
from rocbands.resample.crossings import height_distribution, resample_heights
from rocbands.resample.quantiles import empirical_interval, interval_error

_FEW = 5.0  # with fewer cases beyond a fixed rate, resampled limits are too narrow


@dataclass(frozen=True)
class PointBootstrap(Resampling, PointMethod):
    """Percentiles of the height in stratified resamples, from their exact distribution.

    Parameters
    ----------
    n_resamples : int, default 2000
        Resamples, needed only if a positive and a negative have the same score.

    Notes
    -----
    Too narrow where few negatives lie below the fpr, or the true height is near 1:
    studies/docs/coverage-points.md.
    """

    name: ClassVar[str] = "bootstrap"
    guarantee: ClassVar[str] = "asymptotic; measured low at small rates and near height 1"
    idea: ClassVar[str] = "percentiles of the resampled curve's height, mostly in closed form"
    references: ClassVar[tuple[str, ...]] = (EFRON,)
    fixed: ClassVar[tuple[Fixed, ...]] = ("rates",)

    def limit_heights(self, roc: RocCurve, fpr: FloatArray, request: Request) -> Limits:
        """Percentiles of the resampled height."""
        found = compute_height_distribution(roc, fpr, self.n_resamples, request)
        if found.error is not None:
            request.simulated(self.n_resamples, found.error)
        return found.low, found.high

    def note_rates(self, roc: RocCurve, kind: str, rates: FloatArray) -> tuple[str, ...]:
        return note_resampling(roc, kind, rates, self.n_resamples)


class HeightDistribution(NamedTuple):
    """Mean, variance and percentiles of resampled heights."""

    mean: FloatArray
    variance: FloatArray
    low: FloatArray
    high: FloatArray
    error: float | None = None  # Monte Carlo error of the limits, where resamples were drawn


def compute_height_distribution(
    roc: RocCurve, fpr: FloatArray, n_resamples: int, request: Request
) -> HeightDistribution:
    """Compute the distribution of the height under stratified resampling.

    It is a mixture of binomial distributions; resamples are drawn only if classes share scores.
    """
    size = float(roc.n_pos)
    if not _shares_scores(roc):
        exact = height_distribution(roc, fpr)
        low, high = exact.interval(request.level)
        mean = np.clip(exact.mean / size, 0.0, 1.0)
        return HeightDistribution(mean, exact.variance / size**2, low / size, high / size)
    order = np.argsort(fpr)
    check_room(n_resamples, fpr.size)
    drawn = np.empty((n_resamples, fpr.size))
    drawn[:, order] = resample_heights(roc, fpr[order], n_resamples, request.rng, stratified=True)
    low, high = empirical_interval(drawn, request.level)
    mean = np.clip(drawn.mean(axis=0), 0.0, 1.0)
    error = interval_error(drawn, request.level)
    return HeightDistribution(mean, drawn.var(axis=0), low, high, error)


def note_resampling(
    roc: RocCurve, kind: str, rates: FloatArray, n_resamples: int
) -> tuple[str, ...]:
    """Note if limits come from resamples, and if they depend on too few cases."""
    notes = []
    if _shares_scores(roc):
        notes.append(f"Both classes share scores: limits come from {n_resamples} resamples.")
    beyond = roc.n_neg * rates if kind == "fpr" else roc.n_pos * (1.0 - rates)
    if (beyond < _FEW).any():
        what = "negatives" if kind == "fpr" else "positives"
        notes.append(
            Message(
                "At {} {:g} limits depend on {:.2g} {} and are too narrow; use {}.",
                kind,
                rates[np.argmin(beyond)],
                beyond.min(),
                what,
                arg("method", "likelihood"),
            )
        )
    return tuple(notes)


def _shares_scores(roc: RocCurve) -> bool:
    """Tell whether some positive has the score of a negative."""
    return bool(((np.diff(roc.fp, prepend=0) > 0) & (np.diff(roc.tp, prepend=0) > 0)).any())
