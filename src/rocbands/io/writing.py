"""Atomic writing of files."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from rocbands.errors import InputError


def check_place(target: str | os.PathLike[str], what: str = "A file") -> Path:
    """Refuse a path that cannot be written, before any work."""
    place = Path(target)
    real = Path(os.path.realpath(place))
    if real.is_dir():
        raise InputError(
            f"{what} must go to a file", f"'{place}' is a folder", "Name a file inside it."
        )
    above = next((folder for folder in real.parents if folder.exists()), real.parent)
    if not above.is_dir():
        raise InputError(
            f"{what} must go to a folder",
            f"'{above.name}' is a file",
            "Name a folder instead of it.",
        )
    if not real.parent.is_dir():
        raise InputError(
            f"{what} must go to a folder that exists",
            f"'{place.parent}' does not",
            "Make the folder first.",
        )
    if not os.access(real.parent, os.W_OK):
        raise InputError(
            f"{what} must go to a place that can be written to",
            f"'{place}' cannot be written",
            "Choose another place.",
        )
    return place


def refuse_overwriting(
    target: str | os.PathLike[str], sources: Iterable[str | os.PathLike[str]]
) -> None:
    """Refuse to write to a file that is also read, before any work.

    The source "-" is standard input, which may be a file, too.
    """
    place = os.fspath(target)
    facts = _facts(place)
    if facts is None or not stat.S_ISREG(facts.st_mode):
        return  # there is nothing to lose
    for name in sources:
        source = os.fspath(name)
        other = _facts(0 if source == "-" else source)
        if other is not None and os.path.samestat(facts, other):
            called = "standard input" if source == "-" else f"'{source}'"
            also = "is read" if source == place else f"is {called}, which is read"
            raise InputError(
                "What is written must not replace what is read",
                f"'{place}' {also}",
                "Choose another name for the output.",
            )


def _facts(path: str | int) -> os.stat_result | None:
    try:
        return os.stat(path)
    except (OSError, ValueError):
        return None


@contextmanager
def whole_file(target: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path beside `target`, which replaces the target on success.

    If writing fails or is interrupted, the temporary file is removed and an existing target is
    unchanged. A new file takes the permissions of the one it replaces. Pipes and devices are
    written to directly.
    """
    place = Path(target)
    with _explain(place):
        if place.exists() and not place.is_file() and not place.is_dir():
            yield place
            return
        real = Path(os.path.realpath(place))
        if real.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        # In the same folder, because only then a rename is certainly atomic.
        partial = real.with_name(f".rocbands-{secrets.token_hex(8)}{real.suffix.lower()}")
        try:
            mode = stat.S_IMODE(real.stat().st_mode) if real.exists() else None
            if mode is not None:
                # From the start, so that nobody else can read it meanwhile.
                os.close(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode | 0o600))
            yield partial
            with open(partial, "rb+") as file:
                os.fsync(file.fileno())  # on the disk before it gets its name
            if mode is not None:
                partial.chmod(mode)
            partial.replace(real)
        finally:
            with suppress(OSError):
                partial.unlink(missing_ok=True)


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for writing that gets its name when it is complete."""
    with whole_file(path) as partial, partial.open("wb") as file:
        yield file


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write `text` as UTF-8, line ends as they are; a file that exists is replaced.

    File names need not be UTF-8; bytes that UTF-8 cannot encode are escaped.
    """
    with written_whole(path) as file:
        file.write(text.encode(errors="backslashreplace"))


@contextmanager
def _explain(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as problem:
        raise InputError(
            f"'{path}' cannot be written: {problem.strerror or problem}",
            remedy="Choose another place, or make room there.",
        ) from problem
