"""Fixed-width bands beside rocci (compiled) and pROC (R), 1000 resamples each."""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import shutil
import subprocess
import warnings
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

import rocbands as rb
from benchmarks.clock import seconds
from rocbands.core.checks import FloatArray

__all__ = ["TITLE", "rows"]

TITLE = (
    "Fixed-width band, 1000 resamples and the largest distances: rocci and pROC's ci.se beside it"
)

# pROC is timed inside R, so that starting R does not count; scores arrive as text.
R_PROGRAM = """
suppressMessages(library(pROC)); d <- read.csv("stdin")
r <- roc(d$y, d$s, levels = c(0, 1), direction = "<", quiet = TRUE)
t <- system.time(ci.se(r, specificities = seq(0, 1, .01), boot.n = 1000, progress = "none"))
cat("seconds", t[["elapsed"]], "\\n")
"""


def _threads(count: int, call: Callable[[], object]) -> object:
    os.environ["ROCBANDS_NUM_THREADS"] = str(count)
    return call()


def _ours(labels: np.ndarray, scores: FloatArray) -> float:
    return rb.roc_band(labels, scores, method="fixed-width", rng=1).area


def _with_r(labels: np.ndarray, scores: FloatArray) -> float | None:
    """Seconds that pROC takes, or None where R or pROC is missing."""
    if shutil.which("Rscript") is None:
        return None
    table = "y,s\n" + "\n".join(f"{y},{s!r}" for y, s in zip(labels, scores.tolist(), strict=True))
    done = subprocess.run(
        ["Rscript", "-e", R_PROGRAM], input=table, capture_output=True, text=True, check=False
    )
    found = re.search(r"seconds ([0-9.e-]+)", done.stdout)
    return float(found.group(1)) if found else None


def rows(sizes: tuple[int, ...] = (10**3, 10**4, 10**5, 10**6)) -> Iterator[dict[str, object]]:
    """One row for each size, untied scores; peers that are not installed are left out."""
    peer = importlib.import_module("rocci") if importlib.util.find_spec("rocci") else None
    for size in sizes:
        rng = np.random.default_rng(size)
        labels = (rng.random(size) < 0.5).astype(np.int8)
        scores = rng.normal(size=size) + labels
        calls = [partial(_threads, k, partial(_ours, labels, scores)) for k in (1, 2)]
        if peer is not None:
            calls += [
                partial(peer.roc_band, labels, scores, n_boot=1000, n_threads=k, random_state=1)
                for k in (1, 2)
            ]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            times = seconds(*calls, repeats=3 if size >= 10**5 else 7)
        in_r = _with_r(labels, scores) if size == 10**4 else None
        yield {
            "rows": size,
            "1 thread, ms": round(1e3 * times[0], 1),
            "2 threads, ms": round(1e3 * times[1], 1),
            "gain": round(times[0] / times[1], 2),
            "rocci 1, ms": round(1e3 * times[2], 1) if peer else "",
            "rocci 2, ms": round(1e3 * times[3], 1) if peer else "",
            "of rocci 1": round(times[0] / times[2], 2) if peer else "",
            "of rocci 2": round(times[1] / times[3], 2) if peer else "",
            "pROC, times slower": round(in_r / times[0]) if in_r else "",
        }
