"""Effective sample sizes of weighted or clustered data, at every vertex of a curve.

The rate x of a class at a threshold is the weight at or above it divided by the total W. Cluster g
has weight A_g above and B_g below; without clusters each row is its own cluster.

1. Variance of the rate, a ratio, by linearisation (Binder 1983; the sandwich):
   V = sum_g (A_g - x (A_g + B_g))^2 / W^2, within strata where there are strata.
2. Effective number of rows above the threshold (Kish 1965): their weight over the typical weight of
   a cluster, sum A_g / (sum A_g^2 / sum A_g); likewise below.
3. In the tails there are few clusters. One pseudo cluster is added on either side. Its weight is
the
   largest of three typical weights: of the 20 outermost rows of both classes, because heavy rows
   of one class may not have been sampled yet; of the class's own 20 outermost rows, because the
   other class may be light there; and of its own 5, because weights may grow outwards. It is
   multiplied by the design effect of clustering in its own class there.
4. V corrects 2 for clusters that lie on both sides: a design effect (Korn and Graubard 1998).
5. The AUC is a mean of placements (:mod:`rocbands.core.delong`) in each class, with deviations d_i
   of mean square S = sum w_i d_i^2 / W and variance V_1 = sum w_i^2 d_i^2 / W^2, so that V_1 / S is
   the typical weight of a row, relative to W. Half a row is added at either end, where d is -A or
   1 - A, as heavy as the pseudo cluster's rows there (w in units of W):
   S (V_1 + sum w^2 d^2 / 2) / (S + sum w d^2 / 2). What this exceeds V_1 by is the variance that
   heavy rows may add which were not drawn. It is 0 for equal weights.

The sums are those of :mod:`rocbands.design.running_sums`. docs/designs.md has examples.

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

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import betaincinv, stdtrit

from rocbands.core.checks import FloatArray, IndexArray, once_for_each
from rocbands.core.delong import compute_area_moments
from rocbands.core.phrases import FEW_CLUSTERS, say_few_clusters, say_reversed
from rocbands.core.roc import RocCurve
from rocbands.core.score_variance import CaseNumbers, ScoreVariance, estimate_variance, score_limits
from rocbands.core.tolerance import SAME
from rocbands.design.effective_number import compare_weights
from rocbands.design.fold_sums import average_area, estimate_average
from rocbands.design.row_design import RowDesign, correct_few, describe_effects
from rocbands.design.running_sums import RunningSums, Tail, UnitChanges, mix, sum_clusters, sum_rows

TAIL_ROWS = 20  # least number of rows that determine the weight of a pseudo cluster
FEW_ROWS = 5  # the same, of one class, for weights that grow outwards
ROUNDED = 1e-5  # rates closer to 0 or 1 have a design effect of 1: V has no digits there
HEAVY = 3.0  # times the mean weight of its class: from here on the next row is called heavy
LEAST_MOVE = 0.01  # of a rate by the next row, from which on it is mentioned
# The smallest local effective size is sought at rates of .05 to .95; rounding must not decide.
INNER = 0.45 - 1e-9
MOST_POINTS = 128  # inside a step that has both classes
SOME_VERTICES = 1 << 13  # of a curve, for statements about the whole of it
MANY_VERTICES = 1 << 17  # of a curve, for its band; more with more than 10^6 rows
END_VERTICES = 256  # at either end, which are all kept


class ClassSizes(NamedTuple):
    """Effective sample size of one class at each vertex."""

    rate: FloatArray  # weighted
    # k, size: effective rows above the vertex, and in total
    k: FloatArray
    size: FloatArray
    # Typical weight below divided by typical weight above. A true rate u corresponds to
    # P = odds u / (1 - u + odds u) on the scale of rows; k / size is the observed rate there.
    odds: FloatArray
    number: FloatArray  # local effective size x (1 - x) / V, with the pseudo clusters
    mass: FloatArray  # weight of the class at each vertex
    # Effective number of clusters, and of rows: (sum of weights)^2 / sum of squares (Kish 1965).
    kish: float
    kish_rows: float
    # Weight of one more row above the highest and below the lowest score, as for the pseudo
    # cluster, relative to the weight of the class.
    next_rows: tuple[float, float]

    @property
    def from_lowest(self) -> ClassSizes:
        """The class counted from the lowest score up."""
        rest = (self.size - self.k)[::-1]
        mass = np.append(0.0, self.mass[:0:-1])
        rate, odds = 1.0 - self.rate[::-1], 1.0 / self.odds[::-1]
        sizes = self.size[::-1], odds, self.number[::-1], mass
        return ClassSizes(rate, rest, *sizes, self.kish, self.kish_rows, self.next_rows[::-1])

    @property
    def least(self) -> float:
        """Smallest local size between the inner rates; Kish's size if no vertex lies there."""
        inner = np.abs(self.rate - 0.5) < INNER
        return float(self.number[inner].min()) if inner.any() else self.kish

    @property
    def mean(self) -> float:
        """Weighted harmonic mean of the local sizes along the curve, as variances add up."""
        # Half of a step's weight belongs to the vertex before it, and half to the one after it.
        mass = (self.mass + np.append(self.mass[1:], 0.0)) / 2.0
        noise = mass * self.rate * (1.0 - self.rate)
        total = float(noise.sum())
        return total / float((noise / self.number).sum()) if total > 0.0 else self.kish


@dataclass(frozen=True, eq=False)
class EffectiveSizes:
    """Effective sample sizes of both classes at each vertex of a curve."""

    neg: ClassSizes
    pos: ClassSizes
    correlation: FloatArray  # of the two rates at each vertex, through clusters with both classes
    n_clusters: int  # 0 where rows are independent
    # Variance that heavy rows which were not drawn may add to the AUC: by positives, negatives.
    unseen: tuple[float, float]
    vertices: IndexArray  # the curve's own vertices among those, with tied steps subdivided

    @property
    def mirrored(self) -> EffectiveSizes:
        """The sizes for swapped classes and negated scores."""
        neg, pos = (each.from_lowest for each in (self.pos, self.neg))
        vertices = self.correlation.size - 1 - self.vertices[::-1]
        unseen = self.unseen[::-1]
        return EffectiveSizes(neg, pos, self.correlation[::-1], self.n_clusters, unseen, vertices)

    @property
    def case_numbers(self) -> CaseNumbers:
        """Effective numbers of cases for the AUC."""
        numbers = (max(min(one.kish, one.least), 1.0) for one in (self.pos, self.neg))
        return CaseNumbers(*numbers)

    def describe(self, roc: RocCurve) -> tuple[str, ...]:
        """Describe the effective sizes, and warn of too few effective rows."""
        pairs = (("positives", self.pos, roc.n_pos), ("negatives", self.neg, roc.n_neg))
        given = (("weights", roc.weights), ("clusters", roc.clusters))
        what = [name for name, each in given if each is not None]
        few = say_few_clusters(self.n_clusters or None)
        effects = describe_effects(what, {name: (rows, one.mean) for name, one, rows in pairs})
        notes = [*filter(None, [few]), effects]
        for name, one, rows in pairs:
            if roc.weights is not None and one.least < min(TAIL_ROWS, rows / 2.0):
                notes.append(
                    f"Few {name} carry much weight: at some thresholds their effective number is "
                    f"only {one.least:.2g}, and limits rest on an assumption about unseen rows."
                )
            if roc.weights is not None:
                notes.extend(_warn_of_next(name.removesuffix("s"), one.next_rows, rows))
            if self.n_clusters and not few and one.kish < FEW_CLUSTERS:
                notes.append(f"Few clusters: the {name} come from {one.kish:.2g} of equal size.")
        return tuple(notes)


def _warn_of_next(name: str, next_rows: tuple[float, float], rows: int) -> Iterator[str]:
    """Warn if one more row at an end would be heavy; weights are relative to the class's."""
    heavy = {
        end: weight
        for end, weight in zip(("high", "low"), next_rows, strict=True)
        if weight * rows > HEAVY and weight > LEAST_MOVE
    }
    if heavy:
        weight = max(heavy.values())
        yield (
            f"One more {name} with a {' or '.join(heavy)} score would have the weight of "
            f"{weight * rows:.2g} others and move the rate by {weight:.2g}; limits are too narrow "
            "if such rows exist and none was drawn."
        )


@once_for_each
def summarize_sizes(roc: RocCurve) -> EffectiveSizes:
    """Find the effective sizes for statements about the whole curve; computed once for each curve.

    The least and the mean size are enough there, so that some thousand vertices are.
    """
    return find_effective_sizes(roc, _choose_vertices(roc, SOME_VERTICES))


def find_curve_sizes(roc: RocCurve) -> EffectiveSizes:
    """Find the effective sizes for a band, at no more vertices than change its edges.

    Blocks of rows are small beside the standard error of a rate, which is some 1 / sqrt(rows). With
    10^6 rows edges move by at most .4% of the band's width, .1% on average.
    """
    many = max(MANY_VERTICES, int(128.0 * math.sqrt(roc.n_pos + roc.n_neg)))
    return find_effective_sizes(roc, _choose_vertices(roc, many))


def find_sizes_at(roc: RocCurve, vertices: IndexArray) -> EffectiveSizes:
    """Find the effective sizes for statements about some vertices and about the whole curve."""
    kept = _choose_vertices(roc, SOME_VERTICES)
    return find_effective_sizes(roc, None if kept is None else np.union1d(kept, vertices))


def _choose_vertices(roc: RocCurve, most: int) -> IndexArray | None:
    """Choose vertices that cut a curve with many steps into blocks of about equally many rows.

    All vertices near the ends are kept, and both ends of steps with many rows.
    """
    steps = roc.fp.size
    if steps <= 2 * most:
        return None
    rows = roc.fp + roc.tp
    inner = np.searchsorted(rows, np.linspace(0.0, float(rows[-1]), most))
    heavy = np.flatnonzero(np.diff(rows, prepend=0) > 4 * int(rows[-1]) // most)
    ends = np.arange(END_VERTICES)
    chosen = np.zeros(steps + 1, dtype=np.bool_)
    for vertices in (ends, inner, heavy, heavy + 1, steps - ends):
        chosen[vertices] = True
    return np.flatnonzero(chosen)


def find_effective_sizes(roc: RocCurve, kept: IndexArray | None = None) -> EffectiveSizes:
    """Find the effective sizes of weighted or clustered rows at every vertex, or at some of them.

    Steps with both classes are slanted pieces of the curve, and are subdivided. `kept`: the
    vertices; blocks of several steps between them are not subdivided.
    """
    clusters, weights = roc.clusters, roc.weights
    changes, shared = None, None
    if clusters is None:
        pos, neg = sum_rows(roc, kept)
    else:
        design = RowDesign.of_curve(roc)
        changes = UnitChanges.of_rows(design)
        pos, neg, shared = sum_clusters(changes, design.stratum, roc.fp.size, kept)
    factor = compare_weights(pos.rows, pos.above, neg.rows, neg.above)
    mixed = (np.diff(pos.rows) > 0) & (np.diff(neg.rows) > 0)
    vertices = np.arange(pos.rows.size)
    if kept is not None:
        mixed &= np.diff(kept) == 1
    if mixed.any():
        # Points inside the steps that have both classes, where the curve is slanted. Their number
        # follows the sampling error, and so the rows of the step.
        points = np.clip(8.0 * np.sqrt(np.diff(pos.rows + neg.rows)), 8.0, MOST_POINTS)
        at, part = place_points(np.where(mixed, points.astype(np.int64), 1))
        if shared is not None:
            shared = mix(shared[0], at, part), shared[1]
        pos, neg = pos.between(at, part), neg.between(at, part)
        vertices = np.flatnonzero(part == 0.0)
    if kept is not None:  # the one at or before each vertex of the curve
        vertices = np.repeat(vertices, np.diff(kept, append=roc.fp.size + 1))
    correlation = _correlate(pos, neg, shared)
    n_clusters = 0 if clusters is None else clusters.size
    of_neg = _find_sizes(neg, pos, 1.0 / factor, correlation, n_clusters > 0)
    of_pos = _find_sizes(pos, neg, factor, correlation, n_clusters > 0)
    unseen = 0.0, 0.0
    if weights is not None and not weights.equal:
        rows = [(weights.pos, weights.pos_squares), (weights.neg, weights.neg_squares)]
        places = list(compute_curve_placements(roc))
        if changes is not None:
            each = [np.flatnonzero(changes.kind == kind) for kind in (0, 1)]
            rows = [(changes.weight[own], changes.weight[own] ** 2) for own in each]
            places = [place[changes.at[own]] for place, own in zip(places, each, strict=True)]
        ends = of_pos.next_rows[::-1], of_neg.next_rows
        by_pos, by_neg = (
            _allow_for_unseen(*sums, place, end, roc.auc)
            for sums, place, end in zip(rows, places, ends, strict=True)
        )
        unseen = by_pos, by_neg
    return EffectiveSizes(of_neg, of_pos, correlation, n_clusters, unseen, vertices)


def _allow_for_unseen(
    mass: FloatArray, squares: FloatArray, place: FloatArray, ends: tuple[float, float], auc: float
) -> float:
    """Variance that heavy rows which were not drawn may add; `ends`: at placements 0 and 1."""
    away, total = (place - auc) ** 2, float(mass.sum())
    spread, seen = float(mass @ away) / total, float(squares @ away) / total**2
    weight, half = np.array(ends), np.array((auc**2, (1.0 - auc) ** 2)) / 2.0
    added = float(half * weight @ (spread * weight - seen))
    return max(added / (spread + float(half @ weight)), 0.0)


def place_points(points: IndexArray) -> tuple[IndexArray, FloatArray]:
    """Place evenly spaced points in each step, the first one at its start.

    `points`: their number in each step. Returns the vertex at or before each point, the last one
    included, and its relative position before the next vertex.
    """
    points = np.append(points, 1)  # the last vertex
    at = np.repeat(np.arange(points.size), points)
    place = np.arange(at.size) - np.repeat(np.cumsum(points) - points, points)
    return at, place / points[at]


def _correlate(
    pos: RunningSums, neg: RunningSums, shared: tuple[FloatArray, float] | None
) -> FloatArray:
    """Correlation of the two classes' rates through clusters with both; 0 without such clusters."""
    if shared is None or pos.others is None or neg.others is None:
        return np.zeros(pos.above.size)
    both, total = shared
    x, y = neg.rate, pos.rate
    covariance = both - x * pos.others - y * neg.others + x * y * total
    scale = np.sqrt(pos.variance() * neg.variance()) * (pos.above[-1] * neg.above[-1])
    inner = scale > 0.0
    for one in (pos, neg):
        inner &= (one.rows > 0) & (one.rows_below > 0)
    ratio: FloatArray = np.divide(covariance, scale, out=np.zeros(both.size), where=inner)
    return np.clip(ratio, -1.0, 1.0)


def _weigh_next(own: Tail, other: Tail, factor: float, clustered: bool) -> tuple[FloatArray, float]:
    """Weight of a pseudo cluster beyond each vertex, and of a pseudo row beyond all of them.

    The largest of three typical weights in the tail beyond the vertex, or of the outermost rows if
    it has too few of them; times the clustering of the class there.
    """
    with np.errstate(divide="ignore", invalid="ignore"):  # at the end, which is not kept
        weight = own.squares + factor**2 * other.squares
        weight /= own.weight + factor * other.weight
        alone = own.squares / own.weight
        cluster = own.clusters / own.squares if clustered else None
    far = _find_vertex_beyond(own.rows + other.rows, TAIL_ROWS)
    near, few = (_find_vertex_beyond(own.rows, least) for least in (TAIL_ROWS, FEW_ROWS))
    weight[:far] = weight[far]
    alone[:few] = alone[few]
    np.maximum(alone[:near], alone[near], out=alone[:near])
    np.maximum(weight, alone, out=weight)
    of_row = float(weight[0])
    if cluster is not None:
        cluster[:near] = cluster[near]
        weight *= cluster
    return weight, of_row


def _find_vertex_beyond(rows: FloatArray, least: int) -> int:
    """First vertex with at least so many rows beyond it, or all."""
    return int(np.searchsorted(rows, min(least, rows[-1])))


def _find_sizes(
    own: RunningSums, other: RunningSums, factor: float, correlation: FloatArray, clustered: bool
) -> ClassSizes:
    """Find effective rows of one class; `factor` rescales the other class's weights."""
    total, x = float(own.above[-1]), own.rate
    # 3. Weight of a pseudo cluster above and below each vertex.
    (unit_above, high), (unit_below, low) = (
        _weigh_next(*tails, factor, clustered) for tails in zip(own.tails, other.tails, strict=True)
    )
    unit_below = unit_below[::-1]
    # 2. Typical weight of a cluster, including the pseudo cluster: sum of squares over sum.
    typical_above = (own.clusters_above + unit_above * unit_above) / (own.above + unit_above)
    typical_below = (own.clusters_below + unit_below * unit_below) / (own.below + unit_below)
    kish, kish_rows = total**2 / own.total, total**2 / float(own.squares_above[-1])
    design: FloatArray | float = 1.0
    if clustered:
        # 4. Clusters on both sides of a threshold make V smaller than with two separate sides; V is
        # at least half the variance of single rows.
        apart = (1.0 - x) ** 2 * own.clusters_above + x**2 * own.clusters_below
        single = (1.0 - x) ** 2 * own.squares_above + x**2 * own.squares_below
        variance = np.maximum(own.variance(strata=True) * total**2, 0.5 * single)
        # At a rate near 1 its terms cancel to a share (1 - rate)^2; near 0 the same for symmetry.
        known = np.minimum(x, 1.0 - x) > ROUNDED
        design = np.ones(x.size)
        np.divide(variance, apart, out=design, where=known)
        # The divisor of V should be the number of clusters minus one. If clusters increase one
        # rate and decrease the other, the variance along the worst slope is larger by 1 -
        # correlation.
        design *= correct_few(kish) / correct_few(kish_rows)
        design *= 1.0 + np.maximum(0.0, -correlation)
    k, rest = own.above / typical_above / design, own.below / typical_below / design
    number = total / ((1.0 - x) * typical_above + x * typical_below) / design
    odds, mass = typical_below / typical_above, np.diff(own.above, prepend=0.0)
    next_rows = high / total, low / total
    return ClassSizes(x, k, k + rest, odds, number, mass, kish, kish_rows, next_rows)


def count_independent_cases(roc: RocCurve) -> CaseNumbers:
    """Effective numbers of positives and negatives; for independent rows the counts.

    Examples
    --------
    >>> import rocbands as rb
    >>> y, s = [1, 1, 1, 1, 0, 0, 0, 0], [8, 7, 6, 3, 5, 4, 2, 1]
    >>> alone = rb.Sample(y, s, clusters=range(8)).roc
    >>> print(count_independent_cases(alone))
    CaseNumbers(n_pos=4.0, n_neg=4.0)
    >>> pairs = rb.Sample(y, s, clusters=[1, 1, 2, 2, 3, 3, 4, 4]).roc
    >>> print(count_independent_cases(pairs).n_pos.__round__(2))
    1.33
    """
    return count_cases_inside((roc,))[0]


def count_cases_inside(
    curves: Sequence[RocCurve], part: tuple[float, float] = (0.0, 1.0)
) -> tuple[CaseNumbers, CaseNumbers]:
    """Effective numbers of cases, and those of a range of false positive rates a to b.

    Of n independent negatives n (b - a) count there, otherwise the effective rows between its ends
    if these are more. Several curves are of models on the same rows: the least numbers count.
    """
    found = [None if roc.independent else summarize_sizes(roc) for roc in curves]
    numbers = [
        CaseNumbers(float(roc.n_pos), float(roc.n_neg)) if sizes is None else sizes.case_numbers
        for roc, sizes in zip(curves, found, strict=True)
    ]
    least = CaseNumbers(*map(min, zip(*numbers, strict=True)))
    inside = [least.n_neg * (part[1] - part[0])] * len(curves)
    for i, sizes in enumerate(found):
        if sizes is not None:
            # After the vertical piece of the curve at an end, also if rates are rounded.
            ends = np.interp(np.add(part, SAME), sizes.neg.rate, sizes.neg.k)
            inside[i] = max(inside[i], float(ends[1] - ends[0]))
    return least, least._replace(n_neg=min(inside))


def estimate_curve_variance(roc: RocCurve) -> ScoreVariance:
    """Estimate the unit variance of a curve's AUC, with or without clusters and weights.

    The counts must be of single scores.
    """
    if roc.independent:
        moments, sizes = compute_area_moments(roc), count_independent_cases(roc)
        found = estimate_variance(roc.auc, moments.pos, moments.neg, sizes)
        return ScoreVariance(float(found.unit), float(found.df))
    sizes, unseen = summarize_sizes(roc).case_numbers, summarize_sizes(roc).unseen
    placements, across, n_clusters = compute_curve_placements(roc), 0.0, 0
    if roc.clusters is None:
        assert roc.weights is not None, "rows are weighted or in clusters"
        pos = _find_mean_variance(placements[0], roc.weights.pos, roc.weights.pos_squares)
        neg = _find_mean_variance(placements[1], roc.weights.neg, roc.weights.neg_squares)
    else:
        design = RowDesign.of_curve(roc)
        parts = design.split(design.place(*placements))
        pos, neg = (float(design.multiply(part, part)) for part in parts)
        across = float(design.multiply(*parts)) if design.linked else 0.0
        n_clusters = roc.clusters.size
    # Sums of squares over the effective class size.
    pos, neg = sizes.n_pos * (pos + unseen[0]), sizes.n_neg * (neg + unseen[1])
    estimate = estimate_variance(
        roc.auc, pos, neg, sizes, across=2.0 * across, n_clusters=n_clusters
    )
    df = estimate.df if roc.clusters is None else design.spare(estimate.df)
    return ScoreVariance(float(estimate.unit), max(float(df), 1.0))


def _find_mean_variance(values: FloatArray, mass: FloatArray, squares: FloatArray) -> float:
    """Variance of a weighted mean of independent rows: sum w^2 (x - mean)^2 / (sum w)^2.

    `mass`, `squares`: sums of the weights, and of their squares, of the rows with each value.
    """
    total = float(mass.sum())
    return float(squares @ (values - mass @ values / total) ** 2) / total**2


def ask_about_reversed(curves: Mapping[str, RocCurve], level: float) -> str:
    """Ask about models whose AUC is shown to be below one half; empty if there is none.

    The limits are the default ones of a single AUC; of curves in bins none are known here.
    """
    below = {}
    for name, roc in curves.items():
        area = average_area(roc.folds) if roc.folds else roc.auc
        if area >= 0.5 or roc.binned:
            continue
        found = estimate_average(roc.folds, roc.repeats)[1] if roc.folds else None
        variance = found or estimate_curve_variance(roc)
        if score_limits(area, variance, (1.0 - level) / 2.0)[1] < 0.5:
            below[name] = area
    return say_reversed(below) if below else ""


def limit_prevalence(roc: RocCurve, level: float) -> tuple[float, float]:
    """Limits for the prevalence of weighted or dependent rows.

    Clopper and Pearson's limits with the effective sample size that the design variance of the
    prevalence implies, which is estimated from the clusters (Korn and Graubard 1998).

    Examples
    --------
    >>> import rocbands as rb
    >>> roc = rb.Sample([1, 0, 0, 1, 0, 0], range(6), clusters=[1, 1, 2, 2, 3, 3]).roc
    >>> low, high = limit_prevalence(roc, 0.95)
    >>> print(f"{low:.3f} {high:.3f}")
    0.008 0.914
    """
    share, design, n_rows = roc.prevalence, RowDesign.of_curve(roc), roc.n_pos + roc.n_neg
    z = design.add_up(design.all, design.is_positive - share)
    variance, units = float(design.multiply(z, z)), design.n_units
    # n* = p (1 - p) / V, times (t_rows / t_clusters)^2 for the degrees of freedom of V (Korn and
    # Graubard 1998); at most the number of rows.
    size = share * (1.0 - share) / max(variance * units / max(units - 1, 1), 1e-300)
    tail = (1.0 - level) / 2.0
    t_rows, t_units = (
        float(stdtrit(max(df, 1), tail)) for df in (n_rows - 1, units - design.n_strata)
    )
    ratio = t_rows / t_units if t_units < 0.0 else 1.0  # both are 0 at a level of 0
    size = min(size * ratio**2, float(n_rows))
    k, rest = size * share, size * (1.0 - share)  # both positive, not necessarily integers
    low, high = float(betaincinv(k, rest + 1.0, tail)), float(betaincinv(k + 1.0, rest, 1.0 - tail))
    # With an effective size near 0 both lose all meaning. Markov's inequality holds for any
    # dependence: a share of at least p is estimated with probability at most P / p, P the true one.
    return max(low, tail * share), min(high, 1.0 - tail * (1.0 - share))


def compute_curve_placements(roc: RocCurve) -> tuple[FloatArray, FloatArray]:
    """Placement of a positive, and of a negative, at each step: weights below and above it."""
    x, y = roc.fpr, roc.tpr
    return 1.0 - (x[1:] + x[:-1]) / 2.0, (y[1:] + y[:-1]) / 2.0
