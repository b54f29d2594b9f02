"""Binormal maximum likelihood by a general optimiser, and its information by finite differences."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from scipy.stats import norm


def categories(labels: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Negatives and positives at each distinct score, ascending, one score after the other."""
    values = sorted(set(scores))
    neg = [sum(1 for y, s in zip(labels, scores, strict=True) if s == v and y == 0) for v in values]
    pos = [sum(1 for y, s in zip(labels, scores, strict=True) if s == v and y == 1) for v in values]
    return np.array(neg), np.array(pos)


def runs(neg: np.ndarray, pos: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Neighbours that hold the same one class are put together."""
    out: list[list[int]] = []
    for n, m in zip(neg, pos, strict=True):
        if out and ((n == 0 and out[-1][0] == 0) or (m == 0 and out[-1][1] == 0)):
            out[-1][0] += n
            out[-1][1] += m
        else:
            out.append([n, m])
    return np.array([n for n, _ in out]), np.array([m for _, m in out])


def cells(a: float, b: float, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities of all categories for a negative and for a positive."""
    cuts = np.concatenate([[-np.inf], t, [np.inf]])
    p = [norm.cdf(cuts[i + 1]) - norm.cdf(cuts[i]) for i in range(len(t) + 1)]
    q = [norm.cdf(b * cuts[i + 1] - a) - norm.cdf(b * cuts[i] - a) for i in range(len(t) + 1)]
    return np.array(p), np.array(q)


def fitted(neg: np.ndarray, pos: np.ndarray) -> tuple[float, float, np.ndarray, float]:
    """a, b, cutpoints and log-likelihood, over a, ln b, the first cutpoint and log increments."""

    def unpacked(theta: np.ndarray) -> tuple[float, float, np.ndarray]:
        return theta[0], np.exp(theta[1]), theta[2] + np.cumsum([0.0, *np.exp(theta[3:])])

    def cost(theta: np.ndarray) -> float:
        a, b, t = unpacked(theta)
        p = np.diff(norm.cdf(t), prepend=0, append=1)
        q = np.diff(norm.cdf(b * t - a), prepend=0, append=1)
        return -(neg @ np.log(np.maximum(p, 1e-300)) + pos @ np.log(np.maximum(q, 1e-300)))

    size = len(neg) - 1
    start = np.concatenate([[1.0, 0.0, -1.0], np.full(size - 1, np.log(3.0 / size))])
    found = minimize(cost, start, method="BFGS", options={"gtol": 1e-7, "maxiter": 5000})
    found = minimize(cost, found.x, method="BFGS", options={"gtol": 1e-9, "maxiter": 5000})
    return (*unpacked(found.x), -found.fun)


def covariance(a: float, b: float, t: np.ndarray, n_neg: int, n_pos: int) -> np.ndarray:
    """Of (a, b): inverse of the whole expected information, derivatives by differences."""
    theta = np.array([a, b, *t])
    step = 1e-5

    def slopes(which: int) -> np.ndarray:
        columns = []
        for j in range(len(theta)):
            up, down = theta.copy(), theta.copy()
            up[j] += step
            down[j] -= step
            high, low = (cells(at[0], at[1], at[2:])[which] for at in (up, down))
            columns.append((high - low) / (2 * step))
        return np.array(columns)

    p, q = cells(a, b, t)
    information = n_neg * (slopes(0) / p) @ slopes(0).T + n_pos * (slopes(1) / q) @ slopes(1).T
    return np.linalg.inv(information)[:2, :2]
