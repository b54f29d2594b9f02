"""Reading measured coverage along w: where it is good, where it is least, and what to print."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rocbands.study.measurements import Cell
from rocbands.study.results import Figure, StudyResult
from rocbands.study.spec import Study
from rocbands_papers.dugas_2009.measurements import OneModel
from rocbands_papers.paper import Claim, Line, Panel, Row, Scale, judge_own

__all__ = [
    "CONVENTION",
    "DRAWN",
    "FLOOR",
    "GOOD",
    "PAPER",
    "Along",
    "draw_panel",
    "floor_claim",
    "list_values",
    "make_rows",
    "plan_cells",
]

PAPER = "Dugas and Gadoury 2009"
LEVEL = 0.9
GOOD = 0.85  # what is called near the level here
FLOOR = 0.86  # what MOVER must not fall under
_MANY = 4.2  # standard errors that the least of some two thousand figures may be off by chance
DRAWN = "The paper draws coverage and prints no number of it; its statements are judged."
CONVENTION = (
    "An interval of no width counts as a miss, whatever it contains: the paper calls coverage "
    "impossible there."
)


def _mean(figures: Iterable[Figure]) -> Figure:
    """Mean of independent figures."""
    many = list(figures)
    value = math.fsum(one.value for one in many) / len(many)
    below, above = (
        math.sqrt(math.fsum((one.value - one[end]) ** 2 for one in many)) / len(many)
        for end in (1, 2)
    )
    return Figure(value, value - below, value + above, sum(one.n for one in many))


@dataclass(frozen=True)
class Along:
    """Figures along w."""

    w: tuple[float, ...]
    figures: tuple[Figure, ...]

    @classmethod
    def of(cls, found: StudyResult, cell: Cell, name: str = "holds at") -> Along:
        """Figures of one cell."""
        return cls(cell.points, tuple(_read_along(found, cell, name)))

    @classmethod
    def mean(cls, many: Sequence[Along]) -> Along:
        """Mean of several cells, w by w."""
        columns = zip(*(one.figures for one in many), strict=True)
        return cls(many[0].w, tuple(_mean(column) for column in columns))

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
        start, end = self.good()
        return f"[{start.value:.2f}, {end.value:.2f}]"

    @property
    def good_width(self) -> float:
        """Length of the good range, to the step of w."""
        start, end = self.good()
        return round(end.value - start.value, 2)

    def line(self, label: str) -> Line:
        """Draw these figures."""
        low, high = (tuple(one[end] for one in self.figures) for end in (1, 2))
        noisy = any(one.low < one.high for one in self.figures)
        return Line(label, self.w, self.values, low if noisy else (), high if noisy else ())


def _range(w: Sequence[float], values: Sequence[float], least: float) -> tuple[float, float]:
    middle = len(w) // 2
    bad = [i for i, value in enumerate(values) if value < least]
    if middle in bad:
        return w[middle], w[middle]
    start = max((i + 1 for i in bad if i < middle), default=0)
    end = min((i - 1 for i in bad if i > middle), default=len(w) - 1)
    return w[start], w[end]


def _read_along(found: StudyResult, cell: Cell, name: str) -> list[Figure]:
    """Return the figures of one cell along w; cells are compared as they are, which is fast."""
    for one in found.cells:
        if one.cell == cell:
            figures = one.figures[name]
            return figures if isinstance(figures, list) else [figures]
    return found.along(cell, name)


def make_rows(
    where: Mapping[str, object],
    along: Along,
    at: Sequence[float] = (0.01, 0.05, 0.1, 0.5),
    *,
    good: bool = True,
) -> list[Row]:
    """Make rows of coverage at some w, of the least, and of the good range."""
    figures: dict[str, Figure] = {f"coverage at w = {w:g}": along.at(w) for w in at}
    figures["least coverage"] = along.least
    if good:
        figures |= dict(zip(("good from w", "good to w"), along.good(), strict=True))
    return [
        Row(where={**where, "what": what}, ours=figure, digits=3)
        for what, figure in figures.items()
    ]


def list_values(figures: Iterable[Figure]) -> str:
    """Write the values in a row."""
    return ", ".join(f"{one.value:.3f}" for one in figures)


def floor_claim(many: Sequence[Along], pooled: Sequence[Along] | None = None) -> Claim:
    """Judge whether MOVER keeps above its floor, and how much of its least figure is chance.

    The least of many noisy figures lies below the least true one. So a figure below the floor
    counts only if noise cannot explain it; means over designs (`pooled`) have less noise.
    """
    least = min((one.least for one in many), default=Figure(math.nan, 0.0, 0.0, 0))
    exact = least.low == least.high
    words = f"least {least.value:.3f} over {len(many)} designs and {len(many[0].w)} w"
    if exact:
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


def draw_panel(title: str, lines: Iterable[Line]) -> Panel:
    """Draw coverage along w."""
    return Panel(title, "operating condition w", "coverage", tuple(lines), target=LEVEL)


def plan_cells(name: str, cells: Iterable[Cell], scale: Scale, seed: int) -> Study:
    """Plan cells that draw nothing once, others as often as the paper or more often."""
    times = 400 if scale == "quick" else 2000

    def often(cell: Cell) -> int:
        if cell.exact:
            return 1
        return 1000 if isinstance(cell, OneModel) and scale == "quick" else times

    return Study(name, tuple(dict.fromkeys(cells)), often, block=100, seed=seed)
