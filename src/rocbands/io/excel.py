"""A sheet of an Excel workbook (.xlsx) as CSV, with the standard library only.

A workbook is a zip archive of XML: `workbook.xml` lists the sheets, `sharedStrings.xml` has each
text once, a sheet has rows of cells. A cell's reference, such as C7, says its column; empty cells
are left out. ECMA-376, part 1, sections 18.2 to 18.4.
"""

from __future__ import annotations

import csv
import io
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO
from xml.etree import ElementTree

from rocbands.errors import InputError, arg

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_STRICT = "{http://purl.oclc.org/ooxml/spreadsheetml/main}"
_LINK = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
_MOST = 1 << 30  # bytes of a sheet once it is unpacked
_MOST_COLUMNS = 16384


def workbook_to_csv(file: BinaryIO, source: str, sheet: str | None = None) -> bytes:
    """Return a sheet of a workbook, by default the first, as CSV; row numbers are kept."""
    try:
        with zipfile.ZipFile(file) as book:
            names = book.namelist()
            if "xl/workbook.xml" not in names:
                raise _refuse(source, "it is a zip archive of something else")
            texts = list(_read_texts(book, names))
            out = io.StringIO()
            writer = csv.writer(out, lineterminator="\n")
            line = 1
            for number, cells in _read_rows(book, _find_sheet(book, names, sheet, source), texts):
                for _ in range(line, number):
                    out.write("\n")
                writer.writerow(cells)
                line = number + 1
            return out.getvalue().encode()
    except InputError:
        raise
    except (zipfile.BadZipFile, zlib.error, ElementTree.ParseError, EOFError, KeyError) as problem:
        raise _refuse(source, f"it is damaged or cut off ({problem})") from None
    except (IndexError, ValueError, NotImplementedError, RuntimeError, StopIteration):
        raise _refuse(source, "its sheet cannot be read") from None


def _refuse(source: str, found: str) -> InputError:
    return InputError(
        f"{source} must be a whole Excel workbook (.xlsx)", found, "Save it again as CSV in UTF-8."
    )


def _parse(book: zipfile.ZipFile, name: str) -> Iterator[Any]:
    """Yield each element of an XML part when it ends; refuse parts that would fill the memory."""
    if book.getinfo(name).file_size > _MOST:
        raise ValueError
    with book.open(name) as part:
        for _, element in ElementTree.iterparse(part):
            element.tag = element.tag.replace(_STRICT, _MAIN)
            yield element


def _find_sheet(book: zipfile.ZipFile, names: list[str], wanted: str | None, source: str) -> str:
    """Return where a sheet is in the archive: the first, or that of a name."""
    sheets = {
        str(one.get("name")): dict(one.attrib)
        for one in _parse(book, "xl/workbook.xml")
        if one.tag == f"{_MAIN}sheet"
    }
    if wanted is not None and wanted not in sheets:
        raise InputError(
            f"{source} must have a sheet named {wanted!r}",
            f"it has {', '.join(map(repr, sheets))}",
            f"Name one of them by {arg('sheet')}.",
        )
    chosen = next(iter(sheets)) if wanted is None else wanted
    link = next(value for key, value in sheets[chosen].items() if key.endswith("}id"))
    targets = _parse(book, "xl/_rels/workbook.xml.rels")
    target = next(
        str(one.get("Target")) for one in targets if one.tag == _LINK and one.get("Id") == link
    )
    path = target.removeprefix("/") if target.startswith("/") else f"xl/{target}"
    if path not in names:
        raise KeyError(path)
    return path


def _read_texts(book: zipfile.ZipFile, names: list[str]) -> Iterator[str]:
    if "xl/sharedStrings.xml" not in names:
        return
    for one in _parse(book, "xl/sharedStrings.xml"):
        if one.tag == f"{_MAIN}si":
            yield _join_text(one)
            one.clear()


def _join_text(element: Any) -> str:
    """Join the runs of a text, without phonetic hints."""
    parts = [element.find(f"{_MAIN}t"), *element.findall(f"{_MAIN}r/{_MAIN}t")]
    return "".join(part.text or "" for part in parts if part is not None)


def _read_rows(
    book: zipfile.ZipFile, path: str, texts: list[str]
) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the cells of each row that has any, all as wide as the first."""
    width, number = 0, 0
    for row in _parse(book, path):
        if row.tag != f"{_MAIN}row":
            continue
        number = int(row.get("r") or number + 1)
        cells: list[str] = []
        for place, cell in enumerate(row.findall(f"{_MAIN}c")):
            column = _number_column(cell.get("r") or "", place)
            cells += [""] * (column - len(cells))
            cells.append(_read_cell(cell, texts))
        row.clear()
        if not any(cells):
            continue
        while len(cells) > max(width, 1) and not cells[-1]:
            cells.pop()  # formatted cells without a value
        width = width or len(cells)
        yield number, cells + [""] * (width - len(cells))


def _number_column(reference: str, otherwise: int) -> int:
    letters = reference.rstrip("0123456789")
    if not letters:
        return otherwise
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter.upper()) - ord("A") + 1
    if not 0 < number <= _MOST_COLUMNS:
        raise ValueError
    return number - 1


def _read_cell(cell: Any, texts: list[str]) -> str:
    kind = cell.get("t", "n")
    if kind == "inlineStr":
        found = cell.find(f"{_MAIN}is")
        return "" if found is None else _join_text(found)
    value = cell.find(f"{_MAIN}v")
    text = "" if value is None else value.text or ""
    if kind == "s" and text:
        return texts[int(text)]
    if kind == "b":
        return {"1": "true", "0": "false"}.get(text, text)
    return text
