"""Points of a curve, one threshold after the other."""

from __future__ import annotations

import itertools
import math

from tests.oracles.averaging import Rows, rates, vertices


def best(rows: Rows, loss) -> list[float]:
    """All thresholds with the smallest loss, from the highest down; inf calls nobody positive."""
    cuts = [math.inf, *sorted({s for _, s in rows}, reverse=True)]
    if cuts[1] == math.inf:
        del cuts[0]
    losses = [loss(*rates(rows, cut)) for cut in cuts]
    return [cut for cut, found in zip(cuts, losses, strict=True) if found == min(losses)]


def deviance(k: float, size: int, p: float) -> float:
    """Log-likelihood ratio of k out of size against the probability p."""
    parts = [(k, p), (size - k, 1 - p)]
    if any(count > 0 and share <= 0 for count, share in parts):
        return math.inf
    return sum(
        count * math.log(count / size / share) for count, share in parts if count > 0 and share > 0
    )


def distance(rows: Rows, x: float, y: float) -> float:
    """Smallest log-likelihood ratio of a point of the curve against the rates (x, y); no ties."""
    n_neg = sum(label == 0 for label, _ in rows)
    n_pos = len(rows) - n_neg
    found = []
    for (x0, y0), (x1, y1) in itertools.pairwise(vertices(rows)):
        a = min(max(x * n_neg, float(x0 * n_neg)), float(x1 * n_neg))
        b = min(max(y * n_pos, float(y0 * n_pos)), float(y1 * n_pos))
        found.append(deviance(a, n_neg, x) + deviance(b, n_pos, y))
    return min(found)
