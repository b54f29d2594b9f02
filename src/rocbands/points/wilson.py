"""Wilson's limits: for proportions at fixed thresholds, for the resampled height at fixed rates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import ndtri

from rocbands._math.binomial import wilson_limits
from rocbands.core.checks import CountArray, FloatArray
from rocbands.core.method import DESIGNED, Extra, Request, Resampling, refuse_with_design
from rocbands.core.references import WILSON
from rocbands.core.roc import RocCurve
from rocbands.core.tolerance import SAME
from rocbands.errors import InputError, Message, arg
from rocbands.points.bootstrap import compute_height_distribution, note_resampling
from rocbands.points.method import Fixed, Limits, PointMethod


@dataclass(frozen=True)
class PointWilson(Resampling, PointMethod):
    """Wilson's score limits.

    At fixed thresholds both counts are binomial; with weights, clusters or strata they are
    effective ones, with Student's quantile in place of the normal one. At a fixed rate the limits
    are for the mean height of resampled curves, with the effective sample size mean (1 - mean) /
    variance, at most the number of positives.

    Parameters
    ----------
    n_resamples : int, default 2000
        Resamples at fixed rates, needed only if a positive and a negative have the same score.

    Notes
    -----
    Too narrow at fixed rates with fewer than five negatives below the fpr:
    studies/docs/coverage-points.md.
    """

    name: ClassVar[str] = "wilson"
    guarantee: ClassVar[str] = "close to the level at thresholds; measured low at small rates"
    idea: ClassVar[str] = "Wilson's limits of both rates, or of the resampled height"
    references: ClassVar[tuple[str, ...]] = (WILSON,)
    handles: ClassVar[tuple[Extra, ...]] = (*DESIGNED, "bins")
    fixed: ClassVar[tuple[Fixed, ...]] = ("thresholds", "rates")

    def limit_shares(self, count: Any, size: Any, level: float) -> Limits:
        """Limits of a binomial proportion."""
        return wilson_limits(count / size, size, level)

    def limit_heights(self, roc: RocCurve, fpr: FloatArray, request: Request) -> Limits:
        """Limits around the mean of the resampled height."""
        if not roc.independent:
            other = Message("use {}", arg("method", "likelihood"))
            refuse_with_design("Method 'wilson' at fixed rates", roc.design, other=other)
        if roc.certificate > 0.0:
            raise InputError(
                Message(
                    "{} needs counts of single scores at fixed rates", arg("method", self.name)
                ),
                "the curve has bins",
                Message("Use {}, or count every score.", arg("method", "likelihood")),
            )
        found = compute_height_distribution(roc, fpr, self.n_resamples, request)
        spread = found.mean * (1.0 - found.mean)
        varies = (found.variance * roc.n_pos > spread) & (spread > SAME)
        cases = np.full(spread.shape, float(roc.n_pos))
        np.divide(spread, found.variance, out=cases, where=varies)
        if found.error is not None:  # mean and standard deviation of the draws are uncertain
            z = float(ndtri((1.0 + request.level) / 2.0))
            error = np.sqrt(found.variance.max() * (1.0 + z * z / 2.0) / self.n_resamples)
            request.simulated(self.n_resamples, float(error))
        return wilson_limits(found.mean, cases, request.level)

    def note_counts(self, roc: RocCurve, counts: CountArray) -> tuple[str, ...]:
        notes: list[str] = []
        for called, cases, name in zip(
            counts, (roc.n_neg, roc.n_pos), ("negative", "positive"), strict=True
        ):
            if ((called == 1) | (called == cases - 1)).any():
                said = (
                    f"One {name} on one side of a threshold: where less than one is expected, the "
                    "limits of its rate held 0.84 or more at 0.95, those of "
                )
                notes.append(Message("{}{} 0.95.", said, arg("method", "clopper-pearson")))
        return tuple(notes)

    def note_rates(self, roc: RocCurve, kind: str, rates: FloatArray) -> tuple[str, ...]:
        return note_resampling(roc, kind, rates, self.n_resamples)
