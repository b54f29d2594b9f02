"""Parts of a sample, and samples that come back from a file: what the fuzzer found."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import rocbands as rb

Y = np.array([1, 0] * 6)
S = np.arange(12.0)


def test_parts_have_clusters_strata_and_folds_of_their_own() -> None:
    sample = rb.Sample(
        Y, S, clusters=np.repeat(list("abcdef"), 2), strata=np.repeat([1, 2, 3], 4),
        folds=np.repeat(["x", "y", "z"], 4),
    )  # fmt: skip
    part = sample.take(np.arange(4, 12))
    for column, codes in (("clusters", [0, 1, 2, 3]), ("strata", [0, 1]), ("folds", [0, 1])):
        expected = np.repeat(codes, 8 // len(codes))
        np.testing.assert_array_equal(getattr(part, column), expected)
    assert part.fold_labels == ("y", "z")
    assert part.replace(weights=S[4:]).fold_labels == ("y", "z")
    assert part.design == ("strata", "clusters", "folds")
    few = sample.take([4, 5, 8])  # as many clusters as before would be more than there are rows
    assert "clusters" in few.design


def test_a_part_of_one_fold_has_no_folds() -> None:
    sample = rb.Sample(Y, S, folds=np.repeat([0, 1, 2, 3], [4, 4, 2, 2]), repeats=2)
    part = sample.take(sample.folds == 1)
    assert (part.folds, part.fold_labels, part.repeats) == (None, (), 1)
    assert rb.auc_interval(part).n_pos == 2


def test_a_part_must_have_weight_in_both_classes() -> None:
    weights = np.ones(12)
    weights[[0, 2]] = 0.0
    sample = rb.Sample(Y, S, weights=weights, keep={"half": np.repeat([0, 1], [4, 8])})
    with pytest.raises(rb.InputError, match="must contain both classes; all 2 rows are negative"):
        sample.take([0, 1, 2, 3])
    with pytest.raises(rb.InputError, match="Every group by 'half' must contain both classes"):
        sample.split("half")


def test_folds_need_not_be_said_again() -> None:
    """Half of a fold left may have one class; another fold's name is not taken for it."""
    sample = rb.Sample(Y, S, folds=np.repeat(["x", "y", "z"], 4)).take([0, 1, 8, 10])
    with pytest.raises(rb.InputError, match="all 2 rows of fold 'z' are positive"):
        _ = sample.roc


@pytest.mark.parametrize("again", [lambda s: pickle.loads(pickle.dumps(s)), copy.deepcopy])
def test_samples_that_come_back_are_frozen(again: Any) -> None:
    design = {"clusters": S // 2, "weights": S + 1, "strata": np.zeros(12)}
    sample = again(rb.Sample(Y, {"a": S, "b": -S}, keep={"sex": S % 2}, **design))
    columns = (
        sample.is_positive, sample.clusters, sample.weights, sample.strata, sample.kept["sex"],
        sample["a"].values,
    )  # fmt: skip
    assert not any(column.flags.writeable for column in columns)


def test_a_sample_is_one_line_whatever_its_models_are_called() -> None:
    assert repr(rb.Sample(Y, {"a\nb": S})).endswith("1 model: a b>")


@pytest.mark.parametrize("wrong", [None, 1.5, np.array(0.5), np.array([[0.1, 0.2]]), b"score"])
def test_what_is_no_name_of_a_model_is_refused(wrong: Any) -> None:
    sample = rb.Sample(Y, S)
    with pytest.raises(rb.InputError, match=r"a model named|chosen by its name"):
        sample[wrong]
    with pytest.raises(rb.InputError, match="must be the name of a column"):
        rb.Sample.from_frame({"y": Y, "s": S}, label="y", score=wrong)


def test_rows_of_other_byte_order_are_left_out_like_others() -> None:
    pandas = pytest.importorskip("pandas")
    score = pandas.Series(np.where(S == 3, np.nan, S).astype(">f8"))
    found = rb.Sample(Y, score, missing="drop")
    np.testing.assert_array_equal(found.values, np.delete(S, 3))


def test_a_missing_time_is_a_missing_value() -> None:
    pandas = pytest.importorskip("pandas")
    scores = [*S[:-1], pandas.NaT]
    with pytest.raises(rb.InputError, match="must not contain missing values"):
        rb.Sample(Y, scores)
    assert rb.Sample(Y, scores, missing="drop").n == 11


@pytest.mark.parametrize("labels", [[1, 0, []], [1, 0, {}]])
def test_labels_that_are_no_labels(labels: Any) -> None:
    with pytest.raises(rb.InputError):
        rb.Sample(labels, [1.0, None, 3.0], missing="drop")
    with pytest.raises(rb.InputError):
        rb.ScoreCounts.from_arrays(labels, [1.0, 2.0, 3.0])


def test_ranges_in_the_words_of_the_question() -> None:
    with pytest.raises(rb.InputError, match=r"specificity=\(0.05, 0.95\)"):
        rb.difference_band(Y, S, -S, specificity=(0.1, 1.0))
    with pytest.raises(rb.InputError, match="`specificity` must lie between 0 and 1"):
        rb.compare_tpr(Y, S, -S, specificity=1e300)
    with pytest.raises(rb.InputError, match="`specificity` must be numbers between 0 and 1"):
        rb.compare_tpr(Y, S, -S, specificity=10**400)


def test_thresholds_of_two_models_must_be_numbers() -> None:
    with pytest.raises(rb.InputError, match="`thresholds` must be a number"):
        rb.mcnemar(Y, S, -S, thresholds=(0.0, [0.0, 1.0]))


def test_classes_must_be_a_column() -> None:
    with pytest.raises(
        rb.InputError, match="`classes` must be a sequence with the class of each column"
    ):
        rb.class_bands(Y, np.stack((S, -S), axis=1), classes=0.5)


def test_curves_of_very_many_rows_are_not_turned_into_rows() -> None:
    curve = rb.RocCurve.from_counts([2.0, 1.0], [10**12, 2 * 10**12], [10**12, 10**13])
    with pytest.raises(
        rb.InputError, match="at most 100,000,000; the curve has 12,000,000,000,000"
    ):
        rb.compare(curve, rb.roc_curve(Y, S), method="bootstrap")


def test_a_single_fold_is_named_as_it_was() -> None:
    with pytest.raises(rb.InputError, match=r"every row is in fold 0\."):
        rb.Sample(Y, S, folds=np.zeros(12, int))


def test_columns_of_128_bits_are_refused() -> None:
    polars = pytest.importorskip("polars")
    column = polars.Series([10**30, *range(11)], dtype=polars.Int128)
    with pytest.raises(rb.InputError, match="`y_score` must be a column that NumPy can hold"):
        rb.Sample(Y, column)
    with pytest.raises(rb.InputError, match="must be numbers that fit 64 bits"):
        rb.Sample(Y, [1j, 10**400, *S[2:]])


def test_events_that_are_missing_are_refused() -> None:
    pandas = pytest.importorskip("pandas")
    event = np.array([1, 0, pandas.NA], dtype=object)
    with pytest.raises(rb.InputError, match="`event` must be booleans, or 0 and 1; it has <NA>"):
        rb.ipcw([1.0, 2.0, 3.0], event, at=1.5)


def test_two_test_sets_at_the_smallest_rate() -> None:
    found = rb.compare_tpr(rb.Sample(Y, S), rb.Sample(Y[:8], -S[:8]), fpr=5e-324)
    assert np.isfinite([found.low, found.high, found.pvalue]).all()


def test_tables_are_no_columns_whatever_is_missing() -> None:
    for column in ("y_true", "y_score", "clusters", "folds"):
        given: dict[str, Any] = {"y_true": [0, 1], "y_score": [0.1, 0.2]}
        given[column] = np.array([[0.1, 0.2]])
        with pytest.raises(rb.InputError, match=f"`{column}` must be one-dimensional"):
            rb.Sample(**given, missing="drop")
