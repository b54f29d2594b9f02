"""Text of results for terminals, pipes and `print`: the answer, its table, and the statistics.

Cells with numbers are never broken: a table that is too wide is turned upright, or its columns are
split into blocks.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Container, Mapping
from textwrap import indent, wrap
from typing import Any, NamedTuple

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from rocbands.io.tables import MOST_COLUMNS, format_column, is_number, join_limits

_NARROWEST = 40  # columns of a terminal that text is made for
_WIDEST = 100  # characters of a line that is easy to read
_GAP = 2  # characters between columns
_MOST_LINES = 3  # of a cell with text
_ENDLESS = 1_000_000
_INTERVAL = re.compile(r"-?[\d.]+ \([-\d., ]+\)")  # a number with its limits, which stay together
_LIMITS = re.compile(r"\([^()\s]+ to [^()\s]+\)")  # as in "69 of 100 positives (60 to 77)"
_FIXED = "\u00a0"  # a space at which lines are not broken


def find_width(otherwise: int | None) -> int | None:
    """Return the width that text may have: COLUMNS, or the terminal's; `otherwise` without one."""
    given = os.environ.get("COLUMNS", "")
    terminal = sys.stdout is not None and sys.stdout.isatty()  # None: a closed stream
    if (given.isdigit() and int(given) > 0) or terminal:
        return max(shutil.get_terminal_size().columns, _NARROWEST)
    return otherwise


def lay_out(above: str, rows: Mapping[str, Any], below: str, width: int | None = None) -> str:
    """Lay out text, a table, and more text; by default without a limit of the width."""
    parts = wrap_text(above, width), fit_table(rows, width), wrap_text(below, width)
    return "\n\n".join(part for part in parts if part)


def wrap_text(text: str, width: int | None) -> str:
    """Break long lines between words; words with hyphens and limits in brackets stay whole."""
    if width is None:
        return text
    room = min(width, _WIDEST)
    joined = _LIMITS.sub(lambda found: found[0].replace(" ", _FIXED), text)
    lines = (wrap(line, room, break_on_hyphens=False) or [""] for line in joined.splitlines())
    return "\n".join(part for parts in lines for part in parts).replace(_FIXED, " ")


def fit_table(columns: Mapping[str, Any], width: int | None = None) -> str:
    """Lay out columns as aligned text that is no wider than `width`, numbers to the right.

    If a table is too wide, or has more than `MOST_COLUMNS`, limits are put behind their estimates;
    if that is not enough, the table is transposed. If it still is too wide, named rows of numbers
    or single words stay rows: heads are broken between words, and columns split into blocks below
    each other. Other rows become lines of name and value.

    Examples
    --------
    >>> print(fit_table({"model": ["old", "new"], "auc": [0.71234, 0.8]}))
    model     auc
    old    0.7123
    new    0.8000
    >>> wide = {"model": ["old"], "auc": [0.71234], "auc_lower": [0.65], "auc_upper": [0.75]}
    >>> print(fit_table({**wide, "pvalue": [0.0123]}, 32))
    model   old
    auc     0.7123 (0.6500, 0.7500)
    pvalue  0.0123
    >>> rows = {"model": ["old", "new"], "AUC": ["0.71 (0.65, 0.75)", "0.72 (0.66, 0.77)"]}
    >>> print(fit_table({**rows, "Brier score": ["0.15 (0.11, 0.19)", "0.14 (0.10, 0.18)"]}, 35))
    model  AUC
    old    0.71 (0.65, 0.75)
    new    0.72 (0.66, 0.77)
    <BLANKLINE>
    model  Brier score
    old    0.15 (0.11, 0.19)
    new    0.14 (0.10, 0.18)
    """
    texts = {name for name, part in columns.items() if any(isinstance(x, str) for x in part)}
    plain, joined = (_Grid.of(part, texts) for part in (columns, join_limits(columns)))
    turned = joined.transpose()
    for grid in (plain, joined, turned):
        if grid.size <= MOST_COLUMNS and grid.fits(width):
            return grid.render(width)
    if turned.size > MOST_COLUMNS and joined.fits(width):  # many columns, and too many rows to turn
        return joined.render(width)
    blocks = joined.split(width) if joined.has_named_numbers else []
    if blocks and all(block.fits(width) for block in blocks):
        return "\n\n".join(block.render(width) for block in blocks)
    return "\n\n".join(turned.write_pair(at, width) for at in range(1, turned.size))


def write_record(facts: Mapping[str, Any], width: int | None = None) -> str:
    """Write names and values in lines, values below each other.

    Examples
    --------
    >>> print(write_record({"method": "delong", "level": 0.95}))
    method  delong
    level   0.9500
    """
    texts = {name for name, value in facts.items() if isinstance(value, str)}
    grid = _Grid.of({name: [value] for name, value in facts.items()}, texts)
    return grid.transpose().write_pair(1, width)


class _Cell(NamedTuple):
    """Text, and in how many lines it may be broken between words."""

    text: str
    lines: int = 1

    @property
    def least(self) -> int:
        """The least width of a column that contains it."""
        size = cell_len(self.text)
        words = size if self.lines == 1 else max(map(cell_len, self.text.split()), default=0)
        return max(words, -(-size // self.lines))


class _Grid(NamedTuple):
    """Cells in columns, of which some are numbers, aligned to the right."""

    columns: list[list[_Cell]]
    right: list[bool]

    @classmethod
    def of(cls, columns: Mapping[str, Any], texts: Container[str]) -> _Grid:
        """Write columns as cells, below their names; only those called `texts` may be broken."""
        cells = [
            [
                _Cell(name),
                *(
                    _Cell(
                        text, 1 if name not in texts or _INTERVAL.fullmatch(text) else _MOST_LINES
                    )
                    for text in format_column(name, part)
                ),
            ]
            for name, part in columns.items()
        ]
        return cls(cells, [is_number(part) for part in columns.values()])

    @property
    def size(self) -> int:
        """The number of columns."""
        return len(self.columns)

    def transpose(self) -> _Grid:
        """Exchange rows and columns."""
        rows = [list(row) for row in zip(*self.columns, strict=True)]
        return _Grid(rows, [False] * len(rows))

    @property
    def has_named_numbers(self) -> bool:
        """Tell whether there are several rows of numbers, limits or single words, with names."""
        names, *others = self.columns
        known = [
            right
            or all(" " not in cell.text or _INTERVAL.fullmatch(cell.text) for cell in column[1:])
            for column, right in zip(others, self.right[1:], strict=True)
        ]
        named = not self.right[0] and not any(_INTERVAL.fullmatch(cell.text) for cell in names[1:])
        return len(names) > 2 and named and all(known)

    def split(self, width: int | None) -> list[_Grid]:
        """Split the columns into blocks that fit, with broken heads and the names in front."""
        names, *others = [
            _Grid([[head._replace(lines=_MOST_LINES), *cells]], [right])
            for (head, *cells), right in zip(self.columns, self.right, strict=True)
        ]
        blocks: list[_Grid] = []
        for column in others:
            if blocks and blocks[-1]._beside(column).fits(width):
                blocks[-1] = blocks[-1]._beside(column)
            else:
                blocks.append(names._beside(column))
        return blocks

    def _beside(self, other: _Grid) -> _Grid:
        return _Grid([*self.columns, *other.columns], [*self.right, *other.right])

    def fits(self, width: int | None) -> bool:
        """Tell whether text of this width has room for all cells that must not be broken."""
        return width is None or sum(self._least) + _GAP * (self.size - 1) <= width

    @property
    def _least(self) -> list[int]:
        """The least width of each column."""
        return [max(cell.least for cell in column) for column in self.columns]

    def _share_room(self, width: int | None) -> list[int]:
        """Return the widths of the columns: the widest that may be broken shrink until all fit."""
        least = self._least
        widths = [max(cell_len(cell.text) for cell in column) for column in self.columns]
        room = _ENDLESS if width is None else width - _GAP * (self.size - 1)
        while sum(widths) > room and widths != least:
            able = [at for at in range(self.size) if widths[at] > least[at]]
            widths[max(able, key=widths.__getitem__)] -= 1
        return widths

    def render(self, width: int | None) -> str:
        """Write the cells in lines; those that may be broken take what room is left."""
        table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), show_header=False)
        for room, right in zip(self._share_room(width), self.right, strict=True):
            table.add_column(justify="right" if right else "left", width=room, overflow="fold")
        for row in zip(*self.columns, strict=True):
            table.add_row(*(Text(cell.text, no_wrap=cell.lines == 1) for cell in row))
        console = Console(width=_ENDLESS, height=1, color_system=None, legacy_windows=False)
        lines = "".join(part.text for part in console.render(table)).splitlines()
        return "\n".join(line.rstrip() for line in lines)

    def write_pair(self, at: int, width: int | None) -> str:
        """Write the first column and another one: below each other if there is too little room."""
        names, cells = self.columns[0], self.columns[at]
        free = [cell if cell.lines == 1 else cell._replace(lines=_ENDLESS) for cell in cells]
        pair = _Grid([names, free], self.right[:2])
        if pair.fits(width):
            return pair.render(width)
        room = None if width is None else width - _GAP
        lines = []
        for name, cell in zip(names, free, strict=True):
            value = cell.text if cell.lines == 1 else wrap_text(cell.text, room)
            lines += [name.text, indent(value, " " * _GAP)]
        return "\n".join(lines)
