"""The engine for designs: special cases, identities, and numbers of a separate program."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rocbands as rb
from rocbands.core.delong import compute_area_moments, variance_from_moments
from rocbands.design.called_sums import ALL, CALLED, CALLED_NEG, CALLED_POS, POSITIVES, CalledSums
from rocbands.design.effective_number import find_effective, weigh_near
from rocbands.design.row_design import RowDesign
from rocbands.design.stretch import Stretch, satterthwaite

Array = Any


def draw(seed: int, n: int = 90, *, digits: int = 1) -> tuple[Array, Array, Array, Array, Array]:
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    score = np.round(rng.normal(size=n) + y, digits)
    clusters = rng.integers(0, n // 4, n)
    return y, score, np.exp(0.8 * rng.normal(size=n)), clusters, clusters % 3


def placements(design: RowDesign, roc: rb.RocCurve) -> Array:
    x, y = roc.fpr, roc.tpr
    return design.place(1.0 - (x[1:] + x[:-1]) / 2.0, (y[1:] + y[:-1]) / 2.0)


@pytest.mark.parametrize("seed", range(3))
def test_independent_rows_have_delongs_variance(seed: int) -> None:
    y, score, *_ = draw(seed)
    roc = rb.roc_curve(y, score)
    design = RowDesign.of_curve(roc)
    found = design.find_variance(design.split(placements(design, roc)))
    expected = variance_from_moments(compute_area_moments(roc), roc.n_pos, roc.n_neg)
    assert found == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("given", ["", "w"])
def test_influences_are_derivatives(given: str) -> None:
    # The influence of a row, relative to its class, is the derivative in its weight times W+ or W-.
    y, score, w, *_ = draw(1, digits=6)
    w = w if "w" in given else np.ones(y.size)

    def auc(weights: Array) -> float:
        return rb.Sample(y, score, weights=weights).roc.auc

    roc = rb.Sample(y, score, weights=w, clusters=np.arange(y.size)).roc
    design = RowDesign.of_curve(roc)
    values = placements(design, roc) - auc(w)
    for row in (0, 7, 40):
        step = np.where(np.arange(y.size) == row, 1e-5 * w, 0.0)
        slope = (auc(w + step) - auc(w - step)) / (2e-5 * w[row])
        total = w[y == y[row]].sum()
        assert values[row] == pytest.approx(slope * total, abs=1e-8)


def test_entries_of_a_curve_stand_for_its_rows() -> None:
    # Tied rows of equal weight are one entry; as rows they give the same sums.
    y, score, *_ = draw(2)
    roc = rb.roc_curve(y, score)
    cells = RowDesign.of_curve(roc)
    step = np.searchsorted(-roc.thresholds, -score)
    rows = RowDesign.of_rows(y, step=step)
    for one, two in zip(cells.units, rows.units, strict=True):
        assert one == pytest.approx(two, rel=1e-13)
    parts = [design.split(placements(design, roc)) for design in (cells, rows)]
    assert cells.find_variance(parts[0]) == pytest.approx(rows.find_variance(parts[1]), rel=1e-13)


def brute(
    design: RowDesign, called: Array, part: Array, of: Array, stratum: Array | None
) -> tuple[float, float]:
    """Variance and covariance of shares by explicit sums over clusters."""
    code = np.arange(called.size) if design.code is None else design.code
    w = design.weight
    share = w * of / (w @ of)
    p = share @ part
    z = np.array([np.sum((share * (part - p))[code == g]) for g in range(code.max() + 1)])
    if stratum is None:
        return float(p), float(z @ z)
    total, size = 0.0, z.size
    for h in np.unique(stratum):
        own = z[stratum == h]
        if own.size == 1:
            total += own[0] ** 2
        else:
            q = own.size / (own.size - 1) * (size - 1) / size
            total += q * np.sum((own - own.mean()) ** 2)
    return float(p), total


@pytest.mark.parametrize("given", ["", "w", "g", "wg", "wgh"])
def test_sums_of_called_rows_against_explicit_ones(given: str) -> None:
    y, score, w, g, h = draw(3)
    design_of: dict[str, Any] = {
        "weights": w if "w" in given else None,
        "clusters": g if "g" in given else None,
        "strata": h if "h" in given else None,
    }
    roc = rb.Sample(y, score, **design_of).roc
    design = RowDesign.of_curve(roc)
    rows = RowDesign.of_rows(y, *design_of.values())
    vertices = np.array([5, 0, 12, 20, roc.tp.size])
    sums = CalledSums.add_up(design, vertices)
    stratum = None if design.stratum is None else rows.stratum
    for k, vertex in enumerate(vertices):
        cut = np.inf if vertex == 0 else roc.thresholds[vertex - 1]
        called = score >= cut
        for part, of, event, base in (
            (CALLED_POS, ALL, called & y, np.ones(y.size, bool)),
            (CALLED_NEG, ALL, called & ~y, np.ones(y.size, bool)),
            (CALLED_POS, POSITIVES, called & y, y),
            (CALLED_POS, CALLED, called & y, called),
        ):
            found = sums.find_share(part, of)
            if not base.any():
                assert np.isnan(found.value[k])
                continue
            p, variance = brute(rows, called, event * 1.0, base * 1.0, stratum)
            assert found.value[k] == pytest.approx(p, abs=1e-13)
            assert sums.multiply(found.z, found.z)[k] == pytest.approx(variance, abs=1e-13)
            key = score - 99.0 * (of == ALL) * (y != (part == CALLED_POS))
            share = rows.weight * base / (rows.weight @ base)
            number, _ = find_effective(rows, share, event * 1.0, key=key)
            assert found.number[k] == pytest.approx(number, rel=1e-10)


def test_equal_single_rows_have_their_own_number() -> None:
    y, score, *_ = draw(4)
    sums = CalledSums.add_up(RowDesign.of_curve(rb.roc_curve(y, score)), np.arange(0, 30, 3))
    for part, of, size in ((CALLED_POS, ALL, y.size), (CALLED_POS, POSITIVES, y.sum())):
        share = sums.find_share(part, of)
        assert share.number == pytest.approx(np.full(10, float(size)), rel=1e-12)
        assert share.stretch.quantile(0.025) == pytest.approx(1.959963984540054, abs=1e-12)


def test_weight_near_a_threshold_is_that_of_the_nearest_rows() -> None:
    y, score, w, *_ = draw(5, digits=6)
    roc = rb.Sample(y, score, weights=w).roc
    order = np.argsort(-score)
    found = weigh_near(
        RowDesign.of_curve(roc), (RowDesign.of_curve(roc).step,), (np.array([30, 2]),)
    )
    rows = RowDesign.of_rows(y, w)
    step = np.empty(90, dtype=np.intp)
    step[order] = np.arange(90)
    alike = weigh_near(rows, (step, step), (np.array([30, 2]), np.array([30, 2])))
    nearest = (order[20:40], order[:20])
    for k, near in enumerate(nearest):
        expected = (w[near] @ w[near]) / w[near].sum() / w.sum()
        assert found.all[k] == pytest.approx(expected, rel=1e-12)
    for one, two in zip(found, alike, strict=True):
        assert one == pytest.approx(two, rel=1e-12)


def test_a_factor_of_weights_and_names_of_clusters_change_nothing() -> None:
    y, score, w, g, h = draw(6)
    one = RowDesign.of_curve(rb.Sample(y, score, weights=w, clusters=g, strata=h).roc)
    names = np.array([f"p{(7 * k) % 31:02d}" for k in range(31)])[g]
    two = RowDesign.of_curve(rb.Sample(y, score, weights=9 * w, clusters=names, strata=h).roc)
    for vertices in (np.array([4, 15]),):
        first, second = (
            CalledSums.add_up(d, vertices).find_share(CALLED_POS, ALL) for d in (one, two)
        )
        assert first.number == pytest.approx(second.number, rel=1e-12)


def test_rows_repeated_within_their_cluster_keep_the_variance() -> None:
    y, score, _, g, _ = draw(7)
    once, twice = (
        RowDesign.of_curve(rb.Sample(np.tile(y, k), np.tile(score, k), clusters=np.tile(g, k)).roc)
        for k in (1, 2)
    )
    found = []
    for design, roc in ((once, rb.roc_curve(y, score)), (twice, rb.roc_curve(y, score))):
        found.append(design.find_variance(design.split(placements(design, roc))))
    assert found[0] == pytest.approx(found[1], rel=1e-12)


def test_stretched_quantile_and_tail_are_inverse() -> None:
    stretch = Stretch(6.5, 120.0)
    for tail in (0.4, 0.05, 0.005, 1e-6):
        q = float(stretch.quantile(tail))
        assert stretch.find_tail(q) == pytest.approx(tail, rel=1e-9)
        assert stretch.find_tail(-q) == pytest.approx(1.0 - tail, rel=1e-9)
    assert Stretch(8.0, 8.0).quantile(0.05) == pytest.approx(1.6448536269514722)


def test_satterthwaite_without_variance_is_infinite() -> None:
    assert satterthwaite(0.0, 0.0, 5.0, 5.0) == np.inf
    assert satterthwaite(1.0, 0.0, 5.0, 9.0) == pytest.approx(4.0)


def test_one_stratum_is_none_and_strata_count_degrees_of_freedom() -> None:
    y, _, w, g, h = draw(8)
    plain = RowDesign.of_rows(y, w, g)
    assert RowDesign.of_rows(y, w, g, np.zeros(y.size, int)).stratum is None
    layered = RowDesign.of_rows(y, w, g, h)
    ratio = (layered.n_units - 3) / (layered.n_units - 1)
    assert layered.find_df(1.0, 2.0) == pytest.approx(plain.find_df(1.0, 2.0) * ratio)


def test_tied_weighted_rows_are_the_same_as_clusters_of_one_row() -> None:
    y, score, w, *_ = draw(9, n=50)
    w = w**3
    assert np.unique(score).size < y.size
    cells = rb.Sample(y, score, weights=w)
    named = cells.replace(clusters=np.arange(y.size))
    one, two = (RowDesign.of_curve(sample.roc) for sample in (cells, named))
    for first, second in zip(one.units, two.units, strict=True):
        assert first == pytest.approx(second, rel=1e-12)
    first, second = (rb.rate_bounds(s, rate=[0.3]) for s in (cells, named))
    assert first.tpr_upper == pytest.approx(second.tpr_upper, rel=1e-12)
    assert first.tpr_lower == pytest.approx(second.tpr_lower, rel=1e-12)


def test_a_tail_of_one_half_has_the_quantile_zero() -> None:
    assert float(Stretch(5.0, 9.0).quantile(0.5)) == 0.0


def test_few_heavy_rows_are_named() -> None:
    y, _, w, *_ = draw(10)
    few = RowDesign.of_rows(y, np.where(y, w**4, 1.0)).describe({"rows": (90, 30.0)})
    assert any(note.startswith("Few positives carry much weight") for note in few)
    assert not any(
        "carry much weight" in note
        for note in RowDesign.of_rows(y, 1.0 + 0.1 * w).describe({"rows": (90, 80.0)})
    )
