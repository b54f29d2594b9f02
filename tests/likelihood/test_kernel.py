"""The kernel of the likelihood band: edges, statistic and distributions, by their definition."""

from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pytest

import rocbands as rb
from rocbands.core.curve import Curve
from rocbands.likelihood import nearest as nearest_module
from rocbands.likelihood.calibration import binormal_statistics, level_statistics
from rocbands.likelihood.chance import (
    chance_statistics,
    critical_value,
    diagonal_statistics,
    future_chance_statistics,
    random_rows,
)
from rocbands.likelihood.curves import Curves, LazyTable
from rocbands.likelihood.future import Sizes, future_critical_value
from rocbands.likelihood.margin import RIGHT, Margin
from rocbands.likelihood.region import LikelihoodRegion
from tests.golden_numbers import GOLDEN, columns
from tests.oracles import likelihood as slow

CASES = json.loads((GOLDEN / "likelihood_edges.json").read_text(encoding="utf-8"))["cases"]
DIAGONAL = np.array([0.0, 1.0])


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


def statistic(
    fp: np.ndarray, tp: np.ndarray, x: np.ndarray, y: np.ndarray, future: slow.Future = None
) -> float:
    return LikelihoodRegion(fp, tp, 0.0, future).statistic(Curve(x, y))


class TestEdges:
    @pytest.mark.parametrize("case", CASES, ids=lambda case: case["case"])
    def test_golden(self, case: dict) -> None:
        fp, tp = counts_of_case(case["case"])
        assert (tp[-1], fp[-1]) == (case["n_pos"], case["n_neg"])
        future = tuple(case["future"]) if case["future"] else None
        region = LikelihoodRegion(fp, tp, case["c"], future)
        tolerance = 1e-5 if "tied" in case["case"] else 1e-8
        fpr = np.array(case["fpr"])
        np.testing.assert_allclose(region.upper_at(fpr), case["upper"], rtol=0, atol=tolerance)
        np.testing.assert_allclose(region.lower_at(fpr), case["lower"], rtol=0, atol=tolerance)

    @pytest.mark.slow
    @pytest.mark.parametrize("seed", range(24))
    def test_brute_force(self, seed: int) -> None:
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

    def test_future_band_tends_to_the_true_curve_band(self) -> None:
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
    def test_a_few_large_steps(self, fp: list, tp: list, c: float, future: slow.Future) -> None:
        """Neighbouring corners are farther apart than the band is wide."""
        region = LikelihoodRegion(np.array(fp), np.array(tp), c, future)
        m, n, pts = tp[-1], fp[-1], slow.points(fp, tp)
        u = np.linspace(0, 1, 101)
        upper = [slow.upper(pts, m, n, c, x, future) for x in u]
        lower = [1 - slow.upper(1 - pts, m, n, c, 1 - x, future) for x in u]
        np.testing.assert_allclose(region.upper_at(u), upper, rtol=0, atol=1e-9)
        np.testing.assert_allclose(region.lower_at(u), lower, rtol=0, atol=1e-9)

    @pytest.mark.parametrize("seed", range(16))
    def test_long_windows_and_short_ones_agree(
        self, seed: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Two paths: all corners within reach at once, and the nearest points by rounds."""
        rng = np.random.default_rng(seed)
        m, n = (int(10 ** rng.uniform(0, 3.5)) for _ in range(2))
        labels = np.repeat([1, 0], [m, n])
        fp, tp = counts(labels, rng.normal(size=m + n) + [0.0, 1.0, 3.0][seed % 3] * labels)
        future = None if seed % 4 else tuple(int(k) for k in rng.integers(1, 300, 2))
        region = LikelihoodRegion(fp, tp, float(rng.choice([0.5, 3.0, 8.0])), future)
        u = np.concatenate([[0, 1], rng.random(60), 10 ** rng.uniform(-7, -1, 20)])
        at_once = region.lower_at(u), region.upper_at(u)
        monkeypatch.setattr(nearest_module, "_MOST_ENDS", 1)
        by_rounds = region.lower_at(u), region.upper_at(u)
        np.testing.assert_allclose(at_once, by_rounds, rtol=0, atol=2e-6)

    @pytest.mark.parametrize("levels", [None, 4])
    def test_many_abscissae_and_none(self, levels: int | None) -> None:
        region = LikelihoodRegion(*slow.random_curve(np.random.default_rng(2), 30, 40, levels), 3.0)
        u = np.linspace(0, 1, 2500)
        parts = [region.upper_at(part) for part in np.split(u, 5)]
        np.testing.assert_allclose(region.upper_at(u), np.concatenate(parts), rtol=0, atol=1e-8)
        assert region.lower_at(u[:0]).shape == (0,)
        assert region.lower_at(u.reshape(50, 50)).shape == (50, 50)

    @pytest.mark.parametrize("levels", [None, 3])
    def test_a_critical_value_of_zero_leaves_the_curve(self, levels: int | None) -> None:
        fp, tp = slow.random_curve(np.random.default_rng(3), 8, 9, levels)
        region, roc = LikelihoodRegion(fp, tp, 0.0), Curve(fp / 9, tp / 8)
        u = (np.arange(9) + 0.5) / 9
        np.testing.assert_allclose(region.upper_at(u), roc.high(u), atol=1e-4)
        np.testing.assert_allclose(region.lower_at(u), roc.low(u), atol=1e-4)

    def test_no_cancellation_at_ten_million_cases(self) -> None:
        size, k, rate = 10**7, 5_000_001.0, 0.5000002
        # Series of the divergence about p = k / size: its second and third order terms.
        p = k / size
        second = (rate - p) ** 2 / (2 * p * (1 - p))
        third = (rate - p) ** 3 / 3 * (1 / (1 - p) ** 2 - 1 / p**2)
        cost = Margin(size).cost(np.array([k]), np.array([rate]), RIGHT)[0]
        assert cost == pytest.approx(size * (second + third), rel=1e-9)


class TestStatistic:
    @pytest.mark.slow
    @pytest.mark.parametrize("seed", range(24))
    def test_against_a_dense_walk(self, seed: int) -> None:
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
        walk = np.linspace(0, 1, 201)
        dense = max(
            slow.distance(pts, m, n, a + t * (b - a), c + t * (d - c), future)
            for a, b, c, d in zip(x, x[1:], y, y[1:], strict=False)
            for t in (walk if b > a and d > c else (0.0, 1.0))
        )
        found = statistic(fp, tp, x, y, future)
        # The walk misses the peak from below; cut segments overstate the distance a little.
        assert found >= dense - (1e-9 if levels is None else 0.02)
        assert found <= dense + 0.08 * (1 + dense)
        assert LikelihoodRegion(fp, tp, found, future).contains(Curve(x, y))
        below = LikelihoodRegion(fp, tp, found - 1e-6, future)
        assert found < 1e-6 or not below.contains(Curve(x, y))

    @pytest.mark.slow
    @pytest.mark.parametrize("seed", range(12))
    def test_containment_and_edges_agree(self, seed: int) -> None:
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


class TestChance:
    def test_exact_law_at_five_and_five(self) -> None:
        rows = np.array([np.array(c) - np.arange(5) for c in combinations(range(10), 5)])
        values = diagonal_statistics(rows, 5)
        atoms = [0.39369, 0.43193, 0.85252, 0.96372, 1.40982, 1.42296, 2.14263, 2.29104, 3.46574]
        cdf = [0.127, 0.286, 0.643, 0.714, 0.865, 0.921, 0.984, 0.992, 1.0]
        np.testing.assert_allclose(np.unique(np.round(values, 5)), atoms, atol=1.01e-5)
        np.testing.assert_allclose([np.mean(values <= a + 1e-5) for a in atoms], cdf, atol=5.01e-4)
        for level, atom in ((0.5, 0.85252), (0.9, 1.42296), (0.95, 2.14263), (0.99, 2.29104)):
            assert atom - 1e-5 <= critical_value(5, 5, level) <= atom + 3e-4

    @pytest.mark.parametrize(("m", "n"), [(1, 1), (1, 9), (9, 1), (7, 7), (20, 300), (120, 80)])
    def test_batches_agree_with_single_curves(self, m: int, n: int) -> None:
        rows = random_rows(m, n, 20, np.random.default_rng([m, n]))
        single = [statistic(*counts_of_row(row, n), DIAGONAL, DIAGONAL) for row in rows]
        np.testing.assert_allclose(diagonal_statistics(rows, n), single, atol=3e-9)

    def test_a_floor_changes_nothing_above_it(self) -> None:
        full = chance_statistics(12, 30, 500, np.random.default_rng(1))
        cut = chance_statistics(12, 30, 500, np.random.default_rng(1), floor=1.5)
        np.testing.assert_allclose(np.maximum(full, 1.5), cut, atol=2e-9)

    @pytest.mark.slow
    @pytest.mark.parametrize("row", range(10))
    def test_independent_critical_values(self, row: int) -> None:
        """Another program's quantiles, judged by the share of our fresh draws below them."""
        table = columns("likelihood_critical_values")
        m, n, other = (int(table[k][row]) for k in ("n_pos", "n_neg", "permutations"))
        draws = 4_000 if m + n > 500 else 12_000
        values = chance_statistics(m, n, draws, np.random.default_rng(99))
        for level in (0.5, 0.8, 0.9, 0.95, 0.99):
            c = table[f"q{100 * level:.0f}"][row]
            sd = np.sqrt(level * (1 - level) * (1 / draws + 1 / other))
            assert np.mean(values <= c + 1e-4) >= level - 4 * sd - 1e-3
            assert np.mean(values < c - 1e-3) <= level + 4 * sd

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("m", "n"),
        [
            (1, 33),
            (7, 63),
            (13, 29),
            (23, 400),
            (49, 51),
            (55, 85),
            (90, 1500),
            (222, 333),
            (41, 7000),
            (800, 650),
        ],
    )
    def test_the_table_holds_in_fresh_draws(self, m: int, n: int) -> None:
        draws = 12_000 if m + n <= 500 else 4_000
        values = chance_statistics(m, n, draws, np.random.default_rng([5, m, n]))
        for level in (0.8, 0.9, 0.95, 0.99):
            held, sd = (
                np.mean(values <= critical_value(m, n, level) + 1e-9),
                np.sqrt(level * (1 - level) / draws),
            )
            assert held >= level - 0.003 - 3.5 * sd
            if m >= 50:
                assert held <= level + 0.01 + 3.5 * sd

    def test_symmetric_and_rising_with_the_level(self) -> None:
        for m, n in ((3, 40), (30, 900), (70, 333)):
            assert critical_value(m, n, 0.9) == critical_value(n, m, 0.9)
            values = [critical_value(m, n, level) for level in np.linspace(0.5, 0.999, 77)]
            assert (np.diff(values) >= 0).all()

    def test_beyond_the_table(self) -> None:
        last, beyond = (critical_value(k, k, 0.9) for k in (10**6, 10**8))
        assert last < beyond < last + 0.8
        assert critical_value(5, 5, 0.2) == pytest.approx(0.43193, abs=3e-4)
        assert critical_value(5, 5, 0.9999) == pytest.approx(3.46574, abs=3e-4)

    @pytest.mark.parametrize(("m", "n"), [(5, 5), (40, 40), (60, 3000), (10**7, 10**7)])
    def test_a_higher_level_never_has_a_lower_value(self, m: int, n: int) -> None:
        levels = [0.1, 0.4, 0.4999, 0.5, 0.7, 0.999, 0.9991, 0.9999]
        values = [critical_value(m, n, level) for level in levels]
        assert (np.diff(values) >= 0).all()


def counts_of_row(row: np.ndarray, n_neg: int) -> tuple[np.ndarray, np.ndarray]:
    """Counts of an untied curve from the number of negatives before each positive."""
    labels = np.zeros(row.size + n_neg, dtype=int)
    labels[row + np.arange(row.size)] = 1
    tp = np.append(0, np.cumsum(labels))
    return np.arange(tp.size) - tp, tp


class TestFuture:
    @pytest.mark.parametrize("seed", range(6))
    def test_batches_agree_with_brute_force(self, seed: int) -> None:
        m, n, m2, n2 = (int(k) for k in np.random.default_rng(seed).integers(1, 9, 4))
        found = future_chance_statistics(m, n, m2, n2, 3, np.random.default_rng(seed))
        again = np.random.default_rng(seed)
        seen, later = random_rows(m, n, 3, again), random_rows(m2, n2, 3, again)
        for i in range(3):
            pts = slow.points(*counts_of_row(seen[i], n))
            fp, tp = counts_of_row(later[i], n2)
            wanted = max(
                slow.distance(pts, m, n, u, v, (m2, n2))
                for u, v in zip(fp / n2, tp / m2, strict=True)
            )
            assert found[i] == pytest.approx(wanted, abs=3e-9)

    @pytest.mark.parametrize("sizes", [(12, 30, 20, 50), (120, 300, 20, 50), (5, 12, 10**5, 10**5)])
    def test_mirrored_sets_have_the_same_value_and_more_noise_than_none(
        self, sizes: tuple[int, int, int, int]
    ) -> None:
        m, n, m2, n2 = sizes
        value = future_critical_value(Sizes(m, n, m2, n2), 0.95)
        assert value == future_critical_value(Sizes(n, m, n2, m2), 0.95)
        assert value >= critical_value(m, n, 0.95)

    @pytest.mark.slow
    @pytest.mark.parametrize(
        "sizes",
        [
            (12, 12, 12, 12),
            (60, 60, 60, 60),
            (150, 700, 90, 300),
            (300, 300, 40, 40),
            (80, 80, 4000, 4000),
            (1500, 900, 1500, 900),
        ],
    )
    def test_the_level_is_held_in_fresh_draws(self, sizes: tuple[int, int, int, int]) -> None:
        draws = 2_000
        values = future_chance_statistics(*sizes, draws, np.random.default_rng([8, *sizes]))
        for level in (0.8, 0.9, 0.95):
            held = np.mean(values <= future_critical_value(Sizes(*sizes), level) + 1e-9)
            noise = np.sqrt(level * (1 - level) * (1 / draws + 1 / 5000))
            assert level - 0.015 - 3.5 * noise <= held <= level + 0.02 + 3.5 * noise


class TestResampling:
    @pytest.mark.slow
    @pytest.mark.parametrize("future", [None, (30, 20)])
    def test_levels_agree_with_single_curves(self, future: tuple[int, int] | None) -> None:
        pos, neg = np.array([12, 0, 7, 4, 2]), np.array([1, 3, 0, 9, 9])
        m, n = pos.sum(), neg.sum()
        size = 80
        found, weights = level_statistics(pos, neg, size, np.random.default_rng(2), future=future)
        again = np.random.default_rng(2)
        p, q = (pos + 0.5) / (m + 2.5), (neg + 0.5) / (n + 2.5)
        fp, tp = again.multinomial(n, q, size), again.multinomial(m, p, size)
        x, y = np.tile(q, (size, 1)), np.tile(p, (size, 1))
        if future:
            x = again.multinomial(future[1], q, size) / future[1]
            y = again.multinomial(future[0], p, size) / future[0]
        total = lambda row: np.minimum(np.append(0, np.cumsum(row)), 1.0)  # noqa: E731
        single = np.array(
            [
                statistic(
                    np.append(0, np.cumsum(fp[i])),
                    np.append(0, np.cumsum(tp[i])),
                    total(x[i]),
                    total(y[i]),
                    future,
                )
                for i in range(size)
            ]
        )
        assert weights.sum() == size
        assert 4 < found.size < 20
        # Each is one of the draws; those that stand for themselves alone are among the largest.
        assert np.abs(found[:, None] - single).min(axis=1).max() < 1.1e-3
        assert (found[:1] > np.quantile(single, 0.7)).all()
        upper, _ = level_statistics(
            pos, neg, size, np.random.default_rng(2), future=future, level=0.9
        )
        order = np.argsort(-found)
        kept = order[np.cumsum(weights[order]) <= 0.1 * size]
        np.testing.assert_allclose(upper[kept], found[kept], atol=1.1e-3)

    @pytest.mark.slow
    @pytest.mark.parametrize("levels", [5, 25])
    def test_chosen_draws_stand_for_all(self, levels: int, monkeypatch: pytest.MonkeyPatch) -> None:
        """Weighted shares are those of all draws, whose statistics the other test checks."""
        rng = np.random.default_rng(levels)
        rising = np.arange(1.0, levels + 1)
        neg, pos = (rng.multinomial(80, side / side.sum()) + 1 for side in (rising, rising[::-1]))
        at = (1.0, 2.0, 3.0)
        shares = []
        for _ in range(40):
            found, weights = level_statistics(pos, neg, 600, rng)
            assert weights.sum() == 600
            shares.append([weights[found > c].sum() / 600 for c in at])
        monkeypatch.setattr("rocbands.likelihood.calibration.ALL", 1.0)
        every, weights = level_statistics(pos, neg, 4000, rng)
        assert (weights == 1.0).all()
        assert every.size == 4000
        for share, c in zip(np.transpose(shares), at, strict=True):
            noise = np.hypot(share.std() / 40**0.5, every[every > c].size ** 0.5 / 4000)
            assert share.mean() == pytest.approx(np.mean(every > c), abs=4.0 * noise)

    def test_a_binormal_fit_to_chance_gives_nearly_the_chance_law(self) -> None:
        fp, tp = counts([1, 0] * 40, np.arange(80))
        found = binormal_statistics(fp, tp, 4000, np.random.default_rng(3))
        for level in (0.5, 0.9):
            assert np.mean(found <= critical_value(40, 40, level)) == pytest.approx(level, abs=0.05)


@pytest.mark.parametrize("digits", [0, 9])
def test_mirrored_curves_are_those_of_the_mirrored_counts(digits: int) -> None:
    rng = np.random.default_rng(digits)
    y = rng.random(80) < 0.4
    fp, tp = counts(y, np.round(rng.normal(size=80) + y, digits))
    mirrored = Curves.from_counts(fp, tp).mirrored
    expected = Curves.from_counts(tp[-1] - tp[::-1], fp[-1] - fp[::-1])
    every = np.arange(expected.fp_end.size)
    for name in Curves.__slots__:
        one, other = getattr(mirrored, name), getattr(expected, name)
        if "entropy" in name:
            one, other = one.take(every), other.take(every)
        assert (one is None) == (other is None)
        if isinstance(one, LazyTable):
            every = np.arange(expected.fp_end.size)
            one, other = one.take(every), other.take(every)
        if one is not None:
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("digits", [0, 1, 9])
def test_pieces_of_many_rows_are_read_as_if_they_were_arrays(
    digits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(digits)
    monkeypatch.setattr("rocbands.core.pieces.PIECE", 7)
    for size in (2, 6, 30, 100):
        y = np.append([True, False], rng.random(size) < 0.4)
        fp, tp = counts(y, np.round(rng.normal(size=size + 2) + y, digits))
        expected = Curves.from_counts(fp, tp)
        monkeypatch.setattr("rocbands.likelihood.curves._MANY", 0)
        found = Curves.from_counts(fp, tp)
        monkeypatch.undo()
        monkeypatch.setattr("rocbands.core.pieces.PIECE", 7)
        assert (found.slanted is None) == (expected.slanted is None)
        if found.slanted is not None:
            np.testing.assert_array_equal(found.slanted, expected.slanted)
        for name in ("fp_start", "tp_start", "fp_end", "tp_end"):
            one, other = getattr(found, name), getattr(expected, name)
            assert isinstance(one, LazyTable)
            np.testing.assert_array_equal(one[:], other)
            some = rng.integers(0, one.size, (2, 3))
            np.testing.assert_array_equal(one[some], other[some])
        for name in ("fp_key", "tp_key"):
            one, other = getattr(found, name), getattr(expected, name)
            places = np.concatenate([other, other - 0.5, other + 0.5, rng.random(9) * other[-1]])
            for side in ("left", "right"):
                np.testing.assert_array_equal(
                    one.searchsorted(places, side), other.searchsorted(places, side)
                )
