"""Which model is better, and where."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from rocbands.comparison.difference_band import difference_band
from rocbands.comparison.many import compare_many
from rocbands.comparison.result import Comparisons, DifferenceBand
from rocbands.core.scores import PairedScores
from rocbands.reporting.numbers import listed, short
from rocbands.reporting.order import Order, Progress
from rocbands.reporting.words import of_pair

__all__ = ["MOST_BANDS", "comparison_section"]

MOST_BANDS = 15  # pairs of models up to which each gets a band of its own
DRAWS = 5000  # difference curves for a band, or as many as 20 of them lie beyond it
CLOSE = 0.02  # smallest fpr that difference bands were measured at ...
BEYOND = 5.0  # ... with this many negatives below it


def comparison_section(order: Order, progress: Progress) -> dict[str, Any] | None:
    """All pairs of models: difference of areas, and where one curve lies above the other."""
    if len(order.curves) < 2:
        return None
    rows = order.rows
    if rows is None:
        why = "Counts do not say which scores of different models belong to the same row."
        order.omitted.add("comparison", why)
        return None
    if order.folds is not None:
        order.omitted.add(
            "comparison",
            "Models are compared on one test set, scored by one model each; these rows were "
            "scored in folds.",
        )
        return None
    found = order.omitted.attempt("comparison", None, partial(_areas, order, rows))
    if found is None:
        return None
    bands = _bands(order, rows, found, progress)
    joint = None
    if len(order.curves) > 2:
        joint = {
            "statistic": short(found.statistic),
            "df": found.df,
            "pvalue": short(found.pvalue),
        }
    pairs = [_pair(found, i, bands.get(pair)) for i, pair in enumerate(found.pairs)]
    return {
        "method": found.method,
        "level": found.level,
        "joint": joint,
        "notes": list(found.notes),
        "pairs": pairs,
    }


def _areas(order: Order, rows: PairedScores) -> Comparisons:
    return compare_many(
        rows.is_positive,
        rows.models,
        level=order.level,
        groups=order.groups,
        rng=order.seed,
    )


def _bands(
    order: Order, rows: PairedScores, found: Comparisons, progress: Progress
) -> dict[tuple[int, int], DifferenceBand]:
    """Bands of the pairs; where there are too many pairs, of those with the best model."""
    pairs = list(found.pairs)
    if len(pairs) > MOST_BANDS:
        best = int(np.argmax(found.estimates))
        pairs = [pair for pair in pairs if best in pair]
        order.omitted.add(
            "comparison: bands",
            f"Of {len(found.pairs)} pairs only those with {found.names[best]!r}, which has the "
            "largest AUC, have a band.",
        )
    # All bands hold together, as do the intervals of the areas (Bonferroni).
    level = 1.0 - (1.0 - order.level) / len(found.pairs)
    low = CLOSE if CLOSE * order.sizes[1] >= BEYOND else 0.05
    bands = {}
    for done, (i, j) in enumerate(pairs):
        progress(done, len(pairs))
        first, second = found.names[i], found.names[j]
        work = partial(
            difference_band,
            rows.is_positive,
            rows.models[first],
            rows.models[second],
            level=level,
            fpr=(low, 1.0 - low),
            n_resamples=max(DRAWS, min(10 * DRAWS, math.ceil(20.0 / (1.0 - level)))),
            groups=order.groups,
            rng=order.seed,
        )
        band = order.omitted.attempt(f"comparison: band of {first} and {second}", None, work)
        if band is not None:
            bands[i, j] = band
    return bands


def _pair(found: Comparisons, i: int, band: DifferenceBand | None) -> dict[str, Any]:
    first, second = (found.names[k] for k in found.pairs[i])
    better = [] if band is None else band.better
    numbers = {
        "difference": short(found.differences[i]),
        "low": short(found.low[i]),
        "high": short(found.high[i]),
        "pvalue": short(found.raw_pvalues[i]),
        "adjusted_pvalue": short(found.pvalues[i]),
    }
    ranges = [
        {"from": short(part.low), "to": short(part.high), "model": (first, second)[part.model - 1]}
        for part in better
    ]
    return {
        "first": first,
        "second": second,
        **numbers,
        "sentence": of_pair(first, second, numbers, ranges, found.level, len(found.pairs)),
        "better": ranges,
        "band": None if band is None else _drawn(band),
    }


def _drawn(band: DifferenceBand) -> dict[str, Any]:
    return {
        "fpr": listed(band.fpr),
        "difference": listed(band.difference),
        "low": listed(band.lower),
        "high": listed(band.upper),
        "level": band.level,
        "notes": list(band.notes),
    }
