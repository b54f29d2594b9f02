"""Two models with equal ROC curves; run it to see how the tests of equal curves keep their level.

python -m tests.comparison.worlds          5,000 data sets for each kind
"""

from __future__ import annotations

import sys

import numpy as np

import rocbands as rb
from rocbands.comparison.difference_spread import UnpairedSpread
from rocbands.comparison.grid_curve import CurveAtGrid


def spread_sets(first: rb.RocCurve, second: rb.RocCurve, fpr: np.ndarray) -> UnpairedSpread:
    """Spread of the difference of two test sets' curves."""
    return UnpairedSpread.add_up(*(CurveAtGrid.from_curve(roc, fpr) for roc in (first, second)))


def null_pair(
    rng: np.random.Generator,
    n_pos: int,
    n_neg: int,
    *,
    rho: float,
    shift: float = 1.0,
    step: float = 0.0,
    stretch: bool = False,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels and scores of two binormal models, correlated within classes, with equal curves.

    `step` rounds the scores; `stretch` gives the second model another scale.
    """
    labels = np.repeat([1, 0], [n_pos, n_neg])
    common, own = rng.normal(size=labels.size), rng.normal(size=(2, labels.size))
    scores = np.sqrt(rho) * common + np.sqrt(1 - rho) * own + shift * labels
    if step:
        scores = np.rint(scores / step)
    return labels, scores[0], np.exp(scores[1]) if stretch else scores[1]


KINDS: dict[str, dict[str, float | bool]] = {
    "20+30, correlation .5": {"n_pos": 20, "n_neg": 30, "rho": 0.5},
    "20+30, correlation .9, stretched": {"n_pos": 20, "n_neg": 30, "rho": 0.9, "stretch": True},
    "50+50, correlation 0": {"n_pos": 50, "n_neg": 50, "rho": 0.0},
    "10+190, correlation .5, shift 2": {"n_pos": 10, "n_neg": 190, "rho": 0.5, "shift": 2.0},
    "50+50, steps of .5": {"n_pos": 50, "n_neg": 50, "rho": 0.5, "step": 0.5},
    "50+50, steps of 1.5": {"n_pos": 50, "n_neg": 50, "rho": 0.5, "step": 1.5},
    "50+50, correlation .9, steps of 1": {"n_pos": 50, "n_neg": 50, "rho": 0.9, "step": 1.0},
}


LEVELS = np.array([0.01, 0.05, 0.1, 0.25, 0.5, 0.75])
TWO_SETS: dict[str, tuple[tuple[int, int], tuple[int, int], float, float]] = {
    "25+25 and 25+25": ((25, 25), (25, 25), 1.0, 0.0),
    "50+200 and 100+100": ((50, 200), (100, 100), 1.0, 0.0),
    "50+200 and 100+100, shift 2": ((50, 200), (100, 100), 2.0, 0.0),
    "500+500 and 1000+1000": ((500, 500), (1000, 1000), 1.0, 0.0),
    "50+50 and 50+50, steps of 1": ((50, 50), (50, 50), 1.0, 1.0),
}


def two_sets(
    rng: np.random.Generator, sizes: tuple[tuple[int, int], ...], shift: float, step: float
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Labels and scores of independent test sets with the same curve."""
    sets = []
    for size in sizes:
        labels = np.repeat([1, 0], size)
        scores = rng.normal(size=labels.size) + shift * labels
        sets.append((labels, np.rint(scores / step) if step else scores))
    return sets


def report(name: str, pvalues: list[float]) -> None:
    """Print a line of a table: shares of p-values at or below each level."""
    shares = (f"{np.mean(np.array(pvalues) <= level):.3f}" for level in LEVELS)
    print(f"| {name} | {' | '.join(shares)} |", flush=True)


def main(reps: int = 5000) -> None:
    """Measure both tests of equal curves where the curves are equal."""
    print("venkatraman, 199 swaps;", f"{reps} data sets")
    for name, options in KINDS.items():
        rng = np.random.default_rng(list(name.encode()))
        drawn = (null_pair(rng, **options) for _ in range(reps))
        report(
            name,
            [
                rb.compare(*rows, method="venkatraman", n_resamples=199, rng=rng).pvalue
                for rows in drawn
            ],
        )
    print("likelihood, two sets;", f"{reps // 5} pairs of sets")
    for name, (one, two, shift, step) in TWO_SETS.items():
        rng, pvalues = np.random.default_rng(list(name.encode())), []
        for _ in range(reps // 5):
            (y, s), (y2, s2) = two_sets(rng, (one, two), shift, step)
            found = rb.compare(
                rb.Sample(y, s), rb.Sample(y2, s2), method="likelihood", n_resamples=400, rng=rng
            )
            pvalues.append(found.pvalue)
        report(name, pvalues)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5000)
