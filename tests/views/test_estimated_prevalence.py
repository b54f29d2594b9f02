"""Views whose prevalence is estimated from the same rows."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import beta, t

import rocbands as rb
from rocbands.design.effective_sizes import limit_prevalence
from rocbands.likelihood.region import LikelihoodRegion
from tests.oracles.likelihood import d

FP = np.array([0, 0, 1, 1, 2, 2, 3, 5, 5, 9, 20, 40])
TP = np.array([0, 2, 2, 4, 4, 5, 6, 6, 8, 9, 10, 10])


def stairs_band():
    roc = rb.RocCurve.from_counts(np.arange(FP.size - 1, 0, -1.0), FP[1:], TP[1:])
    return rb.results.Band(roc, LikelihoodRegion(FP, TP, 3.0), 0.95, rb.bands.Likelihood())


def example_band(method="likelihood", **how):
    sample = rb.load_example()
    return rb.roc_band(sample["logistic"], method=method, rng=1, **how)


@pytest.mark.parametrize(
    ("recall", "low", "high"), [(0.35, 0.208628435124, 1.0), (0.75, 0.135559849350, 0.951197048365)]
)
def test_profiled_precision_of_the_stairs(recall, low, high):
    view = stairs_band().view("pr")
    assert view.rule == "profile"
    assert view.lower_at(recall) == pytest.approx(low, abs=1e-9)
    assert view.upper_at(recall) == pytest.approx(high, abs=1e-9)


@pytest.mark.parametrize(
    ("rate", "low", "high"), [(0.2, 0.263672725975, 0.959926481437), (0.5, 0.667393907364, 1.0)]
)
def test_profiled_gains_of_the_stairs(rate, low, high):
    band = stairs_band()
    view, lift = band.view("gains"), band.view("lift")
    assert view.lower_at(rate) == pytest.approx(low, abs=1e-9)
    assert view.upper_at(rate) == pytest.approx(high, abs=1e-9)
    assert lift.lower_at(rate) == pytest.approx(low / rate, abs=1e-8)
    assert lift.upper_at(rate) == pytest.approx(high / rate, abs=1e-8)


@pytest.mark.parametrize("levels", [4, 400])
def test_lift_at_small_rates_is_at_most_one_over_the_prevalence(levels):
    """Recall at a rate of one case of a thousand cannot be that of the first tied segment."""
    rng = np.random.default_rng(1)
    y = rng.random(300) < 0.2
    band = rb.roc_band(y, rng.integers(0, levels, 300) + y * levels // 3, rng=1, n_resamples=199)
    x = np.array([0.0, 1e-7, 1e-4, 1e-3, 0.01])
    least = band.view("pr").lower_at(1.0)  # of the prevalence
    assert (band.view("lift").upper_at(x) <= 1 / least + 1e-6).all()
    # Swapped classes and turned scores: the same at the other end of the axis.
    missed = 1 - band.view("gains").lower_at(1 - x)
    assert (missed <= x / least + 1e-9).all()


@pytest.mark.parametrize(("rows", "share"), [(12, 0.5), (60, 0.3), (400, 0.04), (2000, 0.5)])
def test_lines_of_gains_and_lift_are_at_the_critical_value(rows, share):
    """Vertices of lines are found along other axes than limits at rates are."""
    rng = np.random.default_rng(rows)
    y = np.append(rng.random(rows) < share, [True, False])
    band = rb.roc_band(y, rng.normal(size=y.size) + 2 * y)
    view, region = band.view("gains"), band.view("gains").region._gains
    for up, line in enumerate((view.lower, view.upper)):
        inner = (line.x > 1e-9) & (line.x < 1) & (line.y > 1e-6) & (line.y < 1 - 1e-6)
        x, v = line.x[inner], line.y[inner]
        assert x.size > 60
        np.testing.assert_allclose(
            region.distance(x, v, bool(up)), region.critical_value, rtol=1e-7
        )
        assert (line.x[0], line.y[0], line.x[-1], line.y[-1]) == (0, 0, 1, 1)
    at = np.linspace(0.02, 0.99, 50)
    lift, width = band.view("lift"), view.area + 0.01
    for line, limit in ((lift.lower, lift.lower_at), (lift.upper, lift.upper_at)):
        np.testing.assert_allclose(
            at * np.interp(at, line.x, line.y), at * limit(at), atol=0.08 * width
        )


def test_known_prevalence_is_the_limit_of_many_rows():
    big = 10_000
    counts = FP * big, TP * big
    roc = rb.RocCurve.from_counts(np.arange(FP.size - 1, 0, -1.0), counts[0][1:], counts[1][1:])
    band = rb.results.Band(roc, LikelihoodRegion(*counts, 3.0), 0.95, rb.bands.Likelihood())
    at = np.array([0.3, 0.6, 0.9])
    for name in ("pr", "gains"):
        estimated, known = band.view(name), band.view(name, prevalence=0.2)
        np.testing.assert_allclose(estimated.lower_at(at), known.lower_at(at), atol=5e-3)
        np.testing.assert_allclose(estimated.upper_at(at), known.upper_at(at), atol=5e-3)


def test_right_end_is_the_likelihood_interval_of_the_prevalence():
    band = example_band()
    view = band.view("pr")
    low = float(view.lower_at(1.0))
    total = band.n_pos + band.n_neg
    assert total * d(band.n_pos / total, low) == pytest.approx(band.region.critical_value, abs=1e-7)


@pytest.mark.parametrize("name", ["pr", "gains", "lift"])
def test_contains_agrees_with_the_limits(name):
    band = stairs_band()
    view = band.view(name)
    assert view.contains(band.roc)
    rng = np.random.default_rng(3)
    for _ in range(12):
        p, shape = rng.uniform(0.05, 0.5), rng.uniform(0.1, 1.0)
        u = np.concatenate([[0.0], np.geomspace(1e-4, 1, 60)])
        v = u**shape
        if name == "pr":
            x, y = v[1:], p * v[1:] / (p * v[1:] + (1 - p) * u[1:])
        else:
            x, y = p * v + (1 - p) * u, v
            if name == "lift":
                x, y = x[1:], y[1:] / x[1:]
        inside = (view.lower_at(x) <= y + 1e-9).all() and (y <= view.upper_at(x) + 1e-9).all()
        if view.contains((x, y)):
            assert inside
        else:  # between the points it may leave by a little
            slack = 0.03 * y.max()
            assert not (
                (view.lower_at(x) + slack <= y).all() and (y <= view.upper_at(x) - slack).all()
            )


@pytest.mark.parametrize("name", ["pr", "gains", "lift", "net-benefit"])
@pytest.mark.parametrize("method", ["joint-region", "fixed-width"])
def test_product_rule(name, method):
    band = example_band(method)
    view = band.view(name, rng=1)
    assert view.rule == "product"
    at = np.array([0.1, 0.5, 0.9])
    total = band.n_pos + band.n_neg
    each = math.sqrt(0.95)
    again = example_band(method, level=each)
    region = view.region
    assert region.band.level == each
    known = [again.view(name, prevalence=p) for p in (region.low, band.n_pos / total, region.high)]
    for one in known:
        assert (view.lower_at(at) <= one.lower_at(at) + 1e-9).all()
        assert (view.upper_at(at) >= one.upper_at(at) - 1e-9).all()
    assert view.contains(band.roc)
    if name != "net-benefit":
        assert view.contains(known[1].curve)
        chance = (
            (lambda x: np.full_like(x, band.n_pos / total))
            if name == "pr"
            else (lambda x: x)
            if name == "gains"
            else np.ones_like
        )
        assert not view.contains(chance)


def test_likelihood_net_benefit_uses_the_product_rule():
    assert example_band().view("net-benefit").rule == "product"


def test_profile_is_narrower_than_the_product():
    band = example_band()
    profile = band.view("pr")
    from rocbands.views.coordinates import COORDINATES
    from rocbands.views.regions import Product

    product = Product.from_band(band, COORDINATES["pr"](), None)
    at = np.linspace(0.1, 0.95, 18)
    low, high = product.limits(at)
    width = (profile.upper_at(at) - profile.lower_at(at)).mean()
    assert 0.7 < width / (high - low).mean() < 0.95
    known = band.view("pr", prevalence=212 / 569)
    assert 1.0 < width / (known.upper_at(at) - known.lower_at(at)).mean() < 1.25


def test_folds_need_a_prevalence():
    sample = rb.load_example()
    folded = sample["logistic"].replace(folds=np.arange(sample.n) % 2)
    band = rb.roc_band(folded, rng=1, n_resamples=99)
    with pytest.raises(rb.InputError, match=r"not estimated for rows in folds.*prevalence=0\.373"):
        band.view("pr")


def test_weighted_rows_have_the_weighted_share_with_its_own_error():
    """Korn and Graubard's limits, written out; and both errors leave out half as often."""
    rng = np.random.default_rng(3)
    y, w, g = rng.integers(0, 2, 60), np.exp(rng.normal(size=60)), np.arange(60) // 3
    roc = rb.Sample(y, rng.normal(size=60) + y, weights=w, clusters=g).roc
    share = float(w @ y / w.sum())
    assert roc.prevalence == pytest.approx(share, rel=1e-12)
    totals = [(w * (y - share))[g == k].sum() / w.sum() for k in range(20)]
    worth = share * (1 - share) / (sum(z**2 for z in totals) * 20 / 19)
    worth = min(worth * (t.ppf(0.975, 59) / t.ppf(0.975, 19)) ** 2, 60)
    expected = (
        beta.ppf(0.025, worth * share, worth * (1 - share) + 1),
        beta.ppf(0.975, worth * share + 1, worth * (1 - share)),
    )
    assert limit_prevalence(roc, 0.95) == pytest.approx(expected, rel=1e-9)
    view = rb.roc_band(roc, level=0.9).view("pr")
    assert view.rule == "product"
    assert view.region.low == pytest.approx(limit_prevalence(roc, 0.95)[0])
    assert "hold simultaneously at 90%" in " ".join(view.notes)


def test_bins_widen_the_profile():
    counts = rb.RocCurve.from_counts(np.arange(FP.size - 1, 0, -1.0), FP[1:], TP[1:])
    binned = rb.RocCurve.from_counts(counts.thresholds, counts.fp, counts.tp, bins=True)
    loose, tight = (
        rb.roc_band(roc, method=rb.bands.Likelihood("chance")).view("pr")
        for roc in (binned, counts)
    )
    at = np.linspace(0.05, 1, 20)
    assert loose.rule == "profile"
    assert (loose.lower_at(at) <= tight.lower_at(at) + 1e-9).all()
    assert (loose.upper_at(at) >= tight.upper_at(at) - 1e-9).all()


def test_curves_that_fall_are_refused():
    with pytest.raises(rb.InputError, match="must not decrease along the curve"):
        stairs_band().view("gains").contains(([0.2, 0.4, 0.9], [0.5, 0.4, 0.9]))


@pytest.mark.parametrize("name", ["pr", "gains", "lift"])
@pytest.mark.parametrize(
    "rows", [([1, 0, 1, 0], [1, 1, 1, 1]), ([1, 0], [1, 1]), ([1, 0, 1], [1, 2, 1])]
)
def test_tied_and_tiny_sets_have_limits_in_range(
    name: str, rows: tuple[list[int], list[int]]
) -> None:
    view = rb.roc_band(*rows, rng=1).view(name)
    columns = [np.asarray(column, dtype=float) for column in view.columns().values()]
    assert not any(np.isnan(column).any() for column in columns)
    assert (view.lower_at(0.5) <= view.upper_at(0.5)).all()


@pytest.mark.parametrize("rows", [10**8, 10**11, 10**14])
def test_of_very_many_rows_in_few_bins_only_the_bins_are_unknown(rows):
    """The limits are those of the extreme curves: positives of a bin first, or negatives first."""
    fp, tp = (np.array(share) * rows // 100 for share in ([6, 18, 60, 100], [17, 30, 80, 100]))
    roc = rb.RocCurve.from_counts([4.0, 3.0, 2.0, 1.0], fp, tp, bins=True)
    x = np.array([0.03, 0.05, 0.2, 0.4, 0.8])
    view, share = rb.roc_band(roc).view("gains"), 0.5
    lower, upper = (
        [
            np.interp(at, *(np.array(side) @ [share, 1 - share], np.array(side)[:, 0]))
            for at in x
        ]
        for side in (
            [(0, 0), (0, 0.06), (0.17, 0.06), (0.17, 0.18), (0.3, 0.18), (0.3, 0.6), (0.8, 0.6), (0.8, 1), (1, 1)],
            [(0, 0), (0.17, 0), (0.17, 0.06), (0.3, 0.06), (0.3, 0.18), (0.8, 0.18), (0.8, 0.6), (1, 0.6), (1, 1)],
        )
    )  # fmt: skip
    close = 20.0 / rows**0.5
    np.testing.assert_allclose(view.lower_at(x), lower, rtol=0, atol=close)
    np.testing.assert_allclose(view.upper_at(x), upper, rtol=0, atol=close)


def test_two_clusters_leave_limits_that_mean_something() -> None:
    """Markov's inequality: at a prevalence below tail * share, so large a share is too unlikely."""
    y = np.repeat([1, 0, 1, 0], (3, 7, 8, 2))
    sample = rb.Sample(y, np.arange(20.0), clusters=np.repeat([0, 1], 10))
    for level in (0.9, 0.95, 0.999):
        tail = (1.0 - level) / 2.0
        expected = tail * 0.55, 1.0 - tail * 0.45
        assert limit_prevalence(sample.roc, level) == pytest.approx(expected, rel=1e-12)
    lift = rb.roc_band(sample).view("lift")
    assert lift.upper_at(np.array([0.0, 0.5])).max() < 1000.0
