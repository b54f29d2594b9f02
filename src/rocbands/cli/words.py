"""The library's messages in the words of the command line: options instead of arguments."""

from __future__ import annotations

import re
import shlex
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import click

from rocbands.errors import InputError, RocBandsWarning

__all__ = ["cli_words", "in_cli_words", "plain_warnings", "remark", "say_remarks"]

_ARGUMENTS = (
    "level|future|positive|method|alternative|null|groups|folds|fpr|tpr|threshold|rate|best|c_fn|"
    "c_fp|prevalence|test|joint|auc|width|against|other|band_width|correlation|ratio|power|variance|"
    "margin|scheme|prediction|calibrated|w|sampling|simultaneous|mask|repeats|at_fpr|of|space|"
    "n_resamples|rates"
)


# What has another name there, or is given in parts.
_SPOKEN = (
    ("`thresholds`", "--threshold"),
    ("`threshold_1`", "--threshold"),
    ("`threshold_2`", "--threshold"),
    ("simultaneous=True", "--simultaneous"),
    ("`costs`", "--c-fn and --c-fp"),
    ("; rb.operating_condition() makes it from costs", "; --c-fn and --c-fp say it in costs"),
)

_REMARKS = "rocbands.remarks"
_ALIKE: Mapping[str, str] = {}
_OTHERWISE = {"n_resamples": "resamples", "rates": "rate"}  # everywhere called otherwise here


@contextmanager
def cli_words(label: str = "label", **renamed: str) -> Iterator[None]:
    """Say errors that come from inside in the words of the command line.

    Reading files stays outside: its messages quote names that must not be touched.

    Parameters
    ----------
    label : str, default 'label'
        Name of the column that the library knows as y_true.
    **renamed : str
        Arguments whose options have other names, such as ``fpr="fpr-range"``.
    """
    try:
        yield
    except InputError as problem:
        raise InputError(in_cli_words(str(problem), label, renamed)) from problem


@contextmanager
def plain_warnings(about: str) -> Iterator[None]:
    """Say warnings of the library in one plain line on stderr, without file names and code.

    Parameters
    ----------
    about : str
        What the warnings are about; it starts the line.
    """
    said: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("always", RocBandsWarning)
        others = warnings.showwarning

        def say(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
            if issubclass(category, RocBandsWarning):
                words = f"rocbands: {about}: {in_cli_words(str(message))}"
                said.append(" ".join(words.splitlines()))
            else:
                others(message, category, *where, **more)

        warnings.showwarning = say
        yield
    for line in said:  # not reached after an error, which is one line alone
        click.echo(line, err=True)


def remark(words: str) -> None:
    """Keep a line for stderr until there is an answer: an error is one line alone."""
    click.get_current_context().meta.setdefault(_REMARKS, []).append(f"rocbands: {words}")


def say_remarks() -> None:
    """Say what was kept, once."""
    ctx = click.get_current_context()
    for line in ctx.meta.pop(_REMARKS, []):
        click.echo(line, err=True)


def in_cli_words(message: str, label: str = "label", renamed: Mapping[str, str] = _ALIKE) -> str:
    """Speak of options where the library speaks of Python.

    Examples
    --------
    >>> in_cli_words("`level` must lie strictly between 0 and 1; got 95. For 95% pass level=0.95.")
    '--level must lie strictly between 0 and 1; got 95. For 95% pass --level 0.95.'
    """
    message = message.replace("rb.methods()", "'rocbands methods'")
    for spoken, written in _SPOKEN:
        message = message.replace(spoken, written)

    def option(argument: str) -> str:
        names = {**_OTHERWISE, **renamed}
        return f"--{names.get(argument, argument.replace('_', '-'))}"

    def with_value(found: re.Match[str]) -> str:
        name, value = found.groups()
        if value.startswith("("):
            return f"{option(name)} {value[1:-1].replace(' ', '')}"
        return f"{option(name)} {shlex.quote(value.strip(chr(39)))}"

    message = re.sub(rf"`({_ARGUMENTS})`", lambda found: option(found[1]), message)
    message = re.sub(rf"\b({_ARGUMENTS})=(\([^)]*\)|'[^']*'|[\w.-]*\w)", with_value, message)
    return re.sub(r"`y_true`|\by_true\b", lambda found: _column(found[0], label), message)


def _column(found: str, label: str) -> str:
    return f"column {label!r}" if found.startswith("`") else label
