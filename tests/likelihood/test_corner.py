"""Critical values at corners, of separated classes and of few cases: values, and exact coverage."""

from __future__ import annotations

import math
from itertools import combinations, pairwise

import numpy as np
import pytest

import rocbands as rb
from rocbands.likelihood.calibration import (
    MOST_CASES,
    bound_weight,
    find_critical_values,
    find_excess,
    raise_value,
    weigh_corner,
)
from rocbands.likelihood.chance import LEVELS, critical_value, diagonal_statistics
from tests.oracles import corner as slow
from tests.oracles.critical_values import counts_of_order

SEVEN = (0.5, 0.8, 0.9, 0.95, 0.97, 0.99, 0.999)
# Orders (highest score first) and what the specification gives for them: weight of the corner, and
# critical values at .90, .95 and .99.
CORNER = ("P" * 9 + "N") * 5 + ("N" * 9 + "P") * 5
ORDERS = {
    CORNER: (0.7772, (2.9396, 3.5053, 4.8436)),
    CORNER[::-1]: (0.7772, (2.9396, 3.5053, 4.8436)),
    "PPPPN" * 4 + "NNNNP" * 4: (0.4349, (2.5380, 3.0560, 4.2933)),
    ("P" * 9 + "N" * 10) * 3 + ("N" * 90 + "P") * 3: (0.2229, (3.0195, 3.6095, 4.9861)),
    "PN" * 20: (0.0, (2.1449, 2.5660, 3.5382)),
    "PPPPPNPNNNNN": (0.0, (1.9538, 1.9538, 2.7536)),
    "NPNNNNNN": (0.0, (1.6456, 1.6456, 1.6582)),
    "P" * 20 + "N" * 20: (0.0, (2.3026, 2.9957, 4.6052)),
    "PNNNNNNN": (0.0, (2.3026, 2.9957, 4.6052)),
}


def counts(labels: str | list[bool]) -> tuple[np.ndarray, np.ndarray]:
    """Cumulative counts fp, tp from (0, 0)."""
    is_positive = np.array([label in ("P", True) for label in labels])
    return tuple(np.append(0, np.cumsum(side)) for side in (~is_positive, is_positive))  # type: ignore[return-value]


def values(
    fp: np.ndarray, tp: np.ndarray, levels: tuple[float, ...], how: str = "curve"
) -> list[float]:
    area = np.trapezoid(tp / tp[-1], fp / fp[-1])
    found = find_critical_values(how, fp, tp, levels, None, 0, auc=float(area))
    return [one.critical_value for one in found]


def plain_values(fp: np.ndarray, tp: np.ndarray, levels: tuple[float, ...]) -> list[float]:
    """The rule without corners, running maximum and lower bounds."""
    m, n = int(tp[-1]), int(fp[-1])
    auc = float(np.trapezoid(tp, fp)) / (m * n)
    excess = dict(zip(LEVELS.tolist(), find_excess(auc, m, n).tolist(), strict=True))
    return [critical_value(m, n, level) + excess[level] for level in levels]


@pytest.mark.parametrize("order", ORDERS)
def test_numbers_of_the_specification(order: str) -> None:
    weight, critical = ORDERS[order]
    fp, tp = counts(order)
    auc = float(np.trapezoid(tp, fp)) / (tp[-1] * fp[-1])
    assert weigh_corner(fp, tp, auc) == pytest.approx(weight, abs=5.1e-5)
    assert values(fp, tp, (0.90, 0.95, 0.99)) == pytest.approx(critical, abs=5.1e-5)


@pytest.mark.parametrize("seed", range(12))
def test_against_the_reference(seed: int) -> None:
    rng = np.random.default_rng(seed)
    m, n = (int(k) for k in rng.integers(1, 60, 2))
    u = np.concatenate([rng.random(n), rng.random(m) ** rng.choice([0.5, 1, 3, 9])])
    if seed % 2:  # a corner
        u[n:] = np.interp(rng.random(m), [0, 0.8, 1], [0, 0.15, 1])
    labels = (np.arange(m + n) >= n)[np.argsort(u)].tolist()
    fp, tp = counts(labels)
    assert weigh_corner(fp, tp, slow.area(labels)) == pytest.approx(
        slow.corner_weight(labels), abs=1e-9
    )
    for level in (0.5, 0.9, 0.95, 0.99):
        levels = [one for one in LEVELS.tolist() if one >= level - 0.05]  # lower ones do not matter
        wanted = slow.critical_value(labels, level, levels, lambda at: critical_value(m, n, at))
        assert values(fp, tp, (level,))[0] == pytest.approx(wanted, abs=1e-6)


def test_symmetry() -> None:
    rng = np.random.default_rng(5)
    for m, n in ((7, 7), (12, 30), (80, 25), (200, 300)):
        u = np.concatenate([rng.random(n), np.interp(rng.random(m), [0, 0.85, 1], [0, 0.1, 1])])
        labels = (np.arange(m + n) >= n)[np.argsort(u)]
        here = values(*counts(labels.tolist()), (0.9, 0.99))
        assert values(*counts((~labels[::-1]).tolist()), (0.9, 0.99)) == pytest.approx(
            here, rel=1e-12
        )
        assert values(*counts(labels[::-1].tolist()), (0.9, 0.99)) == pytest.approx(here, rel=1e-9)


def test_the_bound_saves_the_search_only_where_nothing_is_lost() -> None:
    rng = np.random.default_rng(8)
    for m, n in ((30, 30), (400, 200), (MOST_CASES, MOST_CASES), (40, 4000)):
        for _ in range(5):
            u = np.concatenate([rng.random(n), np.interp(rng.random(m), [0, 0.9, 1], [0, 0.1, 1])])
            fp, tp = counts((np.arange(m + n) >= n)[np.argsort(u)].tolist())
            auc = float(np.trapezoid(tp, fp)) / (m * n)
            assert weigh_corner(fp, tp, auc) <= bound_weight(m, n)
    assert bound_weight(MOST_CASES + 1, 10**6) == 0.0
    assert raise_value(3.0, 2.5, 0.0, 0.95) == 3.0


@pytest.mark.parametrize("n", [1, 8, 20, 300])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_separated_classes_allow_what_an_exact_interval_allows(n: int, level: float) -> None:
    """Without a false positive among n, rates up to 1 - (1 - level)^(1/n) are possible."""
    y, s = np.repeat([1, 0], n), np.arange(2 * n)[::-1]
    band = rb.roc_band(y, s, level=level)
    # Clopper and Pearson's one-sided limit, where the band's lower edge leaves TPR 0.
    limit = 1 - (1 - level) ** (1 / n)
    assert band.lower_at(limit * (1 - 1e-6)) < 1.0
    assert band.region.critical_value >= -math.log(1 - level) - 1e-12  # type: ignore[union-attr]


def all_orders(m: int, n: int) -> np.ndarray:
    """Negatives before each positive, for every order of the labels."""
    return np.array([np.array(chosen) - np.arange(m) for chosen in combinations(range(m + n), m)])


TINY = [(m, n) for n in range(1, 7) for m in range(1, n + 1)]


@pytest.mark.parametrize(("m", "n"), [*TINY, (1, 7), (1, 20), (2, 20), (2, 40)])
def test_exact_coverage_of_chance(m: int, n: int) -> None:
    """All orders are equally likely: never below the level, and nested."""
    orders = all_orders(m, n)
    statistics = diagonal_statistics(orders, n)
    bounds = np.array([values(*counts_of_order(order, n), SEVEN) for order in orders])
    assert (np.diff(bounds, axis=1) >= 0).all()
    held = (statistics[:, None] <= bounds + 1e-9).mean(axis=0)
    assert (held >= np.array(SEVEN) - 1e-12).all()


@pytest.mark.parametrize(
    ("m", "n", "wanted", "before"),
    [
        (1, 7, (1, 1, 1, 1), (0.750,) * 4),
        (3, 3, (1, 1, 1, 1), (0.900,) * 4),
        (4, 4, (0.943, 1, 1, 1), (0.943, 0.886, 0.771, 0.971)),
        (5, 5, (0.921, 0.984, 0.992, 1), (0.921, 0.937, 0.921, 0.952)),
        (6, 6, (0.955, 0.955, 0.974, 0.994), (0.955, 0.931, 0.939, 0.974)),
        (1, 20, (1, 1, 1, 1), (0.810, 0.905, 0.905, 0.905)),
        (2, 20, (0.913, 0.957, 0.974, 1), (0.879, 0.948, 0.948, 0.974)),
    ],
)  # fmt: skip
def test_exact_coverage_is_that_of_the_specification(
    m: int, n: int, wanted: tuple[float, ...], before: tuple[float, ...]
) -> None:
    """The plain rule, chance plus excess, falls short in the same enumeration."""
    levels, orders = (0.90, 0.95, 0.97, 0.99), all_orders(m, n)
    statistics = diagonal_statistics(orders, n)[:, None]
    for rule, shares in ((values, wanted), (plain_values, before)):
        bounds = np.array([rule(*counts_of_order(order, n), levels) for order in orders])
        held = (statistics <= bounds + 1e-9).mean(axis=0)
        assert held == pytest.approx(shares, abs=5.1e-4)
    assert min(held - np.array(levels)) < 0  # of the plain rule


def random_curve(seed: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Counts and AUC of any shape and size."""
    rng = np.random.default_rng(seed)
    m, n = (int(k) for k in np.exp(rng.uniform(0, math.log(400), 2)).round())
    u = np.concatenate([rng.random(n), rng.random(m) ** math.exp(rng.uniform(-2, 5))])
    if seed % 3 == 0:
        a = rng.uniform(0.01, 0.4)
        u[n:] = np.interp(rng.random(m), [0, 1 - a, 1], [0, a, 1])
    labels = (np.arange(m + n) >= n)[np.argsort(u)]
    fp, tp = counts(labels.tolist())
    return fp, tp, float(np.trapezoid(tp, fp)) / (m * n)


MANY_LEVELS = tuple(np.sort(np.concatenate([LEVELS, np.linspace(0.501, 0.9989, 97)])).tolist())


@pytest.mark.parametrize("how", ["chance", "curve"])
def test_a_higher_level_never_has_a_lower_value(how: str) -> None:
    for seed in range(150):
        fp, tp, _ = random_curve(seed)
        found = values(fp, tp, MANY_LEVELS, how)
        assert all(a <= b for a, b in pairwise(found)), (seed, tp[-1], fp[-1])


def test_the_plain_rule_is_not_nested() -> None:
    """The negative control of the test above."""
    falls = 0
    for seed in range(150):
        fp, tp, _ = random_curve(seed)
        falls += any(a > b for a, b in pairwise(plain_values(fp, tp, tuple(LEVELS.tolist()))))
    assert falls >= 10


@pytest.mark.parametrize(("m", "n"), [(3, 4), (12, 60), (30, 30), (60, 500), (3000, 10**6)])
@pytest.mark.parametrize("how", ["chance", "curve"])
def test_levels_outside_the_table_are_nested(
    m: int, n: int, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rocbands.likelihood.chance.draws_for", lambda level, least: 2_000)
    # A straight curve with one corner, which has few vertices whatever the sizes.
    fp, tp = np.array([0, n // 5, n]), np.array([0, m - m // 5, m])
    levels = (
        0.01,
        0.1,
        0.3,
        0.49,
        0.4999,
        0.5,
        0.9,
        0.999,
        0.9991,
        0.9995,
        0.9997,
        0.99976,
        0.9999,
    )
    found = values(fp, tp, levels, how)
    assert all(a <= b for a, b in pairwise(found))


@pytest.mark.parametrize(
    "sizes", [(5, 8, 5, 8), (20, 30, 40, 60), (60, 90, 60, 90), (900, 700, 900, 700)]
)
@pytest.mark.parametrize("how", ["chance", "curve"])
def test_bands_of_future_sets_are_nested(sizes: tuple[int, int, int, int], how: str) -> None:
    m, n, *future = sizes
    for shift in (0.0, 1.0, 3.0):
        rng = np.random.default_rng(int(shift))
        scores = np.concatenate([rng.normal(size=n), rng.normal(size=m) + shift])
        fp, tp = counts((np.arange(m + n) >= n)[np.argsort(-scores)].tolist())
        area = float(np.trapezoid(tp / m, fp / n))
        later = (future[0], future[1])
        found = find_critical_values(how, fp, tp, MANY_LEVELS, later, 0, auc=area)
        assert all(a.critical_value <= b.critical_value for a, b in pairwise(found))


@pytest.mark.parametrize("design", ["plain", "weights", "clusters", "bins", "rounded"])
def test_default_bands_are_nested(design: str) -> None:
    """Whatever the design: no edge of a band crosses that of a higher level."""
    at = np.linspace(0.0, 1.0, 41)
    for seed in range(6):
        rng = np.random.default_rng(seed)
        rows = int(rng.choice([8, 14, 40, 200]))
        y = rng.permutation(np.arange(rows) < max(rows // 3, 2))
        s = rng.normal(size=rows) + rng.choice([0.5, 2.0, 6.0]) * y
        if design in ("bins", "rounded"):
            s = np.floor(2 * s)
        extra = {}
        if design == "weights":
            extra = {"weights": rng.choice([1.0, 3.0], rows)}
        if design == "clusters":
            extra = {"clusters": np.arange(rows) // 2}
        sample = rb.Sample(y, s, **extra).roc
        if design == "bins":
            sample = rb.RocCurve.from_counts(sample.thresholds, sample.fp, sample.tp, bins=True)
        bands = [rb.roc_band(sample, level=level) for level in (0.5, 0.8, 0.9, 0.95, 0.97, 0.99)]
        for inner, outer in pairwise(bands):
            assert (outer.lower_at(at) <= inner.lower_at(at) + 1e-9).all()
            assert (outer.upper_at(at) >= inner.upper_at(at) - 1e-9).all()
