"""Options that many commands have, in the same words."""

from __future__ import annotations

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from difflib import get_close_matches
from functools import partial, wraps
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from rocbands.cli.messages import OutputFile, usage
from rocbands.errors import InputError, arg, call

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from rocbands.core.method import Method

    TextChoice = click.Choice[str]
    AnyType = click.ParamType[Any]
else:  # before click 8.4 these classes cannot be subscripted
    TextChoice, AnyType = click.Choice, click.ParamType

Decorator = Callable[[Any], Any]
Choose = Callable[..., Any]  # makes the method that was asked for, or None

FORMS = ("text", "markdown", "latex", "csv", "safe-csv", "json")


class OneOf(TextChoice):
    """A value from a list; what is not in it is refused with the value that was perhaps meant."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        known = [str(choice) for choice in self.choices]
        if value in known:
            return str(value)
        close = get_close_matches(str(value), known, n=1)
        hint = f"Did you mean {close[0]!r}?" if close else "Choose one of these."
        name = _name_parameter(param)
        raise click.UsageError(
            f"{name} must be one of {', '.join(known)}; got {value!r}. {hint}", ctx
        )


class _Parsed(AnyType, ABC):
    """A value that is read from text, or refused in our words."""

    must = ""
    example = ""

    @abstractmethod
    def read(self, text: str) -> Any:
        """Read the text, or raise ValueError."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return self.read(value)
        except ValueError:
            name = _name_parameter(param)
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
        number = float(text)
        if math.isnan(number):
            raise ValueError
        return number


class Whole(_Parsed):
    """A whole number of at least `least`; by default the library says what is allowed."""

    name = "whole number"

    def __init__(self, least: int | None = None) -> None:
        self._least = -math.inf if least is None else least
        self.must = "a whole number" + ("" if least is None else f" of at least {least}")
        self.example = "1000" if least is None else str(max(least, 1))

    def read(self, text: str) -> int:
        number = int(text)
        if number < self._least:
            raise ValueError
        return number


class Range(_Parsed):
    """Two numbers, as in 0,0.1."""

    name = "range"
    must, example = "two rates with a comma between, the smaller first", "0,0.1"

    def read(self, text: str) -> tuple[float, float]:
        low, high = (float(end) for end in text.split(","))
        return low, high


class Sizes(AnyType):
    """Class sizes, as in 50,200; what cannot be read is passed on, and refused by the library."""

    name = "sizes"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            n_pos, n_neg = (int(size) for size in value.split(","))
        except ValueError:
            return value
        return n_pos, n_neg


def _name_parameter(param: click.Parameter | None) -> str:
    """Return what a parameter is called on the command line."""
    if isinstance(param, click.Option):
        return param.opts[0]
    return "It" if param is None else param.human_readable_name


NUMBER = Number()


def complete_from(*known: str) -> Any:
    """Let the shell complete one of these words, for an option that the library checks."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
        return [word for word in known if word.startswith(incomplete)]

    return complete


def _option(
    option: str, words: str, name: str | None, *, also: str | None = None, **attributes: Any
) -> Decorator:
    """Make an option; `name` is the argument's, where it is not the option's; `also` a synonym."""
    names = (option, also, name or option.lstrip("-").replace("-", "_"))
    return click.option(*filter(None, names), help=words, **attributes)


def number(
    option: str, words: str, metavar: str | None = None, *, name: str | None = None, **more: Any
) -> Decorator:
    """Take a number."""
    return _option(option, words, name, type=NUMBER, metavar=metavar, **more)


def whole(
    option: str, words: str, least: int | None = None, *, name: str | None = None, **more: Any
) -> Decorator:
    """Take a whole number."""
    return _option(option, words, name, type=Whole(least), metavar="N", **more)


def flag(option: str, words: str, *, name: str | None = None) -> Decorator:
    """Take yes or no."""
    return _option(option, words, name, is_flag=True)


def word(option: str, words: str, metavar: str, known: tuple[str, ...], **more: Any) -> Decorator:
    """Take a word that the library checks; the shell completes those that are known."""
    complete = complete_from(*known)
    return _option(option, words, None, metavar=metavar, shell_complete=complete, **more)


def text(
    option: str, words: str, metavar: str, *, name: str | None = None, **more: Any
) -> Decorator:
    """Take text as it is."""
    return _option(option, words, name, metavar=metavar, **more)


def input_file(option: str, words: str, *, name: str | None = None) -> Decorator:
    """Take a file that is read."""
    return _option(option, words, name, metavar="FILE", type=click.Path())


def rates_between(option: str, words: str, *, name: str, **more: Any) -> Decorator:
    """Take a range of rates."""
    return _option(option, words, name, type=Range(), metavar="A,B", **more)


def costs(function: Any) -> Any:
    """Take what errors cost, by --costs or by --c-fn and --c-fp; the command gets `costs`."""

    @wraps(function)
    def priced(*, costs: Any, c_fn: float | None, c_fp: float | None, **asked: Any) -> Any:
        if (c_fn is None) != (c_fp is None):
            one, other = ("--c-fp", "--c-fn") if c_fn is None else ("--c-fn", "--c-fp")
            raise usage(f"{one} needs {other}: only both together say what errors weigh.")
        if c_fn is not None and costs is not None:
            raise usage("--costs and --c-fn, --c-fp are two names of the same; leave one out.")
        return function(costs=costs if c_fn is None else (c_fn, c_fp), **asked)

    pair = click.option(
        "--costs",
        type=(NUMBER, NUMBER),
        metavar="A B",
        help="Costs of a missed positive and of a false alarm.",
    )
    c_fn = number("--c-fn", "Cost of a missed positive, with --c-fp in place of --costs.", "A")
    c_fp = number("--c-fp", "Cost of a false alarm.", "B")
    return pair(c_fn(c_fp(priced)))


def is_given(name: str) -> bool:
    """Tell whether an option stands on the command line."""
    source = click.get_current_context().get_parameter_source(name)
    return source is click.core.ParameterSource.COMMANDLINE


def refuse(what: str, *names: str, instead: str = "") -> None:
    """Refuse options, by the names of their arguments, that are not for what is asked."""
    for param in click.get_current_context().command.params:
        if param.name in names and is_given(param.name):
            remedy = f"Leave it out, or {instead}" if instead else "Leave it out"
            raise usage(f"{_name_parameter(param)} is not for {what}. {remedy}.")


def check_with(module: str, function: str) -> Any:
    """Let the library check an option as soon as it is read: a slip should not cost much time."""

    def check(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
        if value is not None and not ctx.resilient_parsing:
            found = getattr(import_module(module), function)(value)
            return value if isinstance(value, str) else found
        return value

    return check


positive: Decorator = text(
    "--positive",
    "The positive label; needed unless the labels are 0 and 1, -1 and 1, or true and false.",
    "LABEL",
)

rest: Decorator = flag(
    "--rest", "With --positive, of labels of several classes: all others count as negative."
)

level: Decorator = number(
    "--level",
    "Confidence level, in (0, 1).",
    "L",
    callback=check_with("rocbands.core.checks", "check_level"),
    default=0.95,
    show_default=True,
)


def future(words: str) -> Decorator:
    """--future; `words` say what is made for such a test set."""
    check = check_with("rocbands.core.checks", "check_future")
    return click.option("--future", type=Sizes(), metavar="P,N", callback=check, help=words)


def alternative(words: str) -> Decorator:
    """--alternative; `words` say what the sides mean."""
    sides = ("two-sided", "less", "greater")
    check = check_with("rocbands.core.method", "check_alternative")
    return word(
        "--alternative", words, "SIDE", sides, default=sides[0], show_default=True, callback=check
    )


def method(
    question: str,
    words: str,
    *,
    registry: Callable[[Mapping[str, Any]], str] | None = None,
    gather: bool = True,
) -> Decorator:
    """Take the name of a method of a question: --method; --set and --resamples go with it.

    The command gets a function, `choose`: :func:`build_method` with all that was said about the
    method; without `gather`, what was said. `registry` names the table to complete from, where
    that depends on other options.
    """

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
        from rocbands._methods import known_methods

        table = "METHODS" if registry is None else registry(ctx.params)
        return [name for name in known_methods(question, table) if name.startswith(incomplete)]

    listed = f"{words}; 'rocbands methods {question}' lists them."
    option = text("--method", listed, "NAME", shell_complete=complete)

    def decorate(function: Any) -> Any:
        @wraps(function)
        def run(*, method: Any, settings: Any, n_resamples: Any, **asked: Any) -> Any:
            choose = partial(build_method, question, method, settings, n_resamples=n_resamples)
            return function(choose=choose, **asked)

        return option(run)

    return decorate if gather else option


settings: Decorator = text(
    "--set",
    "Parameter of the method; repeat it for several. 'rocbands methods' lists them.",
    "NAME=VALUE",
    name="settings",
    multiple=True,
)

resamples: Decorator = whole(
    "--resamples", "Test sets to draw, for methods that resample.", name="n_resamples"
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

    It is None if nothing was said about the method; the library then chooses. Methods are listed
    in `table` of the question, and `default` is the default's name if it is not the first of them.
    What is asked of a method (`request`: level, future, alternative) and it cannot use is refused.
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

dask: Decorator = text(
    "--dask", "Let a Dask cluster do the work: the address of its scheduler.", "ADDRESS"
)


def connect_executor(address: str | None) -> AbstractContextManager[Executor | None]:
    """Connect to the cluster that --dask names; without one the work is done here."""
    if address is None:
        return nullcontext()
    from rocbands.scale.clusters import dask_executor

    return dask_executor(address)


def forms(function: Any) -> Any:
    """--format and --json; the command gets one of `FORMS` as `form`."""

    @wraps(function)
    def formed(
        *, as_json: bool, form: str | None, caption: str | None, digits: int | None, **asked: Any
    ) -> Any:
        style = {"caption": caption, "digits": digits}
        for name, value in style.items():
            if value is not None and form != "latex":
                raise usage(f"--{name} goes with --format latex.")
        click.get_current_context().meta["rocbands.latex"] = style
        if as_json and form not in (None, "json"):
            raise usage(f"--json prints JSON, --format {form} does not; both were given.")
        return function(form="json" if as_json else form or "text", **asked)

    words = "How to print: text (default), markdown, latex, csv, safe-csv (no formulas) or json."
    form = click.option("--format", "form", type=OneOf(FORMS), metavar="NAME", help=words)
    as_json = click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
    extra = text("--caption", "Caption of the table, with --format latex.", "TEXT")
    digits = whole("--digits", "Decimals of its numbers, with --format latex.", 0)
    return form(as_json(extra(digits(formed))))


def seed(words: str = "Of random numbers; by default it is made from the data.") -> Decorator:
    """--seed; `words` say what it is for. Without it the seed is made from the data."""

    def choose(ctx: click.Context, param: click.Parameter, value: int | None) -> int | str:
        return "data" if value is None else value

    return whole("--seed", words, 0, name="rng", callback=choose)


def plot(words: str = "Draw a PNG, PDF or SVG file.") -> Decorator:
    """--plot; `words` say what is drawn."""
    check = check_with("rocbands.plot", "check_target")
    return click.option("--plot", type=OutputFile(), metavar="FILE", callback=check, help=words)


log: Decorator = click.option(
    "--log/--linear",
    "log",
    default=None,
    help="Axis of false positive rates in the picture: logarithmic or linear. By default "
    "logarithmic where fewer than 1% of the cases are positive, as in a report.",
)


def choose_axis(log: bool | None, plot: str | None, found: Mapping[str, Any]) -> bool:
    """Tell whether the axis of a picture of these results is logarithmic."""
    from rocbands.reporting.request import RARE

    if log is not None and plot is None:
        raise usage("--log and --linear go with --plot.")
    one = next(iter(found.values()))
    return one.n_pos < RARE * (one.n_pos + one.n_neg) if log is None else log
