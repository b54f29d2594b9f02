"""Time of reader studies, beside a jackknife with scikit-learn's AUC."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from statistics import median
from time import process_time
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

import rocbands as rb
from rocbands.core.checks import BoolArray, FloatArray

TIMES = 5
SIZES = ((5, 114), (10, 200), (30, 1000))  # readers and cases, under two tests
TITLE = (
    "Reader studies of two tests: CPU seconds of the whole analysis by each method, and of one "
    "covariance matrix by leaving out each case with scikit-learn's roc_auc_score, as ratio to "
    f"'bounded' (medians of {TIMES}; the peer once, on at most 200 cases, scaled to all)"
)


def rows() -> Iterator[dict[str, Any]]:
    """Time each size."""
    for readers, cases in SIZES:
        readings = draw_study(readers, cases)
        own, some = readings.is_positive, np.linspace(0, cases - 1, min(cases, 200)).astype(int)
        jackknife = rb.readers.ObuchowskiRockette("jackknife")
        ask: dict[str, dict[str, Any]] = {
            "bounded": {},
            "obuchowski-rockette, jackknife": {"method": jackknife},
            "one-shot": {"method": "one-shot"},
            "partial_auc": {"metric": "partial_auc", "fpr": (0, 0.2)},
        }
        found = {
            name: _time(partial(rb.compare_readers, readings, **how)) for name, how in ask.items()
        }
        start = process_time()
        leave_out(own, readings.scores, some)
        peer = (process_time() - start) * cases / some.size
        row: dict[str, Any] = {"study": f"{readers} readers x 2 tests x {cases} cases"}
        row |= {name: f"{seconds:.4f}" for name, seconds in found.items()}
        yield row | {"scikit-learn / bounded": f"{peer / found['bounded']:.0f}"}


def draw_study(readers: int, cases: int) -> rb.Readings:
    """Draw normal scores with effects of readers and cases."""
    rng = np.random.default_rng(1)
    test, reader, case = (part.ravel() for part in np.indices((2, readers, cases)))
    ill = case < 2 * cases // 5
    score = rng.normal(size=ill.size) + rng.normal(size=cases)[case]
    score += ill * (1.5 + 0.1 * test + 0.2 * rng.normal(size=readers)[reader])
    return rb.Readings(ill, score, reader=reader, case=case, test=test)


def leave_out(own: BoolArray, scores: FloatArray, some: Any) -> FloatArray:
    """Areas of all readers and tests without one of `some` cases."""
    cells = scores.reshape(-1, own.size)
    keep = np.ones(own.size, dtype=bool)
    found = np.empty((len(some), len(cells)))
    for place, case in enumerate(some):
        keep[case] = False
        found[place] = [roc_auc_score(own[keep], cell[keep]) for cell in cells]
        keep[case] = True
    return found


def _time(call: Callable[[], object]) -> float:
    call()  # imports
    seconds = []
    for _ in range(TIMES):
        start = process_time()
        call()
        seconds.append(process_time() - start)
    return median(seconds)
