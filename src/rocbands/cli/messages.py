"""Errors and warnings of the library, with the names that the running command has for things.

The library's messages mention arguments and functions (:func:`rocbands.errors.arg`,
:func:`rocbands.errors.call`). Options are stored under the name of the argument that they become,
so the spelling comes from the command itself: `n_resamples` is the option `--resamples`. Only what
has no option of its own needs a word in `aliases`. All else in a message is shown as it is.
"""

from __future__ import annotations

import ast
import os
import shlex
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any

import click

from rocbands.errors import InputError, Mention, RocBandsWarning

if TYPE_CHECKING:
    from rich.progress import Progress

BAD_INPUT = 2  # exit code

_REMARKS = "rocbands.remarks"
_COLUMNS = "rocbands.columns"

# Commands that do what a function of the library does, where the names differ.
_FUNCTIONS = {
    "auc_interval": "auc",
    "average_precision_difference": "ap",
    "average_precision_interval": "ap",
    "compare_many": "compare",
    "compare_tpr": "compare --at-fpr F",
    "cost_curve": "cost",
    "cost_difference": "cost",
    "cost_interval": "cost",
    "cost_thresholds": "cost --validation FILE",
    "count_scores": "count",
    "difference_band": "difference",
    "fold_auc_interval": "auc --folds NAME",
    "mcnemar": "compare --threshold T",
    "net_benefit": "net-benefit",
    "net_benefit_difference": "net-benefit",
    "operating_condition": "cost --condition",
    "operating_points": "points",
    "partial_auc_interval": "auc --fpr-range A,B",
    "pr_band": "band --view pr",
    "rate_bounds": "rate",
    "rate_difference": "rate",
    "roc_band": "band",
    "roc_bands": "classes",
    "roc_curve": "roc",
    "sample_size": "plan",
}
_SAME_NAME = ("compare", "methods", "report", "subgroups")

# What to do here, by topics of which the library says what to do in Python; nothing for others.
_ADVICE = {
    "by": "Say --by NAME.",
    "file": "file",
    "one model": "Name it by --score NAME.",
    "rows": "Name the file that was counted.",
    "same rows": "Leave --unpaired out, and name both by --score A --score B.",
    "use": "use",
    "two models": "Name them by --score A --score B.",
}


class Command(click.Command):
    """A command that says in one line what is wrong with its input, and ends with exit code 2.

    `aliases` are words for arguments of the library that are not one option here.
    """

    def __init__(
        self, *args: Any, aliases: Mapping[str, str] | None = None, **attributes: Any
    ) -> None:
        super().__init__(*args, **attributes)
        self.aliases = dict(aliases or {})

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the options, some of which the library checks; no file is both read and written."""
        with _explain_refusals(ctx):
            left = super().parse_args(ctx, args)
            if not ctx.resilient_parsing:
                _refuse_output_among_inputs(ctx)
        return left

    def invoke(self, ctx: click.Context) -> Any:
        """Run; remarks are said if all went well, since an error is one line alone."""
        with _explain_refusals(ctx):
            found = super().invoke(ctx)
        for line in ctx.meta.pop(_REMARKS, ()):
            click.echo(line, err=True)
        return found


class OutputFile(click.Path):
    """A file that the command writes; it is refused if another argument names it, too."""


def _refuse_output_among_inputs(ctx: click.Context) -> None:
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
def _explain_refusals(ctx: click.Context) -> Iterator[None]:
    """Say what is wrong with the input in the words of the command, and end it."""
    try:
        yield
    except InputError as problem:
        print_line(problem.message.render(spelling(ctx)))
        ctx.exit(BAD_INPUT)


def command(
    name: str, short_help: str, examples: str, **attributes: Any
) -> Callable[[Callable[..., Any]], Command]:
    """Make a :class:`Command` of a function, with lines of examples below its help."""
    epilog = f"\b\nExamples:{_name_files(examples)}"
    return click.command(name, cls=Command, short_help=short_help, epilog=epilog, **attributes)


def _name_files(examples: str) -> str:
    """Begin with the line that writes the files which the examples read."""
    made = {"later.csv": " --later later.csv", "scores.csv": ""}
    rest = next((rest for name, rest in made.items() if f" {name}" in examples), None)
    return examples if rest is None else f"\n  rocbands example -o scores.csv{rest}{examples}"


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


def remember_label(column: str, argument: str = "y_true") -> None:
    """Say what the column is called that the library knows as `y_true`, or as `argument`."""
    click.get_current_context().meta.setdefault(_COLUMNS, {})[argument] = column


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
    options: dict[str, str] = {}
    separate = set()  # options that take several words
    for option in ctx.command.params:
        if isinstance(option, click.Option):
            options |= {name.lstrip("-").replace("-", "_"): name for name in option.opts}
            options[str(option.name)] = option.opts[0]
            separate |= {option.opts[0]} if option.nargs > 1 else set()
    aliases: Mapping[str, str] = getattr(ctx.command, "aliases", {})

    columns = {"y_true": "of labels", "y_score": "of scores"}
    columns |= {name: repr(column) for name, column in ctx.meta.get(_COLUMNS, {}).items()}

    def spell(mention: Mention) -> str:
        kind, name, value = mention
        if kind == "python":
            return _ADVICE.get(name, "")
        if kind == "function":
            command = name if name in _SAME_NAME else _FUNCTIONS.get(name)
            return f"'rocbands {command}'" if command else mention.in_python()
        if name in columns:
            return f"column {columns[name]}"
        if name == "missing" and "drop_missing" in options:
            return "--drop-missing"
        return spell_option(kind, name, value)

    def spell_option(kind: str, name: str, value: str) -> str:
        option, between = aliases.get(name) or options.get(name), " "
        if option is None:  # a parameter of the method, if it can be set
            option, between = f"--set {name}" if "settings" in options else name, "="
        if kind == "argument" or (value == "True" and between == " "):
            return option
        joint = " " if option in separate else ","
        return f"{option}{between}{'yes' if value == 'True' else _write_on_line(value, joint)}"

    return spell


def _write_on_line(value: str, joint: str = ",") -> str:
    """Write a Python value as a word of a shell command: (50, 200) becomes 50,200."""
    try:
        read = ast.literal_eval(value)
    except (SyntaxError, ValueError):
        return value
    if isinstance(read, (tuple, list)):
        return joint.join(map(str, read))
    return shlex.quote(str(read))


_PATIENCE = 0.5  # seconds; what takes less needs no bar
_PAUSE = 30.0  # seconds between lines where nobody watches a bar, as in a log


def is_plain(stream: Any) -> bool:
    """Tell whether a stream wants text and nothing else: no colours, no bars."""
    return not stream.isatty() or os.environ.get("TERM") == "dumb"


def _start_bar(title: str, total: int | None, *columns: str) -> Progress:
    """Show a bar with these columns of `rich.progress`."""
    from rich import progress
    from rich.console import Console

    shown: list[Any] = [progress.TextColumn("{task.description}", markup=False)]
    shown += [getattr(progress, column)() for column in columns]
    bar = progress.Progress(*shown, console=Console(stderr=True), transient=True)
    bar.add_task(title, total=total)
    bar.start()
    return bar


@contextmanager
def working(title: str) -> Iterator[None]:
    """Show that work goes on, if it takes long and somebody is watching."""
    if is_plain(sys.stderr):
        yield
        return
    from threading import Timer

    started: list[Progress] = []
    columns = ("SpinnerColumn", "TimeElapsedColumn")
    timer = Timer(_PATIENCE, lambda: started.append(_start_bar(title, None, *columns)))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        for bar in started:
            bar.stop()


class _Bar:
    """Shows how much is done, if that takes long and somebody is watching."""

    numbers = "MofNCompleteColumn"

    def __init__(self, title: str) -> None:
        self._title = title
        self._begin = time.monotonic()
        self._watched = not is_plain(sys.stderr)
        self._bar: Progress | None = None

    def __enter__(self) -> Any:
        return self

    def __call__(self, done: int, total: int | None) -> None:
        """Take notice of what is done, and of what there is to do in all."""
        if not self._watched or time.monotonic() - self._begin < _PATIENCE:
            return
        if self._bar is None:
            columns = ("BarColumn", self.numbers, "TimeRemainingColumn")
            self._bar = _start_bar(self._title, total, *columns)
        self._bar.update(self._bar.task_ids[0], completed=done)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()


class ReadingBar(_Bar):
    """Shows how much of a file has been read; called with bytes."""

    numbers = "DownloadColumn"

    def __init__(self, title: str) -> None:
        super().__init__(f"Reading {title}")


class ReportBar(_Bar):
    """Shows how much of a report is done; called with parts."""

    def __init__(self) -> None:
        super().__init__("Making the report")


class StudyBar(_Bar):
    """Shows how much of a study is measured; called with blocks.

    Where no terminal shows a bar, a plain line now and then tells how long it may still take.
    """

    def __init__(self, title: str) -> None:
        super().__init__(f"Measuring {title}")
        self._said = self._begin
        self._first: int | None = None

    def __call__(self, done: int, total: int | None) -> None:
        super().__call__(done, total)
        now = time.monotonic()
        if self._first is None:
            self._first = done  # what an earlier run left says nothing about the speed of this one
        if self._watched or not total or now - self._said < _PAUSE or done <= self._first:
            return
        self._said = now
        left = (now - self._begin) * (total - done) / (done - self._first)
        click.echo(f"{self._title}: {done} of {total} blocks, about {left:.0f} s left", err=True)
