"""Kolmogorov's one-sample statistic."""

from __future__ import annotations

from functools import lru_cache

__all__ = ["kolmogorov_quantile"]


@lru_cache(maxsize=1024)
def kolmogorov_quantile(level: float, size: int) -> float:
    """Half-width that a sample cdf of `size` values keeps to its true cdf with probability `level`.

    The two-sided one-sample Kolmogorov statistic's exact quantile; it is free of the distribution
    when that is continuous, and conservative when it is not.

    Examples
    --------
    >>> round(kolmogorov_quantile(0.95, 10), 4)
    0.4092
    """
    from scipy.stats import kstwo  # half a second and more to import: only when asked

    return float(kstwo.ppf(level, size))
