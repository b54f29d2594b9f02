"""Populations whose truth is known: of one model, of two, of many, in groups and in folds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, ClassVar

import numpy as np
from scipy import stats
from scipy.optimize import brentq
from scipy.special import expit, ndtr, ndtri

import rocbands as rb
from rocbands.core.curve import Curve
from rocbands_studies import Binormal, Exponential, Mixture, Normal, Pair

FAR = 1e-9  # probability beyond the ends of a tabulated distribution
TAIL = expit(np.linspace(-30.0, 0.0, 2001))  # probabilities at which a distribution is followed
Rows = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class World:
    """A population of one model, drawn as labels and scores."""

    pair: Pair

    @property
    def name(self) -> str:
        return self.pair.name

    @property
    def truth(self) -> Curve:
        return self.pair.truth

    def draw(self, rng: np.random.Generator, n_pos: int, n_neg: int) -> Rows:
        """Labels and scores of a fresh test set."""
        scores = np.concatenate(self.pair.draw(rng, n_pos, n_neg))
        return np.repeat([1, 0], [n_pos, n_neg]), scores


THETAS = (0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0)
BINORMAL = {theta: World(Binormal(theta)) for theta in THETAS}
_BIMODAL = Mixture(0.5, Normal(0, 1), Normal(4, 1)), Normal(0, 1)
_HOOKED = Mixture(0.7, Normal(2, 1), Normal(-3, 0.3)), Mixture(0.8, Normal(0, 1), Normal(3, 0.3))
SHAPES = [
    World(Pair(Exponential(3), Exponential(1), name="exponential")),
    World(Pair(*_BIMODAL, name="bimodal")),
    World(Pair(*_HOOKED, name="hooked")),
    World(Pair(Normal(0, 3), Normal(0, 1), name="sd ratio 3")),
    World(Pair(Normal(-1, 1), Normal(0, 1), name="AUC below .5")),
]
SHIFTED = {
    step: World(
        Pair(Normal(1, 1), Normal(0, 1), step, name=f"normal, shift 1, in steps of {step:g}")
    )
    for step in (0.25, 0.0625)
}
ROUNDED = [
    World(Pair(*_BIMODAL, step, name=f"bimodal in steps of {step:g}")) for step in (2, 1, 0.25)
]


@dataclass(frozen=True)
class Law:
    """A distribution of scipy.stats, by its name there."""

    kind: str
    loc: float = 0.0
    scale: float = 1.0
    shape: tuple[float, ...] = ()

    @cached_property
    def made(self) -> Any:
        return getattr(stats, self.kind)(*self.shape, loc=self.loc, scale=self.scale)

    def ppf(self, u: np.ndarray) -> np.ndarray:
        return self.loc + self.scale * ndtri(u) if self.kind == "norm" else self.made.ppf(u)

    def survival(self, threshold: np.ndarray) -> np.ndarray:
        if self.kind == "norm":
            return np.asarray(ndtr((self.loc - threshold) / self.scale))
        return np.asarray(self.made.sf(threshold))

    def draw(self, rng: np.random.Generator, size: int) -> np.ndarray:
        return self.ppf(np.maximum(rng.random(size), 1e-16))

    def thresholds(self) -> np.ndarray:
        return np.unique(np.concatenate([self.made.ppf(TAIL), self.made.isf(TAIL)]))

    def ends(self) -> tuple[float, float]:
        return float(self.made.ppf(FAR)), float(self.made.isf(FAR))


@dataclass(frozen=True)
class Blend(Law):
    """A mixture of two laws, with a tabulated inverse; all of it may be shifted."""

    kind: str = "blend"
    share: float = 0.5
    first: Law = Law("norm")
    second: Law = Law("norm")

    @cached_property
    def table(self) -> Rows:
        ends = [*self.first.ends(), *self.second.ends()]
        at = self.loc + np.linspace(min(ends), max(ends), 20_001)
        return 1 - self.survival(at), at

    def survival(self, threshold: np.ndarray) -> np.ndarray:
        at = threshold - self.loc
        return self.share * self.first.survival(at) + (1 - self.share) * self.second.survival(at)

    def ppf(self, u: np.ndarray) -> np.ndarray:
        return np.interp(u, *self.table)

    def thresholds(self) -> np.ndarray:
        return self.loc + np.union1d(self.first.thresholds(), self.second.thresholds())

    def ends(self) -> tuple[float, float]:
        return float(self.table[1][0]), float(self.table[1][-1])


def t_scores(shift: float, df: float = 3.0) -> Pair:
    laws = (Law("t", loc, 1.0, (df,)) for loc in (shift, 0.0))
    return Pair(*laws, name=f"t with {df:g} df, shift {shift:g}")


# ------------------------------------------------------------------ one model, with a given AUC

_GRID = (np.arange(4000) + 0.5) / 4000
NORMAL = Law("norm")


def _solved(make: Callable[[float], Any], negatives: Any, auc: float, high: float = 60.0) -> float:
    """The parameter of the positives that gives about this AUC; the truth is that of the curve."""

    def lack(value: float) -> float:
        return float(np.mean(1 - negatives.survival(make(value).ppf(_GRID)))) - auc

    return float(brentq(lack, -30.0, high, xtol=1e-9))


def known_worlds(auc: float) -> list[Pair]:
    """Those of the specification: normal scores, tied and of unequal spread, and exponential."""
    shift = float(np.sqrt(2) * ndtri(auc))
    worlds = [
        Pair(Normal(shift, 1), Normal(0, 1), step, name=name)
        for step, name in ((0.0, "normal"), (1.0, "normal, rounded to 1 sd"))
    ]
    for sd in (2.0, 0.5):
        far = float(np.hypot(1, sd) * ndtri(auc))
        worlds.append(Pair(Normal(far, sd), Normal(0, 1), name=f"normal, positives' sd {sd:g}"))
    rise = Exponential(auc / (1 - auc)), Exponential(1)
    return [*worlds, Pair(*rise, name="exponential")]


@cache
def other_worlds(auc: float) -> tuple[Pair, ...]:
    """Scores that nobody looked at when the constants of 'score-delong' were chosen."""
    kinds: dict[str, tuple[Callable[[float], Law], Law]] = {
        "lognormal, shifted": (
            lambda a: Law("lognorm", a, 1.0, (1.0,)),
            Law("lognorm", 0.0, 1.0, (1.0,)),
        ),
        "uniform, shifted": (lambda a: Law("uniform", a), Law("uniform")),
        "two kinds of positives": (
            lambda a: Blend(share=0.5, first=Law("norm", a), second=Law("norm", 2.5 * a)),
            NORMAL,
        ),
        "a fifth of negatives sd 3": (
            lambda a: Law("norm", a),
            Blend(share=0.8, first=NORMAL, second=Law("norm", 0.0, 3.0)),
        ),
        "gamma 2 and 3": (lambda a: Law("gamma", a, 1.0, (3.0,)), Law("gamma", 0.0, 1.0, (2.0,))),
    }
    return tuple(
        Pair(make(_solved(make, negatives, auc)), negatives, name=name)
        for name, (make, negatives) in kinds.items()
    )


@dataclass(frozen=True)
class InShare:
    """A population of both classes together, with their share: class sizes are random."""

    pair: Pair
    prevalence: float

    @property
    def name(self) -> str:
        return f"{self.pair.name}, {100 * self.prevalence:g}% positive"

    @cached_property
    def truth(self) -> Curve:
        """The true curve, followed at about 1,200 points: views look at each of them."""
        curve = self.pair.truth
        if self.pair.step:
            return curve
        along = np.interp(np.linspace(0.0, 2.0, 801), curve.x + curve.y, curve.x)
        tail = expit(np.linspace(-20.0, 2.0, 200))
        at = np.unique(np.concatenate([tail, 1 - tail, along]))
        return Curve(np.concatenate([[0.0], at]), np.concatenate([[0.0], curve.high(at)]))

    def draw(self, rng: np.random.Generator, n_pos: int, n_neg: int) -> Rows:
        return self.pair.draw(rng, n_pos, n_neg)


def normal_at(auc: float, sd: float = 1.0, step: float = 0.0) -> Pair:
    extra = f", sd {sd:g}" * (sd != 1) + f", steps of {step:g}" * (step > 0)
    far = float(ndtri(auc) * np.hypot(1, sd))
    return Pair(Normal(far, sd), Normal(0, 1), step, name=f"normal, AUC {auc:g}{extra}")


@dataclass(frozen=True)
class Groups:
    """Rows in groups that share an effect with half of the variance; sizes are groups."""

    kind: str
    auc_wanted: float
    mixed: bool = False
    apart: bool = False
    skewed: bool = False
    large: bool = False
    step: float = 0.0

    @property
    def name(self) -> str:
        return f"{self.kind}, AUC {self.auc_wanted:g}"

    def _scores(self, rng: np.random.Generator, owner: np.ndarray, y: np.ndarray) -> np.ndarray:
        groups = int(owner.max()) + 1
        shared = rng.exponential(size=groups) - 1 if self.skewed else rng.normal(size=groups)
        shared = shared[owner] * np.where(self.apart & (y == 0), -1.0, 1.0)
        return np.sqrt(0.5) * (shared + rng.normal(size=y.size))

    @cached_property
    def _shift_and_auc(self) -> tuple[float, float]:
        """Shift of the positives, and the AUC of rows of different groups that it gives."""
        rng, rows = np.random.default_rng(1), np.arange(400_000)
        neg, pos = (np.sort(self._scores(rng, rows, np.full(rows.size, k))) for k in (0, 1))

        def area(far: float) -> float:
            low, high = neg, pos + far
            if self.step:
                low, high = np.floor(low / self.step), np.floor(high / self.step)
            both = np.searchsorted(low, high) + np.searchsorted(low, high, "right")
            return float(both.mean()) / 2 / rows.size

        far = float(np.sqrt(2) * ndtri(self.auc_wanted))
        if not self.step:
            far = float(brentq(lambda at: area(at) - self.auc_wanted, 0.0, 12.0, xtol=1e-7))
        return far, area(far)

    @property
    def auc(self) -> float:
        return self._shift_and_auc[1]

    def draw_data(self, rng: np.random.Generator, n_pos: int, n_neg: int) -> rb.RocCurve:
        total = n_pos + n_neg
        size = rng.choice([1, 12], total, p=[0.8, 0.2]) if self.large else rng.integers(1, 6, total)
        owner = np.repeat(np.arange(total), size)
        y = (owner < n_pos).astype(int)
        if self.mixed:
            y = (rng.random(owner.size) < n_pos / total).astype(int)
            y[:2] = 0, 1
        s = self._scores(rng, owner, y) + self._shift_and_auc[0] * y
        return rb.Sample(y, np.floor(s / self.step) if self.step else s, clusters=owner).roc


GROUPS: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("one label a group", {}),
    ("both labels in a group", {"mixed": True}),
    ("both labels, classes move apart", {"mixed": True, "apart": True}),
    ("one label, skewed effects", {"skewed": True}),
    ("both labels, a fifth of the groups 12 rows, else 1", {"mixed": True, "large": True}),
    ("one label, rounded to 1 sd", {"step": 1.0}),
)


# ------------------------------------------------------------------ two models, or more


@dataclass(frozen=True)
class TwoModels:
    """Negatives and positives of two models, joined by a normal copula.

    `rho` are its correlations among negatives and among positives. Scores of model k are rounded
    to multiples of step[k], and those below floor[k] are set to it. With a `prevalence` rows of
    both classes are drawn together.
    """

    name: str
    neg: tuple[Law, Law]
    pos: tuple[Law, Law]
    rho: tuple[float, float] = (0.6, 0.6)
    step: tuple[float, float] = (0.0, 0.0)
    floor: tuple[float | None, float | None] = (None, None)
    prevalence: float | None = None

    def draw(self, rng: np.random.Generator, n_pos: int, n_neg: int) -> tuple[np.ndarray, ...]:
        """Labels and both models' scores of the same fresh rows."""
        labels = np.repeat([1, 0], [n_pos, n_neg])
        rho = np.where(labels == 1, self.rho[1], self.rho[0])
        one, other = rng.normal(size=(2, labels.size))
        two = rho * one + np.sqrt(1 - rho**2) * other
        return labels, self.scores(0, ndtr(one), labels), self.scores(1, ndtr(two), labels)

    draw_data = draw

    def scores(self, model: int, u: np.ndarray, labels: np.ndarray) -> np.ndarray:
        scores = np.where(labels == 1, self.pos[model].ppf(u), self.neg[model].ppf(u))
        if self.step[model]:
            scores = np.rint(scores / self.step[model]) * self.step[model]
        floor = self.floor[model]
        return scores if floor is None else np.maximum(scores, floor)

    @cached_property
    def curves(self) -> list[Curve]:
        """True curves of both models."""
        made = []
        for neg, pos, step, floor in zip(self.neg, self.pos, self.step, self.floor, strict=True):
            cuts = np.union1d(neg.thresholds(), pos.thresholds())[::-1]
            if step:
                low, high = (np.floor(end / step) for end in (cuts[-1], cuts[0]))
                cuts = (np.arange(high + 1, low - 2, -1) + 0.5) * step
            if floor is not None:
                cuts = cuts[cuts >= floor]
            rise = (np.concatenate([[0.0], law.survival(cuts), [1.0]]) for law in (neg, pos))
            made.append(Curve(*rise))
        return made

    def truth(self, x: np.ndarray) -> np.ndarray:
        """The true difference of tpr, model 1 minus model 2."""
        one, two = (curve.high(np.asarray(x)) for curve in self.curves)
        return np.asarray(one - two)

    @property
    def aucs(self) -> tuple[float, ...]:
        return tuple(curve.area for curve in self.curves)

    def recall_gap(self, prevalence: float, rate: float) -> float:
        """Recall of model 1 minus that of model 2 when both act on the same share of cases."""
        one, two = (
            float(np.interp(rate, prevalence * at.y + (1 - prevalence) * at.x, at.y))
            for at in self.curves
        )
        return one - two


def shifted(
    rho: float,
    shift: float,
    mean: float = 1.0,
    *,
    step: float = 0.0,
    prevalence: float | None = None,
) -> TwoModels:
    """Normal scores with sd 1: negatives around 0, positives around mean and mean + shift."""
    ties = f", in steps of {step:g}" if step else ""
    share = f", {100 * prevalence:g}% positive" if prevalence else ""
    return TwoModels(
        f"normal, mean {mean:g}, correlation {rho:g}, shift {shift:g}{ties}{share}",
        (NORMAL, NORMAL),
        (Law("norm", mean), Law("norm", mean + shift)),
        (rho, rho),
        (step, step),
        prevalence=prevalence,
    )


def crossing(rho: float, sd: float = 2.0) -> TwoModels:
    """Equal AUC: model 1 has positives around 1 with sd 1, model 2 the same AUC with another sd."""
    return TwoModels(
        f"crossing, sd {sd:g}, correlation {rho:g}",
        (NORMAL, NORMAL),
        (Law("norm", 1.0), Law("norm", float(np.sqrt((1 + sd**2) / 2)), sd)),
        (rho, rho),
    )


def two_of(name: str, rho: float, negatives: Law, *positives: Law) -> TwoModels:
    return TwoModels(
        f"{name}, correlation {rho:g}",
        (negatives, negatives),
        (positives[0], positives[1]),
        (rho, rho),
    )


def exponential(rho: float, first: float, second: float) -> TwoModels:
    name = f"exponential, means {first:g} and {second:g}"
    return two_of(name, rho, *(Law("expon", 0.0, mean) for mean in (1.0, first, second)))


def student(rho: float, first: float, second: float) -> TwoModels:
    name = f"t with 4 df, shifts {first:g} and {second:g}"
    return two_of(name, rho, *(Law("t", at, 1.0, (4.0,)) for at in (0.0, first, second)))


# Not in the specification; no constant of the difference band was chosen on them.
OTHERS = (
    two_of(
        "gamma scores, shapes 2 and 3",
        0.7,
        *(Law("gamma", 0.0, 1.0, (a,)) for a in (1.0, 2.0, 3.0)),
    ),
    two_of(
        "a third of the positives look like negatives in model 2",
        0.5,
        NORMAL,
        Law("norm", 1.2),
        Blend(share=1 / 3, first=NORMAL, second=Law("norm", 2.2)),
    ),
    TwoModels(
        "correlation 0.9 among negatives, 0.2 among positives, shift 0.4",
        (NORMAL, NORMAL),
        (Law("norm", 1.0), Law("norm", 1.4)),
        (0.9, 0.2),
    ),
    TwoModels(
        "one model in steps of 0.5, the other untied, correlation 0.8",
        (NORMAL, NORMAL),
        (Law("norm", 1.0), Law("norm", 1.0)),
        (0.8, 0.8),
        (0.5, 0.0),
    ),
    TwoModels(
        "half of the negatives share the lowest score, shift 0.5, correlation 0.6",
        (NORMAL, NORMAL),
        (Law("norm", 1.0), Law("norm", 1.5)),
        floor=(0.0, 0.0),
    ),
    two_of("Laplace scores, shifts 1.5 and 1", 0.4, *(Law("laplace", a) for a in (0.0, 1.5, 1.0))),
    TwoModels(
        "model 2 spreads negatives wider, correlation 0.6",
        (NORMAL, Law("norm", 0.0, 1.6)),
        (Law("norm", 1.2), Law("norm", 1.2)),
    ),
    two_of(
        "equal, beta scores",
        0.7,
        *(Law("beta", 0.0, 1.0, ends) for ends in ((2.0, 4.0), (4.0, 3.0), (4.0, 3.0))),
    ),
)


@dataclass(frozen=True)
class TwoSets:
    """Two test sets: nobody is in both, so that the copula does not apply."""

    models: TwoModels

    @property
    def name(self) -> str:
        return self.models.name

    def truth(self, x: np.ndarray) -> np.ndarray:
        return self.models.truth(x)

    @property
    def aucs(self) -> tuple[float, ...]:
        return self.models.aucs

    def draw_data(self, rng: np.random.Generator, *sizes: int) -> tuple[Rows, Rows]:
        labels = [np.repeat([1, 0], sizes[k : k + 2]) for k in (0, 2)]
        one, two = ((y, self.models.scores(k, rng.random(y.size), y)) for k, y in enumerate(labels))
        return one, two


@dataclass(frozen=True)
class TwoSizes:
    """Class sizes of two test sets."""

    first: tuple[int, int]
    second: tuple[int, int]

    @property
    def name(self) -> str:
        return "; ".join(f"{m}+{n}" for m, n in (self.first, self.second))

    def sizes(self, rng: np.random.Generator) -> tuple[int, ...]:
        return (*self.first, *self.second)


@dataclass(frozen=True)
class ManyModels:
    """Normal scores of several models of the same AUC, all with the same correlation.

    Positives have the standard deviations `spread`, from model to model in turn.
    """

    count: int
    auc: float
    rho: float
    heavy: bool = False
    spread: tuple[float, ...] = (1.0,)

    @property
    def name(self) -> str:
        kind = "t with 4 df" if self.heavy else "normal"
        shapes = f", positives' sd {' and '.join(map('{:g}'.format, self.spread))}" * (
            len(self.spread) > 1
        )
        return f"{self.count} models, {kind}, AUC {self.auc:g}, correlation {self.rho:g}{shapes}"

    @property
    def aucs(self) -> tuple[float, ...]:
        return (self.auc,) * self.count  # only differences matter, which are 0

    def draw_data(self, rng: np.random.Generator, n_pos: int, n_neg: int) -> tuple[Any, ...]:
        labels = np.repeat([1, 0], [n_pos, n_neg])
        shared, own = rng.normal(size=labels.size), rng.normal(size=(self.count, labels.size))
        scores = np.sqrt(self.rho) * shared + np.sqrt(1 - self.rho) * own
        if self.heavy:
            scores /= np.sqrt(rng.chisquare(4, labels.size) / 4)
        sd = np.resize(self.spread, self.count)[:, None]
        scores = np.where(labels == 1, sd * scores + np.hypot(1, sd) * ndtri(self.auc), scores)
        return labels, {f"m{k}": row for k, row in enumerate(scores)}


# ------------------------------------------------------------------ folds

SCORES = np.linspace(45.0, -45.0, 6001)


def draw_folds(
    rng: np.random.Generator, thetas: Any, n_pos: int, n_neg: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels, scores and folds: each model separates its rows by its own theta."""
    labels = np.tile(np.repeat([1, 0], [n_pos, n_neg]), len(thetas))
    folds = np.repeat(np.arange(len(thetas)), n_pos + n_neg)
    mean = np.where(labels == 1, 1.0, -1.0) * np.asarray(thetas)[folds]
    return labels, rng.normal(mean, np.where(labels == 1, 3.75, 3.0)), folds


@cache
def average_truth(thetas: tuple[float, ...], n_pos: int, n_neg: int) -> Curve:
    """Average of the models' true curves along the lines that the band averages along."""
    slope = np.sqrt(n_neg / n_pos)
    c = np.linspace(0.0, 1.0 + slope, 4001)
    total = np.zeros(c.size)
    for theta in thetas:
        x, y = ndtr((-theta - SCORES) / 3.0), ndtr((theta - SCORES) / 3.75)
        total += np.interp(c, y + slope * x, x)
    x = total / len(thetas)
    return Curve(x, np.clip(c - slope * x, 0.0, 1.0))


def learner_truth(n_pos: int, n_neg: int) -> Curve:
    """Average over all training sets: theta is normal with mean 1.5 and sd 1."""
    return average_truth(tuple(1.5 + ndtri((np.arange(400) + 0.5) / 400)), n_pos, n_neg)


@dataclass(frozen=True)
class FoldModels:
    """Rows of folds: of five models of different skill, or of a learner's models."""

    n_pos: int
    n_neg: int
    learner: int = 0  # number of training sets of a learner; 0 for the five models

    @property
    def name(self) -> str:
        return f"learner, {self.learner} training sets" if self.learner else "5 models"

    @property
    def truth(self) -> Curve:
        if self.learner:
            return learner_truth(self.n_pos, self.n_neg)
        return average_truth((0.75, 1.0, 1.5, 2.0, 3.0), self.n_pos, self.n_neg)

    def draw_data(self, rng: np.random.Generator, n_pos: int, n_neg: int) -> rb.RocCurve:
        skills = rng.normal(1.5, 1.0, self.learner) if self.learner else (0.75, 1.0, 1.5, 2.0, 3.0)
        y, s, folds = draw_folds(rng, skills, n_pos, n_neg)
        return rb.Sample(y, s, folds=folds).roc


@dataclass(frozen=True)
class CrossValidated:
    """A learner that scores along the difference of the class means, five features.

    Both classes are normal with unit covariance, `distance` apart, so that the AUC of every fitted
    model is known. Classes are of equal size.
    """

    features: ClassVar[int] = 5

    distance: float
    folds: int

    @property
    def name(self) -> str:
        return f"AUC {ndtr(self.distance / np.sqrt(2)):.2f}, {self.folds} folds"

    def learn(self, differences: np.ndarray) -> np.ndarray:
        """Weights of the features, from the differences of the class means."""
        return differences

    def areas(self, weights: np.ndarray) -> np.ndarray:
        cosine = weights[..., 0] / np.linalg.norm(weights, axis=-1)
        return np.asarray(ndtr(self.distance * cosine / np.sqrt(2)))

    @cache  # noqa: B019 - worlds live as long as the program
    def learner(self, n_pos: int) -> float:
        """What models of such training sets reach on average, from many sets of their own."""
        training = n_pos * (1 - 1 / self.folds)
        shape = 200_000, self.features
        noise = np.random.default_rng(1).normal(size=shape) * np.sqrt(2 / training)
        return float(self.areas(self.learn(self._direction * self.distance + noise)).mean())

    @property
    def _direction(self) -> np.ndarray:
        return np.eye(self.features)[0]

    def draw_data(self, rng: np.random.Generator, n_pos: int, n_neg: int) -> tuple[Any, ...]:
        """Labels, scores and folds, and the average AUC of the fitted models."""
        labels = np.arange(n_pos + n_neg) % 2
        fold = np.arange(labels.size) // 2 % self.folds
        sign = np.where(labels == 1, 1.0, -1.0)[:, None]
        x = rng.normal(size=(labels.size, self.features))
        x += sign * self._direction * self.distance / 2
        sums = np.stack([(sign * x)[fold == f].sum(axis=0) for f in range(self.folds)])
        weights = self.learn(sums.sum(axis=0) - sums)
        scores = np.einsum("ij,ij->i", x, weights[fold])
        return labels, scores, fold, float(self.areas(weights).mean())


@dataclass(frozen=True)
class PickedFeature(CrossValidated):
    """An unstable learner: it scores by the one feature of 20 whose class means differ most."""

    features: ClassVar[int] = 20

    @property
    def name(self) -> str:
        return f"one feature of 20, {super().name}"

    def learn(self, differences: np.ndarray) -> np.ndarray:
        largest = np.abs(differences).argmax(axis=-1)[..., None]
        weights = np.zeros_like(differences)
        signs = np.sign(np.take_along_axis(differences, largest, -1))
        np.put_along_axis(weights, largest, signs, -1)
        return weights
