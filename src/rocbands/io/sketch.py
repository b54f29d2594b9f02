"""Small pictures of bands for notebooks, as SVG in the colours of the text around them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from rocbands.core.checks import FloatArray

_WIDE, _HIGH, _SIDE, _TOP = 300, 240, 34, 20  # size, and the margins for numbers and names
_LINE = 14  # height of a line of text
_FEWEST = 8  # points that make a curve
_MOST_BANDS = 3  # more overlap too much, and are drawn as lines
_LONGEST = 24  # characters of a name
_COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")


def sketch_svg(title: str, bands: Mapping[str, Sequence[Any]], heads: tuple[str, str]) -> str:
    """Draw bands, or the first six, as a small picture.

    `bands`: by name, abscissa, lower edge, curve and upper edge; a single one needs no name.
    `heads`: what the axes are called. Without enough points the picture is empty.
    """
    drawn = {name: _clean(band) for name, band in list(bands.items())[: len(_COLORS)]}
    if any(xs.size < _FEWEST for xs, *_ in drawn.values()):
        return ""
    xs, low, _, high = (
        np.concatenate([band[part] for band in drawn.values()]) for part in range(4)
    )
    left, right = float(xs.min()), float(xs.max())
    bottom, top = min(0.0, float(low.min())), float(high.max())
    if left == right or bottom == top:
        return ""

    def path(across: Any, up: Any) -> str:
        u = _SIDE + (_WIDE - _SIDE - 8) * (across - left) / (right - left)
        v = _HIGH - _SIDE - (_HIGH - _SIDE - _TOP) * (up - bottom) / (top - bottom)
        return " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(u, v, strict=True))

    shapes, names = [], []
    first = _HIGH - _SIDE - 8 - _LINE * (len(drawn) - 1)
    for at, (name, (x, lower, middle, upper)) in enumerate(drawn.items()):
        color = _COLORS[at]
        if len(drawn) <= _MOST_BANDS:
            around = path(np.append(x, x[::-1]), np.append(upper, lower[::-1]))
            shapes.append(f'<polygon points="{around}" fill="{color}" fill-opacity=".25"/>')
        shapes.append(
            f'<polyline points="{path(x, middle)}" fill="none" stroke="{color}" '
            'stroke-width="1.8"/>'
        )
        short = name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
        names.append(_write(_WIDE - 12, first + _LINE * at, "end", short, color))
    frame = path(np.array([left, left, right]), np.array([top, bottom, bottom]))
    words = (
        (_SIDE, _HIGH - 20, "start", f"{left:.3g}"),
        (_WIDE - 8, _HIGH - 20, "end", f"{right:.3g}"),
        ((_SIDE + _WIDE) / 2, _HIGH - 8, "middle", heads[0]),
        (_SIDE - 4, _HIGH - _SIDE, "end", f"{bottom:.3g}"),
        (_SIDE - 4, 26, "end", f"{top:.3g}"),
        (_SIDE - 4, 12, "start", heads[1]),
    )
    return (
        f'<svg class="rocbands-sketch" viewBox="0 0 {_WIDE} {_HIGH}" role="img" '
        f'aria-label="{escape(title)}">{"".join(shapes)}<polyline points="{frame}" fill="none" '
        f'stroke="currentColor" stroke-opacity=".6"/>'
        f"{''.join(_write(*word) for word in words)}{''.join(names)}</svg>"
    )


def _clean(band: Sequence[Any]) -> list[FloatArray]:
    """Leave out points that are not finite."""
    columns = [np.asarray(part, np.float64) for part in band]
    fine = np.all([np.isfinite(part) for part in columns], axis=0)
    return [part[fine] for part in columns]


def _write(x: float, y: float, where: str, text: str, color: str = "currentColor") -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" text-anchor="{where}" font-size="11" fill="{color}">'
        f"{escape(text)}</text>"
    )
