"""Pieces of curves: they have every point that can be nearest, and no more than are needed."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from rocbands.likelihood.curves import Curves, angles, entropy
from tests.oracles import likelihood as slow


def pieces(curves: Curves, row: int) -> list[tuple[float, ...]]:
    part = slice(0, curves.half) if row == 0 else slice(curves.half, None)
    sides = (curves.fp_start, curves.tp_start, curves.fp_end, curves.tp_end)
    return list(zip(*(side[part] for side in sides), strict=True))


@pytest.mark.parametrize("levels", [None, 2, 4, 8])
@pytest.mark.parametrize("seed", range(8))
def test_pieces_dominate_all_points_and_lie_on_the_curve(seed: int, levels: int | None) -> None:
    rng = np.random.default_rng(seed)
    m, n = (int(k) for k in rng.integers(1, 12, 2))
    fp, tp = slow.random_curve(rng, m, n, levels)
    curves, points = Curves.from_counts(fp, tp), slow.points(fp, tp, 6)
    for row, pts in enumerate((points, 1 - points)):
        found = pieces(curves, row)
        kept = [
            (x0 + t * (x1 - x0), y0 + t * (y1 - y0))
            for x0, y0, x1, y1 in found
            for t in (np.linspace(0, 1, 7) if x1 > x0 else (0.0,))
        ]
        scaled = np.round(pts * [n, m], 9)
        # Every point of the curve has a kept one at or to the north-west of it ...
        for x, y in scaled:
            assert any(a <= x + 1e-9 and b >= y - 1e-9 for a, b in kept)
        # ... every kept one is on the curve, and they are in order, each beyond the last.
        assert {(round(a, 9), round(b, 9)) for a, b in kept} <= {tuple(p) for p in scaled}
        assert all(a[2] <= b[0] and a[3] <= b[1] for a, b in pairwise(found))
        assert (curves.slanted is not None) == any(x1 > x0 for x0, _, x1, _ in found)


@pytest.mark.parametrize("levels", [None, 5])
def test_searches_find_what_a_walk_does(levels: int | None) -> None:
    rng = np.random.default_rng(3)
    m, n = 13, 17
    curves = Curves.from_counts(*slow.random_curve(rng, m, n, levels))
    rates = np.concatenate((np.arange(n + 1) / n, np.arange(m + 1) / m, rng.random(30)))
    for row in (0, 1):
        found = pieces(curves, row)
        skip = row * curves.half
        for rate in rates:
            at = np.array([row]), np.array([rate])
            last = max(i for i, piece in enumerate(found) if piece[0] <= n * rate)
            assert curves.starting(*at)[0] - skip == last
            first = next(i for i, piece in enumerate(found) if piece[3] >= m * rate)
            assert curves.reaching(*at)[0] - skip == first


def test_many_rows_are_searched_like_single_curves() -> None:
    rng = np.random.default_rng(4)
    m, n = 6, 9
    fp = np.sort(rng.integers(0, n + 1, (5, m)), axis=1)
    many = Curves.from_rows(np.concatenate((np.zeros((5, 1), int), fp), axis=1), m, n)
    for row in range(5):
        counts = [0.0, *fp[row]]
        for rate in (0.0, 0.2, 1 / 3, 0.9, 1.0):
            at = np.array([row]), np.array([rate])
            start = row * (m + 1)
            assert many.starting(*at)[0] - start == sum(x <= n * rate for x in counts) - 1
            assert many.reaching(*at)[0] - start == np.ceil(m * rate)
        every = row * (m + 1) + np.arange(m + 1)
        np.testing.assert_array_equal(many.fp_entropy(every), entropy(np.array(counts), n))
        np.testing.assert_array_equal(many.tp_entropy(every), entropy(np.arange(m + 1.0), m))


def test_without_a_table_values_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = slow.random_curve(np.random.default_rng(5), 30, 40)
    tabulated = Curves.from_counts(*counts)
    some = np.array([3, 0, 7])
    found = [getattr(tabulated, name)(some) for name in ("fp_entropy", "tp_entropy", "tp_angle")]
    monkeypatch.setattr(Curves, "most_tabulated", 0)
    bare = Curves.from_counts(*counts)
    again = [getattr(bare, name)(some) for name in ("fp_entropy", "tp_entropy", "tp_angle")]
    np.testing.assert_array_equal(found, again)
    np.testing.assert_array_equal(found[2], angles(bare.tp_end[some], 30))


def test_joined_rows_are_those_of_both() -> None:
    one, two = (
        Curves.from_counts(*slow.random_curve(np.random.default_rng(seed), 9, 12, levels))
        for seed, levels in ((1, None), (2, 4))
    )
    joined = one.beside(two)
    assert pieces(joined, 0) == pieces(one, 0)
    assert pieces(joined, 1) == pieces(two, 1)
    assert one.beside(one) is one
