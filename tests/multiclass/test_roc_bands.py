"""Bands of several classes: numbers from other programs, properties, and what is refused."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import rocbands as rb
from rocbands.auc.score_delong import ScoreDeLong
from rocbands.core.curve import displacement
from rocbands.io.records import result_schema
from tests.golden_numbers import columns
from tests.oracles.many import average_area

NAMES = np.array(["cat", "dog", "owl", "yak"])


def draw(sizes=(20, 30, 45), seed=1, step=0.0):
    rng = np.random.default_rng(seed)
    y = np.repeat(NAMES[: len(sizes)], sizes)
    scores = rng.normal(size=(y.size, len(sizes))) + 1.3 * (y[:, None] == NAMES[: len(sizes)])
    return y, np.round(scores / step) * step if step else scores


def iris():
    table = columns("iris_probs")
    return table["y"].astype(int), np.stack([table[k] for k in list(table)[1:]], axis=1)


def test_average_areas_of_other_programs() -> None:
    """0.9084 is pROC's multiclass.roc (tests/golden); the rest is scikit-learn's."""
    y, scores = iris()
    bands = rb.class_bands(y, scores)
    assert abs(bands.hand_till_auc.estimate - 0.9084) < 1e-12
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(3)
    y = rng.choice(4, 200, p=[0.1, 0.2, 0.3, 0.4])
    shares = np.round(rng.dirichlet(np.ones(4), 200) + (y[:, None] == np.arange(4)), 1)
    shares /= shares.sum(axis=1, keepdims=True)
    bands = rb.class_bands(y, shares)
    for kind, own in (("ovr", bands.macro_auc), ("ovo", bands.hand_till_auc)):
        assert abs(metrics.roc_auc_score(y, shares, multi_class=kind) - own.estimate) < 1e-12
    assert (
        abs(metrics.roc_auc_score(np.eye(4)[y], shares, average="micro") - bands.micro.auc) < 1e-12
    )


@pytest.mark.parametrize(
    "data", [draw(), draw((10, 60, 12, 90), 2), draw((15, 15, 15), 3, step=1.0), iris()]
)
@pytest.mark.parametrize("level", [0.9, 0.99])
def test_average_areas_are_those_of_all_pairs_of_rows(data, level) -> None:
    y, scores = data
    bands = rb.class_bands(y, scores, level=level)
    for pairs, own in ((False, bands.macro_auc), (True, bands.hand_till_auc)):
        total, error, low, high, _ = average_area(y, scores, pairs, level)
        np.testing.assert_allclose(
            (own.estimate, own.standard_error, own.low, own.high), (total, error, low, high),
            rtol=1e-9,
        )  # fmt: skip


def test_two_classes_have_the_interval_of_one_area() -> None:
    y, scores = draw((25, 40))
    one = rb.auc_interval(y, scores[:, 1], method=ScoreDeLong(), positive="dog")
    bands = rb.class_bands(y, np.column_stack([-scores[:, 1], scores[:, 1]]))
    for own in (bands.macro_auc, bands.hand_till_auc):
        np.testing.assert_allclose(
            (own.estimate, own.low, own.high), (one.estimate, one.low, one.high), rtol=1e-12
        )


def test_each_band_is_that_of_one_class_against_the_rest() -> None:
    y, scores = draw()
    bands = rb.class_bands(y, scores, level=0.9)
    assert bands.each_level == pytest.approx(0.9 ** (1 / 3), abs=1e-15)
    at = np.linspace(0, 1, 41)
    for k, name in enumerate(NAMES[:3]):
        one = rb.roc_band(
            rb.Sample(y, scores[:, k], rest=True, positive=name), level=bands.each_level
        )
        np.testing.assert_array_equal(bands[name].lower_at(at), one.lower_at(at))
        np.testing.assert_array_equal(bands[name].upper_at(at), one.upper_at(at))
        area = rb.auc_interval(
            rb.Sample(y, scores[:, k], rest=True, positive=name), level=bands.each_level
        )
        assert (bands.auc[k], bands.auc_lower[k], bands.auc_upper[k]) == (
            area.estimate,
            area.low,
            area.high,
        )


def test_pairs_have_the_rows_of_two_classes() -> None:
    y, scores = draw()
    bands = rb.class_bands(y, scores, multi_class="ovo")
    assert len(bands) == 6
    rows = np.isin(y, ["cat", "owl"])
    one = rb.roc_curve(y[rows], scores[rows, 2], positive="owl")
    assert bands["owl", "cat"].auc == one.auc
    assert bands.auc.mean() == pytest.approx(bands.hand_till_auc.estimate, abs=1e-14)


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_the_area_of_the_average_curve_is_the_average_area(multi_class) -> None:
    bands = rb.class_bands(*draw((10, 60, 12, 90), 2, step=0.5), multi_class=multi_class)
    average = bands.average
    assert average.area == pytest.approx(bands.auc.mean(), abs=1e-12)
    assert (np.diff(average.x) >= 0).all()
    assert (np.diff(average.y) >= 0).all()
    ends = average.x[0], average.y[0], average.x[-1], average.y[-1]
    assert ends == (0.0, 0.0, 1.0, 1.0)
    # Between the curves: no further from any of them than they are from each other.
    curves = [band.roc.curve for band in bands]
    apart = max(displacement(one, two, 1.0).largest for one in curves for two in curves)
    assert all(displacement(average, one, 1.0).largest <= apart for one in curves)


def test_neither_order_nor_scale_nor_form_matters() -> None:
    pandas = pytest.importorskip("pandas")
    y, scores = draw(step=0.5)
    whole = rb.class_bands(y, scores, rng=1).to_dict()
    order = np.random.default_rng(1).permutation(y.size)
    names = list(NAMES[:3])
    swapped = [2, 0, 1]
    for again in (
        rb.class_bands(y[order], scores[order], rng=1),
        rb.class_bands(y, np.exp(scores), rng=1),
        rb.class_bands(list(y), dict(zip(names, scores.T, strict=True)), rng=1),
        rb.class_bands(pandas.Series(y), pandas.DataFrame(scores, columns=names), rng=1),
        rb.class_bands(y, scores, classes=names, rng=1),
    ):
        found = again.to_dict()
        for kind in ("macro_auc", "hand_till_auc"):
            assert found[kind] == pytest.approx(whole[kind], abs=1e-12)
        assert found["columns"] == whole["columns"]
    other = rb.class_bands(y, scores[:, swapped], classes=[names[i] for i in swapped])
    assert other.positive == ("owl", "cat", "dog")
    assert other["cat"].auc == rb.class_bands(y, scores, rng=1)["cat"].auc
    numbers = rb.class_bands(np.repeat([1, 2, 10], [20, 30, 45]), {"1": scores[:, 0],
        "2": scores[:, 1], "10": scores[:, 2]})  # fmt: skip
    assert numbers.classes == (1, 2, 10)


def test_micro_average_is_that_of_all_scores_in_one_column() -> None:
    y, scores = draw(step=0.5)
    bands = rb.class_bands(y, scores)
    flat = rb.roc_curve((y[:, None] == NAMES[:3]).ravel(), scores.ravel())
    np.testing.assert_array_equal(bands.micro.tp, flat.tp)
    np.testing.assert_array_equal(bands.micro.fp, flat.fp)
    with pytest.raises(rb.InputError, match="of pairs"):
        _ = rb.class_bands(y, scores, multi_class="ovo").micro


def test_perfect_scores_and_one_row_of_a_class() -> None:
    y, _ = draw()
    perfect = rb.class_bands(y, 1.0 * (y[:, None] == NAMES[:3]))
    assert perfect.macro_auc.estimate == perfect.macro_auc.high == 1.0
    assert perfect.macro_auc.low < 1.0
    with pytest.warns(rb.RocBandsWarning, match=r"'cat' \(1\)"):
        single = rb.class_bands(*draw((1, 30, 45)))
    assert single["cat"].n_pos == 1
    assert 0 <= single.macro_auc.low < single.macro_auc.high <= 1


def test_the_record_is_what_its_schema_says_and_shows_itself() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    bands = rb.class_bands(*draw())
    jsonschema.validate(json.loads(bands.to_json()), result_schema(rb.results.ClassBands))
    assert "with 95% confidence together, each with 98.3" in " ".join(str(bands).split())
    assert list(bands.to_frame("pandas")["positive"]) == ["cat", "dog", "owl"]
    axes = bands.plot(Figure().subplots())
    texts = [text.get_text() for text in axes.get_legend().get_texts()]
    assert texts[0].startswith("cat (AUC")
    assert "95% for all 3 bands together" in texts
    assert len(bands.plot().figure.axes) == 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda y, s: (y, s[:, 0]), "one column of scores for each class; it has 1 dimension"),
        (lambda y, s: (y, s[:, :2]), "has 2 columns, and `y_true` has 3 classes"),
        (lambda y, s: (y[:-1], s), "one value for each row; they have 94 and 95"),
        (lambda y, s: (y, {"cat": s[:, 0], "dog": s[:, 1]}), "one column of scores for each class"),
        (lambda y, s: (y, dict(zip(NAMES, s[:, [0, 1, 2, 2]].T, strict=True))), "class 'yak'"),
        (lambda y, s: (np.full(95, "cat"), s), "at least two classes; it has 'cat' only"),
        (lambda y, s: (y, np.where(s > 2, np.nan, s)), "must not contain missing values"),
        (lambda y, s: (np.where(y == "cat", None, y), s), "missing values"),
    ],
)
def test_what_is_refused(change, message) -> None:
    with pytest.raises(rb.InputError, match=message.replace("(", r"\(")):
        rb.class_bands(*change(*draw()))
    with pytest.raises(rb.InputError, match="multi_class"):
        rb.class_bands(*draw(), multi_class="all")


def test_no_classes_are_refused() -> None:
    with pytest.raises(rb.InputError, match=r"classes are \[\], labels \['a', 'b', 'c'\]"):
        rb.Sample.of_classes(list("abcabc"), np.eye(6, 3), classes=[])


def test_classes_without_a_value_are_refused() -> None:
    y, scores = np.array([0, 1, 2] * 4), np.random.default_rng(1).normal(size=(12, 3))
    for missing in (None, math.nan, pd.NA):
        with pytest.raises(rb.InputError, match="`classes`"):
            rb.class_bands(y, scores, classes=[0, missing, 2])


def test_a_label_beyond_all_floats_is_compared_with_others() -> None:
    scores = np.random.default_rng(1).normal(size=(12, 3))
    found = rb.Sample.of_classes([np.float64(0.5), np.float64(1.5), 10**400] * 4, scores)
    assert found.classes == (0.5, 1.5, 10**400)
    with pytest.raises(rb.InputError, match="must contain two labels; it has 3"):
        rb.Sample([np.True_, np.False_, 10**400], [1, 2, 3], positive=np.True_)
