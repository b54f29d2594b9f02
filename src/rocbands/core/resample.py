"""Test sets drawn with replacement from the rows of a curve."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rocbands.core.checks import CountArray, FloatArray, IndexArray
from rocbands.core.roc import RocCurve

__all__ = ["resampled_heights", "resampled_rates"]

_BATCH = 4_000_000  # counts held at a time


def resampled_rates(
    roc: RocCurve,
    steps: IndexArray,
    n_resamples: int,
    rng: np.random.Generator,
    *,
    stratified: bool = False,
) -> tuple[FloatArray, FloatArray]:
    """Rates (fpr, tpr) of resampled test sets at given steps, each (n_resamples, len(steps)).

    Step k means score >= thresholds[k - 1]; step 0 lies above every score. Rows are drawn without
    regard to their class, and again where a class is missing, unless `stratified`; whole groups
    are drawn where the curve has groups.
    """
    fpr, tpr = (np.empty((n_resamples, steps.size)) for _ in range(2))
    for rows, fp, tp in _batches(roc, n_resamples, rng, stratified):
        fpr[rows], tpr[rows] = (side[:, steps] / side[:, -1:] for side in (fp, tp))
    return fpr, tpr


def resampled_heights(
    roc: RocCurve,
    fpr: FloatArray,
    n_resamples: int,
    rng: np.random.Generator,
    *,
    stratified: bool = False,
) -> FloatArray:
    """Topmost tpr of each resampled curve at each fpr, (n_resamples, len(fpr))."""
    heights = np.empty((n_resamples, fpr.size))
    for rows, fp, tp in _batches(roc, n_resamples, rng, stratified):
        heights[rows] = _tops(fp, tp, fpr)
    return heights


def _tops(fp: CountArray, tp: CountArray, fpr: FloatArray) -> FloatArray:
    row = np.arange(fp.shape[0])[:, None]
    at = fp[:, -1:] * fpr
    apart = row * (fp[:, -1].max() + 1)
    flat = np.searchsorted((fp + apart).ravel(), np.floor(at + 1e-9) + apart, side="right") - 1
    before = flat - row * fp.shape[1]
    after = np.minimum(before + 1, fp.shape[1] - 1)
    x0, x1, y0, y1 = (side[row, i] for side in (fp, tp) for i in (before, after))
    share = np.clip((at - x0) / np.maximum(x1 - x0, 1), 0.0, 1.0)
    tops: FloatArray = (y0 + share * (y1 - y0)) / tp[:, -1:]
    return tops


def _batches(
    roc: RocCurve, n_resamples: int, rng: np.random.Generator, stratified: bool
) -> Iterator[tuple[slice, CountArray, CountArray]]:
    """Cumulative counts, from 0, of a batch of resampled test sets after the other."""
    size = max(1, _BATCH // (2 * roc.fp.size + 2))
    for start in range(0, n_resamples, size):
        rows = slice(start, min(start + size, n_resamples))
        draws = rows.stop - rows.start
        fp, tp = _drawn(roc, draws, rng, stratified)
        missing = (fp[:, -1] == 0) | (tp[:, -1] == 0)
        while missing.any():
            fp[missing], tp[missing] = _drawn(roc, int(missing.sum()), rng, stratified)
            missing = (fp[:, -1] == 0) | (tp[:, -1] == 0)
        yield rows, fp, tp


def _drawn(
    roc: RocCurve, draws: int, rng: np.random.Generator, stratified: bool
) -> tuple[CountArray, CountArray]:
    fp, tp = (np.diff(side, prepend=0) for side in (roc.fp, roc.tp))
    n_neg, n_pos = roc.n_neg, roc.n_pos
    if roc.groups is not None:
        held = np.zeros((roc.groups.size, 2 * fp.size), dtype=np.int64)
        cell = roc.groups.step + fp.size * roc.groups.is_positive
        np.add.at(held, (roc.groups.code, cell), 1)
        shares = np.full(roc.groups.size, 1 / roc.groups.size)
        both = rng.multinomial(roc.groups.size, shares, draws) @ held
    elif stratified:
        pair = rng.multinomial(n_neg, fp / n_neg, draws), rng.multinomial(n_pos, tp / n_pos, draws)
        both = np.concatenate(pair, axis=1)
    else:
        size = n_neg + n_pos
        both = rng.multinomial(size, np.concatenate((fp, tp)) / size, draws)
    ahead = [(0, 0), (1, 0)]
    halves = both[:, : fp.size], both[:, fp.size :]
    fp_drawn, tp_drawn = (np.pad(np.cumsum(half, axis=1), ahead) for half in halves)
    return fp_drawn, tp_drawn
