"""Scores and bands from fitted models and cross-validations, by scikit-learn's conventions.

scikit-learn is not imported: a model is any object that has `classes_` and scores rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sized
from contextlib import contextmanager
from numbers import Integral
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from rocbands.bands import roc_band
from rocbands.core.arguments import explain
from rocbands.core.band import Band
from rocbands.core.checks import BoolArray, CountArray, check_choice, check_rng
from rocbands.core.columns import (
    Labels,
    frame_kind,
    is_same_label,
    plain_array,
    to_column,
    two_classes,
)
from rocbands.core.rows import check_length
from rocbands.core.sample import Sample
from rocbands.errors import InputError, Message, arg, call
from rocbands.multiclass import class_bands
from rocbands.multiclass.result import ClassBands

_RESPONSES = ("predict_proba", "decision_function")


class Splitter(Protocol):
    """Protocol of scikit-learn's splitters."""

    def split(self, X: Any, y: Any = ..., clusters: Any = ...) -> Iterable[tuple[Any, Any]]: ...


class Response(NamedTuple):
    """Scores of rows by one model, and their positive class."""

    scores: npt.NDArray[Any]
    positive: object


def response(
    estimator: Any, X: Any, *, positive: object = None, response_method: str = "auto"
) -> Response:
    """Score rows by a fitted binary classifier."""
    classes = _find_classes(estimator)
    found = _find_response(estimator, response_method)
    place = _find_place(classes, positive)
    scores = np.asarray(getattr(estimator, found)(X))
    if scores.ndim == 1:  # a decision function, larger for the second class
        return Response(scores if place == 1 else -scores, classes[place])
    if scores.ndim == 2 and scores.shape[1] == 2:
        return Response(scores[:, place], classes[place])
    raise InputError(
        f"{found} of a classifier of two classes must give one or two columns",
        f"that of {_kind(estimator)} gave shape {scores.shape}",
    )


def class_scores(
    estimator: Any, X: Any, *, response_method: str = "auto"
) -> tuple[npt.NDArray[Any], list[Any]]:
    """Score rows by a fitted classifier: a column for each class, and the classes."""
    classes = _find_classes(estimator, several=True)
    found = _find_response(estimator, response_method)
    if found == "decision_function" and _scores_pairs(estimator):
        raise InputError(
            "decision_function must give a column for each class",
            f"that of {_kind(estimator)} gives one for each pair of classes",
            "Set decision_function_shape='ovr'.",
        )
    scores = np.asarray(getattr(estimator, found)(X))
    if scores.ndim == 1 and len(classes) == 2:  # a decision function, larger for the second class
        scores = np.column_stack([-scores, scores])
    if scores.ndim != 2 or scores.shape[1] != len(classes):
        raise InputError(
            f"{found} must give a column for each of the {len(classes)} classes",
            f"that of {_kind(estimator)} gave shape {scores.shape}",
        )
    return scores, classes


def _scores_pairs(estimator: Any) -> bool:
    """Tell whether a support vector machine scores pairs, also inside of a pipeline or search.

    The number of columns does not show it, because three classes have three pairs.
    """
    if hasattr(estimator, "best_estimator_"):
        return _scores_pairs(estimator.best_estimator_)
    if hasattr(estimator, "steps"):
        return _scores_pairs(estimator.steps[-1][1])
    shape = getattr(estimator, "decision_function_shape", None)
    return shape == "ovo" and len(estimator.classes_) > 2


def _find_response(estimator: Any, response_method: str) -> str:
    """Return the name of the method that scores."""
    check_choice(response_method, ("auto", *_RESPONSES), "response_method")
    wanted = _RESPONSES if response_method == "auto" else (response_method,)
    found = next((name for name in wanted if hasattr(estimator, name)), None)
    if found is None:
        raise InputError(
            f"The classifier must have {' or '.join(wanted)}",
            f"{_kind(estimator)} has not",
            "Choose another response_method, or another classifier.",
        )
    return found


def _kind(estimator: Any) -> str:
    return type(estimator).__name__


def _find_classes(estimator: Any, *, several: bool = False) -> list[Any]:
    """Return the classes of a fitted classifier: two, unless `several` are allowed."""

    def refuse(must: str, found: str, remedy: str) -> InputError:
        return InputError(f"must be a {must}", found, remedy, argument="estimator")

    if isinstance(estimator, type):
        name = estimator.__name__
        found = f"got the class {name} itself"
        raise refuse("fitted classifier", found, f"Write {name}() and fit it first.")
    try:
        classes = np.asarray(estimator.classes_).tolist()
    except (AttributeError, ValueError) as problem:  # unfitted models raise either
        found = f"{_kind(estimator)} has no classes"
        raise refuse("fitted classifier", found, _advise_without_classes(estimator)) from problem
    if len(classes) < 2 or any(isinstance(label, list) for label in classes):
        raise refuse(
            "classifier of one target with two or more classes",
            f"classes_ of {_kind(estimator)} is {classes!r}",
            "Pass the scores of one target (from_predictions).",
        )
    if len(classes) > 2 and not several:
        raise refuse(
            "classifier of two classes",
            f"{_kind(estimator)} has {len(classes)}",
            Message(
                "{} draws all of them; for one class against the rest, pass the scores "
                "(from_predictions, roc_band).",
                call("ClassBandsDisplay.from_estimator", "..."),
            ),
        )
    return list(classes)


def _advise_without_classes(estimator: Any) -> str:
    """Return the remedy for a model without classes."""
    if getattr(estimator, "refit", True) is False:
        return "Let the search fit its best model: refit=True."
    scores = "pass the scores (from_predictions, roc_band)."
    if hasattr(estimator, "fit") and any(hasattr(estimator, name) for name in _RESPONSES):
        return f"Call fit first; for a model without classes, {scores}"
    return f"For a regressor or a function, {scores}"


def _find_place(classes: list[Any], positive: object) -> int:
    if positive is None:
        return 1
    for place, label in enumerate(classes):
        if is_same_label(positive, label):
            return place
    known = f"{classes[0]!r} and {classes[1]!r}"
    must = f"The positive class must be one of the classifier's classes, {known}"
    raise InputError(must, f"got {positive!r}")


def find_positives(y: Any, positive: object, name: str = "y") -> tuple[BoolArray, object]:
    """Tell which rows are positive; errors call the positive label `pos_label`."""
    try:
        return two_classes(y, positive, name)[:2]
    except InputError as problem:
        problem = problem.rename({"positive": "pos_label"})
        if "class_bands" in problem.remedy:  # three labels or more; displays have no `rest`
            remedy = Message(
                "All classes are drawn by {}.", call("ClassBandsDisplay.from_predictions", "...")
            )
            problem = InputError(problem.must, problem.found, remedy, argument=problem.argument)
        raise problem from None


def cv_parts(cv_results: Any) -> tuple[list[Any], list[npt.NDArray[Any]]]:
    """Return the models of a cross-validation, and the rows that each was tested on."""
    try:
        estimators = list(cv_results["estimator"])
        tests = [np.asarray(rows) for rows in cv_results["indices"]["test"]]
    except (KeyError, TypeError, IndexError) as problem:
        raise InputError(
            "must contain the models of all folds and their test rows",
            "it lacks 'estimator' or 'indices'",
            "Call cross_validate(..., return_estimator=True, return_indices=True).",
            argument="cv_results",
        ) from problem
    if not estimators or len(estimators) != len(tests):
        raise InputError(
            "must contain one model for each fold",
            f"it has {len(estimators)} models and {len(tests)} folds",
            "Pass what cross_validate returned.",
            argument="cv_results",
        )
    return estimators, tests


class FoldedRows(NamedTuple):
    """Rows of a cross-validation, each scored by the model that was fitted without it."""

    y_true: BoolArray  # (n,) True for the positive class
    y_score: npt.NDArray[Any]  # (n,) the scores
    folds: CountArray  # (n,) the fold of each row, counted from 0
    rows: npt.NDArray[np.intp]  # (n,) their places in X
    labels: tuple[object, object]  # the positive label, and the other
    name: str  # of the models' class


def score_estimators(
    estimator: Any, X: Any, positive: object, response_method: str
) -> tuple[dict[str, npt.NDArray[Any]], object]:
    """Score rows by one fitted classifier or several; return the scores and the positive label."""
    models = estimator if isinstance(estimator, Mapping) else {_kind(estimator): estimator}
    if not models:
        raise InputError(
            "must contain at least one classifier", "it is empty", argument="estimator"
        )
    found = {
        str(name): response(model, X, positive=positive, response_method=response_method)
        for name, model in models.items()
    }
    labels = {repr(one.positive): one.positive for one in found.values()}
    if len(labels) > 1:
        raise InputError(
            "All classifiers must have the same positive class",
            f"theirs are {' and '.join(labels)}",
            Message("Name it by {}.", arg("positive")),
        )
    return {name: one.scores for name, one in found.items()}, next(iter(labels.values()))


def score_folds(
    cv_results: Mapping[str, Any],
    X: Any,
    y: Any,
    positive: object,
    repeats: int,
    response_method: str,
) -> FoldedRows:
    """Score each row by the model of a cross-validation that was not fitted to it.

    Arguments as for :meth:`rocbands.Sample.from_cv_results`.
    """
    is_positive, label, negative = two_classes(y, positive, "y")
    if _height(X) != is_positive.size:
        raise InputError(
            Message("{} and {} must have the same number of rows", arg("X"), arg("y")),
            f"they have {_height(X)} and {is_positive.size}",
            "Pass both as cross_validate was given them.",
        )
    estimators, tests = cv_parts(cv_results)
    tests = [_places(test, is_positive.size) for test in tests]
    scores = [
        response(estimator, _rows(X, rows), positive=label, response_method=response_method).scores
        for estimator, rows in zip(estimators, tests, strict=True)
    ]
    rows = np.concatenate(tests)
    folds = np.repeat(np.arange(len(tests)), [part.size for part in tests])
    order = _order(rows, folds, len(tests), repeats)
    return FoldedRows(
        is_positive[rows[order]],
        np.concatenate(scores)[order],
        folds[order],
        rows[order],
        (label, negative),
        _kind(estimators[0]),
    )


def _rows(X: Any, rows: npt.NDArray[np.intp]) -> Any:
    """Return some rows, with the type of X."""
    if hasattr(X, "iloc"):  # pandas-like: a frame, or a series (of texts)
        return X.iloc[rows]
    if frame_kind(X) is not None:
        import narwhals as nw

        return nw.from_native(X, allow_series=True)[rows].to_native()
    if hasattr(X, "tocsr"):
        return X.tocsr()[rows]
    return X[rows] if hasattr(X, "shape") else [X[row] for row in rows]


def _places(test: Any, size: int) -> npt.NDArray[np.intp]:
    """Return the indices of test rows among `size`; a mask is allowed, as in scikit-learn."""
    found = np.asarray(test)
    if found.dtype == np.bool_ and found.shape == (size,):
        return np.flatnonzero(found)
    places = found.astype(np.intp)
    if places.ndim != 1 or np.any((places < 0) | (places >= size)):
        raise InputError(
            Message(
                "Test rows must be counted from 0 to {}, the last of {} and {}",
                size - 1,
                arg("X"),
                arg("y"),
            ),
            "some are not",
            "Pass the rows that were split, all of them and in the same order.",
        )
    return places


def _order(
    rows: npt.NDArray[np.intp], folds: CountArray, n_folds: int, repeats: Any
) -> npt.NDArray[np.intp]:
    """Restore the order of rows within each repetition; refuse rows tested more often."""
    whole = isinstance(repeats, Integral) and not isinstance(repeats, bool)
    if not whole or repeats < 1 or n_folds % repeats:
        raise InputError(
            f"must divide the {n_folds} folds",
            f"got {repeats!r}",
            "Pass n_repeats of the splitter.",
            argument="repeats",
        )
    turn = folds // (n_folds // repeats)
    often = np.bincount(turn * (int(rows.max()) + 1) + rows)
    if often.max() > 1:
        raise InputError(
            "Every row must be tested once",
            "some are in several test folds, which are then not independent",
            Message(
                "For repeated K-fold pass {}, for fold_auc_interval; otherwise split into K folds "
                "without repetition.",
                arg("repeats"),
            ),
        )
    return np.lexsort((rows, turn))


@explain
def fold_numbers(
    cv: Splitter | Iterable[tuple[Any, Any]],
    X: Any,
    y: Labels | None = None,
    clusters: Labels | None = None,
) -> CountArray:
    """Find the test fold of each row, for scores from `cross_val_predict`.

    Parameters
    ----------
    cv : splitter, or iterable of (train, test)
        As passed to `cross_val_predict`. A splitter that shuffles needs an integer `random_state`:
        otherwise it splits differently each time.
    X, y, clusters
        As for the splitter's `split`.

    Returns
    -------
    ndarray of int, shape (n,)
        The fold of each row, counted from 0.

    See Also
    --------
    rocbands.Sample.from_cv_results : for `cross_validate`.

    Examples
    --------
    >>> import rocbands as rb
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import StratifiedKFold, cross_val_predict
    >>> X, y = make_classification(random_state=0)
    >>> cv = StratifiedKFold(5)
    >>> scores = cross_val_predict(LogisticRegression(), X, y, cv=cv, method="decision_function")
    >>> bounds = rb.rate_bounds(rb.Sample(y, scores, folds=rb.fold_numbers(cv, X, y)))
    >>> bounds.n_folds
    5
    """
    size = len(to_column(y, "y")) if y is not None else _height(X)
    folds, seen = np.full(size, -1, dtype=np.int64), np.zeros(size, dtype=np.int64)
    for number, pair in enumerate(_splits(cv, X, y, clusters)):
        try:
            _, test = pair
        except (TypeError, ValueError):
            raise InputError(
                "must give pairs of train and test rows",
                f"number {number} is {pair!r}",
                "Pass the splitter, or list(splitter.split(X, y)).",
                argument="cv",
            ) from None
        rows = _places(test, size)
        folds[rows] = number
        seen[rows] += 1
    if (seen != 1).any():
        row = int(np.argmax(seen != 1))
        raise InputError(
            "Every row must be in one test fold",
            f"row {row} is in {seen[row]}",
            "Use a splitter that tests each row once, such as StratifiedKFold, as "
            "cross_val_predict does.",
        )
    return folds


def _height(X: Any) -> int:
    if getattr(X, "shape", None):
        return int(X.shape[0])
    if not isinstance(X, Sized):
        raise InputError("must have a row for each label", f"got {type(X).__name__}", argument="X")
    return len(X)


def _splits(cv: Any, X: Any, y: Any, clusters: Any) -> Iterable[tuple[Any, Any]]:
    if hasattr(cv, "split") and not isinstance(cv, (str, bytes, bytearray)):
        # Splitters that always shuffle, such as RepeatedKFold, have `random_state` but no
        # `shuffle`.
        random_state = getattr(cv, "random_state", 0)
        if getattr(cv, "shuffle", True) and not isinstance(random_state, Integral):
            raise InputError(
                "A splitter that shuffles must give the same split twice",
                f"random_state of {cv!r} is {random_state!r}",
                "Give it a whole number, for both calls.",
            )
        splits: Iterable[tuple[Any, Any]] = cv.split(X, y, clusters)
        return splits
    # An array of no dimensions is Iterable by its type only.
    if isinstance(cv, Iterable) and not isinstance(cv, str) and getattr(cv, "ndim", 1) != 0:
        return cv
    raise InputError(
        "must be a splitter, or pairs of train and test rows",
        f"got {cv!r}",
        "Where cross_val_predict was given a number k, a classifier was split by "
        "StratifiedKFold(k).",
        argument="cv",
    )


def build_band_from_predictions(
    y_true: Any, y_score: Any, *, pos_label: object = None, **asked: Any
) -> tuple[Band, object, Any]:
    """Make the band of labels and scores; return it with the positive label and the generator."""
    is_positive, label = find_positives(y_true, pos_label, "y_true")
    with _named_as_in_sklearn():
        sample = Sample(is_positive, y_score, **_take_design(asked))
        band, rng = _make_band(sample, **asked)
    return band, label, rng


def build_bands_from_predictions(
    y_true: Any,
    y_score: Any,
    *,
    classes: Any = None,
    drop_intermediate: bool = True,
    random_state: Any = 0,
    **asked: Any,
) -> ClassBands:
    """Make the bands of several classes with scikit-learn's arguments; others as `class_bands`."""
    with _named_as_in_sklearn():
        sample = Sample.of_classes(y_true, y_score, classes=classes, **_take_design(asked))
        return class_bands(sample, rng=_share_random_state(random_state), **asked)


def build_band_from_cv_results(
    cv_results: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    response_method: str = "auto",
    pos_label: object = None,
    **asked: Any,
) -> tuple[Band, object]:
    """Make the band of a cross-validation; return it with the positive label."""
    classes = _find_classes(cv_parts(cv_results)[0][0])
    label = classes[_find_place(classes, pos_label)]
    sample = Sample.from_cv_results(
        cv_results, X, y, positive=label, response_method=response_method
    )
    with _named_as_in_sklearn():
        design = _take_design(asked)
        for name, column in design.items():  # without rows that were never tested
            whole = plain_array(column, name)
            check_length(np.empty(len(y)), whole, name)
            design[name] = whole[sample.rows]
        return _make_band(sample.replace(**design), **asked)[0], label


def _take_design(asked: dict[str, Any]) -> dict[str, Any]:
    """Take the columns that describe how rows were drawn out of the arguments of a display."""
    names = {"sample_weight": "weights", "clusters": "clusters", "strata": "strata"}
    found = {ours: asked.pop(theirs, None) for theirs, ours in names.items()}
    return {name: column for name, column in found.items() if column is not None}


@contextmanager
def _named_as_in_sklearn() -> Iterator[None]:
    """Name `weights` as scikit-learn does, in errors."""
    try:
        yield
    except InputError as problem:
        raise problem.rename({"weights": "sample_weight"}) from None


def _make_band(
    sample: Sample, *, drop_intermediate: bool = True, random_state: Any = 0, **asked: Any
) -> tuple[Band, Any]:
    """Make a band with scikit-learn's arguments; `asked` is what `roc_band` takes."""
    rng = _share_random_state(random_state)
    return roc_band(sample, rng=rng, **asked), rng


def _share_random_state(random_state: Any) -> Any:
    """Convert scikit-learn's `random_state`."""
    if isinstance(random_state, np.random.RandomState):
        random_state = random_state.randint(0, 2**32, size=4, dtype=np.uint32).tolist()
    try:
        return check_rng(random_state)
    except InputError as problem:
        raise problem.rename({"rng": "random_state"}) from None
