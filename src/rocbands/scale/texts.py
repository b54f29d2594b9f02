"""Files of text as lanes: the short way where it is sure, and the careful reader."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import numpy as np

from rocbands.io.columns import Choice, Gathering, ScoreTable, Wanted
from rocbands.io.files import read_wanted
from rocbands.scale.labels import group_text
from rocbands.scale.lanes import Count, Lane, Reading
from rocbands.scale.plain import count_plain, looks_plain
from rocbands.scale.tally import Chunk

__all__ = ["text_lane"]


def text_lane(file: str, reading: Reading) -> Lane:
    """Make the lane of a file of text, whatever its form."""

    def run(count: Count) -> None:
        wanted = replace(reading.wanted, source="stdin" if file == "-" else file)
        if (known := reading.choice) is not None:
            wanted = replace(wanted, label=known.label, scores=known.scores, keys=known.keys)
        try:
            _read_text(file, wanted, reading, count)
        finally:
            reading.ready.set()

    return run


def _read_text(file: str, wanted: Wanted, reading: Reading, count: Count) -> None:
    rows, told = 0, 0
    if looks_plain(file):
        choice = reading.choose(_chosen(file, wanted))

        def ahead(size: int) -> None:
            nonlocal told
            told += size
            reading.passed(size)

        codes = reading.labels, reading.groups
        rows, whole = count_plain(file, choice, codes, count, ahead)
        if whole:
            return

    def passed(done: int, _: int | None) -> None:
        nonlocal told
        reading.passed(max(done - told, 0))
        told = max(done, told)

    def gather(choice: Choice, source: str) -> Gathering:
        return _Counting(choice, source, reading, count, rows)

    read_wanted(file, replace(wanted, gather=gather), passed)


class _Chosen(Exception):  # noqa: N818
    """The columns are known, and no more was asked."""


def _chosen(file: str, wanted: Wanted) -> Choice:
    """Choose the columns by the names and the first rows, as the careful reader does."""
    found: list[Choice] = []

    def gather(choice: Choice, source: str) -> Gathering:
        found.append(choice)
        raise _Chosen

    with suppress(_Chosen):
        read_wanted(file, replace(wanted, gather=gather))
    return found[0]


class _Counting(Gathering):
    """Counts chunks as they come instead of keeping them; the first `skip` rows are known."""

    def __init__(
        self, choice: Choice, source: str, reading: Reading, count: Count, skip: int
    ) -> None:
        super().__init__(choice, source)
        self._skip = skip
        reading.choose(choice)
        self._reading = reading
        self._count = count

    def end_chunk(self) -> None:
        """Count the rows that all columns have got."""
        choice = self._choice
        scores = {name: np.concatenate(self._scores[name]) for name in choice.scores}
        for pieces in self._scores.values():
            pieces.clear()
        codes = {name: labels.take() for name, labels in self.labels.items()}
        label = self.labels[choice.label].names()
        labels = self._reading.labels.of(label)[codes[choice.label]]
        groups = None
        for name in choice.keys:
            texts = [group_text(value) for value in self.labels[name].names()]
            groups = self._reading.groups.of(texts)[codes[name]]
        rows = slice(min(self._skip, labels.size), None)
        self._skip -= rows.start
        scores = {name: column[rows] for name, column in scores.items()}
        self._count(Chunk(labels[rows], None if groups is None else groups[rows], scores))

    def table(self) -> ScoreTable:
        """Return an empty table: the rows are counted."""
        empty = np.zeros(0)
        return ScoreTable(empty, {}, self._choice.label, self._source)
