"""Many models at once: the joint test, simultaneous limits, adjusted p-values."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.special import chdtrc, ndtri

import rocbands as rb
from rocbands.resample.gaussian_maximum import DrawnMaxima
from rocbands.resample.sign_flips import SignFlips
from tests.comparison.test_delong import SIM, Y
from tests.judge import may_lie_in

MODELS = {"a": SIM["s1"], "b": SIM["s2"], "c": SIM["s1"] + SIM["s2"]}


def raised_errors(many: rb.results.Comparisons) -> np.ndarray:
    """Standard errors with a share (9 / m)^2 of the largest variance of m cases, in each model."""
    a = many.estimates.mean()
    more = 2 * 81 * a * (1 - a) * (many.n_pos**-3.0 + many.n_neg**-3.0)
    return np.where(many.standard_errors > 0, np.sqrt(many.standard_errors**2 + more), 0.0)


@pytest.mark.parametrize("design", ["rows", "clusters", "few", "tied"])
def test_two_models_have_the_numbers_of_compare(design: str) -> None:
    """One comparison has one answer, in `compare`, in `compare_many` and in the report."""
    clusters = np.arange(Y.size) // 3 if design == "clusters" else None
    rows = np.r_[np.flatnonzero(Y == 1)[:9], np.flatnonzero(Y == 0)[:30]]
    take = rows if design == "few" else slice(None)
    y, a, b = (np.asarray(column)[take] for column in (Y, MODELS["a"], MODELS["b"]))
    if design == "tied":
        a, b = a.round(1), b.round(1)
    for level in (0.95, 0.8):
        pair = rb.compare(rb.Sample(y, {"a": a, "b": b}, clusters=clusters), level=level)
        many = rb.compare_many(rb.Sample(y, {"a": a, "b": b}, clusters=clusters), level=level)
        assert (many.differences[0], many.lower[0], many.upper[0]) == (
            pair.difference, pair.low, pair.high,
        )  # fmt: skip
        assert many.raw_pvalues[0] == many.pvalues[0] == many.pvalue == pair.pvalue
        assert many.standard_errors[0] == pair.standard_error
        assert tuple(many.estimates) == pair.estimates
        assert many.notes == pair.notes
        assert many.df == 1
        assert many.statistic == pytest.approx(pair.statistic**2)
        assert np.diag(many.covariance).min() > 0.0
    # Nothing is drawn.
    assert (
        rb.compare_many(rb.Sample(y, {"a": a, "b": b}), rng=3).pvalue == rb.compare(y, a, b).pvalue
    )


def test_two_models_have_the_numbers_of_compare_in_the_report() -> None:
    sample = rb.load_example()
    pair = rb.compare(sample)
    told = rb.report(sample, path=None).payload["comparison"]["pairs"][0]
    for name in ("difference", "low", "high", "pvalue"):
        assert told[name] == pytest.approx(getattr(pair, name), rel=1e-3), name
    assert told["adjusted_pvalue"] == told["pvalue"]


def test_joint_test_by_contrasts() -> None:
    many = rb.compare_many(rb.Sample(Y, MODELS))
    contrast = np.array([[1, -1, 0], [0, 1, -1]])
    gap = contrast @ many.estimates
    expected = gap @ np.linalg.inv(contrast @ many.covariance @ contrast.T) @ gap
    assert (many.statistic, many.df) == (pytest.approx(expected), 2)
    # F with two degrees of freedom has a distribution function in closed form; with 200 cases of
    # the rarer class the drawn tail is close to it.
    f = many.df_error
    assert many.pvalue == pytest.approx((1 + expected / (f + 1)) ** (-f / 2), rel=0.15)
    # Beyond the draws it goes on.
    better = {**MODELS, "d": SIM["s2"] - 2.0 * Y}
    far = rb.compare_many(rb.Sample(Y, better))
    assert 0.0 < far.pvalue < 1e-20
    assert (far.pvalues > 0.0).all()


def test_flipped_signs_one_by_one() -> None:
    """Every pattern of signs, by plain sums of centred products, for a class of three and of two."""
    rng = np.random.default_rng(4)
    pos, neg = rng.normal(size=(3, 4)) / 3, rng.normal(size=(2, 4)) / 2
    by = rng.normal(size=(2, 4, 2))
    for shared in (False, True):
        if shared:
            neg = rng.normal(size=(3, 4)) / 3
        lost = np.array([[1 / 2, shared / 2], [shared / 2, 1 / (len(neg) - 1)]])
        flips = SignFlips.from_residuals(pos, neg, 1 + lost, lost, shared=shared)
        for signs in itertools.product((-1.0, 1.0), repeat=3 if shared else 5):
            row = np.array(signs)
            one = (row[:3, None] * pos) @ by[0]
            two = ((row if shared else row[3:])[:, None] * neg) @ by[1]
            centred = [side - side.mean(axis=0) for side in (one, two)]
            covariance = sum(len(c) / (len(c) - 1) * c.T @ c for c in centred)
            if shared:
                across = 3 / 2 * centred[0].T @ centred[1]
                covariance = covariance + across + across.T
            gap = one.sum(axis=0) + two.sum(axis=0)
            sums = one_sum, two_sum = (
                (row[:3] @ pos)[None],
                ((row if shared else row[3:]) @ neg)[None],
            )
            assert one_sum.shape == two_sum.shape == (1, 4)
            for added in (0.0, 0.3):
                raised = covariance + added * np.eye(2)
                t = np.abs(gap) / np.sqrt(np.diag(raised))
                assert flips.student(sums, tuple(by), added)[0] == pytest.approx(t)
                t2 = gap @ np.linalg.solve(raised, gap)
                found = flips.hotelling(sums, tuple(by), added * np.eye(2))
                assert found[0] == pytest.approx(t2)


@pytest.mark.simulation
def test_drawn_sums_have_the_moments_of_the_residuals() -> None:
    """Units beyond the largest are normal: all second moments stay, and signs are fair."""
    rng = np.random.default_rng(5)
    pos, neg = rng.standard_t(3, size=(90, 2)) / 90, rng.standard_t(3, size=(150, 2)) / 150
    lost = np.diag([1 / 89, 1 / 149])
    flips = SignFlips.from_residuals(pos, neg, 1 + lost, lost, shared=False)
    assert len(flips.heavy) == 128
    p, q = flips.draw(100_000, rng)
    for drawn, rows in ((p, pos), (q, neg)):
        assert np.cov(drawn.T) == pytest.approx(rows.T @ rows, rel=0.03, abs=2e-4)
        assert drawn.mean(axis=0) == pytest.approx(0.0, abs=4 * drawn.std() / 100_000**0.5)


def test_identical_models_among_three() -> None:
    two = rb.compare_many(rb.Sample(Y, {"a": MODELS["a"], "b": MODELS["b"]}))
    three = rb.compare_many(
        rb.Sample(Y, {"a": MODELS["a"], "b": MODELS["b"], "twin": MODELS["a"] * 2})
    )
    assert (three.df, three.statistic) == (1, pytest.approx(two.statistic))
    assert three.pvalue == pytest.approx(two.pvalue, rel=0.15)
    assert three.pvalues[1] == 1.0
    assert (three.lower[1], three.upper[1]) == (0.0, 0.0)
    assert any("generalised inverse" in note for note in three.notes)
    same = rb.compare_many(rb.Sample(Y, dict.fromkeys("xyz", MODELS["a"])))
    assert (same.df, same.statistic, same.pvalue) == (0, 0.0, 1.0)


def test_differences_without_variance() -> None:
    labels = np.repeat([1, 0], [10, 10])
    models = {"perfect": labels * 2.0, "constant": np.zeros(20), "wrong": -labels * 1.0}
    many = rb.compare_many(rb.Sample(labels, models))
    assert many.pvalue == many.pvalues.min() > 0
    assert (many.upper - many.lower > 0.1).all()


def test_adjusted_pvalues_by_hand() -> None:
    drawn = DrawnMaxima.from_draws(np.array([3.0, 1.0, 2.0, 5.0]))
    values, beyond = np.array([0.5, 2.0, 2.5, 6.0]), np.array([0.9, 0.9, 0.9, 0.01])
    assert drawn.find_pvalues(values, beyond) == pytest.approx([1.0, 0.75, 0.5, 0.01])
    for level in (0.1, 0.25, 0.5, 0.75):
        far = values > drawn.find_critical_value(level)
        assert (far == (drawn.find_pvalues(values, beyond) < 1 - level)).all()


@pytest.mark.parametrize("seed", range(12))
def test_adjusted_pvalues_and_limits_agree(seed: int) -> None:
    """Few cases, tied scores, clusters, models that are nearly or quite the same."""
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], rng.choice([4, 6, 10, 40], 2))
    k = int(rng.choice([3, 5]))
    scores = rng.normal(size=(k, y.size)) + rng.normal(size=y.size) + rng.uniform(0, 3, (k, 1)) * y
    scores = np.rint(2 * scores) if seed % 3 == 0 else scores
    if seed % 4 == 0:
        scores[1] = 2 * scores[0]
    clusters = np.arange(y.size) // 2 if seed % 5 == 0 else None
    sample = rb.Sample(y, dict(zip("abcde", scores, strict=False)), clusters=clusters)
    lower = []
    for level in (0.5, 0.8, 0.9, 0.95, 0.99):
        many = rb.compare_many(sample, level=level, n_resamples=500)
        out = (many.lower > 0) | (many.upper < 0)
        assert (out == (many.pvalues < 1 - level - 1e-12)).all()
        assert (many.raw_pvalues <= many.pvalues).all()
        lower.append(many.lower)
        turned = rb.compare_many(sample[list(sample)[::-1]], level=level, n_resamples=500)
        last = len(many.names) - 1
        place = [turned.pairs.index((last - j, last - i)) for i, j in many.pairs]
        assert turned.pvalues[place] == pytest.approx(many.pvalues)
        assert -turned.upper[place] == pytest.approx(many.lower)
    assert (np.diff(lower, axis=0) <= 1e-12).all()  # nested in the level


def test_limits_reach_between_one_and_all_pairs() -> None:
    many = rb.compare_many(rb.Sample(Y, MODELS), rng=1)
    assert 1.96 < many.critical_value < 2.41  # alone; Bonferroni for three
    # On the side of 0, where 0 is left out; on the other side, and beyond 0, at least as far.
    reach = many.critical_value * many.standard_errors
    assert (raised_errors(many) < 1.02 * many.standard_errors).all()  # so many cases
    shown = np.abs(many.differences) > reach
    assert shown.tolist() == [True, False, True]
    near = np.where(many.differences > 0, many.lower, many.upper)
    edge = many.differences - np.sign(many.differences) * reach
    assert near[shown] == pytest.approx(edge[shown], rel=0.03)
    assert ((many.lower <= 0) & (many.upper >= 0)).tolist() == (~shown).tolist()
    assert (many.upper - many.lower >= 2 * reach - 1e-12).all()
    assert rb.compare_many(rb.Sample(Y, MODELS), rng=1).critical_value == many.critical_value
    assert rb.compare_many(rb.Sample(Y, MODELS), rng=2).critical_value != many.critical_value
    # Uncorrelated equal models: the range of three normal variables, whose .95 point is 3.314.
    rng = np.random.default_rng(3)
    labels = np.repeat([1, 0], 20_000)
    alone = {name: rng.normal(size=40_000) for name in "abc"}
    reach = rb.compare_many(rb.Sample(labels, alone), rng=1).critical_value
    assert reach == pytest.approx(3.314 / math.sqrt(2), abs=0.03)


@pytest.mark.simulation
def test_simultaneous_intervals_hold_all_at_once() -> None:
    rng, reps, held, narrow = np.random.default_rng(4), 200, 0, 0
    labels = np.repeat([1, 0], [60, 60])
    for _ in range(reps):
        scores = rng.normal(size=(4, 120)) + labels + rng.normal(size=120)
        models = dict(zip("abcd", scores, strict=True))
        many = rb.compare_many(rb.Sample(labels, models), level=0.9, n_resamples=1000, rng=rng)
        held += bool(((many.lower <= 0) & (many.upper >= 0)).all())
        narrow += bool((np.abs(many.differences) <= 1.645 * many.standard_errors).all())
    assert may_lie_in(held, reps, 0.88, 0.93, 0.9999)
    assert not may_lie_in(narrow, reps, 0.88, 0.93, 0.9999)


def test_too_few_cases_for_a_joint_test() -> None:
    rng, labels = np.random.default_rng(1), np.repeat([1, 0], [5, 50])
    models = {str(k): rng.normal(size=55) + labels for k in range(6)}
    assert rb.compare_many(rb.Sample(labels, dict(list(models.items())[:4]))).df_error is not None
    many = rb.compare_many(rb.Sample(labels, models), rng=1)
    assert many.df_error is None
    assert many.pvalue == many.pvalues.min()  # that of the largest difference
    assert many.pvalue < 15 * many.raw_pvalues.min()  # all pairs at once, not Bonferroni's bound
    assert any("too few cases" in note for note in many.notes)


@pytest.mark.simulation
def test_few_positives_keep_the_level() -> None:
    """Five equal models, 10 + 200 cases; the chi-square test and normal limits reject too often."""
    rng, reps, found = np.random.default_rng(5), 250, np.zeros(4)
    labels = np.repeat([1, 0], [10, 200])
    for _ in range(reps):
        scores = rng.normal(size=210) * 0.6**0.5 + rng.normal(size=(5, 210)) * 0.4**0.5
        models = dict(zip("abcde", scores + 1.2 * labels, strict=True))
        many = rb.compare_many(rb.Sample(labels, models), n_resamples=1000, rng=rng)
        largest = np.abs(many.differences / many.standard_errors).max()
        found += [
            many.pvalue < 0.05,
            ((many.lower > 0) | (many.upper < 0)).any(),
            chdtrc(many.df, many.statistic) < 0.05,
            largest > 1.96,
        ]
    for right, wrong in zip(found[:2], found[2:], strict=True):
        assert may_lie_in(int(right), reps, 0.03, 0.07, 0.999)
        assert not may_lie_in(int(wrong), reps, 0.03, 0.07, 0.999)


@pytest.mark.simulation
def test_limits_hold_where_aucs_differ_near_one() -> None:
    """AUC .99 against .95, 10 + 200 cases: standard errors alone miss in a third of test sets."""
    rng, reps, missed = np.random.default_rng(8), 150, np.zeros(2)
    labels, shifts = np.repeat([1, 0], [10, 200]), np.sqrt(2) * ndtri([0.99, 0.95, 0.95])
    true = np.array([0.04, 0.04, 0.0])
    for _ in range(reps):
        scores = rng.normal(size=210) * 0.6**0.5 + rng.normal(size=(3, 210)) * 0.4**0.5
        models = dict(zip("abc", scores + shifts[:, None] * labels, strict=True))
        many = rb.compare_many(rb.Sample(labels, models), n_resamples=1000, rng=rng)
        off = np.abs(many.differences - true)
        missed += [
            ((many.lower > true) | (many.upper < true)).any(),
            (off > many.critical_value * many.standard_errors + 1e-12).any(),
        ]
    assert may_lie_in(int(missed[0]), reps, 0.0, 0.07, 0.999)
    assert not may_lie_in(int(missed[1]), reps, 0.0, 0.07, 0.999)


def test_clusters_widen() -> None:
    copied = [np.repeat(column, 2) for column in (Y, MODELS["a"], MODELS["b"], MODELS["c"])]
    models = dict(zip("abc", copied[1:], strict=True))
    once = rb.compare_many(rb.Sample(Y, MODELS))
    twice = rb.compare_many(rb.Sample(copied[0], models, clusters=np.repeat(np.arange(500), 2)))
    assert twice.covariance == pytest.approx(once.covariance, rel=0.01)
    blind = rb.compare_many(rb.Sample(copied[0], models))
    assert blind.covariance[0, 0] < 0.6 * once.covariance[0, 0]


def test_one_model_is_no_comparison() -> None:
    with pytest.raises(rb.InputError, match="at least two models"):
        rb.compare_many(rb.Sample(Y, {"a": MODELS["a"]}))


@pytest.mark.parametrize("seed", range(12))
def test_the_order_of_equal_rows_in_other_strata_changes_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    y, strata = np.r_[np.ones(8, int), np.zeros(12, int)], rng.integers(0, 2, 20)
    scores = {name: rng.integers(0, 3, 20).astype(float) for name in "abc"}
    order = rng.permutation(20)
    moved = {name: own[order] for name, own in scores.items()}
    one, two = (
        rb.compare_many(rb.Sample(labels, models, strata=codes), n_resamples=200)
        for labels, models, codes in ((y, scores, strata), (y[order], moved, strata[order]))
    )
    np.testing.assert_allclose(one.lower, two.lower, atol=1e-12)
    np.testing.assert_allclose(one.pvalues, two.pvalues, atol=1e-12)
