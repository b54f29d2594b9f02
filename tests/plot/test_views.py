"""Pictures of views: what they show, and what they must not."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.model_selection import cross_validate

import rocbands as rb
from rocbands.plot.canvas import BandPatch, CurveLine

NAMES = ["roc", "pr", "gains", "lift", "det", "cost", "net-benefit"]


@pytest.fixture
def band():
    sample = rb.load_example()
    return rb.roc_band(sample["logistic"], method="joint-region")


@pytest.mark.parametrize("name", NAMES)
def test_every_view_has_a_picture(band, name):
    view = band.view(name, prevalence=None if name in ("roc", "det", "cost") else 0.05)
    ax = view.plot(label="logistic")
    patches = [p for p in ax.patches if isinstance(p, BandPatch)]
    assert len(patches) == 1
    assert np.isfinite(patches[0].get_xy()).all()
    (curve,) = (line for line in ax.lines if isinstance(line, CurveLine))
    assert curve.get_label().startswith(("logistic (A", "logistic, best threshold"))
    ax.figure.canvas.draw()


def test_a_capacity_is_marked_with_its_limits(band):
    view = band.view("gains", prevalence=0.3)
    ax = view.plot(mark=0.2)
    text = f"Recall at rate 0.2: {view.lower_at(0.2):.2f} to {view.upper_at(0.2):.2f}"
    line = next(line for line in ax.lines if line.get_label() == text)
    assert tuple(line.get_ydata()) == (view.lower_at(0.2), view.upper_at(0.2))
    assert text in [entry.get_text() for entry in ax.get_legend().get_texts()]


def test_precision_recall_picture_says_what_it_must(band):
    ax = band.view("pr", prevalence=0.02).plot(label="logistic")
    texts = [" ".join(text.get_text().split()) for text in ax.get_legend().get_texts()]
    name, share, kind = texts
    assert name.startswith("logistic (AP 0.")
    assert (share, kind) == ("2% positives (given)", "95% band for the whole curve")
    curve = next(line for line in ax.lines if isinstance(line, CurveLine))
    assert curve.get_xdata()[0] > 0.0  # no point at recall 0
    chance = [line for line in ax.lines if not isinstance(line, CurveLine)]
    assert any(set(np.ravel(line.get_ydata())) == {0.02} for line in chance)


def test_estimated_prevalence_is_drawn_with_its_interval(band):
    ax = band.view("pr").plot()
    strips = [line for line in ax.lines if list(line.get_xdata()) == [1.0, 1.0]]
    assert len(strips) == 1
    low, high = strips[0].get_ydata()
    assert low < 212 / 569 < high
    texts = [" ".join(text.get_text().split()) for text in ax.get_legend().get_texts()]
    assert "37.3% positives" in texts


def test_curve_is_no_chord_between_points():
    """Between two reachable points the line is the image of a straight ROC piece."""
    roc = rb.RocCurve.from_counts([2.0, 1.0], fp=[1, 10], tp=[5, 10])
    ax = rb.roc_band(roc, method="joint-region").view("pr", prevalence=0.1).plot()
    curve = next(line for line in ax.lines if isinstance(line, CurveLine))
    x, y = curve.get_data()
    at = np.argmin(np.abs(x - 0.75))
    fpr = 0.1 + (x[at] - 0.5) / 0.5 * 0.9
    assert y[at] == pytest.approx(0.1 * x[at] / (0.1 * x[at] + 0.9 * fpr), abs=1e-9)
    dots = [line for line in ax.lines if line.get_marker() == "."]
    assert len(dots[0].get_xdata()) == 2  # few levels: what can be reached is marked


def test_f1_lines_on_request(band):
    view = band.view("pr", prevalence=0.3)
    plain, lined = view.plot(), view.plot(iso_f1=True)
    assert len(lined.lines) > len(plain.lines)


def test_display():
    sample = rb.load_example()
    scores = sample["logistic"].values
    labels = np.where(sample.is_positive, "malignant", "benign")
    display = rb.PrecisionRecallBandDisplay.from_predictions(
        labels, scores, pos_label="malignant", method="joint-region"
    )
    assert display.average_precision == pytest.approx(
        average_precision_score(sample.is_positive, scores), abs=1e-12
    )
    assert display.prevalence_pos_label == pytest.approx(212 / 569)
    assert "positive label: malignant" in display.ax_.get_xlabel()
    assert display.line_.get_label().startswith("Classifier (AP 0.84")
    with pytest.raises(rb.InputError, match="`sample_weight` out of the sample"):
        rb.PrecisionRecallBandDisplay.from_predictions(
            sample.is_positive, scores, method="fixed-width", sample_weight=np.arange(sample.n)
        )
    weights = 1.0 + np.arange(sample.n) % 7
    weighted = rb.PrecisionRecallBandDisplay.from_predictions(
        sample.is_positive, scores, sample_weight=weights
    )
    expected = average_precision_score(sample.is_positive, scores, sample_weight=weights)
    assert weighted.average_precision == pytest.approx(expected, abs=1e-12)
    curve = rb.RocBandDisplay.from_predictions(sample.is_positive, scores, sample_weight=weights)
    expected = roc_auc_score(sample.is_positive, scores, sample_weight=weights)
    assert curve.roc_auc == pytest.approx(expected, abs=1e-12)
    clustered = rb.PrecisionRecallBandDisplay.from_predictions(
        sample.is_positive, scores, clusters=np.argsort(np.argsort(-scores)) // 10
    )
    ends = [
        np.ptp(
            next(
                line for line in one.ax_.lines if np.all(np.asarray(line.get_xdata()) == 1.0)
            ).get_ydata()
        )
        for one in (display, clustered)
    ]
    assert ends[1] > 1.3 * ends[0]  # the share of positives is known less well
    with pytest.raises(rb.InputError, match="must be a precision-recall band"):
        rb.PrecisionRecallBandDisplay(view=display.view.band.view("det"))


def test_display_of_models():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(200, 3))
    y = (x[:, 0] + rng.normal(size=200) > 0.5).astype(int)
    model = LogisticRegression().fit(x[:100], y[:100])
    display = rb.PrecisionRecallBandDisplay.from_estimator(
        model, x[100:], y[100:], method="joint-region"
    )
    assert display.line_.get_label().startswith("LogisticRegression (AP")
    folds = cross_validate(LogisticRegression(), x, y, return_estimator=True, return_indices=True)
    display = rb.PrecisionRecallBandDisplay.from_cv_results(
        folds, x, y, random_state=1, despine=True
    )
    assert display.view.rule == "given"


@pytest.mark.parametrize("name", ["pr", "gains", "lift", "det", "cost", "net-benefit"])
def test_legends_cover_no_curve(name):
    """Neither the curve's line nor the default band's limits run below the legend."""
    sample = rb.load_example()
    band = rb.roc_band(sample["logistic"])
    ax = band.view(name, **({} if name in ("det", "cost") else {"prevalence": 0.05})).plot()
    ax.figure.canvas.draw()
    box = ax.get_legend().get_window_extent()
    for artist in [*ax.lines, *ax.patches]:
        if not isinstance(artist, (CurveLine, BandPatch)):
            continue
        places = ax.transData.transform(artist.get_path().interpolated(20).vertices)
        assert not box.count_contains(places)
