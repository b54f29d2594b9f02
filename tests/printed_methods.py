"""Band methods as the papers of 2004 and 2005 print them: what overriding one function can do."""

from __future__ import annotations

import math
from dataclasses import dataclass

import rocbands as rb


@dataclass(frozen=True)
class PrintedFixedWidth(rb.bands.FixedWidth):
    def slope(self, roc: rb.RocCurve) -> float:
        return math.sqrt(roc.n_pos / roc.n_neg)


@dataclass(frozen=True)
class PrintedJointRegion(rb.bands.JointRegion):
    def level_per_axis(self, level: float) -> float:
        return level


@dataclass(frozen=True)
class PrintedVertical(rb.bands.VerticalAverage):
    def binomial_size(self, n_cases: float, n_curves: int) -> float:
        return n_curves


@dataclass(frozen=True)
class PrintedThreshold(rb.bands.ThresholdAverage):
    def binomial_size(self, n_cases: float, n_curves: int) -> float:
        return n_curves
