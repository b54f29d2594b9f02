"""Text that fits the terminal: sentences are wrapped, and so are long names in tables."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any

import click

__all__ = ["bold", "fit_table", "is_plain", "lay_out", "terminal_width", "wrap_lines"]

_NARROWEST, _WIDEST = 40, 100  # characters: below tables are torn apart, above lines tire the eye
_NAME = 12  # characters to which a column of text may shrink
_GAP = 2  # between columns


def terminal_width() -> int:
    """Return the width that text should have: the terminal's, and 80 in a pipe."""
    return min(max(shutil.get_terminal_size((80, 24)).columns, _NARROWEST), _WIDEST)


def is_plain(stream: Any) -> bool:
    """Tell whether a stream wants text and nothing else: no colours, no bars."""
    return not stream.isatty() or os.environ.get("TERM") == "dumb"


def bold(text: str) -> str:
    """Make a heading stand out, where somebody sees it."""
    if is_plain(sys.stdout) or os.environ.get("NO_COLOR"):
        return text
    return click.style(text, bold=True)


def lay_out(title: str, sentence: str, rows: Mapping[str, Any]) -> str:
    """Lay out a heading, what there is to say, and a table."""
    head = "\n".join(bold(line) for line in wrap_lines(title))
    above = "\n".join(part for part in (head, *wrap_lines(sentence)) if part)
    return "\n\n".join(part for part in (above, fit_table(rows)) if part)


def wrap_lines(text: str) -> list[str]:
    """Break lines that are too long for the terminal."""
    width = terminal_width()
    return [
        part
        for line in text.splitlines()
        for part in wrap(line, width, break_on_hyphens=False) or [""]
    ]


def fit_table(columns: Mapping[str, Any]) -> str:
    """Lay out columns as text; what is too wide is wrapped, or continues below.

    Examples
    --------
    >>> print(fit_table({"model": ["old", "new"], "auc": [0.71234, 0.8]}))
    model     auc
    old    0.7123
    new    0.8000
    """
    from rocbands.io.tables import format_value, text_table

    room = terminal_width()
    texts = {
        name: [value for value in column if isinstance(value, str)]
        for name, column in columns.items()
        if any(isinstance(value, str) for value in column)
    }
    widths = {
        name: max(len(name), *(len(format_value(value)) for value in column))
        for name, column in columns.items()
    }
    # Between words if that is enough, for names should stay in one piece.
    words = {
        name: max(_NAME, *(len(word) for value in column for word in value.split() or [""]))
        for name, column in texts.items()
    }
    limits = _shrink(_shrink(widths, words, room), dict.fromkeys(texts, _NAME), room)
    blocks = (_break_cells(columns, part, limits) for part in _split_columns(limits, room))
    return "\n\n".join(text_table(block) for block in blocks)


def _shrink(widths: Mapping[str, int], least: Mapping[str, int], room: int) -> dict[str, int]:
    """Take from the widest column that can give, again and again, until the table fits."""
    limits = dict(widths)
    excess = sum(limits.values()) + _GAP * (len(limits) - 1) - room
    while excess > 0:
        givers = [name for name in least if limits[name] > max(least[name], len(name))]
        if not givers:
            break
        limits[max(givers, key=limits.__getitem__)] -= 1
        excess -= 1
    return limits


def _split_columns(widths: Mapping[str, int], room: int) -> Iterator[list[str]]:
    """Part the columns so that each part fits; all parts begin with the first column."""
    first, *others = widths
    block, used = [first], widths[first]
    for name in others:
        if used + _GAP + widths[name] > room and len(block) > 1:
            yield block
            block, used = [first], widths[first]
        block.append(name)
        used += _GAP + widths[name]
    yield block


def _break_cells(
    columns: Mapping[str, Any], names: Sequence[str], limits: Mapping[str, int]
) -> dict[str, list[Any]]:
    """Let cells that are too long go on in rows of their own."""
    table: dict[str, list[Any]] = {name: [] for name in names}
    for row in zip(*(columns[name] for name in names), strict=True):
        parts = [
            wrap(value, limits[name], break_on_hyphens=False) or [""]
            if isinstance(value, str)
            else [value]
            for name, value in zip(names, row, strict=True)
        ]
        for i in range(max(map(len, parts))):
            for name, part in zip(names, parts, strict=True):
                table[name].append(part[i] if i < len(part) else None)
    return table
