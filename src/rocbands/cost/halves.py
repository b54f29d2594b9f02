"""Half of the rows to choose thresholds, the other half to judge them."""

from __future__ import annotations

from typing import Any

import numpy as np

from rocbands.core.checks import check_rng
from rocbands.core.scores import PairedScores
from rocbands.errors import InputError

__all__ = ["halves"]


def halves(models: PairedScores, rng: Any) -> tuple[PairedScores, PairedScores]:
    """Part the rows at random: half of either class to choose thresholds, the others to judge.

    Parameters
    ----------
    models : PairedScores
        The rows; there must be two of either class.
    rng : None, int, SeedSequence or Generator
        Source of randomness.

    Examples
    --------
    >>> models = PairedScores.from_columns([1, 0, 1, 0], {"a": [4, 3, 2, 1]})
    >>> [part.is_positive.size for part in halves(models, 1)]
    [2, 2]
    """
    generator = check_rng(rng)
    first = np.zeros(models.is_positive.size, dtype=np.bool_)
    for own in (models.is_positive, ~models.is_positive):
        rows = np.flatnonzero(own)
        if rows.size < 2:
            raise InputError(
                "Halves of the rows need two rows of either class; one class has only 1. Choose "
                "thresholds on other rows."
            )
        first[generator.choice(rows, rows.size // 2, replace=False)] = True
    chosen, judged = (
        PairedScores(
            models.is_positive[part],
            {name: scores[part] for name, scores in models.models.items()},
            models.positive,
            models.frame,
        )
        for part in (first, ~first)
    )
    return chosen, judged
