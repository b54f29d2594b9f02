"""Groups of people that one model scored: each number by another way, and what is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.stats import binomtest

import rocbands as rb
from rocbands.comparison.grid_curve import CurveAtGrid
from rocbands.comparison.group_differences import _factor_covariance
from rocbands.core.roc import pool_curves
from rocbands.io.records import result_schema
from tests.comparison.worlds import spread_sets
from tests.oracles.many import area_between


def draw(sizes=(120, 160), shifts=(1.0, 2.5), seed=1, step=0.0):
    rng = np.random.default_rng(seed)
    by = np.repeat(np.array(["f", "m", "x", "z"])[: len(sizes)], sizes)
    y = np.arange(by.size) % 2
    scores = rng.normal(size=by.size) + y * np.repeat(shifts, sizes)
    return y, np.round(scores / step) * step if step else scores, by


def curve(y, s, by, group):
    return rb.roc_curve(y[by == group], s[by == group])


def test_two_groups_have_the_band_of_two_test_sets() -> None:
    y, s, by = draw()
    (band,) = rb.subgroups(y, s, by=by, rng=1, n_resamples=20_000).differences
    one, two = curve(y, s, by, "f"), curve(y, s, by, "m")
    other = rb.difference_band(one, two, rng=2, n_resamples=20_000)
    assert band.names == ("f", "m")
    np.testing.assert_array_equal(band.difference, other.difference)
    # The same limits for the same critical value; critical values differ by their draws.
    spread = spread_sets(one, two, band.fpr)
    lower, upper = spread.find_limits(band.critical_value)
    np.testing.assert_allclose(band.lower, lower, atol=1e-12)
    np.testing.assert_allclose(band.upper, upper, atol=1e-12)
    assert band.critical_value == pytest.approx(other.critical_value, rel=0.02)


def test_all_pairs_share_a_critical_value_between_one_pair_and_bonferroni() -> None:
    y, s, by = draw((100, 100, 100, 100), (1, 1, 1, 2.5))
    together = rb.subgroups(y, s, by=by, rng=1).differences
    assert len(together) == 6
    (value,) = {band.critical_value for band in together}
    two = np.isin(by, ["f", "m"])
    (alone,) = rb.subgroups(y[two], s[two], by=by[two], rng=1).differences
    (strict,) = rb.subgroups(
        y[two], s[two], by=by[two], rng=1, level=1 - 0.05 / 6, n_resamples=50_000
    ).differences
    assert alone.critical_value < value < strict.critical_value + 0.05


def test_groups_against_the_rest_are_compared_with_pooled_rows() -> None:
    y, s, by = draw((80, 100, 120), (1, 1, 2.5))
    found = rb.subgroups(y, s, by=by, against="rest", rng=1)
    assert [band.names for band in found.differences] == [(g, "the rest") for g in "fmx"]
    band = found.differences[1]
    rest = rb.roc_curve(y[by != "m"], s[by != "m"])
    pooled = pool_curves([curve(y, s, by, "f"), curve(y, s, by, "x")])
    np.testing.assert_array_equal(pooled.tp, rest.tp)
    np.testing.assert_array_equal(pooled.thresholds, rest.thresholds)
    own = CurveAtGrid.from_curve(curve(y, s, by, "m"), band.fpr).tpr
    np.testing.assert_allclose(band.difference, own - rest.curve.high(band.fpr), atol=1e-12)


def test_each_of_several_differences_has_the_limits_of_two_test_sets() -> None:
    """At the critical value of all pairs, or of each group and the rest."""
    y, s, by = draw((80, 100, 120), (1, 1, 2.5))
    for against in ("pairs", "rest"):
        for band in rb.subgroups(y, s, by=by, against=against, rng=1).differences:
            spread = spread_sets(*band.curves, band.fpr)
            known = spread.find_limits(band.critical_value)
            np.testing.assert_allclose((band.lower, band.upper), known, rtol=0, atol=1e-12)


def test_rounding_beside_a_variance_of_zero_does_not_matter() -> None:
    """Curves that are flat at 1 have such variances; critical values were 1e68."""
    covariance = np.array([[1e-3, 1e-19, 5e-4], [1e-19, 0.0, -1e-19], [5e-4, -1e-19, 2e-3]])
    root = _factor_covariance(covariance)
    np.testing.assert_allclose(root.T @ root, covariance, rtol=0, atol=1e-9)


@pytest.mark.parametrize("step", [0.0, 1.0])
def test_area_between_the_curves(step) -> None:
    y, s, by = draw((60, 90), (0.5, 2.0), step=step)
    (found,) = rb.subgroups(y, s, by=by, rng=1).found
    one, two = curve(y, s, by, "f").curve, curve(y, s, by, "m").curve
    assert found.abroca == pytest.approx(area_between(one, two), abs=2e-5)


def test_the_limit_of_the_area_is_what_lies_between_band_and_zero() -> None:
    found = rb.subgroups(*draw()[:2], by=draw()[2], rng=1)
    (band,), (one,) = found.differences, found.found
    x = np.linspace(*band.fpr_range, 200_001)
    part = np.maximum(np.maximum(band.lower_at(x), -band.upper_at(x)), 0.0)
    assert one.better
    assert one.abroca_low == pytest.approx(np.trapezoid(part, x), abs=1e-8)
    assert 0 < one.abroca_low < one.abroca
    y, s, by = draw(shifts=(1, 1))
    (same,) = rb.subgroups(y, s, by=by, rng=1).found
    assert (same.better, same.abroca_low) == ((), 0.0)
    assert same.abroca > 0


def test_areas_rates_and_bands_hold_together() -> None:
    y, s, by = draw((80, 100, 120), (1, 1, 2.5))
    found = rb.subgroups(y, s, by=by, threshold=0.5, level=0.9, prevalence=0.3, rng=1)
    each = 0.9 ** (1 / 3)
    for place, group in enumerate("fmx"):
        roc = curve(y, s, by, group)
        area = rb.auc_interval(roc, level=each)
        assert found.auc_lower[place] == pytest.approx(area.low, abs=1e-12)
        precision = rb.average_precision_interval(roc, level=each, prevalence=0.3)
        assert found.average_precision_upper[place] == pytest.approx(precision.high, abs=1e-12)
        rates = rb.operating_points(roc, method="clopper-pearson", threshold=0.5, level=each)
        for name in ("tpr", "fpr", "ppv", "npv"):
            for end in ("", "_lower", "_upper"):
                known = getattr(rates, name + end)[0]
                assert getattr(found, name + end)[place] == pytest.approx(known, abs=1e-12)
        called = int((s[by == group] >= 0.5).sum())
        known = binomtest(called, roc.n_pos + roc.n_neg).proportion_ci(each, "exact")
        ends = found.selection_rate_lower[place], found.selection_rate_upper[place]
        assert ends == pytest.approx((known.low, known.high), abs=1e-9)
        assert found[group].level == pytest.approx(each)


def test_a_group_of_one_row_is_refused_in_the_singular() -> None:
    y, s, by = draw()
    alone = np.where(np.arange(y.size) == 0, "x", by)
    with pytest.raises(rb.InputError, match=r"the only row of group 'x' is (posi|nega)tive"):
        rb.subgroups(y, s, by=alone)


def test_a_sample_says_the_groups_by_a_column_it_keeps() -> None:
    y, s, by = draw()
    rows = rb.subgroups(rb.Sample(y, {"a": s}), by=by, rng=1).to_dict()
    sample = rb.Sample(y, {"a": s, "b": -s}, keep={"sex": by})
    assert rb.subgroups(sample["a"], by="sex", rng=1).to_dict() == rows
    assert rb.subgroups(sample["a"], by=by, rng=1).to_dict() == rows


def test_a_column_of_the_source_goes_with_the_rows_that_stay() -> None:
    y, s, by = draw()
    holes = np.where(np.arange(y.size) % 7 == 3, np.nan, s)
    stay = ~np.isnan(holes)
    known = rb.subgroups(y[stay], s[stay], by=by[stay], rng=1)
    found = rb.subgroups(rb.Sample(y, holes, missing="drop"), by=by, rng=1)
    assert found.auc.tolist() == known.auc.tolist()
    assert found.notes[0].startswith("Left out 40 of 280 rows")
    part = rb.subgroups(rb.Sample(y, s).take(stay), by=by, rng=1)
    assert part.to_dict() == known.to_dict()


def test_neither_order_nor_scale_of_rows_matters() -> None:
    y, s, by = draw(step=0.5)
    order = np.random.default_rng(2).permutation(y.size)
    first = rb.subgroups(y, s, by=by, threshold=1, rng=1).to_dict()
    same = rb.subgroups(y[order], s[order], by=by[order], threshold=1, rng=1).to_dict()
    assert same == first
    scaled = rb.subgroups(y, np.exp(s), by=by, threshold=np.e, rng=1)
    assert scaled.to_dict()["columns"] == first["columns"]
    assert scaled.gaps.to_dict()["columns"] == first["gaps"]["columns"]


def test_the_record_is_what_its_schema_says_and_shows_itself() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    y, s, by = draw((80, 100, 120), (1, 1, 2.5))
    for threshold in (None, 0.5):
        found = rb.subgroups(y, s, by=by, threshold=threshold, rng=1)
        jsonschema.validate(json.loads(found.to_json()), result_schema(rb.results.Subgroups))
        assert ("chosen on these rows" in str(found)) == (threshold is None)
    assert "f and m: no difference shown" in str(found)
    assert "more positives of x found at fpr" in str(found)
    axes = found.plot(Figure().subplots())
    texts = [text.get_text() for text in axes.get_legend().get_texts()]
    assert texts[-1] == "95% for all groups together"
    assert len(found.plot().figure.axes) == 4  # two of three differences: no place is empty


def test_small_groups_are_named() -> None:
    with pytest.warns(rb.RocBandsWarning, match=r"in f \(10 positives, 10 negatives\)"):
        found = rb.subgroups(*draw((20, 160))[:2], by=draw((20, 160))[2], rng=1)
    assert "Join small groups" in found.notes[0]


def test_different_shares_of_positives_are_mentioned() -> None:
    y, s, by = draw((200, 200))
    keep = (by == "f") | (y == 0) | (np.arange(y.size) % 4 == 1)
    how = {"by": by[keep], "rng": 1}
    assert "average precision" in rb.subgroups(y[keep], s[keep], **how).notes[0]
    assert rb.subgroups(y[keep], s[keep], prevalence=0.3, **how).notes[:-1] == ()  # then the seed


def test_what_is_refused() -> None:
    y, s, by = draw()
    with pytest.raises(rb.InputError, match="`by` must say which group each row is in"):
        rb.subgroups(y, s)
    sample = rb.Sample(y, s, keep={"sex": by})
    with pytest.raises(rb.InputError, match="it keeps 'sex'"):
        rb.subgroups(sample)
    with pytest.raises(rb.InputError, match="got 'age'; it keeps 'sex'"):
        rb.subgroups(sample, by="age")
    with pytest.raises(rb.InputError, match=r"subgroups\(\) .* folds"):
        rb.subgroups(sample.replace(folds=np.arange(280) // 140), by="sex")
    with pytest.raises(rb.InputError, match="all 120 rows of group 'f' are negative"):
        rb.subgroups(np.where(by == "f", 0, y), s, by=by)
    with pytest.raises(rb.InputError, match="it has 279 values for 280 rows"):
        rb.subgroups(y, s, by=by[1:])
    with pytest.raises(rb.InputError, match="at least two groups; every row is in 'f'"):
        rb.subgroups(y, s, by=np.full(280, "f"))
    with pytest.raises(rb.InputError, match=r"needs rows, .* got a RocCurve"):
        rb.subgroups(rb.roc_curve(y, s), by=by)
    with pytest.raises(rb.InputError, match="labels of one kind"):
        rb.subgroups(y, s, by=np.where(by == "f", 1, by.astype(object)))
    with pytest.raises(rb.InputError, match="`against` must be"):
        rb.subgroups(y, s, by=by, against="each")


def test_many_pairs_without_a_difference_share_a_sentence() -> None:
    sample = rb.load_example()
    by = np.arange(sample.n) % 5
    found = rb.subgroups(sample["logistic"], by=by, rng=1)
    said = [line for line in str(found).splitlines() if "difference shown" in line]
    differ = sum(bool(one.better) for one in found.found)
    assert said[0].startswith(f"No difference shown in {10 - differ} of 10 pairs")
    assert len(said) == 1


def test_a_curve_at_one_draws_nothing_there():
    """Where no positive is missed the variance is 0 and its covariances are rounded to 0."""
    tenths = {
        "f": ([6, 6, 7, 8, 9, 9, 9, 9, 9], [2, 2, 2, 3, 3, 4, 4, *[5] * 6, 6, 6, 7, 7, 7, 8, 9, 9]),
        "m": ([5, 6, 7, 8, 8, 8, 8, 9, 9], [1, 1, 2, *[3] * 6, 4, 4, 4, *[5] * 4, 6, 6, 7, 8, 8]),
    }
    y, s, by = (
        np.concatenate([np.repeat(value, len(side)) for value, side in rows])
        for rows in (
            [
                (kind, side)
                for pair in tenths.values()
                for kind, side in zip((1, 0), pair, strict=True)
            ],
            [(score, [0]) for pair in tenths.values() for side in pair for score in side],
            [(name, side) for name, pair in tenths.items() for side in pair],
        )
    )
    with pytest.warns(rb.RocBandsWarning, match="Fewer than 30"):
        found = rb.subgroups(y, s / 10, by=by)
    assert 1.9 < found.differences[0].critical_value < 4.0
