"""Fixed-width bands: the observed curve displaced by a quantile of resampled distances."""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np

from rocbands.core.band import Band, BandMethod, Future, find_edge_error
from rocbands.core.checks import FloatArray, check_choice, check_flag, check_resamples
from rocbands.core.curve import Curve
from rocbands.core.method import Coverage, Extra, Request
from rocbands.core.references import MACSKASSY_2004, MACSKASSY_2005
from rocbands.core.region import DisplacedRegion, Region, SpannedRegion
from rocbands.core.roc import RocCurve
from rocbands.errors import InputError, Message, arg
from rocbands.resample.curves import Rates, build_source, chunk_size, measure_resamples
from rocbands.resample.distance import (
    BinnedDistance,
    CurveDistance,
    Distance,
    find_largest_displacements,
    resample_distances,
)
from rocbands.resample.population import Population, smooth_rows
from rocbands.resample.quantiles import order_statistic, quantile_error
from rocbands.resample.streams import run_chunks

FutureRule = Literal["root", "pairs"]

# With fewer cases of a class, resamples hardly differ. Measured with 1,000 negatives at level .95:
# the band contains the chance curve in 55% (1 positive), 65% (2) and 95% (3) of data sets.
_FEW = 2
_FEW_ROWS = 100
_NEAR_ONE = 0.95  # AUC
_CHUNK = 250  # draws per call: more memory than usual, fewer calls


@dataclass(frozen=True)
class FixedWidth(BandMethod):
    """Band of constant width that contains a fraction `level` of the resampled curves.

    Test sets are drawn with replacement from the observed one. For each, the largest distance
    between its curve and the observed curve is measured along a fixed direction. The band is the
    observed curve displaced by the quantile of these distances to either side.

    Parameters
    ----------
    n_resamples : int, default 1000
        Number of resampled test sets.
    stratified : bool, default False
        Keep the class sizes in every resample. The papers do not.
    smooth : bool, default False
        Draw from a kernel estimate of both classes instead of the observed rows. The band is about
        5% narrower and closer to the level if scores are not tied, and has a width even if the
        classes are perfectly separated.
    future_rule : {'root', 'pairs'}, default 'root'
        How a band for a future set is widened. 'root': each axis by sqrt(1 + size / future size),
        the spread of a difference of two independent curves (sqrt(2) for equal sizes, as in the
        papers). 'pairs': by the distances between pairs of resampled curves of both sizes.

    Notes
    -----
    The curve moves up by sqrt(n_neg / n_pos) for each unit to the left: the ratio of the standard
    errors of the two rates. Both papers print the inverse, which contradicts their own argument.
    With classes of equal size both are 1; at a ratio of 1 to 9 the inverse gives 14 to 26% more
    area.

    In a perfectly separated sample all resamples are equal and the width is 0. The band is then
    marked `degenerate`; use `smooth=True`. With one or two cases of a class the band is too narrow
    and a note says so. Measured coverage: studies/docs/coverage-bands.md.

    With binned counts, the distances are the largest that any order of the scores inside the bins
    could give, and each edge is displaced from the extreme curve on its side.

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
    reported_for: ClassVar[tuple[str, ...]] = ("independent", "clusters")
    handles: ClassVar[tuple[Extra, ...]] = ("future", "clusters", "bins")
    idea: ClassVar[str] = "the curve displaced by a quantile of resampled distances; one width"
    references: ClassVar[tuple[str, ...]] = (MACSKASSY_2004, MACSKASSY_2005)

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
                Message("{} draws from the observed rows", arg("future_rule", "pairs")),
                Message("{} was also given", arg("smooth", True)),
                "Choose one of them.",
            )

    def slope(self, roc: RocCurve) -> float:
        """Upward displacement of the curve for each unit to the left."""
        return math.sqrt(roc.n_neg / roc.n_pos)

    def build_bands(self, roc: RocCurve, requests: Sequence[Request]) -> list[Band]:
        """Measure the distances once for all levels, and for all targets that share them."""
        self._check_rows(roc)
        slope, source = self.slope(roc), requests[0]
        # Only pairs of curves depend on the size of a future set.
        targets = [ask.future if self.future_rule == "pairs" else None for ask in requests]
        *copied, last = dict.fromkeys(targets)
        rng = source.rng
        # Every target starts from the same stream, so a band does not depend on the other targets.
        distances = {
            target: self._draw_distances(roc, target, slope, deepcopy(rng)) for target in copied
        }
        distances[last] = self._draw_distances(roc, last, slope, rng)
        # Vertices inside runs of one class, about half of them, are dropped.
        curves = [Population.from_runs(each).curve for each in roc.extremes[: 1 + roc.binned]]
        bands = []
        for ask, target in zip(requests, targets, strict=True):
            width = order_statistic(distances[target], ask.level)
            off = float(quantile_error(distances[target], ask.level))
            dx, dy = self._find_displacement(roc, width, slope, ask.future)
            moved = self._find_displacement(roc, width + off, slope, ask.future)
            region = _displace(curves, dx, dy, slope)
            error = find_edge_error(region, _displace(curves, *moved, slope))
            bands.append(
                Band(
                    roc,
                    region,
                    ask.level,
                    self,
                    ask.future,
                    notes=self._notes(roc, dx, dy, ask.future),
                    simulation=source.simulated(self.n_resamples, error),
                )
            )
        return bands

    def _draw_distances(
        self, roc: RocCurve, future: Future, slope: float, rng: np.random.Generator
    ) -> FloatArray:
        """Distances of resampled curves from the observed one, or from those of the future size."""
        if future is not None:
            return self._draw_pairs(roc, future, slope, rng)
        if roc.clusters is not None:
            centre = Rates(roc.fpr[None], roc.tpr[None])

            def measure(rates: Rates) -> FloatArray:
                same = Rates(*(np.repeat(side, len(rates.x), 0) for side in centre))
                return find_largest_displacements(rates, same, slope)

            return measure_resamples(build_source(roc), self.n_resamples, rng, measure)
        rows = Population.from_curve(roc)
        rows, turned = (rows if self.smooth else rows.merge_runs()).choose_direction()
        slope = 1.0 / slope if turned else slope
        population = smooth_rows(rows) if self.smooth else rows
        # If no bin contains both classes, the order within the bins has no effect.
        mixed = roc.binned and (np.diff(population.neg) * np.diff(population.pos)).any()
        make = BinnedDistance.from_curve if mixed else CurveDistance
        metric: Distance = make(population.curve, slope)
        sizes = int(rows.neg[-1]), int(rows.pos[-1])
        drawn = resample_distances(
            population,
            metric,
            sizes,
            self.n_resamples,
            rng,
            stratified=self.stratified,
            chunk=_CHUNK,
        )
        return drawn * math.hypot(1.0, slope)

    def _draw_pairs(
        self, roc: RocCurve, future: tuple[int, int], slope: float, rng: np.random.Generator
    ) -> FloatArray:
        """Distances between resampled curves of the observed and of the future size."""
        now, later = build_source(roc, stratified=self.stratified), build_source(roc, future=future)

        def work(draws: int, stream: np.random.Generator) -> FloatArray:
            one, other = now.draw(draws, stream), later.draw(draws, stream)
            return find_largest_displacements(one, other, slope)

        size = chunk_size(now.steps + later.steps)
        return np.concatenate(run_chunks(work, self.n_resamples, rng, size=size))

    def _find_displacement(
        self, roc: RocCurve, width: float, slope: float, future: Future
    ) -> tuple[float, float]:
        """Return the displacement of a band of some width along both axes."""
        dx = width / math.hypot(1.0, slope)
        dy = slope * dx
        if future is not None and self.future_rule == "root":
            dx *= math.sqrt(1.0 + roc.n_neg / future[1])
            dy *= math.sqrt(1.0 + roc.n_pos / future[0])
        return dx, dy

    def _check_rows(self, roc: RocCurve) -> None:
        """Refuse options that need single rows where clusters or bins are drawn."""
        if not (self.smooth or self.future_rule == "pairs"):
            return
        option = arg("smooth", True) if self.smooth else arg("future_rule", "pairs")
        if roc.clusters is not None:
            raise InputError(
                "Whole clusters are resampled",
                Message("{} is for independent rows", option),
                Message("Leave it or {} out.", arg("clusters")),
            )
        if roc.binned:
            raise InputError(
                Message("{} needs counts of single scores", option),
                "the curve has bins",
                "Leave it out, or count every score.",
            )

    def _notes(self, roc: RocCurve, dx: float, dy: float, future: Future) -> tuple[str, ...]:
        drawn = "clusters" if roc.clusters is not None else "bins" if roc.binned else "rows"
        source = "a smoothed curve" if self.smooth else f"the {drawn}"
        note = (
            f"Displaced by {round(dx, 4) + 0.0:.4f} in fpr and {round(dy, 4) + 0.0:.4f} in tpr, "
            f"from {self.n_resamples} resamples of {source}."
        )
        few = min(roc.n_pos, roc.n_neg)
        if dx == 0:
            remedy = Message(" Use the likelihood band, or {}.", arg("smooth", True))
            alike = "Degenerate: all resampled curves are equal, so the width is meaningless."
            return (note, Message(alike + ("" if roc.clusters is not None else remedy)))
        if few <= _FEW:
            cases = (
                f"{few} {'positive' if few == roc.n_pos else 'negative'}{'s' if few > 1 else ''}"
            )
            said = Message(
                "Too narrow: with {} it contained the true curve in 55 to 65% of simulated test "
                "sets at level 0.95. Use {}.",
                cases,
                arg("method", "likelihood"),
            )
            return (note, Message(said))
        return (note, *self.note_doubts(roc, future))

    def note_doubts(self, roc: RocCurve, future: Future = None) -> tuple[str, ...]:
        if roc.n_pos + roc.n_neg < _FEW_ROWS:
            return (
                f"Fewer than {_FEW_ROWS} rows: with 25 measured coverage was 0.82 to 0.98 at 0.95.",
            )
        if future is not None and roc.auc > _NEAR_ONE:
            return ("Near AUC 1 future curves were inside in 0.76 to 0.97 at 0.95.",)
        return ()


def _displace(curves: list[Curve], dx: float, dy: float, slope: float) -> Region:
    """Displace the curve to both sides; with bins, each extreme curve to its own side."""
    moved = [DisplacedRegion(curve, dx, dy / dx if dx > 0 else slope) for curve in curves]
    return SpannedRegion(*moved) if len(moved) == 2 else moved[0]
