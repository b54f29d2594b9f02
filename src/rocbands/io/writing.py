"""Files that appear wholly or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rocbands.errors import InputError

__all__ = ["whole_file", "write_text"]


@contextmanager
def whole_file(target: Path) -> Iterator[Path]:
    """Lend a path beside `target` to write to; it takes the target's place if all went well."""
    if not target.name:
        raise InputError(f"'{target}' cannot be written: it is no file. Name one.")
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


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write `text` as UTF-8, line ends as they are; a file that exists is replaced."""
    with whole_file(Path(path)) as partial, partial.open("x", encoding="utf-8", newline="") as file:
        file.write(text)
