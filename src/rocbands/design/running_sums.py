"""Running sums of weights along a curve, of rows and of whole groups.

A row of weight w whose group has weight A_g above it adds 2 w A_g + w^2 to sum_g A_g^2; other sums
are similar. One sort by group and score gives all A_g.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np

from rocbands.core.checks import BoolArray, CountArray, FloatArray, IndexArray
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


def sum_rows(roc: RocCurve) -> tuple[RunningSums, RunningSums, None]:
    """Add up independent rows."""
    weights = roc.weights
    assert weights is not None, "rows are weighted or in groups"
    pos, neg = (
        # Each row is its own group, and W_g = A_g for those above.
        _accumulate(counts, (mass, *[squares] * 4), None, float(squares.sum()))
        for counts, mass, squares in (
            (roc.tp, weights.pos, weights.pos_squares),
            (roc.fp, weights.neg, weights.neg_squares),
        )
    )
    return pos, neg, None


def _accumulate(
    counts: CountArray | FloatArray,
    added: Sequence[FloatArray],
    others: FloatArray | None,
    total: float,
) -> RunningSums:
    """Make running sums of the contributions of each step."""
    mass, squares, rise_above, rise_below, products = added
    rows = np.concatenate(([0.0], counts))
    return RunningSums(
        rows=rows,
        rows_below=rows[-1] - rows,
        above=_from_top(mass),
        squares_above=_from_top(squares),
        below=_from_bottom(mass),
        squares_below=_from_bottom(squares),
        groups_above=_from_top(rise_above),
        groups_below=_from_bottom(rise_below),
        products=_from_top(products),
        others=None if others is None else _from_top(others),
        total=total,
    )


def _from_top(steps: FloatArray) -> FloatArray:
    return np.concatenate(([0.0], np.cumsum(steps)))


def _from_bottom(steps: FloatArray) -> FloatArray:
    return np.append(np.cumsum(steps[::-1])[::-1], 0.0)


def sum_groups(
    roc: RocCurve, groups: Groups
) -> tuple[RunningSums, RunningSums, tuple[FloatArray, float]]:
    """Add up rows in groups; also return sums and total of products of both classes' weights."""
    steps = roc.fp.size
    code, step, is_pos, weight = _merge_rows(groups, steps)
    masses = [np.where(is_pos == kind, weight, 0.0) for kind in (True, False)]
    before = [add_before(mass, code) for mass in masses]
    totals = [sum_codes(code, mass, groups.size) for mass in masses]
    shared = float(totals[0] @ totals[1])
    sums = []
    for own, other in ((0, 1), (1, 0)):
        rows = np.flatnonzero(is_pos if own == 0 else ~is_pos)
        w, at, group, earlier = weight[rows], step[rows], code[rows], before[own][rows]
        whole = totals[own][group]
        later = np.maximum(whole - earlier - w, 0.0)
        # One more row adds (A + w)^2 - A^2 = w (2 A + w) to its group's square.
        rise, across = w * (2.0 * earlier + w), w * whole
        added = [
            sum_codes(at, values, steps)
            for values in (w, w * w, rise, w * (2.0 * later + w), across)
        ]
        others = sum_codes(at, w * totals[other][group], steps) if shared else None
        counts = np.cumsum(np.bincount(at, minlength=steps))
        one = _accumulate(counts, added, others, float(totals[own] @ totals[own]))
        if groups.stratum is not None:
            strata = _sum_strata(groups.stratum, group, at, w, (rise, across), totals[own])
            above, products = (_from_top(sum_codes(at, values, steps)) for values in strata[:2])
            one = replace(one, strata=(above, products, strata[2]))
        sums.append(one)
    products = weight * np.where(is_pos, before[1], before[0])
    return sums[0], sums[1], (_from_top(sum_codes(step, products, steps)), shared)


def _merge_rows(groups: Groups, steps: int) -> tuple[IndexArray, IndexArray, BoolArray, FloatArray]:
    """Group, step, class and weight of the rows, by group, from the highest score down.

    Rows of the same group, class and score say the same at every threshold. They are one row with
    the sum of their weights, so that a row may be split within its group.
    """
    place = (groups.code * steps + groups.step) * 2 + groups.is_positive
    order = np.argsort(place, kind="stable")
    weight = np.ones(order.size) if groups.weight is None else groups.weight[order]
    first = np.flatnonzero(np.diff(place[order], prepend=-1))
    if first.size < order.size:
        order, weight = order[first], np.add.reduceat(weight, first)
    return groups.code[order], groups.step[order], groups.is_positive[order], weight


def _sum_strata(
    stratum: IndexArray,
    group: IndexArray,
    at: IndexArray,
    w: FloatArray,
    added: tuple[FloatArray, FloatArray],
    totals: FloatArray,
) -> tuple[FloatArray, FloatArray, float]:
    """Contributions of each row to squares and products about stratum means, and the total."""
    scale, share = find_stratum_factors(stratum)
    layer = stratum[group]
    order = np.lexsort((at, layer))
    earlier = np.empty(w.size)
    earlier[order] = add_before(w[order], layer[order])
    of_layer = np.bincount(layer, w, scale.size)
    rise = scale[layer] * added[0] - share[layer] * w * (2.0 * earlier + w)
    across = scale[layer] * added[1] - share[layer] * w * of_layer[layer]
    return rise, across, float(scale[stratum] @ totals**2 - share @ of_layer**2)
