"""The hull of the resampled curves whose areas lie in the middle."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from rocbands.core.band import Band, Coverage, Extra, check_request, check_stratified
from rocbands.core.checks import FloatArray, check_flag, check_resamples, check_rng
from rocbands.core.region import BetweenRegion, between_steps
from rocbands.core.roc import RocCurve
from rocbands.resample.crossings import choose_lines
from rocbands.resample.curves import (
    Rates,
    RowSource,
    Source,
    interpolate_rows,
    over_resamples,
    source_of,
)
from rocbands.resample.population import Population

__all__ = ["AucHull"]

LINES = 2000


@dataclass(frozen=True)
class AucHull:
    """Band of everything between the resampled curves that are left when extreme AUCs are dropped.

    Proposed as future work in the 2004 paper, and kept for comparison: it does not hold its level.
    A curve with a middling area can stray far at one end and make up for it at the other, and the
    true curve is smoother than any resample.

    Parameters
    ----------
    n_resamples : int, default 1000
        Number of resampled test sets.
    stratified : bool, default False
        Keep the class sizes in every resample.

    Notes
    -----
    Measured at level 0.9 on binormal scores (docs/coverage.md): the true curve is inside 0.79 of
    the time at best, with 25 rows and an AUC of 0.62; 0.16 with 1,000 rows; 0.08 or less from
    100 rows and an AUC of 0.8 on.

    References
    ----------
    Macskassy and Provost (2004), Confidence bands for ROC curves: methods and an empirical study,
    ROCAI.

    Examples
    --------
    >>> import rocbands as rb
    >>> y, models = rb.load_example()
    >>> roc = rb.roc_curve(y, models["logistic"], positive="malignant")
    >>> band = AucHull()(roc, level=0.9, rng=1)
    >>> print(band.lower_at(0.1).round(2), band.upper_at(0.1).round(2))
    0.57 0.77
    """

    name: ClassVar[str] = "auc-hull"
    coverage: ClassVar[Coverage] = "simultaneous"
    guarantee: ClassVar[str] = "none: far below the level (measured); for comparison only"
    handles: ClassVar[tuple[Extra, ...]] = ("groups",)
    idea: ClassVar[str] = "hull of the resampled curves with middling AUC; for comparison only"

    n_resamples: int = 1000
    stratified: bool = False

    def __post_init__(self) -> None:
        check_resamples(self.n_resamples)
        check_flag(self.stratified, "stratified")

    def __call__(
        self,
        roc: RocCurve,
        *,
        level: float = 0.95,
        future: tuple[int, int] | None = None,
        rng: Any = None,
    ) -> Band:
        """Make the band of `roc`; `rng` draws the resamples."""
        level, _ = check_request(self, roc, level, future)
        check_stratified(self, roc)
        source, turned = source_of(roc), False
        if isinstance(source, RowSource):
            rows, turned = Population.of_rows(roc).one_way_round()
            source = RowSource(rows.merged(), self.stratified)
        odds = roc.n_neg / roc.n_pos
        slope = math.sqrt(1.0 / odds if turned else odds)
        curve = roc.curve.mirrored if turned else roc.curve
        c = choose_lines([curve], slope, LINES)
        region = self._hull(source, c, slope, level, check_rng(rng))
        notes = (
            "The level is a share of resampled AUCs, not a probability of holding the true curve.",
        )
        band = Band(roc, region.mirrored if turned else region, level, self, notes=notes)
        if not band.degenerate:
            return band
        alike = "Degenerate: the resampled curves are alike, so the width says nothing."
        return replace(band, notes=(*notes, alike))

    def _hull(
        self,
        source: Source,
        c: FloatArray,
        slope: float,
        level: float,
        rng: np.random.Generator,
    ) -> BetweenRegion:
        def area_and_crossings(rates: Rates) -> FloatArray:
            at = np.broadcast_to(c, (len(rates.x), c.size))
            x = interpolate_rows(at, rates.y + slope * rates.x, rates.x)
            return np.column_stack((np.trapezoid(rates.y, rates.x, axis=1), x))

        drawn = over_resamples(source, self.n_resamples, rng, area_and_crossings)
        drop = math.floor(self.n_resamples * (1.0 - level) / 2.0 + 1e-9)
        middle = np.argsort(drawn[:, 0], kind="stable")[drop : self.n_resamples - drop]
        x = drawn[middle, 1:]
        return between_steps(c, x.min(axis=0), x.max(axis=0), slope)
