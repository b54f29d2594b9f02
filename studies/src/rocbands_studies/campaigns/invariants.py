"""What must hold whatever is passed in, read or interrupted.

Calls: a result or an InputError (:func:`expect`), nothing else, within `PATIENCE` seconds of
processor time; no warning but our own. A result has no NaN, its limits are ordered and in range, an estimate lies
between its limits, the edges of a band never fall, and every way of writing it works
(:func:`check_result`).

Commands: exit code 0 or 2, or 128 plus the signal's number; on failure one line on stderr and
nothing on stdout; no file but the one that was asked for, and that whole (`files`, `signals`).
"""

from __future__ import annotations

import json
import math
import pickle
import signal
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Any

import numpy as np

import rocbands as rb
from rocbands.core.result import Result

PATIENCE = 30  # seconds of processor time for one case
GRID = np.unique(np.concatenate((np.linspace(0, 1, 21), [1e-9, 1e-3, 1 - 1e-9])))
SLACK = 1e-9

# Columns that are empty where there is nothing to say: results promise None or NaN there.
MAY_BE_EMPTY = {
    "areas", "area_errors", "area_lower", "area_upper",  # of readers who did not read a test
    "threshold", "pvalue", "standard_error", "statistic", "df",
    "ppv", "ppv_lower", "ppv_upper", "precision", "npv", "npv_lower", "npv_upper", "lr_pos", "lr_neg", "f1",  # of points where no row is called so
}  # fmt: skip
# Straight lines in probits have hooks at their ends, as in the paper (bands/working_hotelling.py).
MAY_FALL = {"working-hotelling", "binormal"}
LIMITS = (("low", "high"), ("lower", "upper"))


class BrokenError(AssertionError):
    """An invariant does not hold."""


class TooLongError(Exception):
    """A case took longer than anybody waits."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise :class:`TooLongError` in the main thread after so many seconds."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TooLongError(f"more than {seconds:g} s")

    # Processor time, for the machine may be busy; and ten times as long by the clock, for hangs.
    alarms = {signal.SIGPROF: signal.ITIMER_PROF, signal.SIGALRM: signal.ITIMER_REAL}
    before = {number: signal.signal(number, stop) for number in alarms}
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, 10 * seconds)
    try:
        yield
    finally:
        for number, timer in alarms.items():
            signal.setitimer(timer, 0)
            signal.signal(number, before[number])


def expect(call: Callable[[], Any]) -> tuple[str, Any]:
    """Return ('result', value) or ('refused', message); anything else is raised."""
    with time_limit(PATIENCE), warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", rb.RocBandsWarning)
        try:
            found = call()
            check_result(found)
        except rb.InputError as problem:
            check_sentence(str(problem))
            return "refused", str(problem)
    return "result", found


def check_sentence(text: str) -> None:
    """An error is one sentence or more, and no wall of digits."""
    if not text or len(text) > 2000 or not text.rstrip().endswith((".", "?")):
        raise BrokenError(f"not a sentence: {text[:300]!r}")


def check_result(found: Any) -> None:
    """Check all that a result promises; arrays and tuples of numbers must have no NaN."""
    if isinstance(found, Result):
        check_numbers(found)
        if isinstance(found, rb.results.Band):
            check_band(found)
        check_writing(found)
    elif isinstance(found, rb.Sample) and found.classes:
        if "\n" in repr(found) or found.codes.max() != len(found.classes) - 1:
            raise BrokenError("a sample of classes that does not say what it is")
    elif isinstance(found, rb.Sample):
        check_sample(found)
    elif isinstance(found, rb.Readings):
        if "\n" in repr(found) or np.count_nonzero(found.read) != found.n_readings:
            raise BrokenError("readings that do not say what they are")
    elif isinstance(found, rb.results.Report):
        if not found.headline or "</html>" not in found.to_html():
            raise BrokenError("a report without a page")
    elif isinstance(found, tuple | dict):
        for each in found.values() if isinstance(found, dict) else found:
            check_result(each)
    elif np.isnan(np.asarray(found, dtype=np.float64)).any():
        raise BrokenError(f"NaN in {found!r}")


def check_sample(sample: rb.Sample) -> None:
    """Check what a sample promises, and what it promises about its parts."""
    _check_columns(sample)
    _check_same(sample, pickle.loads(pickle.dumps(sample)))
    _check_same(sample, sample.take(np.arange(sample.n)))
    _check_same(sample, sample[list(sample.models)])
    _check_same(sample.replace(clusters=None, weights=None, strata=None), sample, design=False)
    mask = np.arange(sample.n) % 3 > 0
    counted = np.ones(sample.n, bool) if sample.weights is None else sample.weights > 0.0
    if np.unique(sample.is_positive[mask & counted]).size == 2:
        part = sample.take(mask)
        if not np.array_equal(part.rows, sample.rows[mask]):
            raise BrokenError("a part of other rows")
    for by in sample.kept:
        _check_parts(sample, by)
    try:
        roc = sample[sample.models[0]].roc
    except rb.InputError as problem:
        check_sentence(str(problem))
        return
    # Rows of weight 0 are left out of every question.
    sizes = [np.count_nonzero(own & counted) for own in (sample.is_positive, ~sample.is_positive)]
    if [roc.n_pos, roc.n_neg] != sizes:
        raise BrokenError("a curve of other rows")


def _check_columns(sample: rb.Sample) -> None:
    if sample.n != sample.n_pos + sample.n_neg or not (sample.n_pos and sample.n_neg):
        raise BrokenError("a class without rows")
    if "\n" in repr(sample) or not sample._repr_html_():
        raise BrokenError("a sample that does not say what it is")
    if np.unique(sample.rows).size != sample.n:
        raise BrokenError("a row comes twice")
    design = (sample.clusters, sample.weights, sample.strata, sample.folds)
    for column in (sample.is_positive, *sample.kept.values(), *design):
        if column is not None and (column.shape != (sample.n,) or column.flags.writeable):
            raise BrokenError("a column of another length, or that can be changed")
    dropped = sample.dropped
    if dropped is not None and dropped.n < sample.n + dropped.labels.size:
        raise BrokenError("more rows than there were")
    for name in sample:
        one = sample[name]
        if one.models != (name,) or one.values.shape != (sample.n,) or np.isnan(one.values).any():
            raise BrokenError("a model of other rows, or without scores")


def _check_same(one: rb.Sample, other: rb.Sample, *, design: bool = True) -> None:
    same = one.models == other.models and np.array_equal(one.is_positive, other.is_positive)
    same &= np.array_equal(one.rows, other.rows)
    same &= all(np.array_equal(one[name].values, other[name].values) for name in one)
    for column in ("clusters", "weights", "strata", "folds") if design else ():
        values = getattr(one, column), getattr(other, column)
        same &= values[0] is values[1] or np.array_equal(*values)
    if not same or (design and repr(one) != repr(other)):
        raise BrokenError("what should be the same sample is another one")


def _check_parts(sample: rb.Sample, by: str) -> None:
    try:
        parts = sample.split(by)
    except rb.InputError as problem:  # one class only
        check_sentence(str(problem))
        return
    rows = np.concatenate([part.rows for part in parts.values()])
    if not np.array_equal(np.sort(rows), np.sort(sample.rows)):
        raise BrokenError(f"parts by {by!r} that are not the whole")


def check_numbers(found: Result) -> None:
    facts, columns = found.facts(), found.columns()
    for name, value in (*facts.items(), *columns.items()):
        numbers = _floats(value)
        if numbers is not None and np.isnan(numbers).any() and name not in MAY_BE_EMPTY:
            raise BrokenError(f"NaN in {name} of {type(found).__name__}")
    for table in (facts, columns):
        _check_limits(table, type(found).__name__)


def _floats(value: Any) -> Any:
    if isinstance(value, float | np.floating):
        return np.asarray([value])
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return value
    if isinstance(value, list | tuple) and all(isinstance(one, float) for one in value):
        return np.asarray(value, dtype=np.float64)
    return None


def _check_limits(table: Mapping[str, Any], owner: str) -> None:
    for below, above in LIMITS:
        for name in table:
            if not (name == below or name.endswith(f"_{below}")):
                continue
            other = name[: len(name) - len(below)] + above
            low, high = _floats(table[name]), _floats(table.get(other))
            if low is None or high is None:
                continue
            if (low > high + SLACK).any():
                raise BrokenError(f"{name} > {other} in {owner}")
            if name == below and "estimate" in table:
                middle = _floats(table["estimate"])
                if (
                    middle is not None
                    and not ((low <= middle + SLACK) & (middle <= high + SLACK)).all()
                ):
                    raise BrokenError(f"estimate outside its limits in {owner}")


def check_band(band: rb.results.Band) -> None:
    lower, upper = band.lower_at(GRID), band.upper_at(GRID)
    for edge in (lower, upper):
        if not ((edge >= 0) & (edge <= 1)).all():
            raise BrokenError(f"an edge of {band.method.name} leaves the unit square")
        if (np.diff(edge) < -SLACK).any() and band.method.name not in MAY_FALL:
            raise BrokenError(f"an edge of {band.method.name} falls")
    if (lower > upper + SLACK).any():
        raise BrokenError(f"the edges of {band.method.name} cross")


def check_writing(found: Result) -> None:
    def refuse(constant: str) -> None:
        raise BrokenError(f"JSON has {constant}")

    json.loads(found.to_json(), parse_constant=refuse)
    for text in (repr(found), str(found), found._repr_html_(), found.to_csv()):
        if not text:
            raise BrokenError("an empty text")
    found.to_csv(escape_formulas=True)
    found.to_markdown()
    found.to_latex()
    found.to_frame("pandas")
    if any(not math.isfinite(value) for value in found.to_metrics().values()):
        raise BrokenError("a metric that is not finite")
