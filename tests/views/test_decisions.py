"""Decision curves: net benefit with limits, and the range where a model is worth using."""

from __future__ import annotations

import json
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest

import rocbands as rb

GOLDEN = json.loads(
    (Path(__file__).parents[1] / "golden" / "net_benefit_dcurves.json").read_text(encoding="utf-8")
)


def golden(model):
    rows = [(t, value) for name, t, value in GOLDEN["rows"] if name == model]
    return (np.array(side) for side in zip(*rows, strict=True))


@pytest.mark.parametrize("model", ["p", "q"])
def test_net_benefit_as_dcurves_has_it(model):
    t, value = golden(model)
    found = rb.net_benefit(GOLDEN["y"], GOLDEN[model], thresholds=t)
    np.testing.assert_allclose(found.net_benefit, value, atol=1e-12)
    np.testing.assert_allclose(found.treat_all, list(golden("all"))[1], atol=1e-12)
    assert (found.treat_none == 0).all()
    assert found.coverage == "pointwise"


def test_difference_is_the_difference():
    t, _ = golden("p")
    gap = rb.net_benefit_difference(
        rb.Sample(GOLDEN["y"], {"new": GOLDEN["p"], "old": GOLDEN["q"]}), thresholds=t
    )
    one, two = (rb.net_benefit(GOLDEN["y"], GOLDEN[model], thresholds=t) for model in "pq")
    np.testing.assert_allclose(gap.difference, one.net_benefit - two.net_benefit, atol=1e-12)
    back = rb.net_benefit_difference(GOLDEN["y"], GOLDEN["q"], GOLDEN["p"], thresholds=t)
    np.testing.assert_allclose(gap.lower, -back.upper, atol=1e-12)
    assert "Net benefit of new minus that of old" in str(gap)
    same = rb.net_benefit_difference(GOLDEN["y"], GOLDEN["p"], GOLDEN["p"], thresholds=t)
    assert (same.difference == 0).all()
    assert (same.lower < 0).all()


@pytest.mark.parametrize("prevalence", [None, 0.2])
def test_limits_hold_about_as_often_as_they_say(prevalence):
    """1,000 sets of 150 rows: pointwise limits at one threshold, all of them for the simultaneous."""
    rng = np.random.default_rng(2)
    t = np.array([0.1, 0.3, 0.5])
    odds = t / (1 - t)
    share = 0.3 if prevalence is None else prevalence
    cells_pos, cells_neg = np.array([0.1, 0.2, 0.3, 0.4]), np.array([0.5, 0.3, 0.15, 0.05])
    tpr, fpr = (np.cumsum(c[::-1])[::-1][1:] for c in (cells_pos, cells_neg))
    true = share * tpr - (1 - share) * odds * fpr
    levels = np.array([0.05, 0.2, 0.4, 0.6])
    held, together = np.zeros(3), 0
    for _ in range(400):
        y = rng.random(150) < 0.3
        p = np.where(
            y, levels[rng.choice(4, 150, p=cells_pos)], levels[rng.choice(4, 150, p=cells_neg)]
        )
        found = rb.net_benefit(y, p, thresholds=t, prevalence=prevalence)
        held += (found.lower <= true) & (true <= found.upper)
        whole = rb.net_benefit(y, p, thresholds=t, prevalence=prevalence, simultaneous=True)
        together += bool(((whole.lower <= true) & (true <= whole.upper)).all())
        assert (whole.lower <= found.lower + 1e-12).all()
    assert (held / 400 > 0.92).all()
    assert together / 400 > 0.95


def test_net_benefit_difference_holds_about_as_often_as_it_says():
    rng = np.random.default_rng(4)
    held = 0
    for _ in range(400):
        y = rng.random(150) < 0.3
        base = rng.random(150)
        one, two = (
            np.where(y, base**0.5, base**2),
            np.where(y, np.clip(base + 0.1 * rng.random(150), 0, 1), base),
        )
        found = rb.net_benefit_difference(y, one, two, thresholds=[0.4])
        # Model 1 treats base >= .16 of positives, base >= sqrt(.4) of negatives; model 2 by integration.
        true = 0.3 * (0.84 - (0.6 + 0.05)) - 0.7 * (2 / 3) * ((1 - 0.4**0.5) - 0.6)
        held += bool(found.lower[0] <= true <= found.upper[0])
    assert 0.92 < held / 400 < 0.985


def test_wrong_requests_are_refused():
    with pytest.raises(rb.InputError, match="must lie below 1"):
        rb.net_benefit([1, 0], [0.5, 0.2], thresholds=[1.0])
    with pytest.raises(rb.InputError, match="Pass probabilities"):
        rb.net_benefit([1, 0], [5.0, 0.2], thresholds=[0.5])


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


def test_picture():
    t = np.linspace(0.01, 0.7, 30)
    ax = rb.net_benefit(GOLDEN["y"], GOLDEN["p"], thresholds=t).plot(label="p")
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert {"p", "treat all", "treat none", "95% limits, each threshold alone"} == set(texts)
    plt.close(ax.figure)
