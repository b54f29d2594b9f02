"""What is drawn, as numbers: polylines of curves and polygons of bands, small enough to draw.

A picture has a few thousand pixels along each axis, a curve may have ten million vertices. Curves
are thinned here and nowhere else: nothing that is computed ever sees a thinned curve.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rocbands.core.band import Band
from rocbands.core.checks import FloatArray, frozen
from rocbands.core.curve import Curve

__all__ = ["Shape", "band_shape", "curve_shape"]

# The square is cut into this many strips along x + y. Inside a strip a monotone curve and the chord
# between its first and last vertex lie in one box with width + height <= 2 / STRIPS, so they are
# never farther apart than 2 / STRIPS / sqrt(8): 1/4000 of an axis.
STRIPS = 2829


@dataclass(frozen=True, eq=False)
class Shape:
    """Points to be joined by straight lines; a closed shape ends where it starts.

    Attributes
    ----------
    x, y : ndarray of shape (k,)
        The points in drawing order, inside the unit square.
    """

    x: FloatArray
    y: FloatArray

    def __post_init__(self) -> None:
        for name in ("x", "y"):
            object.__setattr__(self, name, frozen(np.clip(getattr(self, name), 0.0, 1.0)))

    @property
    def points(self) -> FloatArray:
        """The points as rows (x, y)."""
        return np.column_stack([self.x, self.y])


def curve_shape(curve: Curve) -> Shape:
    """Polyline of an ROC curve: steps are steps, ties across classes are slanted.

    Vertices inside a straight run are left out. A curve of more than about 5,600 corners is
    thinned, which moves the line by at most 1/4000 of an axis.

    Examples
    --------
    >>> import rocbands as rb
    >>> curve_shape(rb.roc_curve([1, 1, 0, 1, 0], [5, 4, 3, 2, 2]).curve).points
    array([[0.        , 0.        ],
           [0.        , 0.66666667],
           [0.5       , 0.66666667],
           [1.        , 1.        ]])
    """
    return Shape(*_thinned(curve))


def band_shape(band: Band) -> Shape:
    """Polygon of a band: the upper edge forward, the lower edge backward, with all their stairs.

    The sides at fpr 0 and 1 belong to it. Each edge is thinned like a curve.

    Examples
    --------
    >>> import rocbands as rb
    >>> shape = band_shape(rb.roc_band([1, 1, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1]))
    >>> bool((shape.points[0] == shape.points[-1]).all())
    True
    """
    (x_up, y_up), (x_low, y_low) = _thinned(band.upper), _thinned(band.lower)
    return Shape(
        np.concatenate([x_up, x_low[::-1], x_up[:1]]),
        np.concatenate([y_up, y_low[::-1], y_up[:1]]),
    )


def _thinned(curve: Curve) -> tuple[FloatArray, FloatArray]:
    """Corners of `curve`, or, if they are too many, the first and the last one in every strip."""
    corners = curve.corners()
    x, y = corners.x, corners.y
    if x.size <= 2 * STRIPS:
        return x, y
    starts = np.searchsorted(x + y, np.linspace(0.0, 2.0, STRIPS + 1))
    kept = np.concatenate([starts, starts - 1, [0, x.size - 1]])
    rows = np.unique(np.clip(kept, 0, x.size - 1))
    return x[rows], y[rows]
