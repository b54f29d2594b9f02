"""Tables as text for terminals, HTML for notebooks, Markdown, LaTeX with booktabs, and CSV.

Numbers are formatted by :func:`format_column`, the same way within a column.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from html import escape
from textwrap import wrap
from typing import Any

import numpy as np


def format_value(value: Any) -> str:
    """Format one value: four decimals, or two significant digits for smaller numbers.

    Examples
    --------
    >>> [format_value(value) for value in (0.25, 12345.678, 0.00012345, 3.2e-12, 7, None, "old")]
    ['0.2500', '12345.7', '0.00012', '3.2e-12', '7', '', 'old']
    """
    if value is None:
        return ""
    if not _is_float(value):
        return str(value)
    number = float(value)
    if 1e4 <= abs(number) < math.inf:
        return f"{number:.6g}"
    if 0.0 < abs(number) < 5e-4:
        return f"{number:.2g}" if abs(number) >= 1e-4 else f"{number:.1e}"
    return f"{number:.4f}"


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
    return isinstance(value, (float, np.floating))


def _is_noise(value: Any) -> bool:
    return _is_float(value) and 0.0 < abs(float(value)) <= _NOISE


def _write_decimals(value: Any, digits: int) -> str:
    if not _is_float(value):
        return format_value(value)
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if not text.strip("-0.") else text  # no minus before zero


def is_number(column: Any) -> bool:
    """Tell whether a column contains numbers, which are right-aligned."""
    known = [value for value in column if value is not None]
    return bool(known) and np.asarray(known).dtype.kind in "iuf"


def format_rows(columns: Mapping[str, Any], digits: int | None = None) -> list[tuple[str, ...]]:
    """Return the rows of a table, with cells for people."""
    cells = (format_column(name, part, digits) for name, part in columns.items())
    return list(zip(*cells, strict=True))


def text_table(columns: Mapping[str, Any]) -> str:
    """Lay out columns as aligned text, numbers to the right.

    Examples
    --------
    >>> print(text_table({"model": ["old", "new"], "auc": [0.71234, 0.8]}))
    model     auc
    old    0.7123
    new    0.8000
    """
    rows = [tuple(columns), *format_rows(columns)]
    right = [is_number(column) for column in columns.values()]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    aligned = [
        [
            text.rjust(width) if side else text.ljust(width)
            for text, width, side in zip(row, widths, right, strict=True)
        ]
        for row in rows
    ]
    return "\n".join("  ".join(row).rstrip() for row in aligned)


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
        risky = escape_formulas and isinstance(value, str) and _FORMULA.match(value)
        return f"'{value}" if risky else _write_exactly(value)

    cells = (map(write, part) for part in columns.values())
    rows = [tuple(map(write, columns)), *zip(*cells, strict=True)]
    return "".join(f"{','.join(map(_quote, row)) or _EMPTY}\n" for row in rows)


_FORMULA = re.compile(r"[\s\0]*[=+\-@]|[\t\r\n\0]")  # start of cells that spreadsheets evaluate
_EMPTY = '""'  # for a row with a single empty cell: an empty line would not be a row
_PARTING = re.compile('[",\r\n]')


def _quote(text: str) -> str:
    # Not by csv.writer: before Python 3.13 it does not quote carriage returns, which end a row.
    return '"' + text.replace('"', '""') + '"' if _PARTING.search(text) else text


def _write_exactly(value: Any) -> str:
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return repr(value) if isinstance(value, float) else str(value)


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
    ".rocbands-result th{border-bottom:1px solid currentColor}"
    ".rocbands-result .rocbands-number{text-align:right!important}"
    ".rocbands-result .rocbands-sketch{float:right;width:15em;height:auto;margin:0 0 .5em 1em}"
    "</style>"
)


_WIDE, _HIGH, _SIDE = 300, 240, 34  # size of a sketch, and the margin for its numbers
_FEWEST = 8  # points that make a curve


def sketch_svg(title: str, band: Sequence[Any], heads: tuple[str, str]) -> str:
    """Draw a band as a small picture, in the colours of the notebook around it.

    `band`: abscissa, lower edge, curve and upper edge. `heads`: what the axes are called.
    """
    columns = [np.asarray(part, np.float64) for part in band]
    fine = np.all([np.isfinite(part) for part in columns], axis=0)
    xs, low, middle, high = (part[fine] for part in columns)
    if xs.size < _FEWEST:
        return ""
    left, right = float(xs.min()), float(xs.max())
    bottom, top = min(0.0, float(low.min())), float(high.max())
    if left == right or bottom == top:
        return ""

    def path(across: Any, up: Any) -> str:
        u = _SIDE + (_WIDE - _SIDE - 8) * (across - left) / (right - left)
        v = _HIGH - _SIDE - (_HIGH - _SIDE - 20) * (up - bottom) / (top - bottom)
        return " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(u, v, strict=True))

    around = path(np.append(xs, xs[::-1]), np.append(high, low[::-1]))
    frame = path(np.array([left, left, right]), np.array([top, bottom, bottom]))
    words = (
        (_SIDE, _HIGH - 20, "start", f"{left:.3g}"),
        (_WIDE - 8, _HIGH - 20, "end", f"{right:.3g}"),
        ((_SIDE + _WIDE) / 2, _HIGH - 8, "middle", heads[0]),
        (_SIDE - 4, _HIGH - _SIDE, "end", f"{bottom:.3g}"),
        (_SIDE - 4, 26, "end", f"{top:.3g}"),
        (_SIDE - 4, 12, "start", heads[1]),
    )
    texts = "".join(
        f'<text x="{a:g}" y="{b:g}" text-anchor="{where}" font-size="11" fill="currentColor">'
        f"{escape(text)}</text>"
        for a, b, where, text in words
    )
    return (
        f'<svg class="rocbands-sketch" viewBox="0 0 {_WIDE} {_HIGH}" role="img" '
        f'aria-label="{escape(title)}"><polygon points="{around}" fill="#0072b2" '
        f'fill-opacity=".25"/><polyline points="{path(xs, middle)}" fill="none" stroke="#0072b2" '
        f'stroke-width="1.8"/><polyline points="{frame}" fill="none" stroke="currentColor" '
        f'stroke-opacity=".6"/>{texts}</svg>'
    )


def html_table(sentence: str, columns: Mapping[str, Any], picture: str = "") -> str:
    """Lay out a sentence, a picture and columns as HTML, in the colours of the notebook."""
    first, *others = sentence.splitlines() or [""]
    more = "<br>".join(escape(line) for line in others)
    kinds = [' class="rocbands-number"' if is_number(column) else "" for column in columns.values()]

    def write(tag: str, end: str, row: Sequence[str]) -> str:
        cells = (f"<{tag}{k}>{escape(cell)}</{end}>" for cell, k in zip(row, kinds, strict=True))
        return f"<tr>{''.join(cells)}</tr>"

    head = write('th scope="col"', "th", tuple(columns))
    body = "".join(write("td", "td", row) for row in format_rows(columns))
    return (
        f'<div class="rocbands-result">{_STYLE}<p><strong>{escape(first)}</strong></p>{picture}'
        + (f'<p class="rocbands-more">{more}</p>' if more else "")
        + f"<table><thead>{head}</thead><tbody>{body}</tbody></table></div>"
    )


_ESCAPES = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
}
_POWER = re.compile(r"(.*)e([+-])0*(\d+)")


def latex_text(text: str) -> str:
    r"""Escape `text` for LaTeX, in one line.

    Examples
    --------
    >>> print(latex_text("50% of A_1 & {B}"))
    50\% of A\_1 \& \{B\}
    """
    return "".join(_ESCAPES.get(mark, mark) for mark in " ".join(text.splitlines()))


LATEX_STYLES = ("columns", "estimate (low, high)")
# Printed names of columns, where they differ from the attribute's name.
_HEADS = {
    **{name: name.upper() for name in ("auc", "tpr", "fpr", "fnr", "ppv", "npv")},
    "pvalue": "$p$-value",
    "raw_pvalue": "raw $p$-value",
    "n_pos": "positives",
    "n_neg": "negatives",
    "w": "$w$",
}


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


def latex_table(
    columns: Mapping[str, Any],
    *,
    comment: str = "",
    caption: str | None = None,
    label: str | None = None,
    digits: int | None = None,
    style: str = LATEX_STYLES[0],
) -> str:
    r"""Lay out columns as a LaTeX table with booktabs rules.

    With a caption (text, not LaTeX) or a label the table floats, and `comment` is a note below it;
    otherwise it is a bare tabular, and `comment` precedes it as a LaTeX comment. Underscores in
    names become spaces. Standard errors are omitted, because limits are given.

    Examples
    --------
    >>> print(latex_table({"model": ["A & B"], "auc": [0.71234]}, label="tab:auc"))
    \begin{table}
      \centering
      \label{tab:auc}
      \begin{tabular}{lr}
        \toprule
        model & AUC \\
        \midrule
        A \& B & 0.7123 \\
        \bottomrule
      \end{tabular}
    \end{table}
    """
    columns = {name: part for name, part in columns.items() if name != "standard_error"}
    if style != LATEX_STYLES[0]:
        columns = join_limits(columns, digits)
    places = "".join("r" if is_number(column) else "l" for column in columns.values())
    names = [_HEADS.get(name) or latex_text(name.replace("_", " ")) for name in columns]
    rows = [
        _latex_row([_latex_cell(*cell) for cell in zip(values, texts, strict=True)])
        for values, texts in zip(
            zip(*columns.values(), strict=True), format_rows(columns, digits), strict=True
        )
    ]
    inside = ["\\toprule", _latex_row(names), "\\midrule", *rows, "\\bottomrule"]
    table = [f"\\begin{{tabular}}{{{places}}}", *_indent(inside), "\\end{tabular}"]
    if caption is not None or label is not None:
        said = [] if caption is None else [f"\\caption{{{latex_text(caption)}}}"]
        said += [] if label is None else [f"\\label{{{label}}}"]
        note = f"\\par\\smallskip{{\\footnotesize {latex_text(comment)}\\par}}"
        body = _indent(["\\centering", *said, *table, *([note] if comment else [])])
        return "\n".join(["\\begin{table}", *body, "\\end{table}"])
    lines = (part for line in comment.splitlines() for part in wrap(line, 96))
    return "\n".join([*(f"% {line}" for line in lines), *table])


def _latex_row(cells: Sequence[str]) -> str:
    # A bracket or star after \\ would be read as its argument.
    guard = "{}" if cells[0].lstrip().startswith(("[", "(", "*")) else ""
    return f"{guard}{' & '.join(cells)} \\\\"


def _indent(lines: list[str]) -> list[str]:
    return [f"  {line}" for line in lines]


def _latex_cell(value: Any, text: str) -> str:
    if not isinstance(value, (int, float, np.number)) or isinstance(value, bool):
        return latex_text(text)
    if text.endswith("inf"):
        return f"${text.replace('inf', '')}\\infty$"
    power = _POWER.fullmatch(text)
    if power:
        sign = "-" if power[2] == "-" else ""
        return f"${power[1]} \\times 10^{{{sign}{power[3]}}}$"
    return f"${text}$" if text.startswith("-") else text
