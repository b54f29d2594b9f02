"""Figures 5 and 6: the same limits, and those of differences, with class sizes that are random."""

from __future__ import annotations

from collections.abc import Sequence

from rocbands.study.measurements import Cell
from rocbands.study.results import StudyResult
from rocbands.study.spec import Study
from rocbands_papers.dugas_2009 import reference
from rocbands_papers.dugas_2009.cells import CONVENTION
from rocbands_papers.dugas_2009.enumerated import Enumerated
from rocbands_papers.dugas_2009.pairs import (
    DESIGNS,
    cells_of,
    coverage_of,
    floor_of,
    pair_panels,
    pair_rows,
    pooled,
)
from rocbands_papers.dugas_2009.reading import (
    BEYOND,
    DRAWN,
    Along,
    gap_note,
    rows_of,
    shown,
    verdict,
)
from rocbands_papers.dugas_2009.single import (
    FIXED,
    PAPER,
    RANDOM,
    THETAS,
    both,
    common_claims,
    measured,
    panels_of,
    study_of,
)
from rocbands_papers.paper import Claim, DataSource, PaperResult, PaperStudy, Row, Scale

__all__ = ["FIGURE_5", "FIGURE_6"]

# Figure 5: one model


def _figure_5_plan(scale: Scale, seed: int, data: DataSource | None) -> Study:
    cells: list[Cell] = []
    for theta in THETAS:
        cells += both(theta, RANDOM, "full")
        cells += [Enumerated(theta, FIXED, "gaussian", "full")]
        cells += [Enumerated(theta, FIXED, "gaussian")]
    return study_of("dugas-2009-figure5", cells, scale, seed)


def _figure_5_judge(study: PaperStudy, found: StudyResult, scale: Scale) -> PaperResult:
    groups = [measured(found, theta, RANDOM, "full") for theta in THETAS]
    fixed = [Along.of(found, Enumerated(theta, FIXED, "gaussian", "full")) for theta in THETAS]
    strata = [Along.of(found, Enumerated(theta, FIXED, "gaussian")) for theta in THETAS]
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
            rows += rows_of(where, along, numbers, at, good=method == "gaussian")
    return study.result(
        found,
        scale,
        rows=tuple(rows),
        claims=_figure_5_claims(groups, fixed, strata),
        panels=panels_of(
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
        *common_claims(groups),
    )


FIGURE_5 = PaperStudy(
    name="dugas-2009-figure5",
    paper=f"{PAPER}, Figure 5",
    title="Full sampling: limits for a cost, by how far the classes are apart",
    plan=_figure_5_plan,
    verdicts=_figure_5_judge,
)


# Figure 6: differences


def _figure_6_plan(scale: Scale, seed: int, data: DataSource | None) -> Study:
    cells: list[Cell] = []
    for design in DESIGNS:
        cells += cells_of(design, RANDOM, "gaussian", "full")
        cells += cells_of(design, RANDOM, "mover", "full")
        cells += cells_of(design, FIXED, "gaussian", "full")
        cells += cells_of(design, FIXED, "gaussian")
    return study_of("dugas-2009-figure6", cells, scale, seed)


def _figure_6_judge(study: PaperStudy, found: StudyResult, scale: Scale) -> PaperResult:
    plain, ours = (coverage_of(found, RANDOM, method, "full") for method in ("gaussian", "mover"))
    fixed = coverage_of(found, FIXED, "gaussian", "full")
    strata = coverage_of(found, FIXED, "gaussian")
    rows = pair_rows(plain, {}, {}, **{"class sizes": "random", "method": "gaussian"})
    rows += pair_rows(ours, {}, {}, **{"class sizes": "random", "method": "mover"})
    rows += pair_rows(fixed, {}, {}, **{"class sizes": "fixed", "method": "gaussian"})
    medians = {
        name: [along.median for along in pooled(one).values()]
        for name, one in {"full": plain, "stratified": strata, "fixed": fixed}.items()
    }
    apart = max(
        abs(one - other) for one, other in zip(medians["full"], medians["stratified"], strict=True)
    )
    least = min(along.least.value for many in ours.values() for along in many)
    return study.result(
        found,
        scale,
        rows=tuple(rows),
        claims=(
            Claim(
                "Stratified and full sampling perform equally well for differences.",
                f"median coverage over w differs by at most {apart:.3f} between them; good ranges "
                + ", ".join(along.good_text for along in pooled(plain).values())
                + " against "
                + ", ".join(along.good_text for along in pooled(strata).values())
                + ".",
                verdict(apart < 0.015),
            ),
            Claim(
                f"{BEYOND}with fixed class sizes, limits for full sampling cover a little much.",
                f"median coverage up to {max(medians['fixed']):.3f}, with random class sizes up "
                f"to {max(medians['full']):.3f}.",
                verdict(max(medians["fixed"]) > max(medians["full"])),
            ),
            floor_of(ours),
        ),
        panels=pair_panels(plain, ours),
        notes=(
            DRAWN,
            CONVENTION,
            "Rows are means over rho = 0.3, 0.6, 0.9. Class sizes and costs as for Figure 5.",
            f"The least coverage of MOVER is {least:.3f}; a separate prototype with 1000 test sets "
            "had .868.",
        ),
    )


FIGURE_6 = PaperStudy(
    name="dugas-2009-figure6",
    paper=f"{PAPER}, Figure 6",
    title="Full sampling: limits for the difference of two models' costs",
    plan=_figure_6_plan,
    verdicts=_figure_6_judge,
)
