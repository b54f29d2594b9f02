"""Counts of calls at thresholds: the rows counted one by one, at the threshold of the findings."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rocbands as rb
from rocbands.cost.thresholds import split_rows
from tests.reporting.conftest import payload_of

RNG = np.random.default_rng(12)
Y = RNG.random(200) < 0.3
SCORES = {"a": (RNG.normal(size=200) + 1.5 * Y).round(1), "b": RNG.random(200) * 0.9 + 0.1 * Y}


def check_counts(part: dict[str, Any], y: Any, scores: dict[str, Any]) -> None:
    for model in part["models"]:
        called = scores[model["name"]] >= float(model["threshold"])
        counts = [np.count_nonzero(called[y]), np.count_nonzero(~called[y])]
        counts += [np.count_nonzero(called[~y]), np.count_nonzero(~called[~y])]
        assert [model[key] for key in ("tp", "fn", "fp", "tn")] == counts
        assert model["tpr"] == pytest.approx(called[y].mean(), abs=1e-6)
        assert model["fpr"] == pytest.approx(called[~y].mean(), abs=1e-6)


@pytest.mark.parametrize("asked", [{}, {"fpr": 0.033}, {"capacity": 0.15}])
def test_all_rows_are_counted(asked: dict[str, Any]) -> None:
    payload = payload_of(Y, SCORES, future=(5, 5), **asked)
    for part in payload["confusion"]:
        assert [model["name"] for model in part["models"]] == ["a", "b"]
        assert part["rows"] == ""
        check_counts(part, Y, SCORES)
    rules = [part["rule"] for part in payload["confusion"]]
    assert len(set(rules)) == len(rules)
    first, found = payload["confusion"][0], payload["recommendation"]
    check_points(first, found)
    if not asked:
        assert first["rule"] == "at most 10% false positives"


def check_points(first: dict[str, Any], found: dict[str, Any]) -> None:
    """The first counts are those of the points of the findings, for each model."""
    ruling = found["point"]["rule"]
    for model in first["models"]:
        point = next(
            one for one in found["points"] if (one["model"], one["rule"]) == (model["name"], ruling)
        )
        assert [model[key] for key in ("threshold", "tp", "fp", "tpr", "fpr")] == [
            pytest.approx(point[key], rel=1e-5) for key in ("threshold", "tp", "fp", "tpr", "fpr")
        ]


def test_thresholds_of_costs_are_counted_on_all_rows() -> None:
    payload = payload_of(Y, SCORES, future=(5, 5), costs=(7, 2), prevalence=0.1)
    first, found = payload["confusion"][0], payload["recommendation"]
    assert first["rule"] == "least cost at 7 : 2"
    check_counts(first, Y, SCORES)
    check_points(first, found)
    chosen = split_rows(rb.Sample(Y, SCORES), 1)[0]
    w = rb.operating_condition(7, 2, 0.1)
    for model in first["models"]:
        cut = rb.cost_thresholds(chosen[model["name"]], w=w).thresholds[0]
        assert model["threshold"] == cut


def test_of_two_rules_the_first_counts_are_named_by_those_that_rule() -> None:
    """A small capacity rules for both models: no threshold of theirs is that of the costs."""
    payload = payload_of(Y, SCORES, future=(5, 5), costs=(50, 1), capacity=0.1)
    first, found = payload["confusion"][0], payload["recommendation"]
    assert {one["rule"]["name"] for one in found["points"]} == {"costs", "rate"}
    assert first["rule"] == "acting on 10% of the cases"
    check_points(first, found)


def test_rates_of_weighted_rows_are_weighted() -> None:
    weights = RNG.random(200) + 0.1
    payload = payload_of(Y, SCORES, weights=weights, future=(5, 5))
    for part in payload["confusion"]:
        for model in part["models"]:
            called = SCORES[model["name"]] >= float(model["threshold"])
            assert model["tp"] == np.count_nonzero(called[Y])
            share = weights[Y & called].sum() / weights[Y].sum()
            assert model["tpr"] == pytest.approx(share, abs=1e-6)


def test_folds_have_no_common_threshold() -> None:
    payload = payload_of(Y, {"a": SCORES["a"]}, folds=np.arange(200) % 4)
    assert payload["confusion"] == []
