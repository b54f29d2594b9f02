"""Is what the summary says first true? ``python -m rocbands_studies.coverage.first_sentence [use|limits] [sets]``.

`use`: how often "Use X" is said, how often of a model that is not better than each other one, and
how often of the one that is. `limits`: how often the limits of found and of alarms contain the
true rates of the threshold that is printed, of one model or of the one that is named among several;
how often, by the curve's Wilson limits, the share found alone would; and the mean true rate of
alarms beside the one that is said. Rows of clusters share half of their variance; weighted rows
have gamma weights; rows of strata are drawn with fixed sizes.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

import rocbands as rb

SETS, RHO = {"use": 1000, "limits": 400}, 0.5


class Population(NamedTuple):
    """Models with normal scores of correlation .5; `means` and deviations `sd` of positives."""

    sizes: tuple[int, int]
    means: tuple[float, ...]
    sd: tuple[float, ...] = (1.0,)
    step: float = 0.0  # scores are rounded down to multiples
    design: str = ""

    def draw(self, rng: np.random.Generator) -> rb.Sample:
        """Draw the rows of a data set."""
        y = np.repeat([1, 0], self.sizes)
        count, size = len(self.means), y.size
        noise = np.sqrt(RHO) * rng.normal(size=size)
        noise = noise + np.sqrt(1 - RHO) * rng.normal(size=(count, size))
        design: dict[str, Any] = {}
        if self.design == "clusters":  # of three rows of one class
            at = np.arange(size) // 3
            noise = (noise + rng.normal(size=(count, size))[:, at]) / np.sqrt(2.0)
            design["clusters"] = at
        elif self.design == "weights":
            design["weights"] = rng.gamma(2.0, size=size)
        elif self.design == "strata":
            design["strata"] = np.where(rng.permuted(np.arange(size) % 2), "A", "B")
        spread = np.resize(self.sd, count)[:, None]
        scores = np.where(y == 1, noise * spread + np.array(self.means)[:, None], noise)
        if self.step:
            scores = np.floor(scores / self.step) * self.step
        return rb.Sample(y, {f"m{k + 1}": one for k, one in enumerate(scores)}, **design)

    def find_best(self, fpr: float | None) -> str:
        """Return the model that ranks best, or that finds most at a rate; empty if several do."""
        means, sd = np.array(self.means), np.resize(self.sd, len(self.means))
        spread = np.hypot(1.0, sd) if fpr is None else sd
        cut = 0.0 if fpr is None else ndtri(1.0 - fpr)
        places = (means - cut) / spread
        first = int(np.argmax(places))
        alone = np.count_nonzero(places > places[first] - 1e-9) == 1
        return f"m{first + 1}" if alone else ""

    def find_rates(self, model: str, cut: float) -> tuple[float, float]:
        """Return the true rates of a threshold."""
        at = int(model.removeprefix("m")) - 1 if model != "model" else 0
        sd = np.resize(self.sd, len(self.means))[at]
        if self.step:
            cut = np.ceil(cut / self.step - 1e-9) * self.step
        return float(ndtr((self.means[at] - cut) / sd)), float(ndtr(-cut))


def mean_of(auc: float, sd: float = 1.0) -> float:
    """Mean of normal positives with a given AUC."""
    return float(np.hypot(1.0, sd) * ndtri(auc))


GOOD, LESS = mean_of(0.92), mean_of(0.86)
EQUAL = {
    "2 equal models": Population((50, 100), (1.5, 1.5)),
    "2 equal models, more rows": Population((200, 400), (1.5, 1.5)),
    "2 equal models, ties": Population((50, 100), (1.5, 1.5), step=0.5),
    "2 equal models, few negatives": Population((300, 30), (1.5, 1.5)),
    "2 models, equal AUC, sd .5 and 2": Population((100, 200), (mean_of(0.85, 0.5), mean_of(0.85, 2.0)), (0.5, 2.0)),
    "5 equal models": Population((60, 140), (1.5,) * 5),
    "12 equal models": Population((60, 140), (1.5,) * 12),
}  # fmt: skip
BETTER = {
    "1 better of 2": Population((100, 200), (GOOD, LESS)),
    "1 better of 5": Population((60, 140), (GOOD, *(LESS,) * 4)),
    "1 better of 12": Population((60, 140), (GOOD, *(LESS,) * 11)),
    "1 better of 12, more rows": Population((200, 400), (GOOD, *(LESS,) * 11)),
}
CUTS = {
    "20+30": Population((20, 30), (1.5,)),
    "12+200": Population((12, 200), (2.0,)),
    "200+20": Population((200, 20), (1.0,)),
    "50+50": Population((50, 50), (1.5,)),
    "50+100": Population((50, 100), (1.5,)),
    "200+500": Population((200, 500), (1.5,)),
    "100+100, AUC .993": Population((100, 100), (3.5,)),
    "50+100, steps of .5": Population((50, 100), (1.5,), step=0.5),
    "30+70, AUC .58": Population((30, 70), (0.3,)),
    "2 models, 50+100": Population((50, 100), (1.5, 1.5)),
    "2 models, 200+10": Population((200, 10), (1.5, 1.5)),
    "2 models, 50+100, steps of .5": Population((50, 100), (1.5, 1.5), step=0.5),
    "5 models, 30+70": Population((30, 70), (1.5,) * 5),
    "5 models, 100+200": Population((100, 200), (1.5,) * 5),
    "weights, 50+100": Population((50, 100), (1.5,), design="weights"),
    "weights, 200+400": Population((200, 400), (1.5,), design="weights"),
    "weights, 2 models, 50+100": Population((50, 100), (1.5, 1.5), design="weights"),
    "clusters of 3, 36+300": Population((36, 300), (1.5,), design="clusters"),
    "clusters of 3, 90+180": Population((90, 180), (1.5,), design="clusters"),
    "clusters of 3, 2 models, 90+180": Population((90, 180), (1.5, 1.5), design="clusters"),
    "strata, 50+100": Population((50, 100), (1.5,), design="strata"),
    "strata, 2 models, 50+100": Population((50, 100), (1.5, 1.5), design="strata"),
}


def count_advice(population: Population, sets: int, seed: int, **rule: Any) -> np.ndarray:
    """Shares of data sets with "Use", with a wrong "Use", and with a right one."""
    rng, said = np.random.default_rng([seed, *population.sizes]), np.zeros(3)
    best = population.find_best(rule.get("fpr"))
    for _ in range(sets):
        sample = population.draw(rng)
        sentence = rb.summary(sample, metrics="auc", rng=rng, **rule).sentence
        used = re.search(r"\bUse (\w+)", sentence)
        if used is not None:
            right = used[1] == best
            said += 1, not right, right
    return said / sets


def measure_limits(population: Population, sets: int, seed: int) -> np.ndarray:
    """Coverage of found, of alarms, of Wilson's limits of found; said and true rate of alarms."""
    rng, found = np.random.default_rng([seed, *population.sizes]), np.zeros(6)
    for _ in range(sets):
        sample = population.draw(rng)
        point = rb.summary(sample, metrics="auc", fpr=0.1, rng=rng).recommendation.point
        if point is None or point.threshold is None:
            continue
        tpr, fpr = population.find_rates(point.model, point.threshold)
        curve = sample[point.model]
        wilson = rb.operating_points(curve, threshold=point.threshold, method="likelihood")
        found += (
            point.tpr_low <= tpr <= point.tpr_high,
            point.fpr_low <= fpr <= point.fpr_high,
            wilson.tpr_lower[0] <= tpr <= wilson.tpr_upper[0],
            point.fpr,
            fpr,
            1.0,
        )
    return np.append(found[:5] / found[5], found[5] / sets)


def list_advice(sets: int) -> Iterator[str]:
    yield "| models | rows | rule | Use | wrong | right |\n|---|---|---|---|---|---|"
    for number, (name, population) in enumerate((EQUAL | BETTER).items()):
        for rule in ({}, {"fpr": 0.1}):
            use, wrong, right = count_advice(population, sets, number, **rule)
            rows = "+".join(map(str, population.sizes))
            asked = "at most 10 in 100" if rule else "none"
            yield f"| {name} | {rows} | {asked} | {use:.3f} | {wrong:.3f} | {right:.3f} |"


def list_limits(sets: int) -> Iterator[str]:
    yield (
        "| rows | found | alarms | found, threshold's default | alarms said | true | point given |\n"
        "|---|---|---|---|---|---|---|"
    )
    for number, (name, population) in enumerate(CUTS.items()):
        found = measure_limits(population, sets, 100 + number)
        yield f"| {name} | {' | '.join(f'{one:.3f}' for one in found)} |"


def main(parts: list[str]) -> None:
    warnings.simplefilter("ignore", rb.RocBandsWarning)
    sets = [int(part) for part in parts if part.isdigit()]
    for part in [part for part in parts if not part.isdigit()] or ("use", "limits"):
        measure = list_advice if part == "use" else list_limits
        for line in measure(sets[0] if sets else SETS[part]):
            print(line, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
