"""The H measure: R's numbers, numerical integration, an infinitesimal jackknife, coverage."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

import rocbands as rb
from rocbands.cost import h_measure as h_measure_module
from tests.golden_numbers import columns
from tests.oracles.h_measure import h_measure, h_variance


def draw(rng, n_pos, n_neg, shift=1.2):
    y = np.r_[np.ones(n_pos), np.zeros(n_neg)]
    return y, rng.normal(size=y.size) + shift * y


@pytest.mark.parametrize("row", range(len(columns("hmeasure")["curve"])))
def test_numbers_of_r(row):
    """`HMeasure(y, s, severity.ratio=)` of hmeasure 1.0-2."""
    golden, rows = columns("hmeasure"), columns("sim500")
    name = golden["curve"][row].removeprefix("sim_")
    ratio = golden["severity_ratio"][row]
    found = rb.h_measure_interval(rows["y"], rows[name], severity_ratio=ratio, n_resamples=20)
    assert found.estimate == pytest.approx(golden["H"][row], abs=1e-12)
    assert found.low <= found.estimate <= found.high


def test_default_is_the_ratio_of_positives_to_negatives():
    rows = columns("sim500")
    found = rb.h_measure_interval(rows["y"], rows["s1"])
    assert found.parameters["severity_ratio"] == pytest.approx(200 / 300)
    assert found.estimate == pytest.approx(columns("hmeasure")["H"][0], abs=1e-12)


@pytest.mark.parametrize("design", ["rows", "clusters", "weights", "both", "ties"])
def test_independent_program(design):
    rng = np.random.default_rng(4)
    y, s = draw(rng, 20, 30)
    s = np.round(s, 1) if design == "ties" else s
    given = {}
    if design in ("clusters", "both"):
        given["clusters"] = rng.permutation(y.size) // 4
    if design in ("weights", "both"):
        given["weights"] = rng.uniform(0.5, 2.0, y.size)
    found = rb.h_measure_interval(rb.Sample(y, s, **given), severity_ratio=0.7)
    other = h_measure(y, s, 0.7, given.get("weights"))
    assert found.estimate == pytest.approx(other, abs=1e-6)
    assert found.standard_error == pytest.approx(h_variance(y, s, 0.7, **given) ** 0.5, rel=2e-3)
    assert 0 <= found.low < found.estimate < found.high <= 1


def test_ends_and_extremes():
    perfect = rb.h_measure_interval([0] * 9 + [1] * 9, range(18))
    assert perfect.estimate == perfect.high == 1
    assert 0.3 < perfect.low < 0.9
    useless = rb.h_measure_interval([0, 1] * 9, [1] * 18)
    assert useless.estimate == useless.low == 0
    assert 0 < useless.high < 0.5
    y, s = draw(np.random.default_rng(1), 3, 3000)
    for ratio in (None, 1e-8, 1.0, 1e8):
        found = rb.h_measure_interval(y, s, severity_ratio=ratio)
        assert 0 <= found.low <= found.estimate <= found.high <= 1
    assert rb.h_measure_interval([1, 0], [2, 1]).low < 0.2


def test_order_and_repeated_clusters():
    y, s = draw(np.random.default_rng(2), 40, 50)
    one, two = rb.h_measure_interval(y, s), rb.h_measure_interval(y, np.exp(s))
    assert (one.estimate, one.low, one.high) == (two.estimate, two.low, two.high)
    cluster = np.tile(np.arange(y.size), 3)
    thrice = rb.h_measure_interval(rb.Sample(np.tile(y, 3), np.tile(s, 3), clusters=cluster))
    blind = rb.h_measure_interval(np.tile(y, 3), np.tile(s, 3))
    assert thrice.estimate == pytest.approx(one.estimate)
    assert thrice.low == pytest.approx(one.low, abs=0.02)
    assert blind.low > thrice.low + 0.03
    exchanged = rb.h_measure_interval(~y.astype(bool), -s, severity_ratio=40 / 50)
    assert exchanged.parameters["severity_ratio"] == 0.8


@pytest.mark.parametrize("design", ["rows", "clusters", "weights", "strata"])
def test_the_lower_limit_is_0_where_the_area_may_be_one_half(design):
    rng = np.random.default_rng(6)
    given = {"clusters": {"clusters": np.arange(60) // 2}, "strata": {"strata": np.arange(60) % 2}}
    given["weights"] = {"weights": rng.uniform(0.5, 2.0, 60)}
    seen = set()
    for shift in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 3.0):
        y, s = draw(rng, 30, 30, shift)
        sample = rb.Sample(y, s, **given.get(design, {}))
        area = rb.auc_interval(sample)
        found = rb.h_measure_interval(sample, n_resamples=100)
        chance = area.low <= 0.5 <= area.high
        assert any("AUC may be 0.5" in note for note in found.notes) == chance
        assert found.low == 0.0 or not chance
        seen.add(chance)
    assert seen == {True, False}
    far = rb.h_measure_interval(*draw(rng, 60, 60, 3.0), n_resamples=100)
    assert far.low > 0.3


@pytest.mark.simulation
def test_useless_scores_seldom_exclude_0(monkeypatch):
    held = {}
    for corrected in (True, False):
        if not corrected:  # the control: the limits as drawn
            monkeypatch.setattr(h_measure_module, "_may_be_chance", lambda roc, tail: False)
        rng, sets = np.random.default_rng(5), 120
        found = [
            rb.h_measure_interval(*draw(rng, 30, 30, 0.0), n_resamples=100) for _ in range(sets)
        ]
        held[corrected] = np.mean([one.low == 0.0 for one in found])
    assert held[True] >= 0.94
    assert held[False] <= 0.92


def test_refusals():
    y, s = draw(np.random.default_rng(3), 20, 20)
    for value in (0.0, -1.0, np.inf, np.nan, "2"):
        with pytest.raises(rb.InputError, match="severity_ratio"):
            rb.h_measure_interval(y, s, severity_ratio=value)
    with pytest.raises(rb.InputError, match="folds"):
        rb.h_measure_interval(rb.Sample(y, s, folds=np.arange(40) % 4))


@pytest.mark.simulation
def test_coverage_and_a_control_that_fails():
    """The corrected interval holds; the estimate plus and minus standard errors does not."""
    rng, sets, shift = np.random.default_rng(5), 120, 2**0.5 * norm.ppf(0.8)
    cut = np.linspace(-6, 8, 4001)
    c = (np.arange(400) + 0.5) / 400
    fpr, tpr = norm.sf(cut), norm.sf(cut - shift)
    loss = (0.5 * c[:, None] * fpr + 0.5 * (1 - c[:, None]) * (1 - tpr)).min(axis=1)
    truth = 1 - (loss * c * (1 - c)).sum() / (0.5 * np.minimum(c, 1 - c) * c * (1 - c)).sum()
    held = plain = 0
    for _ in range(sets):
        found = rb.h_measure_interval(*draw(rng, 40, 40, shift), n_resamples=100)
        held += found.low <= truth <= found.high
        plain += abs(found.estimate - truth) <= 1.96 * found.standard_error
    assert held >= 0.9 * sets
    assert plain <= 0.87 * sets
