"""Populations: draws follow the laws, and the true curve is that of an endless test set."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import rocbands as rb
from rocbands_studies import (
    Binormal,
    Discrete,
    Exponential,
    Finite,
    FixedClasses,
    Gamma,
    Laplace,
    Logistic,
    Mixture,
    Normal,
    Pair,
    RandomClasses,
)
from rocbands_studies.own_data import estimate_population
from rocbands_studies.populations import draw_curve

LAWS = {
    "normal": (Normal(1.0, 2.0), stats.norm(1.0, 2.0)),
    "laplace": (Laplace(1.0, 2.0), stats.laplace(1.0, 2.0 / np.sqrt(2))),
    "logistic": (Logistic(1.0, 2.0), stats.logistic(1.0, 2.0 * np.sqrt(3) / np.pi)),
    "gamma": (Gamma(2.5, 0.5), stats.gamma(2.5, scale=0.5)),
    "exponential": (Exponential(3.0), stats.expon(scale=3.0)),
}


@pytest.mark.parametrize("name", LAWS)
def test_a_law_is_the_one_it_is_called(name: str) -> None:
    law, known = LAWS[name]
    at = known.ppf(np.linspace(0.001, 0.999, 50))
    np.testing.assert_allclose(law.survival(at), known.sf(at), rtol=1e-10)
    drawn = law.draw(np.random.default_rng(1), 4000)
    assert stats.kstest(drawn, known.cdf).pvalue > 0.001
    assert known.sf(law.thresholds().max()) < 1e-12
    assert known.cdf(law.thresholds().min()) < 1e-10


def test_a_mixture_is_drawn_from_both_laws() -> None:
    law = Mixture(0.3, Normal(4.0, 1.0), Normal(0.0, 1.0))
    drawn = law.draw(np.random.default_rng(2), 20000)
    for at in (-1.0, 1.0, 2.0, 4.0):
        expected = 0.3 * stats.norm.sf(at, 4, 1) + 0.7 * stats.norm.sf(at, 0, 1)
        assert law.survival(np.array([at]))[0] == pytest.approx(expected, abs=1e-12)
        assert (drawn >= at).mean() == pytest.approx(expected, abs=0.015)


@pytest.mark.parametrize("theta", [0.75, 2.0, 5.0])
def test_the_binormal_curve_is_the_closed_one(theta: float) -> None:
    truth = Binormal(theta).truth
    fpr = np.array([1e-6, 1e-3, 0.05, 0.3, 0.9, 0.999])
    closed = stats.norm.cdf(2 * theta / 3.75 + 0.8 * stats.norm.ppf(fpr))
    np.testing.assert_allclose(truth.high(fpr), closed, atol=3e-6)
    assert truth.area == pytest.approx(stats.norm.cdf(2 * theta / np.hypot(3.75, 3)), abs=1e-6)


POPULATIONS = [
    Binormal(1.5),
    Pair(Exponential(3.0), Exponential(1.0)),
    Pair(Mixture(0.5, Normal(0, 1), Normal(4, 1)), Normal(0, 1), name="bimodal"),
    Pair(Normal(1.0, 1.0), Normal(0.0, 1.0), step=0.5),
    Pair(Normal(1.0, 1.0), Normal(0.0, 1.0), step=2.0),
    Discrete((0.1, 0.2, 0.7), (0.5, 0.5, 0.0)),
    Finite(np.array([3.0, 2.0, 2.0, np.inf]), np.array([2.0, 1.0, -np.inf]), "file"),
]


@pytest.mark.parametrize("population", POPULATIONS, ids=lambda population: population.name[:40])
def test_a_large_sample_has_the_true_curve(population: object) -> None:
    roc = draw_curve(population, np.random.default_rng(3), 40000, 40000)
    assert rb.core.curve.displacement(population.truth, roc.curve, 1.0).largest < 0.015
    assert roc.auc == pytest.approx(population.truth.area, abs=0.01)


def test_without_replacement_a_file_gives_each_score_once() -> None:
    scores = np.arange(10.0)
    file = Finite(scores, scores, "file", replace=False)
    positives, _ = file.draw(np.random.default_rng(1), 10, 3)
    assert sorted(positives) == sorted(scores)
    with pytest.raises(rb.InputError, match="10 positives and 10 negatives; 11 and 1"):
        file.draw(np.random.default_rng(1), 11, 1)


def test_class_sizes() -> None:
    rng = np.random.default_rng(1)
    assert FixedClasses(3, 4).sizes(rng) == (3, 4)
    drawn = np.array([RandomClasses(4, 0.3).sizes(rng) for _ in range(3000)])
    assert (drawn.sum(axis=1) == 4).all()
    assert drawn.min() == 1
    binomial = stats.binom.pmf([1, 2, 3], 4, 0.3)
    np.testing.assert_allclose(
        [(drawn[:, 0] == k).mean() for k in (1, 2, 3)], binomial / binomial.sum(), atol=0.04
    )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Normal(0.0, 0.0), "`sd` must be a number above 0"),
        (lambda: Gamma(-1.0), "`shape` must be a number above 0"),
        (lambda: Mixture(1.5, Normal(0, 1), Normal(1, 1)), "`share` must be"),
        (lambda: Mixture(0.5, 3, Normal(1, 1)), "made of distributions"),
        (lambda: Discrete((0.5, 0.6), (0.5, 0.5)), "add up to 1"),
        (lambda: Discrete((0.5, 0.5), (1.0,)), "2 that add up to 1, and 1"),
        (lambda: Discrete((), ()), "0 that add up to 0"),
        (lambda: Finite(np.array([]), np.array([1.0]), "x"), "not empty"),
        (lambda: Finite(np.array([np.nan]), np.array([1.0]), "x"), "without NaN"),
        (lambda: RandomClasses(1), "`n` must be"),
        (lambda: RandomClasses(10, 1.0), "strictly between 0 and 1"),
        (lambda: FixedClasses(0, 1), "`n_pos` must be"),
    ],
)
def test_impossible_populations_are_refused(make: object, message: str) -> None:
    with pytest.raises(rb.InputError, match=message):
        make()


def test_a_population_like_a_test_set() -> None:
    sample = rb.load_example()
    roc = rb.roc_curve(sample["logistic"])
    smooth = estimate_population(roc)
    assert smooth.truth.area == pytest.approx(roc.auc, abs=0.02)
    coarse = rb.roc_curve(sample.is_positive, np.rint(3 * sample["logistic"].values))
    levels = estimate_population(coarse)
    assert isinstance(levels, Discrete)
    np.testing.assert_allclose(levels.truth.high(coarse.fpr), coarse.tpr, atol=1e-12)
