"""The range of threshold probabilities where a model is worth using."""

from __future__ import annotations

import numpy as np
import pytest

import rocbands as rb


def test_range_of_a_curve_with_two_straight_pieces():
    """A band of almost no width: the range is that of the curve through (.2, .7)."""
    big = 10**7
    roc = rb.RocCurve.from_counts([2.0, 1.0], fp=[big // 5, big], tp=[big * 7 // 10, big])
    found = rb.roc_band(roc, method=rb.bands.Likelihood("chance")).better_between(prevalence=0.2)
    assert found.low == pytest.approx(0.086, abs=2e-3)
    assert found.high == pytest.approx(0.467, abs=2e-3)
    assert found.sentence.startswith("Between 8.6% and 47% the model, used at its best threshold")
    assert "over the whole range" in found.sentence


@pytest.mark.parametrize("method", ["likelihood", "joint-region"])
@pytest.mark.parametrize("prevalence", [None, 0.2])
def test_range_agrees_with_the_net_benefit_view(method, prevalence):
    """Inside the range the lower limit of the best net benefit is above both; outside it is not."""
    rng = np.random.default_rng(1)
    y = rng.random(300) < 0.2
    band = rb.roc_band(y, rng.normal(size=300) + 1.5 * y, method=method)
    found = band.better_between(prevalence=prevalence)
    assert 0 < found.low < found.high < 1
    if prevalence is not None:
        view = band.view("net-benefit", prevalence=prevalence)
        for t, better in (
            (found.low + 0.02, True),
            (found.high - 0.02, True),
            (found.high + 0.02, False),
            (found.low - 0.02, False),
        ):
            if not 0 < t < 1:
                continue
            none_or_all = max(0.0, prevalence - (1 - prevalence) * t / (1 - t))
            assert (view.lower_at(t) > none_or_all + 1e-9) == better
    known = band.better_between(prevalence=0.2)
    wider = band.better_between()
    assert wider.high < known.high + 0.06


def test_nothing_is_shown_for_guessing():
    rng = np.random.default_rng(3)
    y = rng.random(200) < 0.3
    found = rb.roc_band(y, rng.normal(size=200)).better_between()
    assert found.empty
    assert found.sentence.startswith("At no threshold probability")
    assert found.to_dict()["columns"] == {"low": [], "high": []}
