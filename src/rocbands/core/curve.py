"""The geometry of monotone curves from (0, 0) to (1, 1).

Along such a curve y + s x increases strictly for every s > 0, so each line y + s x = c meets it in
exactly one point. As a function of c a curve is single-valued even where it is vertical, and
ordering, displacement and containment become interpolation, without grids or side flags.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rocbands.core.checks import CountArray, FloatArray, IndexArray, freeze, frozen
from rocbands.core.counting import cut_pieces
from rocbands.core.tolerance import SAME
from rocbands.errors import InputError


@dataclass(frozen=True, eq=False)
class Curve:
    """A monotone polyline; edges of bands may start above (0, 0) and end below (1, 1).

    An edge may decrease if the notes of its band say so. It can be drawn, evaluated and integrated;
    displacement is for nondecreasing curves.

    Attributes
    ----------
    x, y : ndarray of shape (k,)
        Vertices, both nondecreasing; segments may be vertical, horizontal or slanted.

    Examples
    --------
    >>> import numpy as np
    >>> stairs = Curve(np.array([0.0, 0.0, 0.5, 0.5, 1.0]), np.array([0.0, 0.5, 0.5, 1.0, 1.0]))
    >>> stairs.high([0.5]), stairs.low([0.5])
    (array([1.]), array([0.5]))
    """

    x: FloatArray
    y: FloatArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "x", frozen(np.asarray(self.x, dtype=np.float64)))
        object.__setattr__(self, "y", frozen(np.asarray(self.y, dtype=np.float64)))
        if self.x.shape != self.y.shape or self.x.ndim != 1 or self.x.size < 2:
            raise InputError(
                "A curve needs x and y of the same length, at least 2",
                f"got shapes {self.x.shape} and {self.y.shape}",
            )

    def high(self, x: FloatArray | list[float]) -> FloatArray:
        """Largest y on the curve at each x: the top of a vertical segment."""
        at = np.asarray(x, dtype=np.float64)
        before = np.searchsorted(self.x, at + SAME, side="right") - 1
        return self._between(np.clip(before, 0, self.x.size - 1), at)

    def low(self, x: FloatArray | list[float]) -> FloatArray:
        """Smallest y on the curve at each x: the bottom of a vertical segment."""
        at = np.asarray(x, dtype=np.float64)
        first = np.searchsorted(self.x, at - SAME)
        touches = self.x[np.minimum(first, self.x.size - 1)] <= at + SAME
        before = np.where(touches, first, first - 1)
        return self._between(np.clip(before, 0, self.x.size - 1), at)

    def _between(self, before: IndexArray, at: FloatArray) -> FloatArray:
        after = np.minimum(before + 1, self.x.size - 1)
        x0, x1, y0, y1 = self.x[before], self.x[after], self.y[before], self.y[after]
        run = x1 - x0
        share = np.divide(at - x0, run, out=np.zeros_like(at), where=run > SAME)
        share = np.clip(share, 0.0, 1.0)
        return np.asarray(y0 + share * (y1 - y0))

    def level(self, slope: float) -> FloatArray:
        """Value of y + slope * x at every vertex; nondecreasing."""
        return np.asarray(self.y + slope * self.x)

    def corners(self) -> Curve:
        """Return the same polyline without repeated vertices and vertices inside straight runs.

        Examples
        --------
        >>> import numpy as np
        >>> Curve(np.array([0, 0, 0, 1, 2, 2]), np.array([0, 0, 1, 1, 1, 3])).corners().x
        array([0., 0., 2., 2.])
        """
        x, y = self.x, self.y
        # Repetitions are removed first: both copies of a repeated corner look like run interiors.
        new = np.ones(x.size, dtype=np.bool_)
        new[1:] = (x[1:] != x[:-1]) | (y[1:] != y[:-1])
        x, y = x[new], y[new]
        turns = np.ones(x.size, dtype=np.bool_)
        right, up = x[1:] != x[:-1], y[1:] != y[:-1]
        turns[1:-1] = (right[1:] | right[:-1]) & (up[1:] | up[:-1])
        return Curve(x[turns], y[turns])

    @property
    def mirrored(self) -> Curve:
        """The curve of swapped classes and negated scores: reflected in the line x + y = 1."""
        return Curve(1.0 - self.y[::-1], 1.0 - self.x[::-1])

    @property
    def area(self) -> float:
        """Area under the curve, by trapezoids."""
        x, y, twice = self.x, self.y, 0.0
        for part in cut_pieces(x.size, overlap=1):
            wide, high = x[part], y[part]
            twice += np.add.reduce((wide[1:] - wide[:-1]) * (high[1:] + high[:-1]))
        return float(twice) / 2.0


def compute_rates(totals: CountArray | FloatArray) -> FloatArray:
    """Cumulative counts, or sums of weights, divided by the last; starting with 0."""
    rates = np.zeros(totals.size + 1)
    np.divide(totals, totals[-1], out=rates[1:])
    return freeze(rates)


class Displacement(NamedTuple):
    """Largest distances of one curve from another, measured along a fixed direction."""

    northwest: float
    southeast: float

    @property
    def largest(self) -> float:
        """The larger of the two: a metric between curves."""
        return max(self.northwest, self.southeast)


def displacement(start: Curve, end: Curve, slope: float) -> Displacement:
    """Distances of `end` to the northwest and southeast of `start` along (-1, slope).

    Both curves are piecewise linear in c = y + slope * x, so the extremes are at vertices. The
    result is exact, in time linear in the number of vertices.

    Examples
    --------
    >>> import numpy as np
    >>> chance = Curve(np.array([0.0, 1.0]), np.array([0.0, 1.0]))
    >>> perfect = Curve(np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 1.0]))
    >>> displacement(chance, perfect, slope=1.0).northwest == 0.5**0.5
    True
    """
    c_start, c_end = start.level(slope), end.level(slope)
    at_start = start.x - np.interp(c_start, c_end, end.x)
    at_end = np.interp(c_end, c_start, start.x) - end.x
    length = float(np.hypot(1.0, slope))
    return Displacement(
        northwest=length * max(0.0, float(at_start.max()), float(at_end.max())),
        southeast=length * max(0.0, -float(at_start.min()), -float(at_end.min())),
    )


def find_zeros(c: FloatArray, value: FloatArray) -> FloatArray:
    """Zeros at which a piecewise linear function of `c` changes its sign."""
    before = np.flatnonzero(value[:-1] * value[1:] < 0.0)
    share = value[before] / (value[before] - value[before + 1])
    return np.asarray(c[before] + share * (c[before + 1] - c[before]))
