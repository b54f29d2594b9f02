"""Limits for a model that was chosen because its estimate is the largest of several.

The largest of k estimates is too large on average. Its limit on the side of worse values therefore
has the tail probability of k limits that hold simultaneously (Sidak 1967, Journal of the American
Statistical Association 62, 626-633):

    1 - (1 - a)^(1/k),    a = (1 - level) / 2,

which is exact for independent models and too small for correlated ones. The other limit keeps the
tail a: if the chosen estimate is far too small, so is that of the best model, which is smaller yet.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

Limits: TypeAlias = tuple[float, float]


def limit_chosen(
    find_limits: Callable[[float], Limits],
    level: float,
    n_models: int,
    *,
    worse: Literal["low", "high"] = "low",
) -> Limits:
    """Limits of a number of the model with the best of `n_models` estimates.

    `find_limits`: limits of the chosen model at a level, as if it were the only one. `worse`: side
    of worse values, 'high' for a cost. The number may be another one than that by which the model
    was chosen, such as a TPR of the model with the largest AUC.

    Examples
    --------
    >>> from statistics import NormalDist
    >>> normal = NormalDist().inv_cdf
    >>> def find_limits(level):
    ...     return normal(0.5 - level / 2), normal(0.5 + level / 2)
    >>> limits = limit_chosen(find_limits, 0.95, 5)
    >>> print(f"{limits[0]:.2f} {limits[1]:.2f}")
    -2.57 1.96
    """
    low, high = find_limits(level)
    if n_models < 2:
        return low, high
    tail = 1.0 - (1.0 - (1.0 - level) / 2.0) ** (1.0 / n_models)
    far = find_limits(1.0 - 2.0 * tail)
    return (far[0], high) if worse == "low" else (low, far[1])
