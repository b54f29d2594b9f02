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
        {"clusters": NO_DAY},
        {"strata": NO_DAY},
        {"keep": {"day": NO_DAY}},
        {"clusters": [pd.NaT, *map(pd.Timestamp, DAYS[1:])]},
        {"clusters": [None, 1, 1, 2, 2, 3, 3, 4]},
        {"clusters": [np.nan, 1, 1, 2, 2, 3, 3, 4]},
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


@pytest.mark.parametrize(
    "name", ["label", "clusters", "weights", "strata", "folds", "score", "keep"]
)
@pytest.mark.parametrize("wrong", [0, S, b"y"])
def test_what_is_no_name_of_a_column_is_refused(path: str, name: str, wrong: Any) -> None:
    given: dict[str, Any] = {"label": "y", "score": "s", name: wrong}
    sentence = f"^`{name}` must be the name of a column; got .*(Pass|There are)|has no column '"
    for make, data in ((rb.Sample.from_file, path), (rb.Sample.from_frame, FRAME)):
        with pytest.raises(rb.InputError, match=sentence):
            make(data, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["score", "keep"])
def test_none_is_no_name(path: str, name: str) -> None:
    with pytest.raises(rb.InputError, match=f"^`{name}` must be the name of a column; got None"):
        rb.Sample.from_file(path, **{"label": "y", "score": "s", name: None})  # type: ignore[arg-type]


@pytest.mark.parametrize("given", [{"label": 0}, {"score": None}, {"by": S}, {"weights": S}])
def test_what_is_no_name_of_a_counted_column_is_refused(path: str, given: dict[str, Any]) -> None:
    with pytest.raises(rb.InputError, match=r"must be the name of a column|has no column '0'"):
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
        (lambda: rb.Sample(Y, S, keep={1: Y, "1": S}), "names that differ as text; '1' occurs 2"),  # type: ignore[dict-item]
    ],
)
def test_raw_exceptions_become_sentences(ask: Callable[[], Any], sentence: str) -> None:
    with pytest.raises(rb.InputError, match=sentence):
        ask()


NAMES = {
    "whole numbers": [0, 1, 2],
    "floats": [0.5, 1.0, -2.5],
    "truths": [False, True, 2],
    "missing": ["y", "s", None],
    "dates": list(pd.date_range("2020", periods=3)),
    "NumPy numbers": np.array([7, 8, 9]),
    "levels": LEVELS.columns,
    "text and numbers": ["1", 2, "g"],
}


@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
def test_columns_of_a_frame_may_have_any_names(names: Any) -> None:
    frame = FRAME.set_axis(names, axis=1)
    label, score, _ = frame.columns
    found = rb.Sample.from_frame(frame, label=label, score=score)
    assert found.roc.auc == rb.roc_curve(Y, S).auc
    assert rb.Sample.from_frame(frame, label=label, score=[score]).models == found.models
    assert rb.count_scores(frame, label=label, score=score, exact=True).roc.auc == found.roc.auc
    assert rb.Sample(Y, frame.iloc[:, 1:2]).models == found.models
    assert tuple(rb.Sample(Y, S, keep=frame.iloc[:, 1:2]).kept) == found.models
    if names is not NAMES["missing"]:
        third = frame.columns[2]
        kept = rb.Sample.from_frame(frame, label=label, score=score, keep=[third])
        assert [part.n for part in kept.split(third).values()] == [2, 2, 2, 2]


@pytest.mark.parametrize("classes", [[0, 1, 2], [0.0, 1.5, 2.0], ["a", "b", "c"]])
def test_probabilities_in_a_frame_of_classes(classes: list[Any]) -> None:
    y = np.array(classes)[[0, 1, 2, 0, 1, 2, 1, 1]]
    scores = np.random.default_rng(1).normal(size=(8, 3))
    frame = pd.DataFrame(scores, columns=np.unique(y))  # as clf.classes_ of scikit-learn
    wanted = rb.Sample.of_classes(y, scores)
    turned = rb.Sample.of_classes(y, frame.iloc[:, ::-1])
    assert turned.classes == wanted.classes[::-1]
    for found in (rb.Sample.of_classes(y, frame), rb.Sample.of_classes(y, dict(frame.items()))):
        assert found.classes == wanted.classes == tuple(classes)
        assert all(map(np.array_equal, found.list_scores(), wanted.list_scores()))
    with pytest.raises(rb.InputError, match="no row is of class 7"):
        rb.class_bands(y, frame.assign(**{"7": 1.0}).rename(columns={"7": 7}))


@pytest.mark.parametrize("frame", [TWICE, pa.table([Y, S, S], names=["y", "s", "s"])])
def test_a_name_of_two_columns_is_refused_where_it_is_used(frame: Any) -> None:
    for ask in (
        lambda: rb.Sample(Y, frame),
        lambda: rb.Sample(Y, S, keep=frame),
        lambda: rb.Sample.from_frame(frame, label="y", score="s"),
        lambda: rb.count_scores(frame, label="y", score="s"),
    ):
        with pytest.raises(rb.InputError, match=r"'s' occurs 2 times\. Rename"):
            ask()
    for ask in (lambda: rb.Sample(Y, S, clusters=frame), lambda: rb.auc_interval(Y, frame)):
        with pytest.raises(rb.InputError, match="must be one column"):
            ask()
    with pytest.raises(rb.InputError, match="one column of scores for each class, named after it"):
        rb.Sample.of_classes(Y, frame)


@pytest.mark.parametrize(
    ("function", "args", "given", "sentence"),
    [
        (rb.Sample.from_estimator, (1, FRAME, Y), {"folds": Y}, "strata, keep"),
        (rb.Sample.from_estimator, (1, FRAME, Y), {"pos_label": 1}, "called `positive` here"),
        (
            rb.Sample.from_cv_results,
            ({}, FRAME, Y),
            {"clusters": Y},
            r"sample.replace\(clusters=...\)",
        ),
        (rb.Sample.of_classes, (Y, np.c_[S, -S]), {"keep": {}}, "It has y_true, y_score, classes"),
        (rb.Sample(Y, S).take, (), {"row": [1]}, "Did you mean `rows`"),
        (rb.Sample(Y, S).split, (), {"on": "x"}, "It has by"),
        (rb.ScoreCounts.from_arrays, (Y, S), {"pos_label": 1}, "called `positive` here"),
        (rb.ScoreCounts.from_arrays, (Y, S), {"clusters": Y}, "It has y_true, y_score"),
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
    whole = rb.Sample.of_classes(Y, np.c_[-S, S], clusters=DAYS, weights=weights, strata=DAYS)
    for sample in _again(whole):
        arrays = [
            sample.codes,
            *sample.list_scores(),
            sample.clusters,
            sample.weights,
            sample.strata,
        ]
        assert not any(array.flags.writeable for array in arrays)
    weights[0] = 5.0
    assert whole.weights is not None
    assert whole.weights[0] == 1.0


def test_curves_come_back_frozen() -> None:
    roc = pickle.loads(pickle.dumps(rb.Sample(Y, S, clusters=DAYS, weights=S).roc))
    arrays = [
        roc.fp,
        roc.clusters.code,
        roc.clusters.step,
        roc.weights.neg,
        roc.weights.pos_squares,
    ]
    assert not any(array.flags.writeable for array in arrays)


def test_a_sample_says_what_it_has_without_sorting(monkeypatch: pytest.MonkeyPatch) -> None:
    sample = rb.Sample(Y, S, clusters=DAYS, strata=DAYS).take(np.arange(2, 8))
    folds = rb.Sample(Y, S, folds=DAYS).take(np.arange(2, 8))
    monkeypatch.delattr(np, "unique")
    assert repr(sample).endswith("1 model: score, 3 clusters, 3 strata>")
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


@pytest.mark.parametrize(
    "make",
    [
        lambda: rb.Sample(Y, {1: S, "1": -S}),  # type: ignore[dict-item]
        lambda: rb.Sample(Y, pd.DataFrame(np.c_[S, -S], columns=[1, "1"])),
        lambda: rb.Sample(Y, pd.DataFrame(np.c_[S, -S], columns=["a", "a"])),
        lambda: rb.Sample(Y, {"a\udcff": S, "a\\udcff": -S}),
        lambda: rb.Sample.from_frame(FRAME, label="y", score=["s", "s"]),
        lambda: rb.Sample.from_frame(FRAME.set_axis([1, "1", "y"], axis=1), label="y", score="1"),
        lambda: rb.ScoreCounts.from_arrays(Y, {1: S, "1": -S}),  # type: ignore[dict-item]
        lambda: rb.count_scores(FRAME, label="y", score=["s", "s"]),
        lambda: rb.Sample(Y, {"a": S, "b": -S})[["a", "a"]],
    ],
)
def test_two_models_of_one_name_are_refused(make: Callable[[], Any]) -> None:
    with pytest.raises(
        rb.InputError, match=r"by text|different columns|occurs 2 times|chosen once"
    ):
        make()


FIRST_TRIES: list[tuple[Callable[[], Any], str]] = [
    (lambda: rb.subgroups(FRAME, by="g"), r"rb\.Sample\.from_frame\(df, label=\.\.\., score="),
    (lambda: rb.subgroups(data=FRAME, by="g"), r"subgroups\(rb\.Sample\.from_frame\(.*, keep="),  # type: ignore[call-overload]
    (lambda: rb.class_bands(FRAME), r'y_true=df\["label"\], y_score=df\[\['),  # type: ignore[arg-type]
    (lambda: rb.class_bands(data=FRAME, label="y"), r'y_true=df\["label"\], y_score=df\[\['),  # type: ignore[call-arg]
    (lambda: rb.cost_thresholds(FRAME, w=0.5), r"rb\.Sample\.from_frame\(df, label="),
    (lambda: rb.cost_thresholds(data=FRAME, w=0.5), r"cost_thresholds\(rb\.Sample\.from_frame"),  # type: ignore[call-overload]
    (lambda: rb.compare(FRAME), r"rb\.Sample\.from_frame\(df, label="),  # type: ignore[call-overload]
    (lambda: rb.roc_band("rows.csv"), r"rb\.Sample\.from_file\(path\)"),  # type: ignore[call-overload]
]


@pytest.mark.parametrize(("ask", "sentence"), FIRST_TRIES)
def test_what_one_writes_first_is_answered_with_what_to_write(
    ask: Callable[[], Any], sentence: str
) -> None:
    with pytest.raises(rb.InputError, match=sentence):
        ask()
