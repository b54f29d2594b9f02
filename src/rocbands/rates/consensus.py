"""Folds put together at each rate: their average, what it can be, and how it varies."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import betaincinv

from rocbands.core.checks import FloatArray, frozen
from rocbands.rates.curve import RateCurve
from rocbands.rates.law import count_law, law_moments
from rocbands.rates.results import Scheme
from rocbands.rates.table import RateTable, positions
from rocbands.rates.windowed import MIDPOINTS, PAPER_NODES, window_moments

__all__ = ["LARGE", "Consensus", "Law", "Limits"]

Law = Literal["exact", "nodes"]

LARGE = 2000  # rows of a fold beyond which its law is found at some rates only
_PRODUCTS = 2e10  # that exact laws may take: about a second


class Limits(NamedTuple):
    """Limits of the recall at each rate, and its mean under the fitted curve if there is one."""

    lower: FloatArray
    upper: FloatArray
    mean: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class Consensus:
    """The folds' average recall at each rate.

    Recall times `size` is a count: of positives over all folds, or as good as one.

    Attributes
    ----------
    table : RateTable
        The folds.
    scheme : {'counts', 'reference'}
        How they were put together.
    rates : ndarray of shape (k,)
        Shares of cases acted on.
    prevalence : float
        Of all folds, or of the reference population.
    curve : RateCurve
        The curve that all folds share, if they do.
    tpr : ndarray of shape (k,)
        Recall of the consensus.
    apart : ndarray of shape (folds, k)
        How far each fold moves the consensus from where all folds together have it.
    weight : ndarray of shape (folds,)
        Of each fold's recall in the average.
    low, high : ndarray of shape (k,)
        Range of the recall that the rate allows.
    size : float
        Positives that the average is worth.
    """

    table: RateTable
    scheme: Scheme
    rates: FloatArray
    prevalence: float
    curve: RateCurve
    tpr: FloatArray
    apart: FloatArray
    weight: FloatArray
    low: FloatArray
    high: FloatArray
    size: float

    @classmethod
    def by_counts(cls, table: RateTable, rates: FloatArray) -> Consensus:
        """Act on the same share of each fold, and add up the positives that are found."""
        n_pos, n_neg = table.n_pos[:, None], table.n_neg[:, None]
        place = np.stack([positions(rates, int(n)) for n in table.sizes])
        total = float(table.n_pos.sum())
        low = np.maximum(0.0, place - n_neg).sum(axis=0) / total
        high = np.minimum(place, n_pos).sum(axis=0) / total
        tp = table.counts(rates)
        fp = place - tp
        tpr = np.clip(tp.sum(axis=0) / total, low, high)
        # Too many positives and too few negatives, by half of each: the same for swapped classes,
        # and for folds of one prevalence each of them is the whole.
        more = tp - n_pos * tpr
        fewer = n_neg / n_neg.sum() * fp.sum(axis=0) - fp
        return cls(
            table=table,
            scheme="counts",
            rates=rates,
            prevalence=table.prevalence,
            curve=table.curve,
            tpr=tpr,
            apart=(more + fewer) / (2.0 * total),
            weight=table.n_pos / total,
            low=low,
            high=high,
            size=total,
        )

    @classmethod
    def by_reference(cls, table: RateTable, rates: FloatArray, prevalence: float) -> Consensus:
        """Cut each fold's own ROC curve at the rate of a population with this prevalence."""
        own = [
            RateCurve(np.arange(labels.size + 1) / labels.size, labels).at_prevalence(prevalence)
            for labels in table.folds
        ]
        weight = table.n_pos * table.n_neg / table.sizes
        weight = weight / weight.sum()
        edges = np.unique(np.concatenate([curve.edges for curve in own]))
        middle = (edges[1:] + edges[:-1]) / 2.0
        share = np.zeros(middle.size)
        for w, curve in zip(weight, own, strict=True):
            share += w * curve.share[np.searchsorted(curve.edges, middle) - 1]
        each = np.stack([np.interp(rates, curve.edges, curve.tpr) for curve in own])
        low = np.maximum(0.0, (rates - (1.0 - prevalence)) / prevalence)
        high = np.minimum(1.0, rates / prevalence)
        tpr = np.clip(weight @ each, low, high)
        return cls(
            table=table,
            scheme="reference",
            rates=rates,
            prevalence=prevalence,
            curve=RateCurve(edges, share),
            tpr=tpr,
            apart=weight[:, None] * (each - tpr),
            weight=weight,
            low=low,
            high=high,
            size=float(1.0 / (weight**2 / table.n_pos).sum()),
        )

    @cached_property
    def observed_variance(self) -> FloatArray:
        """Variance of the consensus, from how the folds differ; there must be two of them."""
        folds = len(self.table.folds)
        return np.asarray((self.apart**2).sum(axis=0) * folds / (folds - 1))

    @property
    def has_whole_laws(self) -> bool:
        """Whether the exact laws of all folds, at all their places, are worth their time."""
        pairs = sum(n_pos * n_neg for n_pos, n_neg, _ in self.table.kinds)
        small = int(self.table.sizes.max()) <= LARGE
        return small and 6.0 * self.curve.share.size * pairs <= _PRODUCTS

    @cached_property
    def moments(self) -> tuple[FloatArray, FloatArray]:
        """Mean and variance of recall times size under the fitted curve, by the exact law."""
        return self.moments_by("exact")

    def moments_by(self, law: Law) -> tuple[FloatArray, FloatArray]:
        """Mean and variance of recall times size under the fitted curve."""
        if self.scheme == "reference":
            return self._first_order()
        mean, variance = np.zeros((2, self.rates.size))
        for n_pos, n_neg, times in self.table.kinds:
            place = positions(self.rates, n_pos + n_neg)
            whole = law == "exact" and self.has_whole_laws
            one = _moments_at(self.curve, n_pos, n_neg, place, law, whole)
            mean += times * one[0]
            variance += times * one[1]
        return mean, variance

    @cached_property
    def heterogeneity(self) -> float | None:
        """Variance of the consensus that the folds show, over that of folds of one curve.

        Averaged over rates from 0.1 to 0.9, whatever rates are asked for: at a single one chance
        alone gives a ratio twice as far from 1.
        """
        if len(self.table.folds) < 2:
            return None
        middle = self._at(_middle_rates(self.table))
        expected = middle.moments[1] / middle.size**2
        used = expected > 1e-12
        if not used.any():
            return None
        return float((middle.observed_variance[used] / expected[used]).mean())

    def _at(self, rates: FloatArray) -> Consensus:
        if self.scheme == "counts":
            return Consensus.by_counts(self.table, rates)
        return Consensus.by_reference(self.table, rates, self.prevalence)

    def _first_order(self) -> tuple[FloatArray, FloatArray]:
        """Moments along the isometric, to first order in the errors of both rates.

        The curve is averaged over where the rate of a case at this place of a fold may lie: its
        own slope there is as rough as single labels.
        """
        pi, rates, table = self.prevalence, self.rates, self.table
        n = 1.0 / float((self.weight / table.sizes).sum())
        behind = np.maximum(n * (1.0 - rates), 1e-3)[:, None]
        near = betaincinv(np.maximum(n * rates, 1e-3)[:, None], behind, MIDPOINTS)
        bins = np.clip(np.searchsorted(self.curve.edges, near) - 1, 0, self.curve.share.size - 1)
        slope = self.curve.share[bins].mean(axis=1)
        smooth = np.interp(near, self.curve.edges, self.curve.tpr).mean(axis=1)
        tpr = np.clip(smooth, self.low, self.high)
        fpr = np.clip((rates - pi * tpr) / (1.0 - pi), 0.0, 1.0)
        w2 = self.weight**2
        of_pos = (1.0 - slope) ** 2 * tpr * (1.0 - tpr) * (w2 / table.n_pos).sum()
        odds = slope * (1.0 - pi) / pi
        of_neg = odds**2 * fpr * (1.0 - fpr) * (w2 / table.n_neg).sum()
        return self.size * tpr, self.size**2 * (of_pos + of_neg)


def _middle_rates(table: RateTable) -> FloatArray:
    """Rates from 0.1 to 0.9: the folds' own places, where they are of one size and not large."""
    n = int(table.sizes[0])
    if n > LARGE or (table.sizes != n).any():
        return np.arange(2, 19) / 20
    places = np.arange(1, n) / n
    middle = places[(places >= 0.1) & (places <= 0.9)]
    return middle if middle.size else places


def _moments_at(
    curve: RateCurve, n_pos: int, n_neg: int, place: FloatArray, law: Law, at_once: bool
) -> tuple[FloatArray, FloatArray]:
    """Moments at places that need not be whole: straight lines between those that are."""
    if at_once:
        whole = np.arange(n_pos + n_neg + 1)
        mean, variance = _whole_moments(curve, n_pos, n_neg)
    else:
        whole = np.unique(np.concatenate((np.floor(place), np.ceil(place)))).astype(np.int64)
        nodes = MIDPOINTS if law == "exact" else PAPER_NODES
        mean, variance = window_moments(curve, n_pos, n_neg, whole, nodes)
    return np.interp(place, whole, mean), np.interp(place, whole, variance)


@lru_cache(maxsize=16)  # limits and the ratio of variances ask for the same curve
def _whole_moments(curve: RateCurve, n_pos: int, n_neg: int) -> tuple[FloatArray, FloatArray]:
    mean, variance = law_moments(count_law(curve, n_pos, n_neg))
    return frozen(mean), frozen(variance)
