"""What cases are drawn from, and resamples that are drawn lazily, block by block.

A population is the rows of a curve, or a smooth curve fitted to them (kernel estimates of both
classes). A resample of n rows is n draws, but most of them have no effect on the result. The number
of draws in the upper half of the scores is binomial; given that number, so is the number in the
upper quarter; and so on down to single scores. A resample can therefore be split block by block,
each split drawn when it is needed. The result has exactly the distribution of a full resample,
because splitting a multinomial draw by conditional binomials is an identity and the choice of the
next block depends only on previous draws. Tied scores are never split.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

from rocbands.core.checks import BoolArray, CountArray, FloatArray, IndexArray, freeze
from rocbands.core.curve import Curve
from rocbands.core.roc import RocCurve
from rocbands.core.tolerance import SAME, SLACK
from rocbands.errors import InputError, Message, arg


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


# ------------------------------------------------------------------------------------------- blocks


class Blocks(NamedTuple):
    """Intervals of the score axis, of one or many resamples, in order."""

    population: Population
    row: IndexArray  # (k,) the resample that each block belongs to
    # start, end: (5, k) where each block starts and ends: the number of the population's boundary,
    # the population's mass of negatives and positives above it, and the resample's numbers of them.
    # Floats represent the counts exactly, and one array needs fewer NumPy calls.
    start: FloatArray
    end: FloatArray
    sizes: FloatArray  # (2, n) negatives and positives of each resample

    @classmethod
    def whole(cls, population: Population, neg: CountArray, pos: CountArray) -> Blocks:
        """One block for each resample, with all its cases."""
        end = np.empty((5, neg.size))
        end[:3] = [[population.neg.size - 1.0], [population.neg[-1]], [population.pos[-1]]]
        end[3], end[4] = neg, pos
        return cls(population, np.arange(neg.size), np.zeros((5, neg.size)), end, end[3:])

    def find_rates(self, *places: FloatArray) -> Iterator[FloatArray]:
        """Rates of the resamples, fpr and tpr, at starts, ends or cuts of the blocks."""
        sizes = self.sizes.take(self.row, axis=1)
        return (place[3:] / sizes for place in places)

    def take(self, which: BoolArray) -> Blocks:
        """Pick some of the blocks."""
        place = np.flatnonzero(which)
        start, end = (side.take(place, axis=1) for side in (self.start, self.end))
        return self._replace(row=self.row[place], start=start, end=end)

    def straight(self) -> BoolArray:
        """Tell which blocks need no further draws: one class only, or one score."""
        straight: BoolArray = (self.end[3] == self.start[3]) | (self.end[4] == self.start[4])
        if self.population.atomic:
            straight |= self.end[0] - self.start[0] == 1.0
        return straight

    def draw_middle(self, rng: np.random.Generator) -> FloatArray:
        """Cut every block in the middle and draw the split of its cases; (5, k) as `start`."""
        start, end, population = self.start, self.end, self.population
        cut = ((start[0] + end[0]) * 0.5).astype(np.intp)
        middle = np.empty(start.shape)
        middle[0], middle[1], middle[2] = cut, population.neg[cut], population.pos[cut]
        # Without population mass the resample has no cases, and any probability will do.
        share = (middle[1:3] - start[1:3]) / np.maximum(end[1:3] - start[1:3], 1e-300)
        if not population.atomic:  # both halves of a straight segment have equal mass
            share[:, middle[0] == start[0]] = 0.5
        cases = (end[3:] - start[3:]).astype(np.int64)
        np.add(start[3:], rng.binomial(cases, share), out=middle[3:])
        return middle

    def halve(self, middle: FloatArray, keep: tuple[BoolArray, BoolArray] | None = None) -> Blocks:
        """Both parts of each block, one after the other, so that blocks stay in order.

        `keep`: which first and which second parts to keep; by default all.
        """
        size = self.row.size
        # Part 2 i is the first of block i, part 2 i + 1 the second.
        which = np.arange(2 * size) if keep is None else np.flatnonzero(np.stack(keep, axis=1))
        block = which >> 1
        place = block + (which & 1) * size
        before = middle
        if not self.population.atomic:
            # A straight segment of a smooth curve keeps its two boundaries.
            alike = before[0] == self.start[0]
            before = before.copy()
            before[:3, alike] = self.end[:3, alike]
        start = np.concatenate((self.start, middle), axis=1).take(place, axis=1)
        end = np.concatenate((before, self.end), axis=1).take(place, axis=1)
        return self._replace(row=self.row[block], start=start, end=end)


# ------------------------------------------------------------------------------------ smooth curves

POINTS = 401
REACH = 4.5  # kernel widths beyond the outermost case
MANY = 2000  # cases of a class; larger classes are binned first
FINE = 20  # bins for each kernel width
# Most cases of a class: a resampled smooth curve is searched down to single cases; 1000 curves of
# this size take about 10 s.
MOST_SMOOTHED = 10**9


def smooth_rows(
    rows: Population, *, points: int = POINTS, many: int = MANY, fine: int = FINE
) -> Population:
    """Replace both classes by kernel estimates on the scale of pooled normal scores.

    `points`: number of points of the curve. `many`: largest number of distinct scores of a class
    that are not binned. `fine`: bins for each kernel width.
    """
    # Every case becomes the normal quantile of its rank, ties sharing their mean rank; each class
    # is smoothed by a Gaussian kernel of width 0.9 min(sd, IQR / 1.34) N^(-1/5) (Silverman 1986,
    # equation 3.31). The result depends only on the order of the scores.
    neg, pos = np.diff(rows.neg), np.diff(rows.pos)
    if max(rows.neg[-1], rows.pos[-1]) > MOST_SMOOTHED:
        raise InputError(
            "Resampling a smoothed curve is for at most 10**9 cases of a class",
            f"there are {max(rows.neg[-1], rows.pos[-1]):,.0f}",
            Message("Use {}.", arg("method", "likelihood")),
        )
    z = find_normal_scores(rows)
    widths = [0.9 * find_spread(z, side) * float(side.sum() ** -0.2) for side in (neg, pos)]
    at = place_points(z, max(widths), points)
    x, y = (
        find_survival(at, z, side, h, many, fine)
        for side, h in zip((neg, pos), widths, strict=True)
    )
    return Population(x, y, atomic=False)


def smooth_thresholds(rows: Population, points: int = POINTS) -> Population:
    """As :func:`smooth_rows`; if most scores are tied, at the thresholds of the rows only."""
    smooth, size = smooth_rows(rows, points=points), rows.neg[-1] + rows.pos[-1]
    if not 2 <= rows.neg.size - 1 < min(size / 2.0, points):
        return smooth
    called = (rows.neg[-1] * smooth.neg + rows.pos[-1] * smooth.pos) / size
    at = (rows.neg + rows.pos) / size
    return Population(*(np.interp(at, called, side) for side in (smooth.neg, smooth.pos)))


def find_normal_scores(rows: Population) -> FloatArray:
    """Return the normal quantiles of the mean ranks of all scores, from the highest score down."""
    above = rows.neg[:-1] + rows.pos[:-1]
    here = np.diff(rows.neg) + np.diff(rows.pos)
    # Descending: the highest score has the smallest rank and the largest normal score.
    rank = (above + here / 2.0) / (rows.neg[-1] + rows.pos[-1])
    # Clipped, also if a weight is lost by rounding.
    return np.asarray(-ndtri(np.clip(rank, 1e-300, 1.0 - 2.0**-53)))


def place_points(z: FloatArray, width: float, points: int) -> FloatArray:
    """Equidistant points, descending, from beyond the highest score to beyond the lowest."""
    return np.linspace(z[0] + REACH * width, z[-1] - REACH * width, points)


def find_spread(z: FloatArray, weight: FloatArray) -> float:
    """Return the standard deviation of a class or a smaller robust one; 1 if nothing varies."""
    size = weight.sum()
    mean = np.dot(weight, z) / size
    sd = float(np.sqrt(np.dot(weight, (z - mean) ** 2) / max(size - 1.0, 1.0)))
    # A quarter is often a whole number of cases, which rounding errors must not exceed.
    quarters = size * np.array([0.25, 0.75]) * (1.0 - SLACK)
    upper, lower = z[np.searchsorted(np.cumsum(weight), quarters)]
    if sd < SAME:  # cases that are all equal, up to the rounding of their mean
        sd = 0.0
    return min(sd, float(upper - lower) / 1.34) or sd or 1.0


def find_survival(
    at: FloatArray,
    z: FloatArray,
    weight: FloatArray,
    width: float,
    many: int = MANY,
    fine: int = FINE,
) -> FloatArray:
    """Fraction of the smoothed class above each point, from exactly 0 to exactly 1."""
    # S(t) = sum of w_i Phi((z_i - t) / h), with weights w and kernel width h. Bins of width
    # h / fine, represented by their means, change it by less than 1e-5.
    seen = weight > 0
    z, weight = z[seen], weight[seen]
    if z.size > many:
        cell = np.rint(z / (width / fine)).astype(np.int64)
        cell -= cell.min()
        mass: FloatArray = np.bincount(cell, weight).astype(np.float64)
        z = np.bincount(cell, weight * z)[mass > 0] / mass[mass > 0]
        weight = mass[mass > 0]
    share = ndtr((z - at[:, None]) / width) @ (weight / weight.sum())
    share = np.maximum.accumulate(np.clip(share, 0.0, 1.0))
    share[[0, -1]] = 0.0, 1.0
    return np.asarray(share)
