"""Test sets of planned sizes, drawn from normal scores, and what the defaults make of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.special import ndtri

from rocbands._math.binomial import wilson_limits
from rocbands.core.checks import BoolArray, FloatArray
from rocbands.errors import InputError
from rocbands.planning.formulas import find_probit

MOST_SIMULATED = 1_000_000  # cases of a test set
_MOST_CHECKED = 200_000  # of each of many test sets: in larger ones formulas are right
_MOST_SETS, _LEAST_SETS = 1000, 100
_CHECK_LEVEL = 0.95  # of the Monte Carlo limits
_MOST_ROWS = 20_000_000  # of all test sets together, unless there would be too few sets

# Width of one test set's interval or band, or whether its test rejects; from labels and scores.
Ask: TypeAlias = Callable[..., float | bool]


@dataclass(frozen=True)
class Population:
    """Normal scores with the same spread in both classes, of one model or of two."""

    aucs: tuple[float, ...]
    rho: float = 0.0  # correlation of two models' scores in each class

    def draw(self, is_positive: BoolArray, rng: np.random.Generator) -> list[FloatArray]:
        """Draw a test set: scores of each model."""
        noise = rng.normal(size=(len(self.aucs), is_positive.size))
        noise[1:] = self.rho * noise[0] + math.sqrt(1.0 - self.rho**2) * noise[1:]
        shifts = (math.sqrt(2.0) * find_probit(auc) for auc in self.aucs)  # AUC = Phi(d / sqrt(2))
        return [one + shift * is_positive for one, shift in zip(noise, shifts, strict=True)]


class Simulated(NamedTuple):
    """A mean width, or the share of tests that reject, with its Monte Carlo limits."""

    mean: float
    low: float
    high: float
    n_sets: int


def simulate(
    population: Population, n_pos: int, n_neg: int, ask: Ask, n_sets: int, rng: np.random.Generator
) -> FloatArray:
    """Answers for test sets of these sizes."""
    labels = np.repeat([True, False], [n_pos, n_neg])
    return np.array([ask(labels, *population.draw(labels, rng)) for _ in range(n_sets)])


def check_sizes(
    population: Population, n_pos: int, n_neg: int, ask: Ask, rng: np.random.Generator
) -> Simulated:
    """Measure the mean width or the power that test sets of these sizes reach."""
    rows = n_pos + n_neg
    if rows > _MOST_CHECKED:
        raise InputError(
            f"draws test sets of at most {_MOST_CHECKED:,} cases",
            f"the plan has {rows:,}",
            "Leave it out: in large samples the formula is right.",
            argument="check",
        )
    n_sets = min(max(_MOST_ROWS // rows, _LEAST_SETS), _MOST_SETS)
    answers = simulate(population, n_pos, n_neg, ask, n_sets, rng)
    mean = float(answers.mean())
    if answers.dtype == np.bool_:
        low, high = map(float, wilson_limits(mean, n_sets, _CHECK_LEVEL))
    else:
        error = float(answers.std(ddof=1)) / math.sqrt(n_sets)
        half = float(ndtri((1.0 + _CHECK_LEVEL) / 2.0)) * error
        low, high = max(mean - half, 0.0), min(mean + half, 1.0)
    return Simulated(mean, low, high, n_sets)
