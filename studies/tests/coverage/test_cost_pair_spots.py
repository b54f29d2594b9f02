"""Quick looks at how often limits for a difference of costs hold, each with a negative control."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import gammaln, ndtr, xlogy

import rocbands as rb
from rocbands._math.discordance import find_tango_limits
from rocbands_studies.coverage.judge import may_lie_in
from rocbands_studies.coverage.worlds import shifted

REPS = 600
W = np.array([0.02, 0.1, 0.5, 0.9])


def best_thresholds(w: np.ndarray, mean: float) -> np.ndarray:
    return mean / 2 + np.log((1 - w) / w) / mean


def true_difference(
    means: tuple[float, float], cuts: list[np.ndarray], w: np.ndarray
) -> np.ndarray:
    one, two = (
        w * ndtr(cut - mean) + (1 - w) * ndtr(-cut) for cut, mean in zip(cuts, means, strict=True)
    )
    return one - two


@pytest.mark.simulation
@pytest.mark.parametrize("sampling", ["stratified", "full"])
def test_mover_holds_where_errors_are_few(sampling: str) -> None:
    world, rng, n = shifted(rho=0.6, shift=2 / 3, mean=1.3), np.random.default_rng(1), 200
    means = 1.3, 1.3 + 2 / 3
    cuts = [best_thresholds(W, mean) for mean in means]
    truth = true_difference(means, cuts, W)
    if sampling == "full":
        truth = truth / 2 / np.maximum(W, 1 - W)
    held = {"mover": np.zeros(W.size, int), "gaussian": np.zeros(W.size, int)}
    for _ in range(REPS):
        n_pos = int(rng.binomial(2 * n, 0.5)) if sampling == "full" else n
        y, one, two = world.draw(rng, n_pos, 2 * n - n_pos)
        for method in held:
            found = rb.cost_difference(
                y, one, two, method=method, thresholds=(cuts[0], cuts[1]), sampling=sampling, level=0.9,
                **({"costs": (W, 1 - W)} if sampling == "full" else {"w": W}),
            )  # fmt: skip
            inside = (found.lower <= truth) & (truth <= found.upper) & (found.lower < found.upper)
            held[method] += inside
    assert all(may_lie_in(int(count), REPS, 0.87, 1.0, 0.9999) for count in held["mover"])
    assert not may_lie_in(int(held["gaussian"][0]), REPS, 0.87, 1.0, 0.9999)


@pytest.mark.simulation
def test_simultaneous_regions_spare_equal_classifiers() -> None:
    world, rng, n = shifted(rho=0.6, shift=0.0, mean=2.0), np.random.default_rng(2), 150
    w = np.linspace(0.02, 0.98, 49)
    cut = best_thresholds(w, 2.0)
    flagged = {True: 0, False: 0}
    for _ in range(REPS):
        y, one, two = world.draw(rng, n, n)
        for together in flagged:
            found = rb.cost_difference(
                y,
                one,
                two,
                thresholds=(cut, cut),
                w=w,
                level=0.9,
                simultaneous=together,
                rng=rng,
                n_resamples=200,
            )
            flagged[together] += bool(found.better)
    assert may_lie_in(flagged[True], REPS, 0.0, 0.12, 0.9999)
    assert not may_lie_in(flagged[False], REPS, 0.0, 0.12, 0.9999)


@pytest.mark.parametrize("shares", [(0.1, 0.1), (0.3, 0.1), (0.05, 0.0), (0.5, 0.3)])
def test_tango_limits_hold_over_all_outcomes(shares: tuple[float, float]) -> None:
    size = 40
    b, c = (grid.ravel() for grid in np.indices((size + 1, size + 1)))
    b, c = b[b + c <= size], c[b + c <= size]
    counts, parts = (b, c, size - b - c), (*shares, 1 - sum(shares))
    chance = np.exp(
        gammaln(size + 1)
        + sum(xlogy(n, p) - gammaln(n + 1) for n, p in zip(counts, parts, strict=True))
    )

    def held(z: float) -> float:
        low, high = find_tango_limits(b, c, size, z)
        truth = shares[0] - shares[1]
        return float(chance[(low <= truth) & (truth <= high)].sum())

    assert 0.86 <= held(1.645) <= 0.96
    assert held(1.0) < 0.86
