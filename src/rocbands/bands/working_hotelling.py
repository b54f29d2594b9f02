"""Working-Hotelling bands: a confidence region for the line that a binormal curve is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np
from scipy.special import chdtrc, ndtr, ndtri, xlogy

from rocbands.core.band import Band, BandMethod
from rocbands.core.checks import BoolArray, CountArray, FloatArray, IndexArray, check_flag, freeze
from rocbands.core.curve import Curve
from rocbands.core.method import Coverage, Request
from rocbands.core.pieces import cut_pieces
from rocbands.core.roc import RocCurve
from rocbands.core.tolerance import SLACK
from rocbands.errors import Message, arg, warn

Status: TypeAlias = Literal["few runs", "empty cell", "no convergence", "runaway"]

# At this p about 1 in 100 binormal test sets or fewer is suspected; docs/methods.md has the counts.
SUSPECT = 0.005

_DIGITS = 4  # units in the last digit that a rate may be off by
_LONG = 0.1  # on the probit scale: longer pieces of a curve are followed along their straight line
_AT_ONCE = 16_384  # cutpoints
_REACH = 7.6  # as far as they are followed, which is to 2e-14 from the sides of the square
_GRID: FloatArray = ndtr(np.linspace(-_REACH, _REACH, 305))
_EVEN: FloatArray = freeze(
    np.unique(np.concatenate([[0.0], ndtr(np.linspace(-8.0, 8.0, 1601)), [1.0]]))
)


@dataclass(frozen=True)
class WorkingHotelling(BandMethod):
    """Band of all lines on the probit scale that a binormal fit does not reject.

    If some increasing transform makes the scores of both classes normal, the ROC curve is a
    straight line on the probit scale: tpr = Phi(a + b u) with u = Phi^-1(fpr). Maximum likelihood
    on the order of the scores gives a, b and their covariance; the band is Phi(a + b u -/+ k s(u))
    with s(u) the standard error of a + b u.

    Parameters
    ----------
    simultaneous : bool, default True
        True takes k^2 from chi-square with 2 degrees of freedom, so that the level is for the whole
        line. False takes k from the normal distribution: the level is then for each fpr on its own.

    Notes
    -----
    Theorem: if the scores are binormal, the level is kept as both classes grow. Otherwise nothing
    is known, and large samples make it worse. The fit is checked; if the scores do not look
    binormal, the band says so in its notes and warns. A small sample can hide a lot.

    Where no line fits, as when the classes are separated, the band is the whole square.

    Metz, Herman and Shen (1998), Statistics in Medicine 17, 1033-1053, fit truth runs in the same
    way.

    Examples
    --------
    >>> import rocbands as rb
    >>> sample = rb.load_example()
    >>> roc = rb.roc_curve(sample["logistic"])
    >>> band = rb.bands.WorkingHotelling()(roc, level=0.95)
    >>> print(band.lower_at(0.1).round(2), band.upper_at(0.1).round(2))
    0.59 0.78
    """

    name: ClassVar[str] = "working-hotelling"
    guarantee: ClassVar[str] = "the level in large samples of binormal scores (theorem), else none"
    reported_for: ClassVar[tuple[str, ...]] = ("independent",)
    idea: ClassVar[str] = "a line on the probit scale; narrowest if scores are binormal, else wrong"
    references: ClassVar[tuple[str, ...]] = (
        "Working and Hotelling (1929), Applications of the theory of error to the interpretation "
        "of trends, Journal of the American Statistical Association 24, 73-85.",
        "Ma and Hall (1993), Confidence bands for receiver operating characteristic curves, "
        "Medical Decision Making 13, 191-197.",
    )

    simultaneous: bool = True

    def __post_init__(self) -> None:
        check_flag(self.simultaneous, "simultaneous")

    @property
    def coverage(self) -> Coverage:  # type: ignore[override]
        """What the level is for, as the parameter says."""
        return "simultaneous" if self.simultaneous else "pointwise"

    def build_bands(self, roc: RocCurve, requests: Sequence[Request]) -> list[Band]:
        """Fit the line once; each level has its own multiple of the standard error."""
        levels = [request.level for request in requests]
        neg, pos = (_count_levels(counts) for counts in (roc.fp, roc.tp))
        check = check_binormal(neg, pos)
        neg, pos = truth_runs(neg, pos)  # which lets go of all levels of very many rows
        fit = fit_binormal(neg, pos)
        if isinstance(fit, NoFit):
            why = f"No binormal curve fits: {fit.reason}. The band is the whole square."
            return [
                Band(roc, LineRegion(None, self._reach(level)), level, self, notes=(why,))
                for level in levels
            ]
        if check is not None and check.p_value < SUSPECT:
            # Past this function, at_levels, __call__ and roc_band, by which most people come.
            warn(_check_note(check))
        bands = []
        for level in levels:
            region = LineRegion(fit, self._reach(level))
            notes = (_fit_note(fit), _check_note(check), *_hook_notes(region))
            band = Band(roc, region, level, self, None, notes, region.centre)
            bands.append(replace(band, centre_name="fitted curve"))
        return bands

    def _reach(self, level: float) -> float:
        """Say how many standard errors the band reaches out."""
        if self.simultaneous:
            return math.sqrt(-2.0 * math.log1p(-level))
        return -float(ndtri(0.5 * (1.0 - level)))


def _count_levels(totals: CountArray) -> CountArray:
    """Count a class at each level, from the lowest score up."""
    counts = np.empty_like(totals)
    np.subtract(totals[1:], totals[:-1], out=counts[1:])
    counts[0] = totals[0]
    return counts[::-1]


def _fit_note(fit: BinormalFit) -> str:
    se_a, se_b = np.sqrt(fit.covariance.diagonal())
    return (
        f"Fitted curve: a = {fit.a:.4g} (SE {se_a:.2g}), b = {fit.b:.4g} (SE {se_b:.2g}), "
        f"AUC {fit.auc:.4f} (SE {fit.auc_se:.2g})."
    )


def _check_note(check: FitCheck | None) -> str:
    if check is None:
        return "Too few cases, or too far apart, to check whether the scores are binormal."
    if check.p_value >= SUSPECT:
        return f"A check saw nothing against binormal scores (p = {check.p_value:.2g})."
    return Message(
        f"The scores do not look binormal (chi-square {check.statistic:.1f}, df {check.df}, "
        f"p = {check.p_value:.1g}): use {arg('method', 'likelihood')}."
    )


def _hook_notes(region: LineRegion) -> tuple[str, ...]:
    turns = region.turns
    if turns is None:
        return ()
    return (
        f"b is uncertain: the upper edge falls up to fpr {turns[0]:.2g}, "
        f"the lower edge from fpr {turns[1]:.2g} on.",
    )


@dataclass(frozen=True, eq=False)
class LineRegion:
    """What lies within k standard errors of a fitted line on the probit scale.

    Every binormal curve runs through (0, 0) and (1, 1), and so do both edges. Between them they are
    exact at any fpr. If k standard errors of the slope exceed the slope itself, the upper edge
    falls where fpr is small, and the lower edge where it is large; they are left as they are.
    """

    # the line; None if there is none: then the region is the whole square.
    fitted: BinormalFit | None
    k: float  # half the width, in standard errors

    @property
    def centre(self) -> Curve | None:
        """The fitted curve."""
        if self.fitted is None:
            return None
        return Curve(_EVEN, self._edge(self.fitted, _EVEN, 0.0))

    def lower_at(self, fpr: FloatArray) -> FloatArray:
        """Lower edge at each fpr."""
        return np.zeros_like(fpr) if self.fitted is None else self._edge(self.fitted, fpr, -self.k)

    def upper_at(self, fpr: FloatArray) -> FloatArray:
        """Upper edge at each fpr."""
        return np.ones_like(fpr) if self.fitted is None else self._edge(self.fitted, fpr, self.k)

    def edges(self) -> tuple[Curve, Curve]:
        """Both edges at 1,600 abscissae, even on the probit scale; no chord cuts a corner."""
        return Curve(_EVEN, self.lower_at(_EVEN)), Curve(_EVEN, self.upper_at(_EVEN))

    @property
    def turns(self) -> tuple[float, float] | None:
        """Where the upper edge stops falling and the lower one starts; None if they only rise."""
        if self.fitted is None:
            return None
        (_, cov_ab), (_, var_b) = self.fitted.covariance
        excess = self.k**2 * var_b - self.fitted.b**2
        if excess <= 0.0:
            return None
        narrowest, least = -cov_ab / var_b, np.linalg.det(self.fitted.covariance) / var_b
        away = self.fitted.b * math.sqrt(least / (var_b * excess))
        return float(ndtr(narrowest - away)), float(ndtr(narrowest + away))

    def contains(self, curve: Curve) -> bool:
        """Tell whether every point of `curve` lies inside.

        Vertices less than 0.1 apart on the probit scale are joined by straight lines there: exact
        for binormal curves, and within 0.01 of a probit for others. Longer pieces, as of steps and
        ties, are followed along the straight line in the square. Nothing is asked within 2e-14 of
        the corners, except at the curve's own vertices: a straight line into a corner would leave
        every band there.
        """
        return self.misses(curve) == (False, False)

    def misses(self, curve: Curve) -> tuple[bool, bool]:
        """Tell whether `curve` leaves above, and whether it leaves below.

        The curve's own rates are asked: sums and differences of rates would lose the digits that
        count near the corners.
        """
        if self.fitted is None:
            return False, False
        x, y = _followed(curve.x, curve.y)
        # A rate is known to a few units of its last digit; the curve has the benefit of them.
        return (
            self._leaves(self.fitted, _probit(x, _DIGITS), _probit(y, -_DIGITS), 1.0),
            self._leaves(self.fitted, _probit(x, -_DIGITS), _probit(y, _DIGITS), -1.0),
        )

    def _edge(self, fit: BinormalFit, fpr: FloatArray, k: float) -> FloatArray:
        within = (fpr > 0.0) & (fpr < 1.0)
        u = ndtri(np.where(within, fpr, 0.5))
        height = ndtr(fit.a + fit.b * u + k * np.sqrt(_variance(fit, u)))
        return np.where(within, height, fpr)

    def _leaves(self, fit: BinormalFit, u: FloatArray, v: FloatArray, side: float) -> bool:
        """Tell whether the polyline through (u, v) crosses the edge on the one side or the other.

        Along a straight piece the squared distance from the fitted line and the squared width of
        the band are both parabolas, so their difference has its maximum at an end or at its vertex.
        """
        # Nothing lies above the corner (1, 1) or the bottom, nothing below (0, 0) or the top.
        inside = np.isfinite(u) & np.isfinite(v)
        u, v = u[inside], v[inside]
        off = side * (v - fit.a - fit.b * u)
        width = self.k**2 * _variance(fit, u)
        excess = off**2 - width * (1.0 + SLACK)
        if ((off > 0.0) & (excess > 0.0)).any():
            return True
        along, aside = np.diff(u), np.diff(off)
        bend = aside**2 - self.k**2 * fit.covariance[1, 1] * along**2
        slope = np.diff(excess) - bend
        share = np.divide(-slope, 2.0 * bend, out=np.zeros_like(bend), where=bend < 0.0)
        peak = excess[:-1] + share * (slope + share * bend)
        between = (share > 0.0) & (share < 1.0)
        return bool((between & (off[:-1] + share * aside > 0.0) & (peak > 0.0)).any())


def _variance(fit: BinormalFit, u: FloatArray) -> FloatArray:
    (var_a, cov_ab), (_, var_b) = fit.covariance
    return np.asarray(var_a + u * (2.0 * cov_ab + u * var_b))


def _probit(rate: FloatArray, digits: int) -> FloatArray:
    """Probits after a nudge by some units in the last digit; far tails may have become 0."""
    nudge = digits * np.maximum(np.spacing(rate), 1e-300)
    return np.asarray(ndtri(np.clip(rate + nudge, 0.0, 1.0)))


def _followed(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Vertices, and further points of pieces that are long on the probit scale."""
    u, v = (np.clip(ndtri(rate), -_REACH, _REACH) for rate in (x, y))
    long = np.maximum(np.diff(u), np.diff(v)) > _LONG
    on_x, on_y = _crossings(x, y, long), _crossings(y, x, long)
    place = np.concatenate([on_x[0], on_y[0]])
    new_x, new_y = np.concatenate([on_x[1], on_y[2]]), np.concatenate([on_x[2], on_y[1]])
    order = np.lexsort([new_y, new_x])
    place, new_x, new_y = place[order], new_x[order], new_y[order]
    return np.insert(x, place, new_x), np.insert(y, place, new_y)


def _crossings(
    along: FloatArray, other: FloatArray, long: BoolArray
) -> tuple[IndexArray, FloatArray, FloatArray]:
    """Where long pieces cross the grid along the one axis: place in the polyline, and the point."""
    before = np.searchsorted(along, _GRID, side="right") - 1
    kept = (before >= 0) & (before < long.size)
    kept[kept] = long[before[kept]]
    at, before = _GRID[kept], before[kept]
    share = (at - along[before]) / (along[before + 1] - along[before])
    there = other[before] + share * (other[before + 1] - other[before])
    near = (there < _GRID[0]) | (there > _GRID[-1])
    return before[~near] + 1, at[~near], there[~near]


# The binormal fit. On a latent scale negatives are N(0, 1) and positives N(a/b, 1/b^2); all that is
# seen is the category each value falls into. Fisher scoring finds a, b and the cutpoints between
# the categories (Dorfman and Alf 1969, Journal of Mathematical Psychology 6, 487-496): the
# cutpoints' information is tridiagonal and (a, b) borders it, so an iteration takes time and memory
# in proportion to the number of categories.

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
    """Maximum likelihood of the line Phi^-1(tpr) = a + b Phi^-1(fpr)."""

    # a, b: intercept and slope.
    a: float
    b: float
    # (2, 2) of (a, b), from the expected information with all cutpoints estimated.
    covariance: FloatArray
    cutpoints: FloatArray  # (k - 1,) between the k truth runs, on the negatives' scale
    log_likelihood: float  # at the maximum, without the multinomial constants

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


def truth_runs(neg: CountArray, pos: CountArray) -> tuple[CountArray, CountArray]:
    """Merge neighbouring categories that contain the same one class; no information is lost."""
    some = (neg > 0) | (pos > 0)
    if not some.all():
        neg, pos = neg[some], pos[some]
    kind = (neg == 0).view(np.int8) - (pos == 0).view(np.int8)
    new = np.ones(kind.size, dtype=np.bool_)
    new[1:] = (kind[1:] != kind[:-1]) | (kind[1:] == 0)
    starts = np.flatnonzero(new)
    return np.add.reduceat(neg, starts), np.add.reduceat(pos, starts)


def fit_binormal(neg: CountArray, pos: CountArray) -> BinormalFit | NoFit:
    """Fit the line to the counts of both classes in ascending categories."""
    neg, pos = truth_runs(neg, pos)
    if neg.size <= 2:
        few = "a single level" if neg.size == 1 else "two runs only"
        return NoFit("few runs", f"the sorted classes make up {few}")
    if neg.size == 3 and not (neg.all() and pos.all()):
        return NoFit("empty cell", "the sorted classes make up three runs, not all of both classes")
    try:
        return _climb(_start(neg, pos), neg.astype(np.float64), pos.astype(np.float64))
    except np.linalg.LinAlgError:
        return NoFit("no convergence", "the information became singular")


def check_binormal(neg: CountArray, pos: CountArray) -> FitCheck | None:
    """Test the straight line against curved ones; None where there is too little to tell.

    A score test of the line against a + b u + c P2 + d P3, with P2 and P3 the second and third
    Legendre polynomial of the rank: does it bend, and does it bend both ways? Scores are put into
    groups that are equally full of both classes first, as with ungrouped scores the distribution of
    the statistic is far from chi-square in small samples.
    """
    neg, pos = truth_runs(*_group(neg, pos))
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
        counts = neg.astype(np.float64), pos.astype(np.float64)
        statistic = _information(at, *counts, shapes).solve().decrement
    except np.linalg.LinAlgError:
        return None
    return FitCheck(statistic, bends, float(chdtrc(bends, statistic)))


def _group(neg: CountArray, pos: CountArray) -> tuple[CountArray, CountArray]:
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
    """Where the search stands."""

    a: float
    b: float
    t: FloatArray

    @cached_property
    def cells(self) -> tuple[FloatArray, FloatArray]:
        """Probabilities of the categories, of negatives and of positives."""
        return _cells(self.t), _cells(self.b * self.t - self.a)

    def move(self, by: _Step, share: float) -> _Point:
        a, b = share * by.across[:2]
        return _Point(self.a + float(a), self.b + float(b), self.t + share * by.along)

    def log_likelihood(self, neg: FloatArray, pos: FloatArray) -> float:
        """Log-likelihood of the counts; minus infinity where the parameters make no sense."""
        if self.b <= 0 or not (self.t[1:] > self.t[:-1]).all():
            return -math.inf
        p, q = self.cells
        return float(xlogy(neg, p).sum() + xlogy(pos, q).sum())


class _Step(NamedTuple):
    schur: FloatArray
    across: FloatArray
    along: FloatArray
    decrement: float


class _Information(NamedTuple):
    """Expected information, tridiagonal with a border of a few rows, and the gradient."""

    diagonal: FloatArray
    beside: FloatArray
    border: FloatArray
    corner: FloatArray
    along: FloatArray
    across: FloatArray

    def solve(self) -> _Step:
        """Divide the gradient by the information; what is left of the corner comes with it."""
        from scipy.linalg import solveh_banded  # an eighth of a second to import

        band = np.zeros((2, self.diagonal.size))
        band[0], band[1, :-1] = self.diagonal, self.beside
        right = np.vstack([self.border, self.along]).T
        solved = solveh_banded(band, right, lower=True, overwrite_ab=True, overwrite_b=True)
        schur = self.corner - self.border @ solved[:, :-1]
        rest = self.across - self.border @ solved[:, -1]
        across = np.asarray(np.linalg.solve(schur, rest), dtype=np.float64)
        along = solved[:, -1] - solved[:, :-1] @ across
        return _Step(schur, across, along, float(self.across @ across + self.along @ along))


def _information(
    at: _Point, neg: FloatArray, pos: FloatArray, shapes: FloatArray | None = None
) -> _Information:
    """Information about the cutpoints, and about (a, b) and the size of each shape as border."""
    (p, q), m = at.cells, at.t.size
    n_neg, n_pos = neg.sum(), pos.sum()
    rows = 2 + (0 if shapes is None else len(shapes))
    diagonal, beside, along = np.empty(m), np.empty(m), np.empty(m)
    border, turn, weighted = np.empty((rows, m)), np.empty((rows, m + 1)), np.empty((rows, m + 1))
    pos_each = np.empty(m + 1)
    # Some thousand cutpoints at a time, so that what is computed on the way stays in the cache.
    for start in range(0, m, _AT_ONCE):
        stop = min(start + _AT_ONCE, m)
        own, cells = slice(start, stop), slice(start, stop + 1)
        first = max(start - 1, 0)  # cutpoints next to the first and to the last cell, if any
        t = at.t[first : stop + 1]
        dp, dz = _density(t), _density(at.b * t - at.a)
        borders = [-dz, t * dz]
        if shapes is not None:
            borders += list(shapes[:, first : stop + 1] * dz)
        dq = at.b * dz
        dp_here, dq_here = (side[start - first :][: stop - start] for side in (dp, dq))
        for row, values in enumerate(borders):
            turn[row, cells] = _rises(values)[start - first :][: stop - start + 1]
        # What one more case in a cell adds to the gradient, and a cell's share of the information.
        neg_each, own_each = _per(neg[cells], p[cells]), _per(pos[cells], q[cells])
        neg_all, pos_all = _per(n_neg, p[cells]), _per(n_pos, q[cells])
        pos_each[cells] = own_each
        heavy = weighted[:, cells] = turn[:, cells] * pos_all
        diagonal[own] = dp_here**2 * (neg_all[:-1] + neg_all[1:]) + dq_here**2 * (
            pos_all[:-1] + pos_all[1:]
        )
        # Between neighbours; the last cutpoint has none behind it.
        behind = min(stop + 1, m) - start
        by_neg = dp_here[: behind - 1] * dp[start - first + 1 :][: behind - 1]
        by_pos = dq_here[: behind - 1] * dq[start - first + 1 :][: behind - 1]
        beside[start : start + behind - 1] = -(
            by_neg * neg_all[1:behind] + by_pos * pos_all[1:behind]
        )
        border[:, own] = dq_here * (heavy[:, :-1] - heavy[:, 1:])
        along[own] = dp_here * (neg_each[:-1] - neg_each[1:]) + dq_here * (
            own_each[:-1] - own_each[1:]
        )
    across, corner = turn @ pos_each, weighted @ turn.T
    return _Information(diagonal, beside[:-1], border, corner, along, across)


def _start(neg: CountArray, pos: CountArray) -> _Point:
    """Line up the probits of both classes' cumulative counts."""
    zn, zp = (ndtri((np.cumsum(side)[:-1] + 0.5) / (side.sum() + 1.0)) for side in (neg, pos))
    b = float(np.clip(zp.std() / zn.std(), 0.2, 5.0))
    a = float(b * zn.mean() - zp.mean())
    return _Point(a, b, (zn + (zp + a) / b) / 2.0)


def _climb(at: _Point, neg: FloatArray, pos: FloatArray) -> BinormalFit | NoFit:
    """Fisher scoring; a step is halved until the likelihood does not fall."""
    height = at.log_likelihood(neg, pos)
    for _ in range(_ITERATIONS):
        step = _information(at, neg, pos).solve()
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
        if step.decrement < _CLOSE and gain < _CLOSE:
            return _finish(at, neg, pos, height)
    return NoFit("no convergence", "the search for the maximum did not come to rest")


def _finish(at: _Point, neg: FloatArray, pos: FloatArray, height: float) -> BinormalFit | NoFit:
    schur = _information(at, neg, pos).solve().schur
    covariance = np.asarray(np.linalg.inv(schur), dtype=np.float64)
    if np.abs(at.t).max() > _FAR or covariance.diagonal().max() > _LOOSE:
        return NoFit("runaway", "the likelihood has its maximum nowhere")
    return BinormalFit(at.a, at.b, covariance, at.t, height)


def _cells(cuts: FloatArray) -> FloatArray:
    """Probabilities of the cells between cutpoints, taken in the nearer tail: no cancellation."""
    tail = np.abs(cuts)
    ndtr(np.negative(tail, out=tail), out=tail)
    cells = _rises(tail)
    across = int(np.searchsorted(cuts, 0.0, side="right"))  # the cell that contains 0
    np.negative(cells[across + 1 :], out=cells[across + 1 :])
    low = ndtr(cuts[across - 1]) if across > 0 else 0.0
    cells[across] = (ndtr(cuts[across]) if across < cuts.size else 1.0) - low
    return cells


def _rises(values: FloatArray) -> FloatArray:
    """Differences of neighbours, with 0 before the first and behind the last."""
    rises = np.empty(values.size + 1)
    rises[0], rises[-1] = values[0], -values[-1]
    np.subtract(values[1:], values[:-1], out=rises[1:-1])
    return rises


def _density(z: FloatArray) -> FloatArray:
    density = -0.5 * z
    density *= z
    np.exp(density, out=density)
    density /= math.sqrt(2.0 * math.pi)
    return density


def _per(count: FloatArray | float, cell: FloatArray) -> FloatArray:
    """Divide counts by probabilities; 0 where a cell is too unlikely to tell anything."""
    return np.divide(count, cell, out=np.zeros_like(cell), where=cell > _NOTHING)
