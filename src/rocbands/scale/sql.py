"""The query that counts rows in a database.

Names of tables, columns and labels are quoted by the rules of the dialect.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rocbands.core.arguments import explain
from rocbands.core.checks import check_choice
from rocbands.errors import InputError
from rocbands.scale.bins import INFINITE, LEAST_EXPONENT, STEPS


@dataclass(frozen=True)
class Dialect:
    """Syntax of a database."""

    double: str = "DOUBLE"  # types of 64-bit floats and whole numbers
    whole: str = "BIGINT"
    nan: str = "isnan({x})"  # condition for NaN in ``{x}``; empty if the database has no NaN
    mark: str = '"'  # what names are quoted with
    backslash: bool = False  # whether a backslash has a meaning inside text
    escapes_names: bool = False  # whether it has one inside quoted names too
    upper: bool = False  # whether a name without quotes means the one in capital letters
    # condition for ``{x}`` to be a number, where a column of numbers may also contain text
    is_number: str = ""

    def name(self, name: str) -> str:
        """Quote the name of a column."""
        _refuse_nul(name)
        if self.upper and name.isascii() and name.isidentifier():
            name = name.upper()
        if self.escapes_names:
            return f"{self.mark}{_escape(name, self.mark)}{self.mark}"
        return f"{self.mark}{name.replace(self.mark, self.mark * 2)}{self.mark}"

    def text(self, text: str) -> str:
        """Quote text."""
        _refuse_nul(text)
        inside = _escape(text, "'") if self.backslash else text.replace("'", "''")
        return f"'{inside}'"


DIALECTS = {
    "duckdb": Dialect(),
    "postgres": Dialect("DOUBLE PRECISION", nan="{x} = CAST('NaN' AS DOUBLE PRECISION)"),
    "bigquery": Dialect("FLOAT64", "INT64", "IS_NAN({x})", "`", backslash=True, escapes_names=True),
    "snowflake": Dialect(nan="{x} = CAST('NaN' AS DOUBLE)", backslash=True, upper=True),
    "spark": Dialect(mark="`", backslash=True),
    # Text would be cast to zero: such a score is missing.
    "sqlite": Dialect("REAL", "INTEGER", nan="", is_number="typeof({x}) IN ('integer', 'real')"),
}


@explain
def counting_query(
    table: str,
    *,
    dialect: str,
    label: str,
    score: str | Sequence[str],
    positive: object = 1,
    by: str | None = None,
    exact: bool = False,
    where: str | None = None,
) -> str:
    """Write the query whose result, exported as CSV or Parquet, is a file of counts.

    Besides positives and negatives it counts rows without a label as missing, and a missing score
    gives a row without a bin: both are refused when the counts are read.

    Parameters
    ----------
    table : str
        Name of the table; parts are separated by dots, and a part in double quotes may contain
        dots.
    dialect : str
        One of duckdb, postgres, bigquery, snowflake, spark and sqlite.
    label : str
        Name of the label column.
    score : str or sequence of str
        Names of the score columns, one for each model.
    positive : object, default 1
        The positive label: text, a number, or True.
    by : str, optional
        Name of a column whose values are counted separately; in the result it is called part.
    exact : bool, default False
        Count each distinct score, instead of bins.
    where : str, optional
        Condition for the rows that are counted, in the database's own SQL; it is not quoted, so it
        must come from a trusted source.

    Examples
    --------
    >>> print(counting_query("t", dialect="duckdb", label="y", score="s", exact=True))
    -- Positives and negatives at each score, for rocbands. Export the result as CSV or Parquet;
    -- every command that takes counts reads that file, such as: rocbands band counts.csv
    SELECT
      's' AS model,
      rb_value AS score,
      SUM(CASE WHEN rb_label = 1 THEN 1 ELSE 0 END) AS positives,
      SUM(CASE WHEN rb_label <> 1 THEN 1 ELSE 0 END) AS negatives,
      SUM(CASE WHEN rb_label IS NULL THEN 1 ELSE 0 END) AS missing
    FROM (SELECT "y" AS rb_label, "s" AS rb_value FROM "t") rb_rows
    GROUP BY rb_value
    """
    check_choice(dialect, tuple(DIALECTS), "dialect")
    words = DIALECTS[dialect]
    names = (score,) if isinstance(score, str) else tuple(score)
    if not names:
        raise InputError("There must be a column of scores to count", "got none")
    quoted = _quote_table(table, words)
    if where is not None:
        _check_condition(where)
        # On a separate line, so that a comment at its end cannot hide the rest.
        quoted += f"\nWHERE ({where}\n)"
    parts = [
        _write_select(words, quoted, label, name, _write_literal(positive, words), by, exact)
        for name in names
    ]
    each = "at each score" if exact else "in each bin of scores"
    return f"{_COMMENT.format(each)}\n" + "\nUNION ALL\n".join(parts)


_COMMENT = """\
-- Positives and negatives {}, for rocbands. Export the result as CSV or Parquet;
-- every command that takes counts reads that file, such as: rocbands band counts.csv"""


def _check_condition(where: str) -> None:
    _refuse_nul(where)
    if not where.strip():
        raise InputError(
            "must be a condition",
            f"got {where!r}",
            "Write, for example, \"day >= '2024-01-01'\".",
            argument="where",
        )


def _write_select(
    words: Dialect, table: str, label: str, score: str, positive: str, part: str | None, exact: bool
) -> str:
    rows = [f"{words.name(label)} AS rb_label"]
    columns, by = [f"{words.text(score)} AS model"], ["rb_value"]
    if part is not None:
        rows.append(f"{words.name(part)} AS rb_part")
        columns.append("rb_part AS part")
        by.insert(0, "rb_part")
    columns += [
        f"rb_value AS {'score' if exact else 'bin'}",
        f"SUM(CASE WHEN rb_label = {positive} THEN 1 ELSE 0 END) AS positives",
        f"SUM(CASE WHEN rb_label <> {positive} THEN 1 ELSE 0 END) AS negatives",
        "SUM(CASE WHEN rb_label IS NULL THEN 1 ELSE 0 END) AS missing",
    ]
    value = words.name(score)
    source = f"SELECT {', '.join(rows)}, {value} AS rb_value FROM {table}"
    if not exact:
        source = _put_in_bins(words, rows, by[:-1], value, table)
    listed = ",\n  ".join(columns)
    return f"SELECT\n  {listed}\nFROM ({source}) rb_rows\nGROUP BY {', '.join(by)}"


def _put_in_bins(words: Dialect, rows: list[str], by: list[str], value: str, table: str) -> str:
    """Write the rows with keys of bins instead of scores."""
    number = f"CAST({value} AS {words.double})"
    if words.is_number:
        number = f"CASE WHEN {words.is_number.format(x=value)} THEN {number} END"
    half, power, key = bin_steps(number, words)
    kept = ", ".join(["rb_label", *by])
    return (
        f"SELECT {kept},\n  {key} AS rb_value"
        f"\nFROM (SELECT {kept}, rb_x, rb_half,\n  {power} AS rb_power"
        f"\nFROM (SELECT {', '.join(rows)}, {number} AS rb_x,\n  {half} AS rb_half"
        f"\nFROM {table}) rb_numbers) rb_powers"
    )


def bin_steps(number: str, words: Dialect) -> tuple[str, str, str]:
    """Write the three steps from a number to the key of its bin.

    The first is named rb_half; the second computes rb_power from it; the third computes the key
    from both and the number, named rb_x. The key is null where the number is null or NaN.
    :mod:`rocbands.scale.bins` says why the rounding of logarithms cannot change a key. The steps
    use |x| / 2, so that a logarithm rounded up never leads to 2**1024.
    """
    two = f"CAST(2 AS {words.double})"
    tiny = f"ABS({number}) < POWER({two}, {LEAST_EXPONENT})"
    nan = f"\n    WHEN {words.nan.format(x='rb_x')} THEN NULL" if words.nan else ""
    return (
        f"CASE WHEN {tiny} THEN 0 ELSE ABS({number}) / 2 END",
        f"CASE WHEN rb_half > 0 AND rb_half / 2 < rb_half THEN FLOOR(LN(rb_half) / LN({two})) END",
        "CASE WHEN rb_x < 0 THEN -1 ELSE 1 END * CASE"
        f"\n    WHEN rb_x IS NULL THEN NULL{nan}"
        "\n    WHEN rb_x = 0 THEN 0"
        "\n    WHEN rb_half = 0 THEN 1"
        f"\n    WHEN rb_half / 2 = rb_half THEN {INFINITE}"
        f"\n    ELSE CAST((rb_power + {1 - LEAST_EXPONENT}) * {STEPS}"
        f" + FLOOR((rb_half / POWER({two}, rb_power) - 1) * {STEPS}) + 2 AS {words.whole})"
        "\n  END",
    )


def _quote_table(table: str, words: Dialect) -> str:
    """Quote each part of a table's name."""
    # A part is in double quotes, a quote inside written twice, or has neither dots nor quotes.
    part = r'"((?:[^"]|"")+)"|([^".]+)'
    if not re.fullmatch(rf"(?:{part})(?:\.(?:{part}))*", table):
        raise InputError(
            "The table must have a name such as sales or shop.sales, and quotes must close",
            f"got {table!r}",
        )
    parts = [
        quoted.replace('""', '"') if quoted else plain for quoted, plain in re.findall(part, table)
    ]
    return ".".join(words.name(part) for part in parts)


def _write_literal(positive: object, words: Dialect) -> str:
    if isinstance(positive, np.generic):
        positive = positive.item()
    if isinstance(positive, bool):
        return "TRUE" if positive else "FALSE"
    if isinstance(positive, int | float) and math.isfinite(positive):
        return repr(positive)
    if isinstance(positive, str):
        return words.text(positive)
    raise InputError(
        "must be text, a finite number or True", f"got {positive!r}", argument="positive"
    )


def _escape(text: str, mark: str) -> str:
    escapes = {"\\": "\\\\", mark: f"\\{mark}", "\n": "\\n", "\r": "\\r"}
    return "".join(escapes.get(character, character) for character in text)


def _refuse_nul(text: str) -> None:
    if "\0" in text:
        raise InputError("Names and labels must not contain NUL characters", f"got {text!r}")
