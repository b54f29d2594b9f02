"""Columns of readings, one row for each: checked, and laid out by test, reader and case."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import MOST_CELLS, BoolArray, CountArray, FloatArray, IndexArray, freeze
from rocbands.core.columns import (
    MissingError,
    as_text,
    find_missing,
    frame_kind,
    mention,
    plain_array,
    score_column,
    take_rows,
    to_column,
    two_classes,
)
from rocbands.core.rows import check_order, code_column, renumber
from rocbands.errors import InputError, Message, arg, join
from rocbands.readers.reading_design import count

ONLY_TEST = "test"  # the name of the only test
_EXACT = 2**53  # larger integers may become equal as floats
_MOST_NAMED = 6  # combinations of reader and test that a message names


@dataclass(frozen=True)
class Names:
    """A column of names: the distinct ones as text in order of appearance, and each row's."""

    texts: tuple[str, ...]
    codes: IndexArray

    @classmethod
    def read(cls, column: Any, title: str) -> Names:
        """Take a column of any type; whole numbers have no decimals, so 1.0 is '1'."""
        array = plain_array(column, title)  # a list of 1 and 'x' keeps its number
        try:
            if array.dtype == object:
                values = list(dict.fromkeys(array.tolist()))
                number = {value: code for code, value in enumerate(values)}
                rows = np.fromiter(map(number.__getitem__, array.tolist()), np.intp, array.size)
            else:
                found, rows = np.unique(array, return_inverse=True)
                values = found.tolist()
        except TypeError:
            raise InputError(
                Message("{} must contain names", mention(title)),
                f"one is {type(array[0]).__name__}, which is not a name",
                "Pass numbers or text.",
            ) from None
        texts, same = np.unique([write_name(value) for value in values], return_inverse=True)
        codes = same[rows]
        _, first = np.unique(codes, return_index=True)
        order = np.argsort(first)
        place = np.empty(order.size, np.intp)
        place[order] = np.arange(order.size)
        return cls(tuple(texts[order].tolist()), place[codes])

    def take(self, rows: BoolArray) -> Names:
        """Return the names of some of the rows, in the same order."""
        codes = self.codes[rows]
        seen = np.bincount(codes, minlength=len(self.texts)) > 0
        texts = tuple(text for text, there in zip(self.texts, seen.tolist(), strict=True) if there)
        return Names(texts, (np.cumsum(seen) - 1)[codes])


def write_name(value: object) -> str:
    """Write the name of a reader, a test or a case as text."""
    return as_text(int(value) if isinstance(value, float) and value.is_integer() else value)


def show_case(name: str) -> str:
    """Show the name of a case in a message; a number needs no quotes."""
    return name if name.isdigit() else repr(name)


def read_columns(
    y_true: Any, columns: Mapping[str, Any], *, positive: object, missing: str, unread: bool = False
) -> dict[str, Any]:
    """Check columns, and return the attributes of :class:`rocbands.Readings`.

    `y_true`: a column, or a mapping of cases to labels. `columns`: y_score, reader, case, test and
    clusters, the last two or None. `unread`: a row without a score is a reading that was not made.
    """
    given = {
        name: column
        for name, column in columns.items()
        if column is not None or name not in ("test", "clusters")
    }
    mapped = isinstance(y_true, Mapping)
    if not mapped:
        given = {"y_true": y_true, **given}
    given, left_out = leave_out(given, missing, {"y_score"})
    reader, case = (Names.read(given[name], name) for name in ("reader", "case"))
    test = Names((ONLY_TEST,), np.zeros(reader.codes.size, np.intp))
    if "test" in given:
        test = Names.read(given["test"], "test")
    left_out += (*_note_alike("reader", reader), *_note_alike("test", test))
    labels = _label_cases(y_true, case) if mapped else given["y_true"]
    is_positive, label, negative = two_classes(_check_two(labels), positive)
    if mapped:
        is_positive = is_positive[case.codes]
    _check_labels(case, reader, is_positive, (label, negative))
    cluster = _cluster_cases(given["clusters"], case) if "clusters" in given else None
    made = ~find_missing(given["y_score"])
    if not made.any():
        raise InputError(
            Message("{} must contain scores", mention("y_score")), "all of them are missing"
        )
    cells = test.codes * len(reader.texts) + reader.codes  # the combination of test and reader
    shape = len(test.texts), len(reader.texts)
    lacking = _count_cells(cells[~made], is_positive[~made], shape)
    if unread:
        lacking = np.zeros_like(lacking)
    elif missing == "raise" and lacking.any():
        rows = _count_cells(cells, is_positive, shape)
        raise _refuse_lost(lacking, rows, test.texts, reader.texts)
    scores = read_scores(given["y_score"], made)
    kept = test.take(made), reader.take(made), case.take(made)
    _check_once(*kept, "test" in given)
    fields = _lay_out(*kept, scores, is_positive[made])
    tests, readers, cases = (np.unique(one.codes[made]) for one in (test, reader, case))
    for kind, one, seen in (("Test", test, tests), ("Reader", reader, readers)):
        for code in np.setdiff1d(np.arange(len(one.texts)), seen):
            left_out += (f"{kind} {one.texts[code]!r} has no readings and is left out.",)
    return fields | {
        "positive": label,
        "negative": negative,
        "clusters": None if cluster is None else renumber(cluster[cases]),
        "frame": next(filter(None, map(frame_kind, given.values())), None),
        "_lacking": freeze(lacking[np.ix_(tests, readers)]),
        "_left_out": left_out,
    }


def fold_name(name: str) -> str:
    """Return a name without capitals, blanks, points and dashes; numbers stay as they are."""
    bare = re.sub(r"[\s._-]", "", name.casefold())
    return name if bare.isdigit() else bare


def _note_alike(kind: str, names: Names) -> list[str]:
    """Note names that differ in capitals, blanks, points and dashes only: they may be one."""
    first: dict[str, str] = {}
    pairs = [(first.setdefault(fold_name(text), text), text) for text in names.texts]
    return [
        f"{one!r} and {two!r} are taken for two {kind}s: they differ in capitals, blanks, points "
        "or dashes only."
        for one, two in pairs
        if one != two
    ]


def read_scores(column: Any, there: BoolArray, title: str = "y_score") -> FloatArray:
    """Return the scores that are there as floats; refuse integers that floats cannot tell apart."""
    known = score_column(column if there.all() else take_rows(column, there), title)
    if known.dtype.kind in "iu" and max(abs(int(known.min())), abs(int(known.max()))) > _EXACT:
        raise InputError(
            Message("{} must be integers of at most 2**53, or floats", mention(title)),
            f"one is {int(known.max() if known.max() > _EXACT else known.min())}",
            "Only the order of scores counts: pass their ranks.",
        )
    return known.astype(np.float64)


# --------------------------------------------------------------------------- rows and their labels


def leave_out(
    given: dict[str, Any], missing: str, scores: Collection[str]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Refuse, or leave out, rows without a name or a label; return notes of those left out.

    `scores`: columns whose values may be missing.
    """
    masks = {name: find_missing(column) for name, column in given.items()}
    for name, mask in masks.items():
        if mask.ndim != 1 or not mask.size:
            to_column(given[name], name)  # refuses it
    sizes = {name: mask.size for name, mask in masks.items()}
    if len(set(sizes.values())) > 1:
        raise InputError(
            "The columns must have one value for each reading",
            f"they have {', '.join(f'{size} ({name})' for name, size in sizes.items())}",
            "Check that all come from the same rows.",
        )
    check_order(given)
    masks = {name: mask for name, mask in masks.items() if name not in scores}
    gone = np.logical_or.reduce(list(masks.values()))
    if not gone.any():
        return given, ()
    counts = ", ".join(f"{name} in {mask.sum()}" for name, mask in masks.items() if mask.any())
    told = join(
        ", ",
        (Message("{} in {:,}", mention(name), m.sum()) for name, m in masks.items() if m.any()),
    )
    first = next(name for name, mask in masks.items() if mask.any())
    if missing == "raise":
        raise MissingError(
            Message("{} must not contain missing values", mention(first)),
            Message("of {:,} rows {:,} lack a value: {}", gone.size, gone.sum(), told),
            Message("Fill them in, or leave such rows out by {}.", arg("missing", "drop")),
        )
    if gone.all():
        raise InputError(
            "Some rows must have a reader, a case and a label",
            f"each of the {gone.size:,} rows lacks one: {counts}",
            "Look at the columns one by one.",
        )
    note = f"Left out {gone.sum():,} of {gone.size:,} rows without a value: {counts}."
    return {name: take_rows(column, ~gone) for name, column in given.items()}, (note,)


def _label_cases(labels: Mapping[Any, Any], case: Names) -> list[Any]:
    """Return the label of each case; cases that were not read may have labels as well."""
    known = {write_name(name): label for name, label in labels.items()}
    missing = find_missing(np.fromiter(known.values(), dtype=object, count=len(known)))
    lost = {text for text, none in zip(known, missing.tolist(), strict=True) if none}
    unknown = [text for text in case.texts if text not in known or text in lost]
    if unknown:
        raise InputError(
            "must have a label for each case",
            f"it has none for case {show_case(unknown[0])}{_such(len(unknown), 'case')}",
            "Add their labels, or leave their readings out.",
            argument="y_true",
        )
    return [known[text] for text in case.texts]


def _check_two(labels: Any) -> Any:
    """Refuse more than two labels: a reader study has one positive class."""
    array = plain_array(labels, "y_true")
    try:
        found = list(dict.fromkeys(array.tolist())) if array.dtype.kind != "f" else []
    except TypeError:  # no labels, which `two_classes` says
        return labels
    if len(found) > 2:
        shown = ", ".join(map(repr, found[:5])) + ", ..." * (len(found) > 5)
        raise InputError(
            Message("{} must contain two labels", mention("y_true")),
            f"it has {len(found)}: {shown}",
            "Join classes first, or leave the readings of some cases out.",
        )
    return labels


def _check_labels(
    case: Names, reader: Names, is_positive: BoolArray, labels: tuple[object, object]
) -> None:
    """Refuse a case with two labels."""
    n_pos, size = np.bincount(case.codes, is_positive), np.bincount(case.codes)
    mixed = (n_pos > 0) & (n_pos < size)
    if not mixed.any():
        return
    one = int(np.argmax(mixed))
    counts = int(n_pos[one]), int(size[one] - n_pos[one])
    pairs = sorted(zip(labels, counts, strict=True), key=lambda pair: str(pair[0]))
    (first, often), (second, times) = pairs
    raise InputError(
        "A case must have one label",
        f"case {show_case(case.texts[one])} is {first!r} in {count(often, 'row')} and {second!r} "
        f"in {times}{_such(int(mixed.sum()), 'case')}",
        _advise_on_cases(case, reader, is_positive),
    )


def _advise_on_cases(case: Names, reader: Names, is_positive: BoolArray) -> str:
    """Say what to do where cases have two labels: each reader's cases may be numbered from 1."""
    remedy = Message(
        "Correct the labels; or, if these are different cases, such as lesions of a patient, "
        "give each a name of its own in {}.",
        arg("case"),
    )
    if len(reader.texts) == 1 or not all(text.isdigit() for text in case.texts):
        return remedy
    own = reader.codes * len(case.texts) + case.codes
    pairs, at, rows = np.unique(own, return_index=True, return_inverse=True)
    if (is_positive != is_positive[at][rows]).any():  # two labels also within a reader
        return remedy
    numbers = np.array([int(text) for text in case.texts])[pairs % len(case.texts)]
    of = pairs // len(case.texts)
    highest = np.zeros(len(reader.texts), numbers.dtype)
    np.maximum.at(highest, of, numbers)
    if numbers.min() < 1 or (highest != np.bincount(of)).any():
        return remedy
    return Message(
        "{} must identify a case in the whole study, and every reader has cases numbered "
        "from 1: if these are different cases, name them by reader and case together, such "
        "as {!r}. Otherwise correct the labels.",
        arg("case"),
        f"{reader.texts[0]}-{case.texts[0]}",
    )


def _such(number: int, noun: str) -> str:
    return f" ({number:,} such {noun}s)" if number > 1 else ""


def _cluster_cases(column: Any, case: Names) -> CountArray:
    """Return the cluster of each case; a case in two clusters is refused."""
    labels, codes = code_column(column, "cluster", case.codes.size)
    found = np.empty(len(case.texts), np.int64)
    found[case.codes] = codes
    differs = found[case.codes] != codes
    if differs.any():
        cases = np.unique(case.codes[differs])
        one = int(cases[0])
        names = [labels[code] for code in np.unique(codes[case.codes == one])[:2]]
        raise InputError(
            "must be the same in all readings of a case",
            f"case {show_case(case.texts[one])} is in {names[0]!r} and in {names[1]!r}"
            f"{_such(cases.size, 'case')}",
            "A cluster, such as a patient, contains whole cases.",
            argument="clusters",
        )
    return found


# ------------------------------------------------------------------------------------- readings


def _count_cells(cells: IndexArray, is_positive: BoolArray, shape: tuple[int, int]) -> CountArray:
    """Count readings by test, reader and class, (tests, readers, 2), positives last."""
    size = 2 * shape[0] * shape[1]
    return np.bincount(2 * cells + is_positive, minlength=size).reshape(*shape, 2)


def _refuse_lost(
    lacking: CountArray, rows: CountArray, tests: tuple[str, ...], readers: tuple[str, ...]
) -> MissingError:
    """Return the error of missing scores, with counts by reader and test."""
    places = np.argwhere(lacking.any(axis=2))
    each = [
        f"reader {readers[j]!r} lacks {lacking[i, j].sum():,} of {rows[i, j].sum():,}"
        f"{f' under {tests[i]!r}' * (len(tests) > 1)} ({lacking[i, j, 1]:,} positive)"
        for i, j in places[:_MOST_NAMED]
    ]
    if len(places) > _MOST_NAMED:
        each.append(f"and {len(places) - _MOST_NAMED} more combinations of reader and test")
    return MissingError(
        Message("{} must not contain missing values", mention("y_score")),
        f"{lacking.sum():,} of {count(int(rows.sum()), 'reading')} have none: {', '.join(each)}",
        Message("Leave them out by {}, if readings are missing at random.", arg("missing", "drop")),
    )


def _check_once(test: Names, reader: Names, case: Names, named: bool) -> None:
    """Refuse two readings of a case by the same reader under the same test."""
    n_cases = len(case.texts)
    own = (test.codes * len(reader.texts) + reader.codes) * n_cases + case.codes
    found, times = np.unique(own, return_counts=True)
    twice = times > 1
    if not twice.any():
        return
    cell, k = divmod(int(found[twice][0]), n_cases)
    i, j = divmod(cell, len(reader.texts))
    remedy = Message(
        "Average or drop them first; for several lesions of a patient name lesions in {} and "
        "patients in {}.",
        arg("case"),
        arg("clusters"),
    )
    if not named:
        remedy = Message(
            "If they are of different tests, name these in {}. {}", arg("test"), remedy
        )
    raise InputError(
        f"Each reader must read each case once{' under each test' * named}",
        f"reader {reader.texts[j]!r} has {times[twice][0]} readings of case "
        f"{show_case(case.texts[k])}{f' under {test.texts[i]!r}' * named}"
        f"{_such(int(twice.sum()), 'reading')}",
        remedy,
    )


def _lay_out(
    test: Names, reader: Names, case: Names, scores: FloatArray, is_positive: BoolArray
) -> dict[str, Any]:
    """Return scores by test, reader and case, and the class of each case."""
    shape = len(test.texts), len(reader.texts), len(case.texts)
    if np.prod(shape, dtype=float) > MOST_CELLS:
        raise InputError(
            f"Tests, readers and cases must make at most {MOST_CELLS:,} combinations",
            f"{shape[0]:,} x {shape[1]:,} x {shape[2]:,} are more",
            "Analyse some of the readers or cases at a time.",
        )
    table: npt.NDArray[np.float64] = np.full(shape, np.nan)
    table[test.codes, reader.codes, case.codes] = scores
    classes = np.zeros(shape[2], np.bool_)
    classes[case.codes] = is_positive
    check_classes(classes)
    return {
        "tests": test.texts,
        "readers": reader.texts,
        "cases": case.texts,
        "scores": freeze(table),
        "is_positive": freeze(classes),
    }


def check_classes(classes: BoolArray) -> None:
    """Refuse cases of one class only."""
    if classes.all() or not classes.any():
        kind = "positive" if classes.any() else "negative"
        raise InputError(
            "The cases that were read must contain both classes",
            f"all {classes.size:,} are {kind}",
            "An ROC curve needs at least one positive and one negative case.",
        )
