"""Resampled areas against plain loops; intervals and p-values of both bootstraps."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

import rocbands as rb
from rocbands.comparison.bootstrap import compute_differences_and_variances
from rocbands.core.pair import Pair
from rocbands.core.rows import Design
from rocbands.resample.weights import SortedRows, draw_weights
from tests.comparison.test_delong import pairs
from tests.comparison.worlds import null_pair
from tests.oracles import compare as oracle


def rows_of(weights: np.ndarray) -> list[int]:
    return np.repeat(np.arange(weights.size), weights.astype(int)).tolist()


@settings(max_examples=20)
@given(pairs(least=3))
def test_resampled_areas_in_a_plain_loop(rows) -> None:
    labels, one, two = rows
    scores = [rb.Sample(labels, s).rows_of() for s in (one, two)]
    drawn = draw_weights(scores[0], None, 4, np.random.default_rng(3), least=2)
    assert (drawn.sum(axis=0) == labels.size).all()
    areas = [SortedRows.from_rows(s).compute_areas(drawn) for s in scores]

    pair = Pair(*scores)
    models = (SortedRows.from_rows(scores[0]), SortedRows.from_rows(scores[1]))
    both = compute_differences_and_variances(pair, models, (drawn, drawn))
    alone = Pair(*scores, drawn=Design(clusters=np.arange(labels.size)))
    clustered = compute_differences_and_variances(alone, models, (drawn, drawn))
    for k, weights in enumerate(drawn.T):
        expected = oracle.resampled_difference(
            labels.tolist(), one.tolist(), two.tolist(), rows_of(weights)
        )
        assert areas[0].auc[k] - areas[1].auc[k] == pytest.approx(expected[0], abs=1e-12)
        assert tuple(both[:, k]) == (pytest.approx(expected[0]), pytest.approx(expected[1]))
        assert tuple(clustered[:, k]) == (pytest.approx(expected[0]), pytest.approx(expected[1]))


def test_copied_clusters_in_a_plain_loop() -> None:

    rng = np.random.default_rng(6)
    labels, clusters = rng.integers(0, 2, 24), np.repeat(np.arange(8), 3)
    one, two = rng.integers(0, 5, (2, 24)).astype(float)
    scores = (rb.Sample(labels, s).rows_of() for s in (one, two))
    pair = Pair(*scores, drawn=Design(clusters=clusters)).sort_rows()
    labels, one, two = pair.one.is_positive.astype(int), pair.one.values, pair.two.values
    drawn = draw_weights(pair.one, pair.drawn.clusters, 5, rng, least=2)
    models = (SortedRows.from_rows(pair.one), SortedRows.from_rows(pair.two))
    found = compute_differences_and_variances(pair, models, (drawn, drawn))
    for k, weights in enumerate(drawn.T):
        times = {g: int(weights[pair.drawn.clusters == g][0]) for g in range(8)}
        rows = [(i, (g, c)) for i, g in enumerate(pair.drawn.clusters) for c in range(times[g])]
        y, a, b = ([v[i] for i, _ in rows] for v in (labels.tolist(), one.tolist(), two.tolist()))
        expected = oracle.clustered_variance(y, a, b, [g for _, g in rows])
        assert found[1, k] == pytest.approx(expected)


def test_intervals_and_pvalues_agree() -> None:
    """A limit is where the test is just undecided."""
    with (Path(__file__).parents[1] / "golden" / "sim500.csv").open(encoding="utf-8") as file:
        rows = [(int(r["y"]), float(r["s1"]), float(r["s2"])) for r in csv.DictReader(file)]
    labels, one, two = map(np.array, zip(*rows, strict=True))
    for method in ("bootstrap", "bootstrap-t"):
        found = rb.compare(labels, two, one, method=method, alternative="greater", level=0.9, rng=1)
        for margin, shown in ((-found.low + 0.004, True), (-found.low - 0.004, False)):
            other = rb.compare(labels, two, one, method=method, margin=margin, level=0.9, rng=1)
            assert (other.pvalue < 0.1) == shown
        near = rb.compare(labels, one, two)
        wide = rb.compare(labels, one, two, method=method, rng=1)
        assert wide.low == pytest.approx(near.low, abs=0.008)
        assert wide.high == pytest.approx(near.high, abs=0.008)
        apart_ = rb.compare(rb.Sample(labels, one), rb.Sample(labels, two), method=method, rng=1)
        welch = rb.compare(rb.Sample(labels, one), rb.Sample(labels, two))
        assert apart_.low == pytest.approx(welch.low, abs=0.01)
        assert apart_.high == pytest.approx(welch.high, abs=0.01)


@pytest.mark.parametrize("method", ["bootstrap", "bootstrap-t"])
def test_limits_of_skewed_laws_are_on_the_right_side(method: str) -> None:
    """The lower limit of a skewed law is where its own one-sided test turns."""
    rng = np.random.default_rng(3)
    labels = np.repeat([1, 0], [12, 20])
    weak, strong = rng.normal(size=32) + 0.5 * labels, rng.normal(size=32) + 3.0 * labels
    found = rb.compare(labels, weak, strong, method=method, alternative="greater", level=0.9, rng=1)
    for step, shown in ((0.002, True), (-0.002, False)):
        margin = step - found.low
        other = rb.compare(labels, weak, strong, method=method, margin=margin, level=0.9, rng=1)
        assert (other.pvalue < 0.1) == shown
    below = found.difference - found.low
    above = rb.compare(labels, weak, strong, method=method, alternative="less", level=0.9, rng=1)
    assert abs(above.high - found.difference - below) > 0.005  # skewed indeed


def test_the_same_seed_gives_the_same_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = null_pair(np.random.default_rng(1), 40, 60, rho=0.5)
    for method in ("venkatraman", "bootstrap", "bootstrap-t"):
        seen = set()
        for threads in ("1", "2", "3"):
            monkeypatch.setenv("ROCBANDS_NUM_THREADS", threads)
            found = rb.compare(*rows, method=method, n_resamples=400, rng=9)
            seen.add((found.pvalue, found.low))
        assert len(seen) == 1
