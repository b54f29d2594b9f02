"""A temporary folder for DuckDB, and the removal of those that killed processes left behind."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_PREFIX = "rocbands-"
_LOCK = "in-use"  # a file that the process has locked as long as it lives


@contextmanager
def spill_folder() -> Iterator[str]:
    """Yield a folder that is removed afterwards, and remove old ones that nobody uses."""
    _remove_abandoned(Path(tempfile.gettempdir()))
    with tempfile.TemporaryDirectory(prefix=_PREFIX) as folder:
        draft = os.path.join(folder, "draft")
        with open(draft, "wb") as file:
            if _lock(file.fileno()):  # it gets its name when it is locked
                os.rename(draft, os.path.join(folder, _LOCK))
            yield os.path.join(folder, "spill")


def _remove_abandoned(parent: Path) -> None:
    """Remove this user's folders whose process has ended without removing them."""
    if not hasattr(os, "getuid"):  # nor locks: whether a folder is in use cannot be told
        return
    with suppress(OSError):
        for folder in parent.glob(f"{_PREFIX}*"):
            with suppress(OSError):
                facts = folder.lstat()
                if not stat.S_ISDIR(facts.st_mode) or facts.st_uid != os.getuid():
                    continue
                with open(folder / _LOCK, "rb") as file:
                    if _lock(file.fileno()):
                        shutil.rmtree(folder, ignore_errors=True)


def _lock(number: int) -> bool:
    """Lock an open file; False if another process has it, or the system has no such locks."""
    try:
        import fcntl
    except ImportError:
        return False
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
