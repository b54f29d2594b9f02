"""Rows of text, in blocks of whole lines; columns separated by commas, semicolons or tabs.

PyArrow parses a block at once, many times as fast as Python. Where its rows might differ from those
of Python's csv or json module, or if it is not installed, these parse the block cell by cell: the
careful way. Both ways give the same rows. All messages come from the careful one, which parses a
block with a bad cell again.

Blocks are in UTF-8. A file that is not is taken to be in cp1252, that of Windows in the west of
Europe and in America, unless it also has letters in UTF-8: then it is damaged, and refused.
"""

from __future__ import annotations

import csv
import io
import math
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice, pairwise
from operator import itemgetter
from typing import Any, BinaryIO, TypeAlias

import numpy as np

from rocbands.errors import InputError, Message, arg
from rocbands.io.columns import (
    CellError,
    Choice,
    Chunk,
    MissingCellError,
    Note,
    encode_list,
    is_missing,
    locate,
    no_rows,
    shorten,
)
from rocbands.io.engine import Engine, quote
from rocbands.io.form import Form
from rocbands.io.numbers import NumberColumn, find_decimal, find_formats
from rocbands.resample.streams import count_threads

_FIRST = 1 << 17  # bytes of the first block; a file that is no larger never waits for PyArrow
_AT_ONCE = 1 << 16  # bytes among which newlines are counted
_SIZE = 1 << 21  # bytes of every other block; with what is parsed from it, it fits the cache
_MOST_NOTES = 100  # lines that may stand above a table
_LONGEST_LINE = 1 << 26  # bytes; a longer line is not a row, but a small gzip file may hold one

Parse: TypeAlias = Callable[[bytes], Any]


@dataclass(frozen=True)
class Block:
    """Whole lines of a file."""

    line: int  # the number of the first one, from 1
    data: bytes  # the lines with their ends
    last: bool  # whether the file ends here
    source: str  # name of the file, for messages

    def decode(self) -> str:
        """Return the text."""
        return self.data.decode()

    def refuse(self, start: int) -> InputError:
        """Make the error of a byte that is not of the file's encoding."""
        line = self.line + count_breaks(self.data[:start])
        return InputError(
            f"{self.source}, line {line}: the file must be text in UTF-8",
            f"found the byte 0x{self.data[start]:02x}",
            Message("Save it again as UTF-8, or pass {} or the like.", arg("encoding", "cp1252")),
        )


def read_blocks(stream: BinaryIO, source: str, *, only_newlines: bool = False) -> Iterator[Block]:
    """Read a file, or a pipe, in blocks that end where lines end.

    With `only_newlines` a carriage return alone ends no line, as in JSON.
    """
    line, size, rest, ended = 1, _FIRST, b"", False
    while not ended:
        pieces, end = [rest], 0
        while not (end or ended):
            more = stream.read(size)
            ended = len(more) < size
            pieces.append(more)
            end = more.rfind(b"\n") + 1 if only_newlines else _last_break(more)
            if not end and sum(map(len, pieces)) > _LONGEST_LINE:
                raise InputError(
                    f"{source}, line {line}: a line must have at most {_LONGEST_LINE >> 20} MB",
                    "this one is longer",
                    "Check that the file is text, with one row on each line.",
                )
        *whole, last = pieces
        end = len(last) if ended else end
        data = b"".join([*whole, memoryview(last)[:end]])
        if data:
            yield Block(line, data, ended, source)
        rest, size = last[end:], _SIZE
        line += _count_newlines(data) if only_newlines else count_breaks(data)


def count_breaks(data: bytes) -> int:
    r"""Count line ends of any convention.

    Examples
    --------
    >>> count_breaks(b"a\nb\r\nc\rd")
    3
    """
    breaks = _count_newlines(data)
    if b"\r" in data:
        breaks += data.count(b"\r") - data.count(b"\r\n")
    return breaks


def _count_newlines(data: bytes) -> int:
    # Four times as fast as data.count, which searches for one newline after another; in pieces,
    # because new memory takes longer than what is computed in it.
    text, found, count = np.frombuffer(data, np.uint8), np.empty(_AT_ONCE, np.bool_), 0
    for start in range(0, text.size, _AT_ONCE):
        part = text[start : start + _AT_ONCE]
        count += int(np.count_nonzero(np.equal(part, ord("\n"), out=found[: part.size])))
    return count


def _last_break(data: bytes) -> int:
    """Return where the last whole line ends; after a final carriage return a newline may follow."""
    end = data.rfind(b"\n") + 1
    return max(end, data.rfind(b"\r", end, len(data) - 1) + 1)


class TextRows(ABC):
    """A file of text as rows; `form.encoding` is UTF-8 or, if it is not known, None."""

    names: list[str]  # its columns
    _first: Block  # the block of the first row

    def __init__(
        self,
        stream: BinaryIO,
        source: str,
        form: Form,
        total: int | None = None,
        path: str | None = None,
        only_newlines: bool = False,
    ) -> None:
        self.path = path
        self._source = source
        self._form = form
        self._total = total  # bytes, if that is known
        self._taken = 0  # bytes of blocks that rows came from
        self._recoded = False  # whether the file is in cp1252
        self._blocks = self._to_utf8(read_blocks(stream, source, only_newlines=only_newlines))
        self._cut: Block | None = None  # the beginning of a row that goes on in the next block

    @property
    def notes(self) -> list[Note]:
        """How the file was read, once it is."""
        if not self._recoded:
            return []
        said = "The file is not in UTF-8, and was read as cp1252 (Windows). If letters are wrong, "
        return [Note(Message("{}pass {} or the like.", said, arg("encoding", "cp1250")))]

    def _to_utf8(self, blocks: Iterator[Block]) -> Iterator[Block]:
        """Yield the blocks in UTF-8."""
        proven = self._form.encoding is not None  # whether the file is in UTF-8
        for block in blocks:
            data = block.data
            if data.isascii():
                yield block
                continue
            try:
                if not self._recoded:
                    data.decode()
                    proven = True
            except UnicodeDecodeError as problem:
                letters = not data.decode(errors="ignore").isascii()
                if proven or letters or b"\0" in data:
                    raise block.refuse(problem.start) from None
                self._recoded = True
            if self._recoded:
                try:
                    block = replace(block, data=data.decode("cp1252").encode())  # noqa: PLW2901
                except UnicodeDecodeError as problem:  # a byte that it does not have
                    raise block.refuse(problem.start) from None
            yield block

    @abstractmethod
    def is_number(self, name: str) -> bool:
        """Tell whether a column has a number in the first row."""

    @abstractmethod
    def _fast_parser(self, choice: Choice) -> Parse | None:
        """Return a function that parses the bytes of a block with PyArrow.

        It returns an Arrow table of the chosen columns, or None, or raises an ArrowException where
        PyArrow might see other rows than the careful way does.
        """

    @abstractmethod
    def _split(self, block: Block) -> Iterator[Any]:
        """Split a block into batches of rows, whose `place` gives the line of each row."""

    @abstractmethod
    def _read_cells(self, rows: Any, choice: Choice) -> Chunk:
        """Parse rows in Python; raises CellError for the first cell that cannot be used."""

    def _parse_carefully(self, block: Block, choice: Choice) -> Iterator[Chunk]:
        for rows in self._split(block):
            with locate(rows.place):
                chunk = self._read_cells(rows, choice)
            yield chunk

    def _place(self, block: Block, start: int, row: int) -> str:
        """Name the line of a row of a block, in a batch that begins at row `start`."""
        row += start
        for rows in self._split(block):
            if row < len(rows):
                return str(rows.place(row))
            row -= len(rows)
        raise AssertionError("the row is in the block")

    def guess_rows(self, rows: int) -> int:
        if self._total is None:
            return 2 * rows
        return math.ceil(1.02 * rows * self._total / self._taken)

    def chunks(self, choice: Choice) -> Iterator[Chunk]:
        # The first block is parsed alone: it shows how numbers are written, and PyArrow, which is
        # slow to import, is not needed for a file of one block.
        yield from self._take(self._first, choice)
        if not self._first.last:
            parse = self._fast_parser(choice)
            with ThreadPoolExecutor(count_threads()) as pool:
                for block, parsed in self._parse_ahead(pool, choice, parse):
                    found = parsed.result() if parsed and not self._cut else None
                    yield from self._take(block, choice, found)
        for block in self._last_cut():
            yield from self._parse_carefully(block, choice)

    def _take(
        self, block: Block, choice: Choice, found: list[Chunk] | None = None
    ) -> Iterator[Chunk]:
        """Yield the rows of a block; `found`: those that PyArrow parsed."""
        self._taken += len(block.data)
        if found is None:
            yield from self._parse_carefully(self._join_cut(block), choice)
            return
        for chunk in found:
            self._see(chunk)
            yield chunk

    def _see(self, chunk: Chunk) -> None:  # noqa: B027
        """Take note of rows that PyArrow parsed."""

    def _parse_ahead(
        self, pool: ThreadPoolExecutor, choice: Choice, parse: Parse | None
    ) -> Iterator[tuple[Block, Future[list[Chunk] | None] | None]]:
        """Yield the blocks; threads parse the next ones ahead, if the fast way applies."""
        ahead = deque[tuple[Block, Future[list[Chunk] | None] | None]]()
        most = 0 if parse is None else 2 * count_threads()  # each thread has one more waiting
        problem: Exception | None = None
        try:
            for block in self._blocks:
                work = parse and pool.submit(self._parse_fast, block, choice, parse)
                ahead.append((block, work))
                if len(ahead) > most:
                    yield ahead.popleft()
        except Exception as error:  # rows before it come first
            problem = error
        yield from ahead
        if problem is not None:
            raise problem

    def _join_cut(self, block: Block) -> Block:
        """Prepend the start of a row from the previous block."""
        cut, self._cut = self._cut, None
        return block if cut is None else replace(block, line=cut.line, data=cut.data + block.data)

    def _last_cut(self) -> Iterator[Block]:
        """Yield the start of a row that the file does not complete."""
        if self._cut is not None:
            yield replace(self._cut, last=True)

    def _parse_fast(self, block: Block, choice: Choice, parse: Parse) -> list[Chunk] | None:
        from pyarrow import ArrowException

        from rocbands.io.parquet import read_batch

        if b"\0" in block.data:
            return None
        chunks: list[Chunk] = []
        start = 0
        try:
            table = parse(block.data)
            if table is None:
                return None
            for batch in table.combine_chunks().to_batches():
                chunk = read_batch(batch, choice, partial(self._place, block, start))
                choice.refuse_missing(chunk.labels)
                chunks.append(chunk)
                start += batch.num_rows
        except (ArrowException, CellError):
            return None
        return chunks


CHUNK = 8192  # rows held as text or objects at a time
Row = list[str]


class DelimitedRows(TextRows):
    """A file of columns separated by commas, semicolons or tabs.

    `typed`: it comes from a workbook, whose cells say themselves whether they are numbers.
    """

    def __init__(
        self,
        stream: BinaryIO,
        source: str,
        form: Form,
        total: int | None = None,
        path: str | None = None,
        *,
        typed: bool = False,
    ) -> None:
        super().__init__(stream, source, form, total, path)
        self._typed = typed
        self._columns: dict[str, NumberColumn] = {}  # of numbers, by name
        blocks = map(self._join_cut, chain([self._read_header()], self._blocks))
        for block in chain(blocks, self._last_cut()):
            for rows in self._split_first(block):
                self._sample = dict(zip(self.names, rows.cells[0], strict=True))
                self._first = block
                return
        raise no_rows(source, "rows below the column names")

    def _split_first(self, block: Block) -> Iterator[_Rows]:
        """Split off the first row; if it is wider than the names, these may be notes."""
        try:
            yield from self._split(block, 1)
        except InputError:
            _refuse_notes(self._source, block, len(self.names))
            raise

    def is_number(self, name: str) -> bool:
        return bool(find_formats(self._sample[name]))

    def _read_header(self) -> Block:
        """Read the column names; return the rest of their block."""
        for block in self._blocks:
            lines = io.StringIO(block.decode(), newline="")
            above = 0  # blank lines
            line = ""
            while (line := lines.readline()) and not line.strip():
                above += 1
            if not line:
                continue
            place = f"{self._source}, line {block.line + above}"
            # Names may contain commas, but hardly tabs; Excel uses semicolons where the decimal
            # sign is a comma.
            semicolons = line.count(";") > line.count(",")
            self._delimiter = "\t" if "\t" in line else ";" if semicolons else ","
            reader = self._csv_reader(chain([line], lines))
            try:
                names = [name.strip() for name in next(reader)]
            except csv.Error as problem:
                raise _bad_quotes(place, problem) from None
            line_number = block.line + above + reader.line_num
            rest = replace(block, line=line_number, data=lines.read().encode())
            if len(names) == 1:
                _refuse_notes(self._source, rest, 1)
            _check_names(names, place)
            self.names = names
            return rest
        raise no_rows(self._source, "column names and rows", "it has only blank lines")

    def _csv_reader(self, lines: Iterator[str]) -> Any:
        return csv.reader(lines, delimiter=self._delimiter, skipinitialspace=True, strict=True)

    @property
    def notes(self) -> list[Note]:
        found = {name: column.note for name, column in self._columns.items()}
        return super().notes + [Note(note, name) for name, note in found.items() if note]

    def relation(self, engine: Engine, choice: Choice) -> Any:
        self._begin(choice)
        for _ in self._take(self._first, choice):  # which finds the decimal signs
            pass
        self._taken, self._cut = 0, None
        open_ = any(column.is_open for column in self._columns.values())
        if open_ or self.path is None or not self._is_plain():
            return None
        cells = []
        for place, name in enumerate(choice.names):
            cell = f"c{self.names.index(name)}"
            if name in choice.scores:
                cell = _write_number(cell, self._columns[name].decimal)
            cells.append(f"{cell} AS c{place}")
        kinds = ", ".join(f"'c{place}': 'VARCHAR'" for place in range(len(self.names)))
        query = (
            f"SELECT {', '.join(cells)} FROM read_csv({quote(self.path)}, columns = {{{kinds}}}, "
            f"delim = {quote(self._delimiter)}, skip = {self._first.line - 1}, header = false, "
            "auto_detect = false, quote = '\"', escape = '\"', null_padding = false, "
            "strict_mode = true, compression = 'none', hive_partitioning = false)"
        )
        return engine.select(query, again=len(choice.models) > 1)

    def read_labels(self, name: str, labels: list[Any]) -> list[Any]:
        for label in labels:
            if is_missing(label):
                raise MissingCellError(0, f"column {name!r} must contain a label in every row", "")
        return labels

    def _is_plain(self) -> bool:
        """Tell whether DuckDB sees the rows of the file that the csv module sees."""
        delimiter = self._delimiter.encode()
        # A separator at the end of a row, and a quote that closes before a blank.
        odd = [b"\0", delimiter + b"\n", delimiter + b"\r", b'" ']
        if delimiter != b"\t":
            odd.append(b'"\t')
        with open(self.path or "", "rb") as file, suppress(UnicodeDecodeError):
            while data := file.read(_SIZE) + file.readline(_LONGEST_LINE):
                if b"\r" in data:
                    ends = {_count_newlines(data), data.count(b"\r"), data.count(b"\r\n")}
                    odd += [data] if len(ends) > 1 else []
                if any(sign in data for sign in odd) or data.endswith(delimiter):
                    return False
                if not data.isascii():
                    data.decode()
            return True
        return False

    def _begin(self, choice: Choice) -> None:
        self._columns = {
            name: NumberColumn(name, self._form.decimal, scores=name in choice.models)
            for name in choice.scores
        }

    def chunks(self, choice: Choice) -> Iterator[Chunk]:
        self._begin(choice)
        waiting: list[Chunk] = []  # for the decimal sign
        for chunk in super().chunks(choice):
            waiting.append(chunk)
            if not any(column.is_open for column in self._columns.values()):
                yield from waiting
                waiting.clear()
        for column in self._columns.values():
            separator = "" if self._typed else self._delimiter
            column.finish(separator, partial(self._find_decimals, column.name))
        yield from waiting

    def _find_decimals(self, name: str) -> set[str]:
        """Return the decimal signs of the other columns, in the first block."""
        if self._typed:
            return set()
        rows = [cells for part in self._split(self._first) for cells in part.cells]
        columns = zip(self.names, zip(*rows, strict=True), strict=True)
        found = {find_decimal(cells) for other, cells in columns if other != name}
        return {sign for sign in found if sign is not None}

    def _see(self, chunk: Chunk) -> None:
        for name, numbers in chunk.scores.items():
            self._columns[name].add(numbers)

    def _fast_parser(self, choice: Choice) -> Parse | None:
        try:
            import pyarrow as pa
            import pyarrow.compute as pc
            from pyarrow import csv as arrow_csv
        except ImportError:
            return None
        # Columns by position, because unused names may occur twice.
        names = [str(index) for index in range(len(self.names))]
        wanted = {str(self.names.index(name)): name for name in choice.names}
        # A block at once, in the thread that asks.
        read = arrow_csv.ReadOptions(column_names=names, use_threads=False, block_size=1 << 30)
        parse = arrow_csv.ParseOptions(delimiter=self._delimiter, newlines_in_values=True)
        unquoted = arrow_csv.ParseOptions(delimiter=self._delimiter, quote_char=False)

        def run(data: bytes) -> Any:
            quoted = b'"' in data
            if quoted and not self._quotes_enclose_cells(data):
                return None
            # The main thread finds decimal signs meanwhile.
            signs = {name: self._columns[name].decimal for name in choice.scores}
            known = {sign for sign in signs.values() if sign is not None}
            if len(known) > 1:
                return None
            # Whole numbers are the same with any sign; PyArrow also reads them in base 16.
            types = {name: pa.float64() if sign else pa.int64() for name, sign in signs.items()}
            kinds = {index: types.get(name, pa.string()) for index, name in wanted.items()}
            if pa.int64() in types.values() and (b"0x" in data or b"0X" in data):
                return None
            convert = arrow_csv.ConvertOptions(
                column_types=kinds,
                include_columns=list(wanted),
                null_values=[],
                strings_can_be_null=False,
                check_utf8=False,  # which every block is
                decimal_point=next(iter(known), "."),
            )
            options = parse if quoted else unquoted
            table = arrow_csv.read_csv(pa.py_buffer(data), read, options, convert)
            for place, name in enumerate(wanted.values()):
                if types.get(name) == pa.int64():
                    numbers = pc.cast(table.column(place), pa.float64())
                    table = table.set_column(place, name, numbers)
            return table.rename_columns(list(wanted.values()))

        return run

    def _quotes_enclose_cells(self, data: bytes) -> bool:
        """Tell whether each quote starts or ends a cell, so that all parsers agree.

        Quotes come in pairs: a separator is before the first and behind the second. Quotes inside
        cells, blanks beside quotes and a cell that goes on in the next block are left to the
        careful way.
        """
        text = np.frombuffer(b"\n" + data + b"\n", np.uint8)
        quotes = np.flatnonzero(text == ord('"'))
        ends = np.frombuffer(f"\r\n{self._delimiter}".encode(), np.uint8)
        before, behind = text[quotes[0::2] - 1], text[quotes[1::2] + 1]
        paired = quotes.size % 2 == 0
        return paired and bool(np.isin(before, ends).all() and np.isin(behind, ends).all())

    def _read_cells(self, rows: _Rows, choice: Choice) -> Chunk:
        places = {name: at for at, name in reversed(list(enumerate(self.names)))}

        def column(name: str) -> list[str]:
            return list(map(itemgetter(places[name]), rows.cells))

        scores = {
            name: self._columns[name].parse(column(name), rows.place, choice.missing)
            for name in choice.scores
        }
        labels = {name: encode_list(column(name)) for name in (choice.label, *choice.keys)}
        choice.refuse_missing(labels)
        return Chunk(scores, labels, rows.place)

    def _split(self, block: Block, at_once: int = CHUNK) -> Iterator[_Rows]:
        """Split a block into rows of cells, all equally many, without blank lines."""
        reader = self._csv_reader(io.StringIO(block.decode(), newline=""))
        problem: csv.Error | None = None
        while problem is None:
            start, raw = block.line + reader.line_num, list[Row]()
            try:
                # Rows read before an error stay in the list, which locates the error.
                raw.extend(islice(reader, at_once))
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
        """Continue a row that is cut at the end of the block in the next; refuse other problems."""
        if block.last or "unexpected end of data" not in str(problem):
            raise _bad_quotes(f"{self._source}, line {line}", problem)
        whole = islice(io.StringIO(block.decode(), newline=""), line - block.line)
        end = sum(len(text.encode()) for text in whole)
        self._cut = replace(block, line=line, data=block.data[end:])


@dataclass(frozen=True)
class _Rows:
    """Rows of cells, with the line on which each starts."""

    source: str  # name of the file
    line: int  # the line on which the first one begins
    raw: list[Row]  # the rows with and without blank lines
    cells: list[Row]

    def __len__(self) -> int:
        return len(self.cells)

    def place(self, row: int) -> str:
        """Say on which line a row begins."""
        lines = (line for line, cells in self._number_lines() if not _is_blank(cells))
        return f"{self.source}, line {next(islice(lines, row, None))}"

    def next_line(self) -> int:
        """Return the line behind the last row."""
        *_, (line, _) = self._number_lines([])
        return line

    def _number_lines(self, *more: Row) -> Iterator[tuple[int, Row]]:
        line = self.line
        for row in chain(self.raw, more):
            yield line, row
            line += 1 + sum(count_breaks(cell.encode()) for cell in row)

    def check_widths(self, width: int) -> None:
        """Refuse the first row that has more or fewer cells than there are columns."""
        for row, cells in enumerate(self.cells):
            if len(cells) != width:
                raise InputError(
                    f"{self.place(row)}: every row must have {width} cells, as the first line has",
                    f"found {len(cells)}",
                    "Correct that row, or quote cells that contain the separator.",
                )


def _write_number(cell: str, decimal: str | None) -> str:
    """Write the number of a cell in SQL, null if it may be another one by the rules of numbers."""
    signs = {".": "_,", ",": "_.", None: "_.,"}[decimal]
    plain = " AND ".join(f"NOT contains({cell}, '{sign}')" for sign in signs)
    text = f"replace({cell}, ',', '.')" if decimal == "," else cell
    return f"CASE WHEN {plain} THEN TRY_CAST({text} AS DOUBLE) END"


def _is_blank(row: Row) -> bool:
    return len(row) < 2 and not "".join(row).strip()


def _refuse_notes(source: str, block: Block, width: int) -> None:
    """Refuse notes above a table: names of more than `width` columns come further down."""
    lines = block.decode().splitlines()[:_MOST_NOTES]
    filled = [(number, line) for number, line in enumerate(lines, block.line) if line.strip()]
    for (number, line), (_, following) in pairwise(filled):
        for delimiter in ",;\t":
            names, cells = line.split(delimiter), following.split(delimiter)
            if len(names) == len(cells) > width and not _has_number(names) and _has_number(cells):
                raise InputError(
                    f"{source}: the first line must name the columns",
                    f"their names seem to be on line {number}: {shorten(line)}",
                    "Remove the lines above the names of the columns.",
                )


def _has_number(cells: Row) -> bool:
    return any(find_formats(cell.strip('"')) for cell in cells)


def _check_names(names: Row, place: str) -> None:
    if any("\0" in name for name in names):
        raise InputError(
            f"{place}: the file must be text in UTF-8",
            "it contains NUL bytes, as UTF-16 and binary files do",
            Message("Save it again as UTF-8, or pass {}.", arg("encoding", "utf-16-le")),
        )
    if all(map(find_formats, names)):
        raise InputError(
            f"{place}: the first line must name the columns",
            f"it has the numbers {shorten(','.join(names))}",
            "Put a line such as label,score above them.",
        )
    if len(names) == 1:
        raise InputError(
            f"{place}: labels and scores must be columns separated by commas, semicolons or tabs",
            f"found one column only, {shorten(names[0])}",
            "Save the file again with commas.",
        )


def _bad_quotes(place: str, problem: csv.Error) -> InputError:
    if "field larger than" in str(problem):
        return InputError(
            f"{place}: a cell must have at most {csv.field_size_limit():,} characters",
            "one of this row has more",
            "Leave that column out, or separate the cells; if it begins with a quote, close it.",
        )
    return InputError(
        f"{place}: every quote that opens must close, before the next separator",
        f"this row's do not ({problem})",
        "Correct the quotes.",
    )
