"""Conversion of any form of a curve to a `Curve`, for tests of containment in a band."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from rocbands.core.checks import FloatArray, check_unit_interval
from rocbands.core.columns import score_column
from rocbands.core.curve import Curve, find_zeros
from rocbands.core.roc import RocCurve
from rocbands.core.tolerance import SAME
from rocbands.errors import InputError, Message, arg

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
