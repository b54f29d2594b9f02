"""Groups of a sample with weights, dependent rows and strata."""

from __future__ import annotations

import numpy as np
import pytest

import rocbands as rb
from rocbands.comparison.difference_band import HANDLING as CURVES
from rocbands.comparison.group_differences import pair_groups
from rocbands.precision.average_precision import HANDLING as PRECISION
from rocbands.subgroup import HANDLING
from rocbands.subgroup.gaps import QUANTITIES, RATES
from rocbands.subgroup.limits import GroupRates, correlate_rates, find_gaps, limit_rates
from tests.oracles.group_rates import rate_gap

NEEDED = {"clusters", "unpaired clusters", "common clusters", "weights", "strata"}
OPEN = {*CURVES.handles} >= NEEDED and {"clusters", "weights"} <= {*PRECISION.handles}


def draw(n=600, clusters=60, seed=1, spread=0.7, kinds=("f", "m")):
    """Rows whose clusters have rows in all groups."""
    rng = np.random.default_rng(seed)
    cluster = rng.integers(0, clusters, n)
    y = (rng.random(n) < 0.4).astype(int)
    by = np.array(kinds)[rng.integers(0, len(kinds), n)]
    score = rng.normal(size=n) + spread * rng.normal(size=clusters)[cluster]
    score += y * np.where(by == kinds[0], 1.6, 1.0)
    return y, score, by, cluster


def ask(sample, by, *, threshold=0.8, against="pairs", level=0.9):
    """Rates of groups, and all differences, as one array."""
    sample = sample.replace(keep={"by": by}).leave_out_zeros()
    parts = sample.split("by")
    curves = {str(name): part.roc for name, part in parts.items()}

    def pool(name):
        return sample.take(sample.kept["by"] != name).roc

    pairs = pair_groups(curves, against, pool)
    gaps = find_gaps(pairs, threshold=threshold, level=level, against=against)
    rates = limit_rates([GroupRates(roc, threshold) for roc in curves.values()], level)
    return np.concatenate(
        [np.array([gap.numbers for gap in gaps]).ravel(), *(rates[key] for key in sorted(rates))]
    )


# -------------------------------------------------------------------------- numbers


@pytest.mark.parametrize("cross", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_differences_of_rates_by_a_slow_program(cross, weighted) -> None:
    y, s, by, cluster = draw(800, 40, seed=3)
    if not cross:
        cluster = cluster + np.where(by == "m", 100, 0)
    weight = np.ones(800)
    if weighted:  # the weight of a row near the threshold does not enter PPV and NPV
        weight = 1.0 + cluster % 3
    sample = rb.Sample(y, s, clusters=cluster, weights=weight, keep={"by": by})
    curves = {name: part.roc for name, part in sample.split("by").items()}
    gaps = find_gaps(pair_groups(curves, "pairs"), threshold=0.5, level=0.93, against="pairs")
    names = ("ppv", "npv") if weighted else RATES
    sides = [(y[k] == 1, s[k] >= 0.5, weight[k], cluster[k]) for k in (by == "f", by == "m")]
    for name in names:
        (gap,) = gaps.of(name)
        known = rate_gap(name, *sides, 0.93)
        assert (gap.difference, gap.low, gap.high) == pytest.approx(known, abs=1e-9)


def test_correlations_are_those_of_resampled_clusters() -> None:
    y, s, by, cluster = draw(900, 60, seed=5, spread=1.2)
    sample = rb.Sample(y, s, clusters=cluster, keep={"by": by})
    curves = {name: part.roc for name, part in sample.split("by").items()}
    (pair,) = pair_groups(curves, "pairs").values()
    rates = [GroupRates(roc, 0.8) for roc in pair.curves]
    own = correlate_rates(pair, *rates)
    rng, drawn = np.random.default_rng(1), []
    for _ in range(600):
        w = np.bincount(rng.integers(0, 60, 60), minlength=60)[cluster]
        sums = [
            [(w * (by == kind) * side).sum() for side in sides]
            for kind in "fm"
            for sides in _split(y == 1, s >= 0.8)
        ]
        drawn.append([a / b for a, b in sums])
    found = np.corrcoef(np.array(drawn).T)
    resampled = [found[j, j + 5] for j in range(5)]
    np.testing.assert_allclose(own, resampled, atol=0.15)
    assert own[[0, 1, 4]].min() > 0.3  # high scores of a cluster raise both groups' rates


def _split(pos, called):
    neg = ~pos
    yield called & pos, pos
    yield called & neg, neg
    yield called & pos, called
    yield ~called & neg, ~called
    yield called, pos | neg


def test_areas_of_groups_that_share_clusters() -> None:
    """Limits from an explicit correlation; it makes them narrower than those of separate sets."""
    y, s, by, cluster = draw(700, 50, seed=6, spread=1.2)
    sample = rb.Sample(y, s, clusters=cluster, keep={"by": by})
    parts = sample.split("by")
    curves = {name: part.roc for name, part in parts.items()}
    how = {"threshold": np.inf, "level": 0.9, "against": "pairs"}
    (gap,) = find_gaps(pair_groups(curves, "pairs"), **how).of("auc")
    sums = []
    for kind in "fm":
        rows = by == kind
        pos, neg = s[rows & (y == 1)], s[rows & (y == 0)]
        wins = (pos[:, None] > neg) + (pos[:, None] == neg) / 2
        z = np.zeros((2, 50))
        np.add.at(z[0], cluster[rows & (y == 1)], (wins.mean(1) - wins.mean()) / pos.size)
        np.add.at(z[1], cluster[rows & (y == 0)], (wins.mean(0) - wins.mean()) / neg.size)
        sums.append(z)
    covariance = 50 / 49 * (sums[0].sum(0) @ sums[1].sum(0))
    variances, arms = [], []
    for kind, z in zip("fm", sums, strict=True):
        of_pos, of_neg = (np.bincount(cluster[(by == kind) & (y == own)]) ** 2 for own in (1, 0))
        kish = [size.sum() / np.sqrt(size).sum() ** 2 for size in (of_pos, of_neg)]
        factors = [1 / (1 - k) for k in kish]
        variances.append(
            factors[0] * z[0] @ z[0] + factors[1] * z[1] @ z[1] + 2 * 50 / 49 * z[0] @ z[1]
        )
        one = rb.auc_interval(parts[kind], level=0.9)
        arms.append((one.estimate - one.low, one.high - one.estimate))
    r = covariance / np.sqrt(variances[0] * variances[1])
    assert r > 0.2
    # But for small-sample factors of r, and for different errors of both areas.
    low = gap.difference - np.sqrt((1 - r) * (arms[0][0] ** 2 + arms[1][1] ** 2))
    high = gap.difference + np.sqrt((1 - r) * (arms[0][1] ** 2 + arms[1][0] ** 2))
    assert (gap.low, gap.high) == pytest.approx((low, high), abs=0.006)
    apart = sample.replace(clusters=cluster + 50 * (by == "m")).split("by")
    (wide,) = find_gaps(pair_groups({k: v.roc for k, v in apart.items()}, "pairs"), **how).of("auc")
    assert gap.high - gap.low < 0.9 * (wide.high - wide.low)


def test_both_eyes_of_each_patient() -> None:
    """Each patient has one row in each group: rows of a group are independent, groups are not."""
    rng = np.random.default_rng(2)
    ill = (np.arange(150) % 2).astype(int)
    common = rng.normal(size=150) + 1.2 * ill
    y, by, patient = np.tile(ill, 2), np.repeat(["left", "right"], 150), np.tile(np.arange(150), 2)
    s = np.tile(common, 2) + 0.3 * rng.normal(size=300)
    eyes, apart = (rb.Sample(y, s, clusters=g) for g in (patient, np.arange(300)))
    one, two = ask(eyes, by), ask(apart, by)
    gaps, wide = (part[:30].reshape(6, 5) for part in (one, two))
    np.testing.assert_allclose(gaps[:, :3], wide[:, :3], atol=1e-15)
    widths = (gaps[:, 4] - gaps[:, 3]) / (wide[:, 4] - wide[:, 3])
    assert (widths < 0.75).all()
    np.testing.assert_allclose(one[30:], two[30:], atol=1e-12)  # each group by itself


# ----------------------------------------------------------------------- properties


@pytest.mark.parametrize("against", ["pairs", "rest"])
def test_a_design_without_effect_changes_nothing(against) -> None:
    y, s, by, _ = draw(300, kinds=("f", "m", "x"))
    how = {"by": by, "against": against, "rng": 1, "n_resamples": 200, "threshold": 0.8}
    plain = rb.subgroups(y, s, **how)
    none = {"clusters": np.arange(300), "weights": np.full(300, 3.0), "strata": np.ones(300)}
    for given in (none, {"weights": none["weights"]}, {"clusters": none["clusters"]}):
        found = rb.subgroups(rb.Sample(y, s, **given), **how)
        for name in [f"{n}{e}" for n in QUANTITIES for e in ("", "_lower", "_upper")]:
            np.testing.assert_allclose(getattr(found, name), getattr(plain, name), atol=1e-12)
        for one, two in zip(found.gaps, plain.gaps, strict=True):
            assert one.numbers == pytest.approx(two.numbers, abs=1e-12)
        for one, two in zip(found.differences, plain.differences, strict=True):
            np.testing.assert_allclose(one.lower, two.lower, atol=1e-12)


def make_designs(y, s, cluster):
    rng = np.random.default_rng(9)
    weights = rng.lognormal(size=y.size)
    return {
        "clusters": {"clusters": cluster},
        "weights": {"weights": weights},
        "both": {"clusters": cluster, "weights": weights},
        "strata": {"clusters": cluster, "weights": weights, "strata": cluster % 4},
    }


@pytest.mark.parametrize("kind", ["clusters", "weights", "both", "strata"])
@pytest.mark.parametrize("against", ["pairs", "rest"])
def test_order_names_factor_and_weights_of_0(kind, against) -> None:
    y, s, by, cluster = draw(400, 40, kinds=("f", "m", "x"))
    design = make_designs(y, s, cluster)[kind]
    known = ask(rb.Sample(y, s, **design), by, against=against)
    order = np.random.default_rng(4).permutation(400)
    turned = {name: column[order] for name, column in design.items()}
    found = ask(rb.Sample(y[order], s[order], **turned), by[order], against=against)
    np.testing.assert_allclose(found, known, atol=1e-12)
    if "clusters" in design:
        names = np.array([f"p{(7 * c) % 41}" for c in range(40)])
        other = {**design, "clusters": names[cluster]}
        np.testing.assert_allclose(
            ask(rb.Sample(y, s, **other), by, against=against), known, atol=1e-12
        )
    if "weights" in design:
        other = {**design, "weights": 5 * design["weights"]}
        np.testing.assert_allclose(
            ask(rb.Sample(y, s, **other), by, against=against), known, atol=1e-11
        )
        none = {**design, "weights": np.where(cluster % 5 == 0, 0.0, design["weights"])}
        left = cluster % 5 > 0
        some = {name: column[left] for name, column in design.items()}
        np.testing.assert_allclose(
            ask(rb.Sample(y, s, **none), by, against=against),
            ask(rb.Sample(y[left], s[left], **some), by[left], against=against),
            atol=1e-12,
        )


def test_weights_of_the_classes_change_what_depends_on_the_prevalence() -> None:
    y, s, by, _ = draw(400)
    plain = ask(rb.Sample(y, s), by)[:30].reshape(6, 5)
    found = ask(rb.Sample(y, s, weights=1.0 + 3 * y), by)[:30].reshape(6, 5)
    np.testing.assert_allclose(found[:3], plain[:3], atol=1e-12)  # AUC, TPR, FPR
    called = s >= 0.8
    for k, kind in enumerate("fm"):
        rows = called & (by == kind)
        ppv = 4 * y[rows].sum() / (1.0 + 3 * y[rows]).sum()
        assert found[3, k] == pytest.approx(ppv, abs=1e-12)


def test_the_threshold_is_chosen_by_weight() -> None:
    y, s, by, _ = draw(400)
    weights = np.where(y == 0, np.exp(s), 1.0)
    counts = rb.ScoreCounts.from_arrays(y, s, by=by, weights=weights, exact=True)
    if not OPEN:
        pytest.skip("average precision of weighted rows")
    one = rb.subgroups(rb.Sample(y, s, weights=weights), by=by, rng=1)
    two = rb.subgroups(counts, rng=1)
    alarms = (weights * (y == 0) * (s >= one.threshold)).sum() / weights[y == 0].sum()
    assert 0.08 < alarms <= 0.1
    assert one.threshold == two.threshold
    for first, second in zip(one.gaps, two.gaps, strict=True):
        assert first.numbers == pytest.approx(second.numbers, abs=1e-12)


@pytest.mark.skipif(not OPEN, reason="average precision or differences of curves lack the design")
@pytest.mark.parametrize("against", ["pairs", "rest"])
def test_all_of_a_sample_with_a_design(against) -> None:
    y, s, by, cluster = draw(400, 40, kinds=("f", "m", "x"))
    design = make_designs(y, s, cluster)["both"]
    sample = rb.Sample(y, s, **design, keep={"sex": by})
    found = rb.subgroups(sample, by="sex", threshold=0.8, level=0.9, against=against, rng=1)
    each = 0.9 ** (1 / 3)
    for k, part in enumerate(sample.split("sex").values()):
        band = rb.roc_band(part, level=each)
        np.testing.assert_array_equal(
            found.bands[k].lower_at([0.1, 0.5]), band.lower_at([0.1, 0.5])
        )
        area = rb.auc_interval(part, level=each)
        assert (found.auc_lower[k], found.auc_upper[k]) == (area.low, area.high)
        precision = rb.average_precision_interval(part, level=each)
        assert found.average_precision_lower[k] == precision.low
    known = ask(sample, by, against=against)
    ours = np.array([gap.numbers for gap in found.gaps]).ravel()
    np.testing.assert_allclose(ours, known[: ours.size], atol=1e-12)
    assert any("count like" in note for note in found.notes)
    assert any("in several groups" in note for note in found.notes)
    assert len(found.differences) == 3


# ------------------------------------------------------------------------- refusals


def test_what_is_refused() -> None:
    y, s, by, cluster = draw(200, 20)
    alone = np.where((by == "f") & (y == 1), 99, cluster)
    with pytest.raises(
        rb.InputError, match="The positives of 'f' must come from at least two clusters"
    ):
        rb.subgroups(rb.Sample(y, s, clusters=alone), by=by)
    with pytest.raises(rb.InputError, match=r"subgroups\(\) .* folds"):
        rb.subgroups(rb.Sample(y, s, folds=np.arange(200) % 2), by=by)
    with pytest.raises(rb.InputError, match=r"all .* rows of group 'f' are negative"):
        rb.subgroups(rb.Sample(y, s, weights=1.0 - y * (by == "f")), by=by)
    if not OPEN:
        with pytest.raises(rb.InputError, match="clusters"):
            rb.subgroups(rb.Sample(y, s, clusters=cluster), by=by)
    assert {"clusters", "weights", "class weights", "strata"} == {*HANDLING.handles}


# ------------------------------------------------------------------------- coverage
