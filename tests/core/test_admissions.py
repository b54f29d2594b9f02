"""Where limits are known to fail, the result says so: what docs admit, in `notes`.

Each row has data on which measured coverage is too low, words of the note, and data of the same
kind on which it is not: a note on every result would not be read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from html import unescape
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.special import expit, logit

import rocbands as rb
from rocbands import auc, bands, cost, points, rates, smooth
from rocbands.auc.folds import FOLD_METHODS
from rocbands.auc.partial import PARTIAL_METHODS
from rocbands.core.method import Method

pytestmark = pytest.mark.filterwarnings("ignore::rocbands.errors.RocBandsWarning")

Ask = Callable[..., Any]


def draw(n_pos: int, n_neg: int, distance: float = 1.0, **design: Any) -> rb.Sample:
    """Normal scores, the same for the same sizes."""
    y = np.r_[np.ones(n_pos), np.zeros(n_neg)]
    return rb.Sample(y, np.random.default_rng(8).normal(size=y.size) + distance * y, **design)


def share(n_pos: int, n_neg: int, **design: Any) -> rb.Sample:
    """Probabilities."""
    y = np.r_[np.ones(n_pos), np.zeros(n_neg)]
    return rb.Sample(y, np.random.default_rng(8).beta(1 + y, 2 - y), **design)


def two(n_pos: int, n_neg: int, distance: float = 1.0, models: int = 2, **design: Any) -> rb.Sample:
    """Probabilities of two models, or of several, on the same rows."""
    y = np.r_[np.ones(n_pos), np.zeros(n_neg)]
    noise = np.random.default_rng(8).normal(size=(models + 1, y.size))
    scores = expit(noise[:models] + noise[models] + distance * (2.0 * y - 1.0))
    return rb.Sample(y, dict(zip(("one", "other", "third"), scores, strict=False)), **design)


def pooled(n_pos: int, n_neg: int) -> rb.Sample:
    """Two models, of which one has an offset in the half of the rows of one site."""
    found = two(n_pos, n_neg, 3.0)
    scores = {name: logit(found[name].values) for name in found.models}
    scores["one"] = scores["one"] + 20.0 * (np.arange(found.n) % 2)
    return rb.Sample(found.is_positive, scores)


def sets(n_pos: int, n_neg: int) -> tuple[rb.Sample, rb.Sample]:
    """Two test sets."""
    return draw(n_pos, n_neg), draw(300, 300)


def by_group(n_pos: int) -> rb.Sample:
    """Two groups, one with so many positives and negatives."""
    found = draw(300, 300)
    kept = np.r_[np.arange(n_pos), np.arange(150, 450), np.arange(600 - n_pos, 600)]
    groups = np.where((kept >= 150) & (kept < 450), "many", "few")
    return rb.Sample(found.is_positive[kept], found.values[kept], keep={"by": groups})


def corner(n: int) -> rb.Sample:
    """A yes/no feature that 9 of 10 positives and 1 of 20 negatives have, and noise."""
    y, noise = np.repeat([1, 0], n), np.random.default_rng(8).normal(size=2 * n)
    has = np.arange(2 * n) % 20 < np.where(y == 1, 18, 1)
    return rb.Sample(y, 30.0 * has + noise)


def batch(n: int) -> rb.Sample:
    """Two models, of which the first puts a tenth of the rows, all negatives, between others."""
    y, place = np.tile([1, 1, 0, 1, 0, 0, 0, 0, 0, 0], n), np.repeat(np.arange(n), 10)
    noise = np.random.default_rng(8).normal(size=y.size)
    high = 9.0 * y * (place < n // 3) + 5.0 * (1 - y) * (place % 5 == 0)
    return rb.Sample(y, {"one": high + 0.1 * noise, "other": noise[::-1] + y})


def folded(n_pos: int, n_neg: int, distance: float = 1.0, rows: int = 1) -> rb.Sample:
    """Five folds; with clusters of `rows` rows."""
    groups = np.arange(n_pos + n_neg) // rows
    design = {} if rows == 1 else {"clusters": groups}
    return draw(n_pos, n_neg, distance, folds=groups % 5, **design)


BIG, SMALL = draw(300, 300), draw(9, 12)
WEIGHTS = 1.0 + np.arange(600) % 4
WEIGHTED = draw(300, 300, weights=WEIGHTS)
GROUPED = draw(300, 300, clusters=np.arange(600) // 3)
NEAR_1 = draw(60, 60, 3.0)
ONE_ABOVE = rb.Sample([1] * 20 + [0] * 20, [*range(20), *range(-19, 1)])


class Admission(NamedTuple):
    """What fails, on which data, what is said, and data on which nothing is said."""

    ask: Ask
    how: dict[str, Any]
    fails: Any
    words: str
    holds: Any

    @property
    def name(self) -> str:
        return f"{self.ask.__name__}-{self.how.get('method', 'default')}-{self.words[:24]}"


NEAR = "Near AUC 1 with few cases these limits are too narrow"
WALD = ("delong", "hanley-mcneil", "exact-bootstrap", "bootstrap", "bca", "logit-delong")
AT_2 = {"thresholds": 2.0, "w": 0.5}
# Samples of which a few rows have nearly all the weight, and of few clusters.
HEAVY = draw(50, 50, weights=np.where(np.arange(100) % 10 == 0, 50.0, 1.0))
FEW_GROUPS = draw(60, 60, clusters=np.arange(120) % 8)
EQUAL = two(300, 300)
BAND = {"n_resamples": 200}
ADMISSIONS = [
    *(
        Admission(ask, {}, FEW_GROUPS, "come from only 8 clusters", GROUPED)
        for ask in (
            rb.auc_interval,
            rb.roc_band,
            rb.average_precision_interval,
            rb.best_threshold,
            rb.h_measure_interval,
        )
    ),
    Admission(rb.roc_band, {}, HEAVY, "carry much weight", WEIGHTED),
    Admission(rb.auc_interval, {}, HEAVY, "carry much weight", WEIGHTED),
    *(
        Admission(rb.roc_band, {"method": name}, BIG, "far less often than the level", None)
        for name in ("vertical", "threshold")
    ),
    *(
        Admission(rb.smooth_curve, {"method": name}, BIG, "measured coverage was", None)
        for name in ("kernel", "binormal", "asymmetric-laplace", "asymmetric-gaussian")
    ),
    Admission(rb.roc_band, {"method": "working-hotelling"}, BIG, "0.31 to 0.50", None),
    Admission(rb.fold_auc_interval, {"method": "score"}, folded(60, 60), "unstable learner", None),
    *(Admission(rb.auc_interval, {"method": name}, NEAR_1, NEAR, BIG) for name in WALD),
    Admission(rb.auc_interval, {"method": "logit-delong"}, GROUPED, "0.66 to 0.98", BIG),
    Admission(rb.auc_interval, {"method": "newcombe"}, draw(20, 200), "0.84 to 0.92", BIG),
    Admission(rb.partial_auc_interval, {"fpr": (0, 0.1)}, draw(2, 300), "Two positives", BIG),
    Admission(rb.partial_auc_interval, {"tpr": (0.9, 1)}, draw(300, 1), "One negative", BIG),
    Admission(rb.partial_auc_interval, {"fpr": (0, 0.1)}, draw(12, 300), "0.91 or more", BIG),
    Admission(
        rb.partial_auc_interval,
        {"fpr": (0, 0.1), "method": "bootstrap"},
        draw(300, 100),
        "0.68 to 0.94",
        BIG,
    ),
    *(
        Admission(
            rb.fold_auc_interval,
            {"method": name},
            folded(60, 60, 4.0),
            "Near AUC 1",
            folded(60, 60),
        )
        for name in ("t", "nadeau-bengio", "influence", "fold-delong")
    ),
    *(
        Admission(
            rb.fold_auc_interval,
            {"method": name},
            folded(60, 60, 0.0),
            ".81 to .85",
            folded(60, 60),
        )
        for name in ("t", "influence", "fold-delong")
    ),
    *(
        Admission(
            rb.fold_auc_interval,
            {"method": name},
            folded(90, 90, rows=3),
            "groups these limits held",
            folded(90, 90),
        )
        for name in ("influence", "fold-delong")
    ),
    Admission(rb.roc_band, {}, draw(9, 90), "0.84", draw(30, 90)),
    Admission(rb.roc_band, {"method": "fixed-width"}, draw(30, 40), "0.82 to 0.98", BIG),
    Admission(rb.roc_band, {"method": "sup-t"}, draw(30, 40), "0.90 to 1", BIG),
    Admission(
        rb.roc_band,
        {"method": "fixed-width", "future": (60, 60)},
        draw(60, 60, 3.0),
        "0.76",
        draw(60, 60),
    ),
    Admission(rb.roc_band, {"method": "working-hotelling"}, draw(15, 90), "0.85 to 0.89", BIG),
    Admission(rb.smooth_curve, {"method": "binormal"}, draw(15, 90), "0.85 to 0.89", BIG),
    Admission(
        rb.smooth_curve,
        {"method": "asymmetric-laplace", "n_resamples": 100},
        draw(20, 90),
        "0.81 to 0.87",
        BIG,
    ),
    Admission(rb.operating_points, {"threshold": [0.0]}, ONE_ABOVE, "One negative", BIG),
    Admission(rb.operating_points, {"threshold": [0.5]}, WEIGHTED, "0.81", BIG),
    *(
        Admission(
            rb.operating_points, {"fpr": [0.02], "method": name}, draw(50, 50), "too narrow", BIG
        )
        for name in ("wilson", "bootstrap")
    ),
    Admission(rb.operating_points, {"best": "youden"}, BIG, "Chosen on these rows", None),
    Admission(rb.best_threshold, {"n_resamples": 100}, WEIGHTED, "0.90", BIG),
    *(
        Admission(
            rb.cost_interval, {"method": name, **AT_2}, NEAR_1, "too few", draw(300, 300, 3.0)
        )
        for name in ("gaussian", "exact")
    ),
    Admission(rb.cost_interval, AT_2, SMALL, "0.60 at 0.80", draw(300, 300, 3.0)),
    Admission(rb.cost_interval, AT_2, WEIGHTED, "Weighted rows", BIG),
    Admission(rb.average_precision_interval, {}, draw(10, 300), "0.90 or more", BIG),
    Admission(rb.average_precision_interval, {}, draw(100, 10), "may be too narrow", BIG),
    Admission(rb.rate_bounds, {"rate": 0.2}, draw(10, 300), "0.90 or more", BIG),
    *(
        Admission(rb.rate_bounds, {"rate": 0.2, "method": name}, folded(90, 90), "spread", None)
        for name in ("baseline-t", "baseline-normal", "baseline-beta")
    ),
    Admission(rb.h_measure_interval, {"n_resamples": 100}, draw(12, 300), "0.86", BIG),
    Admission(rb.brier_score_interval, {}, share(2, 18), "0.89", share(300, 300)),
    Admission(
        rb.brier_score_interval, {}, share(300, 300, weights=WEIGHTS), "0.91", share(300, 300)
    ),
    Admission(rb.auc_interval, {}, NEAR_1, "held 0.75 at 0.90", BIG),
    Admission(rb.compare, {}, two(60, 300, 3.0), "0.83 at 0.95 and 0.80 at 0.90", EQUAL),
    Admission(
        rb.compare, {}, (NEAR_1, BIG), "0.83 at 0.95 and 0.80 at 0.90", (draw(300, 299), BIG)
    ),
    Admission(
        rb.fold_auc_interval,
        {"method": "influence"},
        folded(20, 30),
        "0.67 and 0.69",
        folded(90, 90),
    ),
    Admission(rb.partial_auc_interval, {"fpr": (0.8, 1)}, draw(12, 300), "0.77 at 0.90", BIG),
    Admission(rb.roc_band, {}, WEIGHTED, "0.87 or more", BIG),
    Admission(rb.roc_band, {"future": (60, 60)}, BIG, "later curves", None),
    Admission(rb.operating_points, {"fpr": [0.05]}, draw(76, 33), "0.76 at 0.90", BIG),
    Admission(rb.operating_points, {"tpr": [0.7]}, draw(117, 6), "0.76 at 0.90", BIG),
    Admission(rb.operating_points, {"tpr": [0.7]}, WEIGHTED, "0.83 at 0.90", BIG),
    Admission(rb.average_precision_interval, {}, draw(7, 90), "0.84 at 0.90", BIG),
    Admission(
        rb.average_precision_interval,
        {"prevalence": 0.1},
        corner(91),
        "0.78 at 0.90 and 0.89 at 0.95",
        draw(91, 91),
    ),
    Admission(rb.average_precision_difference, {}, two(15, 15), "0.81 at 0.90", EQUAL),
    Admission(rb.rate_bounds, {"rate": 0.1}, draw(178, 6), "0.94 at 0.99", BIG),
    Admission(rb.rate_difference, {"rate": 0.1}, batch(60), "0.89 at 0.95", EQUAL),
    Admission(rb.net_benefit, {}, share(6, 60), "0.81 at 0.90", share(300, 300)),
    Admission(rb.difference_band, BAND, sets(28, 28), "0.53 at 0.80", sets(200, 200)),
    Admission(rb.subgroups, {"by": "by"}, by_group(20), "0.65 at 0.90", by_group(100)),
    Admission(rb.compare_tpr, {"fpr": 0.1}, pooled(140, 140), "has a bump between", EQUAL),
    Admission(rb.compare_tpr, {"fpr": 0.05}, two(22, 22), "0.79 at 0.90", EQUAL),
    Admission(rb.difference_band, BAND, pooled(140, 140), "one has a bump between", EQUAL),
    Admission(rb.difference_band, BAND, two(20, 20), "bump of a curve may not be seen", EQUAL),
    Admission(rb.difference_band, BAND, two(300, 60), "0.76 at level 0.90", EQUAL),
    Admission(
        rb.difference_band, {**BAND, "fpr": (0.001, 0.9)}, EQUAL, "hardly been measured", None
    ),
    Admission(rb.compare_tpr, {"fpr": 0.1}, two(300, 60), "wider ones of two methods", EQUAL),
    Admission(rb.compare_tpr, {"fpr": 0.02}, two(40, 40), "too few to estimate", None),
    Admission(rb.compare, {}, two(9, 90), "up to .08 of test sets", EQUAL),
    Admission(rb.compare, {"method": "delong"}, two(60, 60, 3.0), "too narrow near AUC 1", EQUAL),
    Admission(rb.compare_many, {}, two(30, 90, models=3), "up to .07 if the curves", EQUAL),
    *(
        Admission(ask, {}, two(60, 60, clusters=np.arange(120) % 8), "only 8 clusters", EQUAL)
        for ask in (
            rb.compare,
            rb.difference_band,
            rb.net_benefit_difference,
            rb.average_precision_difference,
        )
    ),
]


def ask_for(admission: Admission, data: Any) -> Any:
    args = data if isinstance(data, tuple) else (data,)
    return admission.ask(*args, **admission.how)


@pytest.mark.parametrize("admission", ADMISSIONS, ids=lambda one: one.name)
def test_a_limit_that_fails_says_so(admission: Admission) -> None:
    found = ask_for(admission, admission.fails)
    assert admission.words in " ".join(found.notes)
    assert admission.words in " ".join(str(found).split())


@pytest.mark.parametrize(
    "admission", [one for one in ADMISSIONS if one.holds is not None], ids=lambda one: one.name
)
def test_where_limits_hold_nothing_is_said(admission: Admission) -> None:
    assert admission.words not in " ".join(ask_for(admission, admission.holds).notes)


@pytest.mark.parametrize("method", ["likelihood", "fixed-width", "sup-t", "working-hotelling"])
def test_views_say_it_too(method: str) -> None:
    band = rb.roc_band(draw(9, 60), method=method)
    doubts = band.method.note_doubts(band.roc)
    assert doubts
    assert {*doubts} <= {*band.notes} & {*band.view("pr").notes}
    assert {*doubts} <= {*rb.pr_band(draw(9, 60), method=method).notes}


TABLES: dict[Ask, Mapping[str, type[Method]]] = {
    rb.auc_interval: auc.METHODS,
    rb.partial_auc_interval: PARTIAL_METHODS,
    rb.fold_auc_interval: FOLD_METHODS,
    rb.roc_band: bands.METHODS,
    rb.operating_points: points.METHODS,
    rb.cost_interval: cost.METHODS,
    rb.rate_bounds: rates.METHODS,
    rb.smooth_curve: smooth.METHODS,
}
DOUBTS = re.compile(
    "below|fails|none|low|narrow|far less|hardly|worst|rule of thumb|from 100 rows|unstable"
)


@pytest.mark.parametrize("ask", TABLES, ids=lambda ask: ask.__name__)
def test_every_guarantee_with_a_doubt_is_in_the_list(ask: Ask) -> None:
    listed = {one.how.get("method") for one in ADMISSIONS if one.ask == ask}
    doubtful = {name for name, kind in TABLES[ask].items() if DOUBTS.search(kind.guarantee)}
    assert doubtful <= listed


# What a report has of itself, with the defaults of its functions.
REPORTED = (
    rb.auc_interval,
    rb.average_precision_interval,
    rb.compare,
    rb.difference_band,
    rb.rate_bounds,
    rb.roc_band,
)


@cache
def report_of(sample: Any) -> rb.results.Report:
    """The report of a sample, made once: several notes are looked for in one."""
    return rb.report(sample, path=None, rng=1)


@pytest.mark.parametrize(
    "admission",
    [
        one
        for one in ADMISSIONS
        if one.ask in REPORTED and set(one.how) <= {"rate", "n_resamples"}
        if not isinstance(one.fails, tuple)  # a report is of one test set
    ],
    ids=lambda one: one.name,
)
def test_a_report_says_it_too(admission: Admission) -> None:
    """The page has the note: as text, or, of bands, among the data that its scripts write out."""
    report = report_of(admission.fails)
    assert admission.words in unescape(report.to_html())
    bands_of = [model["bands"] for model in report.payload["models"]]
    noted = [note for made in bands_of for band in made for note in band["notes"]]
    noted += [
        note
        for pair in (report.payload["comparison"] or {}).get("pairs", [])
        for note in (pair["band"] or {}).get("notes", [])
    ]
    text, _ = unescape(report.to_html()).split('<script type="application/json"', 1)
    assert admission.words in " ".join([*noted, text])
