"""Discordance of two binary answers on the same cases, given the difference of their rates."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import FloatArray

_HALVINGS = 54  # from a width of 2 to below the last digit


def estimate_discordance(
    difference: FloatArray,
    only_first: FloatArray,
    only_second: FloatArray,
    size: FloatArray | float,
) -> FloatArray:
    """Maximum likelihood estimate of P(the answers differ), given the difference of their rates.

    Among `size` pairs, only the first answer is yes in b and only the second in c. Under the
    hypothesis P(first only) - P(second only) = d the likelihood equation is quadratic (Tango 1998,
    Statistics in Medicine 17, 891-908, equation 6). At the observed difference (b - c) / size the
    estimate is the observed proportion (b + c) / size.

    Parameters
    ----------
    difference : ndarray
        The hypothetical difference d of the rates, first minus second, from -1 to 1.
    only_first, only_second : ndarray
        The counts b and c, at least 0; need not be whole.
    size : float
        Number of pairs.

    Examples
    --------
    >>> estimate_discordance(np.array([0.0, 0.1, 0.3]), np.array(2.0), np.array(1.0), 10)
    array([0.3       , 0.3       , 0.41040782])
    """
    gap = np.abs(difference)
    rarer = np.where(difference >= 0.0, only_second, only_first)
    commoner = np.where(difference >= 0.0, only_first, only_second)
    # 2 size q^2 - K q - rarer gap (1 - gap) = 0 for the probability q of the rarer answer.
    linear = (only_first + only_second) * (1.0 - gap) - 2.0 * gap * (size - commoner)
    root = np.sqrt(np.maximum(linear**2 + 8.0 * size * rarer * gap * (1.0 - gap), 0.0))
    smaller = np.clip((linear + root) / (4.0 * size), 0.0, (1.0 - gap) / 2.0)
    return np.asarray(2.0 * smaller + gap)


def find_tango_limits(
    only_1: npt.ArrayLike, only_2: npt.ArrayLike, size: npt.ArrayLike, z: Any
) -> tuple[FloatArray, FloatArray]:
    """Tango's (1998) limits for a difference of paired proportions, from the discordant rows.

    The limits are the differences d that the score test with variance at its own d does not
    reject. Where no row is discordant they are -+ z^2 / (size + z^2), not a point.

    `only_1`, `only_2`: numbers of discordant rows of either kind, which need not be whole. `z`:
    normal quantile of the two-sided level, or one for each difference.

    Examples
    --------
    >>> lower, upper = find_tango_limits(5, 9, 40, z=1.645)
    >>> print(lower.round(3), upper.round(3))
    -0.254 0.057
    """
    b, c, n = np.broadcast_arrays(*(np.asarray(x, np.float64) for x in (only_1, only_2, size)))
    # The lower limit is minus the upper limit with the two counts exchanged.
    lower, upper = _find_upper(np.stack((c, b)), np.stack((b, c)), n, z)
    return -lower, upper


def _find_upper(b: FloatArray, c: FloatArray, size: FloatArray, z: Any) -> FloatArray:
    """Largest difference that is not rejected, by bisection between the estimate and 1."""
    # The accepted differences are an interval that contains the estimate.
    low, high = (b - c) / size, np.ones_like(b)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        # N (P(the answers differ) - d^2) is the variance of b - c: (C5) of docs/formulas.md.
        variance = size * (estimate_discordance(middle, b, c, size) - middle**2)
        kept = (b - c - size * middle) ** 2 <= z**2 * variance
        low, high = np.where(kept, middle, low), np.where(kept, high, middle)
    # If every row is discordant in the same direction, nothing up to 1 is rejected.
    return np.where(b - c == size, 1.0, high)
