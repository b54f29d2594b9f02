"""Counts of both classes at each score or in each bin: all that results need of rows."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import BoolArray, CountArray, FloatArray, IndexArray, frozen
from rocbands.core.columns import against_rest
from rocbands.core.result import Result
from rocbands.core.roc import RocCurve
from rocbands.errors import InputError, arg
from rocbands.io.columns import pick
from rocbands.scale.accumulator import (
    refuse_overflow,
    sort_names,
    sum_by_place,
    to_common_type,
)
from rocbands.scale.bins import bin_thresholds
from rocbands.scale.frames import count_arrays
from rocbands.scale.saved import (
    COUNTS_SCHEMA,
    WEIGHT_SUMS,
    check_seal,
    read_arrow,
    read_counts_file,
    write_counts,
)

__all__ = ["ScoreCounts"]


@dataclass(frozen=True, eq=False, repr=False)
class ScoreCounts(Result):
    """Positives and negatives at each score, or in each bin of scores, for each model and group.

    Counts are small, can be kept in a file, and add up: the counts of the parts of a data set, in
    any order, are the counts of the whole. Models and groups stand in alphabetical order.

    Attributes
    ----------
    model, group : ndarray of int, shape (k,)
        Which of `models` and `groups` a row of counts belongs to; `group` is 0 without groups.
    value : ndarray of shape (k,)
        Keys of bins (see ``rocbands.scale.bins``), or the scores themselves if not `binned`.
    positives, negatives : ndarray of int64, shape (k,)
        How many rows of data have that model's score there.
    models, groups : tuple of str
        Their names; `groups` is empty where rows were not counted by group.
    binned : bool
        Whether scores were put into bins.
    labels : tuple of (str or None, str or None)
        The positive and the negative label as text, where known.
    weights : ndarray of float, shape (4, k), or None
        Sums of the weights of negatives and of positives, and of their squares, where rows have
        weights.

    See Also
    --------
    count_scores : count files, frames and relations.

    Examples
    --------
    >>> counts = ScoreCounts.from_arrays([1, 0, 1, 0], {"old": [0.9, 0.2, 0.4, 0.4]})
    >>> counts.roc().auc
    0.875
    >>> (counts + counts).roc().n_pos
    4
    """

    schema: ClassVar[str] = COUNTS_SCHEMA

    model: IndexArray
    group: IndexArray
    value: npt.NDArray[Any]
    positives: CountArray
    negatives: CountArray
    models: tuple[str, ...]
    groups: tuple[str, ...] = ()
    binned: bool = True
    labels: tuple[str | None, str | None] = field(default=(None, None))
    weights: FloatArray | None = None

    def __post_init__(self) -> None:
        for name in ("model", "group", "value", "positives", "negatives"):
            object.__setattr__(self, name, frozen(getattr(self, name)))
        if self.weights is not None:
            object.__setattr__(self, "weights", frozen(self.weights))

    @classmethod
    def of(
        cls,
        names: tuple[Sequence[str], Sequence[str]],
        codes: tuple[IndexArray, IndexArray],
        value: npt.NDArray[Any],
        counts: tuple[CountArray, CountArray],
        *,
        binned: bool,
        labels: tuple[str | None, str | None] = (None, None),
        weights: FloatArray | None = None,
    ) -> ScoreCounts:
        """Make counts from rows in any order; those with the same place are added up.

        `names` are those of the models and of the groups, if any; `codes` are each row's indices
        into them; `value` has keys of bins, or scores; `counts` are positives and negatives;
        `weights` (4, k) sums of the weights of negatives and of positives, and of their squares.
        """
        models, model = sort_names(names[0], codes[0])
        groups, group = sort_names(names[1], codes[1])
        refuse_overflow(counts)
        places = (model, group, value)
        if weights is not None:
            weights = sum_by_place(places, weights)[1]
        (model, group, value), sums = sum_by_place(places, np.stack(counts))
        return cls(model, group, value, sums[0], sums[1], models, groups, binned, labels, weights)

    @classmethod
    def from_arrays(
        cls,
        y_true: Any,
        y_scores: Mapping[str, Any],
        *,
        positive: object = None,
        rest: bool = False,
        groups: Any = None,
        weights: Any = None,
        exact: bool = False,
    ) -> ScoreCounts:
        """Count arrays or columns that are in memory.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            Two labels of any kind.
        y_scores : mapping of str to array-like of shape (n,)
            Each model's scores.
        positive : object, optional
            The positive label; needed unless the labels are {0, 1}, {-1, 1} or booleans.
        rest : bool, default False
            One class against all others: every other label than `positive` counts as negative.
        groups : array-like of shape (n,), optional
            The group of each row; each is counted by itself.
        weights : array-like of shape (n,), optional
            What each row stands for, above 0; sums of weights are kept beside the counts.
        exact : bool, default False
            Count each score by itself, instead of bins.
        """
        how = {"groups": groups, "weights": weights, "exact": exact}
        return cls.of(
            **count_arrays(y_true, y_scores, positive=against_rest(positive, rest), **how)
        )

    @classmethod
    def from_table(
        cls, table: Any, *, labels: tuple[str | None, str | None] = (None, None)
    ) -> ScoreCounts:
        """Take counts that an engine has made, for example with the query of ``rocbands sql``.

        Parameters
        ----------
        table : pyarrow.Table
            With the columns positives, negatives and either bin or score, and perhaps model, group
            and missing; rows in any order.
        labels : pair of str or None
            The positive and the negative label, if known: then counts of others are not merged.
        """
        return cls.of(**read_arrow(table, "The table") | {"labels": tuple(labels)})

    @classmethod
    def merge(cls, parts: Iterable[ScoreCounts]) -> ScoreCounts:
        """Add up the counts of parts of a data set.

        Parameters
        ----------
        parts : iterable of ScoreCounts
            All in bins, or all exact; all by group, or none; with the same models and labels.
        """
        whole = list(parts)
        if not whole:
            raise InputError("There must be counts to merge", "got none")
        labels = _merge_labels(whole)
        names = [sorted({n for part in whole for n in getattr(part, k)}) for k in _NAMES]
        codes = [
            np.concatenate([_recode(part, kind, new) for part in whole])
            for kind, new in zip(_NAMES, names, strict=True)
        ]
        return cls.of(
            (names[0], names[1]),
            (codes[0], codes[1]),
            np.concatenate(to_common_type([part.value for part in whole])),
            (
                np.concatenate([part.positives for part in whole]),
                np.concatenate([part.negatives for part in whole]),
            ),
            binned=whole[0].binned,
            labels=labels,
            weights=_merge_weights(whole),
        )

    def __add__(self, other: ScoreCounts) -> ScoreCounts:
        if not isinstance(other, ScoreCounts):
            return NotImplemented
        return ScoreCounts.merge((self, other))

    def roc(self, model: str | None = None, group: str | None = None) -> RocCurve:
        """Return the ROC curve of a model.

        Parameters
        ----------
        model : str, optional
            Its name; needed if there are several.
        group : str, optional
            The group to look at; by default all of them together.
        """
        rows = self._rows(model, group)
        (value,), (positives, negatives) = self._pool(rows)
        thresholds = bin_thresholds(value) if self.binned else value
        fp, tp = (np.cumsum(counts[::-1]) for counts in (negatives, positives))
        weights = None
        if self.weights is not None:
            weights = sum_by_place((self.value[rows],), self.weights[:, rows])[1][:, ::-1]
        curve = (thresholds[::-1], fp, tp)
        return RocCurve.from_counts(*curve, bins=self.binned, weights=weights)

    @cached_property
    def certificate(self) -> Mapping[str, float]:
        """Largest error of each model's AUC that bins can have made, all groups together.

        Pairs within one bin count one half, whatever their order: the AUC cannot be farther from
        that of the scores than half their share. It is 0 for exact counts. Models without rows of
        both classes are left out.
        """
        both = [set(self.model[kind > 0]) for kind in (self.positives, self.negatives)]
        usable = sorted(both[0] & both[1])
        return {self.models[code]: self.roc(self.models[code]).certificate for code in usable}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the counts to a Parquet file, in one step: it is there whole, or not at all."""
        write_counts(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> ScoreCounts:
        """Read what :meth:`save` wrote, or a table of counts that a database wrote.

        Such a table is CSV or Parquet with the columns positives, negatives and either bin or
        score, and perhaps model and group; ``rocbands sql`` prints the query that makes one.
        """
        columns, seal = read_counts_file(path)
        counts = cls.of(**columns)
        check_seal(counts, seal, os.fspath(path))
        return counts

    def _rows(self, model: str | None, group: str | None) -> BoolArray:
        if model is None and len(self.models) != 1:
            raise InputError(
                "It must be clear which model is meant",
                f"there are {len(self.models)}: {', '.join(map(repr, self.models[:8]))}",
                f"Pass {arg('model', self.models[0])}." if self.models else "",
            )
        index = 0 if model is None else self.models.index(pick(model, self.models, "The counts"))
        rows = np.asarray(self.model == index)
        if group is None:
            return rows
        if not self.groups:
            raise InputError(
                f"There must be groups to look at group {group!r}",
                "rows were not counted by group",
                f"Count them again with {arg('group', ...)}, or leave the group out.",
            )
        wanted = self.groups.index(pick(group, self.groups, "The counts"))
        return np.asarray(rows & (self.group == wanted))

    def _pool(self, rows: BoolArray) -> tuple[Any, Any]:
        return sum_by_place(
            (self.value[rows],), np.stack((self.positives[rows], self.negatives[rows]))
        )

    def facts(self) -> Mapping[str, object]:
        facts: dict[str, object] = {"binned": self.binned, "models": list(self.models)}
        if self.groups:
            facts["groups"] = list(self.groups)
        facts |= {"positive": self.labels[0], "negative": self.labels[1]}
        return facts | {"certificate": dict(self.certificate)}

    def columns(self) -> Mapping[str, Any]:
        columns: dict[str, Any] = {"model": np.array(self.models, dtype=object)[self.model]}
        if self.groups:
            columns["group"] = np.array(self.groups, dtype=object)[self.group]
        columns["bin" if self.binned else "score"] = self.value
        columns |= {"positives": self.positives, "negatives": self.negatives}
        if self.weights is not None:
            columns |= dict(zip(WEIGHT_SUMS, self.weights, strict=True))
        return columns

    def _brief(self) -> str:
        kind = "bins of scores" if self.binned else "scores"
        groups = f", in {len(self.groups)} groups" if self.groups else ""
        models = f"{len(self.models)} model{'s' * (len(self.models) != 1)}"
        return f"{models}, {self.value.size} {kind}{groups}"

    def summary(self) -> tuple[str, Mapping[str, Any]]:
        parts = [self._pool(self._rows(name, None)) for name in self.models]
        table = {
            "model": list(self.models),
            "positives": np.array([int(counts[0].sum()) for _, counts in parts]),
            "negatives": np.array([int(counts[1].sum()) for _, counts in parts]),
            "bins" if self.binned else "scores": np.array([v.size for (v,), _ in parts]),
        }
        kind = "bins of scores" if self.binned else "scores"
        groups = f", in {len(self.groups)} groups" if self.groups else ""
        sentence = f"Counts of both classes in {kind}{groups}."
        if self.binned and self.certificate:
            worst = max(self.certificate.values())
            sentence += f" Bins change an AUC by at most {worst:.1e}."
        return sentence, table


_NAMES = ("models", "groups")
Labels: TypeAlias = tuple[str | None, str | None]


def _merge_weights(parts: Sequence[ScoreCounts]) -> FloatArray | None:
    weights = [part.weights for part in parts if part.weights is not None]
    if weights and len(weights) < len(parts):
        raise InputError(
            "Counts that are merged must all have weights, or none",
            "found both",
            "Count the parts alike.",
        )
    return np.concatenate(weights, axis=1) if weights else None


def _recode(part: ScoreCounts, kind: str, names: list[str]) -> IndexArray:
    place = {name: code for code, name in enumerate(names)}
    old: tuple[str, ...] = getattr(part, kind)
    codes: IndexArray = getattr(part, kind[:-1])
    return np.array([place[name] for name in old], dtype=np.intp)[codes] if old else codes


def _merge_labels(parts: Sequence[ScoreCounts]) -> Labels:
    """Refuse parts that are no parts of one whole; return the labels they share."""
    first = parts[0]
    labels = first.labels
    for part in parts[1:]:
        if part.binned != first.binned:
            raise InputError(
                "Counts that are merged must all be in bins, or all be exact",
                "found both",
                "Count the parts alike.",
            )
        if bool(part.groups) != bool(first.groups):
            raise InputError(
                "Counts that are merged must all be by group, or none",
                "found both",
                "Count the parts alike.",
            )
        if part.models != first.models:
            raise InputError(
                "Counts that are merged must be of the same models",
                f"found {', '.join(first.models)} and {', '.join(part.models)}",
                "Count the parts alike.",
            )
        labels = _agree(labels, part.labels)
    return labels


def _agree(one: Labels, two: Labels) -> Labels:
    positive, negative = (a if a is not None else b for a, b in zip(one, two, strict=True))
    known = {label for label in (*one, *two) if label is not None}
    fits = all(b in (None, a) for a, b in zip((positive, negative), two, strict=True))
    if fits and (None in (positive, negative) or len(known) == 2):
        return positive, negative
    raise InputError(
        "Counts that are merged must have the same positive and the same negative label",
        f"found {_write_pair(one)} and {_write_pair(two)}",
        f"Count the parts with the same {arg('positive')}.",
    )


def _write_pair(labels: Labels) -> str:
    return "/".join("unknown" if label is None else repr(label) for label in labels)
