"""Separated classes with weights: the band is mirrored with the classes."""

from __future__ import annotations

import numpy as np
import pytest

import rocbands as rb


def test_rounded_sums_of_weights_are_separated_classes() -> None:
    """The weighted AUC of one of both orientations is 1 less a rounding error."""
    y = np.repeat([0, 1], [17, 3])
    s = np.arange(20.0)
    w = [0.5, 1, 0.5, 2, 2, 1, 0.5, 0.5, 1, 1, 1, 0.5, 2, 0.5, 0.5, 2, 2, 0.5, 2, 1]
    one = rb.roc_band(rb.Sample(y, s, weights=w))
    two = rb.roc_band(rb.Sample(1 - y, -s, weights=w))
    assert one.area == pytest.approx(two.area, rel=0.003)


def test_strata_whose_variance_near_a_rate_of_1_is_rounding_change_no_size() -> None:
    """Weights over six powers of ten: sizes of one of both orientations were twice too large."""
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1], 15)
    s = np.arange(30.0) + 0.1 * rng.normal(size=30)
    weights = 1000.0 ** rng.permutation(np.resize([-1, 0, 1], 30))
    weights[15] = weights[14] = 1e-3  # of the lowest positive, and of the highest negative
    design = {"weights": weights, "strata": rng.integers(0, 2, 30)}
    one = rb.roc_band(rb.Sample(y, s, **design), level=0.99)
    two = rb.roc_band(rb.Sample(1 - y, -s, **design), level=0.99)
    assert one.area == pytest.approx(two.area, rel=0.003)
    plain = rb.roc_band(rb.Sample(y, s, weights=weights), level=0.99)
    assert one.area == pytest.approx(plain.area, rel=0.02)
