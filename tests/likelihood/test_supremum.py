"""The largest distance of a curve against a walk in small steps, and against the edges."""

from __future__ import annotations

import numpy as np
import pytest

from rocbands.core.curve import Curve
from rocbands.likelihood.region import LikelihoodRegion
from tests.oracles import likelihood as slow

DIAGONAL = np.array([0.0, 1.0])


def statistic(
    fp: np.ndarray, tp: np.ndarray, x: np.ndarray, y: np.ndarray, future: slow.Future = None
) -> float:
    return LikelihoodRegion(fp, tp, 0.0, future).statistic(Curve(x, y))


@pytest.mark.parametrize("seed", range(24))
def test_against_a_dense_walk(seed: int) -> None:
    rng = np.random.default_rng(seed)
    m, n = (int(k) for k in rng.integers(1, 14, 2))
    levels = [None, None, 3][seed % 3]
    fp, tp = slow.random_curve(rng, m, n, levels)
    future, x, y = None, DIAGONAL, DIAGONAL
    if seed % 4 == 0:
        future = tuple(int(k) for k in rng.integers(1, 20, 2))
        later_fp, later_tp = slow.random_curve(rng, *future, [None, 3][seed % 8 // 4])
        x, y = later_fp / future[1], later_tp / future[0]
    elif seed % 4 > 1:
        x = np.concatenate([[0, 0], np.sort(rng.random(3)), [1]])
        y = np.concatenate([[0], np.sort(rng.random(4)), [1]])
    pts = slow.points(fp, tp, 60)
    dense = slow.supremum(pts, m, n, x, y, future)
    found = statistic(fp, tp, x, y, future)
    # The walk misses the peak from below; cut segments overstate the distance a little.
    assert found >= dense - (1e-9 if levels is None else 0.02)
    assert found <= dense + 0.08 * (1 + dense)
    assert LikelihoodRegion(fp, tp, found, future).contains(Curve(x, y))
    below = LikelihoodRegion(fp, tp, found - 1e-6, future)
    assert found < 1e-6 or not below.contains(Curve(x, y))


@pytest.mark.parametrize("seed", range(12))
def test_containment_and_edges_agree(seed: int) -> None:
    """Two paths: the largest distance along a curve, and edges beside the curve."""
    rng = np.random.default_rng(seed)
    fp, tp = slow.random_curve(rng, 30, 50, [None, 6][seed % 2])
    power = float(rng.choice([0.5, 0.8, 1.0, 1.3]))
    x = np.unique(np.concatenate([np.linspace(0, 1, 4001), np.geomspace(1e-9, 1e-3, 200)]))
    curve = Curve(x, x**power)
    found = LikelihoodRegion(fp, tp, 1.0).statistic(curve)
    for c, inside in ((found + 1e-6, True), (found - 0.02, False)):
        region = LikelihoodRegion(fp, tp, c)
        held = (region.lower_at(x) <= x**power) & (x**power <= region.upper_at(x))
        assert held.all() == inside
        assert region.contains(curve) == inside
