"""Bands for the average curve of several models, such as those of cross-validation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np

from rocbands.core.band import Band, BandMethod
from rocbands.core.checks import FloatArray, check_choice, check_resamples, check_room
from rocbands.core.curve import Curve
from rocbands.core.method import Coverage, Extra, Request
from rocbands.core.randomness import sort_curves
from rocbands.core.references import documented
from rocbands.core.roc import RocCurve
from rocbands.errors import InputError, Message, arg
from rocbands.resample.crossings import (
    Crossings,
    choose_lines,
    displace_curve,
    resample_crossings,
    resample_folds,
)

Of = Literal["models", "learner"]
FEW = 3  # fewer folds do not show how curves vary


@dataclass(frozen=True)
class FoldAverage(BandMethod):
    """Whole-curve band for the average of several models' curves.

    Each fold has a curve of its own, because scores of different models need not be comparable.
    The curves are averaged along parallel lines from northwest to southeast, so that steep pieces
    stay steep; the area under the average is the average of the folds' areas. The band is the
    average displaced by a multiple of its local standard error, the same multiple everywhere.

    Parameters
    ----------
    of : {'models', 'learner'}, default 'models'
        What the band is for. 'models': the average true curve of these particular models; rows (or
        clusters of rows) are resampled within folds. 'learner': the average curve over all training
        sets of this size; the curves are the sample, and the width follows from their variation
        over training sets and test rows. Overlapping training sets, as in cross-validation, vary
        less than independent ones, so the band is then too narrow to an unknown degree.
    n_resamples : int, default 1000
        Number of resampled sets of folds.

    Notes
    -----
    Without folds the whole test set counts as one. Measured coverage:
    studies/docs/coverage-bands.md.

    Examples
    --------
    >>> import numpy as np
    >>> import rocbands as rb
    >>> sample = rb.load_example()
    >>> folds = np.arange(sample.n) % 5
    >>> band = rb.roc_band(sample["logistic"].replace(folds=folds), method="fold-average", rng=1)
    >>> band.target
    "average of 5 models' true curves"
    """

    name: ClassVar[str] = "fold-average"
    coverage: ClassVar[Coverage] = "simultaneous"
    guarantee: ClassVar[str] = "near the level (measured); for a learner, if training sets differ"
    reported_for: ClassVar[tuple[str, ...]] = ("clusters", "folds")
    handles: ClassVar[tuple[Extra, ...]] = ("clusters", "folds")
    idea: ClassVar[str] = "average over folds, displaced by its standard error times one factor"
    references: ClassVar[tuple[str, ...]] = (documented("Band methods"),)

    of: Of = "models"
    n_resamples: int = 1000

    def __post_init__(self) -> None:
        check_choice(self.of, get_args(Of), "of")
        check_resamples(self.n_resamples)

    def build_bands(self, roc: RocCurve, requests: Sequence[Request]) -> list[Band]:
        """Draw the resamples once; each level has its own factor."""
        # Folds draw one after the other, in an order that does not depend on their names.
        curves = sort_curves(roc.folds) or (roc,)
        if self.of == "learner" and len(curves) < FEW:
            raise InputError(
                f"FoldAverage(of='learner') needs at least {FEW} folds to see how curves vary",
                f"there is {len(curves)}",
                Message("Give the sample {}, or use {}.", arg("folds"), arg("of", "models")),
            )
        slope = math.sqrt(roc.n_neg / roc.n_pos)
        # More rows make narrower bands, which need closer lines.
        count = int(np.clip(4.0 * math.sqrt(roc.n_pos + roc.n_neg), 200, 2000))
        c = choose_lines([curve.curve for curve in curves], slope, count)
        each = np.stack([np.interp(c, fold.curve.level(slope), fold.curve.x) for fold in curves])
        # At the ends of the curve no resample differs; the floor keeps the error above 0 there.
        floor = 1.0 / min(roc.n_neg, math.sqrt(roc.n_neg * roc.n_pos))
        ratio, error = self._studentise(curves, each, c, slope, floor, requests[0].rng)
        x = each.mean(axis=0)
        centre = Curve(x, np.clip(c - slope * x, 0.0, 1.0))
        return displace_curve(
            *(self, roc, requests, Crossings(c, x, slope, error, ratio)),
            of=f"the average over {len(curves)} curves" if roc.folds else "the curve",
            centre=centre,
            target=_describe_target(self.of, roc, len(curves)),
        )

    def _studentise(
        self,
        curves: tuple[RocCurve, ...],
        each: FloatArray,
        c: FloatArray,
        slope: float,
        floor: float,
        rng: np.random.Generator,
    ) -> tuple[FloatArray, FloatArray]:
        """Return the largest studentised error of each resample, and the standard error at `c`.

        `each`: the crossings of all curves with the lines `c`. `floor`: least standard error.
        """
        size, centre = len(curves), each.mean(axis=0)
        if self.of == "models":  # rows are resampled within folds
            check_room(self.n_resamples, c.size)
            total = np.zeros((self.n_resamples, c.size))
            for curve in curves:
                total += resample_crossings(curve, c, slope, self.n_resamples, rng)
            error = total / size - centre
            spread = np.sqrt((error**2).mean(axis=0) + floor**2)
            return np.abs(error / spread).max(axis=1), spread
        # Folds are resampled, and rows within them. Each set of folds is studentised by its own
        # spread: with few folds the standard error is itself uncertain, as for Student's t. Only
        # ratios are used, so counting the noise of the rows twice does no harm.
        check_room(self.n_resamples, 2 * c.size)
        total, squares = resample_folds(curves, c, slope, centre, self.n_resamples, rng)
        mean = total / size
        spread = np.sqrt(np.maximum(squares / size - mean**2, 0.0) / (size - 1) + floor**2)
        error = np.sqrt(each.var(axis=0) / (size - 1) + floor**2)
        return np.abs(mean / spread).max(axis=1), error


def _describe_target(of: Of, roc: RocCurve, n_curves: int) -> str:
    if of == "learner":
        return f"average curve of the learner, from {n_curves} training sets"
    return f"average of {n_curves} models' true curves" if roc.folds else "true curve"
