"""Two-sided curves: rules with a lower and an upper threshold."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rocbands as rb
from rocbands.two_sided.curve import _SHARES, _areas, find_rules, measure_area
from tests.oracles import two_sided as oracle


def draw(seed: int, n_pos: int, n_neg: int, digits: int = 9) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], [n_pos, n_neg])
    return y, np.round(rng.normal(size=y.size) * np.where(y, 2.0, 1.0), digits)


@pytest.mark.parametrize("digits", [9, 0])
@pytest.mark.parametrize("seed", range(6))
def test_rules_are_the_best_of_all_pairs(seed: int, digits: int) -> None:
    y, s = draw(seed, 6 + seed, 9, digits)
    best = oracle.rules(y.tolist(), s.tolist())
    fp, tp, low, high = find_rules(rb.roc_curve(y, s))
    for k, count in best.items():
        assert tp[fp <= k].max(initial=0) == count
    for f, t, a, b in zip(fp, tp, low, high, strict=True):
        called = (s <= a) | (s >= b)
        assert (np.sum(called & (y == 0)), np.sum(called & (y == 1))) == (f, t)


@pytest.mark.parametrize("seed", range(6))
def test_the_area_is_that_of_all_pairs(seed: int) -> None:
    y, s = draw(seed, 7, 5 + seed)
    expected = oracle.area(y.tolist(), s.tolist())
    assert measure_area(rb.roc_curve(y, s)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("digits", [9, 0])
def test_areas_of_all_shares_are_those_of_a_separate_program(digits: int) -> None:
    y, s = draw(3, 12, 17, digits)
    roc = rb.roc_curve(y, s)
    pos, neg = (np.diff(side, prepend=0)[None] for side in (roc.tp, roc.fp))
    expected = [oracle.split_area(y.tolist(), s.tolist(), g) for g in _SHARES]
    np.testing.assert_allclose(_areas(pos, neg)[0], expected, atol=1e-12)


def test_many_rows_have_rules_on_a_grid_of_the_same_area() -> None:
    y, s = draw(1, 300, 400)
    expected = oracle_area_of_many(y, s)
    assert measure_area(rb.roc_curve(y, s)) == pytest.approx(expected, abs=1e-3)


def oracle_area_of_many(y: np.ndarray, s: np.ndarray) -> float:
    pos, neg = s[y == 1], np.sort(s[y == 0])
    below = np.array([np.sum(pos < one) for one in neg])
    above = np.array([np.sum(pos > one) for one in neg[::-1]])
    tops = [max(below[i] + above[k - i] for i in range(k + 1)) for k in range(neg.size)]
    return float(np.mean(tops)) / pos.size


@pytest.mark.parametrize("digits", [9, 0])
def test_symmetries(digits: int) -> None:
    """Swapped ends, other units, and never below the one-sided rules."""
    y, s = draw(5, 40, 30, digits)
    found, turned, scaled = (rb.two_sided_curve(y, x, rng=1) for x in (s, -s, 5 * s + 2))
    assert found.area == pytest.approx(turned.area)
    assert found.auc == pytest.approx(turned.auc)
    assert (found.area, found.low, found.pvalue) == (scaled.area, scaled.low, scaled.pvalue)
    np.testing.assert_allclose(5 * found.threshold_lower + 2, scaled.threshold_lower)
    assert found.area >= found.auc - 1e-12
    assert 0.5 <= found.low <= found.estimate <= found.high <= 1.0


def test_a_marker_with_two_sides_and_one_with_one() -> None:
    y, s = draw(7, 200, 200)
    both = rb.two_sided_curve(y, 3 + 1.5 * s)
    assert both.pvalue < 0.001
    assert both.low > both.auc
    assert "at most" in both.sentence
    assert "better than one with a single side" in both.sentence
    one = rb.two_sided_curve(y, s + 4 * y)
    assert one.pvalue > 0.4
    assert "may be chance" in one.sentence
    assert one.low <= rb.auc_interval(y, s + 4 * y).estimate <= one.high


@pytest.mark.parametrize("sizes", [(4, 4), (5, 300), (300, 5)])
@pytest.mark.parametrize("kind", ["apart", "tied", "infinite"])
def test_extremes_stay_in_range(sizes: tuple[int, int], kind: str) -> None:
    y = np.repeat([1, 0], sizes)
    s = np.where(np.arange(y.size) % 2, 9.0, -9.0) * y + np.linspace(0.0, 1.0, y.size) * (1 - y)
    s = {"apart": s, "tied": np.zeros(y.size), "infinite": np.where(y == 1, math.inf, s)}[kind]
    found = rb.two_sided_curve(y, s, n_resamples=50)
    assert 0.5 <= found.low < found.high <= 1.0
    assert 0.0 <= found.pvalue <= 1.0
    assert (found.fpr[-1], found.tpr[-1]) == (1.0, 1.0)
    assert found.area == pytest.approx(0.5 if kind == "tied" else 1.0)
    assert found.high == 1.0 or kind == "tied"


def test_refusals() -> None:
    with pytest.raises(rb.InputError, match=r"at least 4 rows of each class.*3 positives"):
        rb.two_sided_curve([1, 1, 1, 0, 0, 0, 0], [1, 2, 3, 4, 5, 6, 7])
    sample = rb.load_example()["logistic"]
    for design in ("clusters", "weights", "strata", "folds"):
        with pytest.raises(rb.InputError, match=design):
            rb.two_sided_curve(sample.replace(**{design: 1.0 + np.arange(sample.n) // 2 % 9}))


def test_seeds_repeat_the_numbers() -> None:
    y, s = draw(2, 30, 30)
    order = np.random.default_rng(1).permutation(y.size)
    found, again = rb.two_sided_curve(y, s), rb.two_sided_curve(y[order], s[order])
    assert found.to_json() == again.to_json()
    assert rb.two_sided_curve(y, s, rng=3).low == rb.two_sided_curve(y, s, rng=3).low


def test_the_picture_has_both_curves() -> None:
    y, s = draw(2, 30, 30)
    axes = rb.two_sided_curve(y, s).plot(label="marker")
    texts = [text.get_text() for text in axes.get_legend().get_texts()]
    assert [text.partition(" (")[0] for text in texts] == [
        "marker, high alone",
        "marker, low or high",
    ]
