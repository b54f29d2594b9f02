"""Discordance of two binary answers on the same cases, given the difference of their rates."""

from __future__ import annotations

import numpy as np

from rocbands.core.checks import FloatArray


def estimate_discordance(
    difference: FloatArray, only_first: FloatArray, only_second: FloatArray, size: float
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
