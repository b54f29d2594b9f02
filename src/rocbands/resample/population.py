"""Populations from which resamples are drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import BoolArray, CountArray, FloatArray, freeze
from rocbands.core.curve import Curve
from rocbands.core.roc import RocCurve


@dataclass(frozen=True, eq=False)
class Population:
    """Both classes along the score axis, from the highest score down."""

    # neg, pos: (k + 1,) mass of each class above every boundary, from 0 to all of it.
    neg: FloatArray
    pos: FloatArray
    # true: between two boundaries there is one score, or a run of scores of one class; it is drawn
    # as a whole. False: it is a straight segment of a smooth curve and can be cut anywhere.
    atomic: bool = True

    @classmethod
    def from_curve(cls, roc: RocCurve) -> Population:
        """Take the rows behind a curve, one step for each distinct score."""
        neg, pos = (np.concatenate(([0.0], side)) for side in (roc.fp, roc.tp))
        return cls(neg, pos)

    @property
    def curve(self) -> Curve:
        """The population's own ROC curve."""
        return Curve(freeze(self.neg / self.neg[-1]), freeze(self.pos / self.pos[-1]))

    def merge_runs(self) -> Population:
        """Merge neighbouring scores of one class: no resample has a corner between them."""
        keep = np.append(True, find_ends_of_runs(self.neg[1:], self.pos[1:]))
        return Population(self.neg.compress(keep), self.pos.compress(keep), self.atomic)

    @classmethod
    def from_runs(cls, roc: RocCurve) -> Population:
        """Take the rows behind a curve, neighbouring scores of one class as one step."""
        keep = find_ends_of_runs(roc.fp, roc.tp)
        neg, pos = (np.append(0.0, side.compress(keep)) for side in (roc.fp, roc.tp))
        return cls(neg, pos)

    def choose_direction(self) -> tuple[Population, bool]:
        """Choose between a population and its mirror image; also return whether it is mirrored."""
        # The mirror image has the classes swapped and the scores negated. Always resampling the
        # same one of the two makes the band of a mirrored curve the exact mirror image of the band.
        # The smaller class decides, or else the first difference.
        if self.neg[-1] < self.pos[-1]:
            return self, False
        turned = Population(
            self.pos[-1] - self.pos[::-1], self.neg[-1] - self.neg[::-1], self.atomic
        )
        if self.neg[-1] > self.pos[-1]:
            return turned, True
        for own, other in ((self.neg, turned.neg), (self.pos, turned.pos)):
            differ = own != other
            if differ.any():
                first = int(np.argmax(differ))
                return (self, False) if own[first] < other[first] else (turned, True)
        return self, False


def find_ends_of_runs(fp: npt.NDArray[Any], tp: npt.NDArray[Any]) -> BoolArray:
    """Tell which steps end a run of one class, or contain both classes."""
    across, up = (np.diff(side, prepend=0) > 0 for side in (fp, tp))
    ends = (across[1:] != across[:-1]) | (up[1:] != up[:-1]) | (across[1:] & up[1:])
    return np.append(ends, True)


def draw_class_sizes(
    n_neg: int, n_pos: int, draws: int, rng: np.random.Generator, *, stratified: bool
) -> tuple[CountArray, CountArray]:
    """Return the numbers of negatives and positives of each of `draws` resampled test sets."""
    # Stratified resamples keep the class sizes. Otherwise the number of negatives is binomial
    # (N, n / N), conditional on both classes being present.
    total = n_neg + n_pos
    neg = np.full(draws, n_neg, dtype=np.int64)
    again = np.arange(0 if stratified else draws)
    while again.size:
        neg[again] = rng.binomial(total, n_neg / total, again.size)
        again = again[(neg[again] == 0) | (neg[again] == total)]
    return neg, total - neg
