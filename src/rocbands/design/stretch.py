"""Student's quantiles of designs: degrees of freedom, and normal quantiles stretched by them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri, stdtrit

from rocbands._math.mover import find_zero


@dataclass(frozen=True)
class Stretch:
    """Normal quantiles, stretched by Student's of a design over those of as many single rows."""

    # Degrees of freedom of the design, and with rows as units; numbers or arrays.
    df: Any
    df_rows: Any

    def quantile(self, tail: float) -> Any:
        """Return the quantile with probability `tail` beyond it."""
        if self.df is self.df_rows:
            return np.full(np.shape(self.df), -ndtri(tail))
        design, rows = (stdtrit(np.minimum(df, 1e12), tail) for df in (self.df, self.df_rows))
        ratio = np.ones(np.broadcast_shapes(np.shape(design), np.shape(rows)))
        # Near the median both are 0 but for rounding.
        differ = np.not_equal(design, rows) & np.not_equal(rows, 0.0)
        np.divide(design, rows, out=ratio, where=differ)
        return -ndtri(tail) * ratio

    def scale(self, critical_value: float) -> Any:
        """Stretch a critical value of the normal distribution."""
        return self.quantile(float(ndtr(-critical_value))) if critical_value > 0.0 else 0.0

    def find_tail(self, statistic: float) -> float:
        """Tail whose quantile is `statistic`, a number: a p-value that agrees with limits."""
        far = abs(statistic)
        tail = float(ndtr(-find_zero(lambda z: far - float(np.max(self.scale(z))))))
        return tail if statistic > 0.0 else 1.0 - tail


def satterthwaite(pos: Any, neg: Any, units_pos: Any, units_neg: Any) -> Any:
    """Degrees of freedom of the sum of two estimated variances; infinite if both are 0."""
    below = pos**2 / np.maximum(units_pos - 1.0, 1.0) + neg**2 / np.maximum(units_neg - 1.0, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        df = np.where(below > 0.0, (pos + neg) ** 2 / below, np.inf)
    return df if df.ndim else float(df)
