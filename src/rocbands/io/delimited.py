"""Rows of text: columns separated by commas or tabs, named in the first line."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice
from operator import itemgetter
from typing import Any, BinaryIO

import numpy as np

from rocbands.errors import InputError
from rocbands.io.cells import (
    CellError,
    Chunk,
    encode_list,
    parse_float,
    parse_numbers,
    refuse_missing,
    shorten,
)
from rocbands.io.columns import Choice
from rocbands.io.text import Block, Parse, TextRows

__all__ = ["DelimitedRows"]

_CHUNK = 8192  # rows held as text at a time
Row = list[str]


class DelimitedRows(TextRows):
    """A file of comma- or tab-separated columns.

    Parameters
    ----------
    stream : binary file
        Without a byte order mark.
    source : str
        Name of the file, for messages.
    """

    def __init__(self, stream: BinaryIO, source: str) -> None:
        super().__init__(stream, source)
        self._read_header()
        for block in self._blocks_of_rows():
            for rows in self._split(block):
                self._sample = dict(zip(self.names, rows.cells[0], strict=True))
                self._begun = [block]
                return
        raise InputError(
            f"{source} must hold rows below the column names",
            "it holds none",
            "Check the step that wrote it.",
        )

    def is_number(self, name: str) -> bool:
        """Tell whether a column holds a number in the first row."""
        return parse_float(self._sample[name]) is not None

    def _blocks_of_rows(self) -> Iterator[Block]:
        yield self._begun.pop()
        yield from self._blocks

    def _read_header(self) -> None:
        """Read the column names; the rest of their block is the first block of rows."""
        for block in self._blocks:
            lines = io.StringIO(block.decode(), newline="")
            above = 0  # blank lines
            line = ""
            while (line := lines.readline()) and not line.strip():
                above += 1
            if not line:
                continue
            place = f"{self._source}, line {block.line + above}"
            # A name may well hold a comma, but hardly a tab.
            self._delimiter = "\t" if "\t" in line else ","
            reader = self._csv_reader(chain([line], lines))
            try:
                names = [name.strip() for name in next(reader)]
            except csv.Error as problem:
                raise _bad_quotes(place, problem) from None
            _check_names(names, place)
            self.names = names
            rest = lines.read().encode()
            self._begun = [replace(block, line=block.line + above + reader.line_num, data=rest)]
            return
        raise InputError(
            f"{self._source} must hold column names and rows",
            "it holds blank lines only",
            "Check the step that wrote it.",
        )

    def _csv_reader(self, lines: Iterator[str]) -> Any:
        return csv.reader(lines, delimiter=self._delimiter, skipinitialspace=True, strict=True)

    def _fast_parser(self, choice: Choice) -> Parse | None:
        try:
            import pyarrow as pa
            from pyarrow import csv as arrow_csv
        except ImportError:
            return None
        # Columns by position, since a name that nobody asked for may occur twice.
        names = [str(index) for index in range(len(self.names))]
        wanted = {str(self.names.index(name)): name for name in choice.names}
        text = pa.dictionary(pa.int32(), pa.string())
        kinds = {
            index: pa.float64() if name in choice.scores else text for index, name in wanted.items()
        }
        read = arrow_csv.ReadOptions(column_names=names)
        parse = arrow_csv.ParseOptions(delimiter=self._delimiter, newlines_in_values=True)
        unquoted = arrow_csv.ParseOptions(delimiter=self._delimiter, quote_char=False)
        convert = arrow_csv.ConvertOptions(
            column_types=kinds,
            include_columns=list(wanted),
            null_values=[],
            strings_can_be_null=False,
        )

        def run(data: bytes) -> Any:
            quoted = b'"' in data
            if quoted and not self._quotes_enclose_cells(data):
                return None
            options = parse if quoted else unquoted
            table = arrow_csv.read_csv(pa.py_buffer(data), read, options, convert)
            return table.rename_columns(list(wanted.values()))

        return run

    def _quotes_enclose_cells(self, data: bytes) -> bool:
        """Tell whether each quote begins or ends a cell, so that no reader can be of two minds.

        Quotes come in pairs: in front of the first one is the end of a cell, and behind the second.
        Quotes inside cells, blanks beside quotes and a cell that goes on in the next block are left
        to the careful way.
        """
        text = np.frombuffer(b"\n" + data + b"\n", np.uint8)
        quotes = np.flatnonzero(text == ord('"'))
        ends = np.frombuffer(f"\r\n{self._delimiter}".encode(), np.uint8)
        before, behind = text[quotes[0::2] - 1], text[quotes[1::2] + 1]
        paired = quotes.size % 2 == 0
        return paired and bool(np.isin(before, ends).all() and np.isin(behind, ends).all())

    def _parse_carefully(self, block: Block, choice: Choice) -> Iterator[Chunk]:
        for rows in self._split(block):
            try:
                yield self._read_cells(rows, choice)
            except CellError as bad:
                raise bad.at(rows.place(bad.row)) from None

    def _read_cells(self, rows: _Rows, choice: Choice) -> Chunk:
        def column(name: str) -> list[str]:
            return list(map(itemgetter(self.names.index(name)), rows.cells))

        scores = {name: parse_numbers(column(name), name) for name in choice.scores}
        labels = {name: encode_list(column(name)) for name in (choice.label, *choice.keys)}
        for name, encoded in labels.items():
            refuse_missing(encoded, name)
        return Chunk(scores, labels, rows.place)

    def _line_of(self, block: Block, row: int) -> int:
        for rows in self._split(block):
            if row < len(rows.cells):
                return rows.line_of(row)
            row -= len(rows.cells)
        raise AssertionError("the row is in the block")

    def _split(self, block: Block) -> Iterator[_Rows]:
        """Split a block into rows of cells, all equally many, without blank lines."""
        reader = self._csv_reader(io.StringIO(block.decode(), newline=""))
        problem: csv.Error | None = None
        while problem is None:
            start, raw = block.line + reader.line_num, list[Row]()
            try:
                # What was read before an error stays in the list, and so tells where it is.
                raw.extend(islice(reader, _CHUNK))
            except csv.Error as error:
                problem = error
            rows = _Rows(self._source, start, raw, raw)
            if set(map(len, raw)) != {len(self.names)}:
                cells = [row for row in raw if not _is_blank(row)]
                rows = replace(rows, cells=cells)
                rows.check_widths(len(self.names))
            if rows.cells:
                yield rows
            if problem is not None:
                self._go_on_or_refuse(block, rows.next_line(), problem)
            elif not raw:
                return

    def _go_on_or_refuse(self, block: Block, line: int, problem: csv.Error) -> None:
        """Let a row that the end of the block cuts go on in the next; refuse any other problem."""
        if block.last or "unexpected end of data" not in str(problem):
            raise _bad_quotes(f"{self._source}, line {line}", problem)
        whole = islice(io.StringIO(block.decode(), newline=""), line - block.line)
        self._blocks.put_back(block, sum(len(text.encode()) for text in whole))


@dataclass(frozen=True)
class _Rows:
    """Rows of cells, with a way back to the line on which each begins.

    Attributes
    ----------
    source : str
        Name of the file.
    line : int
        The line on which the first one begins.
    raw, cells : list of list of str
        The rows with and without blank lines.
    """

    source: str
    line: int
    raw: list[Row]
    cells: list[Row]

    def place(self, row: int) -> str:
        """Say where a row begins."""
        return f"{self.source}, line {self.line_of(row)}"

    def line_of(self, row: int) -> int:
        """Return the line on which a row begins."""
        lines = (line for line, cells in self._numbered() if not _is_blank(cells))
        return next(islice(lines, row, None))

    def next_line(self) -> int:
        """Return the line behind the last row."""
        *_, (line, _) = self._numbered([])
        return line

    def _numbered(self, *more: Row) -> Iterator[tuple[int, Row]]:
        line = self.line
        for row in chain(self.raw, more):
            yield line, row
            line += 1 + sum(_count_breaks(cell) for cell in row)

    def check_widths(self, width: int) -> None:
        """Refuse the first row that has more or fewer cells than there are columns."""
        for row, cells in enumerate(self.cells):
            if len(cells) != width:
                raise InputError(
                    f"{self.place(row)}: every row must have {width} cells, as the first line has",
                    f"found {len(cells)}",
                    "Correct that row, or quote cells that hold the separator.",
                )


def _count_breaks(cell: str) -> int:
    return cell.count("\n") + cell.count("\r") - cell.count("\r\n")


def _is_blank(row: Row) -> bool:
    return len(row) < 2 and not "".join(row).strip()


def _check_names(names: Row, place: str) -> None:
    if any("\0" in name for name in names):
        raise InputError(
            f"{place}: the file must be text in UTF-8",
            "it holds NUL bytes, as UTF-16 and binary files do",
            "Save it again as UTF-8.",
        )
    if all(parse_float(name) is not None for name in names):
        raise InputError(
            f"{place}: the first line must name the columns",
            f"it holds the numbers {shorten(','.join(names))}",
            "Put a line such as label,score above them.",
        )
    if len(names) == 1:
        raise InputError(
            f"{place}: labels and scores must be columns separated by commas or tabs",
            f"found one column only, {shorten(names[0])}",
            "Save the file again with commas.",
        )


def _bad_quotes(place: str, problem: csv.Error) -> InputError:
    return InputError(
        f"{place}: every quote that opens must close, before the next separator",
        f"this row's do not ({problem})",
        "Correct the quotes.",
    )
