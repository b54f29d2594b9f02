"""A sheet of an Excel workbook (.xlsx) as CSV, read by openpyxl (extra `excel`).

People put notes on the first sheet and titles above the table. Unless a sheet is named, the first
one that has a table is read. A table begins with a row of texts, the names of its columns: the
widest of those above the first number.
"""

from __future__ import annotations

import csv
import io
import zipfile
from importlib.util import find_spec
from typing import Any, BinaryIO

from rocbands.errors import InputError, arg

_MOST = 1 << 30  # bytes of a workbook once it is unpacked
_TABLES = (".csv", ".tsv", ".txt", ".jsonl", ".parquet", ".arrow", ".xlsx", ".gz")
_MOST_TITLES = 100  # rows that may stand above the first number


def workbook_to_csv(file: BinaryIO, source: str, sheet: str | None = None) -> bytes:
    """Return the table of a workbook as CSV; rows keep their numbers."""
    try:
        with zipfile.ZipFile(file) as book:
            if "xl/workbook.xml" not in book.namelist():
                raise _refuse_archive(source, book.namelist())
            if sum(part.file_size for part in book.infolist()) > _MOST:
                raise _refuse(source, "it is larger than 1 GB once it is unpacked")
        if find_spec("openpyxl") is None:
            raise InputError(
                f"{source} is an Excel workbook, which needs openpyxl",
                "it is not installed",
                "Install it (pip install 'rocbands[excel]'), or save the sheet as CSV in UTF-8.",
            )
        import openpyxl

        workbook = openpyxl.load_workbook(file, read_only=True, data_only=True, keep_links=False)
        return _write_csv(*_find_table(workbook, source, sheet))
    except InputError:
        raise
    except Exception as problem:  # openpyxl has no error of its own for damaged files
        raise _refuse(source, f"it is damaged or cut off ({problem})") from None


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


def _find_table(workbook: Any, source: str, wanted: str | None) -> tuple[Any, int]:
    """Return the sheet of a table, and the number of the row with the names of its columns."""
    names = list(workbook.sheetnames)
    if wanted is not None and wanted not in names:
        raise InputError(
            f"{source} must have a sheet named {wanted!r}",
            f"it has {', '.join(map(repr, names))}",
            f"Name one of them by {arg('sheet')}.",
        )
    for name in names if wanted is None else [wanted]:
        sheet = workbook[name]
        if not hasattr(sheet, "iter_rows"):  # a sheet that is a chart
            continue
        sheet.reset_dimensions()  # which some programs write wrongly
        head = _find_head(sheet)
        if head is not None:
            return sheet, head
    raise InputError(
        f"{source} must have a table: a row with the names of the columns, and rows with numbers "
        "below it",
        "no sheet has one" if wanted is None else f"sheet {wanted!r} has none",
        f"Its sheets are {', '.join(map(repr, names))}; name one by {arg('sheet')}, or save the "
        "table as CSV in UTF-8.",
    )


def _find_head(sheet: Any) -> int | None:
    """Find the row of the columns' names: the widest row of texts above the first number."""
    head, width = None, 1
    for number, cells in enumerate(sheet.iter_rows(values_only=True), 1):
        filled = [cell for cell in cells if cell not in (None, "")]
        if head is not None and any(isinstance(cell, (int, float)) for cell in filled):
            return head
        if len(filled) > width and all(isinstance(cell, str) for cell in filled):
            head, width = number, len(filled)
        if number > _MOST_TITLES:
            return None
    return None


def _write_csv(sheet: Any, head: int) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    width = 0
    for number, cells in enumerate(sheet.iter_rows(values_only=True), 1):
        texts = [_write_cell(cell) for cell in cells]
        if number < head or not any(texts):
            out.write("\n")  # rows keep their numbers
            continue
        while len(texts) > max(width, 1) and not texts[-1]:
            texts.pop()  # formatted cells without a value
        width = width or len(texts)
        writer.writerow(texts + [""] * (width - len(texts)))
    return out.getvalue().encode()


def _write_cell(cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return cell.isoformat() if hasattr(cell, "isoformat") else str(cell)
