"""Columns that are tensors: checked, and counted on their device as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rocbands.core.checks import BoolArray
from rocbands.core.columns import take_rows, to_column
from rocbands.core.sample_columns import score_title
from rocbands.core.tensors import find_library, name_type, refuse_odd, to_host
from rocbands.errors import InputError, Message, arg
from rocbands.io.columns import encode_array
from rocbands.scale.accumulator import find_positive
from rocbands.scale.bins import INFINITE
from rocbands.scale.devices import Device, Tensor, find_device
from rocbands.scale.tensors import (
    SHORT,
    BinCounts,
    Cells,
    LabelRule,
    add_rows,
    as_columns,
    read_bins,
    read_unbinned,
    refuse_complex,
    refuse_unbinned,
)


def can_count(scores: Mapping[str, Any]) -> bool:
    """Tell whether scores are tensors whose device can count them; others go to the host.

    JAX has no 64-bit types unless it is asked for them, and 32-bit floats would round integers.
    """
    return all(
        find_library(column) is not None
        and (find_device(column).has_long or name_type(column) not in ("int32", "uint32"))
        for column in scores.values()
    )


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
        _check_column(column, titles[name])
        _check_beside(device, column, first, titles[name])
    if find_library(y_true) is not None:
        _check_beside(device, y_true, first, "y_true")
        _check_column(y_true, "y_true")
    if mask is not None:
        y_true, scores = _apply_mask(device, mask, y_true, scores)
        first = next(iter(scores.values()))
    labels, rule, texts = _read_labels(device, y_true, first, positive)
    found: list[BinCounts] = []
    for name, column in scores.items():
        wide = name_type(column) in ("float64", "int64", "uint64")
        cells = Cells(INFINITE if wide else SHORT)
        counts = device.zeros(cells.size, column)
        counts = add_rows(device, counts, column[:, None], labels[:, None], rule, cells)
        refuse_unbinned(read_unbinned(counts, cells), f"`{titles[name]}`", column.shape[0])
        found.append(read_bins(device, counts, cells))
    return as_columns(dict(zip(scores, found, strict=True)), texts)


def _check_column(column: Tensor, title: str) -> None:
    """Refuse a tensor that is not a column of numbers."""
    refuse_odd(column)
    to_column(np.broadcast_to(0.0, tuple(column.shape)), title)  # other shapes, and no rows
    refuse_complex(column, f"`{title}`")


def _check_beside(device: Device, values: Tensor, scores: Tensor, name: str) -> None:
    """Refuse a tensor of another length, library or device than the scores."""
    if find_library(values) != find_library(scores):
        raise InputError(
            "Labels, scores and mask must be tensors of one library",
            Message(
                "{} is of {}, scores of {}", arg(name), find_library(values), find_library(scores)
            ),
            "Convert one of them, for example by from_dlpack.",
        )
    if device.place(values) != device.place(scores):
        raise InputError(
            "Labels, scores and mask must be on one device",
            Message(
                "{} is on {}, scores are on {}",
                arg(name),
                device.place(values),
                device.place(scores),
            ),
            "Move one of them first; it is not moved silently.",
        )
    if tuple(values.shape) != tuple(scores.shape):
        raise InputError(
            Message(
                "{}, scores and {} must have one value for each row", arg("y_true"), arg("mask")
            ),
            Message(
                "{} has shape {}, scores {}", arg(name), tuple(values.shape), tuple(scores.shape)
            ),
        )


def _apply_mask(
    device: Device, mask: Any, y_true: Any, scores: Mapping[str, Tensor]
) -> tuple[Any, dict[str, Tensor]]:
    """Return the labels and scores of the rows that are counted."""
    first = next(iter(scores.values()))
    if find_library(mask) is None:
        mask = device.send(check_mask(mask), first)
    elif name_type(mask) != "bool":
        raise wrong_mask(name_type(mask))
    _check_beside(device, mask, first, "mask")
    if find_library(y_true) is None:
        y_true = take_masked(y_true, to_host(mask), "y_true")
    else:
        y_true = y_true[mask]
    kept = {name: column[mask] for name, column in scores.items()}
    _check_column(next(iter(kept.values())), "y_score")  # refuses no rows
    return y_true, kept


def _read_labels(
    device: Device, y_true: Any, scores: Tensor, positive: object
) -> tuple[Tensor, LabelRule, tuple[str | None, str | None]]:
    """Return the labels on the device, which are positive, and both labels as text."""
    if find_library(y_true) is None:
        values, rows = encode_array(to_column(y_true, "y_true"), "y_true")
        is_positive, texts = find_positive(values, positive, "y_true")
        codes = device.send(is_positive[rows].astype(np.uint8), scores)
        _check_beside(device, codes, scores, "y_true")
        return codes, LabelRule(), texts
    if name_type(y_true) in ("uint16", "uint32", "uint64"):  # few operations in PyTorch
        y_true = device.cast(y_true, "int64")
    values = _find_labels(device, y_true)
    is_positive, texts = find_positive(values, positive, "y_true")
    # If no row is positive, no label may equal the positive one: nothing equals NaN.
    one = values[int(is_positive.argmax())] if is_positive.any() else float("nan")
    return y_true, LabelRule(positive=one, negative=None), texts


def _find_labels(device: Device, y_true: Tensor) -> list[Any]:
    """Find the distinct labels: by a sort only if there are more than two."""
    if name_type(y_true) == "bool":
        low, high = bool(y_true.all()), bool(y_true.any())
        return [low, high] if low != high else [low]
    low, high = (to_host(end)[()].item() for end in (y_true.min(), y_true.max()))
    if bool(((y_true == low) | (y_true == high)).all()):
        return [low, high] if low != high else [low]
    values: list[Any] = to_host(device.xp.unique(y_true)).tolist()
    if any(value != value for value in values):  # noqa: PLR0124
        raise InputError(
            Message("{} must have a label in every row", arg("y_true")),
            "some are NaN",
            Message("Leave such rows out by {}.", arg("mask")),
        )
    return values


def check_mask(mask: Any) -> BoolArray:
    """Return a mask of the host as booleans."""
    keep = to_column(mask, "mask")
    if keep.dtype != np.bool_:
        raise wrong_mask(keep.dtype)
    return keep


def wrong_mask(kind: object) -> InputError:
    """Return the error for a mask that is not of booleans."""
    return InputError(
        "must be true for the rows that are counted",
        f"its type is {kind}",
        "Pass booleans, such as a comparison.",
        argument="mask",
    )


def take_masked(column: Any, keep: BoolArray, name: str) -> Any:
    """Return the rows of a column that a mask keeps, of the same kind."""
    column = to_host(column)
    if len(column) != keep.size:
        raise InputError(
            Message("{} must have one value for each row", arg("mask")),
            Message("it has {}, and {} has {} rows", keep.size, arg(name), len(column)),
        )
    return take_rows(column, keep)
