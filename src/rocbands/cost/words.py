"""What results of this room say of themselves alike, in lines that fit a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from textwrap import wrap
from typing import Any

import numpy as np

from rocbands.cost.conditions import Sampling

__all__ = ["SAMPLED", "few_rows", "lines", "meaning", "plural"]

SAMPLED = {
    "stratified": "their numbers fixed (stratified)",
    "full": "their numbers as random as the rows (full)",
}
ROWS = 12  # of a table, on a screen


def meaning(sampling: Sampling, prevalence: float) -> tuple[str, str]:
    r"""Say what cost and w are: who meets them here first should not have to ask.

    Examples
    --------
    >>> print(*meaning("stratified", 0.2), sep="\n")
    Cost = w fnr + (1 - w) fpr: 1 if every row is wrong. w = p c_fn / (p c_fn + (1 - p) c_fp);
    with p = 0.2 positives, w = 0.5 is for missed positives that cost 4 false alarms each.
    """
    what = {
        "stratified": "Cost = w fnr + (1 - w) fpr: 1 if every row is wrong.",
        "full": "Cost = (c_fn fn + c_fp fp) / (n max(c_fn, c_fp)).",
    }
    return (
        f"{what[sampling]} w = p c_fn / (p c_fn + (1 - p) c_fp);",
        f"with p = {prevalence:.3g} positives, w = 0.5 is for missed positives that cost "
        f"{(1.0 - prevalence) / prevalence:.3g} false alarms each.",
    )


def plural(count: int, noun: str) -> str:
    """Count something in words.

    Examples
    --------
    >>> plural(1, "row"), plural(2, "row")
    ('1 row', '2 rows')
    """
    return f"{count} {noun}{'s' * (count != 1)}"


def lines(sentences: Iterable[str], size: int) -> str:
    """Put sentences below each other, and say if a table of `size` rows is not shown whole."""
    few = (f"{ROWS} of {size} rows:",) if size > ROWS else ()
    return "\n".join(part for sentence in (*sentences, *few) for part in wrap(sentence, 96))


def few_rows(columns: Mapping[str, Any]) -> Mapping[str, Any]:
    """Rows of a table that fit a screen, evenly spread, with the first and the last."""
    size = len(next(iter(columns.values())))
    rows = np.unique(np.linspace(0, size - 1, min(size, ROWS)).round().astype(np.intp))
    return {name: column[rows] for name, column in columns.items()}
