"""Correlations of two estimates, for limits of their difference."""

from __future__ import annotations

import pytest

from rocbands._math.mover import SHRINKAGE, correlate


def test_few_cases_shrink_a_correlation_to_0_and_not_beyond() -> None:
    assert correlate(0.5, 1.0, 1.0, 10.0) == pytest.approx(0.5 * (1.0 - SHRINKAGE / 10.0))
    assert correlate(0.5, 1.0, 1.0, 0.01) == 0.0
