"""The likelihood band as a method: calibration, targets, refusals."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest

import rocbands as rb
from rocbands.core.curve import Curve


def test_it_says_where_the_critical_value_comes_from() -> None:
    sample = rb.load_example()
    plain = rb.roc_band(sample["logistic"])
    tied = rb.roc_band(sample["neighbours"])
    assert "for curves with an AUC near 0.9 (chance: 3.73" in plain.notes[0]
    assert "for 16 levels of scores (99% of the rows are tied)" in tied.notes[0]


@pytest.mark.parametrize("calibration", ["curve", "chance", "levels", "plugin"])
def test_each_calibration_can_be_asked_for(calibration: str) -> None:
    sample = rb.load_example()
    method = rb.bands.Likelihood(calibration=calibration, n_resamples=300)
    band = rb.roc_band(sample["logistic"], method=method, rng=1)
    assert 3.0 < band.region.critical_value < 5.0
    assert json.loads(band.to_json())["method"]["calibration"] == calibration


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            {"calibration": "magic"},
            "`calibration` must be one of auto, curve, chance, levels, plugin; got 'magic'",
        ),
        ({"n_resamples": 10}, "`n_resamples` must be a whole number of at least 99; got 10."),
    ],
)
def test_refused(options: dict, sentence: str) -> None:
    with pytest.raises(rb.InputError) as caught:
        rb.bands.Likelihood(**options)
    assert sentence in str(caught.value)


def test_a_level_that_few_draws_cannot_tell_gets_more() -> None:
    sample = rb.load_example()
    method = rb.bands.Likelihood("plugin", n_resamples=792)
    bands = [
        rb.roc_band(sample["neighbours"], method=method, level=level, rng=1)
        for level in (0.99, 0.999)
    ]
    assert "from 792 samples" in bands[0].notes[0]
    assert "from 5000 samples" in bands[1].notes[0]
    assert bands[1].area > bands[0].area


@pytest.mark.parametrize("tied", [False, True])
def test_a_level_without_rows_changes_nothing(tied: bool) -> None:
    fp, tp = np.array([0, 5, 9, 10]), np.array([6, 6 + tied, 10, 12])
    bare = rb.RocCurve.from_counts([4, 3, 2, 1], fp, tp)
    more = rb.RocCurve.from_counts(np.arange(8, 0, -1), np.repeat(fp, 2), np.repeat(tp, 2))
    one, two = (rb.bands.Likelihood()(roc, rng=1) for roc in (bare, more))
    assert one.notes == two.notes
    np.testing.assert_array_equal(one.lower.y, two.lower.y)
    np.testing.assert_array_equal(one.upper.y, two.upper.y)


def test_plugin_draws_as_many_rows_as_there_are() -> None:
    billions = rb.RocCurve.from_counts(
        [3, 2, 1], np.array([1, 3, 6]) * 10**9, np.array([1, 2, 3]) * 10**9
    )
    with pytest.raises(rb.InputError, match=r"at most 1,000,000 rows; there are 9,000,000,000"):
        rb.roc_band(billions, method=rb.bands.Likelihood(calibration="plugin"))


def test_plugin_is_for_the_true_curve() -> None:
    with pytest.raises(rb.InputError, match="for the true curve only"):
        rb.roc_band(
            [1, 0, 1], [3, 2, 1], method=rb.bands.Likelihood(calibration="plugin"), future=(5, 5)
        )


def test_a_future_band_is_wider_and_says_so() -> None:
    sample = rb.load_example()
    true = rb.roc_band(sample["logistic"])
    later = rb.roc_band(sample["logistic"], future=(50, 200))
    assert later.area > true.area
    assert later.target == "future curve of 50 positives and 200 negatives"
    assert later.contains(rb.roc_curve(sample.is_positive[::3], sample["logistic"].values[::3]))


def test_a_narrower_region_does_not_hold_what_the_edges_exclude() -> None:
    sample = rb.load_example()
    band = rb.roc_band(sample["logistic"])
    narrow = dataclasses.replace(band.region, critical_value=0.0)
    assert not narrow.contains(Curve(*(np.append(e, 1.0) for e in (band.upper.x, band.upper.y))))


def test_tied_scores_of_very_many_rows_have_the_critical_value_of_many() -> None:
    """Counts that 32 bits cannot hold, of several drawn curves that floats must tell apart."""
    found = []
    for rows in (10**6, 10**14):
        fp, tp = (np.array(share) * rows // 100 for share in ([31, 60, 76, 100], [43, 54, 80, 100]))
        roc = rb.RocCurve.from_counts([4.0, 3.0, 2.0, 1.0], fp, tp)
        found.append(rb.roc_band(roc, rng=1).region.critical_value)
    assert found[1] == pytest.approx(found[0], rel=0.05)


def test_weighted_rows_take_the_larger_of_two_critical_values() -> None:
    """Which one is larger depends on the sizes and the AUC: both cases are met."""
    larger = set()
    for rows, shift in ((40, 2.0), (9000, 1.0)):
        rng = np.random.default_rng(rows)
        y = np.arange(rows) < rows // 2
        scores = rng.standard_normal(rows) + shift * y
        sample = rb.Sample(y, scores, weights=rng.uniform(0.5, 2.0, rows))
        found = {
            how: rb.roc_band(sample, method=rb.bands.Likelihood(how)).region.critical_value
            for how in ("auto", "chance", "curve")
        }
        assert found["auto"] == max(found["chance"], found["curve"])
        larger.add("chance" if found["chance"] > found["curve"] else "curve")
    assert larger == {"chance", "curve"}


def test_resampled_bands_of_several_targets_are_those_of_single_calls() -> None:
    roc, method = rb.load_example()["neighbours"].roc, rb.bands.Likelihood(n_resamples=99)
    futures = [(20, 30), None, (50, 40)]
    together = method.at_levels(roc, [0.9], futures=futures, rng=7)
    for band, future in zip(together, futures, strict=True):
        alone = rb.roc_band(roc, method=method, level=0.9, future=future, rng=7)
        assert band.region.critical_value == alone.region.critical_value


def test_a_band_of_four_tied_rows_at_a_very_low_level_is_their_curve() -> None:
    band = rb.roc_band([1, 0, 1, 0], [0.8, 0.4, 0.4, 0.8], level=1e-6)
    assert band.area == pytest.approx(0.0, abs=3e-3)
    np.testing.assert_allclose(band.upper_at([0.3, 0.9997]), [0.3, 0.9997], atol=2e-3)
