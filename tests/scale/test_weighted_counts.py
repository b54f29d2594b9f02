"""Weights that are added up where the rows are: sums, their parts, their files, and the curve."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rocbands as rb

pytestmark = pytest.mark.usefixtures("any_size")

RNG = np.random.default_rng(6)
N = 3000
Y = RNG.integers(0, 2, N)
S = RNG.normal(size=N) + Y
W = np.exp(RNG.normal(size=N))
TABLE = pa.table({"y": Y, "score": S, "weight": W})


def test_exact_counts_give_the_curve_of_the_rows():
    counted = rb.count_scores(TABLE, weights="weight", exact=True).roc
    rows = rb.Sample(Y, S, weights=W).roc
    np.testing.assert_allclose(counted.tpr, rows.tpr, atol=1e-14)
    assert counted.auc == pytest.approx(rows.auc, abs=1e-14)
    at = np.linspace(0, 1, 9)
    for edge in ("lower_at", "upper_at"):
        found = [getattr(rb.roc_band(roc), edge)(at) for roc in (counted, rows)]
        np.testing.assert_allclose(*found, atol=1e-10)


def test_bins_hide_what_the_certificate_says():
    rounded = np.round(S, 1)  # coarse bins, by hand
    cut, place = np.unique(-rounded, return_inverse=True)
    sums = [np.bincount(place, v * (k == Y), cut.size) for v in (W, W * W) for k in (0, 1)]
    fp, tp = (np.cumsum(np.bincount(place, k == Y, cut.size)).astype(int) for k in (0, 1))
    roc = rb.RocCurve.from_counts(-cut, fp, tp, bins=True, weights=sums)
    rows = rb.Sample(Y, S, weights=W).roc
    low, high = roc.extremes
    assert low.auc < rows.auc < high.auc
    assert roc.certificate == pytest.approx((high.auc - low.auc) / 2, rel=1e-12)
    assert low.weights.pos.sum() == pytest.approx(W[Y == 1].sum())
    band, exact = rb.roc_band(roc), rb.roc_band(rows)
    at = np.linspace(0, 1, 21)
    assert (band.upper_at(at) >= exact.upper_at(at) - 2e-3).all()
    assert (band.lower_at(at) <= exact.lower_at(at) + 2e-3).all()
    assert band.area > exact.area
    found, known = rb.auc_interval(roc), rb.auc_interval(rows)
    assert found.low < known.low < known.high < found.high
    inside, single = (rb.operating_points(data, threshold=0.04) for data in (roc, rows))
    for name in ("tpr", "fpr"):  # all rates that are possible in the bin
        ends = [
            getattr(at, f"{name}_{end}")[0] for at in (inside, single) for end in ("lower", "upper")
        ]
        assert ends[0] < ends[2] < ends[3] < ends[1]


def test_parts_add_up_and_files_keep_them(tmp_path):
    whole = rb.count_scores(TABLE, weights="weight")
    files = []
    for k in range(3):
        files.append(str(tmp_path / f"part{k}.parquet"))
        pq.write_table(TABLE.slice(1000 * k, 1000), files[-1])
    parts = [rb.count_scores(file, weights="weight") for file in files]
    merged, together = rb.ScoreCounts.merge(parts), rb.count_scores(files, weights="weight")
    for other in (merged, together, rb.ScoreCounts.from_arrays(Y, {"score": S}, weights=W)):
        np.testing.assert_allclose(other.weights, whole.weights, rtol=1e-12)
        assert (other.positives == whole.positives).all()
    merged.save(tmp_path / "counts.parquet")
    loaded = rb.ScoreCounts.load(tmp_path / "counts.parquet")
    assert (loaded.weights == merged.weights).all()
    assert loaded.roc.auc == merged.roc.auc
    with pytest.raises(rb.InputError, match="all have weights, or none"):
        rb.ScoreCounts.merge([whole, rb.count_scores(TABLE, score="score")])
    with pytest.raises(rb.InputError, match="all sums of weights, or none"):
        rb.ScoreCounts.from_table(
            pq.read_table(tmp_path / "counts.parquet").drop(["positives_squares"])
        )


def test_equal_weights_are_the_counts():
    plain = rb.count_scores(TABLE, score="score").roc
    equal = rb.ScoreCounts.from_arrays(Y, {"score": S}, weights=np.full(N, 0.3)).roc
    assert equal.independent
    assert (rb.roc_band(equal).upper.y == rb.roc_band(plain).upper.y).all()
    assert rb.auc_interval(equal).low == rb.auc_interval(plain).low


@pytest.mark.parametrize("bad", [0.0, -1.0, np.inf])
def test_weights_must_be_above_zero(bad):
    weights = W.copy()
    weights[7] = bad
    with pytest.raises(rb.InputError, match=r"weights above 0.*found"):
        rb.count_scores(TABLE.set_column(2, "weight", pa.array(weights)), weights="weight")
    with pytest.raises(rb.InputError, match=r"weights\[7\]"):
        rb.ScoreCounts.from_arrays(Y, {"score": S}, weights=weights)


def test_sums_must_belong_to_the_counts():
    ok = ([2.0, 1.0], [1.0, 0.0], [2.0, 1.0], [1.0, 0.0])
    rb.RocCurve.from_counts([2, 1], fp=[2, 3], tp=[1, 1], weights=ok)
    for k, bad in ((0, [2.0, -1.0]), (2, [1.0, 1.0]), (2, [9.0, 1.0]), (1, [1.0, 1.0])):
        sums = [*ok[:k], bad, *ok[k + 1 :]]
        with pytest.raises(rb.InputError, match="four sums for each threshold"):
            rb.RocCurve.from_counts([2, 1], fp=[2, 3], tp=[1, 1], weights=sums)
