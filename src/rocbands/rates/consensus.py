"""Folds combined at each rate: their average, its feasible range, and its variance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy.special import betaincinv

from rocbands.core.attributes import Derived
from rocbands.core.checks import FloatArray, check_share, frozen
from rocbands.errors import InputError, Message, arg, warn
from rocbands.rates.distribution import (
    MIDPOINTS,
    approximate_moments,
    compute_count_pmf,
    compute_moments,
)
from rocbands.rates.table import CountedTable, RateCurve, RateTable, find_positions

Scheme: TypeAlias = Literal["counts", "reference"]

LARGE = 2000  # rows of a fold above which its distribution is computed at some rates only
_PRODUCTS = 2e10  # operations allowed for exact distributions: about a second
_GRID = 201  # rates where folds differ in size, or are large


@dataclass(frozen=True, eq=False)
class Consensus:
    """The folds' average recall at each rate.

    Recall times `size` is a count of positives over all folds, or an equivalent of it.
    """

    table: RateTable  # the folds
    scheme: Scheme  # how they are combined: formulas (R2) and (R3) of docs/formulas.md
    rates: FloatArray  # (k,) shares of cases acted on
    prevalence: float  # of all folds, or of the reference population
    tpr: FloatArray  # (k,) recall of the consensus
    apart: FloatArray  # (folds, k) deviation of each fold's contribution to the consensus
    weight: FloatArray  # (folds,) of each fold's recall in the average
    low: FloatArray  # (k,) smallest recall that the rate allows (equations 28 and 29)
    high: FloatArray  # (k,) largest one
    size: float  # equivalent number of positives
    reference: RateCurve | None = None  # average of the folds' curves at the reference prevalence

    @classmethod
    def by_counts(cls, table: RateTable, rates: FloatArray) -> Consensus:
        """Act on the same share of each fold, and add up the positives that are found."""
        n_pos, n_neg = table.n_pos[:, None], table.n_neg[:, None]
        place = np.stack([find_positions(rates, float(n)) for n in table.sizes])
        total = float(table.n_pos.sum())
        low = np.maximum(0.0, place - n_neg).sum(axis=0) / total
        high = np.minimum(place, n_pos).sum(axis=0) / total
        tp = table.counts(rates)
        fp = place - tp
        tpr = np.clip(tp.sum(axis=0) / total, low, high)
        # The mean of the excess of positives and the lack of negatives: symmetric in the classes;
        # both are equal if all folds have one prevalence.
        more = tp - n_pos * tpr
        fewer = n_neg / n_neg.sum() * fp.sum(axis=0) - fp
        return cls(
            table=table,
            scheme="counts",
            rates=rates,
            prevalence=table.prevalence,
            tpr=tpr,
            apart=(more + fewer) / (2.0 * total),
            weight=table.n_pos / total,
            low=low,
            high=high,
            size=total,
        )

    @classmethod
    def by_reference(cls, table: RateTable, rates: FloatArray, prevalence: float) -> Consensus:
        """Intersect each fold's ROC curve with the rate isometrics of this prevalence."""
        own = [
            RateCurve(np.arange(labels.size + 1) / labels.size, labels).at_prevalence(prevalence)
            for labels in table.folds
        ]
        # Inverse variances of a rate up to a factor; symmetric in the classes.
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
            reference=RateCurve(edges, share),
            tpr=tpr,
            apart=weight[:, None] * (each - tpr),
            weight=weight,
            low=low,
            high=high,
            size=float(1.0 / (weight**2 / table.n_pos).sum()),
        )

    n_folds = Derived[int](lambda consensus: consensus.table.n_folds, "Number of folds.")

    @property
    def curve(self) -> RateCurve:
        """The common curve of all folds; computed only when needed."""
        return self.table.curve if self.reference is None else self.reference

    @cached_property
    def observed_variance(self) -> FloatArray:
        """Variance of the consensus, from the variation between at least two folds (equation 8)."""
        folds = self.n_folds
        return np.asarray((self.apart**2).sum(axis=0) * folds / (folds - 1))

    @property
    def is_small(self) -> bool:
        """Whether the exact distributions of all folds, at all their ranks, are affordable."""
        return _is_small(self.curve, [kind[:2] for kind in self.table.kinds])

    @cached_property
    def moments(self) -> tuple[FloatArray, FloatArray]:
        """Mean and variance of recall times size, in new folds drawn from the fitted curve."""
        return self.compute_moments()

    def compute_moments(self, levels: FloatArray | None = None) -> tuple[FloatArray, FloatArray]:
        """Mean and variance of recall times size (equations 24 and 25).

        `levels`: quantiles of the rate at which :func:`approximate_moments` puts its nodes. By
        default the exact distribution where it is affordable, and 100 midpoints otherwise.
        """
        if self.scheme == "reference":
            return self._first_order_moments()
        exact = levels is None and self.is_small
        mean, variance = np.zeros((2, self.rates.size))
        for n_pos, n_neg, times in self.table.kinds:
            one = _compute_fold_moments(self.curve, n_pos, n_neg, self.rates, exact, levels)
            mean += times * one[0]
            variance += times * one[1]
        return mean, variance

    @cached_property
    def heterogeneity(self) -> float | None:
        """Variance of the consensus between folds, relative to that under one common curve.

        Averaged over rates from 0.1 to 0.9, whatever rates are requested: at a single rate the
        ratio is twice as variable.
        """
        if self.n_folds < 2:
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

    def _first_order_moments(self) -> tuple[FloatArray, FloatArray]:
        """Moments along the isometric, to first order in the errors of both rates: formula (R3).

        The curve is averaged over the distribution of the rate of a case at this rank, because its
        local slope is as rough as single labels.
        """
        pi, rates, table = self.prevalence, self.rates, self.table
        n = 1.0 / float((self.weight / table.sizes).sum())
        after = np.maximum(n * (1.0 - rates), 1e-3)[:, None]
        near = betaincinv(np.maximum(n * rates, 1e-3)[:, None], after, MIDPOINTS)
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


def build_consensus(
    table: RateTable, rates: FloatArray | None = None, *, scheme: Any = None, prevalence: Any = None
) -> tuple[Consensus, tuple[str, ...]]:
    """Combine folds by the given scheme, or a suitable one; return notes too.

    Arguments are those of :func:`rocbands.rate_bounds`. A warning says that 'counts' would mislead.
    """
    if prevalence is not None:
        prevalence = check_share(prevalence, "prevalence")
    if table.apart and scheme != "reference" and prevalence is None:
        _warn_of_shares(table, scheme)
    wanted = choose_default_rates(table) if rates is None else rates
    if scheme == "counts" or (scheme is None and prevalence is None and not table.apart):
        return Consensus.by_counts(table, wanted), ()
    _check_rows(table)
    kept, notes = _drop_single_class(table)
    pi = table.prevalence if prevalence is None else prevalence
    note = f"Rates are those of a population with a share of positives of {pi:.4g}."
    return Consensus.by_reference(kept, wanted, pi), (note, *notes)


def _warn_of_shares(table: RateTable, scheme: Any) -> None:
    shares = table.n_pos / table.sizes
    what = (
        Message("adding up counts at one rate is then biased. Use {}.", arg("scheme", "reference"))
        if scheme == "counts"
        else Message(
            "each fold's curve is cut at the rate of a population with their common share ({}).",
            arg("scheme", "reference"),
        )
    )
    warn(
        Message(
            "Shares of positives in the folds differ, from {:.3g} to {:.3g}: {}",
            shares.min(),
            shares.max(),
            what,
        )
    )


def _check_rows(table: RateTable) -> None:
    """Refuse counts without ranks of single rows: the reference scheme needs them."""
    if table.binned or isinstance(table, CountedTable):
        raise InputError(
            Message("{} needs single rows", arg("scheme", "reference")),
            "the curve has bins" if table.binned else f"there are {int(table.sizes[0])}",
            Message("Leave {}, {} and {} out.", arg("scheme"), arg("prevalence"), arg("future")),
        )


def _drop_single_class(table: RateTable) -> tuple[RateTable, tuple[str, ...]]:
    """Drop folds that have no ROC curve."""
    both = (table.n_pos > 0) & (table.n_neg > 0)
    if both.all():
        return table, ()
    if not both.any():
        raise InputError(
            Message("{} needs a fold with both classes", arg("scheme", "reference")),
            "there is none",
            Message("Use {}, or stratify the folds.", arg("scheme", "counts")),
        )
    lost = int(np.count_nonzero(~both))
    text = f"{lost} of {both.size} folds have one class only, no ROC curve, and are left out."
    warn(f"{text} Stratify the folds.")
    folds = tuple(fold for fold, kept in zip(table.folds, both, strict=True) if kept)
    kept_table = replace(table, folds=folds, n_pos=table.n_pos[both], n_neg=table.n_neg[both])
    return kept_table, (Message(text),)


def choose_default_rates(table: RateTable) -> FloatArray:
    """Every rank of the folds if they are of one size and not too large; else an even grid."""
    sizes = table.sizes
    if (sizes == sizes[0]).all() and sizes[0] <= LARGE and sizes.dtype.kind == "i":
        return np.arange(int(sizes[0]) + 1) / int(sizes[0])
    return np.arange(_GRID) / (_GRID - 1)


def _middle_rates(table: RateTable) -> FloatArray:
    """Rates from 0.1 to 0.9: the folds' own ranks, where they are of one size and not large."""
    n = int(table.sizes[0])
    if n > LARGE or (table.sizes != n).any():
        return np.arange(2, 19) / 20
    places = np.arange(1, n) / n
    middle = places[(places >= 0.1) & (places <= 0.9)]
    return middle if middle.size else places


def compute_sample_moments(
    curve: RateCurve, n_pos: int, n_neg: int, rates: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Mean and variance of the positives found in one sample of these sizes, at each rate."""
    small = _is_small(curve, [(n_pos, n_neg)])
    return _compute_fold_moments(curve, n_pos, n_neg, rates, small)


def _is_small(curve: RateCurve, sizes: list[tuple[int, int]]) -> bool:
    """Tell whether exact distributions of folds of these class sizes are affordable."""
    products = 6.0 * curve.share.size * sum(n_pos * n_neg for n_pos, n_neg in sizes)
    return max(map(sum, sizes)) <= LARGE and products <= _PRODUCTS


def _compute_fold_moments(
    curve: RateCurve,
    n_pos: int,
    n_neg: int,
    rates: FloatArray,
    exact: bool,
    levels: FloatArray | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Moments at each rate, by straight lines between whole ranks."""
    place = find_positions(rates, n_pos + n_neg)
    if exact:
        whole = np.arange(n_pos + n_neg + 1)
        mean, variance = _exact_moments(curve, n_pos, n_neg)
    else:
        whole = np.unique(np.concatenate((np.floor(place), np.ceil(place)))).astype(np.int64)
        nodes = MIDPOINTS if levels is None else levels
        mean, variance = approximate_moments(curve, n_pos, n_neg, whole, nodes)
    return np.interp(place, whole, mean), np.interp(place, whole, variance)


@lru_cache(maxsize=16)  # limits and the ratio of variances ask for the same curve
def _exact_moments(curve: RateCurve, n_pos: int, n_neg: int) -> tuple[FloatArray, FloatArray]:
    mean, variance = compute_moments(compute_count_pmf(curve, n_pos, n_neg))
    return frozen(mean), frozen(variance)
