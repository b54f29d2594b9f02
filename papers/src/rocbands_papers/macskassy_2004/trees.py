"""Where the 2004 paper's test sets come from: the scores of a tree on Covertype."""

from __future__ import annotations

import numpy as np

from rocbands.errors import InputError
from rocbands_papers.dataset import DataSet
from rocbands_papers.hosts import Host
from rocbands_papers.paper import DataSource

__all__ = ["DATA", "learned", "trees"]

DATA = "covertype"
_ROWS = 495_141  # of which the paper learns from 256,000 and draws test sets from 125,000
_MODEL_SHARE, _HOST_SHARE = 256_000 / _ROWS, 125_000 / _ROWS
_LEARNED_FROM = 1000


def learned(cases: DataSet, seed: int, number: int) -> Host:
    """Split the rows, learn a tree from 1000 of the one part, score the other."""
    from rocbands_papers.learners import fit

    rng = np.random.default_rng([seed, number])
    order = rng.permutation(len(cases))
    model, host = (round(share * len(cases)) for share in (_MODEL_SHARE, _HOST_SHARE))
    rows = order[model : model + host]
    tree = fit("tree-laplace", cases, rng.choice(order[:model], _LEARNED_FROM), rng)
    scores, level = np.unique(-tree(rows), return_inverse=True)
    positive = cases.y[rows]
    sides = (level[positive], level[~positive])
    pos, neg = (np.bincount(side, minlength=scores.size).tolist() for side in sides)
    return Host(f"tree {number}", tuple(pos), tuple(neg))


def trees(data: DataSource | None, seed: int, count: int) -> tuple[Host, ...]:
    """Learn some trees, each with a split of its own."""
    if data is None:
        raise InputError(
            f"This study needs the data set {DATA!r}; it was planned without data. Name a folder "
            "of data sets."
        )
    cases: DataSet = data(DATA)
    return tuple(learned(cases, seed, number) for number in range(1, count + 1))
