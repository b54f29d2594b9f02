"""Drawing ROC curves and their bands with matplotlib."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cbook import normalize_kwargs
from matplotlib.colors import to_rgba
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon

from rocbands.core.band import Band
from rocbands.core.curve import Curve, displacement
from rocbands.core.roc import RocCurve
from rocbands.errors import InputError
from rocbands.plot.shapes import Shape, band_shape, curve_shape

__all__ = [
    "CHANCE",
    "BandPatch",
    "CurveLine",
    "Look",
    "add_band",
    "add_curve",
    "curve_text",
    "draw_band",
    "draw_roc",
    "finished",
    "furnished",
    "merged",
    "next_look",
]

# Okabe and Ito's colours, which colour-blind readers can tell apart, without yellow, which is lost
# on paper; and line styles for readers without any colour. Seven and four have no common factor,
# so the first repetition comes after 28 curves.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1.5, 1)), (0, (6, 1.5, 1.5, 1.5)))
CHANCE: dict[str, Any] = {
    "color": "0.6",
    "linestyle": (0, (2, 3)),
    "linewidth": 1,
    "zorder": 1.2,
}
VISIBLE = 0.005  # of an axis: two lines closer than this look like one
MARGIN = 0.015  # of an axis: a line on the border of the square stands clear of the frame


class CurveLine(Line2D):
    """An ROC curve on axes; `turn` says which draw made it."""

    turn = 0


class BandPatch(Polygon):
    """A band on axes; `turn` says which draw made it."""

    turn = 0


class Look(NamedTuple):
    """How one draw differs from those before it on the same axes."""

    turn: int
    color: Any
    dashes: Any


def draw_roc(
    roc: RocCurve,
    ax: Axes | None = None,
    *,
    label: str | None = None,
    color: Any = None,
    curve_kwargs: Mapping[str, Any] | None = None,
) -> Axes:
    """Draw an empirical ROC curve.

    Parameters
    ----------
    roc : RocCurve
        The curve.
    ax : Axes, optional
        Where to draw; by default on a new figure.
    label : str, optional
        The name of the model, for the legend.
    color : color, optional
        By default the next of the palette.
    curve_kwargs : mapping, optional
        Properties of the line, as matplotlib's Line2D takes them.

    Returns
    -------
    Axes
        The axes.
    """
    axes = furnished(ax)
    look = next_look(axes, color)
    add_curve(axes, roc.curve, curve_text(roc.auc, label), look, curve_kwargs)
    _add_extremes(axes, roc, look)
    return finished(axes)


def draw_band(
    band: Band,
    ax: Axes | None = None,
    *,
    label: str | None = None,
    color: Any = None,
    curve_kwargs: Mapping[str, Any] | None = None,
    band_kwargs: Mapping[str, Any] | None = None,
) -> Axes:
    """Draw a band as one polygon, and the curve it was made from.

    A curve that stands on the axes already, under the same name, is not drawn again: several bands
    around one curve share it.

    Parameters
    ----------
    band : Band
        The band.
    ax, label, color, curve_kwargs
        As for :func:`draw_roc`.
    band_kwargs : mapping, optional
        Properties of the polygon, as matplotlib's Polygon takes them.

    Returns
    -------
    Axes
        The axes.
    """
    axes = furnished(ax)
    add_band(axes, band, label, next_look(axes, color), curve_kwargs, band_kwargs)
    return finished(axes)


def add_band(
    axes: Axes,
    band: Band,
    label: str | None,
    look: Look,
    curve_kwargs: Mapping[str, Any] | None,
    band_kwargs: Mapping[str, Any] | None,
) -> tuple[CurveLine, BandPatch]:
    """Add a band and its curve, unless that stands there already; return both."""
    if band.centre is not None and not band.roc.folds:
        # The data as they are, thin, beside the curve that stands for them in the band.
        add_curve(axes, band.roc.curve, "empirical curve", look, {"lw": 0.6, "ls": "-"})
    text = curve_text(band.auc, label, "ROC curve" if band.centre is None else band.centre_name)
    line = add_curve(axes, band.curve, text, look, curve_kwargs)
    _add_extremes(axes, band.roc, look)
    properties: dict[str, Any] = {
        "facecolor": to_rgba(look.color, 0.18),
        "edgecolor": to_rgba(look.color, 0.75),
        "linestyle": look.dashes,
        "linewidth": 0.6,
        "joinstyle": "round",
        "zorder": 1.5,
        "label": _band_text(band),
    }
    patch = BandPatch(band_shape(band).points, **merged(properties, band_kwargs, BandPatch))
    patch.turn = look.turn
    axes.add_patch(patch)
    return line, patch


def add_curve(
    ax: Axes,
    curve: Curve,
    text: str,
    look: Look,
    curve_kwargs: Mapping[str, Any] | None,
) -> CurveLine:
    """Add a curve, unless it stands there already under the same name; return its line."""
    shape = curve_shape(curve)
    there = _standing(ax, shape, text)
    if there is not None:
        return there
    properties: dict[str, Any] = {
        "color": look.color,
        "linestyle": look.dashes,
        "linewidth": 1.4,
        "zorder": 2.5,
        "label": text,
    }
    line = CurveLine(shape.x, shape.y, **merged(properties, curve_kwargs, CurveLine))
    line.turn = look.turn
    ax.add_line(line)
    return line


def _add_extremes(ax: Axes, roc: RocCurve, look: Look) -> None:
    """Add, thin, the lowest and the highest curve that bins allow, where the eye can part them."""
    low, high = (extreme.curve for extreme in roc.extremes)
    if not roc.binned or displacement(low, high, 1.0).largest < VISIBLE:
        return
    thin = {"lw": 0.6, "ls": ":"}
    add_curve(ax, low, "lowest and highest curve in these bins", look, thin)
    add_curve(ax, high, "_highest", look, thin)


def _standing(ax: Axes, shape: Shape, text: str) -> CurveLine | None:
    for line in ax.lines:
        if not isinstance(line, CurveLine) or line.get_label() != text:
            continue
        if np.array_equal(line.get_xydata(), shape.points):
            return line
    return None


def merged(
    properties: dict[str, Any], wishes: Mapping[str, Any] | None, kind: type[Line2D | Polygon]
) -> dict[str, Any]:
    """Overrule `properties` by the user's wishes, also where these are spelled 'lw' or 'fc'."""
    asked = normalize_kwargs(dict(wishes or {}), kind)
    if "color" in asked:
        properties = {name: properties[name] for name in properties if "color" not in name}
    return {**properties, **asked}


def next_look(ax: Axes, color: Any) -> Look:
    """Return the look of the next draw on these axes."""
    ours = (item for item in (*ax.lines, *ax.patches) if isinstance(item, CurveLine | BandPatch))
    turn = 1 + max((item.turn for item in ours), default=-1)
    ink = COLORS[turn % len(COLORS)] if color is None else color
    return Look(turn, ink, DASHES[turn % len(DASHES)])


def furnished(ax: Axes | None, *, chance: bool = True, about: str = "") -> Axes:
    """Return the given axes, or new ones; empty ones get what they lack to show ROC curves.

    Without `chance` there is no line of guessing; `about` is added to the names of the axes.
    """
    if ax is None:
        # pyplot, so that notebooks and plt.show() see the figure.
        import matplotlib.pyplot as plt

        _, ax = plt.subplots(figsize=(5, 5), layout="constrained")
    if not isinstance(ax, Axes):
        raise InputError(
            f"`ax` must be one matplotlib Axes; got {type(ax).__name__}. "
            "Of an array of axes pick one, for example axes[0]."
        )
    if ax.has_data():
        return ax
    ax.set_aspect("equal")
    if ax.get_autoscalex_on():
        ax.set_xlim(-MARGIN, 1 + MARGIN)
    if ax.get_autoscaley_on():
        ax.set_ylim(-MARGIN, 1 + MARGIN)
    ax.set_xlabel(ax.get_xlabel() or f"False positive rate{about}")
    ax.set_ylabel(ax.get_ylabel() or f"True positive rate{about}")
    ax.set_axisbelow(True)
    ax.grid(color="0.5", alpha=0.2, linewidth=0.6)
    if chance:
        ax.plot([0, 1], [0, 1], **CHANCE)
    return ax


def finished(ax: Axes) -> Axes:
    """Renew the legend; axes with free limits grow to hold what was added."""
    ax.autoscale_view()
    ax.legend(loc="lower right", fontsize="small", framealpha=0.85, edgecolor="none")
    return ax


def curve_text(auc: float, label: str | None, unnamed: str = "ROC curve") -> str:
    """Name a curve in the legend."""
    return f"{unnamed if label is None else label} (AUC {_auc_text(auc)})"


def _auc_text(auc: float) -> str:
    """Two decimals; more where they would claim a perfect 1 or a perfect 0 that is not there."""
    for digits in (2, 3, 4, 6):
        text = f"{auc:.{digits}f}"
        if float(text) not in (0.0, 1.0) or float(text) == auc:
            return text
    return text


def _band_text(band: Band) -> str:
    name = band.method.name
    text = f"{100 * band.level:.10g}% {band.coverage} band, {name}"
    if band.future is None:
        return text
    # On a line of its own: in one line the legend would reach over the start of the curve.
    return f"{text},\nfuture curve {band.future[0]}+{band.future[1]}"
