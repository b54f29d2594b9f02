"""The example that ships with the package: real, small, honestly scored."""

from __future__ import annotations

import csv
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import FloatArray

__all__ = ["Example", "load_example"]


class Example(NamedTuple):
    """Labels, and each model's scores of the same rows."""

    y_true: npt.NDArray[Any]
    y_scores: dict[str, FloatArray]


def load_example() -> Example:
    """Two models' scores of 569 biopsies, 212 of them malignant.

    Every row was scored by a model trained on the other nine of ten folds. ``logistic`` is a
    logistic regression on the texture and the compactness of the cell nuclei; ``neighbours`` is
    the share of malignant cases among the 15 nearest in texture and symmetry, so its scores are
    heavily tied.

    Returns
    -------
    Example
        A pair ``(y_true, y_scores)``; the positive label is ``'malignant'``.

    Examples
    --------
    >>> import rocbands as rb
    >>> y_true, y_scores = rb.load_example()
    >>> len(y_true), list(y_scores)
    (569, ['logistic', 'neighbours'])
    """
    text = files("rocbands.io").joinpath("example.csv").read_text(encoding="utf-8")
    header, *rows = csv.reader(text.splitlines())
    columns = dict(zip(header, map(np.array, zip(*rows, strict=True)), strict=True))
    scores = {name: columns[name].astype(np.float64) for name in ("logistic", "neighbours")}
    return Example(columns["diagnosis"], scores)
