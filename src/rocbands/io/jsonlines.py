"""JSON lines: one object for each row."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, BinaryIO

import numpy as np

from rocbands.core.checks import FloatArray
from rocbands.errors import InputError
from rocbands.io.cells import ADVICE, CellError, refuse_nan
from rocbands.io.columns import Choice, Gathering, ScoreTable, Wanted

__all__ = ["read_json_lines"]

_CHUNK = 4096  # rows held as objects at a time
_INFINITE = {"inf": math.inf, "-inf": -math.inf}  # JSON has no infinity; our own JSON writes these
_NUMBERS = {int, float}
_KINDS: dict[type, str] = {bool: "true or false", int: "numbers", float: "numbers", str: "text"}


@dataclass(frozen=True)
class _Chunk:
    """Rows, and the line on which each stands."""

    lines: list[int]
    texts: list[bytes]
    records: list[dict[str, Any]]


def read_json_lines(stream: BinaryIO, wanted: Wanted) -> ScoreTable:
    """Read one JSON object for each line; keys that were not asked for may come and go.

    Parameters
    ----------
    stream : binary file
        Text in UTF-8; its first character is a brace.
    wanted : Wanted
        The columns asked for.
    """
    chunks = _chunks(stream, wanted.source)
    first = next(chunks)
    sample = first.records[0]
    # A dictionary has lost the names that occur twice, so the first row is read once more.
    columns = json.loads(
        first.texts[0], object_pairs_hook=lambda pairs: [name for name, _ in pairs]
    )
    choice = wanted.choose(columns, lambda name: type(sample[name]) in _NUMBERS)
    gathering = wanted.gather(choice, wanted.source)
    for chunk in chain([first], chunks):
        try:
            _gather(chunk.records, choice, sample, gathering)
            gathering.end_chunk()
        except CellError as bad:
            raise InputError(f"{wanted.source}, line {chunk.lines[bad.row]}: {bad}") from None
    return gathering.table()


def _chunks(stream: BinaryIO, source: str) -> Iterator[_Chunk]:
    passed = 0
    while block := list(islice(stream, _CHUNK)):
        if passed == 0:
            block[0] = block[0].removeprefix(b"\xef\xbb\xbf")
        lines = [passed + row for row, text in enumerate(block, start=1) if text.strip()]
        texts = [text for text in block if text.strip()]
        if texts:
            yield _Chunk(lines, texts, _records(lines, texts, source))
        passed += len(block)


def _records(lines: list[int], texts: list[bytes], source: str) -> list[dict[str, Any]]:
    try:
        # One call for the whole chunk takes half the time of one call for each line.
        records = json.loads(b"[" + b",".join(texts) + b"]")
    except (ValueError, RecursionError):
        records = []
    if len(records) == len(texts) and set(map(type, records)) == {dict}:
        return list(records)
    return [
        _record(text, f"{source}, line {line}") for line, text in zip(lines, texts, strict=True)
    ]


def _record(text: bytes, place: str) -> dict[str, Any]:
    try:
        record = json.loads(text)
    except UnicodeDecodeError as problem:
        raise InputError(
            f"{place}: the file must be text in UTF-8; found the byte "
            f"0x{text[problem.start]:02x}. Save it again as UTF-8."
        ) from None
    except (ValueError, RecursionError):
        record = None
    if isinstance(record, dict):
        return record
    raise InputError(
        f"{place}: every line must be one whole JSON object; found "
        f"{_cut(text.decode(errors='replace').strip())}. Write one object on each line."
    )


def _gather(
    records: list[dict[str, Any]],
    choice: Choice,
    sample: dict[str, Any],
    gathering: Gathering,
) -> None:
    for name in choice.scores:
        gathering.add(name, _numbers(_values(records, name), name))
    for name, column in gathering.labels.items():
        labels = _values(records, name)
        _check_kinds(labels, type(sample[name]), name)
        column.add(labels)


def _values(records: list[dict[str, Any]], column: str) -> list[Any]:
    try:
        return [record[column] for record in records]
    except KeyError:
        row = next(row for row, record in enumerate(records) if column not in record)
        raise CellError(
            row, f"column {column!r} must be in every row; this one lacks it. {ADVICE}"
        ) from None


def _numbers(values: list[Any], column: str) -> FloatArray:
    if not set(map(type, values)) <= _NUMBERS:
        values = [_number(row, value, column) for row, value in enumerate(values)]
    try:
        numbers = np.array(values, dtype=np.float64)
    except OverflowError:
        row = next(row for row, v in enumerate(values) if isinstance(v, int) and abs(v) >= 2**1023)
        raise CellError(
            row,
            f"column {column!r} must be a number below 1e308; found {_json(values[row])}. {ADVICE}",
        ) from None
    refuse_nan(numbers, column)
    return numbers


def _number(row: int, value: Any, column: str) -> float:
    if isinstance(value, str) and value in _INFINITE:
        return _INFINITE[value]
    if type(value) not in _NUMBERS:
        raise CellError(row, f"column {column!r} must be a number; found {_json(value)}. {ADVICE}")
    return value  # type: ignore[no-any-return]


def _check_kinds(labels: Sequence[Any], kind: type, column: str) -> None:
    allowed = _NUMBERS if kind in _NUMBERS else {kind}
    if set(map(type, labels)) <= allowed and kind in _KINDS:
        return
    row = next(row for row, v in enumerate(labels) if type(v) not in allowed & set(_KINDS))
    found = labels[row]
    if type(found) not in _KINDS:
        problem = f"must hold a label in every row; found {_json(found)}. {ADVICE}"
    else:
        problem = (
            f"must hold labels of one kind, and it began with {_KINDS[kind]}; "
            f"found {_json(found)}. Write all labels alike."
        )
    raise CellError(row, f"column {column!r} {problem}")


def _json(value: object) -> str:
    return _cut(json.dumps(value, ensure_ascii=False))


def _cut(text: str, most: int = 40) -> str:
    return text if len(text) <= most else f"{text[: most - 3]}..."
