"""Figures 4 and 6: limits for the difference of two models' costs; and where one is cheaper."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from rocbands.cost.conditions import Sampling
from rocbands.study.measurements import Cell
from rocbands.study.results import Figure, StudyResult
from rocbands.study.spec import Study
from rocbands_papers.dugas_2009.coverage import (
    CONVENTION,
    DRAWN,
    GOOD,
    PAPER,
    Along,
    draw_panel,
    floor_claim,
    list_values,
    plan_cells,
)
from rocbands_papers.dugas_2009.measurements import Pair, Regions, Sizes, TwoModels
from rocbands_papers.dugas_2009.one_model import FIXED, RANDOM
from rocbands_papers.paper import (
    Claim,
    DataSource,
    Panel,
    PaperStudy,
    Row,
    Scale,
    draw_line,
    judge_claim,
    judge_own,
)

__all__ = ["CheaperRegions", "Figure4", "Figure6"]

SHIFTS = (0.0, 2.0, 4.0)
DESIGNS = tuple((theta, shift) for theta in (1.0, 3.0) for shift in SHIFTS)
RHOS = (0.3, 0.6, 0.9)
_ENDS = (0.01, 0.02)  # where percentiles of the exact law are looked at: they are slow
_AT = (0.01, 0.02, 0.05, 0.1, 0.5)
_Design = tuple[float, float]
Coverage = dict[_Design, list[Along]]  # by theta and shift: one for each rho


def _cells(
    design: _Design, classes: Sizes, method: str, sampling: Sampling = "stratified"
) -> list[Cell]:
    """List the cells of one panel, one for each rho."""
    return [Pair(TwoModels(*design, rho), classes, method, sampling) for rho in RHOS]


def _read(
    found: StudyResult, classes: Sizes, method: str, sampling: Sampling = "stratified"
) -> Coverage:
    return {
        design: [Along.of(found, cell) for cell in _cells(design, classes, method, sampling)]
        for design in DESIGNS
    }


def _pool(coverage: Coverage) -> dict[_Design, Along]:
    """Take means over rho."""
    return {design: Along.mean(many) for design, many in coverage.items()}


def _floor_claim(coverage: Coverage) -> Claim:
    every = [along for many in coverage.values() for along in many]
    return floor_claim(every, list(_pool(coverage).values()))


def _make_rows(coverage: Coverage, **where: object) -> Iterator[Row]:
    """Make rows of means over rho, with their range; the least coverage is that of any rho."""
    for design, along in _pool(coverage).items():
        place = {"theta": design[0], "shift": design[1], **where}
        many = coverage[design]
        for w in _AT:
            values = [one.at(w).value for one in many]
            yield Row(
                where={**place, "what": f"coverage at w = {w:g}"},
                ours=along.at(w),
                digits=3,
                note=f"{min(values):.3f} to {max(values):.3f} over rho",
            )
        least = min(one.least for one in many)
        yield Row(where={**place, "what": "least coverage, any rho"}, ours=least, digits=3)
        if where["method"] == "gaussian":
            for what, end in zip(("good from w", "good to w"), along.good(), strict=True):
                yield Row(where={**place, "what": what}, ours=end)


def _draw(plain: Coverage, ours: Coverage) -> tuple[Panel, ...]:
    """Draw gaussian limits for each rho, as the paper does, and MOVER beside them."""
    mean = _pool(ours)
    return tuple(
        draw_panel(
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


# Figure 4


class Differences(NamedTuple):
    """Coverage of both methods, and of percentiles of the exact law at some w for rho = 0.6."""

    gaussian: Coverage
    mover: Coverage
    exact: dict[_Design, Along]


class Figure4(PaperStudy[Differences]):
    """Difference: two models on the same cases."""

    name = "dugas-2009-figure4"
    paper = f"{PAPER}, Figure 4"
    title = "Difference: limits for the difference of two models' costs"

    def plan(self, scale: Scale, seed: int, data: DataSource | None) -> Study:
        cells: list[Cell] = []
        for design in DESIGNS:
            cells += _cells(design, FIXED, "gaussian") + _cells(design, FIXED, "mover")
            cells.append(_percentiles(design))
        return plan_cells(self.name, cells, scale, seed)

    def read(self, found: StudyResult, scale: Scale) -> Differences:
        return Differences(
            _read(found, FIXED, "gaussian"),
            _read(found, FIXED, "mover"),
            {design: Along.of(found, _percentiles(design)) for design in DESIGNS},
        )

    def rows(self, figures: Differences) -> Iterator[Row]:
        yield from _make_rows(figures.gaussian, method="gaussian")
        yield from _make_rows(figures.mover, method="mover")
        for (theta, shift), along in figures.exact.items():
            for w in _ENDS:
                where = {"theta": theta, "shift": shift, "method": "exact, rho = 0.6"}
                what = f"coverage at w = {w:g}"
                yield Row(where={**where, "what": what}, ours=along.at(w), digits=3)

    def claims(self, figures: Differences) -> Iterator[Claim]:
        yield from _difference_claims(figures.gaussian)
        yield _floor_claim(figures.mover)
        yield _exact_claim(figures.gaussian, figures.exact)

    def panels(self, figures: Differences) -> tuple[Panel, ...]:
        return _draw(figures.gaussian, figures.mover)

    def notes(self, figures: Differences) -> tuple[str, ...]:
        return (
            DRAWN,
            f"{CONVENTION} For equal models (shift 0) such a point contains the true difference 0; "
            "counted as a hit it would make coverage there 1.",
            "Rows are means over rho = 0.3, 0.6, 0.9.",
            "The paper calls its abscissa 'total positive rate' when it discusses this figure; it "
            "is w.",
        )


def _percentiles(design: _Design) -> Pair:
    return Pair(TwoModels(*design, 0.6), FIXED, "exact", w=_ENDS)


def _difference_claims(plain: Coverage) -> Iterator[Claim]:
    mean = _pool(plain)
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
    yield judge_claim(
        "Coverage breaks for very low and very high w.",
        f"in {len(breaks)} of 6 panels it falls under .85 within .05 of an end; not for "
        + (", ".join(f"theta {t:g} shift {s:g}" for t, s in DESIGNS if (t, s) not in breaks))
        + ".",
        len(breaks) >= 5,
    )
    yield judge_claim(
        "A higher theta widens the range of good coverage.",
        f"at least .85 for w in {ranges[1.0]} (theta 1, shifts 0, 2, 4), {ranges[3.0]} (theta 3).",
        all(b > a for a, b in zip(low, high, strict=True)),
    )
    yield judge_claim(
        "With theta = 1 coverage is better for larger shifts.",
        f"good ranges are {low[0]:.2f}, {low[1]:.2f}, {low[2]:.2f} long, an interval of no "
        "width being a miss.",
        low == sorted(low) and low[0] < low[-1],
    )
    yield judge_claim(
        "With theta = 3 the shift has the opposite, less pronounced effect.",
        f"good ranges are {high[0]:.2f}, {high[1]:.2f}, {high[2]:.2f} long.",
        high[0] > high[-1] and high[0] - high[-1] < low[-1] - low[0],
    )
    yield judge_claim(
        "The correlation has very little effect.",
        f"mean coverage over the good range differs by at most {inside:.3f} between rho; at "
        f"w = .01 by up to {ends:.2f}.",
        inside < 0.012,
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
    return judge_own(
        "percentiles of the exact bootstrap law do not mend the ends.",
        f"no better than gaussian limits in {sum(worse)} of {len(worse)} cases at w = .01 and .02; "
        f"at .01 {list_values(along.at(0.01) for along in exact.values())}.",
        sum(worse) >= len(worse) - 1,
    )


# Figure 6


class FullSampling(NamedTuple):
    """Coverage with random class sizes, with fixed ones, and of stratified limits."""

    gaussian: Coverage
    mover: Coverage
    fixed: Coverage
    stratified: Coverage


class Figure6(PaperStudy[FullSampling]):
    """Full sampling: two models on cases with random class sizes."""

    name = "dugas-2009-figure6"
    paper = f"{PAPER}, Figure 6"
    title = "Full sampling: limits for the difference of two models' costs"

    def plan(self, scale: Scale, seed: int, data: DataSource | None) -> Study:
        cells: list[Cell] = []
        for design in DESIGNS:
            cells += _cells(design, RANDOM, "gaussian", "full")
            cells += _cells(design, RANDOM, "mover", "full")
            cells += _cells(design, FIXED, "gaussian", "full")
            cells += _cells(design, FIXED, "gaussian")
        return plan_cells(self.name, cells, scale, seed)

    def read(self, found: StudyResult, scale: Scale) -> FullSampling:
        return FullSampling(
            _read(found, RANDOM, "gaussian", "full"),
            _read(found, RANDOM, "mover", "full"),
            _read(found, FIXED, "gaussian", "full"),
            _read(found, FIXED, "gaussian"),
        )

    def rows(self, figures: FullSampling) -> Iterator[Row]:
        for coverage, classes, method in (
            (figures.gaussian, "random", "gaussian"),
            (figures.mover, "random", "mover"),
            (figures.fixed, "fixed", "gaussian"),
        ):
            yield from _make_rows(coverage, **{"class sizes": classes, "method": method})

    def claims(self, figures: FullSampling) -> Iterator[Claim]:
        full, _, fixed, stratified = (_pool(coverage) for coverage in figures)
        apart = max(abs(full[at].median - stratified[at].median) for at in DESIGNS)
        ranges = [
            ", ".join(along.good_text for along in one.values()) for one in (full, stratified)
        ]
        yield judge_claim(
            "Stratified and full sampling perform equally well for differences.",
            f"median coverage over w differs by at most {apart:.3f} between them; good ranges "
            f"{ranges[0]} against {ranges[1]}.",
            apart < 0.015,
        )
        most, random = (max(along.median for along in one.values()) for one in (fixed, full))
        yield judge_own(
            "with fixed class sizes, limits for full sampling cover a little much.",
            f"median coverage up to {most:.3f}, with random class sizes up to {random:.3f}.",
            most > random,
        )
        yield _floor_claim(figures.mover)

    def panels(self, figures: FullSampling) -> tuple[Panel, ...]:
        return _draw(figures.gaussian, figures.mover)

    def notes(self, figures: FullSampling) -> tuple[str, ...]:
        least = min(along.least.value for many in figures.mover.values() for along in many)
        return (
            DRAWN,
            CONVENTION,
            "Rows are means over rho = 0.3, 0.6, 0.9. Class sizes and costs as for Figure 5.",
            f"The least coverage of MOVER is {least:.3f}.",
        )


# Where one model is called cheaper: how often that is wrong somewhere

_MOST = 0.12  # how often simultaneous regions at level .9 may flag equal models
_EQUAL = tuple(TwoModels(theta, 0.0, rho) for theta in (1.0, 3.0) for rho in RHOS)
_UNEQUAL = tuple(TwoModels(theta, 2.0, 0.6) for theta in (1.0, 3.0))
_KINDS = tuple((method, together) for together in (False, True) for method in ("gaussian", "mover"))
Kind = tuple[str, bool]  # method, and whether limits are for all w together


class Wrong(NamedTuple):
    """How often regions are wrong by models and kind; critical values; simultaneous coverage."""

    wrong: dict[tuple[TwoModels, Kind], Figure]
    critical: list[Figure]
    together: list[Figure]

    def equal(self, kind: Kind) -> list[Figure]:
        """Return the shares of equal models."""
        return [self.wrong[models, kind] for models in _EQUAL]


class CheaperRegions(PaperStudy[Wrong]):
    """How often a region where one model is called cheaper is wrong, pointwise and together."""

    name = "dugas-2009-regions"
    paper = f"{PAPER}, beyond it"
    title = "Where one model is cheaper: how often equal models are told apart"

    def plan(self, scale: Scale, seed: int, data: DataSource | None) -> Study:
        cells = (Regions(models, FIXED, *k) for models in (*_EQUAL, *_UNEQUAL) for k in _KINDS)
        times = 400 if scale == "quick" else 2000
        return Study(self.name, tuple(cells), times, block=100, seed=seed)

    def read(self, found: StudyResult, scale: Scale) -> Wrong:
        def figure(models: TwoModels, kind: Kind, name: str) -> Figure:
            return found.figure(Regions(models, FIXED, *kind), name)

        return Wrong(
            {
                (models, kind): figure(models, kind, "wrong")
                for models in (*_EQUAL, *_UNEQUAL)
                for kind in _KINDS
            },
            [figure(models, ("gaussian", True), "critical") for models in _EQUAL],
            [figure(models, ("mover", True), "together") for models in _UNEQUAL],
        )

    def rows(self, figures: Wrong) -> Iterator[Row]:
        for (models, kind), figure in figures.wrong.items():
            yield Row(
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
            )

    def claims(self, figures: Wrong) -> Iterator[Claim]:
        equal = {kind: figures.equal(kind) for kind in _KINDS}
        pointwise = equal["gaussian", False] + equal["mover", False]
        worst = max(equal["mover", True] + equal["gaussian", True])
        most = {k: max(figures.wrong[models, k].value for models in _UNEQUAL) for k in _KINDS}
        yield judge_own(
            "pointwise regions are no test of whether models differ.",
            f"equal models are told apart somewhere in {_span(equal['gaussian', False])} "
            f"(gaussian) and {_span(equal['mover', False])} (mover) of test sets.",
            all(one.low > 0.5 for one in pointwise),
        )
        yield judge_own(
            f"simultaneous regions flag equal models in at most {_MOST:g}, level .9.",
            f"{_span(equal['gaussian', True])} (gaussian), {_span(equal['mover', True])} (mover); "
            f"the largest has the interval [{worst.low:.3f}, {worst.high:.3f}].",
            # The largest of twelve noisy shares: noise counts against the claim only as a whole.
            worst.low <= _MOST,
        )
        yield judge_own(
            "models that differ are hardly ever put in the wrong order.",
            "at shift 2 somewhere in at most "
            + ", ".join(f"{most[kind]:.3f} ({kind[0]}, {_limits(kind)})" for kind in _KINDS)
            + " of test sets; always where the difference is next to 0.",
            # A pointwise limit may be on the wrong side of a difference near 0 in .05, each.
            max(most.values()) <= 0.06,
        )

    def panels(self, figures: Wrong) -> Iterator[Panel]:
        for theta in (1.0, 3.0):
            lines = []
            for kind in _KINDS:
                own = [figures.wrong[models, kind] for models in _EQUAL if models.theta == theta]
                lines.append(draw_line(f"{kind[0]}, {_limits(kind)}", RHOS, own))
            yield Panel(
                f"equal models, theta = {theta:g}",
                "correlation rho",
                "told apart somewhere",
                tuple(lines),
                target=0.1,
            )

    def notes(self, figures: Wrong) -> tuple[str, ...]:
        return (
            "The paper's intervals are pointwise, and it makes no statement about regions; these "
            "are ours. 99 w from .01 to .99, level .9, 1000 cases of each class.",
            f"Simultaneous limits are on average {_span(figures.critical)} standard errors wide "
            "instead of 1.645.",
            f"Models that differ (shift 2) are always told apart at this size; simultaneous MOVER "
            f"limits contain the true difference at all w in {_span(figures.together)} of test "
            "sets.",
        )


def _limits(kind: Kind) -> str:
    return "simultaneous" if kind[1] else "pointwise"


def _span(figures: Iterable[Figure]) -> str:
    values = [one.value for one in figures]
    return f"{min(values):.3f} to {max(values):.3f}"
