"""Views whose prevalence is estimated from the same rows."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import beta, t

import rocbands as rb
from rocbands.design.effective_sizes import limit_prevalence
from rocbands.likelihood.gains import GainsProfile
from rocbands.likelihood.profile import PrecisionProfile
from rocbands.likelihood.region import LikelihoodRegion

FP = np.array([0, 0, 1, 1, 2, 2, 3, 5, 5, 9, 20, 40])
TP = np.array([0, 2, 2, 4, 4, 5, 6, 6, 8, 9, 10, 10])
STAIRS = (FP, TP)


def stairs_band():
    roc = rb.RocCurve.from_counts(np.arange(FP.size - 1, 0, -1.0), FP[1:], TP[1:])
    return rb.Band(roc, LikelihoodRegion(FP, TP, 3.0), 0.95, rb.bands.Likelihood())


def example_band(method="likelihood", **how):
    sample = rb.load_example()
    return rb.roc_band(sample["logistic"], method=method, rng=1, **how)


def test_cost_of_false_positives():
    """12 false positives among 20 positives at w = .4, and with 15 of 20 found at v = .9."""
    counts = np.array([0, 12, 40]), np.array([0, 15, 20])
    region = PrecisionProfile(counts, counts, 3.0)
    k, w, v = (np.array([x]) for x in (12.0, 0.4, 0.9))
    assert region.cost(k, w, v, True)[0] == pytest.approx(0.592576733313, abs=1e-12)
    assert region._total(k, np.array([15.0]), w, v, True)[0] == pytest.approx(
        2.439207040775, abs=1e-12
    )


@pytest.mark.parametrize(
    ("recall", "low", "high"),
    [(0.35, 0.208628435124, 1.0), (0.75, 0.135559849350, 0.951197048365)],
)
def test_profiled_precision_of_the_stairs(recall, low, high):
    view = stairs_band().view("pr")
    assert view.rule == "profile"
    assert view.lower_at(recall) == pytest.approx(low, abs=1e-9)
    assert view.upper_at(recall) == pytest.approx(high, abs=1e-9)


@pytest.mark.parametrize(
    ("rate", "low", "high"),
    [(0.2, 0.263672725975, 0.959926481437), (0.5, 0.667393907364, 1.0)],
)
def test_profiled_gains_of_the_stairs(rate, low, high):
    band = stairs_band()
    view, lift = band.view("gains"), band.view("lift")
    assert view.lower_at(rate) == pytest.approx(low, abs=1e-9)
    assert view.upper_at(rate) == pytest.approx(high, abs=1e-9)
    assert lift.lower_at(rate) == pytest.approx(low / rate, abs=1e-8)
    assert lift.upper_at(rate) == pytest.approx(high / rate, abs=1e-8)


def binomial_cost(k, size, rate):
    """Log-likelihood ratio of k out of `size` against `rate`, in plain Python."""
    parts = ((k, rate), (size - k, 1 - rate))
    return sum(c * math.log(c / size / r) for c, r in parts if c > 0) if 0 < rate < 1 else math.inf


def least_over_prevalence(cost, low, high):
    """Numeric minimum on a fine grid, then refined around its best place."""
    grid = np.linspace(low, high, 4001)[1:-1]
    best = min(grid, key=cost)
    step = grid[1] - grid[0]
    found = minimize_scalar(
        cost,
        bounds=(max(best - step, low + 1e-12), min(best + step, high - 1e-12)),
        method="bounded",
        options={"xatol": 1e-13},
    )
    return min(found.fun, cost(best))


@pytest.mark.parametrize(
    ("m", "n", "k", "x"),
    [(10, 40, 7, 0.3), (10, 40, 1, 0.02), (50, 30, 22, 0.2), (5, 500, 90, 9.0), (20, 20, 0, 0.1)],
)
def test_profile_is_the_minimum_over_the_prevalence(m, n, k, x):
    """N d(m/N, p) + n d(k/n, u(p)) with u = w p / (1 - p), made smallest over p; both sides."""
    counts = np.array([0, n]), np.array([0, m])

    def cost(p):
        u = x * p / (1 - p)
        if not 0 < u < 1:
            return math.inf
        return binomial_cost(m, m + n, p) + binomial_cost(k, n, u)

    numeric = least_over_prevalence(cost, 0.0, 1 / (1 + x))
    up = k > m * x
    region = PrecisionProfile(counts, counts, 3.0)
    at = (np.array([float(k)]), np.array([x]), np.array([0.5]))
    assert region.cost(*at, up)[0] == pytest.approx(numeric, abs=1e-9)
    assert region.cost(*at, not up)[0] == 0.0


@pytest.mark.parametrize(
    ("m", "n", "k", "x", "v"),
    [
        (10, 40, 7, 0.1, 0.5),
        (10, 40, 1, 0.3, 0.6),
        (50, 30, 22, 0.5, 0.9),
        (5, 500, 90, 0.1, 0.2),
        (20, 20, 0, 0.4, 0.5),
        (10, 40, 40, 0.7, 0.6),
        (10, 40, 7, 0.1, 1.0),
    ],
)
def test_gains_profile_is_the_minimum_over_the_prevalence(m, n, k, x, v):
    counts = np.array([0, n]), np.array([0, m])

    def cost(p):
        u = (x - p * v) / (1 - p)
        if not 0 < u < 1:
            return math.inf
        return binomial_cost(m, m + n, p) + binomial_cost(k, n, u)

    high = min(x / v, (1 - x) / (1 - v) if v < 1 else 1.0, 1.0)
    numeric = least_over_prevalence(cost, 0.0, high)
    up = k > (m + n) * x - m * v
    region = GainsProfile(counts, counts, 3.0)
    at = (np.array([float(k)]), np.array([x]), np.array([v]))
    assert region.cost(*at, up)[0] == pytest.approx(numeric, abs=1e-9)
    assert region.cost(*at, not up)[0] == 0.0


def random_counts(rng, m, n, levels):
    pos, neg = rng.integers(0, levels, m) + levels // 6, rng.integers(0, levels, n)
    fp, tp = (np.array([(s >= t).sum() for t in range(2 * levels, -1, -1)]) for s in (neg, pos))
    moves = np.append(True, (np.diff(fp) > 0) | (np.diff(tp) > 0))
    return fp[moves], tp[moves]


@pytest.mark.slow
@pytest.mark.parametrize("kind", [PrecisionProfile, GainsProfile])
@pytest.mark.parametrize("levels", [4, 400])
def test_distance_is_the_least_over_the_curve(kind, levels):
    """Brute force over 20,000 points of the curve, tied segments included."""
    rng = np.random.default_rng(levels)
    fp, tp = random_counts(rng, 30, 80, levels)
    region = kind((fp, tp), (fp, tp), 6.0)
    place = np.linspace(0, fp.size - 1, 20_001)
    place = np.union1d(place, np.arange(fp.size))
    k, y = (np.interp(place, np.arange(fp.size), side) for side in (fp, tp))
    for _ in range(60):
        v = rng.uniform(0.02, 0.98)
        x = rng.uniform(0.01, 4.0) if kind is PrecisionProfile else rng.uniform(0.02, 0.98)
        for up in (True, False):
            brute = region._total(k, y, np.full_like(k, x), np.full_like(k, v), up).min()
            if brute > 5.9:
                continue
            got = region.distance(np.array([x]), np.array([v]), up)[0]
            assert got == pytest.approx(brute, abs=2e-4)
            assert got <= brute + 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("kind", [PrecisionProfile, GainsProfile])
@pytest.mark.parametrize("seed", range(12))
def test_limits_are_where_the_distance_is_the_critical_value(kind, seed):
    """A little inside the distance is smaller, a little outside larger; close to the ends, too."""
    rng = np.random.default_rng(seed)
    # Of many rows on few levels the curve is long segments, and the limits lie close to it.
    sizes = [(1, 1, 9), (2, 40, 5), (30, 80, 4), (212, 357, 10_000), (10**5, 3 * 10**5, 2)]
    m, n, levels = sizes[seed % 5]
    fp, tp = random_counts(rng, m, n, levels)
    region = kind((fp, tp), (fp, tp), rng.choice([0.2, 3.0, 6.0]))
    tail = 10.0 ** rng.uniform(-6, -1, 12)
    at = np.concatenate([tail, rng.random(12), 1 - tail])
    for limit, outward in zip(region.limits(at), (-1.0, 1.0), strict=True):
        up = (outward > 0) == (kind is GainsProfile)
        for sign in (-1.0, 1.0):
            near = limit + sign * outward * 1e-6 * np.minimum(limit, 1 - limit)
            x = (near / (1 - near), at) if kind is PrecisionProfile else (at, near)
            inner = (limit > 1e-9) & (limit < 1 - 1e-9)
            found = region.distance(*(side[inner] for side in x), up)
            gap = sign * (found - region.critical_value)
            assert (gap > 0).all()


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


@pytest.mark.parametrize("rows", [(12, 0.5), (60, 0.3), (400, 0.04), (2000, 0.5)])
def test_quick_and_slow_searches_find_the_same_recalls(rows):
    """All ends at once and, independent of it, one nearest point after the other."""
    rng = np.random.default_rng(rows[0])
    y = np.append(rng.random(rows[0]) < rows[1], [True, False])
    region = rb.roc_band(y, rng.normal(size=y.size) + y).view("gains").region._gains
    x = 0.5 - 0.5 * np.cos(np.linspace(0.0, np.pi, 101))[1:-1]
    quick, exact = region._from_ends(x)
    assert exact.all()
    for up in (False, True):
        slow = region._find_edge(x, region._inside(x, up), np.zeros(x.size, bool), up)
        np.testing.assert_allclose(quick[int(up)], slow, atol=1e-11)


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


def precise_distance(fp, tp, x, v, up):
    """Least cost over the vertices, from the formulas of the module, with 50 digits."""
    n, m, x, v = Decimal(int(fp[-1])), Decimal(int(tp[-1])), Decimal(float(x)), Decimal(float(v))
    total, way = n + m, 1 if up else -1
    least = Decimal(99)
    for k, y in zip(map(Decimal, fp.tolist()), map(Decimal, tp.tolist()), strict=True):
        cost = Decimal(0)
        if way * (m * v - y) > 0:
            cost += sum(a * (a / (m * r)).ln() for a, r in ((y, v), (m - y, 1 - v)) if a)
        if cost < least and way * (k - total * x + m * v) > 0:
            b = m * (x * (1 - v) + (1 - x) * v) + k * v * (1 - x) + (n - k) * (1 - v) * x
            root = (b * b - 4 * total * v * (1 - v) * m * x * (1 - x)).sqrt()
            p = 2 * m * x * (1 - x) / (b + root)
            cells = ((m, p), (k, x - p * v), (n - k, 1 - x - p * (1 - v)))
            cost += sum(a * (a / (total * share)).ln() for a, share in cells if a)
        least = min(least, cost)
    return float(least)


@pytest.mark.parametrize("sizes", [(17, 2), (36, 137), (300, 3)])
def test_limits_of_millions_of_rows_on_few_levels_against_precise_arithmetic(sizes):
    """Limits are narrow beside the steps of the curve; differences of large costs lose digits."""
    rng = np.random.default_rng(sizes)
    y = rng.permutation(np.repeat([True, False], sizes))
    fp, tp = (10**6 * np.append(0, np.cumsum(side)) for side in (~y, y))
    region, at = GainsProfile((fp, tp), (fp, tp), 1.0), rng.uniform(0.02, 0.98, 6)
    with localcontext(prec=50):
        for up in (False, True):
            found = [(x, v) for x, v in zip(region.rates(at)[up], at, strict=True)]
            found += [(x, v) for x, v in zip(at, region.limits(at)[up], strict=True)]
            for x, v in found:
                assert precise_distance(fp, tp, x, v, up) == pytest.approx(1.0, abs=1e-6)


def test_true_negatives_drop_out():
    """More negatives below everything change nothing but the curve's last stretch."""
    more = np.append(FP, 400), np.append(TP, 10)
    few, many = (PrecisionProfile(c, c, 3.0) for c in (STAIRS, more))
    v = np.array([0.1, 0.4, 0.6])  # where the last vertex is out of reach
    for one, other in zip(few.limits(v), many.limits(v), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)


def test_known_prevalence_is_the_limit_of_many_rows():
    big = 10_000
    counts = FP * big, TP * big
    roc = rb.RocCurve.from_counts(np.arange(FP.size - 1, 0, -1.0), counts[0][1:], counts[1][1:])
    band = rb.Band(roc, LikelihoodRegion(*counts, 3.0), 0.95, rb.bands.Likelihood())
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
    assert binomial_cost(band.n_pos, total, low) == pytest.approx(
        band.region.critical_value, abs=1e-7
    )


@pytest.mark.slow
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
    from rocbands.views.estimated import Product

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
    with pytest.raises(
        rb.InputError, match=r"folds has an error of its own kind.*prevalence=0\.373"
    ):
        band.view("pr")


def test_weighted_rows_have_the_weighted_share_with_its_own_error():
    """Korn and Graubard's limits, written out; and both errors leave out half as often."""
    rng = np.random.default_rng(3)
    y, w, g = rng.integers(0, 2, 60), np.exp(rng.normal(size=60)), np.arange(60) // 3
    roc = rb.Sample(y, rng.normal(size=60) + y, weights=w, groups=g).roc
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
    with pytest.raises(rb.InputError, match="must never fall along the curve"):
        stairs_band().view("gains").contains(([0.2, 0.4, 0.9], [0.5, 0.4, 0.9]))


@pytest.mark.slow
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
