"""The critical value that follows the AUC: properties, and an independent table of quantiles."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ndtr

import rocbands as rb
from rocbands.likelihood import calibration
from rocbands.likelihood.chance import LEVELS as TABULATED
from rocbands.likelihood.chance import critical_value
from tests.oracles.excess import largest_excess

GOLDEN = Path(__file__).parents[1] / "golden"
LEVELS = np.array([0.5, 0.8, 0.9, 0.95, 0.99])


def find_excess(auc: float, n_pos: int, n_neg: int, level: float, **bins: float) -> float:
    """The excess at one of the tabulated levels."""
    return float(
        calibration.find_excess(auc, n_pos, n_neg, **bins)[TABULATED.tolist().index(level)]
    )


def standard_error(auc: float, n_pos: int, n_neg: int) -> float:
    """Hanley and McNeil's, written again."""
    a = max(auc, 1 - auc)
    parts = (n_pos - 1) * (a / (2 - a) - a * a) + (n_neg - 1) * (2 * a * a / (1 + a) - a * a)
    return float(np.sqrt((a * (1 - a) + parts) / (n_pos * n_neg)))


def probability_below(c: float, quantiles: np.ndarray) -> float:
    """Interpolate a distribution function with an exponential upper tail."""
    x = -np.log1p(-LEVELS)
    i = int(np.clip(np.searchsorted(quantiles, c) - 1, 0, LEVELS.size - 2))
    share = (c - quantiles[i]) / (quantiles[i + 1] - quantiles[i])
    return float(1 - np.exp(-(x[i] + share * (x[i + 1] - x[i]))))


def coverages(level: float, *, follow: bool) -> dict[tuple[str, int, int], float]:
    """Coverage of chance plus excess in 24 populations at 15 pairs of sizes.

    The quantiles of the statistic were drawn by an independent program, 2,000 test sets a cell. The
    observed AUC varies around its mean; the excess is averaged over that.
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(7)
    found = {}
    with (GOLDEN / "likelihood_law.csv").open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            m, n, auc = int(row["n_pos"]), int(row["n_neg"]), float(row["mean_auc"])
            quantiles = np.array([float(row[f"q{level:.0f}"]) for level in 100 * LEVELS])
            aucs = np.clip(auc + nodes * standard_error(auc, m, n), 0.0, 1.0)
            added = [find_excess(float(a), m, n, level) if follow else 0.0 for a in aucs]
            c = critical_value(m, n, level)
            parts = [probability_below(c + e, quantiles) for e in added]
            found[row["world"], m, n] = float(np.dot(weights, parts) / weights.sum())
    return found


@pytest.mark.parametrize(("level", "share", "lowest"), [(0.9, 0.76, 0.875), (0.95, 0.91, 0.93)])
def test_levels_hold_in_an_independent_table_and_chance_alone_does_worse(
    level: float, share: float, lowest: float
) -> None:
    follows, chance = coverages(level, follow=True), coverages(level, follow=False)
    near = np.mean([abs(value - level) <= 0.02 for value in follows.values()])
    assert near >= share
    assert near >= 0.12 + np.mean([abs(value - level) <= 0.02 for value in chance.values()])
    large = [value for (_, m, n), value in follows.items() if min(m, n) >= 50]
    assert min(large) >= lowest
    assert min(follows.values()) >= min(chance.values()) - 0.005


def test_the_excess_is_symmetric_and_small_for_chance() -> None:
    for m, n in ((12, 12), (10, 490), (1000, 50_000)):
        for auc in (0.5, 0.7, 0.93, 1.0):
            one = find_excess(auc, m, n, 0.95)
            assert one == find_excess(auc, n, m, 0.95)
            assert one == pytest.approx(find_excess(1 - auc, m, n, 0.95), abs=1e-12)
        assert 0.0 <= find_excess(0.5, m, n, 0.95) < 0.06


def test_the_excess_is_the_largest_of_the_polynomial() -> None:
    for m, n in ((12, 12), (30, 200), (5, 3_000_000), (1000, 50_000)):
        for auc, level, bins in (
            (0.3, 0.6, 0.0),
            (0.77, 0.9, 0.02),
            (0.95, 0.97, 0.0),
            (1, 0.9, 0),
        ):
            expected = largest_excess(auc, m, n, level, bins)
            found = find_excess(auc, m, n, level, certificate=bins)
            assert found == pytest.approx(expected, abs=1e-6)


def test_it_moves_smoothly_and_never_less_where_more_is_possible() -> None:
    at = [find_excess(a, 200, 300, 0.95) for a in np.linspace(0.5, 0.97, 201)]
    assert np.abs(np.diff(at)).max() < 0.05
    for auc in (0.6, 0.9, 0.99):
        assert find_excess(auc, 200, 300, 0.9, certificate=0.02) >= find_excess(auc, 200, 300, 0.9)


def test_untied_scores_use_no_random_number() -> None:
    rng = np.random.default_rng(1)
    y, s = rng.permutation(np.arange(200) < 80), rng.standard_normal(200)
    before = rng.bit_generator.state
    one = rb.roc_band(y, s, rng=rng)
    assert rng.bit_generator.state == before
    assert one.method == rb.bands.Likelihood()
    assert "AUC near" in one.notes[0]
    chance = rb.roc_band(y, s, method=rb.bands.Likelihood(calibration="chance"))
    assert "chance" in chance.notes[0]


def test_bins_take_the_largest_value_of_what_they_allow() -> None:
    rng = np.random.default_rng(2)
    y = np.arange(4000) < 1500
    s = rng.standard_normal(4000) + 1.8 * y
    coarse = np.floor(s * 8) / 8
    pos, neg = (
        np.bincount(((coarse[side] + 10) * 8).astype(int), minlength=200)[::-1] for side in (y, ~y)
    )
    binned = rb.RocCurve.from_counts(
        (np.arange(200)[::-1] / 8) - 10, fp=np.cumsum(neg), tp=np.cumsum(pos), bins=True
    )
    inside, around = rb.roc_band(y, s), rb.roc_band(binned)
    at = np.linspace(0.01, 0.99, 50)
    assert (around.lower_at(at) <= inside.lower_at(at) + 1e-9).all()
    assert (around.upper_at(at) >= inside.upper_at(at) - 1e-9).all()


@pytest.mark.simulation
@pytest.mark.parametrize("calibration", ["curve", "chance"])
def test_large_smooth_curves_are_contained_as_often_as_the_level_says(calibration: str) -> None:
    """At 3,000 cases a class the value of chance is too small, which this test must see."""
    rng = np.random.default_rng(17)
    m, d, sets = 3000, 2.0, 300
    z = np.linspace(-9.0, 7.0, 1200)
    true = np.concatenate(([0.0], ndtr(z), [1.0])), np.concatenate(([0.0], ndtr(z + d), [1.0]))
    y = np.arange(2 * m) < m
    method = rb.bands.Likelihood(calibration=calibration)
    held = 0
    for _ in range(sets):
        scores = rng.standard_normal(2 * m) + d * y
        held += rb.roc_band(y, scores, method=method, level=0.8).contains(true)
    share = held / sets
    if calibration == "curve":
        assert 0.74 <= share <= 0.87
    else:
        assert share <= 0.80
