"""Tensors of PyTorch, CuPy and JAX: which library one belongs to, and its values on the host.

No library is imported here. A tensor exists only where its own library has been imported.
"""

from __future__ import annotations

import sys
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from rocbands.errors import InputError

Library: TypeAlias = Literal["torch", "cupy", "jax"]
_CLASSES: dict[Library, str] = {"torch": "Tensor", "cupy": "ndarray", "jax": "Array"}


def find_library(values: object) -> Library | None:
    """Return the library that a tensor belongs to; None for anything else."""
    for library, name in _CLASSES.items():
        kind = getattr(sys.modules.get(library), name, None)
        if kind is not None and isinstance(values, kind):
            return library
    return None


def to_host(values: Any) -> Any:
    """Return the values of a tensor as an array, in the same precision; others are unchanged.

    NumPy has no type of its own for bfloat16: such values are widened, which is exact.
    """
    library = find_library(values)
    if library is None:
        return values
    refuse_short_floats(values)
    if library == "cupy":
        return values.get()
    if library == "jax":
        host = np.asarray(values)
        return host.astype(np.float32) if host.dtype.name == "bfloat16" else host
    torch = sys.modules["torch"]
    found = values.detach().to_dense() if values.layout != torch.strided else values.detach()
    if found.dtype == torch.bfloat16:
        found = found.float()
    array: npt.NDArray[Any] = found.cpu().resolve_conj().resolve_neg().numpy()
    return array


def refuse_short_floats(values: Any) -> None:
    """Refuse floats of 8 bits and less, which have too few values to rank rows."""
    kind = str(values.dtype).removeprefix("torch.")
    if kind.startswith(("float8", "float6_", "float4")):  # with an underscore: not float64
        raise InputError(
            "Tensors must have at least 16 bits for each number",
            f"the type is {kind}",
            "Convert the scores to float32 before they are rounded.",
        )
