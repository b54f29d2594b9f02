"""A short run of the fuzzers; ``make fuzz`` runs them longer, from other seeds."""

from __future__ import annotations

import inspect
import random
import sys
from dataclasses import replace

import numpy as np
import pytest

import rocbands as rb
from rocbands_studies.campaigns import calls, files, relations, samples, signals
from rocbands_studies.campaigns.data import Call, Plan, draw_rows
from rocbands_studies.campaigns.invariants import BrokenError, check_sentence, expect
from rocbands_studies.campaigns.reach import Reach

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="alarms and signals of Unix")

CALLS = 4800  # of the campaign whose reach is checked, at most
STEP = 200
REFUSED = 0.3  # largest share of refused calls: most calls must say something about results


@pytest.mark.simulation
def test_calls_reach_every_function_and_every_argument() -> None:
    # A table of counts rarely has the label that is drawn as positive; tests/scale asks for it.
    rare = {"rb.ScoreCounts.from_table gave no result with `positive`"}
    reach, outcomes, gaps = Reach(), [], {"not called yet"}
    while gaps - rare and len(outcomes) < CALLS:
        begin = len(outcomes)
        outcomes += [calls.try_one(seed, reach) for seed in range(begin, begin + STEP)]
        gaps = set(reach.list_gaps(calls.list_functions()))
    assert gaps <= rare
    assert 0.05 < outcomes.count("refused") / len(outcomes) < REFUSED


@pytest.mark.parametrize("first", range(10_000, 10_200, 100))
def test_calls_give_results_or_are_refused(first: int) -> None:
    outcomes = [calls.try_one(seed, Reach()) for seed in range(first, first + 100)]
    assert {"result", "refused"} <= set(outcomes)


def test_public_functions_and_constructors_are_listed() -> None:
    public = {name for name in rb.__all__ if inspect.isfunction(getattr(rb, name))}
    listed = set(calls.list_functions())
    assert public <= listed
    made = {"Sample", "Sample.from_frame", "Sample.from_file", "Sample.of_classes", "Sample.take"}
    assert made <= listed
    assert not listed & set(calls.LEFT_OUT)


def test_a_new_function_or_argument_is_missed() -> None:
    """The campaign fails where a function, or an argument of one, is never reached."""

    def roc_band(y_true: object, y_score: object = None, *, invented: object = None) -> None: ...

    def invented() -> None: ...

    reach = Reach()
    reach.count(Call("roc_band", roc_band, {"y_true": [0, 1], "y_score": [0, 1]}), "result")
    gaps = reach.list_gaps({"roc_band": roc_band, "invented": invented})
    assert gaps == ["rb.roc_band gave no result with `invented`", "rb.invented gave no result"]


@pytest.mark.parametrize("relation", relations.RELATIONS)
def test_relations_hold(relation: str) -> None:
    outcomes = []
    for seed in range(40):
        r = random.Random(seed)
        outcomes.append(relations.check(relation, relations.draw_trial(r), r))
    assert "held" in outcomes


def test_relations_can_fail() -> None:
    """A result that follows the order of rows, or is not nested, is found."""
    rows = draw_rows(random.Random(1), Plan(design=()))

    def ask(sample: rb.Sample, level: float = 0.95) -> rb.results.Interval:
        found = rb.auc_interval(sample, level=1.0 - level)
        return replace(found, estimate=found.low, low=min(found.low, sample.values[0] / 100))

    trial = relations.Trial(Call("ask", ask, {}), (rows,), {})
    for relation in ("order", "transform", "level"):
        with pytest.raises(BrokenError):
            relations.check(relation, trial, random.Random(2))


def test_exceptions_say_why() -> None:
    known = {*relations.RELATIONS}
    for about, _, _, reason in relations.EXCEPTIONS:
        assert {name.removesuffix(" of weights") for name in about.split("|")} <= known
        assert reason


@pytest.mark.parametrize("first", range(0, 400, 100))
def test_samples_are_made_or_refused(first: int) -> None:
    outcomes = [samples.try_one(seed) for seed in range(first, first + 100)]
    assert {"result", "refused"} <= set(outcomes)


def test_samples_of_every_kind_are_tried() -> None:
    words = " ".join(samples.draw_case(seed).words for seed in range(400))
    made = ("rb.Sample(", "rb.Sample.from_frame(", "rb.Sample.of_classes(", "rb.Sample.from_file(")
    columns = ("clusters=", "weights=", "strata=", "folds=", "repeats=", "keep=", "missing='drop'")
    for part in (*made, *columns, *(f" -> {step} " for step in samples.STEPS)):
        assert part in words, part


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_files_are_read_or_refused(first: int) -> None:
    outcomes = [files.try_one(seed) for seed in range(first, first + 20)]
    assert {"result", "refused"} <= set(outcomes)


@pytest.mark.simulation
@pytest.mark.parametrize("seed", [1, 2])
def test_signals_end_commands(seed: int) -> None:
    assert signals.try_one(seed) in ("ended", "done", "killed")  # the last by SIGKILL alone


def test_the_invariants_can_fail() -> None:
    with pytest.raises(BrokenError, match="NaN"):
        expect(lambda: float("nan"))
    with pytest.raises(BrokenError, match="NaN"):
        expect(lambda: np.asarray([1.0, np.nan]))
    with pytest.raises(ZeroDivisionError):
        expect(lambda: 1 / 0)
    with pytest.raises(BrokenError, match="not a sentence"):
        check_sentence("no")
