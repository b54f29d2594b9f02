"""Running sums of weights along a curve, of rows and of whole clusters.

Of clusters these are sums of products. Let A_i be the weights of a unit in several sums, such as
those of its positives and of its negatives that are called. A change of A_i by w adds w (2 A_i + w)
to its unit's A_i^2, w A_j to its A_i A_j, and w T to its A_i T with a fixed weight T. One sort by
unit and threshold gives all of them at every threshold (:class:`UnitChanges`), without a table of
units and thresholds.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rocbands.core.checks import CountArray, FloatArray, IndexArray, once_for_each
from rocbands.core.counting import sum_codes
from rocbands.core.roc import RocCurve
from rocbands.core.tolerance import SAME
from rocbands.design.row_design import RowDesign, find_stratum_factors


@dataclass(frozen=True, eq=False)
class UnitChanges:
    """Changes of the sums of units along thresholds, sorted by unit and threshold.

    Changes of the same unit, sum and threshold are one change, so that a row may be split within
    its unit.
    """

    unit: IndexArray  # (n,)
    at: IndexArray  # (n,) threshold from which on it counts
    kind: IndexArray  # (n,) the sum that changes
    weight: FloatArray  # (n,)
    totals: FloatArray  # (2, units) T+ and T-, weights of all positives and negatives
    kinds: int  # number of sums

    @classmethod
    def merge(
        cls,
        unit: IndexArray,
        at: IndexArray,
        kind: IndexArray,
        weight: FloatArray,
        totals: FloatArray,
        kinds: int,
    ) -> UnitChanges:
        """Sort changes by unit and threshold, and merge them."""
        place = (unit * (int(at.max(initial=0)) + 1) + at) * kinds + kind
        # The number of the change in the last bits: sorting whole numbers is several times as fast
        # as `argsort`.
        bits = int(place.size).bit_length()
        if int(place.max(initial=0)) < 1 << (63 - bits):
            place <<= bits
            place |= np.arange(place.size)
            place.sort()
            order = place & ((1 << bits) - 1)
            place >>= bits
        else:
            order = np.argsort(place, kind="stable")
            place = place[order]
        first = np.flatnonzero(np.diff(place, prepend=-1))
        weight = weight[order]
        if first.size < order.size:
            order, weight = order[first], np.add.reduceat(weight, first)
        return cls(unit[order], at[order], kind[order], weight, totals, kinds)

    @staticmethod
    @once_for_each
    def of_rows(design: RowDesign) -> UnitChanges:
        """Rows of a curve, by cluster and step: weights of the positives and negatives above it.

        Computed once for each design.
        """
        assert design.step is not None, "the rows are those of a curve"
        kind = np.where(design.is_positive, 0, 1)
        return UnitChanges.merge(*(design.unit, design.step, kind, design.weight, design.totals, 2))

    @cached_property
    def before(self) -> FloatArray:
        """Weight of the unit in each sum before each change, (kinds, n)."""
        masses = np.zeros((self.kinds, self.weight.size))
        masses[self.kind, np.arange(self.weight.size)] = self.weight
        earlier = np.cumsum(masses, axis=1)
        earlier -= masses
        first = np.flatnonzero(np.diff(self.unit, prepend=-1))
        lengths = np.diff(np.append(first, self.unit.size))
        earlier -= np.repeat(earlier[:, first], lengths, axis=1)
        return earlier

    def multiply(
        self, place: IndexArray | None, size: int, factor: FloatArray | None = None
    ) -> FloatArray:
        """Gram matrices of all sums and T+ and T- at each of `size` thresholds, (k, c, c).

        `place`: number of each threshold among those, in the same order; `size` if after the last.
        `factor`: of each unit.
        """
        kinds, w = self.kinds, self.weight
        at = self.at if place is None else place[self.at]
        scaled = w if factor is None else w * factor[self.unit]
        at = at + self.kind * (size + 1)

        def accumulate(values: FloatArray) -> FloatArray:
            """Add up over changes of each kind, (k, kinds)."""
            sums = np.bincount(at, scaled * values, kinds * (size + 1)).reshape(kinds, -1)
            return np.asarray(np.cumsum(sums, axis=1, dtype=np.float64)[:, :-1].T)

        found = np.zeros((size, kinds + 2, kinds + 2))
        half = np.stack([accumulate(one) for one in self.before], axis=2)
        found[:, :kinds, :kinds] = half + np.moveaxis(half, 1, 2)
        found[:, np.arange(kinds), np.arange(kinds)] += accumulate(w)
        for i, one in enumerate(self.totals, start=kinds):
            found[:, i, :kinds] = found[:, :kinds, i] = accumulate(one[self.unit])
        each = self.totals if factor is None else self.totals * factor
        found[:, kinds:, kinds:] = self.totals @ each.T
        return found

    def multiply_in(
        self, stratum: IndexArray | None, place: IndexArray | None, size: int
    ) -> tuple[FloatArray, FloatArray]:
        """Gram matrices about the means of strata, and those about 0: (D3) of `row_design`.

        `stratum`: of each unit, if there are strata.
        """
        plain = self.multiply(place, size)
        if stratum is None:
            return plain, plain
        scale, part = find_stratum_factors(stratum)
        totals = np.stack([sum_codes(stratum, side, scale.size) for side in self.totals])
        at = self.at if place is None else place[self.at]
        strata = UnitChanges.merge(
            *(stratum[self.unit], at, self.kind, self.weight, totals, self.kinds)
        )
        of_units = self.multiply(place, size, scale[stratum])
        return of_units - strata.multiply(None, size, part), plain


# ------------------------------------------------------------------------------- sums along a curve


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
