"""All numbers of a report, as one JSON object: what a page shows, and nothing else.

Schema ``rocbands.report/1``. Numbers have six significant digits, thresholds all of theirs; NaN
never appears, and infinite thresholds are the strings 'inf' and '-inf'. What cannot be computed is
null, and `omitted` says why. The keys::

    schema, title, version, level, seed     rng=seed makes the same report again
    headline    2 to 5 sentences
    data        n, n_pos, n_neg, prevalence, positive, source, groups, folds (numbers of them)
    levels      the levels that bands are made at
    future      [n_pos, n_neg] of the future test set
    places      false positive rates at which curves and bands are read, as the library gives them
    models      for each model
        name
        auc         estimate, low, high, method, level, target, notes; low, high and method are
                    null for groups inside folds
        roc         fpr, tpr, threshold, tpr_at, threshold_at, what; vertices to be joined by
                    straight lines, on a plain or on a logarithmic axis from 1e-5; a point inside a
                    slanted piece has the threshold of the piece; for an average over folds
                    threshold is null; tpr_at is the curve's height at each of `places`,
                    threshold_at the lowest threshold whose false positive rate is no higher
        bands       method, level, target ('true' or 'future'), target_words, future, coverage,
                    area, guarantee, notes, fpr, lower, upper, lower_at, upper_at; fpr never falls,
                    and comes twice where an edge jumps; lower_at and upper_at are at `places`
        points      for each asked fpr: fpr, threshold, tpr, low, high, method, notes; last the
                    best by Youden's index, with best='youden', fpr_low and fpr_high
        rates       rate, tpr, lower, upper, sentence, level, method, target, notes
        cost        hull (fpr, tpr, threshold), w, cost, low, high, threshold, how; all but hull
                    and how are null where rows cannot be halved
        scores      edges, positives, negatives (shares of the class), scale, at
    comparison  method, level, joint (statistic, df, pvalue; null for two models), notes, pairs:
                first, second, difference, low, high, pvalue, adjusted_pvalue, sentence,
                better (from, to, model), band (fpr, difference, low, high, level, notes); bands of
                several pairs have a higher level each, so that all hold together at the asked one
    trust       sentences; measured: method, target, rows, n_pos, n_neg, level, coverage_low,
                coverage_high, where; n_pos and n_neg are null where only rows were fixed
    methods     name, coverage, guarantee, idea, references
    references  of all that is shown
    omitted     section, why, models (empty: the whole report)
"""

from __future__ import annotations

from typing import Any

from rocbands.cost.thresholds import split_rows
from rocbands.reporting.comparison import build_comparison_section
from rocbands.reporting.curves import (
    PLACES,
    build_bands_section,
    build_roc_section,
    choose_methods,
)
from rocbands.reporting.formatting import round_column, round_number
from rocbands.reporting.references import describe_methods, list_references
from rocbands.reporting.request import Halves, Progress, ReportRequest
from rocbands.reporting.sections import (
    build_auc_section,
    build_cost_section,
    build_points_section,
    build_rates_section,
    build_scores_section,
)
from rocbands.reporting.sentences import write_headline
from rocbands.reporting.trust import build_trust_section

__all__ = ["SCHEMA", "build_payload"]

SCHEMA = "rocbands.report/1"


def build_payload(
    request: ReportRequest, progress: Progress = lambda done, total: None
) -> dict[str, Any]:
    """Compute everything that a report shows.

    Parameters
    ----------
    request : ReportRequest
        The rows, and what was asked for.
    progress : callable, optional
        Called with the number of steps done, and of all steps.
    """
    from rocbands._version import __version__

    _ = request.curves  # groups and folds are checked here, before anything is computed
    parts = _split_rows(request)
    total = 2 * len(request.curves)
    models = []
    for done, name in enumerate(request.curves):
        progress(done, total)
        models.append(_describe_model(request, name, parts))
    half = len(request.curves)
    comparison = build_comparison_section(
        request, lambda done, of: progress(half + int(half * done / (of or 1)), total)
    )
    used = [name for name in choose_methods(request) if _is_used(name, models)]
    progress(total, total)
    return {
        "schema": SCHEMA,
        "title": request.title,
        "version": __version__,
        "level": request.level,
        "seed": request.seed,
        "headline": write_headline(request, models, comparison),
        "data": _describe_data(request),
        "levels": request.levels,
        "future": list(request.future),
        "places": round_column(PLACES),
        "models": models,
        "comparison": comparison,
        "trust": build_trust_section(request, models),
        "methods": describe_methods(used),
        "references": list_references(used, models, comparison),
        "omitted": request.omitted.to_list(),
    }


def _split_rows(request: ReportRequest) -> Halves | None:
    if request.folds is not None:
        return None
    if request.groups is not None:
        why = "Limits of a cost take rows for independent of each other; these come in groups."
        request.omitted.add("cost limits", why)
        return None
    rows = request.rows
    if rows is None:
        why = "Thresholds must be chosen on other rows; counts cannot be parted into halves."
        request.omitted.add("cost limits", why)
        return None
    return request.omitted.attempt("cost limits", None, lambda: split_rows(rows, request.seed))


def _describe_model(request: ReportRequest, name: str, parts: Halves | None) -> dict[str, Any]:
    roc = request.curves[name]
    bands, centre = build_bands_section(request, name)
    return {
        "name": name,
        "auc": build_auc_section(request, name),
        "roc": build_roc_section(roc, centre),
        "bands": bands,
        "points": build_points_section(request, name),
        "rates": build_rates_section(request, name),
        "cost": build_cost_section(request, name, parts),
        "scores": build_scores_section(roc),
    }


def _describe_data(request: ReportRequest) -> dict[str, Any]:
    n_pos, n_neg = request.sizes
    roc = next(iter(request.curves.values()))
    return {
        "n": n_pos + n_neg,
        "n_pos": n_pos,
        "n_neg": n_neg,
        "prevalence": round_number(n_pos / (n_pos + n_neg)),
        "positive": str(request.models.positive),
        "source": request.source,
        "groups": None if roc.groups is None else roc.groups.size,
        "folds": len(roc.folds) or None,
    }


def _is_used(method: str, models: list[dict[str, Any]]) -> bool:
    return any(band["method"] == method for model in models for band in model["bands"])
