"""Reliability of a report: limitations of the rows, and measured coverage of the bands."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from rocbands.core.counting import walk_steps
from rocbands.core.phrases import FEW
from rocbands.core.roc import RocCurve
from rocbands.reporting.curves import choose_methods
from rocbands.reporting.formatting import count_things, format_percent, format_share
from rocbands.reporting.request import ReportRequest
from rocbands.reporting.words import name_kinds, say

MEASURED_LEVELS = (0.9, 0.95, 0.99)  # at which coverage was measured
FAR = 4.0  # ratio of class sizes beyond which a measurement does not apply


@cache
def _load_measured() -> list[dict[str, Any]]:
    text = files("rocbands.reporting").joinpath("measured.json").read_text(encoding="utf-8")
    rows: list[dict[str, Any]] = json.loads(text)
    return rows


def _compare_sizes(row: Mapping[str, Any], n_pos: float, n_neg: float) -> tuple[float, float]:
    """Return the logarithms of the ratios of measured and given class sizes.

    For real data sets only the number of rows was fixed.
    """
    if row["n_pos"] is None:
        apart = abs(math.log(row["rows"] / (n_pos + n_neg)))
        return apart, apart
    return abs(math.log(row["n_pos"] / n_pos)), abs(math.log(row["n_neg"] / n_neg))


def find_measured(
    method: str, n_pos: float, n_neg: float, level: float = 0.95
) -> list[dict[str, Any]]:
    """Return the measured coverage of a method, from each study at the closest class sizes.

    The closest study of each target comes first.

    Examples
    --------
    >>> [(row["n_pos"], row["level"]) for row in find_measured("likelihood", 40, 60)][0]
    (50, 0.95)
    """
    nearest: dict[tuple[str, str], dict[str, Any]] = {}
    for row in _load_measured():
        if (row["method"], row["level"]) != (method, level):
            continue
        study = row["target"], row["where"].split(";")[0]
        best = nearest.get(study)
        near = sum(_compare_sizes(row, n_pos, n_neg))
        if best is None or near < sum(_compare_sizes(best, n_pos, n_neg)):
            nearest[study] = row
    return sorted(
        nearest.values(),
        key=lambda row: (row["target"] != "true", sum(_compare_sizes(row, n_pos, n_neg))),
    )


def build_trust_section(
    request: ReportRequest, models: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Sentences on limitations of the rows, and the measured coverage of the bands shown."""
    n_pos, n_neg = _find_fewest(request)
    folds = len(next(iter(request.curves.values())).folds) or 1
    made = {band["method"] for model in models for band in model["bands"]}
    measured = [
        row
        for method in choose_methods(request)
        if method in made
        for level in MEASURED_LEVELS
        for row in find_measured(method, n_pos / folds, n_neg / folds, level)
    ]
    sentences = _describe_sizes(request, measured) + _describe_ties(request)
    sentences += _describe_design(request, folds)
    if set(request.extras) - {"folds"}:
        measured = [{**row, "where": f"{row['where']}; independent rows"} for row in measured]
    far = _find_unmeasured(measured, n_pos / folds, n_neg / folds)
    if far:
        sentences.append(say("trust", "unmeasured", methods=", ".join(far)))
    return {"sentences": sentences, "measured": measured}


def _find_unmeasured(measured: list[dict[str, Any]], n_pos: float, n_neg: float) -> list[str]:
    """Name the methods whose closest measurement has far fewer or far more cases of a class."""
    near = {
        row["method"]
        for row in measured
        if row["n_pos"] is not None and max(_compare_sizes(row, n_pos, n_neg)) <= math.log(FAR)
    }
    return list(dict.fromkeys(row["method"] for row in measured if row["method"] not in near))


def _find_fewest(request: ReportRequest) -> tuple[int, int]:
    """Sizes of the group or class with the fewest cases of a side: there limits may fail first."""
    return min(map(request.sizes_of, request.curves), key=min)


def _describe_together(request: ReportRequest, measured: Sequence[Any]) -> list[str]:
    """Say what the level is for; the page has a table of sizes."""
    members, own = f"{len(request.curves)} {name_kinds(request.kind)}", request.each(request.level)
    n_pos, n_neg = _find_fewest(request)
    said = [
        say(
            "trust",
            "together",
            members=members,
            kind=request.kind,
            level=format_percent(request.level),
            own=format_percent(float(f"{own:.4g}")),
        )
    ]
    if measured:
        said.append(say("trust", "fewest", kind=request.kind, n_pos=n_pos, n_neg=n_neg))
    return [*said, *request.notes]


def _describe_sizes(request: ReportRequest, measured: Sequence[Any]) -> list[str]:
    if request.kind != "model":
        return _describe_together(request, measured)
    n_pos, n_neg = request.sizes
    sizes = {
        "positives": count_things(n_pos, "positive"),
        "negatives": count_things(n_neg, "negative"),
    }
    steps = {"finest": format_share(1.0 / n_neg), "steps": format_share(1.0 / n_pos)}
    said = [
        say("trust", "share", **sizes, share=format_share(n_pos / (n_pos + n_neg))),
        say("trust", "resolution", **sizes, **steps),
    ]
    if min(n_pos, n_neg) < FEW:
        cases = sizes["positives" if n_pos <= n_neg else "negatives"]
        said.append(say("trust", "few_measured" if measured else "few", cases=cases))
    return said


def _find_share_of_ties(roc: RocCurve) -> float:
    """Share of the rows whose score also belongs to a row of the other class."""
    tied = 0
    for piece in walk_steps(roc.fp, roc.tp):
        neg, pos = np.diff(piece.fp), np.diff(piece.tp)
        tied += int((pos + neg)[(pos > 0) & (neg > 0)].sum())
    return tied / (roc.n_pos + roc.n_neg)


def _describe_ties(request: ReportRequest) -> list[str]:
    said = []
    for name, roc in request.curves.items():
        share, levels = _find_share_of_ties(roc), roc.thresholds.size
        if roc.binned:
            bins = count_things(levels, "bin")
            said.append(say("trust", "bins", name=name, bins=bins, error=roc.certificate))
        elif levels == 1:
            said.append(say("trust", "constant", name=name))
        elif share >= 0.1:
            tied = format_share(share)
            said.append(say("trust", "ties", name=name, levels=levels, tied=tied))
        if levels > 1 and roc.auc in (0.0, 1.0):
            word = "above" if roc.auc == 1.0 else "below"
            said.append(say("trust", "separated", name=name, word=word))
    return said


def _describe_design(request: ReportRequest, folds: int) -> list[str]:
    roc = next(iter(request.curves.values()))
    values: dict[str, dict[str, Any]] = {
        "weights": {"share": format_share(roc.prevalence)},
        "strata": {"strata": request.n_strata},
        "clusters": {"clusters": count_things(roc.clusters.size if roc.clusters else 0, "cluster")},
        "folds": {"folds": folds},
        "repeats": {"repeats": roc.repeats},
    }
    here = {*request.extras} - {"strata"} | ({"strata"} if request.n_strata else set())
    return [say("trust", key, **value) for key, value in values.items() if key in here]
