"""Figures 4 and 5, and what they do not ask: bounds held against new tables and the truth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from rocbands.rates import Adjust, BaselineBeta, Discard, Exact, Parametric, RateMethod
from rocbands_studies.measurements import Cell
from rocbands_studies.papers.methods import (
    CorrectedParametric,
    PrintedBaselineNormal,
    PrintedBaselineT,
    PrintedParametric,
)
from rocbands_studies.papers.millard_2014.designs import (
    BASE,
    NARROW,
    OTHERS,
    UNBALANCED,
    Design,
    FittedCurve,
    OneTable,
    TrueCurveAtRates,
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
)
from rocbands_studies.results import Figure, StudyResult
from rocbands_studies.spec import Study

_TABLES = 1000  # new tables of the paper
_APPROACHES = ("parametric", "discard", "adjust")  # the paper's own
_RATES = (0.02, 0.04, 0.06, 0.1, 0.2, 0.5, 0.8, 0.9, 0.94, 0.96, 0.98)

METHODS: dict[str, RateMethod] = {
    "baseline-normal": PrintedBaselineNormal(),
    "baseline-beta": BaselineBeta(),
    "parametric": PrintedParametric(),
    "discard": Discard(),
    "adjust": Adjust(),
    "parametric, corrected": CorrectedParametric(),
    "exact": Exact(),
    "parametric, exact law": Parametric(continuity=False),
}


# Figure 4


class Shown(NamedTuple):
    """One method on one design; its letter in the figure, if it has one."""

    letter: str
    method: str
    design: Design

    @property
    def key(self) -> tuple[str, str]:
        """Names of design and method."""
        return self.design.name, self.method

    @property
    def cell(self) -> FittedCurve:
        """What is measured."""
        return FittedCurve(self.design, METHODS[self.method])


SHOWN = (
    *(Shown(letter, method, BASE) for letter, method in zip("abcde", METHODS, strict=False)),
    Shown("f", "discard", NARROW),
    *(Shown("", method, BASE) for method in ("parametric, corrected", "exact")),
    *(Shown("", method, NARROW) for method in METHODS if method.startswith("parametric")),
    *(Shown("", method, UNBALANCED) for method in METHODS if method != "exact"),
)


class Coverage:
    """Coverage by rate, and how it varies between tests."""

    def __init__(self, shown: Shown, result: StudyResult) -> None:
        cell = shown.cell
        self.shown, self.rates = shown, cell.points
        self.middle = result.figure(cell, "middle")
        self.inside = result.along(cell, "inside")
        squares = [one.value for one in result.along(cell, "squared")]
        means = [one.value for one in self.inside]
        self.variance = tuple(
            max(square - mean**2, 0.0) for square, mean in zip(squares, means, strict=True)
        )
        # Drawn tables add their own variance, whose mean over tests is known exactly.
        with_noise = [
            own + (mean - square) / _TABLES
            for own, mean, square in zip(self.variance, means, squares, strict=True)
        ]
        middle = shown.design.middle
        self.as_drawn = sum(with_noise[middle]) / len(with_noise[middle])
        about = [own + (mean - 0.95) ** 2 for own, mean in zip(with_noise, means, strict=True)]
        self.about_level = sum(about[middle]) / len(about[middle])

    @property
    def label(self) -> str:
        """Letter and method."""
        return f"({self.shown.letter}) {self.shown.method}" if self.shown.letter else self.name

    @property
    def name(self) -> str:
        """The method."""
        return self.shown.method

    def at(self, rate: float) -> Figure:
        """Return the coverage at one rate."""
        return self.inside[self.rates.index(rate)]

    @property
    def lowest(self) -> float:
        """Least coverage at any rate."""
        return min(one.value for one in self.inside)

    def rows(self) -> Iterator[Row]:
        """Make rows of some rates, and of their mean from .1 to .9."""
        where = {
            "figure": f"4{self.shown.letter}" if self.shown.letter else "",
            "method": self.shown.method,
            "design": self.shown.design.name,
        }
        for rate in _RATES:
            yield Row(where={**where, "rate": rate}, ours=self.at(rate))
        yield Row(where={**where, "rate": ".1-.9"}, ours=self.middle)


Coverages = dict[tuple[str, str], Coverage]  # by design and method


class Figure4(PaperStudy[Coverages]):
    """How often new tables of the fitted curve lie inside the limits, rate by rate."""

    name = "millard-2014-figure4"
    paper = "Millard, Kull and Flach (2014), Figure 4"
    title = "New tables of the fitted curve inside rate-oriented bounds"
    picture = Picture("rate", ("method",), ("design",), 0.95)

    def plan(self, scale: Scale, seed: int, data: DataSource | None) -> Study:
        tests = 100 if scale == "quick" else 300

        def times(cell: Cell) -> int:
            fewer = isinstance(cell, FittedCurve) and cell.design == UNBALANCED
            return tests // 2 if fewer else tests

        return Study(self.name, tuple(one.cell for one in SHOWN), times, 10, seed)

    def read(self, found: StudyResult, scale: Scale) -> Coverages:
        return {one.key: Coverage(one, found) for one in SHOWN}

    def rows(self, figures: Coverages) -> Iterator[Row]:
        for one in figures.values():
            yield from one.rows()

    def claims(self, figures: Coverages) -> Iterator[Claim]:
        yield from _parametric_claims(figures)
        yield from _bootstrap_claims(figures)

    def notes(self, figures: Coverages) -> tuple[str, ...]:
        paper = figures[BASE.name, "parametric"]
        tests, spread = paper.middle.n, paper.variance[0] ** 0.5
        varying = ("baseline-normal", "baseline-beta", "parametric", "discard", "adjust", "exact")
        variances = ", ".join(
            f"{method} {figures[BASE.name, method].as_drawn:.6f}" for method in varying
        )
        return (
            f"{tests} tables ({tests // 2} with 10 + 40) of 10 folds; the paper has 100. "
            "Bootstraps draw 2000 tables; discarding is done as printed.",
            "The paper counts 1000 new tables. Here the share inside is the probability of one "
            "under the fitted curve, from its exact law: the same without the noise of drawing.",
            "The paper's numbers are drawn, not printed: only its words can be judged.",
            "Variance between tests as 1000 drawn tables would show it, mean over rates .1-.9: "
            f"{variances}.",
            "Mean square of the share inside about .95, likewise: "
            + ", ".join(f"{m} {figures[BASE.name, m].about_level:.6f}" for m in varying)
            + ".",
            "The paper's 99 nodes give the same as the exact law in (c), but not where few errors "
            "are possible, as with negatives of variance .2 or with 10 + 40.",
            "The paper does not give the class balance; 25 + 25 is assumed. With 10 + 40 its "
            "parametric limits fail from rate .8 on.",
            "(c) is the paper's: 99 quadrature nodes, no continuity correction. 'parametric, "
            "corrected' has half a count at either end and the exact law; the package adds one "
            "count. At rate .02 the share inside "
            f"(c) varies with an sd of {spread:.2f}, so {tests} tests leave a standard error of "
            f"{spread / tests**0.5:.3f} there.",
        )


def _parametric_claims(found: Coverages) -> Iterator[Claim]:
    normal, beta, paper, corrected, exact = (
        found[BASE.name, method]
        for method in (
            *("baseline-normal", "baseline-beta"),
            *("parametric", "parametric, corrected", "exact"),
        )
    )
    loose = min(normal.as_drawn, beta.as_drawn)
    extremes = [paper.at(rate).value for rate in (0.02, 0.98)]
    steady = abs(paper.middle.value - 0.95) < 0.01
    yield judge_claim(
        "The baselines' results are highly variable.",
        f"variance between tests {normal.as_drawn:.4f} and {beta.as_drawn:.4f} (mean over "
        f"rates .1-.9) against {paper.as_drawn:.5f} for the parametric approach.",
        loose > 10.0 * paper.as_drawn,
    )
    aims = {name: found[BASE.name, name].middle.value for name in _APPROACHES}
    yield Claim(
        "Each interval contains new samples of the consensus curve with probability 95%.",
        "over rates .1-.9 " + ", ".join(f"{v:.3f} ({k})" for k, v in aims.items()) + ".",
        "reproduced" if all(abs(v - 0.95) < 0.015 for v in aims.values()) else "not reproduced",
        item="section 1",
    )
    yield judge_claim(
        "The parametric approach is close to 95%, except at the extremes.",
        f"{paper.middle.value:.3f} over rates .1-.9, {extremes[0]:.2f} at .02 and "
        f"{extremes[1]:.2f} at .98.",
        steady and max(extremes) < 0.85,
    )
    yield judge_claim(
        "It fails there because counts are not beta distributed.",
        "counts are whole numbers and a beta variable is not: with half a count added at either "
        f"end the same beta has at least {corrected.lowest:.3f} at every rate; without, "
        f"{paper.lowest:.3f}.",
        corrected.lowest > 0.9 > paper.lowest,
    )
    yield Claim(
        "The law of a table's count is computationally intractable.",
        "it is a power of a Fourier transform, a millisecond for all rates; its quantiles "
        f"have {exact.lowest:.3f} or more at every rate.",
        "contradicted" if exact.lowest >= 0.95 else "cannot be compared",
        cause="the paper",
    )


def _bootstrap_claims(found: Coverages) -> Iterator[Claim]:
    paper, discard, adjust = (
        found[BASE.name, method] for method in ("parametric", "discard", "adjust")
    )
    narrow = found[NARROW.name, "discard"]
    middles, ends = (
        [one.middle.value for one in (discard, adjust)],
        [min(one.at(rate).value for rate in (0.02, 0.98)) for one in (discard, adjust)],
    )
    rising = [narrow.at(rate).value for rate in (0.2, 0.1, 0.06, 0.04, 0.02)]
    yield judge_claim(
        "Both bootstraps are a little conservative, particularly at the extremes.",
        f"{middles[0]:.3f} (discarding) and {middles[1]:.3f} (adjusting) over rates .1-.9, "
        f"{ends[0]:.3f} and {ends[1]:.3f} at least at .02 and .98.",
        sum(middles) > 2 * 0.95
        and min(middles) > 0.94
        and all(0.955 < end > middle for middle, end in zip(middles, ends, strict=True)),
    )
    yield judge_claim(
        "With negatives of variance .2 coverage rises to 1 where positives are nearly sure.",
        f"{rising[0]:.3f} at rate .2, {rising[1]:.3f} at .1, {rising[-1]:.3f} at .02.",
        rising == sorted(rising) and rising[-1] > 0.99,
    )
    for name, one in (("discarding", discard), ("adjustment", adjust)):
        yield judge_claim(
            f"The bootstrap with {name} varies more about 95% than the parametric approach.",
            f"mean square about .95 over rates .1-.9: {one.about_level:.6f} against "
            f"{paper.about_level:.6f}; about its own mean {one.as_drawn:.6f} against "
            f"{paper.as_drawn:.6f}.",
            one.about_level > 1.1 * paper.about_level,
        )
    yield Claim(
        "The bootstrap gives satisfactory bounds at the extremes.",
        f"at rate .02 {discard.at(0.02).value:.3f} with discarding, {adjust.at(0.02).value:.3f} "
        f"with adjustment, {paper.at(0.02).value:.3f} with the parametric approach; "
        f"{narrow.at(0.02).value:.3f} with discarding in (f).",
        "reproduced"
        if min(one.at(0.02).value for one in (discard, adjust, narrow)) > 0.94
        else "not reproduced",
        item="section 6",
    )


# Figure 5

_PICTURE = OneTable(BASE, METHODS["parametric"])
_EXACT = OneTable(BASE, METHODS["parametric, corrected"])
_TRUE = {design: TrueCurveAtRates(design, METHODS["parametric"]) for design in (BASE, NARROW)}
_MARKED = range(5, 50, 5)  # places whose intervals are drawn


class Figure5(PaperStudy[StudyResult]):
    """One table's bounds, in ROC space and along the rate."""

    name = "millard-2014-figure5"
    paper = "Millard, Kull and Flach (2014), Figure 5"
    title = "One table's rate-oriented bounds"
    picture = Picture("design", ("inside",))

    def plan(self, scale: Scale, seed: int, data: DataSource | None) -> Study:
        times = 200 if scale == "quick" else 1000
        return Study(
            self.name,
            (_PICTURE, _EXACT, *_TRUE.values()),
            lambda cell: 1 if isinstance(cell, OneTable) else times,
            20,
            seed,
        )

    def read(self, found: StudyResult, scale: Scale) -> StudyResult:
        return found

    def rows(self, found: StudyResult) -> Iterator[Row]:
        for design, cell in _TRUE.items():
            for inside, name in (
                ("true curve, rates .1-.9", "T1"),
                ("consensus, all rates", "consensus"),
            ):
                where = {"design": design.name, "inside": inside}
                yield Row(where=where, ours=found.figure(cell, name))

    def claims(self, found: StudyResult) -> Iterator[Claim]:
        excess = _find_excess(found)
        moved, exact = (found.figure(cell, "swapped").value for cell in (_PICTURE, _EXACT))
        yield judge_claim(
            "The bounds stay inside ROC space.",
            f"the picture's leave what the rate allows by {excess:.0e} of recall.",
            excess < 1e-9,
        )
        positives = BASE.folds * BASE.n_pos
        yield judge_claim(
            "The approach is invariant to swapping the classes.",
            f"with the exact law limits move by {exact:.0e} of {positives} positives. The paper's "
            f"quadrature with 99 nodes moves them by up to {moved:.2f} positives, "
            f"{moved / positives:.4f} of recall.",
            exact < 1e-6,
        )

    def notes(self, found: StudyResult) -> tuple[str, ...]:
        return (
            "A picture of one table; the rows say what is usual over many.",
            "Limits are to be read along rate isometrics, which fall with slope -N/P (printed "
            "as its inverse), not vertically.",
            "They are centred on the mean under the fitted curve, which is smoother than the "
            "consensus; so the consensus itself may lie outside.",
        )


def _find_excess(result: StudyResult) -> float:
    """How far the picture's limits leave what the rate allows."""
    prevalence = BASE.n_pos / BASE.size
    excess = [0.0]
    for place, rate in enumerate(_PICTURE.points):
        lower, upper = (result.along(_PICTURE, name)[place].value for name in ("lower", "upper"))
        excess.append(upper - min(1.0, rate / prevalence))
        excess.append(max(0.0, 1.0 - (1.0 - rate) / prevalence) - lower)
    return max(excess)


_TRUE_METHODS: dict[str, RateMethod] = {
    **METHODS,
    "discard": Discard(n_resamples=600),
    "adjust": Adjust(n_resamples=600),
    "baseline-t": PrintedBaselineT(),
}
_TIMES: dict[Design, int] = dict(
    zip((BASE, NARROW, UNBALANCED, *OTHERS), (1000, 400, 400, 300, 150, 600, 200), strict=True)
)
_TARGETS = {"T1": "true curve", "T2": "mean of tables", "T3": "new tables"}

_BASELINES = ("baseline-normal", "baseline-beta")
_MOMENTS = ("parametric, exact law", "parametric, corrected")
_DRAWN = ("discard", "adjust")
_PREDICTION = "corrected, prediction"


def _methods(design: Design) -> tuple[str, ...]:
    if design == BASE:
        all_methods = (*_BASELINES, "baseline-t", *_MOMENTS, "exact", *_DRAWN)
        return ("parametric", *all_methods, _PREDICTION)
    if design in (NARROW, UNBALANCED):
        return ("parametric", *_BASELINES, *_MOMENTS, "exact", *_DRAWN, _PREDICTION)
    if design.folds == 1:  # the spread between folds is not known
        return (*_MOMENTS, "exact", *_DRAWN, _PREDICTION)
    return (*_BASELINES, *_MOMENTS, "exact", _PREDICTION)


def _true_cell(design: Design, method: str) -> TrueCurveAtRates:
    if method == _PREDICTION:
        return TrueCurveAtRates(design, _TRUE_METHODS["parametric, corrected"], prediction=True)
    return TrueCurveAtRates(design, _TRUE_METHODS[method])


CELLS = {
    (design.name, method): _true_cell(design, method)
    for design in _TIMES
    for method in _methods(design)
}
# The first and last rates, shown for some methods.
_ENDS: dict[str, tuple[tuple[float, ...], tuple[str, ...]]] = {
    BASE.name: ((0.02, 0.04, 0.96, 0.98), _methods(BASE)[1:-1]),
    NARROW.name: ((0.02, 0.04, 0.1), (*_MOMENTS, "exact", *_DRAWN)),
    OTHERS[2].name: ((0.01,), ("parametric, corrected", "exact", "discard")),
}


def _at(found: StudyResult, cell: TrueCurveAtRates, name: str, rate: float) -> Figure:
    return found.along(cell, name)[cell.points.index(rate)]


class TrueCurve(PaperStudy[StudyResult]):
    """Bounds of several designs, held against the population that tables were drawn from."""

    name = "millard-2014-true-curve"
    paper = "Millard, Kull and Flach (2014), sections 4 and 6"
    title = "The true curve and new data inside rate-oriented bounds"
    picture = Picture("rate", ("method",), ("design", "held"), 0.95)

    def plan(self, scale: Scale, seed: int, data: DataSource | None) -> Study:
        def times(cell: Cell) -> int:
            assert isinstance(cell, TrueCurveAtRates)
            return _TIMES[cell.design] // (10 if scale == "quick" else 1)

        return Study(self.name, tuple(CELLS.values()), times, 10, seed)

    def read(self, found: StudyResult, scale: Scale) -> StudyResult:
        return found

    def rows(self, found: StudyResult) -> Iterator[Row]:
        # The paper's own method first.
        for (design, method), cell in sorted(
            CELLS.items(), key=lambda one: one[0][1] != "parametric"
        ):
            where = {"design": design, "method": method}
            for name, target in _TARGETS.items():
                yield Row(
                    where={**where, "held": target, "rate": ".1-.9"}, ours=found.figure(cell, name)
                )
            rates, methods = _ENDS.get(design, ((), ()))
            for rate in rates if method in methods else ():
                yield Row(
                    where={**where, "held": "true curve", "rate": rate},
                    ours=_at(found, cell, "T1 at", rate),
                )
            if design == BASE.name and method != "parametric":
                yield Row(
                    where={**where, "held": "(width)", "rate": 0.5},
                    ours=_at(found, cell, "width at", 0.5),
                )

    def claims(self, found: StudyResult) -> Iterator[Claim]:
        def middle(method: str, name: str, design: Design = BASE) -> float:
            return found.figure(CELLS[design.name, method], name).value

        def end(method: str, design: Design = NARROW) -> float:
            cell = CELLS[design.name, method]
            return _at(found, cell, "T1 at", 0.02).value

        bounds = {name: middle(name, "T1") for name in _APPROACHES}
        inside = middle("parametric", "T3")
        forecast = middle("corrected, prediction", "T3")
        yield judge_claim(
            "These are 95% confidence bounds for the ROC curve.",
            "at rates .1-.9 they hold the true curve with "
            + ", ".join(f"{value:.3f} ({name})" for name, value in bounds.items())
            + ": a little more than promised, as they are centred on a smoothed curve.",
            min(bounds.values()) > 0.94,
        )
        yield judge_own(
            "limits for the true curve are no limits for new tables of the population.",
            f"of these {inside:.3f} lie inside (large samples: .834); future=, which doubles the "
            f"variance, gives {forecast:.3f}.",
            inside < 0.9 < forecast,
        )
        yield judge_own(
            "where few errors are possible, bootstrap bounds miss the true curve at the extremes.",
            f"at rate .02 discarding holds it with {end('discard', BASE):.3f} in the paper's "
            f"design, but where negatives have variance .2 with {end('discard'):.3f}; adjusting "
            f"{end('adjust'):.3f}, parametric {end('parametric'):.3f}, with continuity correction "
            f"{end('parametric, corrected'):.3f}.",
            end("discard") < 0.5,
        )

    def notes(self, found: StudyResult) -> tuple[str, ...]:
        return (
            "Not in the paper, which judges its bounds by new tables of the fitted curve only; so "
            "nothing was printed.",
            "'true curve': recall of the population at the rate; 'mean of tables': expected recall "
            "of a table of this size; 'new tables': probability of another table from the "
            "population, by its exact law.",
            "Bootstraps draw 600 tables. 'parametric' is the paper's, with 99 quadrature nodes; "
            "'exact law' has the exact moments, which matters where few errors are possible. "
            "'corrected, prediction' has the variance of a new table added.",
        )
