"""Options that many commands share, with the same names and help.

An option is stored under the name of the library's argument that it becomes, so that messages of
the library can name the option (see :mod:`rocbands.cli.messages`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial, wraps
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from rocbands.cli.messages import OutputFile, usage
from rocbands.cli.output import FORMS, LATEX_STYLE, Output
from rocbands.core.arguments import suggest
from rocbands.errors import InputError, Message, arg, call

if TYPE_CHECKING:
    from rocbands.core.method import Method
    from rocbands.io.form import Form

    TextChoice = click.Choice[str]
    AnyType = click.ParamType[Any]
else:  # before click 8.4 these classes cannot be subscripted
    TextChoice, AnyType = click.Choice, click.ParamType

Decorator = Callable[[Any], Any]


class OneOf(TextChoice):
    """One of a list of words; other words are refused with a suggestion.

    `also` maps other names of a word to it, for suggestions.
    """

    def __init__(self, choices: Iterable[str], also: Mapping[str, str] | None = None) -> None:
        super().__init__(list(choices))
        self.also = dict(also or {})

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        known = [str(choice) for choice in self.choices]
        if value in known:
            return str(value)
        hint = f"Did you mean {self.also[value]!r}?" if value in self.also else ""
        hint = hint or suggest(value, known, "Choose one of these.")
        must = f"{_name_parameter(param)} must be one of {', '.join(known)}"
        raise click.UsageError(f"{must}; got {value!r}. {hint}", ctx)


class Parsed(AnyType):
    """A value that `read` makes of text; where it raises ValueError, the text is refused."""

    def __init__(self, must: str, example: str, read: Callable[[str], Any]) -> None:
        self.name = must
        self.example = example
        self.read = read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return self.read(value)
        except ValueError:
            name = _name_parameter(param)
            must = f"{name} must be {self.name}; got {value!r}"
            meant = _guess_number(value, param) if self is NUMBER else None
            default = param.default if self is NUMBER and param is not None else None
            example = default if isinstance(default, float) else self.example
            advice = (
                f"Write, for example, {name} {example}"
                if meant is None
                else (f"Write {name} {meant:g}")
            )
            if name == "--threshold" and meant is None and _has_option(ctx, "best"):
                advice += ", or the best by a rule: --best youden"
            raise click.UsageError(f"{must}. {advice}", ctx) from None


def _has_option(ctx: click.Context | None, name: str) -> bool:
    return ctx is not None and any(param.name == name for param in ctx.command.params)


def _guess_number(text: str, param: click.Parameter | None) -> float | None:
    """Return what 95% or 0,95 means; None if it is neither."""
    bare = text.strip()
    try:
        if not bare.endswith("%"):
            return _read_number(bare.replace(",", ".", 1)) if "," in bare else None
        share = _read_number(bare[:-1].replace(",", ".", 1)) / 100.0
    except ValueError:
        return None
    has_default = param is not None and isinstance(param.default, float)
    return None if has_default and share < 0.01 else share  # a level of .95% is hardly meant


def _name_parameter(param: click.Parameter | None) -> str:
    """Return what a parameter is called on the command line."""
    if isinstance(param, click.Option):
        return param.opts[0]
    return "It" if param is None else param.human_readable_name


def _read_number(text: str) -> float:
    number = float(text)
    if math.isnan(number):
        raise ValueError
    return number


def _read_range(text: str) -> tuple[float, float]:
    low, high = map(float, text.split(","))
    return low, high


def _read_sizes(text: str) -> Any:
    try:
        n_pos, n_neg = map(int, text.split(","))
    except ValueError:
        return text  # the library refuses it
    return n_pos, n_neg


def _read_counts(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def _whole_number(least: int | None) -> Parsed:
    def read(text: str) -> int:
        if least is not None and int(text) < least:
            raise ValueError
        return int(text)

    if least is None:  # the library says what is allowed
        return Parsed("a whole number", "1000", read)
    return Parsed(f"a whole number of at least {least}", str(max(least, 1)), read)


NUMBER = Parsed("a number", "0.5", _read_number)
_COST = Parsed(
    "two numbers, the costs of a missed positive and of a false alarm", "10 1", _read_number
)
_RANGE = Parsed("two rates with a comma between, the smaller first", "0,0.1", _read_range)
_SIZES = Parsed("two class sizes", "50,200", _read_sizes)
_COUNTS = Parsed("whole numbers with commas between", "4,6,8", _read_counts)


def text(
    option: str,
    words: str,
    metavar: str | None = None,
    *,
    name: str | None = None,
    also: str | None = None,
    known: Iterable[str] = (),
    **attributes: Any,
) -> Decorator:
    """Make an option with help `words`; by default it takes text as it is.

    `name` is that of the argument, if not the option's own; `also` is a synonym of the option. The
    shell completes `known` words, which the library checks.
    """
    if known:
        attributes["shell_complete"] = partial(_complete, known)
    if attributes.get("default") is not None:
        attributes.setdefault("show_default", True)
    names = sorted(filter(None, (option, also)), key=lambda one: one.startswith("--"))  # -o first
    argument = name or option.lstrip("-").replace("-", "_")
    return click.option(*names, argument, help=words, metavar=metavar, **attributes)


def _complete(
    known: Iterable[str], ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[str]:
    return [word for word in known if word.startswith(incomplete)]


number = partial(text, type=NUMBER)
numbers = partial(number, multiple=True)
flag = partial(text, is_flag=True)
input_file = partial(text, metavar="FILE", type=click.Path())
output_file = partial(text, metavar="FILE", type=OutputFile(dir_okay=False))
rates_between = partial(text, metavar="A,B", type=_RANGE)
counts = partial(text, metavar="N,...", type=_COUNTS)


def whole(option: str, words: str, least: int | None = None, **more: Any) -> Decorator:
    """Take a whole number of at least `least`."""
    return text(option, words, "N", type=_whole_number(least), **more)


def one_of(option: str, words: str, known: Iterable[str], **more: Any) -> Decorator:
    """Take one of some words, by default the first."""
    known = list(known)
    return text(option, words, type=OneOf(known), default=known[0], **more)


def combine(*options: Decorator) -> Decorator:
    """Return one decorator that adds several options, in the order of the help."""

    def decorate(function: Any) -> Any:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def refuse(what: str, *names: str, instead: str = "") -> None:
    """Refuse options, by the names of their arguments, that do not apply."""
    ctx, line = click.get_current_context(), click.core.ParameterSource.COMMANDLINE
    for param in ctx.command.params:
        if param.name in names and ctx.get_parameter_source(param.name) is line:
            remedy = f"Leave it out, or {instead}" if instead else "Leave it out"
            raise usage(f"{_name_parameter(param)} is not for {what}. {remedy}.")


def check_with(module: str, function: str) -> Any:
    """Let the library check an option as soon as it is parsed, before any file is read."""

    def check(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
        if value is not None and not ctx.resilient_parsing:
            found = getattr(import_module(module), function)(value)
            return value if isinstance(value, str) else found
        return value

    return check


positive = text(
    "--positive",
    "Positive label; required unless the labels are 0 and 1, -1 and 1, or true and false.",
    "LABEL",
)
rest = flag("--rest", "With more than two labels: all but --positive are negative.")
level = number(
    "--level",
    "Confidence level, in (0, 1).",
    "L",
    callback=check_with("rocbands.core.checks", "check_level"),
    default=0.95,
)
resamples = whole(
    "--resamples", "Number of resamples, for methods that resample.", name="n_resamples"
)
sheet = text("--sheet", "Sheet of an Excel workbook; by default the first with a table.", "NAME")
written = combine(
    text(
        "--encoding",
        "Encoding of a file of text; by default UTF-8 or, if it is not that, cp1252 (Windows).",
        "NAME",
        known=("utf-8", "cp1252", "cp1250", "latin-1", "utf-16"),
    ),
    text(
        "--decimal",
        "Decimal sign of numbers in text, a point or a comma; by default found from all cells.",
        "SIGN",
        known=(".", ","),
    ),
)
counts_out = output_file(
    "--output",
    "Parquet file for the counts, or CSV if its name ends in .csv; written as a whole or not at "
    "all.",
    also="-o",
    required=True,
)
_LOG = text(
    "--log/--linear",
    "Axis of false positive rates in the plot: logarithmic or linear. By default logarithmic "
    "if fewer than 1% of the cases are positive, as in a report.",
    name="log",
    default=None,
)


def take_form(asked: dict[str, Any]) -> Form:
    """Remove the options that say how a file is written, and return what they say."""
    from rocbands.io.form import Form

    return Form(*(asked.pop(name, None) for name in ("sheet", "encoding", "decimal")))


def future(words: str) -> Decorator:
    """--future; `words` say what is computed for such a test set."""
    check = check_with("rocbands.core.checks", "check_future")
    return text("--future", words, "P,N", type=_SIZES, callback=check)


def alternative(words: str) -> Decorator:
    """--alternative; `words` say what the sides mean."""
    return text(
        "--alternative",
        words,
        "SIDE",
        known=("two-sided", "less", "greater"),
        default="two-sided",
        callback=check_with("rocbands.core.method", "check_alternative"),
    )


def seed(words: str = "Seed of random numbers.") -> Decorator:
    """--seed."""
    return whole("--seed", words, 0, name="rng", default=0)


def costs(function: Any) -> Any:
    """--costs, or --c-fn and --c-fp; the command gets `costs`."""

    @wraps(function)
    def run(*, costs: Any, c_fn: float | None, c_fp: float | None, **asked: Any) -> Any:
        if (c_fn is None) != (c_fp is None):
            one, other = ("--c-fp", "--c-fn") if c_fn is None else ("--c-fn", "--c-fp")
            raise usage(f"{one} needs {other}: only their ratio matters.")
        if c_fn is not None and costs is not None:
            raise usage("--costs and --c-fn, --c-fp mean the same. Leave one out.")
        return function(costs=costs if c_fn is None else (c_fn, c_fp), **asked)

    add = combine(
        text(
            "--costs",
            "Costs of a missed positive and of a false alarm.",
            "A B",
            type=(_COST, _COST),
        ),
        number("--c-fn", "Cost of a missed positive, with --c-fp instead of --costs.", "A"),
        number("--c-fp", "Cost of a false alarm.", "B"),
    )
    return add(run)


PLOT = "Write a plot to a PNG, PDF or SVG file."


def output(plot: str | None = None, *, log: bool = False) -> Decorator:
    """Add --format, --json, and with help of a `plot` --plot; the command gets `out`, an Output."""
    words = "Output: text (default), markdown, latex, csv, safe-csv (no formulas) or json."
    check = check_with("rocbands.plot", "check_target")
    plots = [text("--plot", plot, "FILE", type=OutputFile(), callback=check)] if plot else []
    add = combine(
        *plots,
        *([_LOG] if log else []),
        text("--format", words, "NAME", name="form", type=OneOf(FORMS)),
        flag("--json", "The same as --format json.", name="as_json"),
        text("--caption", "Caption of the table, with --format latex.", "TEXT"),
        whole("--digits", "Number of decimals, with --format latex.", 0),
    )

    def decorate(function: Any) -> Any:
        @wraps(function)
        def run(*, as_json: bool, form: str | None, caption: Any, digits: Any, **asked: Any) -> Any:
            style = {"caption": caption, "digits": digits}
            for name, value in style.items():
                if value is not None and form != "latex":
                    raise usage(f"--{name} needs --format latex.")
            click.get_current_context().meta[LATEX_STYLE] = style
            if as_json and form not in (None, "json"):
                raise usage(f"--json prints JSON, --format {form} does not; both were given.")
            plot, log = asked.pop("plot", None), asked.pop("log", None)
            if log is not None and plot is None:
                raise usage("--log and --linear need --plot.")
            return function(out=Output("json" if as_json else form or "text", plot, log), **asked)

        return add(run)

    return decorate


def method(
    question: str,
    words: str,
    *,
    registry: Callable[[Mapping[str, Any]], str] = lambda asked: "METHODS",
    resampled: bool = True,
) -> Decorator:
    """Add --method, --set and --resamples; the command gets a :class:`Choose` as `choose`.

    `registry` names the table to complete from, where that depends on other options. Not
    `resampled`: no method resamples, and there is no --resamples.
    """

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
        from rocbands._methods import known_methods

        return _complete(known_methods(question, registry(ctx.params)), ctx, param, incomplete)

    add = combine(
        text(
            "--method",
            f"{words}; 'rocbands methods {question}' lists them.",
            "NAME",
            shell_complete=complete,
        ),
        text(
            "--set",
            "Parameter of the method; can be repeated. 'rocbands methods' lists them.",
            "NAME=VALUE",
            name="settings",
            multiple=True,
        ),
        *([resamples] if resampled else []),
    )

    def decorate(function: Any) -> Any:
        @wraps(function)
        def run(*, method: Any, settings: Any, n_resamples: Any = None, **asked: Any) -> Any:
            return function(choose=Choose(question, method, settings, n_resamples), **asked)

        return add(run)

    return decorate


@dataclass(frozen=True)
class Choose:
    """What the command line says about the method of a question."""

    question: str
    name: str | None
    settings: tuple[str, ...]
    n_resamples: int | None

    def __call__(
        self, *, table: str = "METHODS", default: str | None = None, **request: Any
    ) -> Method | None:
        """Make the method, before any file is read; None leaves the choice to the library.

        `table` of the question lists the methods; `default` is the default if it is not the first.
        A level, future or alternative that the method cannot use is refused.
        """
        from rocbands._methods import known_methods
        from rocbands.core.method import Method, resolve_method

        if self.name is None and self.n_resamples is None and not self.settings:
            return None
        known = known_methods(self.question, table)
        usual = default or next(iter(known))
        chosen = resolve_method(self.name, known, Method, usual, n_resamples=self.n_resamples)
        values = dict(_read_setting(text, chosen) for text in self.settings)
        chosen = replace(chosen, **values) if values else chosen
        chosen.check_request(**request)
        return chosen


def _read_setting(text: str, method: Method) -> tuple[str, Any]:
    name, sign, value = (part.strip() for part in text.partition("="))
    name = name.replace("-", "_")
    if not sign or not name:
        raise InputError(
            "must be a parameter and its value",
            f"got {text!r}",
            Message(
                "Write {} NAME=VALUE; {} lists the parameters.", arg("settings"), call("methods")
            ),
            argument="settings",
        )
    known = method.parameters
    if name not in known:
        hint = f"{suggest(name, known)} ".lstrip()
        listed = f"Its parameters are {', '.join(known)}." if known else "It has none."
        raise InputError(f"Method {method.name!r} has no parameter {name!r}. {hint}{listed}")
    return name, _read_value(name, value, known[name])


_FLAGS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_KINDS: tuple[tuple[type, str, Callable[[str], Any]], ...] = (
    (bool, "yes or no", lambda text: _FLAGS[text.casefold()]),  # before int, which it is, too
    (int, "a whole number", int),
    (float, "a number", float),
)


def _read_value(name: str, text: str, default: Any) -> Any:
    """Read a value of the same type as the default."""
    for kind, must, read in _KINDS:
        if isinstance(default, kind):
            try:
                return read(text)
            except (KeyError, ValueError):
                example = "yes" if kind is bool else default
                raise InputError(
                    f"--set {name} must be {must}; got {text!r}. Write, for example, "
                    f"{name}={example}."
                ) from None
    return text
