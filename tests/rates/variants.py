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
class Unconfined(BaselineNormal):
    """Limits that may leave what the rate allows."""

    def confine(self, consensus, lower, upper):
        return lower, upper
