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
    assert found.sentence == (
        "Treating by this model, at its best threshold, is better than both treating all and "
        "treating none at threshold probabilities from 8.6% to 46%."
    )
    assert "for the whole range" in found.describe()[0]


@pytest.mark.parametrize("method", ["likelihood", "joint-region"])
@pytest.mark.parametrize("prevalence", [None, 0.2])
def test_range_agrees_with_the_net_benefit_view(method, prevalence):
    """Inside the range the lower limit of the best net benefit is above both; outside it is not."""
    rng = np.random.default_rng(1)
    y = rng.random(300) < 0.2
    band = rb.roc_band(y, rng.normal(size=300) + 1.5 * y, method=method)
    found = band.better_between(prevalence=prevalence)
    assert 0 < found.low < found.high < 1
    view = band.view("net-benefit", prevalence=prevalence)
    assert view.better[0][1:] == (found.low, found.high)
    assert view.sentence == found.sentence
    at = np.array([found.low + 0.02, found.high - 0.02, found.low - 0.02, found.high + 0.02])
    at = at[(at > 0) & (at < 1)]
    rows = view.compare_defaults(at)
    shown = (at > found.low) & (at < found.high)
    np.testing.assert_array_equal(rows["difference_lower"] > 1e-9, shown)
    assert (rows["difference_lower"] <= rows["difference"]).all()
    assert (rows["difference"] <= rows["difference_upper"]).all()
    if prevalence is not None:  # then treating all has no error
        none_or_all = np.maximum(0.0, rows["treat_all"])
        np.testing.assert_allclose(
            view.lower_at(at), none_or_all + rows["difference_lower"], atol=1e-5
        )
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


def test_picture_and_table_of_the_view_agree_with_the_sentence():
    band = rb.roc_band(rb.load_example()["logistic"])
    view = band.view("net-benefit")
    (part,) = view.better
    ax = view.plot(label="logistic")
    (bar,) = (patch for patch in ax.patches if patch.get_label() == "Better than both")
    low = bar.get_xy()[0]
    assert (low, low + bar.get_width()) == pytest.approx(part[1:])
    rows = view.describe()[1]
    assert list(rows) == [
        "threshold probability", "lower", "net benefit", "upper", "treat_all", "difference",
        "difference_lower", "difference_upper",
    ]  # fmt: skip
    t = rows["threshold probability"]
    np.testing.assert_array_equal(rows["difference_lower"] > 0, (t > part.low) & (t < part.high))
    assert "treat_all" in view.to_dict()["columns"]
    with pytest.raises(rb.InputError, match="alternatives to net benefit"):
        band.view("pr").compare_defaults(t)


def test_guessing_is_seldom_called_better():
    """Whatever the prevalence in the limits: at most 5% of data sets make a claim."""
    rng, wrong = np.random.default_rng(8), 0
    for _ in range(40):
        y = rng.random(150) < 0.3
        found = rb.roc_band(y, rng.normal(size=150), method="joint-region").better_between()
        wrong += not found.empty
    assert wrong <= 4
