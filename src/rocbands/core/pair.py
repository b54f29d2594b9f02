"""Checked scores of two models, on the same rows or on two test sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from rocbands.core.checks import IndexArray
from rocbands.core.counting import find_levels, rank_in_folds
from rocbands.core.method import Extra
from rocbands.core.models import list_names
from rocbands.core.randomness import join_keys, key_models, key_rows, sort_keys, sum_keys
from rocbands.core.roc import RocCurve
from rocbands.core.rows import INDEPENDENT, Design, Rows
from rocbands.core.sample import Sample
from rocbands.core.table import list_notes
from rocbands.core.thresholds import note_outside
from rocbands.errors import InputError, Message, arg, in_python

UNNAMED = ("model 1", "model 2")


@dataclass(frozen=True, eq=False)
class Pair:
    """Two models' scores."""

    # first, second: the models' rows; for two test sets they may be curves.
    first: Rows | RocCurve
    second: Rows | RocCurve
    paired: bool = True  # whether row i of both is the same case
    drawn: Design = INDEPENDENT  # only for the same rows; no equal weights
    folded: Sample | None = None  # the sample, if it has folds
    names: tuple[str, str] = UNNAMED
    # how the rows were drawn; for two test sets, the union of both designs.
    design: tuple[Extra, ...] = ()
    # for two test sets, the numbers of the clusters that are in both, in either set.
    common_clusters: tuple[IndexArray, IndexArray] | None = None

    @classmethod
    def from_sample(cls, sample: Sample) -> Pair:
        """Take the two models of a sample."""
        if len(sample.models) != 2:
            one, two = (*sample.models, "a", "b")[:2]
            raise InputError(
                "A comparison on the same rows needs two models",
                f"the sample has {len(sample.models)}",
                in_python(
                    f"Choose two, as sample[[{one!r}, {two!r}]]; rb.compare_many compares more."
                    if len(sample.models) > 2
                    else "Two test sets are two samples.",
                    "two models",
                ),
            )
        one, two = sample.models
        sample = sample.leave_out_zeros()
        drawn = sample.drawn
        if drawn.weights is not None and np.ptp(drawn.weights) == 0.0:
            drawn = replace(drawn, weights=None)
        rows = sample.rows_of(one), sample.rows_of(two)
        folded = None if drawn.folds is None else sample
        return cls(*rows, drawn=drawn, folded=folded, names=(one, two), design=sample.design)

    @classmethod
    def of_two_sets(
        cls, first: Rows | RocCurve, second: Rows | RocCurve, names: tuple[str, str]
    ) -> Pair:
        """Take two test sets; curves carry their design, and may have clusters in common."""
        curves = [part for part in (first, second) if isinstance(part, RocCurve)]
        design = dict.fromkeys(extra for roc in curves for extra in roc.design)
        origins = [roc.origin for roc in curves if roc.origin is not None]
        common = origins[0].match_clusters(origins[1]) if len(origins) == 2 else None
        return cls(first, second, False, names=names, design=(*design,), common_clusters=common)

    @cached_property
    def one(self) -> Rows:
        """Rows of the first model; for a curve, reconstructed from its counts."""
        return self.first if isinstance(self.first, Rows) else self.first.expand_rows()

    @cached_property
    def two(self) -> Rows:
        """Rows of the second model."""
        return self.second if isinstance(self.second, Rows) else self.second.expand_rows()

    @property
    def test_sets(self) -> tuple[Rows, ...]:
        """The independent test sets: one that both models scored, or two."""
        return (self.one,) if self.paired else (self.one, self.two)

    @property
    def frame(self) -> str | None:
        """The kind of frame the data came from."""
        return self.first.frame or self.second.frame

    @property
    def asked(self) -> tuple[Extra, ...]:
        """What a method must handle: the kind of comparison, and how the rows were drawn."""
        if self.paired:
            return ("paired", *self.design)
        # Clusters or folds of the same rows and those in two test sets are different questions.
        kinds: dict[Extra, Extra] = {"clusters": "unpaired clusters", "folds": "unpaired folds"}
        common: tuple[Extra, ...] = () if self.common_clusters is None else ("common clusters",)
        return ("unpaired", *(kinds.get(extra, extra) for extra in self.design), *common)

    @property
    def smallest_class(self) -> int:
        """Size of the smallest class."""
        return min(size for s in (self.first, self.second) for size in (s.n_pos, s.n_neg))

    @property
    def ranked_alike(self) -> bool:
        """Whether both models rank the same rows equally, in each fold, including ties."""
        if not self.paired:
            return False
        one, two = (rank_in_folds(s.values, self.drawn.folds) for s in (self.one, self.two))
        return bool(np.array_equal(one, two))

    @cached_property
    def curves(self) -> tuple[RocCurve, RocCurve]:
        """Both curves; they carry the design of the rows, folds included."""
        if self.folded is not None:
            first, second = self.names
            return self.folded[first].roc, self.folded[second].roc
        one, two = (
            data if isinstance(data, RocCurve) else RocCurve.from_rows(data, self.drawn)
            for data in (self.first, self.second)
        )
        return one, two

    @property
    def mirrored(self) -> Pair:
        """The pair of swapped classes and negated scores."""
        one, two = (
            data.mirrored
            if isinstance(data, RocCurve)
            else replace(
                data, is_positive=~data.is_positive, values=-find_levels(data.values).level
            )
            for data in (self.first, self.second)
        )
        return replace(self, first=one, second=two)

    @property
    def value_notes(self) -> tuple[str, ...]:
        """Notes on models whose scores look like labels, or some of them like codes."""
        parts = zip(self.names, (self.first, self.second), strict=True)
        return tuple(list_notes({name: part.value_notes for name, part in parts}))

    def note_outside(self, cuts: tuple[Any, Any]) -> tuple[str, ...]:
        """Note thresholds of a model above or below all of its scores."""
        parts = zip(self.names, (self.first, self.second), cuts, strict=True)
        return tuple(
            note
            for name, part, cut in parts
            for note in note_outside(np.atleast_1d(cut).tolist(), *part.span, of=name)
        )

    def match(self, values: Any, name: str, *, one: bool = False) -> tuple[Any, Any]:
        """Return the value for each model, given by name or as a pair in the models' order.

        `one`: whether a single value for both is allowed.
        """
        if isinstance(values, Mapping):
            unknown = [key for key in values if key not in self.names]
            if unknown or len(values) != 2:
                raise InputError(
                    f"must have a value for each of the models {list_names(self.names)}",
                    f"it is for {list_names(tuple(values))}",
                    argument=name,
                )
            return values[self.names[0]], values[self.names[1]]
        if isinstance(values, (tuple, list)) and len(values) == 2:
            return values[0], values[1]
        if one and not isinstance(values, (tuple, list)) and np.ndim(values) == 0:
            return values, values
        raise InputError(
            "must be a pair, one for each model, or a mapping by the models' names",
            f"got {type(values).__name__}",
            Message("Pass, for example, {}.", arg(name, (0.5, 0.5))),
            argument=name,
        )

    @cached_property
    def _levels(self) -> tuple[IndexArray, IndexArray]:
        """Level of each row's score among the distinct ones, by both models."""
        return find_levels(self.one.values).level, find_levels(self.two.values).level

    @cached_property
    def _keys(self) -> tuple[int, int]:
        """A key for each model, invariant under the order of rows and of models."""
        one, two = (
            key_rows(level, s.is_positive)
            for level, s in zip(self._levels, (self.one, self.two), strict=True)
        )
        if not self.paired:
            return key_models([one])[0], key_models([two])[0]
        clusters = self.drawn.clusters
        size = 0 if clusters is None else int(clusters.max()) + 1
        first, second = key_models([one, two], clusters, size)
        return first, second

    @property
    def turned(self) -> bool:
        """Whether random methods take the models in the other order."""
        return self._keys[0] > self._keys[1]

    def exchange(self) -> Pair:
        """Return the models in the other order."""
        turned = replace(self, first=self.two, second=self.one, names=self.names[::-1])
        for name in ("_levels", "_keys"):  # as far as they are known
            if name in vars(self):
                vars(turned)[name] = vars(self)[name][::-1]
        return turned

    def sort_rows(self) -> Pair:
        """Put the rows in an order that depends on their contents only.

        Clusters are numbered in such an order, too, and levels replace scores. Random draws then
        depend neither on the order of rows, nor on names of clusters or the scale of scores.
        """
        one, two = (
            replace(s, values=level)
            for level, s in zip(self._levels, (self.one, self.two), strict=True)
        )
        if not self.paired:
            one, two = (s.take(np.lexsort((s.values, s.is_positive))) for s in (one, two))
            return Pair(one, two, paired=False, names=self.names)
        clusters, keys = self.drawn.clusters, [two.values, one.values, one.is_positive]
        if clusters is not None:
            rows = join_keys(*keys)
            clusters = sort_keys(sum_keys(rows, clusters, int(clusters.max()) + 1))[1][clusters]
            keys.append(clusters)
        order = np.lexsort(keys)
        drawn = Design(clusters=None if clusters is None else clusters[order])
        return Pair(one.take(order), two.take(order), drawn=drawn, names=self.names)
