"""Where a page starts, what it shows in detail, and that its claims rest on the right numbers."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import rocbands as rb
from rocbands.core.sample import Sample
from rocbands.cost.thresholds import split_rows
from rocbands.reporting.request import Preset
from tests.reporting.conftest import payload_of

RNG = np.random.default_rng(6)
Y = RNG.random(300) < 0.3
MODELS = {name: RNG.normal(size=300) + 0.3 * k * Y for k, name in enumerate("abcde", 1)}


@pytest.mark.parametrize(
    ("sizes", "fpr", "log_axis", "capacity"),
    [
        ((212, 357), 0.1, False, 0.2),
        ((400, 199_600), 0.002, True, 0.002),
        ((5, 1500), 0.002, True, 0.005),
        ((4, 4), 0.5, False, 0.2),
        ((30, 970), 0.02, False, 0.05),
    ],
)
def test_defaults_follow_the_data(
    sizes: tuple[int, int], fpr: float, log_axis: bool, capacity: float
) -> None:
    preset = Preset.from_options(sizes)
    assert (preset.fpr, preset.log_axis, preset.capacity) == (fpr, log_axis, capacity)
    assert preset.asked == ()
    assert (preset.c_fn, preset.c_fp, preset.w) == (
        None,
        None,
        None,
    )  # nobody said what errors cost


def test_the_user_chooses_where_the_page_starts() -> None:
    options = {"fpr": 0.033, "costs": (20, 1), "prevalence": 0.02, "capacity": 0.3}
    payload = payload_of(Y, {"a": MODELS["a"]}, **options)
    preset = payload["preset"]
    assert [preset[k] for k in ("fpr", "c_fn", "c_fp", "prevalence", "capacity")] == [
        0.033, 20, 1, 0.02, 0.3,
    ]  # fmt: skip
    assert preset["asked"] == list(options)
    assert 0.033 in payload["places"]
    model = payload["models"][0]
    assert any(point["fpr"] == 0.033 for point in model["points"])
    assert "At an alert rate of 30%" in model["rates"]["sentence"]
    rules = [(rule["name"], rule["at"]) for rule in payload["recommendation"]["rules"]]
    assert rules == [("fpr", 0.033), ("rate", 0.3), ("costs", [20, 1])]
    ruling = payload["recommendation"]["point"]
    own = [point for point in payload["recommendation"]["points"] if point["model"] == "a"]
    assert ruling["tp"] + ruling["fp"] == min(point["tp"] + point["fp"] for point in own)


def test_costs_are_those_of_rows_that_did_not_choose_the_threshold() -> None:
    payload = payload_of(Y, {"a": MODELS["a"]}, costs=(20, 1), prevalence=0.02)
    found, model = payload["recommendation"], payload["models"][0]
    assert (found["point"]["rule"], found["model"]) == ({"name": "costs", "at": [20, 1]}, "a")
    # The cost and its interval are those of rows that did not choose the threshold.
    at = model["cost"]["w"].index(float(f"{0.4 / (0.4 + 0.98):.6g}"))
    numbers = [1000 * 1.38 * model["cost"][key][at] for key in ("cost", "lower", "upper")]
    assert [found[key] for key in ("cost", "cost_low", "cost_high")] == pytest.approx(
        numbers, rel=1e-4
    )
    assert found["point"]["threshold"] == model["cost"]["threshold"][at]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"fpr": 1.5}, "`fpr` must be"),
        ({"capacity": 0}, "`capacity` must be"),
        ({"prevalence": 5}, r"`prevalence` must .* prevalence=0\.05"),
        ({"costs": 3}, r"`costs` must be the cost .* costs=\(10, 1\)"),
        ({"costs": (0, 1)}, "`costs` must be the cost"),
        ({"focus": "x"}, "`focus` must be one or two of the models 'a', 'b'"),
        ({"focus": ("a", "b", "c")}, "`focus` must be one or two"),
    ],
)
def test_options_are_checked(options: dict[str, Any], words: str) -> None:
    with pytest.raises(rb.InputError, match=words):
        rb.report(rb.Sample(Y, MODELS), path=None, **options)


def test_many_models_have_a_focus_and_a_matrix() -> None:
    found = rb.report(rb.Sample(Y, MODELS), path=None, focus="b", rng=1, future=(5, 5))
    assert found.payload["focus"] == ["b"]
    page = found.to_html().partition('<script type="application/json"')[0]
    assert 'class="matrix differences"' in page
    assert page.count("do not differ significantly") <= 1  # in the findings only
    rows = re.findall(r'<td class="significant">|<td><span title=', page)
    assert len(rows) == 10
    significant = [p for p in found.payload["comparison"]["pairs"] if p["adjusted_pvalue"] < 0.05]
    assert page.count('<td class="significant">') == len(significant)
    # One drawn band: that of the model in focus.
    assert page.count('<path class="band') == 1


def test_costs_are_compared_by_their_difference() -> None:
    two = {name: MODELS[name] for name in "ae"}
    payload = payload_of(Y, two)
    (gap,) = payload["cost_differences"]
    assert (gap["first"], gap["second"]) == ("a", "e")
    chosen, judged = split_rows(Sample(Y, two), 1)
    w = np.array(payload["models"][0]["cost"]["w"])
    cuts = {name: rb.cost_thresholds(chosen[name], w=w) for name in ("a", "e")}
    own = rb.cost_difference(judged, thresholds=cuts)
    middle = slice(20, 90)  # w was rounded: thresholds at the ends may be others
    assert np.median(np.abs(np.array(gap["lower"])[middle] - own.lower[middle])) < 1e-5
    assert np.median(np.abs(np.array(gap["upper"])[middle] - own.upper[middle])) < 1e-5
    assert "intervals overlap" not in rb.report(rb.Sample(Y, two), path=None, rng=1).to_html()


def test_no_claim_rests_on_one_or_two_cases() -> None:
    """Ranges of false positive rates with fewer than three negatives are not named."""
    rng = np.random.default_rng(11)
    slivers = 0
    for seed in range(4):
        y = np.arange(60) < 24
        models = {"a": rng.normal(size=60) + 0.4 * y, "b": rng.normal(size=60) + 2 * y}
        band = rb.difference_band(y, *models.values(), fpr=(0.05, 0.95), rng=seed)
        slivers += sum((part.high - part.low) * 36 < 3 for part in band.better)
        (pair,) = payload_of(y, models, rng=seed, future=(5, 5))["comparison"]["pairs"]
        assert all((part["to"] - part["from"]) * 36 >= 3 for part in pair["better"])
    assert slivers > 0, "there was nothing to leave out"


def test_the_report_names_date_seed_and_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    found = rb.report(rb.Sample(Y, {"a": MODELS["a"]}), path=None, rng=5, future=(5, 5))
    assert found.payload["made"] == {
        "date": "1970-01-02",
        "seed": 5,
        "command": "rb.report(..., rng=5)",
    }
    assert "on 1970-01-02, seed 5" in found.to_html()
