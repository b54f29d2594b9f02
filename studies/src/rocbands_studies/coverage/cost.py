"""How often intervals for the cost hold: both error counts enumerated, nothing simulated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln, ndtr, ndtri, xlog1py, xlogy

from rocbands.cost import METHODS
from rocbands.cost.conditions import Sampling, build_conditions
from rocbands.cost.terms import CostTerms

SD = 3.0  # of both classes, in the experiments of Dugas and Gadoury (2009)


@dataclass(frozen=True)
class Design:
    """Positives N(theta, 9), negatives N(-theta, 9); the best threshold at each w."""

    theta: float
    n_pos: int
    n_neg: int

    def threshold(self, w: float) -> float:
        return float(SD**2 / (2 * self.theta) * np.log((1 - w) / w))

    def rates(self, w: float) -> tuple[float, float]:
        cut = self.threshold(w)
        return float(ndtr((cut - self.theta) / SD)), float(ndtr((-self.theta - cut) / SD))


SPREAD = {theta: Design(theta, 1000, 1000) for theta in (0.75, 1.5, 3.0, 5.0)}
SIZE = {n: Design(3.0, n, n) for n in (25, 250, 2500, 10_000)}


def coverage(
    design: Design, w: float, method: str, sampling: Sampling, level: float = 0.9
) -> float:
    """Probability that the interval holds the true cost; one of no width holds nothing.

    With full sampling the number of positives is binomial, costs are w and 1 - w.
    """
    fnr, fpr = design.rates(w)
    held = 0.0
    for fn, fp, mass in _outcomes(design, fnr, fpr, sampling):
        n_pos, n_neg = design.n_pos, design.n_neg
        ones = np.ones(fn.size)
        if sampling == "stratified":
            at = build_conditions(w * ones, sizes=(n_pos, n_neg))
            truth = w * fnr + (1 - w) * fpr
        else:
            costs = w * ones, 1 - w
            at = build_conditions(costs=costs, sampling=sampling, sizes=(n_pos, n_neg))
            share = n_pos / (n_pos + n_neg)
            truth = (w * share * fnr + (1 - w) * (1 - share) * fpr) / max(w, 1 - w)
        terms = CostTerms.of_counts(fn, fp, at)
        found = METHODS[method]().find_limits(terms, level, float(ndtri((1 + level) / 2)))
        good = (found.lower <= truth) & (truth <= found.upper) & (found.lower < found.upper)
        held += float(mass[good].sum())
    return held


def _outcomes(
    design: Design, fnr: float, fpr: float, sampling: Sampling
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """False negatives, false positives and their probability, in parts that fit the memory."""
    n_pos, n_neg = design.n_pos, design.n_neg
    if sampling == "full":
        size = n_pos + n_neg
        fnr, fpr, n_pos, n_neg = fnr * n_pos / size, fpr * n_neg / size, size, size
    fns, fps = _window(n_pos, fnr), _window(n_neg, fpr)
    for part in np.array_split(fns, max(1, fns.size * fps.size // 300_000)):
        fn, fp = (side.ravel() for side in np.meshgrid(part, fps, indexing="ij"))
        if sampling == "stratified":
            mass = _binomial(fn, n_pos, fnr) * _binomial(fp, n_neg, fpr)
        else:
            left = np.maximum(n_pos - fn, 0)
            given = _binomial(np.minimum(fp, left), left, fpr / (1 - fnr))
            mass = _binomial(fn, n_pos, fnr) * np.where(fp <= left, given, 0.0)
        possible = mass > 0
        yield fn[possible], fp[possible], mass[possible]


def _window(size: int, share: float) -> np.ndarray:
    reach = 6.5 * (size * share * (1 - share)) ** 0.5 + 15
    low, high = np.floor(size * share - reach), np.ceil(size * share + reach)
    return np.arange(max(0, int(low)), min(size, int(high)) + 1)


def _binomial(count: np.ndarray, size: np.ndarray | int, share: float) -> np.ndarray:
    ways = gammaln(np.add(size, 1)) - gammaln(count + 1) - gammaln(np.subtract(size, count) + 1)
    return np.exp(ways + xlogy(count, share) + xlog1py(np.subtract(size, count), -share))
