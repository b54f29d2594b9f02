"""Obuchowski and Rockette's analysis with Hillis' degrees of freedom, as in other programs.

    V = s + max(c, 0),    df = (r - 1) V^2 / s^2,

with s and c of :mod:`rocbands.readers.contrast`. In a factorial study of two tests s = 2 MS(TR) / r
and c = 2 (Cov2 - Cov3). Pairs of three tests or more use the MS(TR) and covariances of all of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

from rocbands.core.checks import check_choice
from rocbands.readers.contrast import Contrast, find_df
from rocbands.readers.influence import Covariance
from rocbands.readers.method import (
    HILLIS,
    OBUCHOWSKI_ROCKETTE,
    Judgement,
    ReaderMethod,
    ReaderRequest,
    has_spread,
    judge_symmetric,
    judge_without_spread,
)
from rocbands.readers.one_shot import refuse_negative


@dataclass(frozen=True)
class ObuchowskiRockette(ReaderMethod):
    """The standard analysis of variance, with symmetric limits.

    Parameters
    ----------
    covariance : {'delong', 'jackknife', 'unbiased'}, default 'delong'
        How covariances given the readers are estimated; 'jackknife' is the default of other
        programs.
    """

    name: ClassVar[str] = "obuchowski-rockette"
    guarantee: ClassVar[str] = (
        "approximate; where readers happen to agree, .95 intervals hold .66 of the time"
    )
    idea: ClassVar[str] = "analysis of variance with errors that are correlated between readers"
    references: ClassVar[tuple[str, ...]] = (OBUCHOWSKI_ROCKETTE, HILLIS)

    covariance: Covariance = "delong"

    def __post_init__(self) -> None:
        check_choice(self.covariance, ("delong", "jackknife", "unbiased"), "covariance")

    @property
    def estimator(self) -> Covariance:
        return self.covariance

    def judge(self, contrast: Contrast, request: ReaderRequest) -> Judgement:
        variance, df = _find_variance(contrast, request)
        if contrast.pooled is not None and variance > contrast.floor:
            # Other tests tell how much equal ones may differ.
            contrast = replace(contrast, alike=False)
        if variance < -contrast.floor and not contrast.is_indistinguishable:  # the unbiased one
            refuse_negative(contrast, variance)
        if not has_spread(contrast, variance):
            return judge_without_spread(contrast, request)
        return judge_symmetric(contrast, request, variance, df)


def _find_variance(contrast: Contrast, request: ReaderRequest) -> tuple[float, float]:
    if request.random == "cases":
        return contrast.fixed, math.inf
    # Of several tests, s and c come from all of them.
    s, c, term = contrast.reader_variance, contrast.case_covariance, contrast.reader_term
    if contrast.pooled is not None:
        s, c, df = contrast.pooled
        term = s**2 / df
    variance = s + max(c, 0.0) * (request.random == "both")
    return variance, find_df(variance, term)
