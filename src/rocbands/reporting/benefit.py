"""Net benefit in a report, for scores that are probabilities."""

from __future__ import annotations

from functools import partial
from typing import Any

from rocbands.core.roc import RocCurve
from rocbands.decision.net_benefit import net_benefit
from rocbands.reporting.formatting import round_fields, round_number
from rocbands.reporting.request import ReportRequest
from rocbands.reporting.words import say

COLUMNS = (
    *("threshold", "net_benefit", "net_benefit_lower", "net_benefit_upper", "treat_all"),
    *("difference", "difference_lower", "difference_upper"),
)


def build_benefit_section(request: ReportRequest, name: str) -> dict[str, Any] | None:
    """Net benefit at threshold probabilities, compared with treating all and treating none."""
    roc = request.curves[name]
    if not _are_probabilities(roc):
        request.omitted.add("net benefit", say("omitted", "no_probabilities"), name)
        return None
    work = partial(
        net_benefit, roc, level=request.each(request.level), prevalence=request.given_prevalence
    )
    found = request.omitted.attempt("net benefit", name, work, "Net benefit")
    if found is None:
        return None
    better = [
        {"from": round_number(part.low), "to": round_number(part.high)}
        for part in found.better
        if part.model == 1
    ]
    return {
        **round_fields(found, *COLUMNS),
        "better": better,
        "sentence": found.sentence,
        "coverage": found.coverage,
        "notes": list(found.notes),
    }


def _are_probabilities(roc: RocCurve) -> bool:
    """Tell whether all scores lie between 0 and 1, and not only at these ends."""
    highest, lowest = (float(score) for score in roc.thresholds[[0, -1]])
    return lowest >= 0.0 and highest <= 1.0 and roc.thresholds.size > 2
