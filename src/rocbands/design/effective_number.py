"""Effective numbers of rows for a mean, as for the limits of a share.

A mean of values x between -c and c, over rows with shares s, has the spread S = sum s (x - mean)^2
and the variance V = <z, z> with z_g = sum s (x - mean) over each unit
(:mod:`rocbands.design.row_design`). The number of independent rows of equal weight with the same
variance is S / V. One pseudo unit is added, which is c away from the mean, because what few rows
show may not have been drawn:

    n = (S + c^2 u) / (V + c^2 u^2) few(N) / few(K),   u = max(u0, I / sum s) C / I,        (D9)
    I = sum s_i^2,   C = sum_g (sum s_i)^2   over the rows of a pool.

Its weight u is that of a typical row of the pool, times the clustering there. The pool has the rows
of the rarer side: with x not 0, or, if their share is above one half, with x = 0. If these are
fewer than 20, it has the 20 rows that come nearest to the rarer side, ties together. u0 is the
weight of a row near the threshold, of both classes (:func:`weigh_near`): it shows heavy rows that a
class may have there although none was drawn. With clusters V is at least half of single rows'.

For n independent rows of equal weight u = 1 / n, and the number is n. It replaces the number of
rows in Wilson's, Tango's and the likelihood limits; a number of events becomes n times a share.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rocbands.core.checks import BoolArray, FloatArray, IndexArray
from rocbands.core.tolerance import SAME
from rocbands.design.row_design import RowDesign, SumsAbove, Units

POOL = 20  # least number of rows of a pool, and of rows near a threshold
SLICES = 20  # of the score axis, in which mean weights of the classes are compared


class Pool(NamedTuple):
    """Sums over the rows of a pool: numbers, or arrays for several thresholds."""

    share: Any  # sum s_i
    squares: Any  # I
    units: Any  # C


def count_effective(
    spread: Any,
    variance: Any,
    pool: Pool,
    units: Units,
    *,
    unit: Any = 0.0,
    scale: Any = 1.0,
    single: Any = 0.0,
) -> Any:
    """Effective number of rows, formula (D9).

    `unit`: u0. `scale`: c. `single`: with clusters, the variance if rows were single.
    """
    of_pool = np.divide(pool.squares, pool.share)
    weight = np.maximum(of_pool, unit) * np.divide(pool.units, pool.squares)
    variance = np.maximum(variance, np.divide(single, 2.0))
    number = (spread + scale**2 * weight) / (variance + scale**2 * weight**2)
    return number / units.correction


def find_effective(
    design: RowDesign,
    share: FloatArray,
    values: FloatArray,
    *,
    mean: float | None = None,
    key: FloatArray | None = None,
    pool: BoolArray | None = None,
    scale: float = 1.0,
    unit: float = 0.0,
) -> tuple[float, FloatArray]:
    """Effective number of rows for the mean of `values`, and the sums z over units.

    `share` (n,): 0 for rows that the mean is not over. `mean`: if known. `key`: rows with a large
    one come nearest to values that are not 0. `pool`: the rows of the pool, if known.
    """
    mean = float(share @ values) if mean is None else mean
    away = values - mean
    z = design.add_up(share, away)
    if pool is None:
        pool = choose_pool(design, share, np.abs(values) / scale, key)
    sums = sum_pool(design, share * pool)
    single = 0.0
    if design.clustered:
        single = float((share * away) @ (share * away))
    number = count_effective(
        float(share @ away**2),
        float(design.multiply(z, z)),
        sums,
        design.count_units(share),
        unit=unit,
        scale=scale,
        single=single,
    )
    return float(number), z


def choose_pool(
    design: RowDesign, share: FloatArray, size: FloatArray, key: FloatArray | None
) -> BoolArray:
    """Choose the rows of the rarer side, or those with the largest key; `size`: abs(x) / c."""
    inside, common = share > 0.0, float(share @ size) > 0.5 + SAME
    pool = inside & ((size < 0.5 - SAME) if common else (size > 0.0))
    rows = design.rows
    if float(rows @ pool) >= POOL:
        return np.asarray(pool)
    if key is None or float(rows @ inside) <= POOL:
        return np.asarray(inside)
    near = np.where(inside, -key if common else key, -np.inf)
    return np.asarray(near >= find_twentieth(near, rows * inside))


def find_twentieth(near: FloatArray, rows: FloatArray) -> float:
    """Largest value that at least 20 rows have or exceed; entries have several rows, or none."""
    near = np.where(rows > 0.0, near, -np.inf)
    largest = np.argpartition(near, -POOL)[-POOL:] if near.size > POOL else np.arange(near.size)
    largest = largest[np.argsort(-near[largest])]
    return float(near[largest[np.searchsorted(np.cumsum(rows[largest]), POOL)]])


def sum_pool(design: RowDesign, share: FloatArray) -> Pool:
    """Add up the rows whose share is not 0."""
    units = float(np.sum(design.add_up(share) ** 2))
    single = units if design.tied is not None else float(share @ share)
    return Pool(float(share.sum()), single, units)


# ------------------------------------------------------------------- weights near a threshold


class NearWeights(NamedTuple):
    """Weight of a row near each threshold, relative to positives, to negatives and to all rows."""

    pos: FloatArray
    neg: FloatArray
    all: FloatArray


def weigh_near(
    design: RowDesign, steps: Sequence[IndexArray], vertices: Sequence[IndexArray]
) -> NearWeights:
    """Weight of a row near each of k thresholds, from rows of both classes.

    Over the 20 rows nearest by rank, ties together, sum w^2 / sum w. The other class's weights are
    multiplied by the ratio of mean weights at equal scores. With two models, rows near to either
    model's threshold count.

    `steps`: of each model, the step of each entry, from the highest score. `vertices`: of each
    model, (k,) number of steps above each threshold.
    """
    of_pos, of_neg = (
        float(design.weight @ own) for own in (design.is_positive, ~design.is_positive)
    )
    if not design.weighted:
        sizes = (np.full(vertices[0].size, 1.0 / units.rows) for units in design.units)
        return NearWeights(*sizes)
    above = [design.sums_above] if steps[0] is design.step else [*map(design.sum_above, steps)]
    ratios = [
        compare_weights(model.rows[0], model.weight[0], model.rows[1], model.weight[1])
        for model in above
    ]
    factor = float(np.exp(np.mean(np.log(ratios))))
    sums = (
        _sum_near(above[0], vertices[0])
        if len(above) == 1
        else _sum_near_either(design, steps, vertices)
    )
    w_pos, w_neg, q_pos, q_neg = sums
    unit = (q_pos + factor**2 * q_neg) / (w_pos + factor * w_neg)
    plain = (q_pos + q_neg) / (w_pos + w_neg)
    return NearWeights(unit / of_pos, unit / factor / of_neg, plain / (of_pos + of_neg))


def _sum_near(above: SumsAbove, vertices: IndexArray) -> FloatArray:
    """Add up the weights, and their squares, of the rows nearest to each threshold, (4, k)."""
    rows = above.rows.sum(axis=0)
    steps = np.arange(1, POOL + 1)  # to either side; every step has a row
    low = np.maximum(vertices[:, None] - steps, 0)
    high = np.minimum(vertices[:, None] + steps, rows.size - 1)
    enough = rows[high] - rows[low] >= min(POOL, rows[-1])
    fewest, thresholds = np.argmax(enough, axis=1), np.arange(vertices.size)
    low, high = low[thresholds, fewest], high[thresholds, fewest]
    sums = (totals[:, high] - totals[:, low] for totals in (above.weight, above.squares))
    return np.concatenate(list(sums))


def _sum_near_either(
    design: RowDesign, steps: Sequence[IndexArray], vertices: Sequence[IndexArray]
) -> FloatArray:
    """Add up the rows nearest to a threshold of either model, (4, k)."""
    squares, is_positive, sums = design.weight**2, design.is_positive, []
    enough, close = min(POOL, is_positive.size), []
    for step, vertex in zip(steps, vertices, strict=True):
        # Every step has a row, so the nearest ones are at most 20 steps away.
        near = np.zeros(int(step.max()) + 2 * POOL + 2, dtype=np.bool_)
        near[(vertex[:, None] + np.arange(2 * POOL)).ravel()] = True
        rows = np.flatnonzero(near[POOL + step])
        close.append((rows, step[rows]))
    for of_models in zip(*vertices, strict=True):
        rows, width = np.zeros(0, dtype=np.intp), 0  # steps to either side
        while rows.size < enough:
            width += 1
            inside = [
                near_rows[(step >= vertex - width) & (step < vertex + width)]
                for (near_rows, step), vertex in zip(close, of_models, strict=True)
            ]
            rows = np.unique(np.concatenate(inside))
        sums.append(
            [
                values[rows] @ of_class[rows]
                for values in (design.weight, squares)
                for of_class in (is_positive, ~is_positive)
            ]
        )
    return np.array(sums).reshape(-1, 4).T


def compare_weights(
    n_pos: FloatArray, w_pos: FloatArray, n_neg: FloatArray, w_neg: FloatArray
) -> float:
    """Ratio of the mean weights of positives and negatives at equal scores (Mantel, Haenszel).

    Cumulative numbers and weights of rows of both classes, along the scores.
    """
    rows = n_pos + n_neg
    slices = min(SLICES, max(1, int(rows[-1]) // 10))
    # Sums up to equal numbers of rows; tied rows are divided between slices in proportion.
    cut = np.linspace(0.0, rows[-1], slices + 1)
    p, wp, n, wn = (np.diff(np.interp(cut, rows, side)) for side in (n_pos, w_pos, n_neg, w_neg))
    of_pos, of_neg = float((wp * n / (p + n)).sum()), float((wn * p / (p + n)).sum())
    if of_pos > 0.0 and of_neg > 0.0:
        return of_pos / of_neg
    return float(w_pos[-1] / n_pos[-1] / (w_neg[-1] / n_neg[-1]))
