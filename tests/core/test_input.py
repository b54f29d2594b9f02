"""The door: what comes in, what is refused, and whether the sentence helps."""

from __future__ import annotations

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rocbands as rb
from rocbands.bands import METHODS

LABELS = [1, 0, 1, 0]
SCORES = [0.9, 0.4, 0.6, 0.6]

COLUMNS = {
    "list": list,
    "tuple": tuple,
    "numpy": np.array,
    "range-like objects": lambda values: np.array(values, dtype=object),
    "masked, nothing masked": np.ma.array,
    "pandas": pd.Series,
    "pandas nullable": lambda values: pd.Series(values).convert_dtypes(),
    "pandas arrow": lambda values: pd.Series(values).convert_dtypes(dtype_backend="pyarrow"),
    "pandas shuffled index": lambda values: pd.Series(values, index=[3, 1, 0, 2]),
    "polars": pl.Series,
    "pyarrow": pa.array,
    "pyarrow chunked": lambda values: pa.chunked_array([values[:1], values[1:]]),
    "not contiguous": lambda values: np.repeat(np.array(values), 2)[::2],
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_any_kind_of_column(kind: str) -> None:
    make = COLUMNS[kind]
    assert rb.roc_curve(make(LABELS), make(SCORES)).auc == 0.875


@pytest.mark.parametrize(
    ("labels", "positive"),
    [
        ([1, 0, 1, 0], None),
        ([1, -1, 1, -1], None),
        ([True, False, True, False], None),
        ([1.0, 0.0, 1.0, 0.0], None),
        (["ill", "well", "ill", "well"], "ill"),
        (np.array(["ill", "well", "ill", "well"], dtype=object), "ill"),
        (pd.Categorical(["ill", "well", "ill", "well"]), "ill"),
        (pd.Series(["ill", "well", "ill", "well"], dtype="string"), "ill"),
        (pl.Series(["ill", "well", "ill", "well"], dtype=pl.Categorical), "ill"),
        ([2, 1, 2, 1], 2),
        ([0, 1, 0, 1], 0),
        (np.array([7, 9, 7, 9], dtype=np.uint8), 7),
    ],
)
def test_any_two_labels(labels: object, positive: object) -> None:
    assert rb.roc_curve(labels, SCORES, positive=positive).auc == 0.875


@pytest.mark.parametrize("scores", [[np.inf, -np.inf, 0.0, 0.0], [Decimal("1.5"), 0, 1, 1]])
def test_infinite_scores_and_exact_numbers_are_legal(scores: list) -> None:
    assert rb.roc_curve(LABELS, scores).auc == 0.875


REFUSED = {
    "NaN score": (
        LABELS,
        [0.9, np.nan, 0.6, 0.6],
        {},
        "`y_score` must not contain missing values; y_score[1] is nan (1 of 4 rows). In all: y_score 1 of 4 rows (1 of class '0'). Drop or impute",
    ),
    "None score": (
        LABELS,
        [0.9, 0.4, None, 0.6],
        {},
        "`y_score` must not contain missing values; y_score[2] is None",
    ),
    "NaN label": (
        [1, 0, np.nan, 0],
        SCORES,
        {},
        "`y_true` must not contain missing values; y_true[2] is nan",
    ),
    "None label": (
        ["a", None, "a", "b"],
        SCORES,
        {"positive": "a"},
        "`y_true` must not contain missing values; y_true[1] is None",
    ),
    "pandas NA label": (
        pd.Series([1, None, 1, 0], dtype="Int64"),
        SCORES,
        {},
        "`y_true` must not contain missing values; y_true[1] is missing (1 of 4 rows)",
    ),
    "polars null score": (
        LABELS,
        pl.Series([0.9, None, 0.6, 0.6]),
        {},
        "`y_score` must not contain missing values",
    ),
    "polars NaN score": (
        LABELS,
        pl.Series([0.9, float("nan"), 0.6, 0.6]),
        {},
        "`y_score` must not contain missing values",
    ),
    "pyarrow null score": (
        LABELS,
        pa.array([0.9, None, 0.6, 0.6]),
        {},
        "y_score[1] is missing (1 of 4 rows)",
    ),
    "masked": (
        LABELS,
        np.ma.array(SCORES, mask=[0, 1, 0, 0]),
        {},
        "y_score[1] is masked (1 of 4 rows). In all: y_score 1 of 4 rows (1 of class '0')",
    ),
    "one class": (
        [1, 1, 1, 1],
        SCORES,
        {},
        "`y_true` must contain both classes; every one of its 4 labels is 1",
    ),
    "one class, named": (["a"] * 4, SCORES, {"positive": "a"}, "every one of its 4 labels is 'a'"),
    "three classes": (
        [0, 1, 2, 1],
        SCORES,
        {},
        "`y_true` must contain two labels; it has 3: 0, 1, 2. Compare one class with the rest",
    ),
    "many classes": (list("abcdefgh"), list(range(8)), {}, "... (3 more)"),
    "unclear positive": (
        ["ill", "well", "ill", "well"],
        SCORES,
        {},
        "it has 'ill', 'well'. Pass positive='ill' or positive='well'",
    ),
    "unclear numbers": ([2, 1, 2, 1], SCORES, {}, "Pass positive=1 or positive=2"),
    "unknown positive": (
        LABELS,
        SCORES,
        {"positive": "yes"},
        "`positive` must be one of the labels in `y_true`; 'yes' is not one of 0, 1",
    ),
    "lengths": (
        LABELS,
        [0.1, 0.2],
        {},
        "they have 4 and 2. Check that both come from the same rows",
    ),
    "two columns": (
        LABELS,
        np.ones((4, 2)),
        {},
        "`y_score` must be one-dimensional; it has shape (4, 2). Pass the positive class's column: y_score[:, 1]",
    ),
    "one column": (LABELS, np.ones((4, 1)), {}, "Pass y_score[:, 0]"),
    "three columns": (
        LABELS,
        np.ones((4, 3)),
        {},
        "Pass one column, a mapping from models' names to columns, or all classes to rb.class_bands",
    ),
    "three dimensions": (LABELS, np.ones((4, 2, 2)), {}, "Pass one value for each row"),
    "labels in two columns": (np.ones((4, 2)), SCORES, {}, "`y_true` must be one-dimensional"),
    "strings": (
        LABELS,
        ["0.9", "0.4", "0.6", "0.6"],
        {},
        "`y_score` must be numbers; y_score[0] is the string '0.9'. Convert",
    ),
    "string objects": (
        LABELS,
        np.array([0.9, "x", 0.6, 0.6], dtype=object),
        {},
        "`y_score` must be numbers",
    ),
    "pandas strings": (
        LABELS,
        pd.Series(["0.9", "0.4", "0.6", "0.6"]),
        {},
        "`y_score` must be numbers",
    ),
    "complex": (LABELS, [1 + 1j, 1, 2, 3], {}, "it is complex. Pass y_score.real"),
    "dates": (
        LABELS,
        np.array(["2020-01-01"] * 4, dtype="datetime64[D]"),
        {},
        "its type is datetime64[D]",
    ),
    "date objects": (
        LABELS,
        [datetime.date(2020, 1, 1)] * 4,
        {},
        "`y_score` must be numbers, one for each row",
    ),
    "empty": ([], [], {}, "`y_true` must not be empty; it has 0 rows"),
    "empty scores": (LABELS, [], {}, "`y_score` must not be empty"),
    "text": (LABELS, "0.5", {}, "`y_score` must be a column of values; it is a str"),
    "dict": (LABELS, {"a": 1}, {}, "which names models. Make a sample"),
    "number": (LABELS, 0.5, {}, "it is a float"),
    "None": (LABELS, None, {}, "`y_score` must be given with `y_true`; it is missing"),
    "ragged": (LABELS, [[1, 2], [3]], {}, "its rows have different shapes"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_a_sentence_that_helps(case: str) -> None:
    labels, scores, options, sentence = REFUSED[case]
    with pytest.raises(rb.InputError) as caught:
        rb.roc_curve(labels, scores, **options)
    assert sentence in str(caught.value)
    assert str(caught.value).endswith((".", "predict_proba."))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            {"level": 95},
            "`level` must lie strictly between 0 and 1; got 95. For 95% pass level=0.95.",
        ),
        ({"level": 1}, "got 1. Try level=0.95."),
        ({"level": 0}, "got 0. Try level=0.95."),
        ({"level": -0.5}, "got -0.5"),
        ({"level": float("nan")}, "got nan"),
        ({"level": "0.95"}, "`level` must be a number, such as 0.95; got '0.95'."),
        ({"level": True}, "got True"),
        (
            {"future": 50},
            "`future` must be two whole numbers (n_pos, n_neg), both at least 1; got 50.",
        ),
        ({"future": (50, 0)}, "both at least 1; got (50, 0)"),
        ({"future": (50.5, 10)}, "got (50.5, 10)"),
        ({"future": (1, 2, 3)}, "got (1, 2, 3)"),
        (
            {"method": "joint-regoin"},
            f"`method` must be one of {', '.join(METHODS)}; got 'joint-regoin'. "
            "Did you mean 'joint-region'?",
        ),
        ({"method": rb.bands.JointRegion}, "or an instance of such a method; got <class"),
        ({"method": 7}, "got 7"),
    ],
)
def test_options_are_refused_with_a_sentence_that_helps(options: dict, sentence: str) -> None:
    with pytest.raises(rb.InputError) as caught:
        rb.roc_band(LABELS, SCORES, **options)
    assert sentence in str(caught.value)


def test_an_input_error_is_a_value_error() -> None:
    assert issubclass(rb.InputError, ValueError)
    assert issubclass(rb.InputError, rb.RocBandsError)


def test_rows_that_were_given_as_a_frame_come_back_as_one() -> None:
    assert isinstance(rb.roc_curve(LABELS, pl.Series(SCORES)).to_frame(), pl.DataFrame)
    assert isinstance(rb.roc_curve(LABELS, pd.Series(SCORES)).to_frame(), pd.DataFrame)
    assert isinstance(rb.roc_band(LABELS, pa.array(SCORES)).to_frame(), pa.Table)
    assert isinstance(rb.roc_curve(LABELS, SCORES).to_frame("polars"), pl.DataFrame)


class TestModels:
    def test_models_share_their_rows(self) -> None:
        sample = rb.Sample(LABELS, {"a": SCORES, "b": pl.Series(SCORES)})
        assert sample.models == ("a", "b")
        assert [sample[name].roc.auc for name in sample] == [0.875, 0.875]
        assert sample.frame == "polars"

    @pytest.mark.parametrize(
        ("models", "sentence"),
        [
            ({}, "must contain the scores of at least one model"),
            ([SCORES], "`y_score` must be one-dimensional; it has shape (1, 4)"),
            ({"a": SCORES, "b": [1, 2]}, "`y_true` and `y_score of 'b'` must have one value"),
            (
                {"a": SCORES, "b": [1, 2, 3, np.nan]},
                "`y_score of 'b'` must not contain missing values",
            ),
        ],
    )
    def test_refused(self, models: object, sentence: str) -> None:
        with pytest.raises(rb.InputError) as caught:
            rb.Sample(LABELS, models)  # type: ignore[arg-type]
        assert sentence in str(caught.value)


class TestFolds:
    def test_each_fold_is_its_rows(self) -> None:
        sample = rb.Sample(LABELS, SCORES, folds=["b", "b", "a", "a"])
        assert sample.fold_labels == ("a", "b")
        folds = sample.split_folds()
        assert [fold.values.tolist() for fold in folds] == [[0.6, 0.6], [0.9, 0.4]]
        assert [fold.auc for fold in sample.roc.folds] == [0.5, 1.0]

    @pytest.mark.parametrize(
        ("folds", "sentence"),
        [
            ([1, 1, 1, 1], "`folds` must name at least two folds; every row is in fold 1."),
            ([1, 2, 1, 2], "all 2 rows of fold 1 are positive. Stratify the folds"),
            ([1, 1, 2], "they have 4 and 3"),
            ([1, 1, 2, np.nan], "`folds` must not contain missing values; folds[3] is nan"),
            ([1, "a", 2, None], "`folds` must not contain missing values; folds[3] is None"),
            (pd.Series([1, 1, 2, None], dtype="Int64"), "must not contain missing values"),
        ],
    )
    def test_refused(self, folds: object, sentence: str) -> None:
        with pytest.raises(rb.InputError) as caught:
            rb.roc_curve(rb.Sample(LABELS, SCORES, folds=folds))  # type: ignore[arg-type]
        assert sentence in str(caught.value)
