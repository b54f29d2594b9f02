"""How rows were drawn, where they come from, and one model's rows, checked."""

from __future__ import annotations

import math
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import (
    BoolArray,
    CountArray,
    FloatArray,
    FrozenState,
    IndexArray,
    freeze,
    frozen,
)
from rocbands.core.columns import (
    frame_kind,
    label_codes,
    mention,
    numbers_from_objects,
    refuse_missing,
    to_column,
)
from rocbands.core.thresholds import note_scores
from rocbands.errors import InputError, Message, arg

# How rows may differ from independent rows of equal weight, in the order in which they are named.
DesignName: TypeAlias = Literal[
    "weights", "class weights", "strata", "clusters", "folds", "repeats", "bins"
]

# Squares of weights in this range, and their sums, neither overflow nor underflow.
LEAST_WEIGHT, MOST_WEIGHT = 1e-140, 1e140


# What a row of each class is called, and which rows are in it.
Classes: TypeAlias = Sequence[tuple[str, BoolArray]]


class Origin(NamedTuple):
    """The source of rows: two sets of rows can overlap only if they share a source."""

    source: str  # identifies a sample, a file or another source of rows
    rows: IndexArray | None = None  # their indices in the source; None for all rows
    # For counted rows, the column that they were counted by and its values here; None for all.
    parts: tuple[str | None, frozenset[str]] | None = None
    # Names of clusters, and the place of each row's cluster among them: test sets that have no row
    # in common may have a cluster in common.
    clusters: tuple[tuple[Any, ...], CountArray] | None = None

    def overlaps(self, other: Origin | None) -> bool:
        """Tell whether a row may be in both.

        Examples
        --------
        >>> first, last = (Origin("a", rows) for rows in (np.arange(3), np.arange(3, 6)))
        >>> first.overlaps(last), first.overlaps(Origin("a"))
        (False, True)
        """
        if other is None or self.source != other.source:
            return False
        if self.parts is not None and other.parts is not None:
            same_column = self.parts[0] == other.parts[0]
            return not same_column or bool(self.parts[1] & other.parts[1])
        if self.rows is None or other.rows is None:
            return True
        return bool(np.intersect1d(self.rows, other.rows, assume_unique=True).size)

    def match_clusters(self, other: Origin | None) -> tuple[IndexArray, IndexArray] | None:
        """Numbers of the clusters that are in both, in either set; None if there are none.

        Clusters of a set are numbered in the order of their names.

        Examples
        --------
        >>> one = Origin("x", clusters=(("a", "b", "c"), np.array([0, 2, 2])))
        >>> one.match_clusters(Origin("y", clusters=(("c", "d"), np.array([1, 0]))))
        (array([1]), array([0]))
        """
        if self.clusters is None or other is None or other.clusters is None:
            return None
        seen = [np.flatnonzero(np.bincount(codes)) for _, codes in (self.clusters, other.clusters)]
        names = self.clusters[0], other.clusters[0]
        if names[0] is names[1]:
            _, first, second = np.intersect1d(seen[0], seen[1], True, True)
        else:
            places = [
                dict(zip(map(own.__getitem__, codes.tolist()), range(codes.size), strict=True))
                for own, codes in zip(names, seen, strict=True)
            ]
            common = [name for name in places[0] if name in places[1]]
            first, second = (np.array([one[name] for name in common], np.intp) for one in places)
        return (first, second) if first.size else None


def new_origin() -> Origin:
    """Return the origin of rows of an unknown source, which do not overlap with others."""
    return Origin(uuid.uuid4().hex)


@dataclass(frozen=True, eq=False)
class Design(FrozenState):
    """How rows were drawn; None for what makes no difference between them."""

    clusters: CountArray | None = None  # (n,) codes from 0
    weights: FloatArray | None = None  # (n,)
    strata: CountArray | None = None  # (n,) codes from 0
    folds: CountArray | None = None  # (n,) indices of `fold_labels`
    fold_labels: tuple[object, ...] = ()
    repeats: int = 1  # repetitions of the cross-validation
    cluster_names: tuple[tuple[Any, ...], CountArray] | None = None  # as in `Origin`
    weights_name: str | None = None  # of the column of weights, if it has one

    @classmethod
    def read(cls, columns: Mapping[str, Any], classes: Classes, repeats: Any = 1) -> Design:
        """Check the columns that describe how rows were drawn, as far as they are given."""
        size = classes[0][1].size
        found: dict[str, Any] = {}
        for name, what in (("clusters", "cluster"), ("strata", "stratum"), ("folds", "fold")):
            if name in columns:
                labels, codes = code_column(columns[name], what, size)
                found[name] = freeze(codes)
                if name == "folds":
                    found["fold_labels"] = labels
                elif name == "clusters":
                    found["cluster_names"] = labels, found[name]
        if "weights" in columns:
            found["weights"] = frozen(weight_column(columns["weights"], classes))
            found["weights_name"] = _find_name(columns["weights"])
        design = cls(**found)
        design.check_nested()
        return replace(design, repeats=check_repeats(repeats, design.fold_labels))

    @property
    def given(self) -> bool:
        """Whether anything says how rows were drawn, also where that has no effect."""
        return self.folds is not None or self.counted

    @property
    def counted(self) -> bool:
        """Whether a curve of the rows differs from that of their counts."""
        return not (self.clusters is None and self.weights is None and self.strata is None)

    def check_nested(self) -> None:
        """Refuse clusters whose rows are in several strata."""
        if self.clusters is not None and self.strata is not None:
            find_cluster_strata(self.clusters, int(self.clusters.max()) + 1, self.strata)

    def name_effects(self, classes: Classes) -> tuple[DesignName, ...]:
        """Name how rows differ from independent rows of equal weight.

        Equal weights, one stratum and clusters of one row each have no effect and are omitted.
        """
        found: dict[DesignName, bool] = {}
        if self.weights is not None:
            sides = [self.weights.compress(own) for _, own in classes]
            found["weights"] = any(np.ptp(side[side > 0.0]) > 0.0 for side in sides)
            top = sides[0].max()
            found["class weights"] = not found["weights"] and not all(
                math.isclose(top, side.max()) for side in sides
            )
        found["strata"] = self.strata is not None and bool(self.strata.max())
        clusters = self.clusters
        found["clusters"] = clusters is not None and int(clusters.max()) + 1 < clusters.size
        found["folds"], found["repeats"] = self.folds is not None, self.repeats > 1
        return tuple(name for name, has_effect in found.items() if has_effect)

    def take(self, places: IndexArray) -> Design:
        """Return the design of some of the rows; a single fold is dropped."""
        if not self.given:
            return self
        part: dict[str, Any] = {}
        for name in ("clusters", "strata", "folds"):
            column = getattr(self, name)
            if column is not None:
                codes, numbers = np.unique(column[places], return_inverse=True)
                part[name] = freeze(numbers.astype(np.int64))
                if name == "folds":
                    part["fold_labels"] = tuple(self.fold_labels[code] for code in codes)
        if len(part.get("fold_labels", ())) == 1:
            part |= {"folds": None, "fold_labels": (), "repeats": 1}
        elif self.repeats > 1:
            each = len(self.fold_labels) // self.repeats
            often, rest = divmod(len(part["fold_labels"]), each)
            part["repeats"] = self.repeats if rest else often
        if self.cluster_names is not None:
            names, codes = self.cluster_names
            part["cluster_names"] = names, freeze(codes[places])
        if self.weights is not None:
            part["weights"] = freeze(self.weights[places])
        return replace(self, **part)


INDEPENDENT = Design()  # rows that count equally


def _find_name(column: object) -> str | None:
    """Return the name of a column that has one, as a series does."""
    name = getattr(column, "name", None)
    return name if isinstance(name, str) and name else None


@dataclass(frozen=True, eq=False)
class Rows:
    """One model's checked rows; the arrays may belong to the caller, so do not store them.

    Functions that take them do not check them again.
    """

    is_positive: BoolArray  # (n,) the class of each row
    values: npt.NDArray[Any]  # (n,) the scores, in their original precision
    frame: str | None = None  # the kind of frame they came from; results go back as the same kind

    @property
    def size(self) -> int:
        """Number of rows."""
        return int(self.is_positive.size)

    @cached_property
    def n_pos(self) -> int:
        """Number of positive rows."""
        return int(np.count_nonzero(self.is_positive))

    @property
    def n_neg(self) -> int:
        """Number of negative rows."""
        return self.size - self.n_pos

    @property
    def value_notes(self) -> tuple[str, ...]:
        """Notes if scores look like labels, or some of them like codes of missing values."""
        return note_scores(self.values)

    @property
    def span(self) -> tuple[float, float]:
        """The lowest and the highest score."""
        return float(self.values.min()), float(self.values.max())

    def take(self, rows: npt.NDArray[Any]) -> Rows:
        """Return some of the rows, by a mask or by their indices."""
        return Rows(self.is_positive[rows], self.values[rows], self.frame)


def check_folds(is_positive: BoolArray, codes: CountArray, labels: tuple[object, ...]) -> None:
    """Refuse a fold without both classes: it has no ROC curve."""
    size = np.bincount(codes)
    n_pos = np.bincount(codes.compress(is_positive), minlength=len(labels))
    one_class_only = (n_pos == 0) | (n_pos == size)
    if one_class_only.any():
        fold = int(np.argmax(one_class_only))
        kind = "positive" if n_pos[fold] else "negative"
        raise InputError(
            "Every fold must contain both classes",
            _say_one_class(int(size[fold]), f"fold {labels[fold]!r}", kind),
            "Stratify the folds, or use fewer of them.",
        )


def _say_one_class(size: int, part: str, kind: str) -> str:
    if size == 1:
        return f"the only row of {part} is {kind}"
    return f"all {size} rows of {part} are {kind}"


def check_both_classes(is_positive: BoolArray, label: object, by: str) -> None:
    """Refuse a part of the rows that has one class only."""
    if is_positive.all() or not is_positive.any():
        kind = "positive" if is_positive.any() else "negative"
        raise InputError(
            f"Every group by {by!r} must contain both classes",
            _say_one_class(is_positive.size, f"group {label!r}", kind),
            "Join it with another group, or leave its rows out.",
        )


def check_length(labels: npt.NDArray[Any], column: npt.NDArray[Any], name: str) -> None:
    """Refuse a column that does not have one value for each row."""
    if labels.size != column.size:
        raise _other_length(labels.size, column.size, name)


def check_order(columns: Mapping[str, Any]) -> None:
    """Refuse columns of pandas whose indexes differ, unless one alone counts the rows from 0.

    Rows are matched by position, so that such columns would be mixed up. `columns`: by their names
    in messages; the first one with an index is compared with all others.
    """
    indexes = {
        name: column.index
        for name, column in columns.items()
        if frame_kind(column) == "pandas" and hasattr(column, "iloc")
    }
    first, *others = indexes or [""]
    for name in others:
        one, two = indexes[first], indexes[name]
        if one.equals(two) or len(one) != len(two):  # another length is refused later
            continue
        own = name if name.isidentifier() else "column"
        found = "they have the same index in different orders"
        remedy = f"Pass {own}.to_numpy(), if the rows match by position."
        if _has_same_labels(one, two):
            aligned = f"{own}.loc[{first}.index]" if one.is_unique else "columns of one frame"
            remedy = f"Pass {aligned}; or {own}.to_numpy(), if the rows match by position."
        elif (_counts_rows(one) or _counts_rows(two)) and not (_is_range(one) and _is_range(two)):
            continue
        else:
            found = (
                f"{int(one.isin(two).sum()):,} of {len(one):,} rows have a label of both indexes"
            )
        raise InputError(
            Message(
                "{} and {} must have their rows in the same order", mention(first), mention(name)
            ),
            found,
            remedy,
        )


def _counts_rows(index: Any) -> bool:
    """Tell whether an index of pandas is the one that it makes, 0, 1, 2, ..."""
    return _is_range(index) and (index.start, index.step) == (0, 1)


def _is_range(index: Any) -> bool:
    """Tell whether an index of pandas is a range: of two, one may be a part of the same frame."""
    return hasattr(index, "start")


def _has_same_labels(one: Any, two: Any) -> bool:
    """Tell whether two indexes of pandas have the same labels, in any order."""
    if len(one) != len(two) or one.nlevels != two.nlevels or not one.isin(two).all():
        return False
    return bool(one.value_counts().to_dict() == two.value_counts().to_dict())


def _other_length(size: int, found: int, name: str) -> InputError:
    """Return the error of a column that does not have one value for each row."""
    return InputError(
        Message("{} and {} must have one value for each row", arg("y_true"), mention(name)),
        f"they have {size} and {found}",
        "Check that both come from the same rows.",
    )


# ------------------------------------------------------------------------- how rows were drawn


def check_repeats(repeats: Any, folds: tuple[object, ...]) -> int:
    """Refuse a number of repetitions that does not divide the number of folds."""
    whole = isinstance(repeats, (int, np.integer)) and not isinstance(repeats, bool)
    if not whole or repeats < 1 or (repeats > 1 and (not folds or len(folds) % repeats)):
        raise InputError(
            "must be a whole number that divides the number of folds",
            f"got {repeats!r} with {len(folds)} folds",
            "Pass n_repeats of the splitter.",
            argument="repeats",
        )
    return int(repeats)


def code_column(column: Any, what: str, size: int) -> tuple[tuple[Any, ...], CountArray]:
    """Return the sorted distinct labels of clusters, strata or folds, and the code of each row."""
    name = "strata" if what == "stratum" else f"{what}s"
    labels, codes = label_codes(column, name)
    if codes.size != size:
        raise _other_length(size, codes.size, name)
    if what != "stratum" and len(labels) < 2:
        single = "independent rows" if what == "cluster" else "one test set"
        raise InputError(
            f"must name at least two {name}",
            f"every row is in {what} {labels[0]!r}",
            Message("For {} leave {} out.", single, arg(name)),
            argument=name,
        )
    return labels, codes


def check_class_clusters(is_positive: BoolArray, clusters: CountArray | None, of: str = "") -> None:
    """Refuse a class whose rows are all in one cluster; `of`: part of the rows, for the message."""
    if clusters is not None:
        check_several_clusters(clusters.compress(is_positive), f"The positives{of}")
        check_several_clusters(clusters.compress(~is_positive), f"The negatives{of}")


def check_several_clusters(codes: CountArray, what: str) -> None:
    """Refuse rows, called `what`, that are all in one cluster."""
    if (codes == codes[0]).all():
        raise InputError(
            f"{what} must come from at least two clusters",
            "all are in one",
            "A variance between clusters needs more of them.",
        )


def find_cluster_strata(codes: CountArray, size: int, strata: CountArray) -> IndexArray | None:
    """Find the stratum of each cluster; None if there is one stratum only."""
    strata = renumber(strata)
    found = np.empty(size, dtype=np.intp)
    found[codes] = strata
    astray = found[codes] != strata
    if astray.any():
        raise InputError(
            "must put all rows of a cluster in the same stratum",
            f"{np.unique(codes[astray]).size} clusters have rows in several",
            "Strata contain whole clusters.",
            argument="strata",
        )
    return found if found.max() else None


def renumber(clusters: CountArray) -> CountArray:
    """Return codes from 0 without gaps, in the same order."""
    seen = np.bincount(clusters) > 0
    return freeze(clusters if seen.all() else (np.cumsum(seen) - 1)[clusters])


def check_within_folds(clusters: CountArray, folds: CountArray, repeats: int = 1) -> None:
    """Refuse clusters in several folds of a repetition: a model would be tested on its own data."""
    pairs = np.unique(clusters.astype(np.int64) * (int(folds.max()) + 1) + folds)
    several = np.count_nonzero(np.bincount(pairs // (int(folds.max()) + 1)) > repeats)
    if several:
        raise InputError(
            "must put all rows of a cluster in one fold",
            f"{several:,} {'cluster is' if several == 1 else 'clusters are'} in several",
            "A model must not be tested on a cluster that it was trained on: split the rows by "
            "cluster, as scikit-learn's GroupKFold does.",
            argument="folds",
        )


def usable_weights(column: FloatArray) -> BoolArray:
    """Tell which weights are above 0, and neither huge nor tiny; comparisons with NaN are False."""
    return (column >= LEAST_WEIGHT) & (column <= MOST_WEIGHT)


def weight_column(weights: Any, classes: Classes) -> FloatArray:
    """Check the weight of each row: numbers from 0 up, with some weight in each class."""
    column = read_weights(weights, classes[0][1].size)
    for kind, rows in classes:
        if not column.compress(rows).any():
            raise InputError(
                "must be above 0 for a row of each class",
                f"every {kind} has weight 0",
                "Check the step that made them.",
                argument="weights",
            )
    return column


def read_weights(weights: Any, size: int) -> FloatArray:
    """Check the weight of each row: numbers from 0 up."""
    column = to_column(weights, "weights")
    if column.size != size:
        raise _other_length(size, column.size, "weights")
    if column.dtype == object:
        column = numbers_from_objects(column, "weights")
    refuse_missing(column, "weights")
    if column.dtype.kind not in "iuf":
        text = column.dtype.kind in "US"
        raise InputError(
            "must be numbers",
            f"weights[0] is the string {str(column[0])!r}"
            if text
            else f"its type is {column.dtype}",
            "Convert them to floats before calling." if text else "Pass the weight of each row.",
            argument="weights",
        )
    column = column.astype(np.float64)
    good = (column == 0.0) | usable_weights(column)
    if not good.all():
        row = int(np.argmin(good))
        must = f"must be 0 or lie between {LEAST_WEIGHT:g} and {MOST_WEIGHT:g}"
        raise InputError(
            "must not be negative" if column[row] < 0.0 else must,
            f"weights[{row}] = {column[row]:g}",
            "Check the step that made them.",
            argument="weights",
        )
    return column
