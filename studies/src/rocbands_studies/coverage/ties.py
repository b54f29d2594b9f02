"""Critical values of tied scores: how often bands hold. ``python -m rocbands_studies.coverage ties [sets]``.

For each population of score levels and each pair of class sizes test sets are drawn, and the
statistic of the true curve is compared with the critical value that each set is given: by the
formula of tied levels, and by the value for untied curves. :func:`draw_statistics` is the oracle of
the formula; :func:`resample_value` is what resampling the levels of one set gives.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import expit, ndtr, ndtri
from scipy.stats import binom, t

from rocbands.core.tolerance import SLACK
from rocbands.likelihood.calibration import find_critical_values
from rocbands.likelihood.chance import find_statistics, with_half_turns
from rocbands.likelihood.curves import Curves, ManyCurves
from rocbands.likelihood.levels import find_level_values

SETS, SEED, SHOWN = 1500, 41, (0.9, 0.95, 0.99)
SIZES = ((12, 13), (30, 30), (100, 100), (20, 200), (500, 500), (200, 2000), (5000, 5000))
FUTURES = (((30, 30), (12, 12)), ((100, 100), (100, 100)), ((60, 200), (300, 100)))
_BATCH = 1 << 18  # array entries of a batch of sets

Sizes = tuple[int, int]


@dataclass(frozen=True)
class Levels:
    """Shares of the positives and of the negatives at each level, the highest first."""

    name: str
    pos: np.ndarray
    neg: np.ndarray

    @property
    def auc(self) -> float:
        below = 1.0 - np.cumsum(self.neg)
        return float(self.pos @ (below + self.neg / 2.0))

    @cached_property
    def curve(self) -> tuple[np.ndarray, np.ndarray]:
        """False and true positive rates at the vertices."""
        x, y = (np.append(0.0, np.cumsum(side)) for side in (self.neg, self.pos))
        x[-1] = y[-1] = 1.0
        return x, y

    def draw(
        self, sizes: Sizes, sets: int, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw cases at each level, one row a set."""
        return rng.multinomial(sizes[0], self.pos, sets), rng.multinomial(sizes[1], self.neg, sets)


def cut(name: str, edges: np.ndarray, d: float, sd: float = 1.0) -> Levels:
    """Cut normal scores, N(d, sd) and N(0, 1), at rising edges."""
    at = np.concatenate(([-np.inf], edges, [np.inf]))
    pos, neg = np.diff(ndtr((at - d) / sd))[::-1], np.diff(ndtr(at))[::-1]
    return Levels(name, pos / pos.sum(), neg / neg.sum())


def even(count: int, d: float, sd: float = 1.0) -> Levels:
    """Levels that are about equally frequent in both classes together."""
    edges = (ndtri(np.arange(1, count) / count) + 0.5 * d) * np.sqrt((1.0 + sd**2) / 2.0)
    return cut(f"{count} levels, d {d:g}{f', sd {sd:g}' if sd != 1.0 else ''}", edges, d, sd)


def digits(count: int, d: float) -> Levels:
    """Probabilities expit(score - d / 2) that are rounded to `count` digits."""
    share = (np.arange(10**count) + 0.5) / 10**count
    return cut(f"{count} digits, d {d:g}", np.log(share / (1.0 - share)) + d / 2.0, d)


def votes(count: int, d: float) -> Levels:
    """Votes of `count` members, each positive with probability expit of a normal score."""
    z = ndtri((np.arange(400) + 0.5) / 400)
    high = np.arange(count, -1, -1)[:, None]
    pos, neg = (binom.pmf(high, count, expit(z + by)).mean(axis=1) for by in (d / 2, -d / 2))
    return Levels(f"votes of {count}, d {d:g}", pos / pos.sum(), neg / neg.sum())


def heavy(count: int, share: float, d: float) -> Levels:
    """Levels of which one, a third from the top, has `share` of the negatives."""
    found = even(count, d)
    neg = found.neg * (1.0 - share)
    neg[count // 3] += share
    return Levels(f"{count} levels, {share:.0%} of negatives in one", found.pos, neg)


def tailed(count: int, df: float, d: float) -> Levels:
    edges = t.ppf(np.arange(1, count) / count, df)
    at = np.concatenate(([-np.inf], edges, [np.inf]))
    pos, neg = np.diff(t.cdf(at - d, df))[::-1], np.diff(t.cdf(at, df))[::-1]
    return Levels(f"{count} levels, t with {df:g} df, shift {d:g}", pos, neg)


def given(name: str, pos: list[float], neg: list[float]) -> Levels:
    return Levels(name, np.array(pos) / sum(pos), np.array(neg) / sum(neg))


POPULATIONS = (
    *(even(2, 1.0), even(3, 1.0), even(5, 0.0), even(5, 3.3), votes(10, 1.0), digits(1, 1.0)),
    *(even(50, 0.0), digits(2, 1.0), even(100, 3.3), heavy(20, 0.6, 1.0)),
)
OTHERS = (
    given("yes/no, rates .067 and .933", [14, 1], [1, 14]),
    given("4 uneven levels", [1, 6, 12, 1], [1, 2, 7, 30]),
    even(7, 1.5, 2.0),
    tailed(12, 2.0, 2.0),
    even(25, 2.0, 0.4),
    even(33, 0.4),
    votes(60, 2.5),
    heavy(80, 0.5, 1.5),
    given("hook of 6 levels", [5, 20, 20, 20, 5, 30], [1, 4, 10, 25, 55, 5]),
    even(100, 0.5, 3.0),
)


# ------------------------------------------------------------------ the statistic


def draw_statistics(
    pos: np.ndarray, neg: np.ndarray, u: np.ndarray, v: np.ndarray, future: Sizes | None = None
) -> np.ndarray:
    """Return the statistic of each set; rows of `pos`, `neg` are cases at levels, highest first.

    `u`, `v`: rates of the curves to be tested, from 0 to 1: one for all sets, or one for each.
    """
    fp, tp = (
        np.pad(np.cumsum(side, axis=1), ((0, 0), (1, 0))).astype(float) for side in (neg, pos)
    )
    u, v = (np.broadcast_to(side, fp.shape) for side in (u, v))
    batch = max(1, _BATCH // (8 * fp.shape[1] + 100))
    found = []
    for start in range(0, len(fp), batch):
        rows = slice(start, start + batch)
        sides = [with_half_turns(side[rows]) for side in (fp, tp, u, v)]
        curves = _lay_out(*sides[:2], int(tp[0, -1]), int(fp[0, -1]), future)
        found.append(find_statistics(curves, *sides[2:]))
    return np.concatenate(found)


def _lay_out(
    fp: np.ndarray, tp: np.ndarray, n_pos: int, n_neg: int, future: Sizes | None
) -> Curves:
    """Lay out curves with the same number of levels, one row each, counts cumulated from 0.

    A level without positives or without negatives is no slanted segment but a step, of which only
    the north-west end matters.
    """
    slanted = (np.diff(fp) > 0) & (np.diff(tp) > 0)
    x0, y1 = fp[:, :-1], tp[:, 1:]
    x1, y0 = np.where(slanted, fp[:, 1:], x0), np.where(slanted, tp[:, :-1], y1)
    origin = np.zeros((fp.shape[0], 1))  # a piece of its own
    x0, y0, x1, y1 = (np.concatenate((origin, side), axis=1) for side in (x0, y0, x1, y1))
    slanted = np.concatenate((origin > 0, slanted), axis=1)
    # Keys that are sorted over all curves: one binary search serves them all.
    row = np.arange(fp.shape[0], dtype=np.float64)[:, None]
    keys = (x0 + row * (n_neg + 1)).ravel(), (y1 + row * (n_pos + 1)).ravel()
    ends = (x0.ravel(), y0.ravel(), x1.ravel(), y1.ravel())
    return ManyCurves(
        *ends, slanted.ravel(), n_pos, n_neg, x0.shape[1], future, fp_key=keys[0], tp_key=keys[1]
    )


def resample_value(
    pos: np.ndarray, neg: np.ndarray, level: float, draws: int, rng: np.random.Generator
) -> float:
    """Return the quantile of the statistic in resamples of the levels of one set.

    Half a case is added to each level and class.
    """
    shares = [(side + 0.5) / (side.sum() + 0.5 * side.size) for side in (pos, neg)]
    again = Levels("", *shares)
    drawn = again.draw((int(pos.sum()), int(neg.sum())), draws, rng)
    return float(np.quantile(draw_statistics(*drawn, *again.curve), level, method="higher"))


# ------------------------------------------------------------------ coverage


def measure(population: Levels, sizes: Sizes, sets: int, future: Sizes | None = None) -> np.ndarray:
    """Coverage at the levels `SHOWN`: by the formula, and by the value of untied curves."""
    rng = np.random.default_rng([SEED, *sizes, *map(ord, population.name)])
    pos, neg = population.draw(sizes, sets, rng)
    curve = population.curve
    if future is not None:
        later = population.draw(future, sets, rng)
        curve = tuple(
            np.pad(np.cumsum(side, axis=1), ((0, 0), (1, 0))) / side.sum(axis=1, keepdims=True)
            for side in later[::-1]
        )
    statistics = draw_statistics(pos, neg, *curve, future)
    values = np.empty((2, sets, len(SHOWN)))
    for i in range(sets):
        fp, tp = (np.append(0, np.cumsum(side[i])) for side in (neg, pos))
        area = float(np.sum(np.diff(fp) * (tp[1:] + tp[:-1])) / (2.0 * fp[-1] * tp[-1]))
        untied = find_critical_values("curve", fp, tp, SHOWN, future, 0, auc=area)
        values[0, i] = find_level_values(pos[i], neg[i], SHOWN, future)
        values[1, i] = [one.critical_value for one in untied]
    return (statistics[:, None] <= values + SLACK).mean(axis=1)


def list_coverage(sets: int) -> Iterator[str]:
    yield "| population | AUC | sizes | formula: .90, .95, .99 | untied value |\n|---|--:|---|---|---|"
    cells = [(one, sizes, None) for one in (*POPULATIONS, *OTHERS) for sizes in SIZES]
    cells += [(one, now, later) for one in POPULATIONS for now, later in FUTURES]
    lowest = np.ones((2, len(SHOWN)))
    for population, sizes, future in cells:
        found = measure(population, sizes, sets, future)
        lowest = np.minimum(lowest, found)
        size = "+".join(map(str, sizes)) + (f", later {future[0]}+{future[1]}" if future else "")
        figures = (", ".join(f"{share:.3f}" for share in row) for row in found)
        yield f"| {population.name} | {population.auc:.2f} | {size} | {' | '.join(figures)} |"
    figures = (", ".join(f"{share:.3f}" for share in row) for row in lowest)
    yield f"| lowest | | | {' | '.join(figures)} |"


def main(arguments: list[str]) -> None:
    for line in list_coverage(int(arguments[0]) if arguments else SETS):
        print(line, flush=True)
