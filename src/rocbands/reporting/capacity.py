"""Differences of recall when a share of the cases is acted on."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import combinations
from typing import Any

from rocbands.rates.difference import rate_difference
from rocbands.reporting.formatting import round_number
from rocbands.reporting.request import ReportRequest


def build_rate_differences(request: ReportRequest, focus: Sequence[str]) -> list[dict[str, Any]]:
    """Compare the models in focus at the initial capacity; limits hold for all their pairs."""
    rows, rate = request.rows, request.preset.capacity
    pairs = list(combinations([name for name in request.curves if name in focus], 2))
    found: list[dict[str, Any]] = []
    if rows is None or not pairs:
        return found
    for first, second in pairs:
        level = 1.0 - (1.0 - request.level) / len(pairs)
        work = partial(rate_difference, rows[[first, second]], rate=rate, level=level)
        what = "A difference at a rate"
        gap = request.omitted.attempt("rates: differences", None, work, what)
        if gap is None:
            break
        columns = {"difference": gap.difference, "low": gap.lower, "high": gap.upper}
        numbers = {name: round_number(float(column[0])) for name, column in columns.items()}
        found.append(
            {
                "first": first,
                "second": second,
                "rate": rate,
                **numbers,
                "sentence": gap.sentence_at(rate),
                "level": round_number(level),
                "notes": list(gap.notes),
            }
        )
    return found
