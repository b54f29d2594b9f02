"""The data of an analysis, checked once: labels, scores and how rows were drawn."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Self, TypedDict, Unpack

import numpy as np

from rocbands.core.arguments import TWO_MEANINGS, explain_constructor, say_both_meanings
from rocbands.core.checks import check_choice, check_path, check_progress, check_text, freeze
from rocbands.core.class_sample import ClassSample
from rocbands.core.columns import (
    Column,
    ColumnName,
    Frame,
    Labels,
    ScoreTable,
    column_text,
    name_by_text,
    name_column,
    name_each,
    negated,
    pick_column,
    split_frame,
)
from rocbands.core.models import list_given, name_columns
from rocbands.core.rows import check_both_classes, check_design, check_nested, check_repeats
from rocbands.core.sample_columns import (
    Keep,
    ReadCases,
    SampleColumns,
    Scores,
    check_kept,
    check_places,
    find_dropped,
    name_kept,
)
from rocbands.core.sample_rows import SampleRows
from rocbands.errors import InputError, in_python

if TYPE_CHECKING:
    import os

    from rocbands.core.progress import Progress

_DESIGN = ("clusters", "weights", "strata", "folds")


class Changes(TypedDict, total=False):
    """What :meth:`Sample.replace` changes."""

    clusters: Labels | None
    weights: Column | None
    strata: Labels | None
    keep: Keep | None
    folds: Labels | None
    repeats: int


class Sample(SampleRows):
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
        fields = columns.check(positive, rest)
        is_positive = fields["is_positive"]
        self.__dict__.update(
            fields,
            repeats=check_repeats(repeats, fields["fold_labels"]),
            dropped=dropped,
            n_pos=int(np.count_nonzero(is_positive)),
            part="",
            _source=uuid.uuid4().hex,
            _n_source=is_positive.size if dropped is None else dropped.n,
            _places=places,
            _weights_name=_find_name(weights),
        )

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
        )._copy(_weights_name=design.get("weights"))

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
            repetition; only ``fold_auc_interval`` handles that.
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

    @staticmethod
    @explain_constructor
    def of_classes(
        y_true: Labels,
        y_score: ScoreTable | Frame,
        *,
        classes: Sequence[object] | None = None,
        clusters: Labels | None = None,
        weights: Column | None = None,
        strata: Labels | None = None,
    ) -> ClassSample:
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
            As for :class:`Sample`.
        """
        return ClassSample.from_columns(
            y_true, y_score, classes, clusters=clusters, weights=weights, strata=strata
        )

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
        unchanged = {name: getattr(self, name) for name in _DESIGN if name not in given}
        fresh = check_design(dict.fromkeys(unchanged) | given, self.is_positive) | unchanged
        check_nested(fresh["clusters"], fresh["strata"])
        if "folds" not in given:
            fresh["fold_labels"] = self.fold_labels
        if "clusters" not in given:
            fresh["_cluster_names"] = self._cluster_names
        if "weights" in given:
            fresh["_weights_name"] = _find_name(given["weights"])
        if "keep" in changes:
            fresh["kept"] = check_kept(name_kept(changes["keep"]), self.is_positive)
        repeats = changes.get("repeats", 1 if fresh["folds"] is None else self.repeats)
        fresh["repeats"] = check_repeats(repeats, fresh["fold_labels"])
        return self._copy(**fresh)

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


def _find_name(column: object) -> str | None:
    """Return the name of a column that has one, as a series does."""
    name = getattr(column, "name", None)
    return name if isinstance(name, str) and name else None
