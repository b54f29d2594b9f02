"""The two-class problems of a sample of several classes, and their curves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import BoolArray, CountArray, IndexArray
from rocbands.core.roc import RocCurve
from rocbands.core.rows import Rows
from rocbands.core.sample import Sample

MultiClass: TypeAlias = Literal["ovr", "ovo"]


class Split(NamedTuple):
    """Two classes out of several: the rows, and which of them are positive."""

    positive: int  # the positive class
    negative: int | None  # the negative class; None for all others
    rows: IndexArray | None  # the rows of both; None for all rows
    is_positive: BoolArray  # of these rows
    values: npt.NDArray[Any]  # their scores for the positive class


def split_classes(data: Sample, kind: MultiClass) -> Iterator[Split]:
    """Yield all two-class problems: one class against the rest, or all ordered pairs."""
    for a, values in enumerate(data.list_scores()):
        if kind == "ovr":
            yield Split(a, None, None, data.codes == a, values)
            continue
        for b in range(len(data.classes)):
            if b != a:
                rows = np.flatnonzero((data.codes == a) | (data.codes == b))
                yield Split(a, b, rows, data.codes[rows] == a, values[rows])


def build_curve(data: Sample, split: Split) -> RocCurve:
    """Return the curve of a two-class problem."""
    drawn = data.drawn if split.rows is None else data.drawn.take(split.rows)
    return RocCurve.from_rows(Rows(split.is_positive, split.values, data.frame), drawn)


def count_members(data: Sample) -> CountArray:
    """Count the rows of each class."""
    return np.bincount(data.codes, minlength=len(data.classes))


def count_calls(data: Sample) -> tuple[tuple[int, ...], ...]:
    """Count the rows of each class by the class of their largest score, without ties of it."""
    size, columns = len(data.classes), data.list_scores()
    best = np.maximum.reduce(columns)
    hits = np.stack([values == best for values in columns])
    called = np.where(hits.sum(axis=0) == 1, hits.argmax(axis=0), size)
    table = np.bincount(data.codes * (size + 1) + called, minlength=size * (size + 1))
    return tuple(map(tuple, table.reshape(size, size + 1)[:, :size].tolist()))
