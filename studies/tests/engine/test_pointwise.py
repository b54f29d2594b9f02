"""Limits along rates and operating conditions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import rocbands as rb
from rocbands_studies import AtConditions, AtRates, FixedClasses, Normal, Pair, Streams, Study, run

WORLD = Pair(Normal(1.0, 1.0), Normal(0.0, 1.0))


def mean(cell: object, name: str = "holds at", replicates: int = 60) -> np.ndarray:
    found = run(Study("look", [cell], replicates), workers=1)
    return np.array([figure.value for figure in found.along(cell, name)])


@pytest.mark.simulation
def test_recall_at_a_rate_is_held_as_often_as_said() -> None:
    held = mean(AtRates(WORLD, FixedClasses(60, 140), level=0.9, rates=(0.1, 0.3, 0.6)))
    assert (held > 0.75).all()  # 60 sets: below that only once in 10,000 at .9
    half = mean(
        AtRates(WORLD, FixedClasses(60, 140), level=0.4, rates=(0.1, 0.3, 0.6)), replicates=30
    )
    assert (half < 0.75).all()
    assert (half < held).all()


def test_the_true_recall_is_that_of_a_very_large_set() -> None:
    cell = AtRates(WORLD, FixedClasses(20_000, 60_000), rates=(0.05, 0.25, 0.7))
    streams = Streams(1, cell.source_key, cell.key, 0)
    pos, neg = streams.draw_shared("data", lambda rng: WORLD.draw(rng, 20_000, 60_000))
    y = np.repeat([True, False], [20_000, 60_000])
    _, _, truth = cell._limits(y, np.concatenate([pos, neg]), streams)
    pooled = np.sort(np.concatenate([pos, neg]))[::-1]
    seen = [(pos >= pooled[int(rate * 80_000) - 1]).mean() for rate in cell.rates]
    np.testing.assert_allclose(truth, seen, atol=0.01)


def test_costs_are_held_as_often_as_said() -> None:
    w, cut = (0.05, 0.3, 0.7), (1.5, 0.8, 0.2)
    mover = mean(AtConditions(WORLD, FixedClasses(50, 50), cut, w))
    assert (mover > 0.75).all()
    # Where hardly an error can happen normal limits collapse; the cell must see that.
    far = AtConditions(WORLD, FixedClasses(50, 50), (4.5,), (0.05,), method="gaussian")
    assert mean(far)[0] < 0.5


def test_the_true_cost_is_the_normal_one() -> None:
    cell = AtConditions(WORLD, FixedClasses(5, 5), (0.5,), (0.3,))
    streams = Streams(1, cell.source_key, cell.key, 0)
    y, scores = np.repeat([True, False], 5), np.arange(10.0)
    *_, truth = cell._limits(y, scores, streams)
    assert truth[0] == pytest.approx(0.3 * stats.norm.cdf(-0.5) + 0.7 * stats.norm.sf(0.5))


def test_what_truly_costs_must_be_known() -> None:
    with pytest.raises(rb.InputError, match="Pair of distributions"):
        AtConditions(Pair(Normal(1, 1), Normal(0, 1), step=1.0), FixedClasses(5, 5), (0.5,), (0.3,))
    with pytest.raises(rb.InputError, match="Each w needs a threshold"):
        AtConditions(WORLD, FixedClasses(5, 5), (0.5,), (0.3, 0.5))
