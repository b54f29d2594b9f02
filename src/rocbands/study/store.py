"""The store of a study: a file of finished blocks that is only appended to.

Each line is one block with a checksum. A line that was cut off when the machine stopped is ignored;
its block is measured again, with the same numbers, because a random stream depends on nothing but
the study, the cell and the replicate.
"""

from __future__ import annotations

import json
import os
import sys
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from rocbands.errors import InputError, arg
from rocbands.study.spec import Block

_FORMAT = "rocbands.study/1"

Number: TypeAlias = float | list[float]


@dataclass(frozen=True)
class Sums:
    """Sums over the replicates of a block: of each number, and of its square."""

    n: int
    total: Mapping[str, Number]
    squares: Mapping[str, Number]


@dataclass(frozen=True)
class Record:
    """A finished block."""

    block: Block
    sums: Sums
    seconds: float

    def line(self) -> str:
        """Return the record as a line of text, with its checksum."""
        sums = {"total": self.sums.total, "squares": self.sums.squares}
        return _seal({**self.block._asdict(), **sums, "seconds": round(self.seconds, 3)})

    @classmethod
    def from_fields(cls, fields: Mapping[str, Any]) -> Record | None:
        """Read what :meth:`line` wrote; None if these are not the fields of a record.

        A checksum shows that a line is complete, not that it is a record: each field is checked.
        """
        values: list[Any] = [fields.get(name) for name in _FIELDS]
        cell, start, stop, total, squares, seconds = values
        whole = all(type(place) is int for place in (start, stop))
        if not (isinstance(cell, str) and whole and 0 <= start < stop and _is_number(seconds)):
            return None
        if not _find_shape(total) or _find_shape(total) != _find_shape(squares):
            return None
        return cls(Block(cell, start, stop), Sums(stop - start, total, squares), seconds)


_FIELDS = ("cell", "start", "stop", "total", "squares", "seconds")


def _is_number(value: object) -> bool:
    # The comparison works for integers beyond the range of floats, and is False for NaN.
    return type(value) in (int, float) and abs(value) <= sys.float_info.max  # type: ignore[arg-type]


def _find_shape(sums: object) -> dict[str, int | None]:
    """Return the name of each sum and the length of its list; empty unless all are numbers."""
    if not isinstance(sums, dict):
        return {}
    lists = [value if isinstance(value, list) else [value] for value in sums.values()]
    if not all(_is_number(value) for values in lists for value in values):
        return {}
    return {name: len(value) if isinstance(value, list) else None for name, value in sums.items()}


def _seal(fields: Mapping[str, Any]) -> str:
    text = json.dumps(fields, separators=(",", ":"), allow_nan=False)
    return f"{zlib.crc32(text.encode()):08x} {text}\n"


def _open_line(line: str) -> dict[str, Any] | None:
    """Return the fields of a line, none if it has something else, or None if it is not whole."""
    seal, _, text = line.rstrip("\n").partition(" ")
    if not line.endswith("\n") or f"{zlib.crc32(text.encode()):08x}" != seal:
        return None
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return fields if isinstance(fields, dict) else {}


@dataclass
class Store:
    """Finished blocks of a study, in memory or also in a file.

    Parameters
    ----------
    path : Path or None
        The file, created if missing. None keeps everything in memory.
    seed : int
        Seed of the study; a file made with another seed is refused.
    """

    path: Path | None
    seed: int
    records: dict[Block, Record] = field(default_factory=dict)
    torn: int = 0

    def __post_init__(self) -> None:
        if self.path is not None and self.path.exists() and self.path.stat().st_size:
            self._read(self.path)

    def _read(self, path: Path) -> None:
        try:
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True)
        except OSError as problem:
            raise InputError(f"The store {path} cannot be read: {problem.strerror}.") from problem
        head = _open_line(lines[0])
        if head is None or head.get("format") != _FORMAT or type(head.get("seed")) is not int:
            raise InputError(
                f"{path} is not a store of a study. Choose another file, or remove it."
            )
        if head["seed"] != self.seed:
            raise InputError(
                f"The store {path} was made with seed {head['seed']}, not {self.seed}. "
                f"Pass {arg('seed', head['seed'])}, or another file."
            )
        for place, line in enumerate(lines[1:], start=2):
            fields = _open_line(line)
            if fields is None:
                self.torn += 1
                continue
            record = Record.from_fields(fields)
            if record is None:
                raise InputError(
                    f"Line {place} of the store {path} is whole, but it is no record of a study: "
                    "something else wrote it. Remove that line, or choose another file."
                )
            self.records.setdefault(record.block, record)

    @property
    def done(self) -> frozenset[Block]:
        """Blocks that need not be measured again."""
        return frozenset(self.records)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Lock the file for this process while blocks are added."""
        if self.path is None:
            yield
            return
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            file = self.path.open("a+b")
        except OSError as problem:
            raise InputError(
                f"The store {self.path} cannot be written: {problem.strerror}. "
                "Choose another folder."
            ) from problem
        with file:
            _lock(file, self.path)
            end = file.seek(0, os.SEEK_END)
            if end == 0:
                file.write(_seal({"format": _FORMAT, "seed": self.seed}).encode())
            else:
                file.seek(end - 1)
                if file.read(1) != b"\n":
                    file.write(b"\n")  # keep the next record off the line that was cut off
            self._flush(file)
            self._file = file
            try:
                yield
            finally:
                del self._file

    def add(self, record: Record) -> None:
        """Add a finished block; it is on the disk when this returns."""
        if record.block in self.records:
            return
        if self.path is not None:
            self._file.write(record.line().encode())
            self._flush(self._file)
        self.records[record.block] = record

    @staticmethod
    def _flush(file: Any) -> None:
        file.flush()
        os.fsync(file.fileno())

    def export(self) -> str:
        """All blocks as text, sorted and without timings: equal for equal studies."""
        rows = (
            {**block._asdict(), **vars(record.sums)}
            for block, record in sorted(self.records.items())
        )
        return "".join(
            json.dumps(row, sort_keys=True, separators=(",", ":"), default=dict) + "\n"
            for row in rows
        )


def _lock(file: Any, path: Path) -> None:
    try:
        import fcntl
    except ImportError:  # not on this system; two runs at once are then the user's to avoid
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as problem:
        raise InputError(
            f"Another run is writing the store {path}. Wait for it, or choose another file."
        ) from problem
