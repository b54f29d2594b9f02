"""No digit depends on the order of cases, readers and tests; rounding errors are no spread."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

import rocbands as rb
from tests.readers.designs import KINDS, draw_study

# Each negative is misread by one of three readers: all cases have the same share of right readings.
EQUAL_SHARES = np.array([[1, 0, 0, 1, 1, 0], [0, 0, 1, 1, 0, 1], [0, 1, 0, 0, 1, 1]])
TURNS = ((0, 1, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0))
METHODS = ("bounded", "obuchowski-rockette", "one-shot")
NUMBERS = ("estimate", "low", "high", "standard_error", "df", "statistic", "pvalue")


def read_equal_shares(x: np.ndarray) -> rb.Readings:
    """Study of an array of readers and cases, of which the first half are negative."""
    reader, case = np.nonzero(np.isfinite(x))
    return rb.Readings(case >= x.shape[1] // 2, x.ravel(), reader=reader, case=case)


def list_numbers(study: rb.results.ReaderStudy) -> dict[Any, Any]:
    """All numbers of a study by names; those of differences with tests in the order of names."""
    found: dict[Any, Any] = {}
    for one in study.inferences:
        values = {name: getattr(one, name) for name in NUMBERS}
        names = tuple(one.target.split(" minus "))
        if names != tuple(sorted(names)):
            turned = {"estimate": -one.estimate, "low": -one.high, "high": -one.low}
            values |= turned | {"statistic": -(one.statistic or 0.0)}
        found[*sorted(names), one.random] = values
    for (i, test), (j, reader) in itertools.product(
        enumerate(study.tests), enumerate(study.readers)
    ):
        if study.cases_read[i, j]:
            parts = study.areas, study.area_lower, study.area_upper, study.area_errors
            found[test, reader] = [float(part[i, j]) for part in parts]
    found["by reader"] = {
        name: sorted([abs(one.low), abs(one.high)])
        for name, one in zip(study.reader_names, study.by_reader, strict=True)
        if len(study.tests) < 3  # which are the first two of three depends on the order
    }
    found["joint"], found["components"] = study.joint, dict(study.components)
    found["notes"] = sorted(note for note in study.notes if " minus " not in note)
    return found


def test_cases_without_spread_have_the_same_limits_in_every_order() -> None:
    asked = {"metric": "specificity", "threshold": 0.5, "random": "cases"}
    orders = [(*a, *(3 + k for k in b)) for a in itertools.permutations(range(3)) for b in TURNS]
    assert len(orders) == 24
    said = set()
    for order in orders:
        for x in (EQUAL_SHARES[:, order], EQUAL_SHARES[list(order[:3])]):
            study = rb.compare_readers(read_equal_shares(x), **asked)
            said.add((str(study), study.to_json()))
            (mean,) = study.means
    assert len(said) == 1
    assert (round(mean.low, 3), round(mean.high, 3)) == (0.340, 0.993)
    assert "No case distinguishes the readings" in mean.notes[0]


def draw_equal_shares(rng: np.random.Generator) -> np.ndarray:
    """Draw decisions of readers, of which as many are right about each negative."""
    readers, cases = int(rng.integers(3, 8)), int(rng.integers(3, 11))
    wrong = int(rng.integers(1, readers))
    negatives = [rng.permutation(np.arange(readers) < wrong) for _ in range(cases)]
    return np.hstack([np.transpose(negatives), rng.integers(0, 2, (readers, cases))])


def test_no_interval_has_width_0_where_cases_have_equal_shares() -> None:
    rng = np.random.default_rng(280)
    for _ in range(280):
        study = rb.compare_readers(
            read_equal_shares(draw_equal_shares(rng)),
            metric="specificity",
            threshold=0.5,
            random="cases",
        )
        (mean,) = study.means
        assert mean.low < mean.estimate - 0.01 < mean.estimate + 0.01 < mean.high
        assert all("No case distinguishes" in note for note in mean.notes)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(6))
def test_order_changes_no_digit(kind: str, seed: int) -> None:
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    study = draw_study(rng, kind, "ratings", clusters=seed % 3 == 2)
    asked: dict[str, Any] = {"algorithm": study.machine, "random": ("both", "cases")[seed % 2]}
    if seed == 1:
        asked |= {"metric": "specificity", "threshold": 1.0}
    if seed == 3:
        asked |= {"metric": "partial_auc", "fpr": (0.1, 0.6)}
    methods = METHODS if seed in (0, 1, 4) else METHODS[:2]  # one-shot has no form for the others
    size = np.count_nonzero(~np.isnan(study.x))
    orders = [np.arange(size), *(rng.permutation(size) for _ in range(4))]
    for method in methods:
        found = []
        for order in orders:
            try:
                result = rb.compare_readers(study.readings(order), method=method, **asked)
            except rb.InputError as error:
                found.append({"refused": str(error)})
            else:
                found.append(list_numbers(result))
        assert found[1:] == found[:-1]
    other = rng.permutation(study.y.size)  # and the names of cases, too
    moved = type(study)(
        study.kind,
        study.x[:, :, other],
        study.y[other],
        None if study.clusters is None else study.clusters[other],
    )
    one, two = (rb.compare_readers(each.readings(), **asked) for each in (study, moved))
    assert list_numbers(one) == list_numbers(two)


def test_small_studies_have_no_interval_of_width_0_beside_an_error() -> None:
    rng = np.random.default_rng(5255)
    calls = 0
    for _ in range(60):
        t, r = int(rng.integers(1, 4)), int(rng.integers(2, 5))
        m, n = rng.integers(2, 5, 2)
        y = np.arange(m + n) < m
        test, reader, case = (part.ravel() for part in np.indices((t, r, y.size)))
        score = rng.integers(0, int(rng.integers(2, 4)), test.size) + 1.0 * y[case]
        readings = rb.Readings(y[case], score, reader=reader, case=case, test=test)
        for method in METHODS:
            try:
                study = rb.compare_readers(readings, method=method)
            except rb.InputError:  # an unbiased variance that is not positive
                assert method == "one-shot"
                continue
            for one in study.inferences:
                calls += 1
                assert one.high > one.low or one.standard_error == 0.0
                assert one.df < 1e9 or math.isinf(one.df)
                assert one.estimate == 0.0 or abs(one.estimate) > 1e-9
    assert calls > 600


@pytest.mark.parametrize("method", METHODS[:2])
def test_no_joint_test_where_nothing_varies(method: str) -> None:
    # Each reader is wrong about one case, another one under each test: all means are equal.
    test, reader, case = (part.ravel() for part in np.indices((3, 3, 6)))
    score = (case >= 3) ^ (case == (test + reader) % 3)
    study = rb.compare_readers(
        rb.Readings(case >= 3, score, reader=reader, case=case, test=test),
        method=method,
        random="cases",
    )
    assert study.joint is None
    assert study.verdict == "No two tests are shown to differ in AUC."
    assert [(one.difference, one.pvalue) for one in study.differences] == [(0.0, 1.0)] * 3
