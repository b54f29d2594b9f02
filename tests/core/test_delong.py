"""DeLong's and Obuchowski's variances: every way in gives the same numbers."""

from __future__ import annotations

import numpy as np
import pytest

import rocbands as rb
from rocbands.core.delong import Placements, compute_area_variance, compute_resampled_variances
from tests.oracles import auc as oracle

close = pytest.approx


def make_rows(seed: int, models: int = 2) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels, scores of several models with ties, and clusters with cases of both classes."""
    rng = np.random.default_rng(seed)
    code = rng.integers(0, 25, 90)
    code = np.unique(code, return_inverse=True)[1]
    y = rng.random(90) < 0.4
    common = rng.normal(size=25)[code] + y
    return y, (common + rng.normal(size=(models, 90))).round(1), code


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_one_curve_agrees_with_the_printed_formula(seed: int, clustered: bool) -> None:
    y, scores, code = make_rows(seed, models=3)
    code = code if clustered else np.arange(y.size)
    for s in scores:
        expected = oracle.obuchowski(y.astype(int).tolist(), s.tolist(), code.tolist())
        roc = rb.Sample(y, s, clusters=code if clustered else None).roc
        assert compute_area_variance(roc) == close(expected, abs=1e-14)


@pytest.mark.parametrize("clustered", [False, True])
def test_copies_of_rows_count_as_rows_of_their_own(clustered: bool) -> None:
    """Resamples written out row by row, each copy of a cluster a new cluster."""
    y, (s, _), code = make_rows(7)
    clusters = (code[y], code[~y]) if clustered else None
    rng = np.random.default_rng(1)
    units = code.max() + 1 if clustered else y.size
    drawn = rng.multinomial(units, np.full(units, 1 / units), size=4).T
    times = drawn[code] if clustered else drawn
    pos, neg, expected = [], [], []
    for k in range(4):
        rows = np.repeat(np.arange(y.size), times[:, k])
        copy = np.concatenate([np.arange(n) for n in times[:, k]])
        place = np.array([[oracle.win(a, b) for b in s[rows][~y[rows]]] for a in s[y]])
        pos.append(place.mean(axis=1))
        place = np.array([[oracle.win(b, a) for b in s[rows][y[rows]]] for a in s[~y]])
        neg.append(place.mean(axis=1))
        own = (code[rows] * 1000 + copy) if clustered else np.arange(rows.size)
        expected.append(compute_area_variance(rb.Sample(y[rows], s[rows], clusters=own).roc))
    places = Placements(np.stack(pos, axis=1), np.stack(neg, axis=1))
    copies = times[y].astype(float), times[~y].astype(float)
    found = compute_resampled_variances(places, copies, clusters)
    assert found == close(np.array(expected), abs=1e-14)
