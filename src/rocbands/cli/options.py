"""Options that many commands have, in the same words."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from contextlib import AbstractContextManager, nullcontext
from difflib import get_close_matches
from functools import wraps
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from rocbands.cli.messages import OutputFile, usage
from rocbands.errors import InputError, arg, call

if TYPE_CHECKING:
    from rocbands.core.method import Method

    TextChoice = click.Choice[str]
    AnyType = click.ParamType[Any]
else:  # before click 8.4 these classes cannot be subscripted
    TextChoice, AnyType = click.Choice, click.ParamType

__all__ = [
    "FORMS",
    "NUMBER",
    "OneOf",
    "Range",
    "Whole",
    "alternative",
    "build_method",
    "completes",
    "counts_out",
    "dask",
    "executor_at",
    "forms",
    "future",
    "is_given",
    "level",
    "method",
    "plot",
    "resamples",
    "seed",
    "settings",
]

Decorator = Callable[[Any], Any]

FORMS = ("text", "markdown", "latex", "csv", "safe-csv", "json")


class OneOf(TextChoice):
    """A value from a list; what is not in it is refused with the value that was perhaps meant."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the value if it is one of the list."""
        known = [str(choice) for choice in self.choices]
        if value in known:
            return str(value)
        close = get_close_matches(str(value), known, n=1)
        hint = f"Did you mean {close[0]!r}?" if close else "Choose one of these."
        name = _name_of(param)
        raise click.UsageError(
            f"{name} must be one of {', '.join(known)}; got {value!r}. {hint}", ctx
        )


class _Parsed(AnyType):
    """A value that is read from text, or refused in our words."""

    must = ""
    example = ""

    def read(self, text: str) -> Any:
        """Read the text, or raise ValueError."""
        raise NotImplementedError

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the value."""
        if not isinstance(value, str):
            return value
        try:
            return self.read(value)
        except ValueError:
            name = _name_of(param)
            raise click.UsageError(
                f"{name} must be {self.must}; got {value!r}. Write, for example, "
                f"{name} {self.example}",
                ctx,
            ) from None


class Number(_Parsed):
    """A number; NaN is none."""

    name = "number"
    must, example = "a number", "0.5"

    def read(self, text: str) -> float:
        """Read the number."""
        number = float(text)
        if math.isnan(number):
            raise ValueError
        return number


class Whole(_Parsed):
    """A whole number.

    Parameters
    ----------
    least : int, optional
        The smallest that is allowed; by default the library says.
    """

    name = "whole number"

    def __init__(self, least: int | None = None) -> None:
        self._least = -math.inf if least is None else least
        self.must = "a whole number" + ("" if least is None else f" of at least {least}")
        self.example = "1000" if least is None else str(max(least, 1))

    def read(self, text: str) -> int:
        """Read the number."""
        number = int(text)
        if number < self._least:
            raise ValueError
        return number


class Range(_Parsed):
    """Two numbers, as in 0,0.1."""

    name = "range"
    must, example = "two rates with a comma between, the smaller first", "0,0.1"

    def read(self, text: str) -> tuple[float, float]:
        """Read both ends."""
        low, high = (float(end) for end in text.split(","))
        return low, high


class Sizes(AnyType):
    """Class sizes, as in 50,200; what cannot be read is passed on, and refused by the library."""

    name = "sizes"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read both numbers."""
        try:
            n_pos, n_neg = (int(size) for size in value.split(","))
        except ValueError:
            return value
        return n_pos, n_neg


def _name_of(param: click.Parameter | None) -> str:
    """Return what a parameter is called on the command line."""
    if isinstance(param, click.Option):
        return param.opts[0]
    return "It" if param is None else param.human_readable_name


NUMBER = Number()


def completes(*known: str) -> Any:
    """Let the shell complete one of these words, for an option that the library checks."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
        return [word for word in known if word.startswith(incomplete)]

    return complete


def is_given(name: str) -> bool:
    """Tell whether an option stands on the command line."""
    source = click.get_current_context().get_parameter_source(name)
    return source is click.core.ParameterSource.COMMANDLINE


def checked_by(module: str, function: str) -> Any:
    """Let the library check an option as soon as it is read: a slip should not cost much time."""

    def check(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
        if value is not None and not ctx.resilient_parsing:
            found = getattr(import_module(module), function)(value)
            return value if isinstance(value, str) else found
        return value

    return check


level: Decorator = click.option(
    "--level",
    type=NUMBER,
    callback=checked_by("rocbands.core.checks", "check_level"),
    metavar="L",
    default=0.95,
    show_default=True,
    help="Confidence level, in (0, 1).",
)


def future(words: str) -> Decorator:
    """--future; `words` say what is made for such a test set."""
    check = checked_by("rocbands.core.checks", "check_future")
    return click.option("--future", type=Sizes(), metavar="P,N", callback=check, help=words)


def alternative(words: str) -> Decorator:
    """--alternative; `words` say what the sides mean."""
    return click.option(
        "--alternative",
        metavar="SIDE",
        default="two-sided",
        show_default=True,
        callback=checked_by("rocbands.core.method", "check_alternative"),
        shell_complete=completes("two-sided", "less", "greater"),
        help=words,
    )


def method(
    question: str, words: str, *, registry: Callable[[Mapping[str, Any]], str] | None = None
) -> Decorator:
    """Take the name of a method of a question: --method.

    Parameters
    ----------
    question : str
        The package of the methods, such as 'bands'; 'rocbands methods' lists them by it.
    words : str
        What the method is of.
    registry : callable, optional
        Names the table of methods to complete from, where that depends on other options.
    """

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
        from rocbands._methods import known_methods

        table = "METHODS" if registry is None else registry(ctx.params)
        return [name for name in known_methods(question, table) if name.startswith(incomplete)]

    return click.option(
        "--method",
        metavar="NAME",
        shell_complete=complete,
        help=f"{words}; 'rocbands methods {question}' lists them.",
    )


settings: Decorator = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="Parameter of the method; repeat it for several. 'rocbands methods' lists them.",
)

resamples: Decorator = click.option(
    "--resamples",
    "n_resamples",
    type=Whole(),
    metavar="N",
    help="Test sets to draw, for methods that resample.",
)


def build_method(
    question: str,
    name: str | None,
    settings: tuple[str, ...] = (),
    *,
    table: str = "METHODS",
    default: str | None = None,
    n_resamples: int | None = None,
    **request: Any,
) -> Any:
    """Make the method that the command line asks for, before the time that reading a file takes.

    Parameters
    ----------
    question, table : str
        Where the methods are listed.
    name : str or None
        Its name; None for the default.
    settings : tuple of str
        Parameters, as NAME=VALUE.
    default : str, optional
        The default's name, if it is not the first of the table.
    n_resamples : int, optional
        A parameter with an option of its own.
    **request
        What is asked of it: level, future, alternative. What it cannot use is refused.

    Returns
    -------
    Method or None
        None if nothing was said about the method; the library then chooses.
    """
    from rocbands._methods import known_methods
    from rocbands.core.method import Method, resolve_method

    if name is None and n_resamples is None and not settings:
        return None
    known = known_methods(question, table)
    usual = default or next(iter(known))
    chosen = resolve_method(name, known, Method, usual, n_resamples=n_resamples)
    values = dict(_read_setting(text, chosen) for text in settings)
    if values:
        chosen = dataclasses.replace(chosen, **values)
    chosen.check_request(**request)
    return chosen


def _read_setting(text: str, method: Method) -> tuple[str, Any]:
    name, sign, value = (part.strip() for part in text.partition("="))
    name = name.replace("-", "_")
    if not sign or not name:
        raise InputError(
            f"{arg('settings')} must be a parameter and its value; got {text!r}. Write "
            f"{arg('settings')} NAME=VALUE; {call('methods')} lists the parameters."
        )
    known = method.parameters
    if name not in known:
        close = get_close_matches(name, known, n=1)
        hint = f"Did you mean {close[0]!r}? " if close else ""
        listed = f"Its parameters are {', '.join(known)}." if known else "It has none."
        raise InputError(f"Method {method.name!r} has no parameter {name!r}. {hint}{listed}")
    return name, _read_value(name, value, known[name])


_FLAGS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def _read_value(name: str, text: str, usual: Any) -> Any:
    """Read a value as what the usual one is."""
    if isinstance(usual, bool):
        if text.casefold() not in _FLAGS:
            raise InputError(f"--set {name} must be yes or no; got {text!r}. Write {name}=yes.")
        return _FLAGS[text.casefold()]
    for kind, what in ((int, "a whole number"), (float, "a number")):
        if isinstance(usual, kind):
            try:
                return kind(text)
            except ValueError:
                raise InputError(
                    f"--set {name} must be {what}; got {text!r}. Write, say, {name}={usual}."
                ) from None
    return text


counts_out: Decorator = click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=OutputFile(dir_okay=False),
    required=True,
    help="Parquet file for the counts; it is written whole or not at all.",
)

dask: Decorator = click.option(
    "--dask",
    metavar="ADDRESS",
    help="Let a Dask cluster do the work: the address of its scheduler.",
)


def executor_at(address: str | None) -> AbstractContextManager[Executor | None]:
    """Connect to the cluster that --dask names; without one the work is done here."""
    if address is None:
        return nullcontext()
    from rocbands.scale.clusters import dask_executor

    return dask_executor(address)


def forms(function: Any) -> Any:
    """--format and --json; the command gets one of `FORMS` as `form`."""

    @wraps(function)
    def formed(*, as_json: bool, form: str | None, **asked: Any) -> Any:
        if as_json and form not in (None, "json"):
            raise usage(f"--json prints JSON, --format {form} does not; both were given.")
        return function(form="json" if as_json else form or "text", **asked)

    words = "How to print: text (default), markdown, latex, csv, safe-csv (no formulas) or json."
    form = click.option("--format", "form", type=OneOf(FORMS), metavar="NAME", help=words)
    as_json = click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
    return form(as_json(formed))


def seed(words: str = "Make random methods repeatable.") -> Decorator:
    """--seed; `words` say what it makes repeatable."""
    return click.option("--seed", "rng", type=Whole(0), metavar="N", help=words)


def plot(words: str = "Draw a PNG, PDF or SVG file.") -> Decorator:
    """--plot; `words` say what is drawn."""
    check = checked_by("rocbands.plot.files", "check_target")
    return click.option("--plot", type=OutputFile(), metavar="FILE", callback=check, help=words)
