"""Files and standard input as byte streams: decompression, progress and errors."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import os
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from rocbands.core.progress import Progress
from rocbands.errors import InputError, Message, arg, say_install

Stream: TypeAlias = "io.BufferedReader[Any]"

EXAMPLE = files("rocbands.io").joinpath("example.csv")
EXAMPLE_READINGS = files("rocbands.io").joinpath("readings.csv")
_BUFFER = 1 << 20
_MOST_IN_MEMORY = 1 << 30  # bytes of input that cannot be read in pieces


def needs_pyarrow(what: str) -> InputError:
    """Return the error for a file that only PyArrow can read."""
    return InputError(
        f"{what}, and reading it needs PyArrow, which is not installed",
        remedy=f"Install it with: {say_install('parquet')}",
    )


def _open_zstandard(stream: Stream) -> Any:
    import pyarrow as pa

    return pa.CompressedInputStream(pa.PythonFile(stream, mode="r"), "zstd")


# First bytes of compressed files, the format's name, and what opens it.
_PACKED: dict[bytes, tuple[str, Callable[[Stream], Any]]] = {
    b"\x1f\x8b": ("gzip", lambda stream: gzip.GzipFile(fileobj=stream, mode="rb")),
    b"BZh": ("bzip2", bz2.BZ2File),
    b"\xfd7zXZ": ("xz", lzma.LZMAFile),
    b"\x28\xb5\x2f\xfd": ("zstandard", _open_zstandard),
}


def name_source(source: str | os.PathLike[str]) -> str:
    """Return what messages call a file."""
    name = os.fspath(source)
    examples = dict.fromkeys(map(str, (EXAMPLE, EXAMPLE_READINGS)), "The example")
    return {"-": "stdin", **examples}.get(name, name)


@contextmanager
def open_unpacked(
    source: str | os.PathLike[str], progress: Progress | None = None
) -> Iterator[tuple[Stream, Counted]]:
    """Open a file, or stdin if it is "-", as a stream; decompress it if it is compressed."""
    name = name_source(source)
    kind: str | None = None
    if source == "-" and sys.stdin is None:
        raise InputError(
            "Standard input must be open", "it is closed", "Name a file, or pipe rows into it."
        )
    # Standard input must stay open.
    opened = nullcontext(sys.stdin.buffer) if source == "-" else None
    try:
        with opened or open(source, "rb") as file:
            counted = Counted(file, progress)
            with io.BufferedReader(counted, _BUFFER) as stream:
                found = _find_packing(stream.peek(6))
                if found is None:
                    yield stream, counted
                    return
                kind, unpack = found
                try:
                    unpacked = unpack(stream)
                except ModuleNotFoundError:
                    raise needs_pyarrow(f"{name} is compressed with {kind}") from None
                with unpacked:
                    plain = io.BufferedReader(unpacked, _BUFFER)
                    _refuse_packed_twice(plain.peek(6), name)
                    yield plain, counted
    except (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError):
        raise _damaged(name, kind) from None
    except OSError as problem:
        # bzip2 and zstandard report damage by a plain OSError without errno.
        damaged = kind is not None and problem.errno is None
        raise _damaged(name, kind) if damaged else explain_unreadable(name, problem) from None


def _find_packing(head: bytes) -> tuple[str, Callable[[Stream], Any]] | None:
    return next((found for mark, found in _PACKED.items() if head.startswith(mark)), None)


def _damaged(name: str, kind: str | None) -> InputError:
    return InputError(
        f"{name} must be a whole {kind} file",
        "it is damaged or cut off",
        "Download or compress it again.",
    )


def _refuse_packed_twice(head: bytes, source: str) -> None:
    """Refuse a second layer: a gzip file can decompress to itself."""
    found = _find_packing(head)
    if found is not None:
        raise InputError(
            f"{source} must be compressed once",
            f"it is compressed with {found[0]} again inside",
            "Decompress it once.",
        )


def to_seekable(stream: Stream, counted: Counted, name: str) -> BinaryIO:
    """Return a seekable file, as Parquet needs: the open file, or a copy in memory."""
    file = counted.file
    if stream.raw is counted and file.seekable():
        return file
    return io.BytesIO(read_all(stream, name))


def read_all(stream: Stream, name: str) -> bytes:
    """Read a whole stream, or refuse one that would fill the memory."""
    data = stream.read(_MOST_IN_MEMORY + 1)
    if len(data) > _MOST_IN_MEMORY:
        most = f"at most {_MOST_IN_MEMORY >> 20} MB"
        raise InputError(
            f"{name} must have {most} to be read from a pipe or compressed",
            "it is larger",
            "Decompress it to a file, and name that.",
        )
    return data


def explain_unreadable(name: str, problem: OSError) -> InputError:
    """Make the error of a file that cannot be read, with a suggested name."""
    if isinstance(problem, FileNotFoundError) and "://" in name:
        return InputError(
            "Scores must be in a file",
            f"'{name}' is an address",
            "Download it first, and name the file.",
        )
    if isinstance(problem, FileNotFoundError):
        path = Path(name)
        names = os.listdir(path.parent) if os.access(path.parent, os.R_OK) else []
        # A broken link exists itself.
        stems = {Path(other).stem: other for other in names if other != path.name}
        close = get_close_matches(path.stem, stems, n=1, cutoff=0.75)
        best = stems[close[0]] if close else ""
        advice = f"Did you mean '{path.with_name(best)}'?" if close else "Check the path."
        return InputError("The file must exist", f"there is no '{name}'", advice)
    if isinstance(problem, IsADirectoryError):
        return InputError(
            "Scores must be in a file", f"'{name}' is a folder", "Name one of the files in it."
        )
    found = f"found: {problem.strerror or problem}"
    return InputError(f"{name} must be readable", found, "Check the path and its permissions.")


class Counted(io.RawIOBase):
    """A file that reports how far it has been read; closing it leaves the file open."""

    def __init__(self, file: BinaryIO, progress: Progress | None) -> None:
        self.file = file
        self.total = _find_size(file)
        self._progress = progress
        self._done = 0

    def readable(self) -> bool:
        """Answer what readers on top of this one ask."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer as far as the file goes, and report it."""
        count: int = self.file.readinto(buffer)  # type: ignore[attr-defined]
        self._done += count
        if self._progress is not None:
            self._progress(self._done, self.total)
        return count

    def report_share(self, share: float) -> None:
        """Report the progress of a file that is not read sequentially."""
        if self._progress is not None and self.total is not None:
            self._progress(round(share * self.total), self.total)


class Recoded(io.RawIOBase):
    """A stream of text in another encoding as UTF-8."""

    def __init__(self, stream: Stream, encoding: str, source: str) -> None:
        self._stream, self._encoding, self._source = stream, encoding, source
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._rest = b""  # what is decoded, and was not read
        self._ended = False

    def readable(self) -> bool:
        """Answer what readers on top of this one ask."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer as far as a piece of the stream goes."""
        while not (self._rest or self._ended):
            data = self._stream.read(_BUFFER)
            self._ended = not data
            try:
                self._rest = self._decoder.decode(data, final=self._ended).encode()
            except UnicodeError as problem:
                raise InputError(
                    f"{self._source} must be text in {self._encoding}",
                    f"it is not: {problem}",
                    Message("Name its encoding by {}, or leave that out.", arg("encoding")),
                ) from None
        count = min(len(buffer), len(self._rest))
        buffer[:count], self._rest = self._rest[:count], self._rest[count:]
        return count


def _find_size(file: BinaryIO) -> int | None:
    try:
        facts = os.fstat(file.fileno())
    except OSError:
        return None
    return facts.st_size if stat.S_ISREG(facts.st_mode) else None
