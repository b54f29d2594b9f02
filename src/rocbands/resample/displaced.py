"""Simultaneous limits of a curve: its standard error along parallel lines, times one factor."""

from __future__ import annotations

from typing import NamedTuple

from scipy.special import ndtri

from rocbands.core.band import find_edge_error
from rocbands.core.checks import FloatArray
from rocbands.core.region import BetweenRegion, between_steps
from rocbands.resample.quantiles import order_statistic, quantile_error


class Displaced(NamedTuple):
    """A curve displaced to both sides by a multiple of its standard error."""

    region: BetweenRegion
    factor: float  # the multiple
    error: float  # Monte Carlo error of the edges


def displace_curve(
    c: FloatArray, x: FloatArray, error: FloatArray, ratio: FloatArray, slope: float, level: float
) -> Displaced:
    """Displace the curve that crosses the lines y + slope x = c at x, all (k,).

    `error` (k,): its standard errors there. `ratio` (n,): the largest absolute error of each
    resample in units of `error`; its quantile is the factor.
    """
    # The factor is at least that of a single line, also where resamples cannot differ.
    factor = max(order_statistic(ratio, level), float(ndtri((1.0 + level) / 2.0)))
    region, moved = (
        between_steps(c, x - width * error, x + width * error, slope)
        for width in (factor, factor + float(quantile_error(ratio, level)))
    )
    return Displaced(region, factor, find_edge_error(region, moved))
