"""Drawing ROC curves, their bands, and operating points on them."""

from __future__ import annotations

import math
from typing import Any, get_args

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.patches import Rectangle

from rocbands.core.band import Band
from rocbands.core.checks import check_choice
from rocbands.core.curve import Curve, displacement
from rocbands.core.result import RocAxis, percent
from rocbands.core.roc import RocCurve
from rocbands.plot import canvas, layout
from rocbands.plot.canvas import BandPatch, CurveLine, Properties, Style
from rocbands.plot.layout import LegendPlace
from rocbands.plot.shapes import LEAST, band_shape, curve_shape
from rocbands.points.best_threshold import BestThreshold
from rocbands.points.result import OperatingPoints
from rocbands.two_sided.curve import TwoSidedCurve


def draw_roc(
    roc: RocCurve,
    ax: Axes | None = None,
    *,
    x: RocAxis = "fpr",
    log: bool = False,
    label: str | None = None,
    color: Any = None,
    curve_kwargs: Properties = None,
    legend: LegendPlace = True,
) -> Axes:
    """Draw an empirical ROC curve."""
    axes, _ = canvas.prepare_roc_axes(ax, log=log)
    style = canvas.next_style(axes, color)
    add_curve(axes, roc.curve, describe_curve(roc.auc, label), style, curve_kwargs)
    _add_extremes(axes, roc, style)
    return finish_roc_axes(axes, x, roc.n_neg, legend)


def draw_band(
    band: Band,
    ax: Axes | None = None,
    *,
    x: RocAxis = "fpr",
    log: bool = False,
    label: str | None = None,
    color: Any = None,
    curve_kwargs: Properties = None,
    band_kwargs: Properties = None,
    legend: LegendPlace = True,
) -> Axes:
    """Draw a band as one polygon, and the curve it was made from.

    A curve already on the axes under the same name is not drawn again, so several bands can share
    one curve.
    """
    axes, _ = canvas.prepare_roc_axes(ax, log=log)
    add_band(axes, band, label, canvas.next_style(axes, color), curve_kwargs, band_kwargs)
    return finish_roc_axes(axes, x, band.roc.n_neg, legend)


def draw_two_sided(
    found: TwoSidedCurve,
    ax: Axes | None = None,
    *,
    label: str | None = None,
    color: Any = None,
    curve_kwargs: Properties = None,
    legend: LegendPlace = True,
) -> Axes:
    """Draw a two-sided curve as steps between its rules, and the one-sided curve as a thin line."""
    axes, _ = canvas.prepare_roc_axes(ax)
    style = canvas.next_style(axes, color)
    who = "Scores" if label is None else label
    alone = f"{who}, high alone (AUC {_format_auc(found.roc.auc)})"
    add_curve(axes, found.roc.curve, alone, style, {"lw": 0.8})
    limits = f"{found.estimate:.2f}, {found.low:.2f} to {found.high:.2f}"
    style.add_line(
        axes, found.fpr, found.tpr, curve_kwargs, drawstyle="steps-post", linewidth=1.8,
        label=f"{who}, low or high (area {limits})",
    )  # fmt: skip
    return finish_roc_axes(axes, legend=legend)


def add_band(
    axes: Axes,
    band: Band,
    label: str | None,
    style: Style,
    curve_kwargs: Properties,
    band_kwargs: Properties,
) -> tuple[CurveLine, BandPatch]:
    """Add a band and its curve, unless the curve is already drawn; return both."""
    if band.centre is not None and not band.roc.folds:
        # The empirical curve, thin, beside the smooth curve that the band is centred on.
        add_curve(axes, band.roc.curve, "Empirical curve", style, {"lw": 0.6, "ls": "-"})
    name = "ROC curve" if band.centre is None else band.centre_name.capitalize()
    text = describe_curve(band.auc, label, name)
    line = add_curve(axes, band.curve, text, style, curve_kwargs)
    _add_extremes(axes, band.roc, style)
    shape = band_shape(band, log=axes.get_xscale() == "log")
    patch = style.add_band(
        axes, shape.points, band_kwargs, line=line, method=band.method.name,
        label=canvas.describe_band(band.level, band.coverage, band.future),
    )  # fmt: skip
    return line, patch


def add_curve(
    ax: Axes, curve: Curve, text: str, style: Style, curve_kwargs: Properties
) -> CurveLine:
    """Add a curve, unless one of the same name is already drawn; return its line."""
    shape = curve_shape(curve, log=ax.get_xscale() == "log")
    for line in ax.lines:
        same = isinstance(line, CurveLine) and line.get_label() == text
        if same and np.array_equal(line.get_xydata(), shape.points):
            return line  # type: ignore[return-value]
    return style.add_line(ax, shape.x, shape.y, curve_kwargs, label=text)


def _add_extremes(ax: Axes, roc: RocCurve, style: Style) -> None:
    """Add the lowest and highest curves that bins allow as thin lines, if visibly different."""
    low, high = (extreme.curve for extreme in roc.extremes)
    if not roc.binned or displacement(low, high, 1.0).largest < canvas.VISIBLE:
        return
    thin = {"lw": 0.6, "ls": ":"}
    add_curve(ax, low, "Lowest and highest curve in these bins", style, thin)
    add_curve(ax, high, "_highest", style, thin)


def finish_roc_axes(
    ax: Axes, x: RocAxis = "fpr", n_neg: int | None = None, legend: LegendPlace = True
) -> Axes:
    """Renew the legend; axes with free limits grow to contain what was added.

    A logarithmic axis begins at the power of ten below the rate of one of `n_neg` negatives.
    """
    check_choice(x, get_args(RocAxis), "x")
    log = ax.get_xscale() == "log"
    if log and n_neg is not None and (ax.get_autoscalex_on() or ax.get_xlim()[1] == 1.0):
        drawn = 1.0 if ax.get_autoscalex_on() else ax.get_xlim()[0]
        ax.set_xlim(min(drawn, max(LEAST, 10.0 ** -math.ceil(math.log10(max(n_neg, 10))))), 1.0)
    if x == "specificity":
        # The data stay false positive rates; only the tick labels change.
        ax.xaxis.set_major_formatter(lambda fpr, _: f"{round(1.0 - fpr, 9) + 0.0:g}")
        ax.set(xlabel="Specificity", ylabel="Sensitivity")
    ax.autoscale_view()
    return canvas.add_legend(ax, legend, "upper left" if log else "lower right")


def describe_curve(auc: float, label: str | None, unnamed: str = "ROC curve") -> str:
    """Name a curve in the legend."""
    return f"{unnamed if label is None else label} (AUC {_format_auc(auc)})"


def _format_auc(auc: float) -> str:
    """Two decimals; more if these would round to 0 or 1."""
    for digits in (2, 3, 4, 6):
        text = f"{auc:.{digits}f}"
        if float(text) not in (0.0, 1.0) or float(text) == auc:
            return text
    return text


FEW = 8  # points up to which thresholds are written


def draw_points(
    points: OperatingPoints,
    ax: Axes | None = None,
    *,
    x: RocAxis = "fpr",
    log: bool = False,
    label: str | None = None,
    color: Any = None,
    curve_kwargs: Properties = None,
    point_kwargs: Properties = None,
    legend: LegendPlace = True,
) -> Axes:
    """Draw points on their curve: whiskers for single rates, rectangles for joint limits."""
    axes, _ = canvas.prepare_roc_axes(ax, log=log)
    style = canvas.next_style(axes, color)
    add_curve(axes, points.roc.curve, describe_curve(points.roc.auc, label), style, curve_kwargs)
    add_limits = _add_rectangles if points.joint else _add_whiskers
    add_limits(axes, points, style)
    kind = "rectangle" if points.joint else "limits"
    text = f"{ASKED[points.asked][len(points) > 1]}, {percent(points.level)} {kind}"
    look = {**canvas.POINT_LOOK, "label": text}
    style.add_line(axes, points.fpr, points.tpr, point_kwargs, **look)
    if points.threshold.size <= FEW:
        # Beside the point, or the corner of its rectangle.
        across, up = points.fpr, points.tpr
        if points.joint:
            across, up = points.fpr_upper, points.tpr_lower
        for place in zip(across, up, points.threshold_text, strict=True):
            axes.add_artist(layout.Note(f"≥ {place[2]}", place[:2]))
    axes.autoscale_view()
    layout.place_notes(axes)
    return finish_roc_axes(axes, x, points.roc.n_neg, legend)


def draw_best_threshold(
    best: BestThreshold,
    ax: Axes | None = None,
    *,
    x: RocAxis = "fpr",
    log: bool = False,
    label: str | None = None,
    color: Any = None,
    curve_kwargs: Properties = None,
    point_kwargs: Properties = None,
    legend: LegendPlace = True,
) -> Axes:
    """Draw the chosen point with whiskers, and thick the part of the curve that may be best."""
    axes, _ = canvas.prepare_roc_axes(ax, log=log)
    style, roc = canvas.next_style(axes, color), best.roc
    add_curve(axes, roc.curve, describe_curve(roc.auc, label), style, curve_kwargs)
    cuts = np.append(np.inf, roc.thresholds)
    could = (cuts >= best.threshold_low) & (cuts <= best.threshold_high)
    look: dict[str, Any] = {"color": to_rgba(style.color, 0.35), "linewidth": 6.0, "zorder": 1.6}
    text = f"May be the best threshold, {percent(best.level)}"
    axes.plot(roc.fpr[could], roc.tpr[could], label=text, solid_capstyle="round", **look)
    fpr, tpr = 1.0 - best.specificity, best.sensitivity
    look = {"color": to_rgba(style.color, 0.8), "linewidth": 1.6, "zorder": 3.0}
    axes.hlines(tpr, 1.0 - best.specificity_high, 1.0 - best.specificity_low, **look)
    axes.vlines(fpr, best.sensitivity_low, best.sensitivity_high, **look)
    text = f"{ASKED[f'best {best.criterion}'][0]}, {percent(best.level)} limits"
    style.add_line(axes, [fpr], [tpr], point_kwargs, **{**canvas.POINT_LOOK, "label": text})
    axes.add_artist(layout.Note(f"≥ {best.threshold_text}", (fpr, tpr)))
    axes.autoscale_view()
    layout.place_notes(axes)
    return finish_roc_axes(axes, x, roc.n_neg, legend)


def _add_whiskers(ax: Axes, points: OperatingPoints, style: Style) -> None:
    x = points.fpr, points.fpr_lower, points.fpr_upper
    y = points.tpr, points.tpr_lower, points.tpr_upper
    look: dict[str, Any] = {"color": to_rgba(style.color, 0.8), "linewidth": 1.6, "zorder": 3.0}
    # A rate that was given has no limits.
    across, up = (side[2] > side[1] for side in (x, y))
    ax.hlines(y[0][across], x[1][across], x[2][across], **look)
    ax.vlines(x[0][up], y[1][up], y[2][up], **look)


def _add_rectangles(ax: Axes, points: OperatingPoints, style: Style) -> None:
    corners = np.column_stack([points.fpr_lower, points.tpr_lower])
    sides = np.column_stack([points.fpr_upper, points.tpr_upper]) - corners
    fill, edge = to_rgba(style.color, 0.2), to_rgba(style.color, 0.8)
    look: dict[str, Any] = {"facecolor": fill, "edgecolor": edge, "linewidth": 0.8, "zorder": 1.6}
    for corner, (width, height) in zip(corners.tolist(), sides.tolist(), strict=True):
        ax.add_patch(Rectangle(corner, width, height, **look))


# What was asked for, in words, of one point and of several.
ASKED = {
    "fpr": ("Chosen false positive rate", "Chosen false positive rates"),
    "tpr": ("Chosen true positive rate", "Chosen true positive rates"),
    "threshold": ("Threshold", "Thresholds"),
    "rate": ("Chosen rate of alarms", "Chosen rates of alarms"),
    "precision": ("Chosen precision", "Chosen precisions"),
    "best youden": ("Best threshold (Youden)", "Best thresholds (Youden)"),
    "best corner": ("Closest to the corner", "Closest to the corner"),
    "best cost": ("Threshold of least cost", "Thresholds of least cost"),
    "best eer": ("Equal error rate", "Equal error rate"),
}
