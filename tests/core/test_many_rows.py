"""Many rows are looked at without new memory, and the numbers are those of whole arrays."""

from __future__ import annotations

import pickle
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rocbands as rb
from rocbands.core import counting
from rocbands.core.counting import bisect, count_steps, cut_pieces
from rocbands.core.counts import inside_bins


def test_pieces_are_all_rows_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "PIECE", 7)
    rows = np.arange(40)
    for size in (0, 1, 7, 8, 40):
        parts = [rows[:size][part] for part in cut_pieces(size)]
        np.testing.assert_array_equal(np.concatenate([rows[:0], *parts]), rows[:size])
        # With one row of the piece before, every pair of neighbours is in one piece.
        pairs = [np.diff(rows[:size][part]) for part in cut_pieces(size, overlap=1)]
        assert sum(len(pair) for pair in pairs) == max(size - 1, 0)


def test_bisection_is_a_search_of_an_array() -> None:
    rng = np.random.default_rng(1)
    for size in (1, 2, 3, 50, 1001):
        falling = np.sort(rng.integers(0, 40, size))[::-1]
        places = rng.integers(-2, 43, (3, 5))
        found = bisect(size, lambda row, f=falling, p=places: f[row] >= p, places.shape)
        np.testing.assert_array_equal(found, (falling >= places[..., None]).sum(axis=-1))


SCORES: dict[str, Callable[[np.random.Generator, int], Any]] = {
    "floats": lambda rng, n: rng.normal(size=n),
    "tied float32": lambda rng, n: rng.normal(size=n).round(1).astype(np.float32),
    "probabilities, some tied": lambda rng, n: np.append(
        rng.random(n // 2), rng.random(n - n // 2).round(1)
    ),
    "whole numbers": lambda rng, n: rng.integers(-4, 4, n),
    "few levels": lambda rng, n: rng.integers(0, 2, n).astype(np.uint8),
    "one level": lambda _, n: np.zeros(n),
    "infinite": lambda rng, n: np.where(rng.random(n) < 0.3, np.inf, -0.0),
}


@pytest.mark.parametrize("kind", SCORES)
def test_counts_are_those_of_each_distinct_score(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "PIECE", 5)
    rng = np.random.default_rng(2)
    for n in (2, 5, 6, 11, 60):
        positive, values = rng.random(n) < 0.4, SCORES[kind](rng, n)
        thresholds, fp, tp = count_steps(positive, values)
        np.testing.assert_array_equal(thresholds, np.unique(values)[::-1])
        called = values >= thresholds[:, None]
        np.testing.assert_array_equal(tp, np.append(0, (called & positive).sum(axis=1)))
        np.testing.assert_array_equal(fp, np.append(0, (called & ~positive).sum(axis=1)))
        assert thresholds.dtype == values.dtype


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int64])
def test_thresholds_are_found_in_any_type(kind: type[Any]) -> None:
    falling = np.array([7, 5, 2, -1, -3], kind)
    cut = np.array([9.0, 7.0, 6.0, 2.0, 0.0, -3.0, -8.0])
    whole, inside = inside_bins(falling, None, cut)
    np.testing.assert_array_equal(whole, [0, 1, 1, 3, 3, 5, 5])
    np.testing.assert_array_equal(inside, [True, False, True, False, True, False, False])


def test_vertices_are_the_counts_with_the_origin() -> None:
    rng = np.random.default_rng(5)
    y = np.arange(50) % 3 == 0
    for roc in (rb.roc_curve(y, rng.random(50)), rb.roc_curve(y, rng.integers(0, 9, 50))):
        for one in (roc, roc.mirrored):
            for counts, side in zip(one.vertices, (one.fp, one.tp), strict=True):
                assert counts[0] == 0
                np.testing.assert_array_equal(counts[1:], side)
                assert np.shares_memory(counts, side) == (one is roc)
        again = pickle.loads(pickle.dumps(roc))
        np.testing.assert_array_equal(again.vertices, roc.vertices)
    # A level that no row has is no vertex.
    empty = rb.RocCurve(np.array([3, 2, 1]), np.array([0, 0, 2]), np.array([1, 1, 1]))
    np.testing.assert_array_equal(empty.vertices, [[0, 0, 2], [0, 1, 1]])


def test_answers_of_a_million_rows_take_hardly_more_memory_than_the_curve() -> None:
    rng = np.random.default_rng(6)
    rows = 1 << 20
    y = rng.random(rows) < 0.5
    scores = 1.0 / (1.0 + np.exp(-rng.normal(size=rows) - y))
    # Bytes a row: scores and counts of both classes are 24, the classes are one more;
    # where a few scores are tied, both are in memory before and after these are merged.
    tasks: list[tuple[float, Callable[[Any, Any], object]]] = [
        (27, rb.roc_curve),
        (40, lambda y, s: rb.roc_band(y, s).area),
        (56, lambda y, s: rb.operating_points(y, s, fpr=0.1)),
        (27, lambda y, s: rb.rate_bounds(y, s, rate=[0.1])),
        (38, lambda y, s: rb.roc_curve(y, s.astype(np.float32))),
    ]
    for most, task in tasks:
        task(y[:100], scores[:100])  # what is imported does not count
        tracemalloc.start()
        task(y, scores)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak / rows < most
