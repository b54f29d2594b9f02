"""Groups of people, or classes, instead of models: what a report says of them together.

The curves of :func:`rocbands.subgroups` and :func:`rocbands.class_bands` are the members of a
report, as models are, with limits that hold for all of them together. Statements about several
members, such as differences of groups and average areas of classes, come from those results.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rocbands.comparison.result import DifferenceBand
from rocbands.core.phrases import FEW, name_some, say_cases, split_gap, write_share
from rocbands.multiclass.result import ClassBands
from rocbands.reporting.findings import ask_about_reversed
from rocbands.reporting.formatting import (
    count_things,
    format_percent,
    list_thresholds,
    round_fields,
    round_number,
)
from rocbands.reporting.request import CountedCurves, ReportRequest
from rocbands.reporting.sections import MOST_BANDS, describe_difference_band, list_ranges
from rocbands.reporting.sentences import describe_ranges
from rocbands.reporting.words import name_kinds, say
from rocbands.subgroup.gaps import GroupGap, Quantity
from rocbands.subgroup.result import Subgroups

Section = Mapping[str, Any]
RATES: tuple[Quantity, ...] = ("tpr", "fpr", "ppv", "selection_rate")  # that are shown


def as_curves(result: Subgroups | ClassBands, positive: str | None = None) -> CountedCurves:
    """Take the curves of a result as the members of a report."""
    if isinstance(result, ClassBands):
        names, kind = result.names, "class"
    else:
        names, kind = result.group, "group"
        known = result.gaps.positive
        positive = str(known) if positive is None and known is not None else positive
    curves = {name: band.roc for name, band in zip(names, result.bands, strict=True)}
    drawn = result.simulation and result.simulation.note  # which the page says by its seed
    notes = tuple(note for note in result.notes if note != drawn)
    return CountedCurves(curves, positive, notes, kind, result)  # type: ignore[arg-type]


def describe_averages(request: ReportRequest) -> list[dict[str, Any]]:
    """Average areas of classes, with their limits."""
    result = request.result
    if not isinstance(result, ClassBands):
        return []
    areas = {"macro": result.macro_auc, "hand_till": result.hand_till_auc}
    return [
        {"name": say("class", name), **round_fields(area, "estimate", "low", "high")}
        for name, area in areas.items()
    ]


def compare_members(request: ReportRequest, focus: Sequence[str]) -> dict[str, Any] | None:
    """Differences of the groups' areas and curves, in the form of a comparison of models.

    With many pairs only those with a group in focus have a band.
    """
    result = request.result
    if not isinstance(result, Subgroups):
        request.omitted.add("comparison", say("class", "not_compared"))
        return None
    areas = {gap.groups: gap for gap in result.gaps if gap.quantity == "auc"}
    pairs = [_describe_pair(band, areas[band.names]) for band in result.differences]
    if len(pairs) > MOST_BANDS:
        shown = " or ".join(map(repr, focus))
        why = say("omitted", "pairs", pairs=len(pairs), focus=shown)
        request.omitted.add("comparison: bands", why)
        pairs = [
            pair if {pair["first"], pair["second"]} & set(focus) else {**pair, "band": None}
            for pair in pairs
        ]
    return {
        "method": "score-delong",
        "level": result.level,
        "joint": None,
        "notes": [],
        "pairs": pairs,
    }


def _describe_pair(band: DifferenceBand, area: GroupGap) -> dict[str, Any]:
    """Describe the difference of two groups, or of a group and the rest."""
    first, second = band.names
    ranges = list_ranges(band, min(roc.n_neg for roc in band.curves or ()))
    return {
        "first": first,
        "second": second,
        **round_fields(area, "difference", "low", "high"),
        "pvalue": None,
        "adjusted_pvalue": None,
        "sentence": _write_pair(area, ranges),
        "better": ranges,
        "band": describe_difference_band(band),
    }


def _write_pair(area: GroupGap, ranges: Sequence[Section]) -> str:
    """Say whether the areas of two groups differ, and where more positives of one are found."""
    gap, low, high = area.larger_first
    above, below = area.groups if (area.difference or 0.0) >= 0.0 else area.groups[::-1]
    key = "not_significant" if area.may_be_chance else "higher"
    size, _, limits = split_gap(gap, low, high, write_share, ("higher", "lower"))
    said = [say("group", key, above=above, below=below, gap=size, limits=limits)]
    for name in area.groups:
        where = describe_ranges(ranges, name)
        said += [say("group", "where", name=name, ranges=where)] if where else []
    return " ".join(said)


def describe_groups(request: ReportRequest) -> dict[str, Any] | None:
    """Rates of groups at the threshold, and all differences, with limits."""
    result = request.result
    if not isinstance(result, Subgroups):
        return None
    rates = [
        {
            "quantity": name,
            "group": group,
            **{
                key: _round_known(getattr(result, name + end)[i])
                for key, end in (("estimate", ""), ("low", "_lower"), ("high", "_upper"))
            },
        }
        for name in RATES
        for i, group in enumerate(result.group)
    ]
    differences = [
        {
            "quantity": gap.quantity,
            "first": gap.groups[0],
            "second": gap.groups[1],
            **{key: _round_known(getattr(gap, key)) for key in ("difference", "low", "high")},
        }
        for gap in result.gaps.of("auc", *RATES)
    ]
    return {
        "threshold": list_thresholds(np.array([result.threshold]))[0],
        "threshold_text": result.threshold_text,
        "at_fpr": result.at_fpr,
        "against": result.against,
        "how": say("group", "how", pairs=len(result.differences)),
        "notes": list(result.gaps.notes),
        "rates": rates,
        "differences": differences,
    }


def _round_known(value: float | None) -> float | None:
    """Round a number; None if there is none, as the PPV where nobody is called positive."""
    return None if value is None or math.isnan(value) else round_number(value)


def write_members_headline(request: ReportRequest, models: Sequence[Section]) -> list[str]:
    """Write the findings on groups or classes: first the answer in words."""
    result = request.result
    if result is None:
        raise TypeError("Only groups and classes have findings of their own.")
    rows = sum(result.class_sizes) if isinstance(result, ClassBands) else sum(request.sizes)
    n_pos, n_neg = request.sizes
    sizes = {
        "rows": count_things(rows, "row"),
        "members": f"{len(models)} {name_kinds(request.kind)}",
    }
    if isinstance(result, Subgroups):
        positives, negatives = map(say_cases, (n_pos, n_neg), result.gaps.cases)
        sizes |= {"model": result.gaps.subject, "positives": positives, "negatives": negatives}
    sentences = [result.sentence, say(request.kind, "size", **sizes)]
    sentences += ask_about_reversed(
        [m["name"] for m in models if m["auc"]["high"] is not None and m["auc"]["high"] < 0.5]
    )
    few = [m["name"] for m in models if min(m["n_pos"], m["n_neg"]) < FEW]
    if few and isinstance(result, ClassBands):  # small groups are in the first sentence
        sentences.append(say("class", "few", names=name_some(few), count=FEW))
    return [*filter(None, sentences)]


def write_members_statistics(
    request: ReportRequest, models: Sequence[Section], comparison: Section | None
) -> list[str]:
    """Write the largest and the smallest area with limits, and the largest difference of groups."""
    ranked = sorted(models, key=lambda model: -model["auc"]["estimate"])
    ends = [
        say(
            "members",
            "area",
            name=model["name"],
            **{key: write_share(model["auc"][key]) for key in ("estimate", "low", "high")},
        )
        for model in (ranked[0], ranked[-1])
        if model["auc"]["low"] is not None
    ]
    said = [say("members", "areas", ends=" and ".join(ends), level=format_percent(request.level))]
    if comparison and isinstance(request.result, Subgroups):
        first = request.result.gaps.rank("auc")[0].groups
        pairs = comparison["pairs"]
        said += [pair["sentence"] for pair in pairs if (pair["first"], pair["second"]) == first]
    return said if ends else []
