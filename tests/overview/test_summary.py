"""A summary: every number is that of its own function; every form has the same numbers."""

import csv
import io
import json
import pickle
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    brier_score_loss,
    f1_score,
    precision_score,
    roc_auc_score,
)

import rocbands as rb
from rocbands.overview.metrics import read_metric


@pytest.fixture(scope="module")
def sample():
    return rb.load_example()


@pytest.fixture(scope="module")
def found(sample):
    return rb.summary(sample)


def test_default_metrics_are_those_of_the_functions(sample, found):
    assert found.metrics == ("AUC", "average precision", "Brier score")
    for name in sample:
        one = sample[name]
        for metric, own in (
            ("AUC", rb.auc_interval(one)),
            ("average precision", rb.average_precision_interval(one)),
            ("Brier score", rb.brier_score_interval(one)),
        ):
            value = found.values[name][metric]
            assert value[:4] == (own.estimate, own.low, own.high, own.method)


def test_estimates_are_those_of_scikit_learn(sample):
    y, score = sample.is_positive, sample["logistic"].values
    cases = {
        "auc": roc_auc_score(y, score),
        "average_precision": average_precision_score(y, score),
        "brier": brier_score_loss(y, score),
        "accuracy@threshold=0.5": accuracy_score(y, score >= 0.5),
        "precision@threshold=0.5": precision_score(y, score >= 0.5),
        "f1@threshold=0.5": f1_score(y, score >= 0.5),
    }
    values = rb.summary(y, score, metrics=list(cases)).values["score"]
    assert [value.estimate for value in values.values()] == pytest.approx(list(cases.values()))


def test_conditional_metrics_are_those_of_the_functions(sample):
    one = sample["logistic"]
    rate, cut = rb.rate_bounds(one, rate=0.1), rb.operating_points(one, rate=0.1)
    spec = rb.operating_points(one, sensitivity=0.8)
    part, cost = (
        rb.partial_auc_interval(one, fpr=(0, 0.2)),
        rb.cost_interval(one, thresholds=0.4, costs=(1, 1), sampling="full"),
    )
    expected = {
        "recall at rate 0.1": (rate.tpr[0], rate.tpr_lower[0], rate.tpr_upper[0]),
        "precision at rate 0.1": (cut.ppv[0], cut.ppv_lower[0], cut.ppv_upper[0]),
        "specificity at sensitivity 0.8": tuple(
            1.0 - x[0] for x in (spec.fpr, spec.fpr_upper, spec.fpr_lower)
        ),
        "fpr at tpr 0.8": (spec.fpr[0], spec.fpr_lower[0], spec.fpr_upper[0]),
        "partial auc at fpr 0.2": (part.estimate, part.low, part.high),
        "accuracy at threshold 0.4": tuple(1.0 - x[0] for x in (cost.cost, cost.upper, cost.lower)),
    }
    values = rb.summary(one, metrics=list(expected)).values["logistic"]
    assert [value[:3] for value in values.values()] == list(expected.values())


def test_prevalence_goes_to_the_metrics_that_depend_on_it(sample):
    one = sample["logistic"]
    wanted = ["ap", "precision at rate 0.1", "accuracy at threshold 0.5", "brier", "auc"]
    values = rb.summary(one, metrics=wanted, prevalence=0.02).values["logistic"]
    own = rb.average_precision_interval(one, prevalence=0.02)
    assert values["average precision"].estimate == own.estimate
    cut = rb.operating_points(one, rate=0.1, prevalence=0.02)
    assert values["precision at a rate of 10%"].low == cut.ppv_lower[0]
    at = rb.operating_points(one, threshold=0.5)
    assert values["accuracy at threshold 0.5"].estimate == pytest.approx(
        0.02 * at.tpr[0] + 0.98 * (1 - at.fpr[0])
    )
    assert "not for the given prevalence" in values["Brier score"].notes[0]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("AUC", "AUC"),
        ("roc_auc", "AUC"),
        ("average_precision", "average precision"),
        ("AP", "average precision"),
        ("brier_score_loss", "Brier score"),
        ("sensitivity@specificity=0.9", "sensitivity at 90% specificity"),
        ("sensitivity@0.95specificity", "sensitivity at 95% specificity"),
        ("sensitivity at 90% specificity", "sensitivity at 90% specificity"),
        ("Sensitivity at a specificity of 0.9", "sensitivity at 90% specificity"),
        ("tpr@fpr=.01", "TPR at 1% FPR"),
        ("recall@rate=0.05", "recall at a rate of 5%"),
        ("precision at a rate of 5%", "precision at a rate of 5%"),
        ("recall@precision=.9", "recall at 90% precision"),
        ("npv@threshold=-1.5", "NPV at threshold -1.5"),
        ("partial_auc@fpr=0.1", "partial AUC up to FPR 0.1"),
    ],
)
def test_names_of_metrics(text, name):
    assert read_metric(text).name == name
    assert read_metric(name).name == name


@pytest.mark.parametrize(
    "text",
    ["aucc", "sensitivity at 0.9", "tpr@fpr=90", "tpr@tpr=0.5", "specificity@fpr=0.1", 3, "", None],
)
def test_unknown_metrics_are_refused(sample, text):
    with pytest.raises(rb.InputError, match="metric"):
        rb.summary(sample, metrics=[text])


def test_no_metrics_are_refused(sample):
    with pytest.raises(rb.InputError, match="at least one"):
        rb.summary(sample, metrics=[])


@settings(max_examples=40, deadline=None)
@given(
    quantity=st.sampled_from(["sensitivity", "recall", "tpr"]),
    fpr=st.integers(1, 99),
    form=st.sampled_from(["{0}@specificity={1}", "{0} at {2}% specificity", "{0} at fpr {3:.2f}"]),
)
def test_the_ways_to_write_a_metric_mean_the_same(quantity, fpr, form):
    data = rb.load_example()["logistic"]
    spec = 1 - fpr / 100
    text = form.format(quantity, f"{spec:.2f}", f"{100 * spec:.0f}", fpr / 100)
    (value,) = rb.summary(data, metrics=text).values["logistic"].values()
    at = rb.operating_points(data, fpr=fpr / 100)
    assert value.estimate == pytest.approx(at.tpr[0])
    assert (value.low, value.high) == pytest.approx((at.tpr_lower[0], at.tpr_upper[0]), abs=1e-9)


def test_what_a_metric_cannot_use_is_an_empty_cell(sample):
    scores = {m: sample[m].values for m in sample}
    folded = rb.summary(
        rb.Sample(sample.is_positive, scores, folds=np.arange(sample.n) % 5),
        metrics=["auc", "ap", "partial auc at fpr 0.1"],
    )
    assert set(folded.values["logistic"]) == {"AUC"}
    assert len([note for note in folded.notes if note.startswith("No ")]) == 2
    assert folded.columns()["estimate"][1] is None
    assert folded.wide()["average precision"] == ["", ""]
    counts = rb.summary(rb.ScoreCounts.from_arrays(sample.is_positive, scores))
    assert "Brier score" not in counts.metrics
    assert "AUC" in counts.values["logistic"]
    folds = rb.summary(rb.Sample(sample.is_positive, scores, folds=sample.kept["fold"]))
    own = rb.Sample(sample.is_positive, scores, folds=sample.kept["fold"])["logistic"]
    assert folds.values["logistic"]["AUC"].low == rb.fold_auc_interval(own).low


def test_brier_score_is_for_probabilities_only(sample):
    shifted = {"a": sample["logistic"].values, "b": 5 * sample["logistic"].values}
    data = rb.Sample(sample.is_positive, shifted)
    assert "Brier score" not in rb.summary(data).metrics
    asked = rb.summary(data, metrics=["auc", "brier"])
    assert "Brier score" in asked.values["a"]
    assert "Brier score" not in asked.values["b"]
    assert any(note.startswith("b: No Brier score") for note in asked.notes)


def test_rules_are_those_of_the_sentence(sample):
    found = rb.summary(sample, rate=0.1, costs=(5, 1))
    assert found.recommendation.given
    assert [rule.name for rule in found.recommendation.rules] == ["rate", "costs"]
    assert found.advice["rules"] == [
        {"name": "rate", "at": 0.1},
        {"name": "costs", "at": [5.0, 1.0]},
    ]
    assert found.sentence.startswith("The capacity rules: ")


def test_forms_of_data_agree(sample, found):
    scores = {m: sample[m].values for m in sample}
    labels = np.where(sample.is_positive, "malignant", "benign")
    again = rb.summary(labels, scores, positive="malignant")
    assert again.values == found.values
    assert again.sentence == found.sentence
    alone = rb.summary(sample["logistic"].roc)
    assert alone.values["model"]["AUC"] == found.values["logistic"]["AUC"]
    classes = rb.Sample.of_classes([0, 1, 2] * 10, np.random.default_rng(0).random((30, 3)))
    with pytest.raises(rb.InputError, match="class_bands"):
        rb.summary(classes)
    with pytest.raises(rb.InputError):
        rb.summary(sample, scores)


def test_dropped_rows_are_noted(sample):
    score = sample["logistic"].values.copy()
    score[:3] = np.nan
    data = rb.Sample(sample.is_positive, score, missing="drop")
    assert any("Left out 3 of 569 rows" in note for note in rb.summary(data).notes)


def test_text_and_tables(found):
    text = str(found)
    assert text.startswith("Use logistic, which ranks cases better than neighbours")
    assert "10 in 100  logistic         0.52  69 (61 to 75)  10 (7 to 14)      81" in text
    assert "0.900 (0.872, 0.922)" in text
    assert "choice among 2 models" in " ".join(text.split())
    assert "choice" not in found.to_latex()  # its table has no thresholds
    page = found.to_markdown()
    assert "| neighbours | 0.800 (0.761, 0.834) |" in page
    assert "\n\n| model | AUC |" in page  # a table of its own
    frame = found.to_frame("pandas")
    assert list(frame.columns) == ["model", "metric", "estimate", "low", "high", "method"]
    rows = list(csv.DictReader(io.StringIO(found.to_csv())))
    assert float(rows[0]["low"]) == found.values["logistic"]["AUC"].low
    assert repr(found).startswith("<Summary: 2 models: logistic, neighbours; AUC,")
    assert "<table>" in found._repr_html_()
    assert pickle.loads(pickle.dumps(found)).sentence == found.sentence


def test_json(found):
    record = json.loads(found.to_json())
    assert list(record)[:2] == ["schema", "sentence"]
    assert record["advice"]["model"] == "logistic"
    assert record["columns"]["estimate"][0] == found.values["logistic"]["AUC"].estimate


def test_json_of_thresholds(sample, found):
    """The score with all digits, and the text that makes the same calls."""
    points = json.loads(found.to_json())["advice"]["points"]
    assert [(p["model"], p["rule"]["at"]) for p in points][:2] == [
        ("logistic", 0.01),
        ("logistic", 0.1),
    ]
    scores = {name: sample[name].values for name in sample}
    for point in points:
        typed = float(point["threshold_text"])
        assert point["threshold"] in scores[point["model"]]
        assert (
            (scores[point["model"]] >= typed) == (scores[point["model"]] >= point["threshold"])
        ).all()
    calls = (sample["logistic"].values > 0.5).astype(int)
    none = json.loads(rb.summary(sample.is_positive, calls).to_json())["advice"]["point"]
    assert (none["threshold"], none["threshold_text"]) == (None, None)


def test_metrics_for_trackers(found):
    numbers = found.to_metrics("test/")
    assert numbers["test/logistic/AUC"] == found.values["logistic"]["AUC"].estimate
    assert numbers["test/neighbours/Brier score_low"] < 0.2


def test_latex_has_at_most_eight_columns(sample, found):
    assert found.to_latex().count("&") == 3 * 3
    nine = [f"tpr at fpr 0.{k}" for k in range(1, 10)]
    assert "{llll}" in found.to_latex()
    few = rb.summary(sample, metrics=nine).to_latex(caption="All")
    assert "{lll}" in few  # metrics are rows
    many = rb.Sample(sample.is_positive, {f"m{k}": sample["logistic"].values for k in range(9)})
    wide = rb.summary(many, metrics=nine).to_latex(digits=2)
    assert "{llrrr}" in wide  # a row for each number
    with pytest.raises(rb.InputError):
        found.to_latex(digits=99)


@pytest.mark.parametrize("size", [(3.5, 3.0), (7.0, 2.2)])
def test_panels_fit_their_figure(found, size):
    figure = Figure(figsize=size, layout="constrained")
    ax = figure.subplots()
    assert found.plot(ax) is ax
    figure.draw_without_rendering()
    panels = [one for one in figure.axes if one is not ax]
    assert len(panels) == len(found.metrics)
    width, height = figure.canvas.get_width_height()
    boxes = [one.get_tightbbox() for one in panels]
    for box in boxes:
        assert box.x0 >= -1
        assert box.x1 <= width + 1
        assert box.y0 >= -1
        assert box.y1 <= height + 1
    overlaps = [a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i]]
    assert not any(overlaps)


def test_picture_shows_the_limits(found):
    first = found.plot(Figure(figsize=(7, 3)).subplots()).figure.axes[1]
    ends = sorted(tuple(line.get_xdata()) for line in first.lines if len(line.get_xdata()) == 2)
    expected = sorted((v["AUC"].low, v["AUC"].high) for v in found.values.values())
    assert ends == expected


def test_rates_of_the_curve_are_said_to_be_of_the_curve() -> None:
    """A table's sensitivity at a specificity is not that of a threshold of the sentence."""
    names = ["auc", "sensitivity at specificity 0.9", "recall at rate 0.1", "f1 at threshold 0.5"]
    said, _ = rb.summary(rb.load_example(), metrics=names).describe()
    assert re.findall(r"([^,(]+) \([^()]*, of the curve at exactly this (\w+)\)", said) == [
        (" sensitivity at 90% specificity", "specificity")
    ]
