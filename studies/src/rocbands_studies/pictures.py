"""Pictures of measured coverage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes

from rocbands.core.result import percent
from rocbands.plot.forest import ForestRow, add_forest_rows, prepare_forest_axes

if TYPE_CHECKING:
    from rocbands_studies.own_data import OwnDataResult


def draw_own_data(result: OwnDataResult, ax: Axes | None = None, *, color: Any = None) -> Axes:
    """Draw the measured coverage of bands on data like the user's, and the nominal level."""
    columns, level = result.columns(), result.level
    axes = prepare_forest_axes(ax, len(columns["method"]))
    about = f"Share of test sets whose {percent(level)} band contained the true curve"
    parts = (columns[name] for name in ("method", "holds", "low", "high"))
    rows = (
        ForestRow(str(name), float(share), float(low), float(high), about, null=level)
        for name, share, low, high in zip(*parts, strict=True)
    )
    add_forest_rows(axes, rows, color)
    axes.update_datalim([(level, 0.0)])
    axes.autoscale_view(scaley=False)
    return axes
