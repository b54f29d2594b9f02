"""RocCurve: right counts under ties, in any row order, at any precision."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given

import rocbands as rb
from rocbands.core.roc import RocCurve
from rocbands.errors import InputError
from tests.golden_numbers import columns
from tests.oracles.pairs import auc_by_pairs, vertices_by_threshold
from tests.strategies import labelled_scores

MARKERS = ["s1", "s2", "s1t", "s2t"]

# Twelve rows of methods/bands.md section 15: two tied pairs, one of them mixed.
TWELVE_SCORES = [0.95, 0.9, 0.9, 0.8, 0.7, 0.65, 0.6, 0.6, 0.5, 0.4, 0.3, 0.2]
TWELVE_LABELS = [1, 1, 0, 1, 0, 1, 1, 0, 0, 1, 0, 0]


@pytest.mark.parametrize("marker", MARKERS)
def test_vertices_are_those_of_r(marker: str) -> None:
    data, points = columns("sim500"), columns(f"roc_points_sim_{marker}")
    roc = rb.roc_curve(data["y"], data[marker])
    np.testing.assert_allclose(roc.fpr, points["fpr"][::-1], rtol=0, atol=1e-12)
    np.testing.assert_allclose(roc.tpr, points["tpr"][::-1], rtol=0, atol=1e-12)


@pytest.mark.parametrize("marker", MARKERS)
def test_auc_is_that_of_r(marker: str) -> None:
    data, table = columns("sim500"), columns("auc_delong")
    row = list(table["curve"]).index(f"sim_{marker}")
    assert rb.roc_curve(data["y"], data[marker]).auc == pytest.approx(table["auc"][row], abs=1e-12)


def test_twelve_rows_with_ties() -> None:
    roc = rb.roc_curve(TWELVE_LABELS, TWELVE_SCORES)
    sixths = [
        (0, 0),
        (0, 1),
        (1, 2),
        (1, 3),
        (2, 3),
        (2, 4),
        (3, 5),
        (4, 5),
        (4, 6),
        (5, 6),
        (6, 6),
    ]
    # The source merges vertices inside one straight run; the counts keep every distinct score.
    assert set(sixths) <= set(zip([0, *roc.fp], [0, *roc.tp], strict=True))
    assert roc.auc == pytest.approx(0.722222, abs=5e-7)


def test_six_rows_give_five_eighths() -> None:
    assert rb.roc_curve([1, 1, 0, 1, 0, 1], [6, 5, 4, 3, 2, 1]).auc == 5 / 8


@pytest.mark.parametrize(
    ("labels", "scores", "auc"),
    [
        ([1, 0], [1, 1], 1 / 2),
        ([1, 1, 0, 0], [2, 1, 1, 0], 7 / 8),
        ([1, 0, 1, 0], [1, 1, 1, 1], 1 / 2),
        ([1, 0, 0, 1, 0], [3, 3, 2, 2, 1], 4 / 6),
        ([0, 1, 1], [np.inf, np.inf, -np.inf], 1 / 4),
        ([1, 1, 0], [2, 2, 1], 1.0),
        ([0, 0, 1], [2, 2, 1], 0.0),
    ],
)
def test_tied_auc_in_any_row_order(labels: list[int], scores: list[float], auc: float) -> None:
    for order in itertools.permutations(range(len(labels))):
        y, s = np.array(labels)[list(order)], np.array(scores)[list(order)]
        assert rb.roc_curve(y, s).auc == pytest.approx(auc, abs=1e-15)


@given(labelled_scores())
def test_counts_and_auc_equal_the_slow_ones(rows: tuple[np.ndarray, np.ndarray]) -> None:
    labels, scores = rows
    roc = rb.roc_curve(labels, scores)
    walked = vertices_by_threshold(labels.tolist(), scores.tolist())
    assert list(zip([0, *roc.fp], [0, *roc.tp], strict=True)) == walked
    assert roc.auc == pytest.approx(
        float(auc_by_pairs(labels.tolist(), scores.tolist())), abs=1e-14
    )
    assert (np.diff(roc.thresholds.astype(float)) < 0).all()


@given(labelled_scores())
def test_only_the_order_of_scores_matters(rows: tuple[np.ndarray, np.ndarray]) -> None:
    labels, scores = rows
    ranks = np.unique(scores, return_inverse=True)[1]
    one, other = rb.roc_curve(labels, scores), rb.roc_curve(labels, ranks)
    np.testing.assert_array_equal(one.fp, other.fp)
    np.testing.assert_array_equal(one.tp, other.tp)


@given(labelled_scores())
def test_swapping_classes_and_negating_scores_reflects_the_curve(
    rows: tuple[np.ndarray, np.ndarray],
) -> None:
    labels, scores = rows
    one, other = rb.roc_curve(labels, scores), rb.roc_curve(1 - labels, -scores)
    np.testing.assert_allclose(other.fpr, 1 - one.tpr[::-1], atol=1e-15)
    np.testing.assert_allclose(other.tpr, 1 - one.fpr[::-1], atol=1e-15)
    assert other.auc == pytest.approx(one.auc, abs=1e-14)


@pytest.mark.parametrize(
    "kind", ["float16", "float32", "float64", "int8", "uint8", "int64", "bool"]
)
def test_scores_keep_their_precision(kind: str) -> None:
    scores = np.array([1, 0, 1, 0], dtype=kind)
    roc = rb.roc_curve([1, 0, 0, 1], scores)
    assert roc.thresholds.dtype == np.dtype(kind)
    assert roc.auc == 0.5


def test_large_integers_are_not_rounded() -> None:
    roc = rb.roc_curve([1, 0], np.array([2**60 + 1, 2**60]))
    assert roc.auc == 1.0


def test_from_counts_is_the_inverse_of_counting() -> None:
    one = rb.roc_curve(TWELVE_LABELS, TWELVE_SCORES)
    other = rb.RocCurve.from_counts(one.thresholds, one.fp, one.tp)
    assert other.auc == one.auc
    assert other.to_json() == one.to_json()


def test_from_counts_of_ten_billion_rows() -> None:
    big = 10**10
    roc = rb.RocCurve.from_counts([2.0, 1.0], fp=[big // 4, big], tp=[big // 2, big])
    assert roc.auc == pytest.approx(0.5 + 1 / 8, abs=1e-15)


@pytest.mark.parametrize(
    ("thresholds", "fp", "tp", "sentence"),
    [
        ([1, 2], [1, 2], [1, 2], "`thresholds` must be distinct and descending; thresholds[1] = 2"),
        ([2, 2], [1, 2], [1, 2], "Add up equal scores"),
        ([2, 1], [2, 1], [1, 2], "`fp` must be nondecreasing cumulative counts"),
        ([2, 1], [-1, 1], [1, 2], "fp[0] = -1"),
        ([2, 1], [0, 0], [1, 2], "There must be at least one negative"),
        ([2, 1], [0, 1], [0, 0], "There must be at least one positive"),
        ([2, 1], [0.5, 1], [1, 2], "Pass cumulative counts, not rates"),
        ([2, 1], [1], [1, 2], "must be equally long; they have 2, 1 and 2"),
    ],
)
def test_from_counts_refuses(thresholds: list, fp: list, tp: list, sentence: str) -> None:
    with pytest.raises(rb.InputError) as caught:
        rb.RocCurve.from_counts(thresholds, fp, tp)
    assert sentence in str(caught.value)


def test_a_result_cannot_be_changed() -> None:
    roc = rb.roc_curve([1, 0], [2, 1])
    with pytest.raises(ValueError, match="read-only"):
        roc.fp[0] = 7


def test_the_callers_arrays_stay_as_they_were() -> None:
    labels, scores = np.array([0, 1, 1]), np.array([3.0, 1.0, 2.0])
    rb.roc_band(labels, scores)
    np.testing.assert_array_equal(scores, [3.0, 1.0, 2.0])
    assert scores.flags.writeable
    assert labels.flags.writeable


def test_levels_that_no_row_has_are_left_out() -> None:
    roc = rb.RocCurve.from_counts([5, 4, 3, 2, 1], [0, 0, 1, 1, 2], [0, 1, 1, 1, 2])
    assert roc.thresholds.tolist() == [4, 3, 1]
    for method in (
        rb.bands.SupT(),
        rb.bands.FixedWidth(smooth=True),
        rb.bands.Likelihood(),
        rb.bands.VerticalAverage(),
    ):
        assert method(roc, rng=1).area > 0


@pytest.mark.parametrize("many", [np.inf, 1e30, 2**63])
def test_counts_that_nobody_can_have_are_refused_as_they_are(many: float) -> None:
    with pytest.raises(InputError, match=r"at most 10\*\*15; tp\[1\] = "):
        RocCurve.from_counts([2, 1], [0, 5], np.array([1, many]))


EDGES = (0, 1, -1, 0.5, -0.5, 5e-324, -5e-324, np.inf, -np.inf, -0.0, 2.0**-1022, 1e308, -1e308)


@pytest.mark.parametrize(
    "kind", ["f2", "f4", "f8", "longdouble", "?", *(f"{s}{b}" for s in "iu" for b in (1, 2, 4, 8))]
)
def test_every_type_of_score_is_counted_at_its_edges(kind: str) -> None:
    """The class travels in a spare bit of the score: there must be one at the ends of each type."""
    rng = np.random.default_rng(sum(map(ord, kind)))
    dtype = np.dtype(kind)
    with np.errstate(over="ignore"):
        if dtype.kind == "f":
            pool = np.array(EDGES, np.longdouble).astype(dtype)
        elif dtype.kind == "b":
            pool = np.array([False, True])
        else:
            ends = np.iinfo(dtype)
            least, most = int(ends.min), int(ends.max)
            pool = np.array([least, least + 1, most // 2, most - 1, most, 0, 1], dtype=dtype)
    for size in (2, 3, 7, 60):
        scores = rng.choice(pool, size)
        labels = rng.random(size) < 0.4
        labels[:2] = True, False
        roc = rb.roc_curve(labels, scores)
        assert roc.thresholds.dtype == dtype
        levels = sorted(set(scores.tolist()), reverse=True)
        assert roc.thresholds.tolist() == levels
        for counts, mine in ((roc.tp, labels), (roc.fp, ~labels)):
            slow = [sum(s >= t for s in scores[mine].tolist()) for t in levels]
            assert counts.tolist() == slow


def test_curves_that_are_held_are_shared_and_can_be_pickled() -> None:
    roc = rb.roc_curve([1, 0, 1, 0], [4, 3, 2, 1])
    curve = roc.curve
    assert roc.curve is curve
    assert roc.fpr is curve.x
    again = pickle.loads(pickle.dumps(roc))
    assert np.array_equal(again.tpr, curve.y)


def test_curves_and_bands_have_heights_and_thresholds() -> None:
    sample = rb.load_example()["neighbours"]
    band = rb.roc_band(sample)
    ill, well = (sample.values[sample.is_positive == own] for own in (True, False))
    for fpr in (0.0, 0.1, 0.5, 1.0):
        at = rb.operating_points(band.roc, fpr=fpr)
        assert band.tpr_at(fpr) == band.roc.tpr_at(fpr) == at.tpr[0]
        cut = band.threshold_at(fpr)
        assert np.mean(well >= cut) <= fpr
        lower = sample.values[sample.values < cut]
        if lower.size:
            assert np.mean(well >= lower.max()) > fpr
    cut = band.threshold_at(tpr=0.9)
    assert np.mean(ill >= cut) >= 0.9 > np.mean(ill > cut)
    with pytest.raises(InputError, match="Exactly one of `fpr` and `tpr`"):
        band.threshold_at()
