"""Random number generators, their seeds, and the description of simulations in results.

``rng=0`` is the default of every function that draws: the same call gives the same numbers. The
order of rows, names of models, folds and clusters, and the scale of weights change nothing, because
what is drawn from is first put in an order by its contents, :mod:`rocbands.core.content_order`.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import numpy as np

from rocbands.core.checks import check_rng

Rng: TypeAlias = int | np.random.SeedSequence | np.random.Generator | None
Source: TypeAlias = int | np.random.Generator | None  # a checked `rng`

_BITS = 53  # of a new seed: every JSON reader represents such integers exactly


# ------------------------------------------------------------------------------------- generators


def make_generator(rng: Rng) -> np.random.Generator:
    """Return the generator that is asked for; None is a new one."""
    source = check_rng(rng)
    return np.random.default_rng(secrets.randbits(_BITS) if source is None else source)


def resolve_rng(rng: Rng) -> tuple[np.random.Generator, int | None]:
    """Return a generator and the seed that gives the same one again.

    The seed is None if a generator was given that has been used, or was not made from an integer.
    """
    generator = make_generator(rng)
    return generator, find_seed(generator)


def find_seed(generator: np.random.Generator) -> int | None:
    """Find the integer from which a generator was made, if it has not been used."""
    sequence = getattr(generator.bit_generator, "seed_seq", None)
    entropy = getattr(sequence, "entropy", None)
    if not isinstance(entropy, (int, np.integer)):
        return None
    new = np.random.default_rng(int(entropy))
    if type(new.bit_generator) is not type(generator.bit_generator):
        return None
    fresh = cast(Any, sequence).n_children_spawned == 0 and not cast(Any, sequence).spawn_key
    same = new.bit_generator.state == generator.bit_generator.state
    return int(entropy) if fresh and same else None


def share_source(rng: Rng) -> int | np.random.Generator:
    """Return one source for all parts of a result: a seed, or a generator that has been used.

    With a seed each part is the same as if computed alone.
    """
    source = check_rng(rng)
    if isinstance(source, int):
        return source
    generator, seed = resolve_rng(source)
    if seed is None:
        return generator
    generator.random()  # so that the next call with the same generator draws other numbers
    return seed


# ---------------------------------------------------------------------------------------- results


@dataclass(frozen=True)
class Simulation:
    """The simulation behind a result.

    Attributes
    ----------
    seed : int or None
        Seed that reproduces the numbers if passed as `rng`; None if a generator was given.
    n_resamples : int
        Number of draws.
    error : float or None
        Largest Monte Carlo standard error of the limits. None if the limits are not simulated.
    pvalue_error : float or None
        Monte Carlo standard error of the p-value, where it is simulated.
    """

    seed: int | None
    n_resamples: int
    error: float | None = None
    pvalue_error: float | None = None

    @property
    def note(self) -> str:
        """The simulation in one line."""
        given = "random numbers of the given generator"
        seed = given if self.seed is None else f"seed {self.seed}"
        errors = [
            f"{what} {error:.2g}"
            for what, error in (("limits", self.error), ("p-value", self.pvalue_error))
            if error is not None
        ]
        known = f"; Monte Carlo error of the {', of the '.join(errors)}" if errors else ""
        return f"{self.n_resamples:,} resamples, {seed}{known}."

    @classmethod
    def join(cls, parts: Iterable[Simulation | None]) -> Simulation | None:
        """Combine parts with one seed: the largest number of draws and the largest error."""
        found = [part for part in parts if part is not None]
        if not found:
            return None
        seeds = {part.seed for part in found}
        errors = [part.error for part in found if part.error is not None]
        return cls(
            found[0].seed if len(seeds) == 1 else None,
            max(part.n_resamples for part in found),
            max(errors, default=None),
        )
