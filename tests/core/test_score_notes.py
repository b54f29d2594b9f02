"""Scores that may mean missing are noted, and ordinary ones are not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import rocbands as rb
from rocbands.core.thresholds import note_scores

SIZES = (20, 60, 200, 1000)
Draw = Callable[[np.random.Generator, int], Any]


def expit(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


ORDINARY: dict[str, Draw] = {
    "normal": lambda r, n: r.normal(size=n),
    "probabilities": lambda r, n: expit(r.normal(size=n)),
    "rounded probabilities": lambda r, n: expit(r.normal(size=n)).round(2),
    "clipped to 0 and 1": lambda r, n: np.clip(r.normal(0.5, 1, n), 0, 1),
    "clipped log-odds": lambda r, n: np.clip(r.normal(0, 20, n), -13.8, 13.8),
    "saturated": lambda r, n: np.where(r.random(n) < 0.3, 1.0, np.exp(r.normal(-12, 1, n))),
    "capped by a code": lambda r, n: np.minimum(r.normal(700, 200, n).round(), 999),
    "counts capped by a code": lambda r, n: np.minimum(r.poisson(60, n), 99),
    "long tail capped by a code": lambda r, n: np.minimum(
        np.exp(r.normal(7, 1.2, n)).round(), 9999
    ),
    "classes apart, capped": lambda r, n: np.where(r.random(n) < 0.3, 50, r.normal(-6, 1, n)),
    "floor of logarithms": lambda r, n: np.where(
        r.random(n) < 0.1, -100, -np.exp(r.normal(size=n))
    ),
    "lognormal": lambda r, n: np.exp(3 * r.normal(size=n)),
    "rounded lognormal": lambda r, n: np.exp(2 * r.normal(size=n)).round(),
    "Cauchy": lambda r, n: r.standard_cauchy(n).round(1),
    "Pareto": lambda r, n: r.pareto(1, n).round(),
    "tree": lambda r, n: r.choice([0.01, 0.02, 0.03, 0.95], n),
    "raw scores of a tree": lambda r, n: r.choice([-4.6, -4.5, -4.3, -4.2, 5], n),
    "neighbours": lambda r, n: r.integers(0, 16, n) / 15,
    "grades": lambda r, n: r.integers(1, 6, n),
    "ages": lambda r, n: r.normal(60, 12, n).round(),
    "many zeros": lambda r, n: np.where(r.random(n) < 0.5, 0, np.exp(r.normal(3, 1, n)).round()),
    "infinite": lambda r, n: np.where(r.random(n) < 0.1, np.inf, r.normal(size=n)),
    "minus infinity": lambda r, n: np.where(r.random(n) < 0.1, -np.inf, np.exp(r.normal(size=n))),
    "small p-values": lambda r, n: -np.log10(np.maximum(r.random(n) ** 5, 1e-16)),
}


@pytest.mark.parametrize("kind", ORDINARY)
def test_ordinary_scores_have_no_note(kind: str) -> None:
    for seed in range(25):
        for size in SIZES:
            rng = np.random.default_rng([seed, size])
            assert not [note for note in note_scores(ORDINARY[kind](rng, size)) if "stands" in note]


CODED: dict[str, tuple[Draw, tuple[float, ...]]] = {
    "marker": (lambda r, n: np.exp(r.normal(6, 1, n)).round(1), (-999, -99, 999999, 1e7, -1e30)),
    "age": (lambda r, n: r.normal(60, 12, n).round(), (-999, 999, 9999, 1e6, -9999)),
    "grades": (lambda r, n: r.integers(1, 6, n), (99, -99, 999)),
    "labels": (lambda r, n: r.integers(0, 2, n), (99, 888)),
    "probabilities": (lambda r, n: r.random(n), (-99, 99, -999, 2147483647)),
    "log-odds": (lambda r, n: r.normal(size=n), (-999, 999, 9999)),
}


@pytest.mark.parametrize("kind", CODED)
@pytest.mark.parametrize("rows", [2, 7])
def test_codes_far_from_the_others_are_noted(kind: str, rows: int) -> None:
    draw, codes = CODED[kind]
    for code in codes:
        for seed in range(5):
            scores = draw(np.random.default_rng(seed), 60).astype(float)
            scores[::8][:rows] = code
            said = [str(note) for note in note_scores(scores)]
            assert said == [
                f"{code:.15g} stands in {rows} of 60 rows, far from all other scores: does it mean "
                "missing? If so, leave those cells empty, and pass missing='drop'."
            ]
            assert [str(note).partition(" ")[0] for note in note_scores(-scores)] == [
                f"{-code:.15g}"
            ]
    assert not note_scores(np.append(draw(np.random.default_rng(0), 59), codes[0]))  # in one row


def test_codes_at_both_ends() -> None:
    rng = np.random.default_rng(1)
    scores = np.r_[rng.integers(20, 80, 50), [999] * 3, [-999] * 2]
    assert [note.split(",")[0] for note in note_scores(scores)] == [
        "999 stands in 3 of 55 rows",
        "-999 stands in 2 of 55 rows",
    ]


@pytest.mark.parametrize("kind", [np.asarray, list, pd.Series, pl.Series])
def test_every_kind_of_column_has_the_note(kind: Any) -> None:
    rng = np.random.default_rng(2)
    y = np.arange(60) % 2
    scores = rng.normal(500, 100, 60).round()
    scores[::9] = -999
    said = "-999 stands in 7 of 60 rows, far from all other scores"
    sample = rb.Sample(kind(y), {"a": kind(scores), "b": kind(rng.normal(size=60))})
    for found in (
        rb.auc_interval(kind(y), kind(scores)),
        rb.roc_band(sample["a"]),
        rb.operating_points(sample["a"], fpr=0.1),
        rb.compare(sample),
        rb.summary(sample),
    ):
        assert [note for note in found.notes if said in note], type(found)
    assert said in str(rb.summary(sample))
    assert not [note for note in rb.auc_interval(sample["b"]).notes if "stands" in note]
    weighted = rb.Sample(y, scores, weights=rng.random(60) + 0.5, clusters=np.arange(60) // 2)
    assert [note for note in rb.auc_interval(weighted).notes if said in note]
