"""The sentences of a report, and its references, from the methods' own facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rocbands import auc, bands, comparison, cost, points, rates
from rocbands.auc.folds import FOLD_METHODS
from rocbands.comparison.compare_many import REFERENCES as MANY_REFERENCES
from rocbands.core.method import Method
from rocbands.cost.envelope import REFERENCES as COST_CURVE_REFERENCES
from rocbands.points.thresholds import REFERENCES as BEST_POINT_REFERENCES
from rocbands.reporting.formatting import count_things, format_number, format_percent
from rocbands.reporting.headings import quote_heading
from rocbands.reporting.request import FEW, ReportRequest

MOST = 3  # ranges that a sentence names


def _format_pvalue(pvalue: float, pairs: int) -> str:
    p = "p" if pairs == 1 else "adjusted p"
    return f"{p} = {pvalue:.2g}" if pvalue >= 1e-4 else f"{p} < 0.0001"


def _join_names(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def describe_ranges(ranges: Sequence[Mapping[str, Any]], model: str) -> str:
    """Name the ranges of fpr in which a model is better; of many, where they begin and end."""
    mine = [part for part in ranges if part["model"] == model]
    if len(mine) > MOST:
        return f"{mine[0]['from']:.3g} to {mine[-1]['to']:.3g}, with gaps"
    return ", ".join(f"{part['from']:.3g} to {part['to']:.3g}" for part in mine)


def describe_pair(
    first: str,
    second: str,
    numbers: Mapping[str, float],
    ranges: Sequence[Mapping[str, Any]],
    level: float,
    pairs: int = 1,
) -> str:
    """Say what was found about two models, one of so many pairs."""
    gap, low, high = (numbers[name] for name in ("difference", "low", "high"))
    how = _format_pvalue(numbers["adjusted_pvalue"], pairs)
    significant = numbers["adjusted_pvalue"] < 1.0 - level
    above, below = (first, second) if gap > 0 else (second, first)
    ends = (low, high) if gap > 0 else (-high, -low)
    if low == high == 0.0:
        words = f"{first} and {second} rank all rows alike: these rows cannot distinguish them."
    elif ends[0] > 0.0 and (significant or pairs == 1):
        words = (
            f"The AUC of {above} is higher than that of {below} by {abs(gap):.4f} "
            f"({format_percent(level)} interval {ends[0]:.4f} to {ends[1]:.4f}, {how})."
        )
    elif not significant:
        words = (
            f"The AUCs of {first} and {second} do not differ significantly: the difference is "
            f"{gap:.4f} ({format_percent(level)} interval {low:.4f} to {high:.4f}, {how})."
        )
    else:  # Holm's rule finds more than intervals for all pairs at once
        together = " for all pairs at once" if pairs > 1 else ""
        words = (
            f"The AUC of {above} is higher than that of {below} by a test ({how}), but how much is "
            f"not settled: the difference is {abs(gap):.4f}, and its {format_percent(level)} "
            f"interval{together}, {ends[0]:.4f} to {ends[1]:.4f}, contains 0."
        )
    where = [
        f"{model} finds more positives at fpr {describe_ranges(ranges, model)}."
        for model in (first, second)
        if describe_ranges(ranges, model)
    ]
    return " ".join([words, *where])


def write_headline(
    request: ReportRequest,
    models: Sequence[Mapping[str, Any]],
    comparison: Mapping[str, Any] | None,
    focus: Sequence[str],
) -> list[str]:
    """Write the findings: two to eight sentences."""
    n_pos, n_neg = request.sizes
    sentences = [
        f"{count_things(n_pos + n_neg, 'row')}: {count_things(n_pos, 'positive')} and "
        f"{count_things(n_neg, 'negative')}, scored by {count_things(len(models), 'model')}."
    ]
    best = max(models, key=lambda model: model["auc"]["estimate"])
    sentences.append(_describe_best(best, models, request.level))
    if comparison is not None:
        sentences.append(_describe_rival(best["name"], models, comparison))
    elif len(models) > 1:
        sentences.append(f"The models were not compared: see {quote_heading('omitted')}.")
    first = next((model for model in models if model["name"] == focus[0]), best)
    sentences += _describe_point(request, best if not request.focus else first)
    if "costs" in request.preset.asked:
        sentences += _describe_cost(request, best if not request.focus else first)
    sentences += _ask_about_reversed(models)
    small = min(n_pos, n_neg)
    if small < FEW:
        kind = "positive" if n_pos <= n_neg else "negative"
        sentences.append(
            f"Only {count_things(small, kind)}: little can be said for sure, and limits are wide."
        )
    return [*sentences, *request.models.notes]


def _describe_point(request: ReportRequest, model: Mapping[str, Any]) -> list[str]:
    """Say how many positives are found at the false positive rate that the page starts with."""
    fpr = request.preset.fpr
    point = next((p for p in model["points"] or () if p["fpr"] == fpr and "best" not in p), None)
    if point is None:
        return []
    found, low, high = (format_percent(float(f"{point[k]:.3f}")) for k in ("tpr", "low", "high"))
    return [
        f"At a false positive rate of {format_percent(fpr)}, {model['name']} finds {found} of the "
        f"positives ({format_percent(request.level)} interval {low} to {high})."
    ]


def _describe_cost(request: ReportRequest, model: Mapping[str, Any]) -> list[str]:
    """Say what a model costs at the costs that were asked for, on rows that did not choose."""
    cost, preset = model["cost"], request.preset
    if not cost or not cost["lower"]:
        return []
    i = min(range(len(cost["w"])), key=lambda k: abs(cost["w"][k] - preset.w))
    unit = 1000.0 * (preset.prevalence * preset.c_fn + (1.0 - preset.prevalence) * preset.c_fp)
    middle, low, high = (format_number(unit * cost[key][i]) for key in ("cost", "lower", "upper"))
    return [
        f"With costs {preset.c_fn:g} : {preset.c_fp:g} and {format_percent(preset.prevalence)} "
        f"positives, {model['name']} at threshold {format_number(cost['threshold'][i])} costs "
        f"{middle} per 1,000 cases ({format_percent(request.level)} interval {low} to {high})."
    ]


def _describe_best(
    best: Mapping[str, Any], models: Sequence[Mapping[str, Any]], level: float
) -> str:
    """Say which model has the largest area, and whether it may be chance."""
    auc = best["auc"]
    names = [m["name"] for m in models if m["auc"]["estimate"] == auc["estimate"]]
    limits = ""
    if auc["low"] is not None:
        limits = f" ({format_percent(level)} interval {auc['low']:.3f} to {auc['high']:.3f})"
    if len(models) == 1:
        start = f"{best['name']} has an AUC of"
    else:
        start = f"{_join_names(names)} {'have' if len(names) > 1 else 'has'} the largest AUC,"
    said = f"{start} {auc['estimate']:.3f}{limits}."
    if auc["low"] is not None and auc["low"] <= 0.5 <= auc["high"]:
        said += " The interval contains 0.5: this may be no better than guessing."
    return said


def _ask_about_reversed(models: Sequence[Mapping[str, Any]]) -> list[str]:
    """Ask about models that surely rank the classes the wrong way round."""
    names = [m["name"] for m in models if m["auc"]["high"] is not None and m["auc"]["high"] < 0.5]
    if not names:
        return []
    verb = "ranks" if len(names) == 1 else "rank"
    return [
        f"{_join_names(names)} {verb} positives below negatives, worse than guessing: do larger "
        "scores mean more positive, and is the right label the positive one?"
    ]


def _describe_rival(
    best: str, models: Sequence[Mapping[str, Any]], comparison: Mapping[str, Any]
) -> str:
    """Say whether the runner-up is really different."""
    others = [model for model in models if model["name"] != best]
    second = max(others, key=lambda model: model["auc"]["estimate"])["name"]
    names = {best, second}
    pair = next(p for p in comparison["pairs"] if {p["first"], p["second"]} == names)
    sentence: str = pair["sentence"]
    return sentence


_AUC_METHODS: Mapping[str, type[Method]] = {**auc.METHODS, **FOLD_METHODS}


def describe_methods(names: Sequence[str]) -> list[dict[str, Any]]:
    """Facts about the band methods that are shown."""
    kinds = {name: bands.METHODS[name]() for name in names}
    return [
        {
            "name": name,
            "coverage": kind.coverage,
            "guarantee": kind.guarantee,
            "idea": kind.idea,
            "references": list(kind.references),
        }
        for name, kind in kinds.items()
    ]


def list_references(
    shown: Sequence[str], models: Sequence[Mapping[str, Any]], compared: Mapping[str, Any] | None
) -> list[str]:
    """All sources of what is shown, each once, sorted."""
    found = {source for name in shown for source in bands.METHODS[name].references}
    for model in models:
        for known, method in _find_methods(model):
            found.update(known[method].references)
        if model["points"]:
            found.update(BEST_POINT_REFERENCES)
        if model["cost"]:
            found.update(COST_CURVE_REFERENCES)
    if compared is not None:
        found.update(comparison.METHODS["delong"].references)
        if compared["joint"]:
            found.update(MANY_REFERENCES)
    return sorted(found)


def _find_methods(model: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, type[Method]], str]]:
    """Find the methods behind a model's sections."""
    if model["auc"]["method"]:
        yield _AUC_METHODS, model["auc"]["method"]
    for point in model["points"] or ():
        yield points.METHODS, point["method"]
    if model["rates"]:
        yield rates.METHODS, model["rates"]["method"]
    if model["cost"] and model["cost"]["lower"]:
        yield cost.METHODS, cost.DEFAULT
