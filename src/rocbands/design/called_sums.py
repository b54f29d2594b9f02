"""Sums over units of the rows that a model calls positive, at several thresholds.

Let A+ and A- be the weights of the positives and negatives of a unit that are called, and T+ and T-
those of all its rows. Shares of rows, such as rates, precision, net benefit and costs, are ratios
of sums of these four, and their linearised errors are sums over units of u . (A+, A-, T+, T-) with
coefficients u. So the Gram matrix of the four, at each threshold, gives all variances, covariances
and effective numbers:

    <u . x, v . x> = u' M v,   M_ij = <x_i, x_j>,   x = (A+, A-, T+, T-).

One sort of the rows gives all of them (:mod:`rocbands.design.running_sums`). Two models have sums
of rows that only one of them calls in place of A+ and A- (:mod:`rocbands.design.paired_sums`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from scipy.special import ndtri

from rocbands._math.binomial import clopper_pearson_limits, wilson_limits
from rocbands.core.checks import BoolArray, FloatArray, IndexArray
from rocbands.core.roc import RocCurve
from rocbands.core.tolerance import SAME
from rocbands.design.effective_number import POOL, NearWeights, Pool, count_effective, weigh_near
from rocbands.design.row_design import RowDesign, TiedRows, Units, find_stratum_factors
from rocbands.design.running_sums import UnitChanges
from rocbands.design.stretch import Stretch

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

    @property
    def of_equal_rows(self) -> bool:
        """Whether the rows behind it are independent and of equal weight: `number` counts them."""
        return self.stretch.df is self.stretch.df_rows

    def count_events(self, tail: float) -> tuple[FloatArray, FloatArray]:
        """Numbers of events and of rows whose binomial limits are those of the share.

        A stretched quantile is a smaller number of rows.
        """
        number = self.number / (self.stretch.quantile(tail) / ndtri(tail)) ** 2
        return self.value * number, number

    def limits(self, tail: float, *, exact: bool = False) -> tuple[FloatArray, FloatArray]:
        """Wilson's limits with the effective number and the stretched quantile.

        `exact`: Clopper and Pearson's instead, for tails as small as those of simultaneous limits:
        at z = 2.9 Wilson's lower limit of one case in n is about 50 times too high.
        """
        (count, number), level = self.count_events(tail), 1.0 - 2.0 * tail
        if exact:
            return clopper_pearson_limits(count, number, level)
        return wilson_limits(self.value, number, level)


class Cells(NamedTuple):
    """Rows by class and by the number of thresholds that their score reaches, for each model."""

    called: BoolArray  # (cells, k) whether rows are called
    own: IndexArray  # (cells,) place of the sum of the rows that are called
    whole: IndexArray  # (cells,) place of T+ or T-; c, which is none, in cells of a second model


@dataclass(frozen=True, eq=False)
class UnitSums(ABC):
    """Sums of rows over units at k thresholds; the last two are T+ and T-."""

    design: RowDesign
    weights: FloatArray  # (k, c) sums over all units
    counts: FloatArray  # (k, c) the same of rows
    products: FloatArray  # (k, c, c) M
    units: FloatArray  # (k, c, c) M without strata
    single: FloatArray  # (k, c, c) M if every row were its own unit

    def multiply(self, one: FloatArray, two: FloatArray) -> FloatArray:
        """Products <one, two> of linearised errors, with coefficients (k, c)."""
        return _multiply(one, self.products, two)

    def find_share(self, part: Coefficients, of: Coefficients, unit: Any = 0.0) -> Share:
        """Share of the rows `part` among the rows `of`, with its effective number.

        It is a mean of x = 1 and 0; or of x = 1, -1 and 0, where `part` subtracts rows, as for a
        difference of error rates. `unit`: weight of a row near the threshold, relative to the rows
        `of`. Where there are no rows `of`, the share is NaN.
        """
        event, base = np.array(part), np.array(of)
        size = event if event[-2:].any() else np.abs(event)  # coefficients of abs(x)
        mass, rows, there = self.weights @ base, self.counts @ base, self.counts @ size
        with np.errstate(divide="ignore", invalid="ignore"):
            psi = np.where(there == rows, 1.0, np.clip(self.weights @ size / mass, 0.0, 1.0))
            psi = np.where(rows > 0.0, np.where(there == 0.0, 0.0, psi), np.nan)
            signed = (size != event).any()
            p = np.clip(self.weights @ event / mass, -psi, psi) if signed else psi
            z = (event - p[:, None] * base) / mass[:, None]
            free = np.maximum(rows - 1.0, 1.0)
            if self._counts_equally(base):  # (D9) is the number of rows
                return Share(p, np.where(rows > 0.0, rows, np.nan), z, Stretch(free, free), psi)
            units = self._count_units(base, mass)
            number = count_effective(
                psi - p * p,
                self.multiply(z, z),
                self._find_pool(event, base, size, psi),
                units,
                unit=unit,
                single=_multiply(z, self.single, z) if self.design.clustered else 0.0,
            )
        df = self.design.spare(np.maximum(units.df - 1.0, 1.0))
        plain = units.kish >= free + 1.0 - 1e-6  # independent rows of equal weight
        return Share(p, number, z, Stretch(np.where(plain, free, df), free), psi)

    def find_pair(
        self, pos: Coefficients, neg: Coefficients, *, of_classes: bool
    ) -> tuple[Share, Share]:
        """Shares of some positives and of some negatives: of their class, or of all rows."""
        none, near = [0.0] * (len(pos) - 2), self.near
        if of_classes:
            bases, units = ((*none, 1.0, 0.0), (*none, 0.0, 1.0)), (near.pos, near.neg)
        else:
            bases, units = ((*none, 1.0, 1.0),) * 2, (near.all, near.all)
        first, second = map(self.find_share, (pos, neg), bases, units)
        return first, second

    def describe(
        self, numbers: tuple[float, float], what: str, *, of_classes: bool
    ) -> tuple[str, ...]:
        """Say what the design costs; `numbers`: effective ones of a pair, as above."""
        rows = self.design.n_rows
        effective = {"rows": (sum(rows), min(numbers))}
        if of_classes:
            kinds = ("positives", "negatives")
            effective = dict(zip(kinds, zip(rows, numbers, strict=True), strict=True))
        return self.design.describe(effective, what)

    def _counts_equally(self, base: FloatArray) -> bool:
        """Tell whether the rows `base` are independent and of equal weight."""
        design, of_one_class = self.design, not base[:-2].any() and base[-2:].min() == 0.0
        return not design.linked and not design.weighted and (design.plain or of_one_class)

    def correlate(self, one: Share, two: Share) -> FloatArray:
        """Correlation of two shares; 0 where one of them does not vary."""
        scale = np.ones(one.value.size)
        for z in (one.z, two.z):
            size = _multiply(np.abs(z), np.abs(self.products), np.abs(z))
            variance = self.multiply(z, z)
            scale *= np.where(variance > NOISE * size, variance, 0.0)
        ratio = np.zeros(scale.size)
        np.divide(self.multiply(one.z, two.z), np.sqrt(scale), out=ratio, where=scale > 0.0)
        return np.clip(ratio, -1.0, 1.0)

    def combine(
        self, terms: Sequence[tuple[Any, Share]], tail: float, *, exact: bool = False
    ) -> Sums:
        """Weighted sum of shares, and its limits by MOVER (Zou and Donner 2008).

        A term is a weight and a share. Distances of their limits are combined like standard errors.
        `exact`: as for :meth:`Share.limits`.
        """
        shares = [share for _, share in terms]
        value = np.array([share.value for share in shares])
        weight = np.array([np.broadcast_to(weight, value.shape[1:]) for weight, _ in terms])
        correlation = np.array([[self.correlate(one, two) for two in shares] for one in shares])
        correlation[np.diag_indices(len(shares))] = 1.0  # also where a share does not vary
        limits = np.array([share.limits(tail, exact=exact) for share in shares])
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

    @property
    @abstractmethod
    def near(self) -> NearWeights:
        """Weight of a row near each threshold."""

    # ----------------------------------------------------------------------------------- cells

    @property
    @abstractmethod
    def places(self) -> Sequence[IndexArray]:
        """Of each model, the place (k,) of each threshold among its thresholds, highest first."""

    @abstractmethod
    def find_firsts(self) -> Sequence[IndexArray]:
        """Of each model, the place (n,) of the highest threshold that each row reaches, or k."""

    @cached_property
    def cells(self) -> Cells:
        """The cells of rows: by model, class and highest threshold that is reached."""
        models, size = len(self.places), self.places[0].size
        model, kind, first = (side.ravel() for side in np.indices((models, 2, size + 1)))
        called = first[:, None] <= np.array(self.places)[model]
        whole = np.where(model == 0, 2 * models + kind, 2 * models + 2)
        return Cells(called, models * kind + model, whole)

    def share_units(self, unit: IndexArray) -> Any:
        """Weights of each unit's rows in each cell: a sparse matrix. `unit`: of each row."""
        from scipy.sparse import coo_array

        design, size = self.design, self.places[0].size + 1
        kind = np.where(design.is_positive, 0, 1)
        cells = [(2 * i + kind) * size + first for i, first in enumerate(self.find_firsts())]
        at = np.tile(unit, len(cells)), np.concatenate(cells)
        shape = int(unit.max()) + 1, 2 * len(cells) * size
        return coo_array((np.tile(design.weight, len(cells)), at), shape).tocsr()

    def multiply_cells(self) -> FloatArray:
        """Products (D3) of the weights of units in each pair of cells."""
        unit, stratum = self.design.unit, self.design.stratum
        of_units = self.share_units(unit)
        if stratum is None:
            return np.asarray((of_units.T @ of_units).toarray())
        scale, part = find_stratum_factors(stratum)
        sides = (of_units, scale[stratum]), (self.share_units(stratum[unit]), part)
        within, means = (
            (side.T @ side.multiply(factor[:, None])).toarray() for side, factor in sides
        )
        return np.asarray(within - means)

    # ----------------------------------------------------------------------------------- pools

    def _find_pool(
        self, event: FloatArray, base: FloatArray, size: FloatArray, p: FloatArray
    ) -> Pool:
        """Add up the rarer side, or the 20 rows that come nearest to it."""
        common = p > 0.5 + SAME
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

    @abstractmethod
    def _sum_nearest(self, event: FloatArray, base: FloatArray, common: bool, place: int) -> Pool:
        """Add up the weights of the 20 rows that come nearest to the rarer side, ties together.

        `place`: of the threshold, if the rows `base` depend on it.
        """


@dataclass(frozen=True, eq=False)
class CalledSums(UnitSums):
    """Sums of one model's rows at k thresholds: A+, A-, T+, T-."""

    # (k,) number of steps of the curve at or above each threshold
    vertices: IndexArray = field(kw_only=True)

    @classmethod
    def of_curve(cls, roc: RocCurve, vertices: IndexArray) -> CalledSums:
        """Add up the rows of a curve at some of its vertices; counts suffice without a design."""
        if roc.clusters is not None or roc.weights is not None:
            return cls.add_up(RowDesign.of_curve(roc), vertices)
        tp, fp = (np.where(vertices > 0, side[vertices - 1], 0) for side in (roc.tp, roc.fp))
        return cls.of_counts(tp, fp, roc.n_pos, roc.n_neg, vertices)

    @classmethod
    def of_counts(
        cls, tp: Any, fp: Any, n_pos: int, n_neg: int, vertices: IndexArray | None = None
    ) -> CalledSums:
        """Take counts of independent rows that are called, (k,)."""
        counts = _join_totals(np.array([tp, fp], np.float64), np.array([n_pos, n_neg], np.float64))
        design = count_rows(n_pos, n_neg)
        places = np.arange(counts.shape[0]) if vertices is None else vertices
        return cls(design, *fill_sums(design, (counts, counts, counts), (0, 1)), vertices=places)

    @classmethod
    def add_up(cls, design: RowDesign, vertices: IndexArray) -> CalledSums:
        """Add up the rows of a curve at some of its vertices."""
        sums = [_join_totals(side[:, vertices], side[:, -1]) for side in design.sums_above]
        grams = None
        if design.linked:
            changes, (place, order) = UnitChanges.of_rows(design), _place_steps(design, vertices)
            grams = [
                side[order] for side in changes.multiply_in(design.stratum, place, vertices.size)
            ]
        return cls(design, *fill_sums(design, sums, (0, 1), grams), vertices=vertices)

    def take_negatives(self, other: CalledSums) -> CalledSums:
        """Take the negatives at the other end of the same bins; without clusters.

        Pools and degrees of freedom stay those of this end.
        """
        own = np.arange(4) == 1
        found = {}
        for name in ("weights", "counts", "products", "units", "single"):
            mine, others = getattr(self, name), getattr(other, name)
            found[name] = np.where(own if mine.ndim < 3 else own[:, None] | own, others, mine)
        return replace(self, **found)

    @property
    def places(self) -> Sequence[IndexArray]:
        return (np.argsort(np.argsort(self.vertices, kind="stable")),)

    def find_firsts(self) -> Sequence[IndexArray]:
        return (_place_steps(self.design, self.vertices)[0][self.design.step],)

    def multiply_cells(self) -> FloatArray:
        if self.design.linked:
            return super().multiply_cells()
        # Rows on their own: squares between neighbouring thresholds.
        order, parts = np.argsort(self.vertices, kind="stable"), []
        for kind in (0, 1):
            squares = self.single[order, kind, kind]
            whole = self.single[0, 2 + kind, 2 + kind]
            parts.append(np.diff(np.concatenate(([0.0], squares, [whole]))))
        return np.diag(np.maximum(np.concatenate(parts), 0.0))

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
        design, size = self.design, self.vertices.size
        place, order = _place_steps(design, self.vertices)
        if design.code is None:
            fourth = design.fourths
            kind = np.where(design.is_positive, 0, 1)
            whole, rise, at = fourth @ base[2 + kind], fourth * base[kind], place[design.step]
        else:
            changes = UnitChanges.of_rows(design)
            every = base[2:] @ changes.totals
            whole, at = np.sum(every**4), place[changes.at]
            w = changes.weight * base[changes.kind]
            every = every[changes.unit] + base[:2] @ changes.before
            rise = w * (4.0 * every**3 + w * (6.0 * every**2 + w * (4.0 * every + w)))
        risen = np.cumsum(np.bincount(at, rise, size + 1))[:-1]
        return np.asarray(whole + risen)[order]

    def _sum_nearest(self, event: FloatArray, base: FloatArray, common: bool, place: int) -> Pool:
        vertex, last = int(self.vertices[place]), self.design.sums_above.rows.shape[1] - 1
        # The steps of the rows `base`, by class: all, those that are called, or the others.
        ends = [
            (vertex if called < 0.0 else 0, last if every > 0.0 else vertex if called > 0.0 else 0)
            for called, every in zip(base[:2], base[2:], strict=True)
        ]
        called = event[:2][event[:2] != 0.0]
        if called.size and np.ptp(called) == 0.0:
            classes = [0, 1]
            if not base[:2].any():  # the same class first
                classes.sort(key=lambda own: (event[own] != 0.0) == common)
            together = base[:2].any() or event[0] == event[1]
            # Called rows have high scores: those with lower ones come next.
            ends = self._reach(
                ends,
                [classes] if together else [[own] for own in classes],
                (called[0] > 0.0) != common,
            )
        return self._sum_steps(ends)

    def _reach(
        self, ends: list[tuple[int, int]], turns: list[list[int]], from_top: bool
    ) -> list[tuple[int, int]]:
        """Shorten the range of steps of each class to the 20 rows at an end, ties together.

        `turns`: classes whose rows come first, and next.
        """
        rows, last, needed = (
            self.design.sums_above.rows,
            self.design.sums_above.rows.shape[1] - 1,
            POOL,
        )

        def cut(end: tuple[int, int], steps: int) -> tuple[int, int]:
            low, high = end
            if from_top:
                return low, min(max(steps, low), high)
            return max(min(last - steps, high), low), high

        def count(some: list[int], steps: int) -> int:
            parts = ((own, *cut(ends[own], steps)) for own in some)
            return int(sum(rows[own, high] - rows[own, low] for own, low, high in parts))

        found = list(ends)
        for some in turns:
            steps = bisect_left(range(last), needed, key=lambda steps: count(some, steps))
            for own in some:
                found[own] = cut(ends[own], steps)
            needed -= count(some, steps)
        return found

    def _sum_steps(self, ends: list[tuple[int, int]]) -> Pool:
        """Add up the weights of the rows at some steps, a range of each class."""
        design, above = self.design, self.design.sums_above
        sides = (above.weight, above.squares)
        share, squares = (
            sum(float(side[own, high] - side[own, low]) for own, (low, high) in enumerate(ends))
            for side in sides
        )
        if design.code is None:
            return Pool(share, squares, squares)
        low, high = (np.where(design.is_positive, *side) for side in zip(*ends, strict=True))
        rows = np.flatnonzero((design.step >= low) & (design.step < high))
        units = np.bincount(design.code[rows], design.weight[rows])
        return Pool(share, squares, float(units @ units))


# -------------------------------------------------------------------------------- Gram matrices


@lru_cache(maxsize=16)  # its numbers of units are computed once
def count_rows(n_pos: int, n_neg: int) -> RowDesign:
    """Describe independent rows of equal weight by their numbers alone."""
    sizes, kinds = np.array([n_pos, n_neg], np.float64), np.array([True, False])
    steps = np.zeros(2, dtype=np.intp)
    return RowDesign(kinds, sizes, TiedRows(sizes, sizes, None), n_units=n_pos + n_neg, step=steps)


def _multiply(one: FloatArray, gram: FloatArray, two: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("ki,kij,kj->k", one, gram, two))


def fill_sums(
    design: RowDesign,
    sums: Sequence[FloatArray],
    classes: tuple[int, ...],
    grams: Sequence[FloatArray] | None = None,
) -> tuple[FloatArray, ...]:
    """Fields of :class:`UnitSums` but the design.

    `sums`: of rows, weights and squares, (k, c). `classes`: of each sum but the last two, 0 if its
    rows are positives, 1 if negatives. `grams`: with the strata, and without, if rows are linked.
    """
    counts, weights, squares = sums
    there = counts > 0.0  # where there is no row, rounding errors remain
    both = there[:, :, None] & there[:, None, :]
    single = np.zeros(both.shape)
    every = np.arange(counts.shape[1])
    single[:, every, every] = squares
    for kind, own in enumerate(classes):  # products of different kinds are 0
        single[:, kind, own - 2] = single[:, own - 2, kind] = squares[:, kind]
    single *= both
    products, units = (single, single) if grams is None else (side * both for side in grams)
    return weights * there, counts, products, units if design.clustered else single, single


def _join_totals(called: FloatArray, totals: FloatArray) -> FloatArray:
    """Join sums of called rows of both classes, (2, k), and those of all rows: (k, 4)."""
    return np.concatenate((called, np.broadcast_to(totals[:, None], called.shape))).T


def _place_steps(design: RowDesign, vertices: IndexArray) -> tuple[IndexArray, IndexArray]:
    """First of the sorted vertices at which each step is called; the place of each vertex."""
    order = np.argsort(vertices, kind="stable")
    bounds = np.concatenate(([0], vertices[order], [design.sums_above.rows.shape[1] - 1]))
    return np.repeat(np.arange(vertices.size + 1), np.diff(bounds)), np.argsort(order)
