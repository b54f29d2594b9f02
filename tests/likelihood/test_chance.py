"""Critical values under chance, for true and for future curves."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from rocbands.core.curve import Curve
from rocbands.likelihood.chance import (
    FIRST_NODE,
    LEVELS,
    NODES_SMALL,
    chance_statistics,
    critical_value,
    diagonal_statistics,
    future_chance_statistics,
    load_table,
)
from rocbands.likelihood.future import Sizes, cap_sizes, future_quantiles
from rocbands.likelihood.region import LikelihoodRegion
from rocbands.resample.label_orders import draw_label_orders
from tests.golden_numbers import columns
from tests.oracles import critical_values as slow


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
        rows = draw_label_orders(m, n, 20, np.random.default_rng([m, n]))
        regions = [LikelihoodRegion(*slow.counts_of_order(row, n), 0.0) for row in rows]
        single = [region.statistic(Curve(np.arange(2.0), np.arange(2.0))) for region in regions]
        np.testing.assert_allclose(diagonal_statistics(rows, n), single, atol=3e-9)

    @pytest.mark.parametrize(("m", "n"), [(1, 1), (2, 7), (6, 4)])
    def test_against_a_dense_walk_along_the_diagonal(self, m: int, n: int) -> None:
        rows = draw_label_orders(m, n, 3, np.random.default_rng([m, n]))
        wanted = [slow.diagonal_statistic(row, n) for row in rows]
        np.testing.assert_allclose(diagonal_statistics(rows, n), wanted, atol=2e-3)

    def test_a_floor_changes_nothing_above_it(self) -> None:
        full = chance_statistics(12, 30, 500, np.random.default_rng(1))
        cut = chance_statistics(12, 30, 500, np.random.default_rng(1), floor=1.5)
        np.testing.assert_allclose(np.maximum(full, 1.5), cut, atol=2e-9)

    @pytest.mark.simulation
    @pytest.mark.parametrize("row", range(10))
    def test_independent_critical_values(self, row: int) -> None:
        """Another program's quantiles, judged by the share of our fresh draws below them."""
        table = columns("likelihood_critical_values")
        m, n, other = (int(table[k][row]) for k in ("n_pos", "n_neg", "permutations"))
        draws = 12_000 if m + n > 500 else 36_000
        values = chance_statistics(m, n, draws, np.random.default_rng(99))
        for level in (0.5, 0.8, 0.9, 0.95, 0.99):
            c = table[f"q{100 * level:.0f}"][row]
            sd = np.sqrt(level * (1 - level) * (1 / draws + 1 / other))
            assert np.mean(values <= c + 1e-4) >= level - 4 * sd - 1e-3
            assert np.mean(values < c - 1e-3) <= level + 4 * sd

    @pytest.mark.simulation
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
        draws = 36_000 if m + n <= 500 else 12_000
        values = chance_statistics(m, n, draws, np.random.default_rng([5, m, n]))
        for level in (0.8, 0.9, 0.95, 0.99):
            held, sd = (
                np.mean(values <= critical_value(m, n, level) + 1e-9),
                np.sqrt(level * (1 - level) / draws),
            )
            assert held >= level - 0.003 - 3.5 * sd
            if m >= 50:
                assert held <= level + 0.01 + 3.5 * sd

    @pytest.mark.parametrize(("small", "large"), [(1, 2_000), (7, 60), (49, 10**6)])
    def test_entries_of_the_table(self, small: int, large: int) -> None:
        """One row for each size of the smaller class, one column for each node of the larger."""
        column = (FIRST_NODE, *NODES_SMALL).index(large)
        entry = load_table().one_small[small - 1, column, np.flatnonzero(LEVELS == 0.95)[0]]
        assert critical_value(small, large, 0.95) == pytest.approx(entry, rel=1e-12)
        # Sizes of 50 are in both tables.
        both = (
            load_table().both_small[small - 1, FIRST_NODE - 1],
            load_table().one_small[small - 1, 0],
        )
        np.testing.assert_allclose(*both, atol=0.02)

    def test_between_the_nodes(self) -> None:
        """Linear in the log size: the middle of two nodes is their geometric mean."""
        for small, low, high in ((20, 200, 300), (500, 1_000, 2_000)):
            middle, ends = np.sqrt(low * high), [critical_value(small, k, 0.9) for k in (low, high)]
            assert critical_value(small, middle, 0.9) == pytest.approx(np.mean(ends), rel=1e-12)

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
    def test_a_higher_level_never_has_a_lower_value(
        self, m: int, n: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("rocbands.likelihood.chance.draws_for", lambda level, least: 2_000)
        levels = [0.4, 0.4999, 0.5, 0.999, 0.9991]  # on both sides of what the table has
        values = [critical_value(m, n, level) for level in levels]
        assert (np.diff(values) >= 0).all()


class TestFuture:
    def test_no_set_counts_more_than_forty_times_the_other(self) -> None:
        assert cap_sizes(Sizes(5, 12, 10**5, 10**5)) == (5, 12, 200, 480)
        assert cap_sizes(Sizes(10**5, 10**4, 9, 8)) == (360, 320, 9, 8)

    @pytest.mark.parametrize("seed", range(6))
    def test_batches_agree_with_brute_force(self, seed: int) -> None:
        m, n, m2, n2 = (int(k) for k in np.random.default_rng(seed).integers(1, 9, 4))
        found = future_chance_statistics(m, n, m2, n2, 3, np.random.default_rng(seed))
        again = np.random.default_rng(seed)
        seen, later = draw_label_orders(m, n, 3, again), draw_label_orders(m2, n2, 3, again)
        for i in range(3):
            wanted = slow.future_statistic(seen[i], n, later[i], n2)
            assert found[i] == pytest.approx(wanted, abs=3e-9)

    @pytest.mark.parametrize("sizes", [(12, 30, 20, 50), (120, 300, 20, 50), (5, 12, 10**5, 10**5)])
    def test_mirrored_sets_have_the_same_value_and_more_noise_than_none(
        self, sizes: tuple[int, int, int, int]
    ) -> None:
        m, n, m2, n2 = sizes
        value = future_quantiles(Sizes(m, n, m2, n2)).read(0.95)
        assert value == future_quantiles(Sizes(n, m, n2, m2)).read(0.95)
        assert value >= critical_value(m, n, 0.95)

    @pytest.mark.simulation
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
        draws = 6_000
        values = future_chance_statistics(*sizes, draws, np.random.default_rng([8, *sizes]))
        for level in (0.8, 0.9, 0.95):
            held = np.mean(values <= future_quantiles(Sizes(*sizes)).read(level) + 1e-9)
            noise = np.sqrt(level * (1 - level) * (1 / draws + 1 / 5000))
            assert level - 0.015 - 3.5 * noise <= held <= level + 0.02 + 3.5 * noise
