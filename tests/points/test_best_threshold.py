"""The best threshold: R's points, an independent program, properties, designs, coverage."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

import rocbands as rb
from tests.golden_numbers import columns
from tests.oracles import best_threshold as oracle

RULES = {"youden": "youden", "closest.topleft": "corner"}
LIMITED = ("threshold", "sensitivity", "specificity", "index")


def draw(rng, n_pos, n_neg, shift=1.2):
    y = np.r_[np.ones(n_pos), np.zeros(n_neg)]
    return y, rng.normal(size=y.size) + shift * y


@pytest.mark.parametrize("row", range(len(columns("coords_best")["curve"])))
def test_points_of_proc(row):
    """`coords(r, "best", best.weights=)` of pROC 1.19; its thresholds are midpoints."""
    golden, rows = columns("coords_best"), columns("sim500")
    name = golden["curve"][row].removeprefix("sim_")
    found = rb.best_threshold(
        rows["y"],
        rows[name],
        criterion=RULES[golden["method"][row]],
        costs=(golden["rel_cost"][row], 1.0),
        prevalence=golden["prevalence"][row],
        n_resamples=40,
    )
    same = (golden["curve"] == golden["curve"][row]) & (golden["method"] == golden["method"][row])
    same &= golden["rel_cost"] == golden["rel_cost"][row]
    pairs = np.stack([golden["sensitivity"], golden["specificity"]], axis=1)[same]
    here = np.abs(pairs - [found.sensitivity, found.specificity]).max(axis=1)
    assert here.min() < 1e-12  # one of those that R finds equally good
    cuts = np.sort(np.unique(rows[name]))
    below = cuts[np.searchsorted(cuts, found.threshold) - 1]
    middle = golden["threshold"][same][np.argmin(here)]
    assert middle == pytest.approx((below + found.threshold) / 2)


@pytest.mark.parametrize(
    ("criterion", "ratio"), [("youden", 1.0), ("corner", 1.0), ("youden", 2.0)]
)
def test_independent_program(criterion, ratio):
    y, s = draw(np.random.default_rng(4), 40, 60)
    found = rb.best_threshold(y, s, criterion=criterion, costs=(1.0, ratio), n_resamples=2000)
    other = oracle.best_threshold(
        s[y == 1], s[y == 0], criterion=criterion, ratio=ratio, draws=1500
    )
    sign = -1.0 if criterion == "youden" else 1.0
    ends = ("high", "low") if criterion == "youden" else ("low", "high")
    assert found.index == pytest.approx(sign * other["loss"])
    for end, there in zip(("low", "high"), ends, strict=True):
        own = getattr(found, f"index_{there}")
        assert own == pytest.approx(np.clip(sign * other[f"loss_{end}"], 0, 1), abs=0.02)
    for name in ("threshold", "sensitivity", "specificity"):
        assert getattr(found, name) == pytest.approx(other[name])
    for name in ("sensitivity_low", "sensitivity_high", "specificity_low", "specificity_high"):
        assert getattr(found, name) == pytest.approx(other[name], abs=0.02)
    # A few rows more or fewer: both draw different resamples.
    cuts = np.sort(s)
    for name in ("threshold_low", "threshold_high"):
        places = np.searchsorted(cuts, [getattr(found, name), other[name]])
        assert abs(int(places[0]) - int(places[1])) <= 4
    assert found.optimism == pytest.approx(other["optimism"], abs=0.006)


def test_plain_limits_are_inside_and_bounds_hold():
    rng = np.random.default_rng(1)
    for sizes in ((1, 1), (1, 30), (30, 1), (25, 40)):
        for tied in (False, True):
            y, s = draw(rng, *sizes)
            s = np.round(s) if tied else s
            for criterion in ("youden", "corner"):
                found = rb.best_threshold(y, s, criterion=criterion, n_resamples=100)
                for name in LIMITED:
                    ends = [getattr(found, f"{name}_{end}") for end in ("low", "high")]
                    assert ends[0] <= getattr(found, name) <= ends[1]
                    assert not np.isnan(ends).any()
                    if name != "threshold":
                        assert ends[0] >= 0
                        assert ends[1] <= (1 if name != "index" else 2**0.5)
                plain = rb.operating_points(y, s, threshold=found.threshold)
                assert found.sensitivity_low <= plain.tpr_lower[0] + 1e-9
                assert found.specificity_low <= 1 - plain.fpr_upper[0] + 1e-9
                assert 0 <= found.best_sensitivity_low <= found.sensitivity
                assert 1 >= found.best_specificity_high >= found.specificity


def test_perfect_reversed_and_constant_scores():
    perfect = rb.best_threshold([0] * 9 + [1] * 9, range(18))
    assert perfect.threshold == 9
    assert perfect.sensitivity == perfect.specificity == perfect.index == 1
    assert perfect.sensitivity_low < 0.75
    reverse = rb.best_threshold([1] * 9 + [0] * 9, range(18))
    assert reverse.threshold == np.inf
    assert reverse.index == 0
    assert "above all scores" in reverse.sentence
    constant = rb.best_threshold([0, 1, 0, 1], [2, 2, 2, 2])
    assert constant.index == 0
    assert constant.threshold_low == -np.inf
    assert "do not limit" in constant.sentence


def test_only_the_order_of_scores_matters():
    y, s = draw(np.random.default_rng(2), 30, 50)
    one, two = rb.best_threshold(y, s), rb.best_threshold(y, np.exp(s))
    assert two.threshold_low == pytest.approx(np.exp(one.threshold_low))
    assert two.sensitivity_low == one.sensitivity_low
    assert two.index_low == one.index_low


def test_more_rows_are_narrower_and_levels_nested():
    rng = np.random.default_rng(3)
    few, many = (rb.best_threshold(*draw(rng, n, n)) for n in (40, 4000))
    for name in LIMITED:
        ends = [getattr(one, f"{name}_{end}") for one in (few, many) for end in ("low", "high")]
        assert ends[3] - ends[2] < 0.5 * (ends[1] - ends[0])
    y, s = draw(rng, 40, 60)
    inner, outer = (rb.best_threshold(y, s, level=level) for level in (0.8, 0.95))
    for name in (*LIMITED, "best_sensitivity", "best_specificity"):
        assert getattr(outer, f"{name}_low") <= getattr(inner, f"{name}_low")
        assert getattr(outer, f"{name}_high") >= getattr(inner, f"{name}_high")


def test_costs_and_prevalence_are_one_weight():
    y, s = draw(np.random.default_rng(5), 60, 60)
    one = rb.best_threshold(y, s, costs=(2, 1))
    two = rb.best_threshold(y, s, prevalence=2 / 3)
    assert one.ratio == 0.5 == pytest.approx(two.ratio)
    assert one.threshold == two.threshold
    assert one.index == pytest.approx(one.sensitivity - 0.5 * (1 - one.specificity))
    assert one.threshold <= rb.best_threshold(y, s).threshold
    far = rb.best_threshold(y, s, costs=(1e-200, 1e200))
    assert far.sensitivity < 0.3
    assert np.isfinite([far.index, far.index_low, far.index_high]).all()


def test_designs_widen():
    """Every row three times in a cluster counts like once."""
    y, s = draw(np.random.default_rng(6), 50, 80)
    once = rb.best_threshold(y, s)
    cluster = np.tile(np.arange(y.size), 3)
    thrice = rb.best_threshold(rb.Sample(np.tile(y, 3), np.tile(s, 3), clusters=cluster))
    blind = rb.best_threshold(np.tile(y, 3), np.tile(s, 3))
    for name in ("sensitivity_low", "specificity_low", "index_low"):
        assert getattr(thrice, name) == pytest.approx(getattr(once, name), abs=0.02)
        assert getattr(blind, name) > getattr(thrice, name) + 0.02
    assert any("count like" in note for note in thrice.notes)
    times = np.where(s > 1, 1, 3)
    weighted = rb.best_threshold(rb.Sample(y, s, weights=times))
    repeated = rb.best_threshold(np.repeat(y, times), np.repeat(s, times))
    assert weighted.threshold == repeated.threshold
    assert weighted.sensitivity == pytest.approx(repeated.sensitivity)
    assert weighted.sensitivity_low < repeated.sensitivity_low - 0.02


def test_refusals():
    y, s = draw(np.random.default_rng(7), 20, 20)
    for given, said in (
        ({"criterion": "eer"}, "criterion"),
        ({"level": 1.0}, "level"),
        ({"n_resamples": 20}, "resamples cannot show"),
        ({"costs": (1, -1)}, "costs"),
        ({"prevalence": 1.5}, "prevalence"),
    ):
        with pytest.raises(rb.InputError, match=said):
            rb.best_threshold(y, s, **given)
    with pytest.raises(rb.InputError, match="folds"):
        rb.best_threshold(rb.Sample(y, s, folds=np.arange(40) % 4))


def test_warning_names_the_function():
    y, s = draw(np.random.default_rng(8), 20, 20)
    assert "best_threshold" in str(rb.operating_points(y, s, best="youden"))
    assert "best_threshold" not in str(rb.operating_points(y, s, best="youden", test=(y, s)))


@pytest.mark.simulation
def test_coverage_and_a_control_that_fails():
    """Limits with the choice hold; percentiles of the ordinary bootstrap do not."""
    rng, sets, shift = np.random.default_rng(9), 120, 2**0.5 * norm.ppf(0.8)
    truth = 2 * norm.cdf(shift / 2) - 1
    held = np.zeros(4)
    plain = 0
    for _ in range(sets):
        y, s = draw(rng, 40, 40, shift)
        found = rb.best_threshold(y, s, n_resamples=200)
        true = norm.sf(found.threshold - shift), norm.cdf(found.threshold)
        held += [
            found.threshold_low <= shift / 2 <= found.threshold_high,
            found.sensitivity_low <= true[0] <= found.sensitivity_high,
            found.specificity_low <= true[1] <= found.specificity_high,
            found.index_low <= truth <= found.index_high,
        ]
        cuts = np.sort(s)
        rows = [rng.choice(s[y == label], (200, 40)) for label in (1, 0)]
        tpr, fpr = ((side[:, :, None] >= cuts).mean(axis=1) for side in rows)
        plain += int(np.quantile((tpr - fpr).max(axis=1), 0.025) <= truth)
    assert (held >= 0.88 * sets).all()
    assert plain <= 0.86 * sets
