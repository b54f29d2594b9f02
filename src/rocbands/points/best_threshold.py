"""The best threshold, with limits that include its choice on the same rows.

A threshold chosen on n rows misses the population's best one by about n^(-1/3) (Kim and Pollard
1990), and the ordinary bootstrap of an argmax is not consistent (Abrevaya and Huang 2005). So test
sets are drawn from a smooth curve, whose best point p is known. Each draw has a chosen point b.

* A threshold could be the population's best if it is worse than the chosen one by at most the
  quantile of how much worse p is than b.
* The true rates of the chosen threshold have Wilson's limits, with quantiles of the errors at b in
  place of normal quantiles where those are larger; the best index has limits of the same kind.
* The rates of the population's best threshold: the range over thresholds that could be best, and
  Wilson's limits at its ends, combined like standard errors (MOVER).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from scipy.special import ndtri

from rocbands.core.arguments import explain
from rocbands.core.attributes import Axes, Level, Number, Rate, type_columns
from rocbands.core.checks import FloatArray, check_choice, check_level, check_resamples, check_rng
from rocbands.core.columns import Column, Labels
from rocbands.core.data import Data, as_roc_curve
from rocbands.core.method import Handling, Request
from rocbands.core.phrases import choose_digits, count_classes
from rocbands.core.randomness import Rng, Simulation
from rocbands.core.result import RocAxis, document_plot, percent, require
from rocbands.core.roc import CurveFacts, RocCurve
from rocbands.core.score_variance import find_ends
from rocbands.core.thresholds import write_thresholds
from rocbands.design.effective_number import find_effective
from rocbands.design.row_design import RowDesign
from rocbands.points.thresholds import CORNER, ErrorWeights, find_best_steps
from rocbands.resample.curves import Rates, RowSource, measure_resamples
from rocbands.resample.population import MOST_SMOOTHED, Population, smooth_thresholds
from rocbands.resample.quantiles import check_enough_draws, interval_error, order_statistic

Criterion: TypeAlias = Literal["youden", "corner"]

HANDLING = Handling(
    "best_threshold",
    "points",
    "the threshold that is best on these rows, with limits that include its choice",
    ("clusters", "weights", "class weights", "strata"),
)
_WEIGHTED = "Weighted rows: measured coverage was 0.90 or more at 0.95."
_POINTS = 1001  # points of the smooth curve, or
_FINE = 20.0  # as many times the cube root of the number of rows
_MOST_RATIO = 1e100
_INDEX = {"youden": "index", "corner": "distance"}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class BestThreshold(CurveFacts):
    """The best threshold of a curve, and limits that include its choice.

    Attributes
    ----------
    threshold : float
        The best one on these rows, the highest of several: a row is called positive when its
        score >= threshold; inf calls none positive.
    threshold_low, threshold_high : float
        Limits for the population's best threshold; infinite where the rows do not limit it.
    sensitivity, specificity : float
        Rates of `threshold` on these rows, which are optimistic.
    sensitivity_low, sensitivity_high, specificity_low, specificity_high : float
        Limits for the true rates of `threshold`, the one that was chosen here.
    best_sensitivity_low, best_sensitivity_high : float
        Limits for the sensitivity of the population's best threshold.
    best_specificity_low, best_specificity_high : float
        Limits for its specificity.
    index, index_low, index_high : float
        The criterion at `threshold`, and limits for its best value in the population. 'youden':
        tpr - ratio * fpr; 'corner': the root of (1 - tpr)^2 + ratio * fpr^2.
    optimism : float
        By how much the index of a chosen threshold was better than its true one, on average over
        resamples.
    criterion : {'youden', 'corner'}
        What the threshold is best by.
    ratio : float
        Weight of the false positive rate, from the costs and the prevalence; 1 by default.
    level : float
        Nominal confidence level of each pair of limits.
    roc : RocCurve
        The curve.
    n_pos, n_neg : int
        Class sizes.
    notes : tuple of str
        What the reader should know.
    simulation : Simulation or None
        Seed, number of resamples and Monte Carlo error of the limits of the rates.

    See Also
    --------
    rocbands.best_threshold : compute it.
    """

    schema: ClassVar[str] = "rocbands.best-threshold/2"
    FACTS: ClassVar[str] = (
        "criterion ratio level threshold threshold_text threshold_low threshold_high sensitivity "
        "sensitivity_low sensitivity_high specificity specificity_low specificity_high "
        "best_sensitivity_low best_sensitivity_high best_specificity_low best_specificity_high "
        "index index_low index_high optimism n_pos n_neg notes"
    )
    COLUMNS: ClassVar[Mapping[str, Any]] = type_columns(
        (str, "quantity"), (Number, "estimate low high")
    )

    roc: RocCurve
    criterion: Criterion
    ratio: float
    level: Level
    threshold: Number
    threshold_low: Number
    threshold_high: Number
    sensitivity: Rate
    sensitivity_low: Rate
    sensitivity_high: Rate
    specificity: Rate
    specificity_low: Rate
    specificity_high: Rate
    best_sensitivity_low: Rate
    best_sensitivity_high: Rate
    best_specificity_low: Rate
    best_specificity_high: Rate
    index: float
    index_low: float
    index_high: float
    optimism: float
    notes: tuple[str, ...] = ()
    simulation: Simulation | None = None

    def _check(self) -> None:
        for name in ("threshold", "sensitivity", "specificity", "index"):
            low, value, high = (getattr(self, name + end) for end in ("_low", "", "_high"))
            require(low <= value <= high, f"Limits must contain the {name}.")

    def columns(self) -> Mapping[str, Any]:
        chosen, best = "of the chosen threshold", "of the best threshold"
        rows = [
            ("best threshold", "threshold", "threshold"),
            (f"sensitivity {chosen}", "sensitivity", "sensitivity"),
            (f"specificity {chosen}", "specificity", "specificity"),
            (f"sensitivity {best}", "sensitivity", "best_sensitivity"),
            (f"specificity {best}", "specificity", "best_specificity"),
            (f"best {_INDEX[self.criterion]}", "index", "index"),
        ]
        return {
            "quantity": [text for text, _, _ in rows],
            "estimate": [getattr(self, name) for _, name, _ in rows],
            "low": [getattr(self, f"{name}_low") for _, _, name in rows],
            "high": [getattr(self, f"{name}_high") for _, _, name in rows],
        }

    @property
    def threshold_text(self) -> str:
        """The chosen threshold as text that makes the same calls on these rows."""
        return self._cuts[0]

    @property
    def _cuts(self) -> list[str]:
        """The chosen threshold and its limits as text."""
        return write_thresholds(self.roc, (self.threshold, self.threshold_low, self.threshold_high))

    @property
    def _goal(self) -> str:
        weight = "" if self.ratio == 1.0 else f"{self.ratio:.4g} times "
        if self.criterion == "corner":
            return "is closest to the corner (0, 1)" + (f", with {weight}fpr^2" if weight else "")
        return f"maximises tpr - {weight}fpr"

    @property
    def sentence(self) -> str:
        """The threshold, where the best one may be, and what the chosen one achieves."""
        chosen, low, high = self._cuts
        where = {
            (True, True): f"the population's best threshold lies between {low} and {high}",
            (True, False): f"the population's best threshold is at least {low}",
            (False, True): f"the population's best threshold is at most {high}",
            (False, False): "the rows do not limit the population's best threshold",
        }[np.isfinite(self.threshold_low), np.isfinite(self.threshold_high)]
        cut = f"Threshold {chosen}"
        cut = "A threshold above all scores" if np.isposinf(self.threshold) else cut
        return (
            f"{cut} {self._goal} on these rows; {where}. At the chosen threshold sensitivity is "
            f"{self._say('sensitivity')} and specificity {self._say('specificity')}, the choice "
            "included."
        )

    def _say(self, name: str) -> str:
        value, low, high = (float(getattr(self, name + end)) for end in ("", "_low", "_high"))
        digits = 2 + choose_digits(100.0 * value, 100.0 * (high - low))
        return f"{value:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"

    def describe(self) -> tuple[str, Mapping[str, Any]]:
        best = _INDEX[self.criterion]
        lines = (
            f"{percent(self.level)} confidence limits from resamples of a smooth curve; the level "
            "is for each row alone.",
            "Chosen threshold: its true rates. Best threshold: the one that is best in the "
            "population, and its rates.",
            f"{count_classes(self.n_pos, self.n_neg)}. A chosen threshold looks better than "
            f"it is, in its {best} by {self.optimism:.2g} on average.",
        )
        rows = {name: list(column) for name, column in self.columns().items()}
        for cut, name in zip(self._cuts, ("estimate", "low", "high"), strict=True):
            rows[name] = [cut, *(f"{number:.4f}" for number in rows[name][1:])]
        return "\n".join([*lines, *self.notes]), rows

    def _brief(self) -> str:
        cut, low, high = self._cuts
        return (
            f"best threshold ({self.criterion}) {cut}, {percent(self.level)} confidence limits "
            f"{low} to {high}"
        )

    @document_plot
    def plot(
        self,
        ax: Axes | None = None,
        *,
        x: RocAxis = "fpr",
        log: bool = False,
        label: str | None = None,
        color: Any = None,
        curve_kwargs: Mapping[str, Any] | None = None,
        point_kwargs: Mapping[str, Any] | None = None,
        legend: bool | str = True,
    ) -> Axes:
        """Draw the chosen point with whiskers, and the thresholds that could be best."""
        return self._draw(
            ax,
            x=x,
            log=log,
            label=label,
            color=color,
            curve_kwargs=curve_kwargs,
            point_kwargs=point_kwargs,
            legend=legend,
        )


class _Aim(NamedTuple):
    """What is optimised, written as a loss of both rates, and its standard error."""

    criterion: Criterion
    ratio: float
    n_pos: int  # effective numbers
    n_neg: int

    def lose(self, fpr: Any, tpr: Any) -> Any:
        """Return the loss: -(tpr - ratio fpr), or the distance from the corner."""
        if self.criterion == "youden":
            return self.ratio * fpr - tpr
        return np.sqrt((1.0 - tpr) ** 2 + self.ratio * fpr**2)

    def find_error(self, fpr: Any, tpr: Any) -> Any:
        """Return the standard error of the loss: one case of either kind is added to a class."""
        x = (self.n_neg * fpr + 1.0) / (self.n_neg + 2.0)
        y = (self.n_pos * tpr + 1.0) / (self.n_pos + 2.0)
        slopes = self.ratio, 1.0
        if self.criterion == "corner":
            slopes = self.ratio * x / self.lose(x, y), (1.0 - y) / self.lose(x, y)
        spread = x * (1.0 - x) / self.n_neg, y * (1.0 - y) / self.n_pos
        return np.sqrt(slopes[0] ** 2 * spread[0] + slopes[1] ** 2 * spread[1])

    def limit_index(self, fpr: float, tpr: float, below: float, above: float) -> dict[str, float]:
        """Limits of the best index; `below`, `above`: quantiles of errors of the loss."""
        loss, error = float(self.lose(fpr, tpr)), float(self.find_error(fpr, tpr))
        # Thresholds beyond all scores have a known loss.
        most = min(float(self.lose(0.0, 0.0)), float(self.lose(1.0, 1.0)))
        low, high = loss - below * error, max(min(loss + above * error, most), loss)
        if self.criterion == "corner":
            return {"index": loss, "index_low": max(low, 0.0), "index_high": high}
        return {"index": 0.0 - loss, "index_low": 0.0 - high, "index_high": min(-low, 1.0)}


@explain
def best_threshold(
    y_true: Labels | Data,
    y_score: Column | None = None,
    *,
    positive: object = None,
    criterion: Criterion = "youden",
    costs: tuple[float, float] | None = None,
    prevalence: float | None = None,
    level: float = 0.95,
    n_resamples: int = 2000,
    rng: Rng = 0,
) -> BestThreshold:
    """Find the best threshold, and limits that include that it was chosen on the same rows.

    Parameters
    ----------
    y_true : Sample, RocCurve or ScoreCounts, or array-like of shape (n,)
        The data of one model; or two labels of any kind.
    y_score : array-like of shape (n,), optional
        With labels, the scores; a larger one means more positive.
    positive : object, optional
        With labels, the positive one; needed unless they are {0, 1}, {-1, 1} or booleans.
    criterion : {'youden', 'corner'}, default 'youden'
        'youden': largest tpr - fpr. 'corner': closest to (0, 1).
    costs : (float, float), default (1, 1)
        Costs of a false negative and of a false positive.
    prevalence : float, default 0.5
        Fraction of positives where the threshold will be used. The false positive rate has the
        weight c_fp (1 - prevalence) / (c_fn prevalence).
    level : float, default 0.95
        Confidence level, strictly between 0 and 1, of each pair of limits.
    n_resamples : int, default 2000
        Number of resamples.
    rng : None, int, SeedSequence or Generator, default 0
        Source of randomness: the seed of the draws; None draws a new one.

    Returns
    -------
    BestThreshold
        The threshold; limits for the population's best threshold, for its rates and its index, and
        for the true rates of the threshold that was chosen.

    See Also
    --------
    rocbands.operating_points : rates of thresholds that were fixed before, or on other rows.

    Notes
    -----
    The limits are approximate: they come from resamples of a smooth curve fitted to the rows.
    docs/points.md has their measured coverage, beside that of the ordinary bootstrap.

    Examples
    --------
    >>> import rocbands as rb
    >>> found = rb.best_threshold(rb.load_example()["logistic"])
    >>> round(found.threshold, 3), round(found.sensitivity_low, 2), round(found.sensitivity_high, 2)
    (0.402, 0.72, 0.85)
    """
    level = check_level(level)
    check_choice(criterion, get_args(Criterion), "criterion", CORNER)
    check_resamples(n_resamples)
    check_enough_draws(n_resamples, (1.0 - level) / 2.0, level)
    errors = ErrorWeights.from_arguments(costs, prevalence, "best", criterion)
    roc = as_roc_curve(y_true, y_score, positive)
    HANDLING.check(roc)
    ratio = float(np.clip(errors.compute_ratio(roc), 1.0 / _MOST_RATIO, _MOST_RATIO))
    steps = find_best_steps(roc, criterion, errors)
    at = int(steps[0])
    sizes, design_notes = _find_sizes(roc, at)
    aim = _Aim(criterion, ratio, *sizes)
    request = Request(level, check_rng(rng))
    drawn = _draw_choices(roc, aim, n_resamples, request.rng)
    loss = aim.lose(roc.fpr, roc.tpr)
    if np.isposinf(roc.thresholds[0]):
        loss[0] = np.inf  # no threshold lies above an infinite score
    could = np.flatnonzero(loss <= loss[at] + order_statistic(drawn[:, 0], level) + 1e-12)
    first, last = int(could[0]), int(could[-1])
    cuts = np.concatenate(([np.inf], roc.thresholds))
    z = -float(ndtri((1.0 - level) / 2.0))
    # Quantiles of errors, never below those of a threshold that was not chosen.
    above, below = (
        np.maximum([order_statistic(part, (1.0 + level) / 2.0) for part in sign * drawn.T], z)
        for sign in (1.0, -1.0)
    )
    found: dict[str, Any] = {}
    sides = ("sensitivity", roc.tpr, aim.n_pos), ("specificity", 1.0 - roc.fpr, aim.n_neg)
    for i, (name, rates, size) in enumerate(sides, 1):
        rate, ends = float(rates[at]), sorted((float(rates[first]), float(rates[last])))
        low, high = (find_ends(rate, 1.0 / size, float(side[i])) for side in (above, below))
        far = [find_ends(end, 1.0 / size, z)[side] - end for side, end in enumerate(ends)]
        down, up = (float(np.hypot(end - rate, more)) for end, more in zip(ends, far, strict=True))
        found |= {name: rate, f"{name}_low": low[0], f"{name}_high": high[1]}
        found[f"best_{name}_low"] = max(rate - down, 0.0)
        found[f"best_{name}_high"] = min(rate + up, 1.0)
    root = np.sqrt(sizes)
    ties = (f"{steps.size} thresholds are equally good; the highest is taken.",)
    return BestThreshold(
        roc=roc,
        criterion=criterion,
        ratio=ratio,
        level=level,
        threshold=float(cuts[at]),
        threshold_low=-np.inf if last == cuts.size - 1 else float(cuts[last]),
        threshold_high=float(cuts[first]),
        optimism=float(drawn[:, 4].mean()),
        notes=(
            *(ties if steps.size > 1 else ()),
            *design_notes,
            *((_WEIGHTED,) if "weights" in roc.design else ()),
            *roc.score_notes,
        ),
        # The standard error of a rate is at most 1 / (2 sqrt(size)).
        simulation=request.simulated(
            n_resamples, interval_error(drawn[:, 1:3] / 2.0 / root, level)
        ),
        **found,
        **aim.limit_index(float(roc.fpr[at]), float(roc.tpr[at]), float(below[3]), float(above[3])),
    )


def _find_sizes(roc: RocCurve, at: int) -> tuple[tuple[int, int], tuple[str, ...]]:
    """Effective numbers of positives and negatives for the rates at a step, and notes on them."""
    if roc.independent:
        sizes: tuple[float, float] = roc.n_pos, roc.n_neg
        notes: tuple[str, ...] = ()
    else:
        design = RowDesign.of_curve(roc)
        above = (np.arange(roc.fp.size) < at).astype(np.float64)
        called = design.place(above, above)
        pos, neg = (find_effective(design, side, called)[0] for side in (design.pos, design.neg))
        sizes = pos, neg
        notes = design.describe({"positives": (roc.n_pos, pos), "negatives": (roc.n_neg, neg)})
    pos, neg = (min(max(round(size), 1), MOST_SMOOTHED) for size in sizes)
    return (pos, neg), notes


def _draw_choices(
    roc: RocCurve, aim: _Aim, n_resamples: int, rng: np.random.Generator
) -> FloatArray:
    """Draw test sets from a smooth curve, choose on each, and return the errors of the choice.

    Columns: how much worse the curve's best point is than the chosen one; errors of the rates of
    the chosen threshold, in standard errors; error of the chosen index for the curve's best, in
    standard errors; optimism of the chosen index.
    """
    rows = Population(roc.fpr * aim.n_neg, roc.tpr * aim.n_pos)
    points = int(_FINE * (aim.n_pos + aim.n_neg) ** (1.0 / 3.0))
    smooth = smooth_thresholds(rows, max(_POINTS, points))
    x, y = smooth.neg, smooth.pos
    true = aim.lose(x, y)
    best = int(np.argmin(true))

    def choose(drawn: Rates) -> FloatArray:
        loss = aim.lose(drawn.x, drawn.y)
        every = np.arange(len(loss))
        at = np.argmin(loss, axis=1)
        least, fpr, tpr = loss[every, at], drawn.x[every, at], drawn.y[every, at]
        columns = (
            loss[:, best] - least,
            _scale(tpr - y[at], y[at], aim.n_pos),
            _scale(x[at] - fpr, x[at], aim.n_neg),
            (true[best] - least) / aim.find_error(fpr, tpr),
            true[at] - least,
        )
        return np.column_stack(columns)

    source = RowSource(smooth, sizes=(aim.n_neg, aim.n_pos))
    return measure_resamples(source, n_resamples, rng, choose)


def _scale(error: FloatArray, share: FloatArray, size: int) -> FloatArray:
    """Errors of shares in standard errors."""
    return np.asarray(error / np.sqrt(np.maximum(share * (1.0 - share), 1e-12) / size))
