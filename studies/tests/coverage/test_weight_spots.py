"""Quick looks at coverage with weights that depend on the score, and on the class as well."""

from __future__ import annotations

import numpy as np
import pytest

import rocbands as rb
from rocbands_studies.coverage.judge import may_lie_in
from rocbands_studies.coverage.weights import LABEL_AND_SCORE, TIERS, Sample

pytestmark = pytest.mark.simulation

REPS = 480


@pytest.mark.parametrize(
    "sample", [LABEL_AND_SCORE[0], LABEL_AND_SCORE[3]], ids=lambda one: one.kind
)
def test_bands_hold_where_one_class_is_thinned(sample: Sample) -> None:
    rng, held, narrow = np.random.default_rng(12), 0, 0
    for _ in range(REPS):
        roc = sample.draw_data(rng, 1000)
        held += rb.roc_band(roc).contains(sample.truth)
        narrow += rb.roc_band(roc, level=0.5).contains(sample.truth)
    assert may_lie_in(held, REPS, 0.92, 0.99, 0.9999)
    assert not may_lie_in(narrow, REPS, 0.92, 0.99, 0.9999)


def test_auc_intervals_hold_where_few_heavy_rows_are_drawn() -> None:
    rng, sample, reps = np.random.default_rng(12), TIERS[1], 2400
    truth = float(np.trapezoid(sample.truth.y, sample.truth.x))
    held = {0.95: 0, 0.8: 0}
    for _ in range(reps):
        roc = sample.draw_data(rng, 400)
        for level in held:
            found = rb.auc_interval(roc, level=level)
            held[level] += found.low <= truth <= found.high
    assert may_lie_in(held[0.95], reps, 0.94, 0.99, 0.9999)
    assert not may_lie_in(held[0.8], reps, 0.94, 0.99, 0.9999)
