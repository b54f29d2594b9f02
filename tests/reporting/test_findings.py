"""The first sentence of a report is the recommendation; statistics follow it."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import rocbands as rb
from rocbands.overview.recommendation import recommend
from rocbands.reporting.findings import write_statistics
from rocbands.reporting.request import ReportRequest
from rocbands.reporting.sentences import describe_ranges
from tests.reporting.conftest import payload_of

EXAMPLE = rb.load_example()
COST = re.compile(r"\bcosts?\b|cheap", re.IGNORECASE)


@pytest.mark.parametrize(
    ("asked", "recommended"),
    [
        ({}, {}),
        ({"fpr": 0.05}, {"fpr": 0.05}),
        ({"capacity": 0.05, "prevalence": 0.2}, {"rate": 0.05}),
        ({"costs": (5, 1)}, {"costs": (5, 1)}),
        ({"costs": (5, 1), "capacity": 0.1}, {"costs": (5, 1), "rate": 0.1}),
        (
            {"costs": (5, 1), "capacity": 0.1, "prevalence": 0.02},
            {"costs": (5, 1), "rate": 0.1, "prevalence": 0.02},
        ),
        ({"prevalence": 0.02}, {"prevalence": 0.02}),
    ],
)
def test_first_sentence_is_the_recommendation(
    asked: dict[str, Any], recommended: dict[str, Any]
) -> None:
    report = rb.report(EXAMPLE, path=None, rng=1, future=(5, 5), **asked)
    own = recommend(EXAMPLE, rng=1, **recommended)
    assert report.headline[0] == own.sentence
    found = report.payload["recommendation"]
    assert own.point is not None
    assert (found["model"], found["verdict"]) == (own.model, own.verdict)
    assert found["point"]["rule"]["name"] == own.point.rule.name
    assert found["point"]["tpr_low"] == pytest.approx(own.point.tpr_low, rel=1e-5)
    assert found["point"]["threshold"] == own.point.threshold
    assert found["point"]["threshold_text"] == own.point.text
    costs = [bool(COST.search(line)) for line in (*report.headline, *report.statistics)]
    assert any(costs) == ("costs" in asked or not asked or list(asked) == ["prevalence"])


def test_a_prevalence_is_not_for_a_capacity_alone() -> None:
    with pytest.raises(rb.InputError, match="`rate` is a share of cases like these rows"):
        recommend(EXAMPLE, rate=0.05, prevalence=0.2)


def test_statistics_stand_apart(example: dict[str, Any]) -> None:
    assert not any(re.search(r"\bp [=<]|interval", said) for said in example["headline"])
    assert any("p < 0.0001" in said for said in example["statistics"])
    assert example["statistics"][-1].endswith(
        "logistic finds more positives at most false positive rates from 0.02 to 0.68."
    )


def test_counts_are_recommended_without_a_comparison() -> None:
    scores = {name: EXAMPLE[name].values for name in EXAMPLE}
    counts = rb.ScoreCounts.from_arrays(EXAMPLE.is_positive, scores)
    report = rb.report(counts, path=None, rng=1, future=(5, 5))
    assert report.headline[0].startswith(
        "logistic has the highest AUC on these rows; the models were not compared: counts do not"
    )


def test_statistics_say_why_another_model_has_the_largest_area() -> None:
    request = ReportRequest.from_models(EXAMPLE)
    found = recommend(EXAMPLE, fpr=0.1)
    areas = {"logistic": 0.9, "neighbours": 0.8}

    def say_all(areas: dict[str, float]) -> str:
        models = [
            {"name": name, "auc": {"estimate": area, "low": None, "high": None}}
            for name, area in areas.items()
        ]
        best = max(models, key=lambda model: model["auc"]["estimate"])
        return " ".join(write_statistics(request, best, models, None, found))

    assert "about all" not in say_all(areas)
    assert (
        "The AUC is about all false positive rates; at the one above logistic finds most."
        in say_all(areas | {"neighbours": 0.95})
    )


def test_clusters_inside_folds_have_a_recommendation() -> None:
    rng = np.random.default_rng(2)
    clusters = np.repeat(np.arange(60), 2)
    y, scores = rng.random(120) < 0.5, rng.normal(size=120)
    payload = payload_of(y, {"a": scores}, clusters=clusters, folds=clusters % 3)
    sentence = payload["recommendation"]["sentence"]
    assert sentence.startswith("a is not shown to be better than guessing: the AUC is ")
    assert not any(part["section"] == "recommendation" for part in payload["omitted"])


@pytest.mark.parametrize(
    ("ranges", "words"),
    [
        ([(0.02, 0.0393), (0.0426, 0.441), (0.464, 0.6879)], "most false positive rates from 0.02 to 0.68"),
        ([(0.1, 0.2), (0.8, 0.9)], "some false positive rates from 0.1 to 0.9"),
        ([(0.1234, 0.4567)], "false positive rates from 0.13 to 0.45"),
        ([(0.1234, 0.1278)], "false positive rates from 0.123 to 0.128"),
        ([(0.0, 1.0)], "false positive rates from 0 to 1"),
        ([], ""),
    ],
)  # fmt: skip
def test_ranges_are_named_by_their_hull(ranges: list[tuple[float, float]], words: str) -> None:
    parts = [{"from": low, "to": high, "model": "a"} for low, high in ranges]
    assert describe_ranges([*parts, {"from": 0.0, "to": 1.0, "model": "b"}], "a") == words
