"""Tables for people: aligned text for terminals, HTML for notebooks."""

from __future__ import annotations

import math
from collections.abc import Mapping
from html import escape
from typing import Any

import numpy as np

__all__ = ["html_table", "markdown_table", "text_table"]


def text_table(columns: Mapping[str, Any]) -> str:
    """Lay out columns as aligned text, numbers to the right.

    Examples
    --------
    >>> print(text_table({"model": ["old", "new"], "auc": [0.71234, 0.8]}))
    model     auc
    old    0.7123
    new    0.8000
    """
    cells = {name: [_cell(value) for value in column] for name, column in columns.items()}
    right = {name: _is_number(column) for name, column in columns.items()}
    widths = {name: max(map(len, [name, *body])) for name, body in cells.items()}
    rows = [list(cells), *(list(row) for row in zip(*cells.values(), strict=True))]
    lines = []
    for row in rows:
        parts = [
            text.rjust(widths[name]) if right[name] else text.ljust(widths[name])
            for name, text in zip(cells, row, strict=True)
        ]
        lines.append("  ".join(parts).rstrip())
    return "\n".join(lines)


def html_table(sentence: str, columns: Mapping[str, Any]) -> str:
    """Lay out a sentence and columns as HTML, in the notebook's own style."""
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    cells = zip(*([_cell(value) for value in column] for column in columns.values()), strict=True)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(text)}</td>" for text in row) + "</tr>" for row in cells
    )
    lines = "<br>".join(escape(line) for line in sentence.splitlines())
    return f"<p>{lines}</p><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def markdown_table(columns: Mapping[str, Any]) -> str:
    r"""Lay out columns as a table in Markdown, numbers to the right.

    Examples
    --------
    >>> print(markdown_table({"model": ["old", "a|b"], "auc": [0.71234, 0.8]}))
    | model | auc |
    |---|--:|
    | old | 0.7123 |
    | a\|b | 0.8000 |
    """
    rule = ["--:" if _is_number(column) else "---" for column in columns.values()]
    cells = zip(*([_cell(value) for value in column] for column in columns.values()), strict=True)
    rows = [[text.replace("|", "\\|") for text in row] for row in cells]
    head = [f"| {' | '.join(columns)} |", f"|{'|'.join(rule)}|"]
    return "\n".join([*head, *(f"| {' | '.join(row)} |" for row in rows)])


def _is_number(column: Any) -> bool:
    known = [value for value in column if value is not None]
    return bool(known) and np.asarray(known).dtype.kind in "iuf"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, (float, np.floating)):
        number = float(value)
        return f"{number:.6g}" if 1e4 <= abs(number) < math.inf else f"{number:.4f}"
    return str(value)
