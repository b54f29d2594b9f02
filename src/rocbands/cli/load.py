"""What all commands that read scores have in common: the file, its columns, the positive label.

A file is looked at once to tell rows from counts, and read once; labels are checked once, for all
models together. Commands hand the curves on to the library, which needs no more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rocbands.cli import options
from rocbands.cli.messages import ReadingBar, remark, remember_label, usage
from rocbands.errors import InputError

if TYPE_CHECKING:
    import numpy.typing as npt

    from rocbands.core.roc import RocCurve
    from rocbands.core.scores import PairedScores, Scores
    from rocbands.io.files import ScoreTable
    from rocbands.scale.counts import ScoreCounts

__all__ = [
    "Models",
    "complete_column",
    "design",
    "folds",
    "groups",
    "read_models",
    "read_rows",
    "read_table",
    "read_two_files",
    "reads_counts",
    "reads_scores",
    "second_file",
]


@dataclass(frozen=True, eq=False)
class Models:
    """The models of a file: rows with a score of each model, or a counted curve of each."""

    rows: PairedScores | None = None  # the rows, if the file has rows
    # the curves, if the file has counts
    counted: Mapping[str, RocCurve] = field(default_factory=dict)
    # the columns named by --groups, --weights, --strata and --folds, under these names
    columns: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)
    positive: str | None = None  # the positive label, where it is known

    @cached_property
    def curves(self) -> Mapping[str, RocCurve]:
        """The curve of each model, with its groups, weights, strata and folds."""
        from rocbands.core.roc import RocCurve, roc_curve
        from rocbands.resample.streams import map_columns

        if self.rows is None:
            return self.counted
        if not self.columns:
            size = self.rows.is_positive.size
            curves = map_columns(RocCurve.from_scores, list(self.rows), size)
            return dict(zip(self.names, curves, strict=True))
        labels = self.rows.is_positive
        return {
            name: roc_curve(labels, scores, **self.columns)
            for name, scores in self.rows.models.items()
        }

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the models."""
        return tuple(self.counted) if self.rows is None else self.rows.names

    @property
    def sizes(self) -> tuple[int, int]:
        """Number of positives and of negatives; all models have the same."""
        if self.rows is None:
            curve = next(iter(self.counted.values()))
            return curve.n_pos, curve.n_neg
        scores = next(iter(self.rows))
        return scores.n_pos, scores.n_neg

    @property
    def prevalence(self) -> float:
        """Share of positives."""
        return self.sizes[0] / sum(self.sizes)

    def pair(self) -> PairedScores | None:
        """Return the rows if two models share them; of counts, say why there is no difference."""
        if len(self.names) != 2:
            return None
        if self.rows is None:
            remark(
                "no difference of the two models: counts do not say which scores belong to the "
                "same row."
            )
        return self.rows


def complete_column(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Let the shell complete names of columns, or models of counts, of the file on the line."""
    from rocbands.io.files import column_names, load_example
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


def _complete_group(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Let the shell complete groups of the counts that stand on the line."""
    from rocbands.scale.counts import ScoreCounts

    try:
        names = ScoreCounts.load(ctx.params.get("source") or ctx.args[0]).groups
    except Exception:  # as above
        return []
    return [name for name in names if name.startswith(incomplete)]


def column(option: str, words: str, *, name: str | None = None, **more: Any) -> options.Decorator:
    """Make an option that names a column, which the shell completes."""
    names = (option,) if name is None else (option, name)
    return click.option(*names, metavar="NAME", shell_complete=complete_column, help=words, **more)


_OPTIONS = (
    click.argument("source", metavar="SCORES", type=click.Path(), required=False),
    column(
        "--score",
        "Column of scores; repeat it for several models. By default the columns whose names "
        "begin with score, else the only column of numbers.",
        name="scores",
        multiple=True,
    ),
    column(
        "--label",
        "Column of labels. By default the one called y_true, y, label, target, class, "
        "diagnosis or the like.",
    ),
    options.positive,
    options.rest,
    options.flag("--drop-missing", "Leave out rows with missing values, and say how many."),
    options.flag("--example", "Use the scores that ship with rocbands instead of a file."),
)
_ONLY_GROUP = click.option(
    "--only-group",
    metavar="GROUP",
    shell_complete=_complete_group,
    help="If SCORES contains counts by group: look at this one. By default all are added up.",
)

groups = column("--groups", "Column that says which group each row is in.")
weights = column("--weights", "Column of weights: what each row stands for, on any scale.")
strata = column("--strata", "Column of the strata in which rows, or their groups, were sampled.")
folds = column("--folds", "Column of cross-validation folds.")


def design(function: Any) -> Any:
    """Give a command the options that say how rows were sampled."""
    return groups(weights(strata(function)))


_ROWS = (
    "source",
    "scores",
    "label",
    "positive",
    "rest",
    "drop_missing",
    "example",
    "only_group",
    "groups",
    "weights",
    "strata",
    "folds",
)


def reads_scores(function: Any) -> Any:
    """Give a command, as `rows`, the options that :func:`read_rows` takes."""

    @wraps(function)
    def read(**asked: Any) -> Any:
        rows = {name: asked.pop(name) for name in _ROWS if name in asked}
        return function(rows=rows, **asked)

    for option in reversed(_OPTIONS):
        read = option(read)
    return read


def reads_counts(function: Any) -> Any:
    """Give a command, as `rows`, the options that :func:`read_models` takes."""
    return reads_scores(_ONLY_GROUP(function))


def read_models(
    source: str | None,
    scores: tuple[str, ...],
    label: str | None,
    positive: str | None,
    example: bool,
    only_group: str | None = None,
    *,
    rest: bool = False,
    groups: str | None = None,
    weights: str | None = None,
    strata: str | None = None,
    folds: str | None = None,
    drop_missing: bool = False,
    label_is_elsewhere: bool = False,
) -> Models:
    """Read the rows or the counts that the options of :func:`reads_counts` ask for.

    `label_is_elsewhere`: the label may be meant for a second file, so that counts ignore it.
    """
    _check_source(source, scores, example)
    named = {"groups": groups, "weights": weights, "strata": strata, "folds": folds}
    keys = {use: name for use, name in named.items() if name is not None}
    if source is not None and _has_counts(source, label):
        if label is not None and not label_is_elsewhere:
            raise InputError(
                f"--label is for rows; {source} contains counts, in which positives and "
                "negatives are "
                "already told apart. Leave --label out."
            )
        for use in keys:
            raise InputError(
                f"--{use} needs rows; {source} contains counts, which do not say which rows belong "
                f"together, or weigh more. Leave --{use} out, or name the file that was counted."
            )
        return _from_counts(source, scores, positive, only_group)
    if only_group is not None:
        raise InputError(
            f"--only-group is for counts by group; {source or 'the example'} contains rows. Leave "
            "--only-group out, or count first with 'rocbands count --group NAME'."
        )
    return _from_rows(source, scores, label, positive, keys, rest, drop_missing)


def read_rows(
    source: str | None,
    scores: tuple[str, ...],
    label: str | None,
    positive: str | None,
    example: bool,
    *,
    rest: bool = False,
    groups: str | None = None,
    drop_missing: bool = False,
) -> tuple[PairedScores, npt.NDArray[Any] | None]:
    """Read rows where counts are not enough; return them and the column of groups, if any."""
    _check_source(source, scores, example)
    if source is not None and _has_counts(source, label):
        raise InputError(
            f"'{click.get_current_context().command_path}' needs rows, one for each case; {source} "
            "contains counts, which do not say which scores belong to the same row. Name the file "
            "that was counted."
        )
    keys = {} if groups is None else {"groups": groups}
    models = _from_rows(source, scores, label, positive, keys, rest, drop_missing)
    assert models.rows is not None, "counts were refused"
    return models.rows, models.columns.get("groups")


def second_file(path: str | None, rows: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that read another file like the first one; the example's labels stay."""
    positive = rows["positive"] or (_EXAMPLE_POSITIVE if rows["example"] else None)
    return {**rows, "source": path, "example": False, "positive": positive}


def read_two_files(
    path: str, scores: tuple[str, ...], **rows: Any
) -> tuple[Scores, Scores, tuple[str, str]]:
    """Read one model of a file and one of another file, and find names for them."""
    if len(scores) > 2:
        raise usage(f"--unpaired takes one --score, or one for each file; got {len(scores)}.")
    first = _only_model(read_rows(**rows, scores=scores[:1])[0])
    other = second_file(path, rows)
    second = _only_model(read_rows(**other, scores=scores[-1:] or first.names)[0])
    one, two = first.names[0], second.names[0]
    titles = (one, two)
    if one == two:
        places = Path(rows["source"] or "the example").name, Path(path).name
        titles = f"{one} in {places[0]}", f"{two} in {places[1]}"
    return first[one], second[two], titles


def _only_model(models: PairedScores) -> PairedScores:
    if len(models) != 1:
        raise usage(
            f"--unpaired compares one model of each file; there are {len(models)}. Name it by "
            "--score NAME"
        )
    return models


_EXAMPLE_POSITIVE = "malignant"


def _check_source(source: str | None, scores: tuple[str, ...], example: bool) -> None:
    """Refuse a line that names no place to read from, or two, or one model twice."""
    if example == (source is not None):
        found = "both were given" if example else "neither was given"
        raise usage(f"Give a file of scores (- for stdin) or --example; {found}.")
    twice = next((name for name in scores if scores.count(name) > 1), None)
    if twice is not None:
        raise usage(
            f"Each --score must name another column; {twice!r} was named twice. Leave one out"
        )


def _has_counts(source: str, label: str | None) -> bool:
    """Tell whether a file contains counts; not if one of its columns is named for the labels."""
    from rocbands.io.files import column_names
    from rocbands.scale.saved import is_counts

    return is_counts(source) and (label is None or label not in column_names(source))


def _from_rows(
    source: str | None,
    scores: tuple[str, ...],
    label: str | None,
    positive: str | None,
    keys: Mapping[str, str],
    rest: bool = False,
    drop_missing: bool = False,
) -> Models:
    from rocbands.core.columns import against_rest
    from rocbands.core.scores import PairedScores
    from rocbands.io.columns import read_label

    table = read_table(source, scores, label, tuple(keys.values()), drop_missing=drop_missing)
    if source is None:
        positive = positive or _EXAMPLE_POSITIVE
    named = None if positive is None else read_label(positive, table.y_true[:1].tolist())
    rows = PairedScores.from_columns(
        table.y_true, table.y_scores, positive=against_rest(named, rest)
    )
    columns = {use: table.keys[name] for use, name in keys.items()}
    return Models(rows, columns=columns, positive=str(rows.positive))


def read_table(
    source: str | None,
    scores: tuple[str, ...],
    label: str | None,
    keys: tuple[str, ...] = (),
    *,
    drop_missing: bool = False,
) -> ScoreTable:
    """Read columns of rows, from a file or the example; labels are not looked at."""
    from rocbands.core.checks import freeze
    from rocbands.io.files import read_scores

    if source is None:
        table = _example(scores, label, keys)
    else:
        with ReadingBar("stdin" if source == "-" else source) as bar:
            table = read_scores(
                source,
                label=label,
                scores=scores,
                keys=keys,
                missing="drop" if drop_missing else "raise",
                progress=bar,
            )
    for column in table.y_scores.values():
        freeze(column)  # nobody else has them, so nobody need copy them
    if table.note:
        remark(f"left out {table.note}.")
    remember_label(table.label)
    return table


def _example(scores: tuple[str, ...], label: str | None, keys: tuple[str, ...]) -> ScoreTable:
    from rocbands.io.columns import ScoreTable, pick
    from rocbands.io.files import example_table, load_example

    y_true, models = load_example()
    if label is not None:
        pick(label, ["diagnosis"], "The example")
    for name in keys:
        if pick(name, ["fold", "diagnosis", *models], "The example") != "fold":
            raise InputError("The example has no such groups or folds; its folds are in 'fold'.")
    names = [pick(name, models, "The example") for name in scores or models]
    columns = {name: example_table()[name] for name in keys}
    chosen = {name: models[name] for name in names}
    return ScoreTable(y_true, chosen, "diagnosis", "the example", columns)


def _from_counts(
    source: str, scores: tuple[str, ...], positive: str | None, group: str | None
) -> Models:
    from rocbands.scale.counts import ScoreCounts

    counts = ScoreCounts.load(source)
    if not counts.models:
        raise InputError(
            f"{source} must contain counts", "it has none", "Check the step that wrote it."
        )
    label = counts.labels[0]
    if positive is not None and label not in (None, positive):
        raise InputError(
            f"--positive must be the label that was counted as positive; in {source} that is "
            f"{label!r}, got {positive!r}. Leave --positive out, or count the rows again."
        )
    if group is not None:
        if not counts.groups:
            raise InputError(
                f"{source} has no groups; --only-group {group} was given. Leave it out."
            )
        _check_name(group, counts.groups, f"{source} has no group")
    elif counts.groups:
        remark(
            f"the {len(counts.groups)} groups of {source} are added up; --only-group looks at one."
        )
    for name in scores:
        _check_name(name, counts.models, f"{source} has no model")
    curves = {}
    for name in scores or counts.models:
        _check_classes(counts, source, name, group)
        curves[name] = counts.roc(name, group)
    return Models(counted=curves, positive=label)


def _check_classes(counts: ScoreCounts, source: str, model: str, group: str | None) -> None:
    rows = counts.model == counts.models.index(model)
    if group is not None:
        rows &= counts.group == counts.groups.index(group)
    for kind in ("positives", "negatives"):
        if not getattr(counts, kind)[rows].any():
            where = source if group is None else f"{source}, group {group!r},"
            raise InputError(
                f"{where} must contain both classes; it counts no {kind}. Merge it with the "
                "counts of "
                "the other parts by 'rocbands merge'."
            )


def _check_name(name: str, known: tuple[str, ...], problem: str) -> None:
    """Refuse a name that is not known, and say which was perhaps meant."""
    if name in known:
        return
    folded = {one.casefold(): one for one in known}
    close = get_close_matches(name.casefold(), folded, n=1)
    hint = f"Did you mean {folded[close[0]]!r}? " if close else ""
    more = f", ... ({len(known) - 8} more)" if len(known) > 8 else ""
    raise InputError(f"{problem} {name!r}. {hint}It has {', '.join(map(repr, known[:8]))}{more}.")
