"""Simulated numbers, cached on disk between runs.

The numbers can be simulated again, so nothing here raises an error: a folder that is not writable,
a damaged file or a full disk only costs time.
"""

from __future__ import annotations

import contextlib
import os
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
    if asked:
        return Path(asked)
    try:
        home = Path.home()
    except RuntimeError:  # a process without a user
        return None
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = home / "Library" / "Caches"
    else:
        given = os.environ.get("XDG_CACHE_HOME", "")
        base = Path(given) if os.path.isabs(given) else home / ".cache"
    return base / "rocbands"


def keep(name: str, make: Callable[[], FloatArray]) -> FloatArray:
    """Return the numbers cached under `name`, or compute and cache them.

    `name`: a valid file name that contains everything the numbers depend on.
    """
    folder = find_folder()
    if folder is None:
        return make()
    path = folder / f"{name}{_ENDING}"
    found = _read(path)
    if found is None:
        found = make()
        with contextlib.suppress(OSError):
            _write(path, found)
    return found


def _seal(body: bytes) -> bytes:
    return b"rocbands %d %08x\n" % (len(body), zlib.crc32(body))


def _read(path: Path) -> FloatArray | None:
    """Return the contents of a file, if it is undamaged."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    head, _, body = data.partition(b"\n")
    if head + b"\n" != _seal(body):
        return None
    return np.frombuffer(body, "<f8").astype(np.float64)


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
    kept = sorted(path.parent.glob(f"*{_ENDING}"), key=lambda file: file.stat().st_mtime)
    for old in kept[:-MOST_FILES]:
        old.unlink(missing_ok=True)
