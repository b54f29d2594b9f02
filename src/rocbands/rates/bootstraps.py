"""Limits from tables of folds that are drawn along the fitted curve."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, get_args

import numpy as np

from rocbands.core.checks import FloatArray, check_resamples, check_rng
from rocbands.errors import InputError
from rocbands.rates.consensus import LARGE, Consensus, Limits
from rocbands.rates.draws import (
    bin_counts,
    by_blocks,
    conditional_rows,
    counts_at,
    cuts_at,
    discard_rows,
    free_rows,
)
from rocbands.rates.methods import check_scheme, inside
from rocbands.rates.results import Scheme
from rocbands.rates.table import positions
from rocbands.resample.streams import in_chunks

__all__ = ["Adjust", "Conditional", "Discard"]


@dataclass(frozen=True)
class _Bootstrap(ABC):
    """Percentiles of the consensus over drawn tables.

    Parameters
    ----------
    n_resamples : int, default 2000
        Number of tables.
    """

    name: ClassVar[str]
    idea: ClassVar[str]
    schemes: ClassVar[tuple[Scheme, ...]] = ("counts",)
    folds: ClassVar[int] = 1

    n_resamples: int = 2000

    def __post_init__(self) -> None:
        check_resamples(self.n_resamples)

    def __call__(
        self, consensus: Consensus, *, level: float, prediction: bool = False, rng: Any = None
    ) -> Limits:
        """Return the limits at each rate of the consensus."""
        check_scheme(self, consensus)
        if self.n_resamples * (1.0 - level) / 2.0 < 1.0 - 1e-9:
            raise InputError(
                f"{self.n_resamples} resamples cannot show both tails at level {level:g}. Take at "
                f"least {int(np.ceil(2.0 / (1.0 - level) - 1e-9))}, better ten times as many."
            )
        drawn = self.draw(consensus, check_rng(rng), 2 if prediction else 1)
        mean = drawn[: self.n_resamples].mean(axis=0)
        if prediction:  # the error of the fit and that of the new data, around one mean
            drawn = drawn[: self.n_resamples] + drawn[self.n_resamples :] - mean
        return Limits(*inside(consensus, *_percentiles(drawn, level)), mean)

    def draw(self, consensus: Consensus, rng: np.random.Generator, times: int = 1) -> FloatArray:
        """Return the recall of drawn tables at each rate, one row for each table."""

        def chunk(count: int, stream: np.random.Generator) -> FloatArray:
            total = np.zeros((count, consensus.rates.size))
            for n_pos, n_neg, folds in consensus.table.kinds:
                found = self._fold(consensus, n_pos, n_neg, count * folds, stream)
                total += found.reshape(count, folds, -1).sum(axis=1)
            return total / consensus.size

        return np.concatenate(in_chunks(chunk, times * self.n_resamples, rng))

    @abstractmethod
    def _fold(
        self, consensus: Consensus, n_pos: int, n_neg: int, count: int, rng: np.random.Generator
    ) -> FloatArray:
        """Draw folds of one kind: the positives that each adds to the table at each rate."""


@dataclass(frozen=True)
class Conditional(_Bootstrap):
    """Percentiles over tables drawn along the fitted curve, given each fold's class sizes.

    Parameters
    ----------
    n_resamples : int, default 2000
        Number of tables.
    """

    name: ClassVar[str] = "conditional"
    idea: ClassVar[str] = "tables drawn along the fitted curve, with the folds' class sizes"
    schemes: ClassVar[tuple[Scheme, ...]] = get_args(Scheme)

    def _fold(
        self, consensus: Consensus, n_pos: int, n_neg: int, count: int, rng: np.random.Generator
    ) -> FloatArray:
        curve, size = consensus.curve, n_pos + n_neg
        place = positions(consensus.rates, size)
        if consensus.scheme == "reference":
            same = (consensus.table.n_pos == n_pos) & (consensus.table.n_neg == n_neg)
            worth = consensus.size * float(consensus.weight[np.argmax(same)])
            at = consensus.prevalence, consensus.rates
            return worth * by_blocks(
                lambda some: cuts_at(conditional_rows(curve, n_pos, n_neg, some, rng), *at),
                count,
                size,
            )
        if size > LARGE and n_pos and n_neg:
            return bin_counts(curve, n_pos, n_neg, place, count, rng)
        return by_blocks(
            lambda some: counts_at(conditional_rows(curve, n_pos, n_neg, some, rng), place),
            count,
            size,
        )


@dataclass(frozen=True)
class Discard(_Bootstrap):
    """As `Conditional`, by drawing freely and discarding samples with other class sizes.

    Kept because the paper of Millard, Kull and Flach (2014) does so; the law is the same, the time
    is not.

    Parameters
    ----------
    n_resamples : int, default 2000
        Number of tables.
    """

    name: ClassVar[str] = "discard"
    idea: ClassVar[str] = "as conditional, by discarding samples of other class sizes"

    def _fold(
        self, consensus: Consensus, n_pos: int, n_neg: int, count: int, rng: np.random.Generator
    ) -> FloatArray:
        size = n_pos + n_neg
        if size > LARGE:
            raise InputError(
                f"Discarding takes too long beyond {LARGE} rows in a fold; there are {size}. "
                "Use method='conditional', which has the same law."
            )
        place = positions(consensus.rates, size)
        if not n_pos or not n_neg:
            return np.broadcast_to(place * (n_pos > 0), (count, place.size))
        return counts_at(discard_rows(consensus.curve, n_pos, n_neg, count, rng), place)


@dataclass(frozen=True)
class Adjust(_Bootstrap):
    """Percentiles over tables whose samples have any class sizes, then stretched to the folds'.

    Each sample's ROC curve is cut at the folds' own rates. Its law is not quite that of the other
    two: it is continuous, and so a little less cautious.

    Parameters
    ----------
    n_resamples : int, default 2000
        Number of tables.
    """

    name: ClassVar[str] = "adjust"
    idea: ClassVar[str] = "tables drawn along the fitted curve, stretched to the class sizes"

    def _fold(
        self, consensus: Consensus, n_pos: int, n_neg: int, count: int, rng: np.random.Generator
    ) -> FloatArray:
        size = n_pos + n_neg
        place = positions(consensus.rates, size)
        if not n_pos or not n_neg:
            return np.broadcast_to(place * (n_pos > 0), (count, place.size))
        prevalence = n_pos / size
        own = consensus.curve.at_prevalence(prevalence)
        return n_pos * by_blocks(
            lambda some: cuts_at(free_rows(own, size, some, rng), prevalence, consensus.rates),
            count,
            size,
        )


def _percentiles(drawn: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Order statistics as far from one end as from the other, so that swapped classes agree."""
    last = drawn.shape[0] - 1
    cut = int((1.0 - level) / 2.0 * last + 1e-9)
    ordered = np.partition(drawn, (cut, last - cut), axis=0)
    return ordered[cut], ordered[last - cut]
