"""All numbers of a report, as one JSON object.

Schema ``rocbands.report/5``; docs/report.md describes the keys. Numbers have six significant
digits, thresholds all of theirs; NaN never appears, and infinite thresholds are the strings 'inf'
and '-inf'. What cannot be computed is null, and `omitted` says why.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from typing import Any

from rocbands.core.curve import Curve
from rocbands.core.progress import Progress
from rocbands.core.references import NADEAU_BENGIO, OBUCHOWSKI
from rocbands.core.roc import RocCurve
from rocbands.multiclass.result import ClassBands
from rocbands.reporting.cited import describe_methods, list_references
from rocbands.reporting.confusion import build_confusion_section, count_class_calls
from rocbands.reporting.curves import (
    average_folds,
    build_bands_section,
    build_roc_section,
    choose_methods,
    choose_places,
    note_missing_methods,
)
from rocbands.reporting.findings import (
    describe_best,
    find_reversed,
    recommend_model,
    round_recommendation,
    write_headline,
    write_statistics,
)
from rocbands.reporting.formatting import round_column, round_number
from rocbands.reporting.jobs import Job, run_jobs
from rocbands.reporting.members import (
    compare_members,
    describe_averages,
    describe_groups,
    write_members_headline,
    write_members_statistics,
)
from rocbands.reporting.request import ReportRequest
from rocbands.reporting.sections import (
    CostStudy,
    build_auc_section,
    build_benefit_section,
    build_comparison_section,
    build_cost_differences,
    build_cost_section,
    build_points_section,
    build_precision_section,
    build_rate_differences,
    build_rates_section,
    build_scores_section,
    mean_auc,
    plan_comparison,
)
from rocbands.reporting.trust import build_trust_section
from rocbands.reporting.words import say

SCHEMA = "rocbands.report/5"
ALL_IN_FOCUS = 3  # models up to which all are shown in detail


def build_payload(
    request: ReportRequest, progress: Progress = lambda done, total: None
) -> dict[str, Any]:
    """Compute everything that a report shows."""
    from rocbands._version import __version__

    _ = request.curves  # groups and folds are checked here, before anything is computed
    ranking = sorted(request.curves, key=lambda name: -mean_auc(request.curves[name]))
    focus = request.focus or _choose_focus(request, ranking)
    study = _study_costs(request)
    methods = choose_methods(request)
    detailed = ranking if len(ranking) <= ALL_IN_FOCUS else focus
    note_missing_methods(request, detailed)
    alone: list[Job] = []
    for name in request.curves:
        own = methods if name in detailed else methods[:1]
        alone += [
            partial(build_bands_section, name=name, method=method) if method in own else _skip
            for method in methods
        ]
        alone.append(partial(_describe_model, name=name, study=study))
    jobs: list[Job] = [
        *alone,
        *plan_comparison(request, focus),
        partial(build_cost_differences, study=study, focus=focus),
        partial(build_rate_differences, focus=focus),
    ]
    found = run_jobs(request, jobs, progress)
    each = len(methods) + 1
    models = [
        _join_bands(request, found[start + each - 1], found[start : start + each - 1])
        for start in range(0, len(alone), each)
    ]
    *compared, differences, rate_differences = found[len(alone) :]
    recommended = recommend_model(request, compared[0] if compared else None)
    if request.kind == "model":
        comparison = build_comparison_section(request, compared)
        best, reversed_ = describe_best(request, models), find_reversed(request, models)
        headline = write_headline(request, recommended, reversed_, comparison)
        statistics = write_statistics(request, best, models, comparison, recommended)
    else:
        comparison = compare_members(request, focus)
        headline = write_members_headline(request, models)
        statistics = write_members_statistics(request, models, comparison)
    recommendation = round_recommendation(recommended)
    drawn = {band["method"] for model in models for band in model["bands"]}
    used = [name for name in methods if name in drawn]
    sources = {"clusters": OBUCHOWSKI, "folds": NADEAU_BENGIO}
    unused = [source for design, source in sources.items() if design not in request.extras]
    cited = describe_methods(used, models, comparison, request.kind, unused=unused)
    progress(len(jobs), len(jobs))
    return {
        "schema": SCHEMA,
        "sentence": headline[0],
        "title": request.title,
        "version": __version__,
        "kind": request.kind,
        "level": request.level,
        "made": {"date": find_date(), "seed": request.seed, "command": request.command},
        "headline": headline,
        "statistics": statistics,
        "recommendation": recommendation,
        "preset": {**asdict(request.preset), "asked": list(request.preset.asked)},
        "focus": list(focus),
        "ranking": ranking,
        "data": _describe_data(request),
        "levels": request.levels,
        "future": None if request.future is None else list(request.future),
        "places": round_column(choose_places(request)),
        "models": models,
        "averages": describe_averages(request),
        "comparison": comparison,
        "groups": describe_groups(request),
        "confusion": build_confusion_section(request, models, recommended),
        "class_confusion": count_class_calls(request),
        "rate_differences": rate_differences,
        "cost_differences": differences,
        "trust": build_trust_section(request, models),
        "methods": cited,
        "references": list_references(cited),
        "omitted": request.omitted.to_list(),
    }


def _choose_focus(request: ReportRequest, ranking: Sequence[str]) -> tuple[str, ...]:
    """Choose what is shown in detail: the best two models; the best and worst group or class."""
    if len(ranking) <= ALL_IN_FOCUS:
        return tuple(ranking)
    return ranking[0], ranking[1 if request.kind == "model" else -1]


def _skip(request: ReportRequest) -> tuple[list[Any], None]:
    """Make no band: a model out of focus has those of the first method only."""
    return [], None


def find_date() -> str:
    """Today's date, or that of SOURCE_DATE_EPOCH, by which builds are made reproducible."""
    fixed = os.environ.get("SOURCE_DATE_EPOCH", "")
    moment = int(fixed) if fixed.isdigit() else time.time()
    return datetime.fromtimestamp(moment, UTC).date().isoformat()


def _study_costs(request: ReportRequest) -> CostStudy | None:
    if request.kind != "model":  # no section either
        return None
    rows = request.rows
    if rows is None:
        request.omitted.add("cost limits", say("omitted", "halves"))
        return None
    ask = CostStudy.from_rows
    return request.omitted.attempt("cost limits", None, "A limit of a cost", ask, request, rows)


def _describe_model(request: ReportRequest, name: str, study: CostStudy | None) -> dict[str, Any]:
    roc, attempt = request.curves[name], request.omitted.attempt
    return {
        "name": name,
        "n_pos": roc.n_pos,
        "n_neg": roc.n_neg,
        "auc": build_auc_section(request, name),
        "average_precision": build_precision_section(request, name),
        "roc": build_roc_section(request, name, None) if "folds" not in request.extras else None,
        "bands": [],
        "points": attempt(
            "points", name, "A limit at a point", build_points_section, request, name
        ),
        "rates": build_rates_section(request, name),
        "net_benefit": build_benefit_section(request, name),
        "cost": attempt("cost", name, "", build_cost_section, request, name, study),
        "scores": build_scores_section(roc),
    }


def _join_bands(
    request: ReportRequest, model: dict[str, Any], found: Sequence[tuple[list[Any], Curve | None]]
) -> dict[str, Any]:
    """Add the bands of all methods to a model's section, and with folds their centre."""
    model["bands"] = [band for bands, _ in found for band in bands]
    if "folds" in request.extras:
        name = model["name"]
        centres = (centre for _, centre in found if centre is not None)
        centre = next(centres, None) or average_folds(request, name)
        model["roc"] = build_roc_section(request, name, centre)
    return model


def _describe_data(request: ReportRequest) -> dict[str, Any]:
    roc = next(iter(request.curves.values()))
    return {
        **_count_rows(request, roc),
        "positive": None if request.models.positive is None else str(request.models.positive),
        "source": request.source,
        "clusters": roc.clusters.size if roc.clusters and "clusters" in request.extras else None,
        "strata": request.n_strata,
        "folds": len(roc.folds) or None,
        "repeats": roc.repeats,
        "weighted": request.weighted,
        "notes": list(request.notes),
    }


def _count_rows(request: ReportRequest, roc: RocCurve) -> dict[str, Any]:
    """Count the rows; those of classes are positives of one class and negatives of the others."""
    n_pos, n_neg = request.sizes
    if isinstance(request.result, ClassBands):
        rows = sum(request.result.class_sizes)
        return {"n": rows, **dict.fromkeys(("n_pos", "n_neg", "prevalence"))}
    share = roc.prevalence if request.kind == "model" else n_pos / (n_pos + n_neg)
    total = {"n": n_pos + n_neg, "n_pos": n_pos, "n_neg": n_neg}
    return {**total, "prevalence": round_number(share)}
