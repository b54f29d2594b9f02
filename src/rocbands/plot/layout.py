"""Texts and legends that fit axes of any width: labels get line breaks, legends cover no data.

Everything is fitted when it is drawn; a figure that is resized later keeps its line breaks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.collections import Collection
from matplotlib.legend import Legend
from matplotlib.legend_handler import HandlerTuple
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.path import Path
from matplotlib.text import Annotation, Text
from matplotlib.ticker import Locator
from matplotlib.transforms import Bbox, ScaledTranslation

from rocbands.errors import InputError

LegendPlace: TypeAlias = bool | str  # whether there is a legend, or where
Obstacles: TypeAlias = list[tuple[Path, bool]]

NARROW = 3.2  # inches: narrower axes have smaller texts
BEHIND = 1.4  # zorder below which lines and areas are background, which a legend may cover
PLACES = (
    "lower right", "upper right", "upper left", "lower left", "center right", "center left",
    "lower center", "upper center", "center",
)  # fmt: skip
SHIFTS = {"lower": 0.0, "left": 0.0, "center": 0.5, "upper": 1.0, "right": 1.0}
HANDLE = 3.6  # width of a legend's handle and its margins, relative to the size of the font
PAD = 0.5  # distance of a legend from the frame, likewise
MOST_COLUMNS = 3
# Places of a note beside its point: offset in points, and alignment.
SIDES = (
    (7, -4, "left", "top"), (-7, 4, "right", "bottom"), (7, -12, "left", "top"),
    (16, -8, "left", "top"), (-7, 12, "right", "bottom"), (7, 4, "left", "bottom"),
    (-7, -4, "right", "top"), (24, -16, "left", "top"), (30, -30, "left", "top"),
)  # fmt: skip


def width_of(ax: Axes) -> float:
    """Return the width of the axes in inches."""
    return float(ax.bbox.width / ax.figure.dpi)


def is_narrow(ax: Axes) -> bool:
    """Tell whether the axes are as narrow as those of a column in a journal."""
    return width_of(ax) < NARROW


def fit_text(text: Text, inches: float) -> None:
    """Break a text into the fewest lines that are at most that long, of similar length.

    Words longer than that stay whole, except after an underscore.
    """
    whole, most = text.get_text(), inches * text.get_figure().dpi  # type: ignore[union-attr]
    limit = max(map(len, whole.split("\n")))
    shortest = max(len(part) for line in whole.split("\n") for part in _break_at(line, 1))
    while (length := _length(text)) > most and limit > shortest:
        limit = max(shortest, min(limit - 1, int(limit * most / length) + 1))
        text.set_text("\n".join(_break(line, limit) for line in whole.split("\n")))


def _length(text: Text) -> float:
    box = text.get_window_extent()
    return float(box.height if text.get_rotation() in (90.0, 270.0) else box.width)


def _break(line: str, limit: int) -> str:
    """Break a line into the fewest parts of at most `limit` characters, of similar length."""
    number = len(_break_at(line, limit))
    lengths = range(-(-len(line) // number), limit)
    even = next((k for k in lengths if len(_break_at(line, k)) <= number), limit)
    return "\n".join(_break_at(line, even))


def _break_at(line: str, limit: int) -> list[str]:
    parts = [""]
    for word in line.split(" "):
        # Only words that are too long are broken, after underscores.
        pieces = re.findall(r"[^_]+_*|_+", word) if len(word) > limit else [word]
        for place, piece in enumerate(pieces):
            more = f"{parts[-1]}{' ' * (not place and bool(parts[-1]))}{piece}"
            if parts[-1] and len(more) > limit:
                parts.append(piece)
            else:
                parts[-1] = more
    return parts


def fit_names(
    names: Sequence[str], ax: Axes, fits: Iterable[tuple[str, float]]
) -> tuple[list[str], str]:
    """Break the names of rows into lines, and choose their size.

    `fits` are sizes of the font with lengths in inches: the first is chosen that needs at most two
    lines for each name, or else the last.
    """
    for size, inches in fits:
        found = [_fit_line(name, ax, inches, size) for name in names]
        if max(name.count("\n") for name in found) < 2:
            break
    return found, size


def _fit_line(text: str, ax: Axes, inches: float, size: str) -> str:
    drawn = Text(0.0, 0.0, text, fontsize=size, parse_math=False)
    drawn.set_figure(ax.figure)
    fit_text(drawn, inches)
    return drawn.get_text()


def fit_label(axis: Axis) -> None:
    """Break the label of an axis into lines no longer than the axis."""
    box, across = axis.axes.bbox, axis.axis_name == "x"  # type: ignore[attr-defined]
    fit_text(axis.label, (box.width if across else box.height) / axis.axes.figure.dpi)


class SpacedLocator(Locator):
    """Ticks at given places, the more important first, without those too close to another one."""

    def __init__(self, places: Iterable[float], inches: float) -> None:
        self.places, self.inches = tuple(places), inches

    def __call__(self) -> list[float]:
        """Return the places within the view."""
        axis: Any = self.axis
        return self.tick_values(*sorted(axis.get_view_interval()))

    def tick_values(self, vmin: float, vmax: float) -> list[float]:
        """Return the places between two values."""
        axis: Any = self.axis
        scale, axes = axis.get_transform(), axis.axes
        low, high = scale.transform(np.array([vmin, vmax]))
        box = axes.bbox
        length = (box.width if axis.axis_name == "x" else box.height) / axes.figure.dpi
        chosen: dict[float, float] = {}
        for place in self.order(vmin, vmax):
            at = length * float((scale.transform(np.array([place]))[0] - low) / (high - low))
            if all(abs(at - other) >= self.inches for other in chosen.values()):
                chosen[place] = at
        return sorted(chosen)

    def order(self, vmin: float, vmax: float) -> Sequence[float]:
        """Return the places in the view, the most important first."""
        return [place for place in self.places if vmin <= place <= vmax]


class Note(Annotation):
    """A text beside a point, at the first of some places where it covers nothing."""

    def __init__(self, text: str, at: tuple[float, float]) -> None:
        super().__init__(
            text, at, xytext=SIDES[0][:2], textcoords="offset points", fontsize="x-small",
            zorder=3.6, parse_math=False,
        )  # fmt: skip


def place_notes(ax: Axes) -> None:
    """Place all notes on the axes anew."""
    notes = [text for text in ax.texts if isinstance(text, Note)]
    kept, _ = _find_obstacles(ax, [text for text in ax.texts if not isinstance(text, Note)])
    for note in notes:
        covered = {}
        for side in SIDES:
            box = _put_beside(note, side)
            inside = ax.bbox.contains(box.x0, box.y0) and ax.bbox.contains(box.x1, box.y1)
            covered[side] = _count(kept, box) + 100 * (not inside)
            if not covered[side]:
                break
        box = _put_beside(note, min(covered, key=covered.__getitem__))
        kept.append((_rectangle(box), True))


def _put_beside(note: Note, side: tuple[float, float, str, str]) -> Bbox:
    across, up, horizontal, vertical = side
    note.set(position=(across, up), ha=horizontal, va=vertical)
    return note.get_window_extent()


def add_legend(
    ax: Axes, entries: Mapping[str, Any], place: LegendPlace, first: str = "lower right"
) -> Axes:
    """Renew the legend: inside where it covers no data, `first` if possible, or below the axes.

    `entries` are the handles by their texts. `place`: False for none, 'outside' for below, or any
    of matplotlib's `loc`.
    """
    if place is not True and place is not False and place not in (*PLACES, "best", "outside"):
        raise InputError(
            "must be True, False, 'outside' or a place",
            f"got {place!r}",
            f"The places are {', '.join(PLACES)} and best.",
            argument="legend",
        )
    old = ax.get_legend()
    if old is not None:
        old.remove()
    if place is False or not entries:
        return ax
    ax.apply_aspect()
    if isinstance(place, str) and place != "outside":
        _make_legend(ax, entries, loc=place)
        return ax
    legend = _make_legend(ax, entries, loc=first)
    inside = _find_free(ax, legend, first) if place is True else None
    if inside is not None:
        legend.set_loc(inside)  # type: ignore[arg-type]
    elif place == "outside" or ax.figure.get_layout_engine() is not None:
        legend.remove()
        _add_below(ax, entries)
    else:  # without a layout engine, nothing makes room below
        legend.set_loc("best")
    return ax


def _make_legend(ax: Axes, entries: Mapping[str, Any], **how: Any) -> Legend:
    size = "x-small" if is_narrow(ax) else "small"
    legend = ax.legend(
        list(entries.values()), list(entries), fontsize=size, framealpha=0.85, edgecolor="none",
        borderaxespad=PAD, labelspacing=0.3,
        handler_map={list: HandlerTuple(ndivide=None, pad=0)}, **how,
    )  # fmt: skip
    for text in legend.get_texts():
        text.set_parse_math(False)
        fit_text(text, width_of(ax) - HANDLE * float(text.get_fontsize()) / 72.0)
    return legend


def _add_below(ax: Axes, entries: Mapping[str, Any]) -> None:
    """Add the legend below the axes and their labels, with as many columns as fit."""
    figure: Any = ax.figure
    lowest = ax.xaxis.get_tightbbox()
    depth = 0.0 if lowest is None else max(0.0, (ax.bbox.y0 - lowest.y0) / figure.dpi)
    under = ax.transAxes + ScaledTranslation(0.0, -depth, figure.dpi_scale_trans)
    for columns in range(min(MOST_COLUMNS, len(entries)), 0, -1):
        legend = _make_legend(
            ax, entries, loc="upper center", bbox_to_anchor=(0.5, 0.0), bbox_transform=under,
            ncols=columns,
        )  # fmt: skip
        if columns == 1 or legend.get_window_extent().width <= ax.bbox.width:
            return
        legend.remove()


def _find_free(ax: Axes, legend: Legend, first: str) -> str | None:
    """Find the place where the legend covers no data and as little background as possible."""
    shrink = _predict_shrinking(ax, legend)
    size = legend.get_window_extent()
    pad = PAD * float(legend.get_texts()[0].get_fontsize()) * ax.figure.dpi / 72.0
    # The legend keeps its size if the axes change theirs, and is as large in relation to them.
    wide, high = (size.width + 2 * pad) / shrink, (size.height + 2 * pad) / shrink
    room = ax.bbox
    if wide > room.width or high > room.height:
        return None
    data, background = _find_obstacles(ax, ax.texts)
    found: list[tuple[int, str]] = []
    for place in sorted(PLACES, key=lambda name: name != first):
        words = place.split()
        up, across = SHIFTS[words[0]], SHIFTS[words[-1]]
        left = room.x0 + across * (room.width - wide)
        low = room.y0 + up * (room.height - high)
        box = Bbox.from_bounds(left, low, wide, high)
        if not _count(data, box):
            found.append((_count(background, box), place))
    return min(found, key=lambda one: one[0])[1] if found else None


def _predict_shrinking(ax: Axes, legend: Legend) -> float:
    """Predict by which factor a layout engine, which makes room for labels, will scale the axes."""
    spec, figure = ax.get_subplotspec(), ax.figure
    if spec is None or figure.get_layout_engine() is None:
        return 1.0
    legend.set_visible(False)
    around, box = ax.get_tightbbox(), ax.bbox
    legend.set_visible(True)
    assert around is not None, "axes are visible"
    rows, columns = spec.get_geometry()[:2]
    across = figure.bbox.width / columns - (around.width - box.width)
    up = figure.bbox.height / rows - (around.height - box.height)
    return float(min(1.0, 0.97 * min(across / box.width, up / box.height)))


def _count(obstacles: Obstacles, box: Bbox) -> int:
    return sum(path.intersects_bbox(box, filled=filled) for path, filled in obstacles)


def _find_obstacles(ax: Axes, texts: Iterable[Text]) -> tuple[Obstacles, Obstacles]:
    """Return the outlines of data and of background, in pixels, and whether each is filled."""
    ax.get_xlim()  # scales the axes, if that is due
    data: Obstacles = []
    background: Obstacles = []
    near = 4.0 * ax.figure.dpi / 72.0  # a marker's radius, or half a wide line
    for artist in (*ax.lines, *ax.patches, *ax.collections, *texts):
        if not artist.get_visible():
            continue
        kept = background if artist.get_zorder() < BEHIND else data
        kept.extend(_trace(artist, near))
    return data, background


def _trace(artist: Artist, near: float) -> Obstacles:
    if isinstance(artist, Text):
        return [(_rectangle(artist.get_window_extent()), True)]
    transform = artist.get_transform()
    if isinstance(artist, Line2D):
        path = transform.transform_path(artist.get_path())
        if artist.get_linestyle() != "None":
            return [(path, False)]
        return [(_rectangle(Bbox([at, at]).padded(near)), True) for at in np.asarray(path.vertices)]
    if isinstance(artist, Patch):
        return [(transform.transform_path(artist.get_path()), True)]
    assert isinstance(artist, Collection), "axes keep lines, patches, collections and texts"
    filled = bool(np.size(artist.get_facecolor()))
    return [(transform.transform_path(path), filled) for path in artist.get_paths()]


def _rectangle(box: Bbox) -> Path:
    return Path(box.corners()[[0, 1, 3, 2, 0]])
