"""Counting rows chunk by chunk, in memory bounded by the number of distinct values.

The positive label is determined when all labels are known.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import MOST_CASES, CountArray, FloatArray, IndexArray
from rocbands.core.columns import AgainstRest, against_rest, as_text, two_classes
from rocbands.errors import InputError, Message, RocBandsWarning, arg, say_install
from rocbands.io.columns import parse_labels, read_label, shorten
from rocbands.scale.bins import MOST_WHOLE, bin_keys

ROWS = 1 << 19  # rows of a chunk: its bins stay in the processor's cache, and overheads are small

_DENSE = 1 << 22  # cells that may be counted by index; more are sorted instead
_PER_ROW = 8  # and at most so many per row, so that small chunks stay cheap
_PENDING = 1 << 21  # counts collected before they are added up
_LARGE = 1 << 26  # distinct scores; each takes about 40 bytes while they are added up

_CELLS = 1 << 25  # cells of a batch, however many columns it has
_FEWEST = 1 << 13  # least rows of a batch: overhead dominates in smaller ones

Cell: TypeAlias = tuple[str, int, int]  # model, code of the part, code of the label


@dataclass(frozen=True)
class CodedRows:
    """Some rows, with whole numbers for labels and parts."""

    labels: npt.NDArray[Any]  # code of each row's label
    # code of each row's part: its value in the column that rows are counted by
    by: npt.NDArray[Any] | None
    scores: Mapping[str, npt.NDArray[Any]]  # each model's scores, without NaN
    weights: FloatArray | None = None  # weight of each row

    def take(self, rows: slice) -> CodedRows:
        """Return some of the rows."""
        by, weights = (None if all_ is None else all_[rows] for all_ in (self.by, self.weights))
        scores = {name: column[rows] for name, column in self.scores.items()}
        return CodedRows(self.labels[rows], by, scores, weights)


def rows_at_a_time(columns: int) -> int:
    """Return the number of rows of a batch with so many columns."""
    return max(_FEWEST, min(ROWS, _CELLS // columns))


class _Counts:
    """Counts of values, added in pieces; with weights, rows of counts and sums of w and w^2."""

    def __init__(self) -> None:
        self._values: list[npt.NDArray[Any]] = []
        self._counts: list[CountArray] = []

    def add(self, values: npt.NDArray[Any], counts: CountArray) -> None:
        """Add counts; they are added up when the total is needed."""
        self._values.append(values)
        self._counts.append(counts)

    def total(self) -> tuple[npt.NDArray[Any], CountArray]:
        """Return distinct values in order, and their counts."""
        values = np.concatenate(to_common_type(self._values))
        counts = np.concatenate(self._counts, axis=-1)
        if len(self._values) > 1:
            (values,), sums = sum_by_place((values,), np.atleast_2d(counts))
            counts = sums if counts.ndim > 1 else sums[0]
        self._values, self._counts = [values], [counts]
        return values, counts


class Accumulator:
    """Counts of chunks, by model, part and label: of bins, or if `exact` of scores themselves."""

    def __init__(self, exact: bool) -> None:
        self.exact = exact
        self._warned = False
        self._pending = self._settled = 0  # values not yet added up, and values added up
        self.runs: dict[Cell, _Counts] = {}

    def add(self, rows: CodedRows) -> None:
        """Count some rows."""
        if not rows.labels.size:
            return
        cells, places = find_cells(rows)
        count: Any = _count_by_score if self.exact else _count_by_bin
        if rows.weights is not None:
            key = exact_values if self.exact else bin_keys
            count = partial(_weigh, weights=rows.weights, key=key)
        for model, scores in rows.scores.items():
            for index, values, counts in count(scores, places, len(cells)):
                self.put((model, *cells[index]), values, counts)
        self._warn_when_large()

    def put(self, cell: Cell, values: npt.NDArray[Any], counts: CountArray) -> None:
        """Add counts of one cell.

        Pending counts are added up when they outnumber the settled ones. The bound is for all cells
        together, because there may be many models and parts.
        """
        self.runs.setdefault(cell, _Counts()).add(values, counts)
        self._pending += values.size
        if self._pending > max(_PENDING, self._settled):
            self._settled = sum(runs.total()[0].size for runs in self.runs.values())
            self._pending = 0

    def merge(self, other: Accumulator) -> None:
        """Add the counts of another accumulator, which is empty afterwards."""
        while other.runs:
            cell, runs = other.runs.popitem()
            self.put(cell, *runs.total())

    def count_columns(
        self, models: Sequence[str], parts: Sequence[str], is_positive: npt.NDArray[np.bool_]
    ) -> dict[str, Any]:
        """Return the counts as arguments of ``ScoreCounts.of``; the accumulator is emptied."""
        cells = list(self.runs)
        runs = [self.runs.pop(cell).total() for cell in cells]
        sizes = [values.size for values, _ in runs]

        def repeat(codes: list[int]) -> IndexArray:
            return np.repeat(np.array(codes, dtype=np.intp), sizes)

        counts = np.concatenate([amounts for _, amounts in runs], axis=-1)
        positive = repeat([int(is_positive[label]) for _, _, label in cells])
        values = np.concatenate(to_common_type([values for values, _ in runs]))
        sums: dict[str, Any] = {}
        if counts.ndim > 1:
            counts, *weighed = counts
            counts = np.rint(counts).astype(np.int64)
            of_class = ((1 - positive), positive)
            sums["weights"] = np.stack([total * own for total in weighed for own in of_class])
        return sums | {
            "names": (list(models), list(parts)),
            "codes": (
                repeat([list(models).index(model) for model, _, _ in cells]),
                repeat([part for _, part, _ in cells]),
            ),
            "value": values if self.exact else values.astype(np.int64),
            "counts": (counts * positive, counts * (1 - positive)),
            "binned": not self.exact,
        }

    def _warn_when_large(self) -> None:
        if self.exact and not self._warned and self._settled + self._pending > _LARGE:
            self._warned = True
            warnings.warn(
                f"More than {_LARGE} distinct scores are held in memory. Count in bins, or install "
                f"DuckDB, which keeps them on disk: {say_install('sql')}",
                RocBandsWarning,
                stacklevel=2,
            )


def find_cells(rows: CodedRows) -> tuple[list[tuple[int, int]], npt.NDArray[Any]]:
    """Find the pairs of part and label that occur, and the index of each row's pair."""
    labels = rows.labels
    width = int(labels.max()) + 1
    if rows.by is None:
        return [(0, label) for label in range(width)], labels
    pairs = rows.by.astype(np.int64) * width + labels  # one code for part and label together
    present, places = np.unique(pairs, return_inverse=True)
    return [(int(pair) // width, int(pair) % width) for pair in present], places


def _count_by_bin(
    scores: npt.NDArray[Any], places: npt.NDArray[Any], size: int
) -> Iterator[tuple[int, npt.NDArray[Any], CountArray]]:
    keys = bin_keys(scores)
    low = int(keys.min())
    width = int(keys.max()) - low + 1
    if width * size <= min(_DENSE, _PER_ROW * keys.size):
        # One index for bin and cell together: a single pass of bincount counts all cells.
        keys -= low
        keys *= size
        keys += places.astype(np.int32, copy=False)
        dense = np.bincount(keys, minlength=width * size).reshape(width, size)
        for index in range(size):
            found = np.flatnonzero(dense[:, index])
            if found.size:
                yield index, found + low, dense[found, index]
        return
    # Scattered bins: the same index, but 64 bits wide and sorted.
    wide = (keys.astype(np.int64) - low) * size + places
    present, counts = np.unique(wide, return_counts=True)
    values, owners = present // size + low, present % size
    for index in np.unique(owners).tolist():
        mine = owners == index
        yield index, values[mine], counts[mine]


def _weigh(
    scores: npt.NDArray[Any],
    places: npt.NDArray[Any],
    size: int,
    *,
    weights: FloatArray,
    key: Callable[[npt.NDArray[Any]], npt.NDArray[Any]],
) -> Iterator[tuple[int, npt.NDArray[Any], FloatArray]]:
    """Count rows, and sum their weights and squared weights."""
    values = key(scores)
    for index, rows in enumerate(split_rows(places, size)):
        if rows.size:
            present, owner = np.unique(values[rows], return_inverse=True)
            w = weights[rows]
            yield index, present, np.stack([np.bincount(owner, v) for v in (w**0, w, w * w)])


def exact_values(scores: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return scores in 64 bits, unchanged: integers stay integers, and -0.0 becomes 0.0."""
    if scores.dtype == np.uint64 and scores.size and scores.max() >= 2**63:
        raise InputError(
            "Scores must be floats, or whole numbers below 2**63",
            f"found {scores.max()}",
            "Convert them to floats first.",
        )
    if scores.dtype.kind in "iub":
        return scores.astype(np.int64)
    return np.asarray(scores.astype(np.float64) + 0.0)


def _count_by_score(
    scores: npt.NDArray[Any], places: npt.NDArray[Any], size: int
) -> Iterator[tuple[int, npt.NDArray[Any], CountArray]]:
    values = exact_values(scores)
    for index, rows in enumerate(split_rows(places, size)):
        if rows.size:
            yield index, *np.unique(values[rows], return_counts=True)


def split_rows(codes: npt.NDArray[Any], size: int) -> list[IndexArray]:
    """Return the rows that have each of the codes 0, ..., size - 1."""
    ends = np.cumsum(np.bincount(codes, minlength=size))
    return np.split(np.argsort(codes, kind="stable"), ends[:-1])


def sum_by_place(
    places: tuple[npt.NDArray[Any], ...], counts: npt.NDArray[Any]
) -> tuple[tuple[npt.NDArray[Any], ...], npt.NDArray[Any]]:
    """Sort rows by several keys, the most significant first, and add up those with equal keys."""
    if _is_sorted(places):  # as saved counts are; this saves a third of the time to the curve
        return places, counts
    order = np.lexsort(places[::-1]) if len(places) > 1 else np.argsort(places[0], kind="stable")
    ordered = [place[order] for place in places]
    # A run of equal places begins wherever one of the sorted columns changes.
    first = np.zeros(order.size, dtype=np.bool_)
    first[0] = True
    for place in ordered:
        first[1:] |= place[1:] != place[:-1]
    starts = np.flatnonzero(first)
    return tuple(place[starts] for place in ordered), np.add.reduceat(
        counts[:, order], starts, axis=1
    )


def _is_sorted(places: tuple[npt.NDArray[Any], ...]) -> bool:
    """Tell whether rows are already sorted, with distinct keys."""
    size = max(places[0].size - 1, 0)
    rises, level = np.zeros(size, dtype=np.bool_), np.ones(size, dtype=np.bool_)
    for place in places:
        rises |= level & (place[:-1] < place[1:])
        level &= place[:-1] == place[1:]
    return bool(rises.all())


def to_common_type(values: Sequence[npt.NDArray[Any]]) -> Sequence[npt.NDArray[Any]]:
    """Return arrays of one type: integers only if all are."""
    if len({part.dtype.kind for part in values}) == 1:
        return values
    for part in values:
        whole = part.dtype.kind == "i" and part.size > 0
        if whole and max(-int(part.min()), int(part.max())) > MOST_WHOLE:
            raise InputError(
                "Scores must all be whole numbers, or none may be above 2**53, where floats would "
                "round them",
                "found both kinds",
                "Count all parts from columns of one type.",
            )
    return [part.astype(np.float64) for part in values]


def refuse_overflow(counts: Sequence[CountArray]) -> None:
    """Refuse counts of more rows than a curve may have, before their sum overflows."""
    if any(column.sum(dtype=np.float64) > MOST_CASES for column in counts):
        raise InputError(
            "Counts must add up to at most 10**15 rows of a class",
            "found more",
            "Check the step that wrote them.",
        )


def sort_names(names: Sequence[str], codes: IndexArray) -> tuple[tuple[str, ...], IndexArray]:
    """Sort names, merge equal ones, and update the codes."""
    ordered = sorted(set(names))
    if not ordered:
        return (), codes
    place = {name: code for code, name in enumerate(ordered)}
    return tuple(ordered), np.array([place[name] for name in names], dtype=np.intp)[codes]


REST = "the rest"  # name of all labels but the positive one


def find_positive(
    labels: Sequence[Any], positive: object, column: str, *, spoken: bool = False
) -> tuple[npt.NDArray[np.bool_], tuple[str | None, str | None]]:
    """Tell which of the labels are positive, and return both labels as text.

    A single class is allowed, because a part of a data set may contain only one.
    """
    rest = isinstance(positive, AgainstRest)
    if isinstance(positive, AgainstRest):
        positive = positive.label
    texts = [label for label in labels if isinstance(label, str)]
    read = iter(parse_labels(texts))
    labels = [next(read) if isinstance(label, str) else label for label in labels]
    if spoken and isinstance(positive, str):
        positive = read_label(positive, labels)
    distinct = list(dict.fromkeys(labels))
    if len(distinct) > 1:
        found = two_classes(_to_array(distinct), against_rest(positive, rest), column).positive
    else:
        found = _find_in_one_class(distinct[0], positive, column)
    is_positive = np.array([bool(label == found) for label in labels])
    other = next((label_text(label) for label in distinct if not label == found), None)  # noqa: SIM201
    return is_positive, (label_text(found), REST if rest else other)


def _to_array(labels: list[Any]) -> npt.NDArray[Any]:
    if len({type(label) for label in labels}) > 1:
        column = np.empty(len(labels), dtype=object)
        column[:] = labels
        return column
    return np.array(labels)


def _find_in_one_class(label: Any, positive: object, column: str) -> object:
    if positive is not None:
        if positive != label and label_text(positive) == label_text(label):
            raise InputError(
                Message("must be one of the labels in {}", arg(column)),
                f"{positive!r} is not {label!r}",
                Message(
                    "Pass {}, or {} for labels whose positive class is clear.",
                    arg("positive", label),
                    arg("positive", None),
                ),
                argument="positive",
            )
        return positive
    if isinstance(label, (bool, int, float)) and label in (-1, 0, 1):
        return type(label)(1)
    raise InputError(
        Message(
            "Which label of {} is positive is not clear: it has {} only",
            arg(column),
            shorten(label),
        ),
        remedy=Message("Pass, for example, {}.", arg("positive", label)),
    )


def label_text(label: object) -> str:
    """Write a label as text, the same for 1, 1.0 and True: engines return different types."""
    whole = isinstance(label, (float, np.floating)) and float(label).is_integer()
    return str(int(label)) if whole or isinstance(label, (bool, np.bool_)) else str(label)  # type: ignore[call-overload]


def part_text(value: object) -> str:
    """Write a part's name as text, the same for all kinds of files."""
    return str(value).lower() if isinstance(value, bool) else as_text(value).strip()
