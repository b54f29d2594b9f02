"""Matrix products in blocks that are too small for multithreading, and roots of covariances.

A linear algebra library divides larger products among all processors. On a busy machine, waiting
for the slowest one can take a hundred times longer than the product itself.

Ragged ranges of indices, as pairs of an owner and an item, are at the end.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import IndexArray

ALONE = 2**18  # multiplications up to which OpenBLAS uses one thread
FEWEST_ROWS = 8  # blocks with fewer rows would read a large matrix too often

CLOSE = 1e-9  # variance relative to the mean one that is attributed to rounding

Matrix = npt.NDArray[np.float64]


def gram(rows: Matrix) -> Matrix:
    """Return ``rows.T @ rows``.

    Examples
    --------
    >>> gram(np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([[10., 14.],
           [14., 20.]])
    """
    blocks = _blocks(rows, rows.shape[1] ** 2)
    return np.asarray((blocks.transpose(0, 2, 1) @ blocks).sum(axis=0))


def times(rows: Matrix, matrix: Matrix) -> Matrix:
    """Return ``rows @ matrix``.

    Examples
    --------
    >>> times(np.array([[1.0, 2.0]]), np.array([[1.0, 0.0], [0.0, 3.0]]))
    array([[1., 6.]])
    """
    if matrix.size * FEWEST_ROWS > ALONE:
        return np.asarray(rows @ matrix)
    product = _blocks(rows, matrix.size) @ matrix
    return np.asarray(product.reshape(-1, matrix.shape[1])[: rows.shape[0]])


def find_root(covariance: Matrix) -> Matrix:
    """Return the symmetric R with R @ R = `covariance`, which may be singular.

    Unlike other roots it does not depend on the signs of eigenvectors, which differ between
    processors. The root of an eigenvalue v is v / sqrt(v + d) with a small d, so that rounding
    errors of v = 0 stay small; variances become smaller by at most d.

    Examples
    --------
    >>> find_root(np.array([[4.0, 0.0], [0.0, 0.0]])).round(6)
    array([[2., 0.],
           [0., 0.]])
    """
    values, vectors = np.linalg.eigh(covariance)
    values = np.maximum(values, 0.0)
    least = max(CLOSE * float(values.mean()), float(np.finfo(np.float64).tiny))
    return np.asarray((vectors * (values / np.sqrt(values + least))) @ vectors.T)


def _blocks(rows: Matrix, cost: int) -> Matrix:
    """Cut a matrix into blocks of rows, padded with zeros; `cost`: multiplications per row."""
    size = max(1, min(ALONE // cost, rows.shape[0]))
    fill = -rows.shape[0] % size
    return np.pad(rows, ((0, fill), (0, 0))).reshape(-1, size, rows.shape[1])


# ------------------------------------------------------------------------------------ ragged ranges


class Ranges(NamedTuple):
    """Concatenated ranges.

    Attributes
    ----------
    item : ndarray of int
        All members of the first range, then all of the second, and so on.
    owner : ndarray of int
        The range that each member belongs to.
    start : ndarray of int
        Where each range starts among the members.
    """

    item: IndexArray
    owner: IndexArray
    start: IndexArray


def expand_ranges(first: IndexArray, length: IndexArray) -> Ranges:
    """Concatenate the ranges first[i], first[i] + 1, ... of length[i] members each.

    A counter runs over all members; subtracting its value at the start of a range and adding the
    range's first member gives the members of the range.

    Examples
    --------
    >>> expand_ranges(np.array([7, 2]), np.array([2, 3])).item
    array([7, 8, 2, 3, 4])
    """
    stop = length.cumsum()
    start = stop - length
    owner = np.arange(length.size).repeat(length)
    item = (first - start).repeat(length)
    item += np.arange(item.size)
    return Ranges(item, owner, start)
