"""Sums over units of the rows that a model calls positive, at several thresholds.

Let A+ and A- be the weights of the positives and negatives of a unit that are called, and T+ and T-
those of all its rows. Shares of rows, such as rates, precision, net benefit and costs, are ratios
of sums of these four, and their linearised errors are sums over units of u . (A+, A-, T+, T-) with
coefficients u. So the Gram matrix of the four, at each threshold, gives all variances, covariances
and effective numbers:

    <u . x, v . x> = u' M v,   M_ij = <x_i, x_j>,   x = (A+, A-, T+, T-).

A row of weight w that is called next adds w (2 A + w) to its unit's A^2; the other products are
similar. One sort by unit and score gives all of them. Two models have sums of rows that only one of
them calls in place of A+ and A- (:mod:`rocbands.design.paired_sums`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rocbands.core.checks import FloatArray, IndexArray
from rocbands.core.roc import RocCurve
from rocbands.design.effective_number import (
    POOL,
    NearWeights,
    Pool,
    count_effective,
    find_reach,
    sum_pool,
    weigh_near,
)
from rocbands.design.row_design import (
    RowDesign,
    Stretch,
    Units,
    add_before,
    find_stratum_factors,
    sum_codes,
)

# Coefficients of (A+, A-, T+, T-): rows that are called, and rows of a class.
CALLED_POS, CALLED_NEG = (1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0)
MISSED_POS, SPARED_NEG = (-1.0, 0.0, 1.0, 0.0), (0.0, -1.0, 0.0, 1.0)
POSITIVES, NEGATIVES = (0.0, 0.0, 1.0, 0.0), (0.0, 0.0, 0.0, 1.0)
ALL, CALLED, SPARED = (0.0, 0.0, 1.0, 1.0), (1.0, 1.0, 0.0, 0.0), (-1.0, -1.0, 1.0, 1.0)
Coefficients = Sequence[float]
NOISE = 1e-13  # variance relative to that of its terms, below which it is a rounding error


class Share(NamedTuple):
    """A share of rows at each threshold, with the numbers that its limits need."""

    value: FloatArray  # (k,)
    number: FloatArray  # (k,) effective number of rows
    z: FloatArray  # (k, c) coefficients of its linearised error
    stretch: Stretch  # of its normal quantile
    size: FloatArray  # (k,) mean of abs(x): the value, unless x may be -1

    def limits(self, tail: float) -> tuple[FloatArray, FloatArray]:
        """Wilson's limits with the effective number and the stretched quantile."""
        g = self.stretch.quantile(tail) ** 2 / self.number
        p = self.value
        half = np.sqrt(g * (p * (1.0 - p) + g / 4.0))
        low, high = ((p + g / 2.0 + side * half) / (1.0 + g) for side in (-1.0, 1.0))
        low = np.where(p <= 0.0, 0.0, np.minimum(np.maximum(low, 0.0), p))
        return low, np.where(p >= 1.0, 1.0, np.maximum(np.minimum(high, 1.0), p))


@dataclass(frozen=True, eq=False)
class Changes:
    """How sums over units change along k thresholds, which are in an order.

    Sum `kind` of a row's unit grows by the row's weight, or falls by it, at the threshold `at`.
    """

    row: IndexArray | slice
    at: IndexArray  # from 0 to k; k is after the last threshold
    kind: IndexArray
    sign: FloatArray | float
    classes: tuple[int, ...]  # of each kind: 0 if its rows are positives, 1 if negatives
    size: int  # k + 1

    @cached_property
    def _place(self) -> IndexArray:
        return self.kind * self.size + self.at

    def climb(self, values: FloatArray) -> FloatArray:
        """Add up values of rows in each sum at each threshold, (kinds, k)."""
        kinds = len(self.classes)
        sums = np.bincount(self._place, self.sign * values[self.row], kinds * self.size)
        return np.asarray(np.cumsum(sums.reshape(kinds, -1), axis=1)[:, :-1])


@dataclass(frozen=True, eq=False)
class UnitSums:
    """Sums of rows over units at k thresholds; the last two are T+ and T-."""

    design: RowDesign
    weights: FloatArray  # (k, c) sums over all units
    counts: FloatArray  # (k, c) the same of rows
    products: FloatArray  # (k, c, c) M
    units: FloatArray  # (k, c, c) M without strata
    single: FloatArray  # (k, c, c) M if every row were its own unit
    fourth: FloatArray  # (k,) sum over units of the fourth power of all but T+ and T-

    def multiply(self, one: FloatArray, two: FloatArray) -> FloatArray:
        """Products <one, two> of linearised errors, with coefficients (k, c)."""
        return np.asarray(np.einsum("ki,kij,kj->k", one, self.products, two))

    def find_share(self, part: Coefficients, of: Coefficients, unit: Any = 0.0) -> Share:
        """Share of the rows `part` among the rows `of`, with its effective number.

        `unit`: weight of a row near the threshold, relative to the rows `of`. Where there are no
        rows `of`, the share is NaN.
        """
        return self._find_mean(np.array(part), np.array(of), np.array(part), unit)

    def _find_mean(self, event: FloatArray, base: FloatArray, size: FloatArray, unit: Any) -> Share:
        """Mean of x over the rows `base`; coefficients of x and of its absolute value."""
        mass, rows, there = self.weights @ base, self.counts @ base, self.counts @ size
        with np.errstate(divide="ignore", invalid="ignore"):
            psi = np.where(there == rows, 1.0, np.clip(self.weights @ size / mass, 0.0, 1.0))
            psi = np.where(rows > 0.0, np.where(there == 0.0, 0.0, psi), np.nan)
            p = psi if size is event else np.clip(self.weights @ event / mass, -psi, psi)
            z = (event - p[:, None] * base) / mass[:, None]
            pool = self._find_pool(event, base, size, psi)
            single = np.einsum("ki,kij,kj->k", z, self.single, z) if self.design.grouped else 0.0
            units = self._count_units(base, mass)
            variance = self.multiply(z, z)
            number = count_effective(psi - p * p, variance, pool, units, unit=unit, single=single)
        rows = np.maximum(rows - 1.0, 1.0)
        df = self.design.spare(np.maximum(units.df - 1.0, 1.0))
        plain = units.kish >= rows + 1.0 - 1e-6  # independent rows of equal weight
        return Share(p, number, z, Stretch(np.where(plain, rows, df), rows), psi)

    def find_variance(self, share: Share) -> FloatArray:
        """Variance of a share, 0 where there is a rounding error only."""
        z = np.abs(share.z)
        size = np.einsum("ki,kij,kj->k", z, np.abs(self.products), z)
        variance = self.multiply(share.z, share.z)
        return np.where(variance > NOISE * size, variance, 0.0)

    def correlate(self, one: Share, two: Share) -> FloatArray:
        """Correlation of two shares; 0 where one of them does not vary."""
        scale = np.sqrt(self.find_variance(one) * self.find_variance(two))
        ratio = np.zeros(scale.size)
        np.divide(self.multiply(one.z, two.z), scale, out=ratio, where=scale > 0.0)
        return np.clip(ratio, -1.0, 1.0)

    def combine(
        self, terms: Sequence[tuple[Any, Share]], tail: float
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Weighted sum of shares, and its limits by MOVER; a term is a weight and a share."""
        shares = [share for _, share in terms]
        weights = np.array([np.broadcast_to(weight, share.value.shape) for weight, share in terms])
        correlation = np.array([[self.correlate(one, two) for two in shares] for one in shares])
        return combine_limits(weights, shares, correlation, tail)

    def _count_units(self, base: FloatArray, mass: FloatArray) -> Units:
        """Units behind the rows of each share: Kish's number, rows, and degrees of freedom."""
        squares, single = (
            np.einsum("i,kij,j->k", base, side, base) for side in (self.units, self.single)
        )
        kish, rows = mass**2 / squares, mass**2 / single
        if not base[:-2].any():
            share = {(1.0, 0.0): 0, (0.0, 1.0): 1, (1.0, 1.0): 2}[base[-2], base[-1]]
            df = np.full(mass.size, self.design.units[share].df)
        else:
            fourth = self.fourth if base[0] > 0.0 else self._fourth_spared
            df = np.sqrt(kish * np.minimum(kish, squares**2 / fourth))
        return Units(kish, rows, df)

    @property
    def _fourth_spared(self) -> FloatArray:
        """Sum over units of the fourth power of the weight that is not called."""
        raise NotImplementedError

    # ----------------------------------------------------------------------------------- pools

    def _find_pool(
        self, event: FloatArray, base: FloatArray, size: FloatArray, p: FloatArray
    ) -> Pool:
        """Add up the rarer side, or the 20 rows that come nearest to it."""
        common = p > 0.5
        side = np.where(common[:, None], base - size, size)
        mass = self.weights @ base
        share = np.einsum("ki,ki->k", side, self.weights) / mass
        squares, units = (
            np.einsum("ki,kij,kj->k", side, gram, side) / mass**2
            for gram in (self.single, self.units)
        )
        rows = np.einsum("ki,ki->k", side, self.counts)
        few = (rows < POOL) & (mass > 0.0)
        if self.design.plain:  # any row is like the others
            share[few], squares[few] = 1.0, 1.0 / (self.counts @ base)[few]
            return Pool(share, squares, np.where(few, squares, units))
        for k in np.flatnonzero(few):
            # Rows of a class, or all of them, are the same at every threshold.
            place = int(k) if base[:-2].any() else -1
            key = (*event, *base, bool(common[k]), place)
            if key not in self._nearest:
                self._nearest[key] = self._sum_nearest(event, base, bool(common[k]), place)
            share[k], squares[k], units[k] = np.divide(
                self._nearest[key], (mass[k], mass[k] ** 2, mass[k] ** 2)
            )
        return Pool(share, squares, units)

    @cached_property
    def _nearest(self) -> dict[Any, Pool]:
        return {}

    def _sum_nearest(self, event: FloatArray, base: FloatArray, common: bool, place: int) -> Pool:
        """Add up the weights of the 20 rows that come nearest to the rarer side, ties together.

        `place`: of the threshold, if the rows `base` depend on it.
        """
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class CalledSums(UnitSums):
    """Sums of one model's rows at k thresholds: A+, A-, T+, T-."""

    # (k,) number of steps of the curve at or above each threshold
    vertices: IndexArray = field(kw_only=True)

    @classmethod
    def of_curve(cls, roc: RocCurve, vertices: IndexArray) -> CalledSums:
        """Add up the rows of a curve at some of its vertices; counts suffice if independent."""
        if not roc.independent or roc.weights is not None:
            return cls.add_up(RowDesign.of_curve(roc), vertices)
        sizes = np.array([roc.n_pos, roc.n_neg], dtype=np.float64)
        kinds = np.array([True, False])
        steps = np.zeros(2, dtype=np.intp)
        design = RowDesign(kinds, sizes, sizes, sizes, n_units=int(sizes.sum()), step=steps)
        called = [np.where(vertices > 0, side[vertices - 1], 0) for side in (roc.tp, roc.fp)]
        counts = np.stack([*called, *(np.full(vertices.size, size) for size in sizes)], 1)
        counts = counts.astype(np.float64)
        single = _fill_single(counts, (0, 1))
        fourth = counts[:, :2].sum(axis=1)
        return cls(design, counts, counts, single, single, single, fourth, vertices=vertices)

    @classmethod
    def add_up(cls, design: RowDesign, vertices: IndexArray) -> CalledSums:
        """Add up the rows of a curve at some of its vertices."""
        assert design.step is not None, "the rows are those of a curve"
        order = np.argsort(vertices, kind="stable")
        place = np.empty(order.size, dtype=np.intp)
        place[order] = np.arange(order.size)
        # The first threshold, in this order, at which each row is called.
        bins = np.searchsorted(vertices[order], design.step, side="right")
        kind = np.where(design.is_positive, 0, 1)
        changes = Changes(slice(None), bins, kind, 1.0, (0, 1), vertices.size + 1)
        return cls(
            design, *(side[place] for side in sum_changes(design, changes)), vertices=vertices
        )

    @cached_property
    def near(self) -> NearWeights:
        """Weight of a row near each threshold."""
        assert self.design.step is not None
        return weigh_near(self.design, (self.design.step,), (self.vertices,))

    @cached_property
    def _fourth_spared(self) -> FloatArray:
        design = self.design
        assert design.step is not None
        last = int(design.step.max())
        turned = replace(design, stratum=None, step=last - design.step)
        return CalledSums.add_up(turned, last + 1 - self.vertices).fourth

    def _sum_nearest(self, event: FloatArray, base: FloatArray, common: bool, place: int) -> Pool:
        design, vertex = self.design, int(self.vertices[place])
        step, kind = design.step, np.where(design.is_positive, 0, 1)
        assert step is not None
        among = base[2 + kind] + base[kind] * (step < vertex) > 0.0
        rows = np.where(among, 1.0 if design.rows is None else design.rows, 0.0)
        called = event[:2][event[:2] != 0.0]
        if rows.sum() > POOL and np.ptp(called) == 0.0:
            # Called rows have high scores: those with lower ones come next.
            near = step.astype(np.float64) * (-1.0 if (called[0] > 0.0) != common else 1.0)
            own = event[kind] != 0.0
            if not base[:2].any() and not own[among].all():  # the same class first
                near -= np.where(own != common, 0.0, 2.0 * (int(step.max()) + 1))
            among &= near >= find_reach(near, rows)
        return sum_pool(design, design.weight * among)


def combine_limits(
    weight: FloatArray, shares: Sequence[Share], correlation: FloatArray, tail: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Weighted sum of c shares, with its limits by MOVER (Zou and Donner 2008).

    Distances of the shares' limits are combined like standard errors. `weight`: (c, k).
    `correlation`: (c, c, k).
    """
    correlation[np.diag_indices(len(shares))] = 1.0  # also where a share does not vary
    value = np.array([share.value for share in shares])
    total, ends = (weight * value).sum(axis=0), []
    limits = np.array([share.limits(tail) for share in shares])
    for side in (-1.0, 1.0):
        # A term with a positive weight is largest at its upper limit, one with a negative weight
        # at its lower one. Products have the sign of the product of the weights.
        end = np.where(side * weight > 0.0, limits[:, 1], limits[:, 0])
        moved = weight * np.abs(end - value)
        squares = np.einsum("ijk,ik,jk->k", correlation, moved, moved)
        ends.append(total + side * np.sqrt(np.maximum(squares, 0.0)))
    return total, np.minimum(ends[0], total), np.maximum(ends[1], total)


# -------------------------------------------------------------------------------- Gram matrices


def sum_changes(design: RowDesign, changes: Changes) -> tuple[FloatArray, ...]:
    """Fields of :class:`UnitSums` but the design."""
    rows = np.ones(design.weight.size) if design.rows is None else design.rows
    squares = design.weight**2 if design.squares is None else design.squares

    def add_up(values: FloatArray) -> FloatArray:
        sums = changes.climb(values)
        totals = (float(values @ kind) for kind in (design.is_positive, ~design.is_positive))
        return np.stack([*sums, *(np.full(sums.shape[1], total) for total in totals)], 1)

    weights = counts = squared = add_up(rows)
    if not np.array_equal(rows, design.weight):
        weights, squared = add_up(design.weight), add_up(squares)
    there = counts > 0.0  # where there is no row, rounding errors remain
    both = there[:, :, None] & there[:, None, :]
    single = _fill_single(squared, changes.classes) * both
    if design.code is None:
        units = single
        fourth = changes.climb(squares**2 / np.maximum(rows, 1.0)).sum(axis=0)
    else:
        units, fourth = _add_groups(design, changes)
    products = units
    if design.stratum is not None:
        scale, part = find_stratum_factors(design.stratum)
        each, layer = scale[design.stratum], design.stratum
        if design.code is None:
            products = _fill_single(add_up(squares * each), changes.classes)
        else:
            products, layer = _add_groups(design, changes, each)[0], layer[design.code]
        sums = _add_layers(design, changes, layer, scale.size)
        products = products - np.einsum("hki,h,hkj->kij", sums, part, sums)
    return weights * there, counts, products * both, units * both, single, fourth


def _fill_single(squares: FloatArray, classes: tuple[int, ...]) -> FloatArray:
    """Gram matrices if every row is its own unit: products of different kinds are 0."""
    k, size = squares.shape
    found = np.zeros((k, size, size))
    found[:, np.arange(size), np.arange(size)] = squares
    for kind, own in enumerate(classes):
        found[:, kind, own - 2] = found[:, own - 2, kind] = squares[:, kind]
    return found


def _add_groups(
    design: RowDesign, changes: Changes, scale: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Gram matrices of groups, and sums of fourth powers; `scale`: factor of each group."""
    assert design.code is not None
    kinds, size = len(changes.classes), changes.size
    # Rows of one group, kind and threshold change together. All of a group's are adjacent.
    key = (design.code[changes.row] * size + changes.at) * kinds + changes.kind
    order = np.argsort(key, kind="stable")
    first = np.flatnonzero(np.diff(key[order], prepend=-1))
    w = changes.sign * design.weight[changes.row]
    w = np.add.reduceat(w[order], first) if order.size else np.zeros(0)
    key = key[order[first]]
    code, at, kind = key // (size * kinds), key // kinds % size, key % kinds
    masses = np.zeros((kinds, w.size))
    masses[kind, np.arange(w.size)] = w
    before = add_before(masses, code)
    each = np.ones(design.n_units) if scale is None else scale
    place, scaled = kind * size + at, w * each[code]

    def climb(values: FloatArray) -> FloatArray:
        """Add up over changes of each kind, (k, kinds)."""
        sums = np.bincount(place, scaled * values, kinds * size).reshape(kinds, size)
        return np.asarray(np.cumsum(sums, axis=1)[:, :-1].T)

    found = np.zeros((size - 1, kinds + 2, kinds + 2))
    half = np.stack([climb(one) for one in before], axis=2)  # from sums that were there before
    found[:, :kinds, :kinds] = half + np.moveaxis(half, 1, 2)
    found[:, np.arange(kinds), np.arange(kinds)] += climb(w)
    own = [design.weight * design.is_positive, design.weight * ~design.is_positive]
    totals = [sum_codes(design.code, mass, design.n_units) for mass in own]
    for i, one in enumerate(totals, start=kinds):
        found[:, i, :kinds] = found[:, :kinds, i] = climb(one[code])
        for j, two in enumerate(totals, start=kinds):
            found[:, i, j] = float((one * each) @ two)
    every = before.sum(axis=0)
    rise = 4.0 * every**3 + w * (6.0 * every**2 + w * (4.0 * every + w))
    return found, climb(rise).sum(axis=1)


def _add_layers(design: RowDesign, changes: Changes, layer: IndexArray, size: int) -> FloatArray:
    """Add up the rows of each stratum at each threshold, (strata, k, c)."""
    kinds, k = len(changes.classes), changes.size
    at = (layer[changes.row] * kinds + changes.kind) * k + changes.at
    sums = np.bincount(at, changes.sign * design.weight[changes.row], size * kinds * k)
    called = np.cumsum(sums.reshape(size, kinds, k), axis=2)[:, :, :-1]
    own = [design.weight * design.is_positive, design.weight * ~design.is_positive]
    totals = np.stack([np.bincount(layer, mass, size) for mass in own], 1)
    every = np.repeat(totals[:, :, None], k - 1, axis=2)
    return np.moveaxis(np.concatenate((called, every), axis=1), 1, 2)
