"""A sheet of an Excel workbook (.xlsx) as CSV, and tables as a workbook; openpyxl, extra `excel`.

People put notes on the first sheet and titles above the table. Unless a sheet is named, the first
one that has a table is read. A table begins with a row of texts, the names of its columns: the
widest of those above the first number.
"""

from __future__ import annotations

import csv
import io
import math
import os
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from copy import copy
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from rocbands.errors import InputError, Message, arg, say_install
from rocbands.io.numbers import may_be_either
from rocbands.io.tables import escape_formula
from rocbands.io.writing import written_whole

MARK = b"PK\x03\x04"  # of zip archives, which workbooks are
_MOST = 1 << 30  # bytes of a workbook once it is unpacked, and of its table
_MOST_WHOLE = 1 << 25  # bytes of its parts besides sheets
_BY_ROWS = ("xl/worksheets/", "xl/sharedStrings", "xl/media/")
_PIECE = 1 << 20
_ROW = re.compile(rb"<row[\s/>]")  # a tag of five characters
_MOST_ROWS = 1 << 20  # of a sheet; a damaged one may name others
_TOO_LONG = f"its sheet has more than {_MOST_ROWS:,} rows"
_OFTEN = 1000  # rows between two reports of progress
_MOST_COLUMNS = 1 << 14
_TABLES = (".csv", ".tsv", ".txt", ".jsonl", ".parquet", ".arrow", ".xlsx", ".gz")
_MOST_TITLES = 100  # rows that may stand above the first number


_kept: ContextVar[Path | None] = ContextVar("_kept", default=None)


@contextmanager
def keep_tables(folder: Path | None) -> Iterator[None]:
    """Keep the tables of one workbook in a folder, so that each is converted only once."""
    token = _kept.set(folder)
    try:
        yield
    finally:
        _kept.reset(token)


def workbook_to_csv(
    file: BinaryIO,
    source: str,
    sheet: str | None = None,
    *,
    most: int | None = None,
    report: Callable[[float], None] | None = None,
) -> bytes:
    """Return the table of a workbook as CSV; rows keep their numbers.

    `most`: rows below the names, if the others are not needed. `report`: called with the share of
    the rows that are done.
    """
    folder = _kept.get()
    kept = None if folder is None else folder / f"{sha256((sheet or '').encode()).hexdigest()}.csv"
    if kept is not None and kept.exists():
        return kept.read_bytes()
    with _open(file, source) as workbook:
        found = _find_table(workbook, source, sheet)
        text = _write_csv(*found, source, most, report)
    if kept is not None and most is None:
        with written_whole(kept) as place:
            place.write(text)
    return text


def find_sheets(
    path: str | os.PathLike[str], source: str, wanted: str | None = None
) -> tuple[list[str] | None, str | None]:
    """Return the names of a workbook's sheets, and that with the table; None of other files."""
    with open(path, "rb") as file:
        if not file.read(4).startswith(MARK):
            return None, wanted
        with _open(file, source) as workbook:
            return list(workbook.sheetnames), _find_table(workbook, source, wanted)[0].title


@contextmanager
def _open(file: BinaryIO, source: str) -> Iterator[Any]:
    """Open a workbook; one that is damaged, or too large once it is unpacked, is refused."""
    try:
        with zipfile.ZipFile(file) as book:
            if "xl/workbook.xml" not in book.namelist():
                raise _refuse_archive(source, book.namelist())
            _check_parts(book, source)
        if find_spec("openpyxl") is None:
            raise InputError(
                f"{source} is an Excel workbook, which needs openpyxl",
                "it is not installed",
                f"Save the sheet as CSV in UTF-8, or install it with: {say_install('excel')}",
            )
        import openpyxl

        yield openpyxl.load_workbook(file, read_only=True, data_only=True, keep_links=False)
    except InputError:
        raise
    except Exception as problem:  # openpyxl has no error of its own for damaged files
        raise _refuse(source, f"it is damaged or cut off ({problem})") from None


def _check_parts(book: zipfile.ZipFile, source: str) -> None:
    """Refuse an archive that is large once it is unpacked, also if it states smaller sizes."""
    parts = book.infolist()
    if sum(part.file_size for part in parts) > _MOST:
        raise _refuse(source, "it is larger than 1 GB once it is unpacked")
    if not {part.compress_type for part in parts} <= {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        raise _refuse(source, "it is compressed in a way that workbooks are not")
    # openpyxl reads sheets and their texts row by row, but all other parts as a whole.
    whole = [part for part in parts if not part.filename.startswith(_BY_ROWS)]
    if sum(part.file_size for part in whole) > _MOST_WHOLE:
        raise _refuse(source, "its styles and settings are larger than 32 MB")
    for part in parts:
        size, rows = _measure_part(book, part)
        if size != part.file_size:
            raise _refuse(source, f"its part {part.filename!r} has not the size that it states")
        if rows > _MOST_ROWS:  # of a sheet that does not state them openpyxl reads all to begin
            raise _refuse(source, _TOO_LONG)


def _measure_part(book: zipfile.ZipFile, part: zipfile.ZipInfo) -> tuple[int, int]:
    """Unpack a part in pieces, until it is longer than it states; return bytes and rows.

    zipfile cuts a part to the size that it states, but only after all of it is in memory.
    """
    whole = copy(part)
    whole.file_size, whole.CRC = _MOST + 1, None  # type: ignore[assignment]
    size = rows = 0
    end = b""  # of the piece before: too short for a tag of its own
    with book.open(whole) as file:
        while size <= part.file_size and (piece := file.read(_PIECE)):
            size += len(piece)
            piece = end + piece
            rows += sum(1 for _ in _ROW.finditer(piece))
            end = piece[-4:]
    return size, rows


def _refuse(source: str, found: str) -> InputError:
    return InputError(
        f"{source} must be a whole Excel workbook (.xlsx)", found, "Save it again as CSV in UTF-8."
    )


def _refuse_archive(source: str, names: list[str]) -> InputError:
    table = next((name for name in names if name.casefold().endswith(_TABLES)), None)
    if table is None:
        return _refuse(source, "it is a zip archive of something else")
    return InputError(
        f"{source} must be a table or an Excel workbook (.xlsx)",
        f"it is a zip archive with {table!r}",
        f"Unzip it, and name {table!r}.",
    )


def _find_table(workbook: Any, source: str, wanted: str | None) -> tuple[Any, int, int]:
    """Return the sheet of a table, the number of the row with the names, and that of all rows.

    The last one is as the sheet states it, 0 if it does not.
    """
    names = list(workbook.sheetnames)
    if wanted is not None and wanted not in names:
        raise InputError(
            f"{source} must have a sheet named {wanted!r}",
            f"it has {', '.join(map(repr, names))}",
            Message("Name one of them by {}.", arg("sheet")),
        )
    for name in names if wanted is None else [wanted]:
        sheet = workbook[name]
        if not hasattr(sheet, "iter_rows"):  # a sheet that is a chart
            continue
        stated = sheet.max_row or 0
        if stated > _MOST_ROWS:
            raise _refuse(source, _TOO_LONG)
        sheet.reset_dimensions()  # which some programs write wrongly
        head = _find_head(sheet)
        if head is not None:
            return sheet, head, stated
    raise InputError(
        f"{source} must have a table: a row with the names of the columns, and rows with numbers "
        "below it",
        "no sheet has one" if wanted is None else f"sheet {wanted!r} has none",
        Message(
            "Its sheets are {}; name one by {}, or save the table as CSV in UTF-8.",
            ", ".join(map(repr, names)),
            arg("sheet"),
        ),
    )


def _iterate(sheet: Any) -> Iterator[tuple[int, Any]]:
    """Yield the rows of a sheet with their numbers."""
    return enumerate(sheet.iter_rows(values_only=True), 1)


def _find_head(sheet: Any) -> int | None:
    """Find the row of the columns' names: the widest row of texts above the first number."""
    head, width = None, 1
    for number, cells in _iterate(sheet):
        filled = [cell for cell in cells if cell not in (None, "")]
        if head is not None and any(isinstance(cell, (int, float)) for cell in filled):
            return head
        if len(filled) > width and all(isinstance(cell, str) for cell in filled):
            head, width = number, len(filled)
        if number > _MOST_TITLES:
            return None
    return None


def _write_csv(
    sheet: Any,
    head: int,
    stated: int,
    source: str,
    most: int | None,
    report: Callable[[float], None] | None,
) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    width = written = 0
    for number, cells in _iterate(sheet):
        if report is not None and stated and number % _OFTEN == 0:
            report(min(number / stated, 1.0))
        if number > _MOST_ROWS:
            raise _refuse(source, _TOO_LONG)
        if out.tell() > _MOST:
            raise _refuse(source, "its table is larger than 1 GB")
        if len(cells) > _MOST_COLUMNS:
            raise _refuse(source, f"row {number} has more than {_MOST_COLUMNS:,} columns")
        texts = [_write_cell(cell) for cell in cells]
        if number < head or not any(texts):
            out.write("\n")  # rows keep their numbers
            continue
        while len(texts) > max(width, 1) and not texts[-1]:
            texts.pop()  # formatted cells without a value
        width = width or len(texts)
        writer.writerow(texts + [""] * (width - len(texts)))
        written += 1
        if most is not None and written > most:  # with the names
            break
    return out.getvalue().encode()


def _write_cell(cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    text = cell.isoformat() if hasattr(cell, "isoformat") else str(cell)
    # Of a number, and not of text, the point is known to be the decimal sign.
    return f"{text}0" if isinstance(cell, float) and may_be_either(text) else text


def write_workbook(tables: Mapping[str, Mapping[str, Any]], path: str | os.PathLike[str]) -> None:
    """Write tables to a workbook, one sheet for each; text is never a formula."""
    from openpyxl import Workbook

    workbook = Workbook(write_only=True)
    for title, columns in tables.items():
        sheet = workbook.create_sheet(title[:31])
        sheet.append([_make_cell(name) for name in columns])
        for row in zip(*columns.values(), strict=True):
            sheet.append([_make_cell(value) for value in row])
    with written_whole(path) as file:
        workbook.save(file)


def _make_cell(value: Any) -> Any:
    """Return a value that Excel has: infinite numbers become text, NaN an empty cell."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value if value is None or isinstance(value, (bool, int, float)) else _clean(str(value))


def _clean(text: str) -> str:
    """Return text without signs that XML does not allow."""
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

    return escape_formula(ILLEGAL_CHARACTERS_RE.sub("?", text))
