"""Distributions of scores, populations whose true ROC curve is known, and samples from them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import expit, gammaincc, ndtr

from rocbands.core.checks import FloatArray, check_number, frozen
from rocbands.core.curve import Curve
from rocbands.core.data import roc_curve
from rocbands.core.roc import RocCurve
from rocbands.errors import InputError, Message, arg

_POINTS = 6001  # thresholds at which a true curve is computed, for each of its distributions

TwoColumns: TypeAlias = tuple[FloatArray, FloatArray]  # scores of positives and of negatives


class Distribution(Protocol):
    """Distribution of the scores of one class."""

    def draw(self, rng: np.random.Generator, size: int) -> FloatArray:
        """Draw independent scores."""

    def survival(self, threshold: FloatArray) -> FloatArray:
        """Probability of a score at or above each threshold."""

    def thresholds(self) -> FloatArray:
        """Thresholds so close that the curve is practically straight between them."""


@dataclass(frozen=True)
class _Spread:
    """A distribution with a centre and a scale."""

    n_sd: ClassVar[float]  # standard deviations from the mean that contain all of the probability

    mean: float
    sd: float

    def __post_init__(self) -> None:
        check_number(self.mean, "mean")
        check_number(self.sd, "sd", above=0.0)

    def thresholds(self) -> FloatArray:
        return self.mean + self.sd * np.linspace(-self.n_sd, self.n_sd, _POINTS)


@dataclass(frozen=True)
class Normal(_Spread):
    """Normal scores.

    Examples
    --------
    >>> import numpy as np
    >>> Normal(0.0, 1.0).survival(np.array([0.0]))
    array([0.5])
    """

    n_sd: ClassVar[float] = 9.0

    def draw(self, rng: np.random.Generator, size: int) -> FloatArray:
        return rng.normal(self.mean, self.sd, size)

    def survival(self, threshold: FloatArray) -> FloatArray:
        return np.asarray(ndtr((self.mean - threshold) / self.sd))


@dataclass(frozen=True)
class Laplace(_Spread):
    """Double exponential scores: a sharp middle and long tails."""

    n_sd: ClassVar[float] = 26.0

    def draw(self, rng: np.random.Generator, size: int) -> FloatArray:
        return rng.laplace(self.mean, self.sd / np.sqrt(2.0), size)  # variance 2 scale^2

    def survival(self, threshold: FloatArray) -> FloatArray:
        away = (threshold - self.mean) * np.sqrt(2.0) / self.sd
        tail = 0.5 * np.exp(-np.abs(away))
        return np.asarray(np.where(away > 0.0, tail, 1.0 - tail))


@dataclass(frozen=True)
class Logistic(_Spread):
    """Logistic scores."""

    n_sd: ClassVar[float] = 21.0

    def draw(self, rng: np.random.Generator, size: int) -> FloatArray:
        # The variance is (pi scale)^2 / 3.
        return rng.logistic(self.mean, self.sd * np.sqrt(3.0) / np.pi, size)

    def survival(self, threshold: FloatArray) -> FloatArray:
        return np.asarray(expit((self.mean - threshold) * np.pi / (self.sd * np.sqrt(3.0))))


@dataclass(frozen=True)
class Gamma:
    """Gamma scores: positive and skew; shape 1 is exponential."""

    shape: float
    scale: float = 1.0

    def __post_init__(self) -> None:
        check_number(self.shape, "shape", above=0.0)
        check_number(self.scale, "scale", above=0.0)

    def draw(self, rng: np.random.Generator, size: int) -> FloatArray:
        return rng.gamma(self.shape, self.scale, size)

    def survival(self, threshold: FloatArray) -> FloatArray:
        return np.asarray(gammaincc(self.shape, np.maximum(threshold, 0.0) / self.scale))

    def thresholds(self) -> FloatArray:
        # Even steps, and even steps of the logarithm towards 0, where small shapes have a pole.
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
        first = rng.random(size) < self.share
        return np.where(first, self.one.draw(rng, size), self.other.draw(rng, size))

    def survival(self, threshold: FloatArray) -> FloatArray:
        one, other = self.one.survival(threshold), self.other.survival(threshold)
        return self.share * one + (1.0 - self.share) * other

    def thresholds(self) -> FloatArray:
        return np.union1d(self.one.thresholds(), self.other.thresholds())


class Population(Protocol):
    """Distribution of test sets."""

    @property
    def name(self) -> str:
        """Name in tables."""

    @property
    def truth(self) -> Curve:
        """The ROC curve of an infinite test set."""

    def draw(self, rng: np.random.Generator, n_pos: int, n_neg: int) -> TwoColumns:
        """Scores of fresh positives and negatives."""


def draw_curve(
    population: Population, rng: np.random.Generator, n_pos: int, n_neg: int
) -> RocCurve:
    """Empirical curve of a fresh test set."""
    return _build_curve(*population.draw(rng, n_pos, n_neg))


def _build_curve(positives: FloatArray, negatives: FloatArray) -> RocCurve:
    labels = np.repeat([1, 0], [positives.size, negatives.size])
    return roc_curve(labels, np.concatenate([positives, negatives]))


@dataclass(frozen=True)
class Pair:
    """One distribution for the scores of positives, one for those of negatives.

    Parameters
    ----------
    positives, negatives : Distribution
        Such as `Normal(1, 1)`, `Exponential(2)` or a `Mixture`.
    step : float, default 0
        Scores are rounded to multiples of it, so that they are tied; 0 leaves them as they are.
    name : str, optional
        Name in tables; by default its distributions are written out.

    Examples
    --------
    >>> round(Pair(Normal(1.0, 1.0), Normal(0.0, 1.0)).truth.area, 4)
    0.7602
    """

    positives: Distribution
    negatives: Distribution
    step: float = 0.0
    name: str = ""

    def __post_init__(self) -> None:
        if self.step:
            check_number(self.step, "step", above=0.0)
        if not self.name:
            rounded = f", in steps of {self.step:g}" if self.step else ""
            object.__setattr__(self, "name", f"{self.positives} against {self.negatives}{rounded}")

    def draw(self, rng: np.random.Generator, n_pos: int, n_neg: int) -> TwoColumns:
        drawn = self.positives.draw(rng, n_pos), self.negatives.draw(rng, n_neg)
        if not self.step:
            return drawn
        return np.rint(drawn[0] / self.step), np.rint(drawn[1] / self.step)

    @cached_property
    def truth(self) -> Curve:
        """The curve of an infinite test set; slanted between the levels if scores are rounded."""
        at = np.union1d(self.positives.thresholds(), self.negatives.thresholds())
        if self.step:
            low, high = np.floor(at[[0, -1]] / self.step)
            at = (np.arange(low, high + 2.0) + 0.5) * self.step  # between the rounded scores
        at = np.concatenate([[np.inf], at[::-1], [-np.inf]])
        with np.errstate(invalid="ignore"):
            return Curve(self.negatives.survival(at), self.positives.survival(at))


def Binormal(  # noqa: N802 - it reads as the population it makes
    theta: float, sd_pos: float = 3.75, sd_neg: float = 3.0
) -> Pair:
    """Return positives N(theta, sd_pos), negatives N(-theta, sd_neg): the 2005 paper's population.

    Examples
    --------
    >>> round(Binormal(2.0).truth.area, 4)
    0.7976
    """
    return Pair(Normal(theta, sd_pos), Normal(-theta, sd_neg), name=f"binormal {theta:g}")


@dataclass(frozen=True)
class Discrete:
    """Scores on a few levels.

    Parameters
    ----------
    positives, negatives : tuple of float
        Probability of each level for either class, from the lowest level to the highest.
    name : str, optional
        Name in tables.

    Examples
    --------
    >>> round(Discrete((0.2, 0.3, 0.5), (0.6, 0.3, 0.1)).truth.area, 4)
    0.76
    """

    positives: tuple[float, ...]
    negatives: tuple[float, ...]
    name: str = ""

    def __post_init__(self) -> None:
        sides = [np.asarray(side, dtype=np.float64) for side in (self.positives, self.negatives)]
        sums = [float(side.sum()) for side in sides]
        sizes = {side.size for side in sides}
        if len(sizes) > 1 or np.min(sides, initial=0.0) < 0 or not np.allclose(sums, 1.0):
            raise InputError(
                Message(
                    "{} and {} must be equally many probabilities that add up to 1 for each "
                    "class; got {} that add up to {:g}, and {} that add up to {:g}.",
                    arg("positives"),
                    arg("negatives"),
                    sides[0].size,
                    sums[0],
                    sides[1].size,
                    sums[1],
                )
            )
        if not self.name:
            object.__setattr__(self, "name", f"{len(self.positives)} levels")

    def draw(self, rng: np.random.Generator, n_pos: int, n_neg: int) -> TwoColumns:
        def draw_class(masses: tuple[float, ...], size: int) -> FloatArray:
            p = np.asarray(masses) / np.sum(masses)
            return rng.choice(len(masses), size, p=p).astype(np.float64)

        return draw_class(self.positives, n_pos), draw_class(self.negatives, n_neg)

    @cached_property
    def truth(self) -> Curve:
        """The curve of an infinite test set, slanted along each level."""
        y, x = (np.cumsum((0.0, *masses[::-1])) for masses in (self.positives, self.negatives))
        return Curve(np.minimum(x / x[-1], 1.0), np.minimum(y / y[-1], 1.0))


@dataclass(frozen=True, eq=False)
class Finite:
    """Scores in a file, or of a trained model, regarded as the whole population.

    Parameters
    ----------
    positives, negatives : array-like
        The scores of either class.
    name : str
        Name in tables.
    replace : bool, default True
        Draw with replacement: then the file's curve is the true one. Without it a test set cannot
        be larger than the file.
    """

    positives: FloatArray
    negatives: FloatArray
    name: str
    replace: bool = True
    digest: str = field(init=False)

    def __post_init__(self) -> None:
        for side in ("positives", "negatives"):
            scores = np.ascontiguousarray(getattr(self, side), dtype=np.float64)
            if scores.ndim != 1 or not scores.size or np.isnan(scores).any():
                raise InputError(
                    Message("{} must be a column of scores without NaN, not empty.", arg(side))
                )
            object.__setattr__(self, side, frozen(scores))
        sides = (self.positives, self.negatives)
        seen = b"".join(len(side).to_bytes(8, "big") + side.tobytes() for side in sides)
        object.__setattr__(self, "digest", hashlib.blake2b(seen, digest_size=8).hexdigest())

    @classmethod
    def from_rows(cls, y: npt.ArrayLike, scores: Any, name: str, *, replace: bool = True) -> Finite:
        """Split rows by their label, which is true for positives."""
        positive, column = np.asarray(y, dtype=np.bool_), np.asarray(scores, dtype=np.float64)
        return cls(column[positive], column[~positive], name, replace)

    @property
    def fingerprint(self) -> dict[str, object]:
        """Identifies the scores in the keys of random streams."""
        return {"kind": "Finite", "name": self.name, "replace": self.replace, "digest": self.digest}

    @property
    def n_pos(self) -> int:
        """Number of positives."""
        return int(self.positives.size)

    @property
    def n_neg(self) -> int:
        """Number of negatives."""
        return int(self.negatives.size)

    def draw(self, rng: np.random.Generator, n_pos: int, n_neg: int) -> TwoColumns:
        if not self.replace and (n_pos > self.n_pos or n_neg > self.n_neg):
            raise InputError(
                f"{self.name} has {self.n_pos} positives and {self.n_neg} negatives; "
                f"{n_pos} and {n_neg} cannot be drawn from it without replacement."
            )
        positives = rng.choice(self.positives, n_pos, replace=self.replace)
        return positives, rng.choice(self.negatives, n_neg, replace=self.replace)

    @cached_property
    def curve(self) -> RocCurve:
        """The curve of the whole file, with its counts."""
        return _build_curve(self.positives, self.negatives)

    @property
    def truth(self) -> Curve:
        """The curve of the whole file."""
        return self.curve.curve


class Classes(Protocol):
    """Numbers of positives and negatives in a test set."""

    @property
    def name(self) -> str:
        """Name in tables."""

    def sizes(self, rng: np.random.Generator) -> tuple[int, int]:
        """Class sizes of a fresh test set, neither of them 0."""


@dataclass(frozen=True)
class RandomClasses:
    """`n` rows, each positive with probability `share`; sets with an empty class are redrawn."""

    n: int
    share: float = 0.5

    def __post_init__(self) -> None:
        check_number(self.n, "n", above=1)
        check_number(self.share, "share", above=0.0, below=1.0)

    @property
    def name(self) -> str:
        return f"r = {self.n}" + ("" if self.share == 0.5 else f", {self.share:g} positive")

    def sizes(self, rng: np.random.Generator) -> tuple[int, int]:
        while True:
            n_pos = int(rng.binomial(self.n, self.share))
            if 0 < n_pos < self.n:
                return n_pos, self.n - n_pos


@dataclass(frozen=True)
class FixedClasses:
    """Always the same numbers of positives and negatives."""

    n_pos: int
    n_neg: int

    def __post_init__(self) -> None:
        check_number(self.n_pos, "n_pos", above=0)
        check_number(self.n_neg, "n_neg", above=0)

    @property
    def name(self) -> str:
        return f"{self.n_pos}+{self.n_neg}"

    def sizes(self, rng: np.random.Generator) -> tuple[int, int]:
        return self.n_pos, self.n_neg
