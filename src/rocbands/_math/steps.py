"""Laws of sums of many steps of -1, 0 or 1, by Fourier transform.

The characteristic function of a sum of independent steps is a power of one step's; one transform
turns it back into probabilities. Over a window that holds all but 1e-17 of the law nothing folds
back.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from rocbands._math.lattice import Lattice, window

__all__ = ["step_cells", "step_law", "two_step_law"]

Floats: TypeAlias = npt.NDArray[np.float64]
Complex: TypeAlias = npt.NDArray[np.complex128]


def step_law(up: int, down: int, size: int) -> Lattice:
    """Law of the sum of `size` draws from cases of which `up` count 1, `down` -1, the others 0.

    Examples
    --------
    >>> law = step_law(1, 0, 2)
    >>> print(law.first, law.mass.round(12))
    0 [0.25 0.5  0.25]
    """
    low, high = _reach(up, down, size)
    length = _power_of_two(high - low + 1)
    angle = 2.0 * np.pi * np.arange(length // 2 + 1) / length
    turned = _power(_less_one(up / size, down / size, angle), size) * np.exp(-1j * low * angle)
    mass = np.fft.irfft(turned.conj(), length)[: high - low + 1]
    return Lattice(low, np.maximum(mass, 0.0))


def two_step_law(
    first: tuple[int, int], second: tuple[int, int], size: int
) -> tuple[Floats, tuple[int, int]]:
    """Joint law of two sums over the same draws; a case that counts in one does not in the other.

    Parameters
    ----------
    first, second : tuple of two int
        Number of cases that count 1 and -1 in each sum.
    size : int
        Number of cases, and of draws.

    Returns
    -------
    table : ndarray
        P(U = u, V = v).
    corner : tuple of two int
        The smallest u and v.

    Examples
    --------
    >>> table, corner = two_step_law((1, 0), (0, 1), 2)
    >>> print(corner, table.round(12).tolist())
    (0, -2) [[0.25, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.25]]
    """
    reach = [_reach(*counts, size) for counts in (first, second)]
    lengths = [_power_of_two(high - low + 1) for low, high in reach]
    angles = [2.0 * np.pi * np.arange(length) / length for length in lengths]
    angles[1] = angles[1][: lengths[1] // 2 + 1]
    parts = [
        _less_one(counts[0] / size, counts[1] / size, angle)
        for counts, angle in zip((first, second), angles, strict=True)
    ]
    turned = _power(parts[0][:, None] + parts[1][None, :], size)
    turned *= np.exp(-1j * reach[0][0] * angles[0])[:, None]
    turned *= np.exp(-1j * reach[1][0] * angles[1])[None, :]
    table = np.fft.irfft2(turned.conj(), lengths)
    shape = tuple(high - low + 1 for low, high in reach)
    return np.maximum(table[: shape[0], : shape[1]], 0.0), (reach[0][0], reach[1][0])


def step_cells(up: int, down: int, size: int) -> int:
    """Length of the transform that :func:`step_law` needs."""
    low, high = _reach(up, down, size)
    return _power_of_two(high - low + 1)


def _reach(up: int, down: int, size: int) -> tuple[int, int]:
    mean = up - down
    low, high = -size if down else 0, size if up else 0
    return window(mean, up + down - mean**2 / size, low, high)


def _power_of_two(least: int) -> int:
    return 1 << max(1, (least - 1).bit_length())


def _less_one(up: float, down: float, angle: Floats) -> Complex:
    """One step's characteristic function minus 1, precise where it is next to 0."""
    return np.asarray(
        -(up + down) * 2.0 * np.sin(angle / 2.0) ** 2 + 1j * (up - down) * np.sin(angle)
    )


def _power(less_one: Complex, size: int) -> Complex:
    """(1 + x) ** size; the logarithm of 1 + x loses no digit of a small x."""
    x, y = less_one.real, less_one.imag
    square = 2.0 * x + x**2 + y**2
    near_one = np.exp(0.5 * size * np.log1p(np.maximum(square, -0.5)))
    grown = np.where(square > -0.5, near_one, np.hypot(1.0 + x, y) ** size)
    return np.asarray(grown * np.exp(1j * size * np.arctan2(y, 1.0 + x)))
