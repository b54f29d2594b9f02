"""What resamples are drawn from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import BoolArray, CountArray, FloatArray, freeze
from rocbands.core.curve import Curve
from rocbands.core.pieces import cut_pieces, walk_steps
from rocbands.core.roc import RocCurve


@dataclass(frozen=True, eq=False)
class Population:
    """Both classes along the score axis, from the highest score down."""

    # neg, pos: (k + 1,) mass of each class above every boundary, from 0 to all of it.
    neg: FloatArray
    pos: FloatArray
    # true: what lies between two boundaries is one score, or several of one class between which
    # nothing of interest can happen; it is drawn as a whole. False: it is a straight piece of a
    # smooth curve and can be cut anywhere.
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
        """Make neighbouring scores of one class one step: no resample has a corner between them."""
        return replace(self._merge(self.neg[1:], self.pos[1:]), atomic=self.atomic)

    @classmethod
    def from_runs(cls, roc: RocCurve) -> Population:
        """Take the rows behind a curve, neighbouring scores of one class as one step."""
        return cls._merge(roc.fp, roc.tp)

    @classmethod
    def _merge(cls, fp: npt.NDArray[Any], tp: npt.NDArray[Any]) -> Population:
        keep = np.concatenate([*_find_ends_of_runs(fp, tp), [True]])
        neg, pos = np.zeros((2, np.count_nonzero(keep) + 1))
        done = 1
        for part in cut_pieces(keep.size):
            here = keep[part]
            stop = done + int(np.count_nonzero(here))
            neg[done:stop], pos[done:stop] = fp[part][here], tp[part][here]
            done = stop
        return cls(neg, pos)

    def choose_direction(self) -> tuple[Population, bool]:
        """Choose between a population and its mirror image; tell whether it is the mirror image."""
        # The mirror has the classes swapped and the scores reversed. Resampling the same one of the
        # two, whichever was given, makes the band of a mirrored curve the exact mirror image of the
        # band, random numbers and all. The smaller class, or else the first difference, decides.
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


def _find_ends_of_runs(fp: npt.NDArray[Any], tp: npt.NDArray[Any]) -> Iterator[BoolArray]:
    """Tell of each step but the last whether it ends a run of one class, or has both; in pieces."""
    last = None
    for piece in walk_steps(fp, tp):
        across, up = (side[1:] > side[:-1] for side in (piece.fp, piece.tp))
        if last is not None:
            across, up = (np.concatenate(pair) for pair in zip(last, (across, up), strict=True))
        last = across[-1:], up[-1:]
        yield (across[1:] != across[:-1]) | (up[1:] != up[:-1]) | (across[1:] & up[1:])


def has_many_runs(fp: CountArray, tp: CountArray, many: int) -> bool:
    """Tell whether a curve has more than `many` steps when runs of one class are one step each."""
    found = 1
    for ends in _find_ends_of_runs(fp, tp):
        found += int(np.count_nonzero(ends))
        if found > many:
            return True
    return False


def draw_class_sizes(
    n_neg: int, n_pos: int, draws: int, rng: np.random.Generator, *, stratified: bool
) -> tuple[CountArray, CountArray]:
    """Return how many negatives and positives each of `draws` resampled test sets has."""
    # Stratified resamples keep the class sizes. Others are drawn from all rows: negatives are
    # binomial (N, n / N), given that both classes are there.
    total = n_neg + n_pos
    neg = np.full(draws, n_neg, dtype=np.int64)
    again = np.arange(0 if stratified else draws)
    while again.size:
        neg[again] = rng.binomial(total, n_neg / total, again.size)
        again = again[(neg[again] == 0) | (neg[again] == total)]
    return neg, total - neg
