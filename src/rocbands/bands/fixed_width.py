"""Fixed-width bands: the observed curve pushed as far as resampled curves stray from it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np

from rocbands.core.band import Band, BandMethod, Future
from rocbands.core.checks import FloatArray, check_choice, check_flag, check_resamples
from rocbands.core.curve import Curve
from rocbands.core.method import Coverage, Extra, Request
from rocbands.core.references import MACSKASSY_2004, MACSKASSY_2005
from rocbands.core.region import DisplacedRegion, Region, SpannedRegion
from rocbands.core.roc import RocCurve
from rocbands.errors import InputError, Message, arg
from rocbands.resample.corners import can_draw_rows, chunk_of_rows, find_largest_at_corners
from rocbands.resample.curves import Rates, Source, build_source, chunk_size, measure_resamples
from rocbands.resample.distance import (
    BinnedDistance,
    CurveDistance,
    Distance,
    find_largest_displacements,
    find_largest_distances,
)
from rocbands.resample.population import Population, draw_class_sizes
from rocbands.resample.quantiles import order_statistic
from rocbands.resample.smooth import smooth_rows
from rocbands.resample.streams import run_chunks

FutureRule = Literal["root", "pairs"]

# Resamples of so few cases of a class hardly differ. Measured against 1,000 negatives: a band at
# level .95 contains the curve of chance in 55% (1 positive), 65% (2) and 95% (3) of data sets.
_FEW = 2
_CHUNK = 250  # draws at once: more memory than usual, fewer calls


@dataclass(frozen=True)
class FixedWidth(BandMethod):
    """Band of one width, the smallest that contains enough resampled curves.

    Test sets are drawn with replacement from the observed one. For each, the largest distance
    between its curve and the observed curve is measured along a fixed direction, and the band is
    the observed curve pushed by the quantile of these distances to either side.

    Parameters
    ----------
    n_resamples : int, default 1000
        Number of resampled test sets.
    stratified : bool, default False
        Keep the class sizes in every resample. The papers do not.
    smooth : bool, default False
        Draw from a kernel estimate of both classes instead of the observed rows. About 5%
        narrower and closer to the level where scores are not tied, and of use where the classes
        are perfectly separated.
    future_rule : {'root', 'pairs'}, default 'root'
        How a band for a future set is widened. 'root': each axis by sqrt(1 + size / future size),
        the spread of a difference of two independent curves (sqrt(2) for equal sizes, as in the
        papers). 'pairs': by the distances between pairs of resampled curves of both sizes.

    Notes
    -----
    The curve is pushed up by sqrt(n_neg / n_pos) for each unit to the left: the ratio of the two
    rates' standard errors. Both papers print the inverse, which contradicts their own reason for
    it; with classes of equal size both are 1, at 1 to 9 theirs costs 14 to 26% more area.

    Measured at level 0.9 on binormal scores (docs/coverage.md): the true curve is inside 0.89 to
    0.96 of the time from 100 rows on, on average 0.94: a little more often than asked. With
    ``smooth=True`` it is 0.88 to 0.98. With 25 rows and well separated classes it fails (0.62 at
    AUC 0.98): a perfectly separated sample has no resample that differs, and the width is 0. Such a
    band is marked `degenerate`; `smooth=True` gives one that is not. With one or two cases of one
    class among 1,000 of the other it is too narrow (0.55 and 0.65 at level 0.95); its notes say so.

    Of counts in bins the distances are the largest that any order of the scores inside the bins
    could give, and each edge is pushed from the extreme curve on its side.

    Examples
    --------
    >>> import rocbands as rb
    >>> sample = rb.load_example()
    >>> roc = rb.roc_curve(sample["logistic"])
    >>> band = rb.bands.FixedWidth()(roc, level=0.9, rng=1)
    >>> print(band.lower_at(0.1).round(2), band.upper_at(0.1).round(2))
    0.57 0.79
    """

    name: ClassVar[str] = "fixed-width"
    coverage: ClassVar[Coverage] = "simultaneous"
    guarantee: ClassVar[str] = (
        "a little above the level from 100 rows on, 3 of them in each class (measured)"
    )
    reported_for: ClassVar[tuple[str, ...]] = ("independent", "groups")
    handles: ClassVar[tuple[Extra, ...]] = ("future", "groups", "bins")
    idea: ClassVar[str] = "the curve pushed as far as resampled curves stray; one width"
    references: ClassVar[tuple[str, ...]] = (
        MACSKASSY_2004,
        MACSKASSY_2005,
    )

    n_resamples: int = 1000
    stratified: bool = False
    smooth: bool = False
    future_rule: FutureRule = "root"

    def __post_init__(self) -> None:
        check_choice(self.future_rule, get_args(FutureRule), "future_rule")
        check_resamples(self.n_resamples)
        check_flag(self.stratified, "stratified")
        check_flag(self.smooth, "smooth")
        if self.smooth and self.future_rule == "pairs":
            raise InputError(
                f"{arg('future_rule', 'pairs')} draws from the observed rows",
                f"{arg('smooth', True)} was given as well",
                "Choose one of them.",
            )

    def slope(self, roc: RocCurve) -> float:
        """Return how far the curve is pushed up for each unit to the left."""
        return math.sqrt(roc.n_neg / roc.n_pos)

    def build_bands(self, roc: RocCurve, requests: Sequence[Request]) -> list[Band]:
        """Measure the distances once for all levels, and for all targets that share them."""
        self._check_rows(roc)
        slope, rng = self.slope(roc), requests[0].rng
        pairs = self.future_rule == "pairs"
        targets = list(dict.fromkeys(ask.future if pairs else None for ask in requests))
        # All targets start from the same stream, so that each band is what it would be alone.
        distances = {
            target: self._distances(
                roc, target, slope, rng if target == targets[-1] else deepcopy(rng)
            )
            for target in targets
        }
        # Without the vertices inside runs of one class, which are about half of them.
        curves = [Population.from_runs(each).curve for each in roc.extremes[: 1 + roc.binned]]
        return [
            self._push(roc, curves, distances[ask.future if pairs else None], slope, ask)
            for ask in requests
        ]

    def _distances(
        self,
        roc: RocCurve,
        future: Future,
        slope: float,
        rng: np.random.Generator,
    ) -> FloatArray:
        """Distances of resampled curves from the observed one, or from those of the future size."""
        if future is None:
            return self._from_centre(roc, slope, rng)
        sources = build_source(roc, stratified=self.stratified), build_source(roc, future=future)
        return _between_pairs(*sources, slope, self.n_resamples, rng)

    def _push(
        self,
        roc: RocCurve,
        curves: list[Curve],
        distances: FloatArray,
        slope: float,
        request: Request,
    ) -> Band:
        """Push the curve as far as the quantile of the distances says; in bins, both extremes."""
        dx = order_statistic(distances, request.level) / math.hypot(1.0, slope)
        dy = slope * dx
        future = request.future
        if future is not None and self.future_rule == "root":
            dx *= math.sqrt(1.0 + roc.n_neg / future[1])
            dy *= math.sqrt(1.0 + roc.n_pos / future[0])
        pushed = [DisplacedRegion(curve, dx, dy / dx if dx > 0 else slope) for curve in curves]
        region: Region = SpannedRegion(*pushed) if len(pushed) == 2 else pushed[0]
        return Band(roc, region, request.level, self, future, notes=self._notes(roc, dx, dy))

    def _check_rows(self, roc: RocCurve) -> None:
        """Refuse options that need single rows where groups or bins are drawn."""
        if not (self.smooth or self.future_rule == "pairs"):
            return
        option = arg("smooth", True) if self.smooth else arg("future_rule", "pairs")
        if roc.groups is not None:
            raise InputError(
                "Whole groups are drawn as they come",
                f"{option} is for independent rows",
                f"Leave it or {arg('groups')} out.",
            )
        if roc.binned:
            raise InputError(
                f"{option} needs counts of single scores",
                "the curve has bins",
                "Leave it out, or count every score.",
            )

    def _from_centre(self, roc: RocCurve, slope: float, rng: np.random.Generator) -> FloatArray:
        """Distances of resampled curves from the curve that they were drawn from."""
        if roc.groups is not None:
            centre = Rates(roc.fpr[None], roc.tpr[None])
            return measure_resamples(
                build_source(roc),
                self.n_resamples,
                rng,
                lambda rates: find_largest_displacements(
                    rates, Rates(*(np.repeat(side, len(rates.x), 0) for side in centre)), slope
                ),
            )
        rows = Population.from_curve(roc)
        rows, turned = (rows if self.smooth else rows.merge_runs()).choose_direction()
        slope = 1.0 / slope if turned else slope
        sizes = int(rows.neg[-1]), int(rows.pos[-1])
        population = smooth_rows(rows) if self.smooth else rows
        # Where no bin contains both classes, the order within the bins changes nothing.
        mixed = roc.binned and (np.diff(population.neg) * np.diff(population.pos)).any()
        make = BinnedDistance.from_curve if mixed else CurveDistance
        metric: Distance = make(population.curve, slope)

        rows_only = isinstance(metric, CurveDistance) and can_draw_rows(population)
        find: Callable[..., FloatArray] = (
            find_largest_at_corners if rows_only else find_largest_distances
        )

        def work(draws: int, stream: np.random.Generator) -> FloatArray:
            drawn = draw_class_sizes(*sizes, draws, stream, stratified=self.stratified)
            return find(population, metric, *drawn, stream)

        size = min(chunk_of_rows(population), _CHUNK) if rows_only else _CHUNK
        chunks = run_chunks(work, self.n_resamples, rng, size=size)
        return np.concatenate(chunks) * math.hypot(1.0, slope)

    def _notes(self, roc: RocCurve, dx: float, dy: float) -> tuple[str, ...]:
        drawn = "groups" if roc.groups is not None else "bins" if roc.binned else "rows"
        source = "a smoothed curve" if self.smooth else f"the {drawn}"
        note = (
            f"Pushed by {dx:.4f} in fpr and {dy:.4f} in tpr, "
            f"from {self.n_resamples} resamples of {source}."
        )
        few = min(roc.n_pos, roc.n_neg)
        if dx > 0 and few <= _FEW:
            cases = (
                f"{few} {'positive' if few == roc.n_pos else 'negative'}{'s' if few > 1 else ''}"
            )
            said = (
                f"Too narrow: with {cases} it contained the true curve in 55 to 65% of simulated "
                f"test sets at level 0.95. Use {arg('method', 'likelihood')}."
            )
            return (note, Message(said))
        if dx > 0:
            return (note,)
        remedy = f" Use the likelihood band, or {arg('smooth', True)}."
        alike = "Degenerate: the resampled curves are alike, so the width says nothing."
        return (note, Message(alike + ("" if roc.groups is not None else remedy)))


def _between_pairs(
    now: Source, later: Source, slope: float, n_resamples: int, rng: np.random.Generator
) -> FloatArray:
    """Distances between resampled curves of the observed and of the future size."""

    def work(draws: int, stream: np.random.Generator) -> FloatArray:
        return find_largest_displacements(now.draw(draws, stream), later.draw(draws, stream), slope)

    size = chunk_size(now.steps + later.steps)
    return np.concatenate(run_chunks(work, n_resamples, rng, size=size))
