"""Smooth curves by plain formulas, one value at a time, without the package."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import integrate, optimize, stats


def kernel_shares(values: Any, width: float, at: Any) -> Any:
    """Share of a class above each point, each value spread by a normal kernel."""
    return np.array([np.mean([stats.norm.sf(t, v, width) for v in values]) for t in np.ravel(at)])


def kernel_tpr(neg: Any, pos: Any, widths: tuple[float, float], fpr: float) -> float:
    """Height of the curve of two kernel estimates at a false positive rate."""
    low, high = min(*neg, *pos) - 10.0 * max(widths), max(*neg, *pos) + 10.0 * max(widths)
    cut = optimize.brentq(
        lambda t: kernel_shares(neg, widths[0], t)[0] - fpr, low, high, xtol=1e-12
    )
    return float(kernel_shares(pos, widths[1], cut)[0])


def kernel_auc(neg: Any, pos: Any, widths: tuple[float, float]) -> float:
    """Mean of Phi((p - n) / sqrt(h_n^2 + h_p^2)) over all pairs."""
    apart = np.subtract.outer(np.asarray(pos), np.asarray(neg)) / np.hypot(*widths)
    return float(stats.norm.cdf(apart).mean())


def nrd0(values: Any) -> float:
    """R's bw.nrd0: 0.9 min(sd, IQR / 1.34) n^(-1/5)."""
    spread = min(np.std(values, ddof=1), stats.iqr(values) / 1.34)
    return float(0.9 * spread * len(values) ** -0.2)


def normal_scores(neg: Any, pos: Any) -> tuple[Any, Any]:
    """Normal quantiles of (mean rank - 1/2) / N among all rows."""
    rank = stats.rankdata(np.concatenate([neg, pos]))
    z = stats.norm.ppf((rank - 0.5) / rank.size)
    return z[: len(neg)], z[len(neg) :]


def probit_regression(neg: Any, pos: Any) -> tuple[float, float]:
    """Line (a, b) of pROC: least squares of probit specificity on probit sensitivity, turned."""
    cuts = np.unique(np.concatenate([neg, pos]))
    sp = np.array([np.mean(np.asarray(neg) < t) for t in cuts])
    se = np.array([np.mean(np.asarray(pos) >= t) for t in cuts])
    inside = (sp > 0) & (sp < 1) & (se > 0) & (se < 1)
    slope, start = np.polyfit(stats.norm.ppf(se[inside]), stats.norm.ppf(sp[inside]), 1)
    # Phi^-1(sp) = start + slope v, with v = Phi^-1(tpr) and Phi^-1(fpr) = -Phi^-1(sp) = u.
    return -start / slope, -1.0 / slope


# Integrals of exp(-u^p / p) over one side.
SIDES = {
    power: integrate.quad(lambda u, p=power: np.exp(-(u**p) / p), 0.0, np.inf)[0]
    for power in (1, 2)
}


def log_density(x: float, mode: float, below: float, above: float, power: int) -> float:
    """Log-density of an asymmetric distribution, by its definition."""
    far = (mode - x) / below if x < mode else (x - mode) / above
    return float(-(far**power) / power - np.log((below + above) * SIDES[power]))


def density(x: float, mode: float, below: float, above: float, power: int) -> float:
    """Density of the same."""
    return float(np.exp(log_density(x, mode, below, above, power)))


def log_likelihood(values: Any, sides: tuple[float, float, float], power: int) -> float:
    """Log-likelihood of the values of a class."""
    return sum(log_density(v, *sides, power) for v in values)


def share_above(t: float, sides: tuple[float, float, float], power: int) -> float:
    """Share of a class above t, by integration on both sides of the mode."""
    if t >= sides[0]:
        return float(integrate.quad(density, t, np.inf, args=(*sides, power))[0])
    return 1.0 - float(integrate.quad(density, -np.inf, t, args=(*sides, power))[0])
