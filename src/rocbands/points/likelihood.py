"""Limits by the likelihood of both counts at a point of the curve, or of one at a threshold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import chdtri, stdtrit

from rocbands.core.checks import FloatArray, IndexArray
from rocbands.core.method import Extra, Request
from rocbands.core.references import documented
from rocbands.core.roc import RocCurve
from rocbands.design.called_sums import Share
from rocbands.design.effective_sizes import ClassSizes, find_sizes_at
from rocbands.likelihood.region import LikelihoodRegion, likelihood_region
from rocbands.likelihood.weighted import limit_shares
from rocbands.points.method import Fixed, Limits, PointMethod

_FEW_BEYOND = 2.0  # cases of the fixed class beyond a rate
_FEW_OTHERS = 10  # cases of the other class


@dataclass(frozen=True)
class PointLikelihood(PointMethod):
    """Keep the heights v for which some point of the empirical curve is compatible with (fpr, v).

    Twice the log-likelihood ratio of both counts at a point of the curve, minimised along the
    curve, is at most a chi-square quantile with one degree of freedom (docs/formulas.md, "Operating
    points"). At a threshold each rate has its own count. Weighted or dependent rows have effective
    counts and Student's quantile.

    Notes
    -----
    Measured coverage at nominal .95 was at least .948: studies/docs/coverage-points.md.
    """

    name: ClassVar[str] = "likelihood"
    guarantee: ClassVar[str] = "measured at least .948 at .95"
    idea: ClassVar[str] = "heights compatible with both counts at some point of the curve"
    references: ClassVar[tuple[str, ...]] = (documented("The likelihood band"),)
    handles: ClassVar[tuple[Extra, ...]] = ("clusters", "weights", "strata", "bins")
    fixed: ClassVar[tuple[Fixed, ...]] = ("rates", "thresholds")

    def limit_heights(self, roc: RocCurve, fpr: FloatArray, request: Request) -> Limits:
        """Edges of the likelihood region at each `fpr`."""
        # Two counts have two degrees of freedom; minimising along the curve takes one.
        region = likelihood_region(roc, float(chdtri(1.0, 1.0 - request.level)) / 2.0)
        if isinstance(region, LikelihoodRegion):
            return region.both_at(fpr)
        return region.lower_at(fpr), region.upper_at(fpr)

    def note_rates(self, roc: RocCurve, kind: str, rates: FloatArray) -> tuple[str, ...]:
        notes, sizes = [], (roc.n_neg, roc.n_pos)
        own, other = sizes if kind == "fpr" else sizes[::-1]
        if (own * np.minimum(rates, 1.0 - rates) < _FEW_BEYOND).any() or other < _FEW_OTHERS:
            notes.append(
                "Few cases beyond a rate, or of the other class: where a rare part of a class is "
                "far on the other side limits held 0.76 at 0.90."
            )
        if "weights" in roc.design:
            notes.append(
                "Weighted rows: limits at rates held 0.83 at 0.90, with few heavy rows 0.71."
            )
        return tuple(notes)

    def limit_shares(self, count: Any, size: Any, level: float) -> Limits:
        """Rates that one count does not reject."""
        k = count.astype(np.float64)
        whole, one = np.full(k.size, size, np.float64), np.ones(k.size)
        return limit_shares(k, whole, one, one * float(chdtri(1.0, 1.0 - level)) / 2.0)

    def limit_rates(
        self, roc: RocCurve, ends: tuple[IndexArray, IndexArray], level: float
    ) -> tuple[list[tuple[Limits, Limits]], tuple[str, ...]]:
        """Rates that the effective counts at some vertices do not reject."""
        if roc.independent:
            return super().limit_rates(roc, ends, level)
        sizes = find_sizes_at(roc, np.concatenate(ends))
        few, many = (sizes.vertices[end] for end in ends)
        limits = [
            (_limit_counts(one, few, level), _limit_counts(one, many, level))
            for one in (sizes.neg, sizes.pos)
        ]
        return limits, sizes.describe(roc)

    def limit_share(self, share: Share, level: float) -> Limits:
        """Limits for a share of rows; Wilson's if they are weighted or dependent."""
        if share.of_equal_rows:
            return super().limit_share(share, level)
        return share.limits((1.0 - level) / 2.0)


def _limit_counts(sizes: ClassSizes, at: IndexArray, level: float) -> Limits:
    # The effective size of a vertex is estimated from `number` rows: Student's quantile.
    df = np.maximum(sizes.number[at] - 1.0, 1.0)
    bound = np.asarray(stdtrit(df, (1.0 - level) / 2.0), np.float64) ** 2 / 2.0
    return limit_shares(sizes.k[at], sizes.size[at], sizes.odds[at], bound)
