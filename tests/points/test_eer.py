"""The equal error rate and its likelihood interval."""

from __future__ import annotations

import numpy as np
import pytest

import rocbands as rb

FP = np.array([0, 1, 1, 2, 2, 3, 5, 5, 9, 20, 40])
TP = np.array([2, 2, 4, 4, 5, 6, 6, 8, 9, 10, 10])
STAIRS = rb.RocCurve.from_counts(np.arange(FP.size, 0, -1.0), FP, TP)


def test_oracle():
    found = rb.operating_points(STAIRS, best="eer")
    assert found.fpr_lower[0] == pytest.approx(0.065456528540, abs=1e-9)
    assert found.fpr_upper[0] == pytest.approx(0.325924289451, abs=1e-9)
    assert found.asked == "best eer"
    assert found.fpr[0] == 1 - found.tpr[0]
    np.testing.assert_allclose(found.tpr_lower, 1 - found.fpr_upper)


def test_rate_is_where_the_curve_crosses():
    """Between (5/40, .8) and (9/40, .9): tpr = 1 - fpr on the slanted piece or the vertical one."""
    rate = rb.operating_points(STAIRS, best="eer").fpr[0]
    assert STAIRS.curve.low([rate])[0] <= 1 - rate + 1e-12
    assert STAIRS.curve.high([rate])[0] >= 1 - rate - 1e-12


def test_swapped_classes_have_the_same_rate():
    here, there = (rb.operating_points(roc, best="eer") for roc in (STAIRS, STAIRS.mirrored))
    for name in ("fpr", "fpr_lower", "fpr_upper"):
        assert getattr(here, name)[0] == pytest.approx(getattr(there, name)[0], abs=1e-9)


def test_perfect_and_useless_curves():
    perfect = rb.operating_points([0, 0, 1, 1], [1, 2, 3, 4], best="eer")
    assert perfect.fpr[0] == 0.0 == perfect.fpr_lower[0]
    assert perfect.fpr_upper[0] > 0.3
    chance = rb.operating_points([0, 1], [1, 1], best="eer")
    assert chance.fpr[0] == 0.5


def test_threshold_is_judged_on_other_rows():
    sample = rb.load_example()
    found = rb.operating_points(
        sample.is_positive[:300],
        sample["logistic"].values[:300],
        best="eer",
        test=(sample.is_positive[300:], sample["logistic"].values[300:]),
    )
    assert found.method == "wilson"


def test_refusals():
    with pytest.raises(rb.InputError, match="weighs both rates alike"):
        rb.operating_points(STAIRS, best="eer", costs=(2, 1))
    with pytest.raises(rb.InputError, match=r"limits by .*likelihood.* only"):
        rb.operating_points(STAIRS, method="bootstrap", best="eer")
    with pytest.raises(rb.InputError, match="one number"):
        rb.operating_points(STAIRS, best="eer", joint=True)


@pytest.mark.simulation
@pytest.mark.parametrize(("n_pos", "n_neg"), [(50, 50), (50, 500)])
def test_covers(n_pos, n_neg):
    """60 sets of normal scores: the specification measured .981 and .956 in 2,000."""
    rng = np.random.default_rng(n_neg)
    shift, true = 2.0, 0.15865525393145707
    held = 0
    for _ in range(60):
        y = np.repeat([1, 0], [n_pos, n_neg])
        found = rb.operating_points(y, rng.normal(size=y.size) + shift * y, best="eer")
        held += bool(found.fpr_lower[0] <= true <= found.fpr_upper[0])
    assert held / 60 > 0.9
