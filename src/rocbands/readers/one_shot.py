"""Gallas' one-shot variance: unbiased, from the moments of the scores of pairs of cases.

    V = s + c,    df = V^2 / (s^2 / (r - 1) + f_p^2 / (m - 1) + f_n^2 / (n - 1)),

with the unbiased covariance in c, and the parts f_p, f_n of the two classes in the variance of the
same readers. V is Gallas' estimate^2 - M8, and may be negative: then there is no interval.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rocbands.core.method import Extra
from rocbands.errors import InputError, Message, arg
from rocbands.readers.contrast import Contrast, find_df
from rocbands.readers.influence import Covariance
from rocbands.readers.method import (
    Judgement,
    ReaderMethod,
    ReaderRequest,
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
        variance, df = contrast.fixed, contrast.case_df
        if request.random == "readers":
            variance = contrast.reader_variance
            df = contrast.find_hillis_df(variance)
        elif request.random == "both":
            variance = contrast.reader_variance + contrast.case_covariance
            pairs = zip(contrast.units, contrast.parts, strict=True)
            sizes = [units for units, part in pairs if units > 1 and part > contrast.floor]
            sizes += contrast.n_readers
            df = find_df(variance, contrast.reader_term + contrast.case_term)
            df = max(df, float(min(sizes) - 1))
        if request.random == "readers" and not has_spread(contrast, variance):
            return judge_without_spread(contrast, request)
        refuse_negative(contrast, variance)
        return judge_symmetric(contrast, request, variance, df)


def refuse_negative(contrast: Contrast, variance: float) -> None:
    """Refuse an unbiased variance that is not positive."""
    if variance <= contrast.floor:
        shown = variance if variance < -contrast.floor else 0.0
        raise InputError(
            f"The unbiased variance is {shown:.2g}: no interval",
            "",
            Message("Use {}.", arg("method", "bounded")),
        )
