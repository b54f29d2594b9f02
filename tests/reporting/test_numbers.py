"""Average precision, net benefit and differences of recall are those of the library."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rocbands as rb
from rocbands.reporting.formatting import round_column, round_number
from rocbands.reporting.sections import BENEFIT_COLUMNS as COLUMNS
from tests.reporting.conftest import payload_of

EXAMPLE = rb.load_example()
SCORES = {name: EXAMPLE[name].values for name in EXAMPLE}


@pytest.fixture(scope="module", params=[{}, {"prevalence": 0.1, "capacity": 0.05}])
def asked(request: pytest.FixtureRequest) -> dict[str, Any]:
    return request.param


@pytest.fixture(scope="module")
def payload(asked: dict[str, Any]) -> dict[str, Any]:
    return payload_of(EXAMPLE.is_positive, SCORES, future=(5, 5), **asked)


def test_average_precision(payload: dict[str, Any], asked: dict[str, Any]) -> None:
    for model in payload["models"]:
        own = rb.average_precision_interval(
            EXAMPLE[model["name"]], prevalence=asked.get("prevalence")
        )
        found = model["average_precision"]
        for key in ("estimate", "low", "high"):
            assert found[key] == pytest.approx(getattr(own, key), abs=1e-6)


def test_net_benefit(payload: dict[str, Any], asked: dict[str, Any]) -> None:
    for model in payload["models"]:
        own = rb.net_benefit(EXAMPLE[model["name"]], prevalence=asked.get("prevalence"), rng=1)
        found = model["net_benefit"]
        assert found["coverage"] == "simultaneous"
        assert not any("resamples" in note for note in found["notes"])
        for key in COLUMNS:
            assert np.allclose(found[key], getattr(own, key), rtol=1e-5, atol=1e-9)
        assert found["sentence"] == own.sentence
        shown = [(part.low, part.high) for part in own.better if part.model == 1]
        assert [(part["from"], part["to"]) for part in found["better"]] == shown


def test_differences_of_recall(payload: dict[str, Any]) -> None:
    (found,) = payload["rate_differences"]
    rate = payload["preset"]["capacity"]
    own = rb.rate_difference(EXAMPLE, rate=rate)
    assert (found["first"], found["second"], found["rate"]) == (*own.names, rate)
    for key, column in (("difference", own.difference), ("low", own.lower), ("high", own.upper)):
        assert found[key] == pytest.approx(column[0], abs=1e-6)
    assert found["sentence"] == own.sentence_at(rate)


def test_three_models_share_the_level() -> None:
    three = SCORES | {"sum": SCORES["logistic"] + SCORES["neighbours"]}
    payload = payload_of(EXAMPLE.is_positive, three, future=(5, 5))
    assert len(payload["rate_differences"]) == 3
    for found in payload["rate_differences"]:
        assert found["level"] == pytest.approx(1 - 0.05 / 3, rel=1e-5)
        pair = rb.Sample(
            EXAMPLE.is_positive, {n: three[n] for n in (found["first"], found["second"])}
        )
        own = rb.rate_difference(pair, rate=found["rate"], level=1 - 0.05 / 3)
        assert found["low"] == pytest.approx(own.lower[0], abs=1e-6)
    # Scores that are no probabilities have no net benefit, and the report says why.
    assert payload["models"][2]["net_benefit"] is None
    (why,) = [part for part in payload["omitted"] if part["section"] == "net benefit"]
    assert why["models"] == ["sum"]
    assert "probabilities" in why["why"]


@pytest.mark.parametrize("design", ["rows", "clusters"])
def test_two_models_have_one_comparison(design: str) -> None:
    """`compare`, `compare_many` and the report give the same limits and the same p-value."""
    sample = EXAMPLE if design == "rows" else EXAMPLE.replace(clusters=np.arange(EXAMPLE.n) // 2)
    one, many = rb.compare(sample), rb.compare_many(sample)
    (pair,) = rb.report(sample, path=None, future=(5, 5)).payload["comparison"]["pairs"]
    for low, high, pvalue in (
        (many.lower[0], many.upper[0], many.pvalues[0]),
        (pair["low"], pair["high"], pair["adjusted_pvalue"]),
        (pair["low"], pair["high"], pair["pvalue"]),
    ):
        assert (low, high, pvalue) == pytest.approx((one.low, one.high, one.pvalue), rel=1e-5)


def test_references_are_of_methods_that_are_shown(payload: dict[str, Any]) -> None:
    cited = {source for method in payload["methods"] for source in method["references"]}
    assert set(payload["references"]) == cited
    assert not any("Obuchowski" in source for source in cited)  # which is for clusters
    assert any("Vickers" in source for source in cited)
    clusters = np.arange(EXAMPLE.n) // 2
    other = payload_of(EXAMPLE.is_positive, SCORES, clusters=clusters, future=(5, 5))
    assert any("Obuchowski" in source for source in other["references"])
    assert any("Vickers" in source for source in other["references"])


def test_rounding_errors_do_not_decide_the_last_digit() -> None:
    half_way = np.array([0.2101875, 0.0653125, 0.4438515, 0.7221875])
    first = round_column(half_way)
    for noise in (-3e-16, 3e-16, 2e-15):
        turned = half_way * (1.0 + noise)
        assert round_column(turned) == first == [round_number(value) for value in turned]
