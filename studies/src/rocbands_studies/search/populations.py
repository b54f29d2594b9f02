"""Populations of the search, each described by numbers that JSON can hold, with their truth.

Nothing of the package is used here. A distribution of scores is a mixture of known distributions,
maybe rounded; its survival function gives rates, curves and areas. Scores are drawn by inverse
distribution functions of normal variables, so that rows, models and groups can depend on each
other while every score keeps its distribution.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, gammaincc, gammaincinv, log_ndtr, logit, ndtr, ndtri, stdtr

Array = Any
Rng = np.random.Generator
# A component: share, kind, location, scale, shape.
Component = tuple[float, str, float, float, float]
LEVELS_OF_ROUNDING = 40  # rounded scores lie within so many steps of 0


def _survive_lognormal(z: Array, shape: float) -> Array:
    with np.errstate(divide="ignore"):
        return ndtr(-np.log(np.maximum(z, 0.0)) / shape)


def _survive_laplace(z: Array, shape: float) -> Array:
    tail = 0.5 * np.exp(-np.abs(z))
    return np.where(z > 0.0, tail, 1.0 - tail)


def _invert_t(x: Array, shape: float) -> Array:
    """Closed forms for 1, 2 and 4 degrees of freedom (Shaw 2006, J. Computational Finance 9)."""
    u, rest = ndtr(x), ndtr(-x)
    if shape == 1:
        return np.sign(x) / np.tan(np.pi * np.minimum(u, rest))
    tail = 4.0 * u * rest
    if shape == 2:
        return (u - rest) * np.sqrt(2.0 / tail)
    root = np.cos(np.arccos(np.sqrt(np.minimum(tail, 1.0))) / 3.0) / np.sqrt(tail)
    return np.sign(x) * 2.0 * np.sqrt(np.maximum(root - 1.0, 0.0))


# P(Z >= z); of a point, where P(Z > z) differs, see `survive`.
SURVIVAL: dict[str, Callable[[Array, float], Array]] = {
    "normal": lambda z, shape: ndtr(-z),
    "t": lambda z, shape: stdtr(shape, -z),
    "uniform": lambda z, shape: np.clip(1.0 - z, 0.0, 1.0),
    "laplace": _survive_laplace,
    "gamma": lambda z, shape: gammaincc(shape, np.maximum(z, 0.0)),
    "falling": lambda z, shape: -np.expm1(np.minimum(z, 0.0)),  # minus an exponential variable
    "lognormal": _survive_lognormal,
}
# The quantile function at ndtr(x), for normal x.
INVERSE: dict[str, Callable[[Array, float], Array]] = {
    "point": lambda x, shape: np.zeros_like(x),
    "normal": lambda x, shape: x,
    "t": _invert_t,
    "uniform": lambda x, shape: ndtr(x),
    "laplace": lambda x, shape: -np.sign(x) * (log_ndtr(-np.abs(x)) + np.log(2.0)),
    "gamma": lambda x, shape: gammaincinv(shape, ndtr(x)),
    "falling": lambda x, shape: log_ndtr(x),
    "lognormal": lambda x, shape: np.exp(shape * x),
}


def survive(kind: str, z: Array, shape: float, strict: bool) -> Array:
    """P(Z >= z), or P(Z > z)."""
    if kind == "point":
        return np.where(z < 0.0 if strict else z <= 0.0, 1.0, 0.0)
    return SURVIVAL[kind](z, shape)


def invert(kind: str, x: Array, shape: float) -> Array:
    return INVERSE[kind](x, shape)


@dataclass(frozen=True)
class Law:
    """Scores of one class: a mixture; in whole steps if `step` is not 0."""

    parts: tuple[Component, ...]
    step: float = 0.0

    def survival(self, threshold: Array, strict: bool = False) -> Array:
        """Probability of a score at or above each threshold."""
        at = np.asarray(threshold, dtype=float)
        if self.step:
            level = np.ceil(at / self.step - 1e-9) + strict * (
                np.abs(np.rint(at / self.step) - at / self.step) < 1e-9
            )
            inside = sum(w * survive(kind, (level * self.step - loc) / scale, shape, False)
                         for w, kind, loc, scale, shape in self.parts)  # fmt: skip
            inside = np.where(level > LEVELS_OF_ROUNDING, 0.0, inside)
            return np.where(level <= -LEVELS_OF_ROUNDING, 1.0, inside)
        return sum(
            w * survive(kind, (at - loc) / scale, shape, strict)
            for w, kind, loc, scale, shape in self.parts
        )

    def scores(self, choice: Array, x: Array) -> Array:
        """Scores of rows: `choice` and `x` are normal, for the component and within it."""
        ends = np.cumsum([part[0] for part in self.parts])
        which = np.minimum(np.searchsorted(ends, ndtr(choice) * ends[-1], "right"), len(ends) - 1)
        found = np.empty_like(x)
        for k, (_, kind, loc, scale, shape) in enumerate(self.parts):
            mine = which == k
            found[mine] = loc + scale * invert(kind, x[mine], shape)
        if self.step:
            level = np.clip(np.floor(found / self.step), -LEVELS_OF_ROUNDING, LEVELS_OF_ROUNDING)
            found = level * self.step
        return found

    def thresholds(self, count: int) -> Array:
        """Scores between which the distribution is practically straight."""
        if self.step:
            return np.arange(-LEVELS_OF_ROUNDING, LEVELS_OF_ROUNDING + 1) * self.step
        far = ndtri(expit(np.linspace(-30.0, 30.0, count)))
        with np.errstate(invalid="ignore"):
            made = [
                loc + scale * np.append(invert(kind, far, shape), [0.0, kind == "uniform"])
                for _, kind, loc, scale, shape in self.parts
            ]
        return np.unique(np.concatenate(made))

    @property
    def points(self) -> set[float]:
        return {loc for _, kind, loc, _, _ in self.parts if kind == "point"}

    def moved(self, shift: float) -> Law:
        return Law(tuple((w, k, loc + shift, s, p) for w, k, loc, s, p in self.parts), self.step)


def span(x: Array, y: Array, at: Array) -> tuple[Array, Array]:
    """Smallest and largest y of a nondecreasing polyline at some x."""
    at = np.asarray(at, dtype=float)
    found = []
    for side, step in (("left", 0), ("right", -1)):
        place = np.clip(np.searchsorted(x, at, side) + step, 0, x.size - 1)
        exact = x[place] == at
        after = np.clip(np.searchsorted(x, at, "left"), 1, x.size - 1)
        run = x[after] - x[after - 1]
        share = np.divide(at - x[after - 1], run, out=np.zeros_like(at), where=run > 0)
        line = y[after - 1] + np.clip(share, 0.0, 1.0) * (y[after] - y[after - 1])
        found.append(np.where(exact, y[place], line))
    return found[0], found[1]


def area_between(x: Array, y: Array, low: float, high: float) -> float:
    """Area under a polyline between two x."""
    inner = (x > low) & (x < high)
    at = np.concatenate([[low], x[inner], [high]])
    return float(
        np.trapezoid(np.concatenate([[span(x, y, low)[1]], y[inner], [span(x, y, high)[0]]]), at)
    )


@dataclass(frozen=True)
class Pair:
    """Scores of both classes, and the truth about them."""

    pos: Law
    neg: Law

    @classmethod
    def of(cls, spec: dict[str, Any]) -> Pair:
        def law(parts: Any) -> Law:
            return Law(tuple(tuple(part) for part in parts), spec.get("step", 0.0))

        return cls(law(spec["pos"]), law(spec["neg"]))

    def trace(self, count: int) -> tuple[Array, Array, Array]:
        """Rates along the curve, and which of its pieces are single tied scores."""
        at = np.union1d(self.pos.thresholds(count), self.neg.thresholds(count))[::-1]
        points = np.array(sorted(self.pos.points | self.neg.points))
        tied = np.isin(at, points) | bool(self.pos.step)
        rates = []
        for law in (self.neg, self.pos):
            both = np.stack([law.survival(at, strict=True), law.survival(at)], axis=1).ravel()
            both = np.minimum(both, 1.0)  # shares may add up to a little more
            rates.append(np.maximum.accumulate(np.concatenate([[0.0], both, [1.0]])))
        x, y = rates
        ties = np.zeros(x.size - 1, dtype=bool)
        ties[1:-1:2] = tied
        keep = (np.diff(x) > 1e-13) | (np.diff(y) > 1e-13)
        stay = np.concatenate([[True], keep])
        x, y = x[stay], y[stay]
        x[-1] = y[-1] = 1.0
        return x, y, ties[keep]

    @cached_property
    def curve(self) -> tuple[Array, Array]:
        """The true curve as a polyline of some hundred points."""
        x, y, _ = self.trace(201)
        return x, y

    @cached_property
    def fine(self) -> tuple[Array, Array, Array]:
        return self.trace(2001)

    @cached_property
    def auc(self) -> float:
        x, y, _ = self.fine
        return float(np.trapezoid(y, x))

    def height(self, fpr: Array) -> Array:
        """The true positive rate at false positive rates (the largest, where it jumps)."""
        return span(*self.fine[:2], fpr)[1]

    def rates(self, threshold: Array) -> tuple[Array, Array]:
        """The rates (fpr, tpr) of thresholds."""
        return self.neg.survival(threshold), self.pos.survival(threshold)

    def partial_area(self, low: float, high: float) -> float:
        """Area under the curve between two false positive rates."""
        return area_between(*self.fine[:2], low, high)

    def right_area(self, low: float, high: float) -> float:
        """Area to the right of the curve between two true positive rates."""
        x, y, _ = self.fine
        return area_between(1.0 - y[::-1], 1.0 - x[::-1], 1.0 - high, 1.0 - low)

    def average_precision(self, share: float) -> float:
        """Integral of the precision over the recall; tied scores count at once."""
        x, y, tied = self.fine
        rise = np.diff(y)

        def precision(u: Array, v: Array) -> Array:
            below = share * v + (1 - share) * u
            return np.divide(share * v, below, out=np.zeros_like(below), where=below > 0)

        end = precision(x[1:], y[1:])
        inner = [
            precision(x[:-1] + f * np.diff(x), y[:-1] + f * rise) for f in (np.arange(8) + 0.5) / 8
        ]
        return float(np.sum(rise * np.where(tied, end, np.mean(inner, axis=0))))

    def recall(self, share: float, rate: float) -> float:
        """Recall when this share of cases is acted on; of tied cases a fraction."""
        x, y, _ = self.fine
        return float(np.interp(rate, share * y + (1 - share) * x, y))

    @cached_property
    def equal_error(self) -> float:
        """The rate where fpr = 1 - tpr."""
        x, y, _ = self.fine
        return float(np.interp(1.0, x + y, x))

    def quantile(self, share: float) -> float:
        """A threshold that about this share of both classes is below."""
        at = np.union1d(self.pos.thresholds(201), self.neg.thresholds(201))
        above = (self.pos.survival(at) + self.neg.survival(at)) / 2
        return float(at[min(int(np.searchsorted(-above, share - 1.0)), at.size - 1)])


# ------------------------------------------------------------------------------ random scores


def draw_parts(rng: Rng, loc: float, scale: float) -> list[Component]:
    """One class of a mixture."""
    count = int(rng.integers(1, 4))
    shares = rng.dirichlet(np.ones(count))
    kinds = rng.choice(["normal", "normal", "laplace", "t", "gamma", "falling"], count)
    made = []
    for share, kind in zip(shares, kinds, strict=True):
        shape = float(rng.choice([1, 2, 4])) if kind == "t" else float(rng.choice([0.5, 1, 3]))
        spread = scale * float(np.exp(rng.uniform(-1.2, 0.8)))
        made.append((float(share), str(kind), loc + float(rng.normal(0, 1.2)), spread, shape))
    return made


def draw_uniforms(shares: Array) -> list[Component]:
    """A piecewise constant density on the intervals (0, 1), (1, 2), ..."""
    return [(float(w), "uniform", float(k), 1.0, 0.0) for k, w in enumerate(shares) if w > 0]


Laws = tuple[list[Component], list[Component]]  # of negatives, of positives
NORMAL: list[Component] = [(1.0, "normal", 0.0, 1.0, 0.0)]


def _draw_heavy(rng: Rng, shift: float, spread: float) -> Laws:
    df = float(rng.choice([1, 2, 4]))
    return [(1.0, "t", 0.0, 1.0, df)], [(1.0, "t", 1.5 * shift, spread, df)]


SKEWED = (("gamma", 0.5), ("gamma", 1.0), ("lognormal", 1.0), ("lognormal", 2.0), ("falling", 0.0))


def _draw_skewed(rng: Rng, shift: float, spread: float) -> Laws:
    law, shape = SKEWED[int(rng.integers(len(SKEWED)))]
    away = 0.0 if rng.random() < 0.5 else shift
    scale = float(np.exp(rng.uniform(-0.5, 2.5)))
    return [(1.0, law, 0.0, 1.0, shape)], [(1.0, law, away, scale, shape)]


CORNERS = (0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.98)


def _draw_corner(rng: Rng, shift: float, spread: float) -> Laws:
    """A yes/no feature beside a score."""
    fpr, tpr = np.sort(rng.choice(CORNERS, 2, replace=False)).tolist()
    inner = float(rng.choice([0.0, 0.0, 0.5, 1.0]))
    return (
        [(fpr, "normal", 30.0, 1.0, 0.0), (1 - fpr, "normal", 0.0, 1.0, 0.0)],
        [(tpr, "normal", 30.0 + inner, 1.0, 0.0), (1 - tpr, "normal", inner, 1.0, 0.0)],
    )


def _draw_pieces(rng: Rng, shift: float, spread: float) -> Laws:
    """A curve of straight pieces."""
    count = int(rng.integers(2, 8))
    rise = rng.dirichlet(np.full(count, 0.6)) * np.arange(1, count + 1) ** 2
    return draw_uniforms(rng.dirichlet(np.full(count, 0.6))), draw_uniforms(rise / rise.sum())


def _draw_staircase(rng: Rng, shift: float, spread: float) -> Laws:
    """Runs of negatives and of positives by turns."""
    count = int(rng.choice([2, 3, 5, 10, 20]))
    high, low = np.zeros(2 * count), np.zeros(2 * count)
    better = np.exp(rng.uniform(0, 3) * np.arange(count) / count)
    high[1::2] = rng.dirichlet(np.full(count, 3.0)) * better
    low[::2] = rng.dirichlet(np.full(count, 3.0))
    return draw_uniforms(low), draw_uniforms(high / high.sum())


def _draw_hook(rng: Rng, shift: float, spread: float) -> Laws:
    """A few positives below all negatives, or negatives above all positives, or both."""
    share = float(rng.choice([0.02, 0.05, 0.1, 0.2]))
    where = int(rng.integers(3))
    neg, pos = list(NORMAL), [(1.0, "normal", shift, spread, 0.0)]
    if where != 1:
        pos = [(1 - share, "normal", shift, spread, 0.0), (share, "normal", -6.0, 0.3, 0.0)]
    if where != 0:
        neg = [(1 - share, "normal", 0.0, 1.0, 0.0), (share, "normal", 9.0, 0.3, 0.0)]
    return neg, pos


def _draw_points(rng: Rng, shift: float, spread: float) -> Laws:
    """A score that many rows of both classes share."""
    a, b = rng.uniform(0.05, 0.9, 2).tolist()
    where = float(rng.choice([-1.0, 0.0, 1.0, 2.0]))
    return (
        [(a, "point", where, 1.0, 0.0), (1 - a, "normal", 0.0, 1.0, 0.0)],
        [(b, "point", where, 1.0, 0.0), (1 - b, "normal", shift, spread, 0.0)],
    )


def _pool(
    offsets: Array, scales: Array, shares: tuple[Array, Array], shift: float, spread: float
) -> Laws:
    """Normal scores of several places, each with its offset, its unit and its class shares."""
    made = [
        [(float(w), "normal", float(o + k * d), float(k * sd), 0.0)
         for w, o, k in zip(share, offsets, scales, strict=True)]
        for share, d, sd in zip(shares, (0.0, shift), (1.0, spread), strict=True)
    ]  # fmt: skip
    return made[0], made[1]


def _draw_sites(rng: Rng, shift: float, spread: float) -> Laws:
    """Two to four pooled sites with an offset, half the time with other shares of positives."""
    count = int(rng.choice([2, 2, 3, 4]))
    offsets = np.append(0.0, np.cumsum(rng.uniform(2.0, 8.0, count - 1)))
    of_neg, of_pos = rng.dirichlet(np.full(count, 3.0), 2)
    shares = of_neg, of_neg if rng.random() < 0.5 else of_pos
    return _pool(offsets, np.ones(count), shares, 0.5 + shift, spread)


def _draw_batches(rng: Rng, shift: float, spread: float) -> Laws:
    """Many batches, each with an offset and a unit of its own."""
    count = int(rng.integers(3, 11))
    offsets = rng.normal(0.0, float(rng.uniform(1.0, 6.0)), count)
    scales = np.exp(rng.uniform(-1.0, 1.0, count))
    share = rng.dirichlet(np.full(count, 5.0))
    return _pool(offsets, scales, (share, share), shift, spread)


def _draw_step(rng: Rng, shift: float, spread: float) -> Laws:
    """A vertical or a level step in the middle of a normal curve."""
    share, where = float(rng.uniform(0.1, 0.5)), float(rng.uniform(-0.5, 1.5))
    # A narrow range of scores that only one class has.
    laws: list[list[Component]] = [list(NORMAL), [(1.0, "normal", shift, spread, 0.0)]]
    rising = int(rng.integers(2))
    (_, *rest), *_ = laws[rising]
    laws[rising] = [(1 - share, *rest), (share, "uniform", where, 0.01, 0.0)]  # type: ignore[list-item]
    return laws[0], laws[1]


def _draw_useless(rng: Rng, shift: float, spread: float) -> Laws:
    """Scores of one distribution, whatever the class."""
    kinds = ("skewed", "mixture", "sites", "points", "pieces")
    kind = kinds[int(rng.integers(len(kinds)))]
    neg, _ = KINDS[kind][1](rng, shift, spread)
    return neg, neg


def _draw_ties(rng: Rng, shift: float, spread: float) -> Laws:
    """Ratings, votes or probabilities of few digits: 2 to 80 levels, some of them rare."""
    count = int(rng.choice([2, 3, 4, 5, 8, 11, 21, 51, 80]))
    uneven = float(rng.choice([0.3, 1.0, 5.0]))
    neg = rng.dirichlet(np.full(count, uneven)) + 1e-3
    at = np.linspace(-1.0, 1.0, count)
    pos = neg * np.exp(shift * at) if rng.random() < 0.7 else rng.dirichlet(np.full(count, uneven))
    return tuple(
        [(float(w), "uniform", float(k - count // 2), 1.0, 0.0) for k, w in enumerate(law / law.sum())]
        for law in (neg, pos)
    )  # type: ignore[return-value]  # fmt: skip


# How often a kind is drawn, and how; a shift and a spread of the positives are given.
KINDS: dict[str, tuple[float, Callable[[Rng, float, float], Laws]]] = {
    "binormal": (0.08, lambda rng, d, sd: (NORMAL, [(1.0, "normal", d, sd, 0.0)])),
    "heavy": (0.07, _draw_heavy),
    "skewed": (0.07, _draw_skewed),
    "mixture": (0.09, lambda rng, d, sd: (draw_parts(rng, 0.0, 1.0), draw_parts(rng, d, sd))),
    "corner": (0.09, _draw_corner),
    "pieces": (0.06, _draw_pieces),
    "staircase": (0.05, _draw_staircase),
    "hook": (0.06, _draw_hook),
    "points": (0.05, _draw_points),
    "chance": (0.02, lambda rng, d, sd: (NORMAL, NORMAL)),
    "excellent": (0.05, lambda rng, d, sd: (NORMAL, [(1.0, "normal", 2.5 + d * 0.8, sd, 0.0)])),
    "sites": (0.08, _draw_sites),
    "batches": (0.05, _draw_batches),
    "step": (0.06, _draw_step),
    "useless": (0.04, _draw_useless),
    "ties": (0.08, _draw_ties),
}


def draw_scores(rng: Rng) -> dict[str, Any]:
    """Scores of one model, of some kind; `kind` is for readers only."""
    kind = str(rng.choice(list(KINDS), p=[often for often, _ in KINDS.values()]))
    shift = float(rng.uniform(0.0, 3.0))
    spread = float(np.exp(rng.uniform(-1.2, 1.2)))
    neg, pos = KINDS[kind][1](rng, shift, spread)
    rounded = rng.random() < 0.25 and kind not in ("points", "corner", "useless")
    step = float(rng.choice([0.25, 0.5, 1.0, 2.0])) if rounded else 0.0
    if kind == "ties":
        step = 1.0
    if rng.random() < 0.15 and kind not in ("corner", "ties"):  # swapped classes, reversed scores
        kind, neg, pos = f"{kind} mirrored", *_mirror(pos, neg)
    return {"kind": kind, "pos": shorten(pos), "neg": shorten(neg), "step": step}


def shorten(parts: list[Component]) -> list[Component]:
    """The same with four digits after the point, shares adding up to 1."""
    made = [(round(w, 4), k, round(loc, 4), round(max(s, 0.01), 4), p) for w, k, loc, s, p in parts]
    total = sum(part[0] for part in made)
    return [(w / total, *rest) for w, *rest in made if w > 0]  # type: ignore[misc]


def _mirror(*laws: list[Component]) -> list[list[Component]]:
    """Distributions of scores with the other sign, where that is one of ours."""
    other = {"gamma": "falling", "falling": "gamma"}
    made = []
    for law in laws:
        parts: list[Component] = []
        for w, kind, loc, scale, shape in law:
            if kind == "uniform":
                parts.append((w, kind, -loc - scale, scale, shape))
            elif kind == "lognormal" or (kind == "gamma" and shape != 1.0):
                parts.append((w, kind, loc, scale, shape))  # has no mirror image here
            else:
                parts.append(
                    (w, other.get(kind, kind), -loc, scale, 1.0 if kind == "falling" else shape)
                )
        made.append(parts)
    return made


def draw_second(rng: Rng, first: dict[str, Any]) -> dict[str, Any]:
    """A second model: the same curve, another with the same area, or another one."""
    how = rng.random()
    if how < 0.5:
        return dict(first, kind="same curve")
    other = draw_scores(rng)
    wanted = Pair.of(first).auc
    if how < 0.8 and not other["step"] and 0.52 < wanted < 0.995:
        law = Pair.of(other)

        def lack(shift: float, count: int = 2001) -> float:
            x, y, _ = Pair(law.pos.moved(shift), law.neg).trace(count)
            return float(np.trapezoid(y, x)) - wanted

        grid = np.linspace(-12.0, 12.0, 13)
        values = [lack(at, 101) for at in grid]
        for a, b, low, high in zip(grid, grid[1:], values, values[1:], strict=False):
            if low < -1e-3 and high > 1e-3:
                shift = float(brentq(lack, a, b, xtol=1e-9))
                moved = law.pos.moved(shift)
                found = dict(other, kind=f"{other['kind']}, same area", pos=list(moved.parts))
                if abs(Pair.of(found).auc - wanted) < 1e-6:
                    return found
    return other


def draw_sizes(rng: Rng, most: int, least: int = 3) -> tuple[int, int]:
    """Class sizes: from tiny to `most` rows, balanced or up to 1:100."""
    small = int(np.exp(rng.uniform(np.log(least), np.log(max(most / 2, least + 1)))))
    ratio = 1.0 if rng.random() < 0.4 else float(np.exp(rng.uniform(0.0, np.log(100))))
    large = int(min(small * ratio, most - small))
    sizes = (max(small, least), max(large, least))
    return sizes if rng.random() < 0.6 else sizes[::-1]


# ----------------------------------------------------------------------------- rows and designs


@dataclass
class Rows:
    """Drawn rows: labels, scores of each model, and columns of the design."""

    y: Array
    scores: Array
    columns: dict[str, Array] = field(default_factory=dict)


def draw_dependent(
    pairs: list[Pair], y: Array, rng: Rng, rho: tuple[float, float] = (0.0, 0.0),
    groups: Array | None = None, icc: float = 0.0, opposite: bool = False, one_site: bool = False,
) -> Array:  # fmt: skip
    """Scores of several models of the same rows.

    Normal variables of two models have the correlation rho[label], those of two rows of a group
    icc; with `opposite` a group's effect has the other sign among its negatives, with `one_site`
    a row comes from the same component (a site, a batch) for all models.
    """
    models, n = len(pairs), y.size
    keep = np.sqrt(np.where(y == 1, rho[1], rho[0]))

    def normals(size: int, at: Array | None) -> Array:
        own = rng.standard_normal((models, 2, size))
        common = rng.standard_normal((2, size)) if models > 1 else np.zeros((2, size))
        if at is not None:
            own, common = own[..., at], common[..., at]
        return keep * common + np.sqrt(1.0 - keep**2) * own if models > 1 else own

    z = normals(n, None)
    if groups is not None and icc:
        effect = normals(int(groups.max()) + 1, groups)
        if opposite:
            effect = effect * np.where(y == 1, 1.0, -1.0)
        z = np.sqrt(icc) * effect + np.sqrt(1.0 - icc) * z
    if one_site:
        z[:, 0] = z[0, 0]
    found = np.empty((models, n))
    for k, pair in enumerate(pairs):
        for label, law in ((1, pair.pos), (0, pair.neg)):
            rows = y == label
            found[k, rows] = law.scores(z[k, 0, rows], z[k, 1, rows])
    return found


def draw_labels(sizes: tuple[int, int], rng: Rng, random: bool) -> Array:
    """Labels of fixed class sizes, or of rows of a population with that share of positives."""
    m, n = sizes
    if not random:
        return np.repeat([1, 0], [m, n])
    while True:
        y = (rng.random(m + n) < m / (m + n)).astype(int)
        if 0 < y.sum() < y.size:
            return y


def draw_group_sizes(rng: Rng, kind: str, rows: int) -> Array:
    """Sizes of groups that have so many rows in total."""
    count = rows  # more than enough groups
    if kind == "uneven":
        sizes = rng.choice([1, 12], count, p=[0.8, 0.2])
    elif kind == "1 to 6":
        sizes = rng.integers(1, 7, count)
    else:
        sizes = np.full(count, int(kind))
    return np.repeat(np.arange(count), sizes)[:rows]


def draw_design(rng: Rng, kind: str) -> dict[str, Any]:
    """How rows are drawn: groups, weights, strata, bins, or survival times."""
    if kind == "groups":
        return {
            "kind": kind,
            "size": str(rng.choice(["2", "5", "1 to 6", "uneven"])),
            "mixed": bool(rng.random() < 0.5),
            "icc": float(rng.choice([0.1, 0.3, 0.6, 0.9])),
            "opposite": bool(rng.random() < 0.25),
        }
    if kind == "weights":
        by = str(rng.choice(["score", "label", "label and score", "nothing"]))
        count = int(rng.integers(2, 4))
        cuts = np.sort(rng.uniform(0.1, 0.9, count - 1)).round(2)
        chances = rng.choice([1.0, 0.5, 0.3, 0.2, 0.1, 0.05], (2, count))
        chances[0 if rng.random() < 0.5 else 1, int(rng.integers(count))] = 1.0
        if by == "score":
            chances[1] = chances[0]
        if by == "label":
            chances[:] = chances[:, :1]
        return {"kind": kind, "by": by, "cuts": cuts.tolist(), "chances": chances.tolist(), "cv": float(rng.choice([0.5, 1.0, 2.0]))}  # fmt: skip
    if kind == "strata":
        count = int(rng.integers(2, 5))
        return {
            "kind": kind,
            "population": rng.dirichlet(np.full(count, 2.0)).round(4).tolist(),
            "sample": rng.dirichlet(np.full(count, 2.0)).round(4).tolist(),
            "odds": np.exp(rng.uniform(-1.0, 1.0, count)).round(3).tolist(),
            "shift": (rng.normal(0.0, 0.7, count)).round(3).tolist(),
        }
    if kind == "bins":
        return {"kind": kind, "offset": float(rng.choice([0.0, 0.0, 100.0, 3000.0]))}
    if kind == "survival":
        return {"kind": kind, "censored": float(rng.choice([0.2, 0.5, 1.0]))}
    return {"kind": kind}


def mix_strata(pair: Pair, design: dict[str, Any], share: float) -> tuple[Pair, Array]:
    """The curve of the population, and the share of positives in each stratum."""
    prevalence = expit(logit(share) + np.log(design["odds"]))
    laws = []
    for law, weight in ((pair.pos, prevalence), (pair.neg, 1 - prevalence)):
        mass = np.asarray(design["population"]) * weight
        parts: list[Component] = []
        for w, shift in zip(mass / mass.sum(), design["shift"], strict=True):
            moved = law.moved(shift)
            parts += [(w * one[0], *one[1:]) for one in moved.parts]
        laws.append(Law(tuple(parts), law.step))
    return Pair(*laws), prevalence


def draw_rows(
    pairs: list[Pair], sizes: tuple[int, int], design: dict[str, Any], rho: tuple[float, float], rng: Rng,
    one_site: bool = False,
) -> Rows:  # fmt: skip
    """Rows of a test set of this design; `sizes` are those of both classes, or expected ones."""
    kind, n = design["kind"], sum(sizes)
    share = sizes[0] / n
    if kind in ("rows", "share", "bins"):
        y = draw_labels(sizes, rng, random=kind == "share")
        scores = draw_dependent(pairs, y, rng, rho, one_site=one_site)
        return Rows(y, scores + design.get("offset", 0.0))
    if kind == "groups":
        if design["mixed"]:
            groups = draw_group_sizes(rng, design["size"], n)
            y = draw_labels(sizes, rng, random=True)
        else:
            y = np.repeat([1, 0], sizes)
            first = draw_group_sizes(rng, design["size"], sizes[0])
            groups = np.append(
                first, first.max() + 1 + draw_group_sizes(rng, design["size"], sizes[1])
            )
        scores = draw_dependent(
            pairs, y, rng, rho, groups, design["icc"], design["opposite"], one_site
        )
        return Rows(y, scores, {"clusters": groups})
    if kind == "weights":
        return _draw_weighted(pairs[0], sizes, design, rng)
    if kind == "strata":
        _, prevalence = mix_strata(pairs[0], design, share)
        counts = np.maximum(np.rint(np.asarray(design["sample"]) * n), 4).astype(int)
        stratum = np.repeat(np.arange(counts.size), counts)
        while True:
            y = (rng.random(stratum.size) < prevalence[stratum]).astype(int)
            if min(y.sum(), (1 - y).sum()) >= 2:
                break
        z = draw_dependent([Pair(Law(pairs[0].pos.parts), Law(pairs[0].neg.parts))], y, rng)
        s = z[0] + np.asarray(design["shift"])[stratum]
        if step := pairs[0].pos.step:
            s = np.clip(np.floor(s / step), -LEVELS_OF_ROUNDING, LEVELS_OF_ROUNDING) * step
        weights = (np.asarray(design["population"]) / counts)[stratum]
        return Rows(y, s[None], {"weights": weights, "strata": stratum})
    if kind == "survival":
        y = draw_labels(sizes, rng, random=True)
        scores = draw_dependent(pairs, y, rng)
        event = np.where(y == 1, rng.random(n), 1.0 + rng.exponential(1.0, n))
        censoring = rng.exponential(1.0 / design["censored"], n)
        return Rows(y, scores, {"time": np.minimum(event, censoring), "event": event <= censoring})
    raise ValueError(kind)


def _draw_weighted(pair: Pair, sizes: tuple[int, int], design: dict[str, Any], rng: Rng) -> Rows:
    """Rows of a population, each kept with a chance that depends on label and score."""
    n = sum(sizes)
    share = sizes[0] / n
    cuts = [pair.quantile(cut) for cut in design["cuts"]]
    chances = np.asarray(design["chances"])
    while True:
        parts, have = [], 0
        while have < n:
            y = (rng.random(n) < share).astype(int)
            s = draw_dependent([pair], y, rng)[0]
            if design["by"] == "nothing":
                w = np.exp(np.sqrt(np.log1p(design["cv"] ** 2)) * rng.standard_normal(n))
                keep = np.ones(n, dtype=bool)
            else:
                chance = chances[y, np.searchsorted(cuts, s, "right")]
                keep, w = rng.random(n) < chance, 1.0 / chance
            parts.append((y[keep], s[keep], w[keep]))
            have += int(keep.sum())
        y, s, w = (np.concatenate(side)[:n] for side in zip(*parts, strict=True))
        if min(y.sum(), (1 - y).sum()) >= 2:
            return Rows(y, s[None], {"weights": w})
