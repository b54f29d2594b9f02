"""What reader studies refuse, in which words; and strange studies that must be answered."""

from __future__ import annotations

import copy
import json
import math
import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import rocbands as rb
from rocbands.io.records import result_schema
from tests.readers.designs import Study

METHODS = ("bounded", "obuchowski-rockette", "one-shot")
RANDOM = ("both", "cases", "readers")


def draw(t: int = 2, r: int = 4, m: int = 10, n: int = 12, seed: int = 1) -> Study:
    rng = np.random.default_rng(seed)
    y = np.repeat([True, False], [m, n])
    return Study("", rng.normal(size=(t, r, m + n)) + rng.normal(size=m + n) + y, y)


PLAIN = draw()


def without(*places: tuple[Any, ...]) -> Study:
    x = PLAIN.x.copy()
    for place in places:
        x[place] = np.nan
    return Study("", x, PLAIN.y)


def rows(**changes: Any) -> dict[str, Any]:
    """Columns of a small study by 'A' and 'B' under 'CT' and 'MR'."""
    reader, test, case = (one.ravel() for one in np.indices((2, 2, 20)))
    table = {
        "y_true": (case < 8).astype(int),
        "y_score": np.random.default_rng(2).normal(size=case.size) + (case < 8),
        "reader": np.array(["A", "B"])[reader],
        "test": np.array(["CT", "MR"])[test],
        "case": case + 1,
    }
    return table | changes


def repeat(table: dict[str, Any], places: list[int]) -> dict[str, Any]:
    order = [*range(80), *places]
    return {name: np.asarray(column)[order] for name, column in table.items()}


def read(table: dict[str, Any], **asked: Any) -> rb.Readings:
    rest = {name: column for name, column in table.items() if name not in ("y_true", "y_score")}
    return rb.Readings(table["y_true"], table["y_score"], **rest, **asked)


# ------------------------------------------------------------------- the table of the specification


def test_a_reading_twice() -> None:
    words = (
        "Each reader must read each case once under each test; reader 'B' has 2 readings of case 17 "
        "under 'CT' (3 such readings). Average or drop them first; for several lesions of a "
        "patient name lesions in `case` and patients in `clusters`."
    )
    with pytest.raises(rb.InputError, match=re.escape(words)):
        read(repeat(rows(), [56, 57, 58]))


def test_two_labels_of_a_case() -> None:
    labels = rows()["y_true"].copy()
    labels[16] = 1
    words = "A case must have one label; case 17 is 0 in 3 rows and 1 in 1. Correct the labels; or"
    with pytest.raises(rb.InputError, match=re.escape(words)):
        read(rows(y_true=labels))


def test_cases_numbered_anew_for_each_reader() -> None:
    reader, case = (one.ravel() for one in np.indices((2, 10)))
    y = np.where(reader == 0, case < 4, case > 5)
    with pytest.raises(
        rb.InputError, match=r"(?s)A case must have one label.*`case` must identify"
    ):
        rb.Readings(y, case + y, reader=reader, case=case + 1)


def test_missing_scores() -> None:
    score = rows()["y_score"].copy()
    score[[41, 42, 57]] = np.nan
    words = "3 of 80 readings have none: reader 'B' lacks 3 of 20 under 'CT' (2 positive)"
    with pytest.raises(rb.InputError, match=re.escape(words)):
        read(rows(y_score=score))
    study = rb.compare_readers(read(rows(y_score=score), missing="drop"))
    note = (
        "Reader 'B' lacks 3 of 20 cases under 'CT' (2 positive). "
        "Readings are taken to be missing at random."
    )
    assert note in study.notes
    assert note in str(study).replace("\n", " ")
    assert study.cases_read.tolist() == [[20, 17], [20, 20]]
    assert "157" not in study.design
    assert "77 of 80 readings" in study.design


def apart() -> Study:
    """The algorithm read tests 1 and 2, readers test 3."""
    study = draw(t=3)
    study.x[:2, 1:] = np.nan
    study.x[2, 0] = np.nan
    return study


REFUSED: dict[str, tuple[Callable[[], Study], dict[str, Any], str]] = {
    "no positive in a cell": (
        lambda: without((1, 2, PLAIN.y)),
        {},
        "Each reader needs cases of both classes under each test; reader 'r2' read no positive "
        "case under 't1'. Leave the reader out, or compare tests that the reader read",
    ),
    "no negative, specificity": (
        lambda: without((1, 2, ~PLAIN.y)),
        {"metric": "specificity", "threshold": 0},
        "Each reader needs cases of the negative class under each test; reader 'r2' read no "
        "negative case under 't1'.",
    ),
    "one positive in a cell": (
        lambda: without((1, 2, slice(1, 10))),
        {},
        "Each reader needs at least 2 cases of each class under each test, for a variance; "
        "reader 'r2' read 1 positive case under 't1'. Leave the reader out",
    ),
    "one reader": (
        lambda: draw(r=1),
        {},
        "Readers can stand for others only if there are two or more; one was found. "
        "Pass random='cases'.",
    ),
    "one reader, these cases": (
        lambda: draw(r=1),
        {"random": "readers"},
        "Readers can stand for others only if there are two or more; one was found.",
    ),
    "one reader of both": (
        lambda: without((1, slice(1, 4))),
        {},
        "only if there are two or more; one was found for 't1'. Pass random='cases'; name a stand-"
        "alone algorithm by algorithm=.",
    ),
    "one reader beside the algorithm": (
        lambda: draw(t=1, r=2),
        {"algorithm": "r0"},
        "only if there are two or more; one was found for 't0'",
    ),
    "an algorithm alone": (
        lambda: draw(t=1, r=1),
        {"algorithm": "r0", "random": "cases"},
        "An algorithm is compared with readers; 'r0' is the only one. Leave `algorithm` out.",
    ),
    "two tests of the algorithm": (
        apart,
        {"algorithm": "r0"},
        "The algorithm must have read a test that readers read, or one test only; 'r0' read 2 "
        "tests of its own.",
    ),
    "margin of 0": (draw, {"margin": 0}, "`margin` must be a number strictly between 0 and 1"),
    "negative margin": (draw, {"margin": -0.05}, "between 0 and 1; got -0.05"),
    "margin of 2": (draw, {"margin": 2}, "between 0 and 1; got 2. For 2% pass margin=0.02."),
    "margin, other side": (
        draw,
        {"margin": 0.1, "alternative": "less"},
        "`margin` asks whether the first is not worse than the second, which is 'greater'",
    ),
    "level of 0": (draw, {"level": 0}, "`level` must lie strictly between 0 and 1; got 0."),
    "level of 95": (draw, {"level": 95}, "For 95% pass level=0.95."),
    "null": (draw, {"null": 1.2}, "`null` must be from 0 to 1; got 1.2."),
    "null below 0": (draw, {"null": -0.1}, "`null` must be from 0 to 1; got -0.1."),
    "null, partial": (
        draw,
        {"null": 0.5, "metric": "partial_auc", "fpr": (0, 0.2)},
        "`null` must be from 0 to 0.2; got 0.5.",
    ),
    "null of text": (draw, {"null": "x"}, "`null` must be a finite number; got 'x'."),
    "threshold of an area": (
        draw,
        {"threshold": 3},
        "`threshold` is for sensitivity and specificity; got metric='auc'. Leave it out",
    ),
    "no threshold": (
        draw,
        {"metric": "sensitivity"},
        "Sensitivity and specificity need a threshold: a case is called positive at or above it; "
        "none was given. Pass, for example, threshold=3",
    ),
    "three thresholds": (
        draw,
        {"metric": "sensitivity", "threshold": [1, 2, 3]},
        "`threshold` must be one number, or one for each of the 2 tests; got 3.",
    ),
    "threshold of text": (
        draw,
        {"metric": "specificity", "threshold": "high"},
        "`threshold` must be a finite number; got 'high'.",
    ),
    "threshold of NaN": (
        draw,
        {"metric": "specificity", "threshold": [0, math.nan]},
        "`threshold` must be a finite number; got nan.",
    ),
    "range of an area": (
        draw,
        {"fpr": (0, 0.1)},
        "`fpr` and `tpr` are ranges of a partial area; got metric='auc'.",
    ),
    "no range": (
        draw,
        {"metric": "partial_auc"},
        "A partial area needs one range: `fpr` or `tpr`; none was given.",
    ),
    "two ranges": (
        draw,
        {"metric": "partial_auc", "fpr": (0, 0.1), "tpr": (0.5, 1)},
        "A partial area needs one range: `fpr` or `tpr`; both were given.",
    ),
    "reversed range": (
        draw,
        {"metric": "partial_auc", "fpr": (0.2, 0.1)},
        "`fpr` must be two rates, the smaller first; got (0.2, 0.1).",
    ),
    "metric": (draw, {"metric": "AUC"}, "`metric` must be one of auc, partial_auc"),
    "algorithm": (
        draw,
        {"algorithm": "R0"},
        "`algorithm` must be one of the readers, 'r0', 'r1', 'r2', 'r3'; got 'R0'.",
    ),
    "number of an algorithm": (draw, {"algorithm": 7}, "must be one of the readers"),
    "random": (
        draw,
        {"random": "case"},
        "`random` must be one of both, cases, readers; got 'case'. Did you mean 'cases'?",
    ),
    "alternative": (draw, {"alternative": "two_sided"}, "Did you mean 'two-sided'?"),
    "method": (
        draw,
        {"method": "delong"},
        "`method` must be one of bounded, obuchowski-rockette, one-shot; got 'delong'. 'delong' is "
        "a method of rb.auc_interval().",
    ),
    "object of another question": (
        draw,
        {"method": rb.bands.JointRegion()},
        "`method` must be one of bounded, obuchowski-rockette, one-shot, or an instance",
    ),
    "unbiased partial area": (
        draw,
        {"method": "one-shot", "metric": "partial_auc", "fpr": (0, 0.2)},
        "The unbiased covariance has no form for partial areas",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals(case: str) -> None:
    make, asked, words = REFUSED[case]
    with pytest.raises(rb.InputError, match=re.escape(words)):
        rb.compare_readers(make().readings(), **asked)


@pytest.mark.parametrize(
    ("arguments", "named", "words"),
    [
        ((), {}, "compare_readers() needs `readings`"),
        ((PLAIN.y, PLAIN.x[0, 0]), {}, "compare_readers() takes one argument by position; got 2."),
        ((PLAIN.readings(),), {"alpha": 0.05}, "Pass level=0.95, which is 1 - alpha."),
        ((PLAIN.readings(),), {"conf_level": 0.9}, "It is called `level` here."),
        ((PLAIN.readings(),), {"rng": 1}, "compare_readers() has no argument 'rng'."),
        ((PLAIN.readings(),), {"readers": "r1"}, "compare_readers() has no argument 'readers'."),
    ],
)
def test_wrong_arguments(arguments: Any, named: Any, words: str) -> None:
    with pytest.raises(TypeError, match=re.escape(words)):
        rb.compare_readers(*arguments, **named)


@pytest.mark.parametrize(
    "given",
    [rb.Sample(PLAIN.y, PLAIN.x[0, 0]), PLAIN.x, None, rows(), rb.roc_curve([0, 1], [1, 2])],
)
def test_what_is_not_a_study(given: Any) -> None:
    words = f"`readings` must be the readings of a study; it is {type(given).__name__}."
    with pytest.raises(rb.InputError, match=re.escape(words)):
        rb.compare_readers(given)


def test_a_class_in_one_cluster() -> None:
    clusters = np.where(PLAIN.y, 0, np.arange(PLAIN.y.size))
    readings = Study("", PLAIN.x, PLAIN.y, np.unique(clusters, return_inverse=True)[1]).readings()
    words = (
        "Each reader needs cases of each class from at least 2 clusters under each test, for a "
        "variance; all positive cases of reader 'r0' under 't0' are in one. For independent cases "
        "leave `clusters` out."
    )
    with pytest.raises(rb.InputError, match=re.escape(words)):
        rb.compare_readers(readings)
    # A specificity does not need them.
    assert rb.compare_readers(readings, metric="specificity", threshold=0.5).differences


def test_pairs_of_tests_say_whether_they_have_the_same_cases() -> None:
    half = np.arange(PLAIN.y.size) % 2 == 0
    apart = without((0, slice(None), half), (1, slice(None), ~half))
    gap = rb.compare_readers(apart.readings()).differences[0]
    assert not gap.paired
    assert "on different rows" in str(gap)
    assert rb.compare_readers(PLAIN.readings()).differences[0].paired
    others = without((1, slice(2)), (0, slice(2, 4)))
    assert not rb.compare_readers(others.readings()).differences[0].paired


def test_negative_unbiased_variance() -> None:
    study = draw(2, 3, 2, 2)
    words = "The unbiased variance is -0.021: no interval. Use method='bounded'."
    with pytest.raises(rb.InputError, match=re.escape(words)):
        rb.compare_readers(study.readings(), method="one-shot")
    found = rb.compare_readers(study.readings(), method="one-shot", random="cases")
    assert ("t0 minus t1", "both") not in [(one.target, one.random) for one in found.inferences]


def test_notes() -> None:
    def notes(study: Study, **asked: Any) -> str:
        return " ".join(rb.compare_readers(study.readings(), **asked).notes)

    assert "1 of 4 readers did not read 't1' and is left out of 't0' minus 't1'." in notes(
        without((1, 3))
    )
    assert "No reader read both tests: 't0' minus 't1' compares different readers." in notes(
        without((1, slice(2)), (0, slice(2, 4)))
    )
    gaps = without((0, 0, slice(3)), (1, 0))
    said = notes(gaps, algorithm="r0")
    assert "The algorithm lacks 3 of 22 cases that readers read under 't0'." in said
    assert "The algorithm did not read 't1'." in said
    found = rb.compare_readers(gaps.readings(), algorithm="r0")
    assert [gap.names for gap in found.differences] == [("r0", "readers, t0")]
    assert "Non-inferiority is for these cases only." in notes(PLAIN, margin=0.1, random="readers")
    assert "4 readers say little about other readers" in notes(PLAIN)
    assert "say little" not in notes(PLAIN, random="cases")
    assert "A class has 10 cases" in notes(PLAIN)
    high = Study("", PLAIN.x + 1.5 * PLAIN.y, PLAIN.y)
    assert re.search(r"A mean is 0\.9\d\d: near 1, .95 intervals for equal tests", notes(high))
    assert notes(draw(r=5, m=30, n=30)) == ""


def test_designs_without_common_cases_are_no_error() -> None:
    study = draw(2, 3, 30, 30)
    block = np.arange(60) % 3
    x = np.where(block == np.arange(3)[:, None], study.x, np.nan)
    found = rb.compare_readers(Study("", x, study.y).readings())
    assert found.design.startswith("cases nested in readers: 3 readers x 2 tests, 60 cases")


def test_an_algorithm_may_be_named_by_its_number() -> None:
    reader, case = (one.ravel() for one in np.indices((4, 20)))
    y = case < 9
    score = np.random.default_rng(1).normal(size=80) + y
    readings = rb.Readings(y, score, reader=reader, case=case)
    numbers: tuple[Any, ...] = ("2", 2, 2.0)
    found = [rb.compare_readers(readings, algorithm=name) for name in numbers]
    assert {one.algorithm for one in found} == {"2"}
    assert {one.readers for one in found} == {("0", "1", "3")}
    assert len({one.differences[0].pvalue for one in found}) == 1


# --------------------------------------------------------------------------------- strange studies


def shift(*by: float) -> Study:
    """Move the positive cases of each test."""
    return Study("", PLAIN.x + np.array(by)[:, None, None] * PLAIN.y, PLAIN.y)


def perfect_reader() -> Study:
    x = PLAIN.x.copy()
    x[:, 0] += 50.0 * PLAIN.y
    return Study("", x, PLAIN.y)


def infinite() -> Study:
    x = np.where(PLAIN.x > 1, np.inf, np.where(PLAIN.x < -1, -np.inf, PLAIN.x))
    return Study("", x, PLAIN.y)


STRANGE: dict[str, tuple[Callable[[], Study], dict[str, Any]]] = {
    "two readers": (lambda: draw(r=2), {}),
    "2 + 2 cases": (lambda: draw(2, 3, 2, 2), {}),
    "2 + 5,000 cases": (lambda: draw(2, 3, 2, 5000), {}),
    "equal scores": (lambda: Study("", np.zeros_like(PLAIN.x), PLAIN.y), {}),
    "one test of equal scores": (
        lambda: Study("", np.stack([0 * PLAIN.x[0], PLAIN.x[1]]), PLAIN.y),
        {},
    ),
    "perfect": (lambda: shift(50, 50), {}),
    "perfect, margin": (lambda: shift(50, 50), {"margin": 0.1}),
    "perfect first": (lambda: shift(50, 0), {}),
    "perfect second": (lambda: shift(0, 50), {"alternative": "less"}),
    "AUC 0": (lambda: shift(-50, -50), {}),
    "AUC 1 and 0": (lambda: shift(50, -50), {}),
    "AUC 0 and 1, margin": (lambda: shift(-50, 50), {"margin": 0.05}),
    "a perfect reader": (perfect_reader, {}),
    "a perfect reader, margin": (perfect_reader, {"margin": 0.2, "level": 0.9}),
    "infinite": (infinite, {}),
    "only infinite": (lambda: Study("", PLAIN.x * 0 + np.where(PLAIN.y, np.inf, -1), PLAIN.y), {}),
    "one test": (lambda: draw(t=1), {"null": 0.5}),
    "one test, null of 0": (lambda: draw(t=1), {"null": 0}),
    "one perfect test": (lambda: Study("", shift(50, 0).x[:1], PLAIN.y), {"null": 1}),
    "tests alike": (lambda: Study("", PLAIN.x[[0, 0, 0]], PLAIN.y), {}),
    "equal, margin": (lambda: Study("", PLAIN.x[[0, 0]], PLAIN.y), {"margin": 0.05}),
    "sensitivity of 1": (draw, {"metric": "sensitivity", "threshold": -50}),
    "specificity of 0": (draw, {"metric": "specificity", "threshold": -50, "margin": 0.1}),
    "sensitivity": (draw, {"metric": "sensitivity", "threshold": [0, 1]}),
    "partial area": (draw, {"metric": "partial_auc", "fpr": (0, 0.2), "margin": 0.05}),
    "partial area of perfect": (lambda: shift(50, 0), {"metric": "partial_auc", "tpr": (0.8, 1)}),
    "partial area of 0": (lambda: shift(-50, -50), {"metric": "partial_auc", "fpr": (0, 0.1)}),
    "high level": (draw, {"level": 0.999999}),
    "low level": (draw, {"level": 0.01, "alternative": "greater"}),
    "perfect algorithm": (perfect_reader, {"algorithm": "r0"}),
    "algorithm like all readers": (
        lambda: Study("", PLAIN.x[:1, [0, 0, 0]], PLAIN.y),
        {"algorithm": "r0"},
    ),
    "prevalence of 1 in 1,000": (lambda: draw(2, 3, 3, 2997), {"margin": 0.1}),
}


@pytest.mark.parametrize("name", STRANGE)
def test_strange_studies_are_answered_within_their_range(name: str) -> None:
    make, asked = STRANGE[name]
    readings = make().readings()
    answered = 0
    for method in METHODS if asked.get("metric") != "partial_auc" else METHODS[:2]:
        for random in RANDOM:
            try:
                with np.errstate(all="raise"):
                    found = rb.compare_readers(readings, method=method, random=random, **asked)
            except rb.InputError as error:
                if method != "one-shot" or "unbiased variance" not in str(error):
                    raise
                continue
            answered += 1
            check_range(found)
    assert answered >= 6


def check_range(found: rb.results.ReaderStudy) -> None:
    top = 1.0
    for mean in (*found.means, *(one for one in found.algorithm_areas if one)):
        assert 0.0 <= mean.low <= mean.estimate <= mean.high <= top
        assert mean.pvalue is None or 0.0 <= mean.pvalue <= 1.0
        assert mean.standard_error is not None
        assert mean.standard_error >= 0.0
    for gap in (*found.differences, *found.by_reader):
        assert -1.0 <= gap.low <= gap.difference <= gap.high <= 1.0
        assert 0.0 <= gap.pvalue <= 1.0
        assert gap.statistic is not None
        assert not math.isnan(gap.statistic)
        assert math.isfinite(gap.standard_error or 0.0)
    for one in found.inferences:
        assert one.low <= one.estimate <= one.high
        assert math.isfinite(one.standard_error)
        assert one.df > 0.0
        assert one.pvalue is None or 0.0 <= one.pvalue <= 1.0
    assert all(0.0 <= p <= 1.0 for p in found.holm)
    if found.joint is not None:
        assert 0.0 <= found.joint.pvalue <= 1.0
    assert all(math.isfinite(value) for value in found.components.values())
    read = found.cases_read > 0
    assert np.isfinite(found.areas[read]).all()
    assert np.isfinite(found.area_errors[read]).all()
    assert "nan" not in found.sentence
    assert "NaN" not in found.to_json()


def test_perfect_readers_have_limits_and_equal_ones_a_point() -> None:
    readings = shift(50, 50).readings()
    gap = rb.compare_readers(readings).differences[0]
    mean = rb.compare_readers(readings).means[0]
    alone = rb.auc_interval(readings.sample("r0", "t0"), method="score-delong")
    assert mean.low == pytest.approx(alone.low)
    assert (gap.difference, gap.pvalue) == (0.0, 1.0)
    assert (gap.low, gap.high) == pytest.approx((alone.low - 1.0, 1.0 - alone.low))
    # Other methods: one more case of each class, as in compare().
    gap = rb.compare_readers(readings, method="obuchowski-rockette").differences[0]
    assert gap.standard_error == pytest.approx(rb.compare(readings.sample("r0")).standard_error)
    assert gap.pvalue == 1.0
    same = rb.compare_readers(STRANGE["equal, margin"][0]().readings()).differences[0]
    assert (same.low, same.high) == (0.0, 0.0)


def test_a_thousand_readers_of_five_cases() -> None:
    found = rb.compare_readers(draw(2, 1000, 2, 3).readings())
    check_range(found)
    assert len(found.by_reader) == 1000


# ----------------------------------------------------------------------------- records and tables


def test_results_can_be_written_and_read() -> None:
    three = rb.compare_readers(draw(t=3).readings())
    alone = rb.compare_readers(draw(t=1).readings(), algorithm="r0")
    single = rb.compare_readers(draw(t=1).readings())
    for found in (three, alone, single):
        record = json.loads(found.to_json())
        assert record["schema"] == "rocbands.reader-study/1"
        Draft202012Validator(result_schema(type(found))).validate(record)
        for again in (pickle.loads(pickle.dumps(found)), copy.copy(found), copy.deepcopy(found)):
            assert again.to_json() == found.to_json()
            assert str(again) == str(found)
        for name in ("differences", "tests", "readers", "components", "inferences"):
            table = found.table(name)
            own = result_schema(type(table))
            Draft202012Validator(own).validate(json.loads(table.to_json()))
            size = len(next(iter(table.columns().values())))
            assert len(found.to_frame(name)) == size
            assert len(table.to_csv().splitlines()) == size + 1
            for write in (table.to_markdown, table.to_latex, table.to_json, table._repr_html_):
                assert write()
        assert found.to_markdown()
        assert "\\begin{tabular}" in found.to_latex()
        assert found.to_metrics()
        assert len(found.to_frame()) == len(found.means) + len(found.differences)
    with pytest.raises(rb.InputError, match="`name` must be one of differences, tests, readers"):
        three.table("areas")
    with pytest.raises(rb.InputError):
        three.to_frame("areas")
    with pytest.raises(AttributeError):
        three.level = 0.5  # type: ignore[misc]


@pytest.mark.parametrize("method", ["obuchowski-rockette", rb.readers.Bounded("symmetric")])
def test_measured_numbers_of_the_default_are_not_those_of_other_methods(method: Any) -> None:
    found = " ".join(rb.compare_readers(PLAIN.readings(), method=method).notes)
    assert "4 readers say little about other readers" in found
    assert "with 10, .95 limits" not in found
    assert "symmetric .95 limits of the mean of one test hold as little as .81" in found
