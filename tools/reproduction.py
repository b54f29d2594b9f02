"""Measure every study of the papers in full and write docs/reproduction.md with its pictures.

    python -m tools.reproduction                      # all of them, going on where a run stopped
    python -m tools.reproduction macskassy-2005-table3
    python -m tools.reproduction --page               # only write the page, from what is there

Finished work is kept in out/studies, so that a run that was stopped goes on; the numbers go to
docs/studies. Real data come from the folder in ROCBANDS_DATA. The distribution rocbands-papers, in
papers/, must be installed.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from rocbands.errors import InputError
from rocbands.io.tables import markdown_table
from rocbands.plot import draw
from rocbands.study import run
from rocbands.study.catalog import find_study, list_studies
from rocbands_papers.paper import PaperResult

DOCS = Path("docs")
STORES = Path("out") / "studies"
NUMBERS = DOCS / "studies"
PICTURES = DOCS / "pictures" / "studies"
SEED = 1

HEAD = """# Reproduction

The tables and figures of the papers, measured again. Each line has the printed number, ours with
its 0.95 interval, and a verdict: *agrees* if the difference is no larger than the noise of both
numbers allows, *differs*, or *not comparable*. Above each table is the command that measures it
again; the figures are those of the full runs (`python -m tools.reproduction`), as JSON in
docs/studies.
"""


def measure(name: str) -> PaperResult:
    """Measure one study, or what is missing of it."""
    study = find_study(name)
    plan = study.plan("full", SEED, study.open_data(None, False))
    begun = said = time.monotonic()

    def tell(done: int, total: int) -> None:
        nonlocal said
        if time.monotonic() - said > 20 or done == total:
            said = time.monotonic()
            print(
                f"{name}: {done}/{total} blocks, {said - begun:.0f} s", file=sys.stderr, flush=True
            )

    found = run(plan, store=STORES / f"{name}.store", progress=tell)
    result = study.judge(found, "full")
    assert isinstance(result, PaperResult)
    return result


def section(result: PaperResult) -> str:
    """One study as Markdown, with its picture."""
    lines = [f"## {result.title}", f"*{result.paper}.* `{result.command}`"]
    if result.panels:
        PICTURES.mkdir(parents=True, exist_ok=True)
        figure = draw(result).figure
        figure.savefig(PICTURES / f"{result.name}.png", dpi=80)  # many panels: pages must load
        lines.append(f"![{result.title}](pictures/studies/{result.name}.png)")
    lines += [f"* **{c.verdict}**: {c.text} *{c.finding}*" for c in result.claims]
    lines += [f"* {note}" for note in result.notes]
    NUMBERS.mkdir(exist_ok=True)
    (NUMBERS / f"{result.name}.json").write_text(result.to_json(indent=1) + "\n", encoding="utf-8")
    sentence = result.summary()[0].splitlines()[1]
    lines += [sentence, markdown_table(result.columns())]
    return "\n\n".join(lines)


def main(asked: list[str]) -> None:
    """Measure what is asked for, then write the page of all that is finished."""
    page_only = "--page" in asked
    chosen = [name for name in asked if not name.startswith("-")] or [
        study.name for study in list_studies()
    ]
    for name in [] if page_only else chosen:
        measure(name)
    sections = []
    for name in (study.name for study in list_studies()):
        if (STORES / f"{name}.store").exists():
            try:
                sections.append(section(measure(name)))
            except InputError as problem:  # a data set is not there
                print(f"{name}: {problem}", file=sys.stderr)
    (DOCS / "reproduction.md").write_text("\n\n".join([HEAD, *sections]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
