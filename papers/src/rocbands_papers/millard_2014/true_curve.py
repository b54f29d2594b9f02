"""What the paper's bounds hold of the truth, which its Figure 4 does not ask."""

from __future__ import annotations

from rocbands.rates.baselines import BaselineT
from rocbands.rates.bootstraps import Adjust, Discard
from rocbands.rates.methods import RateMethod
from rocbands.study.measurements import Cell
from rocbands.study.results import Figure, StudyResult
from rocbands.study.spec import Study
from rocbands_papers.millard_2014.agreement import agreement, largest_gap
from rocbands_papers.millard_2014.designs import BASE, NARROW, OTHERS, UNBALANCED, Design
from rocbands_papers.millard_2014.figure4 import METHODS
from rocbands_papers.millard_2014.measuring import TrueCurveAtRates
from rocbands_papers.millard_2014.reference import ENDS, TRUE, True3
from rocbands_papers.paper import (
    Claim,
    DataSource,
    Line,
    Panel,
    PaperResult,
    PaperStudy,
    Row,
    Scale,
)

__all__ = ["TRUE_CURVE"]

_METHODS: dict[str, RateMethod] = {
    **METHODS,
    "discard": Discard(n_resamples=600),
    "adjust": Adjust(n_resamples=600),
    "baseline-t": BaselineT(clip=False),
}
_TIMES: dict[Design, int] = dict(
    zip((BASE, NARROW, UNBALANCED, *OTHERS), (1000, 400, 400, 300, 150, 600, 200), strict=True)
)
_TARGETS = {"T1": "true curve", "T2": "mean of tables", "T3": "new tables"}


def _cell(design: Design, method: str) -> TrueCurveAtRates:
    if method == "corrected, prediction":
        return TrueCurveAtRates(design, _METHODS["parametric, corrected"], prediction=True)
    return TrueCurveAtRates(design, _METHODS[method])


_CELLS = {
    (design.name, method): _cell(design, method)
    for design in _TIMES
    for name, method in TRUE
    if name == design.name
}


def _plan(scale: Scale, seed: int, data: DataSource | None) -> Study:
    def times(cell: Cell) -> int:
        assert isinstance(cell, TrueCurveAtRates)
        return _TIMES[cell.design] // (10 if scale == "quick" else 1)

    return Study("millard-2014-true-curve", tuple(_CELLS.values()), times, 10, seed)


def _near(cell: TrueCurveAtRates, figures: list[Figure], rate: float) -> Figure:
    return figures[cell.points.index(rate)]


def _rows(result: StudyResult, key: tuple[str, str], expected: True3) -> list[Row]:
    cell = _CELLS[key]
    where = {"design": key[0], "method": key[1]}
    rows = [
        Row(
            where={**where, "held": target, "rate": ".1-.9"},
            ours=result.figure(cell, name),
            reference=getattr(expected, name),
        )
        for name, target in _TARGETS.items()
    ]
    along = result.along(cell, "T1 at")
    rows += [
        Row(
            where={**where, "held": "true curve", "rate": rate},
            ours=_near(cell, along, rate),
            reference=value,
        )
        for rate, value in ENDS.get(key, {}).items()
    ]
    if expected.width is not None:
        rows.append(
            Row(
                where={**where, "held": "(width)", "rate": 0.5},
                ours=_near(cell, result.along(cell, "width at"), 0.5),
                reference=expected.width,
            )
        )
    return rows


def _prototype_tests(row: Row) -> int:
    """As many as ours; but it drew one new table in each, with four times the variance."""
    times = {design.name: count for design, count in _TIMES.items()}[str(row.where["design"])]
    return times // 4 if row.where["held"] == _TARGETS["T3"] else times


def _claims(result: StudyResult) -> tuple[Claim, ...]:
    def middle(method: str, name: str, design: Design = BASE) -> float:
        return result.figure(_CELLS[design.name, method], name).value

    def end(method: str, design: Design = NARROW) -> float:
        cell = _CELLS[design.name, method]
        return _near(cell, result.along(cell, "T1 at"), 0.02).value

    bounds = {name: middle(name, "T1") for name in ("parametric", "discard", "adjust")}
    inside = middle("parametric", "T3")
    forecast = middle("corrected, prediction", "T3")
    return (
        Claim(
            "These are 95% confidence bounds for the ROC curve.",
            "at rates .1-.9 they hold the true curve with "
            + ", ".join(f"{value:.3f} ({name})" for name, value in bounds.items())
            + ": a little more than promised, as they are centred on a smoothed curve.",
            "reproduced" if min(bounds.values()) > 0.94 else "not reproduced",
        ),
        Claim(
            "New samples generated from the consensus curve pass between the limits in 95%.",
            "that is Figure 4, as if the fitted curve had no error. Of new tables from the "
            f"population {inside:.3f} do (large samples: .834); prediction=True, which doubles the "
            f"variance, gives {forecast:.3f}.",
            "not comparable",
        ),
        Claim(
            "The bootstrap gives satisfactory bounds at the extremes.",
            f"at rate .02 discarding holds the true curve with {end('discard', BASE):.3f} in the "
            "paper's design, but where negatives have variance .2 with "
            f"{end('discard'):.3f}; adjusting {end('adjust'):.3f}, parametric "
            f"{end('parametric'):.3f}, with continuity correction "
            f"{end('parametric, corrected'):.3f}.",
            "reproduced" if end("discard") > 0.9 else "not reproduced",
        ),
    )


def _panels(result: StudyResult) -> tuple[Panel, ...]:
    def panel(design: Design, name: str, target: float | None) -> Panel:
        lines = [
            Line(
                method,
                cell.points,
                tuple(figure.value for figure in result.along(cell, f"{name} at")),
            )
            for (place, method), cell in _CELLS.items()
            if place == design.name and method not in {"baseline-beta", "baseline-t"}
        ]
        title = f"{_TARGETS[name]}: {design.name}"
        return Panel(title, "rate", "share held", tuple(lines), target=target)

    return tuple(panel(design, name, 0.95) for design in (BASE, NARROW) for name in ("T1", "T3"))


def _judge(study: PaperStudy, result: StudyResult, scale: Scale) -> PaperResult:
    rows = [row for key, expected in TRUE.items() for row in _rows(result, key, expected)]
    gap = largest_gap(row for row in rows if row.where["rate"] == ".1-.9")
    return study.result(
        result,
        scale,
        rows=tuple(rows),
        claims=_claims(result),
        panels=_panels(result),
        notes=(
            "Not in the paper, which judges its bounds by new tables of the fitted curve only; so "
            "nothing was printed, and the reference is a separate prototype.",
            f"Means over rates .1-.9 differ from the prototype's by at most {gap:.3f}. "
            + agreement(rows, _prototype_tests),
            "'true curve': recall of the population at the rate; 'mean of tables': expected recall "
            "of a table of this size; 'new tables': probability of another table from the "
            "population, by its exact law.",
            "Bootstraps draw 600 tables, as the prototype's. 'parametric' is the paper's, with 99 "
            "quadrature nodes; 'exact law' and the prototype have the exact moments, which "
            "matters where few errors are possible. 'corrected, prediction' has the variance of a "
            "new table added.",
        ),
    )


TRUE_CURVE = PaperStudy(
    name="millard-2014-true-curve",
    paper="Millard, Kull and Flach (2014), sections 4 and 6",
    title="The true curve and new data inside rate-oriented bounds",
    plan=_plan,
    verdicts=_judge,
)
