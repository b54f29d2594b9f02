"""Populations of two models' scores in groups, weights and strata, with all their true values.

The score of model k in a row of group g is Q(z), with z = sqrt(icc) b + sqrt(1 - icc) e: b is the
group's effect, e the row's own; those of the two models have the correlation `rho`. So z is
standard normal in both classes, and a law gives the scores of each class as increasing functions Q
of it. If the size of a group depends on its effect, rows of large groups count more in the
population, and z is no longer normal there: its distribution is integrated over the effect.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.special import log_ndtr, ndtr, ndtri, stdtr, stdtrit

import rocbands as rb

Rng, Array = np.random.Generator, Any
THRESHOLD, RATE, PART, FPR, BAND, COST = 0.25, 0.2, (0.0, 0.2), 0.1, (0.05, 0.95), 0.5
MODELS = ("one", "two")


class Drawn(NamedTuple):
    """A sample of two models, and of the first alone."""

    sample: Any
    one: Any


class Columns(NamedTuple):
    """Rows that were drawn; scores are probabilities, `weights` and so on None if not used."""

    y: Array
    scores: tuple[Array, Array]
    weights: Array | None
    groups: Array | None
    strata: Array | None


class Stratum(NamedTuple):
    """A stratum of a population: its share of the rows, prevalence, and shift of all scores."""

    share: float
    prevalence: float
    shift: float


@dataclass(frozen=True)
class World:
    """A population, and how a data set is drawn from it."""

    name: str
    aucs: tuple[float, float] = (0.85, 0.8)
    rho: float = 0.3  # correlation of the models
    rows: int = 0  # independent rows; or
    groups: int = 0  # groups of
    sizes: tuple[int, int] = (1, 20)  # so many rows, uniform; or
    pareto: int = 0  # heavy-tailed up to this; or
    informative: float = 0.0  # 1 + Poisson with mean `usual` exp(informative b)
    usual: float = 6.0
    icc: float = 0.5
    one_label: bool = False  # all rows of a group have one label
    apart: bool = False  # a group's effect raises its positives and lowers its negatives
    effect: float = 1.0  # design effect of lognormal weights, independent of scores
    by_group: bool = False  # the weight is that of the group
    labelled: float = 0.0  # rows with a score of model 1 below 1 are labelled with this probability
    thinned: float = 0.0  # negatives are kept with this probability
    n_strata: int = 0  # strata that do not differ; or
    strata: tuple[Stratum, ...] = ()  # strata that do, equally many groups or rows of each
    prevalence: float = 0.3
    sd: float = 1.0  # of the positives' scores
    law: str = "normal"  # or 'exponential', 't3'
    step: float = 0.0  # scores are rounded down to multiples of it
    fresh: bool = field(default=False, compare=False)  # no part in the specification's study

    @property
    def fingerprint(self) -> dict[str, Any]:
        """What draws depend on: not how the cell is called or listed."""
        left_out = ("name", "fresh")
        return {k: v for k, v in vars(self).items() if k in _FIELDS and k not in left_out}

    # ------------------------------------------------------------------ laws of scores

    @cached_property
    def shifts(self) -> tuple[float, float]:
        """Mean of the positives of each model; of 'exponential' their scale."""
        if self.law == "exponential":
            return tuple(auc / (1 - auc) for auc in self.aucs)  # type: ignore[return-value]
        if self.law == "t3":
            return tuple(_find_t3_shift(auc) for auc in self.aucs)  # type: ignore[return-value]
        return tuple(float(ndtri(auc)) * math.hypot(1, self.sd) for auc in self.aucs)  # type: ignore[return-value]

    def score(self, k: int, y: Array, z: Array) -> Array:
        """Score of model k, by class and normal score."""
        if self.law == "exponential":
            return np.where(y, self.shifts[k], 1.0) * -log_ndtr(-z)
        if self.law == "t3":
            return stdtrit(3, ndtr(z)) + self.shifts[k] * y
        return np.where(y, self.shifts[k] + self.sd * z, z)

    def unscore(self, k: int, positive: bool, t: Array) -> Array:
        """Normal score of a score in one class."""
        if self.law == "exponential":
            scale = self.shifts[k] if positive else 1.0
            return -ndtri(np.exp(-np.maximum(t, 0.0) / scale))
        off = self.shifts[k] * positive
        if self.law == "t3":
            return ndtri(np.clip(stdtr(3, t - off), 1e-300, 1 - 1e-16))
        return (t - off) / (self.sd if positive else 1.0)

    @cached_property
    def cuts(self) -> tuple[float, float]:
        """Score of each model that gets the probability .25: about that of equal normal scores."""
        odds = math.log(THRESHOLD / (1 - THRESHOLD) / (self.share / (1 - self.share)))
        if self.law == "exponential":  # where the ratio of densities has these odds
            return tuple(max((odds + math.log(s)) / (1 - 1 / s), 0.1) for s in self.shifts)  # type: ignore[return-value]
        return tuple(odds / d + d / 2 for d in self.shifts)  # type: ignore[return-value]

    def as_probability(self, k: int, s: Array) -> Array:
        """Increasing function of the score that is .25 at the cut, and never rounded to 1."""
        off = s - self.cuts[k]
        place = off / (1.0 + np.abs(off))
        return THRESHOLD + np.where(off < 0, THRESHOLD, 1 - THRESHOLD) * place

    @property
    def share(self) -> float:
        """Share of positives of the population."""
        if self.strata:
            return sum(one.share * one.prevalence for one in self.strata)
        return self.prevalence

    # ------------------------------------------------------------------ drawing

    def draw_data(self, rng: Rng) -> Drawn:
        y, scores, w, g, h = self.draw(rng)
        models = dict(zip(MODELS, scores, strict=True))
        sample = rb.Sample(y, models, weights=w, clusters=g, strata=h)
        return Drawn(sample, sample["one"])

    def draw(self, rng: Rng) -> Columns:
        """Draw rows with at least two units of each class."""
        while True:
            found = self._draw(rng)
            unit = np.arange(found.y.size) if found.groups is None else found.groups
            if min(np.unique(unit[found.y == k]).size for k in (0, 1)) >= 2:
                return found

    def _draw(self, rng: Rng) -> Columns:
        n_units = self.groups or self.rows
        b = self._correlate(rng, n_units)
        g, p = np.arange(n_units), np.full(n_units, self.prevalence)
        h = None
        if self.strata:
            h = np.arange(n_units) % len(self.strata)
            p = np.array([one.prevalence for one in self.strata])[h]
        elif self.n_strata:
            h = np.arange(n_units) % self.n_strata
        if self.groups:
            g = np.repeat(g, self._draw_sizes(rng, b[0]))
            # Shares of positives differ between groups: a beta distribution with a + b = 2.
            p = (rng.random(n_units) < p) * 1.0 if self.one_label else rng.beta(2 * p, 2 * (1 - p))
        n = g.size
        y = rng.random(n) < p[g]
        e = self._correlate(rng, n)
        sign = np.where(y, 1.0, -1.0) if self.apart else 1.0
        icc = self.icc if self.groups else 0.0
        z = math.sqrt(icc) * sign * b[:, g] + math.sqrt(1.0 - icc) * e
        raw = [self.score(k, y, z[k]) for k in (0, 1)]
        w, row_h = None, None if h is None else h[g]
        if self.strata:
            raw = [s + np.array([one.shift for one in self.strata])[row_h] for s in raw]
            w = np.array([one.share for one in self.strata])[row_h] * len(self.strata)
        if self.effect > 1:
            spread = math.sqrt(math.log(self.effect))
            w = np.exp(spread * rng.standard_normal(n_units if self.by_group else n))
            w = w[g] if self.by_group else w
        if self.labelled or self.thinned:
            light = raw[0] > 1.0 if self.labelled else y
            chance = np.where(light, 1.0, self.labelled or self.thinned)
            keep = rng.random(n) < chance
            y, g, w = y[keep], g[keep], 1.0 / chance[keep]
            raw, row_h = [s[keep] for s in raw], None if row_h is None else row_h[keep]
        if self.step:
            raw = [np.floor(s / self.step) * self.step for s in raw]
        scores = tuple(self.as_probability(k, s) for k, s in enumerate(raw))
        return Columns(y.astype(int), scores, w, g if self.groups else None, row_h)  # type: ignore[arg-type]

    def _correlate(self, rng: Rng, n: int) -> Array:
        one, two = rng.standard_normal((2, n))
        return np.stack((one, self.rho * one + math.sqrt(1 - self.rho**2) * two))

    def _draw_sizes(self, rng: Rng, b: Array) -> Array:
        if self.informative:
            return 1 + rng.poisson(self.usual * np.exp(self.informative * b))
        if self.pareto:
            return np.minimum(1.0 / rng.random(b.size), self.pareto).astype(int)
        return rng.integers(self.sizes[0], self.sizes[1] + 1, b.size)

    @cached_property
    def design_effect(self) -> float:
        """Design effect of a mean of scores, of clustering times weights."""
        found = self.effect
        if self.groups:
            rng = np.random.default_rng(0)
            sizes = self._draw_sizes(rng, rng.standard_normal(20_000)).astype(float)
            found *= 1 + (float(sizes @ sizes) / sizes.sum() - 1) * self.icc
        if self.labelled or self.thinned:
            y, _, w, _, _ = self.draw(np.random.default_rng(0))
            found *= float(w @ w) * y.size / float(w.sum()) ** 2  # type: ignore[union-attr, operator]
        if self.strata:
            shares = np.array([one.share for one in self.strata])
            found *= float(shares @ shares) * shares.size
        return found

    # ------------------------------------------------------------------ the truth

    def survival(self, k: int, positive: bool, t: Array) -> Array:
        """Share of a class with a score of model k of at least t."""
        total = np.zeros(np.shape(t))
        mass = 0.0
        for one in self.strata or (Stratum(1.0, self.prevalence, 0.0),):
            own = one.share * (one.prevalence if positive else 1 - one.prevalence)
            total += own * self._exceed(k, positive, self.unscore(k, positive, t - one.shift))
            mass += own
        return total / mass

    def _exceed(self, k: int, positive: bool, z: Array) -> Array:
        """Probability that a row's normal score of model k is above z."""
        if not self.informative or not self.groups:
            return ndtr(-z)
        b = np.linspace(-7.0, 7.0, 281)
        weight = np.exp(-(b**2) / 2) * (1 + self.usual * np.exp(self.informative * b))
        weight /= weight.sum()
        tie = 1.0 if k == 0 else self.rho  # of the model's effect with that of model 1
        sign = -1.0 if self.apart and not positive else 1.0
        mean = sign * math.sqrt(self.icc) * tie * b
        inner = math.sqrt(1 - self.icc * tie**2)
        return ndtr((mean - np.asarray(z)[..., None]) / inner) @ weight

    def curve(self, k: int) -> tuple[Array, Array]:
        """False and true positive rates of model k from (0, 0) to (1, 1); straight at ties."""
        if self.step:
            ends = [[self.score(k, np.array(y), np.array(z)) for y in (False, True)] for z in (-8, 8)]  # fmt: skip
            shifts = [one.shift for one in self.strata] or [0.0]
            low = math.floor((float(np.min(ends)) + min(shifts)) / self.step)
            high = math.ceil((float(np.max(ends)) + max(shifts)) / self.step)
            t = np.arange(high, low - 1, -1.0) * self.step
        else:
            z = np.linspace(8.0, -8.0, 4001)
            both = [self.score(k, np.full(z.size, y), z) for y in (False, True)]
            t = np.unique([s + one.shift for s in both for one in self.strata or [Stratum(1, 0, 0)]])[::-1]  # fmt: skip
        x, y = (self.survival(k, positive, t) for positive in (False, True))
        return np.concatenate(([0.0], x, [1.0])), np.concatenate(([0.0], y, [1.0]))

    @cached_property
    def curves(self) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
        return self.curve(0), self.curve(1)

    def rates_at_cut(self, k: int) -> tuple[float, float]:
        """Rates of calling rows with a probability of at least .25."""
        cut = self.cuts[k]
        if self.step:
            cut = math.ceil(cut / self.step - 1e-12) * self.step
        fpr, tpr = (float(self.survival(k, positive, np.array(cut))) for positive in (False, True))
        return fpr, tpr

    def gap(self, fpr: Array) -> Array:
        """True difference of the curves."""
        (x1, y1), (x2, y2) = self.curves
        return np.interp(fpr, x1, y1) - np.interp(fpr, x2, y2)

    @cached_property
    def truth(self) -> dict[str, float]:
        """True values of all statements but the difference band's."""
        each = [self._find_truth(k) for k in (0, 1)]
        found = dict(each[0])
        for name in ("AUC", "pAUC", "AP", "NB", "recall", "cost"):
            found[f"{name} diff"] = each[0][name] - each[1][name]
        found["TPR diff"] = each[0]["TPR"] - each[1]["TPR"]
        return found

    def _find_truth(self, k: int) -> dict[str, float]:
        (x, y), p = self.curves[k], self.share
        fpr, tpr = self.rates_at_cut(k)
        odds = THRESHOLD / (1 - THRESHOLD)
        called = p * y + (1 - p) * x
        precision = np.divide(p * y, called, out=np.ones_like(y), where=called > 0)
        # Ties are one step of the sum; a fine grid is refined by the mean of its ends.
        heights = precision[1:] if self.step else (precision[1:] + precision[:-1]) / 2
        inner = (x > PART[0]) & (x < PART[1])
        at = np.concatenate(([PART[0]], x[inner], [PART[1]]))
        up = np.concatenate(([np.interp(PART[0], x, y)], y[inner], [np.interp(PART[1], x, y)]))
        return {
            "AUC": float(np.trapezoid(y, x)),
            "pAUC": float(np.trapezoid(up, at)),
            "TPR": float(np.interp(FPR, x, y)),
            "AP": float(np.diff(y) @ heights),
            "NB": p * tpr - (1 - p) * odds * fpr,
            "PPV": p * tpr / (p * tpr + (1 - p) * fpr),
            "recall": float(np.interp(RATE, called, y)),
            "cost": COST * (1 - tpr) + (1 - COST) * fpr,
        }


_FIELDS = tuple(World.__dataclass_fields__)


def _find_t3_shift(auc: float) -> float:
    """Distance of two t distributions with 3 degrees of freedom, by bisection of the area."""
    x = np.linspace(1e-6, 1 - 1e-6, 4001)
    low, high = -20.0, 20.0
    for _ in range(60):
        d = (low + high) / 2
        area = float(np.mean(1 - stdtr(3, stdtrit(3, 1 - x) - d)))
        low, high = (d, high) if area < auc else (low, d)
    return (low + high) / 2


# ---------------------------------------------------------------------------------- cells

NEAR, EQUAL, HIGH, LOW = (
    {"aucs": (0.85, 0.8), "rho": 0.3},
    {"aucs": (0.85, 0.85), "rho": 0.9},
    {"aucs": (0.96, 0.93), "rho": 0.9},
    {"aucs": (0.7, 0.7), "rho": 0.3},
)
_NAMES = {id(NEAR): ".85, .8, .3", id(EQUAL): ".85, .85, .9", id(HIGH): ".96, .93, .9", id(LOW): ".7, .7, .3"}  # fmt: skip


def make(name: str, kind: dict[str, Any], **how: Any) -> World:
    return World(f"{name} ({_NAMES[id(kind)]})", **kind, **how)


def specified(name: str, **how: Any) -> World:
    """A world of the specification that was not used for any choice."""
    return World(name, aucs=(0.9, 0.85), rho=0.6, **how)


SPECIFIED = (
    make("100 rows", NEAR, rows=100),
    make("400 rows", EQUAL, rows=400),
    *(
        make(f"{n} groups, icc .5", kind, groups=n)
        for n in (10, 20, 50, 200)
        for kind in (NEAR, EQUAL)
    ),
    *(make(f"{n} groups, icc .5", kind, groups=n) for n in (20, 50) for kind in (LOW, HIGH)),
    make("20 groups of 5 to 20, icc .9", NEAR, groups=20, sizes=(5, 20), icc=0.9),
    make("20 groups of 10 to 20, icc .9, one label", NEAR, groups=20, sizes=(10, 20), icc=0.9, one_label=True),
    make("50 groups, icc .5, one label", NEAR, groups=50, one_label=True),
    make("50 groups, icc .5, one label", HIGH, groups=50, one_label=True),
    make("200 groups of 1 to 6, icc .5, one label", NEAR, groups=200, sizes=(1, 6), one_label=True),
    make("50 groups, icc .5, classes apart", NEAR, groups=50, apart=True),
    *(make(f"{n} rows; W {w:g}", NEAR, rows=n, effect=w) for n in (100, 400, 2000) for w in (1.5, 4)),
    *(make("400 rows; W 4", kind, rows=400, effect=4.0) for kind in (LOW, HIGH, EQUAL)),
    make("1500 rows, labelled 1 or .1 below 1", NEAR, rows=1500, labelled=0.1),
    make("1500 rows, labelled 1 or .1 below 1", HIGH, rows=1500, labelled=0.1),
    make("6000 rows, labelled 1 or .1 below 1", NEAR, rows=6000, labelled=0.1),
    make("50 groups, icc .5; W 1.5", NEAR, groups=50, effect=1.5),
    make("50 groups, icc .5; W 4 by group", NEAR, groups=50, effect=4.0, by_group=True),
    make("200 groups of 1 to 6, icc .5; W 4 by group", EQUAL, groups=200, sizes=(1, 6), effect=4.0, by_group=True),
    make("20 groups, icc .5; 10 strata", NEAR, groups=20, n_strata=10),
    make("50 groups, icc .5; 5 strata", NEAR, groups=50, n_strata=5),
    specified("300 rows; sd 1.5; pi .15", rows=300, sd=1.5, prevalence=0.15),
    specified("30 groups of 2 to 12, icc .4; sd 1.5", groups=30, sizes=(2, 12), icc=0.4, sd=1.5),
    specified("30 groups of 2 to 12, icc .4; pi .15", groups=30, sizes=(2, 12), icc=0.4, prevalence=0.15),
    specified("80 groups, Pareto, icc .4", groups=80, pareto=60, icc=0.4),
    specified("80 groups, Pareto, icc .4; W 2; sd 1.5", groups=80, pareto=60, icc=0.4, effect=2.0, sd=1.5),
    specified("15 groups of 15 to 25, icc .3", groups=15, sizes=(15, 25), icc=0.3),
    specified("300 rows; W 2.5; pi .15", rows=300, effect=2.5, prevalence=0.15),
    specified("300 rows; W 5; sd 1.5", rows=300, effect=5.0, sd=1.5),
    specified("24 groups of 3 to 15, icc .4; W 1.5; 8 strata", groups=24, sizes=(3, 15), icc=0.4, effect=1.5, n_strata=8),
    specified("40 groups of 2 to 12, icc .4, classes apart; sd 1.5", groups=40, sizes=(2, 12), icc=0.4, apart=True, sd=1.5),
    specified("3000 rows, labelled 1 or .05 below 1", rows=3000, labelled=0.05),
    specified("100 groups of 1 to 5, icc .7, one label; pi .15", groups=100, sizes=(1, 5), icc=0.7, one_label=True, prevalence=0.15),
)  # fmt: skip

FIVE = tuple(
    Stratum(share, prevalence, shift)
    for share, prevalence, shift in zip(
        (0.4, 0.3, 0.15, 0.1, 0.05), (0.1, 0.2, 0.3, 0.4, 0.5), (-0.8, -0.4, 0.0, 0.4, 0.8), strict=True
    )
)  # fmt: skip
GOOD, FAIR, POOR, TOP = (
    {"aucs": (0.9, 0.85), "rho": 0.6},
    {"aucs": (0.75, 0.7), "rho": 0.5},
    {"aucs": (0.6, 0.6), "rho": 0.5},
    {"aucs": (0.97, 0.95), "rho": 0.7},
)
_NAMES |= {id(GOOD): ".9, .85, .6", id(FAIR): ".75, .7, .5", id(POOR): ".6, .6, .5", id(TOP): ".97, .95, .7"}  # fmt: skip


def fresh(name: str, kind: dict[str, Any], **how: Any) -> World:
    return make(name, kind, fresh=True, **how)


FRESH = (
    # Few groups.
    fresh("8 groups of 10 to 30, icc .05", FAIR, groups=8, sizes=(10, 30), icc=0.05),
    fresh("8 groups of 10 to 30, icc .2", GOOD, groups=8, sizes=(10, 30), icc=0.2),
    fresh("8 groups of 20 to 60, icc .1", POOR, groups=8, sizes=(20, 60), icc=0.1, prevalence=0.5),
    fresh("10 groups of 20 to 60, icc .1", FAIR, groups=10, sizes=(20, 60), icc=0.1),
    fresh("12 groups of 5 to 15, icc .3", GOOD, groups=12, sizes=(5, 15), icc=0.3),
    fresh("12 groups of 20 to 40, icc .1; pi .1", TOP, groups=12, sizes=(20, 40), icc=0.1, prevalence=0.1),
    fresh("15 groups of 3 to 12, icc .4; pi .5", NEAR, groups=15, sizes=(3, 12), icc=0.4, prevalence=0.5),
    fresh("16 groups of 6 to 12, icc .3, one label; pi .5", FAIR, groups=16, sizes=(6, 12), icc=0.3, one_label=True, prevalence=0.5),
    fresh("20 groups of 2 to 8, icc .6", POOR, groups=20, sizes=(2, 8), icc=0.6),
    fresh("25 groups of 4 to 16, icc .2", TOP, groups=25, sizes=(4, 16), icc=0.2),
    # More groups.
    fresh("30 groups of 2 to 6, icc .8, one label; pi .5", GOOD, groups=30, sizes=(2, 6), icc=0.8, one_label=True, prevalence=0.5),
    fresh("40 groups of 1 to 10, icc .3; pi .1", GOOD, groups=40, sizes=(1, 10), icc=0.3, prevalence=0.1),
    fresh("60 groups of 2 to 12, icc .5; 25 levels", NEAR, groups=60, sizes=(2, 12), step=0.25),
    fresh("60 groups of 2 to 12, icc .5; 6 levels", FAIR, groups=60, sizes=(2, 12), step=1.0),
    fresh("80 groups of 1 to 8, icc .4; exponential", GOOD, groups=80, sizes=(1, 8), icc=0.4, law="exponential"),
    fresh("80 groups of 1 to 8, icc .4; t3", FAIR, groups=80, sizes=(1, 8), icc=0.4, law="t3"),
    fresh("100 groups of 2 to 10, icc .6", LOW, groups=100, sizes=(2, 10), icc=0.6),
    fresh("120 groups of 1 to 4, icc .8, one label", EQUAL, groups=120, sizes=(1, 4), icc=0.8, one_label=True),
    fresh("150 groups of 1 to 15, icc .3; pi .05", GOOD, groups=150, sizes=(1, 15), icc=0.3, prevalence=0.05),
    fresh("200 groups of 1 to 3, icc .9", FAIR, groups=200, sizes=(1, 3), icc=0.9),
    fresh("200 groups of 5 to 45, icc .1", GOOD, groups=200, sizes=(5, 45), icc=0.1),
    fresh("100 groups of 30 to 70, icc .05; pi .05", FAIR, groups=100, sizes=(30, 70), icc=0.05, prevalence=0.05),
    fresh("30 groups of 2 to 12, icc .4, classes apart", FAIR, groups=30, sizes=(2, 12), icc=0.4, apart=True),
    fresh("100 groups of 2 to 12, icc .4, classes apart; pi .15", GOOD, groups=100, sizes=(2, 12), icc=0.4, apart=True, prevalence=0.15),
    fresh("40 groups, Pareto, icc .3; 25 levels", GOOD, groups=40, pareto=40, icc=0.3, step=0.25),
    # Sizes that depend on the group's effect.
    fresh("15 groups, informative sizes, icc .2", FAIR, groups=15, informative=0.4, icc=0.2, usual=10.0),
    fresh("20 groups, informative sizes, icc .3", NEAR, groups=20, informative=0.5, icc=0.3, usual=8.0),
    fresh("50 groups, informative sizes, icc .3", GOOD, groups=50, informative=0.5, icc=0.3),
    fresh("50 groups, informative sizes, icc .5, one label", NEAR, groups=50, informative=0.5, one_label=True, usual=4.0),
    fresh("50 groups, informative sizes, icc .4; exponential", FAIR, groups=50, informative=0.6, icc=0.4, law="exponential"),
    fresh("50 groups, informative sizes, icc .3, classes apart", GOOD, groups=50, informative=0.4, icc=0.3, apart=True),
    fresh("100 groups, informative sizes, icc .3; pi .1", GOOD, groups=100, informative=0.5, icc=0.3, prevalence=0.1),
    fresh("100 groups, informative sizes, icc .2", TOP, groups=100, informative=-0.5, icc=0.2),
    fresh("200 groups, informative sizes, icc .3; W 2", NEAR, groups=200, informative=0.5, icc=0.3, usual=3.0, effect=2.0),
    # Weights.
    fresh("100 rows; W 2", TOP, rows=100, effect=2.0, prevalence=0.5),
    fresh("150 rows; W 2; pi .5", POOR, rows=150, effect=2.0, prevalence=0.5),
    fresh("250 rows; W 3; exponential", FAIR, rows=250, effect=3.0, law="exponential"),
    fresh("300 rows; W 4; 6 levels", GOOD, rows=300, effect=4.0, step=1.0),
    fresh("400 rows; W 2.5; t3", GOOD, rows=400, effect=2.5, law="t3"),
    fresh("500 rows; W 2; 25 levels", NEAR, rows=500, effect=2.0, step=0.25),
    fresh("600 rows; W 2", TOP, rows=600, effect=2.0),
    fresh("800 rows; W 6", FAIR, rows=800, effect=6.0),
    fresh("1000 rows; W 1.5; pi .05", GOOD, rows=1000, effect=1.5, prevalence=0.05),
    fresh("5000 rows; W 3; pi .1", GOOD, rows=5000, effect=3.0, prevalence=0.1),
    fresh("1000 rows, labelled 1 or .3 below 1; exponential", NEAR, rows=1000, labelled=0.3, law="exponential"),
    fresh("2000 rows, labelled 1 or .2 below 1; pi .1", GOOD, rows=2000, labelled=0.2, prevalence=0.1),
    fresh("4000 rows, labelled 1 or .05 below 1", FAIR, rows=4000, labelled=0.05),
    fresh("600 rows, negatives thinned to .3; pi .15; 25 levels", NEAR, rows=600, thinned=0.3, prevalence=0.15, step=0.25),
    fresh("2000 rows, negatives thinned to .1; pi .05", GOOD, rows=2000, thinned=0.1, prevalence=0.05),
    fresh("4000 rows, negatives thinned to .05; pi .05", TOP, rows=4000, thinned=0.05, prevalence=0.05),
    # Weights and groups, strata.
    fresh("100 groups of 2 to 22, icc .2, negatives thinned to .2; pi .1", GOOD, groups=100, sizes=(2, 22), icc=0.2, thinned=0.2, prevalence=0.1),
    fresh("40 groups of 2 to 10, icc .3; W 2", GOOD, groups=40, sizes=(2, 10), icc=0.3, effect=2.0),
    fresh("40 groups of 2 to 10, icc .3; W 2 by group; pi .5", FAIR, groups=40, sizes=(2, 10), icc=0.3, effect=2.0, by_group=True, prevalence=0.5),
    fresh("100 groups of 1 to 8, icc .2; W 3", NEAR, groups=100, sizes=(1, 8), icc=0.2, effect=3.0),
    fresh("25 groups of 5 to 15, icc .2; W 1.5 by group; 25 levels", GOOD, groups=25, sizes=(5, 15), icc=0.2, effect=1.5, by_group=True, step=0.25),
    fresh("150 groups of 1 to 6, icc .5; W 2; pi .15; exponential", GOOD, groups=150, sizes=(1, 6), effect=2.0, prevalence=0.15, law="exponential"),
    fresh("5 strata that differ, 10 groups of 2 to 12 each, icc .2", NEAR, groups=50, sizes=(2, 12), icc=0.2, strata=FIVE),
    fresh("5 strata that differ, 4 groups of 2 to 12 each, icc .2", NEAR, groups=20, sizes=(2, 12), icc=0.2, strata=FIVE),
    fresh("5 strata that differ, 60 rows each", GOOD, rows=300, strata=FIVE),
    fresh("24 groups of 4 to 12, icc .3; 12 strata", GOOD, groups=24, sizes=(4, 12), icc=0.3, n_strata=12),
    fresh("40 groups of 2 to 10, icc .4; W 1.5; 4 strata", FAIR, groups=40, sizes=(2, 10), icc=0.4, effect=1.5, n_strata=4),
)  # fmt: skip
WORLDS = SPECIFIED + FRESH
