"""Figures 7 to 9: where later curves leave a band on real data, and what scores look like."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from rocbands.bands.working_hotelling import WorkingHotelling
from rocbands.core.checks import FloatArray
from rocbands.core.curve import Curve, displacement
from rocbands.core.region import DisplacedRegion
from rocbands.errors import RocBandsWarning
from rocbands_studies.measurements import Measured
from rocbands_studies.papers.macskassy_2005.models import Cases, Learned, OfModel, Scored
from rocbands_studies.papers.macskassy_2005.simulated import LEARNERS, PAPER, SHOWN_AS, VARIANTS
from rocbands_studies.papers.methods import PrintedFixedWidth
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
from rocbands_studies.results import Figure, StudyResult
from rocbands_studies.spec import Study
from rocbands_studies.streams import Streams

_TREES = ("tree-pruned", "tree")
_PICTURE = "printed as a picture"
_BELL = 0.05  # Kolmogorov's distance from a normal distribution that a picture still hides
_PLACES = tuple(round(0.02 * step, 2) for step in range(1, 50))
_BINS = np.linspace(-4.0, 4.0, 82)
_CENTRES = tuple(float(at) for at in (_BINS[:-1] + _BINS[1:]) / 2.0)
_KERNEL = np.exp(-0.5 * (np.arange(-6, 7) / 2.0) ** 2)


@dataclass(frozen=True)
class _OfBand(OfModel):
    """A model, a band set of its scores and later sets."""

    model: Learned  # gives the scores
    size: int  # rows of the set that makes the band, and of each later set
    method: PrintedFixedWidth  # makes the band, which is widened by sqrt(2)
    later: int  # number of later sets
    level: float = 0.9  # of the band

    def _band(
        self, scored: Scored, rng: np.random.Generator
    ) -> tuple[DisplacedRegion, list[Curve]]:
        rows = scored.draw(rng, self.size)
        narrow = self.method.region(scored.roc(rows), self.level, rng)
        rest = scored.others(rows)
        later = [scored.curve(scored.draw(rng, self.size, rest)) for _ in range(self.later)]
        return DisplacedRegion(narrow.curve, narrow.dx * np.sqrt(2.0), narrow.slope), later


@dataclass(frozen=True)
class AlongBand(_OfBand):
    """How later curves use a band's width from its start (0) to its end (1).

    Notes
    -----
    Places are lines that cross the band along its direction, evenly spaced. `used`: the distance
    from the band's centre that 0.9 of the later curves keep there, as a share of the band's.
    `outside`: share of later curves that are outside there. `contained`: share inside everywhere.
    """

    axis: ClassVar[str] = "place"

    @property
    def points(self) -> tuple[float, ...]:
        return _PLACES

    def measure(self, streams: Streams) -> Measured:
        region, later = self._band(self.model.scored(streams), streams.own_rng("band"))
        at = np.array(_PLACES) * (1.0 + region.slope)
        x = np.interp(at, region.curve.level(region.slope), region.curve.x)
        away = np.array(
            [np.abs(np.interp(at, one.level(region.slope), one.x) - x) for one in later]
        )
        width = max(region.dx, 1e-12)
        return {
            "contained": float(np.mean([region.contains(one) for one in later])),
            "used": (np.quantile(away, 0.9, axis=0) / width).tolist(),
            "outside": np.mean(away > width + 1e-9, axis=0).tolist(),
        }


@dataclass(frozen=True)
class ScoreShapes(PaperCell):
    """How the scores of both classes are distributed.

    Parameters
    ----------
    model : Learned
        Gives the scores.

    Notes
    -----
    `positives`, `negatives`: densities along the score, in standard deviations of all scores from
    their mean. For each class, marked + and -: `off normal` is the largest distance between the
    distribution and the normal one of the same mean and spread; `peaks` counts the maxima of the
    smoothed density that have a tenth of the highest or more. `fatter`: ratio of the standard
    deviations, positives to negatives. `off binormal`: distance between the ROC curve and the
    binormal one that fits best; 1 where none does.
    """

    axis: ClassVar[str] = "score"

    model: Learned

    @property
    def source(self) -> object:
        return self.model.source

    @property
    def points(self) -> tuple[float, ...]:
        return _CENTRES

    def measure(self, streams: Streams) -> Measured:
        scored = self.model.scored(streams)
        scores = _clip(scored.scores)
        scores = (scores - scores.mean()) / (scores.std() or 1.0)
        sides = scores[scored.positive], scores[~scored.positive]
        pos, neg = (_density(side) for side in sides)
        return {
            "off normal +": _off_normal(sides[0]),
            "off normal -": _off_normal(sides[1]),
            "peaks +": _peaks(pos),
            "peaks -": _peaks(neg),
            "fatter": float(sides[0].std() / (sides[1].std() or 1.0)),
            "off binormal": _off_binormal(scored),
            "scores": float(scored.tie[-1] + 1),
            "positives": pos.tolist(),
            "negatives": neg.tolist(),
        }


@dataclass(frozen=True)
class LeafShapes(ScoreShapes):
    """The same for a tree, whose leaves of one class have infinite log-odds.

    Notes
    -----
    `infinite`: share of these scores, by class. A picture cannot show them at their place: here
    they are at the ends of the range of the others. `off normal, finite`: without them.
    """

    def measure(self, streams: Streams) -> Measured:
        scored = self.model.scored(streams)
        found = dict(super().measure(streams))
        for sign, side in (("+", scored.positive), ("-", ~scored.positive)):
            finite = scored.scores[side & np.isfinite(scored.scores)]
            found[f"infinite {sign}"] = 1.0 - finite.size / np.count_nonzero(side)
            found[f"off normal, finite {sign}"] = _off_normal(finite) if finite.size else 1.0
        return found


def _clip(scores: FloatArray) -> FloatArray:
    """Put infinite scores at the ends of the range of the others."""
    finite = scores[np.isfinite(scores)]
    low, high = (finite.min(), finite.max()) if finite.size else (0.0, 0.0)
    return np.clip(scores, low, high)


def _density(scores: FloatArray) -> FloatArray:
    inside = np.clip(scores, _BINS[0], _BINS[-1])
    counts = np.histogram(inside, _BINS)[0]
    return np.asarray(counts / (scores.size * (_BINS[1] - _BINS[0])))


def _off_normal(scores: FloatArray) -> float:
    """Kolmogorov's distance from the normal distribution with the same two moments."""
    from scipy.special import ndtr

    values, counts = np.unique(scores, return_counts=True)
    normal = ndtr((values - scores.mean()) / (scores.std() or 1.0))
    after = np.cumsum(counts) / scores.size
    return float(max(np.max(after - normal), np.max(normal - after + counts / scores.size)))


def _peaks(density: FloatArray) -> float:
    smooth = np.convolve(density, _KERNEL / _KERNEL.sum(), mode="same")
    around = np.concatenate([[0.0], smooth, [0.0]])
    top = (smooth > around[:-2]) & (smooth >= around[2:]) & (smooth >= 0.1 * smooth.max())
    return float(np.count_nonzero(top))


def _off_binormal(scored: Scored) -> float:
    roc = scored.roc(np.arange(len(scored)))
    with warnings.catch_warnings():  # that scores are not binormal is what is being measured
        warnings.simplefilter("ignore", RocBandsWarning)
        centre = WorkingHotelling()(roc).centre
    return 1.0 if centre is None else displacement(centre, roc.curve, 1.0).largest


@dataclass(frozen=True)
class FarScores(PaperCell):
    """How many raw log-odds of logistic regression with Weka's ridge lie far from the others.

    Notes
    -----
    For each class, marked + and -: `far` is the share of the scores more than five interquartile
    ranges from the median; `at` is the median of these scores.
    """

    cases: Cases  # where rows come from
    n_learn: int  # rows to learn from
    n_scores: int = 25_000  # other rows, which are scored

    @property
    def source(self) -> object:
        return (self.cases, self.n_learn, self.n_scores)

    def measure(self, streams: Streams) -> Measured:
        from rocbands_studies.papers.learners import fit

        cases, rng = self.cases.fetch(), streams.own_rng("rows")
        rows = cases.stratified_rows(self.n_learn, rng)
        left = np.setdiff1d(np.arange(len(cases)), rows)
        others = rng.choice(left, min(self.n_scores, left.size), replace=False)
        scores, positive = fit("logistic-1e-8", cases, rows)(others), cases.y[others]
        found: dict[str, float] = {}
        for sign, side in (("+", scores[positive]), ("-", scores[~positive])):
            low, middle, high = np.quantile(side, (0.25, 0.5, 0.75))
            far = side[np.abs(side - middle) > 5.0 * (high - low)]
            found[f"far {sign}"] = far.size / side.size
            found[f"at {sign}"] = float(np.median(far)) if far.size else float(middle)
        return found


# Figure 7


class BandUse(NamedTuple):
    """Figures along the band, from its start to its end."""

    places: tuple[float, ...]
    used: list[Figure]
    outside: list[Figure]
    contained: Figure


def _largest(figures: list[Figure], *, ends: bool) -> float:
    """Largest value in the first and last tenth of the band, or between them."""
    return max(
        figure.value
        for figure, place in zip(figures, _PLACES, strict=True)
        if (place < 0.1 or place > 0.9) is ends
    )


class Figure7(PaperStudy[BandUse]):
    """Where later curves leave a widened fixed-width band on Covertype."""

    name = "macskassy-2005-figure7"
    paper = f"{PAPER}, Figure 7"
    title = "Where later curves leave a band"
    picture = Picture("place", panels=("figure",))
    needs = ("covertype",)

    def plan(self, scale: Scale, seed: int, data: DataSource | None) -> Study:
        model = Learned(Cases.of("covertype", data), "logistic", 100, 50_000)
        method = PrintedFixedWidth(n_resamples=1000)
        cell = AlongBand(model, 1000, method, later=100)
        return Study(self.name, (cell,), 60 if scale == "quick" else 400, block=5, seed=seed)

    def read(self, found: StudyResult, scale: Scale) -> BandUse:
        along = found.cells[0].cell
        return BandUse(
            along.points,
            found.along(along, "used"),
            found.along(along, "outside"),
            found.figure(along, "contained"),
        )

    def rows(self, figures: BandUse) -> Iterator[Row]:
        shown = {_PLACES[0], _PLACES[-1], *(tenth / 10 for tenth in range(1, 10))}
        for name, along in (("used", figures.used), ("outside", figures.outside)):
            for place, figure in zip(figures.places, along, strict=True):
                if place in shown:
                    yield Row(where={"figure": name, "place": place}, ours=figure, why_not=_PICTURE)

    def claims(self, figures: BandUse) -> Iterator[Claim]:
        ends, between = (_largest(figures.used, ends=side) for side in (True, False))
        gone = [figure.value for figure in figures.outside]
        most = max(gone)
        where = figures.places[gone.index(most)]
        lost = _largest(figures.outside, ends=True)
        yield judge_claim(
            "A fixed-width band is much too wide at the extremes.",
            f"0.9 of the later curves use at most {ends:.2f} of the width in the first and last "
            f"tenth of the band, and up to {between:.2f} between.",
            ends < 0.8 * between,
        )
        yield judge_claim(
            "Where later curves leave the band, they generally do so in the middle.",
            f"most often at {where:g} of the way ({most:.3f} of the later curves); in the first "
            f"and last tenth at most {lost:.3f}.",
            0.25 <= where <= 0.75 and lost < most / 2.0,
        )

    def notes(self, figures: BandUse) -> tuple[str, ...]:
        return (
            "Covertype, logistic regression (ridge 1) learned from 100 rows, r = 1000, fixed-width "
            f"bands times sqrt(2). {figures.contained.value:.2f} of the later curves are inside "
            "everywhere.",
            "Places are lines across the band, evenly spaced from (0, 0) to (1, 1).",
        )


# Figures 8 and 9


class Shapes:
    """The figures by learner and number of rows learned from."""

    def __init__(self, result: StudyResult) -> None:
        self.cells = {
            (one.cell.model.learner, one.cell.model.n_learn): one
            for one in result.cells
            if isinstance(one.cell, ScoreShapes)
        }
        self.far = {
            one.cell.n_learn: one.figures for one in result.cells if isinstance(one.cell, FarScores)
        }

    def __call__(self, learner: str, name: str, n_learn: int = 2500) -> float:
        figure = self.cells[learner, n_learn].figures[name]
        assert isinstance(figure, Figure)
        return figure.value

    def both(self, learner: str, name: str) -> str:
        """Write the figures of both classes."""
        return f"{self(learner, name + ' +'):.2f} and {self(learner, name + ' -'):.2f}"


class ScoreFigure(PaperStudy[Shapes]):
    """Scores on Covertype: Figure 8 of five learners, Figure 9 of logistic regression."""

    needs = ("covertype",)

    picture = Picture("learned from", ("learner",), ("figure",))

    def __init__(self, number: Literal[8, 9]) -> None:
        self.number = number
        self.name = f"macskassy-2005-figure{number}"
        self.paper = f"{PAPER}, Figure {number}"
        self.title = f"Scores of {'five learners' if number == 8 else 'logistic regression'}"

    def plan(self, scale: Scale, seed: int, data: DataSource | None) -> Study:
        cases = Cases.of("covertype", data)
        learners, sizes, pool = (
            ((*LEARNERS, *VARIANTS), (100, 2500), 50_000)
            if self.number == 8
            else (("logistic",), (100, 2500, 25_000), 25_000)
        )
        cells = tuple(
            (LeafShapes if learner in _TREES else ScoreShapes)(
                Learned(cases, learner, n_learn, pool)
            )
            for n_learn in sizes
            for learner in learners
        )
        times = 5 if scale == "quick" else 50
        far = [FarScores(cases, n_learn) for n_learn in (2500, 25_000)] if self.number == 9 else []
        return Study(
            self.name,
            (*cells, *far),
            lambda cell: min(times, 10) if isinstance(cell, FarScores) else times,
            block=1,
            seed=seed,
        )

    def read(self, found: StudyResult, scale: Scale) -> Shapes:
        return Shapes(found)

    def rows(self, figures: Shapes) -> Iterator[Row]:
        for (learner, n_learn), one in figures.cells.items():
            for name, figure in one.figures.items():
                if isinstance(figure, Figure):
                    yield Row(
                        where={
                            "learner": SHOWN_AS.get(learner, learner),
                            "learned from": n_learn,
                            "figure": name,
                        },
                        ours=figure,
                        why_not=_PICTURE,
                    )
        for n_learn, found in figures.far.items():
            for name, figure in found.items():
                if isinstance(figure, Figure):
                    where = {"learner": SHOWN_AS["logistic-1e-8"], "learned from": n_learn}
                    yield Row(where={**where, "figure": name}, ours=figure, why_not=_PICTURE)

    def claims(self, figures: Shapes) -> Iterator[Claim]:
        yield from _learner_claims(figures) if self.number == 8 else _peak_claims(figures)

    def notes(self, figures: Shapes) -> Iterator[str]:
        yield (
            "'off normal' is Kolmogorov's distance of a class from the normal law with its mean "
            "and spread. A ROC curve is binormal as soon as one transform makes both classes "
            "normal, so the scores need not be: 'off binormal' is the distance of the curve from "
            "the best binormal one."
        )
        if self.number == 9:
            yield (
                "Covertype. The paper names 25000 samples, which may be scores or rows to learn "
                "from; it says no more about the model."
            )
            return
        yield (
            "Covertype; means over learning sets. The paper does not say from how many rows its "
            "models were learned; the claims are judged at 2500. A learner's scores are called "
            f"bell-shaped if both classes are less than {_BELL} off normal."
        )
        yield (
            "Logistic regression has the ridge of Weka, 1e-8, and J48 is pruned, as Weka does by "
            "default. The rows 'logistic, ridge 1' and 'tree, not pruned' are not in the paper."
        )
        yield (
            "Weka gives probabilities. Those of a leaf with one class are 0 or 1, and their "
            "log-odds infinite: a histogram leaves them out or puts them at its ends. Here they "
            "are at the ends of the range of the others; 'off normal, finite' is without them. "
            + " ".join(
                f"{SHOWN_AS[tree]}: {figures.both(tree, 'infinite')} of positives and negatives "
                f"are infinite, {figures(tree, 'scores'):.0f} scores are different."
                for tree in _TREES
            )
        )


def _learner_claims(figures: Shapes) -> Iterator[Claim]:
    def off(learner: str) -> float:
        return max(figures(learner, f"off normal {sign}") for sign in "+-")

    def finding(learner: str) -> str:
        return (
            f"off normal by {figures.both(learner, 'off normal')} in positives and negatives, with "
            f"{figures.both(learner, 'peaks')} peaks"
        )

    yield judge_claim(
        "LMT has beautiful bell-shaped distributions.",
        f"{finding('model-tree')}.",
        off("model-tree") < _BELL,
    )
    yield judge_claim(
        "Logistic regression is fairly smooth, but clearly not binormal.",
        f"with Weka's ridge of 1e-8 {finding('logistic-1e-8')}: a small second group stands far "
        "from the others, as in Figure 9. With a ridge of 1 "
        f"{finding('logistic')}: the ridge decides.",
        off("logistic-1e-8") >= _BELL,
    )
    yield judge_claim(
        "Naive Bayes is fairly smooth, but clearly not binormal.",
        f"{finding('naive-bayes')}.",
        off("naive-bayes") >= _BELL,
    )
    yield judge_claim(
        "J48 is not even close to bell-shaped.",
        f"pruned, {finding('tree-pruned')}; without infinite scores off by "
        f"{figures.both('tree-pruned', 'off normal, finite')}.",
        min(off("tree-pruned"), off("tree")) >= 2.0 * _BELL,
    )
    yield judge_claim(
        "NBTree is not even close to bell-shaped.",
        f"{finding('nb-tree')}.",
        off("nb-tree") >= 2.0 * _BELL,
    )
    ratio = figures("naive-bayes", "fatter")
    yield judge_claim(
        "With naive Bayes the positives are more spread out than the negatives.",
        f"their standard deviations have the ratio {ratio:.2f}.",
        ratio > 1.05,
    )
    gaps = [figures(learner, "off binormal") for learner in LEARNERS]
    not_bell = sum(off(learner) >= _BELL for learner in LEARNERS)
    yield judge_claim(
        "Learned models generally do not produce binormal scores.",
        f"{not_bell} of {len(LEARNERS)} learners have scores that are not bell-shaped; the ROC "
        f"curves lie {min(gaps):.3f} to {max(gaps):.3f} from the best binormal ones.",
        not_bell > len(LEARNERS) / 2,
    )


def _peak_claims(figures: Shapes) -> Iterator[Claim]:
    peaks = {
        n: max(figures("logistic", f"peaks {side}", n) for side in "+-") for _, n in figures.cells
    }
    far = {
        n: {name: figure for name, figure in found.items() if isinstance(figure, Figure)}
        for n, found in figures.far.items()
    }
    texts = [
        f"{one['far +'].value:.3f} of the positives (about {one['at +'].value:.0f}) and "
        f"{one['far -'].value:.3f} of the negatives (about {one['at -'].value:.0f}) if learned "
        f"from {n} rows"
        for n, one in far.items()
    ]
    yield judge_claim(
        "With 25000 scores the distributions of logistic regression are clearly not unimodal.",
        "with Weka's ridge of 1e-8 a second group of log-odds stands more than five quartile "
        f"ranges from the others: {', '.join(texts)}. They are probably rows with a level "
        "that had one class only in the learning set. With a ridge of 1 there are "
        + ", ".join(f"{count:.1f} peaks if learned from {n} rows" for n, count in peaks.items())
        + ", after smoothing by a fifth of the standard deviation.",
        all(one["far +"].low > 0.005 for one in far.values()),
    )
