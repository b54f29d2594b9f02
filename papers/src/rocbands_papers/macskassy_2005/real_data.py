"""Tables 5 and 6: widened fixed-width bands on the scores of models learned from real data."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from rocbands.core.checks import BoolArray, FloatArray, IndexArray
from rocbands.core.curve import Curve, displacement
from rocbands.core.roc import RocCurve
from rocbands.core.tolerance import SLACK
from rocbands.errors import InputError
from rocbands.study.measurements import Measured
from rocbands.study.results import Figure, StudyResult
from rocbands.study.spec import Study
from rocbands.study.streams import Streams
from rocbands_papers.datasets import DataSet, MissingDataError
from rocbands_papers.macskassy_2005.simulated import (
    AVERAGES,
    LEARNERS,
    PAPER,
    SIZES,
    TABLE_4,
    TABLE_5,
    TABLE_6,
)
from rocbands_papers.methods import PrintedFixedWidth
from rocbands_papers.paper import (
    Claim,
    DataSource,
    PaperCell,
    PaperStudy,
    Picture,
    Row,
    Scale,
    mean_of,
    spread_text,
)

_DATA = ("adult", "calhous", "covertype", "intrusion", "letter-a", "letter-v", "mailing")
_OF_NINE = "printed: an average over nine data sets, of which {} exist here"
_ONE = "printed: an average over nine data sets; ours: one of them"
_UNREAD = "cannot be read in the paper"
_APART = "left out of the printed average, as here"
_NO_SOURCE = "Bacteria, Coding and Intcensor have no public source"


def _find_sets(data: DataSource | None) -> list[Cases]:
    """Return the data sets that are there; if there is none, say how to get the first."""
    found, problem = [], None
    for name in _DATA:
        try:
            found.append(Cases.of(name, data))
        except MissingDataError as missing:
            problem = problem or missing
    if problem is not None and not found:
        raise problem
    return found


def _name_missing(found: Iterable[str]) -> str:
    missing = [name for name in _DATA if name not in set(found)]
    files = f"; not in the folder: {', '.join(missing)}" if missing else ""
    return f"{_NO_SOURCE}{files}."


@dataclass(frozen=True)
class Cases:
    """A data set that each worker fetches for itself, as it is too large to be sent along.

    Parameters
    ----------
    load : DataSource
        Fetches it; workers get a copy of this, so it must be picklable.
    """

    name: str  # what `load` knows it by
    digest: str  # stands for its rows
    load: DataSource = field(compare=False, repr=False)

    @classmethod
    def of(cls, name: str, load: DataSource | None) -> Cases:
        """Fetch a data set once, to see that it is there and to know its rows again."""
        if load is None:
            raise InputError(
                f"This study needs the data set {name!r}; it was planned without data. Name a "
                "folder of data sets."
            )
        rows = load(name)
        seen = hashlib.blake2b(digest_size=8)
        for column in (rows.features, rows.levels, rows.y):
            seen.update(np.ascontiguousarray(column).data)
        return cls(name, seen.hexdigest(), load)

    @property
    def fingerprint(self) -> dict[str, str]:
        """What random streams are made from."""
        return {"kind": "Cases", "name": self.name, "digest": self.digest}

    def fetch(self) -> DataSet:
        """Return the rows; a process keeps those it used last."""
        return _fetched(self)


@lru_cache(maxsize=2)
def _fetched(cases: Cases) -> DataSet:
    rows: DataSet = cases.load(cases.name)
    return rows


@dataclass(frozen=True, eq=False)
class Scored:
    """Cases in the order of their scores, the highest first."""

    scores: FloatArray  # from high to low; infinite ones are legal
    positive: BoolArray  # the class of each
    tie: IndexArray  # number of the distinct score that each has

    @classmethod
    def of(cls, scores: FloatArray, positive: BoolArray) -> Scored:
        """Put cases in order."""
        order = np.argsort(-scores, kind="stable")
        ranked = scores[order]
        tie = np.concatenate([[0], np.cumsum(ranked[1:] != ranked[:-1])])
        return cls(ranked, positive[order], tie)

    def __len__(self) -> int:
        return int(self.positive.size)

    def counts(self, rows: IndexArray) -> tuple[IndexArray, IndexArray, IndexArray]:
        """Last row of each distinct score among some rows in order, with counts up to there."""
        ties = self.tie[rows]
        last = np.flatnonzero(np.append(ties[1:] != ties[:-1], True))
        tp = np.cumsum(self.positive[rows], dtype=np.intp)[last]
        return rows[last], last + 1 - tp, tp

    def curve(self, rows: IndexArray) -> Curve:
        """Empirical curve of some rows in order."""
        _, fp, tp = self.counts(rows)
        x, y = (np.concatenate([[0.0], count / count[-1]]) for count in (fp, tp))
        return Curve(x, y)

    def roc(self, rows: IndexArray) -> RocCurve:
        """Return the same with its counts."""
        at, fp, tp = self.counts(rows)
        return RocCurve(self.scores[at], fp, tp)

    def draw(
        self, rng: np.random.Generator, size: int, among: IndexArray | None = None
    ) -> IndexArray:
        """Draw rows with both classes among them, without replacement if there are enough."""
        total = len(self) if among is None else among.size
        while True:
            rows = np.sort(rng.choice(total, size, replace=size > total, shuffle=False))
            rows = rows if among is None else among[rows]
            if 0 < np.count_nonzero(self.positive[rows]) < size:
                return rows

    def others(self, rows: IndexArray) -> IndexArray:
        """All rows but these."""
        left = np.ones(len(self), dtype=np.bool_)
        left[rows] = False
        return np.flatnonzero(left)


@dataclass(frozen=True)
class Learned:
    """A model, learned anew in each replicate, and the cases that it scores."""

    cases: Cases  # where rows come from
    learner: str  # name of a learner
    n_learn: int  # rows to learn from, stratified by class
    pool: int | None = None  # number of the other rows that are scored; all if None

    @property
    def source(self) -> object:
        """Data set and sizes; learners share the rows that they learn from."""
        return (self.cases, self.n_learn, self.pool)

    def scored(self, streams: Streams) -> Scored:
        """Learn and score; once for all cells that share this model."""
        cases = self.cases.fetch()
        rows = streams.draw_shared(
            "learning set", lambda rng: cases.stratified_rows(self.n_learn, rng)
        )
        others = streams.draw_shared("pool", lambda rng: self._others(cases, rows, rng))

        def learn(rng: np.random.Generator) -> Scored:
            from rocbands_papers.learners import fit

            return Scored.of(fit(self.learner, cases, rows, rng)(others), cases.y[others])

        return streams.draw_shared(f"scores {self.learner}", learn)

    def _others(self, cases: DataSet, rows: IndexArray, rng: np.random.Generator) -> IndexArray:
        left = np.setdiff1d(np.arange(len(cases)), rows)
        if self.pool is None or self.pool >= left.size:
            return left
        return np.sort(rng.choice(left, self.pool, replace=False, shuffle=False))


class OfModel(PaperCell):
    """A cell whose sets are drawn from the scores of a learned model."""

    model: Learned
    size: int
    level: float

    @property
    def source(self) -> object:
        return self.model.source


@dataclass(frozen=True)
class LaterSets(OfModel):
    """How often a widened fixed-width band holds the curves of later sets of a model's scores.

    Notes
    -----
    `contained`: with the band times sqrt(2). `unwidened`: with the band as it is. `replaced`: 1 if
    later sets had to be drawn with replacement, from N rows; `corrected` is then `contained` for
    the band times sqrt(2 + size / N), as the drawing adds variance of its own.
    """

    shares: ClassVar[tuple[str, ...]] = ()

    model: Learned  # gives the scores; a replicate is one learning set
    size: int  # rows of the set that makes the band, and of each later set
    method: PrintedFixedWidth  # makes the band for the true curve
    bands: int  # bands for each learning set
    later: int  # later sets for each band, from the rows that the band's set left
    level: float = 0.9  # of the band

    def measure(self, streams: Streams) -> Measured:
        scored = self.model.scored(streams)
        found = [self._one(scored, streams.own_rng(f"band {k}")) for k in range(self.bands)]
        means = {name: float(np.mean([one[name] for one in found])) for name in found[0]}
        return {**means, "scores": float(scored.tie[-1] + 1)}

    def _one(self, scored: Scored, rng: np.random.Generator) -> dict[str, float]:
        rows = scored.draw(rng, self.size)
        roc, rest = scored.roc(rows), scored.others(rows)
        region = self.method.region(roc, self.level, rng)
        width = region.dx * float(np.hypot(1.0, region.slope))
        far = np.array(
            [
                displacement(
                    region.curve, scored.curve(scored.draw(rng, self.size, rest)), region.slope
                ).largest
                for _ in range(self.later)
            ]
        )
        replaced = self.size > rest.size
        factors = {
            "contained": 2.0,
            "unwidened": 1.0,
            "corrected": 2.0 + self.size / rest.size * replaced,
        }
        return {
            **{
                name: float(np.mean(far <= width * np.sqrt(factor) + SLACK))
                for name, factor in factors.items()
            },
            "width": width,
            "auc": roc.auc,
            "replaced": float(replaced),
        }


@dataclass(frozen=True)
class Extent(PaperCell):
    """Rows of a data set, and the share of its larger class; nothing is drawn."""

    exact: ClassVar[bool] = True

    cases: Cases

    @property
    def source(self) -> object:
        return self.cases

    def measure(self, streams: Streams) -> Measured:
        rows = self.cases.fetch()
        share = rows.positive_share
        return {"size": float(len(rows)), "prior": max(share, 1.0 - share)}


class Table4(PaperStudy[dict[str, Mapping[str, Figure]]]):
    """The data sets that are there, counted."""

    name = "macskassy-2005-table4"
    paper = f"{PAPER}, Table 4"
    title = "Ten data sets: rows, and the share of the larger class"
    needs = _DATA

    def plan(self, scale: Scale, seed: int, data: DataSource | None) -> Study:
        return Study(self.name, tuple(map(Extent, _find_sets(data))), 1, 1, seed)

    def read(self, found: StudyResult, scale: Scale) -> dict[str, Mapping[str, Figure]]:
        sets: dict[str, Mapping[str, Figure]] = {}
        for one in found.cells:
            assert isinstance(one.cell, Extent)
            values = {name: found.figure(one.cell, name).value for name in ("size", "prior")}
            sets[one.cell.cases.name] = {
                name: Figure(value, value, value, 1) for name, value in values.items()
            }
        return sets

    def rows(self, figures: dict[str, Mapping[str, Figure]]) -> Iterator[Row]:
        for data, own in figures.items():
            for name, digits in (("size", 0), ("prior", 3)):
                yield Row(
                    where={"data": data, "figure": name},
                    ours=own[name],
                    printed=TABLE_4[data][name],
                    digits=digits,
                )

    def notes(self, figures: dict[str, Mapping[str, Figure]]) -> tuple[str, ...]:
        printed = ", ".join(
            f"{data} {row['size']:.0f} {row['prior']:g}"
            for data, row in TABLE_4.items()
            if data not in figures
        )
        return (
            f"{_name_missing(figures)} Printed of those that are not here (rows, share): "
            f"{printed}.",
            "The published file of Intrusion, the labelled test set of the KDD Cup 1999, has "
            "311,029 rows, four more than printed. Mailing is probably the KDD Cup 1998: the "
            "printed rows are its 95,412 learning and 96,367 validation records.",
        )


class Figures:
    """The figures of models learned from so many rows, by data set, learner and r."""

    def __init__(self, result: StudyResult, n_learn: int) -> None:
        self.n_learn = n_learn
        self.figures = {
            (one.cell.model.cases.name, one.cell.model.learner, one.cell.size): one.figures
            for one in result.cells
            if isinstance(one.cell, LaterSets) and one.cell.model.n_learn == n_learn
        }
        self.data = tuple(dict.fromkeys(data for data, *_ in self.figures))
        self.averaged = tuple(data for data in self.data if data != "letter-a")
        self.sets = f"{len(self.averaged)} sets"

    def __call__(self, data: str, learner: str, size: int, name: str = "contained") -> Figure:
        figure = self.figures[data, learner, size][name]
        assert isinstance(figure, Figure)
        return figure

    def average(self, learner: str, size: int, name: str = "contained") -> Figure:
        """Over the data sets of the average that exist."""
        return mean_of(self(data, learner, size, name) for data in self.averaged)

    def over(
        self, learners: Iterable[str] = tuple(LEARNERS), sizes: tuple[int, ...] = SIZES
    ) -> Figure:
        """Mean of averages; learners and sizes share their learning sets."""
        each = [self.average(learner, size) for learner in learners for size in sizes]
        return mean_of(each, independent=False)

    def of_data(self, data: str, size: int) -> Figure:
        """Mean over learners on one data set."""
        return mean_of((self(data, learner, size) for learner in LEARNERS), independent=False)


class TwoSizes(NamedTuple):
    """Figures of the models of the table, and of trees learned from 100 rows."""

    own: Figures
    of_100: Figures


class RealData(PaperStudy[TwoSizes]):
    """Table 5 (models of 100 rows) or 6 (models of 2500)."""

    needs = _DATA
    picture = Picture("r", ("learner",), ("data",), 0.9)

    def __init__(self, number: Literal[5, 6]) -> None:
        self.n_learn, self.table = (100, TABLE_5) if number == 5 else (2500, TABLE_6)
        self.name = f"macskassy-2005-table{number}"
        self.paper = f"{PAPER}, Table {number}"
        self.title = f"Future curves on real data, models of {self.n_learn} rows"

    def plan(self, scale: Scale, seed: int, data: DataSource | None) -> Study:
        quick = scale == "quick"
        method = PrintedFixedWidth(n_resamples=200 if quick else 500)
        models = [
            Learned(cases, learner, rows, 50_000 if quick else None)
            for cases in _find_sets(data)
            for rows, learners in {100: ("tree",), self.n_learn: tuple(LEARNERS)}.items()
            for learner in learners
        ]  # of 100 rows the tree is learned in any case: the paper compares the two
        cells = (
            LaterSets(model, size, method, bands=2 if quick else 10, later=40 if quick else 100)
            for model in models
            for size in SIZES
        )
        return Study(self.name, tuple(cells), 5 if quick else 10, block=1, seed=seed)

    def read(self, found: StudyResult, scale: Scale) -> TwoSizes:
        return TwoSizes(Figures(found, self.n_learn), Figures(found, 100))

    def rows(self, figures: TwoSizes) -> Iterator[Row]:
        own, table = figures.own, self.table
        printed = {
            (learner, size): table[size][place] if size in table else None
            for size in SIZES
            for place, learner in enumerate(LEARNERS)
        }
        averages = AVERAGES[self.name[-1]]
        cells: dict[tuple[str, int | str], tuple[Figure, float | None]] = {
            (learner, size): (own.average(learner, size), number)
            for (learner, size), number in printed.items()
        }
        for learner in LEARNERS:
            cells[learner, "mean"] = own.over((learner,)), averages.get(learner)
        for size in SIZES:
            cells["mean", size] = own.over(sizes=(size,)), averages.get(str(size))
        cells["mean", "mean"] = own.over(), averages.get("all")
        for (learner, at), (figure, number) in cells.items():
            yield Row(
                where={"data": own.sets, "learner": learner, "r": at},
                ours=figure,
                printed=number,
                why_not=_UNREAD if number is None else _OF_NINE.format(len(own.averaged)),
            )
        for data in own.data:
            for (learner, size), number in printed.items():
                yield Row(
                    where={"data": data, "learner": learner, "r": size},
                    ours=own(data, learner, size),
                    printed=None if data == "letter-a" else number,
                    why_not=_APART if data == "letter-a" else _ONE,
                )

    def claims(self, figures: TwoSizes) -> Iterator[Claim]:
        own = figures.own
        yield Claim(
            "Containment is generally favourable: 0.85 on average, somewhat lower than desired."
            if self.n_learn == 100
            else "With 2500 rows to learn from the average rises above the 0.85 of 100 rows.",
            f"{own.over().value:.2f} on average over the {own.sets} that exist, learners and r.",
            "cannot be compared",
        )
        if self.n_learn == 100:
            yield _tree_claim(own)
            yield _drop_claim(own)
        else:
            yield _better_claim(*figures)
        if "letter-a" in own.data:
            yield _letter_claim(own)

    def notes(self, figures: TwoSizes) -> Iterator[str]:
        own = figures.own
        plain = [own.average(learner, size, "unwidened") for learner in LEARNERS for size in SIZES]
        yield (
            f"{_name_missing(own.data)} So the printed averages over nine data sets cannot be "
            "judged; Letter-A is left out of them, and of ours."
        )
        yield (
            "The learners are substitutes for those of Weka 3.4.2: "
            + ", ".join(f"{ours} for {theirs}" for ours, theirs in LEARNERS.items())
            + "."
        )
        yield (
            "A replicate is a learning set. Averages over data sets are of independent figures; "
            "over learners and r, whose learning sets are the same, they get the widest interval."
        )
        yield f"Without sqrt(2) the averages are {spread_text(plain)}."
        yield _replaced(own)
        if self.n_learn == 2500:
            yield "The last row of Table 6 cannot be read, nor can its averages."


def _tree_text(found: Figures) -> str:
    scores = mean_of(found(data, "tree", SIZES[0], "scores") for data in found.averaged)
    by_size = ", ".join(f"{found.average('tree', size).value:.2f}" for size in SIZES)
    return f"by r {by_size}; its leaves give {scores.value:.0f} different scores on average."


def _tree_claim(found: Figures) -> Claim:
    tree = found.over(("tree",))
    rest = found.over(learner for learner in LEARNERS if learner != "tree")
    # Whatever the missing sets would give, nine sets average at least this.
    last = found.average("tree", SIZES[-1])
    least, surely = (number * len(found.averaged) / 9.0 for number in (last.value, last.low))
    lowest = TABLE_5[SIZES[-1]][list(LEARNERS).index("tree")]
    verdict: Literal["not reproduced", "cannot be compared"] = (
        "not reproduced" if surely > lowest else "cannot be compared"
    )
    return Claim(
        "J48 with raw leaf frequencies drags the averages down, more so as r grows.",
        f"{tree.value:.2f} for the tree on average, {rest.value:.2f} for the other learners; "
        f"{_tree_text(found)} If the missing sets contained nothing at r = 10000, nine would "
        f"average {least:.2f} (at least {surely:.2f}); {lowest:.2f} was printed.",
        "reproduced" if tree.value < rest.value - 0.05 else verdict,
    )


def _better_claim(found: Figures, of_100: Figures) -> Claim:
    now, before = (one.over(("tree",)) for one in (found, of_100))
    return Claim(
        "J48 is substantially better with 2500 rows to learn from than with 100.",
        f"on the {found.sets} that exist {now.value:.2f} on average, {before.value:.2f} with 100 "
        f"rows; {_tree_text(found)}",
        "cannot be compared",
    )


def _letter_claim(found: Figures) -> Claim:
    figures = [found("letter-a", learner, size) for learner in LEARNERS for size in SIZES]
    none = sum(figure.value < 0.05 for figure in figures)
    means = ", ".join(f"{found.of_data('letter-a', size).value:.2f}" for size in SIZES)
    return Claim(
        "On Letter-A containment is 0 in many cases, perhaps because one class is small.",
        f"below 0.05 in {none} of {len(figures)} cases; by r {means}. Sets without a positive row "
        "have no curve and are drawn again here; at r = 25 more than a third are such.",
        "reproduced" if none > len(figures) // 4 else "not reproduced",
    )


def _drop_claim(found: Figures) -> Claim:
    before, last = (found.over(sizes=(size,)) for size in (2500, 10000))
    return Claim(
        "At r = 10000 containment drops from 0.87 to 0.75.",
        f"{before.value:.2f} at r = 2500 and {last.value:.2f} at r = 10000 on the {found.sets} "
        "that exist; two of the missing ones, Coding and Intcensor, have too few rows for this r.",
        "cannot be compared",
    )


def _replaced(found: Figures) -> str:
    """Say what drawing with replacement does where too few rows are left."""
    short = [
        data for data in found.data if found(data, "logistic", SIZES[-1], "replaced").value > 0
    ]
    if not short:
        return "At r = 10000 enough rows are left for later sets everywhere."
    plain, corrected = (
        mean_of(found(data, learner, SIZES[-1], name) for data in short for learner in LEARNERS)
        for name in ("contained", "corrected")
    )
    return (
        f"At r = 10000 too few rows are left for later sets on {', '.join(short)}; they are drawn "
        f"with replacement and vary more: {plain.value:.2f} of them are inside on average, and "
        f"{corrected.value:.2f} if the band is widened by sqrt(2 + r / N) instead of sqrt(2), with "
        "N the number of rows left."
    )
