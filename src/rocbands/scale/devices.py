"""What counting needs of PyTorch, CuPy and JAX, in the same words for all three.

A tensor that was passed has imported its library, so none is a dependency.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, TypeAlias

from rocbands.core.tensors import find_library

Tensor: TypeAlias = Any  # of one of the libraries


class Device(ABC):
    """Operations on the tensors of one library; types are named as in NumPy."""

    xp: Any  # the library's functions
    has_long = True  # whether there are 64-bit types

    @abstractmethod
    def view(self, values: Tensor, kind: str) -> Tensor:
        """Return the same bits as another type of the same size."""

    @abstractmethod
    def cast(self, values: Tensor, kind: str) -> Tensor:
        """Convert to another type."""

    @abstractmethod
    def add(self, counts: Tensor, places: Tensor) -> Tensor:
        """Add 1 at each of the places, as often as it occurs; `counts` may be changed."""

    @abstractmethod
    def zeros(self, size: int, like: Tensor) -> Tensor:
        """Make counts on the same device."""

    @abstractmethod
    def arange(self, size: int, like: Tensor) -> Tensor:
        """Make the numbers 0, ..., size - 1 on the same device, in 32 bits."""

    @abstractmethod
    def send(self, values: Any, like: Tensor) -> Tensor:
        """Copy an array from the host to the device of a tensor."""

    @abstractmethod
    def place(self, values: Tensor) -> object:
        """Say on which device a tensor is."""

    def nonzero(self, values: Tensor) -> Tensor:
        """Return the places of values that are not 0."""
        return self.xp.flatnonzero(values)


class _Torch(Device):
    def __init__(self) -> None:
        self.xp = sys.modules["torch"]

    def view(self, values: Tensor, kind: str) -> Tensor:
        return values.resolve_neg().view(getattr(self.xp, kind))

    def cast(self, values: Tensor, kind: str) -> Tensor:
        return values.to(getattr(self.xp, kind))

    def add(self, counts: Tensor, places: Tensor) -> Tensor:
        # bincount would wait for the device, to find the largest place.
        one = self.xp.ones((), dtype=counts.dtype, device=counts.device)
        return counts.index_add_(0, places, one.expand(places.numel()))

    def zeros(self, size: int, like: Tensor) -> Tensor:
        return self.xp.zeros(size, dtype=self.xp.int64, device=like.device)

    def arange(self, size: int, like: Tensor) -> Tensor:
        return self.xp.arange(size, dtype=self.xp.int32, device=like.device)

    def send(self, values: Any, like: Tensor) -> Tensor:
        return self.xp.as_tensor(values, device=like.device)

    def place(self, values: Tensor) -> object:
        return values.device

    def nonzero(self, values: Tensor) -> Tensor:
        return self.xp.nonzero(values).ravel()


class _Cupy(Device):
    def __init__(self) -> None:
        self.xp = sys.modules["cupy"]

    def view(self, values: Tensor, kind: str) -> Tensor:
        return values.view(kind)

    def cast(self, values: Tensor, kind: str) -> Tensor:
        return values.astype(kind)

    def add(self, counts: Tensor, places: Tensor) -> Tensor:
        return counts + self.xp.bincount(places, minlength=counts.size)

    def zeros(self, size: int, like: Tensor) -> Tensor:
        with like.device:
            return self.xp.zeros(size, dtype="int64")

    def arange(self, size: int, like: Tensor) -> Tensor:
        with like.device:
            return self.xp.arange(size, dtype="int32")

    def send(self, values: Any, like: Tensor) -> Tensor:
        with like.device:
            return self.xp.asarray(values)

    def place(self, values: Tensor) -> object:
        return values.device


class _Jax(Device):
    def __init__(self) -> None:
        self._jax = sys.modules["jax"]
        self.xp = self._jax.numpy
        self.has_long = bool(self._jax.config.jax_enable_x64)

    def view(self, values: Tensor, kind: str) -> Tensor:
        return self._jax.lax.bitcast_convert_type(values, kind)

    def cast(self, values: Tensor, kind: str) -> Tensor:
        return values.astype(kind)

    def add(self, counts: Tensor, places: Tensor) -> Tensor:
        return counts.at[places].add(1)

    def zeros(self, size: int, like: Tensor) -> Tensor:
        # JAX has 64 bits only if asked for; 32 suffice for less than 2**31 rows. Not on a device
        # of its own, so that it goes where the scores are, also if these are on several.
        return self.xp.zeros(size, dtype="int32")

    def arange(self, size: int, like: Tensor) -> Tensor:
        return self.xp.arange(size, dtype="int32")

    def send(self, values: Any, like: Tensor) -> Tensor:
        return self._jax.device_put(values, like.sharding)

    def place(self, values: Tensor) -> object:
        return values.devices()


_LIBRARIES: dict[str, Callable[[], Device]] = {"torch": _Torch, "cupy": _Cupy, "jax": _Jax}


def find_device(values: Tensor) -> Device:
    """Return the operations of the library that a tensor belongs to."""
    library = find_library(values)
    assert library is not None, "a tensor"
    return _LIBRARIES[library]()
