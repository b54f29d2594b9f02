"""MOVER: limits of both classes' rates, combined by the method of variance estimates recovery.

For one classifier the rates are error rates with Wilson's limits; for the difference of two they
are differences of paired error rates with Tango's limits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from rocbands._math.binomial import wilson_limits
from rocbands._math.discordance import find_tango_limits
from rocbands.core.checks import FloatArray
from rocbands.core.method import DESIGNED, Extra, Resampling
from rocbands.core.references import WILSON, ZOU_DONNER
from rocbands.core.roc import RocCurve
from rocbands.core.tolerance import SAME
from rocbands.cost.conditions import Sampling
from rocbands.cost.method import CostMethod
from rocbands.cost.terms import CostLimits, CostTerms
from rocbands.design.called_sums import Share


@dataclass(frozen=True)
class MoverCost(Resampling, CostMethod):
    """Wilson's (two models: Tango's) limits of each class, combined by MOVER.

    The default. Near w = 0 and 1 one class has few errors or none, and its estimated variance is
    close to 0; score limits do not degenerate there. So intervals are never a point, stay in range,
    and are valid where errors are few.

    Parameters
    ----------
    n_resamples : int, default 2000
        Random draws for simultaneous limits of two models; nothing else is random.

    Notes
    -----
    With l, u Wilson's limits of the rates p of both classes, weights w and 1 - w,

        lower = cost - sqrt(w^2 (p1 - l1)^2 + (1 - w)^2 (p2 - l2)^2),

    and the upper limit likewise: formulas (C4) and (C5) of docs/formulas.md. With
    random class sizes, and all rows wrong, limits are at least min(w1, w2) times as far away as
    those of the share of errors. With fixed class sizes limits increase with every error: Wilson's
    do, and no distance shrinks by more than its rate grows. With weights, clusters or strata rates
    are weighted, and numbers of rows effective ones.
    Measured coverage: studies/docs/coverage-costs.md.
    """

    name: ClassVar[str] = "mover"
    guarantee: ClassVar[str] = (
        "approximate; measured .878 or more for .90, also where errors are few"
    )
    idea: ClassVar[str] = (
        "score limits of both error rates, combined by the method of variance estimates recovery"
    )
    references: ClassVar[tuple[str, ...]] = (
        ZOU_DONNER,
        WILSON,
        "Tango (1998), Equivalence test and confidence interval for the difference in proportions "
        "for the paired-sample design, Statistics in Medicine 17, 891-908.",
    )
    handles: ClassVar[tuple[Extra, ...]] = (
        *(*DESIGNED, "unpaired clusters", "common clusters"),
        *("bins", "full sampling", "share law", "paired", "simultaneous"),
    )
    monotone: ClassVar[tuple[Sampling, ...]] = ("stratified",)

    def find_limits(self, terms: CostTerms, level: float, critical: float) -> CostLimits:
        law, factor = terms.conditions.share, np.ones((2, 1))
        if law is not None:  # a class weighs more where the share is another one
            p, (less, more) = law.mean, law.find_reach(level)
            factor = np.hypot(1.0, [[more / p], [less / (1.0 - p)]])
        pos, neg = (
            weight * find_distances(share, level, critical, paired=terms.paired)
            for weight, share in zip(factor * terms.weight, terms.shares, strict=True)
        )
        below, above = combine_distances(pos, neg, terms.correlation)
        if terms.conditions.sampling == "full":
            # If all rows are errors r is -1, but none varies: the cost is at least the smaller
            # weight times the share of all errors, whose limit does not degenerate.
            both = terms.whole
            reach = find_distances(both, level, critical, paired=terms.paired)
            least = np.where(np.abs(both.value) > 1.0 - SAME, terms.weight.min(axis=0), 0.0)
            below, above = np.maximum((below, above), least * reach)
        if law is not None:  # a third term: the share of positives
            falls, rises = np.maximum(-terms.slope, 0.0), np.maximum(terms.slope, 0.0)
            below = np.hypot(below, rises * less + falls * more)
            above = np.hypot(above, rises * more + falls * less)
        return CostLimits(terms.mean, terms.mean - below, terms.mean + above)

    def note_doubts(self, roc: RocCurve, reliability: npt.NDArray[np.str_]) -> tuple[str, ...]:
        """Note where errors are few, and weights, for which measured coverage is too low."""
        notes: tuple[str, ...] = ()
        if weak := int(np.count_nonzero(reliability == "unreliable")):
            notes = (
                f"At {weak} of {reliability.size} w errors are few ('unreliable'): gaussian and "
                "exact limits would fail there, mover limits held 0.86 or more at 0.95, with 7 "
                "cases 0.60 at 0.80.",
            )
        if "weights" in roc.design:
            notes += ("Weighted rows: measured coverage was 0.89 or more at 0.95.",)
        return notes


def find_distances(share: Share, level: float, critical: float, *, paired: bool) -> FloatArray:
    """Distances of the lower and of the upper limit of a share from the share."""
    z = np.asarray(share.stretch.scale(critical))
    if paired:
        up, down = (share.number * (share.size + way * share.value) / 2.0 for way in (1.0, -1.0))
        ends = find_tango_limits(up, down, share.number, z)
    else:  # a longer quantile is a smaller number of rows
        ends = wilson_limits(share.value, share.number * (critical / z) ** 2, level)
    return np.abs(np.stack(ends) - share.value)


def combine_distances(first: FloatArray, second: FloatArray, correlation: FloatArray) -> FloatArray:
    """Distance of the limit of a sum from the sum, given the distances of its two terms.

    Examples
    --------
    >>> print(combine_distances(np.array([3.0, 3.0]), np.array([4.0, 4.0]), np.array([0.0, -1.0])))
    [5. 1.]
    """
    # sqrt(a^2 + b^2 + 2 r a b), as a sum of squares that rounding cannot make negative.
    along = first + correlation * second
    return np.asarray(np.sqrt(along**2 + (1.0 - np.square(correlation)) * second**2))
