"""The paper's scores: normal in both classes with one standard deviation, for one or two models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import FloatArray
from rocbands.cost.conditions import Sampling
from rocbands.study.populations import FixedClasses, RandomClasses

__all__ = ["CONDITIONS", "Model", "Sizes", "TwoModels", "asked", "on_scale"]

CONDITIONS: tuple[float, ...] = tuple(i / 100 for i in range(1, 100))
_SD = 3.0

Sizes = FixedClasses | RandomClasses


@dataclass(frozen=True)
class Model:
    """Scores N(positives, 3) of positives and N(negatives, 3) of negatives.

    Examples
    --------
    >>> import numpy as np
    >>> model, w = Model(3.0, -3.0), np.array([0.05, 0.5])
    >>> print(model.thresholds(w).round(3), model.cost(w, model.thresholds(w)).round(4))
    [4.417 0.   ] [0.0405 0.1587]
    """

    positives: float
    negatives: float

    def thresholds(self, w: FloatArray) -> FloatArray:
        """Thresholds of least true cost: what an endless validation set would give."""
        middle = (self.positives + self.negatives) / 2.0
        return middle + _SD**2 / (self.positives - self.negatives) * np.log((1.0 - w) / w)

    def rates(self, thresholds: npt.NDArray[Any]) -> tuple[FloatArray, FloatArray]:
        """Return true rates of false negatives and of false positives."""
        from scipy.special import ndtr

        fnr = ndtr((thresholds - self.positives) / _SD)
        return np.asarray(fnr), np.asarray(ndtr((self.negatives - thresholds) / _SD))

    def cost(self, w: FloatArray, thresholds: npt.NDArray[Any]) -> FloatArray:
        """Return the true normalised cost of thresholds."""
        fnr, fpr = self.rates(thresholds)
        return np.asarray(w * fnr + (1.0 - w) * fpr)

    def draw(self, rng: np.random.Generator, sizes: Sizes) -> tuple[Any, FloatArray]:
        """Labels and scores of a fresh test set."""
        n_pos, n_neg = sizes.sizes(rng)
        y = np.repeat([True, False], [n_pos, n_neg])
        return y, np.where(y, self.positives, self.negatives) + _SD * rng.standard_normal(y.size)


@dataclass(frozen=True)
class TwoModels:
    """Two models' scores of the same cases; the second's positives score higher by `shift`.

    Within each class the scores have correlation `rho`.
    """

    theta: float
    shift: float
    rho: float

    @property
    def models(self) -> tuple[Model, Model]:
        """Both for themselves."""
        return Model(self.theta, -self.theta), Model(self.theta + self.shift, -self.theta)

    def thresholds(self, w: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Each model's own best thresholds."""
        one, two = (model.thresholds(w) for model in self.models)
        return one, two

    def difference(self, w: FloatArray) -> FloatArray:
        """Return the true cost of model 2 minus that of model 1, each at its best thresholds."""
        one, two = (model.cost(w, model.thresholds(w)) for model in self.models)
        return np.asarray(two - one)

    def draw(self, rng: np.random.Generator, sizes: Sizes) -> tuple[Any, FloatArray, FloatArray]:
        """Labels and both models' scores of a fresh test set."""
        n_pos, n_neg = sizes.sizes(rng)
        y = np.repeat([True, False], [n_pos, n_neg])
        first, second = _SD * rng.standard_normal((2, y.size))
        second = self.rho * first + np.sqrt(1.0 - self.rho**2) * second
        one, two = (np.where(y, model.positives, model.negatives) for model in self.models)
        return y, one + first, two + second


def asked(w: FloatArray, sampling: Sampling) -> dict[str, Any]:
    """Conditions as the cost functions take them.

    The paper does not say what errors cost under full sampling; with costs w and 1 - w, and classes
    that are equally likely, the conditions are w again.
    """
    return {"w": w} if sampling == "stratified" else {"costs": (w, 1.0 - w)}


def on_scale(cost: FloatArray, w: FloatArray, sampling: Sampling) -> FloatArray:
    """Put a true normalised cost on the scale that limits of this sampling have.

    Under full sampling 1 is the larger of both costs, not the cost of being always wrong.
    """
    if sampling == "stratified":
        return cost
    return np.asarray(cost / (2.0 * np.maximum(w, 1.0 - w)))
