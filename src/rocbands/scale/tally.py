"""Rows of a chunk become counts; counts of chunks add up, in memory bounded by what is distinct."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import CountArray, IndexArray
from rocbands.errors import InputError, RocBandsWarning
from rocbands.scale.bins import bin_keys
from rocbands.scale.sums import of_one_type, summed

__all__ = ["ROWS", "Chunk", "Runs", "Tally", "exact_values", "rows_at_a_time"]

ROWS = 1 << 19  # rows of a chunk: its bins stay in the processor's cache, and overheads are small

_DENSE = 1 << 22  # cells that may be counted by index; more are sorted instead
_PER_ROW = 8  # and at most that many for each row, so that small chunks stay cheap
_PENDING = 1 << 21  # counts that wait before they are added up
_LARGE = 1 << 26  # distinct scores, of which each takes some 40 bytes while they are added up

_CELLS = 1 << 25  # cells of a batch, however many columns it has
_FEWEST = 1 << 13  # rows of a batch, though: less are all overhead

Cell: TypeAlias = tuple[str, int, int]  # model, code of the group, code of the label


@dataclass(frozen=True)
class Chunk:
    """Some rows.

    Attributes
    ----------
    labels : ndarray of int, shape (n,)
        Code of each row's label.
    groups : ndarray of int, shape (n,), or None
        Code of each row's group.
    scores : mapping of str to ndarray of shape (n,)
        Each model's scores, without NaN.
    """

    labels: npt.NDArray[Any]
    groups: npt.NDArray[Any] | None
    scores: Mapping[str, npt.NDArray[Any]]


def rows_at_a_time(columns: int) -> int:
    """Return how many rows of that many columns may be held at a time."""
    return max(_FEWEST, min(ROWS, _CELLS // columns))


class Runs:
    """Counts of values, given in pieces."""

    def __init__(self) -> None:
        self._values: list[npt.NDArray[Any]] = []
        self._counts: list[CountArray] = []
        self._pending = 0
        self._settled = 0

    def add(self, values: npt.NDArray[Any], counts: CountArray) -> None:
        """Add counts; they wait until the total is asked for."""
        self._values.append(values)
        self._counts.append(counts)
        self._pending += values.size

    def total(self) -> tuple[npt.NDArray[Any], CountArray]:
        """Return distinct values in order, and their counts."""
        values = np.concatenate(of_one_type(self._values))
        counts = np.concatenate(self._counts)
        if len(self._values) > 1:
            (values,), (counts,) = summed((values,), counts[np.newaxis])
        self._values, self._counts = [values], [counts]
        self._pending, self._settled = 0, values.size
        return values, counts

    @property
    def size(self) -> int:
        """Number of values held, equal ones included."""
        return self._settled + self._pending


class Tally:
    """Counts of chunks, by model, group and label.

    Parameters
    ----------
    exact : bool
        Whether to count scores themselves, instead of bins.
    """

    def __init__(self, exact: bool) -> None:
        self._exact = exact
        self._warned = False
        self._pending = 0
        self._settled = 0
        self.runs: dict[Cell, Runs] = {}

    def add(self, chunk: Chunk) -> None:
        """Count the rows of a chunk."""
        if not chunk.labels.size:
            return
        cells, places = _cells(chunk)
        for model, scores in chunk.scores.items():
            count = _by_score if self._exact else _by_bin
            for index, values, counts in count(scores, places, len(cells)):
                self.put((model, *cells[index]), values, counts)
        self._say_when_large()

    def put(self, cell: Cell, values: npt.NDArray[Any], counts: CountArray) -> None:
        """Add counts of one cell; those of all cells are added up when they outgrow what is there.

        What waits is bounded for all cells together: there may be many models and groups.
        """
        self.runs.setdefault(cell, Runs()).add(values, counts)
        self._pending += values.size
        if self._pending > max(_PENDING, self._settled):
            self._settled = sum(runs.total()[0].size for runs in self.runs.values())
            self._pending = 0

    def merge(self, other: Tally) -> None:
        """Add what another tally has counted; nothing is left in that one."""
        while other.runs:
            cell, runs = other.runs.popitem()
            self.put(cell, *runs.total())

    def _say_when_large(self) -> None:
        if self._exact and not self._warned and sum(r.size for r in self.runs.values()) > _LARGE:
            self._warned = True
            warnings.warn(
                f"More than {_LARGE} distinct scores are held in memory. Count in bins, or install "
                "DuckDB, which keeps them on disk: pip install 'rocbands[sql]'.",
                RocBandsWarning,
                stacklevel=2,
            )


def _cells(chunk: Chunk) -> tuple[list[tuple[int, int]], npt.NDArray[Any]]:
    """Find the pairs of group and label that occur, and the index of each row's pair."""
    labels = chunk.labels
    if chunk.groups is None:
        return [(0, label) for label in range(int(labels.max()) + 1)], labels
    width = int(labels.max()) + 1
    pairs = chunk.groups.astype(np.int64) * width + labels
    present, places = np.unique(pairs, return_inverse=True)
    return [(int(pair) // width, int(pair) % width) for pair in present], places


def _by_bin(
    scores: npt.NDArray[Any], places: npt.NDArray[Any], size: int
) -> Iterator[tuple[int, npt.NDArray[Any], CountArray]]:
    keys = bin_keys(scores)
    low = int(keys.min())
    width = int(keys.max()) - low + 1
    if width * size <= min(_DENSE, _PER_ROW * keys.size):
        keys -= low
        keys *= size
        keys += places.astype(np.int32, copy=False)
        dense = np.bincount(keys, minlength=width * size).reshape(width, size)
        for index in range(size):
            found = np.flatnonzero(dense[:, index])
            if found.size:
                yield index, found + low, dense[found, index]
        return
    wide = (keys.astype(np.int64) - low) * size + places
    present, counts = np.unique(wide, return_counts=True)
    values, owners = present // size + low, present % size
    for index in np.unique(owners).tolist():
        mine = owners == index
        yield index, values[mine], counts[mine]


def exact_values(scores: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return scores in 64 bits, without a change: whole numbers stay so, and -0.0 is 0.0."""
    if scores.dtype == np.uint64 and scores.size and scores.max() >= 2**63:
        raise InputError(
            f"Scores must be floats, or whole numbers below 2**63; found {scores.max()}. "
            "Convert them to floats first."
        )
    if scores.dtype.kind in "iub":
        return scores.astype(np.int64)
    return np.asarray(scores.astype(np.float64) + 0.0)


def _by_score(
    scores: npt.NDArray[Any], places: npt.NDArray[Any], size: int
) -> Iterator[tuple[int, npt.NDArray[Any], CountArray]]:
    order: IndexArray = np.argsort(places, kind="stable")
    ends = np.cumsum(np.bincount(places, minlength=size))
    values = exact_values(scores)[order]
    for index, part in enumerate(np.split(values, ends[:-1])):
        if part.size:
            yield index, *np.unique(part, return_counts=True)
