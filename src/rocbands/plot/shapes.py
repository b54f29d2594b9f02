"""Polylines of curves and polygons of bands, thinned for drawing; without matplotlib.

A picture has a few thousand pixels along each axis; a curve may have ten million vertices. Curves
are thinned for plots and reports only; computations never use a thinned curve.

The algorithm is that of Ramer (1972) and Douglas and Peucker (1973): start with both ends of the
line, and add the vertex farthest from the chord of its piece until all are within the tolerance.
Distances are measured on a linear and on a logarithmic axis of the false positive rate, so that one
polyline serves both. All pieces are cut in the same pass, by a few array operations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rocbands.core.band import Band
from rocbands.core.checks import BoolArray, FloatArray, IndexArray, frozen
from rocbands.core.counting import bisect
from rocbands.core.curve import Curve

TOLERANCE = 1 / 4000  # of an axis: largest error of a drawn line
SMALL = 5000  # corners up to which a curve is drawn exactly
LEAST = 1e-5  # smallest false positive rate on a logarithmic axis
DECADES = 5.0
CELLS = 10_000  # along each axis: of the vertices in one cell, the first and the last are used
MANY = 20_000  # vertices above which cells are used
AT_ONCE = 65_536  # vertices of a chunk, so that intermediate arrays stay in the cache
LOOSE = 2.0  # factor of the tolerance on a logarithmic axis
_BETWEEN: FloatArray = np.geomspace(LEAST, 1.0, 101)


@dataclass(frozen=True, eq=False)
class Shape:
    """Points to be joined by straight lines; a closed shape ends where it starts."""

    x: FloatArray  # the points in drawing order, inside the unit square
    y: FloatArray

    def __post_init__(self) -> None:
        for name in ("x", "y"):
            object.__setattr__(self, name, frozen(np.clip(getattr(self, name), 0.0, 1.0)))

    @property
    def points(self) -> FloatArray:
        """The points as rows (x, y)."""
        return np.column_stack([self.x, self.y])


class Vertices(NamedTuple):
    """Points of a polyline, and the vertex of the original line that each belongs to."""

    x: FloatArray  # the points
    y: FloatArray
    # the vertex itself, or for a point inside a straight piece the piece's second end
    owner: IndexArray

    def take(self, rows: IndexArray) -> Vertices:
        """Return some of the points."""
        return Vertices(self.x[rows], self.y[rows], self.owner[rows])


def curve_shape(curve: Curve, *, log: bool = False) -> Shape:
    """Polyline of an ROC curve: steps are steps, ties across classes are slanted.

    Vertices inside a straight run are left out. A curve of more than 5,000 corners is thinned,
    which moves the line by at most 1/4000 of an axis. With `log` slanted pieces get points inside,
    since they are not straight on a logarithmic axis.

    Examples
    --------
    >>> import rocbands as rb
    >>> curve_shape(rb.roc_curve([1, 1, 0, 1, 0], [5, 4, 3, 2, 2]).curve).points
    array([[0.        , 0.        ],
           [0.        , 0.66666667],
           [0.5       , 0.66666667],
           [1.        , 1.        ]])
    """
    return Shape(*_thin_if_large(curve, log))


def band_shape(band: Band, *, log: bool = False) -> Shape:
    """Polygon of a band: the upper edge forward, the lower edge backward, with all steps.

    The sides at fpr 0 and 1 belong to it. Each edge is thinned like a curve.

    Examples
    --------
    >>> import rocbands as rb
    >>> shape = band_shape(rb.roc_band([1, 1, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1]))
    >>> bool((shape.points[0] == shape.points[-1]).all())
    True
    """
    (x_up, y_up), (x_low, y_low) = (_thin_if_large(edge, log) for edge in (band.upper, band.lower))
    return Shape(
        np.concatenate([x_up, x_low[::-1], x_up[:1]]), np.concatenate([y_up, y_low[::-1], y_up[:1]])
    )


def _thin_if_large(curve: Curve, log: bool) -> tuple[FloatArray, FloatArray]:
    corners = curve.corners()
    if corners.x.size <= SMALL:
        return follow_line(corners.x, corners.y)[:2] if log else (corners.x, corners.y)
    kept = thin_line(corners.x, corners.y, TOLERANCE)
    return kept.x, kept.y


def thin_line(x: FloatArray, y: FloatArray, tolerance: float) -> Vertices:
    """Thin a polyline along increasing x without a visible change.

    The drawn line is within `tolerance` of the true one in x or in y, and within twice that in the
    logarithm of x, on an axis of length 1. The tolerance must be more than 1 / CELLS.
    """
    return thin_points(follow_line(x, y), tolerance)


def thin_points(points: Vertices, tolerance: float) -> Vertices:
    """Thin the points of :func:`follow_line`; see :func:`thin_line`."""
    return points.take(np.flatnonzero(_choose_vertices(points, tolerance)))


def follow_line(x: FloatArray, y: FloatArray) -> Vertices:
    """Take vertices, at most a few of each cell, and points inside long slanted pieces.

    A slanted piece is straight on a linear axis only: on a logarithmic one it needs points inside.
    """
    owner = np.arange(x.size)
    if x.size > MANY:
        owner = _choose_by_cell(x, y)
        x, y = x[owner], y[owner]
    return _add_inside(x, y, owner)


def follow_curve(curve: Curve) -> Vertices:
    """Do the same for an increasing curve, by binary search instead of visiting all vertices."""
    x, y = curve.x, curve.y
    if x.size <= MANY:
        return follow_line(curve.x, curve.y)
    cells = np.arange(1.0, CELLS + 1.0)
    # The first vertex of each cell: along x, along y, and along x on a logarithmic axis.
    first = (
        bisect(x.size, lambda at: x[at] * CELLS < cells, cells.shape),
        bisect(x.size, lambda at: y[at] * CELLS < cells, cells.shape),
        bisect(x.size, lambda at: log_position(x[at]) * CELLS < cells, cells.shape),
    )
    new = np.concatenate([[0], *first, [x.size]])
    owner = np.unique(np.concatenate([new[new > 0] - 1, new[new < x.size]]))
    return _add_inside(x[owner], y[owner], owner)


def _add_inside(x: FloatArray, y: FloatArray, owner: IndexArray) -> Vertices:
    # Linear interpolation at grid points that lie strictly inside a slanted piece.
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


def log_position(x: FloatArray) -> FloatArray:
    """Position of each rate on a logarithmic axis of length 1, which begins at 0.00001.

    Examples
    --------
    >>> log_position(np.array([0.0, 0.001, 1.0]))
    array([0. , 0.4, 1. ])
    """
    return np.asarray(np.log10(np.maximum(x, LEAST)) / DECADES + 1.0)


def _choose_by_cell(x: FloatArray, y: FloatArray) -> IndexArray:
    """First and last vertex of every cell that the line goes through."""
    moves = np.zeros(x.size + 1, dtype=np.bool_)
    for start in range(0, x.size - 1, AT_ONCE):
        part = slice(start, start + AT_ONCE + 1)
        for side in (x[part], y[part], log_position(x[part])):
            cell = (side * CELLS).astype(np.int64)
            moves[start + 1 : start + cell.size] |= cell[1:] != cell[:-1]
    moves[[0, -1]] = True
    return np.flatnonzero(moves[1:] | moves[:-1])


def _choose_vertices(points: Vertices, tolerance: float) -> BoolArray:
    """Cut the line at the farthest vertex of each piece until all are within the tolerance."""
    # A vertex this close to an increasing chord is as close to it in both x and y.
    near = tolerance - 1.0 / CELLS
    x, y = points.x, points.y
    axes = ((x, near), (log_position(x), LOOSE * near))
    kept = np.zeros(x.size, dtype=np.bool_)
    kept[[0, -1]] = True
    # Pieces that may still be cut: first and last vertices, and all vertices but the last, joined.
    first, last = np.array([0]), np.array([x.size - 1])
    open_ = np.arange(x.size - 1)
    while True:
        size = last - first
        start = np.cumsum(size) - size
        far = np.zeros(open_.size)
        for side, allowed in axes:
            away = _find_distances(side, y, open_, first, last)
            away /= allowed
            np.maximum(far, away, out=far)
        worst = np.maximum.reduceat(far, start)
        cut = worst > 1.0
        if not cut.any():
            return kept
        inside = np.repeat(cut, size)
        rows = np.flatnonzero((far == np.repeat(worst, size)) & inside)
        piece = np.searchsorted(start, rows, side="right")
        middle = open_[rows[np.flatnonzero(np.diff(piece, prepend=-1))]]  # the first, if several
        kept[middle] = True
        open_ = open_[inside]
        first = np.stack((first[cut], middle), axis=1).ravel()
        last = np.stack((middle, last[cut]), axis=1).ravel()


def _find_distances(
    x: FloatArray, y: FloatArray, vertices: IndexArray, first: IndexArray, last: IndexArray
) -> FloatArray:
    """Distances of vertices from the chords of their pieces, whose ends are `first` and `last`."""
    size = last - first
    along, run = x[vertices] - np.repeat(x[first], size), x[last] - x[first]
    up, rise = y[vertices] - np.repeat(y[first], size), y[last] - y[first]
    length = np.hypot(run, rise)
    # Area of the parallelogram, divided by the length of the chord, or the distance from a point.
    area = np.abs(np.repeat(run, size) * up - np.repeat(rise, size) * along)
    flat = length == 0.0
    if flat.any():
        rows = np.flatnonzero(np.repeat(flat, size))
        area[rows] = np.hypot(along[rows], up[rows])
        length[flat] = 1.0
    area /= np.repeat(length, size)
    return area


def align_edges(lower: Curve, upper: Curve, tolerance: float) -> tuple[FloatArray, ...]:
    """Thin both edges of a band to a common x, repeated where one jumps; return x and the edges."""
    edges = [thin_line(edge.x, edge.y, tolerance) for edge in (lower, upper)]
    curves = [Curve(edge.x, edge.y) for edge in edges]
    x = np.unique(np.concatenate([edge.x for edge in edges]))
    feet, tops = (
        [side(x) for side in sides]
        for sides in zip(*((c.low, c.high) for c in curves), strict=True)
    )
    # Where an edge jumps, x occurs twice: first with the lower, then with the upper values.
    jumps = np.any([foot != top for foot, top in zip(feet, tops, strict=True)], axis=0)
    times = 1 + jumps
    again = np.flatnonzero(jumps) + np.arange(1, int(jumps.sum()) + 1)
    both = []
    for foot, top in zip(feet, tops, strict=True):
        edge = np.repeat(foot, times)
        edge[again] = top[jumps]
        both.append(edge)
    return np.repeat(x, times), *both
