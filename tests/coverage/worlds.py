"""Score populations whose true ROC curve is known: those of `rocbands.study`, drawn as rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rocbands.core.curve import Curve
from rocbands.study import Binormal, Exponential, Mixture, Normal, Pair


@dataclass(frozen=True)
class World:
    """A population that is drawn as labels and scores."""

    pair: Pair

    @property
    def name(self) -> str:
        return self.pair.name

    @property
    def truth(self) -> Curve:
        """The curve of an endless test set; slanted between the levels if scores are rounded."""
        return self.pair.truth

    def draw(
        self, rng: np.random.Generator, n_pos: int, n_neg: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Labels and scores of a fresh test set."""
        scores = np.concatenate(self.pair.draw(rng, n_pos, n_neg))
        return np.repeat([1, 0], [n_pos, n_neg]), scores


THETAS = (0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0)
BINORMAL = {theta: World(Binormal(theta)) for theta in THETAS}

_BIMODAL = Mixture(0.5, Normal(0, 1), Normal(4, 1)), Normal(0, 1)
_HOOKED = Mixture(0.7, Normal(2, 1), Normal(-3, 0.3)), Mixture(0.8, Normal(0, 1), Normal(3, 0.3))
SHAPES = [
    World(Pair(Exponential(3), Exponential(1), name="exponential")),
    World(Pair(*_BIMODAL, name="bimodal")),
    World(Pair(*_HOOKED, name="hooked")),
    World(Pair(Normal(0, 3), Normal(0, 1), name="sd ratio 3")),
    World(Pair(Normal(-1, 1), Normal(0, 1), name="AUC below .5")),
]
SHIFTED = {
    step: World(
        Pair(Normal(1, 1), Normal(0, 1), step, name=f"normal, shift 1, in steps of {step:g}")
    )
    for step in (0.25, 0.0625)
}
ROUNDED = [
    World(Pair(*_BIMODAL, step, name=f"bimodal in steps of {step:g}")) for step in (2, 1, 0.25)
]
