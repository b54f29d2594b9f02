"""Sections 3 to 6 in numbers: chosen thresholds, regions, closed forms and other class shares."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from scipy.special import ndtri

from rocbands.core.checks import FloatArray
from rocbands.cost import ShareLaw, cost_difference, cost_interval
from rocbands_studies.measurements import Cell, Measured
from rocbands_studies.papers.dugas_2009.experiments import (
    CONVENTION,
    FIXED,
    FLOOR,
    GOOD,
    LEVEL,
    PAPER,
    RHOS,
    Along,
    floor_claim,
    list_values,
)
from rocbands_studies.papers.dugas_2009.measurements import (
    CONDITIONS,
    ChosenThresholds,
    Enumerated,
    EnumeratedInside,
    Model,
    Regions,
    TwoModels,
    put_on_scale,
)
from rocbands_studies.papers.paper import (
    Claim,
    DataSource,
    PaperStudy,
    Picture,
    Row,
    Scale,
    judge_claim,
    judge_own,
    spread_text,
)
from rocbands_studies.populations import FixedClasses
from rocbands_studies.results import Figure, StudyResult
from rocbands_studies.spec import Study
from rocbands_studies.streams import Streams

_THETA, _Z = 3.0, float(ndtri((1.0 + LEVEL) / 2.0))

# Thresholds that were chosen on finitely many cases

_AT = (0.01, 0.02, 0.05, 0.1, 0.5)
_TEST = FixedClasses(1000, 1000)
_METHODS = ("gaussian", "mover")
_VALID = (1000, 100)  # cases of each class that thresholds are chosen on
_OWN = (25, 250, 1000)  # cases of each class of test sets that are misused for it


def _chosen(size: int, method: str) -> ChosenThresholds:
    return ChosenThresholds(_THETA, _TEST, method, FixedClasses(size, size))


def _misused(size: int) -> ChosenThresholds:
    return ChosenThresholds(_THETA, FixedClasses(size, size), "gaussian", None)


_BREAKS = {1.5: 0.05, 3.0: 0.01, 5.0: 0.01}  # w at which coverage breaks, by theta
_RANGES: dict[Literal["each", "all"], str] = {
    "each": "the range of each class's scores",
    "all": "the range of all scores",
}


def _inside(theta: float, within: Literal["each", "all"]) -> EnumeratedInside:
    return EnumeratedInside(theta, _TEST, "gaussian", w=_AT, within=within)


def _least_cost(w: float) -> float:
    model, at = Model(_THETA, -_THETA), np.array([w])
    return float(model.cost(at, model.thresholds(at))[0])


class Coverages(NamedTuple):
    """Coverage by size of the validation set and method, and with the truly best thresholds."""

    chosen: dict[tuple[int, str], Along]
    best: dict[str, Along]
    excess: dict[int, Along]
    optimism: dict[int, Along]
    misused: dict[int, Along]
    envelope: dict[int, Along]
    within: dict[tuple[float, str], tuple[Along, Along]]  # coverage, and how many sets are such


class Validation(PaperStudy[Coverages]):
    """Limits for what thresholds from a validation set, or from the test set, truly cost."""

    name = "dugas-2009-validation"
    paper = f"{PAPER}, section 6"
    title = "Thresholds from a validation set: limits for what they truly cost"
    picture = Picture("w", ("thresholds from", "method"), ("what",), 0.9)

    def plan(self, scale: Scale, seed: int, data: DataSource | None) -> Study:
        cells = [_chosen(size, method) for size in _VALID for method in _METHODS]
        cells += [_misused(size) for size in _OWN]
        inside = [_inside(theta, within) for within in _RANGES for theta in _BREAKS]
        return Study(
            self.name,
            (*cells, *inside, *(Enumerated(_THETA, _TEST, method) for method in _METHODS)),
            lambda cell: 1 if cell.exact else 2000 if scale == "quick" else 10000,
            block=100,
            seed=seed,
        )

    def read(self, found: StudyResult, scale: Scale) -> Coverages:
        return Coverages(
            {(n, m): Along.of(found, _chosen(n, m)) for n in _VALID for m in _METHODS},
            {m: Along.of(found, Enumerated(_THETA, _TEST, m)) for m in _METHODS},
            {n: Along.of(found, _chosen(n, "mover"), "excess at") for n in _VALID},
            {n: Along.of(found, _chosen(n, "mover"), "envelope at") for n in _VALID},
            {n: Along.of(found, _misused(n), "holds best at") for n in _OWN},
            {n: Along.of(found, _misused(n), "envelope at") for n in _OWN},
            {
                (theta, within): (
                    Along.of(found, _inside(theta, within)),
                    Along.of(found, _inside(theta, within), "inside at"),
                )
                for within in _RANGES
                for theta in _BREAKS
            },
        )

    def rows(self, figures: Coverages) -> Iterator[Row]:
        for (size, method), along in figures.chosen.items():
            where = {"thresholds from": f"validation set, {size} of each class", "method": method}
            for w in _AT:
                best = figures.best[method].at(w).value
                yield Row(
                    where={**where, "what": "coverage", "w": w},
                    ours=along.at(w),
                    digits=3,
                    note=f"{best:.3f} with the truly best thresholds",
                )
        # What chosen thresholds cost too much, and what they seem to cost too little.
        for size in _VALID:
            where = {"thresholds from": f"validation set, {size} of each class", "method": "any"}
            yield Row(
                where={**where, "what": "mean excess", "w": 0.5},
                ours=figures.excess[size].at(0.5),
                digits=4,
                note="true cost of chosen thresholds minus the least there is",
            )
            least, seen = _least_cost(0.5), figures.optimism[size].at(0.5)
            yield Row(
                where={**where, "what": "mean optimism", "w": 0.5},
                ours=Figure(least - seen.value, least - seen.high, least - seen.low, seen.n),
                digits=4,
                note="least cost there is minus what the validation set shows",
            )
        for size in _OWN:
            where = {
                "thresholds from": f"the test set itself, {size} of each class",
                "method": "gaussian",
            }
            for w in (0.05, 0.5):
                yield Row(
                    where={**where, "what": "mean envelope", "w": w},
                    ours=figures.envelope[size].at(w),
                    digits=4,
                    note=f"the least cost there is is {_least_cost(w):.4f}",
                )
                yield Row(
                    where={**where, "what": "coverage", "w": w},
                    ours=figures.misused[size].at(w),
                    digits=3,
                    note="of the least cost there is",
                )
        for within, words in _RANGES.items():
            yield from self._range_rows(
                words, {theta: figures.within[theta, within] for theta in _BREAKS}
            )

    def _range_rows(self, words: str, found: dict[float, tuple[Along, Along]]) -> Iterator[Row]:
        for theta, (held, inside) in found.items():
            for w in _AT[:3]:
                yield Row(
                    where={
                        "thresholds from": f"the best ones, within {words}",
                        "method": "gaussian",
                        "what": "coverage" if theta == _THETA else f"coverage, theta {theta:g}",
                        "w": w,
                    },
                    ours=held.at(w),
                    digits=3,
                    note=f"in {inside.at(w).value:.3f} of the test sets",
                )

    def claims(self, figures: Coverages) -> Iterator[Claim]:
        plain, best = figures.chosen[1000, "gaussian"], figures.best["gaussian"]
        misuse = [along.at(0.05) for along in figures.misused.values()]
        yield judge_claim(
            "Thresholds from a finite validation set smooth the breaks of coverage.",
            f"gaussian limits at w = .01, .02, .05: {list_values(plain.at(w) for w in _AT[:3])} "
            f"against {list_values(best.at(w) for w in _AT[:3])}; smoothed, not removed.",
            best.at(0.01).value < plain.at(0.01).low and plain.at(0.01).high < FLOOR,
        )
        for within, words in _RANGES.items():
            yield _range_claim(words, {theta: figures.within[theta, within] for theta in _BREAKS})
        yield floor_claim([figures.chosen[size, "mover"] for size in _VALID])
        yield judge_own(
            "thresholds chosen on the test set itself make limits worthless.",
            f"at w = .05 gaussian limits contain the least cost in {list_values(misuse)} of test "
            "sets with 25, 250, 1000 of each class.",
            all(one.high < FLOOR for one in misuse),
        )

    def notes(self, figures: Coverages) -> tuple[str, ...]:
        return (
            CONVENTION,
            "Limits are for the true cost of the thresholds that were chosen, not for the least "
            "cost there is.",
        )


def _range_claim(words: str, found: dict[float, tuple[Along, Along]]) -> Claim:
    """Judge whether the breaks are avoided in test sets whose range has the threshold inside."""
    ends = [found[theta][0].at(w) for theta, w in _BREAKS.items()]
    shares = [found[theta][1].at(w) for theta, w in _BREAKS.items()]
    held, inside = (along.at(0.05).value for along in found[_THETA])
    avoided = min(one.value for one in ends) >= GOOD
    tail = "; there limits cover too much, and in the other sets there is no answer" * avoided
    claim = judge_claim(
        "The breaks can be avoided if computations are limited to thresholds within the range of "
        f"sampled scores: {words}.",
        f"limits cover {list_values(ends)} at theta = 1.5 and w = .05 and at theta = 3 and 5 and "
        f"w = .01, in the test sets that have the threshold inside: {list_values(shares)} of all"
        f"{tail}. At theta = 3 and w = .05 they cover {held:.3f} in {inside:.3f} of the sets. "
        "Enumerated, without noise.",
        avoided,
        "the paper",
    )
    return replace(claim, item="section 7")


# Where one model is called cheaper: how often that is wrong somewhere

_MOST = 0.12  # how often simultaneous regions at level .9 may flag equal models
_EQUAL = tuple(TwoModels(theta, 0.0, rho) for theta in (1.0, 3.0) for rho in RHOS)
_UNEQUAL = tuple(TwoModels(theta, 2.0, 0.6) for theta in (1.0, 3.0))
_KINDS = tuple((method, together) for together in (False, True) for method in ("gaussian", "mover"))
Kind = tuple[str, bool]  # method, and whether limits are for all w together


class Wrong(NamedTuple):
    """How often regions are wrong by models and kind; critical values; simultaneous coverage."""

    wrong: dict[tuple[TwoModels, Kind], Figure]
    critical: list[Figure]
    together: list[Figure]

    def equal(self, kind: Kind) -> list[Figure]:
        """Return the shares of equal models."""
        return [self.wrong[models, kind] for models in _EQUAL]


class CheaperRegions(PaperStudy[Wrong]):
    """How often a region where one model is called cheaper is wrong, pointwise and together."""

    name = "dugas-2009-regions"
    paper = f"{PAPER}, beyond it"
    title = "Where one model is cheaper: how often equal models are told apart"
    picture = Picture("rho", ("limits", "method"), ("theta", "shift"), 0.1)

    def plan(self, scale: Scale, seed: int, data: DataSource | None) -> Study:
        cells = (Regions(models, FIXED, *k) for models in (*_EQUAL, *_UNEQUAL) for k in _KINDS)
        times = 400 if scale == "quick" else 2000
        return Study(self.name, tuple(cells), times, block=100, seed=seed)

    def read(self, found: StudyResult, scale: Scale) -> Wrong:
        def figure(models: TwoModels, kind: Kind, name: str) -> Figure:
            return found.figure(Regions(models, FIXED, *kind), name)

        return Wrong(
            {
                (models, kind): figure(models, kind, "wrong")
                for models in (*_EQUAL, *_UNEQUAL)
                for kind in _KINDS
            },
            [figure(models, ("gaussian", True), "critical") for models in _EQUAL],
            [figure(models, ("mover", True), "together") for models in _UNEQUAL],
        )

    def rows(self, figures: Wrong) -> Iterator[Row]:
        for (models, kind), figure in figures.wrong.items():
            yield Row(
                where={
                    "theta": models.theta,
                    "shift": models.shift,
                    "rho": models.rho,
                    "limits": _limits(kind),
                    "method": kind[0],
                    "what": "wrong somewhere",
                },
                ours=figure,
                digits=3,
            )

    def claims(self, figures: Wrong) -> Iterator[Claim]:
        equal = {kind: figures.equal(kind) for kind in _KINDS}
        pointwise = equal["gaussian", False] + equal["mover", False]
        worst = max(equal["mover", True] + equal["gaussian", True])
        most = {k: max(figures.wrong[models, k].value for models in _UNEQUAL) for k in _KINDS}
        yield judge_own(
            "pointwise regions are no test of whether models differ.",
            f"equal models are told apart somewhere in {_span(equal['gaussian', False])} "
            f"(gaussian) and {_span(equal['mover', False])} (mover) of test sets.",
            all(one.low > 0.5 for one in pointwise),
        )
        yield judge_own(
            f"simultaneous regions flag equal models in at most {_MOST:g}, level .9.",
            f"{_span(equal['gaussian', True])} (gaussian), {_span(equal['mover', True])} (mover); "
            f"the largest has the interval [{worst.low:.3f}, {worst.high:.3f}].",
            # The largest of twelve noisy shares: noise counts against the claim only as a whole.
            worst.low <= _MOST,
        )
        yield judge_own(
            "models that differ are hardly ever put in the wrong order.",
            "at shift 2 somewhere in at most "
            + ", ".join(f"{most[kind]:.3f} ({kind[0]}, {_limits(kind)})" for kind in _KINDS)
            + " of test sets; always where the difference is next to 0.",
            # A pointwise limit may be on the wrong side of a difference near 0 in .05, each.
            max(most.values()) <= 0.06,
        )

    def notes(self, figures: Wrong) -> tuple[str, ...]:
        return (
            "The paper's intervals are pointwise, and it makes no statement about regions; these "
            "are ours. 99 w from .01 to .99, level .9, 1000 cases of each class.",
            f"Simultaneous limits are on average {_span(figures.critical)} standard errors wide "
            "instead of 1.645.",
            f"Models that differ (shift 2) are always told apart at this size; simultaneous MOVER "
            f"limits contain the true difference at all w in {_span(figures.together)} of test "
            "sets.",
        )


def _limits(kind: Kind) -> str:
    return "simultaneous" if kind[1] else "pointwise"


def _span(figures: Iterable[Figure]) -> str:
    values = [one.value for one in figures]
    return f"{min(values):.3f} to {max(values):.3f}"


# Closed forms beside resampling, and other class shares

_SAMPLES = (100, 1000)  # of the empirical bootstrap
_RESAMPLES = (10, 20, 50, 100, 1000)  # whose coverage is counted
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
        exact = cost_interval(y, scores, method="gaussian", thresholds=cut, w=w, level=LEVEL)
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
        cost_interval(y, one, method="gaussian", thresholds=cut_1, w=w)
        halfway = time.process_time()
        cost_difference(y, one, two, method="gaussian", thresholds=(cut_1, cut_2), w=w)
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
    beta-binomial number, n p q (1 + (n - 1) spread^2 / (p q)), by `rocbands.cost.ShareLaw`.
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
        truth = put_on_scale(model.cost(w, cut), w, "full")[0]

        def holds(sampling: Any) -> float:
            found = cost_interval(
                y, scores, method="gaussian", thresholds=cut, costs=(w, 1.0 - w),
                sampling=sampling, level=LEVEL,
            )  # fmt: skip
            return float(found.lower[0] <= truth <= found.upper[0])

        law = ShareLaw(self.spread) if self.spread else "full"
        return {"binomial": holds("full"), "replaced": holds(law)}


@dataclass(frozen=True)
class ResampledCoverage(Cell):
    """Coverage at one w of limits from `samples` resamples of 1,000 + 1,000 rows.

    Notes
    -----
    Numbers of errors in resamples of either class are binomial, so that no row is drawn. `normal`:
    mean plus and minus 1.645 standard deviations of the resampled costs. `percentile`: their 5th
    and 95th percentile. `closed form`: as infinitely many resamples would give.
    """

    shares: ClassVar[tuple[str, ...]] = ("normal", "percentile", "closed form")

    samples: int
    w: float = 0.2

    def facts(self) -> Mapping[str, object]:
        return {"resamples": self.samples}

    @property
    def source(self) -> object:
        return ("resampled coverage", self.w)

    def measure(self, streams: Streams) -> Measured:
        model, w, size = Model(_THETA, -_THETA), np.array([self.w]), 1000
        cut, weight = model.thresholds(w), np.array([[self.w], [1.0 - self.w]])
        rates = np.concatenate(model.rates(cut))
        wrong = streams.draw_shared("errors", lambda rng: rng.binomial(size, rates))[:, None] / size
        rng = streams.own_rng("resamples")
        costs = (weight * rng.binomial(size, wrong, (2, self.samples)) / size).sum(axis=0)
        truth, mean = float(model.cost(w, cut)[0]), float((weight * wrong).sum())
        exact = math.sqrt(float((weight**2 * wrong * (1.0 - wrong)).sum()) / size)
        low, high = np.quantile(costs, [(1.0 - LEVEL) / 2.0, (1.0 + LEVEL) / 2.0])
        return {
            "normal": float(abs(costs.mean() - truth) <= _Z * costs.std(ddof=1)),
            "percentile": float(low <= truth <= high),
            "closed form": float(abs(mean - truth) <= _Z * exact),
        }


class ClosedForms(PaperStudy[dict[Cell, Mapping[str, Figure]]]):
    """Time and precision of resampling, time by the number of rows, other class shares."""

    name = "dugas-2009-closed-forms"
    paper = f"{PAPER}, sections 3 to 6"
    title = "Limits in closed form: time, precision, other class shares"
    picture = Picture("value", panels=("by", "figure"))

    def plan(self, scale: Scale, seed: int, data: DataSource | None) -> Study:
        few, many = (5, 1000) if scale == "quick" else (20, 10_000)
        cells = (*map(Empirical, _SAMPLES), *map(Growth, _ROWS), *map(ClassShare, _SPREADS))
        more = tuple(map(ResampledCoverage, _RESAMPLES))

        def times(cell: Cell) -> int:
            return many if isinstance(cell, (ClassShare, ResampledCoverage)) else few

        return Study(self.name, (*cells, *more), times, 100, seed)

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
        yield from _judge_resamples({b: figures[ResampledCoverage(b)] for b in _RESAMPLES})
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
            f"({same['binomial'].value:.3f} where the share is fixed). rb.cost.ShareLaw does it, "
            "for one model and for two.",
            abs(wide["replaced"].value - LEVEL) < 0.03,
        )

    def notes(self, figures: dict[Cell, Mapping[str, Figure]]) -> tuple[str, ...]:
        return (
            "Times are processor time of one run and vary with the machine; the other numbers "
            "repeat. The empirical bootstrap sorts every sample, as the paper describes.",
            "theta = 3, level .9; class shares: 2000 cases, costs w and 1 - w.",
        )


def _judge_resamples(found: Mapping[int, Mapping[str, Figure]]) -> Iterator[Claim]:
    """Judge coverage by the number of resamples."""
    texts = {
        name: ", ".join(f"{own[name].value:.3f} ({b})" for b, own in found.items())
        for name in ("normal", "percentile")
    }
    many, closed = found[_RESAMPLES[-1]], found[_RESAMPLES[-1]]["closed form"].value
    off = {b: abs(own["normal"].value - closed) for b, own in found.items()}
    yield Claim(
        "Similar coverage could be obtained with a large number of resamples.",
        f"at w = .2 closed forms cover {closed:.3f}, normal limits from resamples "
        f"{texts['normal']}, percentiles {texts['percentile']}.",
        "reproduced"
        if max(off[_RESAMPLES[-1]], abs(many["percentile"].value - closed)) < 0.01
        else "not reproduced",
        item="section 6",
    )
    yield judge_own(
        "for coverage 100 resamples are enough, if limits are normal.",
        f"{found[100]['normal'].value:.3f} against {closed:.3f}; with 10 resamples "
        f"{found[10]['normal'].value:.3f}, by percentiles of 100 "
        f"{found[100]['percentile'].value:.3f}.",
        off[100] < 0.01 < off[10],
    )
