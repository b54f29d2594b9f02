"""Two scores with any distributions in each class, joined by a normal copula; true curves known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats
from scipy.special import ndtr

FAR = 1e-9  # probability beyond the ends of a tabulated distribution


class Mixture:
    """A mixture of two distributions, with a tabulated inverse."""

    def __init__(self, share: float, first: Any, second: Any) -> None:
        self.share, self.first, self.second = share, first, second
        ends = [one.ppf(p) for one in (first, second) for p in (FAR, 1 - FAR)]
        self.at = np.linspace(min(ends), max(ends), 20_001)
        self.below = 1 - self.sf(self.at)

    def sf(self, x: np.ndarray) -> np.ndarray:
        return self.share * self.first.sf(x) + (1 - self.share) * self.second.sf(x)

    def ppf(self, p: np.ndarray) -> np.ndarray:
        return np.interp(p, self.below, self.at)


@dataclass(frozen=True)
class Marginals:
    """Negatives and positives of two models.

    `rho` are the copula's correlations among negatives and among positives. Scores of model k are
    rounded to multiples of step[k], and those below floor[k] are set to it; 0 and None do nothing.
    """

    name: str
    neg: tuple[Any, Any]
    pos: tuple[Any, Any]
    rho: tuple[float, float] = (0.6, 0.6)
    step: tuple[float, float] = (0.0, 0.0)
    floor: tuple[float | None, float | None] = (None, None)

    def draw(self, rng: np.random.Generator, n_pos: int, n_neg: int) -> tuple[np.ndarray, ...]:
        """Labels and both models' scores of the same fresh rows."""
        labels = np.repeat([1, 0], [n_pos, n_neg])
        rho = np.where(labels == 1, self.rho[1], self.rho[0])
        one, other = rng.normal(size=(2, labels.size))
        two = rho * one + np.sqrt(1 - rho**2) * other
        return labels, *(self._scores(k, ndtr(z), labels) for k, z in enumerate((one, two)))

    def draw_alone(
        self, rng: np.random.Generator, model: int, n_pos: int, n_neg: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Labels and one model's scores of fresh rows."""
        labels = np.repeat([1, 0], [n_pos, n_neg])
        return labels, self._scores(model, rng.random(labels.size), labels)

    def _scores(self, model: int, u: np.ndarray, labels: np.ndarray) -> np.ndarray:
        scores = np.where(labels == 1, self.pos[model].ppf(u), self.neg[model].ppf(u))
        if self.step[model]:
            scores = np.rint(scores / self.step[model]) * self.step[model]
        floor = self.floor[model]
        return scores if floor is None else np.maximum(scores, floor)

    def truth(self, x: np.ndarray) -> np.ndarray:
        """The true difference of tpr, model 1 minus model 2."""
        return self._tpr(0, x) - self._tpr(1, x)

    def _tpr(self, model: int, x: np.ndarray) -> np.ndarray:
        neg, pos, step, floor = (
            part[model] for part in (self.neg, self.pos, self.step, self.floor)
        )
        if step:
            cuts = (np.arange(2000, -2000, -1) - 0.5) * step
        elif floor is not None:
            cuts = np.linspace(neg.ppf(1 - FAR) + pos.ppf(1 - FAR), floor, 40_001)
        else:
            return np.asarray(pos.sf(neg.ppf(1 - x)))
        if floor is not None:
            cuts = cuts[cuts >= floor]
        rise = (np.concatenate([[0.0], one.sf(cuts), [1.0]]) for one in (neg, pos))
        return np.interp(x, *rise)


NORMAL = stats.norm()


def normal(mean: float = 0.0, sd: float = 1.0) -> Any:
    return stats.norm(mean, sd)


def shifted(
    rho: float, shift: float, mean: float = 1.0, *, step: float = 0.0, name: str = ""
) -> Marginals:
    """Normal scores with sd 1: negatives around 0, positives around mean and mean + shift."""
    ties = f", in steps of {step:g}" if step else ""
    return Marginals(
        name or f"normal, mean {mean:g}, correlation {rho:g}, shift {shift:g}{ties}",
        (NORMAL, NORMAL),
        (normal(mean), normal(mean + shift)),
        (rho, rho),
        (step, step),
    )


def exponential(rho: float, first: float, second: float) -> Marginals:
    one = stats.expon()
    return Marginals(
        f"exponential, means {first:g} and {second:g}, correlation {rho:g}",
        (one, one),
        (stats.expon(scale=first), stats.expon(scale=second)),
        (rho, rho),
    )


def crossing(rho: float, sd: float = 2.0) -> Marginals:
    """Equal AUC: model 1 has positives around 1 with sd 1, model 2 the same AUC with another sd."""
    return Marginals(
        f"crossing, sd {sd:g}, correlation {rho:g}",
        (NORMAL, NORMAL),
        (normal(1.0), normal(np.sqrt((1 + sd**2) / 2), sd)),
        (rho, rho),
    )


def student(rho: float, first: float, second: float) -> Marginals:
    t = stats.t(4)
    return Marginals(
        f"t with 4 df, shifts {first:g} and {second:g}, correlation {rho:g}",
        (t, t),
        (stats.t(4, first), stats.t(4, second)),
        (rho, rho),
    )


# Not in the specification; no constant of the method was chosen on them.
OTHERS = (
    Marginals(
        "gamma scores, shapes 2 and 3, correlation 0.7",
        (stats.gamma(1), stats.gamma(1)),
        (stats.gamma(2), stats.gamma(3)),
        (0.7, 0.7),
    ),
    Marginals(
        "a third of the positives look like negatives in model 2, correlation 0.5",
        (NORMAL, NORMAL),
        (normal(1.2), Mixture(1 / 3, NORMAL, normal(2.2))),
        (0.5, 0.5),
    ),
    Marginals(
        "correlation 0.9 among negatives, 0.2 among positives, shift 0.4",
        (NORMAL, NORMAL),
        (normal(1.0), normal(1.4)),
        (0.9, 0.2),
    ),
    Marginals(
        "one model in steps of 0.5, the other untied, correlation 0.8",
        (NORMAL, NORMAL),
        (normal(1.0), normal(1.0)),
        (0.8, 0.8),
        (0.5, 0.0),
    ),
    Marginals(
        "half of the negatives share the lowest score, shift 0.5, correlation 0.6",
        (NORMAL, NORMAL),
        (normal(1.0), normal(1.5)),
        floor=(0.0, 0.0),
    ),
    Marginals(
        "Laplace scores, shifts 1.5 and 1, correlation 0.4",
        (stats.laplace(), stats.laplace()),
        (stats.laplace(1.5), stats.laplace(1.0)),
        (0.4, 0.4),
    ),
    Marginals(
        "model 2 spreads negatives wider, correlation 0.6",
        (NORMAL, normal(0, 1.6)),
        (normal(1.2), normal(1.2)),
    ),
    Marginals(
        "equal, beta scores, correlation 0.7",
        (stats.beta(2, 4), stats.beta(2, 4)),
        (stats.beta(4, 3), stats.beta(4, 3)),
        (0.7, 0.7),
    ),
)
