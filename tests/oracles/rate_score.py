"""Score interval of the recall at a rate, row by row, from the definitions."""

from __future__ import annotations

import math

from tests.oracles.rate_difference import acted_on


def observed(
    labels: list[int], scores: list[float], folds: list[int], rate: float
) -> tuple[float, float]:
    """Positives found, and the share of positives close to the threshold with half a row of each."""
    found = positives = rows = 0.0
    for fold in sorted(set(folds)):
        own = [row for row in range(len(labels)) if folds[row] == fold]
        count = rate * len(own)
        reach = max(1.7 * math.sqrt(count * (1 - rate)), 1.0)
        ends = max(count - reach, 0.0), min(count + reach, float(len(own)))
        values = [scores[row] for row in own]
        here, first, last = (acted_on(values, place) for place in (count, *ends))
        for row, a, b, c in zip(own, here, first, last, strict=True):
            found += a * labels[row]
            positives += (c - b) * labels[row]
        rows += ends[1] - ends[0]
    return found, (positives + 0.5) / (rows + 1.0)


def statistic(labels: list[int], found: float, near: float, rate: float, recall: float) -> float:
    """Squared score statistic of the hypothesis that the population's recall is `recall`.

    The variance is the mean square of what a row adds, over the four kinds of rows that there are
    under the hypothesis: positive or negative, acted on or not.
    """
    n, n_pos = len(labels), sum(labels)
    pi = n_pos / n
    if recall > 0:
        pi = min(pi, rate / recall)
    if recall < 1:
        pi = min(pi, (1 - rate) / (1 - recall))
    kinds = {
        (1, 1): pi * recall,
        (1, 0): pi * (1 - recall),
        (0, 1): rate - pi * recall,
        (0, 0): 1 - rate - pi * (1 - recall),
    }
    variance = sum(
        share * (y * c - recall * y - near * (c - rate)) ** 2 for (y, c), share in kinds.items()
    )
    distance = (found - recall * n_pos) ** 2
    if variance * n <= 1e-15:
        return 0.0 if distance < 1e-15 else math.inf
    return distance / (n * variance)
