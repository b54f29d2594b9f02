"""Weights of rows: checked where they enter, and kept as sums at every distinct score."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rocbands.core.checks import BoolArray, CountArray, FloatArray, FrozenState
from rocbands.core.columns import refuse_missing, to_column
from rocbands.errors import InputError, arg

# The squares of such weights, and sums of them, are neither infinite nor 0.
_LEAST, _MOST = 1e-140, 1e140


@dataclass(frozen=True, eq=False)
class Weights(FrozenState):
    """Sums of the weights of both classes at each distinct score, and of their squares.

    Attributes
    ----------
    neg, pos : ndarray of shape (k,)
        Sums of the weights of negatives and of positives, the highest score first.
    neg_squares, pos_squares : ndarray of shape (k,)
        Sums of the squared weights.
    equal : bool
        All negatives weigh the same, and all positives; the curve is then that of the counts.
    dropped : int
        Rows of weight 0, which were left out.
    """

    neg: FloatArray
    pos: FloatArray
    neg_squares: FloatArray
    pos_squares: FloatArray
    equal: bool = field(default=False, kw_only=True)
    dropped: int = field(default=0, kw_only=True)

    @property
    def prevalence(self) -> float:
        """Share of the positives in the sum of all weights."""
        pos, neg = float(self.pos.sum()), float(self.neg.sum())
        return pos / (pos + neg)

    @classmethod
    def from_sums(cls, neg: CountArray, pos: CountArray, sums: tuple[FloatArray, ...]) -> Weights:
        """Take sums that were made elsewhere, beside the numbers of rows at each score.

        Weights of a class whose spread is below 1e-7 of their mean count as equal.
        """
        spreads = [
            float(rows.sum()) * squares.sum() / mass.sum() ** 2 - 1.0
            for rows, mass, squares in ((neg, sums[0], sums[2]), (pos, sums[1], sums[3]))
        ]
        return cls(*sums[:4], equal=max(spreads) < 1e-14)

    @property
    def certificate(self) -> float:
        """Largest error of the area where each step is a bin: half of all boxes."""
        return float(self.neg @ self.pos / (self.neg.sum() * self.pos.sum())) / 2.0

    def split(self, *, positives_first: bool) -> Weights:
        """Make two steps, of one class each, of every bin that contains both classes."""
        mixed = np.flatnonzero((self.neg > 0.0) & (self.pos > 0.0))
        sides = []
        for values, first in (
            (self.neg, not positives_first),
            (self.pos, positives_first),
            (self.neg_squares, not positives_first),
            (self.pos_squares, positives_first),
        ):
            upper = np.insert(values, mixed, values[mixed] if first else 0.0)
            upper[mixed + np.arange(1, mixed.size + 1)] = 0.0 if first else values[mixed]
            sides.append(upper)
        return Weights(*sides, equal=self.equal, dropped=self.dropped)

    @property
    def mirrored(self) -> Weights:
        """The weights for swapped classes and negated scores."""
        sides = (self.pos, self.neg, self.pos_squares, self.neg_squares)
        return Weights(*(side[::-1] for side in sides), equal=self.equal, dropped=self.dropped)


def usable_weights(column: FloatArray) -> BoolArray:
    """Tell which weights are above 0, and neither huge nor tiny; comparisons with NaN are False."""
    return (column >= _LEAST) & (column <= _MOST)


def weight_column(weights: Any, is_positive: BoolArray) -> FloatArray:
    """Check the weight of each row: numbers from 0 up, with some weight in each class."""
    column = read_weights(weights, is_positive.size)
    for kind, rows in (("positive", is_positive), ("negative", ~is_positive)):
        if not column[rows].any():
            raise InputError(
                "must be above 0 for a row of each class",
                f"every {kind} row has weight 0",
                "Check the step that made them.",
                argument="weights",
            )
    return column


def read_weights(weights: Any, size: int) -> FloatArray:
    """Check the weight of each row: numbers from 0 up."""
    column = to_column(weights, "weights")
    if column.size != size:
        raise InputError(
            f"{arg('y_true')} and {arg('weights')} must have one value for each row",
            f"they have {size} and {column.size}",
            "Check that both come from the same rows.",
        )
    refuse_missing(column, "weights")
    if column.dtype.kind not in "iuf":
        raise InputError(
            "must be numbers",
            f"its type is {column.dtype}",
            "Pass the weight of each row.",
            argument="weights",
        )
    column = column.astype(np.float64)
    good = (column == 0.0) | usable_weights(column)
    if not good.all():
        row = int(np.argmin(good))
        raise InputError(
            f"must be 0 or lie between {_LEAST:g} and {_MOST:g}",
            f"weights[{row}] = {column[row]!s}",
            "Check the step that made them.",
            argument="weights",
        )
    return column
