"""Compare the Triton kernel with the plain operations; run it with TRITON_INTERPRET=1."""

from __future__ import annotations

import numpy as np
import torch

from rocbands.scale.bins import INFINITE
from rocbands.scale.devices import find_device
from rocbands.scale.tensors import _RULES, Cells, LabelRule, add_rows
from rocbands.scale.triton_kernel import add_rows as add_by_kernel

STREAM = torch.Generator().manual_seed(3)


def compare(
    scores: torch.Tensor, labels: torch.Tensor, rule: LabelRule, cells: Cells | None = None
) -> int:
    cells = cells or Cells()
    plain = torch.zeros(cells.size * scores.shape[1], dtype=torch.int64)
    found = plain.clone()
    add_rows(find_device(scores), plain, scores, labels, rule, cells)
    rules = _RULES[8 if scores.dtype == torch.float64 else 4]
    add_by_kernel(found, scores, labels, rule, cells, rules)
    assert torch.equal(plain, found)
    assert int(found.sum()) == scores.numel()
    return 1


def some(kind: torch.dtype, bits: int) -> torch.Tensor:
    """Floats of all kinds, NaN and infinities too: random bits, and bits near both ends."""
    whole = getattr(torch, f"int{bits}")
    ends = torch.iinfo(whole)
    drawn = torch.randint(ends.min, ends.max, (4000,), dtype=whole, generator=STREAM)
    near = [k << (bits - 12) for k in range(-2048, 2048)]
    steps = torch.tensor([k + j for k in near for j in (-1, 0, 1) if k + j >= ends.min])
    return torch.cat([drawn, steps.to(whole)]).view(kind)[:, None]


def main() -> None:
    single = some(torch.float32, 32)
    labels = torch.randint(-1, 3, single.shape, generator=STREAM)
    cases = 0
    for rule in (
        LabelRule(),
        LabelRule(ignored=-1),
        LabelRule(positive=2, negative=None),
        LabelRule(positive=2, negative=None, ignored=0),
    ):
        cases += compare(single, labels, rule)
    for kind in (torch.float16, torch.bfloat16):
        every = torch.from_numpy(np.arange(2**16, dtype=np.uint16).view(np.int16)).view(kind)
        cases += compare(every[:, None], torch.ones(2**16, 1), LabelRule())
    double = some(torch.float64, 64)
    for cells in (Cells(), Cells(INFINITE)):
        cases += compare(double, torch.zeros(double.shape, dtype=torch.bool), LabelRule(), cells)
    table = torch.randn(500, 3, generator=STREAM)
    table[3, 1] = torch.nan
    classes = torch.randint(-2, 5, (500, 1), generator=STREAM)
    cases += compare(table, classes, LabelRule(classes=3, ignored=-2))
    cases += compare(table, torch.randint(0, 2, (500, 3), generator=STREAM), LabelRule())
    print(f"{cases} cases agree")


if __name__ == "__main__":
    main()
