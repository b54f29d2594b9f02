"""Costs where the share of positives varies: drawn costs, a second program, limits, refusals."""

from __future__ import annotations

import numpy as np
import pytest

import rocbands as rb
from rocbands.cost import ShareLaw
from rocbands.cost.conditions import build_conditions
from rocbands.cost.terms import CostTerms
from tests.oracles import share_law as oracle

COSTS = (4.0, 1.0)


def counted(fn: int, m: int, fp: int, k: int) -> rb.RocCurve:
    """A test set with these errors at threshold 2."""
    return rb.RocCurve.from_counts([3, 1], fp=[fp, k], tp=[m - fn, m])


def limits(roc: rb.RocCurve, law: object, **how: object) -> tuple[float, float]:
    found = rb.cost_interval(roc, thresholds=2, costs=COSTS, sampling=law, **how)  # type: ignore[arg-type]
    return float(found.lower[0]), float(found.upper[0])


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_with_known_error_rates_limits_are_quantiles_of_drawn_costs(level: float) -> None:
    roc = counted(60_000_000, 200_000_000, 14_000_000, 200_000_000)
    drawn = oracle.draw_costs(0.3, 0.07, COSTS, 0.05, 0.04, 400_000)
    known = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    assert limits(roc, ShareLaw(0.04, mean=0.05), level=level) == pytest.approx(known, abs=4e-4)


def test_variance_is_that_of_drawn_test_sets() -> None:
    sizes, drawn = (400, 600), oracle.draw_test_sets(0.3, 0.07, COSTS, (400, 600), 0.05, 400_000)
    at = build_conditions(costs=COSTS, sampling=ShareLaw(0.05), sizes=sizes)
    counts = CostTerms.of_counts(np.array([120]), np.array([42]), at)
    assert counts.mean[0] == pytest.approx(drawn.mean(), abs=2e-4)
    assert counts.variance[0] == pytest.approx(drawn.var(), rel=0.01)
    fixed = build_conditions(costs=COSTS, sampling="full", sizes=sizes)
    binomial = CostTerms.of_counts(np.array([120]), np.array([42]), fixed)
    assert binomial.variance[0] < 0.5 * drawn.var()  # a control


@pytest.mark.parametrize(("fn", "fp", "costs"), [(12, 9, (4, 1)), (3, 90, (1, 9)), (0, 0, (1, 1))])
def test_a_share_that_hardly_varies_is_full_sampling(fn: int, fp: int, costs: tuple) -> None:
    asked = {"thresholds": 2, "costs": costs, "method": "gaussian"}
    one, two = (
        rb.cost_interval(counted(fn, 100, fp, 300), sampling=law, **asked)  # type: ignore[arg-type]
        for law in (ShareLaw(1e-9), "full")
    )
    for name in ("cost", "lower", "upper"):
        np.testing.assert_allclose(getattr(one, name), getattr(two, name), atol=1e-9)


@pytest.mark.parametrize(("n_pos", "sd"), [(40, 0.05), (200, 0.02), (15, 0.04), (390, 0.02)])
def test_limits_of_the_mean_are_those_of_another_program(n_pos: int, sd: float) -> None:
    share = ShareLaw(sd).apply(n_pos / 400, 400)
    below, above = share.find_reach(0.9)
    known = oracle.limit_mean(share.mean, sd, 400, 0.9)
    assert (share.mean - below, share.mean + above) == pytest.approx(known, abs=1e-6)


def test_difference_varies_with_the_share() -> None:
    sample = rb.load_example()
    asked = {"thresholds": (0.5, 0.5), "costs": (10, 1)}
    widths = [
        float((found.upper - found.lower)[0])
        for sd in (1e-6, 0.05, 0.1)
        for found in [rb.cost_difference(sample, sampling=ShareLaw(sd, mean=0.3), **asked)]  # type: ignore[arg-type]
    ]
    assert widths == sorted(widths)
    assert widths[2] > 1.1 * widths[0]
    one, two = (
        rb.cost_interval(sample[name], thresholds=0.5, costs=(10, 1), sampling=ShareLaw(0.1, 0.3))
        for name in sample
    )
    both = rb.cost_difference(sample, sampling=ShareLaw(0.1, mean=0.3), **asked)  # type: ignore[arg-type]
    assert both.difference[0] == pytest.approx(one.cost[0] - two.cost[0], abs=1e-12)


@pytest.mark.parametrize("law", [ShareLaw(0.1), ShareLaw(0.1, mean=0.02), ShareLaw(0.499)])
@pytest.mark.parametrize("errors", [(0, 0), (1, 0), (0, 1), (1, 500), (1, 1)])
def test_limits_stay_in_range(law: ShareLaw, errors: tuple[int, int]) -> None:
    for method in ("mover", "gaussian"):
        roc = counted(errors[0], 1, errors[1], 500)
        found = rb.cost_interval(roc, thresholds=2, w=[0, 0.3, 1], sampling=law, method=method)
        assert (found.lower >= 0).all()
        assert (found.upper <= 1).all()
        if method == "mover":
            assert ((found.lower <= found.cost) & (found.cost <= found.upper)).all()


def test_result_says_what_it_is_for() -> None:
    roc = counted(12, 100, 9, 300)
    asked = {"thresholds": 2, "costs": (4, 1)}
    found = rb.cost_interval(roc, sampling=ShareLaw(0.05, mean=0.1), **asked)  # type: ignore[arg-type]
    assert (found.sampling, found.prevalence) == ("varying", 0.1)
    assert "by 0.05 (sd) about 0.1; limits are for the" in " ".join(str(found).split())
    own = rb.cost_interval(roc, sampling=ShareLaw(0.05), **asked)  # type: ignore[arg-type]
    assert "at its mean, estimated as 0.25" in " ".join(str(own).split())
    assert own.to_dict()["sampling"] == "varying"
    found.plot()


def test_refusals() -> None:
    roc, asked = counted(12, 100, 9, 300), {"thresholds": 2, "costs": (4, 1)}
    for sd, mean in ((0.0, None), (0.6, None), (0.1, 0.005), (0.1, 1.0)):
        with pytest.raises(rb.InputError, match=r"must (be|lie)"):
            ShareLaw(sd, mean=mean)
    with pytest.raises(rb.InputError, match="no form for a share of positives that varies"):
        rb.cost_interval(roc, sampling=ShareLaw(0.1), method="exact", **asked)  # type: ignore[arg-type]
    with pytest.raises(rb.InputError, match="has its own"):
        rb.cost_interval(roc, sampling=ShareLaw(0.1), prevalence=0.2, **asked)  # type: ignore[arg-type]
    sample = rb.load_example()
    clustered = sample.replace(clusters=np.arange(sample.n) // 3)
    with pytest.raises(rb.InputError, match="give the law its mean"):
        rb.cost_interval(clustered["logistic"], sampling=ShareLaw(0.1), thresholds=0.5, w=0.5)
    wide = rb.cost_interval(
        clustered["logistic"], sampling=ShareLaw(0.1, 0.3), thresholds=0.5, w=0.5
    )
    assert "Clusters" in wide.notes[-1]
    with pytest.raises(rb.InputError, match="fixed or binomial"):
        rb.cost_difference(
            sample, thresholds=(0.5, 0.5), w=0.5, sampling=ShareLaw(0.1), simultaneous=True
        )
    one, two = (sample["logistic"].take(np.arange(k, sample.n, 2)) for k in (0, 1))
    with pytest.raises(rb.InputError, match="fixed class sizes"):
        rb.cost_difference(one, two, thresholds=(0.5, 0.5), w=0.5, sampling=ShareLaw(0.1, mean=0.3))
