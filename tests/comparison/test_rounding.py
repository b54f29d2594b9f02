"""Rounding errors of 0 decide nothing: no number and no text changes where values are equal."""

from __future__ import annotations

import numpy as np
import pytest

import rocbands as rb
from rocbands.comparison.bootstrap import _count_tails
from rocbands.comparison.method import ComparisonRequest
from rocbands.design.row_design import RowDesign
from rocbands.resample.sign_flips import MOST_UNITS, SignFlips

ROWS = 40
Y = np.arange(ROWS) % 2 == 1
# Both models order all positives above all negatives, each in its own order.
PERFECT = {"a": Y + np.arange(ROWS) / 100, "b": Y - np.arange(ROWS) / 100}
WEIGHTS = np.repeat(np.random.default_rng(4).uniform(0.3, 3.0, ROWS // 2), 2)  # equal in classes


@pytest.mark.parametrize("scale", [1.0, 0.1, 1 / 3, 0.7])
def test_perfect_models_with_weights_do_not_differ_in_average_precision(scale: float) -> None:
    sample = rb.Sample(Y, PERFECT, weights=scale * WEIGHTS)
    found = rb.average_precision_difference(sample)
    assert (found.estimates, found.difference, found.pvalue) == ((1.0, 1.0), 0.0, 1.0)
    sets = (rb.Sample(Y, PERFECT["a"], weights=WEIGHTS), sample.take(np.argsort(~Y))["b"])
    assert rb.average_precision_difference(*sets).difference == 0.0


@pytest.mark.parametrize("scale", [1.0, 0.1, 1 / 3, 0.7])
def test_rows_that_all_contribute_0_have_no_design_effect(scale: float) -> None:
    sample = rb.Sample(
        Y,
        PERFECT,
        weights=scale * WEIGHTS,
        clusters=np.arange(ROWS) // 3,
        strata=np.arange(ROWS) // 21,
    )
    notes = " ".join(rb.rate_difference(sample, rate=0.5).notes)
    assert "40 rows count like 40 independent ones (design effect 1)" in notes


def test_equal_values_count_like_kish() -> None:
    design = RowDesign.of_rows(Y, WEIGHTS)
    kish = tuple(units.kish for units in design.units[:2])
    for noise in (0.0, 1e-16, 3e-16):
        values = 0.7 + noise * np.random.default_rng(1).normal(size=ROWS)
        assert design.count_rows(values, design.split(values)) == kish
    values = np.random.default_rng(1).normal(size=ROWS)
    assert design.count_rows(values, design.split(values)) != pytest.approx(kish)


@pytest.mark.parametrize("method", ["delong", "logit-delong"])
def test_clusters_with_equal_placements_have_no_spread(method: str) -> None:
    # Each cluster has the placements 1/3, 2/3 and 1 of its class, so that all have the same sum.
    y = np.tile([1, 1, 1, 0, 0, 0], 7)
    score = np.tile([0.2, 0.4, 0.6, 0.1, 0.3, 0.5], 7)
    sample = rb.Sample(y, score, clusters=np.arange(42) // 6)
    found = rb.auc_interval(sample, method=method)
    if method == "delong":
        assert found.low == found.high == found.estimate
        assert found.pvalue is None
    else:
        assert "Newcombe's" in found.notes[0]
        assert found.high - found.low > 0.2


def test_draws_that_are_0_but_for_rounding_count_on_both_sides() -> None:
    request = ComparisonRequest(0.95)
    exact = _count_tails(np.array([-0.1, 0.0, 0.0, 0.2, 0.3]), 0.1, request)
    for noise in (1e-17, -1e-17):
        assert _count_tails(np.array([-0.1, noise, -noise, 0.2, 0.3]), 0.1, request) == exact


def test_draws_of_many_residuals_do_not_depend_on_rounding() -> None:
    rng = np.random.default_rng(6)
    pos, neg = rng.normal(size=(2, 2 * MOST_UNITS, 3))
    pos[10:] = 5.0 * rng.choice([-1.0, 1.0], pos[10:].shape)  # of equal size, more than are used
    drawn = []
    for noise in (0.0, 1e-15):
        sides = [side * (1.0 + noise * rng.normal(size=side.shape)) for side in (pos, neg)]
        flips = SignFlips.from_residuals(*sides, np.eye(2), np.zeros((2, 2)), shared=False)
        drawn.append(np.hstack(flips.draw(50, np.random.default_rng(1))))
    np.testing.assert_allclose(drawn[0], drawn[1], atol=1e-9 * np.abs(drawn[0]).max())
