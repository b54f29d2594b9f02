"""Write the table of functions and data into docs/methods.md, from the facts of the methods."""

from __future__ import annotations

from pathlib import Path

import rocbands as rb

PAGE = Path(__file__).parents[1] / "docs" / "methods.md"
START, END = "<!-- designs -->\n", "<!-- end of designs -->\n"


def design_table() -> str:
    """Return the table as Markdown."""
    columns = rb.methods().designs().columns()
    names = [name.replace("_", " ") for name in columns]
    lines = [f"| {' | '.join(names)} |", "|---" * len(names) + "|"]
    for question, function, *cells in zip(*columns.values(), strict=True):
        lines.append(f"| {question} | `{function}` | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def page() -> str:
    """Return the page with the table as it should be."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(START)
    _, _, after = rest.partition(END)
    return f"{before}{START}\n{design_table()}\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
