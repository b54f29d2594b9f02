"""How many independent rows weighted or dependent rows are worth, at every threshold of a curve.

At a threshold a class has the rate x: the weights at or above it, over the sum W of all. With the
weights A_g above and B_g below of group g, the variance of x is estimated by the sandwich
V = sum_g (A_g - x (A_g + B_g))^2 / W^2. A rate is a ratio of two sides, and each has a number of
*effective rows*: its weight over the typical weight sum A_g^2 / sum A_g of its units. In the tails
few units have been seen, so one pseudo unit is added on either side. Its weight is that of the 20
outermost rows of both classes, because a class may not have shown its heavy rows yet, times the
clustering of the own class there. V then corrects for groups that lie on both sides.

Every sum is a running sum: a row of weight w whose group has A_g above it adds 2 w A_g + w^2 to
sum A_g^2, and so on; one sort by group and score finds all A_g.

References
----------
Kish (1965), Survey Sampling, Wiley.
Korn and Graubard (1998), Confidence intervals for proportions with small expected number of
positive counts estimated from survey data, Survey Methodology 24, 193-201.
Binder (1983), On the variances of asymptotically normal estimators from complex surveys,
International Statistical Review 51, 279-292.
Mantel and Haenszel (1959), Statistical aspects of the analysis of data from retrospective studies
of disease, Journal of the National Cancer Institute 22, 719-748.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.special import betaincinv, stdtrit

from rocbands.core.checks import BoolArray, FloatArray, IndexArray
from rocbands.core.counts import Groups
from rocbands.core.delong import compute_moments
from rocbands.core.roc import RocCurve
from rocbands.core.score_variance import CaseNumbers, ScoreVariance, estimate_variance

TAIL_ROWS = 20  # at least, from which the weight of a pseudo unit is taken
INNER = (0.05, 0.95)  # rates between which the least local number is sought
MOST_POINTS = 128  # inside a step that has both classes
SLICES = 20  # of the score axis, in which mean weights of the classes are compared


@dataclass(frozen=True, slots=True)
class _Sums:
    """Running sums of one class at the vertices of a curve, from the origin.

    Attributes
    ----------
    rows, above, squares_above : ndarray
        Rows at or above the vertex, the sum of their weights, and of the squares of these.
    below, squares_below : ndarray
        The same below it, added up from the bottom: differences would lose light rows.
    groups_above, groups_below : ndarray
        sum_g A_g^2 and sum_g B_g^2; the squares, where each row is its own group.
    products : ndarray
        sum_g A_g W_g, with W_g = A_g + B_g.
    others : ndarray
        sum_g A_g times the weight of the group's rows of the other class.
    total : float
        sum_g W_g^2.
    strata : (ndarray, ndarray, float) or None
        What takes the place of `groups_above`, `products` and `total` where there are strata.
    """

    rows: FloatArray
    above: FloatArray
    squares_above: FloatArray
    below: FloatArray
    squares_below: FloatArray
    groups_above: FloatArray
    groups_below: FloatArray
    products: FloatArray
    others: FloatArray | None
    total: float
    strata: tuple[FloatArray, FloatArray, float] | None = None

    @property
    def rate(self) -> FloatArray:
        return np.asarray(np.minimum(self.above / self.above[-1], 1.0))

    def variance(self, *, strata: bool = False) -> FloatArray:
        """Sandwich variance of the rate."""
        x, parts = self.rate, (self.groups_above, self.products, self.total)
        if strata and self.strata is not None:
            parts = self.strata
        squares = parts[0] - 2.0 * x * parts[1] + x**2 * parts[2]
        return np.asarray(np.maximum(squares, 0.0) / self.above[-1] ** 2)

    def between(self, at: IndexArray, part: FloatArray) -> _Sums:
        """Interpolate all sums."""

        def mix(values: FloatArray) -> FloatArray:
            after = np.minimum(at + 1, values.size - 1)
            mixed: FloatArray = (1.0 - part) * values[at] + part * values[after]
            return mixed

        return _Sums(
            self.rows[at],  # tied rows together
            mix(self.above),
            mix(self.squares_above),
            mix(self.below),
            mix(self.squares_below),
            mix(self.groups_above),
            mix(self.groups_below),
            mix(self.products),
            None if self.others is None else mix(self.others),
            self.total,
            self.strata and (mix(self.strata[0]), mix(self.strata[1]), self.strata[2]),
        )


class ClassSizes(NamedTuple):
    """What one class is worth at each vertex.

    Attributes
    ----------
    rate : ndarray
        The weighted rate.
    k, size : ndarray
        Effective rows above the vertex, and in all.
    odds : ndarray
        Typical weight below over that above. A true rate u is P = odds u / (1 - u + odds u) on the
        scale of rows; k / size is the observed rate on that scale.
    number : ndarray
        Local number of independent rows: x (1 - x) / V, with the pseudo units.
    mass : ndarray
        Weight of the class at each vertex.
    kish, kish_rows : float
        Number of units, and of rows, of equal weight that would be worth as much (Kish 1965).
    """

    rate: FloatArray
    k: FloatArray
    size: FloatArray
    odds: FloatArray
    number: FloatArray
    mass: FloatArray
    kish: float
    kish_rows: float

    @property
    def turned(self) -> ClassSizes:
        """The class counted from the lowest score up."""
        rest = (self.size - self.k)[::-1]
        mass = np.append(0.0, self.mass[:0:-1])
        rate, odds = 1.0 - self.rate[::-1], 1.0 / self.odds[::-1]
        sizes = self.size[::-1], odds, self.number[::-1], mass
        return ClassSizes(rate, rest, *sizes, self.kish, self.kish_rows)

    @property
    def least(self) -> float:
        """Least local number between the inner rates; Kish's number if no vertex lies there."""
        inner = (self.rate > INNER[0]) & (self.rate < INNER[1]) & (self.mass > 0.0)
        return float(self.number[inner].min()) if inner.any() else self.kish

    @property
    def mean(self) -> float:
        """Mean local number along the curve, as variances add up."""
        noise = self.mass * self.rate * (1.0 - self.rate)
        total = float(noise.sum())
        return total / float((noise / self.number).sum()) if total > 0.0 else self.kish


@dataclass(frozen=True, eq=False)
class EffectiveSizes:
    """What both classes are worth at each vertex of a curve.

    Attributes
    ----------
    neg, pos : ClassSizes
        The classes.
    correlation : ndarray
        Of the two rates at each vertex, through groups that have both classes.
    n_groups : int
        Number of groups; 0 where rows are independent.
    vertices : ndarray of int
        Where the curve's own vertices are, among those that tied steps were given.
    """

    neg: ClassSizes
    pos: ClassSizes
    correlation: FloatArray
    n_groups: int
    vertices: IndexArray

    @property
    def mirrored(self) -> EffectiveSizes:
        """The sizes for swapped classes and negated scores."""
        neg, pos = (one.turned for one in (self.pos, self.neg))
        vertices = self.correlation.size - 1 - self.vertices[::-1]
        return EffectiveSizes(neg, pos, self.correlation[::-1], self.n_groups, vertices)

    @property
    def case_numbers(self) -> CaseNumbers:
        """Numbers of independent cases that the AUC can rest on."""
        numbers = (max(min(one.kish, one.least), 1.0) for one in (self.pos, self.neg))
        return CaseNumbers(*numbers)

    def describe(self, roc: RocCurve) -> tuple[str, ...]:
        """Say what the rows are worth, and where too few of them carry the result."""
        pairs = (("positives", self.pos, roc.n_pos), ("negatives", self.neg, roc.n_neg))
        given = (("Weights", roc.weights), ("Groups", roc.groups))
        what = " and ".join(name for name, each in given if each is not None).capitalize()
        worth = ", ".join(
            f"{rows} {name} count like {_short(one.mean)} independent ones "
            f"(design effect {rows / one.mean:.3g})"
            for name, one, rows in pairs
        )
        notes = [f"{what}: {worth}."]
        for name, one, rows in pairs:
            if roc.weights is not None and one.least < min(TAIL_ROWS, rows / 2.0):
                notes.append(
                    f"Few {name} carry much weight: at some thresholds they are worth only "
                    f"{one.least:.2g} rows, and limits rest on an assumption about unseen rows."
                )
            if self.n_groups and one.kish < 10.0:
                notes.append(f"Few groups: the {name} come from {one.kish:.2g} of equal size.")
        return tuple(notes)


def _short(number: float) -> str:
    return f"{number:.3g}" if number < 100.0 else f"{number:.0f}"


def find_effective_sizes(roc: RocCurve) -> EffectiveSizes:
    """Find what weighted or grouped rows are worth at every vertex, tied steps subdivided."""
    groups = roc.groups
    pos, neg, shared = _sum_rows(roc) if groups is None else _sum_groups(roc, groups)
    factor = _compare_weights(pos, neg)
    mixed = (np.diff(pos.rows) > 0) & (np.diff(neg.rows) > 0)
    vertices = np.arange(pos.rows.size)
    if mixed.any():
        at, part = _place_points(mixed, pos.rows + neg.rows)
        if shared is not None:
            after = np.minimum(at + 1, shared[0].size - 1)
            shared = (1.0 - part) * shared[0][at] + part * shared[0][after], shared[1]
        pos, neg = pos.between(at, part), neg.between(at, part)
        vertices = np.flatnonzero(part == 0.0)
    correlation = _correlate(pos, neg, shared)
    n_groups = 0 if groups is None else groups.size
    of_neg = _find_sizes(neg, pos, 1.0 / factor, correlation, n_groups > 0)
    of_pos = _find_sizes(pos, neg, factor, correlation, n_groups > 0)
    return EffectiveSizes(of_neg, of_pos, correlation, n_groups, vertices)


def _sum_rows(roc: RocCurve) -> tuple[_Sums, _Sums, None]:
    """Add up independent rows."""
    weights = roc.weights
    assert weights is not None, "rows are weighted or in groups"
    sums = []
    for counts, mass, squares in (
        (roc.tp, weights.pos, weights.pos_squares),
        (roc.fp, weights.neg, weights.neg_squares),
    ):
        up, down = _from_top(squares), _from_bottom(squares)
        sides = _from_top(mass), up, _from_bottom(mass), down
        rows, total = np.concatenate(([0.0], counts)), float(up[-1])
        # Each row is its own group.
        sums.append(_Sums(rows, *sides, up, down, up, None, total))
    return sums[0], sums[1], None


def _add(at: IndexArray, values: FloatArray, size: int) -> FloatArray:
    return np.bincount(at, values, size).astype(np.float64, copy=False)


def _from_top(steps: FloatArray) -> FloatArray:
    return np.concatenate(([0.0], np.cumsum(steps)))


def _from_bottom(steps: FloatArray) -> FloatArray:
    return np.append(np.cumsum(steps[::-1])[::-1], 0.0)


def _sum_groups(roc: RocCurve, groups: Groups) -> tuple[_Sums, _Sums, tuple[FloatArray, float]]:
    """Add up rows in groups; the last are sums and total of products of both classes' weights."""
    n, steps = groups.code.size, roc.fp.size
    # Rows by group, from the highest score down.
    order = np.argsort(groups.code * steps + groups.step, kind="stable")
    code, step, is_pos = groups.code[order], groups.step[order], groups.is_positive[order]
    weight = np.ones(n) if groups.weight is None else groups.weight[order]
    first = np.flatnonzero(np.diff(code, prepend=-1))
    lengths = np.diff(np.append(first, n))
    masses = [np.where(is_pos == kind, weight, 0.0) for kind in (True, False)]
    before = [_add_before(mass, first, lengths) for mass in masses]
    totals = [np.add.reduceat(mass, first) for mass in masses]

    def add_up(values: FloatArray, at: IndexArray) -> FloatArray:
        return _from_top(_add(at, values, steps))

    sums = []
    shared = float(totals[0] @ totals[1])
    for own, other, counts in ((0, 1, roc.tp), (1, 0, roc.fp)):
        rows = np.flatnonzero(is_pos if own == 0 else ~is_pos)
        w, at, group, earlier = weight[rows], step[rows], code[rows], before[own][rows]
        whole = totals[own][group]
        later = np.maximum(whole - earlier - w, 0.0)
        # (A + w)^2 - A^2 = w (2 A + w): what one more row adds to its group's square.
        rise, across = w * (2.0 * earlier + w), w * whole
        mass, squares = (_add(at, values, steps) for values in (w, w * w))
        one = _Sums(
            np.concatenate(([0.0], counts)),
            _from_top(mass),
            _from_top(squares),
            _from_bottom(mass),
            _from_bottom(squares),
            add_up(rise, at),
            _from_bottom(_add(at, w * (2.0 * later + w), steps)),
            add_up(across, at),
            add_up(w * totals[other][group], at) if shared else None,
            float(totals[own] @ totals[own]),
        )
        if groups.stratum is not None:
            scale, share = _stratum_factors(groups.stratum)
            layer = groups.stratum[group]
            by_score = np.argsort(at, kind="stable")
            by_layer = by_score[np.argsort(layer[by_score], kind="stable")]
            start = np.flatnonzero(np.diff(layer[by_layer], prepend=-1))
            earlier = np.empty(w.size)
            sizes = np.diff(np.append(start, w.size))
            earlier[by_layer] = _add_before(w[by_layer], start, sizes)
            of_layer = np.bincount(layer, w, scale.size)
            rise = scale[layer] * rise - share[layer] * w * (2.0 * earlier + w)
            across = scale[layer] * across - share[layer] * w * of_layer[layer]
            all_squares = float(scale[groups.stratum] @ totals[own] ** 2 - share @ of_layer**2)
            one = replace(one, strata=(add_up(rise, at), add_up(across, at), all_squares))
        sums.append(one)
    if not shared:
        return sums[0], sums[1], (np.zeros(steps + 1), 0.0)
    products = weight * np.where(is_pos, before[1], before[0])
    return sums[0], sums[1], (add_up(products, step), shared)


def _add_before(values: FloatArray, first: IndexArray, lengths: IndexArray) -> FloatArray:
    """Add up the values before each row in its group, whose first rows are given."""
    earlier = np.cumsum(values) - values
    return np.asarray(earlier - np.repeat(earlier[first], lengths))


def _stratum_factors(stratum: IndexArray) -> tuple[FloatArray, FloatArray]:
    """Factors q_h of the squares in each stratum, and q_h / G_h of the square of their sum.

    q_h = G_h / (G_h - 1) * (G - 1) / G: a stratum's variance has its own number of groups less one
    as divisor. One group alone has no variance within its stratum and counts in full.
    """
    groups, size = np.bincount(stratum).astype(np.float64), stratum.size
    several = groups > 1
    scale = np.where(several, groups / np.maximum(groups - 1.0, 1.0) * (size - 1.0) / size, 1.0)
    return scale, np.where(several, scale / groups, 0.0)


def _compare_weights(pos: _Sums, neg: _Sums) -> float:
    """Ratio of the mean weights of positives and negatives at equal scores (Mantel, Haenszel)."""
    rows = pos.rows + neg.rows
    n = int(rows[-1])
    slices = min(SLICES, max(1, n // 10))
    cut = np.unique(np.searchsorted(rows, n * np.arange(slices + 1) // slices))
    n_pos, w_pos, n_neg, w_neg = (
        np.diff(side[cut]) for side in (pos.rows, pos.above, neg.rows, neg.above)
    )
    of_pos = float((w_pos * n_neg / (n_pos + n_neg)).sum())
    of_neg = float((w_neg * n_pos / (n_pos + n_neg)).sum())
    if of_pos > 0.0 and of_neg > 0.0:
        return of_pos / of_neg
    return float(pos.above[-1] / pos.rows[-1] / (neg.above[-1] / neg.rows[-1]))


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


def _correlate(pos: _Sums, neg: _Sums, shared: tuple[FloatArray, float] | None) -> FloatArray:
    """Correlate the two classes' rates through the groups that have both; 0 without any."""
    if shared is None or pos.others is None or neg.others is None:
        return np.zeros(pos.above.size)
    both, total = shared
    x, y = neg.rate, pos.rate
    covariance = both - x * pos.others - y * neg.others + x * y * total
    scale = np.sqrt(pos.variance() * neg.variance()) * (pos.above[-1] * neg.above[-1])
    inner = scale > 0.0
    for one in (pos, neg):
        inner &= (one.rows > 0) & (one.rows < one.rows[-1])
    ratio: FloatArray = np.divide(covariance, scale, out=np.zeros(both.size), where=inner)
    return np.clip(ratio, -1.0, 1.0)


def _find_tails(rows: FloatArray) -> tuple[int, int]:
    """First vertex with at least `TAIL_ROWS` rows above it, and last with as many below."""
    least = min(TAIL_ROWS, rows[-1])
    below = np.searchsorted(rows, rows[-1] - least, "right") - 1
    return int(np.searchsorted(rows, least)), int(below)


def _hold(values: FloatArray, before: int, after: int) -> FloatArray:
    """Keep values as they are between two vertices, and what they are there outside."""
    held = values.copy()
    held[:before], held[after + 1 :] = values[before], values[after]
    return held


def _find_sizes(
    own: _Sums, other: _Sums, factor: float, correlation: FloatArray, grouped: bool
) -> ClassSizes:
    """Find effective rows of one class; `factor` times the other's weights are like its own."""
    total, x = float(own.above[-1]), own.rate
    # Weight of a pseudo unit: rows of both classes in the tail, and the own class's clustering.
    far = _find_tails(own.rows + other.rows)
    near = _find_tails(own.rows)
    end = own.rows.size - 1
    with np.errstate(divide="ignore", invalid="ignore"):  # at the ends, which are not kept
        unit_above = own.squares_above + factor**2 * other.squares_above
        unit_above = _hold(unit_above / (own.above + factor * other.above), far[0], end)
        unit_below = own.squares_below + factor**2 * other.squares_below
        unit_below = _hold(unit_below / (own.below + factor * other.below), 0, far[1])
        if grouped:
            unit_above *= _hold(own.groups_above / own.squares_above, near[0], end)
            unit_below *= _hold(own.groups_below / own.squares_below, 0, near[1])
    # Typical weight of a unit with it: om = C / W.
    typical_above = (own.groups_above + unit_above * unit_above) / (own.above + unit_above)
    typical_below = (own.groups_below + unit_below * unit_below) / (own.below + unit_below)
    kish, kish_rows = total**2 / own.total, total**2 / float(own.squares_above[-1])
    design: FloatArray | float = 1.0
    if grouped:
        # Groups on both sides of a threshold make V smaller than that of two separate sides; it is
        # not taken to be below half that of single rows.
        apart = (1.0 - x) ** 2 * own.groups_above + x**2 * own.groups_below
        single = (1.0 - x) ** 2 * own.squares_above + x**2 * own.squares_below
        variance = np.maximum(own.variance(strata=True) * total**2, 0.5 * single)
        design = np.ones(x.size)
        np.divide(variance, apart, out=design, where=(own.above > 0.0) & (own.below > 0.0))
        # Few groups; and where groups raise one rate as they lower the other, the worst slope.
        design *= _few(kish) / _few(kish_rows) * (1.0 + np.maximum(0.0, -correlation))
    k, rest = own.above / typical_above / design, own.below / typical_below / design
    number = total / ((1.0 - x) * typical_above + x * typical_below) / design
    odds, mass = typical_below / typical_above, np.diff(own.above, prepend=0.0)
    return ClassSizes(x, k, k + rest, odds, number, mass, kish, kish_rows)


def _few(units: float) -> float:
    """Factor of a variance whose divisor should have been the number of units less one."""
    return units / max(units - 1.0, 0.5)


def count_independent_cases(roc: RocCurve) -> CaseNumbers:
    """Count the independent positives and negatives that a curve is worth.

    Examples
    --------
    >>> import rocbands as rb
    >>> y, s = [1, 1, 1, 1, 0, 0, 0, 0], [8, 7, 6, 3, 5, 4, 2, 1]
    >>> alone = rb.Sample(y, s, groups=range(8)).roc
    >>> print(count_independent_cases(alone))
    CaseNumbers(n_pos=4.0, n_neg=4.0)
    >>> pairs = rb.Sample(y, s, groups=[1, 1, 2, 2, 3, 3, 4, 4]).roc
    >>> print(count_independent_cases(pairs).n_pos.__round__(2))
    1.33
    """
    if roc.independent:
        return CaseNumbers(float(roc.n_pos), float(roc.n_neg))
    return find_effective_sizes(roc).case_numbers


def estimate_curve_variance(roc: RocCurve, sizes: CaseNumbers | None = None) -> ScoreVariance:
    """Estimate the unit variance of a curve's AUC, with or without groups and weights.

    Parameters
    ----------
    roc : RocCurve
        The curve; its counts are of single scores.
    sizes : CaseNumbers, optional
        Numbers of independent cases, if they are known already.
    """
    sizes = count_independent_cases(roc) if sizes is None else sizes
    if roc.independent:
        moments = compute_moments(roc)
        return estimate_variance(roc.auc, moments.pos, moments.neg, sizes)
    below, above = _place_steps(roc)
    groups, weights, n_groups = roc.groups, roc.weights, 0
    if groups is None:
        assert weights is not None, "rows are weighted or in groups"
        pos, neg = (
            float(squares @ (place - roc.auc) ** 2) / mass.sum() ** 2
            for squares, place, mass in (
                (weights.pos_squares, below, weights.pos),
                (weights.neg_squares, above, weights.neg),
            )
        )
        across = 0.0
    else:
        n_groups, rows = groups.size, []
        weight = np.ones(groups.code.size) if groups.weight is None else groups.weight
        for own, place in ((groups.is_positive, below), (~groups.is_positive, above)):
            mass = weight[own]
            values = mass * (place[groups.step[own]] - roc.auc) / mass.sum()
            rows.append(_add(groups.code[own], values, n_groups))
        pos, neg, across = (
            _add_products(one, two, groups.stratum)
            for one, two in ((rows[0], rows[0]), (rows[1], rows[1]), (rows[0], rows[1]))
        )
    # Sums of squares over the class size, as if there were so many cases.
    pos, neg = sizes.n_pos * pos, sizes.n_neg * neg
    return estimate_variance(roc.auc, pos, neg, sizes, across=2.0 * across, n_groups=n_groups)


def limit_prevalence(roc: RocCurve, level: float) -> tuple[float, float]:
    """Limits for the share of positives of weighted or dependent rows.

    Clopper and Pearson's limits with as many rows as give the share's design variance, which is
    estimated from the groups (Korn and Graubard 1998).

    Examples
    --------
    >>> import rocbands as rb
    >>> roc = rb.Sample([1, 0, 0, 1, 0, 0], range(6), groups=[1, 1, 2, 2, 3, 3]).roc
    >>> low, high = limit_prevalence(roc, 0.95)
    >>> print(f"{low:.3f} {high:.3f}")
    0.007 0.914
    """
    share, groups, weights = roc.prevalence, roc.groups, roc.weights
    if groups is None:
        assert weights is not None, "rows are weighted or in groups"
        total = float(weights.pos.sum() + weights.neg.sum())
        squares = float(weights.pos_squares.sum()), float(weights.neg_squares.sum())
        variance = ((1.0 - share) ** 2 * squares[0] + share**2 * squares[1]) / total**2
        units, spare = roc.n_pos + roc.n_neg, 1
    else:
        weight = _row_weights(roc, groups)
        values = weight * (groups.is_positive - share) / weight.sum()
        by_group = _add(groups.code, values, groups.size)
        variance = _add_products(by_group, by_group, groups.stratum)
        units, spare = groups.size, 1 if groups.stratum is None else int(groups.stratum.max()) + 1
    rows = roc.n_pos + roc.n_neg
    worth = share * (1.0 - share) / max(variance * units / max(units - 1, 1), 1e-300)
    tail = (1.0 - level) / 2.0
    t_rows, t_units = (float(stdtrit(max(df, 1), tail)) for df in (rows - 1, units - spare))
    worth *= (t_rows / t_units) ** 2
    worth = min(worth, float(rows))
    k, rest = worth * share, worth * (1.0 - share)  # neither is 0, nor need they be whole
    return float(betaincinv(k, rest + 1.0, tail)), float(betaincinv(k + 1.0, rest, 1.0 - tail))


def _row_weights(roc: RocCurve, groups: Groups) -> FloatArray:
    """Weight of each row in groups, also where those of each class are equal."""
    if groups.weight is not None:
        return groups.weight
    if roc.weights is None:
        return np.ones(groups.code.size)
    each = roc.weights.neg.sum() / roc.n_neg, roc.weights.pos.sum() / roc.n_pos
    return np.asarray(np.where(groups.is_positive, each[1], each[0]))


def _place_steps(roc: RocCurve) -> tuple[FloatArray, FloatArray]:
    """Placement of a positive, and of a negative, at each step: weights below and above it."""
    x, y = roc.fpr, roc.tpr
    return 1.0 - (x[1:] + x[:-1]) / 2.0, (y[1:] + y[:-1]) / 2.0


def _add_products(one: FloatArray, two: FloatArray, stratum: IndexArray | None) -> float:
    """Add up products over groups, less those of the strata's means."""
    if stratum is None:
        return float(one @ two)
    scale, share = _stratum_factors(stratum)
    sums = [np.bincount(stratum, side, scale.size) for side in (one, two)]
    return float((scale[stratum] * one) @ two - (share * sums[0]) @ sums[1])
