"""Count in two processes of torch.distributed, and save what each of them gets."""

from __future__ import annotations

import sys
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torchmetrics import MetricCollection

from rocbands.errors import InputError
from rocbands.torch import RocCounts


def work(rank: int, folder: str) -> None:
    dist.init_process_group("gloo", f"file://{folder}/meet", rank=rank, world_size=2)
    stream = torch.Generator().manual_seed(9)
    scores = torch.randn(1000, generator=stream)
    labels = (torch.rand(1000, generator=stream) < torch.sigmoid(2 * scores)).long()
    begin, end, size = ((0, 130, 50), (130, 1000, 217))[rank]
    metric = RocCounts()
    twins = MetricCollection({"a": RocCounts(), "b": RocCounts(names=["again"])})
    for at in range(begin, end, size):
        rows = slice(at, min(end, at + size))
        metric.update(scores[rows], labels[rows])
        twins.update(scores[rows], labels[rows])
    metric.compute().save(f"{folder}/{rank}.parquet")
    assert int(metric.counts.sum()) == end - begin, "its own counts again, to go on with"
    other = RocCounts(positive=1)
    other.update(torch.tensor([0.5, 0.2]), torch.tensor([1, 3 + rank]))
    try:
        other.compute()
    except InputError as problem:
        sizes = " ".join(str(counts.n) for counts in twins.compute().values())
        Path(folder, f"{rank}.txt").write_text(f"{problem}\n{sizes}\n", encoding="utf-8")
    dist.destroy_process_group()


if __name__ == "__main__":
    mp.spawn(work, (sys.argv[1],), nprocs=2)
