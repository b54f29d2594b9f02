"""The columns of a sample: collected by name, checked in one sequence, missing values counted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import BoolArray, FrozenState, IndexArray, freeze, frozen
from rocbands.core.columns import (
    Column,
    Frame,
    Labels,
    MissingError,
    as_text,
    column_text,
    find_missing,
    frame_kind,
    label_codes,
    name_by_text,
    plain_array,
    refuse_missing,
    score_column,
    score_columns,
    split_frame,
    take_rows,
    to_column,
    two_classes,
)
from rocbands.core.rows import INDEPENDENT, Design, check_length, check_order
from rocbands.core.tensors import to_host
from rocbands.errors import InputError, Message, arg, in_python

Scores: TypeAlias = Column | Mapping[str, Column] | Frame  # of one model, or of several by name
Keep: TypeAlias = Mapping[str, Labels] | Frame

NONE_KEPT: Mapping[str, npt.NDArray[Any]] = MappingProxyType({})
_ONLY = "score"  # the name of a model without one
# Usual names of the columns that say who read what; see `shorten_name`.
READERS, CASES = ("reader", "rater", "observer"), ("case", "patient")


@dataclass(frozen=True)
class SampleColumns:
    """Columns as they were given."""

    y_true: Any
    scores: dict[str, Any]  # by model
    titles: tuple[str, ...]  # what these are called in messages
    design: dict[str, Any]  # clusters, weights, strata and folds, as far as they were given
    kept: dict[str, Any]

    @classmethod
    def collect(
        cls, y_true: Any, y_score: Any, design: Mapping[str, Any] | None = None, keep: Any = None
    ) -> SampleColumns:
        """Take the arguments of a sample."""
        scores = read_models(y_score)
        titles = [score_title(name, tuple(scores)) for name in scores]
        kept = {} if keep is None else name_kept(keep)
        return cls(y_true, scores, tuple(titles), drop_none(design) if design else {}, kept)

    @property
    def titled(self) -> dict[str, Any]:
        """All columns by their names in messages."""
        columns = (
            {"y_true": self.y_true}
            | self.design
            | dict(zip(self.titles, self.scores.values(), strict=True))
            | {_keep_title(name): column for name, column in self.kept.items()}
        )
        return {title: to_host(column) for title, column in columns.items()}

    def take(self, stays: BoolArray) -> SampleColumns:
        """Return the columns of some of the rows."""
        scores, design, kept = (
            {name: take_rows(to_host(column), stays) for name, column in columns.items()}
            for columns in (self.scores, self.design, self.kept)
        )
        return SampleColumns(
            take_rows(to_host(self.y_true), stays), scores, self.titles, design, kept
        )

    def check(self, positive: object, repeats: Any = 1) -> dict[str, Any]:
        """Return the columns as the fields of a sample, or refuse them.

        The order of rows, labels, the design, scores and kept columns are checked in this sequence.
        Scores are not copied: they may belong to the caller.
        """
        kinds = [frame_kind(column) for column in (*self.scores.values(), self.y_true)]
        if "pandas" in kinds or self.design or self.kept:
            check_order(self.titled)
        try:
            labels = two_classes(self.y_true, positive)
            is_positive = freeze(labels.is_positive)
            drawn = INDEPENDENT
            if self.design or repeats is True or repeats != 1:
                rows = ("positive row", is_positive), ("negative row", ~is_positive)
                drawn = Design.read(self.design, rows, repeats)
            scores = {}
            for title, (name, column) in zip(self.titles, self.scores.items(), strict=True):
                scores[name] = score_column(column, title)
                check_length(is_positive, scores[name], title)
            kept = check_kept(self.kept, is_positive) if self.kept else NONE_KEPT
        except MissingError as problem:
            raise count_missing(problem, self.titled) from None
        return {
            "models": tuple(scores),
            "codes": is_positive,
            "positive": labels.positive,
            "negative": labels.negative,
            "drawn": drawn,
            "kept": kept,
            "frame": next(filter(None, kinds), None),
            "_columns": scores,
        }


def drop_none(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns that are not None."""
    return {name: column for name, column in columns.items() if column is not None}


def check_class_columns(
    y_true: Any, y_score: Any, classes: Any, design: Mapping[str, Any]
) -> dict[str, Any]:
    """Return labels and scores of several classes as the attributes of a sample.

    The columns of scores are named after their classes.
    """
    found, codes = label_codes(y_true, "y_true")
    names, columns = score_columns(y_score, "y_score")
    if len(found) < 2:
        raise InputError(
            Message("{} must contain at least two classes", arg("y_true")),
            f"it has {found[0]!r} only",
        )
    labels = _match_labels(found, names, classes, len(columns))
    for column in columns:
        check_length(codes, column, "y_score")
    parts = {"y_score": y_score}
    if isinstance(y_score, Mapping):
        parts = {f"y_score of {name!r}": column for name, column in y_score.items()}
    check_order({"y_true": y_true, **parts})
    place = np.array([labels.index(label) for label in found])  # column of each class
    rows = [(f"row of class {label!r}", codes == code) for code, label in enumerate(found)]
    scores = name_by_text(
        (as_text(label), column) for label, column in zip(labels, columns, strict=True)
    )
    return {
        "models": tuple(scores),
        "classes": labels,
        "codes": freeze(place[codes]),
        "drawn": Design.read(drop_none(design), rows),
        "kept": NONE_KEPT,
        "frame": frame_kind(y_score) or frame_kind(y_true),
        "_columns": scores,
    }


def _match_labels(
    found: tuple[Any, ...], names: list[Any] | None, classes: Any, n_columns: int
) -> tuple[Any, ...]:
    """Return the class of each column: as given, by the columns' names, or in sorted order."""
    if classes is not None:
        try:
            flat = np.ndim(classes) == 1
        except ValueError:  # rows of different lengths
            flat = False
        if not flat:
            raise InputError(
                "must be a sequence with the class of each column",
                f"got {classes!r}",
                f"There are {n_columns} columns, and the labels are {list(found)!r}.",
                argument="classes",
            )
        given = plain_array(classes, "classes")
        refuse_missing(given, "classes")
        labels = given.tolist()
    elif names is not None:
        # Names are the classes themselves or, where a library has text only, their text.
        known = {str(label): label for label in found} | {label: label for label in found}
        plain = [name.item() if isinstance(name, np.generic) else name for name in names]
        labels = [known.get(name, known.get(str(name), name)) for name in plain]
    elif n_columns == len(found):
        return found
    else:
        raise InputError(
            Message("{} must have one column for each class, in sorted order", arg("y_score")),
            Message(
                "it has {} columns, and {} has {} classes", n_columns, arg("y_true"), len(found)
            ),
            Message(
                "Name the class of each column by {}; a class without rows has no curve, and its "
                "column must be left out.",
                arg("classes"),
            ),
        )
    missing = [label for label in found if label not in labels]
    if len(labels) != n_columns or len(set(labels)) != n_columns or missing:
        said = "classes" if classes is not None else "columns"
        raise InputError(
            "There must be one column of scores for each class, named after it",
            f"{said} are {labels!r}, labels {list(found)!r}",
            Message("Name them by {}, in the order of the columns.", arg("classes")),
        )
    absent = [label for label in labels if label not in found]
    if absent:
        raise InputError(
            Message("Every class must occur in {}", arg("y_true")),
            f"no row is of class {absent[0]!r}",
            "A class without rows has no curve: leave its column out.",
        )
    return tuple(labels)


def read_models(y_score: Any) -> dict[str, Any]:
    """Return the models' columns by name; a single column is named after itself, if possible."""
    pairs = split_frame(y_score)
    columns = y_score if pairs is None else name_by_text(pairs)
    if not isinstance(columns, Mapping):
        name = getattr(y_score, "name", None)
        return {column_text(name) if isinstance(name, str) and name else _ONLY: y_score}
    if not columns:
        raise InputError(
            "must contain the scores of at least one model",
            "it has none",
            "Pass a column, or a mapping such as {'logistic': scores}.",
            argument="y_score",
        )
    for name in columns:
        if not isinstance(name, str):
            raise InputError(
                "must name its models by text",
                f"one is named {name!r}",
                f"Write {column_text(name)!r}.",
                argument="y_score",
            )
    return name_by_text(columns.items())


def name_kept(keep: Any) -> dict[str, Any]:
    """Return the columns to keep by name."""
    pairs = list(keep.items()) if isinstance(keep, Mapping) else split_frame(keep)
    if keep is not None and pairs is None:
        raise InputError(
            "must be a mapping from names to columns",
            f"it is {type(keep).__name__}",
            Message("Pass, for example, {} as {{'sex': sex}}.", arg("keep")),
            argument="keep",
        )
    return name_by_text(pairs or [])


def _keep_title(name: str) -> str:
    return f"keep[{name!r}]"


def check_kept(kept: Mapping[str, Any], is_positive: BoolArray) -> Mapping[str, npt.NDArray[Any]]:
    """Check the columns to keep."""
    found = {}
    for name, column in kept.items():
        title = _keep_title(name)
        found[name] = frozen(to_column(column, title))
        check_length(is_positive, found[name], title)
        label_codes(found[name], title)  # refuses missing values and mixed types
    return MappingProxyType(found)


def check_places(chosen: npt.NDArray[Any], size: int) -> IndexArray:
    """Refuse indices that are repeated or out of range."""
    if chosen.ndim != 1 or chosen.dtype.kind not in "iu" or not chosen.size:
        raise InputError(
            "must be a mask of the sample's rows, or their places",
            f"got {chosen.dtype} of shape {chosen.shape}",
            f"The sample has {size} rows.",
            argument="rows",
        )
    if chosen.min() < 0 or chosen.max() >= size or np.unique(chosen).size < chosen.size:
        raise InputError(
            f"must be different places from 0 to {size - 1}",
            "others, or repeated ones, are among them",
            "A repeated row is not a new row: use weights.",
            argument="rows",
        )
    return chosen.astype(np.intp)


# ------------------------------------------------------------------------------ missing values


@dataclass(frozen=True)
class Dropped(FrozenState):
    """Rows that were left out because a value was missing.

    Attributes
    ----------
    n : int
        Rows of the source.
    labels : ndarray of str, shape (k,)
        The label of each row that was left out; empty if the label is missing.
    missing : mapping of str to ndarray of bool, shape (k,)
        For each column, which of these rows have a missing value.
    models : tuple of str
        The models that the rows were left out for.
    """

    MAPPINGS: ClassVar[tuple[str, ...]] = ("missing",)

    n: int
    labels: npt.NDArray[Any]
    missing: Mapping[str, BoolArray]
    models: tuple[str, ...]

    def __post_init__(self) -> None:
        masks = {name: frozen(mask) for name, mask in self.missing.items()}
        self._fill({"labels": frozen(self.labels), "missing": MappingProxyType(masks)})

    def describe(self, models: tuple[str, ...]) -> str:
        """Describe the omitted rows by class, and how many are due to other models only."""
        text = (
            f"Left out {self.labels.size} of {self.n} rows ({_count_labels(self.labels)}): "
            "missing values"
        )
        others = [score_title(name, self.models) for name in self.models if name not in models]
        own = [mask for name, mask in self.missing.items() if name not in others]
        needless = self.labels.size - int(np.count_nonzero(np.logical_or.reduce(own)))
        if others and needless:
            text += f", {needless} of them only in the scores of other models"
        return f"{text}."


def score_title(name: str, models: tuple[str, ...]) -> str:
    """Name the scores of a model in a message; for a single model, the argument itself."""
    return "y_score" if len(models) == 1 else f"y_score of {name!r}"


def find_dropped(
    columns: Mapping[str, Any], models: tuple[str, ...]
) -> tuple[Dropped, BoolArray] | None:
    """Find the rows with a missing value in any column, and which rows remain; None if all do.

    `columns`: by their names in messages, the labels as 'y_true'.
    """
    masks = {name: find_missing(column) for name, column in columns.items()}
    for name, mask in masks.items():
        if mask.ndim != 1:
            to_column(columns[name], name)  # refuses it
    sizes = {name: mask.size for name, mask in masks.items()}
    if len(set(sizes.values())) != 1:
        raise InputError(
            Message("{} needs columns of the same rows", arg("missing", "drop")),
            f"they have {', '.join(f'{size} ({name})' for name, size in sizes.items())}",
        )
    gone = np.logical_or.reduce(list(masks.values()))
    if not gone.any():
        return None
    if gone.all():
        raise InputError(
            "Some rows must have values in all columns",
            f"each of the {gone.size} rows lacks one",
            "Look at the columns one by one.",
        )
    labels = _as_text(columns["y_true"], masks["y_true"])[gone]
    missing = {name: mask[gone] for name, mask in masks.items()}
    return Dropped(gone.size, labels, missing, models), ~gone


def count_missing(problem: MissingError, columns: Mapping[str, Any]) -> InputError:
    """Return an error that counts missing values in each column, by class."""
    masks = {name: find_missing(column) for name, column in columns.items()}
    if len({mask.shape for mask in masks.values()}) != 1:
        return problem
    labels = _as_text(columns["y_true"], masks["y_true"])
    counts = [
        f"{name} {np.count_nonzero(mask)} of {mask.size} rows ({_count_labels(labels[mask])})"
        for name, mask in masks.items()
        if mask.any()
    ]
    counted = MissingError(
        problem.must,
        f"{problem.found}. In all: {'; '.join(counts)}",
        Message(
            "Drop or impute such rows, or {} {}.",
            in_python("make a Sample with", "use"),
            arg("missing", "drop"),
        ),
        argument=problem.argument,
    )
    counted.first = problem.found
    return counted


def _as_text(labels: Any, is_missing: BoolArray) -> npt.NDArray[Any]:
    """Return labels as text; those that are missing are empty."""
    text = np.full(is_missing.size, "", dtype=object)
    known = plain_array(take_rows(labels, ~is_missing), "y_true").tolist()
    text[~is_missing] = [str(label) for label in known]
    return text.astype(str)


def _count_labels(labels: npt.NDArray[Any]) -> str:
    """Count rows by class: '2 of class 'a', 1 without a label'."""
    names, counts = np.unique(labels[labels != ""], return_counts=True)
    parts = [f"{count} of class {str(name)!r}" for name, count in zip(names, counts, strict=True)]
    unknown = int(np.count_nonzero(labels == ""))
    return ", ".join(parts + ([f"{unknown} without a label"] if unknown else []))


# ------------------------------------------------------------------------------ reader studies


def shorten_name(name: str) -> str:
    """Write the name of a column as the usual names are written: 'Reader_ID' becomes 'reader'."""
    return re.sub(r"[\s_.-]*id$", "", name.casefold().strip())


def find_readings(columns: Iterable[str]) -> tuple[str, str] | None:
    """Find the columns of readers and of cases by their names; None without one of them."""
    known = list(columns)
    found = [
        name
        for usual in (READERS, CASES)
        for name in [one for one in known if shorten_name(one) in usual][:1]
    ]
    return (found[0], found[1]) if len(found) == 2 else None


class ReadCases(NamedTuple):
    """Rows with a column of readers and one of cases: how many rows, and of how many cases."""

    reader: str  # names of the columns
    case: str
    rows: int  # whose case is known
    cases: int

    @classmethod
    def of_frame(cls, columns: Mapping[str, Any]) -> ReadCases | None:
        """Count the cases of a frame; None if it has no readers or cases."""
        read = find_readings(columns)
        if read is None:
            return None
        cases = columns[read[1]]
        known = plain_array(cases, read[1])[~find_missing(cases)].tolist()
        return cls(*read, len(known), len(set(map(str, known))))

    def refuse_repeats(self, source: str, remedy: str) -> None:
        """Refuse several rows of one case as independent; `remedy`: what to write in Python."""
        if self.cases < self.rows:
            raise InputError(
                f"{source}: each row must be a case of its own",
                f"{self.rows:,} rows are of {self.cases:,} cases (columns {self.reader!r} and "
                f"{self.case!r})",
                Message(
                    "To take the rows of a case as dependent, whoever read them, pass {}. {}",
                    arg("clusters", self.case),
                    in_python(Message("For a reader study: {}", remedy), "readings"),
                ),
            )
