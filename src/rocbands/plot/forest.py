"""Forest plots: one row for each interval, the numbers beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from rocbands.core.interval import Interval
from rocbands.errors import InputError

__all__ = ["draw_interval", "draw_intervals"]

COLOR = "#0072B2"
ROW = 0.34  # inches


class IntervalLine(Line2D):
    """An interval on axes, in a row of its own."""

    name = ""
    said = ""


def draw_intervals(
    intervals: Mapping[str, Interval] | Iterable[Interval],
    ax: Axes | None = None,
    *,
    color: Any = None,
) -> Axes:
    """Draw several intervals, from the top down in the order they come.

    Parameters
    ----------
    intervals : mapping of str to Interval, or iterable of Interval
        What to draw, by name where there are names.
    ax : Axes, optional
        Where to draw; by default on a new figure, as high as it needs to be.
    color : color, optional
        Of all rows.

    Returns
    -------
    Axes
        The axes.
    """
    named = intervals if isinstance(intervals, Mapping) else dict(enumerate(intervals))
    for interval in named.values():
        if not isinstance(interval, Interval):
            raise InputError(
                "A forest plot is of intervals, for example from rb.auc_interval; "
                f"got {type(interval).__name__}."
            )
    if not named:
        raise InputError("A forest plot needs at least one interval; got none.")
    axes = _furnished(ax, len(named))
    for name, interval in named.items():
        label = str(name) if isinstance(intervals, Mapping) else None
        draw_interval(interval, axes, label=label, color=color)
    return axes


def draw_interval(
    interval: Interval,
    ax: Axes | None = None,
    *,
    label: str | None = None,
    color: Any = None,
    line_kwargs: Mapping[str, Any] | None = None,
) -> Axes:
    """Draw one interval, below those that stand on the axes already.

    Parameters
    ----------
    interval : Interval
        The interval; one without a limit on one side ends in an arrow there.
    ax : Axes, optional
        Where to draw; by default on a new figure.
    label : str, optional
        Name of the row; by default what is estimated.
    color : color, optional
        Of the row.
    line_kwargs : mapping, optional
        Properties of the line, as matplotlib's Line2D takes them.

    Returns
    -------
    Axes
        The axes.
    """
    axes = _furnished(ax, 1)
    rows = [line for line in axes.lines if isinstance(line, IntervalLine)]
    y, ink = -float(len(rows)), COLOR if color is None else color
    line = IntervalLine(
        [interval.low, interval.high],
        [y, y],
        **{"color": ink, "linewidth": 1.6, "solid_capstyle": "butt", **(line_kwargs or {})},
    )
    line.name = interval.quantity if label is None else label
    line.said = _said(interval)
    axes.add_line(line)
    left = "<" if interval.alternative == "less" else "|"
    right = ">" if interval.alternative == "greater" else "|"
    for at, marker in ((interval.low, left), (interval.high, right)):
        axes.plot([at], [y], linestyle="", marker=marker, markersize=7, color=ink)
    axes.plot([interval.estimate], [y], linestyle="", marker="s", markersize=6, color=ink)
    numbers = f"{interval.estimate:.3f} ({interval.low:.3f} to {interval.high:.3f})"
    beside = axes.get_yaxis_transform()
    axes.text(1.02, y, numbers, transform=beside, va="center", fontsize="small")
    if interval.null is not None and not rows:
        # Where chance lies far off, the intervals are worth the room more than the line.
        null = Line2D([interval.null] * 2, [0, 1], color="0.5", linestyle=(0, (2, 3)), linewidth=1)
        null.set_transform(axes.get_xaxis_transform())
        axes.add_artist(null)  # not a line of the data: it does not widen the view
    return _finished(axes, [*rows, line])


def _furnished(ax: Axes | None, rows: int) -> Axes:
    if ax is None:
        import matplotlib.pyplot as plt

        _, ax = plt.subplots(figsize=(7, 0.9 + ROW * (rows + 1)), layout="constrained")
    if not isinstance(ax, Axes):
        raise InputError(
            f"`ax` must be one matplotlib Axes; got {type(ax).__name__}. "
            "Of an array of axes pick one, for example axes[0]."
        )
    if not ax.has_data():
        ax.set_axisbelow(True)
        ax.grid(axis="x", color="0.5", alpha=0.2, linewidth=0.6)
        ax.spines[["left", "right", "top"]].set_visible(False)
        ax.tick_params(axis="y", length=0)
    return ax


def _finished(ax: Axes, rows: list[IntervalLine]) -> Axes:
    """Name the rows, say once what all of them say, and make room."""
    ax.set_yticks([-float(place) for place in range(len(rows))], [row.name for row in rows])
    ax.set_ylim(0.6 - len(rows), 0.6)
    said = list(dict.fromkeys(row.said for row in rows))
    ax.set_xlabel("; ".join(said))
    if ax.get_autoscalex_on():
        ax.margins(x=0.08)
        ax.autoscale_view(scaley=False)
    return ax


def _said(interval: Interval) -> str:
    side = "" if interval.alternative == "two-sided" else ", one-sided"
    return (
        f"{interval.quantity}, {100 * interval.level:.10g}% confidence interval{side} "
        f"({interval.method})"
    )
