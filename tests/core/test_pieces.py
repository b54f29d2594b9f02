"""Passes over a curve in counting, and places found by bisection, against whole arrays."""

from __future__ import annotations

import numpy as np
import pytest

import rocbands as rb
from rocbands.core import counting
from rocbands.resample.areas import FprRange, compute_truncated_placements, compute_variance
from rocbands.resample.population import Population, find_ends_of_runs


@pytest.fixture(params=["plain", "tied", "rare", "apart"])
def roc(request: pytest.FixtureRequest) -> rb.RocCurve:
    rng = np.random.default_rng(3)
    labels = rng.random(900) < (0.02 if request.param == "rare" else 0.4)
    scores = rng.normal(size=900) + labels
    if request.param == "tied":
        scores = np.round(scores, 1)
    return rb.roc_curve(labels, 9 * labels + scores if request.param == "apart" else scores)


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "PIECE", 7)


def test_pieces_are_the_whole_curve(roc: rb.RocCurve) -> None:
    found = list(counting.walk_steps(roc.fp, roc.tp))
    assert [p.start for p in found] == list(range(0, roc.fp.size, 7))
    assert found[-1].stop == roc.fp.size
    for k, side in ((1, roc.fp), (2, roc.tp)):
        assert (np.concatenate([np.diff(p[k]) for p in found]) == np.diff(side, prepend=0)).all()
    some = list(counting.walk_steps(roc.fp, roc.tp, 3, 12))
    assert (np.concatenate([p.tp[1:] for p in some]) == roc.tp[3:12]).all()


def test_places_are_those_of_searchsorted() -> None:
    rising = np.sort(np.random.default_rng(1).integers(0, 9, 40)).astype(float)
    wanted = np.array([-1.0, 0.0, 2.5, 3.0, 8.0, 9.5])
    found = counting.bisect(rising.size, lambda row: rising[row] < wanted, wanted.shape)
    assert (found == np.searchsorted(rising, wanted)).all()


def test_runs_of_one_class_are_one_step(roc: rb.RocCurve) -> None:
    kind = np.sign(np.diff(roc.fp, prepend=0)) + 2 * np.sign(np.diff(roc.tp, prepend=0))
    last = np.append((kind[1:] != kind[:-1]) | (kind[1:] == 3), True)
    for merged in (Population.from_runs(roc), Population.from_curve(roc).merge_runs()):
        assert (merged.neg[1:] == roc.fp[last]).all()
        assert (merged.pos[1:] == roc.tp[last]).all()
    assert (find_ends_of_runs(roc.fp, roc.tp) == last).all()


@pytest.mark.parametrize("ends", [(0.0, 0.1), (0.2, 0.5), (0.0, 1.0), (0.7, 1.0)])
def test_variances_of_ranges_are_those_of_all_placements(roc: rb.RocCurve, ends) -> None:
    part = FprRange(*ends)
    pos, neg = compute_truncated_placements(roc, part)
    each = np.repeat(pos, np.diff(roc.tp, prepend=0)), np.repeat(neg, np.diff(roc.fp, prepend=0))
    expected = sum(side.var(ddof=1) / side.size for side in each)
    assert compute_variance(roc, part) == pytest.approx(expected, rel=1e-9, abs=1e-20)
