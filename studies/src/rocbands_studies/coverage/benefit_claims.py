"""How often equal models are called different: ``python -m rocbands_studies.coverage.benefit_claims [sets]``.

Each line is a population of two exchangeable models, so that every claim of a difference of net
benefit at one of 99 thresholds is false. But for the useless ones the models are calibrated, so
that neither is worse than treating all or none anywhere. Pairs of numbers are of pointwise limits,
the negative control, and of simultaneous ones. `claims`: data sets in which limits of the difference
exclude 0 somewhere. `worse`: those in which the first model is called worse than the better of
treating all and none where it is not. `lead`: those in which its true lead lies within the limits
at all thresholds; `shown`: those in which it is shown to be better somewhere. `width`: mean ratio of
the widths of both kinds of limits, of the difference and of the lead.
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, logit

import rocbands as rb
from rocbands_studies.coverage.benefit import T, World

SETS = 200


class Pair(NamedTuple):
    """Two exchangeable models: scores with mean `d` in positives, normal with correlation `rho`."""

    rows: int
    share: float
    d: float
    rho: float
    design: str = ""
    prevalence: float | None = None  # that is given
    rows_2: int = 0  # of a second test set, which only the second model scores

    def draw(self, rng: np.random.Generator) -> tuple[Any, ...]:
        """Draw what `net_benefit_difference` takes: a sample of two models, or two test sets."""
        first = self._draw_sample(rng, self.rows, 0)
        if not self.rows_2:
            return (first,)
        second = self._draw_sample(rng, self.rows_2, self.rows // 10)
        return first["one"], second["two"]

    def _draw_sample(self, rng: np.random.Generator, size: int, start: int) -> rb.Sample:
        """Draw a set; `start`: number of its first group, half of the groups of the other set."""
        grouped = "groups" in self.design
        code = start + np.arange(size) // 5 if "common" in self.design else np.arange(size) // 10
        share = np.full(size, self.share)
        if "strata" in self.design:
            share = self.share * np.array([0.4, 0.8, 1.2, 1.6])[np.arange(size) % 4]
        if grouped:
            share = rng.beta(4 * self.share, 4 - 4 * self.share, int(code.max()) + 1)[code]
        y = np.zeros(size, dtype=bool)
        while y.sum() < 2:
            y = rng.random(size) < share
        step = max(self.d, 0.5)
        start_at = logit(self.share) - self.d * step / 2
        noise = self._correlate(rng.normal(size=(3, size)))
        if grouped:
            effect = self._correlate(self._draw_effects(rng, int(code.max()) + 1))
            noise = 0.7**0.5 * noise + 0.3**0.5 * effect[:, code]
        scores = expit(start_at + step * (noise + self.d * y))
        design: dict[str, Any] = {}
        if grouped:
            design["clusters"] = code
        if "weights" in self.design:
            design["weights"] = rng.choice([1.0, 4.0], size)
        if "strata" in self.design:
            design["strata"] = np.arange(size) % 4
        return rb.Sample(y, dict(zip(("one", "two"), scores, strict=True)), **design)

    def _correlate(self, normal: np.ndarray) -> np.ndarray:
        """Two rows with correlation `rho`, from three independent ones."""
        return self.rho**0.5 * normal[0] + (1 - self.rho) ** 0.5 * normal[1:]

    def _draw_effects(self, rng: np.random.Generator, groups: int) -> np.ndarray:
        """Effects of groups; of common ones they are the same in both test sets."""
        if "common" not in self.design:
            return rng.normal(size=(3, groups))
        seed = rng.bit_generator.seed_seq.entropy  # type: ignore[attr-defined]
        return np.random.default_rng([seed, 1]).normal(size=(3, 10 * self.rows))[:, :groups]


WORLDS = {
    "review 1": Pair(300, 0.2, 1.5, 0.6),
    "review 2": Pair(1000, 0.1, 1.5, 0.6),
    "review 3": Pair(3000, 0.3, 1.0, 0.8),
    "review 4, useless": Pair(500, 0.1, 0.0, 0.0),
    "review 5": Pair(150, 0.05, 1.5, 0.3),
    "few rows": Pair(60, 0.3, 1.5, 0.6),
    "nearly the same": Pair(300, 0.5, 1.0, 0.95),
    "prevalence given": Pair(1000, 0.2, 1.5, 0.6, prevalence=0.02),
    "weights 1 or 4": Pair(1000, 0.2, 1.5, 0.6, "weights"),
    "groups of 10": Pair(600, 0.2, 1.5, 0.6, "groups"),
    "few groups, weights": Pair(200, 0.3, 1.0, 0.6, "groups, weights"),
    "four strata": Pair(600, 0.2, 1.5, 0.6, "strata"),
    "two sets": Pair(500, 0.2, 1.5, 0.6, rows_2=500),
    "two sets, unequal": Pair(200, 0.2, 1.5, 0.6, rows_2=2000),
    "two sets, common groups": Pair(500, 0.2, 1.5, 0.6, "common groups", rows_2=500),
}


def exclude(lower: np.ndarray, upper: np.ndarray) -> bool:
    """Tell whether limits exclude 0 somewhere."""
    return bool(((lower > 0) | (upper < 0)).any())


def measure(pair: Pair, sets: int = SETS, seed: int = 1) -> dict[str, np.ndarray]:
    """Shares of data sets, by pointwise and by simultaneous limits; ratios of widths."""
    true = World(pair.d, pair.share).lead(T)
    names = ("claims", "worse", "lead", "shown")
    found: dict[str, Any] = {name: np.zeros(2) for name in names} | {"width": np.zeros(2)}
    for number in range(sets):
        data = pair.draw(np.random.default_rng(1000 * seed + number))
        model = data[0]["one"] if len(data) == 1 else data[0]
        widths = np.zeros((2, 2, T.size))
        for kind, simultaneous in enumerate((False, True)):
            how: dict[str, Any] = {"simultaneous": simultaneous, "prevalence": pair.prevalence}
            how["rng"] = number
            gap = rb.net_benefit_difference(*data, **how)
            own = rb.net_benefit(model, **how)
            low, high = own.difference_lower, own.difference_upper
            found["claims"][kind] += exclude(gap.lower, gap.upper)
            found["worse"][kind] += ((high < 0) & (true >= 0)).any()
            found["lead"][kind] += ((low <= true) & (true <= high)).all()
            found["shown"][kind] += (low > 0).any()
            widths[kind] = gap.upper - gap.lower, high - low
        found["width"] += (widths[1] / widths[0]).mean(axis=1)
    return {name: values / sets for name, values in found.items()}


def main(sets: int = SETS, *names: str) -> None:
    print("| population | claims | worse | lead | shown | width: difference, lead |")
    print("|---|---|---|---|---|---|")
    for name in names or WORLDS:
        pair = WORLDS[name]
        found = measure(pair, sets)
        cells = ["{:.3f} -> {:.3f}".format(*found[key]) for key in ("claims", "worse", "lead")]
        cells += [
            "{:.3f} -> {:.3f}".format(*found["shown"]),
            "{:.2f}, {:.2f}".format(*found["width"]),
        ]
        if pair.prevalence is not None:  # true leads are those at the share of the rows
            cells[1:4] = ["", "", ""]
        size = f"{pair.rows} / {pair.rows_2}" if pair.rows_2 else f"{pair.rows}"
        what = f"{name}: {size}, {pair.share:g}, {pair.d:g}, {pair.rho:g}"
        print(f"| {what} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]), *sys.argv[2:])
