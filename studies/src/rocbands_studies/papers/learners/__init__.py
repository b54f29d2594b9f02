"""The papers' learners, by their nearest living relatives.

Macskassy, Provost and Rosset (2005) trained five learners of Weka 3.4.2, Macskassy and Provost
(2004) used C4.5 release 8. Those programs are not used here: each learner is a substitute, and
its entry in `LEARNERS` says what it stands for and what differs. All scores are log-odds.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from typing import Any

import numpy as np

from rocbands.core.checks import BoolArray, FloatArray, IndexArray
from rocbands.core.randomness import make_generator
from rocbands.errors import InputError, Message, arg
from rocbands_studies.papers.datasets import DataSet
from rocbands_studies.papers.learners.bayes import learn_naive_bayes, learn_nb_tree
from rocbands_studies.papers.learners.logistic import WEKA_RIDGE, learn_logistic, learn_model_tree
from rocbands_studies.papers.learners.trees import Model, learn_tree

__all__ = ["LEARNERS", "Learner", "Scorer", "fit"]

_CHUNK = 1 << 15  # rows scored at a time: a matrix of a hundred columns stays below 30 MB


@dataclass(frozen=True)
class Learner:
    """A way to learn scores from rows.

    Attributes
    ----------
    name : str
        What it is called here.
    stands_for : str
        The learner of the papers that it replaces.
    differs : str
        What is done differently.
    learn : callable
        Takes features, levels, classes and a random generator; returns a model, which takes
        features and returns log-odds.
    """

    name: str
    stands_for: str
    differs: str
    learn: Callable[[FloatArray, IndexArray, BoolArray, np.random.Generator], Model]


_LEARN: dict[str, Callable[[FloatArray, IndexArray, BoolArray, np.random.Generator], Model]] = {
    "tree": partial(learn_tree, laplace=False),
    "tree-pruned": partial(learn_tree, laplace=False, pruned=True),
    "tree-laplace": partial(learn_tree, laplace=True),
    "logistic": learn_logistic,
    "logistic-1e-8": partial(learn_logistic, ridge=WEKA_RIDGE),
    "naive-bayes": learn_naive_bayes,
    "model-tree": learn_model_tree,
    "nb-tree": learn_nb_tree,
}
_TEXT = (files("rocbands_studies.papers") / "learners" / "learners.csv").read_text(encoding="utf-8")
LEARNERS = {
    row["name"]: Learner(**row, learn=_LEARN[row["name"]])
    for row in csv.DictReader(_TEXT.splitlines())
}


@dataclass(frozen=True, eq=False)
class Scorer:
    """A model and the data set it was learned from; call it with row numbers."""

    dataset: DataSet
    model: Model

    def __call__(self, rows: Any) -> FloatArray:
        """Return the log-odds ln P(+|x) / P(-|x) of these rows; infinite values are legal."""
        rows = _check_rows(rows, len(self.dataset))
        scores = np.empty(len(rows))
        with _one_thread():
            for start in range(0, len(rows), _CHUNK):
                chunk = slice(start, start + _CHUNK)
                scores[chunk] = self.model(self.dataset.features[rows[chunk]])
        return scores


def fit(learner: str, dataset: DataSet, rows: Any, rng: Any = None) -> Scorer:
    """Learn from some rows of a data set.

    Parameters
    ----------
    learner : str
        One of `LEARNERS`.
    dataset : DataSet
        The data set.
    rows : array-like of int
        Numbers of the rows to learn from; a row may occur more than once. Both classes must occur.
    rng : optional
        Anything that `numpy.random.default_rng` takes; the same rng gives the same model.

    Returns
    -------
    Scorer
        Takes row numbers and returns their log-odds.

    Examples
    --------
    >>> x = np.random.default_rng(1).normal(size=(400, 2))
    >>> cases = DataSet("two clouds", ("a", "b"), x, [0, 0], x.sum(axis=1) > 0)
    >>> score = fit("logistic", cases, np.arange(100), rng=1)
    >>> bool(np.mean((score(np.arange(100, 400)) > 0) == cases.y[100:]) > 0.95)
    True
    """
    if learner not in LEARNERS:
        raise InputError(
            Message(
                "{} must be one of {}; got {!r}. Choose one of them.",
                arg("learner"),
                ", ".join(LEARNERS),
                learner,
            )
        )
    rows = _check_rows(rows, len(dataset))
    y = dataset.y[rows]
    if y.all() or not y.any():
        raise InputError(
            f"The rows to learn from must hold both classes; all {len(rows)} are "
            f"{'positive' if len(rows) and y[0] else 'negative'}. Draw them by class, for example "
            "with DataSet.stratified_rows."
        )
    features, rng = dataset.features[rows], make_generator(rng)
    with _one_thread():
        return Scorer(dataset, LEARNERS[learner].learn(features, dataset.levels, y, rng))


def _one_thread() -> AbstractContextManager[Any]:
    """Keep linear algebra on one thread: the matrices are small, and sums keep their order."""
    try:
        import sklearn  # noqa: F401
        from threadpoolctl import threadpool_limits
    except ImportError:
        raise InputError(
            "Learners need scikit-learn, which is not installed. Install it with: "
            "pip install ./papers (in a checkout of rocbands)."
        ) from None
    limits: AbstractContextManager[Any] = threadpool_limits(limits=1)
    return limits


def _check_rows(rows: Any, n: int) -> IndexArray:
    rows = np.asarray(rows)
    if rows.size == 0:
        rows = rows.astype(np.intp)
    if rows.ndim != 1 or not np.issubdtype(rows.dtype, np.integer):
        raise InputError(
            Message(
                "{} must be a sequence of row numbers; got {} dimensions of {}. Pass "
                "numpy.flatnonzero of a mask.",
                arg("rows"),
                rows.ndim,
                rows.dtype,
            )
        )
    if rows.size and not (rows.min() >= 0 and rows.max() < n):
        wrong = rows[(rows < 0) | (rows >= n)][0]
        raise InputError(
            Message(
                "{} must be row numbers from 0 to {}; found {}. Check the data set.",
                arg("rows"),
                n - 1,
                wrong,
            )
        )
    return np.asarray(rows, dtype=np.intp)
