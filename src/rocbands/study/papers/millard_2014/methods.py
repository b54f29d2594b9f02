"""The paper's own versions of the methods, where the library's differ."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rocbands.core.checks import FloatArray
from rocbands.rates import BaselineNormal, BaselineT, Parametric
from rocbands.rates.consensus import Consensus

__all__ = ["PAPER_NODES", "PaperBaselineNormal", "PaperParametric", "UnconfinedBaselineT"]

PAPER_NODES: FloatArray = np.arange(1, 100) / 100.0  # equation 17


@dataclass(frozen=True)
class PaperParametric(Parametric):
    """Moments from 99 quantiles of the rate, and no continuity correction."""

    continuity: bool = False

    def compute_moments(self, consensus: Consensus) -> tuple[FloatArray, FloatArray]:
        """Return mean and variance of recall times size by the nodes of equation 17."""
        return consensus.compute_moments(PAPER_NODES)


@dataclass(frozen=True)
class PaperBaselineNormal(BaselineNormal):
    """Limits that may leave what the rate allows."""

    def confine(
        self, consensus: Consensus, lower: FloatArray, upper: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Leave the limits as they are."""
        return lower, upper


@dataclass(frozen=True)
class UnconfinedBaselineT(BaselineT):
    """Limits that may leave what the rate allows."""

    def confine(
        self, consensus: Consensus, lower: FloatArray, upper: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Leave the limits as they are."""
        return lower, upper
