"""The page: one HTML file with its numbers, its style and its script; pictures as SVG for print."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from importlib.resources import files
from typing import Any, TypeAlias

from rocbands.core.phrases import in_100, say_ends
from rocbands.reporting import formatting
from rocbands.reporting.readers_page import arrange_page
from rocbands.reporting.sentences import say_pair
from rocbands.reporting.words import PARTS, QUANTITIES, find_headings, name_kinds, name_section, say

# The script's files in the order in which they stand; each uses only those before it. The first is
# all that the page of a reader study needs.
SCRIPTS = (
    *("page", "basics", "save", "chart", "bands", "views", "roc"),
    *("confusion", "difference", "cost", "benefit", "rates", "scores", "main"),
)


# How the template writes numbers.
_FILTERS = {
    "rate": formatting.format_rate,
    "short": formatting.format_signed,
    "signed": partial(formatting.format_difference, digits=3),
    "chance": formatting.format_pvalue,
    "plain": formatting.format_number,
    "percent": formatting.format_percent,
    "share": formatting.format_share,
    "limits": formatting.format_limits,
    "count": formatting.format_count,
    "ended": formatting.end_sentence,
    "said": say_pair,
    "in_100": in_100,
    "section": name_section,
    "ends": say_ends,
}


MOST_DECIMALS = 4  # of a rate in a table
MOST_DIFFERENCES = 10  # of groups up to which all have a row on the page
FEW_PAIRS = 3  # up to which each pair of models is described in a sentence


def render(payload: Mapping[str, Any]) -> str:
    """Write a report's payload as one HTML page that needs nothing else.

    Names given by users are escaped, and the content security policy forbids network access.
    """
    if payload["kind"] == "readers":
        return _fill("readers.html.j2", payload, SCRIPTS[:1], arrange_page(payload))
    headings, menu = find_headings(payload["kind"])
    values = {
        "kind": payload["kind"],
        "kinds": name_kinds(payload["kind"]),
        "headings": headings,
        "menu": {key: word for key, word in menu.items() if _has_section(payload, key)},
        "ranked": _rank_models(payload),
        "points": _arrange_points(payload),
        "matrix": _arrange_pairs(payload),
        "listed_pairs": _list_pairs(payload),
        "quantities": QUANTITIES,
        "averages": say("class", "averages"),
        "parts": PARTS,
        "group_rates": _arrange_cells(payload, "rates"),
        "group_differences": _part_differences(payload),
        "group_pairs": _rank_pairs(payload),
        "auc_how": _list_distinct(model["auc"]["method"] for model in payload["models"]),
        "notes_of": {part: _collect_notes(payload, part) for part in _NOTED},
        "precision": any(model["average_precision"] for model in payload["models"]),
        "calls": _arrange_calls(payload),
        "places": {model["name"]: k for k, model in enumerate(payload["models"])},
        "cost_how": _list_distinct(
            model["cost"]["how"] for model in payload["models"] if model["cost"]
        ),
        "measured": _arrange_measured(payload),
        "omitted": payload.get("omitted") or [],
        "lowest_auc": _find_lowest(payload),
        "still": _draw_curves(payload),
        "still_caption": _write_caption(payload),
    }
    return _fill("page.html.j2", payload, SCRIPTS, values)


def _fill(
    name: str, payload: Mapping[str, Any], scripts: Sequence[str], values: Mapping[str, Any]
) -> str:
    """Fill in a template; its style, its script and the numbers are inside."""
    from markupsafe import Markup

    parts = "\n".join(read_file(f"{part}.js") for part in scripts)
    script = f'(() => {{\n"use strict";\n{parts}}})();\n'
    style = read_file("style.css")
    page: str = _load_template(name).render(
        payload=payload,
        style=Markup(style),
        style_hash=hash_text(style),
        script=Markup(script),
        script_hash=hash_text(script),
        data=Markup(_embed_json(payload)),
        **values,
    )
    return page


def _load_template(name: str) -> Any:
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        loader=FunctionLoader(read_file),
    )
    environment.filters.update(_FILTERS)
    return environment.get_template(name)


def read_file(name: str) -> str:
    """Return a file of the page."""
    return (files("rocbands.reporting") / "page" / name).read_text(encoding="utf-8")


def hash_text(text: str) -> str:
    """Return the hash by which the content security policy allows a style or script."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _embed_json(payload: Mapping[str, Any]) -> str:
    """Write the payload as JSON that cannot close its script element."""
    text = json.dumps(payload, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


_NOTED = ("auc", "points", "rates", "net_benefit", "average_precision")
_KEYS = {"cost": "cost", "rates": "rates", "scores": "scores", "benefit": "net_benefit"}
_OMITTED = {"better": "comparison", "cost": "cost", "rates": "rates", "benefit": "net benefit"}


def _has_section(payload: Mapping[str, Any], section: str) -> bool:
    """Tell whether a section is there, or the reason why it is not.

    Groups have no costs, classes neither costs nor a comparison: that is no gap to explain there.
    """
    if payload["kind"] != "model" and section in ("better", "cost"):
        return section == "better" and bool(payload["comparison"])
    if any(part["section"] == _OMITTED.get(section) for part in payload.get("omitted") or ()):
        return True
    if section == "better":
        return bool(payload["comparison"])
    if section == "confusion":
        return bool(payload["confusion"] or payload["class_confusion"])
    return section not in _KEYS or any(model[_KEYS[section]] for model in payload["models"])


def _rank_models(payload: Mapping[str, Any]) -> list[int]:
    """Return the models' indices in the payload, by decreasing AUC."""
    names = [model["name"] for model in payload["models"]]
    return [names.index(name) for name in payload["ranking"]]


def _arrange_calls(payload: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Split the models of each rule: those in focus and the recommended one, and the others.

    Groups and classes are not split: a reader compares all of them.
    """
    found = payload["recommendation"]
    shown = {*payload["focus"]}
    if found is not None:
        shown |= {*found["shown"]}
    parts = []
    for part in payload["confusion"]:
        split: dict[bool, list[Any]] = {True: [], False: []}
        for model in sorted(part["models"], key=lambda m: payload["ranking"].index(m["name"])):
            split[payload["kind"] != "model" or model["name"] in shown].append(model)
        parts.append({**part, "first": split[True], "others": split[False]})
    return parts


def _arrange_points(payload: Mapping[str, Any]) -> dict[str, Any] | None:
    """Arrange the operating points as a matrix: a row for each model, a column for each place.

    `rows` are those of the models in focus, or of all groups or classes, `others` the rest;
    `observed` are the rates at thresholds, where these differ from the rates asked for.
    """
    models = payload["models"]
    names = list(dict.fromkeys(_name_place(p) for model in models for p in model["points"] or ()))
    if not names:
        return None
    columns = [_write_points(models, name) for name in names]
    parts: dict[bool, list[Any]] = {True: [], False: []}
    for k in _rank_models(payload):
        row = k, [column.get(k) for column in columns]
        shown = payload["kind"] != "model" or models[k]["name"] in payload["focus"]
        parts[shown].append(row)
    observed = [
        f"{models[k]['name']}, {place}: FPR {formatting.format_rate(point['threshold_fpr'])}, "
        f"TPR {formatting.format_rate(point['threshold_tpr'])}."
        for k in _rank_models(payload)
        for point in models[k]["points"] or ()
        if (place := _name_place(point)) and _is_lower(point)
    ]
    return {
        "places": names,
        "rows": parts[True] or parts[False],
        "others": parts[False] if parts[True] else [],
        "observed": observed,
    }


def _is_lower(point: Mapping[str, Any]) -> bool:
    """Tell whether a threshold has other rates than the point of the curve that it stands for."""
    pairs = (("fpr", "threshold_fpr"), ("tpr", "threshold_tpr"))
    return any(abs(point[own] - point[at]) > 5e-4 for own, at in pairs)


def _write_points(models: Sequence[Mapping[str, Any]], name: str) -> dict[int, dict[str, str]]:
    """Write the points of one column, with the same number of decimals."""
    found = {
        k: point
        for k, model in enumerate(models)
        for point in model["points"] or ()
        if _name_place(point) == name
    }
    rates = [point[part] for point in found.values() for part in ("tpr", "low", "high")]
    digits = min(MOST_DECIMALS, formatting.count_decimals(rates))
    write = partial(formatting.format_decimals, digits=digits)
    return {
        k: {
            "tpr": write(point["tpr"]),
            "limits": f"{write(point['low'])} to {write(point['high'])}",
            "at": _write_best(point),
            "threshold": point["threshold_text"],
        }
        for k, point in found.items()
    }


def _write_best(point: Mapping[str, Any]) -> str:
    """Write the false positive rate of a best point, which is estimated as well."""
    if "best" not in point:
        return ""
    ends = {"low": point["fpr_low"], "high": point["fpr_high"]}
    return f"{formatting.format_rate(point['fpr'])} ({formatting.format_limits(ends)})"


def _arrange_measured(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Arrange the measured coverage: a row for each study, a column for each level."""
    found = payload["trust"]["measured"]
    levels = sorted({row["level"] for row in found})
    studies: dict[tuple[Any, ...], dict[float, str]] = {}
    for row in found:
        both = (row["coverage_low"], row["coverage_high"])
        sizes = f"{row['rows']:,}"
        if row["n_pos"] is not None:
            sizes = f"{row['n_pos']:,} + {row['n_neg']:,}"
        study = row["method"], row["target"], sizes, row["where"]
        studies.setdefault(study, {})[row["level"]] = " to ".join(
            map(formatting.format_share, both)
        )
    rows = [
        {
            **dict(zip(("method", "target", "cases", "where"), study, strict=True)),
            "cells": [cells.get(level, formatting.MISSING) for level in levels],
        }
        for study, cells in studies.items()
    ]
    return {"levels": levels, "rows": rows}


def _name_place(point: Mapping[str, Any]) -> str:
    best = point.get("best")
    return f"Best by {best.capitalize()}" if best else f"FPR {point['fpr']:g}"


def _arrange_pairs(payload: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Arrange all differences of AUC as the upper half of a matrix, in the order of the ranking."""
    if not payload["comparison"] or payload["kind"] != "model":
        return []
    pairs = {(p["first"], p["second"]): (p, 1.0) for p in payload["comparison"]["pairs"]}
    pairs |= {(two, one): (p, -1.0) for (one, two), (p, _) in list(pairs.items())}
    ranked, names = _rank_models(payload), payload["ranking"]
    rows = []
    for i, k in enumerate(ranked[:-1]):
        cells: list[dict[str, Any] | None] = [None] * i
        for other in names[i + 1 :]:
            pair, sign = pairs[names[i], other]
            low, high = sorted((sign * pair["low"], sign * pair["high"]))
            cells.append(
                {
                    "difference": sign * pair["difference"],
                    "low": low,
                    "high": high,
                    "p": pair["adjusted_pvalue"],
                    "significant": pair["adjusted_pvalue"] < 1.0 - payload["level"],
                }
            )
        rows.append({"k": k, "cells": cells})
    return rows


def _arrange_cells(payload: Mapping[str, Any], part: str) -> list[tuple[str, dict[str, Any]]]:
    """Arrange rates of groups, or their differences, in rows with a cell for each quantity."""
    rows: dict[str, dict[str, Any]] = {}
    for cell in (payload["groups"] or {}).get(part, ()):
        name = cell.get("group") or f"{cell['first']} minus {cell['second']}"
        rows.setdefault(name, {})[cell["quantity"]] = cell
    return list(rows.items())


def _part_differences(payload: Mapping[str, Any]) -> tuple[list[Any], list[Any]]:
    """Rows of differences of groups, in the order of the findings, and of many those folded."""

    def order(row: tuple[str, dict[str, Any]]) -> tuple[bool, bool, float]:
        cells = row[1]
        return not _excludes_0(cells["tpr"]), not is_shown(row), -abs(cells["tpr"]["difference"])

    def is_shown(row: tuple[str, dict[str, Any]]) -> bool:
        return any(map(_excludes_0, row[1].values()))

    rows = sorted(_arrange_cells(payload, "differences"), key=order)
    if len(rows) <= MOST_DIFFERENCES:
        return rows, []
    some = list(filter(is_shown, rows)) or rows[:FEW_PAIRS]
    return some, [row for row in rows if row not in some]


def _rank_pairs(payload: Mapping[str, Any]) -> list[Any]:
    """Comparisons of two groups: those that are shown, then the others, largest first."""
    if payload["kind"] != "group":
        return []
    pairs = payload["comparison"]["pairs"]
    return sorted(pairs, key=lambda pair: (not _excludes_0(pair), -abs(pair["difference"])))


def _excludes_0(cell: Mapping[str, Any]) -> bool:
    return cell["low"] is not None and not cell["low"] <= 0.0 <= cell["high"]


def _list_pairs(payload: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the pairs that have a row: all, or with many models those with the first one."""
    if not payload["comparison"]:
        return []
    pairs: list[Mapping[str, Any]] = payload["comparison"]["pairs"]
    if len(pairs) <= FEW_PAIRS:
        return pairs
    first = payload["focus"][0]
    return [pair for pair in pairs if first in (pair["first"], pair["second"])]


def _collect_notes(payload: Mapping[str, Any], part: str) -> list[str]:
    """Return the notes of a section that do not already stand at the top of the page.

    Each names its models unless it is about all of them.
    """
    owners: dict[str, list[str]] = {}
    for model in payload["models"]:
        found = model[part] or []
        for one in [found] if isinstance(found, Mapping) else found:
            for note in one["notes"]:
                if model["name"] not in owners.setdefault(note, []):
                    owners[note].append(model["name"])
    count = len(payload["models"])
    said = [n if len(names) == count else f"{', '.join(names)}: {n}" for n, names in owners.items()]
    return [note for note in said if note not in payload["headline"]]


def _list_distinct(words: Iterable[str | None]) -> list[str]:
    return list(dict.fromkeys(word for word in words if word))


def _write_caption(payload: Mapping[str, Any]) -> str:
    bands = [find_default_band(model, payload["level"]) for model in payload["models"]]
    band = next((band for band in bands if band), None)
    if band is None:
        return "ROC curves; there is no band for these data."
    curve = "the true curve" if band["target"] == "true" else "a future curve"
    level = formatting.format_percent(band["level"])
    return f"{level} {band['coverage']} band for {curve}; {band['method']}."


TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
_GUESS = ("guess", [(0, 0), (1, 1)])
Shape: TypeAlias = tuple[str, Sequence[tuple[float, float]]]  # classes of style, and points


def find_default_band(model: Mapping[str, Any], level: float) -> Mapping[str, Any] | None:
    """Return the first band of the given level, or else the first."""
    bands: Sequence[Mapping[str, Any]] = model.get("bands") or []
    return next((band for band in bands if band["level"] == level), bands[0] if bands else None)


def _draw_curves(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Draw the ROC curves with their first bands."""
    bands: list[Shape] = []
    curves: list[Shape] = []
    for k, model in enumerate(payload["models"]):
        look = f"look-{k % 13} dash-{k % 4}"
        band = find_default_band(model, payload["level"])
        if band and model["name"] in payload["focus"]:
            lower, upper = (zip(band["fpr"], band[e], strict=True) for e in ("lower", "upper"))
            bands.append((f"band {look}", [*upper, *[*lower][::-1]]))
        points = [*zip(model["roc"]["fpr"], model["roc"]["tpr"], strict=True)]
        curves.append((f"curve {look}", points))
    about = "ROC curves with their bands; the table below has the numbers"
    return {"shapes": [_GUESS, *bands, *curves], "about": about, "ticks": TICKS}


def _find_lowest(payload: Mapping[str, Any]) -> float:
    """Return where the axis of the intervals of the AUCs begins: a tenth."""
    found = [model["auc"] for model in payload["models"]]
    lows = [auc["estimate"] if auc["low"] is None else auc["low"] for auc in found]
    return min(0.9, int(min(lows) * 10) / 10)
