"""Measure how often statements hold, and write studies/docs/coverage*.md: ``make coverage``.

``python -m rocbands_studies.coverage [page ...]`` measures what is not yet in the stores
studies/stores/<page>.store.gz and writes the pages; ``--write`` only writes them; ``--quick`` measures each cell on 200 at most.
First every cell is measured on 200 data sets, then cells that seem to fall short on all that are
planned, then the others: a run that is stopped leaves pages with fewer data sets instead of gaps.
To measure a page again, delete its store.
``python -m rocbands_studies.coverage corners`` measures critical values at corners,
``python -m rocbands_studies.coverage ties`` those of tied scores.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from importlib.util import find_spec

from rocbands_studies import Cell, CellResult, Store, Study, run
from rocbands_studies.checkout import DOCS, find_store, pack_store, unpack_store
from rocbands_studies.coverage import corners, ties
from rocbands_studies.coverage.corner_designs import print_designs, print_future
from rocbands_studies.coverage.pages import PAGES, SCORES, find_page
from rocbands_studies.coverage.questions import CurveInRocci
from rocbands_studies.coverage.tables import Page, Section, holding, render
from rocbands_studies.spec import Block

SEED = 17
BLOCK, ALL = 200, 1_000_000


def plan(section: Section, most: int = ALL, cells: Sequence[Cell] = ()) -> Study:
    """The study of a section, or of some of its cells, with at most so many data sets a cell."""
    return Study(
        section.title,
        tuple(cells or section.cells),
        lambda cell: min(section.replicates(cell), most),
        BLOCK,
        SEED,
    )


def find_doubtful(section: Section, found: dict[int, CellResult]) -> list[Cell]:
    """Cells of a section that seem to be a point below a level; they deserve a closer look."""
    return [
        cell
        for cell in section.cells
        if section.named
        and any(
            one.value < level - 0.01
            for _, figures in holding(found[id(cell)])
            for one, level in zip(figures, cell.points, strict=True)
        )
    ]


def can_be_measured(cell: Cell) -> bool:
    """Tell whether the library that a cell asks is installed."""
    asked = getattr(cell, "statement", None)
    return not isinstance(asked, CurveInRocci) or find_spec("rocci") is not None


def load(page: Page) -> dict[int, CellResult]:
    """Figures of the cells that are measured, by identity of the cell."""
    kept = Store(find_store(page.name), SEED)
    found = {}
    for section in page.sections:
        blocks: dict[int, tuple[Cell, list[Block]]] = {}
        for cell, block in plan(section).blocks() if section.cells else ():
            if block in kept.records:
                blocks.setdefault(id(cell), (cell, []))[1].append(block)
        for key, (cell, done) in blocks.items():
            records = [kept.records[block] for block in done]
            seconds = sum(record.seconds for record in records)
            found[key] = CellResult.of(cell, [record.sums for record in records], seconds)
    return found


def write(page: Page) -> None:
    """Write the page; one that would lose a section, whose data are not there, stays as it is."""
    lost = [section.title for section in page.sections if not section.cells]
    if lost:
        print(
            f"studies/docs/{page.name}.md was not written: {', '.join(lost)} needs the files in {SCORES}. "
            "Set ROCBANDS_DATA to the folder that contains scores/.",
            file=sys.stderr,
        )
    else:
        (DOCS / f"{page.name}.md").write_text(render(page, load(page)), encoding="utf-8")


def main(arguments: list[str]) -> None:
    """Measure what is missing, then write the pages."""
    if arguments[:1] == ["corners"]:
        tables = corners.TABLES | {"future": print_future, "designs": print_designs}
        for name in arguments[1:] or tables:
            print(f"\n{name}\n")
            tables[name]()
        return
    if arguments[:1] == ["ties"]:
        ties.main(arguments[1:])
        return
    names = [name for name in arguments if not name.startswith("--")]
    pages = [find_page(name) for name in names or PAGES]
    workers = next((int(text[10:]) for text in arguments if text.startswith("--workers=")), None)
    turns = ("all",) if "--quick" in arguments else ("all", "doubtful", "rest")
    for turn in () if "--write" in arguments else turns:
        for page in pages:
            store = unpack_store(page.name)
            for section in filter(lambda section: section.cells, page.sections):
                begun = time.perf_counter()
                cells = [cell for cell in section.cells if can_be_measured(cell)]
                if turn == "doubtful":
                    cells = find_doubtful(section, load(page))
                if cells:
                    most = BLOCK if turn == "all" else ALL
                    run(plan(section, most, cells), workers=workers, store=store)
                spent = time.perf_counter() - begun
                print(f"{page.name}: {section.title}, {turn}, {spent:.0f} s", flush=True)
            write(page)
    for page in pages:
        pack_store(page.name)
        write(page)


if __name__ == "__main__":
    main(sys.argv[1:])
