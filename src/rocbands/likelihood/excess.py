"""How much the critical value differs from that of chance when the true curve is a better one.

The critical value of chance, c(m, n, level), is the quantile of the statistic T for a model that
knows nothing. T has other quantiles for other curves: larger ones for smooth curves of large test
sets, smaller ones where a class is small or the AUC is near 1. Most of it follows from the AUC.
With c(m, n, level; a) the quantile of T for normal scores of equal spread whose AUC is a, the
calibration 'curve' takes

    c = max { c(m, n, level; a) : a within one standard error of the observed AUC }.

With few cases that range is wide and c is close to the value of chance; with many it is exact for
this family of curves. What is stored is the excess c(m, n, level; a) - c(m, n, level; 1/2), fitted
by a polynomial in the iterated logarithms of the class sizes and in the distance d' between the two
means, a = Phi(d' / sqrt 2). `tools/make_excess_surface.py` draws and fits it again.
"""

from __future__ import annotations

import math
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from rocbands.core.checks import FloatArray

# Where the surface was fitted; beyond, the nearest value is taken.
SIZES = (12.0, 1e6)
LARGEST_SHIFT = 4.0
# Powers of d' / 2; there is no power 0, as the excess of chance is 0.
_SHIFT_POWERS = (1, 2, 3)
_SIZE_DEGREE = 4
# Points of the range of AUCs at which the excess is evaluated: it is smooth in between.
_POINTS = 33
_PLACES: FloatArray = np.arange(float(_POINTS))


class Surface(NamedTuple):
    """Coefficients of the fitted excess."""

    levels: FloatArray  # (k,) levels of the fits, ascending
    coefficients: FloatArray  # (k, terms) one row for each level


@cache
def load_surface() -> Surface:
    """Read the coefficients that lie beside this module."""
    with np.load(Path(__file__).with_name("excess_surface.npz")) as data:
        return Surface(data["levels"], data["coefficients"])


def polynomial_terms(small: float, large: float, shift: FloatArray) -> FloatArray:
    """Terms of the polynomial for one pair of class sizes, one row for each shift."""
    a, b = (math.log(math.log(min(max(size, SIZES[0]), SIZES[1]))) - 1.6 for size in (small, large))
    sizes = [a**i * b**j for i in range(_SIZE_DEGREE + 1) for j in range(_SIZE_DEGREE + 1 - i)]
    half = np.clip(shift, 0.0, LARGEST_SHIFT)[:, None] / 2.0
    return np.concatenate([half**k * sizes for k in _SHIFT_POWERS], axis=1)


def find_excess(
    auc: float, n_pos: int, n_neg: int, level: float, *, uncertainty: float = 0.0
) -> float:
    """Largest excess over AUCs within one standard error of the observed one.

    Below 1/2 the curve is the mirror image of a better one, and has the excess of that. `n_pos`,
    `n_neg`: class sizes; the excess is symmetric in them. `uncertainty`: how far the AUC may be off
    besides its standard error, because scores were counted in bins.
    """
    better = max(auc, 1.0 - auc)
    reach = _standard_error(better, n_pos, n_neg) + uncertainty
    low, high = max(better - reach, 0.5), min(better + reach, 1.0)
    largest = LARGEST_SHIFT / math.sqrt(2.0)
    ends = [min(max(float(ndtri(a)), 0.0), largest) * math.sqrt(2.0) for a in (low, high)]
    one, two, three = _find_cubic(*sorted((n_pos, n_neg)), level)
    half = _PLACES * ((ends[1] - ends[0]) / (_POINTS - 1) / 2.0) + ends[0] / 2.0
    half[-1] = ends[1] / 2.0
    return float(np.maximum.reduce(half * (one + half * (two + half * three))))


@lru_cache(maxsize=1024)
def _find_cubic(small: int, large: int, level: float) -> tuple[float, float, float]:
    """Coefficients of the powers 1, 2 and 3 of d' / 2 at given class sizes."""
    terms = polynomial_terms(small, large, np.array([2.0]))[0]  # all powers of 2 / 2 are 1
    one, two, three = (terms * _coefficients_at(level)).reshape(len(_SHIFT_POWERS), -1).sum(axis=1)
    return float(one), float(two), float(three)


def _coefficients_at(level: float) -> FloatArray:
    """Interpolate the fits in -ln(1 - level), in which upper quantiles are nearly straight."""
    levels, coefficients = load_surface()
    place = -math.log1p(-min(max(level, levels[0]), levels[-1]))
    nodes = -np.log1p(-levels)
    i = int(np.clip(np.searchsorted(nodes, place) - 1, 0, nodes.size - 2))
    share = (place - nodes[i]) / (nodes[i + 1] - nodes[i])
    mixed: FloatArray = coefficients[i] + share * (coefficients[i + 1] - coefficients[i])
    return mixed


def _standard_error(auc: float, n_pos: int, n_neg: int) -> float:
    """Hanley and McNeil's (1982), the larger one of a curve and its mirror image.

    Half a pair is added on both sides, so that an AUC of 1 is not certain.
    """
    pairs = n_pos * n_neg
    a = (auc * pairs + 0.5) / (pairs + 1.0)
    one, other = a / (2.0 - a) - a * a, 2.0 * a * a / (1.0 + a) - a * a
    more, less = max(one, other), min(one, other)
    small, large = sorted((n_pos, n_neg))
    variance = (a * (1.0 - a) + (large - 1) * more + (small - 1) * less) / pairs
    return max(math.sqrt(variance), 0.5 / math.sqrt(pairs))
