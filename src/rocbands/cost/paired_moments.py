"""The difference of two classifiers' costs as a weighted sum of two differences of shares."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from rocbands.core.checks import CountArray, FloatArray, IndexArray

__all__ = ["Contrast"]


@dataclass(frozen=True, eq=False)
class Contrast:
    """Cost of classifier 2 minus cost of classifier 1 at k conditions; row 0 is the positives.

    Only cases that the classifiers decide differently matter. Class sizes are fixed (stratified),
    or all cases are one sample, and a case of one class could have been one of the other (full).

    Attributes
    ----------
    for_1, for_2 : ndarray of int, shape (2, k)
        Number of cases of each class that only classifier 1, and that only 2 decides rightly.
    unit : ndarray of shape (2, k)
        What one error of each class costs.
    n_pos, n_neg : int
        Class sizes.
    full : bool
        Whether class sizes are random.
    """

    for_1: CountArray
    for_2: CountArray
    unit: FloatArray
    n_pos: int
    n_neg: int
    full: bool

    def at(self, conditions: IndexArray) -> Contrast:
        """Return the same difference at some of the conditions."""
        columns = {name: getattr(self, name)[:, conditions] for name in ("for_1", "for_2", "unit")}
        return replace(self, **columns)

    @property
    def sizes(self) -> tuple[int, int]:
        """Number of cases that each class's shares are shares of."""
        n = self.n_pos + self.n_neg
        return (n, n) if self.full else (self.n_pos, self.n_neg)

    @property
    def weight(self) -> FloatArray:
        """What a share of 1 costs."""
        return np.asarray(self.unit * np.array(self.sizes)[:, None])

    @property
    def share(self) -> FloatArray:
        """Share of cases that 1 alone decides rightly, minus that of 2."""
        return np.asarray((self.for_1 - self.for_2) / np.array(self.sizes)[:, None])

    @property
    def spread(self) -> FloatArray:
        """Variance of what one case adds to a share."""
        either = (self.for_1 + self.for_2) / np.array(self.sizes)[:, None]
        return np.asarray(np.maximum(either - self.share**2, 0.0))

    @property
    def correlation(self) -> FloatArray:
        """Correlation of the two shares: cases of one sample take each other's place."""
        both = np.sqrt(self.spread[0] * self.spread[1])
        known = self.full & (both > 0.0)
        return np.where(known, -self.share[0] * self.share[1] / np.where(known, both, 1.0), 0.0)

    @property
    def mean(self) -> FloatArray:
        """The difference of costs; what its bootstrap law has for a mean, too."""
        return np.asarray((self.unit * (self.for_1 - self.for_2)).sum(axis=0))

    @property
    def variance(self) -> FloatArray:
        """Variance of the bootstrap law, with no bootstrap: Dugas and Gadoury's (8) and (13)."""
        parts = self.class_variances
        between = 2.0 * self.correlation * np.sqrt(parts[0] * parts[1])
        return np.asarray(np.maximum(parts.sum(axis=0) + between, 0.0))

    @property
    def class_variances(self) -> FloatArray:
        """What each class alone adds to the variance."""
        return np.asarray(self.unit**2 * np.array(self.sizes)[:, None] * self.spread)

    @property
    def dominant_discordant(self) -> CountArray:
        """Number of discordant cases in the class that may add more to the variance.

        A class with no discordant case, or with no other, adds nothing to what was observed. Bonett
        and Price's variance, with one more case for either classifier, sees what it may hide.
        """
        more = replace(
            self,
            for_1=self.for_1 + 1,
            for_2=self.for_2 + 1,
            n_pos=self.n_pos + (1 if self.full else 2),
            n_neg=self.n_neg + (1 if self.full else 2),
        )
        either, parts = self.for_1 + self.for_2, more.class_variances
        return np.asarray(np.where(parts[0] > parts[1], either[0], either[1]))
