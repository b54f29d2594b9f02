"""The likelihood band against the band of rocci (compiled), one thread each, sort included."""

from __future__ import annotations

import importlib
import importlib.util
import warnings
from collections.abc import Iterator
from functools import partial

import numpy as np

import rocbands as rb
from benchmarks.clock import peak_bytes, seconds
from rocbands.core.checks import FloatArray

__all__ = ["TITLE", "rows"]

TITLE = "Likelihood band (both edges, all abscissae) against rocci's band with 1000 resamples"


def _ours(labels: np.ndarray, scores: FloatArray) -> float:
    return rb.roc_band(labels, scores, method="likelihood").area


def rows(sizes: tuple[int, ...] = (10**3, 10**4, 10**5, 10**6)) -> Iterator[dict[str, object]]:
    """One row for each size, untied scores; without rocci only our own time is given."""
    peer = importlib.import_module("rocci") if importlib.util.find_spec("rocci") else None
    for size in sizes:
        rng = np.random.default_rng(size)
        labels = (rng.random(size) < 0.5).astype(np.int8)
        scores = rng.normal(size=size) + labels
        calls = [partial(_ours, labels, scores)]
        if peer is not None:
            theirs = partial(
                peer.roc_band, labels, scores, n_boot=1000, n_threads=1, random_state=1
            )
            calls.append(theirs)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            times = seconds(*calls, repeats=3 if size >= 10**5 else 9)
        peak = peak_bytes(calls[0])
        yield {
            "rows": size,
            "rocbands, ms": round(1e3 * times[0], 2),
            "rocci, ms": round(1e3 * times[1], 1) if peer else "not installed",
            "times faster": round(times[1] / times[0], 1) if peer else "",
            "peak bytes per row": round(peak / size, 1),
        }
