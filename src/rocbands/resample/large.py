"""Areas of many resampled rows: curves whose steps are merged, so that few counts are drawn.

Drawing a million rows a thousand times takes minutes. Merged into some hundred steps of
neighbouring scores, a curve keeps the law of its area but for what happens within steps, where the
cases of a resample count as tied. The constant part of this error, the area of the curve minus that
of the merged curve, is added to every draw. The rest varies by a share of the constant that is of
the order 1 / sqrt(m), with m cases of the smaller class. If that or the constant is not small
beside the standard error, or rows are few, rows are drawn one by one (`resample/areas.py`); tests
compare both.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from rocbands.core.checks import FloatArray, IndexArray
from rocbands.core.counting import bisect
from rocbands.core.delong import compute_cluster_sums
from rocbands.core.randomness import order_clusters
from rocbands.core.roc import RocCurve
from rocbands.resample.areas import FprRange, measure_areas, resample_areas
from rocbands.resample.curves import Rates, build_step_source, measure_resamples
from rocbands.resample.population import find_ends_of_runs
from rocbands.resample.streams import run_chunks
from rocbands.resample.sums import ClusteredResamples
from rocbands.resample.truncated_placements import compute_area

MANY_ROWS = 20_000  # with more rows, drawing merged steps is faster than rows
STEPS = (256, 2048)  # the second if the first are too few
# Area lost by merging, in standard errors: at most, and for each root of a case.
MOST_OFF = 0.25
MOST_OFF_BY_ROOT = 0.01
_NARROWEST = 1e-9  # range of rates
_WHOLE = FprRange(0.0, 1.0)


def draw_areas(
    roc: RocCurve, n_resamples: int, rng: np.random.Generator, part: FprRange | None = None
) -> FloatArray:
    """Areas of resampled test sets, as :func:`rocbands.resample.areas.resample_areas`.

    `part`: range of false positive rates.
    """
    if roc.n_pos + roc.n_neg >= MANY_ROWS:
        if roc.clusters is not None and part is None:
            sums = _sum_clusters(roc)
            if sums is not None:
                return np.concatenate(run_chunks(sums.draw, n_resamples, rng))
        for count in STEPS if _has_many_steps(roc) else ():
            drawn, off = _draw_merged(roc, n_resamples, rng, part or _WHOLE, count)
            most = min(MOST_OFF, MOST_OFF_BY_ROOT * math.sqrt(_count_units(roc)))
            if abs(off) <= most * drawn.std():
                return np.clip(drawn + off, 0.0, (part or _WHOLE).width)
    return resample_areas(roc, n_resamples, rng, part)


def _sum_clusters(roc: RocCurve) -> ClusteredResamples | None:
    """Sum the contributions of each cluster to the area; None if few clusters dominate."""
    assert roc.clusters is not None
    clusters = order_clusters(roc.clusters)
    pos, neg = compute_cluster_sums(replace(roc, clusters=clusters))
    spread, cases = roc.auc * (1.0 - roc.auc), clusters.count_classes()
    return ClusteredResamples.of_clusters(pos + neg, *cases, roc.auc, pair_variance=spread)


def _count_units(roc: RocCurve) -> int:
    """Count the cases of the smaller class, or the clusters that have such cases."""
    if roc.clusters is None:
        return min(roc.n_pos, roc.n_neg)
    return int(min(map(np.count_nonzero, roc.clusters.count_classes())))


def _has_many_steps(roc: RocCurve) -> bool:
    """Tell whether merging leaves out steps; runs of one class are one step."""
    return bool(
        roc.fp.size > STEPS[1] and np.count_nonzero(find_ends_of_runs(roc.fp, roc.tp)) > STEPS[1]
    )


def _draw_merged(
    roc: RocCurve, n_resamples: int, rng: np.random.Generator, part: FprRange, count: int
) -> tuple[FloatArray, float]:
    """Areas under resampled merged curves, and the area that merging leaves out."""
    steps = choose_steps(roc, part, count)
    fp, tp = (np.append(0, side[steps - 1]) for side in (roc.fp, roc.tp))
    merged = float(measure_areas(Rates(fp / roc.n_neg, tp / roc.n_pos), part))
    source = build_step_source(roc, steps, stratified=True)
    drawn = measure_resamples(source, n_resamples, rng, lambda rates: measure_areas(rates, part))
    return drawn, compute_area(roc, part) - merged


def choose_steps(roc: RocCurve, part: FprRange, count: int) -> IndexArray:
    """Choose steps evenly along both axes where resampled curves may be in the range.

    What lies on either side of that becomes one step.
    """
    # A rate varies at most as that of so many independent negatives.
    largest = 1 if roc.clusters is None else max(int(roc.clusters.count_classes()[1].max()), 1)
    near = part.find_neighbourhood(max(roc.n_neg // largest, 1))
    outer = np.array([near.start, np.nextafter(near.stop, np.inf)])
    first, behind = bisect(roc.fp.size, lambda i: roc.fp[i] / roc.n_neg < outer, (2,)).tolist()
    size = behind - first
    x, y = (side[[first, behind - 1]] / side[-1] for side in (roc.fp, roc.tp))

    def along(place: IndexArray) -> FloatArray:
        """Sum of the relative positions along both axes."""
        right = (roc.fp[first + place] / roc.n_neg - x[0]) / max(x[1] - x[0], _NARROWEST)
        up = (roc.tp[first + place] / roc.n_pos - y[0]) / max(y[1] - y[0], _NARROWEST)
        return np.asarray(right + up)

    wanted = np.linspace(0.0, float(along(np.array([size - 1]))[0]), count + 1)
    places = np.minimum(bisect(size, lambda place: along(place) < wanted, wanted.shape), size - 1)
    return np.union1d(first + places + 1, [roc.fp.size])
