"""Figures 5 and 6: fixed-width bands by the size of the set and the number of fitting curves."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

from rocbands.bands.fixed_width import FixedWidth
from rocbands.study.results import Figure, StudyResult
from rocbands.study.spec import Study
from rocbands_papers.macskassy_2004.edges import FPR, Edges
from rocbands_papers.macskassy_2004.printed import FIT_SIZES, PAPER, SIZES
from rocbands_papers.macskassy_2004.trees import DATA, trees
from rocbands_papers.macskassy_2005.summing import line_of
from rocbands_papers.paper import (
    Claim,
    DataSource,
    Panel,
    PaperResult,
    PaperStudy,
    Row,
    Scale,
)

__all__ = ["FIGURE_5", "FIGURE_6"]


_PICTURES = {  # the bands of each figure: label, rows of R, fitting curves
    "macskassy-2004-figure5": [(f"r = {size}", size, 1000) for size in SIZES],
    "macskassy-2004-figure6": [(f"{n_fit} fitting curves", 1000, n_fit) for n_fit in FIT_SIZES],
}
_BAND = FixedWidth(slope_rule="papers")


def _picture_plan(name: str, scale: Scale, seed: int, data: DataSource | None) -> Study:
    (host,) = trees(data, seed, 1)
    cells = tuple(Edges(host, size, _BAND, n_fit) for _, size, n_fit in _PICTURES[name])
    return Study(name, cells, 40 if scale == "quick" else 400, block=10, seed=seed)


def _picture_judge(study: PaperStudy, result: StudyResult, scale: Scale) -> PaperResult:
    named = [
        (label, one.cell)
        for (label, _, _), one in zip(_PICTURES[study.name], result.cells, strict=True)
    ]
    lines = tuple(
        line_of(f"{label}, {edge}", FPR, result.along(cell, edge))
        for label, cell in named
        for edge in ("lower", "upper")
    )
    rows = tuple(
        Row(
            where={"band": label, "figure": figure},
            ours=result.figure(cell, figure),
            why_not="a picture, without numbers",
        )
        for figure in ("push", "area")
        for label, cell in named
    )
    push, area = ([result.figure(cell, name) for _, cell in named] for name in ("push", "area"))
    claims = _size_claims(push, area) if study.name.endswith("5") else _runs_claims(push)
    return study.result(
        result,
        scale,
        rows=rows,
        claims=claims,
        panels=(Panel(study.title, "false positive rate", "true positive rate", lines),),
        notes=(
            "Fixed-width bands of one tree, a substitute for C4.5 release 8; edges are averages "
            "over bands. Fitting sets come from R. 'push' is the distance of either edge from the "
            "curve.",
        ),
    )


def _size_claims(push: list[Figure], area: list[Figure]) -> tuple[Claim, ...]:
    scaled = [one.value * size**0.5 for one, size in zip(push, SIZES, strict=True)]
    return (
        Claim(
            "Bands get narrower as sets grow.",
            "areas " + ", ".join(f"{one.value:.3f}" for one in area) + ".",
            "reproduced" if all(a.low > b.high for a, b in pairwise(area)) else "not reproduced",
        ),
        Claim(
            "With few rows the estimate is biased: bands are too wide.",
            "push times sqrt(r) is "
            + ", ".join(f"{one:.2f}" for one in scaled)
            + ": the width is what the number of rows explains.",
            "reproduced" if scaled[0] > 1.15 * scaled[-1] else "not reproduced",
        ),
    )


def _runs_claims(push: list[Figure]) -> tuple[Claim, ...]:
    return (
        Claim(
            "The upper edge is fairly stable; the lower edge tightens with more fitting curves.",
            "either edge is pushed by the same distance, which is "
            + ", ".join(f"{one.value:.4f}" for one in push)
            + " on average, from 10 to 5000 curves. Single bands from 10 curves vary; more curves "
            "do not make bands narrower.",
            "reproduced" if push[0].low > push[-1].high else "contradicted",
        ),
    )


def _picture(number: int, title: str) -> PaperStudy:
    name = f"macskassy-2004-figure{number}"
    return PaperStudy(
        name=name,
        paper=f"{PAPER}, Figure {number}",
        title=title,
        plan=partial(_picture_plan, name),
        verdicts=_picture_judge,
        needs=(DATA,),
    )


FIGURE_5 = _picture(5, "Fixed-width bands by the size of the set")
FIGURE_6 = _picture(6, "Fixed-width bands by the number of fitting curves")
