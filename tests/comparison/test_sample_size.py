"""Sample sizes: R's numbers, symmetry, and whether the planned studies achieve what they promise."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.stats import norm

import rocbands as rb
from rocbands.comparison.sample_size import (
    AucTest,
    compute_mann_whitney_variance,
    compute_obuchowski_variance,
)
from rocbands.core.delong import compute_placements
from tests.golden_numbers import GOLDEN

POWER = json.loads((GOLDEN / "power.json").read_text(encoding="utf-8"))


def test_one_auc_as_in_r() -> None:
    plan = rb.sample_size(auc=0.7, against=0.5, power=0.9)
    assert plan.exact_n_pos == pytest.approx(POWER["n_for_auc0.7_p0.9"], rel=1e-9)
    one = rb.sample_size(auc=0.7, against=0.5, power=0.9, alternative="greater")
    assert one.exact_n_pos == pytest.approx(POWER["n_one_sided"], rel=1e-9)
    test = AucTest(0.8, 0.5, None, "obuchowski", "two-sided", 0.95)
    assert test.compute_power(20, 20) == pytest.approx(POWER["one_auc0.8_n20_20"], rel=1e-9)


def test_variances_by_hand() -> None:
    # (5 A^2 + 8) / 100 + (A^2 + 8) / 400 with A = 1.414 * 0.8416, times 0.0099 exp(-A^2 / 2)
    a = 1.414 * 0.8416212
    wanted = 0.0099 * np.exp(-(a**2) / 2) * ((5 * a**2 + 8) / 100 + (a**2 + 8) / 400)
    assert compute_obuchowski_variance(0.8, 100, 400) == pytest.approx(wanted, rel=1e-6)
    assert compute_mann_whitney_variance(0.8, 1, 1) == pytest.approx(0.8 * 0.2)
    # Two positives and one negative: both beat it where both beat the same y.
    y = np.linspace(-8, 9, 20_001)
    beat = norm.sf(y, loc=np.sqrt(2) * norm.ppf(0.8))
    both = np.trapezoid(beat**2 * norm.pdf(y), y)
    exact = (2 * 0.8 + 2 * both) / 4 - 0.8**2
    assert compute_mann_whitney_variance(0.8, 2, 1) == pytest.approx(exact, rel=1e-6)
    assert compute_mann_whitney_variance(0.8, 1, 2) == pytest.approx(exact, rel=1e-6)


def scores(auc: float, n_pos: int, n_neg: int, rng: np.random.Generator) -> np.ndarray:
    shift = np.sqrt(2) * norm.ppf(auc)
    return rng.normal(size=n_pos + n_neg) + np.repeat([shift, 0], [n_pos, n_neg])


def drawn(auc: float, n_pos: int, n_neg: int, sets: int) -> tuple[np.ndarray, np.ndarray]:
    """AUCs of simulated sets, and DeLong's variances."""
    rng, positive = np.random.default_rng(1), np.repeat([True, False], [n_pos, n_neg])
    found = [compute_placements(positive, scores(auc, n_pos, n_neg, rng)) for _ in range(sets)]
    variance = [p.pos.var(ddof=1) / n_pos + p.neg.var(ddof=1) / n_neg for p in found]
    return np.array([p.auc for p in found]), np.array(variance)


@pytest.mark.parametrize(("auc", "ratio"), [(0.6, 1.0), (0.8, 3.0), (0.95, 0.5)])
def test_planned_intervals_have_the_planned_width(auc: float, ratio: float) -> None:
    plan = rb.sample_size(auc=auc, width=0.12, ratio=ratio)
    assert plan.width <= 0.12 < plan.width * 1.1
    assert plan.n_neg == np.ceil(ratio * plan.n_pos)
    values, variance = drawn(auc, plan.n_pos, plan.n_neg, 800)
    assert compute_mann_whitney_variance(auc, plan.n_pos, plan.n_neg) == pytest.approx(
        values.var(), rel=0.2
    )
    assert 2 * 1.96 * np.sqrt(variance.mean()) == pytest.approx(plan.width, rel=0.04)


def test_planned_tests_have_at_least_the_planned_power() -> None:
    plan = rb.sample_size(auc=0.75, against=0.6, power=0.8)
    values, variance = drawn(0.75, plan.n_pos, plan.n_neg, 500)
    held = np.mean((values - 0.6) / np.sqrt(variance) > 1.96)
    assert 0.78 < held < 0.92
    few, scarce = drawn(0.75, plan.n_pos // 2, plan.n_neg // 2, 500)
    assert np.mean((few - 0.6) / np.sqrt(scarce) > 1.96) < 0.7


def test_an_auc_whose_variance_is_0_is_found_by_few_cases() -> None:
    """The smallest positive number, whose square is 0, beside one that has a variance."""
    smallest, small = (rb.sample_size(auc=auc, against=0.5) for auc in (5e-324, 1e-12))
    assert (smallest.n_pos, smallest.n_neg, smallest.power) == (small.n_pos, small.n_neg, 1.0)


def test_it_does_not_matter_which_model_is_which() -> None:
    for variance in ("obuchowski", "mann-whitney"):
        asked = {"correlation": 0.3, "ratio": 4, "variance": variance}
        one = rb.sample_size(auc=0.7, other=0.8, **asked)
        two = rb.sample_size(auc=0.8, other=0.7, **asked)
        assert one.exact_n_pos == pytest.approx(two.exact_n_pos, rel=1e-12)
        close = rb.sample_size(auc=0.8, other=0.7, **{**asked, "correlation": 0.8})
        assert close.n_pos < 0.5 * one.n_pos


def test_planned_pairs_have_about_the_planned_power() -> None:
    plan = rb.sample_size(auc=0.85, other=0.75, correlation=0.5, variance="mann-whitney")
    rng, held, sets = np.random.default_rng(3), 0, 300
    labels = np.repeat([1.0, 0.0], [plan.n_pos, plan.n_neg])
    positive = labels == 1
    for _ in range(sets):
        noise = rng.multivariate_normal([0, 0], [[1, 0.53], [0.53, 1]], labels.size)
        one, two = (
            compute_placements(positive, noise[:, i] + labels * np.sqrt(2) * norm.ppf(auc))
            for i, auc in enumerate((0.85, 0.75))
        )
        variance = sum((a - b).var(ddof=1) / a.size for a, b in zip(one, two, strict=True))
        held += abs(one.auc - two.auc) / np.sqrt(variance) > 1.96
    assert 0.72 < held / sets < 0.9


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
    assert "Obuchowski" in str(plan)
    facts = json.loads(plan.to_json())
    assert facts["guess"] == {"auc": 0.8, "ratio": 1.0, "other": 0.75, "correlation": 0.6}
    assert facts["columns"]["n_pos"] == [plan.n_pos]
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
