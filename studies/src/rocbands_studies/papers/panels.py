"""Pictures of studies: their rows as lines or dots with whiskers, panel by panel.

A `Picture` says which columns run along the axis, tell lines apart and tell panels apart. Rows
along numbers become lines, rows along words become dots beside the words. Panels with a target
have one scale; all have one legend. Panels in which nothing exceeds 0.02 are named in the title
instead of being drawn.
"""

from __future__ import annotations

import math
from textwrap import fill
from typing import Any, TypeAlias

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rocbands.errors import InputError
from rocbands.plot.canvas import COLORS, DASHES
from rocbands_studies.papers.paper import PaperResult, Picture, Row, say_facts

WIDTH, HEIGHT = 4.4, 3.1  # of a panel, in inches
ACROSS = 3
_WIDE = 20  # how many times as large the last x is from which on the axis is logarithmic
_NOTHING = 0.02  # a panel whose numbers are all smaller is not drawn
_MARKERS = "osD^vP*"  # of lines, so that colors that return can be told apart

Key: TypeAlias = tuple[Any, ...]


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
    panels = _collect(result, picture)
    empty = [key for key, rows in panels.items() if all(_top(row) < _NOTHING for row in rows)]
    if len(empty) < len(panels):
        panels = {key: rows for key, rows in panels.items() if key not in empty}
    else:
        empty = []
    if ax is not None and len(panels) > 1:
        raise InputError(
            f"The picture of {result.name} has {len(panels)} panels and does not fit on one pair "
            "of axes. Leave `ax` out."
        )
    shown = [row for rows in panels.values() for row in rows]
    looks = _choose_looks(dict.fromkeys(_pick(row, picture.lines) for row in shown))
    words = picture.x if _along_words(shown, picture) else ""
    if ax is not None:
        _draw_panel(picture, shown, ax, looks)
        if len(looks) > 1:
            ax.legend(fontsize=7, framealpha=0.8)
        return ax
    across = min(len(panels), 2 if words else ACROSS)
    down = math.ceil(len(panels) / across)
    height = max(HEIGHT, 0.24 * len({str(row.where[words]) for row in shown})) if words else HEIGHT
    figure = Figure(figsize=(WIDTH * across, height * down + 0.9), layout="constrained")
    shared: dict[str, Any] = {"sharex" if words else "sharey": picture.target is not None}
    places = list(figure.subplots(down, across, squeeze=False, **shared).ravel())
    crosses = "; crosses as printed" * any(row.printed is not None for row in shown)
    title = fill(f"{result.title}. {result.paper}{crosses}", 50 * across)
    if empty:
        names = "; ".join(_name(picture.panels, key) for key in empty)
        title += "\n" + fill(f"Not drawn, as no number exceeds {_NOTHING}: {names}", 50 * across)
    figure.suptitle(title, fontsize=10)
    for place in places[len(panels) :]:
        place.set_visible(False)
    for (key, rows), place in zip(panels.items(), places, strict=False):
        _draw_panel(picture, rows, place, looks)
        place.set_title(fill(_name(picture.panels, key), 52), fontsize=9)
        place.tick_params(labelleft=True, labelbottom=True)
    if len(looks) > 1:
        handles = {one.get_label(): one for place in places for one in place.get_lines()}
        labels = [_name(picture.lines, key) for key in looks]
        columns = max(1, min(len(labels), 130 * across // ACROSS // (max(map(len, labels)) + 6)))
        figure.legend(
            [handles[label] for label in labels],
            labels,
            loc="outside lower center",
            ncols=columns,
            fontsize=8,
            frameon=False,
        )
    first: Axes = places[0]
    return first


def _collect(result: PaperResult, picture: Picture) -> dict[Key, list[Row]]:
    panels: dict[Key, list[Row]] = {}
    for row in result.rows:
        if picture.x in row.where:
            panels.setdefault(_pick(row, picture.panels), []).append(row)
    return {key: _numbers(rows, picture) or rows for key, rows in panels.items()}


def _numbers(rows: list[Row], picture: Picture) -> list[Row]:
    """Rows along numbers; those of words among them, such as 'mean', are not drawn."""
    return [row for row in rows if isinstance(row.where[picture.x], int | float)]


def _top(row: Row) -> float:
    return max(abs(row.ours.value), row.ours.high, row.printed or 0.0)


def _along_words(rows: list[Row], picture: Picture) -> bool:
    return not _numbers(rows, picture)


def _choose_looks(keys: dict[Key, None]) -> dict[Key, dict[str, Any]]:
    """Choose color, dashes and marker of each line, the same in all panels."""
    return {
        key: {
            "color": COLORS[turn % len(COLORS)],
            "linestyle": DASHES[turn % len(DASHES)],
            "marker": _MARKERS[turn // len(COLORS) % len(_MARKERS)],
            "linewidth": 1.4,
            "markersize": 3.5,
        }
        for turn, key in enumerate(keys)
    }


def _pick(row: Row, names: tuple[str, ...]) -> Key:
    return tuple(row.where.get(name, "") for name in names)


def _name(names: tuple[str, ...], values: Key) -> str:
    return say_facts(dict(zip(names, values, strict=True)))


def _draw_panel(
    picture: Picture, rows: list[Row], ax: Axes, looks: dict[Key, dict[str, Any]]
) -> None:
    lines: dict[Key, list[Row]] = {}
    for row in rows:
        lines.setdefault(_pick(row, picture.lines), []).append(row)
    words = [] if not _along_words(rows, picture) else _list_words(rows, picture)
    for turn, (key, own) in enumerate(lines.items()):
        name, look = _name(picture.lines, key), looks[key]
        value, low, high = ([row.ours[side] for row in own] for side in (0, 1, 2))
        if words:  # one below the other, lines a little apart
            aside = 0.6 * ((turn + 0.5) / len(lines) - 0.5)
            at = [words.index(str(row.where[picture.x])) + aside for row in own]
            ax.plot(value, at, **look | {"linestyle": ""}, label=name)
            ax.hlines(at, low, high, color=look["color"], linewidth=0.9)
        else:
            at = [float(str(row.where[picture.x])) for row in own]
            ax.plot(at, value, **look, label=name)
            ax.vlines(at, low, high, color=look["color"], linewidth=0.8)
        printed = [
            (x, row.printed) for x, row in zip(at, own, strict=True) if row.printed is not None
        ]
        if printed:
            x, y = zip(*printed, strict=True)
            cross = look | {"marker": "x", "alpha": 0.7, "linewidth": 1.0, "markersize": 5}
            if words:
                ax.plot(y, x, **cross | {"linestyle": ""})
            else:
                ax.plot(x, y, **cross)
    if picture.target is not None:
        line = ax.axvline if words else ax.axhline
        line(picture.target, color="0.3", linewidth=0.8, linestyle=(0, (2, 2)))
    ax.grid(alpha=0.25)
    if words:
        ax.set_yticks(range(len(words)), words, fontsize=8)
        ax.set_ylim(len(words) - 0.4, -0.6)
    else:
        ax.set_xlabel(picture.x)
        _mark_numbers(ax, sorted({float(str(row.where[picture.x])) for row in rows}))


def _list_words(rows: list[Row], picture: Picture) -> list[str]:
    return list(dict.fromkeys(str(row.where[picture.x]) for row in rows))


def _mark_numbers(ax: Axes, at: list[float]) -> None:
    """Use a logarithmic axis for numbers that differ much, with the few numbers as ticks."""
    wide = min(at) > 0.0 and max(at) > _WIDE * min(at) > _WIDE
    if wide:
        ax.set_xscale("log")
        ax.set_xticks([], minor=True)
    if len(at) <= (8 if wide else 5):
        ax.set_xticks(at, [f"{one:g}" for one in at], fontsize=8)
