"""Files counted in shards: the same numbers whoever counts, and whoever dies on the way."""

from __future__ import annotations

import os
import signal
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import rocbands as rb
from rocbands.cli import main
from rocbands.scale import shards
from rocbands.scale.clusters import dask_executor
from tests.scale.nasty import assert_same

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

FILES = 8


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files with many clusters of rows; one holds negatives only, one a part that is new."""
    place = tmp_path_factory.mktemp("shards")
    rng = np.random.default_rng(5)
    for number in range(FILES):
        y = rng.integers(0, 2, 3000) if number != 2 else np.zeros(3000, dtype=int)
        columns = {
            "y": np.where(y == 1, "ill", "well"),
            "old": rng.normal(y).astype(np.float32),
            "new": rng.normal(y * 2.0),
            "site": rng.choice(["north", "south"] if number < 5 else ["east"], 3000),
        }
        pq.write_table(pa.table(columns), place / f"{number}.parquet", row_group_size=400)
    return place


HOW: dict[str, Any] = {"label": "y", "score": ["old", "new"], "positive": "ill"}


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("by", [None, "site"])
def test_shards_of_any_size_give_the_same_counts(
    folder: Path, exact: bool, by: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = rb.count_scores(folder, by=by, exact=exact, **HOW)
    for size in (1, 20_000, 1 << 30):
        monkeypatch.setattr(shards, "_BYTES", size)
        told: list[tuple[int, int | None]] = []
        with ThreadPoolExecutor(2) as threads:
            found = rb.count_scores(
                folder,
                by=by,
                exact=exact,
                executor=threads,
                progress=lambda done, total, told=told: told.append((done, total)),
                **HOW,
            )
        assert_same(found, here)
        assert len(told) == {1: 8 * FILES, 1 << 30: FILES}.get(size, len(told))
        assert told == sorted(told)
        assert told[-1][0] == told[-1][1] == sum(p.stat().st_size for p in folder.iterdir())


def test_processes_count_text_files_too(tmp_path: Path) -> None:
    for number in range(3):
        rows = "".join(f"{k % 2},{k / 7 + number}\n" for k in range(60))
        (tmp_path / f"{number}.csv").write_text(f"label,score\n{rows}", encoding="utf-8")
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        found = rb.count_scores(tmp_path, executor=pool)
    assert_same(found, rb.count_scores(tmp_path))


def test_the_first_file_settles_the_columns(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("y,risk\n1,0.5\n0,0.25\n", encoding="utf-8")
    (tmp_path / "b.csv").write_text("y,age,risk\n1,50,0.5\n0,60,0.25\n", encoding="utf-8")
    with ThreadPoolExecutor(2) as threads:
        found = rb.count_scores(tmp_path, executor=threads)
    assert found.models == ("risk",)
    assert found.roc.n_pos == 2


def test_what_is_wrong_in_a_shard_is_told_with_its_place(folder: Path, tmp_path: Path) -> None:
    table = pa.table({"y": ["ill", "well", "ill"], "old": [0.1, None, 0.2], "new": [1.0, 2, 3]})
    pq.write_table(table, tmp_path / "bad.parquet")
    with (
        ThreadPoolExecutor(2) as threads,
        pytest.raises(rb.InputError, match=r"bad\.parquet, row 2: column 'old' .* found null"),
    ):
        rb.count_scores([folder, tmp_path], executor=threads, **HOW)


def test_labels_are_judged_when_all_are_known(tmp_path: Path) -> None:
    for name, labels in {"a": ["x", "y"], "b": ["x", "z"]}.items():
        pq.write_table(pa.table({"y": labels, "s": [1.0, 2.0]}), tmp_path / f"{name}.parquet")
    with (
        ThreadPoolExecutor(2) as threads,
        pytest.raises(rb.InputError, match="it has 3: 'x', 'y', 'z'"),
    ):
        rb.count_scores(tmp_path, positive="x", executor=threads)


def test_labels_that_are_none_are_refused_though_each_shard_has_few(tmp_path: Path) -> None:
    for start in (0, 600):
        rows = {"y": [f"case {start + k}" for k in range(600)], "s": np.arange(600.0)}
        pq.write_table(pa.table(rows), tmp_path / f"{start}.parquet")
    with (
        ThreadPoolExecutor(2) as threads,
        pytest.raises(rb.InputError, match=r"All shards together: column .* more than 1000"),
    ):
        rb.count_scores(tmp_path, label="y", positive="x", executor=threads)


def test_workers_cannot_count_what_is_no_file() -> None:
    with ThreadPoolExecutor(1) as threads:
        with pytest.raises(rb.InputError, match="stdin is not a file"):
            rb.count_scores("-", executor=threads)
        with pytest.raises(rb.InputError, match=r"An executor counts files; .* is Table"):
            rb.count_scores(pa.table({"y": [0, 1], "s": [1, 2]}), executor=threads)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("exact", [False, True])
def test_a_dask_frame_is_counted_where_it_is(folder: Path, exact: bool) -> None:
    dd = pytest.importorskip("dask.dataframe")
    how: dict[str, Any] = {**HOW, "by": "site", "exact": exact}
    rows = dd.read_parquet(folder).repartition(npartitions=5)
    assert_same(rb.count_scores(rows, **how), rb.count_scores(folder, **how))
    with pytest.raises(rb.InputError, match=r"the Dask frame has no column 'nwe'\. Did you mean"):
        rb.count_scores(rows, label="y", score="nwe")
    rows["new"] = rows["new"].where(rows["new"] < 3)
    with pytest.raises(rb.InputError, match=r"`new` must not contain (NaN|missing)"):
        rb.count_scores(rows, **how)


def within(seconds: float, call: Any) -> Any:
    """Fail instead of hanging."""
    pool = ThreadPoolExecutor(1)
    try:
        return pool.submit(call).result(timeout=seconds)
    finally:
        pool.shutdown(wait=False)


def cluster(workers: int) -> Any:
    distributed = pytest.importorskip("distributed")
    return distributed.LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=True,
        dashboard_address=None,
        silence_logs=50,
    )


@pytest.mark.simulation
@pytest.mark.filterwarnings("ignore")
def test_a_worker_killed_while_counting_changes_no_number(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shards, "_BYTES", 1)
    here = rb.count_scores(folder, by="site", **HOW)
    with cluster(2) as engine:
        victims = [worker.pid for worker in engine.workers.values()]
        left: list[int] = []

        def kill_in_the_middle(done: int, total: int | None) -> None:
            if not left and total is not None and done > total / 8:
                left.append(total - done)
                os.kill(victims[0], signal.SIGKILL)

        with dask_executor(engine.scheduler_address) as executor:
            found = within(
                120,
                partial(
                    rb.count_scores,
                    folder,
                    by="site",
                    executor=executor,
                    progress=kill_in_the_middle,
                    **HOW,
                ),
            )
        assert left
        assert left[0] > 0
    assert_same(found, here)


@pytest.mark.filterwarnings("ignore")
def test_the_command_counts_on_a_cluster(folder: Path, tmp_path: Path) -> None:
    target = tmp_path / "counts.parquet"
    words = ["count", str(folder), "--label", "y", "--score", "new", "--positive", "ill"]
    with cluster(1) as engine:
        words += ["--dask", engine.scheduler_address, "-o", str(target)]
        done = CliRunner().invoke(main, words, prog_name="rocbands")
    assert done.exit_code == 0, done.stderr
    here = rb.count_scores(folder, label="y", score="new", positive="ill")
    assert_same(rb.ScoreCounts.load(target), here)


def test_a_command_without_its_cluster_is_one_line(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("rocbands.scale.clusters._PATIENCE", "1s")
    words = ["count", str(folder), "--dask", "tcp://127.0.0.1:9", "-o", str(tmp_path / "counts")]
    done = CliRunner().invoke(main, words, prog_name="rocbands")
    assert done.exit_code == 2
    assert done.stderr.count("\n") == 1
    assert "No Dask scheduler answers" in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.simulation
@pytest.mark.filterwarnings("ignore")
def test_work_that_kills_every_worker_is_given_up() -> None:
    dask = pytest.importorskip("dask")

    def deadly(executor: Executor) -> None:
        executor.submit(os._exit, 1).result()

    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        cluster(1) as engine,
        pytest.raises(rb.RocBandsError, match="die again and again"),
        dask_executor(engine.scheduler_address) as executor,
    ):
        within(120, partial(deadly, executor))
