"""Score limits for the difference of two shares of the same cases."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["tango_limits"]

Floats: TypeAlias = npt.NDArray[np.float64]

HALVINGS = 54  # from a width of 2 to below the last digit


def tango_limits(
    only_1: npt.ArrayLike, only_2: npt.ArrayLike, size: npt.ArrayLike, z: float
) -> tuple[Floats, Floats]:
    """Tango's (1998) limits for share 1 minus share 2, from the cases that only one of them has.

    The limits are the differences d that the score test with variance at its own d does not
    refuse. Where no case is discordant they are -+ z^2 / (size + z^2), not a point.

    Parameters
    ----------
    only_1, only_2 : array-like of int
        Number of cases that count for 1 and not for 2, and the other way round.
    size : array-like of int
        Number of cases.
    z : float
        Normal quantile of the two-sided level.

    Examples
    --------
    >>> low, high = tango_limits(5, 9, 40, z=1.6448536269514722)
    >>> print(low.round(4), high.round(4))
    -0.254 0.0565
    """
    b, c, n = np.broadcast_arrays(*(np.asarray(x, np.float64) for x in (only_1, only_2, size)))
    # A lower limit is an upper one with the sides exchanged.
    low, high = _upper(np.stack((c, b)), np.stack((b, c)), n, z)
    return -low, high


def _upper(b: Floats, c: Floats, size: Floats, z: float) -> Floats:
    """Largest difference that is not refused, by halving the range from the estimate to 1."""
    low, high = (b - c) / size, np.ones_like(b)
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        kept = (b - c - size * middle) ** 2 <= z**2 * _variance(middle, b, c, size)
        low, high = np.where(kept, middle, low), np.where(kept, high, middle)
    # With every case on one side nothing is refused up to 1 itself.
    return np.where(b - c == size, 1.0, high)


def _variance(d: Floats, b: Floats, c: Floats, size: Floats) -> Floats:
    """Variance of b - c where the difference is d and the rest is as likely as can be."""
    linear, last = -b - c + (2.0 * size - b + c) * d, c * d * (1.0 - d)
    root = np.sqrt(np.maximum(linear**2 + 8.0 * size * last, 0.0))
    # Two forms of the same root, so that large numbers are never subtracted from each other.
    added = np.where(linear > 0.0, root + linear, 1.0)
    share = np.where(linear > 0.0, 2.0 * last / added, (root - linear) / (4.0 * size))
    return np.asarray(size * (2.0 * share + d * (1.0 - d)))
