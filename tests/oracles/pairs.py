"""Slow and obvious: count pairs, walk thresholds one by one."""

from __future__ import annotations

from fractions import Fraction


def auc_by_pairs(labels: list[int], scores: list[float]) -> Fraction:
    pos = [s for y, s in zip(labels, scores, strict=True) if y == 1]
    neg = [s for y, s in zip(labels, scores, strict=True) if y == 0]
    wins = sum(
        Fraction(1) if p > q else Fraction(1, 2) if p == q else Fraction(0)
        for p in pos
        for q in neg
    )
    return wins / (len(pos) * len(neg))


def vertices_by_threshold(labels: list[int], scores: list[float]) -> list[tuple[int, int]]:
    points = [(0, 0)]
    for threshold in sorted(set(scores), reverse=True):
        fp = sum(1 for y, s in zip(labels, scores, strict=True) if s >= threshold and y == 0)
        tp = sum(1 for y, s in zip(labels, scores, strict=True) if s >= threshold and y == 1)
        points.append((fp, tp))
    return points
