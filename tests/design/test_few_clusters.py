"""Fewer than ten clusters are said first: in the sentence, or in the first note."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rocbands as rb
from rocbands.core.phrases import say_few_clusters

FEW = say_few_clusters(6)


def draw(clusters: int) -> rb.Sample:
    rng = np.random.default_rng(1)
    code = rng.integers(0, clusters, 400)
    y = rng.random(400) < 0.4
    strong, weak = (
        rng.normal(size=400) + shift * y + 0.4 * rng.normal(size=clusters)[code]
        for shift in (1.4, 0.7)
    )
    scores = {name: 1 / (1 + np.exp(-s)) for name, s in (("a", strong), ("b", weak))}
    return rb.Sample(
        y, scores, clusters=code, keep={"sex": np.where(rng.random(400) < 0.5, "f", "m")}
    )


SAMPLES = {clusters: draw(clusters) for clusters in (6, 12)}
QUESTIONS: dict[str, Callable[[rb.Sample], Any]] = {
    "auc": lambda data: rb.auc_interval(data["a"]),
    "band": lambda data: rb.roc_band(data["a"]),
    "points": lambda data: rb.operating_points(data["a"], fpr=0.1),
    "compare": rb.compare,
    "compare_many": rb.compare_many,
    "compare_tpr": lambda data: rb.compare_tpr(data, fpr=0.1),
    "mcnemar": lambda data: rb.mcnemar(data, thresholds=(0.5, 0.5)),
    "difference": lambda data: rb.difference_band(data, n_resamples=200),
    "precision": lambda data: rb.average_precision_interval(data["a"]),
    "rate": lambda data: rb.rate_bounds(data["a"], rate=0.1),
    "benefit": lambda data: rb.net_benefit(data["a"]),
    "cost": lambda data: rb.cost_interval(data["a"], thresholds=[0.5], w=[0.5]),
    "brier": lambda data: rb.brier_score_interval(data["a"]),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_few_clusters_are_the_first_note(question: str) -> None:
    found = QUESTIONS[question](SAMPLES[6])
    assert found.notes[0] == FEW
    assert sum(note == FEW for note in found.notes) == 1
    more = QUESTIONS[question](SAMPLES[12])
    assert not any("come from only" in note for note in more.notes)


def ask_classes(data: rb.Sample) -> Any:
    rng = np.random.default_rng(2)
    labels = np.array(["cat", "dog", "owl"])[rng.integers(0, 3, data.n)]
    scores = rng.normal(size=(data.n, 3))
    return rb.class_bands(rb.Sample.of_classes(labels, scores, clusters=data.clusters))


@pytest.mark.parametrize(
    "ask",
    [
        rb.summary,
        ask_classes,
        lambda data: rb.subgroups(data["a"], by="sex", n_resamples=100),
        lambda data: rb.subgroups(data["a"], by="sex", n_resamples=100).gaps.of("auc"),
    ],
)
def test_first_sentences_begin_with_it(ask: Callable[[rb.Sample], Any]) -> None:
    few, more = ask(SAMPLES[6]), ask(SAMPLES[12])
    assert few.sentence.startswith(f"{FEW} ")
    assert FEW not in few.notes
    assert "come from only" not in more.sentence


def test_a_report_on_groups_begins_with_it() -> None:
    found = rb.subgroups(SAMPLES[6]["a"], by="sex", n_resamples=100)
    page = rb.report(found, path=None)
    assert page.headline[0] == found.sentence
    assert page.headline[0].startswith(FEW)
    assert sum("come from only" in said for said in page.headline) == 1
