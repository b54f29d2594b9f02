"""DeLong's and Obuchowski's variances of the area under the curve: one formula for every use.

The *placement* of a positive is the fraction of negatives below it, the placement of a negative the
fraction of positives above it, ties counted one half. The mean placement is the AUC, and the
variances of the mean placements give the variance of the AUC:

    var = sum_i (V_i - A)^2 / (m (m - 1))  +  sum_j (W_j - A)^2 / (n (n - 1))

with the placements V of m positives and W of n negatives (DeLong, DeLong and Clarke-Pearson 1988).
With clusters, sums over clusters replace single rows, and a cluster with both classes adds the
product of its two sums (Obuchowski 1997). In a bootstrap, each copy of a row counts.

| data | function |
|---|---|
| one curve of counts, with or without clusters | :func:`compute_variance` |
| two models on the same independent rows | :func:`compute_pair_products` |
| several models, weighted or dependent rows | :class:`rocbands.design.row_design.RowDesign` |
| many resamples of the same rows, as copies | :func:`compute_resampled_variances` |
| moments alone (folds, bins) | :func:`variance_from_moments` |

References
----------
DeLong, DeLong and Clarke-Pearson (1988), Comparing the areas under two or more correlated receiver
operating characteristic curves: a nonparametric approach, Biometrics 44, 837-845.
Obuchowski (1997), Nonparametric analysis of clustered ROC curve data, Biometrics 53, 567-578.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import BoolArray, CountArray, FloatArray
from rocbands.core.counting import Piece, cut_pieces, find_levels, sort_rows, sum_codes, walk_steps
from rocbands.core.roc import RocCurve


class Placements(NamedTuple):
    """Placement of every case, ties counted one half; each class in the order of its rows."""

    pos: FloatArray  # (n_pos,) fraction of the negatives below each positive
    neg: FloatArray  # (n_neg,) fraction of the positives above each negative

    @property
    def auc(self) -> float:
        """Area under the curve of a single set: the mean placement."""
        return float(self.pos.mean())


class Moments(NamedTuple):
    """Variances of the placements, from which the variance of the AUC is computed."""

    auc: float  # area under the curve
    # pos, neg: variances of the placements of each class, with the class size as divisor.
    pos: float
    neg: float
    pairs: float  # variance of the score of a single pair: 1 for a win, one half for a tie, else 0


# ---------------------------------------------------------------------------------- placements


def count_wins(is_positive: BoolArray, values: npt.NDArray[Any]) -> CountArray:
    """Placement of every row as an integer, by one sort, in the order of the rows.

    Twice the number of negatives below a positive, or of positives above a negative; a tie counts
    once.
    """
    order, is_first = sort_rows(values)
    kind: Any = np.int32 if values.size < 2**30 else np.int64
    own = is_positive[order]
    pos, rank = np.cumsum(own, dtype=kind), np.arange(1, values.size + 1, dtype=kind)
    n_pos = pos[-1]
    # Twice the positives and twice the rows up to the middle of a level. A level of one row may
    # count the row itself, because that cancels in the difference below.
    if is_first.all():
        pos *= 2
        rank *= 2
    else:
        last = np.flatnonzero(is_first[1:])
        pos, rank = (
            np.repeat(ends + np.append(kind(0), ends[:-1]), np.diff(last, prepend=-1))
            for ends in (pos[last], rank[last])
        )
    # rank - pos for a positive, 2 n_pos - pos for a negative; faster than `where`.
    rank -= 2 * n_pos
    rank *= own
    rank -= pos
    rank += 2 * n_pos
    wins = np.empty_like(rank)
    wins[order] = rank
    return wins


def compute_placements(
    is_positive: BoolArray, values: npt.NDArray[Any], weight: FloatArray | None = None
) -> Placements:
    """Compute the placement of every row among the rows of the other class, by one sort."""
    if weight is not None:
        level = find_levels(values).level
        pos, neg = (np.bincount(level, weight * own) for own in (is_positive, ~is_positive))
        below = (np.cumsum(neg) - neg / 2.0) / neg.sum()
        above = 1.0 - (np.cumsum(pos) - pos / 2.0) / pos.sum()
        return Placements(below[level.compress(is_positive)], above[level.compress(~is_positive)])
    wins = count_wins(is_positive, values)
    pos, neg = wins.compress(is_positive), wins.compress(~is_positive)
    return Placements(pos / (2.0 * neg.size), neg / (2.0 * pos.size))


def place_steps(piece: Piece, roc: RocCurve) -> tuple[FloatArray, FloatArray]:
    """Placement of a positive, and of a negative, at each of some steps of a curve of counts."""
    below = (roc.n_neg - piece.fp[1:] + np.diff(piece.fp) / 2.0) / roc.n_neg
    above = (piece.tp[1:] - np.diff(piece.tp) / 2.0) / roc.n_pos
    return below, above


def compute_area_moments(roc: RocCurve) -> Moments:
    """Moments of the placements, from counts alone."""
    auc, ties, pos_square, neg_square = roc.auc, 0.0, 0.0, 0.0
    for piece in walk_steps(roc.fp, roc.tp):
        neg, pos = (np.diff(side).astype(np.float64) for side in (piece.fp, piece.tp))
        below, above = place_steps(piece, roc)
        ties += float(np.dot(pos, neg))
        pos_square += float(np.dot(pos, (below - auc) ** 2))
        neg_square += float(np.dot(neg, (above - auc) ** 2))
    ties = ties / roc.n_pos / roc.n_neg
    # The square of a pair's score is the score itself, except for ties: 1/4 instead of 1/2. So the
    # mean square is auc - ties / 4.
    rest = max(auc - ties / 4.0 - auc**2, 0.0)
    return Moments(auc, pos_square / roc.n_pos, neg_square / roc.n_neg, rest)


def compute_cluster_sums(roc: RocCurve) -> tuple[FloatArray, FloatArray]:
    """Sum (placement - AUC) / (class size) over each cluster's positives and negatives."""
    clusters = roc.clusters
    assert clusters is not None
    whole = Piece(0, *(np.concatenate(([0], side)) for side in (roc.fp, roc.tp)))
    below, above = place_steps(whole, roc)

    def add_up(rows: BoolArray, by_step: FloatArray, size: int) -> FloatArray:
        values = by_step[clusters.step.compress(rows)] - roc.auc
        codes = clusters.code.compress(rows)
        return np.asarray(np.bincount(codes, values, clusters.size) / size)

    own = clusters.is_positive
    return add_up(own, below, roc.n_pos), add_up(~own, above, roc.n_neg)


# ----------------------------------------------------------------------------------- variances


def variance_from_moments(moments: Moments, n_pos: int, n_neg: int) -> float:
    """DeLong's variance from moments of the placements; each class needs two cases.

    Examples
    --------
    >>> variance_from_moments(Moments(0.75, 0.0625, 0.0625, 0.1875), n_pos=2, n_neg=2)
    0.125
    """
    return moments.pos / (n_pos - 1) + moments.neg / (n_neg - 1)


def compute_area_variance(roc: RocCurve) -> float:
    """Variance of the AUC of one curve: DeLong's, or Obuchowski's where the curve has clusters.

    Each class needs two cases, or cases in two clusters.
    """
    if roc.clusters is None:
        return variance_from_moments(compute_area_moments(roc), roc.n_pos, roc.n_neg)
    pos, neg = compute_cluster_sums(roc)
    units = (*map(np.count_nonzero, roc.clusters.count_classes()), pos.size)
    return max(float(_add_products(pos @ pos, neg @ neg, 2.0 * (pos @ neg), units)), 0.0)


def compute_pair_products(
    is_positive: BoolArray, wins: Sequence[CountArray]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """AUCs of two models on the same rows, (2,), and sums of products of centred placements.

    `wins`: of each model, from :func:`count_wins`. The sums, (3, 3) of positives and of negatives,
    are for both models and their difference, each placement divided by the class size. They are
    computed piece by piece, without the placements of all rows in memory.
    """
    n_pos = np.count_nonzero(is_positive)
    sizes = n_pos, is_positive.size - n_pos
    # Each pair of cases is counted twice, once for each class.
    total = [int(side.sum(dtype=np.int64)) // 2 for side in wins]
    total.append(total[0] - total[1])
    products = np.zeros((2, 3, 3))
    for part in cut_pieces(is_positive.size):
        columns = np.stack([wins[0][part], wins[1][part], wins[0][part] - wins[1][part]])
        for place, rows in enumerate((is_positive[part], ~is_positive[part])):
            centre = np.array([[number / sizes[place]] for number in total])
            residuals = columns.take(np.flatnonzero(rows), axis=1) - centre
            products[place] += [[np.dot(a, b) for b in residuals] for a in residuals]
    pairs = 2 * sizes[0] * sizes[1]
    pos, neg = products / float(pairs) ** 2
    return np.array(total[:2]) / pairs, pos, neg


def compute_resampled_variances(
    places: Placements,
    copies: tuple[FloatArray, FloatArray],
    clusters: tuple[CountArray, CountArray] | None = None,
) -> FloatArray:
    """Variance of the AUC of each of k resamples, given as numbers of copies of the rows.

    `places`: placements of each row (axis 0) in each resample (axis 1), or differences of two
    models' placements. `copies`: number of copies of each positive and each negative, at least two
    in total. `clusters`: codes of the clusters of the positives and of the negatives, if whole
    clusters were drawn; each copy of a cluster is its own cluster. Returns shape (k,).
    """
    units: list[Any] = [times.sum(axis=0) for times in copies]
    area = np.einsum("ik,ik->k", copies[0], places.pos) / units[0]
    pos, neg = ((side - area) / size for side, size in zip(places, units, strict=True))
    across: Any = 0.0
    if clusters is not None:
        # All rows of a cluster were drawn equally often.
        size = int(max(codes.max() for codes in clusters)) + 1
        times = np.zeros((size, area.size))
        for codes, drawn in zip(clusters, copies, strict=True):
            times[codes] = drawn
        units = [times[np.unique(codes)].sum(axis=0) for codes in clusters] + [times.sum(axis=0)]
        pos, neg = (
            sum_codes(codes, side, size) for codes, side in zip(clusters, (pos, neg), strict=True)
        )
        copies, across = (times, times), 2.0 * np.einsum("gk,gk,gk->k", times, pos, neg)
    of_pos, of_neg = (
        np.einsum("ik,ik,ik->k", times, side, side)
        for times, side in zip(copies, (pos, neg), strict=True)
    )
    return _add_products(of_pos, of_neg, across, units)


def _add_products(pos: Any, neg: Any, across: Any, units: Sequence[Any]) -> FloatArray:
    """Add sums of products within positives, within negatives and across both.

    This is the formula of Obuchowski (1997): each sum of products over g independent clusters, of
    centred placements that were divided by the class size, is multiplied by g / (g - 1). With rows
    as clusters no cluster has both classes, the products across vanish, and the formula is
    DeLong's.

    `across` has the product of each cluster in both orders. `units`: numbers of clusters with
    positives and with negatives, and of all clusters; rows without clusters have no products
    across.
    """
    # If a resample has a single cluster, its sums are 0 for any factor.
    factors = (n / np.maximum(n - 1.0, 1.0) for n in units)
    parts = zip(factors, (pos, neg, across), strict=False)
    return np.asarray(sum(factor * part for factor, part in parts))
