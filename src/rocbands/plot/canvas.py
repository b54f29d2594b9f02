"""Axes, colours and legends that all pictures share."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from matplotlib import rc_context
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.cbook import normalize_kwargs
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Polygon

from rocbands.core.checks import FloatArray
from rocbands.core.result import percent
from rocbands.errors import InputError, Message, arg
from rocbands.plot import layout
from rocbands.plot.layout import LegendPlace

# Okabe and Ito's colours, which colour-blind readers can distinguish, without yellow, which is
# faint on paper; then darker ones, for more than seven models. Line styles are for prints without
# colour. Thirteen and four have no common factor, so a combination repeats after 52 curves.
COLORS = (
    *("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"),
    *("#882255", "#999933", "#332288", "#7F4F24", "#117733", "#AA4499"),
)
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1.5, 1)), (0, (6, 1.5, 1.5, 1.5)))
HATCHES = ("///", "...")  # of model 1 and model 2, for prints without colour
CHANCE_LINE: dict[str, Any] = {
    "color": "0.6",
    "linestyle": (0, (2, 3)),
    "linewidth": 1,
    "zorder": 1.2,
}
# Properties of a line that shows points.
POINT_LOOK: dict[str, Any] = {
    "linestyle": "none", "marker": "o", "markersize": 5, "markeredgecolor": "white",
    "clip_on": False, "zorder": 3.5,
}  # fmt: skip
# Texts contain names from the user's data: a dollar sign in them does not start a formula.
LITERAL: dict[str, Any] = {"parse_math": False}
VISIBLE = 0.005  # of an axis: closer lines cannot be distinguished
MOST_BANDS = 3  # in one picture; of more curves only the first two have bands
MARGIN = 0.015  # of an axis: keeps lines on the border of the square off the frame


Properties: TypeAlias = Mapping[str, Any] | None  # of an artist, given by the user


class CurveLine(Line2D):
    """A model's curve or markers on axes; `turn` counts the models drawn before it."""

    turn = 0


class BandPatch(Polygon):
    """A model's band on axes; `turn` counts the models drawn before it.

    `line` is the curve inside the band: both share an entry of the legend.
    """

    turn = 0
    line: CurveLine | None = None
    method = ""  # its name, for legends with several


class EmbeddingFigure(Figure):
    """A figure whose PDF and PostScript files contain TrueType fonts.

    Matplotlib's default, Type 3 fonts, is refused by some publishers.
    """

    def savefig(self, *args: Any, **kwargs: Any) -> None:
        """Save the figure; the arguments are those of matplotlib."""
        with rc_context({"pdf.fonttype": 42, "ps.fonttype": 42}):
            super().savefig(*args, **kwargs)


class Style(NamedTuple):
    """Colour and line style of a model, unlike those of earlier models on the same axes."""

    turn: int
    color: Any
    dashes: Any

    def add_line(self, ax: Axes, x: Any, y: Any, wishes: Properties, **own: Any) -> CurveLine:
        """Add the model's line; `own` properties, then the user's `wishes`, override the style."""
        defaults: dict[str, Any] = {
            "color": self.color,
            "linestyle": self.dashes,
            "linewidth": 1.4,
            "zorder": 2.5,
            **own,
        }
        line = CurveLine(x, y, **merge_properties(defaults, wishes, CurveLine))
        line.turn = self.turn
        ax.add_line(line)
        return line

    def add_band(
        self,
        ax: Axes,
        points: Any,
        wishes: Properties,
        *,
        line: CurveLine | None = None,
        label: str | None = None,
        method: str = "",
    ) -> BandPatch:
        """Add the model's band, around `line`, as one polygon."""
        defaults: dict[str, Any] = {
            "facecolor": to_rgba(self.color, 0.18),
            "edgecolor": to_rgba(self.color, 0.75),
            "linestyle": self.dashes,
            "linewidth": 0.6,
            "joinstyle": "round",
            "zorder": 1.5,
            "label": label,
        }
        patch = BandPatch(points, **merge_properties(defaults, wishes, BandPatch))
        patch.turn, patch.line, patch.method = self.turn, line, method
        ax.add_patch(patch)
        return patch


def next_style(ax: Axes, color: Any = None) -> Style:
    """Return the style of the next model on these axes."""
    ours = (item for item in (*ax.lines, *ax.patches) if isinstance(item, CurveLine | BandPatch))
    turn = 1 + max((item.turn for item in ours), default=-1)
    chosen = COLORS[turn % len(COLORS)] if color is None else color
    return Style(turn, chosen, DASHES[turn % len(DASHES)])


def prepare_axes(
    ax: Axes | None,
    size: tuple[float, float],
    *,
    x_label: str | None = None,
    y_label: str | None = None,
    x_limits: tuple[float, float] | None = None,
    y_limits: tuple[float, float] | None = None,
    grid: str = "both",
) -> tuple[Axes, bool]:
    """Return the given axes, or new ones; empty axes get labels, limits and a grid.

    Labels and limits set by the user are kept. A new figure has a size of `size` inches. Also
    returns whether the axes were empty.
    """
    if ax is None:
        ax = make_axes(1, 1, size)[0]
    if not isinstance(ax, Axes):
        raise InputError(
            "must be one matplotlib Axes",
            f"got {type(ax).__name__}",
            "To write the picture to a file: result.plot().figure.savefig(path); of a display: "
            "display.figure_.savefig(path)."
            if isinstance(ax, (str, os.PathLike))
            else "From an array of axes choose one, for example axes[0].",
            argument="ax",
        )
    if ax.has_data():
        return ax, False
    if x_limits is not None and ax.get_autoscalex_on():
        ax.set_xlim(*x_limits)
    if y_limits is not None and ax.get_autoscaley_on():
        ax.set_ylim(*y_limits)
    if x_label is not None and not ax.get_xlabel():
        ax.set_xlabel(x_label, **LITERAL)
        layout.fit_label(ax.xaxis)
    if y_label is not None and not ax.get_ylabel():
        ax.set_ylabel(y_label, **LITERAL)
        layout.fit_label(ax.yaxis)
    ax.set_axisbelow(True)
    ax.grid(axis=grid, color="0.5", alpha=0.2, linewidth=0.6)  # type: ignore[arg-type]
    return ax, True


def make_axes(number: int, columns: int, size: tuple[float, float]) -> list[Axes]:
    """Return `number` axes on a new figure of that size, in rows of `columns`."""
    # pyplot, so that notebooks and plt.show() see the figure.
    import matplotlib.pyplot as plt

    figure = plt.figure(FigureClass=EmbeddingFigure, figsize=size, layout="constrained")
    places = list(figure.subplots(math.ceil(number / columns), columns, squeeze=False).flat)
    for empty in places[number:]:
        empty.remove()
    return places[:number]


def split_axes(ax: Axes, number: int, columns: int, **shape: Any) -> list[Axes]:
    """Put `number` panels, in rows of `columns`, in the place of axes, which become invisible.

    `shape`: further arguments of a grid, such as `width_ratios`.
    """
    rows = math.ceil(number / columns)
    ax.grid(visible=False)
    ax.set_axis_off()
    place, figure = ax.get_subplotspec(), ax.figure
    if place is not None:
        grid: Any = place.subgridspec(rows, columns, **shape)
    else:
        box = ax.get_position()
        grid = figure.add_gridspec(
            rows, columns, left=box.x0, right=box.x1, bottom=box.y0, top=box.y1, hspace=1.0, **shape
        )
    return [figure.add_subplot(grid[k // columns, k % columns]) for k in range(number)]


def prepare_roc_axes(
    ax: Axes | None,
    *,
    chance: bool = True,
    log: bool = False,
    x_label: str = "False positive rate",
    y_label: str = "True positive rate",
) -> tuple[Axes, bool]:
    """Return square axes for rates from 0 to 1, with the line of guessing if `chance`.

    With `log` the axis of empty axes is logarithmic, and its limits are left open.
    """
    limits = (-MARGIN, 1 + MARGIN)
    axes, empty = prepare_axes(
        ax, (5, 5), x_label=x_label, y_label=y_label, x_limits=None if log else limits,
        y_limits=limits,
    )  # fmt: skip
    if not empty:
        return axes, False
    at = [0.0, 1.0]
    if log:
        axes.set_xscale("log")
        axes.set_box_aspect(1)
        at = [0.0, *(10.0 ** (k / 20) for k in range(-100, 1))]
    else:
        axes.set_aspect("equal")
    if chance:
        axes.plot(at, at, **CHANCE_LINE)
    return axes, True


def add_zero_line(ax: Axes) -> None:
    """Draw the line of no difference."""
    ax.axhline(0.0, color="0.3", linestyle=(0, (4, 2)), linewidth=1, zorder=1.3)


def describe_band(level: float, coverage: str, future: tuple[int, int] | None = None) -> str:
    """Name a band in the legend.

    Examples
    --------
    >>> describe_band(0.95, "simultaneous"), describe_band(0.9, "pointwise")
    ('95% band for the whole curve', '90% band for each point alone')
    >>> describe_band(0.95, "simultaneous", (50, 200))
    '95% band for the whole curve of 50 + 200 new rows'
    """
    which = "the whole curve" if coverage == "simultaneous" else "each point alone"
    new = "" if future is None else f" of {future[0]:,} + {future[1]:,} new rows"
    return f"{percent(level)} band for {which}{new}"


def outline(x: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:
    """Return the polygon between two edges over the same x: `first` forward, `second` backward."""
    return np.column_stack([np.append(x, x[::-1]), np.append(first, second[::-1])])


def merge_properties(
    properties: dict[str, Any], wishes: Properties, kind: type[Line2D | Polygon]
) -> dict[str, Any]:
    """Override `properties` by the user's, which may use matplotlib's aliases ('lw', 'fc')."""
    asked = normalize_kwargs(dict(wishes or {}), kind)
    if "color" in asked:
        properties = {name: properties[name] for name in properties if "color" not in name}
    return {**properties, **asked}


def shade_advantage(ax: Axes, x: Any, limit: Any, model: int) -> None:
    """Shade from zero to the nearer limit: the least amount by which model 0 or 1 is better."""
    style = advantage_style(model)
    ax.fill_between(x, 0.0, limit, linewidth=0, zorder=2.2, **style)
    bar = Line2D([x[0], x[-1]], [0, 0], color=style["edgecolor"], linewidth=4, zorder=2.6)
    bar.set_solid_capstyle("butt")
    ax.add_line(bar)


def advantage_style(model: int) -> dict[str, Any]:
    """Return the colour and hatching of a stretch where model 0 or 1 is better."""
    color = COLORS[model]
    return {"facecolor": (color, 0.35), "edgecolor": color, "hatch": HATCHES[model]}


def add_legend(
    ax: Axes, place: LegendPlace = True, first: str = "lower right", extra: Sequence[Artist] = ()
) -> Axes:
    """Renew the legend; texts shared by several models occur once. See :mod:`plot.layout`."""
    bands = [patch for patch in ax.patches if isinstance(patch, BandPatch)]
    few = _focus(bands)
    several = len({patch.method for patch in bands}) > 1
    lines: dict[str, list[Any]] = {}
    patches: dict[str, list[Any]] = {}  # their texts come after those of all lines
    handles, texts = ax.get_legend_handles_labels()
    texts += [str(artist.get_label()) for artist in extra]
    for handle, text in zip([*handles, *extra], texts, strict=True):
        if isinstance(handle, BandPatch):
            about = f", {handle.method}" * (several and bool(handle.method))
            about += " (first two only)" * few
            patches.setdefault(text + about, []).append(handle)
        elif isinstance(handle, Patch):
            patches.setdefault(text, []).append(handle)
        else:
            # A curve and its band are one entry; the band's own text says what kind it is.
            band = next((one for one in bands if one.line is handle and one.get_visible()), None)
            lines.setdefault(text, []).append(handle if band is None else (band, handle))
    shown = {text: _choose_handle(same) for text, same in (lines | patches).items()}
    return layout.add_legend(ax, shown, place, first)


def _focus(bands: Sequence[BandPatch]) -> bool:
    """Hide the bands of all but the first two of more than three curves; tell whether it did."""
    curves = list(dict.fromkeys(id(patch.line) for patch in bands))
    few = len(curves) > MOST_BANDS
    for patch in bands if few else ():
        patch.set_visible(id(patch.line) in curves[:2])
    return few


def _choose_handle(same: list[Any]) -> Any:
    """Return the legend handle of a text: bands of several models become patches in a row.

    A patch in one colour, such as grey, would look like the overlap of the bands.
    """
    if all(isinstance(handle, BandPatch) for handle in same):
        each = {patch.turn: patch for patch in same}  # a band may consist of several patches
        return list(each.values())[:MOST_BANDS]
    return same[0]


def check_curve_kwargs(curve_kwargs: object) -> None:
    """Refuse properties of several curves where one is drawn."""
    if curve_kwargs is not None and not isinstance(curve_kwargs, Mapping):
        # scikit-learn accepts a list of mappings for several curves.
        raise InputError(
            "must be one dict, for the curve that the band is drawn around",
            f"got {type(curve_kwargs).__name__}",
            Message("Pass {} for the folds' curves.", arg("fold_kwargs")),
            argument="curve_kwargs",
        )
