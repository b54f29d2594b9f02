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
