"""Labels and scores, checked once where they enter; nothing behind this checks them again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import BoolArray, CountArray, frozen
from rocbands.core.columns import frame_kind, score_column, to_column, two_classes
from rocbands.errors import InputError, arg


class ScoreColumns(NamedTuple):
    """Checked columns whose memory may still be the caller's: for those who only count them."""

    is_positive: BoolArray  # (n,) the class of each row
    values: npt.NDArray[Any]
    positive: object  # the label that counts as positive
    frame: str | None  # {'pandas', 'polars', 'pyarrow'} the kind of frame the columns came from


def read_columns(y_true: Any, y_score: Any, *, positive: object = None) -> ScoreColumns:
    """Check a column of labels and a column of scores; nothing is copied that need not be.

    `y_true` (n,): two labels of any kind. `y_score` (n,): real numbers without NaN. `positive`: the
    positive label; needed unless the labels are {0, 1}, {-1, 1} or booleans.
    """
    is_positive, label = two_classes(y_true, positive)
    values = score_column(y_score)
    _same_length(is_positive, values, "y_score")
    return ScoreColumns(is_positive, values, label, frame_kind(y_score) or frame_kind(y_true))


@dataclass(frozen=True, eq=False)
class Scores:
    """Rows with a class and a score; a larger score means more positive.

    Build it with :meth:`from_columns`, which checks everything.

    Attributes
    ----------
    is_positive : ndarray of bool, shape (n,)
        True where the row belongs to the positive class.
    values : ndarray of real numbers, shape (n,)
        The scores, in the precision they came in. Plus and minus infinity are legal.
    positive : object
        The label that counts as positive.
    frame : {'pandas', 'polars', 'pyarrow'} or None
        The kind of frame the columns came from; results go back as the same kind.

    Examples
    --------
    >>> scores = Scores.from_columns(["ill", "well", "ill"], [0.9, 0.4, 0.3], positive="ill")
    >>> scores.n_pos, scores.n_neg
    (2, 1)
    """

    is_positive: BoolArray
    values: npt.NDArray[Any]
    positive: object = 1
    frame: str | None = None
    n_pos: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "is_positive", frozen(self.is_positive))
        object.__setattr__(self, "values", frozen(self.values))
        object.__setattr__(self, "n_pos", int(np.count_nonzero(self.is_positive)))

    @property
    def n_neg(self) -> int:
        """Number of negative rows."""
        return len(self) - self.n_pos

    def __len__(self) -> int:
        return int(self.is_positive.size)

    @classmethod
    def from_columns(cls, y_true: Any, y_score: Any, *, positive: object = None) -> Scores:
        """Check and take labels and scores from anything that contains a column.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            Two labels of any kind.
        y_score : array-like of shape (n,)
            Real numbers without NaN.
        positive : object, optional
            The positive label; needed unless the labels are {0, 1}, {-1, 1} or booleans.
        """
        return cls(*read_columns(y_true, y_score, positive=positive))


@dataclass(frozen=True, eq=False)
class PairedScores:
    """Several models' scores of the same rows.

    Examples
    --------
    >>> pair = PairedScores.from_columns([1, 0, 1], {"old": [3, 1, 2], "new": [2, 1, 3]})
    >>> pair.names
    ('old', 'new')
    >>> pair["new"].n_pos
    2
    """

    is_positive: BoolArray
    models: Mapping[str, npt.NDArray[Any]]
    positive: object = 1
    frame: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The models' names, in the order they were given."""
        return tuple(self.models)

    def __getitem__(self, name: str) -> Scores:
        return Scores(self.is_positive, self.models[name], self.positive, self.frame)

    def __iter__(self) -> Iterator[Scores]:
        return (self[name] for name in self.models)

    def __len__(self) -> int:
        return len(self.models)

    def lend(self, name: str) -> Scores:
        """Return a model's scores without a copy, for those who forget them when they return."""
        columns = ScoreColumns(self.is_positive, self.models[name], self.positive, self.frame)
        scores = object.__new__(Scores)
        n_pos = int(np.count_nonzero(columns.is_positive))
        vars(scores).update(columns._asdict(), n_pos=n_pos)
        return scores

    @classmethod
    def from_columns(
        cls, y_true: Any, y_scores: Mapping[str, Any], *, positive: object = None, own: bool = True
    ) -> PairedScores:
        """Check and take one column of labels and a mapping from model name to scores.

        `own`: whether columns that somebody else may write to are copied.
        """
        if not isinstance(y_scores, Mapping) or not y_scores:
            raise InputError(
                "must map at least one model name to its scores",
                f"got {type(y_scores).__name__}",
                "Pass a dict such as {'logistic': scores}.",
                argument="y_scores",
            )
        is_positive, label = two_classes(y_true, positive)
        models = {}
        for name, column in y_scores.items():
            values = score_column(column, f"y_score of {name!r}")
            _same_length(is_positive, values, f"y_score of {name!r}")
            models[str(name)] = frozen(values) if own else values
        kinds = [frame_kind(column) for column in y_scores.values()]
        frame = next((kind for kind in kinds if kind), frame_kind(y_true))
        return cls(frozen(is_positive) if own else is_positive, models, label, frame)


@dataclass(frozen=True, eq=False)
class Folds:
    """Rows that were scored in parts, each by a model that had not seen them.

    Attributes
    ----------
    scores : Scores
        All rows.
    codes : ndarray of int, shape (n,)
        The fold of each row, as an index into `labels`.
    labels : tuple
        The folds' own names, sorted.

    Examples
    --------
    >>> folds = Folds.from_columns([1, 0, 1, 0], [0.8, 0.3, 0.6, 0.7], ["a", "a", "b", "b"])
    >>> [fold.n_pos for fold in folds]
    [1, 1]
    """

    scores: Scores
    codes: CountArray
    labels: tuple[object, ...]

    def __iter__(self) -> Iterator[Scores]:
        whole = self.scores
        for code in range(len(self.labels)):
            rows = self.codes == code
            yield Scores(whole.is_positive[rows], whole.values[rows], whole.positive, whole.frame)

    def __len__(self) -> int:
        return len(self.labels)

    @classmethod
    def from_columns(
        cls,
        y_true: Any,
        y_score: Any,
        folds: Any,
        *,
        positive: object = None,
        one_class: bool = False,
    ) -> Folds:
        """Check and take labels, scores and the fold of each row.

        Every fold needs both classes: without them it has no ROC curve. With `one_class` it may
        have one, for those who do not need the curve.
        """
        scores = Scores.from_columns(y_true, y_score, positive=positive)
        return cls.from_scores(scores, folds, one_class=one_class)

    @classmethod
    def from_scores(cls, scores: Scores, folds: Any, *, one_class: bool = False) -> Folds:
        """Check the fold of each row of scores that are checked already."""
        labels, codes = _coded(folds, "fold", scores)
        if len(labels) < 2:
            raise InputError(
                "must name at least two folds",
                f"every row is in fold {labels[0]!r}",
                f"For one test set leave {arg('folds')} out.",
                argument="folds",
            )
        if not one_class:
            _both_classes(scores.is_positive, codes, labels)
        return cls(scores, frozen(codes), tuple(labels.tolist()))


def read_two_sets(
    y_true: Any, y_score_1: Any, y_true_2: Any, y_score_2: Any, *, positive: object = None
) -> tuple[Scores, Scores]:
    """Check the labels and scores of two test sets, which have the same positive label."""
    if y_true_2 is None:
        raise InputError(
            f"{arg('paired', False)} compares two test sets; the second one's labels are "
            f"missing. Pass them as {arg('y_true_2')}."
        )
    one = Scores.from_columns(y_true, y_score_1, positive=positive)
    label = one.positive if positive is None else positive
    two_classes(y_true_2, label, "y_true_2")  # so that messages name the right column
    return one, Scores.from_columns(y_true_2, y_score_2, positive=label)


def number_groups(groups: Any, scores: Scores | ScoreColumns) -> CountArray:
    """Check the group of each row and number the groups from 0."""
    labels, codes = _coded(groups, "group", scores)
    if len(labels) < 2:
        raise InputError(
            "must name at least two groups",
            f"every row is in group {labels[0]!r}",
            f"For independent rows leave {arg('groups')} out.",
            argument="groups",
        )
    return codes


def number_strata(strata: Any, scores: Scores | ScoreColumns) -> CountArray:
    """Check the stratum of each row and number the strata from 0."""
    return _coded(strata, "stratum", scores)[1]


def _coded(
    column: Any, what: str, scores: Scores | ScoreColumns
) -> tuple[npt.NDArray[Any], CountArray]:
    """Return the distinct labels of a column, sorted, and the place of each row among them."""
    name = "strata" if what == "stratum" else f"{what}s"
    values = to_column(column, name)
    _same_length(scores.is_positive, values, name)
    try:
        labels, codes = np.unique(values, return_inverse=True)
    except TypeError:
        raise InputError(
            "must contain one kind of label without missing values",
            "it mixes types",
            f"Number the {name} 0, 1, 2, ...",
            argument=name,
        ) from None
    if values.dtype.kind == "f" and np.isnan(labels).any():
        row = int(np.argmax(np.isnan(values)))
        raise InputError(
            "must not contain NaN",
            f"{name}[{row}] is nan",
            f"Give every row its {what}.",
            argument=name,
        )
    return labels, codes.astype(np.int64)


def _both_classes(is_positive: BoolArray, codes: CountArray, labels: npt.NDArray[Any]) -> None:
    size = np.bincount(codes)
    n_pos = np.bincount(codes[is_positive], minlength=len(labels))
    one_class_only = (n_pos == 0) | (n_pos == size)
    if one_class_only.any():
        fold = int(np.argmax(one_class_only))
        kind = "positive" if n_pos[fold] else "negative"
        raise InputError(
            "Every fold must contain both classes",
            f"all {size[fold]} rows of fold {labels.tolist()[fold]!r} are {kind}",
            "Stratify the folds, or use fewer of them.",
        )


def _same_length(is_positive: BoolArray, column: npt.NDArray[Any], name: str) -> None:
    if is_positive.size != column.size:
        other = arg(name) if name.isidentifier() else f"`{name}`"
        raise InputError(
            f"{arg('y_true')} and {other} must have one value for each row",
            f"they have {is_positive.size} and {column.size}",
            "Check that both come from the same rows.",
        )
