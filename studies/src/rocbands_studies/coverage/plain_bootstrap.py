"""The paired bootstrap as it stands, for comparison: rows drawn jointly, nothing linearised."""

from __future__ import annotations

import numpy as np

import rocbands as rb
from rocbands.resample.curves import interpolate_rows

FPR = np.linspace(0.05, 0.95, 181)


def heights(labels: np.ndarray, scores: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Height of the curve at each fpr when row i is there times[b, i] times."""
    order = np.argsort(-scores, kind="stable")
    last = np.append(np.diff(scores[order]) != 0, True)
    sides = []
    for kind in (0, 1):
        count = np.cumsum(times[:, order] * (labels[order] == kind), axis=1)[:, last]
        sides.append(np.pad(count / count[:, -1:], ((0, 0), (1, 0))))
    return interpolate_rows(np.tile(FPR + 1e-9, (times.shape[0], 1)), *sides)


def plain_band(
    labels: np.ndarray,
    one: np.ndarray,
    two: np.ndarray,
    *,
    level: float,
    floor: bool,
    rng: np.random.Generator,
    draws: int = 300,
) -> rb.results.DifferenceBand:
    """Studentised band from `draws` resamples that keep the class sizes."""
    times = np.zeros((draws, labels.size))
    for kind in (0, 1):
        size = int((labels == kind).sum())
        times[:, labels == kind] = rng.multinomial(size, np.full(size, 1 / size), draws)
    drawn = heights(labels, one, times) - heights(labels, two, times)
    seen = np.ones((1, labels.size))
    difference = (heights(labels, one, seen) - heights(labels, two, seen))[0]
    error = np.sqrt(drawn.var(axis=0) + (1 / (labels == 1).sum() ** 2 if floor else 1e-18))
    largest = (np.abs(drawn - difference) / error).max(axis=1)
    critical_value = float(np.quantile(largest, level, method="inverted_cdf"))
    return rb.results.DifferenceBand(
        fpr=FPR,
        difference=difference,
        lower=np.maximum(difference - critical_value * error, -1),
        upper=np.minimum(difference + critical_value * error, 1),
        level=level,
        critical_value=critical_value,
        n_pos=int((labels == 1).sum()),
        n_neg=int((labels == 0).sum()),
        n_pos_2=int((labels == 1).sum()),
        n_neg_2=int((labels == 0).sum()),
    )
