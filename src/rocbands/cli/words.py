"""The library's messages in the words of the command line: options instead of arguments."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager

from rocbands.errors import InputError

__all__ = ["cli_words", "in_cli_words"]

_ARGUMENTS = "level|future|positive|method|alternative|margin"


@contextmanager
def cli_words(label: str = "label") -> Iterator[None]:
    """Say errors that come from inside in the words of the command line.

    Reading files stays outside: its messages quote names that must not be touched.

    Parameters
    ----------
    label : str, default 'label'
        Name of the column that the library knows as y_true.
    """
    try:
        yield
    except InputError as problem:
        raise InputError(in_cli_words(str(problem), label)) from problem


def in_cli_words(message: str, label: str = "label") -> str:
    """Speak of options where the library speaks of Python.

    Examples
    --------
    >>> in_cli_words("`level` must lie strictly between 0 and 1; got 95. For 95% pass level=0.95.")
    '--level must lie strictly between 0 and 1; got 95. For 95% pass --level 0.95.'
    """
    message = message.replace("rb.methods()", "'rocbands methods'")
    message = re.sub(rf"`({_ARGUMENTS})`", r"--\1", message)
    message = re.sub(rf"\b({_ARGUMENTS})=(\([^)]*\)|'[^']*'|[\w.-]*\w)", _as_option, message)
    return re.sub(r"`y_true`|\by_true\b", lambda found: _column(found[0], label), message)


def _as_option(argument: re.Match[str]) -> str:
    name, value = argument.groups()
    if value.startswith("("):
        return f"--{name} {value[1:-1].replace(' ', '')}"
    return f"--{name} {shlex.quote(value.strip(chr(39)))}"


def _column(found: str, label: str) -> str:
    return f"column {label!r}" if found.startswith("`") else label
