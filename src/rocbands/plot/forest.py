"""Forest plots, one row for each interval with the numbers beside it; tables of several models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from rocbands.core.comparison import Comparison
from rocbands.core.interval import Interval
from rocbands.core.method import Alternative
from rocbands.core.phrases import write_share
from rocbands.core.result import Result, check_style, percent
from rocbands.core.table import Table
from rocbands.errors import InputError, Message, call
from rocbands.plot import canvas, layout
from rocbands.plot.canvas import Properties

ROW = 0.34  # inches
# Sizes of the names of rows, and their widths relative to the axes.
NAME_FITS = (("medium", 0.36), ("small", 0.4), ("x-small", 0.42), ("x-small", 0.5))


class IntervalLine(Line2D):
    """An interval on axes, in a row of its own."""

    name = ""
    about = ""


class ForestRow(NamedTuple):
    """An interval as a forest plot shows it."""

    name: str  # text at the left
    estimate: float  # the interval
    low: float
    high: float
    about: str  # description; written once below the axes for all rows that share it
    null: float | None = None  # position of a reference line
    # which limits exist; a side without one ends in an arrow
    alternative: Alternative = "two-sided"
    color: Any = None  # if it differs from that of the other rows


def draw_intervals(
    intervals: Mapping[str, Interval] | Iterable[Interval],
    ax: Axes | None = None,
    *,
    color: Any = None,
) -> Axes:
    """Draw several intervals from the top down, in the given order."""
    named = intervals if isinstance(intervals, Mapping) else dict(enumerate(intervals))
    for interval in named.values():
        if not isinstance(interval, Interval):
            raise InputError(
                Message(
                    "A forest plot needs intervals, for example from {}",
                    call("auc_interval", "..."),
                ),
                f"got {type(interval).__name__}",
            )
    if not named:
        raise InputError("A forest plot needs at least one interval", "got none")
    axes = prepare_forest_axes(ax, len(named))
    labels = [str(name) if isinstance(intervals, Mapping) else None for name in named]
    rows = [_make_row(*one) for one in zip(named.values(), labels, strict=True)]
    return add_forest_rows(axes, rows, color)


def draw_interval(
    interval: Interval,
    ax: Axes | None = None,
    *,
    label: str | None = None,
    color: Any = None,
    line_kwargs: Properties = None,
) -> Axes:
    """Draw one interval, below those already on the axes."""
    axes = prepare_forest_axes(ax, 1)
    return add_forest_rows(axes, [_make_row(interval, label)], color, line_kwargs)


def _make_row(interval: Interval, label: str | None) -> ForestRow:
    side = "" if interval.alternative == "two-sided" else ", one-sided"
    return ForestRow(
        name=interval.quantity if label is None else label,
        estimate=interval.estimate,
        low=interval.low,
        high=interval.high,
        about=f"{interval.quantity} with {percent(interval.level)} confidence interval{side}",
        null=interval.null,
        alternative=interval.alternative,
    )


def prepare_forest_axes(ax: Axes | None, rows: int) -> Axes:
    """Return axes with room for `rows` rows; empty ones keep only the bottom spine."""
    axes, empty = canvas.prepare_axes(ax, (7, 0.9 + ROW * (rows + 1)), grid="x")
    if empty:
        axes.spines[["left", "right", "top"]].set_visible(False)
        axes.tick_params(axis="y", length=0)
    return axes


def add_forest_rows(
    ax: Axes, rows: Iterable[ForestRow], color: Any = None, line_kwargs: Properties = None
) -> Axes:
    """Add rows below the existing ones."""
    lines = [line for line in ax.lines if isinstance(line, IntervalLine)]
    for row in rows:
        lines.append(_add_row(ax, row, -float(len(lines)), color, line_kwargs))
        if row.null is not None and len(lines) == 1:
            add_reference(ax, row.null)
    return _finish_forest_axes(ax, lines)


def _add_row(
    ax: Axes, row: ForestRow, y: float, color: Any, line_kwargs: Properties
) -> IntervalLine:
    ink = next(ink for ink in (row.color, color, canvas.COLORS[0]) if ink is not None)
    line = add_interval(ax, row, y, ink, line_kwargs)
    numbers, size = write_numbers(row), "small"
    if layout.is_narrow(ax):
        numbers, size = numbers.replace(" (", "\n("), "x-small"
    beside = ax.get_yaxis_transform()
    ax.text(1.02, y, numbers, transform=beside, va="center", fontsize=size)
    return line


def add_interval(
    ax: Axes,
    row: ForestRow,
    y: float,
    ink: Any,
    line_kwargs: Properties = None,
    marker: str = "s",
    size: float = 6.0,
) -> IntervalLine:
    """Draw the line of an interval, its ends and its estimate."""
    # A side without a limit extends to the end of the possible values, which may be far away: it is
    # drawn as long as the other side.
    low, high = row.low, row.high
    if row.alternative == "less":
        low = max(low, 2.0 * row.estimate - high)
    elif row.alternative == "greater":
        high = min(high, 2.0 * row.estimate - low)
    line = IntervalLine(
        [low, high],
        [y, y],
        **{"color": ink, "linewidth": 1.6, "solid_capstyle": "butt", **(line_kwargs or {})},
    )
    line.name, line.about = row.name, row.about
    ax.add_line(line)
    left = "<" if row.alternative == "less" else "|"
    right = ">" if row.alternative == "greater" else "|"
    for at, end in ((low, left), (high, right)):
        ax.plot([at], [y], linestyle="", marker=end, markersize=size + 1.0, color=ink)
    ax.plot([row.estimate], [y], linestyle="", marker=marker, markersize=size, color=ink)
    return line


def write_numbers(row: ForestRow) -> str:
    """Write the estimate and its limits."""
    limits = f"{_format(row.low)} to {_format(row.high)}"
    if row.alternative == "greater":
        limits = f"≥ {_format(row.low)}"
    elif row.alternative == "less":
        limits = f"≤ {_format(row.high)}"
    return f"{_format(row.estimate)} ({limits})"


def _format(value: float) -> str:
    return write_share(value).replace("-", "\N{MINUS SIGN}")


def add_reference(ax: Axes, value: float, text: str | None = None) -> None:
    """Add a vertical reference line, with its label above it."""
    line = Line2D([value] * 2, [0, 1], color="0.5", linestyle=(0, (2, 3)), linewidth=1, zorder=1.3)
    line.set_transform(ax.get_xaxis_transform())
    ax.add_artist(line)  # an artist, not data: a distant line must not change the limits
    if text is not None:
        ax.annotate(
            text, (value, 1.0), xycoords=ax.get_xaxis_transform(), ha="center", va="bottom",
            fontsize="small", color="0.35", annotation_clip=True, **canvas.LITERAL,
        )  # fmt: skip


def _finish_forest_axes(ax: Axes, rows: list[IntervalLine]) -> Axes:
    """Label the rows, write their common description once, and make room."""
    places = [-float(place) for place in range(len(rows))]
    wide = layout.width_of(ax)
    fits = [(size, share * wide) for size, share in NAME_FITS[layout.is_narrow(ax) :]]
    names, size = layout.fit_names([row.name for row in rows], ax, fits)
    ax.set_yticks(places, names, **canvas.LITERAL)
    ax.tick_params(axis="y", labelsize=size)
    ax.set_ylim(0.6 - len(rows), 0.6)
    ax.set_xlabel("; ".join(dict.fromkeys(row.about for row in rows)), **canvas.LITERAL)
    layout.fit_label(ax.xaxis)
    if ax.get_autoscalex_on():
        ax.margins(x=0.08)
        ax.autoscale_view(scaley=False)
    return ax


# These need axes of their own: their colours and legends are for their own models.
_ALONE = {
    "Comparisons", "CostDifference", "DifferenceBand", "GroupGaps", "NetBenefitDifference",
    "RateDifference", "ReaderStudy", "ReaderStudySize", "ClassBands", "SampleSize", "Subgroups",
    "Summary",
}  # fmt: skip


def draw_table(table: Table[Any], ax: Axes | None = None, **style: Any) -> Axes:
    """Draw the results one after the other; intervals and comparisons become a forest plot."""
    from rocbands.plot import draw

    intervals = {name: _find_interval(one) for name, one in table.results.items()}
    known = {name: one for name, one in intervals.items() if one is not None}
    if known:
        check_style(draw_intervals, style)
        return draw_intervals(known, ax, **style)
    kind = type(next(iter(table.results.values()))).__name__
    if kind in _ALONE:
        raise InputError(
            f"Pictures of {kind} cannot share axes",
            f"the table has {len(table)} of them",
            f"Draw one at a time, for example table[{table.names[0]!r}].plot().",
        )
    for name, result in table.results.items():
        ax = draw(result, ax, label=name, **style)
    assert ax is not None, "there is at least one result"
    return ax


def _find_interval(result: Result) -> Interval | None:
    if isinstance(result, Comparison):
        return result.interval
    return result if isinstance(result, Interval) else None
