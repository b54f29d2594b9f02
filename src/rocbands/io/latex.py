"""Tables for papers: LaTeX that needs the package booktabs and nothing else."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rocbands.io.tables import format_rows, format_value, is_number

__all__ = ["latex_table", "latex_text"]

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
    r"""Write `text` so that LaTeX sets it as it is, in one line.

    Examples
    --------
    >>> print(latex_text("50% of A_1 & {B}"))
    50\% of A\_1 \& \{B\}
    """
    return "".join(_ESCAPES.get(mark, mark) for mark in " ".join(text.splitlines()))


def latex_table(
    columns: Mapping[str, Any],
    *,
    comment: str = "",
    caption: str | None = None,
    label: str | None = None,
) -> str:
    r"""Lay out columns as a LaTeX table with booktabs rules.

    Parameters
    ----------
    columns : mapping of str to column
        The table; underscores in names become spaces.
    comment : str
        Lines that stand before the table, as comments that LaTeX passes over.
    caption, label : str, optional
        With either, the table floats and carries them; otherwise it is a bare tabular, for a float
        of one's own. The caption is text, not LaTeX.

    Examples
    --------
    >>> print(latex_table({"model": ["A & B"], "auc": [0.71234]}, label="tab:auc"))
    \begin{table}
      \centering
      \label{tab:auc}
      \begin{tabular}{lr}
        \toprule
        model & auc \\
        \midrule
        A \& B & 0.7123 \\
        \bottomrule
      \end{tabular}
    \end{table}
    """
    places = "".join("r" if is_number(column) else "l" for column in columns.values())
    names = [latex_text(name.replace("_", " ")) for name in columns]
    rows = [_row(row) for row in format_rows(columns, _cell)]
    inside = ["\\toprule", _row(names), "\\midrule", *rows, "\\bottomrule"]
    table = [f"\\begin{{tabular}}{{{places}}}", *_indented(inside), "\\end{tabular}"]
    if caption is not None or label is not None:
        said = [] if caption is None else [f"\\caption{{{latex_text(caption)}}}"]
        said += [] if label is None else [f"\\label{{{label}}}"]
        body = _indented(["\\centering", *said, *table])
        table = ["\\begin{table}", *body, "\\end{table}"]
    return "\n".join([*(f"% {line}" for line in comment.splitlines()), *table])


def _row(cells: Sequence[str]) -> str:
    # The end of the row before would take a bracket or a star for an argument of its own.
    guard = "{}" if cells[0].lstrip().startswith(("[", "(", "*")) else ""
    return f"{guard}{' & '.join(cells)} \\\\"


def _indented(lines: list[str]) -> list[str]:
    return [f"  {line}" for line in lines]


def _cell(value: Any) -> str:
    text = format_value(value)
    if not isinstance(value, (int, float, np.number)) or isinstance(value, bool):
        return latex_text(text)
    if text.endswith("inf"):
        return f"${text.replace('inf', '')}\\infty$"
    power = _POWER.fullmatch(text)
    if power:
        sign = "-" if power[2] == "-" else ""
        return f"${power[1]} \\times 10^{{{sign}{power[3]}}}$"
    return f"${text}$" if text.startswith("-") else text
