"""Score populations whose true ROC curve is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import ndtr

from rocbands.core.curve import Curve

Draw = Callable[[np.random.Generator, int], np.ndarray]
Survival = Callable[[np.ndarray], np.ndarray]

GRID = np.concatenate([[np.inf], np.linspace(60.0, -60.0, 24001), [-np.inf]])


@dataclass(frozen=True)
class World:
    """How positives and negatives are scored, and with what probability a score reaches t."""

    name: str
    positives: Draw
    negatives: Draw
    positives_reach: Survival
    negatives_reach: Survival
    step: float = 0.0  # scores are rounded to multiples of it; 0 leaves them as they are

    def draw(
        self, rng: np.random.Generator, n_pos: int, n_neg: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Labels and scores of a fresh test set."""
        scores = np.concatenate([self.positives(rng, n_pos), self.negatives(rng, n_neg)])
        if self.step:
            scores = np.rint(scores / self.step)
        return np.repeat([1, 0], [n_pos, n_neg]), scores

    @cached_property
    def truth(self) -> Curve:
        """The curve of an endless test set; slanted between the levels if scores are rounded."""
        at = GRID
        if self.step:
            levels = np.arange(np.ceil(60 / self.step), -np.ceil(60 / self.step) - 1, -1)
            at = np.concatenate([[np.inf], (levels - 0.5) * self.step, [-np.inf]])
        return Curve(self.negatives_reach(at), self.positives_reach(at))


def _normal(mean: float, sd: float) -> tuple[Draw, Survival]:
    return (lambda rng, k: rng.normal(mean, sd, k)), (lambda t: ndtr((mean - t) / sd))


def _mixture(
    share: float, one: tuple[float, float], other: tuple[float, float]
) -> tuple[Draw, Survival]:
    (draw_one, reach_one), (draw_other, reach_other) = _normal(*one), _normal(*other)

    def draw(rng: np.random.Generator, k: int) -> np.ndarray:
        return np.where(rng.random(k) < share, draw_one(rng, k), draw_other(rng, k))

    return draw, lambda t: share * reach_one(t) + (1 - share) * reach_other(t)


def _exponential(mean: float) -> tuple[Draw, Survival]:
    return (lambda rng, k: rng.exponential(mean, k)), (lambda t: np.exp(-np.maximum(t, 0) / mean))


def _world(
    name: str, pos: tuple[Draw, Survival], neg: tuple[Draw, Survival], step: float = 0.0
) -> World:
    return World(name, pos[0], neg[0], pos[1], neg[1], step)


THETAS = (0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0)
BINORMAL = {
    theta: _world(f"binormal {theta:g}", _normal(theta, 3.75), _normal(-theta, 3.0))
    for theta in THETAS
}

_BIMODAL = _mixture(0.5, (0, 1), (4, 1)), _normal(0, 1)
SHAPES = [
    _world("exponential", _exponential(3), _exponential(1)),
    _world("bimodal", *_BIMODAL),
    _world("hooked", _mixture(0.7, (2, 1), (-3, 0.3)), _mixture(0.8, (0, 1), (3, 0.3))),
    _world("sd ratio 3", _normal(0, 3), _normal(0, 1)),
    _world("AUC below .5", _normal(-1, 1), _normal(0, 1)),
]
SHIFTED = {
    step: _world(f"normal, shift 1, in steps of {step:g}", _normal(1, 1), _normal(0, 1), step=step)
    for step in (0.25, 0.0625)
}
ROUNDED = [_world(f"bimodal in steps of {step:g}", *_BIMODAL, step=step) for step in (2, 1, 0.25)]
