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
from rocbands.core.pair import Pair
from rocbands.cost import METHODS as ALL_METHODS
from rocbands.cost.conditions import build_conditions
from rocbands.cost.exact import find_step_distribution, find_two_step_distribution
from rocbands.cost.terms import CostTerms
from rocbands.cost.two_models import SameRows
from rocbands.design.paired_sums import PairedSums
from tests.golden_numbers import GOLDEN
from tests.oracles.cost_pairs import (
    covariance_by_rows,
    law_by_listing,
    losses,
    moments_of,
    percentiles_of,
)

VECTORS = json.loads((GOLDEN / "cost_and_exact_bootstrap.json").read_text(encoding="utf-8"))
METHODS = tuple(name for name, kind in ALL_METHODS.items() if "paired" in kind.handles)
SAMPLINGS = ("stratified", "full")


def terms_of(vector: dict) -> CostTerms:
    """Terms of a vector, which is for cost 2 minus cost 1."""
    sizes = vector["m"], vector["k"]
    asked: dict = {"w": vector.get("w")}
    if "c_fn" in vector:
        asked = {"costs": (vector["c_fn"], vector["c_fp"]), "sampling": "full"}
    only = [np.array([vector[name]]) for name in ("a1p", "a2p", "a1n", "a2n")]
    return CostTerms.of_pair(
        PairedSums.of_counts(only, *sizes), build_conditions(**asked, sizes=sizes)
    )


@pytest.mark.parametrize("vector", VECTORS["strat_diff"] + VECTORS["full_diff"])
def test_numbers_of_a_separate_program(vector: dict) -> None:
    terms, level = terms_of(vector), 1 - vector["alpha"]
    assert terms.mean == pytest.approx(-vector["mean"], abs=1e-13)
    assert terms.variance == pytest.approx(vector["var"], abs=1e-13)
    names = {"gauss": "gaussian", "mover_tango": "mover", "exact_pct": "exact"}
    for name, method in names.items():
        found = ALL_METHODS[method]().find_limits(terms, level, float(ndtri((1 + level) / 2)))
        ends = -found.upper[0], -found.lower[0]
        assert ends == pytest.approx(tuple(vector[name]), rel=0, abs=1e-13), name


LABELS = [1, 1, 1, 0, 0, 0]
CALLS = [st.lists(st.booleans(), min_size=6, max_size=6) for _ in range(2)]


@settings(max_examples=12)
@given(*CALLS, st.sampled_from([0.0, 0.3, 0.5, 1.0]), st.sampled_from(SAMPLINGS))
def test_moments_and_percentiles_over_all_resamples(one, two, w, sampling) -> None:
    scores = [np.array(calls, float) for calls in (one, two)]
    found = rb.cost_difference(
        LABELS, *scores, method="exact", thresholds=(0.5, 0.5), w=w, sampling=sampling, level=0.8
    )
    if sampling == "stratified":
        whole = losses(LABELS, two, one, w, 1 - w)
        law = law_by_listing(
            [[3 * v for v in whole[:3]], [3 * v for v in whole[3:]]], [1 / 3, 1 / 3]
        )
    else:
        most = max(w, 1 - w)
        law = law_by_listing([losses(LABELS, two, one, w / most, (1 - w) / most)], [1.0])
    mean, variance = moments_of(law)
    assert found.difference[0] == pytest.approx(mean, abs=1e-12)
    assert (found.lower[0], found.upper[0]) == pytest.approx(percentiles_of(law, 0.8), abs=1e-11)
    wald = rb.cost_difference(
        LABELS, *scores, method="gaussian", thresholds=(0.5, 0.5), w=w, sampling=sampling
    )
    half = min(1 - mean, float(ndtri(0.975)) * variance**0.5)
    assert wald.upper[0] - mean == pytest.approx(half, abs=1e-9)


def test_laws_of_steps_stay_laws_when_cases_are_many() -> None:
    law = find_step_distribution(30_000, 10_000, 1_000_000)
    assert law.mass.sum() == pytest.approx(1, abs=1e-11)
    assert law.values @ law.mass == pytest.approx(20_000, rel=1e-11)
    spread = (law.values - 20_000.0) ** 2 @ law.mass
    assert spread == pytest.approx(40_000 - 20_000**2 / 10**6, rel=1e-9)
    table, corner = find_two_step_distribution((30, 10), (0, 25), 400)
    own = find_step_distribution(30, 10, 400)
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
    here = rb.cost_difference(
        y, one, two, method=method, thresholds=(CUT, CUT[::-1]), w=W, sampling=sampling
    )
    there = rb.cost_difference(
        y, two, one, method=method, thresholds=(CUT[::-1], CUT), w=W, sampling=sampling
    )
    assert np.allclose(here.difference, -there.difference, atol=1e-12)
    assert np.allclose(here.lower, -there.upper, atol=1e-9)
    assert np.allclose(here.difference, here.cost_1 - here.cost_2, atol=1e-12)


@pytest.mark.parametrize("sampling", SAMPLINGS)
@pytest.mark.parametrize("simultaneous", [False, True])
def test_nothing_is_certain_because_nothing_varied(sampling: str, simultaneous: bool) -> None:
    y, one, _ = sample(60, 1)
    found = rb.cost_difference(
        y, one, one, thresholds=(CUT, CUT), w=W, sampling=sampling, simultaneous=simultaneous, rng=1
    )
    z2 = found.critical_value**2
    size = 20 if sampling == "stratified" else 60
    assert (found.difference == 0).all()
    assert found.upper[-1] == pytest.approx(z2 / (size + z2), abs=1e-9)  # w = 1: positives alone
    assert (found.lower < 0).all()
    assert (found.upper > 0).all()
    assert not found.better


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
    found = rb.cost_difference(
        y, one, two, method=method, thresholds=(cut, cut), w=w, sampling=sampling
    )
    columns = np.stack((found.lower, found.difference, found.upper))
    assert (np.diff(columns, axis=0) >= -1e-12).all() or method == "exact"
    assert np.abs(columns).max() <= 1
    if method != "exact":
        together = rb.cost_difference(
            y,
            one,
            two,
            method=method,
            thresholds=(cut, cut),
            w=w,
            sampling=sampling,
            simultaneous=True,
            rng=1,
        )
        assert (together.lower <= found.lower).all()
        assert (together.upper >= found.upper).all()


def test_costs_are_the_same_question_as_w() -> None:
    y, one, two = sample(60, 2)
    by_w = rb.cost_difference(y, one, two, thresholds=(1.0, 0.8), w=0.5)
    by_costs = rb.cost_difference(
        y, one, two, thresholds=(1.0, 0.8), costs=(2, 1)
    )  # a third is positive
    far = rb.cost_difference(y, one, two, thresholds=(1.0, 0.8), costs=(9, 1), prevalence=0.1)
    assert by_costs.w[0] == pytest.approx(0.5)
    assert far.w[0] == pytest.approx(0.5)
    assert np.allclose([by_w.lower, by_w.upper], [by_costs.lower, by_costs.upper])
    assert np.allclose([by_w.lower, by_w.upper], [far.lower, far.upper])
    assert "share of positives" in str(by_costs)


@pytest.mark.parametrize("sampling", SAMPLINGS)
@pytest.mark.parametrize("order", ["falling", "any"])
def test_covariance_is_that_of_the_rows(sampling: str, order: str) -> None:
    y, one, two = sample(90, 3, ties=True)
    cuts = (CUT, CUT if order == "falling" else np.random.default_rng(1).permutation(CUT))
    at = build_conditions(W, sampling=sampling, sizes=(30, 60))
    costs = SameRows.add_up(Pair.from_sample(rb.Sample(y, {"a": one, "b": two})), cuts, (at, at))
    (terms,) = costs.terms
    said = [scores[:, None] >= cut for scores, cut in zip((one, two), cuts, strict=True)]
    full = sampling == "full"
    rows = np.array([90, 90]) if full else np.array([30, 60])
    unit = at.weight / rows[:, None]
    signed = np.where(y[:, None], -unit[0], unit[1])
    plain = covariance_by_rows(*said, signed, [np.ones_like(y)] if full else [y, ~y])
    assert np.allclose(terms.variance, np.diag(plain), atol=1e-14)
    # The divisor of the covariance is the number of rows minus one.
    assert np.allclose(costs.find_covariance() * 89 / 90, plain, atol=1e-14)


def test_more_conditions_than_fit_are_refused() -> None:
    y, one, two = sample(60, 4)
    w = np.linspace(0, 1, 2049)
    asked = {"thresholds": (1.0, 1.0), "simultaneous": True}
    with pytest.raises(rb.InputError, match=r"at most 2,048 operating conditions.*there are 2,049"):
        rb.cost_difference(y, one, two, w=w, **asked)
    found = rb.cost_difference(y, one, two, w=w[1:], n_resamples=40, level=0.5, **asked)
    assert found.w.size == 2048


@pytest.mark.parametrize("method", ["mover", "gaussian"])
def test_limits_for_all_conditions_are_pointwise_ones_of_a_higher_level(method: str) -> None:
    y, one, two = sample(900, 4)
    w, cut = W[3:-3], CUT[3:-3]
    found = rb.cost_difference(
        y, one, two, method=method, thresholds=(cut, cut), w=w, simultaneous=True, rng=1
    )
    assert 2.4 < found.critical_value < 3.3
    higher = 2 * float(ndtr(found.critical_value)) - 1
    plain = rb.cost_difference(y, one, two, method=method, thresholds=(cut, cut), w=w, level=higher)
    assert np.allclose([found.lower, found.upper], [plain.lower, plain.upper], atol=1e-9)
    assert "simultaneous confidence intervals" in str(found)


def test_regions_are_runs_in_the_order_of_w() -> None:
    y, one, two = sample(3000, 5)
    two = two - 3 * (two > 1.5) * y  # the second classifier loses its best positives
    shuffled = np.random.default_rng(1).permutation(W.size)
    found = rb.cost_difference(
        y, one, two, thresholds=(CUT[shuffled], CUT[shuffled]), w=W[shuffled]
    )
    plain = rb.cost_difference(y, one, two, thresholds=(CUT, CUT), w=W)
    assert found.better == plain.better
    assert {part.model for part in plain.better} == {1}
    for model, low, high in plain.better:
        inside = (low <= W) & (high >= W)
        assert ((plain.upper < 0) if model == 1 else (plain.lower > 0))[inside].all()
        assert (plain.cost_1 < plain.cost_2)[inside].all()
    flagged = sum(((part.low <= W) & (part.high >= W)).sum() for part in plain.better)
    assert flagged == ((plain.lower > 0) | (plain.upper < 0)).sum()


def test_simultaneous_gaussian_limits_claim_nothing_where_few_rows_differ() -> None:
    y, one, two = sample(60, 6)
    found = rb.cost_difference(
        y,
        one,
        two,
        method="gaussian",
        thresholds=(CUT, CUT),
        w=W,
        simultaneous=True,
        rng=1,
        sampling="full",
    )
    assert (found.lower[0], found.upper[0]) == (-1, 1)
    assert "nothing is claimed" in str(found)


@pytest.mark.parametrize("n_pos", [20, 1])
@pytest.mark.parametrize("together", [False, True])
def test_a_class_that_hides_its_spread_is_told(n_pos: int, together: bool) -> None:
    # Of 20 positives none is decided differently, or the only one is: either way its class has no
    # spread of its own, and nearly all of the weight.
    y = np.repeat([1, 0], [n_pos, 1000])
    one = np.concatenate([np.ones(n_pos), np.arange(1000) % 25 == 0])
    two = np.concatenate([np.full(n_pos, n_pos > 1), np.arange(1000) % 20 == 0])
    ask = partial(rb.cost_difference, y, one, two, thresholds=(0.5, 0.5), w=[0.9, 1.0])
    found = ask(method="gaussian", simultaneous=together, rng=1)
    last = found.notes[-2 if together else -1]  # the seed is the very last
    assert last.startswith("At 2 w fewer than 10 rows of the relevant class")
    if together:
        assert (found.lower == -1).all()
        assert (found.upper == 1).all()
    else:
        assert ask(method="exact").notes == found.notes
    # Where the other class has the weight its many discordant rows tell enough.
    assert not rb.cost_difference(
        y, one, two, method="gaussian", thresholds=(0.5, 0.5), w=0.0
    ).notes[1:]  # besides two values


@pytest.mark.parametrize(("n_pos", "n_neg"), [(3, 4), (7, 13), (40, 60)])
@pytest.mark.parametrize("away", [0.0, 1e-15, 1e-9, 1e-5, 1e-3])
def test_losses_that_are_all_alike_have_simultaneous_limits(n_pos, n_neg, away) -> None:
    # One model always right, the other always wrong: at equal costs only rounding varies.
    y = np.repeat([1, 0], [n_pos, n_neg])
    w = n_pos / (n_pos + n_neg) + np.array([0.0, away, 2 * away, 0.1])
    found = rb.cost_difference(
        y,
        y,
        1 - y,
        thresholds=(0.5, 0.5),
        w=w,
        sampling="full",
        simultaneous=True,
        rng=1,
        n_resamples=200,
    )
    assert found.critical_value < 3.5
    assert (found.lower < found.upper).all()


def test_the_same_rng_gives_the_same_limits() -> None:
    y, one, two = sample(60, 7)
    a, b = (
        rb.cost_difference(y, one, two, thresholds=(CUT, CUT), w=W, simultaneous=True, rng=3)
        for _ in "ab"
    )
    assert a.to_json() == b.to_json()


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"method": "wald"}, "must be one of mover, gaussian, exact"),
        (
            {"method": "exact", "simultaneous": True},
            "each number on its own; simultaneous=True was given",
        ),
        ({"level": 95}, "level=0.95"),
        ({"n_resamples": 5}, "`n_resamples` must be a whole number of at least 20"),
        ({"level": 0.999, "n_resamples": 500, "simultaneous": True}, "at least 1000"),
        ({"method": "exact", "n_resamples": 500}, "use one of mover, gaussian"),
        ({"sampling": "both"}, "stratified, full"),
        ({"simultaneous": "no"}, "True or False"),
        ({"costs": (1, 1)}, "both were"),
        ({"w": None}, "neither was"),
        ({"thresholds": ([1, 2], CUT)}, "one value for each operating condition"),
        ({"thresholds": (CUT, [np.nan] * 21)}, "nan"),
        ({"thresholds": 0.5}, "must be a pair, one for each model, or a mapping"),
        ({"thresholds": {"a": 0.5, "b": 0.5}}, "each of the models 'model 1', 'model 2'"),
        ({"thresholds": (CUT, None)}, "`thresholds` must be chosen before"),
    ],
)
def test_mistakes_are_told(changed: dict, words: str) -> None:
    y, one, two = sample(30, 8)
    asked = {"thresholds": (CUT, CUT), "w": W, **changed}
    with pytest.raises(rb.InputError, match=words):
        rb.cost_difference(y, one, two, **asked)


def test_an_exact_law_that_does_not_fit_is_refused() -> None:
    y, one, two = sample(400_000, 9)
    with pytest.raises(rb.InputError, match="method='mover'"):
        rb.cost_difference(
            y, one, two, method="exact", thresholds=(1.0, 0.5), w=0.5, sampling="full"
        )
    found = rb.cost_difference(y, one, two, method="exact", thresholds=(1.0, 0.5), w=0.5)
    near = rb.cost_difference(y, one, two, method="gaussian", thresholds=(1.0, 0.5), w=0.5)
    assert found.lower[0] == pytest.approx(near.lower[0], abs=1e-5)


def test_it_shows_and_stores_itself() -> None:
    y, one, two = sample(60, 10)
    found = rb.cost_difference(rb.Sample(y, {"old": one, "new": two}), thresholds=(CUT, CUT), w=W)
    assert repr(found) == (
        "<CostDifference: cost of old minus cost of new at 21 operating conditions, 95% pointwise "
        f"confidence intervals, {found.method}>"
    )
    assert "pointwise confidence intervals" in str(found)
    assert found.to_dict()["coverage"] == "pointwise"
    assert found.prevalence == found.to_dict()["prevalence"] == pytest.approx(1 / 3)
    assert max(map(len, str(found).splitlines())) <= 96


def test_single_conditions_are_no_ranges() -> None:
    y = np.repeat([1, 0], 50)
    one, two = y + 0.0, np.tile([0.0, 1.0], 50)
    found = rb.cost_difference(
        y, one, two, thresholds=([0.5, 2.0, 0.5], [0.5, 2.0, 0.5]), w=[0.2, 0.5, 0.8]
    )
    words = " ".join(str(found).split())
    assert (
        "model 1 is cheaper at costs of 1 : 4 and of 4 : 1 (missed positive : false alarm)."
        in words
    )
    assert "even if both models cost the same; simultaneous limits do not" in words


def test_it_becomes_a_frame() -> None:
    y, one, two = sample(60, 10)
    found = rb.cost_difference(rb.Sample(y, {"old": one, "new": two}), thresholds=(CUT, CUT), w=W)
    assert len(found.to_frame("pandas")) == len(found) == 21
    assert "<table" in found._repr_html_()


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.int8])
@pytest.mark.parametrize("w", [0.3, [0.2, 0.5]])
def test_scores_of_any_type_cost_what_numbers_do(dtype: type, w: float | list[float]) -> None:
    """Votes may be booleans or unsigned integers, and thresholds be of their type."""
    rng = np.random.default_rng(7)
    y = np.arange(60) % 2
    one, two = (rng.random((2, 60)) < 0.3 + 0.4 * y).astype(dtype)
    cuts = np.array([[0, 1], [1, 1]] if isinstance(w, list) else [1, 1]).T
    found, known = (
        rb.cost_difference(
            y, a.astype(kind), b.astype(kind), thresholds=tuple(cuts.astype(kind).T), w=w
        )
        for kind, a, b in ((dtype, one, two), (float, one, two))
    )
    np.testing.assert_allclose(found.lower, known.lower, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.upper, known.upper, rtol=0, atol=1e-12)
