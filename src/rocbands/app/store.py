"""Uploads and results in a private temporary folder, which is gone when the server ends.

A server that was killed cannot remove its folder; the next one does. A folder in use has a lock
file that its server holds: locked on Unix; on Windows open, so that it cannot be removed.
"""

from __future__ import annotations

import os
import secrets
import shutil
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

PREFIX = "rocbands-app-"
MOST_UPLOADS = 20  # kept at a time
_LOCK = "lock"
# What a stored file may be called, besides 'upload'; the readers look at its contents.
_SUFFIXES = (
    *(".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson", ".parquet", ".pq"),
    *(".arrow", ".feather", ".xlsx", ".imrmc"),
)


@dataclass(frozen=True)
class Upload:
    """A file to analyse."""

    id: str
    name: str  # as the user calls it; text only, never a path here
    path: Path
    size: int
    folder: Path  # where it is stored, unless it is the user's own file, and what is made of it
    kind: str | None = None  # 'models' or 'readers', of the examples

    def to_dict(self) -> dict[str, object]:
        """Return what the page may know."""
        return {"id": self.id, "name": self.name, "size": self.size, "kind": self.kind}


class Store:
    """The folder of one server."""

    def __init__(self) -> None:
        remove_stale()
        self.folder = Path(tempfile.mkdtemp(prefix=PREFIX))  # which only this user can read
        self._lock = _lock(self.folder)
        self._uploads: dict[str, Upload] = {}

    def make_folder(self) -> Path:
        """Make a folder of one upload or job."""
        place = self.folder / secrets.token_urlsafe(12)
        place.mkdir(mode=0o700)
        return place

    def add(self, name: str, path: Path, folder: Path, kind: str | None = None) -> Upload:
        """Add a file; the oldest is dropped if there are too many."""
        key = secrets.token_urlsafe(12)
        found = Upload(key, name, path, path.stat().st_size, folder, kind)
        self._uploads[found.id] = found
        for old in list(self._uploads)[:-MOST_UPLOADS]:
            self.drop(old)
        return found

    def find(self, key: object) -> Upload | None:
        """Return an upload; None if there is none, or no longer."""
        return self._uploads.get(key) if isinstance(key, str) else None

    def drop(self, key: str) -> None:
        """Forget an upload, and remove what is stored of it."""
        upload = self._uploads.pop(key, None)
        if upload is not None:
            shutil.rmtree(upload.folder, ignore_errors=True)

    def close(self) -> None:
        """Remove everything."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self._lock.close()
        shutil.rmtree(self.folder, ignore_errors=True)  # on Windows, the lock that was open


def name_stored(name: str) -> str:
    """Return what a file is called in the store: nothing of its name but a known suffix.

    Examples
    --------
    >>> name_stored("../../etc/scores.CSV"), name_stored("a.exe"), name_stored("a.csv.gz")
    ('upload.csv', 'upload', 'upload')
    """
    suffix = Path(name).suffix.casefold()
    return f"upload{suffix if suffix in _SUFFIXES else ''}"


def remove_stale() -> None:
    """Remove the folders of servers that were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):
            own = not hasattr(os, "getuid") or folder.lstat().st_uid == os.getuid()
            if own and folder.is_dir() and not folder.is_symlink() and not _is_live(folder / _LOCK):
                shutil.rmtree(folder, ignore_errors=True)


def _lock(folder: Path) -> BinaryIO:
    """Mark a folder as in use; the lock gets its name when it is locked."""
    if sys.platform == "win32":
        return (folder / _LOCK).open("wb")
    import fcntl

    new = folder / f"{_LOCK}.new"
    file = new.open("wb")
    fcntl.flock(file, fcntl.LOCK_EX)
    new.rename(folder / _LOCK)
    return file


def _is_live(lock: Path) -> bool:
    """Tell whether a server holds a lock, or is about to make it."""
    if not lock.exists():
        return any(lock.parent.glob(f"{_LOCK}*")) or not any(lock.parent.iterdir())
    if sys.platform == "win32":
        try:
            lock.unlink()
        except PermissionError:
            return True
        return False
    import fcntl

    with open(lock, "rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False
