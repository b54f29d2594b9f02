"""Dugas and Gadoury 2009: costs and thresholds, and five experiments on coverage."""

from __future__ import annotations

from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.special import ndtr, ndtri
from scipy.stats import norm

from rocbands.cost.conditions import Known as Sampling
from rocbands_studies.papers.dugas_2009.experiments import FIXED, RANDOM
from rocbands_studies.papers.dugas_2009.measurements import Enumerated, Pair, Sizes, TwoModels
from rocbands_studies.papers.figures.common import BLACK, LINES, Sources, new_figure, set_square
from rocbands_studies.populations import FixedClasses
from rocbands_studies.spec import Study

_THRESHOLDS = ((-1.5, "red"), (1.0, "green"), (3.2, "blue"))
_W = 0.33
_TESTS = 1000
_RHOS = {0.3: ":", 0.6: "-.", 0.9: "-"}


def _draw_thresholds(sources: Sources) -> Figure:
    figure, axes = new_figure(3, 2, (6.6, 8.4))
    score, fpr, w = np.linspace(-12, 12, 400), np.linspace(0, 1, 801), np.linspace(0, 1, 401)
    for (top, middle, bottom), theta in zip(axes.T, (0.75, 2.5), strict=True):
        top.plot(score, norm.pdf(score, -theta, 3), color=BLACK)
        top.plot(score, norm.pdf(score, theta, 3), color=BLACK, linestyle="--")
        top.set(xlabel="score", ylabel="density", xlim=(-12, 12), ylim=(0, 0.15))
        middle.plot(fpr, ndtr(2 * theta / 3 + ndtri(fpr)), color=BLACK)
        set_square(middle, "", "false positive rate", "true positive rate")
        for cut, color in _THRESHOLDS:
            fnr, fp = ndtr((cut - theta) / 3), ndtr((-theta - cut) / 3)
            top.axvline(cut, color=color, linewidth=1.2)
            middle.plot(fp, 1 - fnr, "o", color=color)
            bottom.plot([0, 1], [fp, fnr], color=color, linewidth=1.2)
        cuts = np.linspace(-60, 60, 4001)[:, None]
        costs = w * ndtr((cuts - theta) / 3) + (1 - w) * ndtr((-theta - cuts) / 3)
        bottom.plot(w, costs.min(axis=0), color=BLACK, linewidth=1.0)
        bottom.axvline(_W, color="0.5", linewidth=0.9, linestyle=":")
        bottom.text(_W + 0.015, 0.56, "w = 0.33", fontsize=8)
        bottom.set(xlim=(0, 1), ylim=(0, 0.6), xlabel="w", ylabel="expected cost")
    axes[0, 0].set_title("low discrimination", fontsize=9)
    axes[0, 1].set_title("high discrimination", fontsize=9)
    return figure


def _furnish(ax: Axes, title: str) -> None:
    ax.axhline(0.9, color=BLACK, linewidth=0.8, linestyle="--")
    ax.set(xlim=(0, 1), ylim=(0, 1.02))
    ax.set_title(title, fontsize=9)


def _label(axes: np.ndarray) -> None:
    for ax in axes[-1]:
        ax.set_xlabel("operating conditions w")
    for ax in axes[:, 0]:
        ax.set_ylabel("coverage")


def _draw_one_model(sources: Sources, cells: dict[str, tuple[float, Sizes, Sampling]]) -> Figure:
    """Draw coverage of one model's cost, enumerated, in two rows of two."""
    asked = {
        title: Enumerated(theta, classes, "gaussian", sampling)
        for title, (theta, classes, sampling) in cells.items()
    }
    found = sources.run(Study("figure", tuple(asked.values()), 1, 1, 1))
    figure, axes = new_figure(2, 2, (6.6, 5.0), sharex=True, sharey=True)
    for ax, (title, cell) in zip(axes.ravel(), asked.items(), strict=True):
        held = [one.value for one in found.along(cell, "holds at")]
        ax.plot(cell.points, held, color=LINES[0][0], linewidth=1.2)
        _furnish(ax, title)
    _label(axes)
    return figure


def _by_theta(classes: Sizes, sampling: Sampling) -> dict[str, tuple[float, Sizes, Sampling]]:
    return {f"theta = {theta:.2f}": (theta, classes, sampling) for theta in (0.75, 1.5, 3.0, 5.0)}


def _by_size() -> dict[str, tuple[float, Sizes, Sampling]]:
    return {
        f"n = {size:,}": (3.0, FixedClasses(size, size), "stratified")
        for size in (25, 250, 2500, 10000)
    }


def _draw_two_models(sources: Sources, classes: Sizes, sampling: Sampling) -> Figure:
    """Draw coverage of the difference of two models' costs, in three rows of two."""
    places = [(theta, shift) for shift in (0.0, 2.0, 4.0) for theta in (1.0, 3.0)]
    cells = {
        (*place, rho): Pair(TwoModels(*place, rho), classes, "gaussian", sampling)
        for place in places
        for rho in _RHOS
    }
    found = sources.run(Study("figure", tuple(cells.values()), _TESTS, 100, 1))
    figure, axes = new_figure(3, 2, (6.6, 7.2), sharex=True, sharey=True)
    for ax, place in zip(axes.ravel(), places, strict=True):
        for (rho, dashes), (color, _) in zip(_RHOS.items(), LINES, strict=False):
            cell = cells[*place, rho]
            held = [one.value for one in found.along(cell, "holds at")]
            label = f"correlation {rho:g}"
            ax.plot(cell.points, held, color=color, linestyle=dashes, linewidth=1.1, label=label)
        second = f"{place[0]:g} + {place[1]:g}" if place[1] else f"{place[0]:g}"
        _furnish(ax, f"theta = {place[0]:g}, second model {second}")
    _label(axes)
    handles = axes[0, 0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside lower center", ncols=3, fontsize=8)
    return figure


DRAW = {
    "dugas-2009-figure1": _draw_thresholds,
    "dugas-2009-figure2": partial(_draw_one_model, cells=_by_theta(FIXED, "stratified")),
    "dugas-2009-figure3": partial(_draw_one_model, cells=_by_size()),
    "dugas-2009-figure4": partial(_draw_two_models, classes=FIXED, sampling="stratified"),
    "dugas-2009-figure5": partial(_draw_one_model, cells=_by_theta(RANDOM, "full")),
    "dugas-2009-figure6": partial(_draw_two_models, classes=RANDOM, sampling="full"),
}
