"""Differences of recall: limits hold, and those without pairing or without a floor do not."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ndtri

import rocbands as rb
from rocbands_studies.coverage.judge import may_lie_in
from rocbands_studies.coverage.worlds import shifted
from tests.oracles.rate_difference import difference as slow

REPS = 1200


@pytest.mark.simulation
@pytest.mark.parametrize(("rho", "shift", "size"), [(0.6, 0.5, (60, 60)), (0.9, 0.0, (100, 300))])
def test_limits_hold_close_to_their_level(rho: float, shift: float, size: tuple) -> None:
    world, rates = shifted(rho, shift), [0.2, 0.5]
    truth = [world.recall_gap(size[0] / sum(size), rate) for rate in rates]
    rng, held, narrow = np.random.default_rng(5), np.zeros(2), np.zeros(2)
    alone = np.zeros(2)
    for _ in range(REPS):
        rows = world.draw(rng, *size)
        found = rb.rate_difference(*rows, rate=rates, level=0.9, sampling="stratified")
        held += (found.lower <= truth) & (truth <= found.upper)
        half = 0.4 * (found.upper - found.lower) / 2
        narrow += np.abs(found.difference - truth) <= half
        # Ignoring the pairing: each model against one that guesses, whose rows do not vary.
        guess = np.zeros(len(rows[0]))
        errors = [
            rb.rate_difference(rows[0], s, guess, rate=rates, sampling="stratified").standard_error
            for s in rows[1:]
        ]
        alone += np.abs(found.difference - truth) <= ndtri(0.95) * np.hypot(*errors)
    for count in held:
        assert may_lie_in(int(count), REPS, 0.89, 0.95, 0.9999)
    for count in (*narrow, *(alone if rho == 0.9 else ())):
        assert not may_lie_in(int(count), REPS, 0.89, 0.95, 0.9999)


@pytest.mark.simulation
def test_without_a_floor_few_rows_would_be_called_certain() -> None:
    world, rate, size = shifted(0.9, 0.5), 0.05, (50, 50)
    truth = world.recall_gap(0.5, rate)
    rng, held, bare = np.random.default_rng(6), 0, 0
    for _ in range(150):
        labels, one, two = world.draw(rng, *size)
        found = rb.rate_difference(labels, one, two, rate=rate)
        held += found.lower[0] <= truth <= found.upper[0]
        seen = slow(labels.tolist(), one.tolist(), two.tolist(), [0] * len(labels), rate)[2]
        bare += abs(found.difference[0] - truth) <= ndtri(0.975) * math.sqrt(seen)
    assert may_lie_in(held, 150, 0.95, 1.0, 0.9999)
    assert not may_lie_in(bare, 150, 0.95, 1.0, 0.9999)
