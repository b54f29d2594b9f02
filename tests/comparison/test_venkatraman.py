"""Venkatraman and Begg's test against complete enumeration, and its own promises."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rocbands as rb
from rocbands.comparison.venkatraman import (
    RankedPair,
    Swaps,
    compute_distances,
    compute_observed_distance,
)
from rocbands.core.pair import Pair
from tests.comparison.test_delong import pairs
from tests.comparison.worlds import null_pair
from tests.judge import may_lie_in
from tests.oracles import compare as oracle

TINY = {
    "untied": ([1, 0, 1, 0, 1, 0, 0, 1], [8, 1, 5, 4, 7, 2, 6, 3], [2, 3, 8, 1, 4, 5, 7, 6]),
    "tied": ([1, 0, 1, 0, 1, 0, 0], [2, 1, 2, 1, 0, 0, 0], [1, 1, 2, 0, 2, 0, 1]),
    "one positive": ([1, 0, 0, 0, 0], [3, 3, 2, 1, 0], [0, 1, 1, 2, 5]),
}


def ranked(labels, one, two) -> RankedPair:
    return RankedPair.from_pair(Pair(*(rb.Sample(labels, s).rows_of() for s in (one, two))))


def swaps_of(n: int) -> np.ndarray:
    return (np.arange(2**n)[:, None] >> np.arange(n)[::-1] & 1).astype(bool)


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("name", TINY)
def test_every_swap(name: str, first: int) -> None:
    labels, one, two = TINY[name]
    all_swaps = swaps_of(len(labels))
    order = np.random.default_rng(4).permutation(len(labels)) / len(labels)
    swaps = Swaps(all_swaps, np.tile(order, (len(all_swaps), 1)), np.full(len(all_swaps), first))
    expected = np.array(oracle.all_swaps(labels, one, two, order.tolist(), first), dtype=float)
    assert compute_distances(ranked(labels, one, two), swaps) == pytest.approx(expected, abs=1e-12)


def close(pvalue: float, share: float, draws: int) -> bool:
    return abs(pvalue - share) < 5 * np.sqrt(share * (1 - share) / draws) + 1 / draws


def test_the_pvalue_is_the_share_of_all_swaps() -> None:
    labels, one, two = TINY["untied"]
    every = [oracle.all_swaps(labels, one, two, first=first) for first in (0, 1)]
    share = float(np.mean([value >= every[0][0] for part in every for value in part]))
    found = rb.compare(labels, one, two, method="venkatraman", n_resamples=20_000, rng=5)
    assert found.statistic == pytest.approx(float(every[0][0]), abs=1e-12)
    assert close(found.pvalue, share, 20_000)


def test_the_pvalue_is_the_share_of_all_swaps_and_orders_of_ties() -> None:
    labels, one, two = [1, 0, 1, 0, 0], [2, 1, 2, 1, 0], [0, 1, 2, 1, 1]
    seen = oracle.apart(labels, one, two)
    every = [
        oracle.all_swaps(labels, one, two, list(order), first)
        for order in permutations(range(5))
        for first in (0, 1)
    ]
    share = float(np.mean([value >= seen for part in every for value in part]))
    found = rb.compare(labels, one, two, method="venkatraman", n_resamples=20_000, rng=5)
    assert found.statistic == pytest.approx(float(seen), abs=1e-12)
    assert close(found.pvalue, share, 20_000)


@given(pairs(least=1), st.integers(0, 2**32))
def test_distance_between_curves(rows, seed) -> None:
    """Of the observed curves, whatever the order of ties; and after a swap."""
    labels, one, two = rows
    rng, models, data = (
        np.random.default_rng(seed),
        ranked(labels, one, two),
        [r.tolist() for r in rows],
    )
    assert compute_observed_distance(models) == pytest.approx(float(oracle.apart(*data)), abs=1e-12)
    order, swap = rng.permutation(labels.size) / labels.size, rng.random(labels.size) < 0.5
    swaps = Swaps(swap[None], order[None], np.array([1]))
    expected = oracle.apart(*data, swap.tolist(), order.tolist(), 1)
    assert compute_distances(models, swaps)[0] == pytest.approx(float(expected), abs=1e-12)
    still = Swaps(np.zeros((1, labels.size), dtype=bool), order[None], np.array([1]))
    assert compute_distances(models, still)[0] == pytest.approx(
        compute_observed_distance(models), abs=1e-12
    )


def test_swapped_clusters_swap_together() -> None:
    labels, one, two = TINY["untied"]
    clusters = np.array([0, 0, 1, 1, 2, 2, 3, 3])
    models, swaps = ranked(labels, one, two), swaps_of(4)[:, clusters]
    all_of_them = [
        compute_distances(models, Swaps(swaps, np.zeros((16, 8)), np.full(16, k))) for k in (0, 1)
    ]
    share = float((np.concatenate(all_of_them) >= compute_observed_distance(models) - 1e-12).mean())
    found = rb.compare(
        rb.Sample(labels, {"model 1": one, "model 2": two}, clusters=clusters),
        method="venkatraman",
        n_resamples=5000,
        rng=5,
    )
    assert close(found.pvalue, share, 5000)


@pytest.mark.simulation
@pytest.mark.parametrize("step", [0.0, 0.5])
def test_permutation_is_uniform_when_the_curves_are_equal(step: float) -> None:
    """The long look is `python -m tests.comparison.worlds`. Halved p-values fail."""
    rng, reps = np.random.default_rng(8), 900
    pvalues = []
    for _ in range(reps):
        rows = null_pair(rng, 20, 30, rho=0.5, step=step)
        pvalues.append(rb.compare(*rows, method="venkatraman", n_resamples=99, rng=rng).pvalue)
    assert looks_uniform(np.array(pvalues))
    assert not looks_uniform(np.array(pvalues) / 2)


def looks_uniform(pvalues: np.ndarray) -> bool:
    return all(
        may_lie_in(int((pvalues <= level).sum()), pvalues.size, level - 0.01, level + 0.01, 0.9999)
        for level in (0.1, 0.5, 0.8)
    )


def test_permutation_sees_curves_that_cross() -> None:
    """Equal areas, different curves: the permutation test tells, DeLong's cannot."""
    rng = np.random.default_rng(2)
    labels = np.repeat([1, 0], [150, 150])
    steep = rng.normal(size=300) * np.where(labels == 1, 4.0, 1.0)
    flat = rng.normal(size=300)
    assert rb.compare(labels, steep, flat, method="venkatraman", rng=1).pvalue < 0.01
    assert rb.compare(labels, steep, flat).pvalue > 0.05
