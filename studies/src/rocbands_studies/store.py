"""The store of a study: a file of finished blocks that is only appended to.

Each line is one block with a checksum. A line that was cut off when the machine stopped is ignored;
its block is measured again, with the same numbers, because a random stream depends on nothing but
the study, the cell and the replicate.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from rocbands.errors import InputError, Message, arg
from rocbands_studies.spec import Block

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
        if not (isinstance(cell, str) and whole and 0 <= start < stop <= _MOST_REPLICATES):
            return None
        if not _is_number(seconds) or not _are_sums(stop - start, total, squares):
            return None
        return cls(Block(cell, start, stop), Sums(stop - start, total, squares), seconds)


_FIELDS = ("cell", "start", "stop", "total", "squares", "seconds")


LARGEST = 1e100  # of a measured number, so that no sum of squares overflows
_MOST_REPLICATES = 10**15


def _is_number(value: object, most: float = sys.float_info.max) -> bool:
    # The comparison works for integers beyond the range of floats, and is False for NaN.
    return type(value) in (int, float) and abs(value) <= most  # type: ignore[arg-type]


def _are_sums(n: int, total: object, squares: object) -> bool:
    """Tell whether two mappings can be the sums of `n` numbers and of their squares, by name."""
    if not (isinstance(total, dict) and isinstance(squares, dict)):
        return False
    if not total or total.keys() != squares.keys():
        return False
    pairs: list[tuple[Any, Any]] = []
    for name, sums in total.items():
        own = squares[name]
        if isinstance(sums, list) != isinstance(own, list):
            return False
        ones, twos = (sums, own) if isinstance(sums, list) else ([sums], [own])
        if len(ones) != len(twos):
            return False
        pairs += zip(ones, twos, strict=True)
    return all(
        _is_number(one, n * LARGEST)
        and _is_number(two, n * LARGEST**2)
        and one * one <= n * two * (1.0 + 1e-9)  # the inequality of Cauchy and Schwarz
        for one, two in pairs
    )


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
        if self.path is not None:
            with self._explain():
                known = self.path.exists() and self.path.stat().st_size > 0
            if known:
                self._read(self.path)

    def _read(self, path: Path) -> None:
        try:
            data = path.read_bytes()
            if path.suffix == ".gz":
                data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error) as problem:
            said = getattr(problem, "strerror", None) or problem
            raise InputError(f"The store {path} cannot be read: {said}.") from problem
        text = data.decode("utf-8", errors="replace")
        if self._head.startswith(text):  # cut off in the first line
            return
        lines = text.splitlines(keepends=True)
        head = _open_line(lines[0])
        if head is None or head.get("format") != _FORMAT or type(head.get("seed")) is not int:
            raise InputError(
                f"{path} is not a store of a study. Choose another file, or remove it."
            )
        if head["seed"] != self.seed:
            raise InputError(
                Message(
                    "The store {} was made with seed {}, not {}. Pass {}, or another file.",
                    path,
                    head["seed"],
                    self.seed,
                    arg("seed", head["seed"]),
                )
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
    def _head(self) -> str:
        return _seal({"format": _FORMAT, "seed": self.seed})

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
        if self.path.suffix == ".gz":
            raise InputError(
                f"The store {self.path} is compressed and cannot be added to. Unpack it first."
            )
        with self._explain():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            file = self.path.open("a+b", buffering=0)  # closing it cannot fail to write
        with file:
            _lock(file, self.path)
            self._file = file
            with self._explain():
                end = file.seek(0, os.SEEK_END)
                if end < len(self._head):
                    if end:
                        file.truncate(0)
                    self._append(self._head)
                elif file.seek(end - 1) >= 0 and file.read(1) != b"\n":
                    self._append("\n")  # keep the next record off the line that was cut off
            try:
                yield
            finally:
                del self._file

    def add(self, record: Record) -> None:
        """Add a finished block; it is on the disk when this returns."""
        if record.block in self.records:
            return
        if self.path is not None:
            with self._explain():
                self._append(record.line())
        self.records[record.block] = record

    def _append(self, line: str) -> None:
        data = line.encode()
        while data:  # a disk that is nearly full takes a part
            data = data[self._file.write(data) :]
        os.fsync(self._file.fileno())

    @contextmanager
    def _explain(self) -> Iterator[None]:
        try:
            yield
        except OSError as problem:
            raise InputError(
                f"The store {self.path} cannot be written: {problem.strerror or problem}",
                remedy="Make room there, or choose another place; what is finished stays in it, "
                "and a later run continues.",
            ) from problem

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
