"""The bands that only the papers make, each against a plain loop."""

from __future__ import annotations

import numpy as np

import rocbands as rb
from rocbands_papers.methods import AucHull
from tests.coverage.judge import count_held, may_lie_in
from tests.coverage.worlds import BINORMAL
from tests.oracles.resamples import all_resamples


def sample(n_pos: int, n_neg: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    scores = np.concatenate([rng.normal(1, 1, n_pos), rng.normal(0, 1, n_neg)])
    return np.repeat([1, 0], [n_pos, n_neg]), scores


class TestAucHull:
    def test_it_is_the_hull_of_the_middle_curves(self) -> None:
        """The share of fresh resamples inside, among those with middling AUC, is nearly all."""
        labels, scores = sample(25, 25)
        roc = rb.roc_curve(labels, scores)
        band = AucHull(n_resamples=2000)(roc, level=0.8, rng=1)
        rng, areas, inside = np.random.default_rng(2), [], []
        while len(areas) < 300:
            took = rng.integers(0, 50, 50)
            if len(set(labels[took])) == 2:
                fresh = rb.roc_curve(labels[took], scores[took])
                areas.append(fresh.auc)
                inside.append(band.contains(fresh))
        middle = (np.quantile(areas, 0.15) < areas) & (areas < np.quantile(areas, 0.85))
        assert np.mean(np.array(inside)[middle]) > 0.5
        far = np.abs(areas - np.median(areas)) > 2.5 * np.std(areas)
        assert np.mean(np.array(inside)[middle]) > np.mean(np.array(inside)[far])

    def test_all_resamples_kept_give_their_hull(self) -> None:
        labels, scores = np.array([1, 0, 1, 0]), np.array([4.0, 3, 2, 1])
        roc = rb.roc_curve(labels, scores)
        band = AucHull(n_resamples=4000)(roc, level=0.9999, rng=1)
        # Every resample has probability 1/256 or more, so all of them are in the hull.
        for y, s, _ in all_resamples(labels, scores, stratified=False):
            assert band.contains(rb.roc_curve(y, s))


def test_the_auc_hull_does_not_hold() -> None:
    """Its documentation says so; should it ever begin to hold, that must be rewritten."""

    def band(y: np.ndarray, s: np.ndarray) -> rb.Band:
        return rb.roc_band(y, s, AucHull(n_resamples=199), level=0.9, rng=1)

    held = count_held(BINORMAL[3.0], band, n_pos=60, n_neg=60, reps=300, seed=1)
    assert may_lie_in(held, 300, 0.0, 0.5, 0.9999)
