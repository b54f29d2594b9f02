"""Figures 2, 3 and 5: limits for the cost of one model (spread, size, full sampling)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rocbands.cost.conditions import Sampling
from rocbands.study.measurements import Cell
from rocbands.study.populations import FixedClasses, RandomClasses
from rocbands.study.results import StudyResult
from rocbands.study.spec import Study
from rocbands_papers.dugas_2009.coverage import (
    CONVENTION,
    DRAWN,
    PAPER,
    Along,
    draw_panel,
    floor_claim,
    list_values,
    make_rows,
    plan_cells,
)
from rocbands_papers.dugas_2009.measurements import Enumerated, OneModel, Sizes
from rocbands_papers.paper import (
    Claim,
    DataSource,
    Panel,
    PaperStudy,
    Row,
    Scale,
    judge_claim,
    judge_own,
)

__all__ = ["FIXED", "RANDOM", "Figure2", "Figure3", "Figure5"]

_THETAS = (0.75, 1.5, 3.0, 5.0)
_SIZES = (25, 250, 2500, 10000)
_METHODS = ("gaussian", "mover")
_ENDS = (0.01, 0.05)  # where percentiles of the exact law are looked at: they are slow
FIXED, RANDOM = FixedClasses(1000, 1000), RandomClasses(2000)

Group = dict[str, Along]  # coverage by method; "..., drawn": by drawing test sets, as the paper did


def _cells(theta: float, classes: Sizes, sampling: Sampling = "stratified") -> list[Cell]:
    """Both methods, enumerated and by drawing test sets as the paper did."""
    return [
        kind(theta, classes, method, sampling)
        for kind in (Enumerated, OneModel)
        for method in _METHODS
    ]


def _read(
    found: StudyResult, theta: float, classes: Sizes, sampling: Sampling = "stratified"
) -> Group:
    names = (*_METHODS, *(f"{method}, drawn" for method in _METHODS))
    cells = _cells(theta, classes, sampling)
    return {name: Along.of(found, cell) for name, cell in zip(names, cells, strict=True)}


def _draw(groups: Sequence[Group], titles: Sequence[str]) -> Iterator[Panel]:
    for title, group in zip(titles, groups, strict=True):
        yield draw_panel(title, (along.line(label) for label, along in group.items()))


def _common_claims(groups: Sequence[Group]) -> Iterator[Claim]:
    """Judge what holds, or not, in every such figure."""
    plain, ours = ([group[name] for group in groups] for name in _METHODS)
    drawn = [group[f"{name}, drawn"] for name in _METHODS for group in groups]
    yield floor_claim(ours)
    yield _agreement([*plain, *ours], drawn)


def _agreement(enumerated: Sequence[Along], drawn: Sequence[Along]) -> Claim:
    """Compare the paper's way of measuring with the truth, in standard errors."""
    off = gap = 0.0
    for truth, seen in zip(enumerated, drawn, strict=True):
        for p, one in zip(truth.values, seen.figures, strict=True):
            error = math.sqrt(max(p * (1.0 - p), 0.0) / one.n) + 1.0 / one.n
            gap, off = max(gap, abs(one.value - p)), max(off, abs(one.value - p) / error)
    return judge_own(
        "drawing test sets, as the paper did, finds the enumerated coverage within noise.",
        f"largest difference {gap:.3f} for {drawn[0].figures[0].n} test sets, "
        f"{off:.1f} standard errors.",
        off < 5.0,
    )


def _single_rows(where: dict[str, object], group: Group) -> list[Row]:
    return [
        *make_rows({**where, "method": "gaussian"}, group["gaussian"]),
        *make_rows({**where, "method": "mover"}, group["mover"], good=False),
    ]


class Spread(NamedTuple):
    """Coverage by theta: of both methods, and of percentiles of the exact law at some w."""

    groups: list[Group]
    exact: list[Along]


class Figure2(PaperStudy[Spread]):
    """Spread: classes that overlap more or less."""

    name = "dugas-2009-figure2"
    paper = f"{PAPER}, Figure 2"
    title = "Spread: limits for a cost, by how far the classes are apart"

    def plan(self, scale: Scale, seed: int, data: DataSource | None) -> Study:
        cells = [cell for theta in _THETAS for cell in _cells(theta, FIXED)]
        cells += [Enumerated(theta, FIXED, "exact", w=_ENDS) for theta in _THETAS]
        return plan_cells(self.name, cells, scale, seed)

    def read(self, found: StudyResult, scale: Scale) -> Spread:
        exact = (Enumerated(theta, FIXED, "exact", w=_ENDS) for theta in _THETAS)
        return Spread(
            [_read(found, theta, FIXED) for theta in _THETAS],
            [Along.of(found, cell) for cell in exact],
        )

    def rows(self, figures: Spread) -> Iterator[Row]:
        for theta, group, exact in zip(_THETAS, *figures, strict=True):
            yield from _single_rows({"theta": theta}, group)
            for w in _ENDS:
                where = {"theta": theta, "method": "exact", "what": f"coverage at w = {w:g}"}
                yield Row(where=where, ours=exact.at(w), digits=3)

    def claims(self, figures: Spread) -> Iterator[Claim]:
        plain = [group["gaussian"] for group in figures.groups]
        widths = [along.good_width for along in plain]
        ends = [along.at(0.01) for along in plain]
        percentiles = [along.at(0.01) for along in figures.exact]
        yield judge_claim(
            "Coverage is better when the classes overlap little, that is for high theta.",
            "at least .85 for w in " + ", ".join(along.good_text for along in plain) + ".",
            widths == sorted(widths) and widths[0] < widths[-1],
        )
        yield judge_claim(
            "Coverage breaks as w comes close to 0 or 1.",
            f"at w = .01 {list_values(ends)}.",
            all(one.value < 0.85 for one in ends),
        )
        yield from _common_claims(figures.groups)
        yield judge_own(
            "percentiles of the exact bootstrap law do not mend the ends.",
            f"at w = .01 {list_values(percentiles)}.",
            all(one.value < 0.85 for one in percentiles),
        )

    def panels(self, figures: Spread) -> Iterator[Panel]:
        return _draw(figures.groups, [f"theta = {theta:g}" for theta in _THETAS])

    def notes(self, figures: Spread) -> tuple[str, ...]:
        return (
            DRAWN,
            CONVENTION,
            "Equation 5 is printed without 1/n+ and 1/n-: its standard errors would be about "
            "sqrt(n) times too large. The limits here have the right ones.",
        )


class Figure3(PaperStudy[list[Group]]):
    """Size: 25 to 10,000 cases of each class."""

    name = "dugas-2009-figure3"
    paper = f"{PAPER}, Figure 3"
    title = "Size: limits for a cost, by the number of cases"

    def plan(self, scale: Scale, seed: int, data: DataSource | None) -> Study:
        cells = [cell for size in _SIZES for cell in _cells(3.0, FixedClasses(size, size))]
        return plan_cells(self.name, cells, scale, seed)

    def read(self, found: StudyResult, scale: Scale) -> list[Group]:
        return [_read(found, 3.0, FixedClasses(size, size)) for size in _SIZES]

    def rows(self, figures: list[Group]) -> Iterator[Row]:
        for size, group in zip(_SIZES, figures, strict=True):
            yield from _single_rows({"n of each class": size}, group)

    def claims(self, figures: list[Group]) -> Iterator[Claim]:
        plain = [group["gaussian"] for group in figures]
        widths = [along.good_width for along in plain]
        start, end = (one.value for one in plain[0].good(0.87))
        yield judge_claim(
            "As the sample grows, the range of w with good coverage widens.",
            "at least .85 for w in " + ", ".join(along.good_text for along in plain) + ".",
            widths == sorted(set(widths)),
        )
        yield judge_claim(
            "With 25 cases of each class only a very narrow range of w is on target.",
            f"at least .87 for w in [{start:.2f}, {end:.2f}].",
            end - start < 0.3,
        )
        yield from _common_claims(figures)

    def panels(self, figures: list[Group]) -> Iterator[Panel]:
        return _draw(figures, [f"{size} of each class" for size in _SIZES])

    def notes(self, figures: list[Group]) -> tuple[str, ...]:
        slip = "The caption's 1,000 for the last panel is a slip; the text says 10,000."
        return (DRAWN, CONVENTION, slip)


class FullSampling(NamedTuple):
    """Coverage by theta: class sizes random; fixed; and of limits for fixed ones (stratified)."""

    groups: list[Group]
    fixed: list[Along]
    stratified: list[Along]


class Figure5(PaperStudy[FullSampling]):
    """Full sampling: class sizes are random."""

    name = "dugas-2009-figure5"
    paper = f"{PAPER}, Figure 5"
    title = "Full sampling: limits for a cost, by how far the classes are apart"

    def plan(self, scale: Scale, seed: int, data: DataSource | None) -> Study:
        cells: list[Cell] = []
        for theta in _THETAS:
            cells += _cells(theta, RANDOM, "full")
            cells += [Enumerated(theta, FIXED, "gaussian", "full")]
            cells += [Enumerated(theta, FIXED, "gaussian")]
        return plan_cells(self.name, cells, scale, seed)

    def read(self, found: StudyResult, scale: Scale) -> FullSampling:
        return FullSampling(
            [_read(found, theta, RANDOM, "full") for theta in _THETAS],
            [Along.of(found, Enumerated(theta, FIXED, "gaussian", "full")) for theta in _THETAS],
            [Along.of(found, Enumerated(theta, FIXED, "gaussian")) for theta in _THETAS],
        )

    def rows(self, figures: FullSampling) -> Iterator[Row]:
        at = (0.01, 0.02, 0.05, 0.1, 0.5)
        for theta, group, fixed in zip(_THETAS, figures.groups, figures.fixed, strict=True):
            for method, classes, along in (
                ("gaussian", "random", group["gaussian"]),
                ("mover", "random", group["mover"]),
                ("gaussian", "fixed", fixed),
            ):
                where = {"theta": theta, "class sizes": classes, "method": method}
                yield from make_rows(where, along, at, good=method == "gaussian")

    def claims(self, figures: FullSampling) -> Iterator[Claim]:
        plain = [group["gaussian"] for group in figures.groups]
        far = [along.off for along in plain]
        fixed, stratified = figures.fixed[0], figures.stratified[0]
        high = [w for w, value in zip(fixed.w, fixed.values, strict=True) if value > 0.99]
        yield judge_claim(
            "Full sampling covers better than stratified sampling for theta = 0.75.",
            f"mean distance from .9 over w: {far[0]:.3f} against {stratified.off:.3f}.",
            far[0] < stratified.off,
        )
        yield judge_claim(
            "The effect of the spread is reversed.",
            f"least coverage {list_values(along.least for along in plain)}; mean distance from .9 "
            + ", ".join(f"{one:.4f}" for one in far)
            + ".",
            far[1] < far[2] and plain[1].least.value > plain[2].least.value,
        )
        yield judge_claim(
            "Coverage at theta = 5 is better than at theta = 3.",
            f"{plain[3].at(0.01).value:.3f} against {plain[2].at(0.01).value:.3f} at w = .01, "
            f"{plain[3].at(0.02).value:.3f} against {plain[2].at(0.02).value:.3f} at w = .02.",
            plain[3].least.value > plain[2].least.value,
        )
        yield judge_own(
            "with fixed class sizes, limits for full sampling cover too much.",
            f"more than .99 up to w = {max(w for w in high if w < 0.5):.2f} for theta = 0.75."
            if high
            else "never more than .99.",
            bool(high),
        )
        yield from _common_claims(figures.groups)

    def panels(self, figures: FullSampling) -> Iterator[Panel]:
        groups = [
            {**group, "gaussian, class sizes fixed": fixed}
            for group, fixed in zip(figures.groups, figures.fixed, strict=True)
        ]
        return _draw(groups, [f"theta = {theta:g}" for theta in _THETAS])

    def notes(self, figures: FullSampling) -> tuple[str, ...]:
        return (
            DRAWN,
            CONVENTION,
            "The paper says neither what errors cost nor how class sizes arise. Its statements "
            "hold with costs w and 1 - w and with random class sizes of 2000 cases, and not with "
            "1000 of each class.",
        )
