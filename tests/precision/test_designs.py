"""Average precision of weighted and dependent rows: a separate program, and what must agree."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr, ndtri, stdtrit

import rocbands as rb
from rocbands.precision.average_precision import _Score, _Sums

Array = Any
ROW = np.arange(30)
Y = 7 * ROW % 10 < 4
W = 1.0 + (13 * ROW % 7) ** 2 / 4
G = ROW // 3
H = G % 2
ONE = 10.0 * (11 * ROW % 30) + 83 * Y
TWO = 10.0 * (17 * ROW % 30) + 47 * Y
DESIGNS: dict[str, dict[str, Any]] = {
    "": {},
    "w": {"weights": W},
    "g": {"clusters": G},
    "wg": {"weights": W, "clusters": G},
    "wgh": {"weights": W, "clusters": G, "strata": H},
}
# Computed by a separate program: of the rows, and at a prevalence of .1; estimate, low, high. The
# first ones were published with six digits. The others have later numbers of cases, and those at a
# prevalence of .1, or with weights, later rules for negatives that stand for several.
KNOWN = {
    "": ((.72863147452, .454774024875, .886800998573), (.474498974959, .109557703155, .86202718443)),
    "w": ((.731643523448, .375507810648, .911778114452), (.462403621227, .061381429317, .909778411351)),
    "g": ((.72863147452, .405376810711, .905525411135), (.474498974959, .056838738152, .927303143386)),
    "wg": ((.731643523448, .347933323542, .920927634279), (.462403621227, .043328707339, .935732460337)),
    "wgh": ((.731643523448, .34181596976, .922876979586), (.462403621227, .035568710359, .947034899696)),
}  # fmt: skip


def ends(found: Any) -> tuple[float, float, float]:
    value = found.difference if isinstance(found, rb.results.Comparison) else found.estimate
    return value, found.low, found.high


def both(**design: Any) -> rb.Sample:
    return rb.Sample(Y, {"one": ONE, "two": TWO}, **design)


@pytest.mark.parametrize("design", DESIGNS)
def test_numbers_of_a_separate_program(design: str) -> None:
    sample = rb.Sample(Y, ONE, **DESIGNS[design])
    for prevalence, known in zip((None, 0.1), KNOWN[design], strict=True):
        found = rb.average_precision_interval(sample, prevalence=prevalence)
        assert ends(found) == pytest.approx(known, abs=1e-11)


# ------------------------------------------------------------------ differences, row by row


class Hand:
    """One model's average precision on these rows, by loops over rows and units."""

    def __init__(self, score: Array, w: Array, unit: Array, stratum: Array) -> None:
        self.score, self.w, self.unit, self.stratum = score, w, unit, stratum
        self.wp, self.wn = w[Y].sum(), w[~Y].sum()
        pi = self.wp / w.sum()
        lam = (1 - pi) / pi
        tp = np.array([w[Y & (score >= s)].sum() / self.wp for s in score])
        fp = lam * np.array([w[~Y & (score >= s)].sum() / self.wn for s in score])
        called, own = tp + fp, np.where(Y, w, 0.0) / self.wp
        self.value = float(own @ (tp / called))
        less = np.maximum(tp - own / 2, 0.0)
        self.half = sum(own[i] * less[i] / (less[i] + fp[i]) for i in range(Y.size) if Y[i])
        low = [score <= s for s in score]
        lost = np.array([(own * fp / called**2)[at].sum() for at in low])
        taken = lam * np.array([(own * tp / called**2)[at].sum() for at in low])
        rise = np.where(Y, tp / called + lost, -taken)
        slope = float(own @ (tp * fp / called**2)) / (pi * (1 - pi))
        self.rows = (
            own * (rise - own @ rise),
            np.where(Y, 0.0, w / self.wn) * (rise - np.where(Y, 0.0, w / self.wn) @ rise),
            slope * w / w.sum() * (Y - pi),
        )


def sums(values: Array, unit: Array) -> dict[int, float]:
    found: dict[int, float] = {}
    for value, own in zip(values, unit, strict=True):
        found[int(own)] = found.get(int(own), 0.0) + float(value)
    return found


def multiply(x: Array, z: Array, hand: Hand) -> float:
    one, two = sums(x, hand.unit), sums(z, hand.unit)
    home = {int(u): int(h) for u, h in zip(hand.unit, hand.stratum, strict=True)}
    total = 0.0
    for h in set(home.values()):
        own = [u for u in one if home[u] == h]
        if len(set(home.values())) == 1:
            return sum(one[u] * two[u] for u in own)
        factor = len(own) / (len(own) - 1) * (len(one) - 1) / len(one)
        means = [np.mean([side[u] for u in own]) for side in (one, two)]
        total += factor * sum((one[u] - means[0]) * (two[u] - means[1]) for u in own)
    return total


def covary(x: tuple, z: tuple, hand: Hand) -> tuple[float, list[float]]:
    units = len(set(hand.unit.tolist()))
    shares = [np.where(own, hand.w, 0.0) / hand.w[own].sum() for own in (Y, ~Y)]
    kish = [1 / sum(s * s for s in sums(share, hand.unit).values()) for share in shares]
    few = [k / max(k - 1, 0.5) for k in kish] + [1.0]
    total, parts = 0.0, []
    for i, a in enumerate(x):
        for j, b in enumerate(z):
            factor = few[i] if i == j else units / (units - 1)
            total += factor * multiply(a, b, hand)
            if i == j < 2:
                parts.append(few[i] * multiply(a, b, hand))
    return total, parts


def compare_classes(score: Array, w: Array) -> float:
    """Ratio of the mean weights of positives and negatives in three slices of ten scores."""
    above = below = 0.0
    for rows in np.argsort(-score).reshape(3, 10):
        y, v = Y[rows], w[rows]
        above += v[y].sum() * (~y).sum() / 10
        below += v[~y].sum() * y.sum() / 10
    return above / below


@pytest.mark.parametrize("design", DESIGNS)
def test_differences_row_by_row(design: str) -> None:
    """The rule for areas: shrunk correlation, arms of the common error, and Student's t."""
    w = W if "w" in design else np.ones(30)
    unit, stratum = (G if "g" in design else ROW), (H if "h" in design else np.zeros(30))
    one, two = (Hand(score, w, unit, stratum) for score in (ONE, TWO))
    found = rb.average_precision_difference(both(**DESIGNS[design]))
    assert found.estimates == pytest.approx((one.value, two.value), abs=1e-13)
    scores = [_Score(_Sums(rb.Sample(Y, s, **DESIGNS[design]).roc)).sums.cases for s in (ONE, TWO)]
    m, n = (min(side) for side in zip(*scores, strict=True))
    limits, errors = [], []
    for hand in (one, two):
        (variance, parts), spread = covary(hand.rows, hand.rows, hand), hand.half * (1 - hand.half)
        cases = m / max(1.0 / compare_classes(hand.score, w), 1.0)
        unit_variance = (cases**2 * variance + 0.5) / (cases * spread + 0.5) / cases
        df = sum(parts) ** 2 / (parts[0] ** 2 / (m - 1) + parts[1] ** 2 / (n - 1))
        df *= 8 / 9 if "h" in design else 1
        g = unit_variance * stdtrit(df + 0.5 / spread, 0.025) ** 2
        reach = math.sqrt(g * (spread + g / 4))
        limits.append([(hand.half + g / 2 + side * reach) / (1 + g) for side in (-1, 1)])
        errors.append(math.sqrt(unit_variance * spread))
    cov = covary(one.rows, two.rows, one)[0]
    both_ways = covary(one.rows, one.rows, one)[0] * covary(two.rows, two.rows, one)[0]
    r = cov / math.sqrt(both_ways) * (1 - 0.5 / min(m, n))
    gap = tuple(a - b for a, b in zip(one.rows, two.rows, strict=True))
    variance, parts = covary(gap, gap, one)
    df = sum(parts) ** 2 / (parts[0] ** 2 / (m - 1) + parts[1] ** 2 / (n - 1))
    q = -stdtrit(df * (8 / 9 if "h" in design else 1), 0.025)

    def arm(x: float, y: float) -> float:
        square = (1 - r) * (x * x + y * y) + r * (q * (errors[0] - errors[1])) ** 2
        square = square if r >= 0 else x * x + y * y - 2 * r * x * y
        return max(math.sqrt(square), q * math.sqrt(variance))

    a, b = one.half, two.half
    low = a - b - arm(a - limits[0][0], limits[1][1] - b)
    high = a - b + arm(limits[0][1] - a, b - limits[1][0])
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-11)


# ------------------------------------------------------------------------------ what must agree


def draw(seed: int, n: int = 80, digits: int = 1) -> dict[str, Array]:
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    score = np.round(rng.normal(size=(2, n)) + y, digits)
    cluster = rng.integers(0, n // 4, n)
    return {
        "y": y,
        "s": score,
        "w": np.exp(0.8 * rng.normal(size=n)),
        "g": cluster,
        "h": cluster % 3,
    }


def ask(row: dict[str, Array], keys: str, prevalence: float | None = None) -> Array:
    names = {"w": "weights", "g": "clusters", "h": "strata"}
    design = {names[key]: row[key] for key in keys}
    sample = rb.Sample(row["y"], {"a": row["s"][0], "b": row["s"][1]}, **design)
    one = rb.average_precision_interval(sample["a"], prevalence=prevalence)
    gap = rb.average_precision_difference(sample, prevalence=prevalence)
    return np.array([*ends(one), one.standard_error, one.pvalue, *ends(gap), gap.pvalue])


@pytest.mark.parametrize("keys", ["w", "g", "wg", "gh", "wgh", "wh"])
@pytest.mark.parametrize("prevalence", [None, 0.1])
def test_identities(keys: str, prevalence: float | None) -> None:
    row = draw(1)
    if keys in ("wh",):
        row["h"] = np.arange(80) % 3
    known = ask(row, keys, prevalence)
    order = np.random.default_rng(2).permutation(80)
    moved = {name: side[..., order] for name, side in row.items()}
    for other in (
        {**row, "w": 7.0 * row["w"]},
        moved,
        {**row, "g": np.array([f"p{97 * k % 101}" for k in row["g"]])},
    ):
        np.testing.assert_allclose(ask(other, keys, prevalence), known, atol=1e-10)
    turned = ask({**row, "s": row["s"][::-1]}, keys, prevalence)
    np.testing.assert_allclose(turned[5:8], [-known[5], -known[7], -known[6]], atol=1e-12)
    assert turned[8] == pytest.approx(known[8], abs=1e-12)


def test_designs_without_effect_are_none() -> None:
    row = draw(3)
    plain, weighted = ask(row, ""), ask(row, "w")
    for keys, change in (
        ("w", {"w": np.full(80, 3.0)}),
        ("g", {"g": np.arange(80)}),
        ("h", {"h": np.zeros(80)}),
        ("wgh", {"w": np.full(80, 0.2), "g": np.arange(80) + 5, "h": np.ones(80)}),
    ):
        np.testing.assert_allclose(ask({**row, **change}, keys), plain, atol=1e-12)
    np.testing.assert_allclose(ask({**row, "g": np.arange(80)}, "wg"), weighted, atol=1e-12)
    # Rows of weight 0 are left out.
    more = {k: np.concatenate([v, v[..., :9]], axis=-1) for k, v in row.items()}
    more["w"][80:] = 0.0
    np.testing.assert_allclose(ask(more, "wg"), ask(row, "wg"), atol=1e-12)


def test_sums_of_rows_are_enough_without_clusters() -> None:
    row = draw(4)
    counts = rb.ScoreCounts.from_arrays(row["y"], row["s"][0], weights=row["w"], exact=True)
    sample = rb.Sample(row["y"], row["s"][0], weights=row["w"])
    one, two = (rb.average_precision_interval(data) for data in (counts, sample))
    assert ends(one) == pytest.approx(ends(two), abs=1e-13)
    assert one.notes == two.notes
    assert "80 rows" not in one.notes[-1]
    assert "positives count like" in one.notes[-1]


def test_weights_by_class_are_a_prevalence() -> None:
    row = draw(5, 400)
    y, score = row["y"], row["s"][0]
    share = y.sum() / (y.sum() + 9.0 * (~y).sum())
    by_class = rb.average_precision_interval(rb.Sample(y, score, weights=np.where(y, 1.0, 9.0)))
    given = rb.average_precision_interval(y, score, prevalence=share)
    assert by_class.estimate == pytest.approx(given.estimate, abs=1e-13)
    assert by_class.low < given.low < given.high < by_class.high  # its share is an estimate
    assert by_class.high - by_class.low < 1.1 * (given.high - given.low)
    at = rb.average_precision_interval(
        rb.Sample(y, score, weights=np.where(y, 1.0, 9.0)), prevalence=share
    )
    assert ends(at) == pytest.approx(ends(given), abs=1e-12)


# -------------------------------------------------------------------------------- two test sets


def test_two_test_sets() -> None:
    one, two = draw(6), draw(7, 120)
    first = rb.Sample(one["y"], one["s"][0], weights=one["w"])
    second = rb.Sample(two["y"], two["s"][0], clusters=two["g"], weights=np.ones(120))
    found = rb.average_precision_difference(first, second)
    each = [rb.average_precision_interval(data) for data in (first, second)]
    halves = [_Sums(data.roc).half_case_sum for data in (first, second)]
    below = math.hypot(halves[0] - each[0].low, each[1].high - halves[1])
    above = math.hypot(each[0].high - halves[0], halves[1] - each[1].low)
    middle = halves[0] - halves[1]
    assert (found.low, found.high) == pytest.approx((middle - below, middle + above), abs=1e-12)
    assert not found.paired
    assert "different ones" in found.notes[0]
    assert sum("count like" in note for note in found.notes) == 2
    back = rb.average_precision_difference(second, first)
    assert (back.low, back.high) == pytest.approx((-found.high, -found.low), abs=1e-12)


def test_clusters_in_both_test_sets_correlate_them() -> None:
    rng = np.random.default_rng(8)
    cluster = np.repeat(np.arange(60), 4)
    effect = 1.5 * rng.normal(size=60)[cluster]
    y = np.tile([True, False], 120)
    score = rng.normal(size=240) + 1.2 * y + effect * np.where(y, 1.0, -1.0)
    side = np.tile([0, 0, 1, 1], 60)
    parts = rb.Sample(y, score, clusters=cluster, keep={"eye": side}).split("eye")
    together = rb.average_precision_difference(*parts.values())
    names = (cluster + 1000 * side).astype(str)
    apart = rb.Sample(y, score, clusters=names, keep={"eye": side}).split("eye")
    alone = rb.average_precision_difference(*apart.values())
    assert together.difference == pytest.approx(alone.difference, abs=1e-13)
    assert together.high - together.low < 0.9 * (alone.high - alone.low)


def test_one_sided_limits_margins_and_tests_agree() -> None:
    sample = both(clusters=G)
    two = rb.average_precision_difference(sample, level=0.9)
    greater = rb.average_precision_difference(sample, alternative="greater")
    less = rb.average_precision_difference(sample, alternative="less")
    assert (greater.low, greater.high) == (pytest.approx(two.low, abs=1e-12), 1.0)
    assert (less.low, less.high) == (-1.0, pytest.approx(two.high, abs=1e-12))
    assert greater.pvalue == pytest.approx(two.pvalue / 2, abs=1e-12)
    assert less.pvalue == pytest.approx(1 - two.pvalue / 2, abs=1e-12)
    at = rb.average_precision_difference(sample, level=1 - two.pvalue)
    assert at.low == pytest.approx(0.0, abs=1e-9)
    loss = rb.average_precision_difference(sample, margin=0.2)
    assert loss.hypothesis == "a loss of average precision of 0.2 or more"
    assert loss.pvalue < greater.pvalue
    limit = rb.average_precision_difference(sample, alternative="greater", level=1 - loss.pvalue)
    assert limit.low == pytest.approx(-0.2, abs=1e-9)
    with pytest.raises(rb.InputError, match="which is 'greater'"):
        rb.average_precision_difference(sample, margin=0.2, alternative="less")


# ----------------------------------------------------------------------------------------- bins


def bins_of(y: Array, score: Array, w: Array | None, width: float) -> rb.RocCurve:
    low = np.floor(score / width)
    edges = np.unique(low)[::-1]
    rows = [np.array([np.count_nonzero(own & (low == edge)) for edge in edges]) for own in (~y, y)]
    sums = None
    if w is not None:
        sums = tuple(
            np.array([(w[own & (low == edge)] ** power).sum() for edge in edges])
            for power in (1, 2)
            for own in (~y, y)
        )
    return rb.RocCurve.from_counts(edges * width, *map(np.cumsum, rows), bins=True, weights=sums)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("width", "slack"), [(0.2, 5e-3), (1.0, 2e-2)])
def test_limits_of_bins_hold_those_of_any_order(weighted: bool, width: float, slack: float) -> None:
    """Bins of a fifth of a standard deviation, and of a whole one; `slack`: of other variances."""
    for seed in range(6):
        row = draw(seed, 150, digits=6)
        y, score, w = row["y"], row["s"][0], row["w"] if weighted else None
        binned = bins_of(y, score, w, width)
        found = rb.average_precision_interval(binned, prevalence=0.3 if seed % 2 else None)
        rng = np.random.default_rng(seed)
        floor = np.floor(score / width) * width
        best, worst = floor + width / 2 * y, floor + width / 2 * ~y
        inside = [floor + width * rng.random(y.size) for _ in range(20)]
        jitter = width / 4 * rng.random(y.size)
        for other in (score, best, worst, best + jitter, worst + jitter, *inside):
            design = {} if w is None else {"weights": w}
            exact = rb.average_precision_interval(
                rb.Sample(y, other, **design), prevalence=0.3 if seed % 2 else None
            )
            assert found.low - slack <= exact.low
            assert exact.high <= found.high + slack
            assert exact.high - exact.low < found.high - found.low
        assert found.notes[-1].startswith("Counts in bins: average precision is between")


def test_fine_bins_cost_little() -> None:
    row = draw(9, 2000, digits=8)
    exact = rb.average_precision_interval(row["y"], row["s"][0])
    fine = rb.average_precision_interval(bins_of(row["y"], row["s"][0], None, 1e-5))
    assert (fine.low, fine.high) == pytest.approx((exact.low, exact.high), abs=2e-3)


# ----------------------------------------------------------------------- refusals and coverage


def test_what_it_cannot_use_is_refused() -> None:
    with pytest.raises(rb.InputError, match="positives must come from at least two clusters"):
        rb.average_precision_interval(
            rb.Sample([1, 1, 0, 0, 0], range(5), clusters=[1, 1, 2, 3, 4])
        )
    folded = rb.Sample(Y, ONE, folds=ROW % 3)
    with pytest.raises(rb.InputError, match="folds"):
        rb.average_precision_interval(folded)
    with pytest.raises(rb.InputError, match="folds"):
        rb.average_precision_difference(both(folds=ROW % 3))
    counts = [bins_of(Y, score, None, 50.0) for score in (ONE, TWO)]
    with pytest.raises(rb.InputError, match="bins"):
        rb.average_precision_difference(*counts)


@pytest.mark.simulation
@pytest.mark.filterwarnings("ignore::rocbands.RocBandsWarning")
def test_coverage_with_clusters_and_weights() -> None:
    """Clusters of 1 to 8 rows with common effects, weights of clusters; control: independent rows."""
    rng, held, control, sets = np.random.default_rng(11), np.zeros(2), np.zeros(2), 150
    recall = (np.arange(20_000) + 0.5) / 20_000
    truth = []
    for auc in (0.85, 0.75):
        fpr = ndtr(ndtri(recall) - math.sqrt(2) * ndtri(auc))
        truth.append(np.mean(0.3 * recall / (0.3 * recall + 0.7 * fpr)))
    shift = math.sqrt(2) * ndtri([[0.85], [0.75]])
    for _ in range(sets):
        cluster = np.repeat(np.arange(60), rng.integers(1, 9, 60))
        y = rng.random(cluster.size) < rng.beta(0.6, 1.4, 60)[cluster]
        noise = rng.normal(size=(2, 60))[:, cluster] + rng.normal(size=(2, cluster.size))
        score = noise / math.sqrt(2) + shift * y
        weights = np.exp(0.5 * rng.normal(size=60))[cluster]
        models = dict(zip("ab", score, strict=True))
        for count, design in ((held, {"clusters": cluster, "weights": weights}), (control, {})):
            sample = rb.Sample(y, models, **design)
            one = rb.average_precision_interval(sample["a"])
            gap = rb.average_precision_difference(sample)
            count += [one.low <= truth[0] <= one.high, gap.low <= truth[0] - truth[1] <= gap.high]
    assert (held >= 0.92 * sets).all()
    assert (control < 0.9 * sets).all()


@pytest.mark.parametrize("prevalence", [None, 0.1])
@pytest.mark.parametrize("clusters", [ROW, G], ids=["rows", "clusters"])
def test_rows_divided_inside_their_clusters_change_nothing(
    clusters: Array, prevalence: Any
) -> None:
    """Three rows of one cluster with the same score count like one."""

    def ask(n: int) -> list[float]:
        score = {"one": np.repeat(ONE // 40, n), "two": np.repeat(TWO // 40, n)}
        sample = rb.Sample(np.repeat(Y, n), score, clusters=np.repeat(clusters, n))
        one = rb.average_precision_interval(sample["one"], prevalence=prevalence)
        gap = rb.average_precision_difference(sample, prevalence=prevalence)
        return [*ends(one), one.pvalue, *ends(gap), gap.pvalue]

    assert ask(3) == pytest.approx(ask(1), abs=1e-10)


def test_weights_that_span_18_digits() -> None:
    """Negatives without weight beside the positives: the prevalence rounds to 1."""
    weights = np.where(Y, 1e9, 1e-9)
    found = rb.average_precision_interval(rb.Sample(Y, ONE, weights=weights))
    assert found.estimate == pytest.approx(1.0, abs=1e-12)
    assert 0.0 < found.low <= found.high <= 1.0
    pair = rb.Sample(Y, {"one": ONE, "two": TWO}, weights=weights)
    gap = rb.mcnemar(pair, thresholds=(150.0, 150.0), of="sensitivity")
    assert gap.low < gap.difference < gap.high
