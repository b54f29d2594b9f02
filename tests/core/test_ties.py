"""One sort with ties, against counting by hand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocbands.core.counting import count_steps, find_levels, sort_rows

values = st.lists(st.sampled_from([-np.inf, -1.5, -0.0, 0.0, 2.0, 7.0, np.inf]), min_size=1)


@given(values)
def test_levels_by_counting(scores: list[float]) -> None:
    found = find_levels(np.array(scores))
    distinct = sorted(set(scores))
    assert sorted(found.order.tolist()) == list(range(len(scores)))
    assert found.size.tolist() == [scores.count(score) for score in distinct]
    assert found.level.tolist() == [distinct.index(score) for score in scores]
    assert found.first.tolist() == [sum(s < d for s in scores) for d in distinct] + [len(scores)]
    below = [sum(s < score for s in scores) for score in scores]
    level = [sum(s == score for s in scores) for score in scores]
    expected = [2 * b + k - 1 for b, k in zip(below, level, strict=True)]
    assert found.double_midranks.tolist() == expected


KINDS = [
    lambda draws: draws,
    lambda draws: np.round(draws - 0.5, 2).astype(np.float32),  # -0.0, too
    lambda draws: 2**53 + np.round(9 * draws).astype(np.int64),  # more digits than floats have
    lambda draws: draws < 0.2,
    lambda draws: np.where(draws > 0.8, np.inf, np.round(draws, 1)),
    lambda draws: np.where(draws > 0.8, 1e300, -1e-300 * np.round(draws, 2)),
    lambda draws: 1.0 + np.round(300 * draws) * 2.0**-52,  # first bits of all are the same
    lambda draws: np.where(draws < 0.5, 1.0 + np.round(300 * draws) * 2.0**-52, -1e30),
    lambda draws: draws.astype(np.float16),
    lambda draws: draws.astype(np.longdouble) * np.longdouble("1e400"),
    lambda draws: np.round(250 * draws - 125).astype(np.int8),
    lambda draws: ~np.round(300 * draws).astype(np.uint64),
    lambda draws: (2.0**63 * (2 * draws - 1)).astype(np.int64),
]


@pytest.mark.parametrize("make", KINDS)
def test_rows_in_order(make: Callable[[np.ndarray], np.ndarray]) -> None:
    scores = make(np.random.default_rng(7).random(1000))
    found, is_first = sort_rows(scores)
    expected = np.sort(scores)
    assert sorted(found.tolist()) == list(range(1000))
    assert (scores[found] == expected).all()
    assert is_first[[0, -1]].all()
    assert (is_first[1:-1] == (expected[1:] != expected[:-1])).all()


@pytest.mark.parametrize("make", KINDS)
def test_counts_of_both_classes(make: Callable[[np.ndarray], np.ndarray]) -> None:
    rng = np.random.default_rng(8)
    scores, is_positive = make(rng.random(1000)), rng.random(1000) < 0.3
    thresholds, fp, tp = count_steps(is_positive, scores)
    expected = np.unique(scores)[::-1]
    assert thresholds.dtype == scores.dtype
    assert (thresholds == expected).all()
    called = scores >= expected[:, None]
    assert (tp[1:] == np.count_nonzero(called & is_positive, axis=1)).all()
    assert (fp[1:] == np.count_nonzero(called & ~is_positive, axis=1)).all()
    assert fp[0] == tp[0] == 0
