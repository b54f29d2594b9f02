"""Average curves of readers: how often simultaneous bands contain the average true curve.

python -m rocbands_studies.coverage.reader_curves 400        400 data sets a cell

Roe and Metz' model of one test: the score of reader j for case k is d_j times the class, plus a
part of the case that all readers share, plus a part of their own; the variance of both is 1, and
the shared part has `shared` of it. Readers differ: d_j is normal about the d of the nominal AUC
with the variances of Roe and Metz, or has a skewed distribution of the same variance. New readers
are drawn for each data set, and the band is judged by the average of the true curves of those
readers. 'unshared': cases resampled for each reader alone, which is wrong; a quarter of the sets.
"""

from __future__ import annotations

import dataclasses
import sys
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

import rocbands as rb
from rocbands.core.curve import Curve
from rocbands.core.roc import RocCurve
from rocbands.readers.average import ReaderAverage, pool_readers

Array = np.ndarray
LEVELS = (0.9, 0.95, 0.99)
# Twice the variance of a reader's score in one class, from Roe and Metz (1997), by AUC.
SPREAD = {0.7: 0.022, 0.85: 0.06, 0.96: 0.112, 0.99: 0.112}


@dataclass(frozen=True)
class Cell:
    """Readers and cases, and how scores arise."""

    auc: float
    readers: int
    n_pos: int
    n_neg: int
    shared: float = 0.6  # correlation of two readers' scores of a case
    kind: str = ""  # 'ratings', 'skewed', 'missing', 'patients' or ''

    @property
    def name(self) -> str:
        more = f", {self.kind}" if self.kind else ""
        more += f", correlation {self.shared:g}" if self.shared != 0.6 else ""
        who = f"{self.readers} reader{'s' * (self.readers > 1)}"
        return f"{who}, {self.n_pos} + {self.n_neg}, AUC {self.auc:g}{more}"

    def draw(self, rng: np.random.Generator) -> tuple[rb.Readings, Curve]:
        """Draw a study, and the average true curve of its readers."""
        n, r = self.n_pos + self.n_neg, self.readers
        deviates = rng.normal(size=r)
        if self.kind == "skewed":
            deviates = 1.0 - rng.exponential(size=r)
        d = np.sqrt(2.0) * ndtri(self.auc) + np.sqrt(2.0 * SPREAD[self.auc]) * deviates
        y = np.arange(n) < self.n_pos
        # Two cases of a patient, of the same class, share half of what all readers see.
        patient = np.arange(n) // 2 if self.kind == "patients" else np.arange(n)
        half = rng.normal(size=n)[patient] if self.kind == "patients" else rng.normal(size=n)
        seen = np.sqrt(0.5) * half + np.sqrt(0.5) * rng.normal(size=n)
        x = np.sqrt(self.shared) * seen + np.sqrt(1.0 - self.shared) * rng.normal(size=(r, n))
        x += d[:, None] * y
        cuts = ndtri([0.4, 0.65, 0.85, 0.95]) if self.kind == "ratings" else None
        if cuts is not None:
            x = np.digitize(x, cuts).astype(float)
        if self.kind == "missing":
            x[rng.random(x.shape) < 0.2] = np.nan
        groups = patient if self.kind == "patients" else None
        return make_readings(y, x, groups), find_average(d, cuts)


def make_readings(y: Array, x: Array, groups: Array | None) -> rb.Readings:
    """Describe the study; x: (readers, cases)."""
    reader, case = np.nonzero(~np.isnan(x))
    more: dict[str, Any] = {} if groups is None else {"clusters": groups[case]}
    return rb.Readings(y[case].astype(int), x[reader, case], reader=reader, case=case, **more)


def find_average(d: Array, cuts: Array | None) -> Curve:
    """Average the true curves of readers along x + y = c."""
    at = np.linspace(12.0, -8.0, 6001) if cuts is None else np.sort(cuts)[::-1]
    c = np.linspace(0.0, 2.0, 4001)
    x = np.concatenate(([0.0], ndtr(-at), [1.0]))
    each = [np.interp(c, x + y, x) for y in (np.r_[0.0, ndtr(one - at), 1.0] for one in d)]
    mean = np.mean(each, axis=0)
    return Curve(mean, np.clip(c - mean, 0.0, 1.0))


def separate(roc: RocCurve) -> RocCurve:
    """Number the units of each reader apart, so that readers share no case."""
    folds = []
    for place, fold in enumerate(roc.folds):
        assert fold.clusters is not None
        size = fold.clusters.size
        groups = dataclasses.replace(
            fold.clusters, code=fold.clusters.code + place * size, size=len(roc.folds) * size
        )
        folds.append(dataclasses.replace(fold, clusters=groups))
    return dataclasses.replace(roc, folds=tuple(folds))


_SIZES = ((r, n) for r in (3, 5, 10) for n in (25, 50, 100))
CELLS = (
    *(Cell(auc, r, n, n) for auc, (r, n) in product((0.7, 0.85, 0.96), _SIZES)),
    Cell(0.7, 5, 10, 90),
    Cell(0.85, 5, 10, 90),
    Cell(0.96, 5, 10, 90),
    Cell(0.85, 5, 40, 15),
    Cell(0.99, 5, 25, 25),
    Cell(0.99, 5, 100, 100),
    Cell(0.85, 1, 50, 50),
    Cell(0.85, 5, 50, 50, shared=0.2),
    Cell(0.85, 10, 25, 25, shared=0.95),
    Cell(0.85, 5, 50, 50, kind="ratings"),
    Cell(0.96, 5, 50, 50, kind="ratings"),
    Cell(0.85, 5, 50, 50, kind="skewed"),
    Cell(0.85, 5, 50, 50, kind="missing"),
    Cell(0.85, 5, 50, 50, kind="patients"),
)


def measure(cell: Cell, sets: int, seed: int, n_resamples: int = 1000) -> Array:
    """Share of bands that hold at each level; at .95 unshared; mean area between the edges."""
    rng = np.random.default_rng(seed)
    method, found, control = ReaderAverage(n_resamples), np.zeros(len(LEVELS) + 1), []
    for number in range(sets):
        readings, truth = cell.draw(rng)
        roc = pool_readers(readings, readings.tests[0])
        bands = method.at_levels(roc, LEVELS, rng=rng)
        found += [*(band.region.contains(truth) for band in bands), bands[1].area]
        if number % 4 == 0:
            control.append(method(separate(roc), level=0.95, rng=rng).region.contains(truth))
    return np.insert(found / sets, len(LEVELS), np.mean(control))


def main(sets: int = 400, only: str = "") -> None:
    print("| study | .90 | .95 | .99 | .95, unshared | mean area |\n|---|" + "--:|" * 5)
    for number, cell in enumerate(CELLS):
        if only in cell.name:
            shares = measure(cell, sets, 77_000 + number)
            cells = " | ".join(f"{share:.3f}".lstrip("0") for share in shares)
            print(f"| {cell.name} | {cells} |", flush=True)


if __name__ == "__main__":
    main(*(kind(text) for kind, text in zip((int, str), sys.argv[1:], strict=False)))
