"""Net benefit with limits, and the difference of two models."""

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


@pytest.mark.slow
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


def test_picture():
    t = np.linspace(0.01, 0.7, 30)
    ax = rb.net_benefit(GOLDEN["y"], GOLDEN["p"], thresholds=t).plot(label="p")
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert {"p", "Treat all", "Treat none", "95% limits for each threshold"} == set(texts)
    plt.close(ax.figure)
