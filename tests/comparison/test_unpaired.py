"""Two test sets: true positive rates and costs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtri

import rocbands as rb
from rocbands.core.pair import Pair
from rocbands.cost.conditions import build_conditions
from rocbands.cost.two_models import TwoSets
from tests.comparison.worlds import spread_sets
from tests.strategies import labelled_scores

RNG = np.random.default_rng(4)
Y1, Y2 = np.arange(90) % 2, np.arange(150) % 3 == 0
S1, S2 = RNG.normal(size=90) + 1.5 * Y1, RNG.normal(size=150) + 0.5 * Y2
W = np.linspace(0.1, 0.9, 5)


def test_rates_at_one_fpr_are_the_band_at_one_point() -> None:
    found = rb.compare_tpr(rb.Sample(Y1, S1), rb.Sample(Y2, S2), fpr=0.3)
    one, two = rb.roc_curve(Y1, S1), rb.roc_curve(Y2, S2)
    spread = spread_sets(one, two, np.array([0.3]))
    lower, upper = spread.find_limits(-float(ndtri(0.025)))
    assert (found.low, found.high) == pytest.approx((lower[0], upper[0]), abs=1e-12)
    assert found.difference == pytest.approx(one.curve.high([0.3])[0] - two.curve.high([0.3])[0])
    assert not found.paired


@pytest.mark.parametrize("level", [0.5, 0.9, 0.99])
def test_a_small_p_value_is_a_limit_beyond_zero(level) -> None:
    found = rb.compare_tpr(rb.Sample(Y1, S1), rb.Sample(Y2, S2), fpr=0.3, level=level)
    assert (found.pvalue < 1 - level) == (found.low > 0 or found.high < 0)


@st.composite
def two_curves(draw: st.DrawFn) -> list[rb.RocCurve]:
    return [rb.roc_curve(*draw(labelled_scores(14))) for _ in range(2)]


@settings(max_examples=40, deadline=None)
@given(
    curves=two_curves(),
    fpr=st.sampled_from([0.05, 0.2, 0.31, 0.5]),
    level=st.sampled_from([0.6, 0.8, 0.95, 0.999]),
    asked=st.sampled_from(
        [{}, {"alternative": "greater"}, {"alternative": "less"}, {"margin": 0.2}]
    ),
)
def test_the_test_is_that_of_the_limits(curves, fpr, level, asked) -> None:
    found = rb.compare_tpr(*curves, fpr=fpr, level=level, **asked)
    null = -asked.get("margin", 0.0)
    assert 0 <= found.pvalue <= 1
    assert found.low <= found.difference <= found.high
    if abs(found.pvalue - (1 - level)) > 1e-9 and found.difference != null:
        assert (found.pvalue < 1 - level) == (found.low > null or found.high < null)
    wider = rb.compare_tpr(*curves, fpr=fpr, level=(1 + level) / 2, **asked)
    assert wider.low <= found.low
    assert wider.high >= found.high
    assert wider.pvalue == pytest.approx(found.pvalue, rel=1e-6)
    if not asked:
        turned = rb.compare_tpr(*curves[::-1], fpr=fpr, level=level)
        assert (turned.low, turned.high) == pytest.approx((-found.high, -found.low), abs=1e-12)
        assert turned.pvalue == pytest.approx(found.pvalue, rel=1e-9)


@pytest.mark.parametrize("margin", [0.5, 0.9])
def test_a_margin_that_no_limit_reaches(margin: float) -> None:
    """All positives found in one set and none in the other: limits end at 1 - sqrt(2)."""
    y = np.repeat([1, 0], [5, 30])
    sets = [rb.Sample(y, np.arange(35.0) * turn) for turn in (-1, 1)]
    found = rb.compare_tpr(*sets, fpr=0.2, margin=margin)
    assert found.difference == 1.0
    assert found.low > -margin
    assert found.pvalue < 1e-9


def test_exchanged_sets_change_the_sign() -> None:
    one = rb.compare_tpr(rb.Sample(Y1, S1), rb.Sample(Y2, S2), fpr=0.3)
    two = rb.compare_tpr(rb.Sample(Y2, S2), rb.Sample(Y1, S1), fpr=0.3)
    assert (one.low, one.high) == pytest.approx((-two.high, -two.low))
    how = {"w": W, "thresholds": (0.5, 0.5)}
    ahead = rb.cost_difference(rb.Sample(Y1, S1), rb.Sample(Y2, S2), **how)
    back = rb.cost_difference(rb.Sample(Y2, S2), rb.Sample(Y1, S1), **how)
    np.testing.assert_allclose(ahead.lower, -back.upper)
    np.testing.assert_allclose(ahead.cost_1, back.cost_2)


def test_a_difference_of_two_sets_is_also_in_the_given_costs() -> None:
    sets, how = (rb.Sample(Y1, S1), rb.Sample(Y2, S2)), {"costs": (5.0, 1.0), "prevalence": 0.2}
    found = rb.cost_difference(*sets, thresholds=(0.5, 0.5), **how)
    alone = [rb.cost_interval(one, thresholds=0.5, **how).cost_per_1000 for one in sets]
    np.testing.assert_allclose(found.cost_1_per_1000, alone[0])
    np.testing.assert_allclose(found.difference_per_1000, alone[0] - alone[1])


def test_variances_of_two_costs_add_up() -> None:
    how = {"w": W, "level": 0.9, "method": "gaussian"}
    one = rb.cost_interval(Y1, S1, thresholds=0.4, **how)
    two = rb.cost_interval(Y2, S2, thresholds=0.1, **how)
    found = rb.cost_difference(rb.Sample(Y1, S1), rb.Sample(Y2, S2), thresholds=(0.4, 0.1), **how)
    np.testing.assert_allclose(found.difference, one.cost - two.cost)
    half = np.hypot(one.upper - one.cost, two.upper - two.cost)
    inside = (one.lower > 0) & (two.lower > 0) & (one.upper < 1) & (two.upper < 1)
    assert inside.sum() >= 3
    np.testing.assert_allclose((found.upper - found.difference)[inside], half[inside])
    assert found.to_dict()["columns"]["only_1_pos"] == [None] * 5
    assert "90" not in str(found.n_pos_2)
    assert (found.n_pos, found.n_pos_2) == (45, 50)


@pytest.mark.simulation
def test_covariance_of_costs_is_that_of_resampled_rows() -> None:
    """Of 20,000 stratified resamples, drawn one by one."""
    curves = rb.roc_curve(Y1, S1), rb.roc_curve(Y2, S2)
    cuts = np.array([-0.5, 0.2, 0.8, 1.4, 0.3])
    one, two = (build_conditions(W, sizes=(roc.n_pos, roc.n_neg)) for roc in curves)
    pair = Pair.of_two_sets(*curves, ("1", "2"))
    found = TwoSets.add_up(pair, (cuts, cuts), (one, two)).find_covariance()
    rng, drawn = np.random.default_rng(1), []
    for _ in range(20_000):
        cost = 0.0
        for sign, y, s in ((1, Y1, S1), (-1, Y2, S2)):
            pos, neg = s[y == 1], s[y == 0]
            fnr = (rng.choice(pos, pos.size)[:, None] < cuts).mean(axis=0)
            fpr = (rng.choice(neg, neg.size)[:, None] >= cuts).mean(axis=0)
            cost = cost + sign * (W * fnr + (1 - W) * fpr)
        drawn.append(cost)
    np.testing.assert_allclose(found, np.cov(np.array(drawn).T), rtol=0.12, atol=1e-4)


def test_simultaneous_limits_are_wider_and_still_of_their_level() -> None:
    how = {"w": W, "thresholds": (1 - W, 1 - W), "rng": 1}
    each = rb.cost_difference(rb.Sample(Y1, S1), rb.Sample(Y2, S2), **how)
    all_ = rb.cost_difference(rb.Sample(Y1, S1), rb.Sample(Y2, S2), simultaneous=True, **how)
    assert (all_.lower < each.lower).all()
    assert 1.96 < all_.critical_value < ndtri(1 - 0.05 / 10)


@pytest.mark.parametrize(
    "ask",
    [
        lambda *sets: rb.compare(*sets, method="bootstrap"),
        lambda *sets: rb.cost_difference(*sets, thresholds=(0, 0), w=0.5, simultaneous=True),
    ],
)
@pytest.mark.parametrize("first", [True, False])
def test_clusters_in_two_test_sets_are_refused_not_ignored(ask, first: bool) -> None:
    plain, clustered = rb.Sample(Y1, S1), rb.Sample(Y2, S2, clusters=np.arange(Y2.size) // 2)
    with pytest.raises(rb.InputError, match="sample has clusters"):
        ask(*((clustered, plain) if first else (plain, clustered)))


def test_what_is_refused() -> None:
    sample = rb.Sample(Y1, {"a": S1, "b": S1[::-1]})
    with pytest.raises(rb.InputError, match="both come from the same rows"):
        rb.compare_tpr(sample["a"], sample["b"], fpr=0.3)
    with pytest.raises(rb.InputError, match="both come from the same rows"):
        rb.cost_difference(sample["a"].roc, sample["b"].roc, thresholds=(0, 0), w=0.5)
    with pytest.raises(rb.InputError, match="two shares of positives"):
        rb.cost_difference(rb.Sample(Y1, S1), rb.Sample(Y2, S2), thresholds=(0, 0), costs=(1, 2))
    with pytest.raises(rb.InputError, match="fixed class sizes"):
        rb.cost_difference(rb.Sample(Y1, S1), rb.Sample(Y2, S2), thresholds=(0, 0), w=0.5, sampling="full")  # fmt: skip
