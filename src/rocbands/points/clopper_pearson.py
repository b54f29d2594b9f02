"""Clopper and Pearson's limits at thresholds fixed in advance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from rocbands._math.binomial import clopper_pearson_limits
from rocbands.core.method import DESIGNED, Extra
from rocbands.core.references import CLOPPER_PEARSON
from rocbands.points.method import Fixed, Limits, PointMethod


@dataclass(frozen=True)
class PointClopperPearson(PointMethod):
    """Exact binomial limits of both rates; the coverage is at least the level.

    With weights, clusters or strata numbers of rows are effective ones, and the level is
    approximate.
    """

    name: ClassVar[str] = "clopper-pearson"
    guarantee: ClassVar[str] = (
        "at least the level (theorem), approximate with clusters or weights (measured .956 at .95)"
    )
    idea: ClassVar[str] = "exact binomial limits of both rates"
    references: ClassVar[tuple[str, ...]] = (CLOPPER_PEARSON,)
    handles: ClassVar[tuple[Extra, ...]] = (*DESIGNED, "bins")
    fixed: ClassVar[tuple[Fixed, ...]] = ("thresholds",)

    def limit_shares(self, count: Any, size: Any, level: float) -> Limits:
        """Invert both tails of the binomial distribution."""
        return clopper_pearson_limits(count, size, level)
