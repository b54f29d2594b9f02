"""Reports on weighted rows: what is weighted, and what is left out with its reason."""

from __future__ import annotations

import numpy as np
import pytest

import rocbands as rb
from rocbands.core.sample import Sample
from rocbands.reporting.payload import build_payload
from rocbands.reporting.request import ReportRequest


@pytest.mark.slow
def test_weighted_report():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 120)
    scores = {"one": rng.normal(size=120) + y, "two": rng.normal(size=120) + y}
    w = np.exp(rng.normal(size=120))
    rows = Sample(y, scores, weights=w)
    found = build_payload(ReportRequest.from_models(rows, rng=1), lambda *_: None)
    share = float(w @ y / w.sum())
    assert found["data"]["prevalence"] == pytest.approx(share, rel=1e-4)
    assert found["preset"]["prevalence"] == pytest.approx(share)
    model = found["models"][0]
    known = rb.auc_interval(rb.Sample(y, scores["one"], weights=w))
    assert model["auc"]["low"] == pytest.approx(known.low, abs=1e-6)
    assert {band["method"] for band in model["bands"]} == {"likelihood"}
    assert {band["target"] for band in model["bands"]} == {"true"}
    assert model["points"][-1]["method"] == "likelihood"
    left_out = {item["section"] for item in found["omitted"]}
    assert {"comparison", "rates", "cost", "bands: likelihood, future curve"} <= left_out
    assert found["comparison"] is None
    assert any("Rows have weights" in said for said in found["trust"]["sentences"])
