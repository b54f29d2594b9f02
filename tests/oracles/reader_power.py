"""Power of a reader study, as printed by Hillis, Obuchowski and Berbaum (2011), by scipy.stats.

F with 1 numerator degree of freedom for the two-sided test, noncentral t for non-inferiority,
chi-square for these readers.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy import stats


def power(
    part: Mapping[str, float],
    readers: int,
    cases: float,
    difference: float,
    level: float = 0.95,
    random: str = "both",
    margin: float | None = None,
) -> float:
    """Power for `readers` and `cases`, of components `part` that are for part["cases"] cases."""
    per_case = part["cases"] / cases
    shared = max(part["cov2"] - part["cov3"], 0.0)
    own = max(part["var_tr"], 0.0) + per_case * (part["var"] - part["cov1"] - shared)
    if random == "both":
        below = own + readers * per_case * shared
        df = below**2 * (readers - 1) / own**2
    elif random == "readers":
        below, df = own, readers - 1.0
    else:
        below, df = per_case * (part["var"] - part["cov1"] + (readers - 1) * shared), np.inf
    error = np.sqrt(2.0 * below / readers)
    if margin is not None:
        away = (difference + margin) / error
        if np.isinf(df):
            return float(stats.norm.sf(stats.norm.ppf(level) - away))
        return float(stats.nct.sf(stats.t.ppf(level, df), df, away))
    away = (difference / error) ** 2
    if np.isinf(df):
        return float(stats.ncx2.sf(stats.chi2.ppf(level, 1), 1, away))
    return float(stats.ncf.sf(stats.f.ppf(level, 1, df), 1, df, away))
