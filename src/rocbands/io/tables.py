"""Tables as HTML for notebooks, Markdown and CSV; `io.layout` has text, `io.latex` LaTeX.

Numbers are formatted by :func:`format_column`, the same way within a column.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np


def format_value(value: Any) -> str:
    """Format one value: four decimals, or two significant digits for smaller numbers.

    Examples
    --------
    >>> [format_value(x) for x in (0.25, 12345.678, 0.00012345, 3.2e-12, 7, math.nan, "old")]
    ['0.2500', '12345.7', '0.00012', '3.2e-12', '7', '-', 'old']
    """
    if value is None:
        return ""
    if _is_nan(value):
        return "-"
    if not _is_float(value):
        return str(value)
    number = float(value)
    if 1e4 <= abs(number) < math.inf:
        return f"{number:.6g}"
    if 0.0 < abs(number) < 5e-4:
        return f"{number:.2g}" if abs(number) >= 1e-4 else f"{number:.1e}"
    return f"{number:.4f}"


MOST_COLUMNS = 8  # of a table that is easy to read
_NOISE = 1e-12  # rounding error of zero
_FINEST = 1e-5  # smaller numbers would need mostly zeros


def format_column(name: str, column: Any, digits: int | None = None) -> list[str]:
    """Write the cells of a column, floats with the same number of decimals.

    That number is `digits`; by default 4, or as many as the smallest number needs, up to 6.
    P-values and thresholds are formatted individually, because small numbers matter.

    Examples
    --------
    >>> format_column("difference", [0.1023, -0.00012, 3e-18])
    ['0.10230', '-0.00012', '0.00000']
    >>> format_column("pvalue", [0.25, 3e-18]), format_column("cost", [20000.0, 1000.0])
    (['0.2500', '3.0e-18'], ['20000', '1000'])
    """
    floats = [float(x) for x in column if _is_float(x) and math.isfinite(x)]
    alone = "pvalue" in name or "threshold" in name
    if all(abs(x) <= _NOISE for x in floats) or (digits is None and alone):
        return [format_value(x if alone or not _is_noise(x) else 0.0) for x in column]
    if digits is None and max(map(abs, floats)) < _FINEST:
        return [f"{x:.3g}" if _is_float(x) else format_value(x) for x in column]
    digits = _choose_digits(floats) if digits is None else digits
    texts = [_write_decimals(value, digits) for value in column]
    if "pvalue" in name:  # of which none is 0
        return [t if t.strip("0.") else format_value(x) for t, x in zip(texts, column, strict=True)]
    return texts


def _choose_digits(floats: Sequence[float]) -> int:
    """Choose the number of decimals of a column."""
    sizes = [abs(x) for x in floats if abs(x) > _NOISE]
    most = max(sizes)
    if most >= 1e3 and all(x.is_integer() for x in floats):
        return 0
    if most >= 100.0:
        return max(0, 5 - math.floor(math.log10(most)))
    # Numbers too small for four decimals.
    hidden = [x for x in sizes if _FINEST <= x < 5e-4 and abs(round(x, 4) - x) > _NOISE]
    return 1 - math.floor(math.log10(min(hidden))) if hidden else 4


def _is_float(value: Any) -> bool:
    return isinstance(value, (float, np.floating)) and not math.isnan(value)


def _is_nan(value: Any) -> bool:
    return isinstance(value, (float, np.floating)) and math.isnan(value)


def _is_noise(value: Any) -> bool:
    return _is_float(value) and 0.0 < abs(float(value)) <= _NOISE


def _write_decimals(value: Any, digits: int) -> str:
    if not _is_float(value):
        return format_value(value)
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if not text.strip("-0.") else text  # no minus before zero


def is_number(column: Any) -> bool:
    """Tell whether a column contains numbers, written or not, which are right-aligned."""
    known = [value for value in column if value is not None and value != ""]
    if known and all(isinstance(value, str) for value in known):
        return all(map(_WRITTEN.fullmatch, known)) and any("." in value for value in known)
    return bool(known) and np.asarray(known).dtype.kind in "iuf"


_WRITTEN = re.compile(r"-?\d+(\.\d+)?")


def format_rows(columns: Mapping[str, Any], digits: int | None = None) -> list[tuple[str, ...]]:
    """Return the rows of a table, with cells for people."""
    cells = (format_column(name, part, digits) for name, part in columns.items())
    return list(zip(*cells, strict=True))


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
    rule = ["--:" if is_number(column) else "---" for column in columns.values()]
    rows = [tuple(columns), *format_rows(columns)]
    head, *body = [f"| {' | '.join(markdown_text(text) for text in row)} |" for row in rows]
    return "\n".join([head, f"|{'|'.join(rule)}|", *body])


def markdown_page(above: str, columns: Mapping[str, Any], below: str = "", title: str = "") -> str:
    """Lay out a heading, text, a table and more text in Markdown."""
    texts = ["\n".join(map(markdown_text, text.splitlines())) for text in (above, below)]
    head = f"### {markdown_text(title)}" if title else ""
    return "\n\n".join(filter(None, (head, texts[0], markdown_table(columns), texts[1])))


# Characters with a meaning in Markdown. An underscore inside a word has none.
_MARKS = re.compile(r"[\\`*<|\[\]]|(?<![^\W_])_|_(?![^\W_])")


def markdown_text(text: str) -> str:
    r"""Escape `text` for Markdown, in one line.

    Examples
    --------
    >>> print(markdown_text("*new*_ a_b <i>"))
    \*new\*\_ a_b \<i>
    """
    return _MARKS.sub(lambda mark: f"\\{mark[0]}", " ".join(text.splitlines()))


def csv_table(columns: Mapping[str, Any], *, escape_formulas: bool = False) -> str:
    r"""Write columns as CSV, numbers with all digits; missing values are empty.

    With `escape_formulas`, text that a spreadsheet would evaluate gets a leading apostrophe.

    Examples
    --------
    >>> csv_table({"model": ["a,b", None], "auc": [0.1, float("inf")]})
    'model,auc\n"a,b",0.1\n,inf\n'
    >>> csv_table({"model": ["=1+1"], "change": [-0.5]}, escape_formulas=True)
    "model,change\n'=1+1,-0.5\n"
    """

    def write(value: Any) -> str:
        risky = escape_formulas and isinstance(value, str)
        return escape_formula(value) if risky else _write_exactly(value)

    cells = (map(write, part) for part in columns.values())
    rows = [tuple(map(write, columns)), *zip(*cells, strict=True)]
    return "".join(f"{','.join(map(_quote, row)) or _EMPTY}\n" for row in rows)


def escape_formula(text: str) -> str:
    """Put an apostrophe before text that a spreadsheet would evaluate."""
    return f"'{text}" if _FORMULA.match(text) else text


_FORMULA = re.compile(r"[\s\0]*[=+\-@]|[\t\r\n\0]")  # start of cells that spreadsheets evaluate
_EMPTY = '""'  # for a row with a single empty cell: an empty line would not be a row
_PARTING = re.compile('[",\r\n]')


def _quote(text: str) -> str:
    # Not by csv.writer: before Python 3.13 it does not quote carriage returns, which end a row.
    return '"' + text.replace('"', '""') + '"' if _PARTING.search(text) else text


def _write_exactly(value: Any) -> str:
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or _is_nan(value):
        return ""
    return repr(value) if isinstance(value, float) else str(value)


_NUMBER, _SHORT = ' class="rocbands-number"', ' class="rocbands-short"'
_LONG_CELL = 32  # characters of a cell that may be broken
# Colours come from the notebook, light or dark: text and lines are shades of its own text colour.
_STYLE = (
    "<style>"
    ".rocbands-result p{margin:0 0 .3em;max-width:60em}"
    ".rocbands-result p.rocbands-more{font-size:.9em;opacity:.85}"
    ".rocbands-result table{border-collapse:collapse;margin:.4em 0;border:0;"
    "font-variant-numeric:tabular-nums}"
    # Notebooks right-align all cells by more specific rules.
    ".rocbands-result th,.rocbands-result td{padding:.2em .7em;border:0;"
    "text-align:left!important;background:none;color:inherit}"
    ".rocbands-result thead th{border-bottom:1px solid currentColor}"
    ".rocbands-result .rocbands-number{text-align:right!important}"
    ".rocbands-result .rocbands-number,.rocbands-result .rocbands-short{white-space:nowrap}"
    ".rocbands-result details{font-size:.9em;opacity:.85;max-width:60em}"
    ".rocbands-result summary{cursor:pointer}"
    ".rocbands-result .rocbands-sketch{float:right;width:15em;height:auto;margin:0 0 .5em 1em}"
    "</style>"
)


def html_table(above: str, columns: Mapping[str, Any], below: str = "", picture: str = "") -> str:
    """Lay out the answer, a picture, columns and statistics, in the colours of the notebook.

    Of more than `MOST_COLUMNS`, limits follow the estimates; if there still are too many, each
    column becomes a row. Without statistics `below`, all lines but the first are notes.
    """
    lines = [escape(line) for line in above.splitlines()] or [""]
    bold, more = (lines, []) if below else (lines[:1], lines[1:])
    folded = "<br>".join(escape(line) for line in below.splitlines())
    return (
        f'<div class="rocbands-result">{_STYLE}<p><strong>{"<br>".join(bold)}</strong></p>{picture}'
        + (f'<p class="rocbands-more">{"<br>".join(more)}</p>' if more else "")
        + f"<table>{_html_rows(columns)}</table>"
        + (f"<details><summary>Method and notes</summary>{folded}</details>" if folded else "")
        + "</div>"
    )


def _html_rows(columns: Mapping[str, Any]) -> str:
    """Write a head and rows, or rows that begin with their names."""
    if len(columns) > MOST_COLUMNS:
        columns = join_limits(columns)
    rows = format_rows(columns)
    numbers = [is_number(column) for column in columns.values()]

    def write(row: Sequence[str], right: Sequence[bool]) -> str:
        kinds = [
            _NUMBER if number else _SHORT if len(cell) < _LONG_CELL else ""
            for cell, number in zip(row, right, strict=True)
        ]
        cells = (f"<td{kind}>{escape(cell)}</td>" for cell, kind in zip(row, kinds, strict=True))
        return "".join(cells)

    if len(columns) > MOST_COLUMNS > len(rows) > 0:
        left = [False] * len(rows)
        lines = (
            f'<tr><th scope="row">{escape(name)}</th>{write(row, left)}</tr>'
            for name, row in zip(columns, zip(*rows, strict=True), strict=True)
        )
        return f"<tbody>{''.join(lines)}</tbody>"
    head = "".join(
        f'<th scope="col"{_NUMBER if number else ""}>{escape(name)}</th>'
        for name, number in zip(columns, numbers, strict=True)
    )
    body = (f"<tr>{write(row, numbers)}</tr>" for row in rows)
    return f"<thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody>"


def join_limits(columns: Mapping[str, Any], digits: int | None = None) -> dict[str, Any]:
    """Join estimates and their limits into one column.

    Examples
    --------
    >>> join_limits({"fpr": [0.1], "lower": [0.5], "tpr": [0.6], "upper": [0.75]}, 2)
    {'fpr': [0.1], 'tpr': ['0.60 (0.50, 0.75)']}
    """
    joined = dict(columns)
    names = list(columns)
    ends = (("low", "high"), ("lower", "upper"))
    pairs = [
        (start + low, start + high)
        for start in ("", *(f"{n}_" for n in names))
        for low, high in ends
    ]
    for low, high in (pair for pair in pairs if set(pair) <= set(names)):
        first, last = names.index(low), names.index(high)
        own = low.rpartition("_")[0]
        middle = own or names[first + 1 if last == first + 2 else first - 1]
        triple = [columns[name] for name in (middle, low, high)]
        flat = format_column(middle, [x for part in triple for x in part], digits)
        size = len(triple[0])
        joined[middle] = [
            f"{flat[i]} ({flat[i + size]}, {flat[i + 2 * size]})" if flat[i + size] else flat[i]
            for i in range(size)
        ]
        del joined[low], joined[high]
    return joined
