"""Pictures of studies: their rows as lines with whiskers, panel by panel, as a `Picture` says."""

from __future__ import annotations

import math
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rocbands.errors import InputError
from rocbands.plot.canvas import COLORS, DASHES
from rocbands_papers.paper import PaperResult, Row

WIDTH, HEIGHT = 4.4, 3.3  # of a panel, in inches
ACROSS = 3
_WIDE = 20  # how many times as large the last x is from which on the axis is logarithmic


def draw_paper(result: PaperResult, ax: Axes | None = None) -> Axes:
    """Draw all panels of a study; on given axes only a study that has one.

    Returns
    -------
    Axes
        Of the first panel.
    """
    picture = result.picture
    if picture is None:
        raise InputError(
            f"The study {result.name} has no picture of its rows. 'rocbands study figure' draws "
            "the paper's figures."
        )
    panels: dict[tuple[Any, ...], list[Row]] = {}
    for row in result.rows:
        if picture.x in row.where:
            panels.setdefault(_pick(row, picture.panels), []).append(row)
    across = min(len(panels), ACROSS)
    down = math.ceil(len(panels) / across)
    if ax is not None and len(panels) > 1:
        raise InputError(
            f"The picture of {result.name} has {len(panels)} panels and does not fit on one pair "
            "of axes. Leave `ax` out."
        )
    places: list[Any] = [ax]
    if ax is None:
        figure = Figure(figsize=(WIDTH * across, HEIGHT * down), layout="constrained")
        places = list(figure.subplots(down, across, squeeze=False).ravel())
        crosses = "; crosses as printed" * any(row.printed is not None for row in result.rows)
        figure.suptitle(f"{result.title}\n{result.paper}{crosses}", fontsize=10)
        for place in places[len(panels) :]:
            place.set_visible(False)
    for (title, rows), place in zip(panels.items(), places, strict=False):
        _draw_panel(result, rows, place)
        place.set_title(_name(picture.panels, title), fontsize=9)
    first: Axes = places[0]
    return first


def _pick(row: Row, names: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple(row.where.get(name, "") for name in names)


def _name(names: tuple[str, ...], values: tuple[Any, ...]) -> str:
    """Words stand for themselves; numbers, and words of columns like 'fitting from', do not."""
    shown = ((k, v) for k, v in zip(names, values, strict=True) if v != "")
    return ", ".join(v if isinstance(v, str) and " " not in k else f"{k} {v}" for k, v in shown)


def _draw_panel(result: PaperResult, rows: list[Row], ax: Axes) -> None:
    picture = result.picture
    assert picture is not None
    numbers = [row for row in rows if isinstance(row.where[picture.x], int | float)]
    words = list(dict.fromkeys(str(row.where[picture.x]) for row in rows))
    lines: dict[tuple[Any, ...], list[Row]] = {}
    for row in numbers or rows:
        lines.setdefault(_pick(row, picture.lines), []).append(row)
    for turn, (label, own) in enumerate(lines.items()):
        color, dashes = COLORS[turn % len(COLORS)], DASHES[turn % len(DASHES)]
        at: list[Any] = [row.where[picture.x] for row in own]
        x = at if numbers else [words.index(str(word)) for word in at]
        look: dict[str, Any] = {"color": color, "linewidth": 1.4, "markersize": 3}
        name = _name(picture.lines, label)
        ax.plot(x, [row.ours.value for row in own], "o", linestyle=dashes, label=name, **look)
        low, high = ([row.ours[side] for row in own] for side in (1, 2))
        ax.vlines(x, low, high, color=color, linewidth=0.8)
        if all(row.printed is not None for row in own):
            ax.plot(x, [row.printed or 0.0 for row in own], "x:", alpha=0.6, **look)
    if picture.target is not None:
        ax.axhline(picture.target, color="0.3", linewidth=0.8, linestyle=(0, (2, 2)))
    if numbers:
        places = [float(str(row.where[picture.x])) for row in numbers]
        if min(places) > 0.0 and max(places) > _WIDE * min(places) > _WIDE:
            ax.set_xscale("log")
    else:
        ax.set_xticks(range(len(words)), words, rotation=20, fontsize=7)
    ax.set_xlabel(picture.x)
    ax.grid(alpha=0.25)
    if len(lines) > 1:
        ax.legend(fontsize=7, framealpha=0.8)
