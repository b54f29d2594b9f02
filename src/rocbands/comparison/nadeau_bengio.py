"""Student's t of the folds' differences of AUC, widened by Nadeau and Bengio (2003).

With differences d_1, ..., d_K of K folds, k in each repetition, their standard deviation is
multiplied by sqrt(1 / K + 1 / (k - 1)) in place of sqrt(1 / K); 1 / (k - 1) is the ratio of test to
training rows. Degrees of freedom are K - 1. It needs no placements, only one number of each fold.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rocbands.comparison.delong import SAME_ORDER
from rocbands.comparison.method import (
    LEARNERS,
    ComparisonMethod,
    ComparisonRequest,
    Outcome,
    compute_wald,
)
from rocbands.core.method import Extra
from rocbands.core.pair import Pair
from rocbands.core.references import NADEAU_BENGIO
from rocbands.design.fold_sums import average_area, count_folds, find_spread

_RULE = "Folds share training rows, which this test allows for by a rule of thumb."
_NO_SPREAD = (
    "All folds have the same difference, so the usual standard error is 0; it was computed with "
    "one more fold that favours the other model as much as possible."
)


@dataclass(frozen=True)
class NadeauBengioTest(ComparisonMethod):
    """Student's t of the folds' differences, with 1/k replaced by 1/k + 1/(k - 1).

    With repetitions it is the corrected repeated k-fold test. It uses one number of each fold, so
    its limits rest on few degrees of freedom. Measured: studies/docs/measured-comparisons.md.
    """

    name: ClassVar[str] = "nadeau-bengio"
    guarantee: ClassVar[str] = (
        "a rule of thumb; measured: equal learners rejected in .00 to .10 at .05"
    )
    handles: ClassVar[tuple[Extra, ...]] = (
        *("paired", "folds", "repeats", "clusters", "weights", "one-sided"),
    )
    needs: ClassVar[tuple[Extra, ...]] = ("folds",)
    idea: ClassVar[str] = "Student's t of the folds' differences, widened for shared training rows"
    references: ClassVar[tuple[str, ...]] = (NADEAU_BENGIO,)

    def run_test(self, pair: Pair, request: ComparisonRequest) -> Outcome:
        one, two = pair.curves
        gaps = np.array([a.auc - b.auc for a, b in zip(one.folds, two.folds, strict=True)])
        estimates = average_area(one.folds), average_area(two.folds)
        rule = math.sqrt(1.0 / gaps.size + 1.0 / (count_folds(one.folds, one.repeats) - 1.0))
        gap, spread = estimates[0] - estimates[1], find_spread(gaps.tolist())
        notes: tuple[str, ...] = (LEARNERS, _RULE)
        if spread == 0.0 and pair.ranked_alike and request.null == 0.0:
            gap, notes = 0.0, (SAME_ORDER,)
        elif spread == 0.0:
            # The variance of K equal values and one that is 1 + |d| away.
            spread, notes = (1.0 + abs(gap)) / math.sqrt(gaps.size + 1.0), (*notes, _NO_SPREAD)
        error, df = spread * rule, gaps.size - 1.0
        wald = compute_wald(gap, error, request, df)
        return Outcome(*wald, error, df, notes=notes, estimates=estimates)
