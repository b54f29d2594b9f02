"""Quick looks: `compare` and `compare_many` seldom call equal AUCs different; normal tests do."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import rocbands as rb
from rocbands_studies.coverage.judge import may_lie_in
from rocbands_studies.coverage.verdict import APART, KNOWN, measure, same_rows, two_sets
from rocbands_studies.coverage.worlds import ManyModels

SETS = 1600


@pytest.mark.simulation
@pytest.mark.parametrize("name", ["positives' sd 1 and 3", "AUC .5, rho .3"])
def test_few_positives(name: str) -> None:
    new, _, normal, *_ = measure(partial(same_rows, KNOWN[name]), (5, 100), sets=SETS)
    assert may_lie_in(round(SETS * new), SETS, 0.0, 0.065, 0.999)
    assert not may_lie_in(round(SETS * normal), SETS, 0.0, 0.065, 0.999)


@pytest.mark.simulation
@pytest.mark.filterwarnings("ignore::rocbands.RocBandsWarning")
def test_few_positives_of_two_test_sets() -> None:
    sample = partial(two_sets, APART["exponential"])
    new, _, welch, *_ = measure(sample, ((6, 200), (40, 40)), sets=SETS)
    assert may_lie_in(round(SETS * new), SETS, 0.0, 0.065, 0.999)
    assert not may_lie_in(round(SETS * welch), SETS, 0.0, 0.065, 0.999)


@pytest.mark.simulation
def test_several_models_of_different_shapes() -> None:
    """Five models, 10+200 cases: standard errors with a normal distribution reject too often."""
    scenario, rng, sets = ManyModels(5, 0.85, 0.6, spread=(1.0, 2.0, 0.5)), np.random.default_rng(2), 450  # fmt: skip
    found = np.zeros(3)
    for _ in range(sets):
        many = rb.compare_many(
            rb.Sample(*scenario.draw_data(rng, 10, 200)), n_resamples=500, rng=rng
        )
        largest = np.abs(many.differences / many.standard_errors).max()
        found += many.pvalue < 0.05, many.pvalues.min() < 0.05, largest > 2.73
    for share in found[:2]:
        assert may_lie_in(int(share), sets, 0.0, 0.065, 0.999)
    assert not may_lie_in(int(found[2]), sets, 0.0, 0.065, 0.999)
