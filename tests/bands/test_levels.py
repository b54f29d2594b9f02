"""Several levels and targets at once give the bands that each would have alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rocbands as rb

RNG = np.random.default_rng(0)
Y = RNG.random(120) < 0.4
SCORES = RNG.normal(size=Y.size) + Y
TIED, UNTIED = rb.roc_curve(Y, SCORES.round()), rb.roc_curve(Y, SCORES)
ENDS = np.arange(4.0, -5.0, -1.0)
BINS = rb.RocCurve.from_counts(
    ENDS,
    *([np.sum(SCORES[label == Y] >= end) for end in ENDS] for label in (False, True)),
    bins=True,
)
FUTURES = (None, (30, 40), (10, 90), None)
AT = np.linspace(0, 1, 31)
CASES: dict[str, tuple[Any, rb.RocCurve, tuple]] = {
    "tied": (rb.Likelihood(n_resamples=99), TIED, FUTURES),
    "bootstrap": (rb.Likelihood("bootstrap", n_resamples=99), UNTIED, FUTURES),
    "plugin": (rb.Likelihood("plugin", n_resamples=99), UNTIED, (None,)),
    "chance": (rb.Likelihood(), UNTIED, FUTURES),
    "likelihood of bins": (rb.Likelihood(), BINS, FUTURES),
    "width": (rb.FixedWidth(), UNTIED, FUTURES),
    "smooth": (rb.FixedWidth(smooth=True), UNTIED, FUTURES),
    "pairs": (rb.FixedWidth(future_rule="pairs"), UNTIED, FUTURES),
    "width of bins": (rb.FixedWidth(), BINS, FUTURES),
    "average": (rb.FoldAverage(), rb.roc_curve(Y, SCORES, folds=np.arange(120) % 4), (None,)),
    "line": (rb.WorkingHotelling(), UNTIED, (None,)),
}


@pytest.mark.parametrize("name", CASES)
def test_bands_at_several_levels_are_those_of_single_calls(name: str) -> None:
    """0.99 needs more draws than 0.8: neither may change the other."""
    method, roc, futures = CASES[name]
    levels = (0.8, 0.99, 0.5)
    together = method.at_levels(roc, levels, futures=futures, rng=5)
    asked = [(level, future) for future in futures for level in levels]
    assert len(together) == len(asked)
    for band, (level, future) in zip(together, asked, strict=True):
        alone = method(roc, level=level, future=future, rng=5)
        assert (band.level, band.future, band.notes) == (level, future, alone.notes)
        np.testing.assert_array_equal(band.lower_at(AT), alone.lower_at(AT))
        np.testing.assert_array_equal(band.upper_at(AT), alone.upper_at(AT))


@pytest.mark.parametrize("name", ["tied", "pairs"])
def test_a_generator_moves_on(name: str) -> None:
    method, roc, futures = CASES[name]
    rng = np.random.default_rng(5)
    one, other = (method.at_levels(roc, (0.8, 0.99), futures=futures, rng=rng) for _ in range(2))
    assert all(a.notes != b.notes for a, b in zip(one, other, strict=True))
