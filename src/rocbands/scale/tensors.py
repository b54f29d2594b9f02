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
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from rocbands.core.checks import CountArray
from rocbands.core.columns import take_rows, to_column
from rocbands.core.models import plural
from rocbands.core.sample_columns import score_title
from rocbands.core.tensors import find_library, refuse_short_floats, to_host
from rocbands.errors import InputError, arg
from rocbands.io.columns import encode_array
from rocbands.scale.accumulator import find_positive
from rocbands.scale.bins import INFINITE, LEAST_EXPONENT, MOST_WHOLE, STEPS
from rocbands.scale.devices import Device, Tensor, find_device

SHORT = (128 - LEAST_EXPONENT) * STEPS + 2  # key of 2**128, which 32-bit floats cannot hold
ROWS = 1 << 23  # scores in one pass: bounds the memory, and is enough work for any device

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
    kind = device.type_of(scores)
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
        large = (whole > MOST_WHOLE) | (whole < -MOST_WHOLE)
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
    one before; labels have as many columns, or one.
    """
    columns = scores.shape[1]
    if (kernel := find_kernel(device, scores)) is not None:
        wide = device.type_of(scores) == "float64"
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


def find_kernel(device: Device, scores: Tensor) -> Any:
    """Return what counts in one read of the data: floats on a GPU, if Triton is installed."""
    is_float = device.type_of(scores) in ("float16", "bfloat16", "float32", "float64")
    if not is_float or find_library(scores) != "torch" or not scores.is_cuda:
        return None
    if find_spec("triton") is None:
        return None
    from rocbands.scale.triton_kernel import add_rows as add_in_one_read

    return add_in_one_read


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
            f"{plural(found[Unbinned.NAN], 'row')} of {rows:,} are",
            "Find the step that makes them, often a division by 0 or a loss that diverged.",
        )
    if found[Unbinned.LARGE]:
        raise InputError(
            f"{name} must be below 2**128 in size, and whole numbers at most 2**53",
            f"{plural(found[Unbinned.LARGE], 'row')} of {rows:,} are larger",
            "Divide them first: only their order counts.",
        )


# ------------------------------------------------------------------------------ whole columns


def can_count(scores: Mapping[str, Any]) -> bool:
    """Tell whether scores are tensors whose device can count them; others go to the host.

    JAX has no 64-bit types unless it is asked for them, and 32-bit floats would round integers.
    """
    for column in scores.values():
        if find_library(column) is None:
            return False
        refuse_short_floats(column)
        device = find_device(column)
        if not device.has_long and device.type_of(column) in ("int32", "uint32"):
            return False
    return True


def count_tensors(
    y_true: Any, scores: Mapping[str, Tensor], *, positive: object, mask: Any = None
) -> dict[str, Any]:
    """Count tensors of one device; return the arguments of ``ScoreCounts.of``.

    Labels and mask may be tensors of that device, or on the host.
    """
    first = next(iter(scores.values()))
    device = find_device(first)
    titles = {name: score_title(name, tuple(scores)) for name in scores}
    for name, column in scores.items():
        _check_numbers(device, column, titles[name])
        _check_beside(device, column, first, titles[name])
    if mask is not None:
        keep = _bring(device, mask, first, "mask")
        if device.type_of(keep) != "bool":
            raise wrong_mask(device.type_of(keep))
        if find_library(y_true) is None:
            y_true = take_rows(y_true, to_host(keep))
        else:
            _check_beside(device, y_true, first, "y_true")
            y_true = y_true[keep]
        scores = {name: column[keep] for name, column in scores.items()}
        first = next(iter(scores.values()))
        to_column(np.broadcast_to(0.0, tuple(first.shape)), "y_true")  # refuses no rows
    labels, rule, texts = _read_labels(device, y_true, first, positive)
    found: list[BinCounts] = []
    for name, column in scores.items():
        wide = device.type_of(column) in ("float64", "int64", "uint64")
        cells = Cells(INFINITE if wide else SHORT)
        counts = device.zeros(cells.size, column)
        counts = add_rows(device, counts, column[:, None], labels[:, None], rule, cells)
        refuse_unbinned(read_unbinned(counts, cells), f"`{titles[name]}`", column.shape[0])
        found.append(read_bins(device, counts, cells))
    return as_columns(dict(zip(scores, found, strict=True)), texts)


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


def _check_numbers(device: Device, column: Tensor, title: str) -> None:
    to_column(np.broadcast_to(0.0, tuple(column.shape)), title)  # refuses other shapes, and no rows
    kind = device.type_of(column)
    if not kind.startswith(("float", "bfloat", "int", "uint", "bool")):
        raise InputError(
            f"`{title}` must be numbers", f"its type is {kind}", "Convert it to float32 first."
        )


def _check_beside(device: Device, values: Tensor, scores: Tensor, name: str) -> None:
    """Refuse a tensor of another length, library or device than the scores."""
    if find_library(values) != find_library(scores):
        raise InputError(
            "Labels, scores and mask must be tensors of one library",
            f"{arg(name)} is of {find_library(values)}, scores of {find_library(scores)}",
            "Convert one of them, for example by from_dlpack.",
        )
    if device.place(values) != device.place(scores):
        raise InputError(
            "Labels, scores and mask must be on one device",
            f"{arg(name)} is on {device.place(values)}, scores are on {device.place(scores)}",
            "Move one of them first; it is not moved silently.",
        )
    if tuple(values.shape) != tuple(scores.shape):
        raise InputError(
            f"{arg('y_true')}, scores and {arg('mask')} must have one value for each row",
            f"{arg(name)} has shape {tuple(values.shape)}, scores {tuple(scores.shape)}",
        )


def _bring(device: Device, values: Any, scores: Tensor, name: str) -> Tensor:
    """Return a column of the host on the device of the scores; check one that is a tensor."""
    if find_library(values) is None:
        values = device.send(np.ascontiguousarray(to_column(values, name)), scores)
    _check_beside(device, values, scores, name)
    return values


def _read_labels(
    device: Device, y_true: Any, scores: Tensor, positive: object
) -> tuple[Tensor, LabelRule, tuple[str | None, str | None]]:
    """Return the labels on the device, which are positive, and both labels as text."""
    if find_library(y_true) is None:
        values, rows = encode_array(to_column(y_true, "y_true"), "y_true")
        is_positive, texts = find_positive(values, positive, "y_true")
        codes = is_positive[rows].astype(np.uint8)
        return _bring(device, codes, scores, "y_true"), LabelRule(), texts
    _check_beside(device, y_true, scores, "y_true")
    values = _find_labels(device, y_true)
    is_positive, texts = find_positive(values, positive, "y_true")
    if not is_positive.any():  # one class only: not equal to any label
        return y_true, LabelRule(positive=values[0] + 1, negative=None), texts
    return y_true, LabelRule(positive=values[int(is_positive.argmax())], negative=None), texts


def _find_labels(device: Device, y_true: Tensor) -> list[Any]:
    """Find the distinct labels: by a sort only if there are more than two."""
    if device.type_of(y_true) == "bool":
        low, high = bool(y_true.all()), bool(y_true.any())
        return [low, high] if low != high else [low]
    low, high = (to_host(end)[()].item() for end in (y_true.min(), y_true.max()))
    if bool(((y_true == low) | (y_true == high)).all()):
        return [low, high] if low != high else [low]
    values: list[Any] = to_host(device.xp.unique(y_true)).tolist()
    if any(value != value for value in values):  # noqa: PLR0124
        raise InputError(
            f"{arg('y_true')} must have a label in every row",
            "some are NaN",
            f"Leave such rows out by {arg('mask')}.",
        )
    return values


def wrong_mask(kind: object) -> InputError:
    """Return the error for a mask that is not of booleans."""
    return InputError(
        "must be true for the rows that are counted",
        f"its type is {kind}",
        "Pass booleans, such as a comparison.",
        argument="mask",
    )
