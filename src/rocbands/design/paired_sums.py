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

from rocbands.core.checks import FloatArray, IndexArray
from rocbands.core.counting import find_levels
from rocbands.core.pair import Pair
from rocbands.design.called_sums import CalledSums, Coefficients, Share, Sums, UnitSums, fill_sums
from rocbands.design.effective_number import NearWeights, Pool, choose_pool, sum_pool, weigh_near
from rocbands.design.row_design import RowDesign
from rocbands.design.unit_changes import UnitChanges

Both: TypeAlias = tuple[npt.NDArray[Any], npt.NDArray[Any]]  # of each model

# Coefficients of (B+1, B+2, B-1, B-2, T+, T-): rows that only one model calls, and rows of a class.
ONLY_POS = ((1.0, 0.0, 0.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0, 0.0, 0.0))
ONLY_NEG = ((0.0, 0.0, 1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0, 0.0, 0.0))
POSITIVES, NEGATIVES = (0.0, 0.0, 0.0, 0.0, 1.0, 0.0), (0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
ALL = (0.0, 0.0, 0.0, 0.0, 1.0, 1.0)
# Right calls of model 1 less those of model 2: of positives, of negatives, and of all rows.
RIGHT_POS, RIGHT_NEG = (1.0, -1.0, 0.0, 0.0, 0.0, 0.0), (0.0, 0.0, -1.0, 1.0, 0.0, 0.0)
RIGHT = (1.0, -1.0, -1.0, 1.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class PairedSums(UnitSums):
    """Sums of two models' rows at k pairs of thresholds: B+1, B+2, B-1, B-2, T+, T-."""

    values: Both = field(kw_only=True)  # (n,) scores of each model
    cuts: Both = field(kw_only=True)  # (k,) thresholds of each model

    @classmethod
    def add_up(cls, design: RowDesign, values: Both, cuts: Both) -> PairedSums:
        """Add up rows; a row is called if its score is at or above the model's threshold."""
        order = np.lexsort((cuts[1], cuts[0]))
        # Runs of pairs in which both thresholds rise; one run if both models have the same.
        second = cuts[1][order]
        starts = np.flatnonzero(second[1:] < second[:-1]) + 1
        kind = np.where(design.is_positive, 0, 2)
        parts = []
        for run in np.split(order, starts):
            # The number of thresholds, in this order, at which each model calls each row.
            one, two = (
                np.searchsorted(cut[run], value, side="right")
                for value, cut in zip(values, cuts, strict=True)
            )
            rows = np.flatnonzero(one != two)
            one, two, own = one[rows], two[rows], kind[rows] + (one < two)[rows]
            ends = np.minimum(one, two), np.maximum(one, two)
            parts.append(sum_between(design, rows, ends, own, (0, 0, 1, 1), run.size))
        place = np.argsort(order)
        found = (np.concatenate(sides)[place] for sides in zip(*parts, strict=True))
        return cls(design, *found, values=values, cuts=cuts)

    def find_gap(self, part: Coefficients, of: Coefficients, unit: Any = 0.0) -> Share:
        """Mean of x = -1, 0, 1 over the rows `of`, such as a difference of error rates.

        Its `size` is the share psi of the rows with x not 0.
        """
        event = np.array(part)
        return self._find_mean(event, np.array(of), np.abs(event), unit)

    @property
    def places(self) -> Sequence[IndexArray]:
        return [np.argsort(np.argsort(-cut, kind="stable")) for cut in self.cuts]

    def find_firsts(self) -> Sequence[IndexArray]:
        sides = zip(self.values, self.cuts, strict=True)
        return [cut.size - np.searchsorted(np.sort(cut), value, "right") for value, cut in sides]

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
