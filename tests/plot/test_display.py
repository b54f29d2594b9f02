"""The display does what scikit-learn's does, with a band; in whatever version is installed."""

from __future__ import annotations

import inspect

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.ensemble import IsolationForest, RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.metrics import RocCurveDisplay, roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import rocbands as rb

X, Y = make_classification(240, 6, n_informative=3, flip_y=0.2, random_state=3)
WORDS = np.where(Y == 1, "ill", "well")  # sorted, so that the positive class is the first
TRAIN, TEST = np.arange(240) < 120, np.arange(240) >= 120
FAST = "joint-region"


def fitted(estimator, y=Y):
    return estimator.fit(X[TRAIN], y[TRAIN])


@pytest.mark.parametrize("maker", ["from_estimator", "from_predictions", "from_cv_results", "plot"])
def test_signatures_are_those_of_scikit_learn(maker):
    theirs = getattr(RocCurveDisplay, maker, None)
    if theirs is None:
        pytest.skip("this version has no from_cv_results")
    ours = inspect.signature(getattr(rb.RocBandDisplay, maker)).parameters
    # Old names that newer versions drop, and free keywords for the line.
    dated = {"y_pred", "estimator_name", "kwargs"}
    for name, parameter in inspect.signature(theirs).parameters.items():
        if name in dated:
            continue
        assert ours[name].kind == parameter.kind, name
        if name != "y_score":  # has no default of ours, because there is nothing to draw without
            assert ours[name].default == parameter.default, name


@pytest.mark.parametrize(
    "estimator",
    [
        LogisticRegression(),
        RidgeClassifier(),
        LinearSVC(),
        RandomForestClassifier(20, random_state=0),
        make_pipeline(StandardScaler(), LogisticRegression()),
        GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=2),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
@pytest.mark.parametrize("pos_label", [None, "ill", "well"])
def test_curves_are_those_of_scikit_learn(estimator, pos_label):
    model = fitted(estimator, WORDS)
    asked = {"pos_label": pos_label}
    theirs = RocCurveDisplay.from_estimator(model, X[TEST], WORDS[TEST], **asked)
    ours = rb.RocBandDisplay.from_estimator(model, X[TEST], WORDS[TEST], method=FAST, **asked)
    assert ours.roc_auc == pytest.approx(theirs.roc_auc, abs=1e-12)
    assert ours.pos_label == theirs.pos_label == (pos_label or "well")
    vertices = set(zip(ours.fpr.round(9), ours.tpr.round(9), strict=True))
    assert set(zip(theirs.fpr.round(9), theirs.tpr.round(9), strict=True)) <= vertices
    assert type(estimator).__name__ in ours.line_.get_label()
    assert f"positive label: {ours.pos_label}" in ours.ax_.get_xlabel()


class Reversed(ClassifierMixin, BaseEstimator):
    """A classifier that does not sort its classes."""

    def fit(self, X, y):  # noqa: N803
        self.model_ = LogisticRegression().fit(X, y)
        self.classes_ = self.model_.classes_[::-1]
        return self

    def predict_proba(self, X):  # noqa: N803
        return self.model_.predict_proba(X)[:, ::-1]

    def decision_function(self, X):  # noqa: N803
        return -self.model_.decision_function(X)


@pytest.mark.parametrize("response_method", ["predict_proba", "decision_function"])
@pytest.mark.parametrize("pos_label", [None, "ill", "well"])
def test_classes_need_not_be_sorted(pos_label, response_method):
    asked = {"pos_label": pos_label, "response_method": response_method}
    model = fitted(Reversed(), WORDS)
    theirs = RocCurveDisplay.from_estimator(model, X[TEST], WORDS[TEST], **asked)
    ours = rb.RocBandDisplay.from_estimator(model, X[TEST], WORDS[TEST], method=FAST, **asked)
    assert ours.pos_label == theirs.pos_label == (pos_label or "ill")
    vertices = set(zip(ours.fpr.round(9), ours.tpr.round(9), strict=True))
    assert set(zip(theirs.fpr.round(9), theirs.tpr.round(9), strict=True)) <= vertices


def test_the_band_is_the_one_of_roc_band():
    model = fitted(LogisticRegression())
    scores = model.predict_proba(X[TEST])[:, 1]
    band = rb.roc_band(Y[TEST], scores, method="fixed-width", level=0.8, rng=7)
    for shown in (
        rb.RocBandDisplay.from_estimator(
            model, X[TEST], Y[TEST], method="fixed-width", level=0.8, random_state=7
        ),
        rb.RocBandDisplay.from_predictions(
            Y[TEST], scores, method="fixed-width", level=0.8, random_state=7
        ),
    ):
        assert shown.band.level == 0.8
        at = np.linspace(0, 1, 50)
        assert (shown.band.lower_at(at) == band.lower_at(at)).all()
        assert (shown.band.upper_at(at) == band.upper_at(at)).all()


def test_attributes_are_what_was_drawn():
    fig, axes = plt.subplots(1, 2)
    before = plt.get_fignums()
    shown = rb.RocBandDisplay.from_predictions(
        Y,
        X[:, 0],
        method=FAST,
        ax=axes[1],
        name="first",
        curve_kwargs={"lw": 3},
        band_kwargs={"alpha": 0.5},
        plot_chance_level=True,
        chance_level_kw={"ls": ":", "color": "red"},
        despine=True,
    )
    assert plt.get_fignums() == before
    assert shown.ax_ is axes[1]
    assert shown.figure_ is fig
    assert shown.line_ in shown.ax_.lines
    assert shown.line_.get_linewidth() == 3
    assert shown.band_ in shown.ax_.patches
    assert shown.band_.get_alpha() == 0.5
    assert shown.chance_level_.get_color() == "red"
    assert shown.chance_level_.get_linestyle() == ":"
    assert not shown.ax_.spines["top"].get_visible()
    assert shown.fold_lines_ == []
    words = [text.get_text() for text in shown.ax_.get_legend().get_texts()]
    assert any(word.startswith("first (AUC") for word in words)
    again = shown.plot(axes[0], name="second")
    assert again is shown
    assert again.ax_ is axes[0]
    assert again.chance_level_ is None
    assert len(again.ax_.lines) == 1  # no line of guessing that nobody asked for


def test_several_models_share_axes():
    one = rb.RocBandDisplay.from_predictions(Y, X[:, 0], method=FAST, name="one")
    two = rb.RocBandDisplay.from_predictions(Y, X[:, 1], method=FAST, name="two", ax=one.ax_)
    assert two.ax_ is one.ax_
    assert one.line_.get_color() != two.line_.get_color()


def cv_results(model=None, cv=5, y=Y, rows=X):
    model = LogisticRegression() if model is None else model
    return cross_validate(model, rows, y, cv=cv, return_estimator=True, return_indices=True)


def test_cross_validation_is_averaged_and_its_folds_drawn():
    found = cv_results(y=WORDS)
    shown = rb.RocBandDisplay.from_cv_results(
        found,
        X,
        WORDS,
        random_state=1,
        plot_chance_level=True,
        chance_level_kwargs={"color": "red"},
        fold_kwargs={"lw": 0.3},
    )
    areas = [
        roc_auc_score(WORDS[test] == "well", model.predict_proba(X[test])[:, 1])
        for model, test in zip(found["estimator"], found["indices"]["test"], strict=True)
    ]
    assert shown.roc_auc == pytest.approx(areas)
    assert shown.band.auc == pytest.approx(np.mean(areas), abs=0.005)
    assert shown.band.method.name == "fold-average"
    assert len(shown.fold_lines_) == len(shown.fpr) == len(shown.tpr) == 5
    assert {line.get_linewidth() for line in shown.fold_lines_} == {0.3}
    assert shown.chance_level_.get_color() == "red"
    words = [text.get_text() for text in shown.ax_.get_legend().get_texts()]
    assert len(words) == 4  # the average, the band, chance, and all folds once
    assert words[0] == "Curves of 5 folds"


def test_the_positive_class_turns_a_cross_validation_around():
    found = cv_results(RidgeClassifier(), y=WORDS)
    one, two = (
        rb.RocBandDisplay.from_cv_results(found, X, WORDS, pos_label=label, random_state=1)
        for label in ("ill", "well")
    )
    assert one.roc_auc == pytest.approx(two.roc_auc)
    assert (one.band.roc.n_pos, one.band.roc.n_neg) == (two.band.roc.n_neg, two.band.roc.n_pos)


@pytest.mark.parametrize(
    "wrap", [pd.DataFrame, pl.DataFrame, sparse.csr_array, sparse.coo_array, list]
)
def test_rows_of_any_kind(wrap):
    rows = wrap(X)
    if wrap in (pd.DataFrame, pl.DataFrame):
        rows.columns = list("abcdef")
    y = pd.Series(WORDS, index=range(1000, 1240))  # an index must not matter
    found = cv_results(rows=rows, y=y)
    shown = rb.RocBandDisplay.from_cv_results(found, rows, y, method="vertical")
    plain = rb.RocBandDisplay.from_cv_results(cv_results(y=WORDS), X, WORDS, method="vertical")
    assert shown.roc_auc == pytest.approx(plain.roc_auc)
    model = LogisticRegression().fit(rows, y)
    one = rb.RocBandDisplay.from_estimator(model, rows, y, method=FAST)
    assert one.roc_auc == pytest.approx(
        roc_auc_score(WORDS == "well", model.decision_function(rows))
    )


@pytest.mark.parametrize(
    "labels",
    [
        WORDS.tolist(),
        pd.Series(WORDS, dtype="category"),
        pd.Series(WORDS, dtype="string"),
        pl.Series(WORDS),
        WORDS.astype(object),
    ],
    ids=["list", "category", "string", "polars", "object"],
)
def test_labels_of_any_kind(labels):
    model = fitted(LogisticRegression(), WORDS)
    shown = rb.RocBandDisplay.from_estimator(model, X, labels, pos_label="ill", method=FAST)
    assert shown.roc_auc == pytest.approx(
        roc_auc_score(WORDS == "ill", -model.decision_function(X))
    )


def test_repeated_folds_are_refused_because_they_depend():
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
    with pytest.raises(rb.InputError, match="Every row must be tested once"):
        rb.RocBandDisplay.from_cv_results(cv_results(cv=cv), X, Y)


def test_random_states_of_scikit_learn():
    def lower(random_state):
        shown = rb.RocBandDisplay.from_predictions(
            Y, X[:, 0], method="fixed-width", random_state=random_state
        )
        return float(shown.band.lower_at(0.3))

    assert lower(np.random.RandomState(3)) == lower(np.random.RandomState(3))
    assert lower(3) == lower(np.random.default_rng(3)) != lower(4)
    with pytest.raises(
        rb.InputError, match="`random_state` must be a whole number from 0 on, None"
    ):
        lower("three")


def test_displays_take_the_design_of_the_rows():
    clusters, strata, weights = np.arange(240) // 3, np.arange(240) % 2, 1.0 + np.arange(240) % 3
    for design in (
        {"clusters": clusters},
        {"strata": strata},
        {"sample_weight": weights, "clusters": clusters, "strata": clusters % 4},
    ):
        own = {name.replace("sample_weight", "weights"): column for name, column in design.items()}
        expected = rb.roc_band(rb.Sample(Y, X[:, 0], **own))
        for make in (rb.RocBandDisplay, rb.PrecisionRecallBandDisplay):
            shown = make.from_predictions(Y, X[:, 0], **design)
            band = shown.band if make is rb.RocBandDisplay else shown.view.band
            assert band.lower_at(0.3) == expected.lower_at(0.3)
            assert band.notes == expected.notes
        model = fitted(LogisticRegression())
        shown = rb.RocBandDisplay.from_estimator(model, X, Y, **design)
        assert shown.band.roc.design == expected.roc.design


def test_clusters_of_a_cross_validation_are_those_of_its_rows():
    clusters = np.arange(240) // 3
    found = cross_validate(
        LogisticRegression(), X, Y, groups=clusters, cv=GroupKFold(4), return_estimator=True,
        return_indices=True,
    )  # fmt: skip
    shown = rb.RocBandDisplay.from_cv_results(found, X, Y, clusters=clusters)
    sample = rb.Sample.from_cv_results(found, X, Y)
    expected = rb.roc_band(sample.replace(clusters=clusters[sample.rows]))
    assert shown.band.upper_at(0.2) == expected.upper_at(0.2)
    assert shown.band.upper_at(0.2) != rb.roc_band(sample).upper_at(0.2)
    with pytest.raises(rb.InputError, match="`folds` must put all rows of a cluster in one fold"):
        rb.RocBandDisplay.from_cv_results(cv_results(), X, Y, clusters=clusters)


PREDICTIONS = rb.RocBandDisplay.from_predictions
ESTIMATOR = rb.RocBandDisplay.from_estimator


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ESTIMATOR(LinearRegression().fit(X, Y), X, Y), "LinearRegression has no classes. For a regressor"),
        (lambda: ESTIMATOR(LogisticRegression(), X, Y), "LogisticRegression has no classes. Call fit first"),
        (lambda: ESTIMATOR(make_pipeline(LogisticRegression()), X, Y), "Pipeline has no classes. Call fit"),
        (lambda: ESTIMATOR(GridSearchCV(LogisticRegression(), {}), X, Y), "GridSearchCV has no classes. Call fit"),
        (lambda: ESTIMATOR(fitted(GridSearchCV(LogisticRegression(), {}, refit=False)), X, Y), "best model: refit=True"),
        (lambda: ESTIMATOR(IsolationForest(n_estimators=5).fit(X), X, Y), "for a model without classes, pass the scores"),
        (lambda: ESTIMATOR(LogisticRegression, X, Y), r"Write LogisticRegression\(\) and fit"),
        (lambda: ESTIMATOR(LogisticRegression().fit(X, np.arange(240) % 3), X, Y), "has 3"),
        (lambda: ESTIMATOR(fitted(LogisticRegression()), X, Y, pos_label=2), "0 and 1; got 2"),
        (lambda: ESTIMATOR(fitted(RidgeClassifier()), X, Y, response_method="predict_proba"), "must have predict_proba; RidgeClassifier has not"),
        (lambda: ESTIMATOR(fitted(RidgeClassifier()), X, Y, response_method="predict"), "`response_method` must be one of"),
        (lambda: ESTIMATOR(fitted(LogisticRegression()), X, np.arange(240) % 3), "must contain two labels; it has 3"),
        (lambda: PREDICTIONS(WORDS, X[:, 0]), "Pass pos_label='ill' or pos_label='well'"),
        (lambda: PREDICTIONS(WORDS, X[:, 0], pos_label="sick"), "`pos_label` must be one of the labels in `y_true`"),
        (lambda: PREDICTIONS(Y, X[:, 0], sample_weight=np.ones(3)), "`y_true` and `sample_weight` must have one value"),
        (lambda: PREDICTIONS(Y, X[:, 0], method=FAST, curve_kwargs=[{}]), "one dict.*`fold_kwargs`"),
        (lambda: PREDICTIONS(Y, X[:, 0], method=FAST, ax=np.array([1])), "`ax` must be one matplotlib Axes"),
        (lambda: rb.RocBandDisplay(band=0.5), "`band` must be a band"),
        (lambda: rb.RocBandDisplay.from_cv_results({"test_score": [1]}, X, Y), "return_estimator=True, return_indices=True"),
        (lambda: rb.RocBandDisplay.from_cv_results(cv_results(), X, Y, sample_weight=[1]), "`sample_weight` must have one value for each row"),
        (lambda: rb.RocBandDisplay.from_cv_results(cv_results(), X, Y, method="likelihood"), "the sample has folds"),
    ],
)  # fmt: skip
def test_mistakes_are_told_in_a_sentence(call, words):
    with pytest.raises(rb.InputError, match=words):
        call()
    assert plt.get_fignums() == []  # nothing half drawn is left


def test_any_band_can_be_shown():
    band = rb.roc_band(Y, X[:, 0], method=FAST)
    shown = rb.RocBandDisplay(band=band, name="mine").plot()
    assert shown.ax_.get_xlabel() == "False positive rate"
    assert shown.line_.get_label().startswith("mine")


def test_a_shuffled_split_is_no_obstacle():
    found = cv_results(cv=StratifiedKFold(4, shuffle=True))
    shown = rb.RocBandDisplay.from_cv_results(found, X, Y, random_state=1)
    assert len(shown.fold_lines_) == 4
