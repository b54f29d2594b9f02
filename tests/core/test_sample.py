"""A sample says once what the data are: every way in, what it says of itself, what it refuses."""

from __future__ import annotations

import copy
import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rocbands as rb

EXAMPLE = rb.load_example()
Y = np.where(EXAMPLE.is_positive, "malignant", "benign")
MODELS = {name: EXAMPLE[name].values for name in EXAMPLE.models}
PATIENT = np.arange(Y.size) // 3
SEX = np.array(["f", "m"])[np.arange(Y.size) % 2]
WEIGHT = 1.0 + np.arange(Y.size) % 4
FRAME = pd.DataFrame({**MODELS, "outcome": Y, "patient": PATIENT, "sex": SEX, "weight": WEIGHT})
ASKED: dict[str, Any] = {"label": "outcome", "score": list(MODELS), "positive": "malignant"}


def make(**how: Any) -> rb.Sample:
    return rb.Sample(Y, MODELS, positive="malignant", **how)


def same(one: rb.Sample, two: rb.Sample) -> bool:
    """Tell whether two samples have the same rows, models, design and kept columns."""
    alike = one.models == two.models and one.kept.keys() == two.kept.keys()
    alike &= np.array_equal(one.is_positive, two.is_positive)
    for name in one.models:
        alike &= np.array_equal(one[name].values, two[name].values)
    for name in ("clusters", "weights", "strata", "folds"):
        first, second = getattr(one, name), getattr(two, name)
        alike &= (first is None) == (second is None)
        alike &= first is None or np.array_equal(first, second)
    return alike and all(np.array_equal(one.kept[name], two.kept[name]) for name in one.kept)


# ------------------------------------------------------------------------------- ways in


def test_columns_of_any_kind_are_the_same_sample() -> None:
    known = make(clusters=PATIENT, weights=WEIGHT, keep={"sex": SEX})
    frames = {
        "pandas": FRAME,
        "polars": pl.from_pandas(FRAME),
        "lazy": pl.from_pandas(FRAME).lazy(),
        "pyarrow": pa.Table.from_pandas(FRAME),
        "mapping": {name: FRAME[name].tolist() for name in FRAME},
    }
    for kind, frame in frames.items():
        found = rb.Sample.from_frame(
            frame, clusters="patient", weights="weight", keep=["sex"], **ASKED
        )
        assert same(found, known), kind
        if kind != "mapping":
            library = "polars" if kind == "lazy" else kind
            assert type(rb.auc_interval(found["logistic"]).to_frame()).__module__.startswith(
                library
            )
    scores = FRAME[list(MODELS)]
    for table in (scores, pl.from_pandas(scores), pa.Table.from_pandas(scores)):
        assert same(rb.Sample(Y, table, positive="malignant"), make())


def test_one_column_is_a_model_of_its_own_name() -> None:
    assert rb.Sample(Y, MODELS["logistic"], positive="malignant").models == ("score",)
    for column in (FRAME["logistic"], pl.Series("logistic", MODELS["logistic"])):
        assert rb.Sample(Y, column, positive="malignant").models == ("logistic",)
    assert rb.Sample.from_frame(FRAME, **{**ASKED, "score": "logistic"}).models == ("logistic",)


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet", ".jsonl"])
def test_files_are_read_with_their_design(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"scores{ending}"
    if ending == ".parquet":
        FRAME.to_parquet(path)
    elif ending == ".jsonl":
        FRAME.to_json(path, orient="records", lines=True)
    else:
        FRAME.to_csv(path, index=False)
    found = rb.Sample.from_file(path, clusters="patient", weights="weight", keep="sex", **ASKED)
    known = make(clusters=PATIENT, weights=WEIGHT, keep={"sex": SEX})
    assert found.models == known.models
    assert found.clusters is not None
    assert np.unique(found.clusters).size == np.unique(PATIENT).size
    for name in MODELS:
        one, two = (rb.auc_interval(sample[name]) for sample in (found, known))
        assert (one.low, one.high) == pytest.approx((two.low, two.high), abs=1e-12)


def test_missing_values_of_a_file_are_left_out_on_request(tmp_path: Path) -> None:
    path = tmp_path / "holes.csv"
    spoil().to_csv(path, index=False)
    asked = {**ASKED, "keep": "sex"}
    with pytest.raises(rb.InputError, match="missing"):
        rb.Sample.from_file(path, **asked)
    found = rb.Sample.from_file(path, missing="drop", **asked)
    assert found.rows.tolist() == np.setdiff1d(np.arange(569), [0, 3, 5, 560]).tolist()
    assert found.notes[0].startswith("Left out 4 of 569 rows")


def test_fitted_models_score_rows() -> None:
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.svm import LinearSVC

    rng = np.random.default_rng(3)
    y = np.where(rng.random(200) < 0.4, "ill", "well")
    x = rng.normal(size=(200, 2)) + (y == "ill")[:, None]
    fitted = {
        kind.__name__: kind().fit(x[:100], y[:100])
        for kind in (LogisticRegression, GaussianNB, LinearSVC)
    }
    found = rb.Sample.from_estimator(
        fitted, x[100:], y[100:], positive="ill", keep={"first": x[100:, 0]}
    )
    assert found.models == tuple(fitted)
    assert found.positive == "ill"
    assert found.kept["first"].size == 100
    own = fitted["GaussianNB"].predict_proba(x[100:])[:, 0]
    np.testing.assert_array_equal(found["GaussianNB"].values, own)
    np.testing.assert_array_equal(  # large for the second class, 'well'
        found["LinearSVC"].values, -fitted["LinearSVC"].decision_function(x[100:])
    )
    one = rb.Sample.from_estimator(fitted["GaussianNB"], x[100:], y[100:], positive="ill")
    assert one.models == ("GaussianNB",)


def test_a_cross_validation_is_a_sample_with_folds() -> None:
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_predict, cross_validate

    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 150)
    x = rng.normal(size=(150, 2)) + y[:, None]
    cv = StratifiedKFold(5)
    results = cross_validate(
        LogisticRegression(), x, y, cv=cv, return_estimator=True, return_indices=True
    )
    found = rb.Sample.from_cv_results(results, x, y)
    predicted = cross_val_predict(LogisticRegression(), x, y, cv=cv, method="predict_proba")[:, 1]
    known = rb.Sample(y, {"LogisticRegression": predicted}, folds=rb.fold_numbers(cv, x, y))
    assert found.design == known.design == ("folds",)
    np.testing.assert_array_equal(found.folds, known.folds)
    np.testing.assert_allclose(found.values, known.values)
    assert rb.Sample.from_cv_results(results, x, y, name="mine").models == ("mine",)
    with pytest.raises(rb.InputError, match=r"the sample has folds.*use rb\.fold_auc_interval"):
        rb.auc_interval(found)


def test_the_example_is_a_sample() -> None:
    assert (EXAMPLE.n, EXAMPLE.n_pos, EXAMPLE.n_neg) == (569, 212, 357)
    assert repr(EXAMPLE) == (
        "<Sample: 569 rows (212 malignant, 357 benign), 2 models: logistic, neighbours; kept: fold>"
    )


# -------------------------------------------------------------------------- what it says


def test_labels_sizes_and_design() -> None:
    sample = make(clusters=PATIENT, weights=WEIGHT, strata=PATIENT % 5)
    assert (sample.positive, sample.negative) == ("malignant", "benign")
    assert sample.n == sample.n_pos + sample.n_neg == Y.size
    assert sample.design == ("weights", "strata", "clusters")
    assert sample.rows.tolist() == list(range(Y.size))
    shown = repr(sample)
    for words in ("190 clusters", "5 strata", "weighted"):
        assert words in shown
    # What changes nothing is no design.
    plain = make(clusters=np.arange(Y.size), weights=np.full(Y.size, 3.0), strata=np.zeros(Y.size))
    assert plain.design == ()
    by_class = make(weights=np.where(Y == "malignant", 2.0, 5.0))
    assert by_class.design == ("class weights",)


def test_it_is_shown_as_a_table_in_notebooks() -> None:
    shown = make(keep={"sex": SEX})._repr_html_()
    for words in ("<table>", "logistic", "neighbours", "distinct_scores", "357", "kept: sex"):
        assert words in shown


def test_nothing_can_be_changed() -> None:
    scores = MODELS["logistic"].copy()
    sample = rb.Sample(Y, scores, positive="malignant", weights=WEIGHT, keep={"sex": SEX})
    low, scores[:] = rb.auc_interval(sample).low, 0.0
    assert rb.auc_interval(sample.replace()).low == low
    with pytest.raises(AttributeError, match=r"frozen; sample\.replace\(clusters=\.\.\.\)"):
        sample.clusters = PATIENT  # type: ignore[assignment]
    with pytest.raises(AttributeError, match="frozen"):
        del sample.clusters
    arrays = (sample.values, sample.is_positive, sample.weights, sample.kept["sex"])
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = array[1]


@pytest.mark.parametrize("way", ["pickle", "copy", "deepcopy"])
def test_copies_are_the_same_rows_and_as_frozen(way: str) -> None:
    sample = make(clusters=PATIENT, keep={"sex": SEX}).take(np.arange(400))
    ways = {"pickle": lambda data: pickle.loads(pickle.dumps(data)), **vars(copy)}
    again = ways[way](sample)
    assert same(again, sample)
    assert repr(again) == repr(sample)
    for array in (again.is_positive, again.clusters, again.kept["sex"], again["logistic"].values):
        assert not array.flags.writeable
    with pytest.raises(AttributeError, match="frozen"):
        again.n_pos = 3
    with pytest.raises(rb.InputError, match="both come from the same rows"):
        rb.compare(sample["logistic"], again["neighbours"])


# --------------------------------------------------------------------- models by their names


def test_models_are_chosen_by_name() -> None:
    sample = make(clusters=PATIENT)
    assert list(sample) == ["logistic", "neighbours"]
    assert "logistic" in sample
    assert "forest" not in sample
    turned = sample[["neighbours", "logistic"]]
    assert turned.models == ("neighbours", "logistic")
    assert sample["neighbours"].models == ("neighbours",)
    assert sample["neighbours"].design == ("clusters",)
    one = sample["logistic"]
    assert one.roc is one.roc  # counted once
    assert not hasattr(sample, "__len__")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            ("logistic", "neighbours"),
            r"list of names.*Write sample\[\['logistic', 'neighbours'\]\]",
        ),
        ("logistik", "Did you mean 'logistic'"),
        ("x", "there are 'logistic', 'neighbours'. Name one of them"),
        ([], "At least one model"),
        (["logistic", "logistic"], "chosen once"),
    ],
)
def test_models_that_are_not_there_are_refused(name: Any, words: str) -> None:
    with pytest.raises(rb.InputError, match=words):
        EXAMPLE[name]


@pytest.mark.parametrize(
    "ask",
    [
        rb.roc_curve,
        rb.roc_band,
        rb.auc_interval,
        lambda data: data.roc,
        lambda data: data.values,
        lambda data: rb.operating_points(data, fpr=0.1),
        lambda data: rb.subgroups(data, by="fold"),
    ],
)
def test_several_models_are_refused_where_one_is_meant(ask: Any) -> None:
    with pytest.raises(rb.InputError, match=r"sample\['logistic'\], or ask for each: sample\.each"):
        ask(EXAMPLE)


def test_several_models_as_scores_are_refused_alike() -> None:
    ask: Any
    for ask in (rb.auc_interval, rb.net_benefit, rb.roc_band):
        for models in (MODELS, {"a": MODELS["logistic"]}, pd.DataFrame(MODELS)):
            with pytest.raises(rb.InputError, match=r"which names models\. Make a sample"):
                ask(EXAMPLE.is_positive, models)


# ------------------------------------------------------------------------------- parts of it


def test_parts_keep_design_kept_columns_and_places() -> None:
    sample = make(clusters=PATIENT, weights=WEIGHT, keep={"sex": SEX})
    rows = np.flatnonzero(SEX == "m")[5:200]
    mask = np.isin(np.arange(Y.size), rows)
    for part in (sample.take(rows), sample.take(mask), sample.take(rows.tolist())):
        assert part.n == rows.size
        assert part.rows.tolist() == rows.tolist()
        assert set(part.kept["sex"]) == {"m"}
        np.testing.assert_array_equal(part.weights, WEIGHT[rows])
        np.testing.assert_array_equal(part["logistic"].values, MODELS["logistic"][rows])
    again = sample.take(rows).take(np.arange(50, 150))
    assert again.rows.tolist() == rows[50:150].tolist()


def test_clusters_of_a_part_are_still_clusters() -> None:
    """Numbers of clusters may be larger than a part has rows: its rows still depend."""
    sample = make(clusters=PATIENT)
    part = sample.take(np.arange(450, 569))
    assert part.design == ("clusters",)
    fresh = rb.Sample(
        Y[450:],
        {k: v[450:] for k, v in MODELS.items()},
        positive="malignant",
        clusters=PATIENT[450:],
    )
    assert same(part, fresh)
    one, two = (rb.auc_interval(data["logistic"]) for data in (part, fresh))
    assert (one.low, one.high) == (two.low, two.high)
    assert sample.take(np.arange(0, 569, 3)).design == ()  # one row of each cluster


def test_folds_of_a_part_keep_their_names() -> None:
    folds = np.array(["u", "v", "w", "x"])[np.arange(Y.size) % 4]
    sample = make(folds=folds)
    part = sample.take(np.isin(folds, ["v", "x"]))
    assert (part.fold_labels, part.design) == (("v", "x"), ("folds",))
    assert len(part["logistic"].roc.folds) == 2
    assert part.replace(clusters=None).fold_labels == ("v", "x")
    # The rows of one fold were scored by one model.
    alone = sample.take(folds == "v")
    assert alone.design == ()
    assert rb.auc_interval(alone["logistic"]).estimate == part["logistic"].roc.folds[0].auc


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([0, 0, 1], "different places .* use weights"),
        ([-1, 5], "from 0 to 568"),
        ([569], "from 0 to 568"),
        ([0.5, 2.0], "a mask of the sample's rows, or their places"),
        (np.ones(5, dtype=bool), "got bool of shape"),
        ([], "or their places"),
        (np.flatnonzero(Y == "benign"), "both classes; all 357 rows are negative"),
    ],
)
def test_wrong_rows_are_refused(rows: Any, words: str) -> None:
    with pytest.raises(rb.InputError, match=words):
        EXAMPLE.take(rows)


def test_parts_by_a_kept_column() -> None:
    sample = make(keep={"sex": SEX, "patient": PATIENT})
    parts = sample.split("sex")
    assert list(parts) == ["f", "m"]
    assert sum(part.n for part in parts.values()) == sample.n
    assert repr(parts["f"]).startswith("<Sample: sex f: 285 rows (")
    with pytest.raises(rb.InputError, match="got 'age'; it keeps 'sex', 'patient'"):
        sample.split("age")
    with pytest.raises(rb.InputError, match=r"Every group by 'patient' .*Join it"):
        sample.split("patient")


def test_a_design_is_given_up_or_added() -> None:
    sample = make(clusters=PATIENT, weights=WEIGHT, keep={"sex": SEX})
    assert sample.replace(clusters=None).design == ("weights",)
    assert sample.replace(clusters=None, weights=None).design == ()
    assert same(make(keep={"sex": SEX}).replace(clusters=PATIENT, weights=WEIGHT), sample)
    assert sample.replace(keep={"age": PATIENT}).kept.keys() == {"age"}
    assert sample.replace(weights=None, folds=PATIENT % 3).design == ("clusters", "folds")
    with pytest.raises(rb.InputError, match="got 'positive'"):
        sample.replace(positive="benign")
    with pytest.raises(rb.InputError, match="they have 569 and 2"):
        sample.replace(clusters=[1, 2])
    with pytest.raises(rb.InputError, match="same stratum"):
        sample.replace(strata=np.arange(Y.size) % 2)


# ----------------------------------------------------------------- the same for every model


def test_each_asks_the_same_of_every_model() -> None:
    found = EXAMPLE.each(rb.auc_interval, level=0.9)
    assert isinstance(found, rb.Table)
    assert found.names == EXAMPLE.models
    for name in EXAMPLE.models:
        assert found[name].to_dict() == rb.auc_interval(EXAMPLE[name], level=0.9).to_dict()


def test_random_questions_do_not_depend_on_other_models() -> None:
    asked = {"method": "bootstrap", "n_resamples": 200}
    found = EXAMPLE.each(rb.auc_interval, rng=7, **asked)
    assert found["neighbours"].low == rb.auc_interval(EXAMPLE["neighbours"], rng=7, **asked).low
    for make_rng in (np.random.default_rng, np.random.SeedSequence):
        found = EXAMPLE.each(rb.auc_interval, rng=make_rng(7), **asked)
        for name, stream in zip(EXAMPLE.models, make_rng(7).spawn(2), strict=True):
            assert found[name].low == rb.auc_interval(EXAMPLE[name], rng=stream, **asked).low


def test_a_sample_as_keyword_goes_to_each_model_by_name() -> None:
    early, late = EXAMPLE.take(np.arange(300)), EXAMPLE.take(np.arange(300, 569))
    found = early.each(rb.operating_points, best="youden", test=late[["neighbours", "logistic"]])
    for name in EXAMPLE.models:
        alone = rb.operating_points(early[name], best="youden", test=late[name])
        assert found[name].to_dict() == alone.to_dict()
        rows = (late.is_positive, late[name].values)
        assert rb.operating_points(early[name], best="youden", test=rows).to_csv() == alone.to_csv()
    with pytest.raises(rb.InputError, match="There must be a model named 'neighbours'"):
        early.each(rb.operating_points, best="youden", test=late["logistic"])


def test_each_says_which_model_was_refused() -> None:
    sample = rb.Sample([1, 0, 1, 0], {"good": [0.9, 0.2, 0.8, 0.1], "bad": [5, 2, 3, 1]})
    with pytest.raises(rb.InputError, match="Pass probabilities") as caught:
        sample.each(rb.net_benefit, thresholds=[0.5])
    assert caught.value.__notes__ == ["The model was 'bad'."]


# ---------------------------------------------------------------------------- missing values


def spoil() -> pd.DataFrame:
    """Four rows lack something: two scores of one model, one of the other, a label."""
    frame = FRAME[["logistic", "neighbours", "outcome", "sex"]].copy()
    frame.loc[[0, 3], "logistic"] = np.nan
    frame.loc[560, "neighbours"] = np.nan
    frame.loc[5, "outcome"] = None
    return frame


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "lists", "masked"])
def test_missing_values_are_counted_and_left_out_on_request(kind: str) -> None:
    bad = spoil()
    data: Any = bad
    if kind == "polars":
        data = pl.from_pandas(bad)
    elif kind == "arrow":
        data = pa.Table.from_pandas(bad)
    elif kind == "lists":
        data = {name: bad[name].tolist() for name in bad}
    elif kind == "masked":
        data = {name: bad[name].to_numpy() for name in bad}
        data["logistic"] = np.ma.masked_invalid(data["logistic"])
    with pytest.raises(rb.InputError, match="missing") as caught:
        rb.Sample.from_frame(data, **ASKED)
    assert (Y[[0, 3]] == "malignant").all()
    said = str(caught.value)
    assert "y_score of 'logistic' 2 of 569 rows (2 of class 'malignant')" in said
    assert f"y_score of 'neighbours' 1 of 569 rows (1 of class '{Y[560]}')" in said
    assert "y_true 1 of 569 rows (1 without a label)" in said
    assert said.count("In all") == 1
    assert "make a Sample with missing='drop'" in said
    found = rb.Sample.from_frame(data, missing="drop", keep="sex", **ASKED)
    whole = FRAME.drop(index=[0, 3, 5, 560])
    assert same(found, rb.Sample.from_frame(whole, keep="sex", **ASKED))
    assert found.rows.tolist() == whole.index.tolist()
    assert repr(found).endswith("; 4 rows left out>")
    table = found.each(rb.auc_interval)
    assert str(table).count("Left out 4 of 569 rows") == 2  # each model says what others cost it


def test_results_say_how_many_rows_went_and_for_which_models() -> None:
    sample = rb.Sample.from_frame(spoil(), missing="drop", **ASKED)
    assert sample.notes == (
        "Left out 4 of 569 rows (1 of class 'benign', 2 of class 'malignant', 1 without a label): "
        "missing values.",
    )
    for name, needless in (("logistic", 1), ("neighbours", 2)):
        (note,) = sample[name].notes
        assert note.startswith("Left out 4 of 569 rows (")
        assert note.endswith(f", {needless} of them only in the scores of other models.")
        assert note in rb.roc_band(sample[name]).notes
        assert note in rb.auc_interval(sample[name]).notes
    assert "other models" not in rb.compare(sample).notes[0]
    assert rb.compare_many(sample).notes[0] == sample.notes[0]
    bad = spoil()
    alone = rb.Sample(bad["outcome"], bad["logistic"], positive="malignant", missing="drop")
    assert alone.notes[0].startswith("Left out 3 of 569 rows")
    assert "other models" not in alone.notes[0]
    with pytest.warns(rb.RocBandsWarning, match="Left out 3 of 569 rows"):
        curve = rb.roc_curve(alone)
    assert curve.n_pos + curve.n_neg == 566


def test_missing_values_of_design_and_kept_columns_count_too() -> None:
    cluster, sex = PATIENT.astype(float), SEX.astype(object)
    cluster[7], sex[8] = np.nan, None
    for how in ({"clusters": cluster}, {"keep": {"sex": sex}}):
        with pytest.raises(rb.InputError):
            make(**how)
    found = make(clusters=cluster, keep={"sex": sex}, missing="drop")
    assert found.n == 567
    assert {7, 8}.isdisjoint(found.rows)
    assert "kept" not in found.notes[0]


def test_rows_without_missing_values_need_no_note() -> None:
    sample = make(missing="drop")
    assert (sample.dropped, sample.notes) == (None, ())
    assert rb.roc_band(sample["logistic"]).notes == rb.roc_band(EXAMPLE["logistic"]).notes


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"missing": "omit"}, "`missing` must be one of raise, drop"),
        ({"missing": "drop", "clusters": PATIENT[:5]}, "needs columns of the same rows"),
        ({"keep": [SEX]}, "`keep` must be a mapping from names to columns"),
        ({"keep": {"sex": SEX[:5]}}, "they have 569 and 5"),
        ({"clusters": PATIENT[:5]}, "they have 569 and 5"),
        ({"weights": WEIGHT[:5]}, "they have 569 and 5"),
        ({"weights": -WEIGHT}, "`weights` must not be negative"),
        ({"strata": SEX, "clusters": PATIENT}, "same stratum"),
        ({"repeats": 2}, "`repeats` must be a whole number that divides the number of folds"),
        ({"positive": "ill"}, "'ill' is not one of"),
    ],
)
def test_what_is_no_sample_is_refused(how: dict[str, Any], words: str) -> None:
    with pytest.raises(rb.InputError, match=words):
        rb.Sample(Y, MODELS, **{"positive": "malignant", **how})


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ({}, "the scores of at least one model; it has none"),
        ({1: MODELS["logistic"]}, "must name its models by text; one is named 1"),
        (np.column_stack(list(MODELS.values())), "Two models are a mapping from names to columns"),
        ({"a": MODELS["logistic"][:9]}, "they have 569 and 9"),
    ],
)
def test_models_have_names_and_as_many_rows(scores: Any, words: str) -> None:
    with pytest.raises(rb.InputError, match=words):
        rb.Sample(Y, scores, positive="malignant")


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"label": "outcom"}, "`label` must be the name of a column.*Did you mean 'outcome'"),
        ({"score": ["logistic", "x9"]}, "`score` must be the name of a column; got 'x9'"),
        ({"score": ["logistic", "logistic"]}, "`score` must name different columns"),
        ({"clusters": "patients"}, "`clusters` must be the name .*Did you mean 'patient'"),
        ({"data": 3}, "`data` must be a data frame or a mapping from names to columns"),
    ],
)
def test_columns_that_are_not_there_are_refused(how: dict[str, Any], words: str) -> None:
    with pytest.raises(rb.InputError, match=words):
        rb.Sample.from_frame(**{"data": FRAME, **ASKED, **how})


def test_three_classes_are_refused_with_what_takes_them() -> None:
    y = np.array(["a", "b", "c"])[np.arange(60) % 3]
    s = np.random.default_rng(0).normal(size=(60, 3))
    with pytest.raises(rb.InputError, match=r"two labels; it has 3.*rest=True; .*rb\.class_bands"):
        rb.Sample(y, s[:, 0], positive="a")
    sample = rb.Sample.of_classes(y, s)
    assert repr(sample) == "<Sample: 60 rows of 3 classes (20 a, 20 b, 20 c)>"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rb.RocBandsWarning)
        one, two = rb.class_bands(sample, rng=1), rb.class_bands(y, s, rng=1)
    assert one.to_dict() == two.to_dict()
    with pytest.raises(rb.InputError, match="`y_score` was given, too"):
        rb.class_bands(sample, s)
    some = rb.Sample.of_classes(
        y, s, clusters=np.arange(60) // 2, weights=1.0 * (np.arange(60) > 2)
    )
    assert (some.codes.size, some.design) == (57, ("clusters",))


def test_a_class_by_its_name_is_compared_with_all_others() -> None:
    y = np.array(["a", "b", "c"])[np.arange(60) % 3]
    s = np.random.default_rng(0).normal(size=(60, 3))
    sample = rb.Sample.of_classes(y, s, clusters=np.arange(60) // 2)
    assert (sample.classes, sample.models, sample.n) == (("a", "b", "c"), ("a", "b", "c"), 60)
    wanted = rb.Sample(y, s[:, 1], positive="b", rest=True, clusters=np.arange(60) // 2)
    assert rb.auc_interval(sample["b"]).to_dict() == rb.auc_interval(wanted).to_dict()
    assert repr(sample["b"]) == repr(wanted).replace(": score", ": b")
    part = pickle.loads(pickle.dumps(sample)).take(np.arange(30))
    assert (part.n, part.design, part.codes.tolist()) == (30, ("clusters",), [0, 1, 2] * 10)
    with pytest.raises(rb.InputError, match="must contain all classes; no row is of class 'c'"):
        sample.take(y != "c")
    with pytest.raises(rb.InputError, match=r"One class is chosen.*got 'a', 'b'"):
        sample[["a", "b"]]


@pytest.mark.parametrize(
    "function",
    [
        *(rb.roc_band, rb.auc_interval, rb.pr_band, rb.summary, rb.compare),
        *(rb.compare_many, rb.rate_bounds, rb.fold_auc_interval, rb.average_curve),
        lambda sample: rb.subgroups(sample, by=list("ab") * 30),
        lambda sample: sample.roc,
        lambda sample: sample.n_pos,
    ],
)
def test_several_classes_are_refused_where_two_are_needed(function: Any) -> None:
    y, s = np.arange(60) % 3, np.random.default_rng(0).normal(size=(60, 3))
    with pytest.raises(rb.InputError, match=r"two classes; the sample has 3.*class_bands\(sample"):
        function(rb.Sample.of_classes(y, s))


def test_labels_and_two_columns_are_read_as_a_sample_is() -> None:
    y, one, two = [1, 0, 1, 0], [4.0, 3.0, 2.0, 1.0], [4.0, np.nan, 2.0, 1.0]
    with pytest.raises(rb.InputError, match=r"`y_score_2` must not.*In all: y_score_2 1 of 4 rows"):
        rb.compare(y, one, two)
    with pytest.raises(rb.InputError, match=r"`y_score` must not.*In all: y_score 1 of 4 rows"):
        rb.roc_band(y, two)
    with pytest.raises(rb.InputError, match="`y_true` and `y_score_1` must have one value"):
        rb.compare(y, one[:3], one)


def test_functions_stay_ordinary() -> None:
    assert pickle.loads(pickle.dumps(rb.auc_interval)) is rb.auc_interval
    with pytest.raises(TypeError, match=r"auc_interval\(\) needs the data.*Pass a Sample"):
        rb.auc_interval()  # type: ignore[call-arg]


def test_nothing_is_given_beside_a_sample() -> None:
    with pytest.raises(rb.InputError, match="`y_score` was given, too"):
        rb.auc_interval(EXAMPLE["logistic"], MODELS["logistic"])
    with pytest.raises(rb.InputError, match="`positive` was given, too"):
        rb.auc_interval(EXAMPLE["logistic"], positive="benign")


# ------------------------------------------------------------- weights that differ by class only

CASES = np.tile([0, 1, 0], 40)
RISK = np.random.default_rng(5).random(120) * 0.6 + 0.3 * CASES
BY_CLASS = np.where(CASES == 1, 1.0, 20.0)


def test_weights_by_class_change_no_curve_but_the_share_of_positives() -> None:
    weighted, plain = rb.Sample(CASES, RISK, weights=BY_CLASS), rb.Sample(CASES, RISK)
    assert weighted.design == weighted.roc.design == ("class weights",)
    for ask in (rb.auc_interval, rb.roc_band, rb.cost_curve):
        assert ask(weighted).to_frame("pandas").equals(ask(plain).to_frame("pandas"))
    known = rb.operating_points(weighted, threshold=0.5).ppv[0]
    share = (1.0 / 21.0 * 2.0 / 2.0) / (1.0 / 21.0 + 2.0 * 20.0 / 21.0 / 2.0)
    at = rb.operating_points(plain, threshold=0.5, prevalence=40 / (40 + 80 * 20)).ppv[0]
    assert share < 0.1
    assert known == pytest.approx(at)


@pytest.mark.parametrize(
    "ask",
    [
        lambda s: rb.net_benefit(s["a"]),
        lambda s: rb.rate_bounds(s["a"]),
        lambda s: rb.cost_interval(s["a"], thresholds=0.5, costs=(5, 1)),
        lambda s: rb.cost_interval(s["a"], thresholds=0.5, w=0.5, sampling="full"),
        lambda s: rb.subgroups(s["a"], by=np.arange(120) % 2, threshold=0.5),
        lambda s: rb.mcnemar(s, thresholds=0.5),
        rb.net_benefit_difference,
        lambda s: rb.rate_difference(s, rate=0.1),
        lambda s: rb.cost_difference(s, thresholds=(0.5, 0.5), costs=(5, 1)),
    ],
)
@pytest.mark.filterwarnings("ignore::rocbands.RocBandsWarning")
def test_questions_about_the_share_of_positives_use_weights_by_class(ask: Any) -> None:
    weighted, plain = (
        ask(rb.Sample(CASES, {"a": RISK, "b": RISK[::-1]}, weights=weights)).to_dict()
        for weights in (BY_CLASS, None)
    )
    for found in (weighted, plain):
        found.pop("notes", None)
    assert weighted != plain


def test_net_benefit_of_treating_all_has_the_weighted_share() -> None:
    found = rb.net_benefit(rb.Sample(CASES, RISK, weights=BY_CLASS), thresholds=[0.1])
    share = 40.0 / (40.0 + 80.0 * 20.0)
    assert found.treat_all[0] == pytest.approx(share - (1.0 - share) / 9.0)


def test_costs_with_a_given_share_take_weights_by_class() -> None:
    asked: dict[str, Any] = {"thresholds": 0.5, "costs": (5, 1), "prevalence": 0.05}
    weighted = rb.cost_interval(rb.Sample(CASES, RISK, weights=BY_CLASS), **asked)
    assert weighted.lower == pytest.approx(rb.cost_interval(CASES, RISK, **asked).lower)


# ------------------------------------------------------------------------ parts of one source


def test_parts_with_common_clusters_are_not_two_test_sets() -> None:
    eye = np.repeat(["left", "right"], 60)
    sample = rb.Sample(CASES, RISK, clusters=np.tile(np.arange(60), 2), keep={"eye": eye})
    left, right = sample.split("eye").values()
    for pair in ((left, right), (left.roc, right.roc)):
        with pytest.raises(rb.InputError, match="test sets without common clusters"):
            rb.compare(*pair, method="bootstrap")
    apart = rb.Sample(CASES, RISK, clusters=np.arange(120) // 2, keep={"eye": eye}).split("eye")
    with pytest.raises(rb.InputError, match="two test sets of dependent rows"):
        rb.compare(*apart.values(), method="bootstrap")


def test_a_column_to_ask_by_has_the_length_of_the_source() -> None:
    sample, column = rb.Sample(CASES, RISK), np.arange(120) % 2
    order = np.random.default_rng(1).permutation(120)
    whole, turned = sample, sample.take(order)
    assert turned.code_by(column)[1].tolist() == whole.code_by(column)[1][order].tolist()
    for size in (100, 121, 1000):
        with pytest.raises(rb.InputError, match="one value for each row of what"):
            rb.subgroups(sample.take(np.arange(100)), by=np.arange(size) % 2)


def test_one_repetition_of_several_is_a_sample_with_folds() -> None:
    folds = np.concatenate([np.arange(120) % 3, 3 + np.arange(120) % 4 % 3])
    twice = rb.Sample(np.tile(CASES, 2), np.tile(RISK, 2), folds=folds, repeats=2)
    assert twice.design == ("folds", "repeats")
    once = twice.take(folds < 3)
    assert (once.repeats, once.design) == (1, ("folds",))
    assert twice.replace(folds=None).design == ()


def test_opposite_positive_labels_are_noticed() -> None:
    words, other = np.where(CASES == 1, "p", "n"), np.where(CASES[::-1] == 1, "p", "n")
    one, two = rb.Sample(words, RISK, positive="p"), rb.Sample(other, RISK, positive="n")
    with pytest.raises(rb.InputError, match="same positive label; they have 'p' and 'n'"):
        rb.compare(one, two)
    with pytest.raises(rb.InputError, match="same positive label"):
        rb.operating_points(one, fpr=0.1, test=two)
    with pytest.raises(rb.InputError, match="the sample has folds"):
        rb.operating_points(one.replace(folds=np.arange(120) // 60), fpr=0.1, test=(words, RISK))
