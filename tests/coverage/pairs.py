"""Two models' scores of the same cases, whose true curves are known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri


@dataclass(frozen=True)
class PairWorld:
    """Normal scores: negatives around (0, 0), positives around (mean, mean + shift), all with sd 1."""

    rho: float
    shift: float
    mean: float = 1.0
    step: float = 0.0  # scores are rounded to multiples of it; 0 leaves them as they are

    @property
    def name(self) -> str:
        ties = f", in steps of {self.step:g}" if self.step else ""
        return f"correlation {self.rho:g}, shift {self.shift:g}{ties}"

    def draw(self, rng: np.random.Generator, n_pos: int, n_neg: int) -> tuple[np.ndarray, ...]:
        """Labels and both models' scores of a fresh test set."""
        labels = np.repeat([1, 0], [n_pos, n_neg])
        one, other = rng.normal(size=(2, labels.size))
        two = self.rho * one + np.sqrt(1 - self.rho**2) * other
        one, two = one + self.mean * labels, two + (self.mean + self.shift) * labels
        if self.step:
            one, two = np.rint(one / self.step), np.rint(two / self.step)
        return labels, one, two

    @property
    def truth(self) -> Callable[[np.ndarray], np.ndarray]:
        """The true difference of tpr, model 1 minus model 2, as a function of fpr."""
        return lambda x: self._tpr(x, self.mean) - self._tpr(x, self.mean + self.shift)

    def _tpr(self, x: np.ndarray, mean: float) -> np.ndarray:
        if not self.step:
            return ndtr(mean + ndtri(x))
        ends = np.concatenate([[np.inf], (np.arange(60, -60, -1) - 0.5) * self.step, [-np.inf]])
        return np.interp(x, ndtr(-ends), ndtr(mean - ends))

    def recall_gap(self, prevalence: float, rate: float) -> float:
        """Recall of model 1 minus that of model 2 when both act on the same share of cases."""
        ends = np.linspace(12.0, -12.0, 240_001)
        if self.step:
            ends = np.concatenate([[12.0], (np.arange(60, -60, -1) - 0.5) * self.step, [-12.0]])
        recalls = []
        for mean in (self.mean, self.mean + self.shift):
            acted = prevalence * ndtr(mean - ends) + (1 - prevalence) * ndtr(-ends)
            recalls.append(float(np.interp(rate, acted, ndtr(mean - ends))))
        return recalls[0] - recalls[1]
