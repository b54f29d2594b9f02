"""A table or figure of a paper as a study: what is measured, what was printed, what we find."""

from __future__ import annotations

import csv
import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache, partial
from importlib.resources import files
from itertools import product
from typing import Any, ClassVar, Generic, Literal, TypeAlias, TypeVar

import numpy as np

from rocbands.core.method import Method
from rocbands.core.result import Result
from rocbands_studies.catalog import DataSource, Scale
from rocbands_studies.measurements import Cell, name_method
from rocbands_studies.papers.datasets import load_dataset
from rocbands_studies.results import Figure, StudyResult
from rocbands_studies.spec import Study

__all__ = [
    "BEYOND",
    "Cause",
    "Claim",
    "DataSource",
    "PaperCell",
    "PaperResult",
    "PaperStudy",
    "Picture",
    "Row",
    "Scale",
    "Verdict",
    "judge_claim",
    "judge_own",
    "mean_of",
    "read_printed",
    "read_stored",
    "say_facts",
    "shorten",
    "spread_text",
    "write_numbers",
]

Verdict: TypeAlias = Literal["agrees", "differs", "cannot be compared"]
ClaimVerdict: TypeAlias = Literal[
    "reproduced",
    "not reproduced",
    "contradicted",
    "cannot be compared",
    "holds",
    "does not hold",
    "too few sets",
]
Cause: TypeAlias = Literal["", "the paper", "our substitute", "not known"]
BEYOND = "Beyond the paper: "  # how statements of our own begin

_NORMAL_99 = 2.576  # of differences that are noise, one in a hundred is called one
_NORMAL_95 = 1.960


@dataclass(frozen=True, kw_only=True)
class Row:
    """One printed number and ours.

    Parameters
    ----------
    where : Mapping
        Which number: names and values, such as {"r": 100, "theta": 2}.
    ours : Figure
        What was measured, with its interval.
    printed : float or None
        The paper's number; None where it is not readable.
    noise : float, default 0
        Standard error of the printed number, as far as the paper or its scatter tells.
    digits : int, default 2
        Decimals that were printed.
    why_not : str
        Why the two cannot be compared; empty if they can.
    note : str
        What the reader should know.
    other : Figure, optional
        Ours under a second reading that the paper leaves open: a printed number between both
        readings agrees.
    stored : str, optional
        The verdict of a row that was stored.
    """

    where: Mapping[str, object]
    ours: Figure
    printed: float | None = None
    noise: float = 0.0
    digits: int = 2
    why_not: str = ""
    note: str = ""
    other: Figure | None = None
    stored: Verdict | None = None

    @property
    def verdict(self) -> Verdict:
        """'agrees' if the difference is no larger than the noise of both numbers allows."""
        if self.stored is not None:
            return self.stored
        if self.printed is None or self.why_not:
            return "cannot be compared"
        ours = (self.ours, self.other or self.ours)
        own = max(one.high - one.low for one in ours) / (2.0 * _NORMAL_95)
        reach = _NORMAL_99 * math.hypot(own, self.noise) + 0.5 * 10.0**-self.digits
        low, high = min(ours).value - reach, max(ours).value + reach
        return "agrees" if low <= self.printed <= high else "differs"


@dataclass(frozen=True)
class Claim:
    """Something a paper says in words, what we find, and whether that bears it out.

    Parameters
    ----------
    text : str
        The statement. One of our own begins with `BEYOND`.
    finding : str
        What was measured.
    verdict : str
        'contradicted' if the opposite was found, 'not reproduced' if the statement did not come
        out. A statement of our own 'holds' or 'does not hold': it is no paper's to reproduce. 'too
        few sets' if the noise of a quick run could turn the verdict around.
    item : str
        Table, figure or section; empty if it is that of the study.
    short : str
        The finding in one sentence, where it is long.
    cause : str
        Why a statement of a paper did not come out: 'the paper' if the finding shows that it errs
        or contradicts itself, 'our substitute' if we measured with other data or learners and these
        may make the difference, 'not known' (default) if neither can be shown. Empty if it came
        out.
    """

    text: str
    finding: str
    verdict: ClaimVerdict
    item: str = ""
    short: str = ""
    cause: Cause = ""

    def __post_init__(self) -> None:
        failed = self.verdict in ("not reproduced", "contradicted")
        object.__setattr__(self, "cause", (self.cause or "not known") if failed else "")


@dataclass(frozen=True)
class Picture:
    """How rows become a picture; each word names one of their columns.

    Parameters
    ----------
    x : str
        Along which a line runs; words that are no numbers are put side by side.
    lines, panels : tuple of str
        What tells lines of a panel apart, and panels.
    target : float, optional
        The height that lines should have.
    """

    x: str
    lines: tuple[str, ...] = ()
    panels: tuple[str, ...] = ()
    target: float | None = None


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PaperResult(Result):
    """A paper's numbers beside ours.

    Attributes
    ----------
    name, title, paper : str
        Which study, what it shows, and where it was printed.
    rows : tuple of Row
        Number by number.
    claims : tuple of Claim
        What the paper says in words.
    picture : Picture or None
        How the rows are drawn.
    notes : tuple of str
        Errata, substitutes and whatever else explains a difference.
    scale : {'quick', 'full'}
        How much was measured.
    seed : int
        Of the random streams.
    """

    schema: ClassVar[str] = "rocbands.paper/2"
    FACTS: ClassVar[tuple[str, ...]] = (
        *("name", "title", "paper", "scale", "seed"),
        *("command", "notes", "claims"),
    )
    DRAW_FUNCTION: ClassVar[tuple[str, str]] = ("rocbands_studies.papers.panels", "draw_paper")

    name: str
    title: str
    paper: str
    rows: tuple[Row, ...]
    claims: tuple[Claim, ...] = ()
    picture: Picture | None = None
    notes: tuple[str, ...] = ()
    scale: Scale
    seed: int

    @property
    def command(self) -> str:
        """The command that measures this again."""
        return f"rocbands study run {self.name} --{self.scale} --seed {self.seed}"

    def columns(self) -> Mapping[str, Any]:
        names = dict.fromkeys(name for row in self.rows for name in row.where)
        columns: dict[str, Any] = {
            name: [row.where.get(name) for row in self.rows] for name in names
        }
        columns |= {
            "printed": [row.printed for row in self.rows],
            "ours": [row.ours.value for row in self.rows],
            "low": [row.ours.low for row in self.rows],
            "high": [row.ours.high for row in self.rows],
            "n": [row.ours.n for row in self.rows],
            "verdict": [row.verdict for row in self.rows],
            "note": [row.why_not or row.note for row in self.rows],
        }
        return {name: column for name, column in columns.items() if _says_something(column)}

    def _brief(self) -> str:
        return f"{self.name}, {len(self.rows)} numbers, {len(self.claims)} claims"

    @property
    def sentence(self) -> str:
        """What came of the statements and of the printed numbers."""
        verdicts = Counter(claim.verdict for claim in self.claims)
        judged = Counter(row.verdict for row in self.rows)
        agree, differ = judged["agrees"], judged["differs"]
        said = [f"{count} {verdict}" for verdict, count in verdicts.items()]
        said += [f"{agree} of {agree + differ} printed numbers agree"] * bool(agree + differ)
        counts = ", ".join(said) or "nothing printed to compare with"
        return f"{self.title} ({self.paper}): {counts}."

    def describe(self) -> tuple[str, Mapping[str, Any]]:
        rows = sorted(self.rows, key=_find_rank)[:_MOST_ROWS]
        named, same = _name_rows(rows)
        lines = [f"In all rows: {same}."] if same else []
        if len(rows) < len(self.rows):
            lines.append(f"{len(rows)} of {len(self.rows)} rows; all are in --format csv.")
        lines.append("Intervals are in --format csv; notes and findings in full, --format json.")
        lines.append(f"Again: {self.command}")
        numbers = [_write_numbers(row) for row in rows]
        shown: dict[str, Any] = dict(named)
        if any(row.printed is not None for row in rows):
            shown["printed"] = [one[0] for one in numbers]
        shown["ours"] = [one[1] for one in numbers]
        shown["verdict"] = [
            "" if row.verdict == "cannot be compared" else row.verdict for row in rows
        ]
        return "\n".join(lines), shown

    def arrange(self) -> tuple[str, Mapping[str, Any], str]:
        below, rows = self.describe()
        claims = (
            f"{one.verdict}: {one.text} Ours: {one.short or one.finding}" for one in self.claims
        )
        return "\n".join([self.sentence, *claims]), rows, below


def _find_rank(row: Row) -> int:
    """Place rows that differ first, then those that agree, then other printed ones."""
    order = ("differs", "agrees", "cannot be compared")
    return order.index(row.verdict) + (row.printed is None)


def _name_rows(rows: Sequence[Row]) -> tuple[dict[str, list[Any]], str]:
    """Columns that tell rows apart, few enough for 80 characters, and what all rows share."""
    names = dict.fromkeys(name for row in rows for name in row.where)
    columns: dict[str, list[Any]] = {
        name: [shorten(row.where.get(name)) for row in rows] for name in names
    }
    same = {name: column[0] for name, column in columns.items() if len(set(column)) == 1}
    if len(same) < len(columns):
        columns = {name: column for name, column in columns.items() if name not in same}
    else:
        same = {}
    if len(columns) > _MOST_NAMES:
        first, *others = columns
        settings = [say_facts({name: row.where.get(name) for name in others}) for row in rows]
        columns = {first: columns[first], "setting": settings}
    return columns, say_facts(same)


def shorten(value: object) -> object:
    """Write a number without zeros at its end; leave everything else as it is."""
    return f"{value:g}" if isinstance(value, float) else value


def say_facts(facts: Mapping[str, object]) -> str:
    """Say names and values; single words stand for themselves, unless their name is a phrase.

    Examples
    --------
    >>> say_facts({"method": "fixed-width", "fitting from": "R", "r": 625, "tested": None})
    'fixed-width, fitting from R, r 625'
    """
    known = ((name, value) for name, value in facts.items() if value not in (None, ""))
    return ", ".join(
        value if isinstance(value, str) and " " not in name else f"{name} {value}"
        for name, value in known
    )


_MOST_ROWS = 12  # of printed text
_MOST_NAMES = 3  # columns that name a row of text; of more, all but the first are joined


def write_numbers(
    printed: float | None, ours: float, low: float, high: float
) -> tuple[str, str, str, str]:
    """Write the numbers of a row with decimals that suit it: a column may hold counts and shares.

    These are two significant digits of half the interval's length, and no fewer than were printed.

    Examples
    --------
    >>> write_numbers(0.956, 0.732472, 0.7175, 0.7474)
    ('0.956', '0.732', '0.718', '0.747')
    >>> write_numbers(311025, 311029.0, 311029.0, 311029.0)
    ('311025', '311029', '311029', '311029')
    >>> write_numbers(None, 0.0000742, 0.0000701, 0.0000783)
    ('', '0.0000742', '0.0000701', '0.0000783')
    """
    known = [ours, low, high, *([] if printed is None else [printed])]
    half = (high - low) / 2.0 if math.isfinite(high - low) else 0.0  # too few for an interval
    if all(float(one).is_integer() for one in known) and (half == 0.0 or abs(ours) >= 1000.0):
        digits = 0 if abs(ours) > 1.0 else 3
    else:
        digits = 3 if half <= 0.0 else 1 - math.floor(math.log10(half))
        least, most = (0 if abs(ours) >= 1000.0 else 2), (8 if abs(ours) < 0.005 else 4)
        digits = min(max(digits, least), most)
    shown = "" if printed is None else f"{round(printed, 3):.12g}"  # means have no end
    if "." in shown:
        digits = max(digits, len(shown.partition(".")[2]))

    def write(number: float) -> str:
        text = f"{number:.{digits}f}"
        return text.removeprefix("-") if not text.strip("-0.") else text

    return shown, write(ours), write(low), write(high)


def _write_numbers(row: Row) -> tuple[str, str, str, str]:
    shown, ours, low, high = write_numbers(row.printed, *row.ours[:3])
    if row.printed is not None and not float(row.printed).is_integer():
        shown = f"{row.printed:.{row.digits}f}"
    return shown, ours, low, high


def read_stored(document: Mapping[str, Any], picture: Picture | None = None) -> PaperResult:
    """Make a result of its JSON record, for its text and its picture."""
    columns = document["columns"]
    known = {"printed", "ours", "low", "high", "n", "verdict", "note"}
    rows = []
    for cells in zip(*columns.values(), strict=True):
        row = dict(zip(columns, cells, strict=True))
        where = {k: v for k, v in row.items() if k not in known and v is not None}
        figure = Figure(row["ours"], row["low"], row["high"], row["n"])
        printed, note = row.get("printed"), row.get("note") or ""
        rows.append(
            Row(
                where=where,
                ours=figure,
                printed=printed,
                digits=len(f"{round(printed or 0, 3):.12g}".partition(".")[2]),
                note=note,
                stored=row["verdict"],
            )
        )
    facts = {key: document[key] for key in ("name", "title", "paper", "scale", "seed")}
    claims = tuple(Claim(**claim) for claim in document["claims"])
    notes = tuple(document["notes"])
    return PaperResult(rows=tuple(rows), claims=claims, notes=notes, picture=picture, **facts)


def _says_something(column: list[object]) -> bool:
    return any(value is not None and value != "" for value in column)


Figures = TypeVar(
    "Figures"
)  # the figures of a study, as its methods `rows`, `claims` ... want them


class PaperCell(Cell):
    """A cell whose facts are its fields: names of what has one, methods as they are described."""

    def facts(self) -> Mapping[str, object]:
        facts: dict[str, object] = {}
        for one in fields(self):  # type: ignore[arg-type]
            value = getattr(self, one.name)
            if isinstance(value, Method):
                value = name_method(value)
            elif is_dataclass(value):
                value = getattr(value, "name", str(value))
            if not isinstance(value, tuple):  # places along an axis
                facts[one.name.replace("_", " ")] = value
        return facts


class PaperStudy(ABC, Generic[Figures]):
    """A table or a figure of a paper: what is measured, and how it is compared with the paper.

    Attributes
    ----------
    name : str
        Such as 'macskassy-2005-table3'.
    paper : str
        Authors, year, and the table or figure.
    title : str
        What it shows, in a few words.
    needs : tuple of str
        Names of the data sets that `plan` asks `data` for.
    picture : Picture or None
        How the rows are drawn.
    cause : str
        Why printed numbers of a table do not agree, as for a `Claim`.
    seconds : dict of str to float
        Processor time of `quick` and `full` on the machine of the stored results, from times.csv.
    """

    name: str
    paper: str
    title: str
    needs: tuple[str, ...] = ()
    picture: Picture | None = None
    cause: Cause = "not known"

    def open_data(self, folder: str | None, fetch: bool) -> DataSource:
        """Return where the data sets come from; it can be sent to workers."""
        return partial(load_dataset, folder=folder, fetch=fetch)

    @property
    def seconds(self) -> dict[str, float]:
        """Processor time of either scale, as far as it was measured."""
        return _read_times().get(self.name, {})

    @abstractmethod
    def plan(self, scale: Scale, seed: int, data: DataSource | None) -> Study:
        """Return the cells to measure."""

    @abstractmethod
    def read(self, found: StudyResult, scale: Scale) -> Figures:
        """Arrange the measured figures for the following methods."""

    @abstractmethod
    def rows(self, figures: Figures) -> Iterable[Row]:
        """Put each number beside the printed one."""

    def claims(self, figures: Figures) -> Iterable[Claim]:
        """Judge what the paper says in words."""
        return ()

    def notes(self, figures: Figures) -> Iterable[str]:
        """Name errata, substitutes and whatever else explains a difference."""
        return ()

    def judge(self, found: StudyResult, scale: Scale) -> PaperResult:
        """Compare what was measured with what was printed.

        A quick run has few sets. It keeps a verdict that does not change if figures are moved as
        far as noise may have moved them, together or each by itself, or have other intervals.
        """
        figures = self.read(found, scale)
        claims = tuple(self.claims(figures))
        if scale == "quick":
            for other_figures in _move_all(found):
                again = self.claims(self.read(other_figures, scale))
                claims = tuple(
                    claim
                    if claim.verdict == other.verdict
                    else replace(claim, verdict="too few sets")
                    for claim, other in zip(claims, again, strict=True)
                )
        return PaperResult(
            name=self.name,
            title=self.title,
            paper=self.paper,
            rows=tuple(self.rows(figures)),
            claims=claims,
            picture=self.picture,
            notes=tuple(self.notes(figures)),
            scale=scale,
            seed=found.seed,
        )


_DRAWS = 20
_LENGTHS = (0.1, 0.3, 1.0)  # by which intervals of figures that are moved together are multiplied


def _move_all(found: StudyResult) -> Iterator[StudyResult]:
    """Move all figures as noise may have: together by intervals' halves, and at random.

    Of many figures one is always far off, so that a statement about all of them fails in every
    random draw; moved together, or with the shorter intervals of a full run, it may hold.
    """
    if not _DRAWS:
        return
    for far, length in product((-2.0, -1.0, 0.0, 1.0, 2.0), _LENGTHS):
        yield _move_each(found, partial(float, far), length)
    rng = np.random.default_rng(found.seed)
    for _ in range(_DRAWS):
        yield _move_each(found, rng.standard_normal, 1.0)


def _move_each(found: StudyResult, draw: Callable[[], float], length: float) -> StudyResult:
    """Move each figure by a multiple of half its interval; those along an axis by the same."""

    def move(figures: Figure | list[Figure]) -> Figure | list[Figure]:
        far = draw()
        if isinstance(figures, Figure):
            return _move(figures, far, length)
        return [_move(figure, far, length) for figure in figures]

    cells = (
        one
        if one.cell.exact
        else replace(one, figures={name: move(own) for name, own in one.figures.items()})
        for one in found.cells
    )
    return replace(found, cells=tuple(cells))


def _move(figure: Figure, far: float, length: float) -> Figure:
    """Move a figure by a multiple of half its interval; of a share, by no less than 1 / n makes.

    What is above 0 stays there, as ratios are taken of it.
    """
    value, low, high, n = figure
    half = (high - low) / 2.0 if math.isfinite(high - low) else max(abs(value), 1.0)
    if 0.0 <= value <= 1.0:
        half = max(half, min(2.0 * math.sqrt(value * (1.0 - value)), value) / n)
    moved = value + far * half
    if value >= 0.0:
        moved = max(moved, 0.1 * value)
    if 0.0 <= value <= 1.0:
        moved = min(moved, 1.0)
    return Figure(moved, moved - length * half, moved + length * half, n)


@cache
def _read_times() -> dict[str, dict[str, float]]:
    return read_printed("", "times.csv")


def read_printed(package: str, file: str) -> dict[str, dict[str, float]]:
    """Read a table of printed numbers: by the first column, then by the names of the others.

    Examples
    --------
    >>> read_printed("macskassy_2005", "table3.csv")["25"]["0.75"]
    0.86
    """
    text = (files("rocbands_studies.papers") / package / file).read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    names, *rows = csv.reader(lines)
    return {
        key: {name: float(cell) for name, cell in zip(names[1:], cells, strict=True) if cell}
        for key, *cells in rows
    }


def mean_of(figures: Iterable[Figure], *, independent: bool = True) -> Figure:
    """Mean of several figures; those that share data get the interval of complete dependence.

    Examples
    --------
    >>> both = [Figure(0.9, 0.75, 1.0, 50), Figure(0.8, 0.7, 0.95, 50)]
    >>> [round(number, 3) for number in mean_of(both, independent=False)]
    [0.85, 0.725, 0.975, 100]
    """
    listed = list(figures)
    halves = [(one.high - one.low) / 2.0 for one in listed]
    half = (math.hypot(*halves) if independent else math.fsum(halves)) / len(listed)
    value = math.fsum(one.value for one in listed) / len(listed)
    return Figure(value, value - half, value + half, sum(one.n for one in listed))


def spread_text(figures: Iterable[Figure]) -> str:
    """Say the range and the mean of some figures.

    Examples
    --------
    >>> spread_text([Figure(0.9, 0.8, 1.0, 50), Figure(0.8, 0.7, 0.9, 50)])
    '0.80 to 0.90, on average 0.85'
    """
    values = [one.value for one in figures]
    mean = math.fsum(values) / len(values)
    return f"{min(values):.2f} to {max(values):.2f}, on average {mean:.2f}"


def judge_own(text: str, finding: str, holds: bool) -> Claim:
    """Judge a statement of our own, which no paper makes."""
    return Claim(BEYOND + text, finding, "holds" if holds else "does not hold")


def judge_claim(text: str, finding: str, holds: bool, cause: Cause = "") -> Claim:
    """Judge a claim that is borne out or not; `cause` says why not."""
    return Claim(text, finding, "reproduced" if holds else "not reproduced", cause=cause)
