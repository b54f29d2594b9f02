"""Random test sets of every kind that is ordinary: tied, tiny, one-sided, infinite."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st


@st.composite
def labelled_scores(draw: st.DrawFn, max_size: int = 30) -> tuple[np.ndarray, np.ndarray]:
    """Labels with both classes present, and scores that are often tied and sometimes infinite."""
    n_pos = draw(st.integers(1, max_size))
    n_neg = draw(st.integers(1, max_size))
    labels = np.array(draw(st.permutations([1] * n_pos + [0] * n_neg)))
    few = st.integers(-3, 3).map(float)
    many = st.floats(-1e6, 1e6)
    odd = st.sampled_from([np.inf, -np.inf, 0.0, -0.0])
    value = draw(st.sampled_from([few, many, few | odd]))
    scores = draw(st.lists(value, min_size=labels.size, max_size=labels.size))
    return labels, np.array(scores)
