"""A smooth curve fitted to the data, to resample from instead of the empirical curve."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr, ndtri

from rocbands.core.checks import FloatArray
from rocbands.core.tolerance import SAME, SLACK
from rocbands.errors import InputError, Message, arg
from rocbands.resample.population import Population

POINTS = 401
REACH = 4.5  # kernel widths beyond the outermost case
MANY = 2000  # cases of a class; larger classes are binned first
FINE = 20  # bins for each kernel width
# Most cases of a class: a resampled smooth curve is searched down to single cases; 1000 curves of
# this size take about 10 s.
MOST_SMOOTHED = 10**9


def smooth_rows(
    rows: Population, *, points: int = POINTS, many: int = MANY, fine: int = FINE
) -> Population:
    """Replace both classes by kernel estimates on the scale of pooled normal scores.

    `points`: number of points of the curve. `many`: largest number of distinct scores of a class
    that are not binned. `fine`: bins for each kernel width.
    """
    # Every case becomes the normal quantile of its rank, ties sharing their mean rank; each class
    # is smoothed by a Gaussian kernel of width 0.9 min(sd, IQR / 1.34) N^(-1/5) (Silverman 1986,
    # equation 3.31). The result depends only on the order of the scores.
    neg, pos = np.diff(rows.neg), np.diff(rows.pos)
    if max(rows.neg[-1], rows.pos[-1]) > MOST_SMOOTHED:
        raise InputError(
            "Resampling a smoothed curve is for at most 10**9 cases of a class",
            f"there are {max(rows.neg[-1], rows.pos[-1]):,.0f}",
            Message("Use {}.", arg("method", "likelihood")),
        )
    z = find_normal_scores(rows)
    widths = [0.9 * find_spread(z, side) * float(side.sum() ** -0.2) for side in (neg, pos)]
    at = place_points(z, max(widths), points)
    x, y = (
        find_survival(at, z, side, h, many, fine)
        for side, h in zip((neg, pos), widths, strict=True)
    )
    return Population(x, y, atomic=False)


def smooth_thresholds(rows: Population, points: int = POINTS) -> Population:
    """As :func:`smooth_rows`; if most scores are tied, at the thresholds of the rows only."""
    smooth, size = smooth_rows(rows, points=points), rows.neg[-1] + rows.pos[-1]
    if not 2 <= rows.neg.size - 1 < min(size / 2.0, points):
        return smooth
    called = (rows.neg[-1] * smooth.neg + rows.pos[-1] * smooth.pos) / size
    at = (rows.neg + rows.pos) / size
    return Population(*(np.interp(at, called, side) for side in (smooth.neg, smooth.pos)))


def find_normal_scores(rows: Population) -> FloatArray:
    """Return the normal quantiles of the mean ranks of all scores, from the highest score down."""
    above = rows.neg[:-1] + rows.pos[:-1]
    here = np.diff(rows.neg) + np.diff(rows.pos)
    # Descending: the highest score has the smallest rank and the largest normal score.
    rank = (above + here / 2.0) / (rows.neg[-1] + rows.pos[-1])
    # Clipped, also if a weight is lost by rounding.
    return np.asarray(-ndtri(np.clip(rank, 1e-300, 1.0 - 2.0**-53)))


def place_points(z: FloatArray, width: float, points: int) -> FloatArray:
    """Equidistant points, descending, from beyond the highest score to beyond the lowest."""
    return np.linspace(z[0] + REACH * width, z[-1] - REACH * width, points)


def find_spread(z: FloatArray, weight: FloatArray) -> float:
    """Return the standard deviation of a class or a smaller robust one; 1 if nothing varies."""
    size = weight.sum()
    mean = np.dot(weight, z) / size
    sd = float(np.sqrt(np.dot(weight, (z - mean) ** 2) / max(size - 1.0, 1.0)))
    # A quarter is often a whole number of cases, which rounding errors must not exceed.
    quarters = size * np.array([0.25, 0.75]) * (1.0 - SLACK)
    upper, lower = z[np.searchsorted(np.cumsum(weight), quarters)]
    if sd < SAME:  # cases that are all equal, up to the rounding of their mean
        sd = 0.0
    return min(sd, float(upper - lower) / 1.34) or sd or 1.0


def find_survival(
    at: FloatArray,
    z: FloatArray,
    weight: FloatArray,
    width: float,
    many: int = MANY,
    fine: int = FINE,
) -> FloatArray:
    """Fraction of the smoothed class above each point, from exactly 0 to exactly 1."""
    # S(t) = sum of w_i Phi((z_i - t) / h), with weights w and kernel width h. Bins of width
    # h / fine, represented by their means, change it by less than 1e-5.
    seen = weight > 0
    z, weight = z[seen], weight[seen]
    if z.size > many:
        cell = np.rint(z / (width / fine)).astype(np.int64)
        cell -= cell.min()
        mass: FloatArray = np.bincount(cell, weight).astype(np.float64)
        z = np.bincount(cell, weight * z)[mass > 0] / mass[mass > 0]
        weight = mass[mass > 0]
    share = ndtr((z - at[:, None]) / width) @ (weight / weight.sum())
    share = np.maximum.accumulate(np.clip(share, 0.0, 1.0))
    share[[0, -1]] = 0.0, 1.0
    return np.asarray(share)
