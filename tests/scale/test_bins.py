"""Bins: ordered, the same for every type of number, and where the formula for SQL puts them."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocbands.errors import InputError
from rocbands.scale.bins import INFINITE, bin_keys, bin_thresholds

LEAST = 2.0**-126
EDGES = [0.0, -0.0, 5e-324, LEAST, math.nextafter(LEAST, 0), 1.0, math.nextafter(1, 0), 0.5, 2.0]
EDGES += [1 + 1 / 4096, math.nextafter(1 + 1 / 4096, 0), 1.7976931348623157e308, math.inf]
EDGES += [math.nextafter(2.0**k, side) for k in (-30, -1, 3, 100, 1000) for side in (0, math.inf)]
EDGES += [-x for x in EDGES]
numbers = st.floats(allow_nan=False) | st.sampled_from(EDGES)
singles = st.floats(allow_nan=False, width=32)


def slow_key(x: float) -> int:
    """Work out the key from the definition, in whole numbers and fractions."""
    if x < 0:
        return -slow_key(-x)
    if x == 0:
        return 0
    if math.isinf(x):
        return (1024 + 126) * 4096 + 2
    if x < LEAST:
        return 1
    exact, e = Fraction(x), math.frexp(x)[1] - 1
    return (e + 126) * 4096 + math.floor((exact / Fraction(2) ** e - 1) * 4096) + 2


@given(st.lists(numbers, min_size=1))
def test_keys_follow_the_definition(xs: list[float]) -> None:
    assert bin_keys(np.array(xs)).tolist() == [slow_key(x) for x in xs]


@given(st.lists(singles, min_size=1))
def test_short_floats_have_the_keys_of_long_ones(xs: list[float]) -> None:
    short = np.array(xs, dtype=np.float32)
    assert bin_keys(short).tolist() == bin_keys(short.astype(np.float64)).tolist()


@given(st.lists(st.floats(allow_nan=False, width=16), min_size=1))
def test_half_floats_too(xs: list[float]) -> None:
    half = np.array(xs, dtype=np.float16)
    assert bin_keys(half).tolist() == [slow_key(float(x)) for x in half]


@given(st.lists(st.integers(-(2**53), 2**53), min_size=1))
def test_whole_numbers_have_the_keys_of_floats(xs: list[int]) -> None:
    assert bin_keys(np.array(xs)).tolist() == [slow_key(float(x)) for x in xs]


@given(numbers, numbers)
def test_keys_keep_the_order(x: float, y: float) -> None:
    low, high = bin_keys(np.sort([x, y])).tolist()
    assert low <= high
    if x == y:
        assert low == high


@given(numbers)
def test_a_threshold_is_the_smallest_score_of_its_bin(x: float) -> None:
    key = bin_keys(np.array([x]))
    start = bin_thresholds(key)
    assert start <= x
    assert bin_keys(start) == key
    if np.isfinite(start) and start > -np.finfo(float).max:
        assert bin_keys(np.nextafter(start, -np.inf)) < key


@given(st.integers(-125, 1023), st.integers(-4, 4), st.sampled_from([-1, 0]))
def test_a_rounded_logarithm_gives_the_same_key(power: int, ulps: int, slip: int) -> None:
    """What SQL does: next to a power of two its logarithm may name the wrong side."""
    x = 2.0**power
    for _ in range(abs(ulps)):
        x = math.nextafter(x, math.inf if ulps > 0 else 0)
    e = power + slip
    key = (e + 126) * 4096 + math.floor((x / 2.0**e - 1) * 4096) + 2
    assert key == slow_key(x)


def test_views_and_strides_are_read_as_they_are() -> None:
    xs = np.linspace(-2, 2, 40, dtype=np.float32)
    assert bin_keys(xs[::-3]).tolist() == [slow_key(float(x)) for x in xs[::-3]]
    assert bin_keys(np.array([], dtype=np.float32)).size == 0


def test_bins_of_scores_that_floats_would_round_are_refused() -> None:
    for scores in (np.array([2**53 + 1]), np.array([-(2**63)]), np.array([2**64 - 1], np.uint64)):
        with pytest.raises(InputError, match=r"up to 2\*\*53"):
            bin_keys(scores)
    with pytest.raises(InputError, match="their type is <U1"):
        bin_keys(np.array(["1"]))


def test_the_last_finite_bin_and_the_infinite_one() -> None:
    top = np.finfo(float).max
    assert bin_keys(np.array([top, np.inf])).tolist() == [INFINITE - 1, INFINITE]
    assert bin_thresholds(np.array([1 - INFINITE])) == -top
