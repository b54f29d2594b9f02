"""Random number generators, their seeds, and the description of simulations in results.

``rng="data"``, the default of every function that draws, derives the seed from a digest of the data
that the method uses: counts along the curve, folds, groups. Repeated calls then give the same
numbers. The digest is invariant under the order of rows, increasing transforms of scores, names of
groups, the level and the number of resamples. It is computed only when random numbers are drawn.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import BoolArray, CountArray, FloatArray, IndexArray, check_rng
from rocbands.core.pieces import walk_steps

if TYPE_CHECKING:
    from rocbands.core.counts import Groups
    from rocbands.core.roc import RocCurve

Rng: TypeAlias = Literal["data"] | int | np.random.SeedSequence | np.random.Generator | None
Digest: TypeAlias = Callable[[], int]
AnyRng: TypeAlias = "Rng | SharedSeed"
# A checked `rng`; None is a new generator, if one is needed.
Source: TypeAlias = "np.random.Generator | SharedSeed | Literal['data'] | None"
Keys: TypeAlias = npt.NDArray[np.uint64]

_BITS = 53  # of a seed: every JSON reader represents such integers exactly


# ------------------------------------------------------------------------------------- generators


def resolve_rng(rng: Any, digest: Digest) -> tuple[np.random.Generator, int | None]:
    """Return a generator and the seed that gives the same one again.

    The seed is None if a generator was given that has been used, or was not made from an integer.
    """
    generator = make_generator(rng, digest)
    return generator, find_seed(generator)


def check_source(rng: Any) -> Source:
    """Check `rng`; the generator is made later."""
    return rng if rng is None or isinstance(rng, SharedSeed) else check_rng(rng)


def make_generator(rng: Any, digest: Digest) -> np.random.Generator:
    """Return the generator that is asked for; `digest` gives the seed for 'data'."""
    if isinstance(rng, SharedSeed):
        return rng.make_generator()
    found = check_rng(rng)
    return np.random.default_rng(digest()) if isinstance(found, str) else found


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


class SharedSeed:
    """One seed for all parts of a result, so that each is the same as if computed alone.

    It is computed when a part first draws. A generator given by the user is shared by the parts.
    """

    def __init__(self, rng: Any, digest: Digest) -> None:
        self.from_data = isinstance(rng, str) and rng == "data"
        self._rng = check_rng(rng)
        self._digest = digest
        self._seed: int | None = None
        self._generator: np.random.Generator | None = None

    def make_generator(self) -> np.random.Generator:
        """Return a generator for the next part."""
        if self._generator is None:
            self._generator, self._seed = resolve_rng(self._rng, self._digest)
            return self._generator
        return self._generator if self._seed is None else np.random.default_rng(self._seed)

    @property
    def seed(self) -> int | None:
        """The seed; None where none was needed yet, or a generator was given."""
        return self._seed


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
    from_data : bool
        Whether the seed is a digest of the data.
    """

    seed: int | None
    n_resamples: int
    error: float | None = None
    pvalue_error: float | None = None
    from_data: bool = False

    @property
    def note(self) -> str:
        """The simulation in one line."""
        seed = "random numbers of the given generator"
        if self.seed is not None:
            seed = "seed from the data" if self.from_data else f"seed {self.seed}"
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
            from_data=found[0].from_data,
        )


# ---------------------------------------------------------------------------------------- digests


def digest_arguments(*parts: object) -> int:
    """Digest of a few numbers and words."""
    return _finish(_begin("arguments", repr(parts)))


def digest_numbers(*columns: npt.NDArray[Any]) -> int:
    """Digest of columns of nonnegative integers, in their order."""
    state = _begin("numbers")
    for column in columns:
        _add(state, column)
    return _finish(state)


def digest_either_way(one: CountArray, two: CountArray) -> int:
    """Digest of the counts of two models, in either order."""
    return digest_arguments(*sorted((digest_numbers(one), digest_numbers(two))))


def digest_curve(roc: RocCurve) -> int:
    """Digest of the data of a curve; computed once for each curve."""
    known: int | None = vars(roc).get("_digest")
    if known is None:
        known = vars(roc)["_digest"] = _digest_curve(roc)
    return known


def digest_curves(curves: Iterable[RocCurve], *more: object) -> int:
    """Digest of several curves in any order, and of a few numbers and words."""
    return digest_arguments(*sorted(digest_curve(roc) for roc in curves), *more)


def _digest_curve(roc: RocCurve) -> int:
    state = _begin("curve", "bins" if roc.binned else "")
    for piece in walk_steps(roc.fp, roc.tp):
        _add(state, np.diff(piece.fp))
        _add(state, np.diff(piece.tp))
    weights = roc.weights
    if weights is not None and not weights.equal:
        # Sums in another order have different last digits.
        sums = (weights.neg, weights.pos, weights.neg_squares, weights.pos_squares)
        state.update(" ".join(f"{float(side.sum()):.8e}" for side in sums).encode())
    if roc.groups is not None:
        _add(state, np.sort(find_group_keys(roc.groups)))
    for fold in sorted(map(digest_curve, roc.folds)):
        state.update(fold.to_bytes(8, "little"))
    return _finish(state)


def _begin(*words: str) -> Any:
    return hashlib.blake2b("\0".join(words).encode(), digest_size=8)


def _add(state: Any, column: npt.NDArray[Any]) -> None:
    """Add nonnegative integers, in as few bytes as the largest needs."""
    kind = np.min_scalar_type(int(column.max(initial=0)))
    state.update(f"{kind.itemsize} {column.size} ".encode())
    little = kind.newbyteorder("<")
    state.update(np.ascontiguousarray(column.astype(little, copy=False)).data)


def _finish(state: Any) -> int:
    return int.from_bytes(state.digest(), "little") >> (64 - _BITS)


# ------------------------------------------------------- keys: digests of many things that have no
#                                                         order, as sums that wrap around 2^64


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
    """Sum the keys of each group, modulo 2^64."""
    # `bincount` adds floats: 22 bits of 2^31 keys add up exactly.
    total, low = np.zeros(size, dtype=np.uint64), np.uint64(2**22 - 1)
    for shift in map(np.uint64, (0, 22, 44)):
        part = ((keys >> shift) & low).astype(np.float64)
        total += np.bincount(codes, part, size).astype(np.uint64) << shift
    return total


def key_rows(place: npt.NDArray[Any], is_positive: BoolArray) -> Keys:
    """Return the key of each row, from its rank and its class."""
    return mix_keys(2 * place.astype(np.uint64) + is_positive)


def find_group_keys(groups: Groups) -> Keys:
    """Return a key of each group that depends only on its rows and those of its stratum."""
    known: Keys | None = vars(groups).get("_keys")
    if known is not None:
        return known
    rows = key_rows(groups.step, groups.is_positive)
    if groups.weight is not None:
        rows = join_keys(rows, groups.weight.view(np.uint64))
    keys = mix_keys(sum_keys(rows, groups.code, groups.size))
    if groups.stratum is not None:
        strata = sum_keys(keys, groups.stratum, int(groups.stratum.max()) + 1)
        keys = join_keys(keys, strata[groups.stratum])
    vars(groups)["_keys"] = keys
    return keys


def order_groups(groups: Groups) -> Groups:
    """Renumber groups by their rows, so that random draws do not depend on names of groups."""
    order, place = sort_keys(find_group_keys(groups))
    stratum = None if groups.stratum is None else groups.stratum[order]
    return replace(groups, code=place[groups.code], stratum=stratum)


def sort_keys(keys: Keys) -> tuple[IndexArray, CountArray]:
    """Return the order of some keys, and the rank of each."""
    order = np.argsort(keys, kind="stable")
    place = np.empty(order.size, dtype=np.int64)
    place[order] = np.arange(order.size)
    return order, place


def key_models(rows: Sequence[Keys], codes: CountArray | None = None, size: int = 0) -> list[int]:
    """Return a key of each of several models of the same rows, invariant under the order of rows.

    `rows`: the key of each row by each model. A model's key depends on those of the others at the
    same row, so that models with the same curve usually differ. `codes`: one of `size` groups.
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
