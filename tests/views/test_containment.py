"""A view contains what the band contains: random curves, in ROC space and in each view."""

from __future__ import annotations

import numpy as np

import rocbands as rb


def compare_containment(number, seed=1):
    """Count random curves whose containment differs between ROC space and a view."""
    rng = np.random.default_rng(seed)
    bands = [
        rb.roc_band(
            rng.permutation(np.repeat([0, 1], [40, 15])),
            np.round(rng.normal(size=55), digits),
            method=method,
            level=level,
        )
        for digits in (0, 9)
        for method in (rb.bands.Likelihood("chance"), rb.bands.JointRegion())
        for level in (0.3, 0.95)
    ]
    different = inside = 0
    for i in range(number):
        steps = rng.integers(1, 14)
        x, y = (np.cumsum(rng.integers(0, 4, steps)).astype(float) for _ in range(2))
        x, y = (
            side / side[-1] if side[-1] else np.linspace(0, 1, steps + 1)[1:] for side in (x, y)
        )
        band, p = bands[i % len(bands)], float(np.exp(rng.uniform(-7.0, -0.1)))
        said = y > 0.0  # the bottom side of the square has no image where precision is asked
        for name in ("pr", "gains", "lift", "det"):
            keep = said if name in ("pr", "lift") else np.ones_like(said)
            u, v = x[keep], y[keep]
            expected = band.contains((u, v))
            rate = p * v + (1.0 - p) * u
            if name == "det":
                mapped = u, 1.0 - v
            elif name == "gains":
                mapped = rate, v
            else:
                mapped = (v, p * v / rate) if name == "pr" else (rate, v / rate)
            view = band.view(name, prevalence=None if name == "det" else p)
            different += view.contains(mapped) != expected
            inside += expected
    return different, inside


def test_views_contain_what_the_band_contains():
    different, inside = compare_containment(80, seed=2)
    assert different == 0
    assert 20 < inside < 300  # both answers occur
