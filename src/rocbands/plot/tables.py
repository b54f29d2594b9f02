"""Pictures of tables: the results of several models on the same axes."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes

from rocbands.core.interval import Interval
from rocbands.io.joined import Table
from rocbands.plot.forest import draw_intervals

__all__ = ["draw_table"]


def draw_table(table: Table, ax: Axes | None = None, **style: Any) -> Axes:
    """Draw the results one after the other; intervals become a forest plot.

    Parameters
    ----------
    table : Table
        The results.
    ax : Axes, optional
        Where to draw; by default on a new figure.
    **style
        As for one of the results.

    Returns
    -------
    Axes
        The axes.
    """
    from rocbands.plot import draw

    intervals = {name: one for name, one in table.results.items() if isinstance(one, Interval)}
    if intervals:
        return draw_intervals(intervals, ax, **style)
    for name, result in table.results.items():
        ax = draw(result, ax, label=name, **style)
    assert ax is not None, "there is at least one result"
    return ax
