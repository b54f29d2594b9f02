"""Drawing differences between groups: a forest plot with a line at 0."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes

from rocbands.core.result import percent
from rocbands.plot.comparison import name_difference
from rocbands.plot.forest import ForestRow, add_forest_rows, prepare_forest_axes
from rocbands.subgroup.gaps import NAMES, GroupGap, GroupGaps

# With more differences, only the largest of each quantity is drawn.
MOST_ROWS = 18
LEAST_ROW = 0.25  # inches; fewer rows fit low axes
CHANCE = "0.55"  # colour of a difference that may be chance


def draw_group_gaps(gaps: GroupGaps, ax: Axes | None = None, *, color: Any = None) -> Axes:
    """Draw differences between groups with their limits; grey ones may be chance."""
    known = [gap for gap in gaps if gap.difference is not None]
    most = MOST_ROWS if ax is None else int(ax.bbox.height / ax.figure.dpi / LEAST_ROW)
    shown = known if len(known) <= most else _find_largest(known)
    pairs = {gap.groups for gap in known}
    what = "Difference"
    if len(pairs) == 1:
        what = name_difference(*pairs)
    elif len(shown) < len(known):
        what = f"Largest of {len(pairs)} differences"
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


def _find_largest(gaps: list[GroupGap]) -> list[GroupGap]:
    largest: dict[str, GroupGap] = {}
    for gap in gaps:
        known = largest.setdefault(gap.quantity, gap)
        if gap.larger_first[0] > known.larger_first[0]:
            largest[gap.quantity] = gap
    return list(largest.values())
