"""A small part of `python -m tests.coverage.views containment`."""

from __future__ import annotations

from tests.coverage.views import compare_containment


def test_views_contain_what_the_band_contains():
    different, inside = compare_containment(80, seed=2)
    assert different == 0
    assert 20 < inside < 300  # both answers occur
