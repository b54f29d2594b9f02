"""Quick looks at intervals for the cost: exact coverage, and one that must fail beside each."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

import rocbands as rb
from rocbands_studies.coverage.cost import SD, SIZE, SPREAD, coverage
from rocbands_studies.coverage.judge import may_lie_in

ENDS = (0.01, 0.02, 0.05, 0.1, 0.3, 0.5, 0.8, 0.97, 0.99)
DESIGNS = {
    "theta 0.75": SPREAD[0.75],
    "theta 3": SPREAD[3.0],
    "theta 5": SPREAD[5.0],
    "n 25": SIZE[25],
    "n 250": SIZE[250],
}


@pytest.mark.parametrize("name", DESIGNS)
@pytest.mark.parametrize("sampling", ["stratified", "full"])
def test_mover_holds_where_errors_are_few(name: str, sampling: str) -> None:
    held = [coverage(DESIGNS[name], w, "mover", sampling) for w in ENDS]
    assert min(held) >= 0.86
    # Control: at a lower level the same intervals must fail.
    assert max(coverage(DESIGNS[name], w, "mover", sampling, level=0.7) for w in (0.3, 0.5)) < 0.86


# methods/cost-results.md sections 3 and 4: exact coverage of the paper's interval at level .9.
PRINTED = {
    ("stratified", "theta 0.75"): {0.05: 0.000, 0.1: 0.019, 0.5: 0.899},
    ("stratified", "theta 3"): {0.01: 0.384, 0.05: 0.877, 0.1: 0.893, 0.5: 0.901},
    ("stratified", "theta 5"): {0.01: 0.682, 0.05: 0.872, 0.1: 0.888, 0.5: 0.892},
    ("stratified", "n 25"): {0.01: 0.835, 0.05: 0.658, 0.1: 0.676, 0.5: 0.882},
    ("stratified", "n 250"): {0.01: 0.249, 0.05: 0.804, 0.1: 0.873, 0.5: 0.901},
    ("full", "theta 3"): {0.01: 0.570, 0.02: 0.795},
    ("full", "theta 5"): {0.01: 0.682},
}


@pytest.mark.parametrize(("sampling", "name"), PRINTED)
def test_the_papers_interval_fails_as_often_as_was_found_before(sampling: str, name: str) -> None:
    for w, share in PRINTED[sampling, name].items():
        assert coverage(DESIGNS[name], w, "gaussian", sampling) == pytest.approx(share, abs=6e-4)


@pytest.mark.simulation
def test_true_cost_of_thresholds_from_a_validation_set() -> None:
    rng, reps, theta, size = np.random.default_rng(7), 600, 3.0, 1000
    w = np.array([0.01, 0.02, 0.1, 0.5])
    y = np.repeat([1, 0], size)
    held = {"mover": np.zeros(w.size), "gaussian": np.zeros(w.size)}
    for _ in range(reps):
        valid, test = rng.normal(np.where(y == 1, theta, -theta), SD, (2, 2 * size))
        cut = rb.cost_thresholds(y, valid, w=w).thresholds
        truth = w * ndtr((cut - theta) / SD) + (1 - w) * ndtr((-theta - cut) / SD)
        for method in held:
            found = rb.cost_interval(y, test, method=method, thresholds=cut, w=w, level=0.9)
            held[method] += (found.lower <= truth) & (truth <= found.upper)
    # methods/cost-results.md section 6: MOVER .94 .93 .94 .91, Gaussian .64 .78 .91 .90.
    assert all(may_lie_in(int(n), reps, 0.88, 0.97, 0.9999) for n in held["mover"])
    assert not any(may_lie_in(int(n), reps, 0.88, 0.97, 0.9999) for n in held["gaussian"][:2])
    assert all(may_lie_in(int(n), reps, 0.88, 0.97, 0.9999) for n in held["gaussian"][2:])


@pytest.mark.simulation
def test_a_test_sets_own_envelope_is_too_low() -> None:
    rng, theta, reps = np.random.default_rng(3), 3.0, 1600
    y = np.repeat([1, 0], 100)
    means = np.where(y == 1, theta, -theta)
    own = np.mean([rb.cost_curve(y, rng.normal(means, SD)).at(0.5) for _ in range(reps)])
    fixed = np.mean(
        [
            rb.cost_interval(y, rng.normal(means, SD), thresholds=0.0, w=0.5).cost[0]
            for _ in range(reps)
        ]
    )
    # methods/cost-results.md section 6: .144 at 100 per class, where the true cost is .1587.
    assert own == pytest.approx(0.144, abs=0.005)
    assert fixed == pytest.approx(ndtr(-1.0), abs=0.005)
