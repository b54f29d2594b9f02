"""The package beside the oracle of designs: every statement, five designs, thirty rows and more."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rocbands as rb
from tests.oracles import designs as oracle
from tests.oracles.design_examples import (
    CUT,
    CUTS,
    DESIGNS,
    MORE,
    ONE,
    P_ONE,
    P_TWO,
    PART,
    RATE,
    ROW,
    STATEMENTS,
    TWO,
    T,
    W,
    Y,
    point,
    rows_of,
    two_sets,
)

INTERVAL, GAP = ("estimate", "low", "high"), ("difference", "low", "high")
ALONG = ("difference", "lower", "upper")
OF = ("accuracy", "sensitivity", "specificity")


def take(found: Any, *names: str) -> list[float]:
    return [float(np.ravel(getattr(found, name))[0]) for name in names]


def ask_points(sample: Any, name: str) -> list[float]:
    # Of independent rows the default is another method.
    method = "likelihood" if sample.design else "wilson"
    found = rb.operating_points(sample["one"], threshold=CUT, method=method)
    return take(found, name, f"{name}_lower", f"{name}_upper")


def ask_benefit(sample: Any, prevalence: float | None = None) -> list[float]:
    found = rb.net_benefit(sample["one"], thresholds=[T], prevalence=prevalence)
    return take(found, "net_benefit", "net_benefit_lower", "net_benefit_upper")


def ask_mcnemar(sample: Any, of: Any) -> list[float]:
    found = rb.mcnemar(sample, thresholds=list(CUTS), method="score", of=of)
    return take(found, *GAP, "statistic", "pvalue")


# Questions about scores, and about probabilities; names are those of the oracle's statements.
SCORES = {
    "variance of the AUC difference": lambda s: [rb.compare(s).standard_error ** 2],
    "AUC": lambda s: take(rb.auc_interval(s["one"]), *INTERVAL),
    "AUC difference": lambda s: take(rb.compare(s), *GAP),
    "test of equal AUCs: t, p, df": lambda s: take(rb.compare(s), "statistic", "pvalue", "df"),
    "partial AUC, 0 to .4": lambda s: take(rb.partial_auc_interval(s["one"], fpr=PART), *INTERVAL),
    "partial AUC difference, 0 to .4": lambda s: take(rb.partial_auc_difference(s, fpr=PART), *GAP),
    "TPR difference at .1": lambda s: take(rb.compare_tpr(s, fpr=0.1), *GAP),
    "TPR difference at .3": lambda s: take(rb.compare_tpr(s, fpr=0.3), *GAP),
    "TPR difference at .62": lambda s: take(rb.compare_tpr(s, fpr=0.62), *GAP),
    "average precision": lambda s: take(rb.average_precision_interval(s["one"]), *INTERVAL),
    "average precision at prevalence .1": lambda s: take(
        rb.average_precision_interval(s["one"], prevalence=0.1), *INTERVAL
    ),
    "average precision difference": lambda s: take(rb.average_precision_difference(s), *GAP),
    "average precision difference at prevalence .1": lambda s: take(
        rb.average_precision_difference(s, prevalence=0.1), *GAP
    ),
    "cost, cut 200, w .4": lambda s: take(
        rb.cost_interval(s["one"], thresholds=CUT, w=W), "cost", "lower", "upper"
    ),
    "cost difference, cuts 200, w .4": lambda s: take(
        rb.cost_difference(s, thresholds=CUTS, w=W), *ALONG
    ),
    "PPV at 200": lambda s: ask_points(s, "ppv"),
    "NPV at 200": lambda s: ask_points(s, "npv"),
    "F1 at 200": lambda s: ask_points(s, "f1"),
    "recall at rate .3": lambda s: take(
        rb.rate_bounds(s["one"], rate=RATE), "tpr", "tpr_lower", "tpr_upper"
    ),
    "recall difference at rate .3": lambda s: take(rb.rate_difference(s, rate=RATE), *ALONG),
    **{
        f"McNemar, {of}, cuts 200: limits, statistic, p": lambda s, of=of: ask_mcnemar(s, of)
        for of in OF
    },
}
PROBABILITIES = {
    "net benefit at .4": ask_benefit,
    "net benefit at .4, prevalence .1": lambda s: ask_benefit(s, 0.1),
    "net benefit difference at .4": lambda s: take(
        rb.net_benefit_difference(s, thresholds=[T]), *ALONG
    ),
}
ASKED = {
    **{name: (ask, {"one": ONE, "two": TWO}) for name, ask in SCORES.items()},
    **{name: (ask, {"one": P_ONE, "two": P_TWO}) for name, ask in PROBABILITIES.items()},
}
# The package does not give these by themselves; its likelihood ratios of weighted or dependent rows
# come from likelihood limits of the rates, which are in place of Wilson's.
INNER = {
    "LR+ at 200",
    "LR- at 200",
    "cases of model 1",
    "cases of both",
    "accuracy at 200",
    "units of positives, negatives, all rows",
    "normal quantile of all rows, stretched",
    "effective positives of the TPR at 200",
}


def test_every_statement_is_asked():
    assert {*ASKED, *INNER} == {*STATEMENTS, *MORE}


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("name", ASKED)
def test_thirty_rows(name, design):
    ask, models = ASKED[name]
    known = [float(each) for each in {**STATEMENTS, **MORE}[name](rows_of(design))]
    found = ask(rb.Sample(Y, models, **DESIGNS[design]))
    np.testing.assert_allclose(found, known, rtol=0, atol=1e-9)


@pytest.mark.parametrize("design", DESIGNS)
def test_two_test_sets(design):
    even, given = ROW % 2 == 0, DESIGNS[design]
    first, second = (
        rb.Sample(Y[own], scores[own], **{name: side[own] for name, side in given.items()})
        for own, scores in ((even, ONE), (~even, TWO))
    )
    np.testing.assert_allclose(take(rb.compare(first, second), *GAP), two_sets(design), atol=1e-9)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("design", DESIGNS)
def test_random_rows_with_ties(no_bumps, seed, design):
    rng = np.random.default_rng(seed)
    y = (rng.random(50) < 0.4).astype(int)
    one, two = np.round(2 * rng.normal(size=(2, 50)) + 2 * y)
    cluster = rng.integers(0, 12, 50)
    every = {"weights": np.exp(rng.normal(size=50)), "clusters": cluster, "strata": cluster % 3}
    given = {name: every[name] for name in DESIGNS[design]}
    rows = oracle.Rows(y, **given)
    # Without clusters a curve has sums of w and w^2 of tied rows, and degrees of freedom, which need
    # fourth powers, take tied rows as equally heavy: name each row.
    alone = {"clusters": np.arange(50)} if "clusters" not in given else {}
    sample = rb.Sample(y, {"one": one, "two": two}, **given, **alone)
    asked = {
        "AUC": oracle.area_interval(rows, one),
        "AUC difference": oracle.area_difference(rows, one, two),
        "partial AUC, 0 to .4": oracle.area_interval(rows, one, PART),
        "partial AUC difference, 0 to .4": oracle.area_difference(rows, one, two, PART),
        "TPR difference at .3": point(oracle.curve_difference(rows, one, two, 0.3)),
        "average precision": oracle.precision_interval(rows, one),
        "average precision at prevalence .1": oracle.precision_interval(rows, one, 0.1),
        "average precision difference": oracle.precision_difference(rows, one, two),
        "recall at rate .3": oracle.recall(rows, one, RATE),
        "recall difference at rate .3": oracle.recall_difference(rows, one, two, RATE),
    }
    for name, known in asked.items():
        np.testing.assert_allclose(SCORES[name](sample), known, rtol=0, atol=1e-9, err_msg=name)


def test_a_level_of_nearly_0():
    """Quantiles of Student's t are 0 there."""
    sample = rb.Sample([0, 1, 0, 1, 1], [1, 2, 3, 4, 5], weights=[0.7, 0.5, 1.2, 0.6, 0.7])
    found = rb.operating_points(sample, fpr=0.2, level=1e-9)
    assert (found.ppv_lower <= found.ppv_upper).all()
