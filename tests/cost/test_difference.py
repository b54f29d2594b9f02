"""Differences of two classifiers' costs: numbers, laws, limits for all conditions at once."""

from __future__ import annotations

import json
from functools import partial
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

import rocbands as rb
from rocbands._math.steps import step_law, two_step_law
from rocbands.cost.paired_counts import Calls
from rocbands.cost.paired_laws import exact
from rocbands.cost.paired_limits import gaussian, mover
from rocbands.cost.paired_moments import Contrast
from rocbands.cost.simultaneous import Multiplied, covariance, critical_value
from tests.golden_numbers import GOLDEN
from tests.oracles.cost_pairs import (
    covariance_by_rows,
    law_by_listing,
    losses,
    moments_of,
    percentiles_of,
)

VECTORS = json.loads((GOLDEN / "cost_and_exact_bootstrap.json").read_text(encoding="utf-8"))
METHODS = ("mover", "gaussian", "exact")
SAMPLINGS = ("stratified", "full")


def contrast_of(vector: dict) -> Contrast:
    m, k, full = vector["m"], vector["k"], "c_fn" in vector
    if full:
        unit = np.array([[vector["c_fn"]], [vector["c_fp"]]])
        unit = unit / unit.max() / (m + k)
    else:
        unit = np.array([[vector["w"] / m], [(1 - vector["w"]) / k]])
    for_1 = np.array([[vector["a1p"]], [vector["a2n"]]])
    for_2 = np.array([[vector["a2p"]], [vector["a1n"]]])
    return Contrast(for_1, for_2, unit, m, k, full)


@pytest.mark.parametrize("vector", VECTORS["strat_diff"] + VECTORS["full_diff"])
def test_numbers_of_a_separate_program(vector: dict) -> None:
    contrast, level = contrast_of(vector), 1 - vector["alpha"]
    z = float(ndtri((1 + level) / 2))
    found = {
        "mean": contrast.mean,
        "var": contrast.variance,
        "gauss": np.ravel(gaussian(contrast, z)),
        "mover_tango": np.ravel(mover(contrast, z)),
        "exact_pct": np.ravel(exact(contrast, level)),
    }
    for name, values in found.items():
        assert np.allclose(values, vector[name], rtol=0, atol=1e-13), name


LABELS = [1, 1, 1, 0, 0, 0]
CALLS = [st.lists(st.booleans(), min_size=6, max_size=6) for _ in range(2)]


@settings(max_examples=12)
@given(*CALLS, st.sampled_from([0.0, 0.3, 0.5, 1.0]), st.sampled_from(SAMPLINGS))
def test_moments_and_percentiles_over_all_resamples(one, two, w, sampling) -> None:
    scores = [np.array(calls, float) for calls in (one, two)]
    found = rb.cost_difference(LABELS, *scores, 0.5, 0.5, w, "exact", sampling=sampling, level=0.8)
    if sampling == "stratified":
        whole = losses(LABELS, one, two, w, 1 - w)
        law = law_by_listing(
            [[3 * v for v in whole[:3]], [3 * v for v in whole[3:]]], [1 / 3, 1 / 3]
        )
    else:
        most = max(w, 1 - w)
        law = law_by_listing([losses(LABELS, one, two, w / most, (1 - w) / most)], [1.0])
    mean, variance = moments_of(law)
    assert found.difference[0] == pytest.approx(mean, abs=1e-12)
    assert (found.low[0], found.high[0]) == pytest.approx(percentiles_of(law, 0.8), abs=1e-11)
    wald = rb.cost_difference(LABELS, *scores, 0.5, 0.5, w, "gaussian", sampling=sampling)
    half = min(1 - mean, float(ndtri(0.975)) * variance**0.5)
    assert wald.high[0] - mean == pytest.approx(half, abs=1e-9)


def test_laws_of_steps_stay_laws_when_cases_are_many() -> None:
    law = step_law(30_000, 10_000, 1_000_000)
    assert law.mass.sum() == pytest.approx(1, abs=1e-11)
    assert law.values @ law.mass == pytest.approx(20_000, rel=1e-11)
    spread = (law.values - 20_000.0) ** 2 @ law.mass
    assert spread == pytest.approx(40_000 - 20_000**2 / 10**6, rel=1e-9)
    table, corner = two_step_law((30, 10), (0, 25), 400)
    own = step_law(30, 10, 400)
    assert corner[0] == own.first
    assert np.allclose(table.sum(axis=1), own.mass, atol=1e-14)
    u, v = (np.arange(size) + first for size, first in zip(table.shape, corner, strict=True))
    assert u @ table @ v == pytest.approx(20 * -25 * (1 - 1 / 400), rel=1e-9)


def sample(n: int, seed: int, *, ties: bool = False) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3 == 0
    one, two = rng.normal(size=(2, n)) + rng.normal(size=n) + 2 * y
    return (y, one.round(), two.round()) if ties else (y, one, two)


W = np.linspace(0, 1, 21)
CUT = 3 * (1 - W)


@pytest.mark.parametrize(("method", "sampling"), list(product(METHODS, SAMPLINGS)))
def test_exchanging_classifiers_changes_the_sign(method: str, sampling: str) -> None:
    y, one, two = sample(60, 1, ties=True)
    here = rb.cost_difference(y, one, two, CUT, CUT[::-1], W, method, sampling=sampling)
    there = rb.cost_difference(y, two, one, CUT[::-1], CUT, W, method, sampling=sampling)
    assert np.allclose(here.difference, -there.difference, atol=1e-12)
    assert np.allclose(here.low, -there.high, atol=1e-9)
    assert np.allclose(here.difference, here.cost_2 - here.cost_1, atol=1e-12)


@pytest.mark.parametrize("sampling", SAMPLINGS)
@pytest.mark.parametrize("simultaneous", [False, True])
def test_nothing_is_certain_because_nothing_varied(sampling: str, simultaneous: bool) -> None:
    y, one, _ = sample(60, 1)
    found = rb.cost_difference(
        y, one, one, CUT, CUT, W, sampling=sampling, simultaneous=simultaneous, rng=1
    )
    z2 = found.critical**2
    size = 20 if sampling == "stratified" else 60
    assert (found.difference == 0).all()
    assert found.high[-1] == pytest.approx(z2 / (size + z2), abs=1e-9)  # w = 1: positives alone
    assert (found.low < 0).all()
    assert (found.high > 0).all()
    assert not found.regions


@pytest.mark.parametrize(("method", "sampling"), list(product(METHODS, SAMPLINGS)))
@pytest.mark.parametrize(
    ("y", "one", "two"),
    [
        ([1, 0], [1, 0], [0, 1]),
        ([1, 0, 0], [np.inf, -np.inf, 0], [-np.inf, np.inf, 0]),
        ([1, 1, 0, 0], [1, 1, 1, 1], [2, 2, 1, 1]),
        ([1] + [0] * 50, [9] + [0] * 50, [0] + [9] * 50),
    ],
)
def test_odd_inputs_have_limits(method, sampling, y, one, two) -> None:
    cut = [np.inf, 2.0, 1.0, 0.5, -np.inf]
    w = [0, 0.1, 0.5, 0.9, 1]
    found = rb.cost_difference(y, one, two, cut, cut, w, method, sampling=sampling)
    columns = np.stack((found.low, found.difference, found.high))
    assert (np.diff(columns, axis=0) >= -1e-12).all() or method == "exact"
    assert np.abs(columns).max() <= 1
    if method != "exact":
        together = rb.cost_difference(
            y, one, two, cut, cut, w, method, sampling=sampling, simultaneous=True, rng=1
        )
        assert (together.low <= found.low).all()
        assert (together.high >= found.high).all()


def test_costs_are_the_same_question_as_w() -> None:
    y, one, two = sample(60, 2)
    by_w = rb.cost_difference(y, one, two, 1.0, 0.8, 0.5)
    by_costs = rb.cost_difference(y, one, two, 1.0, 0.8, costs=(2, 1))  # a third is positive
    far = rb.cost_difference(y, one, two, 1.0, 0.8, costs=(9, 1), prevalence=0.1)
    assert by_costs.w[0] == pytest.approx(0.5)
    assert far.w[0] == pytest.approx(0.5)
    assert np.allclose([by_w.low, by_w.high], [by_costs.low, by_costs.high])
    assert np.allclose([by_w.low, by_w.high], [far.low, far.high])
    assert "share of positives" in repr(by_costs)


def conditions(y, scores, cuts, w, full: bool) -> tuple[tuple[Calls, Calls], Contrast, np.ndarray]:
    m, k = int(y.sum()), int((~y).sum())
    unit = np.stack((w / m, (1 - w) / k))
    if full:
        unit = np.stack((w, 1 - w)) / (m + k)
    pos, neg = (Calls.of((scores[0][c], scores[1][c]), cuts) for c in (y, ~y))
    (p1, p2), (n1, n2) = pos.discordant(), neg.discordant()
    contrast = Contrast(np.stack((p1, n2)), np.stack((p2, n1)), unit, m, k, full)
    signed = np.where(y[:, None], unit[0], -unit[1])
    return (pos, neg), contrast, signed


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("order", ["falling", "any"])
def test_covariance_is_that_of_the_rows(full: bool, order: str) -> None:
    y, one, two = sample(90, 3, ties=True)
    cuts = (CUT, CUT if order == "falling" else np.random.default_rng(1).permutation(CUT))
    calls, contrast, signed = conditions(y, (one, two), cuts, W, full)
    said = [scores[:, None] >= cut for scores, cut in zip((one, two), cuts, strict=True)]
    parts = [np.ones_like(y)] if full else [y, ~y]
    plain = covariance_by_rows(*said, signed, parts)
    found = covariance(calls, contrast)
    assert np.allclose(found, plain, atol=1e-14)
    assert np.allclose(np.diag(found), contrast.variance, atol=1e-14)
    drawn = Multiplied(calls, contrast).draw(40_000, np.random.default_rng(5))
    scale = np.sqrt(np.maximum(contrast.variance, 1e-12))
    assert np.abs((np.cov(drawn.T) - plain) / np.outer(scale, scale)).max() < 0.04


def test_both_ways_of_drawing_give_one_critical_value(monkeypatch: pytest.MonkeyPatch) -> None:
    y, one, two = sample(300, 4)
    calls, contrast, _ = conditions(y, (one, two), (CUT, 0.9 * CUT), W, full=False)
    by_table = critical_value(calls, contrast, 0.9, 20_000, np.random.default_rng(1))
    monkeypatch.setattr("rocbands.cost.simultaneous.MOST_CONDITIONS", 1)
    by_rows = critical_value(calls, contrast, 0.9, 20_000, np.random.default_rng(2))
    assert by_table == pytest.approx(by_rows, abs=0.04)
    assert 2.2 < by_table < 3.2


@pytest.mark.parametrize("method", ["mover", "gaussian"])
def test_limits_for_all_conditions_are_pointwise_ones_of_a_higher_level(method: str) -> None:
    y, one, two = sample(900, 4)
    w, cut = W[3:-3], CUT[3:-3]
    found = rb.cost_difference(y, one, two, cut, cut, w, method, simultaneous=True, rng=1)
    assert 2.4 < found.critical < 3.3
    higher = 2 * float(ndtr(found.critical)) - 1
    plain = rb.cost_difference(y, one, two, cut, cut, w, method, level=higher)
    assert np.allclose([found.low, found.high], [plain.low, plain.high], atol=1e-9)
    assert "for all of them at once" in repr(found)


def test_regions_are_runs_in_the_order_of_w() -> None:
    y, one, two = sample(3000, 5)
    two = two - 3 * (two > 1.5) * y  # the second classifier loses its best positives
    shuffled = np.random.default_rng(1).permutation(W.size)
    found = rb.cost_difference(y, one, two, CUT[shuffled], CUT[shuffled], W[shuffled])
    plain = rb.cost_difference(y, one, two, CUT, CUT, W)
    assert found.regions == plain.regions
    assert plain.regions
    for low, high, sign in plain.regions:
        inside = (low <= W) & (high >= W)
        assert ((plain.low > 0) if sign == 1 else (plain.high < 0))[inside].all()
    flagged = sum(((part.low <= W) & (part.high >= W)).sum() for part in plain.regions)
    assert flagged == ((plain.low > 0) | (plain.high < 0)).sum()


def test_simultaneous_gaussian_limits_claim_nothing_where_few_rows_differ() -> None:
    y, one, two = sample(60, 6)
    found = rb.cost_difference(
        y, one, two, CUT, CUT, W, "gaussian", simultaneous=True, rng=1, sampling="full"
    )
    assert (found.low[0], found.high[0]) == (-1, 1)
    assert "claims nothing" in repr(found)


@pytest.mark.parametrize("n_pos", [20, 1])
@pytest.mark.parametrize("together", [False, True])
def test_a_class_that_hides_its_spread_is_told(n_pos: int, together: bool) -> None:
    # Of 20 positives none is decided differently, or the only one is: either way its class has no
    # spread of its own, and nearly all of the weight.
    y = np.repeat([1, 0], [n_pos, 1000])
    one = np.concatenate([np.ones(n_pos), np.arange(1000) % 25 == 0])
    two = np.concatenate([np.full(n_pos, n_pos > 1), np.arange(1000) % 20 == 0])
    ask = partial(rb.cost_difference, y, one, two, 0.5, 0.5, [0.9, 1.0])
    found = ask("gaussian", simultaneous=together, rng=1)
    assert found.notes[-1].startswith("At 2 w fewer than 10 rows of the class that matters")
    if together:
        assert (found.low == -1).all()
        assert (found.high == 1).all()
    else:
        assert ask("exact").notes == found.notes
    # Where the other class has the weight its many discordant rows tell enough.
    assert not rb.cost_difference(y, one, two, 0.5, 0.5, 0.0, "gaussian").notes


@pytest.mark.parametrize(("n_pos", "n_neg"), [(3, 4), (7, 13), (40, 60)])
@pytest.mark.parametrize("away", [0.0, 1e-15, 1e-9, 1e-5, 1e-3])
def test_losses_that_are_all_alike_have_simultaneous_limits(n_pos, n_neg, away) -> None:
    # One model always right, the other always wrong: at equal costs only rounding varies.
    y = np.repeat([1, 0], [n_pos, n_neg])
    w = n_pos / (n_pos + n_neg) + np.array([0.0, away, 2 * away, 0.1])
    found = rb.cost_difference(
        y, y, 1 - y, 0.5, 0.5, w, sampling="full", simultaneous=True, rng=1, n_draws=200
    )
    assert found.critical < 3.5
    assert (found.low < found.high).all()


def test_the_same_rng_gives_the_same_limits() -> None:
    y, one, two = sample(60, 7)
    a, b = (rb.cost_difference(y, one, two, CUT, CUT, W, simultaneous=True, rng=3) for _ in "ab")
    assert a.to_json() == b.to_json()


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"method": "wald"}, "must be one of mover, gaussian, exact"),
        ({"method": "exact", "simultaneous": True}, "not of all together"),
        ({"level": 95}, "level=0.95"),
        ({"n_draws": 5}, "`n_draws` must be a whole number of at least 20"),
        ({"level": 0.999, "n_draws": 500}, "at least 1000"),
        ({"sampling": "both"}, "stratified, full"),
        ({"simultaneous": "no"}, "True or False"),
        ({"costs": (1, 1)}, "both were"),
        ({"w": None}, "neither was"),
        ({"thresholds_1": [1, 2]}, "one value for each operating condition"),
        ({"thresholds_2": [np.nan] * 21}, "nan"),
        ({"names": "ab"}, "two models' names"),
        ({"names": 3}, "names=\\('old', 'new'\\)"),
        ({"thresholds_2": None}, "`thresholds_2` must be chosen before"),
    ],
)
def test_mistakes_are_told(changed: dict, words: str) -> None:
    y, one, two = sample(30, 8)
    asked = {"thresholds_1": CUT, "thresholds_2": CUT, "w": W, **changed}
    with pytest.raises(rb.InputError, match=words):
        rb.cost_difference(y, one, two, **asked)


def test_an_exact_law_that_does_not_fit_is_refused() -> None:
    y, one, two = sample(400_000, 9)
    with pytest.raises(rb.InputError, match="method='mover'"):
        rb.cost_difference(y, one, two, 1.0, 0.5, 0.5, "exact", sampling="full")
    found = rb.cost_difference(y, one, two, 1.0, 0.5, 0.5, "exact")
    near = rb.cost_difference(y, one, two, 1.0, 0.5, 0.5, "gaussian")
    assert found.low[0] == pytest.approx(near.low[0], abs=1e-5)


def test_it_shows_and_stores_itself() -> None:
    y, one, two = sample(60, 10)
    found = rb.cost_difference(y, one, two, CUT, CUT, W, names=("old", "new"))
    assert "Cost of new minus cost of old" in repr(found)
    assert "each for itself" in repr(found)
    assert found.to_dict()["coverage"] == "pointwise"
    assert found.prevalence == found.to_dict()["prevalence"] == pytest.approx(1 / 3)
    assert max(map(len, repr(found).splitlines())) <= 96


def test_single_conditions_are_no_ranges() -> None:
    y = np.repeat([1, 0], 50)
    one, two = y + 0.0, np.tile([0.0, 1.0], 50)
    found = rb.cost_difference(y, one, two, [0.5, 2.0, 0.5], [0.5, 2.0, 0.5], [0.2, 0.5, 0.8])
    words = " ".join(repr(found).split())
    assert "model 1 is cheaper at w 0.2, 0.8." in words
    assert "even if both models cost the same; simultaneous ones do not" in words


def test_it_becomes_a_frame() -> None:
    y, one, two = sample(60, 10)
    found = rb.cost_difference(y, one, two, CUT, CUT, W, names=("old", "new"))
    assert len(found.to_frame("pandas")) == len(found) == 21
    assert "<table" in found._repr_html_()
