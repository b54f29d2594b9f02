"""Many models at once, decisions at thresholds, heights at a false positive rate, two sets."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rocbands as rb
from rocbands.comparison.copies import copies
from rocbands.comparison.many import holm
from rocbands.comparison.points import _Steps
from tests.comparison.test_delong import SIM, Y, pairs
from tests.coverage.judge import may_lie_in
from tests.oracles import compare as oracle

MODELS = {"a": SIM["s1"], "b": SIM["s2"], "c": SIM["s1"] + SIM["s2"]}


def test_two_models_are_a_pair() -> None:
    pair = rb.compare(Y, MODELS["a"], MODELS["b"])
    many = rb.compare_many(Y, {"a": MODELS["a"], "b": MODELS["b"]})
    assert many.df == 1
    assert many.statistic == pytest.approx(pair.statistic**2)
    assert many.pvalue == pytest.approx(pair.pvalue)
    assert (many.pvalues[0], many.low[0], many.high[0]) == pytest.approx(
        (pair.pvalue, pair.difference.low, pair.difference.high)
    )


def test_joint_test_by_contrasts() -> None:
    many = rb.compare_many(Y, MODELS)
    contrast = np.array([[1, -1, 0], [0, 1, -1]])
    gap = contrast @ many.estimates
    expected = gap @ np.linalg.inv(contrast @ many.covariance @ contrast.T) @ gap
    assert (many.statistic, many.df) == (pytest.approx(expected), 2)
    assert many.pvalue == pytest.approx(math.exp(-expected / 2))  # chi-square with two


def test_identical_models_among_three() -> None:
    two = rb.compare_many(Y, {"a": MODELS["a"], "b": MODELS["b"]})
    three = rb.compare_many(Y, {"a": MODELS["a"], "b": MODELS["b"], "twin": MODELS["a"] * 2})
    assert (three.df, three.statistic) == (1, pytest.approx(two.statistic))
    assert three.pvalue == pytest.approx(two.pvalue)
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
    assert holm(np.array([0.02, 0.01, 0.04, 0.5])) == pytest.approx([0.06, 0.04, 0.08, 0.5])
    assert holm(np.array([0.6, 0.7])) == pytest.approx([1.0, 1.0])


def test_limits_reach_between_one_and_all_pairs() -> None:
    many = rb.compare_many(Y, MODELS)
    assert 1.96 < many.critical_value < 2.394  # alone; Bonferroni for three
    assert many.low == pytest.approx(many.differences - many.critical_value * many.standard_errors)
    assert rb.compare_many(Y, MODELS).critical_value == many.critical_value
    # Uncorrelated equal models: the range of three normal variables, whose .95 point is 3.314.
    rng = np.random.default_rng(3)
    labels = np.repeat([1, 0], 20_000)
    alone = {name: rng.normal(size=40_000) for name in "abc"}
    reach = rb.compare_many(labels, alone).critical_value
    assert reach == pytest.approx(3.314 / math.sqrt(2), abs=0.03)


def test_simultaneous_intervals_hold_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rocbands.comparison.many.DRAWS", 4000)
    rng, reps, held, narrow = np.random.default_rng(4), 300, 0, 0
    labels = np.repeat([1, 0], [60, 60])
    for _ in range(reps):
        scores = rng.normal(size=(4, 120)) + labels + rng.normal(size=120)
        many = rb.compare_many(labels, dict(zip("abcd", scores, strict=True)), level=0.9)
        held += bool(((many.low <= 0) & (many.high >= 0)).all())
        narrow += bool((np.abs(many.differences) <= 1.645 * many.standard_errors).all())
    assert may_lie_in(held, reps, 0.88, 0.93, 0.9999)
    assert not may_lie_in(narrow, reps, 0.88, 0.93, 0.9999)


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


@given(pairs(least=1), st.sampled_from(["accuracy", "sensitivity", "specificity"]))
def test_mcnemar_by_counting(rows, of) -> None:
    labels, one, two = rows
    keep = {"accuracy": labels >= 0, "sensitivity": labels == 1, "specificity": labels == 0}[of]
    right = [((s >= 1) == (labels == 1))[keep] for s in (one, two)]
    b, c = int((right[0] & ~right[1]).sum()), int((right[1] & ~right[0]).sum())
    mass = [math.comb(b + c, k) / 2 ** (b + c) for k in range(b + c + 1)]
    low, high = sum(mass[: b + 1]), sum(mass[b:])
    expected = {
        ("exact", "two-sided"): min(1.0, 2 * min(low, high)),
        ("exact", "greater"): high,
        ("mid-p", "two-sided"): min(1.0, 2 * min(low, high) - mass[b]) if b + c else 1.0,
        ("mid-p", "less"): low - mass[b] / 2 if b + c else 1.0,
    }
    for (method, side), value in expected.items():
        found = rb.mcnemar(labels, one, two, 1, method=method, of=of, alternative=side)
        assert found.pvalue == pytest.approx(value, abs=1e-12)
        assert found.difference.estimate == pytest.approx((b - c) / keep.sum())
        assert found.difference.low < found.difference.high


def test_mcnemar_has_two_thresholds() -> None:
    found = rb.mcnemar([1, 0, 1, 0], [0.9, 0.1, 0.4, 0.2], [9, 1, 6, 2], 0.5, 5)
    assert found.estimates == (0.75, 1.0)
    with pytest.raises(rb.InputError, match="threshold_2"):
        rb.mcnemar([1, 0], [1, 2], [1, 2], 0.5, math.nan)


@settings(max_examples=30)
@given(pairs(least=2), st.sampled_from([0.1, 0.25, 0.5, 0.8]))
def test_resampled_heights_in_a_plain_loop(rows, fpr) -> None:
    labels, one, _ = rows
    scores = rb.Scores.from_columns(labels, one)
    drawn = copies(scores, None, 3, np.random.default_rng(2))
    found = _Steps.of(scores).heights(drawn, fpr)
    for k, weights in enumerate(drawn.T):
        chosen = np.repeat(np.arange(labels.size), weights.astype(int))
        expected = oracle.height(labels[chosen].tolist(), one[chosen].tolist(), fpr)
        assert found[k] == pytest.approx(expected, abs=1e-9)


def test_heights_at_a_rate() -> None:
    found = rb.compare_tpr(Y, MODELS["a"], MODELS["b"], fpr=0.2, rng=1)
    heights = [oracle.height(Y.tolist(), MODELS[k].tolist(), 0.2) for k in "ab"]
    assert found.estimates == pytest.approx(tuple(heights))
    assert found.difference.low < found.difference.estimate < found.difference.high
    same = rb.compare_tpr(Y, MODELS["a"], MODELS["a"], fpr=0.2, rng=1)
    assert (same.difference.estimate, same.pvalue) == (0.0, 1.0)
    fine = rb.compare_tpr(Y, MODELS["a"], MODELS["b"], fpr=0.2, margin=0.1, rng=1)
    assert fine.verdict.startswith("Not inferior")
    other = rb.compare_tpr(Y, MODELS["b"], MODELS["a"], fpr=0.2, margin=0.05, rng=1)
    assert "not shown" in other.verdict
    assert any("too few" in n for n in rb.compare_tpr(Y, *list(MODELS.values())[:2], 0.01).notes)
    with pytest.raises(rb.InputError, match="strictly between"):
        rb.compare_tpr(Y, MODELS["a"], MODELS["b"], fpr=1.0)


def test_equal_curves_on_two_sets() -> None:
    """Uniform where curves are equal, whatever the scales; not where they differ."""
    rng, reps = np.random.default_rng(7), 200
    equal, other = [], []
    for _ in range(reps):
        rows = []
        for n_pos, n_neg, shift in ((25, 40, 1.0), (30, 30, 1.0), (30, 30, 0.0)):
            labels = np.repeat([1, 0], [n_pos, n_neg])
            rows.append((labels, np.exp(rng.normal(size=labels.size) + shift * labels)))
        (y, s), *rest = rows
        s = np.log(s)  # another scale, the same curve
        for (y2, s2), out in zip(rest, (equal, other), strict=True):
            found = rb.compare(y, s, s2, "likelihood", paired=False, y_true_2=y2)
            out.append(found.pvalue)
    for level in (0.1, 0.5):
        held = int(np.count_nonzero(np.array(equal) <= level))
        assert may_lie_in(held, reps, 0.7 * level, level + 0.02, 0.9999)
        wrong = int(np.count_nonzero(np.array(other) <= level))
        assert not may_lie_in(wrong, reps, 0.7 * level, level + 0.02, 0.9999)


def test_two_sets_whichever_comes_first() -> None:
    rng = np.random.default_rng(1)
    y, y2 = np.repeat([1, 0], [20, 35]), np.repeat([1, 0], [400, 90])
    s, s2 = rng.normal(size=55) + y, np.rint(rng.normal(size=490) * 2)
    one = rb.compare(y, s, s2, "likelihood", paired=False, y_true_2=y2)
    two = rb.compare(y2, s2, s, "likelihood", paired=False, y_true_2=y)
    turned = rb.compare(1 - y, -s, -s2, "likelihood", paired=False, y_true_2=1 - y2)
    for other in (two, turned):
        assert other.statistic == pytest.approx(one.statistic, abs=1e-8)
        assert other.pvalue == one.pvalue
    assert two.difference.estimate == pytest.approx(-one.difference.estimate)
