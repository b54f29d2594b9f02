"""The sample that a command reads: where it is, its columns, the positive label.

A file is opened once to distinguish rows from counts, and read once.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rocbands.cli import options
from rocbands.cli.messages import remark, remember_label, usage, warnings_about
from rocbands.cli.progress import reading_bar
from rocbands.errors import InputError, Message

if TYPE_CHECKING:
    from rocbands.core.models import Models
    from rocbands.core.sample import Sample
    from rocbands.io.columns import ScoreTable
    from rocbands.io.form import Form
    from rocbands.scale.counts import ScoreCounts

T = TypeVar("T")
DESIGN = ("clusters", "weights", "strata", "folds")
_POSITIVE = "malignant"  # of the example


@dataclass(frozen=True)
class Source:
    """What the options say about the data: one file, or the example."""

    path: str | None
    form: Form
    score: tuple[str, ...] = ()
    label: str | None = None
    positive: str | None = None
    rest: bool = False
    reverse: tuple[str, ...] = ()  # models whose small scores mean positive
    drop_missing: bool = False
    example: bool = False
    only: str | None = None  # the part of the counts to use
    design: Mapping[str, str] = field(default_factory=dict)  # use of a column: its name
    keep: tuple[str, ...] = ()  # further columns to keep
    repeats: int = 1
    time: str | None = None  # column of survival times, and until when events count
    until: float | None = None
    shared: bool = False  # whether a second file has the same columns, which counts need not have

    def _check(self) -> None:
        """Require a file or the example, not both, and each model once."""
        if (self.time is None) != (self.until is None):
            given, other = ("--time", "--until") if self.until is None else ("--until", "--time")
            raise usage(f"--time NAME and --until T belong together; {given} has no {other}.")
        if self.time is not None and "weights" in self.design:
            raise usage("--time makes weights of its own. Leave --weights out.")
        if self.example == (self.path is not None):
            found = "both were given" if self.example else "neither was given"
            raise usage(f"Give a file of scores (- for stdin) or --example; {found}.")
        twice = next((name for name in self.score if self.score.count(name) > 1), None)
        if twice is not None:
            must = "Each --score must name a different column"
            raise usage(f"{must}; {twice!r} was named twice. Leave one out.")

    @property
    def name(self) -> str:
        """Its name in titles."""
        if self.path is None:
            return "the example"
        return "stdin" if self.path == "-" else Path(self.path).name

    def read(self, *, by_part: bool = False) -> Sample | ScoreCounts:
        """Read rows or counts; `by_part` if parts of counts are compared, not added up."""
        return self._read_counts(by_part) if self._has_counts() else self._read_sample()

    def read_rows(self) -> Sample:
        """Read rows; refuse counts."""
        if self._has_counts():
            raise InputError(
                f"'{click.get_current_context().command_path}' needs rows, one for each case; "
                f"{self.path} contains counts, which do not say which scores belong to the same "
                "row. Name the file that was counted."
            )
        return self._read_sample()

    def read_classes(self) -> Sample:
        """Read labels of several classes; columns are named as cat or score_cat."""
        from rocbands.core.sample import Sample
        from rocbands.io.files import find_classes, match_classes
        from rocbands.io.samples import refuse_readings

        options.refuse("several classes", "positive", "rest", "reverse", "example", "folds", "only")
        self._check()
        source = self
        if not self.score and self.path not in (None, "-"):
            found = find_classes(str(self.path), self.label, self.form)
            if found is not None:
                label, columns = found
                source = replace(self, label=label, score=tuple(columns.values()))
        table = source._read_table()
        refuse_readings(table, self.design)
        for note in table.notes:
            remark(note.text)
        if table.dropped is not None:
            remark(table.dropped.describe(tuple(table.y_scores)))
        texts = dict.fromkeys(str(label) for label in table.y_true.tolist())
        matched = match_classes(texts, list(table.y_scores))
        if matched is None:
            some = ", ".join(sorted(texts)[:8]) + (", ..." if len(texts) > 8 else "")
            raise InputError(
                "There must be one column of scores for each class, named after it",
                f"columns are {', '.join(table.y_scores)}, labels {some}",
                f"Rename the columns {some}, each after the class that it scores, and name all of "
                "them by --score.",
            )
        names = {column: text for text, column in matched.items()}
        scores = {names.get(name, name): values for name, values in table.y_scores.items()}
        design: dict[str, Any] = {use: table.keys[name] for use, name in self.design.items()}
        try:
            return Sample.of_classes(table.y_true, scores, **design)
        except InputError as problem:
            raise problem.rename({"y_score": "score", "classes": "score"}) from None

    def read_second(self, path: str, models: tuple[str, ...], *, rows: bool = False) -> Any:
        """Read the same columns of another file; errors name that file."""
        positive = self.positive or (_POSITIVE if self.example else None)
        other = replace(
            self, path=path, example=False, score=models, positive=positive, shared=True
        )
        try:
            return other.read_rows() if rows else other.read()
        except InputError as problem:
            if path in str(problem):
                raise
            raise InputError(Message("{}: {}", path, problem.message)) from problem

    def read_two(self, path: str) -> tuple[Sample, Sample]:
        """Read one model of this file and one of another; equal names get the file's name added."""
        options.refuse("models that scored different rows", "folds", "reverse")
        if len(self.score) > 2:
            raise usage(f"--unpaired takes one --score, or one for each file; got {self.score}.")
        first = replace(self, score=self.score[:1]).read_rows()
        first.check_one_model()
        second = self.read_second(path, self.score[-1:] or first.models, rows=True)
        if first.models == second.models:
            return first._copy(part=self.name), second._copy(part=Path(path).name)
        return first, second

    def _has_counts(self) -> bool:
        """Tell whether a file contains counts; not if --label names one of its columns."""
        from rocbands.io.files import column_names
        from rocbands.scale.saved import is_counts

        self._check()
        if self.path is None or self.form.sheet is not None or not is_counts(self.path):
            return False
        return self.label is None or self.label not in column_names(self.path, self.form)

    def _read_table(self) -> ScoreTable:
        from rocbands.io import files
        from rocbands.io.streams import EXAMPLE

        path, score = self.path, self.score
        if path is None:
            path, score = str(EXAMPLE), score or files.EXAMPLE_MODELS
        with reading_bar(self.name) as bar:
            table = files.read_scores(
                path,
                label=self.label,
                scores=score,
                keys=(*self.design.values(), *self.keep),
                weights=self.design.get("weights"),
                times=self.time,
                missing="drop" if self.drop_missing else "raise",
                form=self.form,
                progress=bar,
            )
        remember_label(table.label)
        if table.read is not None:
            remember_label(table.read.reader, "reader")
        return table

    def _read_sample(self) -> Sample:
        from rocbands.core.sample import Sample
        from rocbands.io.columns import read_label
        from rocbands.io.samples import make_sample

        if self.only is not None:
            raise InputError(
                f"--only is for counts by a column; {self.path or self.name} contains rows. Leave "
                "--only out, or count first with 'rocbands count --by NAME'."
            )
        table = self._read_table()
        text = self.positive or (_POSITIVE if self.example else None)
        if self.time is not None and self.label is None:
            raise usage(
                "--time needs --label NAME, the column that says whether the event happened."
            )
        sample = make_sample(
            Sample,
            table,
            design=self.design,
            keep=self.keep,
            positive=None if text is None else read_label(text, table.y_true[:1].tolist()),
            rest=self.rest,
            repeats=self.repeats,
        )
        if self.time is None or self.until is None:
            return self._reverse(sample)
        from rocbands.design.survival import ipcw

        try:
            y, weights, _ = ipcw(table.keys[self.time], sample.is_positive, at=self.until)
        except InputError as problem:
            raise problem.rename({"at": "until"}) from None
        lost = int((weights == 0.0).sum())
        remark(
            f"positives are the {int(y.sum()):,} rows with an event until {self.until:g}; {lost:,} "
            "rows censored before are left out, and the others weighted for it."
        )
        name = f"inverse probability of censoring, events until {self.until:g}"
        weighted = replace(table, y_true=y, keys=table.keys | {name: weights})
        design = {**self.design, "weights": name}
        return self._reverse(make_sample(Sample, weighted, design=design, keep=self.keep))

    def _reverse(self, sample: Sample) -> Sample:
        return sample.reverse(self.reverse) if self.reverse else sample

    def _read_counts(self, by_part: bool) -> ScoreCounts:
        from rocbands.io.columns import no_rows
        from rocbands.scale.counts import ScoreCounts

        assert self.path is not None, "the example has rows"
        if self.reverse:
            raise InputError(
                f"--reverse needs rows; {self.path} contains counts in the order of the scores. "
                "Name the file that was counted."
            )
        for use in self.design:
            raise InputError(
                f"--{use} needs rows; {self.path} contains counts, which do not say which rows are "
                f"of one cluster, stratum or fold, or what each weighs. Leave --{use} out, or name "
                "the file that was counted."
            )
        if self.label is not None and not self.shared:
            raise InputError(
                f"--label is for rows; {self.path} contains counts, in which positives and "
                "negatives are already separate. Leave --label out."
            )
        self.form.check(self.path)
        counts = ScoreCounts.load(self.path)
        if not counts.models:
            raise no_rows(self.path, "counts")
        if self.positive is not None and counts.positive not in (None, self.positive):
            raise InputError(
                "--positive must be the label that was counted as positive; in "
                f"{self.path} that is {counts.positive!r}, got {self.positive!r}. Leave "
                "--positive out, or count the rows again."
            )
        if counts.parts and self.only is None and not by_part:
            said = f"the {len(counts.parts)} parts of {self.path} are added up"
            remark(f"{said}; --only selects one.")
        chosen = self._choose_part(counts)
        chosen = chosen[list(self.score)] if self.score else chosen
        for name in chosen.models:
            _check_classes(chosen[name], self.path, self.only)
        return chosen

    def _choose_part(self, counts: ScoreCounts) -> ScoreCounts:
        """Return one part of counts by a column, or all of them together."""
        if self.only is None:
            return counts
        if not counts.parts:
            raise InputError(
                f"{self.path} was not counted by a column; --only {self.only} was given. Leave it "
                "out."
            )
        from rocbands.io.columns import pick

        return counts.split()[pick(self.only, counts.parts, str(self.path), "part")]


def _check_classes(counts: ScoreCounts, path: str, part: str | None) -> None:
    for kind in ("positives", "negatives"):
        if not getattr(counts, kind).any():
            where = path if part is None else f"{path}, part {part!r},"
            raise InputError(
                f"{where} must contain both classes; it counts no {kind}. Merge it with the counts "
                "of the other parts by 'rocbands merge'."
            )


def split_models(data: Sample | ScoreCounts) -> dict[str, Any]:
    """Return the data of each model; curves of many rows are counted by several threads."""
    from rocbands.resample.streams import map_columns

    parts = {name: data[name] for name in data.models}

    def count(part: Any) -> None:
        with suppress(InputError):  # code that needs the curve raises the error
            _ = part.roc

    map_columns(count, list(parts.values()), data.n)
    return parts


def find_difference(data: Models, ask: Callable[..., T], **how: Any) -> T | None:
    """Compare two models that share their rows by ``ask(data, **how)``; None for others."""
    from rocbands.core.sample import Sample

    if len(data.models) != 2:
        return None
    if isinstance(data, Sample):
        with warnings_about("difference"):
            return ask(data, **how)
    why = "counts do not say which scores belong to the same row"
    remark(f"no difference of the two models: {why}.")
    return None


def _complete(
    list_names: Callable[[ScoreCounts], tuple[str, ...]],
    ctx: click.Context,
    param: click.Parameter,
    incomplete: str,
) -> list[str]:
    """Complete names of columns, or those listed of counts, of the file on the line."""
    from rocbands.io.files import column_names
    from rocbands.io.streams import EXAMPLE
    from rocbands.scale.counts import ScoreCounts
    from rocbands.scale.saved import is_counts

    # An option that still waits for its value keeps click from giving the file its name.
    path = ctx.params.get("path") or ctx.params.get("pilot") or next(iter(ctx.args), None)
    if ctx.params.get("example"):
        path = str(EXAMPLE)
    if path in (None, "-"):
        return []
    try:
        counted = is_counts(str(path))
        names = list_names(ScoreCounts.load(str(path))) if counted else column_names(str(path))
    except Exception:  # completion reports no errors
        return []
    return [name for name in names if name.startswith(incomplete)]


column = partial(
    options.text, metavar="NAME", shell_complete=partial(_complete, lambda counts: counts.models)
)

_ROWS = (
    click.argument("path", metavar="SCORES", type=click.Path(), required=False),
    column(
        "--score",
        "Column of scores; repeat it for several models. By default the columns whose names "
        "begin with score, else the only column of numbers.",
        multiple=True,
    ),
    column(
        "--label",
        "Column of labels. By default the one called y_true, y, label, target, class, "
        "diagnosis or the like.",
    ),
    options.positive,
    options.rest,
    column(
        "--reverse",
        "Column of scores whose small values mean positive: it is multiplied by -1.",
        multiple=True,
    ),
    column("--clusters", "Column of clusters; rows of one cluster are dependent."),
    column("--weights", "Column of sampling weights, on any scale."),
    column("--strata", "Column of the strata in which rows, or their clusters, were sampled."),
    column("--folds", "Column of cross-validation folds."),
    column("--time", "Column of survival times; --label then says whether the event happened."),
    options.number("--until", "With --time: events until T count, weighted for censoring.", "T"),
    options.flag("--drop-missing", "Drop rows with missing values, and report how many."),
    options.sheet,
    options.written,
    options.flag("--example", "Use the scores that ship with rocbands instead of a file."),
)
_ONLY = options.text(
    "--only",
    "If SCORES contains counts by a column: use this value only. By default all are added up.",
    "VALUE",
    shell_complete=partial(_complete, lambda counts: counts.parts),
)


def is_piped() -> bool:
    """Tell whether rows come through a pipe or from a redirected file."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (AttributeError, OSError, ValueError):  # no stdin, or not a file
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode)


def reads_rows(function: Any) -> Any:
    """Give a command, as `source`, what the options say about its rows."""

    @wraps(function)
    def run(**asked: Any) -> Any:
        design = {use: name for use in DESIGN if (name := asked.pop(use)) is not None}
        known = {one.name for one in fields(Source)} - {"design", "repeats", "form"}
        form = options.take_form(asked)
        said = {name: asked.pop(name) for name in known & set(asked)}
        if said.get("path") is None and not said.get("example") and is_piped():
            said["path"] = "-"
        return function(source=Source(**said, design=design, form=form), **asked)

    return options.combine(*_ROWS)(run)


def reads(function: Any) -> Any:
    """Give a command, as `source`, what the options say about its rows or counts."""
    return reads_rows(_ONLY(function))
