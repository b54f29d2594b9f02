"""Areas over a range of rates, what each case adds to them, and how much that varies."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rocbands.core.checks import FloatArray
from rocbands.core.roc import RocCurve
from rocbands.resample.curves import Rates

__all__ = [
    "TELLING",
    "Found",
    "Part",
    "area_of",
    "areas",
    "cases",
    "class_variances",
    "mean_variance",
    "truncated_placements",
    "trusted",
    "variance_of",
]

GUESS, TELLING = 4.0, 5.0  # see the notes of partial_auc_interval


class Found(NamedTuple):
    """An area with its limits."""

    area: float
    low: float
    high: float
    error: float | None
    notes: tuple[str, ...] = ()


class Part(NamedTuple):
    """A range of false positive rates."""

    start: float
    stop: float

    @property
    def width(self) -> float:
        """Largest area that the range can hold."""
        return self.stop - self.start


def _pieces(rates: Rates, part: Part) -> tuple[FloatArray, FloatArray]:
    """Width of each piece of a curve inside the range, and where along it that part is centred."""
    x0, x1 = rates.x[..., :-1], rates.x[..., 1:]
    c0, c1 = np.clip(x0, *part), np.clip(x1, *part)
    share = np.zeros_like(x0)
    np.divide((c0 + c1) / 2.0 - x0, x1 - x0, out=share, where=x1 > x0)
    return c1 - c0, np.clip(share, 0.0, 1.0)


def areas(rates: Rates, part: Part) -> FloatArray:
    """Exact area under each curve over the range: pieces are straight, so their middles do."""
    width, share = _pieces(rates, part)
    y0, y1 = rates.y[..., :-1], rates.y[..., 1:]
    total: FloatArray = np.sum(width * (y0 + (y1 - y0) * share), axis=-1)
    return total


def area_of(roc: RocCurve, part: Part) -> float:
    """Area under one curve over the range."""
    return float(np.clip(areas(Rates(roc.fpr, roc.tpr), part), 0.0, part.width))


def truncated_placements(roc: RocCurve, part: Part) -> tuple[FloatArray, FloatArray]:
    """Return what a positive, and what a negative, at each step adds to the area."""
    rates = Rates(roc.fpr, roc.tpr)
    width, share = _pieces(rates, part)
    c1 = np.clip(rates.x[1:], *part)
    pos = part.stop - c1 + width * share
    at_start, at_stop = ((roc.curve.low([u]) + roc.curve.high([u]))[0] / 2.0 for u in part)
    inside = width * (rates.y[:-1] + np.diff(rates.y) * share)
    before = np.diff(np.minimum(rates.x, part.start))
    behind = np.diff(np.maximum(rates.x, part.stop))
    step = np.diff(rates.x)
    neg = np.zeros_like(step)
    np.divide(before * at_start + inside + behind * at_stop, step, out=neg, where=step > 0)
    return pos, neg


def variance_of(roc: RocCurve, part: Part) -> float:
    """Variance of the area: of both classes' mean placements, or of the groups' shares in them."""
    if roc.groups is None:
        return mean_variance(class_variances(roc, part), roc)
    pos, neg = (apart for apart, _ in _centred(roc, part))
    rows = roc.groups
    share = np.where(rows.is_positive, pos[rows.step] / roc.n_pos, neg[rows.step] / roc.n_neg)
    sums = np.bincount(rows.code, share, minlength=rows.size)
    return float(np.dot(sums, sums)) * rows.size / (rows.size - 1.0)


def mean_variance(within: tuple[float, float], roc: RocCurve) -> float:
    """Add up the variances of both classes' means, from those within each class."""
    sizes = (roc.n_pos, roc.n_neg)
    return sum(each / max(size - 1.0, 1.0) for each, size in zip(within, sizes, strict=True))


def class_variances(roc: RocCurve, part: Part) -> tuple[float, float]:
    """Variances of the truncated placements of positives and of negatives."""
    pos, neg = (float(np.dot(n, apart**2) / n.sum()) for apart, n in _centred(roc, part))
    return pos, neg


def _centred(roc: RocCurve, part: Part) -> list[tuple[FloatArray, FloatArray]]:
    """Return truncated placements of both classes less their mean, and how many have each."""
    counts = (np.diff(side, prepend=0).astype(np.float64) for side in (roc.tp, roc.fp))
    return [
        (values - np.dot(count, values) / count.sum(), count)
        for values, count in zip(truncated_placements(roc, part), counts, strict=True)
    ]


def cases(share: float, variance: float, roc: RocCurve, part: Part) -> float:
    """Count the cases that would give a share this variance, without trusting a few too far."""
    spread, reach = share * (1.0 - share), roc.n_neg * part.width
    seen = variance / part.width**2 / spread if spread > 1e-12 else 0.0
    telling = 4.0 * spread * min(roc.n_pos, reach) / TELLING if seen > 0.0 else 0.0
    return trusted(seen, telling, roc, part)


def trusted(seen: float, telling: float, roc: RocCurve, part: Part) -> float:
    """Count the cases for a variance of `seen` times that of one case, drawn towards a guess.

    It never grows with `seen` and never falls with `telling`, the weight of what was seen.
    """
    guess = (1.0 / roc.n_pos + 1.0 / (roc.n_neg * part.width)) / GUESS
    if roc.groups is not None:
        guess *= max(1.0, (roc.n_pos + roc.n_neg) / roc.groups.size)
    return 1.0 / seen if seen >= guess else (1.0 + telling) / (guess + telling * seen)
