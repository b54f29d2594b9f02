"""A short run of the fuzzers; ``make fuzz`` runs them longer, from other seeds."""

from __future__ import annotations

import sys

import pytest

from tests.fuzz import calls, files, samples, signals
from tests.fuzz.data import STEPS
from tests.fuzz.invariants import BrokenError, check_sentence, expect

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="alarms and signals of Unix"),
]


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_calls_return_results_or_refusals(first: int) -> None:
    outcomes = [calls.try_one(seed) for seed in range(first, first + 50)]
    assert {"result", "refused"} <= set(outcomes)


@pytest.mark.parametrize("first", range(0, 400, 100))
def test_samples_are_made_or_refused(first: int) -> None:
    outcomes = [samples.try_one(seed) for seed in range(first, first + 100)]
    assert {"result", "refused"} <= set(outcomes)


def test_samples_of_every_kind_are_tried() -> None:
    words = " ".join(samples.draw_case(seed).words for seed in range(400))
    made = ("rb.Sample(", "rb.Sample.from_frame(", "rb.Sample.of_classes(", ".replace(", ".each(")
    columns = ("groups=", "weights=", "strata=", "folds=", "repeats=", "keep=", "missing='drop'")
    for part in (*made, *columns, *(f" -> {step} " for step in STEPS if step != "replace")):
        assert part in words, part


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_files_are_read_or_refused(first: int) -> None:
    outcomes = [files.try_one(seed) for seed in range(first, first + 20)]
    assert {"result", "refused"} <= set(outcomes)


@pytest.mark.parametrize("seed", [1, 2])
def test_signals_end_commands(seed: int) -> None:
    assert signals.try_one(seed) in ("ended", "done")


def test_every_public_function_is_called_or_left_out_by_name() -> None:
    import inspect

    import rocbands as rb

    public = {name for name in rb.__all__ if inspect.isfunction(getattr(rb, name))}
    assert public >= calls.LEFT_OUT
    called = {calls.draw_call(seed)[0].split("(")[0][3:] for seed in range(600)}
    assert called == public - calls.LEFT_OUT


def test_the_invariants_can_fail() -> None:
    with pytest.raises(BrokenError, match="NaN"):
        expect(lambda: float("nan"))
    with pytest.raises(ZeroDivisionError):
        expect(lambda: 1 / 0)
    with pytest.raises(BrokenError, match="not a sentence"):
        check_sentence("no")
