"""Areas of models on the same rows or on two test sets, whole or part, and their covariances.

An area over a range of false positive rates is divided by the width of the range, so that it lies
between 0 and 1. Influences of rows are their placements (:mod:`rocbands.core.delong`), truncated
for a range; covariances are those of :mod:`rocbands.design.row_design`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rocbands.core.checks import FloatArray, once_for_each
from rocbands.core.delong import (
    compute_area_moments,
    compute_pair_products,
    count_wins,
    variance_from_moments,
)
from rocbands.core.pair import Pair
from rocbands.core.roc import RocCurve
from rocbands.core.rows import Rows
from rocbands.core.score_variance import CaseNumbers, ScoreVariance, estimate_variance
from rocbands.design.effective_sizes import (
    compute_curve_placements,
    count_cases_inside,
    estimate_curve_variance,
)
from rocbands.design.row_design import (
    LEAST,
    Parts,
    RowDesign,
    correct_few,
    find_set_covariance,
    find_steps,
)
from rocbands.design.stretch import satterthwaite
from rocbands.resample.areas import FprRange
from rocbands.resample.truncated_placements import compute_area, compute_truncated_placements


@dataclass(frozen=True, eq=False)
class AreaCovariance:
    """Covariance matrix of k areas on the same rows, by class: formulas (D5) to (D8)."""

    # pos, neg, across: (k, k) parts of the positives, of the negatives, and of units with both.
    pos: FloatArray
    neg: FloatArray
    across: FloatArray
    cases: CaseNumbers  # effective numbers that degrees of freedom count
    units: tuple[float, float]  # units with positives and with negatives, by Kish (1965)
    n_clusters: int = 0  # all units, if they link the classes
    left: float = 1.0  # share of the degrees of freedom that strata leave

    @classmethod
    def from_parts(cls, design: RowDesign, parts: Parts, cases: CaseNumbers) -> AreaCovariance:
        """Multiply sums over units; `parts`: (units, k) of positives and of negatives."""
        kish = design.units[0].kish, design.units[1].kish
        pos, neg = (
            correct_few(k) * design.multiply(part, part)
            for k, part in zip(kish, parts, strict=True)
        )
        across = np.zeros_like(pos)
        if design.linked:
            across = design.n_units / (design.n_units - 1.0) * design.multiply(*parts)
        return cls(
            *(pos, neg, across + across.T, cases, kish),
            design.n_units if design.linked else 0,
            # Not 0, so that infinite degrees of freedom stay infinite.
            max(design.n_units - design.n_strata, 1e-9) / max(design.n_units - 1.0, 1.0),
        )

    @property
    def total(self) -> FloatArray:
        """The covariance matrix."""
        return np.asarray(self.pos + self.neg + self.across)

    def find_last(self) -> tuple[float, float]:
        """Variance of the last area, a difference, and its degrees of freedom.

        Satterthwaite's, for m positives and n negatives; infinite where the variance is 0.
        """
        pos, neg = (max(float(part[-1, -1]), 0.0) for part in (self.pos, self.neg))
        df = max(self.left * satterthwaite(pos, neg, *self.cases), 1.0)
        return max(pos + neg + float(self.across[-1, -1]), LEAST * (pos + neg)), df

    def estimate_each(self, areas: FloatArray) -> tuple[ScoreVariance, ...]:
        """Estimate the unit variances of the areas, with the same case numbers for all."""
        k = areas.size
        pos, neg = (
            np.diag(part)[:k] / correct_few(units) * size
            for part, units, size in zip((self.pos, self.neg), self.units, self.cases, strict=True)
        )
        across = np.diag(self.across)[:k] * (1.0 - 1.0 / max(self.n_clusters, 1))
        unit, df = estimate_variance(
            areas, pos, neg, self.cases, across=across, n_clusters=self.n_clusters
        )
        both = zip(unit, np.maximum(self.left * df, 1.0), strict=True)
        return tuple(ScoreVariance(*map(float, each)) for each in both)


class PairAreas(NamedTuple):
    """Areas of two models on the same rows."""

    areas: FloatArray  # (2,)
    covariance: AreaCovariance  # of both and of their difference
    same: bool  # whether all rows contribute the same to both
    notes: tuple[str, ...] = ()


def measure_pair(pair: Pair, part: FprRange | None = None) -> PairAreas:
    """Measure two models on the same rows, once for each pair."""
    known = _list_measured(pair)
    if part not in known:
        known[part] = _measure_pair(pair, part)
    return known[part]


@once_for_each
def _list_measured(pair: Pair) -> dict[FprRange | None, PairAreas]:
    return {}


def _measure_pair(pair: Pair, part: FprRange | None) -> PairAreas:
    is_positive, models = pair.one.is_positive, (pair.one, pair.two)
    plain = pair.drawn.clusters is None and pair.drawn.weights is None and pair.drawn.strata is None
    if plain and part is None:
        # In integers and piece by piece: a third of the time, and no influences in memory.
        wins = [count_wins(is_positive, rows.values) for rows in models]
        areas, pos, neg = compute_pair_products(is_positive, wins)
        cases = CaseNumbers(float(pair.one.n_pos), float(pair.one.n_neg))
        few = correct_few(cases.n_pos), correct_few(cases.n_neg)
        parts = AreaCovariance(few[0] * pos, few[1] * neg, np.zeros((3, 3)), cases, cases)
        return PairAreas(areas, parts, bool(areas[0] == areas[1] and not parts.total[2, 2]))
    design, curves = RowDesign.of_pair(pair), pair.curves
    cases = count_cases_inside(curves, part or (0.0, 1.0))[part is not None]
    placed = [place_rows(roc, rows, part) for roc, rows in zip(curves, models, strict=True)]
    gap = placed[0][1] - placed[1][1]
    each = [design.split(values) for values in (placed[0][1], placed[1][1], gap)]
    columns = tuple(np.stack(side, axis=1) for side in zip(*each, strict=True))
    return PairAreas(
        np.array([area for area, _ in placed]),
        AreaCovariance.from_parts(design, columns, cases),
        not gap.any(),
        design.describe_classes(gap, each[2]),
    )


def place_rows(roc: RocCurve, rows: Rows, part: FprRange | None = None) -> tuple[float, FloatArray]:
    """Area under a curve, and the influence of each of its rows."""
    area, pos, neg = measure_curve(roc, part)
    step = find_steps(roc, rows.values)
    return area, np.where(rows.is_positive, pos[step], neg[step])


def measure_curve(roc: RocCurve, part: FprRange | None) -> tuple[float, FloatArray, FloatArray]:
    """Area under a curve, and the influence of a positive and of a negative at each step."""
    if part is None:
        return roc.auc, *compute_curve_placements(roc)
    pos, neg = compute_truncated_placements(roc, part)
    return compute_area(roc, part) / part.width, pos / part.width, neg / part.width


class SetArea(NamedTuple):
    """The area of one of two test sets."""

    area: float
    variance: float
    score: ScoreVariance  # unit variance
    cases: CaseNumbers
    df: float  # of the variance, for Welch's test
    # The design and sums of influences over its units; only where counts do not suffice.
    sums: tuple[RowDesign, Parts] | None = None
    notes: tuple[str, ...] = ()


def measure_set(roc: RocCurve, part: FprRange | None = None, *, summed: bool = False) -> SetArea:
    """Measure one test set; `summed`: whether sums of its units are needed."""
    whole, inside = count_cases_inside((roc,), part or (0.0, 1.0))
    cases, df = whole if part is None else inside, roc.n_pos + roc.n_neg - 1.0
    if roc.independent and part is None and not summed:
        variance = 0.0
        if min(roc.n_pos, roc.n_neg) > 1:  # one case has no spread
            variance = variance_from_moments(compute_area_moments(roc), roc.n_pos, roc.n_neg)
        return SetArea(roc.auc, variance, estimate_curve_variance(roc), cases, df)
    design = RowDesign.of_curve(roc)
    area, pos, neg = measure_curve(roc, part)
    values = design.place(pos, neg)
    parts = design.split(values)
    columns = tuple(side[:, None] for side in parts)
    score = AreaCovariance.from_parts(design, columns, cases).estimate_each(np.array([area]))[0]
    if not roc.independent:
        df = float(design.spare(max(design.units[2].df - 1.0, 1.0)))
    notes = design.describe_classes(values, parts)
    return SetArea(area, design.find_variance(parts), score, cases, df, (design, parts), notes)


def measure_sets(pair: Pair, part: FprRange | None = None) -> tuple[tuple[SetArea, SetArea], float]:
    """Measure two test sets, and the covariance of their areas by clusters that are in both."""
    summed = pair.common_clusters is not None
    one, two = (measure_set(roc, part, summed=summed) for roc in pair.curves)
    if not summed or one.sums is None or two.sums is None:
        return (one, two), 0.0
    (first, z_one), (second, z_two) = one.sums, two.sums
    return (one, two), find_set_covariance(pair, (first, second), z_one, z_two)
