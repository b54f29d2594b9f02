"""The display of several classes: curves are scikit-learn's, bands those of `class_bands`."""

from __future__ import annotations

import inspect

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.metrics import RocCurveDisplay, roc_auc_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import rocbands as rb

X, CODES = make_classification(
    240, 6, n_informative=4, n_redundant=0, n_classes=3, flip_y=0.2, random_state=3
)
Y = np.array(["owl", "cat", "dog"])[CODES]  # sorted otherwise than by their codes
TRAIN, TEST = np.arange(240) < 120, np.arange(240) >= 120
FAST = "joint-region"
ESTIMATOR = rb.ClassBandsDisplay.from_estimator
PREDICTIONS = rb.ClassBandsDisplay.from_predictions


def fitted(estimator, y=Y):
    return estimator.fit(X[TRAIN], y[TRAIN])


MODEL = fitted(LogisticRegression())
SCORES = MODEL.predict_proba(X[TEST])


@pytest.mark.parametrize("maker", ["from_estimator", "from_predictions", "plot"])
def test_arguments_are_called_as_in_scikit_learn(maker):
    ours = inspect.signature(getattr(rb.ClassBandsDisplay, maker)).parameters
    free = "how" in ours or "drawing" in ours
    drawn = inspect.signature(rb.ClassBandsDisplay.plot).parameters
    # Old names that newer versions drop, free keywords for the line, and what has no meaning here.
    left_out = {"y_pred", "estimator_name", "kwargs", "pos_label"}
    predictions = inspect.signature(PREDICTIONS).parameters
    for name, theirs in inspect.signature(getattr(RocCurveDisplay, maker)).parameters.items():
        if name in left_out:
            continue
        found = ours.get(name) or (free and (predictions.get(name) or drawn.get(name)))
        assert found, name
        if name not in ("y_score", "ax"):
            assert found.default == theirs.default, name


@pytest.mark.parametrize(
    "estimator",
    [
        LogisticRegression(),
        RidgeClassifier(),
        SVC(),
        RandomForestClassifier(20, random_state=0),
        GridSearchCV(make_pipeline(StandardScaler(), SVC()), {"svc__C": [0.5, 1.0]}, cv=2),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_curves_are_those_of_scikit_learn(estimator):
    model = fitted(estimator)
    ours = ESTIMATOR(model, X[TEST], Y[TEST], method=FAST)
    name = "predict_proba" if hasattr(model, "predict_proba") else "decision_function"
    scores = getattr(model, name)(X[TEST])
    assert ours.bands.classes == ("cat", "dog", "owl") == tuple(model.classes_)
    areas = [
        roc_auc_score(Y[TEST] == label, scores[:, k]) for k, label in enumerate(ours.bands.classes)
    ]
    assert ours.bands.auc == pytest.approx(areas, abs=1e-12)
    assert ours.name == type(estimator).__name__
    assert ours.figure_.get_suptitle().startswith(f"{ours.name}\n95% for all 3 bands together")


def test_classes_need_not_be_sorted():
    class Reversed:
        classes_ = MODEL.classes_[::-1]

        def predict_proba(self, rows):
            return MODEL.predict_proba(rows)[:, ::-1]

    ours = ESTIMATOR(Reversed(), X[TEST], pd.Series(Y[TEST], dtype="category"), method=FAST)
    plain = ESTIMATOR(MODEL, X[TEST], Y[TEST], method=FAST)
    assert ours.bands.classes == ("owl", "dog", "cat")
    assert ours.bands.auc == pytest.approx(plain.bands.auc[::-1], abs=1e-12)


def test_two_classes_scored_by_one_column():
    y = Y == "owl"
    model = fitted(RidgeClassifier(), y)
    shown = ESTIMATOR(model, X[TEST], y[TEST], method=FAST)
    area = roc_auc_score(y[TEST], model.decision_function(X[TEST]))
    assert shown.bands.auc == pytest.approx([area, area], abs=1e-12)


def test_bands_are_those_of_roc_bands():
    asked = {"multi_class": "ovo", "level": 0.8}
    bands = rb.class_bands(Y[TEST], SCORES, method="fixed-width", rng=7, **asked)
    at = np.linspace(0, 1, 50)
    asked |= {"method": "fixed-width", "random_state": 7}
    for shown in (
        ESTIMATOR(MODEL, X[TEST], Y[TEST], **asked),
        PREDICTIONS(Y[TEST], SCORES, **asked),
    ):
        assert shown.bands.names == bands.names
        for one, two in zip(shown.bands, bands, strict=True):
            assert (one.lower_at(at) == two.lower_at(at)).all()
            assert (one.upper_at(at) == two.upper_at(at)).all()


def test_each_class_has_axes_of_its_own():
    shown = PREDICTIONS(Y[TEST], SCORES, method=FAST, plot_chance_level=True, despine=True)
    assert len(shown.axes_) == 3
    assert shown.ax_ is shown.axes_[0]
    assert shown.figure_.axes == shown.axes_
    parts = zip(
        shown.axes_, shown.lines_, shown.bands_, shown.average_lines_, shown.chance_levels_,
        shown.bands, strict=True,
    )  # fmt: skip
    for axes, line, patch, average, chance, band in parts:
        assert {line, average, chance} <= set(axes.lines)
        assert patch in axes.patches
        assert not axes.spines["top"].get_visible()
        # The line is the curve of the class that the axes are named after.
        x, y = line.get_data()
        assert np.trapezoid(y, x) == pytest.approx(band.auc, abs=1e-9)
    assert [axes.get_title().split()[0] for axes in shown.axes_] == ["cat", "dog", "owl"]
    assert "\n" not in shown.figure_.get_suptitle()


def test_all_classes_on_given_axes():
    fig, axes = plt.subplots(1, 2)
    before = plt.get_fignums()
    shown = ESTIMATOR(
        MODEL, X[TEST], Y[TEST], method=FAST, ax=axes[1], name="cost in $ or $",
        curve_kwargs=[{"lw": 1}, {"lw": 2}, {"lw": 3}], band_kwargs={"alpha": 0.5},
    )  # fmt: skip
    assert plt.get_fignums() == before
    assert (shown.axes_, shown.figure_) == ([axes[1]], fig)
    assert [line.get_linewidth() for line in shown.lines_] == [1, 2, 3]
    assert {patch.get_alpha() for patch in shown.bands_} == {0.5}
    assert shown.chance_levels_ == []
    assert len(shown.ax_.lines) == 4  # three classes and the average
    words = [text.get_text() for text in shown.ax_.get_legend().get_texts()]
    names = [word.split(" (AUC")[0] for word in words]
    assert names[:4] == [f"cost in $ or $, {name}" for name in ("cat", "dog", "owl", "average")]
    assert words[4:] == ["95% for all 3 bands together"]
    again = shown.plot(axes[0], name="second", average=False, plot_chance_level=True)
    assert again is shown
    assert again.average_lines_ == []
    words = [text.get_text() for text in axes[0].get_legend().get_texts()]
    assert words[0].startswith("second, cat (AUC")
    assert "Chance (AUC 0.5)" in words


def test_random_states_of_scikit_learn():
    def lower(random_state):
        shown = PREDICTIONS(Y[TEST], SCORES, method="fixed-width", random_state=random_state)
        return [float(band.lower_at(0.3)) for band in shown.bands]

    assert lower(np.random.RandomState(3)) == lower(np.random.RandomState(3))
    assert lower(3) == lower(np.random.default_rng(3)) != lower(4)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: rb.RocBandDisplay.from_estimator(MODEL, X, Y), r"has 3. rb.ClassBandsDisplay.from_estimator\(...\) draws all"),
        (lambda: rb.RocBandDisplay.from_predictions(Y, X[:, 0]), r"it has 3: .* by rb.ClassBandsDisplay.from_predictions"),
        (lambda: ESTIMATOR(LinearRegression().fit(X, CODES), X, Y), "LinearRegression has no classes"),
        (lambda: ESTIMATOR(LogisticRegression(), X, Y), "LogisticRegression has no classes. Call fit first"),
        (lambda: ESTIMATOR(RandomForestClassifier(3).fit(X, np.column_stack([CODES, CODES])), X, Y), "classifier of one target"),
        (lambda: ESTIMATOR(fitted(SVC(decision_function_shape="ovo")), X, Y), "decision_function_shape='ovr'"),
        (lambda: ESTIMATOR(fitted(make_pipeline(SVC(decision_function_shape="ovo"))), X, Y), "one for each pair"),
        (lambda: ESTIMATOR(fitted(RidgeClassifier()), X, Y, response_method="predict_proba"), "RidgeClassifier has not"),
        (lambda: ESTIMATOR(MODEL, X[Y != "owl"], Y[Y != "owl"]), "no row is of class 'owl'"),
        (lambda: PREDICTIONS(Y, X[:, :2]), "one column for each class"),
        (lambda: PREDICTIONS(Y[TEST], SCORES, random_state="three"), "`random_state` must be a whole number from 0 on, None"),
        (lambda: PREDICTIONS(Y[TEST], SCORES, method=FAST, curve_kwargs=[{}]), "`curve_kwargs` must be one dict for all curves, or a list of 3"),
        (lambda: PREDICTIONS(Y[TEST], SCORES, method=FAST, ax=np.array([1])), "`ax` must be one matplotlib Axes"),
        (lambda: rb.ClassBandsDisplay(bands=0.5), "`bands` must be bands of several classes"),
    ],
)  # fmt: skip
def test_mistakes_are_told_in_a_sentence(call, words):
    with pytest.raises(rb.InputError, match=words):
        call()
    assert plt.get_fignums() == []  # nothing half drawn is left
