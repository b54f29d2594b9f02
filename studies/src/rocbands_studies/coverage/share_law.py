"""Costs where the share of positives varies: ``python -m rocbands_studies.coverage.share_law``.

Two situations of `rb.cost.ShareLaw`. `test set`: the test set is drawn from a population whose
share is one draw, and limits are for the cost at the mean share. `population`: class sizes of the
test set are fixed, and limits are for the cost in a population whose share is drawn. Beside either
stand limits that ignore the variation: full sampling, and a law that hardly varies. Errors are
drawn at one threshold, so that scores, and ties among them, do not matter.
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri

from rocbands.cost import METHODS, ShareLaw
from rocbands.cost.conditions import build_conditions
from rocbands.cost.terms import CostTerms
from rocbands.design.paired_sums import PairedSums

LEVELS, SETS = (0.95, 0.9, 0.99), 1000
TINY = 1e-6


class World(NamedTuple):
    """Error rates and discordance of both classes, sizes, costs, and the law of the share."""

    name: str
    errors: tuple[float, float]  # fnr and fpr of model 1
    sizes: tuple[int, int]
    law: tuple[float, float]  # mean and sd
    costs: tuple[float, float] = (1.0, 1.0)
    only: tuple[tuple[float, float], tuple[float, float]] = ((0.06, 0.02), (0.03, 0.05))


WORLDS = (
    World("1000 + 1000, share .5 (.05), costs 4 : 1", (0.3, 0.07), (1000, 1000), (0.5, 0.05), (4.0, 1.0)),
    World("1000 + 1000, share .5 (.02), costs 4 : 1", (0.3, 0.07), (1000, 1000), (0.5, 0.02), (4.0, 1.0)),
    World("100 + 900, share .1 (.05), costs 10 : 1", (0.25, 0.1), (100, 900), (0.1, 0.05), (10.0, 1.0)),
    World("50 + 950, share .05 (.04), costs 20 : 1, skewed", (0.2, 0.1), (50, 950), (0.05, 0.04), (20.0, 1.0)),
    World("20 + 20, share .5 (.1)", (0.3, 0.1), (20, 20), (0.5, 0.1)),
    World("10 + 500, share .02 (.01), costs 50 : 1", (0.2, 0.05), (10, 500), (0.0196, 0.01), (50.0, 1.0)),
    World("120 + 280, errors rare, share .3 (.1), costs 5 : 1", (0.02, 0.02), (120, 280), (0.3, 0.1), (5.0, 1.0), ((0.01, 0.01), (0.01, 0.005))),
    World("100 + 100, equal effects, share .5 (.1)", (0.2, 0.2), (100, 100), (0.5, 0.1)),
)  # fmt: skip


def measure(
    world: World,
    kind: str,
    two: bool,
    sets: int,
    seed: int = 1,
    methods: Any = ("mover", "gaussian"),
) -> dict[str, list[float]]:
    """Share of sets whose limits hold, by method, at each level."""
    rng = np.random.default_rng([seed, sum(map(ord, world.name + kind)), two])
    mean, sd = world.law
    scale = mean * (1 - mean) / sd**2 - 1
    fixed = kind == "population"
    held: dict[str, list[list[bool]]] = {}
    for _ in range(sets):
        share = rng.beta(mean * scale, (1 - mean) * scale)
        sizes = world.sizes
        if not fixed:
            n = sum(sizes)
            n_pos = int(np.clip(rng.binomial(n, share), 1, n - 1))
            sizes = n_pos, n - n_pos
        truth = find_truth(world, share if fixed else mean, two)
        if two:
            drawn = [
                rng.multinomial(m, [*p, 1 - sum(p)])[:2]
                for m, p in zip(sizes, world.only, strict=True)
            ]
            up, down = (np.array([[side[k]] for side in drawn]) for k in (0, 1))
        else:
            up = np.array([[rng.binomial(m, p)] for m, p in zip(sizes, world.errors, strict=True)])
            down = np.zeros_like(up)
        laws: dict[str, Any] = {"": ShareLaw(sd, mean=mean if fixed else None)}
        laws[", ignored"] = ShareLaw(TINY, mean=mean) if fixed else "full"
        for label, law in laws.items():
            at = build_conditions(costs=world.costs, sampling=law, sizes=sizes)
            if two:  # model 1 alone is right about positives, and calls negatives
                only = down[0], up[0], up[1], down[1]
                terms = CostTerms.of_pair(PairedSums.of_counts(only, *sizes), at)
            else:
                terms = CostTerms.of_counts(up[0], up[1], at)
            for method in methods:
                each = held.setdefault(method + label, [])
                each.append([_holds(METHODS[method](), terms, level, truth) for level in LEVELS])
    return {name: np.mean(each, axis=0).tolist() for name, each in held.items()}


def find_truth(world: World, share: float, two: bool) -> float:
    """The cost, or the difference of two, at a share of positives."""
    fnr, fpr = ((up - down) for up, down in world.only) if two else world.errors
    c_fn, c_fp = world.costs
    return (share * c_fn * fnr + (1 - share) * c_fp * fpr) / max(world.costs)


def _holds(method: Any, terms: Any, level: float, truth: float) -> bool:
    found = method.find_limits(terms, level, float(ndtri((1 + level) / 2)))
    return bool(found.lower[0] <= truth <= found.upper[0])


def main(sets: int = SETS) -> None:
    for kind in ("test set", "population"):
        for two in (False, True):
            for world in WORLDS:
                found = measure(world, kind, two, sets)
                cells = (f"{k} " + " ".join(f"{v:.3f}" for v in row) for k, row in found.items())
                print(
                    f"{kind}, {'difference' if two else 'one model'}, {world.name}: "
                    + "; ".join(cells)
                )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
