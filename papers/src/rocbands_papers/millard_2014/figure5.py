"""Figure 5: one table's bounds, in ROC space and along the rate."""

from __future__ import annotations

import math

from rocbands.study.results import StudyResult
from rocbands.study.spec import Study
from rocbands_papers.millard_2014.designs import BASE, NARROW
from rocbands_papers.millard_2014.figure4 import METHODS
from rocbands_papers.millard_2014.measuring import OneTable, TrueCurveAtRates
from rocbands_papers.millard_2014.reference import TRUE
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

__all__ = ["FIGURE_5"]

_PAPER = METHODS["parametric"]
_PICTURE = OneTable(BASE, _PAPER)
_EXACT_LAW = OneTable(BASE, METHODS["parametric, corrected"])
_CELLS = {design: TrueCurveAtRates(design, _PAPER) for design in (BASE, NARROW)}
_CONSENSUS = {BASE: 0.98, NARROW: 0.95}  # methods/rate.md section 5
_MARKED = range(5, 50, 5)  # places whose intervals are drawn


def _plan(scale: Scale, seed: int, data: DataSource | None) -> Study:
    times = 200 if scale == "quick" else 1000
    cells = (_PICTURE, _EXACT_LAW, *_CELLS.values())
    return Study(
        "millard-2014-figure5",
        cells,
        lambda cell: 1 if isinstance(cell, OneTable) else times,
        20,
        seed,
    )


def _panels(result: StudyResult) -> tuple[Panel, ...]:
    prevalence = BASE.n_pos / BASE.size
    rates = _PICTURE.points
    lines = {
        name: tuple(one.value for one in result.along(_PICTURE, name))
        for name in ("true", "consensus", "lower", "upper")
    }

    def fpr(recall: tuple[float, ...]) -> tuple[float, ...]:
        return tuple(
            (rate - prevalence * tpr) / (1.0 - prevalence)
            for rate, tpr in zip(rates, recall, strict=True)
        )

    words = {"true": "true curve", "lower": "lower bound", "upper": "upper bound"}
    space = [Line(words.get(name, name), fpr(tpr), tpr) for name, tpr in lines.items()]
    along = [Line(words.get(name, name), rates, tpr) for name, tpr in lines.items()]
    x: list[float] = []
    y: list[float] = []
    for place in _MARKED:  # one line for all intervals: the pen is lifted at nan
        x += [fpr(lines["lower"])[place], fpr(lines["upper"])[place], math.nan]
        y += [lines["lower"][place], lines["upper"][place], math.nan]
    space.append(Line("intervals at some rates", tuple(x), tuple(y)))
    edge = (0.0, prevalence, 1.0, 1.0 - prevalence, 0.0)
    along.append(Line("what the rate allows", edge, (0.0, 1.0, 1.0, 0.0, 0.0)))
    return (
        Panel("(a) ROC space", "false positive rate", "true positive rate", tuple(space)),
        Panel("(b) along the rate", "rate", "recall", tuple(along)),
    )


def _outside(result: StudyResult) -> float:
    """How far the picture's limits leave what the rate allows."""
    prevalence = BASE.n_pos / BASE.size
    excess = [0.0]
    for place, rate in enumerate(_PICTURE.points):
        lower, upper = (result.along(_PICTURE, name)[place].value for name in ("lower", "upper"))
        excess.append(upper - min(1.0, rate / prevalence))
        excess.append(max(0.0, 1.0 - (1.0 - rate) / prevalence) - lower)
    return max(excess)


def _claims(result: StudyResult) -> tuple[Claim, ...]:
    outside = _outside(result)
    moved, exact = (result.figure(cell, "swapped").value for cell in (_PICTURE, _EXACT_LAW))
    return (
        Claim(
            "The bounds stay inside ROC space.",
            f"the picture's leave what the rate allows by {outside:.0e} of recall.",
            "reproduced" if outside < 1e-9 else "not reproduced",
        ),
        Claim(
            "The approach is invariant to swapping the classes.",
            f"99 quadrature nodes are not quite: limits move by up to {moved:.2f} of "
            f"{BASE.folds * BASE.n_pos} positives; with the exact law by {exact:.0e}.",
            "reproduced" if moved < 1e-6 else "not reproduced",
        ),
    )


def _judge(study: PaperStudy, result: StudyResult, scale: Scale) -> PaperResult:
    rows = []
    for design, cell in _CELLS.items():
        expected = TRUE[design.name, "parametric, exact law"].T1
        where = {"design": design.name}
        rows += [
            Row(
                where={**where, "inside": "true curve, rates .1-.9"},
                ours=result.figure(cell, "T1"),
                reference=expected,
            ),
            Row(
                where={**where, "inside": "consensus, all rates"},
                ours=result.figure(cell, "consensus"),
                reference=_CONSENSUS[design],
            ),
        ]
    return study.result(
        result,
        scale,
        rows=tuple(rows),
        claims=_claims(result),
        panels=_panels(result),
        notes=(
            "A picture of one table; the rows say what is usual over many.",
            "Limits are to be read along rate isometrics, which fall with slope -N/P (printed "
            "as its inverse), not vertically.",
            "They are centred on the mean under the fitted curve, which is smoother than the "
            "consensus; so the consensus itself may lie outside.",
        ),
    )


FIGURE_5 = PaperStudy(
    name="millard-2014-figure5",
    paper="Millard, Kull and Flach (2014), Figure 5",
    title="One table's rate-oriented bounds",
    plan=_plan,
    verdicts=_judge,
)
