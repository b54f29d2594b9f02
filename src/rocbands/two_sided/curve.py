"""The ROC curve of rules with two thresholds: positive if the score is low or high.

The curve. A(i) is the number of positives that can be called from below at the price of i false
positives, B(j) the number from above. The best rule with k false positives finds

    R(k) = max over i + j = k of A(i) + B(j)                                                (1)

positives: the empirical general ROC curve of Martinez-Camblor, Corral, Rey, Pascual and
Cernuda-Morollon (2017). All sums of a table of A and B are formed at once. With more than 256
negatives i and j are multiples of n/256, so the table stays small.

The area. The maximum is taken over every k on the same rows, so the area a under (1) is too large:
by .03 to .11 with 50 + 50 rows. One share g of the false positives below, the same for all k,
defines rules with little freedom. With u the share of negatives below a positive their area is the
mean over positives of

    1 - min(u / g, (1 - u) / (1 - g)),                                                      (2)

with u = (number below + 1/2) / (n + 1), so that the mean is 1/2 if scores say nothing. The area c
is (2) with g chosen in one half of the rows and applied to the other, in both directions and over
many halves. It is at most the true area on average, so the lower limit is c - z s and the upper
limit (a + c) / 2 + z s, where s^2 is the bootstrap variance of the largest (2) plus that of one
case, 1 / min(m, n)^2.

The test. d is c minus the area of the one-sided rule (g = 0 or g = 1) that is better in the half of
the choice. If one side is enough, no g is better than the better of both ends, and d is at most 0
on average. The p-value is that of d / s', one-sided, by Student's t with min(m, n) - 1 degrees of
freedom; s' is the bootstrap standard deviation of the difference between the two rules that are
best in all rows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.special import ndtri, stdtr

from rocbands.core.arguments import explain
from rocbands.core.attributes import Axes, Level, Number, Rate, type_columns
from rocbands.core.checks import (
    CountArray,
    FloatArray,
    IndexArray,
    check_level,
    check_resamples,
    check_rng,
)
from rocbands.core.columns import Column, Labels
from rocbands.core.curve import Curve
from rocbands.core.data import Data, as_roc_curve
from rocbands.core.method import Handling, Request
from rocbands.core.phrases import count_classes, in_100, usual_fpr
from rocbands.core.randomness import Rng, Simulation
from rocbands.core.result import document_plot, percent, require
from rocbands.core.roc import CurveFacts, RocCurve
from rocbands.core.thresholds import write_threshold, write_upper_threshold
from rocbands.errors import InputError, Message, call
from rocbands.resample.label_orders import draw_halves, draw_rows

HANDLING = Handling(
    "two_sided_curve",
    "two_sided",
    "best rule with a lower and an upper threshold at each false positive rate",
)
RESAMPLES = 1000
FEWEST = 4  # cases of a class: two in each half
_STEPS = 256  # of false positives
_CELLS = 1024  # of scores, in resamples
_SPLITS = 100
_CHUNK = 2_000_000  # array elements of a set of draws
_SHARES = np.linspace(0.0, 1.0, 21)  # g: the share of false positives from low scores
_CHOSEN = (
    "The area of the curve is optimistic, since thresholds were chosen on these rows; the "
    "estimate and its limits allow for the choice. The curve has no band."
)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TwoSidedCurve(CurveFacts):
    """Best rules with a lower and an upper threshold, and the area that such rules have.

    A row is called positive if its score is at most `threshold_lower` or at least
    `threshold_upper`.

    Attributes
    ----------
    fpr, tpr : ndarray of shape (k,)
        Rates of the best rule for each number of false positives, increasing; from 0 to 1.
    threshold_lower, threshold_upper : ndarray of shape (k,)
        The thresholds of these rules; -inf and inf call no row on that side.
    area : float
        Area under the empirical curve, which is optimistic.
    estimate, low, high : float
        Area that allows for the choice of the rules, and confidence limits of the true area.
    auc : float
        Area of the one-sided rule, for high or for low scores, whichever is larger.
    pvalue : float
        P-value of the test that one side is enough, by rules that are judged on other rows.
    level : float
        Nominal confidence level.
    target : str
        What the limits are for.
    n_pos, n_neg : int
        Class sizes.
    notes : tuple of str
        Notes on this curve.
    simulation : Simulation
        Seed, number of resamples and Monte Carlo errors.

    See Also
    --------
    rocbands.two_sided_curve : make one.
    """

    schema: ClassVar[str] = "rocbands.two-sided-curve/1"
    FACTS: ClassVar[str] = "area estimate low high auc pvalue level target n_pos n_neg notes"
    COLUMNS: ClassVar[Mapping[str, Any]] = type_columns(
        (Rate, "fpr tpr"), (Number, "threshold_lower threshold_upper")
    )

    fpr: FloatArray
    tpr: FloatArray
    threshold_lower: FloatArray
    threshold_upper: FloatArray
    area: Rate
    estimate: Rate
    low: Rate
    high: Rate
    auc: Rate
    pvalue: Rate
    level: Level
    roc: RocCurve
    target: str = "area under the true two-sided curve"
    notes: tuple[str, ...] = ()
    simulation: Simulation | None = None

    def _check(self) -> None:
        require(self.low <= self.estimate <= self.high, "The limits must contain the estimate.")
        for side in (self.fpr, self.tpr):
            require((np.diff(side) >= 0.0).all(), "The rates of the rules must not fall.")

    @property
    def sentence(self) -> str:
        """The rule at one false positive rate in words, and whether both sides are needed."""
        at = usual_fpr(self.n_pos, self.n_neg)
        rule = int(np.searchsorted(self.fpr, at + 1e-12, side="right")) - 1
        below, above = (float(side[rule]) for side in (self.threshold_lower, self.threshold_upper))
        parts = []
        if below > -math.inf:
            parts.append(f"of at most {write_upper_threshold(self.roc, below)}")
        if above < math.inf:
            parts.append(f"of at least {write_threshold(self.roc, above)}")
        alone = max(float(side.high(np.array(at))) for side in _list_sides(self.roc))
        found = in_100(float(self.tpr[rule])), in_100(alone, of="positives")
        needed = (
            "a rule with two sides is better than one with a single side"
            if self.pvalue <= 1.0 - self.level
            else "that two sides are better than one may be chance"
        )
        return (
            f"Values {' or '.join(parts) or 'that no row has'} find {found[0]} positives at a "
            f"false positive rate of {100 * self.fpr[rule]:.3g}%; on one side alone {found[1]} are "
            f"found at {100 * at:g}%. Overall, {needed}."
        )

    def describe(self) -> tuple[str, Mapping[str, Any]]:
        lines = [
            f"Area {self.estimate:.3f}, {percent(self.level)} confidence interval {self.low:.3f} "
            f"to {self.high:.3f}, of rules with two thresholds; {self.auc:.3f} with one.",
            f"Test whether two sides are better than one: p = {self.pvalue:.3g}.",
            f"Area under the curve of the best rules: {self.area:.3f}.",
            f"{count_classes(self.n_pos, self.n_neg)}.",
            *self.notes,
        ]
        at = np.searchsorted(self.fpr, np.linspace(0.0, 1.0, 11) + 1e-12, side="right") - 1
        rows = {name: side[np.unique(at)] for name, side in self.columns().items()}
        for name, write in (("lower", write_upper_threshold), ("upper", write_threshold)):
            cuts = rows[f"threshold_{name}"]
            rows[f"threshold_{name}"] = [
                write(self.roc, cut) if math.isfinite(cut) else str(cut) for cut in cuts
            ]
        return "\n".join(lines), rows

    def _brief(self) -> str:
        return (
            f"area {self.estimate:.4f}, {percent(self.level)} confidence interval {self.low:.4f} "
            f"to {self.high:.4f}"
        )

    @document_plot
    def plot(
        self,
        ax: Axes | None = None,
        *,
        label: str | None = None,
        color: Any = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        legend: bool | str = True,
    ) -> Axes:
        """Draw the two-sided curve, and the one-sided ROC curve as a thin line."""
        return self._draw(ax, label=label, color=color, curve_kwargs=curve_kwargs, legend=legend)


@explain
def two_sided_curve(
    y_true: Labels | Data,
    y_score: Column | None = None,
    *,
    positive: object = None,
    level: float = 0.95,
    n_resamples: int | None = None,
    rng: Rng = 0,
) -> TwoSidedCurve:
    """ROC curve of a marker whose low and high values both point to positives.

    At each false positive rate the best pair of thresholds is taken: a row is called positive if
    its score is at most the lower or at least the upper one.

    Parameters
    ----------
    y_true : Sample, RocCurve or ScoreCounts, or array-like of shape (n,)
        The data of one model; or two labels of any kind. At least four rows of each class.
    y_score : array-like of shape (n,), optional
        With labels, the scores.
    positive : object, optional
        With labels, the positive one; needed unless they are {0, 1}, {-1, 1} or booleans.
    level : float, default 0.95
        Confidence level of the limits of the area.
    n_resamples : int, optional
        Number of resamples; by default 1000.
    rng : None, int, SeedSequence or Generator, default 0
        Source of randomness: the seed of the draws; None draws a new one.

    Returns
    -------
    TwoSidedCurve
        The rules, their area with limits that allow for the choice of the rules, and a test
        whether two sides are better than one. The curve itself is optimistic and has no band.

    Notes
    -----
    The limits of the area are approximate, and wide on purpose: the lower one is for rules with
    one share of false positives below, chosen on other rows. Measured coverage:
    docs/other-curves.md.

    References
    ----------
    Martinez-Camblor, Corral, Rey, Pascual and Cernuda-Morollon (2017), Receiver operating
    characteristic curve generalization for non-monotone relationships, Statistical Methods in
    Medical Research 26, 113-123.

    Examples
    --------
    >>> import rocbands as rb
    >>> y = [1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1]
    >>> curve = rb.two_sided_curve(y, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], level=0.9)
    >>> float(curve.threshold_lower[0]), float(curve.threshold_upper[0]), float(curve.tpr[0])
    (3.0, 9.0, 1.0)
    >>> curve.area, curve.auc
    (1.0, 0.5)
    """
    roc = as_roc_curve(y_true, y_score, positive)
    HANDLING.check(roc)
    draws = RESAMPLES if n_resamples is None else n_resamples
    check_resamples(draws)
    request = Request(check_level(level), check_rng(rng))
    if min(roc.n_pos, roc.n_neg) < FEWEST:
        raise InputError(
            f"A two-sided curve needs at least {FEWEST} rows of each class, because rules are "
            "chosen in one half of the rows and judged in the other",
            f"there are {roc.n_pos} positives and {roc.n_neg} negatives",
            Message("For a one-sided rule see {}.", call("roc_band")),
        )
    area, judged = measure_area(roc), judge_rules(roc, draws, request.rng)
    estimate, low, high = judged.limit_area(area, request.level)
    fp, tp, below, above = find_rules(roc)
    return TwoSidedCurve(
        fpr=fp / roc.n_neg,
        tpr=tp / roc.n_pos,
        threshold_lower=below,
        threshold_upper=above,
        area=area,
        estimate=estimate,
        low=low,
        high=high,
        auc=max(roc.auc, 1.0 - roc.auc),
        pvalue=judged.pvalue,
        level=request.level,
        roc=roc,
        notes=(_CHOSEN,),
        simulation=request.simulated(draws, (high - low) / math.sqrt(8.0 * draws)),
    )


def find_rules(roc: RocCurve) -> tuple[CountArray, CountArray, FloatArray, FloatArray]:
    """Return false and true positives of the best rules, and their thresholds: formula (1)."""
    n_neg, n_steps = roc.n_neg, min(roc.n_neg, _STEPS)
    allowed = np.arange(n_steps + 1) * n_neg // n_steps
    sides = [_Side.of(roc, low) for low in (True, False)]
    step = [np.searchsorted(side.fp, allowed, side="right") - 1 for side in sides]
    (fp_low, tp_low), (fp_high, tp_high) = (
        (side.fp[at], side.tp[at]) for side, at in zip(sides, step, strict=True)
    )
    # Of rules with equally many true positives, the one with the fewest false positives.
    worth = [tp - fp / (2.0 * n_neg + 1.0) for fp, tp in ((fp_low, tp_low), (fp_high, tp_high))]
    best, _ = _maximise(*worth)
    rest = np.arange(n_steps + 1) - best
    fp, tp = fp_low[best] + fp_high[rest], tp_low[best] + tp_high[rest]
    low, high = sides[0].threshold[step[0][best]], sides[1].threshold[step[1][rest]]
    # All false positives: every row is called, from below.
    fp[-1], tp[-1], low[-1], high[-1] = n_neg, roc.n_pos, sides[0].threshold[-1], math.inf
    kept = np.append(True, tp[1:] > tp[:-1])
    kept[-1] = True
    return fp[kept], tp[kept], low[kept], high[kept]


def measure_area(roc: RocCurve) -> float:
    """Area under (1), tied scores of both classes counted one half.

    The area between k and k + 1 false positives is the height at k + 1/2; the half is spent on
    either side. Without ties it does not matter, and the area is the mean of R(0), ..., R(n - 1).
    """
    n_steps = 2 * min(roc.n_neg, _STEPS)
    rates = np.arange(n_steps + 1) / n_steps
    _, height = _maximise(*(side.high(rates) for side in _list_sides(roc)))
    return float(np.clip(height[1::2].mean(), 0.0, 1.0))


def _maximise(low: FloatArray, high: FloatArray) -> tuple[IndexArray, FloatArray]:
    """Return the best i, and the maximum, of low[i] + high[k - i] for each k."""
    k = np.arange(low.size)
    rest = k[:, None] - k
    sums = np.where(rest >= 0, low + high[np.maximum(rest, 0)], -np.inf)
    best = sums.argmax(axis=1)
    return best, sums[k, best]


def _list_sides(roc: RocCurve) -> tuple[Curve, Curve]:
    """Return the curves of rules that call low scores, and of those that call high ones."""
    low, high = (
        Curve(side.fp / roc.n_neg, side.tp / roc.n_pos)
        for side in (_Side.of(roc, True), _Side.of(roc, False))
    )
    return low, high


class _Side(NamedTuple):
    """Rules that call the lowest scores, or the highest: counts, and the last score called."""

    fp: CountArray
    tp: CountArray
    threshold: FloatArray

    @classmethod
    def of(cls, roc: RocCurve, low: bool) -> _Side:
        fp, tp = (np.append(0, side) for side in (roc.fp, roc.tp))
        scores = np.asarray(roc.thresholds, np.float64)
        if not low:
            return cls(fp, tp, np.append(math.inf, scores))
        return cls(fp[-1] - fp[::-1], tp[-1] - tp[::-1], np.append(-math.inf, scores[::-1]))


class Judgement(NamedTuple):
    """What resamples tell about rules with one share of false positives below."""

    cross_fitted: float  # area on rows other than those of the choice
    error: float  # standard error of the area
    pvalue: float

    def limit_area(self, area: float, level: float) -> tuple[float, float, float]:
        """Return the estimate of the true area and its limits; `area`: that of the best rules."""
        half = -float(ndtri((1.0 - level) / 2.0)) * self.error
        centre = min(self.cross_fitted, area)
        estimate = max((area + centre) / 2.0, 0.5)
        return estimate, max(centre - half, 0.5), min(estimate + half, 1.0)


def judge_rules(roc: RocCurve, draws: int, rng: np.random.Generator) -> Judgement:
    """Draw halves and resamples."""
    pos, neg = (np.diff(side, prepend=0) for side in (roc.tp, roc.fp))
    if pos.size > _CELLS:  # neighbouring scores are tied, in about equally many rows
        rows = np.cumsum(pos + neg)
        cell = np.searchsorted(np.arange(1, _CELLS) * rows[-1] / _CELLS, rows - 1, side="right")
        starts = np.unique(cell, return_index=True)[1]
        pos, neg = (np.add.reduceat(side, starts) for side in (pos, neg))
    halves = draw_halves(pos, neg, _SPLITS, rng)
    sides = _areas(*halves), _areas(pos - halves[0], neg - halves[1])
    split, crossed, gain = np.arange(_SPLITS), 0.0, 0.0
    for chosen, other in (sides, sides[::-1]):
        found = other[split, chosen.argmax(axis=1)]
        crossed += float(found.mean()) / 2.0
        gain += float((found - other[split, _choose_end(chosen)]).mean()) / 2.0
    size = max(1, _CHUNK // pos.size)
    counts = (min(size, draws - start) for start in range(0, draws, size))
    drawn = np.concatenate([_areas(*draw_rows(pos, neg, count, rng)) for count in counts])
    own = _areas(pos[None], neg[None])
    lead = drawn[:, own.argmax()] - drawn[:, _choose_end(own)[0]]
    least, spread = min(roc.n_pos, roc.n_neg), float(lead.std(ddof=1))
    return Judgement(
        crossed,
        math.hypot(float(drawn.max(axis=1).std(ddof=1)), 1.0 / least),
        float(stdtr(least - 1.0, -gain / spread)) if spread > 0.0 else 1.0,
    )


def _choose_end(areas: FloatArray) -> IndexArray:
    """Return the place of the better one-sided rule in each row."""
    return np.where(areas[:, 0] >= areas[:, -1], 0, _SHARES.size - 1)


def _areas(pos: CountArray, neg: CountArray) -> FloatArray:
    """Areas (2) of all shares g, for counts (draws, k) from the highest score down."""
    n_pos, n_neg = pos.sum(axis=1), neg.sum(axis=1, keepdims=True)
    above = (np.cumsum(neg, axis=1) - neg / 2.0 + 0.5) / (n_neg + 1.0)
    found = np.empty((pos.shape[0], _SHARES.size))
    for place, share in enumerate(_SHARES):
        # g = 0 spends everything above: a score is called at the rate of negatives above it.
        spent = above if share < 1.0 else 1.0 - above
        if 0.0 < share < 1.0:
            spent = np.minimum((1.0 - above) / share, above / (1.0 - share))
        found[:, place] = 1.0 - (pos * spent).sum(axis=1) / n_pos
    return found
