"""One class against the rest: wherever a positive label is named."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import rocbands as rb

RNG = np.random.default_rng(5)
Y = RNG.choice(["a", "b", "c"], 120)
S = RNG.normal(size=120) + (Y == "b")
P = 1 / (1 + np.exp(-S))
# Models of two classes: scikit-learn's own labels decide there.
WITHOUT = {"fold_scores"}
NAMED = [
    name
    for name in rb.__all__
    if inspect.isfunction(found := getattr(rb, name))
    and "positive" in inspect.signature(found).parameters
]


@pytest.mark.parametrize("name", NAMED)
def test_whoever_takes_a_positive_label_takes_the_rest(name: str) -> None:
    assert ("rest" in inspect.signature(getattr(rb, name)).parameters) != (name in WITHOUT)


CALLS = {
    "roc_curve": lambda y, **how: rb.roc_curve(y, S, **how),
    "roc_band": lambda y, **how: rb.roc_band(y, S, **how),
    "pr_band": lambda y, **how: rb.pr_band(y, S, **how),
    "auc_interval": lambda y, **how: rb.auc_interval(y, S, **how),
    "partial_auc_interval": lambda y, **how: rb.partial_auc_interval(y, S, fpr=(0, 0.5), **how),
    "fold_auc_interval": lambda y, **how: rb.fold_auc_interval(
        rb.Sample(y, S, folds=np.arange(120) % 4), **how
    ),
    "operating_points": lambda y, **how: rb.operating_points(y, S, threshold=0.5, **how),
    "compare": lambda y, **how: rb.compare(y, S, -S, **how),
    "compare_tpr": lambda y, **how: rb.compare_tpr(
        rb.Sample(y, S), rb.Sample(y[:60], S[:60]), fpr=0.3, **how
    ),
    "compare_many": lambda y, **how: rb.compare_many(rb.Sample(y, {"1": S, "2": -S}), rng=1, **how),
    "difference_band": lambda y, **how: rb.difference_band(y, S, -S, rng=1, **how),
    "mcnemar": lambda y, **how: rb.mcnemar(y, S, -S, thresholds=(0, 0), **how),
    "cost_curve": lambda y, **how: rb.cost_curve(y, S, **how),
    "cost_interval": lambda y, **how: rb.cost_interval(y, S, thresholds=0.5, w=0.4, **how),
    "cost_difference": lambda y, **how: rb.cost_difference(
        y, S, -S, thresholds=(0, 0), w=0.4, **how
    ),
    "rate_bounds": lambda y, **how: rb.rate_bounds(y, S, rate=[0.2], rng=1, **how),
    "average_precision_interval": lambda y, **how: rb.average_precision_interval(y, S, **how),
    "net_benefit": lambda y, **how: rb.net_benefit(y, P, thresholds=[0.3], **how),
    "subgroups": lambda y, **how: rb.subgroups(y, S, by=np.arange(120) % 2, rng=1, **how),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.filterwarnings("ignore::rocbands.RocBandsWarning")
def test_the_rest_is_one_class(name: str) -> None:
    call = CALLS[name]
    assert call(Y, positive="b", rest=True).to_dict() == call(Y == "b").to_dict()


def test_counts_of_one_class_against_the_rest() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"y": Y, "score": S})
    found = rb.count_scores(table, positive="b", rest=True, exact=True)
    assert found.labels == ("b", "the rest")
    assert found.roc().auc == rb.roc_curve(Y == "b", S).auc


def test_what_is_refused() -> None:
    with pytest.raises(
        rb.InputError, match=r"positive='c' and rest=True, or all classes by rb.roc"
    ):
        rb.roc_curve(Y, S, positive="b")
    with pytest.raises(rb.InputError, match="needs to know which"):
        rb.roc_curve(rb.Sample(Y, S, rest=True))
    with pytest.raises(rb.InputError, match="'d' is not one of 'a', 'b', 'c'"):
        rb.roc_curve(rb.Sample(Y, S, rest=True, positive="d"))
    with pytest.raises(rb.InputError, match="`rest` must be True or False"):
        rb.roc_curve(rb.Sample(Y, S, rest="yes", positive="b"))
