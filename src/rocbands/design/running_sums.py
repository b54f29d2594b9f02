"""Running sums of weights along a curve, of rows and of whole clusters.

Sums over clusters are those of :mod:`rocbands.design.unit_changes`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np

from rocbands.core.checks import CountArray, FloatArray, IndexArray
from rocbands.core.roc import RocCurve
from rocbands.core.tolerance import SAME
from rocbands.design.unit_changes import UnitChanges


class Tail(NamedTuple):
    """Sums over the rows of one class beyond each vertex, from an end of the curve inwards."""

    rows: FloatArray
    weight: FloatArray
    squares: FloatArray
    clusters: FloatArray


@dataclass(frozen=True, slots=True)
class RunningSums:
    """Running sums of one class at the vertices of a curve, from the origin."""

    # Rows above the vertex, and below it. Tied rows stay together: for a point inside a tied step
    # they are neither, so that classes and scores can be turned round.
    rows: FloatArray
    rows_below: FloatArray
    # Weights of the rows above the vertex, and their squares.
    above: FloatArray
    squares_above: FloatArray
    # The same below it, summed from the bottom: differences would lose digits of small weights.
    below: FloatArray
    squares_below: FloatArray
    # sum_g A_g^2 and sum_g B_g^2; the squares, where each row is its own cluster.
    clusters_above: FloatArray
    clusters_below: FloatArray
    products: FloatArray  # sum_g A_g W_g, with W_g = A_g + B_g
    others: FloatArray | None  # sum_g A_g times the weight of the cluster's rows of the other class
    total: float  # sum_g W_g^2
    # With strata these replace `clusters_above`, `products` and `total`.
    strata: tuple[FloatArray, FloatArray, float] | None = None

    @property
    def rate(self) -> FloatArray:
        return np.asarray(np.minimum(self.above / self.above[-1], 1.0))

    @property
    def tails(self) -> tuple[Tail, Tail]:
        """The sums from the highest score down, and from the lowest score up."""
        below = self.rows_below, self.below, self.squares_below, self.clusters_below
        return (
            Tail(self.rows, self.above, self.squares_above, self.clusters_above),
            Tail(*(side[::-1] for side in below)),
        )

    def variance(self, *, strata: bool = False) -> FloatArray:
        """Sandwich variance of the rate."""
        x, parts = self.rate, (self.clusters_above, self.products, self.total)
        if strata and self.strata is not None:
            parts = self.strata
        above, across, whole = parts[0], 2.0 * x * parts[1], x**2 * parts[2]
        squares = above - across + whole
        varies = squares > SAME * (above + np.abs(across) + whole)  # otherwise rounding errors
        return np.asarray(np.where(varies, squares, 0.0) / self.above[-1] ** 2)

    def between(self, at: IndexArray, part: FloatArray) -> RunningSums:
        """Interpolate all sums, but not the numbers of rows: tied rows stay together."""
        mixed: dict[str, Any] = {
            each.name: mix(getattr(self, each.name), at, part)
            for each in fields(self)
            if isinstance(getattr(self, each.name), np.ndarray)
        }
        if self.strata is not None:
            above, products, total = self.strata
            mixed["strata"] = mix(above, at, part), mix(products, at, part), total
        rows = {"rows": self.rows[at], "rows_below": self.rows_below[at + (part > 0.0)]}
        return replace(self, **mixed | rows)


def mix(values: FloatArray, at: IndexArray, part: FloatArray) -> FloatArray:
    """Interpolate between vertex `at` and the next one."""
    after = np.minimum(at + 1, values.size - 1)
    mixed: FloatArray = (1.0 - part) * values[at] + part * values[after]
    return mixed


def sum_rows(roc: RocCurve, kept: IndexArray | None = None) -> tuple[RunningSums, RunningSums]:
    """Add up independent rows of a curve; `kept`: the vertices, by default all."""
    weights = roc.weights
    assert weights is not None, "rows are weighted or in clusters"
    return (
        _sum_class(roc.tp, weights.pos, weights.pos_squares, kept),
        _sum_class(roc.fp, weights.neg, weights.neg_squares, kept),
    )


def _sum_class(
    counts: CountArray, mass: FloatArray, squares: FloatArray, kept: IndexArray | None
) -> RunningSums:
    """Add up one class; `counts`: cumulative, `mass` and `squares`: of the weights of each step."""
    if kept is not None:
        counts = counts[kept[1:] - 1]
        mass, squares = (np.add.reduceat(side, kept[:-1]) for side in (mass, squares))
    rows, above, below = np.append(0.0, counts), _from_top(squares), _from_bottom(squares)
    return RunningSums(
        rows=rows,
        rows_below=rows[-1] - rows,
        above=_from_top(mass),
        squares_above=above,
        below=_from_bottom(mass),
        squares_below=below,
        # Each row is its own cluster, and W_g = A_g for those above.
        clusters_above=above,
        clusters_below=below,
        products=above,
        others=None,
        total=float(squares.sum()),
    )


def _from_bottom(steps: FloatArray) -> FloatArray:
    return np.append(np.cumsum(steps[::-1])[::-1], 0.0)


def sum_clusters(
    changes: UnitChanges, stratum: IndexArray | None, n_steps: int, kept: IndexArray | None = None
) -> tuple[RunningSums, RunningSums, tuple[FloatArray, float]]:
    """Add up rows in clusters; also return sums and total of products of both classes' weights.

    `kept`: the vertices, by default all.
    """
    kept = np.arange(n_steps + 1) if kept is None else kept
    blocks = np.repeat(np.arange(kept.size - 1), np.diff(kept))
    size = int(blocks[-1]) + 1
    layered, found = changes.multiply_in(stratum, blocks + 1, size + 1)
    w, kind, unit = changes.weight, changes.kind, changes.unit
    place = kind * size + blocks[changes.at]
    earlier = np.where(kind == 0, changes.before[0], changes.before[1])
    later = np.where(kind == 0, changes.totals[0][unit], changes.totals[1][unit]) - earlier - w
    rows, mass, squares, below = (
        np.bincount(place, values, 2 * size).reshape(2, size)
        for values in (None, w, w * w, w * (2.0 * np.maximum(later, 0.0) + w))
    )
    across, sums = float(found[0, 2, 3]), []
    for i in (0, 1):
        count = _from_top(rows[i])
        sums.append(
            RunningSums(
                rows=count,
                rows_below=count[-1] - count,
                above=_from_top(mass[i]),
                squares_above=_from_top(squares[i]),
                below=_from_bottom(mass[i]),
                squares_below=_from_bottom(squares[i]),
                clusters_above=found[:, i, i],
                clusters_below=_from_bottom(below[i]),
                products=found[:, i, 2 + i],
                others=found[:, i, 3 - i] if across else None,
                total=float(found[0, 2 + i, 2 + i]),
                strata=None
                if stratum is None
                else (layered[:, i, i], layered[:, i, 2 + i], float(layered[0, 2 + i, 2 + i])),
            )
        )
    return sums[0], sums[1], (found[:, 0, 1], across)


def _from_top(steps: FloatArray) -> FloatArray:
    return np.concatenate(([0.0], np.cumsum(steps)))
