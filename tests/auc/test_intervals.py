"""Intervals for the AUC: against R, against formulas written out, and at every extreme."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given

import rocbands as rb
from rocbands.auc import METHODS
from rocbands.auc.bootstrap import BcaPivot, compute_acceleration, exact_bootstrap_variance
from rocbands.auc.newcombe import build_newcombe_pivot
from rocbands.core.delong import compute_area_moments, variance_from_moments
from rocbands.resample import areas
from rocbands.resample.areas import FprRange, draw_areas, resample_areas
from tests.golden_numbers import GOLDEN, columns
from tests.oracles import auc as oracle
from tests.strategies import labelled_scores

CLOSED = ("newcombe", "score-delong", "logit-delong", "delong", "hanley-mcneil", "exact-bootstrap")
CURVES = ("sim_s1", "sim_s2", "sim_s1t", "sim_s2t")
close = pytest.approx


def limits(y: object, s: object, method: str, **how: object) -> tuple[float, float]:
    interval = rb.auc_interval(y, s, method=method, **how)
    return interval.low, interval.high


@pytest.mark.parametrize("name", CURVES)
def test_the_numbers_of_r(name: str) -> None:
    table, data = columns("auc_delong"), columns("sim500")
    row = int(np.flatnonzero(table["curve"] == name)[0])
    known = {title: values[row] for title, values in table.items()}
    y, s = data["y"], data[name.removeprefix("sim_")]
    plain = rb.auc_interval(y, s, method="delong")
    assert plain.estimate == close(known["auc"], abs=1e-12)
    assert plain.standard_error == close(known["delong_se"], abs=1e-12)
    for percent in (90, 95, 99):
        expected = (known[f"lo{percent}"], known[f"hi{percent}"])
        assert limits(y, s, "delong", level=percent / 100) == close(expected, abs=1e-9)
    expected = (known["logit_lo95"], known["logit_hi95"])
    assert limits(y, s, "logit-delong") == close(expected, abs=1e-9)
    exponential = rb.auc_interval(y, s, method="hanley-mcneil")
    assert exponential.standard_error == close(known["hanley_mcneil_var"] ** 0.5, abs=1e-12)
    expected = (known["hm_lo95"], known["hm_hi95"])
    assert (exponential.low, exponential.high) == close(expected, abs=1e-9)


def test_the_variance_of_all_resamples() -> None:
    known = json.loads((GOLDEN / "auc_exact_bootstrap.json").read_text(encoding="utf-8"))["roc"]
    y = [1] * len(known["pos"]) + [0] * len(known["neg"])
    roc = rb.roc_curve(y, known["pos"] + known["neg"])
    sizes = roc.n_pos, roc.n_neg
    assert exact_bootstrap_variance(compute_area_moments(roc), *sizes) == close(
        known["var_strat"], abs=1e-12
    )
    assert variance_from_moments(compute_area_moments(roc), *sizes) == close(
        known["var_delong"], abs=1e-12
    )
    error = rb.auc_interval(roc, method="exact-bootstrap").standard_error
    assert error == close(known["var_strat"] ** 0.5, abs=1e-12)


TINY = [([3.0, 2.0, 1.0], [2.0, 0.0, 1.0]), ([4.0, 3.0, 1.0], [2.0, 0.0]), ([1.0, 1.0], [1.0, 0.0])]


@pytest.mark.parametrize(("pos", "neg"), TINY)
def test_the_variance_of_all_resamples_by_enumeration(pos, neg) -> None:
    law = oracle.all_resamples(pos, neg)
    value, share = np.array(list(law)), np.array(list(law.values()))
    roc = rb.roc_curve([1] * len(pos) + [0] * len(neg), pos + neg)
    found = exact_bootstrap_variance(compute_area_moments(roc), len(pos), len(neg))
    assert found == close(share @ value**2 - (share @ value) ** 2, abs=1e-12)
    assert roc.auc == close(share @ value, abs=1e-12)


@pytest.mark.parametrize("few", [0, 10**6], ids=["row by row", "count by count"])
@pytest.mark.parametrize(("pos", "neg"), TINY)
def test_resampled_areas_have_the_law_of_all_resamples(pos, neg, few, monkeypatch) -> None:
    """Shares of all values, judged by chi-square at about one in 10,000."""
    from scipy.special import chdtri

    monkeypatch.setattr("rocbands.resample.areas._ROWS_PER_STEP", 10**6 - few)
    law = oracle.all_resamples(pos, neg)
    roc = rb.roc_curve([1] * len(pos) + [0] * len(neg), pos + neg)
    draws = 20_000
    drawn = np.round(draw_areas(roc, draws, np.random.default_rng(5)), 12)
    assert set(drawn) <= set(law)
    expected = draws * np.array(list(law.values()))
    found = np.array([np.count_nonzero(drawn == value) for value in law])
    common = expected >= 5
    square = np.sum((found - expected)[common] ** 2 / expected[common])
    assert square < chdtri(common.sum(), 1e-4)


def test_resampled_areas_do_not_depend_on_threads_or_row_order(monkeypatch) -> None:
    rng = np.random.default_rng(3)
    y, s = rng.integers(0, 2, 400), rng.normal(size=400).round(1)
    found = []
    for threads, order in (("1", np.arange(400)), ("3", rng.permutation(400))):
        monkeypatch.setenv("ROCBANDS_NUM_THREADS", threads)
        found.append(limits(y[order], s[order], "bca", rng=8))
    assert found[0] == found[1]
    assert limits(y, s, "bca", rng=9) != found[0]


@pytest.mark.parametrize("size", [40, 3000])
def test_resampled_areas_vary_as_they_should(size: int) -> None:
    rng = np.random.default_rng(size)
    y = (rng.random(size) < 0.3).astype(int)
    s = rng.normal(size=size) + y
    wald = rb.auc_interval(y, s, method="exact-bootstrap")
    values = draw_areas(rb.roc_curve(y, s), 8000, rng)
    error = wald.standard_error
    assert values.mean() == close(wald.estimate, abs=5 * error / 8000**0.5)
    assert values.std() == close(error, rel=0.05)
    percentile = rb.auc_interval(y, s, method="bootstrap", n_resamples=8000, rng=1)
    cut = np.quantile(values, [0.025, 0.975])
    assert (percentile.low, percentile.high) == close(tuple(cut), abs=0.2 * error)


@pytest.mark.simulation
@pytest.mark.parametrize("kind", ["plain", "tied", "rare", "good"])
@pytest.mark.parametrize("ends", [None, (0.0, 0.1), (0.2, 0.5)])
def test_areas_of_merged_steps_have_the_law_of_rows(kind: str, ends, monkeypatch) -> None:
    """Few steps, so that merging leaves out as much as it may: the worst case."""
    rng = np.random.default_rng(600)
    labels = rng.random(3000) < (0.05 if kind == "rare" else 0.5)
    scores = rng.normal(size=3000) + (3.3 if kind == "good" else 1.0) * labels
    roc = rb.roc_curve(labels, np.round(12 * scores) if kind == "tied" else scores)
    part = FprRange(*(ends or (0.0, 1.0)))
    draws = 30_000
    rows = resample_areas(roc, draws, np.random.default_rng(2), part)
    error = float(rows.std())
    drawn, off = areas._draw_merged(roc, draws, np.random.default_rng(1), part, 48)
    assert abs(off) < areas.MOST_OFF * error
    found = drawn + off
    assert abs(found.mean() - rows.mean()) < 0.04 * error
    assert found.std() / error == pytest.approx(1.0, abs=0.025)
    for level in (0.025, 0.5, 0.975):
        assert abs(np.quantile(found, level) - np.quantile(rows, level)) < 0.08 * error


def test_many_rows_are_drawn_as_merged_steps_and_separated_ones_are_not(monkeypatch) -> None:
    rng = np.random.default_rng(8)
    labels = rng.random(40_000) < 0.3
    roc = rb.roc_curve(labels, rng.normal(size=labels.size) + labels)
    apart = rb.roc_curve(labels, rng.random(labels.size) + labels)
    assert (draw_areas(apart, 20, np.random.default_rng(1)) == 1.0).all()
    variance = exact_bootstrap_variance(compute_area_moments(roc), roc.n_pos, roc.n_neg)
    monkeypatch.setattr(areas, "resample_areas", None)
    drawn = draw_areas(roc, 4000, np.random.default_rng(1))
    assert drawn.std() == pytest.approx(math.sqrt(variance), rel=0.05)
    # Merging that leaves out too much of the area: more steps, and finally rows.
    monkeypatch.setattr(areas, "STEPS", (2, 2048))
    drawn = draw_areas(roc, 4000, np.random.default_rng(1))
    assert drawn.std() == pytest.approx(math.sqrt(variance), rel=0.05)
    monkeypatch.setattr(areas, "STEPS", (2, 3))
    with pytest.raises(TypeError, match="NoneType"):
        draw_areas(roc, 20, np.random.default_rng(1))


def test_bca_by_leaving_rows_out() -> None:
    rng = np.random.default_rng(4)
    pos, neg = rng.normal(1.5, 1, 12).round(1).tolist(), rng.normal(size=20).round(1).tolist()
    roc = rb.roc_curve([1] * 12 + [0] * 20, pos + neg)
    values = draw_areas(roc, 4000, rng)
    bias, bend, low, high = oracle.bca(pos, neg, values, 0.025)
    pivot = BcaPivot(roc.auc, None, values, compute_acceleration(roc))
    assert pivot.bias == close(bias, abs=1e-9)
    assert pivot.acceleration == close(bend, abs=1e-12)
    ordered = np.sort(values)
    expected = ordered[math.floor(low * 4000)], ordered[math.ceil(high * 4000) - 1]
    assert pivot.limits(0.025) == expected
    # The p-value of a limit is its tail, up to the steps that resampled areas have.
    assert pivot.tails(expected[0]).greater == close(0.025, abs=0.01)
    assert pivot.tails(expected[1]).less == close(0.025, abs=0.01)


def test_bca_is_that_of_scipy() -> None:
    from scipy import stats

    rng = np.random.default_rng(6)
    pos, neg = rng.normal(1.5, 1, 30), rng.normal(size=40)

    def area(p, q, axis=-1):
        return np.mean(p[..., :, None] > q[..., None, :], axis=(-1, -2))

    theirs = stats.bootstrap(
        (pos, neg), area, n_resamples=9999, batch=500, method="BCa", rng=1
    ).confidence_interval
    y = [1] * 30 + [0] * 40
    ours = rb.auc_interval(y, [*pos, *neg], method="bca", n_resamples=9999, rng=1)
    assert (ours.low, ours.high) == close((theirs.low, theirs.high), abs=0.006)


@pytest.mark.parametrize("auc", [0.0, 0.2, 0.5, 0.83, 0.99, 1.0])
@pytest.mark.parametrize("sizes", [(1, 1), (1, 30), (12, 12), (400, 7)])
def test_newcombe_is_the_formula_solved(auc: float, sizes: tuple[int, int]) -> None:
    for level in (0.8, 0.95):
        expected = oracle.newcombe(auc, *sizes, level)
        assert build_newcombe_pivot(auc, *sizes).limits((1 - level) / 2) == close(
            expected, abs=1e-10
        )


def clustered_rows(seed: int, clusters: int = 25) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    code = rng.integers(0, clusters, 90)
    y = (rng.random(90) < 0.4).astype(int)
    return y, (rng.normal(size=clusters)[code] + rng.normal(size=90) + y).round(1), code


@pytest.mark.parametrize("seed", range(3))
def test_clusters_by_the_printed_formula(seed: int) -> None:
    y, s, code = clustered_rows(seed)
    interval = rb.auc_interval(rb.Sample(y, s, clusters=code), method="delong")
    expected = oracle.obuchowski(y.tolist(), s.tolist(), code.tolist())
    assert interval.standard_error == close(expected**0.5, abs=1e-12)
    logit = rb.auc_interval(rb.Sample(y, s, clusters=code), method="logit-delong")
    assert logit.standard_error == close(expected**0.5, abs=1e-12)
    assert (
        abs(interval.standard_error / rb.auc_interval(y, s, method="delong").standard_error - 1)
        > 1e-4
    )


@pytest.mark.parametrize("method", ["delong", "logit-delong"])
def test_clusters_of_one_row_change_nothing_and_copies_add_nothing(method: str) -> None:
    y, s, _ = clustered_rows(1)
    plain = rb.auc_interval(y, s, method=method)
    rows = np.arange(y.size)
    alone = rb.auc_interval(rb.Sample(y, s, clusters=rows), method=method)
    copied = rb.auc_interval(
        rb.Sample(np.tile(y, 3), np.tile(s, 3), clusters=np.tile(rows, 3)), method=method
    )
    for other in (alone, copied):
        assert (other.low, other.high) == close((plain.low, plain.high), abs=1e-12)
        assert other.standard_error == close(plain.standard_error, abs=1e-12)


def test_resampled_clusters_vary_as_the_formula_says() -> None:
    y, s, code = clustered_rows(5, clusters=60)
    formula = rb.auc_interval(rb.Sample(y, s, clusters=code), method="delong").standard_error
    for method in ("bootstrap", "bca"):
        interval = rb.auc_interval(rb.Sample(y, s, clusters=code), method=method, rng=1)
        assert interval.standard_error == close(formula, rel=0.1)


def test_methods_without_clusters_say_so() -> None:
    y, s, code = clustered_rows(1)
    for method in ("newcombe", "hanley-mcneil", "exact-bootstrap"):
        with pytest.raises(rb.InputError, match="is for rows that are independent of each other"):
            rb.auc_interval(rb.Sample(y, s, clusters=code), method=method)
    few = np.where(y == 1, 0, code + 1)
    for method in ("score-delong", "delong", "logit-delong", "bootstrap"):
        with pytest.raises(rb.InputError, match="positives must come from at least two clusters"):
            rb.auc_interval(rb.Sample(y, s, clusters=few), method=method)
    few = np.where(y == 1, code % 2, code + 2)
    assert "from 2 " in rb.auc_interval(rb.Sample(y, s, clusters=few)).notes[1]


def test_separated_clusters_count_once_each() -> None:
    y, s = [1] * 6 + [0] * 8, range(14, 0, -1)
    found = rb.auc_interval(rb.Sample(y, s, clusters=list("aabbccxxyyzzww")), method="logit-delong")
    assert (found.low, found.high) == close(oracle.newcombe(1.0, 3, 4, 0.95), abs=1e-10)
    assert found.low < rb.auc_interval(y, s, method="newcombe").low


@pytest.mark.parametrize("method", METHODS)
@given(rows=labelled_scores(max_size=8))
def test_limits_stay_in_place_whatever_comes(method: str, rows) -> None:
    try:
        draws = {"n_resamples": 60} if "n_resamples" in METHODS[method]().parameters else {}
        interval = rb.auc_interval(*rows, method=method, **draws, rng=1, level=0.9)
    except rb.InputError as problem:
        assert METHODS[method].least_cases == 2
        assert min(np.bincount(rows[0])) == 1
        assert "needs at least two of each" in str(problem)  # noqa: PT017
        return
    assert 0 <= interval.low <= interval.estimate <= interval.high <= 1
    assert interval.pvalue is None or 0 <= interval.pvalue <= 1
    point = interval.low == interval.high
    if method in ("newcombe", "score-delong", "logit-delong"):
        assert not point
        assert interval.pvalue is not None
    elif interval.standard_error == 0:
        assert point
        assert interval.pvalue is None
        assert "limits equal the estimate" in " ".join(interval.notes)
    json.loads(interval.to_json(), parse_constant=pytest.fail)
    assert "nan" not in repr(interval)


@pytest.mark.parametrize(
    ("y", "s"),
    [
        ([1, 1, 1, 0, 0], [5, 4, 3, 2, 1]),
        ([0, 0, 0, 1, 1], [5, 4, 3, 2, 1]),
        ([1, 0, 0, 0], [3, 4, 2, 1]),
        ([1, 1, 0, 0], [7, 7, 7, 7]),
        ([1, 0], [1, 0]),
    ],
    ids=["separated", "the wrong way round", "one positive", "all tied", "one of each"],
)
@pytest.mark.parametrize("clusters", [False, True])
def test_the_default_is_never_a_point(y, s, clusters: bool) -> None:
    for side in ("two-sided", "greater", "less"):
        sample = rb.Sample(y, s, clusters=range(len(y)) if clusters else None)
        interval = rb.auc_interval(sample, alternative=side)
        assert 0 <= interval.low < interval.high <= 1
        assert 0 < interval.pvalue <= 1


@pytest.mark.parametrize("method", CLOSED)
@pytest.mark.parametrize("side", ["less", "greater"])
def test_one_sided_limits_are_those_of_wider_intervals(method: str, side: str) -> None:
    data = columns("sim500")
    one = rb.auc_interval(data["y"], data["s1t"], method=method, alternative=side, level=0.95)
    low, high = limits(data["y"], data["s1t"], method, level=0.9)
    expected = (0.0, high) if side == "less" else (low, 1.0)
    assert (one.low, one.high) == close(expected, abs=1e-12)


@pytest.mark.parametrize("method", CLOSED)
def test_p_values_belong_to_their_intervals(method: str) -> None:
    data = columns("sim500")
    rows = data["y"], data["s2t"]
    for level in (0.5, 0.95, 0.999):
        low, high = limits(*rows, method, level=level)
        for null in (low, high):
            both = rb.auc_interval(*rows, method=method, null=null).pvalue
            assert both == close(1 - level, rel=1e-6)
        above = rb.auc_interval(*rows, method=method, null=low, alternative="greater").pvalue
        below = rb.auc_interval(*rows, method=method, null=low, alternative="less").pvalue
        assert above == close((1 - level) / 2, rel=1e-6)
        assert above + below == close(1.0)
    estimate = rb.auc_interval(*rows, method=method).estimate
    assert rb.auc_interval(*rows, method=method, null=estimate).pvalue == 1.0


def test_p_values_of_resampled_areas() -> None:
    data = columns("sim500")
    rows, how = (data["y"][::6], data["s2t"][::6]), {"n_resamples": 1999, "rng": 1}
    for method in ("bootstrap", "bca"):
        low, high = limits(*rows, method, **how)
        for null, inside in ((low - 0.02, False), (low + 0.02, True), (high + 0.02, False)):
            assert (rb.auc_interval(*rows, method=method, null=null, **how).pvalue > 0.05) == inside
        least = rb.auc_interval(*rows, method="bootstrap", null=0.0, **how).pvalue
        assert least == 2 / 2000


@pytest.mark.parametrize("method", [name for name in CLOSED if name != "hanley-mcneil"])
def test_mirrored_scores_give_mirrored_limits(method: str) -> None:
    data = columns("sim500")
    y, s = data["y"][::8], data["s1t"][::8]
    low, high = limits(y, s, method)
    assert limits(y, -s, method) == close((1 - high, 1 - low), abs=1e-9)
    assert limits(1 - y, -s, method) == close((low, high), abs=1e-9)


def test_wrong_requests_are_refused_in_words() -> None:
    rows = [1, 0, 1, 0], [4, 3, 2, 1]
    for how, words in (
        ({"method": "delongg"}, "one of score-delong, newcombe"),
        ({"level": 95}, "pass level=0.95"),
        ({"null": 1.5}, "`null` must be a number from 0 to 1; got 1.5"),
        ({"alternative": "two"}, "`alternative` must be one of two-sided"),
        ({"method": "bootstrap", "n_resamples": 3}, "at least 20"),
        ({"method": "bca", "level": 0.999, "n_resamples": 100}, "cannot show"),
        ({"clusters": [1, 1, 2, 2]}, r"The sample says it: rb\.auc_interval\(rb\.Sample\("),
    ):
        with pytest.raises(rb.InputError, match=words):
            rb.auc_interval(*rows, **how)
    with pytest.raises(rb.InputError, match="`clusters` must name at least two clusters"):
        rb.Sample(*rows, clusters=[1, 1, 1, 1])


def test_a_result_shows_itself() -> None:
    import pandas as pd

    frame = pd.DataFrame({"y": ["a", "b", "a", "b", "b"], "s": [3, 2, 5, 1, 4]})
    interval = rb.auc_interval(frame["y"], frame["s"], positive="a")
    assert "AUC 0.8333, 95% confidence interval" in repr(interval)
    assert "<table>" in interval._repr_html_()
    assert isinstance(interval.to_frame(), pd.DataFrame)
    assert interval.to_dict()["n_pos"] == 2


def test_an_auc_below_one_half_is_remarked_upon() -> None:
    sample = rb.load_example()["logistic"]
    said = rb.auc_interval(sample.is_positive, -sample.values).notes
    assert any("Positives rank below negatives" in note for note in said)
    assert not rb.auc_interval(sample).notes
    below = rb.auc_interval([1, 0, 0, 1], [1, 2, 3, 2.5]).notes  # but not surely
    assert not any("rank below" in note for note in below)
