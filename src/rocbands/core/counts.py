"""Data of a curve besides its counts: sums of weights, clusters, and bins of scores.

A bin of p positives and q negatives is a box in the unit square. The curve enters it at the lower
left corner and leaves it at the upper right corner along some monotone path. So it runs between two
staircases: positives first in every bin (up, then right), and negatives first.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import (
    MOST_CASES,
    BoolArray,
    CountArray,
    FloatArray,
    FrozenState,
    IndexArray,
    freeze,
)
from rocbands.core.columns import score_column, to_column
from rocbands.core.counting import find_levels
from rocbands.core.rows import Design, Rows, check_class_clusters, find_cluster_strata, renumber
from rocbands.errors import InputError, Message, arg


@dataclass(frozen=True, eq=False)
class Clusters(FrozenState):
    """Rows in clusters, such as the lesions of one patient."""

    # (n,) the curve's step of each row, counted from the highest score.
    step: IndexArray
    is_positive: BoolArray  # (n,) the class of each row
    code: CountArray  # (n,) the cluster of each row, from 0
    size: int  # number of clusters
    weight: FloatArray | None = None  # (n,) the weight of each row, if weights differ
    # (size,) the stratum of each cluster, from 0, if clusters were sampled in strata
    stratum: IndexArray | None = None

    def count_classes(self) -> tuple[CountArray, CountArray]:
        """Numbers of positives and of negatives of each cluster."""
        pos = np.bincount(self.code.compress(self.is_positive), minlength=self.size)
        return pos, np.bincount(self.code, minlength=self.size) - pos

    def check_classes(self) -> None:
        """Refuse a class that lies in one cluster; clusters of one row are independent rows."""
        if self.size < self.code.size:
            check_class_clusters(self.is_positive, self.code)


@dataclass(frozen=True, eq=False)
class Weights(FrozenState):
    """Sums of the weights of both classes at each distinct score, and of their squares.

    Attributes
    ----------
    neg, pos : ndarray of shape (k,)
        Sums of the weights of negatives and of positives, the highest score first.
    neg_squares, pos_squares : ndarray of shape (k,)
        Sums of the squared weights.
    fourths : tuple of two ndarrays of shape (k,), or None
        Sums of the fourth powers of the weights of positives and of negatives; None if unknown.
    equal : bool
        Whether weights are equal within each class; the curve is then that of the counts.
    dropped : int
        Rows of weight 0, which were left out.
    """

    neg: FloatArray
    pos: FloatArray
    neg_squares: FloatArray
    pos_squares: FloatArray
    fourths: tuple[FloatArray, FloatArray] | None = field(default=None, kw_only=True)
    equal: bool = field(default=False, kw_only=True)
    dropped: int = field(default=0, kw_only=True)

    @property
    def prevalence(self) -> float:
        """Fraction of the total weight that positives have."""
        pos, neg = float(self.pos.sum()), float(self.neg.sum())
        return pos / (pos + neg)

    @classmethod
    def from_sums(cls, neg: CountArray, pos: CountArray, sums: tuple[FloatArray, ...]) -> Weights:
        """Take given sums, with the numbers of rows at each score.

        Weights of a class whose coefficient of variation is below 1e-7 count as equal.
        """
        variations = [
            float(rows.sum()) * squares.sum() / mass.sum() ** 2 - 1.0  # squared
            for rows, mass, squares in ((neg, sums[0], sums[2]), (pos, sums[1], sums[3]))
        ]
        return cls(*sums[:4], equal=max(variations) < 1e-14)

    def split(self, *, positives_first: bool) -> Weights:
        """Split every bin with both classes into two steps of one class each."""
        mixed = np.flatnonzero((self.neg > 0.0) & (self.pos > 0.0))
        neg, neg_squares = (
            split_mixed(side, mixed, upper=not positives_first)
            for side in (self.neg, self.neg_squares)
        )
        pos, pos_squares = (
            split_mixed(side, mixed, upper=positives_first) for side in (self.pos, self.pos_squares)
        )
        sums = Weights(neg, pos, neg_squares, pos_squares)
        return replace(sums, equal=self.equal, dropped=self.dropped)

    @property
    def mirrored(self) -> Weights:
        """The weights for swapped classes and negated scores."""
        sides = (self.pos, self.neg, self.pos_squares, self.neg_squares)
        fourths = self.fourths and (self.fourths[1][::-1], self.fourths[0][::-1])
        turned = Weights(*(side[::-1] for side in sides), equal=self.equal, dropped=self.dropped)
        return replace(turned, fourths=fourths)


# ------------------------------------------------------------ rows with weights, clusters or strata


def count_design(rows: Rows, drawn: Design) -> dict[str, Any]:
    """Count weighted or dependent rows; returns the fields of a curve."""
    clusters, weight, strata = drawn.clusters, drawn.weights, drawn.strata
    dropped = 0
    if weight is not None and not weight.all():
        kept = np.flatnonzero(weight)
        dropped = weight.size - kept.size
        rows, weight = rows.take(kept), weight[kept]
        clusters, strata = (None if side is None else side[kept] for side in (clusters, strata))
    is_positive, levels = rows.is_positive, find_levels(rows.values)
    # From the highest score down; the first row of each step, and the end of each step.
    order, first = levels.order[::-1].copy(), levels.order.size - levels.first[:0:-1]
    ends = levels.order.size - levels.first[-2::-1]
    ordered = is_positive.take(order)
    tp, distinct = np.cumsum(ordered), order
    if first.size < order.size:
        tp, distinct = tp[ends - 1], order[first]
    found: dict[str, Any] = {
        "thresholds": freeze(rows.values.take(distinct)),
        "fp": freeze(ends - tp),
        "tp": freeze(tp),
    }
    if weight is not None:
        found["weights"] = sums = _sum_weights(weight.take(order), ordered, first, dropped)
        if sums is None or sums.equal:
            weight = None
    if clusters is not None or strata is not None:
        step = first.size - 1 - levels.level
        code = np.arange(step.size) if clusters is None else renumber(clusters)
        size = int(code.max()) + 1
        stratum = None if strata is None else find_cluster_strata(code, size, strata)
        found["clusters"] = Clusters(step, is_positive, code, size, weight, stratum)
    return found


def _sum_weights(
    weight: FloatArray, is_positive: BoolArray, first: IndexArray, dropped: int
) -> Weights | None:
    """Sum weights at each step; None if all weights are equal and no row was left out.

    `weight`, `is_positive`: of the rows from the highest score down. `first`: that of each step.
    """
    pos = weight * is_positive
    neg = weight - pos
    ranges = [
        (side.compress(rows).min(), side.max())
        for rows, side in ((~is_positive, neg), (is_positive, pos))
    ]
    equal = all(low == high for low, high in ranges)
    if equal and ranges[0] == ranges[1] and not dropped:
        return None
    squares, fourths = (neg * neg, pos * pos), None
    if first.size < weight.size:  # otherwise each step has one row
        fourths = (
            freeze(np.add.reduceat(squares[1] ** 2, first)),
            freeze(np.add.reduceat(squares[0] ** 2, first)),
        )
        neg, pos = (np.add.reduceat(side, first) for side in (neg, pos))
        squares = np.add.reduceat(squares[0], first), np.add.reduceat(squares[1], first)
    sums = map(freeze, (neg, pos, *squares))
    return Weights(*sums, fourths=fourths, equal=equal, dropped=dropped)


# ------------------------------------------------------------------------- counts made elsewhere


def check_counts(
    thresholds: Any, fp: Any, tp: Any
) -> tuple[npt.NDArray[Any], CountArray, CountArray]:
    """Return thresholds and cumulative counts of both classes as arrays, or refuse them."""
    cuts, counts = score_column(thresholds, "thresholds"), {}
    for name, column in (("fp", fp), ("tp", tp)):
        counts[name] = _read_counts(column, name)
    sizes = [column.size for column in (cuts, *counts.values())]
    if len(set(sizes)) > 1:
        raise InputError(
            Message("{}, {} and {} must be equally long", arg("thresholds"), arg("fp"), arg("tp")),
            f"they have {sizes[0]}, {sizes[1]} and {sizes[2]} values",
        )
    rises = cuts[1:] >= cuts[:-1]
    if rises.any():
        row = int(np.argmax(rises)) + 1
        raise InputError(
            "must be distinct and descending",
            f"thresholds[{row}] = {cuts[row]} follows {cuts[row - 1]}",
            "Add up equal scores and sort from the highest down.",
            argument="thresholds",
        )
    for name, column in counts.items():
        falls = np.diff(column, prepend=0) < 0
        if falls.any():
            row = int(np.argmax(falls))
            raise InputError(
                "must be nondecreasing cumulative counts",
                f"{name}[{row}] = {column[row]} is below the count before it",
                "Pass running totals from the highest score down.",
                argument=name,
            )
        if column[-1] == 0:
            kind = "negative" if name == "fp" else "positive"
            raise InputError(
                f"There must be at least one {kind}", Message("{} ends at 0", arg(name))
            )
    return cuts, counts["fp"], counts["tp"]


def _read_counts(values: Any, name: str) -> CountArray:
    column = to_column(values, name)
    whole = column.dtype.kind in "iu"
    if not whole and (column.dtype.kind != "f" or not np.array_equal(column, np.rint(column))):
        raise InputError(
            "must be whole numbers",
            f"its type is {column.dtype}",
            "Pass cumulative counts, not rates.",
            argument=name,
        )
    if column.max() > MOST_CASES:
        row = int(np.argmax(column))
        raise InputError(
            "must be counts of at most 10**15",
            f"{name}[{row}] = {column[row]}",
            "Check the step that made them.",
            argument=name,
        )
    return column.astype(np.int64)


def check_weight_sums(
    weights: Any, neg: CountArray, pos: CountArray, seen: BoolArray
) -> tuple[FloatArray, ...]:
    """Refuse sums of weights that are impossible for the rows."""
    sums = tuple(score_column(side, "weights").astype(np.float64) for side in weights)
    fits = len(sums) == 4 and all(side.size == neg.size for side in sums)
    fits = fits and all(
        np.isfinite(side).all() and ((side > 0.0) == (rows > 0)).all()
        for side, rows in zip(sums, (neg, pos, neg, pos), strict=True)
    )
    # The sum s of n weights and the sum q of their squares satisfy s^2 / n <= q <= s^2.
    fits = fits and all(
        ((mass**2 <= rows * squares * (1 + 1e-9)) & (squares <= mass**2 * (1 + 1e-9))).all()
        for rows, mass, squares in ((neg, sums[0], sums[2]), (pos, sums[1], sums[3]))
    )
    if not fits:
        raise InputError(
            "must be four sums for each threshold: of the weights of negatives and of positives, "
            "and of their squares, above 0 where there are such rows and 0 elsewhere",
            "they are not",
            "Check the step that made them.",
            argument="weights",
        )
    return tuple(side[seen] for side in sums)


# ------------------------------------------------------------------------------------------ bins


class Steps(NamedTuple):
    """Thresholds and cumulative counts, one for each step of a curve."""

    thresholds: npt.NDArray[Any]
    fp: CountArray
    tp: CountArray


def certificate(neg: CountArray | FloatArray, pos: CountArray | FloatArray) -> float:
    """Largest error of the area under the curve: half the total area of the boxes.

    `neg`, `pos` (k,): counts, or sums of weights, in each bin.

    Examples
    --------
    >>> certificate(np.array([1, 3]), np.array([2, 0]))
    0.125
    """
    return float(np.dot(neg / float(neg.sum()), pos / float(pos.sum()))) / 2.0


def split_bins(steps: Steps, *, positives_first: bool) -> Steps:
    """Split every bin with both classes into two steps of one class each.

    Thresholds are nominal: the upper step of a bin gets the next float above the bin's lower end.

    Examples
    --------
    >>> steps = Steps(np.array([2.0, 1.0]), fp=np.array([1, 4]), tp=np.array([2, 2]))
    >>> split_bins(steps, positives_first=True)[1:]
    (array([0, 1, 4]), array([2, 2, 2]))
    """
    neg, pos = (np.diff(side, prepend=0) for side in (steps.fp, steps.tp))
    mixed = np.flatnonzero((neg > 0) & (pos > 0))
    if not mixed.size:
        return steps
    cut = steps.thresholds
    if cut.dtype.kind != "f":
        cut = cut.astype(np.float64)
    up = np.nextafter(cut[mixed], cut.dtype.type(np.inf))
    return Steps(
        np.insert(cut, mixed, up),
        np.cumsum(split_mixed(neg, mixed, upper=not positives_first)),
        np.cumsum(split_mixed(pos, mixed, upper=positives_first)),
    )


def split_mixed(side: npt.NDArray[Any], mixed: IndexArray, *, upper: bool) -> npt.NDArray[Any]:
    """Split some bins into two steps; counts of one class go to the upper or the lower step."""
    split = np.insert(side, mixed, side[mixed] if upper else 0)
    split[mixed + np.arange(1, mixed.size + 1)] = 0 if upper else side[mixed]
    return split


def inside_bins(
    thresholds: npt.NDArray[Any], tops: npt.NDArray[Any] | None, cut: npt.NDArray[Any]
) -> tuple[IndexArray, BoolArray]:
    """Return the number of whole bins at or above each cut, and whether it cuts the next one.

    Examples
    --------
    >>> inside_bins(np.array([3, 2, 1]), np.array([np.inf, 3, 1.5]), np.array([3, 2.5, 1.7]))
    (array([1, 1, 2]), array([False,  True, False]))
    """
    whole = np.asarray(thresholds.size - thresholds[::-1].searchsorted(cut))
    following = np.minimum(whole, thresholds.size - 1)
    if tops is None:
        top = np.where(following > 0, thresholds[following - 1], np.inf)
    else:
        top = tops[following]
    return whole, (whole < thresholds.size) & (cut < top)


def stairs(x: FloatArray, y: FloatArray, *, up_first: bool) -> tuple[FloatArray, FloatArray]:
    """Vertices of the staircase through points of an increasing curve.

    Examples
    --------
    >>> stairs(np.array([0, 1]), np.array([0, 1]), up_first=True)
    (array([0, 0, 1]), array([0, 1, 1]))
    """
    twice_x, twice_y = np.repeat(x, 2), np.repeat(y, 2)
    return (twice_x[:-1], twice_y[1:]) if up_first else (twice_x[1:], twice_y[:-1])
