"""Options that many commands have, in the same words."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import AbstractContextManager, nullcontext
from difflib import get_close_matches
from functools import wraps
from typing import Any

import click

__all__ = [
    "FORMS",
    "NUMBER",
    "OneOf",
    "Range",
    "Whole",
    "alternative",
    "completes",
    "counts_out",
    "dask",
    "executor_at",
    "forms",
    "is_given",
    "level",
    "plot",
    "resamples",
    "seed",
    "usage",
]

Decorator = Callable[[Any], Any]

FORMS = ("text", "markdown", "latex", "csv", "json")


class OneOf(click.Choice[str]):
    """A value from a list; what is not in it is refused with the value that was perhaps meant."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the value if it is one of the list."""
        known = [str(choice) for choice in self.choices]
        if value in known:
            return str(value)
        close = get_close_matches(str(value), known, n=1)
        hint = f"Did you mean {close[0]!r}?" if close else "Choose one of these."
        name = _called(param)
        raise click.UsageError(
            f"{name} must be one of {', '.join(known)}; got {value!r}. {hint}", ctx
        )


class Number(click.ParamType[float]):
    """A number; NaN is none."""

    name = "number"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Read the number."""
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if math.isnan(number):
            name = _called(param)
            raise click.UsageError(
                f"{name} must be a number; got {str(value)!r}. Write, for example, {name} 0.5", ctx
            )
        return number


class Whole(click.ParamType[int]):
    """A whole number.

    Parameters
    ----------
    least : int, optional
        The smallest that is allowed; by default the library says.
    """

    name = "whole number"

    def __init__(self, least: int | None = None) -> None:
        self._least = least

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read the number."""
        try:
            number = int(value)
        except ValueError:
            number = None
        if number is not None and (self._least is None or number >= self._least):
            return number
        name = _called(param)
        least = "" if self._least is None else f" of at least {self._least}"
        example = max(self._least or 0, 1) if self._least is not None else 1000
        raise click.UsageError(
            f"{name} must be a whole number{least}; got {str(value)!r}. Write, for example, "
            f"{name} {example}",
            ctx,
        )


def _called(param: click.Parameter | None) -> str:
    """Return what a parameter is called on the command line."""
    if isinstance(param, click.Option):
        return param.opts[0]
    return "It" if param is None else param.human_readable_name


NUMBER = Number()


class Range(click.ParamType[tuple[float, float]]):
    """Two numbers, as in 0,0.1."""

    name = "range"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, float]:
        """Read both ends."""
        if isinstance(value, tuple):
            return value
        try:
            low, high = (float(end) for end in str(value).split(","))
        except ValueError:
            name = _called(param)
            raise click.UsageError(
                f"{name} must be two rates with a comma between, the smaller first; got {value!r}. "
                f"Write, for example, {name} 0,0.1",
                ctx,
            ) from None
        return low, high


def completes(*known: str) -> Any:
    """Let the shell complete one of these words, for an option that the library checks."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
        return [word for word in known if word.startswith(incomplete)]

    return complete


def usage(message: str) -> click.UsageError:
    """Make the error of options that do not go together."""
    return click.UsageError(message, click.get_current_context())


def is_given(name: str) -> bool:
    """Tell whether an option stands on the command line."""
    source = click.get_current_context().get_parameter_source(name)
    return source is click.core.ParameterSource.COMMANDLINE


level: Decorator = click.option(
    "--level",
    type=NUMBER,
    metavar="L",
    default=0.95,
    show_default=True,
    help="Confidence level, in (0, 1).",
)


def alternative(words: str) -> Decorator:
    """--alternative; `words` say what the sides mean."""
    return click.option(
        "--alternative",
        metavar="SIDE",
        default="two-sided",
        show_default=True,
        shell_complete=completes("two-sided", "less", "greater"),
        help=words,
    )


resamples: Decorator = click.option(
    "--resamples", type=Whole(), metavar="N", help="Test sets to draw, for methods that resample."
)

counts_out: Decorator = click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(dir_okay=False),
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


def forms(command: Any) -> Any:
    """--format and --json; the command gets one of `FORMS` as `form`."""

    @wraps(command)
    def formed(*, as_json: bool, form: str | None, **asked: Any) -> Any:
        if as_json and form not in (None, "json"):
            raise usage(f"--json prints JSON, --format {form} does not; both were given.")
        return command(form="json" if as_json else form or "text", **asked)

    words = "How to print: text (default), markdown, latex, csv or json."
    form = click.option("--format", "form", type=OneOf(FORMS), metavar="NAME", help=words)
    as_json = click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
    return form(as_json(formed))


def seed(words: str = "Make random methods repeatable.") -> Decorator:
    """--seed; `words` say what it makes repeatable."""
    return click.option("--seed", type=Whole(0), metavar="N", help=words)


def plot(words: str = "Draw a PNG, PDF or SVG file.") -> Decorator:
    """--plot; `words` say what is drawn."""
    return click.option("--plot", metavar="FILE", type=click.Path(), help=words)
