"""Simultaneous limits of a curve: its standard error along parallel lines, times one factor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from scipy.special import ndtri

from rocbands.core.band import Band, BandMethod, find_edge_error
from rocbands.core.checks import FloatArray
from rocbands.core.curve import Curve
from rocbands.core.method import Request
from rocbands.core.region import between_steps
from rocbands.core.roc import RocCurve
from rocbands.resample.quantiles import order_statistic, quantile_error


class Crossings(NamedTuple):
    """Where a curve crosses the lines y + slope x = c, and how far resamples are from it."""

    c: FloatArray  # (k,)
    x: FloatArray  # (k,)
    slope: float
    error: FloatArray  # (k,) standard errors of x
    ratio: FloatArray  # (n,) the largest absolute error of each resample, in units of `error`


def displace_curve(
    method: BandMethod,
    roc: RocCurve,
    requests: Sequence[Request],
    found: Crossings,
    *,
    of: str,
    centre: Curve,
    target: str,
    notes: tuple[str, ...] = (),
) -> list[Band]:
    """Displace a curve, called `of`, to both sides by a multiple of its standard error.

    The multiple is a quantile of `ratio`, another one for each level.
    """
    c, x, slope, error, ratio = found
    bands = []
    for level in (request.level for request in requests):
        # The factor is at least that of a single line, also where resamples cannot differ.
        factor = max(order_statistic(ratio, level), float(ndtri((1.0 + level) / 2.0)))
        region, moved = (
            between_steps(c, x - width * error, x + width * error, slope)
            for width in (factor, factor + float(quantile_error(ratio, level)))
        )
        band = Band(
            *(roc, region, level, method),
            notes=(*notes, f"{factor:.3f} standard errors of {of}."),
            centre=centre,
            target=target,
            simulation=requests[0].simulated(ratio.size, find_edge_error(region, moved)),
        )
        bands.append(band)
    return bands
