"""The curve that is fitted to folds: at each rate, the chance that the case there is positive."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from rocbands.core.checks import FloatArray, IndexArray, frozen

__all__ = ["Nodes", "RateCurve", "Shares"]


class Shares(NamedTuple):
    """Shares of positives before, at and behind places along the rate."""

    before: FloatArray
    here: FloatArray
    behind: FloatArray


class Nodes(NamedTuple):
    """Places of a quadrature along the curve: both rates, and the step of the fpr there."""

    tpr: FloatArray
    fpr: FloatArray
    step: FloatArray


@dataclass(frozen=True, eq=False)
class RateCurve:
    """Share of positives along the rate, constant between edges; so an ROC curve of straight lines.

    Attributes
    ----------
    edges : ndarray of shape (bins + 1,)
        Rates from 0 to 1, rising.
    share : ndarray of shape (bins,)
        Chance that a case whose rate lies in the bin is positive.

    Examples
    --------
    >>> curve = RateCurve(np.array([0.0, 0.5, 1.0]), np.array([0.8, 0.2]))
    >>> curve.prevalence, curve.tpr, curve.fpr
    (0.5, array([0. , 0.8, 1. ]), array([0. , 0.2, 1. ]))
    """

    edges: FloatArray
    share: FloatArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "edges", frozen(self.edges))
        object.__setattr__(self, "share", frozen(np.clip(self.share, 0.0, 1.0)))

    @cached_property
    def positives(self) -> FloatArray:
        """Positives up to each edge, as a share of all cases."""
        return _running(self.share * np.diff(self.edges))

    @cached_property
    def negatives(self) -> FloatArray:
        """Negatives up to each edge, as a share of all cases."""
        return _running((1.0 - self.share) * np.diff(self.edges))

    @property
    def prevalence(self) -> float:
        """Share of positives overall."""
        return float(self.positives[-1])

    @cached_property
    def tpr(self) -> FloatArray:
        """True positive rate at each edge."""
        return np.asarray(np.clip(self.positives / self.positives[-1], 0.0, 1.0))

    @cached_property
    def fpr(self) -> FloatArray:
        """False positive rate at each edge."""
        return np.asarray(np.clip(self.negatives / self.negatives[-1], 0.0, 1.0))

    @cached_property
    def even(self) -> bool:
        """Whether all bins are of one width."""
        size = self.share.size
        return bool(np.array_equal(self.edges, np.arange(size + 1) / size))

    @property
    def auc(self) -> float:
        """Area under the ROC curve."""
        middle = (self.tpr[1:] + self.tpr[:-1]) / 2.0
        return float((middle * np.diff(self.fpr)).sum())

    def at_prevalence(self, prevalence: float) -> RateCurve:
        """Return the same ROC curve along the rates of another share of positives."""
        if abs(prevalence - self.prevalence) < 1e-12:
            return self
        step = np.stack((prevalence * np.diff(self.tpr), (1.0 - prevalence) * np.diff(self.fpr)))
        width = step.sum(axis=0)
        kept = width > 0.0
        edges = _running(width[kept])
        return RateCurve(edges / edges[-1], step[0, kept] / width[kept])

    def shares(self, rate: FloatArray) -> Shares:
        """Shares of positives before, at and behind each rate; 0 and 1 themselves are left out."""
        upto = np.interp(rate, self.edges, self.positives)
        # A rate on an edge belongs to the bin that ends there.
        bins = np.searchsorted(self.edges, rate, side="left") - 1
        here = self.share[np.clip(bins, 0, self.share.size - 1)]
        return Shares(upto / rate, here, (self.prevalence - upto) / (1.0 - rate))

    def nodes(self, n_pos: int, n_neg: int) -> Nodes:
        """Gauss-Legendre places in every bin, enough for samples of these sizes.

        Six of them in a bin that one case is expected in are exact to 1e-13; four are, where
        fewer than half a case is.
        """
        narrow = n_pos * np.diff(self.tpr) + n_neg * np.diff(self.fpr) < 0.5
        parts = [
            self._nodes_in(np.flatnonzero(which), count)
            for which, count in ((~narrow, 6), (narrow, 4))
            if which.any()
        ]
        return Nodes(*(np.concatenate(column) for column in zip(*parts, strict=True)))

    def _nodes_in(self, bins: IndexArray, count: int) -> Nodes:
        place, weight = np.polynomial.legendre.leggauss(count)
        along = (place + 1.0) / 2.0

        def inside(values: FloatArray) -> FloatArray:
            step = np.diff(values)[bins]
            return np.asarray((values[bins][:, None] + along * step[:, None]).ravel())

        step = np.diff(self.fpr)[bins][:, None] * (weight / 2.0)
        return Nodes(inside(self.tpr), inside(self.fpr), step.ravel())


def _running(steps: FloatArray) -> FloatArray:
    return np.concatenate(([0.0], np.cumsum(steps)))
