"""The columns of a sample, under their names in messages: collected, and checked once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import BoolArray, IndexArray, frozen
from rocbands.core.columns import (
    Column,
    Frame,
    Labels,
    MissingError,
    against_rest,
    frame_kind,
    label_codes,
    plain_array,
    score_column,
    split_frame,
    take_rows,
    to_column,
    two_classes,
)
from rocbands.core.missing import Dropped, count_missing, find_dropped, score_title
from rocbands.core.models import list_names
from rocbands.core.row_design import check_design
from rocbands.core.rows import check_length
from rocbands.errors import InputError, arg

Scores: TypeAlias = Column | Mapping[str, Column] | Frame  # of one model, or of several by name
Keep: TypeAlias = Mapping[str, Labels] | Frame

_ONLY = "score"  # the name of a model without one


@dataclass(frozen=True)
class SampleColumns:
    """Columns as they were given."""

    y_true: Any
    scores: dict[str, Any]  # by model
    design: dict[str, Any]  # groups, weights, strata and folds; None for those not given
    kept: dict[str, Any]

    @classmethod
    def collect(cls, y_true: Any, y_score: Any, design: dict[str, Any], keep: Any) -> SampleColumns:
        """Take the arguments of a sample."""
        return cls(y_true, read_models(y_score), design, name_kept(keep))

    @property
    def titled(self) -> dict[str, Any]:
        """All columns by their names in messages."""
        models = tuple(self.scores)
        return (
            {"y_true": self.y_true}
            | {name: column for name, column in self.design.items() if column is not None}
            | {score_title(name, models): column for name, column in self.scores.items()}
            | {_keep_title(name): column for name, column in self.kept.items()}
        )

    def find_dropped(self) -> tuple[Dropped, BoolArray] | None:
        """Find rows with a missing value, and which rows stay; None if all do."""
        return find_dropped(self.titled, tuple(self.scores))

    def take(self, stays: BoolArray) -> SampleColumns:
        """Return the columns of some of the rows."""
        parts = (
            {
                name: None if column is None else take_rows(column, stays)
                for name, column in columns.items()
            }
            for columns in (self.scores, self.design, self.kept)
        )
        return SampleColumns(take_rows(self.y_true, stays), *parts)

    def check(self, positive: object, rest: bool) -> dict[str, Any]:
        """Return the columns as the attributes of a sample, or refuse them."""
        try:
            is_positive, label = two_classes(self.y_true, against_rest(positive, rest))
            fields = check_design(self.design, is_positive)
            values = {}
            for name, column in self.scores.items():
                title = score_title(name, tuple(self.scores))
                values[name] = frozen(score_column(column, title))
                check_length(is_positive, values[name], title)
            kept = check_kept(self.kept, is_positive)
        except MissingError as problem:
            raise count_missing(problem, self.titled) from None
        kinds = map(frame_kind, (self.y_true, *self.scores.values()))
        return fields | {
            "models": tuple(self.scores),
            "is_positive": frozen(is_positive),
            "positive": label,
            "negative": None if rest else find_negative(self.y_true, is_positive),
            "kept": kept,
            "frame": next(filter(None, kinds), None),
            "_columns": values,
        }


def read_models(y_score: Any) -> dict[str, Any]:
    """Return the models' columns by name; one column is a model of its own name, or of none."""
    columns = y_score if isinstance(y_score, Mapping) else split_frame(y_score)
    if columns is None:
        name = getattr(y_score, "name", None)
        return {name if isinstance(name, str) and name else _ONLY: y_score}
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
                "must name its models by text", f"one is named {name!r}", argument="y_score"
            )
    return dict(columns)


def name_kept(keep: Any) -> dict[str, Any]:
    """Return the columns to keep by name."""
    columns = {} if keep is None else keep if isinstance(keep, Mapping) else split_frame(keep)
    if columns is None:
        raise InputError(
            "must be a mapping from names to columns",
            f"it is {type(keep).__name__}",
            f"Pass, for example, {arg('keep')} as {{'sex': sex}}.",
            argument="keep",
        )
    named = {str(name): column for name, column in columns.items()}
    if len(named) < len(columns):
        raise InputError(
            "must have columns whose names are different texts",
            f"got {list_names(tuple(columns))}",
            "Rename them.",
            argument="keep",
        )
    return named


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


def find_negative(y_true: Any, is_positive: BoolArray) -> object:
    """Return the label of the first negative row."""
    row = int(np.argmin(is_positive))
    found = plain_array(y_true, "y_true")[row]
    return found.item() if isinstance(found, np.generic) else found


def check_places(chosen: npt.NDArray[Any], size: int) -> IndexArray:
    """Refuse places that are not of different rows of a sample."""
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
            "A row that counts twice is no new row: use weights.",
            argument="rows",
        )
    return chosen.astype(np.intp)
