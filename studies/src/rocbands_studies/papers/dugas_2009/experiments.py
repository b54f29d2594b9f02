"""Figures 2 to 6: coverage of limits for a cost, and for the difference of two, along w."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from rocbands.cost.conditions import Known as Sampling
from rocbands_studies.measurements import Cell
from rocbands_studies.papers.dugas_2009.measurements import (
    Enumerated,
    OneModel,
    Pair,
    Sizes,
    TwoModels,
)
from rocbands_studies.papers.paper import (
    Claim,
    DataSource,
    PaperStudy,
    Picture,
    Row,
    Scale,
    judge_claim,
    judge_own,
)
from rocbands_studies.populations import FixedClasses, RandomClasses
from rocbands_studies.results import Figure, StudyResult
from rocbands_studies.spec import Study

PAPER = "Dugas and Gadoury 2009"
LEVEL = 0.9
GOOD = 0.85  # what is called near the level here
FLOOR = 0.86  # what MOVER must not fall under
FIXED, RANDOM = FixedClasses(1000, 1000), RandomClasses(2000)
RHOS = (0.3, 0.6, 0.9)
_MANY = 4.2  # standard errors that the least of some two thousand figures may be off by chance
_AT = (0.01, 0.02, 0.05, 0.1, 0.5)
_SHIFTS = (0.0, 2.0, 4.0)
_DESIGNS = tuple((theta, shift) for theta in (1.0, 3.0) for shift in _SHIFTS)
_METHODS = ("gaussian", "mover")
_DRAWN = "The paper draws coverage and prints no number of it; its statements are judged."
CONVENTION = (
    "An interval of no width counts as a miss, whatever it contains: the paper calls coverage "
    "impossible there."
)


@dataclass(frozen=True)
class Along:
    """Figures along w."""

    w: tuple[float, ...]
    figures: tuple[Figure, ...]

    @classmethod
    def of(cls, found: StudyResult, cell: Cell, name: str = "holds at") -> Along:
        """Figures of one cell; cells are compared as they are, which is fast."""
        figures = next(one.figures[name] for one in found.cells if one.cell == cell)
        return cls(cell.points, tuple(figures if isinstance(figures, list) else [figures]))

    @classmethod
    def mean(cls, many: Sequence[Along]) -> Along:
        """Mean of several independent cells, w by w."""

        def mean(figures: tuple[Figure, ...]) -> Figure:
            value = math.fsum(one.value for one in figures) / len(figures)
            below, above = (
                math.sqrt(math.fsum((one.value - one[end]) ** 2 for one in figures)) / len(figures)
                for end in (1, 2)
            )
            return Figure(value, value - below, value + above, sum(one.n for one in figures))

        columns = zip(*(one.figures for one in many), strict=True)
        return cls(many[0].w, tuple(map(mean, columns)))

    def at(self, w: float) -> Figure:
        """Figure at one of the conditions."""
        return self.figures[self.w.index(w)]

    @property
    def values(self) -> tuple[float, ...]:
        """The figures without their limits."""
        return tuple(one.value for one in self.figures)

    @property
    def least(self) -> Figure:
        """The smallest figure."""
        return min(self.figures)

    @property
    def median(self) -> float:
        """The middle figure."""
        return sorted(self.values)[len(self.values) // 2]

    @property
    def off(self) -> float:
        """Mean distance from the level."""
        return math.fsum(abs(value - LEVEL) for value in self.values) / len(self.values)

    def good(self, least: float = GOOD) -> tuple[Figure, Figure]:
        """Return the ends of the range about 1/2 where all coverage is at least so large.

        Their limits are what the limits of the figures give.
        """
        value, low, high = (
            _range(self.w, [one[k] for one in self.figures], least) for k in range(3)
        )
        n = self.figures[0].n
        return (
            Figure(value[0], min(high[0], value[0]), max(low[0], value[0]), n),
            Figure(value[1], min(low[1], value[1]), max(high[1], value[1]), n),
        )

    @property
    def good_text(self) -> str:
        """Such as '[0.04, 0.96]'."""
        return "[{:.2f}, {:.2f}]".format(*(end.value for end in self.good()))

    @property
    def good_width(self) -> float:
        """Length of the good range, to the step of w."""
        start, end = self.good()
        return round(end.value - start.value, 2)


def _range(w: Sequence[float], values: Sequence[float], least: float) -> tuple[float, float]:
    middle = len(w) // 2
    bad = [i for i, value in enumerate(values) if value < least]
    if middle in bad:
        return w[middle], w[middle]
    start = max((i + 1 for i in bad if i < middle), default=0)
    end = min((i - 1 for i in bad if i > middle), default=len(w) - 1)
    return w[start], w[end]


def make_rows(
    where: Mapping[str, object],
    along: Along,
    at: Sequence[float] = (0.01, 0.05, 0.1, 0.5),
    *,
    good: bool = True,
) -> list[Row]:
    """Make rows of coverage at some w, of the least, and of the good range."""
    rows = [
        Row(where={**where, "what": "coverage", "w": w}, ours=along.at(w), digits=3) for w in at
    ]
    figures = {"least coverage": along.least}
    if good:
        figures |= dict(zip(("good from w", "good to w"), along.good(), strict=True))
    others = figures.items()
    return rows + [Row(where={**where, "what": k}, ours=one, digits=3) for k, one in others]


def list_values(figures: Iterable[Figure]) -> str:
    """Write the values in a row."""
    return ", ".join(f"{one.value:.3f}" for one in figures)


def _list_ranges(many: Iterable[Along]) -> str:
    return ", ".join(along.good_text for along in many)


def floor_claim(many: Sequence[Along], pooled: Sequence[Along] | None = None) -> Claim:
    """Judge whether MOVER keeps above its floor, and how much of its least figure is chance.

    The least of many noisy figures lies below the least true one. So a figure below the floor
    counts only if noise cannot explain it; means over designs (`pooled`) have less noise.
    """
    least = min(one.least for one in many)
    words = f"least {least.value:.3f} over {len(many)} designs and {len(many[0].w)} w"
    if least.low == least.high:
        words += ", enumerated without noise."
        holds = least.value >= FLOOR
    else:
        error = math.sqrt(LEVEL * (1.0 - LEVEL) / least.n)
        smooth = min(one.least.value for one in pooled or many)
        means = f"; {smooth:.3f} for means over rho" if pooled else ""
        words += f" (standard error {error:.3f} each{means})."
        holds = least.value + _MANY * error >= FLOOR and smooth >= FLOOR
    text = f"MOVER at level {LEVEL:g} covers at least {FLOOR:g} for all w in [.01, .99]."
    return judge_own(text, words, holds)


class _Experiment(ABC):
    """A figure of the paper: its cells, and what is read of them."""

    number: ClassVar[int]

    @abstractmethod
    def cells(self) -> Iterator[Cell]:
        """List what is measured."""

    @abstractmethod
    def rows(self, found: StudyResult) -> Iterable[Row]:
        """Make rows of coverage."""

    @abstractmethod
    def claims(self, found: StudyResult) -> Iterable[Claim]:
        """Judge what the paper says of the figure."""

    @abstractmethod
    def notes(self, found: StudyResult) -> tuple[str, ...]:
        """Name errata and conventions."""


# One model: Figures 2, 3 and 5


class _OneModel(_Experiment):
    """Both methods for each of some designs, enumerated and by drawing test sets."""

    designs: ClassVar[Mapping[float, tuple[float, Sizes, Sampling]]]
    column: ClassVar[str] = "theta"

    def cells(self) -> Iterator[Cell]:
        for design in self.designs.values():
            for kind in (Enumerated, OneModel):
                for method in _METHODS:
                    yield kind(*design[:2], method, design[2])

    def along(
        self, found: StudyResult, method: str, kind: type[OneModel] = Enumerated
    ) -> list[Along]:
        """Return coverage of a method, design by design."""
        return [
            Along.of(found, kind(theta, classes, method, sampling))
            for theta, classes, sampling in self.designs.values()
        ]

    def rows(self, found: StudyResult) -> Iterator[Row]:
        plain, mover = (self.along(found, method) for method in _METHODS)
        for key, one, other in zip(self.designs, plain, mover, strict=True):
            yield from make_rows({self.column: key, "method": "gaussian"}, one)
            yield from make_rows({self.column: key, "method": "mover"}, other, good=False)

    def common_claims(self, found: StudyResult) -> Iterator[Claim]:
        """Judge MOVER, and compare the paper's way of measuring with the truth."""
        yield floor_claim(self.along(found, "mover"))
        off = gap = 0.0
        n = 0
        for method in _METHODS:
            drawn = self.along(found, method, OneModel)
            for truth, seen in zip(self.along(found, method), drawn, strict=True):
                for p, one in zip(truth.values, seen.figures, strict=True):
                    error = math.sqrt(max(p * (1.0 - p), 0.0) / one.n) + 1.0 / one.n
                    gap, off = max(gap, abs(one.value - p)), max(off, abs(one.value - p) / error)
                    n = one.n
        yield judge_own(
            "drawing test sets, as the paper did, finds the enumerated coverage within noise.",
            f"largest difference {gap:.3f} for {n} test sets, {off:.1f} standard errors.",
            off < 5.0,
        )


def _by_theta(classes: Sizes, sampling: Sampling) -> dict[float, tuple[float, Sizes, Sampling]]:
    return {theta: (theta, classes, sampling) for theta in (0.75, 1.5, 3.0, 5.0)}


class Figure2(_OneModel):
    """Spread: classes that overlap more or less."""

    number = 2
    designs = _by_theta(FIXED, "stratified")
    # Percentiles of the exact law are slow: they are looked at near the end only.
    percentiles: ClassVar = {t: Enumerated(t, FIXED, "exact", w=(0.01, 0.05)) for t in designs}

    def cells(self) -> Iterator[Cell]:
        yield from super().cells()
        yield from self.percentiles.values()

    def rows(self, found: StudyResult) -> Iterator[Row]:
        yield from super().rows(found)
        for theta, cell in self.percentiles.items():
            for w, figure in zip(cell.w, Along.of(found, cell).figures, strict=True):
                where = {"theta": theta, "method": "exact", "what": "coverage", "w": w}
                yield Row(where=where, ours=figure, digits=3)

    def claims(self, found: StudyResult) -> Iterator[Claim]:
        plain = self.along(found, "gaussian")
        widths = [along.good_width for along in plain]
        ends = [along.at(0.01) for along in plain]
        percentiles = [Along.of(found, cell).at(0.01) for cell in self.percentiles.values()]
        yield judge_claim(
            "Coverage is better when the classes overlap little, that is for high theta.",
            f"at least .85 for w in {_list_ranges(plain)}.",
            widths == sorted(widths) and widths[0] < widths[-1],
        )
        yield judge_claim(
            "Coverage breaks as w comes close to 0 or 1.",
            f"at w = .01 {list_values(ends)}.",
            all(one.value < 0.85 for one in ends),
        )
        yield from self.common_claims(found)
        yield judge_own(
            "percentiles of the exact bootstrap law do not mend the ends.",
            f"at w = .01 {list_values(percentiles)}.",
            all(one.value < 0.85 for one in percentiles),
        )

    def notes(self, found: StudyResult) -> tuple[str, ...]:
        return (
            *(_DRAWN, CONVENTION),
            "Equation 5 is printed without 1/n+ and 1/n-: its standard errors would be about "
            "sqrt(n) times too large. The limits here have the right ones.",
        )


class Figure3(_OneModel):
    """Size: 25 to 10,000 cases of each class."""

    number = 3
    column = "n of each class"
    designs: ClassVar = {
        size: (3.0, FixedClasses(size, size), "stratified") for size in (25, 250, 2500, 10000)
    }

    def claims(self, found: StudyResult) -> Iterator[Claim]:
        plain = self.along(found, "gaussian")
        widths = [along.good_width for along in plain]
        start, end = (one.value for one in plain[0].good(0.87))
        yield judge_claim(
            "As the sample grows, the range of w with good coverage widens.",
            f"at least .85 for w in {_list_ranges(plain)}.",
            widths == sorted(set(widths)),
        )
        yield judge_claim(
            "With 25 cases of each class only a very narrow range of w is on target.",
            f"at least .87 for w in [{start:.2f}, {end:.2f}].",
            end - start < 0.3,
        )
        yield from self.common_claims(found)

    def notes(self, found: StudyResult) -> tuple[str, ...]:
        slip = "The caption's 1,000 for the last panel is a slip; the text says 10,000."
        return (_DRAWN, CONVENTION, slip)


class Figure5(_OneModel):
    """Full sampling: class sizes are random."""

    number = 5
    designs = _by_theta(RANDOM, "full")

    def cells(self) -> Iterator[Cell]:
        yield from super().cells()
        for theta in self.designs:
            yield Enumerated(theta, FIXED, "gaussian", "full")
            yield Enumerated(theta, FIXED, "gaussian")

    def rows(self, found: StudyResult) -> Iterator[Row]:
        for theta in self.designs:
            for method, name, classes in (
                ("gaussian", "random", RANDOM),
                ("mover", "random", RANDOM),
                ("gaussian", "fixed", FIXED),
            ):
                along = Along.of(found, Enumerated(theta, classes, method, "full"))
                where = {"theta": theta, "class sizes": name, "method": method}
                yield from make_rows(where, along, _AT, good=method == "gaussian")

    def claims(self, found: StudyResult) -> Iterator[Claim]:
        plain = self.along(found, "gaussian")
        far = [along.off for along in plain]
        fixed, stratified = (
            Along.of(found, Enumerated(0.75, FIXED, "gaussian", sampling))
            for sampling in ("full", "stratified")
        )
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
        yield from self.common_claims(found)

    def notes(self, found: StudyResult) -> tuple[str, ...]:
        return (
            *(_DRAWN, CONVENTION),
            "The paper says neither what errors cost nor how class sizes arise. Its statements "
            "hold with costs w and 1 - w and with random class sizes of 2000 cases, and not with "
            "1000 of each class.",
        )


# Two models: Figures 4 and 6

_Design = tuple[float, float]
Coverage = dict[_Design, list[Along]]  # by theta and shift: one for each rho
Group = tuple[str, Sizes, Sampling]  # method, class sizes, sampling


class _TwoModels(_Experiment):
    """Groups of limits for each theta and shift, three correlations each."""

    groups: ClassVar[Mapping[str, Group]]

    @staticmethod
    def of(design: _Design, group: Group) -> list[Pair]:
        """List the cells of one panel, one for each rho."""
        method, classes, sampling = group
        return [Pair(TwoModels(*design, rho), classes, method, sampling) for rho in RHOS]

    def cells(self) -> Iterator[Cell]:
        for design in _DESIGNS:
            for group in self.groups.values():
                yield from self.of(design, group)

    def coverage(self, found: StudyResult, group: str) -> Coverage:
        """Read the coverage of one group."""
        return {
            design: [Along.of(found, cell) for cell in self.of(design, self.groups[group])]
            for design in _DESIGNS
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
        for row in make_rows(place, along, _AT, good=where["method"] == "gaussian"):
            if "w" in row.where:
                w = float(str(row.where["w"]))
                values = [one.at(w).value for one in many]
                yield replace(row, note=f"{min(values):.3f} to {max(values):.3f} over rho")
            elif row.where["what"] == "least coverage":
                least = min(one.least for one in many)
                what = {**row.where, "what": "least coverage, any rho"}
                yield replace(row, where=what, ours=least)
            else:
                yield row


class Figure4(_TwoModels):
    """Difference: two models on the same cases."""

    number = 4
    groups: ClassVar = {method: (method, FIXED, "stratified") for method in _METHODS}
    percentiles: ClassVar = {
        design: Pair(TwoModels(*design, 0.6), FIXED, "exact", w=(0.01, 0.02)) for design in _DESIGNS
    }

    def cells(self) -> Iterator[Cell]:
        yield from super().cells()
        yield from self.percentiles.values()

    def rows(self, found: StudyResult) -> Iterator[Row]:
        for method in _METHODS:
            yield from _make_rows(self.coverage(found, method), method=method)
        for (theta, shift), cell in self.percentiles.items():
            for w, figure in zip(cell.w, Along.of(found, cell).figures, strict=True):
                where = {"theta": theta, "shift": shift, "method": "exact, rho = 0.6"}
                yield Row(where={**where, "what": "coverage", "w": w}, ours=figure, digits=3)

    def claims(self, found: StudyResult) -> Iterator[Claim]:
        plain = self.coverage(found, "gaussian")
        yield from _difference_claims(plain)
        yield _floor_claim(self.coverage(found, "mover"))
        exact = {design: Along.of(found, cell) for design, cell in self.percentiles.items()}
        # Both are judged on the same test sets; a hair's breadth apart is no better.
        worse = [
            along.at(w).value <= plain[design][RHOS.index(0.6)].at(w).value + 0.02
            for design, along in exact.items()
            for w in along.w
        ]
        yield judge_own(
            "percentiles of the exact bootstrap law do not mend the ends.",
            f"no better than gaussian limits in {sum(worse)} of {len(worse)} cases at w = .01 and "
            f".02; at .01 {list_values(along.at(0.01) for along in exact.values())}.",
            sum(worse) >= len(worse) - 1,
        )

    def notes(self, found: StudyResult) -> tuple[str, ...]:
        return (
            _DRAWN,
            f"{CONVENTION} For equal models (shift 0) such a point contains the true difference 0; "
            "counted as a hit it would make coverage there 1.",
            "Rows are means over rho = 0.3, 0.6, 0.9.",
            "The paper calls its abscissa 'total positive rate' when it discusses this figure; it "
            "is w.",
        )


def _difference_claims(plain: Coverage) -> Iterator[Claim]:
    mean = _pool(plain)
    breaks = [
        design
        for design, along in mean.items()
        if min(along.figures[:5] + along.figures[-5:]).high < GOOD
    ]
    low, high = ([mean[theta, shift].good_width for shift in _SHIFTS] for theta in (1.0, 3.0))
    ranges = [_list_ranges(mean[theta, shift] for shift in _SHIFTS) for theta in (1.0, 3.0)]
    inside, ends = _rho_effect(plain, mean)
    yield judge_claim(
        "Coverage breaks for very low and very high w.",
        f"in {len(breaks)} of 6 panels it falls under .85 within .05 of an end; not for "
        + (", ".join(f"theta {t:g} shift {s:g}" for t, s in _DESIGNS if (t, s) not in breaks))
        + ".",
        len(breaks) >= 5,
    )
    yield judge_claim(
        "A higher theta widens the range of good coverage.",
        f"at least .85 for w in {ranges[0]} (theta 1, shifts 0, 2, 4), {ranges[1]} (theta 3).",
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
        means = []
        for along in many:
            kept = [v for w, v in zip(along.w, along.values, strict=True) if start <= w <= end]
            means.append(sum(kept) / len(kept))
        inside.append(max(means) - min(means))
        last = [along.at(0.01).value for along in many]
        ends.append(max(last) - min(last))
    return max(inside), max(ends)


class Figure6(_TwoModels):
    """Full sampling: two models on cases with random class sizes."""

    number = 6
    groups: ClassVar = {
        "gaussian": ("gaussian", RANDOM, "full"),
        "mover": ("mover", RANDOM, "full"),
        "fixed": ("gaussian", FIXED, "full"),
        "stratified": ("gaussian", FIXED, "stratified"),
    }

    def rows(self, found: StudyResult) -> Iterator[Row]:
        for group, classes in (("gaussian", "random"), ("mover", "random"), ("fixed", "fixed")):
            where = {"class sizes": classes, "method": self.groups[group][0]}
            yield from _make_rows(self.coverage(found, group), **where)

    def claims(self, found: StudyResult) -> Iterator[Claim]:
        full, fixed, stratified = (
            _pool(self.coverage(found, group)) for group in ("gaussian", "fixed", "stratified")
        )
        apart = max(abs(full[at].median - stratified[at].median) for at in _DESIGNS)
        yield judge_claim(
            "Stratified and full sampling perform equally well for differences.",
            f"median coverage over w differs by at most {apart:.3f} between them; good ranges "
            f"{_list_ranges(full.values())} against {_list_ranges(stratified.values())}.",
            apart < 0.015,
        )
        most, random = (max(along.median for along in one.values()) for one in (fixed, full))
        yield judge_own(
            "with fixed class sizes, limits for full sampling cover a little much.",
            f"median coverage up to {most:.3f}, with random class sizes up to {random:.3f}.",
            most > random,
        )
        yield _floor_claim(self.coverage(found, "mover"))

    def notes(self, found: StudyResult) -> tuple[str, ...]:
        mover = self.coverage(found, "mover")
        least = min(along.least.value for many in mover.values() for along in many)
        return (
            *(_DRAWN, CONVENTION),
            "Rows are means over rho = 0.3, 0.6, 0.9. Class sizes and costs as for Figure 5.",
            f"The least coverage of MOVER is {least:.3f}.",
        )


FIGURES: tuple[_Experiment, ...] = (Figure2(), Figure3(), Figure4(), Figure5(), Figure6())


class AllFigures(PaperStudy[StudyResult]):
    """All experiments of the paper by one command: spread, size, difference, full sampling."""

    name = "dugas-2009"
    paper = f"{PAPER}, Figures 2 to 6"
    title = "All experiments: spread, size, difference, full sampling"
    picture = Picture(
        *("w", ("method", "class sizes")), ("figure", "theta", "shift", "n of each class"), LEVEL
    )

    def plan(self, scale: Scale, seed: int, data: DataSource | None) -> Study:
        times = 400 if scale == "quick" else 2000  # as often as the paper or more often

        def often(cell: Cell) -> int:
            if cell.exact:
                return 1
            return 1000 if isinstance(cell, OneModel) and scale == "quick" else times

        cells = dict.fromkeys(cell for figure in FIGURES for cell in figure.cells())
        return Study(self.name, tuple(cells), often, block=100, seed=seed)

    def read(self, found: StudyResult, scale: Scale) -> StudyResult:
        return found

    def rows(self, figures: StudyResult) -> Iterator[Row]:
        for figure in FIGURES:
            for row in figure.rows(figures):
                yield replace(row, where={"figure": figure.number, **row.where})

    def claims(self, figures: StudyResult) -> Iterator[Claim]:
        for figure in FIGURES:
            for claim in figure.claims(figures):
                yield replace(claim, item=f"Figure {figure.number}")

    def notes(self, figures: StudyResult) -> Iterator[str]:
        yield from dict.fromkeys(note for figure in FIGURES for note in figure.notes(figures))
