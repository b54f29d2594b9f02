"""Areas of models on the same rows or on two test sets, whole or part, and their covariances.

An area over a range of false positive rates is divided by the width of the range, so that it lies
between 0 and 1. Influences of rows are their placements (:mod:`rocbands.core.delong`), truncated
for a range; covariances are those of :mod:`rocbands.design.row_design`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rocbands.core.checks import CountArray, FloatArray, once_for_each
from rocbands.core.delong import (
    compute_area_moments,
    compute_pair_products,
    count_wins,
    variance_from_moments,
)
from rocbands.core.pair import Pair
from rocbands.core.roc import RocCurve
from rocbands.core.rows import Design, Rows
from rocbands.core.score_variance import CaseNumbers, ScoreVariance, estimate_variance
from rocbands.design.effective_sizes import (
    compute_curve_placements,
    count_cases_inside,
    estimate_curve_variance,
)
from rocbands.design.fold_sums import FoldSums, average_area, count_folds, estimate_average, widen
from rocbands.design.row_design import (
    LEAST,
    Parts,
    RowDesign,
    correct_few,
    find_set_covariance,
    find_steps,
)
from rocbands.design.stretch import satterthwaite
from rocbands.resample.areas import FprRange, compute_area, compute_truncated_placements


class FoldTerms(NamedTuple):
    """What folds change in the covariance of areas: formula (F2)."""

    copies: int = 1  # times that each row occurs, where it is unknown which rows are the same
    factor: float = 1.0  # of the variance, for copies and for training rows that folds share
    known: tuple[ScoreVariance, ...] = ()  # unit variance of each model's average


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
    known: tuple[ScoreVariance, ...] = ()  # unit variances of averages over folds

    @classmethod
    def from_parts(
        cls, design: RowDesign, parts: Parts, cases: CaseNumbers, terms: FoldTerms | None = None
    ) -> AreaCovariance:
        """Multiply sums over units; `parts`: (units, k) of positives and of negatives."""
        copies, factor, known = terms or FoldTerms()
        kish = design.units[0].kish / copies, design.units[1].kish / copies
        pos, neg = (
            factor * correct_few(k) * design.multiply(part, part)
            for k, part in zip(kish, parts, strict=True)
        )
        across = np.zeros_like(pos)
        if design.linked:
            across = factor * design.n_units / (design.n_units - 1.0) * design.multiply(*parts)
        return cls(
            *(pos, neg, across + across.T, cases, kish),
            design.n_units if design.linked else 0,
            # Not 0, so that infinite degrees of freedom stay infinite.
            max(design.n_units - design.n_strata, 1e-9) / max(design.n_units - 1.0, 1.0),
            known,
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
        if self.known:
            return self.known
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
    drawn = pair.drawn
    if drawn.folds is None and not drawn.counted and part is None:
        # In integers and piece by piece: a third of the time, and no influences in memory.
        wins = [count_wins(is_positive, rows.values) for rows in models]
        areas, pos, neg = compute_pair_products(is_positive, wins)
        cases = CaseNumbers(float(pair.one.n_pos), float(pair.one.n_neg))
        few = correct_few(cases.n_pos), correct_few(cases.n_neg)
        parts = AreaCovariance(few[0] * pos, few[1] * neg, np.zeros((3, 3)), cases, cases)
        return PairAreas(areas, parts, bool(areas[0] == areas[1] and not parts.total[2, 2]))
    placed = place_models(pair.curves, models, drawn, part)
    gap = placed.values[:, 0] - placed.values[:, 1]
    rows = placed.design
    # Each column for itself: equal columns then have equal sums.
    each = [rows.split(values) for values in (*placed.values.T, gap)]
    columns = tuple(np.stack(side, axis=1) for side in zip(*each, strict=True))
    given = RowDesign.of_pair(pair)
    return PairAreas(
        placed.areas,
        AreaCovariance.from_parts(rows, columns, placed.cases, placed.terms),
        not gap.any(),
        given.describe_classes(gap, given.split(gap)),
    )


class PlacedModels(NamedTuple):
    """Areas of k models, and the influences of the rows that all of them scored."""

    areas: FloatArray  # (k,)
    values: FloatArray  # (n, k) influence of each row
    design: RowDesign  # shares of the rows in the areas
    cases: CaseNumbers  # effective numbers
    terms: FoldTerms


def place_models(
    curves: Sequence[RocCurve], models: Sequence[Rows], drawn: Design, part: FprRange | None = None
) -> PlacedModels:
    """Areas of models on the same rows, or their averages over folds, and all influences.

    `curves`: of the models, with the design of the rows.
    """
    is_positive = models[0].is_positive
    if drawn.folds is not None:
        return _place_in_folds(curves, models, drawn, drawn.folds)
    cases = count_cases_inside(curves, part or (0.0, 1.0))[part is not None]
    placed = [place_rows(roc, rows, part) for roc, rows in zip(curves, models, strict=True)]
    return PlacedModels(
        np.array([area for area, _ in placed]),
        np.stack([values for _, values in placed], axis=1),
        RowDesign.of_rows(is_positive, drawn.weights, drawn.clusters, drawn.strata),
        cases,
        FoldTerms(),
    )


def _place_in_folds(
    curves: Sequence[RocCurve], models: Sequence[Rows], drawn: Design, folds: CountArray
) -> PlacedModels:
    """Average areas over folds, and influences of rows on them: formula (F2)."""
    is_positive, weights, repeats = models[0].is_positive, drawn.weights, drawn.repeats
    widening = widen(count_folds(curves[0].folds, repeats))
    values = np.empty((is_positive.size, len(curves)))
    share = np.ones(is_positive.size) if weights is None else weights.astype(np.float64)
    for code in range(len(curves[0].folds)):
        rows = np.flatnonzero(folds == code)
        for j, (roc, model) in enumerate(zip(curves, models, strict=True)):
            values[rows, j] = place_rows(roc.folds[code], model.take(rows))[1]
        for own in (rows[is_positive[rows]], rows[~is_positive[rows]]):
            share[own] /= share[own].sum()  # every fold has the same weight
    areas = np.array([average_area(roc.folds) for roc in curves])
    effective = [
        FoldSums.add_up(roc.folds, mean).count_cases(mean)
        for roc, mean in zip(curves, areas.tolist(), strict=True)
    ]
    copies = count_copies(drawn.clusters, folds, repeats)
    return PlacedModels(
        areas,
        values,
        RowDesign.of_rows(is_positive, share, drawn.clusters, drawn.strata),
        CaseNumbers(*(np.min(effective, axis=0) / repeats).tolist()),
        FoldTerms(
            copies,
            copies * widening,
            tuple(estimate_average(roc.folds, repeats)[1] for roc in curves),
        ),
    )


def count_copies(clusters: CountArray | None, folds: CountArray, repeats: int) -> int:
    """Count how often a row occurs that is not known to be the same.

    1 if each cluster is in as many folds as there are repetitions: then its sums say how far
    repetitions agree. Else they are taken to agree entirely.
    """
    if clusters is None:
        return repeats
    pairs = np.unique(clusters.astype(np.int64) * (int(folds.max()) + 1) + folds)
    fewest = int(np.unique(pairs // (int(folds.max()) + 1), return_counts=True)[1].min())
    return 1 if fewest == repeats else repeats


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
