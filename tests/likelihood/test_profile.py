"""Profile likelihood of precision-recall and gains against brute force and exact arithmetic."""

from __future__ import annotations

from decimal import Decimal, localcontext

import numpy as np
import pytest

from rocbands.likelihood.gains import GainsProfile
from rocbands.likelihood.profile import PrecisionProfile, ProfileRegion
from tests.oracles import likelihood as roc
from tests.oracles import profile as slow

PLANES = {"pr": PrecisionProfile, "gains": GainsProfile}
FP = np.array([0, 0, 1, 1, 2, 2, 3, 5, 5, 9, 20, 40])
TP = np.array([0, 2, 2, 4, 4, 5, 6, 6, 8, 9, 10, 10])


def cost(region: ProfileRegion, k: float, x: float, v: float, up: bool) -> float:
    """Cost of k false positives above or below the curve, where counts are turned."""
    row, one, n = np.array([int(not up)]), np.ones(1), region.n_neg
    v, k = (v, k) if up else (1 - v, n - k)
    return float(region.cost(row, k * one, region._rotate(row, x * one), v * one)[0])


def test_cost_of_false_positives() -> None:
    """12 false positives among 20 positives at w = .4, and with 15 of 20 found at v = .9."""
    counts = np.array([0, 12, 40]), np.array([0, 15, 20])
    region, row = PrecisionProfile(counts, counts, 3.0), np.zeros(1, dtype=int)
    k, y, w, v = (np.array([x]) for x in (12.0, 15.0, 0.4, 0.9))
    assert region.cost(row, k, w, v)[0] == pytest.approx(0.592576733313, abs=1e-12)
    assert region._total(row, k, y, w, v)[0] == pytest.approx(2.439207040775, abs=1e-12)


@pytest.mark.parametrize(
    ("plane", "m", "n", "k", "x", "v"),
    [
        ("pr", 10, 40, 7, 0.3, 0.5),
        ("pr", 10, 40, 1, 0.02, 0.5),
        ("pr", 50, 30, 22, 0.2, 0.5),
        ("pr", 5, 500, 90, 9.0, 0.5),
        ("pr", 20, 20, 0, 0.1, 0.5),
        ("gains", 10, 40, 7, 0.1, 0.5),
        ("gains", 10, 40, 1, 0.3, 0.6),
        ("gains", 50, 30, 22, 0.5, 0.9),
        ("gains", 5, 500, 90, 0.1, 0.2),
        ("gains", 20, 20, 0, 0.4, 0.5),
        ("gains", 10, 40, 40, 0.7, 0.6),
        ("gains", 10, 40, 7, 0.1, 1.0),
    ],
)
def test_profile_is_the_minimum_over_the_prevalence(
    plane: str, m: int, n: int, k: int, x: float, v: float
) -> None:
    counts = np.array([0, n]), np.array([0, m])
    region = PLANES[plane](counts, counts, 3.0)
    up = k / n > slow.false_positive_rate(plane, x, v, m / (m + n))
    wanted = slow.cost(plane, m, n, k, x, v)
    assert cost(region, k, x, v, up) == pytest.approx(wanted, abs=1e-9)
    assert cost(region, k, x, v, not up) == 0.0


@pytest.mark.parametrize("plane", PLANES)
@pytest.mark.parametrize(("seed", "levels"), [(1, None), (2, None), (3, 3), (4, 2)])
def test_distances_and_limits_of_small_curves(plane: str, seed: int, levels: int | None) -> None:
    """Brute force: every vertex, tied segments cut into 20, every prevalence."""
    rng = np.random.default_rng(seed)
    m, n = (int(size) for size in rng.integers(3, 9, 2))
    fp, tp = roc.random_curve(rng, m, n, levels)
    points, close = roc.points(fp, tp, 20), 1e-7 if levels is None else 5e-3
    region = PLANES[plane]((fp, tp), (fp, tp), 1.5)
    for up in (True, False):
        x, v = rng.uniform(0.05, 0.95, (2, 4))
        found = region.distance(x, v, up)
        for i in np.flatnonzero(found < 1.5):
            wanted = slow.distance(plane, points, m, n, x[i], v[i], up)
            # Points between those that the oracle looks at may be nearer.
            assert -1e-7 <= wanted - found[i] <= 5 * close
        at = float(rng.uniform(0.2, 0.8))
        limits = dict(
            zip((plane != "gains", plane == "gains"), region.limits(np.array([at])), strict=True)
        )
        wanted = slow.limit(plane, points, m, n, 1.5, at, up)
        assert limits[up][0] == pytest.approx(wanted, abs=close)


def random_counts(
    rng: np.random.Generator, m: int, n: int, levels: int
) -> tuple[np.ndarray, np.ndarray]:
    pos, neg = rng.integers(0, levels, m) + levels // 6, rng.integers(0, levels, n)
    fp, tp = (np.array([(s >= t).sum() for t in range(2 * levels, -1, -1)]) for s in (neg, pos))
    moves = np.append(True, (np.diff(fp) > 0) | (np.diff(tp) > 0))
    return fp[moves], tp[moves]


@pytest.mark.parametrize("kind", PLANES.values())
@pytest.mark.parametrize("levels", [4, 400])
def test_distance_is_the_least_over_the_curve(kind: type, levels: int) -> None:
    """Brute force over 20,000 points of the curve, tied segments included."""
    rng = np.random.default_rng(levels)
    fp, tp = random_counts(rng, 30, 80, levels)
    region = kind((fp, tp), (fp, tp), 6.0)
    place = np.linspace(0, fp.size - 1, 20_001)
    place = np.union1d(place, np.arange(fp.size))
    k, y = (np.interp(place, np.arange(fp.size), side) for side in (fp, tp))
    for _ in range(60):
        v = rng.uniform(0.02, 0.98)
        x = rng.uniform(0.01, 4.0) if kind is PrecisionProfile else rng.uniform(0.02, 0.98)
        for up in (True, False):
            row, turned = np.full(k.size, int(not up)), (k, y) if up else (80 - k, 30 - y)
            point = region._rotate(row, np.full(k.size, x)), np.full(k.size, v if up else 1 - v)
            brute = region._total(row, *turned, *point).min()
            if brute > 5.9:
                continue
            got = region.distance(np.array([x]), np.array([v]), up)[0]
            assert got == pytest.approx(brute, abs=2e-4)
            assert got <= brute + 1e-12


@pytest.mark.parametrize("kind", PLANES.values())
@pytest.mark.parametrize("seed", range(12))
def test_limits_are_where_the_distance_is_the_critical_value(kind: type, seed: int) -> None:
    """A little inside the distance is smaller, a little outside larger; close to the ends, too."""
    rng = np.random.default_rng(seed)
    # Of many rows on few levels the curve is long segments, and the limits lie close to it.
    sizes = [(1, 1, 9), (2, 40, 5), (30, 80, 4), (212, 357, 10_000), (10**5, 3 * 10**5, 2)]
    m, n, levels = sizes[seed % 5]
    fp, tp = random_counts(rng, m, n, levels)
    region = kind((fp, tp), (fp, tp), rng.choice([0.2, 3.0, 6.0]))
    tail = 10.0 ** rng.uniform(-6, -1, 12)
    at = np.concatenate([tail, rng.random(12), 1 - tail])
    for limit, outward in zip(region.limits(at), (-1.0, 1.0), strict=True):
        up = (outward > 0) == (kind is GainsProfile)
        for sign in (-1.0, 1.0):
            near = limit + sign * outward * 1e-6 * np.minimum(limit, 1 - limit)
            x = (near / (1 - near), at) if kind is PrecisionProfile else (at, near)
            inner = (limit > 1e-9) & (limit < 1 - 1e-9)
            found = region.distance(*(side[inner] for side in x), up)
            gap = sign * (found - region.critical_value)
            assert (gap > 0).all()


@pytest.mark.parametrize("kind", PLANES.values())
@pytest.mark.parametrize("levels", [40, 4000])
def test_blocks_of_long_windows_contain_the_nearest_piece(
    kind: type, levels: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(levels)
    fp, tp = random_counts(rng, 900, 700, levels)
    region = kind((fp, tp), (fp, tp), 8.0)
    # About the curve, on both sides of it.
    v = rng.uniform(0.02, 0.98, 400)
    k = np.interp(v, tp / 900, fp) + rng.normal(0.0, 30.0, 400)
    x = np.maximum(k / 900 if kind is PrecisionProfile else (k + 900 * v) / 1600, 0.01)
    for up in (True, False):
        monkeypatch.setattr("rocbands.likelihood.profile._LONG", 10**9)
        every = region.distance(x, v, up)
        monkeypatch.setattr("rocbands.likelihood.profile._LONG", 2)
        np.testing.assert_array_equal(region.distance(x, v, up), every)
        assert ((every > 0) & (every < 8)).sum() > 20


@pytest.mark.parametrize("rows", [(6, 6), (18, 42), (16, 384), (1000, 1000)])
def test_recalls_at_rates_and_rates_at_recalls_are_the_same_edges(rows: tuple[int, int]) -> None:
    """Newton steps on the distance, and the ends of pieces solved one by one."""
    rng = np.random.default_rng(rows[0])
    y = np.repeat([1, 0], rows)[np.argsort(-rng.normal(np.repeat([1, 0], rows)))]
    fp, tp = (np.append(0, np.cumsum(side)) for side in (1 - y, y))
    region = GainsProfile((fp, tp), (fp, tp), 3.0)
    v = 0.5 - 0.5 * np.cos(np.linspace(0.0, np.pi, 101))[1:-1]
    for side, rate in enumerate(region.rates(v)):
        inner = (rate > 1e-6) & (rate < 1 - 1e-6)
        np.testing.assert_allclose(region.limits(rate[inner])[side], v[inner], atol=1e-11)


@pytest.mark.parametrize("bins", [30, 1000, 20_000])
def test_few_steps_lead_to_the_edge_with_binned_counts(
    bins: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Steps of the curve may be far wider than the noise of 10^8 rows."""
    u = np.linspace(0.0, 1.0, bins + 1)
    fp, tp = (np.round(size * u**power).astype(int) for size, power in ((9e7, 1.0), (1e7, 0.4)))
    stairs = np.repeat(fp, 2), np.repeat(tp, 2)
    low, high = (stairs[0][1:], stairs[1][:-1]), (stairs[0][:-1], stairs[1][1:])
    region, sizes, search = GainsProfile(low, high, 5.0), [], ProfileRegion._nearest

    def count(self: ProfileRegion, row: np.ndarray, *point: np.ndarray) -> object:
        sizes.append(row.size)
        return search(self, row, *point)

    monkeypatch.setattr(ProfileRegion, "_nearest", count)
    below, above = region.limits(np.append(1e-9, np.linspace(0.01, 0.99, 99)))
    assert (below <= above).all()
    assert len(sizes) <= 10
    assert sum(sizes) <= 5 * sizes[0]


def precise_distance(fp: np.ndarray, tp: np.ndarray, x: float, v: float, up: bool) -> float:
    """Least cost over the vertices, from the formulas of the module, with 50 digits."""
    n, m, x, v = Decimal(int(fp[-1])), Decimal(int(tp[-1])), Decimal(float(x)), Decimal(float(v))
    total, way = n + m, 1 if up else -1
    least = Decimal(99)
    for k, y in zip(map(Decimal, fp.tolist()), map(Decimal, tp.tolist()), strict=True):
        cost = Decimal(0)
        if way * (m * v - y) > 0:
            cost += sum(a * (a / (m * r)).ln() for a, r in ((y, v), (m - y, 1 - v)) if a)
        if cost < least and way * (k - total * x + m * v) > 0:
            b = m * (x * (1 - v) + (1 - x) * v) + k * v * (1 - x) + (n - k) * (1 - v) * x
            root = (b * b - 4 * total * v * (1 - v) * m * x * (1 - x)).sqrt()
            p = 2 * m * x * (1 - x) / (b + root)
            cells = ((m, p), (k, x - p * v), (n - k, 1 - x - p * (1 - v)))
            cost += sum(a * (a / (total * share)).ln() for a, share in cells if a)
        least = min(least, cost)
    return float(least)


@pytest.mark.parametrize("sizes", [(17, 2), (36, 137), (300, 3)])
def test_limits_of_millions_of_rows_on_few_levels_against_precise_arithmetic(
    sizes: tuple[int, int],
) -> None:
    """Limits are narrow beside the steps of the curve; differences of large costs lose digits."""
    rng = np.random.default_rng(sizes)
    y = rng.permutation(np.repeat([True, False], sizes))
    fp, tp = (10**6 * np.append(0, np.cumsum(side)) for side in (~y, y))
    region, at = GainsProfile((fp, tp), (fp, tp), 1.0), rng.uniform(0.02, 0.98, 6)
    with localcontext(prec=50):
        for up in (False, True):
            found = [(x, v) for x, v in zip(region.rates(at)[up], at, strict=True)]
            found += [(x, v) for x, v in zip(at, region.limits(at)[up], strict=True)]
            for x, v in found:
                assert precise_distance(fp, tp, x, v, up) == pytest.approx(1.0, abs=1e-6)


def test_true_negatives_drop_out() -> None:
    """More negatives below everything change nothing but the curve's last stretch."""
    more = np.append(FP, 400), np.append(TP, 10)
    few, many = (PrecisionProfile(c, c, 3.0) for c in ((FP, TP), more))
    v = np.array([0.1, 0.4, 0.6])  # where the last vertex is out of reach
    for one, other in zip(few.limits(v), many.limits(v), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)
