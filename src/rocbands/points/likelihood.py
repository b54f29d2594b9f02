"""Limits at fixed rates by the likelihood of both counts at a point of the curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from scipy.special import chdtri

from rocbands.core.checks import FloatArray
from rocbands.core.method import Extra, Request
from rocbands.core.roc import RocCurve
from rocbands.likelihood.region import likelihood_region
from rocbands.points.method import Fixed, PointMethod


@dataclass(frozen=True)
class PointLikelihood(PointMethod):
    """Keep the heights v for which some point of the empirical curve agrees with (fpr, v).

    The log-likelihood ratio of both counts at a point of the curve, against the rates (fpr, v), is
    doubled and made smallest along the curve; v is kept where it is at most a chi-square quantile
    with one degree of freedom. Ties across classes and bins need nothing special.

    Notes
    -----
    Measured coverage at nominal .95 was .948 or more in every cell; wide where little is known. See
    docs/coverage-points.md.
    """

    name: ClassVar[str] = "likelihood"
    guarantee: ClassVar[str] = "measured at least .948 at .95"
    idea: ClassVar[str] = "heights that agree with both counts at some point of the curve"
    references: ClassVar[tuple[str, ...]] = (
        "The likelihood band is rocbands' own; its documentation derives it.",
    )
    handles: ClassVar[tuple[Extra, ...]] = ("bins",)
    fixed: ClassVar[tuple[Fixed, ...]] = ("rates",)

    def limit_heights(
        self, roc: RocCurve, fpr: FloatArray, request: Request
    ) -> tuple[FloatArray, FloatArray]:
        """Edges of the likelihood region at each `fpr`."""
        # Two counts have two degrees of freedom; choosing the best point of the curve takes one.
        region = likelihood_region(roc, float(chdtri(1.0, 1.0 - request.level)) / 2.0)
        return region.lower_at(fpr), region.upper_at(fpr)
