"""Comparisons as one number for each reader, so that one formula serves every design.

A comparison has one row for each reader who has what it needs: with the matrix M of these rows, the
values A of all cells and their covariance S given the readers (:mod:`rocbands.readers.influence`),

    d = M A,    C = M S M'.

| comparison | row of reader j | readers |
|---|---|---|
| tests 1 and 2 | A_1j - A_2j | those who read both |
| one test | A_ij | its readers |
| algorithm a minus readers | A_a - A_j | the readers |

    estimate = mean d,    s = var(d) / r,    c = mean of C off the diagonal,
    fixed = sum C / r^2.                                                                         (1)

Whatever C is, the variance of the mean is E var(d) / r plus the mean covariance, so s + c is
unbiased in every design. In balanced designs it is that of Obuchowski and Rockette (1995). If no
reader read both tests, there are two blocks of readers: means are taken within blocks, and s adds
up over them, as in Welch's test; c is the sum over pairs of blocks.                             (2)
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from rocbands.core.checks import BoolArray, FloatArray, IndexArray
from rocbands.core.tolerance import SAME
from rocbands.readers.influence import Estimates, Scale


class Pooled(NamedTuple):
    """Variance of a difference of two of several tests, from all of them (Hillis 2007)."""

    readers: float  # s
    cases: float  # c
    df: float  # of s


@dataclass(frozen=True, eq=False)
class Contrast:
    """One number for each reader, and its covariance given the readers."""

    values: FloatArray  # (r,) d
    covariance: FloatArray  # (r, r) C
    block: IndexArray  # (r,) 0, or 0 and 1 if tests have different readers
    floor: float  # variances up to this are rounding errors of 0
    parts: tuple[float, ...]  # DeLong's `fixed` of positives, of negatives, of patients with both
    units: tuple[int, ...]  # cases or patients behind each part
    scale: Scale
    sides: tuple[Contrast, Contrast] | None = None  # the two means of a difference
    pooled: Pooled | None = None
    alike: bool = False  # whether each reader orders all cases equally under both tests
    paired: bool = False  # whether the same readers read the same cases on both sides

    @cached_property
    def _blocks(self) -> list[IndexArray]:
        return [np.flatnonzero(self.block == one) for one in range(int(self.block.max()) + 1)]

    @property
    def n_readers(self) -> tuple[int, ...]:
        """Readers of each block."""
        return tuple(rows.size for rows in self._blocks)

    @cached_property
    def estimate(self) -> float:
        """The mean over readers; of two blocks, the sum of both means, which have signs."""
        mean = math.fsum(math.fsum(self.values[rows]) / rows.size for rows in self._blocks)
        return mean if abs(mean) > SAME else 0.0

    @cached_property
    def block_variances(self) -> tuple[float, ...]:
        """var(d) / r of each block; 0 for one reader."""
        return tuple(
            _find_variance(self.values[rows]) / rows.size if rows.size > 1 else 0.0
            for rows in self._blocks
        )

    @property
    def reader_variance(self) -> float:
        """The part s of the variance: differences between readers, and errors of single ones."""
        return math.fsum(self.block_variances)

    @property
    def reader_term(self) -> float:
        """Sum of s^2 / (r - 1) over blocks, for degrees of freedom."""
        pairs = zip(self.block_variances, self.n_readers, strict=True)
        return math.fsum(s * s / max(r - 1, 1) for s, r in pairs)

    @cached_property
    def case_covariance(self) -> float:
        """The part c of the variance: errors that readers share, who read the same cases."""
        parts = []
        for one in self._blocks:
            for two in self._blocks:
                part = self.covariance[np.ix_(one, two)]
                if one is not two:
                    parts.append(float(part.mean()))
                elif one.size > 1:
                    off = float(part.sum() - np.trace(part))
                    parts.append(off / (one.size * (one.size - 1)))
        return math.fsum(parts)

    @cached_property
    def fixed(self) -> float:
        """Variance of the mean of the same readers, if only cases are drawn anew."""
        weight = 1.0 / np.array(self.n_readers, dtype=np.float64)[self.block]
        return float(weight @ self.covariance @ weight)

    @property
    def case_term(self) -> float:
        """Sum of f^2 / (units - 1) over the parts f of `fixed`, for degrees of freedom."""
        pairs = zip(self.parts, self.units, strict=True)
        return math.fsum(f * f / max(units - 1, 1) for f, units in pairs)

    @property
    def case_df(self) -> float:
        """Satterthwaite's degrees of freedom of `fixed`, over its parts."""
        return find_df(math.fsum(self.parts), self.case_term)

    def find_hillis_df(self, variance: float) -> float:
        """Hillis' degrees of freedom (r - 1) V^2 / s^2; infinite if s is 0."""
        return find_df(variance, self.reader_term)

    @property
    def is_indistinguishable(self) -> bool:
        """Whether nothing distinguishes two tests: equal orders, and so equal decisions."""
        return self.alike and not self.values.any()


def find_df(variance: float, term: float) -> float:
    """Satterthwaite's degrees of freedom V^2 / sum of V_k^2 / df_k.

    Infinite if all V_k are 0, but for rounding.
    """
    return variance**2 / term if term > (SAME * variance) ** 2 else math.inf


def _find_variance(values: FloatArray) -> float:
    """Variance of values of order 1; 0 if they are equal but for rounding."""
    return float(values.var(ddof=1)) if np.ptp(values) > SAME else 0.0


def _build(
    cells: Estimates, rows: Sequence[Mapping[tuple[int, int], float]], block: Sequence[int] = ()
) -> Contrast:
    """Make a contrast; `rows`: for each reader, the coefficients of tests and readers."""
    # Readers are in the order of their cells, so that sums do not depend on that of the rows.
    number = sorted(range(len(rows)), key=lambda k: sorted(cells.index[cell] for cell in rows[k]))
    rows, codes = [rows[k] for k in number], np.array(block or [0] * len(rows))[number]
    places = sorted({cells.index[cell] for row in rows for cell in row})
    used = {(int(cells.test[place]), int(cells.reader[place])): k for k, place in enumerate(places)}
    matrix = np.zeros((len(rows), len(used)))
    for place, row in enumerate(rows):
        for cell, coefficient in row.items():
            matrix[place, used[cell]] += coefficient
    weight = 1.0 / np.bincount(codes)[codes]
    squares = np.square(weight @ matrix @ cells.influence[places])
    seen, order = cells.read[places].any(axis=0), cells.order[places]
    kinds = range(max(2, int(cells.part.max()) + 1))
    return Contrast(
        matrix @ cells.values[places],
        matrix @ cells.covariance[np.ix_(places, places)] @ matrix.T,
        codes,
        _find_floor(float(weight @ np.abs(matrix) @ cells.magnitude[places]) ** 2),
        tuple(float(squares[cells.part == kind].sum()) for kind in kinds),
        tuple(int(np.count_nonzero(seen & (cells.part == kind))) for kind in kinds),
        cells.scale,
        alike=all(
            len(row) > 1 and not np.ptp(order[[used[cell] for cell in row]], axis=0).any()
            for row in rows
        ),
        paired=not codes.any() and _read_same(order >= 0, matrix.max(axis=0) > 0.0),
    )


def _find_floor(magnitude: float) -> float:
    """Largest variance that is 0 but for rounding.

    It is relative to the sum of the magnitudes of all terms, which may cancel; terms are squares of
    differences of numbers of order 1.
    """
    return max(SAME**2, SAME * magnitude)


def _read_same(read: BoolArray, first: BoolArray) -> bool:
    """Tell whether cells of the first side and the others read the same cases, taken together."""
    return bool(np.array_equal(read[first].any(axis=0), read[~first].any(axis=0)))


def contrast_test(cells: Estimates, test: int, readers: Sequence[int]) -> Contrast:
    """One test: the mean over readers."""
    return _build(cells, [{(test, j): 1.0} for j in readers])


def contrast_tests(cells: Estimates, tests: tuple[int, int], readers: Sequence[int]) -> Contrast:
    """Difference of two tests, over readers who read both."""
    one, two = tests
    rows = [{(one, j): 1.0, (two, j): -1.0} for j in readers]
    first, second = (contrast_test(cells, test, readers) for test in tests)
    return replace(_build(cells, rows), sides=(first, second))


def contrast_readers(
    cells: Estimates, tests: tuple[int, int], readers: tuple[Sequence[int], Sequence[int]]
) -> Contrast:
    """Difference of two tests that have different readers."""
    first, second = (contrast_test(cells, i, js) for i, js in zip(tests, readers, strict=True))
    rows = [{(tests[0], j): 1.0} for j in readers[0]] + [{(tests[1], j): -1.0} for j in readers[1]]
    block = [0] * len(readers[0]) + [1] * len(readers[1])
    return replace(_build(cells, rows, block), sides=(first, second))


def contrast_algorithm(
    cells: Estimates, algorithm: tuple[int, int], test: int, readers: Sequence[int]
) -> Contrast:
    """Compare a stand-alone algorithm, a cell of its own, with the readers of a test."""
    rows = [{algorithm: 1.0, (test, j): -1.0} for j in readers]
    own = contrast_test(cells, algorithm[0], [algorithm[1]])
    return replace(_build(cells, rows), sides=(own, contrast_test(cells, test, readers)))


class JointTest(NamedTuple):
    """Test that all tests have the same mean."""

    statistic: float
    df1: float
    df2: float  # infinite for chi-square, whose statistic is divided by df1 here
    pvalue: float


@dataclass(frozen=True)
class Components:
    """Analysis of variance of Obuchowski and Rockette: every reader read every test."""

    n_tests: int
    n_readers: int
    # Mean squares of tests, of readers, and of their interaction.
    ms_t: float
    ms_r: float
    ms_tr: float
    # var: mean variance of a cell given the reader. cov1: same reader, other test; cov2: same test,
    # other reader; cov3: both other.
    var: float
    cov1: float
    cov2: float
    cov3: float
    floor: float  # variances up to this are rounding errors of 0

    @property
    def var_r(self) -> float:
        """Variance of readers, which may be negative."""
        if self.n_tests == 1:
            return self.ms_r - self.var + self.cov2
        return (self.ms_r - self.ms_tr) / self.n_tests - self.cov1 + self.cov3

    @property
    def var_tr(self) -> float:
        """Variance of the interaction of tests and readers, which may be negative."""
        if self.n_tests == 1:
            return 0.0
        return self.ms_tr - self.var + self.cov1 + self.cov2 - self.cov3

    @property
    def fixed(self) -> float:
        """Denominator for these readers."""
        return self.var - self.cov1 + (self.n_readers - 1) * (self.cov2 - self.cov3)

    @property
    def pooled(self) -> Pooled:
        """Variance of a difference of two tests."""
        df = float((self.n_tests - 1) * (self.n_readers - 1))
        return Pooled(2.0 * self.ms_tr / self.n_readers, 2.0 * (self.cov2 - self.cov3), df)

    @property
    def variances(self) -> dict[str, float]:
        """All variances, covariances and mean squares by name."""
        names = ("var_r", "var_tr", "var", "cov1", "cov2", "cov3", "ms_t", "ms_r", "ms_tr")
        return {name: float(getattr(self, name)) for name in names}


def find_components(cells: Estimates, readers: Sequence[int], n_tests: int) -> Components | None:
    """Compute the components; None unless every reader read every test."""
    wanted = [(i, j) for i in range(n_tests) for j in readers]
    if not set(wanted) <= set(cells.index) or len(readers) < 2:
        return None
    t, r = n_tests, len(readers)
    readers = sorted(readers, key=lambda j: cells.index[0, j])
    tests = sorted(range(t), key=lambda i: cells.index[i, readers[0]])
    places = [cells.index[i, j] for i in tests for j in readers]
    area = cells.values[places].reshape(t, r)
    cov = cells.covariance[np.ix_(places, places)].reshape(t, r, t, r)
    total = np.einsum("ajbj->ab", cov)  # over one reader, of two tests
    same_test = float(np.einsum("ajak->", cov))
    both, reader = float(np.trace(total)), float(total.sum())
    every = float(cov.sum())
    rest = area - area.mean(1, keepdims=True) - area.mean(0) + area.mean()
    return Components(
        *(t, r),
        ms_t=r * _find_variance(area.mean(1)) if t > 1 else 0.0,
        ms_r=t * _find_variance(area.mean(0)),
        ms_tr=float((rest**2).sum()) / ((t - 1) * (r - 1)) if np.ptp(rest) > SAME else 0.0,
        var=both / (t * r),
        cov1=(reader - both) / (t * (t - 1) * r) if t > 1 else 0.0,
        cov2=(same_test - both) / (t * r * (r - 1)),
        cov3=(every - reader - same_test + both) / (t * (t - 1) * r * (r - 1)) if t > 1 else 0.0,
        floor=_find_floor(r * float(np.square(cells.magnitude[places]).mean())),
    )
