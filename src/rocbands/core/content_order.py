"""Orders of rows, clusters, models and curves by their contents.

Random draws that follow such an order depend neither on the order of rows nor on the names of
models, folds and clusters. Things without an order of their own get 64-bit keys, whose sums wrap
around 2^64; equal contents have equal keys.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from rocbands.core.checks import BoolArray, CountArray, FloatArray, IndexArray
from rocbands.core.counting import find_levels

if TYPE_CHECKING:
    from rocbands.core.counts import Clusters
    from rocbands.core.roc import RocCurve

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
