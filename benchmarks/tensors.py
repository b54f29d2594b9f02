"""Counts of scores in tensors, beside torchmetrics: ``python -m benchmarks.tensors``.

Needs ``pip install 'rocbands[torch]'``. Without a GPU the same is measured on the processor, for
fewer rows and without the memory.
"""

from __future__ import annotations

import argparse
import gc
import importlib.metadata
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import torch
from sklearn.metrics import roc_auc_score
from torchmetrics.functional.classification import binary_auroc

import rocbands as rb
from benchmarks.machine import description
from rocbands.io.layout import fit_table
from rocbands.io.tables import markdown_table
from rocbands.torch import RocCounts

__all__ = ["main", "rows"]

TITLE = (
    "From scores in tensors to the AUC: milliseconds (best of 5), largest memory beyond the "
    "scores, and error of the AUC"
)
_BATCHES = 4


def draw(size: int, place: str) -> tuple[Any, Any]:
    """Draw logits of two normal classes, a fifth of the rows positive."""
    stream = torch.Generator(device=place).manual_seed(1)
    labels = (torch.rand(size, generator=stream, device=place) < 0.2).to(torch.int32)
    scores = torch.randn(size, generator=stream, device=place)
    return scores.add_(labels, alpha=1.5), labels


def measure(call: Callable[[], Any], place: str, repeats: int = 5) -> tuple[float, float, Any]:
    """Return the best time in ms, the peak of memory in GB, and what was found."""
    best, peak, found = float("inf"), 0.0, None
    for _ in range(repeats + 1):  # the first call compiles
        found = None
        gc.collect()
        before = 0
        if place == "cuda":
            torch.cuda.synchronize()
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()
            before = torch.cuda.memory_allocated()
        start = time.perf_counter()
        found = call()
        if place == "cuda":
            torch.cuda.synchronize()
            peak = (torch.cuda.max_memory_allocated() - before) / 1e9
        if _ > 0:
            best = min(best, 1e3 * (time.perf_counter() - start))
    return best, peak, found


def find_auc(scores: Any, labels: Any) -> float:
    """Work out the AUC exactly, by a sort; normal scores have few ties, which count one half."""
    ordered, order = torch.sort(scores)
    positive = labels[order].to(torch.float64)
    del order
    change = torch.ones(ordered.numel(), dtype=torch.bool, device=ordered.device)
    change[1:] = ordered[1:] != ordered[:-1]
    del ordered
    starts = torch.nonzero(change).ravel()
    total = torch.cat([positive.new_zeros(1), positive.cumsum(0)])
    n_pos, n = float(total[-1]), positive.numel()
    ends = torch.cat([starts[1:], starts.new_tensor([n])])
    pos = total[ends] - total[starts]
    neg = (ends - starts) - pos
    below = torch.cumsum(neg, 0) - neg
    return float((pos * (below + neg / 2)).sum() / (n_pos * (n - n_pos)))


def _ways(scores: Any, labels: Any, place: str) -> dict[str, Callable[[], Any]]:
    metric = RocCounts().to(place)

    def add() -> None:
        metric.reset()
        for batch in zip(scores.chunk(_BATCHES), labels.chunk(_BATCHES), strict=True):
            metric.update(*batch)

    def add_plainly() -> None:
        with mock.patch("rocbands.scale.tensors.find_kernel", return_value=None):
            add()

    def answer() -> float:
        add()
        return float(metric.compute().roc.auc)

    def limits() -> float:
        add()
        counts = metric.compute()
        rb.roc_band(counts)
        return float(rb.auc_interval(counts).estimate)

    ways: dict[str, Callable[[], Any]] = {
        "one read of the data": lambda: (scores.amax(), labels.amax()),
        "rocbands: counts": add,
        "rocbands: counts, AUC": answer,
        "rocbands: counts, AUC with limits, band": limits,
        "torch.sort": lambda: torch.sort(scores),
        "torchmetrics, exact": lambda: float(binary_auroc(scores, labels)),
        "torchmetrics, 200 thresholds": lambda: float(binary_auroc(scores, labels, thresholds=200)),
    }
    if place == "cuda":
        ways["rocbands: counts, without the kernel"] = add_plainly
    else:
        ways["scikit-learn"] = lambda: float(roc_auc_score(labels.numpy(), scores.numpy()))
    return ways


def rows(largest: float, place: str) -> Iterator[dict[str, object]]:
    """One row for each size and way."""
    power = 6 if place == "cuda" else 5
    while 10**power <= largest:
        size = 10**power
        scores, labels = draw(size, place)
        exact = find_auc(scores, labels)
        for name, way in _ways(scores, labels, place).items():
            row: dict[str, object] = {"rows": f"10^{power}", "way": name}
            try:
                spent, peak, found = measure(way, place, 5 if size < 10**9 else 3)
            except torch.OutOfMemoryError:
                yield row | {"ms": "out of memory", "GB": "", "error of AUC": ""}
                continue
            error = f"{abs(found - exact):.1e}" if isinstance(found, float) else ""
            yield row | {"ms": f"{spent:.3g}", "GB": f"{peak:.2f}", "error of AUC": error}
        certificate = rb.ScoreCounts.from_arrays(labels, scores).roc.certificate
        yield {
            "rows": f"10^{power}",
            "way": "rocbands: bound on the error",
            "ms": "",
            "GB": "",
            "error of AUC": f"{certificate:.1e}",
        }
        del scores, labels
        power += 1


def describe(place: str) -> str:
    """Say what was measured on."""
    used = f"torch {torch.__version__}, torchmetrics {importlib.metadata.version('torchmetrics')}"
    if place == "cpu":
        return f"{description()[:-1]}, {used}; no GPU."
    return f"Measured on one {torch.cuda.get_device_name()}; {used}."


def main() -> None:
    """Print the table, and write it where it is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--largest", type=float, help="rows, at most")
    parser.add_argument("-o", "--output", type=Path, help="write Markdown here")
    asked = parser.parse_args()
    place = "cuda" if torch.cuda.is_available() else "cpu"
    table = list(rows(asked.largest or (1e9 if place == "cuda" else 1e7), place))
    if place == "cpu":
        table = [{title: row[title] for title in row if title != "GB"} for row in table]
    columns = {title: [row[title] for row in table] for title in table[0]}
    print(f"{describe(place)}\n\n{TITLE}\n\n{fit_table(columns)}")
    if asked.output is not None:
        about = f"{describe(place)}\n\n{TITLE} (`python -m benchmarks.tensors`)."
        text = f"# Scores in tensors\n\n{about}\n\n{markdown_table(columns)}\n"
        asked.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
