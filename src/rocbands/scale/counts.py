"""Counts of both classes at each score or in each bin, the input of most functions."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from rocbands.auc import auc_interval
from rocbands.core.arguments import explain_constructor
from rocbands.core.checks import CountArray, FloatArray, IndexArray, check_path, check_text
from rocbands.core.columns import Column, Labels, against_rest, frame_kind
from rocbands.core.models import Models, count_label, list_names, plural
from rocbands.core.result import Result, bound
from rocbands.core.roc import RocCurve
from rocbands.core.rows import DesignName, Origin, new_origin
from rocbands.core.sample_columns import Scores, read_models
from rocbands.errors import InputError, Message, arg, warn
from rocbands.io.records import metrics_of, name_metrics
from rocbands.io.samples import identify_file
from rocbands.scale.accumulator import (
    REST,
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


@dataclass(frozen=True, eq=False, repr=False)
class ScoreCounts(Models, Result):
    """Positives and negatives at each score, or in each bin of scores, for each model.

    Counts replace a :class:`Sample` wherever single rows are not needed. They are small, can be
    saved in a file, and add up: the counts of a data set are the sum of the counts of its parts.

    Attributes
    ----------
    models : tuple of str
        The models' names, in alphabetical order unless chosen in another. Iteration is over models,
        ``"a" in counts`` tests for a model, and ``counts["a"]`` has the counts of one.
    n, n_pos, n_neg : int
        Number of rows, of positives and of negatives.
    positive, negative : str or None
        The labels as text, where known; `negative` is 'the rest' for one class against the rest.
    by : str or None
        Name of the column that rows were counted by, where known; see :meth:`split`.
    parts : tuple of str
        The values of that column in alphabetical order; empty where rows were not counted by one.
    binned : bool
        Whether scores were put into bins.
    model, part : ndarray of int, shape (k,)
        Which of `models` and `parts` a row of counts belongs to; `part` is 0 without parts.
    value : ndarray of shape (k,)
        Keys of bins (see ``rocbands.scale.bins``), or the scores themselves if not `binned`.
    positives, negatives : ndarray of int64, shape (k,)
        Numbers of rows with that score, or with a score in that bin.
    weights : ndarray of float, shape (4, k), or None
        Sums of the weights of negatives and of positives, and of their squares, where rows have
        weights.
    origin : Origin
        Where the rows come from.

    See Also
    --------
    count_scores : count files, frames and relations.
    Sample : rows in memory.

    Examples
    --------
    >>> counts = ScoreCounts.from_arrays([1, 0, 1, 0], {"old": [0.9, 0.2, 0.4, 0.4]})
    >>> counts
    <ScoreCounts: 4 rows (2 of class 1, 2 of class 0) in bins, 1 model: old>
    >>> counts.roc.auc
    0.875
    >>> (counts + counts).n_pos
    4
    """

    schema: ClassVar[str] = COUNTS_SCHEMA
    _called: ClassVar[str] = "counts"

    model: IndexArray
    part: IndexArray
    value: npt.NDArray[Any]
    positives: CountArray
    negatives: CountArray
    models: tuple[str, ...]
    parts: tuple[str, ...] = ()
    binned: bool = True
    positive: str | None = None
    negative: str | None = None
    weights: FloatArray | None = None
    by: str | None = None
    origin: Origin = field(default_factory=new_origin)

    @classmethod
    def of(
        cls,
        names: tuple[Sequence[str], Sequence[str]],
        codes: tuple[IndexArray, IndexArray],
        value: npt.NDArray[Any],
        counts: tuple[CountArray, CountArray],
        *,
        binned: bool,
        labels: LabelTexts = (None, None),
        weights: FloatArray | None = None,
        by: str | None = None,
        origin: Origin | None = None,
    ) -> Self:
        """Make counts from entries in any order; equal entries are added up.

        `names` are those of the models and of the parts, if any; `codes` are each row's indices
        into them; `value` has keys of bins, or scores; `counts` are positives and negatives;
        `labels` are the positive and the negative one; `weights` (4, k) sums of the weights of
        negatives and of positives, and of their squares.
        """
        models, model = sort_names(names[0], codes[0])
        parts, part = sort_names(names[1], codes[1])
        refuse_overflow(counts)
        places = (model, part, value)
        if weights is not None:
            weights = sum_by_place(places, weights)[1]
        (model, part, value), (pos, neg) = sum_by_place(places, np.stack(counts))
        origin = new_origin() if origin is None else origin
        return cls(
            model, part, value, pos, neg, models, parts, binned, *labels, weights, by, origin
        )

    @classmethod
    @explain_constructor
    def from_arrays(
        cls,
        y_true: Labels | Mapping[str, Labels],
        y_score: Scores,
        *,
        positive: object = None,
        rest: bool = False,
        by: Labels | None = None,
        weights: Column | None = None,
        mask: Labels | Mapping[str, Labels] | None = None,
        exact: bool = False,
    ) -> Self:
        """Count arrays, columns or tensors that are in memory.

        Tensors of PyTorch, CuPy and JAX are counted on the device where they are, and only counts
        are copied to the host; with `by`, `weights` or `exact` the rows are copied.

        Parameters
        ----------
        y_true : array-like of shape (n,), or mapping of str to array-like
            Two labels of any kind; or, for several labels of the same rows, those of each by the
            names of `y_score`.
        y_score : array-like of shape (n,), or mapping of str to array-like, or data frame
            Scores of one model; or of several, by name.
        positive, rest, exact
            As for :func:`rocbands.count_scores`.
        by : array-like of shape (n,), optional
            A column, such as the country of each row: rows with the same value are a part, which
            is counted separately.
        weights : array-like of shape (n,), optional
            Weight of each row, above 0; sums of weights are stored with the counts.
        mask : array-like of bool, shape (n,), or mapping of str to array-like, optional
            True for the rows that are counted; by default all are. A mapping has one for each of
            several labels.
        """
        label = against_rest(positive, rest)
        how: dict[str, Any] = {"positive": label, "by": by, "weights": weights, "exact": exact}
        if not isinstance(y_true, Mapping):
            return cls.of(**count_arrays(y_true, y_score, mask=mask, **how))
        scores = read_models(y_score)
        for title, given in {"y_true": y_true, "mask": mask}.items():
            if isinstance(given, Mapping) and set(given) != set(scores):
                raise InputError(
                    Message("{} must have the names of {}", arg(title), arg("y_score")),
                    f"they are {list_names([*given])} and {list_names([*scores])}",
                )
        masks = mask if isinstance(mask, Mapping) else dict.fromkeys(scores, mask)
        return cls._join(
            [
                cls.of(**count_arrays(y_true[name], {name: column}, mask=masks[name], **how))
                for name, column in scores.items()
            ]
        )

    @classmethod
    def from_table(
        cls,
        table: Any,
        *,
        positive: str | None = None,
        negative: str | None = None,
        by: str | None = None,
    ) -> Self:
        """Take counts that an engine has made, for example with the query of docs/scale.md.

        Parameters
        ----------
        table : pyarrow.Table
            With the columns positives, negatives and either bin or score, and perhaps model, part
            and missing; rows in any order.
        positive, negative : str, optional
            The labels, if known: counts with other labels are then not merged.
        by : str, optional
            The column that the parts are values of, if known.
        """
        if frame_kind(table) != "pyarrow" or not hasattr(table, "column_names"):
            raise InputError(
                "must be a PyArrow table",
                f"it is {type(table).__name__}",
                "Make one by pyarrow.table(...), or by pyarrow.Table.from_pandas.",
                argument="table",
            )
        for name, value in {"positive": positive, "negative": negative, "by": by}.items():
            check_text(value, name)
        known = {"labels": (positive, negative), "by": by}
        return cls.of(**read_arrow(table, "The table") | known)

    @classmethod
    def merge(cls, parts: Iterable[ScoreCounts]) -> Self:
        """Add up the counts of parts of a data set.

        Parameters
        ----------
        parts : iterable of ScoreCounts
            All in bins, or all exact; all by the same column, or by none; with the same models and
            labels.
        """
        single = isinstance(parts, np.ndarray) and parts.ndim == 0  # iterable by its type only
        whole: list[Any] = list(parts) if isinstance(parts, Iterable) and not single else [parts]
        for part in whole:
            if not isinstance(part, ScoreCounts):
                raise InputError(
                    "must be several ScoreCounts",
                    f"got {type(part).__name__}",
                    "Pass them in a list; files are read by ScoreCounts.load.",
                    argument="parts",
                )
        if not whole:
            raise InputError("There must be counts to merge", "got none")
        _check_alike(whole)
        return cls._join(whole)

    @classmethod
    def _join(cls, whole: Sequence[ScoreCounts]) -> Self:
        """Add up counts, of the same models or of different ones."""
        labels = reduce(_agree, ((part.positive, part.negative) for part in whole))
        names = [sorted({n for part in whole for n in getattr(part, k)}) for k in _NAMES]
        codes = [
            np.concatenate([_recode(part, kind, new) for part in whole])
            for kind, new in zip(_NAMES, names, strict=True)
        ]
        weights = [part.weights for part in whole if part.weights is not None]
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
            weights=np.concatenate(weights, axis=1) if weights else None,
            by=next((part.by for part in whole if part.by is not None), None),
            origin=_merge_origins([part.origin for part in whole]),
        )

    def __add__(self, other: ScoreCounts) -> Self:
        if not isinstance(other, ScoreCounts):
            return NotImplemented
        return type(self).merge((self, other))

    # -------------------------------------------------------------------------- attributes

    @cached_property
    def _sizes(self) -> CountArray:
        """Positives and negatives of each model, shape (2, models)."""
        sizes = [
            np.bincount(self.model, counts, len(self.models))
            for counts in (self.positives, self.negatives)
        ]
        return np.array(sizes).astype(np.int64)

    def _get_sizes(self) -> tuple[int, int]:
        """Return positives and negatives, which must be the same for all models."""
        sizes = self._sizes
        if not self.models or (sizes != sizes[:, :1]).any():
            self.check_one_model()
        return int(sizes[0, 0]), int(sizes[1, 0])

    @property
    def n_pos(self) -> int:
        """Number of positives."""
        return self._get_sizes()[0]

    @property
    def n_neg(self) -> int:
        """Number of negatives."""
        return self._get_sizes()[1]

    @property
    def n(self) -> int:
        """Number of rows."""
        return sum(self._get_sizes())

    @property
    def part_name(self) -> str:
        """Name of the only part, such as 'country north'; empty without parts or with several."""
        return f"{self.by or 'part'} {self.parts[0]}" if len(self.parts) == 1 else ""

    @property
    def design(self) -> tuple[DesignName, ...]:
        """Features of the only model's data beyond equal, independent rows: weights, bins."""
        return self.roc.design

    @cached_property
    def certificate(self) -> Mapping[str, float]:
        """Bound on the error of each model's AUC due to bins, all parts together.

        A pair within one bin counts one half, so the error is at most half the share of such pairs;
        it is 0 for exact counts. Models without rows of both classes are omitted.
        """
        usable = np.flatnonzero((self._sizes > 0).all(axis=0))
        names = [self.models[code] for code in usable]
        return {name: self[name].roc.certificate for name in names}

    # ------------------------------------------------------------------------- others from it

    def split(self, by: str | None = None) -> dict[str, Self]:
        """Return the counts of each part, by the column that rows were counted by.

        Parameters
        ----------
        by : str, optional
            The column's name, as a check.

        Examples
        --------
        >>> counts = ScoreCounts.from_arrays([1, 0, 1, 0], [4, 3, 2, 1], by=["f", "f", "m", "m"])
        >>> [part.n for part in counts.split().values()]
        [2, 2]
        """
        if not self.parts:
            raise InputError(
                "Rows must have been counted by a column to be split",
                "they were not",
                Message("Count them again with {}.", arg("by")),
            )
        if by is not None and (not isinstance(by, str) or self.by not in (None, by)):
            raise InputError(
                "must be the column that rows were counted by",
                f"that is {self.by!r}, got {by!r}" if isinstance(by, str) else f"got {by!r}",
                "Leave it out, or count the rows again.",
                argument="by",
            )
        return {name: self._take_part(name) for name in self.parts}

    def _take_part(self, name: str) -> Self:
        rows = np.flatnonzero(self.part == self.parts.index(name))
        origin = self.origin._replace(parts=(self.by, frozenset({name})))
        taken = self._take_rows(rows) | {"part": np.zeros_like(rows)}
        return replace(self, **taken, parts=(name,), origin=origin)

    def _choose(self, names: tuple[str, ...]) -> Self:
        if names == self.models:
            return self
        place = np.full(len(self.models), -1)
        place[[self.models.index(name) for name in names]] = np.arange(len(names))
        codes = place[self.model]
        rows = np.flatnonzero(codes >= 0)
        rows = rows[np.argsort(codes[rows], kind="stable")]  # by model, each in its old order
        taken = self._take_rows(rows) | {"model": codes[rows]}
        return replace(self, **taken, models=names)

    def _take_rows(self, rows: IndexArray) -> dict[str, Any]:
        names = ("model", "part", "value", "positives", "negatives")
        taken: dict[str, Any] = {name: getattr(self, name)[rows] for name in names}
        return taken | {"weights": None if self.weights is None else self.weights[:, rows]}

    def _build_roc(self) -> RocCurve:
        """Make the curve of the only model, all parts together."""
        if self.part_name and not self._sizes.all():
            raise InputError(
                f"The part {self.part_name!r} must contain both classes",
                f"it has {self.n_pos} positives and {self.n_neg} negatives",
                "Join it with another part, or leave it out.",
            )
        counts = np.stack((self.positives, self.negatives))
        (value,), (positives, negatives) = sum_by_place((self.value,), counts)
        thresholds = bin_thresholds(value) if self.binned else value
        # Counts at or above each threshold, from the highest score down.
        fp, tp = (np.cumsum(side[::-1]) for side in (negatives, positives))
        weights = None
        if self.weights is not None:
            weights = sum_by_place((self.value,), self.weights)[1][:, ::-1]
        curve = RocCurve.from_counts(thresholds[::-1], fp, tp, bins=self.binned, weights=weights)
        return replace(curve, origin=self.origin)

    # --------------------------------------------------------------------------------- files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the counts to a Parquet file, atomically; to CSV if its name ends in .csv.

        CSV does not keep the labels of the classes. The columns are model, part (where rows were
        counted by a column), bin or score, positives and negatives.
        """
        write_counts(self[sorted(self.models)] if self.models else self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what :meth:`save` wrote, or a table of counts that a database wrote.

        Such a table is CSV or Parquet with the columns positives, negatives and either bin or
        score, and perhaps model and part; docs/scale.md has the query that makes one.
        """
        check_path(path)
        name = os.fspath(path)
        known = identify_file(name)
        columns, seal = read_counts_file(path)
        counts = cls.of(**columns, origin=Origin(known) if known else None)
        check_seal(counts, seal, name)
        return counts

    # -------------------------------------------------------------------------------- results

    def to_metrics(self, prefix: str = "") -> dict[str, float]:
        """Return the AUC of each model with its 95% limits, under names that loggers take.

        Models without rows of both classes are omitted, with a warning.

        Parameters
        ----------
        prefix : str
            Prefix of each name, for example ``"val/"``.

        Examples
        --------
        >>> counts = ScoreCounts.from_arrays([1, 0, 1, 0], [0.9, 0.2, 0.4, 0.4])
        >>> {name: round(value, 2) for name, value in counts.to_metrics("val/").items()}
        {'val/auc': 0.88, 'val/auc_low': 0.11, 'val/auc_high': 1.0}
        """
        found: dict[str, float] = {}
        for name, part in zip(self.models, name_metrics(self.models), strict=True):
            if not self._sizes[:, self.models.index(name)].all():
                warn(f"No AUC of {name!r}: it must have rows of both classes.")
                continue
            area = auc_interval(self[name])
            ends = {"auc": area.estimate, "auc_low": area.low, "auc_high": area.high}
            found |= metrics_of(ends, {}, prefix + f"{part}/" * (len(self.models) > 1))
        return found

    def facts(self) -> Mapping[str, object]:
        facts: dict[str, object] = {
            "sentence": self.sentence,
            "binned": self.binned,
            "models": list(self.models),
        }
        if self.parts:
            facts |= {"by": self.by, "parts": list(self.parts)}
        facts |= {"positive": self.positive, "negative": self.negative}
        return facts | {"certificate": dict(self.certificate)}

    def columns(self) -> Mapping[str, Any]:
        columns: dict[str, Any] = {"model": np.array(self.models, dtype=object)[self.model]}
        if self.parts:
            columns["part"] = np.array(self.parts, dtype=object)[self.part]
        columns["bin" if self.binned else "score"] = self.value
        columns |= {"positives": self.positives, "negatives": self.negatives}
        if self.weights is not None:
            columns |= dict(zip(WEIGHT_SUMS, self.weights, strict=True))
        return columns

    @property
    def sentence(self) -> str:
        """What was counted, and what the bins can change."""
        kind = "bins of scores" if self.binned else "scores"
        said = f"Counts of both classes in {kind}{self._describe_parts()}."
        if self.binned and self.certificate:
            worst = max(self.certificate.values())
            most = f"an AUC by at most {bound(worst)}" if worst else "no AUC here"
            said += f" Bins change {most}."
        return said

    def describe(self) -> tuple[str, Mapping[str, Any]]:
        sizes = [np.unique(self.value[self.model == code]).size for code in range(len(self.models))]
        table = {
            "model": list(self.models),
            "positives": self._sizes[0],
            "negatives": self._sizes[1],
            "bins" if self.binned else "scores": np.array(sizes, dtype=np.int64),
        }
        return "", table

    def _brief(self) -> str:
        """Describe the counts in a few words."""
        kind = "in bins" if self.binned else "exact"
        text = "counts"
        if self.models and (self._sizes == self._sizes[:, :1]).all():
            (n_pos, n_neg), n = self._get_sizes(), self.n
            pos = count_label(n_pos, self.positive, "positive")
            other = "others" if self.negative == REST else self.negative
            text = f"{plural(n, 'row')} ({pos}, {count_label(n_neg, other, 'negative')})"
        models = plural(len(self.models), "model")
        if self.models:
            models += f": {', '.join(self.models[:4])}" + ", ..." * (len(self.models) > 4)
        weighted = ", weighted" * (self.weights is not None)
        return f"{text} {kind}, {models}{self._describe_parts()}{weighted}"

    def _describe_parts(self) -> str:
        if len(self.parts) < 2:
            return f", {self.part_name}" if self.part_name else ""
        return f", in {len(self.parts)} parts" + (f" by {self.by}" if self.by else "")


_NAMES = ("models", "parts")
LabelTexts: TypeAlias = tuple[str | None, str | None]


def _merge_origins(origins: Sequence[Origin]) -> Origin:
    """Return the common origin of parts, known if they have one source."""
    first = origins[0]
    if any(origin.source != first.source for origin in origins):
        return new_origin()
    known = [origin.parts for origin in origins if origin.parts is not None]
    if len(known) < len(origins) or any(parts[0] != known[0][0] for parts in known):
        return Origin(first.source)
    return Origin(first.source, None, (known[0][0], frozenset().union(*(p[1] for p in known))))


def _recode(part: ScoreCounts, kind: str, names: list[str]) -> IndexArray:
    place = {name: code for code, name in enumerate(names)}
    old: tuple[str, ...] = getattr(part, kind)
    codes: IndexArray = getattr(part, kind[:-1])
    return np.array([place[name] for name in old], dtype=np.intp)[codes] if old else codes


# Conditions for merging: the words, the value that must be equal, and whether to show both values.
_ALIKE: tuple[tuple[str, Callable[[ScoreCounts], Any], bool], ...] = (
    ("all be in bins, or all be exact", lambda counts: counts.binned, False),
    ("all be by a column, or none", lambda counts: bool(counts.parts), False),
    ("be by the same column", lambda counts: counts.by, True),
    ("be of the same models", lambda counts: sorted(counts.models), True),
    ("all have weights, or none", lambda counts: counts.weights is not None, False),
)


def _check_alike(parts: Sequence[ScoreCounts]) -> None:
    """Refuse counts that cannot be parts of one data set; a column `by` may be unknown (None)."""
    for must, read, shown in _ALIKE:
        known = [value for value in map(read, parts) if value is not None]
        other = next((value for value in known if value != known[0]), None)
        if other is not None:
            names = [list_names(v) if isinstance(v, list) else repr(v) for v in (known[0], other)]
            found = f"found {' and '.join(names)}" if shown else "found both"
            raise InputError(f"Counts that are merged must {must}", found, "Count the parts alike.")


def _agree(one: LabelTexts, two: LabelTexts) -> LabelTexts:
    positive, negative = (a if a is not None else b for a, b in zip(one, two, strict=True))
    known = {label for label in (*one, *two) if label is not None}
    fits = all(b in (None, a) for a, b in zip((positive, negative), two, strict=True))
    if fits and (None in (positive, negative) or len(known) == 2):
        return positive, negative
    raise InputError(
        "Counts that are merged must have the same positive and the same negative label",
        f"found {_write_pair(one)} and {_write_pair(two)}",
        Message("Count the parts with the same {}.", arg("positive")),
    )


def _write_pair(labels: LabelTexts) -> str:
    return "/".join("unknown" if label is None else repr(label) for label in labels)
