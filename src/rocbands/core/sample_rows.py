"""The checked rows of a sample: their design, parts of them, and their curve."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from rocbands.core.arguments import HasNotes
from rocbands.core.checks import BoolArray, CountArray, FloatArray, FrozenState, IndexArray, freeze
from rocbands.core.columns import column_text, is_name, label_codes, plain_array
from rocbands.core.models import Models, count_label, list_names, plural
from rocbands.core.roc import RocCurve
from rocbands.core.rows import (
    Design,
    Origin,
    Rows,
    check_folds,
    check_within_folds,
    name_design,
    take_design,
)
from rocbands.core.sample_columns import Dropped
from rocbands.errors import InputError, Message, arg

_MADE = ("_roc", "_single")  # cached attributes


class SampleRows(Models, HasNotes, FrozenState):
    """Base class of :class:`rocbands.Sample`, which documents the attributes."""

    MAPPINGS: ClassVar[tuple[str, ...]] = ("kept",)

    models: tuple[str, ...]
    is_positive: BoolArray
    positive: object
    negative: object
    clusters: CountArray | None
    weights: FloatArray | None
    strata: CountArray | None
    folds: CountArray | None
    fold_labels: tuple[object, ...]
    repeats: int
    kept: Mapping[str, npt.NDArray[Any]]
    dropped: Dropped | None
    frame: str | None
    n_pos: int
    part: str
    _columns: Mapping[str, npt.NDArray[Any]]
    _source: str
    _n_source: int  # rows of the source
    _places: IndexArray | None
    _cluster_names: tuple[tuple[Any, ...], CountArray] | None  # as in `Origin`
    _weights_name: str | None  # of the column of weights, if it has one
    _reversed: tuple[str, ...] = ()  # models whose scores were multiplied by -1
    # How a file was read, each with the column that it is about; empty if the whole file.
    _file_notes: tuple[tuple[str, str], ...] = ()

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.is_positive.size)

    @property
    def n_neg(self) -> int:
        """Number of negatives."""
        return self.n - self.n_pos

    @property
    def rows(self) -> IndexArray:
        """Index of each row in the source of the sample."""
        return np.arange(self.n) if self._places is None else self._places

    @property
    def values(self) -> npt.NDArray[Any]:
        """The scores of the only model."""
        self.check_one_model()
        return self._columns[self.models[0]]

    @property
    def has_design(self) -> bool:
        """Whether the sample says how rows were drawn, also where that has no effect."""
        return any(
            getattr(self, name) is not None for name in ("clusters", "weights", "strata", "folds")
        )

    @property
    def design(self) -> tuple[Design, ...]:
        """How the rows were drawn, in the terms of `Method.handles`.

        Clusters of one row each and equal weights have no effect and are omitted.
        """
        weights = self.weights
        unequal = differ = False
        if weights is not None:
            sides = weights.compress(self.is_positive), weights.compress(~self.is_positive)
            unequal = any(np.ptp(side[side > 0.0]) > 0.0 for side in sides)
            differ = not unequal and not math.isclose(sides[0].max(), sides[1].max())
        return name_design(
            self.n,
            weights=unequal,
            class_weights=differ,
            strata=self.strata,
            clusters=self.clusters,
            folds=self.folds is not None,
            repeats=self.repeats > 1,
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes that results of this sample must repeat."""
        own = [name for name in self._reversed if name in self.models]
        return (
            *(text for text, _ in self._file_notes),
            *(() if self.dropped is None else (self.dropped.describe(self.models),)),
            *(
                f"The scores of {name} were multiplied by -1: a threshold of -2 means that {name} "
                "is at most 2."
                for name in own
            ),
        )

    @property
    def origin(self) -> Origin:
        """Where the rows come from."""
        return Origin(self._source, self._places, clusters=self._cluster_names)

    def __repr__(self) -> str:
        return f"<Sample: {' '.join(self._describe().split())}>"

    def _describe(self) -> str:
        other = "others" if self.negative is None else self.negative
        sizes = f"{count_label(self.n_pos, self.positive)}, {count_label(self.n_neg, other)}"
        models = plural(len(self.models), "model")
        part = f"{self.part}: " if self.part else ""
        text = f"{part}{plural(self.n, 'row')} ({sizes}), {models}: "
        text += ", ".join(self.models[:4]) + ", ..." * (len(self.models) > 4)
        for name, column in (("cluster", self.clusters), ("fold", self.folds)):
            text += "" if column is None else f", {plural(int(column.max()) + 1, name)}"
        if self.strata is not None:
            text += f", {int(self.strata.max()) + 1} strata"
        text += ", weighted" if self.weights is not None else ""
        if self.kept:
            text += f"; kept: {', '.join(self.kept)}"
        if self.dropped is not None:
            text += f"; {plural(self.dropped.labels.size, 'row')} left out"
        return text

    def _repr_html_(self) -> str:
        from rocbands.io.tables import html_table

        rows = {
            "model": list(self.models),
            "positives": [self.n_pos] * len(self.models),
            "negatives": [self.n_neg] * len(self.models),
            "distinct_scores": [np.unique(self._columns[name]).size for name in self.models],
        }
        return html_table("\n".join([f"{self._describe()}.", *self.notes]), rows)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Sample is frozen; sample.replace({name}=...) returns another one")

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in super().__getstate__().items() if key not in _MADE}

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a Sample is frozen")

    def code_by(self, by: Any) -> tuple[tuple[Any, ...], CountArray]:
        """Return the distinct values of a column, and the code of each row.

        `by`: the name of a column that was kept, or a column as long as the sample's source.
        """
        name = column_text(by) if is_name(by) or isinstance(by, tuple) else ""
        if is_name(by) or name in self.kept:
            if name not in self.kept:
                raise InputError(
                    "must be the name of a column that the sample keeps",
                    f"got {by!r}; it keeps {list_names(tuple(self.kept)) or 'none'}",
                    Message("Make the sample with {}.", arg("keep")),
                    argument="by",
                )
            return label_codes(self.kept[name], "by")
        column = plain_array(by, "by")
        if column.size != self._n_source:
            raise InputError(
                "must have one value for each row of what the sample was made from",
                f"it has {column.size} values for {self._n_source} rows",
                Message("Make the sample with {}, and name the column.", arg("keep")),
                argument="by",
            )
        return label_codes(column if self._places is None else column[self._places], "by")

    def _copy(self, **changes: Any) -> Self:
        made = object.__new__(type(self))
        state = {key: value for key, value in self.__dict__.items() if key not in _MADE}
        made.__dict__.update(state, **changes)
        return made

    def _choose(self, names: tuple[str, ...]) -> Self:
        if names == self.models:
            return self
        others = set(self.models) - set(names)
        return self._copy(
            models=names,
            _columns={name: self._columns[name] for name in names},
            _file_notes=tuple(note for note in self._file_notes if note[1] not in others),
        )

    def _take(self, places: IndexArray) -> Self:
        own, counted = self.is_positive[places], self._find_classes(places)
        if counted.all() or not counted.any():
            raise InputError(
                "Some of the rows must contain both classes",
                f"all {counted.size} rows are {'positive' if counted.any() else 'negative'}",
            )
        return self._copy(
            is_positive=freeze(own),
            n_pos=int(np.count_nonzero(own)),
            kept=MappingProxyType(
                {name: freeze(column[places]) for name, column in self.kept.items()}
            ),
            _columns={name: freeze(column[places]) for name, column in self._columns.items()},
            _places=freeze(self.rows[places]),
            **take_design(vars(self), places),
        )

    def _find_classes(self, places: IndexArray) -> BoolArray:
        """Return the class of some of the rows, without rows of weight 0."""
        own = self.is_positive[places]
        return own if self.weights is None else own[self.weights[places] > 0.0]

    # ------------------------------------------------------------------- for methods and curves

    def leave_out_zeros(self) -> Self:
        """Return the same without rows of weight 0, which no analysis uses."""
        if self.weights is None or self.weights.all():
            return self
        return self._take(np.flatnonzero(self.weights))

    def rows_of(self, model: str | None = None) -> Rows:
        """Return the rows of a model; by default the only one."""
        values = self.values if model is None else self._columns[model]
        return Rows(self.is_positive, values, self.frame)

    def split_folds(self) -> list[Rows]:
        """Return the rows of each fold, which may have one class only."""
        whole = self.rows_of()
        if self.folds is None:
            return [whole]
        return [whole.take(self.folds == code) for code in np.unique(self.folds)]

    def _build_roc(self) -> RocCurve:
        """Count the curve; with folds, one curve each and the pooled curve."""
        whole = self.rows_of()
        if self.folds is None:
            return RocCurve.from_rows(whole, self.clusters, self.weights, self.strata, self.origin)
        kept = self.leave_out_zeros()
        if kept.folds is None:
            return kept._build_roc()
        if kept.clusters is not None:
            check_within_folds(kept.clusters, kept.folds, kept.repeats)
        check_folds(kept.is_positive, kept.folds, kept.fold_labels)
        curves = tuple(
            kept._take(np.flatnonzero(kept.folds == code))._build_roc()
            for code in range(len(kept.fold_labels))
        )
        pooled = RocCurve.from_rows(whole, self.clusters, self.weights, self.strata, self.origin)
        return replace(pooled, folds=curves, repeats=kept.repeats)
