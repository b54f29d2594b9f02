"""Costs of normal classes (2009, section 7): formulas, old numbers, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

import rocbands as rb
from rocbands_studies.coverage.judge import may_lie_in
from rocbands_studies.papers.dugas_2009 import BinormalCost
from rocbands_studies.papers.dugas_2009.measurements import Model
from rocbands_studies.populations import FixedClasses

# By `rb.cost_interval(method="binormal")` of the example's models at level 0.9, when the method was
# part of the package (src/rocbands/cost/binormal.py before commit 9ce4877d): costs, lower and upper
# limits. Thresholds 1.2 and -0.4 lie beyond all scores.
W, CUT = [0.01, 0.2, 0.5, 0.9, 0.99], [1.2, 0.8, 0.5, 0.1, -0.4]
BEFORE = {
    "logistic": [
        "0.009710452493224152 0.1386617351909619 0.179667077393123 0.0879073688510536 "
        "0.010050889630918419",
        "0.00956074720204371 0.12989157047274016 0.15818454601862608 0.07948258473128521 "
        "0.009989699800672451",
        "0.009815381151328533 0.14706170458208875 0.20313640093756863 0.0997920279813598 "
        "0.010243736512588423",
    ],
    "neighbours": [
        "0.009989597433688633 0.1778488719809617 0.2856899723597958 0.10447579391207115 "
        "0.010023369556378501",
        "0.009947637841729948 0.17016646765320537 0.2606277838311935 0.09396495401656788 "
        "0.00998525482087653",
        "0.010046595207454972 0.18542697235636554 0.3119042640139556 0.11894668800694906 "
        "0.010146979649738614",
    ],
}


def ask(*data: Any, **arguments: Any) -> rb.results.CostIntervals:
    return rb.cost_interval(*data, method=BinormalCost(), **arguments)


@pytest.mark.parametrize("model", BEFORE)
def test_numbers_are_those_that_the_package_gave(model: str) -> None:
    got = ask(rb.load_example()[model], thresholds=CUT, w=W, level=0.9)
    for values, before in zip((got.cost, got.lower, got.upper), BEFORE[model], strict=True):
        assert values == pytest.approx(np.array(before.split(), float), rel=1e-12)
    assert "normal, and only then" in " ".join(got.notes)
    assert got.parameters == {}


def test_it_is_the_normal_model_and_knows_infinite_thresholds() -> None:
    rng = np.random.default_rng(2)
    y = np.repeat([1, 0], [40, 60])
    s = rng.normal(size=100) + y
    w, cut = np.array([0.05, 0.3, 0.6, 0.6]), np.array([9.0, 0.7, np.inf, -np.inf])
    got = ask(y, s, thresholds=cut, w=w, level=0.9)
    pos, neg = s[y == 1], s[y == 0]
    fnr = norm.cdf(cut, pos.mean(), pos.std(ddof=1))
    fpr = norm.sf(cut, neg.mean(), neg.std(ddof=1))
    assert got.cost == pytest.approx(w * fnr + (1 - w) * fpr)
    assert got.lower[2:] == pytest.approx([0.6, 0.4])
    assert got.upper[2:] == pytest.approx([0.6, 0.4])
    q = norm.ppf(0.95)
    for row in (0, 1):
        z1 = (cut[row] - pos.mean()) / pos.std(ddof=1)
        z2 = (neg.mean() - cut[row]) / neg.std(ddof=1)
        for sign, end in ((-1, got.lower), (1, got.upper)):
            limits = [
                norm.cdf(z + sign * q * np.sqrt((1 + z**2 / 2) / n))
                for z, n in ((z1, 40), (z2, 60))
            ]
            half = np.hypot(w[row] * (limits[0] - fnr[row]), (1 - w[row]) * (limits[1] - fpr[row]))
            assert sign * (end[row] - got.cost[row]) == pytest.approx(half)


def test_coverage_does_not_break_where_thresholds_leave_the_scores() -> None:
    """At w = .01 and theta = 1.5 gaussian limits hold in .02 of the test sets (Figure 2)."""
    model, w, reps = Model(1.5, -1.5), np.array([0.01]), 300
    cut, rng = model.thresholds(w), np.random.default_rng(1)
    truth, held = model.cost(w, cut)[0], dict.fromkeys(("binormal", "gaussian"), 0)
    for _ in range(reps):
        roc = rb.roc_curve(*model.draw(rng, FixedClasses(1000, 1000)))
        for method in (BinormalCost(), "gaussian"):
            got = rb.cost_interval(roc, method=method, thresholds=cut, w=w, level=0.9)
            held[got.method] += bool(got.lower[0] <= truth <= got.upper[0])
    assert may_lie_in(held["binormal"], reps, 0.87, 0.93, 0.999)
    assert may_lie_in(held["gaussian"], reps, 0.0, 0.6, 0.999)


EXAMPLE = rb.load_example()
ONE, OTHER = (
    rb.Sample(*Model(3.0, -3.0).draw(np.random.default_rng(seed), FixedClasses(20, 20)))
    for seed in (1, 2)
)
ROC = rb.RocCurve.from_counts([3, 2, 1], fp=[0, 2, 5], tp=[3, 3, 3], bins=True)
AT: dict[str, Any] = {"thresholds": 0.5, "w": 0.5}


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ask(ROC, thresholds=2, w=0.5), "the curve has bins"),
        (lambda: ask([1, 1, 0, 0], [2.0, 2, 1, 0], **AT), "positive scores.*all 2 are 2"),
        (lambda: ask([1, 1, 0, 0], [2.0, 3, 1, -np.inf], **AT), "negative.*some are infinite"),
        (lambda: ask([1, 1, 0, 0], [2.0, 3, 1, -1e305], **AT), "negative.*beyond 1e"),
        (
            lambda: ask(EXAMPLE["logistic"], thresholds=0.5, costs=(1, 2), sampling="full"),
            "stratified",
        ),
        (
            lambda: rb.cost_difference(
                EXAMPLE, method=BinormalCost(), thresholds=(0.5, 0.5), w=0.5
            ),
            "one model, not for a difference",
        ),
        (
            lambda: rb.cost_difference(
                ONE, OTHER, method=BinormalCost(), thresholds=(0.5, 0.5), w=0.5
            ),
            "one model, not for a difference",
        ),
    ],
)
def test_what_it_cannot_do_is_refused(call: Callable[[], object], words: str) -> None:
    with pytest.raises(rb.InputError, match=words):
        call()
