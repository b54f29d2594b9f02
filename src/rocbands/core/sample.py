"""The data of an analysis, checked once: labels, scores and how rows were drawn."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypedDict, Unpack

import numpy as np
import numpy.typing as npt

from rocbands.core.arguments import TWO_MEANINGS, HasNotes, explain_constructor, say_both_meanings
from rocbands.core.checks import (
    BoolArray,
    CountArray,
    FloatArray,
    FrozenState,
    IndexArray,
    check_choice,
    check_path,
    check_progress,
    check_text,
    freeze,
    frozen,
)
from rocbands.core.columns import (
    Column,
    ColumnName,
    Frame,
    Labels,
    ScoreTable,
    against_rest,
    column_text,
    is_name,
    label_codes,
    name_by_text,
    name_column,
    name_each,
    negated,
    pick_column,
    plain_array,
    split_frame,
)
from rocbands.core.models import Models, count_label, list_given, list_names, name_columns, plural
from rocbands.core.roc import RocCurve
from rocbands.core.rows import (
    Classes,
    Design,
    DesignName,
    Origin,
    Rows,
    check_both_classes,
    check_folds,
    check_repeats,
    check_within_folds,
)
from rocbands.core.sample_columns import (
    Dropped,
    Keep,
    ReadCases,
    SampleColumns,
    Scores,
    check_class_columns,
    check_kept,
    check_places,
    find_dropped,
    name_kept,
)
from rocbands.errors import InputError, Message, arg, call, in_python

if TYPE_CHECKING:
    import os

    from rocbands.core.progress import Progress

# What `replace` changes, with the fields of the design that say it.
_DESIGN = {
    "clusters": ("clusters", "cluster_names"),
    "weights": ("weights", "weights_name"),
    "strata": ("strata",),
    "folds": ("folds", "fold_labels"),
}


class Changes(TypedDict, total=False):
    """What :meth:`Sample.replace` changes."""

    clusters: Labels | None
    weights: Column | None
    strata: Labels | None
    keep: Keep | None
    folds: Labels | None
    repeats: int


@dataclass(eq=False, repr=False, init=False)
class Sample(Models, HasNotes, FrozenState):
    """Labels, the scores of one or several models, and how the rows were drawn.

    In scikit-learn a sample is one row; here it is the statistical sample, all rows.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Two labels of any kind.
    y_score : array-like of shape (n,), or mapping of str to array-like, or data frame
        Scores of one model; or of several, by name. A larger score means more positive. Scores may
        be infinite.
    positive : object, optional
        The positive label; needed unless the labels are {0, 1}, {-1, 1} or booleans.
    rest : bool, default False
        One class against all others: every label except `positive` counts as negative.
    clusters : array-like of shape (n,), optional
        Rows that depend on each other have the same cluster, such as the lesions of one patient.
    weights : array-like of shape (n,), optional
        Sampling weight of each row, on any scale, such as the inverse of its sampling probability.
        Not counts: for repeated rows use :func:`rocbands.count_scores`. Rows of weight 0 are left
        out of every analysis.
    strata : array-like of shape (n,), optional
        The stratum in which each row, or its cluster, was sampled.
    folds : array-like of shape (n,), optional
        The fold of each row, if different models scored them. Scores are then compared only within
        folds.
    repeats : int, default 1
        Number of repetitions of the cross-validation. Each row then occurs once per repetition, and
        fold names differ between repetitions.
    keep : mapping of str to array-like of shape (n,), optional
        Other columns for later use, such as ``{"sex": sex}``; see :meth:`split`.
    missing : {'raise', 'drop'}
        How to treat rows with a missing value in any of these columns: raise an error with counts,
        or leave them out, the same rows for all models. Results then note how many.

    Attributes
    ----------
    models : tuple of str
        The models' names. Iterating goes over them, and ``"a" in sample`` asks for one.
    n, n_pos, n_neg : int
        Number of rows, of positives and of negatives.
    is_positive : ndarray of bool, shape (n,)
        The class of each row.
    positive, negative : object
        The labels; `negative` is None with `rest`.
    clusters, strata, folds : ndarray of int, shape (n,), or None
        As given, numbered from 0.
    weights : ndarray of float, shape (n,), or None
        As given.
    kept : mapping of str to ndarray of shape (n,)
        The columns that were kept.
    rows : ndarray of int, shape (n,)
        Index of each row in the source of the sample.
    part : str
        Name of a part made by :meth:`split`, such as 'sex f'; otherwise empty.
    classes : tuple
        The classes of a sample made by :meth:`of_classes`, in the order of the columns; otherwise
        empty. `models` are then their names, and ``sample["a"]`` is class a against all others.
    codes : ndarray of shape (n,)
        The class of each row: its index in `classes`; otherwise whether it is positive.
    dropped : Dropped or None
        The rows that were left out because of missing values.

    See Also
    --------
    ScoreCounts : the same for rows that are counted where they are stored.

    Examples
    --------
    >>> import rocbands as rb
    >>> sample = rb.Sample(
    ...     ["ill", "well", "ill", "well"],
    ...     {"old": [0.9, 0.4, 0.3, 0.1], "new": [0.8, 0.3, 0.6, 0.2]},
    ...     positive="ill",
    ... )
    >>> sample
    <Sample: 4 rows (2 ill, 2 well), 2 models: old, new>
    >>> rb.auc_interval(sample["new"]).estimate
    1.0
    """

    MAPPINGS: ClassVar[tuple[str, ...]] = ("kept",)

    models: tuple[str, ...]
    codes: npt.NDArray[Any]
    drawn: Design
    kept: Mapping[str, npt.NDArray[Any]]
    _columns: Mapping[str, npt.NDArray[Any]]
    positive: object = None
    negative: object = None
    classes: tuple[Any, ...] = ()
    dropped: Dropped | None = None
    frame: str | None = None
    part: str = ""
    _source: str | None = None  # None for rows that are only used by one call
    _n_source: int = 0  # rows of the source
    _places: IndexArray | None = None  # of the rows in the source; None for all
    _reversed: tuple[str, ...] = ()  # models whose scores were multiplied by -1
    # How a file was read, each with the column that it is about; empty if the whole file.
    _file_notes: tuple[tuple[str, str], ...] = ()

    @explain_constructor
    def __init__(
        self,
        y_true: Labels,
        y_score: Scores,
        *,
        positive: object = None,
        rest: bool = False,
        clusters: Labels | None = None,
        weights: Column | None = None,
        strata: Labels | None = None,
        folds: Labels | None = None,
        repeats: int = 1,
        keep: Keep | None = None,
        missing: str = "raise",
    ) -> None:
        check_choice(missing, ("raise", "drop"), "missing")
        design = {"clusters": clusters, "weights": weights, "strata": strata, "folds": folds}
        columns = SampleColumns.collect(y_true, y_score, design, keep)
        dropped = places = None
        if missing == "drop" and (found := find_dropped(columns.titled, tuple(columns.scores))):
            dropped, stays = found
            columns, places = columns.take(stays), freeze(np.flatnonzero(stays))
        self._fill(columns.check(against_rest(positive, rest), repeats))
        self._fill({"dropped": dropped, "_places": places})
        self._own(self.n if dropped is None else dropped.n)

    def _own(self, n_source: int) -> Self:
        """Own the scores, which were lent, and be a source of rows of its own."""
        own = {name: frozen(column) for name, column in self._columns.items()}
        return self._fill({"_columns": own, "_n_source": n_source, "_source": uuid.uuid4().hex})

    # ------------------------------------------------------------------------- other ways in

    @classmethod
    @explain_constructor
    def from_frame(
        cls,
        data: Frame | Mapping[Any, Labels],
        *,
        label: ColumnName,
        score: ColumnName | Sequence[ColumnName],
        positive: object = None,
        rest: bool = False,
        clusters: ColumnName | None = None,
        weights: ColumnName | None = None,
        strata: ColumnName | None = None,
        folds: ColumnName | None = None,
        repeats: int = 1,
        keep: ColumnName | Sequence[ColumnName] = (),
        missing: str = "raise",
    ) -> Self:
        """Take columns of a data frame, or of a mapping, by their names.

        Names of pandas need not be text: they are compared as text, 1 as '1' and ('a', 'b') as
        'a_b', and models are named so.

        Parameters
        ----------
        data : pandas, Polars or PyArrow frame, or mapping of str to array-like
            The columns.
        label : str
            Column of labels.
        score : str or list of str
            Columns of scores, one for each model; models are named after them.
        clusters, weights, strata, folds : str, optional
            Columns that describe how the rows were drawn; see :class:`Sample`.
        keep : str or list of str, optional
            Columns for later use.
        positive, rest, repeats, missing
            As for :class:`Sample`.

        Examples
        --------
        >>> import rocbands as rb
        >>> table = {"y": [1, 0, 1, 0], "risk": [0.9, 0.4, 0.3, None], "sex": list("ffmm")}
        >>> rb.Sample.from_frame(table, label="y", score="risk", keep="sex", missing="drop")
        <Sample: 3 rows (2 of class 1, 1 of class 0), 1 model: risk; kept: sex; 1 row left out>
        """
        pairs = list(data.items()) if isinstance(data, Mapping) else split_frame(data)
        if pairs is None:
            raise InputError(
                "must be a data frame or a mapping from names to columns",
                f"it is {type(data).__name__}",
                in_python("For arrays call rb.Sample(y_true, y_score)."),
                argument="data",
            )
        known = [name for name, _ in pairs]
        scores, kept = name_columns(score, "score", known), name_columns(keep, "keep", known)
        design = name_each(clusters=clusters, weights=weights, strata=strata, folds=folds)
        labels = name_column(label, "label")
        columns = name_by_text(pairs, {labels, *scores, *kept, *design.values()})
        take = partial(pick_column, columns)
        if clusters is None and (read := ReadCases.of_frame(columns)) is not None:
            readings = "rb.Readings.from_frame(df, label=..., score=..., reader=..., case=...)"
            read.refuse_repeats("The frame", f"rb.compare_readers({readings})")
        return cls(
            take(labels, "label"),
            {name: take(name, "score") for name in scores},
            positive=positive,
            rest=rest,
            repeats=repeats,
            keep={name: take(name, "keep") for name in kept},
            missing=missing,
            **{use: take(name, use) for use, name in design.items()},
        ).name_weights(design.get("weights"))

    @classmethod
    @explain_constructor
    def from_file(
        cls,
        path: str | os.PathLike[str],
        *,
        label: str | None = None,
        score: str | Sequence[str] = (),
        positive: object = None,
        rest: bool = False,
        clusters: str | None = None,
        weights: str | None = None,
        strata: str | None = None,
        folds: str | None = None,
        repeats: int = 1,
        keep: str | Sequence[str] = (),
        missing: str = "raise",
        sheet: str | None = None,
        encoding: str | None = None,
        decimal: str | None = None,
        progress: Progress | None = None,
    ) -> Self:
        """Read rows from a file of any format that the command line reads.

        Parameters
        ----------
        path : str or path-like
            CSV, TSV, JSON lines, Parquet, Feather or Excel; compressed ones too.
        label : str, optional
            Column of labels; by default the one called y_true, label, target or the like.
        score : str or list of str, optional
            Columns of scores; by default those whose names begin with score, else the only column
            of numbers.
        clusters, weights, strata, folds, keep, positive, rest, repeats, missing
            As for :meth:`from_frame`.
        sheet : str, optional
            Sheet of a workbook; by default the first.
        encoding : str, optional
            Encoding of a file of text; by default UTF-8 or, if it is not that, cp1252 (Windows),
            which results then note.
        decimal : {'.', ','}, optional
            Decimal sign of numbers in text; by default found from all cells of each column, and
            refused where these do not decide.
        progress : callable, optional
            Called with the fraction of the file that has been read.
        """
        from rocbands.io.form import Form
        from rocbands.io.samples import read_sample

        check_path(path)
        check_progress(progress)
        design = name_each(clusters=clusters, weights=weights, strata=strata, folds=folds)
        return read_sample(
            cls,
            path,
            label=None if label is None else name_column(label, "label"),
            score=name_columns(score, "score"),
            positive=positive,
            rest=rest,
            design=design,
            repeats=repeats,
            keep=name_columns(keep, "keep"),
            missing=missing,
            form=Form(sheet, encoding, decimal),
            progress=progress,
        )

    @classmethod
    @explain_constructor
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,  # noqa: N803
        y: Labels,
        *,
        positive: object = None,
        response_method: str = "auto",
        clusters: Labels | None = None,
        weights: Column | None = None,
        strata: Labels | None = None,
        keep: Keep | None = None,
    ) -> Self:
        """Score rows by one fitted classifier, or by several.

        Parameters
        ----------
        estimator : classifier, or mapping of str to classifier
            Fitted models with `predict_proba` or `decision_function`. One is named after its class.
        X, y
            Rows that the models have not seen, and their labels.
        positive : object, optional
            The positive label; by default the second class of the models.
        response_method : {'auto', 'predict_proba', 'decision_function'}
            Method that computes the scores; 'auto' takes the first that a model has.
        clusters, weights, strata, keep
            As for :class:`Sample`.
        """
        from rocbands.io.estimators import score_estimators

        scores, label = score_estimators(estimator, X, positive, response_method)
        return cls(
            y, scores, positive=label, clusters=clusters, weights=weights, strata=strata, keep=keep
        )

    @classmethod
    @explain_constructor
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,  # noqa: N803
        y: Labels,
        *,
        positive: object = None,
        repeats: int = 1,
        response_method: str = "auto",
        name: str | None = None,
    ) -> Self:
        """Score rows by the models of a cross-validation, each row by a model that has not seen it.

        Parameters
        ----------
        cv_results : dict
            As scikit-learn's ``cross_validate(..., return_estimator=True, return_indices=True)``
            returns it.
        X, y
            The rows and labels that it was called with.
        positive : object, optional
            The positive label; needed unless the labels are {0, 1}, {-1, 1} or booleans.
        repeats : int, default 1
            Number of repetitions, as in RepeatedStratifiedKFold. Each row then occurs once per
            repetition; ``fold_auc_interval`` and ``compare`` handle that.
        response_method : {'auto', 'predict_proba', 'decision_function'}
            Method that computes the scores; 'auto' takes the first that the models have.
        name : str, optional
            Name of the model; by default its class.

        Returns
        -------
        Sample
            A sample with folds. Rows that were never tested are left out, the others keep their
            order.

        See Also
        --------
        rocbands.fold_numbers : the folds of scores from `cross_val_predict`.

        Examples
        --------
        >>> import rocbands as rb
        >>> from sklearn.datasets import make_classification
        >>> from sklearn.linear_model import LogisticRegression
        >>> from sklearn.model_selection import cross_validate
        >>> X, y = make_classification(random_state=0)
        >>> cv_results = cross_validate(
        ...     LogisticRegression(), X, y, return_estimator=True, return_indices=True
        ... )
        >>> rb.fold_auc_interval(rb.Sample.from_cv_results(cv_results, X, y)).fold_estimates.size
        5
        """
        from rocbands.io.estimators import score_folds

        check_text(name, "name")
        found = score_folds(cv_results, X, y, positive, repeats, response_method)
        title = found.name if name is None else name
        sample = cls(found.y_true, {title: found.y_score}, folds=found.folds, repeats=repeats)
        label, other = found.labels
        places = None if repeats > 1 else freeze(found.rows)
        size = sample.n if places is None else len(y)
        return sample._copy(positive=label, negative=other, _places=places, _n_source=size)

    @classmethod
    @explain_constructor
    def of_classes(
        cls,
        y_true: Labels,
        y_score: ScoreTable | Frame,
        *,
        classes: Sequence[object] | None = None,
        clusters: Labels | None = None,
        weights: Column | None = None,
        strata: Labels | None = None,
    ) -> Self:
        """Make a sample of several classes, which :func:`rocbands.class_bands` takes.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            Two or more labels of any kind.
        y_score : array-like of shape (n, K), data frame, or mapping of classes to columns
            A score of each row for each class, such as scikit-learn's ``predict_proba``. Columns of
            an array are in the sorted order of the classes; columns of a frame or mapping are named
            after the classes.
        classes : sequence, optional
            The class of each column, if the columns are in another order.
        clusters, weights, strata : array-like of shape (n,), optional
            As for :class:`Sample`; rows of weight 0 are left out.
        """
        design = {"clusters": clusters, "weights": weights, "strata": strata}
        sample = object.__new__(cls)._fill(check_class_columns(y_true, y_score, classes, design))
        return sample._own(sample.n).leave_out_zeros()

    # ------------------------------------------------------------------------- others from it

    @explain_constructor
    def take(self, rows: Labels) -> Self:
        """Return a sample of some of the rows.

        Parameters
        ----------
        rows : array-like of bool, shape (n,), or of int
            A mask of this sample's rows, or their indices without repetitions. Rows of a single
            fold were scored by one model, so the result has no folds.

        Examples
        --------
        >>> import rocbands as rb
        >>> sample = rb.load_example()
        >>> sample.take(sample.kept["fold"] == 0).n
        57
        """
        try:
            chosen = np.asarray(rows)
        except ValueError:  # lists of different lengths
            chosen = np.asarray(rows, dtype=object)
        if chosen.dtype == np.bool_ and chosen.shape == (self.n,):
            places = np.flatnonzero(chosen)
        else:
            places = check_places(chosen, self.n)
        return self._take(places)

    @explain_constructor
    def split(self, by: ColumnName) -> dict[Any, Self]:
        """Return a sample for each value of a column that was kept.

        Parameters
        ----------
        by : str
            The column's name. Every part must contain both classes.

        Examples
        --------
        >>> import rocbands as rb
        >>> sample = rb.Sample([1, 0, 1, 0], [4, 3, 2, 1], keep={"sex": ["f", "f", "m", "m"]})
        >>> [part.n for part in sample.split("sex").values()]
        [2, 2]
        """
        labels, codes = self.code_by(by)
        name, parts = column_text(by), {}
        for code, label in enumerate(labels):
            places = np.flatnonzero(codes == code)
            check_both_classes(self._find_classes(places), label, name)
            parts[label] = self._take(places)._copy(part=f"{name} {label}")
        return parts

    def replace(self, **changes: Unpack[Changes]) -> Self:
        """Return the same rows with another design, or without one.

        Parameters
        ----------
        **changes
            `clusters`, `weights`, `strata`, `folds`: a column as for :class:`Sample`, or None to
            remove it. `keep`: a mapping of the columns to keep. `repeats`.

        Examples
        --------
        >>> import rocbands as rb
        >>> sample = rb.load_example()
        >>> sample.replace(folds=sample.kept["fold"]).design
        ('folds',)
        """
        known = (*_DESIGN, "keep", "repeats")
        for name in changes:
            if name not in known:
                raise InputError(
                    f"replace() changes one of {', '.join(known)}",
                    f"got {name!r}",
                    say_both_meanings()
                    if name in TWO_MEANINGS
                    else "Make a new sample for other labels or scores.",
                )
        given = {name: column for name, column in changes.items() if name in _DESIGN}
        columns = {name: column for name, column in given.items() if column is not None}
        fresh = Design.read(columns, self._name_classes())
        names = {each for name in given for each in _DESIGN[name]}
        drawn = replace(self.drawn, **{name: getattr(fresh, name) for name in names})
        drawn.check_nested()
        repeats = changes.get("repeats", 1 if drawn.folds is None else drawn.repeats)
        drawn = replace(drawn, repeats=check_repeats(repeats, drawn.fold_labels))
        kept = self.kept
        if "keep" in changes:
            kept = check_kept(name_kept(changes["keep"]), self.codes)
        return self._copy(drawn=drawn, kept=kept)

    def name_weights(self, name: str | None) -> Self:
        """Return the same with another name of the column of weights."""
        return self._copy(drawn=replace(self.drawn, weights_name=name))

    def reverse(self, models: str | Sequence[str]) -> Self:
        """Return the sample with the scores of some models multiplied by -1.

        For markers whose small values mean positive, such as haemoglobin for anaemia. Exchanging
        the labels instead would exchange the meaning of all rates. Results have a note that says
        so, because thresholds are those of the reversed scores.

        Parameters
        ----------
        models : str or sequence of str
            Names of models.

        Examples
        --------
        >>> import rocbands as rb
        >>> sample = rb.Sample(["ill", "well", "ill"], {"hb": [9.1, 13.5, 11.0]}, positive="ill")
        >>> sample.reverse("hb").roc.auc
        1.0
        """
        chosen = self[list_given(models)].models
        columns = {
            name: freeze(negated(column)) if name in chosen else column
            for name, column in self._columns.items()
        }
        # Twice is not at all.
        kept = [name for name in self._reversed if name not in chosen]
        new = [name for name in chosen if name not in self._reversed]
        return self._copy(_columns=columns, _reversed=(*kept, *new))

    # ------------------------------------------------------------------------- what it says

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.codes.size)

    @property
    def is_positive(self) -> BoolArray:
        """The class of each row."""
        if self.classes:
            self.refuse_classes()
        return self.codes

    def refuse_classes(self) -> None:
        """Refuse a sample of several classes where two are needed."""
        if self.classes:
            raise InputError(
                "This function is for two classes",
                f"the sample has {len(self.classes)}",
                Message("All classes go into {}.", call("class_bands", "sample")),
            )

    @cached_property
    def n_pos(self) -> int:
        """Number of positives."""
        return int(np.count_nonzero(self.is_positive))

    @property
    def clusters(self) -> CountArray | None:
        """The cluster of each row."""
        return self.drawn.clusters

    @property
    def weights(self) -> FloatArray | None:
        """The weight of each row."""
        return self.drawn.weights

    @property
    def strata(self) -> CountArray | None:
        """The stratum of each row."""
        return self.drawn.strata

    @property
    def folds(self) -> CountArray | None:
        """The fold of each row."""
        return self.drawn.folds

    @property
    def fold_labels(self) -> tuple[object, ...]:
        """The names of the folds."""
        return self.drawn.fold_labels

    @property
    def repeats(self) -> int:
        """Number of repetitions of the cross-validation."""
        return self.drawn.repeats

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

    def list_scores(self) -> list[npt.NDArray[Any]]:
        """Return the scores of each model, or for each class."""
        return [self._columns[name] for name in self.models]

    @property
    def design(self) -> tuple[DesignName, ...]:
        """How the rows were drawn, in the terms of `Method.handles`.

        Clusters of one row each and equal weights have no effect and are omitted.
        """
        return self.drawn.name_effects(self._name_classes()) if self.drawn.given else ()

    def _name_classes(self) -> Classes:
        """Name the rows of each class; of several classes all, whose weights are compared."""
        if self.classes:
            return [("row", np.ones(self.n, np.bool_))]
        return [("positive row", self.codes), ("negative row", ~self.codes)]

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
    def origin(self) -> Origin | None:
        """Where the rows come from."""
        if self._source is None:
            return None
        return Origin(self._source, self._places, clusters=self.drawn.cluster_names)

    def __repr__(self) -> str:
        return f"<Sample: {' '.join(self._describe().split())}>"

    def _describe(self) -> str:
        part = f"{self.part}: " if self.part else ""
        if self.classes:
            sizes = np.bincount(self.codes, minlength=len(self.classes)).tolist()
            each = ", ".join(f"{n} {name}" for n, name in zip(sizes, self.classes, strict=True))
            text = f"{part}{plural(self.n, 'row')} of {len(self.classes)} classes ({each})"
        else:
            other = "others" if self.negative is None else self.negative
            each = f"{count_label(self.n_pos, self.positive)}, {count_label(self.n_neg, other)}"
            text = f"{part}{plural(self.n, 'row')} ({each}), {plural(len(self.models), 'model')}: "
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

        size = len(self.models)
        rows: dict[str, list[Any]] = {"model": list(self.models)}
        if self.classes:
            rows = {"class": list(self.models)}
            rows["rows"] = np.bincount(self.codes, minlength=size).tolist()
        else:
            rows |= {"positives": [self.n_pos] * size, "negatives": [self.n_neg] * size}
        rows["distinct_scores"] = [np.unique(self._columns[name]).size for name in self.models]
        return html_table("\n".join([f"{self._describe()}.", *self.notes]), rows)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Sample is frozen; sample.replace({name}=...) returns another one")

    def __getstate__(self) -> dict[str, Any]:
        names = {each.name for each in fields(self)}
        return {key: value for key, value in super().__getstate__().items() if key in names}

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

    def _choose(self, names: tuple[str, ...]) -> Self:
        if self.classes:
            return self._choose_class(names)
        if names == self.models:
            return self
        others = set(self.models) - set(names)
        return self._copy(
            models=names,
            _columns={name: self._columns[name] for name in names},
            _file_notes=tuple(note for note in self._file_notes if note[1] not in others),
        )

    def _choose_class(self, names: tuple[str, ...]) -> Self:
        """Return one class against all others."""
        if len(names) > 1:
            raise InputError(
                "One class is chosen, which is compared with all others",
                f"got {list_names(names)}",
                Message("All classes go into {}.", call("class_bands", "sample")),
            )
        place = self.models.index(names[0])
        other = self.classes[1 - place] if len(self.classes) == 2 else None
        return self._copy(
            models=names,
            codes=freeze(self.codes == place),
            classes=(),
            positive=self.classes[place],
            negative=other,
            _columns={names[0]: self._columns[names[0]]},
        )

    def _take(self, places: IndexArray) -> Self:
        taken = self._find_classes(places)
        if self.classes:
            absent = np.flatnonzero(np.bincount(taken, minlength=len(self.classes)) == 0)
            if absent.size:
                raise InputError(
                    "Some of the rows must contain all classes",
                    f"no row is of class {self.classes[absent[0]]!r}",
                )
        elif taken.all() or not taken.any():
            raise InputError(
                "Some of the rows must contain both classes",
                f"all {taken.size} rows are {'positive' if taken.any() else 'negative'}",
            )
        return self._copy(
            codes=freeze(self.codes[places]),
            drawn=self.drawn.take(places),
            kept=MappingProxyType(
                {name: freeze(column[places]) for name, column in self.kept.items()}
            ),
            _columns={name: freeze(column[places]) for name, column in self._columns.items()},
            _places=freeze(self.rows[places]),
        )

    def _find_classes(self, places: IndexArray) -> npt.NDArray[Any]:
        """Return the class of some of the rows, without rows of weight 0."""
        taken = self.codes[places]
        return taken if self.weights is None else taken[self.weights[places] > 0.0]

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
        whole = Rows(self.codes, self._columns[self.models[0]], self.frame)
        pooled = RocCurve.from_rows(whole, self.drawn, self.origin)
        if self.drawn.folds is None:
            return pooled
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
        return replace(pooled, folds=curves, repeats=kept.repeats)


def borrow_sample(columns: SampleColumns, positive: object = None) -> Sample:
    """Return a sample of columns that are not copied: for one call, not to be kept."""
    return object.__new__(Sample)._fill(columns.check(positive))
