"""How often `compare` calls equal AUCs different: ``python -m rocbands_studies.coverage.verdict [part ...]``.

Parts: `known` (populations in which a normal test rejected too often), `other` (none of them had a
part in choosing the test), `power`, `sets` (two test sets). Each line has the rejections at .05 and
.10 of the default, the same of DeLong's normal test (Welch's t on two sets), and how often the 95%
limits of the default contain the true difference, with their mean width. Part `many`: rejections of
the joint test of `compare_many`, and test sets in which some pair is called different.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from scipy.special import ndtr, ndtri
from scipy.stats import expon
from scipy.stats import t as student

import rocbands as rb
from rocbands.comparison import DeLongTest

SETS, FEW_SETS = 900, 400
Draw = Callable[..., tuple[np.ndarray, np.ndarray]]


def correlate(rng: np.random.Generator, size: int, rho: float) -> np.ndarray:
    one, two = rng.normal(size=(2, size))
    return np.stack((one, rho * one + np.sqrt(1 - rho**2) * two))


def normal(rng, y, d=(1.0, 1.0), rho=0.6, sd=(1.0, 1.0), neg_sd=(1.0, 1.0), step=0.0):
    """Normal scores; means d and deviations sd of the positives."""
    z = correlate(rng, y.size, rho)
    spread = np.where(y, np.array(sd)[:, None], np.array(neg_sd)[:, None])
    scores = z * spread + np.array(d)[:, None] * y
    return np.rint(scores / step) if step else scores


def match_area(auc: float, sd: float = 1.0, neg_sd: float = 1.0) -> float:
    """Mean of normal positives with a given AUC."""
    return float(ndtri(auc)) * np.hypot(sd, neg_sd)


def halves(rng, y, d=3.0):
    """Each model finds the half of the positives that the other does not find."""
    first = rng.random(y.size) < 0.5
    return correlate(rng, y.size, 0.0) + d * y * np.stack((first, ~first))


def hidden(rng, y, share=1 / 3, d=2.5):
    """A share of the positives looks like negatives to model 1; model 2 has an equal AUC."""
    auc = (1 - share) * float(ndtr(d / np.sqrt(2))) + share / 2
    seen = rng.random(y.size) >= share
    shift = np.stack((d * seen, np.full(y.size, match_area(auc))))
    return correlate(rng, y.size, 0.6) + shift * y


def by_copula(rng, y, law, shift, scale=(1.0, 1.0), rho=0.5):
    """Scores of any distribution; positives are shifted and scaled."""
    u = ndtr(correlate(rng, y.size, rho))
    scores = law.ppf(u)
    return np.where(y == 1, scores * np.array(scale)[:, None] + shift, scores)


KNOWN: dict[str, Draw] = {
    "AUC .76, rho .6": normal,
    "positives' sd 1 and 3": partial(normal, d=(1.0, match_area(float(ndtr(np.sqrt(0.5))), 3.0)), sd=(1.0, 3.0)),
    "each finds the other half": halves,
    "AUC .5, rho .3": partial(normal, d=(0.0, 0.0), rho=0.3),
    "AUC .76, rho .99": partial(normal, rho=0.99),
    "AUC .92": partial(normal, d=(2.0, 2.0)),
    "AUC .985": partial(normal, d=(3.07, 3.07)),
}  # fmt: skip
KNOWN_SIZES = ((5, 100), (10, 200), (10, 2000), (20, 200), (50, 500), (200, 10))
OTHER: dict[str, Draw] = {
    "t with 3 df": partial(by_copula, law=student(3), shift=1.2),
    "exponential": partial(by_copula, law=expon(), shift=0.0, scale=(3.0, 3.0)),
    "positives' sd .5 and 2": partial(normal, d=(match_area(0.8, 0.5), match_area(0.8, 2.0)), sd=(0.5, 2.0)),
    "negatives' sd 1 and 3": partial(normal, d=(1.0, match_area(float(ndtr(np.sqrt(0.5))), 1.0, 3.0)), neg_sd=(1.0, 3.0)),
    "a third hidden to one": hidden,
    "steps of 1": partial(normal, step=1.0),
    "rho -.5": partial(normal, rho=-0.5),
}  # fmt: skip
OTHER_SIZES = ((6, 60), (8, 1000), (12, 400), (15, 15), (30, 100), (300, 12))
POWER: dict[str, tuple[Draw, float]] = {
    "means 2 and 1": (partial(normal, d=(2.0, 1.0)), float(ndtr(np.sqrt(2)) - ndtr(np.sqrt(0.5)))),
    "means 1.1 and 1, rho .99": (partial(normal, d=(1.1, 1.0), rho=0.99), float(ndtr(1.1 / np.sqrt(2)) - ndtr(np.sqrt(0.5)))),
    "means 3.3 and 2.3": (partial(normal, d=(3.3, 2.3)), float(ndtr(3.3 / np.sqrt(2)) - ndtr(2.3 / np.sqrt(2)))),
    "t with 3 df, 2.5 and 1.2": (partial(by_copula, law=student(3), shift=np.array([[2.5], [1.2]])), np.nan),
}  # fmt: skip
POWER_SIZES = ((5, 100), (10, 200), (20, 200), (50, 500))
APART: dict[str, Draw] = {
    "normal, AUC .76": normal,
    "normal, AUC .92": partial(normal, d=(2.0, 2.0)),
    "exponential": OTHER["exponential"],
    "positives' sd 2 and .7": partial(normal, d=(match_area(0.8, 2.0), match_area(0.8, 0.7)), sd=(2.0, 0.7)),
    "t with 2 df": partial(by_copula, law=student(2), shift=1.5),
}  # fmt: skip
APART_SIZES = (
    ((10, 200), (10, 200)), ((15, 150), (100, 100)), ((12, 80), (60, 200)), ((6, 200), (40, 40)), ((25, 25), (400, 20)),
)  # fmt: skip


def labels(n_pos: int, n_neg: int) -> np.ndarray:
    return np.repeat([1, 0], [n_pos, n_neg])


def same_rows(draw: Draw, size: tuple[int, int], rng: np.random.Generator):
    y = labels(*size)
    return (y, *draw(rng, y))


def two_sets(draw: Draw, size, rng: np.random.Generator):
    for k, one in enumerate(size):
        y = labels(*one)
        yield rb.Sample(y, draw(rng, y)[k])


def measure(sample, size, truth: float = 0.0, sets: int = SETS, seed: int = 1) -> np.ndarray:
    """Rejections at .05 and .10 of the default and of the normal test; coverage; mean width."""
    rng, found = np.random.default_rng([seed, *np.ravel(size)]), np.zeros(6)
    for _ in range(sets):
        data = tuple(sample(size=size, rng=rng))
        new, old = rb.compare(*data), rb.compare(*data, method=DeLongTest())
        inside = new.low <= truth <= new.high
        p, q = new.pvalue, old.pvalue
        found += p < 0.05, p < 0.1, q < 0.05, q < 0.1, inside, new.high - new.low
    return found / sets


def measure_part(part: str) -> Iterator[str]:
    if part in ("known", "other"):
        worlds, sizes = (KNOWN, KNOWN_SIZES) if part == "known" else (OTHER, OTHER_SIZES)
        cells = [(name, partial(same_rows, draw), size, 0.0, FEW_SETS if max(size) >= 2000 else SETS)
                 for name, draw in worlds.items() for size in sizes]  # fmt: skip
    elif part == "power":
        cells = [(name, partial(same_rows, draw), size, gap, FEW_SETS)
                 for name, (draw, gap) in POWER.items() for size in POWER_SIZES]  # fmt: skip
    else:
        cells = [(name, partial(two_sets, draw), size, 0.0, SETS) for name, draw in APART.items() for size in APART_SIZES]  # fmt: skip
        y = partial(two_sets, POWER["means 2 and 1"][0])
        cells += [("means 2 and 1", y, size, POWER["means 2 and 1"][1], FEW_SETS) for size in APART_SIZES[:3]]  # fmt: skip
    yield "| population | size | default .05, .10 | normal .05, .10 | limits, width |\n|---|---|---|---|---|"
    for name, sample, size, truth, sets in cells:
        one = measure(sample, size, truth, sets)
        shown = "; ".join("+".join(map(str, s)) for s in np.atleast_2d(size))
        yield f"| {name} | {shown} | {one[0]:.3f}, {one[1]:.3f} | {one[2]:.3f}, {one[3]:.3f} | {one[4]:.3f} ({one[5]:.3f}) |"


MANY = {
    "3 models, AUC .85, sd 1 and 2": (3, 0.85, 0.6, (1.0, 2.0), (10, 200)),
    "3 models, AUC .76, sd 1 and 3": (3, 0.76, 0.6, (1.0, 3.0), (10, 200)),
    "3 models, AUC .9, rho .3, sd 1 and 3": (3, 0.9, 0.3, (1.0, 3.0), (20, 200)),
    "5 models, AUC .85, sd 1, 2 and .5": (5, 0.85, 0.6, (1.0, 2.0, 0.5), (10, 200)),
    "5 models, AUC .85, sd 1, 2, .5": (5, 0.85, 0.6, (1.0, 2.0, 0.5), (20, 200)),
    "5 models, AUC .8": (5, 0.8, 0.6, (1.0,), (10, 200)),
    "5 models, AUC .6": (5, 0.6, 0.6, (1.0,), (10, 200)),
    "3 models, AUC .9": (3, 0.9, 0.6, (1.0,), (20, 200)),
}
MANY_POWER = {
    "means 2, 1, 1": np.array([2.0, 1.0, 1.0]),
    "means 3.3, 2.3, 2.3": np.array([3.3, 2.3, 2.3]),
    "means 1.7, 1, 1, 1, 1": np.array([1.7, 1.0, 1.0, 1.0, 1.0]),
}


def measure_many() -> Iterator[str]:
    yield "| population | size | joint .05, .10 | some pair .05 |\n|---|---|---|---|"
    cells = [(name, partial(draw_equal, *how), size, SETS) for name, (*how, size) in MANY.items()]
    cells += [(name, partial(draw_shifted, means), size, FEW_SETS) for name, means in MANY_POWER.items() for size in ((10, 200), (20, 200))]  # fmt: skip
    for name, draw, size, sets in cells:
        rng, found, y = np.random.default_rng([2, *size]), np.zeros(3), labels(*size)
        for _ in range(sets):
            sample = rb.Sample(y, {f"m{k}": one for k, one in enumerate(draw(rng, y))})
            many = rb.compare_many(sample, n_resamples=500, rng=rng)
            some = ((many.lower > 0) | (many.upper < 0)).any()
            found += many.pvalue < 0.05, many.pvalue < 0.1, some
        one = found / sets
        shown = "+".join(map(str, size))
        yield f"| {name} | {shown} | {one[0]:.3f}, {one[1]:.3f} | {one[2]:.3f} |"


def draw_equal(count, auc, rho, sd, rng, y):
    """Normal scores of equal AUC; positives' deviations sd in turn."""
    shared, own = rng.normal(size=y.size), rng.normal(size=(count, y.size))
    scores, sd = np.sqrt(rho) * shared + np.sqrt(1 - rho) * own, np.resize(sd, count)[:, None]
    return np.where(y == 1, sd * scores + np.hypot(1, sd) * ndtri(auc), scores)


def draw_shifted(means, rng, y):
    shared, own = rng.normal(size=y.size), rng.normal(size=(means.size, y.size))
    return np.sqrt(0.6) * shared + np.sqrt(0.4) * own + means[:, None] * y


def main(parts: list[str]) -> None:
    warnings.simplefilter("ignore", rb.RocBandsWarning)
    for part in parts or ("known", "other", "power", "sets", "many"):
        print(f"\n{part}\n")
        for line in measure_many() if part == "many" else measure_part(part):
            print(line, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
