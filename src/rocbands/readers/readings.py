"""The data of a reader study, checked once: who read which case under which test."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from rocbands.core.arguments import HasNotes, explain_constructor, suggest
from rocbands.core.checks import (
    BoolArray,
    CountArray,
    FloatArray,
    FrozenState,
    IndexArray,
    check_choice,
    check_path,
    check_progress,
    freeze,
)
from rocbands.core.columns import (
    Column,
    ColumnName,
    Frame,
    Labels,
    frame_kind,
    name_column,
    name_each,
)
from rocbands.core.models import list_given, list_names
from rocbands.core.rows import renumber
from rocbands.core.sample import Sample
from rocbands.core.sample_columns import Dropped
from rocbands.errors import InputError
from rocbands.readers.reading_columns import check_classes, read_columns, write_name
from rocbands.readers.reading_design import count, describe_design
from rocbands.readers.reading_frames import melt_columns, name_cells, pick_columns

if TYPE_CHECKING:
    import os

    from rocbands.core.progress import Progress

_MOST_NOTES = 6  # notes of single readers


@dataclass(eq=False, repr=False, init=False)
class Readings(HasNotes, FrozenState):
    """Readings of cases by several readers, under one or several tests.

    A reading is the score that a reader gave to a case under a test (a modality, or with and
    without assistance). Any design will do: every reader may read every case under every test, or
    only some of them; `design` says what was found.

    Parameters
    ----------
    y_true : array-like of shape (n,), or mapping of case to label
        The label of each reading's case, one of two; all readings of a case must agree. Or the
        label of each case; other cases in the mapping are ignored.
    y_score : array-like of shape (n,)
        The score of each reading. A larger score means more positive; scores may be infinite.
    reader, case : array-like of shape (n,)
        Who read, and what. Names are compared as text, whole numbers without decimals: 1, 1.0 and
        '1' are one reader.
    test : array-like of shape (n,), optional
        The test of each reading; by default there is one.
    clusters : array-like of shape (n,), optional
        Cases that depend on each other have the same cluster, such as the lesions of one patient.
    positive : object, optional
        The positive label; needed unless the labels are {0, 1}, {-1, 1} or booleans.
    missing : {'raise', 'drop'}
        How to treat rows with a missing value: raise an error with counts by reader and test, or
        leave these readings out. Results then note how many. A reading that was not made needs no
        row.

    Attributes
    ----------
    tests, readers, cases : tuple of str
        Their names, in order of appearance; without `test` the only test is called 'test'.
    scores : ndarray of float, shape (n_tests, n_readers, n_cases)
        The scores; NaN where a case was not read.
    is_positive : ndarray of bool, shape (n_cases,)
        The class of each case.
    clusters : ndarray of int, shape (n_cases,), or None
        The cluster of each case, numbered from 0.
    positive, negative : object
        The labels.
    design : str
        The design in words, with its sizes.
    frame : {'pandas', 'polars', 'pyarrow'} or None
        The kind of frame the columns came from.

    Examples
    --------
    >>> import rocbands as rb
    >>> readings = rb.Readings(
    ...     {"c1": 1, "c2": 1, "c3": 0, "c4": 0},
    ...     [5, 4, 2, 3, 4, 3, 3, 1],
    ...     reader=["A"] * 4 + ["B"] * 4,
    ...     case=["c1", "c2", "c3", "c4"] * 2,
    ... )
    >>> readings
    <Readings: one test: 2 readers x 4 cases (2 + 2)>
    >>> rb.auc_interval(readings.sample("B")).estimate
    0.875
    """

    tests: tuple[str, ...]
    readers: tuple[str, ...]
    cases: tuple[str, ...]
    scores: FloatArray
    is_positive: BoolArray
    clusters: CountArray | None
    positive: object
    negative: object
    design: str
    frame: str | None
    _lacking: CountArray  # readings left out, (n_tests, n_readers, 2), positives last
    _left_out: tuple[str, ...]  # notes of rows without a name, and of readers without readings
    _source: str  # identifies the study
    _places: IndexArray  # index of each case in the study

    @explain_constructor
    def __init__(
        self,
        y_true: Labels | Mapping[Any, Any],
        y_score: Column,
        *,
        reader: Labels,
        case: Labels,
        test: Labels | None = None,
        clusters: Labels | None = None,
        positive: object = None,
        missing: str = "raise",
    ) -> None:
        columns = {"y_score": y_score, "reader": reader, "case": case}
        self._read(y_true, {**columns, "test": test, "clusters": clusters}, positive, missing)

    def _read(
        self,
        y_true: Any,
        columns: Mapping[str, Any],
        positive: object,
        missing: str,
        unread: bool = False,
    ) -> Self:
        """Set all attributes from columns; see `read_columns`."""
        check_choice(missing, ("raise", "drop"), "missing")
        fields = read_columns(y_true, columns, positive=positive, missing=missing, unread=unread)
        places = freeze(np.arange(len(fields["cases"])))
        return self._fill({**fields, "_source": uuid.uuid4().hex, "_places": places})._set_design()

    def _set_design(self) -> Self:
        """Set the design, which follows from the other fields."""
        return self._fill({"design": describe_design(self.read, self.is_positive, self.clusters)})

    def come_from(self, source: str, notes: Iterable[str]) -> Self:
        """Return the same, read from a `source` with further notes."""
        return self._copy(_source=source or self._source, _left_out=(*notes, *self._left_out))

    # ------------------------------------------------------------------------- other ways in

    @classmethod
    @explain_constructor
    def from_frame(
        cls,
        data: Frame | Mapping[Any, Labels],
        *,
        label: ColumnName,
        score: ColumnName,
        reader: ColumnName,
        case: ColumnName,
        test: ColumnName | None = None,
        clusters: ColumnName | None = None,
        positive: object = None,
        missing: str = "raise",
    ) -> Self:
        """Take columns of a data frame, or of a mapping, with one row for each reading.

        Parameters
        ----------
        data : pandas, Polars or PyArrow frame, or mapping of str to array-like
            The columns.
        label, score, reader, case : str
            Their names; see :class:`Readings`.
        test, clusters : str, optional
            Names of further columns.
        positive, missing
            As for :class:`Readings`.

        Examples
        --------
        >>> import rocbands as rb
        >>> table = {
        ...     "reader": ["A", "A", "A", "A", "B", "B", "B", "B"],
        ...     "modality": ["CT", "CT", "MR", "MR"] * 2,
        ...     "case": [1, 2] * 4,
        ...     "truth": [1, 0] * 4,
        ...     "rating": [4, 2, 5, 1, 3, 3, 4, 2],
        ... }
        >>> rb.Readings.from_frame(
        ...     table, label="truth", score="rating", reader="reader", case="case", test="modality"
        ... )
        <Readings: factorial: 2 readers x 2 tests x 2 cases (1 + 1)>
        """
        named = name_each(y_score=score, reader=reader, case=case, test=test, clusters=clusters)
        named = {"y_true": name_column(label, "label"), **named}
        return cls(**pick_columns(data, named), positive=positive, missing=missing)

    @classmethod
    @explain_constructor
    def from_wide(
        cls,
        frame: Frame | Mapping[Any, Labels],
        *,
        case: ColumnName,
        label: ColumnName,
        columns: Mapping[Any, ColumnName],
        clusters: ColumnName | None = None,
        positive: object = None,
        missing: str = "raise",
    ) -> Self:
        """Take a wide table: one row for each case, one column of scores for each reader and test.

        Parameters
        ----------
        frame : pandas, Polars or PyArrow frame, or mapping of str to array-like
            The table. An empty cell of a column of scores is a reading that was not made.
        case, label : str
            Names of the columns of cases and of their labels.
        columns : mapping of (str, str) to str
            Names of the columns of scores by (reader, test); by the reader alone if there is one
            test.
        clusters : str, optional
            Name of the column of clusters.
        positive : object, optional
            As for :class:`Readings`.
        missing : {'raise', 'drop'}
            How to treat rows without a case, a label or a cluster.

        Examples
        --------
        >>> import rocbands as rb
        >>> table = {"id": [1, 2, 3], "ill": [1, 0, 0], "ct": [4, 1, 2], "mr": [5, None, 1]}
        >>> columns = {("A", "CT"): "ct", ("A", "MR"): "mr"}
        >>> rb.Readings.from_wide(table, case="id", label="ill", columns=columns)
        <Readings: incomplete: 1 reader x 2 tests x 3 cases (1 + 2), 5 of 6 readings>
        """
        named = name_cells(columns)
        check_choice(missing, ("raise", "drop"), "missing")
        uses = name_each(y_true=label, case=case, clusters=clusters)
        picked = pick_columns(frame, uses)
        cells = pick_columns(frame, named, "columns")
        long, notes = melt_columns(cells, picked, missing)
        kind = next(filter(None, map(frame_kind, picked.values())), None)
        y_true = long.pop("y_true")
        made = object.__new__(cls)._read(y_true, long, positive, missing, unread=True)
        return made.come_from("", notes)._fill({"frame": kind})

    @classmethod
    @explain_constructor
    def from_file(
        cls,
        path: str | os.PathLike[str],
        *,
        label: str | None = None,
        score: str | None = None,
        reader: str | None = None,
        case: str | None = None,
        test: str | None = None,
        clusters: str | None = None,
        positive: object = None,
        missing: str = "raise",
        sheet: str | None = None,
        encoding: str | None = None,
        decimal: str | None = None,
        progress: Progress | None = None,
    ) -> Self:
        """Read readings from a file of any format that the command line reads, one row for each.

        Files of iMRMC are read as they are: four columns (reader, case, modality, score) below a
        line "BEGIN DATA:" or with their names above them, and labels in the rows of a reader
        called 'truth' or '-1'.

        Parameters
        ----------
        path : str or path-like
            CSV, TSV, JSON lines, Parquet, Feather or Excel; compressed ones too.
        label : str, optional
            Column of labels; by default the one called y_true, label, truth or the like.
        score : str, optional
            Column of scores; by default the one called score or rating.
        reader : str, optional
            Column of readers; by default the one called reader, rater or observer.
        case : str, optional
            Column of cases; by default the one called case or patient.
        test : str, optional
            Column of tests; by default the one called test, treatment or modality, if there is one.
        clusters, positive, missing
            As for :meth:`from_frame`.
        sheet : str, optional
            Sheet of a workbook; by default the first.
        encoding, decimal
            As for :meth:`Sample.from_file`.
        progress : callable, optional
            Called with the fraction of the file that has been read.

        Notes
        -----
        Capitals and an 'ID' at the end of a name do not matter: 'ReaderID' is 'reader'. Names in
        text files stay as they are written, so that case 1.10 is not case 1.1.
        """
        from rocbands.io.form import Form
        from rocbands.io.readings import read_readings

        check_path(path, "rb.Readings.from_frame(df, label=..., score=..., reader=..., case=...)")
        check_progress(progress)
        named = name_each(
            label=label, score=score, reader=reader, case=case, test=test, clusters=clusters
        )
        return read_readings(
            cls,
            path,
            named,
            positive=positive,
            missing=missing,
            form=Form(sheet, encoding, decimal),
            progress=progress,
        )

    # ----------------------------------------------------------------------- what there is

    @property
    def read(self) -> BoolArray:
        """Whether each case was read, shape (n_tests, n_readers, n_cases)."""
        return ~np.isnan(self.scores)

    @property
    def n_cases(self) -> int:
        """Number of cases."""
        return len(self.cases)

    @property
    def n_pos(self) -> int:
        """Number of positive cases."""
        return int(np.count_nonzero(self.is_positive))

    @property
    def n_neg(self) -> int:
        """Number of negative cases."""
        return self.n_cases - self.n_pos

    @property
    def n_readings(self) -> int:
        """Number of readings."""
        return int(np.count_nonzero(self.read))

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes that results of these readings must repeat: what was left out."""
        lacking = self._lacking.sum(axis=2)
        rows = lacking + np.count_nonzero(self.read, axis=2)
        # The largest gaps first, if there are many.
        places = np.argwhere(lacking)
        if len(places) > _MOST_NOTES:
            places = places[np.argsort(-lacking[tuple(places.T)], kind="stable")]
        notes = [
            f"Reader {self.readers[j]!r} lacks {lacking[i, j]:,} of {rows[i, j]:,} cases"
            f"{f' under {self.tests[i]!r}' * (len(self.tests) > 1)} "
            f"({self._lacking[i, j, 1]:,} positive)."
            for i, j in places[:_MOST_NOTES]
        ]
        if len(places) > _MOST_NOTES:
            more = self._lacking[tuple(places[_MOST_NOTES:].T)].sum(axis=0)
            notes.append(
                f"{count(len(places) - _MOST_NOTES, 'further combination')} of reader and test "
                f"{'lacks' if len(places) == _MOST_NOTES + 1 else 'lack'} "
                f"{more.sum():,} cases ({more[1]:,} positive)."
            )
        notes = [f"{note} Readings are taken to be missing at random." for note in notes]
        return (*notes, *self._left_out)

    def __repr__(self) -> str:
        return f"<Readings: {self._describe()}>"

    def _describe(self) -> str:
        lost = int(self._lacking.sum())
        return self.design + (f"; {count(lost, 'reading')} left out" if lost else "")

    def _repr_html_(self) -> str:
        from rocbands.io.tables import html_table

        made = self.read.any(axis=2)
        test, reader = np.nonzero(made)
        read, scores = self.read[made], self.scores[made]
        rows = {
            "reader": [self.readers[j] for j in reader],
            "test": [self.tests[i] for i in test],
            "positives": (read & self.is_positive).sum(axis=1).tolist(),
            "negatives": (read & ~self.is_positive).sum(axis=1).tolist(),
            "distinct_scores": [
                np.unique(x[own]).size for x, own in zip(scores, read, strict=True)
            ],
        }
        return html_table("\n".join([f"{self._describe()}.", *self.notes]), rows)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("Readings are frozen; make others from other columns")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("Readings are frozen")

    # ----------------------------------------------------------------------- parts of it

    @explain_constructor
    def sample(self, reader: str, test: str | None = None) -> Sample:
        """Return the cases of one reader as a sample, for every other function of the package.

        Parameters
        ----------
        reader : str
            The reader's name.
        test : str, optional
            The test; needed only if there are several and one is meant.

        Returns
        -------
        Sample
            The cases that the reader read, scored by one model named after the reader. Of several
            tests without `test`: the cases that were read under each, and models named after the
            tests.

        Examples
        --------
        >>> import rocbands as rb
        >>> table = {"y": [1, 0] * 4, "score": [4, 2, 5, 1, 3, 3, 4, 2], "case": [1, 2] * 4}
        >>> table |= {"who": list("AAAABBBB"), "test": ["CT", "CT", "MR", "MR"] * 2}
        >>> readings = rb.Readings.from_frame(
        ...     table, label="y", score="score", reader="who", case="case", test="test"
        ... )
        >>> readings.sample("B", "CT")
        <Sample: 2 rows (1 of class 1, 1 of class 0), 1 model: B>
        >>> readings.sample("B").models
        ('CT', 'MR')
        """
        j = find_name(reader, self.readers, "reader")
        tests = [i for i in range(len(self.tests)) if self.read[i, j].any()]
        names = [self.tests[i] for i in tests]
        if test is not None or len(self.tests) == 1:
            tests = [0] if test is None else [find_name(test, self.tests, "test")]
            names = [self.readers[j]]
        places = np.flatnonzero(self.read[tests, j].all(axis=0))
        classes = self.is_positive[places]
        if classes.all() or not classes.any():
            kind = "negative case" if classes.any() else "positive case" if places.size else "case"
            under = " and ".join(repr(self.tests[i]) for i in tests)
            raise InputError(
                "Each reader needs cases of both classes under each test",
                f"reader {self.readers[j]!r} read no {kind} under {under}",
                "Leave the reader out, or ask for another test.",
            )
        labels = np.empty(2, dtype=object)
        labels[:] = self.negative, self.positive
        sample = Sample(
            labels[classes.astype(np.intp)],
            {name: self.scores[i, j, places] for name, i in zip(names, tests, strict=True)},
            positive=self.positive,
            clusters=None if self.clusters is None else self.clusters[places],
        )
        # Two samples of the same cases must not be taken for two test sets.
        return sample._copy(
            frame=self.frame,
            dropped=self._find_dropped(tests, j, names, labels),
            _source=self._source,
            _places=freeze(self._places[places]),
        )

    def _find_dropped(
        self, tests: list[int], j: int, names: list[str], labels: npt.NDArray[Any]
    ) -> Dropped | None:
        """Return the cases of a reader that a sample leaves out; None if there are none.

        Of one test, those without a score; of several, those that were read under some only.
        """
        texts, read = np.array([str(label) for label in labels]), self.read[tests, j]
        size = int(np.count_nonzero(read.any(axis=0)))
        if len(tests) == 1:
            gone = np.repeat(texts, self._lacking[tests[0], j])
            size += gone.size
            missing = {"y_score": np.ones(gone.size, np.bool_)}
        else:
            part = read.any(axis=0) & ~read.all(axis=0)
            gone = texts[self.is_positive[part].astype(np.intp)]
            missing = {
                f"y_score of {name!r}": ~own[part] for name, own in zip(names, read, strict=True)
            }
        return Dropped(size, gone, missing, tuple(names)) if gone.size else None

    @explain_constructor
    def take(
        self, readers: str | Iterable[str] | None = None, tests: str | Iterable[str] | None = None
    ) -> Self:
        """Return the readings of some of the readers, or under some of the tests.

        Parameters
        ----------
        readers, tests : str or list of str, optional
            Their names, in the order that is wanted; by default all. Cases that none of them read
            are left out.

        Examples
        --------
        >>> import rocbands as rb
        >>> readings = rb.Readings(
        ...     [1, 0] * 3, [3, 1, 2, 2, 3, 2], reader=list("AABBCC"), case=[1, 2] * 3
        ... )
        >>> readings.take(["C", "A"]).readers
        ('C', 'A')
        """
        under = _find_names(tests, self.tests, "tests")
        by = _find_names(readers, self.readers, "readers")
        chosen = np.ix_(under, by)
        scores = self.scores[chosen]
        seen = np.flatnonzero((~np.isnan(scores)).any(axis=(0, 1)))
        classes = self.is_positive[seen]
        check_classes(classes)
        return self._copy(
            tests=tuple(self.tests[i] for i in under),
            readers=tuple(self.readers[j] for j in by),
            cases=tuple(self.cases[k] for k in seen),
            scores=freeze(scores[:, :, seen]),
            is_positive=freeze(classes),
            clusters=None if self.clusters is None else renumber(self.clusters[seen]),
            _lacking=freeze(self._lacking[chosen]),
            _places=freeze(self._places[seen]),
        )._set_design()


def find_name(name: Any, known: tuple[str, ...], argument: str, must: str = "must be among") -> int:
    """Return the place of a name among those known; `must` begins the message about others."""
    text = write_name(name)
    if text not in known:
        raise InputError(
            f"{must} {list_names(known)}",
            f"got {text!r}",
            suggest(text, known, "Name one of them."),
            argument=argument,
        )
    return known.index(text)


def _find_names(names: Any, known: tuple[str, ...], argument: str) -> list[int]:
    """Return the places of one or several names; of all that are known without any."""
    if names is None:
        return list(range(len(known)))
    found = [find_name(name, known, argument) for name in list_given(names)]
    if not found or len(set(found)) < len(found):
        raise InputError(
            "must name at least one, and each once",
            f"got {[known[place] for place in found]!r}",
            f"There are {list_names(known)}.",
            argument=argument,
        )
    return found
