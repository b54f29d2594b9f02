"""Covariance of sums of shares along thresholds, and the critical value of simultaneous limits."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.special import ndtr

import rocbands as rb
from rocbands.core.data import read_pair
from rocbands.core.pair import Pair
from rocbands.decision import net_benefit as decision
from rocbands.decision.net_benefit import find_critical_value
from rocbands.design import called_sums as of
from rocbands.design.called_sums import CalledSums
from rocbands.design.joint_error import JointError, multiply_common
from rocbands.design.paired_sums import PairedSums
from rocbands.design.row_design import RowDesign, find_stratum_factors

Array = npt.NDArray[np.float64]
RNG = np.random.default_rng(5)
N = 90
Y = RNG.random(N) < 0.4
P = np.round(np.clip(RNG.random((2, N)) * 0.8 + 0.2 * Y, 0.0, 1.0), 2)  # with ties
WEIGHT = RNG.choice([0.5, 1.0, 4.0], N)
CLUSTER = RNG.integers(0, 25, N)
STRATUM = CLUSTER % 3
T = np.array([0.5, 0.21, 0.4, 0.4, 0.77, 0.05])  # neither sorted nor distinct
DESIGNS: dict[str, dict[str, Any]] = {
    "rows": {},
    "weights": {"weights": WEIGHT},
    "clusters": {"clusters": CLUSTER},
    "strata": {"strata": STRATUM},
    "all": {"weights": WEIGHT, "clusters": CLUSTER, "strata": STRATUM},
    "class weights": {"weights": np.where(Y, 1.0, 3.0)},
}


def sample(models: int = 2, **design: Any) -> rb.Sample:
    return rb.Sample(Y, {f"m{i}": P[i] for i in range(models)}, **design)


def find_errors(data: rb.Sample, p: float | None = None) -> tuple[list[JointError], list[Array]]:
    """Errors of the difference, and of both leads of the first model; the rows' influences."""
    odds = T / (1 - T)
    weight = np.ones(N) if data.weights is None else data.weights
    mass = {True: weight[Y].sum(), False: weight[~Y].sum()}
    if p is None:
        mass = dict.fromkeys(mass, weight.sum())
    factor = np.where(Y, 1.0 if p is None else p, -(1.0 if p is None else 1 - p))
    unit = factor[:, None] * np.where(Y[:, None], 1.0, odds) / np.where(Y, *mass.values())[:, None]
    base = np.ones((2, N), bool) if p is None else np.array([Y, ~Y])

    def influence(event: Array) -> Array:
        """Influence of each row, times its weight, on sums of weighted shares of both classes."""
        found = weight[:, None] * unit * event
        for own in base[:1] if p is None else base:
            whole = found[own].sum(axis=0)
            found -= np.where(own, weight / weight[own].sum(), 0.0)[:, None] * whole
        return np.asarray(found)

    calls = [P[i][:, None] >= T for i in range(2)]
    _, errors, _ = decision._compare(read_pair(data, None, None), T, p)
    sums = CalledSums.of_curve(data["m0"].roc, decision._count_steps(data["m0"].roc, T))
    terms = decision._list_terms(sums, of.CALLED_POS, of.CALLED_NEG, odds, p)
    rest = decision._list_terms(sums, of.MISSED_POS, of.SPARED_NEG, odds, p, -1.0)
    leads = influence(calls[0])
    if p is None:
        leads = np.hstack([leads, influence(calls[0] - 1.0)])
    lead = JointError(sums, terms, rest if p is None else None)
    return [*errors, lead], [influence(calls[0] * 1.0 - calls[1]), leads]


@pytest.mark.parametrize("p", [None, 0.1])
@pytest.mark.parametrize("kind", DESIGNS)
def test_covariance_is_that_of_sums_over_units(kind: str, p: float | None) -> None:
    data = sample(**DESIGNS[kind])
    unit = CLUSTER if "clusters" in DESIGNS[kind] else np.arange(N)
    size = int(unit.max()) + 1
    for error, rows in zip(*find_errors(data, p), strict=True):
        sums = np.zeros((size, rows.shape[1]))
        np.add.at(sums, unit, rows)
        known = sums.T @ sums
        if "strata" in DESIGNS[kind]:
            stratum = np.arange(size) % 3 if "clusters" in DESIGNS[kind] else STRATUM
            scale, part = find_stratum_factors(stratum)
            totals = np.array([sums[stratum == h].sum(axis=0) for h in range(3)])
            known = (sums.T * scale[stratum]) @ sums - (totals.T * part) @ totals
        known *= size / (size - 1)
        whole = error.mix.T @ error.covariance @ error.mix
        np.testing.assert_allclose(whole, known, rtol=1e-9, atol=1e-14)
        a = error.coefficients
        same = size / (size - 1) * error.sums.multiply(a, a)
        np.testing.assert_allclose(np.diag(whole)[: T.size], same, rtol=1e-11, atol=1e-17)


def test_counts_suffice_for_independent_rows() -> None:
    """A curve without its rows has the covariance of the curve with clusters of single rows."""
    curves = rb.roc_curve(Y, P[0]), sample(1, clusters=np.arange(N)).roc
    odds = T / (1 - T)
    found = []
    for roc in curves:
        sums = CalledSums.of_curve(roc, decision._count_steps(roc, T))
        terms = decision._list_terms(sums, of.CALLED_POS, of.CALLED_NEG, odds, None)
        found.append(JointError(sums, terms))
    np.testing.assert_allclose(found[0].covariance, found[1].covariance, rtol=1e-12, atol=1e-16)
    np.testing.assert_allclose(found[0].pseudo_row, found[1].pseudo_row)
    assert found[0].sums.design.weight.size == 2  # entries, one of each class


@pytest.mark.parametrize("single", [False, True])
def test_common_clusters_add_the_products_of_both_sets(single: bool) -> None:
    code = np.arange(N) if single else CLUSTER
    other = code + (40 if single else 10)  # some clusters are in both sets
    sets = rb.Sample(Y, P[0], clusters=code), rb.Sample(~Y, P[1], clusters=other)
    pair = read_pair(*sets, None)
    _, errors, _ = decision._compare(pair, T, 0.2)
    assert pair.common_clusters is not None
    extra = multiply_common(errors, pair.common_clusters)
    units, known = np.unique(np.concatenate((code, other))), []
    for labels, scores, own, sign in ((Y, P[0], code, 1), (~Y, P[1], other, -1)):
        x = (scores[:, None] >= T) * 1.0
        for c, weight in ((labels, 0.2), (~labels, -0.8 * T / (1 - T))):
            x[c] = sign * (x[c] - x[c].mean(axis=0)) * weight / c.sum()
        part = np.zeros((units.size, T.size))
        np.add.at(part, np.searchsorted(units, own), x)
        known.append(part)
    cross = known[0].T @ known[1] * units.size / (units.size - 1)
    np.testing.assert_allclose(extra, cross + cross.T, rtol=1e-9, atol=1e-15)
    rng = np.random.default_rng(0)
    assert find_critical_value(errors, 0.95, 500, rng, pair.common_clusters).value > 1.9


def test_pseudo_row_has_the_mean_weight_of_rows() -> None:
    (error, lead), _ = find_errors(sample(weights=WEIGHT))
    weight = (WEIGHT**2).sum() / WEIGHT.sum() / WEIGHT.sum()
    known = weight * np.maximum(1.0, T / (1 - T))
    np.testing.assert_allclose(error.pseudo_row, known)
    np.testing.assert_allclose(lead.pseudo_row, np.tile(known, 2))


def test_equal_models_have_the_critical_value_of_one_threshold() -> None:
    """The error of the difference is 0 there, and only the pseudo row remains."""
    pair = read_pair(Y, P[0], P[0])
    _, errors, _ = decision._compare(pair, T, None)
    found = find_critical_value(errors, 0.9, 200, np.random.default_rng(0))
    assert found.value == pytest.approx(1.6448536)


@pytest.mark.parametrize("seed", range(4, 7))
def test_thresholds_at_which_both_models_act_alike_change_no_draws(seed: int) -> None:
    """Their errors are 0 but for rounding, which differs if models are exchanged."""
    rng = np.random.default_rng(seed)
    y, weights = np.arange(20) % 2, rng.integers(1, 9, 20) / 4.0
    scores = [np.round(np.clip((rng.random(20) + 0.6 * y) / 1.6, 0.01, 0.99), 2) for _ in "ab"]
    found, other = (
        rb.net_benefit_difference(rb.Sample(y, models, weights=weights), n_resamples=500)
        for models in (
            dict(zip("ab", scores, strict=True)),
            dict(zip("ba", scores[::-1], strict=True)),
        )
    )
    for one, two in ((found.lower, -other.upper), (found.upper, -other.lower)):
        np.testing.assert_allclose(one, two, rtol=2e-9, atol=2e-9)


def test_models_with_thresholds_of_their_own() -> None:
    """The cells of a model follow its own thresholds."""
    cuts = T, T[::-1] * 0.9
    data = Pair.from_sample(sample())
    sums = PairedSums.add_up(RowDesign.of_pair(data), (P[0], P[1]), cuts)
    share = sums.find_share((1.0, 0.0, 0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0, 1.0, 0.0))
    other = sums.find_share((0.0, 1.0, 0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0, 1.0, 0.0))
    error = JointError(sums, [(1.0, share), (-1.0, other)])
    x = (P[0][Y][:, None] >= cuts[0]) * 1.0 - (P[1][Y][:, None] >= cuts[1])
    known = np.cov(x.T, bias=True) / Y.sum() * N / (N - 1)
    np.testing.assert_allclose(error.covariance, known, atol=1e-15)


def test_exact_limits_of_a_share_are_those_of_clopper_and_pearson() -> None:
    """1 case in 60 at z = 2.9: Wilson's lower limit is about 50 times as large."""
    from rocbands._math.binomial import clopper_pearson_limits

    sums = CalledSums.of_curve(rb.roc_curve([1] + [0] * 59, np.arange(60) / 60), np.array([60]))
    tail = float(ndtr(-2.9))
    share = sums.find_share(of.CALLED_POS, of.ALL, sums.near.all)
    known = clopper_pearson_limits(1.0, 60.0, 1 - 2 * tail)
    np.testing.assert_allclose(share.limits(tail, exact=True), np.reshape(known, (2, 1)))
    assert share.limits(tail)[0] / known[0] > 20
