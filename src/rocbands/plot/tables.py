"""Pictures of tables: the results of several models on the same axes."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes

from rocbands.comparison.result import Comparison
from rocbands.core.interval import Interval
from rocbands.core.result import Result
from rocbands.errors import InputError
from rocbands.io.joined import Table
from rocbands.plot.forest import draw_intervals

__all__ = ["draw_table"]

# Each fills its axes: colours and legends belong to its own two models, or to all pairs.
_ALONE = {"Comparisons", "DifferenceBand", "RateDifference", "CostDifference", "Plan"}


def draw_table(table: Table, ax: Axes | None = None, **style: Any) -> Axes:
    """Draw the results one after the other; intervals and comparisons become a forest plot.

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

    intervals = {name: _find_interval(one) for name, one in table.results.items()}
    known = {name: one for name, one in intervals.items() if one is not None}
    if known:
        return draw_intervals(known, ax, **style)
    kind = type(next(iter(table.results.values()))).__name__
    if kind in _ALONE:
        raise InputError(
            f"Pictures of {kind} do not go onto the same axes",
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
