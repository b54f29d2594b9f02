"""Drawing differences of models (areas, ROC curves, recall at a rate), groups; and study plans.

A difference is model 1 minus model 2. Single differences are rows of a forest plot; differences
along an axis are a line with its band, shaded where one model is better.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, PercentFormatter

from rocbands.comparison.result import Comparisons, DifferenceBand
from rocbands.core.comparison import Comparison
from rocbands.core.result import percent
from rocbands.errors import InputError
from rocbands.planning.sample_size import SampleSize
from rocbands.plot import canvas
from rocbands.plot.forest import ForestRow, add_forest_rows, add_reference, prepare_forest_axes
from rocbands.plot.layout import LegendPlace
from rocbands.rates.result import RateDifference
from rocbands.readers.size import ReaderStudySize
from rocbands.subgroup.gaps import NAMES, GroupGaps

FEW = 12  # rates up to which each has a row of its own
SIZE = (6.4, 4.2)
# With more differences, only the largest of each quantity is drawn.
MOST_ROWS = 18
LEAST_ROW = 0.25  # inches; fewer rows fit low axes
CHANCE = "0.55"  # colour of a difference that may be chance


def draw_comparison(comparison: Comparison, ax: Axes | None = None, *, color: Any = None) -> Axes:
    """Draw the difference of two models with its interval."""
    axes = prepare_forest_axes(ax, 1)
    about = f"Difference of {comparison.quantity} with {percent(comparison.level)} interval"
    row = ForestRow(
        name_difference(comparison.names), comparison.difference, comparison.low, comparison.high,
        about, null=0.0, alternative=comparison.alternative,
    )  # fmt: skip
    add_forest_rows(axes, [row], color)
    if comparison.margin is not None:
        add_reference(axes, -comparison.margin, f"Margin {comparison.margin:g}")
        axes.update_datalim([(-comparison.margin, 0.0)])
        axes.autoscale_view(scaley=False)
    return axes


def draw_comparisons(
    comparisons: Comparisons, ax: Axes | None = None, *, color: Any = None
) -> Axes:
    """Draw the differences of all pairs with their simultaneous intervals."""
    names = comparisons.names
    pairs = [name_difference((names[i], names[j])) for i, j in comparisons.pairs]
    columns = (comparisons.differences, comparisons.lower, comparisons.upper)
    rows = zip(pairs, *(column.tolist() for column in columns), strict=True)
    about = f"Difference of AUC; {percent(comparisons.level)} for all pairs together"
    axes = prepare_forest_axes(ax, len(pairs))
    return add_forest_rows(
        axes, (ForestRow(name, gap, low, high, about, null=0.0) for name, gap, low, high in rows),
        color,
    )  # fmt: skip


def draw_rate_difference(
    difference: RateDifference,
    ax: Axes | None = None,
    *,
    color: Any = None,
    legend: LegendPlace = True,
) -> Axes:
    """Draw the difference of two recalls: a band for many rates, a row for each of a few."""
    names = name_difference(difference.names)
    each = f"{percent(difference.level)} limits"
    if difference.rate.size <= FEW:
        axes = prepare_forest_axes(ax, difference.rate.size)
        columns = (difference.rate, difference.difference, difference.lower, difference.upper)
        about = f"Difference of recall, {names}, with {each}"
        rows = (
            ForestRow(f"Rate {100 * rate:.3g}%", gap, low, high, about, null=0.0)
            for rate, gap, low, high in zip(*(part.tolist() for part in columns), strict=True)
        )
        return add_forest_rows(axes, rows, color)
    axes, empty = canvas.prepare_axes(
        ax, SIZE, x_label="Rate: share of cases acted on",
        y_label=f"Difference of recall\n({names})",
        x_limits=(-canvas.MARGIN, 1 + canvas.MARGIN),
    )  # fmt: skip
    if empty:
        axes.xaxis.set_major_formatter(PercentFormatter(1.0))
        canvas.add_zero_line(axes)
    add_difference(
        axes,
        difference.rate,
        (difference.lower, difference.difference, difference.upper),
        f"{each} for each rate alone",
        canvas.COLORS[0] if color is None else color,
    )
    return canvas.add_legend(axes, legend)


def draw_difference_band(
    band: DifferenceBand,
    ax: Axes | None = None,
    *,
    labels: tuple[str, str] | None = None,
    legend: LegendPlace = True,
) -> Axes:
    """Draw the difference of two ROC curves, its band, and where one model is better."""
    names = labels or band.names
    if isinstance(names, str) or len(names) != 2:
        raise InputError("must be the names of both models", f"got {labels!r}", argument="labels")
    top, bottom = max(float(band.upper.max()), 0.01), min(float(band.lower.min()), -0.01)
    room = 0.08 * (top - bottom)
    axes, empty = canvas.prepare_axes(
        ax, SIZE, x_label="False positive rate",
        y_label=f"Difference of true positive rates\n({name_difference(names)})",
        x_limits=(0.0, 1.0), y_limits=(bottom - room, top + room),
    )  # fmt: skip
    if empty:
        canvas.add_zero_line(axes)
        for end in band.fpr_range:
            axes.axvline(end, color="0.6", linestyle=(0, (1, 3)), linewidth=0.8, zorder=1.2)
    add_difference(
        axes,
        band.fpr,
        (band.lower, band.difference, band.upper),
        canvas.describe_band(band.level, "simultaneous"),
    )
    for part in band.better:
        inside = band.fpr[(band.fpr > part.low) & (band.fpr < part.high)]
        at = np.concatenate(([part.low], inside, [part.high]))
        # The limit nearer to 0 bounds the advantage of the better model.
        limit = band.lower_at(at) if part.model == 1 else band.upper_at(at)
        canvas.shade_advantage(axes, at, limit, part.model - 1)
    ahead = sorted({part.model - 1 for part in band.better})
    text = "finds more, by at least this"
    extra = [Patch(**canvas.advantage_style(k), label=f"{names[k]} {text}") for k in ahead]
    return canvas.add_legend(axes, legend, "upper right", extra)


def add_difference(
    ax: Axes, x: Any, columns: tuple[Any, Any, Any], text: str, color: Any = None
) -> None:
    """Add a difference with its limits along x; without a colour in black and grey."""
    lower, middle, upper = columns
    fill, edge = ("0.5", "0.4") if color is None else (color, to_rgba(color, 0.75))
    ax.fill_between(x, lower, upper, color=fill, alpha=0.22, linewidth=0, label=text, zorder=1.5)
    for limit in (lower, upper):
        ax.plot(x, limit, color=edge, linewidth=0.7)
    line = "0.15" if color is None else color
    ax.plot(x, middle, color=line, linewidth=1.4, zorder=2.8, label="Difference")


def name_difference(names: tuple[str, str]) -> str:
    """Name a difference; a line may end after the sign."""
    return f"{names[0]}\N{NO-BREAK SPACE}\N{MINUS SIGN} {names[1]}"


def draw_plan(
    plan: SampleSize, ax: Axes | None = None, *, color: Any = None, legend: LegendPlace = True
) -> Axes:
    """Draw the power or the width against the number of positives, and mark the plan."""
    name = "Power" if plan.width is None else "Width"
    reached = float(plan.power if plan.width is None else plan.width)  # type: ignore[arg-type]
    ratio = plan.n_neg / plan.n_pos
    others = "as many" if ratio == 1.0 else f"{ratio:.3g} times as many"
    axes, _ = canvas.prepare_axes(
        ax, (5.6, 4.0), x_label=f"Number of positives (and {others} negatives)", y_label=name
    )
    ink = canvas.COLORS[0] if color is None else color
    marker = "." if plan.sizes.size <= 12 else None  # simulated sizes are few
    axes.plot(plan.sizes, plan.achieved, color=ink, linewidth=1.4, marker=marker)
    text = f"{plan.n_pos:,} positives and {plan.n_neg:,} negatives: {name.lower()} {reached:.3g}"
    axes.plot([plan.n_pos], [reached], "o", color=ink, markeredgecolor="white", label=text)
    if axes.get_autoscaley_on():
        axes.set_ylim(0.0, 1.02 if name == "Power" else None)
    return canvas.add_legend(axes, legend)


def draw_reader_plan(
    plan: ReaderStudySize, ax: Axes | None = None, *, color: Any = None, legend: LegendPlace = True
) -> Axes:
    """Draw the power by the number of cases, a line for each number of readers; mark the sizes."""
    axes, empty = canvas.prepare_axes(
        ax, (6.0, 4.2), x_label="Number of cases", y_label="Power", y_limits=(0.0, 1.02)
    )
    if empty:
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda cases, _: f"{cases:,.0f}"))
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.axhline(plan.wanted, color="0.3", linestyle=(0, (4, 2)), linewidth=1, zorder=1.3)
    for readers, power in zip(plan.lines.tolist(), plan.achieved, strict=True):
        style = canvas.next_style(axes, color)
        found = [
            (n, reached)
            for r, n, reached in zip(plan.readers, plan.cases, plan.power, strict=True)
            if r == readers and n is not None
        ]
        text = f"{readers:.0f} reader{'s' * (readers > 1)}"
        if plan.searched != "power" and found:
            text += f": {found[0][0]:,} cases"
        line = style.add_line(axes, plan.sizes, power, None, label=text)
        if found:
            axes.plot(*zip(*found, strict=True), **canvas.POINT_LOOK, color=line.get_color())
    axes.autoscale_view(scaley=False)
    return canvas.add_legend(axes, legend)


def draw_group_gaps(gaps: GroupGaps, ax: Axes | None = None, *, color: Any = None) -> Axes:
    """Draw differences between groups with their limits; grey ones may be chance.

    Without room for all of them: of each quantity the largest that is shown, else the largest.
    """
    known = [gap for gap in gaps.ranked if gap.difference is not None]
    most = MOST_ROWS if ax is None else int(ax.bbox.height / ax.figure.dpi / LEAST_ROW)
    first = {gap.quantity: gap for gap in reversed(known)}
    shown = known if len(known) <= most else [gap for gap in known if gap is first[gap.quantity]]
    pairs = {gap.groups for gap in known}
    what = "Difference"
    if len(pairs) == 1:
        what = name_difference(*pairs)
    elif len(shown) < len(known):
        some = "" if all(gap.may_be_chance for gap in shown) else " shown"
        what = f"Largest{some} of {len(pairs)} differences"
    about = f"{what}, {percent(gaps.level)} limits (grey: may be chance)"
    axes = prepare_forest_axes(ax, len(shown))
    rows = []
    for gap in shown:
        name = NAMES[gap.quantity]
        name = name[0].upper() + name[1:]
        if len(pairs) > 1:
            name += f": {name_difference(gap.groups)}"
        _, _, difference, low, high = gap.numbers
        ink = CHANCE if gap.may_be_chance else None
        rows.append(ForestRow(name, difference, low, high, about, null=0.0, color=ink))
    add_forest_rows(axes, rows, color)
    axes.update_datalim([(0.0, 0.0)])
    axes.autoscale_view(scaley=False)
    return axes
