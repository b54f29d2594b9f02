"""Two normal classes seen through ordered categories: maximum likelihood, and a check of fit.

On a latent scale negatives are N(0, 1) and positives N(a/b, 1/b^2); all that is seen is the
category each value falls into. Fisher scoring finds a, b and the cutpoints between the categories:
the cutpoints' information is tridiagonal and (a, b) borders it, so an iteration takes time and
memory in proportion to the number of categories.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import chdtrc, ndtr, ndtri, xlogy

__all__ = ["BinormalFit", "FitCheck", "NoFit", "check_binormal", "fit_binormal", "truth_runs"]

Floats: TypeAlias = npt.NDArray[np.float64]
Counts: TypeAlias = npt.NDArray[np.int64]
Status: TypeAlias = Literal["few runs", "empty cell", "no convergence", "runaway"]

_ITERATIONS = 100
_HALVINGS = 40
_CLOSE = 1e-7  # Newton decrement and gain at rest, in units of log-likelihood
_NOISE = 1e-13  # what rounding takes from the log-likelihood of a million rows, relative
_FAR = 7.0  # a cutpoint beyond this has run away,
_LOOSE = 1e3  # and so has a line whose a or b has a variance beyond this
_NOTHING = 1e-290  # a cell less likely than this tells nothing

_GROUPS = 12  # the check of fit looks at so many groups of scores at most,
_EACH = 5  # with so many of the rarer class in each on average


class NoFit(NamedTuple):
    """Why the likelihood has no maximum to speak of."""

    status: Status
    reason: str


@dataclass(frozen=True, eq=False)
class BinormalFit:
    """Maximum likelihood of the line Phi^-1(tpr) = a + b Phi^-1(fpr).

    Attributes
    ----------
    a, b : float
        Intercept and slope.
    covariance : ndarray of shape (2, 2)
        Of (a, b), from the expected information with all cutpoints estimated.
    cutpoints : ndarray of shape (k - 1,)
        Between the k truth runs, on the negatives' scale.
    log_likelihood : float
        At the maximum, without the multinomial constants.
    """

    a: float
    b: float
    covariance: Floats
    cutpoints: Floats
    log_likelihood: float

    @property
    def auc(self) -> float:
        """Probability that a positive's value exceeds a negative's."""
        return float(ndtr(self.a / math.hypot(1.0, self.b)))

    @property
    def auc_se(self) -> float:
        """Standard error of `auc`, by the delta method."""
        length = math.hypot(1.0, self.b)
        slope = np.array([1.0, -self.a * self.b / length**2]) / length
        density = math.exp(-0.5 * (self.a / length) ** 2) / math.sqrt(2.0 * math.pi)
        return density * math.sqrt(slope @ self.covariance @ slope)


class FitCheck(NamedTuple):
    """A test whether the line is straight; chi-square with `df` degrees of freedom if it is."""

    statistic: float
    df: int
    p_value: float


def truth_runs(neg: Counts, pos: Counts) -> tuple[Counts, Counts]:
    """Merge neighbouring categories that hold the same one class; no information is lost.

    Examples
    --------
    >>> truth_runs(np.array([1, 2, 0, 0, 3]), np.array([0, 0, 4, 1, 1]))
    (array([3, 0, 3]), array([0, 5, 1]))
    """
    some = (neg > 0) | (pos > 0)
    neg, pos = neg[some], pos[some]
    kind = np.where(neg == 0, 1, np.where(pos == 0, -1, 0))
    new = np.ones(kind.size, dtype=np.bool_)
    new[1:] = (kind[1:] != kind[:-1]) | (kind[1:] == 0)
    starts = np.flatnonzero(new)
    return np.add.reduceat(neg, starts), np.add.reduceat(pos, starts)


def fit_binormal(neg: Counts, pos: Counts) -> BinormalFit | NoFit:
    """Fit the line to the counts of both classes in ascending categories.

    Examples
    --------
    >>> fit = fit_binormal(np.array([33, 6, 6, 11, 2]), np.array([3, 2, 2, 11, 33]))
    >>> round(fit.a, 4), round(fit.b, 4), round(fit.auc, 4)
    (1.6568, 0.713, 0.9113)
    """
    neg, pos = truth_runs(neg, pos)
    if neg.size <= 2:
        few = "a single level" if neg.size == 1 else "two runs only"
        return NoFit("few runs", f"the sorted classes make up {few}")
    if neg.size == 3 and not (neg.all() and pos.all()):
        return NoFit("empty cell", "the sorted classes make up three runs, not all of both classes")
    try:
        return _climb(_start(neg, pos), neg, pos)
    except np.linalg.LinAlgError:
        return NoFit("no convergence", "the information became singular")


def check_binormal(neg: Counts, pos: Counts) -> FitCheck | None:
    """Test the straight line against curved ones; None where there is too little to tell.

    A score test of the line against a + b u + c P2 + d P3, with P2 and P3 the second and third
    Legendre polynomial of the rank: does it bend, and does it bend both ways? Scores are put into
    groups that are equally full of both classes first, as with ungrouped scores the law of the
    statistic is far from chi-square in small samples.

    Examples
    --------
    >>> check_binormal(np.array([60, 30, 0, 5, 5]), np.array([5, 5, 20, 30, 40])).p_value < 0.001
    True
    """
    neg, pos = truth_runs(*_grouped(neg, pos))
    bends = min(2, neg.size - 3)  # the table has as many degrees of freedom beyond the line
    if bends < 1:
        return None
    fit = fit_binormal(neg, pos)
    if isinstance(fit, NoFit):
        return None
    at = _Point(fit.a, fit.b, fit.cutpoints)
    rank = ndtr(at.t) + ndtr(at.b * at.t - at.a) - 1.0
    shapes = np.vstack([1.5 * rank**2, 2.5 * rank**3 - 1.5 * rank])[:bends]
    try:
        statistic = _information(at, neg, pos, shapes).solved().decrement
    except np.linalg.LinAlgError:
        return None
    return FitCheck(statistic, bends, float(chdtrc(bends, statistic)))


def _grouped(neg: Counts, pos: Counts) -> tuple[Counts, Counts]:
    groups = min(_GROUPS, int(min(neg.sum(), pos.sum())) // _EACH)
    middle = sum((np.cumsum(count) - count / 2.0) / count.sum() for count in (neg, pos)) / 2.0
    starts = np.searchsorted(middle, np.arange(max(groups, 1)) / max(groups, 1))
    starts = np.unique(starts[starts < neg.size])
    return np.add.reduceat(neg, starts), np.add.reduceat(pos, starts)


class _Point(NamedTuple):
    """Where the search stands."""

    a: float
    b: float
    t: Floats

    def moved(self, by: _Step, share: float) -> _Point:
        a, b = share * by.across[:2]
        return _Point(self.a + float(a), self.b + float(b), self.t + share * by.along)

    def log_likelihood(self, neg: Counts, pos: Counts) -> float:
        """Log-likelihood of the counts; minus infinity where the parameters make no sense."""
        if self.b <= 0 or not (self.t[1:] > self.t[:-1]).all():
            return -math.inf
        p, q = _cells(self.t), _cells(self.b * self.t - self.a)
        return float(xlogy(neg, p).sum() + xlogy(pos, q).sum())


class _Step(NamedTuple):
    schur: Floats
    across: Floats
    along: Floats
    decrement: float


class _Information(NamedTuple):
    """Expected information, tridiagonal with a border of a few rows, and the gradient."""

    diagonal: Floats
    beside: Floats
    border: Floats
    corner: Floats
    along: Floats
    across: Floats

    def solved(self) -> _Step:
        """Divide the gradient by the information; what is left of the corner comes with it."""
        from scipy.linalg import solveh_banded  # an eighth of a second to import

        band = np.zeros((2, self.diagonal.size))
        band[0], band[1, :-1] = self.diagonal, self.beside
        solved = solveh_banded(band, np.vstack([self.border, self.along]).T, lower=True)
        schur = self.corner - self.border @ solved[:, :-1]
        rest = self.across - self.border @ solved[:, -1]
        across = np.asarray(np.linalg.solve(schur, rest), dtype=np.float64)
        along = solved[:, -1] - solved[:, :-1] @ across
        return _Step(schur, across, along, float(self.across @ across + self.along @ along))


def _information(
    at: _Point, neg: Counts, pos: Counts, shapes: Floats | None = None
) -> _Information:
    """Information about the cutpoints, and about (a, b) and the size of each shape as border."""
    z = at.b * at.t - at.a
    p, q = _cells(at.t), _cells(z)
    dp, dz = _density(at.t), _density(z)
    dq = at.b * dz
    borders = [-np.ones_like(z), at.t, *(() if shapes is None else shapes)]
    turn = np.diff(np.vstack(borders) * dz, axis=1, prepend=0.0, append=0.0)
    # What one more case in a cell adds to the gradient, and a cell's share of the information.
    neg_each, pos_each = _per(neg, p), _per(pos, q)
    neg_all, pos_all = _per(np.full_like(neg, neg.sum()), p), _per(np.full_like(pos, pos.sum()), q)
    weighted = turn * pos_all
    return _Information(
        diagonal=dp**2 * (neg_all[:-1] + neg_all[1:]) + dq**2 * (pos_all[:-1] + pos_all[1:]),
        beside=-(dp[:-1] * dp[1:] * neg_all[1:-1] + dq[:-1] * dq[1:] * pos_all[1:-1]),
        border=dq * (weighted[:, :-1] - weighted[:, 1:]),
        corner=weighted @ turn.T,
        along=dp * (neg_each[:-1] - neg_each[1:]) + dq * (pos_each[:-1] - pos_each[1:]),
        across=turn @ pos_each,
    )


def _start(neg: Counts, pos: Counts) -> _Point:
    """Line up the probits of both classes' cumulative counts."""
    zn, zp = (ndtri((np.cumsum(side)[:-1] + 0.5) / (side.sum() + 1.0)) for side in (neg, pos))
    b = float(np.clip(zp.std() / zn.std(), 0.2, 5.0))
    a = float(b * zn.mean() - zp.mean())
    return _Point(a, b, (zn + (zp + a) / b) / 2.0)


def _climb(at: _Point, neg: Counts, pos: Counts) -> BinormalFit | NoFit:
    """Fisher scoring; a step is halved until the likelihood does not fall."""
    height = at.log_likelihood(neg, pos)
    for _ in range(_ITERATIONS):
        step = _information(at, neg, pos).solved()
        floor = height - _NOISE * abs(height)
        for halving in range(_HALVINGS):
            at_next = at.moved(step, 0.5**halving)
            height_next = at_next.log_likelihood(neg, pos)
            if height_next >= floor:
                break
        else:
            break
        gain = height_next - height
        at, height = at_next, height_next
        if step.decrement < _CLOSE and gain < _CLOSE:
            return _at_rest(at, neg, pos, height)
    return NoFit("no convergence", "the search for the maximum did not come to rest")


def _at_rest(at: _Point, neg: Counts, pos: Counts, height: float) -> BinormalFit | NoFit:
    schur = _information(at, neg, pos).solved().schur
    covariance = np.asarray(np.linalg.inv(schur), dtype=np.float64)
    if np.abs(at.t).max() > _FAR or covariance.diagonal().max() > _LOOSE:
        return NoFit("runaway", "the likelihood has its maximum nowhere")
    return BinormalFit(at.a, at.b, covariance, at.t, height)


def _cells(cuts: Floats) -> Floats:
    """Probabilities of the cells between cutpoints, taken in the nearer tail: no cancellation."""
    low = np.concatenate(([-np.inf], cuts))
    high = np.concatenate((cuts, [np.inf]))
    right = low > 0.0
    return ndtr(np.where(right, -low, high)) - ndtr(np.where(right, -high, low))


def _density(z: Floats) -> Floats:
    return np.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)


def _per(count: Counts, cell: Floats) -> Floats:
    """Divide counts by probabilities; 0 where a cell is too unlikely to tell anything."""
    return np.divide(count, cell, out=np.zeros_like(cell), where=cell > _NOTHING)
