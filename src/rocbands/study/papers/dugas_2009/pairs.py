"""Figures 4 and 6: limits for the difference of two models' costs, stratified and full."""

from __future__ import annotations

from collections.abc import Mapping

from rocbands.cost.conditions import Sampling
from rocbands.study.cells import Cell
from rocbands.study.papers.dugas_2009 import reference
from rocbands.study.papers.dugas_2009.cells import CONVENTION, Pair
from rocbands.study.papers.dugas_2009.reading import (
    BEYOND,
    DRAWN,
    GOOD,
    Along,
    floor_claim,
    gap_note,
    panel,
    rows_of,
    shown,
    verdict,
)
from rocbands.study.papers.dugas_2009.single import PAPER, study_of
from rocbands.study.papers.dugas_2009.worlds import Sizes, TwoModels
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

__all__ = ["FIGURE_4", "FIGURE_6"]

SHIFTS = (0.0, 2.0, 4.0)
DESIGNS = tuple((theta, shift) for theta in (1.0, 3.0) for shift in SHIFTS)
RHOS = (0.3, 0.6, 0.9)
_ENDS = (0.01, 0.02)  # where percentiles of the exact law are looked at: they are slow
_AT = (0.01, 0.02, 0.05, 0.1, 0.5)
_FIXED, _RANDOM = FixedClasses(1000, 1000), RandomClasses(2000)
_Design = tuple[float, float]
_Coverage = dict[_Design, list[Along]]  # by theta and shift: one for each rho


def _cells(
    design: _Design, classes: Sizes, method: str, sampling: Sampling = "stratified"
) -> list[Cell]:
    return [Pair(TwoModels(*design, rho), classes, method, sampling) for rho in RHOS]


def _coverage(
    found: StudyResult, classes: Sizes, method: str, sampling: Sampling = "stratified"
) -> _Coverage:
    return {
        design: [Along.of(found, cell) for cell in _cells(design, classes, method, sampling)]
        for design in DESIGNS
    }


def _pooled(coverage: _Coverage) -> dict[_Design, Along]:
    return {design: Along.mean(many) for design, many in coverage.items()}


def _floor(coverage: _Coverage) -> Claim:
    every = [along for many in coverage.values() for along in many]
    return floor_claim(every, list(_pooled(coverage).values()))


def _rows(
    coverage: _Coverage,
    known: Mapping[_Design, Mapping[str, float]],
    **where: object,
) -> list[Row]:
    """Means over rho; the least coverage is that of any rho."""
    rows: list[Row] = []
    for (theta, shift), along in _pooled(coverage).items():
        place = {"theta": theta, "shift": shift, **where}
        every = [one.least for one in coverage[theta, shift]]
        numbers = known.get((theta, shift), {})
        rows += [
            row if row.where["what"] != "least coverage" else
            Row(
                where={**place, "what": "least coverage, any rho"},
                ours=min(every),
                reference=numbers.get("least coverage"),
                why_not=DRAWN,
            )
            for row in rows_of(place, along, numbers, _AT)
        ]  # fmt: skip
    return rows


def _panels(plain: _Coverage, ours: _Coverage) -> tuple[Panel, ...]:
    mean = _pooled(ours)
    return tuple(
        panel(
            f"theta = {theta:g}, shift = {shift:g}",
            (
                *(
                    along.line(f"gaussian, rho = {rho:g}")
                    for rho, along in zip(RHOS, plain[theta, shift], strict=True)
                ),
                mean[theta, shift].line("mover, mean of all rho"),
            ),
        )
        for theta, shift in DESIGNS
    )


# Figure 4: difference


def _percentiles(design: _Design) -> Pair:
    return Pair(TwoModels(*design, 0.6), _FIXED, "exact", w=_ENDS)


def _figure_4_plan(scale: Scale, seed: int, data: DataSource | None) -> Study:
    cells: list[Cell] = []
    for design in DESIGNS:
        cells += _cells(design, _FIXED, "gaussian") + _cells(design, _FIXED, "mover")
        cells.append(_percentiles(design))
    return study_of("dugas-2009-figure4", cells, scale, seed)


def _figure_4_judge(study: PaperStudy, found: StudyResult, scale: Scale) -> PaperResult:
    plain, ours = (_coverage(found, _FIXED, method) for method in ("gaussian", "mover"))
    exact = {design: Along.of(found, _percentiles(design)) for design in DESIGNS}
    least = {key: {"least coverage": value} for key, value in reference.DIFFERENCE_LEAST.items()}
    rows = _rows(plain, reference.DIFFERENCE, method="gaussian")
    rows += _rows(ours, least, method="mover")
    for design, along in exact.items():
        known = dict(zip(_ENDS, reference.DIFFERENCE_EXACT.get(design, ()), strict=False))
        rows += [
            Row(
                where={
                    "theta": design[0],
                    "shift": design[1],
                    "method": "exact, rho = 0.6",
                    "what": f"coverage at w = {w:g}",
                },
                ours=along.at(w),
                reference=known.get(w),
                why_not=DRAWN,
            )
            for w in _ENDS
        ]
    return study.result(
        found,
        scale,
        rows=tuple(rows),
        claims=(*_figure_4_claims(plain), _floor(ours), _exact_claim(plain, exact)),
        panels=_panels(plain, ours),
        notes=(
            f"{CONVENTION} For equal models (shift 0) such a point contains the true difference 0; "
            "counted as a hit it would make coverage there 1.",
            "Rows are means over rho = 0.3, 0.6, 0.9.",
            "The paper calls its abscissa 'total positive rate' when it discusses this figure; it "
            "is w.",
            gap_note(rows),
        ),
    )


def _figure_4_claims(plain: _Coverage) -> tuple[Claim, ...]:
    mean = _pooled(plain)
    widths = {design: along.good_width for design, along in mean.items()}
    breaks = [
        design
        for design, along in mean.items()
        if min(along.figures[:5] + along.figures[-5:]).high < GOOD
    ]
    low, high = ([widths[theta, shift] for shift in SHIFTS] for theta in (1.0, 3.0))
    ranges = {
        theta: ", ".join(mean[theta, shift].good_text for shift in SHIFTS) for theta in (1.0, 3.0)
    }
    inside, ends = _rho_effect(plain, mean)
    return (
        Claim(
            "Coverage breaks for very low and very high w.",
            f"in {len(breaks)} of 6 panels it falls under .85 within .05 of an end; not for "
            + (", ".join(f"theta {t:g} shift {s:g}" for t, s in DESIGNS if (t, s) not in breaks))
            + ".",
            verdict(len(breaks) >= 5),
        ),
        Claim(
            "A higher theta widens the range of good coverage.",
            f"at least .85 for w in {ranges[1.0]} (theta 1, shifts 0, 2, 4), {ranges[3.0]} "
            "(theta 3).",
            verdict(all(b > a for a, b in zip(low, high, strict=True))),
        ),
        Claim(
            "With theta = 1 coverage is better for larger shifts.",
            f"good ranges are {low[0]:.2f}, {low[1]:.2f}, {low[2]:.2f} long, an interval of no "
            "width being a miss.",
            verdict(low == sorted(low) and low[0] < low[-1]),
        ),
        Claim(
            "With theta = 3 the shift has the opposite, less pronounced effect.",
            f"good ranges are {high[0]:.2f}, {high[1]:.2f}, {high[2]:.2f} long.",
            verdict(high[0] > high[-1] and high[0] - high[-1] < low[-1] - low[0]),
        ),
        Claim(
            "The correlation has very little effect.",
            f"mean coverage over the good range differs by at most {inside:.3f} between rho; at "
            f"w = .01 by up to {ends:.2f}.",
            verdict(inside < 0.012),
        ),
    )


def _rho_effect(plain: _Coverage, mean: Mapping[_Design, Along]) -> tuple[float, float]:
    """Largest difference between rho: of mean coverage where it is good, and at w = .01."""
    inside, ends = [], []
    for design, many in plain.items():
        start, end = (along.value for along in mean[design].good())
        means = [_mean_between(along, start, end) for along in many]
        inside.append(max(means) - min(means))
        last = [along.at(0.01).value for along in many]
        ends.append(max(last) - min(last))
    return max(inside), max(ends)


def _mean_between(along: Along, start: float, end: float) -> float:
    kept = [value for w, value in zip(along.w, along.values, strict=True) if start <= w <= end]
    return sum(kept) / len(kept)


def _exact_claim(plain: _Coverage, exact: Mapping[_Design, Along]) -> Claim:
    worse = []
    for design, along in exact.items():
        gaussian = plain[design][RHOS.index(0.6)]
        # Both are judged on the same test sets; a hair's breadth apart is no better.
        worse += [along.at(w).value <= gaussian.at(w).value + 0.02 for w in _ENDS]
    return Claim(
        f"{BEYOND}percentiles of the exact bootstrap law do not mend the ends.",
        f"no better than gaussian limits in {sum(worse)} of {len(worse)} cases at w = .01 and .02; "
        f"at .01 {shown(along.at(0.01) for along in exact.values())}.",
        verdict(sum(worse) >= len(worse) - 1),
    )


FIGURE_4 = PaperStudy(
    name="dugas-2009-figure4",
    paper=f"{PAPER}, Figure 4",
    title="Difference: limits for the difference of two models' costs",
    plan=_figure_4_plan,
    judge=_figure_4_judge,
)


# Figure 6: difference with full sampling


def _figure_6_plan(scale: Scale, seed: int, data: DataSource | None) -> Study:
    cells: list[Cell] = []
    for design in DESIGNS:
        cells += _cells(design, _RANDOM, "gaussian", "full")
        cells += _cells(design, _RANDOM, "mover", "full")
        cells += _cells(design, _FIXED, "gaussian", "full")
        cells += _cells(design, _FIXED, "gaussian")
    return study_of("dugas-2009-figure6", cells, scale, seed)


def _figure_6_judge(study: PaperStudy, found: StudyResult, scale: Scale) -> PaperResult:
    plain, ours = (_coverage(found, _RANDOM, method, "full") for method in ("gaussian", "mover"))
    fixed = _coverage(found, _FIXED, "gaussian", "full")
    strata = _coverage(found, _FIXED, "gaussian")
    rows = _rows(plain, {}, **{"class sizes": "random", "method": "gaussian"})
    rows += _rows(ours, {}, **{"class sizes": "random", "method": "mover"})
    rows += _rows(fixed, {}, **{"class sizes": "fixed", "method": "gaussian"})
    medians = {
        name: [along.median for along in _pooled(one).values()]
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
                + ", ".join(along.good_text for along in _pooled(plain).values())
                + " against "
                + ", ".join(along.good_text for along in _pooled(strata).values())
                + ".",
                verdict(apart < 0.015),
            ),
            Claim(
                f"{BEYOND}with fixed class sizes, limits for full sampling cover a little much.",
                f"median coverage up to {max(medians['fixed']):.3f}, with random class sizes up "
                f"to {max(medians['full']):.3f}.",
                verdict(max(medians["fixed"]) > max(medians["full"])),
            ),
            _floor(ours),
        ),
        panels=_panels(plain, ours),
        notes=(
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
    judge=_figure_6_judge,
)
