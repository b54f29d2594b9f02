"""Base class of simulated tests of equal curves."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from rocbands.comparison.delong import compare_areas
from rocbands.comparison.method import ComparisonMethod, ComparisonRequest, Outcome
from rocbands.core.method import Resampling
from rocbands.core.pair import Pair

NO_INTERVAL = "With one case of a class the difference of the areas has no interval."


@dataclass(frozen=True)
class EqualCurvesTest(Resampling, ComparisonMethod):
    """Test by a distance of the curves; the interval of the areas' difference is DeLong's."""

    hypothesis: ClassVar[str] = "equal ROC curves"
    signed: ClassVar[bool] = False
    drawn: ClassVar[str]  # what is drawn

    @abstractmethod
    def draw_distances(self, pair: Pair, request: ComparisonRequest) -> tuple[float, int]:
        """Return the distance of the curves, and the number of draws at least as large."""

    def run_test(self, pair: Pair, request: ComparisonRequest) -> Outcome:
        count = self.n_resamples
        distance, exceeding = self.draw_distances(pair, request)
        pvalue = (1 + exceeding) / (1 + count)  # the observed distance counts as one draw
        error = math.sqrt(pvalue * (1.0 - pvalue) / count)
        note = (
            f"The p-value is for the whole curves, from {count} {self.drawn}; the interval is for "
            "the areas, which can be equal while the curves are not."
        )
        areas = (
            Outcome(-1.0, 1.0, distance, pvalue, interval_method="none", notes=(NO_INTERVAL,))
            if pair.smallest_class < 2
            else compare_areas(pair, request)
        )
        return areas._replace(
            statistic=distance,
            pvalue=pvalue,
            df=None,
            notes=(note, *areas.notes),
            simulation=request.simulated(count, pvalue_error=error),
        )
