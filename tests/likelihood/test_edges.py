"""Edges of the likelihood region against numbers made elsewhere and against their definition."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rocbands as rb
from rocbands.core.curve import Curve
from rocbands.likelihood import edges as edges_module
from rocbands.likelihood.region import LikelihoodRegion
from tests.golden_numbers import GOLDEN, columns
from tests.oracles import likelihood as slow

CASES = json.loads((GOLDEN / "likelihood_edges.json").read_text(encoding="utf-8"))["cases"]


def counts(labels: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    roc = rb.roc_curve(labels, scores)
    return np.append(0, roc.fp), np.append(0, roc.tp)


def counts_of_case(name: str) -> tuple[np.ndarray, np.ndarray]:
    if name.startswith("six"):
        return counts([1, 1, 0, 1, 0, 1], [6, 5, 4, 3, 2, 1])
    if name.startswith("perfect"):
        return counts([1] * 10 + [0] * 10, np.arange(20)[::-1])
    if "four levels" in name:
        return np.cumsum([0, 500, 900, 1300, 2300]), np.cumsum([0, 2600, 1300, 700, 400])
    data = columns("sim500")
    y, s = data["y"], data[name.replace("tied: ", "").split()[1]]
    if "first 15" in name:
        keep = np.append(np.flatnonzero(y == 1)[:15], np.flatnonzero(y == 0)[:25])
        y, s = y[keep], s[keep]
    return counts(y, s)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["case"])
def test_golden(case: dict) -> None:
    fp, tp = counts_of_case(case["case"])
    assert (tp[-1], fp[-1]) == (case["n_pos"], case["n_neg"])
    future = tuple(case["future"]) if case["future"] else None
    region = LikelihoodRegion(fp, tp, case["c"], future)
    tolerance = 1e-5 if "tied" in case["case"] else 1e-8
    fpr = np.array(case["fpr"])
    np.testing.assert_allclose(region.upper_at(fpr), case["upper"], rtol=0, atol=tolerance)
    np.testing.assert_allclose(region.lower_at(fpr), case["lower"], rtol=0, atol=tolerance)


@pytest.mark.parametrize("seed", range(24))
def test_brute_force(seed: int) -> None:
    rng = np.random.default_rng(seed)
    m, n = (int(k) for k in rng.integers(1, 12 if seed % 3 else 60, 2))
    levels = [None, 2, 5, 1][seed % 4]
    fp, tp = slow.random_curve(rng, m, n, levels)
    future = None if seed % 2 else tuple(int(k) for k in rng.integers(1, 80, 2))
    c = float(rng.choice([0.3, 1.0, 3.0, 8.0]))
    u = np.concatenate([[0, 1], rng.random(6), rng.integers(0, n + 1, 2) / n])
    pts = slow.points(fp, tp, 400)
    region = LikelihoodRegion(fp, tp, c, future)
    # The oracle cuts a tied segment into 400 pieces, so it cannot do better than this.
    tolerance = 1e-9 if levels is None else 1e-3
    upper = [slow.upper(pts, m, n, c, x, future) for x in u]
    lower = [1 - slow.upper(1 - pts, m, n, c, 1 - x, future) for x in u]
    np.testing.assert_allclose(region.upper_at(u), upper, rtol=0, atol=tolerance)
    np.testing.assert_allclose(region.lower_at(u), lower, rtol=0, atol=tolerance)


def few_steps(rng: np.random.Generator, tied: bool) -> tuple[np.ndarray, np.ndarray]:
    """Counts of a curve of few steps, some of them large."""
    steps = int(rng.integers(1, 5))
    neg, pos = (rng.integers(1, int(10 ** rng.uniform(0.3, 2.5)) + 1, steps) for _ in range(2))
    if not tied:
        neg, pos = np.stack((neg, 0 * neg)).T.ravel(), np.stack((0 * pos, pos)).T.ravel()
        if rng.random() < 0.5:
            neg, pos = neg[::-1], pos[::-1]
    return np.append(0, np.cumsum(neg)), np.append(0, np.cumsum(pos))


@pytest.mark.parametrize(
    ("seed", "tied"), [(i, False) for i in range(20)] + [(i, True) for i in range(10)]
)
def test_few_steps_against_the_definition(seed: int, tied: bool) -> None:
    """Edges far from all candidates but one, heights of exactly 1, starts that are far off."""
    rng = np.random.default_rng(seed)
    fp, tp = few_steps(rng, tied)
    m, n, c = int(tp[-1]), int(fp[-1]), float(rng.choice([0.02, 0.3, 2.0, 6.0]))
    region, pts = LikelihoodRegion(fp, tp, c), slow.points(fp, tp, 120)
    u = np.concatenate(([0.0, 1.0], rng.random(6), fp[1:-1] / n))
    upper = np.array([slow.upper(pts, m, n, c, x) for x in u])
    lower = 1 - np.array([slow.upper(1 - pts, m, n, c, 1 - x) for x in u])
    tolerance = 5e-3 if tied else 1e-9
    np.testing.assert_allclose(region.upper_at(u), upper, rtol=0, atol=tolerance)
    np.testing.assert_allclose(region.lower_at(u), lower, rtol=0, atol=tolerance)
    # (E15): where a rate of 1 is inside, the height is exactly 1.
    for at, points, found in (
        (u, pts, region.upper_at(u)),
        (1 - u, 1 - pts, 1 - region.lower_at(u)),
    ):
        one = np.array([slow.distance_up(points, m, n, x, 1.0) <= c for x in at])
        assert (found[one] == 1.0).all()


@pytest.mark.parametrize("factor", [0.98, 1.02])
def test_a_corner_just_beyond_the_critical_value_allows_nothing(factor: float) -> None:
    fp, tp, u = np.array([0, 0, 6, 6, 10]), np.array([0, 2, 2, 20, 20]), 0.3
    c = factor * slow.cost(6, 10, u, -1)
    expected = slow.upper(slow.points(fp, tp), 20, 10, c, u)
    found = LikelihoodRegion(fp, tp, c).upper_at(np.array([u]))[0]
    assert (found == 1.0) == (factor > 1.0)
    assert found == pytest.approx(expected, abs=1e-9)


def test_future_band_tends_to_the_true_curve_band() -> None:
    fp, tp = slow.random_curve(np.random.default_rng(1), 40, 60)
    u = np.linspace(0, 1, 101)
    true = LikelihoodRegion(fp, tp, 2.5)
    endless = LikelihoodRegion(fp, tp, 2.5, (10**9, 10**9))
    np.testing.assert_allclose(endless.upper_at(u), true.upper_at(u), atol=1e-5)
    np.testing.assert_allclose(endless.lower_at(u), true.lower_at(u), atol=1e-5)


@pytest.mark.parametrize(
    ("fp", "tp", "c", "future"),
    [
        ([0, 0, 1, 1, 2, 2], [0, 2, 2, 13, 13, 21], 0.05, None),
        (
            [0, 2, 2, 3, 3, 4, 4, 9, 9, 12, 12],
            [0, 0, 12, 12, 33, 33, 49, 49, 107, 107, 166],
            1.0,
            (4, 10),
        ),
        ([0, 0, 12, 12, 104, 104, 142, 142], [0, 8, 8, 9, 9, 11, 11, 32], 3.0, (38, 68)),
    ],
)
def test_a_few_large_steps(fp: list, tp: list, c: float, future: slow.Future) -> None:
    """Neighbouring corners are farther apart than the band is wide."""
    region = LikelihoodRegion(np.array(fp), np.array(tp), c, future)
    m, n, pts = tp[-1], fp[-1], slow.points(fp, tp)
    u = np.linspace(0, 1, 101)
    upper = [slow.upper(pts, m, n, c, x, future) for x in u]
    lower = [1 - slow.upper(1 - pts, m, n, c, 1 - x, future) for x in u]
    np.testing.assert_allclose(region.upper_at(u), upper, rtol=0, atol=1e-9)
    np.testing.assert_allclose(region.lower_at(u), lower, rtol=0, atol=1e-9)


@pytest.mark.parametrize("seed", range(16))
def test_long_windows_and_short_ones_agree(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two paths: all corners within reach at once, and the nearest points by rounds."""
    rng = np.random.default_rng(seed)
    m, n = (int(10 ** rng.uniform(0, 3.5)) for _ in range(2))
    labels = np.repeat([1, 0], [m, n])
    fp, tp = counts(labels, rng.normal(size=m + n) + [0.0, 1.0, 3.0][seed % 3] * labels)
    future = None if seed % 4 else tuple(int(k) for k in rng.integers(1, 300, 2))
    region = LikelihoodRegion(fp, tp, float(rng.choice([0.5, 3.0, 8.0])), future)
    u = np.concatenate([[0, 1], rng.random(60), 10 ** rng.uniform(-7, -1, 20)])
    at_once = region.lower_at(u), region.upper_at(u)
    monkeypatch.setattr(edges_module, "_MOST_CANDIDATES", 1)
    by_rounds = region.lower_at(u), region.upper_at(u)
    np.testing.assert_allclose(at_once, by_rounds, rtol=0, atol=2e-6)


@pytest.mark.parametrize("levels", [None, 4])
def test_many_abscissae_and_none(levels: int | None) -> None:
    region = LikelihoodRegion(*slow.random_curve(np.random.default_rng(2), 30, 40, levels), 3.0)
    u = np.linspace(0, 1, 2500)
    parts = [region.upper_at(part) for part in np.split(u, 5)]
    np.testing.assert_allclose(region.upper_at(u), np.concatenate(parts), rtol=0, atol=1e-8)
    assert region.lower_at(u[:0]).shape == (0,)
    assert region.lower_at(u.reshape(50, 50)).shape == (50, 50)


@pytest.mark.parametrize("levels", [None, 3])
def test_a_critical_value_of_zero_leaves_the_curve(levels: int | None) -> None:
    fp, tp = slow.random_curve(np.random.default_rng(3), 8, 9, levels)
    region, roc = LikelihoodRegion(fp, tp, 0.0), Curve(fp / 9, tp / 8)
    u = (np.arange(9) + 0.5) / 9
    np.testing.assert_allclose(region.upper_at(u), roc.high(u), atol=1e-4)
    np.testing.assert_allclose(region.lower_at(u), roc.low(u), atol=1e-4)
