"""Cross-validations of scikit-learn go into functions that take folds."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import make_classification
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

import rocbands as rb

X, Y = make_classification(200, 5, flip_y=0.2, random_state=1)
WORDS = np.where(Y == 1, "ill", "well")
MIXED = StratifiedKFold(5, shuffle=True, random_state=3)


def cross(model=None, cv=MIXED, y=Y):
    model = LogisticRegression() if model is None else model
    return cross_validate(model, X, y, cv=cv, return_estimator=True, return_indices=True)


def test_both_ways_give_the_same_numbers():
    y_true, y_score, folds = rb.fold_scores(cross(), X, Y)
    scores = cross_val_predict(LogisticRegression(), X, Y, cv=MIXED, method="predict_proba")[:, 1]
    assert (y_true == (Y == 1)).all()
    assert y_score == pytest.approx(scores, abs=1e-12)
    assert (folds == rb.fold_numbers(MIXED, X, Y)).all()


def test_results_go_straight_into_functions_of_folds():
    found = rb.fold_scores(cross(), X, Y)
    auc = rb.fold_auc_interval(*found)
    assert auc.fold_estimates == pytest.approx(
        cross_validate(LogisticRegression(), X, Y, cv=MIXED, scoring="roc_auc")["test_score"]
    )
    assert rb.rate_bounds(*found).n_folds == 5
    band = rb.roc_band(found.y_true, found.y_score, folds=found.folds, rng=1)
    assert len(band.roc.folds) == 5


@pytest.mark.parametrize("positive", ["ill", "well"])
@pytest.mark.parametrize(
    "model", [LogisticRegression(), RidgeClassifier()], ids=["proba", "decision"]
)
def test_the_positive_label_is_scored_for(model, positive):
    auc = rb.fold_auc_interval(*rb.fold_scores(cross(model, y=WORDS), X, WORDS, positive=positive))
    theirs = cross_validate(model, X, Y, cv=MIXED, scoring="roc_auc")["test_score"]
    assert auc.fold_estimates == pytest.approx(theirs)


def test_words_are_not_guessed():
    with pytest.raises(rb.InputError, match="Say so, for example positive='well'"):
        rb.fold_scores(cross(y=WORDS), X, WORDS)


def test_rows_keep_their_order_and_untested_ones_are_left_out():
    found = rb.fold_scores(cross(cv=TimeSeriesSplit(4)), X, Y)
    assert found.y_true.size == 160
    assert (found.y_true == (Y[40:] == 1)).all()
    assert (np.diff(found.folds) >= 0).all()


def test_groups_stay_aligned():
    groups = np.arange(200) // 4
    cv = GroupKFold(4)
    folds = rb.fold_numbers(cv, X, Y, groups)
    scores = cross_val_predict(
        LogisticRegression(), X, Y, cv=cv, groups=groups, method="decision_function"
    )
    band = rb.roc_band(Y, scores, folds=folds, groups=groups, rng=1)
    assert len(band.roc.folds) == 4


def test_repetitions_work_where_they_are_asked_for():
    cv = RepeatedStratifiedKFold(n_splits=4, n_repeats=3, random_state=0)
    results = cross(cv=cv)
    with pytest.raises(rb.InputError, match="For repeated K-fold pass repeats="):
        rb.fold_scores(results, X, Y)
    found = rb.fold_scores(results, X, Y, repeats=3)
    assert found.y_true.size == 600
    assert (found.y_true.reshape(3, 200) == (Y == 1)).all()
    auc = rb.fold_auc_interval(*found, method="nadeau-bengio", repeats=3)
    theirs = cross_validate(LogisticRegression(), X, Y, cv=cv, scoring="roc_auc")["test_score"]
    assert auc.fold_estimates == pytest.approx(theirs)
    with pytest.raises(rb.InputError, match="'t' is for one cross-validation"):
        rb.fold_auc_interval(*found, repeats=3)


@pytest.mark.parametrize("repeats", [0, 5, 2.0, True])
def test_repeats_must_divide_the_folds(repeats):
    results = cross(cv=RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0))
    with pytest.raises(rb.InputError, match="must divide the 6 folds"):
        rb.fold_scores(results, X, Y, repeats=repeats)


def test_splits_that_overlap_are_refused():
    with pytest.raises(rb.InputError, match="tested once"):
        rb.fold_scores(cross(cv=ShuffleSplit(5, random_state=0)), X, Y)
    with pytest.raises(rb.InputError, match=r"Every row must be in one test fold; row \d+ is in 2"):
        rb.fold_numbers(RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0), X, Y)
    with pytest.raises(rb.InputError, match="row 0 is in 0"):
        rb.fold_numbers(TimeSeriesSplit(3), X, Y)


@pytest.mark.parametrize("state", [None, np.random.RandomState(0)], ids=["none", "stateful"])
def test_a_splitter_that_never_cuts_the_same_way_twice_is_refused(state):
    with pytest.raises(rb.InputError, match="must do so the same way twice"):
        rb.fold_numbers(StratifiedKFold(3, shuffle=True, random_state=state), X, Y)


@pytest.mark.parametrize("cv", [5, None, "KFold"])
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
        rb.fold_scores(cross_validate(LogisticRegression(), X, Y), X, Y)
