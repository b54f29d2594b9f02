"""Polylines with no more vertices than an eye can tell apart, on plain and on logarithmic axes.

A page draws straight lines between the vertices that it gets. On a plain axis and on one that shows
the false positive rate from 0.00001 to 1 by its logarithm, what is drawn must stay close to the
true line. Vertices are left out as long as it does.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rocbands.core.checks import BoolArray, FloatArray, IndexArray
from rocbands.core.curve import Curve

__all__ = ["LEAST", "PLACES", "Vertices", "followed", "logarithmic", "shared", "thinned"]

LEAST = 1e-5  # smallest false positive rate on a logarithmic axis
DECADES = 5.0
CELLS = 10_000  # along each axis: vertices of one cell are one vertex to begin with
MANY = 20_000  # vertices from which on cells are looked at
LOOSE = 2.0  # how much farther off lines may be on a logarithmic axis
_BETWEEN: FloatArray = np.geomspace(LEAST, 1.0, 101)
# Rates at which a page reads curves and bands: there its numbers are true, not those drawn.
_TENTHS = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)
PLACES: FloatArray = np.unique(
    [*(k / 200 for k in range(201)), *(float(f"{m}e{k}") for k in range(-5, 0) for m in _TENTHS)]
)


class Vertices(NamedTuple):
    """Points of a polyline, and the vertex of the original line that each belongs to.

    Attributes
    ----------
    x, y : ndarray of shape (k,)
        The points.
    owner : ndarray of int, shape (k,)
        The vertex itself, or for a point inside a straight piece the piece's second end.
    """

    x: FloatArray
    y: FloatArray
    owner: IndexArray

    def at(self, kept: IndexArray) -> Vertices:
        """Return some of the points."""
        return Vertices(self.x[kept], self.y[kept], self.owner[kept])


def logarithmic(x: FloatArray) -> FloatArray:
    """Place of each rate on a logarithmic axis of length 1.

    Examples
    --------
    >>> logarithmic(np.array([0.0, 0.001, 1.0]))
    array([0. , 0.4, 1. ])
    """
    return np.asarray(np.log10(np.maximum(x, LEAST)) / DECADES + 1.0)


def thinned(x: FloatArray, y: FloatArray, tolerance: float) -> Vertices:
    """Leave out vertices of a polyline along rising x, as long as nobody sees it.

    Parameters
    ----------
    x, y : ndarray of shape (k,)
        Vertices; x never falls.
    tolerance : float
        How far a drawn line may be from the true one, in x or in y; twice as much in the logarithm
        of x, on an axis of length 1.
    """
    points = followed(x, y)
    return points.at(np.flatnonzero(_kept(points, tolerance)))


def followed(x: FloatArray, y: FloatArray) -> Vertices:
    """Take vertices, at most a few of each cell, and points inside long slanted pieces.

    A slanted piece is straight on one kind of axis only.
    """
    owner = np.arange(x.size)
    if x.size > MANY:
        owner = _one_of_each_cell(x, y)
        x, y = x[owner], y[owner]
    slanted = (np.diff(x) > 0.0) & (np.diff(y) != 0.0)
    after = np.searchsorted(x, _BETWEEN)
    inside = (after > 0) & (after < x.size)
    inside[inside] = slanted[after[inside] - 1] & (x[after[inside]] != _BETWEEN[inside])
    new, place = _BETWEEN[inside], after[inside]
    run = x[place] - x[place - 1]
    height = y[place - 1] + (new - x[place - 1]) / run * (y[place] - y[place - 1])
    return Vertices(
        np.insert(x, place, new), np.insert(y, place, height), np.insert(owner, place, owner[place])
    )


def _one_of_each_cell(x: FloatArray, y: FloatArray) -> IndexArray:
    """First and last vertex of every cell that the line goes through."""
    moves = np.zeros(x.size + 1, dtype=np.bool_)
    for side in (x, y, logarithmic(x)):
        moves[1:-1] |= np.diff((side * CELLS).astype(np.int64)) != 0
    moves[[0, -1]] = True
    return np.flatnonzero(moves[1:] | moves[:-1])


def _kept(points: Vertices, tolerance: float) -> BoolArray:
    """Cut the line at the farthest vertex, again and again, until no vertex is far off."""
    # Who is this close to a rising line has a point of it as close by in both x and y.
    near = tolerance - 1.0 / CELLS
    x, y = points.x, points.y
    across = ((x, near), (logarithmic(x), LOOSE * near))
    kept = np.zeros(x.size, dtype=np.bool_)
    kept[[0, -1]] = True
    while True:
        ends = np.flatnonzero(kept)
        piece = np.minimum(np.cumsum(kept) - 1, ends.size - 2)
        first, last = ends[piece], ends[piece + 1]
        far = np.zeros(x.size)
        for side, allowed in across:
            run, rise = side[last] - side[first], y[last] - y[first]
            area = np.abs(run * (y - y[first]) - rise * (side - side[first]))
            length = np.hypot(run, rise)
            beside = np.hypot(side - side[first], y - y[first])
            off = np.divide(area, length, out=beside, where=length > 0.0)
            np.maximum(far, off / allowed, out=far)
        worst = np.maximum.reduceat(far, ends[:-1])
        worst[-1] = max(worst[-1], far[-1])
        rows = np.flatnonzero((far == worst[piece]) & (far > 1.0))
        if not rows.size:
            return kept
        _, once = np.unique(piece[rows], return_index=True)
        kept[rows[once]] = True


def shared(lower: Curve, upper: Curve, tolerance: float) -> tuple[FloatArray, ...]:
    """Both edges of a band at the same abscissae; one where an edge jumps comes twice.

    Returns
    -------
    tuple of three ndarray
        x, and the two edges.
    """
    edges = [thinned(edge.x, edge.y, tolerance) for edge in (lower, upper)]
    curves = [Curve(edge.x, edge.y) for edge in edges]
    x = np.unique(np.concatenate([edge.x for edge in edges]))
    feet, tops = (
        [side(x) for side in sides]
        for sides in zip(*((c.low, c.high) for c in curves), strict=True)
    )
    jumps = np.any([foot != top for foot, top in zip(feet, tops, strict=True)], axis=0)
    times = 1 + jumps
    again = np.flatnonzero(jumps) + np.arange(1, int(jumps.sum()) + 1)
    both = []
    for foot, top in zip(feet, tops, strict=True):
        edge = np.repeat(foot, times)
        edge[again] = top[jumps]
        both.append(edge)
    return np.repeat(x, times), *both
