"""Random numbers for several threads: results do not depend on the number of threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np

from rocbands.core.checks import check_room
from rocbands.core.progress import follow
from rocbands.errors import InputError, Message, arg

S = TypeVar("S")
T = TypeVar("T")

THREADS = "ROCBANDS_NUM_THREADS"
CHUNK = 125  # draws of one thread at once: large enough for NumPy, small enough for memory
MANY = 50_000  # from this many rows on, NumPy's calls take long enough for threads to pay
MOST_CHUNKS = 20_000  # chunks shrink as test sets grow, so this bounds the work of a call


def count_threads() -> int:
    """Return the number of threads: `ROCBANDS_NUM_THREADS`, or one for each processor."""
    asked = os.environ.get(THREADS)
    if asked is None:
        allowed = getattr(os, "sched_getaffinity", None)  # not every system can tell
        return len(allowed(0)) if allowed else os.cpu_count() or 1
    if not asked.isdecimal() or int(asked) < 1:
        raise InputError(f"{THREADS} must be a whole number of at least 1; it is {asked!r}.")
    return int(asked)


def run_chunks(
    work: Callable[[int, np.random.Generator], T],
    total: int,
    rng: np.random.Generator,
    *,
    size: int = CHUNK,
) -> list[T]:
    """Do `total` draws in chunks and return the results of all chunks, in order.

    `work`: takes the number of draws in a chunk and the chunk's own random generator. `size`:
    number of draws in one chunk; the last one may be smaller.
    """
    # Each chunk has its own random stream, and chunks do not depend on the number of threads, so
    # neither do the results. NumPy releases the GIL while it draws and computes.
    if total > size * MOST_CHUNKS:
        raise InputError(
            f"must be at most {size * MOST_CHUNKS:,} for test sets of this size",
            f"got {total:,}",
            Message("Pass {} or less.", arg("n_resamples", size * MOST_CHUNKS)),
            argument="n_resamples",
        )
    sizes = [min(size, total - start) for start in range(0, total, size)]
    streams = _streams(rng, len(sizes))
    threads = min(count_threads(), len(sizes))

    def checked(draws: int, stream: np.random.Generator) -> T:
        part = work(draws, stream)
        if isinstance(part, np.ndarray):
            check_room(total, part.size // draws)  # the size of the whole result
        return part

    if threads == 1:
        return list(follow(map(checked, sizes, streams), len(sizes)))
    pool = ThreadPoolExecutor(threads)
    try:
        return list(follow(pool.map(checked, sizes, streams), len(sizes)))
    finally:  # on interrupt, wait for running chunks and cancel the others
        pool.shutdown(cancel_futures=True)


def map_columns(work: Callable[[S], T], columns: Sequence[S], rows: int) -> list[T]:
    """Apply `work` to each column of `rows` rows, in threads, and return the results in order."""
    threads = min(count_threads(), len(columns)) if rows >= MANY else 1
    if threads == 1:
        return [work(column) for column in columns]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, columns))


def _streams(rng: np.random.Generator, count: int) -> list[np.random.Generator]:
    try:
        return rng.spawn(count)
    except TypeError:  # legacy bit generators cannot spawn: derive seeds from them
        seed = int(rng.integers(2**63))
        return [np.random.default_rng([seed, place]) for place in range(count)]
