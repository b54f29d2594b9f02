"""What is asked of two classifiers, and what a method answers."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from rocbands.core.checks import CountArray, check_level
from rocbands.core.interval import Alternative, check_alternative
from rocbands.core.scores import Scores
from rocbands.errors import InputError

__all__ = ["Answer", "Pair", "Question", "ranks", "same_order", "wald"]


class Question(NamedTuple):
    """How sure one wants to be, on which side, and from which difference to tell the observed one.

    Attributes
    ----------
    level : float
        Confidence level.
    alternative : {'two-sided', 'less', 'greater'}
        On which side of `null` the difference may lie.
    null : float
        Difference that the test doubts.
    """

    level: float = 0.95
    alternative: Alternative = "two-sided"
    null: float = 0.0

    @classmethod
    def of(cls, level: Any, alternative: Any, margin: Any) -> Question:
        """Check the three; a margin asks whether model 1 is not worse by that much."""
        level, side = check_level(level), check_alternative(alternative)
        if margin is None:
            return cls(level, side)
        number = isinstance(margin, (int, float, np.number)) and not isinstance(margin, bool)
        if not number or not 0 < margin < 1:
            raise InputError(
                f"`margin` must be a number between 0 and 1; got {margin!r}. It is the loss that "
                "would still be acceptable, for example margin=0.05."
            )
        if side == "less":
            raise InputError(
                "`margin` asks whether model 1 is not worse than model 2, which is 'greater'; "
                "got alternative='less'. Exchange the models to ask the same of model 2."
            )
        return cls(level, "greater", -float(margin))

    @property
    def tail(self) -> float:
        """Probability of lying below an upper limit."""
        return (1.0 + self.level) / 2.0 if self.alternative == "two-sided" else self.level

    def limits(self, low: float, high: float, estimate: float) -> tuple[float, float]:
        """Keep the sides that were asked for; differences lie between -1 and 1."""
        low = -1.0 if self.alternative == "less" else max(-1.0, min(low, estimate))
        high = 1.0 if self.alternative == "greater" else min(1.0, max(high, estimate))
        return low, high


class Answer(NamedTuple):
    """What a method found; the estimates of both models where it came across them."""

    low: float
    high: float
    statistic: float
    pvalue: float
    standard_error: float | None = None
    df: float | None = None
    interval: str = ""
    notes: tuple[str, ...] = ()
    estimates: tuple[float, float] | None = None


@dataclass(frozen=True, eq=False)
class Pair:
    """Two models' scores: of the same rows, or each of its own.

    Attributes
    ----------
    one, two : Scores
        The models.
    paired : bool
        Whether row i of both is the same case.
    groups : ndarray of int, shape (n,), or None
        Which rows belong together.
    """

    one: Scores
    two: Scores
    paired: bool = True
    groups: CountArray | None = None

    @property
    def least(self) -> int:
        """Size of the smallest class."""
        return min(size for s in (self.one, self.two) for size in (s.n_pos, s.n_neg))

    def in_order(self) -> Pair:
        """Put the rows in an order that depends on what they hold, not on where they stood.

        Random draws then do not depend on the order of the rows either.
        """
        if not self.paired:
            one, two = (
                _taken(s, np.lexsort((s.values, s.is_positive))) for s in (self.one, self.two)
            )
            return Pair(one, two, paired=False)
        keys = [self.two.values, self.one.values, self.one.is_positive]
        if self.groups is not None:
            keys.append(self.groups)
        order = np.lexsort(keys)
        groups = None if self.groups is None else self.groups[order]
        return Pair(_taken(self.one, order), _taken(self.two, order), groups=groups)


def _taken(scores: Scores, rows: npt.NDArray[np.intp]) -> Scores:
    return replace(scores, is_positive=scores.is_positive[rows], values=scores.values[rows])


def ranks(values: npt.NDArray[Any]) -> CountArray:
    """Twice the midrank of each value, less two: whole numbers from 0.

    Examples
    --------
    >>> print(ranks(np.array([5.0, 1.0, 5.0, 7.0])))
    [3 0 3 6]
    """
    _, step, size = np.unique(values, return_inverse=True, return_counts=True)
    middle = 2 * np.cumsum(size) - size - 1
    found: CountArray = middle[step].astype(np.int64)
    return found


def same_order(pair: Pair) -> bool:
    """Tell whether both models order the same rows alike, ties included."""
    return pair.paired and bool(np.array_equal(ranks(pair.one.values), ranks(pair.two.values)))


def wald(
    estimate: float, standard_error: float, question: Question, df: float = math.inf
) -> tuple[float, float, float, float]:
    """Limits, statistic and p-value from a standard error, by the normal law or Student's.

    Examples
    --------
    >>> low, high, z, p = wald(0.1, 0.05, Question())
    >>> print(f"{low:.3f} {high:.3f} {z:.2f} {p:.4f}")
    0.002 0.198 2.00 0.0455
    """
    normal = math.isinf(df)
    reach = float(ndtri(question.tail) if normal else stdtrit(df, question.tail))
    half = reach * standard_error
    low, high = question.limits(estimate - half, estimate + half, estimate)
    gap = estimate - question.null
    statistic = gap / standard_error if standard_error > 0 else math.copysign(math.inf, gap)
    if standard_error == 0 and gap == 0:
        statistic = 0.0
    below = float(ndtr(statistic) if normal else stdtr(df, statistic))
    above = float(ndtr(-statistic) if normal else stdtr(df, -statistic))
    pvalue = {"less": below, "greater": above, "two-sided": min(1.0, 2.0 * min(below, above))}
    return low, high, statistic, pvalue[question.alternative]
