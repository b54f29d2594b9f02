"""Pictures without scripts, as SVG: the ROC curves in print, and the intervals in tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = [
    "draw_difference_svg",
    "draw_forest_svg",
    "draw_paths_svg",
    "draw_roc_svg",
    "find_default_band",
]

SIDE = 520.0  # of the square, in units of the picture
LEFT, TOP, FOOT = 66.0, 12.0, 48.0
TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


def find_default_band(model: Mapping[str, Any], level: float) -> Mapping[str, Any] | None:
    """Return the band that is shown first: the first of the asked level, or else the first."""
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


def _draw_axes(ticks: Sequence[str] | None = None, name: str = "True positive rate") -> str:
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
