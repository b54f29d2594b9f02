"""Excess of the critical value over that of chance, term by term; shares nothing with src."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from statistics import NormalDist

import numpy as np

import rocbands

SURFACE = Path(rocbands.__file__).parent / "likelihood" / "excess_surface.npz"


@cache
def surface() -> tuple[np.ndarray, np.ndarray]:
    """Levels of the fits, and coefficients of each."""
    with np.load(SURFACE) as data:
        return data["levels"], data["coefficients"]


@cache
def excess_at(shift: float, m: int, n: int, level: float) -> float:
    """Polynomial in d' / 2 and ln ln of the sizes, interpolated in -ln(1 - level)."""
    small, large = (min(max(k, 12), 10**6) for k in sorted((m, n)))
    a, b = math.log(math.log(small)) - 1.6, math.log(math.log(large)) - 1.6
    levels, fits = surface()
    values = []
    for fit in fits:
        terms = iter(fit)
        values.append(
            sum(
                next(terms) * (shift / 2) ** power * a**i * b**j
                for power in (1, 2, 3)
                for i in range(5)
                for j in range(5 - i)
            )
        )
    return float(np.interp(-math.log(1 - level), -np.log(1 - levels), values))


def standard_error(auc: float, m: int, n: int) -> float:
    """Hanley and McNeil's, half a pair added, the larger of curve and mirror image."""
    a = (auc * m * n + 0.5) / (m * n + 1)
    errors = []
    for one, other in ((m, n), (n, m)):
        parts = (one - 1) * (a / (2 - a) - a * a) + (other - 1) * (2 * a * a / (1 + a) - a * a)
        errors.append(math.sqrt((a * (1 - a) + parts) / (m * n)))
    return max(*errors, 0.5 / math.sqrt(m * n))


def largest_excess(auc: float, m: int, n: int, level: float, uncertainty: float = 0.0) -> float:
    """Largest over AUCs within one standard error, at 33 equally spaced shifts."""
    auc = max(auc, 1 - auc)
    error = standard_error(auc, m, n) + uncertainty
    low, high = max(auc - error, 0.5), min(auc + error, 1 - 1e-12)
    ends = [min(math.sqrt(2) * NormalDist().inv_cdf(a), 4.0) for a in (low, high)]
    return max(excess_at(float(shift), m, n, level) for shift in np.linspace(*ends, 33))
