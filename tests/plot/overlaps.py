"""Measure what covers what in a drawn figure: texts, legends and data, in pixels."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

BACKGROUND = 1.4  # zorder of data; chance lines, possible regions and the like are below it
SLIVER = 0.3  # least share of a figure's width and height for the axes in one cell of it
FEW_PIXELS = 3  # of data below a text, such as the corner of a marker


def find_faults(figure: Figure) -> list[str]:
    """Return what is wrong: texts that are cut or overlap, covered data, axes without room."""
    canvas = figure.canvas if hasattr(figure.canvas, "buffer_rgba") else FigureCanvasAgg(figure)
    canvas.draw()
    page, every = figure.bbox, [*_axes(figure)]
    boxes = [
        (text.get_text(), text.get_window_extent())
        for text in (*_texts(every), *filter(None, [figure._suptitle]))
    ]
    legends = [(ax, ax.get_legend()) for ax in every if ax.get_legend() is not None]
    boxes += [("the legend", legend.get_window_extent()) for _, legend in legends]
    faults = [f"{what!r} is cut" for what, box in boxes if not _holds(page, box)]
    for (one, first), (other, second) in combinations(boxes, 2):
        if _overlap(first, second):
            faults.append(f"{one!r} overlaps {other!r}")
    for ax, legend in legends:
        box = legend.get_window_extent()
        if _overlap(ax.bbox, box) and not _holds(ax.bbox, box):
            faults.append("the legend crosses the frame")
        if box.height * box.width > 0.9 * ax.bbox.height * ax.bbox.width:
            faults.append("the legend is as large as the axes")
    data = find_data(figure, canvas, every)
    covering = [("the legend", legend.get_window_extent()) for _, legend in legends]
    for ax in every:
        bare = (text for text in ax.texts if _is_seen(text) and text.get_bbox_patch() is None)
        covering += [(text.get_text(), text.get_window_extent()) for text in bare]
    for what, box in covering:
        number = int(_cut_out(data, box).sum())
        if number > (0 if what == "the legend" else FEW_PIXELS):
            faults.append(f"{what!r} covers {number} pixels of data")
    for ax in figure.axes:
        rows, columns = ax.get_subplotspec().get_geometry()[:2]
        across, up = ax.bbox.width * columns / page.width, ax.bbox.height * rows / page.height
        if min(across, up) < SLIVER:
            faults.append(f"axes are a sliver of {across:.0%} by {up:.0%}")
    return faults


def find_data(figure: Figure, canvas: Any, every: list[Axes]) -> Any:
    """Return a mask of the pixels that data change: curves, bands, markers and intervals.

    They alone are drawn again, on the bare figure: texts and ticks take most of the time.
    """
    above = [
        artist
        for ax in every
        for artist in (*ax.lines, *ax.patches, *ax.collections)
        if artist.get_visible() and artist.get_zorder() >= BACKGROUND
    ]
    renderer = canvas.get_renderer()
    renderer.clear()
    figure.patch.draw(renderer)
    bare = np.array(canvas.buffer_rgba(), dtype=int)
    for artist in sorted(above, key=lambda one: one.get_zorder()):
        artist.draw(renderer)
    return np.abs(np.asarray(canvas.buffer_rgba(), dtype=int) - bare).max(axis=2) > 8


def _axes(figure: Figure) -> Iterator[Axes]:
    for ax in figure.axes:
        yield ax
        yield from (child for child in ax.child_axes if isinstance(child, Axes))


def _texts(every: list[Axes]) -> Iterator[Text]:
    for ax in every:
        yield from (text for text in (ax.title, *ax.texts) if _is_seen(text))
        for axis in (ax.xaxis, ax.yaxis):
            low, high = sorted(axis.get_view_interval())
            slack = 1e-9 * (high - low)
            ticks = [*axis.get_major_ticks(), *axis.get_minor_ticks()]
            inside = [tick for tick in ticks if low - slack <= tick.get_loc() <= high + slack]
            if axis.get_visible():
                candidates = [text for tick in inside for text in (tick.label1, tick.label2)]
                yield from (text for text in (axis.label, *candidates) if _is_seen(text))


def _is_seen(text: Text) -> bool:
    return bool(text.get_visible() and text.get_text().strip())


def _holds(outer: Any, inner: Bbox) -> bool:
    return bool(
        inner.x0 >= outer.x0 - 1
        and inner.y0 >= outer.y0 - 1
        and inner.x1 <= outer.x1 + 1
        and inner.y1 <= outer.y1 + 1
    )


def _overlap(one: Any, other: Any) -> bool:
    across = min(one.x1, other.x1) - max(one.x0, other.x0)
    up = min(one.y1, other.y1) - max(one.y0, other.y0)
    return bool(across > 1 and up > 1)


def _cut_out(mask: Any, box: Bbox) -> Any:
    top = mask.shape[0]
    rows = slice(max(0, round(top - box.y1)), max(0, round(top - box.y0)))
    return mask[rows, max(0, round(box.x0)) : max(0, round(box.x1))]
