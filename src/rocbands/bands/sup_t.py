"""Studentised simultaneous bands: the width is proportional to the local standard error."""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from rocbands.core.band import Band, BandMethod, Future, find_edge_error
from rocbands.core.checks import FloatArray, check_flag, check_resamples
from rocbands.core.method import Coverage, Extra, Request
from rocbands.core.references import MONTIEL_OLEA
from rocbands.core.region import BetweenRegion, between_lines
from rocbands.core.roc import RocCurve
from rocbands.resample.curves import RowSource, chunk_size
from rocbands.resample.distance import (
    CurveDistance,
    find_largest_displacements,
    find_standard_error,
    resample_distances,
)
from rocbands.resample.population import Population, smooth_rows
from rocbands.resample.quantiles import order_statistic, quantile_error
from rocbands.resample.streams import run_chunks

_FEW_ROWS = 100
_CELLS = 1601  # of the score axis, in which pairs of sets are counted


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
    For a future set of n' negatives, x (1 - x) / n in the standard error becomes
    x (1 - x) (1/n + 1/n'), likewise for positives, and the distances are those between pairs of
    drawn curves of the observed and of the future size. With equal sizes this is the factor sqrt(2)
    of Macskassy, Provost and Rosset (2005).

    The likelihood band is as narrow and draws nothing. Measured coverage:
    studies/docs/coverage-bands.md.

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
    handles: ClassVar[tuple[Extra, ...]] = ("future",)
    idea: ClassVar[str] = "the curve displaced by its standard error times one factor"
    references: ClassVar[tuple[str, ...]] = (MONTIEL_OLEA,)

    n_resamples: int = 1000
    stratified: bool = False

    def __post_init__(self) -> None:
        check_resamples(self.n_resamples)
        check_flag(self.stratified, "stratified")

    def build_bands(self, roc: RocCurve, requests: Sequence[Request]) -> list[Band]:
        """Measure the drawn curves once; each level has its own quantile."""
        rows, turned = Population.from_curve(roc).choose_direction()
        sizes = int(rows.neg[-1]), int(rows.pos[-1])
        slope = math.sqrt(sizes[0] / sizes[1])
        population, rng = smooth_rows(rows), requests[0].rng
        knots = population.curve.level(slope)
        error = find_standard_error(population.curve, slope, *sizes)
        metric = CurveDistance(population.curve, slope, error)
        drawn = resample_distances(
            population, metric, sizes, self.n_resamples, rng, stratified=self.stratified
        )
        # By target: local standard errors at the knots, and the largest distances drawn.
        found: dict[Future, tuple[FloatArray, FloatArray]] = {None: (error, drawn)}
        for future in dict.fromkeys(ask.future for ask in requests if ask.future is not None):
            later = future if turned else future[::-1]
            both = ((1.0 / n + 1.0 / k) ** -1 for n, k in zip(sizes, later, strict=True))
            error = find_standard_error(population.curve, slope, *both)
            metric = CurveDistance(population.curve, slope, error)
            # Every target starts from the same stream: a band does not depend on the others.
            found[future] = error, self._draw_pairs(rows, later, metric, deepcopy(rng))
        # The observed curve and the standard error at all vertices of both.
        curve = rows.merge_runs().curve
        own = curve.level(slope)
        c = np.union1d(own, knots)
        x = np.interp(c, own, curve.x)

        def displace(factor: float, future: Future) -> BetweenRegion:
            width = factor * np.interp(c, knots, found[future][0])
            region = between_lines(c, x - width, x + width, slope)
            return region.mirrored if turned else region

        bands = []
        for ask in requests:
            # A second set only adds noise; draws may say otherwise.
            drawn = max(
                (found[None][1], found[ask.future][1]),
                key=lambda one: order_statistic(one, ask.level),
            )
            factor, off = order_statistic(drawn, ask.level), float(quantile_error(drawn, ask.level))
            region, moved = displace(factor, ask.future), displace(factor + off, ask.future)
            note = (
                f"{factor:.3f} standard errors, "
                f"from {self.n_resamples} samples of a smoothed curve."
            )
            simulation = requests[0].simulated(self.n_resamples, find_edge_error(region, moved))
            bands.append(
                Band(
                    roc,
                    region,
                    ask.level,
                    self,
                    ask.future,
                    (note, *self.note_doubts(roc)),
                    simulation=simulation,
                )
            )
        return bands

    def note_doubts(self, roc: RocCurve, future: Future = None) -> tuple[str, ...]:
        if roc.n_pos + roc.n_neg >= _FEW_ROWS:
            return ()
        return (f"Fewer than {_FEW_ROWS} rows: with 25 measured coverage was 0.90 to 1 at 0.95.",)

    def _draw_pairs(
        self, rows: Population, later: tuple[int, int], metric: CurveDistance, rng: Generator
    ) -> FloatArray:
        """Largest distances between drawn curves of the observed and of the future size.

        Drawn cases are counted in narrow cells of the smoothed scores.
        """
        smooth = smooth_rows(rows, points=_CELLS)
        population = Population(smooth.neg * rows.neg[-1], smooth.pos * rows.pos[-1], False)
        sources = RowSource(population, self.stratified), RowSource(population, sizes=later)

        def work(draws: int, stream: Generator) -> FloatArray:
            one, other = (source.draw(draws, stream) for source in sources)
            return find_largest_displacements(one, other, metric.slope, metric.width_at)

        return np.concatenate(run_chunks(work, self.n_resamples, rng, size=chunk_size(2 * _CELLS)))
