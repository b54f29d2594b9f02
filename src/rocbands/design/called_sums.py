"""Sums over units of the rows that one model calls positive, at several thresholds.

Let A+ and A- be the weights of the positives and negatives of a unit that are called, and T+ and T-
those of all its rows. Shares of rows, such as rates, precision, net benefit and costs, are ratios
of sums of these four, and their linearised errors are sums over units of u . (A+, A-, T+, T-) with
coefficients u. So the Gram matrix of the four, at each threshold, gives all variances, covariances
and effective numbers:

    <u . x, v . x> = u' M v,   M_ij = <x_i, x_j>,   x = (A+, A-, T+, T-).

A row of weight w that is called next adds w (2 A + w) to its unit's A^2; the other products are
similar. One sort by unit and score gives all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rocbands.core.checks import FloatArray, IndexArray
from rocbands.core.counting import sum_codes
from rocbands.design.effective_number import POOL, NearWeights, Pool, count_effective, weigh_near
from rocbands.design.row_design import RowDesign, Stretch, Units, add_before, find_stratum_factors

# Coefficients of (A+, A-, T+, T-): rows that are called, and rows of a class.
CALLED_POS, CALLED_NEG = (1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0)
MISSED_POS, SPARED_NEG = (-1.0, 0.0, 1.0, 0.0), (0.0, -1.0, 0.0, 1.0)
POSITIVES, NEGATIVES = (0.0, 0.0, 1.0, 0.0), (0.0, 0.0, 0.0, 1.0)
ALL, CALLED, SPARED = (0.0, 0.0, 1.0, 1.0), (1.0, 1.0, 0.0, 0.0), (-1.0, -1.0, 1.0, 1.0)
Coefficients = tuple[float, float, float, float]


class Share(NamedTuple):
    """A share of rows at each threshold, with the numbers that its limits need."""

    value: FloatArray  # (k,)
    number: FloatArray  # (k,) effective number of rows
    z: FloatArray  # (k, 4) coefficients of its linearised error
    stretch: Stretch  # of its normal quantile

    def limits(self, tail: float) -> tuple[FloatArray, FloatArray]:
        """Wilson's limits with the effective number and the stretched quantile."""
        g = self.stretch.quantile(tail) ** 2 / self.number
        p = self.value
        half = np.sqrt(g * (p * (1.0 - p) + g / 4.0))
        low, high = ((p + g / 2.0 + side * half) / (1.0 + g) for side in (-1.0, 1.0))
        low = np.where(p <= 0.0, 0.0, np.minimum(np.maximum(low, 0.0), p))
        return low, np.where(p >= 1.0, 1.0, np.maximum(np.minimum(high, 1.0), p))


@dataclass(frozen=True, eq=False)
class CalledSums:
    """Sums of one model's rows at k thresholds."""

    design: RowDesign
    vertices: IndexArray  # (k,) number of steps of the curve at or above each threshold
    weights: FloatArray  # (k, 4) sums of A+, A-, T+, T-
    counts: FloatArray  # (k, 4) the same of rows
    products: FloatArray  # (k, 4, 4) M
    units: FloatArray  # (k, 4, 4) M without strata
    single: FloatArray  # (k, 4, 4) M if every row were its own unit
    fourth: FloatArray  # (k,) sum over units of (A+ + A-)^4

    @classmethod
    def add_up(cls, design: RowDesign, vertices: IndexArray) -> CalledSums:
        """Add up the rows of a curve at some of its vertices."""
        assert design.step is not None, "the rows are those of a curve"
        order = np.argsort(vertices, kind="stable")
        place = np.empty(order.size, dtype=np.intp)
        place[order] = np.arange(order.size)
        # The first threshold, in this order, at which each row is called.
        bins = np.searchsorted(vertices[order], design.step, side="right")
        size = vertices.size + 1
        rows = np.ones(bins.size) if design.rows is None else design.rows
        squares = design.weight**2 if design.squares is None else design.squares
        classes = (design.is_positive, ~design.is_positive)

        def climb(values: FloatArray) -> FloatArray:
            """Add up called rows of both classes, then all of them, (k, 4)."""
            sums = [np.cumsum(np.bincount(bins, values * kind, size)) for kind in classes]
            return np.stack([*(s[:-1] for s in sums), *(np.full(size - 1, s[-1]) for s in sums)], 1)

        single = _fill_single(climb(squares))
        if design.code is None:
            units, fourth = single, climb(squares**2 / np.maximum(rows, 1.0))[:, :2].sum(axis=1)
        else:
            units, fourth = _add_groups(design, bins, size)
        products = units
        if design.stratum is not None:
            products = _add_strata(design, bins, size, squares)
        return cls(
            design,
            vertices,
            *(climb(side)[place] for side in (design.weight, rows)),
            *(side[place] for side in (products, units, single, fourth)),
        )

    def multiply(self, one: FloatArray, two: FloatArray) -> FloatArray:
        """Products <one, two> of linearised errors, with coefficients (k, 4)."""
        return np.asarray(np.einsum("ki,kij,kj->k", one, self.products, two))

    @cached_property
    def near(self) -> NearWeights:
        """Weight of a row near each threshold."""
        assert self.design.step is not None
        return weigh_near(self.design, (self.design.step,), (self.vertices,))

    def find_share(self, part: Coefficients, of: Coefficients, unit: Any = 0.0) -> Share:
        """Share of the rows `part` among the rows `of`, with its effective number.

        `unit`: weight of a row near the threshold, relative to the rows `of`. Where there are no
        rows `of`, the share is NaN.
        """
        event, base = np.array(part), np.array(of)
        mass = self.weights @ base
        with np.errstate(divide="ignore", invalid="ignore"):
            p = np.where(mass > 0.0, np.clip(self.weights @ event / mass, 0.0, 1.0), np.nan)
            z = (event - p[:, None] * base) / mass[:, None]
            pool = self._find_pool(event, base, p)
            single = np.einsum("ki,kij,kj->k", z, self.single, z) if self.design.grouped else 0.0
            units = self._count_units(base, mass)
            number = count_effective(
                p * (1.0 - p), self.multiply(z, z), pool, units, unit=unit, single=single
            )
        rows = np.maximum(self.counts @ base - 1.0, 1.0)
        df = self.design.spare(np.maximum(units.df - 1.0, 1.0))
        plain = units.kish >= rows + 1.0 - 1e-6  # independent rows of equal weight
        return Share(p, number, z, Stretch(np.where(plain, rows, df), rows))

    def correlate(self, one: Share, two: Share) -> FloatArray:
        """Correlation of two shares; 0 where one of them does not vary."""
        scale = np.sqrt(self.multiply(one.z, one.z) * self.multiply(two.z, two.z))
        ratio = np.zeros(scale.size)
        np.divide(self.multiply(one.z, two.z), scale, out=ratio, where=scale > 0.0)
        return np.clip(ratio, -1.0, 1.0)

    def _count_units(self, base: FloatArray, mass: FloatArray) -> Units:
        """Units behind the rows of each share: Kish's number, rows, and degrees of freedom."""
        kish, rows = (
            mass**2 / np.einsum("i,kij,j->k", base, side, base)
            for side in (self.units, self.single)
        )
        if not base[:2].any():
            share = {(1.0, 0.0): 0, (0.0, 1.0): 1, (1.0, 1.0): 2}[base[2], base[3]]
            df = np.full(mass.size, self.design.units[share].df)
        else:
            squares = np.einsum("i,kij,j->k", base, self.units, base)
            fourth = self.fourth if base[0] > 0.0 else self._fourth_spared
            df = np.sqrt(kish * np.minimum(kish, squares**2 / fourth))
        return Units(kish, rows, df)

    @cached_property
    def _fourth_spared(self) -> FloatArray:
        """Sum over units of the fourth power of the weight that is not called."""
        design = self.design
        assert design.step is not None
        turned = CalledSums.add_up(
            RowDesign(
                design.is_positive,
                design.weight,
                design.squares,
                design.rows,
                design.code,
                design.n_units,
                step=int(design.step.max()) - design.step,
            ),
            int(design.step.max()) + 1 - self.vertices,
        )
        return turned.fourth

    # ----------------------------------------------------------------------------------- pools

    def _find_pool(self, event: FloatArray, base: FloatArray, p: FloatArray) -> Pool:
        """Add up the rarer side, or the 20 rows that come nearest to it."""
        common = p > 0.5
        side = np.where(common[:, None], base - event, event)
        mass = self.weights @ base
        share = np.einsum("ki,ki->k", side, self.weights) / mass
        squares, units = (
            np.einsum("ki,kij,kj->k", side, gram, side) / mass**2
            for gram in (self.single, self.units)
        )
        rows = np.einsum("ki,ki->k", side, self.counts)
        for k in np.flatnonzero((rows < POOL) & (mass > 0.0)):
            # Rows of a class, or all of them, are the same at every threshold.
            vertex = int(self.vertices[k]) if base[:2].any() else -1
            key = (*event, *base, bool(common[k]), vertex)
            if key not in self._nearest:
                self._nearest[key] = self._sum_nearest(event, base, bool(common[k]), vertex)
            share[k], squares[k], units[k] = np.divide(
                self._nearest[key], (mass[k], mass[k] ** 2, mass[k] ** 2)
            )
        return Pool(share, squares, units)

    @cached_property
    def _nearest(self) -> dict[Any, Pool]:
        return {}

    def _sum_nearest(self, event: FloatArray, base: FloatArray, common: bool, vertex: int) -> Pool:
        """Add up the weights of the 20 rows that come nearest to the rarer side, ties together."""
        design = self.design
        step, kind = design.step, np.where(design.is_positive, 0, 1)
        assert step is not None
        among = np.flatnonzero(base[2 + kind] + base[kind] * (step < vertex) > 0.0)
        rows = np.ones(among.size) if design.rows is None else design.rows[among]
        called = event[:2][event[:2] != 0.0]
        if rows.sum() > POOL and np.ptp(called) == 0.0:
            # Called rows have high scores: those with lower ones come next.
            near = step[among] * (1 if (called[0] > 0.0) != common else -1)
            own = event[kind[among]] != 0.0
            if not base[:2].any() and not own.all():  # the same class first
                near = near + np.where(own != common, 0, 2 * (int(step.max()) + 1))
            by = np.argsort(near, kind="stable")
            last = by[np.searchsorted(np.cumsum(rows[by]), POOL)]
            among = among[near <= near[last]]
        weight = design.weight[among]
        squares = float(np.sum(weight**2 if design.squares is None else design.squares[among]))
        units = squares
        if design.code is not None:
            codes = np.unique(design.code[among], return_inverse=True)[1]
            units = float(np.sum(np.bincount(codes, weight) ** 2))
        return Pool(float(weight.sum()), squares, units)


def _fill_single(squares: FloatArray) -> FloatArray:
    """Gram matrices if every row is its own unit: products of different classes are 0."""
    found = np.zeros((squares.shape[0], 4, 4))
    for own in (0, 1):
        called, every = squares[:, own], squares[:, own + 2]
        found[:, own, own] = found[:, own, own + 2] = found[:, own + 2, own] = called
        found[:, own + 2, own + 2] = every
    return found


def _add_groups(
    design: RowDesign, bins: IndexArray, size: int, scale: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Gram matrices of groups, and sums of fourth powers; `scale`: factor of each group."""
    assert design.code is not None
    # Rows of one group, class and bin are called together. All of a group's are adjacent.
    key = (design.code * size + bins) * 2 + design.is_positive
    order = np.argsort(key, kind="stable")
    first = np.flatnonzero(np.diff(key[order], prepend=-1))
    w = np.add.reduceat(design.weight[order], first)
    rows = order[first]
    code, at, own = design.code[rows], bins[rows], design.is_positive[rows]
    masses = [np.where(own == kind, w, 0.0) for kind in (True, False)]
    before = [add_before(mass, code) for mass in masses]
    totals = [sum_codes(code, mass, design.n_units) for mass in masses]
    factor = np.ones(rows.size) if scale is None else scale[code]

    def climb(values: FloatArray) -> FloatArray:
        return np.asarray(np.cumsum(np.bincount(at, values * factor, size))[:-1])

    found = np.zeros((size - 1, 4, 4))
    each = np.ones(design.n_units) if scale is None else scale
    for i in (0, 1):
        mass, earlier = masses[i], before[i]
        found[:, i, i] = climb(mass * (2.0 * earlier + mass))
        for j in (0, 1):
            found[:, i, j + 2] = found[:, j + 2, i] = climb(mass * totals[j][code])
            found[:, i + 2, j + 2] = float((totals[i] * each) @ totals[j])
    found[:, 0, 1] = found[:, 1, 0] = climb(w * np.where(own, before[1], before[0]))
    both = before[0] + before[1]
    rise = w * (4.0 * both**3 + w * (6.0 * both**2 + w * (4.0 * both + w)))
    return found, climb(rise)


def _add_strata(design: RowDesign, bins: IndexArray, size: int, squares: FloatArray) -> FloatArray:
    """Gram matrices about the means of strata: formula (D3)."""
    assert design.stratum is not None
    scale, part = find_stratum_factors(design.stratum)
    each = scale[design.stratum]
    if design.code is None:
        layer = design.stratum
        sums = [
            np.cumsum(np.bincount(bins, squares * each * kind, size))
            for kind in (design.is_positive, ~design.is_positive)
        ]
        found = _fill_single(
            np.stack([*(s[:-1] for s in sums), *(np.full(size - 1, s[-1]) for s in sums)], 1)
        )
    else:
        layer = design.stratum[design.code]
        found = _add_groups(design, bins, size, each)[0]
    at = layer * size + bins
    sums = [
        np.cumsum(np.bincount(at, design.weight * kind, scale.size * size).reshape(-1, size), 1)
        for kind in (design.is_positive, ~design.is_positive)
    ]
    of_strata = np.stack(
        [*(s[:, :-1] for s in sums), *(np.repeat(s[:, -1:], size - 1, 1) for s in sums)]
    )
    return np.asarray(found - np.einsum("ihk,h,jhk->kij", of_strata, part, of_strata))
