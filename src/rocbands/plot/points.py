"""Drawing operating points on their ROC curve."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.patches import Rectangle

from rocbands.plot.axes import Style, add_curve_line, format_level, next_style, prepare_roc_axes
from rocbands.plot.roc import add_curve, describe_curve, finish_roc_axes
from rocbands.points.result import OperatingPoints

__all__ = ["draw_points"]

FEW = 8  # points up to which each has its threshold beside it


def draw_points(
    points: OperatingPoints,
    ax: Axes | None = None,
    *,
    label: str | None = None,
    color: Any = None,
    curve_kwargs: Mapping[str, Any] | None = None,
    point_kwargs: Mapping[str, Any] | None = None,
) -> Axes:
    """Draw points on their curve: whiskers for single rates, rectangles for joint limits.

    Parameters
    ----------
    points : OperatingPoints
        The points.
    ax, label, color, curve_kwargs
        As for :func:`rocbands.plot.roc.draw_roc`.
    point_kwargs : mapping, optional
        Properties of the markers, as matplotlib's Line2D takes them.

    Returns
    -------
    Axes
        The axes.
    """
    axes, _ = prepare_roc_axes(ax)
    style = next_style(axes, color)
    add_curve(axes, points.roc.curve, describe_curve(points.roc.auc, label), style, curve_kwargs)
    add_limits = _add_rectangles if points.joint else _add_whiskers
    add_limits(axes, points, style)
    add_curve_line(
        axes,
        points.fpr,
        points.tpr,
        style,
        point_kwargs,
        marker="o",
        markersize=5,
        markeredgecolor="white",
        linestyle="none",
        zorder=3.5,
        clip_on=False,
        label=_describe_points(points),
    )
    if points.threshold.size <= FEW:
        _write_thresholds(axes, points)
    return finish_roc_axes(axes)


def _write_thresholds(ax: Axes, points: OperatingPoints) -> None:
    """Write each point's threshold to the right of it, below the curve."""
    for x, y, cut in zip(points.fpr, points.tpr, points.threshold, strict=True):
        ax.annotate(
            f"≥ {cut:.4g}", (x, y), xytext=(7, -4), textcoords="offset points", fontsize="x-small",
            va="top", zorder=3.6,
        )  # fmt: skip


def _add_whiskers(ax: Axes, points: OperatingPoints, style: Style) -> None:
    x = points.fpr, points.fpr_low, points.fpr_high
    y = points.tpr, points.tpr_low, points.tpr_high
    look: dict[str, Any] = {"color": to_rgba(style.color, 0.8), "linewidth": 1.6, "zorder": 3.0}
    # A rate that was asked for has no limits.
    across, up = (side[2] > side[1] for side in (x, y))
    ax.hlines(y[0][across], x[1][across], x[2][across], **look)
    ax.vlines(x[0][up], y[1][up], y[2][up], **look)


def _add_rectangles(ax: Axes, points: OperatingPoints, style: Style) -> None:
    corners = np.column_stack([points.fpr_low, points.tpr_low])
    sides = np.column_stack([points.fpr_high, points.tpr_high]) - corners
    for corner, (width, height) in zip(corners.tolist(), sides.tolist(), strict=True):
        ax.add_patch(
            Rectangle(
                corner,
                width,
                height,
                facecolor=to_rgba(style.color, 0.2),
                edgecolor=to_rgba(style.color, 0.8),
                linewidth=0.8,
                zorder=1.6,
            )
        )


def _describe_points(points: OperatingPoints) -> str:
    shape = "rectangle" if points.joint else "limits"
    return f"{points.asked}, {format_level(points.level)} {shape}, {points.method}"
