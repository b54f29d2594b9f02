"""The half of the rows that chooses thresholds depends on the data, not on their order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rocbands as rb
from rocbands.cost.thresholds import choose_half, split_rows

RNG = np.random.default_rng(8)
Y = RNG.random(301) < 0.3
SCORES = {
    "a": RNG.normal(size=301).round(1),
    "b": RNG.normal(size=301),
    "c": RNG.integers(0, 3, 301),
}
ORDER = RNG.permutation(301)


def contents(half: rb.Sample, names: Any = "abc") -> list[tuple[float, ...]]:
    columns = [half[name].values.astype(float) for name in names]
    return sorted(zip(half.is_positive.tolist(), *columns, strict=True))


@pytest.mark.parametrize("rng", [0, 5])
def test_order_of_rows_and_models_does_not_matter(rng: Any) -> None:
    halves = split_rows(rb.Sample(Y, SCORES), rng)
    turned = {name: SCORES[name][ORDER] for name in "cab"}
    others = split_rows(rb.Sample(Y[ORDER], turned), rng)
    for half, other in zip(halves, others, strict=True):
        assert contents(half) == contents(other)
    # Negative control: another seed chooses other rows.
    assert contents(halves[0]) != contents(split_rows(rb.Sample(Y, SCORES), 6)[0])


def test_half_of_either_class() -> None:
    sample = rb.Sample(Y, SCORES)
    chosen = choose_half(sample, 0)
    for own in (Y, ~Y):
        assert np.count_nonzero(chosen[own]) == np.count_nonzero(own) // 2
    # Equal rows are not kept together.
    tied = rb.Sample(Y, np.zeros(301))
    assert np.count_nonzero(choose_half(tied, 1)[Y]) == np.count_nonzero(Y) // 2


def test_clusters_are_not_split() -> None:
    clusters = np.arange(301) // 4
    halves = [choose_half(rb.Sample(Y, SCORES, clusters=clusters), seed) for seed in range(20)]
    for chosen in halves:
        assert not set(clusters[chosen]) & set(clusters[~chosen])
        assert 130 < np.count_nonzero(chosen) < 171
    assert len({chosen.tobytes() for chosen in halves}) == 20
    names = RNG.permutation(301)[clusters]  # of clusters, and the order of rows
    turned = rb.Sample(Y[ORDER], {n: SCORES[n][ORDER] for n in "abc"}, clusters=names[ORDER])
    assert np.array_equal(choose_half(turned, 3), halves[3][ORDER])
    # Negative control: as independent rows clusters are split.
    alone = choose_half(rb.Sample(Y, SCORES), 1)
    assert set(clusters[alone]) & set(clusters[~alone])


def test_one_cluster_with_positives_cannot_be_split() -> None:
    sample = rb.Sample(Y, SCORES, clusters=np.where(Y, 0, np.arange(301)))
    with pytest.raises(rb.InputError, match="two clusters of either class"):
        choose_half(sample, 1)


def test_each_row_is_chosen_as_often_as_any_other() -> None:
    sample = rb.Sample(np.arange(12) < 4, np.arange(12) % 5)
    times = np.mean([choose_half(sample, seed) for seed in range(4000)], axis=0)
    assert np.abs(times - 0.5).max() < 4.5 * 0.5 / np.sqrt(4000)


@pytest.mark.parametrize("names", ["weights", "strata", "weights strata", "weights clusters"])
def test_tied_rows_with_other_weights_or_strata_in_any_order(names: str) -> None:
    rng = np.random.default_rng(2)
    columns = {"weights": rng.integers(1, 9, 301) / 10, "strata": rng.integers(0, 3, 301)}
    columns |= {"clusters": np.arange(301) // 2, "score": rng.integers(0, 3, 301)}

    def list_rows(order: Any) -> list[tuple[float, ...]]:
        given = {name: columns[name][order] for name in names.split()}
        score = columns["score"][order]
        first = choose_half(rb.Sample(Y[order], score, **given), 1)
        kept = [Y[order], score, *(given[name] for name in given if name != "clusters")]
        return sorted(zip(*(column[first].tolist() for column in kept), strict=True))

    assert list_rows(np.arange(301)) == list_rows(np.arange(301)[::-1]) == list_rows(ORDER)
