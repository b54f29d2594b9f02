"""Reports on rows of any design: what has no method is left out, with its reason."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import rocbands as rb
from rocbands.core import method
from rocbands.cost.thresholds import choose_half
from rocbands.rates import METHODS
from rocbands.reporting.payload import build_payload
from rocbands.reporting.request import ReportRequest
from rocbands.reporting.sections import CostStudy
from tests.reporting.conftest import checked

RNG = np.random.default_rng(5)
N = 200
Y = RNG.integers(0, 2, N)
SCORES = {"one": RNG.normal(size=N) + Y, "two": RNG.normal(size=N) + Y}


def sections(payload: dict[str, Any]) -> dict[str, str]:
    return {item["section"]: item["why"] for item in payload["omitted"]}


def test_rows_left_out_are_on_the_page_and_give_no_warning() -> None:
    scores = {"one": np.where(np.arange(N) < 3, np.nan, SCORES["one"]), "two": SCORES["two"]}
    sample = rb.Sample(Y, scores, missing="drop")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        report = rb.report(sample, path=None, rng=1)
    assert report.notes == sample.notes
    assert "Left out 3 of 200 rows" in report.headline[-1]
    assert "Left out 3 of 200 rows" in report.to_html()
    assert checked(report)["data"]["notes"] == list(sample.notes)


def test_strata_leave_nothing_out() -> None:
    strata = RNG.integers(0, 3, N)
    report = rb.report(rb.Sample(Y, SCORES, strata=strata), path=None, rng=1)
    payload = checked(report)
    assert payload["data"]["strata"] == 3
    assert payload["data"]["clusters"] is None
    assert not {"rates", "cost", "comparison"} & sections(payload).keys()
    model = payload["models"][0]
    assert model["rates"] is not None
    assert payload["comparison"]["pairs"]
    known = rb.auc_interval(rb.Sample(Y, SCORES["one"], strata=strata))
    assert model["auc"]["low"] == pytest.approx(known.low, abs=1e-6)
    assert {band["method"] for band in model["bands"]} == {"likelihood"}
    assert model["points"]
    assert any("in 3 strata" in said for said in payload["trust"]["sentences"])


def test_repeats_leave_parts_out() -> None:
    folds = np.arange(2 * N) % 5 + 5 * (np.arange(2 * N) >= N)
    scores = {"one": np.tile(SCORES["one"], 2) + 0.1 * RNG.normal(size=2 * N)}
    sample = rb.Sample(np.tile(Y, 2), scores, folds=folds, repeats=2)
    report = rb.report(sample, path=None, rng=1)
    payload = checked(report)
    assert payload["data"]["repeats"] == 2
    model = payload["models"][0]
    assert model["bands"] == []
    assert model["auc"]["method"] == "score"
    known = rb.fold_auc_interval(sample)
    assert model["auc"]["high"] == pytest.approx(known.high, abs=1e-6)
    assert {"bands", "points", "rates", "cost"} <= sections(payload).keys()
    assert "10 folds in 2 repetitions" in report.to_html()


def test_equal_weights_change_no_report() -> None:
    plain, other = (
        rb.report(rb.Sample(Y, SCORES, weights=weights), path=None, rng=1).payload
        for weights in (None, np.full(N, 2.0))
    )
    assert other == plain
    assert plain["comparison"] is not None


def test_clusters_of_one_row_leave_nothing_out() -> None:
    plain, other = (
        rb.report(rb.Sample(Y, SCORES, clusters=clusters), path=None, rng=1).payload
        for clusters in (None, np.arange(N))
    )
    assert other["omitted"] == plain["omitted"]
    assert other["data"] == plain["data"]
    assert other["cost_differences"] == plain["cost_differences"]
    assert other["comparison"]["pairs"][0]["pvalue"] == plain["comparison"]["pairs"][0]["pvalue"]


def test_a_design_that_no_function_knows_leaves_sections_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for kind in (rb.Sample, rb.RocCurve):
        monkeypatch.setattr(kind, "design", property(lambda self: ("rounds",)))
    words = method._Refusal("is for rows of one round", "{has} rounds", "Leave them out")
    monkeypatch.setitem(method._REFUSALS, "rounds", words)
    request = ReportRequest.from_models(rb.Sample(Y, SCORES), rng=1)
    payload = build_payload(request)
    for section in ("auc limits", "points", "rates", "cost", "comparison", "average precision"):
        assert "is for rows of one round; the sample has rounds." in sections(payload)[section]
    assert all(model["cost"] is None for model in payload["models"])


GROUPS = np.arange(N) // 2
STUDIED = rb.Sample(Y, SCORES, clusters=GROUPS)


def test_sections_come_back_when_their_function_handles_the_design(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    after = rb.report(STUDIED, path=None, rng=1).payload
    able = tuple(extra for extra in METHODS["score"].handles if extra != "clusters")
    monkeypatch.setattr(METHODS["score"], "handles", able)
    before = rb.report(STUDIED, path=None, rng=1).payload
    assert before["models"][0]["rates"] is None
    assert after["models"][0]["rates"] is not None
    assert "rates" in sections(before)
    assert "rates" not in sections(after)


def test_costs_are_judged_on_other_clusters() -> None:
    first = choose_half(STUDIED, 1)
    assert not set(GROUPS[first]) & set(GROUPS[~first])
    study = CostStudy.from_rows(ReportRequest.from_models(STUDIED, rng=1), STUDIED)
    assert study.judged.design == ("clusters",)
    assert study.n_chosen + study.judged.n == N
