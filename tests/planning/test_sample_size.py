"""Sample sizes: R's numbers, symmetry, and whether the planned studies achieve what they promise."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.stats import norm

import rocbands as rb
from rocbands.planning.aims import AgainstAim
from rocbands.planning.formulas import compute_obuchowski_variance
from tests.golden_numbers import GOLDEN

POWER = json.loads((GOLDEN / "power.json").read_text(encoding="utf-8"))


def test_one_auc_as_in_r() -> None:
    usual = {"auc": 0.7, "against": 0.5, "power": 0.9, "variance": "obuchowski"}
    plan = rb.sample_size(**usual)
    assert plan.exact_n_pos == pytest.approx(POWER["n_for_auc0.7_p0.9"], rel=1e-9)
    one = rb.sample_size(**usual, alternative="greater")
    assert one.exact_n_pos == pytest.approx(POWER["n_one_sided"], rel=1e-9)
    test = AgainstAim(0.8, 0.5, 0.95, "obuchowski")
    assert test.achieve(20, 20) == pytest.approx(POWER["one_auc0.8_n20_20"], rel=1e-9)


def test_obuchowskis_variance_by_hand() -> None:
    # (5 A^2 + 8) / 100 + (A^2 + 8) / 400 with A = 1.414 * 0.8416, times 0.0099 exp(-A^2 / 2)
    a = 1.414 * 0.8416212
    wanted = 0.0099 * np.exp(-(a**2) / 2) * ((5 * a**2 + 8) / 100 + (a**2 + 8) / 400)
    assert compute_obuchowski_variance(0.8, 100, 400) == pytest.approx(wanted, rel=1e-6)


def scores(auc: float, n_pos: int, n_neg: int, rng: np.random.Generator) -> np.ndarray:
    shift = np.sqrt(2) * norm.ppf(auc)
    return rng.normal(size=n_pos + n_neg) + np.repeat([shift, 0], [n_pos, n_neg])


# Sizes by normal quantiles and the variance of the estimate: intervals .0283 and .144 wide.
@pytest.mark.simulation
@pytest.mark.parametrize(
    ("auc", "width", "ratio", "before"),
    [(0.99, 0.02, 1, 95), (0.97, 0.1, 1, 18), (0.95, 0.1, 5, 19), (0.6, 0.12, 1, 170)],
)
def test_default_intervals_have_the_planned_width(
    auc: float, width: float, ratio: float, before: int
) -> None:
    plan = rb.sample_size(auc=auc, width=width, ratio=ratio, check=True)
    assert plan.n_neg == np.ceil(ratio * plan.n_pos)
    assert plan.width <= width < 1.05 * plan.width
    assert 0.96 * width < plan.simulated < 1.02 * width
    assert plan.simulated_low < plan.simulated < plan.simulated_high
    if auc > 0.9:  # negative control
        rng, y = np.random.default_rng(1), np.repeat([1, 0], [before, int(before * ratio)])
        found = [rb.auc_interval(y, scores(auc, *np.bincount(y)[::-1], rng)) for _ in range(100)]
        assert np.mean([one.high - one.low for one in found]) > 1.2 * width


@pytest.mark.simulation
@pytest.mark.parametrize(
    "asked",
    [
        {"auc": 0.76, "against": 0.5, "ratio": 10},
        {"auc": 0.75, "against": 0.6},
        {"auc": 0.95, "against": 0.9, "alternative": "greater", "power": 0.9},
        {"auc": 0.7, "against": 0.85, "ratio": 3},
        {"auc": 0.85, "other": 0.75, "correlation": 0.5},
        {"auc": 0.92, "other": 0.76, "correlation": 0.6},
        {"auc": 0.7, "other": 0.8, "correlation": -0.3, "alternative": "less", "power": 0.9},
    ],
)
def test_default_tests_have_the_planned_power(asked: dict) -> None:
    plan = rb.sample_size(**asked, check=True)
    assert plan.power >= asked.get("power", 0.8)
    # Three standard errors; with few cases the formula for two models is a little too careful.
    assert plan.power - 0.04 < plan.simulated < plan.power + (0.08 if "other" in asked else 0.04)
    assert plan.simulated_low < plan.simulated < plan.simulated_high < plan.simulated_low + 0.06


def test_a_plan_that_does_not_fit_the_default_is_seen() -> None:
    plan = rb.sample_size(auc=0.99, width=0.02, variance="obuchowski", check=True)
    assert abs(plan.simulated - plan.width) > 5 * (plan.simulated_high - plan.simulated)


def test_a_check_changes_nothing_else_and_repeats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rocbands.planning.simulation._MOST_SETS", 60)
    for goal in ({"width": 0.2}, {"against": 0.6}, {"other": 0.7}, {"band_width": 0.4}):
        plain = rb.sample_size(auc=0.85, **goal)
        one, two = (rb.sample_size(auc=0.85, **goal, check=True) for _ in range(2))
        others = [rb.sample_size(auc=0.85, **goal, check=True, rng=seed) for seed in (1, 2)]
        assert one.to_dict() == two.to_dict()
        assert any(one.simulated != other.simulated for other in others)
        assert (one.n_pos, one.n_neg) == (plain.n_pos, plain.n_neg)
        assert plain.simulated is None
        assert "Simulated" not in str(plain)
        assert f"in {one.n_simulated} test sets" in str(one)
    with pytest.raises(rb.InputError, match="draws test sets of at most 200,000 cases"):
        rb.sample_size(auc=0.8, width=1e-3, check=True)


def test_a_correlation_that_no_scores_have_is_replaced() -> None:
    plan = rb.sample_size(auc=0.99, other=0.8, correlation=0.95)
    assert "nearest possible one, " in " ".join(plan.notes)
    assert not rb.sample_size(auc=0.85, other=0.8, correlation=0.95).notes
    assert not rb.sample_size(auc=0.99, other=0.8, correlation=0.95, variance="obuchowski").notes


def test_an_auc_of_almost_0_is_found_by_few_cases() -> None:
    """The smallest positive number, whose square is 0, beside one that has a variance."""
    for variance in ("mann-whitney", "obuchowski"):
        asked = {"against": 0.5, "variance": variance}
        smallest, small = (rb.sample_size(auc=auc, **asked) for auc in (5e-324, 1e-12))
        assert (smallest.n_pos, smallest.n_neg) == (small.n_pos, small.n_neg)
        assert smallest.power == pytest.approx(1.0)


def test_it_does_not_matter_which_model_is_which() -> None:
    for variance in ("obuchowski", "mann-whitney"):
        asked = {"correlation": 0.3, "ratio": 4, "variance": variance}
        one = rb.sample_size(auc=0.7, other=0.8, **asked)
        two = rb.sample_size(auc=0.8, other=0.7, **asked)
        assert one.exact_n_pos == pytest.approx(two.exact_n_pos, rel=1e-9)
        close = rb.sample_size(auc=0.8, other=0.7, **{**asked, "correlation": 0.8})
        assert close.n_pos < 0.5 * one.n_pos


def test_planned_bands_have_the_planned_width() -> None:
    plan = rb.sample_size(auc=0.8, band_width=0.3, ratio=2, rng=1)
    assert plan.width <= 0.3
    assert plan.n_neg == 2 * plan.n_pos
    rng, labels = np.random.default_rng(8), np.repeat([1, 0], [plan.n_pos, plan.n_neg])
    areas = [rb.roc_band(labels, scores(0.8, plan.n_pos, plan.n_neg, rng)).area for _ in range(25)]
    assert np.mean(areas) == pytest.approx(0.3, rel=0.05)
    again = rb.sample_size(auc=0.8, band_width=0.3, ratio=2, rng=1)
    assert again.to_dict() == plan.to_dict()


def test_a_plan_says_what_it_rests_on() -> None:
    plan = rb.sample_size(auc=0.8, other=0.75, correlation=0.6)
    assert "two models' AUCs 0.8 and 0.75" in str(plan)
    assert "default comparison" in str(plan)
    facts = json.loads(plan.to_json())
    assert facts["guess"] == {"auc": 0.8, "ratio": 1.0, "other": 0.75, "correlation": 0.6}
    assert facts["n_pos"] == plan.n_pos
    assert "columns" not in facts  # each number once
    assert plan.power >= 0.8
    assert max(map(len, str(plan).splitlines())) <= 100


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "Exactly one of `width`.*none was"),
        ({"width": 0.1, "other": 0.7}, "`width` and `other` were"),
        ({"auc": 1.0, "width": 0.1}, "`auc` must be a number strictly between 0 and 1"),
        ({"against": 0.8}, "`auc` and `against` must differ; both are 0.8"),
        ({"against": 0.9, "alternative": "greater"}, "cannot be shown"),
        ({"against": 0.5, "alternative": "less"}, "cannot be shown"),
        ({"other": 0.7, "correlation": 1}, "`correlation` must be a number strictly between"),
        ({"width": 0.1, "correlation": 7}, "`correlation` must be a number strictly between"),
        ({"against": 0.7, "correlation": "a"}, "`correlation` must be a number"),
        ({"band_width": 0.2, "variance": "obuchowski"}, "`band_width` was asked for"),
        ({"width": 1e-5}, "More than 10,000,000 positives"),
        ({"band_width": 1e-3}, "More than 1,000,000 cases"),
        ({"width": 0.1, "ratio": 0}, "`ratio` must be a number strictly between 1e-09 and"),
        ({"against": 0.7, "power": 1}, "`power` must be"),
        ({"width": 0.1, "variance": "delong"}, "one of mann-whitney, obuchowski"),
    ],
)
def test_slips_are_refused_in_words(options: dict, words: str) -> None:
    with pytest.raises(rb.InputError, match=words):
        rb.sample_size(**{"auc": 0.8, **options})


@pytest.mark.parametrize("more", [{"power": 0.9}, {"alternative": "greater"}])
@pytest.mark.parametrize("goal", [{"width": 0.1}, {"band_width": 0.2}])
def test_what_belongs_to_tests_is_refused_elsewhere(goal: dict, more: dict) -> None:
    with pytest.raises(rb.InputError, match="`power` and `alternative` are for tests"):
        rb.sample_size(auc=0.8, **goal, **more)


def test_plans_take_a_prevalence_and_say_the_total() -> None:
    plan = rb.sample_size(auc=0.8, width=0.1, prevalence=0.1)
    assert plan.n_pos == rb.sample_size(auc=0.8, width=0.1, ratio=9).n_pos
    assert plan.n_total == plan.n_pos + plan.n_neg == plan.to_dict()["n_total"]
    with pytest.raises(rb.InputError, match="`ratio` and `prevalence` have the same meaning"):
        rb.sample_size(auc=0.8, width=0.1, ratio=1, prevalence=0.5)
