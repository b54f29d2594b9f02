"""Simulated draws of a statistic, cached on disk between runs.

The draws can be simulated again, so nothing here raises an error: a folder that is not writable, a
damaged file or a full disk only costs time. A file is used only if it is a regular file of the
right length, with a checksum and sorted finite draws. None of this protects against intent: who can
write to the folder can write other draws.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np

from rocbands.core.checks import FloatArray

SETTING = "ROCBANDS_CACHE"
MOST_FILES = 500  # the oldest go first; the largest have 160 kB
_ENDING = ".draws"


def find_folder() -> Path | None:
    """Return the cache folder: `ROCBANDS_CACHE`, or the user's cache folder; None if disabled."""
    asked = os.environ.get(SETTING, "")
    if asked.casefold() in ("0", "no", "false", "off"):
        return None
    try:
        if asked:
            return Path(asked).expanduser()
        home = Path.home()
    except RuntimeError:  # a process without a user, or a user that is not known
        return None
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = home / "Library" / "Caches"
    else:
        given = os.environ.get("XDG_CACHE_HOME", "")
        base = Path(given) if os.path.isabs(given) else home / ".cache"
    return base / "rocbands"


def keep(name: str, size: int, make: Callable[[], FloatArray]) -> FloatArray:
    """Return the draws cached under `name`, or simulate and cache them.

    `name`: a valid file name that contains everything the draws depend on. `make` returns `size`
    sorted draws of a statistic that is 0 or larger.
    """
    folder = find_folder()
    if folder is None:
        return make()
    path = folder / f"{name}{_ENDING}"
    found = _read(path, size)
    if found is None:
        found = make()
        with contextlib.suppress(OSError):
            _write(path, found)
    return found


def _seal(body: bytes) -> bytes:
    return b"rocbands %d %08x\n" % (len(body), zlib.crc32(body))


# Neither follow a link nor wait for the writer of a pipe; zero where a system has no such flag.
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_FLAGS |= getattr(os, "O_BINARY", 0)


def _read(path: Path, size: int) -> FloatArray | None:
    """Return the draws of a file, if they are what :func:`_write` wrote."""
    most = 8 * size + 64  # bytes, with the seal
    try:
        with open(os.open(path, _FLAGS), "rb") as file:
            facts = os.fstat(file.fileno())
            if not stat.S_ISREG(facts.st_mode) or facts.st_size > most:
                return None
            data = file.read(most)
    except OSError:
        return None
    head, _, body = data.partition(b"\n")
    if head + b"\n" != _seal(body) or len(body) != 8 * size:
        return None
    values = np.frombuffer(body, "<f8").astype(np.float64)
    # Draws are finite, sorted, 0 or larger, and not all 0.
    ordered = bool(np.all(np.diff(values) >= 0.0))  # False if one is NaN
    return values if ordered and values[0] >= 0.0 and 0.0 < values[-1] < np.inf else None


def _write(path: Path, values: FloatArray) -> None:
    """Write a file atomically, under a temporary name first."""
    path.parent.mkdir(parents=True, exist_ok=True)
    body = values.astype("<f8").tobytes()
    handle, draft = tempfile.mkstemp(prefix="part-", suffix=_ENDING, dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(_seal(body) + body)
        os.replace(draft, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(draft)
        raise
    kept = sorted(path.parent.glob(f"*{_ENDING}"), key=lambda file: file.lstat().st_mtime)
    for old in kept[:-MOST_FILES]:
        old.unlink(missing_ok=True)
