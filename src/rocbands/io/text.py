"""Rows of text, in blocks of whole lines.

PyArrow parses a block at once, many times as fast as Python. It does so where nothing needs
judgement; any other block, and all of them where PyArrow is not installed, goes through Python's
own csv or json module, cell by cell. Both ways give the same rows, and all messages come from the
careful one: a bad cell is found by a second look at its block.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, BinaryIO, TypeAlias

import numpy as np

from rocbands.errors import InputError
from rocbands.io.cells import CellError, Chunk, refuse_missing
from rocbands.io.columns import Choice

__all__ = ["Block", "LineBlocks", "TextRows", "count_breaks"]

_FIRST = 1 << 17  # bytes of the first block; a file that is no larger never waits for PyArrow
_SIZE = 1 << 22  # bytes of every other block
_LONGEST_LINE = 1 << 26  # bytes; a longer line is no row, and a few megabytes of gzip can make one

Parse: TypeAlias = Callable[[bytes], Any]


@dataclass(frozen=True)
class Block:
    """Whole lines of a file.

    Attributes
    ----------
    line : int
        The number of the first one, from 1.
    data : bytes
        The lines with their ends.
    last : bool
        Whether the file ends here.
    source : str
        Name of the file, for messages.
    """

    line: int
    data: bytes
    last: bool
    source: str

    def decode(self) -> str:
        """Return the text, or refuse the first byte that is not UTF-8."""
        try:
            return self.data.decode()
        except UnicodeDecodeError as problem:
            line = self.line + count_breaks(self.data[: problem.start])
            raise InputError(
                f"{self.source}, line {line}: the file must be text in UTF-8",
                f"found the byte 0x{self.data[problem.start]:02x}",
                "Save it again as UTF-8.",
            ) from None


class LineBlocks:
    """Reads a file in blocks that end where lines end.

    Parameters
    ----------
    stream : binary file
        Read from front to back; a pipe will do.
    source : str
        Name of the file, for messages.
    only_newlines : bool
        Whether a carriage return alone ends no line, as in JSON.
    """

    def __init__(self, stream: BinaryIO, source: str, only_newlines: bool) -> None:
        self._stream = stream
        self._source = source
        self._only_newlines = only_newlines
        self._line = 1
        self._size = _FIRST
        self._rest = b""
        self._ended = False

    def __iter__(self) -> Iterator[Block]:
        return self

    def __next__(self) -> Block:
        pieces, end = [self._rest], 0
        while not (end or self._ended):
            more = self._stream.read(self._size)
            self._ended = len(more) < self._size
            pieces.append(more)
            end = more.rfind(b"\n") + 1 if self._only_newlines else _last_break(more)
            if not end and sum(map(len, pieces)) > _LONGEST_LINE:
                raise InputError(
                    f"{self._source}, line {self._line}: a line must have at most "
                    f"{_LONGEST_LINE >> 20} MB",
                    "this one is longer",
                    "Check that the file is text, with one row on each line.",
                )
        *whole, last = pieces
        if self._ended:
            end = len(last)
        block = Block(
            self._line, b"".join([*whole, memoryview(last)[:end]]), self._ended, self._source
        )
        if not block.data:
            raise StopIteration
        self._rest = last[end:]
        self._line += self._count(block.data)
        self._size = _SIZE
        return block

    def put_back(self, block: Block, end: int) -> None:
        """Return what is behind `end` in the latest block: a row that goes on in the next."""
        tail = block.data[end:]
        self._line -= self._count(tail)
        self._rest = tail + self._rest

    def _count(self, data: bytes) -> int:
        return _count_newlines(data) if self._only_newlines else count_breaks(data)


def count_breaks(data: bytes) -> int:
    r"""Count the ends of lines, whatever the system that wrote them.

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
    # Four times as fast as data.count, which searches for one newline after another.
    return int(np.count_nonzero(np.frombuffer(data, np.uint8) == ord("\n")))


def _last_break(data: bytes) -> int:
    """Return where the last whole line ends; what ends with a carriage return may go on."""
    end = data.rfind(b"\n") + 1
    return max(end, data.rfind(b"\r", end, len(data) - 1) + 1)


class TextRows(ABC):
    """A file of text as rows.

    Attributes
    ----------
    names : list of str
        Its columns.
    """

    names: list[str]

    def __init__(self, stream: BinaryIO, source: str, only_newlines: bool = False) -> None:
        self._source = source
        self._blocks = LineBlocks(stream, source, only_newlines)
        self._begun: list[Block] = []  # read already, to see the columns

    @abstractmethod
    def is_number(self, name: str) -> bool:
        """Tell whether a column holds a number in the first row."""

    @abstractmethod
    def _fast_parser(self, choice: Choice) -> Parse | None:
        """Return a function that parses the bytes of a block with PyArrow.

        It returns an Arrow table of the chosen columns, or None, or raises an ArrowException where
        PyArrow might see other rows than the careful way does.
        """

    @abstractmethod
    def _parse_carefully(self, block: Block, choice: Choice) -> Iterator[Chunk]:
        """Parse a block in Python; raises for the first cell that cannot be used."""

    @abstractmethod
    def _line_of(self, block: Block, row: int) -> int:
        """Return the line on which a row of a block begins."""

    def _open_blocks(self) -> Iterator[Block]:
        """Return the blocks of rows from the first on."""
        while self._begun:
            yield self._begun.pop(0)
        yield from self._blocks

    def chunks(self, choice: Choice) -> Iterator[Chunk]:
        """Read the rows, once."""
        parse: Parse | None = None
        for place, block in enumerate(self._open_blocks()):
            if place == 1:  # the first is parsed before PyArrow, which takes a while, is loaded
                parse = self._fast_parser(choice)
            found = None if parse is None else self._parse_fast(block, choice, parse)
            yield from self._parse_carefully(block, choice) if found is None else found

    def _parse_fast(self, block: Block, choice: Choice, parse: Parse) -> list[Chunk] | None:
        from pyarrow import ArrowException

        from rocbands.io.parquet import read_batch

        if b"\0" in block.data:
            return None
        if not block.data.isascii():
            block.decode()
        chunks: list[Chunk] = []
        start = 0
        try:
            table = parse(block.data)
            if table is None:
                return None
            for batch in table.combine_chunks().to_batches():
                chunk = read_batch(batch, choice, partial(self._place, block, start))
                for name, encoded in chunk.labels.items():
                    refuse_missing(encoded, name)
                chunks.append(chunk)
                start += batch.num_rows
        except (ArrowException, CellError):
            return None
        return chunks

    def _place(self, block: Block, start: int, row: int) -> str:
        return f"{self._source}, line {self._line_of(block, start + row)}"
