"""Clopper and Pearson's limits at thresholds fixed in advance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rocbands._math.binomial import clopper_pearson_limits
from rocbands.core.checks import CountArray
from rocbands.core.method import Extra
from rocbands.core.references import CLOPPER_PEARSON
from rocbands.points.method import Fixed, Limits, PointMethod


@dataclass(frozen=True)
class PointClopperPearson(PointMethod):
    """Exact binomial limits of both rates; the coverage is at least the level."""

    name: ClassVar[str] = "clopper-pearson"
    guarantee: ClassVar[str] = "at least the level (theorem)"
    idea: ClassVar[str] = "exact binomial limits of both rates"
    references: ClassVar[tuple[str, ...]] = (CLOPPER_PEARSON,)
    handles: ClassVar[tuple[Extra, ...]] = ("bins",)
    fixed: ClassVar[tuple[Fixed, ...]] = ("thresholds",)

    def limit_shares(self, count: CountArray, size: int | CountArray, level: float) -> Limits:
        """Invert both tails of the binomial distribution."""
        return clopper_pearson_limits(count, size, level)
