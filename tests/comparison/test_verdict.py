"""Test and interval of a comparison agree, mirror each other, and are nested in the level."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.stats import t as student

import rocbands as rb
from rocbands.comparison import DeLongTest
from rocbands.comparison.delong import FEW_CASES, FEW_OUT_OF_ORDER, NO_SPREAD, ScoreDifference
from rocbands.core.score_variance import ScoreVariance, find_ends, score_limits
from tests.oracles.compare import split, win

LEVELS = (0.5, 0.9, 0.95, 0.99)
Y = np.repeat([1, 0], [6, 12])
ONE = [9, 8, 7, 6.5, 4, 2.5, 6, 5, 3, 2, 1.5, 1, 0.9, 0.8, 0.5, 0.4, 0.3, 0.1]
TWO = [8, 3, 5, 2.2, 1.2, 0.6, 7, 4, 3.5, 2.5, 2, 1.8, 1.1, 0.7, 0.45, 0.35, 0.2, 0.05]


def draw_rows(seed: int, *, clusters: bool = False) -> rb.Sample:
    """Two models of few cases: tied or not, nearly the same or not, near AUC 1 or not."""
    rng = np.random.default_rng(seed)
    n_pos, n_neg = (int(n) for n in rng.choice([2, 3, 5, 10, 30], 2))
    y = rng.permutation(np.repeat([1, 0], [n_pos, n_neg]))
    common = rng.normal(size=y.size) * rng.choice([0.0, 1.0, 5.0])
    models = rng.normal(size=(2, y.size)) + common + rng.uniform(0, 3, (2, 1)) * y
    step = rng.choice([0.0, 0.5, 1.5])
    models = np.rint(models / step) if step else models
    codes = rng.integers(0, max(y.size // 2, 3), y.size) if clusters else None
    if codes is not None:  # at least two clusters of each class
        for label in (0, 1):
            codes[np.flatnonzero(y == label)[:2]] = 0, 1
    return rb.Sample(y, dict(zip("ab", models, strict=True)), clusters=codes)


def excludes(found: rb.results.Comparison) -> bool:
    null = -(found.margin or 0.0)
    return not found.low <= null <= found.high


def ways(**more):
    for side, level in itertools.product(("two-sided", "less", "greater"), LEVELS):
        yield {"alternative": side, "level": level, **more}
    for margin, level in itertools.product((0.02, 0.2), LEVELS):
        yield {"margin": margin, "level": level, **more}


def test_numbers_by_hand() -> None:
    found = rb.compare(Y, ONE, TWO)
    assert found.estimates == pytest.approx((0.930556, 0.694444), abs=1e-6)
    assert found.standard_error == pytest.approx(0.0889914, abs=1e-7)
    assert (found.df, found.statistic) == pytest.approx((12.661998, 2.653190), abs=1e-6)
    assert found.pvalue == pytest.approx(0.020261, abs=1e-6)
    assert (found.low, found.high) == pytest.approx((0.043334, 0.429809), abs=1e-6)
    assert found.notes == (FEW_CASES,)
    plain = rb.compare(Y, ONE, TWO, method=DeLongTest())
    assert plain.pvalue == pytest.approx(0.007974, abs=1e-6)
    assert plain.df is None


def test_student_with_satterthwaite_by_all_pairs() -> None:
    for seed in range(20):
        sample = draw_rows(seed)
        y, models = sample.is_positive.astype(int).tolist(), [sample[m].values for m in "ab"]
        tables = []
        for scores in models:
            pos, neg = split(y, scores.tolist())
            tables.append(np.array([[float(win(p, q)) for q in neg] for p in pos]))
        gap = tables[0] - tables[1]
        of_pos, of_neg = (gap.mean(axis=k).var(ddof=1) / gap.shape[1 - k] for k in (1, 0))
        found = rb.compare(sample)
        if of_pos + of_neg < 1e-12:
            continue
        m, n = gap.shape
        df = (of_pos + of_neg) ** 2 / (of_pos**2 / (m - 1) + of_neg**2 / (n - 1))
        t = gap.mean() / np.sqrt(of_pos + of_neg)
        assert found.df == pytest.approx(df)
        assert found.pvalue == pytest.approx(2 * student.sf(abs(t), df))
        for side, sign in (("greater", 1), ("less", -1)):
            one = rb.compare(sample, alternative=side)
            assert one.pvalue == pytest.approx(student.sf(sign * t, df))


def check_all_ways(method, *data, **more) -> None:
    for how in ways(**more):
        found = rb.compare(*data, method=method, **how)
        # Shares of draws may be 1 - level exactly, which rounding must not turn into less.
        assert (found.pvalue < 1.0 - how["level"] - 1e-12) == excludes(found), how
        assert not any("disagree" in note for note in found.notes)


@pytest.mark.parametrize("seed", range(24))
def test_pvalue_and_limits_agree(seed: int) -> None:
    check_all_ways("delong", draw_rows(seed))
    check_all_ways(DeLongTest(), draw_rows(seed))
    check_all_ways("delong", draw_rows(seed, clusters=True))
    one, two = draw_rows(seed)["a"], draw_rows(seed + 1000)["b"]
    check_all_ways("delong", one, two)
    check_all_ways(DeLongTest(), one, two)


@pytest.mark.parametrize("method", ["bootstrap", "bootstrap-t"])
@pytest.mark.parametrize("seed", range(6))
def test_pvalue_and_limits_of_resamples_agree(method: str, seed: int) -> None:
    for n_resamples in (200, 399):  # the tail is a whole number of draws, or not
        check_all_ways(method, draw_rows(seed), n_resamples=n_resamples)
    one, two = draw_rows(seed)["a"], draw_rows(seed + 1000)["b"]
    check_all_ways(method, one, two, n_resamples=200)


def test_equal_draws_agree_with_the_limits() -> None:
    """Few levels: many resamples have a difference of exactly 0."""
    y = np.repeat([1, 0], [4, 4])
    for seed in range(10):
        one, two = np.random.default_rng(seed).integers(0, 2, (2, 8))
        for method in ("bootstrap", "bootstrap-t"):
            check_all_ways(method, y, one, two, n_resamples=200)


def turn(sample: rb.Sample) -> rb.Sample:
    """The classes exchanged."""
    return rb.Sample(1 - sample.is_positive, {m: sample[m].values for m in sample})


@pytest.mark.parametrize("seed", range(12))
def test_exchanged_models_and_classes(seed: int) -> None:
    sample = draw_rows(seed)
    one, two = draw_rows(seed)["a"], draw_rows(seed + 1000)["b"]
    other = {"less": "greater", "greater": "less", "two-sided": "two-sided"}
    for side, level in itertools.product(other, LEVELS):
        for first, second in (
            ((sample,), (sample[["b", "a"]],)),
            ((sample,), (turn(sample),)),
            ((one, two), (two, one)),
            ((one, two), (turn(one), turn(two))),
        ):
            here = rb.compare(*first, alternative=side, level=level)
            there = rb.compare(*second, alternative=other[side], level=level)
            assert here.pvalue == pytest.approx(there.pvalue, abs=1e-12)
            assert (here.low, here.high) == pytest.approx((-there.high, -there.low), abs=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_limits_are_nested_in_the_level(seed: int) -> None:
    one, two = draw_rows(seed)["a"], draw_rows(seed + 1000)["b"]
    levels = np.concatenate((np.linspace(0.5, 0.99, 50), 1 - np.logspace(-3, -9, 7)))
    for data, side in itertools.product(((draw_rows(seed),), (one, two)), ("two-sided", "less")):
        found = [rb.compare(*data, level=level, alternative=side) for level in levels]
        assert (np.diff([each.low for each in found]) <= 1e-12).all()
        assert (np.diff([each.high for each in found]) >= -1e-12).all()
        assert len({each.pvalue for each in found}) == 1


def test_two_sets_invert_their_limits() -> None:
    """Bisection on the level, instead of the method's own search."""
    for seed in range(8):
        data = draw_rows(seed)["a"], draw_rows(seed + 1000)["b"]
        found = rb.compare(*data)
        low, high = 1e-9, 1 - 1e-9
        for _ in range(50):
            middle = (low + high) / 2
            outside = excludes(rb.compare(*data, level=middle))
            low, high = (middle, high) if outside else (low, middle)
        assert found.pvalue == pytest.approx(1 - high, abs=2e-9)


def test_far_tails_are_found() -> None:
    sure = ScoreDifference((0.99, 0.5), (ScoreVariance(1e-3, np.inf),) * 2)
    for null in (0.0, -0.2, 0.3):
        below, above = sure.find_tails(null)
        assert 0.0 < above < 1e-6
        assert below == pytest.approx(1.0)
        assert sure.limits(above)[0] == pytest.approx(null, abs=1e-9)
    below, above = ScoreDifference((0.5, 0.5), (ScoreVariance(0.1, 5.0),) * 2).find_tails(0.0)
    assert (below, above) == (0.5, 0.5)


def test_plain_ends_are_the_score_limits() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        auc, unit, df = rng.choice([0.0, 0.3, 0.9, 1.0]), rng.uniform(0, 2), rng.uniform(1, 50)
        tail = 10.0 ** -rng.uniform(0.4, 12)
        expected = score_limits(auc, ScoreVariance(unit, df), tail)
        assert find_ends(auc, unit, student.isf(tail, df)) == pytest.approx(expected, abs=1e-9)


def test_what_keeps_its_normal_distribution() -> None:
    """A bound in place of a standard error has no degrees of freedom."""
    y = np.repeat([1, 0], [20, 30])
    perfect = y + np.linspace(0, 0.5, 50)
    found = rb.compare(y, perfect, np.zeros(50))
    assert (found.notes[1:], found.df) == ((NO_SPREAD, FEW_OUT_OF_ORDER), None)
    assert excludes(found) == (found.pvalue < 0.05)
    check_all_ways("delong", y, perfect, np.zeros(50))
    check_all_ways("delong", y, perfect, y - np.linspace(0, 0.5, 50))
    check_all_ways("delong", y, perfect, 2 * perfect)
