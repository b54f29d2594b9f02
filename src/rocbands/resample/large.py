"""Areas of many resampled rows in a time that hardly depends on their number: `draw_areas`.

Drawing a million rows a thousand times takes minutes. An area is a sum over pairs of cases, so its
distribution follows from the numbers of drawn cases in some hundred blocks of neighbouring scores,
up to a small part of the variance that is drawn as a normal variable. If that part is not small, or
rows are few, rows are drawn one by one (`resample/areas.py`); tests compare both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from rocbands.core.checks import CountArray, FloatArray, IndexArray
from rocbands.core.content_order import order_clusters
from rocbands.core.delong import compute_cluster_sums
from rocbands.core.pieces import bisect, walk_steps
from rocbands.core.roc import RocCurve
from rocbands.core.tolerance import SLACK
from rocbands.resample.areas import FprRange, resample_areas
from rocbands.resample.population import find_ends_of_runs
from rocbands.resample.streams import run_chunks
from rocbands.resample.sums import ClusteredResamples

MANY_ROWS = 20_000  # with more rows, drawing blocks is faster than rows
BLOCKS = 128
MOST_INSIDE = 1e-3  # share of the variance within blocks; usually 1 / BLOCKS**2
_NARROWEST = 1e-9  # range of rates


def draw_areas(
    roc: RocCurve,
    n_resamples: int,
    rng: np.random.Generator,
    part: FprRange | None = None,
    variance: float = 0.0,
) -> FloatArray:
    """Areas of resampled test sets, as :func:`rocbands.resample.areas.resample_areas`.

    `part`: range of false positive rates. `variance`: of the area over the range, which determines
    how fine the blocks must be.
    """
    law: AreaBlocks | ClusteredResamples | None = None
    if roc.n_pos + roc.n_neg >= MANY_ROWS:
        if roc.clusters is None:
            law = AreaBlocks.cut(roc) if part is None else AreaBlocks.cut_range(roc, part, variance)
        elif part is None:
            law = _sum_clusters(roc)
    if law is None:
        return resample_areas(roc, n_resamples, rng, part)
    return np.concatenate(run_chunks(law.draw, n_resamples, rng))


def _sum_clusters(roc: RocCurve) -> ClusteredResamples | None:
    """Sum the contributions of each cluster to the area; None if few clusters dominate."""
    assert roc.clusters is not None
    clusters = order_clusters(roc.clusters)
    pos, neg = compute_cluster_sums(replace(roc, clusters=clusters))
    spread, cases = roc.auc * (1.0 - roc.auc), clusters.count_classes()
    return ClusteredResamples.of_clusters(pos + neg, *cases, roc.auc, pair_variance=spread)


@dataclass(frozen=True, eq=False)
class AreaBlocks:
    """Resamples of many rows, drawn as numbers of cases in blocks of neighbouring scores."""

    # The numbers of positives a(k) and negatives b(k) of a resample in block k are drawn exactly,
    # which determines all pairs of cases in different blocks. Given these numbers, the pairs won
    # within a block have mean a b w and variance a b ((b - 1) v_p + (a - 1) v_n + v), with w the
    # fraction won and v_p, v_n, v the variances within the block of placements of positives, of
    # negatives, and of pairs (Bandos, Rockette and Gur 2007). Their sum over all blocks is drawn as
    # one normal variable. So areas have the exact mean and variance, and at most a fraction
    # MOST_INSIDE of the variance comes from the normal variable.
    #
    # The ends of a range of false positive rates follow from the drawn numbers, up to the position
    # within a block. There the curve is approximated by t^(1/w - 1), whose area is w: the error is
    # at most half of one block's pairs at each end.
    # pos, neg: (k,) share of each class in each block, from the highest score down.
    pos: FloatArray
    neg: FloatArray
    sizes: tuple[int, int]  # positives and negatives
    won: FloatArray  # (k,) share of the pairs within a block that are won, ties counted one half
    spread: FloatArray  # (3, k) variances v_p, v_n, v within a block
    part: FprRange | None = None

    @classmethod
    def cut(cls, roc: RocCurve) -> AreaBlocks | None:
        """Cut finely where both classes are; None if no number of blocks is fine enough."""
        if np.count_nonzero(find_ends_of_runs(roc.fp, roc.tp)) <= 8 * BLOCKS:
            return None  # drawing few steps one by one is fast
        fp, tp, last = roc.fp, roc.tp, roc.fp.size - 1
        fine = _cut_evenly(lambda i: fp[i] / roc.n_neg + tp[i] / roc.n_pos, last + 1, 8 * BLOCKS)
        fine = np.union1d(fine, [last])
        # The total variance up to 1 / 1024^2: all rows as one block, with fine blocks as ties.
        variance = cls.measure(fp[fine], tp[fine], []).expected_inside()
        pos, neg = (np.diff(side[fine], prepend=0) / side[-1] for side in (tp, fp))
        both = np.cumsum(np.sqrt(pos * neg))
        for count in (BLOCKS, 4 * BLOCKS) if both[-1] > 0.0 else ():
            blocks = cls.measure(fp, tp, fine[_cut_evenly(both.__getitem__, both.size, count)])
            if blocks.expected_inside() <= MOST_INSIDE * variance:
                return blocks
        return None

    @classmethod
    def cut_range(cls, roc: RocCurve, part: FprRange, variance: float) -> AreaBlocks | None:
        """Cut finely where resampled curves may be in the range; None if that is not enough."""
        near = part.find_neighbourhood(roc.n_neg)
        # From the first step inside the neighbourhood to the last one.
        outer = np.array([near.start, np.nextafter(near.stop, np.inf)])
        first, behind = bisect(roc.fp.size, lambda i: roc.fp[i] / roc.n_neg < outer, (2,)).tolist()
        size = behind - first
        # Drawing few steps one by one is fast, and areas of separated classes do not vary.
        if size <= 8 * BLOCKS or variance <= (SLACK * part.width) ** 2:
            return None
        x, y = (side[[first, behind - 1]] / side[-1] for side in (roc.fp, roc.tp))

        def along(place: IndexArray) -> FloatArray:
            """Sum of the relative positions along both axes."""
            right = (roc.fp[first + place] / roc.n_neg - x[0]) / max(x[1] - x[0], _NARROWEST)
            up = (roc.tp[first + place] / roc.n_pos - y[0]) / max(y[1] - y[0], _NARROWEST)
            return np.asarray(right + up)

        wanted = np.linspace(0.0, float(along(np.array([size - 1]))[0]), 4 * BLOCKS + 1)
        places = bisect(size, lambda place: along(place) < wanted, wanted.shape)
        ends = first + np.minimum(places, size - 1)
        for some in (ends[::4], ends):
            blocks = replace(cls.measure(roc.fp, roc.tp, some), part=part)
            if blocks.expected_inside(near) <= MOST_INSIDE * variance:
                return blocks
        return None

    @classmethod
    def measure(cls, fp: CountArray, tp: CountArray, ends: IndexArray | list[int]) -> AreaBlocks:
        """Find the moments of the pairs within each block; `ends` are the last steps of blocks."""
        ends = np.union1d(ends, [fp.size - 1]).astype(np.intp)
        n_pos, n_neg = (np.diff(side[ends], prepend=0).astype(np.float64) for side in (tp, fp))
        tp_start, fp_end = np.cumsum(n_pos) - n_pos, np.cumsum(n_neg)
        sums = np.zeros((4, ends.size))
        for piece in walk_steps(fp, tp):
            # Blocks that have steps in the piece, the number of these steps, and where they begin.
            low, high = np.searchsorted(ends, (piece.start, piece.stop - 1))
            at = np.maximum(ends[low:high] + 1, piece.start) - piece.start
            at = np.concatenate(([0], at))
            here = np.diff(at, append=piece.stop - piece.start)
            pos, neg = (np.diff(side).astype(np.float64) for side in (piece.tp, piece.fp))
            # Cases of the other class in the same block: positives above, negatives below.
            above = piece.tp[1:] - pos / 2.0 - np.repeat(tp_start[low : high + 1], here)
            below = np.repeat(fp_end[low : high + 1], here) - piece.fp[1:] + neg / 2.0
            terms = neg * above, pos * neg, pos * below**2, neg * above**2
            for total, each in zip(sums, terms, strict=True):
                total[low : high + 1] += np.add.reduceat(each, at)
        pairs = np.maximum(n_pos * n_neg, 1.0)
        won, ties = sums[:2] / pairs
        of_pos, of_neg = sums[2:] / (pairs * np.maximum((n_neg, n_pos), 1.0))
        # Squared scores of pairs: 1 for wins, 1/4 for ties.
        spread = np.stack((of_pos, of_neg, won - ties / 4.0)) - won**2
        sizes = int(tp[-1]), int(fp[-1])
        return cls(n_pos / sizes[0], n_neg / sizes[1], sizes, won, np.maximum(spread, 0.0))

    def expected_inside(self, near: FprRange | None = None) -> float:
        """Mean variance within blocks over resamples, for all blocks or those in `near`."""
        m, n = self.sizes
        pos, neg, pairs = self.spread
        within = (n - 1.0) * self.neg * pos + (m - 1.0) * self.pos * neg + pairs
        each = self.pos * self.neg * within
        if near is not None:
            end = np.cumsum(self.neg)
            each = each[(end - self.neg >= near.start - SLACK) & (end <= near.stop + SLACK)]
        return float(each.sum()) / (m * n)

    def draw(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """Areas of one chunk."""
        m, n = self.sizes
        a, b = (
            rng.multinomial(size, share, draws).astype(np.float64)
            for size, share in ((m, self.pos), (n, self.neg))
        )
        above, pairs = np.cumsum(a, axis=1) - a, a * b
        won, seen, widest = self.won, b, 1.0
        weight = pairs
        if self.part is not None:
            # Fractions of each block's negatives before the start and before the end of the range.
            left, widest = np.cumsum(b, axis=1) - b, self.part.width
            f0, f1 = (np.clip((end * n - left) / np.maximum(b, 1.0), 0.0, 1.0) for end in self.part)
            power = 1.0 / np.maximum(won, SLACK)
            won = won * (f1**power - f0**power)
            seen, weight = b * (f1 - f0), pairs * (f1 - f0)
        mean = np.einsum("ik,ik->i", seen, above) + (pairs * won).sum(axis=1)
        v_pos, v_neg, v_pair = self.spread
        inside = np.maximum((b - 1.0) * v_pos + (a - 1.0) * v_neg + v_pair, 0.0)
        error = np.sqrt(np.einsum("ik,ik->i", weight, inside))
        area: FloatArray = (mean + error * rng.standard_normal(draws)) / (float(m) * n)
        return np.clip(area, 0.0, widest)


def _cut_evenly(rising: Callable[[IndexArray], FloatArray], size: int, count: int) -> IndexArray:
    """Find where an increasing function passes `count` equal parts of its range."""
    last = float(rising(np.array([size - 1]))[0])
    wanted = np.arange(1.0, count + 1.0) * (last / count) - SLACK * last
    places = bisect(size, lambda place: rising(place) < wanted, wanted.shape)
    return np.unique(np.minimum(places, size - 1))
