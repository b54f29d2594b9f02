"""How far a report can be trusted: what the rows allow, and the measured coverage of the bands."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from rocbands.core.pieces import walk_steps
from rocbands.core.roc import RocCurve
from rocbands.reporting.curves import choose_methods
from rocbands.reporting.formatting import count_things, format_percent
from rocbands.reporting.headings import quote_heading
from rocbands.reporting.request import FEW, ReportRequest

FAR = 4.0  # ratio of class sizes beyond which a measurement does not apply


@cache
def _load_measured() -> list[dict[str, Any]]:
    text = files("rocbands.reporting").joinpath("measured.json").read_text(encoding="utf-8")
    rows: list[dict[str, Any]] = json.loads(text)
    return rows


def _compare_sizes(row: Mapping[str, Any], n_pos: float, n_neg: float) -> tuple[float, float]:
    """Return the logarithms of the ratios of measured and given class sizes.

    Of real data sets only the number of rows was fixed.
    """
    if row["n_pos"] is None:
        apart = abs(math.log(row["rows"] / (n_pos + n_neg)))
        return apart, apart
    return abs(math.log(row["n_pos"] / n_pos)), abs(math.log(row["n_neg"] / n_neg))


def find_measured(
    method: str, n_pos: float, n_neg: float, level: float = 0.95
) -> list[dict[str, Any]]:
    """Return what was measured of a method, from each study at the sizes closest to the given ones.

    The study that comes closest is the first of its target. Of the measured levels (.90, .95 and
    .99) it is the one closest to `level`.

    Examples
    --------
    >>> [(row["n_pos"], row["level"]) for row in find_measured("likelihood", 40, 60)][0]
    (50, 0.95)
    """
    known = [row for row in _load_measured() if row["method"] == method]
    shown = min({row["level"] for row in known}, key=lambda at: abs(at - level), default=None)
    nearest: dict[tuple[str, str], dict[str, Any]] = {}
    for row in known:
        if row["level"] != shown:
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
    """Sentences on what the rows allow, and the measured coverage of the bands shown."""
    n_pos, n_neg = request.sizes
    folds = len(next(iter(request.curves.values())).folds) or 1
    made = {band["method"] for model in models for band in model["bands"]}
    measured = [
        row
        for method in choose_methods(request)
        if method in made
        for row in find_measured(method, n_pos / folds, n_neg / folds, request.level)
    ]
    sentences = _describe_sizes(request, measured) + _describe_ties(request)
    sentences += _describe_design(request, folds)
    if set(request.extras) - {"folds"}:
        measured = [{**row, "where": f"{row['where']}; independent rows"} for row in measured]
    far = _find_unmeasured(measured, n_pos / folds, n_neg / folds)
    if far:
        sentences.append(
            f"Coverage was not measured at sizes like these ({', '.join(far)}); the closest ones "
            "are shown."
        )
    return {"sentences": sentences, "measured": measured}


def _find_unmeasured(measured: list[dict[str, Any]], n_pos: float, n_neg: float) -> list[str]:
    """Name the methods of which even the closest row has far fewer or far more of a class."""
    near = {
        row["method"]
        for row in measured
        if row["n_pos"] is not None and max(_compare_sizes(row, n_pos, n_neg)) <= math.log(FAR)
    }
    return list(dict.fromkeys(row["method"] for row in measured if row["method"] not in near))


def _describe_sizes(request: ReportRequest, measured: Sequence[Any]) -> list[str]:
    n_pos, n_neg = request.sizes
    small, kind = (n_pos, "positive") if n_pos <= n_neg else (n_neg, "negative")
    share = format_percent(n_pos / (n_pos + n_neg))
    finest, steps = format_percent(1.0 / n_neg), format_percent(1.0 / n_pos)
    said = [
        f"{count_things(n_pos, 'positive')} and {count_things(n_neg, 'negative')}: {share} of the "
        "rows are positive. ROC curves and areas do not depend on that share; costs and rates of "
        "acting do.",
        f"With {count_things(n_neg, 'negative')}, false positive rates below {finest} cannot be "
        f"resolved; with {count_things(n_pos, 'positive')}, the true positive rate moves in steps "
        f"of {steps}.",
    ]
    if small < FEW:
        see = f": see {quote_heading('measured')}" if measured else ""
        said.append(
            f"The smaller class has {count_things(small, kind)}. Limits are wide, and bands from "
            f"resampling can still be too narrow{see}."
        )
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
            said.append(
                f"{name} is known in {count_things(levels, 'bin')} of scores: all limits allow for "
                f"every order inside them, and its AUC is known to ±{roc.certificate:.2g}."
            )
        elif levels == 1:
            said.append(f"{name} gives all rows the same score: it carries no information.")
        elif share >= 0.1:
            tied = format_percent(round(share, 3))
            said.append(
                f"{name} has {levels:,} distinct scores, and {tied} of the rows share theirs with "
                "a row of the other class; ties count one half."
            )
        if levels > 1 and roc.auc in (0.0, 1.0):
            word = "above" if roc.auc == 1.0 else "below"
            said.append(
                f"{name} scores every positive {word} every negative. That is an estimate like "
                "any other: the interval shows how much worse it may be."
            )
    return said


def _describe_design(request: ReportRequest, folds: int) -> list[str]:
    said = []
    roc = next(iter(request.curves.values()))
    if "weights" in request.extras:
        share = format_percent(roc.prevalence)
        said.append(
            f"Rows have weights, and by weight {share} are positive. The notes of each result give "
            "the effective sample size."
        )
    if request.n_strata is not None:
        said.append(f"Rows were sampled in {request.n_strata:,} strata.")
    if "groups" in request.extras:
        count = 0 if roc.groups is None else roc.groups.size
        said.append(f"Rows belong to {count_things(count, 'group')}; only groups are independent.")
    if "folds" in request.extras:
        said.append(
            f"Rows were scored in {folds} folds, by different models. Curves are averaged over the "
            "folds, and scores of different folds are never compared."
        )
    if "repeats" in request.extras:
        said.append(
            f"Each row comes {roc.repeats} times, once for each repetition of the folds: there are "
            "fewer independent rows than these counts say."
        )
    return said
