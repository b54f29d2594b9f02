"""Bands made from given fitting curves, which need not be resamples of the observed rows."""

from __future__ import annotations

import math

import numpy as np

from rocbands.bands._averaging import Knots, Rule
from rocbands.bands.fixed_width import FixedWidth
from rocbands.bands.threshold import Threshold, by_ranks
from rocbands.bands.vertical import Vertical
from rocbands.core.checks import FloatArray
from rocbands.core.curve import Curve
from rocbands.core.region import BetweenRegion, DisplacedRegion, Region
from rocbands.core.roc import RocCurve
from rocbands.errors import InputError
from rocbands.resample.curves import Rates, interpolate_rows
from rocbands.resample.distance import largest_displacements
from rocbands_papers.hosts import Host

__all__ = ["SWEEP", "displacements", "fitted", "heights"]

SWEEP = np.arange(100) / 100


def heights(curves: Rates, fpr: FloatArray) -> FloatArray:
    """Topmost true positive rate of each curve at each fpr."""
    return interpolate_rows(np.broadcast_to(fpr, (len(curves.x), fpr.size)), curves.x, curves.y)


def displacements(curves: Rates, centre: Curve, slope: float) -> FloatArray:
    """Largest distance of each curve from the centre along (-1, slope)."""
    repeated = Rates(*(np.repeat(side[None], len(curves.x), 0) for side in (centre.x, centre.y)))
    return largest_displacements(curves, repeated, slope)


def fitted(method: object, roc: RocCurve, host: Host, curves: Rates, level: float) -> Region:
    """Make the band of a method from curves of sets drawn from `host`.

    Parameters
    ----------
    method : FixedWidth, Vertical or Threshold
        Whose rule to follow.
    roc : RocCurve
        The observed curve; fixed-width bands stand around it.
    host : Host
        What the curves were drawn from; it has the thresholds to average at.
    curves : Rates
        The fitting curves.
    level : float
        Confidence level.
    """
    if isinstance(method, FixedWidth):
        return _fixed_width(method, roc, curves, level)
    if isinstance(method, Vertical):
        knots = _knots(method, heights(curves, SWEEP), roc, level)
        x = np.append(SWEEP, 1.0)
        return BetweenRegion(*(Curve(x, np.append(y, 1.0)) for y in (knots.lower, knots.upper)))
    if isinstance(method, Threshold):
        steps = by_ranks(host.roc)
        knots = _knots(method, curves.y[:, steps], roc, level)
        x = np.concatenate(([0.0], np.minimum(curves.x[:, steps].mean(axis=0), 1.0), [1.0]))
        sides = (np.concatenate(([0.0], y, [1.0])) for y in (knots.lower, knots.upper))
        return BetweenRegion(*(Curve(x, y) for y in sides))
    raise InputError(
        "Fitting curves from another host are for fixed-width, vertical and threshold bands; "
        f"got {method!r}. Use fit_host='R'."
    )


def _fixed_width(method: FixedWidth, roc: RocCurve, curves: Rates, level: float) -> DisplacedRegion:
    odds = roc.n_neg / roc.n_pos
    slope = math.sqrt(odds if method.slope_rule == "sd" else 1.0 / odds)
    far = np.sort(displacements(curves, roc.curve, slope))
    # Of ten curves at level 0.95 this is the farthest, as in the paper; the method would refuse.
    width = float(far[math.ceil(level * far.size - 1e-9) - 1])
    return DisplacedRegion(roc.curve, width / math.hypot(1.0, slope), slope)


def _knots(method: Vertical | Threshold, columns: FloatArray, roc: RocCurve, level: float) -> Knots:
    assert method.interval in {"empirical", "normal", "binomial"}, "other rules need no curves"
    rule: Rule = method.interval
    size = len(columns) if method.papers else roc.n_pos
    return Knots.of_columns(columns, rule, level, size)
