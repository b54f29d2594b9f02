"""Draw the ideas behind the methods, as the papers do, whenever the site is built.

``python docs/make_gallery.py`` draws them alone, into ``docs/_made/gallery``.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from scipy.special import ndtr, ndtri
from scipy.stats import norm

import rocbands as rb
from rocbands.plot import save
from rocbands.plot.axes import COLORS, DASHES
from rocbands.rates.table import RateTable
from rocbands.study import Binormal
from rocbands.study.populations import draw_curve

BLUE, RED, GREEN, PINK = COLORS[:4]


def square(ax: Axes, title: str) -> None:
    """Furnish the unit square."""
    ax.plot([0, 1], [0, 1], color="0.8", linewidth=0.8, zorder=0)
    ax.set(title=title, xlim=(-0.015, 1.015), ylim=(-0.015, 1.015), aspect="equal")
    ax.set(xlabel="False positive rate", ylabel="True positive rate")
    ax.title.set_size("medium")


def sample(n: int, seed: int, theta: float = 2.0) -> rb.RocCurve:
    """Draw the curve of a small test set."""
    return draw_curve(Binormal(theta), np.random.default_rng(seed), n, n)


def bands_from_curves(folder: Path) -> None:
    """Draw how curves become a band: at fixed fpr, at fixed rank, in boxes, on probit scales."""
    figure, axes = plt.subplots(1, 4, figsize=(15.6, 4.2), layout="constrained")
    roc = sample(60, 3)
    many = [sample(60, seed) for seed in range(20, 40)]
    sweeps = (
        ("Vertical averaging: intervals at each fpr", rb.Vertical(n_resamples=300), "fpr"),
        ("Threshold averaging: intervals at each rank", rb.Threshold(n_resamples=300), "rank"),
    )
    for ax, (title, method, along) in zip(axes, sweeps, strict=False):
        for other in many:
            ax.plot(other.curve.x, other.curve.y, color="0.75", linewidth=0.5)
        band = method(roc, level=0.9, rng=1)
        at = np.linspace(0.05, 0.95, 10)
        if along == "fpr":
            ax.vlines(at, band.lower_at(at), band.upper_at(at), color=RED, linewidth=2)
        else:
            total = roc.fp + roc.tp
            places = np.searchsorted(total, np.linspace(0.08, 0.95, 11) * total[-1])
            x = roc.fp[places] / roc.n_neg
            ax.vlines(x, band.lower_at(x), band.upper_at(x), color=RED, linewidth=2)
        edges = [(edge.x, edge.y) for edge in (band.lower, band.upper)]
        for x, y in edges:
            ax.plot(x, y, color=BLUE, linewidth=1.2)
        ax.plot(roc.curve.x, roc.curve.y, color="black", linewidth=1.4)
        square(ax, title)
    boxes(axes[2], roc)
    probit(axes[3], roc)
    save(axes[0], folder / "curves-to-bands.png")
    plt.close(figure)


def boxes(ax: Axes, roc: rb.RocCurve) -> None:
    """Draw joint regions: a rectangle about each point, and the band that they sweep."""
    band = rb.JointRegion()(roc, level=0.81)
    dx, dy = band.region.dx, band.region.dy
    for x, y in zip(roc.fpr[::9], roc.tpr[::9], strict=True):
        ax.add_patch(Rectangle((x - dx, y - dy), 2 * dx, 2 * dy, fill=False, color=RED, alpha=0.5))
    for edge in (band.lower, band.upper):
        ax.plot(edge.x, edge.y, color=BLUE, linewidth=1.2)
    ax.plot(roc.curve.x, roc.curve.y, color="black", linewidth=1.4)
    square(ax, "Joint regions: boxes become a band")


def probit(ax: Axes, roc: rb.RocCurve) -> None:
    """Draw the Working-Hotelling band where it is made: a line with hyperbolas on probit scales."""
    band = rb.WorkingHotelling()(roc, level=0.9)
    u = np.linspace(-2.5, 2.5, 200)
    fpr = ndtr(u)
    for height, color, width in (
        (band.lower_at(fpr), BLUE, 1.2),
        (band.upper_at(fpr), BLUE, 1.2),
        (band.curve.high(fpr), "black", 1.4),
    ):
        ax.plot(u, ndtri(height), color=color, linewidth=width)
    seen = (roc.fpr > 0) & (roc.fpr < 1) & (roc.tpr > 0) & (roc.tpr < 1)
    ax.plot(ndtri(roc.fpr[seen]), ndtri(roc.tpr[seen]), ".", color="0.5", markersize=4)
    ax.set(title="Working-Hotelling: a line on probit scales", xlabel="probit of fpr")
    ax.set(ylabel="probit of tpr", xlim=(-2.6, 2.6), ylim=(-2.6, 3.6))
    ax.title.set_size("medium")


def fixed_width_world(folder: Path) -> None:
    """Draw the 2005 paper's ideas: boxes, a displaced curve, its score laws and their curves."""
    figure, axes = plt.subplots(1, 4, figsize=(15.6, 4.2), layout="constrained")
    roc = sample(25, 5)
    boxes(axes[0], roc)
    band = rb.FixedWidth(n_resamples=500)(roc, level=0.9, rng=1)
    dx, dy = band.region.dx, band.region.dy
    ax = axes[1]
    for x, y in zip(roc.curve.x[::6], roc.curve.y[::6], strict=True):
        arrow = {"arrowstyle": "->", "color": RED, "linewidth": 0.9}
        ax.annotate("", (x - dx, y + dy), (x, y), arrowprops=arrow, annotation_clip=True)
        ax.annotate("", (x + dx, y - dy), (x, y), arrowprops=arrow, annotation_clip=True)
    for edge in (band.lower, band.upper):
        ax.plot(edge.x, edge.y, color=BLUE, linewidth=1.2)
    ax.plot(roc.curve.x, roc.curve.y, color="black", linewidth=1.4)
    square(ax, "Fixed width: the curve, pushed both ways")
    score = np.linspace(-13, 15, 400)
    axes[2].plot(score, norm.pdf(score, -3, 3.0), color=RED, linestyle=DASHES[1], label="negatives")
    axes[2].plot(score, norm.pdf(score, 3, 3.75), color=BLUE, label="positives")
    axes[2].set(title="Scores of the synthetic world, theta = 3", xlabel="score", ylabel="density")
    axes[2].title.set_size("medium")
    axes[2].legend(fontsize="small")
    for turn, theta in enumerate((0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0)):
        truth = Binormal(theta).truth
        look = {"color": COLORS[turn % 7], "linestyle": DASHES[turn % 4], "linewidth": 1.2}
        axes[3].plot(truth.x, truth.y, label=f"theta {theta:g}, AUC {truth.area:.2f}", **look)
    square(axes[3], "Its true curves")
    axes[3].legend(fontsize="x-small", loc="lower right")
    save(axes[0], folder / "fixed-width-world.png")
    plt.close(figure)


def rate_averaging(folder: Path) -> None:
    """Draw two ways to average curves, a sample put right by width, and the scores behind."""
    figure, axes = plt.subplots(1, 4, figsize=(15.6, 4.2), layout="constrained")
    rng = np.random.default_rng(4)
    rows = [np.argsort(-np.r_[rng.normal(1, 1, 20), rng.normal(0, 1, 20)]) < 20 for _ in range(2)]
    table = RateTable.from_labels(np.array(rows, dtype=float))
    rate, fpr = np.linspace(0, 1, 41), np.linspace(0, 1, 401)
    each = table.counts(rate) / 20
    for ax in axes[:2]:
        for turn, tpr in enumerate(each):
            ax.plot((rate - 0.5 * tpr) / 0.5, tpr, color=(BLUE, RED)[turn], linestyle=DASHES[turn])
    axes[0].plot(fpr, table.vertical_average(fpr), color=GREEN, linewidth=2, linestyle=DASHES[2])
    axes[0].vlines([0.1, 0.3, 0.5], 0, 1, color="0.6", linewidth=0.7, linestyle=DASHES[2])
    mean = each.mean(axis=0)
    axes[1].plot((rate - 0.5 * mean) / 0.5, mean, color=GREEN, linewidth=2, linestyle=DASHES[2])
    for r in (0.1, 0.3, 0.5, 0.7):
        tpr = np.clip(np.array([2 * r - 1, 2 * r]), 0, 1)
        axes[1].plot((r - 0.5 * tpr) / 0.5, tpr, color="0.6", linewidth=0.7, linestyle=DASHES[2])
    square(axes[0], "Averaged at fixed fpr")
    square(axes[1], "Averaged at fixed rate")
    widths(axes[2])
    score = np.linspace(-4.5, 3.5, 300)
    axes[3].plot(score, norm.pdf(score, -1, 1), color=RED, linestyle=DASHES[1], label="negatives")
    axes[3].plot(score, norm.pdf(score, 0, 1), color=BLUE, label="positives")
    inner = axes[3].inset_axes((0.04, 0.5, 0.36, 0.46))
    inner.plot(fpr, ndtr(1 + ndtri(fpr)), color="black", linewidth=1.2)
    inner.set(xticks=[], yticks=[], aspect="equal", title="ROC")
    inner.title.set_size("small")
    axes[3].set(title="Scores of the rate experiment", xlabel="score", ylabel="density")
    axes[3].title.set_size("medium")
    axes[3].legend(fontsize="small", loc="upper right")
    save(axes[0], folder / "rate-averaging.png")
    plt.close(figure)


def widths(ax: Axes) -> None:
    """Draw a sample with five positives of eight before and after its rows get the right width."""
    labels = np.array([1, 1, 0, 1, 1, 0, 1, 0])
    adjusted = np.where(labels == 1, 4 / 5, 4 / 3)
    for height, wide in ((1.0, np.ones(8)), (0.0, adjusted)):
        left = np.concatenate([[0.0], np.cumsum(wide)[:-1]])
        for x, width, label in zip(left, wide, labels, strict=True):
            face = BLUE if label else "white"
            ax.add_patch(Rectangle((x, height), width, 0.55, facecolor=face, edgecolor="black"))
            sign, ink = ("+", "white") if label else ("-", "black")
            ax.text(x + width / 2, height + 0.27, sign, color=ink, ha="center", va="center")
    ax.text(0, 1.62, "as drawn: 5 positives, 3 negatives", fontsize="small")
    ax.text(0, 0.62, "width adjusted: 4 and 4 of 8", fontsize="small")
    ax.set(xlim=(-0.2, 8.2), ylim=(-0.3, 2.0), yticks=[], xlabel="place in the ranking")
    ax.set(title="Class sizes put right by width")
    ax.title.set_size("medium")


def cost_space(folder: Path) -> None:
    """Draw thresholds as points in ROC space and as lines in cost space, for two classifiers."""
    figure, axes = plt.subplots(2, 3, figsize=(12.6, 7.6), layout="constrained")
    thresholds = ((-1.5, RED), (0.0, GREEN), (1.5, BLUE))
    score, fpr, w = np.linspace(-10, 10, 400), np.linspace(0, 1, 801), np.linspace(0, 1, 401)
    for row, theta in zip(axes, (0.75, 2.5), strict=True):
        density, roc, cost = row
        negatives, positives = (norm.pdf(score, mean, 3) for mean in (-theta, theta))
        density.plot(score, negatives, color="black")
        density.plot(score, positives, color="black", linestyle=DASHES[1])
        density.set(xlabel="score", ylabel="density", title=f"Scores, theta = {theta:g}")
        roc.plot(fpr, ndtr(2 * theta / 3 + ndtri(fpr)), color="black")
        best = np.full(w.size, np.inf)
        for t in np.linspace(-30, 30, 2001):
            fnr, fp = ndtr((t - theta) / 3), ndtr((-theta - t) / 3)
            best = np.minimum(best, w * fnr + (1 - w) * fp)
        cost.plot(w, best, color="black", linewidth=1.6)
        cost.plot(w, np.minimum(w, 1 - w), color="0.7", linewidth=0.8)
        for t, color in thresholds:
            fnr, fp = ndtr((t - theta) / 3), ndtr((-theta - t) / 3)
            density.axvline(t, color=color, linewidth=1.2)
            roc.plot(fp, 1 - fnr, "o", color=color)
            cost.plot([0, 1], [fp, fnr], color=color, linewidth=1.2)
        square(roc, "Thresholds are points of the ROC curve")
        cost.set(xlim=(0, 1), ylim=(0, 0.6), xlabel="w", ylabel="cost")
        cost.set(title="... and lines in cost space; the cost curve is below all")
        for ax in (density, cost):
            ax.title.set_size("medium")
    save(axes[0, 0], folder / "cost-space.png")
    plt.close(figure)


def main(folder: Path) -> None:
    """Draw all pictures into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for picture in (bands_from_curves, fixed_width_world, rate_averaging, cost_space):
        picture(folder)


if __name__ == "__main__":
    main(Path(__file__).parent / "_made" / "gallery")
