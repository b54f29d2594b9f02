"""Two-sided rules by brute force: every pair of thresholds."""

from __future__ import annotations

import math


def rules(y: list[int], s: list[float]) -> dict[int, int]:
    """The most true positives of any rule with at most k false positives, for every k."""
    best = dict.fromkeys(range(y.count(0) + 1), 0)
    cuts = [-math.inf, *sorted(set(s)), math.inf]
    for low in cuts:
        for high in cuts:
            called = [a for a, b in zip(y, s, strict=True) if b <= low or b >= high]
            for k in range(called.count(0), y.count(0) + 1):
                best[k] = max(best[k], called.count(1))
    return best


def area(y: list[int], s: list[float]) -> float:
    """Mean height over all numbers of false positives but the last; no score is in both classes."""
    best = rules(y, s)
    return sum(best[k] for k in range(y.count(0))) / y.count(0) / y.count(1)


def split_area(y: list[int], s: list[float], g: float) -> float:
    """Area of rules that spend a share g of the false positives below."""
    pos = [b for a, b in zip(y, s, strict=True) if a == 1]
    neg = [b for a, b in zip(y, s, strict=True) if a == 0]
    total = 0.0
    for score in pos:
        below = sum((b < score) + (b == score) / 2 for b in neg)
        u = (below + 0.5) / (len(neg) + 1)
        total += 1 - min(u / g if g > 0 else math.inf, (1 - u) / (1 - g) if g < 1 else math.inf)
    return total / len(pos)
