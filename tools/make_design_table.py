"""Write the table of functions and data into pages of docs, from the facts of the methods."""

from __future__ import annotations

from pathlib import Path

import rocbands as rb

_DOCS = Path(__file__).parents[1] / "docs"
PAGES = (_DOCS / "designs.md",)
START, END = "<!-- designs -->\n", "<!-- end of designs -->\n"


def design_table() -> str:
    """Return the table as Markdown."""
    columns = rb.methods().designs().describe()[1]
    names = [name.replace("_", " ") for name in columns]
    lines = [f"| {' | '.join(names)} |", "|---" * len(names) + "|"]
    for function, *cells in zip(*columns.values(), strict=True):
        name, comma, use = function.partition(", ")
        lines.append(f"| `{name}`{comma}{use} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def page(path: Path) -> str:
    """Return a page with the table as it should be."""
    before, _, rest = path.read_text(encoding="utf-8").partition(START)
    _, _, after = rest.partition(END)
    return f"{before}{START}\n{design_table()}\n{END}{after}"


if __name__ == "__main__":
    for path in PAGES:
        path.write_text(page(path), encoding="utf-8")
