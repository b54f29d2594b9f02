"""Intervals from folds: against R and separate programs, and what they refuse."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student

import rocbands as rb
from rocbands.auc import FOLD_METHODS as METHODS
from tests.golden_numbers import GOLDEN, columns
from tests.oracles.fold_difference import average_of_one, score_limits
from tests.oracles.pooled_cvauc import pooled_cvauc

KNOWN = json.loads((GOLDEN / "auc_exact_bootstrap.json").read_text(encoding="utf-8"))["kfold"]
close = pytest.approx


def folds_with(aucs: list[float]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Folds of 10 + 10 untied rows whose AUCs are given to the hundredth."""
    labels, scores = [], []
    for auc in aucs:
        wins = round(100 * auc)
        each = [wins // 10 + (place < wins % 10) for place in range(10)]
        labels += [1] * 10 + [0] * 10
        scores += [below - 0.5 + place / 100 for place, below in enumerate(each)] + [*range(10)]
    return np.array(labels), np.array(scores), np.repeat(np.arange(len(aucs)), 20)


def interval(
    rows: tuple, method: str | None = None, repeats: int = 1, **how: object
) -> rb.results.FoldInterval:
    y, s, folds = rows
    sample = rb.Sample(y, s, folds=folds, repeats=repeats)
    return rb.fold_auc_interval(sample, method=method, **how)


def test_the_numbers_of_r_with_ties_at_one_half() -> None:
    data, known = (
        columns("cvauc_admissions"),
        json.loads((GOLDEN / "cvauc.json").read_text(encoding="utf-8")),
    )
    found = rb.fold_auc_interval(
        rb.Sample(data["y"], data["pred"], folds=data["fold"]), method="influence"
    )
    assert found.fold_estimates == close(known["iid"]["fold_auc"], abs=1e-12)
    assert found.estimate == close(known["iid"]["cvAUC"], abs=1e-12)
    assert found.standard_error == close(0.016510728821, abs=1e-11)


@pytest.mark.parametrize(
    ("method", "key"), [("influence", "cvauc_ic95"), ("fold-delong", "cvauc_delong95")]
)
def test_small_tied_folds(method: str, key: str) -> None:
    y, s = (np.concatenate([fold[side] for fold in KNOWN["folds"]]) for side in (0, 1))
    code = np.repeat(["a", "b", "c"], [len(fold[0]) for fold in KNOWN["folds"]])
    found = rb.fold_auc_interval(rb.Sample(y, s, folds=code), method=method)
    estimate, low, high, error = KNOWN[key]
    assert (found.estimate, found.standard_error) == close((estimate, error), abs=1e-12)
    assert (found.low, found.high) == close((low, min(high, 1.0)), abs=1e-12)
    if method == "fold-delong":
        assert found.unclipped == close((low, high), abs=1e-12)


@pytest.mark.parametrize(("method", "key"), [("t", "t95"), ("nadeau-bengio", "nb95_k10")])
def test_ten_fold_scores(method: str, key: str) -> None:
    found = interval(folds_with(KNOWN["scores"]), method)
    assert found.fold_estimates == close(KNOWN["scores"], abs=1e-12)
    assert (found.estimate, found.low, found.high) == close(KNOWN[key], abs=1e-12)


def test_widening_by_nadeau_and_bengio() -> None:
    rows = folds_with([0.9, 0.8, 0.85, 0.7, 0.95, 0.75, 0.9, 0.8, 0.9, 0.6])
    plain, wide = (interval(rows, name) for name in ("t", "nadeau-bengio"))
    assert wide.standard_error / plain.standard_error == close(1.452966, abs=1e-6)
    twice = interval(rows, "nadeau-bengio", repeats=2)
    spread = np.std(twice.fold_estimates, ddof=1)
    assert twice.standard_error == close(spread * (1 / 10 + 1 / 4) ** 0.5, abs=1e-12)


def test_limits_are_clipped_and_the_source_s_are_kept() -> None:
    rows = folds_with([1.0, 0.9, 0.6])
    found = interval(rows, "t")
    assert found.high == 1.0 < found.unclipped[1]
    assert 0 < found.low == found.unclipped[0]
    above = interval(rows, "t", alternative="greater", level=0.975)
    assert (above.low, above.high) == close((found.low, 1.0), abs=1e-12)
    assert json.loads(above.to_json())["unclipped"][1] == "inf"


@pytest.mark.parametrize("method", METHODS)
def test_every_method_says_what_it_is_for(method: str) -> None:
    found = interval(folds_with([0.9, 0.8, 0.7]), method)
    models = ("score", "influence", "fold-delong")
    assert ("average AUC of the folds' models" in found.target) == (method in models)
    assert ("expected AUC of models trained" in found.target) == (method not in models[1:])
    same = interval(folds_with([1.0, 1.0]), method)
    if method == "score":  # never a point
        assert same.low < 0.95 < same.high == 1.0
        assert same.standard_error is None
        return
    assert "Near AUC 1 these limits are too narrow" in same.notes[1]
    assert (same.low, same.high) == (1.0, 1.0)
    assert "limits equal the estimate" in same.notes[-1]


def test_scores_of_different_folds_are_never_compared() -> None:
    y, s, code = folds_with([0.9, 0.8, 0.7])
    for method in METHODS:
        one, other = (
            rb.fold_auc_interval(rb.Sample(y, v, folds=code), method=method)
            for v in (s, s + 100.0 * code)
        )
        assert (one.low, one.high) == (other.low, other.high)


def test_wrong_requests_are_refused_in_words() -> None:
    y, s, code = folds_with([0.9, 0.8, 0.7])
    lonely = np.array([0, 1, 0, 1, 1, 0]), np.arange(6.0), np.array(["x"] * 3 + ["y"] * 3)
    for rows, how, words in (
        ((y, s, code), {"method": "tt"}, "`method` must be one of score, t, nadeau-bengio"),
        ((y, s, code), {"repeats": 2}, "divides the number of folds; got 2 with 3 folds"),
        ((y, s, code), {"method": "nadeau-bengio", "repeats": 3}, "must divide the 3 folds"),
        ((y, s, code), {"repeats": 0}, "`repeats` must be a whole number .* got 0"),
        ((y, s, code), {"method": "t", "repeats": 3}, "'t' is for rows that were cut into folds"),
        ((y, s, None), {}, "`folds` must say the fold of each row"),
        ((y, s, code * 0), {}, "at least two folds"),
        ((y, s, y), {}, "Every fold must contain both classes"),
        (
            lonely,
            {"method": "fold-delong"},
            "fold number 1 of 2 has one positive. Use method='influence'",
        ),
    ):
        with pytest.raises(rb.InputError, match=words):
            interval(rows, **how)
    assert interval(lonely, "influence").standard_error > 0
    with pytest.raises(rb.InputError, match="of at least 1; got 0"):
        rb.auc.NadeauBengio(repeats=0)
    with pytest.raises(TypeError, match="takes one argument by position; got 2"):
        rb.fold_auc_interval(y, s)
    with pytest.raises(rb.InputError, match="`sample` must be a sample with folds; it is ndarray"):
        rb.fold_auc_interval(y)


def test_score_limits_by_hand() -> None:
    """Placements about the mean of the AUCs, pseudo observations, widening, and the quadratic."""
    rng = np.random.default_rng(4)
    y, code = np.tile([1, 1, 0, 0, 0], 12), np.repeat([0, 1, 2], 20)
    s = rng.normal(size=60) + y
    pos, neg, aucs = [], [], []
    for fold in range(3):
        wins = s[(code == fold) & (y == 1)][:, None] > s[(code == fold) & (y == 0)]
        pos, neg, aucs = (
            [*pos, *wins.mean(axis=1)],
            [*neg, *wins.mean(axis=0)],
            [*aucs, wins.mean()],
        )
    a, m, n = np.mean(aucs), len(pos), len(neg)
    t, shares = a * (1 - a), []
    for own, size, other in ((pos, m, n), (neg, n, m)):
        square = np.sum((np.array(own) - a) ** 2)
        shares.append((square + 0.3 * other / 60) / ((size - 1) * t + 0.5) / size)
    unit = sum(shares)
    part = shares[0] / unit
    df = 1 / (part**2 / (m - 1 + 0.5 / t) + (1 - part) ** 2 / (n - 1 + 0.5 / t))
    unit *= 1 + 1.5 / (1 + (a - 0.5) ** 2 / (unit / 4) / 10)
    found = rb.fold_auc_interval(rb.Sample(y, s, folds=code))
    assert (found.method, found.estimate) == ("score", close(a, abs=1e-12))
    for limit in (found.low, found.high):
        error = np.sqrt(unit * limit * (1 - limit))
        assert abs(limit - a) == close(student.ppf(0.975, df) * error, abs=1e-9)
    # Two repetitions of the same folds say as much as one.
    twice = rb.Sample(np.tile(y, 2), np.tile(s, 2), folds=np.r_[code, code + 3], repeats=2)
    again = rb.fold_auc_interval(twice)
    assert (again.low, again.high) == close((found.low, found.high), abs=1e-9)


def test_folds_of_unequal_size_count_equally() -> None:
    """Sizes 1:3: the limits are those of the variance of a mean of folds, from pairs of rows."""
    rng = np.random.default_rng(7)
    y, code = np.tile([1, 0, 0, 1, 0], 16), np.repeat([0, 1, 2, 3], [10, 10, 30, 30])
    s = np.round(rng.normal(size=80) + 1.5 * y, 1)
    mean, unit, df, cases = average_of_one(y == 1, s, code, np.ones(80), np.arange(80), 1)
    found = rb.fold_auc_interval(rb.Sample(y, s, folds=code))
    limits = score_limits(mean, unit, student.ppf(0.975, df))
    assert (found.estimate, found.low, found.high) == close((mean, *limits), abs=1e-12)
    assert cases == close([24, 36], abs=1e-9)  # 16 / (1/4 + 1/4 + 1/12 + 1/12) of 32 positives
    # Few scores of the small folds decide as much as many of the large ones.
    apart = [rb.auc_interval(y[code == f], s[code == f], method="delong") for f in range(4)]
    delong = rb.fold_auc_interval(rb.Sample(y, s, folds=code), method="fold-delong")
    errors = [one.standard_error for one in apart]
    assert delong.standard_error == close(np.sqrt(np.square(errors).sum()) / 4, abs=1e-12)


def test_a_fold_may_have_one_case_of_a_class() -> None:
    y, s = np.tile([1, 0, 0, 0], 10), np.random.default_rng(1).normal(size=40)
    found = rb.fold_auc_interval(rb.Sample(y, s, folds=np.arange(40) // 4))
    apart = rb.auc_interval(y, s)
    assert found.high - found.low > 1.2 * (apart.high - apart.low)


def draw_learner(rng: np.random.Generator, distance: float) -> tuple[rb.Sample, float]:
    """Five folds of 60 rows; a learner along the difference of the means of five features."""
    y, code = np.arange(60) % 2, np.arange(60) // 2 % 5
    x = rng.normal(size=(60, 5)) + np.outer(y, np.eye(5)[0] * distance)
    s, areas = np.empty(60), []
    for fold in range(5):
        train, test = code != fold, code == fold
        weight = x[train & (y == 1)].mean(axis=0) - x[train & (y == 0)].mean(axis=0)
        s[test] = x[test] @ weight
        areas.append(norm.cdf(distance * weight[0] / np.linalg.norm(weight) / np.sqrt(2)))
    return rb.Sample(y, s, folds=code), float(np.mean(areas))


@pytest.mark.simulation
@pytest.mark.parametrize("auc", [0.5, 0.9, 0.98])
def test_score_limits_hold_near_1_and_near_chance(auc: float) -> None:
    """The negative control is Nadeau and Bengio's interval near 1, and DeLong's near chance."""
    rng, held = np.random.default_rng(5), {"score": 0, "nadeau-bengio": 0, "fold-delong": 0}
    for _ in range(150):
        sample, truth = draw_learner(rng, np.sqrt(2) * norm.ppf(auc))
        for method in held:
            found = rb.fold_auc_interval(sample, method=method)
            held[method] += found.low <= truth <= found.high
    assert held["score"] >= 0.91 * 150
    if auc == 0.98:
        assert held["nadeau-bengio"] < 0.93 * 150
    if auc == 0.5:
        assert held["fold-delong"] < 0.91 * 150


# ------------------------------------------------------------------ weights, clusters and strata


def rows_by_group(seed: int = 2) -> dict[str, np.ndarray]:
    """Four folds of six clusters each, two strata in every fold, tied scores."""
    rng = np.random.default_rng(seed)
    g = np.repeat(np.arange(24), rng.integers(2, 7, 24))
    y = np.where(np.r_[True, g[1:] != g[:-1]], g % 2, rng.random(g.size) < 0.5).astype(int)
    s = np.round(rng.normal(size=24)[g] + rng.normal(size=g.size) + 1.5 * y, 1)
    w = np.exp(0.6 * rng.normal(size=g.size))
    return {"y": y, "s": s, "folds": g % 4, "weights": w, "clusters": g, "strata": g // 4 % 2}


def ask(rows: dict[str, np.ndarray], given: str, method: str = "score") -> rb.results.FoldInterval:
    names = {"w": "weights", "g": "clusters", "h": "strata"}
    design = {names[key]: rows[names[key]] for key in given}
    return rb.fold_auc_interval(
        rb.Sample(rows["y"], rows["s"], folds=rows["folds"], **design), method=method
    )


class ByHand:
    """Sums over clusters of each fold, by loops over pairs of rows."""

    def __init__(self, rows: dict[str, np.ndarray], given: str) -> None:
        n = rows["y"].size
        w = rows["weights"] if "w" in given else np.ones(n)
        unit = rows["clusters"] if "g" in given else np.arange(n)
        home = rows["strata"] if "h" in given else np.zeros(n, dtype=int)
        self.folds, self.clustered, self.aucs = [], "g" in given, []
        for fold in range(4):
            at = rows["folds"] == fold
            y, s, v = rows["y"][at] == 1, rows["s"][at], w[at]
            share = [np.where(own, v, 0.0) / v[own].sum() for own in (y, ~y)]
            wins = np.array([[(a > b) + (a == b) / 2 for b in s] for a in s])
            place = np.where(y, wins @ share[1], share[0] @ wins)
            self.aucs.append(float(share[0] @ place))
            self.folds.append((y, share, place, unit[at], home[at]))
        self.mean = float(np.mean(self.aucs))

    def multiply(self, fold: int, one: int, two: int, centre: float) -> float:
        _, share, place, unit, home = self.folds[fold]
        z = [
            {u: float(np.sum((share[k] * (place - centre))[unit == u])) for u in set(unit.tolist())}
            for k in (one, two)
        ]
        of = dict(zip(unit.tolist(), home.tolist(), strict=True))
        if len(set(of.values())) == 1:
            return sum(z[0][u] * z[1][u] for u in z[0])
        total = 0.0
        for h in set(of.values()):
            own = [u for u in of if of[u] == h]
            factor = len(own) / (len(own) - 1) * (len(of) - 1) / len(of)
            means = [np.mean([side[u] for u in own]) for side in z]
            total += factor * sum((z[0][u] - means[0]) * (z[1][u] - means[1]) for u in own)
        return total

    def kish(self, fold: int, side: int, *, rows: bool = False) -> float:
        _, share, _, unit, _ = self.folds[fold]
        by = np.arange(unit.size) if rows else unit
        return 1 / sum(share[side][by == u].sum() ** 2 for u in set(by.tolist()))


def few(k: float) -> float:
    return k / max(k - 1, 0.5)


DESIGNS = ["w", "g", "wg", "gh", "wgh", "h", "wh"]


@pytest.mark.parametrize("given", DESIGNS)
def test_errors_of_designs_by_hand(given: str) -> None:
    rows = rows_by_group()
    hand = ByHand(rows, given)
    sizes = np.array([(y.sum(), (~y).sum()) for y, *_ in hand.folds])
    share = sizes / sizes.sum(axis=0)
    number = [len(set(unit.tolist())) for *_, unit, _ in hand.folds]  # clusters, or rows
    squared = delong = 0.0
    for f in range(4):
        vp, vn, across = (
            hand.multiply(f, *pair, hand.aucs[f]) for pair in ((0, 0), (1, 1), (0, 1))
        )
        a, b = share[f]
        squared += sum(number) / number[f] / 4 * (a * a * vp + b * b * vn + 2 * a * b * across)
        units = len(set(hand.folds[f][3].tolist()))
        delong += few(hand.kish(f, 0)) * vp + few(hand.kish(f, 1)) * vn + 2 * few(units) * across
    found = ask(rows, given, "influence")
    assert found.fold_estimates == close(hand.aucs, abs=1e-13)
    assert found.standard_error == close(np.sqrt(squared), rel=1e-11)
    assert ask(rows, given, "fold-delong").standard_error == close(np.sqrt(delong) / 4, rel=1e-11)
    for method in ("t", "nadeau-bengio"):
        if "h" not in given:
            error = np.std(hand.aucs, ddof=1) * (0.25 + (method != "t") / 3) ** 0.5
            assert ask(rows, given, method).standard_error == close(error, rel=1e-11)


@pytest.mark.parametrize("given", DESIGNS)
def test_score_limits_of_designs_by_hand(given: str) -> None:
    rows = rows_by_group()
    hand = ByHand(rows, given)
    a, t = hand.mean, hand.mean * (1 - hand.mean)
    sizes = np.array([(y.sum(), (~y).sum()) for y, *_ in hand.folds])
    share = np.full((4, 2), 1 / 4)  # folds differ in size, and count equally
    number, square = [], []
    for k in (0, 1):
        spread = sum(
            float(hand.folds[f][1][k] @ (hand.folds[f][2] - a) ** 2) / sizes[f, k] for f in range(4)
        ) / np.sum(1 / sizes[:, k])
        v = sum(share[f, k] ** 2 * hand.multiply(f, k, k, a) for f in range(4))
        u = sum(share[f, k] ** 2 / hand.kish(f, k) for f in range(4))
        r = sum(share[f, k] ** 2 / hand.kish(f, k, rows=True) for f in range(4))
        number.append((spread + t * u) / (v + t * u * u) * few(1 / r) / few(1 / u))
        square.append(v)
    across = sum(share[f].prod() * hand.multiply(f, 0, 1, a) for f in range(4))
    units = sum(len(set(fold[3].tolist())) for fold in hand.folds)
    m, n = number
    parts = []
    for size, other, v in ((m, n, square[0]), (n, m, square[1])):
        parts.append((size * size * v + 0.3 * other / (m + n)) / ((size - 1) * t + 0.5) / size)
    unit = sum(parts)
    part = parts[0] / unit
    df = 1 / (part**2 / (m - 1 + 0.5 / t) + (1 - part) ** 2 / (n - 1 + 0.5 / t))
    if "h" in given:
        df *= (units - 8) / (units - 4)
    if across:
        unit = max(unit + 2 * across / (t + 0.5 / (units - 1)), 0.1 * unit, 1 / (m * n))
    unit *= 1 + 4 / 3 / (1 + (a - 0.5) ** 2 / (unit / 4) / 10)
    found = ask(rows, given)
    for limit in (found.low, found.high):
        reach = student.ppf(0.975, df) * np.sqrt(unit * limit * (1 - limit))
        assert abs(limit - a) == close(reach, rel=1e-8)
    assert "count like" in found.notes[1]


@pytest.mark.parametrize("method", METHODS)
def test_identities_of_designs(method: str) -> None:
    rows = rows_by_group()
    order = np.random.default_rng(0).permutation(rows["y"].size)
    given = "wg" if method in ("t", "nadeau-bengio") else "wgh"
    known = ask(rows, given, method)
    plain = ask(rows, "", method)
    for other, keys, expected in (
        ({**rows, "weights": 5.0 * rows["weights"]}, given, known),
        ({name: side[order] for name, side in rows.items()}, given, known),
        ({**rows, "clusters": 101 - rows["clusters"]}, given, known),
        ({**rows, "s": rows["s"] + 100.0 * rows["folds"]}, given, known),
        ({**rows, "clusters": np.arange(order.size)}, "g", plain),
        ({**rows, "weights": np.full(order.size, 0.3)}, "w", plain),
        ({**rows, "weights": np.where(rows["y"] == 1, 3.0, 0.5)}, "w", plain),
    ):
        found = ask(other, keys, method)
        assert found.unclipped == close(expected.unclipped, abs=1e-11)
    twice = {name: np.concatenate([side, side[:20]]) for name, side in rows.items()}
    twice["weights"][order.size :] = 0.0  # rows of weight 0 are left out
    found = ask(twice, given, method)
    assert found.unclipped == close(known.unclipped, abs=1e-12)
    assert "20 rows of weight 0 were left out." in found.notes


def test_two_repetitions_of_the_same_clusters_say_as_much_as_one() -> None:
    rows = rows_by_group()
    one = ask(rows, "wg")
    again = {name: np.tile(side, 2) for name, side in rows.items()}
    again["folds"] = np.r_[rows["folds"], rows["folds"] + 4]
    sample = rb.Sample(again["y"], again["s"], folds=again["folds"], repeats=2,
                       weights=again["weights"], clusters=again["clusters"])  # fmt: skip
    two = rb.fold_auc_interval(sample)
    assert (two.low, two.high) == close((one.low, one.high), abs=2e-3)


def test_designs_of_folds_that_are_refused() -> None:
    rows = rows_by_group()
    astray = {**rows, "folds": np.arange(rows["y"].size) % 4}
    with pytest.raises(
        rb.InputError, match="`folds` must put all rows of a cluster in one fold; 24"
    ):
        ask(astray, "g")
    for method in ("t", "nadeau-bengio"):
        with pytest.raises(rb.InputError, match="strata"):
            ask(rows, "h", method)
    sample = rb.Sample(rows["y"], rows["s"], folds=rows["folds"], weights=rows["weights"])
    for question in (rb.roc_band, rb.rate_bounds, rb.auc_interval):
        with pytest.raises(rb.InputError, match=r"weights|folds"):
            question(sample)
    lonely = {**rows, "clusters": np.where(rows["y"] == 1, rows["folds"], rows["clusters"] + 9)}
    with pytest.raises(rb.InputError, match="has one cluster with a positive"):
        ask(lonely, "g", "fold-delong")


@pytest.mark.simulation
def test_score_limits_hold_with_clusters_and_weights() -> None:
    """40 clusters in five folds; the control takes rows as independent."""
    rng, sets, auc = np.random.default_rng(6), 120, 0.85
    held, control = 0, 0
    for _ in range(sets):
        g = np.repeat(np.arange(40), rng.integers(2, 13, 40))
        y = rng.random(g.size) < rng.beta(0.8, 1.2, 40)[g]
        s = (rng.normal(size=40)[g] + rng.normal(size=g.size)) / np.sqrt(2)
        s += np.sqrt(2) * norm.ppf(auc) * y
        w = np.exp(0.5 * rng.normal(size=g.size))
        sample = rb.Sample(y, s, folds=g % 5, clusters=g, weights=w)
        found = rb.fold_auc_interval(sample)
        held += found.low <= auc <= found.high
        found = rb.fold_auc_interval(rb.Sample(y, s, folds=g % 5))
        control += found.low <= auc <= found.high
    assert held >= 0.93 * sets
    assert control <= 0.85 * sets


@pytest.mark.parametrize("seed", range(4))
def test_persons_with_several_rows(seed: int) -> None:
    """Standard errors of pooled repeated measures, from the formulas of the paper."""
    rows = rows_by_group(seed)
    mean, error = pooled_cvauc(rows["y"], rows["s"], rows["folds"], rows["clusters"])
    found = ask(rows, "g", "influence")
    assert (found.estimate, found.standard_error) == close((mean, error), abs=1e-13)
    half = 1.959963984540054 * error
    assert found.unclipped == close((mean - half, mean + half), abs=1e-12)
    assert ask(rows, "", "influence").standard_error != close(error, rel=1e-3)


def test_oracle_of_persons_has_the_numbers_of_r_for_single_rows() -> None:
    data = columns("cvauc_admissions")
    known = json.loads((GOLDEN / "cvauc.json").read_text(encoding="utf-8"))["iid"]
    y, s, folds = data["y"], data["pred"], data["fold"]
    mean, error = pooled_cvauc(y, s, folds, range(y.size))
    assert mean == close(known["cvAUC"], abs=1e-12)
    assert error == close(0.016510728821, abs=1e-11)


def test_persons_in_several_folds_are_refused() -> None:
    rows = rows_by_group()
    split = rb.Sample(
        rows["y"], rows["s"], folds=np.arange(rows["y"].size) % 4, clusters=rows["clusters"]
    )
    with pytest.raises(rb.InputError, match="all rows of a cluster in one fold"):
        rb.fold_auc_interval(split, method="influence")


@pytest.mark.simulation
def test_coverage_of_persons_at_three_levels() -> None:
    """60 persons in five folds; rows taken as independent, or spread over folds, hold too rarely."""
    rng, sets, auc = np.random.default_rng(7), 200, 0.8
    levels = (0.9, 0.95, 0.99)
    held = np.zeros((4, 3))
    for _ in range(sets):
        g = np.repeat(np.arange(60), rng.integers(2, 9, 60))
        y = rng.random(g.size) < rng.beta(1.0, 1.0, 60)[g]
        s = (rng.normal(size=60)[g] + rng.normal(size=g.size)) / np.sqrt(2)
        s += np.sqrt(2) * norm.ppf(auc) * y
        whole, spread = g % 5, rng.permutation(g.size) % 5
        samples = [
            rb.Sample(y, s, folds=whole, clusters=g),
            rb.Sample(y, s, folds=whole),
            rb.Sample(y, s, folds=spread),
        ]
        for k, level in enumerate(levels):
            for i, sample in enumerate(samples):
                found = rb.fold_auc_interval(sample, method="influence", level=level)
                held[i, k] += found.low <= auc <= found.high
            found = rb.fold_auc_interval(samples[0], level=level)
            held[3, k] += found.low <= auc <= found.high
    share = held / sets
    assert (share[0] >= (0.82, 0.88, 0.94)).all()
    assert (share[3] >= (0.88, 0.93, 0.97)).all()
    assert (share[1:3] <= (0.80, 0.88, 0.96)).all()
