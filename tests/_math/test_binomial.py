"""Limits for a probability, against the numbers in the literature and against their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, norm

from rocbands._math.binomial import clopper_pearson_limits, wilson_limits

# Newcombe (1998), Statistics in Medicine 17, 857-872, table I.
PRINTED = {
    (81, 263): ((0.2553, 0.3662), (0.2527, 0.3676)),
    (15, 148): ((0.0624, 0.1605), (0.0578, 0.1617)),
    (0, 20): ((0.0, 0.1611), (0.0, 0.1684)),
    (1, 29): ((0.0061, 0.1718), (0.0009, 0.1776)),
}


@pytest.mark.parametrize("case", PRINTED)
def test_printed_limits(case: tuple[int, int]) -> None:
    count, size = case
    wilson, exact = PRINTED[case]
    assert wilson_limits(count / size, size, 0.95) == pytest.approx(wilson, abs=5e-5)
    assert clopper_pearson_limits(count, size, 0.95) == pytest.approx(exact, abs=5e-5)


@given(st.integers(1, 300), st.floats(0, 1), st.floats(0.01, 0.999))
def test_what_the_limits_are_by_definition(size: int, share: float, level: float) -> None:
    count = round(share * size)
    low, high = wilson_limits(count / size, size, level)
    assert 0 <= low <= count / size <= high <= 1
    z = norm.ppf((1 + level) / 2)
    for end in (low, high):
        if 0 < end < 1:
            assert abs(count / size - end) == pytest.approx(
                z * np.sqrt(end * (1 - end) / size), abs=1e-9
            )
    low, high = clopper_pearson_limits(count, size, level)
    assert 0 <= low <= count / size <= high <= 1
    tail = (1 - level) / 2
    assert low == 0 if count == 0 else binom.sf(count - 1, size, low) == pytest.approx(tail)
    assert high == 1 if count == size else binom.cdf(count, size, high) == pytest.approx(tail)


def test_limits_at_the_ends_are_the_ends_exactly() -> None:
    low, high = wilson_limits([0.0, 1.0], [7, 7.5], 0.9)
    assert (low[0], high[1]) == (0.0, 1.0)
    assert high[0] > 0.2
    low, high = clopper_pearson_limits([0, 7], 7, 0.9)
    assert (low[0], high[1]) == (0.0, 1.0)
