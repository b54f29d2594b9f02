"""Two models with equal ROC curves; run it to see how the tests of equal curves keep their level.

python -m tests.comparing.worlds          5,000 data sets for each kind
"""

from __future__ import annotations

import sys

import numpy as np

import rocbands as rb


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
}


def main(reps: int = 5000) -> None:
    """Print, for each kind, the share of p-values at or below a few levels, and a uniform test."""
    levels = np.array([0.01, 0.05, 0.1, 0.25, 0.5, 0.75])
    print("permutation, 199 swaps:", *levels, "largest distance from uniform")
    for name, options in KINDS.items():
        rng = np.random.default_rng(list(name.encode()))
        pvalues = np.sort(
            [
                rb.compare(
                    *null_pair(rng, **options), "permutation", n_resamples=199, rng=rng
                ).pvalue
                for _ in range(reps)
            ]
        )
        shares = [(pvalues <= level).mean() for level in levels]
        distance = np.abs(np.searchsorted(pvalues, levels, "right") / reps - levels).max()
        print(name, *(f"{share:.4f}" for share in shares), f"{distance:.4f}", sep=" | ", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5000)
