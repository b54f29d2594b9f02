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

SAMPLE = rb.load_example()
ILL = {"positive": "malignant"}
FRAME = pd.DataFrame(SAMPLE).assign(outcome=SAMPLE.is_positive, patient=np.arange(SAMPLE.n) // 3)
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
    alone = {
        model: function(SAMPLE.is_positive, SAMPLE[model].values, **how) for model in SAMPLE.models
    }
    many = function(SAMPLE.is_positive, SAMPLE, **how)
    assert isinstance(many, rb.Table)
    assert many.names == ("logistic", "neighbours")
    for model, one in alone.items():
        assert numbers(many[model]) == numbers(one)


def test_every_shape_of_models_gives_the_same_table() -> None:
    known = SAMPLE.each(rb.auc_interval).to_csv()
    names = list(SAMPLE.models)
    shapes = {
        "pandas": FRAME[names],
        "polars": pl.DataFrame(SAMPLE),
        "lazy": pl.DataFrame(SAMPLE).lazy(),
        "arrow": pa.table(SAMPLE),
    }
    for frame in shapes.values():
        assert rb.auc_interval(SAMPLE.is_positive, frame).to_csv() == known
    array = np.column_stack(list([SAMPLE[name].values for name in SAMPLE.models]))
    assert rb.auc_interval(SAMPLE.is_positive, array, names=names, **ILL).to_csv() == known
    curves = {name: rb.roc_curve(SAMPLE[name]) for name in SAMPLE.models}
    assert rb.auc_interval(curves).to_csv() == known
    by_name = {"data": FRAME, "label": "outcome", "score": names}
    assert rb.auc_interval(**by_name, **ILL).to_csv() == known
    one = rb.auc_interval(rb.Sample.from_frame(FRAME, label="outcome", score="logistic", **ILL))
    assert one.low == rb.auc_interval(SAMPLE["logistic"]).low
    grouped = rb.auc_interval(**by_name, groups="patient", **ILL)
    assert (
        grouped.to_csv() == SAMPLE.replace(groups=FRAME["patient"]).each(rb.auc_interval).to_csv()
    )


def test_two_models_are_taken_from_one_argument() -> None:
    a, b = SAMPLE["logistic"], SAMPLE["neighbours"]
    known = rb.compare(SAMPLE[["logistic", "neighbours"]])
    for found in (
        rb.compare(SAMPLE),
        rb.compare(SAMPLE.is_positive, pl.DataFrame(SAMPLE)),
        rb.compare(rb.Sample.from_frame(FRAME, label="outcome", score=list(SAMPLE.models), **ILL)),
    ):
        assert (found.low, found.high, found.names) == (known.low, known.high, known.names)
    at = rb.compare_tpr(SAMPLE, specificity=0.9)
    assert at.low == rb.compare_tpr(SAMPLE[["logistic", "neighbours"]], fpr=0.1).low
    with pytest.raises(rb.InputError, match="two models to compare; it has 3: 'a', 'b', 'c'"):
        rb.compare(rb.Sample(SAMPLE.is_positive, {"a": a.values, "b": b.values, "c": a.values}))
    many = rb.compare_many(rb.Sample(SAMPLE.is_positive, FRAME[list(SAMPLE.models)]))
    assert many.low.tolist() == rb.compare_many(SAMPLE).low.tolist()
    assert rb.report(rb.Sample(SAMPLE.is_positive, FRAME[["logistic"]]), path=None, rng=1).headline


def test_thresholds_and_test_sets_may_be_given_by_model() -> None:
    cuts = {"logistic": 0.5, "neighbours": 0.3}
    found = SAMPLE.each(rb.operating_points, threshold=cuts)
    assert [found[name].threshold[0] for name in cuts] == [0.5, 0.3]
    judged = SAMPLE.each(
        rb.operating_points, best="youden", test=(SAMPLE.is_positive[::2], FRAME[list(cuts)][::2])
    )
    alone = rb.operating_points(
        SAMPLE["neighbours"],
        best="youden",
        test=(SAMPLE.is_positive[::2], SAMPLE["neighbours"].values[::2]),
    )
    assert numbers(judged["neighbours"]) == numbers(alone)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"data": FRAME}, "`data`, `label` and `score` go together"),
        ({"data": FRAME, "label": "outcom", "score": "logistic"}, "Did you mean 'outcome'"),
        ({"data": FRAME, "label": "outcome", "score": ["x9"]}, "name of a column of `data`"),
        ({"data": 3, "label": "a", "score": "b"}, "must be a data frame or a mapping"),
        (
            {"y_true": SAMPLE.is_positive, "data": FRAME, "label": "outcome", "score": "logistic"},
            "two ways",
        ),
        (
            {"y_true": SAMPLE.is_positive, "y_score": SAMPLE["logistic"].values, "names": ["a"]},
            "two-dimensional array",
        ),
        (
            {
                "y_true": SAMPLE.is_positive,
                "y_score": FRAME[["logistic"]].to_numpy(),
                "names": ["a", "b"],
            },
            "2 names",
        ),
        ({"y_true": SAMPLE.is_positive, "y_score": {}}, "at least one model"),
        (
            {"y_true": SAMPLE.is_positive, "y_score": SAMPLE, "missing": "omit"},
            "one of raise, drop",
        ),
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
        rb.auc_interval(SAMPLE["logistic"], **asked)
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
    assert (SAMPLE.is_positive[[0, 3]] == first).all()
    assert f"y_score of 'logistic' 2 of 569 rows (2 of class '{first}')" in str(caught.value)
    assert f"y_score of 'neighbours' 1 of 569 rows (1 of class '{SAMPLE.is_positive[560]}')" in str(
        caught.value
    )
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
    clean = rb.roc_band(SAMPLE["logistic"].replace(missing="drop"))
    assert clean.notes == rb.roc_band(SAMPLE["logistic"]).notes
    bad = spoil()
    with pytest.warns(rb.RocBandsWarning, match="Left out 3 of 569 rows"):
        curve = rb.Sample(bad["outcome"], bad["logistic"], missing="drop", **ILL).roc
    assert curve.n_pos + curve.n_neg == 566
    many = rb.compare_many(
        rb.Sample(bad["outcome"], bad[["logistic", "neighbours"]], missing="drop", **ILL)
    )
    assert many.notes[0].startswith("Left out 4 of 569 rows")
    pair = rb.compare(
        rb.Sample(
            bad["outcome"],
            {"model 1": bad["logistic"], "model 2": bad["neighbours"]},
            missing="drop",
            **ILL,
        )
    )
    assert pair.notes[0].startswith("Left out 4 of 569 rows")
    with pytest.raises(rb.InputError, match="needs columns of the same rows"):
        rb.auc_interval(rb.Sample(SAMPLE.is_positive[:5], bad["logistic"], missing="drop"))


def test_functions_stay_ordinary() -> None:
    assert pickle.loads(pickle.dumps(rb.auc_interval)) is rb.auc_interval
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert rb.auc_interval([1, 0, 1], [3, 1, 2]).estimate == 1
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        rb.auc_interval()


def test_curves_and_bands_have_heights_and_thresholds() -> None:
    band = rb.roc_band(SAMPLE["neighbours"])
    ill, well = (
        SAMPLE["neighbours"].values[kind == SAMPLE.is_positive] for kind in ("malignant", "benign")
    )
    for fpr in (0.0, 0.1, 0.5, 1.0):
        at = rb.operating_points(band.roc, fpr=fpr)
        assert band.tpr_at(fpr) == band.roc.tpr_at(fpr) == at.tpr[0]
        cut = band.threshold_at(fpr)
        assert np.mean(well >= cut) <= fpr
        lower = SAMPLE["neighbours"].values[SAMPLE["neighbours"].values < cut]
        if lower.size:
            assert np.mean(well >= lower.max()) > fpr
    cut = band.threshold_at(tpr=0.9)
    assert np.mean(ill >= cut) >= 0.9 > np.mean(ill > cut)
    with pytest.raises(rb.InputError, match="Exactly one of `fpr` and `tpr`"):
        band.threshold_at()


def test_an_auc_below_one_half_is_remarked_upon() -> None:
    said = rb.auc_interval(SAMPLE.is_positive, -SAMPLE["logistic"].values).notes
    assert any("Positives rank below negatives" in note for note in said)
    assert not rb.auc_interval(SAMPLE["logistic"]).notes
    assert not rb.auc_interval([1, 0, 0, 1], [1, 2, 3, 2.5]).notes  # below, but not surely


def test_plans_take_a_prevalence_and_say_the_total() -> None:
    plan = rb.sample_size(auc=0.8, width=0.1, prevalence=0.1)
    assert plan.n_pos == rb.sample_size(auc=0.8, width=0.1, ratio=9).n_pos
    assert plan.n_total == plan.n_pos + plan.n_neg == plan.to_dict()["n_total"]
    with pytest.raises(rb.InputError, match="`ratio` and `prevalence` say the same"):
        rb.sample_size(auc=0.8, width=0.1, ratio=1, prevalence=0.5)


def test_comparing_many_models_twice_gives_the_same_limits() -> None:
    models = {**SAMPLE, "sum": SAMPLE["logistic"].values + SAMPLE["neighbours"].values}
    one, two, other = (
        rb.compare_many(rb.Sample(SAMPLE.is_positive, models), rng=rng) for rng in (None, None, 1)
    )
    assert one.low.tolist() == two.low.tolist() != other.low.tolist()


def test_axes_may_be_specificity_and_sensitivity() -> None:
    from matplotlib.figure import Figure

    ax = SAMPLE.each(rb.roc_band).plot(Figure().subplots(), x="specificity")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("Specificity", "Sensitivity")
    write = ax.xaxis.get_major_formatter()
    assert [write(fpr, 0) for fpr in (0.0, 0.2, 1.0)] == ["1", "0.8", "0"]
    with pytest.raises(rb.InputError, match="`x` must be one of fpr, specificity"):
        rb.roc_curve(SAMPLE["logistic"]).plot(Figure().subplots(), x="recall")  # type: ignore[arg-type]
