"""Every curve ends in the corner (1, 1), and so do the edges of every band."""

import numpy as np
import pytest

import rocbands as rb
from rocbands.core.region import as_curve

METHODS = ("likelihood", "fixed-width", "joint-region", "sup-t", "vertical", "threshold")


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(3)
    y = np.arange(120) % 3 == 0
    return y, rng.normal(size=120) + 1.2 * y


@pytest.mark.parametrize("method", METHODS)
def test_both_edges_end_in_the_corner(rows, method):
    band = rb.roc_band(*rows, method=method, rng=1)
    assert band.lower_at(1.0) == band.upper_at(1.0) == 1.0
    assert (band.lower.x[-1], band.lower.y[-1]) == (1.0, 1.0)
    assert band.to_frame("pandas")["lower"].iloc[-1] == 1.0
    assert band.view("roc").lower_at(1.0) == 1.0
    # Left of it nothing changes, nor does the area.
    fpr = np.linspace(0.0, 1.0, 301)[:-1]
    assert np.array_equal(band.lower_at(fpr), band.region.lower_at(fpr))
    assert np.array_equal(band.upper_at(fpr), band.region.upper_at(fpr))
    lower, upper = band.region.edges()
    assert band.area == pytest.approx(upper.area - lower.area, abs=1e-15)


@pytest.mark.parametrize("method", METHODS)
def test_containment_does_not_depend_on_the_corner(rows, method):
    band = rb.roc_band(*rows, method=method, rng=1)
    rng, found = np.random.default_rng(0), []
    for _ in range(60):
        y = rng.permutation(rows[0])
        curve = rb.roc_curve(rows[0] if rng.random() < 0.5 else y, rows[1] + rng.normal(size=120))
        found.append(band.contains(curve))
        assert found[-1] == band.region.contains(as_curve(curve))
    # A curve that jumps in the last moment is inside where the band allows it.
    end = float(band.region.lower_at(np.array([1.0]))[0])
    middle = band.tpr_at(np.linspace(0, 1, 101)[:-1]).clip(max=max(end, 0.0))
    late = np.append(np.linspace(0, 1, 101)[:-1], 1.0), np.append(middle, end)
    assert band.contains(late) == band.region.contains(as_curve(late))
    assert not all(found)


def test_the_miss_rate_ends_at_zero(rows):
    view = rb.roc_band(*rows).view("det")
    assert view.lower_at(1.0) == view.upper_at(1.0) == 0.0
