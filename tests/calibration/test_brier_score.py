"""Brier score: equal to scikit-learn's, with limits whose coverage is measured."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, stdtrit
from sklearn.metrics import brier_score_loss

import rocbands as rb
from rocbands._math.binomial import wilson_limits


@pytest.fixture(scope="module")
def sample():
    return rb.load_example()["logistic"]


def test_estimate_is_that_of_scikit_learn(sample):
    found = rb.brier_score_interval(sample)
    assert found.estimate == pytest.approx(brier_score_loss(sample.is_positive, sample.values))
    weights = np.random.default_rng(0).uniform(0.5, 3.0, sample.n)
    weighted = rb.Sample(sample.is_positive, sample.values, weights=weights)
    expected = brier_score_loss(sample.is_positive, sample.values, sample_weight=weights)
    assert rb.brier_score_interval(weighted).estimate == pytest.approx(expected)


def test_standard_error_is_that_of_a_mean(sample):
    errors = (sample.values - sample.is_positive) ** 2
    expected = errors.std(ddof=1) / np.sqrt(errors.size)
    assert rb.brier_score_interval(sample).standard_error == pytest.approx(expected)


def test_hard_predictions_have_wilson_limits_of_a_proportion():
    y = np.arange(5000) % 2 == 0
    score = np.where(np.arange(5000) < 600, ~y, y).astype(float)
    found = rb.brier_score_interval(y, score)
    low, high = wilson_limits(np.array([0.12]), 5000, 0.95)
    assert found.estimate == pytest.approx(0.12)
    assert (found.low, found.high) == pytest.approx((low[0], high[0]), rel=1e-3)


def test_designs(sample):
    plain = rb.brier_score_interval(sample)
    own = np.arange(sample.n)
    alone = rb.brier_score_interval(rb.Sample(sample.is_positive, sample.values, clusters=own))
    assert (alone.low, alone.high) == pytest.approx((plain.low, plain.high))
    doubled = rb.Sample(
        np.tile(sample.is_positive, 2), np.tile(sample.values, 2), clusters=np.tile(own, 2)
    )
    twice = rb.brier_score_interval(doubled)  # repeated rows tell nothing new
    assert (twice.low, twice.high) == pytest.approx((plain.low, plain.high))
    folds = rb.Sample(sample.is_positive, sample.values, folds=own % 5)
    assert rb.brier_score_interval(folds).estimate == pytest.approx(plain.estimate)
    counts = rb.ScoreCounts.from_arrays(sample.is_positive, {"a": sample.values}, exact=True)
    assert rb.brier_score_interval(counts).high == pytest.approx(plain.high)
    two = rb.Sample(sample.is_positive, sample.values, weights=np.full(sample.n, 7.0))
    assert rb.brier_score_interval(two).low == pytest.approx(plain.low)


def test_weights_by_class_are_those_of_rows(sample):
    weights = np.where(sample.is_positive, 0.1, 1.0)
    data = {"weights": weights, "clusters": np.arange(sample.n)}
    found = rb.brier_score_interval(rb.Sample(sample.is_positive, sample.values, **data))
    errors = (sample.values - sample.is_positive) ** 2
    assert found.estimate == pytest.approx(np.average(errors, weights=weights))
    sums = weights * (errors - found.estimate) / weights.sum()
    n = weights.sum() ** 2 / (weights**2).sum()  # Kish's number of rows
    assert found.standard_error == pytest.approx(np.sqrt((sums**2).sum() * n / (n - 1)))


def test_what_it_cannot_use_is_refused(sample):
    with pytest.raises(rb.InputError, match="between 0 and 1; got"):
        rb.brier_score_interval(sample.is_positive, 5.0 * sample.values)
    with pytest.raises(rb.InputError, match="bins"):
        rb.brier_score_interval(rb.ScoreCounts.from_arrays(sample.is_positive, sample.values))


@pytest.mark.parametrize("given", ["w", "g", "wg", "gh", "wgh", "h"])
def test_standard_error_and_limits_by_hand(sample, given):
    """Sums over clusters, within strata: explicit loops, and Wilson's limits."""
    rng = np.random.default_rng(3)
    y, score = sample.is_positive[:90], sample.values[:90]
    w = rng.uniform(0.3, 3.0, 90) if "w" in given else np.ones(90)
    cluster = rng.integers(0, 25, 90) if "g" in given else np.arange(90)
    stratum = cluster % 4 if "h" in given else np.zeros(90, dtype=int)
    columns = {"weights": w, "clusters": cluster, "strata": stratum}
    names = {"w": "weights", "g": "clusters", "h": "strata"}
    found = rb.brier_score_interval(
        rb.Sample(y, score, **{names[key]: columns[names[key]] for key in given})
    )
    mean = np.average((score - y) ** 2, weights=w)
    sums, size, place = {}, {}, {}
    for i in range(90):
        own = int(cluster[i])
        sums[own] = sums.get(own, 0.0) + w[i] / w.sum() * ((score[i] - y[i]) ** 2 - mean)
        size[own] = size.get(own, 0.0) + w[i] / w.sum()
        place[own] = int(stratum[i])
    total, n_clusters, strata = 0.0, len(sums), set(place.values())
    for one in strata:
        own = [sums[g] for g in sums if place[g] == one]
        if len(strata) == 1:
            total += sum(z * z for z in own)
        else:
            factor = len(own) / (len(own) - 1) * (n_clusters - 1) / n_clusters
            total += factor * sum((z - np.mean(own)) ** 2 for z in own)
    kish = 1 / sum(s**2 for s in size.values())
    variance = total * kish / (kish - 1)
    assert found.standard_error == pytest.approx(np.sqrt(variance), rel=1e-12)
    fourth = sum(s**2 for s in size.values()) ** 2 / sum(s**4 for s in size.values())
    df = (np.sqrt(kish * min(kish, fourth)) - 1) * (n_clusters - len(strata)) / (n_clusters - 1)
    unit = (kish * variance + 1 / kish) / (kish * mean * (1 - mean) + 1)
    for limit in (found.low, found.high):
        reach = -stdtrit(df, 0.025) * np.sqrt(unit * limit * (1 - limit))
        assert abs(limit - mean) == pytest.approx(reach, rel=1e-9)
    assert any("count like" in note for note in found.notes)


def test_clusters_of_folds_are_those_of_the_rows(sample):
    """The folds of clusters do not matter: scores are probabilities."""
    cluster = np.arange(sample.n) // 4
    folds = sample.replace(clusters=cluster, folds=cluster % 5, weights=1.0 + cluster % 3)
    plain = sample.replace(clusters=cluster, weights=1.0 + cluster % 3)
    one, two = map(rb.brier_score_interval, (folds, plain))
    assert (one.low, one.high) == pytest.approx((two.low, two.high), abs=1e-13)


@given(
    st.lists(st.tuples(st.booleans(), st.floats(0, 1)), min_size=2, max_size=30).filter(
        lambda rows: len({y for y, _ in rows}) == 2
    )
)
def test_limits_lie_around_the_estimate_in_the_unit_interval(rows):
    y, score = zip(*rows, strict=True)
    wide, narrow = (rb.brier_score_interval(y, score, level=level) for level in (0.99, 0.8))
    assert 0.0 <= wide.low <= narrow.low <= narrow.estimate <= narrow.high <= wide.high <= 1.0
    assert wide.low < wide.high


def _draw(rng, kind, n):
    x = rng.normal(size=n)
    slope, shift = {"mild": (1.5, -0.5), "sharp": (10.0, -1.0), "rare": (1.5, -4.0)}[kind]
    chance = expit(shift + slope * x)
    return rng.random(n) < chance, chance


def _truth(kind):
    x = np.linspace(-8, 8, 200_001)
    slope, shift = {"mild": (1.5, -0.5), "sharp": (10.0, -1.0), "rare": (1.5, -4.0)}[kind]
    chance, density = expit(shift + slope * x), np.exp(-x * x / 2)
    return float((chance * (1 - chance) * density).sum() / density.sum())


@pytest.mark.simulation
@pytest.mark.parametrize(("kind", "n"), [("mild", 30), ("sharp", 50), ("rare", 80)])
def test_coverage_and_plain_limits_as_control(kind, n):
    """At least .93 of 600 intervals cover; plus and minus t standard errors is far below."""
    rng, true = np.random.default_rng(7), _truth(kind)
    covered = plain = drawn = 0
    while drawn < 600:
        y, score = _draw(rng, kind, n)
        if y.all() or not y.any():
            continue
        drawn += 1
        found = rb.brier_score_interval(y, score)
        covered += found.low <= true <= found.high
        half = -stdtrit(n - 1, 0.025) * found.standard_error
        plain += abs(found.estimate - true) <= half
    assert covered >= 558
    assert plain < covered
    if kind != "mild":
        assert plain < 550


@pytest.mark.simulation
def test_coverage_with_clusters_and_weights():
    """Clusters of three rows that share their label; weights from 0.2 to 5."""
    rng = np.random.default_rng(8)
    covered = {"clusters": 0, "weights": 0, "ignored": 0}
    true = _truth("mild")
    for _ in range(600):
        y, score = _draw(rng, "mild", 40)
        y[:2] = True, False
        three = rb.Sample(
            np.repeat(y, 3), np.repeat(score, 3), clusters=np.repeat(np.arange(40), 3)
        )
        weights = rng.uniform(0.2, 5.0, 40)
        for name, data in {
            "clusters": three,
            "weights": rb.Sample(y, score, weights=weights),
            "ignored": three.replace(clusters=None),
        }.items():
            found = rb.brier_score_interval(data)
            covered[name] += found.low <= true <= found.high
    assert covered["clusters"] >= 558
    assert covered["weights"] >= 558
    assert covered["ignored"] < 500  # control: dependent rows taken as independent
