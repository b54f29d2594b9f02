"""Work is bounded: what would take hours or all memory is refused before it begins."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import rocbands as rb
from rocbands.core.checks import (
    MOST_CELLS,
    MOST_RESAMPLES,
    check_level,
    check_resamples,
    check_room,
    check_share,
    check_simulated_level,
)
from rocbands.resample.streams import MOST_CHUNKS, run_chunks

Y, S = [0, 1, 0, 1, 1, 0], [1, 2, 3, 4, 5, 2]

REFUSED: list[tuple[Callable[[], Any], str]] = [
    (
        lambda: rb.roc_band(Y, S, method=rb.bands.Likelihood("plugin"), level=0.99999),
        r"at most 0.9999 .* 500,000 test sets",
    ),
    (
        lambda: rb.roc_band(Y, S, method=rb.bands.Likelihood("chance"), level=0.999999),
        "at most 0.9999",
    ),
    (lambda: rb.roc_band(Y, range(6), future=(20, 30), level=0.99999), "at most 0.9999"),
    (lambda: rb.roc_band(Y, S, level=1 - 1e-12), "at least 1e-09 away from 0 and 1"),
    (lambda: rb.auc_interval(Y, S, level=5e-324), "at least 1e-09 away"),
    (lambda: rb.roc_band(Y, S, method="sup-t", n_resamples=10**10), "at most 1,000,000"),
    (lambda: rb.auc_interval(Y, S, method="bootstrap", n_resamples=10**400), "at most 1,000,000"),
    (lambda: rb.roc_band(Y, S, future=(10**16, 3)), r"at most 10\*\*15"),
    (lambda: rb.roc_band(Y, S, future=(10**400, 3)), "two whole numbers"),
    (lambda: rb.RocCurve.from_counts([2, 1], [0, 10**16], [1, 2]), r"at most 10\*\*15"),
    (lambda: rb.auc_interval(Y, S, level=10**400), "strictly between 0 and 1"),
    (lambda: rb.operating_points(Y, S, fpr=10**400), "between 0 and 1"),
    (lambda: rb.cost.costs_at(0.5, prevalence=5e-324), "at least 1e-12 away"),
    (lambda: rb.operating_condition(10**400, 1, 0.5), "must be the cost"),
    (lambda: rb.roc_curve(Y, [*S[:-1], 10**400]), "numbers"),
    (lambda: rb.roc_curve([{}, {}], [1, 2]), "not a label"),
    (lambda: rb.roc_curve(Y, S, positive=np.arange(3)), "must be one of the labels"),
    (lambda: rb.compare(Y, S, S, paired=False), "Two test sets are two samples"),
    (lambda: rb.partial_auc_interval(Y, S, fpr=(0, 0.5), corrected="no"), "`corrected` must"),
    (lambda: rb.operating_points(Y, S, threshold=2, joint="no"), "`joint` must be True or False"),
    (lambda: rb.roc_band(Y, [1] * 6, method=rb.bands.Likelihood("levels")), "all scores are equal"),
    (lambda: rb.class_bands(list("abc")), "`y_score` must be given"),
    (lambda: rb.mcnemar(Y, S, S, thresholds=(10**400, 10**400)), "must be a number"),
    (lambda: rb.roc_curve(np.array(["b", "a", pd.NA], object), S[:3], positive="b"), "missing"),
    (lambda: rb.partial_auc_interval(Y, S, fpr=(1 - 1e-12, 1)), "a range of at least 1e-09"),
    (lambda: rb.roc_curve([1, 2, None], [1, 2, []], positive=2), "missing|column"),
    (lambda: rb.rate_bounds(Y, S, scheme=np.array([0.1, 0.2])), "`scheme` must be one of counts"),
    (lambda: rb.sample_size(auc=0.99, band_width=0.1, level=0.9999), "at most 0.999"),
    (lambda: rb.class_bands(list("abc"), [1, [2, 3], 4]), "one column of scores for each class"),
    (lambda: rb.net_benefit([0, 1], [0.1, 0.9], thresholds=[[0.1, 0.2]]), "it has 2 dimensions"),
    (
        lambda: rb.roc_band(
            rb.Sample([0, 1, float("nan")], [1, 2, 3], folds=np.datetime64("NaT"))
        ).view("gains"),
        "missing values",
    ),
]


@pytest.mark.parametrize(("call", "words"), REFUSED)
def test_what_cannot_be_done_is_refused_at_once(call: Callable[[], Any], words: str) -> None:
    begin = time.process_time()
    with pytest.raises(rb.InputError, match=words):
        call()
    assert time.process_time() - begin < 2


def test_the_bounds_themselves_are_allowed() -> None:
    assert check_level(1e-9) == 1e-9
    assert check_level(1 - 1e-9) == 1 - 1e-9
    check_simulated_level(0.9999)
    check_resamples(MOST_RESAMPLES)
    check_room(1000, MOST_CELLS // 1000)
    assert check_share(1e-12, "prevalence") == 1e-12
    assert rb.roc_band(Y, S, method="joint-region", level=1 - 1e-9).lower_at(0.5) == 0.0


def test_resamples_are_bounded_by_memory_and_by_the_number_of_chunks() -> None:
    rng = np.random.default_rng(1)
    with pytest.raises(rb.InputError, match=r"where 1,000,000 numbers are kept of each"):
        run_chunks(lambda draws, _: np.zeros((draws, 1_000_000)), 10_000, rng, size=2)
    with pytest.raises(rb.InputError, match=f"at most {2 * MOST_CHUNKS:,} for test sets of this"):
        run_chunks(lambda draws, _: np.zeros(draws), 2 * MOST_CHUNKS + 1, rng, size=2)


def test_whole_numbers_in_a_column_of_objects_keep_their_digits() -> None:
    scores = np.array([2**53, 2**53 + 1], dtype=object)
    assert rb.roc_curve([0, 1], scores).auc == 1.0


def test_one_or_two_cases_of_a_class_are_too_few_for_a_fixed_width() -> None:
    negatives = np.arange(100.0)
    for few, said in ((1, "with 1 positive it"), (2, "with 2 positives it"), (3, None)):
        y, s = [1] * few + [0] * 100, [*(50.5 + np.arange(few)), *negatives]
        notes = " ".join(rb.roc_band(y, s, method="fixed-width", rng=1).notes)
        assert ("Too narrow" in notes) == (said is not None)
        assert said is None or said in notes


@pytest.mark.parametrize("dtype", [">f8", np.longdouble, np.float16, ">i4"])
@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_scores_of_every_type_can_be_shown(dtype: Any, kind: str) -> None:
    roc = rb.roc_curve(Y, np.array(S).astype(dtype))
    assert len(roc.to_frame(kind)) == len(set(S))
    assert '"threshold"' in roc.to_json()


def test_views_refuse_a_prevalence_that_is_lost_in_rounding() -> None:
    band = rb.roc_band(Y, S)
    with pytest.raises(rb.InputError, match="must be at least 1e-09 away from 0 and 1"):
        band.view("gains", prevalence=1e-10)
    with pytest.raises(rb.InputError, match="share of positives must be at least 1e-09"):
        rb.roc_band(Y, S, future=(2, 10**15)).view("gains")
    assert band.view("gains", prevalence=1e-9).prevalence == 1e-9


@pytest.mark.parametrize("fpr", [5e-324, 1e-12, 1 - 1e-12])
def test_sensitivities_are_compared_at_both_ends(fpr: float) -> None:
    y = [0, 1, 0, 1, 1]
    found = rb.compare_tpr(y, [1.0, 2.0, 3.0, 4.0, 0.0], [5.0, 3.0, 2.0, 4.0, 1.0], fpr=fpr)
    assert np.isfinite([found.low, found.high]).all()


# --------------------------------------------------------------- found by campaigns: odd arguments


def test_the_title_of_a_report_is_text() -> None:
    sample = rb.Sample.of_classes([0, 1, 2] * 4, np.arange(36.0).reshape(12, 3))
    with pytest.raises(rb.InputError, match="`title` must be text"):
        rb.report(sample, path=None, title=np.array([1, 2]))  # type: ignore[arg-type]


def test_labels_of_counts_are_text() -> None:
    table = pa.table({"score": [0.0, 1.0], "positives": [1, 2], "negatives": [2, 1]})
    with pytest.raises(rb.InputError, match="`negative` must be text"):
        rb.ScoreCounts.from_table(table, negative=["well"])  # type: ignore[arg-type]


def test_progress_can_be_called(tmp_path: Path) -> None:
    frame = pd.DataFrame({"label": Y, "score": S})
    frame.to_csv(tmp_path / "rows.csv")
    for call in (rb.count_scores, rb.Sample.from_file):
        with pytest.raises(rb.InputError, match="`progress` must be a function"):
            call(tmp_path / "rows.csv", progress=[])  # type: ignore[operator]


@pytest.mark.parametrize("positive", [np.array([["b"]]), ["b"]])
def test_one_label_against_the_rest(positive: object) -> None:
    with pytest.raises(rb.InputError, match="`positive` must be one label"):
        rb.Sample(["a", "b", "c", "b"], [1, 2, 3, 4], positive=positive, rest=True)


def test_ragged_lists_choose_neither_rows_nor_models() -> None:
    sample = rb.Sample(Y, {"a": S, "b": S[::-1]})
    with pytest.raises(rb.InputError, match="`rows` must be a mask"):
        sample.take([[1], [1, 2]])
    with pytest.raises(rb.InputError, match="chosen by its name"):
        sample[[[1], [1, 2]]]  # type: ignore[list-item]


def test_sheets_are_named_by_text() -> None:
    with pytest.raises(rb.InputError, match="`sheet` must be text"):
        rb.Sample.from_file("rows.xlsx", sheet=["rows"])  # type: ignore[arg-type]


def test_paths_that_no_file_can_have() -> None:
    with pytest.raises(rb.InputError, match="`path` must be a name that files can have"):
        rb.ScoreCounts.load("\ud800")


def test_counts_that_are_merged_are_several() -> None:
    with pytest.raises(rb.InputError, match="must be several ScoreCounts"):
        rb.ScoreCounts.merge(np.array(0.5))  # type: ignore[arg-type]


def test_rows_of_a_cross_validation_have_a_number() -> None:
    with pytest.raises(rb.InputError, match="`X` must have a row for each label"):
        rb.fold_numbers([([0], [1])], 5)


def test_thresholds_of_wide_scores_are_numbers_in_sentences() -> None:
    scores = np.array([0.25, 0.5, 0.75, 1.5]).astype(np.longdouble)
    found = rb.cost_thresholds([0, 0, 1, 1], scores, w=[0.5])
    assert found.sentence == "At w = 0.5 call cases with scores of at least 0.75 positive."
