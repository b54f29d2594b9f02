"""The binormal ROC curve fitted by maximum likelihood, and a test whether it fits.

On a latent scale negatives are N(0, 1) and positives N(a/b, 1/b^2), so that the curve is the line
Phi^-1(tpr) = a + b Phi^-1(fpr). Only the category of each value is observed. With cutpoints
t_1 < ... < t_m between categories, cell i has the probabilities

    p_i = Phi(t_i) - Phi(t_(i-1)),    q_i = Phi(b t_i - a) - Phi(b t_(i-1) - a)

for negatives and positives. Fisher scoring finds a, b and the cutpoints (Dorfman and Alf 1969,
Journal of Mathematical Psychology 6, 487-496). The information matrix of the cutpoints is
tridiagonal, with (a, b) as border, so an iteration is linear in the number of categories.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from scipy.special import chdtrc, ndtr, ndtri, xlogy

from rocbands.core.checks import CountArray, FloatArray
from rocbands.core.counting import cut_pieces

Status: TypeAlias = Literal["few runs", "empty cell", "no convergence", "runaway"]

# At this p-value at most about 1 in 100 binormal test sets is rejected: docs/methods.md.
SUSPECT = 0.005

_ITERATIONS = 100
_HALVINGS = 40
_CLOSE = 1e-7  # tolerance of the Newton decrement and of the gain in log-likelihood
_NOISE = 1e-13  # relative rounding error of the log-likelihood of a million rows
_FAR = 7.0  # at the end, a cutpoint beyond this has diverged,
_LOOSE = 1e3  # and so has a line whose a or b has a larger variance;
_STEEP = 1e4  # on the way, a line whose b or 1/b is larger,
_BEYOND = 1e13  # or a cutpoint beyond this
_NOTHING = 1e-290  # cells with a smaller probability are ignored

_GROUPS = 12  # the test uses at most this many groups of scores,
_EACH = 5  # with this mean number of cases of the rarer class


class NoFit(NamedTuple):
    """Why there is no fit."""

    status: Status
    reason: str


_RUNAWAY = NoFit("runaway", "the likelihood has no maximum")


@dataclass(frozen=True, eq=False)
class BinormalFit:
    """Maximum likelihood of the line Phi^-1(tpr) = a + b Phi^-1(fpr)."""

    a: float
    b: float
    # (2, 2) of (a, b), from the expected information with all cutpoints estimated.
    covariance: FloatArray
    cutpoints: FloatArray  # (k - 1,) between the k truth runs, on the negatives' scale
    log_likelihood: float  # at the maximum, without the multinomial constants

    @property
    def auc(self) -> float:
        """Probability that a positive's value exceeds a negative's: Phi(a / sqrt(1 + b^2))."""
        return float(ndtr(self.a / math.hypot(1.0, self.b)))

    @property
    def auc_se(self) -> float:
        """Standard error of `auc`, by the delta method."""
        length = math.hypot(1.0, self.b)
        slope = np.array([1.0, -self.a * self.b / length**2]) / length
        density = math.exp(-0.5 * (self.a / length) ** 2) / math.sqrt(2.0 * math.pi)
        return density * math.sqrt(slope @ self.covariance @ slope)

    def variance_at(self, u: FloatArray) -> FloatArray:
        """Variance of a + b u."""
        (var_a, cov_ab), (_, var_b) = self.covariance
        return np.asarray(var_a + u * (2.0 * cov_ab + u * var_b))


class FitTest(NamedTuple):
    """A test of the straight line; the statistic is chi-square with `df` degrees of freedom."""

    statistic: float
    df: int
    p_value: float


def truth_runs(neg: CountArray, pos: CountArray) -> tuple[CountArray, CountArray]:
    """Merge neighbouring categories that contain the same one class; no information is lost.

    Examples
    --------
    >>> truth_runs(np.array([1, 2, 0, 0, 3]), np.array([0, 0, 4, 1, 1]))
    (array([3, 0, 3]), array([0, 5, 1]))
    """
    some = (neg > 0) | (pos > 0)
    if not some.all():
        neg, pos = neg[some], pos[some]
    kind = (neg == 0).view(np.int8) - (pos == 0).view(np.int8)
    new = np.ones(kind.size, dtype=np.bool_)
    new[1:] = (kind[1:] != kind[:-1]) | (kind[1:] == 0)
    starts = np.flatnonzero(new)
    return np.add.reduceat(neg, starts), np.add.reduceat(pos, starts)


def fit_binormal(neg: CountArray, pos: CountArray) -> BinormalFit | NoFit:
    """Fit the line to the counts of both classes in ascending categories.

    Examples
    --------
    >>> fit = fit_binormal(np.array([33, 6, 6, 11, 2]), np.array([3, 2, 2, 11, 33]))
    >>> round(fit.a, 3), round(fit.b, 3)
    (1.657, 0.713)
    """
    neg, pos = truth_runs(neg, pos)
    if neg.size <= 2:
        few = "a single level" if neg.size == 1 else "two runs only"
        return NoFit("few runs", f"the sorted classes make up {few}")
    if neg.size == 3 and not (neg.all() and pos.all()):
        return NoFit("empty cell", "the sorted classes make up three runs, not all of both classes")
    try:
        return _maximize(_start(neg, pos), neg.astype(np.float64), pos.astype(np.float64))
    except np.linalg.LinAlgError:
        return NoFit("no convergence", "the information became singular")


def check_binormal(neg: CountArray, pos: CountArray) -> FitTest | None:
    """Test the straight line against curved ones; None if there are too few cases.

    A score test of the line against a + b u + c P2 + d P3, with P2 and P3 the second and third
    Legendre polynomial of the rank. Scores are first put into groups of similar size, because with
    ungrouped scores the statistic is far from chi-square in small samples.

    Examples
    --------
    >>> check_binormal(np.array([60, 30, 0, 5, 5]), np.array([5, 5, 20, 30, 40])).p_value < 0.001
    True
    """
    neg, pos = truth_runs(*_group(neg, pos))
    df = min(2, neg.size - 3)  # at most the residual degrees of freedom of the table
    if df < 1:
        return None
    fit = fit_binormal(neg, pos)
    if isinstance(fit, NoFit):
        return None
    at = _Point(fit.a, fit.b, fit.cutpoints)
    rank = ndtr(at.t) + ndtr(at.b * at.t - at.a) - 1.0
    shapes = np.vstack([1.5 * rank**2, 2.5 * rank**3 - 1.5 * rank])[:df]
    try:
        counts = neg.astype(np.float64), pos.astype(np.float64)
        statistic = _find_information(at, *counts, shapes).solve().decrement
    except np.linalg.LinAlgError:
        return None
    return FitTest(statistic, df, float(chdtrc(df, statistic)))


def _group(neg: CountArray, pos: CountArray) -> tuple[CountArray, CountArray]:
    """Put categories into groups by their mean rank in both classes."""
    sizes = [int(count.sum()) for count in (neg, pos)]
    groups = max(min(_GROUPS, min(sizes) // _EACH), 1)
    starts, before = np.zeros(groups, dtype=np.intp), [0, 0]
    for part in cut_pieces(neg.size):
        middle = np.zeros(part.stop - part.start)
        for side, count in enumerate((neg[part], pos[part])):
            total = before[side] + np.cumsum(count)
            middle += (total - count / 2.0) / sizes[side]
            before[side] = total[-1]
        starts += np.searchsorted(middle / 2.0, np.arange(groups) / groups)
    starts = np.unique(starts[starts < neg.size])
    return np.add.reduceat(neg, starts), np.add.reduceat(pos, starts)


@dataclass(frozen=True, eq=False)
class _Point:
    """Current parameters of the iteration."""

    a: float
    b: float
    t: FloatArray

    @cached_property
    def cells(self) -> tuple[FloatArray, FloatArray]:
        """Probabilities of the categories, of negatives and of positives."""
        return _cells(self.t), _cells(self.b * self.t - self.a)

    @property
    def has_diverged(self) -> bool:
        """Whether the parameters are beyond those of any maximum."""
        return not 1.0 / _STEEP < self.b < _STEEP or bool(np.abs(self.t).max() > _BEYOND)

    def move(self, by: _Step, share: float) -> _Point:
        a, b = share * by.across[:2]
        return _Point(self.a + float(a), self.b + float(b), self.t + share * by.along)

    def log_likelihood(self, neg: FloatArray, pos: FloatArray) -> float:
        """Log-likelihood of the counts; minus infinity for invalid parameters."""
        if self.b <= 0 or not (self.t[1:] > self.t[:-1]).all():
            return -math.inf
        p, q = self.cells
        return float(xlogy(neg, p).sum() + xlogy(pos, q).sum())


class _Step(NamedTuple):
    """A scoring step: the inverse information times the gradient."""

    schur: FloatArray  # information of (a, b, ...) with estimated cutpoints (Schur complement)
    across: FloatArray  # step of (a, b, ...)
    along: FloatArray  # steps of the cutpoints
    decrement: float  # gradient times step


class _Information(NamedTuple):
    """Expected information, tridiagonal with a border of a few rows, and the gradient."""

    diagonal: FloatArray
    beside: FloatArray
    border: FloatArray
    corner: FloatArray
    along: FloatArray  # gradient of the cutpoints
    across: FloatArray  # gradient of (a, b, ...)

    def solve(self) -> _Step:
        """Solve for the step, by elimination of the cutpoints."""
        from scipy.linalg import solveh_banded  # the import takes an eighth of a second

        band = np.zeros((2, self.diagonal.size))
        band[0], band[1, :-1] = self.diagonal, self.beside
        right = np.vstack([self.border, self.along]).T
        solved = solveh_banded(band, right, lower=True, overwrite_ab=True, overwrite_b=True)
        schur = self.corner - self.border @ solved[:, :-1]
        rest = self.across - self.border @ solved[:, -1]
        across = np.asarray(np.linalg.solve(schur, rest), dtype=np.float64)
        along = solved[:, -1] - solved[:, :-1] @ across
        return _Step(schur, across, along, float(self.across @ across + self.along @ along))


def _find_information(
    at: _Point, neg: FloatArray, pos: FloatArray, shapes: FloatArray | None = None
) -> _Information:
    """Information of the cutpoints, with (a, b) and the coefficients of the shapes as border."""
    p, q = at.cells
    dp, dz = _density(at.t), _density(at.b * at.t - at.a)
    dq = at.b * dz
    # Moving a cutpoint moves probability between its two neighbouring cells; (a, b) and the shapes
    # change all cells of the positives.
    moves = [-dz, at.t * dz] + ([] if shapes is None else list(shapes * dz))
    turn = np.stack([_rises(move) for move in moves])
    # With n cases of a class, a cell of probability p that changes by d has information n d^2 / p,
    # and its count k the gradient k d / p.
    neg_each, pos_each = _per(neg, p), _per(pos, q)
    neg_all, pos_all = _per(neg.sum(), p), _per(pos.sum(), q)
    heavy = turn * pos_all
    diagonal = dp**2 * (neg_all[:-1] + neg_all[1:]) + dq**2 * (pos_all[:-1] + pos_all[1:])
    beside = -(dp[:-1] * dp[1:] * neg_all[1:-1] + dq[:-1] * dq[1:] * pos_all[1:-1])
    border = dq * (heavy[:, :-1] - heavy[:, 1:])
    along = dp * (neg_each[:-1] - neg_each[1:]) + dq * (pos_each[:-1] - pos_each[1:])
    return _Information(diagonal, beside, border, heavy @ turn.T, along, turn @ pos_each)


def _start(neg: CountArray, pos: CountArray) -> _Point:
    """Start from a line through the probits of both classes' cumulative counts."""
    zn, zp = (ndtri((np.cumsum(side)[:-1] + 0.5) / (side.sum() + 1.0)) for side in (neg, pos))
    b = float(np.clip(zp.std() / zn.std(), 0.2, 5.0))
    a = float(b * zn.mean() - zp.mean())
    return _Point(a, b, (zn + (zp + a) / b) / 2.0)


def _maximize(at: _Point, neg: FloatArray, pos: FloatArray) -> BinormalFit | NoFit:
    """Fisher scoring; a step is halved until the likelihood does not fall."""
    height = at.log_likelihood(neg, pos)
    for _ in range(_ITERATIONS):
        step = _find_information(at, neg, pos).solve()
        floor = height - _NOISE * abs(height)
        for halving in range(_HALVINGS):
            at_next = at.move(step, 0.5**halving)
            height_next = at_next.log_likelihood(neg, pos)
            if height_next >= floor:
                break
        else:
            break
        gain = height_next - height
        at, height = at_next, height_next
        # Far out the information is a difference of equal numbers, and further steps are rounding
        # errors, which differ between processors.
        if at.has_diverged:
            return _RUNAWAY
        if step.decrement < _CLOSE and gain < _CLOSE:
            return _finish(at, neg, pos, height)
    return NoFit("no convergence", "the search for the maximum did not converge")


def _finish(at: _Point, neg: FloatArray, pos: FloatArray, height: float) -> BinormalFit | NoFit:
    schur = _find_information(at, neg, pos).solve().schur
    covariance = np.asarray(np.linalg.inv(schur), dtype=np.float64)
    # The information is 0 but for rounding where a variance comes out negative.
    variances = covariance.diagonal()
    if np.abs(at.t).max() > _FAR or not 0.0 < variances.min() <= variances.max() <= _LOOSE:
        return _RUNAWAY
    return BinormalFit(at.a, at.b, covariance, at.t, height)


def _cells(cuts: FloatArray) -> FloatArray:
    """Probabilities of the cells between cutpoints, from the nearer tail to avoid cancellation."""
    # Cells below 0 are differences of Phi(t), cells above 0 negated differences of Phi(-t).
    cells = _rises(ndtr(-np.abs(cuts)))
    across = int(np.searchsorted(cuts, 0.0, side="right"))  # the cell that contains 0
    np.negative(cells[across + 1 :], out=cells[across + 1 :])
    low = ndtr(cuts[across - 1]) if across > 0 else 0.0
    cells[across] = (ndtr(cuts[across]) if across < cuts.size else 1.0) - low
    return cells


def _rises(values: FloatArray) -> FloatArray:
    """Differences of neighbours, with 0 before the first and after the last."""
    rises = np.empty(values.size + 1)
    rises[0], rises[-1] = values[0], -values[-1]
    np.subtract(values[1:], values[:-1], out=rises[1:-1])
    return rises


def _density(z: FloatArray) -> FloatArray:
    return np.asarray(np.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi))


def _per(count: FloatArray | float, cell: FloatArray) -> FloatArray:
    """Divide counts by probabilities; 0 for cells of negligible probability."""
    return np.divide(count, cell, out=np.zeros_like(cell), where=cell > _NOTHING)
