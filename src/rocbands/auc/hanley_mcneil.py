"""Hanley and McNeil's interval for the AUC, with the variance of exponential scores."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rocbands.auc.bins import Range, WidestPivot, bound_auc, bound_wald
from rocbands.auc.method import AucMethod, Pivot, Wald
from rocbands.core.checks import FloatArray
from rocbands.core.method import Extra, Request
from rocbands.core.roc import RocCurve


@dataclass(frozen=True)
class HanleyMcNeil(AucMethod):
    """The AUC plus and minus z standard errors, clipped to [0, 1].

    The variance depends on the AUC A and the class sizes alone:

        (A (1 - A) + (n_pos - 1) (A / (2 - A) - A^2) + (n_neg - 1) (2 A^2 / (1 + A) - A^2))
        / (n_pos n_neg)

    If the AUC is 0 or 1 it is 0; the interval is then a single point and a note says so. Measured
    coverage is far below the level near AUC 1: studies/docs/coverage-auc.md.
    """

    name: ClassVar[str] = "hanley-mcneil"
    guarantee: ClassVar[str] = "asymptotic for exponential scores; measured far below near AUC 1"
    idea: ClassVar[str] = "the AUC plus and minus the standard errors of exponential scores"
    held_near_one: ClassVar[str] = "0.34 to 1"
    references: ClassVar[tuple[str, ...]] = (
        "Hanley and McNeil (1982), The meaning and use of the area under a receiver operating "
        "characteristic (ROC) curve, Radiology 143, 29-36.",
    )
    handles: ClassVar[tuple[Extra, ...]] = ("bins", "one-sided")

    def build_pivot(self, roc: RocCurve, request: Request) -> Pivot:
        return Wald(roc.auc, math.sqrt(hanley_mcneil_variance(roc.auc, roc.n_pos, roc.n_neg)))

    def build_binned_pivot(self, roc: RocCurve) -> WidestPivot:
        # The variance is a sum of three unimodal terms, each smallest at an end of the range and
        # largest at its peak, or at the end nearest to the peak.
        auc, pos, neg = bound_auc(roc), roc.n_pos - 1.0, roc.n_neg - 1.0
        top = (3.0 - math.sqrt(5.0)) / 2.0  # peak of a / (2 - a) - a^2; the third is its mirror
        peaks = 0.5, top, 1.0 - top
        at_ends = [_terms(end, pos, neg) for end in auc]
        at_peaks = [_terms(min(max(peak, auc.low), auc.high), pos, neg) for peak in peaks]
        low = sum(min(term) for term in zip(*at_ends, strict=True))
        high = sum(terms[i] for i, terms in enumerate(at_peaks))
        pairs = float(roc.n_pos) * roc.n_neg
        return bound_wald(roc, Range(max(low, 0.0) / pairs, max(high, 0.0) / pairs))


def hanley_mcneil_variance(
    auc: float | FloatArray, n_pos: int | FloatArray, n_neg: int | FloatArray
) -> FloatArray:
    """Variance of the AUC of exponential scores, from the AUC and the class sizes."""
    area = np.asarray(auc, dtype=np.float64)
    pairs, pos, neg = _terms(area, np.asarray(n_pos) - 1, np.asarray(n_neg) - 1)
    variance: FloatArray = np.maximum(pairs + pos + neg, 0.0) / n_pos / n_neg
    return variance


def _terms(area: Any, pos: Any, neg: Any) -> tuple[Any, Any, Any]:
    """Contributions of pairs, positives and negatives to the variance, as numbers or arrays."""
    return (
        area * (1.0 - area),
        pos * (area / (2.0 - area) - area**2),
        neg * (2.0 * area**2 / (1.0 + area) - area**2),
    )
