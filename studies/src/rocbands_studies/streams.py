"""Keys of cells, which are the same in every process, and the random streams made from them."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np

Value = TypeVar("Value")


def describe(thing: Any) -> Any:
    """Return a specification as values that JSON can contain, in a fixed order.

    An object with large arrays, or one whose class was renamed after numbers were published, has a
    property `fingerprint` with the values that identify it.

    Examples
    --------
    >>> from rocbands_studies.populations import Normal
    >>> describe(Normal(0.0, 1.0))
    {'kind': 'Normal', 'mean': 0.0, 'sd': 1.0}
    """
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        if hasattr(thing, "fingerprint"):
            return describe(thing.fingerprint)
        fields = [field.name for field in dataclasses.fields(thing)]
        return {
            "kind": type(thing).__name__,
            **{name: describe(getattr(thing, name)) for name in fields},
        }
    if isinstance(thing, Mapping):
        return {str(key): describe(value) for key, value in thing.items()}
    if isinstance(thing, list | tuple):
        return [describe(value) for value in thing]
    if isinstance(thing, np.generic):
        return thing.item()
    if thing is None or isinstance(thing, bool | int | float | str):
        return thing
    raise TypeError(f"A study cannot be described: {type(thing).__name__} has no fixed text.")


def digest(thing: Any) -> str:
    """Sixteen hexadecimal digits that identify a specification."""
    text = json.dumps(describe(thing), sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


class Streams:
    """The random streams of one replicate of one cell.

    A stream depends only on the study's seed, the key of the cell or of its data, the replicate and
    the role: other methods, cells, workers or replicates change no number. Cells that draw from the
    same population in the same way share the result of :meth:`draw_shared`, so that methods are
    compared on the same data.
    """

    def __init__(
        self, seed: int, data: str, cell: str, replicate: int, memory: dict[str, Any] | None = None
    ) -> None:
        self._seed, self._data, self._cell, self.replicate = seed, data, cell, replicate
        self._memory = {} if memory is None else memory

    def draw_shared(self, role: str, draw: Callable[[np.random.Generator], Value]) -> Value:
        """Draw data once for all cells that share them, from a stream of their own."""
        # Two kinds of cells may use the same role for different data: the name includes the draw.
        name = f"{self._data} {role} {getattr(draw, '__qualname__', draw)}"
        if name not in self._memory:
            self._memory[name] = draw(self._rng(self._data, role))
        value: Value = self._memory[name]
        return value

    def own_rng(self, role: str) -> np.random.Generator:
        """Return a stream for this cell alone."""
        return self._rng(self._cell, role)

    def _rng(self, key: str, role: str) -> np.random.Generator:
        # SeedSequence hashes whole numbers of any size: all that the stream depends on.
        place = [int(key, 16), self.replicate, int.from_bytes(role.encode(), "big")]
        return np.random.default_rng(np.random.SeedSequence([self._seed, *place]))
