"""Average precision in a report."""

from __future__ import annotations

from functools import partial
from typing import Any

from rocbands.precision.average_precision import average_precision_interval
from rocbands.reporting.formatting import round_fields
from rocbands.reporting.request import ReportRequest


def build_precision_section(request: ReportRequest, name: str) -> dict[str, Any] | None:
    """Average precision with its interval, at the given prevalence or that of the rows."""
    work = partial(
        average_precision_interval,
        request.curves[name],
        level=request.each(request.level),
        prevalence=request.given_prevalence,
    )
    found = request.omitted.attempt("average precision", name, work, "Average precision")
    if found is None:
        return None
    return {
        **round_fields(found, "estimate", "low", "high"),
        "method": found.method,
        "notes": list(found.notes),
    }
