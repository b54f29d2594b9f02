"""Models learned from real data, test sets of their scores, and bands for later sets."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar

import numpy as np

from rocbands.core.checks import BoolArray, FloatArray, IndexArray
from rocbands.core.curve import Curve, displacement
from rocbands.core.roc import RocCurve
from rocbands.core.tolerance import SLACK
from rocbands.errors import InputError
from rocbands_studies.measurements import Measured
from rocbands_studies.papers.datasets import DataSet
from rocbands_studies.papers.methods import PrintedFixedWidth
from rocbands_studies.papers.paper import DataSource, PaperCell
from rocbands_studies.streams import Streams


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
            from rocbands_studies.papers.learners import fit

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
