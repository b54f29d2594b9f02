"""What all public functions understand: models, columns by name, missing values, other names."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rocbands as rb

Y, MODELS = rb.load_example()
ILL = {"positive": "malignant"}
FRAME = pd.DataFrame(MODELS).assign(outcome=Y, patient=np.arange(Y.size) // 3)
ONE = {
    "auc_interval": {},
    "partial_auc_interval": {"fpr": (0, 0.2)},
    "average_precision_interval": {},
    "operating_points": {"fpr": 0.1},
    "rate_bounds": {"rates": [0.1]},
    "roc_curve": {},
    "roc_band": {"rng": 1},
    "pr_band": {"rng": 1},
    "gains_band": {"rng": 1},
    "cost_curve": {},
    "cost_interval": {"thresholds": 0.5, "costs": (5, 1)},
    "net_benefit": {"thresholds": [0.2]},
}


def numbers(result: Any) -> list[list[Any]]:
    return [list(column) for column in result.columns().values()]


@pytest.mark.parametrize("name", ONE)
def test_several_models_are_one_table(name: str) -> None:
    function, how = getattr(rb, name), {**ILL, **ONE[name]}
    alone = {model: function(Y, scores, **how) for model, scores in MODELS.items()}
    many = function(Y, MODELS, **how)
    assert isinstance(many, rb.Table)
    assert many.names == ("logistic", "neighbours")
    for model, one in alone.items():
        assert numbers(many[model]) == numbers(one)


def test_every_shape_of_models_gives_the_same_table() -> None:
    known = rb.auc_interval(Y, MODELS, **ILL).to_csv()
    names = list(MODELS)
    shapes = {
        "pandas": FRAME[names],
        "polars": pl.DataFrame(MODELS),
        "lazy": pl.DataFrame(MODELS).lazy(),
        "arrow": pa.table(MODELS),
    }
    for frame in shapes.values():
        assert rb.auc_interval(Y, frame, **ILL).to_csv() == known
    array = np.column_stack(list(MODELS.values()))
    assert rb.auc_interval(Y, array, names=names, **ILL).to_csv() == known
    curves = {name: rb.roc_curve(Y, scores, **ILL) for name, scores in MODELS.items()}
    assert rb.auc_interval(curves).to_csv() == known
    by_name = {"data": FRAME, "label": "outcome", "score": names}
    assert rb.auc_interval(**by_name, **ILL).to_csv() == known
    one = rb.auc_interval(data=FRAME, label="outcome", score="logistic", **ILL)
    assert one.low == rb.auc_interval(Y, MODELS["logistic"], **ILL).low
    grouped = rb.auc_interval(**by_name, groups="patient", **ILL)
    assert grouped.to_csv() == rb.auc_interval(Y, MODELS, groups=FRAME["patient"], **ILL).to_csv()


def test_two_models_are_taken_from_one_argument() -> None:
    a, b = MODELS.values()
    known = rb.compare(Y, a, b, names=("logistic", "neighbours"), **ILL)
    for found in (
        rb.compare(Y, MODELS, **ILL),
        rb.compare(Y, pl.DataFrame(MODELS), **ILL),
        rb.compare(data=FRAME, label="outcome", score=list(MODELS), **ILL),
    ):
        assert (found.low, found.high, found.names) == (known.low, known.high, known.names)
    at = rb.compare_tpr(Y, MODELS, specificity=0.9, **ILL)
    assert at.low == rb.compare_tpr(Y, a, b, 0.1, **ILL).low
    with pytest.raises(rb.InputError, match="two models to compare; it has 3: 'a', 'b', 'c'"):
        rb.compare(Y, {"a": a, "b": b, "c": a}, **ILL)
    many = rb.compare_many(Y, FRAME[list(MODELS)], **ILL)
    assert many.low.tolist() == rb.compare_many(Y, MODELS, **ILL).low.tolist()
    assert rb.report(Y, FRAME[["logistic"]], path=None, rng=1, **ILL).headline


def test_thresholds_and_test_sets_may_be_given_by_model() -> None:
    cuts = {"logistic": 0.5, "neighbours": 0.3}
    found = rb.operating_points(Y, MODELS, threshold=cuts, **ILL)
    assert [found[name].threshold[0] for name in cuts] == [0.5, 0.3]
    judged = rb.operating_points(
        Y, MODELS, best="youden", test=(Y[::2], FRAME[list(cuts)][::2]), **ILL
    )
    alone = rb.operating_points(
        Y, MODELS["neighbours"], best="youden", test=(Y[::2], MODELS["neighbours"][::2]), **ILL
    )
    assert numbers(judged["neighbours"]) == numbers(alone)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"data": FRAME}, "`data`, `label` and `score` go together"),
        ({"data": FRAME, "label": "outcom", "score": "logistic"}, "Did you mean 'outcome'"),
        ({"data": FRAME, "label": "outcome", "score": ["x9"]}, "name of a column of `data`"),
        ({"data": 3, "label": "a", "score": "b"}, "must be a data frame or a mapping"),
        ({"y_true": Y, "data": FRAME, "label": "outcome", "score": "logistic"}, "two ways"),
        ({"y_true": Y, "y_score": MODELS["logistic"], "names": ["a"]}, "two-dimensional array"),
        ({"y_true": Y, "y_score": FRAME[["logistic"]].to_numpy(), "names": ["a", "b"]}, "2 names"),
        ({"y_true": Y, "y_score": {}}, "at least one model"),
        ({"y_true": Y, "y_score": MODELS, "missing": "omit"}, "one of raise, drop"),
    ],
)
def test_slips_with_models_are_refused_in_words(asked: dict[str, Any], words: str) -> None:
    with pytest.raises(rb.InputError, match=words):
        rb.auc_interval(**asked, **ILL)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (
            {"random_state": 1},
            r"auc_interval\(\) has no argument 'random_state'. It is called `rng`",
        ),
        ({"alpha": 0.1}, r"Pass level=0\.9, which is 1 - alpha"),
        ({"conf_level": 0.9}, "It is called `level` here"),
        ({"n_jobs": 2}, "Leave it out: threads are used where they help"),
        ({"n_boot": 99}, "It is called `n_resamples` here"),
        ({"pos_label": 1}, "It is called `positive` here"),
        ({"nan_policy": "omit"}, "Pass missing='drop'"),
        ({"specificity": 0.9}, "It has y_true, y_score, method"),
        ({"levle": 0.9}, "Did you mean `level`"),
    ],
)
def test_names_from_elsewhere_are_answered(asked: dict[str, Any], words: str) -> None:
    with pytest.raises(TypeError, match=words) as caught:
        rb.auc_interval(Y, MODELS["logistic"], **ILL, **asked)
    assert isinstance(caught.value, rb.InputError)
    with pytest.raises(TypeError, match=r"sample_size\(\) has no argument 'n'"):
        rb.sample_size(auc=0.8, n=3)


def spoil() -> pd.DataFrame:
    frame = FRAME.copy()
    frame.loc[[0, 3], "logistic"] = np.nan
    frame.loc[560, "neighbours"] = np.nan
    frame.loc[5, "outcome"] = None
    return frame


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "lists", "masked"])
def test_missing_values_are_counted_and_left_out_on_request(kind: str) -> None:
    bad = spoil()
    whole = bad.dropna()
    data: Any = bad[["logistic", "neighbours", "outcome"]]
    if kind == "polars":
        data = pl.from_pandas(data)
    elif kind == "arrow":
        data = pa.Table.from_pandas(data)
    elif kind == "lists":
        data = {name: data[name].tolist() for name in data}
    elif kind == "masked":
        data = {name: data[name].to_numpy() for name in data}
        data["logistic"] = np.ma.masked_invalid(data["logistic"])
    asked = {"data": data, "label": "outcome", "score": ["logistic", "neighbours"], **ILL}
    with pytest.raises(rb.InputError, match="missing") as caught:
        rb.auc_interval(**asked)
    first = "malignant"  # both rows without a score of logistic
    assert (Y[[0, 3]] == first).all()
    assert f"y_score of 'logistic' 2 of 569 rows (2 of class '{first}')" in str(caught.value)
    assert f"y_score of 'neighbours' 1 of 569 rows (1 of class '{Y[560]}')" in str(caught.value)
    assert "y_true 1 of 569 rows (1 without a label)" in str(caught.value)
    assert str(caught.value).count("In all") == 1
    found = rb.auc_interval(**asked, missing="drop")
    right = rb.auc_interval(whole["outcome"], whole[["logistic", "neighbours"]], **ILL)
    assert numbers(found) == numbers(right)
    note = found["logistic"].notes[0]
    assert note.startswith("Left out 4 of 569 rows (")
    assert "1 without a label" in note
    assert str(found).count("Left out 4 of 569 rows") == 1


def test_rows_without_missing_values_need_no_note_and_curves_warn() -> None:
    clean = rb.roc_band(Y, MODELS["logistic"], missing="drop", **ILL)
    assert clean.notes == rb.roc_band(Y, MODELS["logistic"], **ILL).notes
    bad = spoil()
    with pytest.warns(rb.RocBandsWarning, match="Left out 3 of 569 rows"):
        curve = rb.roc_curve(bad["outcome"], bad["logistic"], missing="drop", **ILL)
    assert curve.n_pos + curve.n_neg == 566
    many = rb.compare_many(bad["outcome"], bad[["logistic", "neighbours"]], missing="drop", **ILL)
    assert many.notes[0].startswith("Left out 4 of 569 rows")
    pair = rb.compare(bad["outcome"], bad["logistic"], bad["neighbours"], missing="drop", **ILL)
    assert pair.notes[0].startswith("Left out 4 of 569 rows")
    with pytest.raises(rb.InputError, match="needs columns of the same rows"):
        rb.auc_interval(Y[:5], bad["logistic"], missing="drop", **ILL)


def test_functions_stay_ordinary() -> None:
    assert pickle.loads(pickle.dumps(rb.auc_interval)) is rb.auc_interval
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert rb.auc_interval([1, 0, 1], [3, 1, 2]).estimate == 1
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        rb.auc_interval()


def test_curves_and_bands_have_heights_and_thresholds() -> None:
    band = rb.roc_band(Y, MODELS["neighbours"], **ILL)
    ill, well = (MODELS["neighbours"][kind == Y] for kind in ("malignant", "benign"))
    for fpr in (0.0, 0.1, 0.5, 1.0):
        at = rb.operating_points(band.roc, fpr=fpr)
        assert band.tpr_at(fpr) == band.roc.tpr_at(fpr) == at.tpr[0]
        cut = band.threshold_at(fpr)
        assert np.mean(well >= cut) <= fpr
        lower = MODELS["neighbours"][MODELS["neighbours"] < cut]
        if lower.size:
            assert np.mean(well >= lower.max()) > fpr
    cut = band.threshold_at(tpr=0.9)
    assert np.mean(ill >= cut) >= 0.9 > np.mean(ill > cut)
    with pytest.raises(rb.InputError, match="Exactly one of `fpr` and `tpr`"):
        band.threshold_at()


def test_an_auc_below_one_half_is_remarked_upon() -> None:
    said = rb.auc_interval(Y, -MODELS["logistic"], **ILL).notes
    assert any("Positives rank below negatives" in note for note in said)
    assert not rb.auc_interval(Y, MODELS["logistic"], **ILL).notes
    assert not rb.auc_interval([1, 0, 0, 1], [1, 2, 3, 2.5]).notes  # below, but not surely


def test_plans_take_a_prevalence_and_say_the_total() -> None:
    plan = rb.sample_size(auc=0.8, width=0.1, prevalence=0.1)
    assert plan.n_pos == rb.sample_size(auc=0.8, width=0.1, ratio=9).n_pos
    assert plan.n_total == plan.n_pos + plan.n_neg == plan.to_dict()["n_total"]
    with pytest.raises(rb.InputError, match="`ratio` and `prevalence` say the same"):
        rb.sample_size(auc=0.8, width=0.1, ratio=1, prevalence=0.5)


def test_comparing_many_models_twice_gives_the_same_limits() -> None:
    models = {**MODELS, "sum": MODELS["logistic"] + MODELS["neighbours"]}
    one, two, other = (rb.compare_many(Y, models, **how, **ILL) for how in ({}, {}, {"rng": 1}))
    assert one.low.tolist() == two.low.tolist() != other.low.tolist()


def test_axes_may_be_specificity_and_sensitivity() -> None:
    from matplotlib.figure import Figure

    ax = rb.roc_band(Y, MODELS, **ILL).plot(Figure().subplots(), x="specificity")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("Specificity", "Sensitivity")
    write = ax.xaxis.get_major_formatter()
    assert [write(fpr, 0) for fpr in (0.0, 0.2, 1.0)] == ["1", "0.8", "0"]
    with pytest.raises(rb.InputError, match="`x` must be one of fpr, specificity"):
        rb.roc_curve(Y, MODELS["logistic"], **ILL).plot(Figure().subplots(), x="recall")  # type: ignore[arg-type]
