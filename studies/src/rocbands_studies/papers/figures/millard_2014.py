"""Millard, Kull and Flach 2014: averaging along the rate, and bounds made from it."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from scipy.special import ndtr, ndtri
from scipy.stats import norm

from rocbands.core.checks import FloatArray
from rocbands.rates.table import RateTable
from rocbands_studies.papers.figures.common import BLACK, LINES, Sources, new_figure, set_square
from rocbands_studies.papers.millard_2014.bounds import METHODS, SHOWN, Coverage
from rocbands_studies.papers.millard_2014.designs import BASE, OneTable
from rocbands_studies.spec import Study

_GREEN = "#009e73"
_TESTS = 100
_FPR, _TPR = "False positive rate", "True positive rate"


def _draw_averages(sources: Sources) -> Figure:
    figure, axes = new_figure(1, 2, (6.6, 3.3))
    rng = np.random.default_rng(4)
    scores = [np.r_[rng.normal(1, 1, 20), rng.normal(0, 1, 20)] for _ in range(2)]
    table = RateTable.from_labels(np.array([np.argsort(-one) < 20 for one in scores], dtype=float))
    rate, fpr = np.linspace(0, 1, 41), np.linspace(0, 1, 401)
    each = table.counts(rate) / 20
    left, right = axes[0]
    set_square(left, "vertical averaging", _FPR, _TPR)
    set_square(right, "rate averaging", _FPR, _TPR)
    for ax in (left, right):
        for tpr, (color, _) in zip(each, LINES, strict=False):
            ax.plot(2 * rate - tpr, tpr, color=color, linewidth=1.1)
    broken = (0, (5, 2))
    left.plot(fpr, table.vertical_average(fpr), color=_GREEN, linewidth=2, linestyle=broken)
    mean = each.mean(axis=0)
    right.plot(2 * rate - mean, mean, color=_GREEN, linewidth=2, linestyle=broken)
    for place in np.arange(0.1, 1.0, 0.1):
        left.axvline(place, color="0.55", linewidth=0.7, linestyle=":")
        tpr = np.array([max(0.0, 2 * place - 1), min(1.0, 2 * place)])
        right.plot(2 * place - tpr, tpr, color="0.55", linewidth=0.7, linestyle=":")
    return figure


def _draw_adjustment(sources: Sources) -> Figure:
    figure, axes = new_figure(1, 1, (6.0, 2.2))
    ax = axes[0, 0]
    labels = np.array([1, 1, 0, 1, 1, 0, 1, 0])
    for height, wide in ((1.0, np.ones(8)), (0.0, np.where(labels == 1, 4 / 5, 4 / 3))):
        left = np.concatenate([[0.0], np.cumsum(wide)[:-1]])
        for x, width, label in zip(left, wide, labels, strict=True):
            face = LINES[0][0] if label else "white"
            ax.add_patch(Rectangle((x, height), width, 0.5, facecolor=face, edgecolor=BLACK))
            sign, ink = ("+", "white") if label else ("-", BLACK)
            ax.text(x + width / 2, height + 0.25, sign, color=ink, ha="center", va="center")
    ax.text(0, 1.58, "bootstrap sample: 5 positives and 3 negatives", fontsize=8)
    ax.text(0, 0.58, "adjusted: the width of 4 positives and 4 negatives", fontsize=8)
    ax.set(xlim=(-0.2, 8.2), ylim=(-0.15, 1.9), yticks=[], xlabel="place in the ranking")
    for side in ("left", "right", "top"):
        ax.spines[side].set_visible(False)
    return figure


def _draw_densities(sources: Sources) -> Figure:
    figure, axes = new_figure(1, 2, (6.8, 3.2))
    left, right = axes[0]
    score, fpr = np.linspace(-4, 5, 400), np.linspace(0, 1, 801)
    (blue, _), (red, dashes) = LINES[:2]
    left.plot(score, norm.pdf(score, 0, 1), color=blue, label="positive class")
    left.plot(score, norm.pdf(score, 1, 1), color=red, linestyle=dashes, label="negative class")
    left.set(xlim=(-4, 5), ylim=(0, 0.45), xlabel="score", ylabel="probability density")
    left.legend(loc="upper center", bbox_to_anchor=(0.5, 1.14), ncols=2, fontsize=8, frameon=False)
    # Low scores are positive here, as in the paper.
    right.plot(fpr, ndtr(1 + ndtri(fpr)), color=BLACK, linewidth=1.2, label="true curve")
    rates, lines = _find_example(sources)
    consensus = _close(lines["consensus"])
    look = _LOOKS["consensus"]
    right.plot(2 * _close(rates) - consensus, consensus, **look)
    right.legend(loc="lower right", fontsize=8, frameon=False)
    set_square(right, "", _FPR, _TPR)
    return figure


def _draw_coverage(sources: Sources) -> Figure:
    lettered = [one for one in SHOWN if one.letter]
    found = sources.run(
        Study("millard-2014-figure4", tuple(one.cell for one in lettered), _TESTS, 10, 1)
    )
    titles = {
        "a": "(a) baseline, normal assumption",
        "b": "(b) baseline, beta assumption",
        "c": "(c) parametric approach",
        "d": "(d) bootstrap, with discarding",
        "e": "(e) bootstrap, with adjustment",
        "f": "(f) discarding, negatives' variance 0.2",
    }
    figure, axes = new_figure(3, 2, (6.8, 7.2), sharex=True, sharey=True)
    for ax, one in zip(axes.ravel(), lettered, strict=True):
        coverage = Coverage(one, found)
        mean = np.array([one.value for one in coverage.inside])
        spread = np.sqrt(coverage.variance)
        low, high = np.maximum(mean - spread, 0.0), np.minimum(mean + spread, 1.0)
        ax.fill_between(coverage.rates, low, high, color="0.85", linewidth=0)
        ax.plot(coverage.rates, mean, color=LINES[0][0], linewidth=1.2)
        ax.axhline(0.95, color=BLACK, linewidth=0.7, linestyle=":")
        ax.set_title(titles[one.letter], fontsize=9)
        ax.set(xlim=(0, 1), ylim=(0.2, 1.01))
    for ax in axes[-1]:
        ax.set_xlabel("rate")
    for ax in axes[:, 0]:
        ax.set_ylabel("proportion inside")
    return figure


_LOOKS: dict[str, dict[str, Any]] = {
    "true": {"color": BLACK, "linewidth": 1.0, "label": "true curve"},
    "consensus": {"color": LINES[1][0], "linewidth": 1.2, "label": "consensus curve"},
    "lower": {"color": LINES[0][0], "linewidth": 1.1, "label": "confidence bounds"},
    "upper": {"color": LINES[0][0], "linewidth": 1.1},
}


def _find_example(sources: Sources) -> tuple[FloatArray, dict[str, FloatArray]]:
    """Return the rates and lines of the table that Figures 3 and 5 show."""
    cell = OneTable(BASE, METHODS["parametric"])
    found = sources.run(Study("millard-2014-figure5", (cell,), 1, 20, 1))
    lines = {name: np.array([one.value for one in found.along(cell, name)]) for name in _LOOKS}
    return np.array(cell.points), lines


def _draw_example(sources: Sources) -> Figure:
    rates, lines = _find_example(sources)
    figure, axes = new_figure(1, 2, (7.2, 4.3))
    left, right = axes[0]
    for name, look in _LOOKS.items():
        left.plot(_close(2 * rates - lines[name]), _close(lines[name]), **look)
        right.plot(_close(rates), _close(lines[name]), **look)
    for place in range(4, 49, 5):
        ends = np.array([lines["lower"][place], lines["upper"][place]])
        left.plot(2 * rates[place] - ends, ends, color="0.5", linewidth=0.9)
    set_square(left, "(a)", _FPR, _TPR)
    set_square(right, "(b)", "Rate", "Recall")
    right.plot([0, 0.5, 1, 0.5, 0], [0, 1, 1, 0, 0], color="0.7", linewidth=0.9)
    figure.legend(
        *left.get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=8
    )
    return figure


def _close(inner: Any) -> Any:
    """Add the ends, which are certain."""
    return np.concatenate([[0.0], inner, [1.0]])


DRAW = {
    "millard-2014-figure1": _draw_averages,
    "millard-2014-figure2": _draw_adjustment,
    "millard-2014-figure3": _draw_densities,
    "millard-2014-figure4": _draw_coverage,
    "millard-2014-figure5": _draw_example,
}
