"""The figures of a study, with their confidence intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from rocbands.core.attributes import Count
from rocbands.core.result import Result
from rocbands.errors import InputError
from rocbands_studies.measurements import Cell, name_cell
from rocbands_studies.spec import Study
from rocbands_studies.store import Store, Sums

_LEVEL = 0.95
_NO_SPREAD = 1e-6  # width of an interval that is 0 up to rounding
_SCREEN = 60  # rows that are printed at most


class Figure(NamedTuple):
    """A measured number with its 0.95 interval; `n` replicates."""

    value: float
    low: float
    high: float
    n: int


def _judge_exact(total: float, squares: float, n: int) -> Figure:
    """Return a figure without sampling error: nothing was drawn."""
    return Figure(total / n, total / n, total / n, n)


def _judge_share(count: float, squares: float, n: int) -> Figure:
    """Exact binomial interval (Clopper and Pearson)."""
    from rocbands._math.binomial import clopper_pearson_limits

    low, high = clopper_pearson_limits(count, n, _LEVEL)
    return Figure(count / n, float(low), float(high), n)


def _judge_mean(total: float, squares: float, n: int) -> Figure:
    """Mean with Student's interval."""
    from scipy.special import stdtrit

    mean = total / n
    if n < 2:
        return Figure(mean, -math.inf, math.inf, n)
    # Standard error of the mean, with the sum of squares about it: sum x^2 - n mean^2.
    error = math.sqrt(max(squares / n - mean**2, 0.0) / (n - 1))
    half = float(stdtrit(n - 1, 0.5 + _LEVEL / 2)) * error
    return Figure(mean, mean - half, mean + half, n)


def _judge_fraction(total: float, squares: float, n: int) -> Figure:
    """Mean of numbers in [0, 1], with Student's interval cut there.

    If replicates do not differ, their standard deviation says nothing. No variable in [0, 1] has a
    larger variance than a Bernoulli variable of the same mean, so binomial limits are then safe.
    """
    mean, low, high, _ = _judge_mean(total, squares, n)
    if high - low < _NO_SPREAD or n < 2:
        count = round(total, 9)
        low = _judge_share(math.floor(count), 0.0, n).low
        high = _judge_share(math.ceil(count), 0.0, n).high
    return Figure(mean, max(low, 0.0), min(high, 1.0), n)


@dataclass(frozen=True)
class CellResult:
    """The figures of one cell.

    Attributes
    ----------
    cell : Cell
        The cell.
    n : int
        Replicates.
    figures : dict of str to Figure or list of Figure
        By name; a list along the cell's axis.
    seconds : float
        Spent on it.
    """

    cell: Cell
    n: int
    figures: Mapping[str, Figure | list[Figure]]
    seconds: float

    @classmethod
    def of(cls, cell: Cell, parts: Iterable[Sums], seconds: float) -> CellResult:
        """Sum over the blocks of a cell."""
        sums = list(parts)
        n = sum(part.n for part in sums)
        _check_same_figures(cell, sums)
        figures: dict[str, Figure | list[Figure]] = {}
        for name in sums[0].total:
            total: list[Any] = [part.total[name] for part in sums]
            squares: list[Any] = [part.squares[name] for part in sums]
            judge = _choose_judge(cell, name)
            if isinstance(total[0], list):
                columns = zip(zip(*total, strict=True), zip(*squares, strict=True), strict=True)
                figures[name] = [judge(math.fsum(a), math.fsum(b), n) for a, b in columns]
            else:
                figures[name] = judge(math.fsum(total), math.fsum(squares), n)
        return cls(cell, n, figures, seconds)


def _choose_judge(cell: Cell, name: str) -> Callable[[float, float, int], Figure]:
    if cell.exact:
        return _judge_exact
    if name in cell.fractions:
        return _judge_fraction
    kind = name.partition(" ")[0]  # a name may end in the place that the figure is for
    return _judge_share if {name, kind} & {*cell.shares} else _judge_mean


def _check_same_figures(cell: Cell, parts: list[Sums]) -> None:
    """Refuse blocks of one cell with different figures, from before and after a code change."""
    kinds = {tuple(sorted(part.total)) for part in parts}
    if len(kinds) > 1:
        told = " and in others ".join(", ".join(names) for names in sorted(kinds))
        raise InputError(
            f"Not all blocks of the cell {name_cell(cell)} hold the same figures: in some {told}. "
            "The store was begun when the cell measured something else; choose another file."
        )


@dataclass(frozen=True, eq=False, repr=False)
class StudyResult(Result):
    """All figures of a study.

    Attributes
    ----------
    name : str
        Name of the study.
    seed : int
        Seed of its random streams.
    cells : tuple of CellResult
        In the order of the study.
    """

    schema: ClassVar[str] = "rocbands.study/2"
    FACTS: ClassVar[tuple[str, ...]] = ("name", "seed", "n_cells")

    name: str
    seed: int
    cells: tuple[CellResult, ...]

    @classmethod
    def of(cls, study: Study, store: Store) -> StudyResult:
        """Read the figures of a study from its store."""
        parts: dict[str, list[Sums]] = {}
        seconds: dict[str, float] = {}
        for _, block in study.blocks():
            record = store.records[block]
            parts.setdefault(block.cell, []).append(record.sums)
            seconds[block.cell] = seconds.get(block.cell, 0.0) + record.seconds
        cells = ((cell, cell.key) for cell in study.cells)
        return cls(
            study.name,
            study.seed,
            tuple(CellResult.of(cell, parts[key], seconds[key]) for cell, key in cells),
        )

    def figure(self, cell: Cell, name: str) -> Figure:
        """Return one figure of one cell."""
        found = self.of_cell(cell).figures.get(name)
        if not isinstance(found, Figure):
            raise InputError(
                f"{name!r} is not a single figure of this cell; it has "
                f"{', '.join(self.of_cell(cell).figures)}."
            )
        return found

    def along(self, cell: Cell, name: str) -> list[Figure]:
        """Return the figures of one cell along its axis."""
        found = self.of_cell(cell).figures.get(name)
        if not isinstance(found, list):
            raise InputError(f"{name!r} is not measured along an axis in this cell.")
        return found

    def of_cell(self, cell: Cell) -> CellResult:
        """Return all figures of one cell."""
        key = cell.key
        for found in self.cells:
            if found.cell.key == key:
                return found
        raise InputError(f"The study {self.name!r} has no cell {name_cell(cell)}.")

    @property
    def seconds(self) -> float:
        """Time spent by all workers together."""
        return math.fsum(found.seconds for found in self.cells)

    @property
    def n_cells(self) -> Count:
        """Number of cells."""
        return len(self.cells)

    def columns(self) -> Mapping[str, Any]:
        return _make_table(row for found in self.cells for row in _list_rows(found))

    def _brief(self) -> str:
        cells = f"{len(self.cells)} cell{'s' * (len(self.cells) != 1)}"
        return f"{self.name}, {cells}, seed {self.seed}"

    @property
    def sentence(self) -> str:
        """What was measured, and how often."""
        n = {found.n for found in self.cells}
        times = f"{min(n)}" if len(n) == 1 else f"{min(n)} to {max(n)}"
        return f"{self.name}: {len(self.cells)} cells, each measured {times} times."

    def describe(self) -> tuple[str, Mapping[str, Any]]:
        rows = [_make_row(found) for found in self.cells]
        lines = [
            f"Seed {self.seed}. 0.95 intervals: exact binomial for shares, Student's t for means."
        ]
        if len(rows) > _SCREEN:
            lines.append(f"The first {_SCREEN} rows; to_frame() has all.")
        return "\n".join(lines), _make_table(rows[:_SCREEN])


def _list_rows(found: CellResult) -> Iterable[dict[str, object]]:
    for name, figures in found.figures.items():
        points: Iterable[tuple[float | None, Figure]]
        if isinstance(figures, list):
            points = zip(found.cell.points, figures, strict=True)
        else:
            points = [(None, figures)]
        for at, figure in points:
            yield {**found.cell.facts(), "figure": name, "at": at, **figure._asdict()}


def _make_row(found: CellResult) -> dict[str, object]:
    row = dict(found.cell.facts())
    first = True
    for name, figure in found.figures.items():
        if isinstance(figure, list):
            continue
        row[name] = figure.value
        if first:  # the main figure is shown with its interval
            row["low"], row["high"] = figure.low, figure.high
            first = False
    return row


def _make_table(rows: Iterable[Mapping[str, object]]) -> dict[str, list[object]]:
    """Columns of rows that need not all have the same names."""
    listed = list(rows)
    names = dict.fromkeys(name for row in listed for name in row)
    return {name: [row.get(name) for row in listed] for name in names}
