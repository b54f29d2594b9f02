"""Measure how often statements hold, and write docs/coverage*.md: ``make coverage``.

``python -m tests.coverage [page ...]`` measures what is not yet in the stores docs/<page>.store and
writes the pages; ``--write`` only writes them. It goes round: first 200 data sets of every cell,
then more, so that a run that is stopped leaves pages with fewer data sets instead of gaps. To
measure a page again, delete its store.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from rocbands.study import Cell, CellResult, Store, Study, run
from rocbands.study.spec import Block
from tests.coverage.pages import PAGES, find_page
from tests.coverage.tables import Page, Section, render

DOCS = Path(__file__).parents[2] / "docs"
SEED = 17
BLOCK, ROUNDS = 200, (200, 400, 1000)


def plan(section: Section, most: int) -> Study:
    """The study of a section, with at most so many data sets a cell."""
    return Study(
        section.title, section.cells, lambda cell: min(section.replicates(cell), most), BLOCK, SEED
    )


def load(page: Page) -> dict[int, CellResult]:
    """Figures of the cells that are measured, by identity of the cell."""
    kept = Store(DOCS / f"{page.name}.store", SEED)
    found = {}
    for section in page.sections:
        blocks: dict[int, tuple[Cell, list[Block]]] = {}
        for cell, block in plan(section, ROUNDS[-1]).blocks() if section.cells else ():
            if block in kept.records:
                blocks.setdefault(id(cell), (cell, []))[1].append(block)
        for key, (cell, done) in blocks.items():
            records = [kept.records[block] for block in done]
            seconds = sum(record.seconds for record in records)
            found[key] = CellResult.of(cell, [record.sums for record in records], seconds)
    return found


def main(arguments: list[str]) -> None:
    """Measure what is missing, then write the pages."""
    names = [name for name in arguments if not name.startswith("--")]
    pages = [find_page(name) for name in names or PAGES]
    workers = next((int(text[10:]) for text in arguments if text.startswith("--workers=")), None)
    for most in () if "--write" in arguments else ROUNDS:
        for page in pages:
            for section in filter(lambda section: section.cells, page.sections):
                begun = time.perf_counter()
                run(plan(section, most), workers=workers, store=DOCS / f"{page.name}.store")
                spent = time.perf_counter() - begun
                print(f"{most} {page.name}: {section.title}, {spent:.0f} s", flush=True)
    for page in pages:
        (DOCS / f"{page.name}.md").write_text(render(page, load(page)), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
