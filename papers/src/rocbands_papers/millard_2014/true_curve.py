"""What the paper's bounds hold of the truth, which its Figure 4 does not ask."""

from __future__ import annotations

from collections.abc import Iterator

from rocbands.rates import Adjust, Discard, RateMethod
from rocbands.study.measurements import Cell
from rocbands.study.results import Figure, StudyResult
from rocbands.study.spec import Study
from rocbands_papers.methods import PrintedBaselineT
from rocbands_papers.millard_2014.designs import (
    BASE,
    NARROW,
    OTHERS,
    UNBALANCED,
    Design,
    TrueCurveAtRates,
)
from rocbands_papers.millard_2014.figures import METHODS
from rocbands_papers.paper import (
    Claim,
    DataSource,
    Line,
    Panel,
    PaperStudy,
    Row,
    Scale,
    judge_claim,
)

__all__ = ["CELLS", "TrueCurve"]

_METHODS: dict[str, RateMethod] = {
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


def _cell(design: Design, method: str) -> TrueCurveAtRates:
    if method == _PREDICTION:
        return TrueCurveAtRates(design, _METHODS["parametric, corrected"], prediction=True)
    return TrueCurveAtRates(design, _METHODS[method])


CELLS = {
    (design.name, method): _cell(design, method) for design in _TIMES for method in _methods(design)
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

        bounds = {name: middle(name, "T1") for name in ("parametric", "discard", "adjust")}
        inside = middle("parametric", "T3")
        forecast = middle("corrected, prediction", "T3")
        yield judge_claim(
            "These are 95% confidence bounds for the ROC curve.",
            "at rates .1-.9 they hold the true curve with "
            + ", ".join(f"{value:.3f} ({name})" for name, value in bounds.items())
            + ": a little more than promised, as they are centred on a smoothed curve.",
            min(bounds.values()) > 0.94,
        )
        yield Claim(
            "New samples generated from the consensus curve pass between the limits in 95%.",
            "that is Figure 4, as if the fitted curve had no error. Of new tables from the "
            f"population {inside:.3f} do (large samples: .834); future=, which doubles the "
            f"variance, gives {forecast:.3f}.",
            "cannot be compared",
            short="the paper means new tables of the fitted curve, which is Figure 4; of new "
            f"tables from the population {inside:.3f} do.",
        )
        yield judge_claim(
            "The bootstrap gives satisfactory bounds at the extremes.",
            f"at rate .02 discarding holds the true curve with {end('discard', BASE):.3f} in the "
            "paper's design, but where negatives have variance .2 with "
            f"{end('discard'):.3f}; adjusting {end('adjust'):.3f}, parametric "
            f"{end('parametric'):.3f}, with continuity correction "
            f"{end('parametric, corrected'):.3f}.",
            end("discard") > 0.9,
        )

    def panels(self, found: StudyResult) -> Iterator[Panel]:
        def panel(design: Design, name: str, target: float | None) -> Panel:
            lines = [
                Line(
                    method,
                    cell.points,
                    tuple(figure.value for figure in found.along(cell, f"{name} at")),
                )
                for (place, method), cell in CELLS.items()
                if place == design.name and method not in {"baseline-beta", "baseline-t"}
            ]
            title = f"{_TARGETS[name]}: {design.name}"
            return Panel(title, "rate", "share held", tuple(lines), target=target)

        for design in (BASE, NARROW):
            for name in ("T1", "T3"):
                yield panel(design, name, 0.95)

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
