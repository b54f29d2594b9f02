"""Sums over units of products of weights, along thresholds.

Let A_i be the weights of a unit in several sums, such as those of its positives and of its
negatives that are called. A change of A_i by w adds w (2 A_i + w) to its unit's A_i^2, w A_j to its
A_i A_j, and w T to its A_i T with a fixed weight T. One sort by unit and threshold gives all of
them at every threshold, without a table of units and thresholds.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rocbands.core.checks import FloatArray, IndexArray, once_for_each
from rocbands.core.counting import sum_codes
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

        def climb(values: FloatArray) -> FloatArray:
            """Add up over changes of each kind, (k, kinds)."""
            sums = np.bincount(at, scaled * values, kinds * (size + 1)).reshape(kinds, -1)
            return np.asarray(np.cumsum(sums, axis=1, dtype=np.float64)[:, :-1].T)

        found = np.zeros((size, kinds + 2, kinds + 2))
        half = np.stack([climb(one) for one in self.before], axis=2)
        found[:, :kinds, :kinds] = half + np.moveaxis(half, 1, 2)
        found[:, np.arange(kinds), np.arange(kinds)] += climb(w)
        for i, one in enumerate(self.totals, start=kinds):
            found[:, i, :kinds] = found[:, :kinds, i] = climb(one[self.unit])
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
