"""Sums over units of the rows that only one of two models calls positive, at several thresholds.

With B+1 and B+2 the weights of a unit's positives that only model 1, or only model 2, calls, and
B-1 and B-2 those of its negatives, differences of two models' shares of the same rows are sums of
x = (B+1, B+2, B-1, B-2, T+, T-). A row counts between the first threshold at which one model calls
it and the first at which the other does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import CountArray, FloatArray, IndexArray
from rocbands.core.counting import find_levels
from rocbands.core.pair import Pair
from rocbands.design.called_sums import CalledSums, Share, Sums, UnitSums, count_rows, fill_sums
from rocbands.design.effective_number import NearWeights, Pool, choose_pool, sum_pool, weigh_near
from rocbands.design.row_design import RowDesign
from rocbands.design.running_sums import UnitChanges

Both: TypeAlias = tuple[npt.NDArray[Any], npt.NDArray[Any]]  # of each model

# Coefficients of (B+1, B+2, B-1, B-2, T+, T-): rows that only one model calls, and rows of a class.
ONLY_POS = ((1.0, 0.0, 0.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0, 0.0, 0.0))
ONLY_NEG = ((0.0, 0.0, 1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0, 0.0, 0.0))
POSITIVES, NEGATIVES = (0.0, 0.0, 0.0, 0.0, 1.0, 0.0), (0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
ALL = (0.0, 0.0, 0.0, 0.0, 1.0, 1.0)
# Right calls of model 1 less those of model 2: of positives, of negatives, and of all rows.
RIGHT_POS, RIGHT_NEG = (1.0, -1.0, 0.0, 0.0, 0.0, 0.0), (0.0, 0.0, -1.0, 1.0, 0.0, 0.0)
RIGHT = (1.0, -1.0, -1.0, 1.0, 0.0, 0.0)
KINDS = (0, 0, 1, 1)  # classes of the first four sums
AT_ONCE = 512  # pairs of thresholds of a table of independent rows: 4 MB


@dataclass(frozen=True, eq=False)
class PairedSums(UnitSums):
    """Sums of two models' rows at k pairs of thresholds: B+1, B+2, B-1, B-2, T+, T-."""

    values: Both = field(kw_only=True)  # (n,) scores of each model
    cuts: Both = field(kw_only=True)  # (k,) thresholds of each model
    # (n,) place of the highest threshold of each model that each row reaches, or k
    firsts: tuple[IndexArray, IndexArray] = field(kw_only=True)

    @classmethod
    def of_counts(cls, only: Sequence[CountArray], n_pos: int, n_neg: int) -> PairedSums:
        """Take counts of independent rows that only one model calls: B+1, B+2, B-1, B-2."""
        k, design = only[0].size, count_rows(n_pos, n_neg)
        totals = [np.full(k, size) for size in (n_pos, n_neg)]
        counts = np.stack([*only, *totals], axis=1).astype(np.float64)
        sums = fill_sums(design, (counts, counts, counts), KINDS)
        none, rows = np.zeros(0), np.zeros(0, np.intp)
        return cls(design, *sums, values=(none, none), cuts=(none, none), firsts=(rows, rows))

    @classmethod
    def add_up(cls, design: RowDesign, values: Both, cuts: Both) -> PairedSums:
        """Add up rows; a row is called if its score is at or above the model's threshold."""
        levels = [np.sort(cut) for cut in cuts]
        reached = [np.searchsorted(*pair, "right") for pair in zip(levels, values, strict=True)]
        order = np.lexsort((cuts[1], cuts[0]))
        if design.linked:  # runs of pairs in which both thresholds rise
            second = cuts[1][order]  # perhaps infinite
            runs = np.split(order, np.flatnonzero(second[1:] < second[:-1]) + 1)
        else:
            runs = np.array_split(order, -(-order.size // AT_ONCE))
        parts = []
        for run in runs:
            # The number of thresholds of the run that each row reaches, of each model.
            one, two = (
                np.append(0, np.searchsorted(np.sort(cut[run]), level, "right"))[number]
                for cut, level, number in zip(cuts, levels, reached, strict=True)
            )
            if design.linked:
                parts.append(_sum_linked(design, one, two, run.size))
                continue
            least = [np.searchsorted(np.sort(cut[run]), cut[run], "right") for cut in cuts]
            parts.append(_sum_single(design, (one, two), (least[0], least[1])))
        place = np.argsort(order)
        found = (np.concatenate(sides)[place] for sides in zip(*parts, strict=True))
        firsts = order.size - reached[0], order.size - reached[1]
        return cls(design, *found, values=values, cuts=cuts, firsts=firsts)

    def add_called(self) -> FloatArray:
        """Weights of the positives and of the negatives that each model calls, (2, 2, k)."""
        called, k = [], self.cuts[0].size
        kind = np.where(self.design.is_positive, 0, k + 1)
        for first, place in zip(self.firsts, self.places, strict=True):
            cells = np.bincount(kind + first, self.design.weight, 2 * (k + 1)).reshape(2, -1)
            called.append(np.cumsum(cells, axis=1)[:, place])
        return np.array(called)

    @property
    def places(self) -> Sequence[IndexArray]:
        # By ranks: booleans have no minus sign, and unsigned integers no negative values.
        ranks = (np.unique(cut, return_inverse=True)[1] for cut in self.cuts)
        return [np.argsort(np.argsort(-rank, kind="stable")) for rank in ranks]

    def find_firsts(self) -> Sequence[IndexArray]:
        return self.firsts

    def multiply_cells(self) -> FloatArray:
        design, k = self.design, self.cuts[0].size
        if design.linked:
            return super().multiply_cells()
        # Rows on their own: a row is in a cell of each model.
        products = np.zeros((2, 2, 2, k + 1, 2, k + 1))  # models, then class and cell of each
        kind = np.where(design.is_positive, 0, (k + 1) ** 2)
        cells = kind + self.firsts[0] * (k + 1) + self.firsts[1]
        table = np.bincount(cells, design.weight**2, 2 * (k + 1) ** 2).reshape(2, k + 1, k + 1)
        every = np.arange(k + 1)
        for own in (0, 1):
            products[0, 0, own, every, own, every] = table[own].sum(axis=1)
            products[1, 1, own, every, own, every] = table[own].sum(axis=0)
            products[0, 1, own, :, own], products[1, 0, own, :, own] = table[own], table[own].T
        return products.transpose(0, 2, 3, 1, 4, 5).reshape(4 * (k + 1), -1)

    @cached_property
    def _levels(self) -> tuple[tuple[IndexArray, ...], tuple[IndexArray, ...]]:
        """Of each model, the step of each row and the number of steps above each threshold."""
        steps, vertices = [], []
        for value, cut in zip(self.values, self.cuts, strict=True):
            levels = find_levels(value)
            scores = value[levels.order[levels.first[:-1]]]
            steps.append(scores.size - 1 - levels.level)
            vertices.append(scores.size - np.searchsorted(scores, cut, side="left"))
        return tuple(steps), tuple(vertices)

    @cached_property
    def near(self) -> NearWeights:
        """Weight of a row near a threshold of either model."""
        if not self.design.weighted:
            return weigh_near(self.design, (), (np.zeros(self.weights.shape[0], np.intp),))
        return weigh_near(self.design, *self._levels)

    def _sum_nearest(self, event: FloatArray, base: FloatArray, common: bool, place: int) -> Pool:
        design = self.design
        shares: Sequence[FloatArray] = (design.pos, design.neg, design.all)
        share = shares[2 if base[-2] == base[-1] else 0 if base[-2] else 1]
        # Distinct scores by which model 1 ranks a row above model 2, in the share's direction.
        first, second = (int(step.max()) - step for step in self._levels[0])
        gap = (first - second).astype(np.float64)
        gap = np.abs(gap) if event.min() < 0.0 else gap * (event[[0, 2]].sum() or -1.0)
        own = np.where(design.is_positive, event[:2].any(), event[2:4].any())
        gap -= np.where(own, 0.0, 9.0 * gap.size)  # the same class first
        # None of the rows is on the rarer side, so that the pool has the nearest ones.
        pool = choose_pool(design, share, np.full(share.size, float(common)), gap)
        mass = self.weights[0] @ base
        return sum_pool(design, share * pool * mass)


def _sum_linked(
    design: RowDesign, one: IndexArray, two: IndexArray, size: int
) -> tuple[FloatArray, ...]:
    """Sum rows of clusters or strata, at pairs of thresholds that rise together."""
    rows = np.flatnonzero(one != two)
    one, two = one[rows], two[rows]
    kind = np.where(design.is_positive[rows], 0, 2) + (one < two)
    ends = np.minimum(one, two), np.maximum(one, two)
    return sum_between(design, rows, ends, kind, KINDS, size)


def _sum_single(design: RowDesign, reached: Both, least: Both) -> tuple[FloatArray, ...]:
    """Sum independent rows: a table of how many reach the i-th and the j-th thresholds.

    `least`: of each model, the number of thresholds that a row reaches to be called.
    """
    side = least[0].size + 1
    cells = np.where(design.is_positive, 0, side) + reached[0]

    def tabulate(values: FloatArray | None) -> FloatArray:
        table = np.bincount(cells * side + reached[1], values, 2 * side**2)
        table = table.reshape(2, side, side)[:, ::-1, ::-1].cumsum(axis=1).cumsum(axis=2)
        one, two = (side - 1 - number for number in least)
        first, second = table[:, one, -1], table[:, -1, two]
        both, totals = table[:, one, two], table[:, -1, -1:]
        only = (first - both, second - both)
        parts = [only[model][kind] for kind in (0, 1) for model in (0, 1)]
        parts += [np.broadcast_to(total, both.shape[1:]) for total in totals]
        return np.stack(parts, axis=1).astype(np.float64)

    sums = [tabulate(None)] * 3
    if design.weight.min() != 1.0 or design.weight.max() != 1.0:
        sums[1:] = tabulate(design.weight), tabulate(design.weight**2)
    return fill_sums(design, sums, KINDS)


def sum_between(
    design: RowDesign,
    rows: IndexArray,
    ends: tuple[IndexArray, IndexArray],
    kind: IndexArray,
    classes: tuple[int, ...],
    size: int,
) -> tuple[FloatArray, ...]:
    """Fields of :class:`UnitSums` but the design, for rows that count between two thresholds.

    `kind`: the sum of each row. `classes`: as for :func:`fill_sums`. `size`: k.
    """
    kinds, at, row = len(classes), np.concatenate(ends), np.concatenate((rows, rows))
    kind, sign = np.concatenate((kind, kind)), np.repeat((1.0, -1.0), rows.size)
    place = kind * (size + 1) + at

    def add_up(values: FloatArray) -> FloatArray:
        found = np.bincount(place, sign * values[row], kinds * (size + 1)).reshape(kinds, -1)
        totals = [np.full(size, values @ own) for own in (design.is_positive, ~design.is_positive)]
        return np.stack([*np.cumsum(found, axis=1)[:, :-1], *totals], 1)

    counts = np.ones(design.weight.size) if design.rows is None else design.rows
    sums = [add_up(counts)] * 3
    if not np.array_equal(counts, design.weight):
        squares = design.weight**2 if design.squares is None else design.squares
        sums[1:] = add_up(design.weight), add_up(squares)
    grams = None
    if design.linked:
        weight = sign * design.weight[row]
        changes = UnitChanges.merge(design.unit[row], at, kind, weight, design.totals, kinds)
        grams = changes.multiply_in(design.stratum, None, size)
    return fill_sums(design, sums, classes, grams)


def combine_sets(
    pair: Pair,
    sums: tuple[CalledSums, CalledSums],
    terms: Sequence[Sequence[tuple[Any, Share]]],
    tail: float,
    *,
    exact: bool = False,
) -> Sums:
    """Weighted sum of shares of two test sets, and its limits; see `UnitSums.combine`."""
    products = np.zeros((sums[0].weights.shape[0], 8, 8))
    products[:, :4, :4], products[:, 4:, 4:] = (one.products for one in sums)
    if pair.common_clusters is not None:
        products[:, :4, 4:] = _multiply_shared(sums, pair.common_clusters)
        products[:, 4:, :4] = products[:, :4, 4:].transpose(0, 2, 1)
    both = [
        (weight, share._replace(z=np.pad(share.z, ((0, 0), (4 * i, 4 - 4 * i)))))
        for i, own in enumerate(terms)
        for weight, share in own
    ]
    return replace(sums[0], products=products).combine(both, tail, exact=exact)


def _multiply_shared(
    sums: tuple[CalledSums, CalledSums], common: tuple[IndexArray, IndexArray]
) -> FloatArray:
    """Products of the sums (A+, A-, T+, T-) of both test sets over common clusters, (k, 4, 4)."""
    found = []
    for at in zip(sums[0].vertices, sums[1].vertices, strict=True):
        sides = []
        for design, vertex, own in zip((one.design for one in sums), at, common, strict=True):
            code = design.single if design.code is None else design.code
            assert code is not None, "the sets have clusters"
            masses = [design.weight * kind for kind in (design.is_positive, ~design.is_positive)]
            parts = (*(mass * (design.step < vertex) for mass in masses), *masses)
            sides.append([np.bincount(code, part, design.n_units)[own] for part in parts])
        found.append(np.array(sides[0]) @ np.array(sides[1]).T)
    return np.array(found).reshape(-1, 4, 4)
