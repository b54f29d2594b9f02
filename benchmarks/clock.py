"""How everything here is measured."""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections.abc import Callable

import numpy as np

__all__ = ["peak_bytes", "repeats", "seconds", "warm_up"]


def warm_up() -> None:
    """Use and free a large array, after which the system's C library keeps the memory it frees.

    Before that, small tasks of any tool would mostly wait for memory.
    """
    np.ones(3 << 20).sum()


def repeats(rows: int) -> int:
    """Tell how often a task of so many rows is measured: short ones vary more."""
    return 15 if rows <= 10**4 else 5


def seconds(*calls: Callable[[], object], repeats: int = 5) -> list[float]:
    """Best time of each call; the calls take turns, so that a busy machine slows all alike.

    A quick call is repeated until a measurement takes a twentieth of a second.
    """
    loops = [max(1, int(0.05 / max(_elapsed(call, 1), 1e-6))) for call in calls]
    best = [float("inf")] * len(calls)
    for _ in range(repeats):
        for place, (call, loop) in enumerate(zip(calls, loops, strict=True)):
            best[place] = min(best[place], _elapsed(call, loop))
    return best


def _elapsed(call: Callable[[], object], loops: int) -> float:
    gc.collect()
    start = time.perf_counter()
    for _ in range(loops):
        call()
    return (time.perf_counter() - start) / loops


def peak_bytes(call: Callable[[], object]) -> int:
    """Largest amount of memory that `call` holds at once, beyond what was there before."""
    gc.collect()
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
