"""Drawing a band in other coordinates: precision-recall, gains, lift, DET, costs, net benefit."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, NullLocator
from scipy.special import ndtr, ndtri

from rocbands.core.checks import FloatArray
from rocbands.core.curve import Curve
from rocbands.errors import InputError
from rocbands.plot import canvas
from rocbands.plot.canvas import BandPatch, CurveLine, Properties
from rocbands.plot.decisions import DecisionCurve, add_decision_curve, prepare_decision_axes
from rocbands.plot.layout import LegendPlace, SpacedLocator
from rocbands.plot.roc import describe_curve, draw_band
from rocbands.plot.shapes import curve_shape
from rocbands.points.measures import find_prevalence
from rocbands.precision.average_precision import average_precision_interval
from rocbands.views.coordinates import MappedCoordinates, map_curve
from rocbands.views.view import View

Limits: TypeAlias = tuple[float, float]

_FEW = 30  # distinct scores up to which the points of single thresholds are marked
# The more important first: where there is little room, the others are left out.
_DET_TICKS = (0.01, 0.1, 0.5, 0.9, 0.001, 0.0001, 0.2, 0.05, 0.02, 0.8, 0.95, 0.3, 0.4, 0.6, 0.7)
_F1_LINES = (0.2, 0.4, 0.6, 0.8)
LABELS = {
    "pr": ("Recall", "Precision"),
    "gains": ("Share of all cases called positive", "Recall"),
    "lift": ("Share of all cases called positive", "Lift"),
    "det": ("False positive rate", "False negative rate"),
    "cost": ("Weight of false negatives", "Least expected cost"),
}


def draw_view(
    view: View,
    ax: Axes | None = None,
    *,
    label: str | None = None,
    color: Any = None,
    curve_kwargs: Properties = None,
    band_kwargs: Properties = None,
    iso_f1: bool = False,
    mark: float | None = None,
    legend: LegendPlace = True,
) -> Axes:
    """Draw a band in other coordinates, and the curve that it was made from."""
    if view.name == "roc":
        return draw_band(
            view.band, ax, label=label, color=color, curve_kwargs=curve_kwargs,
            band_kwargs=band_kwargs, legend=legend,
        )  # fmt: skip
    if view.name == "net-benefit":
        curve = DecisionCurve.from_view(view)
        axes = prepare_decision_axes(ax, curve)
        text = f"{label or 'Model'}, best threshold"
        line = add_decision_curve(axes, curve, text, color, curve_kwargs, band_kwargs)
        if mark is not None:
            _add_mark(axes, view, float(mark), line.get_color())
        return canvas.add_legend(axes, legend, "upper right")
    axes, empty = prepare_view_axes(view, ax)
    if empty:
        add_references(axes, view.name)
        if iso_f1 and view.name == "pr":
            _add_f1_lines(axes)
    line, _ = add_view(axes, view, label, color, curve_kwargs, band_kwargs)
    if mark is not None:
        _add_mark(axes, view, float(mark), line.get_color())
    return finish_view_axes(axes, legend)


def _add_mark(axes: Axes, view: View, at: float, color: Any) -> None:
    """Draw the limits at one abscissa, such as the share of cases that can be examined."""
    low, high = float(view.lower_at(at)), float(view.upper_at(at))
    axes.axvline(at, color="0.45", linestyle=(0, (1, 2)), linewidth=0.9, zorder=1.3)
    text = f"{view.ordinate.capitalize()} at {view.abscissa} {at:.3g}: {low:.2f} to {high:.2f}"
    look: dict[str, Any] = {"linewidth": 2.6, "solid_capstyle": "butt", "zorder": 3}
    axes.plot([at, at], [low, high], color=color, label=text, **look)


def prepare_view_axes(view: View, ax: Axes | None) -> tuple[Axes, bool]:
    """Return axes with the labels and limits of the view, and whether they were empty."""
    x_label, y_label = LABELS[view.name]
    x_limits, y_limits = _choose_limits(view)
    axes, empty = canvas.prepare_axes(
        ax, (5, 5), x_label=x_label, y_label=y_label, x_limits=x_limits, y_limits=y_limits
    )
    if empty and view.name == "det":
        scale_by_probit(axes, x_limits, y_limits)
    if empty and view.name in ("pr", "gains"):
        axes.set_aspect("equal")
    return axes, empty


def _choose_limits(view: View) -> tuple[Limits, Limits]:
    """Return the limits of both axes."""
    unit = (-canvas.MARGIN, 1.0 + canvas.MARGIN)
    if view.name == "lift":
        highest = float(view.upper_at(max(0.02, 1.0 / (view.n_pos + view.n_neg))))
        return unit, (0.0, 1.05 * highest)
    if view.name == "cost":
        return unit, (-canvas.MARGIN / 2.0, 0.5 + canvas.MARGIN / 2.0)
    if view.name == "det":
        # From half a case of each class: below that, an edge cannot be distinguished from the axis.
        return (min(0.5 / view.n_neg, 0.2), 0.7), (min(0.5 / view.n_pos, 0.2), 0.95)
    return unit, unit


def scale_by_probit(axes: Axes, x_limits: Limits, y_limits: Limits) -> None:
    """Give both axes the scale of normal quantiles, on which binormal curves are straight."""
    for axis, limits, name in ((axes.xaxis, x_limits, "x"), (axes.yaxis, y_limits, "y")):
        getattr(axes, f"set_{name}scale")("function", functions=(_to_probit, ndtr))
        axis.set_major_locator(SpacedLocator(_DET_TICKS, 0.42 if name == "x" else 0.22))
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(FuncFormatter(lambda rate, _: f"{100 * rate:g}%"))
        getattr(axes, f"set_{name}lim")(*limits)


def _to_probit(rate: FloatArray) -> FloatArray:
    return np.asarray(ndtri(np.clip(rate, 1e-9, 1.0 - 1e-9)))


def add_view(
    axes: Axes,
    view: View,
    label: str | None,
    color: Any = None,
    curve_kwargs: Properties = None,
    band_kwargs: Properties = None,
) -> tuple[CurveLine, BandPatch]:
    """Add the curve and the band of a view; return both."""
    style = canvas.next_style(axes, color)
    lower, upper, curve = _choose_lines(view, axes)
    coordinates, few = view.coordinates, view.band.roc.fp.size <= _FEW
    if isinstance(coordinates, MappedCoordinates) and few and view.band.centre is None:
        marked = coordinates.forward(view.band.roc.fpr, view.band.roc.tpr, view.share)
        first = int(np.argmax(view.band.roc.tp > 0)) + 1
        x, y = (side[first:] for side in marked)
        # Single thresholds attain only these points; points between them need randomization.
        axes.plot(x, y, ".", color=style.color, markersize=4, zorder=2.6)
    text = _describe(view, label)
    line = style.add_line(axes, curve.x, curve.y, curve_kwargs, label=text)
    points = np.column_stack([np.append(upper.x, lower.x[::-1]), np.append(upper.y, lower.y[::-1])])
    band = style.add_band(
        axes, points, band_kwargs, line=line, label=_describe_band(view),
        method=view.band.method.name,
    )  # fmt: skip
    if view.name == "pr":
        _add_prevalence(axes, view, style.color)
    return line, band


def _choose_lines(view: View, axes: Axes) -> tuple[Curve, Curve, Curve]:
    """Drawn parts of the lower limit, the upper limit and the curve."""
    if view.name == "det":
        x_low, x_high = sorted(axes.get_xlim())
        x = ndtr(np.linspace(ndtri(x_low), ndtri(min(x_high, 1 - 1e-9)), 301))
        low, high = sorted(axes.get_ylim())
        limits = [Curve(x, np.clip(side, low, high)) for side in view.region.limits(x)]
        thin = curve_shape(view.band.curve)
        return limits[0], limits[1], Curve(thin.x, 1.0 - thin.y)
    lower, upper = view.region.polylines(fine=True)
    if not isinstance(view.coordinates, MappedCoordinates):
        return lower, upper, view.curve
    thin = curve_shape(view.band.curve)
    curve = map_curve(Curve(thin.x, thin.y), view.coordinates, view.share)
    # The plot starts at half a positive, or at one case: before that nothing is known.
    start = 0.5 / view.n_pos if view.name == "pr" else 1.0 / (view.n_pos + view.n_neg)
    if view.name == "gains":
        return lower, upper, curve
    tpr = view.band.roc.tpr
    first = tpr[tpr > 0.0][0] if view.name == "pr" else start
    return _cut_before(lower, start), _cut_before(upper, start), _cut_before(curve, float(first))


def _cut_before(line: Curve, start: float) -> Curve:
    keep = line.x >= start - 1e-12
    keep[-2:] = True
    return Curve(line.x[keep], line.y[keep])


def _describe(view: View, label: str | None) -> str:
    name = "Model" if label is None else label
    if view.name == "pr" and view.band.centre is None and view.future is None:
        asked: dict[str, Any] = {"level": view.level, "prevalence": view.prevalence}
        with suppress(InputError):  # a design that it cannot use
            ap = average_precision_interval(view.band.roc, **asked)
            return f"{name} (AP {ap.estimate:.2f}, {ap.low:.2f} to {ap.high:.2f})"
    return describe_curve(view.band.auc, label, "Model")


def _describe_band(view: View) -> str:
    text = canvas.describe_band(view.level, view.coverage, view.future)
    given = view.coordinates.uses_prevalence and view.rule == "given" and view.name != "pr"
    return f"{text}, {100 * view.share:.3g}% positives" if given else text


def _add_prevalence(axes: Axes, view: View, color: Any) -> None:
    """Dashed line at the prevalence, with its interval at the right if it is estimated."""
    given = " (given)" if view.rule == "given" else ""
    text = f"{100 * view.share:.3g}% positives{given}"
    axes.axhline(view.share, label=text, **canvas.CHANCE_LINE)
    if view.prevalence is None:
        _, low, high = find_prevalence(view.band.roc, None, view.level)
        axes.plot([1.0, 1.0], [float(low), float(high)], color=color, linewidth=3, alpha=0.6,
                  solid_capstyle="butt", zorder=2.6)  # fmt: skip


def add_references(axes: Axes, view: str) -> None:
    """Add the chance curve."""
    if view in ("roc", "gains"):
        axes.plot([0, 1], [0, 1], **canvas.CHANCE_LINE)
    elif view == "lift":
        axes.axhline(1.0, **canvas.CHANCE_LINE)
    elif view == "cost":
        axes.plot([0, 0.5, 1], [0, 0.5, 0], **canvas.CHANCE_LINE)
    elif view == "net-benefit":
        canvas.add_zero_line(axes)
    elif view == "det":
        low = max(axes.get_xlim()[0], axes.get_ylim()[0])
        x = np.geomspace(low, 0.5, 50)
        axes.plot(x, x, **canvas.CHANCE_LINE)


def _add_f1_lines(axes: Axes) -> None:
    for f1 in _F1_LINES:
        recall = np.linspace(f1 / (2.0 - f1), 1.0, 60)
        precision = f1 * recall / (2.0 * recall - f1)  # F1 = 2 p r / (p + r), solved for p
        axes.plot(recall, precision, color="0.75", linewidth=0.7, zorder=1.1)
        beside = axes.get_yaxis_transform()
        axes.text(
            1.01, f1 / (2.0 - f1), f"F1 {f1:g}", fontsize=7, color="0.4", va="center",
            transform=beside,
        )  # fmt: skip


def finish_view_axes(axes: Axes, legend: LegendPlace = True) -> Axes:
    """Renew the legend."""
    axes.autoscale_view()
    return canvas.add_legend(axes, legend)
