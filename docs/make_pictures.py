"""Draw the pictures of the documentation: ``python docs/make_pictures.py``."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt

import rocbands as rb
from rocbands.plot import save

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


def difference() -> None:
    """Draw the difference of the example's models with its band."""
    y, models = rb.load_example()
    band = rb.difference_band(y, *models.values(), positive="malignant", rng=0)
    save(band.plot(labels=tuple(models)), PICTURES / "difference.png")


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    example()
    methods()
    difference()
