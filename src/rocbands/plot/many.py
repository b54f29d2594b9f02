"""Drawing several classes, and several groups of people: small pictures side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from matplotlib.axes import Axes

from rocbands.core.band import Band
from rocbands.core.result import percent
from rocbands.multiclass.result import ClassBands
from rocbands.plot import canvas, layout
from rocbands.plot.canvas import BandPatch, CurveLine, Properties, Style
from rocbands.plot.comparison import draw_difference_band, draw_group_gaps
from rocbands.plot.layout import LegendPlace
from rocbands.plot.roc import add_band, add_curve, describe_curve, finish_roc_axes
from rocbands.subgroup.result import Subgroups

MOST_COLUMNS = 4
MOST_DIFFERENCES = 4
THIN = {"lw": 0.6, "ls": "-", "alpha": 0.35, "zorder": 1.4}
AVERAGE = Style(0, "0.15", (0, (1, 1)))


def draw_class_bands(
    bands: ClassBands, ax: Axes | None = None, *, average: bool = True, legend: LegendPlace = True
) -> Axes:
    """Draw the bands of several classes on given axes, or each on axes of its own."""
    return add_class_bands(bands, ax, average=average, legend=legend).axes[0]


class DrawnBands(NamedTuple):
    """Artists of several classes: the axes, and one line and one polygon per band."""

    axes: list[Axes]
    lines: list[CurveLine]
    patches: list[BandPatch]
    average_lines: list[CurveLine]


def add_class_bands(
    bands: ClassBands,
    ax: Axes | None,
    *,
    average: bool,
    chance: bool = True,
    model: str | None = None,
    curve_kwargs: Sequence[Properties] | None = None,
    band_kwargs: Sequence[Properties] | None = None,
    legend: LegendPlace = True,
) -> DrawnBands:
    """Draw the bands of several classes on given axes, or each on axes of its own."""
    columns = len(bands.classes) - 1 if bands.multi_class == "ovo" else None
    drawn = DrawnBands([ax] if ax is not None else _make_axes(len(bands), columns), [], [], [])
    level = f"{percent(bands.level)} for all {len(bands)} bands together"
    prefix = "" if model is None or ax is None else f"{model}, "
    average_text = describe_curve(bands.average.area, f"{prefix}average" if prefix else "Average")
    places = drawn.axes if ax is None else drawn.axes * len(bands)
    nothing: Sequence[Properties] = ({},) * len(bands)
    wishes = zip(curve_kwargs or nothing, band_kwargs or nothing, strict=True)
    parts = zip(places, bands.names, bands, wishes, strict=True)
    for turn, (place, name, band, (of_curve, of_band)) in enumerate(parts):
        axes, _ = canvas.prepare_roc_axes(place, chance=chance)
        style = canvas.next_style(axes)
        if ax is None:
            style = Style(turn, canvas.COLORS[turn % len(canvas.COLORS)], "-")
            _add_others(axes, bands, band)
        look = {"label": level, **(of_band or {})}
        line, patch = add_band(axes, band, f"{prefix}{name}", style, of_curve, look)
        drawn.lines.append(line)
        drawn.patches.append(patch)
        if ax is None:
            _describe_class(axes, name, band)
    for axes in drawn.axes if average else ():
        thin = {"lw": 0.9} if ax is None else None
        drawn.average_lines.append(add_curve(axes, bands.average, average_text, AVERAGE, thin))
    if ax is None:
        dotted = "; dotted: average curve" * average
        name = "" if model is None else f"{model}\n"
        _add_title(drawn.axes, f"{name}{level}; {_describe_area(bands)}{dotted}")
    else:
        finish_roc_axes(ax, legend=legend)
    return drawn


def _add_others(axes: Axes, bands: ClassBands, band: Band) -> None:
    """Add the curves of the other classes against the rest, thin, for comparison."""
    for other in bands if bands.multi_class == "ovr" else ():
        if other is not band:
            add_curve(axes, other.curve, "_other", Style(0, "0.5", "-"), THIN)


def _describe_class(axes: Axes, name: str, band: Band) -> None:
    """Write the name and the area instead of a legend: all bands are of one kind."""
    auc = f"AUC {band.auc:.3f}"
    axes.text(0.97, 0.04, auc, ha="right", va="bottom", transform=axes.transAxes)
    size = f"{band.n_pos} of {band.n_pos + band.n_neg}"
    title = axes.set_title(f"{name} ({size})", size=10, **canvas.LITERAL)
    layout.fit_text(title, layout.width_of(axes))


def _describe_area(bands: ClassBands) -> str:
    ovr = bands.multi_class == "ovr"
    area = bands.macro_auc if ovr else bands.hand_till_auc
    kind = "Macro AUC" if ovr else "Hand-Till AUC"
    return f"{kind} {area.estimate:.3f} ({area.low:.3f} to {area.high:.3f})"


def draw_subgroups(
    groups: Subgroups, ax: Axes | None = None, *, legend: LegendPlace = True
) -> Axes:
    """Draw the bands of all groups, the differences of rates, and the largest ones of curves.

    On given axes the bands alone are drawn.
    """
    found = sorted(
        zip(groups.found, groups.differences, strict=True),
        key=lambda pair: (-pair[0].abroca_low, -pair[0].abroca),
    )
    shown = found[: 2 if len(found) == 3 else MOST_DIFFERENCES]  # rows of pictures without a gap
    columns = 2 if len(shown) == 2 else 3
    places = [] if ax is not None else _make_axes(2 + len(shown), columns)
    axes, _ = canvas.prepare_roc_axes(ax if ax is not None else places[0])
    for name, band in zip(groups.group, groups.bands, strict=True):
        # The meaning of the level is in the title of the panel, or in the legend of a single plot.
        alone = ax is not None or len(groups.group) > canvas.MOST_BANDS
        about = f"{percent(groups.level)} for all groups together" if alone else "_"
        add_band(axes, band, name, canvas.next_style(axes), None, {"label": about})
    finish_roc_axes(axes, legend=legend)
    if ax is not None:
        return axes
    low = min(float(band.lower.min()) for _, band in shown)
    high = max(float(band.upper.max()) for _, band in shown)
    draw_group_gaps(groups.gaps, places[1]).set_box_aspect(1)
    together = f"ROC curves, {percent(groups.level)} bands for all groups together"
    layout.fit_text(places[0].set_title(together, size=9), layout.width_of(places[0]))
    places[1].set_title(f"Areas, and rates at threshold {groups.threshold_text}", size=9)
    for place, (one, difference) in zip(places[2:], shown, strict=True):
        place.set_ylim(min(low, -0.02) * 1.1, max(high, 0.02) * 1.1)  # comparable across axes
        draw_difference_band(difference, place, legend=False)
        place.set_box_aspect(1)
        place.set_ylabel("Difference of true positive rates", size=8)
        names = f"{one.groups[0]} \N{MINUS SIGN} {one.groups[1]}"
        title = f"{names}: area between curves {one.abroca:.3f} (at least {one.abroca_low:.3f})"
        layout.fit_text(place.set_title(title, size=9, **canvas.LITERAL), layout.width_of(place))
    proven = sum(gap.may_be_chance is False for gap in groups.gaps)
    model = groups.gaps.model or "One model"
    _add_title(
        places,
        f"{model} in {len(groups.group)} groups: "
        f"{proven} of {len(groups.gaps)} differences are more than chance",
    )
    return places[0]


def _make_axes(number: int, columns: int | None) -> list[Axes]:
    """Make a figure with `number` small square axes, in rows."""
    if columns is None:
        columns = min(number, MOST_COLUMNS if number > MOST_COLUMNS + 1 else 3)
        columns = 2 if number in (2, 4) else columns
    return canvas.make_axes(
        number, columns, (3.3 * columns, 3.4 * math.ceil(number / columns) + 0.4)
    )


def _add_title(places: list[Axes], text: str) -> None:
    figure = places[0].figure
    assert figure is not None, "axes are on a figure"
    title = figure.suptitle(text, size=10, **canvas.LITERAL)
    layout.fit_text(title, 0.95 * figure.bbox.width / figure.dpi)
