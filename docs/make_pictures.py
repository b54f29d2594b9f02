"""Draw the pictures of the documentation: ``python docs/make_pictures.py``."""

from __future__ import annotations

import re
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
    sample = rb.load_example()
    ax = None
    for name in sample.models:
        ax = rb.roc_band(sample[name], rng=0).plot(ax, label=name)
    save(ax, PICTURES / "example.png")


def subgroups() -> None:
    """Draw the audit of docs/subgroups.md."""
    rng = np.random.default_rng(4)
    sex = rng.choice(["women", "men"], 1200, p=[0.35, 0.65])
    ill = rng.random(1200) < 0.25
    score = rng.normal(size=1200) + np.where(sex == "men", 1.7, 1.2) * ill
    save(rb.subgroups(ill, score, by=sex, threshold=1).plot(), PICTURES / "subgroups.png")


def designs() -> None:
    """Draw the band of docs/designs.md with patients, and with rows taken as independent."""
    rng = np.random.default_rng(1)
    patient = np.repeat(np.arange(120), rng.integers(1, 7, 120))
    tumour = (rng.random(120) < 0.3)[patient]
    score = rng.normal(size=120)[patient] + 2.2 * tumour + rng.normal(size=patient.size)
    lesions = rb.Sample(tumour, score, clusters=patient)
    ax = rb.roc_band(lesions).plot(label="with patients")
    rb.roc_band(lesions.replace(clusters=None)).plot(ax, label="rows taken as independent")
    save(ax, PICTURES / "designs.png")


def views() -> None:
    """Draw the band of the example in the other coordinates; 5% of the cases are positive."""
    sample = rb.load_example()
    band = rb.roc_band(sample["logistic"])
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
    sample = rb.load_example()
    logistic = sample["logistic"]
    bands = {
        name: rb.roc_band(logistic, method=name, rng=0)
        for name in rb.methods("bands").columns()["method"]
    }
    boxes = rb.bands.JointRegion(boxes="berk-jones")
    bands["joint-region, Berk-Jones boxes"] = rb.roc_band(logistic, method=boxes)
    later = rb.roc_band(logistic, future=(50, 200))
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
        band.plot(ax, legend=False)
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
    sample = rb.load_example()
    found = {name: rb.auc_interval(sample[name]) for name in sample.models}
    few = np.arange(0, sample.n, 16)
    found["logistic, every 16th row"] = rb.auc_interval(sample["logistic"].take(few))
    found["10 + 10 rows, separated"] = rb.auc_interval([1] * 10 + [0] * 10, range(20, 0, -1))
    save(draw(found), PICTURES / "forest.png")


def points() -> None:
    """Draw points at fixed rates, and the rectangles of two thresholds."""
    sample = rb.load_example()
    figure, axes = plt.subplots(1, 2, figsize=(9.6, 4.9), layout="constrained")
    asked = ({"fpr": [0.02, 0.1, 0.3]}, {"threshold": [0.2, 0.5], "joint": True})
    for ax, how in zip(axes, asked, strict=True):
        at = rb.operating_points(sample["logistic"], **how)
        at.plot(ax, label="logistic")
    save(axes[0], PICTURES / "points.png")
    plt.close(figure)


def smooth() -> None:
    """Draw two smooth curves of the example's first model, each with its band."""
    sample = rb.load_example()
    figure, axes = plt.subplots(1, 2, figsize=(10, 5), layout="constrained")
    for ax, method in zip(axes, ("binormal", "kernel"), strict=True):
        rb.smooth_curve(sample["logistic"], method=method, rng=0).plot(ax, label=method)
    save(axes[0], PICTURES / "smooth.png")
    plt.close(figure)


def difference() -> None:
    """Draw the difference of the example's models with its band."""
    sample = rb.load_example()
    band = rb.difference_band(sample, rng=0)
    save(band.plot(labels=sample.models), PICTURES / "difference.png")


def rates() -> None:
    """Draw recall at each rate in both spaces, and the difference of two models."""
    sample = rb.load_example()
    figure, axes = plt.subplots(1, 3, figsize=(14.4, 4.7), layout="constrained")
    for name in sample.models:
        bounds = rb.rate_bounds(sample[name])
        bounds.plot(axes[0], label=name, mark=[0.2])
        if name == "logistic":
            bounds.plot(axes[1], label=name, space="roc")
    gap = rb.rate_difference(sample, rate=np.linspace(0, 1, 201))
    gap.plot(axes[2])
    save(axes[0], PICTURES / "rates.png")
    plt.close(figure)


def costs() -> None:
    """Draw cost curves, and costs of thresholds chosen on other rows with their difference."""
    sample = rb.load_example()
    ax = None
    for name in sample.models:
        ax = rb.cost_curve(sample[name]).plot(ax, label=name)
    save(ax, PICTURES / "cost-curve.png")
    w = np.linspace(0.01, 0.99, 99)
    half = np.random.default_rng(1).random(sample.n) < 0.5
    cuts, found = {}, {}
    for name in sample.models:
        cut = rb.cost_thresholds(sample[name].take(half), w=w)
        cuts[name] = cut
        found[name] = rb.cost_interval(sample[name].take(~half), thresholds=cut, w=w)
    gap = rb.cost_difference(sample.take(~half), thresholds=cuts, simultaneous=True)
    save(draw_models_by_cost(found, gap), PICTURES / "costs.png")


GALLERY = re.compile(
    r"```python\n(.*?)```(?:\n\n!\[.*?\]\((pictures/gallery/[\w-]+\.png)\))?", re.DOTALL
)


def gallery() -> None:
    """Draw each picture of the gallery by the block above it."""
    page = Path(__file__).parent / "gallery.md"
    names: dict[str, object] = {}
    (PICTURES / "gallery").mkdir(exist_ok=True)
    for block, picture in GALLERY.findall(page.read_text(encoding="utf-8")):
        *before, last = block.strip().splitlines()
        exec("\n".join(before), names)
        if picture:
            save(eval(last, names), page.parent / picture)
            plt.close("all")
        else:
            exec(last, names)


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    gallery()
    example()
    methods()
    views()
    subgroups()
    designs()
    forest()
    points()
    smooth()
    difference()
    rates()
    costs()
    cross_validation()
