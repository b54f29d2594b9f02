"""Where one model is called cheaper: how often that is wrong somewhere, pointwise and together."""

from __future__ import annotations

from collections.abc import Iterable

from rocbands.study.populations import FixedClasses
from rocbands.study.results import Figure, StudyResult
from rocbands.study.spec import Study
from rocbands_papers.dugas_2009 import reference
from rocbands_papers.dugas_2009.cells import Regions
from rocbands_papers.dugas_2009.reading import BEYOND
from rocbands_papers.dugas_2009.single import PAPER
from rocbands_papers.dugas_2009.worlds import TwoModels
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

__all__ = ["REGIONS"]

MOST = 0.12  # how often simultaneous regions at level .9 may flag equal models
_THETAS, _RHOS = (1.0, 3.0), (0.3, 0.6, 0.9)
_EQUAL = tuple(TwoModels(theta, 0.0, rho) for theta in _THETAS for rho in _RHOS)
_UNEQUAL = tuple(TwoModels(theta, 2.0, 0.6) for theta in _THETAS)
_KINDS = tuple((method, together) for together in (False, True) for method in ("gaussian", "mover"))
_CLASSES = FixedClasses(1000, 1000)


def _cell(models: TwoModels, kind: tuple[str, bool]) -> Regions:
    return Regions(models, _CLASSES, *kind)


def _plan(scale: Scale, seed: int, data: DataSource | None) -> Study:
    cells = tuple(_cell(models, kind) for models in (*_EQUAL, *_UNEQUAL) for kind in _KINDS)
    times = 400 if scale == "quick" else 2000
    return Study("dugas-2009-regions", cells, times, block=100, seed=seed)


def _judge(study: PaperStudy, found: StudyResult, scale: Scale) -> PaperResult:
    wrong = {
        (models, kind): found.figure(_cell(models, kind), "wrong")
        for models in (*_EQUAL, *_UNEQUAL)
        for kind in _KINDS
    }
    rows = [
        Row(
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
            note=_known(kind) if models in _EQUAL else "",
        )
        for (models, kind), figure in wrong.items()
    ]
    critical = [found.figure(_cell(models, ("gaussian", True)), "critical") for models in _EQUAL]
    together = [found.figure(_cell(models, ("mover", True)), "together") for models in _UNEQUAL]
    return study.result(
        found,
        scale,
        rows=tuple(rows),
        claims=_claims(wrong),
        panels=tuple(_panel(theta, wrong) for theta in _THETAS),
        notes=(
            "The paper's intervals are pointwise, and it makes no statement about regions; these "
            "are ours. 99 w from .01 to .99, level .9, 1000 cases of each class.",
            f"Simultaneous limits are on average {_span(critical)} standard errors wide instead of "
            "1.645; a separate prototype had 2.79 to 2.99.",
            f"Models that differ (shift 2) are always told apart at this size; simultaneous MOVER "
            f"limits contain the true difference at all w in {_span(together)} of test sets.",
        ),
    )


def _limits(kind: tuple[str, bool]) -> str:
    return "simultaneous" if kind[1] else "pointwise"


def _known(kind: tuple[str, bool]) -> str:
    span = reference.REGIONS.get(kind)
    return "" if span is None else f"prototype {span[0]:g} to {span[1]:g} over designs"


def _span(figures: Iterable[Figure]) -> str:
    values = [one.value for one in figures]
    return f"{min(values):.3f} to {max(values):.3f}"


def _claims(wrong: dict[tuple[TwoModels, tuple[str, bool]], Figure]) -> tuple[Claim, ...]:
    equal = {kind: [wrong[models, kind] for models in _EQUAL] for kind in _KINDS}
    pointwise = equal["gaussian", False] + equal["mover", False]
    worst = max(equal["mover", True] + equal["gaussian", True])
    most = {kind: max(wrong[models, kind].value for models in _UNEQUAL) for kind in _KINDS}
    return (
        Claim(
            f"{BEYOND}pointwise regions are no test of whether models differ.",
            f"equal models are told apart somewhere in {_span(equal['gaussian', False])} "
            f"(gaussian) and {_span(equal['mover', False])} (mover) of test sets.",
            "reproduced" if all(one.low > 0.5 for one in pointwise) else "not reproduced",
        ),
        Claim(
            f"{BEYOND}simultaneous regions flag equal models in at most {MOST:g}, level .9.",
            f"{_span(equal['gaussian', True])} (gaussian), {_span(equal['mover', True])} (mover); "
            f"the largest has the interval [{worst.low:.3f}, {worst.high:.3f}].",
            # The largest of twelve noisy shares: noise counts against the claim only as a whole.
            "reproduced" if worst.low <= MOST else "contradicted",
        ),
        Claim(
            f"{BEYOND}models that differ are hardly ever put in the wrong order.",
            "at shift 2 somewhere in at most "
            + ", ".join(f"{most[kind]:.3f} ({kind[0]}, {_limits(kind)})" for kind in _KINDS)
            + " of test sets; always where the difference is next to 0.",
            # A pointwise limit may be on the wrong side of a difference near 0 in .05, each.
            "reproduced" if max(most.values()) <= 0.06 else "not reproduced",
        ),
    )


def _panel(theta: float, wrong: dict[tuple[TwoModels, tuple[str, bool]], Figure]) -> Panel:
    lines = []
    for kind in _KINDS:
        figures = [wrong[models, kind] for models in _EQUAL if models.theta == theta]
        value, low, high = (tuple(one[k] for one in figures) for k in range(3))
        lines.append(Line(f"{kind[0]}, {_limits(kind)}", _RHOS, value, low, high))
    return Panel(
        f"equal models, theta = {theta:g}",
        "correlation rho",
        "told apart somewhere",
        tuple(lines),
        target=0.1,
    )


REGIONS = PaperStudy(
    name="dugas-2009-regions",
    paper=f"{PAPER}, beyond it",
    title="Where one model is cheaper: how often equal models are told apart",
    plan=_plan,
    verdicts=_judge,
)
