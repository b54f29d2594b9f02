"""Workbooks that are small files, and large once they are unpacked."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib


def zip_bomb(lie: bool) -> bytes:
    """A workbook whose styles are 1.9 GB of zeros once unpacked.

    With `lie` it states that they are 1000 bytes, with the right checksum of those.
    """
    size = 1900 * 2**20
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    first = packer.compress(bytes(2**20)) + packer.flush(zlib.Z_FULL_FLUSH)
    packed = first * 1900 + packer.flush()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as book:
        book.writestr("xl/workbook.xml", "<workbook/>")
        book.writestr("xl/styles.xml", packed)  # as it is, and called compressed below
    data = bytearray(out.getvalue())
    stated = 1000 if lie else size
    for mark, place in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        where = data.rindex(mark)
        struct.pack_into("<H", data, where + place, zipfile.ZIP_DEFLATED)
        struct.pack_into("<I", data, where + place + 6, zlib.crc32(bytes(1000)))
        struct.pack_into("<I", data, where + place + 14, stated)
    return bytes(data)
