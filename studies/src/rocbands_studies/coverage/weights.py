"""Samples with weights and groups, and the page studies/docs/coverage-weights.md."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any, ClassVar

import numpy as np
from scipy.special import expit, ndtr

import rocbands as rb
from rocbands.core.curve import Curve
from rocbands_studies import AreaLimits, Coverage, CurveInBand, Limits
from rocbands_studies.coverage.tables import Page, Section, head

Rng, Array = np.random.Generator, Any
GRID = np.linspace(9.0, -9.0, 3001)
Chance = Callable[[Array, Array, float], Array]


def thin(where: Callable[[Array, Array], Array]) -> Chance:
    """Keep `rest` of the rows there, and all others."""
    return lambda s, y, rest: np.where(where(s, y), rest, 1.0)


# Probability that a row is labelled, by score, class and the field `rest`.
CHANCES: dict[str, Chance] = {
    "above 1": lambda s, y, rest: np.where(s > 1.0, 1.0, rest),
    "positives": lambda s, y, rest: np.where(y, 1.0, rest),
    "positives or above 1": lambda s, y, rest: np.where(y | (s > 1.0), 1.0, rest),
    "logistic": lambda s, y, rest: rest + (1.0 - rest) * expit(2.0 * s - 1.0),
    "falling": lambda s, y, rest: 1.0 - (1.0 - rest) * ndtr(s),
    "tiers": lambda s, y, rest: np.where(s > 1.0, 1.0, np.where(s > 0.0, 6.0 * rest, rest)),
    "all below .5": thin(lambda s, y: s < 0.5),
    "middle": thin(lambda s, y: np.abs(s - 0.5) < 1.0),
    "positives below 0": thin(lambda s, y: y & (s < 0.0)),
    "positives below .5": thin(lambda s, y: y & (s < 0.5)),
    "positives below 1": thin(lambda s, y: y & (s < 1.0)),
    "positives above 2": thin(lambda s, y: y & (s > 2.0)),
    "negatives below 0": thin(lambda s, y: ~y & (s < 0.0)),
    "negatives above .5": thin(lambda s, y: ~y & (s > 0.5)),
    "negatives above 1": thin(lambda s, y: ~y & (s > 1.0)),
    "negatives above 1.5": thin(lambda s, y: ~y & (s > 1.5)),
    "errors": thin(lambda s, y: np.where(y, s < 0.5, s > 1.0)),
    "positives, logistic": lambda s, y, rest: np.where(y, rest + (1 - rest) * expit(2 * s - 1), 1),
    "negatives, logistic": lambda s, y, rest: np.where(y, 1, rest + (1 - rest) * expit(2 - 2 * s)),
}


@dataclass(frozen=True)
class Sample:
    """Scores of both classes, who is sampled with which weight, and which rows belong together.

    Scores are mean + sd z, with z standard normal; `share` of the negatives have mean and sd of
    their own. A group's effect is `icc` of the variance of z.
    """

    kind: str
    chance: str = ""  # a key of CHANCES; weights are the inverse of the probability
    rest: float = 0.1
    cv: float = 0.0  # of lognormal weights that have nothing to do with scores
    icc: float | None = None
    mixed: bool = False  # groups have both classes
    opposite: bool = False  # a group's effect raises its positives and lowers its negatives
    heavy_groups: bool = False
    pos: tuple[float, float] = (1.2, 1.0)
    share: float = 0.0
    odd: tuple[float, float] = (0.0, 1.0)
    light: tuple[float, float, float] | None = None  # second stratum: weight, shifts of negatives, positives  # fmt: skip
    step: float = 0.0
    prevalence: float = 0.3

    @property
    def name(self) -> str:
        return f"{self.kind}, {100 * self.prevalence:g}% positive"

    def draw_data(self, rng: Rng, n: int) -> rb.RocCurve:
        """Draw n labelled rows, two units of each class at least."""
        while True:
            y, s, w, g = self._draw(rng, n)
            if min(np.unique(g[y == k]).size for k in (False, True)) >= 2:
                weighted = self.chance or self.cv or self.light
                groups = None if self.icc is None else g
                return rb.Sample(y, s, weights=w if weighted else None, clusters=groups).roc

    def _draw(self, rng: Rng, n: int) -> list[Array]:
        parts: list[list[Array]] = []
        while sum(part[0].size for part in parts) < n:
            part = self._rows(rng, n)
            if self.chance:
                chance = CHANCES[self.chance](part[1], part[0], self.rest)
                keep = rng.random(n) < chance
                part[2] = 1.0 / chance
                part = [side[keep] for side in part]
            parts.append(part)
        y, s, w, g = (np.concatenate(side)[:n] for side in zip(*parts, strict=True))
        return [y, np.floor(s / self.step) if self.step else s, w, g]

    def _rows(self, rng: Rng, n: int) -> list[Array]:
        g, y, z = np.arange(n), rng.random(n) < self.prevalence, rng.standard_normal(n)
        if self.icc is not None:
            sizes = rng.integers(1, 7, n)
            if self.heavy_groups:
                sizes = np.minimum(1.0 / rng.random(n), n / 5).astype(int)
            g = np.repeat(g, sizes)[:n]
            y = y if self.mixed else y[g]
            sign = np.where(y, 1.0, -1.0) if self.opposite else 1.0
            effect = rng.standard_normal(n)[g]
            z = np.sqrt(self.icc) * sign * effect + np.sqrt(1.0 - self.icc) * z
        odd = rng.random(n) < self.share
        mean = np.where(y, self.pos[0], np.where(odd, self.odd[0], 0.0))
        s = mean + np.where(y, self.pos[1], np.where(odd, self.odd[1], 1.0)) * z
        w = np.exp(np.sqrt(np.log1p(self.cv**2)) * rng.standard_normal(n))
        if self.light is not None:
            second = rng.random(n) < 0.5
            w = np.where(second, 1.0, self.light[0])
            s = s + second * np.where(y, self.light[2], self.light[1])
        return [y, s, w, g]

    def rates(self, t: Array) -> tuple[Array, Array]:
        """True rates of thresholds."""
        x = (1 - self.share) * ndtr(-t) + self.share * ndtr((self.odd[0] - t) / self.odd[1])
        y = ndtr((self.pos[0] - t) / self.pos[1])
        if self.light is not None:
            heavy = self.light[0] / (1.0 + self.light[0])
            x = heavy * x + (1 - heavy) * ndtr(self.light[1] - t)
            y = heavy * y + (1 - heavy) * ndtr(self.pos[0] + self.light[2] - t)
        return x, y

    @cached_property
    def truth(self) -> Curve:
        """The curve of the population; ties are straight pieces."""
        t = np.arange(40.0, -41.0, -1.0) * self.step if self.step else GRID
        return Curve(*(np.concatenate(([0.0], side, [1.0])) for side in self.rates(t)))


@dataclass(frozen=True)
class Rows:
    """So many labelled rows; `share` is the prevalence of the population."""

    n: int
    share: float

    @property
    def name(self) -> str:
        return f"{self.n:,} rows"

    def sizes(self, rng: Rng) -> tuple[int]:
        return (self.n,)


@dataclass(frozen=True)
class ThresholdLimits(Limits):
    """Limits of both rates at fixed thresholds."""

    at: ClassVar[Array] = np.array([1.645, 0.842, 0.0, -0.842, -1.645])

    @property
    def name(self) -> str:
        return "likelihood"

    @property
    def places(self) -> tuple[object, ...]:
        return tuple(f"{rate} at {t:g}" for rate in ("fpr", "tpr") for t in self.at)

    def find_truth(self, world: Any, data: Any) -> Any:
        return np.concatenate(world.rates(self.at))

    def find_limits(self, data: Any, level: float, rng: Rng) -> Any:
        found = rb.operating_points(data, method="likelihood", threshold=self.at, level=level)
        return np.append(found.fpr_lower, found.tpr_lower), np.append(
            found.fpr_upper, found.tpr_upper
        )


SPECIFIED = (
    Sample("equal weights"),
    Sample("strata 4:1, same curve", light=(4.0, 0.0, 0.0)),
    Sample("strata 4:1, curves differ", light=(4.0, 0.5, -0.22)),
    Sample("lognormal weights, cv 1", cv=1.0),
    Sample("lognormal weights, cv 2", cv=2.0),
    Sample("labelled by score, 1 or .1", "above 1"),
    Sample("labelled by score, 1 or .02", "above 1", 0.02),
    Sample("negatives thinned 1:10", "positives"),
    Sample("easy negatives thinned 1:10", "positives or above 1"),
    *(Sample(f"groups, one label each, icc {icc:g}", icc=icc) for icc in (0.2, 0.5, 0.9)),
    *(Sample(f"groups, mixed labels, icc {icc:g}", icc=icc, mixed=True) for icc in (0.2, 0.5, 0.9)),
    Sample("groups icc .5, weights cv 1", cv=1.0, icc=0.5),
    Sample("groups, classes move apart", icc=0.5, mixed=True, opposite=True),
)
OTHERS = (
    Sample("cv 1, positives spread twice as wide", cv=1.0, pos=(1.5, 2.0)),
    Sample("labelled more often by a logistic curve", "logistic", 0.05),
    Sample("heavy rows at high scores", "falling"),
    Sample("negatives in two heaps, 1 or .1", "above 1", share=0.2, odd=(1.5, 0.5)),
    Sample("one label each, icc .5, spread twice as wide", icc=0.5, pos=(1.5, 2.0)),
    Sample("25 levels, labelled 1 or .1", "above 1", step=0.25),
    Sample("25 levels, mixed groups, icc .5", icc=0.5, mixed=True, step=0.25),
    Sample("AUC .96, labelled by score, 1 or .1", "above 1", pos=(2.5, 1.0)),
    Sample("AUC .96, labelled by score, 1 or .02", "above 1", 0.02, pos=(2.5, 1.0)),
    Sample("few very large groups, icc .3", icc=0.3, heavy_groups=True),
)
# Weights that depend on the class and on the score: rows of the chance's name are thinned to `rest`.
FAR = (1.5, 1.0)
LABEL_AND_SCORE = (
    *(Sample(f"positives below .5 to {k:g}", "positives below .5", k, pos=FAR) for k in (0.05, 0.2, 0.5)),
    Sample("negatives above 1 to 0.05", "negatives above 1", 0.05, pos=FAR),
    Sample("all below .5 to 0.05", "all below .5", 0.05, pos=FAR),
    Sample("negatives below 0 to 0.05", "negatives below 0", 0.05, pos=FAR),
    Sample("positives above 2 to 0.05", "positives above 2", 0.05, pos=FAR),
    Sample("positives below 0 to 0.1, 1.0 apart", "positives below 0", 0.1, pos=(1.0, 1.0)),
    Sample("positives below 1 to 0.1, 2.0 apart", "positives below 1", 0.1, pos=(2.0, 1.0), prevalence=0.5),
    Sample("negatives above .5 to 0.1, 0.8 apart", "negatives above .5", 0.1, pos=(0.8, 1.0)),
    Sample("negatives above 1.5 to 0.1, 2.5 apart", "negatives above 1.5", 0.1, pos=(2.5, 1.0), prevalence=0.1),
    Sample("positives below .5, negatives above 1 to 0.1", "errors", 0.1, pos=FAR),
    Sample("positives by a logistic curve, from 0.1", "positives, logistic", 0.1, pos=FAR),
    Sample("negatives by a logistic curve, from 0.1", "negatives, logistic", 0.1, pos=FAR),
    Sample("positives below 0 to 0.1, spread twice as wide", "positives below 0", 0.1, pos=(1.5, 2.0)),
    Sample("positives below 1 to 0.1, half as wide", "positives below 1", 0.1, pos=(1.5, 0.5)),
    Sample("positives below .5 to 0.1, 25 levels", "positives below .5", 0.1, pos=FAR, step=0.25),
    Sample("positives below .5 to 0.1, mixed groups, icc .5", "positives below .5", 0.1, icc=0.5, mixed=True, pos=FAR),
    Sample("negatives in two heaps, above 1 to 0.1", "negatives above 1", 0.1, pos=FAR, share=0.2, odd=(1.5, 0.5)),
    Sample("middle to 0.2", "middle", 0.2, pos=FAR),
)  # fmt: skip
TIERS = (
    Sample("score in tiers 1, .3, .05", "tiers", 0.05, pos=FAR),
    Sample("score in tiers 1, .3, .05, AUC .802", "tiers", 0.05),
    Sample("score in tiers 1, .3, .05, spread twice as wide", "tiers", 0.05, pos=(1.5, 2.0)),
    Sample("score in tiers 1, .12, .02", "tiers", 0.02, pos=FAR),
    Sample("score in tiers 1, .6, .1", "tiers", 0.1, pos=FAR),
    Sample("score in tiers 1, .3, .05, AUC .96", "tiers", 0.05, pos=(2.5, 1.0)),
    Sample("score in tiers 1, .3, .05", "tiers", 0.05, pos=FAR, prevalence=0.5),
)
# Samples and rows whose limits were found too narrow: more sets, to know by how much.
WATCHED = {
    ("labelled by score, 1 or .02", 100),
    ("AUC .96, labelled by score, 1 or .1", 2000),
    ("AUC .96, labelled by score, 1 or .02", 2000),
    ("few very large groups, icc .3", 2000),
}
WORDS = """Do limits contain the truth: the band the whole true curve, the interval the true AUC, for the default methods with `weights=` and `clusters=`; see [Designs](../../docs/designs.md).

Scores are normal, the positives' mean 1.2 above the negatives' (AUC .802) unless said otherwise. *Labelled by score*: all rows above 1, a
share of the rest; rows are labelled rows, and 5% and 30% are the prevalence of the population. Groups have 1 to 6 rows and a normal effect with the intraclass
correlation given; *classes move apart*: the effect raises a group's positives and lowers its negatives. The populations of the first tables are those
in which the method was developed; nothing was chosen by the others, except that the two with AUC .96 were among the ten by which the larger of two critical values was taken.

A study of the same formulas by a separate program, with 1,000 sets a cell in 136 cells of 100 to 10,000 rows, found .876 to .990 at .90 and .930 to .996
at .95 for the band, one cell below .88 (labelled 1 or .02, 100 rows, 30%), and for the AUC .866 to .999 and .920 to 1.000. Outside these populations it found
labelled 1 or .02 at AUC .96 and 2,000 rows at .873, .915 (AUC .847, .898, before unseen heavy rows were allowed for), and a few very large groups at .890, .925. These are the samples to be wary
of: few very heavy rows at the far end of an excellent curve, and a handful of groups of very unequal size."""


BY_CLASS = (
    "Rows of one class, or of both, are thinned in a range of scores; the positives' mean is 1.5 above the negatives' unless said otherwise. The first seven are those in which a reviewer found bands of .32 to .98. "
    "`python -m rocbands_studies.coverage.label_weights 900` measures them with more sets at .95 and .90."
)
IN_TIERS = "Rows with a score above 1 are all labelled, those between 0 and 1 and those below 0 with the other two probabilities."


def weights_page() -> Page:
    name = "coverage-weights"

    def cells(kinds: tuple[Sample, ...], sizes: tuple[int, ...], statement: Any) -> Any:
        worlds = [replace(kind, prevalence=p) for kind, p in product(kinds, (0.05, 0.3))]
        return tuple(
            Coverage(world, Rows(n, world.prevalence), statement)  # type: ignore[arg-type]
            for world, n in product(worlds, sizes)
        )

    band, area, sizes = (
        CurveInBand(rb.bands.Likelihood()),
        AreaLimits("score-delong"),
        (100, 400, 2000),
    )
    untied = tuple(kind for kind in SPECIFIED + OTHERS if not kind.step)

    def label_cells(statement: Any) -> Any:
        sizes = [(one, 1500) for one in LABEL_AND_SCORE] + [(LABEL_AND_SCORE[0], 5000)]
        return tuple(Coverage(one, Rows(n, one.prevalence), statement) for one, n in sizes)  # type: ignore[arg-type]

    def tier_cells(statement: Any) -> Any:
        each = product(TIERS, (400, 1000))
        return tuple(Coverage(one, Rows(n, one.prevalence), statement) for one, n in each)  # type: ignore[arg-type]

    def sets(cell: Any) -> int:
        if (cell.world.kind, cell.classes.n) in WATCHED and cell.statement != ThresholdLimits():
            return 400
        return 200 if cell.statement == area else 40 if cell.classes.n > 400 else 100

    return Page(
        name,
        head(name, "Measured coverage with weights and groups", WORDS),
        (
            Section("Bands", "In brackets mean areas.", cells(SPECIFIED, sizes, band), sets),
            Section("Bands, other samples", "", cells(OTHERS, sizes, band), sets),
            Section("Bands, weights by class and score", BY_CLASS, label_cells(band), 100),
            Section("AUC", "In brackets mean widths.", cells(SPECIFIED, sizes, area), sets),
            Section("AUC, other samples", "", cells(OTHERS, sizes, area), sets),
            Section("AUC, weights by class and score", "", label_cells(area), 200),
            Section("AUC, score in tiers", IN_TIERS, tier_cells(area), 200),
            Section(
                "Single thresholds",
                "`rb.operating_points(threshold=...)`: limits of both rates at scores where the false positive rate of normal negatives is .05, .2, .5, .8 and .95. They are too narrow where rows "
                "beyond the threshold are much heavier than those nearby: such limits are not cautious about rows that have not been seen, as the band is.",
                cells(untied, (400,), ThresholdLimits()), sets, places=True, split=True,
            ),
        ),
    )  # fmt: skip
