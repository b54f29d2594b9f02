"""Macskassy and Provost 2004: Figures 1 to 4 explain the bands, 5 and 6 vary their parameters."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import rocbands as rb
from rocbands.core.region import Region
from rocbands_studies.papers.figures.common import BLACK, LINES, Sources, new_figure, set_square
from rocbands_studies.papers.macskassy_2004.setting import FIT_SIZES, SIZES, learn_trees
from rocbands_studies.papers.methods import PrintedFixedWidth, PrintedJointRegion
from rocbands_studies.papers.verification import fit_region
from rocbands_studies.populations import Binormal, draw_curve

_FPR = np.linspace(0.0, 1.0, 401)
_PLACES = np.linspace(0.05, 0.95, 10)
_CURVES = 200


def _sample() -> rb.RocCurve:
    return draw_curve(Binormal(2.0), np.random.default_rng(3), 60, 60)


def _add_edges(ax: Axes, region: Region) -> None:
    for edge in region.edges():
        ax.plot(edge.x, edge.y, color=LINES[0][0], linewidth=1.2)


def _two_panels(left: str, right: str) -> tuple[Figure, Axes, Axes]:
    figure, axes = new_figure(1, 2, (6.6, 3.3))
    set_square(axes[0, 0], left)
    set_square(axes[0, 1], right)
    return figure, axes[0, 0], axes[0, 1]


def _draw_vertical(sources: Sources) -> Figure:
    figure, left, right = _two_panels(
        "Vertical Averaging (VA) Confidence Intervals", "VA Intervals with Bands"
    )
    roc = _sample()
    band = rb.bands.VerticalAverage(interval="empirical", n_resamples=1000)(roc, level=0.95, rng=1)
    for ax in (left, right):
        ax.plot(roc.curve.x, roc.curve.y, color=BLACK, linewidth=1.0)
        low, high = band.lower_at(_PLACES), band.upper_at(_PLACES)
        ax.errorbar(
            _PLACES,
            (low + high) / 2,
            (high - low) / 2,
            fmt="none",
            ecolor=LINES[1][0],
            capsize=2.5,
            linewidth=1.2,
        )
    _add_edges(right, band.region)
    return figure


def _draw_threshold(sources: Sources) -> Figure:
    figure, left, right = _two_panels(
        "Threshold Averaging (TA) Confidence Intervals", "TA Intervals with Bands"
    )
    plain, boxes = (
        rb.bands.ThresholdAverage("empirical", n_points=14, rectangles=rectangles)(_sample(), rng=1)
        for rectangles in (False, True)
    )
    centre = plain.curve
    # The first and the last threshold are the corners, which are certain.
    x, y = centre.x[2:-2], centre.y[2:-2]
    errors: dict[str, Any] = {
        "xerr": np.abs([edge.x[2:-2] - x for edge in (boxes.upper, boxes.lower)]),
        "yerr": np.abs([edge.y[2:-2] - y for edge in (boxes.lower, boxes.upper)]),
    }
    for ax in (left, right):
        ax.plot(centre.x, centre.y, color=BLACK, linewidth=1.0)
        ax.errorbar(x, y, **errors, fmt="none", ecolor=LINES[1][0], capsize=2, linewidth=1.0)
    _add_edges(right, plain.region)  # only the intervals of TP make the band
    return figure


def draw_joint_regions(sources: Sources, short: str = "") -> Figure:
    """Draw a box about points of the curve, then the band that the boxes sweep."""
    name = "Simultaneous Joint Regions"
    figure, left, right = _two_panels(name + short, f"{name} with Bands")
    roc = _sample()
    band = PrintedJointRegion()(roc, level=0.95)
    dx, dy = band.region.dx, band.region.dy  # type: ignore[attr-defined]
    for ax in (left, right):
        ax.plot(roc.curve.x, roc.curve.y, color=BLACK, linewidth=1.0)
        for place in np.linspace(0, len(roc.fpr) - 1, 9).astype(int):
            corner = (roc.fpr[place] - dx, roc.tpr[place] - dy)
            ax.add_patch(
                Rectangle(corner, 2 * dx, 2 * dy, fill=False, color=LINES[1][0], linewidth=0.9)
            )
    _add_edges(right, band.region)
    return figure


def draw_displacement(sources: Sources) -> Figure:
    """Draw points of the curve pushed both ways, then the band."""
    name = "Fixed Width Bands"
    figure, left, right = _two_panels(f"{name} - displacement", f"{name} - realized")
    roc = _sample()
    region = PrintedFixedWidth(n_resamples=1000).region(roc, 0.95, np.random.default_rng(1))
    dx, dy = region.dx, region.dx * region.slope
    for ax in (left, right):
        ax.plot(roc.curve.x, roc.curve.y, color=BLACK, linewidth=1.0)
    for place in np.linspace(0, len(roc.curve.x) - 1, 12).astype(int):
        x, y = roc.curve.x[place], roc.curve.y[place]
        left.plot([x - dx, x + dx], [y + dy, y - dy], color=LINES[1][0], linewidth=1.0)
        left.plot([x - dx, x + dx], [y + dy, y - dy], ".", color=LINES[1][0], markersize=4)
    _add_edges(right, region)
    return figure


def _draw_bands(
    sources: Sources, title: str, bands: dict[str, tuple[int, int]], shared: bool
) -> Figure:
    """Draw single bands of one tree: by label, rows of R and number of fitting curves.

    With `shared` all bands stand around one set R, so that only the fitting curves differ.
    """
    (host,) = learn_trees(sources.data, 1, 1)
    figure, axes = new_figure(1, 1, (5.6, 4.2))
    ax = axes[0, 0]
    set_square(ax, title, "False Positives", "True Positives")
    for (label, (size, n_fit)), (color, dashes) in zip(bands.items(), LINES, strict=False):
        rng = np.random.default_rng([4, 0 if shared else size])
        sample = host.draw(rng, size)
        curves = sample.curves(np.random.default_rng([5, n_fit]), size, n_fit)
        region = fit_region(PrintedFixedWidth(), sample.roc, sample, curves, 0.95)
        for turn, edge in enumerate((region.lower_at, region.upper_at)):
            ax.plot(
                _FPR,
                edge(_FPR),
                color=color,
                linestyle=dashes,
                linewidth=1.1,
                label=None if turn else label,
            )
    figure.legend(*ax.get_legend_handles_labels(), loc="outside right center", fontsize=8)
    return figure


DRAW = {
    "macskassy-2004-figure1": _draw_vertical,
    "macskassy-2004-figure2": _draw_threshold,
    "macskassy-2004-figure3": partial(draw_joint_regions, short=" (SJR)"),
    "macskassy-2004-figure4": draw_displacement,
    "macskassy-2004-figure5": partial(
        _draw_bands,
        title="FWB: 95% Confidence Bands - Varying ROC-Generating Set Size",
        bands={f"{size} instances": (size, 1000) for size in SIZES},
        shared=False,
    ),
    "macskassy-2004-figure6": partial(
        _draw_bands,
        title="FWB: 95% Confidence Bands - Varying Number of Sampling Runs",
        bands={f"{n_fit} runs": (1000, n_fit) for n_fit in FIT_SIZES},
        shared=True,
    ),
}
