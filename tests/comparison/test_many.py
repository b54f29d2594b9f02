"""Many models at once: the joint test, simultaneous limits, Holm's p-values."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import chdtrc

import rocbands as rb
from rocbands.comparison.compare_many import adjust_by_holm
from tests.comparison.test_delong import SIM, Y
from tests.coverage.judge import may_lie_in

MODELS = {"a": SIM["s1"], "b": SIM["s2"], "c": SIM["s1"] + SIM["s2"]}


def test_two_models_are_a_pair() -> None:
    pair = rb.compare(Y, MODELS["a"], MODELS["b"])
    many = rb.compare_many(Y, {"a": MODELS["a"], "b": MODELS["b"]})
    assert many.df == 1
    assert many.statistic == pytest.approx(pair.statistic**2)
    # Student's t in place of the normal distribution, for the joint test and for the pair.
    assert many.pvalue == pytest.approx(many.pvalues[0])
    assert pair.pvalue < many.pvalue < pair.pvalue * 1.05
    assert many.low[0] == pytest.approx(pair.difference - many.critical_value * pair.standard_error)
    assert 1.96 < many.critical_value < 1.975


def test_joint_test_by_contrasts() -> None:
    many = rb.compare_many(Y, MODELS)
    contrast = np.array([[1, -1, 0], [0, 1, -1]])
    gap = contrast @ many.estimates
    expected = gap @ np.linalg.inv(contrast @ many.covariance @ contrast.T) @ gap
    assert (many.statistic, many.df) == (pytest.approx(expected), 2)
    # F with two degrees of freedom has a distribution function in closed form.
    f = many.df_error
    assert many.pvalue == pytest.approx((1 + expected / (f + 1)) ** (-f / 2))
    assert math.exp(-expected / 2) < many.pvalue  # chi-square


def test_identical_models_among_three() -> None:
    two = rb.compare_many(Y, {"a": MODELS["a"], "b": MODELS["b"]})
    three = rb.compare_many(Y, {"a": MODELS["a"], "b": MODELS["b"], "twin": MODELS["a"] * 2})
    assert (three.df, three.statistic) == (1, pytest.approx(two.statistic))
    assert three.pvalue == pytest.approx(two.pvalue, rel=1e-6)
    assert three.pvalues[1] == 1.0
    assert (three.low[1], three.high[1]) == (0.0, 0.0)
    assert any("generalised inverse" in note for note in three.notes)
    same = rb.compare_many(Y, dict.fromkeys("xyz", MODELS["a"]))
    assert (same.df, same.statistic, same.pvalue) == (0, 0.0, 1.0)


def test_differences_without_variance() -> None:
    labels = np.repeat([1, 0], [10, 10])
    models = {"perfect": labels * 2.0, "constant": np.zeros(20), "wrong": -labels * 1.0}
    many = rb.compare_many(labels, models)
    assert many.pvalue == many.pvalues.min() > 0
    assert (many.high - many.low > 0.1).all()


def test_holm_by_hand() -> None:
    assert adjust_by_holm(np.array([0.02, 0.01, 0.04, 0.5])) == pytest.approx(
        [0.06, 0.04, 0.08, 0.5]
    )
    assert adjust_by_holm(np.array([0.6, 0.7])) == pytest.approx([1.0, 1.0])


def test_limits_reach_between_one_and_all_pairs() -> None:
    many = rb.compare_many(Y, MODELS, rng=1)
    assert 1.96 < many.critical_value < 2.41  # alone; Bonferroni for three
    assert many.low == pytest.approx(many.differences - many.critical_value * many.standard_errors)
    assert rb.compare_many(Y, MODELS, rng=1).critical_value == many.critical_value
    assert rb.compare_many(Y, MODELS, rng=2).critical_value != many.critical_value
    # Uncorrelated equal models: the range of three normal variables, whose .95 point is 3.314.
    rng = np.random.default_rng(3)
    labels = np.repeat([1, 0], 20_000)
    alone = {name: rng.normal(size=40_000) for name in "abc"}
    reach = rb.compare_many(labels, alone, rng=1).critical_value
    assert reach == pytest.approx(3.314 / math.sqrt(2), abs=0.03)


def test_simultaneous_intervals_hold_all_at_once() -> None:
    rng, reps, held, narrow = np.random.default_rng(4), 300, 0, 0
    labels = np.repeat([1, 0], [60, 60])
    for _ in range(reps):
        scores = rng.normal(size=(4, 120)) + labels + rng.normal(size=120)
        models = dict(zip("abcd", scores, strict=True))
        many = rb.compare_many(labels, models, level=0.9, n_resamples=4000, rng=rng)
        held += bool(((many.low <= 0) & (many.high >= 0)).all())
        narrow += bool((np.abs(many.differences) <= 1.645 * many.standard_errors).all())
    assert may_lie_in(held, reps, 0.88, 0.93, 0.9999)
    assert not may_lie_in(narrow, reps, 0.88, 0.93, 0.9999)


def test_too_few_cases_for_a_joint_test() -> None:
    rng, labels = np.random.default_rng(1), np.repeat([1, 0], [5, 50])
    models = {str(k): rng.normal(size=55) + labels for k in range(6)}
    assert rb.compare_many(labels, dict(list(models.items())[:4])).df_error is not None
    many = rb.compare_many(labels, models, rng=1)
    assert many.df_error is None
    assert many.pvalue == many.pvalues.min()
    assert any("too few cases" in note for note in many.notes)


def test_few_positives_keep_the_level() -> None:
    """Five equal models, 10 + 200 cases; the chi-square test and normal limits reject too often."""
    rng, reps, found = np.random.default_rng(5), 250, np.zeros(4)
    labels = np.repeat([1, 0], [10, 200])
    for _ in range(reps):
        scores = rng.normal(size=210) * 0.6**0.5 + rng.normal(size=(5, 210)) * 0.4**0.5
        models = dict(zip("abcde", scores + 1.2 * labels, strict=True))
        many = rb.compare_many(labels, models, n_resamples=1000, rng=rng)
        largest = np.abs(many.differences / many.standard_errors).max()
        found += [
            many.pvalue < 0.05,
            ((many.low > 0) | (many.high < 0)).any(),
            chdtrc(many.df, many.statistic) < 0.05,
            largest > 1.96,
        ]
    for right, wrong in zip(found[:2], found[2:], strict=True):
        assert may_lie_in(int(right), reps, 0.03, 0.07, 0.999)
        assert not may_lie_in(int(wrong), reps, 0.03, 0.07, 0.999)


def test_groups_widen() -> None:
    copied = [np.repeat(column, 2) for column in (Y, MODELS["a"], MODELS["b"], MODELS["c"])]
    models = dict(zip("abc", copied[1:], strict=True))
    once = rb.compare_many(Y, MODELS)
    twice = rb.compare_many(copied[0], models, groups=np.repeat(np.arange(500), 2))
    assert twice.covariance == pytest.approx(once.covariance, rel=0.01)
    blind = rb.compare_many(copied[0], models)
    assert blind.covariance[0, 0] < 0.6 * once.covariance[0, 0]


def test_one_model_is_no_comparison() -> None:
    with pytest.raises(rb.InputError, match="at least two models"):
        rb.compare_many(Y, {"a": MODELS["a"]})
