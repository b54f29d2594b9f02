"""PPV, NPV, likelihood ratios and F1 against SciPy, Bayes' formula and exact coverage."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest

import rocbands as rb
from rocbands.points.measures import Limited, compute_measures
from tests.strategies import labelled_scores

SAMPLE = rb.load_example()
LOGISTIC = SAMPLE["logistic"].values
IS_ILL = SAMPLE.is_positive
ENDS = ("", "_lower", "_upper")


def take(at: rb.results.OperatingPoints, name: str) -> list[float]:
    return [float(getattr(at, name + end)[0]) for end in ENDS]


def share(count: int, size: int, method: str) -> list[float]:
    how = {"wilson": "wilson", "clopper-pearson": "exact"}[method]
    found = binomtest(count, size).proportion_ci(0.9, method=how)
    return [count / size, found.low, found.high]


@pytest.mark.parametrize("method", ["wilson", "clopper-pearson"])
def test_at_a_threshold_they_are_shares_of_those_who_are_called_so(method: str) -> None:
    at = rb.operating_points(IS_ILL, LOGISTIC, threshold=0.5, method=method, level=0.9)
    called = LOGISTIC >= 0.5
    tp, fp = int((called & IS_ILL).sum()), int((called & ~IS_ILL).sum())
    fn, tn = int((~called & IS_ILL).sum()), int((~called & ~IS_ILL).sum())
    assert take(at, "ppv") == pytest.approx(share(tp, tp + fp, method))
    assert take(at, "npv") == pytest.approx(share(tn, tn + fn, method))
    jaccard = share(tp, tp + fp + fn, method)
    assert take(at, "f1") == pytest.approx([2 * j / (1 + j) for j in jaccard])
    assert at.prevalence == pytest.approx(IS_ILL.mean())
    assert not at.prevalence_given


def test_likelihood_ratios_at_a_threshold_are_movers_of_the_logarithm() -> None:
    at = rb.operating_points(IS_ILL, LOGISTIC, threshold=0.5, level=0.9, prevalence=0.02)
    (v, v_low, v_high), (u, u_low, u_high) = take(at, "tpr"), take(at, "fpr")
    # Zou and Donner (2008), equation for ln p1 - ln p2.
    low = math.log(v / u) - math.hypot(math.log(v / v_low), math.log(u_high / u))
    high = math.log(v / u) + math.hypot(math.log(v_high / v), math.log(u / u_low))
    ratio = [v / u, math.exp(low), math.exp(high)]
    assert take(at, "lr_pos") == pytest.approx(ratio)
    assert take(at, "ppv") == pytest.approx([r * 0.02 / (r * 0.02 + 0.98) for r in ratio])
    swapped = rb.operating_points(~IS_ILL, -LOGISTIC, threshold=-0.5, level=0.9)
    missed, kept = 1 - v, 1 - u
    assert at.lr_neg[0] == pytest.approx(missed / kept)
    assert swapped.threshold_fpr[0] == pytest.approx(missed, abs=0.01)


@pytest.mark.parametrize("prevalence", [1e-3, 0.02, 0.5, 0.9])
def test_at_a_fixed_rate_and_prevalence_the_other_rates_limits_are_mapped(
    prevalence: float,
) -> None:
    at = rb.operating_points(IS_ILL, LOGISTIC, fpr=0.1, prevalence=prevalence)
    p, u = prevalence, 0.1
    for i, v in enumerate(take(at, "tpr")):
        hits, alarms, misses = p * v, (1 - p) * u, p * (1 - v)
        assert take(at, "ppv")[i] == pytest.approx(hits / (hits + alarms))
        assert take(at, "npv")[i] == pytest.approx((1 - p) * (1 - u) / ((1 - p) * (1 - u) + misses))
        assert take(at, "lr_pos")[i] == pytest.approx(v / u)
        assert take(at, "f1")[i] == pytest.approx(2 * hits / (2 * hits + alarms + misses))
        other = [0, 2, 1][i]  # it falls where the true positive rate rises
        assert take(at, "lr_neg")[other] == pytest.approx((1 - v) / (1 - u))
    assert at.prevalence_given
    across = rb.operating_points(IS_ILL, LOGISTIC, tpr=0.8, prevalence=prevalence)
    for i, u in enumerate(take(across, "fpr")):
        other = [0, 2, 1][i]
        found = take(across, "ppv")[other]
        assert found == pytest.approx(p * 0.8 / (p * 0.8 + (1 - p) * u))


def test_the_error_of_the_rows_prevalence_widens_limits_and_a_given_one_moves_them() -> None:
    own = rb.operating_points(IS_ILL, LOGISTIC, fpr=0.1)
    given_ = rb.operating_points(IS_ILL, LOGISTIC, fpr=0.1, prevalence=IS_ILL.mean())
    assert take(own, "ppv")[0] == pytest.approx(take(given_, "ppv")[0])
    assert own.ppv_lower[0] < given_.ppv_lower[0] < given_.ppv_upper[0] < own.ppv_upper[0]
    assert take(own, "lr_pos") == take(given_, "lr_pos")


def test_the_equal_error_rate_is_one_number() -> None:
    at = rb.operating_points(IS_ILL, LOGISTIC, best="eer", prevalence=0.1)
    e, low, high = take(at, "fpr")
    assert take(at, "lr_pos") == pytest.approx([(1 - e) / e, (1 - high) / high, (1 - low) / low])
    assert at.threshold_tpr[0] == pytest.approx(
        (IS_ILL & (at.threshold[0] <= LOGISTIC)).sum() / 212
    )


@given(rows=labelled_scores(max_size=10), share=st.sampled_from([None, 1e-3, 0.3]))
def test_limits_contain_the_measure_whatever_the_rows(
    rows: tuple[np.ndarray, np.ndarray], share: float | None
) -> None:
    y, s = rows
    for how in ({"threshold": [*s[:3], 99.0]}, {"fpr": [0, 0.5, 1]}, {"tpr": [0, 0.5, 1]}):
        at = rb.operating_points(y, s, prevalence=share, **how)
        for name in ("ppv", "npv", "lr_pos", "lr_neg", "f1"):
            value, low, high = (getattr(at, name + end) for end in ENDS)
            assert (low <= high).all()
            assert (low >= 0).all()
            there = ~np.isnan(value)
            assert (low[there] <= value[there]).all()
            assert (value[there] <= high[there]).all()
            if not name.startswith("lr"):
                assert (high <= 1).all()
            if not there.all():
                assert name in at.notes[0].partition(": ")[2].rstrip(".").split(", ")


def test_classes_may_be_swapped() -> None:
    y, s = IS_ILL[:80], LOGISTIC[:80]
    cut = float(np.median(s)) + 1e-9
    one = rb.operating_points(y, s, threshold=cut)
    two = rb.operating_points(~y, -s, threshold=-cut)
    assert take(one, "npv") == pytest.approx(take(two, "ppv"))
    low, high = 1 / two.lr_pos_upper[0], 1 / two.lr_pos_lower[0]
    assert take(one, "lr_neg") == pytest.approx([1 / two.lr_pos[0], low, high])


@pytest.mark.parametrize(("fpr", "tpr"), [(0.1, 0.8), (0.3, 0.6), (0.05, 0.95)])
def test_exact_coverage_of_movers_limits(fpr: float, tpr: float) -> None:
    """All outcomes of 60 positives and 90 negatives, weighted by their probability."""
    n_pos, n_neg, share = 60, 90, 0.05
    tp, fp = (side.ravel() for side in np.mgrid[0 : n_pos + 1, 0 : n_neg + 1])
    weight = binom.pmf(tp, n_pos, tpr) * binom.pmf(fp, n_neg, fpr)
    rates = []
    for count, size in ((fp, n_neg), (tp, n_pos)):
        ends = [binomtest(k, size).proportion_ci(0.95, method="wilson") for k in range(size + 1)]
        low, high = np.array([(end.low, end.high) for end in ends]).T
        rates.append(Limited(count / size, low[count], high[count]))
    fixed = np.array(share)
    found = compute_measures(*rates, Limited(fixed, fixed, fixed))
    odds = (1 - share) / share
    truth = {
        "ppv": tpr / (tpr + odds * fpr),
        "npv": odds * (1 - fpr) / (odds * (1 - fpr) + 1 - tpr),
        "lr_pos": tpr / fpr,
        "lr_neg": (1 - tpr) / (1 - fpr),
        "f1": 2 * tpr / (1 + tpr + odds * fpr),
    }
    for name, value in truth.items():
        inside = (found[f"{name}_lower"] <= value) & (value <= found[f"{name}_upper"])
        assert 0.93 < weight[inside].sum() < 0.99, name


def test_a_row_says_what_was_asked_what_the_curve_has_and_what_the_threshold_has() -> None:
    y, s = [1, 0, 1, 1, 0, 1, 0], [3.0, 3, 3, 2, 2, 1, 1]
    at = rb.operating_points(y, s, fpr=0.2)
    _, rows = at.describe()
    names = ["fpr", "tpr", "tpr_lower", "tpr_upper", "threshold", "threshold_fpr", "threshold_tpr"]
    assert list(rows) == names
    assert (rows["fpr"][0], rows["tpr"][0]) == (0.2, pytest.approx(0.3))
    assert rows["threshold"][0] == "inf"
    assert (rows["threshold_fpr"][0], rows["threshold_tpr"][0]) == (0, 0)
    across = rb.operating_points(y, s, tpr=0.6)
    assert list(across.describe()[1])[:4] == ["tpr", "fpr", "fpr_lower", "fpr_upper"]
    assert (across.threshold_fpr[0], across.threshold_tpr[0]) == (2 / 3, 3 / 4)
    assert list(at.to_dict()["columns"]) == list(at.to_frame()) == list(at.columns())
    assert "fpr_lower" not in at.to_frame()
    plain = rb.operating_points(y, s, threshold=2)
    assert list(plain.describe()[1]) == [
        "threshold",
        *(f"{r}{e}" for r in ("fpr", "tpr") for e in ENDS),
    ]


def test_words_of_medicine_and_of_machine_learning() -> None:
    rates = rb.operating_points(IS_ILL, LOGISTIC, fpr=[0.1, 0.2])
    ill = rb.operating_points(IS_ILL, LOGISTIC, specificity=[0.9, 0.8], words="medical")
    assert ill.columns()["specificity"].tolist() == [0.9, 0.8]
    assert ill.columns()["sensitivity_lower"].tolist() == rates.tpr_lower.tolist()
    assert ill.columns()["threshold_specificity"] == pytest.approx(1 - rates.threshold_fpr)
    assert {"ppv", "npv_lower", "lr_pos", "lr_neg_upper"} <= set(ill.describe()[1])
    assert ill.to_dict()["columns"]["sensitivity"] == rates.tpr.tolist()
    assert not {"fpr", "tpr"} & set(ill.to_dict()["columns"])
    both = rb.operating_points(IS_ILL, LOGISTIC, threshold=0.5, words="medical").columns()
    fixed = rb.operating_points(IS_ILL, LOGISTIC, threshold=0.5)
    assert both["specificity_lower"][0] == 1 - fixed.fpr_upper[0]
    assert both["specificity_upper"][0] == 1 - fixed.fpr_lower[0]
    found = rb.operating_points(IS_ILL, LOGISTIC, sensitivity=0.8, words="learning")
    assert found.fpr_lower == rb.operating_points(IS_ILL, LOGISTIC, tpr=0.8).fpr_lower
    assert {"recall", "precision", "precision_lower", "f1"} <= set(found.describe()[1])
    assert "words" not in str(ill)
    # The answer is in the words of the question.
    asked = rb.operating_points(IS_ILL, LOGISTIC, specificity=[0.9, 0.8])
    assert asked.to_csv() == ill.to_csv()
    assert "sensitivity" in rb.operating_points(IS_ILL, LOGISTIC, sensitivity=0.8).columns()
    with pytest.raises(TypeError, match="It is called `tpr` here"):
        rb.operating_points(IS_ILL, LOGISTIC, recall=0.8)
    with pytest.raises(rb.InputError, match="`words` must be one of rates, medical, learning"):
        rb.operating_points(IS_ILL, LOGISTIC, fpr=0.1, words="clinical")  # type: ignore[arg-type]
    with pytest.raises(rb.InputError, match="`specificity` must lie between 0 and 1; got 90"):
        rb.operating_points(IS_ILL, LOGISTIC, specificity=90)
    with pytest.raises(rb.InputError, match=r"Exactly one of .*; `fpr` and `specificity` were"):
        rb.operating_points(IS_ILL, LOGISTIC, specificity=0.9, fpr=0.1)


@pytest.mark.parametrize("prevalence", [None, 0.02])
def test_the_threshold_of_a_precision_has_the_largest_recall(prevalence: float | None) -> None:
    wanted = 0.8 if prevalence is None else 0.3
    at = rb.operating_points(IS_ILL, LOGISTIC, precision=wanted, prevalence=prevalence)
    odds = (1 - prevalence) / prevalence if prevalence else 357 / 212
    best = 0.0
    for cut in LOGISTIC:
        tpr, fpr = (LOGISTIC[IS_ILL] >= cut).mean(), (LOGISTIC[~IS_ILL] >= cut).mean()
        if tpr / (tpr + odds * fpr) >= wanted - 1e-12:
            best = max(best, tpr)
    assert at.tpr[0] == pytest.approx(best)
    assert at.ppv[0] >= wanted - 1e-12
    with pytest.raises(rb.InputError, match=r"some threshold attains; the highest is 0\.5"):
        rb.operating_points([1, 0], [1.0, 1.0], precision=0.9)


def test_weights_decide_the_prevalence() -> None:
    """Cases and controls sampled apart, each row weighted by what it stands for."""
    weight = np.where(IS_ILL, 1.0, 20.0)
    called = LOGISTIC >= 0.5
    hits, alarms = (weight[called & rows].sum() for rows in (IS_ILL, ~IS_ILL))
    at = rb.operating_points(rb.Sample(IS_ILL, LOGISTIC, weights=weight), threshold=0.5)
    assert at.prevalence == pytest.approx(weight[IS_ILL].sum() / weight.sum())
    assert at.ppv[0] == pytest.approx(hits / (hits + alarms))
    assert at.ppv_lower[0] < at.ppv[0] < at.ppv_upper[0]
    clustered = rb.operating_points(
        rb.Sample(IS_ILL, LOGISTIC, clusters=np.arange(IS_ILL.size) // 4), fpr=0.1
    )
    assert clustered.ppv_lower[0] < clustered.ppv[0] < clustered.ppv_upper[0]
