"""Files that are there whole, or not at all."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from rocbands.errors import InputError

__all__ = ["check_place", "written_whole"]


def check_place(path: str | os.PathLike[str]) -> None:
    """Refuse a place where no file can be written, before the work that would fill it."""
    place = Path(os.path.realpath(path))
    with _told(Path(path)):
        if place.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not place.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        if not os.access(place.parent, os.W_OK):
            raise PermissionError(errno.EACCES, "its folder is read-only")


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for writing that takes its name only when everything is in it.

    Until then it stands beside its place under a hidden name. If writing fails or is interrupted,
    nothing is left of it, and a file that was there before stays as it was.

    Parameters
    ----------
    path : str or path-like
        Where the file shall be. Pipes and devices are written to directly.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with written_whole(Path(folder) / "a.txt") as file:
    ...         _ = file.write(b"all of it")
    ...     (Path(folder) / "a.txt").read_bytes()
    b'all of it'
    """
    place = Path(path)
    if place.exists() and not place.is_file() and not place.is_dir():
        with _told(place), open(place, "wb") as file:
            yield file
        return
    place = Path(os.path.realpath(place))
    draft = place.with_name(f".{place.name[:100]}.{secrets.token_hex(4)}.part")
    with _told(Path(path)):
        try:
            with open(draft, "xb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            os.replace(draft, place)
        except BaseException:
            with suppress(OSError):
                draft.unlink()
            raise


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as problem:
        raise InputError(
            f"{path} must be writable; found: {problem.strerror or problem}. "
            "Choose another place, or make room there."
        ) from problem
