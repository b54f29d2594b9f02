"""Intervals for the AUC from counts in bins, which hold those of every order inside the bins.

Half a bin is the most by which a placement can be off. That bounds the AUC, and the root mean
square of the halves bounds the standard deviation of placements, because that is a norm. Limits are
then taken at the ends of what is possible.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rocbands.auc.bootstrap import ideal_bootstrap
from rocbands.auc.pivots import Logit, Newcombe, Pivot, Tails, Wald
from rocbands.core.delong import Moments, compute_moments, variance_from_moments
from rocbands.core.roc import RocCurve
from rocbands.errors import InputError

__all__ = ["METHODS", "AnyOf", "Span", "auc_span", "binned_pivot"]


class Span(NamedTuple):
    """Least and largest possible value."""

    low: float
    high: float

    def clipped(self, low: float, high: float) -> Span:
        """Leave out what cannot be for another reason."""
        return Span(min(max(self.low, low), high), min(max(self.high, low), high))


@dataclass(frozen=True)
class AnyOf:
    """One of several pivots, nobody knows which: as cautious as all of them."""

    pivots: tuple[Pivot, ...]
    error: float

    def limits(self, tail: float) -> tuple[float, float]:
        """Limits that hold those of all pivots."""
        ends = [pivot.limits(tail) for pivot in self.pivots]
        return min(low for low, _ in ends), max(high for _, high in ends)

    def tails(self, null: float) -> Tails:
        """Take the largest of their p-values on each side."""
        ends = [pivot.tails(null) for pivot in self.pivots]
        return Tails(max(less for less, _ in ends), max(greater for _, greater in ends))


def auc_span(roc: RocCurve) -> Span:
    """Return what the AUC can be."""
    return Span(roc.auc - roc.certificate, roc.auc + roc.certificate).clipped(0.0, 1.0)


def binned_pivot(name: str, roc: RocCurve) -> AnyOf:
    """Make the pivot of a method for all curves that counts in bins allow.

    Examples
    --------
    >>> roc = RocCurve.from_counts([2, 1], fp=[1, 4], tp=[5, 6], bins=True)
    >>> [round(limit, 3) for limit in binned_pivot("newcombe", roc).limits(0.025)]
    [0.285, 0.997]
    """
    if name not in METHODS:
        raise InputError(
            f"Method {name!r} needs counts of single scores; the curve has bins. "
            f"Use one of {', '.join(METHODS)}, or count every score."
        )
    return METHODS[name](roc)


def _newcombe(roc: RocCurve) -> AnyOf:
    # These limits rise with the estimate.
    pivots = tuple(Newcombe(auc, roc.n_pos, roc.n_neg) for auc in auc_span(roc))
    return AnyOf(pivots, Newcombe(roc.auc, roc.n_pos, roc.n_neg).error)


def _wald(auc: Span, variance: Span) -> AnyOf:
    error = Span(*(math.sqrt(end) for end in variance))
    return AnyOf(tuple(Wald(a, e) for a in auc for e in error), error.high)


def _delong(roc: RocCurve) -> AnyOf:
    return _wald(auc_span(roc), _delong_span(roc))


def _delong_span(roc: RocCurve) -> Span:
    return Span(*(variance_from_moments(end, roc.n_pos, roc.n_neg) for end in _moments(roc)))


def _exact_bootstrap(roc: RocCurve) -> AnyOf:
    ends = (ideal_bootstrap(end, roc.n_pos, roc.n_neg) for end in _moments(roc))
    return _wald(auc_span(roc), Span(*ends))


def _hanley_mcneil(roc: RocCurve) -> AnyOf:
    """Hanley and McNeil's variance is a sum of three terms, each of which rises and then falls."""
    auc, sizes = auc_span(roc), (roc.n_pos, roc.n_neg)
    top = (3.0 - math.sqrt(5.0)) / 2.0  # of a / (2 - a) - a^2; the third term is its mirror image
    low = high = 0.0
    for peak, term in zip((0.5, top, 1.0 - top), _hanley_mcneil_terms(*sizes), strict=True):
        low += min(term(end) for end in auc)
        high += term(min(max(peak, auc.low), auc.high))
    pairs = float(sizes[0]) * sizes[1]
    return _wald(auc, Span(max(low, 0.0) / pairs, max(high, 0.0) / pairs))


def _hanley_mcneil_terms(n_pos: int, n_neg: int) -> tuple[Callable[[float], float], ...]:
    def pairs(a: float) -> float:
        return a * (1.0 - a)

    def positives(a: float) -> float:
        return (n_pos - 1) * (a / (2.0 - a) - a**2)

    def negatives(a: float) -> float:
        return (n_neg - 1) * (2.0 * a**2 / (1.0 + a) - a**2)

    return pairs, positives, negatives


def _logit_delong(roc: RocCurve) -> AnyOf:
    """On the log-odds scale, and by Newcombe where an allowed order gives no limits there."""
    if min(roc.n_pos, roc.n_neg) < 2:
        return _newcombe(roc)
    auc, variance = auc_span(roc), _delong_span(roc)
    newcombe = _newcombe(roc)
    certain = variance.low <= 0.0 or auc.low <= 0.0 or auc.high >= 1.0
    least = 0.5 / (float(roc.n_pos) * roc.n_neg)  # what half a win weighs
    inner = auc.clipped(least, 1.0 - max(least, 2.0**-53))  # the last number below 1
    stretch = _spread(inner)
    errors = math.sqrt(variance.low) / stretch.high, math.sqrt(variance.high) / stretch.low
    pivots = tuple(Logit(a, e * a * (1.0 - a)) for a in inner for e in errors)
    return AnyOf((*pivots, *newcombe.pivots) if certain else pivots, math.sqrt(variance.high))


def _moments(roc: RocCurve) -> tuple[Moments, Moments]:
    """Least and largest possible moments of the placements."""
    found, auc = compute_moments(roc), auc_span(roc)
    neg, pos = (np.diff(side, prepend=0).astype(np.float64) for side in (roc.fp, roc.tp))
    off_pos = math.sqrt(float(np.dot(pos, (neg / (2.0 * roc.n_neg)) ** 2)) / roc.n_pos)
    off_neg = math.sqrt(float(np.dot(neg, (pos / (2.0 * roc.n_pos)) ** 2)) / roc.n_neg)
    spread = _spread(auc)
    # Pairs in one bin are wins, losses or ties; ties score 1/4 instead of 1/2 when squared.
    least = max(spread.low - roc.certificate / 2.0, 0.0)
    return (
        Moments(auc.low, _less(found.pos, off_pos), _less(found.neg, off_neg), least),
        Moments(auc.high, _more(found.pos, off_pos), _more(found.neg, off_neg), spread.high),
    )


def _spread(auc: Span) -> Span:
    """Return what auc (1 - auc) can be."""
    ends = [a * (1.0 - a) for a in auc]
    return Span(min(ends), 0.25 if auc.low < 0.5 < auc.high else max(ends))


def _less(variance: float, off: float) -> float:
    return max(math.sqrt(variance) - off, 0.0) ** 2


def _more(variance: float, off: float) -> float:
    return (math.sqrt(variance) + off) ** 2


METHODS: dict[str, Callable[[RocCurve], AnyOf]] = {
    "newcombe": _newcombe,
    "logit-delong": _logit_delong,
    "delong": _delong,
    "hanley-mcneil": _hanley_mcneil,
    "exact-bootstrap": _exact_bootstrap,
}
