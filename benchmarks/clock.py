"""How everything here is measured."""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections.abc import Callable

__all__ = ["peak_bytes", "seconds"]


def seconds(*calls: Callable[[], object], repeats: int = 5) -> list[float]:
    """Best time of each call; the calls take turns, so that a busy machine slows all alike."""
    best = [float("inf")] * len(calls)
    for _ in range(repeats):
        for place, call in enumerate(calls):
            gc.collect()
            start = time.perf_counter()
            call()
            best[place] = min(best[place], time.perf_counter() - start)
    return best


def peak_bytes(call: Callable[[], object]) -> int:
    """Largest amount of memory that `call` holds at once, beyond what was there before."""
    gc.collect()
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
