"""Errors and warnings of the library, with the names that the running command has for things.

The library's messages mention arguments and functions (:func:`rocbands.errors.arg`,
:func:`rocbands.errors.call`). Options are stored under the name of the argument that they become,
so the spelling comes from the command itself: `n_resamples` is the option `--resamples`. Only what
has no option of its own needs a word in `aliases`. All else in a message is shown as it is.
"""

from __future__ import annotations

import ast
import shlex
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import click

from rocbands.errors import InputError, Mention, RocBandsWarning

__all__ = [
    "Command",
    "OutputFile",
    "command",
    "print_line",
    "remark",
    "remember_label",
    "spelling",
    "usage",
    "warnings_about",
]

BAD_INPUT = 2  # exit code

_REMARKS = "rocbands.remarks"
_LABEL = "rocbands.label"

# Commands that do what a function of the library does, where the names differ.
_FUNCTIONS = {
    "auc_interval": "auc",
    "average_precision_interval": "ap",
    "compare_many": "compare",
    "cost_curve": "cost",
    "cost_thresholds": "cost --validation FILE",
    "costs_at": "condition",
    "count_scores": "count",
    "difference_band": "difference",
    "fold_auc_interval": "auc --folds NAME",
    "operating_condition": "condition",
    "operating_points": "points",
    "partial_auc_interval": "auc --fpr-range A,B",
    "pr_band": "band --view pr",
    "rate_bounds": "rate",
    "roc_band": "band",
    "roc_bands": "band --classes",
    "subgroups": "band --by",
    "roc_curve": "roc",
    "sample_size": "plan",
}
_SAME_NAME = ("compare", "methods", "report")


class Command(click.Command):
    """A command that says in one line what is wrong with its input, and ends with exit code 2.

    Parameters
    ----------
    aliases : mapping of str to str, optional
        Arguments of the library that are not one option here, and what to call them.
    """

    def __init__(
        self, *args: Any, aliases: Mapping[str, str] | None = None, **attributes: Any
    ) -> None:
        super().__init__(*args, **attributes)
        self.aliases = dict(aliases or {})

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the options, some of which the library checks; no file is both read and written."""
        with _refusals(ctx):
            left = super().parse_args(ctx, args)
            if not ctx.resilient_parsing:
                _keep_inputs(ctx)
        return left

    def invoke(self, ctx: click.Context) -> Any:
        """Run; remarks are said if all went well, since an error is one line alone."""
        with _refusals(ctx):
            found = super().invoke(ctx)
        for line in ctx.meta.pop(_REMARKS, ()):
            click.echo(line, err=True)
        return found


class OutputFile(click.Path):
    """A file that the command writes; it is refused if another argument names it, too."""


def _keep_inputs(ctx: click.Context) -> None:
    """Refuse an output that is another file on the line, also by a link, before any work.

    Every argument of type `click.Path` counts as read; so a new command is covered by its types.
    """
    named: dict[str, list[str]] = {}
    for param in ctx.command.params:
        value: Any = ctx.params.get(str(param.name))
        if isinstance(param.type, click.Path) and value is not None:
            named[str(param.name)] = [value] if isinstance(value, str) else list(value)
    for param in ctx.command.params:
        if isinstance(param.type, OutputFile) and param.name in named:
            from rocbands.io.writing import refuse_overwriting

            (target,) = named[param.name]
            others = (paths for name, paths in named.items() if name != param.name)
            refuse_overwriting(target, (path for paths in others for path in paths))


@contextmanager
def _refusals(ctx: click.Context) -> Iterator[None]:
    """Say what is wrong with the input in the words of the command, and end it."""
    try:
        yield
    except InputError as problem:
        print_line(problem.message.render(spelling(ctx)))
        ctx.exit(BAD_INPUT)


def command(name: str, **attributes: Any) -> Callable[[Callable[..., Any]], Command]:
    """Make a :class:`Command` of a function, as `click.command` does."""
    return click.command(name, cls=Command, **attributes)


def print_line(message: str) -> None:
    """Print one line on stderr."""
    click.echo("rocbands: " + " ".join(message.splitlines()), err=True)


def usage(message: str) -> click.UsageError:
    """Make the error of options that do not go together."""
    return click.UsageError(message, click.get_current_context())


def remark(message: str, prefix: str = "rocbands: ") -> None:
    """Keep a line for stderr until the command has succeeded."""
    line = prefix + " ".join(message.splitlines())
    click.get_current_context().meta.setdefault(_REMARKS, []).append(line)


def remember_label(column: str) -> None:
    """Say what the column is called that the library knows as `y_true`."""
    click.get_current_context().meta[_LABEL] = column


@contextmanager
def warnings_about(subject: str) -> Iterator[None]:
    """Turn warnings of the library into remarks about `subject`; other warnings stay warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", RocBandsWarning)
        show_others = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
            if isinstance(message, RocBandsWarning):
                spell = spelling(click.get_current_context())
                remark(f"{subject}: {message.message.render(spell)}")
            else:
                show_others(message, category, *where, **more)

        warnings.showwarning = show
        yield


def spelling(ctx: click.Context) -> Callable[[Mention], str]:
    """Return how the command that runs in `ctx` spells arguments and functions.

    Examples
    --------
    >>> own = Command("auc", params=[click.Option(["--resamples", "n_resamples"])])
    >>> spell = spelling(click.Context(own))
    >>> spell(Mention("value", "n_resamples", "1000")), spell(Mention("function", "methods"))
    ('--resamples 1000', "'rocbands methods'")
    """
    options = {
        str(option.name): option.opts[0]
        for option in ctx.command.params
        if isinstance(option, click.Option)
    }
    aliases: Mapping[str, str] = getattr(ctx.command, "aliases", {})

    label = repr(ctx.meta[_LABEL]) if _LABEL in ctx.meta else "of labels"

    def spell(mention: Mention) -> str:
        kind, name, value = mention
        if kind == "function":
            command = name if name in _SAME_NAME else _FUNCTIONS.get(name)
            return f"'rocbands {command}'" if command else mention.in_python()
        if name == "y_true":
            return f"column {label}"
        option, between = aliases.get(name) or options.get(name), " "
        if option is None:  # a parameter of the method, if it can be set
            option, between = f"--set {name}" if "settings" in options else name, "="
        if kind == "argument" or value == "True":
            return option
        return f"{option}{between}{_on_a_line(value)}"

    return spell


def _on_a_line(value: str) -> str:
    """Write a Python value as a word of a shell command: (50, 200) becomes 50,200."""
    try:
        read = ast.literal_eval(value)
    except (SyntaxError, ValueError):
        return value
    if isinstance(read, (tuple, list)):
        return ",".join(map(str, read))
    return shlex.quote(str(read))
