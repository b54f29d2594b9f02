"""Smooth curves: against R, plain formulas and integration; properties, refusals, coverage."""

from __future__ import annotations

import csv
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import optimize, stats

import rocbands as rb
from rocbands.smooth import METHODS
from tests.oracles import smooth as plain
from tests.oracles.binormal import categories, fitted

GOLDEN = Path(__file__).parents[1] / "golden"
AT = np.array([0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9])
ROWS = np.genfromtxt(GOLDEN / "sim500.csv", delimiter=",", names=True)
Y, S = ROWS["y"].astype(int), ROWS["s1"]
NEG, POS = S[Y == 0], S[Y == 1]
every_method = pytest.mark.parametrize("method", METHODS)
POWERS = {"asymmetric-laplace": 1, "asymmetric-gaussian": 2}
pytestmark = pytest.mark.filterwarnings("ignore::rocbands.errors.RocBandsWarning")


def read_r(method: str, quantity: str) -> list[float]:
    """Numbers of R 4.2.2, pROC 1.18.0: smooth_proc.R."""
    with (GOLDEN / "smooth_proc.csv").open(encoding="utf-8") as lines:
        rows = [row for row in csv.DictReader(lines) if row["method"] == method]
    return [float(row["value"]) for row in rows if row["quantity"] == quantity]


def smooth(y: Any, score: Any, method: Any = None, **how: Any) -> rb.results.SmoothCurve:
    if method != "binormal" and method is not None and isinstance(method, str):
        how.setdefault("n_resamples", 200)
    return rb.smooth_curve(y, score, method=method, **how)


# ---------------------------------------------------------------------------------------- numbers


def test_the_binormal_curve_is_the_most_likely_one() -> None:
    neg, pos = categories(Y[::8], S[::8].round(1))
    a, b, _, _ = fitted(neg, pos)
    curve = smooth(Y[::8], S[::8].round(1), "binormal")
    assert curve.fitted["a"] == pytest.approx(a, abs=2e-3)
    assert curve.fitted["b"] == pytest.approx(b, abs=2e-3)
    exact = stats.norm.cdf(curve.fitted["a"] + curve.fitted["b"] * stats.norm.ppf(AT))
    np.testing.assert_allclose(curve.tpr_at(AT), exact, atol=1e-5)


def test_proc_fits_its_binormal_curve_by_regression() -> None:
    """The oracle is pROC's line; the most likely one differs from it by less than its error."""
    a, b = plain.probit_regression(NEG, POS)
    np.testing.assert_allclose(
        stats.norm.cdf(a + b * stats.norm.ppf(AT)), read_r("binormal", "tpr"), atol=2e-4
    )
    ours = smooth(Y, S, "binormal")
    assert ours.auc == pytest.approx(read_r("binormal", "auc")[0], abs=0.005)
    np.testing.assert_allclose(ours.tpr_at(AT), read_r("binormal", "tpr"), atol=0.03)


def test_proc_smooths_densities_of_raw_scores() -> None:
    """The oracle with R's width, one for both classes, gives pROC's curve; our band contains it."""
    widths = plain.nrd0(S), plain.nrd0(S)
    assert read_r("density", "bw")[0] == pytest.approx(widths[0])
    theirs = [plain.kernel_tpr(NEG, POS, widths, fpr) for fpr in AT]
    np.testing.assert_allclose(theirs, read_r("density", "tpr"), atol=5e-5)
    assert plain.kernel_auc(NEG, POS, widths) == pytest.approx(
        read_r("density", "auc")[0], abs=1e-3
    )
    ours = smooth(Y, S, "kernel")
    assert (ours.lower_at(AT) < theirs).all()
    assert (ours.upper_at(AT) > theirs).all()


def test_the_kernel_curve_is_that_of_its_rule() -> None:
    y, score = Y[::4], S[::4].round(1)  # with ties
    classes = plain.normal_scores(score[y == 0], score[y == 1])
    moved, widths = [], []
    for z in classes:
        order = np.sort(z)[::-1]  # quartiles as order statistics, from above
        first, third = (order[int(np.ceil(share * z.size)) - 1] for share in (0.25, 0.75))
        width = min(z.std(ddof=1), (first - third) / 1.34) * (4.0 / z.size) ** (1 / 3)
        widths.append(width)
        moved.append(z.mean() + np.sqrt(1.0 - width**2 / z.var()) * (z - z.mean()))
        smoothed = np.var(moved[-1]) + width**2
        assert smoothed == pytest.approx(z.var())
    found = smooth(y, score, "kernel")
    assert [found.fitted["width_neg"], found.fitted["width_pos"]] == pytest.approx(widths)
    two = (widths[0], widths[1])
    expected = [plain.kernel_tpr(*moved, two, fpr) for fpr in AT]
    np.testing.assert_allclose(found.tpr_at(AT), expected, atol=2e-4)
    assert found.auc == pytest.approx(plain.kernel_auc(*moved, two), abs=1e-4)


@pytest.mark.parametrize("method", POWERS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_asymmetric_models_have_the_largest_likelihood(method: str, seed: int) -> None:
    rng, power = np.random.default_rng(seed), POWERS[method]
    neg, pos = rng.gamma(2.0, size=25).round(1), 3.0 - rng.gamma(2.0, size=15)
    found = smooth([0] * 25 + [1] * 15, [*neg, *pos], method).fitted
    for values, side in ((neg, "neg"), (pos, "pos")):
        sides = tuple(max(found[f"{n}_{side}"], 1e-9) for n in ("mode", "below", "above"))
        own = plain.log_likelihood(values, sides, power)  # type: ignore[arg-type]
        best = -np.inf
        for start in np.quantile(values, np.linspace(0, 1, 9)):  # the likelihood has many peaks

            def minus(p: Any, values: Any = values) -> float:
                return -plain.log_likelihood(values, (p[0], *np.exp(p[1:])), power)  # type: ignore[arg-type]

            better = optimize.minimize(minus, [start, -0.5, -0.5], method="Nelder-Mead")
            best = max(best, -better.fun)
        assert own >= best - 1e-4


@pytest.mark.parametrize("method", POWERS)
def test_asymmetric_curves_are_those_of_the_fitted_densities(method: str) -> None:
    found = smooth(Y, S, method)
    sides = [
        tuple(found.fitted[f"{name}_{side}"] for name in ("mode", "below", "above"))
        for side in ("neg", "pos")
    ]
    share = partial(plain.share_above, power=POWERS[method])
    for cut in np.quantile(S, [0.1, 0.5, 0.8, 0.95]):
        fpr, tpr = (share(cut, one) for one in sides)  # type: ignore[arg-type]
        assert found.tpr_at(fpr) == pytest.approx(tpr, abs=5e-4)


def test_log_odds_are_fitted_on_request() -> None:
    share = 1.0 / (1.0 + np.exp(-S))
    method = rb.smooth.AsymmetricGaussian(n_resamples=200, scale="logit")
    raw, odds = smooth(Y, S, "asymmetric-gaussian"), rb.smooth_curve(Y, share, method=method)
    assert odds.auc == pytest.approx(raw.auc, abs=1e-9)
    plain_scale = smooth(Y, share, "asymmetric-gaussian")
    assert any("scale='logit' fits their log-odds" in note for note in plain_scale.notes)
    assert abs(plain_scale.auc - raw.auc) > 1e-4


# ------------------------------------------------------------------------------------- properties


@every_method
def test_a_result_says_what_it_is(method: str) -> None:
    found = smooth(Y, S, method, level=0.9)
    record = found.to_dict()
    assert (record["schema"], record["method"]["name"]) == ("rocbands.smooth-curve/1", method)
    assert record["coverage"] == "simultaneous"
    assert set(record["columns"]) == {"fpr", "lower", "tpr", "upper", "empirical"}
    assert 0 < found.auc_low < found.auc < found.auc_high < 1
    assert 0 < found.distance < 0.1
    assert "if" in found.guarantee or "of binormal scores" in found.guarantee
    assert "AUC" in found.sentence
    assert (method == "kernel") == (found.fit_pvalue is None)


@every_method
def test_a_higher_level_is_wider(method: str) -> None:
    narrow, wide = (smooth(Y, S, method, level=level) for level in (0.8, 0.98))
    assert (wide.lower_at(AT) <= narrow.lower_at(AT)).all()
    assert (wide.upper_at(AT) >= narrow.upper_at(AT)).all()
    assert wide.auc_low < narrow.auc_low < narrow.auc_high < wide.auc_high


@pytest.mark.parametrize("method", ["binormal", "kernel"])
def test_increasing_transforms_change_nothing(method: str) -> None:
    one, other = (smooth(Y, score, method) for score in (S, np.exp(S)))
    np.testing.assert_array_equal(one.lower_at(AT), other.lower_at(AT))
    assert one.auc == other.auc


@pytest.mark.parametrize("method", POWERS)
def test_scale_and_origin_of_scores_change_nothing(method: str) -> None:
    one, other = (smooth(Y, score, method, rng=1) for score in (S, 1e6 - 40.0 + 1000.0 * S))
    assert other.auc == pytest.approx(one.auc, abs=1e-6)


def test_the_distance_is_that_of_the_curves() -> None:
    found = smooth(Y, S, "binormal")
    level = np.linspace(0.0, 2.0, 20_001)
    curves = found.curve, found.roc.curve
    at = [np.interp(level, curve.x + curve.y, curve.x) for curve in curves]
    assert found.distance == pytest.approx(np.abs(at[0] - at[1]).max(), abs=1e-4)


@pytest.mark.parametrize("method", POWERS)
def test_the_test_of_the_fit_rejects_other_scores_only(method: str) -> None:
    rng = np.random.default_rng(5)
    draw = rng.laplace if POWERS[method] == 1 else rng.normal
    y = np.repeat([0, 1], 300)
    good = smooth(y, draw(2.0 * y, 1.0), method)
    two = np.where(rng.random(600) < 0.5, 0.0, 6.0) + rng.normal(size=600) + y
    with pytest.warns(rb.RocBandsWarning, match="do not look like the model"):
        bad = rb.smooth_curve(y, two, method=method, n_resamples=400)
    assert (good.fit_pvalue or 0.0) > 0.01
    assert (bad.fit_pvalue or 1.0) < 0.005


def test_binormal_and_band_are_the_same_band() -> None:
    one, other = smooth(Y, S, "binormal"), rb.roc_band(Y, S, method="working-hotelling")
    np.testing.assert_array_equal(one.upper_at(AT), other.upper_at(AT))


# ------------------------------------------------------------------------------- extremes, refusals

EXTREMES = {
    "one of each": ([1, 0], [2, 1]),
    "one positive": ([1] + [0] * 99, list(range(100))),
    "separated": ([1] * 20 + [0] * 20, list(range(40, 0, -1))),
    "backwards": ([0] * 20 + [1] * 20, list(range(40, 0, -1))),
    "all tied": ([1, 0] * 30, [7.0] * 60),
    "infinite": ([1, 0, 1, 0], [np.inf, -np.inf, np.inf, np.inf]),
    "rare": ([1] * 3 + [0] * 3000, [2500.5, 2900.5, 1000.5, *range(3000)]),
}


@pytest.mark.parametrize("name", EXTREMES)
def test_kernels_fit_whatever_there_is(name: str) -> None:
    found = smooth(*EXTREMES[name], "kernel")
    lower, upper = found.lower_at(AT), found.upper_at(AT)
    assert ((lower >= 0) & (lower <= found.tpr_at(AT) + 1e-9) & (upper <= 1)).all()
    assert found.auc_high - found.auc_low > 0.01


@pytest.mark.parametrize("name", ["separated", "one positive", "all tied"])
def test_binormal_says_that_nothing_fits(name: str) -> None:
    with pytest.raises(rb.InputError, match=r"classes that overlap; .* Use method='kernel'"):
        smooth(*EXTREMES[name], "binormal")


def test_asymmetric_models_refuse_too_few_and_infinite_scores() -> None:
    with pytest.raises(
        rb.InputError, match="needs 5 different scores in each class; a class has 1"
    ):
        smooth(*EXTREMES["one positive"], "asymmetric-laplace")
    with pytest.raises(rb.InputError, match="finite scores; some are infinite"):
        smooth(Y, np.where(S > 2, np.inf, S), "asymmetric-gaussian")
    method = rb.smooth.AsymmetricLaplace(scale="logit")
    with pytest.raises(rb.InputError, match="strictly between 0 and 1"):
        rb.smooth_curve(Y, S, method=method)
    with pytest.raises(rb.InputError, match="must be one of score, logit"):
        rb.smooth.AsymmetricLaplace(scale="odds")  # type: ignore[arg-type]


@every_method
def test_designs_are_refused(method: str) -> None:
    sample = rb.Sample(Y, S, clusters=np.arange(Y.size) // 2)
    with pytest.raises(rb.InputError, match="rows that are independent of each other"):
        smooth(sample, None, method)


def test_methods_of_bands_are_not_suggested() -> None:
    with pytest.raises(rb.InputError, match=r"'sup-t' is a method of rb.roc_band\(\)"):
        rb.smooth_curve(Y, S, method="sup-t")


def test_the_picture_has_both_curves() -> None:
    ax = smooth(Y, S, "kernel").plot()
    said = [text.get_text() for text in ax.get_legend().get_texts()]
    assert said[0] == "Empirical curve"
    assert said[1].startswith("Smooth curve (AUC")


# --------------------------------------------------------------------------------------- coverage


@pytest.mark.parametrize(
    ("method", "assumed", "held"),
    [
        ("kernel", "smooth densities", "0.70 to 0.86 at 0.95"),
        ("binormal", "binormal scores", "0.31 to 0.50 at 0.95"),
        ("asymmetric-laplace", "asymmetric Laplace scores", "0 to 0.93 at 0.95"),
        ("asymmetric-gaussian", "asymmetric Gaussian scores", "0 to 0.72 at 0.95"),
    ],
)
def test_every_smooth_curve_says_what_it_assumes(method: str, assumed: str, held: str) -> None:
    rng = np.random.default_rng(3)
    y = np.r_[np.ones(60), np.zeros(80)]
    how = {} if method == "binormal" else {"n_resamples": 100}
    curve = rb.smooth_curve(y, rng.normal(size=y.size) + y, method=method, **how)
    first = f"95% simultaneous confidence band assuming {assumed} ({method}) for the true curve."
    assert curve.describe()[0].startswith(first)
    assert f"assuming {assumed}" in repr(curve)
    assert f"assuming {assumed}" in curve.view("pr").describe()[0]
    assert curve.notes[0].startswith("Assumes")
    assert held in curve.notes[0]
    assert held in str(curve).replace("\n", " ")
    assert curve.notes[0] in curve.to_dict()["notes"]


def test_a_test_of_the_fit_is_no_confirmation() -> None:
    rng = np.random.default_rng(4)
    for cases, words in ((60, "with 60 cases of a class it would miss most deviations"), (300, "")):
        y = np.r_[np.ones(cases), np.zeros(300)]
        score = rng.normal(size=y.size) + y
        for found in (rb.smooth_curve(y, score), rb.roc_band(y, score, method="working-hotelling")):
            (tested,) = [note for note in found.notes if "A test of binormal" in note]
            assert words in tested
            assert ("miss" in tested) == bool(words)
            assert "does not reject" not in " ".join(found.notes)
