"""The cells of `tensors`, found and counted by a Triton kernel in one read of the data."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

_BLOCK = 1024


@triton.jit
def _add(  # type: ignore[no-untyped-def]
    counts, scores, labels, n, rule_positive, rule_negative, rule_ignored,
    columns: tl.constexpr, classes: tl.constexpr, two: tl.constexpr, ignores: tl.constexpr,
    wide: tl.constexpr, mask: tl.constexpr, infinite: tl.constexpr, shift: tl.constexpr,
    start: tl.constexpr, most: tl.constexpr, block: tl.constexpr,
):  # fmt: skip
    at = tl.program_id(0).to(tl.int64) * block + tl.arange(0, block)
    live = at < n
    column = (at % columns).to(tl.int32)
    score = tl.load(scores + at, mask=live, other=0.0)
    label = tl.load(labels + (at // columns if classes else at), mask=live, other=0)
    if wide:
        bits = score.to(tl.int64, bitcast=True)
    elif score.dtype == tl.bfloat16:
        bits = score.to(tl.int16, bitcast=True).to(tl.int32) << 16
    else:
        bits = score.to(tl.float32).to(tl.int32, bitcast=True)
    size = bits & mask
    key = tl.where(size == 0, 0, tl.maximum((size >> shift) - start, 1))
    key = tl.where(size >= infinite, most, key).to(tl.int32)
    positive = label == (column if classes else rule_positive)
    width = 2 * most + 1
    cell = tl.where(bits < 0, -key, key) + most + tl.where(positive, width, 0)
    cell = tl.where((key >= most) & (size < infinite), 2 * width + 1, cell)
    cell = tl.where(size > infinite, 2 * width, cell)
    if classes:
        cell = tl.where((label < 0) | (label >= columns), 2 * width + 2, cell)
    elif two:
        cell = tl.where(positive | (label == rule_negative), cell, 2 * width + 2)
    if ignores:
        cell = tl.where(label == rule_ignored, 2 * width + 3, cell)
    cell += column * (2 * width + 4)
    tl.atomic_add(counts + cell, tl.full((block,), 1, tl.int64), mask=live, sem="relaxed")


def add_rows(counts, scores, labels, rule, cells, numbers) -> None:  # type: ignore[no-untyped-def]
    """Add rows to counts, as :func:`rocbands.scale.tensors.add_rows`."""
    rows, columns = scores.shape
    scores, labels = scores.resolve_neg().contiguous(), labels.contiguous()
    labels = labels.byte() if labels.dtype == torch.bool else labels
    with torch.cuda.device_of(scores):  # which need not be the current one
        _add[(triton.cdiv(rows * columns, _BLOCK),)](
            counts, scores, labels, rows * columns, rule.positive, rule.negative or 0,
            rule.ignored or 0, columns, rule.classes is not None, rule.negative is not None,
            rule.ignored is not None, numbers[0] > 2**32, *numbers, cells.most, _BLOCK,
        )  # fmt: skip
