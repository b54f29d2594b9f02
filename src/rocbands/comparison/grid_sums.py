"""Sums over the rows of one or two models along a grid of fpr, for any design.

A row has an influence on a curve, or on a difference of two, at each of k points. Rows of one class
that are in the same cell of each model (:class:`CurveAtGrid`) have the same influence: they are of
one *kind*. Sums of w^2 by kind, for equal weights counts, give the products of independent rows.
Rows in clusters are added up by cluster first. (D1) to (D9) are in
:mod:`rocbands.design.row_design`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from rocbands._math.products import gram, times
from rocbands.comparison.grid_curve import CurveAtGrid
from rocbands.core.checks import FloatArray, IndexArray
from rocbands.core.pair import Pair
from rocbands.core.score_variance import CaseNumbers
from rocbands.core.tolerance import SAME
from rocbands.design.effective_number import (
    POOL,
    Pool,
    choose_pool,
    count_effective,
    sum_pool,
    weigh_near,
)
from rocbands.design.row_design import (
    LEAST,
    RowDesign,
    correct_few,
    find_steps,
    find_stratum_factors,
)
from rocbands.design.stretch import Stretch

TOGETHER = 1 << 17  # rows counted at once: more than the number of pairs of cells
UNITS = 2048  # clusters added up at once


class GridSums(NamedTuple):
    """Covariance of a curve, or of a difference of two, along the grid, and its parts."""

    covariance: FloatArray  # (k, k) as (D5)
    variance: FloatArray  # (k,) as (D6)
    # (k,) variances of the parts of positives and of negatives
    pos: FloatArray
    neg: FloatArray
    # independent positives and negatives; with a design (k,) effective numbers
    sizes: CaseNumbers
    design: RowDesign | None  # None for independent rows of equal weight

    @classmethod
    def join(cls, products: Sequence[Any], sizes: Any, design: RowDesign | None = None) -> GridSums:
        """Join products <x, y> of negatives, of positives, and of one with the other."""
        neg, pos, both = products[:3]
        units = sizes if design is None else [each.kish for each in design.units]
        n_units = 2.0 if design is None else max(design.n_units, 2.0)
        pos, neg = correct_few(units[0]) * pos, correct_few(units[1]) * neg
        covariance = pos + neg + (both + np.transpose(both)) * (n_units / (n_units - 1.0))
        of_pos, of_neg = (np.maximum(np.diag(part), 0.0) for part in (pos, neg))
        variance = np.maximum(np.diag(covariance), LEAST * (of_pos + of_neg))
        return cls(covariance, variance, of_pos, of_neg, CaseNumbers(*sizes), design)

    @property
    def stretch(self) -> Stretch:
        """Stretch of a critical value at each point."""
        if self.design is None:
            return Stretch(np.inf, np.inf)
        return self.design.stretch_classes(self.pos, self.neg)

    def describe(self) -> tuple[str, ...]:
        """Say what the design costs."""
        if self.design is None:
            return ()
        sizes = zip(self.design.n_rows, map(np.median, self.sizes), strict=True)
        return self.design.describe(dict(zip(("positives", "negatives"), sizes, strict=True)))


class KindRows(NamedTuple):
    """Rows of a design, or entries of several of them, by kind."""

    design: RowDesign
    kind: IndexArray  # (n,)
    influence: FloatArray  # (kinds, k) kinds of negatives first
    n_neg: int  # kinds of negatives

    @classmethod
    def read(cls, curve: CurveAtGrid) -> KindRows:
        """Find the kind of each row of one curve."""
        design, influence = RowDesign.of_curve(curve.roc), np.concatenate(curve.influence)
        n_neg = influence.shape[0] // 2
        kind = curve.place_steps()[design.step] + design.is_positive * n_neg
        return cls(design, kind, influence, n_neg)

    def multiply(self, pool: FloatArray | None = None) -> tuple[FloatArray, ...]:
        """Products (D3) of sums over units: of negatives, of positives, of one with the other.

        `pool` (kinds, k): whether a kind is in a pool at a point. The fourth result (2, k) has the
        sums of squares of the clusters' shares in the pools of negatives and of positives.
        """
        design, n, k = self.design, self.n_neg, self.influence.shape[1]
        code, stratum, scale, pools = design.code, design.stratum, np.ones(1), np.zeros((2, k))
        if stratum is not None:
            scale, part = find_stratum_factors(stratum)
            scale = scale[stratum]
        if code is None:
            squares = design.add_up(design.pos + design.neg) ** 2 * scale
            by_kind = np.bincount(self.kind, squares, self.influence.shape[0])
            rooted, products = self.influence * np.sqrt(by_kind)[:, None], np.zeros((2 * k, 2 * k))
            products[:k, :k], products[k:, k:] = gram(rooted[:n]), gram(rooted[n:])
        else:
            products = self._add_units(code, scale, pool, pools)
        if stratum is not None:
            strata = stratum if code is None else stratum[code]
            products -= self._add_units(strata, part, None, pools)
        return products[:k, :k], products[k:, k:], products[:k, k:], pools

    def _add_units(
        self, code: IndexArray, scale: FloatArray, pool: FloatArray | None, pools: FloatArray
    ) -> FloatArray:
        """Products (2k, 2k) of sums over units; those of pools are added to `pools`."""
        k, shares = self.influence.shape[1], self.share_units(code)
        products = np.zeros((2 * k, 2 * k))
        scale = np.broadcast_to(np.sqrt(scale)[:, None], (shares.shape[0] // 2, 1))
        for start in range(0, shares.shape[0], 2 * UNITS):
            some = shares[start : start + 2 * UNITS]
            sums = (some @ self.influence).reshape(-1, 2 * k)
            sums *= scale[start // 2 : start // 2 + UNITS]
            products += sums.T @ sums
            if pool is not None:
                pools += ((some @ pool) ** 2).reshape(-1, 2, k).sum(axis=0)
        return products

    def share_units(self, code: IndexArray) -> Any:
        """Shares of each unit's negatives, then of its positives, by kind: a sparse matrix."""
        from scipy.sparse import coo_array

        own, share = self.design.is_positive, self.design.pos + self.design.neg
        shape = 2 * (int(code.max()) + 1), self.influence.shape[0]
        return coo_array((share, (2 * code + own, self.kind)), shape).tocsr()


def add_curve(curve: CurveAtGrid) -> GridSums:
    """Covariance of the height of one curve along the grid."""
    roc = curve.roc
    if not roc.independent:
        rows = KindRows.read(curve)
        return GridSums.join(rows.multiply(), curve.sizes, rows.design)
    neg, pos = (
        gram(part * np.sqrt(curve.sum_cells(total))[:, None]) / float(total[-1]) ** 2
        for part, total in zip(curve.influence, (roc.fp, roc.tp), strict=True)
    )
    return GridSums.join((neg, pos, 0.0), curve.sizes)


def multiply_common(
    curves: tuple[CurveAtGrid, CurveAtGrid], common: tuple[IndexArray, IndexArray]
) -> FloatArray:
    """Covariance (k, k) of two curves through clusters with rows in both test sets.

    As :func:`rocbands.design.row_design.find_set_covariance`, at all pairs of points.
    """
    sums, distinct = [], -common[0].size
    for curve, own in zip(curves, common, strict=True):
        rows = KindRows.read(curve)
        code = rows.design.code if rows.design.single is None else rows.design.single
        assert code is not None, "the rows are in clusters"
        shares = rows.share_units(code)
        sums.append((shares[2 * own] + shares[2 * own + 1]) @ rows.influence)
        distinct += rows.design.n_units
    return np.asarray(sums[0].T @ sums[1] * (distinct / max(distinct - 1.0, 1.0)))


def add_pair(pair: Pair, one: CurveAtGrid, two: CurveAtGrid) -> tuple[GridSums, FloatArray]:
    """Add up the rows that both models scored; also return the share of discordant positives."""
    shape = (2, one.influence[0].shape[0], two.influence[0].shape[0])

    def find_kinds(part: slice) -> IndexArray:
        # One number for the class and both cells.
        kind = pair.one.is_positive[part] * shape[1]
        kind += one.find_cells(pair.one.values[part])
        kind *= shape[2]
        kind += two.find_cells(pair.two.values[part])
        return np.asarray(kind)

    n = pair.one.is_positive.size
    kinds = (find_kinds(slice(start, start + TOGETHER)) for start in range(0, n, TOGETHER))
    if {"clusters", "weights", "strata"} & {*pair.design}:
        return _add_design(pair, one, two, np.concatenate([*kinds]), shape)
    counts = reduce(np.add, (np.bincount(part, minlength=math.prod(shape)) for part in kinds))
    sizes = CaseNumbers(pair.one.n_pos, pair.one.n_neg)
    neg, pos = (
        _multiply_cells(table / size**2, left, right)
        for table, size, left, right in zip(
            counts.reshape(shape), sizes[::-1], one.influence, two.influence, strict=True
        )
    )
    sums = GridSums.join((neg, pos, 0.0), sizes)
    # Var u = psi - D^2.
    return sums, (sizes.n_pos - 1) * sums.pos + (one.tpr - two.tpr) ** 2


def _multiply_cells(table: FloatArray, one: FloatArray, two: FloatArray) -> FloatArray:
    """Sum of x x' for x = x_1 - x_2, from sums by pairs of cells."""
    own = (
        gram(side * np.sqrt(mass)[:, None])
        for side, mass in ((one, table.sum(axis=1)), (two, table.sum(axis=0)))
    )
    both = times(times(table.T, one).T, two)
    return np.asarray(sum(own) - both - both.T)


def _add_design(
    pair: Pair, one: CurveAtGrid, two: CurveAtGrid, kinds: IndexArray, shape: tuple[int, ...]
) -> tuple[GridSums, FloatArray]:
    """Add up weighted or dependent rows; effective numbers of both classes, (D9)."""
    design = RowDesign.of_pair(pair)
    counts = np.bincount(kinds, minlength=math.prod(shape))
    seen = np.flatnonzero(counts)
    place = np.zeros(counts.size, dtype=np.intp)
    place[seen] = np.arange(seen.size)
    kind, share = place[kinds], design.pos + design.neg
    n_neg = int(np.searchsorted(seen, shape[1] * shape[2]))
    classes = slice(0, n_neg), slice(n_neg, seen.size)
    _, at, to = np.unravel_index(seen, shape)
    calls = [(one.call_cells()[at[own]], two.call_cells()[to[own]]) for own in classes]
    influence = np.concatenate(
        [one.influence[c][at[own]] - two.influence[c][to[own]] for c, own in enumerate(classes)]
    )
    sums, squares = (np.bincount(kind, values) for values in (share, share**2))
    # Pools: negatives that a model calls, and positives of the rarer side: those that one model
    # finds, or the others.
    apart = np.abs(calls[1][0] - calls[1][1])
    common = sums[classes[1]] @ apart > 0.5 + SAME
    of_neg = np.maximum(*calls[0]) > SAME
    of_pos = np.where(common, apart < 0.5 - SAME, apart > SAME)
    pool = np.concatenate((of_neg, of_pos)).astype(np.float64)
    products = KindRows(design, kind, influence, n_neg).multiply(pool)
    pools = [Pool(sums[own] @ pool[own], *[squares[own] @ pool[own]] * 2) for own in classes]
    if design.clustered:
        pools = [each._replace(units=units) for each, units in zip(pools, products[3], strict=True)]
    sides = (one.roc, pair.one.values), (two.roc, pair.two.values)
    steps = [find_steps(*side) for side in sides]
    few = counts[seen[classes[1]]] @ of_pos < POOL
    if few.any():  # the 20 positives that come nearest to the rarer side
        key = np.abs(np.subtract(*(step - step.max() for step in steps)))
        chosen = (
            choose_pool(design, design.pos, np.full(key.size, side), key) for side in (1.0, 0.0)
        )
        by_key = zip(*(sum_pool(design, design.pos * rows) for rows in chosen), strict=True)
        parts = zip(by_key, pools[1], strict=True)
        pools[1] = Pool(*(np.where(few, np.where(common, *ends), own) for ends, own in parts))
    near = weigh_near(design, steps, [one.vertices, two.vertices])
    scale = np.maximum(np.sqrt((one.slope**2 + two.slope**2) / 2.0), 1e-9)
    away = influence**2
    sizes = (
        count_effective(
            sums[own] @ away[own],
            np.diag(products[c]),
            pools[c],
            design.units[1 - c],
            unit=near[1 - c],
            scale=(scale, 1.0)[c],
            single=squares[own] @ away[own] * design.clustered,
        )
        for c, own in ((1, classes[1]), (0, classes[0]))
    )
    return GridSums.join(products, sizes, design), sums[classes[1]] @ apart**2
