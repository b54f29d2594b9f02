"""Scores in tensors, counted on the device where they are: the bins of `bins`, from the same bits.

Counts are dense there: a cell for each bin and class. The cells of one column of scores are ::

    negatives by key, from -most to most | positives by key | rows without a bin, see `Unbinned`

A row's cell follows from its bits by whole-number arithmetic, so all libraries and devices agree,
also where floats below 2**-126 are flushed to zero. Adding rows needs nothing from the host; only
the cells that are not empty are copied to it, at the end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from rocbands.core.checks import CountArray
from rocbands.core.models import plural
from rocbands.core.tensors import find_library, name_type, to_host
from rocbands.errors import InputError
from rocbands.scale.bins import INFINITE, LEAST_EXPONENT, MOST_WHOLE, STEPS
from rocbands.scale.devices import Device, Tensor

SHORT = (128 - LEAST_EXPONENT) * STEPS + 2  # key of 2**128, which 32-bit floats cannot hold
ROWS = 1 << 22  # scores in one pass: bounds the memory, and is enough work for any device

# For floats of 4 and 8 bytes: bits without the sign, bits of infinity, bits that a bin leaves out,
# and what makes bin 2 the one that begins at 2**-126.
_RULES = {
    4: (0x7FFFFFFF, 0x7F800000, 11, STEPS - 2),
    8: (0x7FFFFFFFFFFFFFFF, 0x7FF0000000000000, 40, (1023 + LEAST_EXPONENT) * STEPS - 2),
}


class Unbinned(IntEnum):
    """Cells of rows without a bin, behind those of the bins."""

    NAN = 0
    LARGE = 1  # beyond `most`, or a whole number that floats would round
    LABEL = 2  # neither of the two labels
    LEFT_OUT = 3  # on purpose


POSITIVE = 1  # code of the positive label, 0 of the negative one; others are those of `Unbinned`


@dataclass(frozen=True)
class LabelRule:
    """Which labels are positive, and which rows are left out.

    With `negative` None all labels but `positive` are negative. With `classes` labels are numbers
    of classes, and each class is positive in its own column of scores.
    """

    positive: float = 1
    negative: float | None = 0
    ignored: float | None = None
    classes: int | None = None


@dataclass(frozen=True)
class Cells:
    """The cells of one column of scores; `most` is the key of infinity among them."""

    most: int = SHORT

    @property
    def width(self) -> int:
        """Number of bins."""
        return 2 * self.most + 1

    @property
    def size(self) -> int:
        """Number of cells."""
        return 2 * self.width + len(Unbinned)


class BinCounts(NamedTuple):
    """Keys of the bins that are not empty, in order, and their counts."""

    keys: CountArray
    positives: CountArray
    negatives: CountArray


def encode_labels(device: Device, labels: Tensor, rule: LabelRule) -> Tensor:
    """Return the code of each label; for classes, in a column for each class."""
    is_wrong = None
    if rule.classes is not None:
        found = labels == device.arange(rule.classes, labels)
        is_wrong = ~found.any(1)[:, None]
    else:
        found = labels == rule.positive
        if rule.negative is not None:
            is_wrong = ~found & (labels != rule.negative)
    codes = device.cast(found, "uint8")
    where = device.xp.where
    if is_wrong is not None:
        codes = where(is_wrong, int(Unbinned.LABEL), codes)
    if rule.ignored is not None:
        codes = where(labels == rule.ignored, int(Unbinned.LEFT_OUT), codes)
    return codes


def find_cells(device: Device, scores: Tensor, codes: Tensor, cells: Cells) -> Tensor:
    """Return the cell of each row, from its score and the code of its label."""
    where = device.xp.where
    bits, large = _get_bits(device, scores)
    mask, infinite, shift, start = _RULES[bits.dtype.itemsize]
    size = bits & mask
    key = (size >> shift) - start
    key = where(key < 1, 1, key)  # below 2**-126
    key = where(size == 0, 0, key)
    if bits.dtype.itemsize == 8:
        beyond = (key >= cells.most) & (size < infinite)
        large = beyond if large is None else beyond | large
    key = where(size >= infinite, cells.most, key)
    found = where(bits < 0, -key, key) + (codes == POSITIVE) * cells.width + cells.most
    none = 2 * cells.width
    if large is not None:
        found = where(large, none + Unbinned.LARGE, found)
    found = where(size > infinite, none + Unbinned.NAN, found)
    return device.cast(where(codes > POSITIVE, none + device.cast(codes, "int32"), found), "int32")


def _get_bits(device: Device, scores: Tensor) -> tuple[Tensor, Tensor | None]:
    """Return the bits of scores, and which of them are whole numbers that floats would round."""
    kind = name_type(scores)
    if kind == "bfloat16":  # the first half of a 32-bit float
        return device.cast(device.view(scores, "int16"), "int32") << 16, None
    if kind == "float16":
        scores, kind = device.cast(scores, "float32"), "float32"
    if kind == "float32":
        return device.view(scores, "int32"), None
    if kind == "float64":
        return device.view(scores, "int64"), None
    if kind in ("int64", "uint64", "uint32"):  # the last two have few operations in PyTorch
        whole = device.cast(scores, "int64")
        least = 0 if kind[0] == "u" else -MOST_WHOLE  # unsigned numbers may have become negative
        large = (whole > MOST_WHOLE) | (whole < least)
        return device.view(device.cast(whole, "float64"), "int64"), large
    # Up to 32 bits; 64-bit floats hold them, but not every device has those.
    short = kind in ("bool", "uint8", "int8", "int16", "uint16")
    wider, bits = ("float32", "int32") if short else ("float64", "int64")
    return device.view(device.cast(scores, wider), bits), None


def add_rows(
    device: Device, counts: Tensor, scores: Tensor, labels: Tensor, rule: LabelRule, cells: Cells
) -> Tensor:
    """Add rows to the counts, and return these.

    Scores have a column for each curve, and the counts the cells of each column after those of the
    one before; labels have as many columns, or one for all classes.
    """
    columns = scores.shape[1]
    if (kernel := find_kernel(scores, labels)) is not None:
        wide = name_type(scores) == "float64"
        kernel(counts, scores, labels, rule, cells, _RULES[8 if wide else 4])
        return counts
    shift = device.arange(columns, scores) * cells.size
    step = max(1, ROWS // columns)
    for begin in range(0, scores.shape[0], step):
        rows = slice(begin, begin + step)
        codes = encode_labels(device, labels[rows], rule)
        places = find_cells(device, scores[rows], codes, cells) + shift
        counts = device.add(counts, places.reshape(-1))
    return counts


def find_kernel(scores: Tensor, labels: Tensor) -> Any:
    """Return what counts in one read of the data: floats on a GPU, if Triton is installed."""
    if find_library(scores) != "torch" or not scores.is_cuda or not _has_triton():
        return None
    if not scores.is_floating_point() or name_type(labels) == "float64":  # which it would round
        return None
    from rocbands.scale.triton_kernel import add_rows as add_in_one_read

    return add_in_one_read


@cache
def _has_triton() -> bool:
    return find_spec("triton") is not None


def read_bins(device: Device, counts: Tensor, cells: Cells) -> BinCounts:
    """Copy the bins that are not empty to the host."""
    both = counts[: 2 * cells.width].reshape(2, cells.width)
    places = device.nonzero(both.sum(0))
    negatives, positives = to_host(both[:, places]).astype(np.int64)
    keys = to_host(places).astype(np.int64) - cells.most
    infinite = np.abs(keys) == cells.most
    return BinCounts(np.where(infinite, np.sign(keys) * INFINITE, keys), positives, negatives)


def read_unbinned(counts: Tensor, cells: Cells) -> dict[Unbinned, int]:
    """Copy the numbers of rows without a bin to the host."""
    found = to_host(counts[2 * cells.width :]).tolist()
    return dict(zip(Unbinned, found, strict=True))


def refuse_unbinned(found: Mapping[Unbinned, int], name: str, rows: int) -> None:
    """Refuse scores that have no bin; `name` says whose they are."""
    if found[Unbinned.NAN]:
        raise InputError(
            f"{name} must not be NaN",
            f"NaN in {plural(found[Unbinned.NAN], 'row')} of {rows:,}",
            "Find the step that makes them, often a division by 0 or a loss that diverged.",
        )
    if found[Unbinned.LARGE]:
        raise InputError(
            f"{name} must be below 2**128 in size, and whole numbers at most 2**53",
            f"larger in {plural(found[Unbinned.LARGE], 'row')} of {rows:,}",
            "Divide them first: only their order counts.",
        )


def as_columns(
    found: Mapping[str, BinCounts], labels: tuple[str | None, str | None]
) -> dict[str, Any]:
    """Return the bins of several models as arguments of ``ScoreCounts.of``."""
    sizes = [part.keys.size for part in found.values()]
    keys, positives, negatives = map(np.concatenate, zip(*found.values(), strict=True))
    return {
        "names": (list(found), []),
        "codes": (np.repeat(np.arange(len(sizes)), sizes), np.zeros(sum(sizes), dtype=np.intp)),
        "value": keys,
        "counts": (positives, negatives),
        "binned": True,
        "labels": labels,
    }


def refuse_complex(values: Tensor, name: str) -> None:
    """Refuse numbers that cannot be ordered."""
    kind = name_type(values)
    if not kind.startswith(("float", "bfloat", "int", "uint", "bool")):
        raise InputError(
            f"{name} must be real numbers", f"the type is {kind}", "Convert it to float32 first."
        )
