"""Working-Hotelling bands: a confidence band for a binormal curve, a line on the probit scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from scipy.special import ndtr, ndtri

from rocbands._math.binormal import (
    SUSPECT,
    BinormalFit,
    FitTest,
    NoFit,
    check_binormal,
    fit_binormal,
    truth_runs,
)
from rocbands.core.band import Band, BandMethod, Future, find_edge_error
from rocbands.core.checks import (
    BoolArray,
    FloatArray,
    IndexArray,
    check_flag,
    check_resamples,
    freeze,
)
from rocbands.core.curve import Curve
from rocbands.core.method import Coverage, Extra, Request
from rocbands.core.region import BetweenRegion, between_lines
from rocbands.core.roc import RocCurve
from rocbands.core.tolerance import SLACK
from rocbands.errors import InputError, Message, arg, warn
from rocbands.resample.curves import chunk_size
from rocbands.resample.distance import CurveDistance, find_standard_error
from rocbands.resample.quantiles import order_statistic, quantile_error
from rocbands.resample.streams import run_chunks

_BINORMAL = (
    "Assumes normal scores after some increasing transformation; where that is wrong, measured "
    "coverage was 0.31 to 0.50 at 0.95 with 40+40 and 15+150 cases, and the test found it in 0 to "
    "36% of these samples."
)
_FEW = "Few cases: with 12+13 binormal ones measured coverage was 0.85 to 0.89 at 0.95."
_FEW_CASES = 20
_MANY = 200  # cases of the smaller class from which the test has power
_DIGITS = 4  # tolerance of a rate, in units of its last digit
_LONG = 0.1  # on the probit scale: longer segments of a curve are subdivided
_FARTHEST = 7.6  # probit up to which they are subdivided: 2e-14 from the sides of the square
_GRID: FloatArray = ndtr(np.linspace(-_FARTHEST, _FARTHEST, 305))
_EVEN: FloatArray = freeze(
    np.unique(np.concatenate([[0.0], ndtr(np.linspace(-8.0, 8.0, 1601)), [1.0]]))
)
# Probits between which the cases of a future set are counted: rates at most .002 apart, and finer
# near 0 and 1.
_PROBITS: FloatArray = ndtri(np.union1d(np.arange(1, 500) / 500, ndtr(np.linspace(-7.5, 7.5, 301))))
_LEAST_SLOPE = 0.1  # of a drawn line, relative to the fitted one
_MOST_ROWS = 3_000  # of a future set; more are counted between thresholds
_HALVINGS = 33  # from 1 to below SLACK


@dataclass(frozen=True)
class WorkingHotelling(BandMethod):
    """Band of all lines on the probit scale that a binormal fit does not reject.

    If some increasing transform makes the scores of both classes normal, the ROC curve is a
    straight line on the probit scale: tpr = Phi(a + b u) with u = Phi^-1(fpr). Maximum likelihood
    on the order of the scores (:mod:`rocbands._math.binormal`) gives a, b and their covariance; the
    band is Phi(a + b u -/+ k s(u)) with s(u) the standard error of a + b u.

    Parameters
    ----------
    simultaneous : bool, default True
        If True, k^2 is a chi-square quantile with 2 degrees of freedom, and the level is for the
        whole line. If False, k is a normal quantile, and the level is pointwise.
    n_resamples : int, default 1000
        Number of test sets drawn from the fitted curve, for bands for a future set only.

    Notes
    -----
    If the scores are binormal, the coverage tends to the level as both classes grow. Otherwise
    there is no guarantee, and large samples make it worse. The fit is tested; if the scores do not
    look binormal, there is a note and a warning. In small samples the test has little power.

    If no line fits, as with separated classes, the band is the whole square.

    The curve of a future set has steps, which leave every band of lines at the corners of the
    square. A band for it is therefore made of points (x, y) of which two distances are small: z_1
    from the line, in standard errors of a + b u, and z_2 from the fitted curve, along a fixed
    direction, in standard errors of a curve of the future sizes. For both, one case is added to
    each class on either side of a threshold, so that probits are finite and no error is 0. The
    squares of both errors add up: z_1^-2 + z_2^-2 >= k^-2. Lines (a, b) are drawn from the normal
    distribution of the fit, and a future set from each; k is the quantile of the largest of these
    combined distances, at least that of the true curve. As the future set grows, the band tends to
    that of the true curve.

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
    guarantee: ClassVar[str] = (
        "the level in large samples of binormal scores (theorem; simulated for future curves), "
        "else none"
    )
    handles: ClassVar[tuple[Extra, ...]] = ("future",)
    assumes: ClassVar[str] = "binormal scores"
    idea: ClassVar[str] = "a line on the probit scale; narrowest if scores are binormal, else wrong"
    references: ClassVar[tuple[str, ...]] = (
        "Working and Hotelling (1929), Applications of the theory of error to the interpretation "
        "of trends, Journal of the American Statistical Association 24, 73-85.",
        "Ma and Hall (1993), Confidence bands for receiver operating characteristic curves, "
        "Medical Decision Making 13, 191-197.",
    )

    simultaneous: bool = True
    n_resamples: int = 1000

    def __post_init__(self) -> None:
        check_flag(self.simultaneous, "simultaneous")
        check_resamples(self.n_resamples)

    @property
    def fingerprint(self) -> dict[str, Any]:
        """The specification in studies; the usual number of draws is not part of it."""
        own = {"kind": type(self).__name__, "simultaneous": self.simultaneous}
        return own if self.n_resamples == 1000 else {**own, "n_resamples": self.n_resamples}

    @property
    def coverage(self) -> Coverage:  # type: ignore[override]
        """Whether the level is simultaneous or pointwise, by the parameter."""
        return "simultaneous" if self.simultaneous else "pointwise"

    def build_bands(self, roc: RocCurve, requests: Sequence[Request]) -> list[Band]:
        """Fit the line once; each level has its own multiple of the standard error."""
        if not self.simultaneous and any(ask.future for ask in requests):
            raise InputError(
                Message("{} is for the true curve only", arg("simultaneous", False)),
                Message("{} was given", arg("future")),
                Message("Use {}.", arg("simultaneous", True)),
            )
        neg, pos = (np.diff(counts, prepend=0)[::-1] for counts in (roc.fp, roc.tp))
        check = check_binormal(neg, pos)
        neg, pos = truth_runs(neg, pos)  # rebinding frees the counts of every score
        fit = fit_binormal(neg, pos)
        if isinstance(fit, NoFit):
            why = f"No binormal curve fits: {fit.reason}. The band is the whole square."
            factors = ((ask, self._find_factor(ask.level)) for ask in requests)
            return [
                Band(roc, LineRegion(None, k), ask.level, self, ask.future, notes=(why,))
                for ask, k in factors
            ]
        fitting = say_fit(check, min(roc.n_pos, roc.n_neg))
        if check is not None and check.p_value < SUSPECT:
            fitting = Message(
                "The scores do not look binormal (chi-square {:.1f}, df {}, p = {:.1g}): use {}.",
                check.statistic,
                check.df,
                check.p_value,
                arg("method", "likelihood"),
            )
            # The caller of roc_band, past build_bands, at_levels, __call__ and roc_band itself.
            warn(fitting)
        se_a, se_b = np.sqrt(fit.covariance.diagonal())
        fitted = (
            f"Fitted curve: a = {fit.a:.4g} (SE {se_a:.2g}), b = {fit.b:.4g} (SE {se_b:.2g}), "
            f"AUC {fit.auc:.4f} (SE {fit.auc_se:.2g})."
        )
        later = self._draw_later(fit, requests)
        bands = []
        for ask in requests:
            line = LineRegion(fit, self._find_factor(ask.level))
            notes: tuple[str, ...] = (*self.note_doubts(roc), fitted, fitting)
            if ask.future is None:
                if (turns := line.turns) is not None:
                    hooks = (
                        f"b is uncertain: the upper edge falls up to fpr {turns[0]:.2g}, "
                        f"the lower edge from fpr {turns[1]:.2g} on."
                    )
                    notes += (hooks,)
                band = Band(roc, line, ask.level, self, None, notes, line.centre)
            else:
                world, drawn = later[ask.future]
                # A future set only adds noise; draws may say otherwise.
                k = max(order_statistic(drawn, ask.level), line.k)
                off = float(quantile_error(drawn, ask.level)) / k
                region, moved = world.enclose(k, (1.0, 1.0 + off))
                said = f"{k:.3f} standard errors, from {self.n_resamples} samples of fitted curves."
                band = Band(
                    *(roc, region, ask.level, self, ask.future, (*notes, said), line.centre),
                    simulation=requests[0].simulated(
                        self.n_resamples, find_edge_error(region, moved)
                    ),
                )
            bands.append(replace(band, centre_name="fitted curve"))
        return bands

    def note_doubts(self, roc: RocCurve, future: Future = None) -> tuple[str, ...]:
        return (_BINORMAL, *((_FEW,) if min(roc.n_pos, roc.n_neg) < _FEW_CASES else ()))

    def _draw_later(
        self, fit: BinormalFit, requests: Sequence[Request]
    ) -> dict[Future, tuple[LaterCurves, FloatArray]]:
        """Draw curves of each future set, and find the largest distance of each."""
        found: dict[Future, tuple[LaterCurves, FloatArray]] = {}
        futures = list(dict.fromkeys(ask.future for ask in requests if ask.future is not None))
        for future in futures:
            # Every target starts from the same stream: a band does not depend on the others.
            rng = requests[0].rng if future == futures[-1] else deepcopy(requests[0].rng)
            world = LaterCurves(fit, *future)
            size = chunk_size(max(world.u.size, _MOST_ROWS))
            parts = run_chunks(world.draw_largest, self.n_resamples, rng, size=size)
            found[future] = world, np.concatenate(parts)
        return found

    def _find_factor(self, level: float) -> float:
        """Half the width of the band in standard errors."""
        if self.simultaneous:
            return math.sqrt(-2.0 * math.log1p(-level))
        return -float(ndtri(0.5 * (1.0 - level)))


def say_fit(check: FitTest | None, fewest: int) -> str:
    """Write what a test of the fit found; `fewest`: cases of the smaller class."""
    if check is None:
        return "Too few cases, or too well separated, to test whether the scores are binormal."
    power = f"; with {fewest} cases of a class it would miss most deviations"
    return f"A test of binormal scores has p = {check.p_value:.2g}{power * (fewest < _MANY)}."


@dataclass(frozen=True, eq=False)
class LineRegion:
    """Points within k standard errors of a fitted line on the probit scale.

    Both edges run through (0, 0) and (1, 1), as every binormal curve does, and are exact at any
    fpr. If k standard errors of the slope exceed the slope, the upper edge decreases at small fpr
    and the lower edge at large fpr; they are not made monotone.
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
        """Both edges at 1,600 abscissae, equally spaced on the probit scale."""
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
        for binormal curves, and within 0.01 of a probit for others. Longer segments, such as steps
        and ties, are followed along the straight line in the square. Within 2e-14 of the corners
        only the curve's own vertices are tested, because a straight line into a corner leaves every
        band.
        """
        return self.misses(curve) == (False, False)

    def misses(self, curve: Curve) -> tuple[bool, bool]:
        """Tell whether `curve` leaves above, and whether it leaves below.

        The curve's own rates are used, because sums and differences would lose digits near the
        corners.
        """
        if self.fitted is None:
            return False, False
        x, y = _followed(curve.x, curve.y)
        # Rates have rounding errors of a few units in the last digit, which are tolerated.
        return (
            self._leaves(self.fitted, _probit(x, _DIGITS), _probit(y, -_DIGITS), 1.0),
            self._leaves(self.fitted, _probit(x, -_DIGITS), _probit(y, _DIGITS), -1.0),
        )

    def _edge(self, fit: BinormalFit, fpr: FloatArray, k: float) -> FloatArray:
        within = (fpr > 0.0) & (fpr < 1.0)
        u = ndtri(np.where(within, fpr, 0.5))
        height = ndtr(fit.a + fit.b * u + k * np.sqrt(fit.variance_at(u)))
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
        width = self.k**2 * fit.variance_at(u)
        excess = off**2 - width * (1.0 + SLACK)
        if ((off > 0.0) & (excess > 0.0)).any():
            return True
        # At a share s of a piece the excess is e + slope s + curvature s^2.
        along, aside = np.diff(u), np.diff(off)
        curvature = aside**2 - self.k**2 * fit.covariance[1, 1] * along**2
        slope = np.diff(excess) - curvature
        falls = curvature < 0.0
        share = np.divide(-slope, 2.0 * curvature, out=np.zeros_like(slope), where=falls)
        peak = excess[:-1] + share * (slope + share * curvature)
        between = (share > 0.0) & (share < 1.0)
        return bool((between & (off[:-1] + share * aside > 0.0) & (peak > 0.0)).any())


@dataclass(frozen=True, eq=False)
class LaterCurves:
    """Empirical curves of future sets around a fitted line, and regions for them.

    A distance combines that from the line, in standard errors of the line, with that from the
    fitted curve, in standard errors of a curve of the future sizes: z_1 z_2 / hypot(z_1, z_2).
    """

    fit: BinormalFit
    n_pos: int  # sizes of a future set
    n_neg: int

    @cached_property
    def u(self) -> FloatArray:
        """Probits of the fpr at thresholds that divide both classes finely."""
        return np.union1d(_PROBITS, (_PROBITS - self.fit.a) / self.fit.b)

    @cached_property
    def metric(self) -> CurveDistance:
        """Distance from the fitted curve along the ratio of the rates' standard errors."""
        inside = (self.u, self.fit.a + self.fit.b * self.u)
        curve = Curve(*(np.concatenate(([0.0], ndtr(one), [1.0])) for one in inside))
        slope = math.sqrt(self.n_neg / self.n_pos)
        return CurveDistance(
            curve, slope, find_standard_error(curve, slope, self.n_neg, self.n_pos)
        )

    def measure(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Find the combined distance of each point."""
        # With one case more on either side of a threshold, the probits of counts are finite.
        u, v = (ndtri((k * r + 1.0) / (k + 2.0)) for k, r in ((self.n_neg, x), (self.n_pos, y)))
        side = np.sign(self.metric.northwest(x, y))
        above = np.maximum(side * (v - self.fit.a - self.fit.b * u), 0.0)
        line, curve = above / np.sqrt(self.fit.variance_at(u)), self.metric.distance(x, y)
        return np.asarray(line * curve / np.maximum(np.hypot(line, curve), 1e-300))

    def draw_largest(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """Draw a line for each future set, its cases, and its largest distance.

        Few cases are drawn one by one. Many are counted between thresholds, and the curve is
        followed there only, in steps that are small compared to its noise.
        """
        a, b = rng.multivariate_normal((self.fit.a, self.fit.b), self.fit.covariance, draws).T
        b = np.maximum(b, _LEAST_SLOPE * self.fit.b)
        a, b, sizes = a[:, None], b[:, None], (self.n_neg, self.n_pos)
        if sum(sizes) <= _MOST_ROWS:
            neg, pos = (rng.standard_normal((draws, size)) for size in sizes)
            order = np.argsort(np.hstack([neg, (pos - a) / b]), axis=1)  # from the highest score
            steps: list[Any] = [order < self.n_neg, order >= self.n_neg]
        else:
            above = ndtr(self.u), ndtr(a + b * self.u)
            cells = (np.diff(rate, prepend=0.0, append=1.0) for rate in above)
            steps = [rng.multinomial(*one, draws) for one in zip(sizes, cells, strict=True)]
        x, y = (np.cumsum(one, 1) / size for one, size in zip(steps, sizes, strict=True))
        return np.asarray(self.measure(x, y).max(axis=1))

    def enclose(self, k: float, stretches: tuple[float, ...] = (1.0,)) -> list[BetweenRegion]:
        """Regions of all points at a distance of at most k, and of some multiples of its width."""
        slope, knots = self.metric.slope, self.metric.knots
        c = np.union1d(knots, [1.0, slope])  # also lines through two corners of the square
        x = np.interp(c, knots, self.metric.curve.x)
        y, side = c - slope * x, np.array([[-1.0], [1.0]])
        high = np.stack([np.minimum(x, (1.0 - y) / slope), np.minimum(1.0 - x, y / slope)])
        low = np.zeros_like(high)
        # Where even the side of the square is within reach, every step moves towards it.
        for _ in range(_HALVINGS):
            middle = (low + high) / 2.0
            at = x + side * middle, y - side * slope * middle
            inside = self.measure(*(np.clip(rate, 0.0, 1.0) for rate in at)) <= k
            low, high = np.where(inside, middle, low), np.where(inside, high, middle)
        return [between_lines(c, x - by * high[0], x + by * high[1], slope) for by in stretches]


def _probit(rate: FloatArray, digits: int) -> FloatArray:
    """Probits of rates shifted by some units in the last digit."""
    nudge = digits * np.maximum(np.spacing(rate), 1e-300)
    return np.asarray(ndtri(np.clip(rate + nudge, 0.0, 1.0)))


def _followed(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Vertices, and further points of segments that are long on the probit scale."""
    u, v = (np.clip(ndtri(rate), -_FARTHEST, _FARTHEST) for rate in (x, y))
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
    """Crossings of long segments with the grid of one axis: position in the polyline, and point."""
    before = np.searchsorted(along, _GRID, side="right") - 1
    kept = (before >= 0) & (before < long.size)
    kept[kept] = long[before[kept]]
    at, before = _GRID[kept], before[kept]
    share = (at - along[before]) / (along[before + 1] - along[before])
    there = other[before] + share * (other[before + 1] - other[before])
    near = (there < _GRID[0]) | (there > _GRID[-1])
    return before[~near] + 1, at[~near], there[~near]
