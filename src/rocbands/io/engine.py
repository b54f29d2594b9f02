"""DuckDB: a connection in memory, which uses the disk where memory is too small.

It reads large files, where it is installed. Its temporary folder is removed afterwards, and so are
those that killed processes left behind.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from rocbands.core.progress import limit_of_memory
from rocbands.errors import InputError

_MEMORY = "1GB"  # its limit, beyond which the disk is used
_ROOM = 3 << 30  # bytes of address space that DuckDB and Arrow need with it
_PAUSE = 0.1  # seconds between reports of progress
_LARGE = 1 << 20  # bytes; smaller files are read before DuckDB is loaded
_PATTERN = set("*?[]{}~")  # signs that DuckDB expands in a file's name
_PREFIX = "rocbands-"
_LOCK = "in-use"  # a file that the process has locked as long as it lives

_Found = TypeVar("_Found")


class Engine:
    """A connection to DuckDB."""

    def __init__(self, connection: Any) -> None:
        self.connection = connection

    def column(self, name: str) -> Any:
        """Return the column of a name, whatever the name is."""
        import duckdb

        return duckdb.ColumnExpression(name)

    def select(self, query: str, *, again: bool) -> Any:
        """Return what a query selects; what is to be read `again` is kept, if need be on disk."""
        if again:
            self.connection.execute(f"CREATE OR REPLACE TEMP TABLE read AS {query}")
            query = "FROM read"
        return self.connection.sql(query)

    def run(
        self, work: Callable[[], _Found], report: Callable[[float], None] | None = None
    ) -> _Found | None:
        """Run queries in a thread; None if DuckDB refuses what they read.

        The thread keeps signals out of DuckDB. Python raises their exceptions in the main thread:
        inside DuckDB they would become errors of DuckDB; from here they propagate unchanged, when
        the query is interrupted. `report` is told which share of a query is done.
        """
        import duckdb

        with ThreadPoolExecutor(1) as pool:
            job = pool.submit(work)
            try:
                while not wait([job], _PAUSE).done:
                    share = self.connection.query_progress()
                    if report is not None and share > 0.0:
                        report(share / 100.0)
                return job.result()
            except BaseException as problem:
                while not wait([job], _PAUSE).done:  # again: before a query begins it does nothing
                    self.connection.interrupt()
                if not isinstance(problem, duckdb.Error):
                    raise
                said = str(problem).strip().splitlines()[0]
                full = isinstance(problem, duckdb.OutOfMemoryException)
        if full or "No space left" in said:
            raise InputError(
                "Exact counts must fit the disk and the memory",
                f"DuckDB says: {said}",
                "Count in bins, or set TMPDIR to a larger disk.",
            )
        return None


def can_open(path: str | None) -> bool:
    """Tell whether DuckDB is there, and a file large enough for it.

    It must also have room: with less, it ends the process without a word.
    """
    if path is None or os.path.getsize(path) < _LARGE or _PATTERN & set(path):
        return False
    installed = all(importlib.util.find_spec(name) for name in ("duckdb", "pyarrow"))
    return installed and path.isprintable() and limit_of_memory() >= _ROOM


@contextmanager
def open_engine() -> Iterator[Engine]:
    """Open a connection."""
    import duckdb  # here, since a signal in the middle of an import breaks it

    with spill_folder() as folder:
        config: dict[str, Any] = {"temp_directory": folder, "memory_limit": _MEMORY}
        with duckdb.connect(":memory:", config=config) as connection:
            # Statistics of Parquet have no NaN, and DuckDB 2.0 concludes that the column has none.
            connection.execute("SET disabled_optimizers = 'statistics_propagation'")
            connection.execute("SET enable_progress_bar = true")  # computes, but does not print it
            connection.execute("SET enable_progress_bar_print = false")
            yield Engine(connection)


def quote(text: str, mark: str = "'") -> str:
    """Quote text for SQL, or with double quotes the name of a column.

    Examples
    --------
    >>> print(quote('6" or more', '"'))
    "6"" or more"
    """
    return f"{mark}{text.replace(mark, 2 * mark)}{mark}"


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
