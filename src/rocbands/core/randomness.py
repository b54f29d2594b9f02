"""Random number generators, their seeds, and the description of simulations in results.

``rng=0`` is the default of every function that draws: the same call gives the same numbers. The
order of rows, names of models, folds and clusters, and the scale of weights change nothing, because
what is drawn from is first put in an order by its contents. Things without an order of their own
get 64-bit keys, whose sums wrap around 2^64; equal contents have equal keys.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import BoolArray, CountArray, FloatArray, IndexArray, check_rng
from rocbands.core.counting import find_levels

if TYPE_CHECKING:
    from rocbands.core.counts import Clusters
    from rocbands.core.roc import RocCurve


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


# ------------------------------------------------------------------------------- orders by contents


Keys: TypeAlias = npt.NDArray[np.uint64]


def mix_keys(keys: npt.NDArray[Any]) -> Keys:
    """Map integers one to one to well-mixed 64-bit keys.

    The finaliser of SplitMix64 (Steele, Lea and Flood 2014, OOPSLA, 453-472).
    """
    mixed = keys.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(30)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(27)
    mixed *= np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return mixed


def join_keys(first: npt.NDArray[Any], *others: npt.NDArray[Any]) -> Keys:
    """Combine several keys into one; their order matters."""
    key = mix_keys(first)
    for other in others:
        key ^= other.astype(np.uint64)
        key = mix_keys(key)
    return key


def sum_keys(keys: Keys, codes: npt.NDArray[Any], size: int) -> Keys:
    """Sum the keys of each cluster, modulo 2^64."""
    # `bincount` adds floats: 22 bits of 2^31 keys add up exactly.
    total, low = np.zeros(size, dtype=np.uint64), np.uint64(2**22 - 1)
    for shift in map(np.uint64, (0, 22, 44)):
        part = ((keys >> shift) & low).astype(np.float64)
        total += np.bincount(codes, part, size).astype(np.uint64) << shift
    return total


def key_rows(place: npt.NDArray[Any], is_positive: BoolArray) -> Keys:
    """Return the key of each row, from its rank and its class."""
    return mix_keys(2 * place.astype(np.uint64) + is_positive)


def find_cluster_keys(clusters: Clusters) -> Keys:
    """Return a key of each cluster that depends only on its rows and those of its stratum."""
    rows = key_rows(clusters.step, clusters.is_positive)
    if clusters.weight is not None:
        # Ranks, which a common factor of the weights does not change.
        rows = join_keys(rows, find_levels(clusters.weight).level)
    keys = mix_keys(sum_keys(rows, clusters.code, clusters.size))
    if clusters.stratum is not None:
        strata = sum_keys(keys, clusters.stratum, int(clusters.stratum.max()) + 1)
        keys = join_keys(keys, strata[clusters.stratum])
    return keys


def order_clusters(clusters: Clusters) -> Clusters:
    """Renumber clusters by their rows, so that random draws do not depend on names of clusters."""
    order, place = sort_keys(find_cluster_keys(clusters))
    stratum = None if clusters.stratum is None else clusters.stratum[order]
    return replace(clusters, code=place[clusters.code], stratum=stratum)


def sort_keys(keys: Keys) -> tuple[IndexArray, CountArray]:
    """Return the order of some keys, and the rank of each."""
    order = np.argsort(keys, kind="stable")
    place = np.empty(order.size, dtype=np.int64)
    place[order] = np.arange(order.size)
    return order, place


def key_models(rows: Sequence[Keys], codes: CountArray | None = None, size: int = 0) -> list[int]:
    """Return a key of each of several models of the same rows, invariant under the order of rows.

    `rows`: the key of each row by each model. A model's key depends on those of the others at the
    same row, so that models with the same curve usually differ. `codes`: one of `size` clusters.
    """
    every = np.zeros_like(rows[0])
    for own in rows:
        every += own
    found = []
    for own in rows:
        keys = join_keys(own, every)
        if codes is not None:
            keys = mix_keys(sum_keys(keys, codes, size))
        found.append(int(keys.sum(dtype=np.uint64)))
    return found


def key_floats(values: FloatArray) -> Keys:
    """Return the keys of floats, which must not depend on the order of rows."""
    return mix_keys((values + 0.0).view(np.uint64))


def key_curve(roc: RocCurve) -> int:
    """Return the key of a curve, from its counts, weights and clusters."""
    step = np.arange(roc.fp.size)
    parts = [join_keys(step, roc.fp, roc.tp)]
    if roc.weights is not None and not roc.weights.equal:
        # Shares of the total, rounded: sums in another order have different last digits.
        sides = roc.weights.neg, roc.weights.pos
        total = sum(float(side.sum()) for side in sides)
        parts.append(join_keys(step, *(np.rint(side / total * 2.0**32) for side in sides)))
    if roc.clusters is not None:
        parts.append(find_cluster_keys(roc.clusters))
    return int(join_keys(*(np.asarray([part.sum(dtype=np.uint64)]) for part in parts))[0])


def sort_curves(curves: Iterable[RocCurve]) -> tuple[RocCurve, ...]:
    """Put curves, such as those of folds, in an order that does not depend on their names."""
    return tuple(sorted(curves, key=key_curve))
