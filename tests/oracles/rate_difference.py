"""Recall of two models at the same rate, row by row, from the definitions."""

from __future__ import annotations

import math


def acted_on(scores: list[float], count: float) -> list[float]:
    """Share of each row that is acted on when `count` rows are; tied rows share what is left."""
    shares = [0.0] * len(scores)
    for score in sorted(set(scores), reverse=True):
        tied = [row for row, other in enumerate(scores) if other == score]
        taken = min(count, float(len(tied)))
        for row in tied:
            shares[row] = taken / len(tied)
        count -= taken
    return shares


def difference(
    labels: list[int],
    one: list[float],
    two: list[float],
    folds: list[int],
    rate: float,
    sampling: str = "stratified",
) -> tuple[float, float, float, float]:
    """Both recalls, and the variances of their difference that were seen and that were not.

    With sampling 'full' what a row adds is that to found / n_pos, whose denominator is random:
    ``y c - recall y - precision (c - rate)``.
    """
    n_pos = sum(labels)
    n_neg = len(labels) - n_pos
    recalls, influences, precisions = [], [], []
    for scores in (one, two):
        called = [0.0] * len(labels)
        positives_near = rows_near = 0.0
        for fold in sorted(set(folds)):
            rows = [row for row in range(len(labels)) if folds[row] == fold]
            own = [scores[row] for row in rows]
            count = rate * len(rows)
            for row, share in zip(rows, acted_on(own, count), strict=True):
                called[row] = share
            reach = max(1.7 * math.sqrt(count * (1 - rate)), 1.0)
            first, last = max(count - reach, 0.0), min(count + reach, float(len(rows)))
            near = [b - a for a, b in zip(acted_on(own, first), acted_on(own, last), strict=True)]
            positives_near += sum(
                share for row, share in zip(rows, near, strict=True) if labels[row]
            )
            rows_near += last - first
        recall = sum(share for share, label in zip(called, labels, strict=True) if label) / n_pos
        false = sum(share for share, label in zip(called, labels, strict=True) if not label) / n_neg
        precision = positives_near / rows_near
        recalls.append(recall)
        precisions.append(precision)
        influences.append(
            [
                label * (share - recall) - precision * (share - rate)
                if sampling == "full"
                else (1 - precision) * (share - recall)
                if label
                else -precision * (share - false)
                for share, label in zip(called, labels, strict=True)
            ]
        )
    seen = sum((a - b) ** 2 for a, b in zip(*influences, strict=True)) / n_pos**2
    unseen = sum(p**2 + (1 - p) ** 2 for p in precisions) / 2 / n_pos**2
    return recalls[0], recalls[1], seen, unseen
