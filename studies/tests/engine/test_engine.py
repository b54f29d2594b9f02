"""Runs: the same numbers whoever does the work, in which order, and however often it is stopped."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

import rocbands as rb
from rocbands_studies import (
    Binormal,
    Cell,
    Discrete,
    RandomClasses,
    Store,
    Streams,
    Study,
    TrueCurve,
    run,
)


@dataclass(frozen=True)
class Coin(Cell):
    """A cell that costs nothing: a share, a mean, and a share along an axis."""

    shares = ("heads", "heads at")
    axis = "place"

    chance: float
    seconds: float = 0.0

    def facts(self) -> dict[str, object]:
        return {"chance": self.chance}

    @property
    def source(self) -> object:
        return "coins"

    @property
    def points(self) -> tuple[float, ...]:
        return (0.0, 1.0)

    def measure(self, streams: Streams) -> dict[str, object]:
        time.sleep(self.seconds)
        height = streams.draw_shared("data", lambda rng: rng.random())
        own = streams.own_rng("coin").random(2)
        return {
            "heads": float(height < self.chance),
            "height": height + 1e-3 * own[0],
            "heads at": [float(x) for x in own < self.chance],
        }


@dataclass(frozen=True)
class Threads(Coin):
    """How many threads NumPy's BLAS was told to use when it was loaded; -1 if nothing was said."""

    def measure(self, streams: Streams) -> dict[str, object]:
        given = Path("/proc/self/environ").read_bytes().split(b"\0")
        told = [entry for entry in given if entry.startswith(b"OPENBLAS_NUM_THREADS=")]
        return {"threads": float(told[0].split(b"=")[1]) if told else -1.0}


COINS = Study("coins", (Coin(0.3), Coin(0.6), Coin(0.9)), replicates=50, block=7)


def export(study: Study, path: Path) -> str:
    return Store(path, study.seed).export()


def test_figures_come_with_intervals() -> None:
    found = run(COINS, workers=1)
    heads = found.figure(Coin(0.6), "heads")
    assert heads.n == 50
    assert heads.low < heads.value < heads.high
    low, high = rb._math.binomial.clopper_pearson_limits(round(heads.value * 50), 50, 0.95)
    assert (heads.low, heads.high) == (float(low), float(high))
    height = found.figure(Coin(0.6), "height")
    assert height.low < 0.5 < height.high
    assert [figure.n for figure in found.along(Coin(0.6), "heads at")] == [50, 50]
    # Coins see the same data: whoever lands below .3 lands below .6.
    assert found.figure(Coin(0.3), "heads").value <= heads.value
    with pytest.raises(rb.InputError, match="'tails' is not a single figure"):
        found.figure(Coin(0.6), "tails")
    with pytest.raises(rb.InputError, match="has no cell"):
        found.figure(Coin(0.5), "heads")


def test_a_mean_has_students_interval() -> None:
    from scipy import stats

    found = run(COINS, workers=1)
    values = []
    for replicate in range(50):
        cell = Coin(0.6)
        streams = Streams(1, cell.source_key, cell.key, replicate)
        values.append(cell.measure(streams)["height"])
    known = stats.ttest_1samp(values, 0.0).confidence_interval(0.95)
    assert found.figure(Coin(0.6), "height")[1:3] == pytest.approx(known, rel=1e-9)


def test_adding_cells_replicates_or_workers_changes_no_number(tmp_path: Path) -> None:
    whole = run(COINS, workers=1)
    alone = run(replace(COINS, cells=(Coin(0.6),)), workers=1)
    assert alone.of_cell(Coin(0.6)).figures == whole.of_cell(Coin(0.6)).figures
    with ThreadPoolExecutor(3) as pool:
        assert run(COINS, executor=pool).to_json() == whole.to_json()
    other_blocks = run(replace(COINS, block=50), workers=1)
    for cell in COINS.cells:
        for name in ("heads", "height"):
            one, two = other_blocks.figure(cell, name), whole.figure(cell, name)
            assert one == pytest.approx(two, rel=1e-12)
    store = tmp_path / "coins.store"
    run(replace(COINS, replicates=21), workers=1, store=store)
    assert run(COINS, workers=1, store=store).to_json() == whole.to_json()
    assert run(replace(COINS, seed=2), workers=1).to_json() != whole.to_json()


def test_real_bands_in_processes_give_the_same_numbers() -> None:
    cells = [
        TrueCurve(Binormal(2.0), RandomClasses(size), method)
        for size in (25, 60)
        for method in (rb.bands.JointRegion(), rb.bands.FixedWidth(n_resamples=20))
    ]
    study = Study("bands", cells, replicates=6, block=2)
    assert run(study, workers=2).to_json() == run(study, workers=1).to_json()


def test_nothing_is_measured_twice(tmp_path: Path) -> None:
    store = tmp_path / "coins.store"
    first = run(COINS, workers=1, store=store)
    size = store.stat().st_size
    seen: list[tuple[int, int]] = []
    again = run(COINS, workers=1, store=store, progress=lambda *now: seen.append(now))
    assert store.stat().st_size == size
    assert seen == [(24, 24)]
    assert again.to_json() == first.to_json()


@pytest.mark.parametrize("cut", [1, 5, 40, 300, 1001])
def test_a_store_that_was_torn_goes_on(tmp_path: Path, cut: int) -> None:
    whole = tmp_path / "whole.store"
    run(COINS, workers=1, store=whole)
    torn = tmp_path / "torn.store"
    torn.write_bytes(whole.read_bytes()[:-cut])
    run(COINS, workers=1, store=torn)
    assert export(COINS, torn) == export(COINS, whole)


def test_a_line_that_was_damaged_is_measured_again(tmp_path: Path) -> None:
    store = tmp_path / "coins.store"
    run(COINS, workers=1, store=store)
    before = export(COINS, store)
    lines = store.read_bytes().splitlines(keepends=True)
    lines[5] = lines[5].replace(b'"start":', b'"stort":')
    store.write_bytes(b"".join(lines))
    assert Store(store, 1).torn == 1
    run(COINS, workers=1, store=store)
    assert export(COINS, store) == before


def test_a_finished_block_that_stands_twice_counts_once(tmp_path: Path) -> None:
    store = tmp_path / "coins.store"
    found = run(COINS, workers=1, store=store)
    lines = store.read_bytes().splitlines(keepends=True)
    store.write_bytes(b"".join([*lines, lines[3]]))
    assert run(COINS, workers=1, store=store).to_json() == found.to_json()


def test_stores_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    store = tmp_path / "coins.store"
    run(COINS, workers=1, store=store)
    with pytest.raises(rb.InputError, match="made with seed 1, not 2"):
        run(replace(COINS, seed=2), workers=1, store=store)
    other = tmp_path / "scores.csv"
    other.write_text("y,score\n1,0.5\n", encoding="utf-8")
    with pytest.raises(rb.InputError, match="not a store of a study"):
        run(COINS, workers=1, store=other)
    assert other.read_text(encoding="utf-8") == "y,score\n1,0.5\n"
    with pytest.raises(rb.InputError, match="cannot be written"):
        run(COINS, workers=1, store=tmp_path / "scores.csv" / "x.store")


def test_two_runs_do_not_share_a_store(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    path = tmp_path / "coins.store"
    with Store(path, 1).writing(), pytest.raises(rb.InputError, match="Another run is writing"):
        run(COINS, workers=1, store=path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cells": ()}, "has no cells"),
        ({"cells": (Coin(0.3), Coin(0.3))}, "may occur once in a study"),
        ({"replicates": 0}, "at least once"),
        ({"replicates": 20.0}, "must be whole numbers"),
        ({"block": 0}, "must be whole numbers"),
        ({"seed": -2}, "`seed` must be"),
    ],
)
def test_impossible_studies_are_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(rb.InputError, match=message):
        run(replace(COINS, **change), workers=1)


def test_numbers_of_replicates_may_come_from_numpy() -> None:
    study = replace(COINS, replicates=np.int64(14), block=np.int32(7))
    assert run(study, workers=1).figure(Coin(0.3), "heads").n == 14


def test_a_cell_is_named_without_its_thousands_of_numbers() -> None:
    population = Discrete((1e-3,) * 1000, (1e-3,) * 1000)
    cell = TrueCurve(population, RandomClasses(25), rb.bands.JointRegion())
    with pytest.raises(
        rb.InputError, match="1000 levels, size r = 25, method joint-region"
    ) as said:
        Study("twice", (cell, cell))
    assert len(str(said.value)) < 200


@dataclass(frozen=True)
class Part(Coin):
    """A share of something in each replicate, always the same."""

    fractions = ("part",)
    spread: float = 0.0

    def measure(self, streams: Streams) -> dict[str, object]:
        return {"part": self.chance + self.spread * (streams.replicate % 2)}


def test_fractions_stay_between_0_and_1_and_are_not_certain_without_spread() -> None:
    cells = (Part(1.0), Part(0.95), Part(0.0), Part(0.8, spread=0.2), Part(0.4, spread=0.1))
    found = run(Study("parts", cells, replicates=20), workers=1)
    always, often, never, wide, usual = (found.figure(cell, "part") for cell in cells)
    # Of 20 that all hold, the exact lower limit is the 20th root of .025.
    assert always[:3] == pytest.approx((1.0, 0.025**0.05, 1.0))
    assert often.low < 0.9
    assert often.high > 0.99
    assert never[:3] == pytest.approx((0.0, 0.0, 1.0 - 0.025**0.05))
    assert 0.8 < wide.low < wide.value < wide.high <= 1.0
    assert 0.4 < usual.low < usual.value < usual.high < 0.5
    one = run(Study("one", (Part(1.0),), replicates=1), workers=1).figure(Part(1.0), "part")
    assert one[:3] == pytest.approx((1.0, 0.025, 1.0))


def test_numbers_that_are_not_finite_are_refused() -> None:
    for bad in (float("nan"), float("inf"), 1e200):
        with pytest.raises(rb.InputError, match=r"finite numbers up to 1e\+100; 'part' was"):
            run(Study("nan", (Part(0.5, spread=bad),), replicates=20), workers=1)


def test_a_store_of_a_cell_that_measured_something_else_is_refused(tmp_path: Path) -> None:
    store, cell = tmp_path / "parts.store", Part(0.5)
    run(Study("parts", (cell,), replicates=20), workers=1, store=store)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Part, "measure", lambda self, streams: {"part": 0.5, "more": 1.0})
        with pytest.raises(rb.InputError, match="in some more, part and in others part"):
            run(Study("parts", (cell,), replicates=40), workers=1, store=store)


def test_no_workers_are_refused() -> None:
    with pytest.raises(rb.InputError, match="`workers` must be at least 1"):
        run(COINS, workers=0)


SCRIPT = """
import sys
from rocbands_studies import Study, run
sys.path.insert(0, {folder!r})
from coins import SLOW
if __name__ == "__main__":
    run(SLOW, workers={workers}, store={store!r})
"""
COIN_FILE = """
import time
from dataclasses import dataclass
from rocbands_studies import Cell, Study

@dataclass(frozen=True)
class Slow(Cell):
    shares = ("heads",)
    chance: float
    def facts(self): return {"chance": self.chance}
    @property
    def source(self): return "slow"
    def measure(self, streams):
        time.sleep(0.02)
        return {"heads": float(streams.own_rng("coin").random() < self.chance), "x": streams.own_rng("x").normal()}

SLOW = Study("slow", tuple(Slow(p / 10) for p in range(1, 6)), replicates=20, block=2)
"""


def start(folder: Path, store: Path, workers: int) -> subprocess.Popen[bytes]:
    (folder / "coins.py").write_text(COIN_FILE, encoding="utf-8")
    script = folder / f"run{workers}.py"
    script.write_text(
        SCRIPT.format(folder=str(folder), workers=workers, store=str(store)), encoding="utf-8"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), *sys.path])}
    return subprocess.Popen([sys.executable, str(script)], start_new_session=True, env=env)


def lines_in(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def wait_until(true: object, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.01)


@pytest.mark.simulation
def test_killed_in_the_middle_and_started_again(tmp_path: Path) -> None:
    """SIGKILL to the whole process cluster, twice; the export equals that of an undisturbed run."""
    whole = tmp_path / "whole.store"
    assert start(tmp_path, whole, 1).wait(120) == 0
    store = tmp_path / "killed.store"
    for more in (8, 18):
        job = start(tmp_path, store, 2)
        wait_until(lambda more=more: lines_in(store) >= more)
        os.killpg(job.pid, signal.SIGKILL)
        job.wait(30)
        assert lines_in(store) < lines_in(whole)
    assert start(tmp_path, store, 2).wait(120) == 0
    assert Store(store, 1).export() == Store(whole, 1).export()
    assert len(Store(store, 1).export().splitlines()) == 50


@pytest.mark.simulation
def test_workers_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    store = tmp_path / "orphans.store"
    job = start(tmp_path, store, 2)
    wait_until(lambda: lines_in(store) >= 5)
    worker = _a_worker_of(job.pid)
    os.kill(job.pid, signal.SIGKILL)
    job.wait(30)
    wait_until(lambda: not Path(f"/proc/{worker}").exists(), 20)
    assert lines_in(store) < 51  # it was killed in the middle


@pytest.mark.simulation
def test_a_worker_that_is_killed_costs_no_number(tmp_path: Path) -> None:
    whole = tmp_path / "whole.store"
    assert start(tmp_path, whole, 1).wait(120) == 0
    store = tmp_path / "killed.store"
    job = start(tmp_path, store, 2)
    wait_until(lambda: lines_in(store) >= 5)
    os.kill(_a_worker_of(job.pid), signal.SIGKILL)
    assert job.wait(120) == 0
    assert Store(store, 1).export() == Store(whole, 1).export()


def _a_worker_of(parent: int) -> int:
    """A child process of a run that measures; multiprocessing also keeps a tracker as a child."""
    for pid in Path(f"/proc/{parent}/task/{parent}/children").read_text(encoding="utf-8").split():
        if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes():
            return int(pid)
    raise AssertionError("no worker was found")


def test_an_error_inside_a_cell_is_shown_and_finished_work_is_kept(tmp_path: Path) -> None:
    @dataclass(frozen=True)
    class Broken(Coin):
        def measure(self, streams: Streams) -> dict[str, object]:
            raise ZeroDivisionError("a mistake in the cell")

    store = tmp_path / "coins.store"
    study = replace(COINS, cells=(Coin(0.3), Broken(0.4)), replicates=14)
    with pytest.raises(ZeroDivisionError, match="a mistake in the cell"):
        run(study, workers=1, store=store)
    assert (
        json.loads(store.read_text(encoding="utf-8").splitlines()[0].partition(" ")[2])["seed"] == 1
    )


def test_a_result_is_a_table() -> None:
    found = run(COINS, workers=1)
    text = str(found)
    assert "3 cells, each measured 50 times" in text
    frame = found.to_frame("pandas")
    assert list(frame.columns) == ["chance", "figure", "at", "value", "low", "high", "n"]
    assert len(frame) == 3 * 4
    assert np.isfinite(frame["value"]).all()
    assert found.to_dict()["schema"] == "rocbands.study/2"


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="no /proc")
def test_workers_leave_the_other_cores_to_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "7")
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    cell = Threads(0.5)
    found = run(Study("threads", (cell,), replicates=4, block=1), workers=2)
    assert found.figure(cell, "threads").value == 1.0
    assert os.environ["OPENBLAS_NUM_THREADS"] == "7"
    assert "OMP_NUM_THREADS" not in os.environ


SLEEPERS = """
import time
from dataclasses import dataclass
from pathlib import Path
from rocbands_studies import Cell, Study, run

@dataclass(frozen=True)
class Sleeper(Cell):
    number: int
    def facts(self): return {"number": self.number}
    @property
    def source(self): return self.number
    def measure(self, streams):
        if SECONDS:
            Path(f"{FOLDER}/asleep{self.number}").touch()
            time.sleep(SECONDS)
        return {"x": 1.0}

"""
RUN = "run(Study('sleep', [Sleeper(n) for n in range(4)], 1), workers=2)\n"


def sleepers(folder: Path, seconds: int, run: str) -> subprocess.Popen[str]:
    script = folder / "sleepers.py"
    script.write_text(
        f"SECONDS, FOLDER = {seconds}, {str(folder)!r}\n{SLEEPERS}{run}", encoding="utf-8"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen(
        [sys.executable, str(script)],
        start_new_session=True,
        env=env,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_an_interrupted_run_does_not_wait_for_its_workers(tmp_path: Path) -> None:
    """Jobs sleep for minutes; neither those under way nor those in the queue are waited for."""
    job = sleepers(tmp_path, 300, f"if __name__ == '__main__':\n    {RUN}")
    wait_until(lambda: len(list(tmp_path.glob("asleep*"))) == 2)
    worker = _a_worker_of(job.pid)
    os.killpg(job.pid, signal.SIGINT)
    said = job.communicate(timeout=180)[1]
    assert said.count("Traceback") == 1  # the run's own
    assert said.rstrip().endswith("KeyboardInterrupt")
    assert not _is_alive(worker)


def _is_alive(pid: int) -> bool:
    try:
        return (
            Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
            != "Z"
        )
    except FileNotFoundError:
        return False


def test_a_script_without_a_guard_is_told_so(tmp_path: Path) -> None:
    said = sleepers(tmp_path, 0, RUN).communicate(timeout=120)[1]
    assert "call run() below `if __name__ == '__main__':`" in said
    assert "With workers=1 no process is started." in said
    assert said.count("Traceback") == 1


def test_cells_that_workers_cannot_import_are_refused() -> None:
    program = f"SECONDS = 0\n{SLEEPERS}{RUN}"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    for how, given in ((["-c", program], None), (["-"], program)):
        done = subprocess.run(
            [sys.executable, *how],
            check=False,
            input=given,
            env=env,
            capture_output=True,
            text=True,
        )
        assert "or pass workers=1" in done.stderr
        assert done.stderr.count("Traceback") == 1
