"""JSON lines: one object for each row; unused keys may differ between rows."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, BinaryIO

import numpy as np

from rocbands.core.checks import FloatArray
from rocbands.errors import InputError
from rocbands.io.columns import (
    CellError,
    Choice,
    Chunk,
    MissingCellError,
    NumberCellError,
    encode_list,
    is_missing,
    refuse_nan,
    wrong_cell,
)
from rocbands.io.engine import Engine, quote
from rocbands.io.form import Form
from rocbands.io.numbers import find_formats
from rocbands.io.text import CHUNK, Block, Parse, TextRows

_INFINITE = {"inf": math.inf, "-inf": -math.inf}  # JSON has no infinity; our own JSON writes these
_NUMBERS = {int, float}
_KINDS: dict[type, str] = {bool: "true or false", int: "numbers", float: "numbers", str: "text"}


class JsonRows(TextRows):
    """A file of JSON lines."""

    def __init__(
        self,
        stream: BinaryIO,
        source: str,
        form: Form,
        total: int | None = None,
        path: str | None = None,
    ) -> None:
        super().__init__(stream, source, form, total, path, only_newlines=True)
        self._first = next(block for block in self._blocks if block.data.strip())
        first = next(self._split(self._first)).lines[:1]
        (self._sample,) = _Lines(source, first).read_objects()
        # A dictionary drops duplicate keys, so the first row is parsed once more.
        pairs = json.loads(first[0][1], object_pairs_hook=lambda found: found)
        self.names = [name for name, _ in pairs]

    def is_number(self, name: str) -> bool:
        return type(self._sample[name]) in _NUMBERS

    def relation(self, engine: Engine, choice: Choice) -> Any:
        # As JSON, because DuckDB would take the number in "0.5", with quotes, for one.
        kinds = ", ".join(f"{quote(name)}: 'JSON'" for name in choice.names)
        cells = []
        for place, name in enumerate(choice.names):
            column = quote(name, '"')
            cell = f"CAST({column} AS VARCHAR)"
            if name in choice.scores:
                number = f"TRY_CAST({cell} AS DOUBLE)"
                cell = f"CASE WHEN NOT isinf({number}) THEN {number} END"
            cells.append(f"{cell} AS c{place}")
        query = (
            f"SELECT {', '.join(cells)} FROM read_json({quote(self.path or '')}, "
            f"columns = {{{kinds}}}, "
            "format = 'newline_delimited', compression = 'none', hive_partitioning = false)"
        )
        return engine.select(query, again=len(choice.models) > 1)

    def read_labels(self, name: str, labels: list[Any]) -> list[Any]:
        values = list(map(json.loads, labels))
        _check_kinds(values, type(self._sample[name]), name)
        return values

    def _fast_parser(self, choice: Choice) -> Parse | None:
        try:
            import pyarrow as pa
            import pyarrow.compute as pc
            from pyarrow import json as arrow_json
        except ImportError:
            return None
        types = {bool: pa.bool_(), int: pa.int64(), float: pa.float64(), str: pa.string()}
        kinds = {name: types.get(type(self._sample[name])) for name in choice.names}
        kinds |= dict.fromkeys(choice.scores, pa.float64())
        if None in kinds.values():
            return None
        options = arrow_json.ParseOptions(
            explicit_schema=pa.schema(kinds), unexpected_field_behavior="ignore"
        )

        def run(data: bytes) -> Any:
            data = data.replace(b"\r\n", b"\n").removesuffix(b"\n")
            # PyArrow ignores line ends; here each line must be one object. In JSON, } and { are
            # separated by a comma unless one object ends and the next begins.
            rows = data.count(b"}\n{") + 1
            if data.count(b"\n") + 1 != rows or data[:1] != b"{":
                return None
            table = arrow_json.read_json(pa.BufferReader(data), parse_options=options)
            # PyArrow turns integers beyond the range of floats into infinity; here they are
            # refused.
            infinite = any(pc.any(pc.is_inf(table[name])).as_py() for name in choice.scores)
            return table if table.num_rows == rows and not infinite else None

        return run

    def _split(self, block: Block) -> Iterator[_Lines]:
        numbered = enumerate(block.data.split(b"\n"), start=block.line)
        filled = ((line, text) for line, text in numbered if text.strip())
        while lines := list(islice(filled, CHUNK)):
            yield _Lines(self._source, lines)

    def _read_cells(self, rows: _Lines, choice: Choice) -> Chunk:
        objects = rows.read_objects()
        scores = {
            name: _read_numbers(_take_values(objects, name, choice.missing), name, choice.missing)
            for name in choice.scores
        }
        labels = {}
        for name in (choice.label, *choice.keys):
            lacks = choice.may_lack(name)
            values = _take_values(objects, name, lacks)
            there = [value for value in values if not (lacks and is_missing(value))]
            if there:
                kind = self._sample[name]
                _check_kinds(there, type(there[0] if is_missing(kind) else kind), name)
            labels[name] = encode_list(values)
            choice.refuse_missing({name: labels[name]})
        return Chunk(scores, labels, rows.place)


@dataclass(frozen=True)
class _Lines:
    """Lines with their numbers, without blank ones."""

    source: str
    lines: list[tuple[int, bytes]]

    def __len__(self) -> int:
        return len(self.lines)

    def place(self, row: int) -> str:
        """Say on which line an object is."""
        return f"{self.source}, line {self.lines[row][0]}"

    def read_objects(self) -> list[dict[str, Any]]:
        """Parse the object of each line; refuse the first line that is not one."""
        texts = [text for _, text in self.lines]
        try:
            # One call for the whole chunk takes half the time of one call for each line.
            objects = json.loads(b"[" + b",".join(texts) + b"]")
        except (ValueError, RecursionError):
            objects = []
        if len(objects) == len(texts) and set(map(type, objects)) == {dict}:
            return list(objects)
        return [_read_object(line, text, self.source) for line, text in self.lines]


def _read_object(line: int, text: bytes, source: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if isinstance(found, dict):
        return found
    raise InputError(
        f"{source}, line {line}: every line must be one whole JSON object",
        f"found {_cut(text.decode(errors='replace').strip())}",
        "Write one object on each line.",
    )


def _take_values(objects: list[dict[str, Any]], column: str, missing: bool) -> list[Any]:
    if missing:
        return [found.get(column) for found in objects]
    try:
        return [found[column] for found in objects]
    except KeyError:
        row = next(row for row, found in enumerate(objects) if column not in found)
        must = f"column {column!r} must be in every row"
        raise MissingCellError(row, must, "this one lacks it") from None


def _read_numbers(values: list[Any], column: str, missing: bool) -> FloatArray:
    if missing:
        values = [math.nan if is_missing(value) else value for value in values]
    if not set(map(type, values)) <= _NUMBERS:
        values = [_read_number(row, value, column) for row, value in enumerate(values)]
    try:
        numbers = np.array(values, dtype=np.float64)
    except OverflowError:
        row = next(row for row, v in enumerate(values) if isinstance(v, int) and abs(v) >= 2**1023)
        found = f"found {_show_json(values[row])}"
        raise CellError(row, f"column {column!r} must be a number below 1e308", found) from None
    if not missing:
        refuse_nan(numbers, column)
    return numbers


def _read_number(row: int, value: Any, column: str) -> float:
    if isinstance(value, str) and value in _INFINITE:
        return _INFINITE[value]
    if type(value) not in _NUMBERS:
        must, found = f"column {column!r} must be a number", f"found {_show_json(value)}"
        if isinstance(value, str) and find_formats(value):
            raise NumberCellError(row, must, found, "Write numbers without quotes.")
        raise wrong_cell(value, row, must, found)
    return value  # type: ignore[no-any-return]


def _check_kinds(labels: Sequence[Any], kind: type, column: str) -> None:
    allowed = _NUMBERS if kind in _NUMBERS else {kind}
    if set(map(type, labels)) <= allowed and kind in _KINDS:
        return
    row = next(row for row, v in enumerate(labels) if type(v) not in allowed & set(_KINDS))
    found = f"found {_show_json(labels[row])}"
    if type(labels[row]) not in _KINDS:
        must = f"column {column!r} must contain a label in every row"
        raise wrong_cell(labels[row], row, must, found)
    raise CellError(
        row,
        f"column {column!r} must contain labels of one kind, and it began with {_KINDS[kind]}",
        found,
        "Write all labels alike.",
    )


def _show_json(value: object) -> str:
    return _cut(json.dumps(value, ensure_ascii=False))


def _cut(text: str, most: int = 40) -> str:
    return text if len(text) <= most else f"{text[: most - 3]}..."
