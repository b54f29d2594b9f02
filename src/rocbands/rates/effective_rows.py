"""Effective numbers of rows for the recall at a rate, where rows have a design.

The recall v at a rate r is a mean over all rows: to first order a row adds

    e = y (c - v) - l (c - r)   to   prevalence (recall - v),

with c the fraction of it that is acted on, and l the share of positives close to the threshold. So
its effective number of rows is that of e, whose mean is 0 (:mod:`rocbands.design.effective_number`,
with the rows acted on as the pool).

Only a share f of the rows at a threshold may be acted on. Their sums over units are A + f B, with A
of the rows above and B of those at the threshold, and products of sums are

    (1 - f) <A, A> + f <A + B, A + B> - f (1 - f) <B, B>,

formula (R6) of docs/formulas.md.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rocbands.core.checks import FloatArray
from rocbands.core.roc import RocCurve
from rocbands.core.tolerance import SAME
from rocbands.design.called_sums import CALLED, SPARED, CalledSums
from rocbands.design.effective_number import Pool, count_effective
from rocbands.design.paired_sums import sum_between
from rocbands.design.row_design import RowDesign


class EffectiveRows(NamedTuple):
    """Effective numbers at k rates."""

    design: RowDesign
    recall: FloatArray  # (k,) for the recall
    specificity: FloatArray  # (k,) for the share of negatives that are not acted on


def count_effective_rows(roc: RocCurve, rates: FloatArray, near: FloatArray) -> EffectiveRows:
    """Count the effective rows at each rate; `near`: share of positives close to the threshold."""
    design = RowDesign.of_curve(roc)
    step = design.step
    assert step is not None
    up = design.ladder.weight.sum(axis=0)
    up /= up[-1]
    last = np.minimum(np.searchsorted(up, rates + SAME, side="right") - 1, up.size - 2)
    part = np.clip((rates - up[last]) / (up[last + 1] - up[last]), 0.0, 1.0)
    part[part < SAME] = 0.0
    k, ends = rates.size, np.concatenate((last, last + (part > 0.0)))
    sums = CalledSums.add_up(design, ends)
    tied = _sum_tied(design, last)
    f, g = part[:, None, None], (part * (1.0 - part))[:, None, None]
    products, single = (
        (1.0 - f) * both[:k] + f * both[k:] - g * own
        for both, own in zip((sums.products, sums.single), tied, strict=True)
    )
    above, upto, total = sums.weights[:k, :2], sums.weights[k:, :2], sums.weights[:k, 2:]
    mass = float(total[0].sum())
    tpr, fpr = ((above + part[:, None] * (upto - above)) / total).T

    def count(pos: FloatArray, neg: FloatArray, side: tuple[float, ...], at: slice) -> FloatArray:
        """Effective number for y (c + pos) + (1 - y) neg - l (c - r)."""
        slope = np.stack((1.0 - near, -near), 1)
        start = np.stack((pos, neg), 1) + (near * rates)[:, None]
        z = np.concatenate((slope, start), 1) / mass
        # Rows above the threshold, at it and below it.
        kinds = ((above, 1.0), (upto - above, part[:, None]), (total - upto, 0.0))
        spread = sum((rows * (start + c * slope) ** 2).sum(axis=1) for rows, c in kinds) / mass
        pool = Pool(
            sums.weights[at] @ side / mass,
            *(
                np.einsum("i,kij,j->k", side, gram[at], side) / mass**2
                for gram in (sums.single, sums.units)
            ),
        )
        variance, alone = (np.einsum("ki,kij,kj->k", z, m, z) for m in (products, single))
        units = design.units[2]
        with np.errstate(divide="ignore", invalid="ignore"):  # an empty pool at rates 0 and 1
            alone = alone if design.grouped else 0.0
            number = count_effective(spread, variance, pool, units, single=alone)
        return np.asarray(np.where(pool.share > 0.0, number, units.kish))

    none = np.zeros(k)
    return EffectiveRows(
        design,
        count(-tpr, none, CALLED, slice(k, None)),
        count(-rates, fpr - rates, SPARED, slice(k)),
    )


def _sum_tied(design: RowDesign, steps: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Products <B, B> of the rows at some steps, in all units and if rows were units."""
    assert design.step is not None
    cut, place = np.unique(steps, return_inverse=True)
    at = np.searchsorted(cut, design.step)
    rows = np.flatnonzero(cut[np.minimum(at, cut.size - 1)] == design.step)
    kind = np.where(design.is_positive[rows], 0, 1)
    ends = at[rows], at[rows] + 1
    _, _, products, _, single = sum_between(design, rows, ends, kind, (0, 1), cut.size)
    for gram in (products, single):
        gram[:, 2:] = gram[:, :, 2:] = 0.0
    return products[place], single[place]
