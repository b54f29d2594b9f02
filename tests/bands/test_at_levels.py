"""Bands at several levels from one set of resamples are the bands that each call gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rocbands as rb
from rocbands.bands import METHODS

LEVELS = (0.8, 0.95, 0.99)
FPR = np.linspace(0.0, 1.0, 41)


def curve(name: str, **design: Any) -> rb.RocCurve:
    return rb.load_example()[name].replace(**design).roc


@pytest.mark.filterwarnings("ignore:The scores do not look binormal")
@pytest.mark.parametrize("method", [m for m in METHODS if hasattr(METHODS[m], "at_levels")])
def test_as_if_asked_one_by_one(method: str) -> None:
    maker, roc = METHODS[method](), curve("neighbours")
    futures = (None, (30, 40)) if "future" in maker.handles else (None,)
    bands = maker.at_levels(roc, LEVELS, futures=futures, rng=3)
    assert [(band.future, band.level) for band in bands] == [
        (future, level) for future in futures for level in LEVELS
    ]
    for band in bands:
        alone = maker(roc, level=band.level, future=band.future, rng=3)
        # Values below the least quantile that is wanted are found less closely.
        assert band.lower_at(FPR) == pytest.approx(alone.lower_at(FPR), abs=2e-4)
        assert band.upper_at(FPR) == pytest.approx(alone.upper_at(FPR), abs=2e-4)
        assert band.target == alone.target


def test_folds_and_clusters() -> None:
    rows = np.arange(569)
    roc = curve("logistic", folds=rows % 4, clusters=rows % 4 + 4 * (rows // 12))
    bands = rb.bands.FoldAverage().at_levels(roc, LEVELS, rng=3)
    alone = rb.bands.FoldAverage()(roc, level=0.99, rng=3)
    assert bands[2].upper_at(FPR) == pytest.approx(alone.upper_at(FPR))
    areas = [band.area for band in bands]
    assert areas == sorted(areas)
    clustered = curve("logistic", clusters=rows // 3)
    bands = rb.bands.FixedWidth().at_levels(clustered, LEVELS, rng=3)
    assert bands[1].area == rb.bands.FixedWidth()(clustered, level=LEVELS[1], rng=3).area


def test_pairs_are_drawn_for_each_future() -> None:
    maker = rb.bands.FixedWidth(future_rule="pairs", n_resamples=100)
    roc = curve("logistic")
    small, large = maker.at_levels(roc, (0.9,), futures=((20, 30), (2000, 3000)), rng=3)
    assert small.area > large.area
    assert small.area == maker(roc, level=0.9, future=(20, 30), rng=3).area


@pytest.mark.parametrize("method", [m for m in METHODS if hasattr(METHODS[m], "at_levels")])
def test_what_a_call_refuses_is_refused(method: str) -> None:
    maker = METHODS[method]()
    with pytest.raises(rb.InputError, match="`level` must lie"):
        maker.at_levels(curve("logistic"), (0.9, 95.0))
    if "folds" not in maker.handles:
        with pytest.raises(rb.InputError, match="the sample has folds"):
            maker.at_levels(curve("logistic", folds=np.arange(569) % 4), (0.9,))


RNG = np.random.default_rng(0)
Y = RNG.random(120) < 0.4
SCORES = RNG.normal(size=Y.size) + Y
TIED, UNTIED = rb.roc_curve(Y, SCORES.round()), rb.roc_curve(Y, SCORES)
ENDS = np.arange(4.0, -5.0, -1.0)
BINS = rb.RocCurve.from_counts(
    ENDS,
    *([np.sum(SCORES[label == Y] >= end) for end in ENDS] for label in (False, True)),
    bins=True,
)
FUTURES = (None, (30, 40), (10, 90), None)
AT = np.linspace(0, 1, 31)
CASES: dict[str, tuple[Any, rb.RocCurve, tuple]] = {
    "tied": (rb.bands.Likelihood(), TIED, FUTURES),
    "levels": (rb.bands.Likelihood("levels"), UNTIED, FUTURES),
    "plugin": (rb.bands.Likelihood("plugin", n_resamples=99), UNTIED, (None,)),
    "chance": (rb.bands.Likelihood(), UNTIED, FUTURES),
    "likelihood of bins": (rb.bands.Likelihood(), BINS, FUTURES),
    "width": (rb.bands.FixedWidth(), UNTIED, FUTURES),
    "smooth": (rb.bands.FixedWidth(smooth=True), UNTIED, FUTURES),
    "pairs": (rb.bands.FixedWidth(future_rule="pairs"), UNTIED, FUTURES),
    "width of bins": (rb.bands.FixedWidth(), BINS, FUTURES),
    "average": (
        rb.bands.FoldAverage(),
        rb.Sample(Y, SCORES, folds=np.arange(120) % 4).roc,
        (None,),
    ),
    "line": (rb.bands.WorkingHotelling(), UNTIED, (None,)),
}


@pytest.mark.parametrize("name", CASES)
def test_bands_at_several_levels_are_those_of_single_calls(name: str) -> None:
    """0.99 needs more draws than 0.8: neither may change the other."""
    method, roc, futures = CASES[name]
    levels = (0.8, 0.99, 0.5)
    together = method.at_levels(roc, levels, futures=futures, rng=5)
    asked = [(level, future) for future in futures for level in levels]
    assert len(together) == len(asked)
    for band, (level, future) in zip(together, asked, strict=True):
        alone = method(roc, level=level, future=future, rng=5)
        assert (band.level, band.future, band.notes) == (level, future, alone.notes)
        np.testing.assert_array_equal(band.lower_at(AT), alone.lower_at(AT))
        np.testing.assert_array_equal(band.upper_at(AT), alone.upper_at(AT))


@pytest.mark.parametrize("name", ["plugin", "pairs"])
def test_a_generator_moves_on(name: str) -> None:
    method, roc, futures = CASES[name]
    rng = np.random.default_rng(5)
    one, other = (method.at_levels(roc, (0.8, 0.99), futures=futures, rng=rng) for _ in range(2))
    assert all(a.notes != b.notes for a, b in zip(one, other, strict=True))
