"""Bands at several levels from one set of resamples are the bands that each call gives."""

from __future__ import annotations

import numpy as np
import pytest

import rocbands as rb
from rocbands.bands import METHODS

LEVELS = (0.8, 0.95, 0.99)
FPR = np.linspace(0.0, 1.0, 41)


def curve(name: str, **rows: object) -> rb.RocCurve:
    y, models = rb.load_example()
    return rb.roc_curve(y, models[name], positive="malignant", **rows)


@pytest.mark.filterwarnings("ignore:The scores do not look binormal")
@pytest.mark.parametrize("name", ["logistic", "neighbours"])
@pytest.mark.parametrize("method", [m for m in METHODS if hasattr(METHODS[m], "at_levels")])
def test_as_if_asked_one_by_one(method: str, name: str) -> None:
    maker, roc = METHODS[method](), curve(name)
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


def test_folds_and_groups() -> None:
    rows = np.arange(569)
    roc = curve("logistic", folds=rows % 4, groups=rows % 4 + 4 * (rows // 12))
    bands = rb.FoldAverage().at_levels(roc, LEVELS, rng=3)
    alone = rb.FoldAverage()(roc, level=0.99, rng=3)
    assert bands[2].upper_at(FPR) == pytest.approx(alone.upper_at(FPR))
    areas = [band.area for band in bands]
    assert areas == sorted(areas)
    grouped = curve("logistic", groups=rows // 3)
    bands = rb.FixedWidth().at_levels(grouped, LEVELS, futures=(None, (50, 60)), rng=3)
    assert bands[4].area == rb.FixedWidth()(grouped, level=0.95, future=(50, 60), rng=3).area


def test_pairs_are_drawn_for_each_future() -> None:
    maker = rb.FixedWidth(future_rule="pairs", n_resamples=100)
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
        with pytest.raises(rb.InputError, match="`folds` was given"):
            maker.at_levels(curve("logistic", folds=np.arange(569) % 4), (0.9,))
