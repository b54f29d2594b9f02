"""Bodies of requests, with limits: JSON, and the file of a form, written as it arrives."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, BinaryIO

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import Request

from rocbands.app.tasks import MOST_BYTES

_MOST_JSON = 1 << 20
_FRAME = 1 << 16  # bytes of a form besides its file
_FIELD = b"file"


class BodyError(Exception):
    """A request cannot be used; `status` is that of the response."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.message, self.status = message, status


async def read_json(request: Request) -> dict[str, Any]:
    """Return the JSON object of a request."""
    body = b"".join([part async for part in _count(request, _MOST_JSON)])
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise BodyError("A request must be one JSON object. Reload the page.")
    return found


async def store_file(request: Request, place: Path, most: int = MOST_BYTES) -> str:
    """Write the file of a form to `place` as it arrives; return its name."""
    _, options = parse_options_header(request.headers.get("content-type", ""))
    if b"boundary" not in options:
        raise BodyError("An upload must be a form with one file.")
    with place.open("xb") as file:
        form = _Form(file, most)
        try:
            parser = MultipartParser(options[b"boundary"], form.callbacks)
            async for part in _count(request, most + _FRAME):
                parser.write(part)
            parser.finalize()
        except FormParserError:
            form.ended = False
    if not form.ended:
        raise BodyError("The upload was cut off. Choose the file again.")
    if form.name is None:
        raise BodyError("An upload must be a form with one file. Choose a file.")
    return form.name


async def _count(request: Request, most: int) -> AsyncIterator[bytes]:
    """Yield a body; refuse one that is longer, before it is read if its length is stated."""
    stated = request.headers.get("content-length", "0")
    if not stated.isdecimal() or int(stated) > most:
        raise _too_large(most)
    done = 0
    async for part in request.stream():
        done += len(part)
        if done > most:
            raise _too_large(most)
        yield part


def _too_large(most: int) -> BodyError:
    if most == _MOST_JSON:
        return BodyError("A request must have at most 1 MB. Reload the page.", 413)
    size = f"{most / 1e9:.3g} GB" if most >= MOST_BYTES else f"{most / 1e6:.3g} MB"
    return BodyError(
        f"A file must have at most {size} here; this one is larger. Use the command line for it: "
        "'rocbands count' counts files of any size, and 'rocbands report' reads the counts.",
        413,
    )


class _Form:
    """The parts of a form; the one called 'file' is written."""

    def __init__(self, file: BinaryIO, most: int) -> None:
        self.name: str | None = None
        self.ended = False
        self._file, self._most, self._done = file, most, 0
        self._field, self._value, self._wanted = b"", b"", False
        self.callbacks: Any = {
            "on_part_begin": self._begin,
            "on_header_field": self._add_field,
            "on_header_value": self._add_value,
            "on_header_end": self._end_header,
            "on_part_data": self._write,
            "on_end": self._end,
        }

    def _begin(self) -> None:
        self._field, self._value, self._wanted = b"", b"", False

    def _add_field(self, data: bytes, start: int, end: int) -> None:
        self._field += data[start:end]

    def _add_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _end_header(self) -> None:
        if self._field.lower() == b"content-disposition":
            _, options = parse_options_header(self._value)
            if options.get(b"name") == _FIELD and b"filename" in options:
                if self.name is not None:
                    raise BodyError("Choose one file at a time.")
                self.name = _clean_name(options[b"filename"])
                self._wanted = True
        self._field, self._value = b"", b""

    def _end(self) -> None:
        self.ended = True

    def _write(self, data: bytes, start: int, end: int) -> None:
        if self._wanted:
            self._done += end - start
            if self._done > self._most:
                raise _too_large(self._most)
            self._file.write(memoryview(data)[start:end])


def _clean_name(name: bytes) -> str:
    """Return the name of a file as one line of text, without folders."""
    text = name.decode(errors="replace").replace("\\", "/").rpartition("/")[2]
    shown = "".join(sign if sign.isprintable() else "?" for sign in text).strip()
    return shown[:200] or "file"
