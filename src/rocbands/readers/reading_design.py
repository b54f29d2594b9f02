"""The design of a reader study in words, found from which readings were made."""

from __future__ import annotations

import numpy as np

from rocbands.core.checks import BoolArray, CountArray


def describe_design(read: BoolArray, is_positive: BoolArray, clusters: CountArray | None) -> str:
    """Say the design and its sizes: 'factorial: 5 readers x 2 tests x 114 cases (45 + 69)'.

    `read`: which readings were made, (tests, readers, cases).
    """
    n_tests, n_readers, n_cases = read.shape
    kind, more = _find_design(read)
    sizes = count(n_readers, "reader")
    if kind.startswith("readers") and n_tests > 1:
        each = read.any(axis=2).sum(axis=1).tolist()  # readers of each test
        sizes = f"{' + '.join(map(str, each))} readers"
    elif n_tests > 1:
        sizes += f" x {count(n_tests, 'test')}"
    if n_tests == 1:
        kind = "one test" if kind == "factorial" else f"one test, {kind}"
    n_pos = int(np.count_nonzero(is_positive))
    cases = f"{count(n_cases, 'case')} ({n_pos:,} + {n_cases - n_pos:,})"
    crossed = kind.endswith(("factorial", "one test", "incomplete"))
    text = f"{kind}: {sizes}{' x ' if crossed else ', '}{cases}{more}"
    return text if clusters is None else f"{text}, {count(int(clusters.max()) + 1, 'cluster')}"


def count(number: int, noun: str) -> str:
    """Write a number with its noun: '1 case', '1,140 cases'."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def _find_design(read: BoolArray) -> tuple[str, str]:
    """Return the name of the design, and what follows the number of cases."""
    made = read.any(axis=2)  # (tests, readers)
    incomplete = "incomplete", f", {np.count_nonzero(read):,} of {read.size:,} readings"
    sets, own = np.unique(read[made], axis=0, return_inverse=True)
    if (sets.sum(axis=0) > 1).any():  # two readers, or tests, share some of their cases only
        return incomplete
    # Sets of cases are equal or have no case in common: `which` is the set of each test and reader.
    which = np.full(made.shape, -1)
    which[made] = own.ravel()
    n_tests, n_readers = made.shape
    n_sets = len(sets)
    one_test = bool((made.sum(axis=0) == 1).all())  # of each reader
    by_test = n_sets == n_tests and all((row[row >= 0] == row.max()).all() for row in which)
    by_reader = made.all() and bool((which == which[0]).all())  # the same cases under all tests
    if one_test and n_tests > 1 and n_readers > 1:
        known = {
            "readers nested in tests": n_sets == 1,
            "readers and cases nested in tests": by_test,
            "readers nested in tests, cases nested in readers": n_sets == n_readers,
        }
    else:
        known = {
            "factorial": n_sets == 1,
            "cases nested in readers": by_reader and n_sets == n_readers,
            "split-plot": by_reader,
            "cases nested in tests": by_test,
            "cases nested in readers and tests": n_sets == made.size,
        }
        known = {name: holds and bool(made.all()) for name, holds in known.items()}
    more = {
        "cases nested in readers": _say_each(sets, "reader"),
        "split-plot": f" in {n_sets} blocks",
        "cases nested in tests": _say_each(sets, "test"),
    }
    found = next((name for name, holds in known.items() if holds), None)
    return incomplete if found is None else (found, more.get(found, ""))


def _say_each(sets: BoolArray, part: str) -> str:
    """Say how many cases belong to each reader or test."""
    low, high = int(sets.sum(axis=1).min()), int(sets.sum(axis=1).max())
    return f", {low:,}{f' to {high:,}' if high > low else ''} for each {part}"
