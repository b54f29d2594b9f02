"""Where data come in: a sample, a curve, counts, or labels and scores, of one model or of two."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from rocbands.core.arguments import FROM_FRAME, explain
from rocbands.core.columns import Column, Labels, column_text, split_frame
from rocbands.core.models import Models
from rocbands.core.pair import UNNAMED, Pair
from rocbands.core.roc import RocCurve
from rocbands.core.rows import Origin, Rows
from rocbands.core.sample import Sample, borrow_sample
from rocbands.core.sample_columns import SampleColumns, read_models
from rocbands.errors import InputError, Message, arg, in_python, warn

# A sample, counted scores, or a curve that is already counted.
Data: TypeAlias = Models | RocCurve


@explain
def roc_curve(
    y_true: Labels | Data, y_score: Column | None = None, *, positive: object = None
) -> RocCurve:
    """Empirical ROC curve with exact counts; ties are one step.

    Parameters
    ----------
    y_true : Sample or ScoreCounts, or array-like of shape (n,)
        The data of one model; or two labels of any kind.
    y_score : array-like of shape (n,), optional
        With labels, the scores; a larger one means more positive. Scores may be infinite, but not
        NaN.
    positive : object, optional
        With labels, the positive one; needed unless they are {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    RocCurve
        Counts, rates and the area under the curve.

    Examples
    --------
    >>> import rocbands as rb
    >>> roc = rb.roc_curve(["ill", "well", "ill", "well"], [3, 2, 2, 1], positive="ill")
    >>> roc.fpr, roc.tpr, roc.auc
    (array([0. , 0. , 0.5, 1. ]), array([0. , 0.5, 1. , 1. ]), 0.875)
    """
    return as_roc_curve(y_true, y_score, positive)


def as_data(
    y_true: Any,
    y_score: Any = None,
    positive: object = None,
    *,
    own: bool = False,
    several: bool = False,
) -> Models | RocCurve:
    """Return a sample, counts or a curve: every form of data of one model comes through here.

    `own`: whether labels and scores are copied, for results that keep them. `several`: whether
    scores of several models by name are allowed.
    """
    if isinstance(y_true, (RocCurve, Models)):
        refuse_beside(y_true, y_score=y_score, positive=positive)
        if isinstance(y_true, Models):
            y_true.refuse_classes()
        return y_true
    check_scores_given(y_true, y_score)
    if not several:
        refuse_models(y_score)
    if own:
        return Sample(y_true, y_score, positive=positive)
    return borrow_sample(SampleColumns.collect(y_true, y_score), positive)


def as_roc_curve(y_true: Any, y_score: Any = None, positive: object = None) -> RocCurve:
    """Return the curve of one model, from any form of data."""
    data = as_data(y_true, y_score, positive)
    return data if isinstance(data, RocCurve) else data.roc


def as_sample(
    y_true: Any, y_score: Any = None, positive: object = None, *, several: bool = False
) -> Sample:
    """Return the rows of a sample, or of labels and scores; refuse a curve or counts."""
    data = as_data(y_true, y_score, positive, own=True, several=several)
    if isinstance(data, Sample):
        return data
    raise InputError(
        "This function needs rows, one for each case",
        f"got a {type(y_true).__name__}, which does not say which scores belong to the same row",
        in_python("Pass a Sample, or labels and scores.", "rows"),
    )


def refuse_models(y_score: Any) -> None:
    """Refuse several named models with labels: they need a sample."""
    if isinstance(y_score, Mapping) or split_frame(y_score) is not None:
        raise InputError(
            "must be one column of scores",
            f"it is a {type(y_score).__name__}, which names models",
            in_python(
                "Make a sample, rb.Sample(y_true, y_score): sample[name] is one model, and "
                "sample.each(function) asks for all."
            ),
            argument="y_score",
        )


def refuse_beside(data: Any, **given: Any) -> None:
    """Refuse arguments that are only for labels and scores."""
    for name, value in given.items():
        if value is not None:
            remedy = Message("Leave {} out, or pass labels and scores instead.", arg(name))
            if isinstance(value, str) and name != "positive":
                remedy = in_python(
                    "Pass all arguments but the data by name, such as method='...' or path='...'."
                )
            raise InputError(
                f"A {type(data).__name__} says everything about the data",
                Message("{} was given, too", arg(name)),
                remedy,
            )


def check_scores_given(
    y_true: Any, y_score: Any, name: str = "y_score", second: Any = None
) -> None:
    """Refuse labels without scores, also a frame, or the name of a file or of a column."""
    if isinstance(y_score, str) and split_frame(y_true) is not None:
        named = [y_score, second] if isinstance(second, str) else y_score
        remedy = FROM_FRAME.replace("score=...", f"score={named!r}")
        raise InputError(
            "must be a column of scores",
            f"it is {y_score!r}, beside a frame",
            in_python(f"Columns of a frame by their names are a sample: {remedy}."),
            argument=name,
        )
    if y_score is None:
        remedy = "Pass labels and scores, or a Sample alone."
        if split_frame(y_true) is not None:
            remedy = f"Columns of a frame are a sample: {FROM_FRAME}."
        elif isinstance(y_true, (str, os.PathLike)):
            remedy = "The rows of a file are a sample: rb.Sample.from_file(path)."
        elif hasattr(y_true, "readers"):  # Readings, which this module does not know
            remedy = "Readings are for rb.compare_readers; readings.sample(reader) is a Sample."
        raise InputError(
            Message("must be given with {}", arg("y_true")),
            "it is missing",
            in_python(remedy),
            argument=name,
        )


def read_pair(y_true: Any, y_score_1: Any, y_score_2: Any, positive: object = None) -> Pair:
    """Read two models from one sample, two test sets, or labels and two columns of scores."""
    if isinstance(y_true, Models):
        y_true.refuse_classes()
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
    scores = dict(zip(names, (y_score_1, y_score_2), strict=True))
    columns = replace(SampleColumns.collect(y_true, scores), titles=("y_score_1", "y_score_2"))
    return Pair.from_sample(borrow_sample(columns, positive))


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
        if isinstance(one, Sample) and not one.drawn.given:
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
