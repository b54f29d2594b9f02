"""What cannot be used is refused in a sentence, and what is frozen stays so."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import rocbands as rb
from rocbands.core.columns import MissingError

Y = np.array([1, 0, 1, 0, 1, 0, 1, 0])
S = np.array([8.0, 5.0, 7.0, 4.0, 3.0, 2.0, 6.0, 1.0])
DAYS = np.datetime64("2020-01-01") + np.arange(8) // 2
NO_DAY = np.where(np.arange(8) == 1, np.datetime64("NaT"), DAYS)
FRAME = pd.DataFrame({"y": Y, "s": S, "g": np.arange(8) // 2})
TWICE = pd.concat([FRAME, FRAME["s"]], axis=1)
LEVELS = FRAME.set_axis(pd.MultiIndex.from_tuples([("a", "y"), ("a", "s"), ("b", "g")]), axis=1)


@pytest.mark.parametrize(
    "given",
    [
        {"groups": NO_DAY},
        {"strata": NO_DAY},
        {"keep": {"day": NO_DAY}},
        {"groups": [pd.NaT, *map(pd.Timestamp, DAYS[1:])]},
        {"groups": [None, 1, 1, 2, 2, 3, 3, 4]},
        {"groups": [np.nan, 1, 1, 2, 2, 3, 3, 4]},
        {"keep": {"x": np.array([None, 1, 1, 2, 2, 3, 3, 4], dtype=object)}},
        {"weights": [np.nan, 1, 1, 1, 1, 1, 1, 1]},
        {"weights": [None, 1, 1, 1, 1, 1, 1, 1]},
    ],
)
def test_missing_values_are_no_labels(given: dict[str, Any]) -> None:
    with pytest.raises(MissingError, match=r"In all: .* 1 of 8 rows \(1 of class"):
        rb.Sample(Y, S, **given)
    assert rb.Sample(Y, S, **given, missing="drop").n == 7


def test_labels_that_are_dates_may_not_be_missing() -> None:
    with pytest.raises(MissingError, match=r"y_true\[1\] is NaT"):
        rb.Sample(NO_DAY, S, positive=DAYS[0], rest=True)


@pytest.mark.parametrize("turn", [tuple, list, np.array])
def test_a_range_of_specificities_is_any_sequence(turn: Callable[[Any], Any]) -> None:
    sample = rb.load_example()
    found = rb.partial_auc_interval(sample["logistic"], specificity=turn([0.8, 1.0]))
    wanted = rb.partial_auc_interval(sample["logistic"], fpr=(0.0, 0.2))
    assert (found.low, found.high) == (wanted.low, wanted.high)
    band = rb.difference_band(sample, specificity=turn([0.5, 0.9]), n_resamples=50)
    assert (band.fpr[0], band.fpr[-1]) == pytest.approx((0.1, 0.5))


@pytest.mark.parametrize("wrong", [0.9, 10**400, (10**400, 1), [0.1, 0.2, 0.3], "x"])
def test_what_is_no_range_of_specificities_is_refused(wrong: Any) -> None:
    sample = rb.Sample(Y, {"a": S, "b": -S})
    for ask in (
        lambda: rb.partial_auc_interval(sample["a"], specificity=wrong),
        lambda: rb.difference_band(sample, specificity=wrong),
    ):
        with pytest.raises(rb.InputError, match=r"^`specificity` must be .* Pass, for example"):
            ask()


@pytest.fixture
def path(tmp_path: Path) -> str:
    FRAME.to_csv(tmp_path / "rows.csv", index=False)
    return str(tmp_path / "rows.csv")


@pytest.mark.parametrize("name", ["label", "groups", "weights", "strata", "folds", "score", "keep"])
@pytest.mark.parametrize("wrong", [0, S, b"y"])
def test_columns_are_named_by_text(path: str, name: str, wrong: Any) -> None:
    given: dict[str, Any] = {"label": "y", "score": "s", name: wrong}
    for make, data in ((rb.Sample.from_file, path), (rb.Sample.from_frame, FRAME)):
        with pytest.raises(rb.InputError, match=f"^`{name}` must name columns by text; got .*Pass"):
            make(data, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["score", "keep"])
def test_none_is_no_name(path: str, name: str) -> None:
    with pytest.raises(rb.InputError, match=f"^`{name}` must name columns by text; got None"):
        rb.Sample.from_file(path, **{"label": "y", "score": "s", name: None})  # type: ignore[arg-type]


@pytest.mark.parametrize("given", [{"label": 0}, {"score": None}, {"by": S}, {"weights": S}])
def test_counted_columns_are_named_by_text(path: str, given: dict[str, Any]) -> None:
    with pytest.raises(rb.InputError, match="must name columns by text"):
        rb.count_scores(path, **given)


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda: rb.Sample.of_classes(Y, np.c_[S, -S], classes=3), "`classes` must be a sequence"),  # type: ignore[arg-type]
        (lambda: rb.ScoreCounts.merge([1]), "`parts` must be several ScoreCounts; got int"),  # type: ignore[list-item]
        (lambda: rb.ScoreCounts.merge(1), "`parts` must be several ScoreCounts; got int"),  # type: ignore[arg-type]
        (lambda: rb.ScoreCounts.load(None), "`path` must be the path of a file; got None"),  # type: ignore[arg-type]
        (lambda: rb.Sample.from_file(None), "`path` must be the path of a file; got None"),  # type: ignore[arg-type]
        (lambda: rb.ScoreCounts.from_table({"bin": [1]}), "must be a PyArrow table; it is dict"),
        (lambda: rb.fold_numbers([1], FRAME, Y), "`cv` must give pairs of train and test rows"),  # type: ignore[list-item]
        (lambda: rb.report(Y, S, path=None, focus=1), "`focus` must be one or two"),  # type: ignore[call-overload]
        (lambda: rb.report(Y, S, path=None, prevalence=[]), "`prevalence` must be one number"),  # type: ignore[call-overload]
        (lambda: rb.Sample(Y, S, rest=Y), "`rest` must be True or False"),  # type: ignore[arg-type]
        (lambda: rb.Sample(Y, S, keep={1: Y, "1": S}), "`keep` must have columns whose names"),  # type: ignore[dict-item]
    ],
)
def test_raw_exceptions_become_sentences(ask: Callable[[], Any], sentence: str) -> None:
    with pytest.raises(rb.InputError, match=sentence):
        ask()


@pytest.mark.parametrize(
    ("frame", "sentence"),
    [
        (TWICE, "must have different names; 's' occurs 2 times. Rename"),
        (pa.table([S, S], names=["s", "s"]), "must have different names; 's' occurs 2 times"),
        (LEVELS, "must have one name for each column; its columns have 2 levels"),
    ],
)
def test_columns_that_one_name_does_not_find(frame: Any, sentence: str) -> None:
    for ask in (
        lambda: rb.Sample(Y, frame),
        lambda: rb.Sample(Y, S, keep=frame),
        lambda: rb.Sample(Y, S, groups=frame),
        lambda: rb.Sample.from_frame(frame, label="y", score="s"),
        lambda: rb.Sample.of_classes(Y, frame),
        lambda: rb.auc_interval(Y, frame),
    ):
        with pytest.raises(rb.InputError, match=sentence):
            ask()


@pytest.mark.parametrize(
    ("function", "args", "given", "sentence"),
    [
        (rb.Sample.from_estimator, (1, FRAME, Y), {"folds": Y}, "strata, keep"),
        (rb.Sample.from_estimator, (1, FRAME, Y), {"pos_label": 1}, "called `positive` here"),
        (rb.Sample.from_cv_results, ({}, FRAME, Y), {"groups": Y}, r"sample.replace\(groups=...\)"),
        (rb.Sample.of_classes, (Y, np.c_[S, -S]), {"keep": {}}, "It has y_true, y_score, classes"),
        (rb.Sample(Y, S).take, (), {"row": [1]}, "Did you mean `rows`"),
        (rb.Sample(Y, S).split, (), {"on": "x"}, "It has by"),
        (rb.ScoreCounts.from_arrays, (Y, S), {"pos_label": 1}, "called `positive` here"),
        (rb.ScoreCounts.from_arrays, (Y, S), {"groups": Y}, "It has y_true, y_score"),
        (rb.RocCurve.from_counts, ([1], [1]), {"tps": [1]}, "Did you mean `tp`"),
    ],
)
def test_ways_in_explain_their_arguments(
    function: Callable[..., Any], args: tuple[Any, ...], given: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(rb.InputError, match=sentence) as caught:
        function(*args, **given)
    assert str(caught.value).startswith(f"{function.__qualname__}() has no argument")
    with pytest.raises(rb.InputError, match="needs"):
        function()


def _again(value: Any) -> list[Any]:
    return [value, copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))]


def test_samples_are_frozen_to_the_bottom() -> None:
    whole = rb.Sample(Y, S, keep={"x": [None, *range(7)]}, missing="drop")
    for sample in (*_again(whole), whole.take(np.arange(4)), whole.replace(keep={"x": S[1:]})):
        with pytest.raises(TypeError, match="does not support item assignment"):
            sample.kept["x"] = S
        with pytest.raises(TypeError, match="does not support item assignment"):
            sample.dropped.missing["y_true"] = Y
        masks = sample.dropped.missing.values()
        arrays = [*sample.kept.values(), sample.dropped.labels, *masks, sample.is_positive]
        assert not any(array.flags.writeable for array in arrays)
        assert sample.dropped.describe(("score",)).startswith("Left out 1 of 8 rows")


def test_samples_of_classes_are_frozen() -> None:
    weights = np.ones(8)
    whole = rb.Sample.of_classes(Y, np.c_[-S, S], groups=DAYS, weights=weights, strata=DAYS)
    for sample in _again(whole):
        arrays = [sample.codes, *sample.values, sample.groups, sample.weights, sample.strata]
        assert not any(array.flags.writeable for array in arrays)
    weights[0] = 5.0
    assert whole.weights is not None
    assert whole.weights[0] == 1.0


def test_curves_come_back_frozen() -> None:
    roc = pickle.loads(pickle.dumps(rb.Sample(Y, S, groups=DAYS, weights=S).roc))
    arrays = [roc.fp, roc.groups.code, roc.groups.step, roc.weights.neg, roc.weights.pos_squares]
    assert not any(array.flags.writeable for array in arrays)


def test_a_sample_says_what_it_has_without_sorting(monkeypatch: pytest.MonkeyPatch) -> None:
    sample = rb.Sample(Y, S, groups=DAYS, strata=DAYS).take(np.arange(2, 8))
    folds = rb.Sample(Y, S, folds=DAYS).take(np.arange(2, 8))
    monkeypatch.delattr(np, "unique")
    assert repr(sample).endswith("1 model: score, 3 groups, 3 strata>")
    assert repr(folds).endswith("1 model: score, 3 folds>")


@pytest.mark.parametrize("wrong", [{"level": 7.0}, {"level": 0}, {"level": np.nan}, {"pvalue": 7}])
def test_results_have_levels_and_pvalues_that_can_be(wrong: dict[str, Any]) -> None:
    sample = rb.Sample(Y, {"a": S, "b": -S})
    for result in (rb.auc_interval(sample["a"]), rb.compare(sample)):
        with pytest.raises(rb.ResultError, match="must lie"):
            replace(result, **wrong)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"fpr": 0.3, "method": "clopper-pearson"}, "is for another form of this question"),
        ({"threshold": 0.3, "method": "bootstrap"}, "is for another form of this question"),
        ({"fpr": 0.3, "method": "delong"}, "'delong' is a method of rb.auc_interval"),
    ],
)
def test_methods_say_where_they_belong(asked: dict[str, Any], words: str) -> None:
    with pytest.raises(rb.InputError, match=words):
        rb.operating_points([1, 0, 1, 0], [4.0, 3.0, 2.0, 1.0], **asked)
