"""Coverage of the curves of later test sets, for every band that takes `future=`.

``python -m rocbands_studies.coverage.later_curves [sets]`` prints tables of studies/docs/measured-bands.md: each method at
three levels, for later sets as large as the observed one, four times and a quarter as large.
`sets` bands (20 by default) are made for each population and size, and 20 later curves are compared
with each. The last column is the control: bands without `future=`.
"""

from __future__ import annotations

import sys
import warnings
from itertools import product
from typing import Any

import numpy as np

import rocbands as rb
from rocbands_studies import Binormal, Exponential, Normal, Pair
from rocbands_studies.coverage.worlds import other_worlds
from rocbands_studies.populations import draw_curve

LEVELS = (0.9, 0.95, 0.99)
TIMES = (1.0, 4.0, 0.25)
SIZES = ((25, 25), (100, 100), (100, 1000))
LATER = 20
DRAWS = 199  # the quantile of 199 draws holds as often as that of 1,000, on average
METHODS = (
    rb.bands.Likelihood(),
    rb.bands.FixedWidth(n_resamples=DRAWS),
    rb.bands.SupT(n_resamples=DRAWS),
    rb.bands.JointRegion(),
    rb.bands.WorkingHotelling(n_resamples=DRAWS),
)
WORLDS = (
    *(Pair(Normal(d, 1), Normal(0, 1), name=f"normal, {d:g} sd apart") for d in (0.75, 1.5, 3.0)),
    Binormal(5.0),
    Pair(Normal(1.5, 1), Normal(0, 1), 1.0, name="normal, 1.5 sd apart, in steps of 1 sd"),
    other_worlds(0.85)[0],
    Pair(Exponential(17 / 3), Exponential(1), name="exponential"),
)
Figures = dict[tuple[str, float], np.ndarray]  # by method and ratio: levels, control, area


def measure(world: Any, sizes: tuple[int, int], sets: int, rng: np.random.Generator) -> Figures:
    """Mean share of later curves inside at each level, inside the control at .95, and area."""
    futures = [tuple(max(1, round(t * size)) for size in sizes) for t in TIMES]
    found = {(method.name, t): np.zeros(len(LEVELS) + 2) for method in METHODS for t in TIMES}
    for _ in range(sets):
        roc = draw_curve(world, rng, *sizes)
        later = [[draw_curve(world, rng, *size).curve for _ in range(LATER)] for size in futures]
        for method in METHODS:
            bands = method.at_levels(roc, LEVELS, futures=futures, rng=rng)
            plain = method(roc, level=0.95, rng=rng)
            for k, t in enumerate(TIMES):
                three = bands[3 * k : 3 * k + 3]
                fitted = getattr(plain.region, "fitted", plain) is not None  # else it is a miss
                held = [
                    np.mean([fitted and band.region.contains(one) for one in later[k]])
                    for band in (*three, plain)
                ]
                found[method.name, t] += [*held, three[1].area]
    return {key: value / sets for key, value in found.items()}


def show(figures: np.ndarray) -> str:
    """Numbers without the 0 before the point."""
    return ", ".join(f"{value:.2f}".replace("0.", ".", 1) for value in figures)


def print_tables(found: dict[tuple[str, tuple[int, int]], Figures]) -> None:
    """By population, the lowest of nine numbers; by sizes, means over the populations."""
    names = [method.name for method in METHODS]
    rule = "|---" * (len(names) + 1) + "|"
    print("| population | " + " | ".join(names) + f" |\n{rule}")
    for world in WORLDS:
        least = [
            np.min([found[world.name, s][name, t][:3] for s, t in product(SIZES, TIMES)], axis=0)
            for name in names
        ]
        print(f"| {world.name} | " + " | ".join(map(show, least)) + " |")
    print("\n| observed, later | " + " | ".join(names) + f" |\n{rule}")
    for sizes, t in product(SIZES, TIMES):
        cells = []
        for name in names:
            mean = np.mean([found[world.name, sizes][name, t] for world in WORLDS], axis=0)
            cells.append(f"{show(mean[:3])} ({show(mean[4:])}) / {show(mean[3:4])}")
        later = "+".join(str(max(1, round(t * size))) for size in sizes)
        print(f"| {sizes[0]}+{sizes[1]}, {later} | " + " | ".join(cells) + " |")


def main(sets: int) -> None:
    warnings.simplefilter("ignore", rb.RocBandsWarning)
    rng, found = np.random.default_rng(17), {}
    for world, sizes in product(WORLDS, SIZES):
        found[world.name, sizes] = measure(world, sizes, sets, rng)
        for (name, t), figures in found[world.name, sizes].items():
            print(f"{world.name}; {sizes}; {t:g}; {name}: {show(figures)}", file=sys.stderr)
    print_tables(found)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
