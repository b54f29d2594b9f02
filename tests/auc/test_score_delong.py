"""The score interval with DeLong's components: against 40-digit numbers, and what it promises."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given

import rocbands as rb
from rocbands.auc.score_delong import ScoreDeLong, ScorePivot
from rocbands.core.method import Request
from rocbands.design.effective_sizes import count_independent_cases
from tests.golden_numbers import GOLDEN
from tests.judge import may_lie_in
from tests.oracles import auc as oracle
from tests.strategies import labelled_scores

KNOWN = json.loads((GOLDEN / "auc_score_delong.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", KNOWN, ids=lambda case: case["name"])
def test_the_numbers_of_forty_digits(case: dict) -> None:
    steps = np.arange(len(case["fp"]), 0, -1)
    roc = rb.RocCurve.from_counts(steps, case["fp"], case["tp"])
    found = rb.auc_interval(roc, method="score-delong", level=case["level"], null=case["null"])
    expected = case["estimate"], case["low"], case["high"]
    assert (found.estimate, found.low, found.high) == pytest.approx(expected, abs=1e-10)
    assert found.pvalue == pytest.approx(case["pvalue"], rel=1e-8, abs=1e-300)
    pivot = ScoreDeLong().build_pivot(roc, Request(0.95))
    assert isinstance(pivot, ScorePivot)
    assert pivot.unit == pytest.approx(case["unit"], rel=1e-10)
    assert pivot.df == pytest.approx(math.inf if case["df"] is None else case["df"], rel=1e-10)


@given(rows=labelled_scores(max_size=20))
def test_it_is_never_a_point_and_mirrors(rows: tuple[np.ndarray, np.ndarray]) -> None:
    y, s = rows
    found = rb.auc_interval(y, s, method="score-delong")
    assert found.low < found.high
    assert found.pvalue is not None
    both = rb.auc_interval(1 - y, -s, method="score-delong")
    assert (both.low, both.high) == pytest.approx((found.low, found.high), abs=1e-12)
    turned = rb.auc_interval(y, -s, method="score-delong")
    assert (1 - turned.high, 1 - turned.low) == pytest.approx((found.low, found.high), abs=1e-12)


def test_it_becomes_delong_s_with_many_cases() -> None:
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 20_000)
    s = rng.normal(size=y.size) + y
    score, delong = (rb.auc_interval(y, s, method=name) for name in ("score-delong", "delong"))
    assert score.standard_error == pytest.approx(delong.standard_error, rel=1e-3)
    assert (score.low, score.high) == pytest.approx((delong.low, delong.high), abs=1e-4)


# ----------------------------------------------------------------------------------------- clusters


def test_clusters_by_known_numbers() -> None:
    i = np.arange(30)
    y = (7 * i % 10 < 4).astype(int)
    s = 10 * (11 * i % 30) + 83 * y
    found = rb.auc_interval(rb.Sample(y, s, clusters=i // 3))
    assert found.estimate == pytest.approx(0.75)
    # That program sought the least number at vertices after rows of a class, (7.7283, 9.5294);
    # sought at all vertices it is the same for swapped classes.
    assert (found.low, found.high) == pytest.approx((0.484472055386, 0.905454543502), abs=1e-10)
    numbers = count_independent_cases(rb.Sample(y, s, clusters=i // 3).roc)
    assert numbers == pytest.approx((6.6296318249, 9.1774189095), abs=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_clusters_in_plain_loops(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = int(rng.integers(8, 70))
    y = np.r_[1, 0, (rng.random(size) < 0.4)].astype(int)
    code = rng.integers(0, 3 + size // 3, y.size)
    shared = rng.normal(size=code.max() + 1)[code] * (1 if seed % 3 else 2 * y - 1)
    s = rng.normal(size=y.size) + y + shared
    if seed % 2:
        s = s.round()
        _, first = np.unique(np.stack((y, s, code)), axis=1, return_index=True)
        y, s, code = y[first], s[first], code[first]
    roc = rb.Sample(y, s, clusters=code).roc
    expected = oracle.independent_cases(y.tolist(), s.tolist(), code.tolist())
    assert count_independent_cases(roc) == pytest.approx(expected, rel=1e-9)


def test_clusters_of_single_rows_change_nothing() -> None:
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 60)
    s = (rng.normal(size=60) + y).round(1)
    plain, alone = (
        rb.auc_interval(y, s),
        rb.auc_interval(rb.Sample(y, s, clusters=np.arange(60) * 7)),
    )
    assert (alone.low, alone.high) == (plain.low, plain.high)
    # Copies within their clusters add nothing but what the copies of a pseudo cluster change.
    copied = rb.auc_interval(
        rb.Sample(np.tile(y, 3), np.tile(s, 3), clusters=np.tile(np.arange(60), 3))
    )
    assert (copied.low, copied.high) == pytest.approx((plain.low, plain.high), abs=0.01)


def test_a_class_in_one_cluster_is_refused() -> None:
    y, s = [1, 1, 1, 0, 0, 0], [6, 5, 3, 4, 2, 1]
    found = rb.auc_interval(rb.Sample(y, s, clusters=[0, 0, 4, 1, 2, 3]))
    assert 0 < found.low < 0.3
    for clusters in ([0, 0, 0, 1, 2, 3], [0] * 6):
        with pytest.raises(rb.InputError, match="at least two clusters"):
            rb.auc_interval(rb.Sample(y, s, clusters=clusters))
    # Clusters of one row are independent rows.
    one = rb.auc_interval(rb.Sample([1, 0, 0, 0], [4, 3, 2, 1], clusters=range(4)))
    assert one.low == rb.auc_interval([1, 0, 0, 0], [4, 3, 2, 1]).low


@pytest.mark.simulation
def test_clusters_near_one_hold_where_logit_delong_does_not() -> None:
    """Twenty patients of each class with three rows each; AUC .98."""
    rng, reps = np.random.default_rng(4), 900
    held = {"score-delong": 0, "logit-delong": 0, "delong": 0}
    patient = np.repeat(np.arange(40), 3)
    y = (patient % 2).astype(int)
    shift = math.sqrt(2) * 2.0537489  # the .98 quantile
    for _ in range(reps):
        alike, own = rng.normal(size=40)[patient], rng.normal(size=120)
        scores = math.sqrt(0.5) * (alike + own) + shift * y
        for name in held:
            found = rb.auc_interval(rb.Sample(y, scores, clusters=patient), method=name)
            held[name] += found.low <= 0.98 <= found.high
    assert may_lie_in(held["score-delong"], reps, 0.93, 1.0, 0.9999)
    assert not may_lie_in(held["delong"], reps, 0.93, 1.0, 0.9999)
