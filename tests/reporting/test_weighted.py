"""Reports on weighted rows: what is weighted, and what is left out with its reason."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rocbands as rb
from tests.reporting.conftest import checked

RNG = np.random.default_rng(2)
Y = RNG.integers(0, 2, 120)
SCORES = {"one": RNG.normal(size=120) + Y, "two": RNG.normal(size=120) + Y}
W = np.exp(RNG.normal(size=120))


@pytest.fixture(scope="module")
def report() -> rb.results.Report:
    return rb.report(rb.Sample(Y, SCORES, weights=W), path=None, rng=1)


@pytest.fixture(scope="module")
def found(report: rb.results.Report) -> dict[str, Any]:
    return checked(report)


def test_weighted_report(found: dict[str, Any]) -> None:
    share = float(W @ Y / W.sum())
    assert found["data"]["prevalence"] == pytest.approx(share, rel=1e-4)
    assert found["preset"]["prevalence"] == pytest.approx(share)
    model = found["models"][0]
    known = rb.auc_interval(rb.Sample(Y, SCORES["one"], weights=W))
    assert model["auc"]["low"] == pytest.approx(known.low, abs=1e-6)
    assert {band["method"] for band in model["bands"]} == {"likelihood"}
    assert {band["target"] for band in model["bands"]} == {"true"}
    assert model["points"][-1]["method"] == "likelihood"
    left_out = {item["section"] for item in found["omitted"]}
    assert "bands: likelihood, future curve" in left_out
    assert not {"comparison", "rates", "cost"} & left_out
    pair = found["comparison"]["pairs"][0]
    known = rb.compare_many(rb.Sample(Y, SCORES, weights=W), rng=1).columns()
    assert pair["low"] == pytest.approx(known["lower"][0], rel=1e-3)
    assert any("Rows have weights" in said for said in found["trust"]["sentences"])


def test_weights_are_named(report: rb.results.Report) -> None:
    assert report.payload["data"]["weighted"] == "weighted"
    assert any(said.endswith("scored by 2 models, weighted.") for said in report.headline)
    data = {"y": Y, "one": SCORES["one"], "w": W}
    named = rb.Sample.from_frame(data, label="y", score="one", weights="w")
    other = rb.report(named[["one"]].take(np.arange(119)), path=None, rng=1)
    assert other.payload["data"]["weighted"] == "weighted by w"
    assert any("weighted by w" in said for said in other.headline)
    meta = other.to_html().partition('class="meta"')[2].partition("</p>")[0]
    assert "weighted by w" in meta
    plain = rb.report(named.replace(weights=None), path=None, rng=1).payload["data"]
    assert plain["weighted"] is None


def test_histograms_are_weighted(found: dict[str, Any]) -> None:
    for model in found["models"]:
        part, score = model["scores"], SCORES[model["name"]]
        for name, own in (("positives", Y == 1), ("negatives", Y == 0)):
            counts, _ = np.histogram(score[own], bins=part["at"], weights=W[own])
            assert np.abs(counts / W[own].sum() - part[name]).max() < 1e-5
            plain, _ = np.histogram(score[own], bins=part["at"])
            assert np.abs(plain / own.sum() - part[name]).max() > 0.01  # negative control
