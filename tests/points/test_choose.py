"""The operating point for a rule, against a search over all scores and the literature's limits."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import stats

import rocbands as rb
from rocbands.points.choose import Point, Rule, choose_point


def search(y, scores, keeps) -> tuple[float | None, int, int]:
    """Try each score as a threshold: the one that finds most, of several the highest."""
    found: tuple[float | None, int, int] = (None, 0, 0)
    for cut in sorted(set(scores), reverse=True):
        called = scores >= cut
        tp, fp = int(called[y].sum()), int(called[~y].sum())
        if keeps(tp, fp) and tp > found[1]:
            found = (cut, tp, fp)
    return found


def clopper_pearson(count: int, n: int, level: float) -> tuple[float, float]:
    tail = (1.0 - level) / 2.0
    low = stats.beta.ppf(tail, count, n - count + 1) if count else 0.0
    high = stats.beta.ppf(1.0 - tail, count + 1, n - count) if count < n else 1.0
    return float(low), float(high)


columns = st.lists(st.sampled_from([0.0, 0.1, 0.25, 1 / 3, 0.5, 0.9]), min_size=20, max_size=20)
wider = st.lists(st.integers(0, 400), min_size=20, max_size=20)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    scores=st.one_of(columns, wider),
    positives=st.integers(1, 19),
    rule=st.sampled_from(["fpr", "rate"]),
    at=st.sampled_from(["0.05", "0.1", "0.3", "0.5", "0.8"]),
)
def test_the_point_is_that_of_a_search(scores, positives, rule, at) -> None:
    y, values, rate = np.arange(20) < positives, np.array(scores), Fraction(at)

    def keeps(tp: int, fp: int) -> bool:
        return fp <= rate * (20 - positives) if rule == "fpr" else tp + fp <= rate * 20

    point = choose_point(rb.Sample(y, values).roc, Rule(rule, float(at)))
    assert (point.threshold, point.tp, point.fp) == search(y, values, keeps)
    assert (point.tpr, point.fpr) == (point.tp / positives, point.fp / (20 - positives))
    assert point.share == pytest.approx((point.tp + point.fp) / 20)
    if point.threshold is None:
        assert (point.text, point.ppv) == ("", None)
        return
    typed = values >= float(point.text)
    assert (int(typed[y].sum()), int(typed[~y].sum())) == (point.tp, point.fp)
    assert point.ppv == pytest.approx(point.tp / (point.tp + point.fp))


@pytest.mark.parametrize("n_models", [1, 5])
@pytest.mark.parametrize("fpr", [0.01, 0.1, 0.3])
def test_limits_are_those_of_clopper_and_pearson(n_models, fpr) -> None:
    """After a choice among k models the worse side has the tail of k independent limits."""
    point = choose_point(rb.load_example()["logistic"].roc, Rule("fpr", fpr), n_models=n_models)
    plain, wide = 0.95, 1.0 - 2.0 * (1.0 - 0.975 ** (1.0 / n_models))
    for count, n, ends, worse in (
        (point.tp, point.n_pos, (point.tpr_low, point.tpr_high), 0),
        (point.fp, point.n_neg, (point.fpr_low, point.fpr_high), 1),
    ):
        levels = [plain, plain]
        levels[worse] = wide
        expected = [clopper_pearson(count, n, level)[end] for end, level in enumerate(levels)]
        np.testing.assert_allclose(ends, expected, atol=1e-10)


def test_the_same_limits_as_those_of_a_typed_threshold() -> None:
    sample = rb.load_example()["logistic"]
    point = choose_point(sample.roc, Rule("fpr", 0.1))
    typed = rb.operating_points(
        sample, threshold=float(point.text), method="clopper-pearson", level=0.95
    )
    own = (point.tpr_low, point.tpr_high, point.fpr_low, point.fpr_high)
    other = (typed.tpr_lower, typed.tpr_upper, typed.fpr_lower, typed.fpr_upper)
    np.testing.assert_allclose(own, [side[0] for side in other], atol=1e-12)


@pytest.mark.parametrize("rule", [Rule("fpr", 0.1), Rule("rate", 0.2)])
def test_operating_points_give_the_same_point(rule) -> None:
    sample = rb.load_example()
    for name in sample:
        model = sample[name]
        point = choose_point(model.roc, rule, model=name)
        table = rb.operating_points(model, **{rule.name: rule.at})
        assert table.threshold[0] == point.threshold


def test_equal_weights_change_nothing() -> None:
    sample = rb.load_example()["logistic"]
    weighted = sample.replace(weights=np.full(sample.n, 2.5))
    own, other = (choose_point(one.roc, Rule("fpr", 0.1)) for one in (sample, weighted))
    for name in ("threshold", "tp", "fp"):
        assert getattr(own, name) == getattr(other, name)
    for name in ("tpr", "fpr", "ppv", "share"):
        assert getattr(own, name) == pytest.approx(getattr(other, name))
    for name in ("tpr_low", "tpr_high", "fpr_low", "fpr_high"):  # an effective number of rows
        assert getattr(own, name) == pytest.approx(getattr(other, name), abs=0.01)


@pytest.mark.parametrize("design", ["clusters", "strata"])
def test_designs_have_the_limits_of_their_default_method(design) -> None:
    sample = rb.load_example()["logistic"]
    rows = {"clusters": np.arange(sample.n) // 3, "strata": np.arange(sample.n) % 4}[design]
    part = sample.replace(**{design: rows})
    point = choose_point(part.roc, Rule("fpr", 0.1))
    table = rb.operating_points(part, threshold=point.threshold)
    assert (point.tpr_low, point.tpr_high) == (table.tpr_lower[0], table.tpr_upper[0])
    assert (point.fpr_low, point.fpr_high) == (table.fpr_lower[0], table.fpr_upper[0])


def test_a_threshold_of_costs_is_given() -> None:
    sample = rb.load_example()["logistic"]
    point = choose_point(sample.roc, Rule("costs", (5, 1)), cut=0.5)
    called = sample.values >= 0.5
    assert (point.tp, point.fp) == (
        int(called[sample.is_positive].sum()),
        int(called[~sample.is_positive].sum()),
    )


def test_right_alarms_at_a_prevalence() -> None:
    sample = rb.load_example()["logistic"]
    point = choose_point(sample.roc, Rule("fpr", 0.1), prevalence=0.02)
    right = 0.02 * point.tpr
    assert point.ppv == pytest.approx(right / (right + 0.98 * point.fpr))
    table = rb.operating_points(
        sample, threshold=point.threshold, prevalence=0.02, method="clopper-pearson"
    )
    assert (point.ppv_low, point.ppv_high) == (table.ppv_lower[0], table.ppv_upper[0])


def _draw(rng, n_pos, n_neg, d) -> tuple[np.ndarray, np.ndarray]:
    y = np.arange(n_pos + n_neg) < n_pos
    return y, rng.normal(size=y.size) + d * y


CELLS = [(20, 30, 1.5), (12, 200, 2.0), (200, 20, 1.0), (100, 100, 3.5), (30, 70, 0.3)]


@pytest.mark.simulation
@pytest.mark.parametrize(("n_pos", "n_neg", "d"), CELLS)
def test_limits_cover_although_the_rows_chose_the_threshold(n_pos, n_neg, d) -> None:
    """True rates of the chosen threshold, known from the normal law; 1,000 sets a cell."""
    rng = np.random.default_rng([n_pos, n_neg])
    sets, covered = 1000, {"tpr": 0, "fpr": 0}
    for _ in range(sets):
        y, scores = _draw(rng, n_pos, n_neg, d)
        point: Point = choose_point(rb.Sample(y, scores).roc, Rule("fpr", 0.1))
        cut = np.inf if point.threshold is None else point.threshold
        for name, shift in (("tpr", d), ("fpr", 0.0)):
            true = stats.norm.sf(cut - shift)
            covered[name] += getattr(point, f"{name}_low") <= true <= getattr(point, f"{name}_high")
    assert covered["tpr"] / sets >= 0.93
    assert covered["fpr"] / sets >= 0.93
