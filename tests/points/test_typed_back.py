"""A threshold as it is printed makes the calls of the threshold that was meant, wherever it stands.

Each place that prints a threshold is asked for its text, which is compared with the rows' scores in
double precision and in the precision of the scores.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import rocbands as rb
from rocbands.core.thresholds import write_threshold
from rocbands.points.choose import Rule, choose_point

KINDS = (
    "normal",
    "single",
    "half",
    "votes",
    "whole",
    "two digits",
    "tiny",
    "huge",
    "neighbours",
    "bins",
)
SEEDS = [*range(3), *(pytest.param(seed, marks=pytest.mark.simulation) for seed in range(3, 56))]
NUMBER = r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?"


def draw(kind: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw labels and scores of a kind."""
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    n = int(rng.integers(30, 150))
    y = np.arange(n) < max(12, round(n * rng.uniform(0.2, 0.5)))
    score = rng.normal(size=n) + 1.2 * y
    share = 1.0 / (1.0 + np.exp(-score))
    made = {
        "normal": lambda: score,
        "single": lambda: share.astype(np.float32),
        "half": lambda: share.astype(np.float16),
        "votes": lambda: np.round(share * 7) / 7,
        "whole": lambda: np.round(100 * score).astype(int),
        "two digits": lambda: np.round(share, 2),
        "tiny": lambda: share * 1e-200,
        "huge": lambda: score * 1e300,
        "neighbours": lambda: 0.3 + np.round(4 * share) * np.spacing(0.3),
        "bins": lambda: score,
    }
    return y.astype(int), made[kind]()


def find_texts(kind: str, y: np.ndarray, s: np.ndarray) -> Iterator[tuple[str, str, object]]:
    """Yield the place, the text of a threshold, and the threshold that is meant."""
    sample: Any = rb.ScoreCounts.from_arrays(y, s) if kind == "bins" else rb.Sample(y, s)
    roc = sample.roc
    rows = np.unique(np.linspace(0, roc.thresholds.size - 1, 12).round().astype(int))
    for text, cut in zip(roc.describe()[1]["threshold"], roc.thresholds[rows], strict=True):
        yield "curve", text, cut
    for rule in (Rule("fpr", 0.1), Rule("rate", 0.2), Rule("fpr", 0.001)):
        point = choose_point(roc, rule)
        if point.threshold is not None:
            yield "point", point.text, point.threshold
    found = rb.summary(sample)
    advice = found.recommendation
    if advice is not None and advice.point is not None and advice.point.threshold is not None:
        printed = re.search(rf"At threshold ({NUMBER}) ", found.sentence)
        assert printed
        yield "summary", printed[1], advice.point.threshold
    for asked in ({"fpr": [0.1, 0.3]}, {"tpr": 0.8}, {"rate": 0.2}, {"best": "youden"}):
        at = rb.operating_points(sample, **asked)  # type: ignore[arg-type]
        rows = at.describe()[1]
        for place, texts in (
            ("table", rows["threshold"]),
            ("text", at.columns()["threshold_text"]),
        ):
            for text, cut in zip(texts, at.threshold, strict=True):
                yield f"points {asked} {place}", text, cut
        printed = re.search(rf"threshold ({NUMBER})[ ;,]", at.sentence)
        if printed:
            yield f"points {asked} sentence", printed[1], at.threshold[0]
    alerts = rb.rate_bounds(sample, rate=[0.1, 0.3])
    assert alerts.threshold is not None
    for text, cut in zip(alerts.describe()[1]["threshold"], alerts.threshold, strict=True):
        yield "rates", text, cut
    yield from find_cost_texts(sample)
    if kind != "bins":
        yield from find_chosen_texts(sample)


def find_cost_texts(sample: Any) -> Iterator[tuple[str, str, object]]:
    """Yield the texts of thresholds that costs choose."""
    cuts = rb.cost_thresholds(sample, w=[0.3, 0.6])
    costs = rb.cost_interval(sample, thresholds=cuts)
    for text, cut in zip(costs.describe()[1]["threshold"], costs.threshold, strict=True):
        yield "costs", text, cut
    for text, cut in zip(cuts.describe()[1]["thresholds"], cuts.thresholds, strict=True):
        yield "cost thresholds", text, cut
    curve = rb.cost_curve(sample)
    shown = curve.describe()[1]
    for text, w in zip(shown["threshold"], shown["w_from"], strict=True):
        yield "cost curve", text, curve.threshold_at(w)


def find_chosen_texts(sample: rb.Sample) -> Iterator[tuple[str, str, object]]:
    """Yield the texts of the best threshold, its limits, and the threshold of groups."""
    best = rb.best_threshold(sample)
    printed = re.match(rf"Threshold ({NUMBER}) ", best.sentence)
    assert printed
    yield "best threshold", printed[1], best.threshold
    printed = re.search(rf" between ({NUMBER}) and ({NUMBER})\.", best.sentence)
    ends = best.threshold_low, best.threshold_high
    for text, cut in zip(printed.groups() if printed else (), ends, strict=False):
        yield "best threshold's limits", text, cut
    half = rb.subgroups(sample, by=np.arange(sample.n) % 2, at_fpr=0.2, n_resamples=100)
    printed = re.match(rf"At threshold ({NUMBER}),", half.sentence)
    assert printed or half.sentence.startswith("No threshold that calls anybody positive")
    yield "groups", printed[1] if printed else "inf", half.threshold


def find_pairs(part: Any) -> Iterator[tuple[Any, str]]:
    """Find thresholds and their texts in a payload, at every depth."""
    if isinstance(part, dict):
        for name in ("threshold", "threshold_at"):
            cuts, texts = part.get(name), part.get(f"{name}_text")
            if isinstance(texts, list):
                yield from zip(cuts, texts, strict=True)
            elif texts is not None:
                yield cuts, texts
    for inner in (
        part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    ):
        yield from find_pairs(inner)


def makes_same_calls(s: np.ndarray, text: str, cut: Any) -> bool:
    """Compare the calls in double precision, and in that of the scores."""
    wanted, given = s >= cut, float(text)
    same = ((s.astype(float) >= given) == wanted).all()
    if s.dtype.kind == "f" and math.isfinite(given):
        same &= ((s >= s.dtype.type(given)) == wanted).all()
    return bool(same)


def strip_page(html: str) -> str:
    """Return the text of a page, without scripts and styles."""
    text = re.sub(r"<(script|style).*?</\1>", " ", html, flags=re.DOTALL)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", text))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", SEEDS[2:])
def test_thresholds_of_a_report_can_be_typed_back(kind: str, seed: int) -> None:
    y, s = draw(kind, seed)
    data: Any = rb.ScoreCounts.from_arrays(y, s) if kind == "bins" else rb.Sample(y, s)
    report = rb.report(data, path=None, costs=(3, 1))
    pairs = list(find_pairs(json.loads(report.to_json())))
    assert len(pairs) > 300
    for cut, text in pairs:
        assert (text == "none") == (cut in ("inf", None)), (text, cut)
        assert text == "none" or makes_same_calls(s, text, cut), (text, cut)
    shown = re.findall(rf"score ≥ ({NUMBER})(?![\d.])", strip_page(report.to_html()))
    assert shown
    assert {*shown} <= {text for _, text in pairs}


@pytest.mark.filterwarnings("ignore:Fewer than:rocbands.errors.RocBandsWarning")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_printed_makes_the_same_calls(kind: str, seed: int) -> None:
    y, s = draw(kind, seed)
    places = set()
    for place, text, cut in find_texts(kind, y, s):
        places.add(place.split(" ")[0])
        assert makes_same_calls(s, text, cut), (place, text, cut)
        typed = rb.operating_points(y, s, threshold=float(text))
        called = typed.threshold_tpr[0] * y.sum() + typed.threshold_fpr[0] * (1 - y).sum()
        assert round(float(called)) == (s >= cut).sum(), (place, text, cut)  # type: ignore[operator]
    assert places >= {"curve", "points", "rates", "costs", "cost"}
    assert kind == "bins" or places >= {"best", "groups"}


@pytest.mark.parametrize("kind", KINDS)
def test_every_threshold_of_a_curve_can_be_typed_back(kind: str) -> None:
    _, s = draw(kind, 7)
    y = np.arange(s.size) % 2
    roc = rb.roc_curve(y, s)
    for cut in roc.thresholds:
        text = write_threshold(roc, cut)
        assert ((s.astype(float) >= float(text)) == (s >= cut)).all(), (text, cut)


def test_four_digits_would_change_calls() -> None:
    """The control: what was printed before is not what was meant."""
    _, s = draw("normal", 1)
    changed = sum(((s >= float(f"{cut:.4f}")) != (s >= cut)).any() for cut in s)
    assert changed > 0.3 * s.size


def test_an_edge_of_a_bin_has_all_its_digits() -> None:
    y, s = draw("normal", 3)
    roc = rb.ScoreCounts.from_arrays(y, s).roc
    for edge in roc.thresholds:
        text = write_threshold(roc, edge)
        assert ((s >= float(text)) == (s >= edge)).all()
    assert any(len(write_threshold(roc, edge)) > 6 for edge in roc.thresholds)


@pytest.mark.parametrize("typed", [0.5, 0.123456, 1e-7, 35, 2.0])
def test_a_threshold_that_was_given_is_repeated(typed: float) -> None:
    sample = rb.load_example()["logistic"]
    at = rb.operating_points(sample, threshold=typed)
    assert float(at.threshold_text[0]) == typed
    assert len(at.threshold_text[0]) <= 10
    costs = rb.cost_interval(sample, w=0.4, thresholds=typed)
    assert float(costs.describe()[1]["threshold"][0]) == typed


@pytest.mark.parametrize("kind", ["normal", "single", "votes", "whole"])
def test_both_thresholds_of_a_rule_with_two_sides_can_be_typed_back(kind: str) -> None:
    y, s = draw(kind, 5)
    curve = rb.two_sided_curve(y, abs(s - np.median(s)) if kind == "normal" else s)
    s = np.asarray(abs(s - np.median(s)) if kind == "normal" else s, float)
    rows = curve.describe()[1]
    columns = [rows[name] for name in ("threshold_lower", "threshold_upper", "fpr")]
    for low, high, fpr in zip(*columns, strict=True):
        called = (s <= float(low)) | (s >= float(high))
        assert called[y == 0].mean() == pytest.approx(fpr)
