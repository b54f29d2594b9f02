"""Drawing reader studies: a forest of readers and averages, and their curves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from rocbands.core.checks import check_choice
from rocbands.core.comparison import Comparison
from rocbands.core.interval import Interval
from rocbands.core.result import percent
from rocbands.plot import canvas, layout
from rocbands.plot.canvas import Style
from rocbands.plot.forest import ForestRow, add_interval, add_reference, write_numbers
from rocbands.plot.layout import LegendPlace
from rocbands.plot.roc import add_band, add_curve, describe_curve, finish_roc_axes
from rocbands.readers.average import split_curves
from rocbands.readers.result import SCOPE, ReaderStudy

KINDS = ("forest", "curves")
MARKERS = ("o", "s", "D", "^", "v", "P", "X")
ALONE = Style(0, "0.1", canvas.DASHES[3])  # of the stand-alone algorithm
THIN = {"lw": 0.6, "ls": "-", "alpha": 0.55, "zorder": 2.2}
WIDE = 4.2  # inches from which numbers stand beside the rows
SPREAD = 0.5  # of a row: distance of the first from the last test
ROW = 0.3  # inches
LOW = 0.2  # of a row of many readers
MANY = 10
LABEL = 0.7  # of a panel's width, which texts beside it will make smaller
TEXT = 0.4  # inches of the text beside an average, and of a further line above one
LINE = 0.16
CHARACTERS = 12  # of a line in narrow panels
NAME_FITS = (("small", 1.45), ("x-small", 1.45), ("x-small", 1.8))  # inches at most


def draw_reader_study(
    study: ReaderStudy, kind: str = "forest", ax: Axes | None = None, *, legend: LegendPlace = True
) -> Axes:
    """Draw the readers, averages and differences in rows; or the curves of each test."""
    check_choice(kind, KINDS, "kind")
    draw = _draw_forest if kind == "forest" else _draw_curves
    return draw(study, ax, legend)


# --------------------------------------------------------------------------------------- forest


def _draw_forest(study: ReaderStudy, ax: Axes | None, legend: LegendPlace) -> Axes:
    """Draw the tests at the left, and differences, if there are any, at the right."""
    number, tests, gaps = len(study.readers), len(study.tests), len(study.differences)
    wide = ax is None or _find_width(canvas.prepare_axes(ax, (7.0, 4.0))[0]) >= WIDE
    # Readers at 0, -1, ...; below a rule the averages, with room for lines of text.
    row = max(0.1 * tests, ROW if number <= MANY else LOW)
    names = [_name(gap) for gap in study.differences] if gaps > 1 and not wide else []
    lines = max((-(-len(name) // CHARACTERS) for name in names), default=1)
    step = max(1.0, (TEXT + LINE * (lines - 1)) / row)
    places = [-float(j) for j in range(number)]
    below = -number - 0.25 - step * (0.5 + np.arange(max(tests, gaps)))
    bottom = float(below[-1]) - step / 2.0 - 0.1
    size = (7.0 if gaps else 5.5, 0.9 + row * (0.7 - bottom))
    panels = _make_panels(ax, 1 + (gaps > 0), size)
    single = gaps == 1 and bool(study.by_reader)  # each reader has the difference of the averages
    for panel in panels:
        canvas.prepare_axes(panel, size, grid="x")
        panel.spines[["left", "right", "top"]].set_visible(False)
        panel.tick_params(axis="y", length=0)
        panel.tick_params(axis="x", labelsize="small")
        panel.set_ylim(bottom, 0.7)
        panel.set_yticks([])
        panel.axhline(-number + 0.25, color="0.3", linewidth=0.8, zorder=1.3)
        for y in places[1::2] if single or panel is panels[0] else ():
            panel.axhspan(y - 0.5, y + 0.5, color="0.955", linewidth=0, zorder=0.1)
    _add_tests(panels[0], study, places, below[:tests], wide)
    handles = [*_add_algorithm(panels[0], study)]
    if gaps:
        # A single difference stands between the two averages.
        at = below[:gaps] if gaps > 1 else [float(below[:tests].mean())]
        _add_differences(panels[1], study, places, at, wide)
    if tests > 1 or handles:
        keys = {name: _make_key(i) for i, name in enumerate(study.tests) if tests > 1}
        keys |= {str(one.get_label()): one for one in handles}
        layout.add_legend(panels[0], keys, "outside" if legend is True else legend)
    return panels[0] if ax is None else ax


def _make_panels(ax: Axes | None, number: int, size: tuple[float, float]) -> list[Axes]:
    shape = {"width_ratios": (1.25, 1.0)} if number > 1 else {}
    place = canvas.make_axes(1, 1, size)[0] if ax is None else ax
    return canvas.split_axes(place, number, number, **shape)


def _find_width(ax: Axes) -> float:
    """Return the width of axes in inches, before texts take their part."""
    figure: Any = ax.figure
    return float(ax.get_position().width * figure.get_figwidth())


def _add_tests(
    panel: Axes, study: ReaderStudy, places: list[float], below: Any, wide: bool
) -> None:
    """Add the readers under each test, and the average of each test."""
    tests = len(study.tests)
    small = {"linewidth": 1.1}
    for i in range(tests):
        shift = SPREAD * (0.5 - i / (tests - 1)) if tests > 1 else 0.0
        each = zip(places, study.areas[i], study.area_lower[i], study.area_upper[i], strict=True)
        for y, value, low, high in each:
            if not np.isnan(value):
                row = ForestRow("", float(value), float(low), float(high), "")
                add_interval(panel, row, y + shift, _ink(i), small, _marker(i), 3.5)
        row = _make_row(study.means[i])
        add_interval(panel, row, below[i], _ink(i), {"linewidth": 2.2}, _marker(i), 6.5)
    averages = [f"Average, {name}" if tests > 1 else "Average" for name in study.tests]
    if wide:
        numbers = [write_numbers(_make_row(one)) for one in study.means]
        averages = [f"{name}\n{text}" for name, text in zip(averages, numbers, strict=True)]
    fits = [(size, min(inches, 0.9 * layout.width_of(panel))) for size, inches in NAME_FITS]
    names, size = layout.fit_names([*study.readers, *averages], panel, fits)
    panel.set_yticks([*places, *below], names, fontsize=size, **canvas.LITERAL)
    if study.null is not None:
        add_reference(panel, study.null, f"{study.null:g}")
    label = f"{study.quantity} with {percent(study.level)} limits; averages {SCOPE[study.random]}"
    _finish(panel, label[0].upper() + label[1:])


def _add_differences(
    panel: Axes, study: ReaderStudy, places: list[float], below: Any, wide: bool
) -> None:
    """Add the difference of each reader, if there is one kind, and those of the averages."""
    one = len(study.differences) == 1
    for name, gap in zip(study.reader_names, study.by_reader, strict=True):
        if one:
            y, row = places[study.readers.index(name)], _make_row(gap)
            add_interval(panel, row, y, "0.25", {"linewidth": 1.1}, "o", 3.5)
            _write_beside(panel, y, row, wide)
    for y, gap in zip(below, study.differences, strict=True):
        row = _make_row(gap)
        add_interval(panel, row, y, "0.0", {"linewidth": 2.2}, "D", 6.0)
        _write_beside(panel, y, row, wide, "" if one else _name(gap))
    add_reference(panel, 0.0)
    panel.update_datalim([(0.0, below[0])])
    if study.margin is not None:
        add_reference(panel, -study.margin, "margin")
        panel.update_datalim([(-study.margin, below[0])])
    what = _name(study.differences[0]) if one else "Differences of averages"
    kind = "limits" if study.alternative == "two-sided" else "limit, one-sided"
    _finish(panel, f"{what}, {percent(study.level)} {kind}")


def _add_algorithm(panel: Axes, study: ReaderStudy) -> Iterator[Line2D]:
    """Add the stand-alone algorithm as a line with its interval; return what the legend shows."""
    known = [(i, one) for i, one in enumerate(study.algorithm_areas) if one is not None]
    single = len({(one.estimate, one.low, one.high) for _, one in known}) == 1
    for i, one in known[:1] if single else known:
        ink = ALONE.color if single else _ink(i)
        panel.axvspan(one.low, one.high, color=ink, alpha=0.08, linewidth=0, zorder=1.1)
        under = "" if single else f", {study.tests[i]}"
        text = f"{study.algorithm}{under}: {write_numbers(_make_row(one))}"
        yield panel.axvline(
            one.estimate, color=ink, linestyle=ALONE.dashes, linewidth=1.3, zorder=1.35, label=text
        )
        panel.update_datalim([(one.low, 0.0), (one.high, 0.0)])
        panel.autoscale_view(scaley=False)


def _make_row(result: Interval | Comparison) -> ForestRow:
    found = result.interval if isinstance(result, Comparison) else result
    limits = found.estimate, found.low, found.high
    return ForestRow("", *limits, "", alternative=found.alternative)


def _write_beside(panel: Axes, y: float, row: ForestRow, wide: bool, name: str = "") -> None:
    """Write the numbers beside a row, below the name of a pair; without room, the name above."""
    look: dict[str, Any] = {"fontsize": "x-small", **canvas.LITERAL}
    if wide:
        text = "\n".join(filter(None, [name, write_numbers(row)]))
        panel.text(1.02, y, text, transform=panel.get_yaxis_transform(), va="center", **look)
    elif name:
        above = panel.annotate(
            name, (0.0, y), (0, 5), xycoords=panel.get_yaxis_transform(),
            textcoords="offset points", va="bottom", **look,
        )  # fmt: skip
        layout.fit_text(above, LABEL * layout.width_of(panel))


def _finish(panel: Axes, label: str) -> None:
    panel.margins(x=0.06)
    panel.autoscale_view(scaley=False)
    panel.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
    panel.set_xlabel(label, fontsize="small", **canvas.LITERAL)
    layout.fit_text(panel.xaxis.label, LABEL * layout.width_of(panel))


def _name(gap: Comparison) -> str:
    return f"{gap.names[0]} \N{MINUS SIGN} {gap.names[1]}"


def _ink(test: int) -> str:
    return canvas.COLORS[test % len(canvas.COLORS)]


def _marker(test: int) -> str:
    return MARKERS[test % len(MARKERS)]


def _make_key(test: int) -> Line2D:
    """Return the legend's handle of a test."""
    return Line2D([], [], color=_ink(test), marker=_marker(test), markersize=5, linewidth=1.4)


# --------------------------------------------------------------------------------------- curves


def _draw_curves(study: ReaderStudy, ax: Axes | None, legend: LegendPlace) -> Axes:
    """Draw each test on axes of its own, or the averages of all tests on given axes."""
    tests = len(study.tests)
    columns = min(tests, 3)
    if ax is not None:
        places = [ax] * tests
    else:
        rows = -(-tests // columns)
        size = (3.4 * columns, 3.7 * rows) if tests > 1 else (5.0, 5.0)
        places = canvas.make_axes(tests, columns, size)
    alone = ax is None or tests == 1
    for i, (place, test) in enumerate(zip(places, study.tests, strict=True)):
        axes, _ = canvas.prepare_roc_axes(place)
        style = Style(i, _ink(i), "-" if alone else canvas.DASHES[i % len(canvas.DASHES)])
        band = study.average_curve(test)
        curves, algorithm = split_curves(study, test)
        several = len(curves) > 1
        for number, roc in enumerate(curves.values() if alone and several else ()):
            text = "_reader" if number else f"Each of {len(curves)} readers"
            add_curve(axes, roc.curve, text, style, THIN)
        label = f"{'Average' if several else next(iter(curves))}{'' if alone else f', {test}'}"
        whose = "of the average, for these readers" if several else "for the whole curve"
        look = {"label": f"{percent(study.level)} band {whose}"}
        add_band(axes, band, label, style, {"lw": 2.0}, look)
        if algorithm is not None:
            text = describe_curve(algorithm.auc, f"{study.algorithm}{'' if alone else f', {test}'}")
            own = ALONE if alone else style._replace(dashes=ALONE.dashes)
            add_curve(axes, algorithm.curve, text, own, {"lw": 1.2})
        if alone and tests > 1:
            title = axes.set_title(test, size=10, **canvas.LITERAL)
            layout.fit_text(title, layout.width_of(axes))
    for axes in dict.fromkeys(places):
        finish_roc_axes(axes, legend=legend)
    return places[0]
