"""Discordant cases at all conditions at once, and limits for the difference of paired shares."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri

from rocbands._math.discordance import find_tango_limits
from rocbands.design import paired_sums
from rocbands.design.paired_sums import PairedSums
from rocbands.design.row_design import RowDesign
from tests.oracles.cost_pairs import discordant_by_walking, tango_by_likelihood

SCORES = st.sampled_from([-np.inf, -1.5, 0.0, 0.5, 1.0, 2.0, np.inf])
ROWS = st.lists(st.tuples(SCORES, SCORES), min_size=1, max_size=12)
LIMITS = st.lists(st.tuples(SCORES, SCORES), min_size=1, max_size=8)


def count(scores: tuple, cuts: tuple) -> list[tuple[int, int]]:
    """Rows that only the first, and that only the second model calls; all rows are positive."""
    design = RowDesign.of_rows(np.arange(scores[0].size + 1) < scores[0].size)
    scores = tuple(np.append(column, 0).astype(column.dtype) for column in scores)
    only = PairedSums.add_up(design, scores, cuts).counts[:, :2]
    return [tuple(pair) for pair in only.astype(int).tolist()]


def found(rows: list, limits: list) -> list[tuple[int, int]]:
    columns = [
        np.array(column) for column in (*zip(*rows, strict=True), *zip(*limits, strict=True))
    ]
    return count((columns[0], columns[1]), (columns[2], columns[3]))


def walked(rows: list, limits: list) -> list[tuple[int, int]]:
    return discordant_by_walking(*map(list, (*zip(*rows, strict=True), *zip(*limits, strict=True))))


@given(ROWS, LIMITS)
def test_discordant_cases_are_those_of_a_walk(rows: list, limits: list) -> None:
    assert found(rows, limits) == walked(rows, limits)


FEW = st.lists(st.tuples(st.integers(-100, 27), st.integers(-3, 3)), min_size=1, max_size=12)


@given(FEW, LIMITS, st.sampled_from([np.int8, np.int16, np.int64]))
def test_whole_scores(rows: list, limits: list, kind: type) -> None:
    scores = tuple(np.array(column, kind) for column in zip(*rows, strict=True))
    cuts = tuple(np.array(column) for column in zip(*limits, strict=True))
    assert count(scores, cuts) == walked(rows, limits)


@given(ROWS, LIMITS)
def test_thresholds_that_fall_together(rows: list, limits: list) -> None:
    one, two = (sorted(column, reverse=True) for column in zip(*limits, strict=True))
    both = list(zip(one, two, strict=True))
    assert found(rows, both) == walked(rows, both)


@given(ROWS, LIMITS, st.randoms())
def test_the_order_of_conditions_does_not_matter(rows: list, limits: list, random: object) -> None:
    shuffled = list(limits)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    known = dict(zip(limits, found(rows, limits), strict=True))
    assert found(rows, shuffled) == [known[limit] for limit in shuffled]


@given(ROWS, LIMITS)
def test_many_conditions_are_counted_in_parts(rows: list, limits: list) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paired_sums, "AT_ONCE", 3)
        assert found(rows, limits) == walked(rows, limits)


@pytest.mark.parametrize(
    ("b", "c", "size"), [(5, 9, 40), (0, 3, 25), (7, 0, 7), (4, 3, 7), (1, 0, 1)]
)
@pytest.mark.parametrize("level", [0.5, 0.9, 0.999])
def test_tango_inverts_the_score_test(b: int, c: int, size: int, level: float) -> None:
    z = float(ndtri((1 + level) / 2))
    assert np.allclose(
        find_tango_limits(b, c, size, z), tango_by_likelihood(b, c, size, z), atol=1e-6
    )


@given(st.integers(1, 60), st.data())
def test_tango_limits_hold_the_estimate_and_turn_round(size: int, data: st.DataObject) -> None:
    b = data.draw(st.integers(0, size))
    c = data.draw(st.integers(0, size - b))
    low, high = find_tango_limits([b, c], [c, b], size, 1.96)
    assert -1 <= low[0] <= (b - c) / size <= high[0] <= 1
    assert low[0] == -high[1]
    assert high[0] - low[0] > 1e-6  # never certain


def test_tango_is_not_certain_where_nothing_is_discordant() -> None:
    low, high = find_tango_limits(0, 0, 100, 1.96)
    assert np.allclose([low, high], np.array([-1, 1]) * 1.96**2 / (100 + 1.96**2), atol=1e-13)
