"""A Dask cluster of processes counts what we count, also if one of them is killed on the way."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rocbands as rb
from tests.scale.nasty import assert_same

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore")

FILES = 12
HOW: dict[str, Any] = {"label": "y", "score": ["old", "new"], "positive": "ill", "by": "site"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("files")
    rng = np.random.default_rng(5)
    for number in range(FILES):
        y = rng.integers(0, 2, 3000) if number != 2 else np.zeros(3000, dtype=int)
        columns = {
            "y": np.where(y == 1, "ill", "well"),
            "old": rng.normal(y).astype(np.float32),
            "new": rng.normal(y * 2.0),
            "site": rng.choice(["north", "south"] if number < 5 else ["east"], 3000),
        }
        pq.write_table(pa.table(columns), place / f"{number}.parquet")
    return place


@pytest.mark.simulation
def test_a_worker_killed_while_counting_changes_no_number(folder: Path, tmp_path: Path) -> None:
    dask = pytest.importorskip("dask.dataframe")
    here = rb.count_scores(folder, **HOW)
    marks = str(tmp_path)

    def slowly(rows: Any) -> Any:
        Path(marks, f"{os.getpid()}-{time.monotonic_ns()}").touch()
        time.sleep(0.3)
        return rows

    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            silence_logs=50,
        ) as cluster,
        distributed.Client(cluster),
    ):
        victim = next(iter(cluster.workers.values())).pid

        def kill_on_the_way() -> None:
            end = time.monotonic() + 60
            while time.monotonic() < end:
                if any(name.startswith(f"{victim}-") for name in os.listdir(marks)):
                    os.kill(victim, signal.SIGKILL)
                    return
                time.sleep(0.01)

        killer = threading.Thread(target=kill_on_the_way)
        killer.start()
        rows = dask.read_parquet(folder)
        found = rb.count_scores(rows.map_partitions(slowly, meta=rows._meta), **HOW)
        killer.join()
        assert victim not in [worker.pid for worker in cluster.workers.values()]
    assert len({name.partition("-")[0] for name in os.listdir(marks)}) > 1
    assert_same(found, here)
