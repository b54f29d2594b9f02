"""Gallas' one-shot variance: unbiased, from the moments of the scores of pairs of cases.

    V = s + c,    df = V^2 / (s^2 / (r - 1) + f_p^2 / (m - 1) + f_n^2 / (n - 1)),

with the unbiased covariance in c, and the parts f_p, f_n of the two classes in the variance of the
same readers. V is Gallas' estimate^2 - M8, and may be negative: then there is no interval.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from rocbands.core.method import Extra
from rocbands.core.tolerance import SAME
from rocbands.errors import InputError, arg
from rocbands.readers.contrast import Contrast
from rocbands.readers.influence import Covariance
from rocbands.readers.method import (
    Judgement,
    ReaderMethod,
    ReaderRequest,
    find_hillis_df,
    has_spread,
    judge_symmetric,
    judge_without_spread,
)


@dataclass(frozen=True)
class OneShot(ReaderMethod):
    """The unbiased variance of iMRMC, with symmetric limits."""

    name: ClassVar[str] = "one-shot"
    handles: ClassVar[tuple[Extra, ...]] = ("one-sided",)
    guarantee: ClassVar[str] = "approximate; the variance is unbiased, and may be negative"
    idea: ClassVar[str] = "unbiased variance from moments of pairs of cases"
    references: ClassVar[tuple[str, ...]] = (
        "Gallas (2006), One-shot estimate of MRMC variance: AUC, Academic Radiology 13, 353-362.",
        "Gallas, Bandos, Samuelson and Wagner (2009), A framework for random-effects ROC analysis: "
        "biases with the bootstrap and other variance estimators, Communications in Statistics - "
        "Theory and Methods 38, 2586-2603.",
    )

    @property
    def estimator(self) -> Covariance:
        return "unbiased"

    def judge(self, contrast: Contrast, request: ReaderRequest) -> Judgement:
        if not has_spread(contrast, max(abs(contrast.covariance).max(), contrast.reader_variance)):
            return judge_without_spread(contrast, request)
        if request.random == "readers":
            variance = contrast.reader_variance
            df = find_hillis_df(contrast, variance)
        elif request.random == "cases":
            variance, df = contrast.fixed, contrast.case_df
        else:
            variance = contrast.reader_variance + contrast.case_covariance
            sizes = [units - 1 for units in contrast.units if units > 1]
            pairs = zip(contrast.parts, contrast.units, strict=True)
            doubt = math.fsum(f * f / max(units - 1, 1) for f, units in pairs)
            least = min([r - 1 for r in contrast.n_readers] + sizes)
            total = contrast.reader_doubt + doubt
            df = max(variance**2 / total if total > 0.0 else math.inf, least)
        if request.random == "readers" and not has_spread(contrast, variance):
            return judge_without_spread(contrast, request)
        refuse_negative(variance)
        return judge_symmetric(contrast, request, variance, df)


def refuse_negative(variance: float) -> None:
    """Refuse an unbiased variance that is not positive."""
    if variance <= SAME**2:  # rounding errors of 0
        raise InputError(
            f"The unbiased variance is {variance:.2g}: no interval",
            "",
            f"Use {arg('method', 'bounded')}.",
        )
