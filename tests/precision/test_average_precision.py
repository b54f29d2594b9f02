"""Average precision: scikit-learn's value, the published oracle numbers, and what limits promise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from scipy import stats
from scipy.special import ndtr

import rocbands as rb
from rocbands.precision.average_precision import (
    _Score,
    _Sums,
    average_precision,
    average_precision_difference,
    average_precision_interval,
)
from tests.strategies import labelled_scores


def curve(steps: list[tuple[int, int]]) -> rb.RocCurve:
    pos, neg = np.array(steps).T
    return rb.RocCurve.from_counts(-np.arange(len(steps)), fp=np.cumsum(neg), tp=np.cumsum(pos))


def example() -> rb.RocCurve:
    sample = rb.load_example()
    return rb.roc_curve(sample["logistic"])


PERFECT = [(1, 0)] * 3 + [(0, 1)] * 4
THIRD = [(0, 1)] * 2 + [(1, 0)] + [(0, 1)] * 7
TIED = [(2, 1), (1, 2), (1, 3)]

# Computed by an independent program.
ORACLE = {
    "example": (example, None, .844361241267, .843908162641, .795221452939, .882726519434),
    "perfect": (lambda: curve(PERFECT), None, 1.0, 1.0, .438502908642, 1.0),
    "one positive": (lambda: curve(THIRD), None, .333333333333, .2, .006618668893, .903665400017),
    "tied": (lambda: curve(TIED), None, .558333333333, .505741626794, .130670367869, .874459716109),
}  # fmt: skip


@pytest.mark.parametrize("name", ORACLE)
def test_oracle_numbers(name: str) -> None:
    make, prevalence, ap, half, low, high = ORACLE[name]
    roc = make()
    found = average_precision_interval(roc, prevalence=prevalence)
    assert found.estimate == pytest.approx(ap, abs=1e-11)
    assert _Sums(roc, prevalence).half_case_sum == pytest.approx(half, abs=1e-11)
    assert (found.low, found.high) == (
        pytest.approx(low, abs=1e-10),
        pytest.approx(high, abs=1e-10),
    )


def limits_by_hand(
    roc: rb.RocCurve, prevalence: float, *, enriched: bool = True, few: bool = True
) -> list[float]:
    """Limits at .95, row by row; `enriched=False`: as if each negative were one of its population."""
    m, n = roc.n_pos, roc.n_neg
    times = (1 - prevalence) * m / (prevalence * n)
    steps = list(zip(np.diff(roc.tp, prepend=0), np.diff(roc.fp, prepend=0), strict=True))
    tp = np.cumsum([pos for pos, _ in steps])
    fp = times * np.cumsum([neg for _, neg in steps])
    places = range(len(steps))
    h, g = [], []
    for j in places:
        lower = [i for i in places if i >= j]
        lost = sum(steps[i][0] * fp[i] / (tp[i] + fp[i]) ** 2 for i in lower)
        taken = sum(steps[i][0] * times * tp[i] / (tp[i] + fp[i]) ** 2 for i in lower)
        h += [tp[j] / (tp[j] + fp[j]) + lost] * int(steps[j][0])
        g += [-n / m * taken] * int(steps[j][1])
    of_pos, of_neg = np.var(h, ddof=1) / m, np.var(g, ddof=1) / n
    shares = [steps[i][0] * (tp[i] - 0.5) / (tp[i] - 0.5 + fp[i]) for i in places if steps[i][0]]
    centre = sum(shares) / m
    spread = centre * (1 - centre)
    cases = m / times if enriched and times > 1 else m
    c = 1 + np.log(cases) * (cases - n) / (cases + n) if few and cases > n else 1.0
    unit = (cases**2 * (of_pos + of_neg) + c / 2) / (cases * spread + 0.5) / cases
    own = (of_pos + of_neg) ** 2 / (of_pos**2 / (m - 1) + of_neg**2 / (n - 1))
    w = unit * stats.t.isf(0.025, own + 0.5 / spread) ** 2
    half = np.sqrt(w * (spread + w / 4))
    return [(centre + w / 2 + side * half) / (1 + w) for side in (-1, 1)]


@pytest.mark.parametrize("prevalence", [0.005, 0.05, 0.2, 0.37, 0.9])
def test_limits_at_another_prevalence(prevalence: float) -> None:
    roc = example()
    assert average_precision(roc, 0.05) == pytest.approx(0.458716507083, abs=1e-11)
    # Every negative as one of its population: the published numbers.
    old = limits_by_hand(roc, 0.05, enriched=False)
    assert old == pytest.approx([0.356123904465, 0.562935583602], abs=1e-10)
    found = average_precision_interval(roc, prevalence=prevalence)
    assert [found.low, found.high] == pytest.approx(limits_by_hand(roc, prevalence), abs=1e-10)


@pytest.mark.simulation
def test_few_negatives_decide_at_a_low_prevalence() -> None:
    """100 + 100 cases of a population with 1% positives: one negative is one of 99."""
    m, prevalence, rng, sets = 100, 0.01, np.random.default_rng(3), 100
    at = np.linspace(12.0, -8.0, 100_001)
    recall, fpr = ndtr(2.0 - at), ndtr(-at)
    precision = prevalence * recall / (prevalence * recall + (1 - prevalence) * fpr)
    truth = float(np.sum(np.diff(recall) * (precision[1:] + precision[:-1]) / 2))
    labels, held, without = np.repeat([1, 0], m), 0, 0
    for number in range(sets):
        roc = rb.roc_curve(labels, rng.normal(2.0 * labels))
        found = average_precision_interval(roc, prevalence=prevalence)
        held += found.low <= truth <= found.high
        if number < 10:  # slow, and far off: the rule without the repair
            low, high = limits_by_hand(roc, prevalence, enriched=False)
            without += low <= truth <= high
    assert held >= 93
    assert without <= 8  # about .4 of test sets


@pytest.mark.parametrize("prevalence", [0.3, 0.9])
def test_limits_with_fewer_negatives_than_positives(prevalence: float) -> None:
    roc = example().mirrored
    assert roc.n_pos > roc.n_neg
    found = average_precision_interval(roc, prevalence=prevalence)
    assert [found.low, found.high] == pytest.approx(limits_by_hand(roc, prevalence), abs=1e-10)


@pytest.mark.simulation
def test_few_negatives_may_be_worse_than_those_seen() -> None:
    """186 positives and 17 negatives with a wide distribution: some outrank all positives."""
    m, n, rng, sets = 186, 17, np.random.default_rng(4), 200
    at = np.linspace(25.0, -30.0, 100_001)
    recall, fpr = ndtr(-at), ndtr(-(at + 4.3357) / 3.2408)
    precision = m * recall / np.maximum(m * recall + n * fpr, 1e-300)
    truth = float(np.sum(np.diff(recall) * (precision[1:] + precision[:-1]) / 2))
    labels, held, without = np.repeat([1, 0], [m, n]), 0, 0
    for number in range(sets):
        scores = np.where(labels == 1, rng.normal(size=m + n), rng.normal(-4.3357, 3.2408, m + n))
        roc = rb.roc_curve(labels, scores)
        found = average_precision_interval(roc, prevalence=m / (m + n))
        held += found.low <= truth <= found.high
        if number < 40:  # slow, and far off: the pseudo observation with c = 1
            low, high = (
                (0.0, 1.0) if roc.auc == 1.0 else limits_by_hand(roc, m / (m + n), few=False)
            )
            without += low <= truth <= high
    assert held >= 0.92 * sets
    assert without <= 34  # about .7 of test sets


def test_oracle_variance() -> None:
    score = _Score(_Sums(example()))
    assert score.sums.variance == pytest.approx(0.000494771509, abs=1e-12)
    assert score.unit == pytest.approx(0.003772934713, abs=1e-12)
    assert score.df == pytest.approx(561.931113977638, abs=1e-7)


def test_it_is_scikit_learns_value_on_random_sets_with_ties() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(3)
    for _ in range(100):
        n = int(rng.integers(2, 200))
        y = rng.permutation(np.arange(n) < max(1, n // 5)).astype(int)
        if y.all():
            y[0] = 0
        s = rng.integers(0, rng.integers(1, 30) + 1, n)
        assert average_precision(rb.roc_curve(y, s)) == pytest.approx(
            metrics.average_precision_score(y, s), abs=1e-12
        )


@given(rows=labelled_scores())
def test_limits_are_ordered_nested_and_never_a_point(rows: tuple[np.ndarray, np.ndarray]) -> None:
    narrow = average_precision_interval(*rows, level=0.8)
    wide = average_precision_interval(*rows, level=0.99)
    assert 0.0 <= wide.low <= narrow.low <= narrow.estimate <= narrow.high <= wide.high <= 1.0
    assert narrow.low < narrow.high
    order = np.random.default_rng(0).permutation(len(rows[0]))
    again = average_precision_interval(rows[0][order], rows[1][order], level=0.8)
    assert (again.low, again.high) == (narrow.low, narrow.high)


@given(rows=labelled_scores())
def test_the_pvalue_belongs_to_the_interval(rows: tuple[np.ndarray, np.ndarray]) -> None:
    found = average_precision_interval(*rows, level=0.9, null=0.3)
    if min(abs(found.low - 0.3), abs(found.high - 0.3)) > 1e-9 and found.low > 0 and found.high < 1:
        between = found.low <= 0.3 <= found.high
        # The limits are widened to the step sum, which may lie outside the score interval.
        if found.estimate not in (found.low, found.high):
            assert (found.pvalue >= 0.1) == between


def test_equal_models_do_not_differ() -> None:
    sample = rb.load_example()
    gap = average_precision_difference(
        sample.is_positive, sample["logistic"].values, sample["logistic"].values
    )
    assert gap.difference == 0.0
    assert gap.low == pytest.approx(0.0, abs=0.06)
    assert gap.pvalue == 1.0
    there = average_precision_difference(sample)
    back = average_precision_difference(
        sample.is_positive, *reversed([sample[name].values for name in sample.models])
    )
    assert (back.low, back.high) == pytest.approx((-there.high, -there.low), abs=1e-12)
    assert there.pvalue < 1e-6


def test_one_sided_limits_and_refusals() -> None:
    roc = example()
    greater = average_precision_interval(roc, level=0.95, alternative="greater")
    assert greater.high == 1.0
    assert greater.low == pytest.approx(average_precision_interval(roc, level=0.9).low)
    with pytest.raises(rb.InputError, match="prevalence"):
        average_precision_interval(roc, prevalence=1.5)


@pytest.mark.parametrize(("shift", "size", "share"), [(2.0, 200, 0.1), (1.0, 500, 0.05)])
def test_coverage_spot_with_a_negative_control(shift: float, size: int, share: float) -> None:
    from scipy.special import ndtr, ndtri

    recall = (np.arange(4000) + 0.5) / 4000
    fpr = ndtr(ndtri(recall) - shift)
    true = float(np.mean(share * recall / (share * recall + (1 - share) * fpr)))
    rng = np.random.default_rng(5)
    hits = control = 0
    for _ in range(300):
        y = rng.random(size) < share
        if not 0 < y.sum() < size:
            continue
        s = rng.standard_normal(size) + shift * y
        found = average_precision_interval(y, s, level=0.9)
        hits += found.low <= true <= found.high
        half = 0.5 * (found.high - found.low) / 2
        control += abs(found.estimate - true) <= half
    assert 0.85 <= hits / 300 <= 0.97
    assert control / 300 < 0.85
