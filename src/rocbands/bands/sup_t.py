"""Studentised simultaneous bands: the width is proportional to the local standard error."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rocbands.core.band import Band, BandMethod, find_edge_error
from rocbands.core.checks import FloatArray, check_flag, check_resamples
from rocbands.core.curve import Curve
from rocbands.core.method import Coverage, Request
from rocbands.core.region import BetweenRegion, between_lines
from rocbands.core.roc import RocCurve
from rocbands.core.tolerance import SAME
from rocbands.resample.distance import CurveDistance
from rocbands.resample.farthest import resample_distances
from rocbands.resample.population import Population
from rocbands.resample.quantiles import order_statistic, quantile_error
from rocbands.resample.smooth import smooth_rows


@dataclass(frozen=True)
class SupT(BandMethod):
    """Band whose width follows the standard error of the curve along a fixed direction.

    Test sets are drawn from a kernel estimate of both classes. For each, the largest distance
    between its curve and the estimate is measured in local standard errors. The band is the
    observed curve displaced to either side by the quantile of these times the standard error.

    Parameters
    ----------
    n_resamples : int, default 1000
        Number of drawn test sets.
    stratified : bool, default False
        Keep the class sizes in every drawn set.

    Notes
    -----
    The likelihood band is as narrow and draws nothing. Measured coverage: docs/coverage-bands.md.

    Examples
    --------
    >>> import rocbands as rb
    >>> sample = rb.load_example()
    >>> roc = rb.roc_curve(sample["logistic"])
    >>> band = rb.bands.SupT()(roc, level=0.9, rng=1)
    >>> print(band.lower_at(0.1).round(2), band.upper_at(0.1).round(2))
    0.57 0.8
    """

    name: ClassVar[str] = "sup-t"
    coverage: ClassVar[Coverage] = "simultaneous"
    guarantee: ClassVar[str] = "near the level from 100 rows on (measured)"
    idea: ClassVar[str] = "the curve displaced by its standard error times one factor"
    references: ClassVar[tuple[str, ...]] = (
        "Montiel Olea and Plagborg-Moller (2019), Simultaneous confidence bands: theory, "
        "implementation, and an application to SVARs, Journal of Applied Econometrics 34, 1-17.",
    )

    n_resamples: int = 1000
    stratified: bool = False

    def __post_init__(self) -> None:
        check_resamples(self.n_resamples)
        check_flag(self.stratified, "stratified")

    def build_bands(self, roc: RocCurve, requests: Sequence[Request]) -> list[Band]:
        """Measure the drawn curves once; each level has its own quantile."""
        rows, turned = Population.from_curve(roc).choose_direction()
        n_neg, n_pos = int(rows.neg[-1]), int(rows.pos[-1])
        slope = math.sqrt(n_neg / n_pos)
        population = smooth_rows(rows)
        error = _standard_error(population.curve, slope, n_neg, n_pos)
        metric = CurveDistance(population.curve, slope, error)

        drawn = resample_distances(
            population,
            metric,
            (n_neg, n_pos),
            self.n_resamples,
            requests[0].rng,
            stratified=self.stratified,
        )
        # The observed curve and the standard error at all vertices of both.
        curve = rows.merge_runs().curve
        own = curve.level(slope)
        c = np.union1d(own, metric.knots)
        x, width = np.interp(c, own, curve.x), np.interp(c, metric.knots, error)

        def displace(factor: float) -> BetweenRegion:
            region = between_lines(c, x - factor * width, x + factor * width, slope)
            return region.mirrored if turned else region

        bands = []
        for level in (request.level for request in requests):
            factor = order_statistic(drawn, level)
            region, moved = displace(factor), displace(factor + float(quantile_error(drawn, level)))
            note = (
                f"{factor:.3f} standard errors, "
                f"from {self.n_resamples} samples of a smoothed curve."
            )
            off = find_edge_error(region, moved)
            simulation = requests[0].simulated(self.n_resamples, off)
            bands.append(Band(roc, region, level, self, notes=(note,), simulation=simulation))
        return bands


def _standard_error(curve: Curve, slope: float, n_neg: int, n_pos: int) -> FloatArray:
    """Return the standard error of the curve's x on each line y + slope x = c through its vertices.

    One case is added to each class on either side of the vertex, so that the error is never 0.
    """
    # Delta method. If the rates have errors e_x and e_y, the crossing with the line y + s x = c
    # moves by (dy e_x - dx e_y) / (s dx + dy) in x, where (dx, dy) is the curve's direction; e_x
    # and e_y are independent binomial errors.
    x, y = (n_neg * curve.x + 1.0) / (n_neg + 2.0), (n_pos * curve.y + 1.0) / (n_pos + 2.0)
    dx, dy = np.gradient(curve.x), np.gradient(curve.y)
    # Between well separated classes the estimate is constant and has no direction: use any.
    still = slope * dx + dy < SAME
    dx, dy = dx + still, dy + still
    across, up = x * (1.0 - x) / n_neg, y * (1.0 - y) / n_pos
    return np.asarray(np.sqrt(dy**2 * across + dx**2 * up) / (slope * dx + dy))
