"""Costs in words: the numbers of a sentence are those of its result."""

from __future__ import annotations

import re

import numpy as np
import pytest

import rocbands as rb

SAMPLE = rb.load_example()
LATER = SAMPLE.take(np.arange(SAMPLE.n) % 2 == 1)


def numbers(text: str) -> list[float]:
    return [float(part.replace(",", "")) for part in re.findall(r"-?[\d,]*\.?\d+", text)]


@pytest.mark.parametrize("costs", [(5, 1), (1, 5), (500, 2.5)])
@pytest.mark.parametrize("sampling", ["stratified", "full"])
def test_costs_per_1000_cases(costs, sampling) -> None:
    """By hand: errors times their costs, for 1,000 rows of the test set's share of positives."""
    one = LATER["logistic"]
    found = rb.cost_interval(one, thresholds=0.3, costs=costs, sampling=sampling)
    called = one.values >= 0.3
    missed, alarms = (~called[one.is_positive]).sum(), called[~one.is_positive].sum()
    by_hand = 1000 * (costs[0] * missed + costs[1] * alarms) / one.n
    head, _, tail = found.sentence.rpartition(" costs ")
    ratio = (
        f"{costs[0] / costs[1]:g} : 1" if costs[0] > costs[1] else f"1 : {costs[1] / costs[0]:g}"
    )
    assert head == f"At costs {ratio} (missed positive : false alarm) threshold 0.3"
    cost, _, low, high = numbers(tail)
    assert cost == pytest.approx(by_hand, abs=0.6)
    assert (low, high) == (
        pytest.approx(found.lower_per_1000[0], abs=0.6),
        pytest.approx(found.upper_per_1000[0], abs=0.6),
    )


def test_costs_without_amounts() -> None:
    found = rb.cost_interval(LATER["logistic"], thresholds=0.4, w=[0.2, 0.5, 0.9])
    assert found.sentence == (
        "At costs 1.58 : 1 (missed positive : false alarm) threshold 0.4 costs 20% of the most that "
        "errors can cost (16 to 26)."
    )
    assert found.cost[1] == pytest.approx(0.20, abs=0.005)
    none = rb.cost_interval(LATER["logistic"], thresholds=np.inf, w=0.5)
    assert "calling no case positive costs 50% of the most" in none.sentence
    full = rb.cost_interval(LATER["logistic"], thresholds=0.4, w=0.5, sampling="full")
    assert "times the dearer error per 100 cases" in full.sentence


def test_differences_of_costs() -> None:
    gap = rb.cost_difference(LATER, thresholds=(0.3, 0.3), costs=(5, 1))
    costs = [
        rb.cost_interval(LATER[name], thresholds=0.3, costs=(5, 1)).cost_per_1000[0]
        for name in LATER.models
    ]
    first, _, second, size, *limits = numbers(
        gap.sentence.rpartition(" costs ")[2].replace("1,000", "1")
    )
    assert (first, second) == (pytest.approx(costs[0], abs=0.6), pytest.approx(costs[1], abs=0.6))
    assert size == pytest.approx(abs(costs[0] - costs[1]), abs=0.6)
    # Model 1 costs less, which may be chance: each limit has a direction.
    assert limits == [
        pytest.approx(gap.upper_per_1000[0], abs=0.6),
        pytest.approx(-gap.lower_per_1000[0], abs=0.6),
    ]
    assert re.search(r"less \(\d+ more to \d+ less\), which may be chance", gap.sentence)
    assert (", which may be chance." in gap.sentence) == (gap.better == ())
    points = rb.cost_difference(LATER, thresholds=(0.4, 0.4), w=0.5)
    assert "points less" in points.sentence
    several = rb.cost_difference(LATER, thresholds=([0.4] * 3, [0.4] * 3), w=[0.3, 0.5, 0.95])
    (part,) = several.better
    assert (part.low, part.high) == (0.3, 0.5)
    assert several.sentence == (
        "logistic is cheaper at costs from 1 : 1.48 to 1.58 : 1 (missed positive : false alarm)."
    )
    same = rb.cost_difference(
        LATER.is_positive, *2 * [LATER["logistic"].values], thresholds=(0.4, 0.4), w=[0.3, 0.5]
    )
    assert same.sentence == "Neither model is shown to be cheaper at any of these costs."


def test_cost_curves() -> None:
    curve = rb.cost_curve(SAMPLE["neighbours"])
    low, high = curve.beats_trivial
    assert low == 0.0
    odds = high / (1 - high) * curve.n_neg / curve.n_pos
    assert (
        f"at costs from 0 : 1 to {odds:.3g} : 1 (missed positive : false alarm)." in curve.sentence
    )
    assert "optimistic" in curve.sentence
    useless = rb.cost_curve([1, 0, 1, 0], [1, 1, 1, 1])
    assert useless.sentence == "At no costs is a threshold cheaper than calling all rows alike."


def test_thresholds_are_a_result() -> None:
    y, score = [1, 1, 0, 1, 0, 1], [0.89, 0.75, 0.6, 0.45, 0.3, 0.17]
    found = rb.cost_thresholds(y, score, w=[0.1, 0.45, 0.9])
    assert found.sentence == "At w = 0.45 call cases with scores of at least 0.75 positive."
    assert found.to_dict()["columns"]["thresholds"] == [0.75, 0.75, 0.17]
    assert np.asarray(found).tolist() == [0.75, 0.75, 0.17]
    assert len(found) == 3
    assert rb.cost_thresholds(y, score, w=0.0).sentence.endswith("positive.")
    nobody = rb.cost_thresholds([0, 1, 0, 1], [4, 3, 2, 1], w=0.1)
    assert nobody.sentence == "At w = 0.1 call no case positive."
