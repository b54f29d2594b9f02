"""Data arguments of public functions: a sample, a curve, counts, or labels and scores."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, TypeAlias

from rocbands.core.arguments import FROM_FRAME, explain
from rocbands.core.class_sample import ClassSample
from rocbands.core.columns import Column, Labels, MissingError, split_frame
from rocbands.core.models import Models
from rocbands.core.roc import RocCurve
from rocbands.core.rows import Rows, read_rows
from rocbands.core.sample import Sample
from rocbands.errors import InputError, Message, arg, call, in_python

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


def as_roc_curve(y_true: Any, y_score: Any = None, positive: object = None) -> RocCurve:
    """Return the curve of one model, from any form of data."""
    if isinstance(y_true, (RocCurve, Models)):
        refuse_beside(y_true, y_score=y_score, positive=positive)
        return y_true if isinstance(y_true, RocCurve) else y_true.roc
    if isinstance(y_true, ClassSample):
        raise InputError(
            "This function is for two classes",
            f"the sample has {len(y_true.labels)}",
            Message("All classes go into {}.", call("class_bands", "sample")),
        )
    check_scores_given(y_true, y_score)
    refuse_models(y_score)
    return RocCurve.from_rows(_read(y_true, y_score, positive))


def as_sample(
    y_true: Any, y_score: Any = None, positive: object = None, *, several: bool = False
) -> Sample:
    """Return the rows of a sample, or of labels and scores; refuse a curve or counts.

    `several`: whether scores of several models by name are allowed.
    """
    if isinstance(y_true, Sample):
        refuse_beside(y_true, y_score=y_score, positive=positive)
        return y_true
    if isinstance(y_true, (RocCurve, Models)):
        raise InputError(
            "This function needs rows, one for each case",
            f"got a {type(y_true).__name__}, which does not say which scores belong to the same "
            "row",
            in_python("Pass a Sample, or labels and scores.", "rows"),
        )
    check_scores_given(y_true, y_score)
    if not several:
        refuse_models(y_score)
    return Sample(y_true, y_score, positive=positive)


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


def _read(y_true: Any, y_score: Any, positive: object) -> Rows:
    """Check labels and scores without a copy; errors count missing values."""
    try:
        return read_rows(y_true, y_score, positive)
    except MissingError:
        Sample(y_true, y_score, positive=positive)  # raises, having counted them all
        raise
