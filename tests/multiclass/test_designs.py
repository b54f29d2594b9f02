"""Several classes of weighted or dependent rows: average areas, bands, notes and refusals."""

from __future__ import annotations

import numpy as np
import pytest

import rocbands as rb
from rocbands.auc.score_delong import ScoreDeLong
from rocbands.multiclass import HANDLING
from tests.oracles.many import move_average

NAMES = np.array(["cat", "dog", "owl"])


def draw(n=500, clusters=80, seed=1, spread=0.7):
    rng = np.random.default_rng(seed)
    cluster = rng.integers(0, clusters, n)
    y = NAMES[(rng.integers(0, 3, clusters)[cluster] + (rng.random(n) < 0.4)) % 3]
    effect = spread * rng.normal(size=(clusters, 3))[cluster]
    return y, rng.normal(size=(n, 3)) + effect + 1.3 * (y[:, None] == NAMES), cluster


def find_averages(y, scores, **design):
    bands = rb.class_bands(rb.Sample.of_classes(y, scores, **design))
    return np.array([*bands.macro_auc, *bands.hand_till_auc])


DESIGNS = ("clusters", "weights", "both", "strata")


def make_design(kind, cluster):
    weights = np.random.default_rng(3).lognormal(0, 0.7, cluster.size)
    return {
        "clusters": {"clusters": cluster},
        "weights": {"weights": weights},
        "both": {"clusters": cluster, "weights": weights},
        "strata": {"clusters": cluster, "weights": weights, "strata": cluster % 5},
    }[kind]


@pytest.mark.parametrize("kind", DESIGNS)
@pytest.mark.parametrize("pairs", [False, True])
def test_errors_are_explicit_sums_over_units(kind, pairs) -> None:
    """But for pseudo observations and small-sample factors, which vanish in large samples."""
    y, scores, cluster = draw(3000, 600)
    design = make_design(kind, cluster)
    total, move = move_average(y, scores, pairs, design.get("weights", np.ones(y.size)))
    unit = cluster if "clusters" in design else np.arange(y.size)
    sums = np.bincount(unit, move)
    variance = sums @ sums
    if kind == "strata":
        layer = np.arange(600) % 5
        variance = 0.0
        for h in range(5):
            own = sums[layer == h]
            size = own.size
            variance += size / (size - 1) * ((own - own.mean()) ** 2).sum()
    bands = rb.class_bands(rb.Sample.of_classes(y, scores, **design))
    found = bands.hand_till_auc if pairs else bands.macro_auc
    assert found.estimate == pytest.approx(total, abs=1e-12)
    assert found.standard_error == pytest.approx(np.sqrt(variance), rel=0.03)


@pytest.mark.simulation
@pytest.mark.parametrize("kind", ["clusters", "both"])
def test_errors_are_those_of_resampled_clusters(kind) -> None:
    y, scores, cluster = draw(spread=1.0)
    design = make_design(kind, cluster)
    w = design.get("weights", np.ones(y.size))
    own = find_averages(y, scores, **design)
    rng, drawn = np.random.default_rng(5), []
    for _ in range(150):
        copies = w * np.bincount(rng.integers(0, 80, 80), minlength=80)[cluster]
        drawn.append([move_average(y, scores, pairs, copies)[0] for pairs in (False, True)])
    errors = np.std(drawn, axis=0)
    ratios = own[[3, 7]] / errors  # the pseudo observations of 80 clusters add a tenth or two
    assert (ratios > 0.95).all()
    assert (ratios < 1.25).all()
    independent = rb.class_bands(y, scores).macro_auc.standard_error
    assert independent < 0.92 * errors[0]


@pytest.mark.parametrize("kind", ["clusters", "weights", "both"])
def test_two_classes_have_nearly_the_interval_of_one_area(kind) -> None:
    """Limits of one area have smaller effective numbers, and are wider."""
    y, scores, cluster = draw()
    y, s, design = np.where(y == "owl", "dog", y), scores[:, 0], make_design(kind, cluster)
    one = rb.auc_interval(rb.Sample(y, s, positive="cat", **design), method=ScoreDeLong())
    macro, hand_till = find_averages(y, np.column_stack([s, -s]), **design).reshape(2, 4)
    np.testing.assert_allclose(macro, hand_till, atol=1e-12)
    assert macro[0] == pytest.approx(one.estimate, abs=1e-12)
    assert 0.8 * (one.high - one.low) < macro[2] - macro[1] <= one.high - one.low


def test_a_design_without_effect_changes_nothing() -> None:
    y, scores, _ = draw(200)
    plain = find_averages(y, scores)
    none = {"clusters": np.arange(200), "weights": np.full(200, 4.0), "strata": np.ones(200)}
    for given in (none, {"weights": none["weights"]}, {"clusters": none["clusters"]}):
        np.testing.assert_allclose(find_averages(y, scores, **given), plain, atol=1e-12)


@pytest.mark.parametrize("kind", DESIGNS)
def test_order_names_factor_and_weights_of_0(kind) -> None:
    y, scores, cluster = draw(300, 50)
    design = make_design(kind, cluster)
    known = find_averages(y, scores, **design)
    order = np.random.default_rng(4).permutation(300)
    turned = {name: column[order] for name, column in design.items()}
    np.testing.assert_allclose(find_averages(y[order], scores[order], **turned), known, atol=1e-12)
    if "clusters" in design:
        names = np.array([f"p{(7 * c) % 50}" for c in range(50)])[cluster]
        found = find_averages(y, scores, **{**design, "clusters": names})
        np.testing.assert_allclose(found, known, atol=1e-12)
    if "weights" in design:
        found = find_averages(y, scores, **{**design, "weights": 7 * design["weights"]})
        np.testing.assert_allclose(found, known, atol=1e-11)
        left = cluster % 5 > 0
        none = {**design, "weights": np.where(left, design["weights"], 0.0)}
        some = {name: column[left] for name, column in design.items()}
        found = find_averages(y, scores, **none)
        np.testing.assert_array_equal(found, find_averages(y[left], scores[left], **some))


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_each_band_has_the_design_of_its_rows(multi_class) -> None:
    y, scores, cluster = draw(300, 50)
    design = make_design("strata", cluster)
    data = rb.Sample.of_classes(y, scores, **design)
    bands = rb.class_bands(data, multi_class=multi_class, level=0.9)
    rows = np.ones(300, bool) if multi_class == "ovr" else y != "owl"
    sample = rb.Sample(
        y[rows], scores[rows, 0], positive="cat", rest=True,
        **{name: column[rows] for name, column in design.items()},
    )  # fmt: skip
    own = bands["cat"] if multi_class == "ovr" else bands["cat", "dog"]
    one = rb.roc_band(sample, level=bands.each_level)
    at = np.linspace(0, 1, 21)
    np.testing.assert_array_equal(own.lower_at(at), one.lower_at(at))
    area = rb.auc_interval(sample, level=bands.each_level)
    assert (bands.auc_lower[0], bands.auc_upper[0]) == (area.low, area.high)
    title = "the rest" if multi_class == "ovr" else "dog"
    assert any(
        note.startswith(f"cat against {title}: ") and "count like" in note for note in bands.notes
    )


def test_the_micro_average_is_weighted() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    y, scores, cluster = draw(200, 40)
    weights = make_design("weights", cluster)["weights"]
    bands = rb.class_bands(rb.Sample.of_classes(y, scores, weights=weights))
    known = metrics.roc_auc_score(
        y[:, None] == NAMES, scores, average="micro", sample_weight=weights
    )
    assert bands.micro.auc == pytest.approx(known, abs=1e-12)


def test_what_is_refused() -> None:
    y, scores, cluster = draw(200, 40)
    with pytest.raises(rb.InputError, match="The rows of class 'owl' must come from at least two"):
        find_averages(y, scores, clusters=np.where(y == "owl", 99, cluster))
    with pytest.raises(rb.InputError, match="every row of class 'dog' has weight 0"):
        find_averages(y, scores, weights=1.0 * (y != "dog"))
    with pytest.raises(rb.InputError, match="all rows of a cluster in the same stratum"):
        find_averages(y, scores, clusters=cluster, strata=np.arange(200) % 3)
    with pytest.raises(rb.InputError, match="Method 'joint-region' is for rows"):
        rb.class_bands(rb.Sample.of_classes(y, scores, clusters=cluster), method="joint-region")
    assert {*HANDLING.handles} == {"clusters", "weights", "strata"}
