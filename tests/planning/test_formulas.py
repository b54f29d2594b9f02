"""Variances, widths and powers of normal scores: integrals, and simulated test sets."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm, t

from rocbands.core.delong import compute_placements
from rocbands.planning.formulas import (
    _reject,
    expect_width,
    find_common_moments,
    find_moments,
    find_power_against,
    find_power_of_two,
    find_score_correlation,
)


def test_moments_by_integration() -> None:
    for auc in (0.2, 0.8, 0.99):
        h = norm.ppf(auc)
        y = np.linspace(-9, 12, 40_001)
        beat = norm.sf(y, loc=np.sqrt(2) * h)  # of a positive, with a negative at y
        found = find_moments(h)
        assert found.same == pytest.approx(auc * (1 - auc))
        both = np.trapezoid(beat**2 * norm.pdf(y), y)
        assert found.shared == pytest.approx(both - auc**2, rel=1e-5)
        assert found.of_estimate(1, 1) == pytest.approx(auc * (1 - auc))
        # Two positives and one negative: both beat it where both beat the same y.
        assert found.of_estimate(2, 1) == pytest.approx((2 * auc + 2 * both) / 4 - auc**2, rel=1e-5)


@pytest.mark.parametrize("rho", [-0.7, 0.0, 0.3, 0.95])
def test_moments_of_two_models_as_in_scipy(rho: float) -> None:
    h, k = norm.ppf(0.9), norm.ppf(0.65)
    found = find_common_moments(h, k, rho)
    for value, r in ((found.same, rho), (found.shared, rho / 2)):
        joint = multivariate_normal.cdf([h, k], cov=[[1, r], [r, 1]])
        assert value == pytest.approx(joint - 0.9 * 0.65, abs=2e-5)
    one = find_common_moments(h, h, 1 - 1e-9)  # one model, twice
    assert one.shared == pytest.approx(find_moments(h).shared, rel=1e-6)


def test_near_1_nothing_cancels() -> None:
    small = [float(find_moments(h).shared) for h in (-8.0, 8.0)]
    assert small[0] == small[1] > 0.0
    # P(both) of two normals with correlation 1/2 beyond h falls like exp(-2 h^2 / 3).
    ratio = np.log(find_moments(6.0).shared / find_moments(7.0).shared)
    assert ratio == pytest.approx((49 - 36) * 2 / 3, rel=0.05)


def draw(
    aucs: tuple[float, ...], rho: float, n_pos: int, n_neg: int, sets: int
) -> tuple[np.ndarray, ...]:
    """AUCs (sets, models) and covariances of the placements, by class, of simulated sets."""
    rng, positive = np.random.default_rng(1), np.repeat([True, False], [n_pos, n_neg])
    shift, areas, pos, neg = np.sqrt(2) * norm.ppf(aucs), [], [], []
    cov = np.full((len(aucs),) * 2, rho) + (1 - rho) * np.eye(len(aucs))
    for _ in range(sets):
        noise = rng.multivariate_normal(np.zeros(len(aucs)), cov, positive.size)
        found = [compute_placements(positive, s) for s in (noise + positive[:, None] * shift).T]
        areas.append([one.auc for one in found])
        pos.append(np.cov([one.pos for one in found]) / n_pos)
        neg.append(np.cov([one.neg for one in found]) / n_neg)
    return np.array(areas), np.array(pos), np.array(neg)


def test_expected_parts_of_delongs_variance() -> None:
    areas, pos, neg = draw((0.9,), 0.0, 8, 24, 2000)
    moments = find_moments(norm.ppf(0.9))
    assert moments.of_estimate(8, 24) == pytest.approx(areas.var(), rel=0.08)
    by_pos, by_neg = moments.by_class(8, 24)
    assert by_pos == pytest.approx(pos.mean(), rel=0.05)
    assert by_neg == pytest.approx(neg.mean(), rel=0.05)


def test_power_of_two_models_in_simulated_sets() -> None:
    """Student's t with Satterthwaite's degrees of freedom, written down again."""
    h, k = norm.ppf((0.85, 0.7))
    rho, same = find_score_correlation(h, k, 0.5)
    assert same == 0.5
    areas, pos, neg = draw((0.85, 0.7), rho, 30, 60, 900)
    assert np.corrcoef(areas.T)[0, 1] == pytest.approx(0.5, abs=0.08)
    contrast = np.array([1.0, -1.0])
    v_pos, v_neg = (np.einsum("i,sij,j->s", contrast, part, contrast) for part in (pos, neg))
    df = (v_pos + v_neg) ** 2 / (v_pos**2 / 29 + v_neg**2 / 59)
    p = 2 * t.sf(np.abs(areas @ contrast) / np.sqrt(v_pos + v_neg), df)
    power = find_power_of_two(0.85, 0.7, rho, 30, 60, 0.025)
    assert np.mean(p < 0.05) == pytest.approx(power, abs=0.045)
    assert find_power_of_two(0.7, 0.85, rho, 60, 30, 0.025) == pytest.approx(
        find_power_of_two(0.85, 0.7, rho, 60, 30, 0.025), abs=1e-9
    )


def test_large_samples_have_the_usual_formulas() -> None:
    m, n, z = 1e6, 3e6, norm.ppf(0.975)
    one, two = find_moments(norm.ppf(0.8)), find_moments(norm.ppf(0.798))
    error = np.sqrt(one.of_estimate(m, n))
    assert expect_width(0.8, m, n, 0.025) == pytest.approx(2 * z * error, rel=1e-4)
    wanted = norm.cdf((0.8 - 0.798) / error - z)
    assert find_power_against(0.8, 0.798, m, n, 0.025) == pytest.approx(wanted, abs=0.01)
    rho = find_score_correlation(norm.ppf(0.8), norm.ppf(0.798), 0.4)[0]
    spread = one.of_estimate(m, n) + two.of_estimate(m, n) - 0.8 * error**2
    wanted = norm.cdf(0.001 / np.sqrt(spread) - z)
    found = find_power_of_two(0.8, 0.799, rho, m, n, 0.025)
    assert found == pytest.approx(wanted, abs=0.01)


def test_more_cases_are_never_worse() -> None:
    sizes = np.geomspace(2, 1e4, 40)
    for auc in (0.55, 0.9, 0.999):
        widths = np.array([expect_width(auc, n, 2 * n, 0.025) for n in sizes])
        assert np.all(np.diff(widths) < 0)
        powers = np.array([find_power_against(auc, 0.5, n, 2 * n, 0.025) for n in sizes])
        assert np.all(np.diff(powers) > -0.003)


@pytest.mark.parametrize("tail", [0.025, 0.3, 0.5, 0.7])
@pytest.mark.parametrize("distance", [-0.1, 0.05, 0.2])
def test_rejections_of_any_level_as_drawn(tail: float, distance: float) -> None:
    """A one-sided test of level one half or less rejects below its own quantile, too."""
    df, variance = 12.0, 0.01
    errors = np.sqrt(variance * np.random.default_rng(1).chisquare(df, 100_000) / df)
    drawn = np.mean(distance / errors > t.isf(tail, df))
    found = _reject(np.array([distance]), np.array([variance]), np.array([df]), tail)
    assert found == pytest.approx(drawn, abs=0.01)
