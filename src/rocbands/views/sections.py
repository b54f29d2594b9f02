"""Sections of a band's region along lines in any direction.

Limits of a view at one abscissa come from a section of the region: vertical (DET), horizontal
(precision at a recall) or slanted (recall at a rate), or from the best point of each edge (cost).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from rocbands.core.checks import FloatArray, freeze
from rocbands.core.curve import Curve
from rocbands.core.region import SpannedRegion
from rocbands.cost.envelope import find_upper_hull

Limits = tuple[FloatArray, FloatArray]

_HALVINGS = 54  # bisections of a piece of an edge: to machine precision
_NONE, _ALL = np.zeros(1), np.ones(1)
# Recalls of further vertices of edges that are drawn in other coordinates.
_RECALLS = 0.5 - 0.5 * np.cos(np.linspace(0.0, np.pi, 81))
_FEW = 1 << 16  # pairs of a vertex and a pair of weights up to which all are evaluated
_CLOSE = 1e-6  # error of the best value along a smooth edge
_CERTAIN = 2e-5  # its error along any monotone edge, as a share of the weight of the tpr


def list_parts(region: Any) -> tuple[Any, Any]:
    """Return the lower and the upper region of a spanned region, or the region twice."""
    return (region.low, region.high) if isinstance(region, SpannedRegion) else (region, region)


class Sections:
    """Sections of a region in any direction, exact to rounding.

    `region`: has `lower_at`, `upper_at` and `edges`. `drawn`: best points are those of the edges as
    they are drawn, which is quick.
    """

    def __init__(self, region: Any, drawn: bool = False) -> None:
        self.region, self.drawn = region, drawn

    @cached_property
    def edges(self) -> tuple[Curve, Curve]:
        """Lower and upper edge, from (0, 0) to (1, 1) along the sides of the square, rising.

        A monotone curve above an edge is also above its running maximum, and likewise below, so
        nothing is lost by making edges monotone.
        """
        lower, upper = self.region.edges()
        low, high = np.maximum.accumulate(lower.y), np.minimum.accumulate(upper.y[::-1])[::-1]
        x, y = (
            freeze(np.concatenate((_NONE, below, _ALL, _NONE, above, _ALL)))
            for below, above in ((lower.x, upper.x), (low, high))
        )
        end = low.size + 2
        return Curve(x[:end], y[:end]), Curve(x[end:], y[end:])

    @cached_property
    def fine_edges(self) -> tuple[Curve, Curve]:
        """Edges with vertices along both axes, where the region knows its mirror image."""
        if self._mirrored is None:
            return self.edges
        left, right = self.horizontal(_RECALLS)
        lower, upper = self.edges
        return _merge(lower, Curve(right, _RECALLS)), _merge(upper, Curve(left, _RECALLS))

    @cached_property
    def _mirrored(self) -> Sections | None:
        try:
            region = getattr(self.region, "mirrored", None)
        except AttributeError:  # a region whose parts have none
            return None
        return None if region is None else Sections(region)

    def vertical(self, u: FloatArray) -> Limits:
        """Lowest and highest tpr at each fpr."""
        both = getattr(self.region, "both_at", None)
        return (self.region.lower_at(u), self.region.upper_at(u)) if both is None else both(u)

    def horizontal(self, v: FloatArray) -> Limits:
        """Smallest and largest fpr at each tpr.

        In the mirror image, where (u, v) is at (1 - v, 1 - u), they are heights of the edges.
        """
        mirrored = self._mirrored
        if mirrored is not None:
            low, high = mirrored.vertical(1.0 - v)
            return np.clip(1.0 - high, 0.0, 1.0), np.clip(1.0 - low, 0.0, 1.0)
        return self._first(v, 1.0, 0.0), self._last(v, 1.0, 0.0)

    def slanted(self, rate: FloatArray, p: float) -> Limits:
        """Lowest and highest tpr v on each line p v + (1 - p) u = rate."""
        lowest, highest = list_parts(self.region)
        if hasattr(lowest, "slanted_at") and hasattr(highest, "slanted_at"):
            limits = lowest.slanted_at(rate, p)
            return limits if highest is lowest else (limits[0], highest.slanted_at(rate, p)[1])
        left, right = self._first(rate, p, 1.0 - p), self._last(rate, p, 1.0 - p)
        # On a vertical piece of an edge the height follows from the line.
        low, high = ((rate - (1.0 - p) * u) / p for u in (right, left))
        return np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)

    def best(self, side: int, gain: FloatArray, loss: FloatArray) -> Limits:
        """Points of the lower (0) or upper (1) edge with the largest gain v - loss u.

        A linear function along a polyline is largest at a vertex. Edges of the likelihood band are
        curved between vertices, so the search continues between the neighbours of the best one.
        """
        if self._straight or self.drawn:
            return _best_vertices(self.edges[side], gain, loss)
        height = self.region.upper_at if side else self.region.lower_at
        return _best_along_edge(self.edges[side], height, gain, loss)

    def _first(self, level: FloatArray, a: float, b: float) -> FloatArray:
        """Find the smallest u with a U(u) + b u >= level, U the upper edge."""
        height = None if self._straight else self.region.upper_at
        return _bisect(self.edges[1], height, level, a, b, "left")

    def _last(self, level: FloatArray, a: float, b: float) -> FloatArray:
        """Find the largest u with a L(u) + b u <= level, L the lower edge."""
        height = None if self._straight else self.region.lower_at
        return _bisect(self.edges[0], height, level, a, b, "right")

    @property
    def _straight(self) -> bool:
        """Whether the edges are polylines, with all their vertices."""
        return all(getattr(part, "straight", False) for part in list_parts(self.region))


def _bisect(
    edge: Curve,
    height: Callable[[FloatArray], FloatArray] | None,
    level: FloatArray,
    a: float,
    b: float,
    side: Any,
) -> FloatArray:
    """Find where a y + b x crosses each level along an edge, between its vertices and exactly.

    `height`: the edge between its vertices; None where it is straight.
    """
    value = a * edge.y + b * edge.x  # never falls
    after = np.searchsorted(value, level, side=side)
    before, after = np.maximum(after - 1, 0), np.minimum(after, edge.x.size - 1)
    low, high = edge.x[before], edge.x[after]
    if height is None:
        below, above = level - value[before], value[after] - level
        share = np.clip(below / np.maximum(below + above, 1e-300), 0.0, 1.0)
        return np.asarray(low + share * (high - low))
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        now = a * height(middle) + b * middle
        beyond = now >= level if side == "left" else now > level
        low, high = np.where(beyond, low, middle), np.where(beyond, middle, high)
    # Return the end of the bracket that is inside the region.
    return high if side == "left" else low


def _best_vertices(edge: Curve, gain: FloatArray, loss: FloatArray) -> Limits:
    """Find the vertices of a polyline with the largest gain y - loss x: they lie on its hull."""
    if gain.size * edge.x.size <= _FEW:
        at = (np.array([gain, -loss]).T @ np.array([edge.y, edge.x])).argmax(axis=1)
        return edge.x[at], edge.y[at]
    moves = np.append(True, (np.diff(edge.x) > 0.0) | (np.diff(edge.y) > 0.0))
    x, y = edge.x[moves], edge.y[moves]
    hull = find_upper_hull(x, y)
    x, y = x[hull], y[hull]
    with np.errstate(divide="ignore"):
        slope, asked = np.diff(y) / np.diff(x), loss / gain
    at = np.searchsorted(-slope, -asked)  # slopes fall along the hull
    return x[at], y[at]


def _best_along_edge(
    edge: Curve, height: Callable[[FloatArray], FloatArray], gain: FloatArray, loss: FloatArray
) -> Limits:
    """Best point of an edge for each pair of weights, by branch and bound from its vertices.

    On a piece from (x0, y0) to (x1, y1) of an increasing edge no point is better than the corner
    (x0, y1), a bound that is used down to `_CERTAIN`. Below that, a piece is halved while its ends
    plus twice its expected bulge would be better; halving a piece quarters its bulge.
    """
    u, v = _best_vertices(edge, gain, loss)
    top = gain * v - loss * u
    corner = gain[:, None] * edge.y[1:] - loss[:, None] * edge.x[:-1]
    owner, piece = np.nonzero((corner > (top + _CLOSE)[:, None]) & (edge.x[1:] > edge.x[:-1]))
    x0, x1 = edge.x[piece], edge.x[piece + 1]
    y0, y1 = edge.y[piece], edge.y[piece + 1]
    bow = np.full(owner.size, np.inf)
    for _ in range(_HALVINGS):
        g, l, best = gain[owner], loss[owner], (top + _CLOSE)[owner]  # noqa: E741
        corner = g * y1 - l * x0
        ends = np.maximum(g * y0 - l * x0, g * y1 - l * x1)
        keep = (corner > best) & ((corner > best + _CERTAIN * g) | (ends + 2.0 * g * bow > best))
        owner, x0, x1, y0, y1, bow, g, l = (  # noqa: E741
            part[keep] for part in (owner, x0, x1, y0, y1, bow, g, l)
        )
        if not owner.size:
            break
        x = 0.5 * (x0 + x1)
        places, which = np.unique(x, return_inverse=True)  # many owners share a piece
        y = np.clip(height(places)[which], y0, y1)
        # The best middle of each owner is the last one in ascending order.
        now = g * y - l * x
        order = np.argsort(now, kind="stable")
        found = np.full(gain.size, -1)
        found[owner[order]] = order
        better = np.flatnonzero(found >= 0)
        better = better[now[found[better]] > top[better]]
        pick = found[better]
        u[better], v[better], top[better] = x[pick], y[pick], now[pick]
        bow = 0.25 * np.maximum(np.abs(y - 0.5 * (y0 + y1)), np.where(bow < 1.0, bow, 0.0))
        owner, bow = np.tile(owner, 2), np.tile(bow, 2)
        x0, x1 = np.concatenate([x0, x]), np.concatenate([x, x1])
        y0, y1 = np.concatenate([y0, y]), np.concatenate([y, y1])
    return u, v


def _merge(one: Curve, other: Curve) -> Curve:
    """Vertices of two polylines that follow the same curve, in order along it."""
    x, y = (np.concatenate(pair) for pair in ((one.x, other.x), (one.y, other.y)))
    order = np.argsort(x + y, kind="stable")
    return Curve(*(np.maximum.accumulate(side[order]) for side in (x, y)))
