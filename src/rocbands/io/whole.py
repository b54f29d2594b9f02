"""Files that are written wholly or not at all."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rocbands.errors import InputError

__all__ = ["check_folder", "whole_file"]


def check_folder(target: Path, what: str) -> Path:
    """Return `target` if a file can be written there, as far as can be told beforehand.

    Parameters
    ----------
    target : Path
        The file.
    what : str
        What to call it in an error, such as 'A picture'.
    """
    if not target.parent.is_dir():
        raise InputError(
            f"{what} must go to a folder that exists; '{target.parent}' does not. "
            "Make the folder first."
        )
    if target.is_dir():
        raise InputError(
            f"{what} must go to a file; '{target}' is a folder. Name a file inside it."
        )
    return target


@contextmanager
def whole_file(target: Path) -> Iterator[Path]:
    """Give a name to write to; the file takes its place only when it is finished.

    Parameters
    ----------
    target : Path
        The file, replaced if it exists.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     target = Path(folder) / "page.html"
    ...     with whole_file(target) as partial:
    ...         _ = partial.write_text("done")
    ...     target.read_text()
    'done'
    """
    # Beside the target, because only a rename within one folder is sure to be atomic.
    partial = target.with_name(f".rocbands-{secrets.token_hex(8)}{target.suffix.lower()}")
    try:
        yield partial
        partial.replace(target)
    except OSError as problem:
        raise InputError(
            f"'{target}' cannot be written: {problem.strerror or problem}. Choose another place."
        ) from problem
    finally:
        partial.unlink(missing_ok=True)
