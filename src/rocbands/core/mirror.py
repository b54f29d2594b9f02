"""The mirrored problem: classes swapped and scores negated, so that (x, y) becomes (1-y, 1-x)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rocbands.core.checks import CountArray
from rocbands.core.roc import RocCurve

__all__ = ["mirrored_roc"]


def mirrored_roc(roc: RocCurve) -> RocCurve:
    """Call the negatives positive and read the scores from the lowest up.

    The false positive rate at a given true positive rate becomes one minus the true positive rate
    at a given false positive rate. Thresholds become ranks: scores need not have a sign.

    Examples
    --------
    >>> roc = RocCurve.from_counts([0.9, 0.5, 0.1], fp=[0, 2, 5], tp=[3, 4, 4])
    >>> mirrored_roc(roc).fp, mirrored_roc(roc).tp
    (array([0, 1, 4]), array([3, 5, 5]))
    """
    size = roc.fp.size
    groups = roc.groups
    if groups is not None:
        groups = replace(groups, step=size - 1 - groups.step, is_positive=~groups.is_positive)
    return replace(
        roc,
        thresholds=np.arange(size, 0, -1),
        fp=_from_below(roc.tp),
        tp=_from_below(roc.fp),
        groups=groups,
        folds=tuple(mirrored_roc(fold) for fold in roc.folds),
        tops=None,
    )


def _from_below(counts: CountArray) -> CountArray:
    return np.asarray(counts[-1] - np.concatenate(([0], counts[:-1]))[::-1])
