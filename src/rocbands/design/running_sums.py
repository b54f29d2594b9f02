"""Running sums of weights along a curve, of rows and of whole groups.

A row of weight w whose group has weight A_g above it adds 2 w A_g + w^2 to sum_g A_g^2; other sums
are similar. One sort by group and score gives all A_g.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rocbands.core.checks import BoolArray, FloatArray, IndexArray
from rocbands.core.counting import sum_codes
from rocbands.core.counts import Groups
from rocbands.core.roc import RocCurve
from rocbands.design.row_design import add_before, find_stratum_factors


class Tail(NamedTuple):
    """Sums over the rows of one class beyond each vertex, from an end of the curve inwards."""

    rows: FloatArray
    weight: FloatArray
    squares: FloatArray
    groups: FloatArray


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
    # sum_g A_g^2 and sum_g B_g^2; the squares, where each row is its own group.
    groups_above: FloatArray
    groups_below: FloatArray
    products: FloatArray  # sum_g A_g W_g, with W_g = A_g + B_g
    others: FloatArray | None  # sum_g A_g times the weight of the group's rows of the other class
    total: float  # sum_g W_g^2
    # With strata these replace `groups_above`, `products` and `total`.
    strata: tuple[FloatArray, FloatArray, float] | None = None

    @property
    def rate(self) -> FloatArray:
        return np.asarray(np.minimum(self.above / self.above[-1], 1.0))

    @property
    def tails(self) -> tuple[Tail, Tail]:
        """The sums from the highest score down, and from the lowest score up."""
        below = self.rows_below, self.below, self.squares_below, self.groups_below
        return (
            Tail(self.rows, self.above, self.squares_above, self.groups_above),
            Tail(*(side[::-1] for side in below)),
        )

    def variance(self, *, strata: bool = False) -> FloatArray:
        """Sandwich variance of the rate."""
        x, parts = self.rate, (self.groups_above, self.products, self.total)
        if strata and self.strata is not None:
            parts = self.strata
        squares = parts[0] - 2.0 * x * parts[1] + x**2 * parts[2]
        return np.asarray(np.maximum(squares, 0.0) / self.above[-1] ** 2)

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


def sum_rows(
    roc: RocCurve, kept: IndexArray | None = None
) -> tuple[RunningSums, RunningSums, None]:
    """Add up independent rows; `kept`: the vertices, by default all."""
    weights = roc.weights
    assert weights is not None, "rows are weighted or in groups"
    sums = []
    for counts, mass, squares in (
        (roc.tp, weights.pos, weights.pos_squares),
        (roc.fp, weights.neg, weights.neg_squares),
    ):
        rows = np.concatenate(([0.0], counts))
        sides = [_from_top(mass), _from_bottom(mass), _from_top(squares), _from_bottom(squares)]
        if kept is not None:
            rows, sides = rows[kept], [side[kept] for side in sides]
        mass_above, mass_below, above, below = sides
        sums.append(
            RunningSums(
                rows=rows,
                rows_below=rows[-1] - rows,
                above=mass_above,
                squares_above=above,
                below=mass_below,
                squares_below=below,
                # Each row is its own group, and W_g = A_g for those above.
                groups_above=above,
                groups_below=below,
                products=above,
                others=None,
                total=float(squares.sum()),
            )
        )
    return sums[0], sums[1], None


def _from_top(steps: FloatArray) -> FloatArray:
    return np.concatenate(([0.0], np.cumsum(steps)))


def _from_bottom(steps: FloatArray) -> FloatArray:
    return np.append(np.cumsum(steps[::-1])[::-1], 0.0)


class UnitProducts(NamedTuple):
    """Sums over units of products of weights, at each vertex; positives have index 0."""

    called: FloatArray  # (2, 2, vertices) A_i A_j, of the rows of both classes above the vertex
    against: FloatArray  # (2, 2, vertices) A_i T_j, with all rows of the unit
    totals: FloatArray  # (2, 2) T_i T_j


@dataclass(frozen=True, eq=False)
class MergedRows:
    """Rows by unit, from the highest score down.

    Rows of the same unit, class and step say the same at every vertex. They are one row with the
    sum of their weights, so that a row may be split within its unit.
    """

    code: IndexArray  # unit of each row
    n_units: int
    step: IndexArray
    n_steps: int
    is_positive: BoolArray
    weight: FloatArray

    @classmethod
    def merge(
        cls,
        code: IndexArray,
        n_units: int,
        step: IndexArray,
        n_steps: int,
        is_positive: BoolArray,
        weight: FloatArray,
    ) -> MergedRows:
        """Sort rows by unit and step, and merge them."""
        place = (code * n_steps + step) * 2 + is_positive
        order = np.argsort(place, kind="stable")
        weight = weight[order]
        first = np.flatnonzero(np.diff(place[order], prepend=-1))
        if first.size < order.size:
            order, weight = order[first], np.add.reduceat(weight, first)
        return cls(code[order], n_units, step[order], n_steps, is_positive[order], weight)

    @cached_property
    def classes(self) -> tuple[IndexArray, IndexArray]:
        """Positive and negative rows."""
        return np.flatnonzero(self.is_positive), np.flatnonzero(~self.is_positive)

    @cached_property
    def before(self) -> list[FloatArray]:
        """Weight of the positives, and of the negatives, above each row in its unit."""
        return [add_before(mass, self.code) for mass in self._masses]

    @cached_property
    def totals(self) -> list[FloatArray]:
        """Weight of the positives, and of the negatives, of each unit."""
        return [sum_codes(self.code, mass, self.n_units) for mass in self._masses]

    @property
    def _masses(self) -> list[FloatArray]:
        return [np.where(self.is_positive == kind, self.weight, 0.0) for kind in (True, False)]

    def add_up(self, rows: IndexArray | slice, values: FloatArray) -> FloatArray:
        """Sum the values of some rows at each step."""
        return sum_codes(self.step[rows], values, self.n_steps)

    def multiply(self, factor: FloatArray | None = None) -> UnitProducts:
        """Add up products at all vertices; `factor`: of each unit."""
        totals = np.stack(self.totals)
        weighted = totals if factor is None else totals * factor
        called, against = np.zeros((2, 2, 2, self.n_steps + 1))
        overall = totals @ weighted.T
        for i, rows in enumerate(self.classes):
            w, code = self.weight[rows], self.code[rows]
            scaled = w if factor is None else w * factor[code]
            # One more row adds (A + w)^2 - A^2 = w (2 A + w) to its unit's square.
            rise = scaled * (2.0 * self.before[i][rows] + w)
            called[i, i] = _from_top(self.add_up(rows, rise))
            for j in (0, 1):
                if i == j or overall[i, j]:
                    against[i, j] = _from_top(self.add_up(rows, scaled * totals[j][code]))
        if overall[0, 1]:
            other = self.weight * np.where(self.is_positive, self.before[1], self.before[0])
            other = other if factor is None else other * factor[self.code]
            called[0, 1] = called[1, 0] = _from_top(self.add_up(slice(None), other))
        return UnitProducts(called, against, overall)

    def multiply_in_strata(self, stratum: IndexArray) -> UnitProducts:
        """Add up products about the means of strata: (D3) of :mod:`rocbands.design.row_design`."""
        scale, part = find_stratum_factors(stratum)
        layers = MergedRows.merge(
            stratum[self.code], scale.size, self.step, self.n_steps, self.is_positive, self.weight
        )
        pairs = zip(self.multiply(scale[stratum]), layers.multiply(part), strict=True)
        return UnitProducts(*(of_units - of_strata for of_units, of_strata in pairs))


def merge_groups(roc: RocCurve, groups: Groups) -> MergedRows:
    """Merge the rows of a curve by group."""
    weight = np.ones(groups.code.size) if groups.weight is None else groups.weight
    columns = groups.code, groups.size, groups.step, roc.fp.size, groups.is_positive, weight
    return MergedRows.merge(*columns)


def sum_groups(
    merged: MergedRows, stratum: IndexArray | None, kept: IndexArray | None = None
) -> tuple[RunningSums, RunningSums, tuple[FloatArray, float]]:
    """Add up rows in groups; also return sums and total of products of both classes' weights.

    `kept`: the vertices, by default all.
    """
    if kept is not None:
        block = np.repeat(np.arange(kept.size - 1), np.diff(kept))
        merged = replace(merged, step=block[merged.step], n_steps=kept.size - 1)
    found = merged.multiply()
    layered = None if stratum is None else merged.multiply_in_strata(stratum)
    sums = []
    for i, rows in enumerate(merged.classes):
        w = merged.weight[rows]
        later = merged.totals[i][merged.code[rows]] - merged.before[i][rows] - w
        below = w * (2.0 * np.maximum(later, 0.0) + w)
        mass, squares, below = (merged.add_up(rows, values) for values in (w, w * w, below))
        count = np.concatenate(
            ([0.0], np.cumsum(np.bincount(merged.step[rows], minlength=mass.size)))
        )
        sums.append(
            RunningSums(
                rows=count,
                rows_below=count[-1] - count,
                above=_from_top(mass),
                squares_above=_from_top(squares),
                below=_from_bottom(mass),
                squares_below=_from_bottom(squares),
                groups_above=found.called[i, i],
                groups_below=_from_bottom(below),
                products=found.against[i, i],
                others=found.against[i, 1 - i] if found.totals[0, 1] else None,
                total=float(found.totals[i, i]),
                strata=None
                if layered is None
                else (layered.called[i, i], layered.against[i, i], float(layered.totals[i, i])),
            )
        )
    return sums[0], sums[1], (found.called[0, 1], float(found.totals[0, 1]))
