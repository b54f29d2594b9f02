"""Tables in LaTeX with booktabs: at most eight columns, and a note with level and method."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

import numpy as np

from rocbands.errors import InputError
from rocbands.io.tables import MOST_COLUMNS, format_column, is_number, join_limits

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
    **{name: name.upper() for name in ("auc", "tpr", "fpr", "fnr", "ppv", "npv", "eer", "f1")},
    "pvalue": "$p$-value",
    "raw_pvalue": "raw $p$-value",
    "n_pos": "positives",
    "n_neg": "negatives",
    "lr_pos": "LR$+$",
    "lr_neg": "LR$-$",
    "w": "$w$",
}
_ENDS = {"_lower": "lower", "_upper": "upper", "_low": "low", "_high": "high"}


def latex_head(name: str) -> str:
    r"""Return the printed name of a column; one with the name of a model stays as it is.

    Examples
    --------
    >>> latex_head("ppv_lower"), latex_head("threshold_fpr"), latex_head("cost_per_1000")
    ('PPV lower', 'FPR of threshold', 'cost per 1000')
    >>> print(latex_head("AUC score_new"))
    AUC score\_new
    """
    if name in _HEADS or " " in name:
        return _HEADS.get(name) or latex_text(name)
    for end, word in _ENDS.items():
        if name.endswith(end):
            return f"{latex_head(name.removesuffix(end))} {word}"
    if name.startswith("threshold_") and not name[-1].isdigit():
        return f"{latex_head(name.removeprefix('threshold_'))} of threshold"
    return latex_text(name.replace("_", " "))


def latex_table(
    columns: Mapping[str, Any],
    *,
    answer: str = "",
    note: str = "",
    caption: str | None = None,
    label: str | None = None,
    digits: int | None = None,
    style: str | None = None,
    shown: Sequence[str] | None = None,
) -> str:
    r"""Lay out columns as a LaTeX table with booktabs rules, and a note below.

    With a caption (text, not LaTeX) or a label the table floats. `answer` precedes it as a comment.
    Standard errors are omitted, because limits are given, unless they are among those `shown`.
    By default limits follow their estimates in tables of more than `MOST_COLUMNS`; if there still
    are too many, the table is transposed, or with as many rows the last ones are left out.

    Examples
    --------
    >>> print(latex_table({"model": ["A & B"], "auc": [0.71234]}, label="tab:auc", note="95%."))
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
      \par\smallskip{\footnotesize 95\%.\par}
    \end{table}
    """
    columns = _choose_columns(columns, shown)
    if style == LATEX_STYLES[1] or (style is None and len(columns) > MOST_COLUMNS):
        columns = join_limits(columns, digits)
    places = ["r" if is_number(column) else "l" for column in columns.values()]
    cells = [
        [latex_head(name), *map(_latex_cell, column, format_column(name, column, digits))]
        for name, column in columns.items()
    ]
    rows = [list(row) for row in zip(*cells, strict=True)]
    if style is None and shown is None and len(cells) > MOST_COLUMNS:
        if len(rows) <= MOST_COLUMNS:
            rows, places = cells, ["l"] * len(rows)
        else:
            rows, places = [row[:MOST_COLUMNS] for row in rows], places[:MOST_COLUMNS]
            note = f"{note} Not shown: {', '.join(list(columns)[MOST_COLUMNS:])}."
    lines = [_latex_row(row) for row in rows]
    inside = ["\\toprule", lines[0], "\\midrule", *lines[1:], "\\bottomrule"]
    table = [f"\\begin{{tabular}}{{{''.join(places)}}}", *_indent(inside), "\\end{tabular}"]
    table += [f"\\par\\smallskip{{\\footnotesize {latex_text(note)}\\par}}"] if note else []
    if caption is not None or label is not None:
        said = [] if caption is None else [f"\\caption{{{latex_text(caption)}}}"]
        said += [] if label is None else [f"\\label{{{label}}}"]
        table = ["\\begin{table}", *_indent(["\\centering", *said, *table]), "\\end{table}"]
    lines = [part for line in answer.splitlines() for part in wrap(line, 96)]
    return "\n".join([*(f"% {line}" for line in lines), *table])


def _choose_columns(columns: Mapping[str, Any], shown: Sequence[str] | None) -> dict[str, Any]:
    """Return the columns with these names; by default all but standard errors."""
    if shown is None:
        return {name: part for name, part in columns.items() if name != "standard_error"}
    known = [name for name in shown if name in columns]
    if len(known) < len(shown) or not known:
        unknown = ", ".join(repr(name) for name in shown if name not in columns) or "none"
        listed = ", ".join(columns)
        raise InputError(
            f"must be among the printed columns {listed}", f"got {unknown}", argument="columns"
        )
    return {name: columns[name] for name in known}


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
