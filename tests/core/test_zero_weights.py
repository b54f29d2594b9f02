"""Rows of weight 0 are left out of every analysis, as `Sample` says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rocbands as rb

RNG = np.random.default_rng(7)
Y = np.arange(80) % 2
A, B = (RNG.normal(size=80) + Y, RNG.normal(size=80) + Y / 2)
SEX = np.arange(80) // 2 % 2
WEIGHTS = np.where(np.arange(80) % 7 == 0, 0.0, 1.0)  # some of both classes and both sexes


def make(rows: Any, weights: Any) -> rb.Sample:
    """Return a sample of some rows; scores are probabilities, which net benefit needs."""
    scores = {"a": 1 / (1 + np.exp(-A[rows])), "b": 1 / (1 + np.exp(-B[rows]))}
    return rb.Sample(Y[rows], scores, weights=weights, keep={"sex": SEX[rows]})


QUESTIONS: dict[str, Callable[[rb.Sample], Any]] = {
    "auc_interval": lambda s: rb.auc_interval(s["a"]),
    "roc_band": lambda s: rb.roc_band(s["a"]),
    "pr_band": lambda s: rb.pr_band(s["a"]),
    "operating_points": lambda s: rb.operating_points(s["a"], threshold=0.5),
    "compare": rb.compare,
    "bootstrap": lambda s: rb.compare(s, method="bootstrap", n_resamples=99),
    "compare_many": rb.compare_many,
    "compare_tpr": lambda s: rb.compare_tpr(s, fpr=0.2),
    "difference_band": lambda s: rb.difference_band(s, n_resamples=200),
    "two sets": lambda s: rb.compare(s["a"], rb.Sample(Y, B, weights=np.ones(80))),
    "mcnemar": lambda s: rb.mcnemar(s, thresholds=0.5),
    "cost_difference": lambda s: rb.cost_difference(s, thresholds=(0.5, 0.5), w=0.5),
    "rate_difference": lambda s: rb.rate_difference(s, rate=0.2),
    "average_precision_difference": rb.average_precision_difference,
    "net_benefit": lambda s: rb.net_benefit(s["a"], thresholds=[0.3, 0.5]),
    "net_benefit_difference": lambda s: rb.net_benefit_difference(s, thresholds=[0.3, 0.5]),
    "subgroups": lambda s: rb.subgroups(s["a"], by="sex", threshold=0.5, n_resamples=200),
}


@pytest.mark.filterwarnings("ignore::rocbands.RocBandsWarning")
@pytest.mark.parametrize("question", QUESTIONS)
def test_rows_of_weight_zero_do_not_count(question: str) -> None:
    ask, counted = QUESTIONS[question], WEIGHTS > 0
    with_zeros = ask(make(np.arange(80), WEIGHTS)).to_dict()
    without = ask(make(counted, None)).to_dict()
    for one in (with_zeros, without):
        one.pop("notes", None)  # they say how many rows were left out
    assert with_zeros == without
