"""Checked labels of several classes with a column of scores for each, and their curves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import BoolArray, CountArray, FloatArray, FrozenState, IndexArray, frozen
from rocbands.core.columns import (
    frame_kind,
    label_codes,
    plain_array,
    refuse_missing,
    score_columns,
)
from rocbands.core.roc import RocCurve
from rocbands.core.rows import (
    Design,
    Rows,
    check_length,
    check_order,
    code_column,
    name_design,
    weight_column,
)
from rocbands.errors import InputError, Message, arg

MultiClass: TypeAlias = Literal["ovr", "ovo"]


class Split(NamedTuple):
    """Two classes out of several: the rows, and which of them are positive."""

    positive: int  # the positive class
    negative: int | None  # the negative class; None for all others
    rows: IndexArray | None  # the rows of both; None for all rows
    is_positive: BoolArray  # of these rows
    values: npt.NDArray[Any]  # their scores for the positive class


@dataclass(frozen=True, eq=False)
class ClassSample(FrozenState):
    """Rows of several classes with a score for each class; made by :meth:`Sample.of_classes`.

    Attributes
    ----------
    labels : tuple
        The classes, in the order of the columns.
    codes : ndarray of int, shape (n,)
        The class of each row, as an index into `labels`.
    values : tuple of ndarray of shape (n,)
        A column of scores for each class; a larger score means more of that class.
    frame : {'pandas', 'polars', 'pyarrow'} or None
        The kind of frame the columns came from.
    clusters, weights, strata : ndarray of shape (n,), or None
        How the rows were drawn, as for :class:`Sample`; rows of weight 0 are left out.
    """

    labels: tuple[Any, ...]
    codes: CountArray
    values: tuple[npt.NDArray[Any], ...]
    frame: str | None = None
    clusters: CountArray | None = None
    weights: FloatArray | None = None
    strata: CountArray | None = None

    def __post_init__(self) -> None:
        fields = self.__dict__
        for name in ("codes", "clusters", "weights", "strata"):
            if fields[name] is not None:
                fields[name] = frozen(fields[name])
        fields["values"] = tuple(map(frozen, self.values))

    def __repr__(self) -> str:
        sizes = ", ".join(
            f"{size} {label}" for label, size in zip(self.labels, self.sizes, strict=True)
        )
        return f"<ClassSample: {self.codes.size} rows of {len(self.labels)} classes ({sizes})>"

    @property
    def design(self) -> tuple[Design, ...]:
        """How the rows differ from independent rows of equal weight."""
        unequal = self.weights is not None and bool(np.ptp(self.weights) > 0.0)
        return name_design(
            self.codes.size, strata=self.strata, clusters=self.clusters, weights=unequal
        )

    @property
    def sizes(self) -> CountArray:
        """Number of rows of each class."""
        return np.bincount(self.codes, minlength=len(self.labels))

    def count_calls(self) -> tuple[tuple[int, ...], ...]:
        """Count the rows of each class by the class of their largest score, without ties of it."""
        size = len(self.labels)
        best = np.maximum.reduce(self.values)
        hits = np.stack([values == best for values in self.values])
        called = np.where(hits.sum(axis=0) == 1, hits.argmax(axis=0), size)
        table = np.bincount(self.codes * (size + 1) + called, minlength=size * (size + 1))
        return tuple(map(tuple, table.reshape(size, size + 1)[:, :size].tolist()))

    @classmethod
    def from_columns(
        cls,
        y_true: Any,
        y_score: Any,
        classes: Any = None,
        *,
        clusters: Any = None,
        weights: Any = None,
        strata: Any = None,
    ) -> ClassSample:
        """Check labels and scores, and find the column of each class."""
        found, codes = label_codes(y_true, "y_true")
        names, columns = score_columns(y_score, "y_score")
        if len(found) < 2:
            raise InputError(
                Message("{} must contain at least two classes", arg("y_true")),
                f"it has {found[0]!r} only",
            )
        labels = _match_labels(found, names, classes, len(columns))
        for column in columns:
            check_length(codes, column, "y_score")
        parts = {"y_score": y_score}
        if isinstance(y_score, Mapping):
            parts = {f"y_score of {name!r}": column for name, column in y_score.items()}
        check_order({"y_true": y_true, **parts})
        # Column index of each class that occurs.
        place = np.array([labels.index(label) for label in found])
        kind = frame_kind(y_score) or frame_kind(y_true)
        rows = {f"row of class {label!r}": codes == k for k, label in enumerate(found)}
        kept: Any = slice(None)
        if weights is not None:
            weights = weight_column(weights, rows)
            kept = weights > 0.0
        clusters, strata = (
            None if column is None else code_column(column, what, codes.size)[1]
            for column, what in ((clusters, "cluster"), (strata, "stratum"))
        )
        design = (
            None if column is None else column[kept] for column in (clusters, weights, strata)
        )
        values = tuple(column[kept] for column in columns)
        return cls(labels, place[codes][kept], values, kind, *design)

    def split(self, kind: MultiClass) -> Iterator[Split]:
        """Yield all two-class problems: one class against the rest, or all ordered pairs."""
        size = len(self.labels)
        for a, values in enumerate(self.values):
            if kind == "ovr":
                yield Split(a, None, None, self.codes == a, values)
                continue
            for b in range(size):
                if b != a:
                    rows = np.flatnonzero((self.codes == a) | (self.codes == b))
                    yield Split(a, b, rows, self.codes[rows] == a, values[rows])

    def build_curve(self, split: Split) -> RocCurve:
        """Return the curve of a two-class problem."""
        design: list[Any] = [self.clusters, self.weights, self.strata]
        if split.rows is not None:
            design = [None if column is None else column[split.rows] for column in design]
        return RocCurve.from_rows(Rows(split.is_positive, split.values, self.frame), *design)


def _match_labels(
    found: tuple[Any, ...], names: list[Any] | None, classes: Any, n_columns: int
) -> tuple[Any, ...]:
    """Return the class of each column: as given, by the columns' names, or in sorted order."""
    if classes is not None:
        try:
            flat = np.ndim(classes) == 1
        except ValueError:  # rows of different lengths
            flat = False
        if not flat:
            raise InputError(
                "must be a sequence with the class of each column",
                f"got {classes!r}",
                f"There are {n_columns} columns, and the labels are {list(found)!r}.",
                argument="classes",
            )
        given = plain_array(classes, "classes")
        refuse_missing(given, "classes")
        labels = given.tolist()
    elif names is not None:
        # Names are the classes themselves or, where a library has text only, their text.
        known = {str(label): label for label in found} | {label: label for label in found}
        plain = [name.item() if isinstance(name, np.generic) else name for name in names]
        labels = [known.get(name, known.get(str(name), name)) for name in plain]
    elif n_columns == len(found):
        return found
    else:
        raise InputError(
            Message("{} must have one column for each class, in sorted order", arg("y_score")),
            Message(
                "it has {} columns, and {} has {} classes", n_columns, arg("y_true"), len(found)
            ),
            Message(
                "Name the class of each column by {}; a class without rows has no curve, and its "
                "column must be left out.",
                arg("classes"),
            ),
        )
    missing = [label for label in found if label not in labels]
    if len(labels) != n_columns or len(set(labels)) != n_columns or missing:
        said = "classes" if classes is not None else "columns"
        raise InputError(
            "There must be one column of scores for each class, named after it",
            f"{said} are {labels!r}, labels {list(found)!r}",
            Message("Name them by {}, in the order of the columns.", arg("classes")),
        )
    absent = [label for label in labels if label not in found]
    if absent:
        raise InputError(
            Message("Every class must occur in {}", arg("y_true")),
            f"no row is of class {absent[0]!r}",
            "A class without rows has no curve: leave its column out.",
        )
    return tuple(labels)
