"""Intervals from folds: against R and separate programs, and what they refuse."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rocbands as rb
from rocbands.auc import FOLD_METHODS as METHODS
from tests.golden_numbers import GOLDEN, columns

KNOWN = json.loads((GOLDEN / "auc_exact_bootstrap.json").read_text())["kfold"]
close = pytest.approx


def folds_with(aucs: list[float]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Folds of 10 + 10 untied rows whose AUCs are given to the hundredth."""
    labels, scores = [], []
    for auc in aucs:
        wins = round(100 * auc)
        each = [wins // 10 + (place < wins % 10) for place in range(10)]
        labels += [1] * 10 + [0] * 10
        scores += [below - 0.5 + place / 100 for place, below in enumerate(each)] + [*range(10)]
    return np.array(labels), np.array(scores), np.repeat(np.arange(len(aucs)), 20)


def interval(
    rows: tuple, method: str | None = None, repeats: int = 1, **how: object
) -> rb.FoldInterval:
    y, s, folds = rows
    sample = rb.Sample(y, s, folds=folds, repeats=repeats)
    return rb.fold_auc_interval(sample, method=method, **how)


def test_the_numbers_of_r_with_ties_at_one_half() -> None:
    data, known = columns("cvauc_admissions"), json.loads((GOLDEN / "cvauc.json").read_text())
    found = rb.fold_auc_interval(
        rb.Sample(data["y"], data["pred"], folds=data["fold"]), method="influence"
    )
    assert found.fold_estimates == close(known["iid"]["fold_auc"], abs=1e-12)
    assert found.estimate == close(known["iid"]["cvAUC"], abs=1e-12)
    assert found.standard_error == close(0.016510728821, abs=1e-11)


@pytest.mark.parametrize(
    ("method", "key"), [("influence", "cvauc_ic95"), ("fold-delong", "cvauc_delong95")]
)
def test_small_tied_folds(method: str, key: str) -> None:
    y, s = (np.concatenate([fold[side] for fold in KNOWN["folds"]]) for side in (0, 1))
    code = np.repeat(["a", "b", "c"], [len(fold[0]) for fold in KNOWN["folds"]])
    found = rb.fold_auc_interval(rb.Sample(y, s, folds=code), method=method)
    estimate, low, high, error = KNOWN[key]
    assert (found.estimate, found.standard_error) == close((estimate, error), abs=1e-12)
    assert (found.low, found.high) == close((low, min(high, 1.0)), abs=1e-12)
    if method == "fold-delong":
        assert found.unclipped == close((low, high), abs=1e-12)


@pytest.mark.parametrize(("method", "key"), [("t", "t95"), ("nadeau-bengio", "nb95_k10")])
def test_ten_fold_scores(method: str, key: str) -> None:
    found = interval(folds_with(KNOWN["scores"]), method)
    assert found.fold_estimates == close(KNOWN["scores"], abs=1e-12)
    assert (found.estimate, found.low, found.high) == close(KNOWN[key], abs=1e-12)


def test_widening_by_nadeau_and_bengio() -> None:
    rows = folds_with([0.9, 0.8, 0.85, 0.7, 0.95, 0.75, 0.9, 0.8, 0.9, 0.6])
    plain, wide = (interval(rows, name) for name in ("t", "nadeau-bengio"))
    assert wide.standard_error / plain.standard_error == close(1.452966, abs=1e-6)
    twice = interval(rows, "nadeau-bengio", repeats=2)
    spread = np.std(twice.fold_estimates, ddof=1)
    assert twice.standard_error == close(spread * (1 / 10 + 1 / 4) ** 0.5, abs=1e-12)


def test_limits_are_clipped_and_the_source_s_are_kept() -> None:
    rows = folds_with([1.0, 0.9, 0.6])
    found = interval(rows)
    assert found.high == 1.0 < found.unclipped[1]
    assert 0 < found.low == found.unclipped[0]
    above = interval(rows, alternative="greater", level=0.975)
    assert (above.low, above.high) == close((found.low, 1.0), abs=1e-12)
    assert json.loads(above.to_json())["unclipped"][1] == "inf"


@pytest.mark.parametrize("method", METHODS)
def test_every_method_says_what_it_is_for(method: str) -> None:
    found = interval(folds_with([0.9, 0.8, 0.7]), method)
    models = method in ("influence", "fold-delong")
    assert ("average AUC of the folds' models" in found.target) == models
    assert ("expected AUC of models trained" in found.target) == (not models)
    same = interval(folds_with([1.0, 1.0]), method)
    assert (same.low, same.high) == (1.0, 1.0)
    assert "limits equal the estimate" in same.notes[-1]


def test_scores_of_different_folds_are_never_compared() -> None:
    y, s, code = folds_with([0.9, 0.8, 0.7])
    for method in METHODS:
        one, other = (
            rb.fold_auc_interval(rb.Sample(y, v, folds=code), method=method)
            for v in (s, s + 100.0 * code)
        )
        assert (one.low, one.high) == (other.low, other.high)


def test_wrong_requests_are_refused_in_words() -> None:
    y, s, code = folds_with([0.9, 0.8, 0.7])
    lonely = np.array([0, 1, 0, 1, 1, 0]), np.arange(6.0), np.array(["x"] * 3 + ["y"] * 3)
    for rows, how, words in (
        ((y, s, code), {"method": "tt"}, "`method` must be one of t, nadeau-bengio"),
        ((y, s, code), {"repeats": 2}, "divides the number of folds; got 2 with 3 folds"),
        ((y, s, code), {"method": "nadeau-bengio", "repeats": 3}, "must divide the 3 folds"),
        ((y, s, code), {"repeats": 0}, "`repeats` must be a whole number .* got 0"),
        ((y, s, code), {"method": "t", "repeats": 3}, "'t' is for rows that were cut into folds"),
        ((y, s, None), {}, "`folds` must say the fold of each row"),
        ((y, s, code * 0), {}, "at least two folds"),
        ((y, s, y), {}, "Every fold must contain both classes"),
        (
            lonely,
            {"method": "fold-delong"},
            "fold number 1 of 2 has one positive. Use method='influence'",
        ),
    ):
        with pytest.raises(rb.InputError, match=words):
            interval(rows, **how)
    assert interval(lonely, "influence").standard_error > 0
    with pytest.raises(rb.InputError, match="of at least 1; got 0"):
        rb.auc.NadeauBengio(repeats=0)
    with pytest.raises(TypeError, match="takes one argument by position; got 2"):
        rb.fold_auc_interval(y, s)
    with pytest.raises(rb.InputError, match="`sample` must be a sample with folds; it is ndarray"):
        rb.fold_auc_interval(y)
