"""Counting scored rows of files and frames, in bins or exactly."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import Any

from rocbands.core.arguments import explain
from rocbands.core.checks import check_flag, check_progress
from rocbands.core.columns import ColumnName, against_rest, frame_kind, name_each
from rocbands.core.models import name_columns
from rocbands.core.progress import Progress
from rocbands.core.rows import Origin, new_origin
from rocbands.errors import InputError, warn
from rocbands.io.columns import Choice, Wanted
from rocbands.io.engine import Engine, can_open, open_engine
from rocbands.io.files import RowReader, open_rows
from rocbands.io.form import Form
from rocbands.io.samples import identify_file
from rocbands.io.streams import name_source
from rocbands.scale.accumulator import Accumulator, find_positive
from rocbands.scale.counts import ScoreCounts
from rocbands.scale.frames import read_frame
from rocbands.scale.query import count_columns, count_frame
from rocbands.scale.sources import Scan, list_files


@explain
def count_scores(
    source: Any,
    *,
    label: ColumnName | None = None,
    score: ColumnName | Sequence[ColumnName] = (),
    positive: object = None,
    rest: bool = False,
    by: ColumnName | None = None,
    weights: ColumnName | None = None,
    exact: bool = False,
    encoding: str | None = None,
    decimal: str | None = None,
    progress: Progress | None = None,
) -> ScoreCounts:
    r"""Count positives and negatives at each score or in each bin, where the rows are.

    No row is ever dropped: a missing label, score or value of `by` is an error. Memory stays
    bounded for any number of rows: large files are counted by DuckDB, if it is installed, and lazy
    frames by their own engine, each by one query.

    Parameters
    ----------
    source : path, list of paths, frame, data set or relation
        Parquet, CSV, TSV or JSON lines files, plain or compressed with gzip; a folder of such
        files; a pattern such as ``"scores/*.parquet"``; a pandas or Polars frame; a PyArrow
        table, data set or record batch reader; any lazy frame that narwhals reads, which its own
        engine or cluster counts: Polars, a DuckDB relation, Dask, Spark, a table of Ibis.
    label : str, optional
        Name of the label column; by default the one called y_true, y, label, target or the like.
    score : str or sequence of str, optional
        Names of the score columns, one for each model; by default all whose names begin with
        score or y_score, else the only column of numbers besides the labels.
    positive : object, optional
        The positive label; needed unless the labels are {0, 1}, {-1, 1} or booleans.
    rest : bool, default False
        One class against the rest: all labels but `positive` are negative.
    by : str, optional
        Name of a column, such as a country: rows with the same value there are a part, which is
        counted separately. :meth:`ScoreCounts.split` gives the parts.
    weights : str, optional
        Name of a column of positive weights: their sums and sums of squares are stored with the
        counts, and the curve is weighted.
    exact : bool, default False
        Count each distinct score. By default scores are put into bins that are the same for
        every source, at most 1/4096 of the score wide; ``.certificate`` bounds the effect on the
        AUC.
    encoding, decimal : str, optional
        Encoding and decimal sign of files of text, as for :meth:`Sample.from_file`.
    progress : callable, optional
        Called with the bytes read and the total (None if unknown).

    Returns
    -------
    ScoreCounts
        The counts; they can be added, and functions accept them in place of a sample.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"y": [1, 0, 1, 0], "score": [0.9, 0.2, 0.4, 0.4]})
    >>> count_scores(table).roc.auc
    0.875
    """
    named = name_each(label=label, by=by, weights=weights)
    is_pandas = frame_kind(source) == "pandas" and hasattr(source, "columns")
    rows = count_rows(
        source,
        label=named.get("label"),
        score=name_columns(score, "score", source.columns if is_pandas else ()),
        by=named.get("by"),
        weights=named.get("weights"),
        exact=exact,
        form=Form(encoding=encoding, decimal=decimal),
        progress=progress,
    )
    return rows.split(against_rest(positive, rest), rows.choice.label)


@dataclass(frozen=True)
class CountedRows:
    """Rows counted by label, before the positive label is known."""

    accumulator: Accumulator  # what was counted
    choice: Choice  # the columns that were read
    labels: list[Any]  # the different labels and parts, by code
    parts: list[str]
    origin: Origin  # where they come from

    def split(self, positive: object, name: str, *, spoken: bool = False) -> ScoreCounts:
        """Return the counts of both classes; messages call the labels `name`.

        A `spoken` label was given as text on the command line, and may be a number.
        """
        is_positive, labels = find_positive(self.labels, positive, name, spoken=spoken)
        found = self.accumulator.count_columns(self.choice.models, self.parts, is_positive)
        by = next(iter(self.choice.keys), None)
        return ScoreCounts.of(**found, labels=labels, by=by, origin=self.origin)


def count_rows(
    source: Any,
    *,
    label: str | None,
    score: tuple[str, ...],
    by: str | None,
    exact: bool,
    form: Form,
    progress: Progress | None,
    weights: str | None = None,
) -> CountedRows:
    """Count rows by label; the parameters are those of :func:`count_scores`."""
    check_flag(exact, "exact")
    check_progress(progress)
    keys = () if by is None else (by,)
    numbers = () if weights is None else (weights,)
    wanted = Wanted("the rows", label, tuple(dict.fromkeys(score)), keys, numbers, form)
    scan, accumulator = Scan(wanted), Accumulator(exact)
    files = list_files(source) if _is_paths(source) else []
    origin = _find_origin(files)
    if files:
        _count_files(files, scan, accumulator, progress)
    else:
        form.check(f"a {type(source).__name__}")
        chunks = read_frame(source, scan)
        if chunks is None:
            accumulator = count_frame(source, scan, exact)
        for chunk in chunks or ():
            accumulator.add(scan.encode(chunk))
    if scan.choice is None or not scan.labels.values:
        raise InputError(
            "There must be rows to count", "the source has none", "Check the step that made it."
        )
    for note in scan.notes:
        warn(note)
    return CountedRows(accumulator, scan.choice, scan.labels.values, scan.by.values, origin)


def _find_origin(files: Sequence[str]) -> Origin:
    """Identify the rows of files, so that counting them again gives the same origin."""
    names = sorted(map(identify_file, files))
    if not names or not all(names):  # no files, or a pipe
        return new_origin()
    if len(names) == 1:
        return Origin(names[0])
    return Origin(hashlib.sha256("\n".join(names).encode()).hexdigest())


def _is_paths(source: Any) -> bool:
    if isinstance(source, (str, os.PathLike)):
        return True
    return isinstance(source, (list, tuple)) and all(
        isinstance(part, (str, os.PathLike)) for part in source
    )


def _count_files(
    files: Sequence[str], scan: Scan, accumulator: Accumulator, progress: Progress | None
) -> None:
    """Count files one by one: large ones by DuckDB, the others here.

    DuckDB takes the types of several files from the first. What it refuses, and what the query
    refuses, is read again here, where every message names the row.
    """
    sizes = [os.path.getsize(file) if os.path.isfile(file) else None for file in files]
    known = [size for size in sizes if size is not None]
    total = sum(known) if len(known) == len(files) else None
    before = latest = 0

    def report(done: int, size: int | None) -> None:
        nonlocal latest
        latest = max(latest, before + (done if size is None else min(done, size)))
        if progress is not None:
            progress(latest, total)

    with ExitStack() as stack:
        engine: Engine | None = None  # until a file is large enough for it
        for file, size in zip(files, sizes, strict=True):
            with open_rows(file, report, scan.wanted.form) as rows:
                choice = scan.choose(name_source(file), rows.names, rows.is_number)
                if engine is None and can_open(rows.path):
                    engine = stack.enter_context(open_engine())
                counted: Accumulator | None = None
                exact = accumulator.exact
                if engine is not None and can_open(rows.path):
                    counted = _count_by_engine(engine, rows, choice, scan, exact, report)
                if counted is not None:
                    accumulator.merge(counted)
                else:
                    for chunk in rows.chunks(choice):
                        accumulator.add(scan.encode(chunk))
                scan.notes |= dict.fromkeys(note.text for note in rows.notes)
            report(size or 0, size)
            before += size or 0


def _count_by_engine(
    engine: Engine, rows: RowReader, choice: Choice, scan: Scan, exact: bool, report: Progress
) -> Accumulator | None:
    """Count a file by one query; None if it has to be read row by row."""
    import narwhals as nw

    size = os.path.getsize(rows.path or "")

    def work() -> Accumulator | None:
        with suppress(InputError):
            relation = rows.relation(engine, choice)
            if relation is not None:
                frame = nw.from_native(relation)
                return count_columns(frame, choice, "the file", scan, exact, rows.read_labels)
        return None

    return engine.run(work, lambda share: report(round(share * size), size))
