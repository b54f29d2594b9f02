"""Figures 2 and 3: limits for the cost of one model (spread, size)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rocbands.cost.conditions import Sampling
from rocbands.study.measurements import Cell
from rocbands.study.populations import FixedClasses, RandomClasses
from rocbands.study.results import StudyResult
from rocbands.study.spec import Study
from rocbands_papers.dugas_2009 import reference
from rocbands_papers.dugas_2009.cells import CONVENTION, OneModel
from rocbands_papers.dugas_2009.enumerated import Enumerated
from rocbands_papers.dugas_2009.reading import (
    BEYOND,
    DRAWN,
    Along,
    floor_claim,
    gap_note,
    panel,
    rows_of,
    shown,
    verdict,
)
from rocbands_papers.dugas_2009.worlds import Sizes
from rocbands_papers.paper import (
    Claim,
    DataSource,
    Panel,
    PaperResult,
    PaperStudy,
    Row,
    Scale,
)

__all__ = [
    "FIGURE_2",
    "FIGURE_3",
    "FIXED",
    "PAPER",
    "RANDOM",
    "THETAS",
    "both",
    "common_claims",
    "measured",
    "panels_of",
    "study_of",
]

PAPER = "Dugas and Gadoury 2009"
THETAS = (0.75, 1.5, 3.0, 5.0)
SIZES = (25, 250, 2500, 10000)
_METHODS = ("gaussian", "mover")
_ENDS = (0.01, 0.05)  # where percentiles of the exact law are looked at: they are slow
FIXED, RANDOM = FixedClasses(1000, 1000), RandomClasses(2000)
_ERRATUM = (
    "Equation 5 is printed without 1/n+ and 1/n-: its standard errors would be about sqrt(n) times "
    "too large. The limits here have the right ones."
)


def study_of(name: str, cells: Sequence[Cell], scale: Scale, seed: int) -> Study:
    """Cells that draw nothing once, others as often as the paper or more often."""
    times = 400 if scale == "quick" else 2000

    def often(cell: Cell) -> int:
        if cell.exact:
            return 1
        return 1000 if isinstance(cell, OneModel) and scale == "quick" else times

    return Study(name, tuple(dict.fromkeys(cells)), often, block=100, seed=seed)


def both(
    theta: float, classes: Sizes, sampling: Sampling = "stratified", *, drawn: bool = True
) -> list[Cell]:
    """Both methods, enumerated and by drawing test sets as the paper did."""
    kinds = (Enumerated, OneModel) if drawn else (Enumerated,)
    return [kind(theta, classes, method, sampling) for kind in kinds for method in _METHODS]


def _agreement(enumerated: Sequence[Along], drawn: Sequence[Along]) -> Claim:
    """Compare the paper's way of measuring with the truth, in standard errors."""
    off = gap = 0.0
    for truth, seen in zip(enumerated, drawn, strict=True):
        for p, one in zip(truth.values, seen.figures, strict=True):
            error = math.sqrt(max(p * (1.0 - p), 0.0) / one.n) + 1.0 / one.n
            gap, off = max(gap, abs(one.value - p)), max(off, abs(one.value - p) / error)
    return Claim(
        f"{BEYOND}drawing test sets, as the paper did, finds the enumerated coverage within noise.",
        f"largest difference {gap:.3f} for {drawn[0].figures[0].n} test sets, "
        f"{off:.1f} standard errors.",
        "reproduced" if off < 5.0 else "contradicted",
    )


def panels_of(titles: Sequence[str], groups: Sequence[dict[str, Along]]) -> tuple[Panel, ...]:
    """Draw each group of lines in a panel of its own."""
    return tuple(
        panel(title, (along.line(label) for label, along in group.items()))
        for title, group in zip(titles, groups, strict=True)
    )


# Figure 2: spread


def _figure_2_plan(scale: Scale, seed: int, data: DataSource | None) -> Study:
    cells = [cell for theta in THETAS for cell in both(theta, FIXED)]
    cells += [Enumerated(theta, FIXED, "exact", w=_ENDS) for theta in THETAS]
    return study_of("dugas-2009-figure2", cells, scale, seed)


def measured(
    found: StudyResult, theta: float, classes: Sizes, sampling: Sampling = "stratified"
) -> dict[str, Along]:
    """Read coverage of both methods, enumerated and drawn."""
    names = ("gaussian", "mover", "gaussian, drawn", "mover, drawn")
    cells = both(theta, classes, sampling)
    return {name: Along.of(found, cell) for name, cell in zip(names, cells, strict=True)}


def _single_rows(
    where: dict[str, object], key: tuple[float, int], group: dict[str, Along]
) -> list[Row]:
    least = {"least coverage": reference.SINGLE_MOVER[key]}
    return [
        *rows_of({**where, "method": "gaussian"}, group["gaussian"],
                 reference.SINGLE_GAUSSIAN[key]),
        *rows_of({**where, "method": "mover"}, group["mover"], least, good=False),
    ]  # fmt: skip


def common_claims(groups: Sequence[dict[str, Along]]) -> tuple[Claim, ...]:
    """Judge what holds, or not, in every such figure."""
    plain, ours = ([group[name] for group in groups] for name in _METHODS)
    drawn = [group[f"{name}, drawn"] for name in _METHODS for group in groups]
    return floor_claim(ours), _agreement([*plain, *ours], drawn)


def _figure_2_judge(study: PaperStudy, found: StudyResult, scale: Scale) -> PaperResult:
    groups = [measured(found, theta, FIXED) for theta in THETAS]
    rows: list[Row] = []
    for theta, group in zip(THETAS, groups, strict=True):
        rows += _single_rows({"theta": theta}, (theta, 1000), group)
        exact = Along.of(found, Enumerated(theta, FIXED, "exact", w=_ENDS))
        known = {0.01: reference.SINGLE_EXACT[theta]}
        rows += [
            Row(
                where={"theta": theta, "method": "exact", "what": f"coverage at w = {w:g}"},
                ours=exact.at(w),
                reference=known.get(w),
                digits=3,
            )
            for w in _ENDS
        ]
    plain = [group["gaussian"] for group in groups]
    widths = [along.good_width for along in plain]
    ends = [along.at(0.01) for along in plain]
    percentiles = [row.ours for row in rows if row.where["method"] == "exact"][::2]
    claims = (
        Claim(
            "Coverage is better when the classes overlap little, that is for high theta.",
            "at least .85 for w in " + ", ".join(along.good_text for along in plain) + ".",
            verdict(widths == sorted(widths) and widths[0] < widths[-1]),
        ),
        Claim(
            "Coverage breaks as w comes close to 0 or 1.",
            f"at w = .01 {shown(ends)}.",
            verdict(all(one.value < 0.85 for one in ends)),
        ),
        *common_claims(groups),
        Claim(
            f"{BEYOND}percentiles of the exact bootstrap law do not mend the ends.",
            f"at w = .01 {shown(percentiles)}.",
            verdict(all(one.value < 0.85 for one in percentiles)),
        ),
    )
    return study.result(
        found,
        scale,
        rows=tuple(rows),
        claims=claims,
        panels=panels_of([f"theta = {theta:g}" for theta in THETAS], groups),
        notes=(DRAWN, CONVENTION, _ERRATUM, gap_note(rows)),
    )


FIGURE_2 = PaperStudy(
    name="dugas-2009-figure2",
    paper=f"{PAPER}, Figure 2",
    title="Spread: limits for a cost, by how far the classes are apart",
    plan=_figure_2_plan,
    verdicts=_figure_2_judge,
)


# Figure 3: size


def _figure_3_plan(scale: Scale, seed: int, data: DataSource | None) -> Study:
    cells = [cell for size in SIZES for cell in both(3.0, FixedClasses(size, size))]
    return study_of("dugas-2009-figure3", cells, scale, seed)


def _figure_3_judge(study: PaperStudy, found: StudyResult, scale: Scale) -> PaperResult:
    groups = [measured(found, 3.0, FixedClasses(size, size)) for size in SIZES]
    rows = [
        row
        for size, group in zip(SIZES, groups, strict=True)
        for row in _single_rows({"n of each class": size}, (3.0, size), group)
    ]
    plain = [group["gaussian"] for group in groups]
    widths = [along.good_width for along in plain]
    start, end = (one.value for one in plain[0].good(0.87))
    claims = (
        Claim(
            "As the sample grows, the range of w with good coverage widens.",
            "at least .85 for w in " + ", ".join(along.good_text for along in plain) + ".",
            verdict(widths == sorted(set(widths))),
        ),
        Claim(
            "With 25 cases of each class only a very narrow range of w is on target.",
            f"at least .87 for w in [{start:.2f}, {end:.2f}].",
            verdict(end - start < 0.3),
        ),
        *common_claims(groups),
    )
    return study.result(
        found,
        scale,
        rows=tuple(rows),
        claims=claims,
        panels=panels_of([f"{size} of each class" for size in SIZES], groups),
        notes=(
            DRAWN,
            CONVENTION,
            "The caption's 1,000 for the last panel is a slip; the text says 10,000.",
            gap_note(rows),
        ),
    )


FIGURE_3 = PaperStudy(
    name="dugas-2009-figure3",
    paper=f"{PAPER}, Figure 3",
    title="Size: limits for a cost, by the number of cases",
    plan=_figure_3_plan,
    verdicts=_figure_3_judge,
)
