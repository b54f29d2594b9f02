"""One sort with ties, against counting by hand."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rocbands.core.ties import find_levels

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
