"""Bands from fitting curves, with corrections for the many places at which they are made."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from scipy.special import ndtr
from scipy.stats import rankdata

from rocbands.bands._averaging import Interval
from rocbands.core.checks import FloatArray, check_choice
from rocbands.core.region import Region
from rocbands_studies.papers.methods import PrintedThreshold, PrintedVertical
from rocbands_studies.papers.verification import Host, Verification, fit_region, sweep_heights
from rocbands_studies.streams import Streams

Correction: TypeAlias = Literal["none", "Bonferroni", "Sidak", "effective number", "simultaneous"]
CORRECTIONS: tuple[Correction, ...] = get_args(Correction)
_MOST = 1.0 - 1e-15  # a level whose normal quantile is finite


def correct_level(
    correction: Correction, level: float, heights: FloatArray, rule: Interval, points: int
) -> float:
    """Return the level of the interval at one place, so that all places together have `level`.

    Parameters
    ----------
    correction : {'none', 'Bonferroni', 'Sidak', 'effective number', 'simultaneous'}
        'Bonferroni': 1 - delta / points, with delta = 1 - level. 'Sidak': level ** (1 / points),
        for independent places. 'effective number': 1 - delta / m, where m is the number of
        independent places with the same correlations as these. 'simultaneous': the level whose
        intervals hold a share `level` of the fitting curves at all places.
    level : float
        Of the band.
    heights : ndarray of shape (curves, places)
        True positive rates of the fitting curves.
    rule : {'empirical', 'normal', 'binomial'}
        How intervals are made.
    points : int
        Places of the sweep, as the paper counts them.

    References
    ----------
    Galwey (2009), A new measure of the effective number of tests, Genetic Epidemiology 33: from the
    eigenvalues w of the correlation matrix, m = sum(sqrt(w)) ** 2 / sum(w).

    Examples
    --------
    >>> heights = np.random.default_rng(1).random((1000, 1)) + np.zeros(100)  # one place in truth
    >>> [
    ...     round(1.0 - correct_level(name, 0.95, heights, "normal", 100), 5)
    ...     for name in ("none", "Bonferroni", "Sidak", "effective number")
    ... ]
    [0.05, 0.0005, 0.00051, 0.05]
    """
    if correction == "none":
        return level
    if correction == "Bonferroni":
        return 1.0 - (1.0 - level) / points
    if correction == "Sidak":
        return float(level ** (1.0 / points))
    if correction == "effective number":
        return 1.0 - (1.0 - level) / _count_independent(heights)
    curves = len(heights)
    rank = math.ceil(level * curves - 1e-9) - 1  # of the curve that is just inside
    if rule == "empirical":
        # A curve is inside intervals that cut `cut` curves off at either end of each place if, at
        # each place, more than `cut` curves are as low as it is, and more than `cut` as high.
        sides = (rankdata(side, method="max", axis=0) for side in (heights, -heights))
        depth = np.minimum(*sides).min(axis=1)
        return 1.0 - 2.0 * (float(np.sort(depth)[::-1][rank]) - 1.0) / curves
    mean = heights.mean(axis=0)
    sd = heights.std(axis=0, ddof=1) if rule == "normal" else np.sqrt(mean * (1.0 - mean) / curves)
    varies = sd > 1e-12
    far = (np.abs(heights - mean)[:, varies] / sd[varies]).max(axis=1)
    return min(float(1.0 - 2.0 * ndtr(-np.sort(far)[rank])), _MOST)


def _count_independent(heights: FloatArray) -> float:
    varies = heights[:, heights.std(axis=0) > 1e-12]
    roots = np.sqrt(np.maximum(np.linalg.eigvalsh(np.corrcoef(varies.T)), 0.0))
    return float(roots.sum() ** 2 / (roots**2).sum())


@dataclass(frozen=True)
class Fitted(Verification):
    """A `Verification` whose band is made from fitting curves of either host, and corrected.

    With fitting sets from R, bands of all corrections and rules are made from the same curves; any
    number of curves will do.
    """

    correction: Correction = "none"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self.correction, CORRECTIONS, "correction")

    def _region(self, sample: Host, streams: Streams) -> Region:
        host = self.host if self.fit_host == "RG" else sample.seen
        count = self.n_fit or int(getattr(self.method, "n_resamples", 1))
        curves = streams.draw_shared(
            f"fitting {self.fit_host} {count}", lambda rng: host.curves(rng, self.size, count)
        )
        level = self.level
        if isinstance(self.method, PrintedVertical | PrintedThreshold):
            heights = sweep_heights(self.method, host, curves)
            rule, points = self.method.interval, self.method.n_points
            level = correct_level(self.correction, level, heights, rule, points)
        return fit_region(self.method, sample.roc, host, curves, level)
