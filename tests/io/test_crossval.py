"""Cross-validations of scikit-learn go into functions that take folds."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import make_classification
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_predict,
    cross_validate,
)
from sklearn.pipeline import make_pipeline

import rocbands as rb

X, Y = make_classification(200, 5, flip_y=0.2, random_state=1)
WORDS = np.where(Y == 1, "ill", "well")
MIXED = StratifiedKFold(5, shuffle=True, random_state=3)


def cross(model=None, cv=MIXED, y=Y):
    model = LogisticRegression() if model is None else model
    return cross_validate(model, X, y, cv=cv, return_estimator=True, return_indices=True)


def test_both_ways_give_the_same_numbers():
    found = rb.Sample.from_cv_results(cross(), X, Y)
    scores = cross_val_predict(LogisticRegression(), X, Y, cv=MIXED, method="predict_proba")[:, 1]
    assert (found.is_positive == (Y == 1)).all()
    assert found.models == ("LogisticRegression",)
    assert found.values == pytest.approx(scores, abs=1e-12)
    assert (found.folds == rb.fold_numbers(MIXED, X, Y)).all()


def test_results_go_straight_into_functions_of_folds():
    found = rb.Sample.from_cv_results(cross(), X, Y)
    auc = rb.fold_auc_interval(found)
    assert auc.fold_estimates == pytest.approx(
        cross_validate(LogisticRegression(), X, Y, cv=MIXED, scoring="roc_auc")["test_score"]
    )
    assert rb.rate_bounds(found).n_folds == 5
    band = rb.roc_band(found)
    assert len(band.roc.folds) == 5


@pytest.mark.parametrize("positive", ["ill", "well"])
@pytest.mark.parametrize(
    "model", [LogisticRegression(), RidgeClassifier()], ids=["proba", "decision"]
)
def test_the_positive_label_is_scored_for(model, positive):
    found = rb.Sample.from_cv_results(cross(model, y=WORDS), X, WORDS, positive=positive)
    assert (
        found.is_positive == (positive == WORDS)
    ).all()  # the AUC is the same the other way round
    auc = rb.fold_auc_interval(found)
    theirs = cross_validate(model, X, Y, cv=MIXED, scoring="roc_auc")["test_score"]
    assert auc.fold_estimates == pytest.approx(theirs)


def test_words_are_not_guessed():
    with pytest.raises(rb.InputError, match="or positive='well'"):
        rb.Sample.from_cv_results(cross(y=WORDS), X, WORDS)


def test_rows_keep_their_order_and_untested_ones_are_left_out():
    found = rb.Sample.from_cv_results(cross(cv=TimeSeriesSplit(4)), X, Y)
    assert found.is_positive.size == 160
    assert (found.is_positive == (Y[40:] == 1)).all()
    assert (np.diff(found.folds) >= 0).all()
    assert (found.rows == np.arange(40, 200)).all()


def test_clusters_stay_aligned():
    clusters = np.arange(200) // 4
    cv = GroupKFold(4)
    folds = rb.fold_numbers(cv, X, Y, clusters)
    scores = cross_val_predict(
        LogisticRegression(), X, Y, cv=cv, groups=clusters, method="decision_function"
    )
    band = rb.roc_band(rb.Sample(Y, scores, folds=folds, clusters=clusters), rng=1)
    assert len(band.roc.folds) == 4


def test_repetitions_work_where_they_are_asked_for():
    cv = RepeatedStratifiedKFold(n_splits=4, n_repeats=3, random_state=0)
    results = cross(cv=cv)
    with pytest.raises(rb.InputError, match="For repeated K-fold pass `repeats`"):
        rb.Sample.from_cv_results(results, X, Y)
    found = rb.Sample.from_cv_results(results, X, Y, repeats=3)
    assert found.is_positive.size == 600
    assert (found.is_positive.reshape(3, 200) == (Y == 1)).all()
    auc = rb.fold_auc_interval(found, method="nadeau-bengio")
    theirs = cross_validate(LogisticRegression(), X, Y, cv=cv, scoring="roc_auc")["test_score"]
    assert auc.fold_estimates == pytest.approx(theirs)
    assert rb.fold_auc_interval(found).parameters == {"repeats": 3}
    with pytest.raises(rb.InputError, match=r"cut into folds once.*use method='score'"):
        rb.fold_auc_interval(found, method="t")
    for ask in (rb.roc_band, rb.rate_bounds):
        with pytest.raises(rb.InputError, match="cut into folds once; the sample has repetitions"):
            ask(found)


@pytest.mark.parametrize("repeats", [0, 5, 2.0, True])
def test_repeats_must_divide_the_folds(repeats):
    results = cross(cv=RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0))
    with pytest.raises(rb.InputError, match="must divide the 6 folds"):
        rb.Sample.from_cv_results(results, X, Y, repeats=repeats)


def test_splits_that_overlap_are_refused():
    with pytest.raises(rb.InputError, match="tested once"):
        rb.Sample.from_cv_results(cross(cv=ShuffleSplit(5, random_state=0)), X, Y)
    with pytest.raises(rb.InputError, match=r"Every row must be in one test fold; row \d+ is in 2"):
        rb.fold_numbers(RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0), X, Y)
    with pytest.raises(rb.InputError, match="row 0 is in 0"):
        rb.fold_numbers(TimeSeriesSplit(3), X, Y)


@pytest.mark.parametrize("cv", ["x", b"x", bytearray(b"x")])
def test_text_is_no_splitter_although_it_can_be_split(cv):
    with pytest.raises(rb.InputError, match="pairs of train and test rows"):
        rb.fold_numbers(cv, X, Y)


@pytest.mark.parametrize("state", [None, np.random.RandomState(0)], ids=["none", "stateful"])
def test_a_splitter_that_never_cuts_the_same_way_twice_is_refused(state):
    with pytest.raises(rb.InputError, match="must give the same split twice"):
        rb.fold_numbers(StratifiedKFold(3, shuffle=True, random_state=state), X, Y)


@pytest.mark.parametrize("state", [None, np.random.RandomState(0)], ids=["none", "stateful"])
def test_nor_is_one_that_cannot_but_shuffle(state):
    once = RepeatedStratifiedKFold(n_splits=3, n_repeats=1, random_state=state)
    with pytest.raises(rb.InputError, match="must give the same split twice"):
        rb.fold_numbers(once, X, Y)
    once = RepeatedStratifiedKFold(n_splits=3, n_repeats=1, random_state=7)
    (_, test), *_ = once.split(X, Y)
    assert (np.flatnonzero(rb.fold_numbers(once, X, Y) == 0) == test).all()


@pytest.mark.parametrize("cv", [np.array(0.5), 5, None, "KFold"])
def test_what_is_no_splitter_is_refused(cv):
    with pytest.raises(rb.InputError, match=r"was split by StratifiedKFold\(k\)"):
        rb.fold_numbers(cv, X, Y)


@pytest.mark.parametrize(
    "rows", [X, pd.DataFrame(X), pl.DataFrame(X), X.tolist()], ids=lambda r: type(r).__module__
)
def test_pairs_and_rows_of_any_kind(rows):
    pairs = list(KFold(4).split(X))
    assert (rb.fold_numbers(pairs, rows) == rb.fold_numbers(KFold(4), X, Y)).all()


def test_a_cross_validation_without_its_models_is_refused():
    with pytest.raises(rb.InputError, match="lacks 'estimator' or 'indices'"):
        rb.Sample.from_cv_results(cross_validate(LogisticRegression(), X, Y), X, Y)


class Frame(pd.DataFrame):
    """A frame of another library, made of pandas'."""


ANY = np.random.default_rng(0).permutation(200) * 3
KINDS = {
    "list": X.tolist(),
    "odd index": pd.DataFrame(X, columns=list("abcde"), index=ANY),
    "names that are numbers": pd.DataFrame(X, index=ANY),
    "kind of frame": Frame(X, index=ANY),
    "polars": pl.DataFrame(X, schema=list("abcde")),
    "arrow": pa.table(dict(zip("abcde", X.T, strict=True))),
    "sparse": csr_array(X),
}


@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_any_kind_are_scored(kind):
    results = cross_validate(
        LogisticRegression(), KINDS[kind], Y, cv=MIXED, return_estimator=True, return_indices=True
    )
    found = rb.Sample.from_cv_results(results, KINDS[kind], pd.Series(Y, index=ANY[::-1]))
    expected = rb.Sample.from_cv_results(cross(), X, Y)
    assert found.values == pytest.approx(expected.values, abs=1e-6)
    assert (found.folds == expected.folds).all()
    assert (found.is_positive == expected.is_positive).all()


@pytest.mark.parametrize("kind", [list, np.array, pl.Series, lambda t: pd.Series(t, index=ANY)])
def test_one_column_of_texts_is_scored(kind):
    texts = kind([f"a{row[0] > 0} b{row[1] > 0}" for row in X])
    model = make_pipeline(CountVectorizer(), LogisticRegression())
    results = cross_validate(
        model, texts, Y, cv=MIXED, return_estimator=True, return_indices=True, scoring="roc_auc"
    )
    auc = rb.fold_auc_interval(rb.Sample.from_cv_results(results, texts, Y))
    assert auc.fold_estimates == pytest.approx(results["test_score"])


def test_test_rows_may_be_masks():
    every = np.arange(200)
    masks = [(np.isin(every, train), np.isin(every, test)) for train, test in MIXED.split(X, Y)]
    assert (rb.fold_numbers(masks, X, Y) == rb.fold_numbers(MIXED, X, Y)).all()
    found, expected = (
        rb.Sample.from_cv_results(cross(cv=masks), X, Y),
        rb.Sample.from_cv_results(cross(), X, Y),
    )
    assert (found.values == expected.values).all()
    assert (found.folds == expected.folds).all()


def test_other_rows_than_those_that_were_split_are_refused():
    with pytest.raises(rb.InputError, match="same number of rows; they have 200 and 100"):
        rb.Sample.from_cv_results(cross(), X, Y[:100])
    with pytest.raises(rb.InputError, match="counted from 0 to 99"):
        rb.Sample.from_cv_results(cross(), X[:100], Y[:100])
    for row in (200, -1):
        with pytest.raises(rb.InputError, match="counted from 0 to 199"):
            rb.fold_numbers([([], [row])], X, Y)
    with pytest.raises(rb.InputError, match="0 models and 0 folds"):
        rb.Sample.from_cv_results({"estimator": [], "indices": {"test": []}}, X, Y)
