"""A report depends on the rows, not on their order."""

from __future__ import annotations

import numpy as np

from tests.reporting.conftest import payload_of

RNG = np.random.default_rng(3)
Y = RNG.random(120) < 0.4
SCORES = {"a": RNG.random(120).round(2) + 0.3 * Y, "b": RNG.normal(size=120) + Y}


def test_order_of_rows_does_not_matter() -> None:
    asked = {"rng": 0, "costs": (5, 1), "future": (20, 20)}
    found = payload_of(Y, SCORES, **asked)
    order = RNG.permutation(120)
    assert payload_of(Y[order], {k: v[order] for k, v in SCORES.items()}, **asked) == found
