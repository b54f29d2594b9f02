"""A study on a real Dask cluster, with a worker killed in the middle."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest

import rocbands as rb
from rocbands_studies import Binormal, RandomClasses, Store, Study, TrueCurve, run
from rocbands_studies.executors import dask_executor

distributed = pytest.importorskip("distributed")

CELLS = tuple(
    TrueCurve(Binormal(theta), RandomClasses(size), rb.bands.FixedWidth(n_resamples=99))
    for theta in (1.0, 3.0)
    for size in (50, 400)
)
STUDY = Study("on a cluster", CELLS, replicates=24, block=2)


def test_no_cluster_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rocbands_studies.executors._PATIENCE", "1s")
    with (
        pytest.raises(rb.InputError, match="No Dask scheduler answers at 'tcp"),
        dask_executor("tcp://127.0.0.1:9"),
    ):
        pass


@pytest.mark.simulation
@pytest.mark.filterwarnings("ignore")
def test_a_worker_killed_during_a_study_changes_no_number(tmp_path: Path) -> None:
    store = tmp_path / "cluster.store"
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as cluster:
        victims = [worker.pid for worker in cluster.workers.values()]

        def kill_one() -> None:
            end = time.monotonic() + 60
            while time.monotonic() < end:
                if store.exists() and store.read_bytes().count(b"\n") >= 6:
                    os.kill(victims[0], signal.SIGKILL)
                    return
                time.sleep(0.01)

        killer = threading.Thread(target=kill_one)
        killer.start()
        with dask_executor(cluster.scheduler_address) as executor:
            found = run(STUDY, executor=executor, store=store)
        killer.join()
        assert [worker.pid for worker in cluster.workers.values()] != victims
    here = tmp_path / "here.store"
    assert found.to_json() == run(STUDY, workers=1, store=here).to_json()
    assert Store(store, 1).export() == Store(here, 1).export()
