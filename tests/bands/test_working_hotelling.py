"""Working-Hotelling bands: the fit, its covariance, the edges, what lies inside, the check."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ndtr, ndtri

import rocbands as rb
from rocbands._math.binormal import BinormalFit, NoFit, _cells, fit_binormal, truth_runs
from rocbands.bands.working_hotelling import LineRegion
from rocbands.core.curve import Curve
from rocbands.core.region import as_curve
from tests.golden_numbers import columns
from tests.oracles import binormal as oracle
from tests.populations import draw_bimodal, draw_binormal

# Counts of negatives and positives in ascending categories (methods/bands.md section 9.2).
CT = np.array([33, 6, 6, 11, 2]), np.array([3, 2, 2, 11, 33])
SECOND = np.array([15, 25, 4, 0]), np.array([2, 17, 25, 12])


def fit_of(neg: np.ndarray, pos: np.ndarray) -> BinormalFit:
    fit = fit_binormal(np.asarray(neg), np.asarray(pos))
    assert isinstance(fit, BinormalFit)
    return fit


def roc_of(neg: np.ndarray, pos: np.ndarray) -> rb.RocCurve:
    size = len(neg)
    return rb.RocCurve.from_counts(
        np.arange(size, 0, -1), fp=np.cumsum(neg[::-1]), tp=np.cumsum(pos[::-1])
    )


def random_rows(rng: np.random.Generator, tied: bool) -> tuple[np.ndarray, np.ndarray]:
    n_pos, n_neg = rng.integers(3, 25, 2)
    ill = rng.normal(rng.uniform(-1, 2.5), rng.uniform(0.5, 2), n_pos)
    scores = np.concatenate([ill, rng.normal(0, 1, n_neg)])
    return np.repeat([1, 0], [n_pos, n_neg]), np.rint(2 * scores) if tied else scores


def region(a: float, b: float, var_a: float, cov: float, var_b: float, k: float) -> LineRegion:
    covariance = np.array([[var_a, cov], [cov, var_b]])
    return LineRegion(BinormalFit(a, b, covariance, np.array([0.0]), 0.0), k)


# ---------------------------------------------------------------------------------- the fit


def test_the_classic_data() -> None:
    fit = fit_of(*CT)
    assert (round(fit.a, 4), round(fit.b, 4)) == (1.6568, 0.7130)
    assert round(fit.log_likelihood, 4) == -123.6486
    np.testing.assert_allclose(
        fit.covariance, [[0.097420, 0.047789], [0.047789, 0.046748]], atol=5.1e-7
    )
    assert (round(fit.auc, 4), round(fit.auc_se, 4)) == (0.9113, 0.0296)


def test_the_second_data_set() -> None:
    fit = fit_of(*SECOND)
    se = np.sqrt(fit.covariance.diagonal())
    assert (round(fit.a, 4), round(fit.b, 4)) == (1.4641, 0.7672)
    np.testing.assert_allclose(se, [0.2829, 0.1980], atol=5.1e-5)
    assert round(fit.covariance[0, 1] / se.prod(), 4) == 0.5705
    assert round(fit.log_likelihood, 4) == -105.5287


def test_twenty_random_sets_by_a_general_optimiser() -> None:
    rng, compared = np.random.default_rng(9), 0
    for turn in range(20):
        neg, pos = oracle.categories(*random_rows(rng, tied=turn % 2 == 1))
        fit, runs = fit_binormal(neg, pos), oracle.runs(neg, pos)
        if isinstance(fit, NoFit):
            continue
        a, b, _, height = oracle.fitted(*runs)
        assert fit.log_likelihood == pytest.approx(height, abs=1e-6)
        assert (fit.a, fit.b) == pytest.approx((a, b), abs=2e-3)
        compared += 1
    assert compared > 15


@pytest.mark.parametrize("tied", [False, True])
def test_the_covariance_by_finite_differences(tied: bool) -> None:
    rng = np.random.default_rng(5)
    for _ in range(6):
        neg, pos = oracle.categories(*random_rows(rng, tied))
        fit = fit_binormal(neg, pos)
        if isinstance(fit, NoFit):
            continue
        slow = oracle.covariance(fit.a, fit.b, fit.cutpoints, neg.sum(), pos.sum())
        np.testing.assert_allclose(fit.covariance, slow, rtol=2e-4)


def test_cells_far_out_are_as_exact_on_the_right_as_on_the_left() -> None:
    cuts = np.array([-1.0, 0.5, 6.0, 8.5, 9.0, 9.001, 30.0])
    np.testing.assert_allclose(_cells(cuts), _cells(-cuts[::-1])[::-1], rtol=1e-12)
    assert _cells(cuts).sum() == pytest.approx(1, abs=1e-15)
    density = np.exp(-(9.0005**2) / 2) / np.sqrt(2 * np.pi)
    assert _cells(cuts)[5] == pytest.approx(0.001 * density, rel=1e-5, abs=0)


def test_runs_lose_nothing() -> None:
    rng = np.random.default_rng(2)
    neg, pos = oracle.categories(*random_rows(rng, tied=False))
    for found, slow in zip(truth_runs(neg, pos), oracle.runs(neg, pos), strict=True):
        np.testing.assert_array_equal(found, slow)
    whole, merged = fit_of(neg, pos), fit_of(*oracle.runs(neg, pos))
    assert (whole.a, whole.b, whole.log_likelihood) == (merged.a, merged.b, merged.log_likelihood)


def test_swapping_the_classes_inverts_the_line() -> None:
    for neg, pos in (CT, SECOND):
        one, other = fit_of(neg, pos), fit_of(pos[::-1], neg[::-1])
        assert (other.a, other.b) == pytest.approx((one.a / one.b, 1 / one.b), abs=1e-4)
        assert other.log_likelihood == pytest.approx(one.log_likelihood, abs=1e-6)
        # The information is the same too, seen through the derivatives of (a/b, 1/b).
        turn = np.array([[1 / one.b, -one.a / one.b**2], [0, -1 / one.b**2]])
        np.testing.assert_allclose(other.covariance, turn @ one.covariance @ turn.T, rtol=1e-3)


def test_a_hundred_thousand_rows() -> None:
    rng = np.random.default_rng(1)
    roc = rb.roc_curve(*draw_binormal(rng, 3.0, 50_000, 50_000))
    fit = rb.bands.WorkingHotelling()(roc).region.fitted
    assert fit.cutpoints.size > 20_000
    off = np.array([fit.a - 1.6, fit.b - 0.8])
    assert off @ np.linalg.solve(fit.covariance, off) < 18.4  # exceeded once in 10,000


def contains_line(region: LineRegion, a: float, b: float) -> bool:
    """Tell whether the curve Phi(a + b Phi^-1(fpr)) lies inside: exact, by another formula.

    The largest distance of two lines in standard errors is a quadratic form in a and b.
    """
    assert region.fitted is not None
    off = np.array([a - region.fitted.a, b - region.fitted.b])
    return bool(off @ np.linalg.solve(region.fitted.covariance, off) <= region.k**2)


@pytest.mark.parametrize(
    ("neg", "pos", "status"),
    [
        ([7], [5], "few runs"),
        ([7, 0], [0, 5], "few runs"),
        ([3, 4], [5, 0], "few runs"),
        ([3, 0, 4], [0, 5, 0], "empty cell"),
        ([3, 1, 4], [0, 5, 2], "empty cell"),
        ([0, 1, 1, 0], [5, 5, 5, 5], "runaway"),
        ([1, 0, 2, 1], [1, 1, 2, 0], "runaway"),  # no information but for rounding
        ([0, 3, 2, 0], [14, 0, 1, 7], "runaway"),
    ],
)
def test_data_without_a_fit(neg: list[int], pos: list[int], status: str) -> None:
    fit = fit_binormal(np.array(neg), np.array(pos))
    assert isinstance(fit, NoFit)
    assert fit.status == status
    band = rb.bands.WorkingHotelling()(roc_of(np.array(neg), np.array(pos)))
    assert band.region.fitted is None
    assert band.area == 1
    assert band.contains(band.roc)
    (note,) = band.notes
    assert fit.reason in note
    assert "whole square" in note


def test_three_full_runs_do_fit() -> None:
    fit = fit_of(np.array([5, 3, 1]), np.array([1, 2, 6]))
    expected = ndtri(np.cumsum([5, 3]) / 9)  # as many parameters as cells: all shares are met
    np.testing.assert_allclose(fit.cutpoints, expected, atol=1e-3)
    assert rb.bands.WorkingHotelling()(roc_of(np.array([5, 3, 1]), np.array([1, 2, 6]))).area < 1


def test_one_positive_never_fits() -> None:
    rng = np.random.default_rng(3)
    for scores in (rng.normal(size=40), np.rint(rng.normal(size=40)), np.arange(40)):
        band = rb.roc_band([1] + [0] * 39, scores, method="working-hotelling")
        assert band.region.fitted is None


# -------------------------------------------------------------------------------- the edges


@pytest.mark.parametrize(
    ("simultaneous", "lower", "upper"),
    [
        (
            True,
            [0.1900, 0.4411, 0.5739, 0.6946, 0.8140, 0.8920],
            [0.8090, 0.8678, 0.9031, 0.9457, 0.9923, 1.0000],
        ),
        (
            False,
            [0.2409, 0.4912, 0.6169, 0.7317, 0.8520, 0.9336],
            [0.7579, 0.8389, 0.8827, 0.9326, 0.9884, 0.9999],
        ),
    ],
)
def test_bands_of_the_classic_data(
    simultaneous: bool, lower: list[float], upper: list[float]
) -> None:
    """Numbers of methods/bands.md section 15."""
    band = rb.bands.WorkingHotelling(simultaneous)(roc_of(*CT), level=0.95)
    fpr = [0.01, 0.05, 0.1, 0.2, 0.5, 0.9]
    np.testing.assert_allclose(band.lower_at(fpr), lower, atol=5.1e-5)
    np.testing.assert_allclose(band.upper_at(fpr), upper, atol=5.1e-5)
    assert (band.lower_at([0, 1]) == [0, 1]).all()
    assert (band.upper_at([0, 1]) == [0, 1]).all()
    assert band.coverage == ("simultaneous" if simultaneous else "pointwise")


@pytest.mark.parametrize(
    ("level", "whole", "each"),
    [(0.9, 2.1460, 1.6449), (0.95, 2.4477, 1.9600), (0.99, 3.0349, 2.5758)],
)
def test_the_width_in_standard_errors(level: float, whole: float, each: float) -> None:
    roc = roc_of(*CT)
    assert rb.bands.WorkingHotelling()(roc, level=level).region.k == pytest.approx(
        whole, abs=5.1e-5
    )
    assert rb.bands.WorkingHotelling(False)(roc, level=level).region.k == pytest.approx(
        each, abs=5.1e-5
    )


@pytest.mark.parametrize(
    ("lines", "visible"),
    [
        (region(1.66, 0.71, 0.097, 0.048, 0.047, 2.4), 1e-5),
        (region(0.3, 0.4, 0.3, 0.05, 0.2, 3.0), 1e-5),
        (region(2.0, 3.0, 0.5, 0.4, 0.6, 2.0), 1e-4),
        (region(1.0, 20.0, 0.5, 0.2, 4.0, 2.0), 2e-3),  # nearly vertical
    ],
    ids=["classic", "hooked", "steep", "steeper"],
)
def test_chords_of_the_drawn_edges_cut_nothing(lines: LineRegion, visible: float) -> None:
    at = np.unique(
        np.concatenate([ndtr(np.linspace(-6, 6, 20_001)), np.linspace(0, 1, 5001)[1:-1]])
    )
    for edge, exact in zip(lines.edges(), (lines.lower_at, lines.upper_at), strict=True):
        assert np.abs(edge.high(at) - exact(at)).max() < visible
        area = quad(
            lambda u, exact=exact: (
                exact(ndtr(np.array(u))) * np.exp(-u * u / 2) / np.sqrt(2 * np.pi)
            ),
            *(-9, 9),
            limit=2000,
            points=np.linspace(-8, 8, 400),
        )[0]
        assert edge.area == pytest.approx(area, abs=1e-4)


def test_hooked_edges_are_left_alone_and_spoken_of() -> None:
    neg, pos = np.array([20, 6, 3, 2, 1]), np.array([1, 1, 2, 4, 6])
    hooked = rb.bands.WorkingHotelling()(roc_of(neg, pos), level=0.95)
    fit = hooked.region.fitted
    assert hooked.region.k * np.sqrt(fit.covariance[1, 1]) > fit.b
    assert any("the upper edge falls" in note for note in hooked.notes)
    rises, falls = hooked.region.turns
    near = np.geomspace(1e-12, rises, 50)
    assert (np.diff(hooked.upper_at(near)) < 0).all()
    assert (np.diff(hooked.upper_at(np.linspace(rises, 0.999, 400))) >= 0).all()
    assert (np.diff(hooked.lower_at(np.linspace(1e-9, falls, 400))) >= 0).all()
    assert (np.diff(hooked.lower_at(np.linspace(falls, 1 - 1e-9, 50))) < 0).all()
    assert hooked.upper.y[1] > hooked.upper.y[1:].min() + 0.03
    assert hooked.lower.y[-2] < hooked.lower.y[:-1].max() - 0.03
    plain = rb.bands.WorkingHotelling()(roc_of(*CT))
    assert plain.region.turns is None
    assert not any("falls" in note for note in plain.notes)


def test_the_ellipse_union_of_another_program() -> None:
    """The same scores through moments instead of ranks; tests/golden/README.md says how.

    Both bands stand around nearly the same curve. Ours is the wider one everywhere, as ranks know
    less than normal scores themselves; the edges differ by no more than 0.011.
    """
    sim, other = columns("sim500"), columns("binormal_ellipse_union_sim_s1")
    band = rb.roc_band(sim["y"].astype(int), sim["s1"], method="working-hotelling", level=0.95)
    lower, upper = band.lower_at(other["fpr"]), band.upper_at(other["fpr"])
    fit = band.region.fitted
    fitted = ndtr(fit.a + fit.b * ndtri(other["fpr"]))
    np.testing.assert_allclose(fitted, other["roc"], atol=0.007)
    np.testing.assert_allclose(lower, other["lower"], atol=0.011)
    np.testing.assert_allclose(upper, other["upper"], atol=0.011)
    ratio = (upper - lower) / (other["upper"] - other["lower"])
    assert 1 < ratio.min() < ratio.max() < 1.25


# -------------------------------------------------------------------------------- what is inside


def test_a_binormal_curve_is_judged_by_the_quadratic_form() -> None:
    rng, truth = np.random.default_rng(4), as_curve(lambda x: ndtr(0.8 + 0.8 * ndtri(x)))
    compared = 0
    for size in (15, 50, 500):
        for _ in range(100):
            lines = rb.roc_band(
                *draw_binormal(rng, 1.5, size, size), method="working-hotelling", level=0.9
            ).region
            if lines.fitted is None:
                continue
            assert lines.contains(truth) == contains_line(lines, 0.8, 0.8)
            # So wide that the curve touches the edge, at the probit where it does.
            off = np.array([0.8 - lines.fitted.a, 0.8 - lines.fitted.b])
            weight = np.linalg.solve(lines.fitted.covariance, off)
            just = np.sqrt(off @ weight)
            assert dataclasses.replace(lines, k=just * (1 + 1e-6)).contains(truth)
            if abs(weight[1] / weight[0]) < 5.5:  # farther out rates cannot be told from 0 and 1
                assert not dataclasses.replace(lines, k=just * (1 - 1e-6)).contains(truth)
                compared += 1
    assert compared > 200


@pytest.mark.parametrize("b", [1 / 3, 1.0, 3.0])
def test_rates_that_were_rounded_to_0_or_1_are_not_held_against_a_curve(b: float) -> None:
    t = np.linspace(60, -60, 24_001)
    truth = Curve(np.r_[0, ndtr(-t), 1], np.r_[0, ndtr(-b * t), 1])
    assert region(0.0, b, 1e-8, 0.0, 1e-10, 2.0).contains(truth)
    for k in (0.5, 2.0):
        assert region(0.01, b, 0.01, 0.0, 0.01, k).contains(truth)
        assert not region(0.2, b, 0.01, 0.0, 0.01, k * 0.5).contains(truth)


def test_a_few_chords_are_not_the_curve() -> None:
    """A hundred points joined by straight lines leave the band at the corners; a function does not."""
    band = rb.bands.WorkingHotelling()(roc_of(*CT))
    fit = band.region.fitted
    x = np.arange(101) / 100
    assert band.contains(lambda x: ndtr(fit.a + fit.b * ndtri(x)))
    assert not band.contains((x, ndtr(fit.a + fit.b * ndtri(x))))


def test_polylines_point_by_point() -> None:
    """Coarse chords in the middle of a fine curve, against a dense walk along them."""
    rng, found = np.random.default_rng(8), []
    lines = region(1.0, 0.9, 0.02, 0.004, 0.01, 2.4)
    tails = ndtr(np.linspace(-9, -1.5, 800))
    ends = np.concatenate([tails, 1 - tails[::-1]])
    for _ in range(300):
        middle = np.sort(rng.uniform(0.08, 0.92, rng.integers(1, 8)))
        height = np.sort(ndtr(1 + 0.9 * ndtri(middle) + rng.normal(0, 0.12, middle.size)))
        x = np.concatenate([ends[:800], middle, ends[800:]])
        y = np.concatenate(
            [ndtr(1 + 0.9 * ndtri(ends[:800])), height, ndtr(1 + 0.9 * ndtri(ends[800:]))]
        )
        y = np.maximum.accumulate(y)
        walk = np.interp(np.linspace(0.01, 0.99, 40_001), x, y)
        room = np.minimum(
            lines.upper_at(np.linspace(0.01, 0.99, 40_001)) - walk,
            walk - lines.lower_at(np.linspace(0.01, 0.99, 40_001)),
        ).min()
        if abs(room) > 1e-4:
            found.append(lines.contains(Curve(x, y)))
            assert found[-1] == (room > 0)
    assert 30 < sum(found) < len(found) - 30


def test_steps_leave_every_band_that_is_not_hooked() -> None:
    rng = np.random.default_rng(6)
    for _ in range(20):
        roc = rb.roc_curve(*draw_binormal(rng, 1.5, 80, 80))
        assert not rb.bands.WorkingHotelling()(roc, level=0.999).contains(roc)
    assert region(0.0, 0.1, 4.0, 0.0, 9.0, 3.0).contains(as_curve(roc))


# --------------------------------------------------------------------------- the check, the words


def test_scores_that_are_not_binormal_are_warned_of() -> None:
    rows = draw_bimodal(np.random.default_rng(1), 400, 400)
    with pytest.warns(rb.RocBandsWarning, match=r"do not look binormal \(chi-square") as said:
        band = rb.roc_band(*rows, method="working-hotelling")
    assert str(said[0].message) in band.notes
    assert said[0].filename == __file__


def test_too_few_cases_cannot_be_checked() -> None:
    rng = np.random.default_rng(1)
    band = rb.roc_band(*draw_binormal(rng, 0.75, 19, 400), method="working-hotelling")
    assert any("Too few cases" in note for note in band.notes)


def test_what_it_is_asked_for() -> None:
    with pytest.raises(rb.InputError, match="`simultaneous` must be True"):
        rb.bands.WorkingHotelling(simultaneous="no")  # type: ignore[arg-type]
    facts = rb.bands.WorkingHotelling(False)(roc_of(*CT)).to_dict()
    assert facts["coverage"] == "pointwise"
    asked = {"name": "working-hotelling", "simultaneous": False, "n_resamples": 1000}
    assert facts["method"] == asked
