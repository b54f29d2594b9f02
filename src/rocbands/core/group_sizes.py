"""How many independent cases rows in groups are worth, at every threshold of a curve.

At a threshold a class has the rate x of rows at or above it. With A_g and B_g rows of group g above
and below, and W = sum (A_g + B_g), the variance of x is V = sum_g (A_g - x (A_g + B_g))^2 / W^2
(the sandwich estimate), and x (1 - x) / V the *local number* of independent cases. In the tails V
rests on few groups. There one pseudo group is added on either side, of the size that the groups of
the 20 outermost rows have, size weighted. The least local number, and the number that unequal
group sizes leave (Kish 1965), W^2 / sum_g (A_g + B_g)^2, bound what the AUC can rest on.

References
----------
Kish (1965), Survey Sampling, Wiley.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rocbands.core.checks import BoolArray, CountArray, FloatArray, IndexArray
from rocbands.core.delong import compute_group_sums, compute_moments
from rocbands.core.roc import RocCurve
from rocbands.core.score_variance import CaseNumbers, ScoreVariance, estimate_variance

TAIL_ROWS = 20  # at least, from which the size of a pseudo group is taken
INNER = (0.05, 0.95)  # rates between which the least local number is sought
MOST_POINTS = 128  # inside a step that has both classes


class _ClassSums(NamedTuple):
    """Running sums of one class at the vertices of a curve."""

    above: FloatArray  # rows at or above the vertex
    # squares_above, squares_below: sum_g A_g^2 and sum_g B_g^2.
    squares_above: FloatArray
    squares_below: FloatArray
    products: FloatArray  # sum_g A_g (A_g + B_g)
    others: FloatArray  # sum_g A_g times the group's rows of the other class
    total_squares: float  # sum_g (A_g + B_g)^2

    @property
    def size(self) -> float:
        """Rows of the class."""
        return float(self.above[-1])

    @property
    def rate(self) -> FloatArray:
        """Share of the rows at or above each vertex."""
        return self.above / self.size

    @property
    def variance(self) -> FloatArray:
        """Sandwich variance of the rate."""
        x = self.rate
        squares = self.squares_above - 2.0 * x * self.products + x**2 * self.total_squares
        return np.maximum(squares, 0.0) / self.size**2

    @property
    def kish(self) -> float:
        """Number of groups of equal size that would be worth as much."""
        return self.size**2 / self.total_squares


def estimate_curve_variance(roc: RocCurve, sizes: CaseNumbers | None = None) -> ScoreVariance:
    """Estimate the unit variance of a curve's AUC, with or without groups.

    `roc`: the curve; its counts are of single scores. `sizes`: numbers of independent cases, if
    they are known already.
    """
    sizes = count_independent_cases(roc) if sizes is None else sizes
    groups = roc.groups
    if groups is None or groups.size == roc.n_pos + roc.n_neg:
        moments = compute_moments(roc)
        return estimate_variance(roc.auc, moments.pos, moments.neg, sizes)
    sums = compute_group_sums(roc)
    pos, neg = sums.pos / roc.n_pos, sums.neg / roc.n_neg
    return estimate_variance(
        roc.auc,
        # Sums of squares over the class size, as if there were so many cases.
        sizes.n_pos * float(pos @ pos),
        sizes.n_neg * float(neg @ neg),
        sizes,
        across=2.0 * float(pos @ neg),
        n_groups=groups.size,
    )


def count_independent_cases(roc: RocCurve) -> CaseNumbers:
    """Count the independent positives and negatives that a curve is worth."""
    groups = roc.groups
    if groups is None or groups.size == roc.n_pos + roc.n_neg:
        return CaseNumbers(float(roc.n_pos), float(roc.n_neg))
    size, code, step = groups.size, groups.code, groups.step
    # Rows by group, from the highest score down; `pos` and `neg` count the group's earlier rows.
    order = np.lexsort((step, code))
    code, step, is_pos = code[order], step[order], groups.is_positive[order]
    first = np.flatnonzero(np.diff(code, prepend=-1))
    before = {True: _count_before(is_pos, first), False: _count_before(~is_pos, first)}
    totals = {kind: np.bincount(code, is_pos == kind, size) for kind in (True, False)}

    def add_up(values: FloatArray) -> FloatArray:
        by_step = np.bincount(step, values, roc.fp.size)
        return np.concatenate(([0.0], np.cumsum(by_step)))

    sums = []
    for kind in (True, False):
        own = (is_pos == kind).astype(np.float64)
        earlier, whole = before[kind], totals[kind][code]
        # (A + 1)^2 - A^2 = 2 A + 1: what one more row adds to its group's square.
        below = add_up(own * (2.0 * (whole - earlier - 1.0) + 1.0))
        sums.append(
            _ClassSums(
                add_up(own),
                add_up(own * (2.0 * earlier + 1.0)),
                below[-1] - below,
                add_up(own * whole),
                add_up(own * totals[not kind][code]),
                float(totals[kind] @ totals[kind]),
            )
        )
    both = add_up(np.where(is_pos, before[False], before[True]))  # sum_g of A_pos A_neg
    shared = float(totals[True] @ totals[False])
    counts = [one.above for one in sums]
    mixed = (np.diff(counts[0]) > 0) & (np.diff(counts[1]) > 0)
    if mixed.any():
        at, part = _place_points(mixed, counts[0] + counts[1])
        sums = [_interpolate(one, at, part) for one in sums]
        both, counts = _mix(both, at, part), [count[at] for count in counts]
    correlation = _correlate(sums, both, shared, counts)
    numbers = [
        _find_least_number(one, count, correlation) for one, count in zip(sums, counts, strict=True)
    ]
    return CaseNumbers(*numbers)


def _count_before(chosen: BoolArray, first: IndexArray) -> FloatArray:
    """Count the chosen rows before each row in its group, whose first rows are given."""
    earlier: CountArray = np.cumsum(chosen) - chosen
    sizes = np.diff(np.append(first, chosen.size))
    return (earlier - np.repeat(earlier[first], sizes)).astype(np.float64)


def _place_points(mixed: BoolArray, rows: FloatArray) -> tuple[IndexArray, FloatArray]:
    """Place points inside the steps that have both classes, where the curve is slanted.

    Their number follows the noise, which the rows of the step determine. Returns the vertex before
    each point and how far it lies on the way to the next one.
    """
    noise = np.clip(8.0 * np.sqrt(np.diff(rows)), 8.0, MOST_POINTS)
    points = np.where(mixed, noise.astype(np.int64), 1)
    points = np.append(points, 1)  # the last vertex
    at = np.repeat(np.arange(points.size), points)
    place = np.arange(at.size) - np.repeat(np.cumsum(points) - points, points)
    return at, place / points[at]


def _mix(values: FloatArray, at: IndexArray, part: FloatArray) -> FloatArray:
    """Interpolate between vertices."""
    after = np.minimum(at + 1, values.size - 1)
    mixed: FloatArray = (1.0 - part) * values[at] + part * values[after]
    return mixed


def _interpolate(sums: _ClassSums, at: IndexArray, part: FloatArray) -> _ClassSums:
    above, squares_above, squares_below, products, others, total_squares = sums
    return _ClassSums(
        _mix(above, at, part),
        _mix(squares_above, at, part),
        _mix(squares_below, at, part),
        _mix(products, at, part),
        _mix(others, at, part),
        total_squares,
    )


def _correlate(
    sums: list[_ClassSums], both: FloatArray, shared: float, counts: list[FloatArray]
) -> FloatArray:
    """Correlate the two classes' rates through the groups that have both; 0 without any."""
    pos, neg = sums
    if shared == 0.0:
        return np.zeros(both.size)
    x, y = neg.rate, pos.rate
    covariance = both - x * pos.others - y * neg.others + x * y * shared
    scale = np.sqrt(pos.variance * neg.variance) * (pos.size * neg.size)
    inner = scale > 0.0
    for count in counts:
        inner &= (count > 0) & (count < count[-1])
    ratio = np.divide(covariance, scale, out=np.zeros(both.size), where=inner)
    return np.clip(ratio, -1.0, 1.0)


def _find_least_number(sums: _ClassSums, count: FloatArray, correlation: FloatArray) -> float:
    """Find the least local number of independent cases of a class between the inner rates."""
    size, kish, x = sums.size, sums.kish, sums.rate
    i, rows = np.arange(count.size), min(TAIL_ROWS, count[-1])
    below = size - sums.above
    far_above = np.maximum(i, np.searchsorted(count, rows))
    far_below = np.minimum(i, np.searchsorted(count, count[-1] - rows, "right") - 1)
    # Size of a pseudo group, and the mean size of groups with it, size weighted: om = C / W.
    unit_above = sums.squares_above[far_above] / sums.above[far_above]
    unit_below = sums.squares_below[far_below] / below[far_below]
    size_above = (sums.squares_above + unit_above**2) / (sums.above + unit_above)
    size_below = (sums.squares_below + unit_below**2) / (below + unit_below)
    # Groups on both sides of a threshold make V smaller than that of two separate sides; it is not
    # taken to be below half that of single rows.
    apart = ((1.0 - x) ** 2 * sums.squares_above + x**2 * sums.squares_below) / size**2
    single = ((1.0 - x) ** 2 * sums.above + x**2 * below) / size**2
    inside = (sums.above > 0) & (below > 0)
    design = np.ones(x.size)
    np.divide(np.maximum(sums.variance, single / 2.0), apart, out=design, where=inside)
    # Few groups; and where groups raise one rate as they lower the other, the worst slope.
    design *= kish / max(kish - 1.0, 0.5) * (1.0 - 1.0 / size) * (1.0 + np.maximum(0, -correlation))
    if size == 1.0:
        return 1.0
    numbers = size / ((1.0 - x) * size_above + x * size_below) / design
    inner = (x > INNER[0]) & (x < INNER[1])
    inner[1:] &= np.diff(sums.above) > 0
    inner[0] = False
    least = float(numbers[inner].min()) if inner.any() else kish
    return max(min(kish, least), 1.0)
