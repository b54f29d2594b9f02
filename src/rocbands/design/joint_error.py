"""Errors of sums of shares at all thresholds together, as simultaneous limits need them.

The linearised error of a sum of shares at threshold t is a(t) . x, with the sums x over units of
:mod:`rocbands.design.called_sums` and coefficients a(t). So the influence of a row on it is the sum
of the coefficients of those sums that the row belongs to. It depends on the row's class and on the
number of thresholds that its score reaches, its *cell*. With T the influence of each cell at each
threshold, and s the weights of a unit's rows in each cell,

    C = G / (G - 1) T' M T,   M = <s, s>,

is the covariance of the errors, <,> as formula (D3) of :mod:`rocbands.design.row_design`. M takes
one pass over the rows, and there is no matrix of rows and thresholds. With two models a row is in
a cell of each: a row that both call has the coefficients of both, whose sum is 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from rocbands._math.products import times
from rocbands.core.checks import FloatArray, IndexArray
from rocbands.design.called_sums import Share, UnitSums

Terms = Sequence[tuple[Any, Share]]  # weights and shares of a sum


class JointError:
    """Errors of a sum of shares of a test set, at all thresholds.

    `other`: another sum of shares; its coefficients differ from those of the first by multiples,
    with the threshold, of the same ones: one error more gives all of them.
    """

    def __init__(self, sums: UnitSums, terms: Terms, other: Terms | None = None) -> None:
        self.sums = sums
        self.coefficients = add_terms(terms)  # (k, c)
        # (k or k + 1, k or 2k) errors of all sums from those of `influence`
        self.mix = np.eye(len(self.coefficients))
        self._gap: FloatArray | None = None
        if other is not None:
            gaps = add_terms(other) - self.coefficients
            self._gap = gaps[0]
            multiples = gaps @ gaps[0] / (gaps[0] @ gaps[0])
            none = np.zeros_like(multiples)
            self.mix = np.block([[self.mix, self.mix], [none, multiples]])

    @cached_property
    def influence(self) -> FloatArray:
        """T (cells, k or k + 1)."""
        cells, a = self.sums.cells, self.coefficients
        # The last column has the first multiple of `other`, which depends on the class alone.
        rows = a if self._gap is None else np.vstack((a, self._gap))
        found = np.vstack((rows.T, np.zeros(len(rows))))[cells.whole]
        found[:, : len(a)] += np.where(cells.called, a.T[cells.own], 0.0)
        return np.asarray(found)

    @property
    def covariance(self) -> FloatArray:
        """C of these errors."""
        products = times(times(self.sums.multiply_cells(), self.influence).T, self.influence)
        return correct_units(self.sums.design.n_units) * products

    @property
    def pseudo_row(self) -> FloatArray:
        """Error f of one row, for each column of `mix`."""
        weight = self.sums.weights[0, -2:].sum() / self.sums.design.units[2].rows
        largest = np.abs(self.coefficients[:, :-2]).max(axis=1)
        return np.asarray(weight * np.resize(largest, self.mix.shape[1]))

    def add_units(self, code: IndexArray, units: IndexArray) -> FloatArray:
        """Errors of some units; `code`: number of each row's unit."""
        return np.asarray(self.sums.share_units(code)[units] @ self.influence)


def add_terms(terms: Terms) -> FloatArray:
    """Coefficients (k, c) of the error of a sum of shares."""
    parts = [np.reshape(weight, (-1, 1)) * share.z for weight, share in terms]
    return np.asarray(np.sum(parts, axis=0))


def correct_units(units: int) -> float:
    """Factor G / (G - 1) of a variance over G units."""
    return units / max(units - 1.0, 1.0)


def multiply_common(
    errors: Sequence[JointError], common: tuple[IndexArray, IndexArray]
) -> FloatArray:
    """Covariance through clusters with rows in both test sets, as `find_set_covariance`."""
    parts, distinct = [], -common[0].size
    for error, own in zip(errors, common, strict=True):
        design = error.sums.design
        code = design.single if design.code is None else design.code
        assert code is not None, "the rows are in clusters"
        parts.append(error.add_units(code, own))
        distinct += design.n_units
    shared = parts[0].T @ parts[1]
    return np.asarray(correct_units(distinct) * (shared + shared.T))
