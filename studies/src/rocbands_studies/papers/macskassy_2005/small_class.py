"""Letter-A and the small class: what a footnote of the paper leaves to others."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rocbands.bands.likelihood import Likelihood
from rocbands.core.checks import IndexArray
from rocbands.core.region import DisplacedRegion
from rocbands.errors import RocBandsWarning
from rocbands_studies.measurements import Measured
from rocbands_studies.papers.macskassy_2005.models import Cases, Learned, OfModel, Scored
from rocbands_studies.papers.macskassy_2005.simulated import PAPER, SHOWN_AS
from rocbands_studies.papers.methods import PrintedFixedWidth
from rocbands_studies.papers.paper import (
    Claim,
    DataSource,
    PaperStudy,
    Picture,
    Row,
    Scale,
    judge_claim,
    judge_own,
    mean_of,
)
from rocbands_studies.results import Figure, StudyResult
from rocbands_studies.spec import Study
from rocbands_studies.streams import Streams

_SIZES = (25, 100, 250, 1000, 2500)
_SHARES = (0.039, 0.1, 0.3, 0.5)  # the first is that of Letter-A
_LEARNERS = ("logistic-1e-8", "tree-pruned", "naive-bayes")
_LEARNED = 100  # rows, as in Table 5
_METHODS = ("fixed-width x sqrt 2", "likelihood")


@dataclass(frozen=True)
class FixedShare(OfModel):
    """How often bands hold the curves of later sets with as many positives.

    Notes
    -----
    All sets are drawn with replacement from the scored rows, by class, so that each has the same
    number of positives. `fixed-width x sqrt 2`, `likelihood`: share of later curves inside the band
    for future curves. `separated`: share of the sets that make bands whose classes do not overlap;
    their fixed-width band has no width. `inside separated`: `fixed-width x sqrt 2` for these, and 0
    for the others. `width`: of the fixed-width band, before sqrt(2). `auc`: area under the curve of
    all scored rows. `scores`: how many scores are different.
    """

    fractions: ClassVar[tuple[str, ...]] = (*_METHODS, "separated", "inside separated")

    model: Learned  # gives the scores; a replicate is one learning set
    size: int  # rows of the set that makes the band, and of each later set
    share: float  # of positives in each of them
    method: PrintedFixedWidth  # makes the band for the true curve
    bands: int  # bands for each learning set
    later: int  # later sets for each band
    level: float = 0.9  # of the band

    @property
    def positives(self) -> int:
        """Positives of each set."""
        return max(1, round(self.share * self.size))

    def measure(self, streams: Streams) -> Measured:
        scored, rng = self.model.scored(streams), streams.own_rng("sets")
        found = [self._one(scored, rng) for _ in range(self.bands)]
        means = {name: float(np.mean([one[name] for one in found])) for name in found[0]}
        every = scored.curve(np.arange(len(scored)))
        return {**means, "auc": every.area, "scores": float(scored.tie[-1] + 1)}

    def _draw(self, scored: Scored, rng: np.random.Generator) -> IndexArray:
        counts = (self.positives, self.size - self.positives)
        sides = (scored.positive, ~scored.positive)
        drawn = [rng.choice(np.flatnonzero(side), n) for side, n in zip(sides, counts, strict=True)]
        return np.sort(np.concatenate(drawn))

    def _one(self, scored: Scored, rng: np.random.Generator) -> dict[str, float]:
        roc = scored.roc(self._draw(scored, rng))
        narrow = self.method.region(roc, self.level, rng)
        with warnings.catch_warnings():  # small sets are the question
            warnings.simplefilter("ignore", RocBandsWarning)
            band = Likelihood()(roc, level=self.level, future=(roc.n_pos, roc.n_neg))
        wide = DisplacedRegion(narrow.curve, narrow.dx * np.sqrt(2.0), narrow.slope)
        later = [scored.curve(self._draw(scored, rng)) for _ in range(self.later)]
        inside = {
            name: float(np.mean([region.contains(curve) for curve in later]))
            for name, region in zip(_METHODS, (wide, band.region), strict=True)
        }
        separated = float(roc.auc == 1.0)
        return {
            **inside,
            "width": narrow.dx * float(np.hypot(1.0, narrow.slope)),
            "separated": separated,
            "inside separated": separated * inside[_METHODS[0]],
        }


class ByShare:
    """Figures by learner, share of positives and r."""

    def __init__(self, found: StudyResult) -> None:
        self.cells = {
            (one.cell.model.learner, one.cell.share, one.cell.size): one
            for one in found.cells
            if isinstance(one.cell, FixedShare)
        }

    def __call__(self, name: str, learner: str, share: float, size: int) -> Figure:
        figure = self.cells[learner, share, size].figures[name]
        assert isinstance(figure, Figure)
        return figure

    def mean(self, name: str, places: list[tuple[float, int]]) -> Figure:
        """Mean over learners, which share their learning sets, and places (share and r)."""
        return mean_of(
            (self(name, learner, *at) for at in places for learner in _LEARNERS), independent=False
        )

    def of_positives(self, low: int, high: int) -> list[tuple[float, int]]:
        """Places where sets have so many positives."""
        return [
            (share, size)
            for share in _SHARES
            for size in _SIZES
            if low <= _count(share, size) <= high
        ]


def _count(share: float, size: int) -> int:
    return max(1, round(share * size))


_GROUPS = ((1, 4), (8, 12), (25, 50), (75, 125), (250, 1250))  # numbers of positives
_ALIKE = (  # places with about as many positives and with different numbers of negatives
    ((0.1, 100), (0.039, 250)),
    ((0.1, 1000), (0.039, 2500)),
)


class SmallClass(PaperStudy[ByShare]):
    """When bands lose later curves on Letter-A, by the number of positives."""

    name = "macskassy-2005-small-class"
    paper = f"{PAPER}, footnote 6"
    title = "Letter-A and the small class"
    picture = Picture("r", ("share",), ("method", "learner"), 0.9)
    needs = ("letter-a",)

    def plan(self, scale: Scale, seed: int, data: DataSource | None) -> Study:
        quick = scale == "quick"
        cases = Cases.of("letter-a", data)
        method = PrintedFixedWidth(n_resamples=200 if quick else 500)
        cells = tuple(
            FixedShare(
                *(Learned(cases, learner, _LEARNED), size, share, method),
                bands=2,
                later=25 if quick else 50,
            )
            for learner in _LEARNERS
            for share in _SHARES
            for size in _SIZES
        )
        times = 4 if quick else 12

        def repeat(cell: object) -> int:
            # Critical values of likelihood bands depend on the ties of trees: most of the time.
            assert isinstance(cell, FixedShare)
            return times // 2 if cell.model.learner == "tree-pruned" else times

        return Study(self.name, cells, repeat, block=1, seed=seed)

    def read(self, found: StudyResult, scale: Scale) -> ByShare:
        return ByShare(found)

    def rows(self, figures: ByShare) -> Iterator[Row]:
        for name in (*_METHODS, "separated", "width"):
            for learner, share, size in figures.cells:
                where = {
                    "method": name,
                    "learner": _name(learner),
                    "share": share,
                    "positives": _count(share, size),
                }
                yield Row(  # only what has an r is drawn
                    where=where | ({"r": size} if name in _METHODS else {}),
                    ours=figures(name, learner, share, size),
                    why_not="not printed",
                )

    def claims(self, figures: ByShare) -> Iterator[Claim]:
        def by_positives(name: str) -> list[float]:
            return [figures.mean(name, figures.of_positives(*group)).value for group in _GROUPS]

        fixed, likelihood = (by_positives(name) for name in _METHODS)
        least, lowest = (
            min((figures(name, *place).value, place) for place in figures.cells)
            for name in _METHODS
        )
        texts = [f"{low} to {high}" for low, high in _GROUPS]
        by_r = {
            share: ", ".join(
                f"{figures.mean(_METHODS[0], [(share, size)]).value:.2f}" for size in _SIZES
            )
            for share in (_SHARES[0], _SHARES[-1])
        }
        yield judge_claim(
            "Containment on Letter-A is poor because there are few examples of the minority class.",
            f"fixed-width bands times sqrt(2) hold {_listed(fixed)} of the later curves with "
            f"{_listed(texts)} positives in band and test set. By r they hold {by_r[_SHARES[0]]} "
            f"with Letter-A's share of {_SHARES[0]:g} and {by_r[_SHARES[-1]]} with half of the "
            f"rows positive. No learner has less than {least[0]:.2f} anywhere; the paper has 0.",
            min(fixed[:2]) < fixed[-1] - 0.1,
        )
        same_r = [
            figures.mean("width", [(share, 1000)]).value for share in (_SHARES[0], _SHARES[-1])
        ]
        same_n = [figures.mean("width", [at]).value for at in _ALIKE[1]]
        yield judge_claim(
            "With a large imbalance the variance of a ROC curve is extremely sensitive to the size "
            "of the minority class (Stein 2002).",
            f"at r = 1000 a fixed-width band is {same_r[0]:.3f} wide with 39 positives and "
            f"{same_r[1]:.3f} with 500; with 100 and 98 positives among 1000 and 2500 rows "
            f"{same_n[0]:.3f} and {same_n[1]:.3f}.",
            same_r[0] > 2.0 * same_r[1] and same_n[1] > 0.7 * same_n[0],
        )
        pairs = [[figures.mean(_METHODS[0], [at]) for at in pair] for pair in _ALIKE]
        counts = [" and ".join(str(_count(*at)) for at in pair) for pair in _ALIKE]
        yield judge_own(
            "On Letter-A the number of positives matters, and their share hardly beside it.",
            "; ".join(
                f"{one.value:.2f} and {other.value:.2f} with {count} positives and shares of 0.1 "
                "and 0.039"
                for (one, other), count in zip(pairs, counts, strict=True)
            )
            + f"; {fixed[0]:.2f} and {fixed[-1]:.2f} with the fewest and the most.",
            max(abs(one.value - other.value) for one, other in pairs) < (fixed[-1] - fixed[0]) / 2,
        )
        yield _separated_claim(figures)
        yield judge_own(
            "Likelihood bands for future curves hold also where the class is small.",
            f"{_listed(likelihood)} with {_listed(texts)} positives, on average over learners; "
            f"least {lowest[0]:.2f}, {_name(lowest[1][0])} at r = {lowest[1][2]} with a share of "
            f"{lowest[1][1]:g}.",
            min(likelihood) > 0.88,
        )

    def notes(self, figures: ByShare) -> Iterator[str]:
        yield (
            f"Letter-A, models of {_LEARNED} rows. Sets are drawn with replacement from all other "
            "rows, by class, with the same number of positives in band and test set; in Tables 5 "
            "and 6 this number varies. The level is 0.9."
        )
        yield (
            "; ".join(
                f"{_name(learner)}: AUC "
                f"{figures('auc', learner, _SHARES[0], _SIZES[0]).value:.2f}, "
                f"{figures('scores', learner, _SHARES[0], _SIZES[0]).value:.0f} different scores"
                for learner in _LEARNERS
            )
            + ", on average."
        )


def _name(learner: str) -> str:
    return SHOWN_AS.get(learner, learner)


def _listed(values: list[float] | list[str]) -> str:
    *first, last = [one if isinstance(one, str) else f"{one:.2f}" for one in values]
    return f"{', '.join(first)} and {last}"


def _separated_claim(figures: ByShare) -> Claim:
    few = figures.of_positives(1, 12)
    share, inside, every = (
        figures.mean(name, few).value for name in ("separated", "inside separated", _METHODS[0])
    )
    held, others = inside / max(share, 1e-9), (every - inside) / max(1.0 - share, 1e-9)
    return judge_own(
        "Sets whose classes do not overlap are one reason: their fixed-width band has no width.",
        f"with up to 12 positives {share:.2f} of the sets are such, and their bands hold "
        f"{held:.2f} of the later curves; bands of the others hold {others:.2f}.",
        held < others - 0.05,
    )
