"""Sections 3, 4 and 6: what limits in closed form cost to compute, and other class shares."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np
from scipy.special import ndtri

from rocbands.core.checks import FloatArray
from rocbands.cost import cost_difference, cost_interval
from rocbands.study.measurements import Cell, Measured
from rocbands.study.populations import FixedClasses
from rocbands.study.results import Figure, StudyResult
from rocbands.study.spec import Study
from rocbands.study.streams import Streams
from rocbands_papers.dugas_2009.coverage import LEVEL, PAPER
from rocbands_papers.dugas_2009.measurements import CONDITIONS, Model, TwoModels, put_on_scale
from rocbands_papers.paper import (
    Claim,
    DataSource,
    PaperStudy,
    Row,
    Scale,
    judge_claim,
    spread_text,
)

_THETA, _Z = 3.0, float(ndtri((1.0 + LEVEL) / 2.0))
_SAMPLES = (100, 1000)  # of the empirical bootstrap
_ROWS = (20_000, 40_000, 80_000, 160_000)
_SPREADS = (0.0, 0.02, 0.05)  # standard deviations of the class share
_CASES = 2000


@dataclass(frozen=True)
class Empirical(Cell):
    """Limits from `samples` resamples, beside those of the same fit in closed form.

    Notes
    -----
    1,000 rows of each class, 99 conditions. `error`: mean distance between the two methods' limits
    over w from .1 to .9, in half widths. `slower`: ratio of processor times; it depends on the
    machine, and is the one number here that a second run does not repeat.
    """

    samples: int

    def facts(self) -> Mapping[str, object]:
        return {"bootstrap samples": self.samples}

    @property
    def source(self) -> object:
        return "empirical"

    def measure(self, streams: Streams) -> Measured:
        model, w = Model(_THETA, -_THETA), np.array(CONDITIONS)
        sizes = FixedClasses(1000, 1000)
        y, scores = streams.draw_shared("data", lambda rng: model.draw(rng, sizes))
        cut, rng = model.thresholds(w), streams.own_rng("resamples")
        begun = time.process_time()
        exact = cost_interval(y, scores, "gaussian", thresholds=cut, w=w, level=LEVEL)
        halfway = time.process_time()
        costs = np.empty((self.samples, w.size))
        for sample in costs:
            wrong = [_count_below(rng, side, cut) for side in (scores[y], scores[~y])]
            sample[:] = w * wrong[0] + (1.0 - w) * (1.0 - wrong[1])
        half = _Z * costs.std(axis=0, ddof=1)
        low, high = costs.mean(axis=0) - half, costs.mean(axis=0) + half
        spent = time.process_time() - halfway
        off = np.abs(low - exact.lower) + np.abs(high - exact.upper)
        inner = (w >= 0.1) & (w <= 0.9)
        error = float(np.mean((off / (exact.upper - exact.lower))[inner]))
        return {"error": error, "slower": spent / max(halfway - begun, 1e-6)}


def _count_below(rng: np.random.Generator, scores: FloatArray, cut: FloatArray) -> FloatArray:
    """Share of a resample below each threshold; sorting is what takes the time."""
    drawn = np.sort(rng.choice(scores, scores.size))
    return np.asarray(np.searchsorted(drawn, cut) / scores.size)


@dataclass(frozen=True)
class Growth(Cell):
    """Processor time of limits at as many conditions as there are rows.

    Notes
    -----
    `one` and `two`: seconds for the cost of one model, and for the difference of two. They depend
    on the machine.
    """

    rows: int

    def facts(self) -> Mapping[str, object]:
        return {"rows": self.rows}

    @property
    def source(self) -> object:
        return ("growth", self.rows)

    def measure(self, streams: Streams) -> Measured:
        models, w = TwoModels(1.0, 2.0, 0.6), np.linspace(0.001, 0.999, self.rows)
        sizes = FixedClasses(self.rows // 2, self.rows // 2)
        y, one, two = streams.draw_shared("data", lambda rng: models.draw(rng, sizes))
        cut_1, cut_2 = models.thresholds(w)
        begun = time.process_time()
        cost_interval(y, one, "gaussian", thresholds=cut_1, w=w)
        halfway = time.process_time()
        cost_difference(y, one, two, "gaussian", thresholds_1=cut_1, thresholds_2=cut_2, w=w)
        return {"one": halfway - begun, "two": time.process_time() - halfway}


@dataclass(frozen=True)
class ClassShare(Cell):
    """Coverage of full sampling where the class share itself varies from sample to sample.

    Parameters
    ----------
    spread : float
        Standard deviation of the share of positives, which has a beta distribution about 1/2; 0
        makes it fixed, and the number of positives binomial, as in the paper.

    Notes
    -----
    The iterated variance of equation 10 has the variance of N+ as a factor of one of its terms.
    `binomial`: coverage at w = .2 with n p q there, as printed. `replaced`: with the variance of a
    beta-binomial number, n p q (1 + (n - 1) spread^2 / (p q)).
    """

    shares: ClassVar[tuple[str, ...]] = ("binomial", "replaced")

    spread: float
    w: float = 0.2

    def facts(self) -> Mapping[str, object]:
        return {"sd of the class share": self.spread}

    @property
    def source(self) -> object:
        return ("class share", self.spread)

    def measure(self, streams: Streams) -> Measured:
        model, rng, w = Model(_THETA, -_THETA), streams.own_rng("set"), np.array([self.w])
        share = 0.5
        if self.spread:
            shape = 0.5 * (0.25 / self.spread**2 - 1.0)
            share = float(rng.beta(shape, shape))
        n_pos = int(np.clip(rng.binomial(_CASES, share), 1, _CASES - 1))
        y, scores = model.draw(rng, FixedClasses(n_pos, _CASES - n_pos))
        cut = model.thresholds(w)
        found = cost_interval(
            y, scores, "gaussian", thresholds=cut, costs=(w, 1.0 - w),
            sampling="full", level=LEVEL,
        )  # fmt: skip
        truth = put_on_scale(model.cost(w, cut), w, "full")[0]
        mean, half = (found.upper + found.lower)[0] / 2, (found.upper - found.lower)[0] / 2
        fnr, fpr = np.mean(scores[y] < cut), np.mean(scores[~y] >= cut)
        # What one positive more, and one negative less, adds to the cost: delta of equation 10.
        delta = (self.w * fnr - (1.0 - self.w) * fpr) / max(self.w, 1.0 - self.w) / _CASES
        extra = delta**2 * _CASES * (_CASES - 1) * self.spread**2
        wider = _Z * math.sqrt((half / _Z) ** 2 + extra)
        off = abs(mean - truth)
        return {"binomial": float(off <= half), "replaced": float(off <= wider)}


class ClosedForms(PaperStudy[dict[Cell, Mapping[str, Figure]]]):
    """Time and precision of resampling, time by the number of rows, other class shares."""

    name = "dugas-2009-closed-forms"
    paper = f"{PAPER}, sections 3 to 6"
    title = "Limits in closed form: time, precision, other class shares"

    def plan(self, scale: Scale, seed: int, data: DataSource | None) -> Study:
        few, many = (5, 1000) if scale == "quick" else (20, 10_000)
        cells = (*map(Empirical, _SAMPLES), *map(Growth, _ROWS), *map(ClassShare, _SPREADS))
        return Study(
            self.name, cells, lambda cell: many if isinstance(cell, ClassShare) else few, 100, seed
        )

    def read(self, found: StudyResult, scale: Scale) -> dict[Cell, Mapping[str, Figure]]:
        return {
            one.cell: {k: v for k, v in one.figures.items() if isinstance(v, Figure)}
            for one in found.cells
        }

    def rows(self, figures: dict[Cell, Mapping[str, Figure]]) -> Iterator[Row]:
        for cell, own in figures.items():
            ((name, value),) = cell.facts().items()
            for figure, ours in own.items():
                where = {"by": name, "value": value, "figure": figure}
                yield Row(where=where, ours=ours, digits=3, why_not="said in words only")

    def claims(self, figures: dict[Cell, Mapping[str, Figure]]) -> Iterator[Claim]:
        few, many = (figures[Empirical(samples)] for samples in _SAMPLES)
        yield Claim(
            "An empirical bootstrap is an order of magnitude slower.",
            f"{few['slower'].value:.0f} times the processor time with 100 samples, "
            f"{many['slower'].value:.0f} times with 1000, for 2000 rows and 99 conditions.",
            "reproduced" if many["slower"].low > 10.0 else "not reproduced",
            item="section 6",
        )
        yield Claim(
            "It is less precise.",
            f"its limits are off by {few['error'].value:.3f} of the half width with 100 samples "
            f"and by {many['error'].value:.3f} with 1000, on average over w from .1 to .9.",
            "reproduced" if many["error"].low > 0.0 else "not reproduced",
            item="section 6",
        )
        steps = {
            name: [
                figures[Growth(b)][name].value / figures[Growth(a)][name].value
                for a, b in pairwise(_ROWS)
            ]
            for name in ("one", "two")
        }
        expected = [b * math.log(b) / (a * math.log(a)) for a, b in pairwise(_ROWS)]
        ratios = [
            Figure(each / wanted, 0.0, 0.0, 1)
            for many in steps.values()
            for each, wanted in zip(many, expected, strict=True)
        ]
        yield Claim(
            "Limits for n conditions take O(n ln n), for one model and for two.",
            "when rows and conditions double, from 20,000 to 160,000, time grows by "
            + ", ".join(f"{one:.1f}" for one in steps["one"])
            + " for one model and by "
            + ", ".join(f"{two:.1f}" for two in steps["two"])
            + f" for two, where n ln n grows by {expected[0]:.1f}.",
            "reproduced" if max(one.value for one in ratios) < 1.5 else "not reproduced",
            item="sections 3 and 4",
            short=f"{spread_text(ratios)} times the growth of n ln n with each doubling.",
        )
        same, _, wide = (figures[ClassShare(spread)] for spread in _SPREADS)
        yield judge_claim(
            "The binomial distribution of the class share could easily be replaced.",
            "the variance of N+ stands in one term of equation 10; with that of a beta-binomial "
            f"number limits at w = .2 cover {wide['replaced'].value:.3f} where the share varies by "
            f"{_SPREADS[-1]:g}, and with the binomial one {wide['binomial'].value:.3f} "
            f"({same['binomial'].value:.3f} where the share is fixed).",
            abs(wide["replaced"].value - LEVEL) < 0.03,
        )

    def notes(self, figures: dict[Cell, Mapping[str, Figure]]) -> tuple[str, ...]:
        return (
            "Times are processor time of one run and vary with the machine; the other numbers "
            "repeat. The empirical bootstrap sorts every sample, as the paper describes.",
            "theta = 3, level .9; class shares: 2000 cases, costs w and 1 - w.",
        )
