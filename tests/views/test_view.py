"""Views of a band: exact images of its region."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rocbands as rb
from rocbands.core.curve import Curve
from rocbands.likelihood.region import LikelihoodRegion
from rocbands.views.sections import Sections

# The curve of the specification: three slanted steps, 10 positives and 40 negatives.
FP = np.array([0, 0, 1, 1, 2, 2, 3, 5, 5, 9, 20, 40])
TP = np.array([0, 2, 2, 4, 4, 5, 6, 6, 8, 9, 10, 10])


def stairs():
    return rb.RocCurve.from_counts(np.arange(FP.size - 1, 0, -1.0), FP[1:], TP[1:])


def stairs_band():
    return rb.results.Band(stairs(), LikelihoodRegion(FP, TP, 3.0), 0.95, rb.bands.Likelihood())


SIMULTANEOUS = ("likelihood", "fixed-width", "joint-region", "sup-t", "working-hotelling")


def example_band(method="likelihood", **how):
    sample = rb.load_example()
    return rb.roc_band(sample["logistic"], method=method, rng=1, **how)


@pytest.mark.parametrize(
    ("recall", "low", "high"), [(0.35, 0.265957673286, 1.0), (0.75, 0.157894736842, 0.946601123286)]
)
def test_precision_limits_of_the_stairs(recall, low, high):
    view = stairs_band().view("pr", prevalence=0.2)
    assert view.lower_at(recall) == pytest.approx(low, abs=1e-9)
    assert view.upper_at(recall) == pytest.approx(high, abs=1e-9)


@pytest.mark.parametrize(
    ("rate", "low", "high"), [(0.2, 0.263860783981, 0.866925358306), (0.5, 0.668014803248, 1.0)]
)
def test_gains_limits_of_the_stairs(rate, low, high):
    band = stairs_band()
    view, lift = (band.view(name, prevalence=0.2) for name in ("gains", "lift"))
    assert view.lower_at(rate) == pytest.approx(low, abs=1e-9)
    assert view.upper_at(rate) == pytest.approx(high, abs=1e-9)
    assert lift.lower_at(rate) == pytest.approx(low / rate, abs=1e-8)
    assert lift.upper_at(rate) == pytest.approx(high / rate, abs=1e-8)


def test_view_roc_is_the_band_itself():
    band = example_band()
    view = band.view("roc")
    fpr = np.linspace(0, 1, 77)
    assert (view.lower_at(fpr) == band.lower_at(fpr)).all()
    assert (view.upper_at(fpr) == band.upper_at(fpr)).all()
    assert view.lower is band.lower
    assert view.upper is band.upper
    assert view.rule == "none needed"


def test_det_is_one_minus_the_height():
    band = example_band()
    view = band.view("det")
    fpr = np.array([0.01, 0.1, 0.5])
    np.testing.assert_allclose(view.lower_at(fpr), 1 - band.upper_at(fpr), atol=1e-15)
    np.testing.assert_allclose(view.upper_at(fpr), 1 - band.lower_at(fpr), atol=1e-15)


@pytest.mark.parametrize("method", SIMULTANEOUS)
@pytest.mark.parametrize("prevalence", [0.02, 0.4])
@pytest.mark.filterwarnings("ignore:The scores do not look binormal")
def test_limits_are_the_extremes_over_the_region(method, prevalence):
    """Brute force: many points of the region; no one is outside, and some are close to the limits.

    Points are (u, v) between the band's own vertical limits on a dense grid of u.
    """
    band = example_band(method)
    u = np.concatenate([np.geomspace(1e-6, 1, 1500), np.linspace(0, 1, 3001)])
    share = np.linspace(0, 1, 161)[:, None]
    low, high = band.lower_at(u), band.upper_at(u)
    v = (low + share * (high - low)).ravel()
    u = np.tile(u, 161)
    precision = prevalence * v / np.maximum(prevalence * v + (1 - prevalence) * u, 1e-300)
    rate = prevalence * v + (1 - prevalence) * u
    pr, gains = (band.view(name, prevalence=prevalence) for name in ("pr", "gains"))
    for view, x, y, loose in ((pr, v, precision, 0.03), (gains, rate, v, 0.03)):
        at = np.array([0.1, 0.3, 0.6, 0.9])
        lower, upper = view.lower_at(at), view.upper_at(at)
        for i, centre in enumerate(at):
            near = np.abs(x - centre) < 2e-3
            assert lower[i] == pytest.approx(y[near].min(), abs=loose)
            assert upper[i] == pytest.approx(y[near].max(), abs=loose)


@pytest.mark.parametrize("method", SIMULTANEOUS)
@pytest.mark.filterwarnings("ignore:The scores do not look binormal")
def test_section_through_the_edge(method):
    """The limit of precision at the height of an edge is at or beyond that edge's own fpr."""
    band = example_band(method)
    fpr = np.array([0.02, 0.11, 0.37])
    pr = band.view("pr", prevalence=0.1)
    for height, limit, side in (
        (band.upper_at(fpr), pr.upper_at, 1),
        (band.lower_at(fpr), pr.lower_at, -1),
    ):
        own = 0.1 * height / (0.1 * height + 0.9 * fpr)
        assert (side * (limit(height) - own) >= -1e-9).all()
        # A little beyond the edge the limit is less far.
        beyond = np.clip(height + side * 1e-6, 0, 1)
        own = np.where(height == beyond, np.where(side > 0, 1.0, 0.0), own)
        assert (side * (limit(beyond) - own) <= 1e-4).all()


def test_cost_and_net_benefit_are_linear_extremes_over_the_edges():
    band = example_band()
    u = np.concatenate([[0.0], np.geomspace(1e-7, 1, 4000), np.linspace(0, 1, 8001)])
    w = np.array([0.0, 0.1, 0.37, 0.5, 0.9, 1.0])
    cost = band.view("cost")
    for edge, got in ((band.upper_at(u), cost.lower_at(w)), (band.lower_at(u), cost.upper_at(w))):
        corners_u, corners_v = np.append(u, [0.0, 1.0]), np.append(edge, [0.0, 1.0])
        brute = (w[:, None] * (1 - corners_v) + (1 - w[:, None]) * corners_u).min(axis=1)
        np.testing.assert_allclose(got, brute, atol=2e-4)
        assert (got <= brute + 1.1e-6).all()
    p, t = 0.1, np.array([0.0, 0.05, 0.2, 0.5, 0.9])
    benefit = band.view("net-benefit", prevalence=p)
    for edge, got in (
        (band.lower_at(u), benefit.lower_at(t)),
        (band.upper_at(u), benefit.upper_at(t)),
    ):
        odds = (t / (1 - t))[:, None]
        brute = np.maximum(
            (p * edge - (1 - p) * u * odds).max(axis=1), np.maximum(0, p - (1 - p) * odds[:, 0])
        )
        np.testing.assert_allclose(got, brute, atol=2e-4)


def test_ends_of_the_axes():
    band = example_band()
    pr = band.view("pr", prevalence=0.05)
    assert (pr.lower_at(0.0), pr.upper_at(0.0)) == (0.0, 1.0)
    assert pr.lower_at(1.0) == 0.05  # everybody is called positive
    gains = band.view("gains", prevalence=0.05)
    assert (gains.lower_at([0, 1]) == [0, 1]).all()
    assert (gains.upper_at([0, 1]) == [0, 1]).all()
    lift = band.view("lift", prevalence=0.05)
    assert (lift.lower_at(0.0), lift.upper_at(0.0)) == (0.0, 20.0)
    assert lift.upper_at(1.0) == 1.0
    cost = band.view("cost")
    assert (cost.upper_at([0.0, 1.0]) == 0).all()
    benefit = band.view("net-benefit", prevalence=0.05)
    assert benefit.lower_at(0.0) == benefit.upper_at(0.0) == pytest.approx(0.05)
    with pytest.raises(rb.InputError, match="must lie below 1"):
        benefit.lower_at(1.0)


def forward(name, u, v, p):
    if name == "pr":
        return v, p * v / (p * v + (1 - p) * u)
    if name == "det":
        return u, 1 - v
    rate = p * v + (1 - p) * u
    return (rate, v) if name == "gains" else (rate, v / rate)


steps = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=12)


@given(
    steps,
    st.sampled_from(["pr", "gains", "lift", "det"]),
    st.floats(0.002, 0.9),
    st.sampled_from([0.3, 0.95]),
)
@settings(deadline=None)
def test_contains_the_mapped_curve_exactly_if_the_band_contains_the_curve(moves, name, p, level):
    """Random monotone curves with vertical, level and slanted pieces, corners included."""
    x, y = (np.cumsum([move[i] for move in moves]).astype(float) for i in (0, 1))
    if not (x[-1] and y[-1]):
        return
    x, y = x / x[-1], y / y[-1]
    band = CONTAINED[level]
    held = band.contains((x, y))
    said = y > 0 if name in ("pr", "lift") else x + y >= 0
    if name in ("pr", "lift") and not said.all():  # the bottom side has no image
        held = band.contains((x[said], y[said]))
    if name in ("gains", "det"):
        mapped = forward(name, x, y, p)
    else:
        mapped = forward(name, x[said], y[said], p)
    view = band.view(name) if name == "det" else band.view(name, prevalence=p)
    assert view.contains(mapped) == held


CONTAINED = {
    level: rb.roc_band(stairs(), method=rb.bands.Likelihood("chance"), level=level)
    for level in (0.3, 0.95)
}


def test_contains_takes_roc_curves_and_functions():
    band = example_band()
    pr, gains = (band.view(name, prevalence=0.05) for name in ("pr", "gains"))
    assert pr.contains(band.roc)
    assert not pr.contains(lambda recall: np.full_like(recall, 0.05))  # chance
    assert not gains.contains(lambda rate: rate)
    smooth = rb.roc_band(band.roc, method="working-hotelling")
    fpr, tpr = smooth.centre.x, smooth.centre.y
    held = band.contains(lambda x: np.interp(x, fpr, tpr))
    assert held
    assert gains.contains(lambda rate: np.interp(rate, 0.05 * tpr + 0.95 * fpr, tpr))
    assert pr.contains(
        lambda recall: (
            0.05 * recall / np.maximum(0.05 * recall + 0.95 * np.interp(recall, tpr, fpr), 1e-300)
        )
    )


def test_contains_takes_scikit_learns_order():
    metrics = pytest.importorskip("sklearn.metrics")
    sample = rb.load_example()
    band = example_band()
    precision, recall, _ = metrics.precision_recall_curve(
        sample.is_positive, sample["logistic"].values
    )
    share = band.n_pos / (band.n_pos + band.n_neg)
    assert band.view("pr", prevalence=share).contains((recall, precision))


def test_impossible_curves_are_refused():
    pr = example_band().view("pr", prevalence=0.2)
    with pytest.raises(
        rb.InputError,
        match=r"precision rises from 0\.5 to 0\.9 between recall 0\.5 and 0\.6: no ranking",
    ):
        pr.contains(([0.5, 0.6], [0.5, 0.9]))
    with pytest.raises(rb.InputError, match=r"precision 0\.1 at recall 1 is below the 0\.2"):
        pr.contains(([0.5, 1.0], [0.5, 0.1]))
    with pytest.raises(rb.InputError, match="infinitely many negatives"):
        pr.contains(([0.5, 1.0], [0.0, 0.2]))
    gains = example_band().view("gains", prevalence=0.2)
    with pytest.raises(rb.InputError, match="impossible at a prevalence"):
        gains.contains(([0.0, 0.1, 1.0], [0.0, 0.9, 1.0]))
    with pytest.raises(rb.InputError, match="no ranking does that"):
        gains.contains(([0.0, 0.5, 0.51, 1.0], [0.0, 0.5, 0.9, 1.0]))
    with pytest.raises(rb.InputError, match="must be an ROC curve"):
        example_band().view("cost").contains(([0, 1], [0, 0]))
    with pytest.raises(rb.InputError, match="equally long"):
        pr.contains(([0.5, 1.0], [0.5]))


def test_requests_that_make_no_sense_are_refused():
    band = example_band()
    with pytest.raises(rb.InputError, match="must be one of roc, pr, gains"):
        band.view("precision")
    with pytest.raises(rb.InputError, match="not the positions of thresholds on it"):
        band.view("threshold")
    with pytest.raises(rb.InputError, match="strictly between 0 and 1"):
        band.view("pr", prevalence=0.0)
    with pytest.raises(rb.InputError, match="does not depend on the prevalence"):
        band.view("det", prevalence=0.1)
    with pytest.raises(
        rb.InputError, match="limits pointwise in the fpr are not pointwise in the recall"
    ):
        example_band("vertical").view("pr", prevalence=0.1)
    example_band("vertical").view("det")
    future = example_band(future=(50, 450))
    with pytest.raises(rb.InputError, match="in addition to"):
        future.view("pr", prevalence=0.1)


def test_a_future_band_has_the_future_prevalence():
    band = example_band(future=(20, 380))
    view = band.view("pr")
    assert view.prevalence == 0.05
    assert view.lower_at(1.0) == pytest.approx(0.05)
    assert "future set of 20 positives" in " ".join(str(view).split())
    # Precision of a set of that size is m'v / (m'v + n'u): same answer either way.
    assert view.contains(band.roc) == band.contains(band.roc)


def test_bins():
    counts = stairs()
    binned = rb.RocCurve.from_counts(counts.thresholds, counts.fp, counts.tp, bins=True)
    loose, tight = (
        rb.roc_band(roc, method=rb.bands.Likelihood("chance")).view("pr", prevalence=0.2)
        for roc in (binned, counts)
    )
    at = np.linspace(0.05, 1, 20)
    assert (loose.lower_at(at) <= tight.lower_at(at) + 1e-9).all()
    assert (loose.upper_at(at) >= tight.upper_at(at) - 1e-9).all()
    assert loose.contains(binned)


@pytest.mark.parametrize("name", ["roc", "pr", "gains", "lift", "det", "cost", "net-benefit"])
def test_lines_to_draw_agree_with_the_limits(name):
    band = example_band()
    view = band.view(name, prevalence=None if name in ("roc", "det", "cost") else 0.02)
    fine = view.region.polylines(fine=True)
    for line, limit in zip(fine, (view.lower_at, view.upper_at), strict=True):
        assert isinstance(line, Curve)
        assert np.isfinite(line.y).all()
        assert (np.diff(line.x) >= 0).all()
        x = line.x[(line.x > 0.02) & (line.x < 0.98)][::17]
        drawn = line.high(x), line.low(x)
        exact = limit(x)
        assert (np.minimum(*drawn) <= exact + 0.02 * view.upper_at(0.05)).all()
        assert (np.maximum(*drawn) >= exact - 0.02 * view.upper_at(0.05)).all()
    columns = view.columns()
    assert (columns["lower"] <= columns["upper"]).all()
    inside = columns["at"] > 0
    assert (columns["lower"] <= columns["centre"] + 1e-9)[inside].all()
    assert (columns["centre"] <= columns["upper"] + 1e-9)[inside].all()
    assert view.to_dict()["schema"] == "rocbands.view/1"
    assert view.area > 0


@pytest.mark.parametrize("method", ["likelihood", "joint-region"])
def test_quick_lines_are_images_of_the_lines_of_the_band(method):
    """Vertex by vertex; of envelopes by the best of all vertices, corners of the square included."""
    band, p = example_band(method), 0.1
    for name in ("pr", "gains", "lift", "det"):
        view = band.view(name, prevalence=None if name == "det" else p)
        for line, edge in zip((view.lower, view.upper), (band.lower, band.upper), strict=True):
            own = line if name != "det" else (view.upper if line is view.lower else view.lower)
            some = edge.y > 0
            x, y = forward(name, edge.x[some], edge.y[some], p)
            known = {(round(a, 12), round(b, 12)) for a, b in zip(own.x, own.y, strict=True)}
            assert all((round(a, 12), round(b, 12)) in known for a, b in zip(x, y, strict=True))
    view = band.view("net-benefit", prevalence=p)
    for line, edge in zip((view.lower, view.upper), (band.lower, band.upper), strict=True):
        u, v = (np.append(side, [0.0, 1.0]) for side in (edge.x, edge.y))
        brute = (p * v - (1 - p) * u * (line.x / (1 - line.x))[:, None]).max(axis=1)
        np.testing.assert_allclose(line.y, brute, atol=1e-12)


def crossings(height, rate, p, lowest):
    """Bisect for the points of an edge on lines, by heights alone: slow and plain."""
    low, high = np.zeros(rate.size), np.ones(rate.size)
    for _ in range(60):
        u = (low + high) / 2
        over = p * height(u) + (1 - p) * u
        beyond = over > rate if lowest else over >= rate
        low, high = np.where(beyond, low, u), np.where(beyond, u, high)
    return np.clip((rate - (1 - p) * (low if lowest else high)) / p, 0.0, 1.0)


@pytest.mark.parametrize("kind", ["plain", "tied", "future", "clusters", "weights", "bins", "one"])
@pytest.mark.parametrize("p", [0.02, 0.6])
def test_recall_at_a_rate_is_where_the_edges_cross_its_line(kind, p):
    """Searches along the line agree with heights of the edges, at the ends of the axis, too."""
    rng = np.random.default_rng(5)
    y = np.arange(120) % 3 == 0 if kind != "one" else np.arange(120) == 7
    scores = rng.normal(size=120) + y
    if kind in ("tied", "bins"):
        scores = np.round(scores)
    design = {
        "clusters": {"clusters": np.arange(120) // 4},
        "weights": {"weights": rng.exponential(size=120)},
    }.get(kind, {})
    roc = rb.roc_curve(y, scores) if kind == "bins" else None
    if roc is not None:
        band = rb.roc_band(rb.RocCurve.from_counts(roc.thresholds, roc.fp, roc.tp, bins=True))
    else:
        band = rb.roc_band(
            rb.Sample(y, scores, **design),
            method=rb.bands.Likelihood("chance"),
            future=(30, 50) if kind == "future" else None,
        )
    rate = np.array([1e-4, 0.01, 0.3, 0.55, 0.97, 0.9999])
    low, high = Sections(band.region).slanted(rate, p)
    # Heights with ties and weights are known to about nine digits.
    assert low == pytest.approx(crossings(band.lower_at, rate, p, True), abs=3e-9 / p)
    assert high == pytest.approx(crossings(band.upper_at, rate, p, False), abs=3e-9 / p)


@pytest.mark.parametrize("digits", [0, 9])
def test_best_points_of_curved_edges(digits):
    """Against 40,000 places of each edge; neither misses more than a few millionths."""
    rng = np.random.default_rng(digits)
    y = rng.random(150) < 0.3
    band = rb.roc_band(
        y, np.round(rng.normal(size=150) + y, digits), method=rb.bands.Likelihood("chance")
    )
    w, u = np.array([0.1, 0.5, 0.8]), np.linspace(0, 1, 40_001)
    cost = band.view("cost")
    for height, got in ((band.upper_at, cost.lower_at(w)), (band.lower_at, cost.upper_at(w))):
        v = np.concatenate([height(part) for part in np.array_split(u, 8)])
        brute = [min((1 - x) * u + x * (1 - v)) for x in w]
        np.testing.assert_allclose(got, np.minimum(brute, np.minimum(w, 1 - w)), atol=6e-6)


def test_larger_prevalence_means_larger_precision():
    band = example_band()
    at = np.linspace(0.1, 1, 10)
    few, many = (band.view("pr", prevalence=p) for p in (0.01, 0.3))
    assert (few.lower_at(at) < many.lower_at(at)).all()
    assert (few.upper_at(at) <= many.upper_at(at)).all()


def test_views_answer_in_words() -> None:
    band = rb.roc_band(rb.load_example()["logistic"])
    said = {
        name: band.view(name).sentence for name in ("roc", "det", "pr", "gains", "lift", "cost")
    }
    assert said == {
        "roc": "At a false positive rate of 10% the scores find 69 of 100 positives (57 to 79).",
        "det": "At a false positive rate of 10% the scores miss 31 of 100 positives (21 to 43).",
        "pr": "If it is to find 80 of 100 positives, it is right in 73 of 100 alarms (59 to 83).",
        "gains": "The 20% of cases with the highest scores contain 46 of 100 positives (40 to 54).",
        "lift": (
            "The 10% of cases with the highest scores contain 2.64 times as many positives as a "
            "random 10% (2.25 to 3.07)."
        ),
        "cost": (
            "With classes of equal size and equal costs the best threshold errs in 18 of 100 cases "
            "(14 to 24)."
        ),
    }
    assert said["roc"] == band.sentence
    for name, at in (("pr", 0.8), ("gains", 0.2), ("cost", 0.5)):
        view = band.view(name)
        low, high = (round(100 * float(side(at))) for side in (view.lower_at, view.upper_at))
        assert f"({low} to {high})" in said[name]
