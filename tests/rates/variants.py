"""Variants of the methods as printed in the paper: hooks that a subclass may override."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rocbands.rates import BaselineNormal, Parametric

PAPER_NODES = np.arange(1, 100) / 100.0  # equation 17


@dataclass(frozen=True)
class PaperParametric(Parametric):
    """Moments from 99 quantiles of the rate, and no continuity correction."""

    continuity: bool = False

    def compute_moments(self, consensus):
        return consensus.compute_moments(PAPER_NODES)


@dataclass(frozen=True)
class HalfCount(Parametric):
    """Half a count at either end: a continuity correction, and nothing for unseen cases."""

    def widen(self, consensus, size, variance):
        low, high = size * consensus.low, size * consensus.high
        half = np.where(high - low > 1e-9, 0.5, 0.0)
        return variance + half**2 / 3.0, low - half, high + half


@dataclass(frozen=True)
class Unconfined(BaselineNormal):
    """Limits that may leave what the rate allows."""

    def confine(self, consensus, lower, upper):
        return lower, upper
