"""Figures 2, 3 and 5: limits for the cost of one model (spread, size, full sampling)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rocbands.cost.conditions import Sampling
from rocbands.study.cells import Cell
from rocbands.study.papers.dugas_2009 import reference
from rocbands.study.papers.dugas_2009.cells import CONVENTION, OneModel
from rocbands.study.papers.dugas_2009.enumerated import Enumerated
from rocbands.study.papers.dugas_2009.reading import (
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
from rocbands.study.papers.dugas_2009.worlds import Sizes
from rocbands.study.papers.paper import (
    Claim,
    DataSource,
    Panel,
    PaperResult,
    PaperStudy,
    Row,
    Scale,
)
from rocbands.study.populations import FixedClasses, RandomClasses
from rocbands.study.results import StudyResult
from rocbands.study.spec import Study

__all__ = ["FIGURE_2", "FIGURE_3", "FIGURE_5", "PAPER", "study_of"]

PAPER = "Dugas and Gadoury 2009"
THETAS = (0.75, 1.5, 3.0, 5.0)
SIZES = (25, 250, 2500, 10000)
_METHODS = ("gaussian", "mover")
_ENDS = (0.01, 0.05)  # where percentiles of the exact law are looked at: they are slow
_FIXED, _RANDOM = FixedClasses(1000, 1000), RandomClasses(2000)
_ERRATUM = (
    "Equation 5 is printed without 1/n+ and 1/n-: its standard errors would be about sqrt(n) times "
    "too large. The limits here have the right ones."
)


def study_of(name: str, cells: Sequence[Cell], scale: Scale, seed: int) -> Study:
    """Cells that draw nothing once, others as often as the paper or more often."""
    times = 500 if scale == "quick" else 10000

    def often(cell: Cell) -> int:
        if cell.exact:
            return 1
        return 1000 if isinstance(cell, OneModel) and scale == "quick" else times

    return Study(name, tuple(dict.fromkeys(cells)), often, block=100, seed=seed)


def _both(
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


def _panels(titles: Sequence[str], groups: Sequence[dict[str, Along]]) -> tuple[Panel, ...]:
    return tuple(
        panel(title, (along.line(label) for label, along in group.items()))
        for title, group in zip(titles, groups, strict=True)
    )


# Figure 2: spread


def _figure_2_plan(scale: Scale, seed: int, data: DataSource | None) -> Study:
    cells = [cell for theta in THETAS for cell in _both(theta, _FIXED)]
    cells += [Enumerated(theta, _FIXED, "exact", w=_ENDS) for theta in THETAS]
    return study_of("dugas-2009-figure2", cells, scale, seed)


def _measured(
    found: StudyResult, theta: float, classes: Sizes, sampling: Sampling = "stratified"
) -> dict[str, Along]:
    names = ("gaussian", "mover", "gaussian, drawn", "mover, drawn")
    cells = _both(theta, classes, sampling)
    return {name: Along.of(found, cell) for name, cell in zip(names, cells, strict=True)}


def _single_rows(
    where: dict[str, object], key: tuple[float, int], group: dict[str, Along]
) -> list[Row]:
    least = {"least coverage": reference.SINGLE_MOVER[key]}
    return [
        *rows_of({**where, "method": "gaussian"}, group["gaussian"],
                 reference.SINGLE_GAUSSIAN[key]),
        *rows_of({**where, "method": "mover"}, group["mover"], least),
    ]  # fmt: skip


def _common_claims(groups: Sequence[dict[str, Along]]) -> tuple[Claim, ...]:
    plain, ours = ([group[name] for group in groups] for name in _METHODS)
    drawn = [group[f"{name}, drawn"] for name in _METHODS for group in groups]
    return floor_claim(ours), _agreement([*plain, *ours], drawn)


def _figure_2_judge(study: PaperStudy, found: StudyResult, scale: Scale) -> PaperResult:
    groups = [_measured(found, theta, _FIXED) for theta in THETAS]
    rows: list[Row] = []
    for theta, group in zip(THETAS, groups, strict=True):
        rows += _single_rows({"theta": theta}, (theta, 1000), group)
        exact = Along.of(found, Enumerated(theta, _FIXED, "exact", w=_ENDS))
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
        *_common_claims(groups),
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
        panels=_panels([f"theta = {theta:g}" for theta in THETAS], groups),
        notes=(DRAWN, CONVENTION, _ERRATUM, gap_note(rows)),
    )


FIGURE_2 = PaperStudy(
    name="dugas-2009-figure2",
    paper=f"{PAPER}, Figure 2",
    title="Spread: limits for a cost, by how far the classes are apart",
    plan=_figure_2_plan,
    judge=_figure_2_judge,
)


# Figure 3: size


def _figure_3_plan(scale: Scale, seed: int, data: DataSource | None) -> Study:
    cells = [cell for size in SIZES for cell in _both(3.0, FixedClasses(size, size))]
    return study_of("dugas-2009-figure3", cells, scale, seed)


def _figure_3_judge(study: PaperStudy, found: StudyResult, scale: Scale) -> PaperResult:
    groups = [_measured(found, 3.0, FixedClasses(size, size)) for size in SIZES]
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
        *_common_claims(groups),
    )
    return study.result(
        found,
        scale,
        rows=tuple(rows),
        claims=claims,
        panels=_panels([f"{size} of each class" for size in SIZES], groups),
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
    judge=_figure_3_judge,
)


# Figure 5: full sampling


def _figure_5_plan(scale: Scale, seed: int, data: DataSource | None) -> Study:
    cells: list[Cell] = []
    for theta in THETAS:
        cells += _both(theta, _RANDOM, "full")
        cells += [Enumerated(theta, _FIXED, "gaussian", "full")]
        cells += [Enumerated(theta, _FIXED, "gaussian")]
    return study_of("dugas-2009-figure5", cells, scale, seed)


def _figure_5_judge(study: PaperStudy, found: StudyResult, scale: Scale) -> PaperResult:
    groups = [_measured(found, theta, _RANDOM, "full") for theta in THETAS]
    fixed = [Along.of(found, Enumerated(theta, _FIXED, "gaussian", "full")) for theta in THETAS]
    strata = [Along.of(found, Enumerated(theta, _FIXED, "gaussian")) for theta in THETAS]
    at = (0.01, 0.02, 0.05, 0.1, 0.5)
    rows: list[Row] = []
    for theta, group, alike in zip(THETAS, groups, fixed, strict=True):
        known = {"least coverage": reference.FULL_RANDOM_MOVER[theta]}
        for method, classes, along, numbers in (
            ("gaussian", "random", group["gaussian"], reference.FULL_RANDOM[theta]),
            ("mover", "random", group["mover"], known),
            ("gaussian", "fixed", alike, reference.FULL_FIXED[theta]),
        ):
            where = {"theta": theta, "class sizes": classes, "method": method}
            rows += rows_of(where, along, numbers, at)
    return study.result(
        found,
        scale,
        rows=tuple(rows),
        claims=_figure_5_claims(groups, fixed, strata),
        panels=_panels(
            [f"theta = {theta:g}" for theta in THETAS],
            [
                {**group, "gaussian, class sizes fixed": alike}
                for group, alike in zip(groups, fixed, strict=True)
            ],
        ),
        notes=(
            DRAWN,
            CONVENTION,
            "The paper says neither what errors cost nor how class sizes arise. Its statements "
            "hold with costs w and 1 - w and with random class sizes of 2000 cases, and not with "
            "1000 of each class.",
            gap_note(rows),
        ),
    )


def _figure_5_claims(
    groups: Sequence[dict[str, Along]], fixed: Sequence[Along], strata: Sequence[Along]
) -> tuple[Claim, ...]:
    plain = [group["gaussian"] for group in groups]
    far = [along.off for along in plain]
    high = [w for w, value in zip(fixed[0].w, fixed[0].values, strict=True) if value > 0.99]
    return (
        Claim(
            "Full sampling covers better than stratified sampling for theta = 0.75.",
            f"mean distance from .9 over w: {far[0]:.3f} against {strata[0].off:.3f}.",
            verdict(far[0] < strata[0].off),
        ),
        Claim(
            "The effect of the spread is reversed.",
            f"least coverage {shown(along.least for along in plain)}; mean distance from .9 "
            + ", ".join(f"{one:.4f}" for one in far)
            + ".",
            verdict(far[1] < far[2] and plain[1].least.value > plain[2].least.value),
        ),
        Claim(
            "Coverage at theta = 5 is better than at theta = 3.",
            f"{plain[3].at(0.01).value:.3f} against {plain[2].at(0.01).value:.3f} at w = .01, "
            f"{plain[3].at(0.02).value:.3f} against {plain[2].at(0.02).value:.3f} at w = .02.",
            verdict(plain[3].least.value > plain[2].least.value),
        ),
        Claim(
            f"{BEYOND}with fixed class sizes, limits for full sampling cover too much.",
            f"more than .99 up to w = {max(w for w in high if w < 0.5):.2f} for theta = 0.75."
            if high
            else "never more than .99.",
            verdict(bool(high)),
        ),
        *_common_claims(groups),
    )


FIGURE_5 = PaperStudy(
    name="dugas-2009-figure5",
    paper=f"{PAPER}, Figure 5",
    title="Full sampling: limits for a cost, by how far the classes are apart",
    plan=_figure_5_plan,
    judge=_figure_5_judge,
)
