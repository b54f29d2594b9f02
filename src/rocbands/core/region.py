"""Regions of the unit square between the edges of bands, and which curves they contain."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeAlias, runtime_checkable

import numpy as np

from rocbands.core.checks import FloatArray, check_unit_interval, freeze
from rocbands.core.columns import score_column
from rocbands.core.counts import stairs
from rocbands.core.curve import Curve, displacement, find_zeros
from rocbands.core.roc import RocCurve
from rocbands.core.tolerance import SAME, SLACK
from rocbands.errors import InputError, Message, arg


class Region(Protocol):
    """A closed region between a lower and an upper edge."""

    def lower_at(self, fpr: FloatArray) -> FloatArray:
        """Lower edge at each fpr; where it jumps, the lower value."""
        ...

    def upper_at(self, fpr: FloatArray) -> FloatArray:
        """Upper edge at each fpr; where it jumps, the higher value."""
        ...

    def edges(self) -> tuple[Curve, Curve]:
        """Lower and upper edge as polylines over [0, 1]."""
        ...

    def contains(self, curve: Curve) -> bool:
        """Tell whether every point of `curve` lies inside."""
        ...


@runtime_checkable
class SidedRegion(Region, Protocol):
    """A region that tells on which side a curve leaves it."""

    def misses(self, curve: Curve) -> tuple[bool, bool]:
        """Tell whether `curve` leaves above, and whether it leaves below."""
        ...


class _ContainsByMisses(ABC):
    """Containment by `misses`: a curve is inside if it leaves the region on neither side."""

    @abstractmethod
    def misses(self, curve: Curve) -> tuple[bool, bool]:
        """Tell whether `curve` leaves above, and whether it leaves below."""

    def contains(self, curve: Curve) -> bool:
        """Tell whether every point of `curve` lies inside."""
        return not any(self.misses(curve))


@dataclass(frozen=True, eq=False)
class BetweenRegion(_ContainsByMisses):
    """The region between two monotone polylines over [0, 1], including their jumps."""

    straight: ClassVar[bool] = True  # the edges are polylines

    # lower, upper: the edges, from fpr 0 to 1. The sides of the square below the start of the lower
    # edge and above the end of the upper edge belong to the region: every curve begins and ends
    # there.
    lower: Curve
    upper: Curve

    def upper_at(self, fpr: FloatArray) -> FloatArray:
        """Upper edge at each fpr."""
        return self.upper.high(fpr)

    def lower_at(self, fpr: FloatArray) -> FloatArray:
        """Lower edge at each fpr."""
        return np.minimum(self.lower.low(fpr), self.upper.high(fpr))  # last digits may differ

    @property
    def crossed(self) -> bool:
        """Whether the lower edge lies above the upper one somewhere.

        Points of both on the same line x + y = c are compared: edges that jump at the same
        abscissa, up to rounding, do not cross.
        """
        lower, upper = (_with_corners(edge) for edge in (self.lower, self.upper))
        return not displacement(upper, lower, 1.0).northwest <= SLACK  # also True for NaN

    def edges(self) -> tuple[Curve, Curve]:
        """Both edges."""
        return self.lower, self.upper

    @property
    def mirrored(self) -> BetweenRegion:
        """The region for swapped classes and negated scores."""
        edges = (edge.mirrored for edge in (self.lower, self.upper))
        return BetweenRegion(*(_between_sides(edge.x, edge.y) for edge in edges))

    def misses(self, curve: Curve) -> tuple[bool, bool]:
        """Tell whether `curve` leaves above, and whether it leaves below.

        Both edges are extended to the corners of the square. Each line x + y = c then meets them
        once, and comparing points along these lines is exact.
        """
        lower, upper = (_with_corners(edge) for edge in (self.lower, self.upper))
        return (
            displacement(upper, curve, 1.0).northwest > SLACK,
            displacement(lower, curve, 1.0).southeast > SLACK,
        )


def _between_sides(x: FloatArray, y: FloatArray) -> Curve:
    """Extend an edge along the horizontal lines through its ends to both sides of the square."""
    return Curve(np.concatenate(([0.0], x, [1.0])), np.concatenate((y[:1], y, y[-1:])))


def between_lines(
    c: FloatArray, left: FloatArray, right: FloatArray, slope: float
) -> BetweenRegion:
    """Region of all points (x, y) whose x lies between limits given on the lines y + slope x = c.

    `c` (k,): the lines, ascending, from 0 to 1 + slope. `left`, `right` (k,): limits of x on each
    line; between the lines they are interpolated.

    Notes
    -----
    Limits outside the square are moved to its sides. Limits that are not monotone are tightened to
    the monotone envelope, which does not change the set of monotone curves inside.
    """
    # Add lines where limits cross a side of the square, which is rarely on a given line, and those
    # through its corners (0, 1) and (1, 0).
    over = (left, left - (c - 1.0) / slope, right - 1.0, right - c / slope)
    crossed = (find_zeros(c, value) for value in over)
    lines = np.unique(np.concatenate([c, [1.0, slope], *crossed]))
    # Add lines where limits regain their running maximum; without them, edges of different levels
    # would not be nested.
    west = np.maximum(np.interp(lines, c, left), (lines - 1.0) / slope)
    east = np.minimum(np.interp(lines, c, right), lines / slope)
    turned = 1.0 + slope - lines[::-1]
    caught = 1.0 + slope - _catching_up(turned, 1.0 - east[::-1], slope)
    lines = np.unique(np.concatenate([lines, _catching_up(lines, west, slope), caught]))
    left, right = np.interp(lines, c, left), np.interp(lines, c, right)
    return BetweenRegion(*_inside_square(lines, left, right, slope))


def between_steps(
    c: FloatArray, left: FloatArray, right: FloatArray, slope: float
) -> BetweenRegion:
    """Region of all monotone curves that respect limits of x on the lines y + slope x = c.

    Parameters as for :func:`between_lines`. Between the lines only monotonicity is known, so the
    edges are staircases from one line to the next.
    """
    lower, upper = _inside_square(c, left, right, slope)
    return BetweenRegion(
        Curve(*stairs(lower.x, lower.y, up_first=False)),
        Curve(*stairs(upper.x, upper.y, up_first=True)),
    )


def _inside_square(
    c: FloatArray, left: FloatArray, right: FloatArray, slope: float
) -> tuple[Curve, Curve]:
    left = np.clip(np.maximum(left, (c - 1.0) / slope), 0.0, 1.0)
    # Rotation by 180 degrees turns the right limit into a left one.
    turned = np.clip(np.maximum(1.0 - right, (slope - c) / slope), 0.0, 1.0)[::-1]
    upper = _northwest_limit(c, left, slope)
    return _half_turn(_northwest_limit(1.0 + slope - c[::-1], turned, slope)), upper


def _catching_up(c: FloatArray, left: FloatArray, slope: float) -> FloatArray:
    """Lines on which x regains its running maximum, or y meets the minimum of the rest."""
    left = np.clip(left, 0.0, 1.0)
    first = _overtaking(c, left)
    lines = np.union1d(c, first)
    left = np.maximum.accumulate(np.interp(lines, c, left))
    return np.concatenate([first, _overtaking(lines[::-1], slope * left[::-1] - lines[::-1])])


def _overtaking(c: FloatArray, value: FloatArray) -> FloatArray:
    """Where a piecewise linear function rises above its running maximum again."""
    top = np.maximum.accumulate(value)
    at = np.flatnonzero((value[:-1] < top[:-1]) & (value[1:] > top[:-1]))
    share = (top[at] - value[at]) / (value[at + 1] - value[at])
    return np.asarray(c[at] + share * (c[at + 1] - c[at]))


def _northwest_limit(c: FloatArray, left: FloatArray, slope: float) -> Curve:
    """Northwest edge for monotone curves that stay to the right of `left` on every line."""
    left = np.maximum.accumulate(left)
    height = np.minimum.accumulate((c - slope * left)[::-1])[::-1]
    x = np.maximum.accumulate(np.clip((c - height) / slope, 0.0, 1.0))
    return _between_sides(x, np.clip(height, 0.0, 1.0))


def _with_corners(edge: Curve) -> Curve:
    return Curve(np.concatenate([[0.0], edge.x, [1.0]]), np.concatenate([[0.0], edge.y, [1.0]]))


@dataclass(frozen=True, eq=False)
class DisplacedRegion(_ContainsByMisses):
    """All displacements of a curve by up to (dx, dy) to the northwest and the southeast."""

    straight: ClassVar[bool] = True  # the edges are polylines

    curve: Curve  # the centre
    dx: float  # shift along the false positive axis
    slope: float  # shift along the true positive axis for each unit of `dx`; it must be positive

    @property
    def dy(self) -> float:
        """Shift along the true positive axis."""
        return self.slope * self.dx

    def upper_at(self, fpr: FloatArray) -> FloatArray:
        """Upper edge at each fpr."""
        moved = fpr + self.dx
        height = np.minimum(1.0, self.curve.high(np.minimum(moved, 1.0)) + self.dy)
        return np.where(moved >= 1.0, 1.0, height)

    def lower_at(self, fpr: FloatArray) -> FloatArray:
        """Lower edge at each fpr."""
        moved = fpr - self.dx
        height = np.maximum(0.0, self.curve.low(np.maximum(moved, 0.0)) - self.dy)
        return np.where(moved <= 0.0, 0.0, height)

    def edges(self) -> tuple[Curve, Curve]:
        """Lower and upper edge with all their corners."""
        turned = _northwest_edge(_half_turn(self.curve), self.dx, self.dy)
        return _half_turn(turned), _northwest_edge(self.curve, self.dx, self.dy)

    def misses(self, curve: Curve) -> tuple[bool, bool]:
        """Tell whether `curve` is displaced by more than the width, to the northwest or back."""
        width = self.dx * float(np.hypot(1.0, self.slope)) + SLACK
        apart = displacement(self.curve, curve, self.slope)
        return apart.northwest > width, apart.southeast > width

    @property
    def mirrored(self) -> DisplacedRegion:
        """The region for swapped classes and negated scores: the two shifts are exchanged."""
        return DisplacedRegion(self.curve.mirrored, self.dy, 1.0 / self.slope)


@dataclass(frozen=True, eq=False)
class SpannedRegion(_ContainsByMisses):
    """From the lower edge of one region to the upper edge of another, which lies northwest of it.

    If higher curves have higher edges, the region of the lowest and the highest possible curve
    contains the region of every curve between them.
    """

    # low, high: the regions of the lowest and of the highest curve; both must have `misses`.
    low: SidedRegion
    high: SidedRegion

    def upper_at(self, fpr: FloatArray) -> FloatArray:
        """Upper edge at each fpr."""
        return self.high.upper_at(fpr)

    def lower_at(self, fpr: FloatArray) -> FloatArray:
        """Lower edge at each fpr."""
        return self.low.lower_at(fpr)

    def edges(self) -> tuple[Curve, Curve]:
        """Lower edge of the one, upper edge of the other."""
        return self.low.edges()[0], self.high.edges()[1]

    def misses(self, curve: Curve) -> tuple[bool, bool]:
        """Tell whether `curve` leaves above, and whether it leaves below."""
        return self.high.misses(curve)[0], self.low.misses(curve)[1]

    @property
    def mirrored(self) -> SpannedRegion:
        """The region for swapped classes and negated scores; both parts must have one."""
        low, high = (part.mirrored for part in (self.low, self.high))  # type: ignore[attr-defined]
        return SpannedRegion(low, high)


def _half_turn(curve: Curve) -> Curve:
    """Rotate by 180 degrees about the centre of the square: northwest becomes southeast."""
    return Curve(freeze(1.0 - curve.x[::-1]), freeze(1.0 - curve.y[::-1]))


def _northwest_edge(curve: Curve, dx: float, dy: float) -> Curve:
    """Move `curve` to the northwest and cut it off at the sides of the square."""
    entry = float(np.minimum(1.0, curve.high(np.array([min(dx, 1.0)]))[0] + dy))
    if entry >= 1.0:
        return Curve(np.array([0.0, 1.0]), np.array([1.0, 1.0]))
    # The last vertex moves above the square, so the edge always meets its upper side.
    above = bisect_left(range(curve.y.size), 1.0, key=lambda place: curve.y[place] + dy)
    (x0, x1), (y0, y1) = curve.x[above - 1 : above + 1] - dx, curve.y[above - 1 : above + 1] + dy
    meet = x0 + (1.0 - y0) / (y1 - y0) * (x1 - x0)
    inside = slice(min(int(np.searchsorted(curve.x, dx, side="right")), above), above)
    # In place, because copies of many vertices are expensive.
    x, y = np.empty(above - inside.start + 3), np.empty(above - inside.start + 3)
    np.subtract(curve.x[inside], dx, out=x[1:-2])
    np.add(curve.y[inside], dy, out=y[1:-2])
    x[0], x[-2:], y[0], y[-2:] = 0.0, (max(meet, 0.0), 1.0), entry, 1.0
    return Curve(freeze(x), freeze(y))


# --------------------------------------------------------------------------------- forms of a curve


CurveLike: TypeAlias = RocCurve | Curve | tuple[Any, Any] | Callable[[FloatArray], Any]


def as_curve(curve: CurveLike) -> Curve:
    """Return `curve` as a monotone polyline from (0, 0) to (1, 1).

    `curve`: a callable maps an array of false positive rates to true positive rates. It is
    evaluated at about 4,200 points, equally spaced in the middle and denser toward both ends.
    """
    return curve.curve if isinstance(curve, RocCurve) else close_points(*read_points(curve))


def read_points(
    curve: Any, names: tuple[str, str] = ("fpr", "tpr"), largest: float = 1.0
) -> tuple[FloatArray, FloatArray]:
    """Return the points of a polyline, of a pair of columns, or of a function.

    `names`: of abscissa and ordinate in messages. `largest`: ordinate that a function may have;
    beyond 1 the ordinates of points are not checked.
    """
    if callable(curve):
        if largest == 1.0:
            return follow_function(curve, names)
        x, y = follow_function(lambda x: np.asarray(curve(x)) / largest, names)
        return x, y * largest
    if not isinstance(curve, Curve) and not (isinstance(curve, tuple) and len(curve) == 2):
        raise InputError(
            f"must be a RocCurve, a pair ({names[0]}, {names[1]}) of arrays, or a function "
            f"{names[1]} = f({names[0]})",
            f"got {type(curve).__name__}",
            argument="curve",
        )
    x, y = (curve.x, curve.y) if isinstance(curve, Curve) else curve
    x = check_unit_interval(score_column(x, names[0]), names[0])
    y = np.asarray(score_column(y, names[1]), dtype=np.float64)
    y = check_unit_interval(y, names[1]) if largest == 1.0 else y
    if x.size != y.size:
        raise InputError(
            Message("{} and {} must be equally long", arg(names[0]), arg(names[1])),
            f"they have {x.size} and {y.size} values",
        )
    return x, y


def follow_function(
    function: Callable[[FloatArray], Any], names: tuple[str, str]
) -> tuple[FloatArray, FloatArray]:
    """Evaluate a curve given as a function from rates to rates.

    The abscissae are equally spaced in the middle, and in logit toward both ends, where ROC curves
    have the largest curvature. `names`: of abscissa and ordinate in messages.
    """
    tail = 1.0 / (1.0 + np.exp(np.linspace(32.0, 2.0, 600)))
    x = np.unique(np.concatenate([[0.0, 1.0], np.linspace(0.0, 1.0, 3001), tail, 1.0 - tail]))
    try:
        y = np.asarray(function(x), dtype=np.float64)
    except (TypeError, ValueError) as problem:
        raise InputError(
            f"A curve given as a function must take an array of {names[0]}",
            f"it failed: {problem}",
            "Write it with NumPy operations.",
        ) from problem
    if y.shape != x.shape:
        raise InputError(
            f"A curve given as a function must return one {names[1]} for each {names[0]}",
            f"it returned shape {y.shape} for {x.shape}",
            "Write it with NumPy operations.",
        )
    if np.isnan(y).any():
        raise InputError(
            "A curve must not be NaN", f"it is at {names[0]} = {x[np.argmax(np.isnan(y))]:g}"
        )
    return x, check_unit_interval(y, names[1])


def close_points(x: FloatArray, y: FloatArray, names: tuple[str, str] = ("fpr", "tpr")) -> Curve:
    """Add missing corners; refuse curves that are not monotone. `names`: of both coordinates."""
    for name, values in zip(names, (x, y), strict=True):
        # Decreases within rounding errors are removed; larger ones are refused.
        falls = np.diff(values) < -SAME
        if falls.any():
            row = int(np.argmin(np.diff(values))) + 1
            raise InputError(
                "must not decrease along the curve",
                f"at {names[0]} = {x[row]:.6g} it falls from {values[row - 1]:.6g} to "
                f"{values[row]:.6g}",
                "Sort the points from (0, 0) to (1, 1).",
                argument=name,
            )
    x, y = np.maximum.accumulate(x), np.maximum.accumulate(y)
    return Curve(np.concatenate([[0.0], x, [1.0]]), np.concatenate([[0.0], y, [1.0]]))


def cut_at_fpr(curve: Curve, inside: Curve, fpr: float) -> Curve:
    """Replace `curve` to the left of `fpr` by one that every band around `inside` contains.

    A band with nondecreasing edges that contains `inside` contains the result if and only if it
    contains the part of `curve` from `fpr` on. To the left the result follows `inside`, capped at
    the height of `curve` at `fpr`.
    """
    at = np.array([fpr])
    foot, top = float(curve.low(at)[0]), float(curve.high(at)[0])
    before, after = inside.x < fpr, curve.x > fpr
    x = np.concatenate([inside.x[before], [fpr, fpr, fpr], curve.x[after]])
    reached = np.minimum(np.concatenate([inside.y[before], inside.low(at)]), foot)
    return Curve(x, np.concatenate([reached, [foot, top], curve.y[after]]))


def split_at_curve(curve: Curve, inside: Curve) -> tuple[Curve, Curve]:
    """Split `curve` by `inside`: the northwest envelope of both, and the southeast envelope.

    A band that contains `inside` does not contain the first if and only if `curve` leaves it above,
    and the second if and only if it leaves below. Both are interpolated along lines x + y = c.
    """
    lines = np.union1d(curve.level(1.0), inside.level(1.0))
    x, other = (np.interp(lines, side.level(1.0), side.x) for side in (curve, inside))
    lines = np.union1d(lines, find_zeros(lines, x - other))
    x, other = (np.interp(lines, side.level(1.0), side.x) for side in (curve, inside))
    left, right = np.minimum(x, other), np.maximum(x, other)
    return Curve(left, lines - left), Curve(right, lines - right)
