"""Simultaneous joint regions: a rectangle around every point of the curve."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np

from rocbands.core.band import Band, BandMethod, Future
from rocbands.core.checks import FloatArray, check_choice
from rocbands.core.curve import Curve
from rocbands.core.method import Coverage, Extra, Request
from rocbands.core.references import MACSKASSY_2005
from rocbands.core.region import BetweenRegion, DisplacedRegion
from rocbands.core.roc import RocCurve
from rocbands.core.tolerance import SAME
from rocbands.errors import InputError, Message, arg

Boxes: TypeAlias = Literal["kolmogorov", "berk-jones"]

# Interpolation underestimated quantiles by up to 0.00003; with this factor none is too small.
_SAFE = 1.0001
_STEPS = 5  # Newton steps; four suffice for full precision at all sizes up to 10**8
_MOST_CELLS = 4 * 10**6  # largest product of two sizes for which paths are counted


@dataclass(frozen=True)
class JointRegion(BandMethod):
    """Band of simultaneous joint regions, valid at every sample size.

    The true positive rates at all thresholds lie within a given distance of the observed ones with
    a probability that depends only on the number of positives; the false positive rates likewise.
    The two samples are independent, so the rectangles are simultaneous and their union contains
    the curve. There is no assumption on the scores. The band is wide.

    Parameters
    ----------
    boxes : {'kolmogorov', 'berk-jones'}, default 'kolmogorov'
        How the rectangles are made. 'kolmogorov', as in the papers: all of the same size.
        'berk-jones': an observed proportion j/n allows the rates p with n KL(j/n || p) <= c, where
        c is the quantile of Berk and Jones' statistic, so that the rectangles shrink towards the
        sides of the square. Same guarantee, and about half the area at an AUC of .98.

    Notes
    -----
    Kolmogorov's distribution is exact up to 140 cases of a class and a series beyond, within 2e-6.
    The level is split between the axes, each at sqrt(level), so that the whole curve is inside with
    at least the stated probability.

    The guarantee includes ties between classes: the segment of the true curve for a tied score
    joins points in two rectangles, and lies between the lines that join their corners. With binned
    counts, the edges use the lowest and the highest possible curve.

    A band for a future set uses the two-sample Kolmogorov statistic on each axis, the largest
    difference between the rates of both sets over all thresholds. It is exact while the numbers of
    cases of a class in both sets have a product of at most 4 million. Beyond, it is the one-sample
    quantile of the smaller set times sqrt(1 + smaller / larger), plus one case of the larger set;
    that was never too small at the sizes where both were computed. The guarantee is the same: the
    empirical curve of the future set is inside with at least the stated probability, also with
    ties. `boxes='berk-jones'` is for the true curve only.

    Both papers of Macskassy and Provost exchange the half-widths of the two axes and use the level
    itself for each axis; here the vertical half-width comes from the positives.

    Examples
    --------
    >>> import rocbands as rb
    >>> sample = rb.load_example()
    >>> roc = rb.roc_curve(sample["logistic"])
    >>> band = rb.bands.JointRegion()(roc, level=0.95)
    >>> print(band.lower_at(0.1).round(2), band.upper_at(0.1).round(2))
    0.25 0.91
    >>> band = rb.bands.JointRegion(boxes="berk-jones")(roc, level=0.95)
    >>> print(band.lower_at(0.1).round(2), band.upper_at(0.1).round(2))
    0.41 0.87
    """

    name: ClassVar[str] = "joint-region"
    coverage: ClassVar[Coverage] = "simultaneous"
    guarantee: ClassVar[str] = "at least the level, for any score distribution (theorem)"
    reported_for: ClassVar[tuple[str, ...]] = ("independent",)
    handles: ClassVar[tuple[Extra, ...]] = ("future", "bins")
    monotone: ClassVar[bool] = True  # if a point moves northwest, so do its rectangle's corners
    idea: ClassVar[str] = "rectangles around every point; safe and wide"
    references: ClassVar[tuple[str, ...]] = (
        "Campbell (1994), Advances in statistical methodology for the evaluation of diagnostic and "
        "laboratory tests, Statistics in Medicine 13, 499-508.",
        MACSKASSY_2005,
        "Berk and Jones (1979), Goodness-of-fit test statistics that dominate the Kolmogorov "
        "statistics, Zeitschrift fuer Wahrscheinlichkeitstheorie 47, 47-59.",
    )

    boxes: Boxes = "kolmogorov"

    def __post_init__(self) -> None:
        check_choice(self.boxes, tuple(_REGIONS), "boxes")

    def level_per_axis(self, level: float) -> float:
        """Level of each axis; the axes are independent, so its square is the joint level."""
        return float(level**0.5)

    def build_band(self, roc: RocCurve, request: Request) -> Band:
        per_axis = self.level_per_axis(request.level)
        note = f"{self.boxes.title()} boxes, each axis at {per_axis:.6g}"
        guaranteed = per_axis**2
        note += "." if guaranteed > request.level - SAME else f": {guaranteed:.4g} is guaranteed."
        region = _REGIONS[self.boxes](roc, per_axis, request.future)
        return Band(roc, region, request.level, self, request.future, notes=(note,))


def _of_one_size(roc: RocCurve, per_axis: float, future: Future) -> DisplacedRegion:
    """Union of Kolmogorov's rectangles: the curve displaced by half a rectangle to both sides."""
    across = kolmogorov_quantile(per_axis, roc.n_neg)
    up = kolmogorov_quantile(per_axis, roc.n_pos)
    if future is not None:  # with one case and a low level the steps can be smaller
        across = max(across, two_sample_quantile(per_axis, roc.n_neg, future[1]))
        up = max(up, two_sample_quantile(per_axis, roc.n_pos, future[0]))
    return DisplacedRegion(roc.curve, across, up / across)


def _shrinking(roc: RocCurve, per_axis: float, future: Future) -> BetweenRegion:
    """Join the northwest corners of the rectangles, and the southeast corners.

    Each side of a rectangle depends only on the count of its own axis. Along a vertical or
    horizontal run of the curve the corners therefore lie on a line, and the ends suffice.
    """
    if future is not None:
        raise InputError(
            Message("{} is for the true curve only", arg("boxes", "berk-jones")),
            Message("{} was given", arg("future")),
            Message("Use {}.", arg("boxes", "kolmogorov")),
        )
    counts = Curve(np.append(0, roc.fp), np.append(0, roc.tp)).corners()
    left, right = rate_limits(counts.x, roc.n_neg, berk_jones_quantile(per_axis, roc.n_neg))
    bottom, top = rate_limits(counts.y, roc.n_pos, berk_jones_quantile(per_axis, roc.n_pos))
    return BetweenRegion(
        lower=Curve(np.append(0.0, right), np.append(0.0, bottom)),
        upper=Curve(np.append(left, 1.0), np.append(top, 1.0)),
    )


_REGIONS: dict[str, Callable[[RocCurve, float, Future], DisplacedRegion | BetweenRegion]] = {
    "kolmogorov": _of_one_size,
    "berk-jones": _shrinking,
}


# Quantiles of the largest deviation of an empirical cdf F_n from the true cdf F: the largest
# distance (Kolmogorov), or the largest log-likelihood ratio (Berk and Jones 1979),
# max over t of n KL(F_n(t) || F(t)). The latter allows larger deviations in the middle, where F_n
# has a large variance, than at both ends.


@lru_cache(maxsize=1024)
def kolmogorov_quantile(level: float, size: int) -> float:
    """Quantile of the two-sided one-sample Kolmogorov statistic of `size` values.

    Exact up to 140 values. Distribution-free for continuous distributions, conservative otherwise.

    Examples
    --------
    >>> round(kolmogorov_quantile(0.95, 10), 4)
    0.4092
    """
    if size > 140 and 0.5 <= level <= 0.9999:
        low, high = 0.5, 3.0
        for _ in range(60):
            middle = (low + high) / 2.0
            low, high = (middle, high) if _kolmogorov_cdf(middle, size) < level else (low, middle)
        return high / math.sqrt(size)
    from scipy.stats import kstwo  # the import takes more than half a second

    return float(kstwo.ppf(level, size))


def _kolmogorov_cdf(z: float, size: int) -> float:
    """P(sqrt(n) D <= z) up to 2e-6 for n = 141, 4e-8 for n = 1000.

    The series of Pelz and Good (1976), J. R. Stat. Soc. B 38, 152-156, in powers of n^(-1/2):
    polynomials in h = (pi (k + 1/2))^2 and in w = (pi k)^2 times exp(-h / (2 z^2)), exp(-w / (2
    z^2)).
    """
    z2, n = z * z, float(size)
    h, w = (np.pi * (np.arange(20) + 0.5)) ** 2, (np.pi * np.arange(1, 20)) ** 2
    k1 = (h - z2) / (6.0 * z2**2)
    by_h = (1.0 - 2.0 * z2, (2.0 * z2 - 5.0) * z2, (6.0 * z2 + 2.0) * z2**2)
    k2 = np.polyval(by_h, h) / (72.0 * z2**3.5)
    more = (5.0 - 30.0 * z2, (212.0 * z2 - 60.0) * z2, (135.0 - 96.0 * z2) * z2**2,
            -(30.0 + 90.0 * z2) * z2**3)  # fmt: skip
    k3 = np.polyval(more, h) / (6480.0 * z2**5)
    of_h = 1.0 / z + k1 / n**0.5 + k2 / n + k3 / n**1.5
    of_w = (3.0 * z2 - w) * w / (216.0 * z2**3 * n**1.5) - w / (36.0 * z2**1.5 * n)
    total = of_h @ np.exp(-h / (2.0 * z2)) + of_w @ np.exp(-w / (2.0 * z2))
    return math.sqrt(2.0 * math.pi) * float(total)


@lru_cache(maxsize=1024)
def two_sample_quantile(level: float, size: int, other: int) -> float:
    """Quantile of the two-sided two-sample Kolmogorov statistic of sets of two sizes.

    The smallest attainable value whose probability is at least `level`, or more where the sizes are
    large. Distribution-free for continuous distributions, conservative otherwise.

    Examples
    --------
    >>> two_sample_quantile(0.95, 10, 10)
    0.6
    """
    small, large = sorted((size, other))
    rough = kolmogorov_quantile(level, small) * math.sqrt(1.0 + small / large)
    if small * large > _MOST_CELLS:
        return min(1.0, rough + 1.0 / large)
    # Attainable values are multiples of 1 / lcm(small, large), mostly close to the rough one.
    lcm, unit = math.lcm(small, large), math.gcd(small, large)

    def holds(value: int) -> bool:
        return _share_of_paths(small, large, value * unit) >= level - SAME

    low, high = (math.floor(lcm * (rough + off / large)) for off in (-2.0, 1.0))
    low = -1 if low < 0 or holds(low) else low
    high = high if high < lcm and holds(high) else lcm
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high / lcm


def _share_of_paths(small: int, large: int, most: int) -> float:
    """P(D <= most / (small * large)), by counting paths of two merged sets (Hodges 1958).

    Merging both sets in the order of the scores gives a path from (0, 0) to (small, large), all of
    them equally likely. D is the largest |i / small - j / large| at the points (i, j) of the path.
    """
    # The paths to (i, j) come from (i - 1, j) or (i, j - 1): in row i they are running sums of
    # those of row i - 1. Each row is divided by its last, largest number.
    paths, start, log_scale = np.ones(min(large, most // small) + 1), 0, 0.0
    for i in range(1, small + 1):
        first = max(0, -((most - i * large) // small))
        last = min(large, (i * large + most) // small)
        row = np.zeros(last - first + 1)
        kept = paths[first - start : first - start + row.size]
        if not kept.size:
            return 0.0
        row[: kept.size] = kept
        paths, start = np.cumsum(row), first
        log_scale += math.log(paths[-1])
        paths /= paths[-1]
    ways = math.lgamma(small + large + 1) - math.lgamma(small + 1) - math.lgamma(large + 1)
    return math.exp(min(0.0, log_scale - ways)) if start + paths.size > large else 0.0


class BerkJonesTable(NamedTuple):
    """The distribution at some sizes and values, by rocbands_studies.tables.berk_jones_table."""

    sizes: FloatArray  # sample sizes, ascending from 1
    values: FloatArray  # values of the statistic, ascending
    strain: FloatArray  # entry [i, j] is -ln P(statistic <= values[j]) for sizes[i] values
    # entry [j] is the slope of `strain` in ln n as n tends to infinity.
    drift: FloatArray


@cache
def load_table() -> BerkJonesTable:
    """Read the table from berk_jones.npz."""
    with np.load(Path(__file__).with_name("berk_jones.npz")) as data:
        return BerkJonesTable(*(data[name].astype(np.float64) for name in BerkJonesTable._fields))


@lru_cache(maxsize=1024)
def berk_jones_quantile(level: float, size: int) -> float:
    """Quantile of Berk and Jones' statistic of `size` values, rounded up slightly.

    Distribution-free for continuous distributions, conservative otherwise. Compared with the exact
    recursion at 215 sizes from 1 to 20,000, it was never too small, and too large by at most 0.04%
    at levels from .3 up and by 0.5% below. Values below 0.7 are returned as 0.7.

    Examples
    --------
    >>> round(berk_jones_quantile(0.95, 10**6), 2)
    6.56
    """
    # At a fixed value, -ln P is nearly linear in ln n, because the statistic is a maximum over
    # nearly stationary stretches on the scale of ln n: interpolate linearly between the sizes of
    # the table. In the limit the process is Ornstein-Uhlenbeck, whose exit rate extrapolates the
    # table beyond its last size.
    table = load_table()
    place, nodes = np.log(size), np.log(table.sizes)
    if size >= table.sizes[-1]:
        strain = table.strain[-1] + table.drift * (place - nodes[-1])
    else:
        i = int(np.searchsorted(table.sizes, size, side="right")) - 1
        share = (place - nodes[i]) / (nodes[i + 1] - nodes[i])
        strain = table.strain[i] + share * (table.strain[i + 1] - table.strain[i])
    # Maxima follow Gumbel's distribution: on its scale quantiles are nearly linear, too.
    asked, scale = -np.log(-np.log(min(level, 1.0 - 2.0**-53))), -np.log(strain)
    slope = (table.values[-1] - table.values[-2]) / (scale[-1] - scale[-2])
    beyond = max(0.0, asked - scale[-1]) * slope
    return _SAFE * float(np.interp(asked, scale, table.values) + beyond)


def rate_limits(counts: FloatArray, size: int, bound: float) -> tuple[FloatArray, FloatArray]:
    """Smallest and largest rate p with n KL(j/n || p) <= bound, for every count j out of n.

    Both have a relative error of about 1e-12, also close to 0.

    Examples
    --------
    >>> low, high = rate_limits(np.array([0.0, 1.0, 2.0]), size=2, bound=3.0)
    >>> low.round(4), high.round(4)
    (array([0.    , 0.0126, 0.2231]), array([0.7769, 0.9874, 1.    ]))
    """
    rates, rest = counts / size, size - counts
    low = rates * np.exp(-_shrinkage(rest, counts, bound))
    high = rates - (rest / size) * np.expm1(-_shrinkage(counts, rest, bound))
    return low, high


def _shrinkage(hits: FloatArray, rest: FloatArray, bound: float) -> FloatArray:
    """Find w so that a rate of misses exp(-w) times the observed one has divergence `bound`."""
    # The divergence rest w - hits ln(1 + rest (1 - exp(-w)) / hits) is convex in w, so Newton steps
    # from above the root decrease to it. Two upper bounds give the starting value: for few hits,
    # 1 - exp(-w) <= w and r - ln(1 + r) >= 3 r^2 / (6 + 4 r); for many, the limit of infinitely
    # many hits and w - 1 + exp(-w) >= w^2 / (2 + w).
    misses = np.maximum(rest, 1.0)  # without misses the rate is 1 for any w
    few = (2.0 * bound + np.sqrt(4.0 * bound**2 + 18.0 * hits * bound)) / (3.0 * misses)
    many = (bound + np.sqrt(bound**2 + 8.0 * misses * bound)) / (2.0 * misses)
    w = np.minimum(few, many)
    for _ in range(_STEPS):
        gained = -misses * np.expm1(-w)
        cost = misses * w - hits * np.log1p(gained / np.maximum(hits, 1.0))
        w -= (cost - bound) * (hits + gained) / (misses * (hits + gained - hits * np.exp(-w)))
    return w
