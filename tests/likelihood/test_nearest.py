"""Distances of single points against the definition: all vertices, tied segments cut finely."""

from __future__ import annotations

import numpy as np
import pytest

from rocbands.likelihood import nearest as nearest_module
from rocbands.likelihood.curves import Curves
from rocbands.likelihood.nearest import nearest
from tests.oracles import likelihood as slow


def check(seed: int, levels: int | None, sizes: tuple[int, int], future: slow.Future) -> None:
    rng = np.random.default_rng(seed)
    m, n = (int(k) for k in rng.integers(1, sizes, 2))
    fp, tp = slow.random_curve(rng, m, n, levels)
    curves, points = Curves.from_counts(fp, tp, future), slow.points(fp, tp, 300)
    u = np.concatenate(([0.0, 0.0, 1.0], rng.random(12), rng.integers(0, n + 1, 3) / n))
    v = np.concatenate(([1.0, 0.0, 1.0], rng.random(12), rng.integers(0, m + 1, 3) / m))
    for row, pts in enumerate((points, 1 - points)):
        found = nearest(curves, np.full(u.size, row), u, v)
        expected = [slow.distance_up(pts, m, n, *at, future) for at in zip(u, v, strict=True)]
        # The oracle cuts segments: it is never nearer, and a little too far.
        assert (found.distance <= np.array(expected) + 1e-9).all()
        tolerance = 1e-9 if levels is None else 2e-3
        np.testing.assert_allclose(found.distance, expected, rtol=tolerance, atol=tolerance)
        # The point that is reported has that distance, and lies on its piece.
        again = curves.margins.cost(found.fp, found.tp, u, v)
        np.testing.assert_allclose(again, found.distance, atol=1e-12)
        assert (found.fp >= curves.fp_start[found.piece]).all()
        assert (found.fp <= curves.fp_end[found.piece]).all()


@pytest.mark.parametrize("levels", [None, 2, 5])
@pytest.mark.parametrize("seed", range(6))
def test_against_the_definition(seed: int, levels: int | None) -> None:
    check(seed, levels, (2, 25), None if seed % 2 else (7, 30))


@pytest.mark.parametrize("levels", [None, 8])
@pytest.mark.parametrize("seed", range(4))
def test_by_blocks(seed: int, levels: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearest_module, "_LONG", 4)
    monkeypatch.setattr(nearest_module, "_CHUNK", 16)
    check(seed, levels, (20, 60), (40, 30) if seed == 3 else None)


@pytest.mark.parametrize("levels", [6, 12, 25])
def test_blocks_of_tied_segments_are_not_dropped(
    levels: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two paths: windows as a whole, and by blocks of a few segments."""
    rng = np.random.default_rng(levels)
    curves = Curves.from_counts(*slow.random_curve(rng, 300, 400, levels))
    u, v, row = rng.random(400), rng.random(400), rng.integers(0, 2, 400)
    whole = nearest(curves, row, u, v).distance
    monkeypatch.setattr(nearest_module, "_LONG", 1)
    np.testing.assert_allclose(nearest(curves, row, u, v).distance, whole, rtol=1e-12)


@pytest.mark.parametrize("future", [None, (11, 40)])
def test_with_a_limit_only_larger_distances_change(future: slow.Future) -> None:
    rng = np.random.default_rng(7)
    curves = Curves.from_counts(*slow.random_curve(rng, 60, 90), future)
    u, v, row = rng.random(300), rng.random(300), np.zeros(300, dtype=int)
    whole = nearest(curves, row, u, v).distance
    for c in (0.5, 2.0, 6.0):
        found = nearest(curves, row, u, v, c).distance
        near = whole <= c
        np.testing.assert_array_equal(found[near], whole[near])
        assert (found[~near] > c).all()
