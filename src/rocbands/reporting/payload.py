"""All numbers of a report, as one JSON object: what a page shows, and nothing else.

Schema ``rocbands.report/1``. Numbers have six significant digits, thresholds all of theirs; NaN
never appears, and infinite thresholds are the strings 'inf' and '-inf'. What cannot be had is null,
and `omitted` says why. The keys::

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
from rocbands.reporting.curves import bands_section, methods_for, roc_section
from rocbands.reporting.drawing import PLACES
from rocbands.reporting.histogram import scores_section
from rocbands.reporting.numbers import listed, short
from rocbands.reporting.order import Halves, Order, Progress
from rocbands.reporting.pairs import comparison_section
from rocbands.reporting.parts import auc_section, cost_section, points_section, rates_section
from rocbands.reporting.sources import methods_section, references_of
from rocbands.reporting.trust import trust_section
from rocbands.reporting.words import headline

__all__ = ["SCHEMA", "payload_of"]

SCHEMA = "rocbands.report/1"


def payload_of(order: Order, progress: Progress = lambda done, total: None) -> dict[str, Any]:
    """Calculate everything that a report shows.

    Parameters
    ----------
    order : Order
        The rows, and what was asked for.
    progress : callable, optional
        Told what is done, and what there is to do in all.
    """
    from rocbands._version import __version__

    _ = order.curves  # groups and folds are checked here, before anything is made
    parts = _halves(order)
    total = 2 * len(order.curves)
    models = []
    for done, name in enumerate(order.curves):
        progress(done, total)
        models.append(_model(order, name, parts))
    half = len(order.curves)
    comparison = comparison_section(
        order, lambda done, of: progress(half + int(half * done / (of or 1)), total)
    )
    used = [name for name in methods_for(order) if _is_used(name, models)]
    progress(total, total)
    return {
        "schema": SCHEMA,
        "title": order.title,
        "version": __version__,
        "level": order.level,
        "seed": order.seed,
        "headline": headline(order, models, comparison),
        "data": _data(order),
        "levels": order.levels,
        "future": list(order.future),
        "places": listed(PLACES),
        "models": models,
        "comparison": comparison,
        "trust": trust_section(order, models),
        "methods": methods_section(used),
        "references": references_of(used, _shown(models, comparison)),
        "omitted": order.omitted.listed(),
    }


def _halves(order: Order) -> Halves | None:
    if order.folds is not None:
        return None
    if order.groups is not None:
        why = "Limits of a cost take rows for independent of each other; these come in groups."
        order.omitted.add("cost limits", why)
        return None
    rows = order.rows
    if rows is None:
        why = "Thresholds must be chosen on other rows; counts cannot be parted into halves."
        order.omitted.add("cost limits", why)
        return None
    return order.omitted.attempt("cost limits", None, lambda: split_rows(rows, order.seed))


def _model(order: Order, name: str, parts: Halves | None) -> dict[str, Any]:
    roc = order.curves[name]
    bands, centre = bands_section(order, name)
    return {
        "name": name,
        "auc": auc_section(order, name),
        "roc": roc_section(roc, centre),
        "bands": bands,
        "points": points_section(order, name),
        "rates": rates_section(order, name),
        "cost": cost_section(order, name, parts),
        "scores": scores_section(roc),
    }


def _data(order: Order) -> dict[str, Any]:
    n_pos, n_neg = order.sizes
    roc = next(iter(order.curves.values()))
    return {
        "n": n_pos + n_neg,
        "n_pos": n_pos,
        "n_neg": n_neg,
        "prevalence": short(n_pos / (n_pos + n_neg)),
        "positive": str(order.models.positive),
        "source": order.source,
        "groups": None if roc.groups is None else roc.groups.size,
        "folds": len(roc.folds) or None,
    }


def _is_used(method: str, models: list[dict[str, Any]]) -> bool:
    return any(band["method"] == method for model in models for band in model["bands"])


def _shown(models: list[dict[str, Any]], comparison: dict[str, Any] | None) -> list[str]:
    """Name the sections that have sources of their own."""
    named = [model["auc"]["method"] for model in models]
    parts = ("points", "rates", "cost")
    named += [part for part in parts if any(model[part] for model in models)]
    if comparison is not None:
        named += ["comparison", comparison["method"], "several" if comparison["joint"] else None]
    return [name for name in named if name]
