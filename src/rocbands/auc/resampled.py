"""Areas under resampled curves: nothing else of the resamples is needed, and it is quick."""

from __future__ import annotations

import numpy as np

from rocbands.core.checks import CountArray, FloatArray
from rocbands.core.roc import RocCurve
from rocbands.resample.curves import Rates, over_resamples, source_of
from rocbands.resample.streams import in_chunks

__all__ = ["resampled_aucs"]

_BATCH = 30_000  # rows drawn at once: few enough to stay in the processor's cache
_FEW = 8  # rows for each step from which on drawing counts is quicker than drawing rows


def resampled_aucs(roc: RocCurve, n_resamples: int, rng: np.random.Generator) -> FloatArray:
    """AUCs of test sets drawn from the rows of `roc`, as many of each class as it has.

    Where `roc` has groups, whole groups are drawn instead, and class sizes vary as they come.

    Parameters
    ----------
    roc : RocCurve
        The observed curve.
    n_resamples : int
        Number of test sets.
    rng : Generator
        Source of randomness; the same gives the same numbers at any number of threads.
    """
    source = source_of(roc, stratified=True)
    rows = roc.n_pos + roc.n_neg
    if roc.groups is not None or source.steps * _FEW < rows:
        return over_resamples(source, n_resamples, rng, _areas)
    return np.concatenate(in_chunks(_RowDraws(roc).areas, n_resamples, rng))


def _areas(rates: Rates) -> FloatArray:
    return np.asarray(np.trapezoid(rates.y, rates.x, axis=1))


class _RowDraws:
    """Rows drawn one by one, all resamples of a chunk at once.

    Drawn negatives are counted by their place from the highest score down. The running total tells
    how many of them stand above each positive, and the AUC is the mean of that over the positives
    that are drawn.
    """

    def __init__(self, roc: RocCurve) -> None:
        self._n_pos, self._n_neg = roc.n_pos, roc.n_neg
        per_step = np.diff(roc.tp, prepend=0)
        self._up_to = np.repeat(roc.fp, per_step)
        above = np.repeat(roc.fp - np.diff(roc.fp, prepend=0), per_step)
        self._above = None if np.array_equal(above, self._up_to) else above

    def areas(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """AUCs of one chunk, a batch at a time in the same memory."""
        size = max(1, min(draws, _BATCH // (self._n_pos + self._n_neg)))
        desk = _Desk(size, self._n_pos, self._n_neg)
        lost = np.empty(draws)
        for start in range(0, draws, size):
            lost[start : start + size] = self._lost(desk, rng)[: draws - start]
        area: FloatArray = 1.0 - lost / (2.0 * self._n_pos * self._n_neg)
        return area

    def _lost(self, desk: _Desk, rng: np.random.Generator) -> CountArray:
        """Pairs lost by each resample, counted twice so that ties stay whole numbers."""
        cells = desk.drawn(rng, self._n_neg)
        counts = np.bincount(cells, minlength=desk.size * self._n_neg)
        np.cumsum(counts.reshape(desk.size, -1), axis=1, out=desk.total[:, 1:])
        # The mode says what to do with places beyond the end; there are none, but asking is slow.
        np.take(desk.total, self._up_to, axis=1, out=desk.twice, mode="clip")
        if self._above is None:
            desk.twice *= 2
        else:
            desk.twice += np.take(desk.total, self._above, axis=1)
        picked = desk.drawn(rng, self._n_pos)
        np.take(desk.twice, picked, out=desk.picked, mode="clip")
        lost: CountArray = desk.picked.reshape(desk.size, -1).sum(axis=1)
        return lost


class _Desk:
    """Memory for one batch, used again by the next, which was measured to be faster."""

    def __init__(self, size: int, n_pos: int, n_neg: int) -> None:
        self.size = size
        self.total = np.zeros((size, n_neg + 1), dtype=np.int64)
        self.twice = np.empty((size, n_pos), dtype=np.int64)
        self.picked = np.empty(size * n_pos, dtype=np.int64)
        self._flat = {n: np.empty((size, n), dtype=np.int64) for n in (n_pos, n_neg)}
        self._start = np.arange(size, dtype=np.int64)[:, None]

    def drawn(self, rng: np.random.Generator, among: int) -> CountArray:
        """Places in a flat table of `among` columns: in each row, as many as it is long."""
        places = rng.integers(0, among, (self.size, among), dtype=np.min_scalar_type(among - 1))
        return np.add(places, self._start * among, out=self._flat[among]).ravel()
