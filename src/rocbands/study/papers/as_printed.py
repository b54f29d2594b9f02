"""Band methods as the papers of 2004 and 2005 print them, slips included."""

from __future__ import annotations

import math
from dataclasses import dataclass

from rocbands.bands.fixed_width import FixedWidth
from rocbands.bands.joint_region import JointRegion
from rocbands.bands.threshold import Threshold
from rocbands.bands.vertical import Vertical
from rocbands.core.roc import RocCurve

__all__ = ["PrintedFixedWidth", "PrintedJointRegion", "PrintedThreshold", "PrintedVertical"]


@dataclass(frozen=True)
class PrintedFixedWidth(FixedWidth):
    """Pushed along sqrt(n_pos / n_neg), which contradicts the reason that the papers give."""

    def slope(self, roc: RocCurve) -> float:
        return math.sqrt(roc.n_pos / roc.n_neg)


@dataclass(frozen=True)
class PrintedJointRegion(JointRegion):
    """Each axis at the level itself, so that its square is guaranteed."""

    def level_per_axis(self, level: float) -> float:
        return level


@dataclass(frozen=True)
class PrintedVertical(Vertical):
    """The binomial variance divided by the number of curves, whatever the data."""

    def binomial_size(self, n_cases: float, n_curves: int) -> float:
        return n_curves


@dataclass(frozen=True)
class PrintedThreshold(Threshold):
    """The binomial variance divided by the number of curves, whatever the data."""

    def binomial_size(self, n_cases: float, n_curves: int) -> float:
        return n_curves
