"""One sort with ties, against counting by hand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocbands.core import counting
from rocbands.core.counting import find_levels, sort_rows

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


@pytest.mark.parametrize(
    "make",
    [
        lambda draws: draws,
        lambda draws: np.where(draws > 0.8, np.inf, np.round(draws, 1)),
        lambda draws: np.where(draws > 0.8, 1e300, -1e-300 * np.round(draws, 2)),
        lambda draws: 1.0 + np.round(300 * draws) * 2.0**-52,  # first bits of all are the same
        lambda draws: np.where(draws < 0.5, 1.0 + np.round(300 * draws) * 2.0**-52, -1e30),
        lambda draws: draws.astype(np.float16),
        lambda draws: draws.astype(np.longdouble) * np.longdouble("1e400"),
        lambda draws: np.round(250 * draws - 125).astype(np.int8),
        lambda draws: ~np.round(300 * draws).astype(np.uint64),
        lambda draws: (2.0**63 * (2 * draws - 1)).astype(np.int64),
    ],
)
@pytest.mark.parametrize("piece", [4, 50, 10**4])
def test_rows_and_classes_in_order(
    make: Callable[[np.ndarray], np.ndarray], piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "PIECE", piece)
    rng = np.random.default_rng(7)
    scores, is_positive = make(rng.random(1000)), rng.random(1000) < 0.3
    order = np.argsort(scores, kind="stable")
    rows, positive, new = zip(*sort_rows(scores, is_positive), strict=True)
    assert all(begins[0] for begins in new)  # no piece ends inside a level
    found = np.concatenate(rows)
    assert sorted(found.tolist()) == list(range(1000))
    assert (scores[found] == scores[order]).all()
    assert (np.concatenate(positive) == is_positive[found]).all()
    assert (np.concatenate(new)[1:] == (scores[order][1:] != scores[order][:-1])).all()
