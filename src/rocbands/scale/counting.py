"""Count scored rows, wherever they are: the door."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from threading import Event, Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import check_flag
from rocbands.core.columns import score_column, to_column
from rocbands.errors import InputError
from rocbands.io.cells import CellError
from rocbands.io.columns import Choice, Wanted
from rocbands.io.files import Progress
from rocbands.scale.counts import ScoreCounts
from rocbands.scale.engines import counted_elsewhere
from rocbands.scale.frames import rows_of
from rocbands.scale.labels import Codes, classes
from rocbands.scale.lanes import Lane, Left, Reading
from rocbands.scale.sources import file_lanes, paths_of
from rocbands.scale.sums import of_one_type
from rocbands.scale.tally import ROWS, Chunk, Tally

__all__ = ["CountedRows", "count_arrays", "count_scores", "read_rows"]

_THREADS = min(4, os.cpu_count() or 1)  # reading scales further than counting does


def count_scores(
    source: Any,
    *,
    label: str | None = None,
    scores: str | Sequence[str] = (),
    positive: object = None,
    group: str | None = None,
    exact: bool = False,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> ScoreCounts:
    r"""Count positives and negatives at each score or in each bin, in one pass over the rows.

    No row is ever dropped: a missing label, score or group is an error that says where it stands.
    Memory stays bounded however many rows there are; exact counts of many different scores go
    through DuckDB if it is installed, which keeps on disk what memory cannot hold.

    Parameters
    ----------
    source : path, list of paths, frame, data set or relation
        Parquet, CSV, TSV or JSON lines files, plain or packed with gzip; a folder of such files; a
        pattern such as ``"scores/*.parquet"``; a pandas or Polars frame, lazy ones included; a
        PyArrow table, data set or record batch reader; a DuckDB relation; a Dask or a Spark frame,
        which is counted by its own cluster.
    label : str, optional
        Name of the label column; by default the one called y_true, y, label, target or the like.
    scores : str or sequence of str, optional
        Names of the score columns, one for each model; by default all whose names begin with
        score or y_score, else the only column of numbers besides the labels.
    positive : object, optional
        The positive label; needed unless the labels are {0, 1}, {-1, 1} or booleans.
    group : str, optional
        Name of a column of groups, each of which is counted by itself.
    exact : bool, default False
        Count each score by itself. By default scores are put into bins that are the same for
        every source, at most 1/4096 of the score wide; ``.certificate`` says how much an AUC can
        change by that.
    progress : callable, optional
        Called now and then with the bytes read and the bytes in all (None where unknown).
    executor : concurrent.futures.Executor, optional
        Who counts files, in shards: processes, or the `get_executor()` of a Dask client. The
        workers must see the files under the same paths.

    Returns
    -------
    ScoreCounts
        The counts; they add up, and ``.roc()`` is the curve.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"y": [1, 0, 1, 0], "score": [0.9, 0.2, 0.4, 0.4]})
    >>> count_scores(table).roc().auc
    0.875
    """
    names = (scores,) if isinstance(scores, str) else tuple(scores)
    rows = read_rows(
        source,
        label=label,
        scores=names,
        group=group,
        exact=exact,
        progress=progress,
        executor=executor,
    )
    return rows.counts(positive, rows.choice.label)


@dataclass(frozen=True)
class CountedRows:
    """Rows that have been counted by label, before it is said which label is positive.

    Attributes
    ----------
    tally : Tally
        What was counted.
    choice : Choice
        The columns that were read.
    labels, groups : list
        The different labels and groups, by code.
    exact : bool
        Whether scores were counted by themselves.
    """

    tally: Tally
    choice: Choice
    labels: list[Any]
    groups: list[str]
    exact: bool

    def counts(self, positive: object, name: str, *, spoken: bool = False) -> ScoreCounts:
        """Return the counts; `name` stands for the labels in messages.

        A `positive` that is `spoken` came as text, and may mean a number.
        """
        is_positive, labels = classes(self.labels, positive, name, spoken=spoken)
        return gathered(
            self.tally, self.choice.scores, self.groups, is_positive, labels, self.exact
        )


def read_rows(
    source: Any,
    *,
    label: str | None,
    scores: tuple[str, ...],
    group: str | None,
    exact: bool,
    progress: Progress | None,
    executor: Executor | None = None,
) -> CountedRows:
    """Count rows by label; the parameters are those of :func:`count_scores`."""
    check_flag(exact, "exact")
    keys = () if group is None else (group,)
    wanted = Wanted("the rows", label, tuple(dict.fromkeys(scores)), keys)
    reading = Reading(wanted, Codes.for_labels(label or "label"), Codes(group or "group"), progress)
    files = paths_of(source) if _is_paths(source) else None
    tally = counted_elsewhere(source, files, reading, exact, executor)
    if tally is None:
        lanes = rows_of(source, reading) if files is None else file_lanes(files, reading)
        # A pipe is read by the main thread, where an interrupt ends the wait for more.
        tally = _counted(lanes, exact, 1 if files == ["-"] else _THREADS)
    choice = reading.choice
    if choice is None or not reading.labels.names:
        raise InputError(
            "There must be rows to count; the source holds none. Check the step that made it."
        )
    return CountedRows(tally, choice, reading.labels.names, reading.groups.names, exact)


def count_arrays(
    y_true: Any, y_scores: Mapping[str, Any], *, positive: object, groups: Any, exact: bool
) -> ScoreCounts:
    """Count arrays that are in memory; see :meth:`ScoreCounts.from_arrays`."""
    check_flag(exact, "exact")
    if not isinstance(y_scores, Mapping) or not y_scores:
        raise InputError(
            "`y_scores` must map at least one model name to its scores; "
            f"got {type(y_scores).__name__}. Pass a dict such as {{'logistic': scores}}."
        )
    if len({str(name) for name in y_scores}) < len(y_scores):
        raise InputError(
            "Names of models must differ as text; found two that do not, such as 1 and '1'. "
            "Rename one of them."
        )
    labels, owners = Codes.for_labels("y_true"), Codes("groups")
    columns = {
        str(name): score_column(column, f"y_score of {name!r}") for name, column in y_scores.items()
    }
    try:
        places = labels.encode(to_column(y_true, "y_true"))
        members = None if groups is None else owners.encode_names(to_column(groups, "groups"))
    except CellError as bad:
        raise InputError(f"Row {bad.row}: {bad}") from None
    for name, column in [*columns.items(), ("groups", members)]:
        if column is not None and column.size != places.size:
            raise InputError(
                "Labels, scores and groups must be equally long; `y_true` has "
                f"{places.size} rows and {name!r} has {column.size}."
            )
    tally = Tally(exact)
    for begin in range(0, places.size, ROWS):
        rows = slice(begin, begin + ROWS)
        part = {name: column[rows] for name, column in columns.items()}
        tally.add(Chunk(places[rows], None if members is None else members[rows], part))
    is_positive, names = classes(labels.names, positive, "y_true")
    return gathered(tally, tuple(columns), owners.names, is_positive, names, exact)


def _is_paths(source: Any) -> bool:
    if isinstance(source, (str, os.PathLike)):
        return True
    return isinstance(source, (list, tuple)) and all(
        isinstance(part, (str, os.PathLike)) for part in source
    )


def _counted(lanes: Iterator[Lane], exact: bool, threads: int) -> Tally:
    try:
        if exact and all(importlib.util.find_spec(name) for name in ("duckdb", "pyarrow")):
            from rocbands.scale.spill import spilled

            return spilled(lanes)
        return _in_threads(lanes, exact, threads)
    finally:
        # Not when the error that ended it is forgotten: a source may be waiting to be let go.
        if isinstance(lanes, Generator):
            lanes.close()


def _in_threads(lanes: Iterator[Lane], exact: bool, threads: int) -> Tally:
    """Let threads take lane after lane, each with a tally of its own."""
    stop, lock = Event(), Lock()

    def pull() -> Lane | None:
        with lock:
            return None if stop.is_set() else next(lanes, None)

    def work() -> Tally:
        tally = Tally(exact)

        def count(chunk: Chunk) -> None:
            if stop.is_set():
                raise Left
            tally.add(chunk)

        try:
            while (lane := pull()) is not None:
                lane(count)
        except Left:
            return tally
        except BaseException:
            stop.set()
            raise
        return tally

    if threads == 1:
        return work()
    with ThreadPoolExecutor(threads) as pool:
        try:
            tallies = [job.result() for job in [pool.submit(work) for _ in range(threads)]]
        except BaseException:
            stop.set()
            raise
    whole = tallies[0]
    for tally in tallies[1:]:
        whole.merge(tally)
    return whole


def gathered(
    tally: Tally,
    models: Sequence[str],
    groups: Sequence[str],
    is_positive: npt.NDArray[np.bool_],
    labels: tuple[str | None, str | None],
    exact: bool,
) -> ScoreCounts:
    """Make counts of what a tally has found, now that it is known which labels are positive."""
    cells = list(tally.runs)
    parts = [tally.runs.pop(cell).total() for cell in cells]
    sizes = [values.size for values, _ in parts]

    def column(of: Callable[[int, int], int]) -> npt.NDArray[np.intp]:
        marks = [of(i, cell[2]) for i, cell in enumerate(cells)]
        return np.repeat(np.array(marks, dtype=np.intp), sizes)

    counts = np.concatenate([part for _, part in parts])
    positive = column(lambda _, code: int(is_positive[code]))
    values = np.concatenate(of_one_type([values for values, _ in parts]))
    return ScoreCounts.of(
        (list(models), list(groups)),
        (
            column(lambda i, _: list(models).index(cells[i][0])),
            column(lambda i, _: cells[i][1]),
        ),
        values if exact else values.astype(np.int64),
        (counts * positive, counts * (1 - positive)),
        binned=not exact,
        labels=labels,
    )
