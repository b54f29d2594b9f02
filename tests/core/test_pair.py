"""Two models: of the same rows or of two test sets, which are never taken for each other."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rocbands as rb
from rocbands.core.data import read_pair
from rocbands.core.pair import Pair

EXAMPLE = rb.load_example()
ONE, TWO = EXAMPLE["logistic"], EXAMPLE["neighbours"]
HALF = np.arange(EXAMPLE.n) % 2 == 0
DIFFERENCES: dict[str, Any] = {
    "compare": rb.compare,
    "compare_tpr": lambda *data: rb.compare_tpr(*data, fpr=0.1),
    "difference_band": lambda *data: rb.difference_band(*data, n_resamples=200, rng=1),
    "cost_difference": lambda *data: rb.cost_difference(*data, thresholds=(0.5, 0.5), w=0.5),
    "average_precision_difference": rb.average_precision_difference,
    "net_benefit_difference": lambda *data: rb.net_benefit_difference(*data, thresholds=[0.2]),
}
PAIRED_ONLY: dict[str, Any] = {
    "mcnemar": lambda *data: rb.mcnemar(*data, thresholds=(0.5, 0.5)),
    "rate_difference": lambda *data: rb.rate_difference(*data, rate=0.2),
}


def limits(found: Any) -> list[float]:
    names = ("low", "high") if hasattr(found, "low") else ("lower", "upper")
    return np.concatenate([np.atleast_1d(getattr(found, name)) for name in names]).tolist()


@pytest.mark.parametrize("ask", [*DIFFERENCES.values(), *PAIRED_ONLY.values()])
def test_a_sample_of_two_models_is_labels_and_two_columns(ask: Any) -> None:
    rows = ask(EXAMPLE.is_positive, ONE.values, TWO.values)
    assert limits(ask(EXAMPLE)) == limits(rows)


@pytest.mark.parametrize("ask", DIFFERENCES.values(), ids=DIFFERENCES)
def test_two_models_of_the_same_rows_are_no_two_test_sets(ask: Any) -> None:
    both = EXAMPLE.take(np.arange(300))
    for first, second in (
        (ONE, TWO),
        (ONE.roc, TWO.roc),
        (ONE, TWO.roc),
        (both["logistic"], TWO),
        (ONE.replace(weights=np.ones(EXAMPLE.n)), TWO),
    ):
        with pytest.raises(rb.InputError, match=r"same rows are one sample: sample\[\["):
            ask(first, second)


@pytest.mark.parametrize("ask", DIFFERENCES.values(), ids=DIFFERENCES)
def test_parts_without_common_rows_are_two_test_sets(ask: Any) -> None:
    first, second = ONE.take(HALF), TWO.take(~HALF)
    known = ask(first, second)
    fresh = (rb.Sample(part.is_positive, part.values) for part in (first, second))
    assert limits(ask(first.roc, second.roc)) == pytest.approx(limits(known), abs=1e-12)
    assert limits(ask(*fresh)) == pytest.approx(limits(known), abs=1e-12)


@pytest.mark.parametrize("ask", PAIRED_ONLY.values(), ids=PAIRED_ONLY)
def test_what_needs_the_same_rows_says_so(ask: Any) -> None:
    with pytest.raises(rb.InputError, match="does not compare on different rows"):
        ask(ONE.take(HALF), TWO.take(~HALF))


def test_an_unpaired_comparison_of_the_same_rows_would_be_wrong() -> None:
    """Why it is refused: of the same rows the difference is surer than of two test sets."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        unpaired = rb.compare(*(rb.Sample(EXAMPLE.is_positive, data.values) for data in (ONE, TWO)))
    assert "same labels in the same order" in str(caught[0].message)
    assert rb.compare(EXAMPLE).pvalue < unpaired.pvalue


def test_equal_labels_in_blocks_are_no_reason_to_warn() -> None:
    y = np.repeat([1, 0], 20)
    one, two = (rb.Sample(y, np.random.default_rng(seed).normal(size=40) + y) for seed in (1, 2))
    rb.compare(one, two)  # warnings are errors here


def test_names_of_two_test_sets_tell_them_apart() -> None:
    parts = rb.Sample(
        EXAMPLE.is_positive, {"risk": ONE.values}, keep={"sex": np.where(HALF, "f", "m")}
    ).split("sex")
    assert rb.compare(parts["f"], parts["m"]).names == ("risk (sex f)", "risk (sex m)")
    assert rb.compare(ONE.take(HALF), ONE.take(~HALF)).names == (
        "logistic, set 1",
        "logistic, set 2",
    )
    assert rb.compare(ONE.take(HALF), TWO.take(~HALF)).names == EXAMPLE.models


def test_names_of_columns_are_names_of_models() -> None:
    frame = pd.DataFrame({"old": ONE.values, "new": TWO.values})
    assert rb.compare(EXAMPLE.is_positive, frame["old"], frame["new"]).names == ("old", "new")
    assert rb.compare(EXAMPLE.is_positive, ONE.values, TWO.values).names == ("model 1", "model 2")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ((ONE,), "needs two models; the sample has 1. Two test sets are two samples"),
        ((EXAMPLE, ONE.values), "got a Sample and ndarray"),
        ((ONE.roc,), "got a RocCurve and nothing"),
        ((EXAMPLE.is_positive,), "`y_score_1` must be given with `y_true`"),
        ((EXAMPLE.is_positive, ONE.values), "`y_score_2` must be given with `y_true`"),
        ((ONE.take(HALF), TWO.take(~HALF), TWO.values), "`y_score_2` was given, too"),
    ],
)
def test_what_is_no_comparison_is_refused(data: tuple[Any, ...], words: str) -> None:
    with pytest.raises(rb.InputError, match=words):
        rb.compare(*data)


def test_three_models_are_too_many() -> None:
    scores = {"a": ONE.values, "b": TWO.values, "c": ONE.values + TWO.values}
    sample = rb.Sample(EXAMPLE.is_positive, scores)
    with pytest.raises(rb.InputError, match=r"has 3\. Choose two, as sample\[\['a', 'b'\]\]; rb"):
        rb.compare(sample)
    assert limits(rb.compare(sample[["a", "b"]])) == limits(rb.compare(EXAMPLE))


def test_values_for_both_models_come_by_name_or_in_order() -> None:
    pair = Pair.from_sample(EXAMPLE)
    assert pair.match({"neighbours": 2, "logistic": 1}, "thresholds") == (1, 2)
    assert pair.match((1, 2), "thresholds") == (1, 2)
    assert pair.match(3, "thresholds", one=True) == (3, 3)
    for wrong, words in (
        ({"neighbours": 2}, "a value for each of the models 'logistic', 'neighbours'"),
        ({"a": 1, "b": 2}, "it is for 'a', 'b'"),
        (3, "`thresholds` must be a pair, one for each model, or a mapping"),
        ((1, 2, 3), "must be a pair"),
    ):
        with pytest.raises(rb.InputError, match=words):
            pair.match(wrong, "thresholds")


def test_designs_of_both_test_sets_count() -> None:
    plain, clustered = ONE.take(HALF), TWO.take(~HALF)
    clustered = clustered.replace(clusters=np.arange(clustered.n) // 2)
    assert read_pair(plain, clustered, None).design == ("clusters",)
    with pytest.raises(rb.InputError, match="a sample has clusters"):
        rb.compare(plain, clustered, method="likelihood")
