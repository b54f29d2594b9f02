"""Every band method keeps every promise; a new method is tested here without writing a line."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import rocbands as rb
from rocbands.bands import METHODS
from rocbands.core.band import BandMethod
from tests.printed_methods import PrintedFixedWidth
from tests.strategies import labelled_scores

AT = np.unique(np.concatenate([np.linspace(0, 1, 41), [1e-9, 1 - 1e-9, 0.003]]))

# Every method keeps every promise, except for those it does not make, with the reason.
NOT_PROMISED: dict[str, dict[str, str]] = {
    "rises": {
        "working-hotelling": "an uncertain slope bends its edges back at the ends; its notes say so"
    },
    "holds its own curve": {
        "working-hotelling": "stands around a smooth fitted curve, which steps leave at the corners",
        "vertical": "pointwise: lines between knots cut off corners of the curve",
        "threshold": "pointwise: lines between knots cut off corners of the curve",
    },
    "reflects": {
        "working-hotelling": "an ellipse in (a, b) is none in (a/b, 1/b), except in large samples",
        "fold-average": "each fold draws on its own, so a mirrored set draws other numbers",
        "vertical": "one axis is fixed and the other moves; fixed='tpr' is its mirror image",
        "threshold": "only the tpr moves",
    },
    "future curves": {
        "joint-region of berk-jones boxes": "its distribution is that of one sample; refused"
    },
    "has an area": {
        "fixed-width": "resamples of separated classes are all alike; the band says so",
        "fixed-width by the papers' slope": "as above",
        "vertical": "resamples of separated or tied classes are all alike; the notes say so",
        "threshold": "resamples of separated or tied classes are all alike; the notes say so",
    },
}

# Methods with parameters that change the band's shape; they keep the promises of all methods.
VARIANTS: dict[str, BandMethod] = {
    "fixed-width by the papers' slope": PrintedFixedWidth(),
    "joint-region of berk-jones boxes": rb.bands.JointRegion(boxes="berk-jones"),
    "fixed-width, smoothed": rb.bands.FixedWidth(smooth=True),
}

# Random scores are now and then seen not to be binormal, and one method says so.
pytestmark = pytest.mark.filterwarnings("ignore::rocbands.errors.RocBandsWarning")

EVERY = [*METHODS, *VARIANTS]
every_method = pytest.mark.parametrize("name", EVERY)
Rows = tuple[np.ndarray, np.ndarray]


def test_only_known_methods_are_exempt() -> None:
    assert {name for exempt in NOT_PROMISED.values() for name in exempt} <= set(EVERY)


def called(name: str) -> str | BandMethod:
    """What to pass as `method`: a variant itself, any other by its name."""
    return VARIANTS.get(name, name)


def facts(name: str) -> Any:
    """The class that says what a method or a variant promises."""
    return type(VARIANTS[name]) if name in VARIANTS else METHODS[name]


def band_of(rows: Rows, name: str, **options: object) -> rb.results.Band:
    method = VARIANTS[name] if name in VARIANTS else METHODS[name]()
    if hasattr(method, "n_resamples"):
        # Promises do not depend on the number of resamples, but the time they take does.
        method = dataclasses.replace(method, n_resamples=120)
    return rb.roc_band(*rows, method=method, rng=1, **options)  # type: ignore[arg-type]


@every_method
@settings(max_examples=30)
@given(rows=labelled_scores())
def test_edges_are_ordered_rise_and_contain_the_empirical_curve(name: str, rows: Rows) -> None:
    band = band_of(rows, name)
    lower, upper = band.lower_at(AT), band.upper_at(AT)
    assert ((lower >= 0) & (upper <= 1) & (lower <= upper)).all()
    assert 0 <= band.area <= 1
    if name not in NOT_PROMISED["rises"]:
        assert (np.diff(lower) >= -1e-9).all()
        assert (np.diff(upper) >= -1e-9).all()
    if name not in NOT_PROMISED["holds its own curve"]:
        assert band.contains(band.roc)


@every_method
@settings(max_examples=15)
@given(rows=labelled_scores())
def test_an_increasing_transform_of_the_scores_changes_nothing(name: str, rows: Rows) -> None:
    labels, scores = rows
    ranks = np.unique(scores, return_inverse=True)[1] ** 3 - 40.0
    one, other = band_of((labels, scores), name), band_of((labels, ranks), name)
    np.testing.assert_array_equal(one.lower_at(AT), other.lower_at(AT))
    np.testing.assert_array_equal(one.upper_at(AT), other.upper_at(AT))


@every_method
@settings(max_examples=15)
@given(rows=labelled_scores())
def test_a_higher_level_gives_a_wider_band(name: str, rows: Rows) -> None:
    narrow, wide = band_of(rows, name, level=0.8), band_of(rows, name, level=0.99)
    assert (wide.lower_at(AT) <= narrow.lower_at(AT) + 1e-12).all()
    assert (wide.upper_at(AT) >= narrow.upper_at(AT) - 1e-12).all()


@pytest.mark.parametrize("name", [name for name in EVERY if name not in NOT_PROMISED["reflects"]])
@settings(max_examples=15)
@given(rows=labelled_scores())
def test_swapping_the_classes_and_negating_the_scores_reflects_the_band(
    name: str, rows: Rows
) -> None:
    labels, scores = rows
    one, other = band_of((labels, scores), name), band_of((1 - labels, -scores), name)
    # (x, y) is inside one band exactly when (1 - y, 1 - x) is inside the other.
    assert other.area == pytest.approx(one.area, abs=1e-3)
    for curve in (lambda x: x, lambda x: x**0.3, lambda x: 1 - (1 - x) ** 3):
        mirrored = 1 - curve(np.linspace(0, 1, 2001))[::-1], 1 - np.linspace(0, 1, 2001)[::-1]
        straight = np.linspace(0, 1, 2001), curve(np.linspace(0, 1, 2001))
        assert one.contains(straight) == other.contains(mirrored)


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in EVERY
        if "future" in facts(name).handles and name not in NOT_PROMISED["future curves"]
    ],
)
@settings(max_examples=8)
@given(rows=labelled_scores())
def test_future_bands_keep_the_same_promises(name: str, rows: Rows) -> None:
    labels, scores = rows
    later = band_of(rows, name, future=(7, 11))
    mirrored = band_of((1 - labels, -scores), name, future=(11, 7))
    lower = band_of(rows, name).lower_at(AT)
    if name in NOT_PROMISED["rises"]:
        lower = np.maximum.accumulate(lower)
    assert (later.lower_at(AT) <= lower + 0.05).all()
    if name not in NOT_PROMISED["reflects"]:
        assert later.area == pytest.approx(mirrored.area, abs=2e-3)
    if name not in NOT_PROMISED["holds its own curve"]:
        assert later.contains(later.roc)
    assert band_of(rows, name, future=(7, 11), level=0.99).area >= later.area - 1e-9


@every_method
@pytest.mark.parametrize(
    ("labels", "scores"),
    [
        ([1, 0], [1, 2]),
        ([1, 0], [2, 1]),
        ([1, 0], [1, 1]),
        ([1] * 50 + [0], list(range(51))),
        ([1] + [0] * 999, list(range(1000))),
        ([1] * 20 + [0] * 20, list(range(40, 0, -1))),
        ([0] * 20 + [1] * 20, list(range(40, 0, -1))),
        ([1, 0] * 30, [7.0] * 60),
        ([1, 0, 1, 0], [np.inf, -np.inf, np.inf, np.inf]),
    ],
    ids=[
        "AUC 0",
        "AUC 1 of 2",
        "one tie",
        "one negative",
        "one positive",
        "AUC 1",
        "AUC 0 of 40",
        "all tied",
        "infinite",
    ],
)
def test_ordinary_extremes(name: str, labels: list[int], scores: list[float]) -> None:
    band = band_of((np.array(labels), np.array(scores)), name)
    assert np.isfinite(band.lower_at(AT)).all()
    assert np.isfinite(band.upper_at(AT)).all()
    assert band.area <= 1
    if band.degenerate:
        assert name in NOT_PROMISED["has an area"]
        assert any("no width" in note or "equal" in note for note in band.notes)


@every_method
def test_a_band_says_what_it_is(name: str) -> None:
    sample = rb.load_example()
    band = rb.roc_band(sample["neighbours"], method=called(name), level=0.9, rng=1)
    kind = facts(name)
    record = json.loads(band.to_json())
    assert record["schema"] == "rocbands.band/1"
    assert record["method"]["name"] == kind.name
    assert record["coverage"] == band.method.coverage
    assert record["target"] == "true curve"
    assert record["level"] == 0.9
    assert set(record["columns"]) == {"fpr", "lower", "tpr", "upper"}
    for words in (f"90% {band.coverage} confidence band", kind.name, "for the true curve", "AUC"):
        assert words in " ".join(str(band).split())
    assert "<table>" in band._repr_html_()


@every_method
def test_the_same_rng_gives_the_same_numbers(name: str) -> None:
    sample = rb.load_example()
    one, other = (rb.roc_band(sample["neighbours"], method=called(name), rng=7) for _ in range(2))
    assert one.to_json() == other.to_json()


@pytest.mark.parametrize("name", METHODS)
def test_the_table_of_methods_lists_it(name: str) -> None:
    assert name in str(rb.methods("bands"))
    known = {"vertical": "VerticalAverage", "threshold": "ThresholdAverage"}
    assert METHODS[name].__name__ in (known.get(name), name.title().replace("-", ""))
    assert METHODS[name].__name__ in rb.bands.__all__
