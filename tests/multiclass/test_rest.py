"""One class against the rest: said once by the sample, for every question."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import rocbands as rb

RNG = np.random.default_rng(5)
Y = RNG.choice(["a", "b", "c"], 120)
S = RNG.normal(size=120) + (Y == "b")
P = 1 / (1 + np.exp(-S))

# The question of each function; of models 's' and 't' or of one of them.
ASKED: dict[str, Any] = {
    "roc_curve": lambda data: rb.roc_curve(data["s"]),
    "roc_band": lambda data: rb.roc_band(data["s"]),
    "pr_band": lambda data: rb.pr_band(data["s"]),
    "auc_interval": lambda data: rb.auc_interval(data["s"]),
    "partial_auc_interval": lambda data: rb.partial_auc_interval(data["s"], fpr=(0, 0.5)),
    "fold_auc_interval": lambda data: rb.fold_auc_interval(
        data["s"].replace(folds=np.arange(120) % 4)
    ),
    "partial_auc_difference": lambda data: rb.partial_auc_difference(data, fpr=(0, 0.5)),
    "operating_points": lambda data: rb.operating_points(data["s"], threshold=0.5),
    "best_threshold": lambda data: rb.best_threshold(data["s"], n_resamples=100),
    "smooth_curve": lambda data: rb.smooth_curve(data["s"]),
    "two_sided_curve": lambda data: rb.two_sided_curve(data["s"], n_resamples=100),
    "average_curve": lambda data: rb.average_curve(data["s"].replace(folds=np.arange(120) % 4)),
    "h_measure_interval": lambda data: rb.h_measure_interval(data["s"], n_resamples=100),
    "compare": rb.compare,
    "compare_tpr": lambda data: rb.compare_tpr(data, fpr=0.3),
    "compare_many": lambda data: rb.compare_many(data, rng=1),
    "difference_band": lambda data: rb.difference_band(data, rng=1),
    "mcnemar": lambda data: rb.mcnemar(data, thresholds=(0, 0)),
    "cost_curve": lambda data: rb.cost_curve(data["s"]),
    "cost_interval": lambda data: rb.cost_interval(data["s"], thresholds=0.5, w=0.4),
    "cost_difference": lambda data: rb.cost_difference(data, thresholds=(0, 0), w=0.4),
    "cost_thresholds": lambda data: rb.cost_thresholds(data["s"], w=[0.4]),
    "rate_bounds": lambda data: rb.rate_bounds(data["s"], rate=[0.2], rng=1),
    "rate_difference": lambda data: rb.rate_difference(data, rate=[0.2]),
    "average_precision_interval": lambda data: rb.average_precision_interval(data["s"]),
    "average_precision_difference": rb.average_precision_difference,
    "brier_score_interval": lambda data: rb.brier_score_interval(data["p"]),
    "summary": rb.summary,
    "net_benefit": lambda data: rb.net_benefit(data["p"], thresholds=[0.3]),
    "net_benefit_difference": lambda data: rb.net_benefit_difference(
        data[["p", "q"]], thresholds=[0.3]
    ),
    "subgroups": lambda data: rb.subgroups(data["s"], by=np.arange(120) % 2, rng=1),
    "report": lambda data: rb.report(data[["s", "t"]], path=None, rng=1),
}
# They take classes, files or nothing, or the question is not about a sample.
WITHOUT = {
    "compare_readers", "count_scores", "fold_numbers", "ipcw", "load_example", "methods",
    "operating_condition", "reader_study_size", "class_bands", "sample_size",
}  # fmt: skip


def test_every_question_is_asked() -> None:
    functions = {name for name in rb.__all__ if inspect.isfunction(getattr(rb, name))}
    assert functions - WITHOUT == set(ASKED)


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.filterwarnings("ignore::rocbands.RocBandsWarning")
def test_the_rest_is_one_class(name: str) -> None:
    models = {"s": S, "t": -S, "p": P, "q": P**2}
    if name not in ("net_benefit", "net_benefit_difference", "brier_score_interval"):
        models = {"s": S, "t": -S}
    rest = rb.Sample(Y, models, positive="b", rest=True)
    two = rb.Sample(np.where(Y == "b", "b", "others"), models, positive="b")
    one, other = (ASKED[name](data) for data in (rest, two))
    if name == "report":
        one, other = (found.payload["models"] for found in (one, other))
        assert one == other
    elif name == "cost_thresholds":
        assert np.asarray(one).tolist() == np.asarray(other).tolist()
    else:
        assert one.to_dict() == other.to_dict()


def test_a_sample_of_the_rest_says_so() -> None:
    sample = rb.Sample(Y, S, positive="b", rest=True)
    n_pos = np.count_nonzero(Y == "b")
    assert repr(sample) == (f"<Sample: 120 rows ({n_pos} b, {120 - n_pos} others), 1 model: score>")
    assert (sample.positive, sample.negative) == ("b", None)


def test_counts_of_one_class_against_the_rest() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"y": Y, "score": S})
    found = rb.count_scores(table, positive="b", rest=True, exact=True)
    assert (found.positive, found.negative) == ("b", "the rest")
    assert found.roc.auc == rb.roc_curve(Y == "b", S).auc


def test_what_is_refused() -> None:
    for ask in (rb.roc_curve, rb.Sample):
        with pytest.raises(
            rb.InputError, match=r"for example by a sample with positive='b' and rest=True; or "
        ):
            ask(Y, S, positive="b")
    with pytest.raises(TypeError, match=r"rb\.roc_curve\(rb\.Sample\(y_true, y_score, rest=True\)"):
        rb.roc_curve(Y, S, positive="b", rest=True)
    with pytest.raises(rb.InputError, match="needs to know which"):
        rb.Sample(Y, S, rest=True)
    with pytest.raises(rb.InputError, match="'d' is not one of 'a', 'b', 'c'"):
        rb.Sample(Y, S, rest=True, positive="d")
    with pytest.raises(rb.InputError, match="`rest` must be True or False"):
        rb.Sample(Y, S, rest="yes", positive="b")  # type: ignore[arg-type]
