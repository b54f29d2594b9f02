"""Random test sets of every kind that is ordinary: tied, tiny, one-sided, infinite."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

import rocbands as rb

# Drawn from lists, which is twice as quick as integers that are turned into numbers.
FEW = [-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0]
VALUES = (
    st.sampled_from(FEW),
    st.floats(-1e6, 1e6),
    st.sampled_from([*FEW, np.inf, -np.inf, -0.0]),
)


@st.composite
def labelled_scores(draw: st.DrawFn, max_size: int = 30) -> tuple[np.ndarray, np.ndarray]:
    """Labels with both classes present, and scores that are often tied and sometimes infinite."""
    n_pos = draw(st.integers(1, max_size))
    n_neg = draw(st.integers(1, max_size))
    order = np.random.default_rng(draw(st.integers(0, 2**16)))
    labels = order.permutation(np.repeat([1, 0], [n_pos, n_neg]))
    value = draw(st.sampled_from(VALUES))
    scores = draw(st.lists(value, min_size=labels.size, max_size=labels.size))
    return labels, np.array(scores)


def in_bins(labels: np.ndarray, scores: np.ndarray, ends: np.ndarray) -> rb.RocCurve:
    """Count rows at and above each of the rising lower ends of bins, which must hold all rows."""
    above = [np.array([np.sum(scores[labels == c] >= end) for end in ends[::-1]]) for c in (0, 1)]
    return rb.RocCurve.from_counts(ends[::-1], fp=above[0], tp=above[1], bins=True)


@st.composite
def binned_scores(
    draw: st.DrawFn, max_size: int = 25
) -> tuple[np.ndarray, np.ndarray, rb.RocCurve]:
    """Labels, scores and the curve of their counts in bins: one bin, a few, or one per score."""
    labels, scores = draw(labelled_scores(max_size))
    distinct = np.unique(scores)
    inner = st.sets(st.sampled_from(list(distinct)) | st.integers(-4, 4).map(float))
    chosen = draw(st.sampled_from(["one", "some", "all"]))
    ends = {"one": set(), "some": draw(inner), "all": set(distinct)}[chosen]
    ends = np.unique(
        [*ends, distinct[0], distinct[-1]] if np.isposinf(distinct[-1]) else [*ends, distinct[0]]
    )
    return labels, scores, in_bins(labels, scores, ends[ends >= distinct[0]])
