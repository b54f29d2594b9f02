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
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from scipy.special import ndtri

from rocbands._math.binomial import wilson_limits
from rocbands.core.checks import FloatArray, IndexArray
from rocbands.core.counting import sum_codes
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
from rocbands.design.row_design import RowDesign, Stretch, Units, add_before, find_stratum_factors

# Coefficients of (A+, A-, T+, T-): rows that are called, and rows of a class.
CALLED_POS, CALLED_NEG = (1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0)
MISSED_POS, SPARED_NEG = (-1.0, 0.0, 1.0, 0.0), (0.0, -1.0, 0.0, 1.0)
POSITIVES, NEGATIVES = (0.0, 0.0, 1.0, 0.0), (0.0, 0.0, 0.0, 1.0)
ALL, CALLED, SPARED = (0.0, 0.0, 1.0, 1.0), (1.0, 1.0, 0.0, 0.0), (-1.0, -1.0, 1.0, 1.0)
Coefficients: TypeAlias = Sequence[float]
Sums: TypeAlias = tuple[FloatArray, FloatArray, FloatArray]  # with lower and upper limits
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
        stretch = self.stretch.quantile(tail) / ndtri(tail)
        return wilson_limits(self.value, self.number / stretch**2, 1.0 - 2.0 * tail)


@dataclass(frozen=True, eq=False)
class Changes:
    """How sums over units change along k thresholds, which are in an order.

    Sum `kind` of a row's unit grows by the row's weight, or falls by it, at the threshold `at`.
    """

    design: RowDesign
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

    @cached_property
    def merged(self) -> tuple[FloatArray, IndexArray, IndexArray, IndexArray]:
        """Changes of groups, in their order: weight, group, threshold and kind."""
        assert self.design.code is not None
        kinds, size = len(self.classes), self.size
        # Rows of one group, kind and threshold change together. All of a group's are adjacent.
        key = (self.design.code[self.row] * size + self.at) * kinds + self.kind
        order = np.argsort(key, kind="stable")
        first = np.flatnonzero(np.diff(key[order], prepend=-1))
        w = (self.sign * self.design.weight[self.row])[order]
        w = np.add.reduceat(w, first) if order.size else w
        key = key[order[first]]
        return w, key // (size * kinds), key // kinds % size, key % kinds


@dataclass(frozen=True, eq=False)
class UnitSums:
    """Sums of rows over units at k thresholds; the last two are T+ and T-."""

    design: RowDesign
    weights: FloatArray  # (k, c) sums over all units
    counts: FloatArray  # (k, c) the same of rows
    products: FloatArray  # (k, c, c) M
    units: FloatArray  # (k, c, c) M without strata
    single: FloatArray  # (k, c, c) M if every row were its own unit

    def multiply(self, one: FloatArray, two: FloatArray) -> FloatArray:
        """Products <one, two> of linearised errors, with coefficients (k, c)."""
        return np.asarray(np.einsum("ki,kij,kj->k", one, self.products, two))

    def find_share(self, part: Coefficients, of: Coefficients, unit: Any = 0.0) -> Share:
        """Share of the rows `part` among the rows `of`, with its effective number.

        `unit`: weight of a row near the threshold, relative to the rows `of`. Where there are no
        rows `of`, the share is NaN.
        """
        event = np.array(part)
        return self._find_mean(event, np.array(of), event, unit)

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

    def correlate(self, one: Share, two: Share) -> FloatArray:
        """Correlation of two shares; 0 where one of them does not vary."""
        scale = np.ones(one.value.size)
        for z in (one.z, two.z):
            size = np.einsum("ki,kij,kj->k", np.abs(z), np.abs(self.products), np.abs(z))
            variance = self.multiply(z, z)
            scale *= np.where(variance > NOISE * size, variance, 0.0)
        ratio = np.zeros(scale.size)
        np.divide(self.multiply(one.z, two.z), np.sqrt(scale), out=ratio, where=scale > 0.0)
        return np.clip(ratio, -1.0, 1.0)

    def combine(self, terms: Sequence[tuple[Any, Share]], tail: float) -> Sums:
        """Weighted sum of shares, and its limits by MOVER (Zou and Donner 2008).

        A term is a weight and a share. Distances of their limits are combined like standard errors.
        """
        shares = [share for _, share in terms]
        value = np.array([share.value for share in shares])
        weight = np.array([np.broadcast_to(weight, value.shape[1:]) for weight, _ in terms])
        correlation = np.array([[self.correlate(one, two) for two in shares] for one in shares])
        correlation[np.diag_indices(len(shares))] = 1.0  # also where a share does not vary
        limits = np.array([share.limits(tail) for share in shares])
        total, ends = (weight * value).sum(axis=0), []
        for side in (-1.0, 1.0):
            # A term with a positive weight is largest at its upper limit, one with a negative
            # weight at its lower one. Products have the sign of the product of the weights.
            end = np.where(side * weight > 0.0, limits[:, 1], limits[:, 0])
            moved = weight * np.abs(end - value)
            squares = np.einsum("ijk,ik,jk->k", correlation, moved, moved)
            ends.append(total + side * np.sqrt(np.maximum(squares, 0.0)))
        return total, np.minimum(ends[0], total), np.maximum(ends[1], total)

    def _count_units(self, base: FloatArray, mass: FloatArray) -> Units:
        """Units behind the rows of each share: Kish's number, rows, and degrees of freedom."""
        squares, single = (
            np.einsum("i,kij,j->k", base, side, base) for side in (self.units, self.single)
        )
        kish, rows = mass**2 / squares, mass**2 / single
        if self.design.plain:
            return Units(kish, rows, kish)
        share = 2 if base[-2] == base[-1] else 0 if base[-2] else 1
        return Units(kish, rows, np.full(mass.size, self.design.units[share].df))

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
    changes: Changes | None = field(default=None, kw_only=True)

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
        return cls(design, counts, counts, single, single, single, vertices=vertices)

    @classmethod
    def add_up(cls, design: RowDesign, vertices: IndexArray) -> CalledSums:
        """Add up the rows of a curve at some of its vertices."""
        assert design.step is not None, "the rows are those of a curve"
        order = np.argsort(vertices, kind="stable")
        # The first threshold, in this order, at which each row is called.
        bins = np.searchsorted(vertices[order], design.step, side="right")
        kind = np.where(design.is_positive, 0, 1)
        changes = Changes(design, slice(None), bins, kind, 1.0, (0, 1), vertices.size + 1)
        place = np.argsort(order)
        sums = (side[place] for side in sum_changes(changes))
        return cls(design, *sums, vertices=vertices, changes=changes)

    def take_negatives(self, other: CalledSums) -> CalledSums:
        """Take the negatives at the other end of the same bins; without groups.

        Pools and degrees of freedom stay those of this end.
        """
        own = np.arange(4) == 1
        found = {}
        for name in ("weights", "counts", "products", "units", "single"):
            mine, others = getattr(self, name), getattr(other, name)
            found[name] = np.where(own if mine.ndim < 3 else own[:, None] | own, others, mine)
        return replace(self, **found)

    @cached_property
    def near(self) -> NearWeights:
        """Weight of a row near each threshold."""
        assert self.design.step is not None
        return weigh_near(self.design, (self.design.step,), (self.vertices,))

    def _count_units(self, base: FloatArray, mass: FloatArray) -> Units:
        units = super()._count_units(base, mass)
        if self.design.plain or not base[:2].any():
            return units
        of_squares = mass**4 / units.kish**2 / self._sum_fourth(base)
        return units._replace(df=np.sqrt(units.kish * np.minimum(units.kish, of_squares)))

    def _sum_fourth(self, base: FloatArray) -> FloatArray:
        """Sum over units of the fourth power of the weight of the rows `base`, (k,)."""
        design, changes = self.design, self.changes
        assert changes is not None, "the rows are not all alike"
        place = np.argsort(np.argsort(self.vertices, kind="stable"))
        if design.code is None:
            # The rows of an entry have equal weights.
            fourth = design.weight**4
            if design.squares is not None and design.rows is not None:
                fourth = design.squares**2 / np.maximum(design.rows, 1.0)
            totals = [float(fourth @ kind) for kind in (design.is_positive, ~design.is_positive)]
            return np.asarray(base[2:] @ totals + base[:2] @ changes.climb(fourth))[place]
        w, code, at, kind = changes.merged
        whole = sum_codes(code, w * base[2 + kind], design.n_units)
        w = w * base[kind]
        every = whole[code] + add_before(w, code)
        rise = w * (4.0 * every**3 + w * (6.0 * every**2 + w * (4.0 * every + w)))
        risen = np.cumsum(np.bincount(at, rise, changes.size))[:-1]
        return np.asarray(np.sum(whole**4) + risen)[place]

    def _sum_nearest(self, event: FloatArray, base: FloatArray, common: bool, place: int) -> Pool:
        design, vertex = self.design, int(self.vertices[place])
        step, kind = design.step, np.where(design.is_positive, 0, 1)
        assert step is not None
        among = base[2 + kind] + base[kind] * (step < vertex) > 0.0
        rows = np.where(among, 1.0 if design.rows is None else design.rows, 0.0)
        called = event[:2][event[:2] != 0.0]
        if rows.sum() > POOL and called.size and np.ptp(called) == 0.0:
            # Called rows have high scores: those with lower ones come next.
            near = step.astype(np.float64) * (-1.0 if (called[0] > 0.0) != common else 1.0)
            own = event[kind] != 0.0
            if not base[:2].any() and not own[among].all():  # the same class first
                near -= np.where(own != common, 0.0, 2.0 * (int(step.max()) + 1))
            among &= near >= find_reach(near, rows)
        return sum_pool(design, design.weight * among)


# -------------------------------------------------------------------------------- Gram matrices


def sum_changes(changes: Changes) -> tuple[FloatArray, ...]:
    """Fields of :class:`UnitSums` but the design."""
    design = changes.design
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
    products = units = single if design.code is None else _add_groups(changes)
    if design.stratum is not None:
        scale, part = find_stratum_factors(design.stratum)
        if design.code is None:
            code = np.arange(design.weight.size)
            changes = replace(changes, design=replace(design, code=code))
        else:
            code = design.code
        strata = replace(design, code=design.stratum[code], n_units=scale.size)
        products = _add_groups(changes, scale[design.stratum])
        products = products - _add_groups(replace(changes, design=strata), part)
    return weights * there, counts, products * both, units * both, single


def _fill_single(squares: FloatArray, classes: tuple[int, ...]) -> FloatArray:
    """Gram matrices if every row is its own unit: products of different kinds are 0."""
    k, size = squares.shape
    found = np.zeros((k, size, size))
    found[:, np.arange(size), np.arange(size)] = squares
    for kind, own in enumerate(classes):
        found[:, kind, own - 2] = found[:, own - 2, kind] = squares[:, kind]
    return found


def _add_groups(changes: Changes, scale: FloatArray | None = None) -> FloatArray:
    """Gram matrices of groups; `scale`: factor of each group."""
    kinds, size, design = len(changes.classes), changes.size, changes.design
    w, code, at, kind = changes.merged
    assert design.code is not None
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
    return found
