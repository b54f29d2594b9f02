"""Ordinates of one fold's curve at an abscissa, from the rows, threshold by threshold."""

from __future__ import annotations

from itertools import pairwise


def rates(y: list[int], s: list[float]) -> list[tuple[float, float]]:
    """False and true positive rate of every threshold, from none to all called."""
    points = [(0.0, 0.0)]
    for cut in sorted(set(s), reverse=True):
        called = [label for label, score in zip(y, s, strict=True) if score >= cut]
        points.append((called.count(0) / y.count(0), called.count(1) / y.count(1)))
    return points


def ordinate(view: str, y: list[int], s: list[float], x: float) -> float:
    """The best ordinate at x; thresholds are joined by straight lines between their rates."""
    points, p = rates(y, s), y.count(1) / len(y)
    if view == "cost":
        return min(x * (1 - v) + (1 - x) * u for u, v in points)
    if view == "net-benefit":
        return max(p * v - (1 - p) * u * x / (1 - x) for u, v in points)
    across = {
        "roc": lambda u, v: u,
        "det": lambda u, v: u,
        "pr": lambda u, v: v,
        "gains": lambda u, v: p * v + (1 - p) * u,
        "lift": lambda u, v: p * v + (1 - p) * u,
    }[view]
    found = []
    for (u0, v0), (u1, v1) in pairwise(points):
        start, end = across(u0, v0), across(u1, v1)
        if not start - 1e-12 <= x <= end + 1e-12:
            continue
        for part in [(x - start) / (end - start)] if end > start else [0.0, 1.0]:
            u, v = u0 + part * (u1 - u0), v0 + part * (v1 - v0)
            if view in ("roc", "gains"):
                found.append(v)
            elif view == "det":
                found.append(-(1 - v))
            elif view == "lift":
                found.append(v / x)
            else:
                found.append(p * v / (p * v + (1 - p) * u))
    return -max(found) if view == "det" else max(found)
