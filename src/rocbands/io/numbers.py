"""Columns of numbers as text: which sign is the decimal sign, and which one separates thousands.

All numbers of a column have one format. '7' fits every format; '0.25', '1.708,5' and '1.234.567'
fit one decimal sign each; '1.708' is 1.708 or 1708. (A cell may be either if it has one sign, three
digits behind it, and one to three before it of which the first is not 0.) All cells of the column
decide and, where they do not, the other columns:

1. The format must fit every cell. If none does, the column contradicts itself, and is refused.
2. If one decimal sign is left, that is it: beside '0.5' or '1234.5' the cell '1.708' is 1.708.
3. Otherwise the decimal sign of the other columns is it, as the first block of the file has them:
   where decimals are commas, a point separates thousands.
4. If no other column has decimals, it is the sign that the separator of the columns suggests, a
   comma between semicolons, a point between commas or tabs. Between commas a quoted '1,708' beside
   whole numbers from 100 to 999 is 1708.
5. By neither rule it is a sign that looks like one of thousands, '1.708' beside whole numbers from
   100 up such as '910'. Then, and if nothing decides, the column is refused: the user says what
   the decimal sign is.

Thousands that a rule finds, and no cell proves, must not stand beside numbers from 1000 up without
such a sign, and are noted. Blanks and apostrophes always separate thousands.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import FloatArray
from rocbands.errors import InputError, Message, arg
from rocbands.io.columns import (
    CellError,
    NumberCellError,
    is_missing,
    parse_float,
    shorten,
    show_cell,
    wrong_cell,
)

_MARKS = {".", "?", "-", "--"}  # which some programs write for missing values

Formats: TypeAlias = frozenset[tuple[str, str]]  # pairs of a decimal sign and a thousands sign

_OTHER = {".": ",", ",": "."}
_OTHER_COLUMN = "name another column"  # of what need not be scores
_SUGGESTED = {",": ".", "\t": ".", ";": ","}  # decimal sign, by the separator of columns
_SPOKEN = {".": "a point", ",": "a comma"}
_BLANKS, _APOSTROPHES = " \u00a0\u2009\u202f", "'\u2019"
_MINUS = "\u2212"  # the sign of typography, which word processors and journals write
_SIGN = re.compile(f"[.,{_BLANKS}{_APOSTROPHES}]")
# What Python does not have in numbers, and the decimal sign as it has it.
_IN_PYTHON = {
    sign: str.maketrans(dict.fromkeys(f"{other}{_BLANKS}{_APOSTROPHES}", "") | {sign: "."})
    for sign, other in _OTHER.items()
}


def _write_pattern(decimal: str, thousands: str) -> re.Pattern[str]:
    whole = rf"(?:\d+|[1-9]\d{{0,2}}(?:[{thousands}]\d{{3}})+)" if thousands else r"\d+"
    part = rf"[{decimal}]\d"
    return re.compile(rf"[+-]?(?:{whole}(?:{part}*)?|{part}+)(?:[eE][+-]?\d+)?")


_PATTERNS = {
    (decimal, thousands): _write_pattern(decimal, thousands)
    for decimal, other in _OTHER.items()
    for thousands in ("", other, _BLANKS, _APOSTROPHES)
}
_ALL = frozenset(_PATTERNS)


def find_formats(text: str) -> Formats:
    """Return the formats in which a text is a number; none if it is not one.

    Examples
    --------
    >>> [len(find_formats(text)) for text in ("7", "0.708", "1.708", "1.708,5", "1.7.8", "x")]
    [8, 4, 5, 1, 0, 0]
    """
    bare = text.strip().replace(_MINUS, "-")
    if not _SIGN.search(bare):
        return _ALL if parse_float(bare) is not None else frozenset()
    return frozenset(form for form, pattern in _PATTERNS.items() if pattern.fullmatch(bare))


def may_be_either(text: str) -> bool:
    """Tell whether the sign in a text may be the decimal sign, or one of thousands.

    Examples
    --------
    >>> [may_be_either(text) for text in ("1.708", "-12,345", "0.708", "1.70", "1708", "1 708")]
    [True, True, False, False, False, False]
    """
    return _find_sign(text) != "" and _choose_one(find_formats(text)) is None


def find_decimal(cells: Iterable[str]) -> str | None:
    """Return the decimal sign of a column; None if no cell has one, or a cell is no number."""
    formats = _ALL
    for cell in cells:
        if not is_missing(cell) and cell.strip() not in _MARKS:
            formats &= find_formats(cell)
            if not formats:
                return None
    return _choose_one(formats)


def _choose_one(formats: Formats) -> str | None:
    """Return the decimal sign of some formats, if they have one in common."""
    signs = {decimal for decimal, _ in formats}
    return signs.pop() if len(signs) == 1 else None


def _find_sign(text: str) -> str:
    return next((sign for sign in _OTHER if sign in text), "")


def _read(text: str, decimal: str) -> float:
    return float(text.translate(_IN_PYTHON[decimal]))


class NumberColumn:
    """Parses a column in parts, and finds its format.

    While the decimal sign is not known, a cell that may be either is read as a decimal. Numbers
    that were returned are corrected in place as soon as it is known.
    """

    def __init__(self, name: str, decimal: str | None = None, *, scores: bool = True) -> None:
        self.name = name
        of_scores = Message("name the column of scores by {}", arg("score", "NAME"))
        self._remedy = of_scores if scores else _OTHER_COLUMN
        self.decimal = decimal  # None until it is known
        self.note: Message | None = None  # on thousands that no cell proves
        self._given = decimal is not None
        self._formats = frozenset(form for form in _ALL if decimal in (None, form[0]))
        self._seen: dict[Formats, str] = {}  # the first cell of each kind
        self._either: dict[str, tuple[str, str]] = {}  # by sign: the first such cell and its place
        # Numbers that may have to be corrected, and the signs of cells that may be either, else 0.
        self._open: list[tuple[FloatArray, npt.NDArray[np.uint8]]] = []
        self._proven = False  # whether a cell proves that points or commas separate thousands
        self._hundreds = ""  # a number from 100 up without signs
        self._thousands = ""  # a number from 1000 up without a sign of thousands
        self._begun = False

    @property
    def is_open(self) -> bool:
        """Whether numbers that were returned may have to be corrected."""
        return bool(self._open)

    def add(self, numbers: npt.NDArray[np.float64]) -> None:
        """Note the size of numbers without signs of thousands, which were parsed elsewhere."""
        self._begun = True
        if self._thousands or -100.0 < numbers.min() <= numbers.max() < 100.0:
            return
        sizes = np.abs(numbers)
        for low, high in ((100.0, 1000.0), (1000.0, math.inf)):
            found = numbers[(sizes >= low) & (sizes < high)]
            if found.size:
                self._take_size(found[0], f"{found[0]:.15g}")

    def _take_size(self, number: float, text: str) -> None:
        if 100.0 <= abs(number) < 1000.0:
            self._hundreds = self._hundreds or text
        elif 1000.0 <= abs(number) < math.inf:
            self._thousands = self._thousands or text

    def parse(
        self, cells: Sequence[str], place: Callable[[int], str] = str, missing: bool = False
    ) -> FloatArray:
        """Parse the next cells; refuse the first that is not a number of the column's format.

        `place` says where a row of these cells is. With `missing`, cells for a missing value become
        NaN.
        """
        if missing:
            cells = ["nan" if is_missing(cell) else cell for cell in cells]
        text = "".join(cells)
        if _MINUS in text:
            cells = [cell.replace(_MINUS, "-") for cell in cells]
        if self.decimal is None and ("." in text or "," in text):
            self._find_decimal(cells)
        plain: Iterable[str] = cells
        if self.decimal == ",":
            plain = (cell.replace(",", ".") for cell in cells)
        others = _OTHER[self.decimal] if self.decimal else ".,"
        if "_" not in text and not any(sign in text for sign in others):
            with suppress(ValueError):
                numbers = np.fromiter(map(float, plain), np.float64, len(cells))
                if missing or not np.isnan(numbers.min()):
                    self.add(numbers)
                    return numbers
        return self._parse_each(cells, place, missing)

    def _find_decimal(self, cells: Sequence[str]) -> None:
        """Find the decimal sign, if a cell decides, and none before it is refused."""
        for cell in cells:
            formats = find_formats(cell)
            left = self._formats & formats
            if left:
                self._seen.setdefault(formats, cell)
                self._formats, self.decimal = left, _choose_one(left)
            if self.decimal is not None or not (left or cell == "nan"):
                return

    def _parse_each(
        self, cells: Sequence[str], place: Callable[[int], str], missing: bool
    ) -> FloatArray:
        numbers, signs = np.full(len(cells), np.nan), np.zeros(len(cells), np.uint8)
        for row, cell in enumerate(cells):
            if missing and cell == "nan":
                continue
            formats = find_formats(cell)
            left = self._formats & formats
            if not left:
                raise self._refuse(row, cells, formats)
            self._seen.setdefault(formats, cell)
            self._formats = left
            if may_be_either(cell):
                sign = _find_sign(cell)
                numbers[row], signs[row] = _read(cell, sign), ord(sign)
                if sign not in self._either:
                    self._either[sign] = cell.strip(), place(row)
                continue
            numbers[row] = _read(cell, self.decimal or ".")
            if any(not thousands for _, thousands in formats):
                self._take_size(numbers[row], cell.strip())
            self._proven |= all(thousands in _OTHER for _, thousands in formats)
        self._begun = True
        if signs.any():
            self._open.append((numbers, signs))
        self._correct()
        return numbers

    def _correct(self) -> None:
        """Correct numbers that were read as decimals, as soon as the decimal sign is known."""
        if self.decimal is not None:
            for numbers, signs in self._open:
                grouped = signs == ord(_OTHER[self.decimal])
                numbers[grouped] = np.rint(1000.0 * numbers[grouped])
            self._open.clear()

    def finish(self, separator: str = "", find_others: Callable[[], set[str]] = set[str]) -> None:
        """Find the decimal sign if cells did not decide, or refuse the column.

        `find_others` returns the decimal signs of the other columns.
        """
        if self.decimal is None and self._either:
            self.decimal = self._choose(separator, find_others())
            self._correct()
        grouped = _OTHER[self.decimal] if self.decimal else ""
        if grouped not in self._either or self._proven or self._given:
            return
        cell, place = self._either[grouped]
        if self._thousands:
            raise InputError(
                f"{place}: column {self.name!r} must have one number format",
                f"{shorten(cell)} looks like {_read(cell, _OTHER[grouped]):.15g}, but "
                f"{shorten(self._thousands)} has no sign of thousands",
                Message("Write all numbers alike, or pass {}.", arg("decimal")),
            )
        self.note = Message(
            "In column {!r} {} separates thousands: {} is {:.15g}. Pass {} if it is the decimal "
            "sign.",
            self.name,
            _SPOKEN[grouped],
            shorten(cell),
            _read(cell, _OTHER[grouped]),
            arg("decimal", grouped),
        )

    def _choose(self, separator: str, others: set[str]) -> str:
        """Choose the decimal sign by the other columns or the separator of columns."""
        sign, (cell, place) = next(iter(self._either.items()))
        beside = self._hundreds or self._thousands
        found = next(iter(others)) if len(others) == 1 else ""
        if not others and len(self._either) == 1:
            between_commas = sign == separator and self._hundreds and not self._thousands
            if between_commas or sign == _SUGGESTED.get(separator):
                found = _OTHER[sign] if between_commas else sign
        if found and not (beside and found in self._either):
            return found
        small, large = cell.replace(",", "."), f"{_read(cell, _OTHER[sign]):.15g}"
        found = f"{shorten(cell)} may be {small} or {large}"
        if len(self._either) > 1:
            found += f", and {shorten(self._either[_OTHER[sign]][0])} has the other sign"
        elif beside:
            found = (
                f"{shorten(cell)} looks like {large} beside {shorten(beside)}, and may be {small}"
            )
        raise InputError(
            f"{place}: column {self.name!r} must have a clear decimal sign",
            found,
            Message(
                "Pass {} for {}, or {} for {}.",
                arg("decimal", _OTHER[sign]),
                large,
                arg("decimal", sign),
                small,
            ),
        )

    def _refuse(self, row: int, cells: Sequence[str], formats: Formats) -> CellError:
        """Make the error of a cell that is not a number of the column's format."""
        cell, must = cells[row], f"column {self.name!r} must be a number"
        if formats and self._given:
            must = f"column {self.name!r} must have the decimal sign {self.decimal!r}"
            remedy = Message("Correct it, or leave {} out.", arg("decimal"))
            return NumberCellError(row, must, f"found {shorten(cell)}", remedy)
        if formats:
            other = next((seen for kind, seen in self._seen.items() if not kind & formats), None)
            must = f"column {self.name!r} must have one sign for decimals"
            found = f"found {shorten(cell)}" + (f" besides {shorten(other)}" if other else "")
            return NumberCellError(row, must, found, "Write all numbers alike.")
        if is_missing(cell):
            return wrong_cell(cell, row, must, show_cell(cell))
        return _refuse_text(row, cells, must, self._remedy, first=not self._begun)


_LIMIT = re.compile(r"([<>≤≥])=?\s*")
_SIGNS = "%$€£¥ "
_DATE = re.compile(r"\d{4}[-/]\d\d?[-/]\d\d?|\d\d?([./-])\d\d?\1\d{2,4}\b")
_MOST_GRADES = 10  # different words among scores that may be grades


def _refuse_text(
    row: int, cells: Sequence[str], must: str, other: str, *, first: bool
) -> CellError:
    """Make the error of a cell that is not a number.

    `other`: what to do if the column is the wrong one; `first`: whether the cells begin the file.
    """
    bare, found = cells[row].strip(), f"found {shorten(cells[row])}"
    about, remedy = _advise_on_number(bare, cells, other)
    if remedy:
        return NumberCellError(row, must, found + about, remedy)
    if not any(find_formats(one) or is_missing(one) for one in cells):
        remedy = _advise_on_words(cells, other)
    elif bare in _MARKS:
        found += _count_cells(one.strip() == bare for one in cells)
        remedy = Message(
            "If values are missing, leave the cells empty and pass {}.", arg("missing", "drop")
        )
    elif first and row == 0:
        remedy = "If this row has units, remove it: only the first line names the columns."
    return CellError(row, must, found, remedy) if remedy else CellError(row, must, found)


def _count_cells(alike: Iterable[bool]) -> str:
    times = sum(alike)
    return f" in at least {times} rows" if times > 1 else ""


def _advise_on_number(bare: str, cells: Sequence[str], other: str) -> tuple[str, str]:
    """Say what a number with something besides it is, and what to do; empty for other text.

    `other`: what to do if the column is the wrong one.
    """
    limit = _LIMIT.match(bare)
    if limit is not None and find_formats(bare[limit.end() :]):
        where, end = ("below", "smallest") if limit[1] in "<≤" else ("above", "largest")
        times = _count_cells(one.strip().startswith(limit[1]) for one in cells)
        return f", a limit of measurement,{times}".rstrip(","), (
            "To remove such rows would bias the results: write one number in all of them, "
            f"{where} the {end} measured one. Ties count one half."
        )
    if find_formats(bare.strip(_SIGNS)):
        plain = [cell for cell in cells if find_formats(cell)]
        if (
            "%" in bare
            and plain
            and all(abs(_read(cell, find_decimal([cell]) or ".")) <= 1.0 for cell in plain)
        ):
            return f" beside {shorten(plain[0])}", (
                "The column mixes percentages and shares: divide those with % by 100, and remove "
                "the signs."
            )
        return (
            "",
            f"Remove the {'percent' if '%' in bare else 'currency'} signs of the whole column.",
        )
    if _DATE.match(bare):
        return ", a date", Message(
            "If dates are to rank the cases, write numbers of days, or {}.", other
        )
    if set(bare) <= set("0123456789.,+-") and any(map(str.isdigit, bare)):
        return "", "Write all numbers alike, without signs of thousands."
    return "", ""


def _advise_on_words(cells: Sequence[str], other: str) -> str:
    """Say what to do with a column of words: a few may be grades, which have an order."""
    words = list(dict.fromkeys(cells))
    if len(words) > _MOST_GRADES:
        return Message("It contains text: {}.", other)
    listed = ", ".join(map(shorten, words))
    if other == _OTHER_COLUMN:  # groups of people, for example, have no order
        return f"It contains words ({listed}): {other}, with numbers."
    return Message("It contains words ({}): number them in their order, or {}.", listed, other)
