"""Scored rows from files: CSV, TSV, JSON lines, Parquet, Arrow and Excel, also compressed.

The format is determined from the first bytes, not from the name.
"""

from __future__ import annotations

import codecs
import csv
import io
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Protocol, overload

import numpy as np
import numpy.typing as npt

from rocbands.core.arguments import explain
from rocbands.core.checks import BoolArray, check_choice
from rocbands.core.columns import MissingError
from rocbands.core.progress import Progress
from rocbands.core.sample import Sample
from rocbands.core.sample_columns import Dropped, ReadCases, find_readings, score_title
from rocbands.errors import InputError, Message, arg, call
from rocbands.io.columns import (
    MOST_LABELS,
    Choice,
    Chunk,
    Codes,
    Note,
    NumberFormatError,
    ScoreTable,
    Wanted,
    is_missing,
    list_columns,
    locate,
    no_rows,
    parse_labels,
    refuse_bad_weights,
)
from rocbands.io.engine import Engine
from rocbands.io.excel import MARK as ZIP
from rocbands.io.excel import workbook_to_csv
from rocbands.io.form import UNKNOWN, Form
from rocbands.io.jsonlines import JsonRows
from rocbands.io.parquet import ArrowTable, ParquetRows, open_parquet
from rocbands.io.streams import (
    EXAMPLE,
    EXAMPLE_READINGS,
    Recoded,
    Stream,
    name_source,
    open_unpacked,
    read_all,
    to_seekable,
)
from rocbands.io.text import DelimitedRows

if TYPE_CHECKING:
    from rocbands.readers.readings import Readings

EXAMPLE_MODELS = ("logistic", "neighbours")
_BOM = b"\xef\xbb\xbf"
_ARROW = b"ARROW1"
# iMRMC's files have free text above this line, and rows without names of columns below it.
_IMRMC = re.compile(rb'^[^\S\n]*"?BEGIN DATA\b.*', re.IGNORECASE | re.MULTILINE)
_IMRMC_NAMES = b"readerID,caseID,modalityID,score"
_PICKLE = "a pickle, which can run any code"
# By the first bytes: what a file is, and what to do; by default it is saved again as CSV.
_FOREIGN = {
    b"\xd0\xcf\x11\xe0": ("an Excel workbook of before 2007", ""),
    b"FEA1": ("a Feather file of version 1", ""),
    **dict.fromkeys((b"\x80\x03", b"\x80\x04", b"\x80\x05"), (_PICKLE, "")),
    b"%PDF": ("a PDF", "Ask for the table itself, or copy it into a sheet and save that as CSV."),
    **dict.fromkeys((b"X\n\0\0", b"RDX"), ("data of R", "In R: write.csv(DATA, 'scores.csv').")),
    **dict.fromkeys((b"$FL2", b"$FL3"), ("data of SPSS", "In SPSS: File, Save as, CSV.")),
    b"<stata": ("data of Stata", "In Stata: export delimited scores.csv."),
}
# Words for a row that sums up the others.
_TOTALS = {
    *("total", "totals", "sum", "mean", "average", "median", "sd", "all"),
    *("summe", "gesamt", "mittelwert", "somme", "moyenne", "totale", "media", "suma"),
}
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


class RowReader(Protocol):
    """Interface of open files of all formats."""

    names: list[str]  # the columns
    path: str | None  # of a file that DuckDB may read as it is

    def is_number(self, name: str) -> bool:
        """Tell whether a column contains numbers, by its type or its first row."""

    def chunks(self, choice: Choice) -> Iterator[Chunk]:
        """Read the rows, once."""

    def guess_rows(self, rows: int) -> int:
        """Estimate the total number of rows from the number read so far."""

    def relation(self, engine: Engine, choice: Choice) -> Any:
        """Return the chosen columns as a relation of DuckDB; None if rows or cells might differ.

        A score that is not a number is null, or has to be read again.
        """

    def read_labels(self, name: str, labels: list[Any]) -> list[Any]:
        """Convert distinct values of a column of the relation; raises CellError if they are bad."""

    @property
    def notes(self) -> Sequence[Note]:
        """How the file was read, once it is."""


def read_scores(
    source: str | os.PathLike[str],
    *,
    label: str | None = None,
    scores: Sequence[str] = (),
    keys: Sequence[str] = (),
    weights: str | None = None,
    times: str | None = None,
    missing: str = "raise",
    form: Form = UNKNOWN,
    progress: Progress | None = None,
    most: int | None = None,
) -> ScoreTable:
    r"""Read labels and scores from a file, one row for each case.

    Arguments as for :meth:`rocbands.Sample.from_file`; `keys` are columns that say which cluster or
    fold each row is in; `weights` and `times` are columns of numbers, which become keys of the
    result, too. Only these columns are kept in memory. A cell that cannot be used is an error that
    says where it is; so are more than `most` rows.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile(suffix=".csv") as file:
    ...     _ = file.write(b"label,score\n1,0.8\n0,0.3\n")
    ...     file.flush()
    ...     table = read_scores(file.name)
    >>> table.y_true, table.y_scores["score"]
    (array([1, 0]), array([0.8, 0.3]))
    """
    names = (scores,) if isinstance(scores, str) else tuple(dict.fromkeys(scores))
    numbers = tuple(dict.fromkeys(filter(None, (weights, times))))
    keys = tuple(name for name in dict.fromkeys(keys) if name not in numbers)
    wanted = Wanted(name_source(source), label, names, keys, numbers, form)
    check_choice(missing, ("raise", "drop"), "missing")
    try:
        with open_rows(source, progress, form) as rows:
            try:
                choice = wanted.choose(rows.names, rows.is_number)
            except InputError as problem:
                raise _lead_to_classes(problem, source, wanted) from None
            choice = replace(choice, missing=missing == "drop")
            read = find_readings(rows.names)
            if read is not None and read[1] not in choice.names:
                choice = replace(choice, keys=(*choice.keys, read[1]), case=read[1])
            try:
                return _gather(rows, choice, wanted.source, weights, most)
            except InputError as problem:
                named = label is not None and names
                raise (_ask_exchanged(problem, choice, rows) if named else problem) from None
    except MissingError as problem:
        raise problem if source == "-" else _count_missing(source, wanted, problem) from None


def _ask_exchanged(problem: InputError, choice: Choice, rows: RowReader) -> InputError:
    """Ask whether columns were exchanged, if labels are numbers and scores are not."""
    other = isinstance(problem, (MissingError, NumberFormatError))
    if other or not rows.is_number(choice.label):
        return problem
    if any(rows.is_number(name) for name in choice.scores):
        return problem
    remedy = Message(
        "Is {!r} the column of scores, and {!r} the labels? Then exchange {} and {}.",
        choice.label,
        choice.scores[0],
        arg("label"),
        arg("score"),
    )
    return InputError(problem.must, problem.found, remedy, argument=problem.argument)


def _lead_to_classes(problem: InputError, source: Any, wanted: Wanted) -> InputError:
    """Say what to do if labels of several classes have a column of scores each."""
    if (
        wanted.scores
        or source == "-"
        or (found := find_classes(source, wanted.label, wanted.form)) is None
    ):
        return problem
    label, columns = found
    return InputError(
        f"{wanted.source}: it must be clear which columns contain labels and scores",
        f"column {label!r} has {len(columns)} classes, and each has a column of scores: "
        f"{list_columns(list(columns.values()))}",
        Message(
            "All classes: {} with {}. One of them: {} with {}, {} and {}.",
            call("class_bands", "sample"),
            arg("label", label),
            arg("label", label),
            arg("positive", next(iter(columns))),
            arg("rest", True),
            arg("score", next(iter(columns.values()))),
        ),
    )


def find_classes(
    source: str | os.PathLike[str], label: str | None = None, form: Form = UNKNOWN
) -> tuple[str, dict[str, str]] | None:
    """Find the labels of several classes, and the column of scores that is named after each class.

    Returns the only column, or `label`, each value of which names another column, as 'cat' names
    'cat' or 'score_cat'; and these columns by class. None if there is no such column.
    """
    with open_rows(source, form=form) as rows:
        names = list(dict.fromkeys(rows.names))
        found: dict[str, dict[str, str]] = {
            name: {} for name in names if (name == label if label else not rows.is_number(name))
        }
        if not found:
            return None
        first, *others = found
        for chunk in rows.chunks(Choice(first, (), tuple(others), missing=True)):
            for name in list(found):
                texts = {str(value).strip() for value in chunk.labels[name][0] if value is not None}
                matched = match_classes(texts, [one for one in names if one != name])
                if matched is None:
                    del found[name]
                else:
                    found[name] |= matched
            if not found:
                return None
    several = [name for name, columns in found.items() if len(columns) > 2]
    if len(several) != 1:
        return None
    columns = found[several[0]]
    return several[0], {
        name: columns[name] for name in sorted(columns, key=lambda name: names.index(columns[name]))
    }


def match_classes(classes: Iterable[str], columns: Sequence[str]) -> dict[str, str] | None:
    """Return the column of scores of each class, which is named cat or, alone, as score_cat.

    Examples
    --------
    >>> match_classes(["cat", "dog"], ["score_cat", "dog", "age"])
    {'cat': 'score_cat', 'dog': 'dog'}
    >>> match_classes(["cat", "owl"], ["score_cat", "dog", "age"])
    """
    found = {}
    for name in classes:
        ends = [one for one in columns if one == name] or [
            one for one in columns if one.endswith(f"_{name}")
        ]
        if len(ends) != 1:
            return None
        found[name] = ends[0]
    return found if len({*found.values()}) == len(found) else None


def _count_missing(source: Any, wanted: Wanted, problem: InputError) -> InputError:
    """Read a file again, to count the missing values by column and class."""
    try:
        with open_rows(source, form=wanted.form) as rows:
            choice = replace(wanted.choose(rows.names, rows.is_number), missing=True)
            dropped = _gather(rows, choice, wanted.source).dropped
    except InputError as other:  # further down
        said = Message("{}. Besides, {}", problem.found, other.message)
        remedy = Message(
            "Correct that first; for missing values there is {}.", arg("missing", "drop")
        )
        return InputError(problem.must, said.rstrip("."), remedy, argument=problem.argument)
    assert dropped is not None, "the first pass found a missing value"
    columns = {score_title(name, choice.models): name for name in choice.models}
    each = "; ".join(
        f"{columns.get(title, title)!r} {_count_classes(dropped.labels[mask])}"
        for title, mask in dropped.missing.items()
        if mask.any()
    )
    size = f"{dropped.labels.size} of {dropped.n} rows with missing values"
    found = f"{size} ({_count_classes(dropped.labels)}); by column: {each}"
    remedy = Message("Correct or remove such rows, or pass {}.", arg("missing", "drop"))
    return InputError(problem.must, f"{problem.found}. In all, {found}", remedy)


def _count_classes(labels: npt.NDArray[Any]) -> str:
    found, sizes = np.unique(labels, return_counts=True)
    return ", ".join(
        f"{size} of class {name!r}" if name else f"{size} without a label"
        for name, size in zip(map(str, found), sizes, strict=True)
    )


class _Column:
    """A column that is filled chunk by chunk, so that no chunk stays in memory."""

    def __init__(self) -> None:
        self.size = 0
        self._rows: npt.NDArray[Any] = np.empty(0)

    def append(self, part: npt.NDArray[Any], guess: Callable[[int], int]) -> None:
        """Add a chunk; `guess` estimates the final length from the current one."""
        start, self.size = self.size, self.size + part.size
        kind = part.dtype if not start else np.result_type(self._rows, part)
        if self.size > self._rows.size or kind != self._rows.dtype:
            # Unused space at the end was never written, so it takes no memory.
            longer = np.empty(max(guess(self.size), self.size + self.size // 8), kind)
            longer[:start] = self._rows[:start]
            self._rows = longer
        self._rows[start : self.size] = part

    def close(self) -> npt.NDArray[Any]:
        """Return the column."""
        self._rows.resize(self.size, refcheck=False)
        return self._rows


def _gather(
    reader: RowReader,
    choice: Choice,
    source: str,
    weights: str | None = None,
    most: int | None = None,
) -> ScoreTable:
    """Read all rows of the chosen columns; `weights` is the column of weights."""
    # One label for each class; clusters may have as many names as there are rows.
    codes = {choice.label: Codes(choice.label, MOST_LABELS)}
    codes |= {name: Codes(name) for name in choice.keys}
    found = gather_cells(reader, choice, codes, source, weights, most)
    _refuse_total(codes[choice.label], found[choice.label], source)
    read = _count_cases(reader.names, found, codes)
    if choice.case is not None:
        del found[choice.case], codes[choice.case]
    dropped, places = None, None
    if choice.missing:
        gone = _find_missing(found, codes)
        rows = np.logical_or.reduce(list(gone.values()))
        if rows.any():
            dropped = _describe_dropped(rows, gone, found[choice.label], codes, choice)
            places = np.flatnonzero(~rows)
            found = {name: column[~rows] for name, column in found.items()}
    keys = {name: _label_array(codes[name].values, found.pop(name)) for name in codes}
    labels = keys.pop(choice.label)
    keys |= {name: found.pop(name) for name in choice.numbers}
    about = tuple(reader.names), tuple(reader.notes), read
    return ScoreTable(labels, found, choice.label, source, keys, dropped, places, *about)


def _refuse_total(codes: Codes, rows: npt.NDArray[Any], source: str) -> None:
    """Refuse a last row that sums up the others."""
    last = codes.values[rows[-1]]
    word = last.strip(" :").casefold() if isinstance(last, str) else ""
    if word in _TOTALS and np.count_nonzero(rows == rows[-1]) == 1:
        raise InputError(
            f"{source}: every row must be a case",
            f"column {codes.column!r} of the last row is {last!r}",
            "Remove that row, if it sums up the others.",
        )


def _count_cases(
    names: Sequence[str], columns: Mapping[str, npt.NDArray[Any]], codes: Mapping[str, Codes]
) -> ReadCases | None:
    """Count the cases of rows that may be readings, and the rows whose case is known."""
    read = find_readings(names)
    if read is None or read[1] not in codes:
        return None
    known = [not is_missing(value) for value in codes[read[1]].values]
    sizes = np.bincount(columns[read[1]], minlength=len(known))[known]
    return ReadCases(*read, int(sizes.sum()), int(np.count_nonzero(sizes)))


def gather_cells(
    reader: RowReader,
    choice: Choice,
    codes: Mapping[str, Codes],
    source: str,
    weights: str | None = None,
    most: int | None = None,
) -> dict[str, npt.NDArray[Any]]:
    """Read all rows of the chosen columns; those in `codes` as codes, the others as numbers."""
    columns = {name: _Column() for name in choice.names}
    for chunk in reader.chunks(choice):
        parts = dict(chunk.scores)
        with locate(chunk.place):
            choice.refuse_missing(chunk.labels)
            if weights is not None:
                refuse_bad_weights(weights, chunk.scores[weights])
            for name, encoded in chunk.labels.items():
                parts[name] = codes[name].encode(*encoded)
        for name, part in parts.items():
            columns[name].append(part, reader.guess_rows)
        refuse_more(columns[choice.label].size, most, source)
    if not columns[choice.label].size:
        raise no_rows(source)
    return {name: column.close() for name, column in columns.items()}


def refuse_more(rows: int, most: int | None, source: str) -> None:
    """Refuse more than `most` rows; None allows any number."""
    if most is not None and rows > most:
        raise InputError(
            f"{source} must have at most {most:,} rows",
            "it has more",
            "On the command line, 'rocbands count' counts any number of rows, and 'rocbands "
            "report' makes the report from the counts.",
        )


def _find_missing(
    columns: dict[str, npt.NDArray[Any]], codes: dict[str, Codes]
) -> dict[str, BoolArray]:
    """Tell which cells have no value: by code, or NaN among scores."""
    gone = {}
    for name, coded in codes.items():
        missing = [code for code, value in enumerate(coded.values) if is_missing(value)]
        gone[name] = np.isin(columns[name], missing)
    return gone | {name: np.isnan(columns[name]) for name in columns if name not in codes}


def _describe_dropped(
    rows: BoolArray,
    gone: dict[str, BoolArray],
    labels: npt.NDArray[Any],
    codes: dict[str, Codes],
    choice: Choice,
) -> Dropped:
    """Return the rows with missing values; refuse a file in which every row has one."""
    if rows.all():
        raise InputError(
            "There must be rows without missing values",
            "every row has one",
            "Choose other columns.",
        )
    words = np.array(["" if is_missing(v) else str(v) for v in codes[choice.label].values])
    titles = {name: score_title(name, choice.models) for name in choice.models}
    missing = {titles.get(name, name): mask[rows] for name, mask in gone.items()}
    return Dropped(rows.size, words[labels[rows]], missing, choice.models)


def _label_array(values: list[Any], rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return one label for each row: booleans, numbers or text."""
    there = [place for place, value in enumerate(values) if not is_missing(value)]
    known = [values[place] for place in there]
    if known and isinstance(known[0], str):
        known = parse_labels(known)
    distinct: npt.NDArray[Any] = np.array(known)
    if len(there) < len(values):  # codes of missing values occur in no remaining row
        rows = np.searchsorted(there, rows)
    return np.asarray(distinct[rows])


def column_names(source: str | os.PathLike[str], form: Form = UNKNOWN) -> list[str]:
    """Return the names of a file's columns without reading more than its first rows."""
    with open_rows(source, form=form) as rows:
        return list(rows.names)


@contextmanager
def open_rows(
    source: str | os.PathLike[str],
    progress: Progress | None = None,
    form: Form = UNKNOWN,
    most: int | None = None,
) -> Iterator[RowReader]:
    """Open a file of rows, or stdin for "-"; errors are one sentence.

    `most`: the number of rows that will be read, of formats that cannot be read in parts.
    """
    name = name_source(source)
    with open_unpacked(source, progress) as (stream, counted):
        head = stream.peek(8)
        plain = stream.raw is counted and counted.total is not None and source != "-"
        path = os.fspath(source) if plain else None
        if head.startswith(b"PAR1"):
            form.check(name)
            with open_parquet(to_seekable(stream, counted, name), name) as parquet:
                yield ParquetRows(parquet, name, counted.report_share, path)
        elif head.startswith(_ARROW):
            form.check(name)
            table = ArrowTable(to_seekable(stream, counted, name), name)
            yield ParquetRows(table, name, counted.report_share)
        elif head.startswith(ZIP):
            form.check(name, "sheet", "decimal")
            book, report = to_seekable(stream, counted, name), counted.report_share
            text = workbook_to_csv(book, name, form.sheet, most=most, report=report)
            yield DelimitedRows(io.BytesIO(text), name, form, len(text), typed=True)
        else:
            total = counted.total if stream.raw is counted else None
            yield _open_text(stream, name, form, total, path)


def _open_text(
    stream: Stream, source: str, form: Form, total: int | None, path: str | None
) -> RowReader:
    """Open a stream of text in any encoding; `total`: its bytes, if they are known."""
    head = stream.peek(8)
    _refuse_foreign(head, source)
    encoding = form.encoding
    if encoding is None and head.startswith(_UTF16):
        encoding = "utf-16"
    if encoding is not None and codecs.lookup(encoding).name not in ("utf-8", "utf-8-sig"):
        stream, total, path = io.BufferedReader(Recoded(stream, encoding, source)), None, None
    form = replace(form, encoding=encoding)
    if stream.peek(len(_BOM)).startswith(_BOM):
        stream.read(len(_BOM))
        path = None
    head = stream.peek(8)
    if head.lstrip().startswith(b"{"):
        form.check(source, "encoding")
        return JsonRows(stream, source, form, total, path)
    form.check(source, "encoding", "decimal")
    if (above := _IMRMC.search(head)) is not None:
        lines = stream.read(above.end()).count(b"\n")  # blank, so that the others count
        text = b"\n" * lines + _IMRMC_NAMES + read_all(stream, source)
        return DelimitedRows(io.BytesIO(text), source, form, len(text))
    return DelimitedRows(stream, source, form, total, path)


def _refuse_foreign(head: bytes, source: str) -> None:
    if not head:
        raise no_rows(source, "column names and rows", "it is empty")
    if source.endswith((".parquet", ".pq")):
        raise InputError(
            f"{source} must be a Parquet file, as its name says",
            "it does not begin like one",
            "Rename it, or write it again.",
        )
    if head.lstrip().lower().startswith((b"<!doctype html", b"<html")):
        raise InputError(
            f"{source} must be a table, such as CSV",
            "it is HTML, a page for a browser",
            "Download the table itself: a page of an error or of a login may be here instead.",
        )
    for mark, (kind, remedy) in _FOREIGN.items():
        if head.startswith(mark):
            raise InputError(
                f"{source} must be CSV, TSV, JSON lines, Parquet, Arrow or Excel (.xlsx), plain or "
                "compressed with gzip, bzip2, xz or zstandard",
                f"it is {kind}",
                remedy or "Save it again as CSV in UTF-8.",
            )
    if head.removeprefix(_BOM).lstrip().startswith(b"["):
        raise InputError(
            f"{source} must contain one JSON object on each line",
            "it begins with a JSON array",
            "Write it as JSON lines, for example with: jq -c '.[]'.",
        )


@overload
def load_example(name: Literal["models"] = ...) -> Sample: ...
@overload
def load_example(name: Literal["readers"]) -> Readings: ...
@explain
def load_example(name: Literal["models", "readers"] = "models") -> Sample | Readings:
    """Two models' scores of 569 biopsies, 212 of them malignant; or a reader study.

    Every biopsy was scored by a model trained on the other nine of ten folds. ``logistic`` is a
    logistic regression on the texture and the compactness of the cell nuclei; ``neighbours`` is
    the share of malignant cases among the 15 nearest in texture and symmetry, so its scores are
    heavily tied.

    In the reader study, which is simulated, six readers rate 100 cases from 0 to 100, aided by an
    algorithm and unaided; 40 cases are positive.

    Parameters
    ----------
    name : {'models', 'readers'}, default 'models'
        Which of them.

    Returns
    -------
    Sample or Readings
        Of the biopsies, the positive label is ``'malignant'``, and the column ``fold`` is kept.

    Examples
    --------
    >>> import rocbands as rb
    >>> rb.load_example()
    <Sample: 569 rows (212 malignant, 357 benign), 2 models: logistic, neighbours; kept: fold>
    >>> rb.load_example("readers")
    <Readings: factorial: 6 readers x 2 tests x 100 cases (40 + 60)>
    """
    models = ("breast", "breast_cancer", "cancer", "biopsies")
    check_choice(name, ("models", "readers"), "name", dict.fromkeys(models, "models"))
    if name == "readers":
        from rocbands.readers.readings import Readings

        return Readings.from_file(str(EXAMPLE_READINGS))
    header, *rows = csv.reader(EXAMPLE.read_text(encoding="utf-8").splitlines())
    columns = dict(zip(header, map(np.array, zip(*rows, strict=True)), strict=True))
    scores = {name: columns[name].astype(np.float64) for name in EXAMPLE_MODELS}
    fold = columns["fold"].astype(int)
    return Sample(columns["diagnosis"], scores, positive="malignant", keep={"fold": fold})
