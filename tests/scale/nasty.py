"""Scores that engines may trip over, and counts that must be the same everywhere."""

from __future__ import annotations

import math

import numpy as np

from rocbands.scale.counts import ScoreCounts


def nasty_scores() -> np.ndarray:
    """Powers of two and their neighbours, the last bins of each, zeros, the smallest, infinities."""
    least, top = 2.0**-126, 1.7976931348623157e308
    found = [0.0, -0.0, 5e-324, 2.0**-1022, math.nextafter(least, 0), top, math.inf]
    for power in (*range(-128, 130), -1022, -300, 300, 1000, 1022, 1023):
        for start in (2.0**power, 2.0**power * (1 + 1 / 4096), 2.0**power * (1 + 1234 / 4096)):
            found += [start, math.nextafter(start, 0), math.nextafter(start, math.inf)]
    rng = np.random.default_rng(7)
    found += rng.uniform(size=300).tolist()
    found += np.exp(rng.normal(size=300) * 60).tolist()
    return np.array(found + [-x for x in found])


def labels_for(scores: np.ndarray) -> np.ndarray:
    return np.random.default_rng(3).integers(0, 2, scores.size)


def assert_same(found: ScoreCounts, here: ScoreCounts) -> None:
    """The same in everything, not only in sum."""
    for name in ("models", "parts", "by", "binned", "positive", "negative"):
        assert getattr(found, name) == getattr(here, name), name
    for name in ("model", "part", "value", "positives", "negatives"):
        one, two = getattr(found, name), getattr(here, name)
        assert one.dtype.kind == two.dtype.kind, name
        assert np.array_equal(one, two), name


def same_but_labels(found: ScoreCounts, here: ScoreCounts) -> None:
    """A table of counts does not say what the labels and the column were."""
    assert (found.positive, found.negative, found.by) == (None, None, None)
    known = (here.model, here.part, here.value, here.positives, here.negatives)
    assert_same(found, ScoreCounts(*known, here.models, here.parts, here.binned))
