"""Checked scores of two models, on the same rows or on two test sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from rocbands.core.checks import CountArray, FloatArray, IndexArray
from rocbands.core.columns import MissingError, column_text, frame_kind, score_column, two_classes
from rocbands.core.counting import find_levels
from rocbands.core.data import check_scores_given, refuse_beside
from rocbands.core.method import Extra
from rocbands.core.models import Models, list_names
from rocbands.core.randomness import join_keys, key_models, key_rows, sort_keys, sum_keys
from rocbands.core.roc import RocCurve
from rocbands.core.rows import Origin, Rows, check_length, check_order
from rocbands.core.sample import Sample
from rocbands.core.sample_columns import read_models
from rocbands.core.table import list_notes
from rocbands.core.thresholds import note_outside
from rocbands.errors import InputError, Message, arg, in_python, warn

UNNAMED = ("model 1", "model 2")


@dataclass(frozen=True, eq=False)
class Pair:
    """Two models' scores."""

    # first, second: the models' rows; for two test sets they may be curves.
    first: Rows | RocCurve
    second: Rows | RocCurve
    paired: bool = True  # whether row i of both is the same case
    # (n,) cluster, weight and stratum of each row; only for the same rows.
    clusters: CountArray | None = None
    weights: FloatArray | None = None
    strata: CountArray | None = None
    # (n,) fold of each row, numbered from 0; only for the same rows.
    folds: CountArray | None = None
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
        weights = sample.weights
        return cls(
            sample.rows_of(one),
            sample.rows_of(two),
            clusters=sample.clusters,
            weights=None if weights is None or np.ptp(weights) == 0.0 else weights,
            strata=sample.strata,
            folds=sample.folds,
            names=(one, two),
            design=sample.design,
        )

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
        # Clusters of the same rows and clusters in two test sets are different questions.
        kinds: dict[Extra, Extra] = {"clusters": "unpaired clusters"}
        common: tuple[Extra, ...] = () if self.common_clusters is None else ("common clusters",)
        return ("unpaired", *(kinds.get(extra, extra) for extra in self.design), *common)

    @property
    def smallest_class(self) -> int:
        """Size of the smallest class."""
        return min(size for s in (self.first, self.second) for size in (s.n_pos, s.n_neg))

    @property
    def ranked_alike(self) -> bool:
        """Whether both models rank the same rows equally, including ties."""
        if not self.paired:
            return False
        one, two = (find_levels(s.values).double_midranks for s in (self.one, self.two))
        return bool(np.array_equal(one, two))

    @cached_property
    def curves(self) -> tuple[RocCurve, RocCurve]:
        """Both curves; they carry the design of the rows."""
        design = (self.clusters, self.weights, self.strata)
        one, two = (
            data if isinstance(data, RocCurve) else RocCurve.from_rows(data, *design)
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
        size = 0 if self.clusters is None else int(self.clusters.max()) + 1
        first, second = key_models([one, two], self.clusters, size)
        return first, second

    @property
    def turned(self) -> bool:
        """Whether random methods take the models in the other order."""
        return self._keys[0] > self._keys[1]

    def exchange(self) -> Pair:
        """Return the models in the other order."""
        turned = replace(self, first=self.two, second=self.one, names=self.names[::-1])
        for name in ("_levels", "_keys"):
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
        clusters, keys = self.clusters, [two.values, one.values, one.is_positive]
        if clusters is not None:
            rows = join_keys(*keys)
            clusters = sort_keys(sum_keys(rows, clusters, int(clusters.max()) + 1))[1][clusters]
            keys.append(clusters)
        order = np.lexsort(keys)
        clusters = None if clusters is None else clusters[order]
        return Pair(one.take(order), two.take(order), clusters=clusters, names=self.names)


def read_pair(y_true: Any, y_score_1: Any, y_score_2: Any, positive: object = None) -> Pair:
    """Read two models from one sample, two test sets, or labels and two columns of scores."""
    if isinstance(y_true, Sample) and y_score_1 is None:
        refuse_beside(y_true, y_score_2=y_score_2, positive=positive)
        return Pair.from_sample(y_true)
    if isinstance(y_true, (Models, RocCurve)):
        if isinstance(y_score_1, (Models, RocCurve)):
            refuse_beside(y_true, y_score_2=y_score_2, positive=positive)
            return _read_two_sets(y_true, y_score_1)
        found = "nothing" if y_score_1 is None else type(y_score_1).__name__
        raise InputError(
            "A comparison is of a sample of two models, of two samples, or of labels and two "
            "columns of scores",
            f"got a {type(y_true).__name__} and {found}",
            Message("Name the others, for example {}.", arg("method", y_score_1))
            if isinstance(y_score_1, str)
            else "",
        )
    check_scores_given(y_true, y_score_1, "y_score_1", y_score_2)
    if y_score_2 is None and len(read_models(y_score_1)) > 1:
        raise InputError(
            "Two models by name are a sample",
            "they were given beside the labels",
            in_python("Pass rb.Sample(y_true, y_score), which has both models."),
        )
    if y_score_2 is None and _has_two_columns(y_score_1):
        raise InputError(
            "must be the scores of one model",
            "it has two columns",
            "Pass both one after the other: y_true, scores_1, scores_2.",
            argument="y_score_1",
        )
    check_scores_given(y_true, y_score_2, "y_score_2")
    titles = [getattr(column, "name", None) for column in (y_score_1, y_score_2)]
    named = all(isinstance(title, str) and title for title in titles) and titles[0] != titles[1]
    names = (column_text(titles[0]), column_text(titles[1])) if named else UNNAMED
    columns = {"y_score_1": y_score_1, "y_score_2": y_score_2}
    try:
        is_positive, _ = two_classes(y_true, positive)
        models = [score_column(column, name) for name, column in columns.items()]
        for name, values in zip(columns, models, strict=True):
            check_length(is_positive, values, name)
        check_order({"y_true": y_true, **columns})
    except MissingError:
        Sample(y_true, columns, positive=positive)  # raises, having counted them all
        raise
    frame = next(filter(None, map(frame_kind, (y_score_1, y_score_2, y_true))), None)
    one, two = (Rows(is_positive, values, frame) for values in models)
    return Pair(one, two, names=names)


def _has_two_columns(scores: Any) -> bool:
    """Tell whether both models' scores stand in one list or array."""
    if isinstance(scores, (list, tuple)):
        return len(scores) == 2 and all(np.ndim(one) == 1 for one in scores)
    return getattr(scores, "ndim", 1) == 2 and scores.shape[1] == 2


def _read_two_sets(first: Models | RocCurve, second: Models | RocCurve) -> Pair:
    """Take two test sets, each with one model; refuse two models of the same rows."""
    check_two_sets(first, second)
    for place, one, other in (("first", first, second), ("second", second, first)):
        if not isinstance(one, Sample) or not isinstance(other, Sample):
            break
        if one.weights is None and {"weights", "class weights"} & {*other.design}:
            raise InputError(
                "Weights are for both samples or for neither",
                f"the {place} has none",
                "Give it weights, or ones.",
            )
    parts: list[Rows | RocCurve] = []
    for data in (first, second):
        one = data.leave_out_zeros() if isinstance(data, Sample) else data
        if isinstance(one, Sample) and not one.has_design:
            parts.append(one.rows_of())
        else:
            parts.append(one if isinstance(one, RocCurve) else one.roc)
    names = [_find_name(data) for data in (first, second)]
    if names[0] == names[1]:
        names = [f"{name}, set {place}" for place, name in enumerate(names, start=1)]
    return Pair.of_two_sets(parts[0], parts[1], (names[0], names[1]))


def _find_name(data: Models | RocCurve) -> str:
    if not isinstance(data, Models):
        return "curve"
    part = data.part if isinstance(data, Sample) else getattr(data, "part_name", "")
    return f"{data.models[0]} ({part})" if part else data.models[0]


def check_two_sets(first: Models | RocCurve, second: Models | RocCurve) -> None:
    """Refuse two models of the same rows as two test sets; warn if they look like the same rows.

    An unpaired comparison of the same rows is silently wrong, usually with much too large p-values.
    """
    origins: list[Origin | None] = [
        data.origin if isinstance(data, (Sample, RocCurve)) else data.roc.origin
        for data in (first, second)
    ]
    if origins[0] is not None and origins[0].overlaps(origins[1]):
        raise InputError(
            "Two test sets must not have rows in common",
            "both come from the same rows",
            in_python(
                'Two models on the same rows are one sample: sample[["a", "b"]].', "same rows"
            ),
        )
    check_labels(first, second)
    known = [origin.source for origin in origins if origin is not None]
    if len(known) == 2 and known[0] == known[1]:
        return  # disjoint parts of one source
    if isinstance(first, Sample) and isinstance(second, Sample):
        labels = first.is_positive
        # Labels sorted by class are equal by design, not by chance.
        blocks = 1 + np.count_nonzero(labels[1:] != labels[:-1])
        if blocks > 2 and np.array_equal(labels, second.is_positive):
            warn(
                Message(
                    "Both samples have the same labels in the same order. If they are the same "
                    "rows, put both models into one {}: the comparison is then of the same rows.",
                    in_python("sample", "file"),
                )
            )


def check_labels(first: Any, second: Any) -> None:
    """Refuse two sets of rows with different positive labels."""
    if not (isinstance(first, Models) and isinstance(second, Models)):
        return
    one, two = ((data.positive, data.negative) for data in (first, second))
    if None not in (*one, *two) and one != two and one == two[::-1]:
        raise InputError(
            "Both sets of rows must have the same positive label",
            f"they have {one[0]!r} and {two[0]!r}",
            Message("Make both with the same {}.", arg("positive")),
        )
