"""Draw the pictures of the documentation: ``python docs/make_pictures.py``."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rocbands as rb
from rocbands.plot import draw, save
from rocbands.plot.costs import draw_models_by_cost

PICTURES = Path(__file__).parent / "pictures"


def cross_validation() -> None:
    """Draw the average curve of a cross-validation with its band."""
    data = load_breast_cancer()
    rows, y = data.data[:, [1, 4]], data.target_names[data.target]
    found = cross_validate(
        make_pipeline(StandardScaler(), LogisticRegression()),
        rows,
        y,
        cv=StratifiedKFold(5, shuffle=True, random_state=0),
        return_estimator=True,
        return_indices=True,
    )
    shown = rb.RocBandDisplay.from_cv_results(
        found, rows, y, pos_label="malignant", random_state=0, plot_chance_level=True
    )
    save(shown.ax_, PICTURES / "cross-validation.png")


def example() -> None:
    """Draw both models of the example, each with its default band."""
    y, models = rb.load_example()
    ax = None
    for name, scores in models.items():
        ax = rb.roc_band(y, scores, positive="malignant", rng=0).plot(ax, label=name)
    save(ax, PICTURES / "example.png")


def views() -> None:
    """Draw the band of the example in the other coordinates; 5% of the cases are positive."""
    y, models = rb.load_example()
    band = rb.roc_band(y, models["logistic"], positive="malignant")
    figure, axes = plt.subplots(2, 3, figsize=(14, 9.2), layout="constrained")
    names = ("pr", "gains", "lift", "det", "cost", "net-benefit")
    for ax, name in zip(axes.flat, names, strict=True):
        given = {} if name in ("det", "cost") else {"prevalence": 0.05}
        band.view(name, **given).plot(ax, label="logistic")
        ax.set_title(name)
    save(axes[0, 0], PICTURES / "views.png")
    plt.close(figure)


def methods() -> None:
    """Draw the same curve with every method's band."""
    y, models = rb.load_example()
    scores = models["logistic"]
    bands = {
        name: rb.roc_band(y, scores, name, positive="malignant", rng=0)
        for name in rb.methods("bands").columns()["method"]
    }
    boxes = rb.JointRegion(boxes="berk-jones")
    bands["joint-region, Berk-Jones boxes"] = rb.roc_band(y, scores, boxes, positive="malignant")
    later = rb.roc_band(y, scores, positive="malignant", future=(50, 200))
    bands["likelihood, future set of 50+200"] = later
    columns = 4
    rows = -(-len(bands) // columns)
    figure, axes = plt.subplots(
        rows,
        columns,
        figsize=(3.1 * columns, 3.3 * rows),
        layout="constrained",
        sharex=True,
        sharey=True,
    )
    for ax, (name, band) in zip(axes.flat, bands.items(), strict=False):
        band.plot(ax)
        ax.get_legend().remove()
        ax.set(title=name, xlabel="", ylabel="")
        ax.title.set_size("medium")
        words = f"{band.coverage}\narea {band.area:.3f}"
        ax.text(0.97, 0.04, words, ha="right", va="bottom", fontsize="small")
    for ax in axes.flat[len(bands) :]:
        ax.remove()
    figure.supxlabel("False positive rate", fontsize="medium")
    figure.supylabel("True positive rate", fontsize="medium")
    save(axes.flat[0], PICTURES / "methods.png")
    plt.close(figure)


def forest() -> None:
    """Draw the AUCs of both models, and of a small and a separated test set."""
    y, models = rb.load_example()
    found = {
        name: rb.auc_interval(y, scores, positive="malignant") for name, scores in models.items()
    }
    few = slice(None, None, 16)
    found["logistic, every 16th row"] = rb.auc_interval(
        y[few], models["logistic"][few], positive="malignant"
    )
    found["10 + 10 rows, separated"] = rb.auc_interval([1] * 10 + [0] * 10, range(20, 0, -1))
    save(draw(found), PICTURES / "forest.png")


def points() -> None:
    """Draw points at fixed rates, and the rectangles of two thresholds."""
    y, models = rb.load_example()
    figure, axes = plt.subplots(1, 2, figsize=(9.6, 4.9), layout="constrained")
    asked = ({"fpr": [0.02, 0.1, 0.3]}, {"threshold": [0.2, 0.5], "joint": True})
    for ax, how in zip(axes, asked, strict=True):
        at = rb.operating_points(y, models["logistic"], positive="malignant", **how)
        at.plot(ax, label="logistic")
    save(axes[0], PICTURES / "points.png")
    plt.close(figure)


def difference() -> None:
    """Draw the difference of the example's models with its band."""
    y, models = rb.load_example()
    band = rb.difference_band(y, *models.values(), positive="malignant", rng=0)
    save(band.plot(labels=tuple(models)), PICTURES / "difference.png")


def rates() -> None:
    """Draw recall at each rate in both spaces, and the difference of two models."""
    y, models = rb.load_example()
    figure, axes = plt.subplots(1, 3, figsize=(14.4, 4.7), layout="constrained")
    for name, scores in models.items():
        bounds = rb.rate_bounds(y, scores, positive="malignant")
        bounds.plot(axes[0], label=name, mark=[0.2])
        if name == "logistic":
            bounds.plot(axes[1], label=name, space="roc")
    gap = rb.rate_difference(
        y, *models.values(), np.linspace(0, 1, 201), names=tuple(models), positive="malignant"
    )
    gap.plot(axes[2])
    save(axes[0], PICTURES / "rates.png")
    plt.close(figure)


def costs() -> None:
    """Draw cost curves, and costs of thresholds chosen on other rows with their difference."""
    y, models = rb.load_example()
    ax = None
    for name, scores in models.items():
        ax = rb.cost_curve(y, scores, positive="malignant").plot(ax, label=name)
    save(ax, PICTURES / "cost-curve.png")
    w = np.linspace(0.01, 0.99, 99)
    half = np.random.default_rng(1).random(len(y)) < 0.5
    cuts, found = {}, {}
    for name, scores in models.items():
        cut = rb.cost_thresholds(y[half], scores[half], w=w, positive="malignant")
        cuts[name] = cut
        found[name] = rb.cost_interval(
            y[~half], scores[~half], thresholds=cut, w=w, positive="malignant"
        )
    one, two = models
    gap = rb.cost_difference(
        y[~half], models[one][~half], models[two][~half], thresholds_1=cuts[one],
        thresholds_2=cuts[two], w=w, names=(one, two), positive="malignant", simultaneous=True,
        rng=1,
    )  # fmt: skip
    save(draw_models_by_cost(found, gap), PICTURES / "costs.png")


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    example()
    methods()
    views()
    forest()
    points()
    difference()
    rates()
    costs()
    cross_validation()
