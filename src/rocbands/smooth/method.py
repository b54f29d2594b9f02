"""Base classes of smooth curves, and the band of those that are drawn again from the fit.

A fitted model gives both classes at descending thresholds t: x(t) and y(t), the smooth curve. Test
sets of the same size are drawn from the model, and each is fitted anew. On the line y + s x = c
through a point of the smooth curve, the curve of a drawn set lies d to the side. The band is

    all points with |d| <= k w(c),    w(c)^2 = mean d^2 + (one case)^2,

where k is the quantile of the largest |d| / w over the whole curve, so that the band is
simultaneous. The mean of d^2, not its variance, contains the bias of the fit as far as the drawn
sets show it. One case of each class keeps the width positive in the corners, where drawn curves
all agree. The interval of the area is logit(A) -/+ the quantile of |logit(A') - logit(A)|. A fit to
few cases is closer to them than to the population, and drawn sets vary too little: d and the
distances of areas are multiplied by sqrt(n / (n - p)), with n cases in the smaller class and p
numbers that are fitted to each class.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.special import expit, logit

from rocbands.core.band import Band, BandMethod, find_edge_error
from rocbands.core.checks import FloatArray
from rocbands.core.curve import Curve, displacement
from rocbands.core.method import Coverage, Request, Resampling
from rocbands.core.region import BetweenRegion, between_lines
from rocbands.core.roc import RocCurve
from rocbands.core.tolerance import SAME
from rocbands.errors import warn
from rocbands.resample.quantiles import order_statistic, quantile_error
from rocbands.smooth.result import SmoothCurve

MANY = 200  # cases of the smaller class from which a test of the fit has power
SUSPECT = 0.005  # p-value of a test of the fit below which there is a warning
_CHUNK = 500  # test sets drawn at a time; the widths are those of the first chunk
_CERTAIN = 1e-12  # areas are kept so far from 0 and 1


@dataclass(frozen=True)
class SmoothMethod(BandMethod, abstract=True):
    """Base class of methods that fit a smooth curve, also for your own.

    A subclass is a frozen dataclass that defines ``build_bands(roc, requests)``; it returns a
    :class:`rocbands.results.SmoothCurve` for each request.
    """

    question: ClassVar[str] = "smooth"
    coverage: ClassVar[Coverage] = "simultaneous"


SmoothMethod.family = SmoothMethod  # not a band method, where others are suggested


class Draws(NamedTuple):
    """Curves fitted to drawn test sets, each at the thresholds of the fit."""

    x: FloatArray  # (draws, points)
    y: FloatArray
    misfit: FloatArray | None = None  # (draws,) statistic of a test of the fit


class Fit(NamedTuple):
    """A fitted curve, and how test sets are drawn from it and fitted again."""

    x: FloatArray  # (points,) from 0 to 1
    y: FloatArray
    fitted: dict[str, float]
    draw: Callable[[np.random.Generator, int], Draws]
    misfit: float = 0.0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class DrawnMethod(Resampling, SmoothMethod, abstract=True):
    """Base class of smooth curves whose band comes from test sets drawn from the fit."""

    lost: ClassVar[int]  # numbers that are fitted to a class

    n_resamples: int = 1000

    @abstractmethod
    def fit(self, roc: RocCurve) -> Fit:
        """Fit the smooth curve."""

    def build_bands(self, roc: RocCurve, requests: Sequence[Request]) -> list[Band]:
        """Draw and fit test sets once; each level has its own quantiles."""
        fit, slope = self.fit(roc), math.sqrt(roc.n_neg / roc.n_pos)
        curve = Curve(fit.x, fit.y)
        c, area = curve.level(slope), _bounded(np.float64(curve.area))
        fewest = min(roc.n_neg, roc.n_pos)
        stretch = math.sqrt(fewest / max(fewest - self.lost, 1))
        distances, areas, misfits, width = [], [], [], np.empty(0)
        for start in range(0, self.n_resamples, _CHUNK):
            drawn = fit.draw(requests[0].rng, min(_CHUNK, self.n_resamples - start))
            moved = stretch * (fit.x - interpolate_rows(c, drawn.y + slope * drawn.x, drawn.x))
            if start == 0:
                width = np.hypot(
                    np.sqrt(np.square(moved).mean(axis=0)), _one_case(curve, slope, roc)
                )
            distances.append((np.abs(moved) / width).max(axis=1))
            rise = (drawn.y[:, 1:] + drawn.y[:, :-1]) / 2.0
            areas.append((np.diff(drawn.x) * rise).sum(axis=1))
            misfits.append(drawn.misfit)
        far = np.concatenate(distances)
        off = stretch * np.abs(logit(_bounded(np.concatenate(areas))) - logit(area))
        pvalue, notes = None, (*self.note_doubts(roc), *fit.notes)
        if misfits[0] is not None:
            beyond = sum(np.count_nonzero(one >= fit.misfit) for one in misfits if one is not None)
            pvalue = (1.0 + beyond) / (self.n_resamples + 1.0)
            notes = (*notes, self._judge_fit(pvalue, fewest))

        def displace(factor: float) -> BetweenRegion:
            return between_lines(c, fit.x - factor * width, fit.x + factor * width, slope)

        found: list[Band] = []
        for request in requests:
            factor, reach = (order_statistic(of, request.level) for of in (far, off))
            region = displace(factor)
            moved_region = displace(factor + float(quantile_error(far, request.level)))
            error = find_edge_error(region, moved_region)
            low, high = expit(logit(area) + np.array([-reach, reach]))
            found.append(
                make_result(
                    self,
                    roc,
                    region,
                    request.level,
                    curve,
                    (low, high),
                    fit.fitted,
                    notes=notes,
                    fit_pvalue=pvalue,
                    simulation=requests[0].simulated(self.n_resamples, error),
                )
            )
        return found

    def _judge_fit(self, pvalue: float, fewest: int) -> str:
        if pvalue >= SUSPECT:
            power = f"; with {fewest} cases of a class it misses many deviations"
            return f"A test of the model has p = {pvalue:.2g}{power * (fewest < MANY)}."
        said = (
            f"The scores do not look like the model (p = {pvalue:.1g}): the curve and its limits "
            "are for a model that does not hold."
        )
        warn(said)
        return said


def make_result(
    method: SmoothMethod,
    roc: RocCurve,
    region: Any,
    level: float,
    centre: Curve,
    limits: tuple[float, float],
    fitted: dict[str, float],
    **more: Any,
) -> SmoothCurve:
    """Make the result; limits of the area contain the area also where it is rounded."""
    apart = displacement(centre, roc.curve, 1.0).largest / math.sqrt(2.0)
    return SmoothCurve(
        roc,
        region,
        level,
        method,
        centre=centre,
        centre_name="smooth curve",
        auc_low=min(float(limits[0]), centre.area),
        auc_high=max(float(limits[1]), centre.area),
        fitted=fitted,
        distance=min(apart, 1.0),
        **more,
    )


def interpolate_rows(at: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray:
    """Interpolate each row of y, known at the same row of x, at the same row of `at`."""
    # All rows in a single call: each is moved beyond the end of the row before it.
    low, high = (min(at.min(), x.min()), max(at.max(), x.max()))
    above = (2.0 * (high - low) + 1.0) * np.arange(y.shape[0])[:, None]
    keys, places = (np.broadcast_to(part, y.shape) + above for part in (x, at))
    found = np.interp(places.ravel(), keys.ravel(), y.ravel())
    return np.asarray(found.reshape(y.shape))


def _one_case(curve: Curve, slope: float, roc: RocCurve) -> FloatArray:
    """How far one case of each class moves the curve along x on the lines y + slope x = c."""
    # As in sup-t: errors e_x, e_y move the crossing by (dy e_x - dx e_y) / (slope dx + dy).
    dx, dy = np.gradient(curve.x), np.gradient(curve.y)
    still = slope * dx + dy < SAME  # between well separated classes; any direction does
    dx, dy = dx + still, dy + still
    return np.asarray(np.hypot(dy / roc.n_neg, dx / roc.n_pos) / (slope * dx + dy))


def _bounded(area: FloatArray | np.float64) -> FloatArray:
    return np.asarray(np.clip(area, _CERTAIN, 1.0 - _CERTAIN))
