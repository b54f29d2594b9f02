"""Recall at rates from counts: of any number of rows, and of rows whose scores lie in bins.

Moving positives up the ranking can only move positives into the first k cases. So at every rate the
law of their number lies between the laws of the two extreme curves. Both can be drawn with the same
cases in every bin; then only the bin that case k falls into can tell them apart, by no more than it
has of the rarer class. That bounds the difference of the standard deviations.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from rocbands.core.checks import BoolArray, FloatArray, frozen
from rocbands.core.roc import RocCurve
from rocbands.errors import InputError
from rocbands.rates.consensus import Consensus, Limits
from rocbands.rates.curve import RateCurve
from rocbands.rates.methods import Parametric, RateMethod, inside
from rocbands.rates.table import RateTable, positions, ranked_labels

__all__ = [
    "CountedTable",
    "binned_limits",
    "check_counted",
    "moments_box",
    "table_of",
    "words_on_bins",
]

ROWS = 5_000_000  # up to here counts become labels, one for each row
_FAR = 10.0  # standard deviations: no case strays farther from its place


@dataclass(frozen=True, eq=False)
class CountedTable(RateTable):
    """One test set that is too large for a label of each row; `folds` holds an empty one.

    Attributes
    ----------
    roc : RocCurve
        Its counts.
    """

    roc: RocCurve

    def counts(self, rates: FloatArray) -> FloatArray:
        """Positives among the first rows, at each rate."""
        rows, found = (np.concatenate(([0], side)) for side in (self._rows, self.roc.tp))
        return np.interp(positions(rates, int(rows[-1])), rows, found)[None]

    @property
    def _rows(self) -> FloatArray:
        return np.asarray(self.roc.fp + self.roc.tp)

    @cached_property
    def curve(self) -> RateCurve:
        """Share of positives at each rate: one step for each score."""
        rows = np.concatenate(([0], self._rows))
        return RateCurve(rows / rows[-1], np.diff(self.roc.tp, prepend=0) / np.diff(rows))


def words_on_bins(roc: RocCurve, rates: FloatArray) -> tuple[str, ...]:
    """Say how far the recall itself is known; nothing without bins."""
    if not roc.binned:
        return ()
    least, own, most = (
        _counted(curve).counts(rates) for curve in (roc.extremes[0], roc, roc.extremes[1])
    )
    known = float(np.maximum(own - least, most - own).max()) / roc.n_pos
    how = f"known to +-{known:.2g} or better" if known > 0.0 else "exact"
    return (f"Counts in bins: the recall is {how}.",)


def _counted(roc: RocCurve) -> CountedTable:
    n_pos, n_neg = np.array([roc.n_pos]), np.array([roc.n_neg])
    return CountedTable((frozen(np.empty(0)),), n_pos, n_neg, roc)


def table_of(roc: RocCurve) -> RateTable:
    """Make the table of a curve, and of each of its folds if it has any; bins count as scores."""
    parts = roc.folds or (roc,)
    n_pos, n_neg = (
        np.array([getattr(part, side) for part in parts]) for side in ("n_pos", "n_neg")
    )
    if len(parts) == 1 and int(n_pos[0] + n_neg[0]) > ROWS:
        return _counted(roc)
    return RateTable(tuple(frozen(ranked_labels(part)) for part in parts), n_pos, n_neg)


def check_counted(roc: RocCurve, table: RateTable, rule: RateMethod, reference: bool) -> None:
    """Refuse what needs the label of each row, where there are none or too many."""
    if not (roc.binned or isinstance(table, CountedTable)):
        return
    why = "the curve has bins" if roc.binned else f"there are {int(table.sizes[0])}"
    if not isinstance(rule, Parametric):
        raise InputError(
            f"method={rule.name!r} looks at single rows; {why}. Use method='parametric'."
        )
    if reference:
        raise InputError(
            f"scheme='reference' looks at single rows; {why}. Leave `scheme` and `prevalence` out."
        )


def binned_limits(
    roc: RocCurve, consensus: Consensus, rule: Parametric, level: float, prediction: bool
) -> Limits:
    """Return limits that hold those of every order of the scores inside the bins.

    Parameters
    ----------
    roc : RocCurve
        Counts in bins.
    consensus : Consensus
        Of the curve as it stands, bins taken for scores.
    rule : Parametric
        The method.
    level, prediction
        As for `rocbands.rate_bounds`.
    """
    box = moments_box(roc, consensus.rates, rule, prediction)
    corners = [(mean, spread**2) for mean in box[:2] for spread in box[2:]]
    found = [rule.at_moments(consensus, corner, level) for corner in corners]
    lower = np.min([limits.lower for limits in found], axis=0)
    upper = np.max([limits.upper for limits in found], axis=0)
    # Laws with a single peak inside the range have their widest limits at a corner. Others need
    # not: they get what holds for every law with such moments, whatever its shape.
    half, low, high = rule.widened(consensus)
    far = box.large**2 + half**2 / 3.0
    peaked = _peaked(box.least, far, low, high) & _peaked(box.most, far, low, high)
    tail = (1.0 - level) / 2.0
    reach = np.sqrt(far * (1.0 - tail) / tail)
    size = consensus.size
    any_law = inside(consensus, (box.least - reach) / size, (box.most + reach) / size)
    middle = (box.least + box.most) / (2.0 * size)
    return Limits(np.where(peaked, lower, any_law[0]), np.where(peaked, upper, any_law[1]), middle)


def _peaked(mean: FloatArray, variance: FloatArray, low: FloatArray, high: FloatArray) -> BoolArray:
    """Tell where the beta law on the range has a peak: both its parameters are above 2."""
    width = np.maximum(high - low, 1e-300)
    share = np.clip((mean - low) / width, 0.0, 1.0)
    cases = share * (1.0 - share) * width**2 / np.maximum(variance, 1e-300) - 1.0
    return np.asarray(np.minimum(share, 1.0 - share) * cases > 2.0)


class Box(NamedTuple):
    """Between what the mean of a count can lie, and its standard deviation."""

    least: FloatArray
    most: FloatArray
    small: FloatArray
    large: FloatArray


def moments_box(roc: RocCurve, rates: FloatArray, rule: Parametric, prediction: bool) -> Box:
    """Bound mean and standard deviation of recall times size over all orders inside the bins."""
    ends = [Consensus.by_counts(table_of(end), rates) for end in roc.extremes]
    (least, one), (most, other) = (rule.moments(end, prediction) for end in ends)
    spread = np.sqrt((one, other))
    off = _off(roc, rates, np.maximum(most - least, 0.0)) * (2.0**0.5 if prediction else 1.0)
    small = np.maximum(spread.min(axis=0) - off, 0.0)
    return Box(np.minimum(least, most), np.maximum(least, most), small, spread.max(axis=0) + off)


def _off(roc: RocCurve, rates: FloatArray, apart: FloatArray) -> FloatArray:
    """Bound the root mean square of the difference D between the extremes' counts.

    D is at most the rarer class's number r in the bin that case k falls into. A count with mean p
    has the mean square p^2 + p at most; and D^2 is at most D times the largest r, whose mean is
    known from that of D.
    """
    rarest = _fullest(roc, rates)
    most = rarest + 3.0 * np.sqrt(rarest) + 3.0
    return np.sqrt(np.minimum(rarest**2 + rarest, apart * most))


def _fullest(roc: RocCurve, rates: FloatArray) -> FloatArray:
    """Return how many of the rarer class the bins have, at most, that case k may fall into."""
    neg, pos = (np.diff(side, prepend=0) for side in (roc.fp, roc.tp))
    rarer = np.append(np.minimum(neg, pos), 0).astype(np.float64)
    n = roc.n_pos + roc.n_neg
    far = _FAR * np.sqrt(rates * (1.0 - rates) / n) + _FAR / n
    above = np.concatenate(([0], roc.fp + roc.tp)) / n
    first = np.clip(np.searchsorted(above, rates - far, side="right") - 1, 0, neg.size - 1)
    last = np.clip(np.searchsorted(above, rates + far, side="left"), first + 1, neg.size)
    # Every second segment is a window; one place more lets a window end with the last bin.
    return np.maximum.reduceat(rarer, np.stack((first, last), axis=1).ravel())[::2]
