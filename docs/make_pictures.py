"""Draw the pictures of the documentation: ``python docs/make_pictures.py``."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt

import rocbands as rb
from rocbands.plot import draw, save

PICTURES = Path(__file__).parent / "pictures"


def example() -> None:
    """Draw both models of the example, each with its default band."""
    y, models = rb.load_example()
    ax = None
    for name, scores in models.items():
        ax = rb.roc_band(y, scores, positive="malignant", rng=0).plot(ax, label=name)
    save(ax, PICTURES / "example.png")


def methods() -> None:
    """Draw the same curve with every method's band."""
    y, models = rb.load_example()
    names = list(rb.methods().to_dict()["columns"]["method"])
    figure, axes = plt.subplots(
        1, len(names) + 1, figsize=(4.2 * (len(names) + 1), 4.4), layout="constrained"
    )
    for ax, name in zip(axes, names, strict=False):
        rb.roc_band(y, models["logistic"], name, positive="malignant", rng=0).plot(
            ax, label="logistic"
        )
    later = rb.roc_band(y, models["logistic"], positive="malignant", future=(50, 200))
    later.plot(axes[-1], label="logistic")
    save(axes[0], PICTURES / "methods.png")
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


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    example()
    methods()
    forest()
