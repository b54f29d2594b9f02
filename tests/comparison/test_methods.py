"""Every comparison method keeps every promise; a new one is tested here without writing a line."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rocbands as rb
from rocbands.comparison import (
    METHODS,
    SHARED_FILES,
    ComparisonMethod,
    ComparisonRequest,
    Outcome,
    Pair,
)
from rocbands.core.method import Extra
from tests.strategies import labelled_scores

every_method = pytest.mark.parametrize("name", METHODS)
Rows = tuple[np.ndarray, np.ndarray, np.ndarray]


@st.composite
def paired_rows(draw: st.DrawFn) -> Rows:
    """Two positives and two negatives at least, with two models' scores."""
    labels, one = draw(labelled_scores(12))
    labels, one = np.concatenate((labels, [0, 0, 1, 1])), np.concatenate((one, [0, 1, 0, 1]))
    few = st.integers(-2, 2).map(float)
    two = draw(st.lists(few, min_size=labels.size, max_size=labels.size))
    return labels, one, np.array(two)


def method_named(name: str) -> ComparisonMethod:
    method = METHODS[name]()
    if "n_resamples" in method.parameters:
        # Promises do not depend on the number of resamples, but the time they take does.
        method = dataclasses.replace(method, n_resamples=60)
    return method


def results(name: str, rows: Rows, **options: object) -> Iterator[rb.results.Comparison]:
    """The result on the same rows and the one on different rows, where the method handles them."""
    labels, one, two = rows
    method = method_named(name)
    options = {"level": 0.9, "rng": 1, **options}
    if "folds" in method.needs:  # twice the same rows
        models, folds = {"a": np.tile(one, 2), "b": np.tile(two, 2)}, np.arange(2).repeat(len(one))
        sample = rb.Sample(np.tile(labels, 2), models, folds=folds)
        yield rb.compare(sample, method=method, **options)  # type: ignore[arg-type]
    elif "paired" in method.handles:
        yield rb.compare(labels, one, two, method=method, **options)  # type: ignore[arg-type]
    if "unpaired" in method.handles and "clusters" not in options:
        sets = rb.roc_curve(labels, one), rb.roc_curve(labels, two)
        yield rb.compare(*sets, method=method, **options)  # type: ignore[arg-type]


@every_method
def test_facts(name: str) -> None:
    method = METHODS[name]
    assert (method.name, method.question) == (name, "comparison")
    assert method.guarantee
    assert method.idea
    assert all(any(char.isdigit() for char in source) for source in method.references)
    assert method.references
    assert set(method.handles) & {"paired", "unpaired"}
    designs = {"clusters", "unpaired clusters", "common clusters", "weights", "strata"}
    designs |= {"folds", "repeats"}
    assert set(method.handles) <= {"paired", "unpaired", "one-sided", *designs}
    assert method.hypothesis.startswith("equal ")


@every_method
def test_a_method_has_a_file_of_its_name_or_a_reason(name: str) -> None:
    here = Path(rb.__file__).parent / "comparison"
    assert (here / f"{name.replace('-', '_')}.py").exists() != (name in SHARED_FILES)


@every_method
@settings(max_examples=25)
@given(rows=paired_rows())
def test_limits_are_ordered_and_in_range(name: str, rows: Rows) -> None:
    for found in results(name, rows):
        assert -1 <= found.low <= found.difference <= found.high <= 1
        assert 0 < found.pvalue <= 1 or found.pvalue == 0 < abs(found.statistic)
        assert found.difference == pytest.approx(found.estimates[0] - found.estimates[1], abs=1e-9)
        assert found.estimates[0] == pytest.approx(rb.roc_curve(*rows[:2]).auc, abs=1e-12)
        assert found.method == name
        assert found.parameters == method_named(name).parameters
        json.loads(found.to_json(), parse_constant=pytest.fail)


@every_method
@settings(max_examples=10)
@given(rows=paired_rows())
def test_an_increasing_transform_of_the_scores_changes_nothing(name: str, rows: Rows) -> None:
    labels, one, two = rows
    moved = labels, np.unique(one, return_inverse=True)[1], two**3
    for found, other in zip(results(name, rows), results(name, moved), strict=True):
        assert (found.low, found.high, found.pvalue) == (other.low, other.high, other.pvalue)


@every_method
def test_same_rng_same_numbers_at_any_number_of_threads(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 2, 60)
    rows = labels, rng.normal(size=60) + labels, rng.normal(size=60) + labels
    seen = set()
    for threads in ("1", "2"):
        monkeypatch.setenv("ROCBANDS_NUM_THREADS", threads)
        seen.add(tuple((found.pvalue, found.low, found.high) for found in results(name, rows)))
    assert len(seen) == 1


@every_method
def test_what_a_method_does_not_handle_is_refused(name: str) -> None:
    method = method_named(name)
    rows = np.array([1, 0, 1, 0, 1, 0]), np.arange(6.0), np.arange(6.0)[::-1]
    sets = rb.roc_curve(rows[0], rows[1]), rb.roc_curve(rows[0], rows[2])
    models, folds = {"a": rows[1], "b": rows[2]}, [0, 0, 1, 1, 2, 2]
    folded = (rb.Sample(rows[0], models, folds=folds),)
    needed = folds if "folds" in method.needs else None
    where: tuple[Any, ...] = rows if "paired" in method.handles else sets
    where = folded if needed else where
    asked: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
        "paired": (folded if needed else rows, {}),
        "unpaired": (sets, {}),
        "clusters": ((rb.Sample(rows[0], models, clusters=[0, 0, 1, 1, 2, 2], folds=needed),), {}),
        "weights": ((rb.Sample(rows[0], models, weights=[1, 1, 1, 2, 2, 2], folds=needed),), {}),
        "folds": (folded, {}),
        "one-sided": (where, {"alternative": "less"}),
    }
    for extra, (data, options) in asked.items():
        if extra in method.handles:
            rb.compare(*data, method=method, rng=1, level=0.9, **options)
            continue
        with pytest.raises(rb.InputError, match=repr(name)):
            rb.compare(*data, method=method, **options)
    if "one-sided" not in method.handles:
        with pytest.raises(rb.InputError, match="no direction; `margin` was given"):
            rb.compare(*where, method=method, margin=0.1)


@every_method
def test_a_wrong_number_of_resamples_is_refused_when_the_method_is_made(name: str) -> None:
    kind = METHODS[name]
    if "n_resamples" in kind.__dataclass_fields__:
        for wrong in (5, 99.5, "many", True):
            with pytest.raises(rb.InputError, match="`n_resamples` must be a whole number"):
                kind(n_resamples=wrong)  # type: ignore[call-arg]
    else:
        with pytest.raises(rb.InputError, match="has no parameter 'n_resamples'"):
            rb.compare([1, 0, 1, 0], [1, 2, 3, 4], [1, 3, 2, 4], method=name, n_resamples=100)


@dataclasses.dataclass(frozen=True)
class CoinToss(ComparisonMethod):
    """A method of a user: right in form, worthless otherwise."""

    name: ClassVar[str] = "coin-toss"
    handles: ClassVar[tuple[Extra, ...]] = ("paired",)

    weight: float = 0.5

    def run_test(self, pair: Pair, request: ComparisonRequest) -> Outcome:
        return Outcome(-1.0, 1.0, 0.0, float(request.rng.random() * self.weight))


def test_a_method_of_a_user_passes_the_same_checks() -> None:
    rows = [1, 0, 1, 0], [1, 2, 3, 4], [1, 3, 2, 4]
    found = rb.compare(
        rb.Sample(rows[0], {"a": rows[1], "b": rows[2]}), method=CoinToss(weight=0.1), rng=1
    )
    assert (found.method, found.parameters) == ("coin-toss", {"weight": 0.1})
    assert found.verdict == "No difference in AUC is shown."
    # The verdict is that of the interval, whatever the test says.
    sure = rb.compare(*rows, method=CoinToss(weight=0.001), rng=1)
    assert sure.pvalue < 0.05
    assert sure.verdict == found.verdict
    assert [any("disagree" in note for note in one.notes) for one in (found, sure)] == [False, True]
    assert "coin-toss" in str(found)
    for options, words in (
        ({"alternative": "less"}, "no direction; `alternative` was given"),
        ({"margin": 0.1}, "no direction; `margin` was given"),
        ({"level": 95}, "level=0.95"),
        ({"rng": "x"}, "`rng` must be"),
        ({"n_resamples": 100}, "has no parameter 'n_resamples'"),
    ):
        with pytest.raises(rb.InputError, match=words):
            rb.compare(*rows, method=CoinToss(), **options)  # type: ignore[arg-type]


def test_a_result_refuses_to_break_its_promises() -> None:
    found = rb.compare([1, 0, 1, 0], [1, 2, 3, 4], [1, 3, 2, 4])
    for wrong in ({"pvalue": 1.5}, {"estimates": (0.9, 0.1)}):
        with pytest.raises(rb.ResultError):
            dataclasses.replace(found, **wrong)
    many = rb.compare_many(rb.Sample([1, 0, 1, 0], {"a": [1, 2, 3, 4], "b": [1, 3, 2, 4]}))
    for wrong in ({"lower": many.upper + 1}, {"raw_pvalues": many.pvalues + 0.1}):
        with pytest.raises(rb.ResultError):
            dataclasses.replace(many, **wrong)
    band = rb.difference_band([1, 0, 1, 0], [1, 2, 3, 4], [1, 3, 2, 4], rng=1)
    for wrong in ({"lower": band.upper + 0.1}, {"upper": band.upper + 2}, {"fpr": band.fpr[::-1]}):
        with pytest.raises(rb.ResultError):
            dataclasses.replace(band, **wrong)
    plan = rb.sample_size(auc=0.8, width=0.1)
    with pytest.raises(rb.ResultError):
        dataclasses.replace(plan, n_pos=1)


@pytest.mark.parametrize(
    "ask",
    [
        rb.compare,
        lambda *data: rb.compare_tpr(*data, fpr=0.5),
        lambda *data: rb.mcnemar(*data, thresholds=(2, 2)),
        rb.difference_band,
    ],
    ids=["compare", "compare_tpr", "mcnemar", "difference_band"],
)
def test_models_are_called_as_in_the_sample(ask) -> None:
    assert ask(*ROWS).names == ("model 1", "model 2")
    assert ask(rb.Sample(ROWS[0], {"a": ROWS[1], "b": ROWS[2]})).names == ("a", "b")
    columns = pd.DataFrame({"old": ROWS[1], "new": ROWS[2]})
    assert ask(ROWS[0], columns["old"], columns["new"]).names == ("old", "new")


RNG = np.random.default_rng(1)
ROWS = np.tile([1, 0], 20), RNG.normal(size=40), RNG.normal(size=40)
