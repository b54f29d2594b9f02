"""Placements of rows within the folds of a cross-validation, for the mean of the folds' AUCs.

Scores of different folds come from different models and are never compared. Rows may have weights,
clusters within folds, and strata: sums over clusters (:mod:`rocbands.design.row_design`) then
replace single placements.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rocbands.core.checks import FloatArray
from rocbands.core.delong import compute_area_moments
from rocbands.core.roc import RocCurve
from rocbands.core.score_variance import CaseNumbers, ScoreVariance, estimate_variance
from rocbands.core.tolerance import SAME
from rocbands.design.row_design import RowDesign, correct_few
from rocbands.errors import InputError

# Squared standard errors between the AUC and 1/2 at which half of the widening of (F1) is left.
_HALF_WIDENED = 10.0


class FoldSums(NamedTuple):
    """Placements of each fold about a value: sums over units; columns are both classes."""

    rows: FloatArray  # (folds, 2) numbers of rows
    spread: FloatArray  # (folds, 2) mean squares
    square: FloatArray  # (folds, 2) sums of squares over units, of shares of the class
    across: FloatArray  # (folds,) sums of products of both classes
    kish: FloatArray  # (folds, 2) Kish's numbers of units, and of rows
    kish_rows: FloatArray
    units: FloatArray  # (folds,) clusters, or rows
    strata: FloatArray  # (folds,)

    @classmethod
    def add_up(cls, folds: Sequence[RocCurve], about: float | None = None) -> FoldSums:
        """Add up about the mean AUC, or by default about the AUC of each fold."""
        found: list[tuple[Any, ...]] = []
        for fold in folds:
            centre, sizes = fold.auc if about is None else about, (fold.n_pos, fold.n_neg)
            if fold.independent:
                moments, rows = compute_area_moments(fold), np.array(sizes, dtype=np.float64)
                spread = np.array((moments.pos, moments.neg)) + (fold.auc - centre) ** 2
                found.append((rows, spread, spread / rows, 0.0, rows, rows, rows.sum(), 1))
                continue
            design, x, y = RowDesign.of_curve(fold), fold.fpr, fold.tpr
            away = design.place(1.0 - (x[1:] + x[:-1]) / 2.0, (y[1:] + y[:-1]) / 2.0) - centre
            shares = design.pos, design.neg
            one, two = (design.add_up(share, away) for share in shares)
            found.append(
                (
                    sizes,
                    [share @ away**2 for share in shares],
                    [design.multiply(one, one), design.multiply(two, two)],
                    design.multiply(one, two),
                    [units.kish for units in design.units[:2]],
                    [units.rows for units in design.units[:2]],
                    design.n_units,
                    design.n_strata,
                )
            )
        return cls(*(np.array(column, np.float64) for column in zip(*found, strict=True)))

    def count_cases(self, mean: float) -> FloatArray:
        """Effective numbers of both classes, formula (D9); every unit belongs to the pool.

        The spread S of a fold counts as in the variance V, by the reciprocal number of its rows:
        otherwise a small fold without errors would make n = S / V too large.
        """
        kish, rows = (1.0 / add_variances(1.0 / each) for each in (self.kish, self.kish_rows))
        unit = max(mean * (1.0 - mean), 1e-9) / kish
        number = np.average(self.spread, axis=0, weights=1.0 / self.rows) + unit
        number /= add_variances(self.square) + unit / kish
        return np.asarray(np.maximum(number * correct_few(rows) / correct_few(kish), 1.0))

    @property
    def spare(self) -> float:
        """Part of the degrees of freedom that strata leave."""
        units = float((self.units - 1.0).sum())  # 0 if each fold is one cluster
        return float((self.units - self.strata).sum()) / units if units else 1.0


def add_variances(variances: FloatArray) -> FloatArray:
    """Variance of the mean over independent folds, which count equally, of whatever size."""
    return np.asarray(variances.sum(axis=0) / len(variances) ** 2)


def average_area(folds: Sequence[RocCurve]) -> float:
    """Compute the mean of the folds' AUCs."""
    return float(np.mean([fold.auc for fold in folds]))


def find_spread(values: Sequence[float]) -> float:
    """Compute the standard deviation of one number of each fold."""
    spread = float(np.std(values, ddof=1))
    return spread if spread > SAME else 0.0  # of equal numbers it is a rounding error


def count_folds(folds: Sequence[RocCurve], repeats: int) -> float:
    """Count the folds of one repetition."""
    total = len(folds)
    if total % repeats or total // repeats < 2:
        raise InputError(
            f"must divide the {total} folds into repetitions of two or more",
            f"got {repeats!r}",
            argument="repeats",
        )
    return total / repeats


def widen(count: float) -> float:
    """Nadeau and Bengio's factor of a variance over k folds that share training rows."""
    return 1.0 + count / (count - 1.0)


def estimate_average(folds: Sequence[RocCurve], repeats: int) -> tuple[float, ScoreVariance]:
    """Mean of the AUCs, their unit variance, and its degrees of freedom: formula (F1)."""
    count, mean = count_folds(folds, repeats), average_area(folds)
    sums = FoldSums.add_up(folds, mean)
    sizes = sums.count_cases(mean)
    pos, neg = sizes * add_variances(sums.square)
    cases = CaseNumbers(*(sizes / repeats).tolist())
    across = 2.0 * repeats * float(add_variances(sums.across))
    units = int(sums.units.sum()) // repeats
    found = estimate_variance(mean, pos, neg, cases, across=across, n_clusters=units * bool(across))
    unit, df = float(found.unit), float(found.df) * sums.spare
    z_square = (mean - 0.5) ** 2 / (unit / 4.0)
    widened = 1.0 + (widen(count) - 1.0) / (1.0 + z_square / _HALF_WIDENED)
    return mean, ScoreVariance(unit * widened, df)
