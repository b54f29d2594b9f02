"""Swaps and resamples: against complete enumeration, plain loops, and their own promises."""

from __future__ import annotations

import csv
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rocbands as rb
from rocbands.comparison.copies import Sorted, copies
from rocbands.comparison.permutation import Luck, Ranked, apart, observed
from rocbands.comparison.question import Pair
from tests.comparison.test_delong import pairs
from tests.comparison.worlds import null_pair
from tests.coverage.judge import may_lie_in
from tests.oracles import compare as oracle

TINY = {
    "untied": ([1, 0, 1, 0, 1, 0, 0, 1], [8, 1, 5, 4, 7, 2, 6, 3], [2, 3, 8, 1, 4, 5, 7, 6]),
    "tied": ([1, 0, 1, 0, 1, 0, 0], [2, 1, 2, 1, 0, 0, 0], [1, 1, 2, 0, 2, 0, 1]),
    "one positive": ([1, 0, 0, 0, 0], [3, 3, 2, 1, 0], [0, 1, 1, 2, 5]),
}


def ranked(labels, one, two) -> Ranked:
    return Ranked.of(Pair(*(rb.Scores.from_columns(labels, s) for s in (one, two))))


def swaps_of(n: int) -> np.ndarray:
    return (np.arange(2**n)[:, None] >> np.arange(n)[::-1] & 1).astype(bool)


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("name", TINY)
def test_every_swap(name: str, first: int) -> None:
    labels, one, two = TINY[name]
    swaps = swaps_of(len(labels))
    order = np.random.default_rng(4).permutation(len(labels)) / len(labels)
    luck = Luck(swaps, np.tile(order, (len(swaps), 1)), np.full(len(swaps), first))
    expected = np.array(oracle.all_swaps(labels, one, two, order.tolist(), first), dtype=float)
    assert apart(ranked(labels, one, two), luck) == pytest.approx(expected, abs=1e-12)


def close(pvalue: float, share: float, draws: int) -> bool:
    return abs(pvalue - share) < 5 * np.sqrt(share * (1 - share) / draws) + 1 / draws


def test_the_pvalue_is_the_share_of_all_swaps() -> None:
    labels, one, two = TINY["untied"]
    every = [oracle.all_swaps(labels, one, two, first=first) for first in (0, 1)]
    share = float(np.mean([value >= every[0][0] for part in every for value in part]))
    found = rb.compare(labels, one, two, "permutation", n_resamples=20_000, rng=5)
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
    found = rb.compare(labels, one, two, "permutation", n_resamples=20_000, rng=5)
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
    assert observed(models) == pytest.approx(float(oracle.apart(*data)), abs=1e-12)
    order, swap = rng.permutation(labels.size) / labels.size, rng.random(labels.size) < 0.5
    luck = Luck(swap[None], order[None], np.array([1]))
    expected = oracle.apart(*data, swap.tolist(), order.tolist(), 1)
    assert apart(models, luck)[0] == pytest.approx(float(expected), abs=1e-12)
    still = Luck(np.zeros((1, labels.size), dtype=bool), order[None], np.array([1]))
    assert apart(models, still)[0] == pytest.approx(observed(models), abs=1e-12)


def test_swapped_groups_swap_together() -> None:
    labels, one, two = TINY["untied"]
    groups = np.array([0, 0, 1, 1, 2, 2, 3, 3])
    models, swaps = ranked(labels, one, two), swaps_of(4)[:, groups]
    all_of_them = [apart(models, Luck(swaps, np.zeros((16, 8)), np.full(16, k))) for k in (0, 1)]
    share = float((np.concatenate(all_of_them) >= observed(models) - 1e-12).mean())
    found = rb.compare(labels, one, two, "permutation", groups=groups, n_resamples=5000, rng=5)
    assert close(found.pvalue, share, 5000)


@pytest.mark.parametrize("step", [0.0, 0.5])
def test_permutation_is_uniform_when_the_curves_are_equal(step: float) -> None:
    """The long look is `python -m tests.comparison.worlds`. Halved p-values fail."""
    rng, reps = np.random.default_rng(8), 300
    pvalues = []
    for _ in range(reps):
        rows = null_pair(rng, 20, 30, rho=0.5, step=step)
        pvalues.append(rb.compare(*rows, "permutation", n_resamples=99, rng=rng).pvalue)
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
    assert rb.compare(labels, steep, flat, "permutation", rng=1).pvalue < 0.01
    assert rb.compare(labels, steep, flat).pvalue > 0.05


def rows_of(weights: np.ndarray) -> list[int]:
    return np.repeat(np.arange(weights.size), weights.astype(int)).tolist()


@settings(max_examples=20)
@given(pairs(least=3))
def test_resampled_areas_in_a_plain_loop(rows) -> None:
    labels, one, two = rows
    scores = [rb.Scores.from_columns(labels, s) for s in (one, two)]
    drawn = copies(scores[0], None, 4, np.random.default_rng(3), least=2)
    assert (drawn.sum(axis=0) == labels.size).all()
    classes = drawn[labels == 1], drawn[labels == 0]
    areas = [Sorted.of(s).areas(drawn, *classes) for s in scores]
    from rocbands.comparison.bootstrap import _difference_and_variance

    pair = Pair(*scores)
    models = (Sorted.of(scores[0]), Sorted.of(scores[1]))
    both = _difference_and_variance(pair, models, (drawn, drawn), None)
    alone = [np.arange(labels.size)[labels == k] for k in (1, 0)]
    from rocbands.comparison.delong import Classes

    grouped = _difference_and_variance(pair, models, (drawn, drawn), Classes(*alone))
    for k, weights in enumerate(drawn.T):
        expected = oracle.resampled_difference(
            labels.tolist(), one.tolist(), two.tolist(), rows_of(weights)
        )
        assert areas[0].auc[k] - areas[1].auc[k] == pytest.approx(expected[0], abs=1e-12)
        assert tuple(both[:, k]) == (pytest.approx(expected[0]), pytest.approx(expected[1]))
        assert tuple(grouped[:, k]) == (pytest.approx(expected[0]), pytest.approx(expected[1]))


def test_copied_groups_in_a_plain_loop() -> None:
    from rocbands.comparison.bootstrap import _difference_and_variance
    from rocbands.comparison.delong import Classes

    rng = np.random.default_rng(6)
    labels, groups = rng.integers(0, 2, 24), np.repeat(np.arange(8), 3)
    one, two = rng.integers(0, 5, (2, 24)).astype(float)
    pair = Pair(*(rb.Scores.from_columns(labels, s) for s in (one, two)), groups=groups).in_order()
    labels, one, two = pair.one.is_positive.astype(int), pair.one.values, pair.two.values
    drawn = copies(pair.one, pair.groups, 5, rng, least=2)
    classes = Classes.of(pair.one, pair.groups)
    models = (Sorted.of(pair.one), Sorted.of(pair.two))
    found = _difference_and_variance(pair, models, (drawn, drawn), classes)
    for k, weights in enumerate(drawn.T):
        times = {g: int(weights[pair.groups == g][0]) for g in range(8)}
        rows = [(i, (g, c)) for i, g in enumerate(pair.groups) for c in range(times[g])]
        y, a, b = ([v[i] for i, _ in rows] for v in (labels.tolist(), one.tolist(), two.tolist()))
        expected = oracle.grouped_variance(y, a, b, [g for _, g in rows])
        assert found[1, k] == pytest.approx(expected)


def test_intervals_and_pvalues_agree() -> None:
    """A limit is where the test is just undecided."""
    with (Path(__file__).parents[1] / "golden" / "sim500.csv").open(encoding="utf-8") as file:
        rows = [(int(r["y"]), float(r["s1"]), float(r["s2"])) for r in csv.DictReader(file)]
    labels, one, two = map(np.array, zip(*rows, strict=True))
    for method in ("bootstrap", "bootstrap-t"):
        found = rb.compare(labels, two, one, method, alternative="greater", level=0.9, rng=1)
        for margin, shown in (
            (-found.difference.low + 0.004, True),
            (-found.difference.low - 0.004, False),
        ):
            other = rb.compare(labels, two, one, method, margin=margin, level=0.9, rng=1)
            assert (other.pvalue < 0.1) == shown
        near = rb.compare(labels, one, two)
        wide = rb.compare(labels, one, two, method, rng=1)
        assert wide.difference.low == pytest.approx(near.difference.low, abs=0.008)
        assert wide.difference.high == pytest.approx(near.difference.high, abs=0.008)
        apart_ = rb.compare(labels, one, two, method, paired=False, y_true_2=labels, rng=1)
        welch = rb.compare(labels, one, two, paired=False, y_true_2=labels)
        assert apart_.difference.low == pytest.approx(welch.difference.low, abs=0.01)
        assert apart_.difference.high == pytest.approx(welch.difference.high, abs=0.01)


@pytest.mark.parametrize("method", ["bootstrap", "bootstrap-t"])
def test_limits_of_skewed_laws_are_on_the_right_side(method: str) -> None:
    """The lower limit of a skewed law is where its own one-sided test turns."""
    rng = np.random.default_rng(3)
    labels = np.repeat([1, 0], [12, 20])
    weak, strong = rng.normal(size=32) + 0.5 * labels, rng.normal(size=32) + 3.0 * labels
    found = rb.compare(labels, weak, strong, method, alternative="greater", level=0.9, rng=1)
    for step, shown in ((0.002, True), (-0.002, False)):
        margin = step - found.difference.low
        other = rb.compare(labels, weak, strong, method, margin=margin, level=0.9, rng=1)
        assert (other.pvalue < 0.1) == shown
    below = found.difference.estimate - found.difference.low
    above = rb.compare(labels, weak, strong, method, alternative="less", level=0.9, rng=1)
    assert abs(above.difference.high - found.difference.estimate - below) > 0.005  # skewed indeed


def test_the_same_seed_gives_the_same_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = null_pair(np.random.default_rng(1), 40, 60, rho=0.5)
    for method in ("permutation", "bootstrap", "bootstrap-t"):
        seen = set()
        for threads in ("1", "2", "3"):
            monkeypatch.setenv("ROCBANDS_NUM_THREADS", threads)
            found = rb.compare(*rows, method, n_resamples=400, rng=9)
            seen.add((found.pvalue, found.difference.low))
        assert len(seen) == 1
