"""Test of equal curves on two test sets."""

from __future__ import annotations

import numpy as np
import pytest

import rocbands as rb
from tests.judge import may_lie_in


@pytest.mark.simulation
def test_equal_curves_on_two_sets() -> None:
    """Uniform where curves are equal, whatever the scales; not where they differ."""
    rng, reps = np.random.default_rng(7), 360
    equal, other = [], []
    for _ in range(reps):
        rows = []
        for n_pos, n_neg, shift in ((25, 40, 1.0), (30, 30, 1.0), (30, 30, 0.0)):
            labels = np.repeat([1, 0], [n_pos, n_neg])
            rows.append((labels, np.exp(rng.normal(size=labels.size) + shift * labels)))
        (y, s), *rest = rows
        s = np.log(s)  # another scale, the same curve
        for (y2, s2), out in zip(rest, (equal, other), strict=True):
            found = rb.compare(
                rb.Sample(y, s), rb.Sample(y2, s2), method="likelihood", n_resamples=199, rng=rng
            )
            out.append(found.pvalue)
    for level in (0.1, 0.5):
        held = int(np.count_nonzero(np.array(equal) <= level))
        assert may_lie_in(held, reps, 0.7 * level, level + 0.02, 0.9999)
        wrong = int(np.count_nonzero(np.array(other) <= level))
        assert not may_lie_in(wrong, reps, 0.7 * level, level + 0.02, 0.9999)


def test_two_sets_whichever_comes_first() -> None:
    rng = np.random.default_rng(1)
    y, y2 = np.repeat([1, 0], [20, 35]), np.repeat([1, 0], [400, 90])
    s, s2 = rng.normal(size=55) + y, np.rint(rng.normal(size=490) * 2)
    one = rb.compare(rb.Sample(y, s), rb.Sample(y2, s2), method="likelihood", rng=1)
    two = rb.compare(rb.Sample(y2, s2), rb.Sample(y, s), method="likelihood", rng=1)
    turned = rb.compare(rb.Sample(1 - y, -s), rb.Sample(1 - y2, -s2), method="likelihood", rng=1)
    for other in (two, turned):
        assert other.statistic == pytest.approx(one.statistic, abs=1e-8)
        assert other.pvalue == one.pvalue
    assert two.difference == pytest.approx(-one.difference)


def test_the_pvalue_depends_on_the_rng() -> None:
    """Three seeds, three p-values, close to each other; the statistic does not depend on them."""
    rng = np.random.default_rng(2)
    y = np.repeat([1, 0], [30, 30])
    s, s2 = rng.normal(size=(2, 60)) + y
    found = [
        rb.compare(rb.Sample(y, s), rb.Sample(y, s2), method="likelihood", rng=seed)
        for seed in (1, 2, 3, 1)
    ]
    pvalues = [one.pvalue for one in found]
    assert pvalues[0] == pvalues[3]
    assert len(set(pvalues)) == 3
    assert max(pvalues) - min(pvalues) < 0.08
    assert len({one.statistic for one in found}) == 1
