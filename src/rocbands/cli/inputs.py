"""What all commands that read scores have in common: the file, its columns, the positive label."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rocbands.cli.progress import ReadingBar
from rocbands.cli.words import cli_words
from rocbands.errors import InputError

if TYPE_CHECKING:
    import numpy.typing as npt

    from rocbands.core.scores import PairedScores
    from rocbands.io.files import ScoreTable

__all__ = [
    "check_source",
    "complete_column",
    "folds",
    "groups",
    "holds_counts",
    "read_models",
    "read_rows",
    "reads_scores",
    "two_names",
]


def complete_column(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Let the shell complete names of columns, or models of counts, of the file on the line."""
    from rocbands.io.example import load_example
    from rocbands.io.files import column_names
    from rocbands.scale.counts import ScoreCounts
    from rocbands.scale.saved import is_counts

    # An option that still waits for its value keeps click from giving the file its name.
    source = ctx.params.get("source") or next(iter(ctx.args), None)
    try:
        if ctx.params.get("example"):
            names = ["diagnosis", *load_example()[1]]
        elif source in (None, "-"):
            return []
        elif is_counts(str(source)):
            names = list(ScoreCounts.load(str(source)).models)
        else:
            names = column_names(str(source))
    except Exception:  # whatever is wrong with the file, a shell is no place to say so
        return []
    return [name for name in names if name.startswith(incomplete)]


F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS = (
    click.argument("source", metavar="SCORES", type=click.Path(), required=False),
    click.option(
        "--score",
        "scores",
        metavar="NAME",
        multiple=True,
        shell_complete=complete_column,
        help="Column of scores; repeat it for several models. By default the columns whose names "
        "begin with score, else the only column of numbers.",
    ),
    click.option(
        "--label",
        metavar="NAME",
        shell_complete=complete_column,
        help="Column of labels. By default the one called y_true, y, label, target, class, "
        "diagnosis or the like.",
    ),
    click.option(
        "--positive",
        metavar="LABEL",
        help="The positive label; needed unless the labels are 0 and 1, -1 and 1, or true and "
        "false.",
    ),
    click.option(
        "--example", is_flag=True, help="Use the scores that ship with rocbands instead of a file."
    ),
)

groups = click.option(
    "--groups",
    metavar="NAME",
    shell_complete=complete_column,
    help="Column that says which rows belong together.",
)
folds = click.option(
    "--folds",
    metavar="NAME",
    shell_complete=complete_column,
    help="Column of cross-validation folds.",
)


def reads_scores(command: F) -> F:
    """Give a command the options that :func:`read_models` takes."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def read_models(
    source: str | None,
    scores: tuple[str, ...],
    label: str | None,
    positive: str | None,
    example: bool,
) -> PairedScores:
    """Read and check the rows that the command line asks for."""
    return read_rows(source, scores, label, positive, example)[0]


def read_rows(
    source: str | None,
    scores: tuple[str, ...],
    label: str | None,
    positive: str | None,
    example: bool,
    keys: tuple[str, ...] = (),
) -> tuple[PairedScores, dict[str, npt.NDArray[Any]]]:
    """As :func:`read_models`, and with the columns of groups or folds that are named by `keys`."""
    from rocbands.core.scores import PairedScores

    check_source(source, scores, example)
    if source is not None and holds_counts(source, label):
        raise InputError(
            f"'{click.get_current_context().command_path}' needs rows, one for each case; {source} "
            "holds counts, which do not say which scores belong to the same row. Name the file "
            "that was counted."
        )
    asked = scores, label, keys
    table = _example(*asked) if source is None else _file(source, *asked)
    if example and positive is None:
        positive = "malignant"
    with cli_words(table.label):
        models = PairedScores.from_columns(
            table.y_true, table.y_scores, positive=_label_of(positive, table.y_true)
        )
    return models, table.keys


def check_source(source: str | None, scores: tuple[str, ...], example: bool) -> None:
    """Refuse a line that names no place to read from, or two, or one model twice."""
    if example == (source is not None):
        found = "both were given" if example else "neither was given"
        raise click.UsageError(
            f"Give a file of scores (- for stdin) or --example; {found}.",
            click.get_current_context(),
        )
    twice = next((name for name in scores if scores.count(name) > 1), None)
    if twice is not None:
        raise click.UsageError(
            f"Each --score must name another column; {twice!r} was named twice. Leave one out",
            click.get_current_context(),
        )


def holds_counts(source: str, label: str | None = None) -> bool:
    """Tell whether a file holds counts; not if one of its columns was named as that of labels."""
    from rocbands.io.files import column_names
    from rocbands.scale.saved import is_counts

    return is_counts(source) and (label is None or label not in column_names(source))


def two_names(models: PairedScores) -> tuple[str, str]:
    """Return the names of both models, where there must be two."""
    if len(models) != 2:
        found = (
            f"only {models.names[0]!r} was found"
            if len(models) == 1
            else f"there are {len(models)}"
        )
        raise click.UsageError(
            f"Two models are needed; {found}. Name them by --score A --score B",
            click.get_current_context(),
        )
    one, two = models.names
    return one, two


def _example(scores: tuple[str, ...], label: str | None, keys: tuple[str, ...]) -> ScoreTable:
    from rocbands.io.columns import ScoreTable, pick
    from rocbands.io.example import load_example

    y_true, models = load_example()
    if label is not None:
        pick(label, ["diagnosis"], "The example")
    for name in keys:
        pick(name, ["diagnosis", *models], "The example")
        raise InputError(f"The example has no groups or folds; {name!r} is a column of its own.")
    names = [pick(name, models, "The example") for name in scores or models]
    return ScoreTable(y_true, {name: models[name] for name in names}, "diagnosis", "the example")


def _file(
    source: str, scores: tuple[str, ...], label: str | None, keys: tuple[str, ...]
) -> ScoreTable:
    from rocbands.io.files import read_scores

    with ReadingBar("stdin" if source == "-" else source) as bar:
        return read_scores(source, label=label, scores=scores, keys=keys, progress=bar)


def _label_of(text: str | None, y_true: npt.NDArray[Any]) -> object:
    """Read the positive label as what the labels are: --positive 1 finds the number 1."""
    if text is None or y_true.dtype.kind == "U":
        return text
    if y_true.dtype.kind == "b":
        return {"true": True, "1": True, "false": False, "0": False}.get(text.casefold(), text)
    try:
        return float(text)
    except ValueError:
        return text
