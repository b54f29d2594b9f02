"""Drawing a summary: a small forest plot for each metric, with the models in rows."""

from __future__ import annotations

import math
from typing import Any

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from rocbands.core.result import percent
from rocbands.overview.metrics import Value
from rocbands.overview.result import Summary
from rocbands.plot import canvas, layout

ROW = 0.32  # inches for each model
WIDE = 5.0  # inches from which there are four panels beside each other
NARROWEST = 0.04  # of a panel's axis
NAME_FITS = (("small", 0.9), ("x-small", 0.9), ("x-small", 1.3))  # inches for names of models
TITLE = 1.1  # inches of a panel's title before a line ends


def draw_summary(summary: Summary, ax: Axes | None = None, *, color: Any = None) -> Axes:
    """Draw a panel for each metric, four or two beside each other, in the place of given axes."""
    number = len(summary.metrics)
    panels = _make_panels(number, len(summary.models), ax)
    columns = sum(panel.get_subplotspec().rowspan.start == 0 for panel in panels)  # type: ignore[union-attr]
    for place, (metric, panel) in enumerate(zip(summary.metrics, panels, strict=True)):
        _draw_metric(panel, summary, metric, color)
        rows = [-float(row) for row in range(len(summary.models))]
        names, size = layout.fit_names(summary.models, panel, NAME_FITS)
        shown = names if place % columns == 0 else [""] * len(rows)
        panel.set_yticks(rows, shown, fontsize=size, **canvas.LITERAL)
    _explain(panels[columns * ((number - 1) // columns)], summary)  # in the last row
    return panels[0] if ax is None else ax


def _make_panels(number: int, models: int, ax: Axes | None) -> list[Axes]:
    """Make the panels on a new figure, or in the place of given axes."""
    if ax is None:
        columns = min(number, 4)
        rows = math.ceil(number / columns)
        size = (max(7.0 * columns / 4.0, 3.5), rows * (0.85 + ROW * models) + 0.25)
        return canvas.make_axes(number, columns, size)
    ax, _ = canvas.prepare_axes(ax, (7.0, 3.0))
    figure = ax.figure
    inches = ax.get_position().width * figure.get_figwidth()  # type: ignore[union-attr]
    columns = min(number, 4 if inches >= WIDE else 2)
    return canvas.split_axes(ax, number, columns)


def _draw_metric(panel: Axes, summary: Summary, metric: str, color: Any) -> None:
    """Draw one metric of all models."""
    canvas.prepare_axes(panel, (3.0, 2.0), grid="x")
    panel.spines[["left", "right", "top"]].set_visible(False)
    panel.tick_params(axis="y", length=0)
    panel.tick_params(axis="x", labelsize="small")
    found: list[Value] = []
    for row, model in enumerate(summary.models):
        ink = canvas.COLORS[row % len(canvas.COLORS)] if color is None else color
        value = summary.values[model].get(metric)
        if value is None:
            panel.text(
                0.5, -row, "none", transform=panel.get_yaxis_transform(), ha="center", va="center",
                fontsize="small", color="0.45",
            )  # fmt: skip
            continue
        found.append(value)
        panel.plot([value.low, value.high], [-row, -row], color=ink, lw=1.8, marker="|", ms=7)
        panel.plot([value.estimate], [-row], color=ink, marker="s", ms=5, ls="")
        panel.annotate(
            f"{value.estimate:.3f}", (value.estimate, -row), (0, 5), textcoords="offset points",
            ha="center", va="bottom", fontsize="x-small",
        )  # fmt: skip
    low, high = _find_range(found)
    panel.set_xlim(low, high)
    panel.set_ylim(-len(summary.models) + 0.5, 0.75)
    panel.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
    title = metric + (" (less is better)" if metric in summary.falling else "")
    text = panel.set_title(title[0].upper() + title[1:], fontsize="small", **canvas.LITERAL)
    layout.fit_text(text, min(layout.width_of(panel), TITLE))


def _find_range(values: list[Value]) -> tuple[float, float]:
    """Return limits of an axis with some room beside the intervals."""
    if not values:
        return 0.0, 1.0
    low, high = min(value.low for value in values), max(value.high for value in values)
    room = max(0.12 * (high - low), NARROWEST / 2.0)
    return low - room, high + room


def _explain(panel: Axes, summary: Summary) -> None:
    """Say what the bars are, once."""
    panel.annotate(
        f"Bars: {percent(summary.level)} confidence limits", (0, 0), (0, -22),
        xycoords="axes fraction", textcoords="offset points", ha="left", va="top",
        fontsize="x-small", color="0.35",
    )  # fmt: skip
