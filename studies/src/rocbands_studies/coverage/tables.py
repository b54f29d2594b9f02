"""The figures of a study as a page of documentation."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from rocbands_studies import Cell, CellResult, Coverage, FixedClasses

NEAR = 0.025  # below the level: what a page calls short
FEW = 50  # cases of the rarer class from which on a cell that falls short is named
HOW = """The share of fresh data sets for which the statement is true, at the levels .95, .90 and .99, in this order, all three on the same data
sets. A figure with ! is more than 2.5 points below its level. The standard error of a share of .95 is .007 with 1,000 data sets, .011 with 400, .015 with 200, .022 with 100 and .034 with 40. Sizes are positives +
negatives; r is a number of rows of random class. Made by

```console
$ python -m rocbands_studies.coverage {name}
```

which is part of `make coverage` and goes on where it was stopped: what is measured is kept in `studies/stores/{name}.store.gz`. Every cell is measured on 200 data sets first, then those that seem to
be a point below a level on as many as planned, then the others.
"""


def head(name: str, title: str, words: str) -> str:
    return f"# {title}\n\n{words}\n\n{HOW.format(name=name)}"


def fixed(*sizes: tuple[int, int]) -> list[FixedClasses]:
    return [FixedClasses(*size) for size in sizes]


def cross(
    populations: Iterable[Any], classes: Iterable[Any], *statements: Any
) -> tuple[Coverage, ...]:
    """Each statement about each population at each size."""
    return tuple(
        Coverage(world, size, statement)
        for world, size, statement in product(populations, list(classes), statements)
    )


def fewer_if_large(usual: int, large: int, rows: int = 5000) -> Callable[[Any], int]:
    return lambda cell: large if sum(class_sizes(cell)) > rows else usual


@dataclass(frozen=True)
class Section:
    """A table: cells, how often each is measured, and how they are shown.

    With `places` the columns are the numbers that a statement has several of, otherwise sizes.
    `split` makes a table for each level, where columns are many. Cells of a section that is `named`
    are listed at the top of the page where they fall short.
    """

    title: str
    words: str
    cells: tuple[Cell, ...]
    sets: int | Callable[[Any], int] = 1000
    places: bool = False
    split: bool = False
    named: bool = False

    def replicates(self, cell: Any) -> int:
        return self.sets(cell) if callable(self.sets) else self.sets


@dataclass(frozen=True)
class Page:
    """A page of documentation, `studies/docs/<name>.md`, beside its store."""

    name: str
    head: str
    sections: tuple[Section, ...]


def render(page: Page, found: dict[int, CellResult]) -> str:
    """Write the page from the cells that are measured; `found` is by identity of the cell."""
    known = [
        (section, [found[id(cell)] for cell in section.cells if id(cell) in found])
        for section in page.sections
    ]
    known = [(section, cells) for section, cells in known if cells]
    parts = [page.head.strip()]
    lacking = sum(len(section.cells) for section in page.sections) - sum(len(c) for _, c in known)
    if lacking:
        parts.append(f"{lacking} cells have not been measured and are left out.")
    parts += [_summary(known), *_shortfalls(known)]
    for section, cells in known:
        sets = sorted({cell.n for cell in cells})
        count = f"{sets[0]:,}" if len(sets) == 1 else f"{sets[0]:,} to {sets[-1]:,}"
        words = f"{section.words} " if section.words else ""
        sets_said = "Exact." if cells[0].cell.exact else f"{count} data sets a cell."
        parts.append(f"## {section.title}\n\n{words}{sets_said}")
        levels = cells[0].cell.points
        for one in ((level,) for level in levels) if section.split else (levels,):
            if section.split:
                parts.append(f"Level {one[0]:g}:")
            parts.append(_table(section, cells, one))
    return "\n\n".join(parts) + "\n"


def holding(result: CellResult) -> Iterator[tuple[str, list[Any]]]:
    """Shares that hold, by place; the place is empty if there is one."""
    for name, figures in result.figures.items():
        if name.split(" ")[0] == "holds":
            yield name.removeprefix("holds").strip(), figures  # type: ignore[misc]


def find_short(result: CellResult) -> Iterator[tuple[str, float, float]]:
    """Place, level and share of what is more than 2.5 points below its level."""
    for place, figures in holding(result):
        for figure, level in zip(figures, result.cell.points, strict=True):
            if figure.value < level - NEAR:
                yield place, level, figure.value


def class_sizes(cell: Any) -> tuple[int, ...]:
    """Class sizes of a cell; the expected ones where they are random."""
    classes = cell.classes
    if hasattr(classes, "share"):
        n_pos = round(classes.n * classes.share)
        return n_pos, classes.n - n_pos
    return tuple(classes.sizes(None))


def method_of(cell: CellResult) -> str:
    """What tables call the method; how often it resamples is said on the page."""
    return re.sub(
        r" \(n_resamples=\d+\)|, n_resamples=\d+|n_resamples=\d+, ",
        "",
        str(cell.cell.facts()["statement"]),
    )


def _summary(known: list[tuple[Section, list[CellResult]]]) -> str:
    lines = ["| | method | figures | .95 | .90 | .99 |", "|---|---|---|---|---|---|"]
    for section, cells in known:
        for method in dict.fromkeys(map(method_of, cells)):
            mine = [cell for cell in cells if method_of(cell) == method]
            triples = [figures for cell in mine for _, figures in holding(cell)]
            texts = []
            for k, level in enumerate(mine[0].cell.points):
                shares = [figures[k].value for figures in triples]
                below = sum(share < level - NEAR for share in shares)
                texts.append(f"{min(shares):.3f} to {max(shares):.3f}; {below}")
            lines.append(f"| {section.title} | {method} | {len(triples)} | {' | '.join(texts)} |")
    return (
        "Lowest and highest share of each table, and the number of figures more than 2.5 points "
        "below the level:\n\n" + "\n".join(lines)
    )


def _shortfalls(known: list[tuple[Section, list[CellResult]]]) -> Iterator[str]:
    """Name what falls short with enough cases of both classes."""
    named = [(section, cell) for section, cells in known if section.named for cell in cells]
    if not named:
        return
    lines = []
    for section, cell in named:
        if min(class_sizes(cell.cell)) < FEW:
            continue
        facts = cell.cell.facts()
        short: dict[str, list[str]] = {}
        for place, level, share in find_short(cell):
            short.setdefault(place, []).append(f"{share:.3f} at {level:g}")
        for place, texts in short.items():
            where = f" at {place}" if place else ""
            lines.append(
                f"* {section.title}: {facts['population']}, {facts['size']}, "
                f"{method_of(cell)}{where}: {', '.join(texts)}"
            )
    titles = "; ".join(dict.fromkeys(section.title for section, _ in named))
    said = f"Cells with {FEW} cases or more of both classes that are more than 2.5 points below the level ({titles}): "
    yield "## What falls short\n\n" + (
        f"{said}\n\n" + "\n".join(lines) if lines else f"{said}none."
    )


def _table(section: Section, cells: list[CellResult], levels: Sequence[float]) -> str:
    several = len(set(map(method_of, cells))) > 1
    rows: dict[tuple[str, ...], dict[str, str]] = {}
    for cell in cells:
        facts = {name: str(value) for name, value in cell.cell.facts().items()}
        left = [facts["population"]] + [method_of(cell)] * several
        which = [cell.cell.points.index(level) for level in levels]
        for place, figures in holding(cell):
            column = place if section.places else facts["size"]
            where = (*left, facts["size"]) if section.places else tuple(left)
            rows.setdefault(where, {})[column] = _text(cell, place, figures, which)
    columns = list(dict.fromkeys(column for row in rows.values() for column in row))
    heads = ["population", *["method"] * several, *["size"] * section.places]
    lines = [
        "| " + " | ".join([*heads, *columns]) + " |",
        "|---" * (len(heads) + len(columns)) + "|",
    ]
    for left_side, row in rows.items():
        lines.append("| " + " | ".join([*left_side, *(row.get(c, "") for c in columns)]) + " |")
    return "\n".join(lines)


def _text(cell: CellResult, place: str, figures: Sequence[Any], which: Sequence[int]) -> str:
    """Shares at the levels asked for; area or width; how often the test rejects."""
    levels = cell.cell.points
    shares = [
        f"{figures[k].value:.3f}" + (" !" if figures[k].value < levels[k] - NEAR else "")
        for k in which
    ]
    text = ", ".join(shares)
    area, width = cell.figures.get("area"), cell.figures.get(f"width {place}".rstrip())
    if area and 0 in which:
        text += f" ({area.value:.3f})"  # type: ignore[union-attr]
    if width:
        text += f" ({width[which[0]].value:.3f})"  # type: ignore[index]
    if rejected := cell.figures.get("rejects"):
        text += "; " + ", ".join(f"{rejected[k].value:.3f}" for k in which)  # type: ignore[index]
    fitted: Any = cell.figures.get("fitted")
    if fitted and fitted.value < 1:
        text += f" / {1 - fitted.value:.3f}"
    return text
