"""How often net benefit is wrongly called better: ``python -m rocbands_studies.coverage.benefit [sets]``.

Each line is a population and a size. Rows are drawn at random, so the share of positives varies.
`lead`: how often the 95% limits of the difference from the better of treating all and treating none
contain the true one, pointwise at the worst of five thresholds, and simultaneously at all 99.
`claim`: data sets in which the model is called better than both at a threshold where it is not: at
the threshold at which its true lead is 0 (a two-sided 95% limit may do so in 2.5%), at any of 99
thresholds with pointwise limits, and with simultaneous ones. `estimate`: claims at the same
threshold without limits, the negative control.
"""

from __future__ import annotations

import sys
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit, ndtr

import rocbands as rb

T = np.arange(1, 100) / 100
SETS = 1000
FIVE = (4, 14, 29, 49, 69)  # places of 5%, 15%, 30%, 50% and 70% in T


class World(NamedTuple):
    """Normal scores of mean `d` in positives, as probabilities whose log odds are off by `shift`."""

    d: float
    prevalence: float = 0.3
    shift: float = 0.0
    slope: float = 1.0

    def draw(self, rng: np.random.Generator, size: int) -> tuple[np.ndarray, np.ndarray]:
        y = np.zeros(size, dtype=bool)
        while y.all() or not y.any():
            y = rng.random(size) < self.prevalence
        return y, expit(
            self._start + self.slope * self._step * (rng.normal(size=size) + self.d * y)
        )

    @property
    def _step(self) -> float:
        return max(self.d, 0.5)

    @property
    def _start(self) -> float:
        return float(logit(self.prevalence)) - self.d * self._step / 2 + self.shift

    def lead(self, t: np.ndarray | float) -> np.ndarray:
        """True difference from the better of treating all and treating none."""
        cut = (logit(t) - self._start) / (self.slope * self._step)
        fnr, tnr = ndtr(cut - self.d), ndtr(cut)
        p, odds = self.prevalence, np.asarray(t) / (1 - np.asarray(t))
        over_none = p * (1 - fnr) - (1 - p) * odds * (1 - tnr)
        over_all = (1 - p) * odds * tnr - p * fnr
        return np.minimum(over_none, over_all)

    def find_edge(self) -> float:
        """The first threshold at which the true lead changes its sign; else the prevalence.

        There the lead of a useless model is 0; elsewhere it is negative.
        """
        fine = np.linspace(0.02, 0.95, 2000)
        sign = np.flatnonzero(np.diff(np.sign(self.lead(fine))))
        if not sign.size:
            return self.prevalence
        return float(brentq(self.lead, fine[sign[0]], fine[sign[0] + 1]))


WORLDS = {
    "useless": World(0.0),
    "useless, prevalence .05": World(0.0, 0.05),
    "d 1, too high": World(1.0, shift=1.0),
    "d 1, too low": World(1.0, shift=-1.5),
    "d 1, too extreme": World(1.0, slope=2.5),
    "d 2, too high, prevalence .05": World(2.0, 0.05, shift=2.0),
    "d 1.5, too high, prevalence .5": World(1.5, 0.5, shift=1.5),
}
SIZES = (100, 500)


def measure(world: World, size: int, sets: int = SETS, seed: int = 1) -> np.ndarray:
    """Shares of data sets: lead at five thresholds, lead at all, three kinds of claims, control."""
    rng, found = np.random.default_rng([seed, size]), np.zeros(len(FIVE) + 5)
    edge, true = world.find_edge(), world.lead(T)
    for number in range(sets):
        y, p = world.draw(rng, size)
        each = rb.net_benefit(y, p, thresholds=T, simultaneous=False)
        all_ = rb.net_benefit(y, p, thresholds=T, rng=number)
        one = rb.net_benefit(y, p, thresholds=[edge])
        inside = [(x.difference_lower <= true) & (true <= x.difference_upper) for x in (each, all_)]
        claims = [((x.difference_lower > 0) & (true <= 0)).any() for x in (each, all_)]
        found[: len(FIVE)] += inside[0][list(FIVE)]
        found[len(FIVE) :] += (
            inside[1].all(), one.difference_lower[0] > 0, *claims, one.difference[0] > 0,
        )  # fmt: skip
    return found / sets


def main(sets: int = SETS) -> None:
    print("| population | rows | lead: each, all | claim: one, any, simultaneous | estimate |")
    print("|---|---|---|---|---|")
    for name, world in WORLDS.items():
        for size in SIZES:
            *each, whole, one, any_, together, naive = measure(world, size, sets)
            print(
                f"| {name} | {size} | {min(each):.3f}, {whole:.3f} | {one:.3f}, {any_:.3f}, "
                f"{together:.3f} | {naive:.3f} |",
                flush=True,
            )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
