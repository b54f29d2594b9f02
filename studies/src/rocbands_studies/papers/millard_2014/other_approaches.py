"""Sections 1, 3.2 and 5: what is said of averages, of fixed-width bands and of two samplings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from scipy.special import stdtrit

import rocbands as rb
from rocbands.core.checks import BoolArray
from rocbands.rates.bootstrap import count_at, draw_any_labels
from rocbands_studies.measurements import Measured
from rocbands_studies.papers.methods import DirectedFixedWidth
from rocbands_studies.papers.millard_2014.designs import BASE, Design, fit_true_rates
from rocbands_studies.papers.paper import (
    Claim,
    DataSource,
    PaperCell,
    PaperStudy,
    Picture,
    Row,
    Scale,
    judge_claim,
)
from rocbands_studies.populations import Normal
from rocbands_studies.results import Figure, StudyResult
from rocbands_studies.spec import Study
from rocbands_studies.streams import Streams

_FPR = np.linspace(0.05, 0.95, 181)
_SWEEP = np.arange(100) / 100


@dataclass(frozen=True)
class Shortcomings(PaperCell):
    """What vertical averages and fixed-width bands do on one table of folds.

    Notes
    -----
    `moved`: largest change of a limit of the tpr, at fpr from .05 to .95, when the classes are
    swapped before vertical averaging, and the band is mirrored back: vertical averages of the
    swapped classes are horizontal averages. `outside`: share of false positive rates at which mean
    plus or minus Student's t times the standard deviation leaves ROC space. `pushed out`: share of
    a curve whose points leave it when pushed along the rate isometric by a fixed-width band.
    """

    design: Design
    level: float = 0.95

    @property
    def source(self) -> object:
        return self.design

    def measure(self, streams: Streams) -> Measured:
        design, rng = self.design, streams.own_rng("table")
        sizes = (design.folds * side for side in (design.n_pos, design.n_neg))
        scores = design.population.draw(rng, *sizes)
        y = np.repeat([1, 0], [len(side) for side in scores])
        folds = np.concatenate([np.arange(len(side)) % design.folds for side in scores])
        rows = y, np.concatenate(scores)
        upright, lying = (
            rb.roc_band(
                rb.Sample(*rows, folds=folds),
                method=rb.bands.VerticalAverage("normal", fixed=fixed),
                level=self.level,
            )
            for fixed in ("fpr", "tpr")
        )
        moved = max(
            np.abs(getattr(upright, edge)(_FPR) - getattr(lying, edge)(_FPR)).max()
            for edge in ("lower_at", "upper_at")
        )
        heights = np.array([one.curve.high(_SWEEP) for one in upright.roc.folds])
        reach = stdtrit(design.folds - 1, (1.0 + self.level) / 2.0) * heights.std(axis=0, ddof=1)
        mean = heights.mean(axis=0)
        roc = rb.roc_curve(*rows)
        region = DirectedFixedWidth(n_resamples=200).region(roc, self.level, rng)
        places = np.linspace(0.0, 1.0 + region.slope, 1001)
        x = np.interp(places, roc.curve.level(region.slope), roc.curve.x)
        tpr = places - region.slope * x
        gone = (x < region.dx) | (x > 1.0 - region.dx) | (tpr < region.dy) | (tpr > 1.0 - region.dy)
        return {
            "moved": float(moved),
            "outside": float(np.mean((mean + reach > 1.0) | (mean - reach < 0.0))),
            "pushed out": float(gone.mean()),
        }


@dataclass(frozen=True)
class TwoSamplings(PaperCell):
    """Positives among the first cases of rankings that are drawn score-first and rate-first.

    Notes
    -----
    Both ways of Table 3, word by word; class sizes are random. `score-first`, `rate-first`: mean
    number of positives at each place, over `samples` rankings.
    """

    axis: ClassVar[str] = "rate"

    design: Design
    samples: int = 500

    @property
    def source(self) -> object:
        return self.design

    @property
    def points(self) -> tuple[float, ...]:
        return tuple(float(rate) for rate in self.design.rates)

    def measure(self, streams: Streams) -> Measured:
        design = self.design
        ways = {
            "score-first": draw_score_first(design, self.samples, streams.own_rng("scores")),
            "rate-first": draw_any_labels(
                fit_true_rates(design), design.size, self.samples, streams.own_rng("rates")
            ),
        }
        places = design.places.astype(np.float64)
        return {name: count_at(rows, places).mean(axis=0).tolist() for name, rows in ways.items()}


def draw_score_first(design: Design, count: int, rng: np.random.Generator) -> BoolArray:
    """Draw labels by falling score: a score of the mixture, then a label given the score."""
    share, shape = design.n_pos / design.size, (count, design.size)
    sides = (design.population.positives, design.population.negatives)
    assert all(isinstance(side, Normal) for side in sides), "the paper's scores are normal"
    means, sds = ([getattr(side, name) for side in sides] for name in ("mean", "sd"))
    part = (rng.random(shape) >= share).astype(np.intp)
    score = rng.normal(np.array(means)[part], np.array(sds)[part])
    density = [np.exp(-0.5 * ((score - m) / s) ** 2) / s for m, s in zip(means, sds, strict=True)]
    chance = share * density[0] / (share * density[0] + (1.0 - share) * density[1])
    label = rng.random(shape) < chance
    return np.take_along_axis(label, np.argsort(-score, axis=1), axis=1)


class Others(NamedTuple):
    """What was measured on tables, and means of both samplings along the rate."""

    moved: Figure
    outside: Figure
    pushed: Figure
    score_first: list[Figure]
    rate_first: list[Figure]


_TABLES, _RANKINGS = Shortcomings(BASE), TwoSamplings(BASE)


class OtherApproaches(PaperStudy[Others]):
    """Averages, fixed-width bands and two ways to draw rankings, in numbers."""

    name = "millard-2014-other-approaches"
    paper = "Millard, Kull and Flach (2014), sections 1 to 5"
    title = "What other approaches lack, and two ways to draw rankings"
    picture = Picture("rate", ("figure",))

    def plan(self, scale: Scale, seed: int, data: DataSource | None) -> Study:
        times = 100 if scale == "quick" else 500
        return Study(self.name, (_TABLES, _RANKINGS), times, 20, seed)

    def read(self, found: StudyResult, scale: Scale) -> Others:
        return Others(
            found.figure(_TABLES, "moved"),
            found.figure(_TABLES, "outside"),
            found.figure(_TABLES, "pushed out"),
            found.along(_RANKINGS, "score-first"),
            found.along(_RANKINGS, "rate-first"),
        )

    def rows(self, figures: Others) -> Iterator[Row]:
        for name, figure in zip(("moved", "outside", "pushed out"), figures, strict=False):
            assert isinstance(figure, Figure)
            where: dict[str, object] = {"figure": name, "rate": "any"}
            yield Row(where=where, ours=figure, digits=3, why_not="said in words only")
        ways = {"score-first": figures.score_first, "rate-first": figures.rate_first}
        for name, along in ways.items():
            for rate, figure in zip(_RANKINGS.points, along, strict=True):
                if round(100 * rate) % 10 == 0:
                    where = {"figure": f"positives, {name}", "rate": rate}
                    yield Row(where=where, ours=figure, digits=3, why_not="said in words only")

    def claims(self, figures: Others) -> Iterator[Claim]:
        moved, outside, pushed = figures[:3]
        yield Claim(
            "Vertical and horizontal averaging are not invariant to swapping the classes.",
            f"on 10 folds of 25 + 25 a limit of the tpr moves by up to {moved.value:.2f} when the "
            "classes are swapped, on average over tables.",
            "reproduced" if moved.low > 0.01 else "not reproduced",
            item="section 1",
        )
        yield Claim(
            "Depending on the distribution assumed, such limits leave ROC space.",
            "normal limits (mean plus and minus Student's t times the standard deviation of ten "
            f"folds) do so at {outside.value:.2f} of all false positive rates.",
            "reproduced" if outside.low > 0.0 else "not reproduced",
            item="section 1",
        )
        yield Claim(
            "Fixed-width bands along the rate isometric are not constrained to ROC space.",
            f"{pushed.value:.2f} of a curve's points leave it when pushed by the band's width, and "
            "are cropped.",
            "reproduced" if pushed.low > 0.0 else "not reproduced",
            item="section 5",
        )
        off = max(
            abs(one.value - two.value) / (np.hypot(one.high - one.low, two.high - two.low) / 3.92)
            for one, two in zip(figures.score_first, figures.rate_first, strict=True)
        )
        most = max(
            abs(one.value - two.value)
            for one, two in zip(figures.score_first, figures.rate_first, strict=True)
        )
        yield Claim(
            "Rankings can be drawn by the rate instead of the score.",
            f"mean numbers of positives differ by at most {most:.3f} of 50 cases at any of 49 "
            f"places, {off:.1f} standard errors.",
            judge_claim("", "", bool(off < 4.0)).verdict,
            item="Table 3",
        )

    def notes(self, figures: Others) -> tuple[str, ...]:
        return (
            "Tables are those of Figure 4: 10 folds of 25 + 25 with normal scores. Score-first "
            "draws a score from the mixture and then a label given the score; rate-first draws a "
            "rate and then a label given the slope of the curve there.",
        )
