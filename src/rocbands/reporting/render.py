"""The page: one HTML file with its numbers, its style and its script; pictures as SVG for print."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Any

from rocbands.reporting import formatting
from rocbands.reporting.headings import HEADINGS, MENU

# The script's files in the order in which they stand; each uses only those before it.
SCRIPTS = ("basics", "chart", "views", "roc", "difference", "cost", "rates", "scores", "main")


# How the template writes numbers.
_FILTERS = {
    "rate": formatting.format_rate,
    "signed": formatting.format_difference,
    "chance": formatting.format_pvalue,
    "plain": formatting.format_number,
    "percent": formatting.format_percent,
    "limits": formatting.format_limits,
    "count": formatting.format_count,
    "ended": formatting.end_sentence,
}


FEW_PAIRS = 3  # up to which each pair of models is described in a sentence


def render(payload: Mapping[str, Any]) -> str:
    """Write a report's payload as one HTML page that needs nothing else.

    Whatever users named is escaped, and the page forbids itself the network.
    """
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    environment.filters.update(_FILTERS)
    environment.filters["svg"] = Markup  # only for pictures that this package drew itself
    style, script = read_file("style.css"), _join_scripts()
    return environment.from_string(read_file("page.html.j2")).render(
        payload=payload,
        headings=HEADINGS,
        menu={key: word for key, word in MENU.items() if _has_section(payload, key)},
        ranked=_rank_models(payload),
        points=_arrange_points(payload),
        matrix=_arrange_pairs(payload),
        listed_pairs=_list_pairs(payload),
        auc_how=_list_distinct(model["auc"]["method"] for model in payload["models"]),
        auc_notes=_collect_notes(payload, "auc"),
        point_notes=_collect_notes(payload, "points"),
        rate_notes=_collect_notes(payload, "rates"),
        cost_how=_list_distinct(
            model["cost"]["how"] for model in payload["models"] if model["cost"]
        ),
        omitted=payload.get("omitted") or [],
        forest=draw_forest_svg(payload),
        still=Markup(draw_roc_svg(payload)),
        still_caption=_write_caption(payload),
        style=Markup(style),
        style_hash=hash_text(style),
        script=Markup(script),
        script_hash=hash_text(script),
        data=Markup(_embed_json(payload)),
    )


def read_file(name: str) -> str:
    """Return a file of the page."""
    return (files("rocbands.reporting") / "page" / name).read_text(encoding="utf-8")


def _join_scripts() -> str:
    parts = "\n".join(read_file(f"{name}.js") for name in SCRIPTS)
    return f'(() => {{\n"use strict";\n{parts}}})();\n'


def hash_text(text: str) -> str:
    """Return what a page calls a style or script that it allows itself."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _embed_json(payload: Mapping[str, Any]) -> str:
    """Write the payload as JSON that cannot end the element it stands in."""
    text = json.dumps(payload, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _has_section(payload: Mapping[str, Any], section: str) -> bool:
    if section == "better":
        return bool(payload["comparison"])
    if section in {"cost", "rates", "scores"}:
        return any(model[section] for model in payload["models"])
    return True


def _rank_models(payload: Mapping[str, Any]) -> list[int]:
    """Return the models' places in the payload, those with the largest AUC first."""
    names = [model["name"] for model in payload["models"]]
    return [names.index(name) for name in payload["ranking"]]


def _arrange_points(payload: Mapping[str, Any]) -> dict[str, Any] | None:
    """Arrange the operating points as a matrix: a row for each model, a column for each place."""
    models = payload["models"]
    places = list(dict.fromkeys(_name_place(p) for model in models for p in model["points"] or ()))
    if not places:
        return None
    rows = []
    for k in _rank_models(payload):
        found = {_name_place(point): point for point in models[k]["points"] or ()}
        rows.append((k, [found.get(place) for place in places]))
    return {"places": places, "rows": rows}


def _name_place(point: Mapping[str, Any]) -> str:
    best = point.get("best")
    return f"Best by {best.capitalize()}" if best else f"FPR {point['fpr']:g}"


def _arrange_pairs(payload: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Arrange all differences of AUC as the upper half of a matrix, in the order of the ranking."""
    if not payload["comparison"]:
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


def _list_pairs(payload: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the pairs that have a row of their own: all, or of many those with the first model."""
    if not payload["comparison"]:
        return []
    pairs: list[Mapping[str, Any]] = payload["comparison"]["pairs"]
    if len(pairs) <= FEW_PAIRS:
        return pairs
    first = payload["focus"][0]
    return [pair for pair in pairs if first in (pair["first"], pair["second"])]


def _collect_notes(payload: Mapping[str, Any], part: str) -> list[str]:
    """Return what is to be said of a part, with the models unless it is said of all of them."""
    owners: dict[str, list[str]] = {}
    for model in payload["models"]:
        found = model[part] or []
        for one in [found] if isinstance(found, Mapping) else found:
            for note in one["notes"]:
                if model["name"] not in owners.setdefault(note, []):
                    owners[note].append(model["name"])
    count = len(payload["models"])
    return [n if len(names) == count else f"{', '.join(names)}: {n}" for n, names in owners.items()]


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


SIDE = 520.0  # of the square, in units of the picture
LEFT, TOP, FOOT = 66.0, 12.0, 48.0
TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


def find_default_band(model: Mapping[str, Any], level: float) -> Mapping[str, Any] | None:
    """Return the first band of the given level, or else the first."""
    bands: Sequence[Mapping[str, Any]] = model.get("bands") or []
    return next((band for band in bands if band["level"] == level), bands[0] if bands else None)


def draw_roc_svg(payload: Mapping[str, Any]) -> str:
    """Draw the ROC curves with their first bands, as an SVG element."""
    bands, curves = [], []
    for k, model in enumerate(payload["models"]):
        look = f"look-{k % 7} dash-{k % 4}"
        band = find_default_band(model, payload["level"])
        if band and model["name"] in payload["focus"]:
            edges = [*zip(band["fpr"], band["upper"], strict=True)]
            edges += [*zip(band["fpr"], band["lower"], strict=True)][::-1]
            bands.append(f'<path class="band {look}" d="{_write_path(edges)}Z"/>')
        points = [*zip(model["roc"]["fpr"], model["roc"]["tpr"], strict=True)]
        curves.append(f'<path class="curve {look}" d="{_write_path(points)}"/>')
    return _frame(
        [_GUESS, *bands, *curves], "ROC curves with their bands; the table below has the numbers"
    )


def draw_paths_svg(band: Any, curve: Any, others: Sequence[Any], k: int) -> str:
    """Draw one curve with its band, and others thin; each is a pair of columns x and y."""
    thin = [f'<path class="guess" d="{_write_path([*zip(*one, strict=True)])}"/>' for one in others]
    look = f"look-{k % 7}"
    parts = [
        f'<path class="band {look}" d="{_write_path([*zip(*band, strict=True)])}Z"/>',
        f'<path class="curve {look}" d="{_write_path([*zip(*curve, strict=True)])}"/>',
    ]
    return _frame([_GUESS, *thin, *parts], "An ROC curve with its band")


def draw_difference_svg(picture: Mapping[str, Any]) -> str:
    """Draw a difference of true positive rates with its band, from -1 at the foot to 1."""
    x = picture["fpr"]
    lower, middle, upper = (
        [(at, (value + 1.0) / 2.0) for at, value in zip(x, picture[name], strict=True)]
        for name in ("lower", "difference", "upper")
    )
    parts = [
        f'<path class="guess" d="{_write_path([(0, 0.5), (1, 0.5)])}"/>',
        f'<path class="band look-6" d="{_write_path([*upper, *lower[::-1]])}Z"/>',
        f'<path class="curve look-6" d="{_write_path(middle)}"/>',
    ]
    ticks = [f"{2.0 * tick - 1.0:.1g}" for tick in TICKS]
    return _frame(parts, "A difference of curves with its band", ticks, "Difference")


def _frame(
    parts: Sequence[str],
    about: str,
    ticks: Sequence[str] | None = None,
    name: str = "True positive rate",
) -> str:
    width, height = LEFT + SIDE + 16, TOP + SIDE + FOOT
    return (
        f'<svg viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{about}">'
        f"{_draw_axes(ticks, name)}{''.join(parts)}</svg>"
    )


def draw_forest_svg(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Draw the interval of each model's AUC, all on one axis."""
    found = [model["auc"] for model in payload["models"]]
    lows = [auc["estimate"] if auc["low"] is None else auc["low"] for auc in found]
    low = min(0.9, int(min(lows) * 10) / 10)
    return {
        "axis": _draw_scale(low),
        "rows": [_draw_whisker(auc, low, k) for k, auc in enumerate(found)],
    }


def _draw_scale(low: float) -> str:
    """Draw the axis above the intervals."""
    ticks = [low, round((1 + low) / 2, 2), 1.0]
    words = "".join(
        f'<text x="{6 + 228 * (tick - low) / (1 - low):.1f}" y="11" text-anchor="{anchor}">'
        f"{tick:g}</text>"
        for tick, anchor in zip(ticks, ("start", "middle", "end"), strict=True)
    )
    return f'<svg class="forest axis" viewBox="0 0 240 14" aria-hidden="true">{words}</svg>'


def _draw_whisker(auc: Mapping[str, Any], low: float, k: int) -> str:
    def at(value: float) -> float:
        return 6 + 228 * (value - low) / (1 - low)

    middle = at(auc["estimate"])
    left, right = (middle if auc[end] is None else at(auc[end]) for end in ("low", "high"))
    return (
        f'<svg class="forest look-{k % 7}" viewBox="0 0 240 24" preserveAspectRatio="none" '
        'aria-hidden="true"><path class="grid" d="M6 12H234M6 5v14M234 5v14"/>'
        f'<path class="reach" d="M{left:.1f} 7v10m0-5H{right:.1f}m0-5v10"/>'
        f'<rect class="dot" x="{middle - 4:.1f}" y="8" width="8" height="8"/></svg>'
    )


def _draw_axes(ticks: Sequence[str] | None, name: str) -> str:
    bottom = TOP + SIDE
    parts = []
    for tick, text in zip(TICKS, ticks or [f"{tick:g}" for tick in TICKS], strict=True):
        x, y = LEFT + SIDE * tick, bottom - SIDE * tick
        parts.append(f'<path class="grid" d="M{x:g} {TOP:g}V{bottom:g}M{LEFT:g} {y:g}h{SIDE:g}"/>')
        parts.append(f'<text x="{x:g}" y="{bottom + 18:g}" text-anchor="middle">{tick:g}</text>')
        parts.append(f'<text x="{LEFT - 8:g}" y="{y + 4:g}" text-anchor="end">{text}</text>')
    middle = LEFT + SIDE / 2
    parts.append(
        f'<text class="axis-name" x="{middle:g}" y="{bottom + 40:g}" text-anchor="middle">'
        "False positive rate</text>"
        f'<text class="axis-name" transform="translate(13 {TOP + SIDE / 2:g}) rotate(-90)" '
        f'text-anchor="middle">{name}</text>'
    )
    return "".join(parts)


def _write_path(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{LEFT + SIDE * x:.1f} {TOP + SIDE * (1 - y):.1f}" for x, y in points)


_GUESS = f'<path class="guess" d="{_write_path([(0, 0), (1, 1)])}"/>'
