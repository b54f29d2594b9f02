"""Which model is better, and where."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

from rocbands.comparison.difference_band import build_difference_band
from rocbands.comparison.many import compare_models
from rocbands.comparison.pair import Pair
from rocbands.comparison.result import Comparisons, DifferenceBand
from rocbands.core.scores import PairedScores, row_groups
from rocbands.reporting.formatting import round_column, round_number
from rocbands.reporting.request import Progress, ReportRequest
from rocbands.reporting.sentences import describe_pair

__all__ = ["MOST_BANDS", "build_comparison_section"]

MOST_BANDS = 15  # pairs of models up to which each gets a band of its own
DRAWS = 5000  # difference curves for a band, or so many that 20 of them lie beyond it
CLOSE = 0.02  # smallest fpr that difference bands were measured at ...
BEYOND = 5.0  # ... with this many negatives below it
NARROWEST = 3.0  # negatives that a range of false positive rates must contain to be claimed


def build_comparison_section(
    request: ReportRequest, focus: Sequence[str], progress: Progress
) -> dict[str, Any] | None:
    """All pairs of models: difference of areas, and where one curve lies above the other."""
    if len(request.curves) < 2:
        return None
    rows = request.rows
    if rows is None:
        why = "Counts do not say which scores of different models belong to the same row."
        request.omitted.add("comparison", why)
        return None
    if request.weights is not None:
        why = "Models are compared on rows that count equally; these have weights."
        request.omitted.add("comparison", why)
        return None
    if request.folds is not None:
        request.omitted.add(
            "comparison",
            "Models are compared on one test set, scored by one model each; these rows were "
            "scored in folds.",
        )
        return None
    found = request.omitted.attempt(
        "comparison",
        None,
        partial(compare_models, rows, level=request.level, groups=request.groups, rng=request.seed),
    )
    if found is None:
        return None
    bands = _build_bands(request, rows, found, focus, progress)
    joint = None
    if len(request.curves) > 2:
        joint = {
            "statistic": round_number(found.statistic),
            "df": found.df,
            "pvalue": round_number(found.pvalue),
        }
    pairs = [
        _describe_pair_of(found, i, bands.get(pair), request.sizes[1])
        for i, pair in enumerate(found.pairs)
    ]
    return {
        "method": found.method,
        "level": found.level,
        "joint": joint,
        "notes": list(found.notes),
        "pairs": pairs,
    }


def _build_bands(
    request: ReportRequest,
    rows: PairedScores,
    found: Comparisons,
    focus: Sequence[str],
    progress: Progress,
) -> dict[tuple[int, int], DifferenceBand]:
    """Bands of the pairs; where there are too many pairs, of those with a model in focus."""
    pairs = list(found.pairs)
    if len(pairs) > MOST_BANDS:
        chosen = {found.names.index(name) for name in focus}
        pairs = [pair for pair in pairs if chosen & set(pair)]
        request.omitted.add(
            "comparison: bands",
            f"Of {len(found.pairs)} pairs only those with {' or '.join(map(repr, focus))} have a "
            "band.",
        )
    owners = None if request.groups is None else row_groups(request.groups, rows[found.names[0]])
    # All bands contain the true differences at once, as the intervals of the areas (Bonferroni).
    level = 1.0 - (1.0 - request.level) / len(found.pairs)
    low = CLOSE if CLOSE * request.sizes[1] >= BEYOND else 0.05
    bands = {}
    for done, (i, j) in enumerate(pairs):
        progress(done, len(pairs))
        first, second = found.names[i], found.names[j]
        work = partial(
            build_difference_band,
            Pair(rows[first], rows[second], groups=owners),
            level=level,
            fpr=(low, 1.0 - low),
            n_resamples=max(DRAWS, min(10 * DRAWS, math.ceil(20.0 / (1.0 - level)))),
            rng=request.seed,
        )
        band = request.omitted.attempt(f"comparison: band of {first} and {second}", None, work)
        if band is not None:
            bands[i, j] = band
    return bands


def _describe_pair_of(
    found: Comparisons, i: int, band: DifferenceBand | None, n_neg: int
) -> dict[str, Any]:
    first, second = (found.names[k] for k in found.pairs[i])
    # One or two negatives decide what a narrow range of false positive rates shows.
    better = (
        []
        if band is None
        else [part for part in band.better if (part.high - part.low) * n_neg >= NARROWEST]
    )
    numbers = {
        "difference": round_number(found.differences[i]),
        "low": round_number(found.low[i]),
        "high": round_number(found.high[i]),
        "pvalue": round_number(found.raw_pvalues[i]),
        "adjusted_pvalue": round_number(found.pvalues[i]),
    }
    ranges = [
        {
            "from": round_number(part.low),
            "to": round_number(part.high),
            "model": (first, second)[part.model - 1],
        }
        for part in better
    ]
    return {
        "first": first,
        "second": second,
        **numbers,
        "sentence": describe_pair(first, second, numbers, ranges, found.level, len(found.pairs)),
        "better": ranges,
        "band": None if band is None else _describe_band(band),
    }


def _describe_band(band: DifferenceBand) -> dict[str, Any]:
    return {
        "fpr": round_column(band.fpr),
        "difference": round_column(band.difference),
        "low": round_column(band.lower),
        "high": round_column(band.upper),
        "level": band.level,
        "notes": list(band.notes),
    }
