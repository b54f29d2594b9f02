"""The same analysis as lines of the command line and of Python."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from rocbands.app.data import Asked

# Options whose names are not those of the library's arguments.
_OPTIONS = {"band_width": "--band-width", "scores": "--score"}


def write_command(
    asked: Asked, words: tuple[str, ...], given: Mapping[str, Any], *, end: str = ""
) -> str:
    """Write a command; `given`: its options, by the names of the library's arguments."""
    parts = ["rocbands", *words]
    if asked.path:
        parts.append(_write_file(asked.name))
    for name, value in given.items():
        option = _OPTIONS.get(name, f"--{name.replace('_', '-')}")
        if isinstance(value, bool):
            parts += [option] * value
        elif name == "scores":
            parts += [part for one in value for part in (option, one)]
        else:
            parts += [option, *map(_write_word, value if isinstance(value, tuple) else (value,))]
    line = shlex.join(parts) + end
    if not asked.example:
        return line
    kind = " --readers" if asked.example == "readers" else ""
    return f"rocbands example{kind} -o {asked.name}\n{line}"


def write_python(lines: tuple[str, ...], asked: Asked | None = None, **columns: Any) -> str:
    """Write lines of Python; before them `data` is read from the file."""
    read: tuple[str, ...] = ()
    if asked is not None:
        kind = "Readings" if "reader" in columns or asked.example == "readers" else "Sample"
        read = (f"data = rb.{kind}.from_file({write_arguments(asked.name, **columns)})",)
    return "\n".join(["import rocbands as rb", "", *read, *lines])


def write_arguments(*values: Any, **named: Any) -> str:
    """Write the arguments of a call.

    Examples
    --------
    >>> write_arguments("a.csv", level=0.9, positive=1.0)
    "'a.csv', level=0.9, positive=1"
    """
    each = [_write_value(value) for value in values]
    return ", ".join([*each, *(f"{name}={_write_value(value)}" for name, value in named.items())])


def _write_value(value: Any) -> str:
    whole = isinstance(value, float) and value.is_integer()
    return repr(int(value) if whole else list(value) if isinstance(value, tuple) else value)


def _write_word(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) and float(f"{value:g}") == value else str(value)


def _write_file(name: str) -> str:
    return f"./{name}" if name.startswith("-") else name
