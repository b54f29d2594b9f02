"""Missing values of a sample's columns: counted by class, refused, or left out with their rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import BoolArray, FrozenState, frozen
from rocbands.core.columns import MissingError, find_missing, plain_array, take_rows, to_column
from rocbands.errors import InputError, arg, in_python


@dataclass(frozen=True)
class Dropped(FrozenState):
    """Rows that were left out because a value was missing.

    Attributes
    ----------
    n : int
        Rows of the source.
    labels : ndarray of str, shape (k,)
        The label of each row that was left out; empty where it is missing, too.
    missing : mapping of str to ndarray of bool, shape (k,)
        By column, which of these rows lack a value there.
    models : tuple of str
        The models that the rows were left out for.
    """

    MAPPINGS: ClassVar[tuple[str, ...]] = ("missing",)

    n: int
    labels: npt.NDArray[Any]
    missing: Mapping[str, BoolArray]
    models: tuple[str, ...]

    def __post_init__(self) -> None:
        masks = {name: frozen(mask) for name, mask in self.missing.items()}
        self.__dict__.update(labels=frozen(self.labels), missing=MappingProxyType(masks))

    def describe(self, models: tuple[str, ...]) -> str:
        """Say how many rows went, of which class, and how many because of other models only."""
        text = (
            f"Left out {self.labels.size} of {self.n} rows ({_count_labels(self.labels)}): "
            "missing values"
        )
        others = [score_title(name, self.models) for name in self.models if name not in models]
        own = [mask for name, mask in self.missing.items() if name not in others]
        needless = self.labels.size - int(np.count_nonzero(np.logical_or.reduce(own)))
        if others and needless:
            text += f", {needless} of them only in the scores of other models"
        return f"{text}."


def score_title(name: str, models: tuple[str, ...]) -> str:
    """Say whose scores are meant in a message: of one model they are the argument itself."""
    return "y_score" if len(models) == 1 else f"y_score of {name!r}"


def find_dropped(
    columns: Mapping[str, Any], models: tuple[str, ...]
) -> tuple[Dropped, BoolArray] | None:
    """Find the rows with a missing value in any column, and which rows stay; None if all do.

    `columns`: by their names in messages, the labels as 'y_true'.
    """
    masks = {name: find_missing(column) for name, column in columns.items()}
    for name, mask in masks.items():
        if mask.ndim != 1:
            to_column(columns[name], name)  # refuses it
    sizes = {name: mask.size for name, mask in masks.items()}
    if len(set(sizes.values())) != 1:
        raise InputError(
            f"{arg('missing', 'drop')} needs columns of the same rows",
            f"they have {', '.join(f'{size} ({name})' for name, size in sizes.items())}",
        )
    gone = np.logical_or.reduce(list(masks.values()))
    if not gone.any():
        return None
    if gone.all():
        raise InputError(
            "Some rows must have values in all columns",
            f"each of the {gone.size} rows lacks one",
            "Look at the columns one by one.",
        )
    labels = _as_text(columns["y_true"], masks["y_true"])[gone]
    missing = {name: mask[gone] for name, mask in masks.items()}
    return Dropped(gone.size, labels, missing, models), ~gone


def count_missing(problem: MissingError, columns: Mapping[str, Any]) -> InputError:
    """Say how many values are missing in each column, and of which class."""
    masks = {name: find_missing(column) for name, column in columns.items()}
    if len({mask.shape for mask in masks.values()}) != 1:
        return problem
    labels = _as_text(columns["y_true"], masks["y_true"])
    counts = [
        f"{name} {np.count_nonzero(mask)} of {mask.size} rows ({_count_labels(labels[mask])})"
        for name, mask in masks.items()
        if mask.any()
    ]
    counted = MissingError(
        problem.must,
        f"{problem.found}. In all: {'; '.join(counts)}",
        f"Drop or impute such rows, or {in_python('make a Sample with', 'use')} "
        f"{arg('missing', 'drop')}.",
        argument=problem.argument,
    )
    counted.first = problem.found
    return counted


def _as_text(labels: Any, is_missing: BoolArray) -> npt.NDArray[Any]:
    """Return labels as text; those that are missing are empty."""
    text = np.full(is_missing.size, "", dtype=object)
    known = plain_array(take_rows(labels, ~is_missing), "y_true").tolist()
    text[~is_missing] = [str(label) for label in known]
    return text.astype(str)


def _count_labels(labels: npt.NDArray[Any]) -> str:
    """Count rows by class: '2 of class 'a', 1 without a label'."""
    names, counts = np.unique(labels[labels != ""], return_counts=True)
    parts = [f"{count} of class {str(name)!r}" for name, count in zip(names, counts, strict=True)]
    unknown = int(np.count_nonzero(labels == ""))
    return ", ".join(parts + ([f"{unknown} without a label"] if unknown else []))
