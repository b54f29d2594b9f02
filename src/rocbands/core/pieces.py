"""Passes over many rows piece by piece, in buffers that fit the cache.

New memory costs more than arithmetic: filling 80 MB for the first time takes longer than ten
passes over them. A pass that keeps little of each piece needs next to none.
"""

from __future__ import annotations

from collections.abc import Iterator

PIECE = 1 << 14  # rows that are looked at together


def cut_pieces(size: int, *, overlap: int = 0) -> Iterator[slice]:
    """Cut `size` rows into pieces; each has the last `overlap` rows of the one before, too.

    Examples
    --------
    >>> list(cut_pieces(20000, overlap=1))
    [slice(0, 16384, None), slice(16383, 20000, None)]
    """
    for start in range(0, size, PIECE):
        yield slice(max(start - overlap, 0), min(start + PIECE, size))
