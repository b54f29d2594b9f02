"""Scores from fitted models, in scikit-learn's manners.

Nothing of scikit-learn is imported: a model is what has `classes_` and scores rows. So any version
will do, and any library that follows its conventions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import BoolArray, check_choice
from rocbands.core.columns import two_classes
from rocbands.errors import InputError

__all__ = ["Response", "cv_parts", "labels_of", "positive_of", "response"]

_RESPONSES = ("predict_proba", "decision_function")


class Response(NamedTuple):
    """Scores of rows by one model, and the class that they speak for."""

    scores: npt.NDArray[Any]
    positive: object


def response(
    estimator: Any,
    X: Any,  # noqa: N803
    *,
    positive: object = None,
    response_method: str = "auto",
) -> Response:
    """Score rows by a fitted classifier of two classes.

    Parameters
    ----------
    estimator : object
        With `classes_`, and `predict_proba` or `decision_function`.
    X : array-like, frame or sparse matrix
        The rows, as the estimator takes them.
    positive : object, optional
        The class to score for; by default the second of `classes_`.
    response_method : {'auto', 'predict_proba', 'decision_function'}
        Who scores; 'auto' prefers the first that the estimator has.
    """
    check_choice(response_method, ("auto", *_RESPONSES), "response_method")
    wanted = _RESPONSES if response_method == "auto" else (response_method,)
    found = next((name for name in wanted if hasattr(estimator, name)), None)
    classes = _two_known(estimator)
    if found is None:
        raise InputError(
            f"The classifier must have {' or '.join(wanted)}",
            f"{_kind(estimator)} has not",
            "Choose another response_method, or another classifier.",
        )
    place = _place(classes, positive)
    scores = np.asarray(getattr(estimator, found)(X))
    if scores.ndim == 1:  # a decision function, large for the second class
        scores = scores if place == 1 else -scores
    elif scores.ndim == 2 and scores.shape[1] == 2:
        scores = scores[:, place]
    else:
        raise InputError(
            f"{found} of a classifier of two classes must give one or two columns",
            f"that of {_kind(estimator)} gave shape {scores.shape}",
        )
    return Response(scores, classes[place])


def _kind(estimator: Any) -> str:
    return type(estimator).__name__


def _two_known(estimator: Any) -> list[Any]:
    """Return both classes of a fitted classifier."""
    if isinstance(estimator, type):
        raise InputError(
            "must be a fitted classifier",
            f"got the class {estimator.__name__} itself",
            f"Write {estimator.__name__}() and fit it first.",
            argument="estimator",
        )
    try:
        classes = np.asarray(estimator.classes_).tolist()
    except (AttributeError, ValueError) as problem:  # some that are not fitted raise both kinds
        raise InputError(
            "must be a fitted classifier",
            f"{_kind(estimator)} has no classes",
            _without_classes(estimator),
            argument="estimator",
        ) from problem
    if len(classes) != 2 or any(isinstance(label, list) for label in classes):
        raise InputError(
            "must be a classifier of two classes",
            f"{_kind(estimator)} knows {len(classes)}",
            "Score one class against the rest, and pass those scores (from_predictions, roc_band).",
            argument="estimator",
        )
    return list(classes)


def _without_classes(estimator: Any) -> str:
    """Say what to do about a model that knows no classes."""
    if getattr(estimator, "refit", True) is False:
        return "Let the search fit its best model: refit=True."
    if hasattr(estimator, "fit") and any(hasattr(estimator, name) for name in _RESPONSES):
        return (
            "Call fit first; of a model that never has classes, pass the scores (from_predictions, "
            "roc_band)."
        )
    return "Of a regressor or a function, pass the scores (from_predictions, roc_band)."


def _place(classes: list[Any], positive: object) -> int:
    if positive is None:
        return 1
    for place, label in enumerate(classes):
        if bool(label == positive):
            return place
    raise InputError(
        f"The positive class must be one of the classifier's classes, {classes[0]!r} and "
        f"{classes[1]!r}",
        f"got {positive!r}",
    )


def positive_of(cv_results: Mapping[str, Any], positive: object) -> object:
    """Return the positive class of a cross-validation's models: by default the second one."""
    classes = _two_known(cv_parts(cv_results)[0][0])
    return classes[_place(classes, positive)]


def labels_of(y: Any, positive: object, name: str = "y") -> tuple[BoolArray, object]:
    """Tell which rows are positive; errors call the positive label `pos_label`."""
    try:
        return two_classes(y, positive, name)
    except InputError as problem:
        raise problem.rename({"positive": "pos_label"}) from None


def cv_parts(cv_results: Any) -> tuple[list[Any], list[npt.NDArray[Any]]]:
    """Return the models of a cross-validation, and the rows that each was tested on."""
    try:
        estimators = list(cv_results["estimator"])
        tests = [np.asarray(rows) for rows in cv_results["indices"]["test"]]
    except (KeyError, TypeError, IndexError) as problem:
        raise InputError(
            "must hold the models of all folds and their test rows",
            "it lacks 'estimator' or 'indices'",
            "Call cross_validate(..., return_estimator=True, return_indices=True).",
            argument="cv_results",
        ) from problem
    if not estimators or len(estimators) != len(tests):
        raise InputError(
            "must hold one model for each fold",
            f"it holds {len(estimators)} models and {len(tests)} folds",
            "Pass what cross_validate returned.",
            argument="cv_results",
        )
    return estimators, tests
