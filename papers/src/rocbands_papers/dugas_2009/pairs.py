"""Figure 4: limits for the difference of two models' costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rocbands.cost.conditions import Sampling
from rocbands.study.measurements import Cell
from rocbands.study.results import StudyResult
from rocbands.study.spec import Study
from rocbands_papers.dugas_2009 import reference
from rocbands_papers.dugas_2009.cells import CONVENTION, Pair
from rocbands_papers.dugas_2009.reading import (
    BEYOND,
    DRAWN,
    GOOD,
    Along,
    floor_claim,
    panel,
    shown,
    verdict,
)
from rocbands_papers.dugas_2009.single import FIXED, PAPER, study_of
from rocbands_papers.dugas_2009.worlds import Sizes, TwoModels
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
    "DESIGNS",
    "FIGURE_4",
    "cells_of",
    "coverage_of",
    "floor_of",
    "pair_panels",
    "pair_rows",
    "pooled",
]

SHIFTS = (0.0, 2.0, 4.0)
DESIGNS = tuple((theta, shift) for theta in (1.0, 3.0) for shift in SHIFTS)
RHOS = (0.3, 0.6, 0.9)
_ENDS = (0.01, 0.02)  # where percentiles of the exact law are looked at: they are slow
_AT = (0.01, 0.02, 0.05, 0.1, 0.5)
_Design = tuple[float, float]
Coverage = dict[_Design, list[Along]]  # by theta and shift: one for each rho


def cells_of(
    design: _Design, classes: Sizes, method: str, sampling: Sampling = "stratified"
) -> list[Cell]:
    """List the cells of one panel, one for each rho."""
    return [Pair(TwoModels(*design, rho), classes, method, sampling) for rho in RHOS]


def coverage_of(
    found: StudyResult, classes: Sizes, method: str, sampling: Sampling = "stratified"
) -> Coverage:
    """Read coverage by theta and shift, one for each rho."""
    return {
        design: [Along.of(found, cell) for cell in cells_of(design, classes, method, sampling)]
        for design in DESIGNS
    }


def pooled(coverage: Coverage) -> dict[_Design, Along]:
    """Take means over rho."""
    return {design: Along.mean(many) for design, many in coverage.items()}


def floor_of(coverage: Coverage) -> Claim:
    """Judge whether MOVER keeps above its floor."""
    every = [along for many in coverage.values() for along in many]
    return floor_claim(every, list(pooled(coverage).values()))


def pair_rows(
    coverage: Coverage,
    spans: Mapping[_Design, Mapping[float, reference.Span]],
    least: Mapping[_Design, float],
    **where: object,
) -> list[Row]:
    """Means over rho, with their spans; the least coverage is that of any rho."""
    rows: list[Row] = []
    for design, along in pooled(coverage).items():
        place = {"theta": design[0], "shift": design[1], **where}
        many, known = coverage[design], spans.get(design, {})
        rows += [
            Row(
                where={**place, "what": f"coverage at w = {w:g}"},
                ours=along.at(w),
                digits=3,
                note=_span_text(_span(many, w), known.get(w)),
            )
            for w in _AT
        ]
        rows.append(
            Row(
                where={**place, "what": "least coverage, any rho"},
                ours=min(one.least for one in many),
                reference=least.get(design),
                digits=3,
            )
        )
        if where["method"] == "gaussian":
            ends = zip(("good from w", "good to w"), along.good(), strict=True)
            rows += [Row(where={**place, "what": what}, ours=end) for what, end in ends]
    return rows


def _span(many: Sequence[Along], w: float) -> reference.Span:
    values = [along.at(w).value for along in many]
    return min(values), max(values)


def _span_text(ours: reference.Span, known: reference.Span | None) -> str:
    text = f"{ours[0]:.3f} to {ours[1]:.3f} over rho"
    return text if known is None else f"{text}, prototype {known[0]:.2f} to {known[1]:.2f}"


def _span_note(coverage: Coverage) -> str:
    """Compare with the prototype's spans over rho, end by end."""
    gaps = [
        abs(ours - theirs)
        for design, spans in reference.DIFFERENCE.items()
        for w, span in spans.items()
        for ours, theirs in zip(_span(coverage[design], w), span, strict=True)
    ]
    return (
        f"Ends of {len(gaps) // 2} spans over rho differ from those of a separate prototype by at "
        f"most {max(gaps):.3f}; it had 1000 test sets, so that one standard error is up to .016."
    )


def pair_panels(plain: Coverage, ours: Coverage) -> tuple[Panel, ...]:
    """Draw gaussian limits for each rho, as the paper does, and MOVER beside them."""
    mean = pooled(ours)
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
    return Pair(TwoModels(*design, 0.6), FIXED, "exact", w=_ENDS)


def _figure_4_plan(scale: Scale, seed: int, data: DataSource | None) -> Study:
    cells: list[Cell] = []
    for design in DESIGNS:
        cells += cells_of(design, FIXED, "gaussian") + cells_of(design, FIXED, "mover")
        cells.append(_percentiles(design))
    return study_of("dugas-2009-figure4", cells, scale, seed)


def _figure_4_judge(study: PaperStudy, found: StudyResult, scale: Scale) -> PaperResult:
    plain, ours = (coverage_of(found, FIXED, method) for method in ("gaussian", "mover"))
    exact = {design: Along.of(found, _percentiles(design)) for design in DESIGNS}
    rows = pair_rows(plain, reference.DIFFERENCE, {}, method="gaussian")
    rows += pair_rows(ours, {}, reference.DIFFERENCE_LEAST, method="mover")
    rows += [_exact_row(design, along, w) for design, along in exact.items() for w in _ENDS]
    return study.result(
        found,
        scale,
        rows=tuple(rows),
        claims=(*_figure_4_claims(plain), floor_of(ours), _exact_claim(plain, exact)),
        panels=pair_panels(plain, ours),
        notes=(
            DRAWN,
            f"{CONVENTION} For equal models (shift 0) such a point contains the true difference 0; "
            "counted as a hit it would make coverage there 1.",
            "Rows are means over rho = 0.3, 0.6, 0.9.",
            "The paper calls its abscissa 'total positive rate' when it discusses this figure; it "
            "is w.",
            _span_note(plain),
        ),
    )


def _exact_row(design: _Design, along: Along, w: float) -> Row:
    span = reference.DIFFERENCE_EXACT.get(design, {}).get(w)
    theta, shift = design
    return Row(
        where={
            "theta": theta,
            "shift": shift,
            "method": "exact, rho = 0.6",
            "what": f"coverage at w = {w:g}",
        },
        ours=along.at(w),
        digits=3,
        note="" if span is None else f"prototype {span[0]:.2f} to {span[1]:.2f} over rho",
    )


def _figure_4_claims(plain: Coverage) -> tuple[Claim, ...]:
    mean = pooled(plain)
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


def _rho_effect(plain: Coverage, mean: Mapping[_Design, Along]) -> tuple[float, float]:
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


def _exact_claim(plain: Coverage, exact: Mapping[_Design, Along]) -> Claim:
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
    verdicts=_figure_4_judge,
)
