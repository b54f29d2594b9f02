"""Errors and warnings of the library, worded for the running command.

The library's messages mention arguments and functions (:func:`rocbands.errors.arg`,
:func:`rocbands.errors.call`). Options are stored under the name of the argument that they become,
so the spelling comes from the command itself: `n_resamples` is the option `--resamples`. Only
arguments without an option of their own need a word in `aliases`.
"""

from __future__ import annotations

import os
import re
import shlex
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from textwrap import indent
from typing import Any

import click
from click.core import ParameterSource

from rocbands.core.arguments import NO_PROPORTION, PROPORTIONS, TWO_MEANINGS, find_command, suggest
from rocbands.errors import InputError, Mention, Message, RocBandsWarning

BAD_INPUT = 2  # exit code

_REMARKS = "rocbands.remarks"
_COLUMNS = "rocbands.columns"
_QUIET = "rocbands.quiet"

# Commands that correspond to a function of the library.
_FUNCTIONS = {
    **{name: name for name in ("compare", "methods", "report", "subgroups")},
    "auc_interval": "auc",
    "average_curve": "average",
    "average_precision_difference": "ap",
    "average_precision_interval": "ap",
    "best_threshold": "points --best youden --choice",
    "compare_many": "compare",
    "compare_readers": "readers",
    "compare_tpr": "compare --at-fpr F",
    "cost_curve": "cost",
    "cost_difference": "cost",
    "cost_interval": "cost",
    "cost_thresholds": "cost --validation FILE",
    "count_scores": "count",
    "difference_band": "difference",
    "fold_auc_interval": "auc --folds NAME",
    "h_measure_interval": "cost --h-measure",
    "mcnemar": "compare --threshold T",
    "net_benefit": "net-benefit",
    "net_benefit_difference": "net-benefit",
    "operating_condition": "cost --condition",
    "operating_points": "points",
    "partial_auc_difference": "compare --fpr-range A,B",
    "partial_auc_interval": "auc --fpr-range A,B",
    "pr_band": "band --view pr",
    "rate_bounds": "rate",
    "rate_difference": "rate",
    "roc_band": "band",
    "class_bands": "classes",
    "roc_curve": "roc",
    "reader_study_size": "plan --pilot FILE",
    "sample_size": "plan",
    "two_sided_curve": "two-sided",
    "smooth_curve": "smooth",
}

# Remedies on the command line, by the topic of a remedy in Python; other topics have none.
_ADVICE = {
    "algorithm": "; name a stand-alone algorithm by --algorithm",
    "by": "Pass --by NAME.",
    "file": "file",
    "one model": "Name it by --score NAME.",
    "rows": "Name the file that was counted.",
    "same rows": "Leave --unpaired out, and name both by --score A --score B.",
    "use": "use",
    "take": ": remove those rows from the file",
    "two models": "Name them by --score A --score B.",
}

# Options that other programs have, and ours; the first that a command has is suggested.
_ELSEWHERE = {
    **dict.fromkeys(("pos-label", "pos", "positive-label", "event"), ("--positive",)),
    **dict.fromkeys(("sample-weight", "sample-weights"), ("--weights",)),
    **dict.fromkeys(
        ("boot-n", "n-boot", "n-bootstrap", "n-bootstraps", "bootstrap", "bootstraps", "reps"),
        ("--resamples",),
    ),
    **dict.fromkeys(("partial-auc", "partial", "pauc", "max-fpr"), ("--fpr-range",)),
    **dict.fromkeys(("ci", "conf", "conf-level", "confidence", "confidence-level"), ("--level",)),
    **dict.fromkeys(("cutoff", "cut-off", "cut"), ("--threshold", "--thresholds")),
    **dict.fromkeys(("y-true", "target", "response", "outcome", "truth"), ("--label",)),
    **dict.fromkeys(("y-score", "pred", "predictor", "prediction", "model", "prob"), ("--score",)),
    **dict.fromkeys(("rater", "observer", "radiologist"), ("--reader",)),
    **dict.fromkeys(("treatment", "modality"), ("--test",)),
    **dict.fromkeys(("rating", "ratings"), ("--score",)),
    **dict.fromkeys(("patient", "lesion", "id", "patient-id", "case-id"), ("--case", "--clusters")),
    **dict.fromkeys(("reference", "ref", "baseline"), ("--against",)),
    **dict.fromkeys(("drop-na", "dropna", "na-rm", "skipna"), ("--drop-missing",)),
    **dict.fromkeys(("random-state", "random-seed"), ("--seed",)),
    **dict.fromkeys(("cluster",), ("--clusters",)),
    **dict.fromkeys(("subgroup", "subgroups", "sensitive-features"), ("--by",)),
    **dict.fromkeys(("figure", "png", "pdf", "save-plot"), ("--plot",)),
    **dict.fromkeys(("youden", "eer", "corner"), ("--best",)),
    **dict.fromkeys(("alert-rate", "alerts", "budget", "top"), ("--rate",)),
    "null": ("--against",),
    **dict.fromkeys(("sens", "se"), ("--sensitivity",)),
    **dict.fromkeys(("spec", "sp"), ("--specificity",)),
}
# The same where there is no such option: one that the command must have, and what to do.
_INSTEAD = {
    "alpha": ("--level", "Pass --level, which is 1 - alpha."),
    "paired": ("--unpaired", "Leave it out: models in one file are compared on the same rows."),
    "direction": ("--reverse", "Columns whose small values mean positive: --reverse NAME."),
    **dict.fromkeys(
        ("specificity", "spec", "sp"), ("--fpr", "Pass --fpr, which is 1 - specificity.")
    ),
    **dict.fromkeys(
        ("threshold", "thresholds", "cutoff", "cut-off", "sensitivity", "tpr"),
        ("--score", "Use 'rocbands points', for example with --threshold 0.5."),
    ),
    "youden": ("--score", "Use 'rocbands points' with --best youden."),
    **dict.fromkeys(
        ("n", "size", "n-pos"),
        ("--width", "It finds the sizes: pass what they are to reach, such as --width 0.1."),
    ),
}
_DRAWN = ("auc", "compare", "points")  # commands with a method 'bootstrap', which is no default
_FILES = (".csv", ".tsv", ".txt", ".xlsx", ".parquet", ".arrow", ".feather", ".jsonl", ".gz")
_OUTPUT = ("o", "out", "output", "outfile", "save")
_STYLE = (
    *("title", "xlim", "ylim", "xlabel", "ylabel", "figsize"),
    *("dpi", "color", "colour", "legend"),
)
_CLOSE = 0.7  # of difflib: names that differ more are not suggested


class Command(click.Command):
    """A command that reports bad input in one line, with exit code 2.

    `aliases` are the names of library arguments that have no option of their own.
    """

    def __init__(
        self, *args: Any, aliases: Mapping[str, str] | None = None, **attributes: Any
    ) -> None:
        super().__init__(*args, **attributes)
        self.params.append(_make_quiet())
        self.aliases = dict(aliases or {})

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples below the help: those of examples.toml beside the command's module."""
        import tomllib
        from importlib.resources import files

        package = self.callback.__module__.rpartition(".")[0]
        known = tomllib.loads(files(package).joinpath("examples.toml").read_text("utf-8"))
        self.epilog = f"\b\nExamples:\n{indent(known[str(self.name)], '  ')}"
        super().format_epilog(ctx, formatter)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse and check the options; refuse a file that is both read and written."""
        with _explain_refusals(ctx):
            ctx.allow_extra_args = True  # refused below
            try:
                left = super().parse_args(ctx, args)
                if left and not ctx.resilient_parsing:
                    raise _refuse_words(ctx, left)
            except click.NoSuchOption as problem:
                raise _refuse_option(ctx, problem.option_name) from None
            except click.BadOptionUsage as problem:
                raise _ask_for_values(ctx, problem) from None
            except click.UsageError as problem:
                problem.ctx = problem.ctx or ctx  # the parser does not know its command
                raise
            if not ctx.resilient_parsing:
                _refuse_output_among_inputs(ctx)
        return left

    def invoke(self, ctx: click.Context) -> Any:
        """Run; remarks are printed only on success, because an error is a single line."""
        with _explain_refusals(ctx):
            found = super().invoke(ctx)
        for line in ctx.meta.pop(_REMARKS, ()):
            if not is_quiet():
                click.echo(line, err=True)
        return found


def _refuse_option(ctx: click.Context, name: str) -> click.UsageError:
    """Make the error of an unknown option: ours for that of another program, or the closest."""
    known = [each for param in ctx.command.get_params(ctx) for each in _list_options(param)]
    bare = name.lstrip("-").replace("_", "-")
    ours = [each for each in _ELSEWHERE.get(bare, ()) if each in known]
    close = get_close_matches(bare, [each.lstrip("-") for each in known], n=1, cutoff=_CLOSE)
    plot = "--plot" in known
    missing, instead = _INSTEAD.get(bare, ("", ""))
    if bare in TWO_MEANINGS or (bare == "by" and "--clusters" in known):
        advice = _say_both_meanings(known)
    elif ctx.command.name == "plan" and bare in PROPORTIONS:
        advice = NO_PROPORTION
    elif ctx.command.name == "cite":
        advice = "It reads no data: name methods, as in 'rocbands cite likelihood delong'."
    elif ours == ["--resamples"] and ctx.command.name in _DRAWN:
        advice = "Pass --method bootstrap and, if you like, --resamples N."
    elif ours:
        rule = f" {bare}" if ours[0] == "--best" else ""
        advice = f"Did you mean '{ours[0]}{rule}'?"
    elif missing in known:
        advice = instead
    elif bare in _OUTPUT:
        picture = "; --plot FILE draws it" if plot else ""
        advice = f"Write '> FILE' at the end to save what is printed{picture}."
    elif bare in _STYLE and plot:
        advice = "Set it in Python: plot() of a result returns the axes of matplotlib."
    elif close:
        advice = f"Did you mean '--{close[0]}'?"
    else:
        advice = ""
    return click.UsageError(f"No such option '{name}'. {advice}".rstrip(), ctx)


def _say_both_meanings(known: Sequence[str]) -> str:
    """Say what is meant by groups here: one never guesses which of the two a user wants."""
    rows = "Rows that depend on each other, such as the lesions of a patient: "
    rows += "--clusters COLUMN" if "--clusters" in known else "this command has no option for them"
    people = "--by COLUMN" if "--by" in known else "'rocbands subgroups FILE --by COLUMN'"
    return f"{rows}. Groups of people: {people}."


def _list_options(param: click.Parameter) -> list[str]:
    return [each for each in (*param.opts, *param.secondary_opts) if each.startswith("--")]


def _refuse_words(ctx: click.Context, words: list[str]) -> click.UsageError:
    """Make the error of words that no argument takes; columns are named by options."""
    said = f"Got unexpected extra argument{'s' * (len(words) > 1)} ({' '.join(words)})"
    params = {each for param in ctx.command.params for each in _list_options(param)}
    files = any(os.path.exists(word) or word.lower().endswith(_FILES) for word in words)
    if "--score" in params and not files:
        columns = " ".join(f"--score {shlex.quote(word)}" for word in words)
        said += f". Give one file, and name columns by options: {columns}"
    elif "--unpaired" in params:
        said += f". The file of a second model, which scored other rows: --unpaired {words[0]}"
    elif "--pilot" in params:
        said += f". The file of a pilot study with readers: --pilot {words[0]}"
    return click.UsageError(said, ctx)


def _ask_for_values(ctx: click.Context, problem: click.BadOptionUsage) -> click.UsageError:
    """Make the error of an option that needs several values, with an example."""
    for param in ctx.command.params:
        if param.nargs > 1 and problem.option_name in param.opts:
            kind = getattr(param.type, "types", [None])[0]
            if hasattr(kind, "example"):
                example = f"{problem.option_name} {kind.example}"
                said = f"{problem.option_name} must be {kind.name}; got fewer"
                return click.UsageError(f"{said}. Write, for example, {example}", ctx)
        elif isinstance(param, click.Option) and problem.option_name in param.opts and param.help:
            about = re.split("[.:;]", param.help)[0]
            written = f"{problem.option_name} {param.metavar or 'VALUE'}"
            said = f"{problem.message} Write {written} ({about[0].lower()}{about[1:]})"
            return click.UsageError(said, ctx)
    problem.ctx = problem.ctx or ctx
    return problem


def _make_quiet() -> click.Option:
    """Make --quiet, which every command has."""

    def remember(ctx: click.Context, param: click.Parameter, value: bool) -> None:
        ctx.meta[_QUIET] = value

    return click.Option(
        ["--quiet", "-q"],
        is_flag=True,
        expose_value=False,
        callback=remember,
        help="Print no messages and no progress, only results and errors.",
    )


def is_quiet() -> bool:
    """Tell whether the running command has --quiet."""
    ctx = click.get_current_context(silent=True)
    return ctx is not None and bool(ctx.meta.get(_QUIET))


class OutputFile(click.Path):
    """A file that the command writes; refused if another argument names the same file."""


def _refuse_output_among_inputs(ctx: click.Context) -> None:
    """Refuse an output file that is also another argument, even through a link, before any work.

    Every argument of type `click.Path` counts as read, so new commands are covered.
    """
    from rocbands.io.writing import refuse_overwriting

    named: dict[click.Parameter, list[str]] = {}
    for param in ctx.command.params:
        value: Any = ctx.params.get(str(param.name))
        if isinstance(param.type, click.Path) and value is not None:
            named[param] = [value] if isinstance(value, str) else list(value)
    for param, paths in named.items():
        if isinstance(param.type, OutputFile):
            others = [path for other in named if other is not param for path in named[other]]
            refuse_overwriting(paths[0], others)


@contextmanager
def _explain_refusals(ctx: click.Context) -> Iterator[None]:
    """Report the error in the words of the command, and exit."""
    try:
        yield
    except InputError as problem:
        print_line(problem.message.render(spelling(ctx)))
        ctx.exit(BAD_INPUT)


def command(
    name: str, short_help: str, group: click.Group | None = None, **attributes: Any
) -> Callable[[Callable[..., Any]], Command]:
    """Make a :class:`Command` of a function."""
    make: Any = click.command if group is None else group.command
    made: Callable[[Callable[..., Any]], Command] = make(
        name, cls=Command, short_help=short_help, **attributes
    )
    return made


def print_line(message: str) -> None:
    """Print one line on stderr."""
    click.echo("rocbands: " + " ".join(message.splitlines()), err=True)


def refuse_command(ctx: click.Context, name: str, known: Sequence[str]) -> click.UsageError:
    """Make the error of an unknown command: suggest one, or list all."""
    advice = find_command(name, _FUNCTIONS) or suggest(name, known)
    if name in ("help", "version"):
        advice = f"Write 'rocbands --{name}'" + (
            ", or 'rocbands COMMAND --help'." if name == "help" else "."
        )
    advice = advice or f"Commands: {', '.join(known)}."
    return click.UsageError(f"No such command {name!r}. {advice}", ctx)


def usage(message: str) -> click.UsageError:
    """Make the error of incompatible options."""
    return click.UsageError(message, click.get_current_context())


def remark(message: str, prefix: str = "rocbands: ") -> None:
    """Keep a line for stderr, once, until the command has succeeded."""
    ctx = click.get_current_context()
    line = prefix + " ".join(write_message(message).splitlines())
    ctx.meta.setdefault(_REMARKS, {})[line] = None


def write_message(message: str) -> str:
    """Write a message of the library in the words of the running command."""
    spell = spelling(click.get_current_context())
    return message.render(spell) if isinstance(message, Message) else message


def remember_label(column: str, argument: str = "y_true") -> None:
    """Remember the name of the column that the library calls `y_true`, or `argument`."""
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
    """Return a function that spells arguments and functions as the command in `ctx` does.

    Examples
    --------
    >>> own = Command("auc", params=[click.Option(["--resamples", "n_resamples"])])
    >>> spell = spelling(click.Context(own))
    >>> spell(Mention("value", "n_resamples", 1000)), spell(Mention("function", "methods"))
    ('--resamples 1000', "'rocbands methods'")
    """
    options: dict[str, str] = {}
    separate: dict[str, str] = {}  # what is between the values of an option, if no comma
    for option in ctx.command.params:
        if isinstance(option, click.Option):
            options |= {name.lstrip("-").replace("-", "_"): name for name in option.opts}
            options[str(option.name)] = option.opts[0]
            if option.nargs > 1 or option.multiple:
                separate[option.opts[0]] = " " if option.nargs > 1 else f" {option.opts[0]} "
    aliases: Mapping[str, str] = getattr(ctx.command, "aliases", {})

    columns = {"y_true": "of labels", "y_score": "of scores"}
    columns |= {name: repr(column) for name, column in ctx.meta.get(_COLUMNS, {}).items()}

    def spell(mention: Mention) -> str:
        kind, name, value = mention
        if kind in ("python", "part"):
            own = _ask_readers(ctx) if name == "readings" else _ADVICE.get(name, "")
            return own if kind == "python" else str(value.render(spell))
        if kind == "function":
            if name == "class_bands" and "classes" in options:
                return options["classes"]
            return f"'rocbands {_FUNCTIONS[name]}'" if name in _FUNCTIONS else mention.in_python()
        if name in columns:
            return f"column {columns[name]}"
        if name == "missing" and "drop_missing" in options:
            return "--drop-missing"
        return spell_option(kind, name, value)

    def spell_option(kind: str, name: str, value: Any) -> str:
        option, between = aliases.get(name) or options.get(name), " "
        if option is None:  # a parameter of the method, if it can be set
            option, between = f"--set {name}" if "settings" in options else name, "="
        if kind == "argument" or (value is True and between == " "):
            return option
        joint = separate.get(option, ",")
        return f"{option}{between}{'yes' if value is True else _write_on_line(value, joint)}"

    return spell


# What the line for a reader study repeats of a line that took its rows as cases.
_REPEATED = (
    *("label", "score", "positive", "sheet", "drop_missing", "level", "as_json", "output", "title"),
)


def _ask_readers(ctx: click.Context) -> str:
    """Write the line that compares the tests of a reader study, or makes the report on it."""
    is_report = ctx.command.name == "report"
    words = ["rocbands", "report" if is_report else "readers", str(ctx.params["path"])]
    reader = ctx.meta.get(_COLUMNS, {}).get("reader")
    words += ["--reader", reader or "NAME"] if is_report else []
    for param in ctx.command.params:
        value: Any = ctx.params.get(str(param.name))
        given = ctx.get_parameter_source(str(param.name)) is ParameterSource.COMMANDLINE
        if given and param.name in _REPEATED:
            words.append(param.opts[-1])
            words += [] if value is True else [str(value[0] if param.multiple else value)]
    return f"For a reader study type: {shlex.join(words)}"


def _write_on_line(value: Any, joint: str = ",") -> str:
    """Write a Python value as a word of a shell command: (50, 200) becomes 50,200."""
    if isinstance(value, (tuple, list)):
        return joint.join(map(str, value))
    return shlex.quote(str(value))
