"""Excess of the critical value over that of chance, as a function of the AUC.

The calibration 'curve' takes the largest c(a), the quantile of the statistic for normal scores of
equal variances with the AUC a, over all a within one standard error of the observed AUC; see
formula (C6) of docs/likelihood.md. The excess c(a) - c(1/2) is a polynomial in the iterated
logarithms of the class sizes and in the distance d' between the two means, a = Phi(d' / sqrt 2),
fitted by rocbands_studies.tables.excess_surface: (C10) and (C11). A reference implementation is
tests/oracles/excess.py, compared in tests/likelihood/test_excess.py.
"""

from __future__ import annotations

import math
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
from scipy.special import ndtri

from rocbands.core.checks import FloatArray
from rocbands.likelihood.chance import LEVELS

# Where the surface was fitted; beyond, the nearest value is taken.
SIZES = (12.0, 1e6)
LARGEST_SHIFT = 4.0
# Powers of d' / 2; there is no power 0, as the excess of chance is 0.
_SHIFT_POWERS = (1, 2, 3)
_SIZE_DEGREE = 4
# Points of the range of AUCs at which the excess is evaluated: it is smooth in between.
_POINTS: FloatArray = np.arange(33.0)


def polynomial_terms(small: float, large: float, shift: FloatArray) -> FloatArray:
    """Terms of the polynomial for one pair of class sizes, one row for each shift."""
    # 1.6 is near the middle of ln ln 12 = .91 to ln ln 10^6 = 2.63: powers stay small.
    a, b = (math.log(math.log(min(max(size, SIZES[0]), SIZES[1]))) - 1.6 for size in (small, large))
    sizes = [a**i * b**j for i in range(_SIZE_DEGREE + 1) for j in range(_SIZE_DEGREE + 1 - i)]
    half = np.clip(shift, 0.0, LARGEST_SHIFT)[:, None] / 2.0
    return np.concatenate([half**k * sizes for k in _SHIFT_POWERS], axis=1)


def find_excess(auc: float, n_pos: int, n_neg: int, *, certificate: float = 0.0) -> FloatArray:
    """Largest excess over AUCs within one standard error of the observed one, at LEVELS.

    It is symmetric in the class sizes. `certificate`: bound on the AUC error due to binning
    (docs/scale.md), which is added to the standard error.

    Examples
    --------
    >>> at = LEVELS.tolist().index(0.95)
    >>> print(round(find_excess(0.5, 50, 50)[at], 3), round(find_excess(0.9, 50, 50)[at], 3))
    0.002 -0.117
    """
    better = max(auc, 1.0 - auc)  # below 1/2: the curve with scores negated
    error = _standard_error(better, n_pos, n_neg) + certificate
    low, high = max(better - error, 0.5), min(better + error, 1.0)
    largest = LARGEST_SHIFT / math.sqrt(2.0)
    first, last = (min(max(float(ndtri(a)), 0.0), largest) * math.sqrt(2.0) for a in (low, high))
    half = _POINTS * ((last - first) / (_POINTS.size - 1) / 2.0) + first / 2.0
    half[-1] = last / 2.0
    powers = np.stack([half, half * half, half * half * half], axis=1)
    at_points = powers @ _find_cubics(*sorted((n_pos, n_neg)))
    excess: FloatArray = np.maximum.reduce(at_points, axis=0)
    return excess


@lru_cache(maxsize=256)
def _find_cubics(small: int, large: int) -> FloatArray:
    """Coefficients of the powers 1, 2 and 3 of d' / 2 at given class sizes, (3, levels)."""
    terms = polynomial_terms(small, large, np.array([2.0]))[0]  # all powers of 2 / 2 are 1
    parts = (_coefficients() * terms).reshape(LEVELS.size, len(_SHIFT_POWERS), -1)
    return np.ascontiguousarray(parts.sum(axis=2).T)


@cache
def _coefficients() -> FloatArray:
    """Interpolate the fits in -ln(1 - level), in which upper quantiles are nearly straight."""
    # Levels (k,) of the fits, ascending, and coefficients (k, terms), one row for each level.
    with np.load(Path(__file__).with_name("excess_surface.npz")) as data:
        levels, coefficients = data["levels"], data["coefficients"]
    at, nodes = -np.log1p(-LEVELS), -np.log1p(-levels)
    return np.stack([np.interp(at, nodes, one) for one in coefficients.T], axis=1)


def _standard_error(auc: float, n_pos: int, n_neg: int) -> float:
    """Hanley and McNeil's (1982), the larger one of a curve and the class-swapped one, (C11)."""
    pairs = n_pos * n_neg
    # Half a pair is added on both sides, so that an AUC of 1 is not certain.
    a = (auc * pairs + 0.5) / (pairs + 1.0)
    less, more = sorted((a / (2.0 - a) - a * a, 2.0 * a * a / (1.0 + a) - a * a))
    small, large = sorted((n_pos, n_neg))
    variance = (a * (1.0 - a) + (large - 1) * more + (small - 1) * less) / pairs
    # At least that of as many independent pairs at an AUC of 1/2: near 1 the formula is too small.
    return max(math.sqrt(variance), 0.5 / math.sqrt(pairs))
