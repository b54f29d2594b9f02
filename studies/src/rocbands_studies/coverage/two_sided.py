"""Two-sided curves: how often limits of the area hold, and how often the test rejects.

python -m rocbands_studies.coverage.two_sided 400        400 data sets a cell

A cell shows the share of limits at .90, .95 and .99 that contain the true area of the best two-sided
rules; the mean of the empirical area minus the truth; then how often the test says at .10, .05 and
.01 that two sides are better, which is an error where one side is enough; and at .95 how often plain
bootstrap percentiles of the best two-sided area hold.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

import rocbands as rb
from rocbands.two_sided.curve import judge_rules, measure_area

Array = np.ndarray
LEVELS = (0.9, 0.95, 0.99)


@dataclass(frozen=True)
class Population:
    """Positives as a mixture of two normal distributions; negatives are standard normal."""

    name: str
    means: tuple[float, float] = (0.0, 0.0)
    deviations: tuple[float, float] = (1.0, 1.0)
    share: float = 0.5  # of the first part
    scale: Callable[[Array], Array] = np.asarray  # increasing, of the observed scores

    def draw(self, n_pos: int, n_neg: int, rng: np.random.Generator) -> tuple[Array, Array]:
        part = (rng.random(n_pos) >= self.share).astype(int)
        z = rng.normal(size=n_pos) * np.array(self.deviations)[part] + np.array(self.means)[part]
        scores = np.concatenate((z, rng.normal(size=n_neg)))
        return np.repeat([1, 0], [n_pos, n_neg]), self.scale(scores)

    def find_truth(self) -> float:
        """Area: the largest share of positives for each fpr t over 2,001 divisions of t."""
        (m1, m2), (s1, s2) = self.means, self.deviations
        g, t = np.linspace(0.0, 1.0, 2001), (np.arange(1000) + 0.5) / 1000

        def below(x: Array) -> Array:
            return self.share * ndtr((x - m1) / s1) + (1 - self.share) * ndtr((x - m2) / s2)

        return float(
            np.mean([(below(ndtri(g * u)) + 1 - below(ndtri(1 - (1 - g) * u))).max() for u in t])
        )


POPULATIONS = (
    Population("N(0, 3)", deviations=(3.0, 3.0)),
    Population("two peaks at -2 and 2", (-2.0, 2.0)),
    Population("unequal peaks, 3:7", (-2.0, 2.0), share=0.3),
    Population("N(0.5, 1.5)", (0.5, 0.5), (1.5, 1.5)),
    Population("peaks at -4 and 4, area .99", (-4.0, 4.0)),
    Population("two peaks, skewed scores", (-2.0, 2.0), scale=np.exp),
    Population("one side, d = 1", (1.0, 1.0)),
    Population("one side, d = 0.3", (0.3, 0.3)),
    Population("one side, a fifth far above", (5.0, 0.0), share=0.2),
    Population("chance", (0.0, 0.0)),
)
TIED = Population("two peaks, scores in halves", (-2.0, 2.0), scale=lambda s: np.round(2 * s) / 2)
HARD = ("N(0, 3)", "one side, d = 1", "one side, a fifth far above", "chance")


def measure(
    population: Population, sizes: tuple[int, int], sets: int, seed: int
) -> tuple[list[float], float, list[float], float]:
    """Shares of limits that hold, bias of the empirical area, rejections, plain percentiles."""
    rng, truth = np.random.default_rng(seed), population.find_truth()
    held, rejected, bias, plain = np.zeros(3), np.zeros(3), 0.0, 0
    for k in range(sets):
        y, score = population.draw(*sizes, rng)
        roc = rb.roc_curve(y, score)
        area, judged = measure_area(roc), judge_rules(roc, 200, rng)
        for j, level in enumerate(LEVELS):
            _, low, high = judged.limit_area(area, level)
            held[j] += low <= truth <= high
            rejected[j] += judged.pvalue <= 1 - level
        bias += (area - truth) / sets
        if k < 100:
            plain += contains_by_percentiles(y, score, truth, rng)
    return list(held / sets), bias, list(rejected / sets), plain / min(sets, 100)


def contains_by_percentiles(y: Array, score: Array, truth: float, rng: np.random.Generator) -> bool:
    """Whether 95% percentiles of 40 resampled empirical areas contain the truth."""
    pos, neg = score[y == 1], score[y == 0]
    drawn = [
        measure_area(
            rb.roc_curve(y, np.append(rng.choice(pos, pos.size), rng.choice(neg, neg.size)))
        )
        for _ in range(40)
    ]
    low, high = np.quantile(drawn, (0.025, 0.975))
    return bool(low <= truth <= high)


def main(sets: int = 400, only: str = "") -> None:
    print(
        "| positives | rows | .90 | .95 | .99 | bias | rejected at .10 | .05 | .01 | percentiles |\n"
        "|---|---|" + "--:|" * 8
    )
    cells = [(one, sizes) for one in POPULATIONS for sizes in ((50, 50), (200, 200))]
    cells += [(one, at) for one in POPULATIONS for at in ((20, 20), (20, 200)) if one.name in HARD]
    cells += [(TIED, (50, 50)), (TIED, (200, 200)), (POPULATIONS[1], (10, 500))]
    for number, (one, sizes) in enumerate(cells):
        if only in one.name:
            held, bias, rejected, plain = measure(one, sizes, sets, 52_000 + number)
            shares = [f"{share:.3f}".lstrip("0") for share in (*held, *rejected, plain)]
            row = [*shares[:3], f"{bias:.3f}", *shares[3:]]
            print(f"| {one.name} | {sizes[0]} + {sizes[1]} | {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main(*(kind(text) for kind, text in zip((int, str), sys.argv[1:], strict=False)))
