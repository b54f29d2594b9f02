"""What the user says about how a file is written."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from rocbands.core.checks import check_text, wrong_value
from rocbands.errors import InputError, Message, arg

# What only some files have, and which these are.
_FORMS = {
    "sheet": "Excel workbooks (.xlsx)",
    "encoding": "files of text, such as CSV",
    "decimal": "CSV, TSV and Excel files",
}


@dataclass(frozen=True)
class Form:
    """How a file is written, as far as the user says so."""

    sheet: str | None = None  # of a workbook
    encoding: str | None = None  # of text
    decimal: str | None = None  # decimal sign of numbers in text

    def __post_init__(self) -> None:
        for name in _FORMS:
            check_text(getattr(self, name), name)
        encoding = "utf-8" if self.encoding is None else self.encoding
        try:
            "".encode(encoding)  # refuses codecs that are not of text
            codecs.getincrementaldecoder(encoding)
        except (LookupError, ValueError):
            must = "must be the name of an encoding"
            raise wrong_value("encoding", encoding, must, example="cp1252") from None
        if self.decimal not in (None, ".", ","):
            must = "must be the decimal sign of the numbers in the file, '.' or ','"
            raise wrong_value("decimal", self.decimal, must)

    def check(self, source: str, *known: str) -> None:
        """Refuse what the user says of a file that is of another kind; `known`: what it has."""
        for name, kinds in _FORMS.items():
            if getattr(self, name) is not None and name not in known:
                raise InputError(
                    Message("{} is for {}", arg(name), kinds),
                    f"{source} is not one",
                    Message("Leave {} out.", arg(name)),
                )


UNKNOWN = Form()
