"""What SCORES holds: rows, or counts in their place, which most commands need no more than."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rocbands.cli.inputs import check_source, holds_counts, read_rows, reads_scores
from rocbands.cli.options import is_given
from rocbands.cli.words import cli_words, remark
from rocbands.errors import InputError

if TYPE_CHECKING:
    import numpy.typing as npt

    from rocbands.core.scores import PairedScores
    from rocbands.scale.counts import ScoreCounts

__all__ = ["ASKED", "Given", "read_given", "reads_counts"]

ASKED = ("scores", "label", "positive", "example", "only_group")  # besides the file

F = TypeVar("F")


@dataclass(frozen=True, eq=False)
class Given:
    """Each model's labels and scores, or its curve alone.

    Attributes
    ----------
    parts : mapping of str to tuple
        By the names of the models: what functions of the library take first, (y_true, y_score) or
        (RocCurve, None).
    rows : PairedScores or None
        The rows, if there are any.
    keys : mapping of str to ndarray
        Columns of groups and folds; counts have none.
    positive : str or None
        The positive label, where it is known.
    """

    parts: Mapping[str, tuple[Any, Any]]
    rows: PairedScores | None
    keys: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)
    positive: str | None = None

    @classmethod
    def of(cls, rows: PairedScores, keys: Mapping[str, npt.NDArray[Any]] | None = None) -> Given:
        """Take rows."""
        parts = {name: (rows.is_positive, scores) for name, scores in rows.models.items()}
        return cls(parts, rows, keys or {}, str(rows.positive))

    def __len__(self) -> int:
        return len(self.parts)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the models."""
        return tuple(self.parts)

    @property
    def sizes(self) -> tuple[int, int]:
        """Number of positives and of negatives; all models have the same."""
        labels, scores = next(iter(self.parts.values()))
        if scores is None:
            return labels.n_pos, labels.n_neg
        n_pos = int(labels.sum())
        return n_pos, labels.size - n_pos

    @property
    def size(self) -> int:
        """Number of rows."""
        return sum(self.sizes)

    @property
    def prevalence(self) -> float:
        """Share of positives."""
        return self.sizes[0] / self.size

    def reach(self, name: str) -> tuple[float, float]:
        """Lowest and highest score of a model; of bins, where the outermost begin."""
        labels, scores = self.parts[name]
        if scores is None:
            return float(labels.thresholds[-1]), float(labels.thresholds[0])
        return float(scores.min()), float(scores.max())

    def pair(self) -> PairedScores | None:
        """Return the rows if two models share them; of counts, say why there is no difference."""
        if len(self) != 2:
            return None
        if self.rows is None:
            remark(
                "no difference of the two models: counts do not say which scores belong to the "
                "same row."
            )
        return self.rows


def reads_counts(command: F) -> F:
    """Give a command the options that :func:`read_given` takes."""
    group = click.option(
        "--only-group",
        metavar="GROUP",
        shell_complete=_complete_group,
        help="If SCORES holds counts by group: look at this one. By default all are added up.",
    )
    return reads_scores(group(command))  # type: ignore[type-var]


def read_given(
    source: str | None,
    scores: tuple[str, ...],
    label: str | None,
    positive: str | None,
    example: bool,
    only_group: str | None = None,
    keys: tuple[str, ...] = (),
) -> Given:
    """Read the rows or the counts that the command line asks for."""
    check_source(source, scores, example)
    if source is not None and holds_counts(source, label):
        return _curves(source, scores, label, positive, only_group)
    if only_group is not None:
        raise InputError(
            f"--only-group is for counts by group; {source or 'the example'} holds rows. Leave "
            "--only-group out, or count first with 'rocbands count --group NAME'."
        )
    return Given.of(*read_rows(source, scores, label, positive, example, keys))


def _curves(
    source: str,
    scores: tuple[str, ...],
    label: str | None,
    positive: str | None,
    group: str | None,
) -> Given:
    from rocbands.scale.counts import ScoreCounts

    _refuse_rows(source, label)
    counts = ScoreCounts.load(source)
    _check_label(counts, source, positive)
    if group is not None:
        group = _named(group, counts.groups, f"{source} has no group")
    elif counts.groups:
        remark(
            f"the {len(counts.groups)} groups of {source} are added up; --only-group looks at one."
        )
    wanted = [_named(name, counts.models, f"{source} has no model") for name in scores]
    parts = {}
    for name in wanted or counts.models:
        _check_classes(counts, source, name, group)
        with cli_words():
            parts[name] = counts.roc(name, group), None
    return Given(parts, None, positive=counts.labels[0])


def _check_classes(counts: ScoreCounts, source: str, model: str, group: str | None) -> None:
    rows = counts.model == counts.models.index(model)
    if group is not None:
        rows &= counts.group == counts.groups.index(group)
    for kind in ("positives", "negatives"):
        if not getattr(counts, kind)[rows].any():
            where = source if group is None else f"{source}, group {group!r},"
            raise InputError(
                f"{where} must hold both classes; it counts no {kind}. Merge it with the counts of "
                "the other parts by 'rocbands merge'."
            )


def _refuse_rows(source: str, label: str | None) -> None:
    """Refuse options that say something about rows."""
    ctx = click.get_current_context()
    second = ctx.params.get("test") or ctx.params.get("validation")
    if label is not None and second is None:  # else it may be for the other file
        raise InputError(
            f"--label is for rows; {source} holds counts, in which positives and negatives are "
            "already told apart. Leave --label out."
        )
    for name in ("groups", "folds"):
        if name in ctx.params and is_given(name):
            raise InputError(
                f"--{name} needs rows; {source} holds counts, which do not say which rows belong "
                f"together. Leave --{name} out, or name the file that was counted."
            )


def _check_label(counts: ScoreCounts, source: str, positive: str | None) -> None:
    counted = counts.labels[0]
    if positive is not None and counted not in (None, positive):
        raise InputError(
            f"--positive must be the label that was counted as positive; in {source} that is "
            f"{counted!r}, got {positive!r}. Leave --positive out, or count the rows again."
        )


def _named(name: str, known: tuple[str, ...], problem: str) -> str:
    """Return `name` if it is known; otherwise say which was perhaps meant."""
    from difflib import get_close_matches

    if name in known:
        return name
    if not known:
        raise InputError(f"{problem}s; --only-group {name} was given. Leave it out.")
    folded = {one.casefold(): one for one in known}
    close = get_close_matches(name.casefold(), folded, n=1)
    hint = f"Did you mean {folded[close[0]]!r}? " if close else ""
    more = f", ... ({len(known) - 8} more)" if len(known) > 8 else ""
    raise InputError(f"{problem} {name!r}. {hint}It has {', '.join(map(repr, known[:8]))}{more}.")


def _complete_group(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Let the shell complete groups of the counts that stand on the line."""
    from rocbands.scale.counts import ScoreCounts

    try:
        groups = ScoreCounts.load(ctx.params.get("source") or ctx.args[0]).groups
    except Exception:  # whatever is wrong with the file, a shell is no place to say so
        return []
    return [name for name in groups if name.startswith(incomplete)]
