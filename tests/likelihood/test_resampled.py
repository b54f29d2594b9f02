"""Critical values from resampled score levels and from a fitted curve."""

from __future__ import annotations

import numpy as np
import pytest

import rocbands as rb
from rocbands.core.curve import Curve
from rocbands.likelihood.calibration import CriticalValue, choose_calibration, find_critical_values
from rocbands.likelihood.chance import critical_value
from rocbands.likelihood.region import LikelihoodRegion
from rocbands.likelihood.resampled import binormal_statistics, level_statistics
from tests.oracles import critical_values as slow


def counts(labels: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    roc = rb.roc_curve(labels, scores)
    return np.append(0, roc.fp), np.append(0, roc.tp)


def statistic(
    fp: np.ndarray,
    tp: np.ndarray,
    x: np.ndarray,
    y: np.ndarray,
    future: tuple[int, int] | None = None,
) -> float:
    return LikelihoodRegion(fp, tp, 0.0, future).statistic(Curve(x, y))


@pytest.mark.parametrize("future", [None, (30, 20)])
def test_levels_agree_with_single_curves(future: tuple[int, int] | None) -> None:
    pos, neg = np.array([12, 0, 7, 4, 2]), np.array([1, 3, 0, 9, 9])
    m, n = pos.sum(), neg.sum()
    size = 80
    found, weights = level_statistics(pos, neg, size, np.random.default_rng(2), future=future)
    again = np.random.default_rng(2)
    p, q = slow.smoothed(pos), slow.smoothed(neg)
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
    upper, _ = level_statistics(pos, neg, size, np.random.default_rng(2), future=future, level=0.9)
    order = np.argsort(-found)
    kept = order[np.cumsum(weights[order]) <= 0.1 * size]
    np.testing.assert_allclose(upper[kept], found[kept], atol=1.1e-3)


@pytest.mark.simulation
@pytest.mark.parametrize("levels", [5, 25])
def test_chosen_draws_stand_for_all(levels: int, monkeypatch: pytest.MonkeyPatch) -> None:
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
    monkeypatch.setattr("rocbands.likelihood.resampled.FULL_SHARE", 1.0)
    every, weights = level_statistics(pos, neg, 4000, rng)
    assert (weights == 1.0).all()
    assert every.size == 4000
    for share, c in zip(np.transpose(shares), at, strict=True):
        noise = np.hypot(share.std() / 40**0.5, every[every > c].size ** 0.5 / 4000)
        assert share.mean() == pytest.approx(np.mean(every > c), abs=4.0 * noise)


def test_a_binormal_fit_to_chance_gives_nearly_the_chance_law() -> None:
    fp, tp = counts([1, 0] * 40, np.arange(80))
    found = binormal_statistics(fp, tp, 4000, np.random.default_rng(3))
    for level in (0.5, 0.9):
        assert np.mean(found <= critical_value(40, 40, level)) == pytest.approx(level, abs=0.05)


@pytest.mark.parametrize("future", [None, (12, 9)])
def test_statistics_of_levels_against_a_dense_walk(
    future: tuple[int, int] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of six sets of three levels, so that each stands for itself."""
    monkeypatch.setattr("rocbands.likelihood.resampled.FULL_SHARE", 1.0)
    pos, neg = np.array([7, 3, 2]), np.array([1, 4, 6])
    found, weights = level_statistics(pos, neg, 6, np.random.default_rng(4), future=future)
    assert (weights == 1.0).all()
    rng, p, q = np.random.default_rng(4), slow.smoothed(pos), slow.smoothed(neg)
    drawn = [rng.multinomial(size, share, 6) for size, share in ((11, q), (12, p))]
    tested = [np.tile(q, (6, 1)), np.tile(p, (6, 1))]
    if future is not None:
        tested = [rng.multinomial(k, share, 6) / k for k, share in ((9, q), (12, p))]
    u, v = (np.minimum(np.cumsum(np.pad(side, ((0, 0), (1, 0))), axis=1), 1.0) for side in tested)
    wanted = [slow.level_statistic(*(side[i] for side in (*drawn, u, v)), future) for i in range(6)]
    np.testing.assert_allclose(np.sort(found), np.sort(wanted), atol=0.02)


def calibrate(how: str, level: float, n_resamples: int, seed: int = 1) -> CriticalValue:
    fp, tp = np.array([0, 5, 20, 60, 90]), np.array([0, 30, 45, 55, 60])
    rng = np.random.default_rng(seed)
    return find_critical_values(how, fp, tp, [level], None, n_resamples, rng)[0]


@pytest.mark.parametrize("level", [0.5, 0.9, 0.99])
def test_critical_value_is_the_quantile_with_the_observed_set_counted(level: float) -> None:
    fp, tp = np.array([0, 5, 20, 60, 90]), np.array([0, 30, 45, 55, 60])
    drawn = binormal_statistics(fp, tp, 500, np.random.default_rng(1), level=level)
    found = calibrate("plugin", level, 500)
    assert found.critical_value == slow.quantile(drawn.tolist(), level)
    assert found.draws == 500


def test_standard_error_is_that_of_other_seeds() -> None:
    found = [calibrate("bootstrap", 0.9, 100, seed) for seed in range(30)]
    errors = [value.error for value in found]
    spread = np.std([value.critical_value for value in found])
    assert 0.6 * spread < np.mean(errors) < 1.7 * spread


def test_a_mirrored_curve_and_future_set_have_the_same_critical_value() -> None:
    fp, tp = np.array([0, 2, 9, 20, 40]), np.array([0, 12, 20, 27, 30])
    found = [
        find_critical_values("bootstrap", *counts, [0.9], future, 50, np.random.default_rng(3))[0]
        for counts, future in (((fp, tp), (10, 80)), ((30 - tp[::-1], 40 - fp[::-1]), (80, 10)))
    ]
    assert found[0].critical_value == found[1].critical_value


@pytest.mark.parametrize(("levels", "wanted"), [(1, "curve"), (2, "bootstrap"), (301, "curve")])
def test_automatic_calibration_counts_levels(levels: int, wanted: str) -> None:
    counts = 2 * np.arange(levels + 1)
    assert choose_calibration(counts, counts) == wanted
