"""Distributions that scores are drawn from, each with its survival function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from rocbands.core.checks import FloatArray, check_number
from rocbands.errors import InputError

__all__ = ["Distribution", "Exponential", "Gamma", "Laplace", "Logistic", "Mixture", "Normal"]

_POINTS = 6001  # thresholds at which a true curve is followed, for each distribution it is made of


class Distribution(Protocol):
    """What a population needs to know of the scores of one class."""

    def draw(self, rng: np.random.Generator, size: int) -> FloatArray:
        """Draw independent scores."""
        ...

    def survival(self, threshold: FloatArray) -> FloatArray:
        """Probability of a score at or above each threshold."""
        ...

    def thresholds(self) -> FloatArray:
        """Where to look: close enough that nothing happens in between."""
        ...


@dataclass(frozen=True)
class _Spread:
    """A distribution with a centre and a scale."""

    mean: float
    sd: float

    def __post_init__(self) -> None:
        check_number(self.mean, "mean")
        check_number(self.sd, "sd", above=0.0)

    def _around(self, reach: float) -> FloatArray:
        return self.mean + self.sd * np.linspace(-reach, reach, _POINTS)


@dataclass(frozen=True)
class Normal(_Spread):
    """Normal scores.

    Examples
    --------
    >>> import numpy as np
    >>> Normal(0.0, 1.0).survival(np.array([0.0]))
    array([0.5])
    """

    def draw(self, rng: np.random.Generator, size: int) -> FloatArray:
        """Draw independent scores."""
        return rng.normal(self.mean, self.sd, size)

    def survival(self, threshold: FloatArray) -> FloatArray:
        """Probability of a score at or above each threshold."""
        from scipy.special import ndtr

        return np.asarray(ndtr((self.mean - threshold) / self.sd))

    def thresholds(self) -> FloatArray:
        """Out to nine standard deviations."""
        return self._around(9.0)


@dataclass(frozen=True)
class Laplace(_Spread):
    """Double exponential scores: a sharp middle and long tails."""

    def draw(self, rng: np.random.Generator, size: int) -> FloatArray:
        """Draw independent scores."""
        return rng.laplace(self.mean, self.sd / np.sqrt(2.0), size)

    def survival(self, threshold: FloatArray) -> FloatArray:
        """Probability of a score at or above each threshold."""
        away = (threshold - self.mean) * np.sqrt(2.0) / self.sd
        tail = 0.5 * np.exp(-np.abs(away))
        return np.asarray(np.where(away > 0.0, tail, 1.0 - tail))

    def thresholds(self) -> FloatArray:
        """Out to 26 standard deviations."""
        return self._around(26.0)


@dataclass(frozen=True)
class Logistic(_Spread):
    """Logistic scores."""

    def draw(self, rng: np.random.Generator, size: int) -> FloatArray:
        """Draw independent scores."""
        return rng.logistic(self.mean, self.sd * np.sqrt(3.0) / np.pi, size)

    def survival(self, threshold: FloatArray) -> FloatArray:
        """Probability of a score at or above each threshold."""
        from scipy.special import expit

        return np.asarray(expit((self.mean - threshold) * np.pi / (self.sd * np.sqrt(3.0))))

    def thresholds(self) -> FloatArray:
        """Out to 21 standard deviations."""
        return self._around(21.0)


@dataclass(frozen=True)
class Gamma:
    """Gamma scores: positive and skew; shape 1 is exponential."""

    shape: float
    scale: float = 1.0

    def __post_init__(self) -> None:
        check_number(self.shape, "shape", above=0.0)
        check_number(self.scale, "scale", above=0.0)

    def draw(self, rng: np.random.Generator, size: int) -> FloatArray:
        """Draw independent scores."""
        return rng.gamma(self.shape, self.scale, size)

    def survival(self, threshold: FloatArray) -> FloatArray:
        """Probability of a score at or above each threshold."""
        from scipy.special import gammaincc

        return np.asarray(gammaincc(self.shape, np.maximum(threshold, 0.0) / self.scale))

    def thresholds(self) -> FloatArray:
        """Evenly in the middle, evenly in the logarithm toward 0."""
        far = self.scale * (self.shape + 10.0 * np.sqrt(self.shape) + 40.0)
        near = np.geomspace(1e-12 * self.scale, far, _POINTS)
        return np.unique(np.concatenate([[0.0], near, np.linspace(0.0, far, _POINTS)]))


def Exponential(mean: float) -> Gamma:  # noqa: N802 - it reads as the distribution it makes
    """Exponential scores."""
    return Gamma(1.0, mean)


@dataclass(frozen=True)
class Mixture:
    """Scores of which a share follows one distribution and the rest another.

    Examples
    --------
    >>> import numpy as np
    >>> Mixture(0.25, Normal(4.0, 1.0), Normal(0.0, 1.0)).survival(np.array([2.0])).round(3)
    array([0.261])
    """

    share: float
    one: Distribution
    other: Distribution

    def __post_init__(self) -> None:
        check_number(self.share, "share", above=0.0, below=1.0)
        for part in (self.one, self.other):
            if not hasattr(part, "survival"):
                raise InputError(
                    f"A mixture is made of distributions, such as Normal(0, 1); got {part!r}."
                )

    def draw(self, rng: np.random.Generator, size: int) -> FloatArray:
        """Draw independent scores."""
        first = rng.random(size) < self.share
        return np.where(first, self.one.draw(rng, size), self.other.draw(rng, size))

    def survival(self, threshold: FloatArray) -> FloatArray:
        """Probability of a score at or above each threshold."""
        return self.share * self.one.survival(threshold) + (1.0 - self.share) * self.other.survival(
            threshold
        )

    def thresholds(self) -> FloatArray:
        """Wherever one of both changes."""
        return np.union1d(self.one.thresholds(), self.other.thresholds())
