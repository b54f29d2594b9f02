"""Rows of text: columns separated by commas or tabs, named in the first line."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import chain, islice
from operator import itemgetter
from typing import TextIO

from rocbands.errors import InputError
from rocbands.io.cells import CellError, float_of, parse_numbers, shown
from rocbands.io.columns import Choice, Gathering, ScoreTable, Wanted

__all__ = ["read_delimited"]

_CHUNK = 8192  # rows held as text at a time
Row = list[str]


def read_delimited(text: TextIO, wanted: Wanted) -> ScoreTable:
    """Read CSV or TSV.

    Parameters
    ----------
    text : text file
        Opened with ``newline=""``, so that line breaks inside quotes survive.
    wanted : Wanted
        The columns asked for.
    """
    rows = _Rows(text, wanted.source)
    header = rows.header()
    first = rows.chunk()
    if not first:
        raise InputError(
            f"{wanted.source} must hold rows below the column names; it holds none. "
            "Check the step that wrote it."
        )
    sample = dict(zip(header, first[0], strict=True))
    choice = wanted.choose(header, lambda name: float_of(sample[name]) is not None)
    gathering = wanted.gather(choice, wanted.source)
    for chunk in chain([first], iter(rows.chunk, [])):
        try:
            _gather(chunk, header, choice, gathering)
            gathering.end_chunk()
        except CellError as bad:
            raise InputError(f"{rows.place(bad.row)}: {bad}") from None
    return gathering.table()


def _gather(chunk: list[Row], header: Row, choice: Choice, gathering: Gathering) -> None:
    for name in choice.scores:
        cells = list(map(itemgetter(header.index(name)), chunk))
        gathering.add(name, parse_numbers(cells, name))
    for name, labels in gathering.labels.items():
        labels.add(list(map(itemgetter(header.index(name)), chunk)))


class _Rows:
    """Rows in chunks, equally wide, with a way back to the line on which each begins."""

    def __init__(self, text: TextIO, source: str) -> None:
        self._text = text
        self._source = source
        self._above = 0  # blank lines above the column names
        self._start = 1  # the line on which the chunk begins
        self._chunk: list[Row] = []

    def header(self) -> Row:
        """Return the column names and get ready for the rows."""
        line = self._first_line()
        # A name may well hold a comma, but hardly a tab.
        delimiter = "\t" if "\t" in line else ","
        lines = chain([line], self._text)
        self._reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True)
        self._read(1)
        names = [name.strip() for name in self._chunk[0]]
        self._width = len(names)
        self._check_names(names)
        return names

    def _first_line(self) -> str:
        try:
            while (line := self._text.readline()) and not line.strip():
                self._above += 1
        except UnicodeDecodeError as problem:
            raise self._wrong_encoding(problem, self._above) from None
        if not line:
            raise InputError(
                f"{self._source} must hold column names and rows; it holds blank lines only. "
                "Check the step that wrote it."
            )
        return line

    def _check_names(self, names: Row) -> None:
        place = f"{self._source}, line {self._start}"
        if any("\0" in name for name in names):
            raise InputError(
                f"{place}: the file must be text in UTF-8; it holds NUL bytes, as UTF-16 and "
                "binary files do. Save it again as UTF-8."
            )
        if all(float_of(name) is not None for name in names):
            raise InputError(
                f"{place}: the first line must name the columns; it holds the numbers "
                f"{shown(','.join(names))}. Put a line such as label,score above them."
            )
        if len(names) == 1:
            raise InputError(
                f"{place}: labels and scores must be columns separated by commas or tabs; found "
                f"one column only, {shown(names[0])}. Save the file again with commas."
            )

    def chunk(self) -> list[Row]:
        """Return the next rows without blank lines; an empty list is the end."""
        rows: list[Row] = []
        while not rows and self._read(_CHUNK):
            rows = self._chunk
            if set(map(len, rows)) != {self._width}:
                rows = [row for row in rows if not _is_blank(row)]
                self._check_widths(rows)
        return rows

    def place(self, row: int) -> str:
        """Say where a row of the latest chunk begins."""
        lines = (line for line, cells in self._numbered() if not _is_blank(cells))
        return f"{self._source}, line {next(islice(lines, row, None))}"

    def _read(self, count: int) -> bool:
        self._start = self._above + self._reader.line_num + 1
        self._chunk = []
        try:
            # What was read before an error stays in the list, and so tells where the error is.
            self._chunk.extend(islice(self._reader, count))
        except UnicodeDecodeError as problem:
            raise self._wrong_encoding(problem, self._above + self._reader.line_num) from None
        except csv.Error as problem:
            *_, (line, _) = self._numbered([])
            raise InputError(
                f"{self._source}, line {line}: every quote that opens must close, before the next "
                f"separator; this row's do not ({problem}). Correct the quotes."
            ) from None
        return bool(self._chunk)

    def _numbered(self, *more: Row) -> Iterator[tuple[int, Row]]:
        line = self._start
        for row in chain(self._chunk, more):
            yield line, row
            line += 1 + sum(map(_breaks, row))

    def _check_widths(self, rows: list[Row]) -> None:
        for row, cells in enumerate(rows):
            if len(cells) != self._width:
                raise InputError(
                    f"{self.place(row)}: every row must have {self._width} cells, as the first "
                    f"line has; found {len(cells)}. Correct that row, or quote cells that hold "
                    "the separator."
                )

    def _wrong_encoding(self, problem: UnicodeDecodeError, lines_before: int) -> InputError:
        # The decoder works ahead of the rows by whole blocks: count what it has passed.
        line = lines_before + problem.object[: problem.start].count(b"\n") + 1
        return InputError(
            f"{self._source}, line {line}: the file must be text in UTF-8; found the byte "
            f"0x{problem.object[problem.start]:02x}. Save it again as UTF-8."
        )


def _is_blank(row: Row) -> bool:
    return len(row) < 2 and not "".join(row).strip()


def _breaks(cell: str) -> int:
    """Count the line breaks inside a quoted cell, whatever the system that wrote them."""
    return cell.count("\n") + cell.count("\r") - cell.count("\r\n")
