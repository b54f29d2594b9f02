"""Operating points of counts in bins contain those of the exact counts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rocbands as rb
from tests.strategies import binned_scores

ROC = rb.RocCurve.from_counts([3, 2, 1], fp=[1, 2, 5], tp=[3, 3, 4], bins=True)


@given(
    case=binned_scores(),
    kind=st.sampled_from(["fpr", "tpr"]),
    at=st.lists(st.sampled_from([0.0, 1e-4, 0.1, 1 / 3, 0.5, 0.9, 1.0]), min_size=1, max_size=3),
)
@settings(deadline=None)
def test_points_at_fixed_rates(case: tuple, kind: str, at: list[float]) -> None:
    y, s, roc = case
    asked: Any = {kind: at}
    exact, found = rb.operating_points(y, s, **asked), rb.operating_points(roc, **asked)
    for rate in ("fpr", "tpr"):
        low, high = getattr(found, f"{rate}_lower"), getattr(found, f"{rate}_upper")
        assert (low <= getattr(exact, f"{rate}_lower") + 1e-9).all()
        assert (high >= getattr(exact, f"{rate}_upper") - 1e-9).all()
    # The threshold keeps its promise whatever the bins hide.
    called = s[:, None] >= found.threshold
    if np.isposinf(s).any():
        return  # then no threshold calls every row negative
    if kind == "fpr":
        assert (called[y == 0].mean(axis=0) <= np.array(at) + 1e-12).all()
    else:
        assert (called[y == 1].mean(axis=0) >= np.array(at) - 1e-12).all()


@given(
    case=binned_scores(),
    method=st.sampled_from(["wilson", "clopper-pearson"]),
    cut=st.lists(st.integers(-9, 9).map(lambda k: k / 2.0), min_size=1, max_size=4),
    joint=st.booleans(),
)
@settings(deadline=None)
def test_points_at_thresholds(case: tuple, method: Any, cut: list[float], joint: bool) -> None:
    y, s, roc = case
    how: Any = {"threshold": cut, "method": method, "joint": joint}
    exact, found = rb.operating_points(y, s, **how), rb.operating_points(roc, **how)
    fewest, most = roc.counts_at(np.array(cut))
    for i, rate in enumerate(("fpr", "tpr")):
        low, high = getattr(found, f"{rate}_lower"), getattr(found, f"{rate}_upper")
        assert (low <= getattr(exact, f"{rate}_lower") + 1e-12).all()
        assert (high >= getattr(exact, f"{rate}_upper") - 1e-12).all()
        sure = fewest[i] == most[i]
        np.testing.assert_allclose(low[sure], getattr(exact, f"{rate}_lower")[sure])
        np.testing.assert_allclose(getattr(found, rate)[sure], getattr(exact, rate)[sure])
    assert ("inside a bin" in str(found)) == bool((fewest != most).any())


@given(case=binned_scores(), asked=st.sampled_from([{"best": "youden"}, {"rate": [0.2, 0.7]}]))
@settings(deadline=None)
def test_found_thresholds_achieve_what_is_said(case: tuple, asked: Any) -> None:
    y, s, roc = case
    found = rb.operating_points(roc, **asked)
    for i, cut in enumerate(found.threshold):
        assert found.fpr[i] == pytest.approx(np.mean(s[y == 0] >= cut))
        assert found.tpr[i] == pytest.approx(np.mean(s[y == 1] >= cut))
    if roc.certificate > 0 and "best" in asked:
        assert "inside a bin there may be a better threshold" in str(found)


def test_other_limits_at_fixed_rates_are_refused() -> None:
    for method in ("wilson", "bootstrap"):
        with pytest.raises(rb.InputError, match="the curve has bins"):
            rb.operating_points(ROC, fpr=0.5, method=method)


def test_points_say_what_bins_hide() -> None:
    found = rb.operating_points(ROC, fpr=0.1)
    assert "the tpr is known within 0.38 or better" in str(found)
    assert "the threshold is its upper end" in str(found)
    assert (found.threshold_fpr[0], found.threshold_tpr[0]) == (0, 0)
    assert "lower end" in str(rb.operating_points(ROC, tpr=0.8))
    judged = rb.operating_points(ROC, fpr=0.4, test=ROC)
    assert judged.fpr[0] == 0.2  # finds as many as at 0.4
