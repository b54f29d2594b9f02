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


def name_type(values: Any) -> str:
    """Name the type of a tensor's numbers as NumPy does, such as 'float32'."""
    return str(values.dtype).removeprefix("torch.")


def to_host(values: Any) -> Any:
    """Return the values of a tensor as an array, in the same precision; others are unchanged.

    NumPy has no type of its own for bfloat16: such values are widened, which is exact.
    """
    library = find_library(values)
    if library is None:
        return values
    refuse_odd(values)
    if library == "cupy":
        return values.get()
    if library == "jax":
        host = np.asarray(values)
        return host.astype(np.float32) if host.dtype.name == "bfloat16" else host
    found = values.detach()
    if name_type(found) == "bfloat16":
        found = found.float()
    array: npt.NDArray[Any] = found.cpu().resolve_conj().resolve_neg().numpy()
    return array


def refuse_odd(values: Any) -> None:
    """Refuse tensors whose numbers cannot be read one by one, or are too short to rank rows."""
    kind, library = name_type(values), find_library(values)
    found, remedy = "", "Pass a plain tensor of floats or whole numbers."
    if kind.startswith(("float8", "float6_", "float4")):  # with an underscore: not float64
        found = f"the type is {kind}"
        remedy = "Convert the scores to float32 before they are rounded to 8 bits or less."
    elif library == "torch":
        if values.is_nested or values.is_quantized:
            found = "one is nested" if values.is_nested else "one is quantized"
        elif str(values.layout) != "torch.strided":
            found, remedy = "one is sparse", "Convert it by to_dense()."
        elif values.is_meta:
            found = "one has no values (device meta)"
    elif library == "jax" and isinstance(values, sys.modules["jax"].core.Tracer):
        found = "one is traced by a compiled function"
        remedy = "Call this outside, on the scores that the compiled function returns."
    if found:
        raise InputError("Tensors must have values of 16 bits or more", found, remedy)
