"""Kernel estimates of both classes on the scale of normal scores, and the curve that they make."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import ndtr

from rocbands.core.band import Future
from rocbands.core.checks import FloatArray
from rocbands.core.roc import RocCurve
from rocbands.core.tolerance import SAME
from rocbands.errors import Message, call
from rocbands.resample.population import (
    POINTS,
    Population,
    find_normal_scores,
    find_spread,
    find_survival,
    place_points,
)
from rocbands.smooth.method import DrawnMethod, Draws, Fit, interpolate_rows

_SMOOTH = Message(
    "Assumes smooth densities. At corners, with a part of the positives like negatives, "
    "or with heavy tails, measured coverage was 0.70 to 0.86 at 0.95 (15 to 150 cases); "
    "{} assumes nothing.",
    call("roc_band"),
)


@dataclass(frozen=True)
class Kernel(DrawnMethod):
    """Both classes smoothed by a Gaussian kernel on the scale of pooled normal scores.

    Every score becomes the normal quantile of its rank among all rows, ties sharing their mean
    rank, so that increasing transforms of the scores change nothing. A class of n cases with
    spread s, the smaller of its standard deviation and its interquartile range / 1.34, has the
    kernel width s (4 / n)^(1/3): the best one for the distribution function of normal values. It
    falls faster than widths for densities, n^(-1/5), whose bias would exceed the standard error in
    large samples. Values are first moved toward the mean of their class, so that the kernel leaves
    its variance as it is; otherwise it would lower the area.

    Parameters
    ----------
    n_resamples : int, default 1000
        Number of test sets drawn from the smooth classes; the widths of the kernels stay.

    Notes
    -----
    The model is that the classes have smooth densities. Ties are smoothed, too: with few distinct
    scores the curve is a guess about what lies between them. Measured coverage:
    docs/other-curves.md.

    Examples
    --------
    >>> import rocbands as rb
    >>> curve = rb.smooth_curve(rb.load_example()["logistic"], method="kernel")
    >>> print(curve.tpr_at(0.1).round(2), round(curve.auc, 3))
    0.68 0.899
    """

    name: ClassVar[str] = "kernel"
    guarantee: ClassVar[str] = "a little below the level if the densities are smooth (measured)"
    assumes: ClassVar[str] = "smooth densities"
    idea: ClassVar[str] = "both classes smoothed by a kernel on the scale of normal scores"
    references: ClassVar[tuple[str, ...]] = (
        "Zou, Hall and Shapiro (1997), Smooth non-parametric receiver operating characteristic "
        "(ROC) curves for continuous diagnostic tests, Statistics in Medicine 16, 2143-2156.",
        "Silverman and Young (1987), The bootstrap: to smooth or not to smooth?, Biometrika 74, "
        "469-479.",
        "Hall and Hyndman (2003), Improved methods for bandwidth selection when estimating ROC "
        "curves, Statistics and Probability Letters 64, 181-189.",
    )

    lost: ClassVar[int] = 1

    def note_doubts(self, roc: RocCurve, future: Future = None) -> tuple[str, ...]:
        return (_SMOOTH,)

    def fit(self, roc: RocCurve) -> Fit:
        rows = Population.from_curve(roc)
        z, sides = find_normal_scores(rows), (np.diff(rows.neg), np.diff(rows.pos))
        widths = [find_spread(z, side) * float(np.cbrt(4.0 / side.sum())) for side in sides]
        at = place_points(z, max(widths), POINTS)
        classes = [_Class.of(at, z, *side) for side in zip(sides, widths, strict=True)]
        x, y = (one.share for one in classes)

        def draw(rng: np.random.Generator, size: int) -> Draws:
            return Draws(*(one.draw(rng, size) for one in classes))

        return Fit(x, y, {"width_neg": widths[0], "width_pos": widths[1]}, draw)


@dataclass(frozen=True, eq=False)
class _Class:
    """A smoothed class: its values z become k z + (1 - k) mean, each spread by the kernel.

    Then the class has the variance that it had before.
    """

    at: FloatArray  # (points,) descending
    share: FloatArray  # (points,) of the class above each
    cases: int
    width: float

    @classmethod
    def of(cls, at: FloatArray, z: FloatArray, weight: FloatArray, width: float) -> _Class:
        kept, mean = _find_factor(z, weight, width)
        share = find_survival(at, kept * z + (1.0 - kept) * mean, weight, width)
        return cls(at, share, int(weight.sum()), width)

    def draw(self, rng: np.random.Generator, size: int) -> FloatArray:
        """Draw the class in cells of its scale, and smooth each drawn one in the same way."""
        mass, middle = np.diff(self.share), (self.at[1:] + self.at[:-1]) / 2.0
        kept, mean = _find_factor(middle, mass, self.width)
        centre = kept * middle + (1.0 - kept) * mean
        drawn = rng.multinomial(self.cases, mass / mass.sum(), size) / self.cases
        share = drawn @ ndtr((centre[:, None] - self.at) / self.width)
        # The mean of the drawn class, not that of the fit, is kept: shift each by the difference.
        moved = -self.at + (1.0 - kept) * (drawn @ middle - mean)[:, None]
        share = interpolate_rows(moved, -self.at, share)
        share[:, 0], share[:, -1] = 0.0, 1.0
        return np.clip(share, 0.0, 1.0)


def _find_factor(z: FloatArray, weight: FloatArray, width: float) -> tuple[float, float]:
    """Return the factor by which distances from the mean shrink, and the mean."""
    mean = np.dot(weight, z) / weight.sum()
    variance = np.dot(weight, (z - mean) ** 2) / weight.sum()
    return float(np.sqrt(max(variance - width**2, 0.0) / max(variance, SAME))), float(mean)
